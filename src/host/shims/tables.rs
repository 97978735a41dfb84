//! Small libc and libm state, one per process there and one per rank here: `hsearch`'s table,
//! `signgam`.

use super::homes::Variable;
use super::state::Part;
use super::table;
use crate::host::errno;
use crate::host::rank::libc_state;
use parking_lot::Mutex;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

table!(
    hcreate, hsearch, hdestroy, lgamma, lgammaf, gamma, gammaf;
    __lgamma = lgamma
);

/// `ENTRY` of `<search.h>`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Item {
    key: *mut c_char,
    data: *mut c_void,
}

/// `struct hsearch_data` of `<search.h>`.
#[repr(C)]
struct HashTable {
    table: *mut c_void,
    bytes: c_uint,
    filled: c_uint,
}

// SAFETY: an address that only libc's functions use, with the rank's own table.
unsafe impl Send for HashTable {}

unsafe extern "C" {
    fn hcreate_r(count: usize, table: *mut HashTable) -> c_int;
    fn hsearch_r(item: Item, action: c_uint, found: *mut *mut Item, table: *mut HashTable)
    -> c_int;
    fn hdestroy_r(table: *mut HashTable);
    #[link_name = "hcreate"]
    fn real_hcreate(count: usize) -> c_int;
    #[link_name = "hsearch"]
    fn real_hsearch(item: Item, action: c_uint) -> *mut Item;
    #[link_name = "hdestroy"]
    fn real_hdestroy();
    fn lgamma_r(x: f64, sign: *mut c_int) -> f64;
    fn lgammaf_r(x: f32, sign: *mut c_int) -> f32;
}

/// The table that `hcreate` makes. A rank has few calls to spare for it, so it is not kept small.
pub(super) struct Hash(Mutex<HashTable>);

static HASH: Part<Hash> = Part::new();

impl Default for Hash {
    fn default() -> Hash {
        Hash(Mutex::new(HashTable { table: null_mut(), bytes: 0, filled: 0 }))
    }
}

extern "C" fn hcreate(count: usize) -> c_int {
    match libc_state() {
        // SAFETY: the table is the rank's.
        Some(state) => unsafe { hcreate_r(count, &raw mut *HASH.of(state).0.lock()) },
        // SAFETY: no precondition.
        None => unsafe { real_hcreate(count) },
    }
}

unsafe extern "C" fn hsearch(item: Item, action: c_uint) -> *mut Item {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_hsearch(item, action) };
    };
    let table = &raw mut *HASH.of(state).0.lock();
    // SAFETY: the table stays in the state; the program guards its use, as with libc's.
    if unsafe { (*table).table }.is_null() {
        errno::set(libc::ESRCH);
        return null_mut();
    }
    let mut found = null_mut();
    // SAFETY: as above; the caller vouches for the item.
    unsafe { hsearch_r(item, action, &raw mut found, table) };
    found
}

extern "C" fn hdestroy() {
    match libc_state() {
        // SAFETY: the table is the rank's.
        Some(state) => unsafe { hdestroy_r(&raw mut *HASH.of(state).0.lock()) },
        // SAFETY: no precondition.
        None => unsafe { real_hdestroy() },
    }
}

/// libm writes the sign into its own `signgam`; the rank's gets it here.
fn tell_sign(sign: c_int) {
    if let Some(state) = libc_state() {
        state.homes.write(Variable::Signgam, sign);
    }
}

extern "C" fn lgamma(x: f64) -> f64 {
    let mut sign = 0;
    // SAFETY: the sign is ours.
    let result = unsafe { lgamma_r(x, &raw mut sign) };
    tell_sign(sign);
    result
}

extern "C" fn lgammaf(x: f32) -> f32 {
    let mut sign = 0;
    // SAFETY: the sign is ours.
    let result = unsafe { lgammaf_r(x, &raw mut sign) };
    tell_sign(sign);
    result
}

extern "C" fn gamma(x: f64) -> f64 {
    lgamma(x)
}

extern "C" fn gammaf(x: f32) -> f32 {
    lgammaf(x)
}
