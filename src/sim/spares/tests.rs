//! Tests the numbers of the paper: small machines always, full-size ones on demand.

use super::sample::sample;
use super::study::Study;
use super::worst::{Search, worst};
use ftmpi_machine::spares::{Choice, Method, Spares};
use ftmpi_machine::topology::Grid;
use ftmpi_machine::traffic::Pattern;

fn study(dims: &[u32], wraps: bool, alloc: &str, methods: &str) -> Study {
    let grid = if wraps { Grid::torus(dims) } else { Grid::mesh(dims) }.unwrap();
    let mut spares = Spares::parse(alloc).unwrap();
    spares.substitute = Method::parse_list(methods, dims.len() as u32).unwrap();
    Study::new(grid, spares, Pattern::star(dims.len())).unwrap()
}

fn uses(study: &Study, failures: usize, width: usize) -> Vec<usize> {
    worst(study, failures, few(width)).iter().map(|worst| worst.uses).collect()
}

fn few(width: usize) -> Search {
    Search { width, orders: 300_000, threads: 2 }
}

#[test]
fn the_worst_of_lone_moves_is_that_of_the_paper() {
    let mesh = study(&[15, 15], false, "2D(1,1)", "0D");
    assert_eq!(uses(&mesh, 9, 30), [5, 5, 7, 9, 11, 13, 16, 20, 24]);
    let torus = study(&[40, 40], true, "2D(1,1)", "0D");
    assert_eq!(uses(&torus, 4, 10), [5, 5, 7, 9]);
}

#[test]
#[ignore = "a wide torus: some seconds"]
fn on_a_torus_the_worst_of_lone_moves_is_twice_their_number_and_one() {
    let torus = study(&[40, 40], true, "2D(1,1)", "0D");
    assert_eq!(uses(&torus, 9, 30), [5, 5, 7, 9, 11, 13, 15, 17, 19]);
}

#[test]
fn chains_collide_one_more_with_each_of_three_failures_all_of_which_are_handled() {
    // Where a row's and a column's spare are used, no chain is left for the node where they cross:
    // a single move replaces it, and causes no more collisions.
    for methods in ["1D", "1D+0D"] {
        let found = worst(&study(&[7, 7], false, "2D(2,1)", methods), 3, few(10));
        assert_eq!(found.iter().map(|worst| worst.uses).collect::<Vec<_>>(), [3, 4, 5]);
        assert!(found.iter().all(|worst| worst.is_proven));
        assert_eq!(found[1].is_handled(), Some(true));
        assert_eq!(found[2].is_handled(), Some(methods == "1D+0D"));
    }
}

#[test]
fn slides_in_all_dimensions_handle_two_failures_without_a_collision() {
    let found = worst(&study(&[8, 8], false, "2D(2,1)", "2D"), 2, few(10));
    assert_eq!(found.iter().map(|worst| worst.uses).collect::<Vec<_>>(), [1, 1]);
    assert!(found.iter().all(|worst| worst.is_proven && worst.is_handled() == Some(true)));
    let third = worst(&study(&[5, 5], false, "2D(2,1)", "2D"), 3, few(10));
    assert_eq!(third[2].is_handled(), Some(false), "there is no third layer of spares");
    assert_eq!(third[2].orders, 4096);
}

#[test]
fn chains_on_10_by_10_are_looked_at_whole_and_some_third_failures_find_none() {
    let study = study(&[10, 10], false, "2D(2,1)", "1D");
    let found = worst(&study, 3, Search { threads: 2, ..Search::default() });
    assert_eq!(found.iter().map(|worst| worst.uses).collect::<Vec<_>>(), [3, 4, 5]);
    assert!(found.iter().all(|worst| worst.is_proven));
    assert_eq!(found.iter().map(|worst| worst.orders).collect::<Vec<_>>(), [81, 6561, 531_441]);
    assert_eq!(found.iter().map(|worst| worst.unhandled).collect::<Vec<_>>(), [0, 0, 2760]);
    // If not all are tried, nothing is known about the others.
    let part = worst(&study, 3, Search { width: 1, orders: 1000, threads: 1 });
    assert_eq!((part[2].orders, part[2].unhandled, part[2].is_handled()), (81, 0, None));
    let lone = super::study::study(&[10, 10], "2D(2,1)", "0D", None).unwrap();
    assert_eq!(worst(&lone, 3, few(2))[2].is_handled(), None);
}

