/* Functions of this library beside MPI's. Written by cbindgen from
 * src/abi/extensions.rs: change it there. */

#ifndef FTMPI_H
#define FTMPI_H

#include "ftck.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The number of the calling rank among those that `ftrun` started, also before `MPI_Init`;
 -1 in a program that runs without `ftrun`.
 */
int ftmpi_rank_in_job(void);

/*
 How often this rank has been started again: 0 in its first life.
 */
int ftmpi_incarnation(void);

/*
 Kills `rank` as `kill -9` kills a process, wherever it is. Does not wait for its death; does
 nothing when there is no such rank. Killing itself, a rank does not return.
 */
void ftmpi_kill(int rank);

/*
 Says that what the caller computes takes so long on the machine whose time `ftrun --virtual`
 shows; without that, it does nothing.
 */
void ftmpi_compute(double seconds);

/*
 Says that what the caller computes consists of so many floating-point operations, and moves so
 many bytes between processor and memory: with `ftrun --virtual` it takes as long as the slower
 of the two on that machine.
 */
void ftmpi_compute_work(double flops, double bytes);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FTMPI_H */
