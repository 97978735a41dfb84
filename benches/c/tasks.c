/* A task queue: `tasks NUMBERS` prints the microseconds of a task, that is, of counting the primes
 * among so many numbers. Rank 0 hands tasks to whichever rank asks first; tasks differ in length. */
#include "app.h"

enum { LAST = 1 << 16, PRIMES = 6542, RESULT = 1, TASK = 2, STOP = 3 };

static int numbers;

static int count_primes(int first)
{
    int count = 0;
    for (int n = first; n < first + numbers && n < LAST; n++) {
        int divisor = 2;
        while (divisor * divisor <= n && n % divisor)
            divisor++;
        count += n > 1 && divisor * divisor > n;
    }
    return count;
}

static void hand_out(void)
{
    int next = 0, busy = 0, primes = 0;
    for (int worker = 1; worker < size && next < LAST; worker++, busy++, next += numbers)
        MPI_Send(&next, 1, MPI_INT, worker, TASK, MPI_COMM_WORLD);
    while (busy > 0) {
        MPI_Status status;
        int found;
        MPI_Recv(&found, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        primes += found;
        if (next < LAST)
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
        else
            busy--;
        next += numbers;
    }
    for (int worker = 1; worker < size; worker++)
        MPI_Send(NULL, 0, MPI_INT, worker, STOP, MPI_COMM_WORLD);
    expect(primes == PRIMES, "there are 6542 primes below 65536");
}

static void work(void)
{
    for (;;) {
        MPI_Status status;
        int first;
        MPI_Recv(&first, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        int found = count_primes(first);
        MPI_Send(&found, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
    }
}

static void step(void)
{
    if (rank == 0)
        hand_out();
    else
        work();
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    numbers = argc > 1 ? atoi(argv[1]) : 32;
    expect(size > 1, "somebody works");
    double took = time_steps(step, 3);
    end(took * numbers / LAST);
    return 0;
}
