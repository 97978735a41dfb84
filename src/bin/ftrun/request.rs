//! The parsed command line: the program, the number of ranks, and the conditions of the job.

use crate::app_file;
use crate::faults::{self, Faults};
use crate::modes::{self, Wanted};
use crate::named_processes::named;
use crate::options::{self, Does};
use crate::shared::refusal::Refusal;
use crate::sharing::Sharing;
use crate::values::{
    BINDINGS, agent, binding, errhandler, errhandlers, library, on_failure, port, processes,
    rank_kind, ranks, size, switch, time,
};
use crate::virtual_time;
use ftmpi_cli::{Complaint, Dashes, Item, Reader, numbers};
use ftmpi_launch::{Binding, Job, RankKind};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The user's request.
#[derive(Debug)]
pub(crate) enum Asked {
    Run(Box<Request>),
    Help,
    Version,
}

/// One run.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) job: Job,
    /// The programs, in the order of their ranks; at least one.
    pub(crate) apps: Vec<App>,
    /// Variables to set, in the order in which they were named.
    pub(crate) variables: Vec<(String, OsString)>,
    /// Where the job should run.
    pub(crate) hosts: Hosts,
    pub(crate) verbose: bool,
    /// Each rank is a process of its own.
    pub(crate) has_processes: bool,
    /// How ranks share processes, if they do.
    pub(crate) sharing: Option<Sharing>,
    /// Another launcher has started the ranks.
    pub(crate) is_adopted: bool,
    /// How the job handles failures.
    pub(crate) wanted: Wanted,
}

/// A program to run, as the command line has it.
#[derive(Debug, Default)]
pub(crate) struct App {
    pub(crate) ranks: usize,
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) variables: Vec<(String, OsString)>,
    pub(crate) directory: Option<PathBuf>,
    /// Found out when its file is looked at.
    pub(crate) is_python: bool,
}

/// The hosts that were named.
#[derive(Debug)]
pub(crate) struct Hosts {
    pub(crate) names: Vec<String>,
    pub(crate) files: Vec<PathBuf>,
    /// What starts a process on a host, with `{HOST}` in it.
    pub(crate) agent: Option<String>,
    /// The same where nobody says; nothing: ssh.
    pub(crate) usual_agent: Option<&'static str>,
    /// What has named them.
    pub(crate) named_by: &'static str,
    pub(crate) per_host: Option<usize>,
    /// Hosts that stand in for others that are lost.
    pub(crate) spares: Vec<String>,
    /// The number of ranks was given for each host.
    pub(crate) counts_per_host: bool,
    /// The job ends with `ftrun`.
    pub(crate) has_no_takeover: bool,
}

impl Default for Hosts {
    fn default() -> Hosts {
        Hosts {
            names: Vec::new(),
            files: Vec::new(),
            agent: None,
            usual_agent: None,
            named_by: "--hosts",
            per_host: None,
            spares: Vec::new(),
            counts_per_host: false,
            has_no_takeover: false,
        }
    }
}

impl Hosts {
    fn set(&mut self, does: Does, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        match does {
            Does::Agent => self.agent = Some(agent(dashed, value)?),
            Does::PerHost => self.per_host = Some(ranks(dashed, value)?),
            Does::HostFile => self.files.push(value.into()),
            Does::Spares => self.spares.extend(names(value)),
            _ => self.names.extend(names(value)),
        }
        Ok(())
    }
}

fn names(value: &OsStr) -> Vec<String> {
    value.to_string_lossy().split(',').map(str::to_string).collect()
}

/// Reads the words after the program's own name.
pub(crate) fn read(called: &str, words: impl Iterator<Item = OsString>) -> Result<Asked, Refusal> {
    let (request, faults) = (Request::default(), Faults::default());
    let (ranks, per_node, kind, stack, heap, quiet) = (None, None, None, None, None, false);
    let words = reader(words.collect());
    let (binding, app, app_file) = (None, App::default(), None);
    let reading = Reading {
        app,
        app_file,
        called,
        words,
        request,
        virtual_time: virtual_time::Wish::default(),
        faults,
        ranks,
        per_node,
        kind,
        binding,
        stack,
        heap,
        quiet,
    };
    reading.read()
}

