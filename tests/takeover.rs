//! A job on several hosts whose coordinator is lost: all hosts are this one (`--agent 'sh -c'`).

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::hosts::has_ucx;

/// Kills whoever `KILLS` names, in the order `RANK CALL WHOM` for each: `ftrun`, the `agent` of the
/// rank's host, both of them, that agent once it has taken over (`next`), or the rank `self`. The
/// signal for `ftrun` is `WITH`.
const KILLER: &str = r#"
    #include <glob.h>
    #include <mpi.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    static int parent_of(int process)
    {
        char name[64], line[256];
        int parent = 0;
        snprintf(name, sizeof name, "/proc/%d/status", process);
        FILE *file = fopen(name, "r");
        while (file && fgets(line, sizeof line, file))
            sscanf(line, "PPid: %d", &parent);
        if (file)
            fclose(file);
        return parent;
    }
    int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm)
    {
        static int calls;
        const char *rank = getenv("PMI_RANK"), *life = getenv("FTMPI_INCARNATION");
        const char *kills = getenv("KILLS"), *with = getenv("WITH");
        int who, when, length;
        char whom[16];
        calls++;
        while (kills && rank && life && !strcmp(life, "0")
               && sscanf(kills, "%d %d %15s%n", &who, &when, whom, &length) == 3) {
            kills += length;
            if (who != atoi(rank) || when != calls)
                continue;
            int agent = getppid(), coordinator = parent_of(agent);
            if (!strcmp(whom, "ftrun") || !strcmp(whom, "both"))
                kill(coordinator, with ? atoi(with) : SIGKILL);
            // Who is asked to end does so in its own time: the job is not to be over before.
            while (with)
                pause();
            if (!strcmp(whom, "agent") || !strcmp(whom, "both"))
                kill(agent, SIGKILL);
            if (!strcmp(whom, "next")) {
                glob_t found;
                while (glob("ftrun.*.out", 0, NULL, &found))
                    usleep(1000);
                kill(agent, SIGKILL);
            }
            if (!strcmp(whom, "self"))
                kill(getpid(), SIGKILL);
        }
        return PMPI_Allreduce(mine, all, count, type, op, comm);
    }
"#;

/// How long everything may take.
const DEADLINE: Duration = Duration::from_secs(120);

/// A job that solves a system, in a directory of its own.
struct Job {
    ftrun: Child,
    directory: PathBuf,
}

impl Job {
    /// On these hosts, with these deaths and options.
    fn start(test: &str, hosts: &str, kills: &str, options: &[&str]) -> Job {
        let pcg = support::c("c_examples/pcg.c").flags(&["-O2", "-lm"]).build();
        let library = support::c_text("takeover_killer", KILLER).library("takeover_killer");
        let directory = support::fresh_directory(&format!("takeover_{test}"));
        let mut command = Command::new(support::ftrun());
        command.args(["-np", "6", "--mode=rebuild", "--agent", "sh -c", "--hosts", hosts]);
        command.arg("-x").arg(format!("LD_PRELOAD={}", library.path().display()));
        command.args(["-x", &format!("KILLS={kills}")]).args(options).arg(pcg.path());
        let words = "--poisson 7 --order 3000 --iterations 100 --scheme rs:2 --every 20";
        command.args(words.split(' ')).env_remove("FTMPI_RANKS").current_dir(&directory);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Job { ftrun: command.spawn().unwrap(), directory }
    }

    /// What `ftrun` has said, once it has ended, and the signal that has ended it.
    fn end(&mut self) -> (String, std::process::ExitStatus) {
        use std::io::Read;
        let status = self.ftrun.wait().unwrap();
        let (mut said, mut errors) = (String::new(), String::new());
        self.ftrun.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        self.ftrun.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (said + &errors, status)
    }

    /// What is written after `ftrun` is lost, when nothing of the job is left.
    fn rest(&self) -> String {
        let until = Instant::now() + DEADLINE;
        while let Some(process) = processes_in(&self.directory).first() {
            let file = self.written();
            assert!(Instant::now() < until, "process {process} is left: {file}");
            std::thread::sleep(Duration::from_millis(10));
        }
        self.written()
    }

    fn written(&self) -> String {
        let name = format!("ftrun.{}.out", self.ftrun.id());
        std::fs::read_to_string(self.directory.join(name)).unwrap_or_default()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // It has ended, most likely.
        let _gone = self.ftrun.kill();
        for process in processes_in(&self.directory) {
            let mut command = Command::new("kill");
            _ = command.args(["-9", &process.to_string()]).status();
        }
    }
}

