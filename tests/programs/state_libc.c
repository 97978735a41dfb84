/* Everything that libc keeps once per process, used by every rank in its own way. */
#define _GNU_SOURCE
#include "state.h"
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static int rank;
static int counter = 5, *counter_at = &counter;
static const char *words[] = {"alpha", "beta", "gamma", NULL};
static __thread int own = 11;
static char big[70000] = "begins with this";

__attribute__((constructor)) static void build(void) { counter += 2; }
__attribute__((destructor)) static void ruin(void) { printf("destructor sees %d\n", counter); }
static void first(void) { printf("first handler, %d\n", counter++); }
static void second(void) { printf("second handler, %d\n", counter++); }

/* Gives other ranks time to spoil what is shared. */
static void let_others(void) { usleep(200 + 100 * (rank % 3)); }

static int next_static(void) {
  static int calls;
  return ++calls;
}

static void globals(void) {
  for (int i = 0; i <= rank; i++) *counter_at += i, next_static(), own += 2;
  let_others();
  printf("globals %d %d %d %s %c\n", counter, next_static(), own, words[rank % 3], big[rank]);
  memset(big, 'a' + rank % 26, sizeof big);
  let_others();
  printf("big %c %c\n", big[0], big[sizeof big - 1]);
}

static void options(void) {
  char number[16];
  snprintf(number, sizeof number, "--size=%d", rank);
  char *argv[] = {"prog", "word", "-v", number, "-o", "out", "other", "-vv", "--", "-x", NULL};
  static struct option table[] = {
      {"size", required_argument, NULL, 's'}, {"verbose", 0, NULL, 'v'}, {0}};
  int option, verbose = 0, argc = 10 - rank % 2;
  while ((option = getopt_long(argc, argv, "vo:", table, NULL)) != -1) {
    let_others();
    printf("option %c %s %d\n", option, optarg ? optarg : "-", optind);
    verbose += option == 'v';
  }
  for (; optind < argc; optind++) printf("rest %s\n", argv[optind]);
  char *wrong[] = {"prog", "-q", "--siz", NULL};
  optind = 0;
  while ((option = getopt_long(3, wrong, "vo:", table, NULL)) != -1)
    printf("wrong %c %d\n", option, optopt);
  optind = 1, opterr = 0;
  while ((option = getopt(3, wrong, ":q:")) != -1) printf("again %c %s\n", option, optarg);
}

static void chance(void) {
  printf("unseeded %d %ld %.6f %ld\n", rand(), random(), drand48(), lrand48());
  srand(rank);
  srand48(rank);
  unsigned sum = 0;
  for (int i = 0; i < 300; i++) {
    sum = sum * 31 + rand() + (unsigned)lrand48();
    if (i % 100 == 0) let_others();
  }
  unsigned short own48[3] = {rank, 2, 3};
  printf("seeded %u %.6f %ld %ld\n", sum, erand48(own48), nrand48(own48), mrand48());
  char table[64];
  char *before = initstate(rank, table, sizeof table);
  printf("small table %ld", random());
  setstate(before);
  printf(" back %ld\n", random());
  unsigned short seed[3] = {1, rank, 3}, *old = seed48(seed);
  printf("seed48 %d %d %d %ld\n", old[0], old[1], old[2], lrand48());
}

static void tokens(void) {
  char line[64];
  snprintf(line, sizeof line, "a%d,b%d;c%d d", rank, rank + 1, rank + 2);
  for (char *token = strtok(line, ",; "); token; token = strtok(NULL, ",; ")) {
    let_others();
    printf("token %s\n", token);
  }
}

static void times(void) {
  time_t moment = 86400L * 365 * (rank + 1) + 3601 * rank;
  struct tm *broken = gmtime(&moment);
  let_others();
  printf("gmtime %d %d %d\n", broken->tm_year, broken->tm_yday, broken->tm_hour);
  char *text = asctime(broken);
  let_others();
  printf("asctime %s", text);
  setenv("TZ", rank % 2 ? "JST-9" : "EST5EDT", 1);
  tzset();
  broken = localtime(&moment);
  let_others();
  printf("localtime %d %s %s %ld\n", broken->tm_hour, broken->tm_zone, tzname[0], timezone);
  printf("mktime %ld\n", (long)mktime(broken));
  text = ctime(&moment);
  let_others();
  printf("ctime %s", text);
  char form[64];
  strftime(form, sizeof form, "%Y %H %Z %s", localtime(&moment));
  printf("strftime %s\n", form);
}

