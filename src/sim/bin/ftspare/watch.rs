//! `--watch`: a machine whose nodes fail one by one, and the moves of its ranks.

use ftmpi_base::random::Random;
use ftmpi_machine::map;
use ftmpi_machine::placement::{Move, Use};
use ftmpi_machine::spares::Method;
use ftmpi_machine::topology::Topology;
use ftmpi_machine::traffic::Traffic;
use ftmpi_machine::wires;
use ftmpi_sim::spares::{Case, Study};
use ftmpi_sim::stage::Run;
use ftmpi_view::{Feed, Frame, Image, Scene, heat};
use std::collections::VecDeque;

/// The kinds of nodes.
const KINDS: [&str; 5] =
    ["rank where it began", "rank that has moved", "spare", "spare that was vacated", "is to move"];
const VIEWS: [&str; 2] = ["what nodes are", "messages on the busiest link at a node"];

/// The ranks whose nodes fail, one after the other.
pub(crate) enum Fates {
    /// As in a sample's first case.
    Drawn {
        random: Random,
        left: usize,
    },
    Listed(VecDeque<usize>),
}

/// A failure whose moves have not begun yet.
struct Plan {
    rank: usize,
    method: Method,
    moves: Vec<Move>,
}

/// A machine that pages watch.
pub(crate) struct Watched<'a> {
    study: &'a Study,
    case: Case<'a>,
    places: Vec<[f32; 2]>,
    /// By node: the rank that was there in the beginning, or none.
    first: Vec<Option<u32>>,
    fates: Fates,
    /// The nodes that fail before all others, chosen by hand.
    doomed: VecDeque<usize>,
    plan: Option<Plan>,
    /// The latest moves, from and to.
    trail: Vec<[u32; 2]>,
    failures: u64,
    moved: u64,
    is_stuck: bool,
    view: usize,
    top: f64,
    random: Random,
}

