//! The host without MPI: every rank has its own globals, libraries and libc, dies alone, and a
//! fresh incarnation of it starts from scratch. In C, C++ and Fortran.

use std::time::{Duration, Instant};
use support::{Outcome, Program};

/// Options under which one rank's death is noted and the others continue.
const RESTART: &str = "--on-failure=restart";

#[test]
fn the_header_is_what_the_extensions_say() {
    let generated = include_str!(concat!(env!("OUT_DIR"), "/ftmpi.h"));
    assert_eq!(include_str!("../include/ftmpi.h"), generated, "copy it from OUT_DIR");
}

/// What every rank prints, given what is printed for its number.
fn each_rank_prints(program: &Program, ranks: usize, line: impl Fn(usize) -> String) -> Outcome {
    let seen = support::run(program).ranks(ranks).args(["one", "two"]).succeeds();
    let mut expected: Vec<String> = (0..ranks).map(line).collect();
    expected.sort_unstable();
    assert_eq!(seen.sorted_lines(), expected, "{seen:?}");
    seen
}

#[test]
fn globals_of_c_are_private() {
    let program = support::c_text(
        "globals",
        r#"
        #include <math.h>
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include "ftmpi.h"
        int plain = 5, big[100000];
        int *pointer = &plain;
        static int add(int value) { return plain + value; }
        int (*function)(int) = add;
        __thread int local = 7;
        __thread int *local_pointer = &plain;
        static int arguments;
        __attribute__((constructor)) static void construct(int count, char **words)
        {
            arguments = count + (int)strlen(words[1]);
            plain += ftmpi_rank_in_job();
        }
        static int next(void) { static int calls = 100; return ++calls; }
        static void *thread(void *unused)
        {
            return (void *)(size_t)(local == 7 && local_pointer == &plain);
        }
        int main(int count, char **words)
        {
            int rank = ftmpi_rank_in_job();
            pthread_t started;
            void *fits;
            for (int i = 0; i < 100000; i += 1000) big[i] = rank;
            local += rank, next(), words[1][0] = (char)('a' + rank % 26);
            pthread_create(&started, NULL, thread, NULL);
            pthread_join(started, &fits);
            printf("%d: %d %d %d %d %d %d %d %s%s %.3f %d\n", rank, plain, *pointer, function(1),
                   local, *local_pointer, next(), arguments, words[1], words[count - 1],
                   sqrt(rank), fits != NULL);
            return big[99000] != rank;
        }
        "#,
    )
    .flags(&["-O1", "-Wall"])
    .build();
    each_rank_prints(&program, 40, |rank| {
        let (plain, letter) = (5 + rank, char::from(b'a' + rank as u8 % 26));
        let (local, root, next) = (7 + rank, (rank as f64).sqrt(), plain + 1);
        format!("{rank}: {plain} {plain} {next} {local} {plain} 102 6 {letter}netwo {root:.3} 1")
    });
}

