//! Reads what must be known of a program or library before it runs: what kind of file it is, and
//! which libraries it asks for.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What a file is.
#[derive(Debug)]
pub(crate) enum Kind {
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
pub(crate) struct Elf {
    pub(crate) position_independent: bool,
    /// `None` in a static program and in a library.
    pub(crate) interpreter: Option<String>,
    /// A library that is meant to be run as a program.
    pub(crate) marked_as_program: bool,
    pub(crate) needed: Vec<String>,
    pub(crate) rpath: Option<String>,
    pub(crate) runpath: Option<String>,
    /// What of the compiler's watches its memory or threads, and cannot do so here.
    pub(crate) sanitizer: Option<&'static str>,
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

const HEADER_BYTES: usize = 64;
const SEGMENT_BYTES: usize = 56;
#[cfg(target_arch = "x86_64")]
const THIS_MACHINE: u16 = 62;
#[cfg(target_arch = "aarch64")]
const THIS_MACHINE: u16 = 183;
const POSITION_DEPENDENT: u16 = 2;

const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const INTERPRETER: u32 = 3;

const NEEDED: u64 = 1;
const STRING_TABLE: u64 = 5;
const STRING_TABLE_BYTES: u64 = 10;
const RPATH: u64 = 15;
const RUNPATH: u64 = 29;
const FLAGS_1: u64 = 0x6fff_fffb;
const FLAG_1_PIE: u64 = 0x0800_0000;

/// Looks into the file at `path`.
pub(crate) fn look(path: &Path) -> io::Result<Kind> {
    let file = File::open(path)?;
    let start = Bytes(read(&file, 0, 4096)?);
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
    Ok(Elf::read(&file, &start).map_or(Kind::BrokenElf, Kind::Elf))
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
struct Segment {
    kind: u32,
    offset: u64,
    address: u64,
    bytes: u64,
}

impl Elf {
    fn read(file: &File, start: &Bytes) -> Option<Elf> {
        let segments = segments(file, start)?;
        let mut elf =
            Elf { position_independent: start.u16(16)? != POSITION_DEPENDENT, ..Elf::default() };
        for segment in &segments {
            match segment.kind {
                INTERPRETER => {
                    let name = part(file, segment.offset, segment.bytes)?;
                    elf.interpreter = Some(name.string(0)?);
                }
                DYNAMIC => {
                    let entries = part(file, segment.offset, segment.bytes)?;
                    elf.read_dynamic(file, &entries, &segments)?;
                }
                _ => {}
            }
        }
        Some(elf)
    }

    fn read_dynamic(&mut self, file: &File, bytes: &Bytes, segments: &[Segment]) -> Option<()> {
        let entries: Vec<(u64, u64)> = (0..bytes.0.len() / 16)
            .filter_map(|at| Some((bytes.u64(at * 16)?, bytes.u64(at * 16 + 8)?)))
            .take_while(|(tag, _)| *tag != 0)
            .collect();
        let value = |tag| entries.iter().find(|(known, _)| *known == tag).map(|(_, value)| *value);
        self.marked_as_program = value(FLAGS_1).unwrap_or(0) & FLAG_1_PIE != 0;
        let Some(address) = value(STRING_TABLE) else { return Some(()) };
        let holds = |segment: &&Segment| {
            segment.kind == LOAD
                && (segment.address..segment.address + segment.bytes).contains(&address)
        };
        let home = segments.iter().find(holds)?;
        let offset = address - home.address + home.offset;
        let strings = part(file, offset, value(STRING_TABLE_BYTES)?)?;
        let names = |name: &str| strings.0.split(|byte| *byte == 0).any(|it| it == name.as_bytes());
        self.sanitizer = SANITIZERS.iter().find(|(init, _)| names(init)).map(|(_, option)| *option);
        for (tag, at) in entries {
            match tag {
                NEEDED => self.needed.push(strings.string(at)?),
                RPATH => self.rpath = Some(strings.string(at)?),
                RUNPATH => self.runpath = Some(strings.string(at)?),
                _ => {}
            }
        }
        Some(())
    }
}

fn segments(file: &File, start: &Bytes) -> Option<Vec<Segment>> {
    start.0.get(..HEADER_BYTES)?;
    let (offset, count) = (start.u64(32)?, usize::from(start.u16(56)?));
    let table = part(file, offset, (count * SEGMENT_BYTES) as u64)?;
    let segment = |at: usize| {
        Some(Segment {
            kind: table.u32(at)?,
            offset: table.u64(at + 8)?,
            address: table.u64(at + 16)?,
            bytes: table.u64(at + 32)?,
        })
    };
    (0..count).map(|index| segment(index * SEGMENT_BYTES)).collect()
}

/// A part of the file, all of it or nothing.
fn part(file: &File, offset: u64, bytes: u64) -> Option<Bytes> {
    // No table of a real program is larger; a broken one must not make us read gigabytes.
    let bytes = usize::try_from(bytes).ok().filter(|bytes| *bytes <= 256 << 20)?;
    let read = read(file, offset, bytes).ok()?;
    (read.len() == bytes).then_some(Bytes(read))
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

/// Little-endian numbers and strings at places that may not be there.
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Bytes {
    fn number<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    fn u16(&self, at: usize) -> Option<u16> {
        self.number(at).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&self, at: usize) -> Option<u32> {
        self.number(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: usize) -> Option<u64> {
        self.number(at).map(u64::from_le_bytes)
    }

    /// The string that starts at `at` and ends with a zero byte.
    pub(crate) fn string(&self, at: u64) -> Option<String> {
        let rest = self.0.get(usize::try_from(at).ok()?..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    }
}
