//! Where a program starts: the library takes `__libc_start_main` over and brings ranks to life.
//!
//! Without a job in the environment (see [`crate::host::job`]) the program runs as it is: a world
//! of one.

use crate::abi::door::News;
use crate::abi::fates::{Strokes, Target};
use crate::abi::watch::Patience;
use crate::abi::{abort, current, fates, fortran, live, report, watch};
use crate::base::Member;
use crate::engine::shared::rules::{CommMode, Modes, Rules};
use crate::fault::Tale;
use crate::fault::chronicle::Cure;
use crate::host::job::{Job, OnFailure, PRELOAD_KEPT, VARIABLE};
use crate::host::life::{self, Ending, Tenant, Verdict};
use crate::host::loader::{self, Program};
use crate::host::{Rank, clock, output, replay};
use crate::machine::berths::{Berths, Relocation};
use crate::machine::units::{Picos, SECOND};
use crate::machine::{Chance, Model};
use crate::mpi::init::Phases;
use crate::mpi::process::Process;
use crate::mpi::world::World;
use crate::mpi::{checks, leftovers};
use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

type Main = extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;
type StartMain = unsafe extern "C-unwind" fn(
    Main,
    c_int,
    *mut *mut c_char,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
) -> c_int;

/// What a program's `_start` calls: libc would run its constructors and `main`.
///
/// # Safety
/// Called by `_start` only, with what the kernel and ld.so passed.
#[cfg_attr(not(miri), unsafe(no_mangle))]
unsafe extern "C-unwind" fn __libc_start_main(
    main: Main, argc: c_int, argv: *mut *mut c_char, init: *mut c_void, fini: *mut c_void,
    rtld_fini: *mut c_void, stack_end: *mut c_void,
) -> c_int {
    if let Some(text) = std::env::var_os(VARIABLE) {
        let job = Job::decode(&text.to_string_lossy());
        if job.as_ref().is_ok_and(|job| job.seed.is_some()) {
            // SAFETY: as the kernel passed it; this is before all else.
            unsafe { replay::fix_addresses(argv.cast_const().cast()) };
        }
        let program = Program {
            main: main as usize,
            init: (!init.is_null()).then_some(init as usize),
            argc,
            argv: argv.cast_const().cast(),
        };
        start(program, job);
    }
    const NAME: &CStr = c"__libc_start_main";
    // SAFETY: looks up libc's own function of this type, and passes our caller's promise on.
    unsafe {
        let real = libc::dlsym(libc::RTLD_NEXT, NAME.as_ptr());
        assert!(!real.is_null(), "libc comes after this library");
        let real: StartMain = std::mem::transmute(real);
        real(main, argc, argv, init, fini, rtld_fini, stack_end)
    }
}

fn start(program: Program, job: Result<Job, String>) -> ! {
    // What the ranks start are ordinary programs.
    let kept = std::env::var_os(PRELOAD_KEPT);
    set_variable("LD_PRELOAD", kept);
    set_variable(VARIABLE, None);
    set_variable(PRELOAD_KEPT, None);
    match job {
        Ok(job) => {
            if let Some(seed) = job.seed {
                replay::prepare(seed, job.is_quiet);
            }
            fortran::locate();
            let gone = Arc::new(Gone::new(job.ranks));
            LEFTOVERS.store(job.leftovers, Ordering::Relaxed);
            if !job.checks {
                checks::turn_off();
            }
            let world = current::world(job.ranks);
            if let Some((mean, _)) = job.chance {
                world.expect_failures_each(mean);
            }
            let strokes = strokes(world, &job).unwrap_or_else(|why| refuse(&why));
            fates::order(world, &job, strokes);
            let patience = watch::begin(world, gone.clone(), &job);
            if let Some(file) = &job.report {
                report::open(Path::new(file)).unwrap_or_else(|why| refuse(&why));
            }
            live::begin(world, &job).unwrap_or_else(|why| refuse(&why));
            if job.report.is_some() || live::is_on() {
                world.keep_chronicle(|tale| {
                    report::write(tale);
                    live::tell(tale);
                });
            }
            if let Some(rules) = job.rules.or_else(shown) {
                world.charter().give(rules);
            }
            if let Some(errhandler) = job.errhandler {
                world.charter().start_with(errhandler);
            }
            let (is_quiet, on_failure) = (job.is_quiet, job.on_failure);
            let tenant = Box::new(Tenancy {
                world,
                is_quiet,
                on_failure,
                gone,
                patience,
                has_survivor: AtomicBool::new(false),
                has_leaver: AtomicBool::new(false),
            });
            life::run(program, job, tenant)
        }
        Err(why) => refuse(&why),
    }
}

