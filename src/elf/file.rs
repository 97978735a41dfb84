//! Reads what must be known of a program or library before it runs: what kind of file it is, and
//! which libraries it asks for.

use crate::bytes::Bytes;
use crate::dynamic::{Dynamic, tag};
use crate::{PT_DYNAMIC, PT_INTERP, PT_LOAD, PT_TLS};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What a file is.
#[derive(Debug)]
pub enum Kind {
    /// Begins with `#!` and names an interpreter.
    Script(String),
    Elf(Elf),
    /// An ELF file of another word size or machine: its name for a message.
    ForeignElf(String),
    /// An ELF file that ends before it should.
    BrokenElf,
    Other,
}

/// An ELF file for this machine.
#[derive(Debug, Default)]
pub struct Elf {
    pub position_independent: bool,
    /// `None` in a static program and in a library.
    pub interpreter: Option<String>,
    /// A library that is meant to be run as a program.
    pub marked_as_program: bool,
    pub needed: Vec<String>,
    pub soname: Option<String>,
    pub rpath: Option<String>,
    pub runpath: Option<String>,
    /// What of the compiler's watches its memory or threads, and cannot do so here.
    pub sanitizer: Option<&'static str>,
    /// Whether it is Python, or starts it.
    pub is_python: bool,
    /// Whether it calls what spawns ranks.
    pub spawns: bool,
    /// The thread-local variables of a program: bytes below the thread pointer, and alignment.
    pub tls: (u64, u64),
}

/// Options of compilers whose programs lay out the memory of a process anew, or follow each of its
/// threads by ways of their own, and the function that such a program, or the library that it
/// uses, has for that.
const SANITIZERS: [(&str, &str); 6] = [
    ("__asan_init", "address"),
    ("__hwasan_init", "hwaddress"),
    ("__tsan_init", "thread"),
    ("__msan_init", "memory"),
    ("__lsan_init", "leak"),
    ("__dfsan_init", "dataflow"),
];

/// Whether a function of this name spawns ranks, in C or in Fortran.
pub fn spawns(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    name.strip_prefix(b"p").unwrap_or(&name).starts_with(b"mpi_comm_spawn")
}

const HEADER_BYTES: usize = 64;
const SEGMENT_BYTES: usize = 56;
#[cfg(target_arch = "x86_64")]
const THIS_MACHINE: u16 = 62;
#[cfg(target_arch = "aarch64")]
const THIS_MACHINE: u16 = 183;
const POSITION_DEPENDENT: u16 = 2;

/// Looks into the file at `path`.
pub fn look(path: &Path) -> io::Result<Kind> {
    let file = File::open(path)?;
    let start = read(&file, 0, 4096)?;
    let start = Bytes(&start);
    if start.0.starts_with(b"#!") {
        let line = start.0[2..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        return Ok(Kind::Script(String::from_utf8_lossy(line).trim().to_string()));
    }
    if !start.0.starts_with(b"\x7fELF") {
        return Ok(Kind::Other);
    }
    let Some(machine) = start.u16(18) else { return Ok(Kind::BrokenElf) };
    let (is_64_bit, is_little) = (start.0[4] == 2, start.0[5] == 1);
    if !is_64_bit || !is_little || machine != THIS_MACHINE {
        let machine = if is_little { machine } else { machine.swap_bytes() };
        return Ok(Kind::ForeignElf(name_of(machine, is_64_bit)));
    }
    Ok(Elf::read(&file, start).map_or(Kind::BrokenElf, Kind::Elf))
}

fn name_of(machine: u16, is_64_bit: bool) -> String {
    let name = match machine {
        3 => "x86",
        20 => "PowerPC",
        21 => "64-bit PowerPC",
        22 => "IBM Z",
        40 => "32-bit ARM",
        62 => "x86-64",
        183 => "64-bit ARM",
        243 => "RISC-V",
        _ => return format!("machine number {machine}"),
    };
    if is_64_bit || name.contains("32") { name.to_string() } else { format!("32-bit {name}") }
}

/// A part of the program header.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub kind: u32,
    /// Where it is in the file.
    pub offset: u64,
    pub address: u64,
    /// How long it is in the file.
    pub bytes: u64,
    bytes_in_memory: u64,
    alignment: u64,
}

