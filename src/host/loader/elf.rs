//! What ld.so left in memory of an object: program headers, dynamic section, tables.
//!
//! Everything read here stays mapped until the process ends, hence `'static`.

pub(super) use ftmpi_elf::{
    PF_W, PF_X, PT_DYNAMIC, PT_GNU_EH_FRAME, PT_GNU_RELRO, PT_GNU_STACK, PT_LOAD, PT_TLS, Rela,
    SHN_ABS, Symbol, kind, tag,
};

use ftmpi_elf::{Bytes, NamedVersion, defined_versions, needed_versions};
use libc::Elf64_Phdr;
use std::ffi::{CStr, c_char};

pub(super) const PAGE: usize = 4096;

/// The version a reference asks for, or a definition carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Version {
    hash: u32,
    name: &'static CStr,
    /// The reference wants exactly this version, not an unversioned stand-in.
    pub(super) is_hidden: bool,
}

impl Version {
    pub(super) fn is_same(&self, other: &Version) -> bool {
        self.hash == other.hash && self.name == other.name
    }
}

/// A dynamic section, its pointers made absolute.
#[derive(Clone, Default)]
pub(super) struct Dynamic {
    symbols: usize,
    strings: usize,
    pub(super) gnu_hash: Option<usize>,
    pub(super) sysv_hash: Option<usize>,
    versym: Option<usize>,
    pub(super) rela: &'static [Rela],
    pub(super) jump_slots: &'static [Rela],
    pub(super) relr: &'static [u64],
    pub(super) needed: Vec<&'static CStr>,
    pub(super) soname: Option<&'static CStr>,
    /// Relative to the object's base, like all that follows.
    pub(super) init: Option<usize>,
    pub(super) fini: Option<usize>,
    pub(super) preinit_array: Array,
    pub(super) init_array: Array,
    pub(super) fini_array: Array,
    pub(super) is_symbolic: bool,
    /// By version index; filled from what the object needs.
    pub(super) wanted_versions: Vec<Option<Version>>,
    /// By version index; filled from what the object defines.
    pub(super) defined_versions: Vec<Option<Version>>,
}

/// A table of functions in an image.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Array {
    pub(super) at: usize,
    pub(super) count: usize,
}

/// Reads a plain value out of a mapped table.
///
/// # Safety
/// `address` lies in a table of a loaded object, and a `T` starts there.
pub(super) unsafe fn read<T: Copy>(address: usize) -> T {
    // SAFETY: as the caller promises; tables of objects may be unaligned in theory.
    unsafe { std::ptr::with_exposed_provenance::<T>(address).read_unaligned() }
}

/// # Safety
/// `count` values of type `T` lie at `address` until the process ends.
unsafe fn table<T>(address: usize, count: usize) -> &'static [T] {
    if address == 0 || count == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address), count) }
}

/// What follows `address` in its segment.
///
/// # Safety
/// ld.so has loaded an object with these headers at `base`, never unloads it, and nobody writes to
/// what is read.
unsafe fn rest(base: usize, headers: &[Elf64_Phdr], address: usize) -> Bytes<'static> {
    let mut loads = headers.iter().filter(|header| header.p_type == PT_LOAD);
    let end = loads.find_map(|load| {
        let start = base + load.p_vaddr as usize;
        let end = start + load.p_memsz as usize;
        (start..end).contains(&address).then_some(end)
    });
    // SAFETY: as the caller promises, up to the end of a segment.
    Bytes(unsafe { table(address, end.map_or(0, |end| end - address)) })
}

