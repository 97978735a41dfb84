/* Error handlers: which one hears, what it hears, and how it may leave. */
#include "check.h"
#include <setjmp.h>

#define W MPI_COMM_WORLD

static int calls, code_seen;
static MPI_Comm comm_seen;
static jmp_buf back;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    calls++;
    comm_seen = *comm;
    code_seen = *code;
}

static void jump_out(MPI_Comm *comm, int *code, ...)
{
    on_error(comm, code);
    longjmp(back, 1);
}

/* An error so far down, below room that nobody writes to. */
static __attribute__((noinline)) void fail_below(MPI_Comm comm, int kilobytes)
{
    volatile char room[1024];
    room[0] = 0;
    if (kilobytes > 0)
        fail_below(comm, kilobytes - 1);
    else
        MPI_Send(NULL, 0, MPI_INT, size, 0, comm);
    room[1] = room[0];
}

/* A handler may call MPI, which may fail, too. */
static void fail_again(MPI_Comm *comm, int *code, ...)
{
    int value;
    on_error(comm, code);
    EQUAL(MPI_Comm_size(MPI_COMM_NULL, &value), MPI_ERR_COMM);
}

static void user(void)
{
    MPI_Errhandler mine, seen;
    MPI_Comm copy, part;
    int value;
    MPI_Comm_create_errhandler(on_error, &mine);
    MPI_Comm_set_errhandler(W, mine);
    MPI_Comm_get_errhandler(W, &seen);
    CHECK(seen == mine);
    MPI_Errhandler_free(&seen);
    CHECK(seen == MPI_ERRHANDLER_NULL);
    EQUAL(MPI_Bcast(&value, -1, MPI_INT, 0, W), MPI_ERR_COUNT);
    CHECK(calls == 1 && comm_seen == W && code_seen == MPI_ERR_COUNT);
    /* Freed, it stays in force, and new communicators inherit it. */
    MPI_Errhandler_free(&mine);
    MPI_Comm_dup(W, &copy);
    MPI_Comm_split(copy, 0, 0, &part);
    EQUAL(MPI_Bcast(&value, 1, MPI_INT, size, part), MPI_ERR_ROOT);
    CHECK(calls == 2 && comm_seen == part && code_seen == MPI_ERR_ROOT);
    MPI_Comm_get_errhandler(copy, &seen);
    CHECK(seen != MPI_ERRHANDLER_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, seen);
    MPI_Errhandler_free(&seen);
    /* Errors of no communicator are MPI_COMM_SELF's. */
    EQUAL(MPI_Comm_rank(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    CHECK(calls == 3 && comm_seen == MPI_COMM_SELF);
    EQUAL(MPI_Comm_call_errhandler(copy, MPI_ERR_IO), MPI_SUCCESS);
    CHECK(calls == 4 && comm_seen == copy && code_seen == MPI_ERR_IO);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    EQUAL(MPI_Comm_call_errhandler(copy, MPI_ERR_IO), MPI_SUCCESS);
    EQUAL(MPI_Bcast(&value, -1, MPI_INT, 0, copy), MPI_ERR_COUNT);
    MPI_Comm_get_errhandler(copy, &seen);
    CHECK(calls == 4 && seen == MPI_ERRORS_RETURN);
    MPI_Comm_free(&part);
    MPI_Comm_free(&copy);
}

/* A program that has chosen for MPI_COMM_WORLD alone has chosen for what is of no object, too. */
static void world_alone(void)
{
    MPI_Errhandler mine;
    MPI_Datatype datatype = MPI_INT;
    MPI_Comm copy;
    int value;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    EQUAL(MPI_Type_free(&datatype), MPI_ERR_TYPE);
    EQUAL(MPI_Comm_size(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    MPI_Comm_create_errhandler(on_error, &mine);
    MPI_Comm_set_errhandler(W, mine);
    MPI_Errhandler_free(&mine);
    datatype = MPI_CXX_BOOL;
    EQUAL(MPI_Type_free(&datatype), MPI_ERR_TYPE);
    CHECK(calls == 1 && comm_seen == W && code_seen == MPI_ERR_TYPE);
    EQUAL(MPI_Comm_call_errhandler(MPI_COMM_NULL, MPI_ERR_IO), MPI_ERR_COMM);
    CHECK(calls == 2 && comm_seen == W && code_seen == MPI_ERR_COMM);
    /* Errors of MPI_COMM_SELF are its own, and it is heard before the world once it has a handler;
       what its duplicates have is no matter. */
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_ARE_FATAL);
    EQUAL(MPI_Type_free(&datatype), MPI_ERR_TYPE);
    CHECK(calls == 3 && comm_seen == W);
    MPI_Comm_free(&copy);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EQUAL(MPI_Type_free(&datatype), MPI_ERR_TYPE);
    EQUAL(calls, 3);
}

/* Two communicators have one handler whose handle is gone: both give a new one that is good. */
static void outlived(void)
{
    MPI_Errhandler mine, first, second;
    MPI_Comm copy;
    int value;
    MPI_Comm_create_errhandler(on_error, &mine);
    MPI_Comm_set_errhandler(W, mine);
    MPI_Comm_dup(W, &copy);
    MPI_Errhandler_free(&mine);
    MPI_Comm_get_errhandler(copy, &first);
    MPI_Comm_get_errhandler(W, &second);
    CHECK(first == second);
    MPI_Errhandler_free(&first);
    EQUAL(MPI_Comm_set_errhandler(MPI_COMM_SELF, second), MPI_SUCCESS);
    EQUAL(MPI_Errhandler_free(&second), MPI_SUCCESS);
    EQUAL(calls, 0);
    EQUAL(MPI_Comm_rank(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    CHECK(calls == 1 && comm_seen == MPI_COMM_SELF);
    MPI_Comm_free(&copy);
}

static void jumps(void)
{
    MPI_Errhandler mine;
    MPI_Comm copy;
    MPI_Comm_create_errhandler(jump_out, &mine);
    MPI_Comm_dup(W, &copy);
    MPI_Comm_set_errhandler(copy, mine);
    for (volatile int i = 0; i < 10000; i++) {
        if (setjmp(back) == 0) {
            MPI_Bcast(NULL, 1, MPI_INT, 0, copy);
            FAIL("a handler that jumps out does not return");
        }
    }
    EQUAL(calls, 10000);
    for (volatile int i = 0; i < 200; i++) {
        if (setjmp(back) == 0) {
            fail_below(copy, i * 37 % 50);
            FAIL("a handler that has jumped out is called again");
        }
    }
    EQUAL(calls, 10200);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Errhandler_free(&mine);
}

static void nested(void)
{
    MPI_Errhandler mine;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(fail_again, &mine);
    MPI_Comm_set_errhandler(W, mine);
    EQUAL(MPI_Bcast(NULL, 1, MPI_INT, 0, W), MPI_ERR_BUFFER);
    EQUAL(calls, 1);
    MPI_Errhandler_free(&mine);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    FAILS(MPI_Comm_set_errhandler(W, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER,
          "MPI_ERRHANDLER_NULL");
    FAILS(MPI_Comm_create_errhandler(NULL, &mine), MPI_ERR_ARG, "comm_errhandler_fn is a null");
    FAILS(MPI_Errhandler_free(&mine), MPI_ERR_ERRHANDLER, "MPI_ERRHANDLER_NULL");
}

/* The words go with the thread's latest error only. */
static void words(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    EQUAL(MPI_Bcast(NULL, -7, MPI_INT, 0, W), MPI_ERR_COUNT);
    MPI_Error_string(MPI_ERR_COUNT, text, &length);
    CHECK(strstr(text, "MPI_Bcast: count is -7"));
    MPI_Error_string(MPI_ERR_TAG, text, &length);
    CHECK(!strstr(text, "MPI_Bcast"));
    EQUAL(length, strlen(text));
}

/* A failure of what was under way is the freed communicator's, not MPI_COMM_SELF's. */
static void freed(void)
{
    MPI_Errhandler mine;
    MPI_Comm copy, copies[3];
    MPI_Request request, persistent;
    MPI_Message message;
    char data[5] = "word", into[5];
    MPI_Comm_create_errhandler(on_error, &mine);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        MPI_Comm_set_errhandler(copy, mine);
        copies[i] = copy;
        MPI_Request *kept = i == 0 ? &request : &persistent;
        if (i == 0)
            MPI_Irecv(into, 1, MPI_CHAR, 0, 3, copy, kept);
        if (i == 1)
            MPI_Recv_init(into, 1, MPI_CHAR, 0, 3, copy, kept);
        MPI_Send(data, 5, MPI_CHAR, 0, 3, copy);
        if (i == 2)
            MPI_Mprobe(0, 3, copy, &message, MPI_STATUS_IGNORE);
        MPI_Comm_free(&copy);
    }
    MPI_Errhandler_free(&mine);
    EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK(calls == 1 && comm_seen == copies[0] && code_seen == MPI_ERR_TRUNCATE);
    MPI_Start(&persistent);
    EQUAL(MPI_Waitall(1, &persistent, MPI_STATUSES_IGNORE), MPI_ERR_IN_STATUS);
    CHECK(calls == 2 && comm_seen == copies[1] && code_seen == MPI_ERR_TRUNCATE);
    MPI_Request_free(&persistent);
    EQUAL(MPI_Mrecv(into, 2, MPI_CHAR, &message, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK(calls == 3 && comm_seen == copies[2]);
}

static int refuse(MPI_Comm comm, int key, void *value, void *extra)
{
    return comm == MPI_COMM_SELF ? MPI_ERR_IO : MPI_ERR_INTERN;
}

/* What MPI_Finalize hears of MPI_COMM_SELF's attributes is MPI_COMM_SELF's to handle. */
static void finalize(void)
{
    MPI_Errhandler mine;
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_create_errhandler(on_error, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, mine);
    int code = MPI_Finalize();
    if (code != MPI_ERR_IO || calls != 1 || comm_seen != MPI_COMM_SELF) {
        fprintf(stderr, "MPI_Finalize says %d after %d calls of the handler\n", code, calls);
        _Exit(1);
    }
    exit(0);
}

static MPI_File file_seen;

static void on_file_error(MPI_File *file, int *code, ...)
{
    calls++;
    file_seen = *file;
    code_seen = *code;
}

static void on_win_error(MPI_Win *win, int *code, ...)
{
    FAIL("no window is there to hear of %d (%p)", *code, (void *)*win);
}

static void on_session_error(MPI_Session *session, int *code, ...)
{
    calls++;
    code_seen = *code;
    CHECK(*session != MPI_SESSION_NULL);
}

/* Files have one handler for all, which returns at first; a handler is for one sort of objects. */
static void sorts(void)
{
    MPI_Errhandler comms, files, wins, sessions, seen;
    MPI_Session session;
    MPI_File file = MPI_FILE_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(on_error, &comms);
    MPI_File_create_errhandler(on_file_error, &files);
    MPI_Win_create_errhandler(on_win_error, &wins);
    MPI_Session_create_errhandler(on_session_error, &sessions);
    FAILS(MPI_File_create_errhandler(NULL, &files), MPI_ERR_ARG, "file_errhandler_fn");
    FAILS(MPI_Win_create_errhandler(NULL, &wins), MPI_ERR_ARG, "win_errhandler_fn");

    MPI_File_get_errhandler(MPI_FILE_NULL, &seen);
    CHECK(seen == MPI_ERRORS_RETURN);
    EQUAL(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO), MPI_SUCCESS);
    EQUAL(calls, 0);
    MPI_File_set_errhandler(MPI_FILE_NULL, files);
    MPI_File_get_errhandler(MPI_FILE_NULL, &seen);
    CHECK(seen == files);
    MPI_Errhandler_free(&seen);
    EQUAL(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO), MPI_SUCCESS);
    CHECK(calls == 1 && file_seen == MPI_FILE_NULL && code_seen == MPI_ERR_IO);
    CHECK(MPI_File_close(&file) != MPI_SUCCESS);
    EQUAL(calls, 2);
    CHECK(MPI_File_set_errhandler((MPI_File)W, MPI_ERRORS_RETURN) == MPI_ERR_FILE);
    CHECK(calls == 3 && code_seen == MPI_ERR_FILE);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);

    FAILS(MPI_Win_set_errhandler(MPI_WIN_NULL, wins), MPI_ERR_WIN, "MPI_WIN_NULL");
    FAILS(MPI_Win_get_errhandler(MPI_WIN_NULL, &seen), MPI_ERR_WIN, "MPI_WIN_NULL");
    FAILS(MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_IO), MPI_ERR_WIN, "MPI_WIN_NULL");

    FAILS(MPI_Comm_set_errhandler(W, files), MPI_ERR_ERRHANDLER, "created for files");
    FAILS(MPI_File_set_errhandler(MPI_FILE_NULL, comms), MPI_ERR_ERRHANDLER, "on a file");
    FAILS(MPI_Comm_set_errhandler(W, sessions), MPI_ERR_ERRHANDLER, "on a communicator");
    FAILS(MPI_Session_init(MPI_INFO_NULL, comms, &session), MPI_ERR_ERRHANDLER, "communicators");
    EQUAL(calls, 4);
    calls = 0;
    MPI_Session_init(MPI_INFO_NULL, sessions, &session);
    FAILS(MPI_Session_set_errhandler(session, wins), MPI_ERR_ERRHANDLER, "on a session");
    EQUAL(calls, 1);
    EQUAL(MPI_Session_call_errhandler(session, MPI_ERR_IO), MPI_SUCCESS);
    CHECK(calls == 2 && code_seen == MPI_ERR_IO);
    MPI_Session_finalize(&session);
    MPI_Errhandler_free(&comms);
    MPI_Errhandler_free(&files);
    MPI_Errhandler_free(&wins);
    MPI_Errhandler_free(&sessions);
    FAILS(MPI_Errhandler_free(&wins), MPI_ERR_ERRHANDLER, "MPI_ERRHANDLER_NULL");
}

static const struct test TESTS[] = {
    {"sorts", sorts},
    {"world-alone", world_alone}, {"user", user},   {"outlived", outlived}, {"jumps", jumps},
    {"nested", nested},
    {"words", words}, {"freed", freed},       {"finalize", finalize}, {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_test(argc, argv, TESTS);
}
