//! `ftrun --processes=P`: ranks share P processes. What other tests say of ranks holds here, too
//! (`FTMPI_RANKS=process:3`, see `test.sh`); this is what concerns shared processes alone.

use std::collections::BTreeMap;
use support::{Outcome, Program, Run};

/// Each rank tells its process, what it gets as argument, and the sum of all ranks.
const WHERE: &str = r#"
    #include <mpi.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    static int mine;
    int main(int argc, char **argv)
    {
        int rank, size, sum;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        mine = rank;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (mine != rank || atoi(getenv("PMI_RANK")) != rank || sum != size * (size - 1) / 2)
            return 9;
        printf("%d %d\n", rank, (int)getpid());
        return MPI_Finalize();
    }
"#;

fn sharing(program: &Program, ranks: usize, processes: usize) -> Run {
    let run = support::run(program).env("FTMPI_RANKS", "").ranks(ranks);
    run.option(format!("--processes={processes}"))
}

/// The ranks of each process, by the lines that they have printed.
fn ranks_by_process(seen: &Outcome) -> Vec<Vec<usize>> {
    let mut all: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for line in seen.stdout.lines() {
        let (rank, pid) = line.split_once(' ').expect("each line has two words");
        all.entry(pid).or_default().push(rank.parse().expect("the first is a rank"));
    }
    let mut all: Vec<Vec<usize>> = all.into_values().collect();
    all.iter_mut().for_each(|ranks| ranks.sort_unstable());
    all.sort();
    all
}

#[test]
fn the_first_ranks_share_the_first_process() {
    let program = support::c_text("where", WHERE).build();
    for (ranks, processes) in [(3, 2), (7, 3), (16, 4), (40, 2), (40, 39)] {
        let seen = sharing(&program, ranks, processes).succeeds();
        let (each, longer) = (ranks / processes, ranks % processes);
        let mut next = 0..;
        let expected: Vec<Vec<usize>> = (0..processes)
            .map(|process| next.by_ref().take(each + usize::from(process < longer)).collect())
            .collect();
        assert_eq!(ranks_by_process(&seen), expected, "{ranks} in {processes}: {seen}");
        assert_eq!(seen.stderr, "", "{seen}");
    }
    for kind in ["thread", "fiber"] {
        let run = sharing(&program, 9, 2).option(format!("--ranks={kind}"));
        assert_eq!(ranks_by_process(&run.succeeds()).len(), 2);
    }
}

#[test]
fn as_many_processes_as_ranks_and_one_are_what_they_are_without_a_number() {
    let program = support::c_text("where", WHERE).build();
    assert_eq!(ranks_by_process(&sharing(&program, 4, 4).succeeds()).len(), 4);
    assert_eq!(ranks_by_process(&sharing(&program, 4, 1).succeeds()).len(), 1);
    let by_variable = |ranks| support::run(&program).ranks(ranks).env("FTMPI_RANKS", "process:3");
    assert_eq!(ranks_by_process(&by_variable(8).succeeds()).len(), 3);
    assert_eq!(ranks_by_process(&by_variable(2).succeeds()).len(), 2);
    let seen = sharing(&program, 4, 5).fails_with(2);
    assert!(seen.stderr.contains("there are only 4 ranks"), "{seen}");
    let seen = support::run(&program).ranks(4).option("--processes=0").fails_with(2);
    assert!(seen.stderr.contains("--processes"), "{seen}");
}

