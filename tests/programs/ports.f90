! Ports, names and connections in Fortran: two halves of the world.
program ports
    use mpi_f08
    implicit none
    type(MPI_Comm) :: half, inter, parent
    integer :: rank, ranks, color, errors, code, class, own, total, low
    character(MPI_MAX_PORT_NAME) :: port, found

    errors = 0
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    color = merge(0, 1, rank < ranks / 2)
    call MPI_Comm_split(MPI_COMM_WORLD, color, rank, half)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Comm_get_parent(parent)
    if (parent /= MPI_COMM_NULL) errors = errors + 1
    port = ' '
    if (rank == 0) then
        call MPI_Open_port(MPI_INFO_NULL, port)
        call MPI_Publish_name('  lake ', MPI_INFO_NULL, port)
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
    if (color == 1) then
        call MPI_Lookup_name('  lake', MPI_INFO_NULL, found)
        call MPI_Comm_connect(found, MPI_INFO_NULL, 0, half, inter)
    else
        call MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, inter)
    end if
    own = rank
    call MPI_Allreduce(own, total, 1, MPI_INTEGER, MPI_SUM, inter)
    low = (ranks / 2) * (ranks / 2 - 1) / 2
    if (color == 1 .and. total /= low) errors = errors + 1
    if (color == 0 .and. total /= ranks * (ranks - 1) / 2 - low) errors = errors + 1
    call MPI_Comm_disconnect(inter)
    if (inter /= MPI_COMM_NULL) errors = errors + 1
    call MPI_Comm_join(-1, inter, code)
    call MPI_Error_class(code, class)
    if (class /= MPI_ERR_ARG) errors = errors + 1
    if (rank == 0) then
        call MPI_Unpublish_name('  lake', MPI_INFO_NULL, port)
        call MPI_Close_port(port)
        call MPI_Close_port(port, code)
        call MPI_Error_class(code, class)
        if (class /= MPI_ERR_PORT) errors = errors + 1
    end if
    call MPI_Allreduce(MPI_IN_PLACE, errors, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0) print '(i0,a)', errors, ' errors'
    call MPI_Finalize()
end program
