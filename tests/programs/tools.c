/* The tools interface: every variable, category and event can be found, described and used; wrong
 * uses say so by the codes of the standard; variables say what has happened. */
#include "check.h"
#include "ftmpi.h"

#define W MPI_COMM_WORLD
#define OK(call) EQUAL(call, MPI_SUCCESS)

static int number_of_cvar(const char *name)
{
    int index = -1;
    OK(MPI_T_cvar_get_index(name, &index));
    return index;
}

static MPI_T_cvar_handle cvar_of(const char *name, void *object)
{
    MPI_T_cvar_handle handle;
    int count = 0;
    OK(MPI_T_cvar_handle_alloc(number_of_cvar(name), object, &handle, &count));
    CHECK(count >= 1);
    return handle;
}

static unsigned long long size_of_cvar(const char *name)
{
    unsigned long long value = 77;
    MPI_T_cvar_handle handle = cvar_of(name, NULL);
    OK(MPI_T_cvar_read(handle, &value));
    OK(MPI_T_cvar_handle_free(&handle));
    return value;
}

static int int_of_cvar(const char *name)
{
    int value = 77;
    MPI_T_cvar_handle handle = cvar_of(name, &(MPI_Comm){W});
    OK(MPI_T_cvar_read(handle, &value));
    OK(MPI_T_cvar_handle_free(&handle));
    return value;
}

static int index_of_pvar(const char *name)
{
    for (int class = MPI_T_PVAR_CLASS_STATE; class <= MPI_T_PVAR_CLASS_GENERIC; class++) {
        int index;
        if (MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS)
            return index;
    }
    FAIL("no performance variable %s", name);
    return -1;
}

static MPI_T_pvar_session session;

static MPI_T_pvar_handle pvar_of(const char *name)
{
    MPI_T_pvar_handle handle;
    int count = 0;
    OK(MPI_T_pvar_handle_alloc(session, index_of_pvar(name), NULL, &handle, &count));
    EQUAL(count, 1);
    return handle;
}

static unsigned long long value_of(MPI_T_pvar_handle handle)
{
    unsigned long long value = 77;
    OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

static void begin(void)
{
    int provided;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_session_create(&session));
}

static void end(void)
{
    OK(MPI_T_pvar_session_free(&session));
    CHECK(session == MPI_T_PVAR_SESSION_NULL);
    OK(MPI_T_finalize());
}

/* The words of an enumeration. */
static void walk_enum(MPI_T_enum words, int expected)
{
    char name[100];
    int count, length = sizeof name, value;
    OK(MPI_T_enum_get_info(words, &count, name, &length));
    CHECK(count > 0 && length == (int)strlen(name) + 1);
    if (expected)
        EQUAL(count, expected);
    for (int i = 0; i < count; i++) {
        length = sizeof name;
        OK(MPI_T_enum_get_item(words, i, &value, name, &length));
        CHECK(value == i && length > 1);
    }
    EQUAL(MPI_T_enum_get_item(words, count, &value, name, &length), MPI_T_ERR_INVALID_INDEX);
    EQUAL(MPI_T_enum_get_item(words, -1, &value, name, &length), MPI_T_ERR_INVALID_INDEX);
}

