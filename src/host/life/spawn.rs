//! Starts ranks while the job runs, in seats that nobody has had: MPI_Comm_spawn.

use super::apps::Ready;
use super::ground;
use super::running_job::{self, RunningJob};
use super::verdict::Newcomer;
use crate::host::loader::{Program, Template};
use crate::host::rank::as_host;
use crate::host::shims;
use ftmpi_elf::{Kind, look};
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What ranks are to run.
pub struct Order {
    /// As the program names it.
    pub command: Vec<u8>,
    /// Its arguments, without its name.
    pub arguments: Vec<Vec<u8>>,
    /// Where its ranks start, and where it is looked for first.
    pub directory: Option<Vec<u8>>,
    /// Directories in which to look for it.
    pub path: Option<Vec<u8>>,
}

/// An app that was found and loaded.
#[derive(Clone, Copy)]
pub struct Startable(&'static Ready);

/// Finds and loads what `order` names; the error says why it cannot run.
pub fn find(order: &Order) -> Result<Startable, String> {
    let world = running_job::found().ok_or("there is no launcher: start the job with ftrun")?;
    let path = |bytes: &Vec<u8>| PathBuf::from(OsStr::from_bytes(bytes));
    let directory = order.directory.as_ref().map(path);
    let directory = directory.map(|it| std::path::absolute(&it).unwrap_or(it));
    if let Some(directory) = directory.as_ref().filter(|directory| !directory.is_dir()) {
        return Err(format!("there is no directory {}", directory.display()));
    }
    let file = locate(order, directory.as_deref())?;
    let template = template_of(world, &file)?;
    let text = |bytes: &[u8]| CString::new(bytes).map_err(|_| "an argument has a null byte");
    let words = std::iter::once(&order.command).chain(&order.arguments);
    let arguments = words.map(|word| text(word)).collect::<Result<Vec<_>, _>>()?;
    let directory = directory.map(|it| text(it.as_os_str().as_bytes())).transpose()?;
    let ready = Box::new(Ready::for_more(template, &arguments, directory));
    if ready.arguments.bytes() > world.plan.room_for_arguments() {
        return Err("its arguments are too long for a stack".into());
    }
    Ok(Startable(Box::leak(ready)))
}

/// Starts a rank in `seat`, where nobody has lived. Returns before it runs.
pub fn start(seat: usize, startable: Startable) {
    if let Some(world) = running_job::found() {
        world.assign(seat, startable.0);
        running_job::respawn(seat, Newcomer { incarnation: 0, generation: 0 });
    }
}

/// The file behind the command: a path as it is, a plain word in the given directories, on PATH, or
/// here.
fn locate(order: &Order, directory: Option<&Path>) -> Result<PathBuf, String> {
    let name = Path::new(OsStr::from_bytes(&order.command));
    let shown = name.display();
    let given = order.path.as_deref().map(OsStr::from_bytes).unwrap_or_default();
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let is_word = !order.command.contains(&b'/');
    let on_path = std::env::split_paths(&given).chain(std::env::split_paths(&usual));
    let on_path = on_path.filter(|_| is_word).map(|directory| directory.join(name));
    let own = directory.map(|directory| directory.join(name));
    let mut places = own.into_iter().chain(on_path).chain([name.to_path_buf()]);
    let file = places.find(|file| file.is_file());
    let file = file.ok_or_else(|| format!("there is no program {shown}"))?;
    let is_executable = file.metadata().is_ok_and(|it| it.permissions().mode() & 0o111 != 0);
    match look(&file) {
        _ if !is_executable => Err(format!("{shown} is not executable")),
        Ok(Kind::Elf(elf)) if elf.position_independent && elf.interpreter.is_some() => {
            Ok(std::path::absolute(&file).unwrap_or(file))
        }
        Ok(Kind::Elf(_)) => Err(format!("{shown} is not a position-independent program")),
        _ => Err(format!("{shown} is not a compiled program")),
    }
}

fn template_of(world: &'static RunningJob, file: &Path) -> Result<&'static Template, String> {
    let real = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    // One at a time: two ranks may want the same program.
    let mut known = world.templates.lock();
    if let Some((_, template)) = known.iter().find(|(known, _)| *known == real) {
        return Ok(template);
    }
    let (job, path) = (world.job.clone(), real.clone());
    let load = move || {
        let program = Program::open(&path, &job)?;
        Template::of(program, &job, shims::function)
    };
    // ld.so runs constructors of shared libraries, which belong to no rank.
    let thread = as_host(|| std::thread::Builder::new().spawn(load));
    let thread = thread.map_err(|error| format!("no thread to load it: {error}"))?;
    let loaded = thread.join().map_err(|_| "it could not be loaded")??;
    let template: &'static Template = Box::leak(Box::new(loaded));
    let failed = |error| format!("no memory for its image: {error}");
    if template.is_shared {
        let start = ground::reserve_images(template).map_err(failed)?;
        // SAFETY: the memory was reserved for them, and nothing runs in there yet.
        unsafe { template.make_for_all(start) }.map_err(failed)?;
    } else if !world.plan.has_room_for(template) {
        return Err(format!(
            "{} is larger than what the job has started with: name it on the command line of \
             ftrun, too",
            file.display()
        ));
    }
    known.push((real, template));
    Ok(template)
}
