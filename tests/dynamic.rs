//! Groups that meet at ports, by published names and by sockets; and with members that die.

use support::{Program, kinds};

/// How failures are survived.
const RULES: [&[&str]; 8] = [
    &["--mode=ulfm"],
    &["--on-failure=continue"],
    &["--mode=rebuild", "--msg=noop"],
    &["--mode=rebuild", "--msg=cont"],
    &["--mode=shrink", "--msg=noop"],
    &["--mode=shrink", "--msg=cont"],
    &["--mode=blank", "--msg=noop"],
    &["--mode=blank", "--msg=cont"],
];

/// With "auto", ranks of the first world are threads if there is a core for each, and those that
/// they spawn are fibers.
fn kinds_of_worlds() -> Vec<&'static str> {
    let mixed = (kinds().len() > 1).then_some("auto");
    kinds().iter().copied().chain(mixed).collect()
}

/// Now one kind, now another.
fn kind_of(number: usize) -> &'static str {
    let kinds = kinds_of_worlds();
    kinds[number % kinds.len()]
}

fn ports() -> Program {
    support::c("ports.c").flags(&["-O2"]).build()
}

#[test]
fn two_groups_meet_at_a_port_by_its_name_and_by_a_socket() {
    for kind in kinds() {
        for ranks in [2, 5, 16] {
            let seen = support::run(&ports()).ranks(ranks).carried_by(kind).succeeds();
            assert_eq!(seen.lines_with("0 errors"), 1, "{ranks}, {kind}: {seen}");
        }
    }
}

