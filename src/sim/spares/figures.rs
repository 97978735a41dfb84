//! The figures of the paper by their numbers, each with one call.
//!
//! 3 is the share of spares and 8 the worst collisions. 10 to 13 compare two methods by their
//! worst, mean and best collisions until no spare is left; 14 and 15 say which method substituted.
//! 16 and 18 are what was simulated for two machines. 17 and 19 compare measurements on them, which
//! cannot be had: the simulated means of the same methods stand in.

use super::plot::{Curve, Pen, Plot};
use super::sample::{After, Sample, sample};
use super::study::Study;
use super::worst::{Search, worst};
use crate::machine::spares::{Method, Spares};
use crate::machine::topology::Grid;
use crate::machine::traffic::Pattern;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// How much work a figure may be.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many; none: as many as are a matter of seconds for the figure's machine.
    pub cases: Option<u64>,
    pub seed: u64,
    pub threads: usize,
}

pub const NUMBERS: [u32; 12] = [3, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19];

/// Draws figures, and remembers what several of them show.
pub struct Figures {
    effort: Effort,
    known: BTreeMap<(&'static [u32], &'static str), Sample>,
}

/// Lines of two methods that a figure compares.
struct Versus {
    title: &'static str,
    dims: &'static [u32],
    /// With the pens of their worst, mean and best.
    methods: [(&'static str, Pen); 2],
}

/// What of all cases a line shows, and its name.
type Line = (&'static str, fn(&After) -> f64);

const PLANE: &[u32] = &[100, 100];
const CUBE: &[u32] = &[24, 24, 24];
const K: &[u32] = &[12, 12, 12];
const BLUE_GENE: &[u32] = &[16, 8, 8];

const THICK_GREY: Pen = Pen { colour: "#999999", width: 3.5, dash: "" };
const THIN_BLACK: Pen = Pen { colour: "#000000", width: 1.0, dash: "" };
/// Worst, mean and best of one method differ by their dashes.
const DASHES: [&str; 3] = ["", "7 3", "2 3"];

impl Figures {
    pub fn new(effort: Effort) -> Figures {
        Figures { effort, known: BTreeMap::new() }
    }

    /// The figure with this number.
    pub fn draw(&mut self, number: u32) -> Result<Plot, String> {
        let lone = [("hybrid(all)", THICK_GREY), ("0D", THIN_BLACK)];
        let flat = [("hybrid(all)", THIN_BLACK), ("hybrid(-2D)", THICK_GREY)];
        let versus = |title, dims, methods| Versus { title, dims, methods };
        match number {
            3 => shares_of_spares(),
            8 => worst_collisions(self.effort.threads),
            10 => self.against(&versus("5P on 100 x 100, 2D(2,1)", PLANE, lone)),
            11 => self.against(&versus("7P on 12 x 12 x 12, 3D(2,1)", K, lone)),
            12 => self.against(&versus("7P on 24 x 24 x 24, 3D(2,1)", CUBE, lone)),
            13 => self.against(&versus("7P on 24 x 24 x 24, 3D(2,1)", CUBE, flat)),
            14 => self.selection(false),
            15 => self.selection(true),
            16 => self.against(&versus("simulated for K, 12 x 12 x 12, 3D(2,1)", K, flat)),
            17 => self.means("K, 12 x 12 x 12, 3D(2,1)", K, flat),
            18 => {
                let title = "simulated for BG/Q, 16 x 8 x 8, 3D(2,1)";
                self.against(&versus(title, BLUE_GENE, flat))
            }
            19 => self.means("BG/Q, 16 x 8 x 8, 3D(2,1)", BLUE_GENE, flat),
            _ => Err(format!("there is no figure {number} here: say one of {NUMBERS:?}")),
        }
    }

    /// Cases until no spare is left, all messages counted.
    fn sample(&mut self, dims: &'static [u32], methods: &'static str) -> Result<&Sample, String> {
        let Effort { cases, seed, threads } = self.effort;
        let entry = match self.known.entry((dims, methods)) {
            Entry::Occupied(known) => return Ok(known.into_mut()),
            Entry::Vacant(entry) => entry,
        };
        let alloc = if dims.len() == 2 { "2D(2,1)" } else { "3D(2,1)" };
        let study = study(dims, alloc, methods, None)?;
        let cases = cases.unwrap_or(14_000_000 / study.grid.nodes() as u64);
        Ok(entry.insert(sample(&study, cases, usize::MAX, seed, threads, true)))
    }

    fn against(&mut self, versus: &Versus) -> Result<Plot, String> {
        let mut curves = Vec::new();
        for (methods, pen) in versus.methods {
            let found = self.sample(versus.dims, methods)?;
            let lines: [Line; 3] = [
                ("worst", |after| after.most_uses() as f64),
                ("mean", After::mean_uses),
                ("best", |after| after.least_uses() as f64),
            ];
            curves.extend(lines.into_iter().zip(DASHES).map(|((name, of), dash)| {
                let pen = Pen { dash, ..pen };
                Curve { name: format!("{methods} {name}"), pen, points: by_failure(found, of) }
            }));
        }
        Ok(collisions(format!("Most used link, {}", versus.title), curves))
    }

    fn means(
        &mut self, title: &str, dims: &'static [u32], methods: [(&'static str, Pen); 2],
    ) -> Result<Plot, String> {
        let mut curves = Vec::new();
        for (methods, pen) in methods {
            let points = by_failure(self.sample(dims, methods)?, After::mean_uses);
            curves.push(Curve { name: format!("{methods} mean"), pen, points });
        }
        let title = format!("Simulated means; what was measured cannot be had: {title}");
        Ok(collisions(title, curves))
    }

    /// Which method substituted the failure, or all failures up to it.
    fn selection(&mut self, is_sum: bool) -> Result<Plot, String> {
        let found = self.sample(CUBE, "hybrid(all)")?;
        let curve = |method: usize| {
            let (mut times, mut cases) = (0, 0);
            let share = |after: &After| {
                if !is_sum {
                    (times, cases) = (0, 0);
                }
                times += after.methods.get(method).unwrap_or(&0);
                cases += after.cases;
                100.0 * times as f64 / cases as f64
            };
            let points = by_failure(found, share);
            Curve { name: format!("{method}D"), pen: Pen::numbered(method), points }
        };
        let what = if is_sum { "substituted so far" } else { "substitutes" };
        Ok(Plot {
            title: format!("Which slide {what}, hybrid(all) on 24 x 24 x 24, 3D(2,1)"),
            across: "failures".into(),
            up: if is_sum { "% of failures so far" } else { "% of cases" }.into(),
            curves: (0..=3).map(curve).collect(),
        })
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

fn by_failure(found: &Sample, mut of: impl FnMut(&After) -> f64) -> Vec<(f64, f64)> {
    found.after.iter().zip(1..).map(|(after, at)| (f64::from(at), of(after))).collect()
}

fn collisions(title: String, curves: Vec<Curve>) -> Plot {
    Plot { title, across: "failures".into(), up: "messages on the most used link".into(), curves }
}

fn shares_of_spares() -> Result<Plot, String> {
    let curve = |(alloc, at): (&str, usize)| -> Result<Curve, String> {
        let spares = Spares::parse(alloc)?;
        let dims = alloc.starts_with('3') as usize + 2;
        let share = |side: u32| -> Result<(f64, f64), String> {
            Ok((f64::from(side), 100.0 * spares.share(&Grid::mesh(&vec![side; dims])?)))
        };
        let points = (4..=100).step_by(4).map(share).collect::<Result<_, _>>()?;
        Ok(Curve { name: alloc.into(), pen: Pen::numbered(at), points })
    };
    let allocs = ["2D(1,1)", "2D(2,1)", "3D(1,1)", "3D(2,1)", "3D(3,1)", "3D(2,2)"];
    Ok(Plot {
        title: "Share of spare nodes".into(),
        across: "nodes on a side".into(),
        up: "spares in %".into(),
        curves: allocs.into_iter().zip(0..).map(curve).collect::<Result<_, _>>()?,
    })
}

fn worst_collisions(threads: usize) -> Result<Plot, String> {
    let search = Search { orders: 1_000_000, threads, ..Search::default() };
    let torus = study(&[40, 40], "2D(1,1)", "0D", None)?;
    let torus = Study::new(Grid::torus(&[40, 40])?, torus.spares, torus.pattern)?;
    let all = [
        ("0D 2D(1,1), mesh", study(&[15, 15], "2D(1,1)", "0D", None)?, 9),
        ("0D 2D(1,1), torus", torus, 9),
        ("0D 2D(2,1)", study(&[15, 15], "2D(2,1)", "0D", None)?, 5),
        ("1D 2D(2,1)", study(&[7, 7], "2D(2,1)", "1D+0D", None)?, 3),
        ("2D 2D(2,1)", study(&[8, 8], "2D(2,1)", "2D", None)?, 2),
    ];
    let curve = |((name, study, failures), at): ((&str, Study, usize), usize)| {
        let found = worst(&study, failures, search);
        let points = found.iter().zip(1..).map(|(worst, at)| (f64::from(at), worst.uses as f64));
        Curve { name: name.into(), pen: Pen::numbered(at), points: points.collect() }
    };
    let curves = all.into_iter().zip(0..).map(curve).collect();
    Ok(collisions("Worst uses of a link, 5-point stencil".into(), curves))
}
