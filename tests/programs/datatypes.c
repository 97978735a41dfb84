/* Datatypes that programs make: where their data are, what they are made of, how they travel. */
#include "check.h"
#include <limits.h>
#include <stddef.h>

#define W MPI_COMM_WORLD
#define MIDDLE 200
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static int ground[2 * MIDDLE];

/* One item of `type` holds just these elements of `ground`, counted from its middle; and then the
 * type goes. */
static void maps(int line, MPI_Datatype type, MPI_Aint lb, MPI_Aint extent, const int *wanted,
                 int count)
{
    int packed[MIDDLE] = {0}, position = 0, bytes;
    MPI_Aint seen_lb, seen_extent;
    for (int i = 0; i < 2 * MIDDLE; i++)
        ground[i] = i - MIDDLE;
    MPI_Type_commit(&type);
    MPI_Type_size(type, &bytes);
    MPI_Type_get_extent(type, &seen_lb, &seen_extent);
    if (bytes != 4 * count || seen_lb != lb || seen_extent != extent)
        FAIL("line %d: size %d, lb %ld, extent %ld", line, bytes, seen_lb, seen_extent);
    MPI_Pack_size(1, type, W, &bytes);
    EQUAL(bytes, 4 * count);
    MPI_Pack(ground + MIDDLE, 1, type, packed, sizeof packed, &position, W);
    EQUAL(position, 4 * count);
    for (int i = 0; i < count; i++)
        if (packed[i] != wanted[i])
            FAIL("line %d: element %d is %d, not %d", line, i, packed[i], wanted[i]);
    /* And back: what is not part of the type stays. */
    for (int i = 0; i < count; i++)
        packed[i] += 1000;
    position = 0;
    MPI_Unpack(packed, 4 * count, &position, ground + MIDDLE, 1, type, W);
    for (int i = 0; i < 2 * MIDDLE; i++) {
        int is_part = 0;
        for (int j = 0; j < count; j++)
            is_part |= wanted[j] == i - MIDDLE;
        if (ground[i] != i - MIDDLE + 1000 * is_part)
            FAIL("line %d: element %d became %d", line, i - MIDDLE, ground[i]);
    }
    MPI_Aint true_lb, true_extent;
    MPI_Count large_lb, large_extent;
    int low = count ? wanted[0] : 0, high = count ? wanted[0] : -1;
    for (int i = 0; i < count; i++) {
        low = wanted[i] < low ? wanted[i] : low;
        high = wanted[i] > high ? wanted[i] : high;
    }
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    MPI_Type_get_true_extent_c(type, &large_lb, &large_extent);
    if (true_lb != 4 * low || true_extent != 4 * (high - low + 1))
        FAIL("line %d: true lb %ld, true extent %ld", line, true_lb, true_extent);
    CHECK(large_lb == true_lb && large_extent == true_extent);
    MPI_Type_free(&type);
}

#define MAPS(type, lb, extent, ...)                                                                \
    do {                                                                                           \
        const int wanted_[] = {__VA_ARGS__};                                                       \
        maps(__LINE__, type, lb, extent, wanted_, LENGTH(wanted_));                                \
    } while (0)

