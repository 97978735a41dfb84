//! Checkpoints on disk: what memory cannot give back comes from files, at all ranks or at none.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::{Program, Run};

fn program() -> Program {
    support::c("checkpoint.c").flags(&["-O1", "-Wall", "-Werror", "-lm"]).build()
}

/// Six ranks under a scheme that makes up for one, so many steps, a checkpoint each ten, and each
/// `every`th of them in `directory`.
fn job(program: &Program, directory: &Path, steps: &str, every: &str) -> Run {
    let run = support::run(program).ranks(6).option("--mode=rebuild");
    let run = run.env("CHECKPOINT_DISK", directory).env("CHECKPOINT_EVERY", every);
    run.args(["xor", steps, "10", "0", "777"])
}

/// What comes out where nobody dies.
fn expected(program: &Program) -> String {
    let run = support::run(program).ranks(6).option("--mode=rebuild");
    run.args(["xor", "35", "10", "0", "777"]).succeeds().stdout
}

fn file(directory: &Path, name: &str) -> PathBuf {
    directory.join(name)
}

#[test]
fn more_deaths_than_the_scheme_makes_up_for_are_survived() {
    let (program, directory) = (program(), support::fresh_directory("disk-deaths"));
    let expected = expected(&program);
    for (every, version) in [("1", 20), ("2", 20), ("3", 0)] {
        let directory = directory.join(every);
        let seen = job(&program, &directory, "35", every).args(["2@25", "3@25", "5@33"]).succeeds();
        assert_eq!(seen.stdout, expected, "every {every}: {seen}");
        let words = format!("checkpoint {version} is restored from {}", directory.display());
        assert_eq!(seen.stderr.matches(&words).count(), 1, "every {every}: {seen}");
    }
}

#[test]
fn a_new_job_goes_on_where_the_last_one_was() {
    let (program, directory) = (program(), support::fresh_directory("disk-again"));
    let expected = expected(&program);
    job(&program, &directory, "25", "1").succeeds();
    let seen = job(&program, &directory, "35", "1").succeeds();
    assert_eq!(seen.stdout, expected, "{seen}");
    assert!(seen.stderr.contains("checkpoint 20 is restored"), "{seen}");
    // And the next, which all die in at once, and one after that.
    for _ in 0..2 {
        let all: Vec<String> = (0..6).map(|rank| format!("{rank}@34")).collect();
        let seen = job(&program, &directory, "35", "1").args(all).outcome();
        assert!(seen.stderr.contains("checkpoint 30 is restored"), "{seen}");
    }
}

#[test]
fn what_is_torn_or_damaged_is_named_and_the_generation_before_is_taken() {
    let (program, directory) = (program(), support::fresh_directory("disk-damaged"));
    let expected = expected(&program);
    job(&program, &directory, "25", "1").succeeds();
    // 0 and 20 went into the first files, 10 into the second ones.
    std::fs::write(file(&directory, "rank-1.new"), "half of a fi").expect("it can be written");
    for name in ["rank-2.a", "rank-3.a"] {
        let torn = file(&directory, name);
        let bytes = std::fs::read(&torn).expect("it is there");
        std::fs::write(&torn, &bytes[..bytes.len() / 2]).expect("it can be written");
    }
    let seen = job(&program, &directory, "25", "9").succeeds();
    let words = format!("checkpoint 10 is restored from {}; checkpoint 20 ", directory.display());
    assert!(seen.stderr.contains(&words), "{seen}");
    assert!(seen.stderr.contains("rank-2.a is damaged: it has "), "{seen}");
    for name in ["rank-1.b", "rank-4.b"] {
        let mut bytes = std::fs::read(file(&directory, name)).expect("it is there");
        *bytes.last_mut().expect("it is long") ^= 1;
        std::fs::write(file(&directory, name), &bytes).expect("it can be written");
    }
    let seen = job(&program, &directory, "35", "1").succeeds();
    assert_eq!(seen.lines_with("FTCK_ERR_LOST"), 6, "{seen}");
    assert_eq!(seen.lines_with("rank-2.a is damaged"), 6, "{seen}");
    assert_eq!(seen.lines_with("rank-4.b is damaged"), 6, "{seen}");
    assert!(!seen.stdout.contains(&expected), "{seen}");
    std::fs::remove_file(file(&directory, "rank-4.b")).expect("it is there");
    let seen = job(&program, &directory, "35", "1").succeeds();
    assert_eq!(seen.lines_with("rank-4.b is missing"), 6, "{seen}");
}

