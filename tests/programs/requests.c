/* Completion of requests in every way, cancellation, statuses, buffers. */
#include "check.h"

#define LARGE 300000
static char data[LARGE], into[LARGE];

/* Rank 0 asks rank 1 for the message with this tag, when it wants it and not before. */
static void ask_for(int tag)
{
    MPI_Send(&tag, 1, MPI_INT, 1, 1000, MPI_COMM_WORLD);
}

/* Rank 1 sends what rank 0 asks for: `tag + 1` bytes, until the tag is negative. */
static void serve(void)
{
    for (;;) {
        int tag;
        MPI_Recv(&tag, 1, MPI_INT, 0, 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (tag < 0)
            return;
        fill(data, tag + 1, tag);
        MPI_Send(data, tag + 1, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
    }
}

static void post(int count, MPI_Request *requests, char (*buffers)[16])
{
    for (int i = 0; i < count; i++)
        MPI_Irecv(buffers[i], 16, MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
}

static void one_by_one(MPI_Request *requests, char (*buffers)[16])
{
    MPI_Status status;
    int flag = 1, index = 0;
    post(4, requests, buffers);
    MPI_Test(&requests[0], &flag, &status);
    CHECK(!flag && requests[0] != MPI_REQUEST_NULL);
    MPI_Request_get_status(requests[0], &flag, &status);
    CHECK(!flag);
    MPI_Testany(4, requests, &index, &flag, &status);
    CHECK(!flag && index == MPI_UNDEFINED);
    ask_for(2);
    status.MPI_ERROR = 77;
    MPI_Waitany(4, requests, &index, &status);
    CHECK(index == 2 && requests[2] == MPI_REQUEST_NULL && status.MPI_TAG == 2);
    EQUAL(status.MPI_ERROR, 77);
    ask_for(0);
    while (flag = 0, MPI_Request_get_status(requests[0], &flag, &status), !flag)
        ;
    CHECK(requests[0] != MPI_REQUEST_NULL && count_of(&status) == 1);
    MPI_Request_get_status_any(4, requests, &index, &flag, &status);
    CHECK(flag && index == 0 && status.MPI_TAG == 0);
    MPI_Testany(4, requests, &index, &flag, &status);
    CHECK(flag && index == 0 && requests[0] == MPI_REQUEST_NULL);
    ask_for(1);
    MPI_Wait(&requests[1], &status);
    CHECK(status.MPI_SOURCE == 1 && count_of(&status) == 2);
    expect(buffers[1], 2, 1);
    ask_for(3);
    while (flag = 0, MPI_Test(&requests[3], &flag, MPI_STATUS_IGNORE), !flag)
        ;
    /* All are MPI_REQUEST_NULL now. */
    MPI_Waitany(4, requests, &index, &status);
    CHECK(index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Testany(4, requests, &index, &flag, &status);
    CHECK(flag && index == MPI_UNDEFINED && count_of(&status) == 0);
    MPI_Wait(&requests[0], &status);
    CHECK(status.MPI_TAG == MPI_ANY_TAG);
}

static void some(MPI_Request *requests, char (*buffers)[16])
{
    int count = 7, indices[6], flag = 1;
    MPI_Status statuses[6];
    post(6, requests, buffers);
    MPI_Testsome(6, requests, &count, indices, statuses);
    EQUAL(count, 0);
    ask_for(4);
    ask_for(1);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Request_get_status_some(6, requests, &count, indices, statuses);
    CHECK(count == 1 && indices[0] == 4 && statuses[0].MPI_TAG == 4);
    MPI_Waitsome(6, requests, &count, indices, statuses);
    CHECK(count == 1 && indices[0] == 4 && count_of(&statuses[0]) == 5);
    expect(buffers[4], 5, 4);
    for (int left = 4; left > 0; left -= count) {
        if (left == 4)
            for (int tag = 0; tag < 6; tag++)
                if (tag != 1 && tag != 4)
                    ask_for(tag);
        MPI_Waitsome(6, requests, &count, indices, statuses);
        for (int i = 0; i < count; i++)
            EQUAL(count_of(&statuses[i]), indices[i] + 1);
    }
    MPI_Waitsome(6, requests, &count, indices, statuses);
    EQUAL(count, MPI_UNDEFINED);
    MPI_Testsome(6, requests, &count, indices, MPI_STATUSES_IGNORE);
    EQUAL(count, MPI_UNDEFINED);
    MPI_Testall(6, requests, &flag, statuses);
    CHECK(flag && statuses[3].MPI_SOURCE == MPI_ANY_SOURCE);
}

static void all(MPI_Request *requests, char (*buffers)[16])
{
    int flag = 1;
    MPI_Status statuses[6];
    post(6, requests, buffers);
    for (int tag = 0; tag < 5; tag++)
        ask_for(tag);
    MPI_Recv(into, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Testall(6, requests, &flag, statuses);
    CHECK(!flag && requests[0] != MPI_REQUEST_NULL);
    MPI_Request_get_status_all(6, requests, &flag, statuses);
    CHECK(!flag);
    ask_for(5);
    while (flag = 0, MPI_Request_get_status_all(6, requests, &flag, statuses), !flag)
        ;
    CHECK(requests[5] != MPI_REQUEST_NULL && count_of(&statuses[5]) == 6);
    for (int i = 0; i < 6; i++)
        statuses[i].MPI_ERROR = 55;
    MPI_Testall(6, requests, &flag, statuses);
    CHECK(flag);
    for (int i = 0; i < 6; i++) {
        CHECK(requests[i] == MPI_REQUEST_NULL && count_of(&statuses[i]) == i + 1);
        EQUAL(statuses[i].MPI_ERROR, 55);
    }
    MPI_Waitall(6, requests, statuses);
    EQUAL(statuses[2].MPI_SOURCE, MPI_ANY_SOURCE);
}

static void completion(void)
{
    MPI_Request requests[6];
    char buffers[6][16];
    if (rank == 1)
        serve();
    if (rank != 0)
        return;
    one_by_one(requests, buffers);
    some(requests, buffers);
    all(requests, buffers);
    ask_for(-1);
}

static void truncation(void)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) {
        fill(data, LARGE, 3);
        for (int tag = 0; tag < 2; tag++)
            for (int i = 0; i < 3; i++)
                MPI_Send(data, tag ? LARGE : 100, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
    }
    for (int tag = 0; tag < 2 && rank == 0; tag++) {
        FAILS(MPI_Recv(into, 10, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &statuses[0]), MPI_ERR_TRUNCATE,
              "room for 10");
        expect(into, 10, 3);
        CHECK(into[10] == 0 && statuses[0].MPI_SOURCE == 1 && count_of(&statuses[0]) == 10);
        for (int i = 0; i < 2; i++)
            MPI_Irecv(into, i ? LARGE : 9, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &requests[i]);
        requests[2] = MPI_REQUEST_NULL;
        for (int i = 0; i < 3; i++)
            statuses[i].MPI_ERROR = 77;
        FAILS(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS, "1 of 3");
        EQUAL(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
        EQUAL(statuses[1].MPI_ERROR, MPI_SUCCESS);
        EQUAL(statuses[2].MPI_ERROR, MPI_SUCCESS);
        CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
        memset(into, 0, sizeof into);
    }
}

static int is_cancelled(MPI_Request *request)
{
    MPI_Status status;
    int flag;
    MPI_Cancel(request);
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &flag);
    return flag;
}

static void cancellation(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(into, 5, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
        CHECK(is_cancelled(&request));
        MPI_Isend(data, LARGE, MPI_CHAR, 1, 6, MPI_COMM_WORLD, &request);
        CHECK(is_cancelled(&request));
        MPI_Issend(data, 5, MPI_CHAR, 1, 6, MPI_COMM_WORLD, &request);
        CHECK(is_cancelled(&request));
        MPI_Isend(data, LARGE, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
        MPI_Recv(into, 1, MPI_CHAR, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(!is_cancelled(&request));
        MPI_Recv_init(into, 5, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        CHECK(is_cancelled(&request) && request != MPI_REQUEST_NULL);
        MPI_Request_free(&request);
    } else if (rank == 1) {
        MPI_Status status;
        int flag;
        /* It would take what is to be cancelled. */
        MPI_Recv(NULL, 0, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(into, LARGE, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        EQUAL(status.MPI_TAG, 7);
        MPI_Test_cancelled(&status, &flag);
        CHECK(!flag);
        MPI_Send(into, 1, MPI_CHAR, 0, 8, MPI_COMM_WORLD);
    }
}

static void statuses(void)
{
    MPI_Status status;
    int value, flag;
    MPI_Status_set_source(&status, 5);
    MPI_Status_set_tag(&status, 6);
    MPI_Status_set_error(&status, 7);
    MPI_Status_set_cancelled(&status, 1);
    CHECK(status.MPI_SOURCE == 5 && status.MPI_TAG == 6 && status.MPI_ERROR == 7);
    MPI_Status_get_source(&status, &value);
    EQUAL(value, 5);
    MPI_Status_get_tag(&status, &value);
    EQUAL(value, 6);
    MPI_Status_get_error(&status, &value);
    EQUAL(value, 7);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
}

static MPI_Status old;

/* Something that no call sets. */
static MPI_Status *before(void)
{
    memset(&old, 0x55, sizeof old);
    old.MPI_ERROR = 77;
    return &old;
}

static void is_empty(const MPI_Status *status)
{
    int cancelled = 1, elements = -1;
    CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG);
    EQUAL(status->MPI_ERROR, MPI_SUCCESS);
    EQUAL(count_of(status), 0);
    MPI_Get_elements(status, MPI_INT, &elements);
    EQUAL(elements, 0);
    MPI_Test_cancelled(status, &cancelled);
    CHECK(!cancelled);
}

/* Every call that completes or looks at a request for which there is nothing to wait. */
static void gives_empty(MPI_Request *request)
{
    MPI_Request handle = *request;
    int flag = 0, index = 0, indices[1];
    EQUAL(MPI_Wait(request, before()), MPI_SUCCESS);
    is_empty(&old);
    EQUAL(MPI_Test(request, &flag, before()), MPI_SUCCESS);
    CHECK(flag);
    is_empty(&old);
    flag = 0;
    EQUAL(MPI_Request_get_status(*request, &flag, before()), MPI_SUCCESS);
    CHECK(flag);
    is_empty(&old);
    EQUAL(MPI_Waitany(1, request, &index, before()), MPI_SUCCESS);
    EQUAL(index, MPI_UNDEFINED);
    is_empty(&old);
    flag = index = 0;
    EQUAL(MPI_Testany(1, request, &index, &flag, before()), MPI_SUCCESS);
    CHECK(flag && index == MPI_UNDEFINED);
    is_empty(&old);
    flag = index = 0;
    EQUAL(MPI_Request_get_status_any(1, request, &index, &flag, before()), MPI_SUCCESS);
    CHECK(flag && index == MPI_UNDEFINED);
    is_empty(&old);
    EQUAL(MPI_Waitall(1, request, before()), MPI_SUCCESS);
    is_empty(&old);
    flag = 0;
    EQUAL(MPI_Testall(1, request, &flag, before()), MPI_SUCCESS);
    CHECK(flag);
    is_empty(&old);
    flag = 0;
    EQUAL(MPI_Request_get_status_all(1, request, &flag, before()), MPI_SUCCESS);
    CHECK(flag);
    is_empty(&old);
    EQUAL(MPI_Waitsome(1, request, &index, indices, before()), MPI_SUCCESS);
    EQUAL(index, MPI_UNDEFINED);
    EQUAL(old.MPI_ERROR, 77);
    EQUAL(MPI_Testsome(1, request, &index, indices, before()), MPI_SUCCESS);
    EQUAL(index, MPI_UNDEFINED);
    EQUAL(old.MPI_ERROR, 77);
    EQUAL(MPI_Waitany(0, NULL, &index, before()), MPI_SUCCESS);
    is_empty(&old);
    CHECK(*request == handle);
}

/* What has ended well is not empty: one that is not asked about errors leaves MPI_ERROR alone. */
static void keeps_error(MPI_Request request)
{
    int flag;
    EQUAL(MPI_Request_get_status(request, &flag, before()), MPI_SUCCESS);
    CHECK(flag);
    EQUAL(old.MPI_ERROR, 77);
    EQUAL(MPI_Waitall(1, &request, before()), MPI_SUCCESS);
    EQUAL(old.MPI_ERROR, 77);
}

static void empty_statuses(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int number = 4;
    gives_empty(&request);
    MPI_Recv_init(&number, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    gives_empty(&request);
    MPI_Start(&request);
    MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    EQUAL(MPI_Wait(&request, before()), MPI_SUCCESS);
    CHECK(old.MPI_ERROR == 77 && old.MPI_SOURCE == 0);
    gives_empty(&request);
    MPI_Request_free(&request);
    MPI_Allreduce_init(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    gives_empty(&request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    gives_empty(&request);
    MPI_Request_free(&request);
    /* Nobody's message is no empty status. */
    MPI_Irecv(&number, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_SELF, &request);
    EQUAL(MPI_Wait(&request, before()), MPI_SUCCESS);
    CHECK(old.MPI_SOURCE == MPI_PROC_NULL && old.MPI_TAG == MPI_ANY_TAG && old.MPI_ERROR == 77);
    EQUAL(count_of(&old), 0);
    MPI_Isend(&number, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_SELF, &request);
    keeps_error(request);
    MPI_Isend(&number, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
    MPI_Recv(&number, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    keeps_error(request);
    MPI_Ibarrier(MPI_COMM_SELF, &request);
    MPI_Wait(&request, before());
    EQUAL(old.MPI_ERROR, 77);
}

int main(int argc, char **argv)
{
    static const struct test TESTS[] = {
        {"completion", completion},     {"truncation", truncation},
        {"cancellation", cancellation}, {"statuses", statuses},
        {"empty-statuses", empty_statuses},
        {NULL, NULL},
    };
    return run_test(argc, argv, TESTS);
}
