//! `--watch`: shows a running machine as dots whose heat is the load of their links.

use ftmpi_machine::map;
use ftmpi_machine::wires;
use ftmpi_sim::bluegene::{Counts, Emulator, Heat, Load, Program, Totals};
use ftmpi_sim::stage::Run;
use ftmpi_view::{Feed, Frame, Image, Scene, heat};

/// The quantities that colours can show: their names on the command line and for people.
const VIEWS: [(&str, &str); 4] = [
    ("total", "packets so far, on the busiest link out of a node"),
    ("lately", "packets of late, on the busiest link out of a node"),
    ("waiting", "packets that wait in a node"),
    ("handlers", "handlers that a node has run"),
];
/// The age, in steps, at which a load counts half.
const HALF_LIFE: f64 = 4.0;

/// The direction of a link out of a node.
fn way(number: usize) -> String {
    format!("{}{}", if number % 2 == 1 { '+' } else { '-' }, ['x', 'y', 'z'][number / 2])
}

/// A machine that pages watch.
pub(crate) struct Watched<P: Program> {
    pub(crate) emulator: Emulator<P, Heat>,
    name: String,
    places: Vec<[f32; 2]>,
    view: usize,
    /// The highest value so far of each view.
    tops: [f64; 4],
    /// By link: what it had carried at the last step, and how much it has carried recently.
    before: Vec<u64>,
    lately: Vec<f64>,
    /// The length of a step, and the time up to which the machine has run, in nanoseconds.
    step: f64,
    now: f64,
    has_more: bool,
}

impl<P: Program> Watched<P> {
    pub(crate) fn new(
        emulator: Emulator<P, Heat>, name: &str, step: f64, view: &str,
    ) -> Result<Watched<P>, String> {
        let topology = &emulator.setup().topology;
        let grid = topology.grid().expect("the emulator has meshes and tori");
        let (places, links) = (map::of_grid(grid), topology.links());
        let has_more = emulator.next_time().is_some();
        let mut watched = Watched {
            name: name.into(),
            places,
            view: 0,
            tops: [0.0; 4],
            before: vec![0; links],
            lately: vec![0.0; links],
            step,
            now: 0.0,
            has_more,
            emulator,
        };
        watched.choose(view).map_err(|why| format!("--view {why}"))?;
        watched.look_back();
        Ok(watched)
    }

    fn choose(&mut self, name: &str) -> Result<(), String> {
        let known = VIEWS.iter().position(|view| [view.0, view.1].contains(&name));
        self.view = known
            .ok_or_else(|| format!("{name}: use {}", VIEWS.map(|(short, _)| short).join(", ")))?;
        Ok(())
    }

    fn link(&self, link: usize) -> Load {
        self.emulator.observers().fold(Load::default(), |sum, heat| {
            let Load { packets, bytes } = heat.links[link];
            Load { packets: sum.packets + packets, bytes: sum.bytes + bytes }
        })
    }

    fn node(&self, node: usize) -> Counts {
        self.emulator.observers().fold(Counts::default(), |sum, heat| {
            let Counts { sent, received, handlers } = heat.nodes[node];
            Counts {
                sent: sum.sent + sent,
                received: sum.received + received,
                handlers: sum.handlers + handlers,
            }
        })
    }

    /// Adds what was carried in the last step, and updates the highest values.
    fn look_back(&mut self) {
        let fading = 0.5f64.powf(1.0 / HALF_LIFE);
        for link in 0..self.lately.len() {
            let all = self.link(link).packets;
            let new = all - std::mem::replace(&mut self.before[link], all);
            let lately = self.lately[link] * fading + new as f64;
            // Less than a hundredth of a packet counts as none.
            self.lately[link] = if lately < 0.01 { 0.0 } else { lately };
        }
        for view in 0..VIEWS.len() {
            let most = (0..self.places.len()).map(|node| self.amount(view, node));
            self.tops[view] = most.fold(self.tops[view], f64::max);
        }
    }

    fn amount(&self, view: usize, node: usize) -> f64 {
        let links = self.ways() * node..self.ways() * (node + 1);
        match view {
            0 => self.before[links].iter().copied().max().unwrap_or(0) as f64,
            1 => self.lately[links].iter().copied().fold(0.0, f64::max),
            2 => self.emulator.waiting(node as u32) as f64,
            _ => self.node(node).handlers as f64,
        }
    }