/// A century, in seconds: what is as far away is never.
const LONGEST: f64 = 100.0 * 365.0 * 86400.0;

/// Lets the ranks sit on their machine, if they do on one; what chance and the machine have in
/// store for them.
fn strokes(world: &'static World, job: &Job) -> Result<Vec<Strokes>, String> {
    let mut all: Vec<Strokes> = Vec::new();
    if let Some((mean, seed)) = job.chance {
        let chance = Chance::new(mean, job.ranks, seed);
        all.push(Box::new(chance.map(|(at, seat)| (at, Target::Seat(seat)))));
    }
    if let Some(file) = &job.machine {
        let model = Model::find(file, |file| std::fs::read_to_string(file))?;
        world.sit_on(Berths::new(&model, job.ranks)?);
        let failures = model.faults.until(Picos::MAX);
        let scale = job.time_scale / SECOND as f64;
        let stroke = move |(at, node): (Picos, usize)| {
            let at = Duration::from_secs_f64((at as f64 * scale).min(LONGEST));
            (at, Target::Node(node))
        };
        if !failures.is_empty() {
            all.push(Box::new(failures.into_iter().map(stroke)));
        }
    }
    Ok(all)
}

/// Ends the process before the job has begun.
fn refuse(why: &str) -> ! {
    say(&format!("ftrun: {why}"));
    // SAFETY: no rank lives, and nothing of the program has run.
    unsafe { libc::_exit(2) }
}

/// The rules that the program shows to live by, by what it refers to.
fn shown() -> Option<Rules> {
    // In C; Fortran knows the constant as a number.
    let is_of_ft = |name: &str| name == "ftmpi_check_recover" || name == "ftmpi_incarnation";
    let is_of_ulfm = |name: &str| {
        let name = name.to_ascii_lowercase();
        let name = name.strip_prefix('p').unwrap_or(&name);
        name.starts_with("mpix_comm_")
    };
    if loader::refers_to(is_of_ft) {
        return Some(Rules::Ft(Modes::default()));
    }
    loader::refers_to(is_of_ulfm).then_some(Rules::Ulfm)
}

/// Goes to libc's own environment, which the ranks get copies of.
fn set_variable(name: &str, value: Option<OsString>) {
    use std::os::unix::ffi::OsStrExt;
    let string = |bytes: &[u8]| CString::new(bytes).expect("came from an environment");
    let name = string(name.as_bytes());
    // SAFETY: the process has one thread; both are strings.
    unsafe {
        match value {
            Some(value) => libc::setenv(name.as_ptr(), string(value.as_bytes()).as_ptr(), 1),
            None => libc::unsetenv(name.as_ptr()),
        }
    };
}

/// Tells MPI who died, and decides what becomes of the job.
struct Tenancy {
    world: &'static World,
    is_quiet: bool,
    on_failure: OnFailure,
    gone: Arc<Gone>,
    /// With those who keep others waiting, where nobody else sees to that.
    patience: Option<Patience>,
    /// Whether some rank has ended well.
    has_survivor: AtomicBool,
    /// Whether some rank has left MPI in peace, whatever it said then.
    has_leaver: AtomicBool,
}

/// The seats whose ranks have ended for good, and whose ends everybody has heard of.
pub(super) struct Gone(Vec<AtomicBool>);

impl Gone {
    fn new(seats: usize) -> Gone {
        Gone((0..seats).map(|_| AtomicBool::new(false)).collect())
    }

    pub(super) fn seats(&self) -> usize {
        self.0.len()
    }

    /// True if nobody is to come who sits in `seat`.
    pub(super) fn has(&self, seat: usize) -> bool {
        self.0[seat].load(Ordering::Acquire)
    }
}

impl Tenancy {
    /// Says that the job survives a failure.
    fn announce(&self, line: &str) {
        if !self.is_quiet {
            say(line);
        }
    }

