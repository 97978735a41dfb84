/* Calls on a file that all have opened: a part of cell.c. */

/* From a header that would name other functions as calls are named here. */
int getpid(void);

enum { BYTES = 3000 };

static MPI_File file = MPI_FILE_NULL;
static unsigned char data[BYTES];
static MPI_Status status;

static const char *file_name(void)
{
    static char name[32];
    snprintf(name, sizeof name, "cell.%d", getpid());
    return name;
}

static void remove_file(void)
{
    remove(file_name());
}

static int file_open(void)
{
    return MPI_File_open(world, file_name(), MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
}

/* A call on a file that everybody has opened, after others of its kind have filled it. */
#define ON_FILE(name, call)                                                                        \
    static int file_##name(void)                                                                   \
    {                                                                                              \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        MPI_Offset at = rank * BYTES;                                                              \
        int code = ready(file_open());                                                             \
        (void)request, (void)at;                                                                   \
        remove_file();                                                                             \
        code = either(code, call);                                                                 \
        return code;                                                                               \
    }

/* The blocking and the nonblocking form. */
#define TWO(name, ...)                                                                             \
    ON_FILE(name, MPI_File_##name(__VA_ARGS__, data, BYTES, MPI_BYTE, &status))                    \
    ON_FILE(i##name,                                                                               \
            of(&request, MPI_File_i##name(__VA_ARGS__, data, BYTES, MPI_BYTE, &request)))

/* The form that begins and ends. */
#define SPLIT(name, ...)                                                                           \
    static int name##_end(int begun)                                                               \
    {                                                                                              \
        int ended = MPI_File_##name##_end(file, data, &status);                                    \
        return either(begun, ended);                                                               \
    }                                                                                              \
    ON_FILE(name##_begin,                                                                          \
            name##_end(MPI_File_##name##_begin(__VA_ARGS__, data, BYTES, MPI_BYTE)))

#define ACCESSES(way)                                                                              \
    TWO(way, file)                                                                                 \
    TWO(way##_at, file, at)                                                                        \
    TWO(way##_shared, file)                                                                        \
    TWO(way##_all, file)                                                                           \
    TWO(way##_at_all, file, at)                                                                    \
    ON_FILE(way##_ordered, MPI_File_##way##_ordered(file, data, BYTES, MPI_BYTE, &status))         \
    SPLIT(way##_all, file)                                                                         \
    SPLIT(way##_at_all, file, at)                                                                  \
    SPLIT(way##_ordered, file)

ACCESSES(write)
ACCESSES(read)
ON_FILE(close, MPI_File_close(&file))

/* Views of short blocks in turn, so that some carry the data of all. */
static int interleave(void)
{
    MPI_Datatype filetype;
    MPI_Type_create_resized(MPI_INT, 0, size * (MPI_Aint)sizeof(int), &filetype);
    MPI_Type_commit(&filetype);
    int viewed = MPI_File_set_view(file, rank * sizeof(int), MPI_INT, filetype, "native",
                                   MPI_INFO_NULL);
    int written = MPI_File_write_all(file, out, 700, MPI_INT, &status);
    int code = either(viewed, written);
    int back = MPI_File_read_at_all(file, 0, in, 700, MPI_INT, &status);
    code = either(code, back);
    for (int i = 0; code == MPI_SUCCESS && i < 700; i++)
        EQUAL(in[i], out[i]);
    return code;
}

ON_FILE(set_view, MPI_File_set_view(file, 8 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL))
ON_FILE(set_size, MPI_File_set_size(file, 5 * BYTES))
ON_FILE(preallocate, MPI_File_preallocate(file, 5 * BYTES))
ON_FILE(set_info, MPI_File_set_info(file, MPI_INFO_NULL))
ON_FILE(set_atomicity, MPI_File_set_atomicity(file, 1))
ON_FILE(sync, MPI_File_sync(file))
ON_FILE(seek_shared, MPI_File_seek_shared(file, BYTES, MPI_SEEK_SET))
ON_FILE(interleaved, interleave())

#define WAYS(way)                                                                                  \
    CASE(file_##way), CASE(file_i##way), CASE(file_##way##_at), CASE(file_i##way##_at),            \
        CASE(file_##way##_shared), CASE(file_i##way##_shared), CASE(file_##way##_all),             \
        CASE(file_i##way##_all), CASE(file_##way##_at_all), CASE(file_i##way##_at_all),            \
        CASE(file_##way##_ordered), CASE(file_##way##_all_begin), CASE(file_##way##_at_all_begin), \
        CASE(file_##way##_ordered_begin)
#define FILE_CASES                                                                                 \
    CASE(file_open), WAYS(write), WAYS(read), CASE(file_close), CASE(file_set_view),               \
        CASE(file_set_size), CASE(file_preallocate), CASE(file_set_info),                          \
        CASE(file_set_atomicity), CASE(file_sync), CASE(file_seek_shared), CASE(file_interleaved)
