/* Wrong arguments: the standard's class, and words that name argument and value. */
#include "check.h"

static char buf[64];
static MPI_Request request = MPI_REQUEST_NULL;
static MPI_Status status;

#define W MPI_COMM_WORLD

static void sends(void)
{
    FAILS(MPI_Send(buf, -3, MPI_CHAR, 0, 0, W), MPI_ERR_COUNT, "count is -3");
    FAILS(MPI_Send_c(buf, -5, MPI_CHAR, 0, 0, W), MPI_ERR_COUNT, "count is -5");
    FAILS(MPI_Send(buf, 1, MPI_DATATYPE_NULL, 0, 0, W), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    FAILS(MPI_Send(buf, 1, MPI_CHAR, 9, 0, W), MPI_ERR_RANK, "dest is 9");
    FAILS(MPI_Send(buf, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, W), MPI_ERR_RANK, "dest is -1");
    FAILS(MPI_Send(buf, 1, MPI_CHAR, 0, -7, W), MPI_ERR_TAG, "tag is -7");
    FAILS(MPI_Send(buf, 1, MPI_CHAR, 0, MPI_ANY_TAG, W), MPI_ERR_TAG, "tag is -2");
    FAILS(MPI_Send(buf, 1, MPI_CHAR, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
    FAILS(MPI_Send(NULL, 1, MPI_CHAR, 0, 0, W), MPI_ERR_BUFFER, "null pointer");
    FAILS(MPI_Isend(buf, 1, MPI_CHAR, 0, 0, W, NULL), MPI_ERR_ARG, "request");
    FAILS(MPI_Issend(buf, 1, MPI_CHAR, 8, 0, W, &request), MPI_ERR_RANK, "dest is 8");
    FAILS(MPI_Send_init(buf, 1, MPI_CHAR, 8, 0, W, &request), MPI_ERR_RANK, "dest is 8");
    FAILS(MPI_Ibsend(buf, 1, MPI_CHAR, 0, 0, W, &request), MPI_ERR_BUFFER, "no buffer");
    CHECK(request == MPI_REQUEST_NULL);
}

static void receives(void)
{
    int flag;
    MPI_Message message = MPI_MESSAGE_NULL;
    FAILS(MPI_Recv(buf, -1, MPI_CHAR, 0, 0, W, &status), MPI_ERR_COUNT, "count is -1");
    FAILS(MPI_Recv(buf, 1, MPI_CHAR, 5, 0, W, &status), MPI_ERR_RANK, "source is 5");
    FAILS(MPI_Recv(buf, 1, MPI_CHAR, 0, -9, W, &status), MPI_ERR_TAG, "tag is -9");
    FAILS(MPI_Irecv(buf, 1, MPI_CHAR, -8, 0, W, &request), MPI_ERR_RANK, "source is -8");
    FAILS(MPI_Recv_init(buf, 1, MPI_CHAR, -8, 0, W, &request), MPI_ERR_RANK, "source is -8");
    FAILS(MPI_Probe(7, 0, W, &status), MPI_ERR_RANK, "source is 7");
    FAILS(MPI_Iprobe(0, 0, W, NULL, &status), MPI_ERR_ARG, "flag");
    FAILS(MPI_Improbe(0, 0, W, &flag, NULL, &status), MPI_ERR_ARG, "message");
    FAILS(MPI_Mrecv(buf, 1, MPI_CHAR, &message, &status), MPI_ERR_REQUEST, "MPI_MESSAGE_NULL");
    FAILS(MPI_Sendrecv(buf, 1, MPI_CHAR, 0, 0, buf, 1, MPI_CHAR, 4, 0, W, &status), MPI_ERR_RANK,
          "source is 4");
    FAILS(MPI_Sendrecv(buf, 1, MPI_CHAR, 0, 0, buf, -1, MPI_CHAR, 0, 0, W, &status),
          MPI_ERR_COUNT, "recvcount is -1");
    /* Nothing was sent by what failed. */
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &flag, &status);
    CHECK(!flag);
}

static void requests(void)
{
    int flag, index;
    MPI_Request made, copy, many[3];
    MPI_Irecv(buf, 1, MPI_CHAR, 0, 0, W, &made);
    copy = made;
    MPI_Send(buf, 1, MPI_CHAR, 0, 0, W);
    MPI_Wait(&made, &status);
    CHECK(made == MPI_REQUEST_NULL);
    FAILS(MPI_Wait(&copy, &status), MPI_ERR_REQUEST, "completed already");
    FAILS(MPI_Test(&copy, &flag, &status), MPI_ERR_REQUEST, "not a valid request");
    FAILS(MPI_Cancel(&made), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    FAILS(MPI_Request_free(&made), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    FAILS(MPI_Start(&made), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    FAILS(MPI_Wait(NULL, &status), MPI_ERR_ARG, "request is a null pointer");
    FAILS(MPI_Waitall(-1, many, MPI_STATUSES_IGNORE), MPI_ERR_COUNT, "count is -1");
    FAILS(MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG, "array_of_requests");
    MPI_Irecv(buf, 1, MPI_CHAR, 0, 0, W, &many[0]);
    many[1] = MPI_REQUEST_NULL;
    many[2] = copy;
    FAILS(MPI_Waitany(3, many, &index, &status), MPI_ERR_REQUEST, "element 2");
    FAILS(MPI_Start(&many[0]), MPI_ERR_REQUEST, "not persistent");
    MPI_Cancel(&many[0]);
    MPI_Wait(&many[0], &status);
}

static void arguments(void)
{
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    sends();
    receives();
    requests();
}

static int heard, heard_class;
static MPI_Comm heard_on;

static void hear(MPI_Comm *comm, int *code, ...)
{
    heard++;
    heard_on = *comm;
    MPI_Error_class(*code, &heard_class);
}

/* The handler of the request's communicator hears of errors at the wait. */
static void handlers(void)
{
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Request two[2];
    char large[100] = {0};
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Irecv(buf, 10, MPI_CHAR, 0, 0, comm, &request);
    MPI_Send(large, 100, MPI_CHAR, 0, 0, comm);
    CHECK(MPI_Wait(&request, &status) == MPI_ERR_TRUNCATE);
    CHECK(heard == 1 && heard_on == comm && heard_class == MPI_ERR_TRUNCATE);
    MPI_Irecv(buf, 10, MPI_CHAR, 0, 0, comm, &two[0]);
    MPI_Irecv(buf, 10, MPI_CHAR, 0, 1, comm, &two[1]);
    MPI_Send(large, 100, MPI_CHAR, 0, 1, comm);
    MPI_Send(large, 10, MPI_CHAR, 0, 0, comm);
    CHECK(MPI_Waitall(2, two, MPI_STATUSES_IGNORE) == MPI_ERR_IN_STATUS);
    CHECK(heard == 2 && heard_on == comm && heard_class == MPI_ERR_TRUNCATE);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const struct test TESTS[] = {
        {"arguments", arguments},
        {"handlers", handlers},
        {NULL, NULL},
    };
    return run_test(argc, argv, TESTS);
}
