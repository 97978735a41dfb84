/* Partitioned communication: whatever the partitions of the two sides are, and whoever comes
 * second, every byte arrives once, when it is said to have arrived, and in the right round. */
#include "check.h"
#include "mpi-ext.h"
#include <pthread.h>

#define W MPI_COMM_WORLD
#define TOTAL 840
#define ROUNDS 5

static int of_all[TOTAL], of_peer[TOTAL];

static int value(int round, int index)
{
    return 100000 * round + index;
}

/* Waits for every partition by itself, then for the message. */
static void take(MPI_Request *request, int parts, int round)
{
    int each = TOTAL / parts, flag;
    MPI_Status status;
    for (int part = 0; part < parts; part++) {
        for (flag = 0; !flag;)
            EQUAL(MPI_Parrived(*request, part, &flag), MPI_SUCCESS);
        for (int i = part * each; i < (part + 1) * each; i++)
            EQUAL(of_peer[i], value(round, i));
        EQUAL(MPI_Parrived(*request, part, &flag), MPI_SUCCESS);
        EQUAL(flag, 1);
    }
    EQUAL(MPI_Wait(request, &status), MPI_SUCCESS);
    int count;
    MPI_Get_count(&status, MPI_INT, &count);
    EQUAL(count, TOTAL);
    EQUAL(status.MPI_SOURCE, 0);
    EQUAL(status.MPI_TAG, 7);
    EQUAL(MPI_Parrived(*request, 0, &flag), MPI_SUCCESS);
    EQUAL(flag, 1);
}

static void give(MPI_Request *request, int parts, int round, int way)
{
    int each = TOTAL / parts, list[TOTAL];
    for (int part = parts - 1; part >= 0; part--) {
        for (int i = part * each; i < (part + 1) * each; i++)
            of_all[i] = value(round, i);
        list[part] = parts - 1 - part;
        if (way == 0)
            EQUAL(MPI_Pready(part, *request), MPI_SUCCESS);
    }
    if (way == 1 && parts > 1)
        EQUAL(MPI_Pready_range(1, parts - 1, *request), MPI_SUCCESS);
    if (way == 1)
        EQUAL(MPI_Pready_range(0, 0, *request), MPI_SUCCESS);
    if (way == 2)
        EQUAL(MPI_Pready_list(parts, list, *request), MPI_SUCCESS);
    MPI_Status status;
    EQUAL(MPI_Wait(request, &status), MPI_SUCCESS);
}

/* All pairs of partitions; the receiver starts before the sender has anything, or after all. */
static void shapes(void)
{
    const int shapes[] = {1, 2, 3, 4, 7, 24, 840};
    for (int s = 0; s < 7; s++)
        for (int r = 0; r < 7; r++) {
            MPI_Request request;
            int parts = rank == 0 ? shapes[s] : shapes[r];
            if (rank == 0)
                EQUAL(MPI_Psend_init(of_all, parts, TOTAL / parts, MPI_INT, 1, 7, W, MPI_INFO_NULL,
                                     &request),
                      MPI_SUCCESS);
            else
                EQUAL(MPI_Precv_init_c(of_peer, parts, TOTAL / parts, MPI_INT, 0, 7, W,
                                       MPI_INFO_NULL, &request),
                      MPI_SUCCESS);
            for (int round = 0; round < ROUNDS; round++) {
                if (round % 3 == 1 && rank == 0)
                    MPI_Recv(NULL, 0, MPI_INT, 1, 1, W, MPI_STATUS_IGNORE);
                EQUAL(MPI_Start(&request), MPI_SUCCESS);
                if (round % 3 == 1 && rank == 1)
                    MPI_Send(NULL, 0, MPI_INT, 0, 1, W);
                if (rank == 0)
                    give(&request, parts, round, round % 3);
                else
                    take(&request, parts, round);
            }
            EQUAL(MPI_Request_free(&request), MPI_SUCCESS);
            CHECK(request == MPI_REQUEST_NULL);
        }
}

