/* In the style of programs that were written for Open MPI's ULFM: a verbose error handler that
 * acknowledges, and a shrink that repairs. Nothing in here knows this library. */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#if !defined(OMPI_HAVE_MPI_EXT) || !OMPI_HAVE_MPI_EXT_FTMPI
#error "this needs an MPI with ULFM"
#endif

static int failures_seen;

static void verbose_errhandler(MPI_Comm *pcomm, int *perr, ...)
{
    MPI_Comm comm = *pcomm;
    int err = *perr;
    char errstr[MPI_MAX_ERROR_STRING];
    int rank, size, nf, len, eclass, i;
    MPI_Group group_c, group_f;
    int *ranks_gc, *ranks_gf;

    MPI_Error_class(err, &eclass);
    if (MPIX_ERR_PROC_FAILED != eclass && MPIX_ERR_REVOKED != eclass) {
        MPI_Abort(comm, err);
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPIX_Comm_failure_ack(comm);
    MPIX_Comm_failure_get_acked(comm, &group_f);
    MPI_Group_size(group_f, &nf);
    MPI_Error_string(err, errstr, &len);
    printf("Rank %d / %d: Notified of error %s. %d found dead: { ", rank, size, errstr, nf);
    ranks_gf = (int *)malloc((size_t)(nf + 1) * sizeof(int));
    ranks_gc = (int *)malloc((size_t)(nf + 1) * sizeof(int));
    MPI_Comm_group(comm, &group_c);
    for (i = 0; i < nf; i++)
        ranks_gf[i] = i;
    MPI_Group_translate_ranks(group_f, nf, ranks_gf, group_c, ranks_gc);
    for (i = 0; i < nf; i++)
        printf("%d ", ranks_gc[i]);
    printf("}\n");
    failures_seen++;
    free(ranks_gf);
    free(ranks_gc);
    MPI_Group_free(&group_c);
    if (group_f != MPI_GROUP_EMPTY)
        MPI_Group_free(&group_f);
}

int main(int argc, char *argv[])
{
    int rank, size, rc, flag, allsucceeded, *ft = NULL;
    MPI_Comm world, rework;
    MPI_Errhandler errh;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &ft, &flag);
    if (!flag || !*ft) {
        fprintf(stderr, "no fault tolerance\n");
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    MPI_Comm_create_errhandler(verbose_errhandler, &errh);
    MPI_Comm_set_errhandler(world, errh);
    MPI_Barrier(world);
    if (rank == size / 2)
        raise(SIGKILL);
    do {
        rc = MPI_Barrier(world);
    } while (MPI_SUCCESS == rc);
    if (MPIX_ERR_PROC_FAILED == rc)
        MPIX_Comm_revoke(world);
    allsucceeded = (rc == MPI_SUCCESS);
    MPIX_Comm_agree(world, &allsucceeded);
    if (!allsucceeded) {
        MPIX_Comm_shrink(world, &rework);
        MPI_Comm_free(&world);
        world = rework;
    }
    MPI_Comm_size(world, &size);
    MPI_Comm_rank(world, &rank);
    rc = MPI_Barrier(world);
    if (rc == MPI_SUCCESS && failures_seen > 0)
        printf("%d of %d survived\n", rank, size);
    MPI_Errhandler_free(&errh);
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
