/* What a rank keeps when another one dies and the world recovers, and what it does not.
 * `keeps CASE`: the last rank dies. */
#include "check.h"
#include "ftmpi.h"
#include <ft-mpi-modes.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define W MPI_COMM_WORLD

static int is_fresh, victim, arguments;
static char **words;

/* The victim dies as soon as all others have come here; they wait until they know. */
static void lose(void)
{
    int code;
    if (rank != victim)
        EQUAL(MPI_Send(NULL, 0, MPI_INT, victim, 1, W), MPI_SUCCESS);
    for (int other = 1; rank == victim && other < size; other++)
        EQUAL(MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 1, W, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (rank == victim)
        raise(SIGKILL);
    while ((code = MPI_Barrier(W)) == MPI_SUCCESS)
        ;
    EQUAL(code, MPI_ERR_OTHER);
}

static void recover(void)
{
    MPI_Comm again = FT_MPI_CHECK_RECOVER;
    EQUAL(MPI_Comm_dup(W, &again), MPI_SUCCESS);
    EQUAL(MPI_Comm_free(&again), MPI_SUCCESS);
}

static int *numbers(MPI_Comm comm, int key)
{
    int *value = NULL, has = 0;
    EQUAL(MPI_Comm_get_attr(comm, key, &value, &has), MPI_SUCCESS);
    EQUAL(has, 1);
    return value;
}

static int state(MPI_Comm comm)
{
    return *numbers(comm, FTMPI_COMM_STATE);
}

static void is_in_state(MPI_Comm comm, int of_comm, int of_victim)
{
    EQUAL(state(comm), of_comm);
    int *states = numbers(comm, FTMPI_RANK_STATES);
    for (int other = 0; other < size; other++)
        EQUAL(states[other], other == victim ? of_victim : FTMPI_RANK_STATE_OK);
}

static int sum_of(MPI_Comm comm, int number)
{
    int sum = -1;
    EQUAL(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    return sum;
}

/* What needs nobody else goes well. */
static void all_alone(MPI_Comm self)
{
    enum { LONG = 100000 };
    static char out[LONG], in[LONG];
    int flag = -1, place, count, places[1];
    MPI_Request requests[2];
    MPI_Comm twin;
    fill(out, LONG, rank);
    EQUAL(MPI_Irecv(in, LONG, MPI_CHAR, 0, 3, self, &requests[0]), MPI_SUCCESS);
    EQUAL(MPI_Isend(out, LONG, MPI_CHAR, 0, 3, self, &requests[1]), MPI_SUCCESS);
    EQUAL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    expect(in, LONG, rank);
    EQUAL(MPI_Irecv(in, 1, MPI_CHAR, 0, 4, self, &requests[0]), MPI_SUCCESS);
    EQUAL(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(flag, 0);
    EQUAL(MPI_Testany(1, requests, &place, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(flag, 0);
    EQUAL(MPI_Testsome(1, requests, &count, places, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EQUAL(count, 0);
    EQUAL(MPI_Testall(1, requests, &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EQUAL(flag, 0);
    EQUAL(MPI_Iprobe(0, 4, self, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(flag, 0);
    EQUAL(MPI_Send(out, 1, MPI_CHAR, 0, 4, self), MPI_SUCCESS);
    EQUAL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(MPI_Sendrecv(out, LONG, MPI_CHAR, 0, 5, in, LONG, MPI_CHAR, 0, 5, self,
                       MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(sum_of(self, 7), 7);
    EQUAL(MPI_Barrier(self), MPI_SUCCESS);
    EQUAL(MPI_Comm_dup(self, &twin), MPI_SUCCESS);
    EQUAL(MPI_Comm_free(&twin), MPI_SUCCESS);
}

static void all_local_calls(void)
{
    int number, flag, length, like, *tag_ub;
    char text[MPI_MAX_ERROR_STRING];
    double now = MPI_Wtime();
    MPI_Group group, others;
    MPI_Errhandler handler;
    EQUAL(MPI_Comm_rank(W, &number), MPI_SUCCESS);
    EQUAL(number, rank);
    EQUAL(MPI_Comm_size(W, &number), MPI_SUCCESS);
    EQUAL(number, size);
    EQUAL(MPI_Comm_group(W, &group), MPI_SUCCESS);
    EQUAL(MPI_Group_excl(group, 1, &victim, &others), MPI_SUCCESS);
    EQUAL(MPI_Group_size(others, &number), MPI_SUCCESS);
    EQUAL(number, size - 1);
    EQUAL(MPI_Group_compare(group, others, &like), MPI_SUCCESS);
    EQUAL(like, MPI_UNEQUAL);
    EQUAL(MPI_Group_free(&others), MPI_SUCCESS);
    EQUAL(MPI_Group_free(&group), MPI_SUCCESS);
    EQUAL(MPI_Comm_get_attr(W, MPI_TAG_UB, &tag_ub, &flag), MPI_SUCCESS);
    EQUAL(MPI_Comm_get_errhandler(W, &handler), MPI_SUCCESS);
    EQUAL(MPI_Comm_set_errhandler(W, handler), MPI_SUCCESS);
    EQUAL(MPI_Error_class(MPI_ERR_OTHER, &number), MPI_SUCCESS);
    EQUAL(number, MPI_ERR_OTHER);
    EQUAL(MPI_Error_string(MPI_ERR_OTHER, text, &length), MPI_SUCCESS);
    CHECK(strstr(text, "failed so far"));
    CHECK(MPI_Wtime() >= now);
}

/* Before the others recover, while they do, and after it. */
static void alone(void)
{
    MPI_Comm twin, held;
    EQUAL(MPI_Comm_dup(MPI_COMM_SELF, &twin), MPI_SUCCESS);
    if (!is_fresh) {
        is_in_state(W, FTMPI_COMM_STATE_OK, FTMPI_RANK_STATE_OK);
        EQUAL(MPI_Comm_dup(W, &held), MPI_SUCCESS);
        lose();
        all_local_calls();
        all_alone(MPI_COMM_SELF);
        /* Rank 0 goes ahead; the last ones see that it does. */
        while (rank > 0 && state(W) != FTMPI_COMM_STATE_RECOVER)
            ;
        if (rank > 0)
            is_in_state(W, FTMPI_COMM_STATE_RECOVER, FTMPI_RANK_STATE_UNAVAILABLE);
        is_in_state(held, FTMPI_COMM_STATE_DETECTED, FTMPI_RANK_STATE_UNAVAILABLE);
        EQUAL(state(MPI_COMM_SELF), FTMPI_COMM_STATE_OK);
        for (int i = 0; i < 20; i++) {
            all_local_calls();
            all_alone(MPI_COMM_SELF);
            all_alone(twin);
        }
        recover();
        EQUAL(state(held), FTMPI_COMM_STATE_FAILED);
        EQUAL(MPI_Comm_free(&held), MPI_SUCCESS);
    }
    is_in_state(W, FTMPI_COMM_STATE_RECOVERED, FTMPI_RANK_STATE_OK);
    all_local_calls();
    all_alone(MPI_COMM_SELF);
    all_alone(twin);
    EQUAL(MPI_Comm_free(&twin), MPI_SUCCESS);
}

static void product(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] *= ((int *)in)[i];
}

static void heard(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

/* Objects, attributes and handlers of survivors; a replacement has none of them. */
static void objects(void)
{
    static int secret = 4711;
    int keyval = MPI_KEYVAL_INVALID, has = -1, *value = NULL, like, out[3], bytes, result;
    char text[32];
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL, found;
    MPI_Group before = MPI_GROUP_NULL, now, common;
    if (!is_fresh) {
        MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
        MPI_Comm_set_attr(W, keyval, &secret);
        MPI_Type_vector(2, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Op_create(product, 1, &op);
        MPI_Info_create(&info);
        MPI_Info_set(info, "key", "value");
        MPI_Comm_create_errhandler(heard, &handler);
        MPI_Comm_set_errhandler(W, handler);
        MPI_Comm_set_name(W, "everybody");
        MPI_Comm_group(W, &before);
        lose();
        recover();
        EQUAL(MPI_Comm_get_attr(W, keyval, &value, &has), MPI_SUCCESS);
        EQUAL(has, 1);
        CHECK(value == &secret);
        EQUAL(MPI_Type_size(type, &bytes), MPI_SUCCESS);
        EQUAL(bytes, 2 * (int)sizeof(int));
        EQUAL(MPI_Info_get(info, "key", 31, text, &has), MPI_SUCCESS);
        CHECK(has && strcmp(text, "value") == 0);
        /* Members of a group are lives: who has come is not who has gone. */
        EQUAL(MPI_Comm_group(W, &now), MPI_SUCCESS);
        EQUAL(MPI_Group_compare(before, now, &like), MPI_SUCCESS);
        EQUAL(like, MPI_UNEQUAL);
        EQUAL(MPI_Group_translate_ranks(before, 1, &victim, now, &result), MPI_SUCCESS);
        EQUAL(result, MPI_UNDEFINED);
        EQUAL(MPI_Group_intersection(before, now, &common), MPI_SUCCESS);
        EQUAL(MPI_Group_size(common, &result), MPI_SUCCESS);
        EQUAL(result, size - 1);
        EQUAL(MPI_Comm_get_errhandler(W, &found), MPI_SUCCESS);
        CHECK(found == handler);
    } else {
        EQUAL(MPI_Comm_get_errhandler(W, &found), MPI_SUCCESS);
        CHECK(found == MPI_ERRORS_ARE_FATAL);
        MPI_Type_vector(2, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Op_create(product, 1, &op);
        /* The same key, for whoever counts them alike: there is no attribute. */
        MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
        EQUAL(MPI_Comm_get_attr(W, keyval, &value, &has), MPI_SUCCESS);
        EQUAL(has, 0);
    }
    EQUAL(MPI_Comm_get_name(W, text, &result), MPI_SUCCESS);
    CHECK(strcmp(text, is_fresh ? "MPI_COMM_WORLD" : "everybody") == 0);
    out[0] = 1, out[1] = 7, out[2] = 2;
    int after = (rank + 1) % size, ahead = (rank + size - 1) % size, in[3] = {0, 0, 0};
    EQUAL(MPI_Sendrecv(out, 1, type, after, 0, in, 1, type, ahead, 0, W, MPI_STATUS_IGNORE),
          MPI_SUCCESS);
    CHECK(in[0] == 1 && in[1] == 0 && in[2] == 2);
    int two = 2;
    EQUAL(MPI_Allreduce(&two, &result, 1, MPI_INT, op, W), MPI_SUCCESS);
    EQUAL(result, 1 << size);
    /* The world stays, whatever is done to its handle; its life goes on as it began. */
    MPI_Comm world = W;
    EQUAL(MPI_Comm_free(&world), MPI_SUCCESS);
    EQUAL(sum_of(W, 1), size);
    EQUAL(arguments, 3);
    CHECK(strcmp(words[2], "two words") == 0);
    CHECK(getenv("KEPT") && strcmp(getenv("KEPT"), "in all lives") == 0);
    CHECK(getcwd(text, sizeof text) && strcmp(text, "/") == 0);
}

/* Messages that nobody has received: gone under NOOP, kept under CONT, in the buffer of buffered
 * sends too. A replacement finds none in either case. */
static void messages(void)
{
    enum { LONG = 100000 };
    static char out[LONG], in[LONG], buffer[2 * (LONG + MPI_BSEND_OVERHEAD)];
    int is_cont = *numbers(W, FTMPI_MSG_MODE) == FTMPI_MSG_MODE_CONT, flag, bytes;
    int after = (rank + 1) % (size - 1), ahead = (rank + size - 2) % (size - 1);
    void *address;
    if (!is_fresh) {
        if (rank != victim) {
            fill(out, LONG, rank);
            MPI_Buffer_attach(buffer, sizeof buffer);
            EQUAL(MPI_Send(out, 8, MPI_CHAR, after, 20, W), MPI_SUCCESS);
            EQUAL(MPI_Bsend(out, 9, MPI_CHAR, after, 21, W), MPI_SUCCESS);
            EQUAL(MPI_Bsend(out, LONG, MPI_CHAR, after, 22, W), MPI_SUCCESS);
            EQUAL(MPI_Send(out, 8, MPI_CHAR, victim, 23, W), MPI_SUCCESS);
        }
        lose();
        recover();
    }
    EQUAL(MPI_Barrier(W), MPI_SUCCESS);
    if (is_fresh || !is_cont) {
        EQUAL(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EQUAL(flag, 0);
    }
    EQUAL(MPI_Barrier(W), MPI_SUCCESS);
    if (is_fresh)
        return;
    if (is_cont) {
        int lengths[] = {8, 9, LONG};
        for (int i = 0; i < 3; i++) {
            MPI_Status status;
            EQUAL(MPI_Recv(in, LONG, MPI_CHAR, ahead, 20 + i, W, &status), MPI_SUCCESS);
            EQUAL(count_of(&status), lengths[i]);
            expect(in, lengths[i], ahead);
        }
    }
    EQUAL(MPI_Buffer_detach(&address, &bytes), MPI_SUCCESS);
    EQUAL(bytes, (int)sizeof buffer);
}

/* Each survivor begins the recovery by the call that he likes. */
static void constructors(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group;
    if (!is_fresh) {
        MPI_Comm_group(W, &group);
        lose();
        int code = rank % 3 == 0   ? MPI_Comm_split(W, 0, 0, &made)
                   : rank % 3 == 1 ? MPI_Comm_create(W, group, &made)
                                   : MPI_Comm_dup(W, &made);
        EQUAL(code, MPI_SUCCESS);
        EQUAL(sum_of(made, 1), size);
    } else {
        EQUAL(sum_of(W, 1), size);
    }
}

/* Who has not been told of the death wants no recovery of such a call, and is told by it. */
static void unaware(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group;
    if (!is_fresh) {
        MPI_Comm_group(W, &group);
        if (rank != victim)
            EQUAL(MPI_Send(NULL, 0, MPI_INT, victim, 1, W), MPI_SUCCESS);
        for (int other = 1; rank == victim && other < size; other++)
            EQUAL(MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 1, W, MPI_STATUS_IGNORE), MPI_SUCCESS);
        if (rank == victim)
            raise(SIGKILL);
        while (*numbers(W, FTMPI_NUM_FAILED_PROCS) == 0)
            ;
        for (int told = 0; told < 2; told++) {
            int code = rank % 2 ? MPI_Comm_split(W, rank, 0, &made)
                                : MPI_Comm_create(W, group, &made);
            EQUAL(code, told ? MPI_SUCCESS : MPI_ERR_OTHER);
        }
        EQUAL(sum_of(made, 1), size);
    } else {
        EQUAL(sum_of(W, 1), size);
    }
}

/* All have the same record, and each death stands in it once. */
static void record(void)
{
    int failed, has, deaths, lists[64], *list;
    for (int round = is_fresh ? -1 : 0;; round++) {
        int most;
        EQUAL(MPI_Allreduce(&round, &most, 1, MPI_INT, MPI_MAX, W), MPI_SUCCESS);
        round = most;
        EQUAL(MPI_Comm_get_attr(W, FT_MPI_LIST_NUM_FAILED, &failed, &has), MPI_SUCCESS);
        deaths = sum_of(W, ftmpi_incarnation());
        EQUAL(failed, deaths);
        EQUAL(failed, 2 * round);
        list = numbers(W, FT_MPI_LIST_FAILED);
        for (int i = 0; i < failed; i++)
            lists[i] = list[i];
        EQUAL(MPI_Bcast(lists, failed, MPI_INT, 0, W), MPI_SUCCESS);
        for (int i = 0; i < failed; i++)
            EQUAL(list[i], lists[i]);
        if (round == 8)
            return;
        int code = MPI_Barrier(W);
        if (code == MPI_SUCCESS && (rank == round % size || rank == (3 * round + 1) % size
                                    || (round % size == (3 * round + 1) % size
                                        && rank == (round + 1) % size)))
            raise(SIGKILL);
        while (code == MPI_SUCCESS)
            code = MPI_Barrier(W);
        EQUAL(code, MPI_ERR_OTHER);
        do
            recover();
        while (MPI_Comm_get_attr(W, FT_MPI_LIST_NUM_FAILED, &failed, &has) == MPI_SUCCESS
               && failed < 2 * round + 2);
    }
}

static MPI_Comm own;
static int times, is_answered;

/* It is told which communicator the call was on, and finds who has failed. */
static void told(MPI_Comm *comm, int *code, ...)
{
    EQUAL(*code, MPI_ERR_OTHER);
    CHECK(*comm == own);
    times++;
    EQUAL(*numbers(W, FTMPI_NUM_FAILED_PROCS), 1);
    EQUAL(*numbers(W, FT_MPI_LIST_FAILED), victim);
    EQUAL(state(W) == FTMPI_COMM_STATE_DETECTED || state(W) == FTMPI_COMM_STATE_RECOVER, 1);
    recover();
    EQUAL(sum_of(W, 1), size);
    is_answered = 1;
}

/* The program recovers inside of its handler, which hears once for each call that fails. */
static void handler(void)
{
    MPI_Errhandler mine;
    if (!is_fresh) {
        int code;
        MPI_Comm_create_errhandler(told, &mine);
        MPI_Comm_dup(W, &own);
        MPI_Comm_set_errhandler(own, mine);
        lose();
        EQUAL(times, 0);
        code = MPI_Barrier(own);
        EQUAL(code, MPI_ERR_OTHER);
        EQUAL(times, 1);
        EQUAL(is_answered, 1);
        EQUAL(MPI_Comm_free(&own), MPI_SUCCESS);
    } else {
        EQUAL(sum_of(W, 1), size);
    }
    EQUAL(MPI_Barrier(W), MPI_SUCCESS);
}

/* Persistent operations on communicators that were freed, that have lost somebody, and that are
 * of before the recovery. */
static void persistent(void)
{
    int in = -1, code, flag;
    MPI_Comm freed, held;
    MPI_Request on_freed[2], on_held[3], alone[2];
    MPI_Status status;
    if (is_fresh) {
        EQUAL(MPI_Barrier(W), MPI_SUCCESS);
        return;
    }
    int after = (rank + 1) % size, ahead = (rank + size - 1) % size;
    MPI_Comm_dup(W, &freed);
    MPI_Comm_dup(W, &held);
    MPI_Send_init(&rank, 1, MPI_INT, after, 30, freed, &on_freed[0]);
    MPI_Recv_init(&in, 1, MPI_INT, ahead, 30, freed, &on_freed[1]);
    MPI_Send_init(&rank, 1, MPI_INT, after, 31, held, &on_held[0]);
    MPI_Recv_init(&in, 1, MPI_INT, ahead, 31, held, &on_held[1]);
    MPI_Barrier_init(held, MPI_INFO_NULL, &on_held[2]);
    MPI_Send_init(&rank, 1, MPI_INT, 0, 32, MPI_COMM_SELF, &alone[0]);
    MPI_Recv_init(&in, 1, MPI_INT, 0, 32, MPI_COMM_SELF, &alone[1]);
    EQUAL(MPI_Comm_free(&freed), MPI_SUCCESS);
    for (int round = 0; round < 3; round++) {
        EQUAL(MPI_Startall(2, on_freed), MPI_SUCCESS);
        EQUAL(MPI_Waitall(2, on_freed, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        EQUAL(in, ahead);
    }
    lose();
    /* Before, and then after the recovery. */
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5; i++) {
            MPI_Request *request = i < 2 ? &on_freed[i] : &on_held[i - 2];
            code = MPI_Start(request);
            if (code == MPI_SUCCESS)
                code = MPI_Wait(request, &status);
            EQUAL(code, MPI_ERR_OTHER);
            EQUAL(MPI_Test(request, &flag, &status), MPI_SUCCESS);
            EQUAL(flag, 1);
        }
        EQUAL(MPI_Startall(2, alone), MPI_SUCCESS);
        EQUAL(MPI_Waitall(2, alone, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        EQUAL(in, rank);
        if (round == 0)
            recover();
    }
    for (int i = 0; i < 2; i++) {
        EQUAL(MPI_Request_free(&on_freed[i]), MPI_SUCCESS);
        EQUAL(MPI_Request_free(&on_held[i]), MPI_SUCCESS);
        EQUAL(MPI_Request_free(&alone[i]), MPI_SUCCESS);
    }
    EQUAL(MPI_Request_free(&on_held[2]), MPI_SUCCESS);
    EQUAL(MPI_Comm_free(&held), MPI_SUCCESS);
    EQUAL(MPI_Barrier(W), MPI_SUCCESS);
}

static pthread_barrier_t both;

/* Each thread meets the death in a call of its own; both recover, one perhaps when the other has
 * done so already; and both go on in the new world. */
static void *a_thread(void *tag)
{
    int number = -1, code, mine = (int)(long)tag;
    int after = (rank + 1) % size, ahead = (rank + size - 1) % size;
    do
        code = MPI_Sendrecv(&rank, 1, MPI_INT, after, mine, &number, 1, MPI_INT, ahead, mine, W,
                            MPI_STATUS_IGNORE);
    while (code == MPI_SUCCESS);
    EQUAL(code, MPI_ERR_OTHER);
    pthread_barrier_wait(&both);
    MPI_Comm again = FT_MPI_CHECK_RECOVER;
    while ((code = MPI_Comm_dup(W, &again)) == MPI_ERR_OTHER)
        ;
    EQUAL(code, MPI_SUCCESS);
    EQUAL(MPI_Comm_free(&again), MPI_SUCCESS);
    return NULL;
}

static void around(int tag)
{
    int number = -1, after = (rank + 1) % size, ahead = (rank + size - 1) % size;
    EQUAL(MPI_Sendrecv(&rank, 1, MPI_INT, after, tag, &number, 1, MPI_INT, ahead, tag, W,
                       MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(number, ahead);
}

static void *goes_around(void *tag)
{
    for (int i = 0; i < 100; i++)
        around((int)(long)tag);
    return NULL;
}

static void threads(void)
{
    enum { ROUNDS = 12 };
    pthread_t other;
    pthread_barrier_init(&both, NULL, 2);
    for (int round = is_fresh ? -1 : 0;; round++) {
        int most;
        EQUAL(MPI_Allreduce(&round, &most, 1, MPI_INT, MPI_MAX, W), MPI_SUCCESS);
        round = most;
        pthread_create(&other, NULL, goes_around, (void *)40L);
        goes_around((void *)41L);
        pthread_join(other, NULL);
        EQUAL(MPI_Barrier(W), MPI_SUCCESS);
        if (round == ROUNDS)
            return;
        victim = round % size;
        if (rank == victim) {
            around(42);
            raise(SIGKILL);
        }
        pthread_create(&other, NULL, a_thread, (void *)42L);
        a_thread((void *)43L);
        pthread_join(other, NULL);
    }
}

int main(int argc, char **argv)
{
    int provided;
    arguments = argc;
    words = argv;
    is_fresh = MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS;
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    victim = size - 1;
    const struct test tests[] = {
        {"alone", alone},     {"objects", objects},       {"messages", messages},
        {"record", record},   {"constructors", constructors}, {"handler", handler},
        {"threads", threads}, {"persistent", persistent}, {"unaware", unaware}, {NULL, NULL},
    };
    for (const struct test *test = tests; test->name; test++)
        if (strcmp(argv[1], test->name) == 0)
            test->run();
    if (rank == 0)
        printf("%s: done\n", argv[1]);
    return MPI_Finalize();
}
