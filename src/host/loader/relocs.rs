//! Relocations: resolved once for all ranks, applied to every rank's images.

use super::elf::{Rela, kind};
use super::gates;
use super::object::Object;
use super::reloc_program::{
    Copied, Fixed, Moved, Origin, Program, Resolved, Target, call_resolver,
};
use super::scope::{Definition, Reference, Scope};
use std::ffi::CStr;
use std::path::Path;

/// Resolves references of private objects.
pub(super) struct Linker<'a> {
    pub(super) scope: &'a Scope,
    /// By place in the scope: the number of the private object.
    pub(super) private: &'a [Option<usize>],
    /// By private object: its bias (see [`Object`]).
    pub(super) biases: &'a [usize],
    /// What private images get instead of the function of libc with a name.
    pub(super) stand_in: StandIn,
}

/// Finds what private images get instead of a function of libc.
pub(in crate::host) type StandIn = fn(&str) -> Option<*const ()>;

impl Linker<'_> {
    /// Makes the program of `object`, which is number `index` in the scope.
    pub(super) fn link(&self, object: &mut Object, index: usize) -> Result<(), String> {
        let dynamic = &self.scope.objects[index].dynamic;
        let mut linking = Linking { linker: self, index, known: Vec::new() };
        let mut program = Program::default();
        for value in relative_places(dynamic.relr) {
            let addend = object.word_in_file(value).unwrap_or(0) as usize;
            let to = object.bias.wrapping_add(addend);
            program.moved.push(Moved { at: object.bias.wrapping_add(value), to });
        }
        for rela in dynamic.rela.iter().chain(dynamic.jump_slots) {
            linking.add(&mut program, object, rela)?;
        }
        if let Some(tls) = &mut object.tls {
            tls.has_relocs = program.pages_of(tls.at..tls.at + tls.bytes).next().is_some();
        }
        object.program = program;
        Ok(())
    }
}

struct Linking<'a> {
    linker: &'a Linker<'a>,
    index: usize,
    /// By symbol: its earlier resolution.
    known: Vec<Option<Target>>,
}