/// Messages of all lengths between all pairs, in order, also those that stay with their senders.
const EXCHANGE: &str = r#"
    #include <mpi.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    int main(int argc, char **argv)
    {
        static const int sizes[] = {0, 1, 8, 100, 5000, 20000, 300000, 2000000};
        enum { SIZES = sizeof sizes / sizeof *sizes };
        int rank, size, bad = 0;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        for (int round = 0; round < 3; round++)
            for (int which = 0; which < SIZES; which++)
                for (int step = 1; step < size; step++) {
                    int bytes = sizes[which], to = (rank + step) % size;
                    int from = (rank + size - step) % size, got;
                    char *out = malloc(bytes + 1), *in = malloc(bytes + 1);
                    MPI_Status status;
                    memset(out, 1 + rank + round, bytes);
                    MPI_Sendrecv(out, bytes, MPI_CHAR, to, which, in, bytes, MPI_CHAR, from,
                                 which, MPI_COMM_WORLD, &status);
                    MPI_Get_count(&status, MPI_CHAR, &got);
                    bad += got != bytes;
                    for (int i = 0; i < bytes; i++)
                        bad += in[i] != 1 + from + round;
                    free(out);
                    free(in);
                }
        for (int i = 0; i < 2000; i++) {
            int got, to = (rank + 1) % size, from = (rank + size - 1) % size;
            MPI_Request request;
            MPI_Isend(&i, 1, MPI_INT, to, 77, MPI_COMM_WORLD, &request);
            MPI_Recv(&got, 1, MPI_INT, from, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            bad += got != i;
        }
        MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%d bad\n", bad);
        return MPI_Finalize();
    }
"#;

#[test]
fn messages_of_all_lengths_arrive_whole_and_in_order() {
    let program = support::c_text("exchange_shared", EXCHANGE).build();
    for (ranks, processes) in [(5, 2), (8, 3)] {
        let seen = sharing(&program, ranks, processes).deadline(120).succeeds();
        assert_eq!(seen.stdout, "0 bad\n", "{seen}");
    }
}

#[test]
fn collective_operations_are_right() {
    let program = support::c("coll_ways.c").flags(&["-O1", "-fno-strict-aliasing"]).build();
    sharing(&program, 7, 3).deadline(120).succeeds();
}

#[test]
fn statuses_tags_signals_and_time_limits_are_as_in_one_process() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            int rank, how = atoi(argv[1]);
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            printf("rank %d\n", rank);
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 3 && how == 1)
                exit(7);
            if (rank == 3 && how == 2)
                *(volatile int *)8 = 1;
            if (rank == 3 && how == 3)
                MPI_Abort(MPI_COMM_WORLD, 5);
            if (how == 4)
                pause();
            MPI_Barrier(MPI_COMM_WORLD);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("ends_shared", text).build();
    let lines: Vec<String> = (0..6).map(|rank| format!("[{rank}] rank {rank}")).collect();
    let run = |how: &str| sharing(&program, 6, 2).option("--tag-output").args([how]);
    for (how, status, words) in [
        ("0", 0, ""),
        ("1", 7, "rank 3 exited with code 7"),
        ("2", 139, "rank 3 died of SIGSEGV (address 0x8"),
        ("3", 5, "rank 3 called MPI_Abort"),
    ] {
        let seen = run(how).outcome();
        assert_eq!(seen.status, Some(status), "{seen}");
        assert!(seen.stderr.contains(words), "{seen}");
        assert_eq!(seen.sorted_lines(), lines, "{seen}");
    }
    let seen = run("4").option("--timeout=0.5").fails_with(124);
    assert!(seen.stderr.contains("timeout: the job is ended after 0.5 s"), "{seen}");
    let seen = support::run(&program).env("FTMPI_RANKS", "").ranks(4).option("--processes=2");
    let seen = seen.option("--tag-output").args(["0"]).stdin("nobody reads it\n").succeeds();
    assert_eq!(seen.stdout.lines().count(), 4, "{seen}");
}

/// Under ULFM, those who live tell who they are and in which process, without the dead.
const SURVIVORS: &str = r#"
    #include <mpi.h>
    #include <mpi-ext.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    int main(int argc, char **argv)
    {
        int rank, size, one = 1, sum;
        MPI_Comm living;
        MPI_Init(&argc, &argv);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == atoi(argv[2])) {
            if (!strcmp(argv[1], "alone"))
                raise(SIGKILL);
            if (fork() == 0) {
                kill(getppid(), SIGKILL);
                _exit(0);
            }
        }
        while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            ;
        MPIX_Comm_revoke(MPI_COMM_WORLD);
        MPIX_Comm_shrink(MPI_COMM_WORLD, &living);
        MPI_Comm_size(living, &size);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, living);
        if (sum == size)
            printf("%d %d\n", rank, (int)getpid());
        return MPI_Finalize();
    }
"#;

