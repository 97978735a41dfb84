//! rand, random, drand48 and their kin: each rank draws the sequence that it would draw as a
//! process of its own.

use super::state::{LibcState, Part};
use super::table;
use crate::host::rank::libc_state;
use parking_lot::Mutex;
use std::ffi::{c_char, c_double, c_int, c_long, c_uint, c_ushort};
use std::mem::MaybeUninit;
use std::ptr::null_mut;

table!(
    rand, srand, random, srandom, initstate, setstate, drand48, erand48, lrand48, nrand48, mrand48,
    jrand48, srand48, seed48, lcong48,
);

/// `struct random_data` of `<stdlib.h>`.
#[repr(C)]
struct RandomData {
    front: *mut i32,
    rear: *mut i32,
    state: *mut i32,
    kind: c_int,
    degree: c_int,
    separation: c_int,
    end: *mut i32,
}

/// `struct drand48_data` of `<stdlib.h>`.
#[repr(C)]
#[derive(Default)]
struct Drand48Data {
    x: [c_ushort; 3],
    old_x: [c_ushort; 3],
    c: c_ushort,
    init: c_ushort,
    a: u64,
}

const TABLE_BYTES: usize = 128;

unsafe extern "C" {
    fn random_r(data: *mut RandomData, result: *mut i32) -> c_int;
    fn srandom_r(seed: c_uint, data: *mut RandomData) -> c_int;
    fn initstate_r(seed: c_uint, table: *mut c_char, bytes: usize, data: *mut RandomData) -> c_int;
    fn setstate_r(table: *mut c_char, data: *mut RandomData) -> c_int;
    fn erand48_r(x: *mut c_ushort, data: *mut Drand48Data, result: *mut c_double) -> c_int;
    fn nrand48_r(x: *mut c_ushort, data: *mut Drand48Data, result: *mut c_long) -> c_int;
    fn jrand48_r(x: *mut c_ushort, data: *mut Drand48Data, result: *mut c_long) -> c_int;
    fn srand48_r(seed: c_long, data: *mut Drand48Data) -> c_int;
    fn seed48_r(seed: *mut c_ushort, data: *mut Drand48Data) -> c_int;
    fn lcong48_r(parameters: *mut c_ushort, data: *mut Drand48Data) -> c_int;
    #[link_name = "initstate"]
    fn real_initstate(seed: c_uint, table: *mut c_char, bytes: usize) -> *mut c_char;
    #[link_name = "setstate"]
    fn real_setstate(table: *mut c_char) -> *mut c_char;
    #[link_name = "random"]
    fn real_random() -> c_long;
    #[link_name = "srandom"]
    fn real_srandom(seed: c_uint);
    #[link_name = "drand48"]
    fn real_drand48() -> c_double;
    #[link_name = "erand48"]
    fn real_erand48(x: *mut c_ushort) -> c_double;
    #[link_name = "lrand48"]
    fn real_lrand48() -> c_long;
    #[link_name = "nrand48"]
    fn real_nrand48(x: *mut c_ushort) -> c_long;
    #[link_name = "mrand48"]
    fn real_mrand48() -> c_long;
    #[link_name = "jrand48"]
    fn real_jrand48(x: *mut c_ushort) -> c_long;
    #[link_name = "srand48"]
    fn real_srand48(seed: c_long);
    #[link_name = "seed48"]
    fn real_seed48(seed: *mut c_ushort) -> *mut c_ushort;
    #[link_name = "lcong48"]
    fn real_lcong48(parameters: *mut c_ushort);
}

#[derive(Default)]
pub(super) struct Random {
    additive: Mutex<Option<Box<Additive>>>,
    linear: Mutex<Drand48Data>,
}

static RANDOM: Part<Random> = Part::new();

/// The generator behind rand and random. Points into its own table, so it stays in its box.
struct Additive {
    data: RandomData,
    table: [i32; TABLE_BYTES / 4],
}

