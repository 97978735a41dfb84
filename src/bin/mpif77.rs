//! `mpif77`: the compiler wrapper `mpicc`, which takes the language from the name it is called by.

#![forbid(unsafe_code)]

#[path = "shared/sibling.rs"]
mod sibling;

fn main() -> std::process::ExitCode {
    sibling::run("mpicc")
}
