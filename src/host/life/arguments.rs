//! The arguments of the program, for each rank.

use std::ffi::{CString, c_int};
use std::ptr;

/// The arguments of every rank, copied to the upper end of its stack, where the kernel puts those
/// of a process: programs like to cut arguments up and to reorder them.
pub(super) struct Arguments {
    /// Pointers first, as offsets into all this.
    words: Vec<usize>,
    text: Vec<u8>,
}

impl Arguments {
    pub(super) fn of(all: &[CString]) -> Arguments {
        let (mut words, mut text) = (Vec::new(), Vec::new());
        let pointers = (all.len() + 1) * size_of::<usize>();
        for argument in all {
            words.push(pointers + text.len());
            text.extend_from_slice(argument.to_bytes_with_nul());
        }
        Arguments { words, text }
    }

    /// One of them.
    pub(super) fn word(&self, index: usize) -> Option<&[u8]> {
        let pointers = (self.words.len() + 1) * size_of::<usize>();
        let rest = &self.text[self.words.get(index)? - pointers..];
        rest.split(|byte| *byte == 0).next()
    }

    /// How many there are.
    pub(super) fn count(&self) -> c_int {
        c_int::try_from(self.words.len()).unwrap_or(c_int::MAX)
    }

    /// The number of bytes that they take of a stack.
    pub(super) fn bytes(&self) -> usize {
        let pointers = (self.words.len() + 1) * size_of::<usize>();
        (pointers + self.text.len()).next_multiple_of(64)
    }

    /// Puts a copy at `start`, together with what the pointers point to.
    ///
    /// # Safety
    /// There is room for the copy, and it is not in use.
    pub(super) unsafe fn lay_down(&self, start: usize) {
        let at = |offset: usize| ptr::with_exposed_provenance_mut::<u8>(start + offset);
        let end = self.words.len() * size_of::<usize>();
        for (index, offset) in self.words.iter().enumerate() {
            // SAFETY: as our caller promises; stacks end at multiples of 64.
            unsafe { at(index * size_of::<usize>()).cast::<usize>().write(start + offset) };
        }
        // SAFETY: as above.
        unsafe {
            at(end).cast::<usize>().write(0);
            at(end + size_of::<usize>()).copy_from(self.text.as_ptr(), self.text.len());
        }
    }
}