impl Request {
    /// Decides how the job handles failures: options take precedence over the environment, in which
    /// `-x` has the last word.
    fn settle_rules(&mut self) -> Result<(), Refusal> {
        let Request { wanted, variables, job, apps, .. } = self;
        wanted.fill_from(|name| {
            let of_apps = apps.iter().flat_map(|app| app.variables.iter().rev());
            let set = of_apps.chain(variables.iter().rev()).find(|(known, _)| known == name);
            set.map(|(_, value)| value.clone()).or_else(|| std::env::var_os(name))
        })?;
        job.rules = wanted.rules()?;
        job.on_failure = wanted.on_failure.unwrap_or(job.on_failure);
        Ok(())
    }
}

/// What finds an option by its name.
type Find = fn(&str) -> Option<(Does, usize)>;

type Words = Reader<std::vec::IntoIter<OsString>, Find>;

fn reader(words: Vec<OsString>) -> Words {
    Reader::new(words.into_iter(), Dashes::OneOrTwo, options::find as Find)
}

struct Reading<'a> {
    called: &'a str,
    words: Words,
    /// The program that is being read.
    app: App,
    app_file: Option<OsString>,
    request: Request,
    faults: Faults,
    virtual_time: virtual_time::Wish,
    ranks: Option<usize>,
    per_node: Option<usize>,
    kind: Option<RankKind>,
    binding: Option<Binding>,
    stack: Option<usize>,
    heap: Option<usize>,
    quiet: bool,
}

/// What a section of the command line, which ends at `:`, turned out to be.
enum Section {
    /// A program, and whether another one follows.
    App {
        is_last: bool,
    },
    /// The programs are in a file.
    File(OsString),
    Asked(Asked),
}

