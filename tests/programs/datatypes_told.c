/* What datatypes tell of themselves, what they refuse, and how their data are packed. */
#include "check.h"
#include <complex.h>
#include <wchar.h>

#define W MPI_COMM_WORLD
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static MPI_Datatype type;

/* What MPI_Type_get_contents_c says of `type`, and what MPI_Type_get_envelope does. */
static void told(int line, int combiner, const int *integers, int ni, const MPI_Aint *addresses,
                 int na, const MPI_Count *counts, int nc, int nd, MPI_Datatype first)
{
    MPI_Count seen_ni, seen_na, seen_nc, seen_nd, large[32];
    int seen, got[32], a, b, c;
    MPI_Aint where[32];
    MPI_Datatype types[8];
    MPI_Type_get_envelope_c(type, &seen_ni, &seen_na, &seen_nc, &seen_nd, &seen);
    if (seen != combiner || seen_ni != ni || seen_na != na || seen_nc != nc || seen_nd != nd)
        FAIL("line %d: combiner %d with %lld, %lld, %lld, %lld", line, seen, (long long)seen_ni,
             (long long)seen_na, (long long)seen_nc, (long long)seen_nd);
    MPI_Type_get_contents_c(type, ni, na, nc, nd, got, where, large, types);
    for (int i = 0; i < ni; i++)
        if (got[i] != integers[i])
            FAIL("line %d: integer %d is %d", line, i, got[i]);
    for (int i = 0; i < na; i++)
        if (where[i] != addresses[i])
            FAIL("line %d: address %d is %ld", line, i, where[i]);
    for (int i = 0; i < nc; i++)
        if (large[i] != counts[i])
            FAIL("line %d: large count %d is %lld", line, i, (long long)large[i]);
    if (nd)
        CHECK(types[0] == first);
    if (nc) {
        FAILS(MPI_Type_get_envelope(type, &a, &b, &c, &seen), MPI_ERR_TYPE, "large counts");
        FAILS(MPI_Type_get_contents(type, 32, 32, 8, got, where, types), MPI_ERR_TYPE, "large");
    } else {
        MPI_Type_get_envelope(type, &a, &b, &c, &seen);
        CHECK(a == ni && b == na && c == nd && seen == combiner);
        memset(got, 0, sizeof got);
        MPI_Type_get_contents(type, 32, 32, 8, got, where, types);
        for (int i = 0; i < ni; i++)
            EQUAL(got[i], integers[i]);
    }
    if (combiner < MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_RESIZED)
        MPI_Type_free(&type);
}