extern char **environ;
static void environment(void) {
  char value[32];
  snprintf(value, sizeof value, "value-%d", rank);
  setenv("STATE_OWN", value, 1);
  static char line[32];
  snprintf(line, sizeof line, "STATE_PUT=%d", rank);
  putenv(line);
  let_others();
  printf("env %s %s\n", getenv("STATE_OWN"), getenv("STATE_PUT"));
  snprintf(line, sizeof line, "STATE_PUT=%d!", rank);
  if (rank % 2) unsetenv("STATE_GIVEN");
  let_others();
  char *given = getenv("STATE_GIVEN");
  printf("env %s %s\n", getenv("STATE_PUT"), given ? given : "none");
  int found = 0;
  for (char **each = environ; *each; each++) found += !strncmp(*each, "STATE_OWN=", 10);
  char *path = getenv("STATE_PATH");
  for (char *part = strtok(path, ":"); part; part = strtok(NULL, ":")) printf("part %s\n", part);
  printf("found %d left %s\n", found, getenv("STATE_PATH"));
}

static void children(void) {
  fflush(stdout);
  char text[128];
  FILE *pipe = popen("echo child of $STATE_OWN in `basename $PWD`; exit 3", "r");
  while (fgets(text, sizeof text, pipe)) printf("popen %s", text);
  printf("pclose %d\n", WEXITSTATUS(pclose(pipe)));
  printf("system %d\n", WEXITSTATUS(system("echo $STATE_OWN > by_system; exit 7")));
  pipe = popen("cat > by_popen", "w");
  fprintf(pipe, "to the child of %d\n", rank);
  pclose(pipe);
  FILE *file = fopen("by_system", "r");
  printf("by_system %s", fgets(text, sizeof text, file));
  fclose(file);
  file = fopen("by_popen", "r");
  printf("by_popen %s", fgets(text, sizeof text, file));
  fclose(file);
  fflush(stdout);
  int ends[2], status;
  if (pipe2(ends, O_CLOEXEC)) err(9, "pipe");
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    setenv("STATE_OWN", "of the child", 1);
    free(malloc(1000 + rank));
    execlp("sh", "sh", "-c", "echo exec $STATE_OWN $0 $1", "x", "y", NULL);
    _exit(1);
  }
  close(ends[1]);
  ssize_t bytes = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  waitpid(child, &status, 0);
  printf("fork %.*s %d %s\n", (int)bytes - 1, text, WEXITSTATUS(status), getenv("STATE_OWN"));
  fflush(stdout);
  child = fork();
  if (child == 0) {
    FILE *mine = fopen("by_fork", "w");
    fprintf(mine, "unflushed %d", rank + rand() % 2 * 0);
    exit(5);
  }
  waitpid(child, &status, 0);
  file = fopen("by_fork", "r");
  printf("child exit %d %s\n", WEXITSTATUS(status), fgets(text, sizeof text, file));
  fclose(file);
}

static void places(void) {
  char name[32];
  snprintf(name, sizeof name, "dir.%d", rank);
  mkdir(name, 0755);
  if (chdir(name)) err(9, "chdir");
  umask(rank % 8);
  let_others();
  close(open("made", O_CREAT | O_WRONLY, 0666));
  struct stat about;
  stat("made", &about);
  char *where = getcwd(NULL, 0);
  printf("cwd %s mode %o\n", strrchr(where, '/') + 1, about.st_mode & 0777);
  free(where);
  char *real = realpath(".", NULL);
  printf("realpath %s\n", strrchr(real, '/') + 1);
  free(real);
}

static pthread_key_t key;
static void key_ends(void *value) { printf("key ends %ld\n", (long)value); }
static void *with_key(void *argument) {
  own += 100;
  pthread_setspecific(key, argument);
  let_others();
  printf("thread %ld %d\n", (long)pthread_getspecific(key), own);
  return NULL;
}
static void threads(void) {
  pthread_key_create(&key, key_ends);
  pthread_setspecific(key, (void *)(long)(rank + 1));
  for (long i = 0; i < 3; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, with_key, (void *)(10 * i + rank + 1));
    pthread_join(thread, NULL);
  }
  printf("own key %ld\n", (long)pthread_getspecific(key));
}

static void format(const char *form, ...) {
  va_list list;
  va_start(list, form);
  vprintf(form, list);
  va_end(list);
}

