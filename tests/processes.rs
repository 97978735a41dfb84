//! `ftrun --processes`: each rank is a process of its own. What other tests say of ranks holds
//! here, too (`FTMPI_RANKS=process`, see `test.sh`); this is what concerns processes alone.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Program, Run};

const HELLO: &str = r#"
    #include <mpi.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    int main(int argc, char **argv)
    {
        int rank, size, sum;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        printf("rank %s of %d: %d\n", getenv("PMI_RANK"), size, sum);
        MPI_Finalize();
        return 0;
    }
"#;

/// Two ranks send each other a message.
const SENDS: &str = r#"
    #include <mpi.h>
    int main(int argc, char **argv)
    {
        int rank, theirs;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Finalize();
        return theirs != 1 - rank;
    }
"#;

fn hello() -> Program {
    support::c_text("hello_process", HELLO).build()
}

fn processes(program: &Program) -> Run {
    support::run(program).env("FTMPI_RANKS", "").option("--processes")
}

fn executable(name: &str, text: &str) -> PathBuf {
    let path = support::fresh_directory(name).join("script");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

fn says(seen: &support::Outcome, ranks: usize) {
    let sum = ranks * (ranks - 1) / 2;
    let mut lines = seen.sorted_lines();
    lines.sort_unstable();
    let mut expected: Vec<String> =
        (0..ranks).map(|rank| format!("rank {rank} of {ranks}: {sum}")).collect();
    expected.sort_unstable();
    assert_eq!(lines, expected, "{seen}");
}

#[test]
fn every_rank_has_a_process_from_one_to_forty() {
    for ranks in [1, 2, 7, 40] {
        says(&processes(&hello()).ranks(ranks).succeeds(), ranks);
    }
}

#[test]
fn collective_operations_are_right_where_each_of_many_processes_has_a_core() {
    let program = support::c("coll_ways.c").flags(&["-O1", "-fno-strict-aliasing"]).build();
    processes(&program).ranks(12).env("FTMPI_CORES", "16").deadline(120).succeeds();
}

#[test]
fn a_program_that_cannot_be_copied_runs_as_processes_by_itself() {
    let built = hello();
    let path = built.path().display();
    for text in [format!("#!/bin/sh\nexec {path}\n"), format!("#!/bin/sh\n{path}\n")] {
        let script = executable("process_script", &text);
        let seen = support::launch(&script).env("FTMPI_RANKS", "").ranks(3).succeeds();
        says(&seen, 3);
        assert_eq!(seen.stderr.lines().count(), 1, "{seen}");
        assert!(
            seen.stderr.contains("is a script for `/bin/sh`: each rank is a process"),
            "{seen}"
        );
        assert_eq!(support::launch(&script).ranks(2).option("-q").succeeds().stderr, "");
    }
    let fixed = support::c_text("hello_fixed", HELLO).flags(&["-no-pie", "-fno-pie"]).build();
    let seen = support::run(&fixed).env("FTMPI_RANKS", "").ranks(3).succeeds();
    says(&seen, 3);
    assert!(seen.stderr.contains("is not position independent: each rank is a process"), "{seen}");
}

#[test]
fn a_sanitizer_reports_the_rank_and_the_line() {
    let text = r#"
        #include <mpi.h>
        #include <stdlib.h>
        int main(int argc, char **argv)
        {
            int rank, *four = malloc(4 * sizeof *four);
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 1)
                four[4] = 7; /* line 11 */
            MPI_Barrier(MPI_COMM_WORLD);
            free(four);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("beyond", text).flags(&["-g", "-fsanitize=address"]).build();
    let seen = support::run(&program).ranks(3).option("--tag-output").outcome();
    assert_ne!(seen.status, Some(0), "{seen}");
    let found = seen.stderr.lines().find(|line| line.contains("heap-buffer-overflow"));
    assert!(found.is_some_and(|line| line.starts_with("[1] ")), "{seen}");
    assert!(seen.stderr.contains("beyond.c:11") || seen.stderr.contains(".c:11"), "{seen}");
}

/// A write to wherever it may be: only the process that does it is harmed.
#[test]
fn a_program_that_writes_over_all_its_memory_takes_nobody_with_it() {
    let text = r#"
        #include <mpi.h>
        #include <mpi-ext.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        int main(int argc, char **argv)
        {
            int rank, size, sum, one = 1, to = 0;
            MPI_Comm living;
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            for (int i = 0; i < 20; i++)
                MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, malloc(4096), 1, MPI_INT, MPI_COMM_WORLD);
            if (rank == 1) {
                FILE *maps = fopen("/proc/self/maps", "r");
                static unsigned long all[4096][2];
                char line[512], flags[8];
                int count = 0;
                while (count < 4096 && fgets(line, sizeof line, maps))
                    if (sscanf(line, "%lx-%lx %7s", &all[count][0], &all[count][1], flags) == 3
                        && flags[1] == 'w' && !strstr(line, "stack"))
                        count++;
                /* Not by rand: it would wait for ever for its lock, once that is written over. */
                unsigned long state = atoi(argv[1]);
                for (;;) {
                    state = state * 6364136223846793005 + 1442695040888963407;
                    unsigned long *range = all[(state >> 33) % count];
                    state = state * 6364136223846793005 + 1442695040888963407;
                    unsigned long place = range[0] + (state >> 24) % (range[1] - range[0]);
                    *(volatile char *)place = state >> 56;
                }
            }
            while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
                ;
            MPIX_Comm_revoke(MPI_COMM_WORLD);
            MPIX_Comm_shrink(MPI_COMM_WORLD, &living);
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, living);
            MPI_Comm_rank(living, &to);
            if (to == 0)
                printf("%d live\n", sum);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("scribbler", text).build();
    for seed in ["1", "2", "3", "4", "5"] {
        let run = processes(&program).ranks(4).option("--mode=ulfm").args([seed]);
        let seen = run.deadline(60).succeeds();
        assert_eq!(seen.stdout, "3 live\n", "seed {seed}: {seen}");
    }
}