impl Dynamic {
    /// Reads the dynamic section, which `section` describes, of the object loaded at `base`.
    ///
    /// # Safety
    /// ld.so has loaded an object with these headers there, and never unloads it.
    pub(super) unsafe fn read(
        base: usize, headers: &[Elf64_Phdr], section: &Elf64_Phdr,
    ) -> Dynamic {
        let (start, bytes) = (base + section.p_vaddr as usize, section.p_memsz as usize);
        // SAFETY: the section lies in a segment of the object; nobody writes there meanwhile.
        let section = ftmpi_elf::Dynamic(Bytes(unsafe { table(start, bytes) }));
        let raw = |tag| section.value(tag).unwrap_or(0);
        // ld.so has made most of these absolute; in read-only sections it could not.
        let absolute = |value: usize| if value < base { base + value } else { value };
        let relative = |value: u64| absolute(value as usize) - base;
        let present = |tag| Some(raw(tag)).filter(|it| *it != 0).map(|it| absolute(it as usize));
        let array = |at, bytes| match raw(at) {
            0 => Array::default(),
            at => Array { at: relative(at), count: raw(bytes) as usize / 8 },
        };
        let mut dynamic = Dynamic {
            symbols: absolute(raw(tag::SYMBOLS) as usize),
            strings: absolute(raw(tag::STRINGS) as usize),
            gnu_hash: present(tag::GNU_HASH),
            sysv_hash: present(tag::SYSV_HASH),
            versym: present(tag::VERSION_INDICES),
            init: present(tag::INIT).map(|at| at - base),
            fini: present(tag::FINI).map(|at| at - base),
            init_array: array(tag::INIT_ARRAY, tag::INIT_ARRAY_BYTES),
            fini_array: array(tag::FINI_ARRAY, tag::FINI_ARRAY_BYTES),
            preinit_array: array(tag::PREINIT_ARRAY, tag::PREINIT_ARRAY_BYTES),
            is_symbolic: section.is_symbolic(),
            ..Dynamic::default()
        };
        let start = |tag| present(tag).unwrap_or(0);
        let count = |tag, bytes| raw(tag) as usize / bytes;
        // SAFETY: the sizes come from the same section as the addresses.
        unsafe {
            dynamic.rela = table(start(tag::RELA), count(tag::RELA_BYTES, size_of::<Rela>()));
            let slots = count(tag::JUMP_SLOTS_BYTES, size_of::<Rela>());
            dynamic.jump_slots = table(start(tag::JUMP_SLOTS), slots);
            dynamic.relr = table(start(tag::RELR), count(tag::RELR_BYTES, 8));
        }
        // A DT_SONAME of offset 0 would be the empty name.
        let soname = Some(raw(tag::SONAME)).filter(|at| *at != 0);
        dynamic.soname = soname.map(|at| dynamic.string(at as usize));
        let needed = section.entries().filter(|(tag, _)| *tag == tag::NEEDED);
        dynamic.needed = needed.map(|(_, at)| dynamic.string(at as usize)).collect();
        // SAFETY: as the caller promises.
        let from = |tag| present(tag).map_or(Bytes(&[]), |at| unsafe { rest(base, headers, at) });
        let wanted = from(tag::VERSIONS_NEEDED);
        let wanted = needed_versions(wanted, raw(tag::VERSIONS_NEEDED_COUNT) as usize);
        dynamic.wanted_versions = dynamic.by_index(wanted);
        let defined = from(tag::VERSIONS_DEFINED);
        let defined = defined_versions(defined, raw(tag::VERSIONS_DEFINED_COUNT) as usize);
        dynamic.defined_versions = dynamic.by_index(defined);
        dynamic
    }

    fn by_index(&self, named: Vec<NamedVersion>) -> Vec<Option<Version>> {
        let mut versions = Vec::new();
        for NamedVersion { index, hash, name, is_hidden } in named {
            if versions.len() <= index {
                versions.resize(index + 1, None);
            }
            versions[index] = Some(Version { hash, name: self.string(name), is_hidden });
        }
        versions
    }

    pub(super) fn string(&self, offset: usize) -> &'static CStr {
        let start = std::ptr::with_exposed_provenance::<c_char>(self.strings + offset);
        // SAFETY: offsets in the object's tables point at strings of its string table.
        unsafe { CStr::from_ptr(start) }
    }

    pub(super) fn symbol(&self, index: usize) -> &'static Symbol {
        let at = self.symbols + index * size_of::<Symbol>();
        // SAFETY: indices in the object's tables name symbols of its symbol table.
        unsafe { &*std::ptr::with_exposed_provenance(at) }
    }

    /// The version index of symbol `index`, hidden bit included; `None` where nothing is versioned.
    pub(super) fn version_index(&self, index: usize) -> Option<u16> {
        // SAFETY: the table has one entry per symbol.
        self.versym.map(|at| unsafe { read::<u16>(at + index * 2) })
    }
}
