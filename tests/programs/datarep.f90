! A data representation whose functions are Fortran's: every integer is negated in the file.

module negation
    use checks
    implicit none

contains

    subroutine read_negated(userbuf, datatype, count, filebuf, position, extra_state, ierror)
        integer :: userbuf(*), filebuf(*)
        integer :: datatype, count, ierror
        integer(MPI_OFFSET_KIND) :: position
        integer(MPI_ADDRESS_KIND) :: extra_state
        call equal(datatype, MPI_INTEGER, 'the datatype')
        call expect(position == 0 .and. extra_state == 77, 'position and extra state')
        userbuf(1:count) = -filebuf(1:count)
        ierror = MPI_SUCCESS
    end subroutine read_negated

    subroutine write_negated(userbuf, datatype, count, filebuf, position, extra_state, ierror)
        integer :: userbuf(*), filebuf(*)
        integer :: datatype, count, ierror
        integer(MPI_OFFSET_KIND) :: position
        integer(MPI_ADDRESS_KIND) :: extra_state
        call equal(datatype, MPI_INTEGER, 'the datatype')
        call expect(position == 0 .and. extra_state == 77, 'position and extra state')
        filebuf(1:count) = -userbuf(1:count)
        ierror = MPI_SUCCESS
    end subroutine write_negated

    subroutine extent_of(datatype, extent, extra_state, ierror)
        integer :: datatype, ierror
        integer(MPI_ADDRESS_KIND) :: extent, extra_state
        call equal(datatype, MPI_INTEGER, 'the datatype')
        call expect(extra_state == 77, 'the extra state')
        extent = 4
        ierror = MPI_SUCCESS
    end subroutine extent_of

end module negation

program datarep
    use checks
    use negation
    implicit none
    integer(MPI_OFFSET_KIND), parameter :: front = 0
    integer(MPI_ADDRESS_KIND), parameter :: extra = 77
    integer :: fh, error, out(3), in(3), told(MPI_STATUS_SIZE), count
    call start()
    call MPI_Register_datarep('negated', read_negated, write_negated, extent_of, extra, error)
    call equal(error, MPI_SUCCESS, 'MPI_Register_datarep')
    call MPI_File_open(MPI_COMM_SELF, 'datarep.f', ior(MPI_MODE_RDWR, MPI_MODE_CREATE), &
        MPI_INFO_NULL, fh, error)
    call MPI_File_set_view(fh, front, MPI_INTEGER, MPI_INTEGER, 'negated', MPI_INFO_NULL, error)
    call equal(error, MPI_SUCCESS, 'MPI_File_set_view')
    out = [1, -2, 3]
    call MPI_File_write(fh, out, 3, MPI_INTEGER, told, error)
    call MPI_Get_count(told, MPI_INTEGER, count, error)
    call equal(count, 3, 'what was written')
    call MPI_File_read_at(fh, front, in, 3, MPI_INTEGER, told, error)
    call expect(all(in == out), 'what is read was written')
    call MPI_File_set_view(fh, front, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, error)
    call MPI_File_read(fh, in, 3, MPI_INTEGER, told, error)
    call expect(all(in == -out), 'it is negated in the file')
    call MPI_File_close(fh, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (rank == 0) call MPI_File_delete('datarep.f', MPI_INFO_NULL, error)
    call finish()
end program datarep