#define INTS(...) (int[]){__VA_ARGS__}, LENGTH(((int[]){__VA_ARGS__}))
#define AINTS(...) (MPI_Aint[]){__VA_ARGS__}, LENGTH(((MPI_Aint[]){__VA_ARGS__}))
#define COUNTS(...) (MPI_Count[]){__VA_ARGS__}, LENGTH(((MPI_Count[]){__VA_ARGS__}))
#define NONE NULL, 0
#define TOLD(combiner, integers, addresses, counts, nd, first)                                     \
    told(__LINE__, MPI_COMBINER_##combiner, integers, addresses, counts, nd, first)

static void contents(void)
{
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const MPI_Count big = 1LL << 33;
    MPI_Datatype two[] = {MPI_CHAR, MPI_INT};
    int distribs[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[] = {1, 2};
    int dargs[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
    MPI_Type_contiguous(3, MPI_INT, &type);
    TOLD(CONTIGUOUS, INTS(3), NONE, NONE, 1, MPI_INT);
    MPI_Type_contiguous_c(big, MPI_CHAR, &type);
    TOLD(CONTIGUOUS, NONE, NONE, COUNTS(big), 1, MPI_CHAR);
    MPI_Type_vector(2, 3, -4, MPI_INT, &type);
    TOLD(VECTOR, INTS(2, 3, -4), NONE, NONE, 1, MPI_INT);
    MPI_Type_vector_c(2, 3, 4, MPI_INT, &type);
    TOLD(VECTOR, NONE, NONE, COUNTS(2, 3, 4), 1, MPI_INT);
    MPI_Type_create_hvector(2, 3, 40, MPI_INT, &type);
    TOLD(HVECTOR, INTS(2, 3), AINTS(40), NONE, 1, MPI_INT);
    MPI_Type_create_hvector_c(2, 3, 40, MPI_INT, &type);
    TOLD(HVECTOR, NONE, NONE, COUNTS(2, 3, 40), 1, MPI_INT);
    MPI_Type_indexed(2, (int[]){1, 2}, (int[]){5, 7}, MPI_INT, &type);
    TOLD(INDEXED, INTS(2, 1, 2, 5, 7), NONE, NONE, 1, MPI_INT);
    MPI_Type_indexed_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){5, 7}, MPI_INT, &type);
    TOLD(INDEXED, NONE, NONE, COUNTS(2, 1, 2, 5, 7), 1, MPI_INT);
    MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){5, 9}, MPI_CHAR, &type);
    TOLD(HINDEXED, INTS(2, 1, 2), AINTS(5, 9), NONE, 1, MPI_CHAR);
    MPI_Type_create_hindexed_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){5, 9}, MPI_CHAR, &type);
    TOLD(HINDEXED, NONE, NONE, COUNTS(2, 1, 2, 5, 9), 1, MPI_CHAR);
    MPI_Type_create_indexed_block(2, 3, (int[]){5, 9}, MPI_INT, &type);
    TOLD(INDEXED_BLOCK, INTS(2, 3, 5, 9), NONE, NONE, 1, MPI_INT);
    MPI_Type_create_indexed_block_c(2, 3, (MPI_Count[]){5, 9}, MPI_INT, &type);
    TOLD(INDEXED_BLOCK, NONE, NONE, COUNTS(2, 3, 5, 9), 1, MPI_INT);
    MPI_Type_create_hindexed_block(2, 3, (MPI_Aint[]){5, 9}, MPI_CHAR, &type);
    TOLD(HINDEXED_BLOCK, INTS(2, 3), AINTS(5, 9), NONE, 1, MPI_CHAR);
    MPI_Type_create_hindexed_block_c(2, 3, (MPI_Count[]){5, 9}, MPI_CHAR, &type);
    TOLD(HINDEXED_BLOCK, NONE, NONE, COUNTS(2, 3, 5, 9), 1, MPI_CHAR);
    MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 4}, two, &type);
    TOLD(STRUCT, INTS(2, 1, 2), AINTS(0, 4), NONE, 2, MPI_CHAR);
    MPI_Type_create_struct_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){0, 4}, two, &type);
    TOLD(STRUCT, NONE, NONE, COUNTS(2, 1, 2, 0, 4), 2, MPI_CHAR);
    MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 0}, MPI_ORDER_C, MPI_INT,
                             &type);
    TOLD(SUBARRAY, INTS(2, 4, 5, 2, 3, 1, 0, MPI_ORDER_C), NONE, NONE, 1, MPI_INT);
    MPI_Type_create_subarray_c(2, (MPI_Count[]){4, 5}, (MPI_Count[]){2, 3}, (MPI_Count[]){1, 0},
                               MPI_ORDER_FORTRAN, MPI_INT, &type);
    TOLD(SUBARRAY, INTS(2, MPI_ORDER_FORTRAN), NONE, COUNTS(4, 5, 2, 3, 1, 0), 1, MPI_INT);
    MPI_Type_create_darray(2, 1, 2, (int[]){4, 8}, distribs, dargs, grid, MPI_ORDER_C, MPI_INT,
                           &type);
    TOLD(DARRAY,
         INTS(2, 1, 2, 4, 8, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG,
              2, 1, 2, MPI_ORDER_C),
         NONE, NONE, 1, MPI_INT);
    MPI_Type_create_darray_c(2, 1, 2, (MPI_Count[]){4, 8}, distribs, dargs, grid, MPI_ORDER_C,
                             MPI_INT, &type);
    TOLD(DARRAY,
         INTS(2, 1, 2, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2, 1,
              2, MPI_ORDER_C),
         NONE, COUNTS(4, 8), 1, MPI_INT);
    MPI_Type_create_resized(MPI_INT, -4, 16, &type);
    TOLD(RESIZED, NONE, AINTS(-4, 16), NONE, 1, MPI_INT);
    MPI_Type_create_resized_c(MPI_INT, -4, 16, &type);
    TOLD(RESIZED, NONE, NONE, COUNTS(-4, 16), 1, MPI_INT);
    MPI_Type_dup(MPI_INT, &type);
    TOLD(DUP, NONE, NONE, NONE, 1, MPI_INT);
    MPI_Type_create_f90_real(10, MPI_UNDEFINED, &type);
    TOLD(F90_REAL, INTS(10, MPI_UNDEFINED), NONE, NONE, 0, 0);
    MPI_Type_create_f90_complex(MPI_UNDEFINED, 30, &type);
    TOLD(F90_COMPLEX, INTS(MPI_UNDEFINED, 30), NONE, NONE, 0, 0);
    MPI_Type_create_f90_integer(7, &type);
    TOLD(F90_INTEGER, INTS(7), NONE, NONE, 0, 0);
}

