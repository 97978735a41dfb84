//! Virtual topologies, as C programs see them.

fn passes(case: &str) {
    let program = support::c("topo.c").flags(&["-O1", "-Wall"]).build();
    for ranks in [1, 2, 7, 12] {
        support::run(&program).ranks(ranks).args([case]).succeeds();
    }
}

#[test]
fn grids_are_balanced() {
    passes("dims");
}

#[test]
fn places_in_a_grid_have_coordinates_and_neighbours() {
    passes("grids");
}

#[test]
fn grids_may_be_smaller_and_have_parts() {
    passes("parts-of-grids");
}

#[test]
fn a_graph_is_known_to_all() {
    passes("graphs");
}

#[test]
fn edges_of_a_distributed_graph_are_known_at_both_ends() {
    passes("distributed-graphs");
}

#[test]
fn wrong_topologies_are_named() {
    passes("errors");
}
