/* Rank 0 cannot write its file of a checkpoint that goes on beside: it is a pipe that nobody reads,
 * as a disk that hangs. Meanwhile somebody dies, or revokes the communicator: all hear of it, go on
 * from what they have, and take another checkpoint, in place or beside.
 *
 *     checkpoint_hung DIRECTORY WAY [dies RANK|revokes] [in_place|beside] [fatal]
 *     checkpoint_hung DIRECTORY load
 *
 * WAY is the call that waits: wait, test, waitany, waitall or free.
 */
#include <mpi.h>
#include <mpi-ext.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ftmpi.h"

enum { COUNT = 20000 };
static double x[COUNT];
static FTCK ck;

static int is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

static void fill(double value)
{
    for (int i = 0; i < COUNT; i++)
        x[i] = value + i;
}

static int is_filled(void)
{
    for (int i = 1; i < COUNT; i++)
        if (x[i] != x[0] + i)
            return 0;
    return 1;
}

/* Waits for the first of two requests in the way that was asked for; what came of it. */
static int hear(const char *way, MPI_Request two[2])
{
    MPI_Status statuses[2];
    int flag = 0, index, code = MPI_SUCCESS;
    if (is(way, "test")) {
        while (!flag && code == MPI_SUCCESS)
            code = MPI_Test(&two[0], &flag, MPI_STATUS_IGNORE);
    } else if (is(way, "waitany")) {
        code = MPI_Waitany(2, two, &index, MPI_STATUS_IGNORE);
    } else if (is(way, "waitall")) {
        code = MPI_Waitall(2, two, statuses);
        if (code == MPI_ERR_IN_STATUS)
            code = statuses[0].MPI_ERROR;
    } else {
        code = MPI_Wait(&two[0], MPI_STATUS_IGNORE);
    }
    return code;
}

/* Whether the thread that writes the files of rank 0, in this process, waits in a call of open. */
static int is_hanging(int process)
{
    char tasks_of[100], path[400], line[100];
    int found = 0;
    snprintf(tasks_of, sizeof tasks_of, "/proc/%d/task", process);
    DIR *tasks = opendir(tasks_of);
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        snprintf(path, sizeof path, "%s/%s/comm", tasks_of, task->d_name);
        FILE *file = fopen(path, "r");
        int is_helper = file && fgets(line, sizeof line, file) && is(line, "helper\n");
        if (file)
            fclose(file);
        snprintf(path, sizeof path, "%s/%s/syscall", tasks_of, task->d_name);
        file = is_helper ? fopen(path, "r") : NULL;
        int call = -1;
        if (file) {
            found |= fscanf(file, "%d", &call) == 1 && call == SYS_openat;
            fclose(file);
        }
    }
    if (tasks)
        closedir(tasks);
    return found;
}

/* What rank 1 does, itself or to another. */
static void fail(int victim)
{
    if (victim < 0)
        MPIX_Comm_revoke(MPI_COMM_WORLD);
    else if (victim == 1)
        raise(SIGKILL);
    else
        ftmpi_kill(victim);
}

/* A checkpoint whose file rank 0 cannot write, in which somebody fails; returns who goes on. */
static MPI_Comm hang(const char *directory, const char *way, int victim, int rank)
{
    MPI_Request two[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Comm again = FT_MPI_CHECK_RECOVER;
    int code, unused, flag = 0, process = (int)getpid();
    char path[4096], words[MPI_MAX_ERROR_STRING];
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/rank-0.new", directory);
    if (rank == 0 && mkfifo(path, 0600))
        MPI_Abort(MPI_COMM_WORLD, 3);
    fill(1000 * (rank + 1) + 1);
    FTCK_Icheckpoint(ck, 2, &two[0]);
    /* Until the disk is waited for. */
    for (int looks = 0; rank == 1 && !flag && looks < 3;) {
        MPI_Test(&two[0], &flag, MPI_STATUS_IGNORE);
        looks = is_hanging(process) ? looks + 1 : 0;
    }
    if (flag)
        printf("too early\n");
    if (!is(way, "waitall"))
        MPI_Irecv(&unused, 1, MPI_INT, 0, 77, MPI_COMM_SELF, &two[1]);
    if (is(way, "free") && MPI_Request_free(&two[0]) == MPI_SUCCESS)
        printf("it is freed\n");
    if (is(way, "free") && MPI_Cancel(&two[0]) == MPI_SUCCESS)
        printf("it is cancelled\n");
    if (rank == 1)
        fail(victim);
    code = hear(way, two);
    printf("%s\n", code == MPI_SUCCESS ? "nothing is said" : "it is heard");
    /* Who only heard that the others continue still has the request. */
    while (two[0] != MPI_REQUEST_NULL)
        code = MPI_Wait(&two[0], MPI_STATUS_IGNORE);
    MPI_Error_string(code, words, &unused);
    printf("because: %s\n", words);
    if (two[1] != MPI_REQUEST_NULL) {
        MPI_Cancel(&two[1]);
        MPI_Wait(&two[1], MPI_STATUS_IGNORE);
    }
    if (victim < 0)
        MPIX_Comm_shrink(MPI_COMM_WORLD, &again);
    else if (MPI_Comm_dup(MPI_COMM_WORLD, &again) == MPI_SUCCESS)
        again = MPI_COMM_WORLD;
    return again;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Request request;
    int rank, version = -1, code, unused;
    const char *directory = argv[1], *way = argv[2];
    char words[MPI_MAX_ERROR_STRING];
    MPI_Init(&argc, &argv);
    comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    /* Calls on requests that are refused are on no communicator. */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    FTCK_Create(comm, "xor", &ck);
    FTCK_Register(ck, 0, x, COUNT, MPI_DOUBLE);
    FTCK_Set_disk(ck, directory, 1);
    if (!is(way, "load") && ftmpi_incarnation() == 0) {
        int victim = is(argv[3], "dies") ? atoi(argv[4]) : -1;
        fill(1000 * (rank + 1));
        FTCK_Checkpoint(ck, 1);
        if (is(argv[argc - 1], "fatal"))
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
        comm = hang(directory, way, victim, rank);
        if (comm != MPI_COMM_WORLD) {
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
            FTCK_Set_comm(ck, comm);
        }
    }
    fill(0);
    FTCK_Restore(ck, &version);
    printf("version %d: %g%s\n", version, x[0], is_filled() ? "" : ", but not all of it");
    fflush(stdout);
    if (!is(way, "load")) {
        char path[4096];
        snprintf(path, sizeof path, "%s/goes-on", directory);
        fclose(fopen(path, "w"));
        fill(x[0] + 1);
        if (is(argv[argc - 1], "beside")) {
            code = FTCK_Icheckpoint(ck, 3, &request);
            if (code == MPI_SUCCESS)
                code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            code = FTCK_Checkpoint(ck, 3);
        }
        MPI_Error_string(code, words, &unused);
        printf("then: %s\n", code == MPI_SUCCESS ? "all is well" : words);
    }
    MPI_Finalize();
    return 0;
}
