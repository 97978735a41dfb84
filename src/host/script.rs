//! From which lines of a Python script a call of MPI came. The interpreter is part of the program:
//! each rank has its own copy, which is asked in the name of the calling thread.

use super::callers::Caller;
use super::{Rank, current};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute_copy;
use std::ptr::with_exposed_provenance;
use std::sync::OnceLock;

/// What marks a script among the objects of a program; the offset is the line.
pub const MARK: &str = "python:";

/// Python's objects, of which this file knows nothing.
type Object = *mut c_void;

/// The functions of the interpreter, as ld.so has loaded them: CPython has all of them since 3.9.
struct Interpreter {
    thread: usize,
    ensure: usize,
    release: usize,
    frame: usize,
    back: usize,
    line: usize,
    code: usize,
    attribute: usize,
    text: usize,
    forget: usize,
}

/// The functions of one rank's copy.
struct Python {
    thread: unsafe extern "C" fn() -> Object,
    ensure: unsafe extern "C" fn() -> c_int,
    release: unsafe extern "C" fn(c_int),
    frame: unsafe extern "C" fn(Object) -> Object,
    back: unsafe extern "C" fn(Object) -> Object,
    line: unsafe extern "C" fn(Object) -> c_int,
    code: unsafe extern "C" fn(Object) -> Object,
    attribute: unsafe extern "C" fn(Object, *const c_char) -> Object,
    text: unsafe extern "C" fn(Object) -> *const c_char,
    forget: unsafe extern "C" fn(Object),
}

/// The innermost lines of the script that the calling thread is in, `most` at most; empty if it is
/// in none.
pub fn lines(most: usize) -> Vec<Caller> {
    static FOUND: OnceLock<Option<Interpreter>> = OnceLock::new();
    let Some(interpreter) = FOUND.get_or_init(Interpreter::find) else { return Vec::new() };
    current().map_or_else(Vec::new, |rank| Python::of(interpreter, rank).lines(most))
}

/// The function of `rank` that ld.so has loaded at `shared`.
///
/// # Safety
/// `F` is the type of this function.
unsafe fn own<F: Copy>(rank: &Rank, shared: usize) -> F {
    let own = rank.images.translate(shared).unwrap_or(shared);
    let address = with_exposed_provenance::<()>(own);
    // SAFETY: a function is an address, and our caller vouches for its type.
    unsafe { transmute_copy(&address) }
}

impl Interpreter {
    fn find() -> Option<Interpreter> {
        let address = |name: &CStr| {
            // SAFETY: the name is terminated.
            let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            (!found.is_null()).then(|| found.expose_provenance())
        };
        Some(Interpreter {
            thread: address(c"PyGILState_GetThisThreadState")?,
            ensure: address(c"PyGILState_Ensure")?,
            release: address(c"PyGILState_Release")?,
            frame: address(c"PyThreadState_GetFrame")?,
            back: address(c"PyFrame_GetBack")?,
            line: address(c"PyFrame_GetLineNumber")?,
            code: address(c"PyFrame_GetCode")?,
            attribute: address(c"PyObject_GetAttrString")?,
            text: address(c"PyUnicode_AsUTF8")?,
            forget: address(c"Py_DecRef")?,
        })
    }
}

impl Python {
    fn of(interpreter: &Interpreter, rank: &Rank) -> Python {
        // SAFETY: CPython keeps the signatures of these functions, and a copy has those of its
        // template.
        unsafe {
            Python {
                thread: own(rank, interpreter.thread),
                ensure: own(rank, interpreter.ensure),
                release: own(rank, interpreter.release),
                frame: own(rank, interpreter.frame),
                back: own(rank, interpreter.back),
                line: own(rank, interpreter.line),
                code: own(rank, interpreter.code),
                attribute: own(rank, interpreter.attribute),
                text: own(rank, interpreter.text),
                forget: own(rank, interpreter.forget),
            }
        }
    }

    fn lines(&self, most: usize) -> Vec<Caller> {
        // SAFETY: may be called at any time, also without the interpreter's lock.
        let thread = unsafe { (self.thread)() };
        if thread.is_null() {
            return Vec::new();
        }
        // SAFETY: the thread is one of the interpreter's, which is not at its end.
        let lock = unsafe { (self.ensure)() };
        // SAFETY: the thread holds the interpreter's lock, as for all that follows.
        let mut frame = unsafe { (self.frame)(thread) };
        let mut found = Vec::new();
        while !frame.is_null() && found.len() < most {
            found.extend(self.caller(frame));
            // SAFETY: the frame is ours until it is forgotten.
            let next = unsafe { (self.back)(frame) };
            // SAFETY: nobody uses it after this.
            unsafe { (self.forget)(frame) };
            frame = next;
        }
        // SAFETY: nobody uses it after this; no frame is fine, too.
        unsafe { (self.forget)(frame) };
        // SAFETY: ends what `ensure` has begun.
        unsafe { (self.release)(lock) };
        found
    }

    fn caller(&self, frame: Object) -> Option<Caller> {
        // SAFETY: the frame is ours.
        let (code, line) = unsafe { ((self.code)(frame), (self.line)(frame)) };
        // SAFETY: each frame has code.
        let file = unsafe { (self.attribute)(code, c"co_filename".as_ptr()) };
        // SAFETY: nobody uses it after this.
        unsafe { (self.forget)(code) };
        if file.is_null() {
            return None;
        }
        // SAFETY: the name of a file is text.
        let text = unsafe { (self.text)(file) };
        // SAFETY: the text lives as long as its object, and ends with a zero.
        let name = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy());
        let offset = usize::try_from(line).ok();
        // The interpreter's own modules have names with spaces.
        let name = name.filter(|name| !name.starts_with("<frozen "));
        let found = name.zip(offset).map(|(name, offset)| {
            let object = format!("{MARK}{name}");
            Caller { object, offset }
        });
        // SAFETY: nobody uses it after this.
        unsafe { (self.forget)(file) };
        found
    }
}
