/* Collective communication among neighbours: grids with edges and without, graphs, graphs with
 * several edges between the same two, in every form. */
#include "check.h"

#define W MPI_COMM_WORLD
#define MOST 64

enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static MPI_Comm comm;
static int in, out, sources[MOST], targets[MOST], is_grid;

/* The calls with large counts are the same but for this. */
#ifdef LARGE
typedef MPI_Count count;
typedef MPI_Aint displ;
#define END _c
#else
typedef int count;
typedef int displ;
#define END
#endif

#define BY_FORM(END, Name, ...)                                                                    \
    do {                                                                                           \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        if (form == BLOCKING) {                                                                    \
            EQUAL(MPI_Neighbor_##Name##END(__VA_ARGS__), MPI_SUCCESS);                             \
        } else if (form == NONBLOCKING) {                                                          \
            EQUAL(MPI_Ineighbor_##Name##END(__VA_ARGS__, &request), MPI_SUCCESS);                  \
        } else {                                                                                   \
            EQUAL(MPI_Neighbor_##Name##_init##END(__VA_ARGS__, MPI_INFO_NULL, &request),           \
                  MPI_SUCCESS);                                                                    \
            EQUAL(MPI_Start(&request), MPI_SUCCESS);                                               \
        }                                                                                          \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                     \
        if (form == PERSISTENT)                                                                    \
            MPI_Request_free(&request);                                                            \
    } while (0)
#define EXPANDED(...) BY_FORM(__VA_ARGS__)
#define CALL(...) EXPANDED(END, __VA_ARGS__)

/* The graph of the last case: two edges to the next, one to the one after it, one to itself. */
#define EDGES 4

static int target_of(int who, int place)
{
    int steps[4] = {1, 2, 1, 0};
    return (who + steps[place]) % size;
}

/* Which of its messages a source sends here over the edge that ends in this slot. In a grid, what
 * goes to the one before arrives from the one after; else edges pair in the order of the lists. */
static int slot_at(int source, int slot)
{
    if (is_grid)
        return slot ^ 1;
    int number = 0, place = 0;
    for (int i = 0; i < slot; i++)
        number += sources[i] == source;
    for (; place < EDGES; place++)
        if (target_of(source, place) == rank && number-- == 0)
            return place;
    FAIL("there is no such edge");
    return -1;
}

static int value(int from, int slot, int index)
{
    return from * 10000 + slot * 100 + index;
}

static void talk(enum form form)
{
    int send[MOST * 4], recv[MOST * 4];
    count counts[MOST];
    displ displs[MOST];
    MPI_Aint bytes[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < MOST * 4; i++)
        send[i] = value(rank, i / 2, i % 2), recv[i] = -1;
    int mine = rank * 7;
    CALL(allgather, &mine, 1, MPI_INT, recv, 1, MPI_INT, comm);
    for (int i = 0; i < in; i++)
        EQUAL(recv[i], sources[i] < 0 ? -1 : sources[i] * 7);
    for (int i = 0; i < MOST; i++) {
        counts[i] = 1, displs[i] = 3 * i, bytes[i] = (MPI_Aint)sizeof(int) * 3 * i;
        types[i] = MPI_INT;
        recv[i] = -1;
    }
    CALL(allgatherv, &mine, 1, MPI_INT, recv, counts, displs, MPI_INT, comm);
    for (int i = 0; i < in; i++)
        EQUAL(recv[3 * i], sources[i] < 0 ? -1 : sources[i] * 7);
    memset(recv, 0xff, sizeof recv);
    CALL(alltoall, send, 2, MPI_INT, recv, 2, MPI_INT, comm);
    for (int i = 0; i < 2 * in; i++) {
        int source = sources[i / 2];
        EQUAL(recv[i], source < 0 ? -1 : value(source, slot_at(source, i / 2), i % 2));
    }
    for (int i = 0; i < out; i++)
        send[3 * i] = value(rank, i, 50);
    memset(recv, 0xff, sizeof recv);
    CALL(alltoallv, send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, comm);
    for (int i = 0; i < in; i++) {
        int source = sources[i];
        EQUAL(recv[3 * i], source < 0 ? -1 : value(source, slot_at(source, i), 50));
    }
    memset(recv, 0xff, sizeof recv);
    CALL(alltoallw, send, counts, bytes, types, recv, counts, bytes, types, comm);
    for (int i = 0; i < in; i++) {
        int source = sources[i];
        EQUAL(recv[3 * i], source < 0 ? -1 : value(source, slot_at(source, i), 50));
    }
}

static void everything(void)
{
    for (int form = 0; form < FORMS; form++)
        talk(form);
    MPI_Comm_free(&comm);
}

static void grids(void)
{
    is_grid = 1;
    for (int dims = 1; dims <= 3; dims++)
        for (int round = 0; round < 2; round++) {
            int lengths[3] = {0, 0, 0}, periods[3] = {round, !round, round};
            MPI_Dims_create(size, dims, lengths);
            MPI_Cart_create(W, dims, lengths, periods, 0, &comm);
            for (int i = 0; i < dims; i++)
                MPI_Cart_shift(comm, i, 1, &sources[2 * i], &sources[2 * i + 1]);
            in = out = 2 * dims;
            everything();
        }
}

static void graphs(void)
{
    int ones[4] = {1, 1, 1, 1}, weighted;
    in = out = EDGES;
    int back[EDGES] = {1, 1, 2, 0};
    for (int i = 0; i < 4; i++) {
        targets[i] = target_of(rank, i);
        sources[i] = ((rank - back[i]) % size + size) % size;
    }
    MPI_Dist_graph_create_adjacent(W, 4, sources, ones, 4, targets, ones, MPI_INFO_NULL, 0, &comm);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    EQUAL(in, 4);
    everything();
}

static void errors(void)
{
    int one = 1, other;
    MPI_Request request;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    FAILS(MPI_Neighbor_allgather(&one, 1, MPI_INT, &other, 1, MPI_INT, W), MPI_ERR_TOPOLOGY, "");
    FAILS(MPI_Ineighbor_alltoall(&one, 1, MPI_INT, &other, 1, MPI_INT, W, &request),
          MPI_ERR_TOPOLOGY, "");
}

static const struct test TESTS[] = {
    {"grids", grids}, {"graphs", graphs}, {"errors", errors}, {NULL, NULL}};

int main(int argc, char **argv)
{
    return run_test(argc, argv, TESTS);
}
