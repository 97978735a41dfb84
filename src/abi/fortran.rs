//! What only Fortran needs: its named constants that are variables, known by their addresses.
//!
//! MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE and their like are variables of COMMON blocks that
//! `mpif.h` declares; what tells them from other arguments is their place. The way of a place:
//! this library defines the blocks too, so that a linker makes the program's own definition
//! visible → [`locate`] looks both up in the objects that ld.so loaded, before there are ranks →
//! a rank's block lies in its copy of the object, or where it was found if all share the object.
//!
//! By ld.so's rules the first definition in the order of lookup is everybody's; a library that was
//! linked with `-Bsymbolic` uses its own. So every definition counts: two as a rule, this library's
//! among them. Images lie at whole pages from the template, so a place in a page that is no
//! block's rules an argument out by one comparison a block, without asking whose rank is calling.

use crate::host::{self, loader};
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

/// The block of numbers, in the order of `mpif.h`: what each stands for in C.
const MEANINGS: [usize; NUMBERS] = {
    let mut meanings = [NULL; NUMBERS];
    meanings[1] = 1; // MPI_IN_PLACE
    meanings[2] = 2; // MPI_BUFFER_AUTOMATIC
    meanings[3] = 10; // MPI_UNWEIGHTED
    meanings[4] = 11; // MPI_WEIGHTS_EMPTY
    meanings
};

/// MPI_BOTTOM, and what is ignored: codes, a status, statuses.
const NULL: usize = 0;
/// The block has room for more to come.
const NUMBERS: usize = 32;
const BYTES: usize = NUMBERS * size_of::<c_int>();
/// Images are moved by multiples of this.
const PAGE: usize = 4096;

/// A block as large as `mpif.h` says and as aligned as a compiler may ask: linkers complain of
/// anything else. Its cell makes it writable, as the copy that a linker makes of it must be.
#[repr(C, align(64))]
struct Block<T>(UnsafeCell<T>);

// SAFETY: nobody reads or writes it; it has a place, and that is all.
unsafe impl<T: Sync> Sync for Block<T> {}

/// COMMON /FTMPI_NUMBERS/ for those who find no other.
#[unsafe(export_name = "ftmpi_numbers_")]
static NUMBERS_BLOCK: Block<[c_int; NUMBERS]> = Block(UnsafeCell::new([0; NUMBERS]));

/// COMMON /FTMPI_TEXTS/: MPI_ARGV_NULL and MPI_ARGVS_NULL.
#[unsafe(export_name = "ftmpi_texts_")]
static TEXTS_BLOCK: Block<[u8; 64]> = Block(UnsafeCell::new([0; 64]));

static BLOCKS: OnceLock<Vec<usize>> = OnceLock::new();

/// Finds the blocks. Called before there are ranks; a world of one calls it when it wants.
pub(super) fn locate() -> &'static [usize] {
    BLOCKS.get_or_init(|| loader::definitions(c"ftmpi_numbers_"))
}

/// The address that C has for what Fortran passed as a buffer.
#[inline]
pub(super) fn in_c(address: usize) -> usize {
    for &block in locate() {
        if address.wrapping_sub(block) % PAGE < BYTES
            && let Some(meaning) = meaning(address, block)
        {
            return meaning;
        }
    }
    address
}

/// What `address` stands for if it is one of the calling rank's copy of `block`.
fn meaning(address: usize, block: usize) -> Option<usize> {
    let own = host::current().and_then(|rank| rank.translate(block)).unwrap_or(block);
    let place = address.wrapping_sub(own);
    MEANINGS.get(place / size_of::<c_int>()).copied()
}

/// Null for MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE.
#[inline]
pub(super) fn unless_ignored<T>(status: *mut T) -> *mut T {
    std::ptr::with_exposed_provenance_mut(in_c(status.expose_provenance()))
}

/// The head of what Fortran passes for an argument of any type and rank: CFI_cdesc_t, which its
/// dimensions follow (Fortran 2018, 18.5.3).
#[repr(C)]
#[allow(dead_code, reason = "the layout is Fortran's")]
pub(super) struct Descriptor {
    pub(super) base: *mut c_void,
    pub(super) element_bytes: usize,
    version: c_int,
    pub(super) rank: i8,
    attribute: i8,
    of: i16,
}

impl Descriptor {
    /// # Safety
    /// A Fortran caller passed `at` for an argument of a procedure with BIND(C).
    pub(super) unsafe fn at<'a>(at: *const Descriptor) -> &'a Descriptor {
        // SAFETY: the promise of our caller; descriptors live as long as the call.
        unsafe { &*at }
    }

    /// What follows the head.
    pub(super) fn dimensions(&self) -> &[Dimension] {
        let first = std::ptr::from_ref(self).wrapping_add(1).cast::<Dimension>();
        let rank = usize::try_from(self.rank).unwrap_or(0);
        // SAFETY: as many as the rank says follow the head of every descriptor.
        unsafe { std::slice::from_raw_parts(first, rank) }
    }

    /// Whether the elements follow one another. An array of assumed size always does so, and does
    /// not tell its last extent.
    #[inline]
    pub(super) fn is_in_one_piece(&self) -> bool {
        let mut stride = self.element_bytes as i64;
        for dimension in self.dimensions() {
            match dimension.extent {
                1 => {}
                _ if dimension.stride != stride => return false,
                extent => stride = stride.wrapping_mul(extent),
            }
        }
        true
    }
}

/// A dimension of an array (CFI_dim_t); its stride is in bytes.
#[repr(C)]
#[allow(dead_code, reason = "the layout is Fortran's")]
pub(super) struct Dimension {
    lower_bound: i64,
    pub(super) extent: i64,
    pub(super) stride: i64,
}
