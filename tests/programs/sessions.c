/* Sessions: MPI without MPI_COMM_WORLD, process sets, buffers and error handlers of sessions. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        fprintf(stderr, "%s:%d: rank %d: ", __FILE__, __LINE__, rank);                             \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fprintf(stderr, "\n");                                                                     \
        exit(99);                                                                                  \
    } while (0)

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what))                                                                               \
            FAIL("not so: %s", #what);                                                             \
    } while (0)

#define EQUAL(seen, wanted)                                                                        \
    do {                                                                                           \
        long long seen_ = (long long)(seen), wanted_ = (long long)(wanted);                        \
        if (seen_ != wanted_)                                                                      \
            FAIL("%s is %lld, not %lld", #seen, seen_, wanted_);                                   \
    } while (0)

/* The call fails with this class, and the words about it hold this text. */
#define FAILS(call, wanted, text)                                                                  \
    do {                                                                                           \
        int code_ = (call), class_ = -1, length_;                                                  \
        char words_[MPI_MAX_ERROR_STRING] = "";                                                    \
        MPI_Error_class(code_, &class_);                                                           \
        MPI_Error_string(code_, words_, &length_);                                                 \
        if (class_ != (wanted))                                                                    \
            FAIL("%s: class %d (%s), not %d", #call, class_, words_, wanted);                      \
        if (!strstr(words_, text))                                                                 \
            FAIL("%s: \"%s\" does not say \"%s\"", #call, words_, text);                           \
    } while (0)

static MPI_Session opened(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    EQUAL(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK(session != MPI_SESSION_NULL);
    return session;
}

/* The communicator of everybody in `session`. */
static MPI_Comm everybody(MPI_Session session, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    EQUAL(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), MPI_SUCCESS);
    EQUAL(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
          MPI_SUCCESS);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    return comm;
}

static void without_world(void)
{
    int flag, sum = 0, result;
    MPI_Session session = opened();
    MPI_Initialized(&flag);
    EQUAL(flag, 0);
    MPI_Comm comm = everybody(session, "org.example/all");
    EQUAL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    EQUAL(sum, size * (size - 1) / 2);
    /* Two libraries, two sessions: their messages are apart, and so are their errors. */
    MPI_Session other = opened();
    MPI_Comm second = everybody(other, "org.example/second");
    MPI_Comm_compare(comm, second, &result);
    EQUAL(result, MPI_CONGRUENT);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, a = rank, b = 100 + rank, got;
    MPI_Request requests[2];
    MPI_Isend(&a, 1, MPI_INT, right, 0, comm, &requests[0]);
    MPI_Isend(&b, 1, MPI_INT, right, 0, second, &requests[1]);
    MPI_Recv(&got, 1, MPI_INT, left, 0, second, MPI_STATUS_IGNORE);
    EQUAL(got, 100 + left);
    MPI_Recv(&got, 1, MPI_INT, left, 0, comm, MPI_STATUS_IGNORE);
    EQUAL(got, left);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&second);
    EQUAL(MPI_Session_finalize(&other), MPI_SUCCESS);
    CHECK(other == MPI_SESSION_NULL);
    MPI_Comm half;
    EQUAL(MPI_Comm_split(comm, rank % 2, 0, &half), MPI_SUCCESS);
    EQUAL(MPI_Barrier(half), MPI_SUCCESS);
    MPI_Comm_free(&half);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    /* And another one after that. */
    session = opened();
    comm = everybody(session, "org.example/all");
    EQUAL(MPI_Barrier(comm), MPI_SUCCESS);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

static void beside_world(void)
{
    MPI_Session before = opened(), during;
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    during = opened();
    MPI_Comm first = everybody(before, "first"), second = everybody(during, "second");
    EQUAL(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    EQUAL(MPI_Barrier(first), MPI_SUCCESS);
    MPI_Finalize();
    /* The world is gone; the sessions are not. */
    EQUAL(MPI_Barrier(second), MPI_SUCCESS);
    EQUAL(MPI_Barrier(first), MPI_SUCCESS);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
    MPI_Session_finalize(&during);
    MPI_Session_finalize(&before);
}

static void sets(void)
{
    MPI_Session session = opened();
    MPI_Comm comm = everybody(session, "sets");
    int count, length = 0, value, flag;
    char name[MPI_MAX_PSET_NAME_LEN] = "as it was";
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
    CHECK(count >= 2);
    int has_world = 0, has_self = 0;
    for (int i = 0; i < count; i++) {
        length = 0;
        EQUAL(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL), MPI_SUCCESS);
        int room = length;
        EQUAL(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &room, name), MPI_SUCCESS);
        EQUAL(strlen(name) + 1, (size_t)length);
        EQUAL(room, length);
        has_world += strcmp(name, "mpi://WORLD") == 0;
        has_self += strcmp(name, "mpi://SELF") == 0;
        MPI_Info info;
        char text[20];
        EQUAL(MPI_Session_get_pset_info(session, name, &info), MPI_SUCCESS);
        int buflen = sizeof text;
        MPI_Info_get_string(info, "mpi_size", &buflen, text, &flag);
        CHECK(flag);
        EQUAL(atoi(text), strcmp(name, "mpi://SELF") ? size : 1);
        MPI_Info_free(&info);
    }
    EQUAL(has_world, 1);
    EQUAL(has_self, 1);
    length = 4;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
    CHECK(strlen(name) == 3);
    CHECK(length > 4);
    FAILS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, count, &length, name), MPI_ERR_ARG,
          "n is");
    FAILS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, name), MPI_ERR_ARG, "n is");
    MPI_Info info;
    FAILS(MPI_Session_get_pset_info(session, "no such set", &info), MPI_ERR_ARG, "no such set");
    MPI_Group group;
    EQUAL(MPI_Group_from_session_pset(session, "no such set", &group), MPI_SUCCESS);
    CHECK(group == MPI_GROUP_NULL);
    EQUAL(MPI_Group_from_session_pset(session, "mpi://SELF", &group), MPI_SUCCESS);
    MPI_Group_size(group, &value);
    EQUAL(value, 1);
    MPI_Group upper;
    EQUAL(MPI_Group_from_session_pset(session, "MPI://self", &upper), MPI_SUCCESS);
    MPI_Group_compare(group, upper, &value);
    EQUAL(value, MPI_IDENT);
    MPI_Group_free(&upper);
    EQUAL(MPI_Group_from_session_pset(session, "mpi://world", &upper), MPI_SUCCESS);
    MPI_Group_size(upper, &value);
    EQUAL(value, size);
    MPI_Group_free(&upper);
    EQUAL(MPI_Session_get_pset_info(session, "mpi://world", &info), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Comm alone;
    EQUAL(MPI_Comm_create_from_group(group, "alone", MPI_INFO_NULL, MPI_ERRORS_RETURN, &alone),
          MPI_SUCCESS);
    MPI_Comm_size(alone, &value);
    EQUAL(value, 1);
    EQUAL(MPI_Barrier(alone), MPI_SUCCESS);
    MPI_Comm_free(&alone);
    MPI_Group_free(&group);
    EQUAL(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                     &alone),
          MPI_SUCCESS);
    CHECK(alone == MPI_COMM_NULL);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

