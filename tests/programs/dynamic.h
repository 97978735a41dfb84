/* What programs with several worlds share: checks that are counted, since a child cannot end its
 * parents' test; and the classes of error codes. */
#ifndef DYNAMIC_H
#define DYNAMIC_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, errors;

static void expect(int holds, const char *what)
{
    if (!holds) {
        printf("rank %d: %s\n", rank, what);
        errors++;
    }
}

__attribute__((unused)) static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}
#endif
