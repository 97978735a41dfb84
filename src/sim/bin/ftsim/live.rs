//! `--watch`: pages look on, halt the run, kill nodes, and ask for another run.

use crate::{margin, nearest_side, watch};
use ftmpi_sim::base::random::Random;
use ftmpi_sim::natural::{Application, World, deaths};
use ftmpi_sim::view::{self, Feed, Frame, Order, Recorder, Scene, Setup, Slider};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The pages, whichever run they look at.
pub(crate) struct Live {
    feed: Arc<Feed>,
    /// Another run that is wished for, and the order that is to be answered when it has begun.
    wish: Option<Vec<(String, String)>>,
    asked: Option<Order>,
}

/// What people see of a run besides its nodes.
pub(crate) struct Show<'a, A: Application> {
    pub(crate) title: String,
    pub(crate) scale: [String; 3],
    /// The last column of the counters, and its name.
    pub(crate) track: &'a dyn Fn(&World<A>) -> f64,
    pub(crate) tracked: &'static str,
    /// What can be chosen for another run, and what this one has.
    pub(crate) setup: Vec<Setup>,
    /// The values at the left, right, lower and upper border, where there are such.
    pub(crate) sides: Option<[f64; 4]>,
}

/// What to run next.
pub(crate) enum Again {
    With(Vec<(String, String)>),
    /// What ran before: what was wished for cannot be.
    Before,
}

const SIDES: [&str; 4] = ["left", "right", "lower", "upper"];
/// A picture, and no more of the run's time than this part of it.
const PICTURE: Duration = Duration::from_micros(16_600);
const SHARE: u32 = 50;

impl Live {
    pub(crate) fn open(port: u16) -> Result<Live, String> {
        let feed = Arc::new(Feed::default());
        let address = view::serve(feed.clone(), port, view::thread)?;
        eprintln!("ftsim: watch it at {address}");
        Ok(Live { feed, wish: None, asked: None })
    }

    /// Keeps what is seen from now on, if nothing has been kept before.
    pub(crate) fn keep(&self, path: &Path) -> Result<(), String> {
        if !self.feed.is_kept() {
            self.feed.keep(Recorder::create(path)?);
        }
        Ok(())
    }

    /// Draws what is seen on the terminal, too.
    pub(crate) fn draw(&self) {
        self.feed.draw_on(watch::terminal());
    }

    /// Nothing more is to be seen.
    pub(crate) fn finish(&self) -> Result<(), String> {
        self.feed.finish_record()
    }

    /// What to run after a run that is done; nothing if nobody wishes for more.
    pub(crate) fn again(&mut self, done: &Result<String, String>) -> Option<Again> {
        if let Some(wish) = self.wish.take() {
            return Some(Again::With(wish));
        }
        let order = self.asked.take()?;
        order.answer(Err(done.as_ref().err().cloned().unwrap_or_default()));
        Some(Again::Before)
    }

    /// Lets a run go on as pages say, until one of them ends it or wishes for another.
    pub(crate) fn play<A: Application>(
        &mut self, world: &mut World<A>, show: &Show<'_, A>, ticks: u64, every: u64,
    ) {
        self.feed.set(scene(world, show));
        if let Some(order) = self.asked.take() {
            order.answer(Ok("set up".into()));
        }
        let mut stage = Stage {
            world,
            show,
            sides: show.sides.unwrap_or_default(),
            random: Random::new(1),
            tick: 0,
            end: ticks,
            goes: false,
            rate: 40,
            next: Instant::now(),
            has_more: true,
            is_changed: true,
            doomed: Vec::new(),
            shown: (Instant::now() - PICTURE, Duration::ZERO),
            every,
            is_kept: self.feed.is_kept(),
        };
        stage.keep(&self.feed);
        loop {
            while let Some(order) = self.feed.order(stage.patience()) {
                match order.words.split_once(' ').unwrap_or((&order.words, "")) {
                    ("quit", _) => {
                        order.answer(Ok("it ends".into()));
                        self.feed.end();
                        return;
                    }
                    ("setup", pairs) => {
                        let pair = |pair: &str| {
                            let (name, value) = pair.split_once('=')?;
                            Some((name.to_string(), value.to_string()))
                        };
                        self.wish = pairs.split('\t').map(pair).collect();
                        if self.wish.is_none() {
                            order.answer(Err("say setup NAME=VALUE, with tabs between".into()));
                            continue;
                        }
                        self.asked = Some(order);
                        return;
                    }
                    (word, rest) => {
                        let answer = stage.obey(word, rest, &self.feed);
                        order.answer(answer);
                    }
                }
            }
            stage.go_on(&self.feed);
            stage.paint(&self.feed);
        }
    }
}

