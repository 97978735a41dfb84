//! The shims that are written in C (`variadic.c`), and the functions that they call back.

use super::tag::TAG_OUTPUT;
use super::{Entry, alloc, dl, processes, stdio};
use crate::host::life;
use crate::host::rank::libc_state;
use libc::FILE;
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::Ordering;

/// Lists libc's names with the C functions that replace them.
macro_rules! in_c {
    ($($name:ident = $function:ident),* $(,)?) => {
        unsafe extern "C" {
            $(fn $function();)*
        }

        pub(super) const TABLE: &[Entry] = &[$((stringify!($name), $function as *const ())),*];
    };
}

in_c! {
    printf = ftmpi_printf,
    vprintf = ftmpi_vprintf,
    __printf_chk = ftmpi_printf_chk,
    __vprintf_chk = ftmpi_vprintf_chk,
    wprintf = ftmpi_wprintf,
    vwprintf = ftmpi_vwprintf,
    __wprintf_chk = ftmpi_wprintf_chk,
    __vwprintf_chk = ftmpi_vwprintf_chk,
    scanf = ftmpi_scanf,
    vscanf = ftmpi_vscanf,
    __isoc99_scanf = ftmpi_scanf99,
    __isoc99_vscanf = ftmpi_vscanf99,
    __isoc23_scanf = ftmpi_scanf23,
    __isoc23_vscanf = ftmpi_vscanf23,
    wscanf = ftmpi_wscanf,
    vwscanf = ftmpi_vwscanf,
    __isoc99_wscanf = ftmpi_wscanf99,
    __isoc99_vwscanf = ftmpi_vwscanf99,
    __isoc23_wscanf = ftmpi_wscanf23,
    __isoc23_vwscanf = ftmpi_vwscanf23,
    asprintf = ftmpi_asprintf,
    vasprintf = ftmpi_vasprintf,
    __asprintf_chk = ftmpi_asprintf_chk,
    __vasprintf_chk = ftmpi_vasprintf_chk,
    dprintf = ftmpi_dprintf,
    vdprintf = ftmpi_vdprintf,
    __dprintf_chk = ftmpi_dprintf_chk,
    __vdprintf_chk = ftmpi_vdprintf_chk,
    error = ftmpi_error,
    error_at_line = ftmpi_error_at_line,
    warn = ftmpi_warn,
    warnx = ftmpi_warnx,
    vwarn = ftmpi_vwarn,
    vwarnx = ftmpi_vwarnx,
    err = ftmpi_err,
    errx = ftmpi_errx,
    verr = ftmpi_verr,
    verrx = ftmpi_verrx,
    execl = ftmpi_execl,
    execlp = ftmpi_execlp,
    dlsym = ftmpi_dlsym,
    dlvsym = ftmpi_dlvsym,
}

/// What the C side calls. The order of the members is that of `struct host` there.
#[repr(C)]
struct Host {
    stream: extern "C" fn(c_int) -> *mut FILE,
    malloc: extern "C" fn(usize) -> *mut c_void,
    write: unsafe extern "C" fn(c_int, *const c_void, usize) -> isize,
    tags: extern "C" fn(c_int) -> c_int,
    execv: unsafe extern "C" fn(*const c_char, *const *const c_char) -> c_int,
    execvp: unsafe extern "C" fn(*const c_char, *const *const c_char) -> c_int,
    exit: extern "C-unwind" fn(c_int) -> !,
    find:
        unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char, *mut c_void) -> *mut c_void,
}

static HOST: Host = Host {
    stream: stdio::stream_of_caller,
    malloc: alloc::malloc,
    write: stdio::write,
    tags,
    execv: processes::execv,
    execvp: processes::execvp,
    exit,
    find,
};

unsafe extern "C" {
    fn ftmpi_connect(host: *const Host);
}

/// Tells the C side what it may call, before any of its functions is handed out.
pub(super) fn connect() {
    // SAFETY: the C side has an equal structure.
    unsafe { ftmpi_connect(&raw const HOST) };
}

/// Whether output on `descriptor` gets tags.
extern "C" fn tags(descriptor: c_int) -> c_int {
    let tags = matches!(descriptor, 1 | 2) && TAG_OUTPUT.load(Ordering::Relaxed);
    c_int::from(tags && libc_state().is_some())
}

extern "C-unwind" fn exit(status: c_int) -> ! {
    // SAFETY: has no preconditions beyond those of `exit` itself.
    unsafe { life::exit(status) }
}

unsafe extern "C" fn find(
    handle: *mut c_void, name: *const c_char, version: *const c_char, caller: *mut c_void,
) -> *mut c_void {
    // SAFETY: as the caller of dlsym vouches.
    unsafe { dl::find(handle, name, version, caller.addr()) }
}
