/* Datatypes: the predefined ones, and those that are one run of bytes per item. */
#include "check.h"
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#define W MPI_COMM_WORLD
#define TYPE(datatype, c_type) {datatype, #datatype, sizeof(c_type), sizeof(c_type)}
#define PAIR(datatype, first, second)                                                              \
    {                                                                                              \
        datatype, #datatype, sizeof(first) + sizeof(second), sizeof(struct {                       \
            first a;                                                                               \
            second b;                                                                              \
        })                                                                                         \
    }

static const struct {
    MPI_Datatype datatype;
    const char *name;
    size_t size, extent;
} PREDEFINED[] = {
    TYPE(MPI_CHAR, char),
    TYPE(MPI_SIGNED_CHAR, char),
    TYPE(MPI_UNSIGNED_CHAR, char),
    TYPE(MPI_BYTE, char),
    TYPE(MPI_PACKED, char),
    TYPE(MPI_WCHAR, wchar_t),
    TYPE(MPI_SHORT, short),
    TYPE(MPI_UNSIGNED_SHORT, short),
    TYPE(MPI_INT, int),
    TYPE(MPI_UNSIGNED, int),
    TYPE(MPI_LONG, long),
    TYPE(MPI_UNSIGNED_LONG, long),
    TYPE(MPI_LONG_LONG, long long),
    TYPE(MPI_UNSIGNED_LONG_LONG, long long),
    TYPE(MPI_FLOAT, float),
    TYPE(MPI_DOUBLE, double),
    TYPE(MPI_LONG_DOUBLE, long double),
    TYPE(MPI_C_BOOL, bool),
    TYPE(MPI_C_FLOAT_COMPLEX, float complex),
    TYPE(MPI_C_DOUBLE_COMPLEX, double complex),
    TYPE(MPI_C_LONG_DOUBLE_COMPLEX, long double complex),
    TYPE(MPI_INT8_T, int8_t),
    TYPE(MPI_UINT8_T, int8_t),
    TYPE(MPI_INT16_T, int16_t),
    TYPE(MPI_UINT16_T, int16_t),
    TYPE(MPI_INT32_T, int32_t),
    TYPE(MPI_UINT32_T, int32_t),
    TYPE(MPI_INT64_T, int64_t),
    TYPE(MPI_UINT64_T, int64_t),
    TYPE(MPI_AINT, MPI_Aint),
    TYPE(MPI_COUNT, MPI_Count),
    TYPE(MPI_OFFSET, MPI_Offset),
    TYPE(MPI_INTEGER, int),
    TYPE(MPI_LOGICAL, int),
    TYPE(MPI_CHARACTER, char),
    TYPE(MPI_REAL, float),
    TYPE(MPI_DOUBLE_PRECISION, double),
    TYPE(MPI_COMPLEX, float complex),
    TYPE(MPI_DOUBLE_COMPLEX, double complex),
    TYPE(MPI_INTEGER2, int16_t),
    TYPE(MPI_INTEGER16, char[16]),
    TYPE(MPI_REAL16, char[16]),
    TYPE(MPI_COMPLEX32, char[32]),
    TYPE(MPI_LOGICAL8, int64_t),
    PAIR(MPI_FLOAT_INT, float, int),
    PAIR(MPI_DOUBLE_INT, double, int),
    PAIR(MPI_LONG_INT, long, int),
    PAIR(MPI_2INT, int, int),
    PAIR(MPI_SHORT_INT, short, int),
    PAIR(MPI_LONG_DOUBLE_INT, long double, int),
    PAIR(MPI_2REAL, float, float),
    PAIR(MPI_2DOUBLE_PRECISION, double, double),
    PAIR(MPI_2INTEGER, int, int),
};

