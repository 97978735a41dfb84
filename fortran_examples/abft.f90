! A product of matrices that survives the deaths of ranks without any checkpoint: c_examples/abft.c
! in Fortran, with the same command line and the same last line. It says how it works.
!
!     ftrun -np 16 --mode rebuild ./abft --order 600 --kill 5@10 --kill 0+6@20
program abft
  use mpi
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer :: order = 240, panel = 16, kills = 0, moment(64)
  character(64) :: victims(64)
  ! The grid of ranks; what a block of A, B and C has; the columns of a step, and all steps.
  integer :: rank, ranks, rows, columns, my_row, my_column
  integer :: m, n, k_a, k_b, width, steps
  real(dp), allocatable :: a(:, :), b(:, :), c(:, :), a_panel(:, :), b_panel(:, :)
  integer :: row = MPI_COMM_NULL, column = MPI_COMM_NULL
  ! All sums were there at some time; this rank has its blocks; it has done so many steps.
  logical :: is_encoded = .false., is_whole = .false., is_restarted, is_there
  integer :: step = 0, error
  integer(MPI_ADDRESS_KIND) :: failures
  real(dp) :: residual, start, before, recovery = 0
  interface
    subroutine ftmpi_kill(rank) bind(c)
      use iso_c_binding, only: c_int
      integer(c_int), value :: rank
    end subroutine
  end interface

  call MPI_INIT(error)
  is_restarted = error == MPI_INIT_RESTARTED_PROCS
  start = MPI_WTIME()
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
  call read_options()
  call lay_out()
  do
    call solve(error)
    if (error == MPI_SUCCESS) call MPI_BARRIER(MPI_COMM_WORLD, error)
    if (error == MPI_SUCCESS) exit
    before = MPI_WTIME()
    call recover()
    recovery = recovery + MPI_WTIME() - before
  end do
  call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, FT_MPI_LIST_NUM_FAILED, failures, is_there, error)
  if (rank == 0) then
    print '(3(A,I0),A)', 'order ', order, ' on ', rows - 1, ' x ', columns - 1, &
      ' ranks and their sums'
    print '(2(A,F0.4))', 'time ', MPI_WTIME() - start, ' s, recovery ', recovery
    print '(A,ES7.1,2(A,I0))', 'residual ', residual, ' steps ', steps, ' failures ', failures
  end if
  call MPI_COMM_FREE(row, error)
  call MPI_COMM_FREE(column, error)
  call MPI_FINALIZE(error)

