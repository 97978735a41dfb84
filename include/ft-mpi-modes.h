/*
 * The names of FT-MPI: restarted ranks, recovery, the record of failures, modes. mpi.h includes it.
 */
#ifndef FT_MPI_MODES_H
#define FT_MPI_MODES_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What MPI_Init returns in a rank that was started anew: no error, and larger than their classes */
#define MPI_INIT_RESTARTED_PROCS       2001
#define MPI_INIT_RESTARTED_PROC        MPI_INIT_RESTARTED_PROCS
#define MPI_INIT_RESTARTED_NODE        MPI_INIT_RESTARTED_PROCS
#define FT_MPI_INIT_RESTARTED_NODE     MPI_INIT_RESTARTED_PROCS

/*
 * In the handle that MPI_Comm_dup is to set: run the recovery. No communicator has this handle: it
 * is the address of an object of the library. (Weak, so that the program has no copy of it.)
 */
#if defined(__GNUC__)
extern struct MPI_ABI_Comm ftmpi_check_recover __attribute__((weak));
#else
extern struct MPI_ABI_Comm ftmpi_check_recover;
#endif
#define FT_MPI_CHECK_RECOVER           (&ftmpi_check_recover)
#define FTMPI_CHECK_RECOVER            FT_MPI_CHECK_RECOVER

/*
 * Attributes of communicators. The two FT_MPI_*_NUM_FAILED store an int where the caller wants it;
 * the two FT_MPI_*_FAILED a pointer to ints; those called FTMPI_* a pointer to an int.
 */
#define FT_MPI_LIST_NUM_FAILED         7001
#define FT_MPI_LIST_FAILED             7002
#define FT_MPI_COM_NUM_FAILED          7003
#define FT_MPI_COM_FAILED              7004
#define FTMPI_NUM_FAILED_PROCS         7005
#define FTMPI_COMM_MODE                7006
#define FTMPI_MSG_MODE                 7007
#define FTMPI_COLL_MODE                7008
#define FTMPI_RECOVERY_MODE            7009
/* How the communicator is: a pointer to an int. How its ranks are: a pointer to as many ints. */
#define FTMPI_COMM_STATE               7011
#define FTMPI_RANK_STATES              7012

/* What becomes of a communicator that has lost members */
#define FTMPI_COMM_MODE_ABORT          0
#define FTMPI_COMM_MODE_BLANK          1
#define FTMPI_COMM_MODE_SHRINK         2
#define FTMPI_COMM_MODE_REBUILD        3

/* What becomes of messages */
#define FTMPI_MSG_MODE_RESET           0
#define FTMPI_MSG_MODE_NOOP            FTMPI_MSG_MODE_RESET
#define FTMPI_MSG_MODE_NOP             FTMPI_MSG_MODE_RESET
#define FTMPI_MSG_MODE_CONT            1
#define FTMPI_MSG_MODE_CONTINUE        FTMPI_MSG_MODE_CONT

/* Whether all members of a collective operation meet the same outcome */
#define FTMPI_COLL_MODE_NON_ATOMIC     0
#define FTMPI_COLL_MODE_ATOMIC         1

/* Who starts a recovery: the program or the library */
#define FTMPI_RECOVERY_MODE_MANUAL     0
#define FTMPI_RECOVERY_MODE_AUTO       1

/* Nobody has failed; a member is dead; a recovery is under way; it is complete; it is hopeless */
#define FTMPI_COMM_STATE_OK            0
#define FTMPI_COMM_STATE_DETECTED      1
#define FTMPI_COMM_STATE_RECOVER       2
#define FTMPI_COMM_STATE_RECOVERED     3
#define FTMPI_COMM_STATE_FAILED        4

/* Lives; is dead or has left; is about to come; is out, and nobody has taken its place */
#define FTMPI_RANK_STATE_OK            0
#define FTMPI_RANK_STATE_UNAVAILABLE   1
#define FTMPI_RANK_STATE_JOINING       2
#define FTMPI_RANK_STATE_FAILED        3

#ifdef __cplusplus
}
#endif

#endif
