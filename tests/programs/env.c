/* The environment: versions, clocks, errors, infos, memory, the ABI's integers. */
#include "check.h"

#define W MPI_COMM_WORLD

static void versions(void)
{
    int major, minor, length, flag;
    char text[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
    MPI_Get_version(&major, &minor);
    CHECK(major == MPI_VERSION && minor == MPI_SUBVERSION);
    MPI_Abi_get_version(&major, &minor);
    CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
    MPI_Get_library_version(text, &length);
    CHECK(strncmp(text, "ftmpi-rs ", 9) == 0 && length == (int)strlen(text));
    MPI_Get_processor_name(host, &length);
    CHECK(length > 0 && length == (int)strlen(host));
    MPI_Initialized(&flag);
    EQUAL(flag, 1);
    MPI_Finalized(&flag);
    EQUAL(flag, 0);
    MPI_Is_thread_main(&flag);
    EQUAL(flag, 1);
    MPI_Query_thread(&flag);
    EQUAL(flag, MPI_THREAD_MULTIPLE);
    EQUAL(MPI_Pcontrol(2, "anything", 3.0), MPI_SUCCESS);
}

static void clocks(void)
{
    double start = MPI_Wtime(), mine = start, most, least;
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
    while (MPI_Wtime() == start)
        ;
    /* One clock for all: what the last did before the barrier is not after it for the first. */
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, W);
    least = MPI_Wtime();
    CHECK(most <= least && MPI_Wtime() >= least);
}

static int answer;

static int answers(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag;
    return answer;
}

/* A call that fails by a code of the program's own changes nothing about what the code means. */
static void fails_by(int code, const char *words)
{
    int key, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm copy;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(answers, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(W, key, NULL);
    answer = code;
    EQUAL(MPI_Comm_dup(W, &copy), code);
    EQUAL(MPI_Error_string(code, text, &length), MPI_SUCCESS);
    CHECK(strcmp(text, words) == 0 && length == (int)strlen(words));
    MPI_Comm_delete_attr(W, key);
    MPI_Comm_free_keyval(&key);
}

static void codes(void)
{
    int class, code, found, length, *last, flag;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&class);
    CHECK(class > MPI_ERR_LASTCODE);
    MPI_Add_error_code(class, &code);
    CHECK(code > class);
    MPI_Comm_get_attr(W, MPI_LASTUSEDCODE, &last, &flag);
    EQUAL(*last, code);
    MPI_Error_class(code, &found);
    EQUAL(found, class);
    MPI_Error_string(code, text, &length);
    EQUAL(length, 0);
    MPI_Add_error_string(code, "the soup is cold");
    MPI_Error_string(code, text, &length);
    CHECK(strcmp(text, "the soup is cold") == 0 && length == 16);
    fails_by(class, "");
    MPI_Add_error_string(class, "kitchen");
    fails_by(class, "kitchen");
    fails_by(code, "the soup is cold");
    MPI_Remove_error_string(class);
    MPI_Add_error_code(MPI_ERR_IO, &found);
    MPI_Error_class(found, &found);
    EQUAL(found, MPI_ERR_IO);
    MPI_Error_string(MPI_SUCCESS, text, &length);
    CHECK(strstr(text, "MPI_SUCCESS"));
    for (int standard = 1; standard <= MPI_ERR_ABI; standard++) {
        EQUAL(MPI_Error_class(standard, &found), MPI_SUCCESS);
        EQUAL(found, standard);
        MPI_Error_string(standard, text, &length);
        CHECK(strncmp(text, "MPI_ERR_", 8) == 0 && length == (int)strlen(text));
    }
    MPI_Error_string(MPI_T_ERR_PVAR_NO_ATOMIC, text, &length);
    CHECK(strncmp(text, "MPI_T_ERR_PVAR_NO_ATOMIC:", 25) == 0);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Add_error_string(MPI_ERR_IO, "mine"), MPI_ERR_ARG, "not added by this program");
    FAILS(MPI_Add_error_code(77777, &found), MPI_ERR_ARG, "errorclass is 77777");
    FAILS(MPI_Error_class(-4, &found), MPI_ERR_ARG, "errorcode is -4");
    FAILS(MPI_Remove_error_class(class), MPI_ERR_ARG, "remove the codes first");
    FAILS(MPI_Remove_error_code(code), MPI_ERR_ARG, "remove the string first");
    FAILS(MPI_Remove_error_code(MPI_ERR_IO), MPI_ERR_ARG, "not added");
    EQUAL(MPI_Remove_error_string(code), MPI_SUCCESS);
    EQUAL(MPI_Remove_error_code(code), MPI_SUCCESS);
    EQUAL(MPI_Remove_error_class(class), MPI_SUCCESS);
    FAILS(MPI_Error_class(code, &found), MPI_ERR_ARG, "not an error code");
}

