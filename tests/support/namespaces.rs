//! Hosts that are network namespaces of this machine, each with a name and an ssh daemon of its
//! own. They need root, `ip` and `sshd`; nothing leaves this machine.

use crate::Program;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Hosts that are connected with each other, and with nothing else.
pub struct Hosts {
    prefix: String,
    names: Vec<String>,
    /// For whatever they write.
    pub directory: PathBuf,
    daemons: Vec<Child>,
}

/// Calls `ip` of iproute2 with these words.
pub fn ip(words: &str) -> Result<Output, String> {
    let seen = Command::new("ip").args(words.split(' ')).output();
    let seen = seen.map_err(|error| format!("ip: {error}"))?;
    match seen.status.success() {
        true => Ok(seen),
        false => Err(format!("ip {words}: {}", String::from_utf8_lossy(&seen.stderr).trim())),
    }
}

impl Hosts {
    /// So many hosts, or why there can be none here.
    pub fn start(test: &str, names: &[&str]) -> Result<Hosts, String> {
        let prefix = format!("ft{}{}", std::process::id(), test);
        let directory = crate::fresh_directory(&format!("namespaces_{test}"));
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let mut hosts = Hosts { prefix, names, directory, daemons: Vec::new() };
        hosts.connect()?;
        hosts.listen()?;
        Ok(hosts)
    }

    /// The network namespace of a host.
    pub fn space(&self, name: &str) -> String {
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
        if !sshd.exists() || !crate::has("ssh") {
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
            client += &format!("Host {name} 10.99.0.{number}\n  HostName 10.99.0.{number}\n");
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
    pub fn allocate(&mut self) -> Result<(), String> {
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
    pub fn within_slurm(&self, name: &str) -> Command {
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
    pub fn on(&self, name: &str, words: &[&str]) -> Command {
        let mut command = self.first_runs("ssh");
        command.arg("-F").arg(self.directory.join("client")).arg(name).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Their addresses.
    pub fn addresses(&self) -> Vec<String> {
        (1..=self.names.len()).map(|number| format!("10.99.0.{number}")).collect()
    }

    /// A program that reaches them by ssh, as `ssh` reaches others.
    pub fn ssh(&self) -> PathBuf {
        let script = self.directory.join("ssh");
        let client = self.directory.join("client");
        let text = format!("#!/bin/sh\nexec ssh -F {} \"$@\"\n", client.display());
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
        script
    }

    /// The words in front of a command that runs on the first host, which has its name.
    pub fn within_first(&self) -> Vec<String> {
        let (space, name) = (self.space(&self.names[0]), &self.names[0]);
        let script = format!("hostname {name}; exec \"$@\"");
        let words = ["ip", "netns", "exec", &space, "unshare", "--uts", "sh", "-c", &script, name];
        words.map(ToString::to_string).to_vec()
    }

    /// A command on the first host.
    pub fn first_runs(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.space(&self.names[0]), program]);
        command
    }

    /// A job that starts on the first host.
    pub fn job(&self, ranks: usize, hosts: &str, options: &[&str], words: &[&str]) -> Command {
        self.job_of(&crate::c("hosts.c").flags(&["-O2"]).build(), (ranks, hosts), options, words)
    }

    /// A job of this program: so many ranks, on these hosts.
    pub fn job_of(
        &self, program: &Program, (ranks, hosts): (usize, &str), options: &[&str], words: &[&str],
    ) -> Command {
        let mut command = self.first_runs(&crate::ftrun().display().to_string());
        let agent = format!("ssh -F {} {{HOST}}", self.directory.join("client").display());
        command.args(["-np", &ranks.to_string(), "--timeout", "100", "--hosts", hosts]);
        command.arg("--agent").arg(agent).args(options).arg(program.path()).args(words);
        // Hosts that are cut off write there why they end.
        command.env_remove("FTMPI_RANKS").stdin(Stdio::null()).current_dir(&self.directory);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a job that survives; returns when it is at work.
    pub fn begin(&self, mut job: Command) -> Child {
        let mark = self.directory.join("mark");
        let _new = std::fs::remove_file(&mark);
        let child = job.env("MARK", &mark).spawn().unwrap();
        wait(60, "the job begins", || mark.exists());
        child
    }

    /// Cuts the link to a host without a word, or mends it.
    pub fn cut(&self, name: &str, is_cut: bool) {
        let what = if is_cut { "nomaster" } else { "master bridge" };
        ip(&format!("-n {} link set {name} {what}", self.space("hub")))
            .unwrap_or_else(|why| panic!("{why}"));
    }

    /// Lets nothing through between two hosts, which still reach all others: each sends what is for
    /// the other one to where nobody is.
    pub fn sever(&self, one: &str, other: &str) {
        let number = |name: &str| 1 + self.names.iter().position(|known| known == name).unwrap();
        for (from, to) in [(one, number(other)), (other, number(one))] {
            let nobody = "lladdr 02:00:00:00:00:99 dev wire nud permanent";
            let space = self.space(from);
            ip(&format!("-n {space} neigh replace 10.99.0.{to} {nobody}"))
                .unwrap_or_else(|why| panic!("{why}"));
        }
    }

    /// All processes on a host, each with its command line.
    pub fn processes(&self, name: &str) -> Vec<(u32, String)> {
        let listed =
            ip(&format!("netns pids {}", self.space(name))).unwrap_or_else(|why| panic!("{why}"));
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let found = listed.split_whitespace().filter_map(|pid| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            Some((pid.parse().ok()?, String::from_utf8_lossy(&words).replace('\0', " ")))
        });
        found.collect()
    }

    /// The processes of jobs on a host.
    pub fn workers(&self, name: &str) -> Vec<String> {
        let words = self.processes(name).into_iter().map(|(_, words)| words);
        words.filter(|words| is_of_job(words)).collect()
    }

    /// Kills everything on a host, one process after the other.
    pub fn kill(&self, name: &str) {
        wait(10, "nothing is left on the host", || {
            let all = self.processes(name);
            let ids = all.iter().map(|(process, _)| process.to_string());
            // Some may have ended by themselves meanwhile.
            let _some = Command::new("kill").arg("-9").args(ids).stderr(Stdio::null()).status();
            all.is_empty()
        });
    }

    /// Kills everything on a host, and nobody hears of it before all is over: `srun` has a second
    /// process, which cancels the step if it survives the first one for a moment.
    pub fn kill_at_once(&self, name: &str) {
        self.cut(name, true);
        self.kill(name);
        self.cut(name, false);
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
    ["survive", "storm", "--agent-of", "--adopt"].iter().any(|word| words.contains(word))
}

/// Waits until something is so.
pub fn wait(seconds: u64, what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(seconds);
    while !is_so() {
        assert!(Instant::now() < until, "not within {seconds} s: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What a command has printed, and its errors.
pub fn text(seen: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&seen.stdout), text(&seen.stderr))
}
