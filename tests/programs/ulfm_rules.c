/* The rules of ULFM, one case each. The victim is rank 1; all others survive. */
#include "ulfm.h"

#define LARGE 300000
static char data[LARGE], into[LARGE];
static MPI_Status status;

/* Errors arise only at operations that cannot succeed, and starting one raises nothing. */
static void only_what_needs_the_dead_fails(void)
{
    MPI_Comm half;
    MPI_Request requests[3], request;
    MPI_Status statuses[3];
    int flag, sum = 0;
    MPI_Comm_split(W, rank < 2, rank, &half);
    let_die(W, 1);
    FAILS(MPI_Send(data, 1, MPI_CHAR, 1, 0, W), MPIX_ERR_PROC_FAILED, "rank 1");
    FAILS(MPI_Recv(into, 1, MPI_CHAR, 1, 0, W, &status), MPI_ERR_PROC_FAILED, "rank 1");
    FAILS(MPI_Probe(1, 0, W, &status), MPIX_ERR_PROC_FAILED, "rank 1");
    EQUAL(MPI_Isend(data, LARGE, MPI_CHAR, 1, 0, W, &request), MPI_SUCCESS);
    FAILS(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED, "rank 1");
    EQUAL(request == MPI_REQUEST_NULL, 1);
    EQUAL(MPI_Irecv(into, LARGE, MPI_CHAR, 1, 0, W, &request), MPI_SUCCESS);
    do
        flag = 0;
    while (MPI_Test(&request, &flag, &status) == MPI_SUCCESS);
    EQUAL(request == MPI_REQUEST_NULL, 1);
    EQUAL(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, W, &request), MPI_SUCCESS);
    FAILS(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED, "rank 1");
    EQUAL(MPI_Ibarrier(W, &request), MPI_SUCCESS);
    FAILS(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED, "rank 1");
    FAILS(MPI_Barrier(W), MPIX_ERR_PROC_FAILED, "rank 1");
    FAILS(MPI_Comm_dup(W, &half), MPIX_ERR_PROC_FAILED, "rank 1");
    if (rank == 0) {
        all_are_well(MPI_COMM_SELF, 1);
        return;
    }
    all_are_well(half, size - 2);
    /* The living go on with each other on a communicator with a dead member. */
    int right = rank + 1 < size ? rank + 1 : 2, left = rank > 2 ? rank - 1 : size - 1;
    MPI_Irecv(into, LARGE, MPI_CHAR, 1, 5, W, &requests[0]);
    MPI_Irecv(into, LARGE, MPI_CHAR, left, 6, W, &requests[1]);
    fill(data, LARGE, rank);
    MPI_Isend(data, LARGE, MPI_CHAR, right, 6, W, &requests[2]);
    FAILS(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS, "rank 1");
    EQUAL(statuses[0].MPI_ERROR, MPIX_ERR_PROC_FAILED);
    for (int i = 1; i < 3; i++)
        if (statuses[i].MPI_ERROR == MPI_ERR_PENDING)
            EQUAL(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect(into, LARGE, left);
    MPI_Comm_free(&half);
}

static void ack(int wanted)
{
    int acked = -1;
    EQUAL(MPIX_Comm_ack_failed(W, size, &acked), MPI_SUCCESS);
    EQUAL(acked, wanted);
}