static void parametrised(void)
{
    static const struct {
        int p, r, bytes;
    } REALS[] = {{6, 37, 4}, {7, 1, 8}, {1, 38, 8}, {15, 307, 8}, {16, 1, 16}, {30, 4000, 16}};
    MPI_Datatype again, other;
    int bytes, combiner, a, b, c;
    for (int i = 0; i < LENGTH(REALS); i++) {
        MPI_Type_create_f90_real(REALS[i].p, REALS[i].r, &type);
        MPI_Type_create_f90_real(REALS[i].p, REALS[i].r, &again);
        CHECK(type == again);
        MPI_Type_size(type, &bytes);
        EQUAL(bytes, REALS[i].bytes);
        MPI_Type_create_f90_complex(REALS[i].p, REALS[i].r, &other);
        CHECK(other != type);
        MPI_Type_size(other, &bytes);
        EQUAL(bytes, 2 * REALS[i].bytes);
    }
    MPI_Type_create_f90_real(15, 306, &other);
    MPI_Type_create_f90_real(15, 307, &type);
    CHECK(other != type);
    /* Part of another type, it comes out as itself. */
    MPI_Type_contiguous(2, type, &other);
    MPI_Type_get_contents(other, 1, 0, 1, &a, NULL, &again);
    CHECK(again == type);
    MPI_Type_free(&other);
    /* They need no commit, and operations work on them. */
    double x = 1.5 + rank, sum = 0;
    MPI_Allreduce(&x, &sum, 1, type, MPI_SUM, W);
    CHECK(sum == 1.5 * size + size * (size - 1) / 2);
    for (int digits = 1; digits <= 38; digits++) {
        MPI_Type_create_f90_integer(digits, &type);
        MPI_Type_size(type, &bytes);
        EQUAL(bytes, digits < 3 ? 1 : digits < 5 ? 2 : digits < 10 ? 4 : digits < 19 ? 8 : 16);
    }
    MPI_Type_get_envelope(type, &a, &b, &c, &combiner);
    EQUAL(combiner, MPI_COMBINER_F90_INTEGER);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
    CHECK(type == MPI_REAL8);
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &type);
    CHECK(type == MPI_INTEGER2);
    MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &type);
    CHECK(type == MPI_COMPLEX8);
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type);
    CHECK(type == MPI_DOUBLE_INT);
    MPI_Type_get_value_index(MPI_INTEGER, MPI_INTEGER, &type);
    CHECK(type == MPI_2INTEGER);
    MPI_Type_get_value_index(MPI_CHAR, MPI_DOUBLE, &type);
    CHECK(type == MPI_DATATYPE_NULL);
}