impl Elf {
    fn read(file: &File, start: Bytes<'_>) -> Option<Elf> {
        let segments = segments(file, start)?;
        let mut elf =
            Elf { position_independent: start.u16(16)? != POSITION_DEPENDENT, ..Elf::default() };
        for segment in &segments {
            match segment.kind {
                PT_INTERP => {
                    let name = part(file, segment.offset, segment.bytes)?;
                    elf.interpreter = Some(Bytes(&name).string(0)?);
                }
                PT_DYNAMIC => {
                    let section = part(file, segment.offset, segment.bytes)?;
                    elf.read_dynamic(file, Dynamic(Bytes(&section)), &segments)?;
                }
                PT_TLS => {
                    let alignment = segment.alignment;
                    let bytes = segment.bytes_in_memory.checked_next_multiple_of(alignment)?;
                    elf.tls = (bytes, alignment);
                }
                _ => {}
            }
        }
        Some(elf)
    }

    fn read_dynamic(
        &mut self, file: &File, section: Dynamic<'_>, segments: &[Segment],
    ) -> Option<()> {
        self.marked_as_program = section.is_marked_as_program();
        let Some(address) = section.value(tag::STRINGS) else { return Some(()) };
        let offset = segments.iter().find_map(|segment| segment.offset_of(address))?;
        let strings = part(file, offset, section.value(tag::STRINGS_BYTES)?)?;
        let names = |name: &str| strings.split(|byte| *byte == 0).any(|it| it == name.as_bytes());
        self.sanitizer = SANITIZERS.iter().find(|(init, _)| names(init)).map(|(_, option)| *option);
        self.is_python = names("Py_BytesMain");
        self.spawns = strings.split(|byte| *byte == 0).any(spawns);
        let strings = Bytes(&strings);
        for (tag, at) in section.entries() {
            match tag {
                tag::NEEDED => self.needed.push(strings.string(at)?),
                tag::SONAME => self.soname = Some(strings.string(at)?),
                tag::RPATH => self.rpath = Some(strings.string(at)?),
                tag::RUNPATH => self.runpath = Some(strings.string(at)?),
                _ => {}
            }
        }
        Some(())
    }
}

impl Segment {
    /// Where the file has what is loaded at `address`, if this segment holds it.
    pub fn offset_of(&self, address: u64) -> Option<u64> {
        let inside = address.checked_sub(self.address).filter(|inside| *inside < self.bytes)?;
        (self.kind == PT_LOAD).then(|| self.offset.checked_add(inside))?
    }
}

fn segments(file: &File, start: Bytes<'_>) -> Option<Vec<Segment>> {
    let (offset, count) = place_of_segments(start)?;
    segments_in(Bytes(&part(file, offset, (count * SEGMENT_BYTES) as u64)?), count)
}

/// The segments of a whole file.
pub fn segments_of(file: Bytes<'_>) -> Option<Vec<Segment>> {
    let (offset, count) = place_of_segments(file)?;
    segments_in(file.from(usize::try_from(offset).ok()?)?, count)
}

fn place_of_segments(start: Bytes<'_>) -> Option<(u64, usize)> {
    start.0.get(..HEADER_BYTES)?;
    Some((start.u64(32)?, usize::from(start.u16(56)?)))
}

/// Where a file's program starts.
pub fn entry_of(file: Bytes<'_>) -> Option<u64> {
    file.u64(24)
}

fn segments_in(table: Bytes<'_>, count: usize) -> Option<Vec<Segment>> {
    let segment = |at: usize| {
        Some(Segment {
            kind: table.u32(at)?,
            offset: table.u64(at + 8)?,
            address: table.u64(at + 16)?,
            bytes: table.u64(at + 32)?,
            bytes_in_memory: table.u64(at + 40)?,
            alignment: table.u64(at + 48)?.max(1),
        })
    };
    (0..count).map(|index| segment(index * SEGMENT_BYTES)).collect()
}

/// A part of the file, all of it or nothing.
fn part(file: &File, offset: u64, bytes: u64) -> Option<Vec<u8>> {
    // No table of a real program is larger; a broken one must not make us read gigabytes.
    let bytes = usize::try_from(bytes).ok().filter(|bytes| *bytes <= 256 << 20)?;
    read(file, offset, bytes).ok().filter(|read| read.len() == bytes)
}

/// Up to `bytes` bytes at `offset`; fewer where the file ends.
fn read(file: &File, offset: u64, bytes: usize) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; bytes];
    let mut filled = 0;
    while filled < bytes {
        match file.read_at(&mut buffer[filled..], offset + filled as u64)? {
            0 => break,
            more => filled += more,
        }
    }
    buffer.truncate(filled);
    Ok(buffer)
}
