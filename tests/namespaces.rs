//! Jobs on hosts that are network namespaces, each with a name and an ssh daemon of its own: the
//! whole way, from the host's name to the loss of the host. Needs root, `ip` and `sshd`; nothing
//! leaves this machine.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::launchers::{NO_PMIX, WITHOUT_PMIX, can_hide_pmix};

/// Hosts that are connected with each other, and with nothing else.
struct Hosts {
    prefix: String,
    names: Vec<String>,
    directory: PathBuf,
    daemons: Vec<Child>,
}

fn ip(words: &str) -> Result<Output, String> {
    let seen = Command::new("ip").args(words.split(' ')).output();
    let seen = seen.map_err(|error| format!("ip: {error}"))?;
    match seen.status.success() {
        true => Ok(seen),
        false => Err(format!("ip {words}: {}", String::from_utf8_lossy(&seen.stderr).trim())),
    }
}

impl Hosts {
    /// So many hosts, or why there can be none here.
    fn start(test: &str, names: &[&str]) -> Result<Hosts, String> {
        let prefix = format!("ft{}{}", std::process::id(), test);
        let directory = support::fresh_directory(&format!("namespaces_{test}"));
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let mut hosts = Hosts { prefix, names, directory, daemons: Vec::new() };
        hosts.connect()?;
        hosts.listen()?;
        Ok(hosts)
    }

    fn space(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }

    fn connect(&self) -> Result<(), String> {
        let hub = self.space("hub");
        ip(&format!("netns add {hub}"))?;
        ip(&format!("-n {hub} link add bridge type bridge"))?;
        ip(&format!("-n {hub} link set bridge up"))?;
        for (number, name) in (1..).zip(&self.names) {
            let space = self.space(name);
            ip(&format!("netns add {space}"))?;
            ip(&format!("-n {space} link set lo up"))?;
            ip(&format!("-n {space} link add wire type veth peer name {name} netns {hub}"))?;
            ip(&format!("-n {hub} link set {name} master bridge up"))?;
            ip(&format!("-n {space} addr add 10.99.0.{number}/24 dev wire"))?;
            ip(&format!("-n {space} link set wire up"))?;
        }
        Ok(())
    }

    /// Starts an ssh daemon on each, and writes how to reach them.
    fn listen(&mut self) -> Result<(), String> {
        let sshd = Path::new("/usr/sbin/sshd");
        if !sshd.exists() || !support::has("ssh") {
            return Err("there is no sshd, or no ssh (Debian: openssh-server)".to_string());
        }
        std::fs::create_dir_all("/run/sshd").map_err(|error| format!("/run/sshd: {error}"))?;
        let at = |name: &str| self.directory.join(name).display().to_string();
        let key = at("key");
        let mut make = Command::new("ssh-keygen");
        make.args(["-q", "-t", "ed25519", "-N", "", "-f", &key]);
        if !make.status().is_ok_and(|status| status.success()) {
            return Err("ssh-keygen makes no key".to_string());
        }
        let daemon = format!(
            "HostKey {key}\nAuthorizedKeysFile {key}.pub\nStrictModes no\nUsePAM no\n\
             PermitRootLogin yes\nPidFile none\n"
        );
        std::fs::write(at("daemon"), daemon).unwrap();
        let mut client = String::new();
        for (number, name) in (1..).zip(&self.names) {
            client += &format!("Host {name}\n  HostName 10.99.0.{number}\n");
        }
        client += &format!(
            "Host *\n  IdentityFile {key}\n  StrictHostKeyChecking no\n  UserKnownHostsFile {}\n  \
             LogLevel ERROR\n  BatchMode yes\n",
            at("known")
        );
        std::fs::write(at("client"), client).unwrap();
        for name in &self.names {
            let script = format!("hostname {name}; exec {} -D -f {}", sshd.display(), at("daemon"));
            let mut command = Command::new("ip");
            command.args(["netns", "exec", &self.space(name), "unshare", "--uts", "sh", "-c"]);
            command.arg(script).stdin(Stdio::null()).stderr(Stdio::null());
            let daemon = command.spawn().map_err(|error| format!("ip: {error}"))?;
            self.daemons.push(daemon);
        }
        let until = Instant::now() + Duration::from_secs(20);
        for name in &self.names {
            while !self.on(name, &["true"]).output().is_ok_and(|seen| seen.status.success()) {
                if Instant::now() > until {
                    return Err(format!("the ssh daemon of {name} does not answer"));
                }
            }
        }
        Ok(())
    }

