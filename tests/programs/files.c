/* Files: every call of MPI-5.0 chapter 14, from one process and from all. */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef LARGE
/* The same calls with large counts. */
#define COUNT MPI_Count
#define MPI_File_read MPI_File_read_c
#define MPI_File_read_all MPI_File_read_all_c
#define MPI_File_read_all_begin MPI_File_read_all_begin_c
#define MPI_File_read_at MPI_File_read_at_c
#define MPI_File_read_at_all MPI_File_read_at_all_c
#define MPI_File_read_at_all_begin MPI_File_read_at_all_begin_c
#define MPI_File_read_ordered MPI_File_read_ordered_c
#define MPI_File_read_ordered_begin MPI_File_read_ordered_begin_c
#define MPI_File_read_shared MPI_File_read_shared_c
#define MPI_File_write MPI_File_write_c
#define MPI_File_write_all MPI_File_write_all_c
#define MPI_File_write_all_begin MPI_File_write_all_begin_c
#define MPI_File_write_at MPI_File_write_at_c
#define MPI_File_write_at_all MPI_File_write_at_all_c
#define MPI_File_write_at_all_begin MPI_File_write_at_all_begin_c
#define MPI_File_write_ordered MPI_File_write_ordered_c
#define MPI_File_write_ordered_begin MPI_File_write_ordered_begin_c
#define MPI_File_write_shared MPI_File_write_shared_c
#define MPI_File_iread MPI_File_iread_c
#define MPI_File_iread_all MPI_File_iread_all_c
#define MPI_File_iread_at MPI_File_iread_at_c
#define MPI_File_iread_at_all MPI_File_iread_at_all_c
#define MPI_File_iread_shared MPI_File_iread_shared_c
#define MPI_File_iwrite MPI_File_iwrite_c
#define MPI_File_iwrite_all MPI_File_iwrite_all_c
#define MPI_File_iwrite_at MPI_File_iwrite_at_c
#define MPI_File_iwrite_at_all MPI_File_iwrite_at_all_c
#define MPI_File_iwrite_shared MPI_File_iwrite_shared_c
#define MPI_File_get_type_extent MPI_File_get_type_extent_c
#define MPI_Register_datarep MPI_Register_datarep_c
#undef MPI_CONVERSION_FN_NULL
#define MPI_CONVERSION_FN_NULL MPI_CONVERSION_FN_NULL_C
#else
#define COUNT int
#endif

#define GOOD(call) EQUAL(call, MPI_SUCCESS)
#define RW (MPI_MODE_RDWR | MPI_MODE_CREATE)

static MPI_File f;
static MPI_Status status;

static void open_new(const char *name)
{
    GOOD(MPI_File_open(MPI_COMM_WORLD, name, RW | MPI_MODE_EXCL, MPI_INFO_NULL, &f));
}

