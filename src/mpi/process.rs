//! One rank's MPI: its tables of objects, its engine, its state between init and finalize.

use crate::base::Member;
use crate::engine::World;
use crate::engine::{Engine, Fellowship, Summons};
use crate::host::life::{self, Pulse};
use crate::host::sched;
use crate::mpi::attributes::{Keyvals, Predefined};
use crate::mpi::comm::group::Group;
use crate::mpi::comm::{self, Comm};
use crate::mpi::datatype::predefined;
use crate::mpi::datatype::{Asked, Datatype, Notes};
use crate::mpi::dynamic::births;
use crate::mpi::errhandler::{Errhandler, Installed};
use crate::mpi::error::{Class, Error, Failure, Result, told};
use crate::mpi::error_codes::Codes;
use crate::mpi::failure::call_trace;
use crate::mpi::failure::creation_order::Lineage;
use crate::mpi::failure::planned_death::PlannedDeath;
use crate::mpi::failure::recovery_times::RecoveryTimes;
use crate::mpi::file::open_file::File;
use crate::mpi::file::representation::Registered;
use crate::mpi::handle_table::{Held, Sort, Table};
use crate::mpi::info::Info;
use crate::mpi::op::Op;
use crate::mpi::open_session::Session;
use crate::mpi::p2p::attached_buffer::Slot;
use crate::mpi::p2p::held_messages::Messages;
use crate::mpi::p2p::request_table::Requests;
use crate::mpi::phases::Phases;
use crate::mpi::program::Program;
use crate::mpi::rma::win::{Win, Windows};
use crate::mpi::saved::Saved;
use crate::mpi::thread::thread_token;
use crate::mpi::tools::state::Tools;
use parking_lot::{Mutex, RwLock};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

pub const GROUP_EMPTY: usize = 0x109;
pub const INFO_ENV: usize = 0x131;
pub const FILE_NULL: usize = 0x118;

static EMPTY: LazyLock<Group> = LazyLock::new(|| {
    // The holder is of no matter: it is not in there.
    Group::of(Vec::new(), Member { seat: 0, incarnation: 0 })
});

/// What one incarnation of a rank knows of MPI. Every door gets it first.
pub struct Process {
    pub me: Member,
    pub world: &'static World,
    pub engine: Engine,
    pub program: &'static dyn Program,
    pub phases: Phases,
    pub codes: Codes,
    pub predefined: Predefined,
    pub comms: Table<Comm>,
    pub groups: Table<Group>,
    pub datatypes: Table<Datatype>,
    pub ops: Table<Op>,
    pub infos: Table<Info>,
    pub errhandlers: Table<Errhandler>,
    pub keyvals: Keyvals,
    pub sessions: Table<Session>,
    pub files: Table<File>,
    /// The data representations of files that the program has registered.
    pub datareps: Mutex<Vec<Arc<Registered>>>,
    pub windows: Windows,
    /// What the floor above keeps of this rank.
    pub checkpoints: Table<Tenant>,
    /// Parametrised datatypes.
    pub asked: Asked,
    /// What MPI_Buffer_attach attached.
    pub buffer: Slot,
    /// What MPI_Mprobe has matched.
    pub messages: Messages,
    pub requests: Requests,
    /// What hears of errors that belong to no object, before MPI_Init and after MPI_Finalize.
    pub initial_errhandler: Installed,
    /// What hears of errors of MPI_FILE_NULL.
    pub file_errhandler: Installed,
    /// The deaths that were ordered for this life, if any were.
    pub fate: OnceLock<Arc<PlannedDeath>>,
    /// What MPI_T_init_thread and its like have opened.
    pub tools: Tools,
    pub recoveries: RecoveryTimes,
    pub saved: Saved,
    pub(super) pulse: Pulse,
    /// MPI_COMM_WORLD as it was at first, and as it is after recoveries.
    first_world: Comm,
    repaired_world: RwLock<Option<Arc<Comm>>>,
    self_comm: Comm,
    /// How many collective operations have begun.
    collectives: AtomicU64,
    /// The next recovery, as far as it is known; away while some thread takes part in it.
    pub(super) recovery: Mutex<Option<Summons>>,
    has_recovered: AtomicBool,
    /// Which thread has taken part in the last recovery, for all.
    pub(super) recoverer: AtomicUsize,
    /// Which threads were told of a failure, in which generation, and have not asked for recovery.
    pub(super) told: Mutex<BTreeMap<usize, u64>>,
    /// Which communicators were made in which order.
    pub(super) lineage: Mutex<Lineage>,
    pub(super) environment: OnceLock<Info>,
    notes: Mutex<BTreeMap<usize, Arc<Notes>>>,
    last: Mutex<Option<Last>>,
    /// The handle of the intercommunicator with the parents; 0: there are none.
    pub(super) parent: AtomicUsize,
}

