//! Groups that meet at ports, by published names and by sockets; and with members that die.

mod support;

use support::Program;

const KINDS: [&str; 2] = ["--ranks=thread", "--ranks=fiber"];

fn ports() -> Program {
    support::c("ports.c").flags(&["-O2"]).build()
}

#[test]
fn two_groups_meet_at_a_port_by_its_name_and_by_a_socket() {
    for kind in KINDS {
        for ranks in [2, 5, 16] {
            let seen = support::run(&ports()).ranks(ranks).option(kind).succeeds();
            assert_eq!(seen.lines_with("0 errors"), 1, "{ranks}, {kind}: {seen}");
        }
    }
}

#[test]
fn two_groups_meet_in_fortran() {
    let mpifort = support::tool("mpifort").display().to_string();
    for file in ["ports.f90", "ports_mpif.f90"] {
        let program = support::fortran(file).compiler(&mpifort).build();
        for kind in KINDS {
            let seen = support::run(&program).ranks(5).option(kind).succeeds();
            assert_eq!(seen.lines_with("0 errors"), 1, "{file}, {kind}: {seen}");
        }
    }
}

#[test]
fn a_seed_repeats_how_groups_meet() {
    let seen = || support::run(&ports()).ranks(6).option("--seed=3").succeeds();
    let (first, second) = (seen(), seen());
    assert_eq!((first.stdout, first.stderr), (second.stdout, second.stderr));
}

/// Whoever dies, wherever it is in a call: the others hear of it, or have served; nobody hangs.
#[test]
fn whoever_dies_before_in_or_after_a_call_of_ports_nobody_waits_for_ever() {
    let program = ports();
    let calls = [
        ("MPI_Comm_accept", [0, 1]),
        ("MPI_Comm_connect", [2, 3]),
        ("MPI_Open_port", [0, 0]),
        ("MPI_Publish_name", [0, 0]),
        ("MPI_Lookup_name", [2, 3]),
        ("MPI_Comm_disconnect", [1, 2]),
    ];
    for (call, victims) in calls {
        for (which, victim) in victims.into_iter().enumerate() {
            for moment in ["before", "inside", "after"] {
                let kind = KINDS[which];
                let kill = format!("--kill={victim}@{moment}:{call}:1");
                let run = support::run(&program).ranks(4).option("--mode=ulfm").option(kind);
                let seen = run.option(&kill).args(["serve", "2"]).deadline(20).outcome();
                let ended = seen.lines_with("served") + seen.lines_with("has heard");
                // Those who accept do not know that nobody else will connect.
                let is_stuck = seen.status == Some(123) && seen.stderr.contains("MPI_Comm_accept");
                assert!(ended >= 3 || is_stuck, "{kind} {kill}: {seen}");
            }
        }
    }
}
