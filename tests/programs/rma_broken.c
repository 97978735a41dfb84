/* A library with one mistake, to show that the oracle of rma.c's random case finds it: `BROKEN`
 * names the call that does, every hundredth time, what it should not. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int is_wrong(const char *call)
{
    static int times;
    const char *broken = getenv("BROKEN");
    return broken && !strcmp(broken, call) && ++times % 100 == 0;
}

int MPI_Put(const void *from, int count, MPI_Datatype type, int to, MPI_Aint at, int there,
            MPI_Datatype remote, MPI_Win win)
{
    return is_wrong("put") ? MPI_SUCCESS
                           : PMPI_Put(from, count, type, to, at, there, remote, win);
}

int MPI_Get(void *into, int count, MPI_Datatype type, int to, MPI_Aint at, int there,
            MPI_Datatype remote, MPI_Win win)
{
    int code = PMPI_Get(into, count, type, to, at, there, remote, win);
    if (is_wrong("get"))
        ++*(long *)into;
    return code;
}

int MPI_Accumulate(const void *from, int count, MPI_Datatype type, int to, MPI_Aint at, int there,
                   MPI_Datatype remote, MPI_Op op, MPI_Win win)
{
    if (is_wrong("accumulate"))
        PMPI_Accumulate(from, count, type, to, at, there, remote, op, win);
    return PMPI_Accumulate(from, count, type, to, at, there, remote, op, win);
}

int MPI_Fetch_and_op(const void *from, void *into, MPI_Datatype type, int to, MPI_Aint at,
                     MPI_Op op, MPI_Win win)
{
    /* The result is right; the value in the window is not. */
    if (is_wrong("fetch"))
        return PMPI_Fetch_and_op(from, into, type, to, at, MPI_NO_OP, win);
    return PMPI_Fetch_and_op(from, into, type, to, at, op, win);
}
