//! Libraries that ranks open while they run.
//!
//! Each rank gets its own copies, like those of the libraries that the program started with. The
//! first rank that opens a library makes ld.so load it and what it needs, as templates whose
//! constructors do not run ([`open`]); the loader links them once, behind the images of the
//! program. From then on each rank that opens it maps its copies there
//! ([`Opened`](super::opened::Opened)). Templates stay for ever.
//!
//! Where all ranks share one image, they share what they open, too; and all share what belongs to
//! the C library. Such libraries must not refer to private images ([`misfit`](super::misfit)).

use super::misfit::{Harmless, Misfit};
use super::object::Object;
use super::policy::{self, Choice};
use super::relocs::{Linker, StandIn};
use super::scope::{Loaded, Reference, Scope};
use super::{open, order, template};
use crate::launch::Job;
use ftmpi_elf::{Elf, Kind, libraries, look};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, c_int};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// So many libraries may be opened.
pub(super) const MOST: usize = 4096;

/// How long the area is in which a rank has its copies, and what it is aligned to.
pub(super) const AREA_BYTES: usize = 4 << 30;
pub(super) const AREA_ALIGNMENT: usize = 2 << 20;

/// Between images of programs and of libraries: code may refer to what is right behind an image.
const MARGIN: usize = 64 << 10;

/// What the ranks of one program may open.
pub(in crate::host) struct Plugins {
    known: Mutex<Known>,
    /// Those of which each rank has its own, by number. Read in handlers of signals.
    libraries: Box<[OnceLock<Box<Library>>]>,
    /// Where the offsets of their images begin.
    boundary: usize,
}

/// A library of which each rank that opens it has a copy.
pub(super) struct Library {
    pub(super) object: Object,
    loaded: Arc<Loaded>,
    /// What ld.so returns for it: the handle of all ranks.
    handle: usize,
    /// The libraries that it needs, and itself: their numbers, in the order of their constructors.
    pub(super) with: Vec<usize>,
}

struct Known {
    /// The program and its libraries, and what was opened for all to see.
    scope: Scope,
    /// How many of them were there at the start.
    at_start: usize,
    /// By place in the scope: the bias of a private object.
    biases: Vec<Option<usize>>,
    /// The number of each library, by its file.
    numbers: HashMap<File, usize>,
    /// Where the next image begins.
    end: usize,
    harmless: Harmless,
    job: Job,
    stand_in: StandIn,
}

/// A file as long as nobody replaces it: device, inode, and the time of its last change.
type File = (u64, u64, i64, i64);

/// What a library is for the rank that opens it.
pub(in crate::host) enum Kept {
    /// The rank has its own copy: the number of the library.
    Private(usize),
    /// ld.so opens it, for all ranks.
    Shared,
}

impl Plugins {
    /// Remembers the objects of a program and its libraries before ranks live; `end`: where their
    /// images end.
    pub(super) fn of(
        scope: Scope, choices: &[Choice], biases: Vec<Option<usize>>, end: usize, job: &Job,
        stand_in: StandIn,
    ) -> Plugins {
        let harmless = Harmless::of(scope.clone(), choices);
        let count = if job.shares_image { 0 } else { MOST };
        let boundary = (end + MARGIN).next_multiple_of(AREA_ALIGNMENT);
        Plugins {
            known: Mutex::new(Known {
                at_start: scope.objects.len(),
                scope,
                biases,
                numbers: HashMap::new(),
                end: boundary + MARGIN,
                harmless,
                job: job.clone(),
                stand_in,
            }),
            libraries: (0..count).map(|_| OnceLock::new()).collect(),
            boundary,
        }
    }

    /// Offsets of images from here on are those of libraries.
    pub(super) fn boundary(&self) -> usize {
        self.boundary
    }

    /// The library with this number.
    pub(super) fn library(&self, number: usize) -> &Library {
        self.libraries[number].get().expect("libraries are numbered as they are opened")
    }

    /// All of them, by number. Safe in handlers.
    pub(super) fn libraries(&self) -> impl Iterator<Item = (usize, &Library)> {
        let known = self.libraries.iter().map_while(OnceLock::get);
        known.map(|library| &**library).enumerate()
    }

    /// What `dlopen` returns for it.
    pub(in crate::host) fn handle(&self, number: usize) -> usize {
        self.library(number).handle
    }

    /// The library whose handle this is.
    pub(in crate::host) fn by_handle(&self, handle: usize) -> Option<usize> {
        self.libraries().find(|(_, library)| library.handle == handle).map(|(number, _)| number)
    }

    /// Whether the address is in the template of a library that was opened.
    pub(in crate::host) fn holds(&self, address: usize) -> bool {
        self.libraries().any(|(_, library)| library.object.template.contains(&address))
    }

