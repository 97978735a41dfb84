//! Processes that a rank starts: they inherit the rank's environment, not libc's.

use super::environ::{current_array, value};
use super::open_files::FILES;
use super::stream::Stream;
use super::{files, stdio, table};
use crate::host::errno;
use crate::host::rank::libc_state;
use crate::host::{current, life, signals};
use libc::{FILE, pid_t};
use std::ffi::{CStr, CString, c_char, c_int};
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr::{null, null_mut};

table!(
    fork, system, popen, pclose, execv, execvp, wait, wait3, wait4, waitpid, waitid;
    __fork = fork, __libc_fork = fork, __libc_system = system, __wait = wait, __waitpid = waitpid
);

unsafe extern "C" {
    #[link_name = "popen"]
    fn real_popen(command: *const c_char, mode: *const c_char) -> *mut FILE;
    #[link_name = "pclose"]
    fn real_pclose(stream: *mut FILE) -> c_int;
    #[link_name = "system"]
    fn real_system(command: *const c_char) -> c_int;
}

extern "C" fn fork() -> pid_t {
    let Some(rank) = current() else {
        // SAFETY: no precondition.
        return unsafe { libc::fork() };
    };
    // The kernel knows whose children are whose by threads.
    life::settle();
    let still = rank.heap.hold_still();
    // SAFETY: the child continues with this thread alone, whose rank is unchanged.
    let child = unsafe { libc::fork() };
    drop(still);
    if child == 0 {
        rank.images.admit_everywhere();
        stdio::after_fork(&rank.libc);
        super::environ::hand_to_libc(&rank.libc);
        signals::hand_to_kernel(rank);
    }
    child
}

/// A shell that runs `command`, with descriptors `(from, to)` moved; its number or an error.
fn start_shell(command: *const c_char, moves: &[(RawFd, RawFd)]) -> Result<pid_t, c_int> {
    let mut actions = MaybeUninit::uninit();
    // SAFETY: initialises what it is given.
    unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) };
    let mut attributes = MaybeUninit::uninit();
    // SAFETY: initialises what it is given.
    unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) };
    let mut defaults = MaybeUninit::uninit();
    // SAFETY: writes a set of our own; then the shell handles Ctrl-C as shells do.
    unsafe {
        libc::sigemptyset(defaults.as_mut_ptr());
        libc::sigaddset(defaults.as_mut_ptr(), libc::SIGINT);
        libc::sigaddset(defaults.as_mut_ptr(), libc::SIGQUIT);
        libc::posix_spawnattr_setsigdefault(attributes.as_mut_ptr(), defaults.as_ptr());
        let flags = libc::POSIX_SPAWN_SETSIGDEF as i16;
        libc::posix_spawnattr_setflags(attributes.as_mut_ptr(), flags);
    }
    for &(from, to) in moves {
        // SAFETY: the actions were initialised above.
        unsafe { libc::posix_spawn_file_actions_adddup2(actions.as_mut_ptr(), from, to) };
    }
    let words = [c"sh".as_ptr().cast_mut(), c"-c".as_ptr().cast_mut(), command.cast_mut()];
    let argv = [words[0], words[1], words[2], null_mut()];
    let mut child = 0;
    // SAFETY: all that is passed was made above; the caller vouches for the command.
    let number = unsafe {
        libc::posix_spawn(
            &raw mut child,
            c"/bin/sh".as_ptr(),
            actions.as_ptr(),
            attributes.as_ptr(),
            argv.as_ptr(),
            current_array().cast(),
        )
    };
    // SAFETY: initialised above and not used again.
    unsafe { libc::posix_spawn_file_actions_destroy(actions.as_mut_ptr()) };
    // SAFETY: as above.
    unsafe { libc::posix_spawnattr_destroy(attributes.as_mut_ptr()) };
    if number == 0 { Ok(child) } else { Err(number) }
}

fn wait_for(child: pid_t) -> c_int {
    let mut status = 0;
    loop {
        // SAFETY: the status is ours.
        let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
        let number = std::io::Error::last_os_error().raw_os_error();
        match ended {
            -1 if number == Some(libc::EINTR) => {}
            -1 => return -1,
            _ => return status,
        }
    }
}

/// A wait for any child means any child of the calling rank, which the kernel knows as children of
/// its thread. A wait for one child may come from any thread.
fn among_own(child: pid_t, options: c_int) -> c_int {
    if child > 0 || libc_state().is_none() { options } else { options | libc::__WNOTHREAD }
}

unsafe extern "C" fn wait(status: *mut c_int) -> pid_t {
    // SAFETY: as our caller vouches.
    unsafe { wait4(-1, status, 0, null_mut()) }
}

unsafe extern "C" fn wait3(status: *mut c_int, options: c_int, usage: *mut libc::rusage) -> pid_t {
    // SAFETY: as our caller vouches.
    unsafe { wait4(-1, status, options, usage) }
}

unsafe extern "C" fn waitpid(child: pid_t, status: *mut c_int, options: c_int) -> pid_t {
    // SAFETY: as our caller vouches.
    unsafe { libc::waitpid(child, status, among_own(child, options)) }
}

unsafe extern "C" fn wait4(
    child: pid_t, status: *mut c_int, options: c_int, usage: *mut libc::rusage,
) -> pid_t {
    // SAFETY: as our caller vouches.
    unsafe { libc::wait4(child, status, among_own(child, options), usage) }
}

