//! The numbers of the paper, small ones always, whole ones on demand.

use super::sample::sample;
use super::study::Study;
use super::worst::worst;
use crate::machine::spares::{Choice, Method, Spares};
use crate::machine::topology::Grid;
use crate::machine::traffic::Pattern;

fn study(dims: &[u32], wraps: bool, alloc: &str, methods: &str) -> Study {
    let grid = if wraps { Grid::torus(dims) } else { Grid::mesh(dims) }.unwrap();
    let mut spares = Spares::parse(alloc).unwrap();
    spares.substitute = Method::parse_list(methods, dims.len() as u32).unwrap();
    Study::new(grid, spares, Pattern::star(dims.len())).unwrap()
}

fn uses(study: &Study, failures: usize, width: usize) -> Vec<usize> {
    worst(study, failures, width).iter().map(|worst| worst.uses).collect()
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
    // Where a row's and a column's spare are used, no chain is left for where they cross: a lone
    // move stands in, and collides no more.
    for methods in ["1D", "1D+0D"] {
        let found = worst(&study(&[7, 7], false, "2D(2,1)", methods), 3, 10);
        assert_eq!(found.iter().map(|worst| worst.uses).collect::<Vec<_>>(), [3, 4, 5]);
        assert!(found.iter().all(|worst| worst.is_proven));
        assert!(found[1].is_handled);
        assert_eq!(found[2].is_handled, methods == "1D+0D");
    }
}

#[test]
fn slides_in_all_dimensions_handle_two_failures_without_a_collision() {
    let found = worst(&study(&[8, 8], false, "2D(2,1)", "2D"), 2, 10);
    assert_eq!(found.iter().map(|worst| worst.uses).collect::<Vec<_>>(), [1, 1]);
    assert!(found.iter().all(|worst| worst.is_proven && worst.is_handled));
    let third = worst(&study(&[5, 5], false, "2D(2,1)", "2D"), 3, 10);
    assert!(!third[2].is_handled, "there is no third layer of spares");
}

#[test]
fn on_24_cubed_slides_give_way_to_each_other_as_in_the_paper() {
    let study = study(&[24, 24, 24], false, "3D(2,1)", "hybrid(all)");
    assert_eq!(study.reach(), 1128);
    let sample = sample(&study, 40, usize::MAX, 1, 2, false);
    assert_eq!(sample.after.len(), 1128);
    assert!(sample.after.iter().all(|after| after.cases == 40), "none ends early");
    // About where two methods lead equally often, chance decides: the failures are counted at which
    // each of them leads.
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
        for methods in ["0D", "1D+0D", "hybrid(all)", "hybrid(-2D)", "hybrid(-1D)"] {
            let others = mean(methods, Choice::Nearest);
            assert_eq!(others.len(), better.len(), "{dims:?} {methods}: until no spare is left");
            for (at, (other, better)) in others.iter().zip(&better).enumerate() {
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
    assert_ne!(one, sample(&study, 30, usize::MAX, 6, 2, true));
}

#[test]
fn what_is_chosen_by_collisions_does_not_depend_on_who_counts_them() {
    let mut study = study(&[9, 9], false, "2D(2,1)", "1D+0D");
    study.spares.choose = Choice::Collisions;
    let moves = |counts| study.random_case(5, usize::MAX, counts).into_iter().map(|one| one.moves);
    assert!(moves(false).eq(moves(true)));
}
