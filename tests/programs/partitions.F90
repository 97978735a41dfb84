! Partitioned messages: partitions that become ready one by one, in a row and by a list, and arrive
! one by one; sections of arrays; wrong uses. Tests say what handles are.

program partitions
    use CHECKS
    implicit none
    COMM, parameter :: world = MPI_COMM_WORLD
    integer :: error, before, after

    call start()
    before = modulo(rank - 1, ranks)
    after = modulo(rank + 1, ranks)
    call rounds()
    call nobody()
#ifdef SECTIONS
    call columns()
#endif
    call finish()

contains

    subroutine rounds()
        REQUEST :: requests(2)
        STATUS :: told
        integer, asynchronous :: given(12), taken(12)
        integer :: round, part, some
        logical :: flag
        integer(MPI_COUNT_KIND) :: count
        count = 3
        call MPI_Psend_init(given, 4, count, MPI_INTEGER, after, 5, world, MPI_INFO_NULL, &
            requests(1), error)
        call equal(error, MPI_SUCCESS, 'the code of MPI_Psend_init')
        count = 6
        call MPI_Precv_init(taken, 2, count, MPI_INTEGER, before, 5, world, MPI_INFO_NULL, &
            requests(2), error)
        call equal(error, MPI_SUCCESS, 'the code of MPI_Precv_init')
        do round = 1, 4
            taken = -1
            call MPI_Startall(2, requests, error)
            given = [(100 * round + 1000 * rank + part, part = 1, 12)]
            select case (modulo(round, 3))
            case (0)
                call MPI_Pready_range(0, 3, requests(1), error)
            case (1)
                call MPI_Pready_list(4, [2, 0, 3, 1], requests(1), error)
            case default
                do part = 3, 0, -1
                    call MPI_Pready(part, requests(1), error)
                end do
            end select
            call equal(error, MPI_SUCCESS, 'the code of marking partitions')
            flag = .false.
            do while (.not. flag)
                call MPI_Parrived(requests(2), 1, flag, error)
            end do
            call expect(all(taken(7:) == [(100 * round + 1000 * before + part, part = 7, 12)]), &
                'the second half of what came')
            call MPI_Wait(requests(2), told, error)
            call expect(all(taken == [(100 * round + 1000 * before + part, part = 1, 12)]), &
                'what came')
            call MPI_Get_count(told, MPI_INTEGER, some, error)
            call equal(some, 12, 'how many came')
            call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
        end do
        call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, error)
        call MPI_Pready(0, requests(1), error)
        call equal(error, MPI_ERR_REQUEST, 'the code of marking what is not active')
        call MPI_Start(requests(1), error)
        call MPI_Pready(4, requests(1), error)
        call equal(error, MPI_ERR_ARG, 'the code of marking what is not there')
        call MPI_Pready_range(0, 3, requests(1), error)
        call MPI_Start(requests(2), error)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
        call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
        call MPI_Parrived(requests(2), 0, flag, error)
        call expect(flag, 'what is not active has arrived')
        call MPI_Request_free(requests(1), error)
        call MPI_Request_free(requests(2), error)
        call expect(requests(1) == MPI_REQUEST_NULL, 'a freed request')
    end subroutine rounds

    subroutine nobody()
        REQUEST :: told
        integer, asynchronous :: word(1)
        integer(MPI_COUNT_KIND) :: count
        word = 7
        count = 1
        call MPI_Precv_init(word, 1, count, MPI_INTEGER, MPI_PROC_NULL, 5, world, MPI_INFO_NULL, &
            told, error)
        call MPI_Start(told, error)
        call MPI_Wait(told, MPI_STATUS_IGNORE, error)
        call equal(word(1), 7, 'what came from nobody')
        call MPI_Request_free(told, error)
    end subroutine nobody

#ifdef SECTIONS
    ! Every second element goes out, and what has come may be looked at partition by partition.
    subroutine columns()
        REQUEST :: requests(2)
        integer, asynchronous :: given(8), taken(12)
        integer :: part, round
        logical :: flag
        integer(MPI_COUNT_KIND) :: count
        count = 1
        call MPI_Psend_init(given(1::2), 4, count, MPI_INTEGER, after, 6, world, MPI_INFO_NULL, &
            requests(1), error)
        call MPI_Precv_init(taken(::3), 4, count, MPI_INTEGER, before, 6, world, MPI_INFO_NULL, &
            requests(2), error)
        do round = 1, 2
            taken = -1
            call MPI_Startall(2, requests, error)
            do part = 0, 3
                given(2 * part + 1) = 100 * round + 10 * rank + part
                call MPI_Pready(part, requests(1), error)
                flag = .false.
                do while (.not. flag)
                    call MPI_Parrived(requests(2), part, flag, error)
                end do
                call equal(taken(3 * part + 1), 100 * round + 10 * before + part, 'one of them')
            end do
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
            call expect(all(taken(1::3) == [(100 * round + 10 * before + part, part = 0, 3)]), &
                'every third')
            call expect(all(taken(2::3) == -1 .and. taken(3::3) == -1), 'what lies between')
        end do
        call MPI_Request_free(requests(1), error)
        call MPI_Request_free(requests(2), error)
    end subroutine columns
#endif

end program partitions
