//! Makes ld.so load templates while there are ranks: of a further program beside the one that the
//! process has started with, or of a library that a rank opens.
//!
//! glibc does not open programs, and it runs the constructors of libraries as it opens them. So it
//! is given copies of the files, in memory: not marked as programs, without constructors. Once
//! ld.so has loaded a copy, the loader restores the entries in memory, and the object is a template
//! like those that were there from the start. Libraries go before the objects that need them:
//! ld.so then finds each one by its soname. One without a soname becomes known to all instead, and
//! the copies of what needs it do not name it. Libraries that all ranks share are opened as they
//! are.

use super::elf::{PAGE, PT_DYNAMIC, PT_LOAD, tag};
use super::scope::{Loaded, Scope};
use super::{order, policy, template};
use crate::launch::Job;
use ftmpi_elf::libraries::{self, Asked};
use ftmpi_elf::{Bytes, Elf, FLAG_1_PIE, Kind, Segment, entry_of, look, segments_of};
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString, c_int, c_void};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A program that was opened: what its references are bound to, and where its `main` is.
pub(super) struct Opened {
    pub(super) scope: Scope,
    pub(super) main: usize,
    pub(super) init: Option<usize>,
}

/// Loads the program in `file` and what it needs.
pub(super) fn open(file: &Path, job: &Job) -> Result<Opened, String> {
    let shown = file.display();
    let Ok(Kind::Elf(elf)) = look(file) else {
        return Err(format!("{shown} is not a compiled program"));
    };
    let host = template::known().objects[0].clone();
    fits(&elf, &host).map_err(|why| format!("{shown} {why}"))?;
    let base = load(file, &elf, Role::Program, job, libc::RTLD_LOCAL)?.base;
    let content = std::fs::read(file).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let entry = entry_points(Bytes(&content)).ok_or_else(|| {
        format!("{shown} starts in an unknown way: link it with the usual crt1.o")
    })?;
    let scope = scope_of(base, host);
    Ok(Opened { scope, main: base + entry[0], init: entry.get(1).map(|init| base + init) })
}

/// Loads the library in `file` and what it needs, for ranks to copy; `reach`: who sees its symbols.
/// Returns ld.so's handle.
pub(super) fn open_library(file: &Path, job: &Job, reach: c_int) -> Result<usize, String> {
    let known = template::known().objects;
    if let Some(loaded) = known.iter().find(|it| it.handle != 0 && it.path == file) {
        return Ok(loaded.handle);
    }
    load(file, &read(file)?, Role::Private, job, reach).map(|loaded| loaded.handle)
}

/// Makes ld.so load an object and what it needs.
fn load(file: &Path, elf: &Elf, role: Role, job: &Job, reach: c_int) -> Result<LinkMap, String> {
    let library_path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut opening = Opening {
        job,
        reach,
        nameless: HashSet::new(),
        asked: libraries::of(file, read(file)?, &library_path),
        seen: HashSet::new(),
        opened: HashMap::new(),
    };
    let loaded = opening.load(file, elf, role);
    // What it needs may be there even where it cannot be loaded itself.
    let fresh = Scope::of_process().objects.into_iter();
    let known = template::known();
    let is_known = |object: &Arc<Loaded>| known.objects.iter().any(|it| it.base == object.base);
    let named = |object: Arc<Loaded>| {
        let (path, handle) = match opening.opened.get(&object.base) {
            Some((path, handle)) => (path.clone(), *handle),
            None => (object.path.clone(), 0),
        };
        Arc::new(Loaded { path, handle, is_late: true, ..(*object).clone() })
    };
    template::learn(fresh.filter(|object| !is_known(object)).map(named));
    loaded
}

fn read(file: &Path) -> Result<Elf, String> {
    match look(file) {
        Ok(Kind::Elf(elf)) => Ok(elf),
        _ => Err(format!("cannot read {}", file.display())),
    }
}

/// Whether the thread-local variables of a program fit where those of the first program are.
fn fits(elf: &Elf, host: &Loaded) -> Result<(), String> {
    /// What glibc aligns thread pointers to in any case.
    const LEAST: usize = 64;
    let (bytes, alignment) = host.tls_block();
    if elf.tls.0 as usize <= bytes && elf.tls.1 as usize <= alignment.max(LEAST) {
        return Ok(());
    }
    Err(format!(
        "has {} bytes of thread-local variables, and {}, with which the job has started, has room \
         for {bytes}: name it on the command line of ftrun, too",
        elf.tls.0,
        host.file_name()
    ))
}

/// How a file is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Program,
    /// Each rank gets a copy of the library.
    Private,
    /// All ranks use this one.
    Shared,
}

struct Opening<'a> {
    job: &'a Job,
    reach: c_int,
    asked: Vec<Asked>,
    /// Libraries without a soname, by the names by which they are needed.
    nameless: HashSet<String>,
    seen: HashSet<PathBuf>,
    /// By base: the files of which copies were opened, and the handles.
    opened: HashMap<usize, (PathBuf, usize)>,
}

