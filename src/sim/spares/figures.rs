//! The figures of the paper by their numbers, each with one call.
//!
//! 3 is the share of spares; 8 the worst collisions; 10 to 12 the mean collisions of stencils; 13
//! which methods substitute as spares run out, 14 the same without slides in all dimensions, and
//! 15 their shares in the end, by size.

use super::plot::{Curve, Plot};
use super::sample::sample;
use super::study::Study;
use super::worst::{Search, worst};
use crate::machine::spares::{Choice, Method, Spares};
use crate::machine::topology::Grid;
use crate::machine::traffic::Pattern;

/// How much work a figure may be.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many; none: as many as the figure usually has.
    pub cases: Option<u64>,
    pub seed: u64,
    pub threads: usize,
}

pub const NUMBERS: [u32; 8] = [3, 8, 10, 11, 12, 13, 14, 15];

/// The figure with this number.
pub fn figure(number: u32, effort: Effort) -> Result<Plot, String> {
    match number {
        3 => shares_of_spares(),
        8 => worst_collisions(),
        10 => mean_collisions(&[100, 100], "2D(2,1)", "5P", effort),
        11 => mean_collisions(&[100, 100], "2D(2,1)", "9P", effort),
        12 => mean_collisions(&[12, 12, 12], "3D(2,1)", "7P", effort),
        13 => methods_over_failures("hybrid(all)", effort),
        14 => methods_over_failures("hybrid(-3D)", effort),
        15 => shares_by_size(effort),
        _ => Err(format!("there is no figure {number} here: say one of {NUMBERS:?}")),
    }
}

/// A mesh with the star as its pattern, unless another is named.
pub fn study(
    dims: &[u32], alloc: &str, methods: &str, stencil: Option<&str>,
) -> Result<Study, String> {
    let mut spares = Spares::parse(alloc)?;
    spares.substitute = Method::parse_list(methods, dims.len() as u32)?;
    let pattern = match stencil {
        Some(text) => Pattern::parse(text, dims.len())?,
        None => Pattern::star(dims.len()),
    };
    Study::new(Grid::mesh(dims)?, spares, pattern)
}

fn shares_of_spares() -> Result<Plot, String> {
    let curve = |alloc: &str| -> Result<Curve, String> {
        let spares = Spares::parse(alloc)?;
        let dims = alloc.starts_with('3') as usize + 2;
        let share = |side: u32| -> Result<(f64, f64), String> {
            Ok((f64::from(side), 100.0 * spares.share(&Grid::mesh(&vec![side; dims])?)))
        };
        let points = (4..=100).step_by(4).map(share).collect::<Result<_, _>>()?;
        Ok(Curve { name: alloc.into(), points })
    };
    let allocs = ["2D(1,1)", "2D(2,1)", "3D(1,1)", "3D(2,1)", "3D(3,1)", "3D(2,2)"];
    Ok(Plot {
        title: "Share of spare nodes".into(),
        across: "nodes on a side".into(),
        up: "spares in %".into(),
        curves: allocs.into_iter().map(curve).collect::<Result<_, _>>()?,
    })
}

fn worst_collisions() -> Result<Plot, String> {
    let curve = |name: &str, study: Study, failures: usize| {
        let found = worst(&study, failures, Search { orders: 1_000_000, ..Search::default() });
        let points = found.iter().zip(1..).map(|(worst, at)| (f64::from(at), worst.uses as f64));
        Curve { name: name.into(), points: points.collect() }
    };
    let mut torus = study(&[40, 40], "2D(1,1)", "0D", None)?;
    torus = Study::new(Grid::torus(&[40, 40])?, torus.spares, torus.pattern)?;
    Ok(Plot {
        title: "Worst uses of a link, 5-point stencil".into(),
        across: "failures".into(),
        up: "messages on the most used link".into(),
        curves: vec![
            curve("0D, mesh", study(&[15, 15], "2D(1,1)", "0D", None)?, 9),
            curve("0D, torus", torus, 9),
            curve("1D, mesh", study(&[7, 7], "2D(2,1)", "1D+0D", None)?, 3),
            curve("2D, mesh", study(&[8, 8], "2D(2,1)", "2D", None)?, 2),
        ],
    })
}

fn mean_collisions(
    dims: &[u32], alloc: &str, stencil: &str, effort: Effort,
) -> Result<Plot, String> {
    let all = dims.len();
    let mut methods = vec!["0D".to_string(), "1D+0D".into(), "hybrid(all)".into()];
    methods.extend((1..=all).map(|but| format!("hybrid(-{but}D)")));
    let curve = |name: String, study: &Study| {
        let found = sample(study, effort.cases.unwrap_or(20), 40, effort.seed, effort.threads, true);
        let points =
            found.after.iter().zip(1..).map(|(after, at)| (f64::from(at), after.mean_uses()));
        Curve { name, points: points.collect() }
    };
    let mut curves = Vec::new();
    for methods in methods {
        let study = study(dims, alloc, &methods, Some(stencil))?;
        curves.push(curve(methods, &study));
    }
    // Over the same cases: a mean over fewer of them would be no match for the others.
    let mut better = study(dims, alloc, "hybrid(all)", Some(stencil))?;
    better.spares.choose = Choice::Collisions;
    curves.push(curve("fewest collisions".into(), &better));
    Ok(Plot {
        title: format!("Uses of the most used link in the mean, {stencil} on {dims:?}, {alloc}"),
        across: "failures".into(),
        up: "messages".into(),
        curves,
    })
}

fn methods_over_failures(methods: &str, effort: Effort) -> Result<Plot, String> {
    let study = study(&[24, 24, 24], "3D(2,1)", methods, None)?;
    let found = sample(&study, effort.cases.unwrap_or(20), usize::MAX, effort.seed, effort.threads, false);
    let curve = |method: usize| {
        let share = |(after, at): (&super::sample::After, u32)| {
            let times = *after.methods.get(method).unwrap_or(&0);
            (f64::from(at), 100.0 * times as f64 / after.cases as f64)
        };
        let points = found.after.iter().zip(1..).map(share).collect();
        Curve { name: format!("{method}D"), points }
    };
    Ok(Plot {
        title: format!("Which slide substitutes, {methods} on 24 x 24 x 24, 3D(2,1)"),
        across: "failures".into(),
        up: "% of cases".into(),
        curves: (0..=3).map(curve).collect(),
    })
}

fn shares_by_size(effort: Effort) -> Result<Plot, String> {
    let mut curves: Vec<_> =
        (0..=3).map(|method| Curve { name: format!("{method}D"), points: Vec::new() }).collect();
    for side in [6, 9, 12, 15, 18, 21, 24] {
        let study = study(&[side; 3], "3D(2,1)", "hybrid(all)", None)?;
        let found = sample(&study, effort.cases.unwrap_or(20), usize::MAX, effort.seed, effort.threads, false);
        for (curve, share) in curves.iter_mut().zip(found.shares()) {
            curve.points.push((f64::from(side), 100.0 * share));
        }
    }
    Ok(Plot {
        title: "How all failures were substituted until no spare was left, 3D(2,1)".into(),
        across: "nodes on a side".into(),
        up: "% of failures".into(),
        curves,
    })
}
