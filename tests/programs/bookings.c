/* Receives of few bytes that are started before their messages come, ended by every call that can
 * end them and disturbed by all that may come between: `bookings CASE`. */
#include "check.h"
#include <signal.h>
#include <stdint.h>

enum { MOST = 700, ROUNDS = 600 };

static uint64_t state = 88172645463325252u;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % below;
}

static char into[MOST][64];
static int bytes[MOST], tags[MOST];
static MPI_Request requests[MOST];

static void judge(int i, const MPI_Status *status, int salt)
{
    EQUAL(count_of(status), bytes[i]);
    EQUAL(status->MPI_SOURCE, 0);
    EQUAL(status->MPI_TAG, tags[i]);
    expect(into[i], bytes[i], salt + i);
}

/* Ends all requests, each round by another call. */
static void end(int count, int way, int salt)
{
    MPI_Status statuses[MOST], status;
    int flag = 0, index, some, indices[MOST], left = count;
    switch (way) {
    case 0:
        MPI_Waitall(count, requests, statuses);
        for (int i = 0; i < count; i++)
            judge(i, &statuses[i], salt);
        break;
    case 1:
        for (int i = count - 1; i >= 0; i--) {
            MPI_Wait(&requests[i], &status);
            judge(i, &status, salt);
        }
        break;
    case 2:
        for (int i = 0; i < count; i++) {
            for (flag = 0; !flag;)
                MPI_Test(&requests[i], &flag, &status);
            judge(i, &status, salt);
        }
        break;
    case 3:
        for (; left > 0; left--) {
            MPI_Waitany(count, requests, &index, &status);
            judge(index, &status, salt);
        }
        break;
    case 4:
        for (; left > 0; left -= some) {
            MPI_Waitsome(count, requests, &some, indices, statuses);
            for (int i = 0; i < some; i++)
                judge(indices[i], &statuses[i], salt);
        }
        break;
    case 5:
        while (!flag)
            MPI_Testall(count, requests, &flag, statuses);
        for (int i = 0; i < count; i++)
            judge(i, &statuses[i], salt);
        break;
    default:
        for (int i = 0; i < count; i++) {
            for (flag = 0; !flag;)
                MPI_Request_get_status(requests[i], &flag, &status);
            judge(i, &status, salt);
        }
        MPI_Waitall(count, requests, statuses);
        for (int i = 0; i < count; i++)
            judge(i, &statuses[i], salt);
    }
    for (int i = 0; i < count; i++)
        CHECK(requests[i] == MPI_REQUEST_NULL);
}

/* Both draw the same rounds. Rank 1 starts its receives, perhaps does something else, and ends
 * them. */
