//! Jobs on several hosts. Here these are agents on this host (`--agent 'sh -c'`), or network
//! namespaces with an ssh daemon each, where the tests may make them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::hosts::has_ucx;
use support::{Outcome, Program, Run};

fn program() -> Program {
    support::c("hosts.c").flags(&["-O2"]).build()
}

/// A run on hosts that are this one.
fn on(hosts: &str, ranks: usize) -> Run {
    support::hosts::on(&program(), hosts, ranks)
}

fn are_neighbours(seen: &Outcome, counts: &[usize]) {
    for (rank, count) in counts.iter().enumerate() {
        assert_eq!(seen.lines_with(&format!("rank {rank} has {count} on its host")), 1, "{seen}");
    }
}

#[test]
fn ranks_of_several_hosts_exchange_messages_of_all_lengths() {
    are_neighbours(&on("a:2,b:1,c:2", 5).args(["exchange"]).succeeds(), &[2, 2, 1, 2, 2]);
    are_neighbours(&on("a,b", 2).args(["exchange"]).succeeds(), &[1, 1]);
    let seen = on("a,b,c", 4).option("--per-host").option("2").args(["exchange"]).succeeds();
    are_neighbours(&seen, &[2, 2, 2, 2]);
    if has_ucx() {
        let run = on("a:2,b:1,c:2", 5).option("-x").option("FTMPI_NET=ucx");
        are_neighbours(&run.args(["exchange"]).succeeds(), &[2, 2, 1, 2, 2]);
    }
}

#[test]
fn a_host_file_says_how_many_ranks_each_host_gets() {
    let file = support::fresh_directory("hostfile").join("hosts");
    std::fs::write(&file, "# all of them\na slots=1 max_slots=4\n\nb:3  # as MPICH writes it\n")
        .unwrap();
    let run = support::run(&program()).env("FTMPI_RANKS", "").ranks(4).args(["exchange"]);
    let run = run.option("--agent").option("sh -c").option("--hostfile").option(&file);
    are_neighbours(&run.succeeds(), &[1, 3, 3, 3]);
}

/// The parent of rank 2 is the agent of the host on which rank 3 dies.
#[test]
fn an_agent_keeps_nothing_open_of_processes_that_have_died() {
    let run = support::hosts::on(&support::c("agent_files.c").build(), "a:2,b:2", 4);
    let seen = run.option("--mode=rebuild").succeeds();
    let more = seen.stdout.strip_suffix(" more\n").and_then(|count| count.parse::<i32>().ok());
    assert!(more.is_some_and(|more| more < 10), "{seen}");
}

/// The line of the first survivor.
fn survived(seen: &Outcome, ranks: usize, restarted: usize) -> String {
    let start = format!("{ranks} ranks, {restarted} restarted: ");
    let line = seen.stdout.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("no line `{start}`: {seen}")).to_string()
}

#[test]
fn a_killed_process_of_any_host_is_replaced() {
    let run = || on("a:2,b:2,c:2", 6).option("--mode=rebuild").args(["survive", "300"]);
    let right = survived(&run().succeeds(), 6, 0);
    let seen = run().args(["rank", "0@40", "rank", "5@100", "rank", "2@101"]).succeeds();
    assert_eq!(survived(&seen, 6, 3), right, "{seen}");
    assert!(seen.stderr.contains("rank 5 was killed (SIGKILL) on c after"), "{seen}");
    let ordered = run().option("--kill=3@MPI_Allreduce:50").succeeds();
    assert_eq!(survived(&ordered, 6, 1), right, "{ordered}");
}

#[test]
fn the_ranks_of_a_lost_host_start_on_another() {
    let run = || on("a:2,b:2,c:2", 6).option("--mode=rebuild").args(["survive", "300"]);
    let right = survived(&run().succeeds(), 6, 0);
    for (victim, first, name) in [(3, 2, "b"), (0, 0, "a")] {
        let report = support::fresh_directory("host_report").join(format!("report-{name}"));
        let run = run().option(format!("--report={}", report.display()));
        let seen = run.args(["host", &format!("{victim}@50")]).succeeds();
        assert_eq!(survived(&seen, 6, 2), right, "{seen}");
        assert!(seen.stderr.contains(&format!("ftrun: host {name} is lost\n")), "{seen}");
        let written = std::fs::read_to_string(&report).unwrap();
        for rank in [first, first + 1] {
            let words = format!("rank {rank} was lost with its host {name} after");
            assert!(written.contains(&words), "{written}");
        }
    }
    // One after the other, until a single one is left.
    let seen = run().args(["host", "1@50", "host", "4@120"]).succeeds();
    assert_eq!(survived(&seen, 6, 4), right, "{seen}");
}

