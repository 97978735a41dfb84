//! The environment of each rank: its own array over strings that are shared until a rank asks for
//! one by name. It then gets a copy, since programs do write into what `getenv` returns.

use super::homes::Variable;
use super::state::{LibcState, Part};
use super::table;
use crate::host::errno;
use crate::host::rank::libc_state;
use crate::launch::RANK_VARIABLES;
use parking_lot::Mutex;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

table!(
    getenv, secure_getenv, setenv, unsetenv, putenv, clearenv;
    __secure_getenv = secure_getenv
);

unsafe extern "C" {
    #[link_name = "environ"]
    static mut LIBCS: *mut *mut c_char;
    #[link_name = "secure_getenv"]
    fn real_secure_getenv(name: *const c_char) -> *mut c_char;
}

/// The environment as the ranks find it: strings in one piece, so that an address tells them.
struct Template {
    bytes: Box<[u8]>,
    starts: Vec<usize>,
}

static TEMPLATE: OnceLock<Template> = OnceLock::new();

#[derive(Default)]
pub(super) struct Environ(Mutex<Own>);

static ENVIRON: Part<Environ> = Part::new();

#[derive(Default)]
struct Own {
    /// The array to which `environ` points, unless the program has put another in its place.
    array: Vec<Entry>,
    /// In no order: the program may write into them.
    strings: Vec<Box<[u8]>>,
}

/// One pointer of an environment.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Entry(*mut c_char);

// SAFETY: an address; the string is the rank's to guard, as in libc.
unsafe impl Send for Entry {}

/// Takes the environment of the process as that of every rank, before the first of them lives.
pub(super) fn prepare() {
    TEMPLATE.get_or_init(|| {
        let mut bytes = Vec::new();
        let mut starts = Vec::new();
        // SAFETY: no thread changes libc's own environment while ranks are made.
        for entry in entries(unsafe { LIBCS }) {
            starts.push(bytes.len());
            bytes.extend_from_slice(string(entry).to_bytes_with_nul());
        }
        Template { bytes: bytes.into_boxed_slice(), starts }
    });
}

/// Gives the rank its array and points `environ` at it.
pub(super) fn settle(state: &LibcState) {
    let mut own = ENVIRON.of(state).0.lock();
    if own.array.is_empty() {
        prepare();
        let template = TEMPLATE.get().expect("it was just prepared");
        let start = template.bytes.as_ptr();
        let entries = template.starts.iter().map(|&at| start.wrapping_add(at));
        own.array.reserve_exact(template.starts.len() + RANK_VARIABLES.len() + 1);
        own.array.extend(entries.map(|string| Entry(string.cast_mut().cast())));
        own.tell_rank(state.seat);
        own.array.push(Entry(null_mut()));
    }
    state.homes.write(Variable::Environ, own.array.as_mut_ptr());
}

/// The calling rank's array, libc's where there is no rank: what a child is to inherit.
pub(super) fn current_array() -> *const *const c_char {
    match libc_state() {
        Some(state) => array(state).cast_const().cast(),
        // SAFETY: the address of the array, as libc has it at this moment.
        None => unsafe { LIBCS }.cast_const().cast(),
    }
}

/// Whether the calling rank's environment has `name`.
pub(super) fn is_set(name: &CStr) -> bool {
    // SAFETY: a terminated string.
    !unsafe { getenv(name.as_ptr()) }.is_null()
}

/// The value of `name` in a rank's environment.
pub(super) fn value(state: &LibcState, name: &CStr) -> Option<CString> {
    value_in(array(state), name)
}

/// The value of `name` in libc's own environment, which no rank sees.
pub(super) fn value_of_process(name: &CStr) -> Option<CString> {
    // SAFETY: the address of the array, as libc has it at this moment.
    value_in(unsafe { LIBCS }, name)
}

fn value_in(array: *mut *mut c_char, name: &CStr) -> Option<CString> {
    let name = name.to_bytes();
    let entry = entries(array).find(|&entry| has_name(entry, name))?;
    Some(string(entry.wrapping_add(name.len() + 1)).to_owned())
}

/// The rank's array as the program left it.
fn array(state: &LibcState) -> *mut *mut c_char {
    // A rank whose image has no copy of `environ` may not have one yet; a null stored by the
    // program would look alike, but `clearenv` leaves an empty array.
    if state.homes.copy::<()>(Variable::Environ).is_none()
        && state.homes.read::<*mut *mut c_char>(Variable::Environ).is_null()
    {
        settle(state);
    }
    state.homes.read(Variable::Environ)
}

fn entries(array: *mut *mut c_char) -> impl Iterator<Item = *mut c_char> {
    let mut at = array;
    std::iter::from_fn(move || {
        if at.is_null() {
            return None;
        }
        // SAFETY: an environment ends with a null, where we stop.
        let entry = unsafe { at.read() };
        at = at.wrapping_add(1);
        (!entry.is_null()).then_some(entry)
    })
}