/* A receive from any source goes on while waiting for it fails, until the death is acknowledged. */
static void any_source_is_pending_until_acknowledged(void)
{
    MPI_Request request, two[1];
    MPI_Status statuses[1];
    int got = -1, index = -1, indices[1], count, flag = 0;
    MPI_Comm others;
    MPI_Comm_split(W, rank == 1, rank, &others);
    EQUAL(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, W, &request), MPI_SUCCESS);
    let_die(W, 1);
    for (int i = 0; i < 3; i++) {
        FAILS(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED_PENDING, "rank 1");
        CHECK(request != MPI_REQUEST_NULL);
        FAILS(MPI_Test(&request, &flag, &status), MPI_ERR_PROC_FAILED_PENDING, "rank 1");
        CHECK(request != MPI_REQUEST_NULL);
        FAILS(MPI_Waitany(1, &request, &index, &status), MPIX_ERR_PROC_FAILED_PENDING, "rank 1");
        EQUAL(index, 0);
        FAILS(MPI_Waitall(1, &request, statuses), MPI_ERR_IN_STATUS, "rank 1");
        EQUAL(statuses[0].MPI_ERROR, MPIX_ERR_PROC_FAILED_PENDING);
        FAILS(MPI_Waitsome(1, &request, &count, indices, statuses), MPI_ERR_IN_STATUS, "rank 1");
        EQUAL(count, 1);
        EQUAL(statuses[0].MPI_ERROR, MPIX_ERR_PROC_FAILED_PENDING);
        CHECK(request != MPI_REQUEST_NULL);
    }
    /* One that is posted now is no better. */
    EQUAL(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, W, &two[0]), MPI_SUCCESS);
    FAILS(MPI_Wait(&two[0], &status), MPIX_ERR_PROC_FAILED_PENDING, "rank 1");
    MPI_Cancel(&two[0]);
    EQUAL(MPI_Wait(&two[0], &status), MPI_SUCCESS);
    MPI_Test_cancelled(&status, &flag);
    EQUAL(flag, 1);
    ack(1);
    EQUAL(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
    EQUAL(flag, 0);
    /* Nobody sends before all have seen that. */
    EQUAL(MPI_Barrier(others), MPI_SUCCESS);
    int next = (rank + 1) % size == 1 ? 2 : (rank + 1) % size;
    int last = (rank + size - 1) % size == 1 ? 0 : (rank + size - 1) % size;
    EQUAL(MPI_Send(&rank, 1, MPI_INT, next, 3, W), MPI_SUCCESS);
    EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
    EQUAL(got, last);
    EQUAL(status.MPI_SOURCE, last);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Comm_free(&others);
}

/* A blocking one fails; once the death is acknowledged, it waits for the living. */
static void a_blocking_any_source_fails_until_acknowledged(void)
{
    int got = -1, flag;
    MPI_Message message;
    let_die(W, 1);
    int any = MPI_ANY_SOURCE;
    FAILS(MPI_Recv(&got, 1, MPI_INT, any, 4, W, &status), MPIX_ERR_PROC_FAILED, "rank 1");
    EQUAL(status.MPI_SOURCE, 1);
    FAILS(MPI_Probe(MPI_ANY_SOURCE, 4, W, &status), MPIX_ERR_PROC_FAILED, "rank 1");
    FAILS(MPI_Iprobe(MPI_ANY_SOURCE, 4, W, &flag, &status), MPIX_ERR_PROC_FAILED, "rank 1");
    FAILS(MPI_Mprobe(MPI_ANY_SOURCE, 4, W, &message, &status), MPIX_ERR_PROC_FAILED, "rank 1");
    FAILS(MPI_Sendrecv(&rank, 1, MPI_INT, rank, 9, &got, 1, MPI_INT, MPI_ANY_SOURCE, 8, W, &status),
          MPIX_ERR_PROC_FAILED, "rank 1");
    EQUAL(MPI_Recv(&got, 1, MPI_INT, rank, 9, W, &status), MPI_SUCCESS);
    ack(1);
    MPI_Request request;
    int next = (rank + 1) % size == 1 ? 2 : (rank + 1) % size;
    MPI_Isend(&rank, 1, MPI_INT, next, 3, W, &request);
    EQUAL(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, W, &status), MPI_SUCCESS);
    EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
}

/* Receives from any source on a communicator without the dead rank are not touched. */
static void other_communicators_are_untouched(void)
{
    MPI_Comm half;
    MPI_Request request;
    int got = -1, members, mine;
    MPI_Comm_split(W, rank == 1 || rank == 0, rank, &half);
    MPI_Comm_size(half, &members);
    MPI_Comm_rank(half, &mine);
    if (rank > 1)
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, &request);
    let_die(W, 1);
    if (rank == 0)
        return;
    MPI_Group dead;
    EQUAL(MPIX_Comm_get_failed(half, &dead), MPI_SUCCESS);
    CHECK(dead == MPI_GROUP_EMPTY);
    EQUAL(MPI_Send(&mine, 1, MPI_INT, (mine + 1) % members, 2, half), MPI_SUCCESS);
    EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
    EQUAL(got, (mine + members - 1) % members);
    EQUAL(MPI_Barrier(half), MPI_SUCCESS);
    int flag = -1;
    EQUAL(MPIX_Comm_agree(half, &flag), MPI_SUCCESS);
    EQUAL(flag, -1);
    MPI_Comm_free(&half);
}

