/* Ranks die and the others recover, again and again; what they compute stays right all the time.
 *
 * endure MODE ROUNDS VICTIMS SEED: in each round so many ranks die (0: one to three, by chance).
 * Under `rebuild` a replacement gets its numbers back from its neighbour; under `shrink` the ranks
 * that are left go on until there is one. `abort`: a survivor ends the job amid a recovery. */
#include "check.h"
#include "ftmpi.h"
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#define NUMBERS 64
#define MOST 256

static int seats, rounds, victims;
static long threads_at_start = -1; /* known to those who were there */
static uint64_t seed;
static const char *mode;
static uint64_t own[NUMBERS], copy[NUMBERS];
static int origin;     /* the rank in the job whose numbers these are */
static int done;       /* rounds that the numbers have gone through; -1: none yet */

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* What number `i` of `who` is after so many rounds. */
static uint64_t number(int who, int i, int round)
{
    return mix(seed ^ mix((uint64_t)who << 40 ^ (uint64_t)i << 32 ^ (uint64_t)round));
}

static void make(uint64_t *numbers, int who, int round)
{
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = number(who, i, round);
}

static uint64_t sum_of(const uint64_t *numbers)
{
    uint64_t sum = 0;
    for (int i = 0; i < NUMBERS; i++)
        sum += mix(numbers[i]);
    return sum;
}

/* Whether the rank with this place dies at the end of the round. At least one lives on. */
static int is_doomed(int place, int round)
{
    int count = victims > 0 ? victims : 1 + (int)(mix(seed + 7 * (uint64_t)round) % 3);
    if (count > size - 1)
        count = size - 1;
    int first = (int)(mix(seed ^ (uint64_t)round << 20) % (uint64_t)size);
    /* A stride that has no factor in common with most sizes: neighbours, too, die together. */
    for (int i = 0; i < count; i++)
        if ((first + i) % size == place)
            return 1;
    return 0;
}

