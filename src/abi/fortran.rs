//! What only Fortran needs: its named constants that are variables and are recognised by address.
//!
//! MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE and similar constants are variables in COMMON blocks
//! that `mpif.h` declares; only their address tells them from other arguments. How an address is
//! found: this library defines the blocks too, so that a linker exports the program's own
//! definition → [`locate`] looks both up in the objects that ld.so loaded, before there are ranks →
//! a rank's block is in its copy of the object, or where it was found if all ranks share the
//! object.
//!
//! By ld.so's rules, the first definition in lookup order is used by all objects, except a library
//! linked with `-Bsymbolic`, which uses its own. So every definition counts: usually two, including
//! this library's. Each rank's image is whole pages away from the template. An argument whose
//! offset in its page is not that of a block is therefore ruled out by one comparison per block,
//! without finding out which rank is calling.

use crate::host::{self, loader};
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

/// What each number in the block stands for in C, in the order of `mpif.h`.
const MEANINGS: [usize; NUMBERS] = {
    let mut meanings = [NULL; NUMBERS];
    meanings[1] = 1; // MPI_IN_PLACE
    meanings[2] = 2; // MPI_BUFFER_AUTOMATIC
    meanings[3] = 10; // MPI_UNWEIGHTED
    meanings[4] = 11; // MPI_WEIGHTS_EMPTY
    meanings
};

/// MPI_BOTTOM, and the constants for ignored outputs: error codes, a status, statuses.
const NULL: usize = 0;
/// Leaves room for constants to come.
const NUMBERS: usize = 32;
const BYTES: usize = NUMBERS * size_of::<c_int>();
/// Images are mapped at multiples of this distance from each other.
const PAGE: usize = 4096;

/// A block with the size that `mpif.h` declares and the largest alignment that a compiler may ask
/// for: linkers complain of anything else. Its cell makes it writable, as a linker's copy of it
/// must be.
#[repr(C, align(64))]
struct Block<T>(UnsafeCell<T>);

// SAFETY: it is never read or written; only its address is used.
unsafe impl<T: Sync> Sync for Block<T> {}

/// COMMON /FTMPI_NUMBERS/ for programs that do not define it.
#[unsafe(export_name = "ftmpi_numbers_")]
static NUMBERS_BLOCK: Block<[c_int; NUMBERS]> = Block(UnsafeCell::new([0; NUMBERS]));

/// COMMON /FTMPI_TEXTS/: MPI_ARGV_NULL and MPI_ARGVS_NULL.
#[unsafe(export_name = "ftmpi_texts_")]
static TEXTS_BLOCK: Block<[u8; 64]> = Block(UnsafeCell::new([0; 64]));

static BLOCKS: OnceLock<Vec<usize>> = OnceLock::new();

/// Finds the blocks. Called before there are ranks; a world of one calls it when first needed.
pub(super) fn locate() -> &'static [usize] {
    BLOCKS.get_or_init(|| loader::definitions(c"ftmpi_numbers_"))
}

/// Translates what Fortran passed as a buffer to C: a named constant becomes C's value for it.
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

/// The constant that `address` stands for, if it is in the calling rank's copy of `block`.
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

/// The head of CFI_cdesc_t, which Fortran passes for an argument of any type and rank. The
/// dimensions follow it (Fortran 2018, 18.5.3).
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
        // SAFETY: our caller promises it; descriptors live as long as the call.
        unsafe { &*at }
    }

    /// The dimensions, which follow the head.
    pub(super) fn dimensions(&self) -> &[Dimension] {
        let first = std::ptr::from_ref(self).wrapping_add(1).cast::<Dimension>();
        let rank = usize::try_from(self.rank).unwrap_or(0);
        // SAFETY: as many dimensions as the rank says follow the head of every descriptor.
        unsafe { std::slice::from_raw_parts(first, rank) }
    }

    /// Whether the elements are contiguous. An assumed-size array always is, and does not give its
    /// last extent.
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
