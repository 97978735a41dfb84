/* Two worlds under the modes of FT-MPI: parents, and children that they have spawned. Each recovers
 * for itself; then both meet at a port.
 *
 *     worlds c1 p0     in their first lives, rank 1 of the children and rank 0 of the parents die
 *                      after both worlds have talked
 *     worlds self c1   the same; but only the first of each world accepts or connects, in the name
 *                      of itself
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHILDREN = 3 };

static int rank, size, is_child, errors;
static const char *NAME = "worlds meet";

static void expect(int holds, const char *what)
{
    if (!holds) {
        printf("%s %d: %s\n", is_child ? "child" : "parent", rank, what);
        errors++;
    }
}

static int is_told(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class == MPI_ERR_OTHER;
}

static int is_victim(int argc, char **argv)
{
    char own[16];
    int is_it = 0;
    sprintf(own, "%c%d", is_child ? 'c' : 'p', rank);
    for (int i = 1; i < argc; i++)
        is_it |= !strcmp(argv[i], own);
    return is_it && atoi(getenv("FTMPI_INCARNATION") ? getenv("FTMPI_INCARNATION") : "0") == 0;
}

/* How many ranks of the own world are among the victims. */
static int victims(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++)
        count += argv[i][0] == (is_child ? 'c' : 'p');
    return count;
}

/* Whoever dies, the call fails at all who live; then its world recovers, if it is the own one: with
 * AUTO in the environment, in the calls that hear of a death. */
static void recover(MPI_Comm inter)
{
    MPI_Comm again;
    int code = MPI_Barrier(inter);
    expect(is_told(code), "a barrier with the dead");
    if (getenv("AUTO"))
        return;
    /* One who has heard of a death in the other world only is told of that in its own by the first
     * attempt. */
    do
        code = MPI_Comm_dup(MPI_COMM_WORLD, &again);
    while (is_told(code));
    expect(code == MPI_SUCCESS || code == MPI_INIT_RESTARTED_PROCS, "the world recovers");
}

/* The first that replacements and survivors do together; returns how many they are. */
static int count(int before, int argc, char **argv)
{
    int one = 1, sum = 0, code;
    do
        code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    while (getenv("AUTO") && is_told(code));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *mode = getenv("MODE");
    int lost = mode && !strcmp(mode, "shrink") ? victims(argc, argv) : 0;
    expect(size == before - lost, "the size of the own world");
    return sum;
}

/* One communicator of both worlds again, by a port that is published. */
static void meet(MPI_Comm from, int root, MPI_Comm *inter)
{
    char port[MPI_MAX_PORT_NAME];
    int code;
    if (!is_child) {
        if (rank == root) {
            MPI_Open_port(MPI_INFO_NULL, port);
            MPI_Publish_name(NAME, MPI_INFO_NULL, port);
        }
        code = MPI_Comm_accept(port, MPI_INFO_NULL, from == MPI_COMM_SELF ? 0 : root, from, inter);
        expect(code == MPI_SUCCESS, "accept");
        if (rank == root)
            MPI_Unpublish_name(NAME, MPI_INFO_NULL, port);
        return;
    }
    if (rank == root) {
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        while (MPI_Lookup_name(NAME, MPI_INFO_NULL, port) != MPI_SUCCESS)
            ;
    }
    code = MPI_Comm_connect(port, MPI_INFO_NULL, from == MPI_COMM_SELF ? 0 : root, from, inter);
    expect(code == MPI_SUCCESS, "connect");
}

/* The first who lives: rank 1 if rank 0 has left a gap. */
static int first(int argc, char **argv)
{
    const char *mode = getenv("MODE");
    int is_gap = 0;
    for (int i = 1; i < argc; i++)
        is_gap |= !strcmp(argv[i], is_child ? "c0" : "p0");
    return is_gap && mode && !strcmp(mode, "blank");
}

int main(int argc, char **argv)
{
    MPI_Comm inter, again;
    int code = MPI_Init(&argc, &argv), one = 1, own = 0, theirs = 0, sum = 0;
    int is_new = code == MPI_INIT_RESTARTED_PROCS;
    int is_alone = argc > 1 && !strcmp(argv[1], "self");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&inter);
    is_child = inter != MPI_COMM_NULL;
    if (!is_new) {
        if (!is_child)
            expect(MPI_Comm_spawn(argv[0], argv + 1, CHILDREN, MPI_INFO_NULL, size - 1,
                                  MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE) == MPI_SUCCESS,
                   "spawned");
        code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
        MPI_Comm_remote_size(inter, &theirs);
        expect(is_told(code) || sum == theirs, "both worlds talk");
        if (is_victim(argc, argv))
            raise(SIGKILL);
        recover(inter);
    }
    own = count(size, argc, argv);
    expect(is_child || !is_new || inter == MPI_COMM_NULL, "the first world has no parents");
    if (inter != MPI_COMM_NULL) {
        expect(is_told(MPI_Barrier(inter)), "what reaches out is of no use any more");
        code = MPI_Recv(&sum, 1, MPI_INT, 0, 5, inter, MPI_STATUS_IGNORE);
        expect(is_told(code), "nor are messages");
        MPI_Comm_free(&inter);
    }
    if (is_alone) {
        if (rank == 0) {
            meet(MPI_COMM_SELF, rank, &again);
            MPI_Sendrecv(&own, 1, MPI_INT, 0, 1, &theirs, 1, MPI_INT, 0, 1, again,
                         MPI_STATUS_IGNORE);
            MPI_Comm_disconnect(&again);
        }
    } else {
        meet(MPI_COMM_WORLD, first(argc, argv), &again);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, again);
        MPI_Comm_remote_size(again, &theirs);
        expect(sum == theirs && theirs >= 1, "both worlds talk again");
        MPI_Comm_disconnect(&again);
    }
    expect(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "the own world is well");
    printf("%s %s: %d errors\n", is_child ? "child" : "parent", is_new ? "anew" : "of old", errors);
    MPI_Finalize();
    return 0;
}