static int ranks_of(MPI_Comm comm, MPI_Group dead, int *ranks)
{
    MPI_Group all;
    int count, places[256];
    MPI_Group_size(dead, &count);
    for (int i = 0; i < count; i++)
        places[i] = i;
    MPI_Comm_group(comm, &all);
    MPI_Group_translate_ranks(dead, count, places, all, ranks);
    MPI_Group_free(&all);
    return count;
}

/* An earlier list of the dead is a prefix of a later one, and everybody's of everybody's. */
static void the_list_of_the_dead_only_grows_at_its_end(void)
{
    int before[256], now[256], known = 0, victims = size / 2;
    /* The odd ones die, in whatever order. */
    if (rank % 2 == 1)
        die();
    while (known < victims) {
        MPI_Group dead;
        EQUAL(MPIX_Comm_get_failed(W, &dead), MPI_SUCCESS);
        int count = ranks_of(W, dead, now);
        CHECK(count >= known);
        for (int i = 0; i < known; i++)
            EQUAL(now[i], before[i]);
        memcpy(before, now, sizeof now);
        known = count;
        if (dead != MPI_GROUP_EMPTY)
            MPI_Group_free(&dead);
    }
    MPI_Comm left;
    int first[256];
    EQUAL(MPIX_Comm_shrink(W, &left), MPI_SUCCESS);
    memcpy(first, before, sizeof first);
    EQUAL(MPI_Bcast(first, victims, MPI_INT, 0, left), MPI_SUCCESS);
    for (int i = 0; i < victims; i++)
        EQUAL(before[i], first[i]);
    /* They are acknowledged one by one, never fewer than before. */
    for (int i = 0; i <= victims; i++) {
        int acked = -1;
        MPI_Group group;
        EQUAL(MPIX_Comm_ack_failed(W, i, &acked), MPI_SUCCESS);
        EQUAL(acked, i);
        EQUAL(MPIX_Comm_ack_failed(W, 0, &acked), MPI_SUCCESS);
        EQUAL(acked, i);
        EQUAL(MPIX_Comm_failure_get_acked(W, &group), MPI_SUCCESS);
        EQUAL(ranks_of(W, group, now), i);
        for (int j = 0; j < i; j++)
            EQUAL(now[j], before[j]);
        if (i > 0)
            MPI_Group_free(&group);
    }
    int acked;
    FAILS(MPIX_Comm_ack_failed(W, -1, &acked), MPI_ERR_ARG, "num_to_ack is -1");
    EQUAL(MPIX_Comm_failure_ack(W), MPI_SUCCESS);
    EQUAL(MPIX_Comm_ack_failed(W, 1, &acked), MPI_SUCCESS);
    EQUAL(acked, victims);
    MPI_Comm_free(&left);
}

/* Agree is the AND of all who live; it fails for all alike until all have acknowledged. */
static void agree_fails_for_all_until_all_have_acknowledged(void)
{
    MPI_Comm copy;
    int flag = ~(1 << rank);
    EQUAL(MPIX_Comm_agree(W, &flag), MPI_SUCCESS);
    EQUAL(flag, ~((1 << size) - 1));
    MPI_Comm_dup(W, &copy);
    let_die(W, 1);
    flag = ~(1 << rank);
    FAILS(MPIX_Comm_agree(W, &flag), MPIX_ERR_PROC_FAILED, "rank");
    EQUAL(flag, ~((1 << size) - 1) | 2);
    /* All but one know. */
    if (rank != size - 1)
        ack(1);
    flag = 5;
    FAILS(MPIX_Comm_agree(W, &flag), MPIX_ERR_PROC_FAILED, "acknowledged");
    EQUAL(flag, 5);
    if (rank == size - 1)
        EQUAL(MPIX_Comm_failure_ack(W), MPI_SUCCESS);
    flag = rank == 0 ? 6 : 3;
    EQUAL(MPIX_Comm_agree(W, &flag), MPI_SUCCESS);
    EQUAL(flag, 2);
    /* What was acknowledged elsewhere counts elsewhere. */
    FAILS(MPIX_Comm_agree(copy, &flag), MPIX_ERR_PROC_FAILED, "acknowledged");
    EQUAL(MPIX_Comm_revoke(copy), MPI_SUCCESS);
    FAILS(MPIX_Comm_agree(copy, &flag), MPIX_ERR_PROC_FAILED, "acknowledged");
    EQUAL(MPIX_Comm_failure_ack(copy), MPI_SUCCESS);
    flag = 8 | rank;
    EQUAL(MPIX_Comm_agree(copy, &flag), MPI_SUCCESS);
    EQUAL(flag & 8, 8);
    MPI_Comm_free(&copy);
}

