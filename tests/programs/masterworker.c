/* A master and its workers, by BLANK and CONT, without any recovery: a receive from any source
 * brings a message, or the news of a death that was not told before.
 *
 * masterworker TASKS DEATHS: so many workers die, each in the midst of its first task. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what, int code)
{
    fprintf(stderr, "%s: %d\n", what, code);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
    int tasks = argc > 1 ? atoi(argv[1]) : 20, deaths = argc > 2 ? atoi(argv[2]) : 1;
    int rank, size, code;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        for (;;) {
            int task, answer[2];
            if ((code = MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)))
                fail("a worker cannot hear the master", code);
            if (task < 0)
                break;
            if (rank <= deaths)
                raise(SIGKILL);
            answer[0] = task;
            answer[1] = task * task;
            if ((code = MPI_Send(answer, 2, MPI_INT, 0, 2, MPI_COMM_WORLD)))
                fail("a worker cannot tell the master", code);
        }
        MPI_Finalize();
        return 0;
    }
    int *with = malloc(sizeof *with * size), *dead = calloc(size, sizeof *dead);
    int *todo = malloc(sizeof *todo * tasks), open = tasks, told = 0;
    long sum = 0, want = 0;
    for (int i = 0; i < tasks; i++) {
        todo[i] = i;
        want += (long)i * i;
    }
    int left = tasks;
    for (int i = 1; i < size; i++)
        with[i] = -1;
    while (open > 0 || told < deaths) {
        for (int i = 1; i < size; i++)
            if (!dead[i] && with[i] < 0 && left > 0) {
                code = MPI_Send(&todo[left - 1], 1, MPI_INT, i, 1, MPI_COMM_WORLD);
                if (code == MPI_SUCCESS)
                    with[i] = todo[--left];
                else if (code != MPI_ERR_OTHER)
                    fail("a send to a worker says", code);
            }
        int answer[2];
        MPI_Status status;
        code = MPI_Recv(answer, 2, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        int who = status.MPI_SOURCE;
        if (code == MPI_SUCCESS) {
            if (answer[0] != with[who])
                fail("an answer to another question from", who);
            sum += answer[1];
            open--;
            with[who] = -1;
        } else if (code == MPI_ERR_OTHER) {
            if (who < 1 || who > deaths || dead[who]++)
                fail("this death is told wrongly or twice", who);
            told++;
            if (with[who] >= 0)
                todo[left++] = with[who];
            with[who] = -1;
        } else {
            fail("a receive says", code);
        }
    }
    if (sum != want)
        fail("the sum is wrong", (int)sum);
    int stop = -1;
    for (int i = 1; i < size; i++)
        if (!dead[i] && (code = MPI_Send(&stop, 1, MPI_INT, i, 1, MPI_COMM_WORLD)))
            fail("a worker that lives cannot be stopped", code);
    printf("%d deaths told, all %d tasks done\n", told, tasks);
    MPI_Finalize();
    return 0;
}
