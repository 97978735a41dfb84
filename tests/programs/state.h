/* Who am I, as a rank under the host or as a real process? */
#pragma once
#include <stdlib.h>
#ifdef __cplusplus
extern "C"
#endif
int ftmpi_rank_in_job(void) __attribute__((weak));
static inline int state_rank(void) {
  int rank = ftmpi_rank_in_job ? ftmpi_rank_in_job() : -1;
  const char *given = getenv("STATE_RANK");
  return rank >= 0 ? rank : given ? atoi(given) : 0;
}