static void packing(void)
{
    char buffer[200];
    int position = 0, a = 7, ints[] = {1, 2, 3, 4, 5, 6}, b, bytes;
    double x = 2.5, y;
    MPI_Count far = 0;
    MPI_Datatype every;
    MPI_Type_vector(3, 1, 2, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_Pack(&a, 1, MPI_INT, buffer, sizeof buffer, &position, W);
    MPI_Pack(&x, 1, MPI_DOUBLE, buffer, sizeof buffer, &position, W);
    MPI_Pack(ints, 1, every, buffer, sizeof buffer, &position, W);
    EQUAL(position, 24);
    /* Packed here, unpacked there; and received as what it is. */
    char got[200];
    struct {
        int a;
        double x;
        int ints[3];
    } plain;
    MPI_Datatype all;
    MPI_Status status;
    MPI_Type_create_struct(3, (int[]){1, 1, 3}, (MPI_Aint[]){0, 8, 16},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_INT}, &all);
    MPI_Type_commit(&all);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Sendrecv(buffer, position, MPI_PACKED, right, 0, got, 200, MPI_PACKED, left, 0, W, &status);
    MPI_Get_count(&status, MPI_PACKED, &bytes);
    EQUAL(bytes, 24);
    MPI_Sendrecv(buffer, position, MPI_PACKED, right, 0, &plain, 1, all, left, 0, W, &status);
    CHECK(plain.a == 7 && plain.x == 2.5 && plain.ints[2] == 5);
    MPI_Unpack_c(got, 24, &far, &b, 1, MPI_INT, W);
    MPI_Unpack_c(got, 24, &far, &y, 1, MPI_DOUBLE, W);
    memset(ints, 0, sizeof ints);
    MPI_Unpack_c(got, 24, &far, ints, 1, every, W);
    CHECK(far == 24 && b == 7 && y == 2.5);
    CHECK(ints[0] == 1 && ints[1] == 0 && ints[2] == 3 && ints[4] == 5 && ints[5] == 0);
    far = 0;
    MPI_Pack_c(ints, 2, MPI_INT, buffer, 8, &far, W);
    EQUAL(far, 8);
    MPI_Type_free(&every);
    MPI_Type_free(&all);
}

/* `type` as it is packed for other machines: just these bytes. */
static void goes_out(int line, MPI_Datatype datatype, const void *data, int count, size_t native,
                     const unsigned char *wanted, int length)
{
    unsigned char out[256] = {0}, back[256];
    MPI_Aint position = 0, bytes;
    MPI_Count far = 0, large;
    MPI_Pack_external_size("external32", count, datatype, &bytes);
    MPI_Pack_external_size_c("external32", count, datatype, &large);
    if (bytes != length || large != length)
        FAIL("line %d: %ld bytes outside", line, bytes);
    MPI_Pack_external("external32", data, count, datatype, out, sizeof out, &position);
    EQUAL(position, length);
    for (int i = 0; i < length; i++)
        if (out[i] != wanted[i])
            FAIL("line %d: byte %d is %#x", line, i, out[i]);
    memset(back, 0, sizeof back);
    position = 0;
    MPI_Unpack_external("external32", out, length, &position, back, count, datatype);
    EQUAL(position, length);
    if (memcmp(back, data, native) != 0)
        FAIL("line %d: it does not come back", line);
    memset(out, 0, sizeof out);
    MPI_Pack_external_c("external32", data, count, datatype, out, length, &far);
    CHECK(far == length && memcmp(out, wanted, (size_t)length) == 0);
    memset(back, 0, sizeof back);
    far = 0;
    MPI_Unpack_external_c("external32", out, length, &far, back, count, datatype);
    CHECK(far == length && memcmp(back, data, native) == 0);
}

#define OUT_OF(native, datatype, data, count, ...)                                                 \
    do {                                                                                           \
        const unsigned char wanted_[] = {__VA_ARGS__};                                             \
        goes_out(__LINE__, datatype, data, count, native, wanted_, LENGTH(wanted_));               \
    } while (0)