static void close_and_delete(const char *name)
{
    GOOD(MPI_File_close(&f));
    CHECK(f == MPI_FILE_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        GOOD(MPI_File_delete(name, MPI_INFO_NULL));
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Offset size_of(void)
{
    MPI_Offset bytes;
    GOOD(MPI_File_get_size(f, &bytes));
    return bytes;
}

static MPI_Offset position(void)
{
    MPI_Offset at;
    GOOD(MPI_File_get_position(f, &at));
    return at;
}

static MPI_Offset shared_position(void)
{
    MPI_Offset at;
    GOOD(MPI_File_get_position_shared(f, &at));
    return at;
}

/* Every rank's ints follow each other: offsets count bytes as long as no view is set. */
static void offsets(void)
{
    int out[100], in[100];
    for (int i = 0; i < 100; i++)
        out[i] = 1000 * rank + i;
    open_new("offsets");
    EQUAL(size_of(), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Offset at = (MPI_Offset)sizeof out * rank;
    GOOD(MPI_File_write_at(f, at, out, 100, MPI_INT, &status));
    int count;
    MPI_Get_count(&status, MPI_INT, &count);
    EQUAL(count, 100);
    GOOD(MPI_File_sync(f));
    MPI_Barrier(MPI_COMM_WORLD);
    int from = (rank + 1) % size;
    GOOD(MPI_File_read_at(f, (MPI_Offset)sizeof in * from, in, 100, MPI_INT, &status));
    for (int i = 0; i < 100; i++)
        EQUAL(in[i], 1000 * from + i);
    GOOD(MPI_File_seek(f, at, MPI_SEEK_SET));
    GOOD(MPI_File_read(f, in, 60, MPI_INT, MPI_STATUS_IGNORE));
    EQUAL(position(), at + 240);
    GOOD(MPI_File_seek(f, -40, MPI_SEEK_CUR));
    GOOD(MPI_File_read(f, in, 50, MPI_INT, &status));
    EQUAL(in[0], 1000 * rank + 50);
    GOOD(MPI_File_seek(f, -4, MPI_SEEK_END));
    GOOD(MPI_File_read(f, in, 100, MPI_INT, &status));
    MPI_Get_count(&status, MPI_INT, &count);
    EQUAL(count, 1);
    EQUAL(in[0], 1000 * (size - 1) + 99);
    GOOD(MPI_File_read_at(f, (MPI_Offset)sizeof out * size + 5, in, 3, MPI_INT, &status));
    EQUAL(count_of(&status), 0);
    GOOD(MPI_File_read_at(f, (MPI_Offset)sizeof out * size - 6, in, 3, MPI_INT, &status));
    MPI_Get_count(&status, MPI_INT, &count);
    EQUAL(count, MPI_UNDEFINED);
    EQUAL(count_of(&status), 6);
    GOOD(MPI_File_write_at(f, 0, NULL, 0, MPI_INT, &status));
    EQUAL(count_of(&status), 0);
    GOOD(MPI_File_seek(f, at, MPI_SEEK_SET));
    MPI_Barrier(MPI_COMM_WORLD);
    out[7] = -rank;
    GOOD(MPI_File_write(f, out, 8, MPI_INT, &status));
    EQUAL(count_of(&status), 32);
    GOOD(MPI_File_read_at(f, at, in, 8, MPI_INT, &status));
    EQUAL(in[7], -rank);
    close_and_delete("offsets");
}

static void sizes(void)
{
    open_new("sizes");
    GOOD(MPI_File_set_size(f, 5000));
    EQUAL(size_of(), 5000);
    GOOD(MPI_File_preallocate(f, 3000));
    EQUAL(size_of(), 5000);
    GOOD(MPI_File_preallocate(f, 8000));
    EQUAL(size_of(), 8000);
    MPI_Barrier(MPI_COMM_WORLD);
    GOOD(MPI_File_set_size(f, 10));
    EQUAL(size_of(), 10);
    char data[20];
    memset(data, 7, sizeof data);
    GOOD(MPI_File_read_at(f, 0, data, 20, MPI_CHAR, &status));
    EQUAL(count_of(&status), 10);
    for (int i = 0; i < 10; i++)
        EQUAL(data[i], 0);
    for (int i = 10; i < 20; i++)
        EQUAL(data[i], 7);
    /* Beyond four gigabytes, with a hole. */
    MPI_Offset far = ((MPI_Offset)5 << 30) + rank;
    MPI_Barrier(MPI_COMM_WORLD);
    GOOD(MPI_File_write_at_all(f, far, &data[15], 1, MPI_CHAR, &status));
    EQUAL(count_of(&status), 1);
    EQUAL(size_of(), ((MPI_Offset)5 << 30) + size);
    GOOD(MPI_File_read_at_all(f, far - 2 * rank - 1, data, 1, MPI_CHAR, &status));
    EQUAL(data[0], 0);
    int amode;
    GOOD(MPI_File_get_amode(f, &amode));
    EQUAL(amode, RW | MPI_MODE_EXCL);
    MPI_Group group, world;
    int result;
    GOOD(MPI_File_get_group(f, &group));
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(group, world, &result);
    EQUAL(result, MPI_IDENT);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    close_and_delete("sizes");
}

static void modes(void)
{
    char data[4] = "abc", in[16];
    GOOD(MPI_File_open(MPI_COMM_WORLD, "modes", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL,
                       &f));
    GOOD(MPI_File_write_at_all(f, 3 * rank, data, 3, MPI_CHAR, &status));
    FAILS(MPI_File_read_at(f, 0, in, 1, MPI_CHAR, &status), MPI_ERR_ACCESS, "MPI_MODE_WRONLY");
    GOOD(MPI_File_close(&f));
    GOOD(MPI_File_open(MPI_COMM_WORLD, "modes", MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
    EQUAL(size_of(), 3 * size);
    FAILS(MPI_File_write(f, in, 1, MPI_CHAR, &status), MPI_ERR_READ_ONLY, "MPI_MODE_RDONLY");
    FAILS(MPI_File_set_size(f, 7), MPI_ERR_READ_ONLY, "");
    FAILS(MPI_File_preallocate(f, 7), MPI_ERR_READ_ONLY, "");
    GOOD(MPI_File_sync(f));
    GOOD(MPI_File_close(&f));
    GOOD(MPI_File_open(MPI_COMM_WORLD, "modes", MPI_MODE_RDWR | MPI_MODE_APPEND, MPI_INFO_NULL,
                       &f));
    EQUAL(position(), 3 * size);
    EQUAL(shared_position(), 3 * size);
    MPI_Barrier(MPI_COMM_WORLD);
    GOOD(MPI_File_write_shared(f, "xy", 2, MPI_CHAR, &status));
    MPI_Barrier(MPI_COMM_WORLD);
    EQUAL(size_of(), 5 * size);
    EQUAL(shared_position(), 5 * size);
    GOOD(MPI_File_read_at(f, 3 * size, in, 2, MPI_CHAR, &status));
    CHECK(in[0] == 'x' && in[1] == 'y');
    GOOD(MPI_File_close(&f));
    GOOD(MPI_File_open(MPI_COMM_WORLD, "modes", MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                       MPI_INFO_NULL, &f));
    CHECK(access("modes", F_OK) == 0);
    GOOD(MPI_File_close(&f));
    CHECK(access("modes", F_OK) != 0);
    /* Only the shared pointer of a sequential file can be used. */
    GOOD(MPI_File_open(MPI_COMM_WORLD, "modes",
                       MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_CREATE |
                           MPI_MODE_UNIQUE_OPEN,
                       MPI_INFO_NULL, &f));
    MPI_Offset at;
    FAILS(MPI_File_write(f, data, 1, MPI_CHAR, &status), MPI_ERR_UNSUPPORTED_OPERATION,
          "SEQUENTIAL");
    FAILS(MPI_File_write_at(f, 0, data, 1, MPI_CHAR, &status), MPI_ERR_UNSUPPORTED_OPERATION, "");
    FAILS(MPI_File_seek(f, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION, "");
    FAILS(MPI_File_seek_shared(f, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION, "");
    FAILS(MPI_File_get_position(f, &at), MPI_ERR_UNSUPPORTED_OPERATION, "");
    FAILS(MPI_File_get_position_shared(f, &at), MPI_ERR_UNSUPPORTED_OPERATION, "");
    FAILS(MPI_File_set_size(f, 0), MPI_ERR_UNSUPPORTED_OPERATION, "");
    FAILS(MPI_File_set_view(f, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL), MPI_ERR_ARG,
          "MPI_DISPLACEMENT_CURRENT");
    GOOD(MPI_File_write_ordered(f, data, 3, MPI_CHAR, &status));
    GOOD(MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native",
                           MPI_INFO_NULL));
    GOOD(MPI_File_write_ordered(f, &rank, 1, MPI_INT, &status));
    EQUAL(size_of(), 7 * size);
    close_and_delete("modes");
}

/* Each rank sees every size-th block of two ints. */
static void views(void)
{
    open_new("views");
    MPI_Datatype two, filetype;
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, 8 * size, &filetype);
    MPI_Type_commit(&filetype);
    int out[20], in[20], whole[2000];
    for (int i = 0; i < 20; i++)
        out[i] = 100 * rank + i;
    GOOD(MPI_File_set_view(f, 8 + 8 * rank, MPI_INT, filetype, "native", MPI_INFO_NULL));
    MPI_Offset disp;
    MPI_Datatype etype, type;
    char name[MPI_MAX_DATAREP_STRING];
    GOOD(MPI_File_get_view(f, &disp, &etype, &type, name));
    EQUAL(disp, 8 + 8 * rank);
    CHECK(etype == MPI_INT && strcmp(name, "native") == 0);
    int integers, addresses, types, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    EQUAL(combiner, MPI_COMBINER_DUP);
    MPI_Type_free(&type);
    GOOD(MPI_File_write_all(f, out, 20, MPI_INT, &status));
    EQUAL(count_of(&status), 80);
    EQUAL(position(), 20);
    GOOD(MPI_File_get_byte_offset(f, 5, &disp));
    EQUAL(disp, 8 + 8 * rank + 2 * 8 * size + 4);
    GOOD(MPI_File_seek(f, 0, MPI_SEEK_END));
    EQUAL(position(), 20);
    GOOD(MPI_File_read_at_all(f, 3, in, 10, MPI_INT, &status));
    for (int i = 0; i < 10; i++)
        EQUAL(in[i], 100 * rank + 3 + i);
    GOOD(MPI_File_read_at(f, 15, in, 20, MPI_INT, &status));
    EQUAL(count_of(&status), 20);
    GOOD(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL));
    GOOD(MPI_File_get_view(f, &disp, &etype, &type, name));
    CHECK(type == MPI_INT && strcmp(name, "internal") == 0);
    EQUAL(position(), 0);
    GOOD(MPI_File_read_all(f, whole, 2 + 20 * size, MPI_INT, &status));
    EQUAL(count_of(&status), 8 + 80 * size);
    EQUAL(whole[0], 0);
    for (int i = 0; i < 10; i++)
        for (int r = 0; r < size; r++)
            for (int k = 0; k < 2; k++)
                EQUAL(whole[2 + 2 * size * i + 2 * r + k], 100 * r + 2 * i + k);
    MPI_Type_free(&two);
    MPI_Type_free(&filetype);
    close_and_delete("views");
}

static void shared(void)
{
    enum { TIMES = 50 };
    open_new("shared");
    GOOD(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (int i = 0; i < TIMES; i++) {
        int out[2] = {rank, i};
        GOOD(MPI_File_write_shared(f, out, 2, MPI_INT, &status));
        EQUAL(count_of(&status), 8);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EQUAL(shared_position(), 2 * TIMES * size);
    EQUAL(size_of(), 8 * TIMES * size);
    GOOD(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    int next = 0;
    for (int i = 0; i < TIMES; i++) {
        int in[2];
        GOOD(MPI_File_read_shared(f, in, 2, MPI_INT, &status));
        CHECK(in[0] >= 0 && in[0] < size && in[1] >= 0 && in[1] < TIMES);
        next += in[1];
    }
    int all;
    MPI_Allreduce(&next, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EQUAL(all, size * TIMES * (TIMES - 1) / 2);
    GOOD(MPI_File_seek_shared(f, -2 * TIMES * size, MPI_SEEK_CUR));
    EQUAL(shared_position(), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    /* Rank r has r + 1 numbers, and they come in the order of the ranks. */
    int *mine = malloc(sizeof(int) * (rank + 1));
    for (int i = 0; i <= rank; i++)
        mine[i] = 1000 * rank + i;
    GOOD(MPI_File_write_ordered(f, mine, rank + 1, MPI_INT, &status));
    EQUAL(count_of(&status), 4 * (rank + 1));
    EQUAL(shared_position(), size * (size + 1) / 2);
    GOOD(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    memset(mine, 0, sizeof(int) * (rank + 1));
    GOOD(MPI_File_read_ordered(f, mine, rank + 1, MPI_INT, &status));
    for (int i = 0; i <= rank; i++)
        EQUAL(mine[i], 1000 * rank + i);
    int value;
    GOOD(MPI_File_read_at(f, rank * (rank + 1) / 2, &value, 1, MPI_INT, &status));
    EQUAL(value, 1000 * rank);
    GOOD(MPI_File_seek_shared(f, 1, MPI_SEEK_END));
    EQUAL(shared_position(), 2 * TIMES * size + 1);
    free(mine);
    close_and_delete("shared");
}

static void expect_wait(MPI_Request *request, int bytes)
{
    CHECK(*request != MPI_REQUEST_NULL);
    GOOD(MPI_Wait(request, &status));
    EQUAL(count_of(&status), bytes);
    CHECK(*request == MPI_REQUEST_NULL);
}

static void nonblocking(void)
{
    open_new("nonblocking");
    GOOD(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    enum { N = 1000 };
    int out[N], in[N];
    for (int i = 0; i < N; i++)
        out[i] = rank * N + i;
    MPI_Request requests[4];
    GOOD(MPI_File_iwrite_at(f, rank * N, out, N / 2, MPI_INT, &requests[0]));
    GOOD(MPI_File_iwrite_at(f, rank * N + N / 2, out + N / 2, N / 2, MPI_INT, &requests[1]));
    MPI_Status statuses[2];
    GOOD(MPI_Waitall(2, requests, statuses));
    EQUAL(count_of(&statuses[0]), 2 * N);
    EQUAL(count_of(&statuses[1]), 2 * N);
    MPI_Barrier(MPI_COMM_WORLD);
    int other = (rank + 1) % size, done = 0;
    GOOD(MPI_File_iread_at(f, other * N, in, N, MPI_INT, &requests[0]));
    while (!done)
        GOOD(MPI_Test(&requests[0], &done, &status));
    EQUAL(count_of(&status), 4 * N);
    EQUAL(in[N - 1], other * N + N - 1);
    GOOD(MPI_File_iread_at_all(f, rank * N, in, N, MPI_INT, &requests[0]));
    expect_wait(&requests[0], 4 * N);
    EQUAL(in[17], rank * N + 17);
    out[0] = -1 - rank;
    GOOD(MPI_File_iwrite_at_all(f, rank * N, out, 1, MPI_INT, &requests[0]));
    expect_wait(&requests[0], 4);
    GOOD(MPI_File_seek(f, rank * N, MPI_SEEK_SET));
    GOOD(MPI_File_iread(f, in, 10, MPI_INT, &requests[0]));
    EQUAL(position(), rank * N + 10);
    expect_wait(&requests[0], 40);
    EQUAL(in[0], -1 - rank);
    GOOD(MPI_File_iwrite(f, out, 3, MPI_INT, &requests[0]));
    expect_wait(&requests[0], 12);
    EQUAL(position(), rank * N + 13);
    GOOD(MPI_File_seek(f, rank * N, MPI_SEEK_SET));
    GOOD(MPI_File_iread_all(f, in, 13, MPI_INT, &requests[0]));
    expect_wait(&requests[0], 52);
    EQUAL(in[10], -1 - rank);
    GOOD(MPI_File_iwrite_all(f, out + 13, 2, MPI_INT, &requests[0]));
    expect_wait(&requests[0], 8);
    GOOD(MPI_File_iwrite_shared(f, &rank, 1, MPI_INT, &requests[0]));
    expect_wait(&requests[0], 4);
    MPI_Barrier(MPI_COMM_WORLD);
    GOOD(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    int value = -1, sum;
    GOOD(MPI_File_iread_shared(f, &value, 1, MPI_INT, &requests[0]));
    expect_wait(&requests[0], 4);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EQUAL(sum, size * (size - 1) / 2);
    /* At the end of the file there is less than was asked for. */
    GOOD(MPI_File_iread_at(f, size * N - 3, in, 10, MPI_INT, &requests[0]));
    expect_wait(&requests[0], 12);
    GOOD(MPI_File_iread_at_all(f, size * N - 2, in, 10, MPI_INT, &requests[0]));
    expect_wait(&requests[0], 8);
    /* A request may be freed while its access goes on. */
    MPI_Barrier(MPI_COMM_WORLD);
    out[5] = 77;
    GOOD(MPI_File_iwrite_at(f, rank * N, out + 5, 1, MPI_INT, &requests[0]));
    GOOD(MPI_Request_free(&requests[0]));
    do
        GOOD(MPI_File_read_at(f, rank * N, &value, 1, MPI_INT, &status));
    while (value != 77);
    close_and_delete("nonblocking");
}

static void split(void)
{
    open_new("split");
    GOOD(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    int out[10], in[10];
    for (int i = 0; i < 10; i++)
        out[i] = 10 * rank + i;
    GOOD(MPI_File_write_at_all_begin(f, 10 * rank, out, 10, MPI_INT));
    GOOD(MPI_File_write_at_all_end(f, out, &status));
    EQUAL(count_of(&status), 40);
    GOOD(MPI_File_read_at_all_begin(f, 10 * (size - 1 - rank), in, 10, MPI_INT));
    FAILS(MPI_File_read_all_begin(f, in, 1, MPI_INT), MPI_ERR_IO, "MPI_File_read_at_all_begin");
    FAILS(MPI_File_read_all_end(f, in, &status), MPI_ERR_IO, "MPI_File_read_all_end");
    MPI_File busy = f;
    FAILS(MPI_File_close(&busy), MPI_ERR_IO, "MPI_File_read_at_all_begin");
    GOOD(MPI_File_read_at_all_end(f, in, &status));
    EQUAL(count_of(&status), 40);
    EQUAL(in[9], 10 * (size - 1 - rank) + 9);
    FAILS(MPI_File_read_at_all_end(f, in, &status), MPI_ERR_IO, "nothing");
    GOOD(MPI_File_seek(f, 10 * rank, MPI_SEEK_SET));
    out[0] = -rank;
    GOOD(MPI_File_write_all_begin(f, out, 1, MPI_INT));
    GOOD(MPI_File_write_all_end(f, out, &status));
    GOOD(MPI_File_seek(f, 10 * rank, MPI_SEEK_SET));
    GOOD(MPI_File_read_all_begin(f, in, 2, MPI_INT));
    GOOD(MPI_File_read_all_end(f, in, &status));
    EQUAL(count_of(&status), 8);
    EQUAL(in[0], -rank);
    EQUAL(in[1], 10 * rank + 1);
    GOOD(MPI_File_write_ordered_begin(f, &rank, 1, MPI_INT));
    GOOD(MPI_File_write_ordered_end(f, &rank, &status));
    EQUAL(count_of(&status), 4);
    GOOD(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    GOOD(MPI_File_read_ordered_begin(f, in, 1, MPI_INT));
    GOOD(MPI_File_read_ordered_end(f, in, MPI_STATUS_IGNORE));
    EQUAL(in[0], rank);
    EQUAL(shared_position(), size);
    close_and_delete("split");
}

static int conversions;

static int turn_read(void *user, MPI_Datatype type, COUNT count, void *file, MPI_Offset at,
                     void *extra)
{
    EQUAL(at, 0);
    CHECK(extra == &conversions && type == MPI_INT);
    for (COUNT i = 0; i < count; i++)
        ((int *)user)[i] = (int)~((long long *)file)[i];
    conversions++;
    return MPI_SUCCESS;
}

static int turn_write(void *user, MPI_Datatype type, COUNT count, void *file, MPI_Offset at,
                      void *extra)
{
    EQUAL(at, 0);
    CHECK(extra == &conversions && type == MPI_INT);
    for (COUNT i = 0; i < count; i++) {
        if (((int *)user)[i] == -12345)
            return MPI_ERR_OTHER;
        ((long long *)file)[i] = ~(long long)((int *)user)[i];
    }
    conversions++;
    return MPI_SUCCESS;
}

static int turn_extent(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
    CHECK(extra == &conversions);
    int bytes;
    MPI_Type_size(type, &bytes);
    *extent = 2 * bytes;
    return MPI_SUCCESS;
}

static void representations(void)
{
    open_new("representations");
    int out[6] = {1, -2, 3, 0x01020304, 5, rank}, in[6] = {0};
    long longs[4] = {1, -2, 300000, rank};
    unsigned char raw[64];
    GOOD(MPI_File_set_view(f, 24 * rank, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    GOOD(MPI_File_write_all(f, out, 6, MPI_INT, &status));
    EQUAL(count_of(&status), 24);
    GOOD(MPI_File_read_at_all(f, 0, in, 6, MPI_INT, &status));
    EQUAL(memcmp(in, out, sizeof in), 0);
    GOOD(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    GOOD(MPI_File_read_at(f, 24 * rank, raw, 24, MPI_BYTE, &status));
    CHECK(raw[3] == 1 && raw[4] == 0xff && raw[12] == 1 && raw[15] == 4);
    EQUAL(raw[23], rank);
    /* A long has four bytes there, so every second one begins at a multiple of eight. */
    MPI_Datatype second;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &second);
    MPI_Type_commit(&second);
#ifdef LARGE
    MPI_Count extent;
#else
    MPI_Aint extent;
#endif
    MPI_Barrier(MPI_COMM_WORLD);
    GOOD(MPI_File_set_view(f, 32 * rank, MPI_LONG, second, "external32", MPI_INFO_NULL));
    GOOD(MPI_File_get_type_extent(f, MPI_LONG, &extent));
    EQUAL(extent, 4);
    GOOD(MPI_File_get_type_extent(f, second, &extent));
    EQUAL(extent, 12);
    GOOD(MPI_File_write_at_all(f, 0, longs, 4, MPI_LONG, &status));
    long back[4] = {0};
    GOOD(MPI_File_read_at(f, 0, back, 4, MPI_LONG, &status));
    EQUAL(count_of(&status), 32);
    EQUAL(memcmp(back, longs, sizeof back), 0);
    longs[2] = 1L << 40;
    FAILS(MPI_File_write_at(f, 0, longs, 4, MPI_LONG, &status), MPI_ERR_CONVERSION, "MPI_LONG");
    GOOD(MPI_File_set_view(f, 32 * rank, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    GOOD(MPI_File_read_at(f, 0, raw, 24, MPI_BYTE, &status));
    CHECK(raw[3] == 1 && raw[8] == 0xff && raw[11] == 0xfe);
    CHECK(raw[13] == 4 && raw[14] == 0x93 && raw[15] == 0xe0);
    EQUAL(raw[23], rank);
    MPI_Type_free(&second);
    /* The program's own: complements in eight bytes. */
    GOOD(MPI_Register_datarep("turned", turn_read, turn_write, turn_extent, &conversions));
    FAILS(MPI_Register_datarep("turned", turn_read, turn_write, turn_extent, NULL),
          MPI_ERR_DUP_DATAREP, "turned");
    FAILS(MPI_Register_datarep("external32", turn_read, turn_write, turn_extent, NULL),
          MPI_ERR_DUP_DATAREP, "external32");
    GOOD(MPI_Register_datarep("wide", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, turn_extent,
                              &conversions));
    MPI_Barrier(MPI_COMM_WORLD);
    GOOD(MPI_File_set_view(f, 48 * rank, MPI_INT, MPI_INT, "turned", MPI_INFO_NULL));
    GOOD(MPI_File_get_type_extent(f, MPI_INT, &extent));
    EQUAL(extent, 8);
    GOOD(MPI_File_write_at_all(f, 0, out, 6, MPI_INT, &status));
    EQUAL(count_of(&status), 24);
    memset(in, 0, sizeof in);
    MPI_Request request;
    GOOD(MPI_File_iread_at(f, 0, in, 6, MPI_INT, &request));
    expect_wait(&request, 24);
    EQUAL(memcmp(in, out, sizeof in), 0);
    EQUAL(conversions, 2);
    in[0] = -12345;
    FAILS(MPI_File_write_at(f, 0, in, 6, MPI_INT, &status), MPI_ERR_CONVERSION, "returned");
    GOOD(MPI_File_read_at(f, 6 * (size - rank) - 2, in, 6, MPI_INT, &status));
    EQUAL(count_of(&status), 8);
    GOOD(MPI_File_set_view(f, 48 * rank, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    GOOD(MPI_File_read_at(f, 0, raw, 48, MPI_BYTE, &status));
    CHECK(raw[0] == 0xfe && raw[7] == 0xff && raw[8] == 1);
    FAILS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "runes", MPI_INFO_NULL),
          MPI_ERR_UNSUPPORTED_DATAREP, "runes");
    close_and_delete("representations");
}

static void hints(void)
{
    MPI_Info info, used;
    char value[64];
    int flag, length;
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_nodes", "2");
    MPI_Info_set(info, "striping_unit", "65536");
    MPI_Info_set(info, "access_style", "write_once,sequential");
    MPI_Info_set(info, "nonsense", "1");
    MPI_Info_set(info, "ind_rd_buffer_size", "much");
    MPI_Info_set(info, "file_perm", "600");
    GOOD(MPI_File_open(MPI_COMM_WORLD, "hints", RW, info, &f));
    struct stat facts;
    EQUAL(stat("hints", &facts), 0);
    EQUAL(facts.st_mode & 0777, 0600);
    GOOD(MPI_File_get_info(f, &used));
    length = sizeof value;
    MPI_Info_get_string(used, "cb_nodes", &length, value, &flag);
    CHECK(flag && strcmp(value, "2") == 0);
    length = sizeof value;
    MPI_Info_get_string(used, "access_style", &length, value, &flag);
    CHECK(flag && strcmp(value, "write_once,sequential") == 0);
    length = sizeof value;
    MPI_Info_get_string(used, "filename", &length, value, &flag);
    CHECK(flag && strcmp(value, "hints") == 0);
    length = sizeof value;
    MPI_Info_get_string(used, "ind_rd_buffer_size", &length, value, &flag);
    CHECK(flag && strcmp(value, "1048576") == 0);
    MPI_Info_get_string(used, "nonsense", &length, value, &flag);
    CHECK(!flag);
    MPI_Info_free(&used);
    MPI_Info_set(info, "romio_cb_write", "disable");
    MPI_Info_set(info, "romio_ds_read", "disable");
    GOOD(MPI_File_set_info(f, info));
    GOOD(MPI_File_get_info(f, &used));
    length = sizeof value;
    MPI_Info_get_string(used, "romio_cb_write", &length, value, &flag);
    CHECK(flag && strcmp(value, "disable") == 0);
    MPI_Info_free(&used);
    MPI_Info_free(&info);
    close_and_delete("hints");
}

static int heard;
static MPI_File heard_of;

static void hear(MPI_File *file, int *code, ...)
{
    heard = *code;
    heard_of = *file;
}

static void errors(void)
{
    FAILS(MPI_File_open(MPI_COMM_WORLD, "not/there", MPI_MODE_RDONLY, MPI_INFO_NULL, &f),
          MPI_ERR_NO_SUCH_FILE, "not/there");
    FAILS(MPI_File_open(MPI_COMM_WORLD, "absent", MPI_MODE_RDWR, MPI_INFO_NULL, &f),
          MPI_ERR_NO_SUCH_FILE, "absent");
    FAILS(MPI_File_delete("absent", MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE, "absent");
    FAILS(MPI_File_open(MPI_COMM_WORLD, "x", MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_INFO_NULL, &f),
          MPI_ERR_AMODE, "exactly one");
    FAILS(MPI_File_open(MPI_COMM_WORLD, "x", MPI_MODE_CREATE, MPI_INFO_NULL, &f), MPI_ERR_AMODE,
          "");
    FAILS(MPI_File_open(MPI_COMM_WORLD, "x", MPI_MODE_CREATE | MPI_MODE_RDONLY, MPI_INFO_NULL, &f),
          MPI_ERR_AMODE, "MPI_MODE_CREATE");
    FAILS(MPI_File_open(MPI_COMM_WORLD, "x", MPI_MODE_SEQUENTIAL | MPI_MODE_RDWR, MPI_INFO_NULL,
                        &f),
          MPI_ERR_AMODE, "MPI_MODE_SEQUENTIAL");
    FAILS(MPI_File_open(MPI_COMM_WORLD, ".", MPI_MODE_RDONLY, MPI_INFO_NULL, &f), MPI_ERR_BAD_FILE,
          "irectory");
    FAILS(MPI_File_open(MPI_COMM_WORLD, "/proc/self/exe", MPI_MODE_WRONLY, MPI_INFO_NULL, &f),
          MPI_ERR_FILE_IN_USE, "");
    if (size > 1)
        FAILS(MPI_File_open(MPI_COMM_WORLD, "x",
                            rank ? MPI_MODE_RDONLY : MPI_MODE_CREATE | MPI_MODE_WRONLY,
                            MPI_INFO_NULL, &f),
              MPI_ERR_NOT_SAME, "amode");
    CHECK(access("x", F_OK) != 0);
    FAILS(MPI_File_open(MPI_COMM_NULL, "x", RW, MPI_INFO_NULL, &f), MPI_ERR_COMM, "MPI_COMM_NULL");
    if (getuid() != 0) {
        FAILS(MPI_File_open(MPI_COMM_WORLD, "/etc/shadow", MPI_MODE_RDONLY, MPI_INFO_NULL, &f),
              MPI_ERR_ACCESS, "/etc/shadow");
    }
    FAILS(MPI_File_open(MPI_COMM_WORLD, "/proc/version", MPI_MODE_RDWR | MPI_MODE_CREATE |
                        MPI_MODE_EXCL, MPI_INFO_NULL, &f), MPI_ERR_FILE_EXISTS, "/proc/version");
    open_new("errors");
    MPI_File other = MPI_FILE_NULL;
    FAILS(MPI_File_open(MPI_COMM_WORLD, "errors", RW | MPI_MODE_EXCL, MPI_INFO_NULL, &other),
          MPI_ERR_FILE_EXISTS, "errors");
    char data[16] = "";
    MPI_Offset at;
    FAILS(MPI_File_get_size(MPI_FILE_NULL, &at), MPI_ERR_FILE, "MPI_FILE_NULL");
    FAILS(MPI_File_close(&other), MPI_ERR_FILE, "MPI_FILE_NULL");
    FAILS(MPI_File_read_at(f, -1, data, 1, MPI_CHAR, &status), MPI_ERR_ARG, "offset is -1");
    FAILS(MPI_File_read_at(f, 0, data, -1, MPI_CHAR, &status), MPI_ERR_COUNT, "count");
    FAILS(MPI_File_read_at(f, 0, data, 1, MPI_DATATYPE_NULL, &status), MPI_ERR_TYPE, "datatype");
    FAILS(MPI_File_read_at(f, 0, NULL, 1, MPI_CHAR, &status), MPI_ERR_BUFFER, "null pointer");
    FAILS(MPI_File_seek(f, -1, MPI_SEEK_SET), MPI_ERR_ARG, "offset is -1");
    FAILS(MPI_File_seek(f, 0, 17), MPI_ERR_ARG, "whence");
    FAILS(MPI_File_seek_shared(f, -1, MPI_SEEK_SET), MPI_ERR_ARG, "offset is -1");
    FAILS(MPI_File_get_byte_offset(f, -1, &at), MPI_ERR_ARG, "offset is -1");
    FAILS(MPI_File_set_size(f, -1), MPI_ERR_ARG, "size is -1");
    FAILS(MPI_File_preallocate(f, -1), MPI_ERR_ARG, "size is -1");
    FAILS(MPI_File_set_view(f, -1, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL), MPI_ERR_ARG,
          "MPI_DISPLACEMENT_CURRENT");
    FAILS(MPI_File_set_view(f, -2, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL), MPI_ERR_ARG,
          "disp is -2");
    FAILS(MPI_File_set_view(f, 0, MPI_INT, MPI_CHAR, "native", MPI_INFO_NULL), MPI_ERR_TYPE,
          "multiple");
    MPI_Datatype type;
    MPI_Type_contiguous(3, MPI_INT, &type);
    FAILS(MPI_File_set_view(f, 0, MPI_INT, type, "native", MPI_INFO_NULL), MPI_ERR_TYPE,
          "committed");
    MPI_Type_free(&type);
    GOOD(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    FAILS(MPI_File_read_at(f, 0, data, 6, MPI_CHAR, &status), MPI_ERR_IO, "multiple");
    if (size > 1) {
        FAILS(MPI_File_set_size(f, rank), MPI_ERR_NOT_SAME, "size");
        FAILS(MPI_File_set_atomicity(f, rank & 1), MPI_ERR_NOT_SAME, "flag");
        FAILS(MPI_File_seek_shared(f, rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME, "offset");
        FAILS(MPI_File_set_view(f, 0, rank ? MPI_INT : MPI_BYTE, MPI_INT, "native", MPI_INFO_NULL),
              MPI_ERR_NOT_SAME, "etype");
    }
    /* A file has an error handler of its own; that of MPI_FILE_NULL is what new ones start with. */
    MPI_Errhandler handler, seen;
    MPI_File_create_errhandler(hear, &handler);
    GOOD(MPI_File_set_errhandler(f, handler));
    GOOD(MPI_File_get_errhandler(f, &seen));
    CHECK(seen == handler);
    MPI_Errhandler_free(&seen);
    int code = MPI_File_seek(f, -1, MPI_SEEK_SET);
    CHECK(heard == code && code != 0 && heard_of == f);
    heard = 0;
    MPI_Request request;
    GOOD(MPI_File_get_errhandler(MPI_FILE_NULL, &seen));
    CHECK(seen == MPI_ERRORS_RETURN);
    MPI_File_call_errhandler(f, MPI_ERR_IO);
    EQUAL(heard, MPI_ERR_IO);
    FAILS(MPI_File_open(MPI_COMM_SELF, "absent", MPI_MODE_RDONLY, MPI_INFO_NULL, &other),
          MPI_ERR_NO_SUCH_FILE, "absent");
    EQUAL(heard, MPI_ERR_IO);
    MPI_Errhandler_free(&handler);
    GOOD(MPI_File_set_errhandler(f, MPI_ERRORS_RETURN));
    close_and_delete("errors");
    GOOD(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &f));
    FAILS(MPI_File_write_at(f, 0, data, 4, MPI_CHAR, &status), MPI_ERR_NO_SPACE, "/dev/full");
    EQUAL(count_of(&status), 0);
    FAILS(MPI_File_write_at_all(f, 4 * rank, data, 4, MPI_CHAR, &status), MPI_ERR_NO_SPACE, "");
    GOOD(MPI_File_iwrite_at(f, 0, data, 4, MPI_CHAR, &request));
    FAILS(MPI_Wait(&request, &status), MPI_ERR_NO_SPACE, "/dev/full");
    GOOD(MPI_File_iwrite_at_all(f, 0, data, 4, MPI_CHAR, &request));
    FAILS(MPI_Wait(&request, &status), MPI_ERR_NO_SPACE, "/dev/full");
    GOOD(MPI_File_close(&f));
}

/* In atomic mode, each access appears whole. */
static void atomic(void)
{
    enum { N = 4096 };
    static unsigned char data[N], in[N];
    int flag;
    open_new("atomic");
    GOOD(MPI_File_get_atomicity(f, &flag));
    EQUAL(flag, 0);
    GOOD(MPI_File_set_atomicity(f, 1));
    GOOD(MPI_File_get_atomicity(f, &flag));
    EQUAL(flag, 1);
    MPI_Datatype odd;
    MPI_Type_vector(N, 1, 2, MPI_BYTE, &odd);
    MPI_Type_commit(&odd);
    GOOD(MPI_File_set_view(f, 0, MPI_BYTE, odd, "native", MPI_INFO_NULL));
    for (int i = 0; i < 20; i++) {
        memset(data, 1 + rank, N);
        GOOD(MPI_File_write_at(f, 0, data, 300, MPI_BYTE, &status));
        GOOD(MPI_File_read_at(f, 0, in, 300, MPI_BYTE, &status));
        for (int k = 1; k < 300; k++)
            EQUAL(in[k], in[0]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    /* Accesses that overlap: as if one had come after the other. */
    GOOD(MPI_File_write_at_all(f, 10 * rank, data, N - 10 * size, MPI_BYTE, &status));
    GOOD(MPI_File_read_at_all(f, 0, in, N - 10 * size, MPI_BYTE, &status));
    for (int k = 11 * size; k < N - 10 * size - 1; k++)
        EQUAL(in[k], in[k + 1]);
    MPI_Type_free(&odd);
    close_and_delete("atomic");
}

int main(int argc, char **argv)
{
    const struct test tests[] = {
        {"offsets", offsets},         {"sizes", sizes},
        {"modes", modes},             {"views", views},
        {"shared", shared},           {"nonblocking", nonblocking},
        {"split", split},             {"representations", representations},
        {"hints", hints},             {"errors", errors},
        {"atomic", atomic},           {NULL, NULL},
    };
    return run_test(argc, argv, tests);
}