static void predefined(void)
{
    for (size_t i = 0; i < sizeof PREDEFINED / sizeof *PREDEFINED; i++) {
        MPI_Datatype datatype = PREDEFINED[i].datatype;
        int bytes, length, integers, addresses, types, combiner;
        MPI_Count large, large_lb;
        MPI_Aint lb, extent;
        char name[MPI_MAX_OBJECT_NAME];
        MPI_Type_size(datatype, &bytes);
        EQUAL(bytes, PREDEFINED[i].size);
        MPI_Type_size_c(datatype, &large);
        EQUAL(large, PREDEFINED[i].size);
        MPI_Type_get_extent(datatype, &lb, &extent);
        if (lb != 0 || extent != (MPI_Aint)PREDEFINED[i].extent)
            FAIL("%s: extent %ld, not %zu", PREDEFINED[i].name, extent, PREDEFINED[i].extent);
        MPI_Type_get_extent_x(datatype, &large_lb, &large);
        EQUAL(large, extent);
        MPI_Type_get_true_extent(datatype, &lb, &extent);
        CHECK(lb == 0 && extent >= bytes && extent <= large);
        MPI_Type_get_name(datatype, name, &length);
        if (strcmp(name, PREDEFINED[i].name) != 0)
            FAIL("%s is called %s", PREDEFINED[i].name, name);
        MPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner);
        CHECK(combiner == MPI_COMBINER_NAMED && integers == 0 && addresses == 0 && types == 0);
    }
    CHECK(MPI_LONG_LONG_INT == MPI_LONG_LONG && MPI_C_COMPLEX == MPI_C_FLOAT_COMPLEX);
}

static void made(void)
{
    MPI_Datatype three, six, twin, inner;
    int bytes, integers, addresses, types, combiner, count, length, result;
    MPI_Aint lb, extent, array[1];
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_contiguous(2, three, &six);
    MPI_Type_commit(&six);
    MPI_Type_size(six, &bytes);
    EQUAL(bytes, 24);
    MPI_Type_get_extent(six, &lb, &extent);
    CHECK(lb == 0 && extent == 24);
    MPI_Type_dup(six, &twin);
    MPI_Type_get_envelope(six, &integers, &addresses, &types, &combiner);
    CHECK(combiner == MPI_COMBINER_CONTIGUOUS && integers == 1 && addresses == 0 && types == 1);
    MPI_Type_get_contents(six, 1, 0, 1, &count, array, &inner);
    EQUAL(count, 2);
    MPI_Type_size(inner, &bytes);
    EQUAL(bytes, 12);
    MPI_Type_free(&inner);
    MPI_Type_get_envelope(twin, &integers, &addresses, &types, &combiner);
    CHECK(combiner == MPI_COMBINER_DUP && integers == 0 && types == 1);
    MPI_Type_free(&three);
    MPI_Type_set_name(six, "six of them");
    MPI_Type_get_name(six, name, &length);
    CHECK(strcmp(name, "six of them") == 0 && length == 11);
    MPI_Type_get_name(twin, name, &length);
    EQUAL(length, 0);
    MPI_Type_set_name(MPI_INT, rank ? "int" : "whole number");
    MPI_Barrier(W);
    MPI_Type_get_name(MPI_INT, name, &length);
    CHECK(strcmp(name, rank ? "int" : "whole number") == 0);
    /* The duplicate of a committed type is committed. */
    int sent[12], got[12];
    MPI_Status status;
    for (int i = 0; i < 12; i++)
        sent[i] = 100 * rank + i;
    MPI_Sendrecv(sent, 2, twin, (rank + 1) % size, 0, got, 4, six, (rank + size - 1) % size, 0, W,
                 &status);
    for (int i = 0; i < 12; i++)
        EQUAL(got[i], 100 * ((rank + size - 1) % size) + i);
    MPI_Get_count(&status, six, &count);
    EQUAL(count, 2);
    MPI_Get_elements(&status, six, &count);
    EQUAL(count, 12);
    MPI_Get_count(&status, MPI_INT, &result);
    EQUAL(result, 12);
    MPI_Type_free(&six);
    MPI_Type_free(&twin);
}