#define OUT(datatype, data, count, ...) OUT_OF(sizeof data, datatype, data, count, __VA_ARGS__)

static void external(void)
{
    short s[] = {0x0102, -2};
    OUT(MPI_SHORT, s, 2, 1, 2, 0xff, 0xfe);
    long l[] = {0x0102030405060708};
    OUT(MPI_LONG_LONG, l, 1, 1, 2, 3, 4, 5, 6, 7, 8);
    OUT(MPI_INT64_T, l, 1, 1, 2, 3, 4, 5, 6, 7, 8);
    OUT(MPI_AINT, l, 1, 1, 2, 3, 4, 5, 6, 7, 8);
    long small[] = {0x01020304, -2};
    OUT(MPI_LONG, small, 2, 1, 2, 3, 4, 0xff, 0xff, 0xff, 0xfe);
    unsigned long large[] = {0xfffffffe};
    OUT(MPI_UNSIGNED_LONG, large, 1, 0xff, 0xff, 0xff, 0xfe);
    struct {
        long value;
        int index;
    } far[1];
    memset(far, 0, sizeof far);
    far[0].value = -3, far[0].index = 4;
    OUT_OF(12, MPI_LONG_INT, far, 1, 0xff, 0xff, 0xff, 0xfd, 0, 0, 0, 4);
    float f[] = {1.0f};
    OUT(MPI_FLOAT, f, 1, 0x3f, 0x80, 0, 0);
    double d[] = {-2.0};
    OUT(MPI_DOUBLE, d, 1, 0xc0, 0, 0, 0, 0, 0, 0, 0);
    float complex z[] = {1.0f + 2.0f * I};
    OUT(MPI_C_FLOAT_COMPLEX, z, 1, 0x3f, 0x80, 0, 0, 0x40, 0, 0, 0);
    char text[] = {'a', 'b', 'c'};
    OUT(MPI_CHAR, text, 3, 'a', 'b', 'c');
    OUT(MPI_PACKED, text, 3, 'a', 'b', 'c');
    wchar_t wide[] = {0x20ac};
    OUT(MPI_WCHAR, wide, 1, 0x20, 0xac);
    int logical[] = {1, 0};
    OUT(MPI_LOGICAL, logical, 2, 0, 0, 0, 1, 0, 0, 0, 0);
    /* Of its 16 bytes 10 are data. */
    long double q[] = {1.5L};
    OUT_OF(10, MPI_LONG_DOUBLE, q, 1, 0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    struct {
        short value;
        int index;
    } pair[1];
    memset(pair, 0, sizeof pair);
    pair[0].value = 3, pair[0].index = 4;
    OUT(MPI_SHORT_INT, pair, 1, 0, 3, 0, 0, 0, 4);
    int strided[] = {1, 0, 2};
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    OUT(type, strided, 1, 0, 0, 0, 1, 0, 0, 0, 2);
    MPI_Type_free(&type);
}

/* Bytes outside of every basic type (MPI-5.0 14.5.2). */
static void external_sizes(void)
{
    const struct {
        MPI_Datatype type;
        int bytes;
    } known[] = {
        {MPI_PACKED, 1}, {MPI_BYTE, 1}, {MPI_CHAR, 1}, {MPI_UNSIGNED_CHAR, 1}, {MPI_SIGNED_CHAR, 1},
        {MPI_WCHAR, 2}, {MPI_SHORT, 2}, {MPI_UNSIGNED_SHORT, 2}, {MPI_INT, 4}, {MPI_LONG, 4},
        {MPI_UNSIGNED, 4}, {MPI_UNSIGNED_LONG, 4}, {MPI_LONG_LONG_INT, 8}, {MPI_LONG_LONG, 8},
        {MPI_UNSIGNED_LONG_LONG, 8}, {MPI_FLOAT, 4}, {MPI_DOUBLE, 8}, {MPI_LONG_DOUBLE, 16},
        {MPI_C_BOOL, 1}, {MPI_INT8_T, 1}, {MPI_INT16_T, 2}, {MPI_INT32_T, 4}, {MPI_INT64_T, 8},
        {MPI_UINT8_T, 1}, {MPI_UINT16_T, 2}, {MPI_UINT32_T, 4}, {MPI_UINT64_T, 8}, {MPI_AINT, 8},
        {MPI_COUNT, 8}, {MPI_OFFSET, 8}, {MPI_C_COMPLEX, 8}, {MPI_C_FLOAT_COMPLEX, 8},
        {MPI_C_DOUBLE_COMPLEX, 16}, {MPI_C_LONG_DOUBLE_COMPLEX, 32}, {MPI_CHARACTER, 1},
        {MPI_LOGICAL, 4}, {MPI_INTEGER, 4}, {MPI_REAL, 4}, {MPI_DOUBLE_PRECISION, 8},
        {MPI_COMPLEX, 8}, {MPI_DOUBLE_COMPLEX, 16}, {MPI_CXX_BOOL, 1}, {MPI_CXX_FLOAT_COMPLEX, 8},
        {MPI_CXX_DOUBLE_COMPLEX, 16}, {MPI_CXX_LONG_DOUBLE_COMPLEX, 32}, {MPI_INTEGER1, 1},
        {MPI_INTEGER2, 2}, {MPI_INTEGER4, 4}, {MPI_INTEGER8, 8}, {MPI_INTEGER16, 16},
        {MPI_REAL2, 2}, {MPI_REAL4, 4}, {MPI_REAL8, 8}, {MPI_REAL16, 16}, {MPI_COMPLEX4, 4},
        {MPI_COMPLEX8, 8}, {MPI_COMPLEX16, 16}, {MPI_COMPLEX32, 32}, {MPI_LOGICAL1, 1},
        {MPI_LOGICAL2, 2}, {MPI_LOGICAL4, 4}, {MPI_LOGICAL8, 8}, {MPI_LOGICAL16, 16},
        {MPI_SHORT_INT, 6}, {MPI_LONG_INT, 8}, {MPI_DOUBLE_INT, 12}, {MPI_LONG_DOUBLE_INT, 20},
    };
    for (size_t i = 0; i < LENGTH(known); i++) {
        MPI_Aint bytes;
        MPI_Pack_external_size("external32", 1, known[i].type, &bytes);
        if (bytes != known[i].bytes)
            FAIL("type %zu: %ld bytes, not %d", i, (long)bytes, known[i].bytes);
        MPI_Datatype three;
        MPI_Type_contiguous(3, known[i].type, &three);
        MPI_Pack_external_size("external32", 2, three, &bytes);
        EQUAL(bytes, 6 * known[i].bytes);
        MPI_Type_free(&three);
    }
}

/* What is too large to go out is told, and nothing has changed. */
static void external_range(void)
{
    long longs[] = {1, 0x80000000L};
    unsigned long unsigned_longs[] = {0x100000000UL};
    wchar_t wide[] = {0x1f600};
    char out[16] = "as it was";
    MPI_Aint position = 1;
    MPI_Count far = 1;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Pack_external("external32", longs, 2, MPI_LONG, out, 16, &position),
          MPI_ERR_CONVERSION, "2147483648");
    FAILS(MPI_Pack_external_c("external32", unsigned_longs, 1, MPI_UNSIGNED_LONG, out, 16, &far),
          MPI_ERR_CONVERSION, "4294967296");
    FAILS(MPI_Pack_external("external32", wide, 1, MPI_WCHAR, out, 16, &position),
          MPI_ERR_CONVERSION, "MPI_WCHAR");
    CHECK(position == 1 && far == 1 && strcmp(out, "as it was") == 0);
    EQUAL(MPI_Pack_external("external32", longs, 1, MPI_LONG, out, 16, &position), MPI_SUCCESS);
    EQUAL(position, 5);
}