impl Reading<'_> {
    fn read(mut self) -> Result<Asked, Refusal> {
        let mut warnings = Vec::new();
        loop {
            match self.section(&mut warnings)? {
                Section::Asked(asked) => return Ok(asked),
                Section::App { is_last: false } => {}
                Section::App { is_last: true } => break,
                Section::File(file) => {
                    for line in app_file::read(&file)? {
                        self.words = reader(line);
                        while let Section::App { is_last: false } = self.section(&mut warnings)? {}
                    }
                    break;
                }
            }
        }
        self.settle_apps();
        self.request.settle_rules()?;
        self.settle_kind()?;
        self.request.settle_processes()?;
        self.settle_binding()?;
        self.settle_room();
        if self.request.job.shares_image && self.request.job.tag_output {
            return Err(Refusal::usage(
                "--share-image and --tag-output: the output of ranks that share their image is one",
            ));
        }
        self.seed_of_environment()?;
        let has_threads = self.kind == Some(RankKind::Thread);
        self.virtual_time.give_to(&mut self.request.job, has_threads)?;
        let mut faults = std::mem::take(&mut self.faults);
        if self.virtual_time.is_wanted {
            faults.seed_if_none();
        }
        warnings.extend(faults.give_to(&mut self.request.job, has_threads)?);
        let limit = std::env::var("MPIEXEC_TIMEOUT").ok().and_then(|text| numbers::seconds(&text));
        self.request.job.timeout = self.request.job.timeout.or(limit);
        if !self.quiet {
            warnings.iter().for_each(|warning| eprintln!("{}: {warning}", self.called));
        }
        Ok(Asked::Run(Box::new(self.request)))
    }

    /// Reads one program with the options before it.
    fn section(&mut self, warnings: &mut Vec<String>) -> Result<Section, Refusal> {
        let mut is_plain = false;
        let program = loop {
            match self.words.item().map_err(refused)? {
                None => match self.app_file.take() {
                    Some(file) => return Ok(Section::File(file)),
                    None => return Err(self.nothing_to_run()),
                },
                Some(Item::End) => {
                    is_plain = true;
                    break self.words.word().ok_or_else(|| self.nothing_to_run())?;
                }
                Some(Item::Word(word)) => break word,
                Some(Item::Option { does: Does::Help, .. }) => {
                    return Ok(Section::Asked(Asked::Help));
                }
                Some(Item::Option { does: Does::Version, .. }) => {
                    return Ok(Section::Asked(Asked::Version));
                }
                Some(Item::Option { dashed, does, values }) => {
                    warnings.extend(self.obey(&dashed, does, values)?);
                }
            }
        };
        if let Some(file) = &self.app_file {
            return Err(Refusal::usage(format!(
                "--app {} names the programs: {} cannot follow it",
                file.to_string_lossy(),
                program.to_string_lossy()
            )));
        }
        let mut app = std::mem::take(&mut self.app);
        self.request.hosts.counts_per_host |= self.ranks.is_none() && self.per_node.is_some();
        let ranks = self.ranks.take().or(self.per_node.take());
        app.program = program;
        app.ranks = ranks.ok_or_else(|| self.no_ranks(&app.program))?;
        let mut is_last = true;
        while let Some(word) = self.words.word() {
            if word == ":" && !is_plain {
                is_last = false;
                break;
            }
            app.arguments.push(word);
        }
        self.request.apps.push(app);
        Ok(Section::App { is_last })
    }

    /// Adds up the ranks of all programs. What is set for the only one is set for the job.
    fn settle_apps(&mut self) {
        let Request { job, apps, variables, .. } = &mut self.request;
        let ranks = apps.iter().try_fold(0usize, |sum, app| sum.checked_add(app.ranks));
        job.ranks = ranks.unwrap_or(usize::MAX);
        if let [app] = apps.as_mut_slice() {
            variables.append(&mut app.variables);
        }
    }

    /// Decides whether ranks are fibers or threads: by the option, or by the environment.
    fn settle_kind(&mut self) -> Result<(), Refusal> {
        const VARIABLE: &str = "FTMPI_RANKS";
        let of_environment = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let kind = match (self.kind, of_environment()) {
            (Some(kind), _) => kind,
            (None, Some(value)) if let Some(count) = named(&value) => {
                // Options count more than the environment.
                if !self.faults.has_seed() && !self.virtual_time.is_wanted {
                    self.request.suggest_processes(count);
                }
                return Ok(());
            }
            (None, Some(value)) => rank_kind(VARIABLE, &value)?,
            (None, None) => return Ok(()),
        };
        self.request.job.kind = kind;
        Ok(())
    }

    /// Decides to what ranks are bound: by the option, or by the environment.
    fn settle_binding(&mut self) -> Result<(), Refusal> {
        const VARIABLE: &str = "FTMPI_BIND_TO";
        let of_environment = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let binding = match (self.binding, of_environment()) {
            (Some(binding), _) => binding,
            (None, Some(value)) => binding(VARIABLE, &value)?,
            (None, None) => return Ok(()),
        };
        self.request.job.binding = binding;
        Ok(())
    }

    /// Takes the seed from the environment, unless an option sets one or asks for ranks whose order
    /// is the system's.
    fn seed_of_environment(&mut self) -> Result<(), Refusal> {
        const VARIABLE: &str = "FTMPI_SEED";
        let value = std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let Request { has_processes, hosts, .. } = &self.request;
        let are_apart = *has_processes || !hosts.names.is_empty() || !hosts.files.is_empty();
        let has_order = self.kind != Some(RankKind::Thread) && !are_apart;
        match value.filter(|_| !self.faults.has_seed() && has_order) {
            Some(value) => self.faults.seed(VARIABLE, &value),
            None => Ok(()),
        }
    }

    /// Decides how large stacks and heaps may become. If the ranks do not fit into a process with
    /// the defaults, they get less, unless options set the sizes.
    fn settle_room(&mut self) {
        const MANY: usize = 100_000;
        const STACK_OF_MANY: usize = 256 << 10;
        const HEAPS_OF_MANY: usize = 64 << 40;
        const MEGABYTE: usize = 1 << 20;
        let job = &mut self.request.job;
        if job.ranks > MANY {
            job.stack_bytes = STACK_OF_MANY;
            let heap = HEAPS_OF_MANY / job.ranks / MEGABYTE * MEGABYTE;
            job.heap_bytes = heap.clamp(MEGABYTE, job.heap_bytes);
        }
        job.stack_bytes = self.stack.unwrap_or(job.stack_bytes);
        job.heap_bytes = self.heap.unwrap_or(job.heap_bytes);
    }

    fn set_kind(&mut self, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        match named(value) {
            Some(count) => self.request.set_processes(count),
            None => self.kind = Some(rank_kind(dashed, value)?),
        }
        Ok(())
    }

    fn set_processes(&mut self, does: Does, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        if does == Does::PerProcess {
            self.request.set_ranks_per_process(ranks(dashed, value)?);
            return Ok(());
        }
        let count = (!value.is_empty()).then(|| processes(dashed, value)).transpose()?;
        self.request.set_processes(count);
        Ok(())
    }

    /// Applies one option; may return a warning.
    fn obey(
        &mut self, dashed: &str, does: Does, mut values: Vec<OsString>,
    ) -> Result<Option<String>, Refusal> {
        if does == Does::VariablePair && !values[0].to_string_lossy().contains('=') {
            values.push(self.words.word().ok_or_else(|| lacks_value(dashed, does))?);
        }
        let value = values.first().map(|value| value.as_os_str()).unwrap_or_default();
        let job = &mut self.request.job;
        match does {
            Does::Ranks => self.ranks = Some(ranks(dashed, value)?),
            Does::RanksPerNode => self.per_node = Some(ranks(dashed, value)?),
            Does::Universe => job.universe = ranks(dashed, value)?,
            Does::Processes | Does::PerProcess => self.set_processes(does, dashed, value)?,
            Does::RankKind => self.set_kind(dashed, value)?,
            Does::BindTo => self.binding = Some(binding(dashed, value)?),
            Does::BindToCore => self.binding = Some(Binding::Core),
            Does::BindToNone => self.binding = Some(Binding::None),
            Does::ReportBindings => job.reports_bindings = true,
            Does::Private => job.private.push(library(dashed, value)?),
            Does::Shared => job.shared.push(library(dashed, value)?),
            Does::ShareImage => job.shares_image = true,
            Does::Explain => job.explain = true,
            Does::OnFailure => self.request.wanted.on_failure = Some(on_failure(dashed, value)?),
            Does::CommMode | Does::MsgMode | Does::CollMode | Does::RecoveryMode => {
                self.request.wanted.set(does, dashed, &value.to_string_lossy())?;
            }
            Does::WithFt => self.request.wanted.with_ft(dashed, &value.to_string_lossy())?,
            Does::InitialErrhandler => job.errhandler = Some(errhandler(dashed, value)?),
            Does::Stack => self.stack = Some(size(dashed, value, 64 << 10)?),
            Does::Heap => self.heap = Some(size(dashed, value, 1 << 20)?),
            Does::Kill => self.faults.kill(dashed, value)?,
            Does::KillFile => self.faults.file(dashed, value)?,
            Does::Machine => job.machine = Some(faults::machine(dashed, value)?),
            Does::Virtual => self.virtual_time.is_wanted = true,
            Does::Compute | Does::Network => self.virtual_time.set(does, dashed, value)?,
            Does::TimeScale => job.time_scale = faults::time_scale(dashed, value)?,
            Does::MeanTime => self.faults.mean(dashed, value)?,
            Does::Seed => self.faults.seed(dashed, value)?,
            Does::Match => self.faults.force(dashed, value)?,
            Does::Quiet => (self.quiet, job.is_quiet) = (true, true),
            Does::Verbose => self.request.verbose = true,
            Does::Tag => job.tag_output = true,
            Does::Output => {
                let text = value.to_string_lossy();
                job.tag_output |= text.split(',').any(|part| matches!(part, "tag" | "rank"));
            }
            Does::Timeout => job.timeout = Some(time(dashed, value)?),
            Does::Patience => job.patience = Some(time(dashed, value)?),
            Does::Deadlock => job.watches = switch(dashed, value)?,
            Does::Check => job.checks = switch(dashed, value)?,
            Does::Report => job.report = Some(faults::report(dashed, value)?),
            Does::Watch => job.watch = job.watch.or(Some(0)),
            Does::Port => job.watch = Some(port(dashed, value)?),
            Does::Draw => job.draws = true,
            Does::Record => job.record = Some(faults::report(dashed, value)?),
            Does::Trace => job.trace = Some(faults::report(dashed, value)?),
            Does::Leftovers => job.leftovers = true,
            Does::Variable => return self.export(dashed, value),
            Does::VariablePair => self.set(dashed, values)?,
            Does::Directory => self.app.directory = Some(value.into()),
            Does::NoTakeover => self.request.hosts.has_no_takeover = true,
            Does::Hosts | Does::HostFile | Does::Agent | Does::PerHost | Does::Spares => {
                self.request.hosts.set(does, dashed, value)?;
            }
            Does::NotHere => return Ok(Some(format!("{dashed} has no effect here"))),
            Does::AppFile => self.app_file = Some(value.to_os_string()),
            Does::Nothing | Does::Help | Does::Version => {}
        }
        Ok(None)
    }

    /// `-x NAME=VALUE` sets; `-x NAME` does nothing more, since all variables are passed on.
    fn export(&mut self, dashed: &str, value: &OsStr) -> Result<Option<String>, Refusal> {
        if value.to_string_lossy().contains('=') {
            self.set(dashed, vec![value.to_os_string()])?;
            return Ok(None);
        }
        let missing = std::env::var_os(value).is_none();
        Ok(missing.then(|| format!("{dashed} {0}: {0} is not set", value.to_string_lossy())))
    }

    fn set(&mut self, dashed: &str, values: Vec<OsString>) -> Result<(), Refusal> {
        let whole = values[0].to_string_lossy().into_owned();
        let (name, value) = match (whole.split_once('='), values.into_iter().nth(1)) {
            (_, Some(value)) => (whole, value),
            (Some((name, value)), None) => (name.to_string(), value.into()),
            (None, None) => (whole, OsString::new()),
        };
        if name.is_empty() {
            return Err(Refusal::usage(format!(
                "{dashed} expects NAME=VALUE, but the name is empty"
            )));
        }
        let is_for_all = dashed.trim_start_matches('-').starts_with('g');
        let variables =
            if is_for_all { &mut self.request.variables } else { &mut self.app.variables };
        variables.push((name, value));
        Ok(())
    }

    fn nothing_to_run(&self) -> Refusal {
        let called = self.called;
        Refusal::usage(format!(
            "which program? Use `{called} -np N ./program`; see {called} --help"
        ))
    }

    fn no_ranks(&self, program: &OsStr) -> Refusal {
        let called = self.called;
        let program = program.to_string_lossy();
        Refusal::usage(format!("how many ranks? Use `{called} -np N {program}`"))
    }
}

