//! The private images of one rank: those of its program, and those of the libraries that it has
//! opened since.

use super::object::{Object, Tls};
use super::opened::Opened;
use super::plugins::Plugins;
use super::reloc_program::{Base, Own};
use super::{Template, elf};
use std::ffi::{CStr, c_char, c_int};
use std::io::Error;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The private images of one rank.
pub(in crate::host) struct Images {
    pub(in crate::host) template: &'static Template,
    start: usize,
    opened: Opened,
    /// What constructors are passed.
    arguments: [AtomicUsize; 3],
}

type Constructor = extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char);
type Destructor = extern "C-unwind" fn();
type Main = extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

impl Images {
    /// The images that [`Images::make`] will make at `start`, or those of all ranks.
    pub(in crate::host) fn at(template: &'static Template, start: usize) -> Images {
        let start = template.shared_at.get().copied().unwrap_or(start);
        Images { template, start, opened: Opened::default(), arguments: Default::default() }
    }

    /// What the rank may open.
    pub(in crate::host) fn plugins(&self) -> &'static Plugins {
        &self.template.plugins
    }

    fn base(&self) -> Base {
        self.opened.base(self.start, self.plugins())
    }

    /// The program, its libraries, and what was opened since. Safe in handlers.
    fn objects(&self) -> impl Iterator<Item = &Object> {
        self.template.objects.iter().chain(self.opened.objects(self.plugins()))
    }

    /// Whether all ranks share them.
    pub(in crate::host) fn are_shared(&self) -> bool {
        self.template.is_shared
    }

    /// Makes them; `own` finds the rank's own variables of libc.
    ///
    /// # Safety
    /// As for [`Template::make`]; the memory is the rank's own.
    pub(in crate::host) unsafe fn make(&self, own: Own<'_>) -> Result<(), Error> {
        // SAFETY: as our caller promises.
        unsafe { self.template.make(self.start, own) }
    }

    /// Where the rank's images hold libc variables that the program has copied (`stdout`, …).
    pub(in crate::host) fn symbol_homes(&self) -> impl Iterator<Item = (&'static CStr, *mut ())> {
        let start = self.start;
        let programs = self.template.objects.iter().map(|object| &object.program);
        let homes = programs.flat_map(|program| program.homes());
        homes.map(move |(name, at)| (name, std::ptr::with_exposed_provenance_mut(start + at)))
    }

    /// The addresses of the libc variables that code in shared images reads.
    pub(in crate::host) fn shared_homes(&self) -> impl Iterator<Item = (&'static CStr, *mut ())> {
        let programs = self.template.objects.iter().map(|object| &object.program);
        let references = programs.flat_map(|program| program.references());
        let at = |(name, address)| (name, std::ptr::with_exposed_provenance_mut(address));
        self.symbol_homes().chain(references.map(at))
    }

    /// Whether `address` is in one of these images.
    pub(in crate::host) fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.template.bytes || self.opened.contains(address)
    }

    /// Makes this code fault from now on; [`Images::admit`] lets the faulting thread continue.
    pub(in crate::host) fn shut(&self) {
        self.pages_of_code().for_each(|code| _ = protect(code, libc::PROT_READ));
    }

    /// Undoes [`Images::shut`] for the code around `pc`; false if `pc` is elsewhere. Safe in
    /// handlers.
    pub(in crate::host) fn admit(&self, pc: usize) -> bool {
        let mut code = self.pages_of_code().filter(|code| code.contains(&pc));
        code.next().is_some_and(|code| protect(code, self.protection()))
    }

    /// Opens all code again.
    pub(in crate::host) fn admit_everywhere(&self) {
        self.pages_of_code().for_each(|code| _ = protect(code, self.protection()));
    }

    /// The protection of code that is not shut.
    fn protection(&self) -> i32 {
        let write = if self.template.is_flat { libc::PROT_WRITE } else { 0 };
        libc::PROT_READ | libc::PROT_EXEC | write
    }

    fn pages_of_code(&self) -> impl Iterator<Item = Range<usize>> {
        let base = self.base();
        self.objects().flat_map(|object| &object.code).map(move |code| base.range(code.clone()))
    }

    /// The rank's copy of the template's `address`.
    pub(in crate::host) fn translate(&self, address: usize) -> Option<usize> {
        let object = self.objects().find(|object| object.template.contains(&address))?;
        Some(self.base().at(object.moved(address)))
    }

    /// The template's original of the rank's `address`.
    pub(in crate::host) fn origin(&self, address: usize) -> Option<usize> {
        let base = self.base();
        let mut objects = self.objects().map(|object| (object, base.range(object.span())));
        let (object, span) = objects.find(|(_, span)| span.contains(&address))?;
        Some(object.template.start + (address - span.start))
    }

    /// Gives the calling thread this rank's initial values of thread-local variables.
    pub(in crate::host) fn adopt_tls(&self) {
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
        let base = self.base();
        let all = self.objects().filter_map(|object| object.tls.as_ref());
        for tls in all.filter(|tls| tls.has_relocs && tls.below_thread.is_none()) {
            initialise(tls, base, tls.bytes);
        }
    }

    fn code<F: Copy>(&self, at: usize) -> F {
        let address = std::ptr::with_exposed_provenance::<()>(self.base().at(at));
        // SAFETY: callers name the address of a function and its type.
        unsafe { std::mem::transmute_copy(&address) }
    }

    /// The functions of a table.
    fn each_of<F: Copy>(&self, array: elf::Array) -> impl DoubleEndedIterator<Item = F> {
        let start = std::ptr::with_exposed_provenance::<F>(self.base().at(array.at));
        // SAFETY: callers read tables of functions, which are in the images.
        (0..array.count).map(move |entry| unsafe { start.add(entry).read_unaligned() })
    }

    /// Runs the constructors, dependencies first.
    pub(in crate::host) fn construct(
        &self, argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char,
    ) {
        let arguments = [argc as usize, argv.expose_provenance(), envp.expose_provenance()];
        for (kept, argument) in self.arguments.iter().zip(arguments) {
            kept.store(argument, Ordering::Relaxed);
        }
        self.run_all(self.template.objects[0].preinit_array);
        for &index in &self.template.init_order {
            match self.template.init.filter(|_| index == 0) {
                Some(init) => self.run(self.code(init)),
                None => self.construct_object(&self.template.objects[index]),
            }
        }
    }

    fn construct_object(&self, object: &Object) {
        if let Some(init) = object.init {
            self.run(self.code(init));
        }
        self.run_all(object.init_array);
    }

    fn run_all(&self, array: elf::Array) {
        self.each_of(array).for_each(|constructor| self.run(constructor));
    }

    fn run(&self, constructor: Constructor) {
        let [argc, argv, envp] = self.arguments.each_ref().map(|it| it.load(Ordering::Relaxed));
        let (argv, envp) = (
            std::ptr::with_exposed_provenance_mut(argv),
            std::ptr::with_exposed_provenance_mut(envp),
        );
        constructor(argc as c_int, argv, envp);
    }

    /// Runs the destructors, in the reverse order.
    pub(in crate::host) fn destruct(&self) {
        let opened = self.opened.constructed();
        opened
            .iter()
            .rev()
            .for_each(|&it| self.destruct_object(&self.plugins().library(it).object));
        let own = self.template.init_order.iter().rev();
        own.for_each(|&index| self.destruct_object(&self.template.objects[index]));
    }

    fn destruct_object(&self, object: &Object) {
        self.each_of::<Destructor>(object.fini_array).rev().for_each(|destructor| destructor());
        if let Some(fini) = object.fini {
            self.code::<Destructor>(fini)();
        }
    }

    /// Makes the copies that the rank lacks of a library and of what it needs; `own` finds the
    /// rank's own variables of libc. [`Images::construct_opened`] is next.
    pub(in crate::host) fn open(&self, library: usize, own: Own<'_>) -> Result<Vec<usize>, Error> {
        let fresh = self.opened.open(library, self.start, self.plugins(), own)?;
        let base = self.base();
        for &number in &fresh {
            if let Some(tls) = &self.plugins().library(number).object.tls {
                initialise(tls, base, tls.whole);
            }
        }
        Ok(fresh)
    }

    /// Runs the constructors of copies that were just made.
    pub(in crate::host) fn construct_opened(&self, fresh: &[usize]) {
        fresh.iter().for_each(|&it| self.construct_object(&self.plugins().library(it).object));
    }

    /// Whether the rank has opened the library with this number.
    pub(in crate::host) fn has_opened(&self, library: usize) -> bool {
        self.opened.has(library)
    }

    /// Counts one use of it less; false if there is none.
    pub(in crate::host) fn close(&self, library: usize) -> bool {
        self.opened.close(library)
    }

    /// Runs the rank's own `main`.
    pub(in crate::host) fn main(
        &self, argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char,
    ) -> c_int {
        self.code::<Main>(self.template.main)(argc, argv, envp)
    }

    /// The images one by one, for unwinders.
    pub(in crate::host) fn each(&self) -> impl Iterator<Item = Image<'_>> {
        let base = self.base();
        self.objects().map(move |object| Image {
            name: &object.name,
            base: base.at(object.bias),
            span: base.range(object.span()),
            headers: object.headers,
            frame_header: object.frame_header.map(|at| base.at(at)),
        })
    }

    /// The image that holds this address.
    pub(in crate::host) fn around(&self, address: usize) -> Option<Image<'_>> {
        self.each().find(|image| image.span.contains(&address))
    }
}

