! A master and workers, any of whom may die, in all modes of FT-MPI: c_examples/master_worker.c in
! Fortran, with the same command line and the same last line. It says how it works.
!
!     ftrun -np 7 --mode blank --msg cont ./master_worker --kill 3@20 --kill 0@50
!     ftrun -np 7 --mode shrink ./master_worker --tasks 1000 --work 5 --kill 0+3@500
!     ftrun -np 7 --mode rebuild --mttf 100ms ./master_worker --tasks 1000 --work 5
program master_worker
  use mpi
  implicit none
  integer, parameter :: dp = kind(1d0), steps = 1000, report = 0, order = 1
  ! What a worker has in hand, if it is no task.
  integer, parameter :: idle = -1, unheard = -2, gone = -3
  integer :: tasks = 100, kills = 0, moment(64)
  character(64) :: victims(64)
  real(dp) :: work_ms = 0
  integer :: rank, ranks, master, meetings = 0, known = 0, next_task, error
  logical :: is_restarted, is_over
  ! Results in the order in which this rank has heard of them, each a task and its value.
  real(dp), allocatable :: results(:, :), message(:)
  logical, allocatable :: is_known(:), is_given(:)
  ! Of each rank: how many results it has been told of, and what it has in hand.
  integer, allocatable :: told(:), has(:)
  interface
    integer(c_int) function ftmpi_rank_in_job() bind(c)
      use iso_c_binding, only: c_int
    end function
    subroutine ftmpi_kill(rank) bind(c)
      use iso_c_binding, only: c_int
      integer(c_int), value :: rank
    end subroutine
  end interface

  call MPI_INIT(error)
  is_restarted = error == MPI_INIT_RESTARTED_PROCS
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  call read_options()
  call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
  call MPI_COMM_SET_ATTR(MPI_COMM_WORLD, FTMPI_COLL_MODE, &
                         int(FTMPI_COLL_MODE_ATOMIC, MPI_ADDRESS_KIND), error)
  allocate (results(2, tasks), message(1 + 2 * tasks), is_known(tasks), is_given(tasks))
  allocate (told(0:ranks - 1), has(0:ranks - 1))
  is_known = .false.
  do
    call meet(error)
    if (error == MPI_SUCCESS .and. is_over) exit
    if (error == MPI_SUCCESS .and. rank == master) then
      call lead(error)
    else if (error == MPI_SUCCESS) then
      call serve(error)
    end if
    if (error /= MPI_SUCCESS .and. error /= MPI_ERR_OTHER) call MPI_ABORT(MPI_COMM_WORLD, 3, error)
    call recover()
  end do
  call MPI_FINALIZE(error)

