/* A file system that has room for less than what is written: 256 KB, in the current directory; or,
 * with `quota`, a user who may not write more than that. */
#include "check.h"

enum { PIECE = 1 << 19 };
static char data[PIECE];
static int is_quota;

static int is_expected(int class)
{
    return class == (is_quota ? MPI_ERR_QUOTA : MPI_ERR_NO_SPACE);
}

/* What is written does not fit, or part of it; the status says how much is there. */
static void no_space(int code, const MPI_Status *status)
{
    int class, count = 0;
    MPI_Error_class(code, &class);
    CHECK(is_expected(class));
    if (status) {
        MPI_Get_count(status, MPI_BYTE, &count);
        CHECK(count >= 0 && count < PIECE);
    }
}

int main(int argc, char **argv)
{
    MPI_File f;
    MPI_Status status;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(data, 5, sizeof data);
    is_quota = argc > 1 && !strcmp(argv[1], "quota");
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    EQUAL(MPI_File_open(MPI_COMM_WORLD, "full", mode, MPI_INFO_NULL, &f), MPI_SUCCESS);
    MPI_Offset at = (MPI_Offset)rank * PIECE;
    no_space(MPI_File_write_at(f, at, data, PIECE, MPI_BYTE, &status), &status);
    MPI_Barrier(MPI_COMM_WORLD);
    EQUAL(MPI_File_set_size(f, 0), MPI_SUCCESS);
    EQUAL(MPI_File_iwrite_at(f, at, data, PIECE, MPI_BYTE, &request), MPI_SUCCESS);
    no_space(MPI_Wait(&request, &status), &status);
    MPI_Barrier(MPI_COMM_WORLD);
    EQUAL(MPI_File_set_size(f, 0), MPI_SUCCESS);
    no_space(MPI_File_preallocate(f, 2 * PIECE), NULL);
    EQUAL(MPI_File_set_size(f, 0), MPI_SUCCESS);

    /* Each its own piece, and then one byte after the other of all: carried together. */
    no_space(MPI_File_write_at_all(f, at, data, PIECE, MPI_BYTE, &status), &status);
    EQUAL(MPI_File_set_size(f, 0), MPI_SUCCESS);
    MPI_Datatype every;
    MPI_Type_vector(1, 16, 16, MPI_BYTE, &every);
    MPI_Datatype tile;
    MPI_Type_create_resized(every, 0, 16 * size, &tile);
    MPI_Type_commit(&tile);
    EQUAL(MPI_File_set_view(f, 16 * rank, MPI_BYTE, tile, "native", MPI_INFO_NULL), MPI_SUCCESS);
    int code = MPI_File_write_all(f, data, PIECE, MPI_BYTE, &status), class, count, worst;
    MPI_Error_class(code, &class);
    MPI_Get_count(&status, MPI_BYTE, &count);
    MPI_Allreduce(&class, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(is_expected(worst));
    CHECK(class != MPI_SUCCESS ? count < PIECE : count == PIECE);
    MPI_Barrier(MPI_COMM_WORLD);

    /* Once there is room again, all is well. */
    EQUAL(MPI_File_set_size(f, 0), MPI_SUCCESS);
    EQUAL(MPI_File_write_at_all(f, 0, data, 1000, MPI_BYTE, &status), MPI_SUCCESS);
    MPI_Get_count(&status, MPI_BYTE, &count);
    EQUAL(count, 1000);
    MPI_Type_free(&every);
    MPI_Type_free(&tile);
    EQUAL(MPI_File_close(&f), MPI_SUCCESS);
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
