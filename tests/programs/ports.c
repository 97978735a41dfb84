/* Two halves of the world get an intercommunicator by a port.
 *
 *     ports            all calls, results compared
 *     ports lost       rank 1 dies after it has written its name as MPI_Comm_join does
 *     ports serve N    the first half accepts N times, the other connects N times; a failure of
 *                      another process ends it quietly: tests of failures use that
 */
#include "dynamic.h"
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

/* A group that accepts and one that connects: each learns the sum of the other. */
static int meet(MPI_Comm half, int accepts, const char *port, int root, MPI_Comm *inter)
{
    const char *name = port;
    int at;
    MPI_Comm_rank(half, &at);
    if (at != root)
        name = NULL; /* significant only at the root */
    return accepts ? MPI_Comm_accept(name, MPI_INFO_NULL, root, half, inter)
                   : MPI_Comm_connect(name, MPI_INFO_NULL, root, half, inter);
}

static void check_inter(MPI_Comm inter, int accepts)
{
    int flag, mine, theirs, sum = -1, own = rank;
    MPI_Comm all;
    MPI_Comm_test_inter(inter, &flag);
    expect(flag, "an intercommunicator");
    MPI_Comm_size(inter, &mine);
    MPI_Comm_remote_size(inter, &theirs);
    expect(mine + theirs == size, "both halves");
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, inter);
    int half = size / 2, low = half * (half - 1) / 2, total = size * (size - 1) / 2;
    expect(sum == (accepts ? total - low : low), "the sum of the other half");
    MPI_Intercomm_merge(inter, !accepts, &all);
    MPI_Comm_size(all, &mine);
    expect(mine == size, "merged");
    MPI_Comm_free(&all);
}

static void all_calls(MPI_Comm half, int accepts)
{
    char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME];
    MPI_Comm inter, parent;
    int at, last;
    MPI_Comm_rank(half, &at);
    MPI_Comm_size(half, &last);
    last--;
    MPI_Comm_get_parent(&parent);
    expect(parent == MPI_COMM_NULL, "nobody has spawned this process");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    if (rank == 0) {
        expect(class_of(MPI_Lookup_name("ocean", MPI_INFO_NULL, found)) == MPI_ERR_NAME, "no name");
        MPI_Open_port(MPI_INFO_NULL, port);
        expect(strlen(port) > 0, "a port");
        expect(MPI_Publish_name("ocean", MPI_INFO_NULL, port) == MPI_SUCCESS, "published");
        expect(class_of(MPI_Publish_name("ocean", MPI_INFO_NULL, port)) == MPI_ERR_SERVICE,
               "published twice");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!accepts && at == last)
        expect(MPI_Lookup_name("ocean", MPI_INFO_NULL, port) == MPI_SUCCESS, "found");
    for (int time = 0; time < 3; time++) {
        expect(meet(half, accepts, port, accepts ? 0 : last, &inter) == MPI_SUCCESS, "connected");
        check_inter(inter, accepts);
        MPI_Comm_disconnect(&inter);
        expect(inter == MPI_COMM_NULL, "disconnected");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && size > 1)
        expect(class_of(MPI_Unpublish_name("ocean", MPI_INFO_NULL, port)) == MPI_ERR_SERVICE,
               "another one's name");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        expect(MPI_Unpublish_name("ocean", MPI_INFO_NULL, port) == MPI_SUCCESS, "unpublished");
        expect(MPI_Close_port(port) == MPI_SUCCESS, "closed");
        expect(class_of(MPI_Close_port(port)) == MPI_ERR_PORT, "closed twice");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect(class_of(meet(half, accepts, "nowhere", 0, &inter)) == MPI_ERR_PORT, "no such port");
    expect(class_of(MPI_Comm_accept("", MPI_INFO_NULL, 99, half, &inter)) == MPI_ERR_RANK, "root");
}

/* A port that closes tells those who wait there. */
static void closing(MPI_Comm half)
{
    static char port[MPI_MAX_PORT_NAME];
    MPI_Comm inter;
    int go = 0;
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        for (int to = 1; to < size; to++)
            MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, to, 5, MPI_COMM_WORLD);
        for (int from = 1; from < size; from++)
            MPI_Recv(&go, 1, MPI_INT, from, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Close_port(port);
    } else {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&go, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
        int code = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
        expect(class_of(code) == MPI_ERR_PORT, "the port was closed");
    }
    (void)half;
}

