//! Starts `ftrun`, which outlives this process and is no child of it.

use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The launcher's program.
const PROGRAM: &str = "ftrun";

/// The launcher that belongs to this library: beside it as built, or in `bin` as installed.
pub fn ftrun() -> Result<PathBuf, String> {
    let library = own_library().ok_or("cannot tell where this library is")?;
    let here = library.parent().unwrap_or(Path::new("/"));
    let places = [here.join(PROGRAM), here.join("../bin").join(PROGRAM)];
    places.iter().find(|place| place.is_file()).cloned().ok_or_else(|| {
        let [beside, installed] = &places;
        format!(
            "cannot find {PROGRAM}: looked for {} and {}; install the whole library, with its \
             programs",
            beside.display(),
            installed.display()
        )
    })
}

/// The file of this library, as the table of this process's memory has it.
fn own_library() -> Option<PathBuf> {
    let own = ftrun as fn() -> _ as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (start, end) = line.split_once(' ')?.0.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let is_there = (number(start)?..number(end)?).contains(&own);
        is_there.then(|| line.find('/').map(|at| PathBuf::from(&line[at..]))).flatten()
    })
}

/// Starts `program`, which is to start another process and to end at once. Both find the other end
/// of the returned stream as their standard input. They write where this process does; no other
/// file of it is open there.
pub fn start_apart(program: &Path, argument: &str) -> io::Result<UnixStream> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new(program);
    command.arg(argument).stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)));
    let part = || {
        // SAFETY: the program has another way to hear of its children than this one may have.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
        // SAFETY: marks what this copy of the process has open, which it uses no more.
        let marked =
            unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
        if marked == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // SAFETY: between fork and exec, it makes two system calls.
    unsafe { command.pre_exec(part) };
    let status = match command.spawn()?.wait() {
        // This process may leave the ends of its children to the kernel.
        Err(error) if error.raw_os_error() == Some(libc::ECHILD) => return Ok(ours),
        status => status?,
    };
    match status.success() {
        true => Ok(ours),
        false => Err(io::Error::other(format!("{} has ended ({status})", program.display()))),
    }
}
