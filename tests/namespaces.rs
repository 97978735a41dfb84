//! Jobs on hosts that are network namespaces, each with a name and an ssh daemon of its own: the
//! whole way, from the host's name to the loss of the host. Needs root, `ip` and `sshd`; nothing
//! leaves this machine.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};
use support::launchers::{NO_PMIX, WITHOUT_PMIX, can_hide_pmix, hydra, intel, prterun};
use support::namespaces::{Hosts, text, wait};

fn hosts(test: &str, names: &[&str]) -> Option<Hosts> {
    Hosts::start(test, names).map_err(|why| eprintln!("skipped: {why}")).ok()
}

/// What a job says while it runs.
struct Errors {
    from: BufReader<ChildStderr>,
    said: String,
}

impl Errors {
    fn of(child: &mut Child) -> Errors {
        Errors { from: BufReader::new(child.stderr.take().unwrap()), said: String::new() }
    }

    /// Waits until it has said this.
    fn wait_for(&mut self, line: &str) {
        while !self.said.contains(line) {
            let more = self.from.read_line(&mut self.said);
            assert!(more.is_ok_and(|count| count > 0), "no `{line}`: {}", self.said);
        }
    }
}

/// What ranks that survive have computed in the end.
fn right_value(ranks: u64, steps: u64) -> u64 {
    (0..steps).fold(0, |value, _| ranks * (value + 1) % 1_000_003)
}

#[test]
fn ranks_are_started_by_ssh_and_reach_each_other() {
    let Some(hosts) = hosts("x", &["alpha", "beta", "gamma"]) else { return };
    let seen = hosts.job(5, "alpha:2,beta:1,gamma:2", &[], &["exchange"]).output().unwrap();
    let (out, errors) = text(&seen);
    assert!(seen.status.success(), "{out}{errors}");
    for (rank, count) in [2, 2, 1, 2, 2].iter().enumerate() {
        assert!(out.contains(&format!("rank {rank} has {count} on its host\n")), "{out}{errors}");
    }
    let seen = hosts.job(2, "alpha,delta", &[], &["exchange"]).output().unwrap();
    let (out, errors) = text(&seen);
    let is_named = errors.starts_with("ftrun: host delta cannot be used: `ssh -F ");
    assert!(is_named && errors.contains("Could not resolve hostname delta"), "{out}{errors}");
}

#[test]
fn a_host_is_killed_with_all_that_runs_on_it() {
    let Some(hosts) = hosts("k", &["alpha", "beta", "gamma"]) else { return };
    let job = |words: &[&str]| hosts.job(6, "alpha:2,beta:2,gamma:2", &["--mode=rebuild"], words);
    let child = hosts.begin(job(&["survive", "3000"]));
    hosts.kill("beta");
    let seen = child.wait_with_output().unwrap();
    let (out, errors) = text(&seen);
    assert_eq!(out, format!("6 ranks, 2 restarted: {}\n", right_value(6, 3000)), "{errors}");
    assert!(errors.contains("ftrun: host beta is lost\n"), "{errors}");
}

#[test]
fn a_link_is_cut_for_a_second_and_then_for_good() {
    /// How long it may take until others have replaced the ranks of a silent host.
    const SILENCE: Duration = Duration::from_millis(4000);
    let Some(hosts) = hosts("c", &["alpha", "beta", "gamma"]) else { return };
    let words = ["survive", "4000"];
    let job = hosts.job(6, "alpha:2,beta:2,gamma:2", &["--mode=rebuild"], &words);
    let mut child = hosts.begin(job);
    let mut errors = Errors::of(&mut child);
    hosts.cut("beta", true);
    std::thread::sleep(Duration::from_secs(1));
    hosts.cut("beta", false);
    let cut = Instant::now();
    hosts.cut("gamma", true);
    errors.wait_for("ftrun: host gamma is lost\n");
    let known = cut.elapsed();
    assert_eq!(hosts.workers("gamma"), [""; 0], "it has ended its ranks before");
    let out = text(&child.wait_with_output().unwrap()).0;
    let said = errors.said;
    assert_eq!(out, format!("6 ranks, 2 restarted: {}\n", right_value(6, 4000)), "{said}");
    assert!(known < SILENCE, "{known:?}");
}