static void constructors(void)
{
    MPI_Datatype t, u;
    MPI_Type_vector(3, 2, 4, MPI_INT, &t);
    MAPS(t, 0, 40, 0, 1, 4, 5, 8, 9);
    MPI_Type_vector_c(3, 1, -2, MPI_INT, &t);
    MAPS(t, -16, 20, 0, -2, -4);
    MPI_Type_create_hvector(2, 1, 12, MPI_INT, &t);
    MAPS(t, 0, 16, 0, 3);
    MPI_Type_create_hvector_c(2, 2, -8, MPI_INT, &t);
    MAPS(t, -8, 16, 0, 1, -2, -1);
    int lengths[] = {2, 0, 1, 3}, displacements[] = {5, 77, -1, 0};
    MPI_Type_indexed(4, lengths, displacements, MPI_INT, &t);
    MAPS(t, -4, 32, 5, 6, -1, 0, 1, 2);
    MPI_Count large_lengths[] = {2, 0, 1, 3}, large_displacements[] = {5, 77, -1, 0};
    MPI_Type_indexed_c(4, large_lengths, large_displacements, MPI_INT, &t);
    MAPS(t, -4, 32, 5, 6, -1, 0, 1, 2);
    MPI_Aint bytes[] = {20, 0, -4, 0};
    MPI_Count large_bytes[] = {20, 0, -4, 0};
    MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &t);
    MAPS(t, -4, 32, 5, 6, -1);
    MPI_Type_create_hindexed_c(3, large_lengths, large_bytes, MPI_INT, &t);
    MAPS(t, -4, 32, 5, 6, -1);
    MPI_Type_create_indexed_block(3, 2, (int[]){4, 0, 8}, MPI_INT, &t);
    MAPS(t, 0, 40, 4, 5, 0, 1, 8, 9);
    MPI_Type_create_indexed_block_c(2, 2, (MPI_Count[]){4, 0}, MPI_INT, &t);
    MAPS(t, 0, 24, 4, 5, 0, 1);
    MPI_Type_create_hindexed_block(2, 1, (MPI_Aint[]){8, -8}, MPI_INT, &t);
    MAPS(t, -8, 20, 2, -2);
    MPI_Type_create_hindexed_block_c(2, 1, (MPI_Count[]){8, -8}, MPI_INT, &t);
    MAPS(t, -8, 20, 2, -2);
    MPI_Type_vector(2, 1, 2, MPI_INT, &u);
    MPI_Type_create_struct(2, (int[]){2, 1}, (MPI_Aint[]){0, 40}, (MPI_Datatype[]){u, MPI_INT}, &t);
    MAPS(t, 0, 44, 0, 2, 3, 5, 10);
    MPI_Type_create_struct_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){4, -8},
                             (MPI_Datatype[]){u, MPI_FLOAT}, &t);
    MAPS(t, -8, 24, 1, 3, -2, -1);
    MPI_Type_create_resized(u, -4, 20, &t);
    MPI_Type_free(&u);
    MPI_Type_contiguous(3, t, &u);
    MPI_Type_free(&t);
    MAPS(u, -4, 60, 0, 2, 5, 7, 10, 12);
    MPI_Type_create_resized_c(MPI_INT, 4, -4, &t);
    MPI_Type_contiguous_c(3, t, &u);
    MPI_Type_free(&t);
    /* Items that go backwards: the markers do, too. */
    MAPS(u, -4, 4, 0, -1, -2);
    MPI_Type_contiguous(0, MPI_INT, &t);
    MPI_Type_create_struct(2, (int[]){3, 0}, (MPI_Aint[]){100, 8},
                           (MPI_Datatype[]){t, MPI_INT}, &u);
    MPI_Type_free(&t);
    maps(__LINE__, u, 0, 0, NULL, 0);
}

static void arrays(void)
{
    MPI_Datatype t;
    int sizes[] = {4, 5}, subsizes[] = {2, 3}, starts[] = {1, 2};
    MPI_Count large_sizes[] = {4, 5}, large_subsizes[] = {2, 3}, large_starts[] = {1, 2};
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &t);
    MAPS(t, 0, 80, 7, 8, 9, 12, 13, 14);
    MPI_Type_create_subarray_c(2, large_sizes, large_subsizes, large_starts, MPI_ORDER_FORTRAN,
                               MPI_INT, &t);
    MAPS(t, 0, 80, 9, 10, 13, 14, 17, 18);
    /* Cyclic rows on 2 processes, blocks of columns on 3: what rank 4 (1, 1) has. */
    int distribs[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    int dargs[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 3};
    MPI_Type_create_darray(6, 4, 2, sizes, distribs, dargs, grid, MPI_ORDER_C, MPI_INT, &t);
    MAPS(t, 0, 80, 7, 8, 17, 18);
    MPI_Type_create_darray_c(6, 4, 2, large_sizes, distribs, dargs, grid, MPI_ORDER_FORTRAN,
                             MPI_INT, &t);
    MAPS(t, 0, 80, 9, 11, 13, 15);
    /* The last in the grid gets what is left: nothing of the columns that 2 by 2 are dealt. */
    dargs[1] = 3;
    MPI_Type_create_darray(6, 5, 2, sizes, distribs, dargs, grid, MPI_ORDER_C, MPI_INT, &t);
    maps(__LINE__, t, 0, 80, NULL, 0);
}

