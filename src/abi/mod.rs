//! The doors: every symbol that C and Fortran programs see.

#![allow(non_camel_case_types, reason = "handles keep the names the standard gave them")]

#[macro_use]
mod door;
mod buffer;
mod comm;
mod current;
mod env;
pub mod extensions;
mod fortran;
mod handlers;
#[cfg(test)]
mod header;
mod init;
mod kinds;
mod persistent;
mod probe;
mod program;
mod pt2pt;
mod request;
mod start;
mod status;
mod unsupported;
