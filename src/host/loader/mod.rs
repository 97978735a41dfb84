//! The image loader: gives every rank its own copy of the program and of the libraries that hold
//! its state.
//!
//! How an image is made: ld.so has loaded the program and its libraries once (the *template*, whose
//! constructors and `main` never run) → [`policy`] decides which objects are private → [`relocs`]
//! resolves their references once, with [`scope`]'s lookup → every rank maps the same files again
//! ([`object`]), at equal distances from each other, and applies the relocations → the rank runs
//! the constructors of its own images, and its own `main`.

mod elf;
mod globals;
pub(in crate::host) mod nowhere;
mod object;
mod open;
mod order;
pub(in crate::host) mod plugins;
mod policy;
mod reloc_program;
mod relocs;
mod scope;
mod template;

use crate::launch::Job;
use elf::{PAGE, PF_X};
use object::{Object, Piece};
use plugins::Plugins;
use reloc_program::Own;
use relocs::StandIn;
use scope::Scope;
use std::ffi::{CStr, c_char, c_int};
use std::fmt::Write;
use std::io::Error;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// A program that is loaded: its entry points, and what its references are bound to.
pub struct Program {
    /// Addresses in the template.
    main: usize,
    /// What programs linked with a glibc before 2.34 pass: it runs the program's constructors.
    init: Option<usize>,
    scope: Scope,
}

impl Program {
    /// The one that the process has started with.
    pub fn of_process(main: usize, init: Option<usize>) -> Program {
        Program { main, init, scope: template::known() }
    }

    /// Another one.
    pub fn open(file: &Path, job: &Job) -> Result<Program, String> {
        open::open(file, job).map(|open::Opened { main, init, scope }| Program {
            main,
            init,
            scope,
        })
    }
}

/// All private objects, ready to be mapped for any number of ranks.
pub(super) struct Template {
    objects: Vec<Object>,
    /// Dependencies first.
    init_order: Vec<usize>,
    main: usize,
    init: Option<usize>,
    /// Bytes that the images of one rank take.
    pub(super) bytes: usize,
    pub(super) alignment: usize,
    /// libm: a thread inside it holds no lock.
    pub(super) harmless_code: Vec<Range<usize>>,
    /// OpenMP's thread pool: a thread that sleeps there holds no lock.
    pub(super) waiting_code: Vec<Range<usize>>,
    /// Whether an object needs an executable stack (nested functions of C and Fortran do).
    pub(super) has_executable_stack: bool,
    /// All ranks run in one copy.
    pub(super) is_shared: bool,
    /// Images are copies in plain memory, all of it writable and executable.
    pub(super) is_flat: bool,
    /// Where the images of all ranks are, if they share them.
    shared_at: OnceLock<usize>,
    plugins: Plugins,
}

/// The private images of one rank.
#[derive(Clone, Copy)]
pub(super) struct Images {
    template: &'static Template,
    start: usize,
}

type Constructor = extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char);
type Destructor = extern "C-unwind" fn();
type Main = extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

/// Where the objects of this process define `name`, in the order of symbol lookup. To be called
/// before there are ranks, or where there are none.
pub fn definitions(name: &'static CStr) -> Vec<usize> {
    let scope = template::known();
    let wanted = scope::Reference { name, version: None };
    let found = (0..scope.objects.len()).filter_map(|object| scope.find_at_home(object, wanted));
    found.map(|found| scope.objects[found.object].address(found.symbol)).collect()
}

/// Whether the program, or a library that it has loaded, refers to a symbol whose name `is_meant`.
/// To be called before there are ranks, or where there are none.
pub fn refers_to(is_meant: impl Fn(&str) -> bool) -> bool {
    let scope = template::known();
    let own = definitions as *const () as usize;
    let others = scope.objects.iter().filter(|object| !object.span.contains(&own));
    let mut names = others.flat_map(|object| {
        let dynamic = &object.dynamic;
        let references = dynamic.rela.iter().chain(dynamic.jump_slots);
        let symbols = references.map(|reference| dynamic.symbol(reference.symbol()));
        symbols.map(|symbol| dynamic.string(symbol.name as usize))
    });
    names.any(|name| name.to_str().is_ok_and(&is_meant))
}

