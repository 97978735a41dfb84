/* Revoking a communicator ends whatever waits on it, anywhere: one kind of blocked operation each.
 * Rank 0 revokes once all others are about to block. Nobody dies. */
#include "ulfm.h"
#include <pthread.h>
#include <unistd.h>

#define LARGE 300000
static char data[LARGE], into[LARGE];
static MPI_Status status;
static MPI_Comm comm;

/* Everybody but rank 0 calls it, and must hear of the revocation; nobody ever answers. */
static void blocked(int (*call)(void))
{
    MPI_Comm_dup(W, &comm);
    if (rank == 0) {
        /* On another communicator, so that this one stays silent. */
        for (int i = 1; i < size; i++)
            MPI_Recv(NULL, 0, MPI_CHAR, i, 1, W, MPI_STATUS_IGNORE);
        usleep(2000);
        EQUAL(MPIX_Comm_revoke(comm), MPI_SUCCESS);
        EQUAL(MPIX_Comm_revoke(comm), MPI_SUCCESS);
    } else {
        MPI_Send(NULL, 0, MPI_CHAR, 0, 1, W);
        FAILS(call(), MPIX_ERR_REVOKED, "revoked");
    }
    int is_revoked = 0;
    EQUAL(MPIX_Comm_is_revoked(comm, &is_revoked), MPI_SUCCESS);
    EQUAL(is_revoked, 1);
    EQUAL(MPIX_Comm_is_revoked(W, &is_revoked), MPI_SUCCESS);
    EQUAL(is_revoked, 0);
    MPI_Comm left;
    EQUAL(MPIX_Comm_shrink(comm, &left), MPI_SUCCESS);
    all_are_well(left, size);
    all_are_well(W, size);
    EQUAL(MPI_Comm_free(&left), MPI_SUCCESS);
    EQUAL(MPI_Comm_free(&comm), MPI_SUCCESS);
    all_are_well(W, size);
}

static int in_wait(MPI_Request request)
{
    int code = MPI_Wait(&request, &status);
    CHECK(request == MPI_REQUEST_NULL);
    return code;
}

static int recv(void) { return MPI_Recv(into, 1, MPI_CHAR, 0, 0, comm, &status); }
static int recv_any(void) { return MPI_Recv(into, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, comm, &status); }
static int probe(void) { return MPI_Probe(0, 0, comm, &status); }
static int probe_any(void) { return MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status); }
static int ssend(void) { return MPI_Ssend(data, 1, MPI_CHAR, 0, 0, comm); }
static int send_large(void) { return MPI_Send(data, LARGE, MPI_CHAR, 0, 0, comm); }
static int barrier(void) { return MPI_Barrier(comm); }
static int bcast(void) { return MPI_Bcast(into, LARGE, MPI_CHAR, 0, comm); }
static int alltoall(void) { return MPI_Alltoall(data, 8, MPI_CHAR, into, 8, MPI_CHAR, comm); }

static int mprobe(void)
{
    MPI_Message message;
    return MPI_Mprobe(0, 0, comm, &message, &status);
}

static int sendrecv(void)
{
    return MPI_Sendrecv(data, LARGE, MPI_CHAR, 0, 0, into, LARGE, MPI_CHAR, 0, 0, comm, &status);
}

static int irecv(void)
{
    MPI_Request request;
    EQUAL(MPI_Irecv(into, LARGE, MPI_CHAR, 0, 0, comm, &request), MPI_SUCCESS);
    return in_wait(request);
}

static int irecv_any(void)
{
    MPI_Request request;
    EQUAL(MPI_Irecv(into, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, comm, &request), MPI_SUCCESS);
    return in_wait(request);
}

static int isend_large(void)
{
    MPI_Request request;
    EQUAL(MPI_Isend(data, LARGE, MPI_CHAR, 0, 0, comm, &request), MPI_SUCCESS);
    return in_wait(request);
}

static int persistent(void)
{
    MPI_Request request;
    EQUAL(MPI_Recv_init(into, 1, MPI_CHAR, 0, 0, comm, &request), MPI_SUCCESS);
    EQUAL(MPI_Start(&request), MPI_SUCCESS);
    FAILS(MPI_Wait(&request, &status), MPIX_ERR_REVOKED, "revoked by");
    EQUAL(MPI_Start(&request), MPI_SUCCESS);
    int code = MPI_Wait(&request, &status);
    EQUAL(MPI_Request_free(&request), MPI_SUCCESS);
    return code;
}

static int test_loop(void)
{
    MPI_Request request;
    int flag = 0, code;
    EQUAL(MPI_Irecv(into, 1, MPI_CHAR, 0, 0, comm, &request), MPI_SUCCESS);
    do
        code = MPI_Test(&request, &flag, &status);
    while (code == MPI_SUCCESS && !flag);
    return code;
}

static int iprobe_loop(void)
{
    int flag = 0, code;
    do
        code = MPI_Iprobe(0, 0, comm, &flag, &status);
    while (code == MPI_SUCCESS && !flag);
    return code;
}

