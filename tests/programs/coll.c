/* Collective communication: every root, every size of communicator, in place, and in rank order. */
#include "check.h"

#define W MPI_COMM_WORLD
#define PRIME 1000003

static void rooted(void)
{
    int *all = malloc(sizeof(int) * 2 * size);
    for (int root = 0; root < size; root++) {
        int value = rank == root ? root * 7 + 1 : -1, mine[2] = {rank, rank * rank};
        MPI_Bcast(&value, 1, MPI_INT, root, W);
        EQUAL(value, root * 7 + 1);
        /* Arguments that mean something to the root only may be anything elsewhere. */
        MPI_Gather(mine, 2, MPI_INT, rank == root ? all : NULL, rank == root ? 2 : -1,
                   rank == root ? MPI_INT : MPI_DATATYPE_NULL, root, W);
        for (int i = 0; rank == root && i < size; i++) {
            EQUAL(all[2 * i], i);
            EQUAL(all[2 * i + 1], i * i);
        }
        for (int i = 0; i < 2 * size; i++)
            all[i] = rank == root ? 3 * i + root : -1;
        MPI_Scatter(rank == root ? all : NULL, rank == root ? 2 : -1,
                    rank == root ? MPI_INT : MPI_DATATYPE_NULL, mine, 2, MPI_INT, root, W);
        EQUAL(mine[0], 6 * rank + root);
        EQUAL(mine[1], 6 * rank + 3 + root);
    }
    free(all);
}

static void everywhere(void)
{
    int *from = malloc(sizeof(int) * 2 * size), *to = malloc(sizeof(int) * 2 * size);
    MPI_Allgather(&rank, 1, MPI_INT, to, 1, MPI_INT, W);
    for (int i = 0; i < size; i++)
        EQUAL(to[i], i);
    for (int i = 0; i < 2 * size; i++)
        from[i] = rank * 1000 + i;
    MPI_Alltoall(from, 2, MPI_INT, to, 2, MPI_INT, W);
    for (int i = 0; i < size; i++) {
        EQUAL(to[2 * i], i * 1000 + 2 * rank);
        EQUAL(to[2 * i + 1], i * 1000 + 2 * rank + 1);
    }
    free(from);
    free(to);
}

static void in_place(void)
{
    int *all = malloc(sizeof(int) * size);
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < size; i++)
            all[i] = i == rank ? rank + 5 : -1;
        if (rank == root) {
            MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, all, 1, MPI_INT, root, W);
            for (int i = 0; i < size; i++)
                EQUAL(all[i], i + 5);
            MPI_Scatter(all, 1, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, root, W);
        } else {
            MPI_Gather(&all[rank], 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, W);
            MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, &all[0], 1, MPI_INT, root, W);
            EQUAL(all[0], rank + 5);
        }
        int sum = rank + 1;
        if (rank == root)
            MPI_Reduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, root, W);
        else
            MPI_Reduce(&sum, NULL, 1, MPI_INT, MPI_SUM, root, W);
        EQUAL(sum, rank == root ? size * (size + 1) / 2 : rank + 1);
    }
    for (int i = 0; i < size; i++)
        all[i] = i == rank ? rank * 3 : -1;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, W);
    for (int i = 0; i < size; i++)
        EQUAL(all[i], i * 3);
    for (int i = 0; i < size; i++)
        all[i] = rank * 1000 + i;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, W);
    for (int i = 0; i < size; i++)
        EQUAL(all[i], i * 1000 + rank);
    MPI_Allreduce(MPI_IN_PLACE, all, size, MPI_INT, MPI_MAX, W);
    for (int i = 0; i < size; i++)
        EQUAL(all[i], (size - 1) + 1000 * i);
    free(all);
}

static void large(void)
{
    /* Above what travels inside a packet, and not a round number. */
    size_t bytes = 300001;
    char *data = malloc(bytes), *all = malloc(bytes * size);
    for (int root = 0; root < size; root += 3) {
        fill(data, bytes, rank == root ? root : 77);
        MPI_Bcast_c(data, (MPI_Count)bytes, MPI_BYTE, root, W);
        expect(data, bytes, root);
    }
    fill(data, bytes, rank);
    MPI_Allgather(data, (int)bytes, MPI_CHAR, all, (int)bytes, MPI_CHAR, W);
    for (int i = 0; i < size; i++)
        expect(all + i * bytes, bytes, i);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_CHAR, all, (int)bytes, MPI_CHAR, W);
    for (int i = 0; i < size; i++)
        expect(all + i * bytes, bytes, rank);
    free(data);
    free(all);
}

