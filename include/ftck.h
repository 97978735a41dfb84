/*
 * Diskless checkpoints. Each rank keeps a copy of its data in memory, and all together keep codes
 * out of which the data of ranks that die come back. ftmpi.h includes it.
 *
 *     FTCK ck;
 *     FTCK_Create(MPI_COMM_WORLD, "rs:2", &ck);              replacements as well, local
 *     FTCK_Register(ck, 0, &step, 1, MPI_INT);
 *     FTCK_Register(ck, 1, x, n, MPI_DOUBLE);
 *     again:                                                 after each recovery; replacements too
 *     FTCK_Restore(ck, &version);                            FTCK_NONE: nothing was saved yet
 *     for (; step < steps; step++) {
 *         if (step % 100 == 0) FTCK_Checkpoint(ck, step);
 *         ...
 *
 * Schemes, and how many ranks may die at once in each group of them:
 *     xor             1    parity, spread over all ranks
 *     rs:K            K    Reed and Solomon's code, spread
 *     sum             1    checksum of doubles
 *     weighted:K      K    checksums of doubles with random weights
 *     mirror          1    the second half of the ranks keeps copies of the first
 *     ring            1    everybody keeps a copy of its left neighbour's data (of neighbours, 1)
 *     pair            1    two keep copies of each other's data (of the two, 1)
 * All but sum and weighted give back every bit; these two do so with what is no double. How many
 * digits theirs lose is told (FTCK_Status); numbers beside others that are 10^16 times as large
 * would lose all, and that is told as a loss. Numbers that are none (NaN) cannot be saved by them.
 * Options for the first four, after commas: `dedicated` (the last ranks keep codes and nothing
 * else, and register nothing), `groups=N` (N groups, each of which makes up for so many of its
 * own).
 */
#ifndef FTCK_H
#define FTCK_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FTCK_Opaque *FTCK;

#define FTCK_NULL                      ((FTCK) 0)
/* What FTCK_Restore says where there is nothing to restore */
#define FTCK_NONE                      (-1)
/* More ranks have failed than the scheme makes up for: all are told, and whose data are lost */
#define FTCK_ERR_LOST                  2002

int FTCK_Create(MPI_Comm comm, const char *scheme, FTCK *ck);
int FTCK_Register(FTCK ck, int id, void *buf, int count, MPI_Datatype datatype);
int FTCK_Register_c(FTCK ck, int id, void *buf, MPI_Count count, MPI_Datatype datatype);
int FTCK_Unregister(FTCK ck, int id);
/* Collective. The data are those of one moment if no message between them is under way */
int FTCK_Checkpoint(FTCK ck, int version);
/* The same; it waits until all have come. Then the data may change, and the rest goes on in later
 * calls of MPI, and what goes to disk beside all */
int FTCK_Icheckpoint(FTCK ck, int version, MPI_Request *request);
/* Collective, by survivors and replacements, who have registered the same again. Where there is
 * nothing to restore, it makes the room that checkpoints take, which the first two do otherwise */
int FTCK_Restore(FTCK ck, int *version);
/* Local: the last checkpoint, how many more ranks may die (-1: data are lost), and how many decimal
 * digits of doubles the last restoration has lost: those of the largest numbers that were summed up
 * with each other, so small ones beside them have lost more */
int FTCK_Status(FTCK ck, int *version, int *failures, int *digits);
/* The same number for each rank: how many of those it shares codes with may die */
int FTCK_Tolerances(FTCK ck, int maxranks, int failures[]);
/* After SHRINK or BLANK: ranks (as they were) whose data FTCK_Restore has given to this one, which
 * keeps them until the next checkpoint; they are protected again once the program has taken them */
int FTCK_Orphans(FTCK ck, int maxranks, int ranks[], int *count);
int FTCK_Adopt(FTCK ck, int rank, int id, void *buf, int count, MPI_Datatype datatype);
int FTCK_Adopt_c(FTCK ck, int rank, int id, void *buf, MPI_Count count, MPI_Datatype datatype);
/* After MPIX_Comm_shrink: those who are left go on with another communicator */
int FTCK_Set_comm(FTCK ck, MPI_Comm comm);
/* A second level, for when more ranks fail than the scheme makes up for, or the whole job is
 * started again: each every-th checkpoint goes into files of directory, too (0: none does). Local;
 * all say the same number, and replacements say it again before FTCK_Restore. One directory for
 * each FTCK, which all ranks see; two checkpoints are kept there in turn, each with its codes. If
 * they cannot be written, FTCK_Checkpoint fails with MPI_ERR_IO, and has succeeded but for that.
 * FTCK_Restore takes the newest that is whole, in memory or on disk, at all ranks. A file that is
 * missing, damaged, or of another job is a loss like that of a rank: as many as the scheme makes
 * up for are rebuilt from the others, and written anew. Rank 0 says on the standard error which
 * these are, or why it is not a newer checkpoint; where none can be restored, all ranks get
 * FTCK_ERR_LOST. Fewer ranks than wrote it get the data of the others as orphans, more get
 * MPI_ERR_ARG, all of them. */
int FTCK_Set_disk(FTCK ck, const char *directory, int every);
/* Local: from the next checkpoint on, no two ranks of one node are in one group; replacements say
 * it again. Who says nothing is in the rack, or on the node, where ftrun --machine seats it, else on
 * a node of its own. Where that cannot be, FTCK_Checkpoint says why */
int FTCK_Set_node(FTCK ck, int node);
/* Local, before each iteration: whether a checkpoint is due. All ranks are told alike, for the
 * interval is counted in iterations; it comes from what checkpoints cost and how far apart
 * failures are: as FTCK_Set_mttf says ("90s", "10min", "2h", "3d"; the same everywhere,
 * replacements again), else as ftrun --mttf does. Rank 0 says on the standard error which interval
 * it is */
int FTCK_Due(FTCK ck, int *flag);
int FTCK_Set_mttf(FTCK ck, const char *mttf);
int FTCK_Free(FTCK *ck);

int PFTCK_Create(MPI_Comm comm, const char *scheme, FTCK *ck);
int PFTCK_Register(FTCK ck, int id, void *buf, int count, MPI_Datatype datatype);
int PFTCK_Register_c(FTCK ck, int id, void *buf, MPI_Count count, MPI_Datatype datatype);
int PFTCK_Unregister(FTCK ck, int id);
int PFTCK_Checkpoint(FTCK ck, int version);
int PFTCK_Icheckpoint(FTCK ck, int version, MPI_Request *request);
int PFTCK_Restore(FTCK ck, int *version);
int PFTCK_Status(FTCK ck, int *version, int *failures, int *digits);
int PFTCK_Tolerances(FTCK ck, int maxranks, int failures[]);
int PFTCK_Orphans(FTCK ck, int maxranks, int ranks[], int *count);
int PFTCK_Adopt(FTCK ck, int rank, int id, void *buf, int count, MPI_Datatype datatype);
int PFTCK_Adopt_c(FTCK ck, int rank, int id, void *buf, MPI_Count count, MPI_Datatype datatype);
int PFTCK_Set_comm(FTCK ck, MPI_Comm comm);
int PFTCK_Set_disk(FTCK ck, const char *directory, int every);
int PFTCK_Set_node(FTCK ck, int node);
int PFTCK_Due(FTCK ck, int *flag);
int PFTCK_Set_mttf(FTCK ck, const char *mttf);
int PFTCK_Free(FTCK *ck);

#ifdef __cplusplus
}
#endif

#endif
