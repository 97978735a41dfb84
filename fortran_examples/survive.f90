! Work goes on without the dead: rank 0 hands out pieces of an integral, a worker is killed on the
! way, and rank 0 hears of it as an error and gives its piece to somebody else.
!
!     mpifort survive.f90 -o survive
!     ftrun -np 4 --on-failure continue ./survive
!
! Written with the module mpi_f08: handles have types, and error codes are asked for only where
! they matter.

module pieces
    implicit none
    integer, parameter :: number = 400, steps = 20000

contains

    ! A piece of the integral of 4 / (1 + x**2) from 0 to 1.
    real(8) function integral(piece)
        integer, intent(in) :: piece
        integer :: step
        real(8) :: x
        integral = 0
        do step = 1, steps
            x = (piece - 1 + (step - 0.5d0) / steps) / number
            integral = integral + 4 / (1 + x * x) / steps / number
        end do
    end function integral
end module pieces

module farm
    use mpi_f08
    use pieces
    implicit none
    interface
        ! Of ftmpi.h: ends a rank as a crash would.
        subroutine ftmpi_kill(rank) bind(c)
            use, intrinsic :: iso_c_binding, only: c_int
            integer(c_int), value :: rank
        end subroutine ftmpi_kill
    end interface
    ! What is left to do; of every worker, its piece, whether it lives, and what it sends.
    integer :: todo(number), left
    integer, allocatable :: at(:)
    logical, allocatable :: lives(:)
    real(8), allocatable, asynchronous :: results(:)
    type(MPI_Request), allocatable :: requests(:)

contains

    subroutine hand_out(workers)
        integer, intent(in) :: workers
        integer :: worker, error, code, piece, done
        real(8) :: sum

        allocate (at(workers), lives(workers), results(workers), requests(workers))
        lives = .true.
        done = 0
        requests = MPI_REQUEST_NULL
        todo = [(piece, piece = number, 1, -1)]
        left = number
        sum = 0
        do
            do worker = 1, workers
                if (requests(worker) == MPI_REQUEST_NULL .and. lives(worker)) call give(worker)
            end do
            call MPI_Waitany(workers, requests, worker, MPI_STATUS_IGNORE, error)
            if (worker == MPI_UNDEFINED) exit
            if (error == MPI_SUCCESS) then
                sum = sum + results(worker)
                done = done + 1
                if (done == number / 2) call ftmpi_kill(2)
            else
                call MPI_Error_class(error, code)
                if (code /= MPI_ERR_PROC_ABORTED) call MPI_Abort(MPI_COMM_WORLD, error)
                print '(a, i0, a)', 'rank ', worker, ' is dead; another does its piece'
                lives(worker) = .false.
                left = left + 1
                todo(left) = at(worker)
            end if
        end do
        print '(a, f12.10)', 'pi is about ', sum
        do worker = 1, workers
            if (lives(worker)) call MPI_Send(0, 1, MPI_INTEGER, worker, 0, MPI_COMM_WORLD)
        end do
    end subroutine hand_out

    subroutine give(worker)
        integer, intent(in) :: worker
        integer :: error
        if (left == 0) return
        at(worker) = todo(left)
        left = left - 1
        ! If the worker is dead, so is the receive, and that is where we look.
        call MPI_Send(at(worker), 1, MPI_INTEGER, worker, 0, MPI_COMM_WORLD, error)
        call MPI_Irecv(results(worker), 1, MPI_REAL8, worker, 1, MPI_COMM_WORLD, requests(worker))
    end subroutine give

    subroutine work()
        integer :: piece, error
        do
            call MPI_Recv(piece, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            if (error /= MPI_SUCCESS .or. piece == 0) return
            call MPI_Send(integral(piece), 1, MPI_REAL8, 0, 1, MPI_COMM_WORLD)
        end do
    end subroutine work
end module farm

program survive
    use mpi_f08
    use farm
    implicit none
    integer :: rank, ranks

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    if (ranks < 3) error stop 'at least three ranks: one hands out, one dies, one lives on'
    ! Without this, an error would end the job.
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    if (rank == 0) then
        call hand_out(ranks - 1)
    else
        call work()
    end if
    call MPI_Finalize()
end program survive