unsafe extern "C" fn waitid(
    kind: libc::idtype_t, id: libc::id_t, story: *mut libc::siginfo_t, options: c_int,
) -> c_int {
    let options = if kind == libc::P_PID { options } else { among_own(-1, options) };
    // SAFETY: as our caller vouches.
    unsafe { libc::waitid(kind, id, story, options) }
}

unsafe extern "C" fn system(command: *const c_char) -> c_int {
    if libc_state().is_none() {
        // SAFETY: as our caller vouches.
        return unsafe { real_system(command) };
    }
    if command.is_null() {
        // SAFETY: a constant command.
        return c_int::from(unsafe { system(c"exit 0".as_ptr()) } == 0);
    }
    let mut block = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: writes sets of our own. The signal of the child's end is not for a handler.
    unsafe {
        libc::sigemptyset(block.as_mut_ptr());
        libc::sigaddset(block.as_mut_ptr(), libc::SIGCHLD);
        libc::pthread_sigmask(libc::SIG_BLOCK, block.as_ptr(), before.as_mut_ptr());
    }
    const NO_SHELL: c_int = 127 << 8;
    let status = start_shell(command, &[]).map_or(NO_SHELL, wait_for);
    // SAFETY: the set was written above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), null_mut()) };
    status
}

unsafe extern "C" fn popen(command: *const c_char, mode: *const c_char) -> *mut FILE {
    if libc_state().is_none() {
        // SAFETY: as our caller vouches.
        return unsafe { real_popen(command, mode) };
    }
    // SAFETY: the caller vouches for a terminated string.
    let letters = unsafe { CStr::from_ptr(mode) }.to_bytes();
    let reads = letters.contains(&b'r');
    if reads == letters.contains(&b'w') || letters.iter().any(|each| !b"rwe".contains(each)) {
        errno::set(libc::EINVAL);
        return null_mut();
    }
    let mut pipe = [0; 2];
    // Ours closes on exec whatever the mode: a child of another rank would keep the pipe open.
    // SAFETY: writes two descriptors.
    if unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return null_mut();
    }
    let [read, write] = pipe;
    let (ours, theirs, place) = if reads { (read, write, 1) } else { (write, read, 0) };
    let child = start_shell(command, &[(theirs, place)]);
    // SAFETY: the child has it.
    unsafe { libc::close(theirs) };
    let stream = match child {
        Ok(_) => {
            let mode = if reads { c"r" } else { c"w" };
            // SAFETY: opens a stream on our end.
            unsafe { libc::fdopen(ours, mode.as_ptr()) }
        }
        Err(number) => {
            errno::set(number);
            null_mut()
        }
    };
    if stream.is_null() {
        // SAFETY: our end, which no stream has taken.
        unsafe { libc::close(ours) };
        return null_mut();
    }
    files::note_process(stream, child.unwrap_or(-1))
}

unsafe extern "C" fn pclose(stream: *mut FILE) -> c_int {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_pclose(stream) };
    };
    let child = FILES.of(state).process(Stream(stream));
    // SAFETY: as our caller vouches.
    unsafe { files::fclose(stream) };
    match child {
        Some(child) => wait_for(child),
        None => {
            errno::set(libc::ECHILD);
            -1
        }
    }
}

pub(super) unsafe extern "C" fn execv(path: *const c_char, argv: *const *const c_char) -> c_int {
    // SAFETY: as our caller vouches; the environment is the caller's own.
    unsafe { libc::execve(path, argv, current_array()) }
}

pub(super) unsafe extern "C" fn execvp(file: *const c_char, argv: *const *const c_char) -> c_int {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { libc::execvp(file, argv) };
    };
    // SAFETY: the caller vouches for a terminated string.
    let name = unsafe { CStr::from_ptr(file) };
    if name.to_bytes().contains(&b'/') {
        return exec_or_shell(name, argv);
    }
    let path = value(state, c"PATH").unwrap_or_else(|| c"/bin:/usr/bin".to_owned());
    let mut number = libc::ENOENT;
    for directory in path.to_bytes().split(|&byte| byte == b':') {
        let slash: &[u8] = if directory.is_empty() { b"" } else { b"/" };
        let full = CString::new([directory, slash, name.to_bytes()].concat());
        exec_or_shell(&full.expect("made of terminated strings"), argv);
        match std::io::Error::last_os_error().raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ENODEV | libc::ETIMEDOUT) => {}
            Some(libc::EACCES) => number = libc::EACCES,
            _ => return -1,
        }
    }
    errno::set(number);
    -1
}

/// Executes `path`; a file that is no program is run as a shell script.
fn exec_or_shell(path: &CStr, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller of exec vouches for the arguments.
    let status = unsafe { execv(path.as_ptr(), argv) };
    if std::io::Error::last_os_error().raw_os_error() != Some(libc::ENOEXEC) {
        return status;
    }
    let mut script = vec![c"/bin/sh".as_ptr(), path.as_ptr()];
    let mut at = argv;
    // SAFETY: the arguments end with a null, where we stop.
    while !at.is_null() && !unsafe { at.read() }.is_null() {
        at = at.wrapping_add(1);
        // SAFETY: as above.
        script.push(unsafe { at.read() });
    }
    if script.len() == 2 {
        script.push(null());
    }
    // SAFETY: the list ends with a null.
    unsafe { execv(script[0], script.as_ptr()) }
}
