/* What programs of ULFM in this directory share: a sum over all who are left, again and again. */
#include <mpi-ext.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 3

static int rank, size;

static inline void know(MPI_Comm comm)
{
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

static inline MPI_Comm begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    know(MPI_COMM_WORLD);
    return MPI_COMM_WORLD;
}

/* Whether all who live say that it went well. */
static inline int went_well(MPI_Comm comm, int code)
{
    int is_well = code == MPI_SUCCESS;
    if (!is_well)
        MPIX_Comm_revoke(comm);
    code = MPIX_Comm_agree(comm, &is_well);
    return is_well && code == MPI_SUCCESS;
}

/* What has become of a communicator without the dead. */
static inline MPI_Comm shrink(MPI_Comm comm)
{
    MPI_Comm fewer;
    MPIX_Comm_revoke(comm);
    MPIX_Comm_shrink(comm, &fewer);
    MPI_Comm_set_errhandler(fewer, MPI_ERRORS_RETURN);
    return fewer;
}
