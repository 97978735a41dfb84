//! The doors: every symbol of the library that C and Fortran programs call.

#![allow(non_camel_case_types, reason = "handles keep the names the standard gave them")]

#[macro_use]
mod door;
mod abort;
mod attempt;
mod attr;
mod buffer;
mod call_errhandler;
mod check_recover;
mod checkpoint;
mod coll;
mod comm;
mod conversions;
mod current;
mod datatype;
mod datatype_create;
mod dynamic;
mod env;
mod errhandler;
pub mod extensions;
mod f08;
mod fast_path;
mod file;
mod fortran;
mod grequest;
mod group;
mod handlers;
#[cfg(test)]
mod header;
mod info;
mod init;
mod kinds;
#[cfg(test)]
mod modules;
mod neighbours;
mod nesting;
mod op;
mod pack;
mod partitioned;
mod persistent;
mod predefined;
mod probe;
mod program;
mod pt2pt;
mod reductions;
mod removed;
mod request;
mod rma;
mod scope;
mod session;
mod start;
mod status;
mod tools;
mod topology;
mod ulfm;
