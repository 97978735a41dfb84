/* Spawns two ranks again and again, and disconnects from them. Prints the microseconds of one time,
 * the median of several. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 7 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    double took[TIMES];
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Barrier(parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    for (int i = 0; i < TIMES; i++) {
        double start = MPI_Wtime();
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                       MPI_ERRCODES_IGNORE);
        MPI_Barrier(children);
        MPI_Comm_disconnect(&children);
        took[i] = 1e6 * (MPI_Wtime() - start);
    }
    qsort(took, TIMES, sizeof *took, by_value);
    printf("%.1f\n", took[TIMES / 2]);
    MPI_Finalize();
    return 0;
}
