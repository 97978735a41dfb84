//! Ranks in one process behave as processes of their own: what each of N ranks writes is, byte for
//! byte, what the same program writes as one of N real processes. And heaps keep ranks apart.

use support::{Outcome, Program, Source};

const RANKS: usize = 6;
const INPUT: &str = "42 word x\nline two\n";

/// Runs the program as `RANKS` processes and as `RANKS` ranks, and compares what each wrote.
fn compare(program: &Program) {
    let hosted = hosted(program, RANKS);
    for rank in 0..RANKS {
        let real = real(program, rank);
        assert_eq!(lines_of(&hosted.stdout, rank), real.stdout, "stdout of rank {rank}\n{hosted}");
        assert_eq!(lines_of(&hosted.stderr, rank), real.stderr, "stderr of rank {rank}");
    }
}

fn set_up(run: support::Run, name: &str) -> support::Run {
    run.directory(support::fresh_directory(name))
        .args(["argument"])
        .env("STATE_PATH", "/a:/b")
        .env("STATE_GIVEN", "given")
        .env("OMP_NUM_THREADS", "2")
        .env_remove("TZ")
}

fn real(program: &Program, rank: usize) -> Outcome {
    let run = set_up(support::command(program.path()), "real");
    let input = if rank == 0 { INPUT } else { "" };
    run.env("STATE_RANK", rank.to_string()).stdin(input).outcome()
}

fn hosted(program: &Program, ranks: usize) -> Outcome {
    let run = set_up(support::run(program), "hosted").ranks(ranks).stdin(INPUT);
    run.option("--tag-output").option("--on-failure=continue").outcome()
}

/// What one rank wrote: its lines, without the tag.
fn lines_of(output: &str, rank: usize) -> String {
    let tag = format!("[{rank}] ");
    output.split_inclusive('\n').filter_map(|line| line.strip_prefix(&tag)).collect()
}

fn libc_program() -> Source {
    support::c("state_libc.c").flags(&["-O2", "-D_FORTIFY_SOURCE=2", "-w"])
}

#[test]
fn libcs_state_is_each_ranks_own() {
    compare(&libc_program().build());
}

#[test]
fn libcs_state_is_each_ranks_own_without_copy_relocations() {
    compare(&support::c("state_libc.c").flags(&["-O0", "-fPIC", "-w"]).build());
}

#[test]
fn libcs_state_is_each_ranks_own_by_clang_and_lld() {
    let source = support::c("state_libc.c").compiler("clang");
    compare(&source.flags(&["-O2", "-fuse-ld=lld", "-w"]).build());
}

#[test]
fn streams_and_statics_of_cxx_are_each_ranks_own() {
    compare(&support::cxx("state_cxx.cpp").flags(&["-O2"]).build());
}

#[test]
fn units_and_saved_variables_of_fortran_are_each_ranks_own() {
    let source = support::fortran("state_fortran.F90").and("state_fortran_rank.c");
    compare(&source.flags(&["-O2", "-fopenmp"]).build());
}

#[test]
fn a_wait_for_any_child_finds_the_ranks_own() {
    let program = support::c_text(
        "children",
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <unistd.h>
        int main(void) {
          int mine = atoi(getenv("STATE_RANK")), status, wrong = 0;
          for (int round = 0; round < 100; round++) {
            pid_t child = fork();
            if (child == 0) _exit(mine + round % 3);
            pid_t ended = round % 2 ? wait(&status) : waitpid(-1, &status, 0);
            wrong += ended != child || WEXITSTATUS(status) != mine + round % 3;
          }
          printf("%d wrong, then %d\n", wrong, (int)wait(&status));
          return 0;
        }
        "#,
    );
    let hosted = support::run(&program.build()).ranks(RANKS).env("STATE_RANK", "7").succeeds();
    assert_eq!(hosted.stdout, "0 wrong, then -1\n".repeat(RANKS));
}

#[test]
fn a_blocked_signal_waits_until_it_may_come() {
    let program = support::c_text(
        "blocked",
        r#"
        #include <signal.h>
        #include <stdio.h>
        #include <unistd.h>
        static volatile sig_atomic_t seen, depth, deepest;
        static void count(int number) {
          if (++depth > deepest) deepest = depth;
          if (seen++ == 0) raise(number);
          depth--;
        }
        int main(void) {
          sigset_t set, waiting;
          sigemptyset(&set);
          sigaddset(&set, SIGUSR1);
          signal(SIGUSR1, count);
          sigprocmask(SIG_BLOCK, &set, NULL);
          kill(getpid(), SIGUSR1);
          sigpending(&waiting);
          printf("blocked: %d seen, waits %d\n", (int)seen, sigismember(&waiting, SIGUSR1));
          sigprocmask(SIG_UNBLOCK, &set, NULL);
          printf("%d seen, deepest %d\n", (int)seen, (int)deepest);
          return 0;
        }
        "#,
    );
    compare(&program.build());
}