const SLEEPER: &str = r#"
    #include <mpi.h>
    #include <stdio.h>
    #include <unistd.h>
    int main(int argc, char **argv)
    {
        MPI_Init(&argc, &argv);
        MPI_Barrier(MPI_COMM_WORLD);
        printf("%d\n", (int)getpid());
        fflush(stdout);
        for (;;)
            pause();
    }
"#;

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_killed_launcher_leaves_no_process_behind() {
    use std::io::{BufRead, BufReader};
    let program = support::c_text("sleeper_process", SLEEPER).build();
    let mut command = Command::new(support::ftrun());
    command.args(["--processes", "-np", "4"]).arg(program.path());
    let mut launcher = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(launcher.stdout.take().unwrap()).lines().take(4);
    let processes: Vec<String> = lines.map(Result::unwrap).collect();
    launcher.kill().unwrap();
    launcher.wait().unwrap();
    let is_gone = |pid: &String| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        // Whoever inherits them may not have waited for them yet.
        status.map_or(true, |status| status.contains(") Z "))
    };
    wait_until("all processes are gone", || processes.iter().all(is_gone));
}

#[test]
fn a_process_killed_from_outside_is_a_rank_that_has_died() {
    let text = r#"
        #include <mpi.h>
        #include <mpi-ext.h>
        #include <signal.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            int rank, size;
            MPI_Comm living;
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (rank == 2 && fork() == 0) {
                kill(getppid(), SIGKILL);
                _exit(0);
            }
            while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
                ;
            MPIX_Comm_revoke(MPI_COMM_WORLD);
            MPIX_Comm_shrink(MPI_COMM_WORLD, &living);
            MPI_Comm_size(living, &size);
            MPI_Comm_rank(living, &rank);
            if (rank == 0)
                printf("%d live\n", size);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("killed_from_outside", text).build();
    let seen = processes(&program).ranks(5).option("--mode=ulfm").succeeds();
    assert_eq!(seen.stdout, "4 live\n", "{seen}");
    let said = "ftrun: rank 2 was killed (SIGKILL) after";
    assert_eq!(seen.stderr.matches(said).count(), 1, "{seen}");
}