impl Again {
    /// The words of a command line for it; `good` ran before.
    pub(crate) fn overlaid(self, arguments: Vec<String>, good: &[String]) -> Vec<String> {
        let Again::With(pairs) = self else { return good.to_vec() };
        let mut words = arguments;
        for (name, value) in pairs {
            if name == "problem" {
                if let Some(word) = words.iter_mut().find(|word| !word.starts_with('-')) {
                    *word = value;
                }
                continue;
            }
            let dashed = format!("--{name}");
            while let Some(at) =
                words.iter().position(|word| word.split('=').next() == Some(&dashed))
            {
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
}

pub(crate) fn scene<A: Application>(world: &World<A>, show: &Show<'_, A>) -> Scene {
    let slider = |(name, value): (&&'static str, f64)| Slider { name, range: [-1.0, 1.0], value };
    let sides = show.sides.iter().flatten().copied();
    Scene {
        title: show.title.clone(),
        places: world.graph().places.clone(),
        kinds: Vec::new(),
        scale: show.scale.clone(),
        series: vec![show.tracked, "messages", "alive"],
        sliders: SIDES.iter().zip(sides).map(slider).collect(),
        setup: show.setup.clone(),
        has_clock: true,
        ..Scene::default()
    }
}

/// What is seen before a tick.
pub(crate) fn frame<A: Application>(
    world: &World<A>, show: &Show<'_, A>, tick: u64, state: &'static str, doomed: &[u32],
) -> Frame {
    let colours = world.colours();
    let mut alive: Vec<bool> = colours.iter().map(Option::is_some).collect();
    doomed.iter().for_each(|&node| alive[node as usize] = false);
    let living = alive.iter().filter(|&&is_alive| is_alive).count();
    let delivered = world.counters().delivered;
    Frame {
        tick,
        state,
        series: vec![(show.track)(world), delivered as f64, living as f64],
        colours: colours.into_iter().map(Option::unwrap_or_default).collect(),
        alive,
        marks: Vec::new(),
    }
}

/// A run that pages look at.
struct Stage<'a, A: Application> {
    world: &'a mut World<A>,
    show: &'a Show<'a, A>,
    sides: [f64; 4],
    random: Random,
    /// The next tick, and the last there is.
    tick: u64,
    end: u64,
    goes: bool,
    /// Ticks a second; 0: as many as there can be.
    rate: u32,
    /// When the next tick is due.
    next: Instant,
    has_more: bool,
    is_changed: bool,
    /// Those who are to die at the next tick.
    doomed: Vec<u32>,
    /// When the last picture was shown, and how long that took.
    shown: (Instant, Duration),
    /// Each so many ticks are kept, where they are kept.
    every: u64,
    is_kept: bool,
}

impl<A: Application> Stage<'_, A> {
    fn is_under_way(&self) -> bool {
        self.goes && self.has_more && self.tick <= self.end
    }

    /// How long to wait for an order.
    fn patience(&self) -> Duration {
        let picture = if self.is_changed { PICTURE / 4 } else { Duration::from_millis(100) };
        match self.is_under_way() {
            true if self.rate == 0 => Duration::ZERO,
            true => self.next.saturating_duration_since(Instant::now()).min(picture),
            false => picture,
        }
    }

    fn go_on(&mut self, feed: &Feed) {
        let now = Instant::now();
        if !self.is_under_way() || now < self.next {
            return;
        }
        self.run_tick(feed);
        let gap = if self.rate == 0 { Duration::ZERO } else { Duration::from_secs(1) / self.rate };
        // Who cannot keep up does not catch up later.
        self.next = (self.next + gap).max(now);
    }

    fn run_tick(&mut self, feed: &Feed) {
        self.has_more = self.world.run_until(self.tick);
        self.tick += 1;
        self.doomed.clear();
        self.is_changed = true;
        self.keep(feed);
    }

    /// Keeps what is seen now, where that is wanted.
    fn keep(&mut self, feed: &Feed) {
        if self.is_kept && self.tick.is_multiple_of(self.every) {
            feed.record(&frame(self.world, self.show, self.tick, "running", &self.doomed));
        }
    }

    fn state(&self) -> &'static str {
        match () {
            () if !self.goes => "halted",
            () if self.tick > self.end => "at its last tick",
            () if !self.has_more => "at rest",
            () => "running",
        }
    }

    /// Shows what there is to see, if somebody looks and it is not too soon.
    fn paint(&mut self, feed: &Feed) {
        let (at, cost) = self.shown;
        // Until the next tick is due, a picture takes nothing away from the run.
        let has_time = self.rate != 0 && Instant::now() + cost < self.next;
        let gap = if has_time { PICTURE } else { PICTURE.max(cost * SHARE) };
        let is_due = at.elapsed() >= gap || !self.is_under_way();
        if !self.is_changed || !is_due || !feed.is_hungry() {
            return;
        }
        let begun = Instant::now();
        feed.show(&frame(self.world, self.show, self.tick, self.state(), &self.doomed));
        self.shown = (Instant::now(), begun.elapsed());
        self.is_changed = false;
    }

    fn obey(&mut self, word: &str, rest: &str, feed: &Feed) -> Result<String, String> {
        self.is_changed = true;
        match word {
            "go" => {
                (self.goes, self.next) = (true, Instant::now());
                Ok("running".into())
            }
            "halt" => {
                self.goes = false;
                Ok(format!("halted before tick {}", self.tick))
            }
            "step" => {
                self.goes = false;
                self.run_tick(feed);
                Ok(format!("tick {} is over", self.tick - 1))
            }
            "speed" => {
                self.rate =
                    rest.parse().map_err(|_| format!("speed {rest}: say ticks a second"))?;
                self.next = Instant::now();
                Ok(match self.rate {
                    0 => "as fast as it can".into(),
                    rate => format!("{rate} ticks a second"),
                })
            }
            "info" => self.node(rest).map(|node| self.told(node)),
            "kill" => {
                let node = self.node(rest)?;
                self.kill(&[node as usize])
            }
            "region" => self.kill_region(rest),
            "border" => self.border(rest),
            _ => Err(format!(
                "`{word}`: say go, halt, step, speed, info, kill, region, border, setup or quit"
            )),
        }
    }

    fn node(&self, text: &str) -> Result<u32, String> {
        let count = self.world.graph().nodes();
        let node = text.trim().parse().ok().filter(|&node| node < count);
        node.ok_or_else(|| format!("`{text}` is no node: they are 0 to {}", count - 1))
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
            return Err("say region X0 Y0 X1 Y1 PERCENT".into());
        };
        let who = format!("{percent}% of box {x0},{y0}..{x1},{y1}");
        let nodes = deaths::parse(&who, self.world.graph())?;
        let is_alive = |node: usize| self.world.is_alive(node as u32);
        let victims = nodes.pick(&mut self.random, is_alive);
        self.kill(&victims)
    }

    fn border(&mut self, rest: &str) -> Result<String, String> {
        let (side, value) = rest.split_once(' ').unwrap_or((rest, ""));
        let at = SIDES.iter().position(|name| *name == side);
        let value: Option<f64> = value.trim().parse().ok().filter(|value: &f64| value.is_finite());
        let (Some(at), Some(value)) = (at.filter(|_| self.show.sides.is_some()), value) else {
            return Err("say border left|right|lower|upper VALUE, where there is a border".into());
        };
        self.sides[at] = value;
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
        Ok(format!("{side}: {value}"))
    }
}
