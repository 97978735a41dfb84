/* What programs are told of failures: attributes, codes, words. `failures ROLE`, see main. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, restarted;

#define EXPECT(what, wanted)                                                                    \
    do {                                                                                        \
        long seen = (long)(what);                                                               \
        if (seen != (long)(wanted)) {                                                           \
            fprintf(stderr, "rank %d, line %d: %s is %ld, not %ld\n", rank, __LINE__, #what,    \
                    seen, (long)(wanted));                                                      \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                       \
        }                                                                                       \
    } while (0)

/* Waits until somebody's death is told. */
static int meet_failure(MPI_Comm comm)
{
    int code;
    while ((code = MPI_Barrier(comm)) == MPI_SUCCESS)
        ;
    return code;
}

static int by_pointer(MPI_Comm comm, int key)
{
    int *value = NULL, flag = 0;
    EXPECT(MPI_Comm_get_attr(comm, key, &value, &flag), MPI_SUCCESS);
    EXPECT(flag, 1);
    return *value;
}

/* The record says that rank 2 alone has failed, `times` times. */
static void check_record(MPI_Comm comm, int times)
{
    int guarded[3] = {-1, -1, -1}, flag = 0, *list = NULL, *map = NULL;
    EXPECT(MPI_Attr_get(comm, FT_MPI_LIST_NUM_FAILED, &guarded[1], &flag), MPI_SUCCESS);
    EXPECT(flag, 1);
    EXPECT(guarded[1], times);
    EXPECT(guarded[0], -1);
    EXPECT(guarded[2], -1);
    EXPECT(MPI_Comm_get_attr(comm, FT_MPI_COM_NUM_FAILED, &guarded[1], &flag), MPI_SUCCESS);
    EXPECT(guarded[1], times > 0);
    EXPECT(guarded[2], -1);
    EXPECT(MPI_Attr_get(comm, FT_MPI_LIST_FAILED, &list, &flag), MPI_SUCCESS);
    EXPECT(MPI_Comm_get_attr(comm, FT_MPI_COM_FAILED, &map, &flag), MPI_SUCCESS);
    for (int event = 0; event < times; event++)
        EXPECT(list[event], 2);
    for (int other = 0; other < size; other++)
        EXPECT(map[other] > 0, times > 0 && other == 2);
    EXPECT(by_pointer(comm, FTMPI_NUM_FAILED_PROCS), times > 0);
}

static void recover(void)
{
    MPI_Comm again = FT_MPI_CHECK_RECOVER;
    EXPECT(MPI_Comm_dup(MPI_COMM_WORLD, &again), MPI_SUCCESS);
    EXPECT(again == FT_MPI_CHECK_RECOVER, 0);
    int sum = 0, one = 1;
    EXPECT(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, again), MPI_SUCCESS);
    EXPECT(sum, size);
    EXPECT(MPI_Comm_free(&again), MPI_SUCCESS);
}

