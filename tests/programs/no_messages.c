/* Short operations of ranks that are processes, and how many messages they need. */
#include "check.h"
static unsigned long long messages(void)
{
    static MPI_T_pvar_session session;
    static MPI_T_pvar_handle handles[64];
    static int known = -1;
    unsigned long long sum = 0, value;
    if (known < 0) {
        int provided, count, ask, length, its[7];
        char name[100];
        MPI_Datatype type;
        MPI_T_enum words;
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
        MPI_T_pvar_session_create(&session);
        MPI_T_pvar_get_num(&count);
        known = 0;
        for (int i = 0; i < count; i++) {
            length = sizeof name;
            MPI_T_pvar_get_info(i, name, &length, &its[0], &its[1], &type, &words, NULL,
                                NULL, &its[2], &its[3], &its[4], &its[5]);
            if (strncmp(name, "messages_sent_", 14) != 0)
                continue;
            MPI_T_pvar_handle_alloc(session, i, NULL, &handles[known++], &ask);
        }
        EQUAL(known >= 5, 1);
    }
    for (int i = 0; i < known; i++) {
        MPI_T_pvar_read(session, handles[i], &value);
        sum += value;
    }
    return sum;
}
/* Ranks that share processes use messages where not all wait for all. */
static int has_roots = 1, has_cores;
static void use(MPI_Comm comm, int times)
{
    for (int i = 0; i < times; i++) {
        int mine = rank, sum = 0, all[8], root = i % size;
        MPI_Barrier(comm);
        if (has_roots) {
            MPI_Bcast(&mine, 1, MPI_INT, root, comm);
            EQUAL(mine, root);
            MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, comm);
            EQUAL(sum, rank == root ? size * (size - 1) / 2 : 0);
            MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, root, comm);
        }
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        EQUAL(sum, size * (size - 1) / 2);
        /* Only where each rank has a core. */
        if (has_cores) {
            MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, root, comm);
            EQUAL(mine, rank);
        }
        MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
        EQUAL(all[size - 1], size - 1);
    }
}
int main(int argc, char **argv)
{
    MPI_Comm twin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    has_cores = argc > 1 && strcmp(argv[1], "cores") == 0;
    has_roots = argc == 1 || has_cores;
    unsigned long long none = messages();
    use(MPI_COMM_WORLD, 500);
    EQUAL(messages(), none);
    use(twin, 8);
    unsigned long long some = messages();
    EQUAL(some > none, 1);
    use(twin, 500);
    EQUAL(messages(), some);
    MPI_Finalize();
    return 0;
}