static void storm(void)
{
    static const int sizes[] = {0, 1, 8, 40, 41, 64};
    for (int round = 0; round < ROUNDS; round++) {
        int count = 1 + draw(draw(3) == 0 ? MOST : 6), way = draw(7), between = draw(6);
        int kinds = 1 + draw(3), shift = 1 + draw(count), is_late = draw(2), is_wide = draw(3) == 0;
        for (int i = 0; i < count; i++) {
            bytes[i] = sizes[draw(draw(4) == 0 ? 6 : 4)];
            tags[i] = draw(kinds);
        }
        if (rank == 1) {
            int word = -1;
            MPI_Status status;
            for (int i = 0; i < count; i++)
                MPI_Irecv(into[i], bytes[i] > 40 || (is_wide && i % 2) ? 64 : 40, MPI_CHAR, 0,
                          i % 7 == 6 && between % 3 == 0 ? MPI_ANY_TAG : tags[i], MPI_COMM_WORLD,
                          &requests[i]);
            if (is_late)
                MPI_Send(&round, 1, MPI_INT, 0, 90, MPI_COMM_WORLD);
            if (between == 1)
                MPI_Recv(&word, 1, MPI_INT, 0, 91, MPI_COMM_WORLD, &status);
            else if (between == 2)
                MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 91, MPI_COMM_WORLD, &status);
            else if (between == 3)
                MPI_Barrier(MPI_COMM_WORLD);
            else if (between == 4)
                MPI_Probe(0, 91, MPI_COMM_WORLD, &status);
            end(count, way, round);
            if (between == 4)
                MPI_Recv(&word, 1, MPI_INT, 0, 91, MPI_COMM_WORLD, &status);
            if (between == 1 || between == 2 || between == 4)
                EQUAL(word, round);
            MPI_Send(&round, 1, MPI_INT, 0, 92, MPI_COMM_WORLD);
        } else {
            int seen;
            char data[64];
            if (is_late)
                MPI_Recv(&seen, 1, MPI_INT, 1, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (between == 1 || between == 2 || between == 4)
                MPI_Send(&round, 1, MPI_INT, 1, 91, MPI_COMM_WORLD);
            if (between == 3)
                MPI_Barrier(MPI_COMM_WORLD);
            /* Those of one tag in order, the tags in turns. A receive of any tag takes the next. */
            int is_any = 0;
            for (int i = 0; i < count; i++)
                is_any |= i % 7 == 6 && between % 3 == 0;
            for (int turn = 0; turn < (is_any ? 1 : kinds); turn++)
                for (int i = 0; i < count; i++) {
                    if (!is_any && tags[i] != (turn + shift) % kinds)
                        continue;
                    fill(data, bytes[i], round + i);
                    MPI_Send(data, bytes[i], MPI_CHAR, 1, tags[i], MPI_COMM_WORLD);
                }
            MPI_Recv(&seen, 1, MPI_INT, 1, 92, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EQUAL(seen, round);
        }
    }
}

/* Both have sent each other so much that they have channels. */
static void meet(void)
{
    int word = 0;
    for (int i = 0; i < 20; i++) {
        if (rank == 0)
            MPI_Send(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&word, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
}

/* What else may be done to a request, and what is wrong with one. */
static void judged(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    meet();
    for (int round = 0; round < 100; round++) {
        int first = -1, second = -1, flag = -1;
        long long wide = 0x1234567890;
        MPI_Request one, two, old;
        MPI_Status status, both[2];
        if (rank == 0) {
            MPI_Recv(&first, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&wide, 1, MPI_LONG_LONG, 1, 1, MPI_COMM_WORLD);
            MPI_Send(&round, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
            MPI_Send(&round, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
            MPI_Send(&round, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
            MPI_Recv(&first, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            continue;
        }
        /* Cancelled before anything came. */
        MPI_Irecv(&first, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &one);
        MPI_Irecv(&second, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &two);
        FAILS(MPI_Start(&one), MPI_ERR_REQUEST, "not persistent");
        EQUAL(MPI_Cancel(&one), 0);
        EQUAL(MPI_Wait(&one, &status), 0);
        MPI_Test_cancelled(&status, &flag);
        EQUAL(flag, 1);
        CHECK(one == MPI_REQUEST_NULL);
        MPI_Send(&round, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        EQUAL(MPI_Wait(&two, &status), 0);
        EQUAL(second, round);
        /* The first message is longer than its receive, and the others are none the worse. */
        MPI_Irecv(&first, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &one);
        MPI_Irecv(&second, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &two);
        MPI_Request pair[2] = {one, two};
        FAILS(MPI_Waitall(2, pair, both), MPI_ERR_IN_STATUS, "8 bytes");
        EQUAL(both[0].MPI_ERROR, MPI_ERR_TRUNCATE);
        EQUAL(both[1].MPI_ERROR, MPI_SUCCESS);
        EQUAL(second, round);
        /* A request that is over is none any more, and one that is none spoils no others. */
        FAILS(MPI_Wait(&one, &status), MPI_ERR_REQUEST, "");
        MPI_Irecv(&second, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &two);
        pair[0] = two;
        pair[1] = one;
        FAILS(MPI_Waitall(2, pair, both), MPI_ERR_REQUEST, "not a valid request");
        CHECK(pair[0] == two);
        EQUAL(MPI_Wait(&two, &status), 0);
        EQUAL(second, round);
        /* Given up, and filled all the same. */
        MPI_Irecv(&second, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &two);
        old = two;
        EQUAL(MPI_Request_free(&two), 0);
        CHECK(two == MPI_REQUEST_NULL);
        FAILS(MPI_Test(&old, &flag, &status), MPI_ERR_REQUEST, "");
        MPI_Send(&round, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
}

/* More receives than can be booked, all of them used again and again while one waits throughout. */
static void long_wait(void)
{
    meet();
    int patient = -1, word = -1;
    MPI_Request waits;
    if (rank == 1)
        MPI_Irecv(&patient, 1, MPI_INT, 0, 80, MPI_COMM_WORLD, &waits);
    for (int round = 0; round < 300; round++) {
        int values[MOST];
        for (int i = 0; i < MOST; i++) {
            if (rank == 1)
                MPI_Irecv(&values[i], 1, MPI_INT, 0, i % 5, MPI_COMM_WORLD, &requests[i]);
        }
        if (rank == 1)
            MPI_Send(&round, 1, MPI_INT, 0, 81, MPI_COMM_WORLD);
        else
            MPI_Recv(&word, 1, MPI_INT, 1, 81, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < MOST && rank == 0; i++) {
            int value = round + i;
            MPI_Send(&value, 1, MPI_INT, 1, i % 5, MPI_COMM_WORLD);
        }
        if (rank == 1) {
            MPI_Waitall(MOST, requests, MPI_STATUSES_IGNORE);
            for (int i = 0; i < MOST; i++)
                EQUAL(values[i], round + i);
        }
    }
    if (rank == 0)
        MPI_Send(&word, 1, MPI_INT, 1, 80, MPI_COMM_WORLD);
    else {
        MPI_Wait(&waits, MPI_STATUS_IGNORE);
        EQUAL(patient, 299);
    }
}

/* Rank 0 dies: before it has sent anything, in the midst of it, or after its last word. */
static void lost(int words)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    meet();
    int values[8], class;
    MPI_Status statuses[8];
    if (rank == 0) {
        MPI_Recv(values, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < words; i++)
            MPI_Send(&i, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        raise(9);
    }
    for (int i = 0; i < 8; i++) {
        values[i] = -1;
        MPI_Irecv(&values[i], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Send(&words, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    int code = MPI_Waitall(8, requests, statuses);
    MPI_Error_class(code, &class);
    EQUAL(class, words == 8 ? MPI_SUCCESS : MPI_ERR_IN_STATUS);
    for (int i = 0; i < 8; i++) {
        EQUAL(values[i], i < words ? i : -1);
        if (words < 8)
            EQUAL(statuses[i].MPI_ERROR, i < words ? MPI_SUCCESS : MPI_ERR_PROC_ABORTED);
    }
    FAILS(MPI_Irecv(values, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, requests) ||
              MPI_Wait(requests, MPI_STATUS_IGNORE) ? MPI_ERR_PROC_ABORTED : 0,
          MPI_ERR_PROC_ABORTED, "");
}

static void lost_at_once(void)
{
    lost(0);
}

static void lost_midway(void)
{
    lost(5);
}

static void lost_at_last(void)
{
    lost(8);
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"storm", storm},
        {"judged", judged},
        {"long-wait", long_wait},
        {"lost-at-once", lost_at_once},
        {"lost-midway", lost_midway},
        {"lost-at-last", lost_at_last},
        {0},
    };
    return run_test(argc, argv, tests);
}