/// A run of six ranks on three hosts, with two to spare.
fn with_spares(orders: &[&str]) -> Run {
    let run = on("a:2,b:2,c:2", 6).option("--mode=rebuild").option("--spares").option("d,e");
    run.args(["survive", "300"]).args(orders.iter().copied())
}

#[test]
fn spare_hosts_take_the_ranks_of_lost_ones() {
    // Two at once; and later a death on each of those that stand in for them.
    let run = with_spares(&["host", "2@60", "host", "4@60"]);
    let run = run.option("--kill=2.2@MPI_Allreduce:50").option("--kill=4.2@MPI_Allreduce:90");
    let seen = run.succeeds();
    survived(&seen, 6, 4);
    for name in ["host b is lost", "host c is lost", "killed (SIGKILL) on d", "(SIGKILL) on e"] {
        assert!(seen.stderr.contains(name), "{name}: {seen}");
    }
}

#[test]
fn a_host_is_lost_during_a_recovery() {
    let right = survived(&with_spares(&[]).succeeds(), 6, 0);
    // Others may not have done the step before the one in which somebody dies.
    for orders in [["rank", "1@60", "heal", "2@50"], ["host", "2@60", "heal", "0@50"]] {
        let seen = with_spares(&orders).succeeds();
        assert_eq!(survived(&seen, 6, if orders[0] == "rank" { 3 } else { 4 }), right, "{seen}");
    }
}

#[test]
fn a_replacement_that_cannot_start_is_tried_on_the_next_host() {
    let directory = support::fresh_directory("no_start");
    let script = "case $1 in d) ulimit -n 12;; esac; shift; exec sh -c \"$*\"";
    let agent = executable(&directory.join("agent"), script);
    let run = |spares: &str| {
        let run = support::run(&program()).env("FTMPI_RANKS", "").ranks(4).option("--mode=rebuild");
        let run = run.option("--hosts").option("a:2,b:2").option("--spares").option(spares);
        let run = run.option("--agent").option(format!("{agent} {{HOST}}")).deadline(120);
        run.args(["survive", "300", "host", "2@60"])
    };
    let seen = run("d,e").succeeds();
    survived(&seen, 4, 2);
    assert!(seen.stderr.contains("ftrun: host d: cannot start "), "{seen}");
    // The last ranks may be lost before it is known that no host is left for the first ones.
    let seen = run("d").args(["heal", "0@50"]).outcome();
    let said = match seen.status {
        Some(126) => "cannot be started: there is no host left",
        _ => "all 4 ranks have failed, and no rank is left",
    };
    assert!(matches!(seen.status, Some(126 | 137)) && seen.stderr.contains(said), "{seen}");
}

/// A host with a core for each rank would do without what others need.
#[test]
fn hosts_with_more_and_fewer_cores_choose_the_same_algorithms() {
    let short = support::c("coll_short.c").flags(&["-O1", "-Wall"]).build();
    let directory = support::fresh_directory("unlike_hosts");
    let script = "case $1 in a) cores=8;; b) cores=1;; *) cores=2;; esac; shift
        export FTMPI_CORES=$cores; exec sh -c \"$*\"";
    let agent = executable(&directory.join("agent"), script);
    for seed in ["1", "2", "3"] {
        let run = support::run(&short).env("FTMPI_RANKS", "").ranks(5);
        let run = run.option("--hosts").option("a:1,b:2,c:2").deadline(60);
        run.option("--agent").option(format!("{agent} {{HOST}}")).args([seed, "200"]).succeeds();
    }
}