static void partial(void)
{
    MPI_Datatype three, none;
    MPI_Status status;
    int count, sent[7] = {0}, got[16];
    MPI_Count large;
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_commit(&three);
    MPI_Sendrecv(sent, 7, MPI_INT, rank, 0, got, 4, three, rank, 0, W, &status);
    MPI_Get_count(&status, three, &count);
    EQUAL(count, MPI_UNDEFINED);
    MPI_Get_elements(&status, three, &count);
    EQUAL(count, 7);
    MPI_Get_elements_x(&status, three, &large);
    EQUAL(large, 7);
    MPI_Get_elements_c(&status, MPI_DOUBLE, &large);
    EQUAL(large, MPI_UNDEFINED);
    MPI_Type_contiguous(0, MPI_INT, &none);
    MPI_Get_count(&status, none, &count);
    EQUAL(count, MPI_UNDEFINED);
    MPI_Get_elements(&status, none, &count);
    EQUAL(count, MPI_UNDEFINED);
    MPI_Sendrecv(sent, 0, MPI_INT, rank, 0, got, 0, MPI_INT, rank, 0, W, &status);
    MPI_Get_count(&status, none, &count);
    EQUAL(count, 0);
    MPI_Get_elements(&status, none, &count);
    EQUAL(count, 0);
    MPI_Type_free(&none);
    struct {
        double value;
        int index;
    } pairs[2] = {{1, 2}, {3, 4}}, seen[2];
    MPI_Sendrecv(pairs, 2, MPI_DOUBLE_INT, rank, 0, seen, 2, MPI_DOUBLE_INT, rank, 0, W, &status);
    MPI_Get_count(&status, MPI_DOUBLE_INT, &count);
    EQUAL(count, 2);
    MPI_Get_elements(&status, MPI_DOUBLE_INT, &count);
    EQUAL(count, 4);
    CHECK(seen[1].value == 3 && seen[1].index == 4);
    MPI_Type_free(&three);
}

static void addresses(void)
{
    int array[10] = {0};
    MPI_Aint first, fourth;
    MPI_Get_address(&array[0], &first);
    MPI_Get_address(&array[3], &fourth);
    EQUAL(MPI_Aint_diff(fourth, first), 3 * sizeof(int));
    CHECK((void *)first == array);
    MPI_Get_address(MPI_BOTTOM, &first);
    EQUAL(first, 0);
}

static int copies;

static int on_copy(MPI_Datatype old, int key, void *extra, void *in, void *out, int *flag)
{
    (void)old, (void)key, (void)extra;
    copies++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    MPI_Datatype made, twin;
    int key, flag;
    void *value;
    MPI_Type_create_keyval(on_copy, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Type_contiguous(2, MPI_INT, &made);
    MPI_Type_set_attr(made, key, &key);
    MPI_Type_set_attr(MPI_INT, key, &flag);
    MPI_Type_dup(made, &twin);
    MPI_Type_get_attr(twin, key, &value, &flag);
    CHECK(flag && value == &key && copies == 1);
    MPI_Type_delete_attr(twin, key);
    MPI_Type_get_attr(twin, key, &value, &flag);
    EQUAL(flag, 0);
    MPI_Type_get_attr(MPI_INT, key, &value, &flag);
    CHECK(flag && value == &flag);
    MPI_Type_free(&made);
    MPI_Type_free(&twin);
    MPI_Type_free_keyval(&key);
}

static void errors(void)
{
    MPI_Datatype datatype = MPI_DATATYPE_NULL, old = MPI_INT;
    int value;
    MPI_Aint address;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Type_size(datatype, &value), MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL");
    FAILS(MPI_Type_size((MPI_Datatype)0x204, &value), MPI_ERR_TYPE, "0x204");
    FAILS(MPI_Type_contiguous(-1, MPI_INT, &datatype), MPI_ERR_COUNT, "count is -1");
    FAILS(MPI_Type_contiguous_c(1LL << 61, MPI_INT, &datatype), MPI_ERR_COUNT,
          "exceeds the address space");
    FAILS(MPI_Type_free(&old), MPI_ERR_TYPE, "MPI_INT, which is predefined");
    FAILS(MPI_Type_commit(&datatype), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    FAILS(MPI_Type_get_contents(MPI_INT, 1, 1, 1, &value, &address, &datatype), MPI_ERR_TYPE,
          "predefined");
    MPI_Type_contiguous(4, MPI_INT, &datatype);
    FAILS(MPI_Send(&value, 0, datatype, MPI_PROC_NULL, 0, W), MPI_ERR_TYPE, "not committed");
    FAILS(MPI_Type_get_contents(datatype, 0, 0, 1, &value, &address, &old), MPI_ERR_ARG,
          "room for 0 integers");
    old = datatype;
    MPI_Type_free(&datatype);
    FAILS(MPI_Type_size(old, &value), MPI_ERR_TYPE, "was it freed?");
}

static const struct test TESTS[] = {
    {"predefined", predefined}, {"made", made},     {"partial", partial},
    {"addresses", addresses},   {"attributes", attributes}, {"errors", errors},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_test(argc, argv, TESTS);
}