// SAFETY: its pointers lead into its own table or into one that the rank gave it.
unsafe impl Send for Additive {}

impl Additive {
    /// As in a fresh process: seeded with 1.
    fn new() -> Box<Additive> {
        let empty = RandomData {
            front: null_mut(),
            rear: null_mut(),
            state: null_mut(),
            kind: 0,
            degree: 0,
            separation: 0,
            end: null_mut(),
        };
        let mut made = Box::new(Additive { data: empty, table: [0; TABLE_BYTES / 4] });
        let table = made.table.as_mut_ptr().cast();
        // SAFETY: the table has that many bytes and stays in the box; a null state means a new one.
        unsafe { initstate_r(1, table, TABLE_BYTES, &raw mut made.data) };
        made
    }

    fn draw(&mut self) -> i32 {
        let mut drawn = 0;
        // SAFETY: the generator was initialised by `new`.
        unsafe { random_r(&raw mut self.data, &raw mut drawn) };
        drawn
    }

    /// The table in use, as `setstate` takes it: libc keeps a word in front of the state.
    fn table(&self) -> *mut c_char {
        self.data.state.wrapping_sub(1).cast()
    }
}

fn additive<T>(state: &LibcState, act: impl FnOnce(&mut Additive) -> T) -> T {
    act(RANDOM.of(state).additive.lock().get_or_insert_with(Additive::new))
}

fn linear<T>(state: &LibcState, act: impl FnOnce(&mut Drand48Data) -> T) -> T {
    act(&mut RANDOM.of(state).linear.lock())
}

extern "C" fn random() -> c_long {
    match libc_state() {
        Some(state) => additive(state, |generator| c_long::from(generator.draw())),
        // SAFETY: no precondition.
        None => unsafe { real_random() },
    }
}

extern "C" fn rand() -> c_int {
    random() as c_int
}

extern "C" fn srandom(seed: c_uint) {
    match libc_state() {
        Some(state) => additive(state, |generator| {
            // SAFETY: the generator was initialised by `new`.
            unsafe { srandom_r(seed, &raw mut generator.data) };
        }),
        // SAFETY: no precondition.
        None => unsafe { real_srandom(seed) },
    }
}

extern "C" fn srand(seed: c_uint) {
    srandom(seed);
}

unsafe extern "C" fn initstate(seed: c_uint, table: *mut c_char, bytes: usize) -> *mut c_char {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_initstate(seed, table, bytes) };
    };
    additive(state, |generator| {
        let before = generator.table();
        // SAFETY: the caller vouches for the table; the generator was initialised by `new`.
        match unsafe { initstate_r(seed, table, bytes, &raw mut generator.data) } {
            0 => before,
            _ => null_mut(),
        }
    })
}

unsafe extern "C" fn setstate(table: *mut c_char) -> *mut c_char {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_setstate(table) };
    };
    additive(state, |generator| {
        let before = generator.table();
        // SAFETY: the caller vouches for the table; the generator was initialised by `new`.
        match unsafe { setstate_r(table, &raw mut generator.data) } {
            0 => before,
            _ => null_mut(),
        }
    })
}

extern "C" fn drand48() -> c_double {
    match libc_state() {
        Some(state) => linear(state, |data| {
            let x = data.x.as_mut_ptr();
            draw48(|result| {
                // SAFETY: libc itself passes the state's own number this way.
                unsafe { erand48_r(x, data, result) }
            })
        }),
        // SAFETY: no precondition.
        None => unsafe { real_drand48() },
    }
}

extern "C" fn lrand48() -> c_long {
    match libc_state() {
        Some(state) => linear(state, |data| {
            let x = data.x.as_mut_ptr();
            draw48(|result| {
                // SAFETY: libc itself passes the state's own number this way.
                unsafe { nrand48_r(x, data, result) }
            })
        }),
        // SAFETY: no precondition.
        None => unsafe { real_lrand48() },
    }
}

