/* `spawn N`: spawns N ranks again and again, and disconnects from them. `spawn port`: two ranks meet
 * at a port instead. Prints the microseconds of one time, the median of several. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 7 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void meet(const char *port, int rank, MPI_Comm *other)
{
    if (rank == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, other);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, other);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, other;
    double took[TIMES];
    char port[MPI_MAX_PORT_NAME] = "";
    int rank, is_port = argc > 1 && !strcmp(argv[1], "port");
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Barrier(parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is_port && rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < TIMES; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        if (is_port)
            meet(port, rank, &other);
        else
            MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, argc > 1 ? atoi(argv[1]) : 2, MPI_INFO_NULL, 0,
                           MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
        MPI_Barrier(other);
        MPI_Comm_disconnect(&other);
        took[i] = 1e6 * (MPI_Wtime() - start);
    }
    qsort(took, TIMES, sizeof *took, by_value);
    if (rank == 0)
        printf("%.1f\n", took[TIMES / 2]);
    if (is_port && rank == 0)
        MPI_Close_port(port);
    MPI_Finalize();
    return 0;
}
