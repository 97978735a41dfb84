/* Atomic mode: of a nonblocking access that is outstanding and a collective one of the same bytes,
 * one comes first, whole. */
#include "check.h"

enum { BYTES = 3 << 20, ROUNDS = 12 };
static char single[BYTES], together[BYTES], seen[BYTES];

static void must_be_whole(const char *what)
{
    for (int i = 1; i < BYTES; i++)
        if (seen[i] != seen[0])
            FAIL("%s: byte %d is %d, byte 0 is %d", what, i, seen[i], seen[0]);
}

int main(int argc, char **argv)
{
    MPI_File f;
    MPI_Request one, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    EQUAL(MPI_File_open(MPI_COMM_WORLD, "atomic", mode, MPI_INFO_NULL, &f), MPI_SUCCESS);
    EQUAL(MPI_File_set_atomicity(f, 1), MPI_SUCCESS);
    for (int round = 0; round < ROUNDS; round++) {
        memset(single, 1 + rank + round, BYTES);
        memset(together, 65 + rank + round, BYTES);
        EQUAL(MPI_File_iwrite_at(f, 0, single, BYTES, MPI_BYTE, &one), MPI_SUCCESS);
        if (round % 2) {
            EQUAL(MPI_File_write_at_all(f, 0, together, BYTES, MPI_BYTE, MPI_STATUS_IGNORE), 0);
        } else {
            EQUAL(MPI_File_iwrite_at_all(f, 0, together, BYTES, MPI_BYTE, &all), MPI_SUCCESS);
            EQUAL(MPI_Wait(&all, MPI_STATUS_IGNORE), MPI_SUCCESS);
        }
        EQUAL(MPI_Wait(&one, MPI_STATUS_IGNORE), MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
        EQUAL(MPI_File_read_at(f, 0, seen, BYTES, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
        must_be_whole("after all");
        MPI_Barrier(MPI_COMM_WORLD);
        /* A reader sees a write of all, or nothing of it. */
        memset(single, 40 + round, BYTES);
        if (rank == 0)
            EQUAL(MPI_File_iwrite_at(f, 0, single, BYTES, MPI_BYTE, &one), MPI_SUCCESS);
        EQUAL(MPI_File_read_at_all(f, 0, seen, BYTES, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
        must_be_whole("meanwhile");
        if (rank == 0)
            EQUAL(MPI_Wait(&one, MPI_STATUS_IGNORE), MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    EQUAL(MPI_File_close(&f), MPI_SUCCESS);
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
