//! The standard streams of each rank: its own `FILE`s over descriptors that all ranks share.
//!
//! No `FILE` of a rank is in libc's list of open files: only the rank flushes it, and what a dead
//! rank leaves behind is never looked at again (see [`super::spares`]). Buffering is as in a
//! process of its own (terminal: by lines, else full; stderr: none). Each flush is one `write`, so
//! that lines of different ranks do not mix. Only rank 0 reads the job's stdin; the others see its
//! end.

use super::homes::Variable;
use super::open_files::FILES;
use super::spares::{Gathers, Made};
use super::state::{LibcState, Part};
use super::stream::Stream;
use super::tag::TAG_OUTPUT;
use super::{table, tag};
use crate::host::errno;
use crate::host::memory::{Span, copy};
use crate::host::rank::libc_state;
use crate::host::{Rank, output};
use libc::FILE;
use parking_lot::Mutex;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

table!(
    puts, putchar, putchar_unlocked, getchar, getchar_unlocked, gets, putwchar, putwchar_unlocked,
    getwchar, getwchar_unlocked, read, readv, write, writev;
    _IO_puts = puts, __read = read, __write = write
);

/// `cookie_io_functions_t` of `<stdio.h>`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct CookieFunctions {
    read: Option<unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> isize>,
    write: Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> isize>,
    seek: Option<unsafe extern "C" fn(*mut c_void, *mut i64, c_int) -> c_int>,
    close: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
}

const NO_FUNCTIONS: CookieFunctions =
    CookieFunctions { read: None, write: None, seek: None, close: None };

unsafe extern "C" {
    pub(super) fn fopencookie(
        cookie: *mut c_void, mode: *const c_char, functions: CookieFunctions,
    ) -> *mut FILE;
    fn flockfile(stream: *mut FILE);
    fn funlockfile(stream: *mut FILE);
    fn ferror_unlocked(stream: *mut FILE) -> c_int;
    fn putc_unlocked(byte: c_int, stream: *mut FILE) -> c_int;
    fn getc_unlocked(stream: *mut FILE) -> c_int;
    fn fputs_unlocked(text: *const c_char, stream: *mut FILE) -> c_int;
    fn fputwc(wide: libc::wchar_t, stream: *mut FILE) -> c_uint;
    fn fgetwc(stream: *mut FILE) -> c_uint;
    fn fputwc_unlocked(wide: libc::wchar_t, stream: *mut FILE) -> c_uint;
    fn fgetwc_unlocked(stream: *mut FILE) -> c_uint;
    #[link_name = "stdin"]
    static libcs_stdin: *mut FILE;
    #[link_name = "stdout"]
    static libcs_stdout: *mut FILE;
    #[link_name = "stderr"]
    static libcs_stderr: *mut FILE;
}

/// stdin, stdout and stderr, each made when it is first used; and streams to be reused.
#[derive(Default)]
struct Streams([OnceLock<Stream>; 3], Mutex<Vec<Made>>);

static STREAMS: Part<Streams> = Part::new();

/// Makes the variable point at the rank's stream.
pub(super) fn settle(state: &LibcState, variable: Variable) {
    state.homes.write(variable, own(state, variable).0);
}

/// The rank's own stdin, stdout or stderr, whatever the program has put into the variable.
fn own(state: &LibcState, variable: Variable) -> Stream {
    let index = variable as usize - Variable::Stdin as usize;
    *STREAMS.of(state).0[index].get_or_init(|| {
        let made = match variable {
            Variable::Stdin => open_stdin(state),
            Variable::Stdout => open_output(state, 1),
            _ => open_output(state, 2),
        };
        // A job started with the descriptor closed: libc's own stream says so when it is used.
        made.unwrap_or_else(|| {
            // SAFETY: libc sets these before anything runs.
            Stream(unsafe { [libcs_stdin, libcs_stdout, libcs_stderr][index] })
        })
    })
}

/// Which of the rank's standard streams `stream` is.
pub(super) fn standard(state: &LibcState, stream: *mut FILE) -> Option<Stream> {
    let made = STREAMS.of(state).0.iter().filter_map(OnceLock::get);
    made.copied().find(|own| own.0 == stream)
}

/// What the rank's variable `stdin`, `stdout` or `stderr` points at now.
pub(super) fn present(state: &LibcState, variable: Variable) -> *mut FILE {
    let stream: *mut FILE = state.homes.read(variable);
    if !stream.is_null() || state.homes.copy::<()>(variable).is_some() {
        return stream;
    }
    settle(state, variable);
    state.homes.read(variable)
}

fn is_terminal(descriptor: c_int) -> bool {
    // SAFETY: any number may be asked about.
    unsafe { libc::isatty(descriptor) == 1 }
}

