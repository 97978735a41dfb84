//! The predefined datatypes, by their handles (MPI-5.0 §5.1, §20.3; x86-64, gfortran).

use crate::base::layout::Layout;
use crate::mpi::datatype::Contents;
use crate::mpi::datatype::signature::{self, Signature};
use crate::mpi::datatype::{Datatype, Element, Form, Pair};
use crate::mpi::handle_table::Held;
use std::sync::{Arc, OnceLock};

use Element::{
    Byte, Char, Complex, ComplexQuad, Float, Logical, Long, Quad, Signed, Text, Unsigned,
    UnsignedLong,
};

pub const FIRST: usize = 0x200;
const LAST: usize = 0x2eb;

/// Handle, name, element.
const TYPES: &[(usize, &str, Element)] = &[
    (0x201, "MPI_AINT", Signed(8)),
    (0x202, "MPI_COUNT", Signed(8)),
    (0x203, "MPI_OFFSET", Signed(8)),
    (0x207, "MPI_PACKED", Text(1)),
    (0x208, "MPI_SHORT", Signed(2)),
    (0x209, "MPI_INT", Signed(4)),
    (0x20a, "MPI_LONG", Long),
    (0x20b, "MPI_LONG_LONG", Signed(8)),
    (0x20c, "MPI_UNSIGNED_SHORT", Unsigned(2)),
    (0x20d, "MPI_UNSIGNED", Unsigned(4)),
    (0x20e, "MPI_UNSIGNED_LONG", UnsignedLong),
    (0x20f, "MPI_UNSIGNED_LONG_LONG", Unsigned(8)),
    (0x210, "MPI_FLOAT", Float(4)),
    (0x212, "MPI_C_FLOAT_COMPLEX", Complex(8)),
    (0x213, "MPI_CXX_FLOAT_COMPLEX", Complex(8)),
    (0x214, "MPI_DOUBLE", Float(8)),
    (0x216, "MPI_C_DOUBLE_COMPLEX", Complex(16)),
    (0x217, "MPI_CXX_DOUBLE_COMPLEX", Complex(16)),
    (0x218, "MPI_LOGICAL", Logical(4)),
    (0x219, "MPI_INTEGER", Signed(4)),
    (0x21a, "MPI_REAL", Float(4)),
    (0x21b, "MPI_COMPLEX", Complex(8)),
    (0x21c, "MPI_DOUBLE_PRECISION", Float(8)),
    (0x21d, "MPI_DOUBLE_COMPLEX", Complex(16)),
    (0x21e, "MPI_CHARACTER", Text(1)),
    (0x220, "MPI_LONG_DOUBLE", Float(16)),
    (0x224, "MPI_C_LONG_DOUBLE_COMPLEX", Complex(32)),
    (0x225, "MPI_CXX_LONG_DOUBLE_COMPLEX", Complex(32)),
    (0x228, "MPI_FLOAT_INT", Element::Pair(Pair::FloatInt)),
    (0x229, "MPI_DOUBLE_INT", Element::Pair(Pair::DoubleInt)),
    (0x22a, "MPI_LONG_INT", Element::Pair(Pair::LongInt)),
    (0x22b, "MPI_2INT", Element::Pair(Pair::IntInt)),
    (0x22c, "MPI_SHORT_INT", Element::Pair(Pair::ShortInt)),
    (0x22d, "MPI_LONG_DOUBLE_INT", Element::Pair(Pair::LongDoubleInt)),
    (0x230, "MPI_2REAL", Element::Pair(Pair::RealReal)),
    (0x231, "MPI_2DOUBLE_PRECISION", Element::Pair(Pair::DoubleDouble)),
    (0x232, "MPI_2INTEGER", Element::Pair(Pair::IntInt)),
    (0x238, "MPI_C_BOOL", Logical(1)),
    (0x239, "MPI_CXX_BOOL", Logical(1)),
    (0x23c, "MPI_WCHAR", Text(4)),
    (0x240, "MPI_INT8_T", Signed(1)),
    (0x241, "MPI_UINT8_T", Unsigned(1)),
    (0x243, "MPI_CHAR", Char),
    (0x244, "MPI_SIGNED_CHAR", Signed(1)),
    (0x245, "MPI_UNSIGNED_CHAR", Unsigned(1)),
    (0x247, "MPI_BYTE", Byte),
    (0x248, "MPI_INT16_T", Signed(2)),
    (0x249, "MPI_UINT16_T", Unsigned(2)),
    (0x250, "MPI_INT32_T", Signed(4)),
    (0x251, "MPI_UINT32_T", Unsigned(4)),
    (0x258, "MPI_INT64_T", Signed(8)),
    (0x259, "MPI_UINT64_T", Unsigned(8)),
    (0x2c0, "MPI_LOGICAL1", Logical(1)),
    (0x2c1, "MPI_INTEGER1", Signed(1)),
    (0x2c8, "MPI_LOGICAL2", Logical(2)),
    (0x2c9, "MPI_INTEGER2", Signed(2)),
    (0x2ca, "MPI_REAL2", Float(2)),
    (0x2d0, "MPI_LOGICAL4", Logical(4)),
    (0x2d1, "MPI_INTEGER4", Signed(4)),
    (0x2d2, "MPI_REAL4", Float(4)),
    (0x2d3, "MPI_COMPLEX4", Complex(4)),
    (0x2d8, "MPI_LOGICAL8", Logical(8)),
    (0x2d9, "MPI_INTEGER8", Signed(8)),
    (0x2da, "MPI_REAL8", Float(8)),
    (0x2db, "MPI_COMPLEX8", Complex(8)),
    (0x2e0, "MPI_LOGICAL16", Logical(16)),
    (0x2e1, "MPI_INTEGER16", Signed(16)),
    (0x2e2, "MPI_REAL16", Quad),
    (0x2e3, "MPI_COMPLEX16", Complex(16)),
    (0x2eb, "MPI_COMPLEX32", ComplexQuad),
];

