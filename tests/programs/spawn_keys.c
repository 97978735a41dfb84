/* The info keys of MPI_Comm_spawn and MPI_Comm_spawn_multiple, with seats for four more ranks.
 *
 *     spawn_keys FILE     FILE is one that can be written
 */
#include "dynamic.h"
#include <unistd.h>

/* Which error handler children start with: 0 fatal, 1 abort, 2 return. */
static int handler(MPI_Comm comm)
{
    MPI_Errhandler own;
    MPI_Comm_get_errhandler(comm, &own);
    return own == MPI_ERRORS_RETURN ? 2 : own == MPI_ERRORS_ABORT ? 1 : 0;
}

/* child HANDLER DIRECTORY RANKS */
static int child(char **argv, MPI_Comm parent)
{
    char directory[1000];
    int wanted = atoi(argv[2]);
    expect(handler(MPI_COMM_WORLD) == wanted && handler(MPI_COMM_SELF) == wanted, "handlers");
    expect(handler(parent) == wanted, "the handler of the intercommunicator");
    expect(getcwd(directory, sizeof directory) && (!strcmp(argv[3], "-") ||
           !strcmp(directory, argv[3])), "the directory");
    expect(size == atoi(argv[4]), "how many");
    MPI_Reduce(&errors, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

static void collect(MPI_Comm inter)
{
    int theirs = 0;
    MPI_Reduce(NULL, &theirs, 1, MPI_INT, MPI_SUM, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    expect(theirs == 0, "errors among children");
    MPI_Comm_disconnect(&inter);
}

static int spawn(char *self, const char *const *keys, char **args, MPI_Comm *inter)
{
    MPI_Info info;
    MPI_Info_create(&info);
    for (; *keys; keys += 2)
        MPI_Info_set(info, keys[0], keys[1]);
    int code = MPI_Comm_spawn(self, args, 1, info, 0, MPI_COMM_WORLD, inter, MPI_ERRCODES_IGNORE);
    MPI_Info_free(&info);
    return code;
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return child(argv, parent);
    char *self = argv[0], *file = argv[1];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        FILE *out = fopen(file, "w");
        fprintf(out, "# for children\nwdir = /usr\nmpi_initial_errhandler = mpi_errors_abort\n");
        fclose(out);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    char *returns[] = {"child", "2", "-", "1", NULL}, *aborts[] = {"child", "1", "/usr", "1", NULL};
    const char *by_key[] = {"mpi_initial_errhandler", "mpi_errors_return", "arch", "x86_64",
                            "nobody_knows_this", "key", NULL};
    expect(spawn(self, by_key, returns, &inter) == MPI_SUCCESS, "keys");
    collect(inter);
    const char *by_file[] = {"file", file, NULL};
    expect(spawn(self, by_file, aborts, &inter) == MPI_SUCCESS, "a file");
    collect(inter);
    const char *no_file[] = {"file", "/nowhere/at/all", NULL};
    expect(class_of(spawn(self, no_file, aborts, &inter)) == MPI_ERR_SPAWN, "no file");
    const char *other[] = {"arch", "vax", NULL}, *wrong[] = {"mpi_initial_errhandler", "x", NULL};
    expect(class_of(spawn(self, other, aborts, &inter)) == MPI_ERR_SPAWN, "another machine");
    expect(class_of(spawn(self, wrong, aborts, &inter)) == MPI_ERR_ARG, "no such handler");

    /* There are two seats: the second command gets one rank instead of two. */
    char *fatal[] = {"child", "0", "-", "2", NULL}, **lists[] = {fatal, fatal};
    char *commands[] = {self, self};
    int most[] = {1, 2}, codes[3] = {-1, -1, -1};
    MPI_Info soft, infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Info_create(&soft);
    MPI_Info_set(soft, "soft", "1:2");
    expect(class_of(MPI_Comm_spawn_multiple(2, commands, lists, most, infos, 0, MPI_COMM_WORLD,
                                            &inter, codes)) == MPI_ERR_SPAWN, "too many");
    infos[1] = soft;
    int code = MPI_Comm_spawn_multiple(2, commands, lists, most, infos, 0, MPI_COMM_WORLD, &inter,
                                       codes);
    expect(code == MPI_SUCCESS, "soft");
    expect(!codes[0] && !codes[1] && codes[2] == MPI_ERR_SPAWN, "codes");
    collect(inter);
    MPI_Info_free(&soft);

    int sum;
    MPI_Allreduce(&errors, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d errors\n", sum);
    MPI_Finalize();
    return 0;
}
