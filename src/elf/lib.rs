//! Reads ELF: program headers, dynamic sections, symbol versions, sections and symbol tables; of a
//! file and of a loaded object.
//!
//! The launcher reads a program's file before it starts it ([`look`]). The loader reads what ld.so
//! left in memory, and reads it again in every job: it calls the same readers with slices of the
//! mapped segments. Everything here is safe code over bytes. Nothing panics on a damaged file: what
//! is not there is `None`.
//!
//! The crate `object` would serve the launcher only. Its readers want a whole file and follow file
//! offsets; in memory there are segments without the file around them, and ld.so has turned most
//! offsets into addresses. Only its constants and structs would be left, and those are few.

#![forbid(unsafe_code)]

mod bytes;
mod dynamic;
mod file;
pub mod libraries;
mod script;
mod section;
mod symbol;
#[cfg(test)]
mod tests;

pub use bytes::Bytes;
pub use dynamic::{Dynamic, FLAG_1_PIE, NamedVersion, defined_versions, needed_versions, tag};
pub use file::{Elf, Kind, Segment, entry_of, look, segments_of, spawns};
pub use script::{is_name_of_python, python_in};
pub use section::{FileSymbol, Section, flag, sections, symbols};
pub use symbol::{Rela, SHN_ABS, SHN_UNDEF, Symbol, kind};

pub const PT_LOAD: u32 = 1;
pub const PT_DYNAMIC: u32 = 2;
pub const PT_INTERP: u32 = 3;
pub const PT_TLS: u32 = 7;
pub const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
pub const PT_GNU_STACK: u32 = 0x6474_e551;
pub const PT_GNU_RELRO: u32 = 0x6474_e552;
pub const PF_X: u32 = 1;
pub const PF_W: u32 = 2;
