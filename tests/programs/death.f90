! One rank dies in the way that the first argument names; the others must not mind (see death.c).
module state
  implicit none
  integer :: touched = 0
  integer, volatile :: zero = 0
  real(8), volatile :: sink = 0
end module state

recursive integer function deep(level) result(sum)
  use state
  implicit none
  integer, intent(in) :: level
  integer, volatile :: frame(1000)
  frame(mod(level, 1000) + 1) = level
  sum = deep(level + 1) + frame(1)
end function deep

subroutine die(how)
  use state
  implicit none
  character(*), intent(in) :: how
  integer, external :: deep
  integer, pointer :: nowhere
  real(8), allocatable :: block(:)
  real(8) :: x
  integer :: i
  nullify(nowhere)
  select case (how)
  case ('stop')
    stop 7
  case ('error-stop')
    error stop 8
  case ('stop-text')
    error stop 'the victim stops'
  case ('exit')
    call exit(9)
  case ('abort')
    call abort()
  case ('segv')
    nowhere = 1
  case ('fpe')
    zero = 100 / zero
  case ('stack')
    zero = deep(0)
  case ('double-free')
    allocate (block(10))
    deallocate (block)
    deallocate (block)
  case ('compute-loop')
    x = 1
    do
      x = x * 1.0000001d0 + 1d-9
      sink = x
    end do
  case ('allocate-loop')
    i = 0
    do
      i = i + 1
      allocate (block(10 + mod(i, 1000)))
      block(1) = i
      sink = block(1)
      deallocate (block)
    end do
  case ('write-loop')
    open (20, file='/dev/null')
    i = 0
    do
      i = i + 1
      write (20, *) 'line', i
    end do
  end select
end subroutine die

program death
  use state
  implicit none
  include 'mpif.h'
  interface
    function ftmpi_incarnation() bind(c)
      use iso_c_binding
      integer(c_int) :: ftmpi_incarnation
    end function
    function ftmpi_kill(seat) bind(c)
      use iso_c_binding
      integer(c_int), value :: seat
      integer(c_int) :: ftmpi_kill
    end function
  end interface
  integer :: rank, n, victim, killer, right, left, round, code, word, status(MPI_STATUS_SIZE)
  integer, allocatable :: out(:), in(:)
  character(32) :: how
  call get_command_argument(1, how)
  if (ftmpi_incarnation() > 0) then
    print '(a,i0,a,i0)', 'fresh incarnation ', ftmpi_incarnation(), ' finds ', touched
    stop
  end if
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, n, code)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  victim = n / 2
  killer = mod(victim + 1, n)
  touched = 1000 + rank
  word = 0
  call MPI_Barrier(MPI_COMM_WORLD, code)
  if (rank == victim) then
    if (index(how, '-loop') > 0) &
      call MPI_Send(word, 1, MPI_INTEGER, killer, 5, MPI_COMM_WORLD, code)
    call die(trim(how))
    stop
  end if
  if (index(how, '-loop') > 0 .and. rank == killer) then
    call MPI_Recv(word, 1, MPI_INTEGER, victim, 5, MPI_COMM_WORLD, status, code)
    code = ftmpi_kill(victim)
  end if
  call MPI_Recv(word, 1, MPI_INTEGER, victim, 99, MPI_COMM_WORLD, status, code)
  if (code == MPI_SUCCESS) error stop 'received from the dead'
  right = mod(rank + 1, n)
  if (right == victim) right = mod(right + 1, n)
  left = mod(rank - 1 + n, n)
  if (left == victim) left = mod(left - 1 + n, n)
  do round = 1, 50
    allocate (out(100 * round), in(100 * round))
    out = rank + round
    call MPI_Sendrecv(out, size(out), MPI_INTEGER, right, round, in, size(in), MPI_INTEGER, left, &
                      round, MPI_COMM_WORLD, status, code)
    if (any(in /= left + round)) error stop 'wrong data'
    deallocate (out, in)
  end do
  print '(a,i0,a)', 'survivor ', rank, ' lives on'
  call MPI_Finalize(code)
end program death