#[test]
fn a_rank_dies_alone_and_a_process_with_all_of_its_ranks() {
    let program = support::c_text("survivors_shared", SURVIVORS).build();
    for victim in 0..7 {
        let ranks = [0..3, 3..5, 5..7];
        let number = victim.to_string();
        let run = |how: &str| {
            let run = sharing(&program, 7, 3).option("--mode=ulfm").args([how, &number]);
            run.succeeds()
        };
        let seen = run("alone");
        let without = |range: &std::ops::Range<usize>| -> Vec<usize> {
            range.clone().filter(|rank| *rank != victim).collect()
        };
        assert_eq!(
            ranks_by_process(&seen),
            ranks.iter().map(without).collect::<Vec<_>>(),
            "{seen}"
        );
        assert_eq!(seen.lines_with("was killed (SIGKILL)"), 0, "{seen}");
        assert_eq!(seen.stderr.matches("was killed (SIGKILL)").count(), 1, "{seen}");
        let seen = run("all");
        let others = ranks.iter().filter(|range| !range.contains(&victim));
        let others: Vec<Vec<usize>> = others.map(|range| range.clone().collect()).collect();
        assert_eq!(ranks_by_process(&seen), others, "{seen}");
        let lost = ranks.iter().find(|range| range.contains(&victim)).expect("it is in one").len();
        assert_eq!(seen.stderr.matches("was killed (SIGKILL)").count(), lost, "{seen}");
    }
}

/// The processes and the ranks that a report names, one line after the other.
#[test]
fn the_report_says_in_which_process_a_rank_was() {
    let program = support::c_text("survivors_shared", SURVIVORS).build();
    let file = support::fresh_directory("shared").join("report");
    for (how, expected) in [("alone", &["1 4"][..]), ("all", &["1 3", "1 4"])] {
        let run = sharing(&program, 7, 3).option("--mode=ulfm").args([how, "4"]);
        run.option(format!("--report={}", file.display())).succeeds();
        let text = std::fs::read_to_string(&file).expect("the report is there");
        let number = |line: &str, name: &str| {
            let (_, value) = line.split_once(&format!("\"{name}\":")).expect("it is named");
            value.chars().take_while(char::is_ascii_digit).collect::<String>()
        };
        let both = |line: &str| format!("{} {}", number(line, "process"), number(line, "rank"));
        let mut told: Vec<String> = text.lines().map(both).collect();
        told.sort();
        assert_eq!(told, expected, "{how}: {text}");
    }
}

