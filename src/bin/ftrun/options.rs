//! The options by name: ours, the standard's, and those that scripts give to other launchers.
//!
//! An option may be written with one dash or two. An option that makes sense only on many hosts or
//! with many processes is read with its values and has no effect.

/// What an option does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Ranks,
    RanksPerNode,
    Universe,
    RankKind,
    /// `--processes`: each rank is a process of its own; with a number, so many share them.
    Processes,
    /// `--per-process`: so many ranks share each process.
    PerProcess,
    BindTo,
    BindToCore,
    BindToNone,
    ReportBindings,
    Private,
    Shared,
    ShareImage,
    Explain,
    OnFailure,
    CommMode,
    MsgMode,
    CollMode,
    RecoveryMode,
    /// `--with-ft ulfm`, an option of Open MPI's launcher.
    WithFt,
    InitialErrhandler,
    Stack,
    Heap,
    Kill,
    KillFile,
    Machine,
    Virtual,
    Compute,
    Network,
    TimeScale,
    MeanTime,
    Seed,
    Match,
    Quiet,
    Verbose,
    Tag,
    Output,
    Timeout,
    Patience,
    Deadlock,
    Check,
    Report,
    Watch,
    Port,
    Draw,
    Record,
    Trace,
    Leftovers,
    /// `-x NAME` or `-x NAME=VALUE`.
    Variable,
    /// `-genv NAME VALUE` or `-genv NAME=VALUE`.
    VariablePair,
    Directory,
    Hosts,
    HostFile,
    /// `--agent COMMAND`: what starts a process on a host.
    Agent,
    /// `--per-host N`: how many ranks each host gets.
    PerHost,
    Spares,
    NoTakeover,
    Help,
    Version,
    /// Has no meaning in one process, or is always so here.
    Nothing,
    /// Would change what the user sees, but has no effect here: a warning says so.
    NotHere,
    /// `--app FILE`: the programs are in a file.
    AppFile,
}

/// An option: its names, the number of words that follow, and its effect.
struct Choice {
    names: &'static [&'static str],
    values: usize,
    does: Does,
}

const fn choice(names: &'static [&'static str], values: usize, does: Does) -> Choice {
    Choice { names, values, does }
}

