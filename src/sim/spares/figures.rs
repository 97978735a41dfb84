//! The figures of the paper by their numbers, each with one call.
//!
//! 1, 2, 4 to 7 and 9 are drawings (see `scenes`). 3 and 22 are shares of spares and 8 the worst
//! collisions. 10 to 13 compare two methods by their worst, mean and best collisions until no spare
//! is left; 14 and 15 say which method substituted. 16 and 18 are what was simulated for two
//! machines. 17 and 19 to 21 compare measurements on these machines, which are not available:
//! simulated means of the methods, and the cost of a barrier and an allreduce, stand in. What the
//! paper says of a fat tree without a figure is drawn, too.

use super::collectives::{Collective, slow_downs};
use super::drawing::Drawing;
use super::plot::{Curve, Pen, Plot};
use super::sample::{After, Sample, sample};
use super::study::{Effort, Study, study};
use super::worst::{Search, worst};
use super::{scenes, shares, table};
use crate::report::Report;
use ftmpi_machine::topology::Grid;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// All figures, the paper's by their numbers.
pub const NAMES: [&str; 23] = [
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17",
    "18", "19", "20", "21", "22", "fat-tree",
];

/// The form of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    Plot(Plot),
    Drawing(Drawing),
}

impl Picture {
    pub fn svg(&self) -> String {
        match self {
            Picture::Plot(plot) => plot.svg(),
            Picture::Drawing(drawing) => drawing.svg(),
        }
    }

    pub fn csv(&self) -> String {
        match self {
            Picture::Plot(plot) => plot.csv(),
            Picture::Drawing(drawing) => drawing.csv(),
        }
    }

    pub fn report(&self) -> Report {
        match self {
            Picture::Plot(plot) => plot.report(),
            Picture::Drawing(drawing) => drawing.report(),
        }
    }
}

/// Draws figures, and keeps results that several of them show.
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

