/* What test programs in C share: checks that say where, which rank, and what was seen. */
#ifndef CHECK_H
#define CHECK_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        fprintf(stderr, "%s:%d: rank %d: ", __FILE__, __LINE__, rank);                             \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fprintf(stderr, "\n");                                                                     \
        MPI_Abort(MPI_COMM_WORLD, 99);                                                             \
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

static unsigned char byte_of(size_t index, int salt)
{
    return (unsigned char)(index * 7 + index / 256 + (size_t)salt);
}

static void fill(void *data, size_t bytes, int salt)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)data)[i] = byte_of(i, salt);
}

static void expect(const void *data, size_t bytes, int salt)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)data)[i] != byte_of(i, salt))
            FAIL("byte %zu of %zu is wrong (salt %d)", i, bytes, salt);
}

static int count_of(const MPI_Status *status)
{
    int count;
    MPI_Get_count(status, MPI_CHAR, &count);
    return count;
}

/* One case of a program: what its first argument names. */
struct test {
    const char *name;
    void (*run)(void);
};

static int run_test(int argc, char **argv, const struct test *tests)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EQUAL(provided, MPI_THREAD_MULTIPLE);
    for (const struct test *test = tests; test->name; test++) {
        if (argc > 1 && strcmp(argv[1], test->name) == 0) {
            test->run();
            MPI_Finalize();
            return 0;
        }
    }
    FAIL("there is no test %s", argc > 1 ? argv[1] : "");
    return 1;
}
#endif
