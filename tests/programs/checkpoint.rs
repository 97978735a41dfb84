//! Test: every function of `ftck`, by ranks in Rust. Its first word is a directory for files; the
//! last rank dies once, and with `shrink` nobody takes its place.

use ftck::{Checkpoints, Comm, Parts, State};
use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::ptr::{null_mut, without_provenance_mut};

const WORLD: *mut c_void = without_provenance_mut(0x101);

#[link(name = "ftmpi_rs")]
unsafe extern "C" {
    static mut ftmpi_check_recover: c_int;
    fn MPI_Init(count: *mut c_int, words: *mut c_void) -> c_int;
    fn MPI_Finalize() -> c_int;
    fn MPI_Barrier(comm: *mut c_void) -> c_int;
    fn MPI_Comm_rank(comm: *mut c_void, rank: *mut c_int) -> c_int;
    fn MPI_Comm_size(comm: *mut c_void, size: *mut c_int) -> c_int;
    fn MPI_Comm_set_errhandler(comm: *mut c_void, handler: *mut c_void) -> c_int;
    fn MPI_Comm_dup(comm: *mut c_void, made: *mut *mut c_void) -> c_int;
    fn raise(signal: c_int) -> c_int;
}

#[derive(Clone, Debug, PartialEq)]
struct Everything {
    doubles: Vec<f64>,
    triples: Vec<[f64; 3]>,
    bytes: Vec<u8>,
    words: [u64; 5],
    count: i32,
    nothing: [i16; 0],
}

impl Everything {
    fn of(rank: i32, moment: i32) -> Everything {
        let double = |at: i32| f64::from(rank * 1000 + moment * 10 + at);
        Everything {
            doubles: (0..100).map(double).collect(),
            triples: (0..7).map(|at| [double(at), 0.5, -1.0]).collect(),
            bytes: (0..33).map(|at: u8| at ^ rank as u8 ^ moment as u8).collect(),
            words: [u64::MAX - moment as u64; 5],
            count: moment,
            nothing: [],
        }
    }
}

impl State for Everything {
    fn list<'a>(&'a mut self, parts: &mut Parts<'a>) {
        parts.many(3, &mut self.doubles);
        parts.many(1, &mut self.triples);
        parts.many(4, &mut self.bytes);
        parts.many(7, &mut self.words);
        parts.one(-5, &mut self.count);
        parts.many(6, &mut self.nothing);
    }
}

fn place() -> (i32, i32) {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: two numbers of ours.
    unsafe {
        MPI_Comm_rank(WORLD, &mut rank);
        MPI_Comm_size(WORLD, &mut size);
    }
    (rank, size)
}

fn recover() {
    // SAFETY: by this address MPI_Comm_dup knows what is wanted.
    unsafe {
        let mut made: *mut c_void = (&raw mut ftmpi_check_recover).cast();
        while MPI_Comm_dup(WORLD, &mut made) != 0 {
            made = (&raw mut ftmpi_check_recover).cast();
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    // SAFETY: MPI may be given no arguments, and the handles are predefined.
    let is_new = unsafe { MPI_Init(null_mut(), null_mut()) } == 2001;
    for comm in [WORLD, without_provenance_mut(0x102)] {
        // SAFETY: as above.
        unsafe { MPI_Comm_set_errhandler(comm, without_provenance_mut(0x143)) };
    }
    let (rank, size) = place();
    let mut kept = Checkpoints::new(Comm::WORLD, "sum").expect("the scheme is known");
    kept.keep_on_disk(&PathBuf::from(&words[1]), 2).expect("there is a directory");
    kept.sit_on(rank as usize).expect("a node");
    kept.expect_failures("90s").expect("a time");
    let mut state = Everything::of(rank, 0);
    if !is_new {
        wrong(&mut kept);
        first_life(&mut kept, &mut state, (rank, size));
        recover();
    }
    after(&mut kept, &mut state, rank);
    println!("rank {} is right", place().0);
    drop(kept);
    // SAFETY: nothing is under way.
    unsafe { MPI_Finalize() };
}

/// What is wrong is told, and changes nothing.
fn wrong(kept: &mut Checkpoints) {
    let error = Checkpoints::new(Comm::WORLD, "nonsense").expect_err("there is no such scheme");
    assert!(error.to_string().contains("nonsense") && !error.is_loss(), "{error}");
    let error = Checkpoints::new(Comm::WORLD, "x\0r").expect_err("it has a zero");
    assert!(error.to_string().contains("zero"), "{error}");
    assert!(kept.expect_failures("soon").is_err() && kept.sit_on(usize::MAX).is_err());
    assert_eq!(kept.safety().expect("it can be asked"), None);
}

fn first_life(kept: &mut Checkpoints, state: &mut Everything, (rank, size): (i32, i32)) {
    assert_eq!(kept.restore(state).expect("nobody dies"), None);
    assert_eq!(*state, Everything::of(rank, 0), "nothing was there, and nothing is changed");
    assert!(kept.is_due().is_ok());
    kept.save(10, state).expect("nobody dies");
    // Who forgets that one is under way, and the state with it, leaves nothing behind.
    let mut lost = Everything::of(rank, 7);
    std::mem::forget(kept.save_beside(9, &mut lost).expect("nobody dies"));
    drop(lost);
    kept.save(10, state).expect("nobody dies");
    *state = Everything::of(rank, 1);
    let mut saving = kept.save_beside(11, state).expect("nobody dies");
    // It is copied already.
    *state = Everything::of(rank, 99);
    while !saving.is_done().expect("nobody dies") {}
    saving.wait().expect("it is taken");
    let safety = kept.safety().expect("it can be asked").expect("there is one");
    assert_eq!((safety.version, safety.failures, safety.digits), (11, Some(1), 0));
    let each = kept.tolerances(size as usize).expect("it can be asked");
    assert_eq!(each, vec![Some(1); size as usize]);
    assert_eq!(kept.orphans().expect("it can be asked"), Vec::<i32>::new());
    // SAFETY: the world is a communicator; and only this rank ends.
    unsafe {
        MPI_Barrier(WORLD);
        if rank == size - 1 {
            raise(9);
        }
        while MPI_Barrier(WORLD) == 0 {}
    }
    let error = kept.save(12, state).expect_err("somebody is dead");
    assert!(!error.is_loss(), "{error}");
}

/// Everybody has what was saved last; of whom nobody is there, somebody has the data.
fn after(kept: &mut Checkpoints, state: &mut Everything, rank: i32) {
    assert_eq!(kept.restore(state).expect("one death is made up for"), Some(11));
    assert_eq!(*state, Everything::of(rank, 1));
    for lost in kept.orphans().expect("it can be asked") {
        let mut doubles = vec![0.0; 100];
        kept.adopt(lost, 3, &mut doubles).expect("it had as many");
        assert_eq!(doubles, Everything::of(lost, 1).doubles);
        assert!(kept.adopt(lost, 3, &mut [0.0]).is_err(), "it had more");
        println!("the data of rank {lost} are here");
    }
    *state = Everything::of(rank, 2);
    kept.move_to(Comm::WORLD).expect("it is the same");
    drop(kept.save_beside(20, state).expect("nobody dies"));
    assert_eq!(kept.safety().expect("it can be asked").map(|safety| safety.version), Some(20));
}
