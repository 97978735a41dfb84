//! Partitioned communication as C and Fortran programs see it, also with a peer that dies.

use support::Program;

fn build() -> Program {
    support::c("partitioned.c").flags(&["-O1", "-Wall", "-pthread"]).build()
}

fn passes(case: &str) {
    let program = build();
    for kind in support::kinds() {
        support::run(&program).ranks(2).carried_by(kind).args([case]).succeeds();
    }
}

/// Rank 1 dies by `orders`, and rank 0 says that it has survived.
fn survives(case: &str, orders: &[&str], status: i32) {
    let program = build();
    for order in orders {
        for kind in support::kinds() {
            let run = support::run(&program).ranks(2).carried_by(kind);
            let run = run.option("--on-failure=continue");
            let run = if order.is_empty() { run } else { run.option(order) };
            let outcome = run.args([case]).fails_with(status);
            assert_eq!(outcome.lines_with("survived"), 1, "{order} {kind}\n{outcome}");
        }
    }
}

#[test]
fn every_byte_arrives_once_whatever_the_partitions_of_both_sides_are() {
    passes("shapes");
    passes("lengths");
    passes("nothing");
}

#[test]
fn requests_match_in_the_order_of_their_creation_which_is_local() {
    passes("order");
    passes("groups");
    passes("freed");
}

#[test]
fn every_rank_has_messages_with_every_other_whichever_share_a_process() {
    for kind in support::kinds() {
        support::run(&build()).ranks(5).carried_by(kind).args(["mesh"]).succeeds();
    }
}

#[test]
fn a_death_ends_no_message_between_others() {
    let program = build();
    for order in ["before:MPI_Start:44", "inside:MPI_Pready_range:23", "after:MPI_Wait:31"] {
        for kind in support::kinds() {
            let run = support::run(&program).ranks(5).carried_by(kind);
            let run = run.option("--on-failure=continue").option(format!("--kill=1@{order}"));
            let outcome = run.args(["bereaved"]).fails_with(128 + 9);
            assert_eq!(outcome.lines_with("survived"), 4, "{order} {kind}\n{outcome}");
        }
    }
}

#[test]
fn partitions_may_lie_anywhere_on_both_sides() {
    passes("types");
}

#[test]
fn threads_mark_partitions_and_wait_for_them_at_once() {
    passes("threads");
}

#[test]
fn wrong_uses_are_errors_that_change_nothing() {
    passes("mistakes");
}

#[test]
fn the_death_of_a_peer_ends_what_waits_for_it() {
    let places = ["MPI_Startall:5", "MPI_Pready:14", "MPI_Parrived:9", "MPI_Wait:8"];
    let moments = ["before", "inside", "after"];
    let order = |place: &str, moment: &str| format!("--kill=1@{moment}:{place}");
    let orders = places.iter().flat_map(|place| moments.map(|moment| order(place, moment)));
    let orders: Vec<String> = orders.collect();
    let orders: Vec<&str> = orders.iter().map(String::as_str).collect();
    survives("deaths", &orders, 128 + 9);
}

#[test]
fn a_ring_goes_on_after_recoveries() {
    let program = support::c("partitioned_recovery.c").flags(&["-O1", "-Wall"]).build();
    let deaths: [&[&str]; 3] = [
        &["--kill=2@before:MPI_Pready:50"],
        &["--kill=1@inside:MPI_Wait:33"],
        &["--kill=2@after:MPI_Startall:9", "--kill=0@inside:MPI_Pready:133"],
    ];
    for orders in deaths {
        for (mode, msg) in
            [("rebuild", "noop"), ("rebuild", "cont"), ("shrink", "noop"), ("shrink", "cont")]
        {
            for kind in support::kinds() {
                let run = support::run(&program).ranks(5).carried_by(kind);
                let run = run.option(format!("--mode={mode}")).option(format!("--msg={msg}"));
                let run = orders.iter().fold(run, |run, order| run.option(order));
                let left = if msg == "cont" { &["left"][..] } else { &[] };
                let seen = run.args(left).succeeds();
                let (ranks, restarted) = match mode {
                    "rebuild" => (5, orders.len()),
                    _ => (5 - orders.len(), 0),
                };
                let line = format!("{ranks} ranks, {restarted} restarted");
                assert_eq!(seen.lines_with(&line), 1, "{orders:?} {mode} {msg} {kind}\n{seen}");
            }
        }
    }
}

#[test]
fn what_was_ready_before_a_death_arrives() {
    survives("last-words", &[""], 128 + 6);
}

#[test]
fn a_buffer_that_is_not_there_ends_the_rank_that_named_it() {
    survives("nowhere", &[""], 128 + 11);
}

#[test]
fn a_revocation_ends_it_on_both_sides() {
    for kind in support::kinds() {
        let run = support::run(&build()).ranks(2).carried_by(kind).option("--mode=ulfm");
        run.args(["revoked"]).succeeds();
    }
}

#[test]
fn a_deadlock_names_what_is_missing() {
    let outcome = support::run(&build()).ranks(3).args(["stuck"]).fails_with(123);
    let lines = [
        "    waits for 1 partitions from rank 1 with tag 8 on MPI_COMM_WORLD",
        "    waits for 1 of its own partitions for rank 0 with tag 8 on MPI_COMM_WORLD to be ready",
        "    waits for rank 0 to start a partitioned receive with tag 9 on MPI_COMM_WORLD",
    ];
    for line in lines {
        assert!(outcome.stderr.lines().any(|said| said == line), "{line}\n{outcome}");
    }
}
