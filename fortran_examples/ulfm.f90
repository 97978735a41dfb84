! A solver that goes on without the dead, the ULFM way: the heat of a rod whose ends are kept at 0
! and 1 is a straight line, and the ranks find it by taking means of neighbours. Each has a piece
! of the rod. When somebody dies, whoever notices revokes the communicator, so that nobody waits
! for those who have given up; all agree that the step has failed; and they go on in what shrink
! has left of them. The cells of the dead start again from 0: taking means makes up for that.
!
!     mpifort fortran_examples/ulfm.f90 -o ulfm && ftrun -np 7 ./ulfm 3:2 0:5
!
! kills rank 3 in the second step and rank 0 in the fifth.
program ulfm
  use mpi_f08
  implicit none
  integer, parameter :: cells = 40, sweeps = 100
  real(8) :: rod(0:cells + 1) = 0, change, error, largest
  integer :: first, last, rank, started, left, number
  logical :: is_well
  type(MPI_Comm) :: comm

  comm = MPI_COMM_WORLD
  call MPI_Init()
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, started)
  rod(cells + 1) = 1
  call take_piece()
  change = 1
  number = 0
  do while (change > 1d-9)
    number = number + 1
    call die_if_told(number)
    call went_well(step(), is_well)
    if (.not. is_well) then
      call repair()
      change = 1
    end if
  end do
  error = 0
  do number = first, last
    error = max(error, abs(rod(number) - real(number, 8) / (cells + 1)))
  end do
  call MPI_Reduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, comm)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, left)
  if (rank == 0) print '(i0, a, i0, a, f5.3)', left, ' of ', started, &
    ' ranks have solved it, to ', largest
  if (comm /= MPI_COMM_WORLD) call MPI_Comm_free(comm)
  call MPI_Finalize()

contains

  ! The own cells: first to last.
  subroutine take_piece()
    integer :: me, ranks
    call MPI_Comm_rank(comm, me)
    call MPI_Comm_size(comm, ranks)
    first = 1 + me * cells / ranks
    last = (me + 1) * cells / ranks
  end subroutine take_piece

  ! Some sweeps over the rod; the first error comes out.
  integer function step() result(code)
    integer :: me, ranks, left, right, sweep
    real(8) :: next(cells), mine
    call MPI_Comm_rank(comm, me)
    call MPI_Comm_size(comm, ranks)
    left = merge(me - 1, MPI_PROC_NULL, me > 0)
    right = merge(me + 1, MPI_PROC_NULL, me + 1 < ranks)
    mine = 0
    do sweep = 1, sweeps
      call MPI_Sendrecv(rod(first), 1, MPI_DOUBLE_PRECISION, left, 0, rod(last + 1), 1, &
        MPI_DOUBLE_PRECISION, right, 0, comm, MPI_STATUS_IGNORE, code)
      if (code /= MPI_SUCCESS) return
      call MPI_Sendrecv(rod(last), 1, MPI_DOUBLE_PRECISION, right, 1, rod(first - 1), 1, &
        MPI_DOUBLE_PRECISION, left, 1, comm, MPI_STATUS_IGNORE, code)
      if (code /= MPI_SUCCESS) return
      next(first:last) = (rod(first - 1:last - 1) + rod(first + 1:last + 1)) / 2
      mine = maxval(abs(next(first:last) - rod(first:last)))
      rod(first:last) = next(first:last)
    end do
    call MPI_Allreduce(mine, change, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, code)
  end function step

  ! Whether all who live say that it went well. Who has not heard of a death yet hears of it here.
  subroutine went_well(code, is_well)
    integer, intent(in) :: code
    logical, intent(out) :: is_well
    integer :: flag, ierr
    flag = merge(1, 0, code == MPI_SUCCESS)
    if (flag == 0) call MPIX_Comm_revoke(comm)
    call MPIX_Comm_agree(comm, flag, ierr)
    is_well = flag == 1 .and. ierr == MPI_SUCCESS
  end subroutine went_well

  ! Those who are left share what they know of the rod, and divide it anew.
  subroutine repair()
    real(8) :: mine(0:cells + 1), all(0:cells + 1)
    integer :: code
    logical :: is_well
    type(MPI_Comm) :: fewer
    mine = 0
    mine(first:last) = rod(first:last)
    do
      call MPIX_Comm_shrink(comm, fewer)
      if (comm /= MPI_COMM_WORLD) call MPI_Comm_free(comm)
      comm = fewer
      call MPI_Allreduce(mine, all, cells + 2, MPI_DOUBLE_PRECISION, MPI_SUM, comm, code)
      call went_well(code, is_well)
      if (is_well) exit
    end do
    rod = all
    rod(cells + 1) = 1
    call take_piece()
  end subroutine repair

  ! Arguments say who dies when: rank:step.
  subroutine die_if_told(number)
    integer, intent(in) :: number
    character(len=32) :: word
    integer :: i, colon, who, when
    do i = 1, command_argument_count()
      call get_command_argument(i, word)
      colon = index(word, ':')
      read (word(:colon - 1), *) who
      read (word(colon + 1:), *) when
      if (who == rank .and. when == number) call abort()
    end do
  end subroutine die_if_told
end program ulfm
