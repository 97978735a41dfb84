//! Decides which libraries all ranks may share that are opened while they run: those that do not
//! refer to private images.
//!
//! ld.so binds what it loads to the template, whose variables no rank uses. A library that
//! refers to the program, or to a library of which each rank has its own copy, would see values
//! that no rank has written, and call functions that work on them. So it is refused, and the error
//! names what it refers to.

use super::elf::{PF_W, PT_GNU_RELRO, PT_LOAD, Symbol, kind};
use super::policy::Choice;
use super::scope::{Loaded, Reference, Scope};
use super::template;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Runtimes whose functions and constants are equal in every copy, as C++ libraries use them.
const RUNTIMES: [&str; 2] = ["libstdc++.so", "libquadmath.so"];

/// What was loaded when the program started, and what has been found to do no harm since.
pub(super) struct Harmless {
    scope: Scope,
    is_private: Vec<bool>,
    /// By place and file.
    since: HashSet<(usize, PathBuf)>,
}

/// A library that cannot be opened, and why.
pub(in crate::host) struct Misfit {
    pub(in crate::host) library: String,
    /// What it refers to, and the object that defines it.
    pub(in crate::host) symbol: String,
    pub(in crate::host) owner: String,
    pub(in crate::host) is_of_program: bool,
}

impl Harmless {
    /// Remembers the objects of a program and its libraries before ranks live.
    pub(super) fn of(scope: Scope, choices: &[Choice]) -> Harmless {
        let is_private = choices.iter().map(|choice| choice.is_private).collect();
        Harmless { scope, is_private, since: HashSet::new() }
    }

    /// Examines what the caller has loaded and holds; `close` is called if it is refused.
    /// `is_of_ranks`: ranks have copies of what is loaded at this base.
    pub(super) fn examine(
        &mut self, close: impl FnOnce(), is_of_ranks: impl Fn(usize) -> bool,
    ) -> Result<(), Misfit> {
        let of_programs = template::known().objects;
        for object in Scope::of_process().objects {
            let key = (object.base, object.path.clone());
            // A rank finds its own copies in the list, at different addresses.
            let is_same = |it: &Arc<Loaded>| it.base == object.base || it.path == object.path;
            let is_known = of_programs.iter().any(is_same) || is_of_ranks(object.base);
            if is_known || self.since.contains(&key) {
                continue;
            }
            if let Some(misfit) = self.misfit(&object) {
                close();
                return Err(misfit);
            }
            self.since.insert(key);
        }
        Ok(())
    }

    /// The first symbol that `object` takes from private images.
    fn misfit(&self, object: &Loaded) -> Option<Misfit> {
        let dynamic = &object.dynamic;
        let mut seen = HashSet::new();
        for rela in dynamic.rela.iter().chain(dynamic.jump_slots) {
            let index = rela.symbol();
            let own = dynamic.symbol(index);
            let binds_at_home = own.is_defined() && (own.binds_at_home() || dynamic.is_symbolic);
            if index == 0 || binds_at_home || !seen.insert(index) {
                continue;
            }
            let reference = Reference::of(dynamic, index);
            let Some(found) = self.scope.find(reference, None) else { continue };
            let owner = &self.scope.objects[found.object];
            if self.is_private[found.object] && matters(own, owner, found.symbol) {
                return Some(Misfit {
                    library: object.path.display().to_string(),
                    symbol: reference.name.to_string_lossy().into_owned(),
                    owner: owner.file_name(),
                    is_of_program: found.object == 0,
                });
            }
        }
        None
    }
}

/// Whether it matters in which copy of `owner` a reference finds `symbol`; `own` is the referring
/// library's own symbol of that name.
fn matters(own: &Symbol, owner: &Loaded, symbol: &Symbol) -> bool {
    let is_in = |wanted: &dyn Fn(&libc::Elf64_Phdr) -> bool| {
        let mut parts = owner.headers.iter().filter(|part| wanted(part));
        parts.any(|part| (part.p_vaddr..part.p_vaddr + part.p_memsz).contains(&symbol.value))
    };
    if symbol.kind() == kind::TLS {
        return true;
    }
    let is_constant = is_in(&|part| part.p_type == PT_GNU_RELRO);
    if is_in(&|part| part.p_type == PT_LOAD && part.p_flags & PF_W != 0) && !is_constant {
        return true;
    }
    let is_function = matches!(symbol.kind(), kind::FUNCTION | kind::IFUNC | kind::NONE);
    // Inline functions and tables of C++ are in every library that uses them.
    let has_its_own = own.is_defined();
    let is_runtime = RUNTIMES.iter().any(|name| owner.file_name().starts_with(name));
    // Constants without addresses are equal everywhere.
    (is_function || is_constant) && !has_its_own && !is_runtime
}