#[test]
fn output_without_tags_is_that_of_a_process() {
    let program = libc_program().build();
    let hosted = set_up(support::run(&program), "hosted").ranks(1).stdin(INPUT).outcome();
    let real = real(&program, 0);
    assert_eq!(hosted.stdout, real.stdout);
    assert_eq!(hosted.stderr, real.stderr);
    assert_eq!(hosted.status, real.status);
}

#[test]
fn lines_of_ranks_do_not_mix() {
    let program = support::c_text(
        "lines",
        r#"
        #include <stdio.h>
        extern int ftmpi_rank_in_job(void);
        int main(void) {
          int rank = ftmpi_rank_in_job();
          for (int i = 0; i < 50; i++) printf("rank %03d line %02d end\n", rank, i);
          fprintf(stderr, "rank %03d says %d %s\n", rank, rank * 2, "in one piece");
          return 0;
        }
        "#,
    );
    let seen = support::run(&program.build()).ranks(60).succeeds();
    let expected: Vec<_> = (0..60)
        .flat_map(|rank| (0..50).map(move |line| format!("rank {rank:03} line {line:02} end")))
        .collect();
    assert_eq!(seen.sorted_lines(), expected);
    let mut said: Vec<_> = seen.stderr.lines().collect();
    said.sort_unstable();
    let expected: Vec<_> =
        (0..60).map(|rank| format!("rank {rank:03} says {} in one piece", rank * 2)).collect();
    assert_eq!(said, expected);
}

/// A program whose ranks pass pointers to each other, and do what `body` says with them.
fn neighbours(name: &str, body: &str) -> Program {
    const BEFORE: &str = r#"
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <unistd.h>
        extern int ftmpi_rank_in_job(void);
        int variable = 17;
        int called(void) { return variable; }
        /* One page that all ranks see. */
        void *volatile *shared_page(void) {
          int file = open("page", O_RDWR | O_CREAT, 0600);
          if (ftruncate(file, 4096)) abort();
          return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        }
        "#;
    support::c_text(name, &format!("{BEFORE}{body}")).flags(&["-w", "-rdynamic"]).build()
}

#[test]
fn a_block_may_be_freed_by_another_rank() {
    let program = neighbours(
        "crossfree",
        r#"
        int main(void) {
          int rank = ftmpi_rank_in_job();
          void *volatile *page = shared_page();
          for (int turn = 0; turn < 20000; turn++) {
            char *block = malloc(40 + turn % 100);
            memset(block, rank, 40);
            char *old = __atomic_exchange_n(&page[turn % 64], block, __ATOMIC_SEQ_CST);
            if (turn % 3 == 0) old = realloc(old, 300);
            free(old);
          }
          /* Blocks of a rank go with the rank. */
          __atomic_add_fetch((long *)&page[100], 1, __ATOMIC_SEQ_CST);
          while (__atomic_load_n((long *)&page[100], __ATOMIC_SEQ_CST) < 8) usleep(100);
          printf("done %d\n", rank);
          return 0;
        }
        "#,
    );
    let directory = support::fresh_directory("crossfree");
    let seen = support::run(&program).ranks(8).directory(directory).succeeds();
    assert_eq!(seen.lines_with("done"), 8);
}

#[test]
fn a_ruined_heap_is_the_ruin_of_one_rank() {
    let program = neighbours(
        "ruin",
        r#"
        int main(int argc, char **argv) {
          int rank = ftmpi_rank_in_job();
          char *blocks[100];
          for (int i = 0; i < 100; i++) blocks[i] = malloc(40);
          if (rank == 3 && !strcmp(argv[1], "twice")) free(blocks[7]), free(blocks[7]);
          if (rank == 3 && !strcmp(argv[1], "over")) memset(blocks[7], 1, 60), free(blocks[7]);
          if (rank == 3 && !strcmp(argv[1], "wild")) {
            for (int i = 0; i < 100; i += 2) free(blocks[i]);
            memset(blocks[1], 0x41, 40 * 90);
            for (int i = 0; i < 1000; i++) free(malloc(i));
            for (int i = 1; i < 100; i += 2) free(blocks[i]);
          }
          for (int i = 0; i < 1000; i++) free(malloc(i));
          printf("lives %d\n", rank);
          return 0;
        }
        "#,
    );
    for way in ["twice", "over", "wild"] {
        let run = support::run(&program).ranks(8).args([way]).option("--on-failure=continue");
        let seen = run.outcome();
        assert_eq!(seen.lines_with("lives"), 7, "{seen}");
        assert!(!seen.stdout.contains("lives 3"));
        assert!(seen.stderr.contains("rank 3"), "{seen}");
        if way != "wild" {
            assert!(seen.stderr.contains("double free or corruption"), "{seen}");
        }
    }
}

