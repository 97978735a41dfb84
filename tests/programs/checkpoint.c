/* A computation whose result depends on every step of every rank, under checkpoints of any scheme:
 * whoever dies, and whenever, it ends with the same numbers, or all are told that data are lost.
 *
 *     checkpoint SCHEME STEPS INTERVAL KEEPERS COUNT [RANK@STEP]... [async|careless]
 *
 * `async` takes checkpoints beside the computation; `careless`, too, but after a failure does not
 * wait for the one that was under way.
 */
#include <mpi.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftmpi.h"

enum { DYING = 77 };

static int rank, size, workers, steps, interval, count, is_exact, is_async, is_careless;
static int step, lives;
static double *x;
static int *bits;
static FTCK ck;

static void begin(void)
{
    step = 0;
    for (int i = 0; i < count; i++) {
        x[i] = sin(1.0 + rank + 0.001 * i);
        bits[i] = rank * 7919 + i;
    }
}

static int save(MPI_Request *request)
{
    if (!is_async)
        return FTCK_Checkpoint(ck, step);
    int code = *request == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Wait(request, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? FTCK_Icheckpoint(ck, step, request) : code;
}

static int is_to_die(const char *victim, int *who)
{
    int when;
    return sscanf(victim, "%d@%d", who, &when) == 2 && lives == 0 && when == step;
}

/* Those who are to die in this step tell each other that they have come so far: otherwise one might
 * hear of another's death in the step before, and not die. */
static void await_fellows(int victims, char **victim)
{
    int who, word = step;
    for (int which = 0; which < victims; which++)
        if (is_to_die(victim[which], &who) && who != rank)
            MPI_Send(&word, 1, MPI_INT, who, DYING, MPI_COMM_WORLD);
    for (int which = 0; which < victims; which++)
        if (is_to_die(victim[which], &who) && who != rank)
            MPI_Recv(&word, 1, MPI_INT, who, DYING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Every number depends on the sums of all ranks before. */
static int compute(int victims, char **victim)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;
    for (; step < steps && code == MPI_SUCCESS; step++) {
        if (step % interval == 0 && (code = save(&request)) != MPI_SUCCESS)
            break;
        for (int which = 0; which < victims; which++) {
            int who;
            if (is_to_die(victim[which], &who) && who == rank) {
                await_fellows(victims, victim);
                raise(SIGKILL);
            }
        }
        double mine = 0, all = 0;
        long some = 0, every = 0;
        for (int i = 0; rank < workers && i < count; i++) {
            mine += x[i];
            some += bits[i];
        }
        code = MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS)
            code = MPI_Allreduce(&some, &every, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (code != MPI_SUCCESS)
            break;
        for (int i = 0; i < count; i++) {
            x[i] = cos(x[i] + all / (workers * count) + i);
            bits[i] = (int)((bits[i] * 31L + every) % 1000003);
        }
    }
    if (request != MPI_REQUEST_NULL && (code == MPI_SUCCESS || !is_careless)) {
        int ended = MPI_Wait(&request, MPI_STATUS_IGNORE);
        code = code == MPI_SUCCESS ? ended : code;
    }
    return code;
}

static void recover(void)
{
    MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
    while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
        repaired = FT_MPI_CHECK_RECOVER;
    MPI_Comm_free(&repaired);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    lives = ftmpi_incarnation();
    steps = atoi(argv[2]);
    interval = atoi(argv[3]);
    workers = size - atoi(argv[4]);
    count = atoi(argv[5]);
    is_exact = strncmp(argv[1], "sum", 3) != 0 && strncmp(argv[1], "weighted", 8) != 0;
    is_careless = strcmp(argv[argc - 1], "careless") == 0;
    is_async = is_careless || strcmp(argv[argc - 1], "async") == 0;
    x = malloc(count * sizeof *x);
    bits = malloc(count * sizeof *bits);
    if (FTCK_Create(MPI_COMM_WORLD, argv[1], &ck) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    /* Otherwise each process counts as a node. */
    if (getenv("EACH_A_NODE"))
        FTCK_Set_node(ck, rank);
    /* A directory, and every how many checkpoints it is used. */
    if (getenv("CHECKPOINT_DISK"))
        FTCK_Set_disk(ck, getenv("CHECKPOINT_DISK"), atoi(getenv("CHECKPOINT_EVERY")));
    if (rank < workers) {
        FTCK_Register(ck, 2, x, count, MPI_DOUBLE);
        FTCK_Register(ck, 1, &step, 1, MPI_INT);
        FTCK_Register_c(ck, 7, bits, count, MPI_INT);
    }
    int restored = 0;
    for (;;) {
        int version = -7;
        int code = FTCK_Restore(ck, &version);
        if (code == FTCK_ERR_LOST) {
            char words[MPI_MAX_ERROR_STRING];
            int length;
            MPI_Error_string(code, words, &length);
            printf("rank %d is told: %s\n", rank, words);
            fflush(stdout);
            MPI_Finalize();
            return 0;
        }
        if (code == MPI_SUCCESS) {
            if (version == FTCK_NONE)
                begin();
            else if (rank < workers && version != step)
                MPI_Abort(MPI_COMM_WORLD, 4);
            step = version == FTCK_NONE ? 0 : version;
            restored += version != FTCK_NONE;
            if (version != FTCK_NONE) {
                int known, failures, digits;
                FTCK_Status(ck, &known, &failures, &digits);
                /* Others may have died meanwhile: not more than may. */
                if (known != version || failures < 0 || (is_exact && digits != 0))
                    MPI_Abort(MPI_COMM_WORLD, 5);
            }
            code = compute(argc - 6, argv + 6);
        }
        double mine = 0, all = 0;
        long some = 0, every = 0;
        for (int i = 0; rank < workers && i < count; i++) {
            mine += x[i];
            some += bits[i];
        }
        if (code == MPI_SUCCESS)
            code = MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS)
            code = MPI_Allreduce(&some, &every, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (code == MPI_SUCCESS) {
            if (rank == 0)
                printf("%.*g %ld\n", is_exact ? 17 : 9, all, every);
            break;
        }
        if (code != MPI_ERR_OTHER)
            MPI_Abort(MPI_COMM_WORLD, 6);
        recover();
    }
    FTCK_Free(&ck);
    free(x);
    free(bits);
    return MPI_Finalize() != MPI_SUCCESS || ck != FTCK_NULL;
}
