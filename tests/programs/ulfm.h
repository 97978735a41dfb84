/* What programs share that survive failures the ULFM way. The dead are told who by `die_if`. */
#ifndef ULFM_H
#define ULFM_H
#include "check.h"
#include "ftmpi.h"
#include <mpi-ext.h>

#define W MPI_COMM_WORLD

/* Waits until `count` members of `comm` are known to be dead. */
static inline void await_deaths(MPI_Comm comm, int count)
{
    for (int known = 0; known < count;) {
        MPI_Group dead;
        EQUAL(MPIX_Comm_get_failed(comm, &dead), MPI_SUCCESS);
        MPI_Group_size(dead, &known);
        if (dead != MPI_GROUP_EMPTY)
            MPI_Group_free(&dead);
    }
}

static inline void die(void)
{
    ftmpi_kill(ftmpi_rank_in_job());
    FAIL("the victim outlived its death");
}

/* Rank `who` dies, once all others have come here: what they did together before is over. */
static inline void part_with(MPI_Comm comm, int who)
{
    int mine, members;
    MPI_Comm_rank(comm, &mine);
    MPI_Comm_size(comm, &members);
    if (mine != who)
        EQUAL(MPI_Send(NULL, 0, MPI_CHAR, who, 98, comm), MPI_SUCCESS);
    for (int other = 0; mine == who && other < members; other++)
        if (other != who)
            EQUAL(MPI_Recv(NULL, 0, MPI_CHAR, other, 98, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (mine == who)
        die();
}

/* Rank `who` is no more when this returns. */
static inline void let_die(MPI_Comm comm, int who)
{
    part_with(comm, who);
    await_deaths(comm, 1);
}

/* Everybody in `comm` hears everybody. */
static inline void all_are_well(MPI_Comm comm, int expected)
{
    int members, mine, sum, each = 1;
    MPI_Comm_size(comm, &members);
    MPI_Comm_rank(comm, &mine);
    EQUAL(members, expected);
    EQUAL(MPI_Allreduce(&each, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    EQUAL(sum, expected);
    int right = (mine + 1) % members, left = (mine + members - 1) % members, from = -1;
    EQUAL(MPI_Sendrecv(&mine, 1, MPI_INT, right, 7, &from, 1, MPI_INT, left, 7, comm,
                       MPI_STATUS_IGNORE),
          MPI_SUCCESS);
    EQUAL(from, left);
}

static const struct test *ulfm_tests;
static int ulfm_argc;
static char **ulfm_argv;

static void with_errors_returned(void)
{
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (const struct test *test = ulfm_tests; test->name; test++)
        if (ulfm_argc > 1 && strcmp(ulfm_argv[1], test->name) == 0) {
            test->run();
            return;
        }
    FAIL("there is no test %s", ulfm_argc > 1 ? ulfm_argv[1] : "");
}

/* Runs the case that the first argument names. Errors return. */
static inline int run_ulfm(int argc, char **argv, const struct test *tests)
{
    struct test all[] = {{argc > 1 ? argv[1] : "", with_errors_returned}, {NULL, NULL}};
    ulfm_tests = tests, ulfm_argc = argc, ulfm_argv = argv;
    return run_test(argc, argv, all);
}
#endif
