/* Ranks that have shown their memory to others die, and the others go on with windows.
 *
 * gaps: BLANK; rank 1 dies, and the living reach each other's memory by windows of every sort.
 * heaps: REBUILD; rank 1 has a window and dies of a block that it frees twice, seven times.
 * shared: ULFM; rank 0 dies while all make a window (by --kill), and that is why nobody gets it.
 * left: ULFM; rank 1 dies, and rank 2 frees the window: whoever waits for rank 2 there is told. */
#include "check.h"
#include "ftmpi.h"
#include <signal.h>

static void recover(void)
{
    MPI_Comm again = FT_MPI_CHECK_RECOVER;
    while (MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
        again = FT_MPI_CHECK_RECOVER;
}

/* Waits for a death. */
static void outlive(void)
{
    int one = 1, sum;
    while (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS)
        ;
}

static MPI_Win window(int sort, int **mine)
{
    static int memory[2];
    const MPI_Aint bytes = sizeof memory;
    MPI_Win win;
    *mine = memory;
    if (sort == 0)
        EQUAL(MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win), 0);
    else if (sort == 1)
        EQUAL(MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, mine, &win), 0);
    else
        EQUAL(MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, mine, &win), 0);
    return win;
}

/* Each writes its rank and counts in the memory of each other one that lives. */
static void use(int sort, int dead)
{
    const int one = 1;
    int *mine, old, living = size - (dead >= 0);
    MPI_Win win = window(sort, &mine);
    mine[0] = mine[1] = 0;
    EQUAL(MPI_Win_fence(0, win), 0);
    for (int to = 0; to < size; to++)
        if (to != dead)
            EQUAL(MPI_Accumulate(&rank, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, win), 0);
    EQUAL(MPI_Win_fence(0, win), 0);
    EQUAL(mine[0], size * (size - 1) / 2 - (dead >= 0 ? dead : 0));
    EQUAL(MPI_Win_lock_all(0, win), 0);
    for (int to = 0; to < size; to++)
        if (to != dead)
            EQUAL(MPI_Fetch_and_op(&one, &old, MPI_INT, to, 1, MPI_SUM, win), 0);
    EQUAL(MPI_Win_unlock_all(win), 0);
    EQUAL(MPI_Barrier(MPI_COMM_WORLD), 0);
    EQUAL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win), 0);
    EQUAL(mine[1], living);
    EQUAL(MPI_Win_unlock(rank, win), 0);
    EQUAL(MPI_Win_free(&win), 0);
}

static void gaps(void)
{
    if (rank == 1)
        raise(SIGKILL);
    outlive();
    recover();
    for (int sort = 0; sort < 3; sort++)
        use(sort, 1);
    printf("rank %d is done\n", rank);
}

static void heaps(void)
{
    for (int life = ftmpi_incarnation(); life < 7; life++) {
        use(1, -1);
        if (rank == 1) {
            void *volatile block = malloc(1000);
            free(block);
            free(block);
            FAIL("outlived that");
        }
        outlive();
        recover();
    }
    use(1, -1);
    printf("rank %d is done\n", rank);
}

static void left(void)
{
    int *mine, number = 1, flag = 0, other = 2;
    MPI_Group all, two;
    MPI_Win wins[3];
    for (int sort = 0; sort < 3; sort++) {
        wins[sort] = window(sort, &mine);
        MPI_Win_set_errhandler(wins[sort], MPI_ERRORS_RETURN);
    }
    MPI_Win_get_group(wins[0], &all);
    MPI_Group_incl(all, 1, &other, &two);
    if (rank == 1)
        raise(SIGKILL);
    outlive();
    if (rank == 0) {
        /* Before rank 2 has left, and when nothing but that ends the wait. */
        EQUAL(MPI_Win_post(two, 0, wins[0]), 0);
        FAILS(MPI_Win_wait(wins[0]), MPIX_ERR_REVOKED, "");
        FAILS(MPI_Win_start(two, 0, wins[0]), MPIX_ERR_REVOKED, "");
        EQUAL(MPI_Win_post(two, 0, wins[0]), 0);
        FAILS(MPI_Win_test(wins[0], &flag), MPIX_ERR_REVOKED, "");
        for (int sort = 0; sort < 3; sort++) {
            /* Until it has left this one, too, both are as ever. */
            int code = MPI_SUCCESS;
            while (code == MPI_SUCCESS) {
                code = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, wins[sort]);
                if (code == MPI_SUCCESS) {
                    code = MPI_Put(&number, 1, MPI_INT, 2, 0, 1, MPI_INT, wins[sort]);
                    MPI_Win_unlock(2, wins[sort]);
                }
            }
            FAILS(code, MPIX_ERR_REVOKED, "");
        }
        /* Nobody ends this one: it ends with the window. */
        EQUAL(MPI_Win_post(two, 0, wins[0]), 0);
    }
    for (int sort = 0; sort < 3; sort++)
        EQUAL(MPI_Win_free(&wins[sort]), 0);
    printf("rank %d is done\n", rank);
}

static void shared(void)
{
    int *mine, class;
    MPI_Win win;
    int code = MPI_Win_allocate_shared(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Error_class(code, &class);
    if (code != MPI_SUCCESS)
        EQUAL(class, MPIX_ERR_PROC_FAILED);
    printf("rank %d is done\n", rank);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    void (*run)(void) = !strcmp(argv[1], "left")     ? left
                        : !strcmp(argv[1], "shared") ? shared
                        : !strcmp(argv[1], "gaps")   ? gaps
                                                     : heaps;
    run();
    MPI_Finalize();
    return 0;
}
