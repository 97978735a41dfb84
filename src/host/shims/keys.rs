//! Thread-specific data (`pthread_key_create` and kin): a table of keys per rank, since a process
//! has only 1,024 keys in total, and a table of values per thread.

use super::state::{LibcState, Part};
use super::table;
use crate::host::current;
use crate::host::rank::libc_state;
use parking_lot::Mutex;
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

table!(
    pthread_key_create, pthread_key_delete, pthread_getspecific, pthread_setspecific, tss_create,
    tss_delete, tss_get, tss_set;
    __pthread_key_create = pthread_key_create
);

/// PTHREAD_KEYS_MAX, PTHREAD_DESTRUCTOR_ITERATIONS.
const MOST_KEYS: usize = 1024;
const ROUNDS: usize = 4;

type Destructor = unsafe extern "C-unwind" fn(*mut c_void);

unsafe extern "C" {
    #[link_name = "pthread_key_create"]
    fn real_create(key: *mut c_uint, destructor: Option<Destructor>) -> c_int;
    #[link_name = "pthread_key_delete"]
    fn real_delete(key: c_uint) -> c_int;
    #[link_name = "pthread_getspecific"]
    fn real_get(key: c_uint) -> *mut c_void;
    #[link_name = "pthread_setspecific"]
    fn real_set(key: c_uint, value: *const c_void) -> c_int;
}

/// The keys of a rank. A key's number is odd while it is in use and counts its lives, so that a
/// value set under an earlier life is not seen.
#[derive(Default)]
pub(super) struct Keys {
    keys: Mutex<Vec<Key>>,
    /// How many keys there have ever been: a value under a higher number was never set.
    made: AtomicU32,
}

static KEYS: Part<Keys> = Part::new();

#[derive(Clone, Copy)]
struct Key {
    life: u32,
    destructor: Option<Destructor>,
}

/// What one thread keeps under each key.
#[derive(Default)]
struct Values(Vec<Value>);

#[derive(Clone, Copy)]
struct Value {
    life: u32,
    value: *mut c_void,
}

const NOTHING: Value = Value { life: 0, value: null_mut() };

thread_local! {
    static VALUES: Cell<*mut Values> = const { Cell::new(null_mut()) };
}

impl Keys {
    fn create(&self, destructor: Option<Destructor>) -> Option<c_uint> {
        let mut keys = self.keys.lock();
        if let Some(index) = keys.iter().position(|key| key.life.is_multiple_of(2)) {
            keys[index] = Key { life: keys[index].life + 1, destructor };
            return Some(index as c_uint);
        }
        if keys.len() == MOST_KEYS {
            return None;
        }
        keys.push(Key { life: 1, destructor });
        self.made.store(keys.len() as u32, Ordering::Release);
        Some(keys.len() as c_uint - 1)
    }

    fn delete(&self, key: c_uint) -> bool {
        let mut keys = self.keys.lock();
        let key = keys.get_mut(key as usize).filter(|key| key.life % 2 == 1);
        key.map(|key| key.life += 1).is_some()
    }

    fn find(&self, key: c_uint) -> Option<Key> {
        self.keys.lock().get(key as usize).copied().filter(|key| key.life % 2 == 1)
    }
}

fn value_of(state: &LibcState, key: c_uint) -> *mut c_void {
    // SAFETY: only this thread uses its values.
    let Some(values) = (unsafe { VALUES.get().as_ref() }) else { return null_mut() };
    let Some(value) = values.0.get(key as usize).filter(|value| !value.value.is_null()) else {
        return null_mut();
    };
    match KEYS.of(state).find(key) {
        Some(key) if key.life == value.life => value.value,
        _ => null_mut(),
    }
}

fn keep(state: &LibcState, key: c_uint, value: *mut c_void) -> bool {
    let Some(found) = KEYS.of(state).find(key) else { return false };
    if VALUES.get().is_null() {
        VALUES.set(Box::into_raw(Box::default()));
    }
    // SAFETY: only this thread uses its values, and `thread_ends` alone frees them.
    let values = unsafe { &mut *VALUES.get() };
    if values.0.len() <= key as usize {
        values.0.resize(key as usize + 1, NOTHING);
    }
    values.0[key as usize] = Value { life: found.life, value };
    true
}

