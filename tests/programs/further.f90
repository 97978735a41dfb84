! What else the environment has: removed error classes, error handlers of files, windows and
! sessions, resources of the hardware, what the ABI tells of Fortran.

module heard_of_files
    implicit none
    integer :: times = 0, last_code = 0, last_file = -1, last_session = -1
end module heard_of_files

subroutine listen_to_files(file, code)
    use heard_of_files
    implicit none
    integer :: file, code
    times = times + 1
    last_file = file
    last_code = code
end subroutine listen_to_files

subroutine listen_to_windows(win, code)
    implicit none
    integer :: win, code
    print *, 'there is no window', win, code
    error stop 1
end subroutine listen_to_windows

subroutine listen_to_sessions(session, code)
    use heard_of_files
    implicit none
    integer :: session, code
    times = times + 1
    last_session = session
    last_code = code
end subroutine listen_to_sessions

program further
    use checks
    use heard_of_files
    implicit none
    integer :: error
    external :: listen_to_files, listen_to_windows, listen_to_sessions

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
        integer :: handler, seen
        call MPI_File_get_errhandler(MPI_FILE_NULL, seen, error)
        call equal(seen, MPI_ERRORS_RETURN, 'errors of files return')
        call MPI_File_create_errhandler(listen_to_files, handler, error)
        call MPI_File_set_errhandler(MPI_FILE_NULL, handler, error)
        call MPI_File_get_errhandler(MPI_FILE_NULL, seen, error)
        call equal(seen, handler, 'the handler that was set')
        call MPI_Errhandler_free(seen, error)
        call MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_File_call_errhandler')
        call expect(times == 1 .and. last_code == MPI_ERR_IO, 'what the handler heard')
        call equal(last_file, MPI_FILE_NULL, 'of which file')
        call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN, error)
        call MPI_Errhandler_free(handler, error)
        call equal(handler, MPI_ERRHANDLER_NULL, 'a handler that was freed')
    end subroutine files

    subroutine windows()
        integer :: handler, seen
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
        integer :: handler, session, info, count, length, seen, group, comm, size
        character(MPI_MAX_PSET_NAME_LEN) :: name
        times = 0
        call MPI_Session_create_errhandler(listen_to_sessions, handler, error)
        call MPI_Session_init(MPI_INFO_NULL, handler, session, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Session_init')
        call MPI_Session_get_num_psets(session, MPI_INFO_NULL, count, error)
        call expect(count >= 2, 'how many process sets there are')
        length = 0
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, name, error)
        seen = length
        length = len(name)
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, name, error)
        call equal(len_trim(name), seen, 'the length of a name')
        call MPI_Group_from_session_pset(session, name, group, error)
        call MPI_Comm_create_from_group(group, 'some', MPI_INFO_NULL, MPI_ERRORS_RETURN, comm, &
            error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Comm_create_from_group')
        call MPI_Group_size(group, size, error)
        call MPI_Comm_size(comm, length, error)
        call equal(length, size, 'all of the group are in the communicator')
        call MPI_Barrier(comm, error)
        call MPI_Comm_disconnect(comm, error)
        call MPI_Group_free(group, error)
        call MPI_Session_get_pset_info(session, 'none', info, error)
        call equal(error, MPI_ERR_ARG, 'a set that is none')
        call expect(times == 1 .and. last_code == MPI_ERR_ARG, 'what the handler heard')
        call equal(last_session, session, 'of which session')
        call MPI_Session_call_errhandler(session, MPI_ERR_SIZE, error)
        call expect(times == 2 .and. last_code == MPI_ERR_SIZE, 'what it was told by me')
        call MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN, error)
        call MPI_Session_get_errhandler(session, seen, error)
        call equal(seen, MPI_ERRORS_RETURN, 'another handler')
        call MPI_Session_get_info(session, info, error)
        call expect(info /= MPI_INFO_NULL, 'a session has infos')
        call MPI_Info_free(info, error)
        call MPI_Errhandler_free(handler, error)
        call MPI_Session_finalize(session, error)
        call equal(session, MPI_SESSION_NULL, 'a session that was finalised')
    end subroutine sessions

    ! Every resource says whether the process is bound to it.
    subroutine hardware()
        integer :: info, keys, i, length
        character(MPI_MAX_INFO_KEY) :: key
        character(5) :: value
        logical :: flag
        call MPI_Get_hw_resource_info(info, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Get_hw_resource_info')
        call MPI_Info_get_nkeys(info, keys, error)
        call expect(keys > 0, 'resources of the hardware')
        do i = 0, keys - 1
            call MPI_Info_get_nthkey(info, i, key, error)
            length = len(value)
            call MPI_Info_get_string(info, key, length, value, flag, error)
            call expect(flag .and. (value == 'true' .or. value == 'false'), trim(key))
        end do
        call MPI_Info_free(info, error)
    end subroutine hardware

    subroutine abi()
        integer :: major, minor, info, length
        logical :: yes, no, flag
        character(8) :: value
        call MPI_Abi_get_version(major, minor, error)
        call equal(major, MPI_ABI_VERSION, 'the version of the ABI')
        call equal(minor, MPI_ABI_SUBVERSION, 'its subversion')
        call MPI_Abi_get_info(info, error)
        length = len(value)
        call MPI_Info_get_string(info, 'mpi_aint_size', length, value, flag, error)
        call expect(flag .and. value == '8', 'the size of an address')
        call MPI_Info_free(info, error)
        call MPI_Abi_get_fortran_info(info, error)
        length = len(value)
        call MPI_Info_get_string(info, 'mpi_logical_size', length, value, flag, error)
        call expect(flag .and. value == '4', 'the size of a LOGICAL')
        call MPI_Abi_set_fortran_info(info, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Abi_set_fortran_info')
        call MPI_Info_set(info, 'mpi_logical_size', '2', error)
        call MPI_Abi_set_fortran_info(info, error)
        call equal(error, MPI_ERR_ABI, 'another size of a LOGICAL')
        call MPI_Info_free(info, error)
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