#[test]
fn constructors_and_destructors_run_once_a_rank_in_order() {
    let first = "#include <stdio.h>\nint value = 1;
        __attribute__((constructor)) static void a(void) { value = 2; puts(\"library begins\"); }
        __attribute__((destructor)) static void z(void) { puts(\"library ends\"); }";
    let library = support::c_text("order_library", first).library("order");
    let program = support::c_text(
        "order",
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        extern int value;
        __attribute__((constructor)) static void begin(void)
        {
            printf("program begins %d\n", value);
        }
        __attribute__((destructor)) static void end(void) { puts("program ends"); }
        static void early(void) { puts("registered first"); }
        static void late(void) { puts("registered last"); }
        int main(void) { atexit(early), atexit(late); puts("main"); exit(0); }
        "#,
    )
    .link(&library)
    .build();
    let alone = "library begins\nprogram begins 2\nmain\nregistered last\nregistered first\n\
                 program ends\nlibrary ends\n";
    assert_eq!(support::run(&program).ranks(1).succeeds().stdout, alone);
    assert_eq!(support::run(&program).alone().succeeds().stdout, alone);
    let many = support::run(&program).ranks(20).succeeds();
    let lines = alone.lines().count();
    assert_eq!(many.stdout.lines().count(), 20 * lines, "{many:?}");
}

#[test]
fn libraries_of_the_program_are_private() {
    let text = "int counter = 10; __thread int local = 3; int shown[4] = {1, 2, 3, 4};
        int *address(void) { return &counter; }
        int bump(int by) { counter += by; local += by; shown[1] += by; return counter + local; }";
    let library = support::c_text("counter_library", text).library("counter");
    let program = support::c_text(
        "counter",
        r#"
        #include <stdio.h>
        #include "ftmpi.h"
        extern int counter, shown[4], bump(int), *address(void);
        extern __thread int local;
        int main(void)
        {
            int rank = ftmpi_rank_in_job(), sum = bump(rank);
            printf("%d: %d %d %d %d %d\n", rank, sum, counter, local, shown[1],
                   address() == &counter);
            return 0;
        }
        "#,
    )
    .link(&library)
    .build();
    each_rank_prints(&program, 30, |rank| {
        format!("{rank}: {} {} {} {} 1", 13 + 2 * rank, 10 + rank, 3 + rank, 2 + rank)
    });
    let explained = support::run(&program).ranks(2).option("--explain").succeeds();
    let line = |name: &str| explained.stderr.lines().find(|line| line.contains(name));
    assert!(line("libcounter.so").is_some_and(|line| line.contains("private")), "{explained:?}");
    assert!(line("libc.so.6").is_some_and(|line| line.contains("shared")), "{explained:?}");
    let shared = support::run(&program).ranks(2).option("--shared").option("libcounter.so");
    let shared = shared.option("--explain").succeeds().stderr;
    assert!(shared.lines().any(|line| line.contains("libcounter.so (--shared)")), "{shared}");
    let misspelt = support::run(&program).ranks(2).option("--private=libcuonter.so");
    let misspelt = misspelt.option("--explain").succeeds().stderr;
    assert!(
        misspelt.contains("--private libcuonter.so: the program loads no library"),
        "{misspelt}"
    );
}

#[test]
fn cxx_statics_streams_and_exceptions_are_private() {
    let library = support::cxx_text("thrower", "int lib(int i) { throw i; }").library("thrower");
    let program = support::cxx_text(
        "statics",
        r#"
        #include <iostream>
        #include <map>
        #include <stdexcept>
        #include <string>
        #include <thread>
        #include <vector>
        #include "ftmpi.h"
        int lib(int);
        struct Thing {
            int value = 10 + ftmpi_rank_in_job();
            ~Thing() { std::cout << value - 10 << ": gone\n"; }
        } thing;
        thread_local struct Local {
            int rank = -1;
            ~Local() { if (rank >= 0) std::cout << rank << ": local gone\n"; }
        } local;
        int main()
        {
            int rank = ftmpi_rank_in_job();
            static std::vector<std::string> texts(1000, std::to_string(thing.value));
            std::map<int, std::string> map{{rank, texts[999]}};
            local.rank = rank;
            for (int i = 0; i < 60; i++)
                try { throw std::runtime_error(texts[i]); } catch (std::exception &error) {
                    if (error.what() != texts[999]) return 1;
                }
            std::thread([&] {
                local.rank = 1000 + rank;
                try { lib(rank); } catch (int caught) {
                    map[rank] += caught == rank ? " yes" : " no";
                }
            }).join();
            std::cout << rank << ": " << map[rank] << std::endl;
        }
        "#,
    )
    .flags(&["-O1"])
    .link(&library)
    .build();
    let seen = support::run(&program).ranks(20).succeeds();
    let of_rank = |rank: usize| {
        let lines = ["gone".to_string(), "local gone".into(), format!("{} yes", 10 + rank)];
        let main = lines.into_iter().map(move |line| format!("{rank}: {line}"));
        main.chain([format!("{}: local gone", 1000 + rank)])
    };
    let mut expected: Vec<String> = (0..20).flat_map(of_rank).collect();
    expected.sort_unstable();
    assert_eq!(seen.sorted_lines(), expected, "{seen:?}");
}

#[test]
fn an_exception_that_nobody_catches_ends_its_rank() {
    let text = "#include <stdexcept>\n#include <cstdio>\n#include \"ftmpi.h\"\nint main() {
        if (ftmpi_rank_in_job() == 1 && !ftmpi_incarnation()) throw std::runtime_error(\"thrown\");
        std::puts(\"done\"); }";
    let program = support::cxx_text("uncaught", text).build();
    let seen = support::run(&program).ranks(5).option(RESTART).outcome();
    assert_eq!(seen.lines_with("done"), 5, "{seen:?}");
    assert!(seen.stderr.contains("what():  thrown") && seen.stderr.contains("SIGABRT"), "{seen:?}");
}

#[test]
fn common_save_modules_and_units_of_fortran_are_private() {
    let place = support::fresh_directory("units");
    let program = support::fortran_text(
        "units",
        "
        module kept
          integer :: in_module = 3
          integer, allocatable :: list(:)
        end module
        subroutine count_calls(calls)
          integer :: calls
          integer, save :: kept_calls = 0
          kept_calls = kept_calls + 1
          calls = kept_calls
        end subroutine
        program units
          use kept
          implicit none
          interface
            function number() bind(c, name='ftmpi_rank_in_job')
              integer :: number
            end function
          end interface
          integer :: in_common, calls, rank, i, seen, wrong
          common /block/ in_common
          character(len=64) :: name, word
          rank = number()
          in_common = rank
          in_module = in_module * rank
          allocate(list(1000))
          list = rank
          call count_calls(calls)
          call count_calls(calls)
          write(name, '(a,i0)') 'unit', rank
          call get_command_argument(1, word)
          open(10, file=name)
          write(10, '(i8)') (rank * 1000 + i, i = 1, 100)
          rewind(10)
          wrong = 0
          do i = 1, 100
            read(10, *) seen
            if (seen /= rank * 1000 + i) wrong = wrong + 1
          end do
          close(10, status='delete')
          write(*, '(i0,a,6i6,1x,a)') rank, ':', in_common, in_module, calls, sum(list), wrong, &
            command_argument_count(), trim(word)
        end program
        ",
    )
    .build();
    let seen = support::run(&program).ranks(20).directory(&place).args(["word"]).succeeds();
    let line = |rank: usize| {
        let (three, sum) = (3 * rank, 1000 * rank);
        format!("{rank}:{rank:6}{three:6}{:6}{sum:6}{:6}{:6} word", 2, 0, 1)
    };
    let mut expected: Vec<String> = (0..20).map(line).collect();
    expected.sort_unstable();
    assert_eq!(seen.sorted_lines(), expected, "{seen:?}");
}

/// Deaths by the rank's own hand, and what the message says.
const OWN: &[(&str, &str)] = &[
    ("segv", "SIGSEGV (address 0x0, at fates"),
    ("text", "SIGSEGV"),
    ("call", "SIGSEGV (address 0x0)"),
    ("fpe", "SIGFPE"),
    ("ill", "SIGILL"),
    ("overflow", "SIGSEGV (stack overflow"),
    ("smash", "SIGABRT"),
    ("odd", "SIGSEGV"),
    ("strlen", "SIGSEGV (address 0x10)"),
    ("printf", "SIGSEGV (address 0x10)"),
    ("double-free", "SIGABRT"),
    ("handled", "code 41"),
    ("blocked-segv", "SIGSEGV"),
    ("abort", "SIGABRT"),
    ("assert", "SIGABRT"),
    ("exit", "code 3"),
    ("_exit", "code 4"),
    ("quick", "code 5"),
    ("raise-kill", "SIGKILL"),
    ("kill-self", "SIGKILL"),
    ("term", "SIGTERM"),
    ("fork", "code 8"),
    ("threads", "code 7"),
    ("mutexes", "SIGABRT"),
    ("thread-segv", "SIGSEGV (address 0x8"),
    ("thread-exit", "code 9"),
    ("main-leaves", "code 9"),
];

/// What a rank is doing when another kills it.
const KILLED: &[&str] =
    &["compute", "malloc", "printf-loop", "pause", "blocked", "condition", "read", "join"];

#[test]
fn one_rank_dies_and_starts_afresh_whatever_it_died_of() {
    let program = support::c("fates.c").flags(&["-O1", "-fstack-protector-all"]).build();
    for &(how, cause) in OWN {
        dies_alone(&program, &[how], &format!("rank 1 {}{cause}", verb(cause)));
    }
}

#[test]
fn a_kill_finds_a_rank_wherever_it_is() {
    let program = support::c("fates.c").flags(&["-O1", "-fstack-protector-all"]).build();
    for &how in KILLED {
        dies_alone(&program, &[how, "kill"], "rank 1 was killed (SIGKILL)");
    }
}

fn verb(cause: &str) -> &str {
    match cause {
        "SIGKILL" => "was killed (",
        _ if cause.starts_with("code") => "exited with ",
        _ => "died of ",
    }
}

fn dies_alone(program: &Program, words: &[&str], sentence: &str) {
    const RANKS: usize = 16;
    let run = support::run(program).ranks(RANKS).args(words).option(RESTART);
    let times = std::env::var("FTMPI_DEATHS").map_or(1, |times| times.parse().expect("a number"));
    for _ in 0..times {
        let seen = run.outcome();
        let done = |rank: usize| format!("rank {rank}.{} done", usize::from(rank == 1));
        assert!((0..RANKS).all(|rank| seen.lines_with(&done(rank)) == 1), "{words:?}: {seen:?}");
        assert_eq!(
            seen.lines_with("fresh") + seen.lines_with("survived"),
            0,
            "{words:?}: {seen:?}"
        );
        assert!(seen.stderr.contains(sentence), "{words:?}, not `{sentence}`: {seen:?}");
    }
}

#[test]
fn a_death_ends_the_job_with_its_status() {
    let program = support::c("fates.c").flags(&["-O1", "-fstack-protector-all"]).build();
    for (how, status) in [("segv", 139), ("exit", 3), ("raise-kill", 137), ("fpe", 136)] {
        // The program asks for its incarnation: without a word, it would be one that survives.
        let run = support::run(&program).ranks(8).option("--on-failure=end");
        let seen = run.args([how]).fails_with(status);
        assert!(
            seen.stderr.contains("rank 1 ") && seen.stderr.contains("the job ends"),
            "{seen:?}"
        );
    }
}

#[test]
fn a_rank_can_be_restarted_many_times() {
    let text =
        "#include <stdio.h>\n#include <stdlib.h>\n#include \"ftmpi.h\"\nstatic int fresh = 1;
        int main(void) { if (!fresh) return puts(\"stale\"); fresh = 0; malloc(3000000);
        if (ftmpi_incarnation() < 300) *(volatile int *)8 = 0; puts(\"done\"); return 0; }";
    let program = support::c_text("again", text).build();
    let seen = support::run(&program).ranks(3).option(RESTART).outcome();
    assert_eq!((seen.lines_with("done"), seen.lines_with("stale")), (3, 0), "{}", seen.stdout);
}

#[test]
fn signals_to_the_process_go_to_the_ranks_that_handle_them() {
    // A child sends the signal, since `kill` of a rank's own process means the rank.
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <unistd.h>
        #include "ftmpi.h"
        static volatile int got;
        static void note(int number) { got = number; }
        int main(int count, char **words)
        {
            if (count > 1) signal(SIGTERM, note);
            MPI_Init(&count, &words);
            /* Not before all ranks have their handlers. */
            MPI_Barrier(MPI_COMM_WORLD);
            if (ftmpi_rank_in_job() == 0 && fork() == 0)
                kill(getppid(), SIGTERM), _exit(0);
            while (!got) usleep(1000);
            printf("got %d\n", got);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("handlers", text).build();
    let handled = support::run(&program).ranks(6).args(["handle"]).succeeds();
    assert_eq!(handled.lines_with("got 15"), 6, "{handled:?}");
    let ended = support::run(&program).ranks(6).outcome();
    assert_eq!(ended.status, Some(128 + 15), "{ended:?}");
}

#[test]
fn small_programs_start_and_end_quickly_and_10_000_ranks_live_at_once() {
    let text = "#include <unistd.h>\nint value; int main(int count, char **words)
        { value++; if (count > 1) sleep(2); return value != 1; }";
    let program = support::c_text("small", text).flags(&["-O1"]).build();
    for (ranks, most_ms) in [(120, 50), (1000, 500)] {
        // Others use the machine, too, and the job may have to wait for its turn: once in some
        // minutes it has not.
        let (begun, most) = (Instant::now(), Duration::from_millis(most_ms));
        let mut best = Duration::MAX;
        while best >= most {
            assert!(begun.elapsed() < Duration::from_secs(300), "{ranks} ranks took {best:?}");
            best = best.min(support::run(&program).ranks(ranks).succeeds().took);
        }
    }
    support::run(&program).ranks(10_000).args(["sleep"]).succeeds();
}

/// As many ranks as a process may have mappings: each takes two or more. Where machines allow very
/// many, memory is what is short.
#[test]
fn too_many_ranks_are_refused_with_the_limit_and_its_cure() {
    let text = "const char many[1 << 20] = { 1 }; int main(void) { return !many[0]; }";
    let program = support::c_text("few", text).build();
    let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap();
    let seen = support::run(&program).ranks(limit.trim().parse().unwrap()).outcome();
    assert!(seen.status.is_some_and(|status| status != 0), "{seen:?}");
    let says = |words: &[&str]| words.iter().all(|word| seen.stderr.contains(word));
    let names_the_cure = says(&["vm.max_map_count", "sysctl -w", "run at most"])
        || says(&["kernel.pid_max", "sysctl -w", "room for"])
        || says(&["the memory that is free", "room for", "run fewer ranks"]);
    assert!(names_the_cure, "{seen:?}");
    assert_eq!(seen.stderr.lines().count(), 1, "{seen:?}");
}

/// Rank 0 fills the pipe that is everybody's output; rank 1 dies with a line in its buffer.
#[test]
fn output_that_nobody_reads_stops_neither_burials_nor_the_time_limit() {
    let text = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        #include "ftmpi.h"
        static char page[4096];
        int main(void)
        {
            while (ftmpi_rank_in_job() == 0)
                write(1, page, sizeof page);
            usleep(200000);
            printf("unread");
            abort();
        }
    "#;
    let program = support::c_text("unread", text).build();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "exec \"$0\" -np 4 --on-failure=continue --timeout=3 \"$1\" 2>&1"]);
    command.arg(support::ftrun()).arg(program.path()).env_remove("LD_LIBRARY_PATH");
    let (_unread, end) = std::io::pipe().unwrap();
    let mut child = command.stdout(end).spawn().unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the job outlives its time limit");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(124), "{status:?}");
}

#[test]
fn a_thread_that_cannot_be_ended_keeps_its_memory_and_the_next_life_has_its_own() {
    // Nothing reaches a thread whose child of `vfork` has not gone on yet.
    let text = r#"
        #define _GNU_SOURCE
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        #include "ftmpi.h"
        static void *stuck(void *unused)
        {
            if (vfork() == 0)
                sleep(6), _exit(0);
            return unused;
        }
        int main(void)
        {
            static char *kept;
            pthread_t started;
            for (int i = 0; i < 1000; i++)
                kept = strdup("kept");
            if (ftmpi_rank_in_job() == 1 && ftmpi_incarnation() == 0) {
                pthread_create(&started, NULL, stuck, NULL);
                usleep(100000);
                abort();
            }
            printf("%s by %d.%d\n", kept, ftmpi_rank_in_job(), ftmpi_incarnation());
            return 0;
        }
    "#;
    let program = support::c_text("stuck", text).build();
    let seen = support::run(&program).ranks(3).option(RESTART).outcome();
    assert_eq!(seen.lines_with("kept by 1.1"), 1, "{seen}");
    assert_eq!(seen.lines_with("kept by"), 3, "{seen}");
}