/// What a floor above keeps here: it dies with the rank.
pub type Tenant = Box<dyn Any + Send + Sync>;

/// The latest error of this process, and whose it was.
struct Last {
    thread: usize,
    call: &'static str,
    error: Error,
}

impl Process {
    /// The MPI of a rank that has just come to life. `app`: which of the job's programs it runs.
    pub fn new(
        world: &'static World, (me, app): (Member, usize), pulse: Pulse,
        program: &'static dyn Program,
    ) -> Process {
        let everyone = Arc::new(births::group_of_world(world, me));
        let birth = births::of(world, me.seat);
        let appnum = birth.as_ref().map_or(app, |(_, appnum)| *appnum);
        let context = birth.as_ref().map_or(comm::WORLD_CONTEXT, |(birth, _)| birth.context);
        let alone = Arc::new(Group::of(vec![me], me));
        let of_birth =
            |(birth, appnum): &(Arc<births::Birth>, usize)| birth.errhandler(world, *appnum);
        let errhandler = birth.as_ref().map_or_else(|| world.charter().errhandler(), of_birth);
        let engine = Engine::new(world, me.seat, me.incarnation, pulse.clone());
        if birth.is_some() {
            engine.keep_off_fast_path();
        }
        Process {
            me,
            world,
            engine,
            program,
            phases: Phases::default(),
            codes: Codes::default(),
            predefined: Predefined::new(world.size(), appnum),
            comms: Table::new(Sort::Comm),
            groups: Table::new(Sort::Group),
            datatypes: Table::new(Sort::Datatype),
            ops: Table::new(Sort::Op),
            infos: Table::new(Sort::Info),
            errhandlers: Table::new(Sort::Errhandler),
            keyvals: Keyvals::new(program),
            sessions: Table::new(Sort::Session),
            files: Table::new(Sort::File),
            datareps: Mutex::default(),
            windows: Windows::default(),
            checkpoints: Table::new(Sort::Checkpoint),
            asked: Asked::new(),
            buffer: Slot::new(),
            messages: Messages::new(),
            requests: Requests::new(),
            initial_errhandler: Installed::initial(errhandler),
            file_errhandler: Installed::of_files(),
            fate: OnceLock::new(),
            tools: Tools::new(world, pulse.clone()),
            recoveries: RecoveryTimes::default(),
            saved: Saved::default(),
            pulse,
            first_world: Comm::new(comm::WORLD, context, everyone, "MPI_COMM_WORLD")
                .of_generation(0)
                .starting_with(Installed::initial(errhandler)),
            repaired_world: RwLock::default(),
            self_comm: Comm::new(comm::SELF, comm::SELF_CONTEXT, alone, "MPI_COMM_SELF")
                .starting_with(Installed::initial(errhandler)),
            collectives: AtomicU64::new(0),
            recovery: Mutex::default(),
            has_recovered: AtomicBool::new(false),
            recoverer: AtomicUsize::new(0),
            told: Mutex::default(),
            lineage: Mutex::default(),
            environment: OnceLock::new(),
            notes: Mutex::default(),
            last: Mutex::default(),
            parent: AtomicUsize::new(0),
        }
    }

    /// Fails outside of the time between MPI_Init and MPI_Finalize.
    #[inline]
    pub fn is_inside(&self) -> Result {
        self.phases.is_inside()
    }

    /// MPI_COMM_WORLD.
    #[inline]
    pub fn world_comm(&'static self) -> Held<Comm> {
        match self.engine.generation() {
            0 => Held::Ever(&self.first_world),
            _ => {
                Held::Counted(self.repaired_world.read().clone().expect("set with the generation"))
            }
        }
    }

