/* Blocking and nonblocking messages in every mode, persistent ones, probes, MPI_PROC_NULL. */
#include "check.h"

#define MOST 300000
static const int SIZES[] = {0, 1, 8, 9, 200, 4000, 16384, 16385, 70000, MOST};
enum { KINDS = sizeof SIZES / sizeof *SIZES };
static char data[MOST], into[MOST];
static char attached[2 * (MOST + MPI_BSEND_OVERHEAD)];

typedef int send_call(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int send_call_c(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_call(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int isend_call_c(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static send_call *const SENDS[] = {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend,
                                   PMPI_Send, PMPI_Bsend, PMPI_Ssend, PMPI_Rsend};
static send_call_c *const SENDS_C[] = {MPI_Send_c, MPI_Bsend_c, MPI_Ssend_c, MPI_Rsend_c};
static isend_call *const ISENDS[] = {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend};
static isend_call_c *const ISENDS_C[] = {MPI_Isend_c, MPI_Ibsend_c, MPI_Issend_c, MPI_Irsend_c};
static isend_call *const INITS[] = {MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init, MPI_Rsend_init};
static isend_call_c *const INITS_C[] = {MPI_Send_init_c, MPI_Bsend_init_c, MPI_Ssend_init_c,
                                        MPI_Rsend_init_c};

/* Receives what the others send with `tag`, after the receive is known to be there. */
static void receive_ready(int bytes, int tag, int salt)
{
    MPI_Request request;
    MPI_Status status;
    memset(into, 0, sizeof into);
    MPI_Irecv(into, MOST, MPI_CHAR, 0, tag, MPI_COMM_WORLD, &request);
    MPI_Send(NULL, 0, MPI_CHAR, 0, 999, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    CHECK(request == MPI_REQUEST_NULL);
    EQUAL(status.MPI_SOURCE, 0);
    EQUAL(status.MPI_TAG, tag);
    EQUAL(count_of(&status), bytes);
    expect(into, bytes, salt);
}

static void wait_ready(void)
{
    MPI_Recv(NULL, 0, MPI_CHAR, 1, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_one(int way, int bytes, int tag)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (way < 8)
        SENDS[way](data, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
    else if (way < 12)
        SENDS_C[way - 8](data, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
    else if (way < 16)
        ISENDS[way - 12](data, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &request);
    else if (way < 20)
        ISENDS_C[way - 16](data, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &request);
    else if (way < 24)
        INITS[way - 20](data, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &request);
    else
        INITS_C[way - 24](data, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &request);
    if (way >= 20)
        MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK((request == MPI_REQUEST_NULL) == (way < 20));
    if (way >= 20)
        MPI_Request_free(&request);
}

static void every_mode(void)
{
    if (rank == 0)
        MPI_Buffer_attach(attached, sizeof attached);
    for (int kind = 0; kind < KINDS && rank < 2; kind++) {
        for (int way = 0; way < 28; way++) {
            if (rank == 1) {
                receive_ready(SIZES[kind], way, kind);
                continue;
            }
            fill(data, SIZES[kind], kind);
            wait_ready();
            send_one(way, SIZES[kind], way);
        }
    }
    if (rank == 0) {
        void *address;
        int bytes;
        MPI_Buffer_detach(&address, &bytes);
        CHECK(address == attached && bytes == sizeof attached);
    }
}

static void persistent(void)
{
    MPI_Request requests[4];
    char in[4][16], out[4][16];
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < 2; i++) {
        MPI_Recv_init(in[i], 16, MPI_CHAR, left, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Send_init_c(out[i], 16, MPI_CHAR, right, i, MPI_COMM_WORLD, &requests[2 + i]);
    }
    for (int turn = 0; turn < 50; turn++) {
        MPI_Status statuses[4];
        fill(out[0], 16, turn + rank);
        fill(out[1], 16, turn + rank + 1);
        MPI_Startall(4, requests);
        MPI_Waitall(4, requests, statuses);
        expect(in[0], 16, turn + left);
        expect(in[1], 16, turn + left + 1);
        EQUAL(statuses[1].MPI_SOURCE, left);
        EQUAL(statuses[1].MPI_TAG, 1);
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    /* An inactive request is as good as none. */
    int flag = 0, index = 0;
    MPI_Status status;
    MPI_Test(&requests[0], &flag, &status);
    CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Waitany(4, requests, &index, &status);
    EQUAL(index, MPI_UNDEFINED);
    /* A receive that is freed while active still gets its message. */
    MPI_Start(&requests[0]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_Start(&requests[0]), MPI_ERR_REQUEST, "active");
    MPI_Request_free(&requests[0]);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    fill(out[0], 16, 200);
    MPI_Start(&requests[2]);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iprobe(left, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    expect(in[0], 16, 200);
    for (int i = 1; i < 4; i++)
        MPI_Request_free(&requests[i]);
}

static void probes(void)
{
    for (int kind = 0; kind < KINDS && rank == 0; kind++) {
        MPI_Request requests[3];
        fill(data, SIZES[kind], kind);
        for (int i = 0; i < 3; i++)
            MPI_Isend(data, SIZES[kind], MPI_CHAR, 1, 10 + kind, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    for (int kind = 0; kind < KINDS && rank == 1; kind++) {
        MPI_Status status, again;
        MPI_Message message, none;
        MPI_Request request;
        int flag = 0;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        EQUAL(status.MPI_SOURCE, 0);
        EQUAL(status.MPI_TAG, 10 + kind);
        EQUAL(count_of(&status), SIZES[kind]);
        MPI_Iprobe(0, 10 + kind, MPI_COMM_WORLD, &flag, &again);
        CHECK(flag && count_of(&again) == SIZES[kind]);
        MPI_Recv(into, MOST, MPI_CHAR, 0, 10 + kind, MPI_COMM_WORLD, &status);
        expect(into, SIZES[kind], kind);
        MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        while (flag = 0, MPI_Improbe(0, 10 + kind, MPI_COMM_WORLD, &flag, &none, &again), !flag)
            ;
        memset(into, 0, sizeof into);
        (kind % 2 ? MPI_Imrecv(into, SIZES[kind], MPI_CHAR, &none, &request)
                  : MPI_Imrecv_c(into, SIZES[kind], MPI_CHAR, &none, &request));
        CHECK(none == MPI_MESSAGE_NULL);
        MPI_Wait(&request, &again);
        EQUAL(count_of(&again), SIZES[kind]);
        expect(into, SIZES[kind], kind);
        memset(into, 0, sizeof into);
        MPI_Mrecv_c(into, MOST, MPI_CHAR, &message, &again);
        CHECK(message == MPI_MESSAGE_NULL);
        expect(into, SIZES[kind], kind);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    int flag = 1;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
}

static void nobody(void)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request requests[5];
    int flag = 0;
    memset(data, 5, 8);
    MPI_Send(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Ssend(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Recv(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    CHECK(data[0] == 5 && count_of(&status) == 0);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Iprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &status);
    CHECK(flag);
    MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(data, 8, MPI_CHAR, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Isend(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isendrecv(data, 4, MPI_CHAR, MPI_PROC_NULL, 1, data + 4, 4, MPI_CHAR, MPI_PROC_NULL, 1,
                  MPI_COMM_WORLD, &requests[2]);
    MPI_Isendrecv(data, 4, MPI_CHAR, rank, 1, data + 4, 4, MPI_CHAR, MPI_PROC_NULL, 1,
                  MPI_COMM_WORLD, &requests[3]);
    MPI_Isendrecv(data, 4, MPI_CHAR, MPI_PROC_NULL, 1, data + 4, 4, MPI_CHAR, rank, 1,
                  MPI_COMM_WORLD, &requests[4]);
    MPI_Status statuses[5];
    MPI_Waitall(5, requests, statuses);
    EQUAL(statuses[1].MPI_SOURCE, MPI_PROC_NULL);
    EQUAL(statuses[2].MPI_SOURCE, MPI_PROC_NULL);
    EQUAL(statuses[3].MPI_SOURCE, MPI_PROC_NULL);
    EQUAL(statuses[4].MPI_SOURCE, rank);
}

static void exchange_large(int bytes, int right, int left)
{
    MPI_Status status;
    MPI_Request request;
    fill(data, bytes, rank);
    MPI_Sendrecv_c(data, bytes, MPI_CHAR, right, 1, into, MOST, MPI_CHAR, left, 1, MPI_COMM_WORLD,
                   &status);
    expect(into, bytes, left);
    MPI_Sendrecv_replace(data, bytes, MPI_CHAR, right, 2, left, 2, MPI_COMM_WORLD, &status);
    expect(data, bytes, left);
    MPI_Isendrecv_c(data, bytes, MPI_CHAR, right, 3, into, bytes, MPI_CHAR, left, 3,
                    MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    EQUAL(count_of(&status), bytes);
    MPI_Isendrecv_replace_c(into, bytes, MPI_CHAR, left, 4, right, 4, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    expect(into, bytes, left);
    MPI_Irecv_c(into, MOST, MPI_CHAR, left, 5, MPI_COMM_WORLD, &request);
    MPI_Send(data, bytes, MPI_CHAR, right, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    EQUAL(count_of(&status), bytes);
    MPI_Recv_init_c(into, MOST, MPI_CHAR, left, 6, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Send(data, bytes, MPI_CHAR, right, 6, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    EQUAL(count_of(&status), bytes);
    MPI_Request_free(&request);
    MPI_Isend(data, bytes, MPI_CHAR, right, 7, MPI_COMM_WORLD, &request);
    MPI_Recv_c(into, MOST, MPI_CHAR, left, 7, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EQUAL(count_of(&status), bytes);
}

static void exchanges(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int kind = 0; kind < KINDS; kind++) {
        int bytes = SIZES[kind];
        MPI_Status status;
        MPI_Request request;
        fill(data, bytes, rank);
        MPI_Sendrecv(data, bytes, MPI_CHAR, right, 1, into, MOST, MPI_CHAR, left, MPI_ANY_TAG,
                     MPI_COMM_WORLD, &status);
        expect(into, bytes, left);
        CHECK(count_of(&status) == bytes && status.MPI_SOURCE == left && status.MPI_TAG == 1);
        MPI_Sendrecv_replace_c(data, bytes, MPI_CHAR, right, 2, left, 2, MPI_COMM_WORLD, &status);
        expect(data, bytes, left);
        CHECK(count_of(&status) == bytes && status.MPI_SOURCE == left && status.MPI_TAG == 2);
        fill(data, bytes, rank + 50);
        MPI_Isendrecv(data, bytes, MPI_CHAR, right, 3, into, bytes, MPI_CHAR, MPI_ANY_SOURCE, 3,
                      MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        expect(into, bytes, left + 50);
        EQUAL(status.MPI_SOURCE, left);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Isendrecv_replace(data, bytes, MPI_CHAR, right, 4, left, 4, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        expect(data, bytes, left + 50);
        exchange_large(bytes, right, left);
    }
}

static void order(void)
{
    enum { COUNT = 500 };
    if (rank > 0) {
        for (int i = 0; i < COUNT; i++) {
            int message[2] = {rank, i};
            int bytes = i % 7 == 0 ? 40000 : 8;
            memcpy(data, message, sizeof message);
            MPI_Send(data, bytes, MPI_CHAR, 0, i % 3, MPI_COMM_WORLD);
        }
        return;
    }
    int next[64] = {0};
    for (int i = 0; i < COUNT * (size - 1); i++) {
        MPI_Status status;
        int message[2];
        MPI_Recv(into, MOST, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        memcpy(message, into, sizeof message);
        EQUAL(message[0], status.MPI_SOURCE);
        EQUAL(message[1], next[message[0]]++);
        EQUAL(status.MPI_TAG, message[1] % 3);
    }
}

int main(int argc, char **argv)
{
    static const struct test TESTS[] = {
        {"every-mode", every_mode}, {"persistent", persistent}, {"probes", probes},
        {"nobody", nobody},         {"exchanges", exchanges},   {"order", order},
        {NULL, NULL},
    };
    return run_test(argc, argv, TESTS);
}