static void infos(void)
{
    MPI_Info info, copy;
    int flag, length, keys;
    char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL], long_key[MPI_MAX_INFO_KEY + 10];
    char long_value[MPI_MAX_INFO_VAL + 1];
    MPI_Info_create(&info);
    MPI_Info_set(info, "color", "red");
    MPI_Info_set(info, "size", "10");
    MPI_Info_set(info, "color", "blue");
    MPI_Info_get_nkeys(info, &keys);
    EQUAL(keys, 2);
    MPI_Info_get_nthkey(info, 0, key);
    CHECK(strcmp(key, "color") == 0);
    MPI_Info_get(info, "color", 10, value, &flag);
    CHECK(flag && strcmp(value, "blue") == 0);
    MPI_Info_get(info, "color", 2, value, &flag);
    CHECK(flag && strcmp(value, "bl") == 0);
    length = 0;
    MPI_Info_get_string(info, "color", &length, NULL, &flag);
    CHECK(flag && length == 5);
    length = 3;
    MPI_Info_get_string(info, "color", &length, value, &flag);
    CHECK(flag && length == 5 && strcmp(value, "bl") == 0);
    length = 100;
    MPI_Info_get_string(info, "none", &length, value, &flag);
    CHECK(!flag && length == 100);
    MPI_Info_get_valuelen(info, "size", &length, &flag);
    CHECK(flag && length == 2);
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "color");
    MPI_Info_get_nkeys(copy, &keys);
    EQUAL(keys, 2);
    MPI_Info_get(MPI_INFO_ENV, "maxprocs", 20, value, &flag);
    CHECK(flag && atoi(value) == size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    memset(long_key, 'k', sizeof long_key);
    long_key[sizeof long_key - 1] = 0;
    FAILS(MPI_Info_set(info, long_key, "v"), MPI_ERR_INFO_KEY, "key has 265 bytes");
    FAILS(MPI_Info_set(info, "", "v"), MPI_ERR_INFO_KEY, "key has 0 bytes");
    memset(long_value, 'v', sizeof long_value);
    long_value[MPI_MAX_INFO_VAL] = 0;
    FAILS(MPI_Info_set(info, "long", long_value), MPI_ERR_INFO_VALUE, "value has 1024 bytes");
    long_value[MPI_MAX_INFO_VAL - 1] = 0;
    EQUAL(MPI_Info_set(info, "long", long_value), MPI_SUCCESS);
    MPI_Info_delete(info, "long");
    FAILS(MPI_Info_delete(info, "color"), MPI_ERR_INFO_NOKEY, "no key `color`");
    FAILS(MPI_Info_get_nthkey(info, 1, key), MPI_ERR_ARG, "n is 1");
    FAILS(MPI_Info_set(MPI_INFO_ENV, "a", "b"), MPI_ERR_INFO, "MPI_INFO_ENV");
    FAILS(MPI_Info_set(MPI_INFO_NULL, "a", "b"), MPI_ERR_INFO, "MPI_INFO_NULL");
    FAILS(MPI_Info_set(info, NULL, "b"), MPI_ERR_ARG, "key is a null pointer");
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
    EQUAL(MPI_Info_create_env(0, NULL, &copy), MPI_SUCCESS);
    MPI_Info_get(copy, "maxprocs", 20, value, &flag);
    CHECK(flag && atoi(value) == size);
    MPI_Info_set(copy, "maxprocs", "mine now");
    MPI_Info_free(&copy);
    CHECK(info == MPI_INFO_NULL);
    FAILS(MPI_Info_free(&info), MPI_ERR_INFO, "MPI_INFO_NULL");
}

