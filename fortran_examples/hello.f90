! Every rank says hello.
!
!     mpifort hello.f90 -o hello
!     ftrun -np 4 ./hello
!
! All ranks run in one process, and still each has its own copy of every variable: `greetings` is
! 1 in each of them, although it is a saved variable of a module. The lines come in any order.

module counter
    implicit none
    integer, save :: greetings = 0
end module counter

program hello
    use counter
    implicit none
    include 'mpif.h'
    integer :: rank, ranks, error

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)

    greetings = greetings + 1
    print '(a, i0, a, i0, a, i0, a)', 'hello from rank ', rank, ' of ', ranks, &
        ' (greeting ', greetings, ')'

    call MPI_Finalize(error)
end program hello