#[test]
fn chains_that_keep_to_one_dimension_handle_every_order_of_three_failures() {
    let study = super::study::study(&[10, 10], "2D(2,1)", "1D", None).unwrap();
    let found = worst(&study, 3, Search { threads: 2, ..Search::default() });
    assert_eq!(found.iter().map(|worst| worst.uses).collect::<Vec<_>>(), [3, 4, 5]);
    assert_eq!(found[2].orders, 531_441);
    assert!(found.iter().all(|worst| worst.is_handled() == Some(true)));
}

#[test]
fn on_24_cubed_lone_moves_overtake_hybrids_for_a_while_and_planes_help_first_and_last() {
    let mean = |methods| {
        let study = super::study::study(&[24, 24, 24], "3D(2,1)", methods, None).unwrap();
        let after = sample(&study, 60, usize::MAX, 1, 2, true).after;
        move |failures: usize| after[failures - 1].mean_uses()
    };
    let (hybrid, lone, flat) = (mean("hybrid(all)"), mean("0D"), mean("hybrid(-2D)"));
    for failures in [10, 50, 740, 1000] {
        assert!(hybrid(failures) < lone(failures), "{failures}");
    }
    for failures in [250, 350, 450] {
        assert!(lone(failures) < hybrid(failures), "{failures}");
    }
    for failures in [50, 250, 500, 740, 900] {
        assert!(flat(failures) < hybrid(failures), "{failures}");
    }
    assert!(hybrid(5) < flat(5) && hybrid(1050) < flat(1050));
}

#[test]
fn a_third_slide_in_all_dimensions_needs_two_failures_in_one_layer() {
    // It moves into the layer that the first one left, past the first failed node: of 16 second
    // nodes on 5 x 5, 4 leave a layer through that node, and then all third nodes can.
    let study = study(&[5, 5], false, "2D(2,1)", "2D");
    let mut handled = 0;
    for (first, second, third) in triples(study.ranks()) {
        let mut case = study.case(false);
        let is_on = |rank: usize, case: &mut super::Case| case.fail(rank).is_some();
        assert!(is_on(first, &mut case) && is_on(second, &mut case), "{first} {second}");
        if is_on(third, &mut case) {
            handled += 1;
            assert!((0..study.ranks()).all(|fourth| case.clone().fail(fourth).is_none()));
        }
    }
    assert_eq!(handled, 1024);
}

fn triples(ranks: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let pairs = (0..ranks).flat_map(move |first| (0..ranks).map(move |second| (first, second)));
    pairs.flat_map(move |(first, second)| (0..ranks).map(move |third| (first, second, third)))
}

#[test]
fn what_is_proven_is_what_trying_everything_by_hand_finds() {
    let methods = ["0D", "1D", "2D", "1D+0D", "hybrid(all)"];
    for (dims, alloc) in
        [(vec![4, 4], "2D(1,1)"), (vec![4, 4], "2D(2,1)"), (vec![3, 3, 3], "3D(2,1)")]
    {
        for (methods, wraps) in methods.into_iter().flat_map(|one| [(one, false), (one, true)]) {
            let study = study(&dims, wraps, alloc, methods);
            let (mut most, mut lost) = (0, 0);
            for (first, second, third) in triples(study.ranks()) {
                let mut case = study.case(true);
                let outcomes = [first, second, third].map(|rank| case.fail(rank));
                match outcomes {
                    [Some(_), Some(_), Some(last)] => most = most.max(last.worst),
                    _ => lost += 1,
                }
            }
            let found = worst(&study, 3, few(1));
            let of = format!("{methods} on {dims:?}, {alloc}, {wraps}");
            let Some(third) = found.get(2) else {
                assert_eq!((most, found[1].is_handled()), (0, Some(false)), "{of}");
                continue;
            };
            assert!(third.is_proven, "{of}");
            assert_eq!((third.uses, third.unhandled), (most, lost), "{of}");
            assert_eq!(third.is_handled(), Some(lost == 0), "{of}");
            let unknown = worst(&study, 3, Search { width: 1, orders: 1, threads: 1 });
            assert!(unknown[2..].iter().all(|worst| worst.is_handled() != Some(true)), "{of}");
        }
    }
}

#[test]
fn searches_find_the_same_on_any_number_of_threads() {
    for (methods, orders) in [("0D", 1000), ("1D", 1000), ("1D", 20_000_000)] {
        let study = study(&[7, 7], false, "2D(2,1)", methods);
        let on = |threads| worst(&study, 3, Search { width: 5, orders, threads });
        assert_eq!(on(1), on(3));
    }
}