#[test]
fn others_go_on_without_a_host_in_modes_that_replace_nobody() {
    let run = |mode: &str| {
        let run = on("a:2,b:2,c:2", 6).option(format!("--mode={mode}"));
        run.args(["survive", "200", "host", "2@60"]).succeeds()
    };
    survived(&run("shrink"), 4, 0);
    survived(&run("blank"), 6, 0);
}

#[test]
fn a_job_that_survives_nothing_ends_with_its_host() {
    let run = on("a:1,b:1", 2).option("--mode=abort");
    let seen = run.args(["survive", "200", "host", "1@60"]).fails_with(137);
    assert!(seen.stderr.contains("rank 1 was lost with its host b"), "{seen}");
}

/// What is said when a host cannot be used.
fn refused(agent: &str, hosts: &str) -> Outcome {
    let run = support::run(&program()).env("FTMPI_RANKS", "").env("FTMPI_JOIN_TIMEOUT", "2");
    let run = run.ranks(2).option("--agent").option(agent).option("--hosts").option(hosts);
    run.args(["exchange"]).fails_with(126)
}

#[test]
fn a_host_that_cannot_be_used_is_named_with_the_cure() {
    let cases = [
        (
            "false {HOST}",
            "host a cannot be used: `false a …` has ended (exit status: 1); check that",
        ),
        ("/nowhere/ssh {HOST}", "host a: cannot run /nowhere/ssh: No such file or directory"),
        ("cat", "host a cannot be used: `cat …` has ended"),
        ("tail -f /dev/null -- ", "host a has not answered within 2 s"),
    ];
    for (agent, sentence) in cases {
        let seen = refused(agent, "a");
        assert!(seen.stderr.contains(sentence), "{agent}: {seen}");
        assert_eq!(seen.stderr.lines().count(), 1, "{agent}: {seen}");
    }
    let seen = support::run(&program()).env("FTMPI_RANKS", "").ranks(5).option("--hosts");
    let seen = seen.option("a:2,b:2").fails_with(2);
    assert!(seen.stderr.contains("5 ranks do not fit on 2 hosts with 4 places"), "{seen}");
    let run = || support::run(&program()).env("FTMPI_RANKS", "");
    let seen = run().ranks(2).option("--spares").option("c").fails_with(2);
    assert!(seen.stderr.contains("--spares needs --hosts or --hostfile with it"), "{seen}");
    let seen = run().ranks(2).option("--hosts").option("a,b").option("--spares").option("b");
    let seen = seen.fails_with(2);
    assert!(seen.stderr.contains("--spares: the host b has ranks already"), "{seen}");
    let seen = run().ranks(2).option("--agent").option("sh -c").fails_with(2);
    assert!(seen.stderr.contains("--agent needs --hosts or --hostfile with it"), "{seen}");
    let seen = run().option("-N").option("2").option("--hosts").option("a,b").fails_with(2);
    assert!(seen.stderr.contains("with --hosts, say so by --per-host"), "{seen}");
    for (word, sentence) in [
        ("--seed=1", "do not go together yet"),
        ("--machine=fat-tree", "do not go together yet"),
        ("--ranks=thread", "unless they share processes (--per-process N)"),
    ] {
        let run = support::run(&program()).env("FTMPI_RANKS", "").ranks(2).option(word);
        let seen = run.option("--hosts").option("a,b").fails_with(2);
        assert!(seen.stderr.contains(sentence), "{word}: {seen}");
    }
}

/// Nothing goes from host to host.
fn without_way(run: Run) -> Run {
    run.option("-x").option("FTMPI_NET=ucx").option("-x").option("UCX_TLS=self")
}

#[test]
fn a_rank_without_a_way_to_another_one_ends_the_job_with_the_cure() {
    if !has_ucx() {
        return;
    }
    let run = without_way(on("a,b", 2)).option("--mode=rebuild");
    let seen = run.args(["survive", "300"]).fails_with(126);
    assert!(seen.stderr.contains(" has no way to rank "), "{seen}");
    assert!(seen.stderr.contains("a network that both hosts have (FTMPI_NET=tcp:"), "{seen}");
}