/* Every process's part of a dealt array, all of them together, is the array, once. */
static void dealt(void)
{
    int sizes[] = {7, 4, 6}, grid[] = {2, 1, 3};
    int distribs[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC};
    for (int k = 1; k < 5; k++) {
        int dargs[] = {k, MPI_DISTRIBUTE_DFLT_DARG, k}, seen[168] = {0}, all[168];
        for (int i = 0; i < 168; i++)
            all[i] = i;
        for (int process = 0; process < 6; process++) {
            MPI_Datatype t;
            int bytes, position = 0, part[168];
            MPI_Type_create_darray(6, process, 3, sizes, distribs, dargs, grid,
                                   k % 2 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, MPI_INT, &t);
            MPI_Type_commit(&t);
            MPI_Type_size(t, &bytes);
            MPI_Pack(all, 1, t, part, sizeof part, &position, W);
            for (int i = 0; i < bytes / 4; i++) {
                seen[part[i]]++;
                int row = k % 2 ? part[i] / 24 : part[i] % 7;
                int column = k % 2 ? part[i] % 6 : part[i] / 28;
                EQUAL(row / k % 2, process / 3);
                EQUAL(column / k % 3, process % 3);
            }
            MPI_Type_free(&t);
        }
        for (int i = 0; i < 168; i++)
            EQUAL(seen[i], 1);
    }
}

struct particle {
    char kind;
    double place[3];
    short charge;
    long double mass;
};

static void structs(void)
{
    struct particle one = {'e', {1, 2, 3}, -1, 9.1L}, other = {0};
    MPI_Datatype t, array;
    MPI_Aint lb, extent;
    MPI_Aint at[] = {offsetof(struct particle, kind), offsetof(struct particle, place),
                     offsetof(struct particle, charge), offsetof(struct particle, mass)};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_LONG_DOUBLE};
    MPI_Type_create_struct(4, (int[]){1, 3, 1, 1}, at, types, &t);
    MPI_Type_get_extent(t, &lb, &extent);
    CHECK(lb == 0 && extent == sizeof one);
    MPI_Type_commit(&t);
    MPI_Status status;
    int count, bytes;
    memset(&other, 0x55, sizeof other);
    MPI_Sendrecv(&one, 1, t, rank, 0, &other, 1, t, rank, 0, W, &status);
    CHECK(other.kind == 'e' && other.place[2] == 3 && other.charge == -1 && other.mass == 9.1L);
    EQUAL(((char *)&other)[1], 0x55);
    MPI_Type_size(t, &bytes);
    EQUAL(bytes, 1 + 24 + 2 + 16);
    MPI_Get_elements(&status, t, &count);
    EQUAL(count, 6);
    /* Padding at the end: the compiler's, and so that of arrays. */
    struct odd {
        double a;
        char b;
    } odd[3] = {{1, 'a'}, {2, 'b'}, {3, 'c'}}, got[3];
    MPI_Type_free(&t);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8},
                           (MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR}, &t);
    MPI_Type_contiguous(3, t, &array);
    MPI_Type_commit(&t);
    MPI_Type_commit(&array);
    MPI_Sendrecv(odd, 3, t, rank, 0, got, 1, array, rank, 0, W, &status);
    for (int i = 0; i < 3; i++)
        CHECK(got[i].a == i + 1 && got[i].b == 'a' + i);
    MPI_Get_count(&status, array, &count);
    EQUAL(count, 1);
    MPI_Type_free(&t);
    MPI_Type_free(&array);
    /* Absolute addresses, for MPI_BOTTOM. */
    double x = 5, y = 6;
    MPI_Aint where[2];
    MPI_Get_address(&x, &where[0]);
    MPI_Get_address(&y, &where[1]);
    MPI_Type_create_hindexed_block(2, 1, where, MPI_DOUBLE, &t);
    MPI_Type_commit(&t);
    double both[2] = {0};
    MPI_Sendrecv(MPI_BOTTOM, 1, t, rank, 0, both, 2, MPI_DOUBLE, rank, 0, W, MPI_STATUS_IGNORE);
    CHECK(both[0] == 5 && both[1] == 6);
    both[0] = 7;
    MPI_Sendrecv(both, 2, MPI_DOUBLE, rank, 0, MPI_BOTTOM, 1, t, rank, 0, W, MPI_STATUS_IGNORE);
    CHECK(x == 7 && y == 6);
    MPI_Type_free(&t);
}