impl<'a> Watched<'a> {
    pub(crate) fn new(study: &'a Study, fates: Fates) -> Watched<'a> {
        let case = study.case(true);
        let mut first = vec![None; study.grid.nodes()];
        for (&node, rank) in case.placement.seats().iter().zip(0..) {
            first[node as usize] = Some(rank);
        }
        let mut watched = Watched {
            places: map::of_grid(&study.grid),
            study,
            case,
            first,
            fates,
            doomed: VecDeque::new(),
            plan: None,
            trail: Vec::new(),
            failures: 0,
            moved: 0,
            is_stuck: false,
            view: 0,
            top: 0.0,
            random: Random::new(1),
        };
        watched.look_at_links();
        watched
    }

    fn look_at_links(&mut self) {
        let loads = (0..self.places.len()).map(|node| self.load(node) as f64);
        self.top = loads.fold(self.top, f64::max);
    }

    fn traffic(&self) -> &Traffic {
        self.case.traffic.as_ref().expect("they are counted")
    }

    /// The links out of a node, each with the one in the opposite direction.
    fn links(&self, node: usize) -> impl Iterator<Item = (usize, Option<usize>)> {
        let grid = &self.study.grid;
        let ways = 2 * grid.dims().len();
        (0..ways).map(move |way| {
            let back = grid.step(node, way / 2, way % 2 == 1);
            (ways * node + way, back.map(|other| ways * other + (way ^ 1)))
        })
    }

    /// The messages on the busiest link out of a node or into it, since dead nodes show no heat.
    fn load(&self, node: usize) -> usize {
        let links = self.links(node).flat_map(|(out, back)| [Some(out), back]).flatten();
        links.map(|link| self.traffic().uses(link)).max().unwrap_or(0)
    }

    fn name(&self, node: u32) -> String {
        let place = self.study.grid.place(node as usize);
        place.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
    }

    /// Messages beyond the first on their link, and the most on one.
    fn told_traffic(&self) -> [u64; 2] {
        [self.traffic().collisions(), self.traffic().worst() as u64]
    }

    fn next_rank(&mut self) -> Option<usize> {
        if let Some(rank) = self.doomed.pop_front() {
            return Some(rank);
        }
        match &mut self.fates {
            Fates::Listed(ranks) => ranks.pop_front(),
            Fates::Drawn { random, left } => {
                *left = left.checked_sub(1)?;
                Some(random.below(self.study.ranks() as u64) as usize)
            }
        }
    }

    /// The node of a rank fails: which ranks move?
    fn fail(&mut self, rank: usize, feed: &Feed) {
        self.trail.clear();
        let node = self.name(self.case.placement.seats()[rank]);
        let number = self.failures + 1;
        match self.case.plan(rank) {
            Some((method, moves)) => {
                self.failures = number;
                feed.say(format!("failure {number}: node {node} of rank {rank}"));
                self.plan = Some(Plan { rank, method, moves });
            }
            None => {
                // From now on nothing fails automatically, as in a sample.
                self.fates = Fates::Listed(VecDeque::new());
                self.is_stuck = true;
                feed.say(format!("node {node} of rank {rank} would have no substitute: the end"));
            }
        }
    }

    /// Carries out the moves.
    fn settle(&mut self, plan: Plan, feed: &Feed) {
        const MOST_NAMED: usize = 6;
        let [collisions, worst] = self.told_traffic();
        let Plan { rank, method, moves } = plan;
        let spare =
            moves.iter().find(|step| self.case.placement.node(step.to as usize) == Use::Spare);
        let spare = spare.map_or(String::new(), |step| format!(", spare {}", self.name(step.to)));
        self.case.go(rank, &moves);
        self.look_at_links();
        self.moved += moves.len() as u64;
        let [after, most] = self.told_traffic();
        let mut named: Vec<_> = moves
            .iter()
            .take(MOST_NAMED)
            .map(|Move { rank, from, to }| {
                format!("rank {rank} from {} to {}", self.name(*from), self.name(*to))
            })
            .collect();
        if moves.len() > MOST_NAMED {
            named.push(format!("{} more", moves.len() - MOST_NAMED));
        }
        feed.say(format!(
            "failure {}: {}D{spare}: {}; collisions {collisions} → {after}, on one link {worst} → \
             {most}",
            self.failures,
            method.0,
            named.join(", ")
        ));
        self.trail = moves.iter().map(|step| [step.from, step.to]).collect();
    }

    fn kind(&self, node: usize) -> Option<u8> {
        match self.case.placement.node(node) {
            Use::Rank(rank) => Some(u8::from(self.first[node] != Some(rank))),
            Use::Spare => Some(if self.first[node].is_none() { 2 } else { 3 }),
            Use::Failed(_) | Use::Dead => None,
        }
    }

    fn told(&self, node: usize) -> String {
        let what = match self.case.placement.node(node) {
            Use::Rank(rank) => format!("rank {rank}"),
            Use::Spare => "a spare".into(),
            Use::Failed(_) | Use::Dead => "dead".into(),
        };
        let began = match self.first[node] {
            Some(rank) => format!("rank {rank} began here"),
            None => "a spare in the beginning".into(),
        };
        let links: usize = self.links(node).map(|(out, _)| self.traffic().uses(out)).sum();
        let (name, most) = (self.name(node as u32), self.load(node));
        format!(
            "node {node} at {name}: {what}; {began}; {links} messages out of it, \
             {most} on its busiest link"
        )
    }

    /// The rank on a node.
    fn rank_of(&self, node: usize) -> Result<usize, String> {
        match self.case.placement.node(node) {
            Use::Rank(rank) => Ok(rank as usize),
            _ => Err(format!("node {}: only nodes fail that have a rank", self.name(node as u32))),
        }
    }

    fn node(&self, text: &str) -> Result<usize, String> {
        let count = self.places.len();
        let node = text.trim().parse().ok().filter(|&node| node < count);
        node.ok_or_else(|| format!("`{text}` is not a node: they are 0 to {}", count - 1))
    }

    /// A share of the ranks in a region loses its nodes, step by step.
    fn kill_region(&mut self, rest: &str) -> Result<String, String> {
        let numbers: Option<Vec<f64>> =
            rest.split_whitespace().map(|word| word.parse().ok()).collect();
        let Some(&[x0, y0, x1, y1, percent]) = numbers.as_deref() else {
            return Err("expected region X0 Y0 X1 Y1 PERCENT".into());
        };
        if !(0.0..=100.0).contains(&percent) {
            return Err(format!("{percent} percent: use 0 to 100"));
        }
        let is_inside = |node: &usize| {
            let [x, y] = self.places[*node].map(f64::from);
            (x0..=x1).contains(&x) && (y0..=y1).contains(&y)
        };
        let inside = (0..self.places.len()).filter(is_inside);
        let mut ranks: Vec<usize> = inside.filter_map(|node| self.rank_of(node).ok()).collect();
        let wanted = (ranks.len() as f64 * percent / 100.0).round() as usize;
        for place in 0..wanted {
            let other = place + self.random.below((ranks.len() - place) as u64) as usize;
            ranks.swap(place, other);
        }
        self.doomed.extend(&ranks[..wanted]);
        self.is_stuck = false;
        Ok(format!("{wanted} nodes are to fail"))
    }
}

impl Run for Watched<'_> {
    fn scene(&self) -> Scene {
        let shape = if self.study.grid.wraps() { "torus" } else { "mesh" };
        let dims: Vec<_> = self.study.grid.dims().iter().map(u32::to_string).collect();
        Scene {
            title: format!("spares {} on a {shape} of {}", self.study.spares, dims.join(" × ")),
            places: self.places.clone(),
            grid: self.study.grid.dims().to_vec(),
            has_links: matches!(self.study.network, Topology::Grid(_)),
            unit: "failure",
            kinds: if self.view == 0 { KINDS.to_vec() } else { Vec::new() },
            mark: "the node that fails",
            arrow: "a rank moves",
            scale: [VIEWS[1].into(), "0".into(), "the most".into()],
            series: vec!["collisions", "most on one link", "moves", "spares left"],
            views: VIEWS.to_vec(),
            view: self.view,
            has_clock: true,
            has_deaths: true,
            ..Scene::default()
        }
    }

