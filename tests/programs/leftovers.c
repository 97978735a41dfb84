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
    const struct test tests[] = {{"left", left}, {"tidy", tidy}, {0}};
    return run_test(argc, argv, tests);
}
