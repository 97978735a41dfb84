//! Ranks that share processes on several hosts (`--hosts` with `--per-process` or `--processes=P`).
//! The hosts are this one, with an agent for each.

use std::collections::BTreeMap;
use support::{Outcome, Program, Run};

fn program() -> Program {
    support::c("hosts.c").flags(&["-O2"]).build()
}

/// So many ranks on these hosts, of which these share a process.
fn on(program: &Program, hosts: &str, ranks: usize, sharing: &str) -> Run {
    support::hosts::on(program, hosts, ranks).option(sharing)
}

/// Each rank tells its process.
const WHERE: &str = r#"
    #include <mpi.h>
    #include <stdio.h>
    #include <unistd.h>
    int main(int argc, char **argv)
    {
        int rank;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        printf("%d %d\n", rank, (int)getpid());
        return MPI_Finalize();
    }
"#;

/// How many ranks each process has, by their order.
fn sizes(seen: &Outcome) -> Vec<usize> {
    let mut all: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for line in seen.stdout.lines() {
        let (rank, pid) = line.split_once(' ').expect("each line has two words");
        all.entry(pid).or_default().push(rank.parse().expect("the first is a rank"));
    }
    let mut all: Vec<Vec<usize>> = all.into_values().collect();
    all.iter_mut().for_each(|ranks| ranks.sort_unstable());
    all.sort();
    all.iter().map(Vec::len).collect()
}

#[test]
fn the_ranks_of_a_host_share_its_processes() {
    let program = support::c_text("where_on_hosts", WHERE).build();
    let sizes_of = |hosts, ranks, sharing| sizes(&on(&program, hosts, ranks, sharing).succeeds());
    assert_eq!(sizes_of("a:4,b:3", 7, "--per-process=4"), [4, 3]);
    assert_eq!(sizes_of("a:4,b:3", 7, "--per-process=2"), [2, 2, 2, 1]);
    assert_eq!(sizes_of("a:5,b:1", 6, "--processes=3"), [3, 2, 1]);
    assert_eq!(sizes_of("a:1,b:1", 2, "--per-process=9"), [1, 1]);
    let seen = on(&program, "a:2,b:2", 4, "--processes=1").outcome();
    assert_eq!(seen.status, Some(2), "{seen}");
    assert!(seen.stderr.contains("each of these needs a process at least"), "{seen}");
}

#[test]
fn messages_and_collective_operations_reach_every_rank_of_every_process() {
    for (sharing, kind) in [("--per-process=2", "thread"), ("--per-process=9", "fiber")] {
        let run = on(&program(), "a:4,b:3,c:2", 9, sharing).option(format!("--ranks={kind}"));
        let seen = run.args(["exchange"]).succeeds();
        for (rank, count) in [4, 4, 4, 4, 3, 3, 3, 2, 2].iter().enumerate() {
            let line = format!("rank {rank} has {count} on its host");
            assert_eq!(seen.lines_with(&line), 1, "{seen}");
        }
    }
    let ways = support::c("coll_ways.c").flags(&["-O1", "-fno-strict-aliasing"]).build();
    on(&ways, "a:4,b:3", 7, "--processes=3").succeeds();
}

#[test]
fn partitioned_messages_reach_every_rank_of_every_process_and_outlive_a_death_elsewhere() {
    let program = support::c("partitioned.c").flags(&["-O1", "-Wall", "-pthread"]).build();
    for (hosts, sharing) in [("a:3,b:2", "--per-process=2"), ("a:2,b:1,c:2", "--per-process=1")] {
        on(&program, hosts, 5, sharing).args(["mesh"]).succeeds();
        let run = on(&program, hosts, 5, sharing).option("--on-failure=continue");
        let run = run.option("--kill=1@inside:MPI_Pready_range:23").args(["bereaved"]);
        let seen = run.fails_with(128 + 9);
        assert_eq!(seen.lines_with("survived"), 4, "{hosts}\n{seen}");
    }
    for case in ["shapes", "lengths", "threads"] {
        on(&program, "a:1,b:1", 2, "--per-process=1").args([case]).succeeds();
    }
}

/// What `hosts_memory.rs` says where each rank has a process of its own.
#[test]
fn windows_reach_over_hosts() {
    let program = support::c("rma.c").flags(&["-O1"]).build();
    for case in ["fence", "sums", "operations", "tickets", "locks", "busy", "pscw", "random"] {
        on(&program, "a:2,b:1", 3, "--per-process=2").args([case]).succeeds();
    }
    const PROC_ABORTED: &str = "58";
    let program = support::c("rma_deaths.c").flags(&["-O1"]).build();
    for (case, function) in [
        ("put", "MPI_Put"),
        ("get", "MPI_Get"),
        ("fetch", "MPI_Fetch_and_op"),
        ("holds", "MPI_Win_lock"),
        ("fence", "MPI_Win_fence"),
    ] {
        let kill = format!("--kill=1@inside:{function}:5");
        for hosts in ["a:2,b:1", "a:1,b:2"] {
            let run = on(&program, hosts, 3, "--per-process=2").option("--on-failure=continue");
            let seen = run.option(&kill).args([case, PROC_ABORTED, ""]).outcome();
            assert_eq!(seen.lines_with("ok"), 2, "{case} {hosts}\n{seen}");
        }
    }
}