    fn frame(&self, state: &'static str, _: bool) -> Frame {
        let count = self.places.len();
        let mut kinds: Vec<_> = (0..count).map(|node| self.kind(node)).collect();
        let (mut marks, mut arrows) = (Vec::new(), self.trail.clone());
        if let Some(plan) = &self.plan {
            let failed = self.case.placement.seats()[plan.rank];
            for step in &plan.moves {
                kinds[step.from as usize] = Some(4);
            }
            kinds[failed as usize] = None;
            marks.push(failed);
            arrows = plan.moves.iter().map(|step| [step.from, step.to]).collect();
        }
        let [collisions, worst] = self.told_traffic();
        let colour = |node: usize| {
            kinds[node].map(|kind| match self.view {
                0 => kind,
                _ => heat(self.load(node) as f64, self.top),
            })
        };
        let spares = self.case.placement.spares();
        Frame {
            tick: self.failures,
            state,
            series: [collisions, worst, self.moved, spares as u64].map(|it| it as f64).to_vec(),
            image: Image::of((0..count).map(colour)),
            marks,
            arrows,
            top: (self.view == 1).then_some(self.top),
        }
    }

    /// A node fails; or, if one has failed, its ranks move.
    fn step(&mut self, feed: &Feed) {
        if let Some(plan) = self.plan.take() {
            return self.settle(plan, feed);
        }
        match self.next_rank() {
            Some(rank) => self.fail(rank, feed),
            None => self.is_stuck = true,
        }
    }

    fn rest(&self) -> Option<&'static str> {
        self.is_stuck.then_some("at rest")
    }

    fn now(&self) -> String {
        let moving = if self.plan.is_some() { ", no rank has moved yet" } else { "" };
        format!("{} failures{moving}", self.failures)
    }

    fn obey(&mut self, word: &str, rest: &str, feed: &Feed) -> Result<String, String> {
        match word {
            "info" => self.node(rest).map(|node| self.told(node)),
            "kill" => {
                let node = self.node(rest)?;
                // Ranks under way arrive first.
                if let Some(plan) = self.plan.take() {
                    self.settle(plan, feed);
                }
                let rank = self.rank_of(node)?;
                self.is_stuck = false;
                self.fail(rank, feed);
                let name = self.name(node as u32);
                match &self.plan {
                    Some(_) => Ok(format!("node {name} of rank {rank} fails")),
                    None => Err(format!("node {name}: rank {rank} would have no substitute")),
                }
            }
            "region" => self.kill_region(rest),
            "links" => Ok(wires::loads(&self.study.grid, |link| self.traffic().uses(link) as u64)),
            "view" => {
                let view = VIEWS.iter().position(|view| *view == rest);
                self.view =
                    view.ok_or_else(|| format!("view {rest}: use {}", VIEWS.join(" or ")))?;
                feed.set(self.scene());
                Ok(rest.into())
            }
            _ => Err(format!(
                "`{word}`: use go, halt, step, speed, info, links, kill, region, view or quit"
            )),
        }
    }
}
