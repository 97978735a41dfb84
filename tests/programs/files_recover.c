/* A rank dies while all write to a file, and is started again: the old file cannot be used
 * together any more, but alone, and it can be closed; opened again, it has what was written. Every
 * rank writes its block in each step; a step counts when all have written. Argument: how many
 * steps. */
#include "check.h"
#include <ft-mpi-modes.h>

enum { BYTES = 1000 };

static MPI_File f = MPI_FILE_NULL;
static unsigned char data[BYTES], in[BYTES];

static MPI_Offset place(int step, int who)
{
    return (MPI_Offset)BYTES * (step * size + who);
}

static int open_again(void)
{
    return MPI_File_open(MPI_COMM_WORLD, "recover", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL,
                         &f);
}

/* How far all have come: what the youngest knows. */
static int agree_on(int *step)
{
    int mine = *step;
    return MPI_Allreduce(&mine, step, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
}

static int compute(int *step, int steps)
{
    int code = agree_on(step);
    if (code == MPI_SUCCESS)
        code = open_again();
    for (; code == MPI_SUCCESS && *step < steps; ++*step) {
        MPI_Status status;
        fill(data, BYTES, 3 * *step + rank);
        code = MPI_File_write_at_all(f, place(*step, rank), data, BYTES, MPI_BYTE, &status);
        if (code == MPI_SUCCESS)
            EQUAL(count_of(&status), BYTES);
    }
    return code == MPI_SUCCESS ? MPI_File_close(&f) : code;
}

static void leave_old_file(void)
{
    MPI_Status status;
    if (f == MPI_FILE_NULL)
        return;
    FAILS(MPI_File_write_at_all(f, 0, data, 0, MPI_BYTE, &status), MPI_ERR_OTHER, "recovery");
    EQUAL(MPI_File_read_at(f, 0, in, 1, MPI_BYTE, &status), MPI_SUCCESS);
    EQUAL(MPI_File_close(&f), MPI_SUCCESS);
    CHECK(f == MPI_FILE_NULL);
}

int main(int argc, char **argv)
{
    int code = MPI_Init(&argc, &argv), steps = atoi(argv[1]), step = 0;
    CHECK(code == MPI_SUCCESS || code == MPI_INIT_RESTARTED_PROCS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (compute(&step, steps) != MPI_SUCCESS) {
        MPI_Comm again;
        while (MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
            ;
        MPI_Comm_free(&again);
        leave_old_file();
    }
    EQUAL(MPI_File_open(MPI_COMM_SELF, "recover", MPI_MODE_RDONLY, MPI_INFO_NULL, &f), MPI_SUCCESS);
    for (step = 0; step < steps; step++) {
        MPI_Status status;
        int left = (rank + 1) % size;
        EQUAL(MPI_File_read_at(f, place(step, left), in, BYTES, MPI_BYTE, &status), MPI_SUCCESS);
        EQUAL(count_of(&status), BYTES);
        expect(in, BYTES, 3 * step + left);
    }
    EQUAL(MPI_File_close(&f), MPI_SUCCESS);
    printf("the file is whole\n");
    MPI_Finalize();
    return 0;
}
