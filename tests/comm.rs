//! Communicators, groups and attributes, as C programs see them.

fn passes(case: &str) -> Vec<String> {
    runs("comm.c", case)
}

fn runs(file: &str, case: &str) -> Vec<String> {
    let program = support::c(file).flags(&["-O1", "-Wall", "-pthread"]).build();
    let runs = [1, 2, 7].map(|ranks| support::run(&program).ranks(ranks).args([case]).succeeds());
    runs.map(|run| run.stdout).to_vec()
}

#[test]
fn the_first_communicators_are_as_the_standard_says() {
    passes("predefined");
}

#[test]
fn null_handles_have_names() {
    passes("null-names");
}

#[test]
fn a_duplicate_has_a_context_of_its_own() {
    passes("duplicates");
}

#[test]
fn a_split_has_the_members_of_a_color_in_the_order_of_keys() {
    passes("splits");
}

#[test]
fn a_group_makes_a_communicator() {
    passes("of-groups");
}

#[test]
fn groups_are_ordered_sets() {
    passes("groups");
}

#[test]
fn attributes_are_copied_and_deleted_as_their_callbacks_say() {
    passes("attributes");
}

#[test]
fn what_was_copied_before_a_callback_failed_is_deleted() {
    passes("failed-copies");
}

#[test]
fn a_key_finds_nothing_of_an_older_key_with_its_number() {
    passes("reused-keys");
}

#[test]
fn finalize_deletes_the_newest_attribute_first() {
    let outputs = passes("at-the-end");
    assert_eq!(outputs[0], "deleted second\ndeleted first\n");
}

#[test]
fn threads_of_a_rank_make_communicators_at_once() {
    passes("threads");
}

#[test]
fn wrong_arguments_are_named() {
    passes("errors");
}

#[test]
fn spawning_and_ports_that_lead_nowhere_are_named() {
    passes("nobody-to-meet");
}

#[test]
fn duplicates_that_are_waited_for_later_are_as_good() {
    passes("duplicates-later");
}

#[test]
fn a_callback_that_refuses_keeps_nobody_else_waiting() {
    passes("refused-duplicates");
}

#[test]
fn ranks_are_split_by_the_parts_of_the_machine() {
    passes("parts-of-the-machine");
}

#[test]
fn messages_of_an_intercommunicator_go_to_the_other_group() {
    runs("intercomm.c", "created");
}

#[test]
fn two_groups_merge_in_the_order_they_say() {
    runs("intercomm.c", "merged");
}

#[test]
fn groups_that_are_interleaved_meet_as_well() {
    let program = support::c("intercomm.c").flags(&["-O1", "-Wall", "-pthread"]).build();
    for kind in ["thread", "fiber"] {
        let run = support::run(&program).env("FTMPI_RANKS", kind).ranks(9);
        run.args(["interleaved"]).succeeds();
    }
}

#[test]
fn an_intercommunicator_is_duplicated_with_its_attributes() {
    runs("intercomm.c", "duplicated");
}

#[test]
fn parts_of_an_intercommunicator_have_members_on_both_sides() {
    runs("intercomm.c", "parted");
}

#[test]
fn a_death_ends_every_constructor_for_everybody_and_nothing_else() {
    let program = support::c("comm_deaths.c").flags(&["-O1", "-Wall"]).build();
    let calls = [
        "idup",
        "create",
        "create-group",
        "from-group",
        "split-type",
        "split-unguided",
        "intercomm-create",
        "from-groups",
        "merge",
        "dup-between",
        "idup-between",
        "split-between",
        "create-between",
        "cart",
        "cart-sub",
        "graph",
        "adjacent",
        "distributed",
    ];
    for call in calls {
        for (victim, rounds) in [("0", "0"), ("3", "1"), ("7", "0"), ("4", "20")] {
            let run = support::run(&program).ranks(8).option("--on-failure=continue");
            let outcome = run.args([call, victim, rounds]).fails_with(128 + 9);
            let met = outcome.stdout.lines().filter(|line| line.ends_with("met 8")).count();
            assert_eq!(met, 7, "{call}, {victim} dies after {rounds}\n{outcome}");
        }
    }
}

#[test]
fn wrong_arguments_about_two_groups_are_named() {
    runs("intercomm.c", "errors");
}
