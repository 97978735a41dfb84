/* Spawned worlds. The program is both parent and child; the child is told by its arguments what to
 * do.
 *
 *     spawn            all calls, results compared
 *     spawn deaths     one world is spawned and talks to its parents; whoever dies, the others hear
 */
#include "dynamic.h"

/* Sums over the other group, and one communicator of all. */
static void talk(MPI_Comm inter, int is_parent, int parents, int children)
{
    MPI_Comm all;
    int mine, theirs, one = 1, sum = 0, at, total;
    MPI_Comm_size(inter, &mine);
    MPI_Comm_remote_size(inter, &theirs);
    expect(mine == (is_parent ? parents : children), "the own group");
    expect(theirs == (is_parent ? children : parents), "the other group");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    expect(sum == theirs, "the other group takes part");
    MPI_Intercomm_merge(inter, !is_parent, &all);
    MPI_Comm_rank(all, &at);
    MPI_Comm_size(all, &total);
    expect(total == parents + children, "merged");
    expect(at == rank + (is_parent ? 0 : parents), "parents come first");
    char big[100000];
    memset(big, at == 0 ? 7 : 0, sizeof big);
    MPI_Bcast(big, sizeof big, MPI_CHAR, 0, all);
    expect(big[0] == 7 && big[sizeof big - 1] == 7, "a broadcast to both");
    MPI_Comm_free(&all);
}

static int child(int argc, char **argv, MPI_Comm parent)
{
    int *app, flag, parents, sum, one = 1;
    MPI_Comm_remote_size(parent, &parents);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &flag);
    if (!strcmp(argv[1], "deaths")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
        int code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, parent);
        printf("child %d %s\n", rank, code ? "has heard" : "is done");
        MPI_Finalize();
        return 0;
    }
    expect(argc == 4 && !strcmp(argv[2], "two words") && flag, "arguments");
    expect(flag && *app == atoi(argv[3]), "MPI_APPNUM");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == size, "a world of its own");
    talk(parent, 0, parents, size);
    MPI_Allreduce(&errors, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d errors among children\n", sum);
    MPI_Comm_disconnect(&parent);
    MPI_Comm_get_parent(&parent);
    expect(parent == MPI_COMM_NULL, "disconnected");
    MPI_Finalize();
    return errors != 0;
}

static void all_calls(char *self)
{
    char *args[] = {"child", "two words", "0", NULL}, *other[] = {"child", "two words", "1", NULL};
    MPI_Comm inter, parent;
    MPI_Info info;
    int codes[8], *universe, flag, last = size - 1;
    MPI_Comm_get_parent(&parent);
    expect(parent == MPI_COMM_NULL, "no parents");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &flag);
    expect(flag && *universe >= size + 3, "MPI_UNIVERSE_SIZE");
    memset(codes, -1, sizeof codes);
    int code = MPI_Comm_spawn(rank == last ? self : NULL, args, 3, MPI_INFO_NULL, last,
                              MPI_COMM_WORLD, &inter, codes);
    expect(code == MPI_SUCCESS && codes[0] == MPI_SUCCESS && codes[2] == MPI_SUCCESS, "spawned");
    talk(inter, 1, size, 3);
    MPI_Comm_disconnect(&inter);

    char *commands[] = {self, self}, **lists[] = {args, other};
    int most[] = {1, 2};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm_spawn_multiple(2, commands, lists, most, infos, 0, MPI_COMM_WORLD, &inter,
                            MPI_ERRCODES_IGNORE);
    talk(inter, 1, size, 3);
    MPI_Comm_disconnect(&inter);

    MPI_Info_create(&info);
    MPI_Info_set(info, "soft", "1:3:2,2");
    /* A directory of its own needs a thread of its own, which no seed repeats. */
    if (!getenv("REPEATED"))
        MPI_Info_set(info, "wdir", "/");
    MPI_Info_set(info, "host", "localhost");
    if (rank == 0) {
        MPI_Comm_spawn(self, args, 2, info, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE);
        talk(inter, 1, 1, 2);
        MPI_Comm_disconnect(&inter);
    }
    MPI_Info_free(&info);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Comm_spawn("./nowhere", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                          codes);
    expect(class_of(code) == MPI_ERR_SPAWN, "no such program");
    expect(rank != 0 || codes[1] == MPI_ERR_SPAWN, "its codes");
    code = MPI_Comm_spawn(self, args, 1000000, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                          MPI_ERRCODES_IGNORE);
    expect(class_of(code) == MPI_ERR_SPAWN, "too many");
    code = MPI_Comm_spawn(self, args, 1, MPI_INFO_NULL, 99, MPI_COMM_WORLD, &inter,
                          MPI_ERRCODES_IGNORE);
    expect(class_of(code) == MPI_ERR_RANK, "root");
}

static void deaths(char *self)
{
    char *args[] = {"deaths", NULL};
    int one = 1, sum;
    MPI_Comm inter;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Comm_spawn(self, args, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                              MPI_ERRCODES_IGNORE);
    if (code == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    }
    printf("parent %d %s\n", rank, code ? "has heard" : "is done");
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return child(argc, argv, parent);
    if (argc > 1) {
        deaths(argv[0]);
    } else {
        all_calls(argv[0]);
        int sum;
        MPI_Allreduce(&errors, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%d errors\n", sum);
    }
    MPI_Finalize();
    return 0;
}
