//! The start of a rank: ground, record, thread, images, constructors, `main`.

use super::closing::end_process;
use super::exit::exit_current;
use super::running_job::{self, RunningJob};
use super::thread::Thread;
use super::{Life, Newcomer, threads};
use crate::host::Rank;
use crate::host::errno;
use crate::host::fiber::{self, Body, Fiber};
use crate::host::loader::Images;
use crate::host::rank::adopt;
use crate::host::shims;
use crate::host::{output, replay, sched, virtual_time};
use std::ffi::{CStr, CString, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::Ordering;

/// Starts a rank in `seat`.
pub(super) fn bear(world: &'static RunningJob, seat: usize, who: Newcomer) -> Result<(), String> {
    let place = &world.seats[seat];
    let mut ground = place.ground.lock();
    let failed = |what: &str, error: std::io::Error| format!("rank {seat}: {what}: {error}");
    let prepared = world.plan.prepare(&mut ground);
    prepared.map_err(|error| failed("no memory for its stack", error))?;
    let app = world.app_of(seat);
    let images = Images::at(app.template, world.plan.images(&ground));
    let arguments = world.plan.stack(&ground).end - app.arguments.bytes();
    let life = Life::new(who.generation, &world.plan, &ground, arguments);
    let rank = Box::new(Rank::new(seat, who, images, life));
    if replay::is_wanted() {
        rank.pulse.take_turns();
    }
    // The supervisor takes it back.
    let rank: &'static Rank = Box::leak(rank);
    let fiber = world.fiber_of(seat);
    let thread = Thread::new(0, fiber);
    rank.life.threads.lock().push(thread.clone());
    place.let_to(rank);
    world.tenant.began(rank);
    let mut stack = world.plan.stack(&ground);
    stack.end = rank.life.arguments;
    // SAFETY: the ground is prepared for this rank, and not in use yet.
    unsafe { app.arguments.lay_down(stack.end) };
    match fiber {
        Some(fiber) => start_fiber(rank, fiber, &thread, stack),
        None => start_thread(rank, stack),
    }
    .map_err(|error| failed("no thread for it", error))
}

fn start_fiber(
    rank: &'static Rank, fiber: &'static Fiber, thread: &Thread, stack: Range<usize>,
) -> Result<(), std::io::Error> {
    let (start, bytes) = rank.life.signal_stack;
    // SAFETY: the seat is this rank's, and so are its stacks and the record of its fiber; the
    // supervisor keeps the thread until it is gone.
    let is_started = unsafe {
        let body = Body { call: begin_fiber, argument: ptr::from_ref(rank).expose_provenance() };
        fiber.start(stack, start..start + bytes, thread.alive(), body)
    };
    if rank.past_lives() > 0 {
        fiber.begin_later(virtual_time::time_to_restart());
    }
    let no_memory = || std::io::Error::from_raw_os_error(libc::ENOMEM);
    is_started.then_some(()).ok_or_else(no_memory)
}

fn start_thread(rank: &'static Rank, stack: Range<usize>) -> Result<(), std::io::Error> {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (attributes, bottom) =
        (attributes.as_mut_ptr(), ptr::with_exposed_provenance_mut(stack.start));
    let mut handle = 0;
    let argument = ptr::from_ref(rank).cast_mut().cast::<c_void>();
    let body: extern "C-unwind" fn(*mut c_void) -> *mut c_void = begin;
    // SAFETY: the attributes are initialised first; the stack is the rank's own.
    let status = unsafe {
        libc::pthread_attr_init(attributes);
        libc::pthread_attr_setstack(attributes, bottom, stack.len());
        threads::pthread_create(&mut handle, attributes, body, argument)
    };
    if status == 0 { Ok(()) } else { Err(std::io::Error::from_raw_os_error(status)) }
}

fn begin_fiber(rank: usize) -> ! {
    // SAFETY: `start_fiber` passes a record that stays until this fiber is gone.
    live(unsafe { &*ptr::with_exposed_provenance::<Rank>(rank) }, true)
}

extern "C-unwind" fn begin(rank: *mut c_void) -> *mut c_void {
    // SAFETY: `start_thread` passes a record that stays until this thread is gone.
    let rank: &'static Rank = unsafe { &*rank.cast::<Rank>() };
    live(rank, false)
}

/// The body of a rank's first thread.
fn live(rank: &'static Rank, is_fiber: bool) -> ! {
    adopt(Some(rank));
    let frame = ptr::from_ref(&rank).addr();
    rank.life.first_frame.store(frame, Ordering::Relaxed);
    fiber::aside(|| settle_in(rank, is_fiber));
    let app = running_job::of_process().app_of(rank.seat);
    if let Some(directory) = app.directory() {
        enter(directory);
    }
    let (argc, argv) = (app.arguments.count(), rank.life.arguments);
    let argv = ptr::with_exposed_provenance_mut(argv);
    // Neither constructors nor `main` find what the library has left, which waits in both places.
    errno::set(0);
    rank.images.construct(argc, argv, rank.libc.envp());
    errno::set(0);
    exit_current(rank.images.main(argc, argv, rank.libc.envp()))
}

/// Takes the calling thread of a rank to its directory.
fn enter(directory: &CStr) {
    threads::settle();
    // SAFETY: the path is terminated.
    if unsafe { libc::chdir(directory.as_ptr()) } != 0 {
        let why = std::io::Error::last_os_error();
        let directory = directory.to_string_lossy();
        output::write(2, format!("ftrun: cannot enter {directory}: {why}\n").as_bytes());
        exit_current(1);
    }
}

/// Prepares the rank's thread before the first instruction of the program.
fn settle_in(rank: &'static Rank, is_fiber: bool) {
    let thread = rank.life.threads.lock()[0].clone();
    if !is_fiber {
        // SAFETY: has no preconditions. If it is not allowed, ranks share a working directory.
        // Threads started by this one share its directory.
        unsafe { libc::unshare(libc::CLONE_FS) };
        sched::spread(rank.seat);
        threads::find_number_in_descriptor();
    }
    thread.begin(rank, rank.life.signal_stack);
    drop(thread);
    move_into_images(rank);
    rank.images.adopt_tls();
    running_job::of_process().app_of(rank.seat).furnish(rank);
    if rank.past_lives() > 0 {
        let numbers = [
            ("FTMPI_INCARNATION", u64::from(rank.past_lives())),
            ("FTMPI_GENERATION", rank.life.generation),
        ];
        for (name, number) in numbers {
            let line = CString::new(format!("{name}={number}"));
            rank.libc.set_variable(&line.expect("a number has no null byte"));
        }
    }
}

/// Makes the rank's images, and connects it with the libc variables in them.
fn move_into_images(rank: &'static Rank) {
    let text = |name: &'static CStr| name.to_str().unwrap_or("");
    if rank.images.are_shared() {
        let homes = rank.images.shared_homes();
        return homes.for_each(|(name, home)| rank.libc.share_home(text(name), home));
    }
    // SAFETY: the ground was prepared for these images.
    if let Err(error) = unsafe { rank.images.make(&|name| shims::variable(&rank.libc, name)) } {
        end_process(2, &format!("ftrun: rank {}: no memory for its images: {error}\n", rank.seat));
    }
    let homes = rank.images.symbol_homes();
    homes.for_each(|(name, home)| rank.libc.set_home(text(name), home));
}
