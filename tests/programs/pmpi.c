/* A program under a tool that counts calls: `tool_count` is the tool's; -1 where there is none. */
#include "check.h"
#include <stdint.h>

/* The tool's, wherever it is. */
int tool_count(const char *name);

extern const char *const pmpi_names[];
extern void *const pmpi_functions[];
extern const int pmpi_size;

typedef int any_function(long, long, long, long, long, long, long, long, long, long, long, long,
                         long, long);

static int is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return 1;
    return 0;
}

/* Every function of the header goes through the tool: called with nothing, which is an error. */
static void everything(void)
{
    static const char *const last[] = {"MPI_Abort", "MPI_Finalize", NULL};
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int called = 0;
    for (int i = 0; i < pmpi_size; i++) {
        if (is_among(pmpi_names[i], last))
            continue;
        int before = tool_count(pmpi_names[i]);
        ((any_function *)pmpi_functions[i])(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        if (tool_count(pmpi_names[i]) != before + 1)
            FAIL("the tool did not see %s", pmpi_names[i]);
        called++;
    }
    EQUAL(called, pmpi_size - 2);
}

/* What the library does for a call, it does without calls of its own. */
static void inside(void)
{
    int value = rank, sum, sends = tool_count("MPI_Send") + tool_count("MPI_Isend");
    MPI_Comm copy;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
    EQUAL(sum, size * (size - 1) / 2);
    EQUAL(tool_count("MPI_Allreduce"), 1);
    EQUAL(tool_count("MPI_Barrier"), 1);
    EQUAL(tool_count("MPI_Comm_dup"), 1);
    EQUAL(tool_count("MPI_Send") + tool_count("MPI_Isend"), sends);
    EQUAL(tool_count("MPI_Init_thread"), 1);
    EQUAL(tool_count("MPI_Comm_rank"), 1);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {{"everything", everything}, {"inside", inside}, {0}};
    return run_test(argc, argv, tests);
}
