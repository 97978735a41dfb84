/* What error handlers hear of requests: the code of the request that caused an error, on that
 * request's communicator, whatever the call returns. */
#include "check.h"
#include <mpi-ext.h>

#define W MPI_COMM_WORLD

enum call { WAITALL, TESTALL, WAITSOME, TESTSOME, LOOK_ALL, LOOK_SOME, CALLS };

static int calls, heard;
static MPI_Comm heard_on;
static char words[MPI_MAX_ERROR_STRING];
static MPI_Status statuses[8];

static void hear(MPI_Comm *comm, int *code, ...)
{
    int length;
    calls++;
    heard_on = *comm;
    MPI_Error_class(*code, &heard);
    MPI_Error_string(*code, words, &length);
}

static MPI_Comm copy_of(MPI_Comm comm)
{
    MPI_Errhandler mine;
    MPI_Comm copy;
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_create_errhandler(hear, &mine);
    MPI_Comm_set_errhandler(copy, mine);
    MPI_Errhandler_free(&mine);
    return copy;
}

/* Calls until something is wrong. */
static int until_failure(enum call call, int count, MPI_Request *requests)
{
    int code = MPI_SUCCESS, some, flag, indices[8];
    while (code == MPI_SUCCESS) {
        if (call == WAITALL)
            code = MPI_Waitall(count, requests, statuses);
        if (call == TESTALL)
            code = MPI_Testall(count, requests, &flag, statuses);
        if (call == WAITSOME)
            code = MPI_Waitsome(count, requests, &some, indices, statuses);
        if (call == TESTSOME)
            code = MPI_Testsome(count, requests, &some, indices, statuses);
        if (call == LOOK_ALL)
            code = MPI_Request_get_status_all(count, requests, &flag, statuses);
        if (call == LOOK_SOME)
            code = MPI_Request_get_status_some(count, requests, &some, indices, statuses);
    }
    return code;
}

static void expect_heard(int times, MPI_Comm comm, int class, const char *text)
{
    EQUAL(calls, times);
    CHECK(heard_on == comm);
    EQUAL(heard, class);
    if (!strstr(words, text))
        FAIL("\"%s\" does not say \"%s\"", words, text);
    calls = 0;
}

/* Messages that are too long, on three communicators of this rank's own. */
static void too_long(void)
{
    MPI_Comm comm[3];
    char data[8] = "", into[3][8];
    for (int i = 0; i < 3; i++)
        comm[i] = copy_of(MPI_COMM_SELF);
    for (enum call call = WAITALL; call < CALLS; call++) {
        /* 1: the only request; 3: the second and the third of three. */
        for (int count = 1; count <= 3; count += 2) {
            MPI_Request requests[3];
            for (int i = 0; i < count; i++)
                MPI_Irecv(into[i], i == 0 && count > 1 ? 8 : 1, MPI_CHAR, 0, 0, comm[i],
                          &requests[i]);
            for (int i = 0; i < count; i++)
                MPI_Send(data, 8, MPI_CHAR, 0, 0, comm[i]);
            FAILS(until_failure(call, count, requests), MPI_ERR_IN_STATUS, "8 bytes");
            EQUAL(statuses[count > 1].MPI_ERROR, MPI_ERR_TRUNCATE);
            expect_heard(1, comm[count > 1], MPI_ERR_TRUNCATE, "8 bytes");
            if (call == LOOK_ALL || call == LOOK_SOME) {
                EQUAL(MPI_Waitall(count, requests, statuses), MPI_ERR_IN_STATUS);
                expect_heard(1, comm[count > 1], MPI_ERR_TRUNCATE, "8 bytes");
            }
        }
    }
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&comm[i]);
}

/* One request, and any of some: the call returns what the handler hears. */
static void single(void)
{
    MPI_Comm comm = copy_of(MPI_COMM_SELF);
    MPI_Request requests[2];
    char data[8] = "", into[8];
    int index, flag = 0, code = MPI_SUCCESS;
    for (int call = 0; call < 4; call++) {
        MPI_Irecv(into, 1, MPI_CHAR, 0, 0, comm, &requests[1]);
        MPI_Irecv(into, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[0]);
        MPI_Send(data, 8, MPI_CHAR, 0, 0, comm);
        for (flag = 0, code = MPI_SUCCESS; call % 2 == 1 && !flag && code == MPI_SUCCESS;)
            code = call == 1 ? MPI_Test(&requests[1], &flag, statuses)
                             : MPI_Testany(2, requests, &index, &flag, statuses);
        if (call == 0)
            code = MPI_Wait(&requests[1], statuses);
        if (call == 2)
            code = MPI_Waitany(2, requests, &index, statuses);
        EQUAL(code, MPI_ERR_TRUNCATE);
        expect_heard(1, comm, MPI_ERR_TRUNCATE, "8 bytes");
        MPI_Cancel(&requests[0]);
        MPI_Wait(&requests[0], statuses);
    }
    MPI_Comm_free(&comm);
}