/// The line of the first survivor.
fn survived(seen: &Outcome, ranks: usize, restarted: usize) -> String {
    let start = format!("{ranks} ranks, {restarted} restarted: ");
    let line = seen.stdout.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("no line `{start}`: {seen}")).to_string()
}

#[test]
fn a_rank_dies_alone_a_process_with_its_ranks_and_a_host_with_its_processes() {
    let run = || on(&program(), "a:4,b:4,c:4", 12, "--per-process=2").option("--mode=rebuild");
    let right = survived(&run().args(["survive", "300"]).succeeds(), 12, 0);
    for (orders, reborn) in [
        (&["rank", "0@40", "rank", "5@100", "rank", "11@101"][..], 3),
        (&["process", "6@50"], 2),
        (&["process", "1@50", "rank", "4@50"], 3),
        (&["host", "5@60"], 4),
        (&["host", "0@50", "rank", "9@51", "rank", "9@130"], 5),
        (&["host", "1@50", "host", "10@120"], 8),
        (&["process", "4@60", "heal", "8@50"], 6),
    ] {
        let seen = run().args(["survive", "300"]).args(orders.iter().copied()).succeeds();
        assert_eq!(survived(&seen, 12, reborn), right, "{seen}");
    }
}

#[test]
fn words_about_deaths_name_the_host() {
    let report = support::fresh_directory("hosts_shared").join("report");
    let run = on(&program(), "a:2,b:2,c:2", 6, "--per-process=2").option("--mode=rebuild");
    let run = run.option(format!("--report={}", report.display()));
    let seen = run.args(["survive", "200", "rank", "3@50", "host", "4@100"]).succeeds();
    survived(&seen, 6, 3);
    let is_told =
        |line: &&str| line.contains("rank 3 was killed (SIGKILL)") && line.contains("on b");
    assert_eq!(seen.stderr.lines().filter(is_told).count(), 1, "{seen}");
    assert!(seen.stderr.contains("ftrun: host c is lost\n"), "{seen}");
    let written = std::fs::read_to_string(&report).unwrap();
    for rank in [4, 5] {
        let words = format!("rank {rank} was lost with its host c after");
        assert!(written.contains(&words), "{written}");
    }
}

#[test]
fn the_processes_of_a_lost_host_start_on_a_spare_one() {
    let run = on(&program(), "a:4,b:4", 8, "--per-process=2").option("--mode=rebuild");
    let run = run.option("--spares").option("c:4");
    let seen = run.args(["survive", "300", "host", "5@60"]).option("--kill=6.1@MPI_Allreduce:50");
    let seen = seen.succeeds();
    survived(&seen, 8, 4);
    for words in ["rank 6 was killed", "rank 6 (incarnation 1) was lost with its host b"] {
        assert!(seen.stderr.contains(words), "{seen}");
    }
}

#[test]
fn others_go_on_without_a_host_in_modes_that_replace_nobody() {
    let run = on(&program(), "a:4,b:2,c:4", 10, "--per-process=2").option("--mode=shrink");
    survived(&run.args(["survive", "200", "host", "4@50", "rank", "9@90"]).succeeds(), 7, 0);
}

/// However many die at one time, each begins again once.
#[test]
fn many_ranks_of_several_hosts_die_and_begin_again() {
    let program = support::c("rebuild.c").build();
    for kind in ["fiber", "thread"] {
        let run = on(&program, "a:6,b:3", 9, "--per-process=3").option(format!("--ranks={kind}"));
        let seen = run.option("--mode=rebuild").args(["15", "4"]).succeeds();
        assert_eq!(seen.stdout, "15 rounds, 9 ranks\n", "{kind}: {seen}");
    }
}

#[test]
fn checkpoints_survive_deaths_on_several_hosts() {
    let program = support::c("c_examples/pcg.c").flags(&["-O1", "-lm"]).build();
    let run = || on(&program, "a:4,b:2,c:2", 8, "--per-process=2").option("--mode=rebuild");
    let pcg = ["--poisson", "7", "--order", "1000", "--iterations", "60", "--every", "10"];
    let residual = |seen: &Outcome| {
        let line = seen.stdout.lines().find(|line| line.starts_with("residual"));
        let line = line.unwrap_or_else(|| panic!("no residual: {seen}"));
        line.split(' ').nth(1).expect("it is the second word").to_string()
    };
    let right = residual(&run().args(pcg).succeeds());
    let kills = ["--scheme", "rs:2", "--kill", "2@25", "--kill", "5@45"];
    let seen = run().args(pcg).args(kills).succeeds();
    assert_eq!(residual(&seen), right, "{seen}");
    assert!(seen.stdout.contains("failures 2"), "{seen}");
}

#[test]
fn ranks_that_wait_for_each_other_are_a_deadlock() {
    let text = r#"
        #include <mpi.h>
        int main(int argc, char **argv)
        {
            int rank, size, got;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Recv(&got, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("stuck_on_hosts", text).build();
    let seen = on(&program, "a:3,b:2", 5, "--per-process=3").fails_with(123);
    for rank in 0..5 {
        assert!(seen.stderr.contains(&format!("rank {rank}: in MPI_Recv")), "{seen}");
    }
}
