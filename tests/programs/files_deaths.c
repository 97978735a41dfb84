/* A member dies before, in or after calls that concern a file. Whoever lives comes back from every
 * call; what a call reports as written is in the file; and the file can be closed and opened again.
 * Arguments: the call; and `hosts` if the shared file pointer may be lost with those who have it.
 * The file is `deaths`. */
#include "check.h"
#include "ftmpi.h"
#include <fcntl.h>
#include <unistd.h>
#ifdef ULFM
#include "mpi-ext.h"
#define GONE MPIX_ERR_PROC_FAILED
#else
#define GONE MPI_ERR_PROC_ABORTED
#endif

enum { BYTES = 4096, CHUNK = 64, ROUNDS = 8 };

static MPI_File f;
static MPI_Status status;
static unsigned char data[BYTES], in[BYTES];
static MPI_Datatype filetype;
static int round_, has_pointer;

static int waited(int code, MPI_Request *request)
{
    return code == MPI_SUCCESS ? MPI_Wait(request, &status) : code;
}

static MPI_Offset start(void)
{
    return (MPI_Offset)round_ * BYTES;
}

static int write_at_all(void)
{
    return MPI_File_write_at_all(f, start(), data, BYTES, MPI_BYTE, &status);
}

static int write_all(void)
{
    return MPI_File_write_all(f, data, BYTES, MPI_BYTE, &status);
}

static int iwrite_at_all(void)
{
    MPI_Request request;
    return waited(MPI_File_iwrite_at_all(f, start(), data, BYTES, MPI_BYTE, &request), &request);
}

static int iwrite_all(void)
{
    MPI_Request request;
    return waited(MPI_File_iwrite_all(f, data, BYTES, MPI_BYTE, &request), &request);
}

static int write_all_begin(void)
{
    int code = MPI_File_write_all_begin(f, data, BYTES, MPI_BYTE);
    return code == MPI_SUCCESS ? MPI_File_write_all_end(f, data, &status) : code;
}

static int write_at_all_begin(void)
{
    int code = MPI_File_write_at_all_begin(f, start(), data, BYTES, MPI_BYTE);
    return code == MPI_SUCCESS ? MPI_File_write_at_all_end(f, data, &status) : code;
}

static int write_ordered(void)
{
    return MPI_File_write_ordered(f, data, BYTES, MPI_BYTE, &status);
}

static int write_ordered_begin(void)
{
    int code = MPI_File_write_ordered_begin(f, data, BYTES, MPI_BYTE);
    return code == MPI_SUCCESS ? MPI_File_write_ordered_end(f, data, &status) : code;
}

static int read_at_all(void)
{
    return MPI_File_read_at_all(f, 0, in, BYTES, MPI_BYTE, &status);
}

static int read_all(void)
{
    return MPI_File_read_all(f, in, BYTES, MPI_BYTE, &status);
}

static int iread_at_all(void)
{
    MPI_Request request;
    return waited(MPI_File_iread_at_all(f, 0, in, BYTES, MPI_BYTE, &request), &request);
}

static int iread_all(void)
{
    MPI_Request request;
    return waited(MPI_File_iread_all(f, in, BYTES, MPI_BYTE, &request), &request);
}

static int read_all_begin(void)
{
    int code = MPI_File_read_all_begin(f, in, BYTES, MPI_BYTE);
    return code == MPI_SUCCESS ? MPI_File_read_all_end(f, in, &status) : code;
}

static int read_at_all_begin(void)
{
    int code = MPI_File_read_at_all_begin(f, 0, in, BYTES, MPI_BYTE);
    return code == MPI_SUCCESS ? MPI_File_read_at_all_end(f, in, &status) : code;
}

static int read_ordered(void)
{
    return MPI_File_read_ordered(f, in, BYTES, MPI_BYTE, &status);
}

static int read_ordered_begin(void)
{
    int code = MPI_File_read_ordered_begin(f, in, BYTES, MPI_BYTE);
    return code == MPI_SUCCESS ? MPI_File_read_ordered_end(f, in, &status) : code;
}

static int open_close(void)
{
    MPI_File other;
    int code = MPI_File_open(MPI_COMM_WORLD, "deaths", MPI_MODE_RDONLY, MPI_INFO_NULL, &other);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_File_close(&other);
    CHECK(other == MPI_FILE_NULL);
    return code;
}

