//! Random faults of processes, hosts and links, again and again, on three to six hosts that are
//! network namespaces, under SHRINK and BLANK: whatever a call that succeeded has written is right,
//! nothing hangs, and all that was not lost is there in the end. Needs root, `ip` and `sshd`.
//!
//! | variable | meaning |
//! |---|---|
//! | `FTMPI_HOST_FAULTS=300` | goes on until there were so many faults |
//! | `FTMPI_HOST_SEED=7` | begins with this seed: that of a job that failed |
//!
//!     FTMPI_HOST_FAULTS=300 cargo test --release --test hosts_random -- --nocapture

use ftmpi_base::random::Random;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use support::Program;
use support::namespaces::Hosts;

const NAMES: [&str; 6] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];

/// How many ranks each host has.
const EACH: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// A rank is killed.
    Rank,
    /// A host is killed with all that runs there.
    Host,
    /// The agent of a host is killed, and ranks end without it.
    Agent,
    /// A host is cut off for good, without a word.
    Cut,
    /// A host is cut off for so many milliseconds, and nobody is lost.
    Pause(u64),
    /// Two hosts do not reach each other any more: one of them is given up.
    Severed,
    /// `ftrun` is killed, and another host takes over.
    Coordinator,
}

/// A job, and what is left of it.
struct Storm {
    hosts: Hosts,
    directory: PathBuf,
    ftrun: Child,
    is_ftrun_alive: bool,
    /// The hosts that are not lost.
    living: Vec<&'static str>,
    /// Those that can have ranks.
    inhabited: BTreeSet<&'static str>,
    /// The ranks that were killed one by one.
    killed: BTreeSet<u32>,
    is_severed: bool,
    /// The hosts that were cut off for a moment.
    paused: BTreeSet<&'static str>,
}

impl Storm {
    fn begin(program: &Program, mode: &str, count: usize, seed: u64) -> Result<Storm, String> {
        let names = &NAMES[..count];
        let hosts = Hosts::start("r", names)?;
        let directory = support::fresh_directory("hosts_random");
        let all: Vec<String> = names.iter().map(|name| format!("{name}:{EACH}")).collect();
        let (place, mode_of_job) =
            (format!("--wdir={}", directory.display()), format!("--mode={mode}"));
        let calm = directory.join("calm").display().to_string();
        let words = [mode, "noop", "0", &seed.to_string(), &calm];
        let ranks = (count * EACH, &all.join(",")[..]);
        let mut job = hosts.job_of(program, ranks, &[&mode_of_job, &place], &words);
        let output = |name: &str| fs::File::create(directory.join(name)).expect("there is room");
        job.env("APART", "1").stdout(output("out")).stderr(output("errors"));
        let ftrun = hosts.begin(job);
        Ok(Storm {
            hosts,
            directory,
            ftrun,
            is_ftrun_alive: true,
            living: names.to_vec(),
            inhabited: names.iter().copied().collect(),
            killed: BTreeSet::new(),
            is_severed: false,
            paused: BTreeSet::new(),
        })
    }

    /// All that `ftrun` has said, and whoever has taken over from it.
    fn said(&self) -> String {
        let files = fs::read_dir(&self.directory).expect("it is there").flatten();
        files.map(|file| fs::read_to_string(file.path()).unwrap_or_default()).collect()
    }

    fn wait_for(&self, what: impl Fn(&str) -> bool, words: &str) {
        let until = Instant::now() + Duration::from_secs(60);
        while !what(&self.said()) {
            assert!(Instant::now() < until, "{words} has not come: {}", self.said());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The ranks on a host that have not been killed.
    fn ranks(&self, name: &str) -> Vec<u32> {
        let all = self.hosts.processes(name).into_iter();
        let is_rank = |words: &str| words.contains("storm") && !words.contains("ftrun");
        let ranks = all.filter(|(process, words)| is_rank(words) && !self.killed.contains(process));
        ranks.map(|(process, _)| process).collect()
    }

    fn all_ranks(&self) -> usize {
        self.inhabited.iter().map(|name| self.ranks(name).len()).sum()
    }

    /// The host of the coordinator.
    fn seat(&self) -> String {
        let said = self.said();
        let last = said.lines().rev().find_map(|line| {
            let rest = line.strip_prefix("ftrun: the coordinator is lost; host ")?;
            rest.split(' ').next()
        });
        last.unwrap_or(NAMES[0]).to_string()
    }

    fn takeovers(&self) -> usize {
        self.said().matches("the coordinator is lost; host ").count()
    }

    /// A host that may be lost: others are left, enough of them, and they have ranks. Where all
    /// that are left are needed for a majority, and hear nothing of the coordinator, one that is
    /// held up may cost them their leases.
    fn victim(&self, fault: Fault, random: &mut Random) -> Option<&'static str> {
        let seat = self.seat();
        let may_go = |name: &&&'static str| {
            let others = self.all_ranks() - self.ranks(name).len();
            let enough = match fault {
                _ if **name != seat => 2,
                Fault::Cut => 5,
                _ => 3,
            };
            // Those that do not reach each other cannot vote for each other.
            let is_safe = !self.is_severed || **name != seat;
            !self.ranks(name).is_empty() && others > 1 && self.living.len() >= enough && is_safe
        };
        let able: Vec<&&str> = self.living.iter().filter(may_go).collect();
        (!able.is_empty()).then(|| *able[random.below(able.len() as u64) as usize])
    }

