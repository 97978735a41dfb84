/* Opens the libraries that tests/plugins.rs has compiled into the directory argv[1], and says what
   does not hold. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int counter; /* what the libraries see of the program */
int called(void) { return counter; }
const char *log_of_constructors(const char *word)
{
    static char text[256];
    if (word) strcat(strcat(text, word), " ");
    return text;
}

static int rank;

static void check(int holds, const char *what)
{
    if (!holds) printf("rank %d: not so: %s\n", rank, what);
}

static void *open_in(const char *directory, const char *name, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    void *library = dlopen(path, flags);
    if (!library && !(flags & RTLD_NOLOAD)) printf("rank %d: %s\n", rank, dlerror());
    return library;
}

typedef int Function(void);

static int call(void *library, const char *name)
{
    Function *function = (Function *) dlsym(library, name);
    if (!function) {
        printf("rank %d: no %s: %s\n", rank, name, dlerror());
        return -1;
    }
    return function();
}

static void *on_a_thread(void *library)
{
    check(call(library, "private_count") == 41, "a thread of the rank has variables of its own");
    check(call(library, "is_at_home"), "and addresses in them are the rank's");
    return NULL;
}

static int seen;
static int look_for_outer(struct dl_phdr_info *info, size_t bytes, void *start)
{
    (void) bytes;
    const char *end = strrchr(info->dlpi_name, '/');
    if (!end || strcmp(end, "/libouter.so")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        char *from = (char *) info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if ((char *) start >= from && (char *) start < from + info->dlpi_phdr[i].p_memsz) seen++;
    }
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    counter = 100 + rank;
    const char *place = argv[1];

    check(!open_in(place, "libouter.so", RTLD_NOW | RTLD_NOLOAD), "nothing is open before");
    MPI_Barrier(MPI_COMM_WORLD);
    void *outer = open_in(place, "libouter.so", RTLD_NOW | RTLD_LOCAL);
    if (!outer) return 1;
    check(!strcmp(log_of_constructors(NULL), "inner outer "), "constructors: what is needed first");
    for (int i = 0; i <= rank; i++) call(outer, "count");
    MPI_Barrier(MPI_COMM_WORLD);
    check(call(outer, "counted") == 1 + rank, "the library counts for this rank");
    check(call(outer, "counted_inside") == 1 + rank, "and so does what it needs");
    check(call(outer, "of_program") == 100 + rank, "it sees the variables of its rank's program");
    check(call(outer, "from_program") == 100 + rank, "and calls its functions");
    check(call(outer, "arguments") == argc, "constructors are told the arguments");
    check(call(outer, "private_count") == 41, "thread-local variables begin with their values");
    check(call(outer, "private_zero") == 1, "and with zeros");
    check(call(outer, "is_at_home"), "addresses in them are the rank's");
    check(call(outer, "chosen") == 7, "an indirect function is asked for");
    pthread_t thread;
    pthread_create(&thread, NULL, on_a_thread, outer);
    pthread_join(thread, NULL);

    Dl_info info;
    void *count = dlsym(outer, "count");
    check(dladdr(count, &info) && info.dli_saddr == count && !strcmp(info.dli_sname, "count"),
          "dladdr finds a function");
    check(info.dli_fname && !strcmp(strrchr(info.dli_fname, '/'), "/libouter.so"), "and its file");
    dl_iterate_phdr(look_for_outer, count);
    check(seen == 1, "dl_iterate_phdr shows the rank's copy, once");
    check(!dlsym(RTLD_DEFAULT, "counted"), "RTLD_LOCAL hides");

    void *again = open_in(place, "libouter.so", RTLD_NOW | RTLD_NOLOAD);
    check(again == outer, "the handle is the same");
    check(!dlclose(outer) && !dlclose(again), "it is closed as often as opened");
    check(dlclose(outer) && dlerror(), "and not more often");

    /* Some open it for all their libraries to see; the others get it with what needs it. */
    if (rank % 2 == 0) {
        check(open_in(place, "libglobal.so", RTLD_NOW | RTLD_GLOBAL) != NULL, "opened for all");
        check(dlsym(RTLD_DEFAULT, "global_count") != NULL, "RTLD_GLOBAL shows");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check(rank % 2 == 0 || !dlsym(RTLD_DEFAULT, "global_count"), "but not to other ranks");
    void *user = open_in(place, "libuser.so", RTLD_NOW);
    for (int i = 0; i <= rank; i++) call(user, "use");
    MPI_Barrier(MPI_COMM_WORLD);
    check(call(user, "use") == 2 + rank, "a library uses what was opened for all");

    void *broken = open_in(place, "libbroken.so", RTLD_NOLOAD | RTLD_NOW);
    check(!broken, "a library that was never opened is not there");
    char path[4096];
    snprintf(path, sizeof path, "%s/libbroken.so", place);
    check(!dlopen(path, RTLD_NOW) && strstr(dlerror(), "undefined symbol: nowhere_to_be_found"),
          "an undefined symbol is named");
    check(!dlopen("./no_such_library.so", RTLD_NOW) && strstr(dlerror(), "no_such_library.so"),
          "a missing file is named");
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