    /// Starts Slurm's daemons, the controller on the first host; waits until they are ready.
    fn allocate(&mut self) -> Result<(), String> {
        let daemons = ["/usr/sbin/slurmctld", "/usr/sbin/slurmd"];
        if !daemons.iter().all(|path| Path::new(path).exists()) {
            return Err("there is no Slurm (Debian: slurm-wlm)".to_string());
        }
        let here = self.directory.display().to_string();
        let mut settings = format!(
            "ClusterName=hosts\nSlurmctldHost={}(10.99.0.1)\nAuthType=auth/none\n\
             CredType=cred/none\nSlurmUser=root\nSlurmdUser=root\nMpiDefault=none\n\
             StateSaveLocation={here}/state\nSlurmdSpoolDir={here}/spool-%n\n\
             SlurmctldPidFile={here}/controller.pid\nSlurmdPidFile={here}/%n.pid\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nReturnToService=2\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nSlurmdTimeout=0\n\
             TmpFS={here}/tmp-%n\nPartitionName=all Nodes=ALL Default=YES\n",
            self.names[0]
        );
        std::fs::create_dir_all(self.directory.join("state")).unwrap();
        std::fs::create_dir_all(self.directory.join("groups")).unwrap();
        for (number, name) in (1..).zip(&self.names) {
            // PMIx has files there, by names that do not differ between hosts.
            std::fs::create_dir_all(self.directory.join(format!("tmp-{name}"))).unwrap();
            settings += &format!("NodeName={name} NodeAddr=10.99.0.{number} CPUs=2\n");
        }
        std::fs::write(self.directory.join("slurm.conf"), settings).unwrap();
        let start = |name: &str, words: &[&str]| {
            let mut command = self.within_slurm(name);
            command.args(words).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().map_err(|error| format!("unshare: {error}"))
        };
        let mut started = vec![start(&self.names[0], &[daemons[0], "-D"])?];
        for name in &self.names {
            started.push(start(name, &[daemons[1], "-D", "-N", name])?);
        }
        self.daemons.extend(started);
        let ready = format!("{}-idle", self.names.len());
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let mut ask = self.within_slurm(&self.names[0]);
            let seen = ask.args(["sinfo", "-h", "-o", "%D-%t"]).output();
            let seen = seen.map_err(|error| format!("unshare: {error}"))?;
            if text(&seen).0.trim() == ready {
                return Ok(());
            }
            if Instant::now() > until {
                return Err(format!("Slurm does not begin: {}", text(&seen).0));
            }
        }
    }

    /// A command on a host, as Slurm's daemons are started: they need the control groups of this
    /// machine, which `ip netns exec` hides, and UCX the network devices of the host.
    fn within_slurm(&self, name: &str) -> Command {
        const SCRIPT: &str = "hostname $0; mount --rbind /sys/fs/cgroup $KEPT; \
                              mount -t sysfs sysfs /sys; mount --rbind $KEPT /sys/fs/cgroup; \
                              exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["--mount", "--uts", "nsenter"]);
        command.arg(format!("--net=/run/netns/{}", self.space(name)));
        command.args(["sh", "-c", SCRIPT, name]).env("KEPT", self.directory.join("groups"));
        command.env("SLURM_CONF", self.directory.join("slurm.conf")).stdin(Stdio::null());
        command
    }

    /// A command that goes to a host by ssh, from the first one.
    fn on(&self, name: &str, words: &[&str]) -> Command {
        let mut command = self.first_runs("ssh");
        command.arg("-F").arg(self.directory.join("client")).arg(name).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// A command on the first host.
    fn first_runs(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.space(&self.names[0]), program]);
        command
    }

    /// A job that starts on the first host.
    fn job(&self, ranks: usize, hosts: &str, options: &[&str], words: &[&str]) -> Command {
        let program = support::c("hosts.c").flags(&["-O2"]).build();
        let mut command = self.first_runs(&support::ftrun().display().to_string());
        let agent = format!("ssh -F {} {{HOST}}", self.directory.join("client").display());
        command.args(["-np", &ranks.to_string(), "--timeout", "100", "--hosts", hosts]);
        command.arg("--agent").arg(agent).args(options).arg(program.path()).args(words);
        // Hosts that are cut off write there why they end.
        command.env_remove("FTMPI_RANKS").stdin(Stdio::null()).current_dir(&self.directory);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a job that survives; returns when it is at work.
    fn begin(&self, mut job: Command) -> Child {
        let mark = self.directory.join("mark");
        let _new = std::fs::remove_file(&mark);
        let child = job.env("MARK", &mark).spawn().unwrap();
        wait(60, "the job begins", || mark.exists());
        child
    }

    /// Cuts the link to a host without a word, or mends it.
    fn cut(&self, name: &str, is_cut: bool) {
        let what = if is_cut { "nomaster" } else { "master bridge" };
        ip(&format!("-n {} link set {name} {what}", self.space("hub")))
            .unwrap_or_else(|why| panic!("{why}"));
    }

    /// Lets nothing through between two hosts, which still reach all others: each sends what is for
    /// the other one to where nobody is.
    fn sever(&self, one: &str, other: &str) {
        let number = |name: &str| 1 + self.names.iter().position(|known| known == name).unwrap();
        for (from, to) in [(one, number(other)), (other, number(one))] {
            let nobody = "lladdr 02:00:00:00:00:99 dev wire nud permanent";
            let space = self.space(from);
            ip(&format!("-n {space} neigh replace 10.99.0.{to} {nobody}"))
                .unwrap_or_else(|why| panic!("{why}"));
        }
    }

    /// The processes of jobs on a host.
    fn workers(&self, name: &str) -> Vec<String> {
        let listed =
            ip(&format!("netns pids {}", self.space(name))).unwrap_or_else(|why| panic!("{why}"));
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let words = listed.split_whitespace().filter_map(|pid| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            Some(String::from_utf8_lossy(&words).replace('\0', " "))
        });
        words.filter(|words| is_of_job(words)).collect()
    }

    /// Kills everything on a host at once.
    fn kill(&self, name: &str) {
        let listed =
            ip(&format!("netns pids {}", self.space(name))).unwrap_or_else(|why| panic!("{why}"));
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let done = Command::new("kill").arg("-9").args(listed.split_whitespace()).status();
        assert!(done.is_ok_and(|status| status.success()), "{name}: {listed}");
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in self.names.iter().map(String::as_str).chain(["hub"]) {
            let space = self.space(name);
            if let Ok(listed) = ip(&format!("netns pids {space}")) {
                let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
                let _ended =
                    Command::new("kill").arg("-9").args(listed.split_whitespace()).output();
            }
            let _gone = ip(&format!("netns del {space}"));
        }
        for daemon in &mut self.daemons {
            let _ended = daemon.kill();
            let _reaped = daemon.wait();
        }
    }
}

fn is_of_job(words: &str) -> bool {
    ["survive", "--agent-of", "--adopt"].iter().any(|word| words.contains(word))
}

fn hosts(test: &str, names: &[&str]) -> Option<Hosts> {
    Hosts::start(test, names).map_err(|why| eprintln!("skipped: {why}")).ok()
}

/// Waits until something is so.
fn wait(seconds: u64, what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(seconds);
    while !is_so() {
        assert!(Instant::now() < until, "not within {seconds} s: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
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

fn text(seen: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&seen.stdout), text(&seen.stderr))
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