#[test]
fn ranks_find_their_own_symbols() {
    let program = neighbours(
        "symbols",
        r#"
        int main(void) {
          int rank = ftmpi_rank_in_job();
          variable = rank;
          int *found = dlsym(RTLD_DEFAULT, "variable");
          int (*function)(void) = dlsym(RTLD_DEFAULT, "called");
          void *(*allocate)(size_t) = dlsym(RTLD_NEXT, "malloc");
          void *self = dlopen(NULL, RTLD_LAZY), *libm = dlopen("libm.so.6", RTLD_LAZY);
          double (*cosine)(double) = dlsym(libm, "cos");
          Dl_info info;
          int status = dladdr((void *)called, &info);
          printf("%d %d %d %d %d %s %d %d %d %.1f\n", found == &variable, *found == rank,
                 function == called, function() == rank, status, info.dli_sname,
                 info.dli_saddr == (void *)called, allocate == malloc,
                 dlsym(self, "variable") == &variable, cosine(0));
          FILE **out = dlsym(RTLD_DEFAULT, "stdout");
          fprintf(*out, "%d\n", *out == stdout);
          return dlsym(RTLD_DEFAULT, "no such name") != NULL;
        }
        "#,
    );
    let seen = support::run(&program).ranks(4).succeeds();
    let mut expected = vec!["1"; 4];
    expected.extend(["1 1 1 1 1 called 1 1 1 1.0"; 4]);
    assert_eq!(seen.sorted_lines(), expected);
}

#[test]
fn a_rank_that_dies_shows_its_last_line() {
    let program = support::c_text(
        "lastline",
        r#"
        #include <stdio.h>
        extern int ftmpi_rank_in_job(void);
        int main(void) {
          printf("last line of %d\n", ftmpi_rank_in_job());
          if (ftmpi_rank_in_job() == 1) *(volatile int *)8 = 1;
          return 0;
        }
        "#,
    );
    let run = support::run(&program.build()).ranks(3).option("--on-failure=continue");
    let seen = run.outcome();
    let expected = ["last line of 0", "last line of 1", "last line of 2"];
    assert_eq!(seen.sorted_lines(), expected, "{seen}");
}

#[test]
fn every_rank_has_a_thousand_keys() {
    let program = support::c_text(
        "keys",
        r#"
        #include <pthread.h>
        #include <stdio.h>
        int main(void) {
          pthread_key_t keys[1000];
          for (long i = 0; i < 1000; i++) {
            if (pthread_key_create(&keys[i], NULL)) return 1;
            pthread_setspecific(keys[i], (void *)i);
          }
          for (long i = 0; i < 1000; i++)
            if (pthread_getspecific(keys[i]) != (void *)i) return 2;
          return 0;
        }
        "#,
    );
    support::run(&program.build()).ranks(40).succeeds();
}

#[test]
fn critical_sections_of_openmp_are_each_ranks_own() {
    let program = support::c_text(
        "critical",
        r#"
        #include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv) {
          int rank;
          MPI_Init(&argc, &argv);
          MPI_Comm_rank(MPI_COMM_WORLD, &rank);
          /* Every rank is in its section when all are. */
        #pragma omp critical
          MPI_Barrier(MPI_COMM_WORLD);
          printf("done %d\n", rank);
          return MPI_Finalize();
        }
        "#,
    );
    let seen = support::run(&program.flags(&["-fopenmp"]).build()).ranks(4).succeeds();
    assert_eq!(seen.lines_with("done"), 4);
}

#[test]
fn a_forked_child_does_about_signals_what_its_rank_does() {
    let program = support::c_text(
        "inherit",
        r#"
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <unistd.h>
        static volatile int heard;
        static void hear(int number) { heard += number == SIGUSR1; }
        int main(void) {
          int status;
          signal(SIGUSR1, hear);
          signal(SIGPIPE, SIG_IGN);
          pid_t child = fork();
          if (child == 0) {
            kill(getpid(), SIGUSR1);
            kill(getpid(), SIGPIPE);
            _exit(heard == 1 ? 7 : 8);
          }
          waitpid(child, &status, 0);
          printf("child %s %d\n", WIFEXITED(status) ? "exits" : "dies", WEXITSTATUS(status));
          return 0;
        }
        "#,
    );
    let seen = support::run(&program.build()).ranks(3).succeeds();
    assert_eq!(seen.lines_with("child exits 7"), 3, "{seen:?}");
}