    /// The packets on the link that has carried the most, and its name.
    pub(crate) fn hottest(&self) -> (u64, String) {
        let ways = self.ways();
        let links = self.before.iter().enumerate();
        // If several are equal, the first one.
        let most = links.rev().max_by_key(|(_, packets)| **packets);
        let (link, &packets) = most.expect("a machine has links");
        let [x, y, z] = self.emulator.setup().xyz((link / ways) as u32);
        (packets, format!("{x},{y},{z} {}", way(link % ways)))
    }

    /// How many links leave a node.
    fn ways(&self) -> usize {
        self.before.len() / self.places.len()
    }

    fn told(&self, node: u32) -> String {
        let [x, y, z] = self.emulator.setup().xyz(node);
        let Counts { sent, received, handlers } = self.node(node as usize);
        let waiting = self.emulator.waiting(node);
        let mut text = format!(
            "node {node} at {x},{y},{z}: sent {sent}, received {received}, {handlers} handlers, \
             {waiting} waiting in its buffer"
        );
        for to in 0..self.ways() {
            let Load { packets, bytes } = self.link(self.ways() * node as usize + to);
            if packets > 0 {
                text += &format!("; link {}: {packets} packets, {bytes} bytes", way(to));
            }
        }
        let info = self.emulator.program().info(node, self.emulator.data(node));
        if info.is_empty() { text } else { format!("{text}; {info}") }
    }
}

impl<P: Program> Run for Watched<P> {
    fn scene(&self) -> Scene {
        let [x, y, z] = self.emulator.setup().dims;
        Scene {
            title: format!("{}, {x} × {y} × {z} nodes", self.name),
            places: self.places.clone(),
            grid: vec![x, y, z],
            has_links: true,
            unit: "ns",
            scale: [VIEWS[self.view].1.into(), "0".into(), "the most".into()],
            series: vec!["packets under way", "packets", "handlers", "waiting in buffers"],
            views: VIEWS.map(|(_, name)| name).to_vec(),
            view: self.view,
            has_clock: true,
            ..Scene::default()
        }
    }

    fn frame(&self, state: &'static str, _: bool) -> Frame {
        let top = self.tops[self.view];
        let count = self.places.len();
        let nodes = self.emulator.observers().flat_map(|heat| &heat.nodes);
        let sum = nodes.fold([0u64; 3], |[sent, received, handlers], node| {
            [sent + node.sent, received + node.received, handlers + node.handlers]
        });
        let [sent, received, handlers] = sum.map(|all| all as f64);
        let waiting: usize = (0..count).map(|node| self.emulator.waiting(node as u32)).sum();
        Frame {
            tick: self.now as u64,
            state,
            series: vec![sent - received, sent, handlers, waiting as f64],
            image: Image::of((0..count).map(|it| Some(heat(self.amount(self.view, it), top)))),
            top: Some(top),
            ..Frame::default()
        }
    }

    /// Runs to the end of the next step in which something happens.
    fn step(&mut self, feed: &Feed) {
        let Some(next) = self.emulator.next_time().filter(|_| self.has_more) else { return };
        self.now = ((next / self.step).floor() + 1.0) * self.step;
        self.has_more = self.emulator.run_until(self.now);
        self.look_back();
        if !self.has_more {
            feed.say(match self.emulator.totals() {
                Ok(Totals { time_ns, packets, handlers, .. }) => {
                    // The last handlers may run longer than this step.
                    self.now = self.now.max(time_ns);
                    let (most, link) = self.hottest();
                    format!(
                        "all is done at {time_ns} ns: {packets} packets, {handlers} handlers; the \
                         hottest link, {link}, has carried {most}"
                    )
                }
                Err(why) => why,
            });
        }
    }

    fn rest(&self) -> Option<&'static str> {
        (!self.has_more).then_some("at rest")
    }

    fn now(&self) -> String {
        format!("{} ns have gone by", self.now)
    }

    fn obey(&mut self, word: &str, rest: &str, feed: &Feed) -> Result<String, String> {
        match word {
            "info" => {
                let count = self.places.len();
                let node = rest.trim().parse().ok().filter(|&node| (node as usize) < count);
                let known = node.map(|node| self.told(node));
                known.ok_or_else(|| format!("`{rest}` is not a node: they are 0 to {}", count - 1))
            }
            "links" => {
                let grid = self.emulator.setup().topology.grid();
                let grid = grid.expect("the emulator has meshes and tori");
                Ok(wires::loads(grid, |link| match self.view {
                    1 => self.lately[link].ceil() as u64,
                    _ => self.before[link],
                }))
            }
            "view" => {
                self.choose(rest)?;
                feed.set(self.scene());
                Ok(VIEWS[self.view].1.into())
            }
            _ => Err(format!("`{word}`: use go, halt, step, speed, info, links, view or quit")),
        }
    }
}
