//! Symbols and relocations, as they lie in an object's tables.

pub const SHN_UNDEF: u16 = 0;
pub const SHN_ABS: u16 = 0xfff1;

/// A symbol's kind, as far as the lookup tells kinds apart.
pub mod kind {
    pub const NONE: u8 = 0;
    pub const OBJECT: u8 = 1;
    pub const FUNCTION: u8 = 2;
    pub const COMMON: u8 = 5;
    pub const TLS: u8 = 6;
    pub const IFUNC: u8 = 10;
}

const BIND_LOCAL: u8 = 0;
const BIND_WEAK: u8 = 2;
const VISIBILITY_DEFAULT: u8 = 0;
const VISIBILITY_PROTECTED: u8 = 3;

#[repr(C)]
#[derive(Debug)]
pub struct Symbol {
    pub name: u32,
    info: u8,
    other: u8,
    pub section: u16,
    pub value: u64,
    pub bytes: u64,
}

impl Symbol {
    pub fn kind(&self) -> u8 {
        self.info & 15
    }

    pub fn is_weak(&self) -> bool {
        self.info >> 4 == BIND_WEAK
    }

    pub fn is_local(&self) -> bool {
        self.info >> 4 == BIND_LOCAL
    }

    pub fn is_defined(&self) -> bool {
        self.section != SHN_UNDEF
    }

    /// Whether references from its own object are bound to it, whoever else defines the name.
    pub fn binds_at_home(&self) -> bool {
        self.is_defined() && (self.is_local() || self.other & 3 != VISIBILITY_DEFAULT)
    }

    /// Whether other objects may not see it.
    pub fn is_hidden(&self) -> bool {
        !matches!(self.other & 3, VISIBILITY_DEFAULT | VISIBILITY_PROTECTED)
    }
}

/// A relocation with an addend.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Rela {
    pub offset: u64,
    info: u64,
    pub addend: i64,
}

impl Rela {
    pub fn kind(&self) -> u32 {
        self.info as u32
    }

    pub fn symbol(&self) -> usize {
        (self.info >> 32) as usize
    }
}