/* Communicators of parts that overlap, made in different orders of names. */
static void tags(void)
{
    MPI_Session session = opened();
    MPI_Comm comm = everybody(session, "tags"), made[3];
    MPI_Group all, lower, upper;
    MPI_Comm_group(comm, &all);
    int half = size / 2, ranges[1][3] = {{0, half, 1}}, value;
    MPI_Group_range_incl(all, 1, ranges, &lower);
    MPI_Group_excl(all, 1, (int[]){0}, &upper);
    MPI_Info hints, seen;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mpi_assert_no_any_source", "true");
    for (int turn = 0; turn < 10; turn++) {
        made[0] = made[1] = MPI_COMM_NULL;
        if (rank <= half)
            EQUAL(MPI_Comm_create_from_group(lower, "part", hints, MPI_ERRORS_RETURN, &made[0]),
                  MPI_SUCCESS);
        if (rank > 0)
            EQUAL(MPI_Comm_create_from_group(upper, "part", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                             &made[1]),
                  MPI_SUCCESS);
        for (int i = 0; i < 2; i++) {
            if (made[i] == MPI_COMM_NULL)
                continue;
            int sum = -1, one = 1;
            EQUAL(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made[i]), MPI_SUCCESS);
            MPI_Comm_size(made[i], &value);
            EQUAL(sum, value);
            EQUAL(value, i == 0 ? half + 1 : size - 1);
        }
        if (made[0] != MPI_COMM_NULL) {
            MPI_Comm_get_info(made[0], &seen);
            int flag, length;
            MPI_Info_get_valuelen(seen, "mpi_assert_no_any_source", &length, &flag);
            CHECK(flag);
            MPI_Info_free(&seen);
            MPI_Comm_free(&made[0]);
        }
        if (made[1] != MPI_COMM_NULL)
            MPI_Comm_free(&made[1]);
    }
    MPI_Info_free(&hints);
    /* Errors of the call are the error handler's that it was given. */
    char longest[MPI_MAX_STRINGTAG_LEN + 1];
    memset(longest, 'x', MPI_MAX_STRINGTAG_LEN);
    longest[MPI_MAX_STRINGTAG_LEN] = 0;
    FAILS(MPI_Comm_create_from_group(all, longest, MPI_INFO_NULL, MPI_ERRORS_RETURN, &made[0]),
          MPI_ERR_ARG, "stringtag");
    longest[MPI_MAX_STRINGTAG_LEN - 1] = 0;
    EQUAL(MPI_Comm_create_from_group(all, longest, MPI_INFO_NULL, MPI_ERRORS_RETURN, &made[0]),
          MPI_SUCCESS);
    MPI_Comm_free(&made[0]);
    if (rank == 0 && size > 1)
        FAILS(MPI_Comm_create_from_group(upper, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made[0]),
              MPI_ERR_GROUP, "calling process");
    FAILS(MPI_Comm_create_from_group(MPI_GROUP_NULL, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                     &made[0]),
          MPI_ERR_GROUP, "MPI_GROUP_NULL");
    MPI_Group_free(&all);
    MPI_Group_free(&lower);
    MPI_Group_free(&upper);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

