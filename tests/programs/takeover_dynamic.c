/* Two halves of a job of six meet at a port, and spawn, while the coordinator is lost: the test has
 * rank 5 kill it in its first MPI_Allreduce, when the port has been published and one of two worlds
 * has been spawned. */
#include "dynamic.h"

static MPI_Comm spawned(char *self)
{
    MPI_Comm inter;
    char *words[] = {"child", NULL};
    expect(MPI_Comm_spawn(self, words, 2, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &inter,
                          MPI_ERRCODES_IGNORE) == MPI_SUCCESS, "spawned");
    return inter;
}

static void talk(MPI_Comm *inter, int theirs)
{
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *inter);
    expect(sum == theirs, "both groups take part");
    MPI_Comm_disconnect(inter);
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, inter, first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&inter);
    if (inter != MPI_COMM_NULL) {
        talk(&inter, 6);
        MPI_Finalize();
        return errors != 0;
    }
    int accepts = rank < 3;
    MPI_Comm_split(MPI_COMM_WORLD, accepts, rank, &half);
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name("ocean", MPI_INFO_NULL, port);
    }
    first = spawned(argv[0]);
    int one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 3)
        expect(MPI_Lookup_name("ocean", MPI_INFO_NULL, port) == MPI_SUCCESS, "still published");
    int code = accepts ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter)
                       : MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    expect(code == MPI_SUCCESS, "connected");
    talk(&inter, 3);
    second = spawned(argv[0]);
    talk(&first, 2);
    talk(&second, 2);
    MPI_Allreduce(&errors, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d errors\n", sum);
    MPI_Finalize();
    return 0;
}