    /// Waits until a host is out.
    fn lose(&mut self, name: &'static str, was_seat: bool, takeovers: usize) {
        if was_seat {
            self.is_ftrun_alive = false;
            let is_over = |_: &str| self.takeovers() > takeovers;
            self.wait_for(is_over, &format!("a coordinator instead of {name}"));
        }
        let line = format!("ftrun: host {name} is lost\n");
        // Its ranks may have been told of one by one before: then nothing is left to lose.
        let first = EACH * NAMES.iter().position(|known| *known == name).expect("it is one");
        let is_gone = |said: &str, rank| said.contains(&format!("ftrun: rank {rank} was "));
        let is_told = |said: &str| {
            said.contains(&line) || (first..first + EACH).all(|rank| is_gone(said, rank))
        };
        self.wait_for(is_told, &line);
        self.living.retain(|living| *living != name);
        self.inhabited.remove(name);
    }

    /// Lets a fault happen, if it may; what it was.
    fn suffer(&mut self, fault: Fault, random: &mut Random) -> Option<String> {
        let takeovers = self.takeovers();
        match fault {
            Fault::Rank => {
                let all: Vec<u32> =
                    self.inhabited.iter().flat_map(|name| self.ranks(name)).collect();
                if all.len() < 3 {
                    return None;
                }
                let process = all[random.below(all.len() as u64) as usize];
                self.killed.insert(process);
                kill(process);
                Some(format!("process {process} is killed"))
            }
            Fault::Host | Fault::Agent | Fault::Cut => {
                let name = self.victim(fault, random)?;
                let was_seat = name == self.seat();
                match fault {
                    Fault::Host => self.hosts.kill(name),
                    Fault::Cut => self.hosts.cut(name, true),
                    // The host of ftrun itself has an agent besides.
                    _ if was_seat => return None,
                    _ => self.agents(name).into_iter().for_each(kill),
                }
                self.lose(name, was_seat, takeovers);
                Some(format!("{fault:?} {name}"))
            }
            Fault::Pause(milliseconds) => {
                // What TCP has lost meanwhile it repeats after up to as long again: then the others
                // may have had enough of a coordinator, and a second cut may last beyond a lease.
                const LONGEST_OF_COORDINATOR: u64 = 500;
                let able: Vec<&'static str> = self
                    .living
                    .iter()
                    .copied()
                    .filter(|name| !self.paused.contains(name))
                    .collect();
                if able.is_empty() {
                    return None;
                }
                let name = able[random.below(able.len() as u64) as usize];
                self.paused.insert(name);
                let longest = if name == self.seat() { LONGEST_OF_COORDINATOR } else { u64::MAX };
                let milliseconds = milliseconds.min(longest);
                self.hosts.cut(name, true);
                std::thread::sleep(Duration::from_millis(milliseconds));
                self.hosts.cut(name, false);
                Some(format!("{name} is cut off for {milliseconds} ms"))
            }
            Fault::Severed => self.sever(random),
            Fault::Coordinator => {
                if !self.is_ftrun_alive || self.living.len() < 2 || self.is_severed {
                    return None;
                }
                self.ftrun.kill().expect("it lives");
                self.is_ftrun_alive = false;
                self.wait_for(|_| self.takeovers() > takeovers, "a coordinator");
                Some("ftrun is killed".to_string())
            }
        }
    }