/* A pair is matched in the order in which both sides create their requests, which is local. */
static void order(void)
{
    enum { PAIRS = 6 };
    static int give_[PAIRS][8], take_[PAIRS][8];
    MPI_Request requests[2 * PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        for (int k = 0; k < 8; k++)
            give_[i][k] = 100 * i + k + 1000 * rank;
        EQUAL(MPI_Psend_init_c(give_[i], 4, 2, MPI_INT, 1 - rank, 3, W, MPI_INFO_NULL,
                               &requests[i]),
              MPI_SUCCESS);
    }
    for (int i = 0; i < PAIRS; i++)
        EQUAL(MPI_Precv_init(take_[i], 2, 4, MPI_INT, 1 - rank, 3, W, MPI_INFO_NULL,
                             &requests[PAIRS + i]),
              MPI_SUCCESS);
    EQUAL(MPI_Startall(2 * PAIRS, requests), MPI_SUCCESS);
    for (int i = PAIRS - 1; i >= 0; i--)
        EQUAL(MPI_Pready_range(0, 3, requests[i]), MPI_SUCCESS);
    EQUAL(MPI_Waitall(2 * PAIRS, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 8; k++)
            EQUAL(take_[i][k], 100 * i + k + 1000 * (1 - rank));
    for (int i = 0; i < 2 * PAIRS; i++)
        EQUAL(MPI_Request_free(&requests[i]), MPI_SUCCESS);
}

/* Columns of a matrix go to rows, and a rank to itself. */
static void types(void)
{
    enum { N = 12 };
    static double columns[N][N], rows[N][N];
    MPI_Datatype column, resized;
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, sizeof(double), &resized);
    MPI_Type_commit(&resized);
    for (int peer = rank;; peer = 1 - rank) {
        MPI_Request requests[2];
        memset(rows, 0, sizeof rows);
        MPI_Psend_init(columns, N, 1, resized, peer, 1, W, MPI_INFO_NULL, &requests[0]);
        MPI_Precv_init(rows, N / 2, 2 * N, MPI_DOUBLE, peer, 1, W, MPI_INFO_NULL, &requests[1]);
        MPI_Startall(2, requests);
        for (int k = 0; k < N; k++) {
            for (int i = 0; i < N; i++)
                columns[i][k] = 100 * rank + 12 * k + i;
            EQUAL(MPI_Pready(k, requests[0]), MPI_SUCCESS);
        }
        EQUAL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        for (int k = 0; k < N * N; k++)
            CHECK(rows[k / N][k % N] == 100 * peer + k);
        for (int i = 0; i < 2; i++)
            MPI_Request_free(&requests[i]);
        if (peer != rank)
            break;
    }
    MPI_Type_free(&column);
    MPI_Type_free(&resized);
}

enum { THREADS = 4, PER_THREAD = 16, BYTES = 4096 };
static unsigned char large[THREADS * PER_THREAD * BYTES];
static MPI_Request shared;
static int current;

static void *prepare(void *which)
{
    int first = (int)(size_t)which * PER_THREAD;
    for (int part = first; part < first + PER_THREAD; part++) {
        fill(large + part * BYTES, BYTES, current + part);
        EQUAL(MPI_Pready(part, shared), MPI_SUCCESS);
    }
    return NULL;
}

static void *collect(void *which)
{
    int first = (int)(size_t)which * PER_THREAD;
    for (int part = first; part < first + PER_THREAD; part++) {
        int flag = 0;
        while (!flag)
            EQUAL(MPI_Parrived(shared, part, &flag), MPI_SUCCESS);
        expect(large + part * BYTES, BYTES, current + part);
    }
    return NULL;
}