#[test]
fn on_24_cubed_slides_give_way_to_each_other_as_in_the_paper() {
    let study = study(&[24, 24, 24], false, "3D(2,1)", "hybrid(all)");
    assert_eq!(study.reach(), 1128);
    let sample = sample(&study, 40, usize::MAX, 1, 2, false);
    assert_eq!(sample.after.len(), 1128);
    assert!(sample.after.iter().all(|after| after.cases == 40), "none ends early");
    // Near the point where two methods are used equally often, chance decides: so this counts the
    // failures at which each of them leads.
    let led = |method| sample.after.iter().filter(|after| after.leader() == method).count();
    assert_eq!(led(3), 2);
    assert!((33..=46).contains(&(2 + led(2))), "2D led {} times", led(2));
    assert!((880..=960).contains(&(2 + led(2) + led(1))), "1D led {} times", led(1));
    let shares = sample.shares();
    assert!((0.21..=0.27).contains(&shares[0]), "{shares:?}");
    assert!((0.69..=0.75).contains(&shares[1]), "{shares:?}");
    assert!((0.034..=0.043).contains(&shares[2]), "{shares:?}");
}

#[test]
fn hybrids_beat_lone_moves_while_failures_are_few() {
    for (dims, alloc, cases) in [(vec![100, 100], "2D(2,1)", 20), (vec![12, 12, 12], "3D(2,1)", 40)]
    {
        let mean = |methods| {
            let study = study(&dims, false, alloc, methods);
            sample(&study, cases, 10, 7, 2, true).after
        };
        for (hybrid, lone) in mean("hybrid(all)").iter().zip(mean("0D")).take(10) {
            assert!(hybrid.mean_uses() < lone.mean_uses(), "{dims:?}: {hybrid:?} {lone:?}");
        }
    }
}

#[test]
fn a_choice_that_looks_at_collisions_is_never_worse_than_the_papers_best() {
    for (dims, alloc) in [(vec![12, 12], "2D(2,1)"), (vec![6, 6, 6], "3D(2,1)")] {
        let mean = |methods: &str, choose| {
            let mut study = study(&dims, false, alloc, methods);
            study.spares.choose = choose;
            let after = sample(&study, 60, usize::MAX, 3, 2, true).after;
            after.iter().map(|after| (after.cases, after.mean_uses())).collect::<Vec<_>>()
        };
        let better = mean("hybrid(all)", Choice::Collisions);
        let methods = ["0D", "1D+0D", "hybrid(all)", "hybrid(-2D)", "hybrid(-1D)"];
        let others =
            methods.into_iter().flat_map(|one| [(one, Choice::Nearest), (one, Choice::Dimension)]);
        for (methods, choose) in others {
            let others = mean(methods, choose);
            assert_eq!(others.len(), better.len(), "{dims:?} {methods}: until no spare is left");
            // With the last spares there is little choice, and slides by dimension may have left
            // better ones.
            let compared = match choose {
                Choice::Dimension => others.len() * 9 / 10,
                _ => others.len(),
            };
            let both = others.iter().zip(&better).take(compared);
            for (at, (other, better)) in both.enumerate() {
                let of = format!("{dims:?} {methods} after {} failures", at + 1);
                assert!(better.1 <= other.1, "{of}: {better:?} {other:?}");
            }
        }
    }
}

#[test]
fn samples_are_the_same_on_any_number_of_threads() {
    let study = study(&[6, 6, 6], true, "3D(2,1)", "hybrid(all)");
    let one = sample(&study, 30, usize::MAX, 5, 1, true);
    assert_eq!(one, sample(&study, 30, usize::MAX, 5, 2, true));
    for after in &one.after {
        let (least, most) = (after.least_uses() as f64, after.most_uses() as f64);
        assert!(0.0 < least && least <= after.mean_uses() && after.mean_uses() <= most);
    }
    let first = study.random_case(5, usize::MAX, true);
    let alone = sample(&study, 1, usize::MAX, 5, 1, true);
    for (after, outcome) in alone.after.iter().zip(first) {
        let both = (after.least_uses(), after.most_uses());
        assert_eq!(both, (outcome.worst as u64, outcome.worst as u64));
    }
    assert_ne!(one, sample(&study, 30, usize::MAX, 6, 2, true));
}

#[test]
fn what_is_chosen_by_collisions_does_not_depend_on_who_counts_them() {
    let mut study = study(&[9, 9], false, "2D(2,1)", "1D+0D");
    study.spares.choose = Choice::Collisions;
    let moves = |counts| study.random_case(5, usize::MAX, counts).into_iter().map(|one| one.moves);
    assert!(moves(false).eq(moves(true)));
}
