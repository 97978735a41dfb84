//! What is said when code outside of all ranks strikes a fault: no rank can die of it, so the
//! process does, and whoever reads of that wants to know where it was. And what is said of a fault
//! in the code of this library where a rank is a process of its own.
//!
//! Any lock may be held there, the heap's, too: so nothing is allocated, and the stack is not
//! unwound but searched for what looks like code of this library.

use super::held::{as_by_default, listen, real_sigaction};
use super::numbers::blank;
use super::places::{self, Registers};
use crate::host::life;
use crate::host::memory::{Span, afar};
use crate::launch::signal_abbreviation;
use libc::{c_int, c_void, siginfo_t, ucontext_t};
use std::fmt::{self, Write};
use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many words of the stack are searched.
const WORDS: usize = 4096;
/// How many places are told.
const MOST: usize = 24;

/// A rank that is this process.
struct Alone {
    seat: usize,
    process: libc::pid_t,
    /// The code of this library, and where the library begins.
    code: Range<usize>,
    base: usize,
}

static ALONE: OnceLock<Alone> = OnceLock::new();

/// This process is the rank in `seat`: faults in code of this library are told from now on, unless
/// the program handles them.
pub fn watch(seat: usize) {
    // SAFETY: has no preconditions.
    let process = unsafe { libc::getpid() };
    let Some((base, code)) = own_code() else { return };
    if ALONE.set(Alone { seat, process, code, base }).is_err() {
        return;
    }
    for number in [libc::SIGSEGV, libc::SIGBUS] {
        let mut old = blank();
        // SAFETY: reads what is in force.
        unsafe { real_sigaction(number, ptr::null(), &mut old) };
        if old.sa_sigaction == libc::SIG_DFL {
            listen(number, on_own_fault as extern "C-unwind" fn(_, _, _) as usize, 0);
        }
    }
}

/// Where this library begins, and where its code is.
fn own_code() -> Option<(usize, Range<usize>)> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let here = watch as *const () as usize;
    let span = |line: &str| {
        let (start, end) = line.split(' ').next()?.split_once('-')?;
        Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
    };
    let line = maps.lines().find(|line| span(line).is_some_and(|span| span.contains(&here)))?;
    let file = line.split_once('/')?.1;
    let first = maps.lines().find(|line| line.split_once('/').is_some_and(|it| it.1 == file))?;
    Some((span(first)?.start, span(line)?))
}

extern "C-unwind" fn on_own_fault(number: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the interrupted thread's state, and the signal's story.
    let (registers, story) =
        unsafe { (&(*context.cast::<ucontext_t>()).uc_mcontext.gregs, &*info) };
    let alone = ALONE.get().expect("faults are watched");
    // Loops of libc that copy have no frame: where they return to is on top of the stack.
    let caller = word(registers[libc::REG_RSP as usize] as usize);
    let places = [Some(places::pc(registers)), caller];
    let is_ours = places.into_iter().flatten().any(|place| alone.code.contains(&place));
    // SAFETY: has no preconditions.
    let is_child = unsafe { libc::getpid() } != alone.process;
    if is_ours && !is_child && story.si_code > 0 {
        // SAFETY: faults carry an address.
        tell(number, unsafe { story.si_addr() }.addr(), registers);
    }
    as_by_default(number, story);
}

/// Names the signal, the thread, the place, and from where that may have been called. Once.
pub(super) fn tell(number: i32, address: usize, registers: &Registers) {
    static IS_TOLD: AtomicBool = AtomicBool::new(false);
    if IS_TOLD.swap(true, Ordering::Relaxed) {
        return;
    }
    let mut text = Text { bytes: [0; 4096], length: 0 };
    // There is room for what is written, or the end of it is missing.
    let _ = write_all(&mut text, number, address, registers);
    // SAFETY: the bytes live.
    unsafe { libc::write(2, text.bytes.as_ptr().cast(), text.length) };
}

fn write_all(text: &mut Text, number: i32, address: usize, registers: &Registers) -> fmt::Result {
    let mut name = [0_u8; 16];
    // SAFETY: the kernel writes at most 16 bytes.
    unsafe { libc::syscall(libc::SYS_prctl, libc::PR_GET_NAME, name.as_mut_ptr()) };
    let name = name.split(|byte| *byte == 0).next().and_then(|name| str::from_utf8(name).ok());
    let (name, signal) = (name.unwrap_or("?"), signal_abbreviation(number).unwrap_or("?"));
    write!(text, "ftrun: SIG{signal} (address {address:#x}) in thread {name}")?;
    match ALONE.get() {
        Some(alone) => write!(text, " of rank {}. It was at ", alone.seat)?,
        None => write!(text, ", which runs no rank: the job ends. It was at ")?,
    }
    write_place(text, places::pc(registers))?;
    writeln!(text, "; on its stack:")?;
    let bottom = registers[libc::REG_RSP as usize] as usize;
    let words = (0..WORDS).map_while(|at| word(bottom.wrapping_add(at * size_of::<usize>())));
    for found in words.filter(|word| offset(*word).is_some()).take(MOST) {
        text.write_str("    ")?;
        write_place(text, found)?;
        text.write_str("\n")?;
    }
    Ok(())
}

/// As debuggers count: `addr2line -e libftmpi_rs.so 0x1139` names the line.
fn write_place(text: &mut Text, address: usize) -> fmt::Result {
    match offset(address) {
        Some(offset) => write!(text, "libftmpi_rs.so+{offset:#x}"),
        None => write!(text, "{address:#x}"),
    }
}

/// How far behind the start of this library that is, if it is code of it.
fn offset(address: usize) -> Option<usize> {
    let alone = ALONE.get().filter(|alone| alone.code.contains(&address));
    alone.map(|alone| address - alone.base).or_else(|| life::own_offset(address))
}

/// What is at `address`, if anything is: the kernel looks.
fn word(address: usize) -> Option<usize> {
    let mut word = [0; size_of::<usize>()];
    let place = Span::new(std::ptr::without_provenance(address), word.len());
    afar::gather(&[place], Span::of_mut(&mut word)).ok()?;
    Some(usize::from_ne_bytes(word))
}

/// Text in memory of its own.
struct Text {
    bytes: [u8; 4096],
    length: usize,
}

impl Write for Text {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.length..self.length + more.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(more.as_bytes());
        self.length += more.len();
        Ok(())
    }
}
