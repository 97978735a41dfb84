/* Intercommunicators. */
#include "check.h"

#define W MPI_COMM_WORLD

static int half, is_low, mine, theirs;

/* The lower half of the world and the upper one; MPI_COMM_NULL in a world of one. */
static MPI_Comm two_halves(MPI_Comm *local)
{
    MPI_Comm between;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    half = size / 2;
    is_low = rank < half;
    mine = is_low ? half : size - half;
    theirs = size - mine;
    MPI_Comm_split(W, is_low, rank, local);
    if (half == 0)
        return MPI_COMM_NULL;
    /* The last of the lower half and the first of the upper one lead. */
    EQUAL(MPI_Intercomm_create(*local, is_low ? half - 1 : 0, W, is_low ? half : half - 1, 7,
                               &between),
          MPI_SUCCESS);
    return between;
}

static int seat_of(int remote_rank)
{
    return is_low ? half + remote_rank : remote_rank;
}

/* Everybody sends its place in the world to all peers. */
static void talk(MPI_Comm between, int peers, const int *seats)
{
    int place = rank, got;
    MPI_Request *requests = malloc(sizeof *requests * (size_t)peers);
    for (int to = 0; to < peers; to++)
        MPI_Isend(&place, 1, MPI_INT, to, 11, between, &requests[to]);
    for (int i = 0; i < peers; i++) {
        MPI_Status status;
        EQUAL(MPI_Recv(&got, 1, MPI_INT, i % 2 ? i : MPI_ANY_SOURCE, 11, between, &status),
              MPI_SUCCESS);
        CHECK(status.MPI_SOURCE >= 0 && status.MPI_SOURCE < peers);
        EQUAL(got, seats[status.MPI_SOURCE]);
        if (i % 2 == 0 && status.MPI_SOURCE != i) {
            /* An odd one was taken early: take the rest from anybody. */
            for (int j = i + 1; j < peers; j++) {
                MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 11, between, &status);
                EQUAL(got, seats[status.MPI_SOURCE]);
            }
            break;
        }
    }
    MPI_Waitall(peers, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

static void all_seats(int *seats)
{
    for (int i = 0; i < theirs; i++)
        seats[i] = seat_of(i);
}

static void created(void)
{
    MPI_Comm local, between = two_halves(&local);
    if (between == MPI_COMM_NULL)
        return;
    int value, seats[64];
    MPI_Group group;
    all_seats(seats);
    MPI_Comm_test_inter(between, &value);
    EQUAL(value, 1);
    MPI_Comm_test_inter(W, &value);
    EQUAL(value, 0);
    MPI_Comm_size(between, &value);
    EQUAL(value, mine);
    MPI_Comm_remote_size(between, &value);
    EQUAL(value, theirs);
    MPI_Comm_rank(between, &value);
    EQUAL(value, is_low ? rank : rank - half);
    MPI_Comm_remote_group(between, &group);
    MPI_Group all;
    int ranks[64], in_world[64];
    for (int i = 0; i < theirs; i++)
        ranks[i] = i;
    MPI_Comm_group(W, &all);
    MPI_Group_translate_ranks(group, theirs, ranks, all, in_world);
    for (int i = 0; i < theirs; i++)
        EQUAL(in_world[i], seats[i]);
    MPI_Group_free(&group);
    MPI_Comm_group(between, &group);
    MPI_Group_size(group, &value);
    EQUAL(value, mine);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    talk(between, theirs, seats);
    MPI_Comm_compare(between, between, &value);
    EQUAL(value, MPI_IDENT);
    MPI_Comm_compare(between, local, &value);
    EQUAL(value, MPI_UNEQUAL);
    /* Probes and persistent requests go across as well. */
    int partner = 0, got = -1;
    MPI_Comm_rank(between, &value);
    if (value == 0) {
        MPI_Request both[2];
        MPI_Send_init(&rank, 1, MPI_INT, partner, 1, between, &both[0]);
        MPI_Recv_init(&got, 1, MPI_INT, partner, 1, between, &both[1]);
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        EQUAL(got, seats[0]);
        MPI_Request_free(&both[0]);
        MPI_Request_free(&both[1]);
        MPI_Status status;
        MPI_Sendrecv(&rank, 1, MPI_INT, 0, 2, &got, 1, MPI_INT, 0, 2, between, &status);
        EQUAL(got, seats[0]);
    }
    FAILS(MPI_Send(&value, 1, MPI_INT, theirs, 0, between), MPI_ERR_RANK, "other group");
    FAILS(MPI_Recv(&value, 1, MPI_INT, -5, 0, between, MPI_STATUS_IGNORE), MPI_ERR_RANK,
          "other group");
    EQUAL(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, between), MPI_SUCCESS);
    MPI_Comm_free(&between);
    MPI_Comm_free(&local);
}

