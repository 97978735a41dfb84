! Files: every call of MPI-5.0 chapter 14; with large counts and, when compiled with -DSMALL, with
! default ones. Tests say what handles are: INTEGERs, which want small counts, or types of mpi_f08.

module stretching
    use CHECKS
    implicit none

contains

    ! Everything is four times as long in the file.
    subroutine stretch(type, extent, extra_state, ierror)
        DATATYPE :: type
        integer(MPI_ADDRESS_KIND) :: extent, extra_state
        integer :: ierror, bytes
        call expect(extra_state == 4, 'the extra state comes along')
        call MPI_Type_size(type, bytes, ierror)
        extent = extra_state * bytes
        ierror = MPI_SUCCESS
    end subroutine stretch

end module stretching

program files
    use CHECKS
    use stretching
    implicit none
#ifdef SMALL
    integer, parameter :: counts = kind(1)
#else
    integer, parameter :: counts = MPI_COUNT_KIND
#endif
    integer(counts), parameter :: ten = 10, one = 1
    integer(MPI_OFFSET_KIND) :: first
    integer :: error
    FILE :: fh
    STATUS :: told
    REQUEST :: request
    integer, asynchronous :: out(10), in(10)
    integer :: i

    call start()
    out = [(100 * rank + i, i = 1, 10)]
    first = 10 * rank
    call handle()
    call blocking()
    call collective()
    call nonblocking()
    call split()
    call views()
    call sections()
    call wrong()
    call finish()

