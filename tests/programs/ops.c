/* Operations: every predefined one on every predefined type, beside a naive model; and the
 * program's own. */
#define _GNU_SOURCE
#include "check.h"
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST = 700 };

static uint64_t seed = 88172645463325252u;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

typedef float _Complex c_float;
typedef double _Complex c_double;
typedef long double _Complex c_long_double;
typedef __float128 quad;
typedef struct { quad re, im; } c_quad;
typedef _Float16 half;
typedef __int128 int128;

/* Operands that show what is wrong: all bits of integers, fractions of floats, equal values. */
static int64_t any_int(void) { return draw() % 3 ? (int64_t)draw() : (int64_t)(draw() % 3) - 1; }
static double any_float(void)
{
    return draw() % 4 ? ((double)(int64_t)draw()) / 1e15 : (double)(draw() % 3) - 1;
}

#define MODEL(name, type, expression)                                                              \
    static void name(const void *left, const void *right, void *result)                            \
    {                                                                                              \
        type a, b, r;                                                                              \
        memcpy(&a, left, sizeof a);                                                                \
        memcpy(&b, right, sizeof b);                                                               \
        r = (expression);                                                                          \
        memcpy(result, &r, sizeof r);                                                              \
    }

#define ANY(name, type, expression)                                                                \
    static void name(void *at)                                                                     \
    {                                                                                              \
        type value = (type)(expression);                                                           \
        memcpy(at, &value, sizeof value);                                                          \
    }

