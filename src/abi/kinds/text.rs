//! Kinds that are text: C's end with a null byte, Fortran's have a length and trailing blanks.

use crate::abi::kinds::{Fortran, Kind};
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use std::ffi::{CStr, c_char};

/// Text the call reads.
#[derive(Clone, Copy)]
pub(in crate::abi) struct InText {
    at: *const c_char,
    /// Fortran's length; C's text knows its own.
    length: Option<usize>,
}

impl Kind for InText {
    const C: &'static str = "const char *";
    type Raw = *const c_char;
    type Checked = Vec<u8>;
    fn from_c(raw: *const c_char) -> Self {
        Self { at: raw, length: None }
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Vec<u8>> {
        if self.at.is_null() {
            return Err(Class::ARG.because(format!("{name} is a null pointer, not a string")));
        }
        let Some(length) = self.length else {
            // SAFETY: the caller of MPI vouches for a null-terminated string (§2.3).
            return Ok(unsafe { CStr::from_ptr(self.at) }.to_bytes().to_vec());
        };
        // SAFETY: Fortran says how long its CHARACTER is.
        let text = unsafe { std::slice::from_raw_parts(self.at.cast::<u8>(), length) };
        let end = text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
        Ok(text[..end].to_vec())
    }
}

impl Fortran for InText {
    type Wire = *const c_char;
    type Length = usize;
    unsafe fn enter(wire: *const c_char, length: usize) -> Self {
        Self { at: wire, length: Some(length) }
    }
}

/// Where text goes.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OutText {
    at: *mut c_char,
    length: Option<usize>,
}

impl OutText {
    /// Sets the text, cut to `room` bytes less one for C's null; returns the length it has now.
    pub(in crate::abi) fn set(self, text: &[u8], room: usize) -> usize {
        let limit = self.length.unwrap_or(room.saturating_sub(1));
        let kept = text.len().min(limit);
        // SAFETY: `check` refused null; the caller vouches for the room the standard asks for.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), self.at.cast(), kept) }
        match self.length {
            // SAFETY: `kept` is less than the room.
            None if room > 0 => unsafe { self.at.add(kept).write(0) },
            None => {}
            // SAFETY: Fortran says how long its CHARACTER is; the rest of it becomes blank.
            Some(length) => unsafe { self.at.add(kept).write_bytes(b' ', length - kept) },
        }
        kept
    }
}

impl Kind for OutText {
    const C: &'static str = "char *";
    type Raw = *mut c_char;
    type Checked = Self;
    fn from_c(raw: *mut c_char) -> Self {
        Self { at: raw, length: None }
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        if self.at.is_null() { Err(super::memory::null(name)) } else { Ok(self) }
    }
}

impl Fortran for OutText {
    type Wire = *mut c_char;
    type Length = usize;
    unsafe fn enter(wire: *mut c_char, length: usize) -> Self {
        Self { at: wire, length: Some(length) }
    }
}
