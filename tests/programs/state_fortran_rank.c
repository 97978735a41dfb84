#include "state.h"
int state_rank_of_fortran(void) { return state_rank(); }