#[test]
fn limits_statuses_and_tags_are_as_in_one_process() {
    let program = support::c_text("sleeper_process", SLEEPER).build();
    let seen = processes(&program).ranks(3).option("--timeout=0.3").fails_with(124);
    assert!(seen.stderr.contains("ftrun: timeout: the job is ended after 0.3 s"), "{seen}");
    let text = "#include <mpi.h>\n#include <stdlib.h>\nint main(int c, char **v)\n\
        {\n    int rank;\n    MPI_Init(&c, &v);\n    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        \n    if (rank == 1)\n        exit(7);\n    return MPI_Barrier(MPI_COMM_WORLD);\n}\n";
    let program = support::c_text("exits_with_seven", text).build();
    let seen = processes(&program).ranks(3).fails_with(7);
    assert!(seen.stderr.contains("rank 1 exited with code 7"), "{seen}");
    assert!(seen.stderr.contains("without MPI_Finalize; the job ends"), "{seen}");
    let seen = processes(&hello()).ranks(2).option("--tag-output").succeeds();
    let lines = ["[0] rank 0 of 2: 1", "[1] rank 1 of 2: 1"];
    assert_eq!(seen.sorted_lines(), lines, "{seen}");
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    // A default of all jobs does not count where it cannot.
    processes(&hello()).ranks(2).env("FTMPI_SEED", "1").succeeds();
    let hosts = support::run(&hello()).ranks(2).option("--hosts=a,b").option("--agent=sh -c");
    hosts.env("FTMPI_SEED", "1").succeeds();
    for option in ["--seed=1", "--trace=/dev/null", "--universe=20000"] {
        let seen = processes(&hello()).ranks(2).option(option).outcome();
        assert!(seen.status == Some(2) && seen.stderr.contains("--processes"), "{seen}");
    }
}

#[test]
fn whoever_reads_late_gets_all_that_was_written() {
    use std::io::{BufRead, BufReader, Read};
    // More than the pipe behind ftrun holds, and less than both hold.
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            MPI_Init(&argc, &argv);
            fprintf(stderr, "%d\n", (int)getpid());
            for (int i = 0; i < 2000; i++)
                printf("%050d\n", i);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("writes_much", text).build();
    let mut command = Command::new(support::ftrun());
    command.args(["--processes", "-np", "1"]).arg(program.path());
    let mut launcher = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(launcher.stderr.take().unwrap());
    let mut pid = String::new();
    errors.read_line(&mut pid).unwrap();
    let path = format!("/proc/{}", pid.trim());
    wait_until("the rank has ended", || !std::path::Path::new(&path).exists());
    // For less than that, ftrun waits even where a process that was left behind keeps a pipe open.
    let (ended, mut output) = (Instant::now(), String::new());
    wait_until("a moment passes", || ended.elapsed() > Duration::from_millis(400));
    launcher.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    assert!(launcher.wait().unwrap().success());
    let expected: String = (0..2000).map(|number| format!("{number:050}\n")).collect();
    assert!(output == expected, "{} lines", output.lines().count());
}

#[test]
fn a_match_is_forced_whichever_message_comes_first() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            int rank, got;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            /* Each sends once its predecessor has. */
            if (rank > 1)
                MPI_Recv(&got, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank > 0)
                MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
            if (rank == 1 || rank == 2)
                MPI_Send(&rank, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
            for (int i = 1; rank == 0 && i < 4; i++) {
                MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                printf("%d ", got);
            }
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("forced_match", text).build();
    let orders = [("1=3", "2=2", "3 2 1 "), ("1=2", "2=3", "2 3 1 "), ("1=1", "2=3", "1 3 2 ")];
    for (first, second, order) in orders {
        let [first, second] = [first, second].map(|it| format!("--match=0:{it}"));
        let seen = processes(&program).ranks(4).option(first).option(second).succeeds();
        assert_eq!(seen.stdout, order, "{seen}");
    }
}

/// The lowest rank's, and not that of the first one whose memory can be used.
#[test]
fn the_first_memory_of_a_window_is_the_same_for_all_or_none() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            static char memory[16];
            int rank, unit;
            void *base;
            MPI_Aint size;
            MPI_Win win;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Win_create(memory, rank ? 8 + rank : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
            MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &base);
            printf("rank %d: %d %d\n", rank, (int)size, size && base == memory);
            MPI_Win_free(&win);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("first_memory", text).build();
    let seen = processes(&program).ranks(3).succeeds();
    assert_eq!(seen.sorted_lines(), ["rank 0: 0 0", "rank 1: 9 1", "rank 2: 0 0"], "{seen}");
}

#[test]
fn where_memory_of_others_may_not_be_read_the_cure_is_named() {
    let text = r#"
        #include <errno.h>
        #include <linux/filter.h>
        #include <linux/seccomp.h>
        #include <stddef.h>
        #include <sys/prctl.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            struct sock_filter filter[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            };
            struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
            execv(argv[1], argv + 1);
            return 1;
        }
    "#;
    let deny = support::c_text("denied", text).without_mpi().build();
    let sends = support::c_text("sends_process", SENDS).build();
    let run = support::command(deny.path()).args([support::ftrun()]);
    let seen = run.args(["--processes", "-np", "2"]).args([sends.path()]).fails_with(2);
    assert!(seen.stderr.contains("may not read the memory of other ranks"), "{seen}");
}