#[rustfmt::skip]
const CHOICES: &[Choice] = &[
    // This launcher's own options.
    choice(&["np", "n", "c"], 1, Does::Ranks),
    choice(&["universe"], 1, Does::Universe),
    choice(&["ranks"], 1, Does::RankKind),
    choice(&["processes"], 0, Does::Processes),
    choice(&["processes="], 1, Does::Processes),
    choice(&["per-process"], 1, Does::PerProcess),
    choice(&["bind-to"], 1, Does::BindTo),
    choice(&["bind-to-core"], 0, Does::BindToCore),
    choice(&["bind-to-none"], 0, Does::BindToNone),
    choice(&["report-bindings"], 0, Does::ReportBindings),
    choice(&["private"], 1, Does::Private),
    choice(&["shared"], 1, Does::Shared),
    choice(&["share-image"], 0, Does::ShareImage),
    choice(&["explain"], 0, Does::Explain),
    choice(&["on-failure"], 1, Does::OnFailure),
    choice(&["mode", "comm-mode"], 1, Does::CommMode),
    choice(&["msg", "msg-mode"], 1, Does::MsgMode),
    choice(&["coll", "coll-mode"], 1, Does::CollMode),
    choice(&["recovery", "recovery-mode"], 1, Does::RecoveryMode),
    choice(&["with-ft"], 1, Does::WithFt),
    choice(&["initial-errhandler"], 1, Does::InitialErrhandler),
    choice(&["kill"], 1, Does::Kill),
    choice(&["kill-file"], 1, Does::KillFile),
    choice(&["machine"], 1, Does::Machine),
    choice(&["virtual"], 0, Does::Virtual),
    choice(&["compute"], 1, Does::Compute),
    choice(&["network"], 1, Does::Network),
    choice(&["time-scale"], 1, Does::TimeScale),
    choice(&["mttf"], 1, Does::MeanTime),
    choice(&["seed"], 1, Does::Seed),
    choice(&["match"], 1, Does::Match),
    choice(&["stack"], 1, Does::Stack),
    choice(&["heap"], 1, Does::Heap),
    choice(&["q", "quiet"], 0, Does::Quiet),
    choice(&["v", "verbose"], 0, Does::Verbose),
    choice(&["tag-output", "prepend-rank", "l"], 0, Does::Tag),
    choice(&["output"], 1, Does::Output),
    choice(&["timeout"], 1, Does::Timeout),
    choice(&["patience"], 1, Does::Patience),
    choice(&["deadlock"], 1, Does::Deadlock),
    choice(&["check"], 1, Does::Check),
    choice(&["report"], 1, Does::Report),
    choice(&["watch"], 0, Does::Watch),
    choice(&["port"], 1, Does::Port),
    choice(&["tui"], 0, Does::Draw),
    choice(&["record"], 1, Does::Record),
    choice(&["trace"], 1, Does::Trace),
    choice(&["leftovers"], 0, Does::Leftovers),
    choice(&["x"], 1, Does::Variable),
    choice(&["env", "genv"], 1, Does::VariablePair),
    choice(&["wdir", "wd", "dir"], 1, Does::Directory),
    choice(&["host", "hosts", "H"], 1, Does::Hosts),
    choice(&["hostfile", "machinefile", "f", "default-hostfile"], 1, Does::HostFile),
    choice(&["agent"], 1, Does::Agent),
    choice(&["per-host", "ppn", "perhost"], 1, Does::PerHost),
    choice(&["spares"], 1, Does::Spares),
    choice(&["no-takeover"], 0, Does::NoTakeover),
    choice(&["help", "h"], 0, Does::Help),
    choice(&["version", "V", "info"], 0, Does::Version),
    choice(&["N", "npernode"], 1, Does::RanksPerNode),
    // Several programs in one job.
    choice(&["app", "configfile"], 1, Does::AppFile),
    // Placement and start-up on many hosts.
    choice(&["oversubscribe", "nooversubscribe", "no-oversubscribe"], 0, Does::Nothing),
    choice(&["allow-run-as-root", "do-not-launch", "do-not-resolve"], 0, Does::Nothing),
    choice(&["map-by", "rank-by", "rankfile", "rf"], 1, Does::Nothing),
    choice(&["bind-to-socket", "bycore"], 0, Does::Nothing),
    choice(&["bynode", "byslot", "bysocket", "pernode", "use-hwthread-cpus"], 0, Does::Nothing),
    choice(&["npersocket", "cpus-per-proc", "cpus-per-rank"], 1, Does::Nothing),
    choice(&["cpu-set", "cpu-list", "membind", "mem-bind"], 1, Does::Nothing),
    choice(&["topology", "hwloc-base-binding-policy", "binding", "map"], 1, Does::Nothing),
    choice(&["display-map", "display-devel-map"], 0, Does::Nothing),
    choice(&["display-allocation", "display-topo", "nolocal", "novm"], 0, Does::Nothing),
    choice(&["display", "runtime-options", "personality"], 1, Does::Nothing),
    choice(&["overload-allowed", "use-regexp", "tune-map", "parsable"], 0, Does::Nothing),
    choice(&["mca", "gmca", "omca", "prtemca", "pmixmca", "opmca"], 2, Does::Nothing),
    choice(&["am", "tune", "prefix", "noprefix-path", "path", "pset"], 1, Does::Nothing),
    choice(&["noprefix", "enable-recovery", "disable-recovery"], 0, Does::Nothing),
    choice(&["max-restarts", "max-vm-size", "launch-agent", "personality-dir"], 1, Does::Nothing),
    choice(&["continuous", "forward-signals-all", "d", "debug-daemons"], 0, Does::Nothing),
    choice(&["forward-signals", "preload-files", "preload-files-dest-dir"], 1, Does::Nothing),
    choice(&["preload-binary", "s-preload-binary", "leave-session-attached"], 0, Does::Nothing),
    choice(&["enable-instant-on-support", "show-progress", "merge"], 0, Does::Nothing),
    choice(&["tmpdir", "slot-list", "report-pid", "report-uri", "ompi-server"], 1, Does::Nothing),
    choice(&["launcher", "rmk", "iface", "bootstrap", "launcher-exec"], 1, Does::Nothing),
    choice(&["bootstrap-exec", "pmi-port", "nameserver", "usize"], 1, Does::Nothing),
    choice(&["genvall", "genvnone", "envall", "envnone"], 0, Does::Nothing),
    choice(&["genvlist", "envlist", "order-nodes", "ckpoint-interval"], 1, Does::Nothing),
    choice(&["disable-hostname-propagation", "disable-auto-cleanup"], 0, Does::Nothing),
    choice(&["enable-x", "disable-x", "print-all-exitcodes", "no-local"], 0, Does::Nothing),
    choice(&["print-rank-map", "profile", "localhost-only", "rr", "localonly"], 0, Does::Nothing),
    choice(&["localroot", "exitinfo", "soft-ok"], 0, Does::Nothing),
    choice(&["soft", "arch", "gpus-per-proc", "gpu-subdevs-per-proc"], 1, Does::Nothing),
    // Options that change the output elsewhere.
    choice(&["output-filename", "outfile-pattern", "errfile-pattern"], 1, Does::NotHere),
    choice(&["xml", "timestamp-output", "report-state-on-timeout"], 0, Does::NotHere),
    choice(&["get-stack-traces"], 0, Does::NotHere),
    choice(&["xterm", "stdin", "s", "debugger"], 1, Does::NotHere),
    choice(&["tv", "gdb", "ddt"], 0, Does::NotHere),
];

/// What the option of this name does, and how many words follow it.
pub(crate) fn find(name: &str) -> Option<(Does, usize)> {
    let choice = CHOICES.iter().find(|choice| choice.names.contains(&name))?;
    Some((choice.does, choice.values))
}

/// The names of all options, without dashes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let all = CHOICES.iter().flat_map(|choice| choice.names.iter().copied());
    all.filter(|name| !name.ends_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_name_is_listed_once() {
        let mut seen = HashSet::new();
        for name in CHOICES.iter().flat_map(|choice| choice.names) {
            assert!(seen.insert(*name), "{name} is listed twice");
        }
    }
}
