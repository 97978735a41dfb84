! One rank writes through a null pointer. The job ends and says which rank it was, and why.
!
!     mpifort -g nullptr.f90 -o nullptr
!     ftrun -np 4 ./nullptr 2        rank 2 dies; the exit status is 139 (128 + SIGSEGV)
!
! The others wait for it in a barrier. They do not wait for ever: the job ends at once.

module pointers
    implicit none
    ! Were it local, the compiler could see that it is null, and leave the mistake out.
    integer, pointer :: nowhere => null()
end module pointers

program null_pointer
    use pointers
    use, intrinsic :: iso_fortran_env, only: output_unit
    implicit none
    include 'mpif.h'
    integer :: rank, ranks, error, victim
    character(len=32) :: argument

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)

    victim = ranks - 1
    if (command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) victim
    end if
    if (rank == 0) then
        print '(a, i0, a, i0, a)', 'rank ', victim, ' of ', ranks, &
            ' will write through a null pointer'
        flush (output_unit)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (rank == victim) nowhere = 42
    call MPI_Barrier(MPI_COMM_WORLD, error)

    print '(a, i0, a)', 'rank ', rank, ': this line is never printed'
    call MPI_Finalize(error)
end program null_pointer
