//! printf formats that a library registers, as libquadmath does for its type.
//!
//! libc keeps one table of them for the process. A rank's copy of such a library is unmapped with
//! the rank, and every later printf of any rank would call into unmapped code. So a private image
//! is told that its formats are registered, and libc never hears of them: libquadmath prints by
//! functions of its own.

use super::table;
use std::ffi::{c_int, c_void};

table!(
    register_printf_specifier, register_printf_modifier, register_printf_type;
    register_printf_function = register_printf_specifier,
);

/// The first of what libc would give out: a bit beside its own flags, and a type after its own.
const MODIFIER: c_int = 1 << 8;
const TYPE: c_int = 8;

unsafe extern "C" fn register_printf_specifier(
    _: c_int, _: *const c_void, _: *const c_void,
) -> c_int {
    0
}

unsafe extern "C" fn register_printf_modifier(_: *const libc::wchar_t) -> c_int {
    MODIFIER
}

unsafe extern "C" fn register_printf_type(_: *const c_void) -> c_int {
    TYPE
}
