/* A peer dies before, during and after every call that may wait for it: none waits for ever, the
 * class is MPI_ERR_PROC_ABORTED, and messages between the living go on. The victim is rank 1. */
#include "check.h"
#include "ftmpi.h"

#define LARGE 300000
static char data[LARGE], into[LARGE];
static MPI_Status status;

static void expect_loss(int code)
{
    FAILS(code, MPI_ERR_PROC_ABORTED, "rank 1");
}

/* Tells the victim that everything is posted; it dies then. */
static void let_die(void)
{
    MPI_Send(NULL, 0, MPI_CHAR, 1, 99, MPI_COMM_WORLD);
}

static void die(void)
{
    for (int i = 0; i < size - 1; i++)
        MPI_Recv(NULL, 0, MPI_CHAR, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ftmpi_kill(1);
    FAIL("the victim outlived its death");
}

/* Every survivor still reaches every other one. */
static void talk(void)
{
    int left, right;
    for (right = (rank + 1) % size; right == 1; right = (right + 1) % size)
        ;
    for (left = (rank + size - 1) % size; left == 1; left = (left + size - 1) % size)
        ;
    fill(data, LARGE, rank);
    EQUAL(MPI_Sendrecv(data, LARGE, MPI_CHAR, right, 1, into, LARGE, MPI_CHAR, left, 1,
                       MPI_COMM_WORLD, &status),
          MPI_SUCCESS);
    expect(into, LARGE, left);
}

/* After the death each of these must come back at once. */
static void call_the_dead(void)
{
    MPI_Request request;
    MPI_Message message;
    int flag;
    expect_loss(MPI_Send(data, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
    expect_loss(MPI_Ssend(data, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
    expect_loss(MPI_Recv(into, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &status));
    EQUAL(status.MPI_SOURCE, 1);
    expect_loss(MPI_Probe(1, 0, MPI_COMM_WORLD, &status));
    expect_loss(MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, &status));
    expect_loss(MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, &status));
    expect_loss(MPI_Sendrecv(data, 1, MPI_CHAR, 1, 0, into, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD,
                             &status));
    EQUAL(MPI_Isend(data, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    expect_loss(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    EQUAL(MPI_Irecv(into, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    flag = 0;
    expect_loss(MPI_Test(&request, &flag, &status));
    CHECK(flag && request == MPI_REQUEST_NULL);
}

static void nonblocking(void)
{
    MPI_Request requests[5];
    MPI_Status statuses[5];
    int flag = 0, index;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1)
        die();
    int other = rank == 0 ? 2 : 0;
    MPI_Irecv(into, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Issend(data, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(into, 1, MPI_CHAR, other, 3, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(data, 1, MPI_CHAR, other, 4, MPI_COMM_WORLD, &requests[4]);
    let_die();
    FAILS(MPI_Waitall(5, requests, statuses), MPI_ERR_IN_STATUS, "rank 1");
    /* The message from the living is still to come, and its request still active. */
    int lost = 0;
    for (int i = 0; i < 3; i++)
        lost += statuses[i].MPI_ERROR == MPI_ERR_PROC_ABORTED;
    CHECK(lost > 0);
    EQUAL(statuses[3].MPI_ERROR, MPI_ERR_PENDING);
    EQUAL(statuses[4].MPI_ERROR, MPI_SUCCESS);
    CHECK(requests[3] != MPI_REQUEST_NULL);
    MPI_Recv(into, 1, MPI_CHAR, other, 4, MPI_COMM_WORLD, &status);
    MPI_Sendrecv(data, 1, MPI_CHAR, other, 5, into, 1, MPI_CHAR, other, 5, MPI_COMM_WORLD, &status);
    MPI_Send(data, 1, MPI_CHAR, other, 3, MPI_COMM_WORLD);
    EQUAL(MPI_Wait(&requests[3], &status), MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            expect_loss(MPI_Wait(&requests[i], &status));
    MPI_Irecv(into, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[0]);
    expect_loss(MPI_Waitany(1, requests, &index, &status));
    EQUAL(index, 0);
    MPI_Irecv(into, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[0]);
    FAILS(MPI_Testall(1, requests, &flag, statuses), MPI_ERR_IN_STATUS, "rank 1");
    EQUAL(statuses[0].MPI_ERROR, MPI_ERR_PROC_ABORTED);
    call_the_dead();
    talk();
}

static void blocking(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1)
        die();
    let_die();
    switch (rank) {
    case 0:
        expect_loss(MPI_Recv(into, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &status));
        break;
    case 2:
        expect_loss(MPI_Send(data, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
        break;
    case 3:
        expect_loss(MPI_Probe(1, 0, MPI_COMM_WORLD, &status));
        break;
    case 4:
        expect_loss(MPI_Ssend(data, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
        break;
    case 5:
        expect_loss(MPI_Sendrecv(data, LARGE, MPI_CHAR, 1, 0, into, LARGE, MPI_CHAR, 1, 0,
                                 MPI_COMM_WORLD, &status));
        break;
    default:
        expect_loss(MPI_Recv(into, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status));
        EQUAL(status.MPI_SOURCE, 1);
    }
    call_the_dead();
    talk();
}

/* A receive from anybody hears of each death once, then goes on waiting for the living. */
static void any_source(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1)
        die();
    let_die();
    if (rank != 0) {
        expect_loss(MPI_Recv(into, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &status));
        MPI_Send(data, 1, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
        return;
    }
    int losses = 0;
    for (int heard = 0; heard < size - 2;) {
        int code = MPI_Recv(into, 1, MPI_CHAR, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
        if (code == MPI_SUCCESS) {
            heard++;
            continue;
        }
        expect_loss(code);
        EQUAL(status.MPI_SOURCE, 1);
        losses++;
    }
    CHECK(losses <= 1);
}

/* One side of an exchange is lost with its peer: the other, of which nothing will come, is over. */
static void exchanges(void)
{
    static char parts[3][LARGE];
    MPI_Request requests[3];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1)
        die();
    int other = rank == 0 ? 2 : 0;
    MPI_Isendrecv(data, LARGE, MPI_CHAR, 1, 11, parts[0], LARGE, MPI_CHAR, other, 12,
                  MPI_COMM_WORLD, &requests[0]);
    MPI_Isendrecv(data, LARGE, MPI_CHAR, other, 11, parts[1], LARGE, MPI_CHAR, 1, 12,
                  MPI_COMM_WORLD, &requests[1]);
    MPI_Isendrecv_replace(parts[2], LARGE, MPI_CHAR, other, 13, 1, 14, MPI_COMM_WORLD,
                          &requests[2]);
    let_die();
    for (int i = 0; i < 3; i++) {
        expect_loss(MPI_Wait(&requests[i], &status));
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
    expect_loss(MPI_Sendrecv(data, LARGE, MPI_CHAR, other, 15, into, LARGE, MPI_CHAR, 1, 15,
                             MPI_COMM_WORLD, &status));
    expect_loss(MPI_Sendrecv(data, LARGE, MPI_CHAR, 1, 16, into, LARGE, MPI_CHAR, other, 16,
                             MPI_COMM_WORLD, &status));
    talk();
}

/* What was sent before the death arrives, as long as its bytes had left. */
static void last_words(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) {
        fill(data, 100, 1);
        for (int to = 0; to < size; to++)
            if (to != 1)
                MPI_Send(data, 100, MPI_CHAR, to, 0, MPI_COMM_WORLD);
        die();
    }
    let_die();
    expect_loss(MPI_Recv(into, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &status));
    EQUAL(MPI_Recv(into, 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    expect(into, 100, 1);
    talk();
}

/* Who names memory that is not there dies of it; the other side only loses its peer. */
static const int SIZES[] = {8, 5000, LARGE};
static void *volatile nowhere = (void *)65536;

static void bad_source(int size_index)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) {
        MPI_Send(nowhere, SIZES[size_index], MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        FAIL("the victim outlived its bad buffer");
    }
    expect_loss(MPI_Recv(into, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &status));
}

static void bad_target(int size_index)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) {
        MPI_Recv(nowhere, LARGE, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status);
        FAIL("the victim outlived its bad buffer");
    }
    int code = MPI_Send(data, SIZES[size_index], MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS)
        expect_loss(code);
    expect_loss(MPI_Recv(into, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &status));
}

static void bad_small_source(void) { bad_source(0); }
static void bad_source_of_some_size(void) { bad_source(1); }
static void bad_large_source(void) { bad_source(2); }
static void bad_small_target(void) { bad_target(0); }
static void bad_target_of_some_size(void) { bad_target(1); }
static void bad_large_target(void) { bad_target(2); }

int main(int argc, char **argv)
{
    static const struct test TESTS[] = {
        {"blocking", blocking},     {"nonblocking", nonblocking}, {"any-source", any_source},
        {"last-words", last_words}, {"exchanges", exchanges},
        {"bad-source-8", bad_small_source},
        {"bad-source-5000", bad_source_of_some_size},
        {"bad-source-large", bad_large_source},
        {"bad-target-8", bad_small_target},
        {"bad-target-5000", bad_target_of_some_size},
        {"bad-target-large", bad_large_target},
        {NULL, NULL},
    };
    return run_test(argc, argv, TESTS);
}
