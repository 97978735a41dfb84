! A send that survives its receiver (Fagg & Dongarra 2000): when a call returns MPI_ERR_OTHER,
! MPI_COMM_DUP recovers, and the work goes on. Rank 1 dies once, after five messages.
!
!     ftrun -np 3 --mode rebuild ./send_dup 100
program send_dup
  implicit none
  include 'mpif.h'
  integer :: rank, com, newcom, code, error, count, total
  logical :: restarted
  character(16) :: argument
  interface
    subroutine c_abort() bind(c, name='abort')
    end subroutine
  end interface

  call MPI_INIT(code)
  restarted = code == MPI_INIT_RESTARTED_PROCS
  com = MPI_COMM_WORLD
  call MPI_COMM_RANK(com, rank, error)
  count = 100
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) count
  end if
  do
    call exchange(code)
    if (code == MPI_SUCCESS) exit
    if (code /= MPI_ERR_OTHER) call MPI_ABORT(MPI_COMM_WORLD, 1, error)
    call MPI_COMM_DUP(com, newcom, error)
    call MPI_COMM_FREE(com, error)
    com = newcom
  end do
  if (rank == 1 .and. restarted) print '(A,I0)', 'rank 1 was restarted: the sum is ', total
  if (rank == 1 .and. .not. restarted) print '(A,I0)', 'rank 1 never died: the sum is ', total
  call MPI_FINALIZE(error)

contains

  ! Rank 0 sends the numbers below `count` to rank 1, which adds them.
  subroutine exchange(code)
    integer, intent(out) :: code
    integer :: number, word
    code = MPI_SUCCESS
    total = 0
    do number = 0, count - 1
      if (rank == 0) call MPI_SEND(number, 1, MPI_INTEGER, 1, 0, com, code)
      if (rank == 1) then
        call MPI_RECV(word, 1, MPI_INTEGER, 0, 0, com, MPI_STATUS_IGNORE, code)
        total = total + word
        if (number == 5 .and. .not. restarted) call c_abort()
      end if
      if (code /= MPI_SUCCESS) return
    end do
    call MPI_BARRIER(com, code)
  end subroutine
end program