/* Sums and products of signed integers wrap: the model computes without sign. */
#define INTEGERS(name, type, wide)                                                                 \
    ANY(any_##name, type, any_int())                                                               \
    MODEL(name##_sum, type, (type)((wide)a + (wide)b))                                             \
    MODEL(name##_prod, type, (type)((wide)a * (wide)b))                                            \
    MODEL(name##_min, type, a < b ? a : b)                                                         \
    MODEL(name##_max, type, a > b ? a : b)                                                         \
    MODEL(name##_band, type, a &b)                                                                 \
    MODEL(name##_bor, type, a | b)                                                                 \
    MODEL(name##_bxor, type, a ^ b)                                                                \
    MODEL(name##_land, type, a &&b)                                                                \
    MODEL(name##_lor, type, a || b)                                                                \
    MODEL(name##_lxor, type, !a != !b)

#define FLOATS(name, type)                                                                         \
    ANY(any_##name, type, any_float())                                                             \
    MODEL(name##_sum, type, a + b)                                                                 \
    MODEL(name##_prod, type, a *b)                                                                 \
    MODEL(name##_min, type, a < b ? a : b)                                                         \
    MODEL(name##_max, type, a > b ? a : b)

#define LOGICALS(name, type)                                                                       \
    ANY(any_##name, type, draw() % 2)                                                              \
    MODEL(name##_land, type, a &&b)                                                                \
    MODEL(name##_lor, type, a || b)                                                                \
    MODEL(name##_lxor, type, !a != !b)

#define PAIRS(name, value, index, any)                                                             \
    typedef struct { value v; index i; } name##_pair;                                              \
    static void any_##name(void *at)                                                               \
    {                                                                                              \
        name##_pair pair;                                                                          \
        memset(&pair, 0, sizeof pair);                                                             \
        pair.v = (value)(any), pair.i = (index)(draw() % 100);                                     \
        memcpy(at, &pair, sizeof pair);                                                            \
    }                                                                                              \
    MODEL(name##_minloc, name##_pair, a.v < b.v ? a : b.v < a.v ? b : a.i < b.i ? a : b)           \
    MODEL(name##_maxloc, name##_pair, a.v > b.v ? a : b.v > a.v ? b : a.i < b.i ? a : b)

INTEGERS(i8, int8_t, uint32_t)
INTEGERS(char, char, uint32_t)
INTEGERS(u8, uint8_t, uint32_t)
INTEGERS(i16, int16_t, uint32_t)
INTEGERS(u16, uint16_t, uint32_t)
INTEGERS(i32, int32_t, uint32_t)
INTEGERS(u32, uint32_t, uint32_t)
INTEGERS(i64, int64_t, uint64_t)
INTEGERS(u64, uint64_t, uint64_t)
INTEGERS(i128, int128, unsigned __int128)
FLOATS(f16, half)
FLOATS(f32, float)
FLOATS(f64, double)
FLOATS(f80, long double)
FLOATS(f128, quad)
LOGICALS(l8, uint8_t)
LOGICALS(l16, int16_t)
LOGICALS(l32, int32_t)
LOGICALS(l64, int64_t)
LOGICALS(l128, int128)
PAIRS(float_int, float, int, any_float())
PAIRS(double_int, double, int, any_float())
PAIRS(long_int, long, int, any_int())
PAIRS(two_int, int, int, any_int() % 5)
PAIRS(short_int, short, int, any_int() % 5)
PAIRS(long_double_int, long double, int, any_float())
PAIRS(two_real, float, float, any_float())
PAIRS(two_double, double, double, any_float())

/* The plain product of complex numbers, without C's care for infinities. */
#define COMPLEX(name, part, any)                                                                   \
    typedef struct { part re, im; } name##_number;                                                 \
    static void any_##name(void *at)                                                               \
    {                                                                                              \
        name##_number value;                                                                       \
        memset(&value, 0, sizeof value);                                                           \
        value.re = (part)(any), value.im = (part)(any);                                            \
        memcpy(at, &value, sizeof value);                                                          \
    }                                                                                              \
    MODEL(name##_sum, name##_number, ((name##_number){a.re + b.re, a.im + b.im}))                  \
    MODEL(name##_prod, name##_number,                                                              \
          ((name##_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}))

/* Halves in between would be rounded by some compilers and not by others: small integers. */
COMPLEX(c16, half, (int)(draw() % 17) - 8)
COMPLEX(c32, float, any_float())
COMPLEX(c64, double, any_float())
COMPLEX(c80, long double, any_float())
COMPLEX(c128, quad, any_float())

enum { SUM, PROD, MIN, MAX, BAND, BOR, BXOR, LAND, LOR, LXOR, MINLOC, MAXLOC, OPS };

static MPI_Op ops[OPS + 2];
static const char *const op_names[OPS + 2] = {
    "MPI_SUM", "MPI_PROD", "MPI_MIN",  "MPI_MAX",    "MPI_BAND",   "MPI_BOR",     "MPI_BXOR",
    "MPI_LAND", "MPI_LOR", "MPI_LXOR", "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP"};

typedef void model(const void *, const void *, void *);

struct kind {
    MPI_Datatype type;
    const char *name;
    size_t extent, value; /* of which so many bytes are looked at */
    void (*any)(void *);
    model *by[OPS];
};

#define ARITHMETIC(n) [SUM] = n##_sum, [PROD] = n##_prod, [MIN] = n##_min, [MAX] = n##_max
#define BITS(n) [BAND] = n##_band, [BOR] = n##_bor, [BXOR] = n##_bxor
#define TRUTH(n) [LAND] = n##_land, [LOR] = n##_lor, [LXOR] = n##_lxor
#define I(T, n, t) {T, #T, sizeof(t), sizeof(t), any_##n, {ARITHMETIC(n), BITS(n), TRUTH(n)}}
#define F(T, n, t, bytes) {T, #T, sizeof(t), bytes, any_##n, {ARITHMETIC(n)}}
#define L(T, n, t) {T, #T, sizeof(t), sizeof(t), any_##n, {TRUTH(n)}}
#define C(T, n) {T, #T, sizeof(n##_number), sizeof(n##_number), any_##n,                           \
                 {[SUM] = n##_sum, [PROD] = n##_prod}}
#define P(T, n)                                                                                    \
    {T, #T, sizeof(n##_pair), sizeof(n##_pair), any_##n, {[MINLOC] = n##_minloc,                   \
                                                          [MAXLOC] = n##_maxloc}}
#define NONE(T, t) {T, #T, sizeof(t), sizeof(t), any_u8, {0}}

static const struct kind *kinds(int *count)
{
    static struct kind all[96];
    const struct kind list[] = {
        I(MPI_CHAR, char, char), I(MPI_SIGNED_CHAR, i8, char), I(MPI_UNSIGNED_CHAR, u8, char),
        I(MPI_SHORT, i16, short),
        I(MPI_UNSIGNED_SHORT, u16, short), I(MPI_INT, i32, int), I(MPI_UNSIGNED, u32, int),
        I(MPI_LONG, i64, long), I(MPI_UNSIGNED_LONG, u64, long), I(MPI_LONG_LONG, i64, long),
        I(MPI_LONG_LONG_INT, i64, long), I(MPI_UNSIGNED_LONG_LONG, u64, long),
        I(MPI_INT8_T, i8, char), I(MPI_INT16_T, i16, short), I(MPI_INT32_T, i32, int),
        I(MPI_INT64_T, i64, long), I(MPI_UINT8_T, u8, char), I(MPI_UINT16_T, u16, short),
        I(MPI_UINT32_T, u32, int), I(MPI_UINT64_T, u64, long), I(MPI_AINT, i64, MPI_Aint),
        I(MPI_OFFSET, i64, MPI_Offset), I(MPI_COUNT, i64, MPI_Count), I(MPI_INTEGER, i32, int),
        I(MPI_INTEGER1, i8, char), I(MPI_INTEGER2, i16, short), I(MPI_INTEGER4, i32, int),
        I(MPI_INTEGER8, i64, long), I(MPI_INTEGER16, i128, int128),
        F(MPI_FLOAT, f32, float, 4), F(MPI_DOUBLE, f64, double, 8), F(MPI_REAL, f32, float, 4),
        F(MPI_DOUBLE_PRECISION, f64, double, 8), F(MPI_LONG_DOUBLE, f80, long double, 10),
        F(MPI_REAL2, f16, half, 2), F(MPI_REAL4, f32, float, 4), F(MPI_REAL8, f64, double, 8),
        F(MPI_REAL16, f128, quad, 16), L(MPI_LOGICAL, l32, int), L(MPI_C_BOOL, l8, bool),
        L(MPI_CXX_BOOL, l8, bool), L(MPI_LOGICAL1, l8, char), L(MPI_LOGICAL2, l16, short),
        L(MPI_LOGICAL4, l32, int), L(MPI_LOGICAL8, l64, long), L(MPI_LOGICAL16, l128, int128),
        C(MPI_C_COMPLEX, c32), C(MPI_C_FLOAT_COMPLEX, c32), C(MPI_C_DOUBLE_COMPLEX, c64),
        C(MPI_C_LONG_DOUBLE_COMPLEX, c80), C(MPI_CXX_FLOAT_COMPLEX, c32),
        C(MPI_CXX_DOUBLE_COMPLEX, c64), C(MPI_CXX_LONG_DOUBLE_COMPLEX, c80), C(MPI_COMPLEX, c32),
        C(MPI_DOUBLE_COMPLEX, c64), C(MPI_COMPLEX4, c16), C(MPI_COMPLEX8, c32),
        C(MPI_COMPLEX16, c64), C(MPI_COMPLEX32, c128),
        {MPI_BYTE, "MPI_BYTE", 1, 1, any_u8, {BITS(u8)}},
        P(MPI_FLOAT_INT, float_int), P(MPI_DOUBLE_INT, double_int), P(MPI_LONG_INT, long_int),
        P(MPI_2INT, two_int), P(MPI_SHORT_INT, short_int), P(MPI_LONG_DOUBLE_INT, long_double_int),
        P(MPI_2REAL, two_real), P(MPI_2DOUBLE_PRECISION, two_double), P(MPI_2INTEGER, two_int),
        NONE(MPI_CHARACTER, char), NONE(MPI_WCHAR, int),
        NONE(MPI_PACKED, char),
    };
    *count = (int)(sizeof list / sizeof *list);
    memcpy(all, list, sizeof list);
    const MPI_Op named[OPS + 2] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR,
                                   MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC, MPI_MAXLOC,
                                   MPI_REPLACE, MPI_NO_OP};
    memcpy(ops, named, sizeof named);
    return all;
}

/* Long doubles have bytes of no meaning; so do pairs. */
static void expect_equal(const struct kind *kind, int op, const char *seen, const char *wanted,
                         size_t count)
{
    size_t step = kind->extent, parts = 1, bytes = kind->value;
    if (kind->type == MPI_C_LONG_DOUBLE_COMPLEX || kind->type == MPI_CXX_LONG_DOUBLE_COMPLEX)
        step = 16, parts = 2, bytes = 10;
    for (size_t i = 0; i < count * parts; i++) {
        const char *a = seen + i * step, *b = wanted + i * step;
        int same = memcmp(a, b, bytes) == 0;
        if (kind->type == MPI_DOUBLE_INT || kind->type == MPI_LONG_INT)
            same = memcmp(a, b, 12) == 0;
        if (kind->type == MPI_SHORT_INT)
            same = memcmp(a, b, 2) == 0 && memcmp(a + 4, b + 4, 4) == 0;
        if (kind->type == MPI_LONG_DOUBLE_INT)
            same = memcmp(a, b, 10) == 0 && memcmp(a + 16, b + 16, 4) == 0;
        if (!same)
            FAIL("%s on %s: element %zu of %zu", op_names[op], kind->name, i, count);
    }
}

static char left[MOST * 32 + 64], right[MOST * 32 + 64], result[MOST * 32 + 64];

/* Unaligned operands of many lengths; nothing behind them changes. */
static void compare(const struct kind *kind, int op)
{
    for (int round = 0; round < 12; round++) {
        size_t count = round < 3 ? (size_t)round : draw() % MOST, bytes = count * kind->extent;
        char *a = left + draw() % 32, *b = right + draw() % 32;
        for (size_t i = 0; i < count; i++) {
            kind->any(a + i * kind->extent);
            kind->any(b + i * kind->extent);
            memset(result + i * kind->extent, 0, kind->extent);
            kind->by[op](a + i * kind->extent, b + i * kind->extent, result + i * kind->extent);
        }
        memset(b + bytes, 0x5a, 8);
        if (round % 2)
            MPI_Reduce_local(a, b, (int)count, kind->type, ops[op]);
        else
            MPI_Reduce_local_c(a, b, (MPI_Count)count, kind->type, ops[op]);
        expect_equal(kind, op, b, result, count);
        for (int i = 0; i < 8; i++)
            EQUAL(b[bytes + (size_t)i], 0x5a);
    }
}

/* Each pair of an operation and a type either agrees with the model or is refused by name. */
static void table(void)
{
    int count;
    const struct kind *all = kinds(&count);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (const struct kind *kind = all; kind < all + count; kind++) {
        for (int op = 0; op < OPS + 2; op++) {
            if (op < OPS && kind->by[op]) {
                compare(kind, op);
                continue;
            }
            char words[MPI_MAX_ERROR_STRING];
            int length, class, code = MPI_Reduce_local(left, right, 1, kind->type, ops[op]);
            MPI_Error_class(code, &class);
            if (class != MPI_ERR_OP)
                FAIL("%s on %s: class %d", op_names[op], kind->name, class);
            MPI_Error_string(code, words, &length);
            if (!strstr(words, op_names[op]) || !strstr(words, "MPI_"))
                FAIL("%s on %s: \"%s\"", op_names[op], kind->name, words);
        }
    }
    FAILS(MPI_Reduce_local(left, right, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP, "MPI_DOUBLE");
    FAILS(MPI_Reduce_local(left, right, 1, MPI_INT, MPI_MAXLOC), MPI_ERR_OP, "MPI_MAXLOC");
    FAILS(MPI_Reduce_local(left, right, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP, "MPI_OP_NULL");
    FAILS(MPI_Reduce_local(left, right, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT, "-1");
    FAILS(MPI_Reduce_local(left, right, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE, "NULL");
    FAILS(MPI_Reduce_local(NULL, right, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER, "null pointer");
    MPI_Datatype made;
    MPI_Type_contiguous(2, MPI_INT, &made);
    MPI_Type_commit(&made);
    FAILS(MPI_Reduce_local(left, right, 1, made, MPI_SUM), MPI_ERR_OP, "the program made");
    MPI_Type_free(&made);
}

/* The same through messages: every rank brings operands that all can compute. */
static void everybody(void)
{
    int count;
    const struct kind *all = kinds(&count);
    for (const struct kind *kind = all; kind < all + count; kind++) {
        for (int op = 0; op < OPS; op++) {
            size_t items = 1 + draw() % 40;
            if (!kind->by[op] || op == PROD || kind->type == MPI_LONG_DOUBLE ||
                (op == SUM && kind->any != any_i32 && kind->any != any_u64))
                continue;
            for (int from = 0; from < size; from++) {
                for (size_t i = 0; i < items; i++) {
                    char *at = right + i * kind->extent, *so_far = result + i * kind->extent;
                    kind->any(at);
                    if (from == rank)
                        memcpy(left + i * kind->extent, at, kind->extent);
                    if (from == 0)
                        memcpy(so_far, at, kind->extent);
                    else
                        kind->by[op](so_far, at, so_far);
                }
            }
            MPI_Allreduce(left, right, (int)items, kind->type, ops[op], MPI_COMM_WORLD);
            expect_equal(kind, op, right, result, items);
        }
    }
}

/* 2 by 2 matrices: their product does not commute. */
typedef struct { long m[4]; } matrix;
static long calls, longest;

static void multiply(const matrix *a, matrix *b, long count)
{
    calls++;
    longest = count > longest ? count : longest;
    for (long i = 0; i < count; i++) {
        const long *x = a[i].m;
        long y[4];
        memcpy(y, b[i].m, sizeof y);
        b[i] = (matrix){{(x[0] * y[0] + x[1] * y[2]) % 10007, (x[0] * y[1] + x[1] * y[3]) % 10007,
                         (x[2] * y[0] + x[3] * y[2]) % 10007, (x[2] * y[1] + x[3] * y[3]) % 10007}};
    }
}

static MPI_Datatype matrix_type;

static void by_function(void *in, void *inout, int *length, MPI_Datatype *type)
{
    CHECK(*type == matrix_type);
    multiply(in, inout, *length);
}

static void by_large_function(void *in, void *inout, MPI_Count *length, MPI_Datatype *type)
{
    CHECK(*type == matrix_type);
    multiply(in, inout, *length);
}

static matrix some_matrix(int who, int index)
{
    return (matrix){{who + 1, index, 2 * who + index, 1}};
}

static void own(void)
{
    enum { COUNT = 50 };
    matrix a[COUNT], b[COUNT], wanted[COUNT];
    MPI_Op op[3];
    int commutes;
    MPI_Type_contiguous(4, MPI_LONG, &matrix_type);
    MPI_Type_commit(&matrix_type);
    MPI_Op_create(by_function, 0, &op[0]);
    MPI_Op_create_c(by_large_function, 0, &op[1]);
    MPI_Op_create(by_function, 1, &op[2]);
    for (int which = 0; which < 3; which++) {
        MPI_Op_commutative(op[which], &commutes);
        EQUAL(commutes, which == 2);
        for (int i = 0; i < COUNT; i++) {
            a[i] = some_matrix(0, i), b[i] = some_matrix(1, i), wanted[i] = b[i];
            multiply(&a[i], &wanted[i], 1);
        }
        calls = longest = 0;
        if (which == 1)
            MPI_Reduce_local_c(a, b, COUNT, matrix_type, op[which]);
        else
            MPI_Reduce_local(a, b, COUNT, matrix_type, op[which]);
        CHECK(memcmp(b, wanted, sizeof b) == 0);
        CHECK(calls >= 1 && longest <= COUNT);
    }
    /* In the order of ranks, whoever the root is. */
    for (int which = 0; which < 2; which++) {
        for (int root = 0; root < size; root++) {
            for (int i = 0; i < COUNT; i++) {
                a[i] = some_matrix(rank, i), wanted[i] = some_matrix(size - 1, i);
                for (int from = size - 2; from >= 0; from--) {
                    matrix left = some_matrix(from, i);
                    multiply(&left, &wanted[i], 1);
                }
            }
            MPI_Reduce(a, b, COUNT, matrix_type, op[which], root, MPI_COMM_WORLD);
            CHECK(rank != root || memcmp(b, wanted, sizeof b) == 0);
        }
    }
    for (int which = 0; which < 3; which++) {
        MPI_Op_free(&op[which]);
        CHECK(op[which] == MPI_OP_NULL);
    }
    MPI_Type_free(&matrix_type);
}

static void errors(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Op op = MPI_SUM, freed;
    int flag;
    FAILS(MPI_Op_free(&op), MPI_ERR_OP, "predefined");
    op = MPI_OP_NULL;
    FAILS(MPI_Op_free(&op), MPI_ERR_OP, "MPI_OP_NULL");
    FAILS(MPI_Op_free(NULL), MPI_ERR_ARG, "null pointer");
    FAILS(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG, "user_fn");
    FAILS(MPI_Op_create(by_function, 1, NULL), MPI_ERR_ARG, "op");
    FAILS(MPI_Op_commutative(MPI_OP_NULL, &flag), MPI_ERR_OP, "MPI_OP_NULL");
    FAILS(MPI_Op_commutative(MPI_SUM, NULL), MPI_ERR_ARG, "commute");
    MPI_Op_create(by_function, 1, &op);
    freed = op;
    MPI_Op_free(&op);
    FAILS(MPI_Op_commutative(freed, &flag), MPI_ERR_OP, "freed");
    FAILS(MPI_Op_free(&freed), MPI_ERR_OP, "freed");
    for (int i = 0; i < OPS; i++) {
        int count;
        kinds(&count);
        EQUAL(MPI_Op_commutative(ops[i], &flag), MPI_SUCCESS);
        EQUAL(flag, 1);
    }
}

/* Dies of memory that is not there, as its own fault. */
static void fault(void)
{
    MPI_Reduce_local((void *)0x10000, right, 4000, MPI_INT, MPI_SUM);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {{"table", table},   {"everybody", everybody}, {"own", own},
                                 {"errors", errors}, {"fault", fault},         {0}};
    return run_test(argc, argv, tests);
}