/* Somebody is dead, or somebody else has noticed before and revoked. */
static void expect_trouble(int code)
{
    CHECK(code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED);
}

/* Shrink keeps the order of ranks and the error handler, and works again and again. */
static void shrink_down_to_one(void)
{
    MPI_Comm now = W;
    for (int members = size; members > 1; members--) {
        MPI_Comm left;
        MPI_Errhandler handler;
        int mine, place, victim = members * 7 / 11;
        MPI_Comm_rank(now, &mine);
        let_die(now, victim);
        expect_trouble(MPI_Barrier(now));
        if (mine == (victim + 1) % members)
            EQUAL(MPIX_Comm_revoke(now), MPI_SUCCESS);
        EQUAL(MPIX_Comm_shrink(now, &left), MPI_SUCCESS);
        MPI_Comm_rank(left, &place);
        EQUAL(place, mine - (mine > victim));
        MPI_Comm_get_errhandler(left, &handler);
        CHECK(handler == MPI_ERRORS_RETURN);
        all_are_well(left, members - 1);
        int flag = 1, is_revoked = -1;
        EQUAL(MPIX_Comm_is_revoked(left, &is_revoked), MPI_SUCCESS);
        EQUAL(is_revoked, 0);
        EQUAL(MPIX_Comm_agree(left, &flag), MPI_SUCCESS);
        if (now != W)
            MPI_Comm_free(&now);
        now = left;
    }
}

