//! Environmental inquiry (MPI-5.0 §9): library version, processor name, time, error strings.

use crate::engine::World;
use crate::host::clock;
use crate::mpi::error::{Class, Result};
use crate::mpi::error_codes;
use crate::mpi::failure::usability;
use crate::mpi::info::Info;
use crate::mpi::process::Process;

/// The longest name of an object, with C's null byte.
pub const MAX_OBJECT_NAME: usize = 128;
/// The longest words of an error, with C's null byte.
pub const MAX_ERROR_STRING: usize = 512;
pub const MAX_PROCESSOR_NAME: usize = 256;
pub const MAX_LIBRARY_VERSION: usize = 8192;

/// The version of the standard.
pub const VERSION: (i32, i32) = (5, 0);
/// The version of its ABI.
pub const ABI_VERSION: (i32, i32) = (1, 0);

/// What MPI_Get_library_version says.
pub fn library_version() -> String {
    format!("ftmpi-rs {} (MPI {}.{})", env!("CARGO_PKG_VERSION"), VERSION.0, VERSION.1)
}

/// The name of the node that the calling rank sits on, or of the machine.
pub fn processor_name(process: &Process) -> Vec<u8> {
    process.world.nodes().name_of(process.me.seat).map_or_else(host_name, String::into_bytes)
}

/// The name of the machine.
fn host_name() -> Vec<u8> {
    let name = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim_ascii_end() {
        b"" => b"localhost".to_vec(),
        name => name.to_vec(),
    }
}

/// Whether this is a name of the machine.
pub(super) fn is_here(name: &[u8]) -> bool {
    let short = |name: &[u8]| {
        let end = name.iter().position(|byte| *byte == b'.').unwrap_or(name.len());
        name[..end].to_ascii_lowercase()
    };
    name == b"localhost" || short(name) == short(&host_name())
}

/// A name for an object, cut to the length that names may have.
pub fn name_of(mut name: Vec<u8>) -> Vec<u8> {
    name.truncate(MAX_OBJECT_NAME - 1);
    name
}

/// Seconds since the job started, the same on every rank.
pub fn time(process: &Process) -> f64 {
    clock::look().duration_since(process.world.started()).as_secs_f64()
}

/// What `code` means, and what the calling thread's latest error was about if it was this one. A
/// code of the program's own means what the program has said, and nothing else (MPI-5.0 §9.5).
pub fn describe(process: &Process, code: i32) -> Result<Vec<u8>> {
    let mut words = process.codes.words(code)?;
    if error_codes::is_of_the_program(code) {
        return Ok(words);
    }
    if let Some(detail) = process.recall(Class(code)) {
        words.extend_from_slice(b": ");
        words.extend_from_slice(detail.as_bytes());
    }
    words.extend(usability::dead(process, code).unwrap_or_default().bytes());
    Ok(words)
}

impl Process {
    /// What MPI_INFO_ENV says.
    pub(super) fn env(&self) -> &Info {
        self.environment.get_or_init(|| environment(self.world))
    }
}

/// What the program was started with, as far as that is known (MPI-5.0 §11.3).
fn environment(world: &World) -> Info {
    let seats = world.ranks();
    let text = |value: String| value.into_bytes();
    let mut pairs = vec![
        (text("maxprocs".into()), text(seats.to_string())),
        (text("soft".into()), text(seats.to_string())),
        (text("host".into()), host_name()),
        (text("arch".into()), text(std::env::consts::ARCH.into())),
        (text("thread_level".into()), text("MPI_THREAD_MULTIPLE".into())),
    ];
    if let Some(errhandler) = world.charter().errhandler() {
        pairs.push((text("mpi_initial_errhandler".into()), text(errhandler.name().into())));
    }
    if let Ok(directory) = std::env::current_dir() {
        pairs.push((text("wdir".into()), text(directory.to_string_lossy().into_owned())));
    }
    Info::new(pairs)
}