static void merged(void)
{
    MPI_Comm local, between = two_halves(&local), all;
    if (between == MPI_COMM_NULL)
        return;
    for (int turn = 0; turn < 4; turn++) {
        /* low says turn's first bit, high its second */
        int high = is_low ? turn & 1 : turn >> 1, value;
        EQUAL(MPI_Intercomm_merge(between, high, &all), MPI_SUCCESS);
        MPI_Comm_size(all, &value);
        EQUAL(value, size);
        MPI_Comm_test_inter(all, &value);
        EQUAL(value, 0);
        MPI_Comm_rank(all, &value);
        int low_comes_first = turn != 1;
        int expected = low_comes_first ? rank : is_low ? size - half + rank : rank - half;
        EQUAL(value, expected);
        int one = 1, sum = 0;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
        EQUAL(sum, size);
        MPI_Comm_free(&all);
    }
    FAILS(MPI_Intercomm_merge(W, 0, &all), MPI_ERR_COMM, "not an intercommunicator");
    MPI_Comm_free(&between);
    MPI_Comm_free(&local);
}

/* The order of the members of both groups together is not that of their places in the world. */
static void interleaved(void)
{
    MPI_Comm local, between, all;
    MPI_Comm_split(W, rank % 2, rank, &local);
    if (size > 1)
        MPI_Intercomm_create(local, 0, W, 1 - rank % 2, 7, &between);
    for (int turn = 0; size > 1 && turn < 50; turn++) {
        int one = 1, sum = 0;
        EQUAL(MPI_Barrier(between), MPI_SUCCESS);
        EQUAL(MPI_Intercomm_merge(between, rank % 2, &all), MPI_SUCCESS);
        EQUAL(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all), MPI_SUCCESS);
        EQUAL(sum, size);
        MPI_Comm_free(&all);
    }
    if (size > 1)
        MPI_Comm_free(&between);
    MPI_Comm_free(&local);
}

static int copies;

static int copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)state;
    *(void **)out = in;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static void duplicated(void)
{
    MPI_Comm local, between = two_halves(&local), twin;
    if (between == MPI_COMM_NULL)
        return;
    int seats[64], value, key, flag;
    void *found;
    all_seats(seats);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(between, key, seats);
    EQUAL(MPI_Comm_dup(between, &twin), MPI_SUCCESS);
    EQUAL(copies, 1);
    MPI_Comm_get_attr(twin, key, &found, &flag);
    CHECK(flag && found == seats);
    MPI_Comm_compare(between, twin, &value);
    EQUAL(value, MPI_CONGRUENT);
    talk(twin, theirs, seats);
    talk(between, theirs, seats);
    /* What the local groups do among themselves is apart from all that. */
    MPI_Comm again;
    EQUAL(MPI_Comm_dup(twin, &again), MPI_SUCCESS);
    talk(again, theirs, seats);
    MPI_Comm_free(&again);
    MPI_Request request;
    EQUAL(MPI_Comm_idup(between, &again, &request), MPI_SUCCESS);
    EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Comm_compare(between, again, &value);
    EQUAL(value, MPI_CONGRUENT);
    talk(again, theirs, seats);
    MPI_Comm_free(&again);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&between);
    MPI_Comm_free(&local);
}