#[test]
fn of_two_hosts_that_do_not_reach_each_other_one_is_given_up() {
    /// How long that may take.
    const SILENCE: Duration = Duration::from_secs(10);
    let Some(hosts) = hosts("v", &["alpha", "beta", "gamma"]) else { return };
    let options = ["--mode=rebuild", "--spares", "alpha"];
    let job = hosts.job(4, "beta:2,gamma:2", &options, &["survive", "6000"]);
    let mut child = hosts.begin(job);
    let mut errors = Errors::of(&mut child);
    hosts.sever("beta", "gamma");
    let cut = Instant::now();
    errors.wait_for("ftrun: hosts gamma and beta do not reach each other: gamma is given up\n");
    let known = cut.elapsed();
    let out = text(&child.wait_with_output().unwrap()).0;
    let said = errors.said;
    assert_eq!(out, format!("4 ranks, 2 restarted: {}\n", right_value(4, 6000)), "{said}");
    assert!(known < SILENCE, "{known:?}");
}

#[test]
fn whoever_cannot_reach_the_coordinator_ends() {
    let Some(hosts) = hosts("o", &["alpha", "beta", "gamma"]) else { return };
    let words = ["survive", "3000"];
    let options = ["--mode=rebuild", "--no-takeover"];
    let job = hosts.job(6, "alpha:2,beta:2,gamma:2", &options, &words);
    let mut child = hosts.begin(job);
    let mut errors = Errors::of(&mut child);
    hosts.cut("alpha", true);
    for name in ["beta", "gamma"] {
        errors.wait_for(&format!("ftrun: host {name} is lost\n"));
        assert_eq!(hosts.workers(name), [""; 0], "{name} has no world of its own");
    }
    let out = text(&child.wait_with_output().unwrap()).0;
    let said = errors.said;
    assert_eq!(out, format!("6 ranks, 4 restarted: {}\n", right_value(6, 3000)), "{said}");
}

