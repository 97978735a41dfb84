//! Files (MPI-5.0 §14).

mod access;
mod datarep;
mod handle;
mod pointers;
mod view;

use crate::abi::kinds::*;
