//! What ld.so left in memory of an object: program headers, dynamic section, tables.
//!
//! Everything read here stays mapped until the process ends, hence `'static`.

use std::ffi::{CStr, c_char};

pub(super) const PAGE: usize = 4096;

pub(super) const PT_LOAD: u32 = 1;
pub(super) const PT_DYNAMIC: u32 = 2;
pub(super) const PT_TLS: u32 = 7;
pub(super) const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
pub(super) const PF_X: u32 = 1;
pub(super) const PF_W: u32 = 2;

pub(super) const SHN_UNDEF: u16 = 0;
pub(super) const SHN_ABS: u16 = 0xfff1;

/// A symbol's kind, as far as the lookup tells kinds apart.
pub(super) mod kind {
    pub(in crate::host::loader) const NONE: u8 = 0;
    pub(in crate::host::loader) const OBJECT: u8 = 1;
    pub(in crate::host::loader) const FUNCTION: u8 = 2;
    pub(in crate::host::loader) const COMMON: u8 = 5;
    pub(in crate::host::loader) const TLS: u8 = 6;
    pub(in crate::host::loader) const IFUNC: u8 = 10;
}

const BIND_LOCAL: u8 = 0;
const BIND_WEAK: u8 = 2;
const VISIBILITY_DEFAULT: u8 = 0;
const VISIBILITY_PROTECTED: u8 = 3;

#[repr(C)]
pub(super) struct Symbol {
    pub(super) name: u32,
    info: u8,
    other: u8,
    pub(super) section: u16,
    pub(super) value: u64,
    pub(super) bytes: u64,
}

impl Symbol {
    pub(super) fn kind(&self) -> u8 {
        self.info & 15
    }

    pub(super) fn is_weak(&self) -> bool {
        self.info >> 4 == BIND_WEAK
    }

    pub(super) fn is_local(&self) -> bool {
        self.info >> 4 == BIND_LOCAL
    }

    pub(super) fn is_defined(&self) -> bool {
        self.section != SHN_UNDEF
    }

    /// Whether references from its own object are bound to it, whoever else defines the name.
    pub(super) fn binds_at_home(&self) -> bool {
        self.is_defined() && (self.is_local() || self.other & 3 != VISIBILITY_DEFAULT)
    }