impl Template {
    /// Reads the objects of `program` that ld.so has loaded.
    pub(super) fn of(program: Program, job: &Job, stand_in: StandIn) -> Result<Template, String> {
        let scope = program.scope;
        let choices = policy::choose(&scope, job)?;
        if scope.objects[0].base == 0 {
            return Err("the program is not position independent; link it without -no-pie".into());
        }
        let mut private = vec![None; scope.objects.len()];
        let mut objects: Vec<Object> = Vec::new();
        let (mut end, mut alignment) = (0usize, PAGE);
        for (index, loaded) in scope.objects.iter().enumerate() {
            if !choices[index].is_private {
                continue;
            }
            let align = loaded.headers.iter().filter(|header| header.p_type == elf::PT_LOAD);
            let align = align.map(|load| load.p_align as usize).max().unwrap_or(PAGE).max(PAGE);
            alignment = alignment.max(align);
            let low = loaded.span.start - loaded.base;
            let at = (end + align - low % align).next_multiple_of(align) - (align - low % align);
            private[index] = Some(objects.len());
            let mut object = Object::new(loaded, at)?;
            if let Some(tls) = object.tls.as_mut().filter(|_| index == 0 && scope.host.is_some()) {
                tls.below_thread = Some(loaded.tls_block().0);
            }
            objects.push(object);
            end = at + loaded.span.len();
        }
        let biases: Vec<usize> = objects.iter().map(|object| object.bias).collect();
        let linker = relocs::Linker { scope: &scope, private: &private, biases: &biases, stand_in };
        for (index, own) in private.iter().enumerate() {
            if let &Some(own) = own {
                linker.link(&mut objects[own], index)?;
                objects[own].cut();
            }
        }
        if job.shares_image {
            objects
                .iter()
                .enumerate()
                .try_for_each(|(index, object)| refuse_globals(index, object))?;
        }
        let init_order = order::dependencies_first(&scope).into_iter();
        let mut template = Template {
            init_order: init_order.filter_map(|index| private[index]).collect(),
            objects,
            main: 0,
            init: None,
            bytes: end.next_multiple_of(PAGE),
            alignment,
            harmless_code: scope.spans_of("libm.so"),
            waiting_code: scope.spans_of("libgomp.so"),
            has_executable_stack: scope.objects.iter().any(|object| {
                let is_stack = |it: &&libc::Elf64_Phdr| it.p_type == elf::PT_GNU_STACK;
                object.headers.iter().find(is_stack).is_some_and(|it| it.p_flags & PF_X != 0)
            }),
            is_shared: job.shares_image,
            is_flat: false,
            shared_at: OnceLock::new(),
            plugins: Plugins::of(scope.clone(), &choices),
        };
        let own = |address| template.offset_of(address);
        let lost = || "the program's main is not where it was loaded".to_string();
        (template.main, template.init) =
            (own(program.main).ok_or_else(lost)?, program.init.and_then(own));
        if job.explain {
            template.explain(&scope, job, &choices, &private);
        }
        Ok(template)
    }

    /// Makes the images that all ranks share.
    ///
    /// # Safety
    /// As for [`Template::make`].
    pub(super) unsafe fn make_for_all(&self, start: usize) -> Result<(), Error> {
        // SAFETY: as our caller promises.
        unsafe { self.make(start, &|_| None) }?;
        self.shared_at.get_or_init(|| start);
        Ok(())
    }

    /// Maps and relocates images on zeroed memory. `own` finds a rank's own variables of libc;
    /// images for all ranks have none.
    ///
    /// # Safety
    /// The memory at `start` is unused and large enough; `start` is aligned as the template
    /// requires.
    unsafe fn make(&self, start: usize, own: Own<'_>) -> Result<(), Error> {
        for object in &self.objects {
            object.place(start)?;
        }
        for object in self.objects.iter().rev() {
            // SAFETY: libraries come after the objects that need them, so they are done first.
            unsafe { object.program.apply(start, own) };
        }
        for object in self.objects.iter().rev() {
            // SAFETY: everything is relocated.
            unsafe { object.program.ask_resolvers(start) };
        }
        Ok(())
    }