    /// The address at which what a rank has opened for all to see defines `name`, or a further
    /// program and what it needs: ld.so knows only what the process has started with. `has` tells
    /// which libraries the rank has opened.
    pub(in crate::host) fn find(&self, name: &CStr, has: impl Fn(usize) -> bool) -> Option<usize> {
        let known = self.known.lock();
        if known.scope.host.is_none() && known.scope.objects.len() == known.at_start {
            return None;
        }
        // SAFETY: the reference does not outlive this call, and so not the name.
        let text = unsafe { &*std::ptr::from_ref::<CStr>(name) };
        let reference = Reference { name: text, version: None };
        let number = |object: usize| {
            let base = known.scope.objects[object].base;
            self.libraries().find(|(_, it)| it.loaded.base == base).map(|(number, _)| number)
        };
        let is_there = |object: usize| object < known.at_start || number(object).is_none_or(&has);
        let found = known.scope.find_among(reference, is_there)?;
        let is_ours = known.scope.host.is_some() || found.object >= known.at_start;
        is_ours.then(|| known.scope.objects[found.object].address(found.symbol))
    }

    /// Examines what the caller has made ld.so load for all ranks, and holds; `close` is called if
    /// it is refused, before any other thread examines it.
    pub(in crate::host) fn examine(&self, close: impl FnOnce()) -> Result<(), Misfit> {
        let of_ranks = |base| self.libraries().any(|(_, library)| library.loaded.base == base);
        self.known.lock().harmless.examine(close, of_ranks)
    }

    /// Finds the library that a rank opens by this name, with the flags of `dlopen`; loads it if it
    /// is new.
    pub(in crate::host) fn bring(&self, name: &CStr, flags: c_int) -> Result<Kept, String> {
        let mut known = self.known.lock();
        let Some((path, elf)) = known.search(name) else { return Ok(Kept::Shared) };
        let Some(file) = file_at(&path) else { return Ok(Kept::Shared) };
        let is_wanted_by_all = flags & libc::RTLD_GLOBAL != 0;
        if let Some(&number) = known.numbers.get(&file) {
            if is_wanted_by_all {
                known.show(&self.library(number).loaded, &self.library(number).object);
            }
            return Ok(Kept::Private(number));
        }
        let choice = policy::File::new(&path, elf.soname.as_deref()).choice(&known.job)?;
        let is_of_program = known.scope.objects.iter().any(|it| file_at(&it.path) == Some(file));
        let may_load = flags & libc::RTLD_NOLOAD == 0 && !self.libraries.is_empty();
        if is_of_program || !choice.is_private || !may_load {
            return Ok(Kept::Shared);
        }
        let end = known.end;
        let number = self.load(&mut known, &path, flags).inspect_err(|_| known.end = end)?;
        if is_wanted_by_all {
            known.show(&self.library(number).loaded, &self.library(number).object);
        }
        Ok(Kept::Private(number))
    }

    /// Loads the library in this file and what it needs, and links them; returns its number.
    fn load(&self, known: &mut Known, path: &Path, flags: c_int) -> Result<usize, String> {
        let handle = open::open_library(path, &known.job, flags & libc::RTLD_GLOBAL)?;
        let group = known.group(handle)?;
        let first = self.libraries().count();
        if first + group.len() > MOST {
            return Err(format!("more than {MOST} libraries are open"));
        }
        // Symbols are looked up in what all see, and then in the library and what it needs.
        let mut scope = known.scope.clone();
        let mut biases = known.biases.clone();
        let mut numbers = Vec::new();
        let mut objects = Vec::new();
        for loaded in &group {
            let file = file_at(&loaded.path);
            let number = file.and_then(|file| known.numbers.get(&file).copied());
            let bias = match number {
                Some(number) => self.library(number).object.bias,
                None => {
                    let at = known.room_for(loaded, self.boundary + AREA_BYTES)?;
                    let object = Object::new(loaded, at)?;
                    let bias = object.bias;
                    objects.push((loaded.clone(), file, scope.objects.len(), object));
                    bias
                }
            };
            numbers.push(number.unwrap_or(first + objects.len() - 1));
            scope.objects.push(loaded.clone());
            biases.push(Some(bias));
        }
        let private: Vec<Option<usize>> =
            biases.iter().enumerate().map(|(index, bias)| bias.map(|_| index)).collect();
        let all: Vec<usize> = biases.iter().map(|bias| bias.unwrap_or(0)).collect();
        let stand_in = known.stand_in;
        let linker = Linker { scope: &scope, private: &private, biases: &all, stand_in };
        for (.., index, object) in &mut objects {
            linker.link(object, *index)?;
            if let Some(name) = object.program.unresolved.first().filter(|_| is_now(flags)) {
                let (path, name) = (path.display(), name.to_string_lossy());
                return Err(format!("{path}: undefined symbol: {name}"));
            }
            object.cut();
        }
        let local = Scope { objects: group, host: None };
        let needs = order::needs(&local);
        let order = order::dependencies_first(&local);
        for (loaded, file, index, object) in objects {
            let own = index - known.scope.objects.len();
            let needed = reached(&needs, own, &order).into_iter().map(|place| numbers[place]);
            let mut with = self.bound_to(&object);
            add(&mut with, needed);
            if let Some(file) = file {
                known.numbers.insert(file, numbers[own]);
            }
            let handle = loaded.handle;
            let library = Library { object, loaded, handle, with };
            _ = self.libraries[numbers[own]].set(Box::new(library));
        }
        Ok(numbers[0])
    }

