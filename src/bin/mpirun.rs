//! `mpirun`: the launcher under the name that scripts know.

#![forbid(unsafe_code)]

#[path = "shared/sibling.rs"]
mod sibling;

fn main() -> std::process::ExitCode {
    sibling::run("ftrun")
}
