//! Sections of a file, and the symbols in its symbol table.

use crate::Bytes;
use std::ops::Range;

/// The flags of a [`Section`].
pub mod flag {
    pub const WRITABLE: u64 = 1;
    pub const LOADED: u64 = 2;
    pub const THREAD_LOCAL: u64 = 0x400;
}

const SYMBOL_TABLE: u32 = 2;
const SECTION_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;

/// A section of a file.
#[derive(Debug, Default)]
pub struct Section {
    pub name: String,
    kind: u32,
    pub flags: u64,
    /// Where it is in memory. Of one that is not loaded, only the length counts.
    pub addresses: Range<u64>,
    offset: usize,
    link: usize,
}

/// A symbol of a file's own table, which a stripped file has not.
#[derive(Debug)]
pub struct FileSymbol {
    pub name: String,
    /// See [`crate::kind`].
    pub kind: u8,
    /// The number of its section.
    pub section: usize,
    pub address: u64,
    pub bytes: u64,
}

/// The sections of a file by their numbers; a damaged one is empty.
pub fn sections(file: Bytes<'_>) -> Vec<Section> {
    let numbers = || Some((file.u64(40)? as usize, file.u16(60)?, usize::from(file.u16(62)?)));
    let Some((table, count, names)) = numbers() else { return Vec::new() };
    let at = |index: usize| table.checked_add(index * SECTION_BYTES);
    let names = at(names).and_then(|at| file.u64(at.checked_add(24)?)).unwrap_or(u64::MAX);
    let section = |index: usize| {
        let header = file.from(at(index)?)?;
        let (address, bytes) = (header.u64(16)?, header.u64(32)?);
        let name = names.checked_add(u64::from(header.u32(0)?));
        Some(Section {
            name: name.and_then(|name| file.string(name)).unwrap_or_default(),
            kind: header.u32(4)?,
            flags: header.u64(8)?,
            addresses: address..address.checked_add(bytes)?,
            offset: usize::try_from(header.u64(24)?).ok()?,
            link: header.u32(40)? as usize,
        })
    };
    (0..usize::from(count)).map(|index| section(index).unwrap_or_default()).collect()
}

/// The symbols of a file with these sections; `None` if it is stripped.
pub fn symbols<'a>(
    file: Bytes<'a>, sections: &[Section],
) -> Option<impl Iterator<Item = FileSymbol> + use<'a>> {
    let table = sections.iter().find(|section| section.kind == SYMBOL_TABLE)?;
    let strings = sections.get(table.link).map_or(0, |section| section.offset);
    let bytes = table.addresses.end - table.addresses.start;
    let count = usize::try_from(bytes).unwrap_or(0) / SYMBOL_BYTES;
    let offset = table.offset;
    // A damaged count ends where the file does.
    let entries =
        (0..count).map_while(move |index| file.from(offset.checked_add(index * SYMBOL_BYTES)?));
    let symbol = move |entry: Bytes<'_>| {
        let name = (strings as u64).checked_add(u64::from(entry.u32(0)?))?;
        Some(FileSymbol {
            name: file.string(name).unwrap_or_default(),
            kind: (entry.u16(4)? & 15) as u8,
            section: usize::from(entry.u16(6)?),
            address: entry.u64(8)?,
            bytes: entry.u64(16)?,
        })
    };
    Some(entries.filter_map(symbol))
}