impl Opening<'_> {
    /// Loads what `file` needs, and then the file.
    fn load(&mut self, file: &Path, elf: &Elf, role: Role) -> Result<LinkMap, String> {
        for needed in &elf.needed {
            let known = CString::new(needed.as_str()).unwrap_or_default();
            let loaded = template::known().objects.into_iter().find(|it| it.is_called(&known));
            if let Some(loaded) = loaded {
                if loaded.is_late && loaded.dynamic.soname.is_none() {
                    self.nameless.insert(needed.clone());
                }
                continue;
            }
            let name = Path::new(needed).file_name().unwrap_or_default().to_string_lossy();
            let path = self.asked.iter().find(|asked| asked.name == name);
            let path = path.filter(|_| !libraries::is_libc(needed));
            let Some(path) = path.and_then(|asked| asked.path.clone()) else { continue };
            if self.seen.insert(path.clone()) {
                let elf = read(&path)?;
                let role = self.role(&path, &elf, role)?;
                if elf.soname.is_none() && role == Role::Private {
                    self.nameless.insert(needed.clone());
                }
                self.load(&path, &elf, role)?;
            }
        }
        if role == Role::Shared {
            return open_by_ld_so(&file.to_string_lossy(), file, libc::RTLD_LAZY);
        }
        let copy = Copy::of(file, &self.left_out(elf));
        let copy = copy.map_err(|error| format!("cannot load {}: {error}", file.display()))?;
        let is_nameless = elf.soname.is_none() && role != Role::Program;
        let reach = if is_nameless { libc::RTLD_GLOBAL } else { self.reach };
        let map = copy.open(file, reach)?;
        self.opened.insert(map.base, (file.to_path_buf(), map.handle));
        Ok(map)
    }
}

impl Opening<'_> {
    /// How a library is opened that an object of this role needs.
    fn role(&self, path: &Path, elf: &Elf, by: Role) -> Result<Role, String> {
        let choice = policy::File::new(path, elf.soname.as_deref()).choice(self.job)?;
        let is_private = choice.is_private && by != Role::Shared;
        Ok(if is_private { Role::Private } else { Role::Shared })
    }

    /// Which of the libraries that `elf` needs, by their places, ld.so would not find.
    fn left_out(&self, elf: &Elf) -> Vec<usize> {
        let needed = elf.needed.iter().enumerate();
        needed.filter(|(_, name)| self.nameless.contains(*name)).map(|(place, _)| place).collect()
    }
}

/// A copy of a file for ld.so, in memory.
struct Copy {
    file: File,
    /// Entries of the dynamic section as they are in the file, by index.
    changed: Vec<(usize, [u64; 2])>,
}

impl Copy {
    fn of(path: &Path, left_out: &[usize]) -> std::io::Result<Copy> {
        let mut bytes = std::fs::read(path)?;
        let segments = segments_of(Bytes(&bytes)).unwrap_or_default();
        let of_kind = |kind| segments.iter().filter(move |it: &&Segment| it.kind == kind);
        // What is behind the last segment is for debuggers.
        let end =
            of_kind(PT_LOAD).map(|load| (load.offset + load.bytes) as usize).max().unwrap_or(0);
        bytes.truncate(end);
        let mut changed = Vec::new();
        for section in of_kind(PT_DYNAMIC) {
            let (start, bytes_of) = (section.offset as usize, section.bytes as usize);
            let entries = bytes.get_mut(start..start + bytes_of).unwrap_or_default();
            let mut needed = 0..;
            for (index, entry) in entries.chunks_exact_mut(16).enumerate() {
                let word =
                    |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| entry[at + byte]));
                let before = [word(0), word(8)];
                let is_left_out = before[0] == tag::NEEDED
                    && needed.next().is_some_and(|place| left_out.contains(&place));
                let after = if is_left_out { Some(NOTHING) } else { disarmed(before) };
                let Some(after) = after else { continue };
                changed.push((index, before));
                entry[..8].copy_from_slice(&after[0].to_le_bytes());
                entry[8..].copy_from_slice(&after[1].to_le_bytes());
            }
        }
        // SAFETY: the name is terminated.
        let number = unsafe { libc::memfd_create(c"ftmpi-program".as_ptr(), libc::MFD_CLOEXEC) };
        if number < 0 {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made, for this file alone.
        let mut file = unsafe { File::from_raw_fd(number) };
        file.write_all(&bytes)?;
        Ok(Copy { file, changed })
    }

    /// Makes ld.so load it.
    fn open(self, original: &Path, reach: c_int) -> Result<LinkMap, String> {
        /// ld.so takes files of equal names for one: each name has one more part without meaning.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("/proc/self/fd/{}{}", "./".repeat(count), self.file.as_raw_fd());
        let map = open_by_ld_so(&name, original, reach | libc::RTLD_LAZY)?;
        let start = map.section.expose_provenance();
        let end = self.changed.last().map_or(0, |(index, _)| (index + 1) * 16);
        let first = start & !(PAGE - 1);
        let pages = std::ptr::with_exposed_provenance_mut(first);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the section's own pages, which nobody but ld.so uses.
        if unsafe { libc::mprotect(pages, start + end - first, protection) } == 0 {
            for (index, entry) in self.changed {
                // SAFETY: an entry of that section.
                unsafe { map.section.add(index).write(entry) };
            }
        }
        Ok(map)
    }
}