    fn sever(&mut self, random: &mut Random) -> Option<String> {
        let hosts: Vec<&'static str> = self.inhabited.iter().copied().collect();
        let [one, other] = [0, 0].map(|_: usize| hosts[random.below(hosts.len() as u64) as usize]);
        let seat = self.seat();
        let are_apart = one != other && one != seat && other != seat;
        let left = [one, other].map(|name| self.all_ranks() - self.ranks(name).len());
        let have_ranks = [one, other].iter().all(|name| !self.ranks(name).is_empty());
        if self.is_severed || !are_apart || !have_ranks || left.iter().any(|left| *left < 2) {
            return None;
        }
        self.is_severed = true;
        self.hosts.sever(one, other);
        self.wait_for(|said| said.contains(" do not reach each other: "), "a host given up");
        let gone = if self.said().contains(&format!(": {one} is given up")) { one } else { other };
        self.inhabited.remove(gone);
        Some(format!("{one} and {other} are severed: {gone} is given up"))
    }

    /// A process of the job. An ssh that `ftrun` had started knows nothing of a cut once `ftrun` is
    /// killed.
    fn left_over(&self) -> Option<String> {
        let all = self.hosts.names().iter().flat_map(|name| self.hosts.workers(name));
        let mut all = all.filter(|words| self.is_ftrun_alive || !words.starts_with("ssh "));
        all.next()
    }

    fn agents(&self, name: &str) -> Vec<u32> {
        let all = self.hosts.processes(name).into_iter();
        all.filter(|(_, words)| words.contains("--agent-of")).map(|(process, _)| process).collect()
    }

    /// Lets the storm end: those that are left have found nothing wrong.
    fn end(mut self, left: usize) {
        fs::write(self.directory.join("calm"), "").expect("there is room");
        let is_alive = self.is_ftrun_alive;
        if is_alive {
            let status = self.ftrun.wait().expect("it is a child");
            assert!(status.success(), "{}", self.said());
        } else {
            let last = "ftrun: the job has ended with exit status 0\n";
            self.wait_for(|said| said.contains(last), "the end of the job");
            // It may be cut off, and ends all the same.
            let _status = self.ftrun.wait().expect("it is a child");
        }
        let said = self.said();
        let line = said.lines().find(|line| line.contains(" deaths, ")).unwrap_or_default();
        assert!(line.contains(&format!(" deaths, {left} of ")), "{left} are left: {said}");
        assert!(!said.contains("WRONG"), "{said}");
        let until = Instant::now() + Duration::from_secs(20);
        while let Some(left) = self.left_over() {
            assert!(Instant::now() < until, "{left} is left: {}", self.said());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn kill(process: u32) {
    // It may have ended by itself meanwhile.
    let _gone = Command::new("kill").args(["-9", &process.to_string()]).status();
}

fn fault(random: &mut Random) -> Fault {
    match random.below(20) {
        0..=7 => Fault::Rank,
        8..=10 => Fault::Host,
        11..=12 => Fault::Agent,
        13..=14 => Fault::Cut,
        15..=16 => Fault::Pause(50 + random.below(850)),
        17 => Fault::Severed,
        _ => Fault::Coordinator,
    }
}

/// One job with some faults; how many there were.
fn job(program: &Program, seed: u64) -> Result<usize, String> {
    let random = &mut Random::new(seed);
    let (mode, count) = (["shrink", "blank"][seed as usize % 2], 3 + random.below(4) as usize);
    println!("seed {seed}: {count} hosts, {mode}");
    let mut storm = Storm::begin(program, mode, count, seed)?;
    let mut faults = 0;
    for _ in 0..3 + random.below(5) {
        std::thread::sleep(Duration::from_millis(random.below(250)));
        if let Some(what) = storm.suffer(fault(random), random) {
            println!("  {what}");
            faults += 1;
        }
    }
    let left = storm.all_ranks();
    storm.end(left);
    Ok(faults)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn whatever_hosts_and_links_are_lost_the_others_go_on_with_the_right_results() {
    let program = support::c("storm.c").flags(&["-O2", "-g", "-Iinclude"]).build();
    let wanted = number("FTMPI_HOST_FAULTS").unwrap_or(8) as usize;
    let mut seed = number("FTMPI_HOST_SEED").unwrap_or(1);
    let (mut faults, begun) = (0, Instant::now());
    while faults < wanted {
        match job(&program, seed) {
            Ok(count) => faults += count,
            Err(why) => return eprintln!("skipped: {why}"),
        }
        seed += 1;
        println!("{faults} faults, {:.0} s", begun.elapsed().as_secs_f64());
    }
}