/* Threads of one rank mark partitions, threads of the other wait for them. */
static void threads(void)
{
    const int parts = THREADS * PER_THREAD;
    if (rank == 0)
        MPI_Psend_init(large, parts, BYTES, MPI_BYTE, 1, 1, W, MPI_INFO_NULL, &shared);
    else
        MPI_Precv_init(large, parts, BYTES, MPI_BYTE, 0, 1, W, MPI_INFO_NULL, &shared);
    for (current = 0; current < 30; current++) {
        pthread_t threads[THREADS];
        EQUAL(MPI_Start(&shared), MPI_SUCCESS);
        for (size_t i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, rank == 0 ? prepare : collect, (void *)i);
        if (current % 2)
            EQUAL(MPI_Wait(&shared, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        if (current % 2 == 0)
            EQUAL(MPI_Wait(&shared, MPI_STATUS_IGNORE), MPI_SUCCESS);
        if (rank == 1)
            memset(large, 0, sizeof large);
    }
    MPI_Request_free(&shared);
}

/* Messages without partitions, without data, or with nobody. */
static void nothing(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0, word = 5, parts[2] = {0, 2};
    EQUAL(MPI_Psend_init(&word, 3, 1, MPI_INT, MPI_PROC_NULL, 1, W, MPI_INFO_NULL, &request),
          MPI_SUCCESS);
    EQUAL(MPI_Start(&request), MPI_SUCCESS);
    EQUAL(MPI_Pready_list(2, parts, request), MPI_SUCCESS);
    EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
    MPI_Request_free(&request);
    EQUAL(MPI_Precv_init(&word, 1, 1, MPI_INT, MPI_PROC_NULL, 1, W, MPI_INFO_NULL, &request),
          MPI_SUCCESS);
    EQUAL(MPI_Start(&request), MPI_SUCCESS);
    EQUAL(MPI_Parrived(request, 0, &flag), MPI_SUCCESS);
    EQUAL(flag, 1);
    EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
    EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    EQUAL(count_of(&status), 0);
    MPI_Request_free(&request);
    EQUAL(word, 5);
    for (int kind = 0; kind < 3; kind++) {
        int count = kind == 0 ? 0 : 3;
        if (rank == 0)
            MPI_Psend_init(&word, count, 0, MPI_INT, 1, 2, W, MPI_INFO_NULL, &request);
        else
            MPI_Precv_init(&word, kind == 2 ? 2 : count, 0, MPI_INT, 0, 2, W, MPI_INFO_NULL,
                           &request);
        for (int round = 0; round < 3; round++) {
            EQUAL(MPI_Start(&request), MPI_SUCCESS);
            if (kind == 1 && rank == 1 && round == 0) {
                EQUAL(MPI_Parrived(request, 1, &flag), MPI_SUCCESS);
                EQUAL(flag, 0);
            }
            if (rank == 1 && kind == 1)
                MPI_Send(NULL, 0, MPI_INT, 0, 3, W);
            if (rank == 0 && kind == 1)
                MPI_Recv(NULL, 0, MPI_INT, 1, 3, W, MPI_STATUS_IGNORE);
            for (int part = 0; rank == 0 && part < count; part++)
                EQUAL(MPI_Pready(part, request), MPI_SUCCESS);
            EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
        }
        MPI_Request_free(&request);
    }
}

/* A message that is longer than its room, or shorter. */
static void lengths(void)
{
    int data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, room[12], flag;
    MPI_Request request;
    MPI_Status status;
    for (int longer = 0; longer < 2; longer++) {
        int parts = rank == 0 ? 6 : longer ? 2 : 4;
        memset(room, -1, sizeof room);
        if (rank == 0)
            MPI_Psend_init(data, parts, longer ? 2 : 1, MPI_INT, 1, 2, W, MPI_INFO_NULL, &request);
        else
            MPI_Precv_init(room, parts, longer ? 4 : 3, MPI_INT, 0, 2, W, MPI_INFO_NULL, &request);
        EQUAL(MPI_Start(&request), MPI_SUCCESS);
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_INT, 1, 3, W, MPI_STATUS_IGNORE);
            EQUAL(MPI_Pready_range(0, parts - 1, request), MPI_SUCCESS);
            EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
        } else {
            EQUAL(MPI_Parrived(request, parts - 1, &flag), MPI_SUCCESS);
            EQUAL(flag, 0);
            MPI_Send(NULL, 0, MPI_INT, 0, 3, W);
            MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
            if (longer)
                FAILS(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE, "48 bytes");
            else
                EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
            int count;
            MPI_Get_count(&status, MPI_INT, &count);
            EQUAL(count, longer ? 8 : 6);
            for (int i = 0; i < 12; i++)
                EQUAL(room[i], i < count ? i : -1);
        }
        MPI_Request_free(&request);
    }
}

