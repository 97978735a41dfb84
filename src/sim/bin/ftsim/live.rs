//! `--watch`: pages that show the run, halt it, kill nodes, and ask for another run.

use crate::border::{margin, nearest_side};
use crate::track::Track;
use ftmpi_base::random::Random;
use ftmpi_cli::numbers::finite;
use ftmpi_sim::natural::{Application, Row, World, deaths};
use ftmpi_sim::output::remark;
use ftmpi_sim::stage::{self, Run, Wish};
use ftmpi_view::{Feed, Frame, Image, Order, Recorder, Scene, Setup, Slider, Slow};
use std::path::Path;
use std::sync::Arc;

/// The pages, which watch one run after the other.
pub(crate) struct Live {
    feed: Arc<Feed>,
    /// The next run that a page has asked for, and the order to answer when it has begun.
    wish: Option<Vec<(String, String)>>,
    asked: Option<Order>,
    /// The command line of the run, and the check whether another one can be run.
    words: Vec<String>,
    check: Check,
}

/// Says why a command line cannot be run.
pub(crate) type Check = fn(&[String]) -> Result<(), String>;

/// What people see of a run besides its nodes.
pub(crate) struct Show<'a, A: Application> {
    pub(crate) title: String,
    pub(crate) scale: [String; 3],
    /// The last column of the counters, and its name.
    pub(crate) track: &'a dyn Track<A>,
    /// The choices for another run, and this run's values.
    pub(crate) setup: Vec<Setup>,
    /// The values at the left, right, lower and upper border, if they are constant.
    pub(crate) sides: Option<[f64; 4]>,
    /// The border's description if they are not; empty: these values.
    pub(crate) border: &'static str,
    /// By node: its initial value, if it is at the border.
    pub(crate) fixed: Option<&'a [Option<f64>]>,
    /// A remark to show after the set-up.
    pub(crate) note: Option<String>,
}

/// What to run next.
pub(crate) enum Again {
    With(Vec<(String, String)>),
    /// The run before this one: the requested one is impossible.
    Before,
}

const SIDES: [&str; 4] = ["left", "right", "lower", "upper"];

impl Live {
    pub(crate) fn open(port: u16, check: Check) -> Result<Live, String> {
        let feed = Arc::new(Feed::default());
        let address = ftmpi_view::serve(feed.clone(), port, ftmpi_view::thread)?;
        remark("ftsim", &format!("watch it at {address}"));
        Ok(Live { feed, wish: None, asked: None, words: Vec::new(), check })
    }

    /// The run with these words begins.
    pub(crate) fn begin(&mut self, words: &[String]) {
        self.words = words.to_vec();
    }

    /// Records the run from now on, unless a recording exists already.
    pub(crate) fn keep(&self, path: &Path) -> Result<(), String> {
        if !self.feed.is_kept() {
            self.feed.keep(Recorder::create(path, Slow::LeavesOut, ftmpi_view::thread)?);
        }
        Ok(())
    }

    /// Draws the run on the terminal, too.
    pub(crate) fn draw(&self) -> Result<(), String> {
        if self.feed.is_drawn() {
            return Ok(());
        }
        self.feed.draw_on(stage::terminal(), ftmpi_view::thread)
    }

    /// Ends the views.
    pub(crate) fn finish(&self) -> Result<(), String> {
        self.feed.finish(None).map_err(String::from)
    }

    /// What to run after a finished run; nothing if no page asks for more.
    pub(crate) fn again(&mut self, done: &Result<String, String>) -> Option<Again> {
        if let Some(wish) = self.wish.take() {
            return Some(Again::With(wish));
        }
        let order = self.asked.take()?;
        order.answer(Err(done.as_ref().err().cloned().unwrap_or_default()));
        Some(Again::Before)
    }

    /// Runs as pages direct, until one of them ends the run or asks for another.
    pub(crate) fn play<A: Application>(
        &mut self, world: &mut World<A>, show: &Show<'_, A>, ticks: u64, every: u64,
    ) {
        if let Some(order) = self.asked.take() {
            let note = show.note.as_ref().map_or(String::new(), |note| format!(": {note}"));
            order.answer(Ok(format!("set up{note}")));
        }
        let mut watched = Watched {
            world,
            show,
            moved: [None; 4],
            words: &self.words,
            check: self.check,
            random: Random::new(1),
            tick: 0,
            end: ticks,
            has_more: true,
            doomed: Vec::new(),
        };
        if let Some(Wish { pairs, order }) = stage::play(&self.feed, &mut watched, every) {
            (self.wish, self.asked) = (Some(pairs), Some(order));
        }
    }
}