fn opened(stream: *mut FILE, descriptor: c_int) -> Option<Stream> {
    let stream = (!stream.is_null()).then_some(Stream(stream))?;
    stream.take_from_libc();
    stream.set_descriptor(descriptor);
    Some(stream)
}

/// A stream on functions of ours instead of a descriptor, which it pretends to have.
fn open_cookie(
    state: &LibcState, mode: &CStr, functions: CookieFunctions, descriptor: c_int,
) -> Option<Stream> {
    let cookie = std::ptr::from_ref(state).cast_mut().cast();
    // SAFETY: the state stays where it is as long as its rank may use the stream.
    let stream = opened(unsafe { fopencookie(cookie, mode.as_ptr(), functions) }, descriptor)?;
    // libc does not prepare such streams for wide characters, and `freopen` fails without that. The
    // missing part comes from an ordinary stream, which is kept for it.
    // SAFETY: opens a stream on a descriptor that stays open.
    let donor = unsafe { libc::fdopen(descriptor, mode.as_ptr()) };
    if let Some(donor) = opened(donor, descriptor) {
        // SAFETY: both are open, and no other thread knows them yet.
        unsafe {
            (*stream.layout()).wide = (*donor.layout()).wide;
            (*stream.layout()).mode = 0;
        }
    }
    Some(stream)
}

fn open_stdin(state: &LibcState) -> Option<Stream> {
    let functions = match state.seat {
        // On a terminal, reading first shows the prompt, which is buffered in the rank's stdout.
        0 if is_terminal(0) => CookieFunctions { read: Some(read_terminal), ..NO_FUNCTIONS },
        // SAFETY: opens a stream on a descriptor that stays open.
        0 => return opened(unsafe { libc::fdopen(0, c"r".as_ptr()) }, 0),
        _ => CookieFunctions { read: Some(read_nothing), ..NO_FUNCTIONS },
    };
    open_cookie(state, c"r", functions, 0)
}

fn open_output(state: &LibcState, descriptor: c_int) -> Option<Stream> {
    let stream = if TAG_OUTPUT.load(Ordering::Relaxed) {
        let write = if descriptor == 1 { write_tagged_out } else { write_tagged_err };
        let functions = CookieFunctions { write: Some(write), ..NO_FUNCTIONS };
        let stream = open_cookie(state, c"w", functions, descriptor)?;
        if descriptor == 1 && is_terminal(1) {
            // SAFETY: the stream was just opened.
            unsafe { libc::setvbuf(stream.0, null_mut(), libc::_IOLBF, 0) };
        }
        stream
    } else {
        let made = Made::again(descriptor);
        let made = made.or_else(|| {
            // SAFETY: opens a stream on a descriptor that stays open.
            let stream = opened(unsafe { libc::fdopen(descriptor, c"w".as_ptr()) }, descriptor)?;
            let gathers = match descriptor {
                2 => Gathers::Nothing,
                _ if is_terminal(descriptor) => Gathers::Lines,
                _ => Gathers::Blocks,
            };
            Some(Made::new(stream, descriptor, gathers))
        })?;
        let stream = made.stream;
        STREAMS.of(state).1.lock().push(made);
        return Some(stream);
    };
    if descriptor == 2 {
        // SAFETY: the stream was just opened.
        unsafe { libc::setvbuf(stream.0, null_mut(), libc::_IONBF, 0) };
    }
    Some(stream)
}

/// Hands the standard streams of a dead rank, none of whose threads runs any more, to later ranks.
pub(in crate::host) fn give_back(state: &LibcState) {
    std::mem::take(&mut *STREAMS.of(state).1.lock()).into_iter().for_each(Made::give_back);
}

unsafe extern "C" fn read_nothing(_: *mut c_void, _: *mut c_char, _: usize) -> isize {
    0
}

unsafe extern "C" fn read_terminal(cookie: *mut c_void, to: *mut c_char, bytes: usize) -> isize {
    // SAFETY: `open_stdin` passed the state of the rank that reads.
    let state = unsafe { &*cookie.cast::<LibcState>() };
    if let Some(stdout) = STREAMS.of(state).0[1].get().filter(|_| is_terminal(1)) {
        stdout.flush_if_free();
    }
    tag::show_prompt(state);
    // SAFETY: libc vouches for its buffer.
    unsafe { libc::read(0, to.cast(), bytes) }
}

unsafe extern "C" fn write_tagged_out(
    cookie: *mut c_void, from: *const c_char, bytes: usize,
) -> isize {
    // SAFETY: `open_output` passed the state; libc vouches for its buffer.
    tag::write(unsafe { &*cookie.cast() }, 1, unsafe { bytes_of(from.cast(), bytes) })
}