static void streams(void) {
  format("vprintf %s %d %.3f\n", "text", rank, rank / 3.0);
  puts("puts");
  putchar('p'), putchar_unlocked('u'), putc('\n', stdout);
  fputs("fputs\n", stdout);
  fwrite("fwrite\n", 1, 7, stdout);
  for (int i = 0; i < 400; i++) printf("%d%c", i * rank, i % 20 == 19 ? '\n' : ' ');
  char *text = NULL;
  size_t bytes = 0;
  int made = asprintf(&text, "asprintf %d %s", rank, "x");
  printf("%s %d\n", text, made);
  free(text);
  FILE *memory = open_memstream(&text, &bytes);
  fprintf(memory, "memstream %d", rank);
  fclose(memory);
  printf("%s %zu\n", text, bytes);
  free(text);
  char source[32] = "1 2 3 rest of line\nnext\n";
  memory = fmemopen(source, strlen(source), "r");
  int a, b, c;
  char *line = malloc(4);
  size_t room = 4;
  printf("fscanf %d", fscanf(memory, "%d %d %d", &a, &b, &c));
  printf(" getline %zd", getline(&line, &room, memory));
  printf(" %s", line);
  printf("getline %zd\n", getline(&line, &room, memory));
  free(line);
  fclose(memory);
  FILE *file = tmpfile();
  fprintf(file, "tmp %d", rank);
  rewind(file);
  printf("%s\n", fgets(source, sizeof source, file));
  fclose(file);
  setvbuf(stdout, malloc(100), _IOFBF, 100);
  for (int i = 0; i < 30; i++) printf("small buffer %d\n", i);
  setvbuf(stdout, NULL, _IOFBF, 5000);
}

static void input(void) {
  int number = -1;
  char word[32] = "none", line[32] = "none";
  int got = scanf("%d %31s", &number, word);
  printf("scanf %d %d %s\n", got, number, word);
  int letter = getchar();
  printf("getchar %d %s", letter, fgets(line, sizeof line, stdin) ? line : "no line\n");
  printf("eof %d\n", feof(stdin) != 0);
}

static void complaints(void) {
  errno = ENOENT;
  perror("perror");
  errno = EACCES;
  warn("warn %d", rank);
  warnx("warnx %d", rank);
  error(0, ENOMEM, "error %d", rank);
  fprintf(stderr, "stderr %d\n", rank);
  psignal(SIGSEGV, "psignal");
  printf("unknown %s\n", strerror(100000 + rank));
}

static void memory(void) {
  unsigned sum = 0;
  char *kept[200];
  for (int i = 0; i < 200; i++) {
    kept[i] = i % 3 ? malloc(i * 17 % 500 + 1) : calloc(1, i * 13 + 1);
    memset(kept[i], i, 1);
    if (i % 7 == 0) kept[i] = realloc(kept[i], 20000);
  }
  for (int i = 0; i < 200; i++) sum = sum * 3 + (unsigned char)kept[i][0], free(kept[i]);
  void *aligned;
  int status = posix_memalign(&aligned, 4096, 100);
  int offset = (uintptr_t)aligned % 4096, usable = malloc_usable_size(aligned);
  printf("memory %u %d %d %d\n", sum, status, offset, usable >= 100);
  free(aligned);
  char *large = malloc(100 << 20);
  large[0] = 1, large[(100 << 20) - 1] = 2;
  large = realloc(large, 120 << 20);
  printf("large %d %d\n", large[0], large[(100 << 20) - 1]);
  free(large);
  char *copy = strdup("duplicate"), *part = strndup("duplicate", 3);
  printf("%s %s %d\n", copy, part, malloc(SIZE_MAX / 2) == NULL);
  free(copy), free(part);
}

static void tables(void) {
  hcreate(30);
  char names[10][8];
  for (long i = 0; i < 10; i++) {
    snprintf(names[i], sizeof names[i], "k%ld", i);
    hsearch((ENTRY){names[i], (void *)(i * rank)}, ENTER);
  }
  let_others();
  ENTRY *found = hsearch((ENTRY){"k7", NULL}, FIND);
  printf("hsearch %ld\n", (long)found->data);
  hdestroy();
  volatile double x = rank % 2 ? -0.5 : 2.5;
  double result = lgamma(x);
  printf("lgamma %.6f %d\n", result, signgam);
}

int main(int argc, char **argv) {
  rank = state_rank();
  atexit(first);
  atexit(second);
  if (argc > 1) argv[1][0] = 'A' + rank % 26;
  let_others();
  printf("main %d %s\n", argc, argc > 1 ? argv[1] : "-");
  globals();
  options();
  chance();
  tokens();
  times();
  places();
  environment();
  children();
  threads();
  streams();
  input();
  complaints();
  memory();
  tables();
  printf("before reopening\n");
  if (!freopen("reopened", "w", stdout)) err(9, "freopen");
  printf("reopened by %d\n", rank);
  return rank % 3;
}
