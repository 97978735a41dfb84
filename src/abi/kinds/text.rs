//! Kinds for text: C's ends with a null byte, Fortran's has a length and trailing blanks.

use crate::abi::fortran::Descriptor;
use crate::abi::kinds::{Described, Flow, Form, Fortran, InOutInt, Kind, OutFlag, Type};
use crate::abi::scope::Scope;
use crate::mpi::error::{Class, Result};
use crate::mpi::process::{FILE_NULL, Process};
use std::ffi::{CStr, c_char};

/// Text that the call reads.
#[derive(Clone, Copy)]
pub(in crate::abi) struct InText {
    at: *const c_char,
    /// Fortran's length; C's text is null-terminated.
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
        // SAFETY: Fortran passes the length of its CHARACTER.
        let text = unsafe { std::slice::from_raw_parts(self.at.cast::<u8>(), length) };
        let end = text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
        Ok(text[..end].to_vec())
    }
}

impl Fortran for InText {
    type Wire = *const c_char;
    type Length = usize;
    const FORM: Form = Form::new(Type::Text, Flow::In);
    unsafe fn enter(wire: *const c_char, length: usize) -> Self {
        Self { at: wire, length: Some(length) }
    }
    unsafe fn enter_modern(wire: *const c_char, length: usize, copies: Described<'_>) -> Self {
        if copies.is_none() {
            return Self { at: wire, length: Some(length) };
        }
        // SAFETY: the caller is Fortran, and passes a descriptor of a CHARACTER.
        let text = unsafe { Descriptor::at(wire.cast()) };
        Self { at: text.base.cast(), length: Some(text.element_bytes) }
    }
}

/// Text that the call reads, in a call about files that has no file: errors are those of
/// MPI_FILE_NULL.
#[derive(Clone, Copy)]
pub(in crate::abi) struct FileText(InText);

impl Kind for FileText {
    const C: &'static str = InText::C;
    type Raw = *const c_char;
    type Checked = Vec<u8>;
    fn from_c(raw: *const c_char) -> Self {
        Self(InText::from_c(raw))
    }
    fn check(self, process: &'static Process, name: &'static str) -> Result<Vec<u8>> {
        self.0.check(process, name)
    }
}

impl Fortran for FileText {
    type Wire = *const c_char;
    type Length = usize;
    const FORM: Form = InText::FORM;
    unsafe fn enter(wire: *const c_char, length: usize) -> Self {
        // SAFETY: the caller makes the promise that `InText` asks for.
        Self(unsafe { InText::enter(wire, length) })
    }
    unsafe fn enter_modern(wire: *const c_char, length: usize, copies: Described<'_>) -> Self {
        // SAFETY: the caller makes the promise that `InText` asks for.
        Self(unsafe { InText::enter_modern(wire, length, copies) })
    }
}

impl From<FileText> for Scope {
    fn from(_: FileText) -> Scope {
        Scope::File(FILE_NULL)
    }
}

/// Text that the call reads and `mpi.h` declares as an array.
#[derive(Clone, Copy)]
pub(in crate::abi) struct InTextArray(InText);

impl Kind for InTextArray {
    const C: &'static str = "const char[]";
    type Raw = *const c_char;
    type Checked = Vec<u8>;
    fn from_c(raw: *const c_char) -> Self {
        Self(InText::from_c(raw))
    }
    fn check(self, process: &'static Process, name: &'static str) -> Result<Vec<u8>> {
        self.0.check(process, name)
    }
}

impl Fortran for InTextArray {
    type Wire = *const c_char;
    type Length = usize;
    const FORM: Form = InText::FORM;
    unsafe fn enter(wire: *const c_char, length: usize) -> Self {
        // SAFETY: the caller makes the promise that `InText` asks for.
        Self(unsafe { InText::enter(wire, length) })
    }
    unsafe fn enter_modern(wire: *const c_char, length: usize, copies: Described<'_>) -> Self {
        // SAFETY: the caller makes the promise that `InText` asks for.
        Self(unsafe { InText::enter_modern(wire, length, copies) })
    }
}

/// Text for an info: Fortran's leading and trailing blanks do not count (MPI-5.0 §10).
#[derive(Clone, Copy)]
pub(in crate::abi) struct InfoText(InText);

impl Kind for InfoText {
    const C: &'static str = InText::C;
    type Raw = *const c_char;
    type Checked = Vec<u8>;
    fn from_c(raw: *const c_char) -> Self {
        Self(InText::from_c(raw))
    }
    fn check(self, process: &'static Process, name: &'static str) -> Result<Vec<u8>> {
        let mut text = self.0.check(process, name)?;
        if self.0.length.is_some() {
            let blanks = text.iter().take_while(|byte| **byte == b' ').count();
            text.drain(..blanks);
        }
        Ok(text)
    }
}