impl Linking<'_> {
    /// What private images get instead of this function of libc.
    fn stand_in(&self, name: &CStr) -> Option<usize> {
        (self.linker.stand_in)(name.to_str().ok()?).map(|stand_in| stand_in as usize)
    }

    fn add(&mut self, program: &mut Program, object: &Object, rela: &Rela) -> Result<(), String> {
        let place = rela.offset as usize;
        let at = object.bias.wrapping_add(place);
        let loaded = &self.linker.scope.objects[self.index];
        let as_loaded = |skip: usize| {
            let word = std::ptr::with_exposed_provenance::<u64>(loaded.base + place + skip);
            // SAFETY: ld.so relocated the template at this very place.
            Fixed { at: at + skip, value: unsafe { word.read_unaligned() } }
        };
        if rela.kind() != R_NONE && !object.is_writable(place) {
            let name = object.name.to_string_lossy();
            return Err(format!("{name} has relocations in its text; compile it with -fPIC"));
        }
        match rela.kind() {
            R_NONE => {}
            R_RELATIVE => {
                let to = object.bias.wrapping_add(rela.addend as usize);
                program.moved.push(Moved { at, to });
            }
            R_64 | R_GLOB_DAT | R_JUMP_SLOT => {
                let addend = if rela.kind() == R_64 { rela.addend } else { 0 };
                let target = self.target(program, rela.symbol());
                program.point(at, target, addend);
            }
            // Copies use the template's modules and offsets, in every thread.
            R_DTPMOD | R_DTPOFF | R_TPOFF => program.fixed.push(match self.of_further(rela) {
                Some(value) => Fixed { at, value: value as u64 },
                None => as_loaded(0),
            }),
            R_TLSDESC if self.of_further(rela).is_some() => {
                let name = object.name.to_string_lossy();
                return Err(format!(
                    "{name} reaches thread-local variables of the program through descriptors; \
                     compile it with -mtls-dialect=gnu, or name the program first"
                ));
            }
            R_TLSDESC => program.fixed.extend([as_loaded(0), as_loaded(8)]),
            R_SIZE => {
                let bytes = self.definition(rela.symbol()).map_or(0, |found| found.symbol.bytes);
                let value = bytes.wrapping_add_signed(rela.addend);
                program.fixed.push(Fixed { at, value });
            }
            R_COPY => self.copy(program, at, loaded.base + place, rela.symbol()),
            R_IRELATIVE => {
                let resolver = object.bias.wrapping_add(rela.addend as usize);
                program.resolved.push(Resolved { at, resolver });
            }
            kind => {
                return Err(format!(
                    "{}: relocation kind {kind} is unknown",
                    object.name.to_string_lossy()
                ));
            }
        }
        Ok(())
    }

    /// What a relocation stands for that is about a thread-local variable of a further program,
    /// whose variables are where the first one's are (see [`Tls`](super::object::Tls)).
    fn of_further(&self, rela: &Rela) -> Option<usize> {
        let scope = self.linker.scope;
        let host = scope.host.as_ref()?;
        let (object, start) = match rela.symbol() {
            0 => (self.index, 0),
            symbol => {
                let found = self.definition(symbol)?;
                (found.object, found.symbol.value as usize)
            }
        };
        if object != 0 {
            return None;
        }
        let (own, whole) = (scope.objects[0].tls_block().0, host.tls_block().0);
        let offset = start.wrapping_add(rela.addend as usize);
        Some(match rela.kind() {
            R_DTPMOD => host.tls_module,
            R_DTPOFF => offset.wrapping_add(whole - own),
            _ => offset.wrapping_sub(own),
        })
    }

    fn reference(&self, symbol: usize) -> Reference {
        Reference::of(&self.linker.scope.objects[self.index].dynamic, symbol)
    }

    fn definition(&self, symbol: usize) -> Option<Definition> {
        let scope = self.linker.scope;
        let dynamic = &scope.objects[self.index].dynamic;
        let own = dynamic.symbol(symbol);
        if own.binds_at_home() {
            return Some(Definition { object: self.index, symbol: own });
        }
        let reference = self.reference(symbol);
        let at_home = dynamic.is_symbolic.then(|| scope.find_at_home(self.index, reference));
        at_home.flatten().or_else(|| scope.find(reference, None))
    }

    fn target(&mut self, program: &mut Program, symbol: usize) -> Target {
        if let Some(&Some(known)) = self.known.get(symbol) {
            return known;
        }
        let target = self.resolve(program, symbol);
        if self.known.len() <= symbol {
            self.known.resize(symbol + 1, None);
        }
        self.known[symbol] = Some(target);
        target
    }

    fn resolve(&self, program: &mut Program, symbol: usize) -> Target {
        let linker = self.linker;
        if symbol == 0 {
            let own = linker.private[self.index].expect("only private objects are linked");
            return Target::Images(linker.biases[own]);
        }
        let own = linker.scope.objects[self.index].dynamic.symbol(symbol);
        let name = linker.scope.objects[self.index].dynamic.string(own.name as usize);
        let Some(found) = self.definition(symbol) else {
            if let Some(shim) = self.stand_in(name) {
                return Target::Fixed(gates::gate(name, Path::new(""), shim));
            }
            if own.is_weak() {
                return Target::Fixed(0);
            }
            program.unresolved.push(name);
            return Target::Fixed(super::nowhere::address(name));
        };
        let address = linker.scope.objects[found.object].address(found.symbol);
        if found.symbol.section == super::elf::SHN_ABS {
            return Target::Fixed(address);
        }
        if let Some(private) = linker.private[found.object] {
            let place = linker.biases[private].wrapping_add(found.symbol.value as usize);
            return match found.symbol.kind() {
                kind::IFUNC => Target::Resolver(place),
                _ => Target::Images(place),
            };
        }
        match found.symbol.kind() {
            kind::OBJECT | kind::COMMON => Target::Variable(name, address),
            found_kind => {
                let function = self.stand_in(name).unwrap_or_else(|| match found_kind {
                    // SAFETY: an IFUNC symbol of a shared object is a resolver without parameters.
                    kind::IFUNC => unsafe { call_resolver(address) },
                    _ => address,
                });
                let is_function = matches!(found_kind, kind::FUNCTION | kind::IFUNC);
                let file = &linker.scope.objects[found.object].path;
                let gate = || gates::gate(name, file, function);
                Target::Fixed(if is_function { gate() } else { function })
            }
        }
    }

    fn copy(&self, program: &mut Program, at: usize, in_template: usize, symbol: usize) {
        let linker = self.linker;
        let reference = self.reference(symbol);
        let bytes = linker.scope.objects[self.index].dynamic.symbol(symbol).bytes as usize;
        let found = linker.scope.find(reference, Some(self.index));
        let private = found.and_then(|found| Some((linker.private[found.object]?, found.symbol)));
        let from = match private {
            Some((private, symbol)) => {
                Origin::Images(linker.biases[private].wrapping_add(symbol.value as usize))
            }
            // The template's copy is the process's variable, as libc has set it up.
            None => Origin::Process(in_template),
        };
        program.copies.push(Copied { at, bytes, from, name: reference.name });
    }
}

/// The places that a DT_RELR table encodes.
fn relative_places(table: &[u64]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut next = 0;
    for &entry in table {
        if entry & 1 == 0 {
            places.push(entry as usize);
            next = entry as usize + 8;
        } else {
            places.extend((0..63).filter(|bit| entry >> (bit + 1) & 1 == 1).map(|b| next + b * 8));
            next += 63 * 8;
        }
    }
    places
}

const R_NONE: u32 = 0;
const R_64: u32 = 1;
const R_COPY: u32 = 5;
const R_GLOB_DAT: u32 = 6;
const R_JUMP_SLOT: u32 = 7;
const R_RELATIVE: u32 = 8;
const R_DTPMOD: u32 = 16;
const R_DTPOFF: u32 = 17;
const R_TPOFF: u32 = 18;
const R_SIZE: u32 = 33;
const R_TLSDESC: u32 = 36;
const R_IRELATIVE: u32 = 37;

#[cfg(test)]
mod tests {
    use super::relative_places;

    #[test]
    fn a_bitmap_of_relocations_is_unrolled() {
        let table = [0x1000, 0b1011, 0b11];
        assert_eq!(relative_places(&table), [0x1000, 0x1008, 0x1018, 0x1000 + 8 * 64]);
    }
}