static int heard, heard_code;
static MPI_Session heard_session;

static void hear(MPI_Session *session, int *code, ...)
{
    heard++;
    heard_session = *session;
    heard_code = *code;
}

static void hear_comm(MPI_Comm *comm, int *code, ...)
{
    heard += *comm == MPI_COMM_NULL ? 10 : 1000;
    heard_code = *code;
}

static void handlers(void)
{
    MPI_Errhandler handler, seen, on_comm;
    MPI_Session session = MPI_SESSION_NULL, other = opened();
    MPI_Info info;
    EQUAL(MPI_Session_create_errhandler(hear, &handler), MPI_SUCCESS);
    MPI_Session_init(MPI_INFO_NULL, handler, &session);
    FAILS(MPI_Session_get_pset_info(session, "none", &info), MPI_ERR_ARG, "none");
    EQUAL(heard, 1);
    CHECK(heard_session == session);
    EQUAL(heard_code, MPI_ERR_ARG);
    FAILS(MPI_Session_get_pset_info(other, "none", &info), MPI_ERR_ARG, "none");
    EQUAL(heard, 1);
    EQUAL(MPI_Session_call_errhandler(session, MPI_ERR_SIZE), MPI_SUCCESS);
    EQUAL(heard, 2);
    EQUAL(heard_code, MPI_ERR_SIZE);
    EQUAL(MPI_Session_call_errhandler(other, MPI_ERR_SIZE), MPI_SUCCESS);
    EQUAL(heard, 2);
    MPI_Session_get_errhandler(session, &seen);
    CHECK(seen == handler);
    MPI_Errhandler_free(&seen);
    MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN);
    MPI_Session_get_errhandler(session, &seen);
    CHECK(seen == MPI_ERRORS_RETURN);
    FAILS(MPI_Session_get_pset_info(session, "none", &info), MPI_ERR_ARG, "none");
    EQUAL(heard, 2);
    MPI_Errhandler_free(&handler);
    /* The argument of a constructor hears of its failure. */
    MPI_Comm_create_errhandler(hear_comm, &on_comm);
    MPI_Comm made;
    FAILS(MPI_Comm_create_from_group(MPI_GROUP_NULL, "x", MPI_INFO_NULL, on_comm, &made),
          MPI_ERR_GROUP, "MPI_GROUP_NULL");
    EQUAL(heard, 12);
    FAILS(MPI_Session_init(MPI_INFO_NULL, on_comm, NULL), MPI_ERR_ARG, "session");
    EQUAL(heard, 22);
    MPI_Errhandler_free(&on_comm);
    MPI_Session closed = other;
    MPI_Session_finalize(&other);
    EQUAL(other == MPI_SESSION_NULL, 1);
    /* What names no session is the initial error handler's business: the job would end. */
    MPI_Session_finalize(&session);
    (void)closed;
}