static int waitany(void)
{
    MPI_Request requests[2];
    int index = -1;
    MPI_Irecv(into, 1, MPI_CHAR, 0, 0, comm, &requests[0]);
    MPI_Irecv(into, 1, MPI_CHAR, 0, 77, W, &requests[1]);
    int code = MPI_Waitany(2, requests, &index, &status);
    EQUAL(index, 0);
    MPI_Cancel(&requests[1]);
    MPI_Wait(&requests[1], &status);
    return code;
}

static int waitall(void)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    MPI_Irecv(into, 1, MPI_CHAR, 0, 0, comm, &requests[0]);
    MPI_Ibarrier(comm, &requests[1]);
    MPI_Irecv(into, 1, MPI_CHAR, 0, 77, W, &requests[2]);
    EQUAL(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS);
    EQUAL(statuses[2].MPI_ERROR, MPI_ERR_PENDING);
    MPI_Cancel(&requests[2]);
    MPI_Wait(&requests[2], &status);
    for (int i = 0; i < 2; i++)
        if (statuses[i].MPI_ERROR == MPI_ERR_PENDING)
            FAILS(MPI_Wait(&requests[i], &status), MPIX_ERR_REVOKED, "revoked by");
    return statuses[0].MPI_ERROR == MPI_ERR_PENDING ? MPIX_ERR_REVOKED : statuses[0].MPI_ERROR;
}

static int ireduce(void)
{
    MPI_Request request;
    EQUAL(MPI_Iallreduce(data, into, LARGE / 8, MPI_DOUBLE, MPI_SUM, comm, &request), MPI_SUCCESS);
    return in_wait(request);
}

static int persistent_collective(void)
{
    MPI_Request request;
    EQUAL(MPI_Barrier_init(comm, MPI_INFO_NULL, &request), MPI_SUCCESS);
    EQUAL(MPI_Start(&request), MPI_SUCCESS);
    int code = MPI_Wait(&request, &status);
    EQUAL(MPI_Request_free(&request), MPI_SUCCESS);
    return code;
}

static int make_dup(void)
{
    MPI_Comm other;
    return MPI_Comm_dup(comm, &other);
}

static int make_split(void)
{
    MPI_Comm other;
    return MPI_Comm_split(comm, 0, 0, &other);
}

static int idup(void)
{
    MPI_Request request;
    MPI_Comm other;
    EQUAL(MPI_Comm_idup(comm, &other, &request), MPI_SUCCESS);
    return in_wait(request);
}

static int create_group(void)
{
    MPI_Comm other;
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    int code = MPI_Comm_create_group(comm, group, 3, &other);
    MPI_Group_free(&group);
    return code;
}

/* Another thread of the rank revokes while this one waits. */
static void *revoke_soon(void *argument)
{
    usleep(2000);
    MPIX_Comm_revoke(*(MPI_Comm *)argument);
    return NULL;
}

static void from_another_thread(void)
{
    pthread_t thread;
    MPI_Comm_dup(W, &comm);
    pthread_create(&thread, NULL, revoke_soon, &comm);
    FAILS(MPI_Recv(into, 1, MPI_CHAR, (rank + 1) % size, 0, comm, &status), MPIX_ERR_REVOKED, "");
    pthread_join(thread, NULL);
    MPI_Comm_free(&comm);
}

/* Afterwards everything that involves others fails, and everything that does not goes on. */
static void afterwards(void)
{
    MPI_Request request;
    int flag, got = 0;
    char attached[1000 + MPI_BSEND_OVERHEAD];
    void *detached;
    MPI_Comm other;
    MPI_Group group;
    MPI_Comm_dup(W, &comm);
    /* This one arrives before, and is not received. */
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, comm);
    MPI_Barrier(comm);
    if (rank == size - 1)
        MPIX_Comm_revoke(comm);
    do
        MPIX_Comm_is_revoked(comm, &flag);
    while (!flag);
    FAILS(MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 5, comm, &status), MPIX_ERR_REVOKED,
          "");
    EQUAL(MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 5, comm, &request), MPI_SUCCESS);
    FAILS(in_wait(request), MPIX_ERR_REVOKED, "");
    FAILS(MPI_Iprobe(MPI_ANY_SOURCE, 5, comm, &flag, &status), MPIX_ERR_REVOKED, "");
    FAILS(MPI_Send(&rank, 1, MPI_INT, rank, 5, comm), MPIX_ERR_REVOKED, "");
    FAILS(MPI_Rsend(&rank, 1, MPI_INT, 0, 5, comm), MPIX_ERR_REVOKED, "");
    EQUAL(MPI_Isend(&rank, 1, MPI_INT, 0, 5, comm, &request), MPI_SUCCESS);
    FAILS(in_wait(request), MPIX_ERR_REVOKED, "");
    MPI_Buffer_attach(attached, sizeof attached);
    FAILS(MPI_Bsend(&rank, 1, MPI_INT, 0, 5, comm), MPIX_ERR_REVOKED, "");
    MPI_Buffer_detach(&detached, &flag);
    FAILS(barrier(), MPIX_ERR_REVOKED, "");
    FAILS(bcast(), MPIX_ERR_REVOKED, "");
    FAILS(make_dup(), MPIX_ERR_REVOKED, "");
    FAILS(make_split(), MPIX_ERR_REVOKED, "");
    FAILS(create_group(), MPIX_ERR_REVOKED, "");
    EQUAL(MPI_Comm_rank(comm, &got), MPI_SUCCESS);
    EQUAL(got, rank);
    EQUAL(MPI_Comm_group(comm, &group), MPI_SUCCESS);
    MPI_Group_free(&group);
    EQUAL(MPIX_Comm_get_failed(comm, &group), MPI_SUCCESS);
    CHECK(group == MPI_GROUP_EMPTY);
    EQUAL(MPIX_Comm_failure_ack(comm), MPI_SUCCESS);
    flag = ~(1 << rank);
    EQUAL(MPIX_Comm_agree(comm, &flag), MPI_SUCCESS);
    EQUAL(flag, ~((1 << size) - 1));
    EQUAL(MPIX_Comm_ishrink(comm, &other, &request), MPI_SUCCESS);
    EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
    all_are_well(other, size);
    EQUAL(MPI_Comm_free(&comm), MPI_SUCCESS);
    all_are_well(other, size);
    EQUAL(MPI_Comm_free(&other), MPI_SUCCESS);
}

