/* What is particular to the nonblocking and the persistent forms of collective operations. */
#include "check.h"
#include <pthread.h>

#define W MPI_COMM_WORLD
#define MANY 60

/* Persistent operations are started again and again, in orders of each rank's own. */
static void persistent(void)
{
    int mine[MANY], sums[MANY], total = size * (size - 1) / 2;
    MPI_Request requests[MANY], mirror[MANY];
    for (int i = 0; i < MANY; i++)
        MPI_Allreduce_init(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, W, MPI_INFO_NULL, &requests[i]);
    for (int turn = 0; turn < 5; turn++) {
        for (int i = 0; i < MANY; i++)
            mine[i] = rank + i * turn;
        if (rank % 2 == 0) {
            MPI_Startall(MANY, requests);
        } else {
            for (int i = 0; i < MANY; i++)
                mirror[i] = requests[MANY - 1 - i];
            MPI_Startall(MANY, mirror);
        }
        MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; i++)
            EQUAL(sums[i], total + size * i * turn);
    }
    for (int i = 0; i < MANY; i++) {
        MPI_Request_free(&requests[i]);
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
}

/* Requests that are not active are complete and empty; active ones cannot be started or freed. */
static void wrong_uses(void)
{
    MPI_Request request, copy;
    MPI_Status status;
    int flag = 0, token = 0;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Barrier_init(W, MPI_INFO_NULL, &request);
    EQUAL(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
    CHECK(flag && request != MPI_REQUEST_NULL);
    EQUAL(status.MPI_SOURCE, MPI_ANY_SOURCE);
    FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST, "inactive");
    if (rank == 0) {
        MPI_Start(&request);
        copy = request;
        FAILS(MPI_Start(&request), MPI_ERR_REQUEST, "active");
        FAILS(MPI_Request_free(&copy), MPI_ERR_REQUEST, "cannot be freed");
        FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST, "cannot be cancelled");
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
        for (int i = 1; i < size; i++)
            MPI_Send(&token, 1, MPI_INT, i, 0, W);
    } else {
        MPI_Recv(&token, 1, MPI_INT, 0, 0, W, MPI_STATUS_IGNORE);
        MPI_Start(&request);
    }
    MPI_Wait(&request, &status);
    EQUAL(status.MPI_SOURCE, MPI_ANY_SOURCE);
    EQUAL(status.MPI_TAG, MPI_ANY_TAG);
    MPI_Wait(&request, &status);
    MPI_Request_free(&request);
    if (rank == 0) {
        MPI_Ibarrier(W, &request);
        copy = request;
        FAILS(MPI_Request_free(&copy), MPI_ERR_REQUEST, "cannot be freed");
        MPI_Send(&token, 1, MPI_INT, 1, 0, W);
    } else {
        if (rank == 1)
            MPI_Recv(&token, 1, MPI_INT, 0, 0, W, MPI_STATUS_IGNORE);
        MPI_Ibarrier(W, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
}

/* Many operations at once, that are waited for in any order, while messages go on. */
static void overlapping(void)
{
    enum { LARGE = 50000 };
    int *data[MANY], *sums[MANY];
    MPI_Request requests[MANY];
    for (int i = 0; i < MANY; i++) {
        int count = i % 7 == 0 ? LARGE : i;
        data[i] = malloc(sizeof(int) * (LARGE + 1));
        sums[i] = malloc(sizeof(int) * (LARGE + 1));
        for (int j = 0; j < count; j++)
            data[i][j] = rank + i + j;
        MPI_Iallreduce(data[i], sums[i], count, MPI_INT, MPI_SUM, W, &requests[i]);
    }
    int next = (rank + 1) % size, last = (rank + size - 1) % size, seen = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &seen, 1, MPI_INT, last, 1, W, MPI_STATUS_IGNORE);
    EQUAL(seen, last);
    MPI_Barrier(W);
    for (int i = MANY - 1; i >= 0; i--)
        MPI_Wait(&requests[(i + rank) % MANY], MPI_STATUS_IGNORE);
    for (int i = 0; i < MANY; i++) {
        int count = i % 7 == 0 ? LARGE : i;
        for (int j = 0; j < count; j++)
            EQUAL(sums[i][j], size * (size - 1) / 2 + size * (i + j));
        free(data[i]);
        free(sums[i]);
    }
}