static void between_groups(void)
{
    MPI_Comm half, inter;
    MPI_Request requests[2];
    int give_ = 10 + rank, take_ = -1;
    MPI_Comm_split(W, rank, 0, &half);
    MPI_Intercomm_create(half, 0, W, 1 - rank, 4, &inter);
    MPI_Psend_init(&give_, 1, 1, MPI_INT, 0, 1, inter, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(&take_, 1, 1, MPI_INT, 0, 1, inter, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Pready(0, requests[0]);
    EQUAL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EQUAL(take_, 11 - rank);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* What is wrong is said at once, and changes nothing. */
static void mistakes(void)
{
    int data[4] = {1, 2, 3, 4}, room[4] = {0}, flag = -1, list[2] = {0, 9};
    MPI_Request send, recv, other;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    FAILS(MPI_Psend_init(data, -1, 1, MPI_INT, 0, 1, W, MPI_INFO_NULL, &send), MPI_ERR_ARG,
          "partitions is -1");
    FAILS(MPI_Psend_init(data, 2, -1, MPI_INT, 0, 1, W, MPI_INFO_NULL, &send), MPI_ERR_COUNT,
          "count");
    FAILS(MPI_Psend_init(data, 2, 1, MPI_INT, 7, 1, W, MPI_INFO_NULL, &send), MPI_ERR_RANK, "7");
    FAILS(MPI_Psend_init(data, 2, 1, MPI_INT, 0, -5, W, MPI_INFO_NULL, &send), MPI_ERR_TAG, "tag");
    FAILS(MPI_Psend_init(data, 2, 1, MPI_DATATYPE_NULL, 0, 1, W, MPI_INFO_NULL, &send),
          MPI_ERR_TYPE, "datatype");
    FAILS(MPI_Psend_init(data, 2147483647, 1LL << 60, MPI_INT, 0, 1, W, MPI_INFO_NULL, &send),
          MPI_ERR_COUNT, "partitions");
    FAILS(MPI_Precv_init(room, 2, 2, MPI_INT, MPI_ANY_SOURCE, 1, W, MPI_INFO_NULL, &recv),
          MPI_ERR_RANK, "MPI_ANY_SOURCE");
    FAILS(MPI_Precv_init(room, 2, 2, MPI_INT, rank, MPI_ANY_TAG, W, MPI_INFO_NULL, &recv),
          MPI_ERR_TAG, "tag");
    EQUAL(MPI_Psend_init(data, 4, 1, MPI_INT, rank, 1, W, MPI_INFO_NULL, &send), MPI_SUCCESS);
    EQUAL(MPI_Precv_init(room, 2, 2, MPI_INT, rank, 1, W, MPI_INFO_NULL, &recv), MPI_SUCCESS);
    FAILS(MPI_Pready(0, send), MPI_ERR_REQUEST, "not active");
    EQUAL(MPI_Parrived(recv, 0, &flag), MPI_SUCCESS);
    EQUAL(flag, 1);
    flag = -1;
    EQUAL(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag), MPI_SUCCESS);
    EQUAL(flag, 1);
    FAILS(MPI_Parrived(send, 0, &flag), MPI_ERR_REQUEST, "partitioned send");
    EQUAL(MPI_Start(&send), MPI_SUCCESS);
    FAILS(MPI_Start(&send), MPI_ERR_REQUEST, "active");
    FAILS(MPI_Pready(4, send), MPI_ERR_ARG, "0 to 3");
    FAILS(MPI_Pready(-1, send), MPI_ERR_ARG, "partition is -1");
    FAILS(MPI_Pready_range(2, 1, send), MPI_ERR_ARG, "above");
    FAILS(MPI_Pready_range(2, 4, send), MPI_ERR_ARG, "partition_high is 4");
    FAILS(MPI_Pready_list(2, list, send), MPI_ERR_ARG, "is 9");
    FAILS(MPI_Pready_list(-1, list, send), MPI_ERR_ARG, "length");
    EQUAL(MPI_Pready(0, send), MPI_SUCCESS);
    FAILS(MPI_Pready(0, send), MPI_ERR_ARG, "ready already");
    FAILS(MPI_Pready(0, MPI_REQUEST_NULL), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    FAILS(MPI_Cancel(&send), MPI_ERR_REQUEST, "cannot be cancelled");
    FAILS(MPI_Request_free(&send), MPI_ERR_REQUEST, "cannot be freed");
    EQUAL(MPI_Test(&send, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(flag, 0);
    EQUAL(MPI_Start(&recv), MPI_SUCCESS);
    FAILS(MPI_Pready(0, recv), MPI_ERR_REQUEST, "partitioned receive");
    FAILS(MPI_Parrived(recv, 2, &flag), MPI_ERR_ARG, "0 to 1");
    EQUAL(MPI_Parrived(recv, 0, &flag), MPI_SUCCESS);
    EQUAL(flag, 0);
    EQUAL(MPI_Recv_init(room, 1, MPI_INT, rank, 2, W, &other), MPI_SUCCESS);
    FAILS(MPI_Pready(0, other), MPI_ERR_REQUEST, "not of a partitioned");
    FAILS(MPI_Parrived(other, 0, &flag), MPI_ERR_REQUEST, "not of a partitioned");
    MPI_Request_free(&other);
    EQUAL(MPI_Pready_range(1, 3, send), MPI_SUCCESS);
    EQUAL(MPI_Wait(&recv, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 4; i++)
        EQUAL(room[i], i + 1);
    MPI_Request_free(&send);
    MPI_Request_free(&recv);
}

/* Rank 1 is told to die in one of its calls; each rank sends to and receives from the other. */
static void deaths(void)
{
    static int give_[4][2000], take_[4][2000];
    MPI_Request requests[2];
    int code = MPI_SUCCESS, flag, rounds = 0;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Psend_init(give_, 4, 2000, MPI_INT, 1 - rank, 1, W, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(take_, 4, 2000, MPI_INT, 1 - rank, 1, W, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 100 && code == MPI_SUCCESS; round++) {
        code = MPI_Startall(2, requests);
        for (int part = 0; part < 4; part++) {
            for (int i = 0; i < 2000; i++)
                give_[part][i] = value(round, i);
            if (code == MPI_SUCCESS)
                code = MPI_Pready(part, requests[0]);
        }
        for (int part = 0; part < 4 && code == MPI_SUCCESS && round % 2; part++)
            for (flag = 0; code == MPI_SUCCESS && !flag;)
                code = MPI_Parrived(requests[1], part, &flag);
        for (int i = 0; i < 2; i++) {
            int ended = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            code = code != MPI_SUCCESS ? code : ended;
        }
        for (int i = 0; code == MPI_SUCCESS && i < 2000; i++)
            EQUAL(take_[3][i], value(round, i));
        rounds += code == MPI_SUCCESS;
    }
    CHECK(rank == 0);
    FAILS(code, MPI_ERR_PROC_ABORTED, "rank 1");
    CHECK(rounds < 100);
    /* What is started from now on ends as well. */
    for (int i = 0; i < 2; i++)
        if (MPI_Start(&requests[i]) == MPI_SUCCESS)
            FAILS(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), MPI_ERR_PROC_ABORTED, "rank 1");
    EQUAL(MPI_Request_free(&requests[0]), MPI_SUCCESS);
    EQUAL(MPI_Request_free(&requests[1]), MPI_SUCCESS);
    printf("survived\n");
}

/* What was ready before a death arrives; what was not, does not. */
static void last_words(void)
{
    int data[2] = {6, 7}, room[2] = {0}, flag;
    MPI_Request request[2];
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    for (int pair = 0; pair < 2; pair++)
        if (rank == 1)
            MPI_Psend_init(data, 2, 1, MPI_INT, 0, pair, W, MPI_INFO_NULL, &request[pair]);
        else
            MPI_Precv_init(room, 2, 1, MPI_INT, 1, pair, W, MPI_INFO_NULL, &request[pair]);
    MPI_Startall(2, request);
    MPI_Barrier(W);
    if (rank == 1) {
        MPI_Pready_range(0, 1, request[0]);
        MPI_Pready(1, request[1]);
        abort();
    }
    EQUAL(MPI_Wait(&request[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(room[0], 6);
    int code = MPI_SUCCESS;
    while (code == MPI_SUCCESS)
        code = MPI_Parrived(request[1], 0, &flag);
    FAILS(code, MPI_ERR_PROC_ABORTED, "rank 1");
    EQUAL(MPI_Parrived(request[1], 1, &flag), MPI_SUCCESS);
    EQUAL(flag, 1);
    FAILS(MPI_Wait(&request[1], MPI_STATUS_IGNORE), MPI_ERR_PROC_ABORTED, "rank 1");
    printf("survived\n");
}

/* A buffer that is not there ends the rank that named it, whoever finds out. */
static void nowhere(void)
{
    MPI_Request request;
    static int room[100];
    void *hole = (void *)0x700000000000;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Psend_init(room, 1, 100, MPI_INT, 1, 5, W, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(hole, 1, 100, MPI_INT, 0, 5, W, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Barrier(W);
    if (rank == 0)
        MPI_Pready(0, request);
    int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(rank == 0);
    /* Another process may have got the data without looking at them yet. */
    if (code == MPI_SUCCESS && MPI_Start(&request) == MPI_SUCCESS) {
        MPI_Pready(0, request);
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    FAILS(code, MPI_ERR_PROC_ABORTED, "rank 1");
    printf("survived\n");
}

enum { PAIRS = 3, LONG = 12 * 4000 };

/* Into how many partitions a side cuts the message of this pair. */
static int parts_of(int source, int dest, int pair, int is_send)
{
    const int counts[] = {1, 2, 3, 4, 6, 12};
    return counts[(source + 2 * dest + 3 * pair + is_send) % 6];
}

/* A message with every other rank and with itself, several at a time with the same tag; the last of
 * each is long. Ranks share processes in all ways. */
static void mesh(void)
{
    int size;
    MPI_Comm_size(W, &size);
    int halves = size * PAIRS;
    MPI_Request *requests = malloc(2 * halves * sizeof *requests);
    int **gives = malloc(halves * sizeof *gives), **takes = malloc(halves * sizeof *takes);
    for (int i = 0; i < halves; i++) {
        int peer = i / PAIRS, pair = i % PAIRS, count = pair == PAIRS - 1 ? LONG : 12;
        int sends = parts_of(rank, peer, pair, 1), receives = parts_of(peer, rank, pair, 0);
        gives[i] = malloc(count * sizeof(int));
        takes[i] = malloc(count * sizeof(int));
        MPI_Psend_init(gives[i], sends, count / sends, MPI_INT, peer, 2, W, MPI_INFO_NULL,
                       &requests[i]);
        MPI_Precv_init(takes[i], receives, count / receives, MPI_INT, peer, 2, W, MPI_INFO_NULL,
                       &requests[halves + i]);
    }
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < halves; i++)
            for (int k = 0, count = i % PAIRS == PAIRS - 1 ? LONG : 12; k < count; k++) {
                gives[i][k] = 1000000 * round + 100000 * rank + 10000 * (i % PAIRS) + k % 9973;
                takes[i][k] = -1;
            }
        if (round % 2)
            MPI_Startall(2 * halves, requests);
        for (int i = 0; i < halves; i++) {
            if (round % 2 == 0)
                MPI_Startall(1, &requests[halves - 1 - i]);
            int half = round % 2 ? i : halves - 1 - i;
            for (int part = parts_of(rank, half / PAIRS, half % PAIRS, 1); part > 0; part--)
                EQUAL(MPI_Pready(part - 1, requests[half]), MPI_SUCCESS);
        }
        if (round % 2 == 0)
            MPI_Startall(halves, requests + halves);
        for (int i = 0; i < halves; i++) {
            int flag, last = parts_of(i / PAIRS, rank, i % PAIRS, 0) - 1;
            for (flag = 0; !flag && round % 3 == 0;)
                EQUAL(MPI_Parrived(requests[halves + i], last, &flag), MPI_SUCCESS);
        }
        EQUAL(MPI_Waitall(2 * halves, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        for (int i = 0; i < halves; i++)
            for (int k = 0, count = i % PAIRS == PAIRS - 1 ? LONG : 12; k < count; k++)
                EQUAL(takes[i][k], 1000000 * round + 100000 * (i / PAIRS) + 10000 * (i % PAIRS) +
                                       k % 9973);
    }
    for (int i = 0; i < 2 * halves; i++)
        EQUAL(MPI_Request_free(&requests[i]), MPI_SUCCESS);
    for (int i = 0; i < halves; i++) {
        free(gives[i]);
        free(takes[i]);
    }
    free(gives);
    free(takes);
    free(requests);
}

/* A request that is freed before it was started has its place in the order all the same. */
static void freed(void)
{
    int room[2] = {-1, -1}, data[2] = {4, 5};
    MPI_Request request[2];
    for (int time = 0; time < 20; time++) {
        for (int i = 0; i < 2; i++) {
            if (rank == 0)
                MPI_Psend_init(&data[i], 1, 1, MPI_INT, 1, 1, W, MPI_INFO_NULL, &request[i]);
            else
                MPI_Precv_init(&room[i], 1, 1, MPI_INT, 0, 1, W, MPI_INFO_NULL, &request[i]);
            if (i == 0)
                EQUAL(MPI_Request_free(&request[0]), MPI_SUCCESS);
            if (time % 2)
                MPI_Barrier(W);
        }
        MPI_Start(&request[1]);
        if (rank == 0)
            MPI_Pready(0, request[1]);
        EQUAL(MPI_Wait(&request[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
        if (rank == 1)
            CHECK(room[0] == -1 && room[1] == 5);
        room[1] = -1;
        MPI_Request_free(&request[1]);
    }
}

/* Rank 1 is told to die; messages between the others go on. */
static void bereaved(void)
{
    enum { ROUNDS_ = 30, MOST = 8 };
    static int give_[MOST][4], take_[MOST][4], is_lost[MOST];
    MPI_Request sends[MOST], receives[MOST];
    int size, lost = 0;
    MPI_Comm_size(W, &size);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    for (int peer = 0; peer < size; peer++) {
        MPI_Psend_init(give_[peer], 4, 1, MPI_INT, peer, 1, W, MPI_INFO_NULL, &sends[peer]);
        MPI_Precv_init(take_[peer], 2, 2, MPI_INT, peer, 1, W, MPI_INFO_NULL, &receives[peer]);
    }
    for (int round = 0; round < ROUNDS_; round++) {
        int codes[MOST];
        for (int peer = 0; peer < size; peer++) {
            for (int k = 0; k < 4; k++)
                give_[peer][k] = value(round, 10 * rank + k);
            codes[peer] = MPI_Start(&receives[peer]);
            if (codes[peer] == MPI_SUCCESS && (codes[peer] = MPI_Start(&sends[peer])) == 0)
                codes[peer] = MPI_Pready_range(0, 3, sends[peer]);
        }
        for (int peer = 0; peer < size; peer++) {
            int received = MPI_Wait(&receives[peer], MPI_STATUS_IGNORE);
            int sent = MPI_Wait(&sends[peer], MPI_STATUS_IGNORE);
            int code = codes[peer] ? codes[peer] : received ? received : sent;
            if (peer != 1 || code == MPI_SUCCESS) {
                EQUAL(code, MPI_SUCCESS);
                for (int k = 0; k < 4; k++)
                    EQUAL(take_[peer][k], value(round, 10 * peer + k));
                CHECK(!is_lost[peer]);
            } else {
                FAILS(code, MPI_ERR_PROC_ABORTED, "rank 1");
                lost = is_lost[peer] = 1;
            }
        }
    }
    CHECK(rank != 1 && lost);
    for (int peer = 0; peer < size; peer++) {
        EQUAL(MPI_Request_free(&sends[peer]), MPI_SUCCESS);
        EQUAL(MPI_Request_free(&receives[peer]), MPI_SUCCESS);
    }
    printf("survived\n");
}

/* Rank 1 marks one partition of two; rank 2 waits for a receiver that does not start. */
static void stuck(void)
{
    MPI_Request request;
    int data[2] = {1, 2};
    if (rank == 0)
        MPI_Precv_init(data, 2, 1, MPI_INT, 1, 8, W, MPI_INFO_NULL, &request);
    else
        MPI_Psend_init(data, 2, 1, MPI_INT, 0, 7 + rank, W, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (rank == 1)
        MPI_Pready(1, request);
    if (rank == 2)
        MPI_Pready_range(0, 1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A revocation ends it on both sides, and what is started later as well. */
static void revoked(void)
{
    static int data[2];
    MPI_Request request;
    MPI_Comm comm;
    MPI_Comm_dup(W, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Psend_init(data, 2, 1, MPI_INT, 1, 1, comm, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, 2, 1, MPI_INT, 0, 1, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Barrier(W);
    if (rank == 0) {
        MPI_Pready(1, request);
        MPIX_Comm_revoke(comm);
    }
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED, "revoked");
    FAILS(MPI_Start(&request), MPIX_ERR_REVOKED, "revoked");
    MPI_Request_free(&request);
    MPI_Barrier(W);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {
        {"stuck", stuck},     {"revoked", revoked},   {"mesh", mesh},
        {"freed", freed},     {"bereaved", bereaved},
        {"shapes", shapes},   {"order", order},       {"types", types},
        {"threads", threads}, {"nothing", nothing},   {"lengths", lengths},
        {"groups", between_groups}, {"mistakes", mistakes}, {"deaths", deaths},
        {"last-words", last_words}, {"nowhere", nowhere}, {0}};
    return run_test(argc, argv, tests);
}
