//! Drawings of small machines: the state of each node, the moves, and the number of messages on
//! each link. All of it is read off a placement and the counts of its links.

use super::plot::plain;
use super::study::{Case, Study};
use super::svg::{Anchor, arrow, line, rect, sheet, text};
use crate::plane::distance;
use crate::report::Report;
use ftmpi_machine::placement::{Move, Placement, Use};
use ftmpi_machine::topology::{Grid, Topology};
use ftmpi_machine::traffic::Traffic;
use std::fmt::Write;

/// Some machines side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    pub title: String,
    pub panels: Vec<Panel>,
    /// How many panels are in a row.
    pub columns: usize,
}

/// One machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    pub title: String,
    dims: [usize; 2],
    /// By node: its kind, and its label.
    pub nodes: Vec<(Kind, String)>,
    /// The moves of ranks, from and to.
    pub moves: Vec<[u32; 2]>,
    /// The links, from and to, and their messages.
    pub links: Vec<([u32; 2], usize)>,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Rank,
    Moved,
    Spare,
    Vacated,
    Dead,
    /// Alive, but left out.
    Idle,
}

const KINDS: [Kind; 6] =
    [Kind::Rank, Kind::Moved, Kind::Spare, Kind::Vacated, Kind::Dead, Kind::Idle];
/// The space between panels, and above them for their titles.
const GAP: f64 = 26.0;
const TITLE: f64 = 30.0;
/// More links than this are not ringed.
const FEW: usize = 4;
/// The average width of a letter in a title.
const LETTER: f64 = 7.0;
/// Larger machines have smaller nodes.
const LARGE: usize = 10;

impl Panel {
    /// The nodes of a two-dimensional placement. A rank is labelled with the number of its first
    /// node; a spare node that hosted a rank in the beginning is vacated.
    pub fn of(title: String, study: &Study, placement: &Placement) -> Panel {
        let kind = |node: usize| match placement.node(node) {
            Use::Rank(rank) => {
                let first = study.first_seat(rank as usize);
                (if first == node { Kind::Rank } else { Kind::Moved }, first.to_string())
            }
            Use::Spare if study.first_use(node) == Use::Spare => (Kind::Spare, "S".into()),
            Use::Spare => (Kind::Vacated, String::new()),
            Use::Failed(_) | Use::Dead => (Kind::Dead, "F".into()),
        };
        let grid = placement.grid();
        let nodes = (0..grid.nodes()).map(kind).collect();
        Panel { title, dims: plane(grid), nodes, moves: Vec::new(), links: Vec::new() }
    }

    /// The panel of a case, with the messages on all links if they are counted.
    pub fn of_case(title: String, study: &Study, case: &Case) -> Panel {
        let mut panel = Panel::of(title, study, &case.placement);
        panel.links = case.traffic.as_ref().map_or(Vec::new(), |counted| used(study, counted));
        panel
    }

    /// The nodes of a mesh, all alike.
    pub fn plain(title: String, grid: &Grid) -> Panel {
        let nodes = (0..grid.nodes()).map(|node| (Kind::Rank, node.to_string())).collect();
        Panel { title, dims: plane(grid), nodes, moves: Vec::new(), links: Vec::new() }
    }

    pub fn with_moves(mut self, moves: &[Move]) -> Panel {
        self.moves.extend(moves.iter().map(|step| [step.from, step.to]));
        self
    }

    /// How many messages the most used link has.
    pub fn most(&self) -> usize {
        self.links.iter().map(|(_, messages)| *messages).max().unwrap_or(0)
    }

    fn cell(&self) -> f64 {
        if self.is_large() { 26.0 } else { 44.0 }
    }

    fn is_large(&self) -> bool {
        self.dims[0] > LARGE
    }

    fn size(&self) -> [f64; 2] {
        self.dims.map(|extent| extent as f64 * self.cell())
    }

    /// The middle of a node.
    fn at(&self, node: u32) -> (f64, f64) {
        let (x, y) = (node as usize % self.dims[0], node as usize / self.dims[0]);
        ((x as f64 + 0.5) * self.cell(), (y as f64 + 0.5) * self.cell())
    }