    /// How many collective operations have begun, on whatever communicator. Where several threads
    /// begin some at once, one of them may be missing. For others, too.
    pub fn collectives(&self) -> u64 {
        self.collectives.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn count_collective(&self) {
        let count = self.collectives.load(Ordering::Relaxed);
        self.collectives.store(count + 1, Ordering::Relaxed);
    }

    /// What the communicator is called whose messages have this context. For others, too.
    pub(super) fn title_of(&self, context: u32) -> String {
        let windows = self.windows.table.all().into_iter().map(|(_, win)| win);
        if let Some(win) = windows.into_iter().find(|win| win.comm.context() == context / 2) {
            return win.title();
        }
        self.on(context, Comm::title).unwrap_or("a communicator".to_string())
    }

    /// Something about the communicator whose messages have this context. For others, too.
    pub(super) fn on<T>(&self, context: u32, of: impl FnOnce(&Comm) -> T) -> Option<T> {
        // Collectives have a context beside that of messages (see `Comm::context`).
        let of_comm = context / 2;
        let known = [&self.first_world, &self.self_comm];
        if let Some(comm) = known.into_iter().find(|comm| comm.context() == of_comm) {
            return Some(of(comm));
        }
        let repaired = self.repaired_world.try_read().and_then(|world| world.clone());
        let made = self.comms.all().into_iter().map(|(_, comm)| comm).chain(self.hidden_comms());
        let found = repaired.into_iter().chain(made).find(|comm| comm.context() == of_comm);
        if let Some(comm) = found {
            return Some(of(&comm));
        }
        let files = self.files.all().into_iter();
        let file = files.map(|(_, file)| file).find(|file| file.comm.context() == of_comm);
        file.map(|file| of(&file.comm))
    }

    /// How many bytes the rank's heap takes up, its large blocks excluded.
    pub fn heap_bytes(&self) -> usize {
        life::living(self.me.seat).map_or(0, |rank| rank.heap_bytes())
    }

    /// All communicators that the program has made, those of windows and files included.
    pub(super) fn made_comms(&self) -> impl Iterator<Item = Held<Comm>> {
        let files = self.files.all().into_iter().map(|(_, file)| file.comm.clone());
        let made = self.comms.all().into_iter().map(|(_, comm)| comm);
        made.chain(self.hidden_comms()).map(Held::Counted).chain(files)
    }

    /// The communicators of its windows.
    fn hidden_comms(&self) -> impl Iterator<Item = Arc<Comm>> {
        self.windows.table.all().into_iter().map(|(_, win)| win.comm.clone())
    }

    /// What MPI_COMM_WORLD was before anybody repaired it.
    pub(super) fn world_of_old(&'static self) -> &'static Comm {
        &self.first_world
    }

    /// Whether a call may be made that names MPI_COMM_WORLD, and there is nothing about this
    /// process that its doors must know.
    #[inline(always)]
    pub fn is_plainly_inside(&self) -> bool {
        self.pulse.is_calm() && self.phases.has_world()
    }

    /// MPI_COMM_WORLD as it was at first, if that is what `handle` means. For those who are plainly
    /// inside, and find that the engine [may take the fast path](Engine::may_take_fast_path).
    #[inline(always)]
    pub(super) fn first_world(&'static self, handle: usize) -> Option<&'static Comm> {
        (handle == comm::WORLD).then_some(&self.first_world)
    }

    /// MPI_COMM_WORLD is this from now on.
    pub(super) fn set_world_comm(&self, comm: Comm) {
        *self.repaired_world.write() = Some(Arc::new(comm));
    }

    /// Whether some thread has begun a recovery. From now on one has.
    pub(super) fn begins_to_recover(&self) -> bool {
        !self.has_recovered.swap(true, Ordering::Relaxed)
    }

    /// The rank is dead, and its threads are gone: gives back what it had, but not the record.
    pub fn lay_down(&self) {
        self.windows.clear();
        self.checkpoints.clear();
        self.lay_down_but_memory();
    }

    /// The same, but for what other processes may still use.
    pub fn lay_down_but_memory(&self) {
        self.requests.clear();
        self.messages.clear();
        self.comms.clear();
        self.groups.clear();
        self.datatypes.clear();
        self.ops.clear();
        self.infos.clear();
        self.errhandlers.clear();
        self.keyvals.table.clear();
        self.sessions.clear();
        self.files.clear();
        self.tools.clear();
        drop(self.recovery.try_lock().map(|mut recovery| recovery.take()));
        drop(self.repaired_world.try_write().map(|mut world| world.take()));
        self.engine.lay_down();
    }

    /// Lets the engine find out which communicators there are.
    pub fn introduce(&'static self) {
        self.engine.introduce(|| {
            let predefined = [self.world_comm(), Held::Ever(&self.self_comm)];
            // Nothing is under way on those of earlier generations, and programs may leak them.
            let generation = self.engine.generation();
            let counts = |comm: &Arc<Comm>| {
                comm.generation >= generation && !comm.is_alias_of(&self.first_world)
            };
            let made = self.comms.all().into_iter().map(|(_, comm)| comm);
            let made = made.chain(self.hidden_comms()).filter(counts);
            let made = made.map(Held::Counted);
            let fellowship = |comm: Held<Comm>| Fellowship {
                context: comm.context(),
                roster: comm.everyone(),
                msg: comm.losses.modes().map(|modes| modes.msg),
            };
            predefined.into_iter().chain(made).map(fellowship).collect()
        });
    }

    /// MPI_COMM_SELF.
    pub fn self_comm(&'static self) -> &'static Comm {
        &self.self_comm
    }

    /// The communicator behind `handle`.
    #[inline(always)]
    pub fn find_comm(&'static self, handle: usize) -> Option<Held<Comm>> {
        // Most calls are on MPI_COMM_WORLD, and nothing has happened to it.
        match handle == comm::WORLD && self.phases.has_world() && self.engine.generation() == 0 {
            true => Some(Held::Ever(&self.first_world)),
            false => self.look_up_comm(handle),
        }
    }

    #[inline(never)]
    fn look_up_comm(&'static self, handle: usize) -> Option<Held<Comm>> {
        match handle {
            // Sessions bring no communicators along (MPI-5.0 §11.3).
            comm::WORLD | comm::SELF if !self.phases.has_world() => None,
            comm::WORLD => Some(self.world_comm()),
            comm::SELF => Some(Held::Ever(&self.self_comm)),
            _ => self.made_comm(handle),
        }
    }

    fn made_comm(&'static self, handle: usize) -> Option<Held<Comm>> {
        self.comms.find(handle).map(|comm| match self.engine.generation() > 0 {
            true => self.renewed(comm),
            false => Held::Counted(comm),
        })
    }

    /// Another handle of MPI_COMM_WORLD keeps step with it.
    fn renewed(&'static self, comm: Arc<Comm>) -> Held<Comm> {
        if comm.generation < self.engine.generation() && comm.is_alias_of(&self.first_world) {
            let alias = Arc::new(self.world_comm().alias(comm.handle));
            self.comms.replace(comm.handle, alias.clone());
            return Held::Counted(alias);
        }
        Held::Counted(comm)
    }

    /// The communicator that an argument called `name` names.
    #[inline]
    pub fn comm(&'static self, handle: usize, name: &str) -> Result<Held<Comm>> {
        self.find_comm(handle).ok_or_else(|| no_comm(name, handle))
    }

    /// The session that an argument called `name` names.
    pub fn session(&self, handle: usize, name: &str) -> Result<Arc<Session>> {
        self.sessions.find(handle).ok_or_else(|| {
            Class::SESSION.because(unknown(name, handle, 0x120, "MPI_SESSION_NULL", "session"))
        })
    }

    /// The open file that an argument called `name` names.
    pub fn file(&self, handle: usize, name: &str) -> Result<Arc<File>> {
        self.files.find(handle).ok_or_else(|| {
            Class::FILE.because(unknown(name, handle, FILE_NULL, "MPI_FILE_NULL", "file"))
        })
    }

    /// The window that an argument called `name` names.
    #[inline]
    pub fn win(&self, handle: usize, name: &str) -> Result<Held<Win>> {
        self.windows.find(handle).map(Held::Counted).ok_or_else(|| {
            Class::WIN.because(unknown(name, handle, 0x110, "MPI_WIN_NULL", "window"))
        })
    }

    /// The group that an argument called `name` names.
    pub fn group(&self, handle: usize, name: &str) -> Result<Held<Group>> {
        let found = match handle {
            GROUP_EMPTY => Some(Held::Ever(&*EMPTY)),
            _ => self.groups.find(handle).map(Held::Counted),
        };
        found.ok_or_else(|| {
            Class::GROUP.because(unknown(name, handle, 0x108, "MPI_GROUP_NULL", "group"))
        })
    }

    /// The datatype that an argument called `name` names.
    #[inline]
    pub fn datatype(&self, handle: usize, name: &str) -> Result<Held<Datatype>> {
        match predefined::find(handle) {
            Some(named) => Ok(named),
            None => self.made_datatype(handle, name),
        }
    }

    #[inline(never)]
    fn made_datatype(&self, handle: usize, name: &str) -> Result<Held<Datatype>> {
        let made = self.datatypes.find(handle).map(Held::Counted);
        made.ok_or_else(|| no_datatype(name, handle))
    }

    /// The operation that an argument called `name` names.
    #[inline]
    pub fn op(&self, handle: usize, name: &str) -> Result<Held<Op>> {
        match Op::predefined(handle) {
            Some(named) => Ok(named),
            None => self.made_op(handle, name),
        }
    }

    #[inline(never)]
    fn made_op(&self, handle: usize, name: &str) -> Result<Held<Op>> {
        self.ops.find(handle).map(Held::Counted).ok_or_else(|| {
            Class::OP.because(unknown(name, handle, 0x20, "MPI_OP_NULL", "operation"))
        })
    }

    /// The info that an argument called `name` names.
    pub fn info(&'static self, handle: usize, name: &str) -> Result<Held<Info>> {
        let found = match handle {
            INFO_ENV => Some(Held::Ever(self.env())),
            _ => self.infos.find(handle).map(Held::Counted),
        };
        found.ok_or_else(|| {
            Class::INFO.because(unknown(name, handle, 0x130, "MPI_INFO_NULL", "info"))
        })
    }

    /// What MPI_INFO_ENV says, as an info that goes its own way.
    pub fn environment(&self) -> Info {
        self.env().duplicate()
    }

    /// The error handler that an argument called `name` names.
    pub fn errhandler(&self, handle: usize, name: &str) -> Result<Held<Errhandler>> {
        let found = Errhandler::predefined(handle);
        let found = found.or_else(|| self.errhandlers.find(handle).map(Held::Counted));
        found.ok_or_else(|| {
            let null = "MPI_ERRHANDLER_NULL";
            Class::ERRHANDLER.because(unknown(name, handle, 0x140, null, "error handler"))
        })
    }

    /// The program gives one hold of an error handler back. Where it is set, it stays in force.
    pub fn free_errhandler(&self, handle: usize) -> Result {
        if self.errhandler(handle, "errhandler")?.give_back() {
            self.errhandlers.remove(handle);
        }
        Ok(())
    }

    /// What this process writes on `datatype`.
    pub fn notes(&self, datatype: &Datatype) -> Arc<Notes> {
        match predefined::name(datatype.handle) {
            Some(_) => self.notes.lock().entry(datatype.handle).or_default().clone(),
            None => datatype.notes.clone(),
        }
    }

    /// A thread whose calls are counted enters one.
    #[cold]
    pub fn enters(&self, call: &str) -> Result {
        call_trace::enters(self.me, call);
        self.ends_if(|fate| fate.enters(call))
    }

    /// A thread whose calls are counted comes to the end of one with this code.
    #[cold]
    pub fn leaves(&self, code: i32) -> Result {
        call_trace::leaves(self.me, code);
        sched::leave_door();
        self.ends_if(PlannedDeath::leaves)
    }

    /// A call comes to its end with an error of this class.
    #[cold]
    pub fn fails(&self, class: Class) -> Result {
        self.leaves(told(self.world.rules(), class).0)
    }

    /// The calling thread begins to take part in a recovery.
    pub fn recovers(&self) -> Result {
        call_trace::steps(self.me);
        self.ends_if(PlannedDeath::recovers)
    }

    fn ends_if(&self, is_met: impl FnOnce(&PlannedDeath) -> bool) -> Result {
        match self.fate.get() {
            Some(fate) if is_met(fate) => Err(Failure::died()),
            _ => Ok(()),
        }
    }

    /// Keeps `error` of `call` for MPI_Error_string.
    pub fn remember(&self, call: &'static str, error: Error) {
        *self.last.lock() = Some(Last { thread: thread_token(), call, error });
    }

    /// What the latest error of the calling thread was about, if it was one of class `class`.
    pub fn recall(&self, class: Class) -> Option<String> {
        let last = self.last.lock();
        let last = last.as_ref()?;
        let Error { class: own, cause, .. } = last.error;
        let told = |known: Class| told(self.world.rules(), known) == class || known == class;
        let is_it = last.thread == thread_token() && (told(own) || cause.is_some_and(told));
        is_it.then(|| format!("{}: {}", last.call, last.error.detail))
    }
}

#[cold]
fn no_comm(name: &str, handle: usize) -> Failure {
    Class::COMM.because(unknown(name, handle, comm::NULL, "MPI_COMM_NULL", "communicator"))
}

#[cold]
fn no_datatype(name: &str, handle: usize) -> Failure {
    Class::TYPE.because(unknown(name, handle, 0x200, "MPI_DATATYPE_NULL", "datatype"))
}

#[cold]
fn unknown(name: &str, handle: usize, null: usize, null_name: &str, what: &str) -> String {
    match handle {
        0 => format!("{name} is a null pointer, not a valid {what} handle"),
        _ if handle == null => format!("{name} is {null_name}"),
        comm::WORLD | comm::SELF if null == comm::NULL => {
            let which = if handle == comm::WORLD { "MPI_COMM_WORLD" } else { "MPI_COMM_SELF" };
            format!("{name}: {which} exists only between MPI_Init and MPI_Finalize")
        }
        _ => {
            format!("{name} is {handle:#x}, not a valid {what} handle here (was it freed?)")
        }
    }
}
