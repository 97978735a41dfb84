//! Files (MPI-5.0 §14).
//!
//! Ranks of one process that open a file together share one descriptor ([`open_file`]); those of
//! several have one each ([`apart`]). A [`view`] is a layout that is repeated over the file; an
//! [`access`] is a part of it with the memory that belongs to it; and the [`carrier`] moves the
//! data of one access or of many at once. Collective accesses are in `coll::file_access`, since
//! their members meet like those of any collective operation.

pub mod access;
pub mod amode;
pub mod apart;
pub mod carrier;
pub mod faults;
pub mod gathering;
pub mod hints;
pub mod lifetime;
pub mod open_file;
pub mod pointers;
pub mod pool;
pub mod representation;
pub mod settings;
pub mod shared_pointer;
pub mod transfer;
pub mod turn;
pub mod uniform;
pub mod view;