contains

    subroutine good(what)
        character(*), intent(in) :: what
        call equal(error, MPI_SUCCESS, what)
    end subroutine good

    ! The call has moved this many integers.
    subroutine moved(number, what)
        integer, intent(in) :: number
        character(*), intent(in) :: what
        integer :: count
        call good(what)
        call MPI_Get_count(told, MPI_INTEGER, count, error)
        call equal(count, number, what)
    end subroutine moved

    subroutine complete(number, what)
        integer, intent(in) :: number
        character(*), intent(in) :: what
        call good(what)
        call MPI_Wait(request, told, error)
        call moved(number, what)
    end subroutine complete

    ! Positions count integers.
    subroutine open_file(name)
        character(*), intent(in) :: name
        call MPI_File_open(MPI_COMM_WORLD, name, ior(MPI_MODE_RDWR, MPI_MODE_CREATE), &
            MPI_INFO_NULL, fh, error)
        call good('MPI_File_open')
        call MPI_File_set_view(fh, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', &
            MPI_INFO_NULL, error)
        call good('MPI_File_set_view')
    end subroutine open_file

    subroutine close_file(name)
        character(*), intent(in) :: name
        call MPI_File_close(fh, error)
        call good('MPI_File_close')
        call expect(fh == MPI_FILE_NULL, 'a closed file has no handle')
        call MPI_Barrier(MPI_COMM_WORLD, error)
        if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL, error)
        call good('MPI_File_delete')
        call MPI_Barrier(MPI_COMM_WORLD, error)
    end subroutine close_file

    subroutine handle()
        integer(MPI_OFFSET_KIND) :: bytes
        integer :: amode, members
        logical :: flag
        GROUP :: group
        INFO :: info
        character(20) :: value
        call open_file('handle.f   ')
        call MPI_File_set_size(fh, 100_MPI_OFFSET_KIND, error)
        call good('MPI_File_set_size')
        call MPI_File_preallocate(fh, 200_MPI_OFFSET_KIND, error)
        call good('MPI_File_preallocate')
        call MPI_File_get_size(fh, bytes, error)
        call expect(error == MPI_SUCCESS .and. bytes == 200, 'MPI_File_get_size')
        call MPI_File_get_amode(fh, amode, error)
        call equal(amode, ior(MPI_MODE_RDWR, MPI_MODE_CREATE), 'MPI_File_get_amode')
        call MPI_File_get_group(fh, group, error)
        call MPI_Group_size(group, members, error)
        call equal(members, ranks, 'MPI_File_get_group')
        call MPI_Group_free(group, error)
        call MPI_Info_create(info, error)
        call MPI_Info_set(info, 'cb_nodes', '1', error)
        call MPI_File_set_info(fh, info, error)
        call good('MPI_File_set_info')
        call MPI_Info_free(info, error)
        call MPI_File_get_info(fh, info, error)
        call MPI_Info_get(info, 'cb_nodes', 20, value, flag, error)
        call expect(flag .and. value == '1', 'MPI_File_get_info')
        call MPI_Info_free(info, error)
        call MPI_File_get_atomicity(fh, flag, error)
        call expect(.not. flag, 'MPI_File_get_atomicity')
        call MPI_File_set_atomicity(fh, .true., error)
        call MPI_File_get_atomicity(fh, flag, error)
        call expect(error == MPI_SUCCESS .and. flag, 'MPI_File_set_atomicity')
        call MPI_File_sync(fh, error)
        call good('MPI_File_sync')
        call close_file('handle.f')
    end subroutine handle

    subroutine blocking()
        integer(MPI_OFFSET_KIND) :: at
        call open_file('blocking.f')
        call MPI_File_write_at(fh, first, out, ten, MPI_INTEGER, told, error)
        call moved(10, 'MPI_File_write_at')
        in = 0
        call MPI_File_read_at(fh, first, in, ten, MPI_INTEGER, told, error)
        call moved(10, 'MPI_File_read_at')
        call expect(all(in == out), 'what is read was written')
        call MPI_File_seek(fh, first, MPI_SEEK_SET, error)
        call good('MPI_File_seek')
        call MPI_File_write(fh, out(10), one, MPI_INTEGER, MPI_STATUS_IGNORE, error)
        call good('MPI_File_write')
        call MPI_File_get_position(fh, at, error)
        call expect(error == MPI_SUCCESS .and. at == first + 1, 'MPI_File_get_position')
        call MPI_File_get_byte_offset(fh, at, at, error)
        call expect(error == MPI_SUCCESS .and. at == 4 * first + 4, 'MPI_File_get_byte_offset')
        call MPI_File_read(fh, in, one, MPI_INTEGER, told, error)
        call moved(1, 'MPI_File_read')
        call equal(in(1), out(2), 'the pointer moves on')
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_File_write_shared(fh, rank, one, MPI_INTEGER, told, error)
        call moved(1, 'MPI_File_write_shared')
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_File_get_position_shared(fh, at, error)
        call expect(error == MPI_SUCCESS .and. at == ranks, 'MPI_File_get_position_shared')
        call MPI_File_seek_shared(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, error)
        call good('MPI_File_seek_shared')
        call MPI_File_read_shared(fh, in, one, MPI_INTEGER, told, error)
        call moved(1, 'MPI_File_read_shared')
        call expect(in(1) >= 0 .and. in(1) < ranks, 'somebody has written that')
        call close_file('blocking.f')
    end subroutine blocking

    subroutine collective()
        call open_file('collective.f')
        call MPI_File_write_at_all(fh, first, out, ten, MPI_INTEGER, told, error)
        call moved(10, 'MPI_File_write_at_all')
        call MPI_File_read_at_all(fh, first, in, ten, MPI_INTEGER, told, error)
        call moved(10, 'MPI_File_read_at_all')
        call expect(all(in == out), 'what is read was written')
        call MPI_File_seek(fh, first, MPI_SEEK_SET, error)
        call MPI_File_write_all(fh, out(3), one, MPI_INTEGER, told, error)
        call moved(1, 'MPI_File_write_all')
        call MPI_File_seek(fh, first, MPI_SEEK_SET, error)
        call MPI_File_read_all(fh, in, ten, MPI_INTEGER, told, error)
        call moved(10, 'MPI_File_read_all')
        call expect(in(1) == out(3) .and. in(2) == out(2), 'the first one is new')
        call MPI_File_write_ordered(fh, rank, one, MPI_INTEGER, told, error)
        call moved(1, 'MPI_File_write_ordered')
        call MPI_File_seek_shared(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, error)
        call MPI_File_read_ordered(fh, in, one, MPI_INTEGER, told, error)
        call moved(1, 'MPI_File_read_ordered')
        call equal(in(1), rank, 'ranks come in order')
        call close_file('collective.f')
    end subroutine collective

    subroutine nonblocking()
        call open_file('nonblocking.f')
        call MPI_File_iwrite_at(fh, first, out, ten, MPI_INTEGER, request, error)
        call complete(10, 'MPI_File_iwrite_at')
        call MPI_File_iread_at(fh, first, in, ten, MPI_INTEGER, request, error)
        call complete(10, 'MPI_File_iread_at')
        call expect(all(in == out), 'what is read was written')
        call MPI_File_iwrite_at_all(fh, first, out(2), one, MPI_INTEGER, request, error)
        call complete(1, 'MPI_File_iwrite_at_all')
        call MPI_File_iread_at_all(fh, first, in, ten, MPI_INTEGER, request, error)
        call complete(10, 'MPI_File_iread_at_all')
        call equal(in(1), out(2), 'the first one is new')
        call MPI_File_seek(fh, first, MPI_SEEK_SET, error)
        call MPI_File_iwrite(fh, out(4), one, MPI_INTEGER, request, error)
        call complete(1, 'MPI_File_iwrite')
        call MPI_File_iread(fh, in, one, MPI_INTEGER, request, error)
        call complete(1, 'MPI_File_iread')
        call equal(in(1), out(2), 'the second one is old')
        call MPI_File_seek(fh, first, MPI_SEEK_SET, error)
        call MPI_File_iwrite_all(fh, out(5), one, MPI_INTEGER, request, error)
        call complete(1, 'MPI_File_iwrite_all')
        call MPI_File_iread_all(fh, in, one, MPI_INTEGER, request, error)
        call complete(1, 'MPI_File_iread_all')
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_File_iwrite_shared(fh, rank, one, MPI_INTEGER, request, error)
        call complete(1, 'MPI_File_iwrite_shared')
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_File_seek_shared(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, error)
        call MPI_File_iread_shared(fh, in, one, MPI_INTEGER, request, error)
        call complete(1, 'MPI_File_iread_shared')
        call expect(in(1) >= 0 .and. in(1) < ranks, 'somebody has written that')
        call close_file('nonblocking.f')
    end subroutine nonblocking

    subroutine split()
        call open_file('split.f')
        call MPI_File_write_at_all_begin(fh, first, out, ten, MPI_INTEGER, error)
        call good('MPI_File_write_at_all_begin')
        call MPI_File_write_at_all_end(fh, out, told, error)
        call moved(10, 'MPI_File_write_at_all_end')
        call MPI_File_read_at_all_begin(fh, first, in, ten, MPI_INTEGER, error)
        call good('MPI_File_read_at_all_begin')
        call MPI_File_read_at_all_end(fh, in, told, error)
        call moved(10, 'MPI_File_read_at_all_end')
        call expect(all(in == out), 'what is read was written')
        call MPI_File_seek(fh, first, MPI_SEEK_SET, error)
        call MPI_File_write_all_begin(fh, out(7), one, MPI_INTEGER, error)
        call good('MPI_File_write_all_begin')
        call MPI_File_write_all_end(fh, out(7), told, error)
        call moved(1, 'MPI_File_write_all_end')
        call MPI_File_seek(fh, first, MPI_SEEK_SET, error)
        call MPI_File_read_all_begin(fh, in, ten, MPI_INTEGER, error)
        call good('MPI_File_read_all_begin')
        call MPI_File_read_all_end(fh, in, told, error)
        call moved(10, 'MPI_File_read_all_end')
        call equal(in(1), out(7), 'the first one is new')
        call MPI_File_write_ordered_begin(fh, rank, one, MPI_INTEGER, error)
        call good('MPI_File_write_ordered_begin')
        call MPI_File_write_ordered_end(fh, rank, told, error)
        call moved(1, 'MPI_File_write_ordered_end')
        call MPI_File_seek_shared(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, error)
        call MPI_File_read_ordered_begin(fh, in, one, MPI_INTEGER, error)
        call good('MPI_File_read_ordered_begin')
        call MPI_File_read_ordered_end(fh, in, told, error)
        call moved(1, 'MPI_File_read_ordered_end')
        call equal(in(1), rank, 'ranks come in order')
        call close_file('split.f')
    end subroutine split

    subroutine views()
        integer(MPI_OFFSET_KIND) :: displacement
        integer(MPI_ADDRESS_KIND) :: extent
        DATATYPE :: etype, filetype, every
        character(MPI_MAX_DATAREP_STRING) :: name
        call open_file('views.f')
        call MPI_Type_vector(2, 1, ranks, MPI_INTEGER, filetype, error)
        call MPI_Type_create_resized(filetype, 0_MPI_ADDRESS_KIND, &
            8_MPI_ADDRESS_KIND * ranks, every, error)
        call MPI_Type_commit(every, error)
        call MPI_Type_free(filetype, error)
        call MPI_File_set_view(fh, 4_MPI_OFFSET_KIND * rank, MPI_INTEGER, every, 'external32', &
            MPI_INFO_NULL, error)
        call good('MPI_File_set_view')
        call MPI_File_get_view(fh, displacement, etype, filetype, name, error)
        call good('MPI_File_get_view')
        call expect(displacement == 4 * rank .and. etype == MPI_INTEGER, 'the view is told')
        call expect(name == 'external32', 'so is the representation')
        call MPI_Type_free(filetype, error)
        call MPI_File_write_all(fh, out, ten, MPI_INTEGER, told, error)
        call moved(10, 'MPI_File_write_all')
        call MPI_File_get_type_extent(fh, MPI_INTEGER, extent, error)
        call expect(error == MPI_SUCCESS .and. extent == 4, 'MPI_File_get_type_extent')
        call MPI_File_read_at_all(fh, 0_MPI_OFFSET_KIND, in, ten, MPI_INTEGER, told, error)
        call moved(10, 'MPI_File_read_at_all')
        call expect(all(in == out), 'what is read was written')