fn refused(complaint: Complaint<Does>) -> Refusal {
    match complaint {
        Complaint::Lacks { dashed, does } => lacks_value(&dashed, does),
        other => Refusal::usage(other.words(options::names())),
    }
}

fn lacks_value(dashed: &str, does: Does) -> Refusal {
    let wanted = match does {
        Does::Ranks | Does::RanksPerNode | Does::PerProcess | Does::Universe => "a number of ranks",
        Does::RankKind => "`thread`, `fiber` or `auto`",
        Does::BindTo => BINDINGS,
        Does::Private | Does::Shared => "the name of a library",
        Does::OnFailure => "`end`, `continue` or `restart`",
        Does::CommMode | Does::MsgMode | Does::CollMode | Does::RecoveryMode => {
            return Refusal::usage(format!("{dashed} needs {} after it", modes::choices(does)));
        }
        Does::WithFt => "`ulfm` or `no`",
        Does::InitialErrhandler => {
            return Refusal::usage(format!("{dashed} needs {} after it", errhandlers()));
        }
        Does::Stack | Does::Heap => "a size such as 64M",
        Does::Kill => "RANK@WHEN, such as 3@250ms or 3@MPI_Send:2",
        Does::Machine => "a file, or the name of a machine",
        Does::Compute => virtual_time::COMPUTES,
        Does::Network => virtual_time::NETWORKS,
        Does::TimeScale => "a number such as 0.001",
        Does::MeanTime => "a time such as 2s",
        Does::Seed => "a number, or `random`,",
        Does::Match => "RANK:N=SOURCE, such as 0:2=3",
        Does::Timeout => "a time in seconds",
        Does::Deadlock | Does::Check => "`on` or `off`",
        Does::Variable | Does::VariablePair => "NAME=VALUE",
        Does::Directory => "a directory",
        Does::AppFile => "a file",
        Does::Port => "the number of a port",
        Does::Hosts | Does::Spares => "the name of a host",
        Does::HostFile | Does::KillFile | Does::Report | Does::Record | Does::Trace => "a file",
        _ => "a value",
    };
    Refusal::usage(format!("{dashed} needs {wanted} after it"))
}