impl Again {
    /// The words of a command line for it; `good` is the last one that ran.
    pub(crate) fn overlaid(self, arguments: Vec<String>, good: &[String]) -> Vec<String> {
        match self {
            Again::With(pairs) => overlaid(arguments, &pairs),
            Again::Before => good.to_vec(),
        }
    }
}

/// The words of a command line, with other values for some options.
fn overlaid(mut words: Vec<String>, pairs: &[(String, String)]) -> Vec<String> {
    for (name, value) in pairs {
        if name == "problem" {
            if let Some(word) = words.iter_mut().find(|word| !word.starts_with('-')) {
                word.clone_from(value);
            }
            continue;
        }
        let dashed = format!("--{name}");
        while let Some(at) = words.iter().position(|word| word.split('=').next() == Some(&dashed)) {
            let has_value = !words.remove(at).contains('=') && at < words.len();
            if has_value {
                words.remove(at);
            }
        }
        if !value.trim().is_empty() {
            words.push(format!("{dashed}={}", value.trim()));
        }
    }
    words
}

/// The constant part; `moved` is where the border has been moved to.
pub(crate) fn scene<A: Application>(
    world: &World<A>, show: &Show<'_, A>, moved: &[Option<f64>; 4],
) -> Scene {
    let slider = |((name, value), moved): ((&&'static str, f64), &Option<f64>)| Slider {
        name,
        range: [-1.0, 1.0],
        value: moved.unwrap_or(value),
        instead: if moved.is_some() { "" } else { show.border },
    };
    let sides = show.sides.iter().flatten().copied();
    Scene {
        title: show.title.clone(),
        places: world.graph().places.clone(),
        kinds: Vec::new(),
        scale: show.scale.clone(),
        series: vec![show.track.name(), "messages", "alive"],
        sliders: SIDES.iter().zip(sides).zip(moved).map(slider).collect(),
        setup: show.setup.clone(),
        has_clock: true,
        has_deaths: true,
        has_way_back: show.fixed.is_some() && moved.iter().any(Option::is_some),
        ..Scene::default()
    }
}

/// The picture before a tick.
pub(crate) fn frame<A: Application>(
    world: &World<A>, show: &Show<'_, A>, tick: u64, state: &'static str, doomed: &[u32],
    is_plotted: bool,
) -> Frame {
    let count = world.graph().nodes() as usize;
    let mut bytes = Image::room(count);
    let mut paint = |row: &Row<'_, A>| row.paint(&mut bytes);
    let tracked = if is_plotted {
        show.track.of(world, &mut paint)
    } else {
        world.rows().for_each(|row| paint(&row));
        f64::NAN
    };
    bytes.extend(world.lives());
    let mut image = Image::of_bytes(count, bytes);
    doomed.iter().for_each(|&node| image.bury(node as usize));
    let delivered = world.counters().delivered;
    Frame {
        tick,
        state,
        series: vec![tracked, delivered as f64, image.living() as f64],
        image,
        ..Frame::default()
    }
}

/// A run that pages watch.
struct Watched<'a, A: Application> {
    world: &'a mut World<A>,
    show: &'a Show<'a, A>,
    /// Where the border has been moved to.
    moved: [Option<f64>; 4],
    words: &'a [String],
    check: Check,
    random: Random,
    /// The next tick, and the last one.
    tick: u64,
    end: u64,
    has_more: bool,
    /// The nodes that will die at the next tick.
    doomed: Vec<u32>,
}

impl<A: Application> Run for Watched<'_, A> {
    fn scene(&self) -> Scene {
        scene(self.world, self.show, &self.moved)
    }

    fn point(&self) -> Option<(u64, Vec<f64>)> {
        self.show.track.is_quick().then(|| {
            let tracked = self.show.track.of(self.world, &mut |_| ());
            let (delivered, alive) = (self.world.counters().delivered, self.world.living());
            (self.tick, vec![tracked, delivered as f64, alive as f64])
        })
    }

    fn accepts(&self, pairs: &[(String, String)]) -> Result<(), String> {
        (self.check)(&overlaid(self.words.to_vec(), pairs))
    }

    fn frame(&self, state: &'static str, is_plotted: bool) -> Frame {
        frame(self.world, self.show, self.tick, state, &self.doomed, is_plotted)
    }

    fn step(&mut self, _: &Feed) {
        self.has_more = self.world.run_until(self.tick);
        self.show.track.look(self.world);
        self.tick += 1;
        self.doomed.clear();
    }

    fn rest(&self) -> Option<&'static str> {
        match () {
            () if self.tick > self.end => Some("at its last tick"),
            () if !self.has_more => Some("at rest"),
            () => None,
        }
    }

    fn now(&self) -> String {
        format!("tick {} comes next", self.tick)
    }

    fn obey(&mut self, word: &str, rest: &str, feed: &Feed) -> Result<String, String> {
        match word {
            "info" => self.node(rest).map(|node| self.told(node)),
            "kill" => {
                let node = self.node(rest)?;
                self.kill(&[node as usize])
            }
            "region" => self.kill_region(rest),
            "border" => {
                let is_way_back = rest.trim() == "back" && self.show.fixed.is_some();
                if is_way_back { Ok(self.border_back(feed)) } else { self.border(rest, feed) }
            }
            _ => Err(format!(
                "`{word}`: use go, halt, step, speed, info, kill, region, border, setup or quit"
            )),
        }
    }
}