impl Fortran for InfoText {
    type Wire = *const c_char;
    type Length = usize;
    const FORM: Form = InText::FORM;
    unsafe fn enter(wire: *const c_char, length: usize) -> Self {
        // SAFETY: the caller makes the promise that `InText` asks for.
        Self(unsafe { InText::enter(wire, length) })
    }
    unsafe fn enter_modern(wire: *const c_char, length: usize, copies: Described<'_>) -> Self {
        // SAFETY: the caller makes the promise that `InText` asks for.
        Self(unsafe { InText::enter_modern(wire, length, copies) })
    }
}

/// Where the call writes text.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OutText {
    at: *mut c_char,
    length: Option<usize>,
}

impl OutText {
    /// Sets the text, cut to `room` bytes less one for C's null; returns the length of what it
    /// wrote.
    pub(in crate::abi) fn set(self, text: &[u8], room: usize) -> i32 {
        let limit = self.length.unwrap_or(room.saturating_sub(1));
        let kept = text.len().min(limit);
        // SAFETY: `check` refused null; the caller vouches for the room the standard asks for.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), self.at.cast(), kept) }
        match self.length {
            // SAFETY: `kept` is less than the room.
            None if room > 0 => unsafe { self.at.add(kept).write(0) },
            None => {}
            // SAFETY: Fortran passes the length of its CHARACTER; the rest becomes blank.
            Some(length) => unsafe { self.at.add(kept).write_bytes(b' ', length - kept) },
        }
        kept as i32
    }
}

impl OutText {
    fn check_not_null(self, name: &'static str) -> Result<Self> {
        if self.at.is_null() { Err(super::memory::null(name)) } else { Ok(self) }
    }

    /// Sets the first `most` bytes of the text, if there is any.
    pub(in crate::abi) fn set_if(self, text: Option<&[u8]>, most: i64) {
        if let Some(text) = text {
            let most = usize::try_from(most).unwrap_or(0);
            self.set(&text[..text.len().min(most)], most + 1);
        }
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
        self.check_not_null(name)
    }
}

impl Fortran for OutText {
    type Wire = *mut c_char;
    type Length = usize;
    const FORM: Form = Form::new(Type::Text, Flow::Out);
    unsafe fn enter(wire: *mut c_char, length: usize) -> Self {
        Self { at: wire, length: Some(length) }
    }
    unsafe fn enter_modern(wire: *mut c_char, length: usize, copies: Described<'_>) -> Self {
        if copies.is_none() {
            return Self { at: wire, length: Some(length) };
        }
        // SAFETY: the caller is Fortran, and passes a descriptor of a CHARACTER.
        let text = unsafe { Descriptor::at(wire.cast()) };
        Self { at: text.base.cast(), length: Some(text.element_bytes) }
    }
}

/// Where the value of an info goes. Its room is another argument, which may be zero.
#[derive(Clone, Copy)]
pub(in crate::abi) struct InfoValue(OutText);

impl InfoValue {
    /// Writes as much of the value as fits into `buflen`, and sets `buflen` to the room that all of
    /// it needs, including C's null byte.
    pub(in crate::abi) fn give(
        self, value: Option<Vec<u8>>, buflen: InOutInt, flag: OutFlag,
    ) -> Result {
        if let Some(value) = &value {
            self.put(value, buflen)?;
        }
        flag.set(value.is_some());
        Ok(())
    }
}

impl InfoValue {
    /// Writes as much of `name` as fits into `room`, and sets `room` to what all of it needs.
    pub(in crate::abi) fn put(self, name: &[u8], room: InOutInt) -> Result {
        let length = usize::try_from(room.value()).unwrap_or(0);
        let null = usize::from(self.0.length.is_none());
        if length > 0 {
            let out = self.0.check_not_null("value")?;
            out.set(&name[..name.len().min(length - null)], length);
        }
        room.set((name.len() + null) as i32);
        Ok(())
    }
}

impl Kind for InfoValue {
    const C: &'static str = OutText::C;
    type Raw = *mut c_char;
    type Checked = Self;
    fn from_c(raw: *mut c_char) -> Self {
        Self(OutText::from_c(raw))
    }
    fn check(self, _: &'static Process, _: &'static str) -> Result<Self> {
        Ok(self)
    }
}

impl Fortran for InfoValue {
    type Wire = *mut c_char;
    type Length = usize;
    const FORM: Form = OutText::FORM;
    unsafe fn enter(wire: *mut c_char, length: usize) -> Self {
        // SAFETY: the caller makes the promise that `OutText` asks for.
        Self(unsafe { OutText::enter(wire, length) })
    }
    unsafe fn enter_modern(wire: *mut c_char, length: usize, copies: Described<'_>) -> Self {
        // SAFETY: the caller makes the promise that `OutText` asks for.
        Self(unsafe { OutText::enter_modern(wire, length, copies) })
    }
}