/* Texts are cut to their room, and all of their length is told. */
static void texts(void)
{
    char name[200], cut[5] = "####";
    int length = sizeof name, whole, none = 0, four = 4;
    OK(MPI_T_cvar_get_info(0, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    whole = (int)strlen(name) + 1;
    EQUAL(length, whole);
    OK(MPI_T_cvar_get_info(0, cut, &four, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    EQUAL(four, whole);
    CHECK(strncmp(cut, name, 3) == 0 && cut[3] == 0);
    OK(MPI_T_cvar_get_info(0, cut, &none, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    EQUAL(none, whole);
    length = 3;
    OK(MPI_T_cvar_get_info(0, NULL, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    EQUAL(length, whole);
    strcpy(cut, "####");
    OK(MPI_T_cvar_get_info(0, cut, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    EQUAL(strcmp(cut, "####"), 0);
}

static void walk_cvars(void)
{
    int count, index;
    OK(MPI_T_cvar_get_num(&count));
    CHECK(count > 30);
    for (int i = 0; i < count; i++) {
        char name[100], text[300], value[5000];
        int length = sizeof name, more = sizeof text, verbosity, bind, scope, values;
        MPI_Datatype type;
        MPI_T_enum words;
        MPI_Comm comm = W;
        OK(MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &words, text, &more, &bind,
                               &scope));
        CHECK(length > 2 && more > 10 && more < 300);
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK(bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM);
        CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
        OK(MPI_T_cvar_get_index(name, &index));
        EQUAL(index, i);
        if (words != MPI_T_ENUM_NULL) {
            CHECK(type == MPI_INT);
            walk_enum(words, 0);
        }
        MPI_T_cvar_handle handle;
        OK(MPI_T_cvar_handle_alloc(i, &comm, &handle, &values));
        CHECK(type == MPI_CHAR ? values >= 1 && values < 5000 : values == 1);
        OK(MPI_T_cvar_read(handle, value));
        if (scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY)
            EQUAL(MPI_T_cvar_write(handle, value), MPI_T_ERR_CVAR_SET_NEVER);
        else if (bind == MPI_T_BIND_NO_OBJECT)
            OK(MPI_T_cvar_write(handle, value));
        if (rank == 0)
            printf("cvar %s\n", name);
        OK(MPI_T_cvar_handle_free(&handle));
        CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    }
    EQUAL(MPI_T_cvar_get_index("no such thing", &index), MPI_T_ERR_INVALID_NAME);
    EQUAL(MPI_T_cvar_get_index(NULL, &index), MPI_T_ERR_INVALID);
    EQUAL(MPI_T_cvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
          MPI_T_ERR_INVALID_INDEX);
    EQUAL(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
          MPI_T_ERR_INVALID_INDEX);
    EQUAL(MPI_T_cvar_get_num(NULL), MPI_T_ERR_INVALID);
    MPI_T_cvar_handle handle = cvar_of("ranks", NULL), stale = handle;
    EQUAL(MPI_T_cvar_handle_alloc(count, NULL, &handle, &index), MPI_T_ERR_INVALID_INDEX);
    OK(MPI_T_cvar_handle_free(&handle));
    EQUAL(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
    EQUAL(MPI_T_cvar_read(stale, &index), MPI_T_ERR_INVALID_HANDLE);
    EQUAL(MPI_T_cvar_write(MPI_T_CVAR_HANDLE_NULL, &index), MPI_T_ERR_INVALID_HANDLE);
}

static void walk_pvars(void)
{
    int count, index;
    OK(MPI_T_pvar_get_num(&count));
    CHECK(count > 25);
    for (int i = 0; i < count; i++) {
        char name[100], text[300];
        int length = sizeof name, more = sizeof text, verbosity, class, bind, readonly, continuous,
            atomic, values;
        union {
            unsigned long long size;
            double real;
        } value, again;
        MPI_Datatype type;
        MPI_T_enum words;
        MPI_T_pvar_handle handle;
        OK(MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &words, text, &more,
                               &bind, &readonly, &continuous, &atomic));
        CHECK(length > 2 && more > 10 && more < 300 && bind == MPI_T_BIND_NO_OBJECT);
        CHECK(type == MPI_UNSIGNED_LONG_LONG || type == MPI_DOUBLE);
        OK(MPI_T_pvar_get_index(name, class, &index));
        EQUAL(index, i);
        EQUAL(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_GENERIC, &index),
              MPI_T_ERR_INVALID_NAME);
        OK(MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &values));
        if (continuous) {
            EQUAL(MPI_T_pvar_start(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
            EQUAL(MPI_T_pvar_stop(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
        } else {
            OK(MPI_T_pvar_start(session, handle));
            OK(MPI_T_pvar_start(session, handle));
            OK(MPI_T_pvar_stop(session, handle));
        }
        OK(MPI_T_pvar_read(session, handle, &value));
        if (readonly) {
            EQUAL(MPI_T_pvar_write(session, handle, &value), MPI_T_ERR_PVAR_NO_WRITE);
            EQUAL(MPI_T_pvar_reset(session, handle), MPI_T_ERR_PVAR_NO_WRITE);
            EQUAL(MPI_T_pvar_readreset(session, handle, &value), MPI_T_ERR_PVAR_NO_WRITE);
        } else {
            if (type == MPI_DOUBLE)
                value.real = 1.5;
            else
                value.size = 1000;
            OK(MPI_T_pvar_write(session, handle, &value));
            OK(MPI_T_pvar_readreset(session, handle, &again));
            CHECK(type == MPI_DOUBLE ? again.real >= 1.5 && again.real < 1.6
                                     : again.size >= 1000 && again.size < 1100);
            OK(MPI_T_pvar_reset(session, handle));
            OK(MPI_T_pvar_read(session, handle, &again));
            CHECK(type == MPI_DOUBLE ? again.real < 1.5 : again.size < 1000);
        }
        if (rank == 0)
            printf("pvar %s\n", name);
        OK(MPI_T_pvar_handle_free(session, &handle));
        CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
    }
    EQUAL(MPI_T_pvar_get_index("no such thing", MPI_T_PVAR_CLASS_LEVEL, &index),
          MPI_T_ERR_INVALID_NAME);
    EQUAL(MPI_T_pvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                              NULL, NULL),
          MPI_T_ERR_INVALID_INDEX);
    EQUAL(MPI_T_pvar_get_num(NULL), MPI_T_ERR_INVALID);
}

static void sessions(void)
{
    MPI_T_pvar_session other, gone;
    MPI_T_pvar_handle handle = pvar_of("collectives"), made;
    unsigned long long value;
    int count;
    OK(MPI_T_pvar_session_create(&other));
    EQUAL(MPI_T_pvar_read(other, handle, &value), MPI_T_ERR_INVALID_HANDLE);
    EQUAL(MPI_T_pvar_read(session, MPI_T_PVAR_HANDLE_NULL, &value), MPI_T_ERR_INVALID_HANDLE);
    EQUAL(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
    EQUAL(MPI_T_pvar_handle_alloc(other, 9999, NULL, &made, &count), MPI_T_ERR_INVALID_INDEX);
    OK(MPI_T_pvar_start(other, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_handle_alloc(other, 0, NULL, &made, &count));
    gone = other;
    OK(MPI_T_pvar_session_free(&other));
    EQUAL(MPI_T_pvar_session_free(&other), MPI_T_ERR_INVALID_SESSION);
    EQUAL(MPI_T_pvar_read(gone, made, &value), MPI_T_ERR_INVALID_SESSION);
    EQUAL(MPI_T_pvar_handle_alloc(gone, 0, NULL, &made, &count), MPI_T_ERR_INVALID_SESSION);
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    made = MPI_T_PVAR_ALL_HANDLES;
    EQUAL(MPI_T_pvar_handle_free(session, &made), MPI_T_ERR_INVALID_HANDLE);
    OK(MPI_T_pvar_handle_free(session, &handle));
}

static void walk_categories(void)
{
    int count, stamp, again, seen[3] = {0}, all[3], index, below = 0;
    OK(MPI_T_category_changed(&stamp));
    OK(MPI_T_category_get_num(&count));
    OK(MPI_T_cvar_get_num(&all[0]));
    OK(MPI_T_pvar_get_num(&all[1]));
    OK(MPI_T_event_get_num(&all[2]));
    for (int i = 0; i < count; i++) {
        char name[100], text[300];
        int length = sizeof name, more = sizeof text, cvars, pvars, events, children;
        int indices[100] = {[99] = 12345};
        OK(MPI_T_category_get_info(i, name, &length, text, &more, &cvars, &pvars, &children));
        OK(MPI_T_category_get_num_events(i, &events));
        OK(MPI_T_category_get_index(name, &index));
        EQUAL(index, i);
        OK(MPI_T_category_get_cvars(i, 99, indices));
        for (int k = 0; k < cvars; k++)
            CHECK(indices[k] >= 0 && indices[k] < all[0]);
        OK(MPI_T_category_get_pvars(i, 99, indices));
        for (int k = 0; k < pvars; k++)
            CHECK(indices[k] >= 0 && indices[k] < all[1]);
        OK(MPI_T_category_get_events(i, 99, indices));
        for (int k = 0; k < events; k++)
            CHECK(indices[k] >= 0 && indices[k] < all[2]);
        indices[1] = -5;
        OK(MPI_T_category_get_categories(i, children > 1 ? 1 : children, indices));
        if (children > 1)
            EQUAL(indices[1], -5);
        OK(MPI_T_category_get_categories(i, 99, indices));
        for (int k = 0; k < children; k++)
            CHECK(indices[k] > 0 && indices[k] < count);
        EQUAL(MPI_T_category_get_cvars(i, -1, indices), MPI_T_ERR_INVALID);
        seen[0] += cvars;
        seen[1] += pvars;
        seen[2] += events;
        below += children;
        EQUAL(indices[99], 12345);
        if (rank == 0)
            printf("category %s\n", name);
    }
    for (int i = 0; i < 3; i++)
        EQUAL(seen[i], all[i]);
    EQUAL(below, count - 1);
    OK(MPI_T_category_changed(&again));
    EQUAL(again, stamp);
    EQUAL(MPI_T_category_get_index("no such thing", &index), MPI_T_ERR_INVALID_NAME);
    EQUAL(MPI_T_category_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
          MPI_T_ERR_INVALID_INDEX);
    EQUAL(MPI_T_category_get_pvars(-1, 0, NULL), MPI_T_ERR_INVALID_INDEX);
    EQUAL(MPI_T_category_get_events(count, 0, NULL), MPI_T_ERR_INVALID_INDEX);
    EQUAL(MPI_T_category_get_categories(count, 0, NULL), MPI_T_ERR_INVALID_INDEX);
    EQUAL(MPI_T_category_get_num_events(count, &index), MPI_T_ERR_INVALID_INDEX);
}

/* Before MPI_Init, after MPI_Finalize, and as often as it was initialized. */
static void walk(void)
{
    int count, provided = -1;
    begin();
    OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    EQUAL(provided, MPI_THREAD_MULTIPLE);
    OK(MPI_T_finalize());
    texts();
    walk_cvars();
    walk_pvars();
    walk_categories();
    sessions();
    char name[10];
    int length = sizeof name;
    EQUAL(MPI_T_enum_get_info((MPI_T_enum)12345, &count, name, &length), MPI_T_ERR_INVALID_HANDLE);
    EQUAL(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &count, name, &length), MPI_T_ERR_INVALID_HANDLE);
    EQUAL(size_of_cvar("ranks"), size);
    end();
    EQUAL(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
    EQUAL(MPI_T_pvar_session_create(&session), MPI_T_ERR_NOT_INITIALIZED);
    EQUAL(MPI_T_category_changed(&count), MPI_T_ERR_NOT_INITIALIZED);
    EQUAL(MPI_T_event_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
    EQUAL(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
}

static void wait_for(int tag)
{
    int flag = 0;
    while (!flag)
        MPI_Iprobe(1 - rank, tag, W, &flag, MPI_STATUS_IGNORE);
}

/* Ten messages that nobody waits for are ten in the queue, and what is posted is counted. */
static void queues(void)
{
    begin();
    MPI_T_pvar_handle length = pvar_of("unexpected_queue_length");
    MPI_T_pvar_handle bytes = pvar_of("unexpected_queue_bytes");
    MPI_T_pvar_handle most = pvar_of("unexpected_queue_most");
    MPI_T_pvar_handle total = pvar_of("unexpected_messages");
    MPI_T_pvar_handle posted = pvar_of("posted_queue_length");
    MPI_T_pvar_handle sent = pvar_of("messages_sent"), calls = pvar_of("collectives");
    MPI_T_pvar_handle requests = pvar_of("requests");
    int word[3] = {1, 2, 3};
    EQUAL(value_of(length), 0);
    MPI_Barrier(W);
    EQUAL(value_of(calls), 1);
    if (rank == 0) {
        for (int i = 0; i < 10; i++)
            MPI_Send(word, 3, MPI_INT, 1, 5, W);
        MPI_Send(word, 0, MPI_INT, 1, 6, W);
        EQUAL(value_of(sent), 11);
        MPI_Recv(word, 0, MPI_INT, 1, 7, W, MPI_STATUS_IGNORE);
    } else {
        wait_for(6);
        EQUAL(value_of(length), 11);
        EQUAL(value_of(bytes), 120);
        EQUAL(value_of(most), 11);
        CHECK(value_of(total) >= 11);
        for (int i = 0; i < 10; i++)
            MPI_Recv(word, 3, MPI_INT, 0, 5, W, MPI_STATUS_IGNORE);
        EQUAL(value_of(length), 1);
        EQUAL(value_of(most), 11);
        MPI_Recv(word, 0, MPI_INT, 0, 6, W, MPI_STATUS_IGNORE);
        OK(MPI_T_pvar_reset(session, most));
        EQUAL(value_of(most), 0);
        MPI_Request request[2];
        MPI_Irecv(word, 1, MPI_INT, 0, 8, W, &request[0]);
        MPI_Irecv(word, 1, MPI_INT, MPI_ANY_SOURCE, 8, W, &request[1]);
        EQUAL(value_of(posted), 2);
        CHECK(value_of(requests) >= 1);
        MPI_Cancel(&request[0]);
        MPI_Cancel(&request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        EQUAL(value_of(posted), 0);
        MPI_Send(word, 0, MPI_INT, 0, 7, W);
        EQUAL(value_of(sent), 1);
    }
    MPI_Barrier(W);
    end();
}

enum { LENGTH = 3000, MANY = 20 };

static void exchange(int bytes)
{
    static char data[1 << 20];
    for (int i = 0; i < MANY; i++)
        if (rank == 0) {
            MPI_Send(data, bytes, MPI_CHAR, 1, 1, W);
            MPI_Recv(data, 0, MPI_CHAR, 1, 2, W, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, bytes, MPI_CHAR, 0, 1, W, MPI_STATUS_IGNORE);
            MPI_Send(data, 0, MPI_CHAR, 0, 2, W);
        }
}

static const char *const paths[4] = {"ring", "packet", "rendezvous", "copy"};

/* Messages go by their paths; a lower eager limit moves them to the rendezvous. */
static void limits(void)
{
    begin();
    MPI_T_pvar_handle by_path[4], bytes[4], arrived[4], fast = pvar_of("messages_sent_fast");
    char name[100];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "messages_sent_%s", paths[i]);
        by_path[i] = pvar_of(name);
        snprintf(name, sizeof name, "bytes_sent_%s", paths[i]);
        bytes[i] = pvar_of(name);
        snprintf(name, sizeof name, "bytes_arrived_%s", paths[i]);
        arrived[i] = pvar_of(name);
    }
    unsigned long long limit = size_of_cvar("eager_limit"), low = 1000, wrong = limit + 1;
    CHECK(limit > LENGTH);
    MPI_T_cvar_handle handle = cvar_of("eager_limit", NULL);
    exchange(LENGTH);
    CHECK(value_of(by_path[0]) + value_of(by_path[1]) + value_of(fast) >= MANY);
    EQUAL(value_of(by_path[2]), 0);
    EQUAL(value_of(bytes[0]) + value_of(bytes[1]) + value_of(bytes[2]), 0);
    exchange(100000);
    EQUAL(value_of(by_path[2]), rank == 0 ? MANY : 0);
    EQUAL(MPI_T_cvar_write(handle, &wrong), MPI_T_ERR_INVALID);
    OK(MPI_T_cvar_write(handle, &low));
    EQUAL(size_of_cvar("eager_limit"), low);
    OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    MPI_Barrier(W);
    exchange(LENGTH);
    EQUAL(value_of(by_path[2]), rank == 0 ? MANY : 0);
    EQUAL(value_of(bytes[2]), rank == 0 ? MANY * LENGTH : 0);
    EQUAL(value_of(fast), 0);
    EQUAL(value_of(arrived[2]), rank == 1 ? MANY * LENGTH : 0);
    OK(MPI_T_cvar_write(handle, &limit));
    MPI_Barrier(W);
    OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    MPI_Barrier(W);
    exchange(LENGTH);
    EQUAL(value_of(by_path[2]), 0);
    EQUAL(value_of(bytes[0]) + value_of(bytes[1]), rank == 0 ? MANY * LENGTH : 0);
    EQUAL(value_of(arrived[0]) + value_of(arrived[1]), rank == 1 ? MANY * LENGTH : 0);
    /* What is sent next would count as well. */
    MPI_Barrier(W);
    OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    unsigned long long stopped = value_of(bytes[0]) + value_of(bytes[1]);
    exchange(LENGTH);
    EQUAL(value_of(bytes[0]) + value_of(bytes[1]), stopped);
    MPI_T_pvar_handle heap = pvar_of("heap_bytes");
    unsigned long long before = value_of(heap);
    char *volatile block = malloc(200000);
    memset(block, 1, 200000);
    if (before)
        CHECK(value_of(heap) >= before + 100000);
    free(block);
    end();
}

/* What ftrun was told is readable, and what can be changed acts. */
static void options(void)
{
    begin();
    double patience = 0;
    MPI_T_cvar_handle handle = cvar_of("patience", NULL);
    OK(MPI_T_cvar_read(handle, &patience));
    CHECK(patience == 2.5);
    EQUAL(size_of_cvar("ranks"), 2);
    EQUAL(int_of_cvar("leftovers"), 1);
    EQUAL(int_of_cvar("deadlock"), 0);
    EQUAL(int_of_cvar("failure_rules"), 2);
    EQUAL(int_of_cvar("comm_mode"), 2);
    EQUAL(int_of_cvar("msg_mode"), 1);
    EQUAL(int_of_cvar("coll_mode"), 1);
    EQUAL(int_of_cvar("recovery_mode"), 0);
    EQUAL(size_of_cvar("kills"), 1);
    EQUAL(size_of_cvar("heap"), 2147483648ULL);
    /* A mode of a communicator is the attribute that the program could set as well. */
    MPI_Comm comm;
    int automatic = 1, wrong = 7, off = 0, on = 1;
    MPI_Comm_dup(W, &comm);
    MPI_T_cvar_handle mode = cvar_of("recovery_mode", &comm), check = cvar_of("check", NULL);
    OK(MPI_T_cvar_write(mode, &automatic));
    EQUAL(MPI_T_cvar_write(mode, &wrong), MPI_T_ERR_INVALID);
    EQUAL(int_of_cvar("recovery_mode"), 0);
    int value = -1;
    OK(MPI_T_cvar_read(mode, &value));
    EQUAL(value, 1);
    MPI_Comm_free(&comm);
    EQUAL(MPI_T_cvar_read(mode, &value), MPI_T_ERR_INVALID_HANDLE);
    /* Without checks, members may call what does not match: here, they both only give. */
    MPI_Barrier(W);
    OK(MPI_T_cvar_write(check, &off));
    EQUAL(int_of_cvar("check"), 0);
    MPI_Barrier(W);
    OK(MPI_T_cvar_write(check, &on));
    MPI_T_cvar_handle leftovers = cvar_of("leftovers", NULL);
    MPI_Barrier(W);
    OK(MPI_T_cvar_write(leftovers, &off));
    EQUAL(int_of_cvar("leftovers"), 0);
    MPI_Type_contiguous(3, MPI_INT, &(MPI_Datatype){MPI_DATATYPE_NULL});
    MPI_Barrier(W);
    end();
}

/* Where no mode holds, none can be set. */
static void without_modes(void)
{
    begin();
    int value = 1;
    MPI_T_cvar_handle mode = cvar_of("recovery_mode", &(MPI_Comm){W});
    EQUAL(MPI_T_cvar_write(mode, &value), MPI_T_ERR_CVAR_SET_NOT_NOW);
    int count;
    MPI_T_cvar_handle none;
    EQUAL(MPI_T_cvar_handle_alloc(number_of_cvar("comm_mode"), &(MPI_Comm){MPI_COMM_NULL}, &none,
                                  &count),
          MPI_T_ERR_INVALID_HANDLE);
    EQUAL(MPI_T_cvar_handle_alloc(number_of_cvar("comm_mode"), NULL, &none, &count),
          MPI_T_ERR_INVALID);
    end();
}

static int heard[4], last[4][3], freed, lost;
static MPI_Count last_time, bytes_heard;
static MPI_T_event_instance stale;

static void hear(MPI_T_event_instance instance, MPI_T_event_registration registration,
                 MPI_T_cb_safety safety, void *user_data)
{
    int kind = *(int *)user_data, source = -1, flag;
    struct {
        int words[2];
        MPI_Count count;
    } all;
    MPI_Count time = -1;
    (void)registration;
    EQUAL(safety, MPI_T_CB_REQUIRE_NONE);
    OK(MPI_T_event_get_source(instance, &source));
    EQUAL(source, kind == 3 ? 1 : 0);
    OK(MPI_T_event_get_timestamp(instance, &time));
    CHECK(time >= 0);
    last_time = time;
    OK(MPI_T_event_read(instance, 0, &last[kind][0]));
    OK(MPI_T_event_copy(instance, &all));
    EQUAL(all.words[0], last[kind][0]);
    if (kind != 1)
        OK(MPI_T_event_read(instance, 1, &last[kind][1]));
    if (kind == 3) {
        OK(MPI_T_event_read(instance, 2, &bytes_heard));
        EQUAL(all.count, bytes_heard);
    }
    EQUAL(MPI_T_event_read(instance, 3, &time), MPI_T_ERR_INVALID_INDEX);
    stale = instance;
    heard[kind]++;
    /* A callback may call MPI here. */
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void free_of(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    (void)registration;
    EQUAL(safety, MPI_T_CB_REQUIRE_NONE);
    freed += *(int *)user_data;
}

static void miss(MPI_Count count, MPI_T_event_registration registration, int source,
                 MPI_T_cb_safety safety, void *user_data)
{
    (void)registration, (void)safety;
    EQUAL(source, 1);
    EQUAL(*(int *)user_data, 3);
    lost += (int)count;
}

static MPI_T_event_registration registrations[4];
static int kinds[4] = {0, 1, 2, 3};
static const char *const names[4] = {"rank_failed", "recovery_begun", "recovery_done",
                                     "unexpected_message"};

static void listen_to(int kind)
{
    int index = -1;
    OK(MPI_T_event_get_index(names[kind], &index));
    EQUAL(index, kind);
    OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registrations[kind]));
    OK(MPI_T_event_register_callback(registrations[kind], MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                     MPI_INFO_NULL, &kinds[kind], hear));
}

static void describe_events(void)
{
    int count, sources;
    OK(MPI_T_event_get_num(&count));
    EQUAL(count, 4);
    for (int i = 0; i < count; i++) {
        char name[100], text[300];
        int length = sizeof name, more = sizeof text, verbosity, elements = 1, bind, same;
        MPI_Datatype types[5] = {[1] = MPI_DATATYPE_NULL};
        MPI_Aint places[5] = {[1] = -1};
        MPI_T_enum words;
        MPI_Info info = MPI_INFO_NULL;
        OK(MPI_T_event_get_info(i, name, &length, &verbosity, types, places, &elements, &words,
                                &info, text, &more, &bind));
        CHECK(types[1] == MPI_DATATYPE_NULL && places[1] == -1);
        CHECK(types[0] == MPI_INT && places[0] == 0 && bind == MPI_T_BIND_NO_OBJECT);
        MPI_Info_free(&info);
        same = elements;
        OK(MPI_T_event_get_info(i, NULL, NULL, NULL, types, places, &elements, NULL, NULL, NULL,
                                NULL, NULL));
        EQUAL(elements, same);
        walk_enum(words, elements);
        if (i == 3)
            CHECK(types[2] == MPI_COUNT && places[2] == 8);
        if (rank == 0)
            printf("event %s\n", name);
    }
    OK(MPI_T_source_get_num(&sources));
    for (int i = 0; i < sources; i++) {
        char name[100], text[300];
        int length = sizeof name, more = sizeof text;
        MPI_T_source_order order;
        MPI_Count ticks, most, now = -1, later = -1;
        MPI_Info info;
        OK(MPI_T_source_get_info(i, name, &length, text, &more, &order, &ticks, &most, &info));
        MPI_Info_free(&info);
        CHECK(order == MPI_T_SOURCE_ORDERED && ticks == 1000000000 && most > ticks);
        OK(MPI_T_source_get_timestamp(i, &now));
        OK(MPI_T_source_get_timestamp(i, &later));
        CHECK(now >= 0 && later >= now);
    }
    MPI_Count now;
    int index;
    EQUAL(MPI_T_source_get_timestamp(sources, &now), MPI_T_ERR_INVALID_INDEX);
    EQUAL(MPI_T_source_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
          MPI_T_ERR_INVALID_INDEX);
    EQUAL(MPI_T_event_get_index("no such thing", &index), MPI_T_ERR_INVALID_NAME);
    EQUAL(MPI_T_event_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                               NULL),
          MPI_T_ERR_INVALID_INDEX);
}

/* Messages that nobody waits for are heard of, in order, with what they are. */
static void events(void)
{
    int data[200] = {0};
    begin();
    describe_events();
    MPI_T_event_registration other;
    EQUAL(MPI_T_event_handle_alloc(4, NULL, MPI_INFO_NULL, &other), MPI_T_ERR_INVALID_INDEX);
    listen_to(3);
    MPI_Info info;
    OK(MPI_T_event_handle_get_info(registrations[3], &info));
    OK(MPI_T_event_handle_set_info(registrations[3], info));
    MPI_Info_free(&info);
    OK(MPI_T_event_callback_get_info(registrations[3], MPI_T_CB_REQUIRE_MPI_RESTRICTED, &info));
    OK(MPI_T_event_callback_set_info(registrations[3], MPI_T_CB_REQUIRE_MPI_RESTRICTED, info));
    MPI_Info_free(&info);
    EQUAL(MPI_T_event_callback_get_info(registrations[3], MPI_T_CB_REQUIRE_NONE, &info),
          MPI_T_ERR_INVALID);
    EQUAL(MPI_T_event_register_callback(registrations[3], (MPI_T_cb_safety)5, MPI_INFO_NULL, NULL,
                                        hear),
          MPI_T_ERR_INVALID);
    MPI_Barrier(W);
    if (rank == 0)
        for (int i = 0; i < 5; i++)
            MPI_Send(data, 10 * i, MPI_INT, 1, 50 + i, W);
    else {
        wait_for(54);
        EQUAL(heard[3], 5);
        EQUAL(last[3][0], 0);
        EQUAL(last[3][1], 54);
        EQUAL(bytes_heard, 160);
        for (int i = 0; i < 5; i++)
            MPI_Recv(data, 200, MPI_INT, 0, 50 + i, W, MPI_STATUS_IGNORE);
        EQUAL(heard[3], 5);
        MPI_Count time;
        EQUAL(MPI_T_event_get_timestamp(stale, &time), MPI_T_ERR_INVALID_HANDLE);
        EQUAL(MPI_T_event_read(stale, 0, &time), MPI_T_ERR_INVALID_HANDLE);
    }
    MPI_Barrier(W);
    /* More than the library keeps: the rest is counted. */
    OK(MPI_T_event_set_dropped_handler(registrations[3], miss));
    heard[3] = 0;
    if (rank == 0) {
        for (int i = 0; i < 3000; i++)
            MPI_Send(data, 1, MPI_INT, 1, 60, W);
        MPI_Send(data, 0, MPI_INT, 1, 61, W);
    } else {
        MPI_Recv(data, 0, MPI_INT, 0, 61, W, MPI_STATUS_IGNORE);
        CHECK(heard[3] + lost >= 3000);
        CHECK(heard[3] >= 1);
        for (int i = 0; i < 3000; i++)
            MPI_Recv(data, 1, MPI_INT, 0, 60, W, MPI_STATUS_IGNORE);
    }
    MPI_T_event_registration gone = registrations[3];
    int before = heard[3];
    OK(MPI_T_event_handle_free(registrations[3], &(int){40}, free_of));
    EQUAL(freed, 40);
    EQUAL(MPI_T_event_handle_free(gone, NULL, free_of), MPI_T_ERR_INVALID_HANDLE);
    EQUAL(MPI_T_event_handle_get_info(gone, &info), MPI_T_ERR_INVALID_HANDLE);
    MPI_Barrier(W);
    if (rank == 0)
        MPI_Send(data, 1, MPI_INT, 1, 70, W);
    else {
        wait_for(70);
        MPI_Recv(data, 1, MPI_INT, 0, 70, W, MPI_STATUS_IGNORE);
    }
    EQUAL(heard[3], before);
    end();
}

/* A death and the recovery after it are heard of, and counted. */
static void failures(void)
{
    MPI_Comm again;
    int sum, code = MPI_SUCCESS;
    begin();
    for (int kind = 0; kind < 3; kind++)
        listen_to(kind);
    MPI_T_pvar_handle failed = pvar_of("ranks_failed"), recoveries = pvar_of("recoveries");
    MPI_T_pvar_handle generation = pvar_of("generation"), time = pvar_of("recovery_time");
    MPI_T_pvar_handle lives = pvar_of("incarnation");
    double seconds = -1;
    if (ftmpi_incarnation() == 0)
        while (code == MPI_SUCCESS)
            code = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, W);
    if (ftmpi_incarnation() == 0) {
        EQUAL(heard[0], 1);
        EQUAL(last[0][0], 1);
        EQUAL(last[0][1], 0);
        EQUAL(value_of(failed), 1);
        EQUAL(value_of(generation), 0);
        EQUAL(MPI_Comm_dup(W, &again), MPI_SUCCESS);
        EQUAL(heard[1], 1);
        EQUAL(heard[2], 1);
        EQUAL(last[2][0], 1);
        EQUAL(last[2][1], size);
        EQUAL(value_of(recoveries), 1);
        OK(MPI_T_pvar_read(session, time, &seconds));
        CHECK(seconds > 0 && seconds < 100);
        EQUAL(value_of(lives), 0);
    } else
        EQUAL(value_of(lives), 1);
    EQUAL(value_of(generation), 1);
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, W));
    printf("recovered\n");
    end();
}

static const struct test tests[] = {{"walk", walk},
                                    {"queues", queues},
                                    {"limits", limits},
                                    {"options", options},
                                    {"without-modes", without_modes},
                                    {"events", events},
                                    {0}};

int main(int argc, char **argv)
{
    int count, code;
    EQUAL(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
    begin();
    OK(MPI_T_cvar_get_num(&count));
    CHECK(count > 0 && size_of_cvar("ranks") > 0);
    MPI_T_pvar_handle calls = pvar_of("collectives");
    CHECK(value_of(calls) == 0);
    end();
    if (argc > 1 && strcmp(argv[1], "failures") == 0) {
        code = MPI_Init(&argc, &argv);
        CHECK(code == MPI_SUCCESS || code == MPI_INIT_RESTARTED_PROCS);
        MPI_Comm_rank(W, &rank);
        MPI_Comm_size(W, &size);
        failures();
        return MPI_Finalize();
    }
    code = run_test(argc, argv, tests);
    begin();
    OK(MPI_T_category_get_num(&count));
    end();
    return code;
}
