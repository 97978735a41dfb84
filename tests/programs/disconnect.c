/* MPI_Comm_disconnect waits for what is under way, at all members.
 *
 *     disconnect          compared with what the standard says
 *     disconnect death    rank 1 dies before it disconnects: the others hear of that
 */
#include "dynamic.h"
#include <signal.h>

enum { LARGE = 1 << 18 };

static int out[LARGE], in[LARGE];

/* A long message whose request is given away has arrived when the sender has disconnected; and so
 * has what was buffered. */
static void messages(MPI_Comm comm)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, small = rank, got = -1;
    int room = 4 * sizeof out + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
    MPI_Request request, sum;
    MPI_Buffer_attach(buffer, room);
    for (int i = 0; i < LARGE; i++)
        out[i] = rank + i;
    MPI_Irecv(in, LARGE, MPI_INT, left, 1, comm, &request);
    MPI_Request_free(&request);
    MPI_Isend(out, LARGE, MPI_INT, right, 1, comm, &request);
    MPI_Request_free(&request);
    MPI_Bsend(&small, 1, MPI_INT, right, 2, comm);
    MPI_Irecv(&got, 1, MPI_INT, left, 2, comm, &request);
    int one = 1, total = 0;
    MPI_Iallreduce(&one, &total, 1, MPI_INT, MPI_SUM, comm, &sum);
    MPI_Comm_disconnect(&comm);
    expect(comm == MPI_COMM_NULL, "the handle");
    memset(out, 0, sizeof out);
    expect(in[0] == left && in[LARGE - 1] == left + LARGE - 1, "the long message is there");
    expect(got == left, "the short one, too");
    expect(total == size, "the sum is there");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
}

/* Nobody leaves before all have come. */
static void all_come(void)
{
    static int has_come; /* of rank 0: the others learn where it is */
    MPI_Comm comm;
    MPI_Win win;
    int mine = 0, value = 0, one = 1;
    MPI_Win_create(&has_come, sizeof has_come, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &mine, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Comm_disconnect(&comm);
    MPI_Fetch_and_op(&one, &value, MPI_INT, 0, 0, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    expect(value == size, "all have come");
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (argc > 1) {
        int class, is_inter = argc > 2;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Intercomm_create(half, 0, comm, 1 - rank % 2, 3, &inter);
        MPI_Comm *gone = is_inter ? &inter : &comm, before = *gone;
        MPI_Comm_set_errhandler(*gone, MPI_ERRORS_RETURN);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            raise(SIGKILL);
        int code = MPI_Comm_disconnect(gone);
        MPI_Error_class(code, &class);
        expect(class == MPIX_ERR_PROC_FAILED && *gone == before, "the death is told");
        expect(MPI_Comm_free(gone) == MPI_SUCCESS, "it can be freed");
        printf("%d errors\n", errors);
        MPI_Finalize();
        return 0;
    }
    messages(comm);
    all_come();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (size > 1) {
        MPI_Request request;
        int own = rank, theirs = -1, peer, remote;
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &inter);
        MPI_Comm_rank(half, &peer);
        MPI_Comm_remote_size(inter, &remote);
        if (peer < remote) {
            MPI_Irecv(&theirs, 1, MPI_INT, peer, 4, inter, &request);
            MPI_Request_free(&request);
            MPI_Issend(&own, 1, MPI_INT, peer, 4, inter, &request);
            MPI_Request_free(&request);
        }
        MPI_Comm_disconnect(&inter);
        expect(peer >= remote || theirs == (rank ^ 1), "a message between two groups");
    }
    MPI_Comm_disconnect(&half);
    int sum;
    MPI_Allreduce(&errors, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d errors\n", sum);
    MPI_Finalize();
    return 0;
}