static void memory(void)
{
    char *block = NULL, *none = NULL;
    MPI_Alloc_mem(100000, MPI_INFO_NULL, &block);
    CHECK(block && (uintptr_t)block % 16 == 0);
    memset(block, rank, 100000);
    MPI_Barrier(W);
    CHECK(block[0] == (char)rank && block[99999] == (char)rank);
    MPI_Free_mem(block);
    MPI_Alloc_mem(0, MPI_INFO_NULL, &none);
    MPI_Free_mem(none);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_Free_mem(NULL), MPI_ERR_BASE, "base is a null pointer");
    FAILS(MPI_Alloc_mem(-1, MPI_INFO_NULL, &block), MPI_ERR_SIZE, "size is -1");
    FAILS(MPI_Alloc_mem(INTPTR_MAX, MPI_INFO_NULL, &block), MPI_ERR_NO_MEM, "out of memory");
}

/* A handle becomes a positive integer, and that the handle again. */
#define THERE_AND_BACK(Kind, handle)                                                               \
    do {                                                                                           \
        int number_ = MPI_##Kind##_toint(handle);                                                  \
        CHECK(MPI_##Kind##_fromint(number_) == (handle));                                          \
        EQUAL(MPI_##Kind##_c2f(handle), number_);                                                  \
        CHECK(MPI_##Kind##_f2c(number_) == (handle));                                              \
        EQUAL(PMPI_##Kind##_toint(handle), number_);                                               \
        EQUAL(PMPI_##Kind##_c2f(handle), number_);                                                 \
    } while (0)

static void count_only(MPI_Comm *comm, int *code, ...)
{
    FAIL("%p has an error %d", (void *)*comm, *code);
}

static void integers(void)
{
    MPI_Comm copy;
    MPI_Group group;
    MPI_Info info;
    MPI_Errhandler handler;
    MPI_Session session;
    MPI_Datatype pair;
    MPI_Request request;
    MPI_Message message;
    int got = -1;
    MPI_Comm_dup(W, &copy);
    MPI_Comm_group(copy, &group);
    MPI_Info_create(&info);
    MPI_Comm_create_errhandler(count_only, &handler);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Isend(&rank, 1, MPI_INT, rank, 4, copy, &request);
    MPI_Mprobe(rank, 4, copy, &message, MPI_STATUS_IGNORE);
    THERE_AND_BACK(Comm, copy);
    THERE_AND_BACK(Group, group);
    THERE_AND_BACK(Info, info);
    THERE_AND_BACK(Errhandler, handler);
    THERE_AND_BACK(Session, session);
    THERE_AND_BACK(Type, pair);
    THERE_AND_BACK(Request, request);
    THERE_AND_BACK(Message, message);
    THERE_AND_BACK(Op, MPI_SUM);
    THERE_AND_BACK(File, MPI_FILE_NULL);
    THERE_AND_BACK(Win, MPI_WIN_NULL);
    EQUAL(MPI_Group_toint(MPI_GROUP_EMPTY), (intptr_t)MPI_GROUP_EMPTY);
    EQUAL(MPI_File_toint(MPI_FILE_NULL), (intptr_t)MPI_FILE_NULL);
    EQUAL(MPI_Win_toint(MPI_WIN_NULL), (intptr_t)MPI_WIN_NULL);
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EQUAL(got, rank);
    THERE_AND_BACK(Message, MPI_MESSAGE_NULL);
    THERE_AND_BACK(Message, MPI_MESSAGE_NO_PROC);
    MPI_Type_free(&pair);
    MPI_Session_finalize(&session);
    MPI_Errhandler_free(&handler);
    MPI_Info_free(&info);
    MPI_Group_free(&group);
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(copy)) == copy);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(W)) == W);
    EQUAL(MPI_Type_toint(MPI_INT), 0x209);
    CHECK(MPI_Type_fromint(0x209) == MPI_INT);
    CHECK(MPI_Op_fromint(MPI_Op_toint(MPI_SUM)) == MPI_SUM);
    CHECK(MPI_Request_fromint(MPI_Request_toint(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    EQUAL(MPI_Aint_add(100, 28), 128);
    EQUAL(MPI_Aint_diff(100, 128), -28);
    MPI_Comm_free(&copy);
}

static void statuses(void)
{
    MPI_Status status, back;
    MPI_F08_status modern;
    MPI_Fint words[MPI_F_STATUS_SIZE];
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 9, &size, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &status);
    EQUAL(MPI_Status_c2f(&status, words), MPI_SUCCESS);
    EQUAL(words[0], 0);
    EQUAL(words[1], 9);
    EQUAL(MPI_Status_f2f08(words, &modern), MPI_SUCCESS);
    EQUAL(modern.MPI_TAG, 9);
    EQUAL(MPI_Status_f082c(&modern, &back), MPI_SUCCESS);
    CHECK(memcmp(&back, &status, sizeof back) == 0);
    EQUAL(MPI_Status_c2f08(&back, &modern), MPI_SUCCESS);
    EQUAL(MPI_Status_f082f(&modern, words), MPI_SUCCESS);
    EQUAL(MPI_Status_f2c(words, &back), MPI_SUCCESS);
    CHECK(memcmp(&back, &status, sizeof back) == 0);
}

/* What the ABI tells of itself, and of Fortran, before MPI_Init too (see `early`). */
static void abi(void)
{
    int major, minor, yes, no, set, length = 8, flag, other = -1;
    char value[8];
    MPI_Info info;
    MPI_Abi_get_version(&major, &minor);
    EQUAL(major, MPI_ABI_VERSION);
    EQUAL(minor, MPI_ABI_SUBVERSION);
    MPI_Abi_get_info(&info);
    MPI_Info_get_string(info, "mpi_aint_size", &length, value, &flag);
    CHECK(flag && atoi(value) == sizeof(MPI_Aint));
    MPI_Info_free(&info);
    MPI_Abi_get_fortran_info(&info);
    length = 8;
    MPI_Info_get_string(info, "mpi_integer_size", &length, value, &flag);
    CHECK(flag && strcmp(value, "4") == 0);
    EQUAL(MPI_Abi_set_fortran_info(info), MPI_SUCCESS);
    MPI_Info_set(info, "mpi_real_size", "8");
    FAILS(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI, "mpi_real_size is \"8\"");
    MPI_Info_free(&info);
    FAILS(MPI_Abi_set_fortran_info(MPI_INFO_NULL), MPI_ERR_INFO, "MPI_INFO_NULL");
    EQUAL(MPI_Abi_get_fortran_booleans(4, &yes, &no, &set), MPI_SUCCESS);
    CHECK(yes == 1 && no == 0 && set);
    EQUAL(MPI_Abi_set_fortran_booleans(4, &yes, &no), MPI_SUCCESS);
    FAILS(MPI_Abi_set_fortran_booleans(4, &other, &no), MPI_ERR_ABI, "-1 and 0");
    FAILS(MPI_Abi_set_fortran_booleans(8, &yes, &no), MPI_ERR_ARG, "logical_size is 8");
    FAILS(MPI_Abi_get_fortran_booleans(1, &yes, &no, &set), MPI_ERR_ARG, "logical_size is 1");
    FAILS(MPI_Abi_get_fortran_booleans(4, NULL, &no, &set), MPI_ERR_ARG, "logical_true");
    FAILS(MPI_Abi_get_fortran_booleans(4, &yes, &no, NULL), MPI_ERR_ARG, "is_set");
}

static void abi_with_handler(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    abi();
}

static const struct test TESTS[] = {
    {"versions", versions}, {"clocks", clocks},     {"codes", codes},       {"infos", infos},
    {"memory", memory},     {"integers", integers}, {"statuses", statuses},
    {"abi", abi_with_handler}, {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_test(argc, argv, TESTS);
}
