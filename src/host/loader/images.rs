//! The private images of one rank: those of its program, and those of the libraries that it has
//! opened since.

use super::elf::{self, PT_LOAD};
use super::object::Object;
use super::opened::Opened;
use super::plugins::Plugins;
use super::reloc_program::Own;
use super::Template;
use std::ffi::{CStr, c_char, c_int};
use std::io::Error;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The private images of one rank.
pub(in crate::host) struct Images {
    pub(super) template: &'static Template,
    pub(super) start: usize,
    /// How many bytes there are for them.
    pub(super) room: usize,
    pub(super) opened: Opened,
    /// What constructors are passed.
    arguments: [AtomicUsize; 3],
}

type Constructor = extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char);
type Destructor = extern "C-unwind" fn();
type Main = extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

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
