//! Functions that write a message to stderr: perror and assert. It must go to the rank's stderr.

use super::state::LibcState;
use super::{homes::Variable, stdio, table};
use crate::host::errno;
use crate::host::life;
use crate::host::rank::libc_state;
use std::ffi::{CStr, c_char, c_int, c_uint};

table!(perror, psignal, __assert_fail, __assert_perror_fail, __assert);

unsafe extern "C" {
    static program_invocation_short_name: *const c_char;
    #[link_name = "perror"]
    fn real_perror(text: *const c_char);
    #[link_name = "psignal"]
    fn real_psignal(number: c_int, text: *const c_char);
    #[link_name = "__assert_fail"]
    fn real_assert_fail(
        what: *const c_char, file: *const c_char, line: c_uint, function: *const c_char,
    ) -> !;
    #[link_name = "__assert_perror_fail"]
    fn real_assert_perror_fail(
        number: c_int, file: *const c_char, line: c_uint, function: *const c_char,
    ) -> !;
}

fn text<'a>(from: *const c_char) -> &'a [u8] {
    match from.is_null() {
        true => b"",
        // SAFETY: the caller of libc's function vouches for a terminated string.
        false => unsafe { CStr::from_ptr(from) }.to_bytes(),
    }
}

/// `text: what`, or `what` alone.
fn say_about(state: &LibcState, subject: &[u8], what: &[u8]) {
    let colon: &[u8] = if subject.is_empty() { b"" } else { b": " };
    stdio::say(state, &[subject, colon, what, b"\n"].concat());
}

unsafe extern "C" fn perror(subject: *const c_char) {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_perror(subject) };
    };
    let number = errno::get();
    // SAFETY: any number may be asked about; the text is the thread's own.
    let what = text(unsafe { libc::strerror(number) });
    say_about(state, text(subject), what);
    errno::set(number);
}

unsafe extern "C" fn psignal(number: c_int, subject: *const c_char) {
    match libc_state() {
        // SAFETY: any number may be asked about; the text is the thread's own.
        Some(state) => say_about(state, text(subject), text(unsafe { libc::strsignal(number) })),
        // SAFETY: as our caller vouches.
        None => unsafe { real_psignal(number, subject) },
    }
}

unsafe extern "C-unwind" fn __assert_fail(
    what: *const c_char, file: *const c_char, line: c_uint, function: *const c_char,
) -> ! {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        unsafe { real_assert_fail(what, file, line, function) }
    };
    let claim = [b"Assertion `", text(what), b"' failed."].concat();
    fail(state, text(file), line, text(function), &claim)
}

unsafe extern "C-unwind" fn __assert(what: *const c_char, file: *const c_char, line: c_uint) -> ! {
    // SAFETY: as our caller vouches.
    unsafe { __assert_fail(what, file, line, std::ptr::null()) }
}

unsafe extern "C-unwind" fn __assert_perror_fail(
    number: c_int, file: *const c_char, line: c_uint, function: *const c_char,
) -> ! {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        unsafe { real_assert_perror_fail(number, file, line, function) }
    };
    // SAFETY: any number may be asked about; the text is the thread's own.
    let claim = [b"Unexpected error: ", text(unsafe { libc::strerror(number) }), b"."].concat();
    fail(state, text(file), line, text(function), &claim)
}

fn fail(state: &LibcState, file: &[u8], line: c_uint, function: &[u8], claim: &[u8]) -> ! {
    // SAFETY: libc sets it before anything runs.
    let program = text(unsafe { program_invocation_short_name });
    let after: &[u8] = if program.is_empty() { b"" } else { b": " };
    let line = format!(":{line}: ");
    let colon: &[u8] = if function.is_empty() { b"" } else { b": " };
    let words = [program, after, file, line.as_bytes(), function, colon, claim, b"\n"].concat();
    stdio::say(state, &words);
    // SAFETY: the variable points at an open stream.
    unsafe { libc::fflush(stdio::present(state, Variable::Stderr)) };
    // SAFETY: has no preconditions.
    unsafe { life::abort() }
}