/* Columns to rows, of every length, in every mode: what is carried, and what is referred to. */
static void travel(void)
{
    enum { MOST = 700 };
    static double from[MOST][MOST], to[MOST][MOST];
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int n = 1; n <= MOST; n = n < 10 ? n + 1 : n * 2 > MOST && n < MOST ? MOST : n * 2) {
        MPI_Datatype column, columns, rows;
        MPI_Request requests[2];
        MPI_Status status;
        int count;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                from[i][j] = rank * 1e6 + i * 1000 + j, to[i][j] = -1;
        MPI_Type_vector(n, 1, MOST, MPI_DOUBLE, &column);
        MPI_Type_create_hvector(n, 1, sizeof(double), column, &columns);
        MPI_Type_vector(n, n, MOST, MPI_DOUBLE, &rows);
        MPI_Type_commit(&columns);
        MPI_Type_commit(&rows);
        MPI_Irecv(to, 1, rows, left, 1, W, &requests[0]);
        MPI_Issend(from, 1, columns, right, 1, W, &requests[1]);
        /* Messages under way keep what they need of their types. */
        MPI_Type_free(&column);
        MPI_Type_free(&columns);
        MPI_Wait(&requests[0], &status);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Get_count(&status, rows, &count);
        EQUAL(count, 1);
        MPI_Get_elements(&status, rows, &count);
        EQUAL(count, n * n);
        MPI_Type_free(&rows);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                EQUAL(to[i][j], left * 1e6 + j * 1000 + i);
    }
}

/* A message that is shorter, and one that is longer, than the type it is received with. */
static void partial(void)
{
    struct {
        int a;
        double b;
        char c;
    } items[3], *seen = items;
    MPI_Datatype t;
    MPI_Status status;
    MPI_Count large;
    int count;
    char raw[39];
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Type_create_struct(3, (int[]){1, 1, 1}, (MPI_Aint[]){0, 8, 16},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_CHAR}, &t);
    MPI_Type_commit(&t);
    static const int ELEMENTS[] = {[0] = 0, [4] = 1, [12] = 2, [13] = 3, [17] = 4, [25] = 5,
                                   [26] = 6, [30] = 7, [38] = 8, [39] = 9};
    fill(raw, sizeof raw, 3);
    for (int bytes = 0; bytes <= 39; bytes++) {
        memset(seen, 0xee, sizeof items);
        MPI_Sendrecv(raw, bytes, MPI_BYTE, rank, 0, seen, 3, t, rank, 0, W, &status);
        MPI_Get_count(&status, t, &count);
        EQUAL(count, bytes % 13 ? MPI_UNDEFINED : bytes / 13);
        MPI_Get_elements(&status, t, &count);
        EQUAL(count, bytes && !ELEMENTS[bytes] ? MPI_UNDEFINED : ELEMENTS[bytes]);
        MPI_Get_elements_x(&status, t, &large);
        EQUAL(large, count);
        int whole = bytes / 13;
        for (int i = 0; i < whole; i++) {
            CHECK(memcmp(&seen[i].a, raw + 13 * i, 4) == 0);
            CHECK(memcmp(&seen[i].b, raw + 13 * i + 4, 8) == 0 && seen[i].c == raw[13 * i + 12]);
        }
        if (whole < 3 && bytes % 13 < 4)
            CHECK(((unsigned char *)&seen[whole])[bytes % 13] == 0xee);
    }
    FAILS(MPI_Sendrecv(raw, 14, MPI_BYTE, rank, 0, seen, 1, t, rank, 0, W, &status),
          MPI_ERR_TRUNCATE, "14 bytes");
    for (int n = 0; n < 10; n++) {
        MPI_Status_set_elements(&status, t, n);
        MPI_Get_elements(&status, t, &count);
        EQUAL(count, n);
        MPI_Get_count(&status, t, &count);
        EQUAL(count, n % 3 ? MPI_UNDEFINED : n / 3);
    }
    MPI_Status_set_elements_c(&status, MPI_INT, 1LL << 40);
    MPI_Get_count_c(&status, MPI_INT, &large);
    EQUAL(large, 1LL << 40);
    MPI_Get_count(&status, MPI_INT, &count);
    EQUAL(count, MPI_UNDEFINED);
    MPI_Status_set_elements_x(&status, MPI_2INT, 3);
    MPI_Get_elements_c(&status, MPI_2INT, &large);
    EQUAL(large, 3);
    MPI_Type_free(&t);
}

