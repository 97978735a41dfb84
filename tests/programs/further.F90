! What else the environment has: removed error classes, error handlers of files, windows and
! sessions, resources of the hardware, what the ABI tells of Fortran. Tests say what
! handles are: INTEGERs, or types of mpi_f08.

module hearing
    use CHECKS
    implicit none
    integer :: times = 0, last_code = 0
    FILE :: last_file
    SESSION :: last_session

contains

    subroutine listen_to_files(object, code)
        FILE :: object
        integer :: code
        times = times + 1
        last_file = object
        last_code = code
    end subroutine listen_to_files

    subroutine listen_to_windows(object, code)
        WIN :: object
        integer :: code
        call expect(object == MPI_WIN_NULL .and. code == 0, 'no window has errors')
    end subroutine listen_to_windows

    subroutine listen_to_sessions(object, code)
        SESSION :: object
        integer :: code
        times = times + 1
        last_session = object
        last_code = code
    end subroutine listen_to_sessions

end module hearing

program further
    use CHECKS
    use hearing
    implicit none
    integer :: error

    call start()
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, error)
    call codes()
    call files()
    call windows()
    call sessions()
    call hardware()
    call abi()
    call MPI_Pcontrol(0)
    call finish()

contains

    ! Only what is not used can be removed: the words, then the code, then the class.
    subroutine codes()
        character(MPI_MAX_ERROR_STRING) :: words
        integer :: class, code, length
        call MPI_Add_error_class(class, error)
        call MPI_Add_error_code(class, code, error)
        call MPI_Add_error_string(code, 'no more milk', error)
        call MPI_Remove_error_string(code, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Remove_error_string')
        call MPI_Error_string(code, words, length, error)
        call expect(words /= 'no more milk', 'words that were removed')
        call MPI_Remove_error_class(class, error)
        call equal(error, MPI_ERR_ARG, 'a class that still has a code')
        call MPI_Remove_error_code(code, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Remove_error_code')
        call MPI_Error_class(code, length, error)
        call expect(error /= MPI_SUCCESS, 'a code that was removed')
        call MPI_Remove_error_class(class, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Remove_error_class')
        call MPI_Remove_error_class(MPI_ERR_TAG, error)
        call expect(error /= MPI_SUCCESS, 'a class of MPI is not ours to remove')
    end subroutine codes

    subroutine files()
        ERRHANDLER :: handler, seen
        call MPI_File_get_errhandler(MPI_FILE_NULL, seen, error)
        call expect(seen == MPI_ERRORS_RETURN, 'errors of files return')
        call MPI_File_create_errhandler(listen_to_files, handler, error)
        call MPI_File_set_errhandler(MPI_FILE_NULL, handler, error)
        call MPI_File_get_errhandler(MPI_FILE_NULL, seen, error)
        call expect(seen == handler, 'the handler that was set')
        call MPI_Errhandler_free(seen, error)
        call MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_File_call_errhandler')
        call expect(times == 1 .and. last_code == MPI_ERR_IO, 'what the handler heard')
        call expect(last_file == MPI_FILE_NULL, 'of which file')
        call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN, error)
        call MPI_Errhandler_free(handler, error)
        call expect(handler == MPI_ERRHANDLER_NULL, 'a handler that was freed')
    end subroutine files

    subroutine windows()
        ERRHANDLER :: handler, seen
        call MPI_Win_create_errhandler(listen_to_windows, handler, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Win_create_errhandler')
        call expect(handler /= MPI_ERRHANDLER_NULL, 'a handler for windows')
        call MPI_Win_set_errhandler(MPI_WIN_NULL, handler, error)
        call equal(error, MPI_ERR_WIN, 'the handler of no window')
        call MPI_Win_get_errhandler(MPI_WIN_NULL, seen, error)
        call equal(error, MPI_ERR_WIN, 'the handler of no window')
        call MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_OTHER, error)
        call equal(error, MPI_ERR_WIN, 'the handler of no window')
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, error)
        call equal(error, MPI_ERR_ERRHANDLER, 'a handler of another sort')
        call MPI_Errhandler_free(handler, error)
    end subroutine windows

    subroutine sessions()
        ERRHANDLER :: handler, now
        SESSION :: mine
        INFO :: keys
        GROUP :: some
        COMM :: all
        integer :: count, length, seen, size
        character(MPI_MAX_PSET_NAME_LEN) :: name
        times = 0
        call MPI_Session_create_errhandler(listen_to_sessions, handler, error)
        call MPI_Session_init(MPI_INFO_NULL, handler, mine, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Session_init')
        call MPI_Session_get_num_psets(mine, MPI_INFO_NULL, count, error)
        call expect(count >= 2, 'how many process sets there are')
        length = 0
        call MPI_Session_get_nth_pset(mine, MPI_INFO_NULL, 0, length, name, error)
        seen = length
        length = len(name)
        call MPI_Session_get_nth_pset(mine, MPI_INFO_NULL, 0, length, name, error)
        call equal(len_trim(name), seen, 'the length of a name')
        call MPI_Group_from_session_pset(mine, name, some, error)
        call MPI_Comm_create_from_group(some, 'some', MPI_INFO_NULL, MPI_ERRORS_RETURN, all, &
            error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Comm_create_from_group')
        call MPI_Group_size(some, size, error)
        call MPI_Comm_size(all, length, error)
        call equal(length, size, 'all of the group are in the communicator')
        call MPI_Barrier(all, error)
        call MPI_Comm_disconnect(all, error)
        call MPI_Group_free(some, error)
        call MPI_Session_get_pset_info(mine, 'none', keys, error)
        call equal(error, MPI_ERR_ARG, 'a set that is none')
        call expect(times == 1 .and. last_code == MPI_ERR_ARG, 'what the handler heard')
        call expect(last_session == mine, 'of which session')
        call MPI_Session_call_errhandler(mine, MPI_ERR_SIZE, error)
        call expect(times == 2 .and. last_code == MPI_ERR_SIZE, 'what it was told by me')
        call MPI_Session_set_errhandler(mine, MPI_ERRORS_RETURN, error)
        call MPI_Session_get_errhandler(mine, now, error)
        call expect(now == MPI_ERRORS_RETURN, 'another handler')
        call session_buffer(mine)
        call two_groups(mine)
        call MPI_Session_get_info(mine, keys, error)
        call expect(keys /= MPI_INFO_NULL, 'a session has infos')
        call MPI_Info_free(keys, error)
        call MPI_Errhandler_free(handler, error)
        call MPI_Session_finalize(mine, error)
        call expect(mine == MPI_SESSION_NULL, 'a session that was finalised')
    end subroutine sessions

    subroutine session_buffer(mine)
        use, intrinsic :: iso_c_binding, only: c_ptr
        SESSION, intent(in) :: mine
        integer, parameter :: bytes = 4 + MPI_BSEND_OVERHEAD
        character, asynchronous :: room(bytes)
        REQUEST :: operation
        GROUP :: everyone
        COMM :: all
        ! An address, or a pointer: as wide.
        ADDRESS :: at
        integer :: got, size
        call MPI_Group_from_session_pset(mine, 'mpi://WORLD', everyone, error)
        call MPI_Comm_create_from_group(everyone, 'b', MPI_INFO_NULL, MPI_ERRORS_RETURN, all, error)
        call MPI_Group_free(everyone, error)
        call MPI_Session_attach_buffer(mine, room, bytes, error)
        call MPI_Bsend(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 0, all, error)
        call MPI_Session_iflush_buffer(mine, operation, error)
        call MPI_Recv(got, 1, MPI_INTEGER, modulo(rank - 1, ranks), 0, all, MPI_STATUS_IGNORE, &
            error)
        call MPI_Wait(operation, MPI_STATUS_IGNORE, error)
        call equal(got, modulo(rank - 1, ranks), 'what was in the session''s buffer')
        call MPI_Session_flush_buffer(mine, error)
        call MPI_Session_detach_buffer(mine, at, size, error)
        call equal(size, bytes, 'the size of the session''s buffer')
        call MPI_Comm_free(all, error)
    end subroutine session_buffer

    ! The first on one side, the others on the other.
    subroutine two_groups(mine)
        SESSION, intent(in) :: mine
        GROUP :: everyone, first, others
        COMM :: between
        integer :: size
        if (ranks == 1) return
        call MPI_Group_from_session_pset(mine, 'mpi://WORLD', everyone, error)
        call MPI_Group_incl(everyone, 1, [0], first, error)
        call MPI_Group_excl(everyone, 1, [0], others, error)
        if (rank == 0) then
            call MPI_Intercomm_create_from_groups(first, 0, others, 0, 'two', MPI_INFO_NULL, &
                MPI_ERRORS_RETURN, between, error)
        else
            call MPI_Intercomm_create_from_groups(others, 0, first, 0, 'two', MPI_INFO_NULL, &
                MPI_ERRORS_RETURN, between, error)
        end if
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Intercomm_create_from_groups')
        call MPI_Comm_remote_size(between, size, error)
        call equal(size, merge(ranks - 1, 1, rank == 0), 'how many are on the other side')
        call MPI_Comm_free(between, error)
        call MPI_Group_free(first, error)
        call MPI_Group_free(others, error)
        call MPI_Group_free(everyone, error)
    end subroutine two_groups

    ! Every resource says whether the process is bound to it.
    subroutine hardware()
        INFO :: resources
        integer :: keys, i, length
        character(MPI_MAX_INFO_KEY) :: key
        character(5) :: value
        logical :: flag
        call MPI_Get_hw_resource_info(resources, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Get_hw_resource_info')
        call MPI_Info_get_nkeys(resources, keys, error)
        call expect(keys > 0, 'resources of the hardware')
        do i = 0, keys - 1
            call MPI_Info_get_nthkey(resources, i, key, error)
            length = len(value)
            call MPI_Info_get_string(resources, key, length, value, flag, error)
            call expect(flag .and. (value == 'true' .or. value == 'false'), trim(key))
        end do
        call MPI_Info_free(resources, error)
    end subroutine hardware

    subroutine abi()
        INFO :: keys
        integer :: major, minor, length
        logical :: yes, no, flag
        character(8) :: value
        call MPI_Abi_get_version(major, minor, error)
        call equal(major, MPI_ABI_VERSION, 'the version of the ABI')
        call equal(minor, MPI_ABI_SUBVERSION, 'its subversion')
        call MPI_Abi_get_info(keys, error)
        length = len(value)
        call MPI_Info_get_string(keys, 'mpi_aint_size', length, value, flag, error)
        call expect(flag .and. value == '8', 'the size of an address')
        call MPI_Info_free(keys, error)
        call MPI_Abi_get_fortran_info(keys, error)
        length = len(value)
        call MPI_Info_get_string(keys, 'mpi_logical_size', length, value, flag, error)
        call expect(flag .and. value == '4', 'the size of a LOGICAL')
        call MPI_Abi_set_fortran_info(keys, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Abi_set_fortran_info')
        call MPI_Info_set(keys, 'mpi_logical_size', '2', error)
        call MPI_Abi_set_fortran_info(keys, error)
        call equal(error, MPI_ERR_ABI, 'another size of a LOGICAL')
        call MPI_Info_free(keys, error)
        yes = .false.
        no = .true.
        call MPI_Abi_get_fortran_booleans(storage_size(yes) / 8, yes, no, flag, error)
        call expect(yes .and. .not. no .and. flag, 'what is true')
        call MPI_Abi_set_fortran_booleans(storage_size(yes) / 8, yes, no, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Abi_set_fortran_booleans')
        call MPI_Abi_set_fortran_booleans(storage_size(yes) / 8, no, yes, error)
        call equal(error, MPI_ERR_ABI, 'what is true cannot be false')
    end subroutine abi

end program further
