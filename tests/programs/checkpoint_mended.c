/* Writes checkpoints to disk, and restores them out of files some of which are lost: whatever comes
 * back is compared with what it was, of this rank and of those whose data are in its care.
 *
 *     checkpoint_mended DIRECTORY SCHEME WRITERS KEEPERS save COUNT
 *     checkpoint_mended DIRECTORY SCHEME WRITERS KEEPERS load|load_and_save
 *     checkpoint_mended DIRECTORY SCHEME WRITERS KEEPERS dies RANK
 *     checkpoint_mended DIRECTORY SCHEME WRITERS KEEPERS lose RANK RANK PLACE
 *     checkpoint_mended DIRECTORY SCHEME WRITERS KEEPERS walk RANK STEP
 *
 * WRITERS ranks write, the last KEEPERS of them nothing but codes. `load` restores once; with
 * `dies`, that rank dies afterwards, and memory gives its data back. With `lose`, two ranks die
 * when two checkpoints are written, and the file of a place is lost. `walk` changes each STEP-th
 * byte of a file, then cuts the file there, and restores each time. MENDED_SALT changes all data,
 * as another job's; MENDED_NODES has a digit for the node of each rank.
 */
#include <mpi.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ftmpi.h"

enum { MOST = 100, FILE_BYTES = 1 << 16 };

struct data {
    double doubles[MOST];
    int ints[MOST];
    char chars[MOST];
};

static struct data mine, theirs, expected;
static const char *directory, *scheme;
static int rank, workers, salt;
static FTCK ck;

static int doubles(int who) { return 20 + 3 * (who % 5); }
static int ints(int who) { return 5 + who % 7; }
static int chars(int who) { return 1 + who % 3; }

static void fill(struct data *data, int who, int version)
{
    for (int i = 0; i < MOST; i++) {
        data->doubles[i] = sin(1 + 100 * who + i + 1000.0 * version + salt);
        data->ints[i] = 7919 * who + 31 * i + 65537 * version + salt;
        data->chars[i] = (char)(who + i + version + salt);
    }
}

/* Sums of doubles may be rounded; all else is what it was, bit by bit. */
static int is_right(const struct data *data, int who, int version)
{
    int is_exact = strncmp(scheme, "sum", 3) != 0 && strncmp(scheme, "weighted", 8) != 0;
    fill(&expected, who, version);
    for (int i = 0; i < doubles(who); i++) {
        double error = fabs(data->doubles[i] - expected.doubles[i]);
        if (!(error <= (is_exact ? 0 : 1e-9)))
            return 0;
    }
    return memcmp(data->ints, expected.ints, ints(who) * sizeof(int)) == 0 &&
           memcmp(data->chars, expected.chars, chars(who)) == 0;
}

static void open_checkpoint(void)
{
    if (FTCK_Create(MPI_COMM_WORLD, scheme, &ck) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank < workers) {
        FTCK_Register(ck, 4, mine.doubles, doubles(rank), MPI_DOUBLE);
        FTCK_Register(ck, 1, mine.ints, ints(rank), MPI_INT);
        FTCK_Register(ck, 9, mine.chars, chars(rank), MPI_CHAR);
    }
    FTCK_Set_disk(ck, directory, 1);
    if (getenv("MENDED_NODES"))
        FTCK_Set_node(ck, getenv("MENDED_NODES")[rank] - '0');
}

static void recover(void)
{
    MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
    while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
        repaired = FT_MPI_CHECK_RECOVER;
    MPI_Comm_free(&repaired);
}

/* The version that all is right of; 0: not all is; or what there is instead, which is told. */
static int restore(int *others)
{
    int version = -7, code, ranks[MOST], length;
    char words[MPI_MAX_ERROR_STRING];
    memset(&mine, 0x55, sizeof mine);
    while ((code = FTCK_Restore(ck, &version)) != MPI_SUCCESS) {
        if (code == FTCK_ERR_LOST || code == MPI_ERR_ARG) {
            MPI_Error_string(code, words, &length);
            printf("error %d: %s\n", code, words);
            return -1;
        }
        recover();
    }
    if (version == FTCK_NONE) {
        printf("rank %d: nothing is there\n", rank);
        return -1;
    }
    if (rank < workers && !is_right(&mine, rank, version))
        return 0;
    FTCK_Orphans(ck, MOST, ranks, others);
    for (int i = 0; i < *others; i++) {
        int who = ranks[i];
        FTCK_Adopt(ck, who, 4, theirs.doubles, doubles(who), MPI_DOUBLE);
        FTCK_Adopt(ck, who, 1, theirs.ints, ints(who), MPI_INT);
        FTCK_Adopt(ck, who, 9, theirs.chars, chars(who), MPI_CHAR);
        if (!is_right(&theirs, who, version))
            return 0;
    }
    return version;
}

