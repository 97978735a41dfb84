/* Few bytes and some KB between two ranks, by calls that have a short way and in every case in
 * which they must not take it: `short CASE`. */
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

enum { BURSTS = 400, MOST = 300, LONGEST = 16384 };

static MPI_Comm other;
static uint64_t state = 88172645463325252u;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % below;
}

/* Both draw the same bursts; the receiver takes each in another order than it was sent in. */
static void storm(void)
{
    static const int sizes[] = {0,    1,    4,    8,    39,   40,    41,    100,
                                1024, 1025, 3000, 4096, 5000, 12000, LONGEST};
    static char data[LONGEST], into[MOST][LONGEST];
    MPI_Request requests[MOST];
    for (int burst = 0; burst < BURSTS; burst++) {
        int count = 1 + draw(draw(4) == 0 ? MOST : 4), from = draw(2), posted = draw(4) * count / 6;
        int first = draw(3), any = draw(8) == 0;
        int size_of[MOST], tag_of[MOST], is_other[MOST];
        for (int i = 0; i < count; i++) {
            size_of[i] = sizes[draw(sizeof sizes / sizeof *sizes)];
            tag_of[i] = draw(3);
            is_other[i] = draw(5) == 0;
        }
        if (rank != from) {
            for (int i = 0; i < posted; i++)
                MPI_Irecv(into[i], size_of[i], MPI_CHAR, from, tag_of[i],
                          is_other[i] ? other : MPI_COMM_WORLD, &requests[i]);
            for (int turn = 0; turn < 2; turn++)
                for (int i = posted; i < count; i++) {
                    if ((tag_of[i] == first) != (turn == 0))
                        continue;
                    MPI_Status status;
                    int got, room = draw(2) ? LONGEST : size_of[i];
                    MPI_Recv(data, room, MPI_CHAR, any ? MPI_ANY_SOURCE : from, tag_of[i],
                             is_other[i] ? other : MPI_COMM_WORLD, &status);
                    MPI_Get_count(&status, MPI_CHAR, &got);
                    EQUAL(got, size_of[i]);
                    EQUAL(status.MPI_SOURCE, from);
                    EQUAL(status.MPI_TAG, tag_of[i]);
                    expect(data, size_of[i], burst + i);
                }
            MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
            for (int i = 0; i < posted; i++)
                expect(into[i], size_of[i], burst + i);
        } else {
            for (int i = 0; i < count; i++) {
                fill(data, size_of[i], burst + i);
                if (draw(2)) {
                    MPI_Send(data, size_of[i], MPI_CHAR, 1 - rank, tag_of[i],
                             is_other[i] ? other : MPI_COMM_WORLD);
                    continue;
                }
                MPI_Request request;
                MPI_Isend(data, size_of[i], MPI_CHAR, 1 - rank, tag_of[i],
                          is_other[i] ? other : MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
        }
        /* What each has drawn for itself, the other has not. */
        state = 88172645463325252u + burst * 7919u;
    }
}

/* What is wrong is judged as ever, and nothing is lost by that. */
static void judged(void)
{
    long long number = 7;
    int word = 0;
    MPI_Status status;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 50; i++) {
        if (rank == 0) {
            FAILS(MPI_Send(&number, -1, MPI_LONG_LONG, 1, 1, MPI_COMM_WORLD), MPI_ERR_COUNT, "");
            FAILS(MPI_Send(&number, 1, MPI_LONG_LONG, 2, 1, MPI_COMM_WORLD), MPI_ERR_RANK, "");
            FAILS(MPI_Send(&number, 1, MPI_LONG_LONG, 1, -7, MPI_COMM_WORLD), MPI_ERR_TAG, "");
            FAILS(MPI_Send(NULL, 1, MPI_LONG_LONG, 1, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER, "");
            FAILS(MPI_Send(&number, 1, MPI_DATATYPE_NULL, 1, 1, MPI_COMM_WORLD), MPI_ERR_TYPE, "");
            FAILS(MPI_Isend(&number, 1, MPI_LONG_LONG, 1, 1, MPI_COMM_WORLD, NULL), MPI_ERR_ARG,
                  "");
            EQUAL(MPI_Send(NULL, 0, MPI_LONG_LONG, 1, 1, MPI_COMM_WORLD), 0);
            EQUAL(MPI_Send(&number, 1, MPI_LONG_LONG, 1, 2, MPI_COMM_WORLD), 0);
            EQUAL(MPI_Send(&number, 1, MPI_LONG_LONG, 1, 3, MPI_COMM_WORLD), 0);
            EQUAL(MPI_Send(&number, 1, MPI_LONG_LONG, MPI_PROC_NULL, 3, MPI_COMM_WORLD), 0);
            EQUAL(MPI_Recv(&word, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
            EQUAL(word, i);
        } else {
            FAILS(MPI_Recv(&word, 1, MPI_INT, 5, 1, MPI_COMM_WORLD, &status), MPI_ERR_RANK, "");
            FAILS(MPI_Recv(&word, 1, MPI_INT, 0, -7, MPI_COMM_WORLD, &status), MPI_ERR_TAG, "");
            EQUAL(MPI_Recv(&word, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status), 0);
            EQUAL(status.MPI_TAG, 1);
            FAILS(MPI_Recv(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE,
                  "8 bytes");
            EQUAL(MPI_Recv(&number, 1, MPI_LONG_LONG, 0, 3, MPI_COMM_WORLD, &status), 0);
            EQUAL(number, 7);
            EQUAL(MPI_Send(&i, 1, MPI_INT, 0, 4, MPI_COMM_WORLD), 0);
        }
    }
}

/* Messages of some KB that do not fit, and those after them. */
static void truncated(void)
{
    static char data[9000], into[9000];
    MPI_Status status;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 50; i++)
        for (int bytes = 1000; bytes <= 9000; bytes += 1000) {
            MPI_Request request;
            fill(data, bytes, i);
            if (rank == 0) {
                MPI_Send(data, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
                MPI_Send(data, bytes, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
                MPI_Send(data, bytes, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
                MPI_Recv(into, 0, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &status);
                continue;
            }
            MPI_Irecv(into, bytes - 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &request);
            FAILS(MPI_Recv(into, bytes / 2, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status),
                  MPI_ERR_TRUNCATE, "");
            expect(into, bytes / 2, i);
            FAILS(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE, "");
            MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            EQUAL(status.MPI_TAG, 3);
            EQUAL(MPI_Recv(into, bytes, MPI_CHAR, 0, 3, MPI_COMM_WORLD, &status), 0);
            expect(into, bytes, i);
            MPI_Send(NULL, 0, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
        }
}

/* Two threads of each rank, each with a tag of its own and now and then a posted receive. */
static void *talk(void *argument)
{
    int tag = 10 + (int)(intptr_t)argument, rounds = 3000;
    for (int i = 0; i < rounds; i++) {
        int seen = -1;
        MPI_Request request;
        if (i % 3 == 0)
            MPI_Irecv(&seen, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &request);
        MPI_Send(&i, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD);
        if (i % 3 == 0)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Recv(&seen, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EQUAL(seen, i);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t others[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, talk, (void *)(intptr_t)(1 + i));
    talk(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
}

/* Sums that go the short way at some members, and the long way at others. */
static void reductions(void)
{
    for (int i = 0; i < 3000; i++) {
        double half[4] = {i, rank, 0.5, rank + i}, sum[4];
        int count = 1 + i % 4, most = rank, one = rank + i;
        MPI_Allreduce(half, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        CHECK(sum[0] == (double)size * i);
        CHECK(count < 3 || sum[2] == 0.5 * size);
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        EQUAL(most, size - 1);
        MPI_Allreduce(&one, &most, 1, MPI_INT, MPI_MIN, i % 7 ? MPI_COMM_WORLD : other);
        EQUAL(most, i);
        if (i % 5 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        if (i % 11 == 0) {
            MPI_Datatype pair;
            MPI_Type_contiguous(1, MPI_INT, &pair);
            MPI_Type_commit(&pair);
            int root = i % size;
            MPI_Bcast(&root, 1, rank % 2 ? pair : MPI_INT, root, MPI_COMM_WORLD);
            EQUAL(root, i % size);
            MPI_Type_free(&pair);
        }
        if (i % 13 == 0 && rank == i % size)
            usleep(200);
    }
}

/* Members that disagree on how much there is to add. */
static void disagree(void)
{
    double two[2] = {1, 2}, sums[2] = {-1, -1};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_Allreduce(two, sums, rank == 0 ? 1 : 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
          MPI_ERR_COUNT, "has called MPI_Allreduce (");
    CHECK(sums[0] == -1);
    FAILS(MPI_Allreduce(two, sums, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP, "");
    EQUAL(MPI_Allreduce(two, sums, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD), 0);
    CHECK(sums[0] == 1);
}

/* Rank 1 dies after its last words, at a moment of each run's own, while rank 0 waits for more. */
static void last_words(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) {
        for (int i = 0; i < 500; i++)
            MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        raise(9);
    }
    for (int i = 0; i < 500; i++) {
        int seen = -1;
        EQUAL(MPI_Recv(&seen, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
        EQUAL(seen, i);
    }
    int seen;
    FAILS(MPI_Recv(&seen, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          MPI_ERR_PROC_ABORTED, "rank 1");
    FAILS(MPI_Send(&seen, 1, MPI_INT, 1, 1, MPI_COMM_WORLD), MPI_ERR_PROC_ABORTED, "rank 1");
}

/* Rank 1 dies where rank 0 waits for it in a sum or a barrier. */
static void lost_sum(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 200; i++) {
        int sum = 0;
        EQUAL(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), 0);
        EQUAL(sum, 2 * i);
    }
    if (rank == 1)
        raise(9);
    int sum;
    FAILS(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_PROC_ABORTED,
          "rank 1");
    FAILS(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_PROC_ABORTED, "rank 1");
}

int main(int argc, char **argv)
{
    int given;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "last-words") == 0 || strcmp(what, "lost-sum") == 0) {
        strcmp(what, "lost-sum") == 0 ? lost_sum() : last_words();
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (strcmp(what, "storm") == 0)
        storm();
    else if (strcmp(what, "truncated") == 0)
        truncated();
    else if (strcmp(what, "judged") == 0)
        judged();
    else if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "reductions") == 0)
        reductions();
    else if (strcmp(what, "disagree") == 0)
        disagree();
    else
        FAIL("no such case: %s", what);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