/// The processes whose working directory that is: all of a job's but `ftrun` that has ended.
fn processes_in(directory: &Path) -> Vec<u32> {
    let there = |process: &u32| {
        std::fs::read_link(format!("/proc/{process}/cwd")).is_ok_and(|path| path == directory)
    };
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    all.filter(there).collect()
}

fn residual(text: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix("residual "));
    let line = line.unwrap_or_else(|| panic!("no residual: {text}"));
    line.split(' ').next().unwrap().to_string()
}

/// The residual of a job in which nothing happens.
fn right() -> String {
    let mut job = Job::start("right", "a:2,b:2,c:2", "", &[]);
    residual(&job.end().0)
}

/// Runs a job whose coordinator is killed; it comes to its end with the right residual. What was
/// written then.
fn survives(test: &str, hosts: &str, kills: &str) -> String {
    let mut job = Job::start(test, hosts, kills, &[]);
    let (said, status) = job.end();
    assert!(!status.success(), "it was killed: {said}");
    let rest = job.rest();
    assert!(rest.contains("ftrun: the job has ended with exit status 0\n"), "{said}\n{rest}");
    assert_eq!(residual(&rest), right(), "{said}\n{rest}");
    rest
}

#[test]
fn a_job_goes_on_when_its_coordinator_is_killed() {
    if !has_ucx() {
        return;
    }
    let rest = survives("plain", "a:2,b:2,c:2", "2 150 ftrun");
    assert!(rest.starts_with("ftrun: the coordinator is lost; host a goes on"), "{rest}");
}

#[test]
fn ranks_are_replaced_after_a_takeover_and_at_the_same_time() {
    if !has_ucx() {
        return;
    }
    let rest = survives("later", "a:2,b:2,c:2", "2 100 ftrun 4 170 self");
    assert!(rest.contains("ftrun: rank 4 was killed (SIGKILL) on c"), "{rest}");
    survives("at_once", "a:2,b:2,c:2", "2 150 ftrun 4 150 self 1 151 self");
}

#[test]
fn a_second_coordinator_is_lost_too() {
    if !has_ucx() {
        return;
    }
    // The one that takes over is on the lowest host.
    let rest = survives("second", "a:2,b:2,c:1,d:1", "2 100 ftrun 0 150 next");
    assert!(rest.contains("the coordinator is lost; host b goes on"), "{rest}");
}

#[test]
fn a_job_goes_on_without_the_host_of_its_coordinator() {
    if !has_ucx() {
        return;
    }
    let rest = survives("host", "a:2,b:2,c:2", "0 150 both");
    assert!(rest.contains("the coordinator is lost; host b goes on"), "{rest}");
}

/// It is the one with the highest number, which those that go on know only by its name.
#[test]
fn a_job_goes_on_without_its_last_host_which_is_lost_with_the_coordinator() {
    if !has_ucx() {
        return;
    }
    let rest = survives("last", "a:2,b:1,c:1,d:1,e:1", "5 150 both");
    assert!(rest.contains("ftrun: host e is lost\n"), "{rest}");
}

#[test]
fn one_of_two_hosts_ends_alone() {
    if !has_ucx() {
        return;
    }
    let mut job = Job::start("two", "a:4,b:2", "0 150 both", &[]);
    job.end();
    let rest = job.rest();
    assert!(rest.contains("ftrun: host b reaches neither ftrun nor most of the other"), "{rest}");
    assert!(!rest.contains("goes on"), "{rest}");
}

#[test]
fn a_signal_that_asks_ftrun_to_end_ends_the_job() {
    if !has_ucx() {
        return;
    }
    use std::os::unix::process::ExitStatusExt;
    for signal in [2, 15] {
        let with = format!("WITH={signal}");
        let mut job = Job::start("signal", "a:2,b:2,c:2", "2 150 ftrun", &["-x", &with]);
        let (said, status) = job.end();
        assert_eq!(status.signal(), Some(signal), "{said}");
        assert_eq!(job.rest(), "", "nobody takes over");
    }
}

#[test]
fn a_job_that_wants_no_takeover_ends_with_its_coordinator() {
    if !has_ucx() {
        return;
    }
    let mut job = Job::start("none", "a:2,b:2,c:2", "2 150 ftrun", &["--no-takeover"]);
    job.end();
    assert_eq!(job.rest(), "");
}