    /// Begins the story of a failure, which takes the node with it where there is a machine.
    fn chronicle(&self, rank: &Rank, ending: Ending, words: &str, order: Option<String>) {
        let (cure, mode) = match self.world.rules() {
            Rules::End => (Cure::End, "end"),
            Rules::Standard if self.on_failure == OnFailure::Restart => (Cure::Continue, "restart"),
            Rules::Standard => (Cure::Continue, "continue"),
            Rules::Ulfm => (Cure::Continue, "ulfm"),
            Rules::Ft(modes) => match modes.comm {
                CommMode::Abort => (Cure::End, "abort"),
                CommMode::Blank => (Cure::Recover, "blank"),
                CommMode::Shrink => (Cure::Recover, "shrink"),
                CommMode::Rebuild => (Cure::Recover, "rebuild"),
            },
        };
        let node = self.world.berths().map(|mut berths| {
            let node = berths.node_of(rank.seat);
            berths.fail(node);
            node
        });
        self.world.tell(|chronicle, now| {
            let ago = rank.ended_at().map_or(Duration::ZERO, |at| clock::now() - at);
            let member = Member { seat: rank.seat, incarnation: rank.incarnation };
            let tale = Tale::new(member, now.saturating_sub(ago), cure, mode);
            let (cause, words) = (life::cause(ending), words.to_string());
            chronicle.begin(Tale { cause, words, order, node, ..tale });
        });
    }

    /// A replacement has come to life: finds a node for it, where there is a machine.
    fn relocate(&self, seat: usize) -> Option<Relocation> {
        let mut berths = self.world.berths()?;
        let relocation = berths.reseat(seat)?;
        let node = berths.name_of(berths.node_of(seat));
        drop(berths);
        let Relocation { method, moves, collisions: [before, after], .. } = &relocation;
        self.announce(&match (method, moves.len() - usize::from(!moves.is_empty())) {
            (None, _) => format!(
                "ftrun: no spare node is left: rank {seat} goes on at node {node}, repaired"
            ),
            (Some(method), others) => format!(
                "ftrun: rank {seat} goes on at node {node} ({method}, {others} others move); \
                 messages that collide: {before}, now {after}"
            ),
        });
        Some(relocation)
    }

    /// What becomes of the job after a failure; said before anybody else can speak of it.
    fn decide(&self, status: i32, obituary: &str, has_left: bool) -> Verdict {
        keep_first(&CAUSE, status);
        let rules = self.world.rules();
        let next = match rules {
            Rules::End | Rules::Ft(Modes { comm: CommMode::Abort, .. }) => {
                let last_words = format!("ftrun: {obituary}; the job ends");
                // As in any pipeline: a reader who has seen enough (`| head`) is no failure.
                let is_over = status == 128 + libc::SIGPIPE && output::has_no_reader();
                let last_words = if is_over { String::new() } else { last_words };
                return Verdict::End { status, last_words };
            }
            Rules::Standard if self.on_failure == OnFailure::Restart => {
                self.announce(&format!("ftrun: {obituary}; it starts again"));
                return Verdict::Restart;
            }
            Rules::Standard => "the others go on",
            _ if has_left => "it had left MPI, and the others go on",
            Rules::Ulfm => "mode ulfm: the others go on",
            Rules::Ft(modes) => match modes.comm {
                CommMode::Blank => "mode blank: its place stays empty when the others recover",
                CommMode::Shrink => "mode shrink: the others close ranks when they recover",
                _ => "mode rebuild: it starts again when the others recover",
            },
        };
        self.announce(&format!("ftrun: {obituary}; {next}"));
        // What the program repairs itself is made up for by whoever ends well (see `status`); what
        // it says after MPI_Finalize is no death.
        if rules != Rules::Ulfm || has_left {
            self.world.blame(status, has_left);
        }
        Verdict::Continue
    }
}

/// The status of the first rank that failed, whatever became of its seat; 0 so far.
static CAUSE: AtomicI32 = AtomicI32::new(0);

/// Whoever failed before decides.
fn keep_first(place: &AtomicI32, status: i32) {
    let _ = place.compare_exchange(0, status, Ordering::Relaxed, Ordering::Relaxed);
}

/// A line on stderr, written as a whole: ranks write there, too.
pub(super) fn say(line: &str) {
    // Where stderr is closed, nobody is left to be told.
    output::write(2, format!("{line}\n").as_bytes());
}

impl Tenant for Tenancy {
    fn began(&self, rank: &'static Rank) {
        let member = Member { seat: rank.seat, incarnation: rank.incarnation };
        if rank.incarnation > 0 {
            let relocation = self.relocate(rank.seat);
            self.world.tell(|chronicle, now| {
                chronicle.respawned(member, relocation.as_ref(), now);
            });
        }
        fates::began(member);
    }