/// The quantity of a line, over all cases, and its name.
type Line = (&'static str, fn(&After) -> f64);

const PLANE: &[u32] = &[100, 100];
const CUBE: &[u32] = &[24, 24, 24];
const K: &[u32] = &[12, 12, 12];
const BLUE_GENE: &[u32] = &[16, 8, 8];

const THICK_GREY: Pen = Pen { colour: "#999999", width: 3.5, dash: "" };
const THIN_BLACK: Pen = Pen { colour: "#000000", width: 1.0, dash: "" };
/// Enough for smooth means.
const COLLECTIVE_CASES: u64 = 200;
const FAT_TREE_CASES: u64 = 20_000;

/// Worst, mean and best of one method differ by their dashes.
const DASHES: [&str; 3] = ["", "7 3", "2 3"];

impl Figures {
    pub fn new(effort: Effort) -> Figures {
        Figures { effort, known: BTreeMap::new() }
    }

    /// The figure with this name.
    pub fn draw(&mut self, name: &str) -> Result<Picture, String> {
        let threads = self.effort.threads;
        let drawing = match name {
            "1" => scenes::without_spares()?,
            "2" => scenes::allocations()?,
            "4" => scenes::collisions()?,
            "5" => scenes::methods()?,
            "6" => scenes::worst_of_lone_moves(threads)?,
            "7" => scenes::slides()?,
            "9" => scenes::hybrid()?,
            _ => return Ok(Picture::Plot(self.plot(name)?)),
        };
        Ok(Picture::Drawing(drawing))
    }

    fn plot(&mut self, name: &str) -> Result<Plot, String> {
        let lone = [("hybrid(all)", THICK_GREY), ("0D", THIN_BLACK)];
        let flat = [("hybrid(all)", THIN_BLACK), ("hybrid(-2D)", THICK_GREY)];
        let versus = |title, dims, methods| Versus { title, dims, methods };
        match name {
            "3" => shares::of_allocations(),
            "8" => worst_collisions(self.effort.threads),
            "10" => self.against(&versus("5P on 100 x 100, 2D(2,1)", PLANE, lone)),
            "11" => self.against(&versus("7P on 12 x 12 x 12, 3D(2,1)", K, lone)),
            "12" => self.against(&versus("7P on 24 x 24 x 24, 3D(2,1)", CUBE, lone)),
            "13" => self.against(&versus("7P on 24 x 24 x 24, 3D(2,1)", CUBE, flat)),
            "14" => self.selection(false),
            "15" => self.selection(true),
            "16" => self.against(&versus("simulated for K, 12 x 12 x 12, 3D(2,1)", K, flat)),
            "17" => self.means("K, 12 x 12 x 12, 3D(2,1)", K, flat),
            "18" => {
                let title = "simulated for BG/Q, 16 x 8 x 8, 3D(2,1)";
                self.against(&versus(title, BLUE_GENE, flat))
            }
            "19" => self.means("BG/Q, 16 x 8 x 8, 3D(2,1)", BLUE_GENE, flat),
            "20" => self.collectives("12 x 12 x 12, as K", K),
            "21" => self.collectives("16 x 8 x 8, as BG/Q", BLUE_GENE),
            "22" => shares::by_size(),
            "fat-tree" => self.fat_tree(),
            _ => Err(format!("there is no figure {name} here: use one of {}", NAMES.join(", "))),
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

    /// The slowdown of collectives, from the load of a mesh's links.
    fn collectives(&self, title: &str, dims: &[u32]) -> Result<Plot, String> {
        let study = study(dims, "3D(2,1)", "hybrid(all)", None)?;
        let Effort { cases, seed, threads } = self.effort;
        let (cases, failures) = (cases.unwrap_or(COLLECTIVE_CASES), spread(study.reach()));
        let mut curves = Vec::new();
        let both = [("barrier", Collective::Barrier), ("allreduce", Collective::Allreduce)];
        for ((name, collective), pen) in both.into_iter().zip([THICK_GREY, THIN_BLACK]) {
            let found = slow_downs(&study, collective, &failures, cases, seed, threads);
            let worst = found.iter().map(|one| (one.failures as f64, one.worst)).collect();
            let mean = found.iter().map(|one| (one.failures as f64, one.mean)).collect();
            let best = found.iter().map(|one| (one.failures as f64, one.best)).collect();
            let lines = [("worst", worst), ("mean", mean), ("best", best)];
            curves.extend(lines.into_iter().zip(DASHES).map(|((line, points), dash)| {
                let name = format!("{name} {line}");
                Curve { name, pen: Pen { dash, ..pen }, points }
            }));
        }
        Ok(Plot {
            title: format!("Simulated collectives, mesh of {title}, hybrid(all)"),
            across: "failures".into(),
            up: "times as long as before failures".into(),
            curves,
        })
    }

    /// The slowdown of a stencil that sends one message at a time, on a fat tree and on a mesh.
    fn fat_tree(&self) -> Result<Plot, String> {
        let Effort { cases, seed, threads } = self.effort;
        let cases = cases.unwrap_or(FAT_TREE_CASES);
        let mut curves = Vec::new();
        for (machine, pen) in table::TSUBAME.into_iter().zip([THICK_GREY, THIN_BLACK]) {
            let found = sample(&machine.study()?, cases, usize::MAX, seed, threads, true);
            let slower = |uses: f64| table::slow_down(uses, machine.of_six);
            let lines: [(&str, Vec<(f64, f64)>); 3] = [
                ("worst", by_failure(&found, |after| slower(after.most_uses() as f64))),
                ("mean", by_failure(&found, |after| after.mean_of(slower))),
                ("best", by_failure(&found, |after| slower(after.least_uses() as f64))),
            ];
            curves.extend(lines.into_iter().zip(DASHES).map(|((line, points), dash)| {
                let name = format!("{} {line}", machine.network());
                Curve { name, pen: Pen { dash, ..pen }, points }
            }));
        }
        Ok(Plot {
            title: "One message at once, 7 x 7 x 7, 3D(2,1), hybrid(all)".into(),
            across: "failures".into(),
            up: "times as long as before failures".into(),
            curves,
        })
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

fn by_failure(found: &Sample, mut of: impl FnMut(&After) -> f64) -> Vec<(f64, f64)> {
    found.after.iter().zip(1..).map(|(after, at)| (f64::from(at), of(after))).collect()
}

/// All numbers of failures up to 10, then increasingly sparse ones, up to the most.
fn spread(most: usize) -> Vec<usize> {
    let next = |&last: &usize| Some(last + 1 + last / 10);
    let all = std::iter::successors(Some(0), next);
    all.take_while(|&failures| failures < most).chain([most]).collect()
}

fn collisions(title: String, curves: Vec<Curve>) -> Plot {
    Plot { title, across: "failures".into(), up: "messages on the most used link".into(), curves }
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