fn string<'a>(entry: *const c_char) -> &'a CStr {
    // SAFETY: environments consist of terminated strings.
    unsafe { CStr::from_ptr(entry) }
}

fn has_name(entry: *const c_char, name: &[u8]) -> bool {
    let wanted = name.as_ptr().cast();
    // SAFETY: the entry ends with a zero, which the name does not contain.
    let is_alike = unsafe { libc::strncmp(entry, wanted, name.len()) } == 0;
    // SAFETY: the entry was just seen to have that many bytes before its end.
    is_alike && unsafe { entry.add(name.len()).read() } as u8 == b'='
}

/// A name that is valid in an environment.
fn valid_name<'a>(name: *const c_char) -> Option<&'a [u8]> {
    if name.is_null() {
        return None;
    }
    let name = string(name).to_bytes();
    (!name.is_empty() && !name.contains(&b'=')).then_some(name)
}

impl Own {
    /// Adds what tells scripts and tools which rank they run in. `ftrun` has left none of it in the
    /// template.
    fn tell_rank(&mut self, seat: usize) {
        let (mut text, mut starts) = (Vec::new(), Vec::new());
        let seat = seat.to_string();
        for name in RANK_VARIABLES {
            starts.push(text.len());
            text.extend([name.as_bytes(), b"=", seat.as_bytes(), b"\0"].concat());
        }
        let mut text = text.into_boxed_slice();
        let first = text.as_mut_ptr();
        self.strings.push(text);
        self.array.extend(starts.iter().map(|&at| Entry(first.wrapping_add(at).cast())));
    }

    /// A string that stays where it is as long as the rank lives.
    fn keep(&mut self, string: Box<[u8]>) -> *mut c_char {
        let known = self.strings.iter().rposition(|kept| *kept == string);
        let index = known.unwrap_or_else(|| {
            self.strings.push(string);
            self.strings.len() - 1
        });
        self.strings[index].as_mut_ptr().cast()
    }

    /// Makes `environ` point at an array that may be written to and grown.
    fn adopt(&mut self, homes: &super::homes::Homes) {
        let array: *mut *mut c_char = homes.read(Variable::Environ);
        if array.cast() != self.array.as_mut_ptr() || self.array.is_empty() {
            self.array = entries(array).map(Entry).collect();
            self.array.push(Entry(null_mut()));
        }
    }

    fn position(&self, name: &[u8]) -> Option<usize> {
        let mut entries = self.array.iter().take_while(|entry| !entry.0.is_null());
        entries.position(|entry| has_name(entry.0, name))
    }

    /// Replaces the entry of this name by `entry`, or appends it.
    fn put(&mut self, name: &[u8], entry: *mut c_char) {
        match self.position(name) {
            Some(index) => self.array[index] = Entry(entry),
            None => {
                let end = self.array.iter().position(|entry| entry.0.is_null());
                let end = end.expect("the array ends with a null");
                self.array.truncate(end);
                self.array.extend([Entry(entry), Entry(null_mut())]);
            }
        }
    }

    /// Removes every entry with this name, in place.
    fn remove(&mut self, name: &[u8]) {
        self.array.retain(|entry| entry.0.is_null() || !has_name(entry.0, name));
    }
}

/// Changes the rank's environment.
fn change(state: &LibcState, act: impl FnOnce(&mut Own)) {
    array(state);
    let mut own = ENVIRON.of(state).0.lock();
    own.adopt(&state.homes);
    act(&mut own);
    state.homes.write(Variable::Environ, own.array.as_mut_ptr());
}

fn find(state: &LibcState, name: &[u8]) -> *mut c_char {
    let array = array(state);
    let found = entries(array).position(|entry| has_name(entry, name));
    let Some(index) = found else { return null_mut() };
    let place = array.wrapping_add(index);
    // SAFETY: the walk has just passed it.
    let mut entry = unsafe { place.read() };
    let template = TEMPLATE.get().map_or(0..0, |template| {
        let range = template.bytes.as_ptr_range();
        range.start.addr()..range.end.addr()
    });
    if template.contains(&entry.addr()) {
        let copy = string(entry).to_bytes_with_nul().into();
        entry = ENVIRON.of(state).0.lock().keep(copy);
        // SAFETY: as above; the string has not moved.
        unsafe { place.write(entry) };
    }
    entry.wrapping_add(name.len() + 1)
}

unsafe extern "C" fn getenv(name: *const c_char) -> *mut c_char {
    match libc_state() {
        Some(state) => find(state, string(name).to_bytes()),
        // SAFETY: as our caller vouches.
        None => unsafe { libc::getenv(name) },
    }
}

unsafe extern "C" fn secure_getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: as our caller vouches; libc answers null in a set-user-id program.
    match unsafe { libc::getauxval(libc::AT_SECURE) } {
        // SAFETY: as above.
        0 => unsafe { getenv(name) },
        // SAFETY: as above.
        _ => unsafe { real_secure_getenv(name) },
    }
}