    fn shapes(&self) -> String {
        let mut svg = text((0.0, -10.0), Anchor::Start, " font-size=\"13\"", &self.title);
        let half = self.cell() * 0.3;
        let most = self.most();
        for &([from, to], messages) in &self.links {
            svg += &match messages {
                // If there is little room, both directions of a link with one message are one thin
                // line.
                1 if self.is_large() && from > to => String::new(),
                1 if self.is_large() => line(self.at(from), self.at(to), " stroke=\"#cccccc\""),
                _ => self.link(from, to, messages, most),
            };
        }
        let size = half * 0.9;
        let _ = writeln!(svg, "<g stroke=\"#555555\">");
        for ((kind, _), node) in self.nodes.iter().zip(0..) {
            let (x, y) = self.at(node);
            let look = format!(" fill=\"{}\"", kind.colour());
            svg += &rect((x - half, y - half), (2.0 * half, 2.0 * half), &look);
        }
        let _ = writeln!(svg, "</g>\n<g font-size=\"{size:.0}\">");
        let labels = self.nodes.iter().zip(0..).filter(|((_, label), _)| !label.is_empty());
        for ((_, label), node) in labels {
            let (x, y) = self.at(node);
            svg += &text((x, y + half * 0.35), Anchor::Middle, "", label);
        }
        svg += "</g>\n";
        for &[from, to] in &self.moves {
            let ((x1, y1), (x2, y2)) = (self.at(from), self.at(to));
            let length = distance([x1, y1], [x2, y2]).max(1e-9);
            let inside = half * 0.6 / length;
            let toward = |part: f64| (x1 + (x2 - x1) * part, y1 + (y2 - y1) * part);
            svg += &arrow(toward(inside), toward(1.0 - inside), "#000000", 1.6);
        }
        svg
    }

    /// A link whose two directions are drawn side by side; with a ring around the most used, if
    /// they are few.
    fn link(&self, from: u32, to: u32, messages: usize, most: usize) -> String {
        let ((x1, y1), (x2, y2)) = (self.at(from), self.at(to));
        let (along, across) = ((x2 - x1) / self.cell(), (y2 - y1) / self.cell());
        let (aside, half) = (self.cell() * 0.12, self.cell() * 0.3);
        let end = |(x, y): (f64, f64), sign: f64| {
            (x - across * aside + sign * along * half, y + along * aside + sign * across * half)
        };
        let (from, to) = (end((x1, y1), 1.0), end((x2, y2), -1.0));
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        let colour = match messages {
            1 => "#999999",
            _ if messages == most => "#d00000",
            _ => "#e69f00",
        };
        let width = (0.6 + 0.35 * messages as f64).min(self.cell() * 0.065);
        let mut svg = arrow(from, to, colour, width);
        let equal = self.links.iter().filter(|(_, messages)| *messages == most).count();
        if messages == most && most > 1 && equal <= FEW {
            let (x, y) = middle;
            let radius = self.cell() * 0.3;
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"none\" \
                 stroke=\"#d00000\"/>"
            );
            let count = " font-weight=\"bold\" fill=\"#d00000\"";
            let beside = (x - across * radius * 1.6, y + along * radius * 1.6 + 4.0);
            svg += &text(beside, Anchor::Middle, count, &messages.to_string());
        }
        svg
    }
}

