/* Restarted ranks: each rank keeps a copy of what its left neighbour had at the last checkpoint. A
 * rank that dies is started again and gets its state from its right neighbour; all go back to that
 * checkpoint together. The result is the same with failures as without.
 *
 *     ftrun -np 6 ./rebuild 100 2@31 0@74     (rank 2 dies in step 31, rank 0 in step 74)
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { INTERVAL = 10, NOTHING = -1 };

static int rank, size, restarted, steps, victims, *victim, *fatal_step;
static int step, committed = NOTHING, has_state = 1;
static long value;
/* The last two checkpoints: one may be under way while the one before still counts. */
static struct { long own, left; } saved[2];

static int checkpoint(void)
{
    int slot = step / INTERVAL % 2, right = (rank + 1) % size, left = (rank + size - 1) % size;
    int reached = step, least;
    saved[slot].own = value;
    int code = MPI_Sendrecv(&value, 1, MPI_LONG, right, 0, &saved[slot].left, 1, MPI_LONG, left, 0,
                            MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(&reached, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS)
        committed = least;
    /* Until here a restarted rank had nothing that its left neighbour could get back from it. */
    if (code == MPI_SUCCESS)
        has_state = 1;
    return code;
}

/* All go back to the last checkpoint that anybody knows to be complete. */
static int restore(void)
{
    int *states = malloc(size * sizeof *states), latest;
    int code = MPI_Allreduce(&committed, &latest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS)
        code = MPI_Allgather(&has_state, 1, MPI_INT, states, 1, MPI_INT, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS && latest == NOTHING) {
        value = rank + 1;
        step = 0;
    } else if (code == MPI_SUCCESS) {
        int slot = latest / INTERVAL % 2;
        int right = (rank + 1) % size, left = (rank + size - 1) % size;
        for (int other = 0; other < size; other++)
            if (!states[other] && !states[(other + 1) % size])
                MPI_Abort(MPI_COMM_WORLD, 4); /* two neighbours at once: the state is lost */
        if (!states[left])
            code = MPI_Send(&saved[slot].left, 1, MPI_LONG, left, 1, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS && !has_state)
            code = MPI_Recv(&saved[slot].own, 1, MPI_LONG, right, 1, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE);
        value = saved[slot].own;
        step = latest;
    }
    free(states);
    return code == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : code;
}

static int compute(void)
{
    int code = MPI_SUCCESS;
    for (; step < steps && code == MPI_SUCCESS; step++) {
        long total;
        if (step % INTERVAL == 0 && (code = checkpoint()) != MPI_SUCCESS)
            break;
        for (int which = 0; which < victims; which++)
            if (!restarted && victim[which] == rank && fatal_step[which] == step)
                raise(SIGKILL);
        code = MPI_Allreduce(&value, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        value = (3 * value + total + rank) % 1000003;
    }
    return code;
}

int main(int argc, char **argv)
{
    int code = MPI_Init(&argc, &argv);
    restarted = code == MPI_INIT_RESTARTED_PROCS;
    has_state = !restarted;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    steps = argc > 1 ? atoi(argv[1]) : 100;
    victims = argc > 2 ? argc - 2 : 0;
    victim = calloc(argc, sizeof *victim);
    fatal_step = calloc(argc, sizeof *fatal_step);
    for (int which = 0; which < victims; which++)
        sscanf(argv[which + 2], "%d@%d", &victim[which], &fatal_step[which]);
    long total = 0;
    int lives = 0;
    for (;;) {
        code = restore();
        if (code == MPI_SUCCESS)
            code = compute();
        if (code == MPI_SUCCESS)
            code = MPI_Allreduce(&value, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS)
            code = MPI_Allreduce(&restarted, &lives, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS)
            break;
        if (code != MPI_ERR_OTHER)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
        while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
            repaired = FT_MPI_CHECK_RECOVER;
        MPI_Comm_free(&repaired);
    }
    if (rank == 0)
        printf("%d ranks, %d restarted, %d steps: %ld\n", size, lives, steps, total);
    free(victim);
    free(fatal_step);
    return MPI_Finalize();
}
