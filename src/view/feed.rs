//! What a run and those who look at it have in common.

use crate::base::json::quoted;
use std::collections::VecDeque;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What stays the same from one frame to the next.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub title: String,
    /// Where each dot is, in the unit square.
    pub places: Vec<[f32; 2]>,
    /// What colours mean one by one; none: they are a scale from low to high.
    pub kinds: Vec<&'static str>,
    /// What the scale is of, and what its ends are.
    pub scale: [String; 3],
    /// The names of what is plotted.
    pub series: Vec<&'static str>,
    pub sliders: Vec<Slider>,
    /// What a run can be set up with.
    pub setup: Vec<Setup>,
    /// Whether it can be halted and made slower.
    pub has_clock: bool,
}

/// A value that pages change while it runs.
#[derive(Clone, Debug)]
pub struct Slider {
    pub name: &'static str,
    pub range: [f64; 2],
    pub value: f64,
}

/// One thing to choose before a run.
#[derive(Clone, Debug)]
pub struct Setup {
    pub name: &'static str,
    pub value: String,
    /// None: any text will do.
    pub choices: Vec<&'static str>,
}

/// What is seen at one moment.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub tick: u64,
    /// In a word: running, halted, at rest.
    pub state: &'static str,
    pub series: Vec<f64>,
    /// For each dot, its colour.
    pub colours: Vec<u8>,
    /// For each dot, whether it lives.
    pub alive: Vec<bool>,
}

/// What a page asks for.
#[derive(Debug)]
pub struct Order {
    pub words: String,
    reply: SyncSender<Result<String, String>>,
}

/// Between one run and its pages.
#[derive(Default)]
pub struct Feed {
    state: Mutex<State>,
    /// Rung for pages, and for the run.
    shown: Condvar,
    asked: Condvar,
}

#[derive(Default)]
struct State {
    scene: Arc<Scene>,
    scenes: u32,
    frame: Option<Arc<[u8]>>,
    /// How many frames there were, and up to which one somebody has taken them.
    frames: u64,
    taken: u64,
    watchers: usize,
    /// How many pages ask for something, and have not heard what became of it.
    asking: usize,
    /// The latest words for people, and how many there were.
    words: VecDeque<String>,
    said: u64,
    orders: VecDeque<Order>,
    is_over: bool,
}

/// More orders than this do not wait in a row.
const MOST_ORDERS: usize = 256;
/// As many of the latest words go with each frame.
const WORDS: usize = 32;

impl Order {
    pub(super) fn new(words: String, reply: SyncSender<Result<String, String>>) -> Order {
        Order { words, reply }
    }

    /// Tells the page what became of it. Nobody may be there any more.
    pub fn answer(self, what: Result<String, String>) {
        let _ = self.reply.try_send(what);
    }
}

impl Feed {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is whole before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another scene; frames of the one before are of no use any more.
    pub fn set(&self, scene: Scene) {
        let mut state = self.lock();
        state.scene = Arc::new(scene);
        state.scenes += 1;
        state.frame = None;
        self.shown.notify_all();
    }

    /// Whether a new frame would be looked at: somebody watches, and has seen the last one.
    pub fn is_hungry(&self) -> bool {
        let state = self.lock();
        state.watchers > 0 && (state.taken == state.frames || state.frame.is_none())
    }

    /// Something has happened that people should read.
    pub fn say(&self, words: String) {
        let mut state = self.lock();
        state.words.push_back(words);
        state.said += 1;
        if state.words.len() > WORDS {
            state.words.pop_front();
        }
    }

    pub fn show(&self, frame: &Frame) {
        let mut state = self.lock();
        let bytes = encoded(&state, frame);
        state.frame = Some(bytes.into());
        state.frames += 1;
        self.shown.notify_all();
    }

    /// The next order, if there is one before the time is over.
    pub fn order(&self, patience: Duration) -> Option<Order> {
        let end = Instant::now() + patience;
        let mut state = self.lock();
        loop {
            if let Some(order) = state.orders.pop_front() {
                return Some(order);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let (back, _) =
                self.asked.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
            state = back;
        }
    }

    /// Nothing more is to come; comes back when pages have heard of it, or take too long.
    pub fn end(&self) {
        const PATIENCE: Duration = Duration::from_secs(1);
        let mut state = self.lock();
        state.is_over = true;
        self.shown.notify_all();
        let is_left = |state: &mut State| state.asking + state.watchers > 0;
        // Whoever does not take it within that time is not waited for.
        drop(self.asked.wait_timeout_while(state, PATIENCE, is_left));
    }

    /// A page asks for something, until the value is dropped.
    pub(super) fn asking(&self) -> Asking<'_> {
        self.lock().asking += 1;
        Asking(self)
    }

    pub(super) fn ask(&self, order: Order) -> Result<(), Order> {
        let mut state = self.lock();
        if state.is_over || state.orders.len() >= MOST_ORDERS {
            return Err(order);
        }
        state.orders.push_back(order);
        self.asked.notify_all();
        Ok(())
    }

    pub(super) fn scene(&self) -> (u32, Arc<Scene>) {
        let state = self.lock();
        (state.scenes, state.scene.clone())
    }

    pub(super) fn watch(&self) -> Watcher<'_> {
        let mut state = self.lock();
        state.watchers += 1;
        // A page that has just come wants to see something, even where all is at rest.
        let seen = state.frames.saturating_sub(1);
        self.asked.notify_all();
        Watcher { feed: self, seen }
    }
}

/// One page that looks on.
pub(super) struct Watcher<'a> {
    feed: &'a Feed,
    seen: u64,
}

