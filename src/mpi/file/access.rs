//! One access to a file: which data of a view, and which memory they go to or come from.

use crate::base::Member;
use crate::base::layout::Cursor;
use crate::host::disk::Direction;
use crate::host::memory::{Region, Span};
use crate::mpi::file::view::View;
use std::sync::Arc;

/// Data of a view, by the number of the first byte and how many there are, and their memory.
#[derive(Clone)]
pub struct Access {
    pub view: Arc<View>,
    pub start: u64,
    pub region: Region,
    /// Whose memory that is.
    pub owner: Member,
}

/// How accesses are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    pub direction: Direction,
    /// The longest part of a file that is moved at a time.
    pub buffer: usize,
    /// Whether data that nobody wants may be read along with the rest.
    pub sieves: bool,
}

/// A run of bytes that is contiguous both in the file and in memory.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub place: u64,
    pub span: Span,
    /// The number of its first byte in the access.
    pub first: usize,
}

impl Access {
    /// How many bytes of data it has.
    pub fn bytes(&self) -> usize {
        self.region.bytes()
    }

    /// Where in the file the byte with this number is.
    pub fn place(&self, byte: usize) -> u64 {
        self.view.place(self.start + byte as u64)
    }

    /// How many of its bytes lie before `place` in the file; at least `from`, as the caller knows.
    pub fn bytes_before(&self, place: u64, from: usize) -> usize {
        if self.bytes() == 0 || self.place(self.bytes() - 1) < place {
            return self.bytes();
        }
        let before = self.view.data_before(place, self.start + from as u64) - self.start;
        usize::try_from(before).map_or(self.bytes(), |before| before.min(self.bytes()))
    }

    /// The part of the file that it touches; empty if there are no data.
    pub fn hull(&self) -> (u64, u64) {
        match self.bytes() {
            0 => (0, 0),
            bytes => (self.place(0), self.place(bytes - 1) + 1),
        }
    }

    /// Its pieces from one byte to another.
    pub fn pieces(&self, from: usize, until: usize) -> Pieces<'_> {
        Pieces {
            file: self.view.cursor(self.start + from as u64),
            memory: self.region.cursor_at(from),
            displacement: self.view.displacement,
            address: self.region.address(),
            first: from,
            left: until - from,
        }
    }

    /// How long its pieces are, roughly, around this byte.
    pub fn block(&self, byte: usize) -> usize {
        let memory = match self.region.span() {
            Some(_) => usize::MAX,
            None => self.region.cursor_at(byte).run_bytes(),
        };
        memory.min(self.view.block())
    }
}

/// The pieces of an access, in the order of its data.
pub struct Pieces<'a> {
    file: Cursor<'a>,
    memory: Cursor<'a>,
    displacement: i64,
    address: usize,
    first: usize,
    left: usize,
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if self.left == 0 {
            return None;
        }
        let bytes = self.file.run_bytes().min(self.memory.run_bytes()).min(self.left);
        let address = self.address.wrapping_add_signed(self.memory.offset() as isize);
        let piece = Piece {
            place: self.displacement.wrapping_add(self.file.offset()).cast_unsigned(),
            span: Span::new(std::ptr::with_exposed_provenance(address), bytes),
            first: self.first,
        };
        self.first += bytes;
        self.left -= bytes;
        if self.left > 0 {
            self.file.pass(bytes, 1);
            self.memory.pass(bytes, 1);
        }
        Some(piece)
    }
}
