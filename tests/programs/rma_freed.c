/* ULFM; rank 2 dies, and rank 1 frees the window while rank 0 goes on using its memory: rank 1
 * lives, nobody changes what has been its own again, and rank 0 hears why it has to stop.
 * Arguments: put, get or fetch; "allocate" for memory of the library's. */
#include "check.h"
#include "ftmpi.h"
#include <mpi-ext.h>
#include <signal.h>
#include <sys/mman.h>

enum { BYTES = 1 << 20 };

static int use(const char *what, MPI_Win win)
{
    static char bytes[BYTES];
    long one = 1, was;
    if (!strcmp(what, "put"))
        return MPI_Put(bytes, BYTES, MPI_CHAR, 1, 0, BYTES, MPI_CHAR, win);
    if (!strcmp(what, "get"))
        return MPI_Get(bytes, BYTES, MPI_CHAR, 1, 0, BYTES, MPI_CHAR, win);
    return MPI_Fetch_and_op(&one, &was, MPI_LONG, 1, 0, MPI_SUM, win);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    char *memory, byte = 0;
    const int is_allocated = argc > 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (is_allocated)
        MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    else
        MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    memset(memory, 0, BYTES);
    EQUAL(MPI_Win_lock_all(0, win), 0);
    if (rank == 2) {
        for (int from = 0; from < 2; from++)
            EQUAL(MPI_Recv(&byte, 1, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
        raise(SIGKILL);
    }
    EQUAL(MPI_Send(&byte, 1, MPI_CHAR, 2, 0, MPI_COMM_WORLD), 0);
    if (rank == 1) {
        FAILS(MPI_Recv(&byte, 1, MPI_CHAR, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPIX_ERR_PROC_FAILED, "rank 2");
        MPI_Win_unlock_all(win);
        EQUAL(MPI_Win_free(&win), 0);
        if (!is_allocated)
            memset(memory, 7, BYTES);
        EQUAL(MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
        for (int i = 0; i < BYTES && !is_allocated; i++)
            EQUAL(memory[i], 7);
    } else {
        int code;
        while ((code = use(argv[1], win)) == MPI_SUCCESS)
            ;
        FAILS(code, MPIX_ERR_REVOKED, "revoked");
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
        EQUAL(MPI_Send(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD), 0);
    }
    puts("ok");
    return MPI_Finalize();
}