#[test]
fn handlers_of_a_program_in_strict_c_are_each_ranks_own() {
    let program = support::c_text(
        "strict",
        r#"
        #include <signal.h>
        #include <stdio.h>
        extern int ftmpi_rank_in_job(void);
        static volatile sig_atomic_t heard;
        static void hear(int number) { heard += number == SIGTERM; }
        int main(void) {
          void (*before)(int) = signal(SIGTERM, hear);
          int was_default = before == SIG_DFL;
          raise(SIGTERM);
          was_default += signal(SIGTERM, ftmpi_rank_in_job() % 2 ? SIG_IGN : hear) == SIG_DFL;
          raise(SIGTERM);
          printf("heard %d %d\n", was_default, (int)heard);
          return 0;
        }
        "#,
    );
    let seen = support::run(&program.flags(&["-std=c99"]).build()).ranks(4).succeeds();
    assert_eq!(seen.lines_with("heard 2 1"), 2, "{seen:?}");
    assert_eq!(seen.lines_with("heard 2 2"), 2, "{seen:?}");
}

#[test]
fn a_pipe_to_a_program_ends_when_its_rank_closes_it() {
    let program = support::c_text(
        "pipes",
        r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <stdlib.h>
        int main(int argc, char **argv) {
          int rank;
          MPI_Init(&argc, &argv);
          MPI_Comm_rank(MPI_COMM_WORLD, &rank);
          FILE *mine = popen("cat > /dev/null", "w");
          MPI_Barrier(MPI_COMM_WORLD);
          /* Lives until rank 0's first pipe is closed, which it must not hold. */
          FILE *other = popen("cat > /dev/null", "w");
          MPI_Barrier(MPI_COMM_WORLD);
          if (rank == 0) printf("closed %d\n", pclose(mine));
          MPI_Barrier(MPI_COMM_WORLD);
          if (rank != 0) printf("closed %d\n", pclose(mine));
          pclose(other);
          return MPI_Finalize();
        }
        "#,
    );
    let seen = support::run(&program.build()).ranks(3).succeeds();
    assert_eq!(seen.lines_with("closed 0"), 3, "{seen:?}");
}

#[test]
fn threads_of_standard_c_belong_to_the_rank_that_starts_them() {
    let program = support::c_text(
        "thrd",
        r#"
        #include <stdio.h>
        #include <threads.h>
        extern int ftmpi_rank_in_job(void);
        static int run(void *place) {
          *(int *)place = ftmpi_rank_in_job();
          thrd_exit(-5);
        }
        int main(void) {
          thrd_t thread;
          int seen = -1, result = 0;
          if (thrd_create(&thread, run, &seen) != thrd_success) return 1;
          if (thrd_join(thread, &result) != thrd_success) return 2;
          printf("thread %d\n", seen == ftmpi_rank_in_job() && result == -5);
          return 0;
        }
        "#,
    );
    let seen = support::run(&program.build()).ranks(4).succeeds();
    assert_eq!(seen.lines_with("thread 1"), 4, "{seen:?}");
}

#[test]
fn the_threads_of_a_rank_share_its_working_directory() {
    let program = support::c_text(
        "directory",
        r#"
        #include <mpi.h>
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static pthread_barrier_t both;
        static char seen[4096];
        static void *other(void *nothing)
        {
            pthread_barrier_wait(&both);
            getcwd(seen, sizeof seen);
            return nothing;
        }
        int main(int argc, char **argv)
        {
            int rank;
            pthread_t thread;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            pthread_barrier_init(&both, NULL, 2);
            pthread_create(&thread, NULL, other, NULL);
            if (chdir(rank % 2 ? "/usr" : "/etc"))
                return 1;
            MPI_Barrier(MPI_COMM_WORLD);
            pthread_barrier_wait(&both);
            pthread_join(thread, NULL);
            printf("%d %s\n", rank % 2, seen);
            MPI_Finalize();
            return 0;
        }
        "#,
    );
    let outcome = support::run(&program.flags(&["-pthread"]).build()).ranks(6).succeeds();
    assert_eq!((outcome.lines_with("0 /etc"), outcome.lines_with("1 /usr")), (3, 3), "{outcome}");
}
