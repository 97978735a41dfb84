/* The mistake: once a rank has died, the first message is taken to be that of rank 1. The others
 * have so much to do before that this holds in nearly every order. */
#include "shrunk.h"

int main(int argc, char **argv)
{
    MPI_Comm comm = begin(&argc, &argv);
    if (rank == 0) {
        int words[2] = {0};
        MPI_Status statuses[2];
        int code = MPI_SUCCESS;
        for (int each = 0; each < 2; each++)
            code |= MPI_Recv(&words[each], 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &statuses[each]);
        int is_whole = code == MPI_SUCCESS;
        if (!went_well(comm, MPI_SUCCESS) && is_whole) {
#ifdef MENDED
            int first = statuses[0].MPI_SOURCE == 1 ? words[0] : words[1];
#else
            int first = words[0];
#endif
            if (first != 10)
                abort();
        }
    } else {
        int word = 10 * rank;
        if (rank != 1)
            for (int turn = 0; turn < 400; turn++)
                MPI_Sendrecv(&word, 1, MPI_INT, rank, 1, &word, 1, MPI_INT, rank, 1, comm,
                             MPI_STATUS_IGNORE);
        if (rank < 3)
            MPI_Send(&word, 1, MPI_INT, 0, 0, comm);
        went_well(comm, MPI_SUCCESS);
    }
    MPI_Finalize();
    return 0;
}
