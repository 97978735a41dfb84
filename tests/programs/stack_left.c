/* Programs hand in variables that they have given no value. Whatever lies there on the stack, the
 * library has not put the address of FT_MPI_CHECK_RECOVER there: that would be a wish. */
#include "check.h"
#include <ft-mpi-modes.h>
#include <signal.h>
#include <stdint.h>

enum { DEPTH = 8192 };

/* How often earlier calls have left the address below the caller. It is compared as something
 * else, so that this function does not put it there itself. */
__attribute__((noinline)) static int found(uintptr_t mask)
{
    volatile uintptr_t stack[DEPTH];
    int count = 0;
    for (int i = 0; i < DEPTH; i++)
        count += (stack[i] ^ mask) == ((uintptr_t)FT_MPI_CHECK_RECOVER ^ mask);
    return count;
}

#define LEAVES_NOTHING(call)                                                                       \
    do {                                                                                           \
        call;                                                                                      \
        int found_ = found(mask);                                                                  \
        if (found_)                                                                                \
            FAIL("%s leaves %d", #call, found_);                                                   \
    } while (0)

int main(int argc, char **argv)
{
    MPI_Comm made;
    MPI_Group group;
    uintptr_t mask = (uintptr_t)argv;
    int before = found(mask);
    LEAVES_NOTHING(MPI_Init(&argc, &argv));
    EQUAL(before, 0);
    LEAVES_NOTHING(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    LEAVES_NOTHING(MPI_Comm_size(MPI_COMM_WORLD, &size));
    LEAVES_NOTHING(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    LEAVES_NOTHING(MPI_Comm_group(MPI_COMM_WORLD, &group));
    LEAVES_NOTHING(MPI_Comm_dup(MPI_COMM_WORLD, &made));
    LEAVES_NOTHING(MPI_Comm_create(MPI_COMM_WORLD, group, &made));
    LEAVES_NOTHING(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made));
    LEAVES_NOTHING(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &made));
    if (rank == 1)
        raise(SIGKILL);
    for (int code = MPI_SUCCESS; code == MPI_SUCCESS;)
        LEAVES_NOTHING(code = MPI_Barrier(MPI_COMM_WORLD));
    LEAVES_NOTHING(MPI_Comm_dup(MPI_COMM_WORLD, &made));
    LEAVES_NOTHING(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &made));
    LEAVES_NOTHING(MPI_Comm_dup(made, &made));
    MPI_Finalize();
}