impl Drawing {
    pub fn svg(&self) -> String {
        let most = |axis: usize| self.panels.iter().map(|one| one.size()[axis]).fold(0.0, f64::max);
        let titles = self.panels.iter().map(|panel| panel.title.chars().count());
        let title = titles.max().unwrap_or(0) as f64 * LETTER;
        let (wide, high) = (most(0).max(title) + GAP, most(1) + TITLE + GAP);
        let rows = self.panels.len().div_ceil(self.columns);
        let (width, below) = (wide * self.columns as f64 + GAP, 34.0 + rows as f64 * high);
        let mut svg = text((GAP, 24.0), Anchor::Start, " font-size=\"15\"", &self.title);
        for (panel, at) in self.panels.iter().zip(0..) {
            let (x, y) = (GAP + (at % self.columns) as f64 * wide, 34.0 + TITLE);
            let y = y + (at / self.columns) as f64 * high;
            let _ = writeln!(svg, "<g transform=\"translate({x:.1} {y:.1})\">");
            svg += &panel.shapes();
            svg += "</g>\n";
        }
        let is_there = |kind: &&Kind| {
            self.panels.iter().any(|panel| panel.nodes.iter().any(|(other, _)| other == *kind))
        };
        let (mut x, mut y) = (GAP, below + 4.0);
        for kind in KINDS.iter().filter(is_there) {
            if x + kind.width() > width {
                (x, y) = (GAP, y + 20.0);
            }
            let look = format!(" fill=\"{}\" stroke=\"#555555\"", kind.colour());
            svg += &rect((x, y), (12.0, 12.0), &look);
            svg += &text((x + 18.0, y + 10.0), Anchor::Start, "", kind.name());
            x += kind.width();
        }
        sheet(width, y + 26.0, &svg)
    }

    /// A line for each node, each move and each link with messages.
    pub fn csv(&self) -> String {
        let mut text = String::from("panel,what,from,to,is\n");
        for (panel, at) in self.panels.iter().zip(1..) {
            let title = plain(&panel.title);
            let _ = writeln!(text, "{at},title,,,{title}");
            for ((kind, label), node) in panel.nodes.iter().zip(0..) {
                let (name, label) = (kind.name(), plain(label));
                let _ = writeln!(text, "{at},node,{node},{label},{name}");
            }
            for [from, to] in &panel.moves {
                let _ = writeln!(text, "{at},move,{from},{to},");
            }
            for ([from, to], messages) in &panel.links {
                let _ = writeln!(text, "{at},link,{from},{to},{messages}");
            }
        }
        text
    }

    /// By panel: its title, its moves and the messages on its most used link.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        report.add("title", self.title.as_str());
        let titles = self.panels.iter().map(|panel| panel.title.as_str());
        report.add("panels", titles.collect::<Vec<_>>());
        let moves =
            |panel: &Panel| panel.moves.iter().map(|step| step.to_vec()).collect::<Vec<_>>();
        report.add("moves", self.panels.iter().map(moves).collect::<Vec<_>>());
        report.add("most_uses", self.panels.iter().map(Panel::most).collect::<Vec<_>>());
        report
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Rank => "rank where it began",
            Kind::Moved => "rank that has moved",
            Kind::Spare => "spare",
            Kind::Vacated => "vacated: a spare from now on",
            Kind::Dead => "failed",
            Kind::Idle => "left out",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Kind::Rank => "#ffffff",
            Kind::Moved => "#56b4e9",
            Kind::Spare => "#b8e0c8",
            Kind::Vacated => "#e6f4ea",
            Kind::Dead => "#cc79a7",
            Kind::Idle => "#dddddd",
        }
    }

    /// The width of its line in the legend.
    fn width(self) -> f64 {
        40.0 + 6.2 * self.name().len() as f64
    }
}

fn plane(grid: &Grid) -> [usize; 2] {
    let dims = grid.dims();
    assert_eq!(dims.len(), 2, "drawings are of planes");
    [dims[0] as usize, dims[1] as usize]
}

/// All links that carry messages.
fn used(study: &Study, traffic: &Traffic) -> Vec<([u32; 2], usize)> {
    let (grid, network) = (&study.grid, Topology::Grid(study.grid.clone()));
    let ways = (0..grid.nodes()).flat_map(|node| {
        let steps = [(0, false), (0, true), (1, false), (1, true)];
        steps.into_iter().filter_map(move |(dim, up)| Some((node, grid.step(node, dim, up)?)))
    });
    let counted = ways.map(|(from, to)| {
        let mut messages = 0;
        network.each_link(from, to, |link| messages += traffic.uses(link));
        ([from as u32, to as u32], messages)
    });
    counted.filter(|(_, messages)| *messages > 0).collect()
}