#[test]
fn without_the_coordinator_all_end() {
    let Some(hosts) = hosts("w", &["alpha", "beta"]) else { return };
    for signal in ["-KILL", "-STOP"] {
        let options = ["--mode=rebuild", "--no-takeover"];
        let job = hosts.job(4, "alpha:2,beta:2", &options, &["survive", "100000000"]);
        let mut child = hosts.begin(job);
        assert_eq!(hosts.workers("beta").len(), 3);
        let id = child.id().to_string();
        let done = Command::new("kill").args([signal, &id]).status();
        assert!(done.is_ok_and(|status| status.success()));
        let is_over =
            |name: &str| hosts.workers(name).iter().all(|words| words.contains("ftrun -np"));
        wait(5, "all have ended", || is_over("alpha") && is_over("beta"));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Most hosts go on when the one of `ftrun` is lost, killed or cut off; the one that is cut off
/// does not.
#[test]
fn most_hosts_go_on_without_that_of_the_coordinator() {
    let Some(hosts) = hosts("t", &["alpha", "beta", "gamma"]) else { return };
    for is_killed in [false, true] {
        let directory = support::fresh_directory("namespaces_takeover");
        let place = format!("--wdir={}", directory.display());
        let options = ["--mode=rebuild", &place];
        let job = hosts.job(6, "alpha:2,beta:2,gamma:2", &options, &["survive", "3000"]);
        let mut child = hosts.begin(job);
        match is_killed {
            true => hosts.kill("alpha"),
            false => hosts.cut("alpha", true),
        }
        let written = || {
            let files = std::fs::read_dir(&directory).unwrap().flatten();
            files.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect::<String>()
        };
        let last = "ftrun: the job has ended with exit status 0\n";
        wait(60, "the job has ended", || written().contains(last));
        let (rest, value) = (written(), right_value(6, 3000));
        assert!(rest.contains(&format!("6 ranks, 2 restarted: {value}\n")), "{rest}");
        // The lowest host is the first to stand, but may be held up.
        let goes_on = |host| rest.contains(&format!("is lost; host {host} goes on"));
        assert!(goes_on("beta") || goes_on("gamma"), "{rest}");
        let mut errors = Errors::of(&mut child);
        if !is_killed {
            errors.wait_for("ftrun: only 1 of 3 hosts are left");
        }
        assert!(!child.wait().unwrap().success(), "{}", errors.said);
        wait(10, "it has no world of its own", || hosts.workers("alpha").is_empty());
        let is_over = |name: &str| hosts.workers(name).is_empty();
        wait(10, "all agents have ended", || is_over("beta") && is_over("gamma"));
        hosts.cut("alpha", false);
    }
}

#[test]
fn an_allocation_of_slurm_is_served_by_srun_and_survives_the_loss_of_a_host() {
    let Some(mut hosts) = hosts("s", &["alpha", "beta", "gamma"]) else { return };
    if let Err(why) = hosts.allocate() {
        eprintln!("skipped: {why}");
        return;
    }
    let program = support::c("hosts.c").flags(&["-O2"]).build();
    let job = |words: &str, ranks: &str| {
        let mut command = hosts.within_slurm("alpha");
        command.args("salloc -Q --no-kill -N3 --ntasks-per-node=2".split(' '));
        command.arg(support::ftrun()).args(["--timeout", "60", "--mode=rebuild", "-np", ranks]);
        command.arg(program.path()).args(words.split(' ')).env_remove("FTMPI_RANKS");
        command.output().unwrap()
    };
    let seen = job("exchange", "5");
    let (out, errors) = text(&seen);
    assert!(seen.status.success(), "{out}{errors}");
    for (rank, count) in [2, 2, 2, 2, 1].iter().enumerate() {
        assert!(out.contains(&format!("rank {rank} has {count} on its host\n")), "{out}{errors}");
    }
    // The third host has no ranks: it stands in for the one that is lost.
    let (out, errors) = text(&job("survive 300 host 2@60", "4"));
    assert_eq!(out, format!("4 ranks, 2 restarted: {}\n", right_value(4, 300)), "{errors}");
    assert!(errors.contains("ftrun: host beta is lost\n"), "{errors}");
}

#[test]
fn an_allocation_of_slurm_survives_the_loss_of_the_host_of_its_script() {
    let Some(mut hosts) = hosts("b", &["alpha", "beta", "gamma", "delta"]) else { return };
    if let Err(why) = hosts.allocate() {
        eprintln!("skipped: {why}");
        return;
    }
    let program = support::c("hosts.c").flags(&["-O2"]).build();
    let directory = support::fresh_directory("namespaces_batch");
    // Slurm's controller is on the first host.
    let mut command = hosts.within_slurm("beta");
    command.args("salloc -Q --no-kill -N3 -w beta,gamma,delta --ntasks-per-node=2".split(' '));
    command.arg(support::ftrun()).args("--timeout 100 --mode=rebuild -np 6".split(' '));
    command.arg(program.path()).args(["survive", "3000"]).env_remove("FTMPI_RANKS");
    command.current_dir(&directory).stdout(Stdio::null()).stderr(Stdio::null());
    let mut job = hosts.begin(command);
    hosts.kill_at_once("beta");
    assert!(!job.wait().unwrap().success());
    let written = || {
        let files = std::fs::read_dir(&directory).unwrap().flatten();
        files.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect::<String>()
    };
    wait(60, "the job has ended", || {
        written().contains("ftrun: the job has ended with exit status 0\n")
    });
    let (rest, value) = (written(), right_value(6, 3000));
    assert!(rest.contains(&format!("6 ranks, 2 restarted: {value}\n")), "{rest}");
    for name in ["gamma", "delta"] {
        wait(10, "nothing is left", || hosts.workers(name).is_empty());
    }
}

#[test]
fn srun_starts_ranks_by_pmi_and_by_pmix() {
    let Some(mut hosts) = hosts("p", &["alpha", "beta", "gamma"]) else { return };
    if let Err(why) = hosts.allocate() {
        eprintln!("skipped: {why}");
        return;
    }
    let program = support::c("hosts.c").flags(&["-O2"]).build();
    let known = hosts.within_slurm("alpha").args(["srun", "--mpi=list"]).output().unwrap();
    let (out, errors) = text(&known);
    for way in ["pmi2", "pmix"] {
        if !format!("{out}{errors}").contains(way) || (way == "pmix" && !has_pmix()) {
            eprintln!("skipped: {way} (Debian: slurm-wlm-basic-plugins, libpmix2)");
            continue;
        }
        let command = |words: &str| {
            let mut command = hosts.within_slurm("alpha");
            command.args("srun --no-kill --wait=0 -N3 --ntasks-per-node=2 --mpi".split(' '));
            command.arg(way).arg(program.path()).args(words.split(' '));
            command.env("FTMPI_COMM_MODE", "rebuild").env("FTMPI_OPTIONS", "--timeout 60");
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command
        };
        let job = |words: &str| text(&command(words).output().unwrap());
        let (out, errors) = job("exchange");
        for rank in 0..6 {
            let line = format!("rank {rank} has 2 on its host\n");
            assert!(out.contains(&line), "{way}: {out}{errors}");
        }
        for victim in [0, 3] {
            let (out, errors) = job(&format!("survive 300 rank {victim}@60"));
            let right = format!("6 ranks, 1 restarted: {}\n", right_value(6, 300));
            assert_eq!(out, right, "{way}: {errors}");
        }
        // Slurm's own daemon is killed on a host. The ranks there end, and the others go on; srun
        // waits for it.
        let mut waiting = command("survive 300 host 2@60").spawn().unwrap();
        let mut out = String::new();
        BufReader::new(waiting.stdout.take().unwrap()).read_line(&mut out).unwrap();
        waiting.kill().unwrap();
        let seen = waiting.wait_with_output().unwrap();
        let errors = text(&seen).1;
        assert_eq!(out, format!("6 ranks, 2 restarted: {}\n", right_value(6, 300)), "{errors}");
        assert!(errors.contains("ftrun: host beta is lost\n"), "{way}: {errors}");
        for name in ["alpha", "beta", "gamma"] {
            wait(10, "nothing is left", || hosts.workers(name).is_empty());
        }
    }
}

#[test]
fn prterun_and_hydra_start_ranks_on_several_hosts() {
    let Some(hosts) = hosts("l", &["alpha", "beta", "gamma"]) else { return };
    let program = support::c("hosts.c").flags(&["-O2"]).build();
    for launcher in [prterun(), hydra(), intel()].into_iter().flatten() {
        let run = |options: &[&str], words: &str| {
            let mut command = launcher.on(&hosts, 2);
            command.args(options).arg(program.path()).args(words.split(' '));
            command.env("FTMPI_COMM_MODE", "rebuild").env("FTMPI_OPTIONS", "--timeout 60");
            text(&command.output().unwrap())
        };
        let (out, errors) = run(&[], "exchange");
        for rank in 0..6 {
            let line = format!("rank {rank} has 2 on its host\n");
            assert!(out.contains(&line), "{launcher:?}: {out}{errors}");
        }
        for victim in [0, 3] {
            let Some(options) = launcher.goes_on else { continue };
            let (out, errors) = run(options, &format!("survive 300 rank {victim}@60"));
            let right = format!("6 ranks, 1 restarted: {}\n", right_value(6, 300));
            assert!(out.contains(&right), "{launcher:?}: {out}{errors}");
        }
        launcher.leaves_nothing();
    }
}

#[test]
fn ranks_that_do_not_find_pmix_under_srun_say_what_to_install() {
    let Some(mut hosts) = hosts("m", &["alpha", "beta"]) else { return };
    if let Err(why) = hosts.allocate() {
        eprintln!("skipped: {why}");
        return;
    }
    if !has_pmix() || !can_hide_pmix() {
        return;
    }
    let program = support::c("hosts.c").flags(&["-O2"]).build();
    let mut command = hosts.within_slurm("alpha");
    command.args("srun -N2 --ntasks-per-node=2 --mpi=pmix".split(' ')).args(WITHOUT_PMIX);
    let seen = command.arg(program.path()).arg("exchange").output().unwrap();
    let (out, errors) = text(&seen);
    assert!(errors.contains(NO_PMIX) && out.is_empty(), "{out}{errors}");
    assert!(!seen.status.success(), "{errors}");
}

fn has_pmix() -> bool {
    let listed = Command::new("/sbin/ldconfig").arg("-p").output().map(|seen| seen.stdout);
    String::from_utf8_lossy(&listed.unwrap_or_default()).contains("libpmix.so.2")
}
