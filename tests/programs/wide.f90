! For -fdefault-real-8: a REAL is as wide as the program was compiled for, and so is MPI_REAL.

program wide
    use checks
    implicit none
    real :: mine, total
    double precision :: other, sum
    integer :: error
    call start()
    mine = 1 + 1e-12 * rank
    call MPI_Allreduce(mine, total, 1, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, error)
    call expect(abs(total - ranks - 1e-12 * ranks * (ranks - 1) / 2) < 1e-14, 'a sum of REALs')
    other = rank
    call MPI_Sendrecv(other, 1, MPI_DOUBLE_PRECISION, rank, 0, sum, 1, MPI_DOUBLE_PRECISION, &
        rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call expect(sum == other, 'a DOUBLE PRECISION, whatever that is')
    call expect(MPI_Wtime() > 0, 'the clock')
    call finish()
end program wide
