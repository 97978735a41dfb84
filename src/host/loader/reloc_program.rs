//! What to write into the images of an object: its relocations, resolved once for all ranks.

use super::elf::PAGE;
use std::ffi::CStr;
use std::ops::Range;

/// Finds a rank's own variable instead of the one of libc with a name.
pub(in crate::host) type Own<'a> = &'a dyn Fn(&str) -> Option<*const ()>;

/// Where the images of one rank are.
#[derive(Clone, Copy)]
pub(super) struct Base {
    /// Those of its program.
    pub(super) images: usize,
    /// Offsets from here on are in what the rank has opened since, which begins at `opened`.
    pub(super) boundary: usize,
    pub(super) opened: usize,
}

impl Base {
    /// The address with this offset.
    pub(super) fn at(self, offset: usize) -> usize {
        // Before the first image there is nothing, but addresses may be counted from there.
        if offset as isize >= self.boundary as isize {
            self.opened.wrapping_add(offset - self.boundary)
        } else {
            self.images.wrapping_add(offset)
        }
    }

    pub(super) fn range(self, offsets: Range<usize>) -> Range<usize> {
        let start = self.at(offsets.start);
        start..start + offsets.len()
    }
}

/// What to write into an object's image. Places and targets are relative to the images.
#[derive(Default)]
pub(super) struct Program {
    pub(super) moved: Vec<Moved>,
    pub(super) fixed: Vec<Fixed>,
    pub(super) variables: Vec<Variable>,
    pub(super) copies: Vec<Copied>,
    pub(super) resolved: Vec<Resolved>,
    /// Strong references without a definition; ld.so would complain at the first call.
    pub(super) unresolved: Vec<&'static CStr>,
}

/// The word at `at` is an address in the images.
pub(super) struct Moved {
    pub(super) at: usize,
    pub(super) to: usize,
}

/// The word at `at` is equal in every rank.
pub(super) struct Fixed {
    pub(super) at: usize,
    pub(super) value: u64,
}

/// The word at `at` is the address of the rank's own libc variable, if it has one.
pub(super) struct Variable {
    pub(super) at: usize,
    pub(super) name: &'static CStr,
    pub(super) shared: usize,
    pub(super) addend: i64,
}

/// The bytes at `at` are a copy of a library's variable; this copy is the variable from then on.
pub(super) struct Copied {
    pub(super) at: usize,
    pub(super) bytes: usize,
    pub(super) from: Origin,
    pub(super) name: &'static CStr,
}

pub(super) enum Origin {
    Images(usize),
    Process(usize),
}

/// The word at `at` is what the function at `resolver` returns.
pub(super) struct Resolved {
    pub(super) at: usize,
    pub(super) resolver: usize,
}

#[derive(Clone, Copy)]
pub(super) enum Target {
    Images(usize),
    Fixed(usize),
    Variable(&'static CStr, usize),
    Resolver(usize),
}

impl Program {
    pub(super) fn point(&mut self, at: usize, target: Target, addend: i64) {
        let moved = |value: usize| value.wrapping_add(addend as usize);
        match target {
            Target::Images(to) => self.moved.push(Moved { at, to: moved(to) }),
            Target::Fixed(value) => self.fixed.push(Fixed { at, value: moved(value) as u64 }),
            Target::Variable(name, shared) => {
                self.variables.push(Variable { at, name, shared, addend });
            }
            Target::Resolver(resolver) => self.resolved.push(Resolved { at, resolver }),
        }
    }

    pub(super) fn count(&self) -> usize {
        let Program { moved, fixed, variables, copies, resolved, unresolved: _ } = self;
        moved.len() + fixed.len() + variables.len() + copies.len() + resolved.len()
    }

    /// The places in images that it refers to.
    pub(super) fn targets(&self) -> impl Iterator<Item = usize> {
        let copied = self.copies.iter().filter_map(|copied| match copied.from {
            Origin::Images(at) => Some(at),
            Origin::Process(_) => None,
        });
        let resolvers = self.resolved.iter().map(|it| it.resolver);
        self.moved.iter().map(|it| it.to).chain(copied).chain(resolvers)
    }