contains

  subroutine note(task, value)
    integer, intent(in) :: task
    real(dp), intent(in) :: value
    if (is_known(task)) return
    is_known(task) = .true.
    known = known + 1
    results(:, known) = [real(task, dp), value]
  end subroutine

  ! Tells `whom` all results that it has not been told of, and what to do.
  subroutine tell(whom, what, task, error)
    integer, intent(in) :: whom, what, task
    integer, intent(out) :: error
    integer :: numbers
    numbers = 1 + 2 * (known - told(whom))
    message(1) = task
    message(2:numbers) = reshape(results(:, told(whom) + 1:known), [numbers - 1])
    told(whom) = known
    ! A message from before a recovery has another tag than those after it.
    call MPI_SEND(message, numbers, MPI_DOUBLE_PRECISION, whom, 2 * meetings + what, &
                  MPI_COMM_WORLD, error)
  end subroutine

  subroutine hear(whom, what, task, source, error)
    integer, intent(in) :: whom, what
    integer, intent(out) :: task, source, error
    integer :: status(MPI_STATUS_SIZE), numbers, at, ignored
    status(MPI_SOURCE) = MPI_PROC_NULL
    task = idle
    call MPI_RECV(message, size(message), MPI_DOUBLE_PRECISION, whom, 2 * meetings + what, &
                  MPI_COMM_WORLD, status, error)
    source = status(MPI_SOURCE)
    if (error /= MPI_SUCCESS) return
    call MPI_GET_COUNT(status, MPI_DOUBLE_PRECISION, numbers, ignored)
    task = int(message(1))
    do at = 2, numbers, 2
      call note(int(message(at)), message(at + 1))
    end do
  end subroutine

  ! A piece of the integral that is pi.
  real(dp) function value_of(task)
    integer, intent(in) :: task
    integer :: step
    real(dp) :: x, start
    start = MPI_WTIME()
    value_of = 0
    do step = 0, steps - 1
      x = (real(task - 1, dp) * steps + step + 0.5d0) / (real(tasks, dp) * steps)
      value_of = value_of + 4 / (1 + x * x) / (real(tasks, dp) * steps)
    end do
    do while ((MPI_WTIME() - start) * 1000 < work_ms)
    end do
  end function

  ! Kills whom the orders name, this rank last of all.
  subroutine meet_orders()
    integer :: k, at, many, victim(64)
    character(64) :: list
    do k = 1, kills
      list = victims(k)
      many = 1
      do at = 1, len_trim(list)
        if (list(at:at) /= '+') cycle
        list(at:at) = ','
        many = many + 1
      end do
      read (list, *) victim(:many)
      if (is_restarted .or. known < moment(k) .or. victim(1) /= ftmpi_rank_in_job()) cycle
      do at = many, 1, -1
        call ftmpi_kill(victim(at))
      end do
    end do
  end subroutine

  ! The part of a worker: reports, is given a task, does it, until there are no more.
  subroutine serve(error)
    integer, intent(out) :: error
    integer :: task, source
    do
      call tell(master, report, idle, error)
      if (error /= MPI_SUCCESS) return
      call hear(master, order, task, source, error)
      if (error /= MPI_SUCCESS) return
      told(master) = known
      call meet_orders()
      if (task == idle) return
      call note(task, value_of(task))
    end do
  end subroutine

  integer function take_task()
    do while (next_task <= tasks)
      if (.not. (is_known(next_task) .or. is_given(next_task))) exit
      next_task = next_task + 1
    end do
    take_task = idle
    if (next_task > tasks) return
    is_given(next_task) = .true.
    take_task = next_task
  end function

  subroutine give_tasks()
    integer :: worker, ignored
    do worker = 0, ranks - 1
      if (has(worker) /= idle) cycle
      has(worker) = take_task()
      if (has(worker) == idle) return
      ! Should the worker be dead by now, the next receive says so.
      call tell(worker, order, has(worker), ignored)
    end do
  end subroutine

  integer function failures()
    integer(MPI_ADDRESS_KIND) :: many
    integer :: ignored
    logical :: is_there
    call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, FT_MPI_LIST_NUM_FAILED, many, is_there, ignored)
    failures = int(many)
  end function

  ! A line on a terminal that the next one overwrites. The cursor waits at its beginning.
  subroutine show_progress()
    real(dp), save :: shown = -1
    if (MPI_WTIME() - shown < 0.2d0 .or. .not. isatty(0)) return
    shown = MPI_WTIME()
    write (0, '(2A,3(I0,A))', advance='no') achar(27), '[K', known, ' of ', tasks, &
      ' tasks done, ', failures(), ' failures survived' // achar(13)
    flush (0)
  end subroutine

  ! Before anything else is printed.
  subroutine end_progress()
    if (.not. isatty(0)) return
    write (0, '(2A)', advance='no') achar(27), '[K'
    flush (0)
  end subroutine

  ! A receive has failed. If that is the death of a worker nobody needs, its task is free again.
  logical function bury(error, worker)
    integer, intent(in) :: error, worker
    integer(MPI_ADDRESS_KIND) :: mode
    integer :: ignored
    logical :: is_there
    call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, FTMPI_COMM_MODE, mode, is_there, ignored)
    bury = error == MPI_ERR_OTHER .and. is_there .and. worker >= 0 .and. worker < ranks
    if (bury) bury = mode == FTMPI_COMM_MODE_BLANK .and. has(worker) /= gone
    if (.not. bury) return
    call end_progress()
    print '(A,I0,A)', 'rank ', worker, ' is dead, the others continue'
    if (has(worker) > 0) is_given(has(worker)) = .false.
    next_task = 1
  end function

  subroutine print_sum()
    real(dp) :: value(tasks), pi
    integer :: at
    value(int(results(1, :known))) = results(2, :known)
    pi = 0
    do at = 1, tasks
      pi = pi + value(at)
    end do
    call end_progress()
    print '(I0,A)', failures(), ' failures survived'
    print '(I0,A,F15.13)', known, ' tasks done: pi is about ', pi
    flush (6)
  end subroutine

  ! The part of the master, among those whom it has met: `has` says who that is.
  subroutine lead(error)
    integer, intent(out) :: error
    integer :: workers, silent, task, who, ignored
    workers = count(has(:ranks - 1) == unheard)
    silent = workers
    next_task = 1
    is_given = .false.
    do while (silent > 0 .or. known < tasks)
      call meet_orders()
      if (workers == 0) then
        task = take_task()
        call note(task, value_of(task))
        cycle
      end if
      call hear(MPI_ANY_SOURCE, report, task, who, error)
      if (error /= MPI_SUCCESS) then
        if (.not. bury(error, who)) return
        workers = workers - 1
      end if
      if (has(who) == unheard) then
        silent = silent - 1
        if (silent == 0 .and. meetings > 1) then
          call end_progress()
          print '(3(A,I0),A)', 'rank ', rank, ' leads: ', known, ' of ', tasks, ' results are known'
        end if
      end if
      has(who) = merge(idle, gone, error == MPI_SUCCESS)
      flush (6)
      if (silent == 0) call give_tasks()
      call show_progress()
    end do
    call print_sum()
    ! If one does not hear of it, not all know all results when they meet.
    do who = 0, ranks - 1
      if (has(who) /= gone) call tell(who, order, idle, ignored)
    end do
    error = MPI_SUCCESS
  end subroutine

  ! Who is there, and how much do they know? With ATOMIC all get the answer, or nobody does.
  subroutine meet(error)
    integer, intent(out) :: error
    integer :: other, ignored
    integer, allocatable :: all(:, :)
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ignored)
    call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ignored)
    ! What belongs to a gap is left as it is.
    allocate (all(2, 0:ranks - 1), source=gone)
    call MPI_ALLGATHER([known, meetings], 2, MPI_INTEGER, all, 2, MPI_INTEGER, MPI_COMM_WORLD, &
                       error)
    if (error /= MPI_SUCCESS) return
    master = ranks
    is_over = .true.
    do other = ranks - 1, 0, -1
      told(other) = 0
      has(other) = merge(gone, unheard, all(1, other) == gone .or. other == rank)
      if (all(1, other) == gone) cycle
      master = other
      is_over = is_over .and. all(1, other) == tasks
      meetings = max(meetings, all(2, other))
    end do
    meetings = meetings + 1
  end subroutine

  ! With nobody dead, this is only a check.
  subroutine recover()
    integer :: repaired, error
    do
      repaired = FT_MPI_CHECK_RECOVER
      call MPI_COMM_DUP(MPI_COMM_WORLD, repaired, error)
      if (error /= MPI_ERR_OTHER) exit
    end do
    if (error /= MPI_SUCCESS) call MPI_ABORT(MPI_COMM_WORLD, 3, error)
    call MPI_COMM_FREE(repaired, error)
  end subroutine

  subroutine read_options()
    character(64) :: word, value
    integer :: at, split, status
    do at = 1, command_argument_count(), 2
      call get_command_argument(at, word)
      call get_command_argument(at + 1, value)
      status = 1
      select case (word)
      case ('--help')
        if (rank == 0) call usage(6)
        call MPI_FINALIZE(status)
        stop
      case ('--tasks'); read (value, *, iostat=status) tasks
      case ('--work'); read (value, *, iostat=status) work_ms
      case ('--kill')
        split = index(value, '@')
        if (split > 1 .and. verify(value(:max(split - 1, 1)), '0123456789+') == 0 .and. &
            kills < size(moment)) then
          kills = kills + 1
          victims(kills) = value(:split - 1)
          read (value(split + 1:), *, iostat=status) moment(kills)
        end if
      end select
      if (status == 0 .and. tasks > 0 .and. work_ms >= 0) cycle
      if (rank == 0) write (0, '(5A)') "master_worker: '", trim(word), ' ', trim(value), &
        "' is not understood"
      if (rank == 0) call usage(0)
      if (rank /= 0) call MPI_BARRIER(MPI_COMM_WORLD, status)
      call MPI_ABORT(MPI_COMM_WORLD, 2, status)
    end do
  end subroutine

  subroutine usage(unit)
    integer, intent(in) :: unit
    write (unit, '(A)') &
      'usage: master_worker [--tasks N] [--work MS] [--kill RANK[+RANK...]@RESULTS]...', &
      '  --tasks N      how many pieces of work there are (100)', &
      '  --work MS      milliseconds that a piece takes (0)', &
      '  --kill 3@20    rank 3 dies when it knows of 20 results; 0+3@20: and rank 3 with rank 0.', &
      '                 Ranks as at the start; a rank that was started again is spared'
    flush (unit)
  end subroutine
end program