static void large(void)
{
    MPI_Datatype t, u;
    MPI_Count bytes, lb, extent;
    MPI_Aint small_lb, small_extent;
    int small;
    MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &t);
    MPI_Type_size(t, &small);
    EQUAL(small, MPI_UNDEFINED);
    MPI_Type_size_c(t, &bytes);
    EQUAL(bytes, 8LL * INT_MAX);
    MPI_Type_size_x(t, &bytes);
    EQUAL(bytes, 8LL * INT_MAX);
    MPI_Pack_size(1, t, W, &small);
    EQUAL(small, MPI_UNDEFINED);
    MPI_Pack_size_c(3, t, W, &bytes);
    EQUAL(bytes, 24LL * INT_MAX);
    MPI_Type_vector(1 << 20, 1, 1 << 4, t, &u);
    MPI_Type_get_extent(u, &small_lb, &small_extent);
    EQUAL(small_lb, 0);
    MPI_Type_get_extent_c(u, &lb, &extent);
    EQUAL(extent, small_extent);
    EQUAL(extent, 8LL * INT_MAX * ((1LL << 24) - 15));
    MPI_Type_size_c(u, &bytes);
    EQUAL(bytes, 8LL * INT_MAX << 20);
    MPI_Type_free(&t);
    MPI_Type_free(&u);
    /* A gibibyte and more as strided bytes, through MPI_Get_elements. */
    MPI_Status status;
    memset(&status, 0, sizeof status);
    MPI_Type_vector_c(1LL << 33, 1, 2, MPI_SHORT, &t);
    MPI_Status_set_elements_c(&status, t, (1LL << 34) + 5);
    MPI_Get_elements_x(&status, t, &bytes);
    EQUAL(bytes, (1LL << 34) + 5);
    MPI_Get_elements(&status, t, &small);
    EQUAL(small, MPI_UNDEFINED);
    MPI_Type_free(&t);
}

static void deprecated_names(void)
{
    MPI_Count lb, extent;
    MPI_Datatype t;
    MPI_Type_create_resized(MPI_INT, -8, 24, &t);
    MPI_Type_get_extent_x(t, &lb, &extent);
    CHECK(lb == -8 && extent == 24);
    MPI_Type_get_true_extent_x(t, &lb, &extent);
    CHECK(lb == 0 && extent == 4);
    MPI_Type_free(&t);
}

static const struct test TESTS[] = {
    {"constructors", constructors}, {"arrays", arrays},   {"dealt", dealt},
    {"structs", structs},           {"travel", travel},   {"partial", partial},
    {"large", large},               {"deprecated", deprecated_names},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_test(argc, argv, TESTS);
}
