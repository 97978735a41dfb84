! What libgfortran keeps (units, formats, random numbers, the environment), and Fortran's statics.
module shared
  implicit none
  integer, save :: counter = 3
  integer, allocatable :: table(:)
  common /block/ number, letters
  integer :: number
  character(8) :: letters
contains
  integer function calls()
    integer, save :: count = 0
    count = count + 1
    calls = count
  end function
end module

program state
  use shared
  use iso_c_binding
  implicit none
  integer :: rank, i, unit, status, seed_size, got
  integer, allocatable :: seed(:)
  real(8) :: draw, sum
  character(64) :: line, name, value
  interface
    function rank_of_state() bind(c, name="state_rank_of_fortran")
      import
      integer(c_int) :: rank_of_state
    end function
  end interface

  rank = rank_of_state()
  counter = counter + rank
  number = 10 * rank
  write (letters, '(a,i0)') 'r', rank
  allocate (table(100 + rank))
  table = rank
  do i = 1, rank + 1
    got = calls()
  end do
  print *, 'statics', counter, number, letters, got, calls()
  print '(a,f8.3,es12.4,l2)', 'formats', rank / 3.0, rank * 1.0d10, rank > 1
  write (name, '(a,i0)') 'unit10.', rank
  open (10, file=name, status='replace')
  do i = 1, 200
    write (10, '(i0,1x,i0)') i, i * rank
  end do
  close (10)
  open (10, file=name, status='old', action='read')
  sum = 0
  do i = 1, 200
    read (10, *) got, status
    sum = sum + status
  end do
  close (10)
  print *, 'unit 10', sum
  write (name, '(a,i0)') 'direct.', rank
  open (11, file=name, form='unformatted', access='direct', recl=8, status='replace')
  do i = 1, 50
    write (11, rec=i) i * 1.0d0 + rank
  end do
  read (11, rec=20) draw
  close (11, status='delete')
  print *, 'direct', draw
  open (newunit=unit, status='scratch')
  write (unit, *) 'scratch', rank
  rewind (unit)
  read (unit, '(a)') line
  close (unit)
  print *, trim(line)
  call random_seed(size=seed_size)
  allocate (seed(seed_size))
  seed = [(rank + i, i = 1, seed_size)]
  call random_seed(put=seed)
  sum = 0
  do i = 1, 100
    call random_number(draw)
    sum = sum + draw
  end do
  print '(a,f12.8)', 'random', sum
  call get_environment_variable('STATE_GIVEN', value)
  call get_command_argument(1, line)
  print *, 'given ', trim(value), ' ', trim(line), command_argument_count()
  print *, 'table', size(table), minval(table), maxval(table)
  read (*, *, iostat=status) got, line
  if (status == 0) print *, 'read ', got, trim(line)
  if (status /= 0) print *, 'nothing to read', status < 0
  call execute_command_line('echo by the shell > shell.out', exitstat=status)
  print *, 'shell', status
  write (0, '(a,i0)') 'to stderr ', rank
  !$omp parallel do reduction(+:sum)
  do i = 1, 1000
    sum = sum + i * rank
  end do
  print '(a,f14.4)', 'parallel', sum
  if (rank == 2) stop 3
end program