/// An entry that means nothing to ld.so in a library.
const NOTHING: [u64; 2] = [tag::DEBUG, 0];

/// What ld.so is to see instead of this entry of a dynamic section, if it must not see it.
fn disarmed([name, value]: [u64; 2]) -> Option<[u64; 2]> {
    match name {
        tag::INIT | tag::FINI => Some(NOTHING),
        tag::INIT_ARRAY_BYTES | tag::FINI_ARRAY_BYTES | tag::PREINIT_ARRAY_BYTES => Some([name, 0]),
        tag::FLAGS_1 => Some([name, value & !FLAG_1_PIE]),
        _ => None,
    }
}

/// What ld.so tells of an object: its record begins with this, which is public (`<link.h>`).
#[repr(C)]
#[derive(Clone, Copy)]
struct Record {
    base: usize,
    name: *const std::ffi::c_char,
    section: *mut [u64; 2],
}

/// An object that ld.so has opened.
struct LinkMap {
    base: usize,
    section: *mut [u64; 2],
    handle: usize,
}

fn open_by_ld_so(name: &str, original: &Path, flags: c_int) -> Result<LinkMap, String> {
    let shown = original.display();
    let name =
        CString::new(name).map_err(|_| format!("cannot load {shown}: its name has a null byte"))?;
    // SAFETY: the name is terminated; what is opened has no constructors, or is a library whose
    // constructors would have run as the program starts.
    let handle: *mut c_void = unsafe { libc::dlopen(name.as_ptr(), flags) };
    if handle.is_null() {
        // SAFETY: dlopen has just failed on this thread.
        let why = unsafe { CStr::from_ptr(libc::dlerror()) }.to_string_lossy().into_owned();
        let why = why.replace(&*name.to_string_lossy(), &shown.to_string());
        return Err(format!("cannot load {shown}: {why}"));
    }
    // SAFETY: a handle of glibc's is the address of its record, which stays as nobody closes it.
    let Record { base, section, .. } = unsafe { handle.cast::<Record>().read() };
    Ok(LinkMap { base, section, handle: handle.expose_provenance() })
}

/// The order in which ld.so would look symbols up for the program at `base`, had the process
/// started with it: the program, what is preloaded, and what it needs.
fn scope_of(base: usize, host: Arc<Loaded>) -> Scope {
    let known = template::known();
    let needs = order::needs(&known);
    let own = known.objects.iter().position(|object| object.base == base);
    let own = own.expect("it was just loaded");
    let is_needed_by_host = reached(&needs, &[0]);
    let here = open as *const () as usize;
    let is_this = |index: usize| known.objects[index].span.contains(&here);
    // What ld.so has loaded for no object's need was there before any further program.
    let first = known.objects.iter().position(|object| object.is_late).unwrap_or(needs.len());
    let is_preloaded = |index: &usize| is_this(*index) || !is_needed_by_host.contains(index);
    let preloaded = (1..first).filter(is_preloaded);
    let mut order = vec![own];
    order.extend(preloaded);
    let mut seen: HashSet<usize> = order.iter().copied().collect();
    let mut next = 0;
    while let Some(&object) = order.get(next) {
        order.extend(needs[object].iter().copied().filter(|need| seen.insert(*need)));
        next += 1;
    }
    let objects = order.into_iter().map(|index| known.objects[index].clone()).collect();
    Scope { objects, host: Some(host) }
}

fn reached(needs: &[Vec<usize>], from: &[usize]) -> HashSet<usize> {
    let mut seen: HashSet<usize> = from.iter().copied().collect();
    let mut path = from.to_vec();
    while let Some(object) = path.pop() {
        path.extend(needs[object].iter().copied().filter(|need| seen.insert(*need)));
    }
    seen
}

/// What the program passes to `__libc_start_main` as it starts: `main`, and the function that old
/// programs have for their constructors. The start files of all compilers for Linux are glibc's,
/// which load these addresses by `lea`.
fn entry_points(file: Bytes<'_>) -> Option<Vec<usize>> {
    /// `lea rdi, [rip + …]` and `lea rcx, [rip + …]`
    const MAIN: [u8; 3] = [0x48, 0x8d, 0x3d];
    const INIT: [u8; 3] = [0x48, 0x8d, 0x0d];
    /// How long the code is at most.
    const BYTES: usize = 64;
    let entry = entry_of(file)?;
    let offset = segments_of(file)?.iter().find_map(|segment| segment.offset_of(entry))?;
    let code = file.from(usize::try_from(offset).ok()?)?.0;
    let code = &code[..code.len().min(BYTES)];
    let loaded = |opcode: [u8; 3]| {
        let at = code.windows(3).position(|bytes| bytes == opcode)?;
        let distance = i32::from_le_bytes(*code.get(at + 3..)?.first_chunk()?);
        Some((entry as usize + at + 7).wrapping_add_signed(distance as isize))
    };
    Some([loaded(MAIN)?].into_iter().chain(loaded(INIT)).collect())
}