impl<A: Application> Watched<'_, A> {
    fn node(&self, text: &str) -> Result<u32, String> {
        let count = self.world.graph().nodes();
        let node = text.trim().parse().ok().filter(|&node| node < count);
        node.ok_or_else(|| format!("`{text}` is not a node: they are 0 to {}", count - 1))
    }

    fn told(&self, node: u32) -> String {
        let [x, y] = self.world.graph().places[node as usize];
        let is_alive = self.world.is_alive(node) && !self.doomed.contains(&node);
        let life = if is_alive { "" } else { "dead; " };
        format!("node {node} at {x:.3}, {y:.3}: {life}{}", self.world.info(node))
    }

    fn kill(&mut self, nodes: &[usize]) -> Result<String, String> {
        let mut count = 0;
        for &node in nodes {
            let node = node as u32;
            if self.world.is_alive(node) && !self.doomed.contains(&node) {
                self.world.kill(self.tick, node);
                self.doomed.push(node);
                count += 1;
            }
        }
        self.has_more = true;
        match (count, nodes) {
            (1, [node]) => Ok(format!("node {node} dies at tick {}", self.tick)),
            (0, [node]) => Ok(format!("node {node} is dead")),
            _ => Ok(format!("{count} nodes die at tick {}", self.tick)),
        }
    }

    fn kill_region(&mut self, rest: &str) -> Result<String, String> {
        let words: Vec<_> = rest.split_whitespace().collect();
        let [x0, y0, x1, y1, percent] = words[..] else {
            return Err("expected region X0 Y0 X1 Y1 PERCENT".into());
        };
        let who = format!("{percent}% of box {x0},{y0}..{x1},{y1}");
        let nodes = deaths::parse(&who, self.world.graph())?;
        let is_alive = |node: usize| self.world.is_alive(node as u32);
        let victims = nodes.pick(&mut self.random, is_alive);
        self.kill(&victims)
    }

    fn border(&mut self, rest: &str, feed: &Feed) -> Result<String, String> {
        let (side, value) = rest.split_once(' ').unwrap_or((rest, ""));
        let at = SIDES.iter().position(|name| *name == side);
        let (Some(at), Some(value)) = (at.filter(|_| self.show.sides.is_some()), finite(value))
        else {
            return Err(
                "expected border left|right|lower|upper VALUE, where there is a border".into()
            );
        };
        let is_first = self.moved.iter().all(Option::is_none);
        self.moved[at] = Some(value);
        let margin = margin(self.world.graph());
        let mut only = [0.0; 4];
        only[at] = 1.0;
        for node in 0..self.world.graph().nodes() {
            let [x, y] = self.world.graph().places[node as usize].map(f64::from);
            let is_there = x.min(y).min(1.0 - x).min(1.0 - y) < margin;
            if is_there && nearest_side(&only, x, y) == 1.0 {
                self.world.border(self.tick, node, value);
            }
        }
        self.has_more = true;
        if is_first {
            self.show.track.border_moved(true);
            feed.set(self.scene());
        }
        Ok(format!("{side}: {value}"))
    }

    /// Resets the border to its initial values.
    fn border_back(&mut self, feed: &Feed) -> String {
        let fixed = self.show.fixed.unwrap_or_default();
        for (fixed, node) in fixed.iter().zip(0..) {
            if let Some(value) = fixed {
                self.world.border(self.tick, node, *value);
            }
        }
        (self.moved, self.has_more) = ([None; 4], true);
        self.show.track.border_moved(false);
        feed.set(self.scene());
        "the border is as it was in the beginning".into()
    }
}
