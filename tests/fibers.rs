//! Ranks as fibers: what only they could get wrong. Everything else is tested by all other tests,
//! which run on fibers where `FTMPI_RANKS=fiber` stands in the environment.

use std::time::Duration;
use support::Run;

/// A program of this text, as many ranks as fibers.
fn fibers(name: &str, text: &str, ranks: usize) -> Run {
    let program = support::c_text(name, text).flags(&["-O1", "-pthread"]).build();
    support::run(&program).ranks(ranks).option("--ranks=fiber").deadline(60)
}

#[test]
fn what_carries_the_ranks_is_said() {
    let text = "int main(void) { return 0; }";
    let seen = fibers("nothing", text, 3).option("--explain").succeeds();
    assert!(seen.stderr.contains("ranks are fibers on "), "{seen}");
    let seen = fibers("nothing", text, 3).option("--ranks=thread").option("--explain").succeeds();
    assert!(!seen.stderr.contains("fibers"), "{seen}");
}

#[test]
fn ranks_are_fibers_where_there_are_more_of_them_than_cores() {
    let program = support::c_text("nothing", "int main(void) { return 0; }").build();
    let cores = support::cores();
    for (ranks, are_fibers) in [(cores, false), (cores + 1, true)] {
        // What stands there for the whole run of tests does not count here.
        let run = support::run(&program).ranks(ranks).env("FTMPI_RANKS", "").option("--explain");
        let seen = run.succeeds();
        assert_eq!(seen.stderr.contains("ranks are fibers on "), are_fibers, "{seen}");
    }
}

/// Without a call of the library, only being interrupted lets the others run.
#[test]
fn whoever_spins_does_not_keep_others_from_running() {
    let text = r#"
        #include <stdio.h>
        #include "mpi.h"
        #include "ftmpi.h"
        int main(int count, char **words)
        {
            int rank, size;
            volatile int *flags, got = 0;
            MPI_Init(&count, &words);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            static volatile int own[64];
            flags = own;
            MPI_Bcast(&flags, sizeof flags, MPI_BYTE, 0, MPI_COMM_WORLD);
            double sum = 1.0;
            flags[rank] = 1;
            while (got < size) {
                got = 0;
                for (int i = 0; i < size; i++) got += flags[i];
                sum = sum * 1.0000001 + 1e-9;
            }
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0) printf("all have come %d\n", sum > 0);
            return MPI_Finalize();
        }
    "#;
    let seen = fibers("spin", text, 40).succeeds();
    assert_eq!(seen.lines_with("all have come 1"), 1, "{seen}");
}

/// Those who ask again and again keep the queue full; whoever is woken has a turn, too.
#[test]
fn whoever_asks_in_vain_does_not_keep_those_who_are_woken_from_running() {
    let text = r#"
        #include <stdio.h>
        #include "mpi.h"
        int main(int count, char **words)
        {
            int rank, size, token = 0, done;
            MPI_Request all;
            MPI_Init(&count, &words);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            if (rank % 3 == 0) {
                /* The token goes around among those who wait. */
                int next = rank + 3 < size ? rank + 3 : 0;
                for (int i = 0; i < 100; i++) {
                    if (rank == 0)
                        MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
                    MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
                    if (rank != 0)
                        MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
                }
            }
            MPI_Ibarrier(MPI_COMM_WORLD, &all);
            for (done = 0; !done;)
                MPI_Test(&all, &done, MPI_STATUS_IGNORE);
            if (rank == 0) puts("around");
            return MPI_Finalize();
        }
    "#;
    let seen = fibers("vain", text, 30).succeeds();
    assert_eq!(seen.lines_with("around"), 1, "{seen}");
}

#[test]
fn a_thousand_sleep_at_once() {
    let text = r#"
        #include <errno.h>
        #include <poll.h>
        #include <time.h>
        #include <unistd.h>
        #include <sys/select.h>
        #include "ftmpi.h"
        int main(void)
        {
            struct timespec wanted = {0, 300000000}, left, end;
            struct timeval half = {0, 300000};
            switch (ftmpi_rank_in_job() % 6) {
            case 0: return sleep(1);
            case 1: return usleep(300000);
            case 2: return nanosleep(&wanted, &left);
            case 3: return poll(0, 0, 300);
            case 4: return select(0, 0, 0, 0, &half);
            }
            clock_gettime(CLOCK_REALTIME, &end);
            end.tv_sec++;
            return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &end, 0);
        }
    "#;
    let seen = fibers("sleep", text, 1000).succeeds();
    assert!(seen.took > Duration::from_secs(1), "nobody has slept\n{seen}");
    assert!(seen.took < Duration::from_secs(20), "they slept one after the other\n{seen}");
}

