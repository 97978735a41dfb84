//! What is said when code outside of all ranks strikes a fault: no rank can die of it, so the
//! process does, and whoever reads of that wants to know where it was.
//!
//! Any lock may be held there, the heap's, too: so nothing is allocated, and the stack is not
//! unwound but searched for what looks like code of this library.

use super::places::{self, Registers};
use crate::host::life;
use crate::host::memory::{Span, copy};
use crate::launch::signal_abbreviation;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// How many words of the stack are searched.
const WORDS: usize = 4096;
/// How many places are told.
const MOST: usize = 24;

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
    write!(text, "ftrun: SIG{signal} (address {address:#x}) in thread {name}, which runs no rank")?;
    write!(text, ": the job ends. It was at ")?;
    write_place(text, places::pc(registers))?;
    writeln!(text, "; on its stack:")?;
    let bottom = registers[libc::REG_RSP as usize] as usize;
    let words = (0..WORDS).map_while(|at| word(bottom.wrapping_add(at * size_of::<usize>())));
    for found in words.filter(|word| life::own_offset(*word).is_some()).take(MOST) {
        text.write_str("    ")?;
        write_place(text, found)?;
        text.write_str("\n")?;
    }
    Ok(())
}

/// As debuggers count: `addr2line -e libftmpi_rs.so 0x1139` names the line.
fn write_place(text: &mut Text, address: usize) -> fmt::Result {
    match life::own_offset(address) {
        Some(offset) => write!(text, "libftmpi_rs.so+{offset:#x}"),
        None => write!(text, "{address:#x}"),
    }
}

/// What is at `address`, if anything is.
fn word(address: usize) -> Option<usize> {
    let mut word = [0; size_of::<usize>()];
    let place = Span::new(std::ptr::without_provenance(address), word.len());
    copy(place, Span::of_mut(&mut word)).ok()?;
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