#[test]
fn a_death_at_any_step_of_writing_or_reading_loses_nothing() {
    let (program, directory) = (program(), support::fresh_directory("disk-steps"));
    let expected = expected(&program);
    let writing = [6, 9, 12, 15, 18, 21].map(|step| format!("4@inside:FTCK_Checkpoint:3:{step}"));
    let reading = [1, 2, 3, 4, 5, 7, 9, 12].map(|step| format!("4@inside:FTCK_Restore:2:{step}"));
    for (number, kill) in writing.iter().chain(&reading).enumerate() {
        let directory = directory.join(number.to_string());
        let run = job(&program, &directory, "35", "1").args(["2@25", "3@25"]);
        let seen = run.option(format!("--kill={kill}")).succeeds();
        assert_eq!(seen.stdout, expected, "{kill}: {seen}");
    }
}

const FULL: &str = r#"
    #include <mpi.h>
    #include <signal.h>
    #include <stdio.h>
    #include "ftmpi.h"
    int main(int argc, char **argv) {
        FTCK ck; int rank, version, length; static double x[10000];
        char words[MPI_MAX_ERROR_STRING];
        MPI_Init(&argc, &argv);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        FTCK_Create(MPI_COMM_WORLD, "xor", &ck);
        FTCK_Register(ck, 0, x, 10000, MPI_DOUBLE);
        FTCK_Set_disk(ck, argv[1], 1);
        if (ftmpi_incarnation() == 0) {
            x[0] = 7 + rank;
            MPI_Error_string(FTCK_Checkpoint(ck, 3), words, &length);
            printf("%s\n", words);
            fflush(stdout);
            if (rank == 1) raise(SIGKILL);
            while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
            MPI_Comm again = FT_MPI_CHECK_RECOVER;
            MPI_Comm_dup(MPI_COMM_WORLD, &again);
        }
        x[0] = 0;
        if (FTCK_Restore(ck, &version) == MPI_SUCCESS && x[0] == 7 + rank)
            printf("version %d is there\n", version);
        MPI_Finalize();
        return 0;
    }
"#;

#[test]
fn files_that_cannot_be_written_are_told_and_memory_has_all() {
    let program = support::c_text("checkpoint_full", FULL).build();
    let directory = support::fresh_directory("disk-full");
    let seen = |run: Run, why: &str| {
        let seen = run.succeeds();
        let words = "checkpoint 3 is in memory only, since rank 0 cannot write its file: ";
        assert_eq!(seen.lines_with(words), 3, "{seen}");
        assert_eq!(seen.lines_with(why), 3, "{seen}");
        assert_eq!(seen.lines_with("version 3 is there"), 3, "{seen}");
    };
    let blocked = file(&directory, "blocked");
    std::fs::write(&blocked, "no directory").expect("it can be written");
    let inside = blocked.join("here").display().to_string();
    let run = support::run(&program).ranks(3).option("--mode=rebuild");
    seen(run.args([&inside]), "Not a directory");
    // As on a disk that is full: files cannot grow.
    let room = directory.join("room").display().to_string();
    let words = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    let ftrun = support::ftrun().display().to_string();
    let path = program.path().display().to_string();
    let run = support::command("sh");
    let all = ["-c", words, "sh", &ftrun, "-np", "3", "--mode=rebuild", &path, &room];
    seen(run.args(all), "File too large");
    let left: Vec<_> = std::fs::read_dir(&room).expect("it was made").collect();
    assert!(left.is_empty(), "nothing half is left: {left:?}");
}