/* What cannot be done with a request is its communicator's to hear. */
static void misused(void)
{
    MPI_Comm comm = copy_of(W);
    MPI_Request requests[2], collective;
    char data[8] = "";
    int one = 1, sum;
    MPI_Recv_init(data, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Recv_init(data, 1, MPI_CHAR, rank, 0, comm, &requests[1]);
    FAILS(MPI_Cancel(&requests[1]), MPI_ERR_REQUEST, "inactive");
    expect_heard(1, comm, MPI_ERR_REQUEST, "inactive");
    MPI_Start(&requests[1]);
    FAILS(MPI_Startall(2, requests), MPI_ERR_REQUEST, "is active");
    expect_heard(1, comm, MPI_ERR_REQUEST, "is active");
    FAILS(MPI_Start(&requests[1]), MPI_ERR_REQUEST, "is active");
    expect_heard(1, comm, MPI_ERR_REQUEST, "is active");
    MPI_Send(data, 1, MPI_CHAR, rank, 0, comm);
    EQUAL(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    /* The last to come is where it may be complete at once. */
    if (rank != size - 1) {
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &collective);
        FAILS(MPI_Start(&collective), MPI_ERR_REQUEST, "not persistent");
        expect_heard(1, comm, MPI_ERR_REQUEST, "not persistent");
        FAILS(MPI_Cancel(&collective), MPI_ERR_REQUEST, "cannot be cancelled");
        expect_heard(1, comm, MPI_ERR_REQUEST, "cannot be cancelled");
        FAILS(MPI_Request_free(&collective), MPI_ERR_REQUEST, "cannot be freed");
        expect_heard(1, comm, MPI_ERR_REQUEST, "cannot be freed");
    }
    MPI_Barrier(W);
    if (rank == size - 1)
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &collective);
    EQUAL(MPI_Wait(&collective, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(sum, size);
    EQUAL(calls, 0);
    MPI_Comm_free(&comm);
}

/* A collective operation that has ended may be freed, whichever member it ends at first. */
static void freed(void)
{
    MPI_Comm comm = copy_of(W);
    for (int round = 0; round < 50; round++) {
        MPI_Request request;
        int one = 1, sum = 0, flag = 0;
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
        while (!flag)
            EQUAL(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EQUAL(MPI_Request_free(&request), MPI_SUCCESS);
        CHECK(request == MPI_REQUEST_NULL);
        EQUAL(sum, size);
        MPI_Ibarrier(comm, &request);
        MPI_Barrier(W);
        EQUAL(calls, 0);
        /* All have come, so it ends however often it is only asked to go. */
        int code;
        while ((code = MPI_Request_free(&request)) != MPI_SUCCESS)
            EQUAL(code, MPI_ERR_REQUEST);
        calls = 0;
    }
    MPI_Comm_free(&comm);
}

/* The last rank dies; what waits for it fails, what waits for others is pending. */
static void dead(void)
{
    MPI_Comm comm = copy_of(W), other = copy_of(W);
    const int lost = size - 1, next = (rank + 1) % (size - 1);
    const int of_ulfm = getenv("IS_ULFM") != NULL;
    const int failed = of_ulfm ? MPIX_ERR_PROC_FAILED : MPI_ERR_OTHER;
    MPI_Request requests[LOOK_ALL][3];
    char into[LOOK_ALL][3];
    for (enum call call = WAITALL; call < LOOK_ALL; call++) {
        MPI_Irecv(&into[call][0], 1, MPI_CHAR, next, 7, other, &requests[call][0]);
        MPI_Irecv(&into[call][1], 1, MPI_CHAR, lost, 7, comm, &requests[call][1]);
        MPI_Irecv(&into[call][2], 1, MPI_CHAR, lost, 7, other, &requests[call][2]);
    }
    MPI_Barrier(W);
    if (rank == lost)
        abort();
    for (enum call call = WAITALL; call < LOOK_ALL; call++) {
        FAILS(until_failure(call, 3, requests[call]), MPI_ERR_IN_STATUS, "died");
        expect_heard(1, heard_on, failed, "died");
        CHECK(heard_on == comm || (!of_ulfm && heard_on == other));
        for (int i = 0; i < 3; i++) {
            if (requests[call][i] != MPI_REQUEST_NULL)
                MPI_Cancel(&requests[call][i]);
            MPI_Wait(&requests[call][i], MPI_STATUS_IGNORE);
        }
        calls = 0;
    }
    /* A receive that goes on has not failed where another one has. */
    if (of_ulfm) {
        MPI_Request any, both[2];
        MPI_Irecv(into[0], 1, MPI_CHAR, MPI_ANY_SOURCE, 8, other, &any);
        EQUAL(MPI_Waitall(1, &any, statuses), MPI_ERR_IN_STATUS);
        expect_heard(1, other, MPIX_ERR_PROC_FAILED_PENDING, "died");
        both[0] = any;
        MPI_Irecv(into[1], 1, MPI_CHAR, lost, 8, comm, &both[1]);
        EQUAL(MPI_Waitall(2, both, statuses), MPI_ERR_IN_STATUS);
        expect_heard(1, comm, MPIX_ERR_PROC_FAILED, "died");
        MPI_Cancel(&both[0]);
        MPI_Wait(&both[0], MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    const struct test tests[] = {
        {"too-long", too_long}, {"single", single}, {"misused", misused},
        {"freed", freed},       {"dead", dead},     {NULL, NULL},
    };
    return run_test(argc, argv, tests);
}