static void wrong_sessions(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Session session = MPI_SESSION_NULL, closed = opened();
    MPI_Info info;
    MPI_Errhandler handler;
    int value;
    FAILS(MPI_Session_finalize(&session), MPI_ERR_SESSION, "MPI_SESSION_NULL");
    FAILS(MPI_Session_get_info(session, &info), MPI_ERR_SESSION, "MPI_SESSION_NULL");
    FAILS(MPI_Session_get_num_psets(MPI_Session_fromint(MPI_Comm_toint(MPI_COMM_WORLD)),
                                    MPI_INFO_NULL, &value),
          MPI_ERR_SESSION, "not a valid session");
    session = closed;
    EQUAL(MPI_Session_finalize(&session), MPI_SUCCESS);
    FAILS(MPI_Session_finalize(&closed), MPI_ERR_SESSION, "freed");
    FAILS(MPI_Session_flush_buffer(closed), MPI_ERR_SESSION, "session");
    FAILS(MPI_Session_call_errhandler(closed, 1), MPI_ERR_SESSION, "session");
    FAILS(MPI_Session_get_errhandler(closed, &handler), MPI_ERR_SESSION, "session");
    FAILS(MPI_Session_create_errhandler(NULL, &handler), MPI_ERR_ARG, "null");
    FAILS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &session), MPI_ERR_ERRHANDLER,
          "errhandler");
    MPI_Finalize();
}

