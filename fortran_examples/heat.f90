! Heat spreads over a square plate: a stencil over arrays in COMMON, cut into bands of columns.
!
!     mpifort -O2 heat.f90 -o heat
!     ftrun -np 120 ./heat 200
!
! Every rank keeps a band of columns (which lie together in memory in Fortran) and, on both sides of
! it, a copy of its neighbours' nearest column (a halo), which it gets anew before each step. The
! plate starts as the sine wave of which it is known how it fades: a step makes it smaller by the
! same factor everywhere. So the result can be checked to the last digits, and it is the same for
! any number of ranks.

program heat
    implicit none
    include 'mpif.h'
    integer, parameter :: n = 480, leftwards = 1, rightwards = 2
    double precision, parameter :: rate = 0.2d0

    ! Each rank has its own, although all ranks live in one process. Columns 1 to `columns` are the
    ! rank's own; column 0 and column columns+1 are halos.
    double precision :: plate(0:n + 1, 0:n + 1), next(0:n + 1, 0:n + 1)
    common /plates/ plate, next

    integer :: rank, ranks, error, steps, step, first, columns, left, right, i, j
    integer :: status(MPI_STATUS_SIZE)
    double precision :: pi, factor, warmth, all_warmth, deviation, largest_deviation
    character(len=32) :: argument
    character(len=20) :: verdict

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    if (ranks > n) then
        if (rank == 0) print '(a, i0, a)', 'heat: at most ', n, ' ranks, one column for each'
        call MPI_Abort(MPI_COMM_WORLD, 2, error)
    end if

    steps = 100
    if (command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) steps
    end if
    pi = acos(-1d0)
    first = n * rank / ranks
    columns = n * (rank + 1) / ranks - first

    ! Messages to and from MPI_PROC_NULL do nothing: the edge of the plate needs no special case.
    left = rank - 1
    if (rank == 0) left = MPI_PROC_NULL
    right = rank + 1
    if (rank == ranks - 1) right = MPI_PROC_NULL

    plate = 0
    do j = 1, columns
        do i = 1, n
            plate(i, j) = wave(i, first + j)
        end do
    end do

    do step = 1, steps
        call MPI_Sendrecv(plate(1, 1), n, MPI_DOUBLE_PRECISION, left, leftwards, &
            plate(1, columns + 1), n, MPI_DOUBLE_PRECISION, right, leftwards, &
            MPI_COMM_WORLD, status, error)
        call MPI_Sendrecv(plate(1, columns), n, MPI_DOUBLE_PRECISION, right, rightwards, &
            plate(1, 0), n, MPI_DOUBLE_PRECISION, left, rightwards, &
            MPI_COMM_WORLD, status, error)
        do j = 1, columns
            do i = 1, n
                next(i, j) = plate(i, j) + rate * (plate(i - 1, j) + plate(i + 1, j) &
                    + plate(i, j - 1) + plate(i, j + 1) - 4 * plate(i, j))
            end do
        end do
        plate(1:n, 1:columns) = next(1:n, 1:columns)
    end do

    factor = (1 - 8 * rate * sin(pi / (2 * (n + 1)))**2)**steps
    warmth = sum(plate(1:n, 1:columns))
    deviation = 0
    do j = 1, columns
        do i = 1, n
            deviation = max(deviation, abs(plate(i, j) - factor * wave(i, first + j)))
        end do
    end do
    call MPI_Reduce(warmth, all_warmth, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(deviation, largest_deviation, 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
        MPI_COMM_WORLD, error)

    verdict = 'as computed by hand'
    if (largest_deviation >= 1d-12) verdict = 'WRONG'
    if (rank == 0) then
        print '(a, i0, a, i0, a, f0.6, a, a)', 'heat on ', ranks, ' ranks after ', steps, &
            ' steps: ', all_warmth, ', ', trim(verdict)
    end if
    call MPI_Finalize(error)
    if (largest_deviation >= 1d-12) stop 1

contains

    double precision function wave(row, column)
        integer, intent(in) :: row, column
        wave = sin(pi * row / (n + 1)) * sin(pi * column / (n + 1))
    end function wave

end program heat
