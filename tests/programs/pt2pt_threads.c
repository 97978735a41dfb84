/* Threads of every rank talk to their twins on the other ranks, all at once, on tags of their own:
 * blocking, nonblocking, with probes and wildcards. */
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 200, MOST = 40000 };

static void talk(int tag, int right, int left, unsigned *seed)
{
    static __thread char out[MOST], in[MOST];
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Message message;
    int bytes = (int)(rand_r(seed) % MOST), salt = tag + rank;
    fill(out, bytes, salt);
    switch (rand_r(seed) % 3) {
    case 0:
        MPI_Sendrecv(out, bytes, MPI_CHAR, right, tag, in, MOST, MPI_CHAR, left, tag,
                     MPI_COMM_WORLD, &status);
        break;
    case 1:
        MPI_Irecv(in, MOST, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Issend(out, bytes, MPI_CHAR, right, tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], &status);
        break;
    default:
        MPI_Isend(out, bytes, MPI_CHAR, right, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(in, MOST, MPI_CHAR, &message, &status);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    EQUAL(status.MPI_SOURCE, left);
    expect(in, count_of(&status), tag + left);
}

static void *work(void *number)
{
    int tag = (int)(size_t)number;
    unsigned seed = (unsigned)(tag * 1000 + rank);
    for (int round = 0; round < ROUNDS; round++)
        talk(tag, (rank + 1) % size, (rank + size - 1) % size, &seed);
    return NULL;
}

static void side_by_side(void)
{
    pthread_t threads[THREADS];
    for (size_t i = 1; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    work(NULL);
    for (int i = 1; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* One thread waits for what another thread of the same rank sends. */
static void *answer(void *nothing)
{
    char word[8];
    for (int i = 0; i < 1000; i++) {
        MPI_Recv(word, 8, MPI_CHAR, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(word, 8, MPI_CHAR, rank, 2, MPI_COMM_WORLD);
    }
    return nothing;
}

static void with_itself(void)
{
    pthread_t thread;
    char word[8] = "abcdefg";
    pthread_create(&thread, NULL, answer, NULL);
    for (int i = 0; i < 1000; i++) {
        MPI_Ssend(word, 8, MPI_CHAR, rank, 1, MPI_COMM_WORLD);
        MPI_Recv(word, 8, MPI_CHAR, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    static const struct test TESTS[] = {
        {"side-by-side", side_by_side},
        {"with-itself", with_itself},
        {NULL, NULL},
    };
    return run_test(argc, argv, TESTS);
}
