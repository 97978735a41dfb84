//! The doors: every symbol that C and Fortran programs see.

mod extensions;
mod start;