unsafe extern "C" fn write_tagged_err(
    cookie: *mut c_void, from: *const c_char, bytes: usize,
) -> isize {
    // SAFETY: `open_output` passed the state; libc vouches for its buffer.
    tag::write(unsafe { &*cookie.cast() }, 2, unsafe { bytes_of(from.cast(), bytes) })
}

unsafe fn bytes_of<'a>(from: *const u8, bytes: usize) -> &'a [u8] {
    match bytes {
        0 => &[],
        // SAFETY: as our caller promises.
        _ => unsafe { std::slice::from_raw_parts(from, bytes) },
    }
}

/// Writes a rank's streams out, as `exit` does, and notes what could not be written.
pub(in crate::host) fn flush(rank: &Rank) {
    for (descriptor, stream) in (0..).zip(&STREAMS.of(&rank.libc).0).skip(1) {
        let Some(stream) = stream.get().filter(|stream| stream.descriptor() == descriptor) else {
            continue;
        };
        let why = stream.try_to_flush();
        // What failed earlier may have left nothing behind by which to tell why.
        // SAFETY: the FILE is open.
        let has_failed = unsafe { ferror_unlocked(stream.0) } != 0;
        if let Some(why) = why.or(has_failed.then_some(libc::ENOSPC)) {
            output::note_failure(descriptor, why);
        }
    }
    flush_all(&rank.libc);
    tag::finish(&rank.libc);
}

/// Writes out what a dead rank left in its stdout. A process would lose it, but the user wants to
/// see the last line before the crash. The rank may have died in the middle of printing and have
/// corrupted its buffers: so no libc function is called, and every pointer is checked.
pub(in crate::host) fn rescue(rank: &Rank) {
    const MOST_BYTES: usize = 64 << 20;
    const WRITE_BASE: usize = 3;
    let state = &rank.libc;
    if let Some(stream) = STREAMS.of(state).0[1].get() {
        // SAFETY: libc's allocator holds the FILE, and no thread of the rank runs any more.
        let pointers = unsafe { (*stream.layout()).pointers };
        let (from, to) = (pointers[WRITE_BASE], pointers[WRITE_BASE + 1]);
        let bytes = to.addr().saturating_sub(from.addr()).min(MOST_BYTES);
        let mut rescued = vec![0; bytes];
        let source = Span::new(from.cast(), bytes);
        if bytes > 0 && copy(source, Span::of_mut(&mut rescued)).is_ok() {
            match TAG_OUTPUT.load(Ordering::Relaxed) && stream.descriptor() == 1 {
                true => tag::write_if_free(state, &rescued),
                false => _ = output::write(stream.descriptor(), &rescued),
            }
        }
    }
    tag::finish(state);
}

/// Ends the lines that a rank has begun, where each has its tag.
pub(in crate::host) fn finish_lines(state: &LibcState) {
    tag::finish(state);
}

/// `fflush(NULL)` of a rank.
pub(in crate::host) fn flush_all(state: &LibcState) {
    for stream in STREAMS.of(state).0.iter().filter_map(OnceLock::get) {
        stream.flush_if_free();
    }
    FILES.of(state).each(Stream::flush_if_free);
}

/// In a forked child: see [`Stream::unlock_by_force`].
pub(super) fn after_fork(state: &LibcState) {
    STREAMS
        .of(state)
        .0
        .iter()
        .filter_map(OnceLock::get)
        .for_each(|stream| stream.unlock_by_force());
    FILES.of(state).each(Stream::unlock_by_force);
}

/// Writes `words` to the rank's stderr, in one piece.
pub(super) fn say(state: &LibcState, words: &[u8]) {
    let stderr = present(state, Variable::Stderr);
    // SAFETY: the variable points at an open stream, as the program vouches.
    unsafe { libc::fwrite(words.as_ptr().cast(), 1, words.len(), stderr) };
}

/// `stdin`, `stdout` or `stderr` (0, 1, 2) as the calling thread sees it.
pub(super) extern "C" fn stream_of_caller(which: c_int) -> *mut FILE {
    let variable = match which {
        0 => Variable::Stdin,
        1 => Variable::Stdout,
        _ => Variable::Stderr,
    };
    match libc_state() {
        Some(state) => present(state, variable),
        // SAFETY: libc sets these before anything runs.
        None => unsafe { [libcs_stdin, libcs_stdout, libcs_stderr][variable as usize] },
    }
}

fn stdin() -> *mut FILE {
    stream_of_caller(0)
}

fn stdout() -> *mut FILE {
    stream_of_caller(1)
}

unsafe extern "C" fn puts(text: *const c_char) -> c_int {
    let stream = stdout();
    // SAFETY: the caller vouches for a terminated string.
    let bytes = unsafe { CStr::from_ptr(text) }.count_bytes();
    // SAFETY: the variable points at an open stream.
    unsafe { flockfile(stream) };
    // SAFETY: the lock is held.
    let is_written = unsafe { fputs_unlocked(text, stream) } >= 0
        // SAFETY: the lock is held.
        && unsafe { putc_unlocked(c_int::from(b'\n'), stream) } >= 0;
    // SAFETY: the lock is held.
    unsafe { funlockfile(stream) };
    if is_written { c_int::try_from(bytes + 1).unwrap_or(c_int::MAX) } else { libc::EOF }
}

