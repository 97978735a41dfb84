//! The state that a run and its viewers share.

use super::easel::Easel;
use super::record::{Flaw, Recorder};
use super::scene::{Frame, Line, Scene, Shown, Told, Written};
use super::start::Start;
use super::terminal::Terminal;
use std::collections::VecDeque;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A request of a page.
#[derive(Debug)]
pub struct Order {
    pub words: String,
    reply: SyncSender<Result<String, String>>,
}

/// The connection between one run and its pages.
#[derive(Default)]
pub struct Feed {
    state: Mutex<State>,
    /// Under its own lock: only the thread that records waits for a disk.
    recorder: Mutex<Option<Recorder>>,
    /// Rung for pages, and for the run.
    shown: Condvar,
    asked: Condvar,
}

#[derive(Default)]
struct State {
    scene: Arc<Shown>,
    scenes: u32,
    frame: Option<Arc<Written>>,
    /// The number of frames so far, and of the latest that a viewer has taken.
    frames: u64,
    taken: u64,
    watchers: usize,
    /// The number of pages that wait for an answer.
    asking: usize,
    told: Told,
    points: Points,
    orders: VecDeque<Order>,
    is_kept: bool,
    easel: Option<Easel>,
    /// The run is about to end, and has ended.
    is_ending: bool,
    is_over: bool,
}

/// The latest plotted numbers, one row for each step: a page sees few of their frames.
#[derive(Default)]
struct Points {
    rows: VecDeque<Vec<f64>>,
}

/// The number of rows that are kept.
const ROWS: usize = 4096;

/// The most orders that may wait.
const MOST_ORDERS: usize = 256;
/// How many of the latest words, and of the latest lines, go with each frame.
const WORDS: usize = 32;
const LINES: usize = 16;

impl Order {
    /// A page's request, and where to send the answer.
    pub fn new(words: String, reply: SyncSender<Result<String, String>>) -> Order {
        Order { words, reply }
    }

    /// Sends the answer to the page, which may be gone.
    pub fn answer(self, what: Result<String, String>) {
        let _ = self.reply.try_send(what);
    }
}

impl State {
    fn put(&mut self, number: u32, shown: Shown) {
        // Rows of the former scene have other numbers; the total continues.
        self.points.rows.clear();
        (self.scenes, self.scene) = (number, Arc::new(shown));
        self.frame = None;
    }
}

impl Feed {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is complete before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recorder(&self) -> MutexGuard<'_, Option<Recorder>> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a new scene; frames of the former one become useless.
    pub fn set(&self, scene: Scene) {
        let mut state = self.lock();
        state.scenes += 1;
        let number = state.scenes;
        if let Some(easel) = &state.easel {
            easel.set(&scene);
        }
        state.put(number, Shown { json: scene.json(number), places: scene.places });
        self.shown.notify_all();
        let shown = state.scene.clone();
        drop(state);
        if let Some(recorder) = &mut *self.recorder() {
            recorder.scene(shown);
        }
    }

    /// A scene that a record holds, under its recorded number.
    pub(super) fn set_again(&self, number: u32, shown: Shown) {
        self.lock().put(number, shown);
        self.shown.notify_all();
    }

    /// From now on records all scenes, and the frames of [`Feed::record`].
    pub fn keep(&self, recorder: Recorder) {
        *self.recorder() = Some(recorder);
        self.lock().is_kept = true;
    }

    /// From now on draws scenes and frames on the terminal, too, by a separate thread.
    pub fn draw_on(&self, terminal: Terminal, start: Start) -> Result<(), String> {
        let easel = Easel::begin(terminal, start);
        let easel = easel.map_err(|why| format!("--tui: cannot start a thread: {why}"))?;
        self.lock().easel = Some(easel);
        Ok(())
    }

    /// Whether frames are drawn.
    pub fn is_drawn(&self) -> bool {
        self.lock().easel.is_some()
    }

    /// Whether frames are recorded.
    pub fn is_kept(&self) -> bool {
        self.lock().is_kept
    }

    /// Whether a viewer is connected.
    pub fn is_watched(&self) -> bool {
        self.lock().watchers > 0
    }