#define COMBINES(type, datatype, op, mine, wanted)                                                 \
    do {                                                                                           \
        type in_ = (type)(mine), out_ = 0;                                                         \
        MPI_Allreduce(&in_, &out_, 1, datatype, op, W);                                            \
        if (out_ != (type)(wanted))                                                                \
            FAIL("%s of %s is wrong", #op, #datatype);                                             \
    } while (0)

#define INTEGER(type, datatype)                                                                    \
    do {                                                                                           \
        COMBINES(type, datatype, MPI_SUM, rank, sum);                                              \
        COMBINES(type, datatype, MPI_PROD, rank % 3 ? 1 : 2, 1L << ((size + 2) / 3));              \
        COMBINES(type, datatype, MPI_MIN, rank + 3, 3);                                            \
        COMBINES(type, datatype, MPI_MAX, rank + 3, size + 2);                                     \
        COMBINES(type, datatype, MPI_BAND, rank == size - 1 ? 6 : 3, size > 1 ? 2 : 6);            \
        COMBINES(type, datatype, MPI_BOR, rank == 0 ? 4 : 1, size > 1 ? 5 : 4);                    \
        COMBINES(type, datatype, MPI_BXOR, 3, size % 2 ? 3 : 0);                                   \
        COMBINES(type, datatype, MPI_LAND, rank ? 2 : 1, 1);                                       \
        COMBINES(type, datatype, MPI_LOR, rank ? 8 : 0, size > 1);                                 \
        COMBINES(type, datatype, MPI_LXOR, size > 1 ? 5 : 1, size % 2);                            \
    } while (0)

#define REAL(type, datatype)                                                                       \
    do {                                                                                           \
        COMBINES(type, datatype, MPI_SUM, rank + 0.5, sum + 0.5 * size);                           \
        COMBINES(type, datatype, MPI_PROD, rank % 3 ? 1 : 0.5, 1.0 / (1 << ((size + 2) / 3)));     \
        COMBINES(type, datatype, MPI_MIN, -rank, 1 - size);                                        \
        COMBINES(type, datatype, MPI_MAX, -rank, 0);                                               \
    } while (0)

static void operations(void)
{
    int sum = size * (size - 1) / 2;
    INTEGER(signed char, MPI_SIGNED_CHAR);
    INTEGER(unsigned char, MPI_UNSIGNED_CHAR);
    INTEGER(short, MPI_SHORT);
    INTEGER(unsigned short, MPI_UNSIGNED_SHORT);
    INTEGER(int, MPI_INT);
    INTEGER(unsigned, MPI_UNSIGNED);
    INTEGER(long, MPI_LONG);
    INTEGER(unsigned long, MPI_UNSIGNED_LONG);
    INTEGER(long long, MPI_LONG_LONG_INT);
    INTEGER(int8_t, MPI_INT8_T);
    INTEGER(uint16_t, MPI_UINT16_T);
    INTEGER(int32_t, MPI_INTEGER);
    INTEGER(int64_t, MPI_INTEGER8);
    INTEGER(MPI_Aint, MPI_AINT);
    INTEGER(MPI_Count, MPI_COUNT);
    REAL(float, MPI_FLOAT);
    REAL(double, MPI_DOUBLE);
    REAL(double, MPI_DOUBLE_PRECISION);
    REAL(float, MPI_REAL4);
    REAL(long double, MPI_LONG_DOUBLE);
    COMBINES(int, MPI_LOGICAL, MPI_LAND, 1, 1);
    COMBINES(_Bool, MPI_C_BOOL, MPI_LXOR, 1, size % 2);
    COMBINES(unsigned char, MPI_BYTE, MPI_BXOR, 0x55, size % 2 ? 0x55 : 0);
}

static void complex_and_pairs(void)
{
    double complex_in[2] = {rank, 1}, complex_out[2];
    MPI_Allreduce(complex_in, complex_out, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, W);
    CHECK(complex_out[0] == size * (size - 1) / 2 && complex_out[1] == size);
    float turn[2] = {0, 1}, turned[2];
    MPI_Allreduce(turn, turned, 1, MPI_C_FLOAT_COMPLEX, MPI_PROD, W);
    const float turns[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    CHECK(turned[0] == turns[size % 4][0] && turned[1] == turns[size % 4][1]);
    struct {
        double value;
        int index;
    } found, mine = {(rank * 37) % 11, rank};
    MPI_Allreduce(&mine, &found, 1, MPI_DOUBLE_INT, MPI_MINLOC, W);
    CHECK(found.value == 0 && found.index == 0);
    mine.value = -1.0;
    MPI_Allreduce(&mine, &found, 1, MPI_DOUBLE_INT, MPI_MAXLOC, W);
    CHECK(found.value == -1.0 && found.index == 0);
    struct {
        short value;
        int index;
    } small = {(short)(rank == size / 2 ? -9 : 4), rank + 100}, smallest;
    MPI_Allreduce(&small, &smallest, 1, MPI_SHORT_INT, MPI_MINLOC, W);
    CHECK(smallest.value == -9 && smallest.index == size / 2 + 100);
    int two[2] = {rank % 2, rank}, best[2];
    MPI_Allreduce(two, best, 1, MPI_2INT, MPI_MAXLOC, W);
    CHECK(best[0] == (size > 1) && best[1] == (size > 1));
}

/* x -> a x + b, one after the other: associative, not commutative. */
static void compose(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    int elements;
    MPI_Type_size(*datatype, &elements);
    EQUAL(elements, 2 * sizeof(long));
    for (int i = 0; i < *count; i++) {
        long *left = (long *)in + 2 * i, *right = (long *)inout + 2 * i;
        long a = left[0] * right[0] % PRIME, b = (left[1] * right[0] + right[1]) % PRIME;
        right[0] = a;
        right[1] = b;
    }
}

static void compose_c(void *in, void *inout, MPI_Count *count, MPI_Datatype *datatype)
{
    int small = (int)*count;
    compose(in, inout, &small, datatype);
}

static void in_rank_order(void)
{
    MPI_Op op, large_op;
    MPI_Datatype map;
    int commutes = -1;
    long mine[4] = {rank + 2, rank + 3, 1, rank}, found[4], wanted[4] = {1, 0, 1, 0};
    for (int i = 0, one = 1; i < size; i++) {
        long next[4] = {i + 2, i + 3, 1, i};
        compose(wanted, next, &one, (MPI_Datatype[]){MPI_C_DOUBLE_COMPLEX});
        compose(wanted + 2, next + 2, &one, (MPI_Datatype[]){MPI_C_DOUBLE_COMPLEX});
        memcpy(wanted, next, sizeof wanted);
    }
    MPI_Type_contiguous(2, MPI_LONG, &map);
    MPI_Type_commit(&map);
    MPI_Op_create(compose, 0, &op);
    MPI_Op_create_c(compose_c, 0, &large_op);
    MPI_Op_commutative(op, &commutes);
    EQUAL(commutes, 0);
    for (int root = 0; root < size; root++) {
        memset(found, -1, sizeof found);
        MPI_Reduce(mine, found, 2, map, op, root, W);
        CHECK(rank != root || memcmp(found, wanted, sizeof found) == 0);
    }
    MPI_Allreduce(mine, found, 2, map, op, W);
    CHECK(memcmp(found, wanted, sizeof found) == 0);
    MPI_Allreduce_c(mine, found, 2, map, large_op, W);
    CHECK(memcmp(found, wanted, sizeof found) == 0);
    long left[2] = {3, 4}, right[2] = {5, 6};
    MPI_Reduce_local(left, right, 1, map, op);
    CHECK(right[0] == 15 && right[1] == 26);
    MPI_Op_free(&op);
    MPI_Op_free(&large_op);
    MPI_Type_free(&map);
    CHECK(op == MPI_OP_NULL && map == MPI_DATATYPE_NULL);
}

static void errors(void)
{
    int data[4] = {0}, other[4];
    MPI_Datatype loose;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    /* Errors of no communicator are this one's. */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, "comm is MPI_COMM_NULL");
    FAILS(MPI_Bcast(data, 1, MPI_INT, size, W), MPI_ERR_ROOT, "root is");
    FAILS(MPI_Bcast(data, 1, MPI_INT, -1, W), MPI_ERR_ROOT, "root is -1");
    FAILS(MPI_Bcast(data, -2, MPI_INT, 0, W), MPI_ERR_COUNT, "count is -2");
    FAILS(MPI_Bcast(data, 1, MPI_DATATYPE_NULL, 0, W), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    FAILS(MPI_Bcast(NULL, 1, MPI_INT, 0, W), MPI_ERR_BUFFER, "null pointer");
    FAILS(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, W), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    FAILS(MPI_Allreduce(data, other, 1, MPI_INT, MPI_OP_NULL, W), MPI_ERR_OP, "MPI_OP_NULL");
    FAILS(MPI_Allreduce(data, other, 1, MPI_DOUBLE, MPI_BAND, W), MPI_ERR_OP,
          "MPI_BAND, which is not defined on MPI_DOUBLE");
    FAILS(MPI_Allreduce(data, other, 1, MPI_INT, MPI_MINLOC, W), MPI_ERR_OP, "MPI_MINLOC");
    FAILS(MPI_Allreduce(data, other, 1, MPI_BYTE, MPI_SUM, W), MPI_ERR_OP, "MPI_BYTE");
    FAILS(MPI_Allreduce(data, other, 1, MPI_INT, MPI_REPLACE, W), MPI_ERR_OP, "MPI_REPLACE");
    FAILS(MPI_Reduce(data, other, 1, MPI_INT, MPI_SUM, 99999, W), MPI_ERR_ROOT, "99999");
    FAILS(MPI_Allgather(data, -1, MPI_INT, other, 1, MPI_INT, W), MPI_ERR_COUNT,
          "sendcount is -1");
    FAILS(MPI_Alltoall(data, 1, MPI_INT, other, -1, MPI_INT, W), MPI_ERR_COUNT,
          "recvcount is -1");
    MPI_Type_contiguous(2, MPI_INT, &loose);
    FAILS(MPI_Bcast(data, 1, loose, 0, W), MPI_ERR_TYPE, "not committed");
    MPI_Type_commit(&loose);
    FAILS(MPI_Allreduce(data, other, 1, loose, MPI_SUM, W), MPI_ERR_OP, "that the program made");
    MPI_Type_free(&loose);
    MPI_Op op = MPI_SUM;
    FAILS(MPI_Op_free(&op), MPI_ERR_OP, "predefined");
    FAILS(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG, "user_fn is a null pointer");
}

/* Room for less than comes: whoever has it is told, and nobody waits for whom was told. */
static void too_little_room(void)
{
    enum { SENT = 6000, ROOM = 5000 };
    int *all = calloc((size_t)size * SENT, sizeof(int));
    int *part = calloc((size_t)size * SENT, sizeof(int));
    int code;
    CHECK(all && part);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    FAILS(MPI_Scatter(all, SENT, MPI_INT, part, ROOM, MPI_INT, 0, W), MPI_ERR_TRUNCATE, "");
    code = MPI_Gather(part, SENT, MPI_INT, all, ROOM, MPI_INT, 0, W);
    /* Those who bring what they have wait for nobody; later ones hear of it. */
    CHECK(code == MPI_ERR_TRUNCATE || (rank != 0 && code == MPI_SUCCESS));
    FAILS(MPI_Allgather(part, SENT, MPI_INT, all, ROOM, MPI_INT, W), MPI_ERR_TRUNCATE, "");
    FAILS(MPI_Alltoall(all, SENT, MPI_INT, part, ROOM, MPI_INT, W), MPI_ERR_TRUNCATE, "");
    EQUAL(MPI_Barrier(W), MPI_SUCCESS);
    free(all);
    free(part);
}

static const struct test TESTS[] = {
    {"rooted", rooted},         {"everywhere", everywhere},
    {"in-place", in_place},     {"large", large},
    {"operations", operations}, {"complex-and-pairs", complex_and_pairs},
    {"in-rank-order", in_rank_order}, {"errors", errors},
    {"too-little-room", too_little_room}, {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_test(argc, argv, TESTS);
}
