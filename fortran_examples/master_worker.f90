! A master and workers that may die (Fagg & Dongarra 2000): the dead leave gaps, the others go on
! talking, and nobody has to recover. A receive from anybody tells of each death once; the work of
! the dead goes to others. Every third worker dies with its first piece.
!
!     ftrun -np 7 --mode blank --msg cont ./master_worker
program master_worker
  use mpi
  implicit none
  integer, parameter :: pieces = 100, steps = 1000, work = 1, outcome = 2, stop_tag = 3
  integer, parameter :: none = -1, dead = -2
  integer :: rank, ranks, error, to_do(pieces), left
  integer, allocatable :: has(:)
  interface
    subroutine c_abort() bind(c, name='abort')
    end subroutine
  end interface

  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  if (rank == 0) then
    call master()
  else
    call worker()
  end if
  call MPI_FINALIZE(error)

contains

  ! Gives a worker the next piece; where there is none, it waits.
  subroutine give(worker)
    integer, intent(in) :: worker
    integer :: code
    has(worker) = none
    if (left == 0) return
    has(worker) = to_do(left)
    left = left - 1
    ! Should it be dead by now, the next receive says so.
    call MPI_SEND(has(worker), 1, MPI_INTEGER, worker, work, MPI_COMM_WORLD, code)
  end subroutine

  ! Takes back what a dead worker had, for one that has nothing to do.
  subroutine bury(worker)
    integer, intent(in) :: worker
    integer :: other
    print '(A,I0,A)', 'worker ', worker, ' is dead'
    if (has(worker) >= 0) then
      left = left + 1
      to_do(left) = has(worker)
    end if
    has(worker) = dead
    do other = 1, ranks - 1
      if (left > 0 .and. has(other) == none) call give(other)
    end do
  end subroutine

  subroutine master()
    double precision :: part, pi
    integer :: other, done, code, status(MPI_STATUS_SIZE)
    allocate (has(ranks - 1))
    to_do = [(other, other = 0, pieces - 1)]
    left = pieces
    pi = 0
    done = 0
    do other = 1, ranks - 1
      call give(other)
    end do
    do while (done < pieces)
      call MPI_RECV(part, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, outcome, MPI_COMM_WORLD, &
                    status, code)
      if (code == MPI_ERR_OTHER) then
        call bury(status(MPI_SOURCE))
      else if (code == MPI_SUCCESS) then
        pi = pi + part
        done = done + 1
        call give(status(MPI_SOURCE))
      else
        call MPI_ABORT(MPI_COMM_WORLD, 1, code)
      end if
    end do
    do other = 1, ranks - 1
      if (has(other) /= dead) &
        call MPI_SEND(other, 0, MPI_INTEGER, other, stop_tag, MPI_COMM_WORLD, code)
    end do
    print '(I0,A,F12.10)', done, ' pieces done: pi is about ', pi
  end subroutine

  subroutine worker()
    double precision :: part, x
    integer :: piece, step, code, status(MPI_STATUS_SIZE)
    do
      call MPI_RECV(piece, 1, MPI_INTEGER, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status, code)
      if (status(MPI_TAG) == stop_tag) return
      if (mod(rank, 3) == 0) call c_abort()
      part = 0
      do step = 0, steps - 1
        x = (dble(piece) * steps + step + 0.5d0) / (dble(pieces) * steps)
        part = part + 4 / (1 + x * x) / (dble(pieces) * steps)
      end do
      call MPI_SEND(part, 1, MPI_DOUBLE_PRECISION, 0, outcome, MPI_COMM_WORLD, code)
    end do
  end subroutine
end program