/// A thread of a rank ends in an orderly way: runs the destructors of what it has kept, as often
/// as libc would, and forgets it. Not for a rank's own thread, whose end is the rank's.
pub(in crate::host) fn thread_ends() {
    let Some(rank) = current() else { return };
    for _ in 0..ROUNDS {
        let mut is_done = true;
        for index in 0..KEYS.of(&rank.libc).made.load(Ordering::Acquire) {
            let value = value_of(&rank.libc, index);
            let Some(key) = KEYS.of(&rank.libc).find(index).filter(|_| !value.is_null()) else {
                continue;
            };
            keep(&rank.libc, index, null_mut());
            if let Some(destructor) = key.destructor {
                is_done = false;
                // SAFETY: the rank gave it to be called with this value.
                unsafe { destructor(value) };
            }
        }
        if is_done {
            break;
        }
    }
    forget_values();
}

fn forget_values() {
    let values = VALUES.replace(null_mut());
    if !values.is_null() {
        // SAFETY: they came from a box and are out of reach now.
        drop(unsafe { Box::from_raw(values) });
    }
}

unsafe extern "C-unwind" fn pthread_key_create(
    place: *mut c_uint, destructor: Option<Destructor>,
) -> c_int {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_create(place, destructor) };
    };
    let Some(key) = KEYS.of(state).create(destructor) else { return libc::EAGAIN };
    // SAFETY: the caller vouches for the place.
    unsafe { place.write(key) };
    0
}

extern "C-unwind" fn pthread_key_delete(key: c_uint) -> c_int {
    match libc_state() {
        Some(state) if KEYS.of(state).delete(key) => 0,
        Some(_) => libc::EINVAL,
        // SAFETY: any number may be asked about.
        None => unsafe { real_delete(key) },
    }
}

extern "C-unwind" fn pthread_getspecific(key: c_uint) -> *mut c_void {
    match libc_state() {
        Some(state) => value_of(state, key),
        // SAFETY: any number may be asked about.
        None => unsafe { real_get(key) },
    }
}

extern "C-unwind" fn pthread_setspecific(key: c_uint, value: *const c_void) -> c_int {
    match libc_state() {
        Some(state) if keep(state, key, value.cast_mut()) => 0,
        Some(_) => libc::EINVAL,
        // SAFETY: the value is only kept.
        None => unsafe { real_set(key, value) },
    }
}

/// `thrd_success`, `thrd_error` of `<threads.h>`.
const SUCCESS: c_int = 0;
const ERROR: c_int = 2;

unsafe extern "C-unwind" fn tss_create(
    place: *mut c_uint, destructor: Option<Destructor>,
) -> c_int {
    // SAFETY: as our caller vouches.
    if unsafe { pthread_key_create(place, destructor) } == 0 { SUCCESS } else { ERROR }
}

extern "C-unwind" fn tss_delete(key: c_uint) {
    pthread_key_delete(key);
}

extern "C-unwind" fn tss_get(key: c_uint) -> *mut c_void {
    pthread_getspecific(key)
}

extern "C-unwind" fn tss_set(key: c_uint, value: *mut c_void) -> c_int {
    if pthread_setspecific(key, value) == 0 { SUCCESS } else { ERROR }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_has_all_the_keys_of_a_process() {
        let (one, two) = (LibcState::new(1), LibcState::new(2));
        for expected in 0..MOST_KEYS as c_uint {
            assert_eq!(KEYS.of(&one).create(None), Some(expected));
            assert_eq!(KEYS.of(&two).create(None), Some(expected));
        }
        assert_eq!(KEYS.of(&one).create(None), None);
        assert!(KEYS.of(&one).delete(7));
        assert!(!KEYS.of(&one).delete(7));
        assert_eq!(KEYS.of(&one).create(None), Some(7));
    }

    #[test]
    fn a_new_key_holds_nothing_in_any_thread() {
        let state = LibcState::new(1);
        let key = KEYS.of(&state).create(None).unwrap();
        let mut thing = 5;
        assert!(keep(&state, key, (&raw mut thing).cast()));
        assert_eq!(value_of(&state, key), (&raw mut thing).cast());
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(value_of(&state, key), null_mut()));
        });
        KEYS.of(&state).delete(key);
        assert_eq!(value_of(&state, key), null_mut());
        assert_eq!(KEYS.of(&state).create(None), Some(key));
        assert_eq!(value_of(&state, key), null_mut());
        assert!(!keep(&state, key + 1, null_mut()));
        forget_values();
    }
}
