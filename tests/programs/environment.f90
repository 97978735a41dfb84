! The environment: versions, names, clocks, errors and their handlers, memory, infos.

module heard
    implicit none
    integer :: times = 0, last_code = 0, last_comm = 0
end module heard

! An error handler of Fortran's: it has no further arguments.
subroutine listen(comm, code)
    use heard
    implicit none
    integer :: comm, code
    times = times + 1
    last_comm = comm
    last_code = code
end subroutine listen

program environment
    use checks
    use heard
    implicit none
    integer :: error
    logical :: flag
    external :: listen

    call MPI_Initialized(flag, error)
    call expect(.not. flag, 'MPI_Initialized is .false. before MPI_Init')
    call MPI_Finalized(flag, error)
    call expect(.not. flag, 'MPI_Finalized is .false. before MPI_Finalize')
    call threads()
    call MPI_Initialized(flag, error)
    call expect(flag, 'MPI_Initialized is .true.')
    call names()
    call clocks()
    call codes()
    call handlers()
    call memory()
    call infos()
    call MPI_Finalize(error)
    call MPI_Finalized(flag, error)
    call expect(flag, 'MPI_Finalized is .true. after MPI_Finalize')
    print '(a)', 'all is well'

contains

    subroutine threads()
        integer :: provided, again
        call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Init_thread')
        call equal(provided, MPI_THREAD_MULTIPLE, 'the thread level')
        call MPI_Query_thread(again, error)
        call equal(again, provided, 'what MPI_Query_thread says')
        call MPI_Is_thread_main(flag, error)
        call expect(flag, 'this is the main thread')
        call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
        call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    end subroutine threads

    subroutine names()
        character(MPI_MAX_PROCESSOR_NAME) :: processor
        character(MPI_MAX_LIBRARY_VERSION_STRING) :: library
        character(MPI_MAX_OBJECT_NAME) :: object
        character(4) :: short
        integer :: version, subversion, length
        call MPI_Get_version(version, subversion, error)
        call expect(version == MPI_VERSION .and. subversion == MPI_SUBVERSION, 'the version')
        processor = repeat('#', len(processor))
        call MPI_Get_processor_name(processor, length, error)
        call expect(length > 0 .and. length == len_trim(processor), 'blanks after the processor')
        call expect(index(processor, '#') == 0, 'the rest of a text is blank')
        library = repeat('#', len(library))
        call MPI_Get_library_version(library, length, error)
        call equal(len_trim(library), length, 'the length of the library''s version')
        call expect(index(library, 'ftmpi') > 0, 'the library has a name')

        call MPI_Comm_get_name(MPI_COMM_WORLD, object, length, error)
        call expect(object == 'MPI_COMM_WORLD' .and. length == 14, 'the name of MPI_COMM_WORLD')
        object = 'a name of my own     '
        call MPI_Comm_set_name(MPI_COMM_SELF, object, error)
        object = '?'
        call MPI_Comm_get_name(MPI_COMM_SELF, object, length, error)
        call equal(length, 16, 'the length without the blanks')
        call expect(object == 'a name of my own', 'the name that was set')
        call MPI_Comm_get_name(MPI_COMM_SELF, short, length, error)
        call expect(short == 'a na', 'a text too short gets what fits')
        call MPI_Type_get_name(MPI_DOUBLE_PRECISION, object, length, error)
        call expect(object == 'MPI_DOUBLE_PRECISION', 'the name of a datatype')
        call MPI_Comm_get_name(MPI_COMM_NULL, object, length, error)
        call expect(object == 'MPI_COMM_NULL' .and. length == 13, 'the name of MPI_COMM_NULL')
        call MPI_Type_get_name(MPI_DATATYPE_NULL, object, length, error)
        call expect(object == 'MPI_DATATYPE_NULL', 'the name of MPI_DATATYPE_NULL')
        call MPI_Win_get_name(MPI_WIN_NULL, object, length, error)
        call expect(object == 'MPI_WIN_NULL' .and. length == 12, 'the name of MPI_WIN_NULL')
    end subroutine names

    subroutine clocks()
        double precision :: begin
        begin = MPI_Wtime()
        call expect(MPI_Wtick() > 0 .and. MPI_Wtick() < 1d-3, 'the resolution of the clock')
        do while (MPI_Wtime() - begin < 2d-3)
            call expect(MPI_Wtime() - begin >= 0, 'the clock does not go back')
        end do
        call expect(PMPI_Wtime() >= begin + 2d-3, 'PMPI_Wtime is the same clock')
    end subroutine clocks

    subroutine codes()
        character(MPI_MAX_ERROR_STRING) :: words
        integer :: class, code, length
        words = repeat('#', len(words))
        call MPI_Error_string(MPI_ERR_TRUNCATE, words, length, error)
        call expect(length > 0 .and. length == len_trim(words), 'the words of an error')
        call expect(index(words, 'MPI_ERR_TRUNCATE') > 0, 'the words name the class')
        call MPI_Error_class(MPI_ERR_TAG, class, error)
        call equal(class, MPI_ERR_TAG, 'the class of a class')
        call MPI_Add_error_class(class, error)
        call MPI_Add_error_code(class, code, error)
        call MPI_Add_error_string(code, 'the coffee is cold   ', error)
        call MPI_Error_string(code, words, length, error)
        call expect(words == 'the coffee is cold' .and. length == 18, 'words of our own')
        call MPI_Error_class(code, length, error)
        call equal(length, class, 'the class of a code of our own')
    end subroutine codes

    subroutine handlers()
        integer :: handler, now, value, code
        value = 1
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
        call MPI_Send(value, 1, MPI_INTEGER, ranks, 0, MPI_COMM_WORLD, error)
        call MPI_Error_class(error, code, now)
        call equal(code, MPI_ERR_RANK, 'the class for a rank that is none')
        call MPI_Send(value, -1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
        call equal(error, MPI_ERR_COUNT, 'ierror for a negative count')
        call MPI_Send(value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, error)
        call equal(error, MPI_ERR_TYPE, 'ierror for no datatype')
        call MPI_Send(value, 1, MPI_INTEGER, 0, -1, MPI_COMM_WORLD, error)
        call equal(error, MPI_ERR_TAG, 'ierror for a negative tag')

        call MPI_Comm_create_errhandler(listen, handler, error)
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, error)
        call MPI_Comm_get_errhandler(MPI_COMM_WORLD, now, error)
        call expect(now == handler, 'the handler that was set')
        call MPI_Errhandler_free(now, error)
        call equal(now, MPI_ERRHANDLER_NULL, 'a freed handler')
        call MPI_Send(value, 1, MPI_INTEGER, ranks, 0, MPI_COMM_WORLD, error)
        call equal(times, 1, 'how often the handler heard')
        call equal(last_comm, MPI_COMM_WORLD, 'what it heard of')
        call equal(last_code, error, 'the code that it heard')
        call MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER, error)
        call equal(times, 2, 'how often the handler heard')
        call equal(last_code, MPI_ERR_OTHER, 'the code that it heard')
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Comm_call_errhandler')
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, error)
        call MPI_Errhandler_free(handler, error)
    end subroutine handlers

    subroutine memory()
        use, intrinsic :: iso_c_binding
        integer(MPI_ADDRESS_KIND) :: base, first, second
        integer, pointer :: numbers(:)
        integer :: pair(2)
        type(c_ptr) :: place
        call MPI_Alloc_mem(4000_MPI_ADDRESS_KIND, MPI_INFO_NULL, base, error)
        call expect(base > 4096, 'memory has an address')
        place = transfer(base, place)
        call c_f_pointer(place, numbers, [1000])
        numbers = 7
        call equal(sum(numbers), 7000, 'what is in memory from MPI_Alloc_mem')
        call MPI_Free_mem(numbers, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Free_mem')
        call MPI_Get_address(pair(1), first, error)
        call MPI_Get_address(pair(2), second, error)
        call expect(MPI_Aint_diff(second, first) == 4, 'MPI_Aint_diff')
        call expect(MPI_Aint_add(first, 4_MPI_ADDRESS_KIND) == second, 'MPI_Aint_add')
        call expect(PMPI_Aint_add(first, 4_MPI_ADDRESS_KIND) == second, 'PMPI_Aint_add')
    end subroutine memory

    subroutine infos()
        character(MPI_MAX_INFO_KEY) :: key
        character(30) :: value
        character(3) :: short
        integer :: info, copy, count, length
        call MPI_Info_create(info, error)
        call MPI_Info_set(info, '  first   ', '  one two ', error)
        call MPI_Info_set(info, 'second', 'another value', error)
        call MPI_Info_get_nkeys(info, count, error)
        call equal(count, 2, 'the number of keys')
        call MPI_Info_get_nthkey(info, 0, key, error)
        call expect(key == 'first', 'a key without its blanks')
        length = len(value)
        call MPI_Info_get_string(info, 'first', length, value, flag, error)
        call expect(flag .and. value == 'one two', 'a value without its blanks')
        call equal(length, 7, 'its length')
        length = len(short)
        call MPI_Info_get_string(info, 'second ', length, short, flag, error)
        call expect(flag .and. short == 'ano', 'as much of a value as fits')
        call equal(length, 13, 'the length it needs')
        call MPI_Info_get(info, 'second', 30, value, flag, error)
        call expect(flag .and. value == 'another value', 'the deprecated call')
        call MPI_Info_get_valuelen(info, 'second', length, flag, error)
        call expect(flag .and. length == 13, 'the deprecated length')
        call MPI_Info_dup(info, copy, error)
        call MPI_Info_delete(info, 'second', error)
        length = len(value)
        value = 'unchanged'
        call MPI_Info_get_string(info, 'second', length, value, flag, error)
        call expect(.not. flag .and. value == 'unchanged', 'a key that was deleted')
        call MPI_Info_get_nkeys(copy, count, error)
        call equal(count, 2, 'the keys of the copy')
        call MPI_Info_free(info, error)
        call MPI_Info_free(copy, error)
        call equal(copy, MPI_INFO_NULL, 'a freed info')
        call MPI_Info_create_env(info, error)
        call equal(error, MPI_SUCCESS, 'ierror of MPI_Info_create_env')
        call MPI_Info_free(info, error)
    end subroutine infos

end program environment