    /// Makes images copies in plain memory, which take no mappings; false if they are too large for
    /// that. A rank is then not prevented from writing into its own code.
    pub(super) fn flatten(&mut self) -> bool {
        const MOST_BYTES: usize = 64 << 10;
        let bytes: usize = self.objects.iter().map(Object::bytes_of_file).sum();
        self.is_flat = bytes <= MOST_BYTES;
        if self.is_flat {
            self.objects.iter_mut().for_each(Object::flatten);
        }
        self.is_flat
    }

    /// How many mappings the images of one rank take, the anonymous memory before them included.
    pub(super) fn maps(&self) -> usize {
        if self.is_shared || self.is_flat {
            return 0;
        }
        // Parts of the images that come from no file are anonymous memory like their surroundings,
        // and adjacent parts of that kind are one mapping: the end of the images counts with what
        // follows.
        let (mut maps, mut cursor, mut is_anonymous) = (1, 0, true);
        for object in &self.objects {
            for piece in &object.pieces {
                let (Piece::Text { at, bytes, .. } | Piece::Data { at, bytes, .. }) = *piece else {
                    continue;
                };
                if cursor < at || self.has_copied(cursor..at + 1) {
                    maps += usize::from(!is_anonymous);
                }
                maps += 1;
                (cursor, is_anonymous) = (at + bytes, false);
            }
        }
        maps
    }

    fn has_copied(&self, range: Range<usize>) -> bool {
        let pieces = self.objects.iter().flat_map(|object| &object.pieces);
        pieces
            .filter(|piece| matches!(piece, Piece::Copied { .. }))
            .any(|piece| matches!(*piece, Piece::Copied { at, .. } if range.contains(&at)))
    }

    /// The offset in the images of the copy of the template's `address`.
    fn offset_of(&self, address: usize) -> Option<usize> {
        let object = self.objects.iter().find(|object| object.template.contains(&address))?;
        Some((address - object.template_base).wrapping_add(object.bias))
    }

    fn explain(
        &self, scope: &Scope, job: &Job, choices: &[policy::Choice], private: &[Option<usize>],
    ) {
        let program = scope.objects[0].path.display();
        let mut text = match scope.host {
            None => String::from("ftrun: how each library was loaded\n"),
            Some(_) => format!("ftrun: how each library of {program} was loaded\n"),
        };
        for (index, loaded) in scope.objects.iter().enumerate() {
            let choice = choices[index];
            let how = if choice.is_private { "private" } else { "shared " };
            let _ = write!(text, "  {how}  {} ({})", loaded.path.display(), choice.reason);
            if let Some(own) = private[index] {
                let object = &self.objects[own];
                let tls = object.tls.as_ref().map_or(0, |tls| tls.bytes);
                let (relocs, bytes) = (object.program.count(), loaded.span.len());
                let _ = write!(text, ": {relocs} relocations, {bytes} bytes, {tls} of TLS image");
                for name in &object.program.unresolved {
                    let _ =
                        write!(text, "\n           undefined symbol: {}", name.to_string_lossy());
                }
            }
            text.push('\n');
        }
        for (option, wanted) in policy::missed(scope, job) {
            let _ = writeln!(
                text,
                "  {option} {wanted}: the program loads no library of that name at start"
            );
        }
        eprint!("{text}");
    }
}

/// Refuses to run all ranks in one copy of a private object that holds mutable variables; the
/// program is number 0.
fn refuse_globals(index: usize, object: &Object) -> Result<(), String> {
    const SHOWN: usize = 4;
    let found = globals::of(object);
    if found.is_empty() {
        return Ok(());
    }
    let path = object.name.to_string_lossy();
    let file = path.rsplit('/').next().unwrap_or(&path);
    let mut names = found.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if found.len() > SHOWN {
        let _ = write!(names, " and {} more", found.len() - SHOWN);
    }
    let cure = match index {
        0 => "make them const or _Thread_local".to_string(),
        _ => format!("if the job never changes them, use --shared {file}"),
    };
    Err(format!(
        "--share-image: all ranks would share variables of {file}: {names}; {cure}, or run without \
         --share-image"
    ))
}