    /// Whether a new frame would be shown: a viewer is connected, and has seen the last one.
    pub fn is_hungry(&self) -> bool {
        let state = self.lock();
        let is_due = state.easel.as_ref().is_some_and(Easel::is_due);
        is_due || state.watchers > 0 && (state.taken == state.frames || state.frame.is_none())
    }

    /// Shows a message to people.
    pub fn say(&self, words: String) {
        let mut state = self.lock();
        state.told.words.push_back(words);
        state.told.said += 1;
        if state.told.words.len() > WORDS {
            state.told.words.pop_front();
        }
    }

    /// A process in steps has begun or advanced; one title is one process.
    pub fn draw(&self, line: Line) {
        let lines = &mut self.lock().told.lines;
        if let Some(known) = lines.iter_mut().find(|known| known.title == line.title) {
            *known = line;
            return;
        }
        lines.push_back(line);
        if lines.len() > LINES {
            lines.pop_front();
        }
    }

    /// The numbers to plot after a step, whether it has a frame or not.
    pub fn plot(&self, tick: u64, series: &[f64]) {
        let mut state = self.lock();
        let row = std::iter::once(tick as f64).chain(series.iter().copied()).collect();
        state.points.rows.push_back(row);
        if state.points.rows.len() > ROWS {
            state.points.rows.pop_front();
        }
        state.told.points += 1;
    }

    /// The number of the scene, the total number of rows, and the rows from `from` on, as far as
    /// they are kept: numbers of eight bytes.
    pub(super) fn points(&self, from: u64) -> Vec<u8> {
        let state = self.lock();
        let rows = &state.points.rows;
        let first = state.told.points - rows.len() as u64;
        let new = rows.iter().skip(from.saturating_sub(first) as usize).flatten().copied();
        let head = [f64::from(state.scenes), state.told.points as f64];
        head.into_iter().chain(new).flat_map(f64::to_le_bytes).collect()
    }

    pub fn show(&self, frame: &Frame) {
        let state = self.lock();
        if let Some(easel) = &state.easel {
            easel.put(frame, &state.told.words);
        }
        let written = Written::new(state.scenes, frame, &state.told);
        self.show_again(state, written);
    }

    /// Shows a frame as it was written.
    pub(super) fn show_written(&self, written: Written) {
        self.show_again(self.lock(), written);
    }

    fn show_again(&self, mut state: MutexGuard<'_, State>, written: Written) {
        let before = state.frame.replace(Arc::new(written));
        state.frames += 1;
        // Callers that are woken find the lock free, and the last holder of a picture frees it.
        drop(state);
        self.shown.notify_all();
        drop(before);
    }

    /// Records a frame, if frames are recorded.
    pub fn record(&self, frame: &Frame) {
        let state = self.lock();
        let written = state.is_kept.then(|| Written::new(state.scenes, frame, &state.told));
        drop(state);
        if let (Some(recorder), Some(written)) = (&mut *self.recorder(), written) {
            recorder.frame(written);
        }
    }

    /// Ends drawing and recording; returns why a recording is incomplete. Waits until it is
    /// written, for at most `patience` if that is given; for a terminal only for a while.
    pub fn finish(&self, patience: Option<Duration>) -> Result<(), Flaw> {
        const DRAWN: Duration = Duration::from_millis(500);
        let easel = self.lock().easel.take();
        if let Some(easel) = easel {
            easel.end(DRAWN);
        }
        self.lock().is_kept = false;
        let recorder = self.recorder().take();
        recorder.map_or(Ok(()), |recorder| recorder.finish(patience))
    }

    /// The next order, if one arrives in time.
    pub fn order(&self, patience: Duration) -> Option<Order> {
        let end = Instant::now() + patience;
        let mut state = self.lock();
        loop {
            if let Some(order) = state.orders.pop_front() {
                return Some(order);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || state.is_ending {
                return None;
            }
            let (back, _) =
                self.asked.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
            state = back;
        }
    }

    /// Ends all waits for orders: the run is about to end.
    pub fn hurry(&self) {
        self.lock().is_ending = true;
        self.asked.notify_all();
    }

    /// Ends the feed; returns when pages have noticed, or take too long.
    pub fn end(&self) {
        const PATIENCE: Duration = Duration::from_secs(1);
        let mut state = self.lock();
        state.is_over = true;
        // A page that still waits learns that there will be no answer.
        state.orders.clear();
        self.shown.notify_all();
        let is_left = |state: &mut State| state.asking + state.watchers > 0;
        // A page that does not take it within that time is abandoned.
        drop(self.asked.wait_timeout_while(state, PATIENCE, is_left));
    }

    /// A page waits for an answer until the value is dropped.
    pub(super) fn asking(&self) -> Asking<'_> {
        self.lock().asking += 1;
        Asking(self)
    }