/* This rank's end of a connection between ranks 0 and 1. */
static int connected(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    int end = socket(AF_INET, SOCK_STREAM, 0);
    if (rank == 0) {
        int listens = end;
        bind(listens, (struct sockaddr *)&at, sizeof at);
        listen(listens, 1);
        getsockname(listens, (struct sockaddr *)&at, &length);
        MPI_Send(&at.sin_port, 2, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
        end = accept(listens, NULL, NULL);
        close(listens);
    } else {
        MPI_Recv(&at.sin_port, 2, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(connect(end, (struct sockaddr *)&at, sizeof at) == 0, "connected");
    }
    return end;
}

static void join_pair(void)
{
    MPI_Comm inter;
    int theirs = -1, own = rank + 10;
    if (rank > 1)
        return;
    expect(MPI_Comm_join(connected(), &inter) == MPI_SUCCESS, "joined");
    MPI_Sendrecv(&own, 1, MPI_INT, 0, 0, &theirs, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    expect(theirs == 11 - rank, "the other end");
    MPI_Comm_disconnect(&inter);
    if (rank == 0)
        expect(class_of(MPI_Comm_join(-1, &inter)) == MPI_ERR_ARG, "no descriptor");
    char foreign[64];
    if (rank == 0) {
        int other[2];
        memset(foreign, 'x', sizeof foreign);
        socketpair(AF_UNIX, SOCK_STREAM, 0, other);
        expect(write(other[1], foreign, sizeof foreign) == sizeof foreign, "written");
        expect(MPI_Comm_join(other[0], &inter) == MPI_SUCCESS && inter == MPI_COMM_NULL,
               "another job's");
        shutdown(other[1], SHUT_RDWR);
        expect(class_of(MPI_Comm_join(other[0], &inter)) != MPI_SUCCESS, "closed");
    }
}

static int serve(MPI_Comm half, int accepts, int times)
{
    static char port[MPI_MAX_PORT_NAME];
    MPI_Comm inter;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    if (rank == 0) {
        if (MPI_Open_port(MPI_INFO_NULL, port) || MPI_Publish_name("serve", MPI_INFO_NULL, port))
            return 0;
    }
    if (MPI_Barrier(MPI_COMM_WORLD))
        return 0;
    if (!accepts && MPI_Lookup_name("serve", MPI_INFO_NULL, port))
        return 0;
    for (int time = 0; time < times; time++) {
        if (meet(half, accepts, port, 0, &inter))
            return 0;
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        int own = 1, sum;
        if (MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, inter))
            return 0;
        MPI_Comm_disconnect(&inter);
    }
    if (rank == 0) {
        MPI_Unpublish_name("serve", MPI_INFO_NULL, port);
        MPI_Close_port(port);
    }
    return 1;
}

static void lose_partner(void)
{
    char port[MPI_MAX_PORT_NAME], name[65];
    MPI_Comm inter;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (rank == 1) {
        int end = connected();
        MPI_Open_port(MPI_INFO_NULL, port);
        snprintf(name, sizeof name, "%-64s", port);
        expect(write(end, name, 64) == 64, "written");
        raise(SIGKILL);
    }
    int end = connected();
    MPI_Recv(port, 1, MPI_CHAR, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int code = MPI_Comm_join(end, &inter);
    expect(class_of(code) == MPIX_ERR_PROC_FAILED, "the other end has failed");
    printf("%d errors\n", errors);
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    if (MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS) {
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int accepts = rank < size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, accepts, rank, &half);
    if (argc == 2) {
        lose_partner();
    } else if (argc > 1) {
        if (serve(half, accepts, atoi(argv[2])))
            printf("rank %d served\n", rank);
        else
            printf("rank %d has heard\n", rank);
    } else {
        all_calls(half, accepts);
        MPI_Barrier(MPI_COMM_WORLD);
        closing(half);
        join_pair();
        int sum;
        MPI_Allreduce(&errors, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%d errors\n", sum);
    }
    MPI_Finalize();
    return 0;
}
