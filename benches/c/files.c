/* Files: `files write|read contiguous|interleaved|alone` or `files shared`. Rank 0 prints one number:
 * GB/s of all ranks together, or million accesses a second. The file is in /dev/shm, so the disk does
 * not count. A rank moves 64 MB in all, 16 MB a call; interleaved: every rank has each size-th 4 KB.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCHES = 7, BLOCK = 4096, TIMES = 4 };

static int rank, size;
static MPI_File f;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

/* With many ranks each has less, so that all of it fits into memory. */
static int bytes_of_call(void)
{
    return size > 16 ? 1 << 20 : 16 << 20;
}

static double bandwidth(int is_write, int is_interleaved, int is_alone)
{
    int bytes = bytes_of_call();
    char *data = malloc(bytes);
    memset(data, rank, bytes);
    MPI_Datatype block, filetype;
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint)BLOCK * size, &filetype);
    MPI_Type_commit(&filetype);
    MPI_Offset start = is_interleaved ? (MPI_Offset)BLOCK * rank
                                      : (MPI_Offset)bytes * TIMES * rank;
    MPI_File_set_view(f, start, MPI_BYTE, is_interleaved ? filetype : MPI_BYTE, "native",
                      MPI_INFO_NULL);
    double took[BATCHES];
    for (int batch = -2; batch < BATCHES; batch++) {
        MPI_File_seek(f, 0, MPI_SEEK_SET);
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        for (int i = 0; i < TIMES; i++) {
            /* What is read was written before. */
            if (is_write || batch == -2)
                is_alone ? MPI_File_write(f, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE)
                         : MPI_File_write_all(f, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
            else
                is_alone ? MPI_File_read(f, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE)
                         : MPI_File_read_all(f, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (batch >= 0)
            took[batch] = MPI_Wtime() - begin;
    }
    free(data);
    return 1e-9 * bytes * TIMES * size / median(took, BATCHES);
}

static double shared(void)
{
    enum { ACCESSES = 500 };
    char data[64] = "";
    double took[BATCHES];
    for (int batch = -2; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        for (int i = 0; i < ACCESSES; i++)
            MPI_File_write_shared(f, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (batch >= 0)
            took[batch] = MPI_Wtime() - begin;
    }
    return 1e-6 * ACCESSES * size / median(took, BATCHES);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char name[64];
    long number = getpid();
    MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/dev/shm/files-%ld", number);
    if (MPI_File_open(MPI_COMM_WORLD, name,
                      MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f))
        MPI_Abort(MPI_COMM_WORLD, 1);
    double result = argc < 3 ? shared()
                             : bandwidth(!strcmp(argv[1], "write"), !!strcmp(argv[2], "contiguous"),
                                         !strcmp(argv[2], "alone"));
    MPI_File_close(&f);
    if (rank == 0)
        printf("%.6f\n", result);
    MPI_Finalize();
    return 0;
}
