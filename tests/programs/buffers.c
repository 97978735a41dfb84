/* Buffers for buffered sends, of the process and of communicators. */
#include "check.h"

#define LARGE 100000
static char data[LARGE], into[LARGE];
static char process_buffer[200000], comm_buffer[5000];
static void *address;
static int bytes;

/* Lets rank 1 receive `count` messages that rank 0 has sent. */
static void let_receive(void)
{
    MPI_Send(NULL, 0, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
}

static void receive(int count, int length, MPI_Comm comm)
{
    MPI_Recv(NULL, 0, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++) {
        MPI_Recv(into, LARGE, MPI_CHAR, 0, 1, comm, MPI_STATUS_IGNORE);
        expect(into, length, i);
    }
}

static void send(int count, int length, MPI_Comm comm)
{
    for (int i = 0; i < count; i++) {
        fill(data, length, i);
        EQUAL(MPI_Bsend(data, length, MPI_CHAR, 1, 1, comm), MPI_SUCCESS);
    }
    memset(data, 0, length);
}

static void process(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (rank == 1) {
        receive(3, 60000, MPI_COMM_WORLD);
        receive(100, 8, MPI_COMM_WORLD);
        receive(1, 60000, MPI_COMM_WORLD);
        receive(1, LARGE, MPI_COMM_WORLD);
    }
    if (rank != 0)
        return;
    FAILS(MPI_Bsend(data, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER, "no buffer");
    MPI_Buffer_detach(&address, &bytes);
    CHECK(address == NULL && bytes == 0);
    MPI_Buffer_attach(process_buffer, sizeof process_buffer);
    FAILS(MPI_Buffer_attach(process_buffer, 10), MPI_ERR_BUFFER, "already");
    send(3, 60000, MPI_COMM_WORLD);
    FAILS(MPI_Bsend(data, 60000, MPI_CHAR, 1, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER, "60512");
    let_receive();
    MPI_Buffer_flush();
    send(100, 8, MPI_COMM_WORLD);
    /* So long that it stays with its sender until it is received. */
    send(1, 60000, MPI_COMM_WORLD);
    MPI_Request request;
    int flag = 1;
    MPI_Buffer_iflush(&request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    let_receive();
    let_receive();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&address, &bytes);
    CHECK(address == process_buffer && bytes == sizeof process_buffer);
    MPI_Buffer_attach_c(MPI_BUFFER_AUTOMATIC, 0);
    send(1, LARGE, MPI_COMM_WORLD);
    let_receive();
    MPI_Count large;
    MPI_Buffer_detach_c(&address, &large);
    CHECK(address == MPI_BUFFER_AUTOMATIC);
}

static void communicator(void)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (rank == 1) {
        receive(2, 1000, comm);
        receive(1, 1000, comm);
        receive(1, 10000, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        MPI_Buffer_attach(process_buffer, sizeof process_buffer);
        MPI_Comm_attach_buffer(comm, comm_buffer, sizeof comm_buffer);
        send(2, 1000, comm);
        /* The communicator's own buffer is used, and nothing else. */
        FAILS(MPI_Bsend(data, 10000, MPI_CHAR, 1, 1, comm), MPI_ERR_BUFFER, "free");
        let_receive();
        MPI_Comm_flush_buffer(comm);
        send(1, 1000, comm);
        let_receive();
        MPI_Comm_iflush_buffer(comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_detach_buffer(comm, &address, &bytes);
        CHECK(address == comm_buffer && bytes == sizeof comm_buffer);
        MPI_Count large;
        MPI_Comm_attach_buffer_c(comm, comm_buffer, 1000);
        MPI_Comm_detach_buffer_c(comm, &address, &large);
        CHECK(address == comm_buffer && large == 1000);
        send(1, 10000, MPI_COMM_WORLD);
        let_receive();
        MPI_Buffer_detach(&address, &bytes);
        CHECK(address == process_buffer);
    }
    MPI_Comm_free(&comm);
}

/* What is left in a buffer at MPI_Finalize is delivered; nobody has to detach. */
static void finalize(void)
{
    if (rank == 0) {
        MPI_Buffer_attach(process_buffer, sizeof process_buffer);
        send(2, 50000, MPI_COMM_WORLD);
        let_receive();
    } else if (rank == 1) {
        receive(2, 50000, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    static const struct test TESTS[] = {
        {"process", process},
        {"communicator", communicator},
        {"finalize", finalize},
        {NULL, NULL},
    };
    return run_test(argc, argv, TESTS);
}