#[test]
fn nobody_waits_for_a_slow_disk_whose_checkpoints_go_on_beside() {
    // Rank 0's file is a pipe: it cannot be opened before somebody reads it.
    let text = r#"
        #include <errno.h>
        #include <fcntl.h>
        #include <mpi.h>
        #include <stdio.h>
        #include <sys/stat.h>
        #include <unistd.h>
        #include "ftmpi.h"
        int main(int argc, char **argv) {
            FTCK ck; MPI_Request request; int rank, length, flag = 0, early = 0, pipe = -1;
            static double x[20000]; static char path[4096], words[MPI_MAX_ERROR_STRING];
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            FTCK_Create(MPI_COMM_WORLD, "xor", &ck);
            FTCK_Register(ck, 0, x, 20000, MPI_DOUBLE);
            FTCK_Set_disk(ck, argv[1], 1);
            snprintf(path, sizeof path, "%s/rank-0.new", argv[1]);
            if (rank == 0 && mkfifo(path, 0600)) MPI_Abort(MPI_COMM_WORLD, 3);
            FTCK_Icheckpoint(ck, 3, &request);
            for (int i = 0; i < 1000; i++) {
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
                early |= flag;
                MPI_Barrier(MPI_COMM_WORLD);
            }
            if (rank == 0) pipe = open(path, O_RDONLY | O_NONBLOCK);
            while (!flag) {
                if (rank == 0 && read(pipe, path, sizeof path) < 0 && errno != EAGAIN)
                    MPI_Abort(MPI_COMM_WORLD, 4);
                int code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
                if (flag) MPI_Error_string(code, words, &length);
            }
            printf("%s: %s\n", early ? "too early" : "in time", words);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("checkpoint_slow", text).build();
    let directory = support::fresh_directory("disk-slow").display().to_string();
    let seen = support::run(&program).ranks(3).args([&directory]).succeeds();
    // Once it is open, it shows that it is no file.
    let words = "in time: checkpoint 3 is in memory only, since rank 0 cannot write its file: ";
    assert_eq!(seen.lines_with("in time: "), 3, "{seen}");
    assert_eq!(seen.lines_with(words.trim_start_matches("in time: ")), 3, "{seen}");
    assert_eq!(seen.lines_with("rank-0.new: Illegal seek"), 3, "{seen}");
}

#[test]
fn who_has_a_file_written_beside_stays_a_fiber() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        #include "ftmpi.h"
        enum { RANKS = 6 };
        int main(int argc, char **argv) {
            FTCK ck; MPI_Request request; int rank, count = 0, shares[RANKS] = {0};
            static double x[2000];
            long mine, all[RANKS];
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            FTCK_Create(MPI_COMM_WORLD, "xor", &ck);
            FTCK_Register(ck, 0, x, 2000, MPI_DOUBLE);
            FTCK_Set_disk(ck, argv[1], 1);
            FTCK_Icheckpoint(ck, 1, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            /* Who has a thread of the system's for itself never meets another one there. */
            for (int round = 0; round < 100000 && count < RANKS; round++) {
                mine = syscall(SYS_gettid);
                MPI_Allgather(&mine, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
                for (int i = 0; i < RANKS; i++)
                    for (int j = 0; j < RANKS; j++)
                        if (i != j && all[i] == all[j] && !shares[i]) shares[i] = 1, count++;
            }
            for (int i = 0; i < RANKS && rank == 0; i++)
                if (!shares[i]) printf("rank %d has a thread for itself\n", i);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("checkpoint_fibers", text).build();
    let directory = support::fresh_directory("disk-fibers").display().to_string();
    let run = support::run(&program).ranks(6).option("--ranks=fiber").args([&directory]);
    let seen = run.succeeds();
    assert_eq!(seen.stdout, "", "{seen}");
}

#[test]
fn files_that_are_written_beside_are_as_good_and_their_ranks_may_die_meanwhile() {
    let (program, directory) = (program(), support::fresh_directory("disk-beside"));
    let expected = expected(&program);
    let kills = ["1@inside:FTCK_Icheckpoint:2", "2@inside:MPI_Wait:1", "0@before:MPI_Wait:2"];
    for (at, kill) in kills.into_iter().enumerate() {
        let directory = directory.join(at.to_string());
        let run = job(&program, &directory, "35", "1").args(["3@25", "4@25", "async"]);
        let seen = run.option(format!("--kill={kill}")).succeeds();
        assert_eq!(seen.stdout, expected, "{kill}: {seen}");
        assert!(seen.stderr.contains("is restored from"), "{kill}: {seen}");
    }
}

/// The disk that holds rank 0 up answers as soon as all others have written what comes next, or,
/// where that is written beside, are about to.
fn answer(directory: &Path, comes_beside: bool) {
    let deadline = Instant::now() + Duration::from_secs(40);
    let serial = || {
        let bytes = std::fs::read(file(directory, "rank-2.b")).ok()?;
        Some(u64::from_le_bytes(*bytes.get(8..16)?.first_chunk()?))
    };
    let goes_on = file(directory, "goes-on");
    while if comes_beside { !goes_on.exists() } else { serial() != Some(3) } {
        assert!(Instant::now() < deadline, "nobody goes on in {}", directory.display());
        std::thread::sleep(Duration::from_millis(1));
    }
    // Once it is open, it shows that it is no file.
    let pipe = File::options().read(true).write(true).open(file(directory, "rank-0.new"));
    while file(directory, "rank-0.new").exists() {
        assert!(Instant::now() < deadline, "{pipe:?} is never written");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Four ranks wait in this way for a disk that hangs, and somebody fails.
fn hung(options: &[&str], words: &[&str]) -> (Run, PathBuf) {
    let program = support::c("checkpoint_hung.c").flags(&["-O1", "-Wall", "-Werror"]).build();
    let directory = support::fresh_directory(&format!("disk-hung-{}", words.join("-")));
    let mut run = support::run(&program).ranks(4).args([directory.as_os_str()]).args(words);
    for option in options {
        run = run.option(option);
    }
    (run, directory)
}

/// All hear of it and go on; and what lies on the disk in the end is what they wrote last.
fn goes_on_without_the_disk(options: &[&str], words: &[&str], left: [&[u32]; 2]) {
    let (run, directory) = hung(options, words);
    let disk = {
        let (directory, comes_beside) = (directory.clone(), words.contains(&"beside"));
        std::thread::spawn(move || answer(&directory, comes_beside))
    };
    let seen = run.outcome();
    let is_answered = disk.join().is_ok();
    assert_eq!((seen.status, is_answered), (Some(0), true), "{words:?}: {seen}");
    let [survivors, members] = left;
    assert_eq!(seen.lines_with("it is heard"), survivors.len(), "{words:?}: {seen}");
    assert_eq!(seen.lines_with("because: "), survivors.len(), "{words:?}: {seen}");
    for word in ["too early", "nothing is said", "MPI_SUCCESS", "it is freed", "it is cancelled"] {
        assert!(!seen.stdout.contains(word), "{words:?}: {seen}");
    }
    assert_eq!(seen.lines_with("then: all is well"), members.len(), "{words:?}: {seen}");
    for rank in members {
        let data = format!("version 2: {}001\n", rank + 1);
        assert!(seen.stdout.contains(&data), "{words:?}: {seen}");
    }
    let program = support::c("checkpoint_hung.c").flags(&["-O1", "-Wall", "-Werror"]).build();
    let again = support::run(&program).ranks(members.len()).args([directory.as_os_str()]);
    let mut expected: Vec<String> =
        members.iter().map(|rank| format!("version 3: {}002", rank + 1)).collect();
    expected.sort();
    assert_eq!(again.args(["load"]).succeeds().sorted_lines(), expected, "{words:?}: {seen}");
}

#[test]
fn a_death_ends_every_wait_for_a_disk_that_hangs() {
    for (at, way) in ["wait", "test", "waitany", "waitall", "free"].into_iter().enumerate() {
        let msg = ["--msg=noop", "--msg=cont"][at % 2];
        let next = ["in_place", "beside"][at / 2 % 2];
        let (words, left) = ([way, "dies", "1", next], [&[0, 2, 3][..], &[0, 1, 2, 3]]);
        goes_on_without_the_disk(&["--mode=rebuild", msg], &words, left);
    }
}

#[test]
fn whoever_is_left_goes_on_without_waiting_for_the_disk() {
    for (mode, msg) in [("blank", "cont"), ("shrink", "noop"), ("shrink", "cont")] {
        let options = [&*format!("--mode={mode}"), &*format!("--msg={msg}")];
        let words = ["wait", "dies", "1", "in_place"];
        goes_on_without_the_disk(&options, &words, [&[0, 2, 3], &[0, 2, 3]]);
    }
}

#[test]
fn what_a_dead_rank_had_begun_to_write_does_not_replace_its_successors() {
    for next in ["in_place", "beside"] {
        let left = [&[1, 2, 3][..], &[0, 1, 2, 3]];
        goes_on_without_the_disk(&["--mode=rebuild"], &["wait", "dies", "0", next], left);
    }
}

#[test]
fn a_revocation_ends_the_wait_for_a_disk_as_well() {
    let all = [0, 1, 2, 3];
    for next in ["in_place", "beside"] {
        goes_on_without_the_disk(&["--mode=ulfm"], &["wait", "revokes", next], [&all, &all]);
    }
}

#[test]
fn a_job_that_ends_with_a_failure_does_not_wait_for_a_disk() {
    let words = ["wait", "dies", "1", "in_place"];
    let (run, _) = hung(&["--mode=abort"], &words);
    let seen = run.fails_with(137);
    assert!(seen.stderr.contains("rank 1 was killed"), "{seen}");
    let (run, _) = hung(&["--mode=rebuild"], &[&words[..], &["fatal"]].concat());
    let seen = run.outcome();
    assert!(seen.status.is_some_and(|status| status != 0), "{seen}");
    assert_eq!(seen.lines_with("it is heard"), 0, "{seen}");
}

#[test]
fn fewer_ranks_than_wrote_it_get_the_data_of_all() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include "ftmpi.h"
        int main(int argc, char **argv) {
            FTCK ck; int rank, version, ranks[9], count; long x, all = 0;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            FTCK_Create(MPI_COMM_WORLD, "rs:2", &ck);
            FTCK_Register(ck, 0, &x, 1, MPI_LONG);
            FTCK_Set_disk(ck, argv[1], 1);
            FTCK_Restore(ck, &version);
            if (version == FTCK_NONE) {
                x = 1L << 8 * rank;
                version = 5;
                FTCK_Checkpoint(ck, version);
            }
            FTCK_Orphans(ck, 9, ranks, &count);
            for (int i = 0; i < count; i++) {
                long theirs;
                FTCK_Adopt(ck, ranks[i], 0, &theirs, 1, MPI_LONG);
                x += theirs;
            }
            MPI_Reduce(&x, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
            if (rank == 0) printf("%d %lx\n", version, all);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("checkpoint_fewer_files", text).build();
    let directory = support::fresh_directory("disk-fewer").display().to_string();
    for ranks in [7, 7, 4, 3] {
        let seen = support::run(&program).ranks(ranks).args([&directory]).succeeds();
        assert_eq!(seen.stdout, "5 1010101010101\n", "{ranks}: {seen}");
    }
}

#[test]
fn more_ranks_than_wrote_it_all_get_the_same_error_with_both_counts() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include "ftmpi.h"
        int main(int argc, char **argv) {
            FTCK ck; int rank, version, length; long x;
            char words[MPI_MAX_ERROR_STRING];
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            FTCK_Create(MPI_COMM_WORLD, "rs:1", &ck);
            FTCK_Register(ck, 0, &x, 1, MPI_LONG);
            FTCK_Set_disk(ck, argv[1], 1);
            int code = FTCK_Restore(ck, &version);
            MPI_Error_string(code, words, &length);
            if (code) printf("%d %s\n", code == MPI_ERR_ARG, words);
            else if (version == FTCK_NONE) FTCK_Checkpoint(ck, 5);
            else printf("version %d\n", version);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("checkpoint_more", text).build();
    let directory = support::fresh_directory("disk-more").display().to_string();
    let run = |ranks: usize| support::run(&program).ranks(ranks).args([&directory]).succeeds();
    run(3);
    for ranks in [4, 7] {
        let seen = run(ranks);
        let words = format!(
            "checkpoint 5 was written by 3 ranks, and cannot be restored by {ranks}: start the job"
        );
        assert_eq!(seen.lines_with(&words), ranks, "{seen}");
        assert_eq!(seen.stdout.lines().filter(|line| line.starts_with("1 ")).count(), ranks);
    }
    assert_eq!(run(3).lines_with("version 5"), 3, "what was refused is still there");
}

#[test]
fn fortran_programs_have_files_as_well() {
    // It makes the modules that the program uses.
    let mpifort = support::tool("mpifort").display().to_string();
    let program = support::fortran("checkpoint_disk.f90").compiler(&mpifort);
    let program = program.flags(&["-O1", "-Wall"]).build();
    // Fortran fills the name up with blanks, which do not belong to it.
    let directory = support::fresh_directory("disk-fortran");
    for words in ["written", "back again"] {
        let seen = support::run(&program).ranks(3).args([&directory.display().to_string()]);
        assert_eq!(seen.succeeds().lines_with(words), 3, "{words}");
    }
    assert!(file(&directory, "rank-2.a").exists());
}