/// All but the last wait in the kernel for what others write.
#[test]
fn whoever_waits_in_the_kernel_does_not_stop_the_others() {
    let text = r#"
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        #include "mpi.h"
        int main(int count, char **words)
        {
            int rank, size, ends[2], to;
            char byte = 'x';
            MPI_Init(&count, &words);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            if (pipe(ends)) return 1;
            MPI_Sendrecv(&ends[1], 1, MPI_INT, (rank + 1) % size, 0, &to, 1, MPI_INT,
                         (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == size - 1 && write(to, &byte, 1) != 1) return 1;
            if (read(ends[0], &byte, 1) != 1) return 1;
            if (rank != size - 1 && write(to, &byte, 1) != 1) return 1;
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0) puts("around");
            return MPI_Finalize();
        }
    "#;
    let seen = fibers("pipes", text, 12).succeeds();
    assert_eq!(seen.lines_with("around"), 1, "{seen}");
}

/// What the kernel keeps per thread stays each rank's own, while ranks change places.
#[test]
fn directories_masks_and_threads_stay_with_their_rank() {
    let text = r#"
        #define _GNU_SOURCE
        #include <pthread.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <unistd.h>
        #include "mpi.h"
        static void *number(void *place) { *(pthread_t *)place = pthread_self(); return place; }
        int main(int count, char **words)
        {
            int rank, bad = 0;
            char wanted[64], seen[4096];
            sigset_t mask, now;
            pthread_attr_t attributes;
            void *stack;
            size_t bytes;
            MPI_Init(&count, &words);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            pthread_t self = pthread_self(), other, told;
            snprintf(wanted, sizeof wanted, "/proc/%d", rank % 2 ? 1 : getpid());
            sigemptyset(&mask);
            if (rank % 3 == 0) sigaddset(&mask, SIGUSR1);
            if (rank % 4 == 0 && chdir(wanted)) return 1;
            if (rank % 3 == 0) sigprocmask(SIG_BLOCK, &mask, 0);
            if (rank % 5 == 0) umask(0700 + rank % 8);
            for (int i = 0; i < 200; i++) {
                MPI_Barrier(MPI_COMM_WORLD);
                if (!getcwd(seen, sizeof seen)) return 1;
                bad += rank % 4 == 0 && strcmp(seen, wanted);
                bad += rank % 4 != 0 && !strcmp(seen, wanted);
                sigprocmask(SIG_BLOCK, 0, &now);
                bad += sigismember(&now, SIGUSR1) != (rank % 3 == 0);
                bad += !pthread_equal(self, pthread_self());
            }
            if (rank % 5 == 0) bad += umask(0) != 0700 + rank % 8;
            bad += pthread_getattr_np(self, &attributes) != 0;
            bad += pthread_attr_getstack(&attributes, &stack, &bytes) != 0;
            bad += (char *)&bad < (char *)stack || (char *)&bad >= (char *)stack + bytes;
            if (rank % 7 == 0) {
                bad += pthread_create(&other, 0, number, &told) || pthread_join(other, 0);
                bad += !pthread_equal(told, other) || pthread_equal(told, self);
            }
            MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (rank == 0) printf("bad %d\n", bad);
            return MPI_Finalize();
        }
    "#;
    let seen = fibers("own", text, 40).succeeds();
    assert_eq!(seen.lines_with("bad 0"), 1, "{seen}");
}

