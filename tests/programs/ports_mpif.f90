! As ports.f90, with mpif.h.
program ports
    implicit none
    include 'mpif.h'
    integer :: half, inter, parent, ierror
    integer :: rank, ranks, color, errors, code, class, own, total, low
    character(MPI_MAX_PORT_NAME) :: port, found

    errors = 0
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    color = merge(0, 1, rank < ranks / 2)
    call MPI_Comm_split(MPI_COMM_WORLD, color, rank, half, ierror)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
    call MPI_Comm_get_parent(parent, ierror)
    if (parent /= MPI_COMM_NULL) errors = errors + 1
    port = ' '
    if (rank == 0) then
        call MPI_Open_port(MPI_INFO_NULL, port, ierror)
        call MPI_Publish_name('  lake ', MPI_INFO_NULL, port, ierror)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    if (color == 1) then
        call MPI_Lookup_name('  lake', MPI_INFO_NULL, found, ierror)
        call MPI_Comm_connect(found, MPI_INFO_NULL, 0, half, inter, ierror)
    else
        call MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, inter, ierror)
    end if
    own = rank
    call MPI_Allreduce(own, total, 1, MPI_INTEGER, MPI_SUM, inter, ierror)
    low = (ranks / 2) * (ranks / 2 - 1) / 2
    if (color == 1 .and. total /= low) errors = errors + 1
    if (color == 0 .and. total /= ranks * (ranks - 1) / 2 - low) errors = errors + 1
    call MPI_Comm_disconnect(inter, ierror)
    if (inter /= MPI_COMM_NULL) errors = errors + 1
    call MPI_Comm_join(-1, inter, code)
    call MPI_Error_class(code, class, ierror)
    if (class /= MPI_ERR_ARG) errors = errors + 1
    if (rank == 0) then
        call MPI_Unpublish_name('  lake', MPI_INFO_NULL, port, ierror)
        call MPI_Close_port(port, ierror)
        call MPI_Close_port(port, code)
        call MPI_Error_class(code, class, ierror)
        if (class /= MPI_ERR_PORT) errors = errors + 1
    end if
    call MPI_Allreduce(MPI_IN_PLACE, errors, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (rank == 0) print '(i0,a)', errors, ' errors'
    call MPI_Finalize(ierror)
end program
