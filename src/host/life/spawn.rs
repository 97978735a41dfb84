//! Starts ranks while the job runs, in seats where nobody lives: MPI_Comm_spawn.

use super::apps::Ready;
use super::command::Places;
use super::ground;
use super::running_job::{self, RunningJob};
use super::verdict::Newcomer;
use crate::host::loader::{Program, Template};
use crate::host::rank::as_host;
use crate::host::shims;
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
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

impl Order {
    /// Where its ranks start, if that is said.
    fn directory(&self) -> Result<Option<PathBuf>, String> {
        let path = |bytes: &Vec<u8>| PathBuf::from(OsStr::from_bytes(bytes));
        let directory = self.directory.as_ref().map(path);
        let directory = directory.map(|it| std::path::absolute(&it).unwrap_or(it));
        match directory.as_ref().filter(|directory| !directory.is_dir()) {
            Some(directory) => Err(format!("there is no directory {}", directory.display())),
            None => Ok(directory),
        }
    }
}

/// Finds the file that processes of their own run for `order`, and the directory in which they
/// start; the error says why they cannot. `is_copied`: the library runs it there.
pub fn executable(order: &Order, is_copied: bool) -> Result<(PathBuf, Option<PathBuf>), String> {
    let directory = order.directory()?;
    let places = Places { directory: directory.as_deref(), path: order.path.as_deref() };
    let file = places.executable(&order.command)?;
    if is_copied && !places.is_run_as_it_is(&order.command, &file)? {
        return Err("where ranks share processes (--processes=P, --per-process), scripts are not \
                    spawned: let each rank have a process of its own, or all of them one"
            .into());
    }
    Ok((file, directory))
}

/// Finds and loads what `order` names; the error says why it cannot run.
pub fn find(order: &Order) -> Result<Startable, String> {
    let world = running_job::found().ok_or("there is no launcher: start the job with ftrun")?;
    let directory = order.directory()?;
    let places = Places { directory: directory.as_deref(), path: order.path.as_deref() };
    let found = places.find(world, &order.command)?;
    let template = template_of(world, &found.file)?;
    let text = |bytes: &[u8]| CString::new(bytes).map_err(|_| "an argument has a null byte");
    let words = found.words.iter().chain(&order.arguments);
    let arguments = words.map(|word| text(word)).collect::<Result<Vec<_>, _>>()?;
    let directory = directory.map(|it| text(it.as_os_str().as_bytes())).transpose()?;
    let ready = Box::new(Ready::for_more(template, &arguments, directory));
    if ready.arguments.bytes() > world.plan.room_for_arguments() {
        return Err("its arguments are too long for a stack".into());
    }
    Ok(Startable(Box::leak(ready)))
}

/// Starts the first life of a world's rank in `seat`, where nobody lives. Returns before it runs.
pub fn start(seat: usize, incarnation: u32, startable: Startable) {
    if let Some(world) = running_job::found() {
        world.assign(seat, startable.0);
        let newcomer = Newcomer { incarnation, generation: 0, first: incarnation };
        running_job::respawn(seat, newcomer);
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