static void parted(void)
{
    MPI_Comm local, between = two_halves(&local), part;
    if (between == MPI_COMM_NULL)
        return;
    int value, mine_now, seats[64], count = 0, place;
    MPI_Comm_rank(between, &place);
    /* Even and odd places, in the other order; where one side has none there is nothing. */
    EQUAL(MPI_Comm_split(between, place % 2, -place, &part), MPI_SUCCESS);
    for (int i = theirs - 1; i >= 0; i--)
        if (i % 2 == place % 2)
            seats[count++] = seat_of(i);
    if (count == 0) {
        CHECK(part == MPI_COMM_NULL);
    } else {
        MPI_Comm_test_inter(part, &value);
        EQUAL(value, 1);
        MPI_Comm_remote_size(part, &value);
        EQUAL(value, count);
        MPI_Comm_size(part, &mine_now);
        MPI_Comm_rank(part, &value);
        EQUAL(value, mine_now - 1 - place / 2);
        talk(part, count, seats);
        MPI_Comm_free(&part);
    }
    /* Nobody but the lower ones wants it. */
    EQUAL(MPI_Comm_split(between, is_low ? 3 : MPI_UNDEFINED, 0, &part), MPI_SUCCESS);
    CHECK(part == MPI_COMM_NULL);
    EQUAL(MPI_Comm_split_type(between, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part), MPI_SUCCESS);
    MPI_Comm_remote_size(part, &value);
    EQUAL(value, theirs);
    MPI_Comm_free(&part);
    /* By groups: the first of each side, and then none of the upper one. */
    MPI_Group all, first, none;
    MPI_Comm_group(between, &all);
    MPI_Group_incl(all, 1, (int[]){0}, &first);
    MPI_Group_excl(all, 0, NULL, &none);
    MPI_Group_free(&none);
    MPI_Group_incl(all, 0, NULL, &none);
    EQUAL(MPI_Comm_create(between, first, &part), MPI_SUCCESS);
    if (place == 0) {
        MPI_Comm_remote_size(part, &value);
        EQUAL(value, 1);
        talk(part, 1, (int[]){seat_of(0)});
        MPI_Comm_free(&part);
    } else {
        CHECK(part == MPI_COMM_NULL);
    }
    EQUAL(MPI_Comm_create(between, is_low ? first : none, &part), MPI_SUCCESS);
    CHECK(part == MPI_COMM_NULL);
    FAILS(MPI_Comm_create_group(between, first, 0, &part), MPI_ERR_COMM, "intercommunicator");
    MPI_Group_free(&all);
    MPI_Group_free(&first);
    MPI_Comm_free(&between);
    MPI_Comm_free(&local);
}

static void errors(void)
{
    MPI_Comm local, between = two_halves(&local), made;
    FAILS(MPI_Comm_remote_size(W, &(int){0}), MPI_ERR_COMM, "not an intercommunicator");
    FAILS(MPI_Comm_remote_group(W, &(MPI_Group){0}), MPI_ERR_COMM, "not an intercommunicator");
    FAILS(MPI_Intercomm_create(local, 99, W, 0, 0, &made), MPI_ERR_RANK, "local_leader");
    FAILS(MPI_Intercomm_create(local, 0, W, 0, -1, &made), MPI_ERR_TAG, "tag");
    FAILS(MPI_Intercomm_create(MPI_COMM_NULL, 0, W, 0, 0, &made), MPI_ERR_COMM, "local_comm");
    if (between == MPI_COMM_NULL)
        return;
    FAILS(MPI_Intercomm_create(between, 0, W, 0, 0, &made), MPI_ERR_COMM, "intercommunicator");
    /* The leaders' faults are told to those they lead. */
    int place;
    MPI_Comm_rank(local, &place);
    FAILS(MPI_Intercomm_create(local, 0, W, 1000, 0, &made), MPI_ERR_RANK,
          place == 0 ? "1000" : "leader");
    FAILS(MPI_Intercomm_create(local, 0, MPI_COMM_NULL, 0, 0, &made), MPI_ERR_COMM,
          place == 0 ? "peer_comm" : "leader");
    FAILS(MPI_Intercomm_create(local, 0, W, MPI_PROC_NULL, 0, &made), MPI_ERR_RANK,
          place == 0 ? "MPI_PROC_NULL" : "leader");
    MPI_Comm_free(&between);
    MPI_Comm_free(&local);
}

int main(int argc, char **argv)
{
    const struct test tests[] = {
        {"created", created}, {"merged", merged}, {"interleaved", interleaved},
        {"duplicated", duplicated}, {"parted", parted}, {"errors", errors}, {0},
    };
    return run_test(argc, argv, tests);
}
