/* What a rank may leave behind when it leaves MPI. */
#include "check.h"

#define W MPI_COMM_WORLD

static void left(void)
{
    MPI_Comm comm, nameless;
    MPI_Datatype type;
    MPI_Group group;
    MPI_Info info;
    MPI_Request request;
    static int value;
    MPI_Barrier(W);
    if (rank == 1) {
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Comm_set_name(comm, "lattice");
        MPI_Comm_dup(MPI_COMM_SELF, &nameless);
        MPI_Type_contiguous(3, MPI_INT, &type);
        MPI_Type_set_name(type, "triple");
        MPI_Comm_group(W, &group);
        MPI_Info_create(&info);
        MPI_Irecv(&value, 1, MPI_INT, 0, 99, W, &request);
    }
    if (rank == 0)
        for (int i = 0; i < 3; i++)
            MPI_Send(&i, 1, MPI_INT, 1, 7, W);
}

/* Receives that were started while all went well, and of which nobody has asked since. */
static void booked(void)
{
    static int values[3], word;
    MPI_Request requests[3];
    for (int i = 0; i < 20; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &word, 1, MPI_INT, 1 - rank, 1, W,
                     MPI_STATUS_IGNORE);
    for (int i = 0; i < 3 && rank == 1; i++)
        MPI_Irecv(&values[i], 1, MPI_INT, 0, 90 + i, W, &requests[i]);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 90, W);
    MPI_Barrier(W);
    int flag;
    if (rank == 1)
        MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(W);
}

static void tidy(void)
{
    MPI_Comm comm;
    MPI_Request request;
    int value;
    MPI_Comm_dup(W, &comm);
    MPI_Irecv(&value, 1, MPI_INT, rank, 1, comm, &request);
    MPI_Send(&rank, 1, MPI_INT, rank, 1, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {{"left", left}, {"booked", booked}, {"tidy", tidy}, {0}};
    return run_test(argc, argv, tests);
}
