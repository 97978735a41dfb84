//! Jobs on several hosts that are this one, in which somebody kills the coordinator.

use super::Program;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Kills whoever `KILLS` names, in the order `RANK CALL WHOM` for each: `ftrun`, the `agent` of the
/// rank's host, both of them, that agent once it has taken over (`next`), or the rank `self`.
/// `killN` has rank N killed by the library, `abort` ends the job, and `hold` suspends the agent
/// for 1.2 s. The signal for `ftrun` is `WITH`. `away` moves the files that `ftrun` writes to where
/// nobody else finds them. With `COUNT`, each rank that finalizes MPI tells how many calls it has
/// made.
const KILLER: &str = r#"
    #include <ftmpi.h>
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
    static int calls;
    int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm)
    {
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
            while (with && atoi(with) != SIGSTOP)
                pause();
            if (!strcmp(whom, "agent") || !strcmp(whom, "both"))
                kill(agent, SIGKILL);
            if (!strcmp(whom, "next")) {
                glob_t found;
                while (glob("ftrun.*.out", 0, NULL, &found))
                    usleep(1000);
                kill(agent, SIGKILL);
            }
            if (!strcmp(whom, "away")) {
                rename("report.json", "away.json");
                rename("trace.csv", "away.csv");
            }
            if (!strcmp(whom, "self"))
                kill(getpid(), SIGKILL);
            if (!strcmp(whom, "hold")) {
                kill(agent, SIGSTOP);
                if (!fork()) {
                    usleep(1200000);
                    kill(agent, SIGCONT);
                    _exit(0);
                }
            }
            if (!strncmp(whom, "kill", 4))
                ftmpi_kill(atoi(whom + 4));
            if (!strcmp(whom, "abort"))
                MPI_Abort(MPI_COMM_WORLD, 7);
        }
        return PMPI_Allreduce(mine, all, count, type, op, comm);
    }
    int MPI_Finalize(void)
    {
        const char *rank = getenv("PMI_RANK"), *life = getenv("FTMPI_INCARNATION");
        if (getenv("COUNT"))
            printf("life %s,%s: %d calls\n", rank, life, calls);
        return PMPI_Finalize();
    }
"#;

/// How long everything may take.
const DEADLINE: Duration = Duration::from_secs(120);

/// A job, in a directory of its own.
pub struct Job {
    pub ftrun: Child,
    pub directory: PathBuf,
}

impl Job {
    /// One that solves a system, on these hosts, with these deaths and options.
    pub fn start(test: &str, hosts: &str, kills: &str, options: &[&str]) -> Job {
        let pcg = super::c("c_examples/pcg.c").flags(&["-O2", "-lm"]).build();
        let words = "--poisson 7 --order 3000 --iterations 100 --scheme rs:2 --every 20";
        Job::struck(&pcg, test, hosts, kills, options, words)
    }

    /// One that runs this program with these words, and these deaths.
    pub fn struck(
        program: &Program, test: &str, hosts: &str, kills: &str, options: &[&str], words: &str,
    ) -> Job {
        let library = super::c_text("takeover_killer", KILLER).library("takeover_killer");
        let library = format!("LD_PRELOAD={}", library.path().display());
        let kills = format!("KILLS={kills}");
        let options = [&["-x", &library, "-x", &kills], options].concat();
        Job::of(program, test, hosts, &options, words)
    }

    /// One that runs this program with these words.
    pub fn of(program: &Program, test: &str, hosts: &str, options: &[&str], words: &str) -> Job {
        let directory = super::fresh_directory(&format!("takeover_{test}"));
        // In the background, or under `nohup`, tests may have been told to ignore some signals.
        let mut command = Command::new("env");
        command.arg("--default-signal").arg(super::ftrun());
        command.args(["-np", "6", "--mode=rebuild", "--agent", "sh -c", "--hosts", hosts]);
        command.args(options).arg(program.path()).args(words.split_whitespace());
        command.env_remove("FTMPI_RANKS").current_dir(&directory);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Job { ftrun: command.spawn().expect("env is there"), directory }
    }

    /// What `ftrun` has said, once it has ended, and the signal that has ended it.
    pub fn end(&mut self) -> (String, ExitStatus) {
        let status = self.ftrun.wait().expect("it is a child");
        let (mut said, mut errors) = (String::new(), String::new());
        let (out, err) = (self.ftrun.stdout.take(), self.ftrun.stderr.take());
        out.expect("it is a pipe").read_to_string(&mut said).expect("it is text");
        err.expect("it is a pipe").read_to_string(&mut errors).expect("it is text");
        (said + &errors, status)
    }

    /// What is written after `ftrun` is lost, when nothing of the job is left.
    pub fn rest(&self) -> String {
        let until = Instant::now() + DEADLINE;
        while let Some(process) = processes_in(&self.directory).first() {
            let file = self.written();
            assert!(Instant::now() < until, "process {process} is left: {file}");
            std::thread::sleep(Duration::from_millis(10));
        }
        self.written()
    }

    /// What is written so far.
    pub fn written(&self) -> String {
        self.read(&format!("ftrun.{}.out", self.ftrun.id()))
    }

    /// A file in the job's directory; empty if there is none.
    pub fn read(&self, name: &str) -> String {
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
pub fn processes_in(directory: &Path) -> Vec<u32> {
    let there = |process: &u32| {
        std::fs::read_link(format!("/proc/{process}/cwd")).is_ok_and(|path| path == directory)
    };
    let all = std::fs::read_dir("/proc").expect("it is there").flatten();
    let all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    all.filter(there).collect()
}

/// The residual that a job which solves a system has printed.
pub fn residual(text: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix("residual "));
    let line = line.unwrap_or_else(|| panic!("no residual: {text}"));
    line.split(' ').next().expect("a number").to_string()
}

/// The residual of a job in which nothing happens.
pub fn right() -> String {
    let mut job = Job::start("right", "a:2,b:2,c:2", "", &[]);
    residual(&job.end().0)
}

/// Waits for the end of a job whose coordinator is killed: what was said before, and written then.
pub fn comes_to_its_end(job: &mut Job, right: &str) -> (String, String) {
    let (said, status) = job.end();
    assert!(!status.success(), "it was killed: {said}");
    let rest = job.rest();
    assert!(rest.contains("ftrun: the job has ended with exit status 0\n"), "{said}\n{rest}");
    assert_eq!(residual(&rest), right, "{said}\n{rest}");
    (said, rest)
}

/// The life of each death that lines of output tell.
pub fn deaths(text: &str) -> Vec<String> {
    let died = |line: &str| {
        let words = line.strip_prefix("ftrun: rank ")?;
        let rank: String = words.chars().take_while(char::is_ascii_digit).collect();
        let life = words
            .split_once(" (incarnation ")
            .map_or("0", |(_, rest)| rest.split_once(')').expect("it is closed").0);
        let is_death = words.contains(" was killed ") || words.contains(" was lost ");
        is_death.then(|| format!("{rank}.{life}"))
    };
    let mut all: Vec<String> = text.lines().filter_map(died).collect();
    all.sort();
    all.dedup();
    all
}

/// Waits until this is so.
pub fn wait(mut what: impl FnMut() -> bool) {
    let until = Instant::now() + DEADLINE;
    while !what() {
        assert!(Instant::now() < until, "it has not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}
