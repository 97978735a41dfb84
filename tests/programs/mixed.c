/* The C half of mixed.f90: handles, statuses and attributes go from one language to the other. */
#include <mpi.h>
#include <string.h>

/* What Fortran calls in C. */
int c_rank_(int *comm)
{
    int rank;
    MPI_Comm_rank(MPI_Comm_f2c(*comm), &rank);
    return rank;
}

/* The type, tag and count of what `request` received; the handles are Fortran's. */
void c_finish_(int *request, int *datatype, int *tag, int *count)
{
    MPI_Request mine = MPI_Request_fromint(*request);
    MPI_Status status;
    MPI_Wait(&mine, &status);
    MPI_Get_count(&status, MPI_Type_fromint(*datatype), count);
    *tag = status.MPI_TAG;
    *request = MPI_Request_toint(mine);
}

/* A duplicate that C made, for Fortran. */
void c_duplicate_(int *comm)
{
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    *comm = MPI_Comm_toint(made);
}

/* A status is the same words in both languages. */
int c_source_(int *words)
{
    MPI_Status status;
    memcpy(&status, words, sizeof status);
    return status.MPI_SOURCE;
}

/* 1 if Fortran wants no status, and 2 if it wants no statuses. */
int c_ignores_(MPI_Fint *status)
{
    return (status == MPI_F_STATUS_IGNORE) + 2 * (status == MPI_F_STATUSES_IGNORE);
}

static long answer = 42;

/* An attribute that C sets is a pointer; the key copies it as it is. */
void c_set_attribute_(int *keyval)
{
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, *keyval, &answer);
}

/* 1 if it is still that pointer. */
int c_has_attribute_(int *comm, int *keyval)
{
    long *value;
    int flag;
    MPI_Comm_get_attr(MPI_Comm_fromint(*comm), *keyval, &value, &flag);
    return flag && value == &answer && *value == 42;
}

/* What C sees of an attribute that Fortran set: a pointer to an integer. */
int c_sees_(int *keyval)
{
    MPI_Aint *value;
    int flag;
    MPI_Comm_get_attr(MPI_COMM_SELF, *keyval, &value, &flag);
    return flag ? (int)*value : -1;
}