#[test]
fn a_process_that_dies_before_the_first_message_to_it_has_failed_and_does_not_end_the_job() {
    if !has_ucx() {
        return;
    }
    // As if rank 1 were dead already when it is first sent to.
    let sent = support::fresh_directory("first_message").join("sent");
    let program = support::c("first_message.c").build();
    let run = without_way(support::hosts::on(&program, "a,b,c", 3));
    let run = run.option("--on-failure=continue").args([sent.to_str().expect("a path")]);
    let seen = run.outcome();
    assert_eq!(seen.lines_with("rank 1 has failed"), 1, "{seen}");
    assert!(!seen.stderr.contains("no way to"), "{seen}");
}

/// Where UCX carries messages by TCP, this ended others in 14 of 80 runs.
#[test]
fn whoever_is_killed_while_it_is_being_connected_harms_nobody() {
    let program = support::c("connected.c").flags(&["-O1", "-Wall"]).build();
    for turn in 0..12 {
        let run = support::hosts::on(&program, "a,b,c", 3).option("--on-failure=continue");
        let run = run.option("-x").option("FTMPI_NET=tcp").args([(turn * 50).to_string()]);
        let seen = run.outcome();
        assert_eq!(seen.lines_with(" has gone on"), 2, "{seen}");
    }
}

#[test]
fn a_host_with_another_library_is_refused() {
    let directory = support::fresh_directory("other_library");
    support::copy_program(support::ftrun(), directory.join("ftrun"));
    let mut library = std::fs::read(support::library_directory().join("libftmpi_rs.so")).unwrap();
    library.push(0);
    std::fs::write(directory.join("libftmpi_rs.so"), library).unwrap();
    let agent = executable(
        &directory.join("agent"),
        &format!("exec sh -c \"exec {}/ftrun ${{1##* }}\"", directory.display()),
    );
    let seen = refused(&agent, "a");
    let said = "host a has another version of the library, 0.1.0 (build ";
    assert!(seen.stderr.contains(said), "{seen}");
    assert!(seen.stderr.contains("install the same one on all hosts"), "{seen}");
}

/// Writes a script; returns its path.
fn executable(path: &Path, text: &str) -> String {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// Where `ftrun` with this command line listens, and what it is.
struct Waiting(std::process::Child);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.kill().expect("it is ours");
        self.0.wait().expect("it was started here");
    }
}

/// Strangers who connect, and say nothing, or nonsense, or a wrong secret, harm nobody; the secret
/// is in no command line.
#[test]
fn strangers_are_not_heard() {
    let directory = support::fresh_directory("strangers");
    let (call, go) = (directory.join("call"), directory.join("go"));
    // Each agent waits until the strangers have been there.
    let script = format!(
        "cat > {0}.$$; mv {0}.$$ {0}; until test -e {1}; do sleep 0.05; done; sh -c \"$1\" < {0}",
        call.display(),
        go.display()
    );
    let agent = executable(&directory.join("agent"), &script);
    let mut command = Command::new(support::ftrun());
    command.args(["-np", "1", "--hosts", "a", "--agent"]).arg(&agent);
    command.arg(program().path()).arg("exchange").env_remove("FTMPI_RANKS");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waiting = Waiting(command.spawn().unwrap());
    let until = Instant::now() + Duration::from_secs(60);
    while !call.exists() {
        assert!(Instant::now() < until, "no agent was started");
        std::thread::sleep(Duration::from_millis(5));
    }
    let told = std::fs::read_to_string(&call).unwrap();
    let (secret, address) = (told.lines().next().unwrap(), told.lines().last().unwrap());
    assert!(secret.len() >= 32, "{told}");
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&words).contains(secret), "{:?}", entry.path());
    }
    let _silent = TcpStream::connect(address).unwrap();
    for nonsense in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[255; 64], &[9, 0, 0, 0, 0, 4, b'n', b'o']] {
        let mut stranger = TcpStream::connect(address).unwrap();
        stranger.write_all(nonsense).unwrap();
        stranger.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut answer = Vec::new();
        // A reset is as good as a goodbye, and may come before there is one to say.
        let _reset = stranger.shutdown(std::net::Shutdown::Write);
        let _reset = stranger.read_to_end(&mut answer);
        assert!(answer.is_empty(), "{answer:?}");
    }
    std::fs::write(&go, "").unwrap();
    let status = waiting.0.wait().unwrap();
    assert!(status.success(), "{status}");
}

