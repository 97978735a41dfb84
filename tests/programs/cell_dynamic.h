/* Groups that meet, and worlds that are spawned: a part of cell.c. */

/* From headers that would name other functions as calls are named here. */
int socketpair(int domain, int type, int protocol, int *ends);
enum { UNIX = 1, STREAM = 1 };

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

/* A port that is gone with its owner is the same news as the owner's death. */
static int met(int code)
{
    return code != MPI_SUCCESS && class_of(code) == MPI_ERR_PORT ? MPI_SUCCESS : code;
}

/* Each half accepts the other once: the port is that of its first member. */
static int accept_connect(void)
{
    int code = MPI_Comm_split(world, rank < 2, rank, &half);
    MPI_Open_port(MPI_INFO_NULL, words[rank]);
    if (half != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    code = ready(code);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Comm *other = turn ? &made : &inter;
        int told = turn == (rank < 2)
                       ? MPI_Comm_accept(words[2 * turn], MPI_INFO_NULL, 0, half, other)
                       : MPI_Comm_connect(words[2 * turn], MPI_INFO_NULL, 0, half, other);
        code = either(code, met(told));
    }
    return code;
}

static int join(void)
{
    static int ends[2];
    int code, other;
    if (rank % 2 == 0) {
        socketpair(UNIX, STREAM, 0, ends);
        sprintf(words[rank], "%d", ends[1]);
    }
    code = ready(MPI_SUCCESS);
    other = rank % 2 ? atoi(words[rank - 1]) : ends[0];
    return either(code, MPI_Comm_join(other, &inter));
}

static int disconnect(void)
{
    int code = ready(MPI_Comm_dup(world, &made));
    return either(code, MPI_Comm_disconnect(&made));
}

/* The intercommunicator is left alone before it is in use, and after. */
static int disconnect_inter(void)
{
    int code = ready(intercomm_create());
    return either(code, MPI_Comm_disconnect(&inter));
}

static char *child[] = {"child", NULL};

static int spawn(void)
{
    return MPI_Comm_spawn(self, child, 2, MPI_INFO_NULL, ROOT, world, &made, MPI_ERRCODES_IGNORE);
}

static int spawn_multiple(void)
{
    char *commands[] = {(char *)self, (char *)self}, **lists[] = {child, child};
    int most[] = {1, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    return MPI_Comm_spawn_multiple(2, commands, lists, most, infos, ROOT, world, &made,
                                   MPI_ERRCODES_IGNORE);
}

#define DYNAMIC_CASES                                                                              \
    CASE(accept_connect), CASE(join), CASE(disconnect), CASE(disconnect_inter), CASE(spawn),       \
        CASE(spawn_multiple)
