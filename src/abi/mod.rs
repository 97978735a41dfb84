//! The doors: every symbol that C and Fortran programs see.

#![allow(non_camel_case_types, reason = "handles keep the names the standard gave them")]

#[macro_use]
mod door;
#[macro_use]
mod refusal;
mod abort;
mod attempt;
mod attr;
mod buffer;
mod checkpoint;
mod coll;
mod comm;
mod current;
mod datatype;
mod env;
mod errhandler;
pub mod extensions;
mod fates;
mod fortran;
mod grequest;
mod group;
mod handlers;
#[cfg(test)]
mod header;
mod info;
mod init;
mod ints;
mod kinds;
mod live;
mod modern;
#[cfg(test)]
mod modules;
mod neighbours;
mod nesting;
mod op;
mod pack;
mod persistent;
mod predefined;
mod probe;
mod program;
mod pt2pt;
mod recover;
mod reductions;
mod removed;
mod report;
mod request;
mod session;
mod short;
mod start;
mod status;
mod topology;
mod typing;
mod ulfm;
mod unsupported;
mod watch;
mod win;
