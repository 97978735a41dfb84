/* Generalized requests: the program does the work, waits and tests ask what came of it. */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>

struct work {
    int queries, frees, cancels, was_complete, value;
    int query_code, free_code, cancel_code;
    MPI_Request request;
};

static int query(void *extra, MPI_Status *status)
{
    struct work *work = extra;
    work->queries++;
    MPI_Status_set_source(status, work->value);
    MPI_Status_set_tag(status, 2 * work->value);
    MPI_Status_set_cancelled(status, work->cancels > 0);
    return work->query_code;
}

static int release(void *extra)
{
    struct work *work = extra;
    work->frees++;
    return work->free_code;
}

static int stop(void *extra, int complete)
{
    struct work *work = extra;
    work->cancels++;
    work->was_complete = complete;
    if (!complete)
        MPI_Grequest_complete(work->request);
    return work->cancel_code;
}

static void start(struct work *work, int value)
{
    *work = (struct work){.value = value};
    EQUAL(MPI_Grequest_start(query, release, stop, work, &work->request), MPI_SUCCESS);
    CHECK(work->request != MPI_REQUEST_NULL);
}

static void expect_end(const struct work *work, const MPI_Status *status)
{
    EQUAL(status->MPI_SOURCE, work->value);
    EQUAL(status->MPI_TAG, 2 * work->value);
    EQUAL(work->queries, 1);
    EQUAL(work->frees, 1);
}

static void *complete_later(void *extra)
{
    struct work *work = extra;
    for (int i = 0; i < 200; i++)
        sched_yield();
    MPI_Grequest_complete(work->request);
    return NULL;
}

/* One request: pending until it is complete; looked at, tested, waited for from another thread. */
static void one(void)
{
    struct work work;
    MPI_Status status;
    MPI_Request request;
    pthread_t thread;
    int flag = 1;
    start(&work, 5);
    MPI_Test(&work.request, &flag, &status);
    EQUAL(flag, 0);
    EQUAL(work.queries, 0);
    MPI_Grequest_complete(work.request);
    EQUAL(work.frees, 0);
    MPI_Request_get_status(work.request, &flag, &status);
    EQUAL(flag, 1);
    EQUAL(status.MPI_SOURCE, 5);
    EQUAL(work.queries, 1);
    EQUAL(work.frees, 0);
    work.queries = 0;
    MPI_Test(&work.request, &flag, &status);
    EQUAL(flag, 1);
    expect_end(&work, &status);
    CHECK(work.request == MPI_REQUEST_NULL);
    for (int i = 0; i < 50; i++) {
        start(&work, i);
        request = work.request;
        pthread_create(&thread, NULL, complete_later, &work);
        MPI_Wait(&request, i % 2 ? &status : MPI_STATUS_IGNORE);
        pthread_join(thread, NULL);
        if (i % 2)
            expect_end(&work, &status);
        else
            EQUAL(work.queries + work.frees, 2);
        CHECK(request == MPI_REQUEST_NULL);
    }
}

/* Among receives and sends, in every call that completes several. */
static void mixed(void)
{
    enum { COUNT = 6 };
    struct work work[COUNT];
    for (int how = 0; how < 6; how++) {
        MPI_Request requests[2 * COUNT];
        MPI_Status statuses[2 * COUNT];
        int values[COUNT], indices[2 * COUNT], done = 0, flag = 0, some, index;
        for (int i = 0; i < COUNT; i++) {
            start(&work[i], 10 + i);
            requests[2 * i] = work[i].request;
            MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 * i + 1]);
        }
        memset(statuses, 0, sizeof statuses);
        if (how == 0 || how == 1) {
            MPI_Testall(2 * COUNT, requests, &flag, statuses);
            EQUAL(flag, 0);
        }
        for (int i = COUNT - 1; i >= 0; i--) {
            MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF);
            MPI_Grequest_complete(work[i].request);
        }
        if (how == 0)
            MPI_Waitall(2 * COUNT, requests, statuses);
        if (how == 1) {
            MPI_Testall(2 * COUNT, requests, &flag, statuses);
            EQUAL(flag, 1);
        }
        while (how > 1 && done < 2 * COUNT) {
            MPI_Status found[2 * COUNT];
            if (how == 2)
                MPI_Waitany(2 * COUNT, requests, &index, found);
            if (how == 3)
                MPI_Testany(2 * COUNT, requests, &index, &flag, found);
            if (how == 4)
                MPI_Waitsome(2 * COUNT, requests, &some, indices, found);
            if (how == 5)
                MPI_Testsome(2 * COUNT, requests, &some, indices, found);
            if (how < 4)
                some = 1, indices[0] = index;
            for (int i = 0; i < some; i++)
                statuses[indices[i]] = found[i];
            done += some;
        }
        for (int i = 0; i < COUNT; i++) {
            expect_end(&work[i], &statuses[2 * i]);
            EQUAL(values[i], i);
            EQUAL(statuses[2 * i + 1].MPI_TAG, i);
            CHECK(requests[2 * i] == MPI_REQUEST_NULL && requests[2 * i + 1] == MPI_REQUEST_NULL);
        }
    }
}

