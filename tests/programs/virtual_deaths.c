/* Collective operations one after the other, until one fails; then those who live agree, shrink,
 * and count themselves. */
#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>

#define MOST 3000

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm all, rest;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    double *mine = calloc(MOST, sizeof *mine), *out = calloc(MOST, sizeof *out);
    int code = MPI_SUCCESS, done = 0;
    mine[0] = 1;
    while (code == MPI_SUCCESS && done < 16) {
        switch (done % 8) {
        case 0: code = MPI_Barrier(all); break;
        case 1: code = MPI_Allreduce(mine, out, 1, MPI_DOUBLE, MPI_SUM, all); break;
        case 2: code = MPI_Bcast(mine, 100, MPI_DOUBLE, done % size, all); break;
        case 3: code = MPI_Reduce(mine, out, 700, MPI_DOUBLE, MPI_SUM, 2, all); break;
        case 4: code = MPI_Allgather(mine, 10, MPI_DOUBLE, out, 10, MPI_DOUBLE, all); break;
        case 5: code = MPI_Alltoall(mine, 5, MPI_DOUBLE, out, 5, MPI_DOUBLE, all); break;
        case 6: code = MPI_Allreduce(mine, out, MOST, MPI_DOUBLE, MPI_SUM, all); break;
        case 7: code = MPI_Scan(mine, out, 4, MPI_DOUBLE, MPI_SUM, all); break;
        }
        int class = MPI_SUCCESS;
        if (code != MPI_SUCCESS)
            MPI_Error_class(code, &class);
        if (class != MPI_SUCCESS && class != MPIX_ERR_PROC_FAILED && class != MPIX_ERR_REVOKED) {
            printf("error class %d\n", class);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        done++;
    }
    if (code != MPI_SUCCESS)
        MPIX_Comm_revoke(all);
    double seconds = MPI_Wtime();
    if (MPIX_Comm_shrink(all, &rest) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int many, sum = 0, one = 1;
    MPI_Comm_size(rest, &many);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest);
    printf("%d of %d, %d, after %.9f\n", rank, many, sum, seconds);
    MPI_Finalize();
    return 0;
}