#[test]
fn an_abort_on_one_host_ends_the_job_on_all_with_one_sentence() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            int rank;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            printf("rank %d is here\n", rank);
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 2)
                MPI_Abort(MPI_COMM_WORLD, 5);
            MPI_Barrier(MPI_COMM_WORLD);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("hosts_abort", text).build();
    let run = support::run(&program).env("FTMPI_RANKS", "").ranks(4);
    let run = run.option("--agent").option("sh -c").option("--hosts").option("a:2,b:2");
    let seen = run.fails_with(5);
    assert_eq!(seen.lines_with(" is here"), 4, "{seen}");
    assert_eq!(seen.stderr.lines().count(), 1, "{seen}");
}

#[test]
fn a_timeline_has_the_calls_of_all_hosts_up_to_their_loss() {
    let file = support::fresh_directory("hosts_trace").join("calls.csv");
    let run =
        on("a:2,b:2", 4).option("--mode=rebuild").option(format!("--trace={}", file.display()));
    run.args(["survive", "100", "host", "2@50"]).succeeds();
    let written = std::fs::read_to_string(&file).unwrap().replace('"', "");
    let rows: Vec<Vec<&str>> = written.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "rank,life,what,begin_ns,end_ns,class");
    let calls = |rank: &str, life: &str, what: &str| {
        let is_meant = |row: &&Vec<&str>| row[..3] == [rank, life, what];
        let times = rows.iter().filter(is_meant).map(|row| row[3].parse::<u64>().unwrap());
        times.collect::<Vec<u64>>()
    };
    let death = |rank: &str| {
        let row = rows.iter().find(|row| row[0] == rank && row[2].starts_with("death: "));
        row.unwrap_or_else(|| panic!("{rank}: {written}"))[3].parse::<u64>().unwrap()
    };
    for (rank, has_died) in [("0", false), ("1", false), ("2", true), ("3", true)] {
        let first = calls(rank, "0", "MPI_Allreduce");
        assert!(first.len() >= if has_died { 1 } else { 100 }, "{rank}: {written}");
        if has_died {
            assert!(first.iter().all(|begun| *begun <= death(rank)), "{rank}: {written}");
            assert!(calls(rank, "1", "MPI_Allreduce").len() >= 50, "{rank}: {written}");
        }
    }
}

/// Rank 1 has seen a long message of rank 0's, and hears by rank 2 that it was taken back.
#[test]
fn nobody_finds_a_cancelled_message_on_another_host() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        static char data[1 << 20];
        int main(int argc, char **argv)
        {
            int rank, flag = 1, is_cancelled = 0, token = 0;
            MPI_Request request;
            MPI_Status status;
            MPI_Comm all = MPI_COMM_WORLD;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(all, &rank);
            for (int i = 0; i < 100; i++) {
                if (rank == 0) {
                    MPI_Isend(data, sizeof data, MPI_CHAR, 1, 5, all, &request);
                    MPI_Recv(&token, 1, MPI_INT, 1, 0, all, MPI_STATUS_IGNORE);
                    MPI_Cancel(&request);
                    MPI_Wait(&request, &status);
                    MPI_Test_cancelled(&status, &is_cancelled);
                    MPI_Send(&is_cancelled, 1, MPI_INT, 2, 0, all);
                    MPI_Send(&i, 1, MPI_INT, 1, 5, all);
                } else if (rank == 1) {
                    MPI_Probe(0, 5, all, &status);
                    MPI_Send(&token, 1, MPI_INT, 0, 0, all);
                    MPI_Recv(&is_cancelled, 1, MPI_INT, 2, 0, all, MPI_STATUS_IGNORE);
                    MPI_Iprobe(0, 5, all, &flag, &status);
                    MPI_Get_count(&status, MPI_CHAR, &token);
                    MPI_Recv(data, sizeof data, MPI_CHAR, 0, 5, all, MPI_STATUS_IGNORE);
                    if (!is_cancelled || (flag && token == sizeof data) || *(int *)data != i)
                        printf("wrong: %d %d %d\n", is_cancelled, flag, token);
                } else {
                    MPI_Recv(&is_cancelled, 1, MPI_INT, 0, 0, all, MPI_STATUS_IGNORE);
                    MPI_Send(&is_cancelled, 1, MPI_INT, 1, 0, all);
                }
            }
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("hosts_cancel", text).build();
    let seen = support::hosts::on(&program, "a,b,c", 3).succeeds();
    assert_eq!(seen.stdout, "", "{seen}");
}