extern "C" fn putchar(byte: c_int) -> c_int {
    // SAFETY: the variable points at an open stream.
    unsafe { libc::fputc(byte, stdout()) }
}

extern "C" fn putchar_unlocked(byte: c_int) -> c_int {
    // SAFETY: the variable points at an open stream, which the program guards.
    unsafe { putc_unlocked(byte, stdout()) }
}

extern "C" fn getchar() -> c_int {
    // SAFETY: the variable points at an open stream.
    unsafe { libc::fgetc(stdin()) }
}

extern "C" fn getchar_unlocked() -> c_int {
    // SAFETY: the variable points at an open stream, which the program guards.
    unsafe { getc_unlocked(stdin()) }
}

unsafe extern "C" fn gets(text: *mut c_char) -> *mut c_char {
    let mut count = 0;
    loop {
        let byte = getchar();
        if byte == libc::EOF && count == 0 {
            return null_mut();
        }
        if byte == libc::EOF || byte == c_int::from(b'\n') {
            break;
        }
        // SAFETY: the caller vouches for room for any line, although no caller of `gets` can.
        unsafe { text.add(count).write(byte as c_char) };
        count += 1;
    }
    // SAFETY: as above.
    unsafe { text.add(count).write(0) };
    text
}

extern "C" fn putwchar(wide: libc::wchar_t) -> c_uint {
    // SAFETY: the variable points at an open stream.
    unsafe { fputwc(wide, stdout()) }
}

extern "C" fn putwchar_unlocked(wide: libc::wchar_t) -> c_uint {
    // SAFETY: the variable points at an open stream, which the program guards.
    unsafe { fputwc_unlocked(wide, stdout()) }
}

extern "C" fn getwchar() -> c_uint {
    // SAFETY: the variable points at an open stream.
    unsafe { fgetwc(stdin()) }
}

extern "C" fn getwchar_unlocked() -> c_uint {
    // SAFETY: the variable points at an open stream, which the program guards.
    unsafe { fgetwc_unlocked(stdin()) }
}

/// True where a rank reads the job's stdin and it is not the one that may.
fn reads_nothing(descriptor: c_int) -> bool {
    descriptor == 0 && libc_state().is_some_and(|state| state.seat != 0)
}

/// The rank whose output on `descriptor` is to be tagged.
fn tagged(descriptor: c_int) -> Option<&'static LibcState> {
    let is_tagged = matches!(descriptor, 1 | 2) && TAG_OUTPUT.load(Ordering::Relaxed);
    if is_tagged { libc_state() } else { None }
}

unsafe extern "C" fn read(descriptor: c_int, to: *mut c_void, bytes: usize) -> isize {
    match reads_nothing(descriptor) {
        true => 0,
        // SAFETY: as our caller vouches.
        false => unsafe { libc::read(descriptor, to, bytes) },
    }
}

unsafe extern "C" fn readv(descriptor: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    match reads_nothing(descriptor) {
        true => 0,
        // SAFETY: as our caller vouches.
        false => unsafe { libc::readv(descriptor, parts, count) },
    }
}

/// Returns the result of a write, after recording a failure.
fn noted(descriptor: c_int, written: isize) -> isize {
    if written < 0 && matches!(descriptor, 1 | 2) {
        output::note_failure(descriptor, errno::get());
    }
    written
}

pub(super) unsafe extern "C" fn write(
    descriptor: c_int, from: *const c_void, bytes: usize,
) -> isize {
    match tagged(descriptor) {
        // SAFETY: the caller vouches for the bytes.
        Some(state) => tag::write(state, descriptor, unsafe { bytes_of(from.cast(), bytes) }),
        // SAFETY: as our caller vouches.
        None => noted(descriptor, unsafe { libc::write(descriptor, from, bytes) }),
    }
}

unsafe extern "C" fn writev(descriptor: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    let Some(state) = tagged(descriptor).filter(|_| count >= 0) else {
        // SAFETY: as our caller vouches.
        return noted(descriptor, unsafe { libc::writev(descriptor, parts, count) });
    };
    let mut all = Vec::new();
    for index in 0..count as usize {
        // SAFETY: the caller vouches for `count` parts.
        let part = unsafe { parts.add(index).read() };
        // SAFETY: the caller vouches for the bytes of each.
        all.extend_from_slice(unsafe { bytes_of(part.iov_base.cast(), part.iov_len) });
    }
    tag::write(state, descriptor, &all)
}