unsafe extern "C" fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { libc::setenv(name, value, overwrite) };
    };
    let Some(name) = valid_name(name) else {
        errno::set(libc::EINVAL);
        return -1;
    };
    let line = [name, b"=", string(value).to_bytes_with_nul()].concat().into_boxed_slice();
    change(state, |own| {
        if overwrite != 0 || own.position(name).is_none() {
            let entry = own.keep(line);
            own.put(name, entry);
        }
    });
    0
}

unsafe extern "C" fn unsetenv(name: *const c_char) -> c_int {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { libc::unsetenv(name) };
    };
    let Some(name) = valid_name(name) else {
        errno::set(libc::EINVAL);
        return -1;
    };
    change(state, |own| own.remove(name));
    0
}

unsafe extern "C" fn putenv(line: *mut c_char) -> c_int {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { libc::putenv(line) };
    };
    let bytes = string(line).to_bytes();
    match bytes.iter().position(|&byte| byte == b'=') {
        Some(end) => change(state, |own| own.put(&bytes[..end], line)),
        None => change(state, |own| own.remove(bytes)),
    }
    0
}

extern "C" fn clearenv() -> c_int {
    match libc_state() {
        Some(state) => {
            change(state, |own| own.array = vec![Entry(null_mut())]);
            0
        }
        // SAFETY: no precondition.
        None => unsafe { libc::clearenv() },
    }
}

/// In a forked child libc's own environment becomes the rank's, for whatever runs there.
pub(super) fn hand_to_libc(state: &LibcState) {
    let array = array(state);
    // SAFETY: a forked child has one thread.
    unsafe { LIBCS = if array.is_null() { null::<*mut c_char>().cast_mut() } else { array } };
}

/// Puts `name=value` into the environment of a rank.
pub(super) fn set(state: &LibcState, line: &CStr) {
    let bytes = line.to_bytes_with_nul();
    let end = bytes.iter().position(|&byte| byte == b'=').expect("a line has a name");
    change(state, |own| {
        let entry = own.keep(bytes.into());
        own.put(&bytes[..end], entry);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(state: &LibcState, name: &str) -> Option<String> {
        let found = find(state, name.as_bytes());
        (!found.is_null()).then(|| string(found).to_string_lossy().into_owned())
    }

    #[test]
    fn each_rank_has_an_environment_of_its_own() {
        let (one, two) = (LibcState::new(1), LibcState::new(2));
        let path = value(&two, "PATH");
        assert!(path.is_some());
        set(&one, c"PATH=/one");
        set(&one, c"NEW_NAME=x");
        assert_eq!(value(&one, "PATH").as_deref(), Some("/one"));
        assert_eq!(value(&one, "NEW_NAME").as_deref(), Some("x"));
        assert_eq!(value(&two, "PATH"), path);
        assert_eq!(value(&two, "NEW_NAME"), None);
        change(&one, |own| own.remove(b"NEW_NAME"));
        assert_eq!(value(&one, "NEW_NAME"), None);
    }

    #[test]
    fn writing_into_a_value_changes_no_other_rank() {
        let (one, two) = (LibcState::new(1), LibcState::new(2));
        let path = find(&one, b"PATH");
        // SAFETY: PATH is not empty, and the copy is this rank's.
        unsafe { path.write(b'!' as c_char) };
        assert!(value(&one, "PATH").unwrap().starts_with('!'));
        assert!(!value(&two, "PATH").unwrap().starts_with('!'));
    }

    #[test]
    fn writing_into_values_does_not_disturb_what_is_set_later() {
        let state = LibcState::new(1);
        for number in 0..200 {
            let line = CString::new(format!("N{}=x", number * 7 % 200)).unwrap();
            set(&state, &line);
            let name = line.to_bytes().split(|&byte| byte == b'=').next().unwrap();
            // SAFETY: the value has one byte, after the `=` and the name.
            unsafe { find(&state, name).write((b'0' + number as u8 % 70) as c_char) };
            // SAFETY: as above.
            unsafe { find(&state, name).sub(2).write(b'~' as c_char) };
        }
    }

    #[test]
    fn a_program_may_put_its_own_array_in_place() {
        let state = LibcState::new(1);
        let mut theirs = [c"A=1".as_ptr().cast_mut(), null_mut()];
        let mut home: *mut *mut c_char = null_mut();
        state.set_home("environ", (&raw mut home).cast());
        assert_eq!(home, state.envp());
        home = theirs.as_mut_ptr();
        assert_eq!(value(&state, "A").as_deref(), Some("1"));
        assert_eq!(value(&state, "PATH"), None);
        set(&state, c"B=2");
        assert_eq!(entries(home).count(), 2, "at {:p}, not {:p}", home, theirs.as_ptr());
        assert!(theirs[1].is_null(), "the program's array is not grown in place");
    }
}
