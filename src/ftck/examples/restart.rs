//! A computation that survives the deaths of ranks, in Rust:
//!
//!     ftrun -np 8 --mode rebuild target/release/examples/restart 3@250 5@250
//!
//! Each rank has a thousand numbers, which approach the mean of all. `RANK@STEP`: that rank dies at
//! that step, in its first life. The last line does not depend on which ranks die.

use ftck::{Checkpoints, Comm, Parts, State};
use std::ffi::{c_int, c_void};
use std::ptr::{null_mut, without_provenance_mut};

const STEPS: i32 = 400;
const EACH: i32 = 100;

/// The state that is needed to continue.
struct Numbers {
    x: Vec<f64>,
    step: i32,
}

impl State for Numbers {
    fn list<'a>(&'a mut self, parts: &mut Parts<'a>) {
        parts.many(0, &mut self.x);
        parts.one(1, &mut self.step);
    }
}

fn main() {
    let is_new = mpi::init() == mpi::RESTARTED;
    let (rank, size) = mpi::place();
    let mut numbers = Numbers { x: (0..1000).map(|at| f64::from(rank * at)).collect(), step: 0 };
    let mut kept = Checkpoints::new(Comm::WORLD, "rs:2").expect("the scheme is known");
    // A replacement starts in a world that is already repaired.
    while let Err(error) = go_on(&mut kept, &mut numbers, !is_new) {
        // All ranks are told, and one reports it.
        if error.is_loss() && rank == 0 {
            eprintln!("restart: {error}");
            mpi::abort();
        }
        mpi::recover();
    }
    if rank == 0 {
        let sum: f64 = numbers.x.iter().sum();
        println!("{size} ranks, {STEPS} steps: {sum:.12e}");
    }
    drop(kept);
    mpi::finalize();
}

/// Continues from the last checkpoint; fails when a rank dies.
fn go_on(kept: &mut Checkpoints, numbers: &mut Numbers, may_die: bool) -> Result<(), ftck::Error> {
    kept.restore(numbers)?;
    while numbers.step < STEPS {
        if numbers.step % EACH == 0 {
            kept.save(numbers.step, numbers)?;
        }
        if may_die {
            die_if_asked(numbers.step);
        }
        let mean = mpi::sum(numbers.x.iter().sum())? / (1000 * mpi::place().1) as f64;
        numbers.x.iter_mut().for_each(|x| *x += 0.01 * (mean - *x));
        numbers.step += 1;
    }
    // A rank that gets past this knows that all have finished.
    mpi::sum(0.0).map(drop)
}

fn die_if_asked(step: i32) {
    let here = format!("{}@{step}", mpi::place().0);
    if std::env::args().skip(1).any(|word| word == here) {
        mpi::die();
    }
}

/// The few functions of MPI that it needs; crates that bind all of it work, too.
mod mpi {
    use super::*;

    pub(super) const RESTARTED: c_int = 2001;
    const ERRORS_RETURN: usize = 0x143;
    const DOUBLE: usize = 0x214;
    const SUM: usize = 0x21;
    const SIGKILL: c_int = 9;
    const WORLD: *mut c_void = without_provenance_mut(0x101);

    #[link(name = "ftmpi_rs")]
    unsafe extern "C" {
        static mut ftmpi_check_recover: c_int;
        fn MPI_Init(count: *mut c_int, words: *mut c_void) -> c_int;
        fn MPI_Finalize() -> c_int;
        fn MPI_Abort(comm: *mut c_void, code: c_int) -> c_int;
        fn MPI_Comm_rank(comm: *mut c_void, rank: *mut c_int) -> c_int;
        fn MPI_Comm_size(comm: *mut c_void, size: *mut c_int) -> c_int;
        fn MPI_Comm_set_errhandler(comm: *mut c_void, handler: *mut c_void) -> c_int;
        fn MPI_Comm_dup(comm: *mut c_void, made: *mut *mut c_void) -> c_int;
        fn MPI_Comm_free(comm: *mut *mut c_void) -> c_int;
        fn MPI_Allreduce(
            from: *const f64, to: *mut f64, count: c_int, datatype: *mut c_void, op: *mut c_void,
            comm: *mut c_void,
        ) -> c_int;
        fn raise(signal: c_int) -> c_int;
    }

    pub(super) fn init() -> c_int {
        // SAFETY: MPI may be given no arguments, and the handles are predefined.
        unsafe {
            let status = MPI_Init(null_mut(), null_mut());
            MPI_Comm_set_errhandler(WORLD, without_provenance_mut(ERRORS_RETURN));
            status
        }
    }

    pub(super) fn finalize() {
        // SAFETY: no communication is pending.
        unsafe { MPI_Finalize() };
    }

    /// The rank, and the number of ranks.
    pub(super) fn place() -> (i32, i32) {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: two numbers of ours.
        unsafe {
            MPI_Comm_rank(WORLD, &mut rank);
            MPI_Comm_size(WORLD, &mut size);
        }
        (rank, size)
    }

    pub(super) fn sum(mine: f64) -> Result<f64, ftck::Error> {
        let (mut all, datatype, op) = (0.0, DOUBLE, SUM);
        let [datatype, op] = [datatype, op].map(without_provenance_mut);
        // SAFETY: two numbers of ours, and predefined handles.
        let code = unsafe { MPI_Allreduce(&mine, &mut all, 1, datatype, op, WORLD) };
        ftck::checked(code).map(|()| all)
    }

    /// All ranks together repair the world.
    pub(super) fn recover() {
        // SAFETY: by this address MPI_Comm_dup recognizes the request; a handle takes its place.
        unsafe {
            let wanted: *mut c_void = (&raw mut ftmpi_check_recover).cast();
            let mut made = wanted;
            while MPI_Comm_dup(WORLD, &mut made) != 0 {
                made = wanted;
            }
            MPI_Comm_free(&mut made);
        }
    }

    /// Ends the whole job; a rank that only exits counts as dead.
    pub(super) fn abort() {
        // SAFETY: this ends the whole job.
        unsafe { MPI_Abort(WORLD, 1) };
    }

    pub(super) fn die() {
        // SAFETY: it ends this rank only.
        unsafe { raise(SIGKILL) };
    }
}