    /// Queues an order; returns it if the queue is full, or the run takes no orders.
    pub fn ask(&self, order: Order) -> Result<(), Order> {
        let mut state = self.lock();
        if state.is_over || state.orders.len() >= MOST_ORDERS {
            return Err(order);
        }
        state.orders.push_back(order);
        self.asked.notify_all();
        Ok(())
    }

    pub(super) fn scene(&self) -> Arc<Shown> {
        self.lock().scene.clone()
    }

    pub(super) fn watch(&self) -> Watcher<'_> {
        let mut state = self.lock();
        state.watchers += 1;
        // A new page wants a picture, even if nothing moves.
        let seen = state.frames.saturating_sub(1);
        self.asked.notify_all();
        Watcher { feed: self, seen }
    }
}

/// A page that watches.
pub(super) struct Watcher<'a> {
    feed: &'a Feed,
    seen: u64,
}

impl Watcher<'_> {
    /// The latest frame if it is new, as soon as there is one; none when it takes too long.
    pub(super) fn next(&mut self, patience: Duration) -> Latest {
        let end = Instant::now() + patience;
        let mut state = self.feed.lock();
        loop {
            // The last one, too, after the end.
            if state.frames > self.seen
                && let Some(frame) = state.frame.clone()
            {
                (self.seen, state.taken) = (state.frames, state.frames);
                return Latest::Frame(frame);
            }
            if state.is_over {
                return Latest::Over;
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

/// A page that waits for an answer.
pub(super) struct Asking<'a>(&'a Feed);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.lock().asking -= 1;
        self.0.asked.notify_all();
    }
}

pub(super) enum Latest {
    Frame(Arc<Written>),
    None,
    Over,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Image;

    #[test]
    fn rows_of_every_step_are_there_for_those_who_have_seen_few_of_them() {
        let feed = Feed::default();
        let told = |from| -> Vec<f64> {
            let bytes = feed.points(from);
            bytes.chunks(8).map(|eight| f64::from_le_bytes(eight.try_into().unwrap())).collect()
        };
        feed.set(Scene::default());
        (0..3).for_each(|tick| feed.plot(tick, &[10.0 * tick as f64]));
        assert_eq!(told(0), [1.0, 3.0, 0.0, 0.0, 1.0, 10.0, 2.0, 20.0]);
        assert_eq!(told(2), [1.0, 3.0, 2.0, 20.0]);
        assert_eq!(told(3), [1.0, 3.0]);
        (3..5000).for_each(|tick| feed.plot(tick, &[1.0]));
        assert_eq!(told(0).len(), 2 + 2 * ROWS);
        assert_eq!(told(4999), [1.0, 5000.0, 4999.0, 1.0]);
        feed.set(Scene::default());
        assert_eq!(told(0), [2.0, 5000.0]);
        feed.plot(7, &[2.0]);
        assert_eq!(told(5000), [2.0, 5001.0, 7.0, 2.0]);
    }

    fn frame(tick: u64) -> Frame {
        Frame {
            tick,
            state: "running",
            series: vec![1.5],
            image: Image::of([Some(7), None, Some(9)].into_iter()),
            ..Frame::default()
        }
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
        assert!(latest.head.contains("\"tick\":4"));
        let mut page = feed.watch();
        assert!(matches!(page.next(Duration::ZERO), Latest::Frame(_)));
        assert!(matches!(page.next(Duration::ZERO), Latest::None));
        assert!(feed.is_hungry());
        feed.show(&frame(6));
        assert!(!feed.is_hungry(), "the last one has not been taken");
        feed.set(Scene::default());
        assert!(matches!(page.next(Duration::ZERO), Latest::None), "of another scene");
        feed.show(&frame(7));
        feed.end();
        assert!(matches!(page.next(Duration::ZERO), Latest::Frame(_)), "the last one, too");
        assert!(matches!(page.next(Duration::ZERO), Latest::Over));
    }
}
