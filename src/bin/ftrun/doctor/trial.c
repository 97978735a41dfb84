/* Rank 1 is killed as it enters the barrier; the others count who is left. */
#include <mpi-ext.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm left;
    int one = 1, sum = 0, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    MPIX_Comm_shrink(MPI_COMM_WORLD, &left);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, left);
    MPI_Comm_rank(left, &rank);
    if (rank == 0)
        printf("%d went on\n", sum);
    MPI_Comm_free(&left);
    MPI_Finalize();
    return 0;
}
