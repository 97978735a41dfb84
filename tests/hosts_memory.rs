//! One-sided communication and files among several hosts, which are agents on this one here: what
//! `rma.rs` and `files.rs` say of ranks of one host.

mod support;

use support::hosts::{has_ucx, on};
use support::{Program, Run};

fn build(program: &str) -> Program {
    support::c(program).flags(&["-O1", "-Wall", "-Wno-unused-function"]).build()
}

/// The calls of `rma.c`, but for memory that all can use directly.
const WINDOWS: [&str; 11] = [
    "fence", "sums", "operations", "tickets", "locks", "busy", "pscw", "dynamic", "requests",
    "errors", "random",
];

#[test]
fn windows_reach_over_hosts() {
    if !has_ucx() {
        return;
    }
    let program = build("rma.c");
    for case in WINDOWS {
        on(&program, "a:2,b:1", 3).args([case]).succeeds();
    }
}
