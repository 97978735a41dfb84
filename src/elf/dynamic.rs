//! The dynamic section, and the tables of versions that it points to.

use crate::bytes::Bytes;

/// What an entry of the dynamic section is about.
pub mod tag {
    pub const NEEDED: u64 = 1;
    pub const JUMP_SLOTS_BYTES: u64 = 2;
    pub const SYSV_HASH: u64 = 4;
    pub const STRINGS: u64 = 5;
    pub const SYMBOLS: u64 = 6;
    pub const RELA: u64 = 7;
    pub const RELA_BYTES: u64 = 8;
    pub const STRINGS_BYTES: u64 = 10;
    pub const INIT: u64 = 12;
    pub const FINI: u64 = 13;
    pub const SONAME: u64 = 14;
    pub const RPATH: u64 = 15;
    pub const SYMBOLIC: u64 = 16;
    pub const JUMP_SLOTS: u64 = 23;
    pub const INIT_ARRAY: u64 = 25;
    pub const FINI_ARRAY: u64 = 26;
    pub const INIT_ARRAY_BYTES: u64 = 27;
    pub const FINI_ARRAY_BYTES: u64 = 28;
    pub const RUNPATH: u64 = 29;
    pub const FLAGS: u64 = 30;
    pub const DEBUG: u64 = 21;
    pub const PREINIT_ARRAY: u64 = 32;
    pub const PREINIT_ARRAY_BYTES: u64 = 33;
    pub const RELR_BYTES: u64 = 35;
    pub const RELR: u64 = 36;
    pub const VERSION_INDICES: u64 = 0x6fff_fff0;
    pub const GNU_HASH: u64 = 0x6fff_fef5;
    pub const FLAGS_1: u64 = 0x6fff_fffb;
    pub const VERSIONS_DEFINED: u64 = 0x6fff_fffc;
    pub const VERSIONS_DEFINED_COUNT: u64 = 0x6fff_fffd;
    pub const VERSIONS_NEEDED: u64 = 0x6fff_fffe;
    pub const VERSIONS_NEEDED_COUNT: u64 = 0x6fff_ffff;
}

const ENTRY_BYTES: usize = 16;
const FLAG_SYMBOLIC: u64 = 2;
pub const FLAG_1_PIE: u64 = 0x0800_0000;

/// A dynamic section.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic<'a>(pub Bytes<'a>);

impl Dynamic<'_> {
    /// Tags and values, up to the null entry.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u64)> {
        let entry = |at| Some((self.0.u64(at)?, self.0.u64(at + 8)?));
        (0..).step_by(ENTRY_BYTES).map_while(entry).take_while(|(tag, _)| *tag != 0)
    }

    /// The value of the entry with this tag.
    pub fn value(&self, tag: u64) -> Option<u64> {
        self.entries().find(|(known, _)| *known == tag).map(|(_, value)| value)
    }

    /// Whether it is a library that is meant to be run as a program.
    pub fn is_marked_as_program(&self) -> bool {
        self.value(tag::FLAGS_1).unwrap_or(0) & FLAG_1_PIE != 0
    }

    /// Whether the object's references are bound to its own definitions first.
    pub fn is_symbolic(&self) -> bool {
        let flags = self.value(tag::FLAGS).unwrap_or(0);
        self.value(tag::SYMBOLIC).unwrap_or(0) != 0 || flags & FLAG_SYMBOLIC != 0
    }
}

/// A version that an object needs or defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedVersion {
    /// The number by which the object's symbols name it.
    pub index: usize,
    pub hash: u32,
    /// Where its name is in the string table.
    pub name: usize,
    /// The reference wants exactly this version, not an unversioned stand-in.
    pub is_hidden: bool,
}

const HIDDEN: u32 = 0x8000;
const INDEX: u32 = 0x7fff;

/// The versions in a table of `count` entries (Elf64_Verneed), as far as it is whole.
pub fn needed_versions(table: Bytes<'_>, count: usize) -> Vec<NamedVersion> {
    let mut versions = Vec::new();
    let mut rest = Some(table);
    for _ in 0..count {
        // Version, count, file, aux, next.
        let Some(entry) = rest else { break };
        let (Some(parts), Some(aux), Some(next)) = (entry.u16(2), entry.u32(8), entry.u32(12))
        else {
            break;
        };
        let mut part = entry.from(aux as usize);
        for _ in 0..parts {
            // Elf64_Vernaux: hash, flags, index, name, next.
            let Some(version) = part.and_then(|part| needed_version(&part)) else { break };
            versions.push(version);
            part = part.and_then(|part| part.from(part.u32(12)? as usize));
        }
        rest = entry.from(next as usize);
    }
    versions
}

fn needed_version(part: &Bytes<'_>) -> Option<NamedVersion> {
    let index = u32::from(part.u16(6)?);
    Some(NamedVersion {
        index: (index & INDEX) as usize,
        hash: part.u32(0)?,
        name: part.u32(8)? as usize,
        is_hidden: index & HIDDEN != 0,
    })
}

/// The versions in a table of `count` entries (Elf64_Verdef), as far as it is whole; without the
/// one that stands for the object itself.
pub fn defined_versions(table: Bytes<'_>, count: usize) -> Vec<NamedVersion> {
    const BASE: u16 = 1;
    let mut versions = Vec::new();
    let mut rest = Some(table);
    for _ in 0..count {
        let Some((entry, next)) = rest.and_then(|entry| Some((entry, entry.u32(16)?))) else {
            break;
        };
        if entry.u16(2).is_some_and(|flags| flags & BASE == 0) {
            versions.extend(defined_version(&entry));
        }
        rest = entry.from(next as usize);
    }
    versions
}

/// Version, flags, index, count, hash, aux, next. The first auxiliary entry begins with the name.
fn defined_version(entry: &Bytes<'_>) -> Option<NamedVersion> {
    let aux = entry.from(entry.u32(12)? as usize)?;
    Some(NamedVersion {
        index: (u32::from(entry.u16(4)?) & INDEX) as usize,
        hash: entry.u32(8)?,
        name: aux.u32(0)? as usize,
        is_hidden: false,
    })
}