    fn places(&self) -> impl Iterator<Item = usize> {
        let moved = self.moved.iter().map(|it| it.at);
        let others = self.fixed.iter().map(|it| it.at).chain(self.variables.iter().map(|it| it.at));
        moved.chain(others).chain(self.resolved.iter().map(|it| it.at))
    }

    /// The pages of `range` that it writes to; a page may occur more than once.
    pub(super) fn pages_of(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        self.places().filter(move |at| range.contains(at)).map(|at| at / PAGE)
    }

    pub(super) fn pages_written(&self, range: &Range<usize>) -> usize {
        let mut pages: Vec<usize> = self.pages_of(range.clone()).collect();
        pages.sort_unstable();
        pages.dedup();
        pages.len()
    }

    /// Writes everything that needs no code of the rank to run. `own` finds the rank's own variable
    /// instead of one of libc's; images for all ranks have none.
    ///
    /// # Safety
    /// The images at `base` are laid out as the linker was told, and the objects that this one
    /// depends on are relocated.
    pub(super) unsafe fn apply(&self, base: Base, own: Own<'_>) {
        let word = |at: usize| std::ptr::with_exposed_provenance_mut::<u64>(base.at(at));
        // SAFETY: places are in writable parts of the images, as `add` has checked.
        let write = |at: usize, value: u64| unsafe { word(at).write_unaligned(value) };
        for moved in &self.moved {
            write(moved.at, base.at(moved.to) as u64);
        }
        for fixed in &self.fixed {
            write(fixed.at, fixed.value);
        }
        for variable in &self.variables {
            let name = variable.name.to_str().unwrap_or("");
            let address = own(name).map_or(variable.shared, |own| own as usize) as u64;
            write(variable.at, address.wrapping_add_signed(variable.addend));
        }
        for copied in &self.copies {
            let from = match copied.from {
                Origin::Images(at) => base.at(at),
                Origin::Process(address) => address,
            };
            let source = std::ptr::with_exposed_provenance::<u8>(from);
            // SAFETY: both are variables of that size; the linker made room for this one.
            unsafe { word(copied.at).cast::<u8>().copy_from(source, copied.bytes) };
        }
    }

    /// Tells libc's state the addresses of the variables that the program holds copies of.
    pub(super) fn homes(&self) -> impl Iterator<Item = (&'static CStr, usize)> {
        self.copies_of_libc().map(|(name, at, _)| (name, at))
    }

    /// The variables of libc that it has copies of: name, place, and length.
    pub(super) fn copies_of_libc(&self) -> impl Iterator<Item = (&'static CStr, usize, usize)> {
        let of_process = |copied: &&Copied| matches!(copied.from, Origin::Process(_));
        let copies = self.copies.iter().filter(of_process);
        copies.map(|copied| (copied.name, copied.at, copied.bytes))
    }

    /// The variables of libc and other shared objects that it refers to by address.
    pub(super) fn references(&self) -> impl Iterator<Item = (&'static CStr, usize)> {
        self.variables.iter().map(|variable| (variable.name, variable.shared))
    }

    /// The variables of shared objects that it copies or refers to.
    pub(super) fn names_of_libc(&self) -> impl Iterator<Item = &'static CStr> {
        let copies = self.copies_of_libc().map(|(name, _, _)| name);
        copies.chain(self.references().map(|(name, _)| name))
    }

    /// Asks the rank's own resolvers which implementation to use.
    ///
    /// # Safety
    /// [`Program::apply`] is done for this object and those it depends on.
    pub(super) unsafe fn ask_resolvers(&self, base: Base) {
        for resolved in &self.resolved {
            // SAFETY: an IFUNC symbol or IRELATIVE relocation names a resolver.
            let value = unsafe { call_resolver(base.at(resolved.resolver)) };
            let at = base.at(resolved.at);
            // SAFETY: the place is in a writable part of the images.
            unsafe { std::ptr::with_exposed_provenance_mut::<usize>(at).write_unaligned(value) };
        }
    }
}

/// # Safety
/// `address` is that of an IFUNC resolver, its object relocated.
pub(super) unsafe fn call_resolver(address: usize) -> usize {
    let code = std::ptr::with_exposed_provenance::<()>(address);
    // SAFETY: as the caller promises; on x86-64 resolvers take nothing and return an address.
    let resolver: extern "C" fn() -> usize = unsafe { std::mem::transmute(code) };
    resolver()
}