/// Under REBUILD, all tell who they are and in which process, and rank 0 how many have been started
/// again.
const REBORN: &str = r#"
    #include <mpi.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    int main(int argc, char **argv)
    {
        int rank, sum, code = MPI_Init(&argc, &argv);
        int reborn = code == MPI_INIT_RESTARTED_PROCS;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        code = MPI_SUCCESS;
        if (!reborn) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == atoi(argv[2]) && !strcmp(argv[1], "alone"))
                raise(SIGKILL);
            if (rank == atoi(argv[2]) && fork() == 0) {
                kill(getppid(), SIGKILL);
                _exit(0);
            }
            while ((code = MPI_Barrier(MPI_COMM_WORLD)) == MPI_SUCCESS)
                ;
        }
        for (;;) {
            MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
            while (code != MPI_SUCCESS && MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
                repaired = FT_MPI_CHECK_RECOVER;
            code = MPI_Allreduce(&reborn, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (code == MPI_SUCCESS)
                break;
        }
        printf("%d %d\n", rank, (int)getpid());
        if (rank == 0)
            fprintf(stderr, "%d reborn\n", sum);
        return MPI_Finalize();
    }
"#;

#[test]
fn a_dead_rank_begins_again_in_its_process_or_in_a_new_one_if_that_is_gone() {
    let program = support::c_text("reborn_shared", REBORN).build();
    for victim in [0, 3, 6] {
        let number = victim.to_string();
        for (how, reborn) in [("alone", 1), ("all", if victim == 0 { 3 } else { 2 })] {
            let run = sharing(&program, 7, 3).option("--mode=rebuild").args([how, &number]);
            let seen = run.succeeds();
            assert_eq!(ranks_by_process(&seen), [vec![0, 1, 2], vec![3, 4], vec![5, 6]], "{seen}");
            let said = format!("{reborn} reborn\n");
            assert!(seen.stderr.contains(&said), "{how} {victim}: {seen}");
        }
    }
}

/// Each is started once, however many die at one time: the process of some dies with its last rank.
#[test]
fn many_ranks_die_and_begin_again_and_none_begins_twice() {
    let program = support::c("rebuild.c").build();
    for kind in ["fiber", "thread"] {
        for (ranks, processes, victims) in [(9, 3, "3"), (8, 4, "7")] {
            let run = sharing(&program, ranks, processes).option(format!("--ranks={kind}"));
            let seen = run.option("--mode=rebuild").args(["15", victims]).succeeds();
            assert_eq!(seen.stdout, format!("15 rounds, {ranks} ranks\n"), "{kind}: {seen}");
        }
    }
}

/// Processes whose last rank has died write to others until they end, and others begin in their
/// places.
#[test]
fn nothing_is_lost_of_what_a_process_writes_that_takes_the_place_of_another() {
    let program = support::c("storm.c").flags(&["-O2", "-g", "-Iinclude"]).build();
    for _ in 0..10 {
        let run = sharing(&program, 5, 3).option("--mode=rebuild").option("-q");
        run.args(["rebuild", "noop", "60", "6"]).deadline(60).succeeds();
    }
}

#[test]
fn checkpoints_survive_the_death_of_a_process_with_its_ranks() {
    let program = support::c("c_examples/pcg.c").flags(&["-O1", "-lm"]).build();
    let run = sharing(&program, 8, 4).option("--mode=rebuild");
    let pcg = ["--poisson", "7", "--order", "1000", "--iterations", "60", "--every", "10"];
    let kills = ["--scheme", "weighted", "--kill", "2@25", "--kill", "3@25"];
    let seen = run.args(pcg).args(kills).succeeds();
    assert!(seen.stdout.contains("failures 2"), "{seen}");
}

/// No two ranks of a process are in one group, where there are processes enough for that.
#[test]
fn checkpoints_survive_the_loss_of_all_ranks_of_any_process_under_every_scheme() {
    let program = support::c("checkpoint.c").flags(&["-O1", "-Wall", "-Werror", "-lm"]).build();
    for scheme in ["xor", "rs:2", "sum", "weighted:2", "ring", "pair"] {
        let run = |victims: &[&str]| {
            let args = [&[scheme, "30", "10", "0", "777"], victims].concat();
            sharing(&program, 6, 3).option("--mode=rebuild").args(args).succeeds()
        };
        let expected = run(&[]).stdout;
        for victims in [["0@15", "1@15"], ["2@15", "3@15"], ["4@15", "5@15"]] {
            let seen = run(&victims);
            assert_eq!(seen.stdout, expected, "{scheme} {victims:?}: {seen}");
        }
    }
}

#[test]
fn ranks_that_wait_for_each_other_are_named_whichever_process_they_are_in() {
    let text = r#"
        #include <mpi.h>
        int main(int argc, char **argv)
        {
            int rank, size, got;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            MPI_Recv(&got, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("stuck_shared", text).build();
    let seen = sharing(&program, 5, 2).fails_with(123);
    for rank in 0..5 {
        assert!(seen.stderr.contains(&format!("rank {rank}: in MPI_Recv")), "{seen}");
    }
}

/// Rank 0 takes what comes; the others send one after the other.
#[test]
fn a_receive_from_any_source_matches_what_it_is_told_to() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            int rank, got;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
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
    let program = support::c_text("forced_match_shared", text).build();
    for (first, second, order) in [("1=3", "2=2", "3 2 1 "), ("1=2", "2=3", "2 3 1 ")] {
        let run = sharing(&program, 4, 2).option(format!("--match=0:{first}"));
        let seen = run.option(format!("--match=0:{second}")).succeeds();
        assert_eq!(seen.stdout, order, "{seen}");
    }
}

/// Each life of each rank sends itself ten messages; the first life of rank 1 exits.
const TEN: &str = r#"
    #include <mpi.h>
    #include <stdlib.h>
    int main(int argc, char **argv)
    {
        const char *life = getenv("FTMPI_INCARNATION");
        int rank, got;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (int i = 0; i < 10; i++)
            MPI_Sendrecv(&i, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
        if (rank == 1 && (!life || !atoi(life)))
            exit(3);
        return MPI_Finalize();
    }
"#;

#[test]
fn a_terminal_and_a_recording_show_all_ranks_and_count_what_each_life_has_sent() {
    let program = support::c_text("ten_shared", TEN).build();
    let directory = support::fresh_directory("shared-record");
    let counts = directory.join("counts.csv");
    for (ranks, processes) in [(7, 3), (2, 2)] {
        let run = sharing(&program, ranks, processes).directory(&directory).option("--tui");
        let seen = run.option("--on-failure=restart").option("--record=record").succeeds();
        let last = seen.stderr.rsplit("\u{1b}[H").next().expect("a picture");
        assert!(last.contains(&format!("ten_shared, {ranks} ranks")), "{seen}");
        assert!(last.contains(&format!("{ranks} of {ranks} alive, ended")), "{seen}");
        assert!(last.contains(&format!("is done {ranks}")), "{seen}");
        let replay = std::process::Command::new(support::tool("ftsim"))
            .args(["replay", "record", "--csv", "counts.csv"])
            .current_dir(&directory)
            .output()
            .expect("ftsim is there");
        assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stderr));
        let text = std::fs::read_to_string(&counts).expect("the counts are there");
        let names = text.lines().next().unwrap_or_default().split(',');
        let names = names.map(|name| name.trim_matches('"'));
        let last = text.lines().last().unwrap_or_default().split(',');
        let last: BTreeMap<&str, &str> = names.zip(last).collect();
        assert_eq!((last["alive"], last["failures"]), (&*ranks.to_string(), "1"), "{text}");
        // What a process has done that dies is known as far as it has been asked.
        if ranks > processes {
            assert_eq!(last["messages"], ((ranks + 1) * 10).to_string(), "{text}");
        }
    }
}

#[test]
fn a_deadlock_is_found_while_somebody_looks() {
    let text = r#"
        #include <mpi.h>
        int main(int argc, char **argv)
        {
            int rank, got;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Recv(&got, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("stuck_seen_shared", text).build();
    let seen = sharing(&program, 6, 2).option("--tui").fails_with(123);
    assert!(seen.stderr.contains("rank 5: in MPI_Recv"), "{seen}");
}

#[test]
fn on_a_machine_the_nodes_of_all_ranks_fail_with_their_process() {
    let program = support::c_text("reborn_shared", REBORN).build();
    let directory = support::fresh_directory("shared-machine");
    let text = "[machine]\nname = \"row\"\ntopology = \"mesh\"\ndims = [12]\n";
    std::fs::write(directory.join("row.toml"), text).expect("there is room");
    for (how, nodes) in [("alone", &[3][..]), ("all", &[3, 4])] {
        let run = sharing(&program, 7, 3).option("--mode=rebuild").directory(&directory);
        let run = run.option("--machine=row.toml").option("--report=report").args([how, "3"]);
        let seen = run.succeeds();
        assert_eq!(ranks_by_process(&seen), [vec![0, 1, 2], vec![3, 4], vec![5, 6]], "{seen}");
        let text = std::fs::read_to_string(directory.join("report")).expect("it is there");
        for node in nodes {
            assert!(text.contains(&format!("\"node\":{node},\"substitution\":\"0D\"")), "{text}");
            let said = format!("ftrun: rank {node} continues on node row:");
            assert!(seen.stderr.contains(&said), "{seen}");
        }
        assert_eq!(text.lines().count(), nodes.len(), "{text}");
        // The nodes after those of the ranks are spares.
        for place in 0..nodes.len() {
            assert!(seen.stderr.contains(&format!("on node row:{} (0D", 7 + place)), "{seen}");
        }
    }
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    let program = support::c_text("where", WHERE).build();
    let seen = sharing(&program, 4, 2).option("--seed=1").outcome();
    assert!(seen.status == Some(2) && seen.stderr.contains("--processes=P"), "{seen}");
}

/// Other processes may still read in the heap of a rank that has died: the next life has another.
#[test]
fn every_life_has_a_heap_of_its_own_however_many_have_shown_theirs() {
    let program = support::c("rma_lives.c").flags(&["-O1"]).build();
    let run = sharing(&program, 5, 3).option("--mode=rebuild").option("-q").args(["heaps"]);
    let seen = run.succeeds();
    let told = seen.stderr.matches("rank 1: free(): double free or corruption").count();
    assert_eq!((seen.lines_with("is done"), told), (5, 7), "{seen}");
}