#ifdef SMALL
        call MPI_Register_datarep('stretched', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, &
            stretch, 4_MPI_ADDRESS_KIND, error)
#else
        call MPI_Register_datarep_c('stretched', MPI_CONVERSION_FN_NULL_C, &
            MPI_CONVERSION_FN_NULL_C, stretch, 4_MPI_ADDRESS_KIND, error)
#endif
        call good('MPI_Register_datarep')
        call MPI_File_set_view(fh, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'stretched', &
            MPI_INFO_NULL, error)
        call good('MPI_File_set_view')
        call MPI_File_get_type_extent(fh, MPI_INTEGER, extent, error)
        call expect(error == MPI_SUCCESS .and. extent == 16, 'the program tells the extent')
        call MPI_Type_free(every, error)
        call close_file('views.f')
    end subroutine views

    ! A section with gaps; the elements between them stay.
    subroutine sections()
        integer, asynchronous :: wide(20)
        call open_file('sections.f')
        wide = [(100 * rank + i, i = 1, 20)]
        call MPI_File_write_at_all(fh, first, wide(2:20:2), ten, MPI_INTEGER, told, error)
        call moved(10, 'a section is written')
        wide = -1
        call MPI_File_read_at_all_begin(fh, first, wide(1:19:2), ten, MPI_INTEGER, error)
        call MPI_File_read_at_all_end(fh, wide(1:19:2), told, error)
#ifndef SMALL
        call expect(all(wide(1:19:2) == [(100 * rank + 2 * i, i = 1, 10)]), 'a section is read')
        call expect(all(wide(2:20:2) == -1), 'the rest stays')
#endif
        call close_file('sections.f')
    end subroutine sections

    subroutine wrong()
        integer :: class
        call MPI_File_open(MPI_COMM_WORLD, 'absent.f', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, error)
        call MPI_Error_class(error, class, i)
        call equal(class, MPI_ERR_NO_SUCH_FILE, 'a file that is not there')
        call MPI_File_open(MPI_COMM_WORLD, 'absent.f', 0, MPI_INFO_NULL, fh, error)
        call MPI_Error_class(error, class, i)
        call equal(class, MPI_ERR_AMODE, 'no mode')
    end subroutine wrong

end program files