static void buffers(void)
{
    enum { BYTES = 3000 };
    static char room[BYTES + MPI_BSEND_OVERHEAD], data[BYTES], into[BYTES];
    MPI_Session session = opened();
    MPI_Comm comm = everybody(session, "buffers"), part;
    int right = (rank + 1) % size, left = (rank + size - 1) % size, bytes;
    FAILS(MPI_Bsend(data, BYTES, MPI_CHAR, right, 0, comm), MPI_ERR_BUFFER, "no buffer");
    EQUAL(MPI_Session_attach_buffer(session, room, sizeof room), MPI_SUCCESS);
    FAILS(MPI_Session_attach_buffer(session, room, sizeof room), MPI_ERR_BUFFER, "already");
    /* What comes from the session's communicators is the session's too. */
    MPI_Comm_split(comm, 0, -rank, &part);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Comm on = turn ? part : comm;
        int to = turn ? size - 1 - right : right, from = turn ? size - 1 - left : left;
        memset(data, rank + turn, BYTES);
        EQUAL(MPI_Bsend(data, BYTES, MPI_CHAR, to, 0, on), MPI_SUCCESS);
        FAILS(MPI_Bsend(data, BYTES, MPI_CHAR, to, 0, on), MPI_ERR_BUFFER, "free");
        EQUAL(MPI_Barrier(on), MPI_SUCCESS);
        MPI_Request request;
        EQUAL(MPI_Session_iflush_buffer(session, &request), MPI_SUCCESS);
        EQUAL(MPI_Recv(into, BYTES, MPI_CHAR, from, 0, on, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EQUAL(into[BYTES - 1], left + turn);
        EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EQUAL(MPI_Session_flush_buffer(session), MPI_SUCCESS);
    }
    void *at;
    MPI_Count large;
    EQUAL(MPI_Session_detach_buffer(session, &at, &bytes), MPI_SUCCESS);
    CHECK(at == room && bytes == sizeof room);
    EQUAL(MPI_Session_attach_buffer_c(session, MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
    EQUAL(MPI_Bsend(data, BYTES, MPI_CHAR, right, 1, comm), MPI_SUCCESS);
    EQUAL(MPI_Recv(into, BYTES, MPI_CHAR, left, 1, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EQUAL(MPI_Session_detach_buffer_c(session, &at, &large), MPI_SUCCESS);
    CHECK(at == MPI_BUFFER_AUTOMATIC);
    MPI_Comm_free(&part);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

static void infos(void)
{
    MPI_Info hints, seen;
    MPI_Session session;
    char text[100];
    int flag, length = sizeof text;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "thread_level", "MPI_THREAD_FUNNELED");
    MPI_Info_set(hints, "mpi_memory_alloc_kinds", "mpi,system,cuda");
    EQUAL(MPI_Session_init(hints, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    EQUAL(MPI_Session_get_info(session, &seen), MPI_SUCCESS);
    MPI_Info_get_string(seen, "thread_level", &length, text, &flag);
    CHECK(flag && strcmp(text, "MPI_THREAD_FUNNELED") == 0);
    length = sizeof text;
    MPI_Info_get_string(seen, "mpi_memory_alloc_kinds", &length, text, &flag);
    CHECK(flag && strcmp(text, "mpi,system") == 0);
    MPI_Info_free(&seen);
    MPI_Info_free(&hints);
    MPI_Session_finalize(&session);
    session = opened();
    MPI_Session_get_info(session, &seen);
    length = sizeof text;
    MPI_Info_get_string(seen, "thread_level", &length, text, &flag);
    CHECK(flag && strcmp(text, "MPI_THREAD_MULTIPLE") == 0);
    MPI_Info_free(&seen);
    MPI_Session_finalize(&session);
}

static void names_the_world(void)
{
    opened();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void leaves_one_open(void)
{
    opened();
}

static void intercommunicator(void)
{
    MPI_Session session = opened();
    MPI_Comm comm = everybody(session, "sides"), between;
    MPI_Group all, mine, other;
    int half = size / 2, is_low = rank < half, value, remote;
    if (half > 0) {
        MPI_Comm_group(comm, &all);
        int low[1][3] = {{0, half - 1, 1}}, high[1][3] = {{half, size - 1, 1}};
        MPI_Group_range_incl(all, 1, is_low ? low : high, &mine);
        MPI_Group_range_incl(all, 1, is_low ? high : low, &other);
        int mine_leads = is_low ? 0 : size - half - 1, other_leads = is_low ? size - half - 1 : 0;
        int i_lead = rank == (is_low ? 0 : size - 1);
        /* Who does not lead need not know the others. */
        EQUAL(MPI_Intercomm_create_from_groups(mine, mine_leads, i_lead ? other : MPI_GROUP_NULL,
                                               i_lead ? other_leads : -7, "between", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &between),
              MPI_SUCCESS);
        MPI_Comm_test_inter(between, &value);
        EQUAL(value, 1);
        MPI_Comm_remote_size(between, &remote);
        EQUAL(remote, is_low ? size - half : half);
        MPI_Comm_rank(between, &value);
        int partner = value % remote, got = -1, mine_value = rank;
        MPI_Request request;
        MPI_Isend(&mine_value, 1, MPI_INT, partner, 3, between, &request);
        int count = 0, theirs = is_low ? size - half : half, ours = size - theirs;
        for (int from = 0; from < theirs; from++)
            count += from % ours == value;
        for (int i = 0; i < count; i++) {
            MPI_Status status;
            EQUAL(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, between, &status), MPI_SUCCESS);
            EQUAL(got, status.MPI_SOURCE + (is_low ? half : 0));
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&between);
        FAILS(MPI_Intercomm_create_from_groups(mine, 99, other, 0, "x", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &between),
              MPI_ERR_RANK, "local_leader");
        FAILS(MPI_Intercomm_create_from_groups(other, 0, mine, 0, "x", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &between),
              MPI_ERR_GROUP, "calling process");
        MPI_Group_free(&all);
        MPI_Group_free(&mine);
        MPI_Group_free(&other);
    }
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

/* Rank 0 may be gone long before rank 1 wants what it has sent. */
static void ends_before_it_is_received(void)
{
    enum { LONGEST = 1000000 };
    static char data[3][LONGEST];
    const int bytes[] = {8, 60000, LONGEST};
    MPI_Session session = opened();
    MPI_Comm comm = everybody(session, "late");
    memset(data, rank == 0 ? 7 : 0, sizeof data);
    for (int i = 0; i < 3; i++) {
        MPI_Request request;
        if (rank == 0) {
            MPI_Isend(data[i], bytes[i], MPI_BYTE, 1, i, comm, &request);
            MPI_Request_free(&request);
        }
        if (rank == 1) {
            usleep(50000);
            MPI_Recv(data[i], bytes[i], MPI_BYTE, 0, i, comm, MPI_STATUS_IGNORE);
            EQUAL(data[i][0], 7);
            EQUAL(data[i][bytes[i] - 1], 7);
        }
    }
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

/* Whoever has come out of the barrier may be gone before others have. */
static void ends_with_a_barrier(void)
{
    MPI_Session session = opened();
    MPI_Comm comm = everybody(session, "barrier");
    EQUAL(MPI_Barrier(comm), MPI_SUCCESS);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {{"without-world", without_world},
                 {"beside-world", beside_world},
                 {"sets", sets},
                 {"tags", tags},
                 {"handlers", handlers},
                 {"wrong-sessions", wrong_sessions},
                 {"buffers", buffers},
                 {"infos", infos},
                 {"intercommunicator", intercommunicator},
                 {"names-the-world", names_the_world},
                 {"leaves-one-open", leaves_one_open},
                 {"ends-before-it-is-received", ends_before_it_is_received},
                 {"ends-with-a-barrier", ends_with_a_barrier}};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (argc > 1 && strcmp(argv[1], tests[i].name) == 0) {
            tests[i].run();
            return 0;
        }
    }
    FAIL("there is no test %s", argc > 1 ? argv[1] : "");
}