#[test]
fn output_and_input_are_passed_on() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            char line[64] = "nothing";
            int rank;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (!fgets(line, sizeof line, stdin))
                puts("nothing to read");
            else
                printf("read %s", line);
            fprintf(stderr, "an error of %d\n", rank);
            MPI_Finalize();
            return rank == 1 ? 3 : 0;
        }
    "#;
    let program = support::c_text("hosts_lines", text).build();
    let run = support::run(&program).env("FTMPI_RANKS", "").ranks(2).stdin("typed\n");
    let run = run.option("--agent").option("sh -c").option("--hosts").option("a,b");
    let seen = run.option("--tag-output").fails_with(3);
    let mut lines: Vec<&str> = seen.stdout.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["[0] read typed", "[1] nothing to read"], "{seen}");
    assert!(seen.stderr.contains("[0] an error of 0\n"), "{seen}");
    assert!(seen.stderr.contains("[1] an error of 1\n"), "{seen}");
}

#[test]
fn ranks_of_several_hosts_that_wait_for_each_other_are_a_deadlock() {
    let text = r#"
        #include <mpi.h>
        int main(int argc, char **argv)
        {
            int rank, size, got = 0;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Recv(&got, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("hosts_stuck", text).build();
    let run = support::run(&program).env("FTMPI_RANKS", "").ranks(4).option("--tui");
    let run =
        run.option("--agent").option("sh -c").option("--hosts").option("a:2,b:2").deadline(30);
    let seen = run.fails_with(123);
    for rank in 0..4 {
        assert!(seen.stderr.contains(&format!("  rank {rank}: in MPI_Recv")), "{seen}");
    }
    assert!(seen.stderr.contains("hosts_stuck, 4 ranks"), "{seen}");
}

#[test]
fn what_carries_messages_may_be_said_and_what_is_not_there_is_named() {
    let with = |net: &str| on("a,b", 2).env("FTMPI_NET", net).args(["exchange"]);
    are_neighbours(&with("tcp:lo").succeeds(), &[1, 1]);
    for (net, sentence) in [
        ("udp", "FTMPI_NET is `udp`; it may be `tcp`, `tcp:eth0,eth1` or `ucx`"),
        ("tcp:wire7", "no interface is named wire7: there are "),
    ] {
        let seen = with(net).outcome();
        assert!(seen.status != Some(0) && seen.stderr.contains(sentence), "{net}: {seen}");
    }
}

/// Rank 1 and then the agent of its host are killed; rank 0 waits until this is told.
const EMPTY_HOST: &str = r#"
    #include <ftmpi.h>
    #include <signal.h>
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>
    int main(int count, char **words)
    {
        int rank, agent = getppid(); char told[4096] = "";
        MPI_Init(&count, &words);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 1) MPI_Send(&agent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&agent, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ftmpi_kill(1);
        while (MPI_Recv(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        kill(agent, SIGKILL);
        while (!strstr(told, "host b is lost")) {
            FILE *errors = fopen(words[1], "r");
            told[fread(told, 1, sizeof told - 1, errors)] = 0, fclose(errors);
        }
        MPI_Finalize();
    }
"#;

#[test]
fn a_host_is_missed_although_its_ranks_were_dead_before() {
    let program = support::c_text("empty_host", EMPTY_HOST).build();
    let errors = support::fresh_directory("empty_host").join("errors");
    let script =
        "exec $0 --timeout 60 --mode=blank --agent 'sh -c' --hosts a:1,b:1 -np 2 $1 $2 2>$2";
    let run = support::command("sh").args(["-c", script]).env("FTMPI_RANKS", "");
    let words = [support::ftrun(), program.path().to_path_buf(), errors];
    run.args(words.map(|word| word.display().to_string())).succeeds();
}
