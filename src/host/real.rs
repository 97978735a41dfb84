//! The functions of libc (and of libgomp) that this library interposes.

use std::ffi::{CStr, c_void};

/// The next definition of `name` after this library's.
pub(super) fn find(name: &CStr) -> *const c_void {
    // SAFETY: looks a name up.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if !next.is_null() {
        return next;
    }
    // Linked after libc, which a program reaches through another library without `ftrun`.
    let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
    // SAFETY: libc is loaded in every process that this library runs in.
    let found = unsafe { libc::dlsym(libc::dlopen(c"libc.so.6".as_ptr(), flags), name.as_ptr()) };
    assert!(!found.is_null(), "libc has every function that this library stands in for");
    found
}

/// libc's own function of that name, as the type that the context requires.
macro_rules! real {
    ($name:literal) => {{
        static FOUND: std::sync::atomic::AtomicPtr<std::ffi::c_void> =
            std::sync::atomic::AtomicPtr::new(std::ptr::null_mut());
        let mut found = FOUND.load(std::sync::atomic::Ordering::Relaxed);
        if found.is_null() {
            const NAME: &str = concat!($name, "\0");
            let name = std::ffi::CStr::from_bytes_with_nul(NAME.as_bytes());
            found = $crate::host::real::find(name.expect("a literal without zeros")).cast_mut();
            FOUND.store(found, std::sync::atomic::Ordering::Relaxed);
        }
        // SAFETY: libc's function has the type of its stand-in.
        unsafe { std::mem::transmute::<*mut std::ffi::c_void, _>(found) }
    }};
}
pub(in crate::host) use real;