contains

  ! An element of A or of B; zeros fill up the last blocks.
  real(dp) function element(of_b, i, j)
    integer, intent(in) :: of_b, i, j
    element = 0
    if (i < order .and. j < order) element = sin(12.9898d0 * i + 78.233d0 * j + of_b)
  end function

  subroutine fill(of_b, x)
    integer, intent(in) :: of_b
    real(dp), intent(out) :: x(:, :)
    integer :: i, j
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        x(i, j) = element(of_b, my_row * size(x, 1) + i - 1, my_column * size(x, 2) + j - 1)
      end do
    end do
  end subroutine

  logical function lies_in_sums(of)
    integer, intent(in) :: of
    lies_in_sums = of / columns == rows - 1 .or. mod(of, columns) == columns - 1
  end function

  ! Brings the columns of A and the rows of B that are this step's, and adds their product.
  subroutine multiply(now, error)
    integer, intent(in) :: now
    integer, intent(out) :: error
    integer :: from_column, from_row, j, k
    if (step == now) call meet_orders()
    from_column = now * width / k_a
    from_row = now * width / k_b
    k = mod(now * width, k_a)
    if (my_column == from_column) a_panel = a(:, k + 1:k + width)
    k = mod(now * width, k_b)
    if (my_row == from_row) b_panel = b(k + 1:k + width, :)
    call MPI_BCAST(a_panel, m * width, MPI_DOUBLE_PRECISION, from_column, row, error)
    if (error /= MPI_SUCCESS) return
    call MPI_BCAST(b_panel, width * n, MPI_DOUBLE_PRECISION, from_row, column, error)
    ! Who is ahead of others only helps them.
    if (error /= MPI_SUCCESS .or. step /= now) return
    do j = 1, n
      do k = 1, width
        c(:, j) = c(:, j) + a_panel(:, k) * b_panel(k, j)
      end do
    end do
    step = step + 1
  end subroutine

  ! In which order lost blocks come back, and whether by their row; those that never do stay lost.
  subroutine plan(is_lost, many, order_of, by_row)
    logical, intent(inout) :: is_lost(0:)
    integer, intent(out) :: many, order_of(:)
    logical, intent(out) :: by_row(:)
    integer :: before, of, other, in_row, in_column
    many = 0
    do
      before = many
      do of = 0, ranks - 1
        in_row = count([(is_lost(other) .and. other / columns == of / columns, &
                         other = 0, ranks - 1)])
        in_column = count([(is_lost(other) .and. mod(other - of, columns) == 0, &
                            other = 0, ranks - 1)])
        if (.not. is_lost(of) .or. (in_row > 1 .and. in_column > 1)) cycle
        many = many + 1
        order_of(many) = of
        by_row(many) = in_row == 1
        is_lost(of) = .false.
      end do
      if (many == before) exit
    end do
  end subroutine

  ! Gives the rank `whom` its block back: a sum of others, or what they lack of their sum.
  subroutine rebuild(x, whom, by_row, error)
    real(dp), intent(inout) :: x(:, :)
    integer, intent(in) :: whom
    logical, intent(in) :: by_row
    integer, intent(inout) :: error
    real(dp), allocatable :: part(:, :)
    integer :: lost, own, last
    if (error /= MPI_SUCCESS) return
    lost = merge(mod(whom, columns), whom / columns, by_row)
    own = merge(my_column, my_row, by_row)
    last = merge(columns, rows, by_row) - 1
    if (merge(whom / columns /= my_row, mod(whom, columns) /= my_column, by_row)) return
    part = x
    if (own /= last .and. lost /= last) part = -x
    if (own == lost) part = 0
    call MPI_REDUCE(part, x, size(x), MPI_DOUBLE_PRECISION, MPI_SUM, lost, &
                    merge(row, column, by_row), error)
  end subroutine

  ! One says it. Should it die before, it is said after the next recovery.
  subroutine give_up(is_lost, error)
    logical, intent(in) :: is_lost(0:)
    integer, intent(out) :: error
    integer :: of
    if (rank /= 0) then
      call MPI_BARRIER(MPI_COMM_WORLD, error)
      return
    end if
    write (0, '(A,*(:,1X,I0))', advance='no') 'abft: lost is what ranks', &
      pack([(of, of = 0, ranks - 1)], is_lost)
    write (0, '(A)') ' had: no row or column lacks but one'
    flush (0)
    call MPI_ABORT(MPI_COMM_WORLD, 4, error)
  end subroutine

  ! All find out what each has, bring back what is lost, and are at one step.
  subroutine come_together(error)
    integer, intent(out) :: error
    integer :: all(3, 0:ranks - 1), whom(ranks), many, at, of, furthest, nearest
    logical :: is_lost(0:ranks - 1), by_row(ranks), was_encoded
    call MPI_COMM_SPLIT(MPI_COMM_WORLD, my_row, rank, row, error)
    if (error /= MPI_SUCCESS) return
    call MPI_COMM_SPLIT(MPI_COMM_WORLD, my_column, rank, column, error)
    if (error /= MPI_SUCCESS) return
    call MPI_ALLGATHER([merge(1, 0, is_encoded), merge(1, 0, is_whole), step], 3, MPI_INTEGER, &
                       all, 3, MPI_INTEGER, MPI_COMM_WORLD, error)
    if (error /= MPI_SUCCESS) return
    was_encoded = any(all(1, :) == 1)
    is_lost = all(2, :) == 0
    if (.not. was_encoded) then
      ! The sums are what is lost at the beginning.
      call fill(0, a)
      call fill(1, b)
      c = 0
      is_lost = [(lies_in_sums(of), of = 0, ranks - 1)]
      is_whole = .not. is_lost(rank)
    end if
    furthest = maxval(all(3, :), mask=.not. is_lost)
    nearest = minval(all(3, :), mask=.not. is_lost)
    call plan(is_lost, many, whom, by_row)
    if (any(is_lost)) then
      call give_up(is_lost, error)
      return
    end if
    do at = 1, many
      call rebuild(a, whom(at), by_row(at), error)
      call rebuild(b, whom(at), by_row(at), error)
    end do
    if (.not. is_whole) step = furthest
    do of = nearest, furthest - 1
      if (error == MPI_SUCCESS) call multiply(of, error)
    end do
    do at = 1, many
      call rebuild(c, whom(at), by_row(at), error)
      if (error /= MPI_SUCCESS) return
      is_whole = is_whole .or. whom(at) == rank
      if (rank == 0 .and. was_encoded) print '(2(A,I0),2A)', 'step ', furthest, ': rank ', &
        whom(at), ' has its blocks back, from its ', trim(merge('row   ', 'column', by_row(at)))
    end do
    if (error == MPI_SUCCESS) call MPI_BARRIER(MPI_COMM_WORLD, error)
    is_encoded = is_encoded .or. error == MPI_SUCCESS
  end subroutine

  ! The largest difference from what is computed directly, relative to the largest element.
  subroutine check(error)
    integer, intent(out) :: error
    real(dp) :: most(2), all(2)
    real(dp), allocatable :: left(:, :), direct(:, :)
    integer :: i, j, k
    most = 0
    if (.not. lies_in_sums(rank)) then
      allocate (left(m, order), direct(m, n), source=0d0)
      do k = 1, order
        do i = 1, m
          left(i, k) = element(0, my_row * m + i - 1, k - 1)
        end do
      end do
      do j = 1, n
        do k = 1, order
          direct(:, j) = direct(:, j) + left(:, k) * element(1, k - 1, my_column * n + j - 1)
        end do
      end do
      most = [maxval(abs(direct - c)), maxval(abs(direct))]
    end if
    call MPI_ALLREDUCE(most, all, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    residual = all(1) / all(2)
  end subroutine

  subroutine recover()
    integer :: repaired, error
    do
      repaired = FT_MPI_CHECK_RECOVER
      call MPI_COMM_DUP(MPI_COMM_WORLD, repaired, error)
      if (error /= MPI_ERR_OTHER) exit
    end do
    if (error /= MPI_SUCCESS) call MPI_ABORT(MPI_COMM_WORLD, 3, error)
    call MPI_COMM_FREE(repaired, error)
    if (row /= MPI_COMM_NULL) call MPI_COMM_FREE(row, error)
    if (column /= MPI_COMM_NULL) call MPI_COMM_FREE(column, error)
  end subroutine

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
      if (is_restarted .or. step /= moment(k) .or. victim(1) /= rank) cycle
      do at = many, 1, -1
        call ftmpi_kill(victim(at))
      end do
    end do
  end subroutine

  subroutine solve(error)
    integer, intent(out) :: error
    real(dp) :: begun
    logical :: was_encoded
    begun = MPI_WTIME()
    was_encoded = is_encoded .or. is_restarted
    call come_together(error)
    if (was_encoded) recovery = recovery + MPI_WTIME() - begun
    do while (error == MPI_SUCCESS .and. step < steps)
      call multiply(step, error)
    end do
    if (error /= MPI_SUCCESS) return
    call meet_orders()
    call check(error)
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
      case ('--order'); read (value, *, iostat=status) order
      case ('--panel'); read (value, *, iostat=status) panel
      case ('--kill')
        split = index(value, '@')
        if (split > 1 .and. is_list(value(:max(split - 1, 1))) .and. kills < size(moment)) then
          kills = kills + 1
          victims(kills) = value(:split - 1)
          read (value(split + 1:), *, iostat=status) moment(kills)
        end if
      end select
      if (status == 0 .and. order > 0 .and. panel > 0) cycle
      if (rank == 0) call usage(0)
      call die("'" // trim(word) // ' ' // trim(value) // "' is not understood")
    end do
  end subroutine

  logical function is_list(ranks)
    character(*), intent(in) :: ranks
    is_list = verify(ranks, '0123456789+') == 0
  end function

  subroutine usage(unit)
    integer, intent(in) :: unit
    write (unit, '(A)') &
      'usage: abft [--order N] [--panel W] [--kill RANK[+RANK...]@STEP]...', &
      '  --order N      rows and columns of the matrices (240)', &
      '  --panel W      at most so many columns of A in a step (16)', &
      '  --kill 3@20    rank 3 dies at step 20; 0+3@20: and rank 3 with rank 0.', &
      '                 A rank that was started again is spared'
    flush (unit)
  end subroutine

  subroutine die(what)
    character(*), intent(in) :: what
    integer :: error
    if (rank == 0) then
      write (0, '(2A)') 'abft: ', what
      flush (0)
    else
      call MPI_BARRIER(MPI_COMM_WORLD, error)
    end if
    call MPI_ABORT(MPI_COMM_WORLD, 2, error)
  end subroutine

  ! The grid, and blocks that a step's columns and rows never cross.
  subroutine lay_out()
    integer :: dims(2), units, turns, error, p, q
    dims = 0
    call MPI_DIMS_CREATE(ranks, 2, dims, error)
    rows = dims(1)
    columns = dims(2)
    if (columns < 2) call die('the number of ranks must be that of a grid: 4, 6, 8, 9, 10, 12 ...')
    my_row = rank / columns
    my_column = mod(rank, columns)
    p = rows - 1
    q = columns - 1
    units = p
    do while (mod(units, q) /= 0)
      units = units + p
    end do
    turns = (order + units * panel - 1) / (units * panel)
    width = (order + units * turns - 1) / (units * turns)
    steps = units * turns
    m = (order + p - 1) / p
    n = (order + q - 1) / q
    k_a = steps * width / q
    k_b = steps * width / p
    allocate (a(m, k_a), b(k_b, n), c(m, n), a_panel(m, width), b_panel(width, n))
  end subroutine
end program