/* Whatever comes last, the free or the end, releases the state; cancellation asks the program. */
static void ends(void)
{
    struct work work;
    MPI_Request request;
    MPI_Status status;
    int flag;
    start(&work, 1);
    request = work.request;
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    EQUAL(work.frees, 0);
    MPI_Grequest_complete(work.request);
    EQUAL(work.frees, 1);
    EQUAL(work.queries, 0);

    start(&work, 1);
    MPI_Grequest_complete(work.request);
    EQUAL(work.frees, 0);
    MPI_Request_free(&work.request);
    EQUAL(work.frees, 1);
    EQUAL(work.queries, 0);

    start(&work, 1);
    request = work.request;
    MPI_Cancel(&request);
    EQUAL(work.cancels, 1);
    EQUAL(work.was_complete, 0);
    MPI_Cancel(&request);
    EQUAL(work.was_complete, 1);
    MPI_Wait(&request, &status);
    expect_end(&work, &status);
    MPI_Test_cancelled(&status, &flag);
    EQUAL(flag, 1);
}

static void errors(void)
{
    struct work work, other;
    MPI_Request request, requests[2];
    MPI_Status statuses[2];
    int own, code, flag;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_Grequest_start(NULL, release, stop, NULL, &request), MPI_ERR_ARG, "query_fn");
    FAILS(MPI_Grequest_start(query, NULL, stop, NULL, &request), MPI_ERR_ARG, "free_fn");
    FAILS(MPI_Grequest_start(query, release, NULL, NULL, &request), MPI_ERR_ARG, "cancel_fn");
    FAILS(MPI_Grequest_start(query, release, stop, NULL, NULL), MPI_ERR_ARG, "request");
    FAILS(MPI_Grequest_complete(MPI_REQUEST_NULL), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    MPI_Irecv(&flag, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    FAILS(MPI_Grequest_complete(request), MPI_ERR_REQUEST, "not a generalized");
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    start(&work, 1);
    FAILS(MPI_Start(&work.request), MPI_ERR_REQUEST, "not persistent");
    MPI_Grequest_complete(work.request);
    FAILS(MPI_Grequest_complete(work.request), MPI_ERR_REQUEST, "already");
    request = work.request;
    MPI_Wait(&work.request, MPI_STATUS_IGNORE);
    FAILS(MPI_Grequest_complete(request), MPI_ERR_REQUEST, "not a valid request");

    start(&work, 1);
    request = work.request;
    MPI_Request_free(&request);
    request = work.request;
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "not a valid request");
    FAILS(MPI_Request_free(&request), MPI_ERR_REQUEST, "not a valid request");
    MPI_Grequest_complete(work.request);

    /* What the program's functions return is what the calls return; the last one's counts. */
    MPI_Add_error_class(&own);
    MPI_Add_error_code(own, &code);
    start(&work, 1);
    work.query_code = code;
    MPI_Grequest_complete(work.request);
    EQUAL(MPI_Wait(&work.request, statuses), code);
    EQUAL(work.frees, 1);
    start(&work, 1);
    work.query_code = MPI_ERR_ARG, work.free_code = code;
    MPI_Grequest_complete(work.request);
    EQUAL(MPI_Test(&work.request, &flag, statuses), code);
    start(&work, 1);
    start(&other, 2);
    work.free_code = code;
    requests[0] = other.request, requests[1] = work.request;
    MPI_Grequest_complete(work.request);
    MPI_Grequest_complete(other.request);
    EQUAL(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
    EQUAL(statuses[0].MPI_ERROR, MPI_SUCCESS);
    EQUAL(statuses[1].MPI_ERROR, code);
    EQUAL(statuses[0].MPI_SOURCE, 2);
    start(&work, 1);
    work.cancel_code = code;
    EQUAL(MPI_Cancel(&work.request), code);
    work.free_code = code;
    EQUAL(MPI_Request_free(&work.request), code);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {
        {"one", one}, {"mixed", mixed}, {"ends", ends}, {"errors", errors}, {0}};
    return run_test(argc, argv, tests);
}