impl Images {
    /// The images that [`Images::make`] will make at `start`, or those of all ranks.
    pub(super) fn at(template: &'static Template, start: usize) -> Images {
        Images { template, start: template.shared_at.get().copied().unwrap_or(start) }
    }

    /// What the rank may open.
    pub(super) fn plugins(&self) -> &'static Plugins {
        &self.template.plugins
    }

    /// Whether all ranks share them.
    pub(super) fn are_shared(&self) -> bool {
        self.template.is_shared
    }

    /// Makes them; `own` finds the rank's own variables of libc.
    ///
    /// # Safety
    /// As for [`Template::make`]; the memory is the rank's own.
    pub(super) unsafe fn make(&self, own: Own<'_>) -> Result<(), Error> {
        // SAFETY: as our caller promises.
        unsafe { self.template.make(self.start, own) }
    }

    /// Where the rank's images hold libc variables that the program has copied (`stdout`, …).
    pub(super) fn symbol_homes(&self) -> impl Iterator<Item = (&'static CStr, *mut ())> {
        let start = self.start;
        let programs = self.template.objects.iter().map(|object| &object.program);
        let homes = programs.flat_map(|program| program.homes());
        homes.map(move |(name, at)| (name, std::ptr::with_exposed_provenance_mut(start + at)))
    }

    /// The addresses of the libc variables that code in shared images reads.
    pub(super) fn shared_homes(&self) -> impl Iterator<Item = (&'static CStr, *mut ())> {
        let programs = self.template.objects.iter().map(|object| &object.program);
        let references = programs.flat_map(|program| program.references());
        let at = |(name, address)| (name, std::ptr::with_exposed_provenance_mut(address));
        self.symbol_homes().chain(references.map(at))
    }

    /// Whether `address` is in one of these images.
    pub(super) fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.template.bytes
    }

    /// Makes this code fault from now on; [`Images::admit`] lets the faulting thread continue.
    pub(super) fn shut(&self) {
        self.pages_of_code().for_each(|code| _ = protect(code, libc::PROT_READ));
    }

    /// Undoes [`Images::shut`] for the code around `pc`; false if `pc` is elsewhere. Safe in
    /// handlers.
    pub(super) fn admit(&self, pc: usize) -> bool {
        let mut code = self.pages_of_code().filter(|code| code.contains(&pc));
        code.next().is_some_and(|code| protect(code, self.open()))
    }

    /// Opens all code again.
    pub(super) fn admit_everywhere(&self) {
        self.pages_of_code().for_each(|code| _ = protect(code, self.open()));
    }

    /// The protection of code that is not shut.
    fn open(&self) -> i32 {
        let write = if self.template.is_flat { libc::PROT_WRITE } else { 0 };
        libc::PROT_READ | libc::PROT_EXEC | write
    }

    fn pages_of_code(&self) -> impl Iterator<Item = Range<usize>> {
        let code = self.template.objects.iter().flat_map(|object| &object.code);
        code.map(|code| self.start + code.start..self.start + code.end)
    }

    /// The rank's copy of the template's `address`.
    pub(super) fn translate(&self, address: usize) -> Option<usize> {
        Some(self.start + self.template.offset_of(address)?)
    }

    /// The template's original of the rank's `address`.
    pub(super) fn origin(&self, address: usize) -> Option<usize> {
        let at = address.checked_sub(self.start)?;
        let object = self.template.objects.iter().find(|object| object.span().contains(&at))?;
        Some(object.template_base.wrapping_add(at.wrapping_sub(object.bias)))
    }

    /// Gives the calling thread this rank's initial values of thread-local variables.
    pub(super) fn adopt_tls(&self) {
        #[repr(C)]
        struct Index {
            module: usize,
            offset: usize,
        }
        unsafe extern "C" {
            fn __tls_get_addr(index: *const Index) -> *mut u8;
        }
        let tls = || self.template.objects.iter().filter_map(|object| object.tls.as_ref());
        for (tls, distance) in tls().filter_map(|tls| Some((tls, tls.below_thread?))) {
            let image = std::ptr::with_exposed_provenance::<u8>(self.start + tls.at);
            // SAFETY: has no preconditions; a handle of glibc's is the thread pointer.
            let end = unsafe { libc::pthread_self() } as usize;
            let block = std::ptr::with_exposed_provenance_mut::<u8>(end - distance);
            // SAFETY: the first program has as many bytes there, which none of its code uses.
            unsafe {
                block.copy_from_nonoverlapping(image, tls.bytes);
                block.add(tls.bytes).write_bytes(0, distance - tls.bytes);
            }
        }
        for tls in tls().filter(|tls| tls.has_relocs && tls.below_thread.is_none()) {
            // SAFETY: the module is one of the template's, so every thread has a block for it.
            let block = unsafe { __tls_get_addr(&Index { module: tls.module, offset: 0 }) };
            let image = std::ptr::with_exposed_provenance::<u8>(self.start + tls.at);
            // SAFETY: blocks begin with the bytes of their image.
            unsafe { block.copy_from_nonoverlapping(image, tls.bytes) };
        }
    }

    fn word<T: Copy>(&self, at: usize) -> T {
        let address = std::ptr::with_exposed_provenance::<T>(self.start.wrapping_add(at));
        // SAFETY: callers read tables of functions, which are in the images.
        unsafe { address.read_unaligned() }
    }

    fn code<F: Copy>(&self, at: usize) -> F {
        let address = std::ptr::with_exposed_provenance::<()>(self.start.wrapping_add(at));
        // SAFETY: callers name the address of a function and its type.
        unsafe { std::mem::transmute_copy(&address) }
    }

    /// Runs the constructors, dependencies first.
    pub(super) fn construct(&self, argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) {
        let run_all = |array: elf::Array| {
            for entry in 0..array.count {
                self.word::<Constructor>(array.at + entry * 8)(argc, argv, envp);
            }
        };
        run_all(self.template.objects[0].preinit_array);
        for &index in &self.template.init_order {
            let object = &self.template.objects[index];
            if let Some(init) = self.template.init.filter(|_| index == 0) {
                self.code::<Constructor>(init)(argc, argv, envp);
                continue;
            }
            if let Some(init) = object.init {
                self.code::<Constructor>(init)(argc, argv, envp);
            }
            run_all(object.init_array);
        }
    }

    /// Runs the destructors, in the reverse order.
    pub(super) fn destruct(&self) {
        for &index in self.template.init_order.iter().rev() {
            let object = &self.template.objects[index];
            for entry in (0..object.fini_array.count).rev() {
                self.word::<Destructor>(object.fini_array.at + entry * 8)();
            }
            if let Some(fini) = object.fini {
                self.code::<Destructor>(fini)();
            }
        }
    }

    /// Runs the rank's own `main`.
    pub(super) fn main(
        &self, argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char,
    ) -> c_int {
        self.code::<Main>(self.template.main)(argc, argv, envp)
    }

    /// The images one by one, for unwinders.
    pub(super) fn each(&self) -> impl Iterator<Item = Image> {
        let start = self.start;
        self.template.objects.iter().map(move |object| {
            let span = object.span();
            Image {
                name: &object.name,
                base: start.wrapping_add(object.bias),
                span: start + span.start..start + span.end,
                headers: object.headers,
                frame_header: object.frame_header.map(|at| start + at),
            }
        })
    }
}

fn protect(pages: Range<usize>, protection: i32) -> bool {
    let start = std::ptr::with_exposed_provenance_mut(pages.start);
    // SAFETY: a mapping of the rank's own, which stays readable.
    unsafe { libc::mprotect(start, pages.len(), protection) == 0 }
}

/// An image of a rank, described for unwinders and debuggers.
pub(super) struct Image {
    pub(super) name: &'static CStr,
    pub(super) base: usize,
    pub(super) span: Range<usize>,
    pub(super) headers: &'static [libc::Elf64_Phdr],
    pub(super) frame_header: Option<usize>,
}
