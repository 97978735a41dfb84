// An error handler throws: it is over then, and hears of the next error, however deep that is on
// the stack. An exception that it catches itself changes nothing: it is not entered again.
#include <cstdio>
#include <mpi.h>

static int heard, is_to_catch;

static int fail()
{
    return MPI_Send(nullptr, 0, MPI_INT, 4711, 0, MPI_COMM_WORLD);
}

static void handler(MPI_Comm *, int *code, ...)
{
    heard++;
    if (is_to_catch) {
        try {
            throw *code;
        } catch (int) {
        }
        // Inside of the handler, errors are returned.
        if (fail() == MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 3);
        return;
    }
    throw *code;
}

static int deeper(int depth)
{
    volatile char room[256] = {};
    return depth == 0 ? fail() : deeper(depth - 1) + room[depth];
}

int main(int argc, char **argv)
{
    int caught = 0;
    MPI_Errhandler mine;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    for (int depth = 0; depth < 20; depth++) {
        try {
            deeper(depth);
        } catch (int) {
            caught++;
        }
    }
    is_to_catch = 1;
    for (int depth = 0; depth < 20; depth++)
        deeper(depth);
    std::printf("%d caught, %d heard\n", caught, heard);
    MPI_Finalize();
    return 0;
}
