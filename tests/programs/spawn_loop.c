/* Spawns workers, talks to them and lets them end, many times in the same seats.
 *
 *     spawn_loop ROUNDS WORKERS            as often as that
 *     spawn_loop ROUNDS WORKERS deaths     in each round the last worker dies, in turn before,
 *                                          while and after it talks
 */
#include "dynamic.h"
#include "ftmpi.h"
#include <signal.h>

enum { BEFORE, DURING, AFTER, MOMENTS };

static int lives(int is_last, int moment, int now)
{
    if (is_last && moment == now)
        raise(SIGKILL);
    return 1;
}

static void work(MPI_Comm parent, int round, const char *how)
{
    int sum = 0, got, number, moment = round % MOMENTS, parents;
    int is_last = rank == size - 1 && !strcmp(how, "deaths");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_remote_size(parent, &parents);
    const char *life = getenv("FTMPI_INCARNATION");
    expect(ftmpi_incarnation() == 0 && (!life || !strcmp(life, "0")), "a first life");
    lives(is_last, moment, BEFORE);
    number = round;
    int code = MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(code || sum == size * round, "the sum of this world");
    code = MPI_Recv(&got, 1, MPI_INT, 0, round, parent, MPI_STATUS_IGNORE);
    expect(!code && got == round, "a message of this round");
    lives(is_last, moment, DURING);
    MPI_Ssend(&number, 1, MPI_INT, 0, round, parent);
    lives(is_last, moment, AFTER);
    if (strcmp(how, "deaths"))
        MPI_Comm_disconnect(&parent);
}

static void one_round(char *self, int round, int workers, char *how)
{
    char number[20], *args[] = {"worker", number, how, NULL};
    MPI_Comm inter;
    int got, failures = 0, is_deadly = !strcmp(how, "deaths");
    snprintf(number, sizeof number, "%d", round);
    int code = MPI_Comm_spawn(self, args, workers, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                              MPI_ERRCODES_IGNORE);
    if (code) {
        errors++, printf("round %d: no workers\n", round);
        return;
    }
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    for (int worker = 0; worker < workers; worker++)
        MPI_Send(&round, 1, MPI_INT, worker, round, inter);
    for (int worker = 0; worker < workers; worker++) {
        code = MPI_Recv(&got, 1, MPI_INT, worker, round, inter, MPI_STATUS_IGNORE);
        failures += code != MPI_SUCCESS;
        expect(code || got == round, "an answer of this round");
    }
    int wanted = is_deadly && round % MOMENTS != AFTER;
    expect(failures == wanted, "only who died has not answered");
    if (is_deadly)
        MPI_Comm_free(&inter);
    else
        MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    expect(MPI_Init(&argc, &argv) == MPI_SUCCESS, "no replacement");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    char *how = argc > 3 ? argv[3] : "";
    if (parent != MPI_COMM_NULL) {
        work(parent, atoi(argv[2]), how);
        if (errors)
            printf("errors in round %s\n", argv[2]);
    } else {
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        for (int round = 1; round <= atoi(argv[1]) && !errors; round++)
            one_round(argv[0], round, atoi(argv[2]), how);
        printf("%d errors\n", errors);
    }
    MPI_Finalize();
    return errors != 0;
}