static long count_in(const char *path)
{
    long count = 0;
    DIR *directory = opendir(path);
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

/* How many threads there are; two of the entries are directories. */
static long threads(void)
{
    return count_in("/proc/self/task") - 2;
}

/* Waits until those who have died are cleared up: until there are no more threads than those of
 * ranks and the library's own. For as long as a thread may take that is stopped meanwhile. Where
 * ranks are fibers, there are few threads from the beginning. */
static void settle(void)
{
    enum { OWN = 2, PATIENCE = 60 };
    double begun = MPI_Wtime();
    int is_of_fibers = threads_at_start > 0 && threads_at_start < seats;
    long allowed = is_of_fibers ? threads_at_start + 1 : size + OWN;
    while (threads() > allowed && MPI_Wtime() - begun < PATIENCE)
        usleep(1000);
}

/* What the process holds: kilobytes in memory, threads, mappings, files. */
static void tell(void)
{
    settle();
    char line[512];
    long resident = 0, mappings = 0;
    FILE *status = fopen("/proc/self/status", "r"), *maps = fopen("/proc/self/maps", "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "VmRSS: %ld", &resident);
    for (int c; maps && (c = fgetc(maps)) != EOF;)
        mappings += c == '\n';
    if (status)
        fclose(status);
    if (maps)
        fclose(maps);
    printf("after %d rounds: %ld kB, %ld threads, %ld mappings, %ld files\n", done, resident,
           count_in("/proc/self/task"), mappings, count_in("/proc/self/fd"));
    fflush(stdout);
}

/* All who live recover. */
static void restore(void)
{
    MPI_Comm again;
    int code;
    while ((code = MPI_Comm_dup(MPI_COMM_WORLD, &again)) == MPI_ERR_OTHER)
        ;
    EQUAL(code, MPI_SUCCESS);
    MPI_Comm_free(&again);
}

/* After a recovery, or at the beginning: everybody is at the same round. Whoever is new gets its
 * numbers from its right neighbour, and makes them anew where that is new, too. */
static int join(void)
{
    int most, code, is_here = done >= 0, is_left_here, is_right_here;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    code = MPI_Allreduce(&done, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS)
        return code;
    /* All are here. */
    if (threads_at_start == 0)
        threads_at_start = threads();
    if (is_here)
        EQUAL(done, most);
    if (strcmp(mode, "rebuild") != 0)
        return MPI_SUCCESS;
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    code = MPI_Sendrecv(&is_here, 1, MPI_INT, left, 1, &is_right_here, 1, MPI_INT, right, 1,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
        code = MPI_Sendrecv(&is_here, 1, MPI_INT, right, 2, &is_left_here, 1, MPI_INT, left, 2,
                            MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && is_here && !is_left_here)
        code = MPI_Send(copy, NUMBERS, MPI_UINT64_T, left, 3, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS && !is_here && is_right_here)
        code = MPI_Recv(own, NUMBERS, MPI_UINT64_T, right, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (!is_here)
        make(own, origin, most);
    if (code == MPI_SUCCESS)
        done = most;
    return code;
}

/* One round: new numbers, a copy for the right neighbour, and a sum that everybody knows. */
static int compute(void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, origins[MOST], code;
    for (int i = 0; i < NUMBERS; i++)
        EQUAL(own[i] == number(origin, i, done), 1);
    make(own, origin, ++done);
    code = MPI_Sendrecv(own, NUMBERS, MPI_UINT64_T, right, 4, copy, NUMBERS, MPI_UINT64_T, left, 4,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
        code = MPI_Allgather(&origin, 1, MPI_INT, origins, 1, MPI_INT, MPI_COMM_WORLD);
    uint64_t mine = sum_of(own), sum, wanted = 0;
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS)
        return code;
    for (int i = 0; i < size; i++) {
        uint64_t numbers[NUMBERS];
        make(numbers, origins[i], done);
        wanted += sum_of(numbers);
    }
    EQUAL(sum == wanted, 1);
    return code;
}

int main(int argc, char **argv)
{
    int code = MPI_Init(&argc, &argv), is_fresh = code != MPI_SUCCESS;
    mode = argv[1];
    rounds = atoi(argv[2]);
    victims = atoi(argv[3]);
    seed = mix((uint64_t)atoi(argv[4]));
    origin = rank = ftmpi_rank_in_job();
    MPI_Comm_size(MPI_COMM_WORLD, &seats);
    CHECK(seats <= MOST);
    size = seats;
    done = is_fresh ? -1 : 0;
    threads_at_start = is_fresh ? -1 : 0;
    make(own, origin, 0);
    int is_done = 0, told = -1;
    for (code = is_fresh ? MPI_SUCCESS : join(); !is_done;) {
        if (code == MPI_SUCCESS && is_fresh)
            code = join();
        is_fresh = 0;
        is_done = done >= rounds || size == 1;
        if (code == MPI_SUCCESS && !is_done) {
            /* A reading at each third of the way, before anybody dies. */
            if (rank == 0 && done > 0 && done != told && done % ((rounds + 2) / 3) == 0)
                tell(), told = done;
            code = compute();
            /* Whoever has not finished the sum because another was faster dies, too. */
            if (is_doomed(rank, done))
                raise(SIGKILL);
            while (code == MPI_SUCCESS)
                code = MPI_Barrier(MPI_COMM_WORLD);
        }
        if (is_done && code == MPI_SUCCESS)
            break;
        EQUAL(code, MPI_ERR_OTHER);
        is_done = 0;
        if (strcmp(mode, "abort") == 0 && is_doomed((rank + size - 1) % size, done))
            MPI_Abort(MPI_COMM_WORLD, 33);
        restore();
        code = join();
    }
    if (rank == 0) {
        if (done != told)
            tell();
        printf("done: %d rounds, %d of %d ranks\n", done, size, seats);
    }
    MPI_Finalize();
    return 0;
}