/* Communicators that were split off at once do not share their fate. */
static void siblings_live_on(void)
{
    MPI_Comm half;
    int members;
    MPI_Comm_split(W, rank % 2, rank, &half);
    MPI_Comm_size(half, &members);
    if (rank == 0)
        MPIX_Comm_revoke(half);
    MPI_Barrier(W);
    if (rank % 2 == 0)
        FAILS(MPI_Barrier(half), MPIX_ERR_REVOKED, "");
    else
        all_are_well(half, members);
    MPI_Comm_free(&half);
}

/* Who has its handle late hears of it, too. */
static void before_all_have_it(void)
{
    for (int i = 0; i < 200; i++) {
        MPI_Comm copy;
        EQUAL(MPI_Comm_dup(W, &copy), MPI_SUCCESS);
        if (rank == i % size)
            MPIX_Comm_revoke(copy);
        int code;
        do
            code = MPI_Barrier(copy);
        while (code == MPI_SUCCESS);
        FAILS(code, MPIX_ERR_REVOKED, "");
        MPI_Comm_free(&copy);
    }
    all_are_well(W, size);
}

/* The world itself, and the other group of an intercommunicator. */
static void the_world(void)
{
    MPI_Comm left;
    if (rank == 0)
        MPIX_Comm_revoke(W);
    FAILS(MPI_Recv(into, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, W, &status), MPIX_ERR_REVOKED, "");
    EQUAL(MPIX_Comm_shrink(W, &left), MPI_SUCCESS);
    all_are_well(left, size);
    all_are_well(MPI_COMM_SELF, 1);
}

static void intercommunicators(void)
{
    MPI_Comm half, inter, left;
    MPI_Comm_split(W, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 5, &inter);
    if (rank == 1)
        MPIX_Comm_revoke(inter);
    else if (rank % 3 == 0)
        FAILS(MPI_Recv(into, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, inter, &status), MPIX_ERR_REVOKED, "");
    else
        FAILS(MPI_Alltoall(data, 1, MPI_CHAR, into, 1, MPI_CHAR, inter), MPIX_ERR_REVOKED, "");
    EQUAL(MPIX_Comm_shrink(inter, &left), MPI_SUCCESS);
    EQUAL(MPI_Barrier(left), MPI_SUCCESS);
    EQUAL(MPI_Barrier(half), MPI_SUCCESS);
    MPI_Comm_free(&left);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

#define CASES(OF)                                                                                  \
    OF(recv) OF(recv_any) OF(probe) OF(probe_any) OF(mprobe) OF(ssend) OF(send_large) OF(sendrecv) \
    OF(irecv) OF(irecv_any) OF(isend_large) OF(persistent) OF(test_loop) OF(iprobe_loop)           \
    OF(waitany) OF(waitall) OF(barrier) OF(bcast) OF(alltoall) OF(ireduce)                         \
    OF(persistent_collective) OF(make_dup) OF(make_split) OF(idup) OF(create_group)

#define DEFINE(name) static void blocked_in_##name(void) { blocked(name); }
CASES(DEFINE)

int main(int argc, char **argv)
{
#define ENTER(name) {#name, blocked_in_##name},
    static const struct test tests[] = {
        CASES(ENTER)
        {"from-another-thread", from_another_thread},
        {"afterwards", afterwards},
        {"siblings", siblings_live_on},
        {"before-all-have-it", before_all_have_it},
        {"the-world", the_world},
        {"intercommunicators", intercommunicators},
        {NULL, NULL},
    };
    return run_ulfm(argc, argv, tests);
}
