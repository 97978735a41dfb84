/* A program of 1995. */
#include "check.h"

static int calls;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    calls += *comm == MPI_COMM_WORLD && *code == MPI_ERR_COUNT;
}

static void old(void)
{
    MPI_Handler_function *function = on_error;
    MPI_Errhandler mine, seen;
    MPI_Aint first, second;
    int pair[2], keyval, flag;
    void *value;
    MPI_Address(&pair[0], &first);
    MPI_Address(&pair[1], &second);
    EQUAL(second - first, sizeof(int));
    MPI_Errhandler_create(function, &mine);
    MPI_Errhandler_set(MPI_COMM_WORLD, mine);
    MPI_Errhandler_get(MPI_COMM_WORLD, &seen);
    CHECK(seen == mine);
    EQUAL(MPI_Bcast(pair, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    EQUAL(calls, 1);
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&seen);
    MPI_Errhandler_free(&mine);
    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &keyval, NULL);
    MPI_Attr_put(MPI_COMM_WORLD, keyval, pair);
    MPI_Attr_get(MPI_COMM_WORLD, keyval, &value, &flag);
    CHECK(flag && value == pair);
    MPI_Attr_delete(MPI_COMM_WORLD, keyval);
    MPI_Attr_get(MPI_COMM_WORLD, keyval, &value, &flag);
    CHECK(!flag);
    MPI_Keyval_free(&keyval);
    EQUAL(keyval, MPI_KEYVAL_INVALID);
}

/* Compiled with another header, a program calls functions where ours might have macros. */
static void functions(void)
{
    int (*address)(const void *, MPI_Aint *) = &MPI_Address;
    int (*create)(MPI_Handler_function *, MPI_Errhandler *) = &MPI_Errhandler_create;
    int (*get)(MPI_Comm, MPI_Errhandler *) = &MPI_Errhandler_get;
    int (*set)(MPI_Comm, MPI_Errhandler) = &MPI_Errhandler_set;
    MPI_Errhandler mine, seen;
    MPI_Aint place;
    EQUAL(address(&place, &place), MPI_SUCCESS);
    CHECK(place == (MPI_Aint)&place);
    EQUAL(create(on_error, &mine), MPI_SUCCESS);
    EQUAL(set(MPI_COMM_WORLD, mine), MPI_SUCCESS);
    EQUAL(get(MPI_COMM_WORLD, &seen), MPI_SUCCESS);
    CHECK(seen == mine);
    EQUAL(set(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    MPI_Errhandler_free(&seen);
    MPI_Errhandler_free(&mine);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {{"old", old}, {"functions", functions}, {0}};
    return run_test(argc, argv, tests);
}