/* The nonblocking forms end at Wait and Test like all requests, and several at once in order. */
static void nonblocking_forms(void)
{
    MPI_Request requests[4], request;
    MPI_Comm left[2], other;
    int flags[2] = {~(1 << rank), 6 | rank % 2}, done = 0;
    EQUAL(MPIX_Comm_iagree(W, &flags[0], &requests[0]), MPI_SUCCESS);
    EQUAL(MPIX_Comm_ishrink(W, &left[0], &requests[1]), MPI_SUCCESS);
    EQUAL(MPIX_Comm_iagree(W, &flags[1], &requests[2]), MPI_SUCCESS);
    EQUAL(MPIX_Comm_ishrink(W, &left[1], &requests[3]), MPI_SUCCESS);
    EQUAL(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EQUAL(flags[0], ~((1 << size) - 1));
    EQUAL(flags[1], 6);
    all_are_well(left[0], size);
    all_are_well(left[1], size);
    part_with(W, 1);
    flags[0] = 12 | rank % 2;
    EQUAL(MPIX_Comm_iagree(W, &flags[0], &request), MPI_SUCCESS);
    EQUAL(MPIX_Comm_ishrink(W, &other, &requests[0]), MPI_SUCCESS);
    FAILS(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED, "rank");
    CHECK(request == MPI_REQUEST_NULL);
    EQUAL(flags[0] & 12, 12);
    while (!done)
        EQUAL(MPI_Test(&requests[0], &done, &status), MPI_SUCCESS);
    all_are_well(other, size - 1);
    EQUAL(MPIX_Comm_revoke(W), MPI_SUCCESS);
    EQUAL(MPIX_Comm_failure_ack(W), MPI_SUCCESS);
    EQUAL(MPIX_Comm_iagree(W, &flags[1], &request), MPI_SUCCESS);
    EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
    EQUAL(flags[1], 6);
    MPI_Comm_free(&left[0]);
    MPI_Comm_free(&left[1]);
    MPI_Comm_free(&other);
}

/* Between two groups: the AND of the other group's flags, a shrunk intercommunicator. */
static void between_two_groups(void)
{
    MPI_Comm half, inter, left, merged;
    int side = rank % 2, flag;
    MPI_Comm_split(W, side, rank, &half);
    MPI_Intercomm_create(half, 0, W, 1 - side, 5, &inter);
    flag = side ? 7 : 12;
    EQUAL(MPIX_Comm_agree(inter, &flag), MPI_SUCCESS);
    EQUAL(flag, side ? 12 : 7);
    let_die(W, 1);
    flag = 3;
    FAILS(MPIX_Comm_agree(inter, &flag), MPIX_ERR_PROC_FAILED, "rank");
    EQUAL(MPIX_Comm_failure_ack(inter), MPI_SUCCESS);
    EQUAL(MPIX_Comm_agree(inter, &flag), MPI_SUCCESS);
    expect_trouble(MPI_Barrier(inter));
    if (rank == size - 1)
        EQUAL(MPIX_Comm_revoke(inter), MPI_SUCCESS);
    EQUAL(MPIX_Comm_shrink(inter, &left), MPI_SUCCESS);
    int is_inter, local, remote, evens = (size + 1) / 2, odds = size / 2 - 1;
    MPI_Comm_test_inter(left, &is_inter);
    EQUAL(is_inter, 1);
    MPI_Comm_size(left, &local);
    MPI_Comm_remote_size(left, &remote);
    EQUAL(local, side ? odds : evens);
    EQUAL(remote, side ? evens : odds);
    EQUAL(MPI_Barrier(left), MPI_SUCCESS);
    EQUAL(MPI_Intercomm_merge(left, side, &merged), MPI_SUCCESS);
    all_are_well(merged, size - 1);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&left);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* MPI_COMM_WORLD says whether failures are survived; the codes are classes with words. */
static void names(void)
{
    int *survives = NULL, has = 0, class, length;
    char words[MPI_MAX_ERROR_STRING];
    EQUAL(MPI_Comm_get_attr(W, MPIX_FT, &survives, &has), MPI_SUCCESS);
    EQUAL(has, 1);
    EQUAL(*survives, 1);
    const int codes[] = {MPIX_ERR_PROC_FAILED, MPIX_ERR_PROC_FAILED_PENDING, MPIX_ERR_REVOKED};
    for (int i = 0; i < 3; i++) {
        EQUAL(codes[i], 75 + i);
        EQUAL(MPI_Error_class(codes[i], &class), MPI_SUCCESS);
        EQUAL(class, codes[i]);
        EQUAL(MPI_Error_string(codes[i], words, &length), MPI_SUCCESS);
    }
    CHECK(strstr(words, "revoked"));
    EQUAL(MPI_ERR_PROC_FAILED, MPIX_ERR_PROC_FAILED);
    int flag = 3, acked;
    MPI_Group dead;
    MPI_Comm copy;
    EQUAL(MPI_Comm_agree(W, &flag), MPI_SUCCESS);
    EQUAL(PMPI_Comm_agree(W, &flag), MPI_SUCCESS);
    EQUAL(PMPIX_Comm_agree(W, &flag), MPI_SUCCESS);
    EQUAL(MPI_Comm_get_failed(W, &dead), MPI_SUCCESS);
    EQUAL(PMPIX_Comm_get_failed(W, &dead), MPI_SUCCESS);
    EQUAL(PMPIX_Comm_ack_failed(W, 0, &acked), MPI_SUCCESS);
    EQUAL(PMPIX_Comm_failure_ack(W), MPI_SUCCESS);
    EQUAL(PMPIX_Comm_failure_get_acked(W, &dead), MPI_SUCCESS);
    EQUAL(PMPIX_Comm_shrink(W, &copy), MPI_SUCCESS);
    EQUAL(MPI_Comm_revoke(copy), MPI_SUCCESS);
    EQUAL(MPI_Comm_is_revoked(copy, &flag), MPI_SUCCESS);
    EQUAL(flag, 1);
    MPI_Comm_free(&copy);
    FAILS(MPIX_Comm_agree(MPI_COMM_NULL, &flag), MPI_ERR_COMM, "MPI_COMM_NULL");
    FAILS(MPIX_Comm_agree(W, NULL), MPI_ERR_ARG, "flag");
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"only-what-needs-the-dead-fails", only_what_needs_the_dead_fails},
        {"any-source-is-pending", any_source_is_pending_until_acknowledged},
        {"blocking-any-source", a_blocking_any_source_fails_until_acknowledged},
        {"others-are-untouched", other_communicators_are_untouched},
        {"list-of-the-dead", the_list_of_the_dead_only_grows_at_its_end},
        {"agree", agree_fails_for_all_until_all_have_acknowledged},
        {"shrink-down-to-one", shrink_down_to_one},
        {"nonblocking", nonblocking_forms},
        {"between-two-groups", between_two_groups},
        {"names", names},
        {NULL, NULL},
    };
    return run_ulfm(argc, argv, tests);
}