    /// Whether other objects may not see it.
    pub(super) fn is_hidden(&self) -> bool {
        !matches!(self.other & 3, VISIBILITY_DEFAULT | VISIBILITY_PROTECTED)
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Rela {
    pub(super) offset: u64,
    info: u64,
    pub(super) addend: i64,
}

impl Rela {
    pub(super) fn kind(&self) -> u32 {
        self.info as u32
    }

    pub(super) fn symbol(&self) -> usize {
        (self.info >> 32) as usize
    }
}

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
#[derive(Default)]
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

const DF_SYMBOLIC: u64 = 2;

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

impl Dynamic {
    /// Reads the dynamic section at `section` of the object loaded at `base`.
    ///
    /// # Safety
    /// ld.so has loaded an object there, and never unloads it.
    pub(super) unsafe fn read(base: usize, section: usize) -> Dynamic {
        let mut raw = [0u64; 40];
        let mut needed = Vec::new();
        let (mut relr, mut relr_bytes) = (0, 0);
        let mut versions = [(0, 0); 2];
        for entry in (section..).step_by(16) {
            // SAFETY: entries follow each other up to the null entry.
            let [tag, value] = unsafe { read::<[u64; 2]>(entry) };
            match tag {
                0 => break,
                1 => needed.push(value as usize),
                35 => relr_bytes = value as usize,
                36 => relr = value as usize,
                0x6fff_fef5 => raw[39] = value,
                0x6fff_fff0 => raw[38] = value,
                0x6fff_fffe => versions[0].0 = value as usize,
                0x6fff_ffff => versions[0].1 = value as usize,
                0x6fff_fffc => versions[1].0 = value as usize,
                0x6fff_fffd => versions[1].1 = value as usize,
                tag if tag < 38 => raw[tag as usize] = value,
                _ => {}
            }
        }
        // ld.so has made most of these absolute; in read-only sections it could not.
        let absolute = |value: usize| if value < base { base + value } else { value };
        let relative = |value: u64| absolute(value as usize) - base;
        let present = |value: u64| (value != 0).then(|| absolute(value as usize));
        let array = |at: u64, bytes: u64| match at {
            0 => Array::default(),
            at => Array { at: relative(at), count: bytes as usize / 8 },
        };
        let mut dynamic = Dynamic {
            symbols: absolute(raw[6] as usize),
            strings: absolute(raw[5] as usize),
            gnu_hash: present(raw[39]),
            sysv_hash: present(raw[4]),
            versym: present(raw[38]),
            init: present(raw[12]).map(|at| at - base),
            fini: present(raw[13]).map(|at| at - base),
            init_array: array(raw[25], raw[27]),
            fini_array: array(raw[26], raw[28]),
            preinit_array: array(raw[32], raw[33]),
            is_symbolic: raw[16] != 0 || raw[30] & DF_SYMBOLIC != 0,
            ..Dynamic::default()
        };
        // SAFETY: the sizes come from the same section as the addresses.
        unsafe {
            dynamic.rela = table(present(raw[7]).unwrap_or(0), raw[8] as usize / 24);
            dynamic.jump_slots = table(present(raw[23]).unwrap_or(0), raw[2] as usize / 24);
            dynamic.relr = if relr == 0 { &[] } else { table(absolute(relr), relr_bytes / 8) };
        }
        // A DT_SONAME of offset 0 would be the empty name.
        dynamic.soname = (raw[14] != 0).then(|| dynamic.string(raw[14] as usize));
        dynamic.needed = needed.into_iter().map(|at| dynamic.string(at)).collect();
        let [needs, defines] = versions;
        if needs.0 != 0 {
            dynamic.read_needed_versions(absolute(needs.0), needs.1);
        }
        if defines.0 != 0 {
            dynamic.read_defined_versions(absolute(defines.0), defines.1);
        }
        dynamic
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

    fn read_needed_versions(&mut self, mut at: usize, count: usize) {
        for _ in 0..count {
            // SAFETY: Elf64_Verneed: version, count, file, aux, next.
            let [head, aux, next] = unsafe { [read::<u32>(at), read(at + 8), read(at + 12)] };
            let mut entry = at + aux as usize;
            for _ in 0..head >> 16 {
                // SAFETY: Elf64_Vernaux: hash, flags and index, name, next.
                let [hash, index, name, next] = unsafe { read::<[u32; 4]>(entry) };
                let index = (index >> 16) as usize;
                let version = Version {
                    hash,
                    name: self.string(name as usize),
                    is_hidden: index & 0x8000 != 0,
                };
                put(&mut self.wanted_versions, index & 0x7fff, version);
                entry += next as usize;
            }
            at += next as usize;
        }
    }

    fn read_defined_versions(&mut self, mut at: usize, count: usize) {
        const BASE: u32 = 1;
        for _ in 0..count {
            // SAFETY: Elf64_Verdef: version and flags, index and count, hash, aux, next.
            let [head, index, hash, aux, next] = unsafe { read::<[u32; 5]>(at) };
            // SAFETY: the first auxiliary entry begins with the version's own name.
            let name = unsafe { read::<u32>(at + aux as usize) };
            if head >> 16 & BASE == 0 {
                let version = Version { hash, name: self.string(name as usize), is_hidden: false };
                put(&mut self.defined_versions, (index & 0x7fff) as usize, version);
            }
            at += next as usize;
        }
    }
}

fn put(versions: &mut Vec<Option<Version>>, index: usize, version: Version) {
    if versions.len() <= index {
        versions.resize(index + 1, None);
    }
    versions[index] = Some(version);
}