/* Threads of one rank wait for what others of it have started. */
enum { THREADS = 4, ROUNDS = 200 };
static MPI_Comm comms[THREADS];

static void *work(void *argument)
{
    int number = (int)(size_t)argument;
    for (int i = 0; i < ROUNDS; i++) {
        int sums[3], mine[3] = {rank, rank + i, number};
        MPI_Request requests[3];
        for (int j = 0; j < 3; j++)
            MPI_Iallreduce(&mine[j], &sums[j], 1, MPI_INT, MPI_SUM, comms[number], &requests[j]);
        if (i % 3 == 0) {
            int flag = 0;
            while (!flag)
                MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
        } else {
            MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        }
        EQUAL(sums[0], size * (size - 1) / 2);
        EQUAL(sums[1], size * (size - 1) / 2 + size * i);
        EQUAL(sums[2], size * number);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(W, &comms[i]);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
}

/* Members that do not agree on how much: somebody hears of it, and nobody waits for ever. */
static void disagreement(void)
{
    int data[64] = {0}, sums[64], heard, any;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    for (int odd = 0; odd < size; odd++) {
        int count = rank == odd ? 20 : 10;
        for (int form = 0; form < 4; form++) {
            int code = MPI_SUCCESS;
            MPI_Request request = MPI_REQUEST_NULL;
            if (form == 0)
                code = MPI_Allreduce(data, sums, count, MPI_INT, MPI_SUM, W);
            if (form == 1)
                code = MPI_Reduce(data, sums, count, MPI_INT, MPI_SUM, 0, W);
            if (form == 2)
                code = MPI_Scan(data, sums, count, MPI_INT, MPI_SUM, W);
            if (form == 3 && MPI_Iallreduce(data, sums, count, MPI_INT, MPI_SUM, W, &request) == 0)
                code = MPI_Wait(&request, MPI_STATUS_IGNORE);
            heard = code != MPI_SUCCESS;
            if (heard) {
                int class;
                MPI_Error_class(code, &class);
                CHECK(class == MPI_ERR_TRUNCATE || class == MPI_ERR_COUNT);
            }
            EQUAL(MPI_Allreduce(&heard, &any, 1, MPI_INT, MPI_MAX, W), MPI_SUCCESS);
            CHECK(any || size == 1);
        }
    }
}

/* A member whose arguments are bad stays in step with the others, who do not need it. */
static void step_by_step(void)
{
    int value = rank == 0 ? 5 : -1, sum, mine = 1;
    MPI_Request request;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    if (rank == size - 1) {
        FAILS(MPI_Bcast(&value, -1, MPI_INT, 0, W), MPI_ERR_COUNT, "count is -1");
        FAILS(MPI_Ibcast(&value, 1, MPI_DATATYPE_NULL, 0, W, &request), MPI_ERR_TYPE,
              "MPI_DATATYPE_NULL");
        FAILS(MPI_Bcast_init(NULL, 1, MPI_INT, 0, W, MPI_INFO_NULL, &request), MPI_ERR_BUFFER,
              "null pointer");
        FAILS(MPI_Reduce(&mine, NULL, 1, MPI_INT, MPI_OP_NULL, size - 1, W), MPI_ERR_OP, "OP_NULL");
    } else {
        EQUAL(MPI_Bcast(&value, 1, MPI_INT, 0, W), MPI_SUCCESS);
        EQUAL(MPI_Ibcast(&value, 1, MPI_INT, 0, W, &request), MPI_SUCCESS);
        EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EQUAL(MPI_Bcast_init(&value, 1, MPI_INT, 0, W, MPI_INFO_NULL, &request), MPI_SUCCESS);
        EQUAL(MPI_Request_free(&request), MPI_SUCCESS);
        EQUAL(MPI_Reduce(&mine, NULL, 1, MPI_INT, MPI_SUM, size - 1, W), MPI_SUCCESS);
    }
    EQUAL(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, W), MPI_SUCCESS);
    EQUAL(sum, size);
}

static const struct test TESTS[] = {
    {"persistent", persistent},     {"wrong-uses", wrong_uses},     {"overlapping", overlapping},
    {"threads", threads},           {"disagreement", disagreement}, {"step-by-step", step_by_step},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_test(argc, argv, TESTS);
}