impl Watcher<'_> {
    /// The latest frame, if it is a new one, as soon as there is one; none when it takes too long.
    pub(super) fn next(&mut self, patience: Duration) -> Latest {
        let end = Instant::now() + patience;
        let mut state = self.feed.lock();
        loop {
            if state.is_over {
                return Latest::Over;
            }
            if state.frames > self.seen
                && let Some(frame) = state.frame.clone()
            {
                (self.seen, state.taken) = (state.frames, state.frames);
                return Latest::Frame(frame);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Latest::None;
            }
            let waited = self.feed.shown.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        self.feed.lock().watchers -= 1;
        self.feed.asked.notify_all();
    }
}

/// One page that asks for something.
pub(super) struct Asking<'a>(&'a Feed);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.lock().asking -= 1;
        self.0.asked.notify_all();
    }
}

pub(super) enum Latest {
    Frame(Arc<[u8]>),
    None,
    Over,
}

impl Scene {
    pub(super) fn json(&self, number: u32) -> String {
        let list = |names: &[&str]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>();
        let sliders = self.sliders.iter().map(|Slider { name, range: [low, high], value }| {
            format!("{{\"name\":{},\"range\":[{low},{high}],\"value\":{value}}}", quoted(name))
        });
        let setup = self.setup.iter().map(|Setup { name, value, choices }| {
            let (name, value, choices) = (quoted(name), quoted(value), list(choices).join(","));
            format!("{{\"name\":{name},\"value\":{value},\"choices\":[{choices}]}}")
        });
        let [scale, low, high] = &self.scale;
        format!(
            "{{\"scene\":{number},\"title\":{},\"nodes\":{},\"kinds\":[{}],\"series\":[{}],\
             \"sliders\":[{}],\"setup\":[{}],\"clock\":{},\"scale\":[{},{},{}]}}",
            quoted(&self.title),
            self.places.len(),
            list(&self.kinds).join(","),
            list(&self.series).join(","),
            sliders.collect::<Vec<_>>().join(","),
            setup.collect::<Vec<_>>().join(","),
            self.has_clock,
            quoted(scale),
            quoted(low),
            quoted(high),
        )
    }
}

/// The length of what is told in words, that, a byte for each colour, a bit for each that lives.
fn encoded(state: &State, frame: &Frame) -> Vec<u8> {
    let words: Vec<_> = state.words.iter().map(|words| quoted(words)).collect();
    let number = |value: &f64| if value.is_finite() { value.to_string() } else { "null".into() };
    let series: Vec<_> = frame.series.iter().map(number).collect();
    let told = format!(
        "{{\"scene\":{},\"tick\":{},\"state\":{},\"said\":{},\"words\":[{}],\
         \"series\":[{}],\"nodes\":{}}}",
        state.scenes,
        frame.tick,
        quoted(frame.state),
        state.said,
        words.join(","),
        series.join(","),
        frame.colours.len(),
    );
    let mut bytes = Vec::with_capacity(4 + told.len() + frame.colours.len() * 9 / 8 + 1);
    bytes.extend((told.len() as u32).to_le_bytes());
    bytes.extend(told.as_bytes());
    bytes.extend(&frame.colours);
    let bits = frame.alive.chunks(8).map(|eight| {
        eight.iter().rev().fold(0u8, |bits, &is_alive| bits << 1 | u8::from(is_alive))
    });
    bytes.extend(bits);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(tick: u64) -> Frame {
        Frame {
            tick,
            state: "running",
            series: vec![1.5, f64::NAN],
            colours: vec![7, 8, 9],
            alive: vec![true, false, true],
        }
    }

    #[test]
    fn a_frame_is_words_then_colours_then_bits() {
        let words = VecDeque::from(["a \"word\"\n".to_string()]);
        let state = State { scenes: 2, words, said: 40, ..State::default() };
        let bytes = encoded(&state, &frame(5));
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let told = std::str::from_utf8(&bytes[4..4 + length]).unwrap();
        assert_eq!(
            told,
            "{\"scene\":2,\"tick\":5,\"state\":\"running\",\"said\":40,\
             \"words\":[\"a \\\"word\\\"\\n\"],\
             \"series\":[1.5,null],\"nodes\":3}"
        );
        assert_eq!(bytes[4 + length..], [7, 8, 9, 0b101]);
    }

    #[test]
    fn whoever_comes_sees_the_latest_and_nothing_twice_and_the_run_waits_for_nobody() {
        let feed = Feed::default();
        assert!(!feed.is_hungry(), "nobody watches");
        feed.set(Scene::default());
        (0..5).for_each(|tick| feed.show(&frame(tick)));
        let mut page = feed.watch();
        assert!(feed.is_hungry() || matches!(page.next(Duration::ZERO), Latest::Frame(_)));
        let Latest::Frame(latest) = feed.watch().next(Duration::ZERO) else { panic!("none") };
        assert!(String::from_utf8_lossy(&latest).contains("\"tick\":4"));
        let mut page = feed.watch();
        assert!(matches!(page.next(Duration::ZERO), Latest::Frame(_)));
        assert!(matches!(page.next(Duration::ZERO), Latest::None));
        assert!(feed.is_hungry());
        feed.show(&frame(6));
        assert!(!feed.is_hungry(), "the last one has not been taken");
        feed.set(Scene::default());
        assert!(matches!(page.next(Duration::ZERO), Latest::None), "of another scene");
        feed.end();
        assert!(matches!(page.next(Duration::ZERO), Latest::Over));
    }
}
