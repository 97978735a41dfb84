/* A peer dies while its strided data are referred to, or are being copied, or because they are not
 * there. The victim is rank 1; everybody else goes on. */
#include "check.h"
#include "ftmpi.h"
#include <sys/mman.h>
#include <unistd.h>

#define W MPI_COMM_WORLD
#define ROWS 4096
#define WIDTH 64

static double from[ROWS][WIDTH], to[ROWS][WIDTH];
static MPI_Datatype half;

static void prepare(void)
{
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Type_vector(ROWS * WIDTH / 2, 1, 2, MPI_DOUBLE, &half);
    MPI_Type_commit(&half);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < WIDTH; j++)
            from[i][j] = rank + i * WIDTH + j, to[i][j] = -1;
}

/* The living still reach each other with such data. */
static void talk(void)
{
    if (rank == 0)
        EQUAL(MPI_Send(from, 1, half, 2, 5, W), MPI_SUCCESS);
    if (rank == 2) {
        EQUAL(MPI_Recv(to, 1, half, 0, 5, W, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK(to[ROWS - 1][WIDTH - 2] == ROWS * WIDTH - 2);
    }
}

/* The message is there, its data are not any more. */
static void referenced(void)
{
    MPI_Request request;
    prepare();
    if (rank == 1) {
        MPI_Isend(from, 1, half, 0, 1, W, &request);
        /* The type goes before the message does. */
        MPI_Type_free(&half);
        MPI_Send(NULL, 0, MPI_INT, 0, 2, W);
        ftmpi_kill(1);
        FAIL("the victim outlived its death");
    }
    if (rank == 0) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, 1, 2, W, MPI_STATUS_IGNORE);
        int code = MPI_Recv(to, 1, half, 1, 1, W, &status);
        if (code == MPI_SUCCESS)
            CHECK(to[1][0] == 1 + WIDTH);
        else
            FAILS(code, MPI_ERR_PROC_ABORTED, "rank 1");
        FAILS(MPI_Send(from, 1, half, 1, 1, W), MPI_ERR_PROC_ABORTED, "rank 1");
    }
    talk();
}

/* It dies at some time while message after message of it is being copied. */
static void copied(void)
{
    prepare();
    if (rank == 1)
        for (;;)
            MPI_Send(from, 1, half, 0, 1, W);
    if (rank == 0) {
        int code = MPI_SUCCESS, count = 0;
        while (code == MPI_SUCCESS) {
            memset(to, 0, sizeof to);
            code = MPI_Recv(to, 1, half, 1, 1, W, MPI_STATUS_IGNORE);
            if (code == MPI_SUCCESS)
                CHECK(to[ROWS - 1][WIDTH - 2] == 1 + ROWS * WIDTH - 2);
            if (++count == 20)
                MPI_Send(NULL, 0, MPI_INT, 2, 3, W);
        }
        FAILS(code, MPI_ERR_PROC_ABORTED, "rank 1");
    }
    if (rank == 2) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 3, W, MPI_STATUS_IGNORE);
        ftmpi_kill(1);
    }
    talk();
}

/* Pages of which those in the middle are not there. */
static double *torn(void)
{
    size_t bytes = sizeof from;
    char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + bytes / 2, (size_t)getpagesize(), PROT_NONE);
    return (double *)pages;
}

static void torn_source(void)
{
    prepare();
    if (rank == 1) {
        MPI_Send(torn(), 1, half, 0, 1, W);
        FAIL("the victim outlived its death");
    }
    if (rank == 0)
        FAILS(MPI_Recv(to, 1, half, 1, 1, W, MPI_STATUS_IGNORE), MPI_ERR_PROC_ABORTED, "rank 1");
    talk();
}

static void torn_target(void)
{
    prepare();
    if (rank == 1) {
        MPI_Recv(torn(), 1, half, 0, 1, W, MPI_STATUS_IGNORE);
        FAIL("the victim outlived its death");
    }
    if (rank == 0) {
        int code = MPI_Ssend(from, 1, half, 1, 1, W);
        if (code != MPI_SUCCESS)
            FAILS(code, MPI_ERR_PROC_ABORTED, "rank 1");
    }
    talk();
}

static const struct test TESTS[] = {
    {"referenced", referenced},   {"copied", copied}, {"torn-source", torn_source},
    {"torn-target", torn_target}, {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_test(argc, argv, TESTS);
}