/// By their handles. Made on the heap: it is larger than the stacks of some ranks.
type Table = Box<[Option<Datatype>]>;

/// The predefined type with this handle.
#[inline]
pub fn find(handle: usize) -> Option<Held<Datatype>> {
    static TABLE: OnceLock<Table> = OnceLock::new();
    let index = handle.checked_sub(FIRST)?;
    TABLE.get_or_init(table).get(index)?.as_ref().map(Held::Ever)
}

/// How long the predefined type with this handle is; 0 if it is none, or has holes.
#[inline]
pub fn plain_bytes(handle: usize) -> usize {
    static SIZES: [u8; LAST - FIRST + 1] = sizes();
    SIZES.get(handle.wrapping_sub(FIRST)).copied().unwrap_or(0).into()
}

/// What the processor can do at once to an element, which is one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kin {
    /// It can be added, and has bits.
    Integer,
    Bits,
    Real,
    Other,
}

/// A word that a predefined type consists of.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    pub kin: Kin,
    pub log2_bytes: u8,
}

/// The word that the predefined type with this handle is, if it is one.
#[inline(always)]
pub fn word(handle: usize) -> Option<Word> {
    static WORDS: [Option<Word>; LAST - FIRST + 1] = words();
    WORDS.get(handle.wrapping_sub(FIRST)).copied().flatten()
}

const fn words() -> [Option<Word>; LAST - FIRST + 1] {
    let (mut words, sizes) = ([None; LAST - FIRST + 1], sizes());
    let mut index = 0;
    while index < TYPES.len() {
        let (handle, _, element) = TYPES[index];
        let kin = match element {
            Signed(_) | Unsigned(_) | Long | UnsignedLong | Char => Kin::Integer,
            Byte => Kin::Bits,
            Float(4 | 8) => Kin::Real,
            _ => Kin::Other,
        };
        let bytes = sizes[handle - FIRST];
        if matches!(bytes, 1 | 2 | 4 | 8) {
            words[handle - FIRST] = Some(Word { kin, log2_bytes: bytes.trailing_zeros() as u8 });
        }
        index += 1;
    }
    words
}

/// The standard's name of a type of such elements.
pub fn title(code: u8) -> &'static str {
    /// Those that come before, and are like it, are less common.
    const CHAR: &str = "MPI_CHAR";
    let is_it = |(_, _, element): &&(usize, &str, Element)| signature::code(*element) == code;
    let (special, common) = TYPES.split_at(4);
    let all = || common.iter().chain(special).filter(is_it);
    let one = all().find(|(_, name, _)| *name == CHAR).or_else(|| all().next());
    one.map_or("elements", |(_, name, _)| *name)
}

const fn sizes() -> [u8; LAST - FIRST + 1] {
    let mut sizes = [0; LAST - FIRST + 1];
    let mut index = 0;
    while index < TYPES.len() {
        let (handle, _, element) = TYPES[index];
        sizes[handle - FIRST] = match element {
            Byte | Char => 1,
            Long | UnsignedLong => 8,
            Quad => 16,
            ComplexQuad => 32,
            Complex(n) | Signed(n) | Unsigned(n) | Float(n) | Logical(n) | Text(n) => n as u8,
            Element::Mixed | Element::Pair(_) => 0,
        };
        index += 1;
    }
    sizes
}

/// The standard's name of the predefined type with this handle.
pub fn name(handle: usize) -> Option<&'static str> {
    TYPES.iter().find(|(known, _, _)| *known == handle).map(|(_, name, _)| *name)
}

fn table() -> Table {
    let mut table: Table = (FIRST..=LAST).map(|_| None).collect();
    for (handle, _, element) in TYPES {
        let datatype = Datatype::new(*handle, form(*element), Contents::named(), true);
        table[handle - FIRST] = Some(datatype);
    }
    table
}

/// Where the bytes of an element are (x86-64), and what they are.
pub(in crate::mpi) fn form(element: Element) -> Form {
    let plain = |bytes: usize, alignment: usize| {
        Layout::basic(&[(0, bytes as u64)], bytes as i64, alignment as u64)
    };
    let pair = |blocks: &[(i64, u64)], extent, alignment| Layout::basic(blocks, extent, alignment);
    let layout = match element {
        Byte | Char => plain(1, 1),
        Long | UnsignedLong => plain(8, 8),
        Quad => plain(16, 16),
        ComplexQuad => plain(32, 16),
        Complex(n) => plain(n, n / 2),
        Element::Mixed => unreachable!("a predefined type has elements of one kind"),
        Signed(n) | Unsigned(n) | Float(n) | Logical(n) | Text(n) => plain(n, n),
        Element::Pair(kind) => match kind {
            Pair::FloatInt | Pair::IntInt | Pair::RealReal => pair(&[(0, 8)], 8, 4),
            Pair::DoubleInt | Pair::LongInt => pair(&[(0, 12)], 16, 8),
            Pair::ShortInt => pair(&[(0, 2), (4, 4)], 8, 4),
            Pair::LongDoubleInt => pair(&[(0, 20)], 32, 16),
            Pair::DoubleDouble => pair(&[(0, 16)], 16, 8),
        },
    };
    Form { layout: Arc::new(layout), signature: Signature::basic(element) }
}