static void save(int first, int last)
{
    for (int version = first; version <= last; version++) {
        fill(&mine, rank, version);
        int code = FTCK_Checkpoint(ck, version);
        if (code != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 5);
        if (rank == 0) {
            printf("version %d is written\n", version);
            fflush(stdout);
        }
    }
}

static void load(void)
{
    int others = 0, version = restore(&others);
    if (version >= 0)
        printf("rank %d: version %d is %s, with %d others\n", rank, version,
               version > 0 ? "right" : "wrong", others);
    fflush(stdout);
}

static int contents(const char *path, char *bytes)
{
    int file = open(path, O_RDONLY), length = (int)pread(file, bytes, FILE_BYTES, 0);
    close(file);
    return length;
}

static void put(const char *path, const char *bytes, int length)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (pwrite(file, bytes, length, 0) != length)
        MPI_Abort(MPI_COMM_WORLD, 6);
    close(file);
}

/* Whether the file that all have restored from without is there again, and the same. */
static void walk(int victim, int step)
{
    static char path[4096], whole[FILE_BYTES], bytes[FILE_BYTES];
    int length = 0, tried = 0, wrong = 0;
    snprintf(path, sizeof path, "%s/rank-%d.b", directory, victim);
    if (rank == 0)
        length = contents(path, whole);
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int is_sum = strncmp(scheme, "sum", 3) == 0 || strncmp(scheme, "weighted", 8) == 0;
    for (int way = 0; way < 2; way++)
        for (int at = 0; at < length; at += step, tried++) {
            if (rank == 0) {
                memcpy(bytes, whole, length);
                bytes[at] ^= 1 << at % 8;
                put(path, bytes, way == 0 ? length : at);
            }
            MPI_Barrier(MPI_COMM_WORLD);
            open_checkpoint();
            int others = 0, mended = restore(&others) == 2;
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0) {
                int again = contents(path, bytes);
                mended &= again == length && (is_sum || memcmp(bytes, whole, length) == 0);
                put(path, whole, length);
            }
            if (!mended && wrong++ < 3)
                printf("rank %d: %s byte %d of %d\n", rank, way ? "cut at" : "changed", at, length);
            FTCK_Free(&ck);
        }
    printf("rank %d: %d ways, %d wrong\n", rank, tried, wrong);
}

/* Two die, which is more than memory makes up for, and a file is gone. */
static void lose(int first, int second, int place)
{
    char path[4096];
    int now;
    if (ftmpi_incarnation() == 0) {
        save(1, 2);
        if (rank == first || rank == second)
            raise(SIGKILL);
        while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            ;
        recover();
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &now);
    snprintf(path, sizeof path, "%s/rank-%d.b", directory, place);
    while (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
        recover();
    if (now == 0)
        unlink(path);
    MPI_Barrier(MPI_COMM_WORLD);
    load();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    directory = argv[1], scheme = argv[2];
    workers = atoi(argv[3]) - atoi(argv[4]);
    salt = getenv("MENDED_SALT") ? atoi(getenv("MENDED_SALT")) : 0;
    const char *what = argv[5];
    if (strcmp(what, "walk") == 0) {
        walk(atoi(argv[6]), atoi(argv[7]));
        return MPI_Finalize();
    }
    open_checkpoint();
    if (strcmp(what, "save") == 0)
        save(1, atoi(argv[6]));
    if (strcmp(what, "load") == 0 || strcmp(what, "load_and_save") == 0)
        load();
    if (strcmp(what, "load_and_save") == 0)
        save(7, 7);
    if (strcmp(what, "lose") == 0)
        lose(atoi(argv[6]), atoi(argv[7]), atoi(argv[8]));
    if (strcmp(what, "dies") == 0) {
        if (ftmpi_incarnation() == 0) {
            load();
            if (rank == atoi(argv[6]))
                raise(SIGKILL);
            while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
                ;
            recover();
        }
        load();
    }
    FTCK_Free(&ck);
    return MPI_Finalize();
}