static int set_view(void)
{
    return MPI_File_set_view(f, CHUNK * rank, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
}

static int set_size(void)
{
    return MPI_File_set_size(f, 10 * BYTES);
}

static int preallocate(void)
{
    return MPI_File_preallocate(f, 10 * BYTES);
}

static int sync_(void)
{
    return MPI_File_sync(f);
}

static int set_info(void)
{
    return MPI_File_set_info(f, MPI_INFO_NULL);
}

static int set_atomicity(void)
{
    return MPI_File_set_atomicity(f, round_ & 1);
}

static int seek_shared(void)
{
    return MPI_File_seek_shared(f, round_, MPI_SEEK_SET);
}

/* No other process takes part in these. */
static int alone(void)
{
    MPI_Request request;
    int codes = MPI_File_write_at(f, start(), data, BYTES, MPI_BYTE, &status);
    codes |= MPI_File_read_at(f, start(), in, BYTES, MPI_BYTE, &status);
    if (has_pointer) {
        codes |= MPI_File_write_shared(f, data, 1, MPI_BYTE, &status);
        codes |= MPI_File_read_shared(f, in, 1, MPI_BYTE, &status);
        codes |= waited(MPI_File_iwrite_shared(f, data, 1, MPI_BYTE, &request), &request);
        codes |= waited(MPI_File_iread_shared(f, in, 1, MPI_BYTE, &request), &request);
    }
    codes |= MPI_File_seek(f, start(), MPI_SEEK_SET);
    codes |= MPI_File_write(f, data, BYTES, MPI_BYTE, &status);
    codes |= MPI_File_read(f, in, 1, MPI_BYTE, &status);
    codes |= waited(MPI_File_iread(f, in, BYTES, MPI_BYTE, &request), &request);
    codes |= waited(MPI_File_iwrite(f, data, 1, MPI_BYTE, &request), &request);
    codes |= waited(MPI_File_iread_at(f, 0, in, BYTES, MPI_BYTE, &request), &request);
    codes |= waited(MPI_File_iwrite_at(f, start(), data, BYTES, MPI_BYTE, &request), &request);
    EQUAL(codes, MPI_SUCCESS);
    return codes;
}

static const struct call {
    const char *name;
    int (*run)(void);
} CALLS[] = {
    {"write_at_all", write_at_all},
    {"write_all", write_all},
    {"iwrite_at_all", iwrite_at_all},
    {"iwrite_all", iwrite_all},
    {"write_all_begin", write_all_begin},
    {"write_at_all_begin", write_at_all_begin},
    {"write_ordered", write_ordered},
    {"write_ordered_begin", write_ordered_begin},
    {"read_at_all", read_at_all},
    {"read_all", read_all},
    {"iread_at_all", iread_at_all},
    {"iread_all", iread_all},
    {"read_all_begin", read_all_begin},
    {"read_at_all_begin", read_at_all_begin},
    {"read_ordered", read_ordered},
    {"read_ordered_begin", read_ordered_begin},
    {"open_close", open_close},
    {"set_view", set_view},
    {"set_size", set_size},
    {"preallocate", preallocate},
    {"sync", sync_},
    {"set_info", set_info},
    {"set_atomicity", set_atomicity},
    {"seek_shared", seek_shared},
    {"alone", alone},
    {NULL, NULL},
};

/* What was reported as written in this round is there. */
static void expect_written(int bytes)
{
    int plain = open("deaths", O_RDONLY);
    CHECK(plain >= 0);
    for (int at = 0; at < bytes; at += CHUNK) {
        off_t place = CHUNK * ((start() + at) / CHUNK * size + rank);
        EQUAL(pread(plain, in, CHUNK, place), CHUNK);
        EQUAL(memcmp(in, data + at, CHUNK), 0);
    }
    close(plain);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    has_pointer = argc < 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const struct call *call = CALLS;
    while (call->name && strcmp(call->name, argv[1]))
        call++;
    CHECK(call->name);
    MPI_Type_vector(1, CHUNK, CHUNK, MPI_BYTE, &filetype);
    MPI_Datatype block = filetype;
    MPI_Type_create_resized(block, 0, CHUNK * size, &filetype);
    MPI_Type_free(&block);
    MPI_Type_commit(&filetype);
    int is_write = strstr(argv[1], "write_a") != NULL, met = 0;
    int code = MPI_File_open(MPI_COMM_WORLD, "deaths", MPI_MODE_RDWR | MPI_MODE_CREATE,
                             MPI_INFO_NULL, &f);
    if (code == MPI_SUCCESS)
        code = set_view();
    EQUAL(code, MPI_SUCCESS);
    for (round_ = 0; round_ < ROUNDS && code == MPI_SUCCESS; round_++) {
        fill(data, BYTES, 16 * round_ + rank);
        MPI_Status_set_elements(&status, MPI_BYTE, 0);
        code = call->run();
        if (is_write)
            expect_written(code == MPI_SUCCESS ? BYTES : count_of(&status) / CHUNK * CHUNK);
        met = code != MPI_SUCCESS;
    }
    /* The others are not needed for this. */
    round_ = ROUNDS;
    alone();
    int closed = MPI_File_close(&f);
    CHECK(f == MPI_FILE_NULL);
    int is_told = 0;
    if (closed != MPI_SUCCESS)
        MPI_Error_class(closed, &is_told);
    CHECK(closed == MPI_SUCCESS || is_told == GONE);
    EQUAL(MPI_File_open(MPI_COMM_SELF, "deaths", MPI_MODE_RDWR, MPI_INFO_NULL, &f), MPI_SUCCESS);
    EQUAL(MPI_File_write_at_all(f, 7, data, 5, MPI_BYTE, &status), MPI_SUCCESS);
    EQUAL(MPI_File_close(&f), MPI_SUCCESS);
    if (met) {
        MPI_Error_class(code, &is_told);
        EQUAL(is_told, GONE);
    }
    printf("%s: %s, %s\n", call->name, met ? "met a death" : "all rounds", "goes on");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