#[test]
fn ranks_need_not_fit_into_the_soft_limit_of_open_files() {
    let ftrun = support::ftrun().display().to_string();
    let line = "ulimit -Sn 200; exec \"$0\" --processes -np 50 \"$1\"";
    let run = support::command("/bin/sh").args(["-c", line, &ftrun]).args([hello().path()]);
    says(&run.succeeds(), 50);
}

#[test]
fn whoever_jumps_out_of_calls_leaves_no_lock_behind() {
    let program = support::c("jumps.c").flags(&["-O1"]).build();
    let seen = processes(&program).ranks(3).args(["600"]).succeeds();
    assert_eq!(seen.stdout, "600 jumps\n");
}

/// What one rank draws for all, all know: also when it has died.
#[test]
fn no_communicator_gets_messages_of_one_that_a_dead_rank_has_made() {
    let program = support::c("stale.c").build();
    for options in [&["--processes"][..], &["--processes=2"], &[]] {
        let mut run = support::run(&program).env("FTMPI_RANKS", "").ranks(3);
        for option in options {
            run = run.option(option);
        }
        let seen = run.option("--mode=rebuild").succeeds();
        assert_eq!(seen.lines_with("has found 0"), 3, "{seen}");
    }
}

/// It frees the window because of a death that others may hear of later, or that stands against
/// nothing that they do there.
#[test]
fn whoever_waits_for_a_member_that_has_left_a_window_is_told() {
    let program = support::c("rma_lives.c").flags(&["-O1"]).build();
    for form in ["--ranks=fiber", "--ranks=thread", "--processes", "--processes=2"] {
        let run = support::run(&program).env("FTMPI_RANKS", "").option(form).ranks(4);
        let seen = run.option("--mode=ulfm").args(["left"]).deadline(60).succeeds();
        assert_eq!(seen.lines_with("is done"), 3, "{form}: {seen}");
    }
}

/// Others map what it has allocated once they have heard of it.
#[test]
fn a_first_member_that_dies_while_others_map_its_memory_is_a_failed_process() {
    let program = support::c("rma_lives.c").flags(&["-O1"]).build();
    for step in 1..=12 {
        let run = processes(&program).ranks(6).option("--mode=ulfm").args(["shared"]);
        let run = run.option(format!("--kill=0@inside:MPI_Win_allocate_shared:1:{step}"));
        let seen = run.deadline(60).outcome();
        assert!(seen.lines_with("is done") >= 5, "step {step}: {seen}");
    }
}

#[test]
fn windows_among_gaps_reach_each_member_by_its_rank() {
    let program = support::c("rma_lives.c").flags(&["-O1"]).build();
    for form in ["--processes", "--processes=3"] {
        let run = support::run(&program).env("FTMPI_RANKS", "").option(form).ranks(5);
        let seen = run.option("--mode=blank").args(["gaps"]).succeeds();
        assert_eq!(seen.lines_with("is done"), 4, "{form}: {seen}");
    }
}

#[test]
fn a_fault_in_the_library_is_told_with_its_place() {
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <sys/mman.h>
        int main(int argc, char **argv)
        {
            int rank, byte;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (rank == 0)
                MPI_Recv(&byte, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else if (argc > 2)
                raise(SIGSEGV);
            else if (argc > 1)
                return *(volatile char *)none;
            else
                MPI_Send(none, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            return 0;
        }
    "#;
    let program = support::c_text("bad_buffer", text).build();
    let place = "in thread bad_buffer of rank 1. It was at libftmpi_rs.so+0x";
    let seen = processes(&program).ranks(2).outcome();
    assert!(seen.stderr.contains("ftrun: rank 1 died of SIGSEGV"), "{seen}");
    assert_eq!(seen.stderr.lines().filter(|line| line.contains(place)).count(), 1, "{seen}");
    for words in [&["own"][..], &["own", "raised"]] {
        let seen = processes(&program).ranks(2).args(words).outcome();
        assert!(seen.stderr.contains("ftrun: rank 1 died of SIGSEGV"), "{seen}");
        assert!(!seen.stderr.contains("It was at"), "{seen}");
    }
}
