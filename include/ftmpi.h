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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FTMPI_H */