/// A handler that waits for a message shares no stack with the ranks that run meanwhile.
#[test]
fn handlers_may_wait_for_messages() {
    let text = r#"
        #include <signal.h>
        #include <stdio.h>
        #include <sys/time.h>
        #include "mpi.h"
        static int rank, size, sum;
        static volatile int done;
        static void exchange(int number)
        {
            char noise[3000];
            for (int i = 0; i < 20; i++) {
                int out = rank, in = -1;
                snprintf(noise, sizeof noise, "%d of %d %d", rank, size, number);
                MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT,
                             (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += in == (rank + size - 1) % size;
            }
            done = number == SIGALRM;
        }
        int main(int count, char **words)
        {
            MPI_Init(&count, &words);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            struct sigaction action = {0};
            action.sa_handler = exchange;
            sigaction(SIGUSR1, &action, 0);
            sigaction(SIGALRM, &action, 0);
            raise(SIGUSR1);
            struct itimerval soon = {{0, 0}, {0, 20000}};
            setitimer(ITIMER_REAL, &soon, 0);
            while (!done) {}
            MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (rank == 0) printf("right %d\n", sum);
            return MPI_Finalize();
        }
    "#;
    let seen = fibers("handlers", text, 30).succeeds();
    assert_eq!(seen.lines_with("right 1200"), 1, "{seen}");
}

/// Kills find fibers that run, that wait for a message, that sleep, and that wait in the kernel.
#[test]
fn a_kill_finds_a_fiber_whatever_it_does() {
    let text = r#"
        #include <stdio.h>
        #include <unistd.h>
        #include "ftmpi.h"
        #include "mpi.h"
        int main(int count, char **words)
        {
            int rank, ends[2], value;
            char byte;
            if (ftmpi_incarnation() > 0) { puts("again"); return 0; }
            MPI_Init(&count, &words);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0) {
                for (int other = 1; other < 9; other++) ftmpi_kill(other);
                puts("told");
                return MPI_Finalize();
            }
            if (pipe(ends)) return 1;
            switch (rank % 4) {
            case 0: for (volatile int i = 0;; i++) {}
            case 1: MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            case 2: sleep(1000);
            case 3: return read(ends[0], &byte, 1) == 1;
            }
            return 0;
        }
    "#;
    let seen = fibers("killed", text, 9).option("--on-failure=restart").outcome();
    assert_eq!((seen.lines_with("again"), seen.lines_with("told")), (8, 1), "{seen}");
}

/// Each life of a seat begins with a fresh control block, and leaves none behind.
#[test]
fn hundreds_of_lives_follow_each_other() {
    let text = r#"
        #include <errno.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include "ftmpi.h"
        static __thread int local = 7;
        int main(void)
        {
            if (local++ != 7 || errno) { puts("stale"); return 0; }
            errno = EDOM;
            if (ftmpi_incarnation() < 300) *(volatile int *)8 = 0;
            puts("done");
            return 0;
        }
    "#;
    let seen = fibers("lives", text, 6).option("--on-failure=restart").outcome();
    assert_eq!((seen.lines_with("done"), seen.lines_with("stale")), (6, 0), "{seen}");
}

#[test]
fn who_is_ready_goes_on_though_all_other_workers_are_asleep_or_busy() {
    let program = support::c("neglected.c").build();
    support::run(&program).ranks(3).option("--ranks=fiber").succeeds();
}

/// Each waits for the other all the time, and the third for both: two cores are of no use to them.
#[test]
fn two_who_only_speak_with_each_other_come_together_on_one_core() {
    let text = r#"
        #include <stdio.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        #include "mpi.h"
        int main(int count, char **words)
        {
            int rank, times = 20000, together = 0;
            long core;
            MPI_Init(&count, &words);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            for (int i = 0; i < times && rank != 1; i++) {
                long own = syscall(SYS_gettid);
                if (rank == 0)
                    MPI_Send(&own, 1, MPI_LONG, 2, 0, MPI_COMM_WORLD);
                MPI_Recv(&core, 1, MPI_LONG, 2 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (rank == 2)
                    MPI_Send(&own, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
                together += core == syscall(SYS_gettid);
            }
            if (rank == 0)
                printf("%s in %d times\n", together > times / 2 ? "together" : "apart", together);
            return MPI_Finalize();
        }
    "#;
    // With a core for each of them nobody would have to come.
    let seen = fibers("together", text, 3).env("FTMPI_CORES", "2").succeeds();
    assert_eq!(seen.lines_with("together in "), 1, "{seen}");
}