/// Gives the calling thread `whole` bytes of an object's thread-local variables: those of the
/// image, then zeros.
fn initialise(tls: &Tls, base: Base, whole: usize) {
    #[repr(C)]
    struct Index {
        module: usize,
        offset: usize,
    }
    unsafe extern "C" {
        fn __tls_get_addr(index: *const Index) -> *mut u8;
    }
    // SAFETY: the module is one of a template's, so every thread has a block for it.
    let block = unsafe { __tls_get_addr(&Index { module: tls.module, offset: 0 }) };
    let image = std::ptr::with_exposed_provenance::<u8>(base.at(tls.at));
    // SAFETY: blocks begin with the bytes of their image, and are as long as the segment.
    unsafe {
        block.copy_from_nonoverlapping(image, tls.bytes);
        block.add(tls.bytes).write_bytes(0, whole - tls.bytes);
    }
}

fn protect(pages: Range<usize>, protection: i32) -> bool {
    let start = std::ptr::with_exposed_provenance_mut(pages.start);
    // SAFETY: a mapping of the rank's own, which stays readable.
    unsafe { libc::mprotect(start, pages.len(), protection) == 0 }
}

/// An image of a rank, described for unwinders and debuggers.
pub(in crate::host) struct Image<'a> {
    pub(in crate::host) name: &'a CStr,
    pub(in crate::host) base: usize,
    pub(in crate::host) span: Range<usize>,
    pub(in crate::host) headers: &'static [libc::Elf64_Phdr],
    pub(in crate::host) frame_header: Option<usize>,
}