    /// The libraries that others have opened for all to see, and that `object` refers to, with what
    /// they need: who opens it gets them, too.
    fn bound_to(&self, object: &Object) -> Vec<usize> {
        let mut bound = Vec::new();
        for (_, library) in self.libraries() {
            let span = library.object.span();
            let is_reached = object.program.targets().any(|target| span.contains(&target));
            if is_reached {
                // In the order of their constructors.
                add(&mut bound, library.with.iter().copied());
            }
        }
        bound
    }
}

/// Adds what is not there yet.
fn add(list: &mut Vec<usize>, numbers: impl Iterator<Item = usize>) {
    for number in numbers {
        if !list.contains(&number) {
            list.push(number);
        }
    }
}

/// Whether a library must be whole when `dlopen` returns.
fn is_now(flags: c_int) -> bool {
    flags & libc::RTLD_NOW != 0
}

/// The object `from` and all that it needs, in this order.
fn reached(needs: &[Vec<usize>], from: usize, order: &[usize]) -> Vec<usize> {
    let mut seen = HashSet::from([from]);
    let mut path = vec![from];
    while let Some(object) = path.pop() {
        path.extend(needs[object].iter().copied().filter(|need| seen.insert(*need)));
    }
    order.iter().copied().filter(|object| seen.contains(object)).collect()
}

fn file_at(path: &Path) -> Option<File> {
    let found = std::fs::metadata(path).ok()?;
    Some((found.dev(), found.ino(), found.mtime(), found.mtime_nsec()))
}

impl Known {
    /// The file that a rank means by this name, if ld.so would find one.
    fn search(&self, name: &CStr) -> Option<(PathBuf, Elf)> {
        let mut at_start = self.scope.objects[..self.at_start].iter();
        if at_start.any(|object| object.is_called(name)) {
            return None;
        }
        let name = name.to_str().ok()?;
        let program = &self.scope.objects[0].path;
        let Ok(Kind::Elf(asking)) = look(program) else { return None };
        let library_path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let (path, elf) = libraries::find(name, program, &asking, &library_path)?;
        Some((path.canonicalize().ok()?, elf))
    }

    /// The library with this handle and what it needs, nearest first, but for what the program has
    /// and what all ranks share.
    fn group(&self, handle: usize) -> Result<Vec<Arc<Loaded>>, String> {
        let known = template::known();
        let root = known.objects.iter().find(|object| object.handle == handle);
        let mut group = vec![root.expect("ld.so has just loaded it").clone()];
        let mut next = 0;
        while let Some(object) = group.get(next).cloned() {
            next += 1;
            for name in &object.dynamic.needed {
                let is_called = |it: &&Arc<Loaded>| it.is_called(name);
                let is_there = |all: &[Arc<Loaded>]| all.iter().any(|it| it.is_called(name));
                if is_there(&self.scope.objects[..self.at_start]) || is_there(&group) {
                    continue;
                }
                let Some(needed) = known.objects.iter().find(is_called) else { continue };
                if policy::File::of(needed).choice(&self.job)?.is_private {
                    group.push(needed.clone());
                }
            }
        }
        Ok(group)
    }

    /// Where the image of this object begins; it must end before `limit`.
    fn room_for(&mut self, loaded: &Loaded, limit: usize) -> Result<usize, String> {
        let at = loaded.aligned(self.end);
        let end = at + loaded.span.len() + MARGIN;
        let shown = loaded.path.display();
        if loaded.alignment() > AREA_ALIGNMENT {
            return Err(format!("{shown}: it wants an alignment of {}", loaded.alignment()));
        } else if end > limit {
            return Err(format!("{shown}: libraries of more than {AREA_BYTES} bytes are open"));
        }
        self.end = end;
        Ok(at)
    }

    /// From now on, libraries that are opened see its symbols.
    fn show(&mut self, loaded: &Arc<Loaded>, object: &Object) {
        if !self.scope.objects.iter().any(|it| it.base == loaded.base) {
            self.scope.objects.push(loaded.clone());
            self.biases.push(Some(object.bias));
        }
    }
}