static void errors(void)
{
    MPI_Datatype none = MPI_DATATYPE_NULL, raw;
    int ones[] = {1, 1}, minus[] = {1, -1}, value[4] = {0}, position = 0, sizes[] = {4, 4};
    int block[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}, halves[] = {2, 2};
    int dflt[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, bad[] = {5, 1};
    MPI_Aint far[] = {0, 8}, there = 0;
    MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL};
    MPI_Status status;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Type_vector(-1, 1, 1, MPI_INT, &type), MPI_ERR_COUNT, "count is -1");
    FAILS(MPI_Type_vector(1, -1, 1, MPI_INT, &type), MPI_ERR_ARG, "blocklength is -1");
    FAILS(MPI_Type_vector(1, 1, 1, none, &type), MPI_ERR_TYPE, "oldtype is MPI_DATATYPE_NULL");
    FAILS(MPI_Type_vector(1, 1, 1, MPI_INT, NULL), MPI_ERR_ARG, "newtype is a null pointer");
    FAILS(MPI_Type_vector_c(2, 1, 1LL << 62, MPI_INT, &type), MPI_ERR_ARG, "64 bits");
    FAILS(MPI_Type_create_hvector(-1, 1, 1, MPI_INT, &type), MPI_ERR_COUNT, "count is -1");
    FAILS(MPI_Type_create_hvector_c(1, -1, 1, MPI_INT, &type), MPI_ERR_ARG, "blocklength is -1");
    FAILS(MPI_Type_indexed(-1, ones, ones, MPI_INT, &type), MPI_ERR_COUNT, "count is -1");
    FAILS(MPI_Type_indexed(2, minus, ones, MPI_INT, &type), MPI_ERR_ARG,
          "element 1 of array_of_blocklengths is -1");
    FAILS(MPI_Type_indexed(2, NULL, ones, MPI_INT, &type), MPI_ERR_ARG, "null pointer");
    FAILS(MPI_Type_create_hindexed(2, minus, far, MPI_INT, &type), MPI_ERR_ARG, "element 1");
    FAILS(MPI_Type_create_hindexed(2, ones, NULL, MPI_INT, &type), MPI_ERR_ARG, "displacements");
    FAILS(MPI_Type_create_indexed_block(2, -3, ones, MPI_INT, &type), MPI_ERR_ARG, "-3");
    FAILS(MPI_Type_create_hindexed_block(-2, 3, far, MPI_INT, &type), MPI_ERR_COUNT, "-2");
    FAILS(MPI_Type_create_struct(2, ones, far, types, &type), MPI_ERR_TYPE,
          "element 1 of array_of_types is MPI_DATATYPE_NULL");
    FAILS(MPI_Type_create_struct(2, minus, far, (MPI_Datatype[]){MPI_INT, MPI_INT}, &type),
          MPI_ERR_ARG, "element 1 of array_of_blocklengths");
    FAILS(MPI_Type_create_subarray(0, sizes, ones, ones, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG,
          "ndims is 0");
    FAILS(MPI_Type_create_subarray(2, sizes, bad, ones, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG,
          "element 0 of array_of_subsizes is 5; it must be between 1 and 4");
    FAILS(MPI_Type_create_subarray(2, sizes, sizes, ones, MPI_ORDER_C, MPI_INT, &type),
          MPI_ERR_ARG, "element 0 of array_of_starts is 1");
    FAILS(MPI_Type_create_subarray(2, sizes, ones, ones, 3, MPI_INT, &type), MPI_ERR_ARG,
          "order is 3");
    FAILS(MPI_Type_create_darray(4, 4, 2, sizes, block, dflt, halves, MPI_ORDER_C, MPI_INT, &type),
          MPI_ERR_ARG, "rank is 4");
    FAILS(MPI_Type_create_darray(5, 0, 2, sizes, block, dflt, halves, MPI_ORDER_C, MPI_INT, &type),
          MPI_ERR_ARG, "a grid of 4 processes, but size is 5");
    FAILS(MPI_Type_create_darray(4, 0, 2, sizes, block, ones, halves, MPI_ORDER_C, MPI_INT, &type),
          MPI_ERR_ARG, "do not hold 4 elements");
    FAILS(MPI_Type_create_darray(4, 0, 2, sizes, ones, dflt, halves, MPI_ORDER_C, MPI_INT, &type),
          MPI_ERR_ARG, "element 0 of array_of_distribs is 1");
    FAILS(MPI_Type_create_f90_real(34, 1, &type), MPI_ERR_ARG, "p is 34");
    FAILS(MPI_Type_create_f90_complex(MPI_UNDEFINED, MPI_UNDEFINED, &type), MPI_ERR_ARG, "both");
    FAILS(MPI_Type_create_f90_integer(39, &type), MPI_ERR_ARG, "r is 39");
    FAILS(MPI_Type_match_size(3, 4, &type), MPI_ERR_ARG, "typeclass is 3");
    FAILS(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type), MPI_ERR_ARG, "size is 3");
    FAILS(MPI_Type_get_value_index(none, MPI_INT, &type), MPI_ERR_TYPE, "value_type");
    MPI_Type_create_f90_integer(5, &type);
    FAILS(MPI_Type_free(&type), MPI_ERR_TYPE, "predefined");
    MPI_Type_vector(2, 1, 2, MPI_INT, &raw);
    FAILS(MPI_Pack(value, 1, raw, value, 16, &position, W), MPI_ERR_TYPE, "not committed");
    MPI_Type_commit(&raw);
    FAILS(MPI_Pack(NULL, 1, raw, value, 16, &position, W), MPI_ERR_BUFFER, "null pointer");
    FAILS(MPI_Pack(value, 1, raw, NULL, 16, &position, W), MPI_ERR_BUFFER, "packed data");
    FAILS(MPI_Pack(value, 1, raw, value, 7, &position, W), MPI_ERR_TRUNCATE, "8 bytes");
    FAILS(MPI_Pack(value, 1, raw, value, -7, &position, W), MPI_ERR_ARG, "outsize is -7");
    position = 17;
    FAILS(MPI_Unpack(value, 16, &position, value, 1, raw, W), MPI_ERR_ARG, "position is 17");
    EQUAL(position, 17);
    position = 12;
    FAILS(MPI_Unpack(value, 16, &position, value, 1, raw, W), MPI_ERR_TRUNCATE,
          "behind position 12");
    FAILS(MPI_Unpack(value, 16, NULL, value, 1, raw, W), MPI_ERR_ARG, "position is a null pointer");
    FAILS(MPI_Pack_size(-1, raw, W, &position), MPI_ERR_COUNT, "incount is -1");
    FAILS(MPI_Pack_size(1, raw, MPI_COMM_NULL, &position), MPI_ERR_COMM, "MPI_COMM_NULL");
    FAILS(MPI_Pack_external("native", value, 1, raw, value, 16, &there),
          MPI_ERR_UNSUPPORTED_DATAREP, "native");
    FAILS(MPI_Pack_external_size("external", 1, raw, &there), MPI_ERR_UNSUPPORTED_DATAREP,
          "external");
    FAILS(MPI_Unpack_external("external32", value, 4, &there, value, 1, raw), MPI_ERR_TRUNCATE,
          "8 bytes");
    FAILS(MPI_Status_set_elements(&status, raw, -1), MPI_ERR_COUNT, "count is -1");
    MPI_Type_free(&raw);
    MPI_Type_contiguous(0, MPI_INT, &raw);
    FAILS(MPI_Status_set_elements(&status, raw, 1), MPI_ERR_COUNT, "count is 1");
    MPI_Type_free(&raw);
}

static const struct test TESTS[] = {
    {"contents", contents}, {"parametrised", parametrised}, {"packing", packing},
    {"external", external}, {"external-sizes", external_sizes},
    {"external-range", external_range}, {"errors", errors},             {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_test(argc, argv, TESTS);
}
