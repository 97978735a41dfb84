/* Wrong arguments where nobody checks them: the library itself comes to no harm. */
#include "check.h"

#define W MPI_COMM_WORLD

static void harmless(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    int value = 1, sum = 2;
    double a = 1, b = 2;
    MPI_Request bad[2] = {MPI_REQUEST_NULL, (MPI_Request)0x20000123};
    MPI_Status statuses[2];
    CHECK(MPI_Waitall(2, bad, statuses) != MPI_SUCCESS);
    CHECK(MPI_Send(&value, -1, MPI_INT, 0, 0, W) != MPI_SUCCESS);
    CHECK(MPI_Send(&value, 1, MPI_INT, 1000, 0, W) != MPI_SUCCESS);
    CHECK(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, W) != MPI_SUCCESS);
    CHECK(MPI_Bcast(&value, 1, MPI_INT, size, W) != MPI_SUCCESS);
    CHECK(MPI_Comm_size(MPI_COMM_NULL, &value) != MPI_SUCCESS);
    /* An operation that has no meaning does nothing, or anything, but to the operands only. */
    MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_BAND);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, W);
    EQUAL(sum, size);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {{"harmless", harmless}, {0}};
    return run_test(argc, argv, tests);
}
