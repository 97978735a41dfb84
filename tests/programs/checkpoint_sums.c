/* What sums of doubles can and cannot bring back: numbers of rank 1 beside larger ones of the
 * others.
 *
 *     checkpoint_sums SCHEME LARGE [nan|infinite|async]
 */
#include <mpi.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftmpi.h"

enum { COUNT = 3000 };

static double x[COUNT], zeros[COUNT];
static int rank;

static void fill(double large)
{
    for (int i = 0; i < COUNT; i++) {
        x[i] = rank == 1 ? 1 + i % 7 : large * (1 + i % 3);
        zeros[i] = rank == 1 ? 0 : large;
    }
}

static int save(FTCK ck, int version, int is_beside)
{
    MPI_Request request;
    if (!is_beside)
        return FTCK_Checkpoint(ck, version);
    int code = FTCK_Icheckpoint(ck, version, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

static void tell(const char *what, int code)
{
    char words[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, words, &length);
    printf("%s: %s\n", what, words);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    double large = atof(argv[2]);
    const char *word = argc > 3 ? argv[3] : "";
    int version, known, failures, digits;
    FTCK ck;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FTCK_Create(MPI_COMM_WORLD, argv[1], &ck);
    /* Otherwise each process counts as a node. */
    if (getenv("EACH_A_NODE"))
        FTCK_Set_node(ck, rank);
    FTCK_Register(ck, 4, x, COUNT, MPI_DOUBLE);
    FTCK_Register(ck, 6, zeros, COUNT, MPI_DOUBLE);
    if (ftmpi_incarnation() == 0) {
        fill(large);
        if (FTCK_Checkpoint(ck, 10) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 3);
        fill(1);
        if (*word) {
            if (rank == 1 || strcmp(word, "infinite") == 0)
                zeros[COUNT - 1] = strcmp(word, "infinite") == 0 ? 1e308 : NAN;
            tell("saved", save(ck, 20, strcmp(word, "async") == 0));
            FTCK_Status(ck, &known, &failures, &digits);
            printf("stands %d, %d more\n", known, failures);
            fflush(stdout);
        }
        if (rank == 1)
            raise(SIGKILL);
        while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            ;
        MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
        MPI_Comm_dup(MPI_COMM_WORLD, &repaired);
    }
    int code = FTCK_Restore(ck, &version);
    if (code != MPI_SUCCESS) {
        tell("restored", code);
    } else {
        double worst = 0;
        int is_zero = 1;
        double is[COUNT];
        memcpy(is, x, sizeof is);
        for (int i = 0; i < COUNT; i++)
            is_zero = is_zero && (rank != 1 || zeros[i] == 0);
        fill(large);
        for (int i = 0; i < COUNT; i++)
            worst = fmax(worst, fabs(is[i] - x[i]) / (rank == 1 ? 7 : large * 3));
        FTCK_Status(ck, &known, &failures, &digits);
        printf("restored %d, digits %d, as told %d, zeros %d\n", version, digits,
               worst <= 1e-15 * pow(10, digits), is_zero);
    }
    MPI_Finalize();
    return 0;
}