extern "C" fn mrand48() -> c_long {
    match libc_state() {
        Some(state) => linear(state, |data| {
            let x = data.x.as_mut_ptr();
            draw48(|result| {
                // SAFETY: libc itself passes the state's own number this way.
                unsafe { jrand48_r(x, data, result) }
            })
        }),
        // SAFETY: no precondition.
        None => unsafe { real_mrand48() },
    }
}

unsafe extern "C" fn erand48(x: *mut c_ushort) -> c_double {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_erand48(x) };
    };
    // SAFETY: the caller vouches for three numbers.
    linear(state, |data| draw48(|result| unsafe { erand48_r(x, data, result) }))
}

unsafe extern "C" fn nrand48(x: *mut c_ushort) -> c_long {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_nrand48(x) };
    };
    // SAFETY: the caller vouches for three numbers.
    linear(state, |data| draw48(|result| unsafe { nrand48_r(x, data, result) }))
}

unsafe extern "C" fn jrand48(x: *mut c_ushort) -> c_long {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_jrand48(x) };
    };
    // SAFETY: the caller vouches for three numbers.
    linear(state, |data| draw48(|result| unsafe { jrand48_r(x, data, result) }))
}

extern "C" fn srand48(seed: c_long) {
    match libc_state() {
        // SAFETY: the state is ours.
        Some(state) => drop(linear(state, |data| unsafe { srand48_r(seed, data) })),
        // SAFETY: no precondition.
        None => unsafe { real_srand48(seed) },
    }
}

unsafe extern "C" fn seed48(seed: *mut c_ushort) -> *mut c_ushort {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_seed48(seed) };
    };
    linear(state, |data| {
        // SAFETY: the caller vouches for three numbers.
        unsafe { seed48_r(seed, data) };
        data.old_x.as_mut_ptr()
    })
}

unsafe extern "C" fn lcong48(parameters: *mut c_ushort) {
    match libc_state() {
        // SAFETY: the caller vouches for seven numbers.
        Some(state) => drop(linear(state, |data| unsafe { lcong48_r(parameters, data) })),
        // SAFETY: as our caller vouches.
        None => unsafe { real_lcong48(parameters) },
    }
}

/// The result of one of libc's `…48_r`, which cannot fail.
fn draw48<T>(draw: impl FnOnce(*mut T) -> c_int) -> T {
    let mut result = MaybeUninit::uninit();
    draw(result.as_mut_ptr());
    // SAFETY: libc wrote it.
    unsafe { result.assume_init() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_draw_what_processes_draw() {
        let (one, two) = (LibcState::new(1), LibcState::new(2));
        let fresh: Vec<_> = (0..100).map(|_| additive(&one, Additive::draw)).collect();
        // SAFETY: no other test uses libc's own generator.
        let expected: Vec<_> = (0..100).map(|_| unsafe { real_random() } as i32).collect();
        assert_eq!(fresh, expected, "the sequence of an unseeded process");
        let other: Vec<_> = (0..100).map(|_| additive(&two, Additive::draw)).collect();
        assert_eq!(other, expected, "whatever another rank has drawn");
    }

    #[test]
    fn ranks_draw_drand48_like_processes() {
        let state = LibcState::new(1);
        let draw = |state: &LibcState| {
            linear(state, |data| {
                let x = data.x.as_mut_ptr();
                // SAFETY: as in `drand48`.
                draw48::<f64>(|result| unsafe { erand48_r(x, data, result) })
            })
        };
        // SAFETY: no other test uses libc's own generator.
        let expected: Vec<_> = (0..50).map(|_| unsafe { real_drand48() }).collect();
        assert_eq!((0..50).map(|_| draw(&state)).collect::<Vec<_>>(), expected);
        // SAFETY: as above.
        unsafe { real_srand48(7) };
        // SAFETY: the state is ours.
        linear(&state, |data| unsafe { srand48_r(7, data) });
        // SAFETY: as above.
        assert_eq!(draw(&state), unsafe { real_drand48() });
    }
}