static void attributes(void)
{
    if (!restarted) {
        check_record(MPI_COMM_WORLD, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 2)
            raise(SIGKILL);
        EXPECT(meet_failure(MPI_COMM_WORLD), MPI_ERR_OTHER);
        check_record(MPI_COMM_WORLD, 1);
        recover();
    } else {
        int sum = 0, one = 1;
        EXPECT(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
        EXPECT(sum, size);
    }
    check_record(MPI_COMM_WORLD, 1);
    EXPECT(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static void modes(void)
{
    MPI_Comm child, grandchild;
    int mode = FTMPI_COMM_MODE_BLANK, flag, *tag_ub;
    EXPECT(by_pointer(MPI_COMM_WORLD, FTMPI_COMM_MODE), FTMPI_COMM_MODE_SHRINK);
    EXPECT(by_pointer(MPI_COMM_WORLD, FTMPI_MSG_MODE), FTMPI_MSG_MODE_CONT);
    EXPECT(by_pointer(MPI_COMM_WORLD, FTMPI_COLL_MODE), FTMPI_COLL_MODE_NON_ATOMIC);
    EXPECT(by_pointer(MPI_COMM_WORLD, FTMPI_RECOVERY_MODE), FTMPI_RECOVERY_MODE_MANUAL);
    EXPECT(MPI_Comm_dup(MPI_COMM_WORLD, &child), MPI_SUCCESS);
    EXPECT(MPI_Comm_set_attr(child, FTMPI_COMM_MODE, &mode), MPI_SUCCESS);
    EXPECT(MPI_Attr_put(child, FTMPI_COLL_MODE, (void *)FTMPI_COLL_MODE_ATOMIC), MPI_SUCCESS);
    EXPECT(MPI_Comm_split(child, 0, 0, &grandchild), MPI_SUCCESS);
    EXPECT(by_pointer(grandchild, FTMPI_COMM_MODE), FTMPI_COMM_MODE_BLANK);
    EXPECT(by_pointer(grandchild, FTMPI_COLL_MODE), FTMPI_COLL_MODE_ATOMIC);
    EXPECT(by_pointer(grandchild, FTMPI_MSG_MODE), FTMPI_MSG_MODE_CONT);
    EXPECT(by_pointer(MPI_COMM_WORLD, FTMPI_COMM_MODE), FTMPI_COMM_MODE_SHRINK);
    EXPECT(MPI_Comm_delete_attr(child, FTMPI_COMM_MODE), MPI_SUCCESS);
    EXPECT(by_pointer(child, FTMPI_COMM_MODE), FTMPI_COMM_MODE_SHRINK);
    EXPECT(MPI_Comm_get_attr(child, MPI_TAG_UB, &tag_ub, &flag), MPI_SUCCESS);
    MPI_Comm_set_errhandler(child, MPI_ERRORS_RETURN);
    EXPECT(MPI_Comm_set_attr(child, FTMPI_COMM_MODE, (void *)17), MPI_ERR_ARG);
    EXPECT(MPI_Comm_set_attr(child, FT_MPI_LIST_FAILED, &mode), MPI_ERR_KEYVAL);
    MPI_Comm_free(&grandchild);
    MPI_Comm_free(&child);
}

/* Nobody has set a handler: the codes are returned, in statuses too. */
static void codes(void)
{
    if (restarted) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    int words[2] = {0, 0};
    /* Where the death is known already, a receive is not begun and makes none. */
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (rank == 2)
        raise(SIGKILL);
    MPI_Irecv(&words[0], 1, MPI_INT, 2, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&words[1], 1, MPI_INT, 2, 6, MPI_COMM_WORLD, &requests[1]);
    if (requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL) {
        int code = MPI_Waitall(2, requests, statuses);
        EXPECT(code, MPI_ERR_IN_STATUS);
        EXPECT(statuses[0].MPI_ERROR, MPI_ERR_OTHER);
        EXPECT(statuses[1].MPI_ERROR, MPI_ERR_OTHER);
    }
    int code = meet_failure(MPI_COMM_WORLD);
    EXPECT(code, MPI_ERR_OTHER);
    EXPECT(MPI_Error_string(code, text, &length), MPI_SUCCESS);
    EXPECT(strstr(text, "failed so far: rank 2") != NULL, 1);
    MPI_Comm again = FT_MPI_CHECK_RECOVER;
    EXPECT(MPI_Comm_dup(MPI_COMM_WORLD, &again), MPI_SUCCESS);
    EXPECT(MPI_Barrier(again), MPI_SUCCESS);
}

/* MPI_ERRORS_ARE_FATAL is obeyed where the program has set it. */
static void fatal(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (rank == 2)
        raise(SIGKILL);
    meet_failure(MPI_COMM_WORLD);
}

/* The mode of this communicator ends the job, although errors are returned. */
static void aborts(void)
{
    MPI_Comm child;
    MPI_Comm_dup(MPI_COMM_WORLD, &child);
    MPI_Comm_set_attr(child, FTMPI_COMM_MODE, (void *)FTMPI_COMM_MODE_ABORT);
    MPI_Comm_set_errhandler(child, MPI_ERRORS_RETURN);
    MPI_Barrier(child);
    if (rank == 2)
        raise(SIGKILL);
    meet_failure(child);
    printf("rank %d goes on\n", rank);
}

int main(int argc, char **argv)
{
    int code = MPI_Init(&argc, &argv);
    restarted = code == MPI_INIT_RESTARTED_PROCS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *role = argc > 1 ? argv[1] : "";
    if (strcmp(role, "attributes") == 0)
        attributes();
    if (strcmp(role, "modes") == 0)
        modes();
    if (strcmp(role, "codes") == 0)
        codes();
    if (strcmp(role, "fatal") == 0)
        fatal();
    if (strcmp(role, "aborts") == 0)
        aborts();
    if (rank == 0)
        printf("done\n");
    return MPI_Finalize();
}
