! Fortran and C in one program, and a tool of Fortran's between the program and MPI.

module tool
    implicit none
    integer :: barriers = 0, messages = 0
end module tool

subroutine MPI_Barrier(comm, error)
    use tool
    implicit none
    integer :: comm, error
    barriers = barriers + 1
    call PMPI_Barrier(comm, error)
end subroutine MPI_Barrier

subroutine MPI_Isend(buffer, count, datatype, dest, tag, comm, request, error)
    use tool
    implicit none
    integer :: buffer(*), count, datatype, dest, tag, comm, request, error
    messages = messages + 1
    call PMPI_Isend(buffer, count, datatype, dest, tag, comm, request, error)
end subroutine MPI_Isend

program mixed
    use checks
    use tool
    implicit none
    integer :: error
    integer, external :: c_rank, c_source, c_has_attribute, c_sees, c_ignores

    call start()
    call handles()
    call attributes()
    call finish()

contains

    subroutine handles()
        integer :: requests(2), datatype, tag, count, comm, result, status(MPI_STATUS_SIZE)
        integer :: mine(4), theirs(4)
        call equal(c_rank(MPI_COMM_WORLD), rank, 'the rank that C sees')
        call equal(c_ignores(MPI_STATUS_IGNORE), 1, 'no status, as C sees it')
        call equal(c_ignores(MPI_STATUSES_IGNORE), 2, 'no statuses, as C sees them')
        call equal(c_ignores(status), 0, 'a status, as C sees it')
        call MPI_Type_contiguous(2, MPI_INTEGER, datatype, error)
        call MPI_Type_commit(datatype, error)
        mine = rank
        call MPI_Irecv(theirs, 2, datatype, MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, requests(1), error)
        call MPI_Isend(mine, 4, MPI_INTEGER, modulo(rank + 1, ranks), 31, MPI_COMM_WORLD, &
            requests(2), error)
        call c_finish(requests(1), datatype, tag, count)
        call equal(tag, 31, 'the tag that C saw')
        call equal(count, 2, 'the count of a type of Fortran''s')
        call equal(requests(1), MPI_REQUEST_NULL, 'the request that C waited for')
        call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
        call equal(messages, 1, 'the messages that the tool saw')
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call equal(barriers, 1, 'the barriers that the tool saw')

        call c_duplicate(comm)
        call MPI_Comm_compare(comm, MPI_COMM_WORLD, result, error)
        call equal(result, MPI_CONGRUENT, 'a communicator that C made')
        call MPI_Sendrecv(mine, 1, MPI_INTEGER, rank, 5, theirs, 1, MPI_INTEGER, rank, 5, comm, &
            status, error)
        call equal(c_source(status), rank, 'the source in Fortran''s status')
        call MPI_Comm_free(comm, error)
        call MPI_Type_free(datatype, error)
    end subroutine handles

    subroutine attributes()
        integer(MPI_ADDRESS_KIND) :: value
        integer :: key, comm
        call c_set_attribute(key)
        call equal(c_has_attribute(MPI_COMM_SELF, key), 1, 'C finds its pointer')
        call MPI_Comm_dup(MPI_COMM_SELF, comm, error)
        call equal(c_has_attribute(comm, key), 1, 'C finds its pointer in a duplicate')
        call MPI_Comm_free(comm, error)
        call MPI_Comm_delete_attr(MPI_COMM_SELF, key, error)

        call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, value, error)
        call MPI_Comm_set_attr(MPI_COMM_SELF, key, 77_MPI_ADDRESS_KIND, error)
        call equal(c_sees(key), 77, 'an integer of Fortran''s, seen from C')
        call MPI_Comm_delete_attr(MPI_COMM_SELF, key, error)
    end subroutine attributes

end program mixed