#[test]
fn two_groups_meet_in_fortran() {
    let mpifort = support::tool("mpifort").display().to_string();
    for file in ["ports.f90", "ports_mpif.f90"] {
        let program = support::fortran(file).compiler(&mpifort).build();
        for kind in kinds() {
            let seen = support::run(&program).ranks(5).carried_by(kind).succeeds();
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
    let mut number = 0;
    for (call, victims) in calls {
        for (which, victim) in victims.into_iter().enumerate() {
            for moment in ["before", "inside", "after"] {
                let kind = kind_of(which);
                let kill = format!("--kill={victim}@{moment}:{call}:1");
                number += 1;
                for rules in RULES.into_iter().skip(number % 4).step_by(4) {
                    let run = support::run(&program).ranks(4).carried_by(kind).option(&kill);
                    let run = rules.iter().fold(run, |run, it| run.option(*it));
                    let seen = run.args(["serve", "2"]).deadline(20).outcome();
                    let ended = seen.lines_with("served") + seen.lines_with("has heard");
                    // Those who accept do not know that nobody else will connect.
                    let is_stuck =
                        seen.status == Some(123) && seen.stderr.contains("MPI_Comm_accept");
                    assert!(ended >= 3 || is_stuck, "{rules:?} {kind} {kill}: {seen}");
                }
            }
        }
    }
}

fn spawn() -> Program {
    support::c("spawn.c").flags(&["-O2"]).build()
}

#[test]
fn a_spawned_world_has_its_own_ranks_and_talks_to_its_parents() {
    for kind in kinds_of_worlds() {
        for ranks in [1, 2, 5] {
            let seen = support::run(&spawn()).ranks(ranks).carried_by(kind).succeeds();
            let lines = ["0 errors", "0 errors among children"].map(|line| seen.lines_with(line));
            assert_eq!(lines, [4, 3], "{ranks}, {kind}: {seen}");
        }
    }
}

#[test]
fn worlds_are_spawned_in_fortran() {
    let mpifort = support::tool("mpifort").display().to_string();
    for file in ["spawn.f90", "spawn_mpif.f90"] {
        let program = support::fortran(file).compiler(&mpifort).build();
        let seen = support::run(&program).ranks(2).succeeds();
        assert_eq!(seen.lines_with("0 errors"), 1, "{file}: {seen}");
        assert_eq!(seen.lines_with("wrong"), 0, "{file}: {seen}");
    }
}

#[test]
fn a_seed_repeats_a_job_that_spawns() {
    let run = || support::run(&spawn()).ranks(3).option("--seed=5").env("REPEATED", "1");
    let (first, second) = (run().succeeds(), run().succeeds());
    assert_eq!(first.stderr, "", "the run was repeated to its end");
    assert_eq!((first.stdout, first.stderr), (second.stdout, second.stderr));
}

#[test]
fn whoever_dies_around_a_spawn_the_others_hear_of_it() {
    let program = spawn();
    let calls = [("0", "MPI_Comm_spawn"), ("1", "MPI_Comm_spawn"), ("2", "MPI_Init")];
    let calls = calls.into_iter().chain([("1", "MPI_Allreduce"), ("3", "MPI_Allreduce")]);
    for (victim, call) in calls {
        for (which, moment) in ["before", "inside", "after"].into_iter().enumerate() {
            let kill = format!("--kill={victim}@{moment}:{call}:1");
            let run = support::run(&program).ranks(2).option("--mode=ulfm").option("--universe=8");
            let run = run.carried_by(kind_of(which)).option(&kill).args(["deaths"]);
            let seen = run.deadline(20).outcome();
            let is_told = seen.status.is_some_and(|status| status != 123);
            assert!(is_told, "{kill}: {seen}");
            assert!(seen.stdout.lines().count() >= 1, "{kill}: {seen}");
        }
    }
}

#[test]
fn a_partner_that_dies_after_it_has_said_its_name_is_a_failed_process() {
    for kind in kinds() {
        let run = support::run(&ports()).ranks(2).option("--mode=ulfm").carried_by(kind);
        assert_eq!(run.args(["lost"]).succeeds().lines_with("0 errors"), 1, "{kind}");
    }
}

#[test]
fn infos_say_how_ranks_are_spawned() {
    let program = support::c("spawn_keys.c").flags(&["-O2"]).build();
    let file = support::fresh_directory("spawn_keys").join("keys");
    for kind in kinds() {
        let run = support::run(&program).ranks(2).carried_by(kind).option("--universe=4");
        let seen = run.args([file.to_str().expect("a plain path")]).succeeds();
        assert_eq!(seen.lines_with("0 errors"), 1, "{kind}: {seen}");
    }
}

#[test]
fn who_disconnects_waits_for_what_is_under_way_and_for_all_others() {
    let program = support::c("disconnect.c").flags(&["-O2"]).build();
    for kind in kinds() {
        for ranks in [1, 2, 5, 16] {
            let seen = support::run(&program).ranks(ranks).carried_by(kind).succeeds();
            assert_eq!(seen.lines_with("0 errors"), 1, "{ranks}, {kind}: {seen}");
        }
        for case in [&["death"][..], &["death", "inter"]] {
            let run = support::run(&program).ranks(4).carried_by(kind).option("--mode=ulfm");
            let seen = run.args(case).deadline(20).succeeds();
            assert_eq!(seen.lines_with("0 errors"), 3, "{kind}: {seen}");
        }
    }
}

/// Seats serve one spawned world after the other, whatever the worlds before have died of.
#[test]
fn a_program_that_spawns_workers_again_and_again_needs_no_more_seats_than_they_have_at_once() {
    let program = support::c("spawn_loop.c").flags(&["-O2"]).build();
    for kind in kinds() {
        let cases: [(&[&str], &[&str]); 4] = [
            (&["1000", "3"], &[]),
            (&["40", "3"], &["--universe=4"]),
            (&["100", "3", "deaths"], &["--mode=ulfm"]),
            (&["20", "2", "deaths"], &["--mode=ulfm", "--universe=3"]),
        ];
        for (args, options) in cases {
            let run = support::run(&program).ranks(1).carried_by(kind).args(args);
            let seen = options.iter().fold(run, |run, option| run.option(*option)).succeeds();
            assert_eq!(seen.stdout, "0 errors\n", "{kind} {options:?}: {seen}");
        }
    }
}

#[test]
fn a_full_universe_refuses_to_spawn() {
    let seen = support::run(&spawn()).ranks(2).option("--universe=2").outcome();
    assert!(seen.stderr.contains("its universe is 2; allow more with"), "{seen}");
}

/// Each world recovers for itself, the other hears of it, and then both meet anew.
#[test]
fn a_world_recovers_without_the_one_that_has_spawned_it_and_both_meet_again() {
    let program = support::c("worlds.c").flags(&["-O2"]).build();
    let victims: [&[&str]; 6] =
        [&["c1"], &["p0"], &["p0", "c0"], &["p2", "c1", "c2"], &["self", "c1"], &["self", "p2"]];
    for (which, victims) in victims.into_iter().enumerate() {
        for (mode, msg) in [("rebuild", "noop"), ("shrink", "cont"), ("blank", "noop")] {
            let run = support::run(&program).ranks(3).carried_by(kind_of(which)).args(victims);
            let run = run.env("MODE", mode).option(format!("--mode={mode}")).deadline(30);
            let seen = run.option(format!("--msg={msg}")).succeeds();
            let deaths = victims.iter().filter(|victim| **victim != "self").count();
            let living = if mode == "rebuild" { 6 } else { 6 - deaths };
            assert_eq!(seen.lines_with(": 0 errors"), living, "{mode} {victims:?}: {seen}");
        }
    }
}

/// The same where the library recovers by itself, each world in the call that hears of a death.
#[test]
fn each_world_recovers_automatically() {
    let program = support::c("worlds.c").flags(&["-O2"]).build();
    let victims: [&[&str]; 5] = [&["c1"], &["p0"], &["p0", "c0"], &["self", "c1"], &["self", "p2"]];
    for (which, victims) in victims.into_iter().enumerate() {
        for mode in ["rebuild", "shrink", "blank"] {
            let run = support::run(&program).ranks(3).carried_by(kind_of(which)).args(victims);
            let run = run.env("MODE", mode).env("AUTO", "1").option(format!("--mode={mode}"));
            let seen = run.option("--recovery=auto").deadline(30).succeeds();
            let deaths = victims.iter().filter(|victim| **victim != "self").count();
            let living = if mode == "rebuild" { 6 } else { 6 - deaths };
            assert_eq!(seen.lines_with(": 0 errors"), living, "{mode} {victims:?}: {seen}");
        }
    }
}

/// Parents are the ranks 0 and 1, which is the root; children 2 and 3.
#[test]
fn whichever_parent_or_child_dies_the_others_go_on() {
    let program = support::c("spawn_deaths.c").flags(&["-O2", "-Wall"]).build();
    let calls: [(&str, &[usize]); 9] = [
        ("MPI_Init", &[2, 3]),
        ("MPI_Comm_spawn", &[0, 1]),
        ("MPI_Sendrecv", &[0, 1, 2, 3]),
        ("MPI_Bcast", &[0, 3]),
        ("MPI_Allreduce", &[1, 2]),
        ("MPI_Comm_dup", &[0, 3]),
        ("MPI_Intercomm_merge", &[1, 2]),
        ("MPI_Comm_disconnect", &[0, 2]),
        ("MPI_Finalize", &[1, 2]),
    ];
    let mut number = 0;
    // Processes take longer to start: every other rule for each death.
    let step = if support::are_ranks_processes() { 2 } else { 1 };
    for (call, victims) in calls {
        for (which, victim) in victims.iter().enumerate() {
            for moment in ["before", "inside", "after"] {
                for rules in RULES.into_iter().skip(which % step).step_by(step) {
                    let kill = format!("--kill={victim}@{moment}:{call}:1");
                    let run = support::run(&program).ranks(2).option("--universe=4");
                    let run = run.carried_by(kind_of(number));
                    let run = rules.iter().fold(run.option(&kill), |run, it| run.option(*it));
                    let seen = run.deadline(20).outcome();
                    let lines = seen.lines_with("is done") + seen.lines_with("has heard");
                    let wanted = if call == "MPI_Comm_spawn" { 1 } else { 3 };
                    let is_over = seen.status.is_some_and(|status| ![123, 124].contains(&status));
                    assert!(lines >= wanted && is_over, "{rules:?} {kill}: {seen}");
                    number += 1;
                }
            }
        }
    }
}

#[test]
fn a_spawn_that_dies_with_a_parent_does_not_count_against_the_job() {
    let program = spawn();
    for mode in ["rebuild", "shrink", "blank"] {
        for (victim, call) in [("0", "MPI_Comm_spawn"), ("1", "MPI_Comm_spawn"), ("2", "MPI_Init")]
        {
            for (which, moment) in ["before", "inside", "after"].into_iter().enumerate() {
                let kill = format!("--kill={victim}@{moment}:{call}:1");
                let run = support::run(&program).ranks(2).option("--universe=8");
                let run = run.option(format!("--mode={mode}")).carried_by(kind_of(which));
                let seen = run.option(&kill).args(["deaths"]).deadline(20).succeeds();
                assert!(seen.lines_with("parent") >= 1, "{mode} {kill}: {seen}");
            }
        }
    }
}