    fn ended(&self, rank: &'static Rank, ending: Ending) -> Verdict {
        let status = match ending {
            Ending::Exited { status } => status,
            Ending::Signalled { number, .. } => 128 + number,
            Ending::Killed => 128 + libc::SIGKILL,
        };
        let member = Member { seat: rank.seat, incarnation: rank.incarnation };
        let fate = abort::fate_of(member).filter(|_| ending == Ending::Killed);
        let status = fate.as_ref().map_or(status, |fate| fate.status);
        live::ended(rank);
        let phases = rank.lodger::<Process>().map(|process| &process.phases);
        let debt = phases.and_then(Phases::debt);
        let has_left = phases.is_some_and(Phases::has_left);
        let verdict = match status != 0 || debt.is_some() {
            false => {
                self.has_survivor.store(true, Ordering::Relaxed);
                self.has_leaver.store(true, Ordering::Relaxed);
                live::finished(rank.seat);
                Verdict::Continue
            }
            true => {
                let mut obituary = match fate {
                    Some(fate) => format!("rank {} {}", rank.seat, fate.words),
                    None => life::obituary(rank, ending),
                };
                let order = fates::met(rank).filter(|_| ending == Ending::Killed);
                if let Some(order) = &order {
                    obituary = format!("{obituary}, as ordered for {order}");
                }
                if let Some(debt) = debt.filter(|_| matches!(ending, Ending::Exited { .. })) {
                    obituary = format!("{obituary}, without {debt}");
                }
                self.has_leaver.fetch_or(has_left, Ordering::Relaxed);
                self.chronicle(rank, ending, &obituary, order);
                // Whoever leaves MPI behind has failed, whatever it says.
                self.decide(if status == 0 { 1 } else { status }, &obituary, has_left)
            }
        };
        // Where a failure ends the job, the others hear nothing of it: each would have words of
        // its own, and those of the first dead are the ones that count. Nobody waits for ranks
        // who are done with MPI, but who starts again needs a seat that is free.
        let is_to_be_buried = match verdict {
            Verdict::End { .. } => false,
            Verdict::Restart => true,
            Verdict::Continue => !has_left,
        };
        if is_to_be_buried {
            self.world.bury(rank.seat, rank.incarnation);
            if let Some(process) = rank.lodger::<Process>() {
                process.lay_down();
            }
        }
        if verdict == Verdict::Continue {
            self.gone.0[rank.seat].store(true, Ordering::Release);
        }
        verdict
    }

    fn wake(&self, seat: usize) {
        self.world.wake(seat);
    }

    fn closing(&self) {
        self.world.end_chronicle();
        live::close();
    }

    fn status(&self) -> i32 {
        let is_lost =
            self.world.rules() == Rules::Ulfm && !self.has_survivor.load(Ordering::Relaxed);
        match self.world.status() {
            0 if is_lost => CAUSE.load(Ordering::Relaxed),
            status => status,
        }
    }

    fn last_words(&self) -> String {
        if self.has_leaver.load(Ordering::Relaxed) {
            return String::new();
        }
        // Even where nothing is said of failures: this is the end of the job.
        match self.world.size() {
            1 => "ftrun: the only rank has failed, and nobody is left".to_string(),
            size => format!("ftrun: all {size} ranks have failed, and nobody is left"),
        }
    }

    fn due(&self) -> Option<Instant> {
        let patience = self.patience.as_ref().and_then(Patience::due);
        [fates::due(), patience].into_iter().flatten().min()
    }
}

/// Whether ranks say what they leave behind.
static LEFTOVERS: AtomicBool = AtomicBool::new(false);

/// Says on stderr what `process` leaves behind, where that is wanted.
pub(super) fn report(process: &'static Process) {
    if !LEFTOVERS.load(Ordering::Relaxed) {
        return;
    }
    let left = leftovers::words(process);
    if !left.is_empty() {
        let lines = left.join("\n  ");
        say(&format!("ftrun: rank {} leaves behind:\n  {lines}", process.me.seat));
    }
}

/// Ends the job for an error that nobody wanted to hear. Where it is the death of a peer, the
/// status is the peer's: that is the cause.
pub(super) fn end_for_error(news: News, words: &str) -> ! {
    end_job(status_for(news), words)
}

/// The exit status for such an error.
pub(super) fn status_for(news: News) -> c_int {
    let cause = CAUSE.load(Ordering::Relaxed);
    if news.is_of_a_death && cause != 0 { cause } else { news.class.0 }
}

/// Ends the job from any thread, with `status` and last words on stderr.
pub(super) fn end_job(status: c_int, last_words: &str) -> ! {
    life::end_process(status, &format!("ftrun: {last_words}\n"))
}
