//! A terminal and the thread that draws on it: showing a frame does not wait, and the thread draws
//! the latest frame, however slow the terminal.

use super::scene::{Frame, Scene};
use super::start::Start;
use super::terminal::{BELOW, Terminal};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(super) struct Easel(Arc<Way>);

#[derive(Default)]
struct Way {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Default)]
struct State {
    scene: Option<Scene>,
    /// The latest frame that is not drawn yet, and the latest words.
    next: Option<(Frame, Vec<String>)>,
    is_drawing: bool,
    /// When the last one was drawn.
    drawn: Option<Instant>,
    /// Nothing more will be shown: the rest need not wait.
    is_closed: bool,
}

/// A higher rate of pictures would not be seen.
const BETWEEN: Duration = Duration::from_millis(100);

impl Easel {
    pub(super) fn begin(terminal: Terminal, start: Start) -> io::Result<Easel> {
        let way = Arc::<Way>::default();
        let its = way.clone();
        start(Box::new(move || its.draw(terminal)))?;
        Ok(Easel(way))
    }

    pub(super) fn set(&self, scene: &Scene) {
        self.0.lock().scene = Some(scene.clone());
    }

    /// Whether it is time for another picture.
    pub(super) fn is_due(&self) -> bool {
        let state = self.0.lock();
        let is_idle = state.next.is_none() && !state.is_drawing;
        is_idle && state.drawn.is_none_or(|drawn| drawn.elapsed() >= BETWEEN)
    }

    pub(super) fn put(&self, frame: &Frame, words: &VecDeque<String>) {
        let latest = words.iter().skip(words.len().saturating_sub(BELOW)).cloned();
        self.0.lock().next = Some((frame.clone(), latest.collect()));
        self.0.moved.notify_all();
    }

    /// Waits until the last picture is drawn, at most this long.
    pub(super) fn end(&self, patience: Duration) {
        let mut state = self.0.lock();
        state.is_closed = true;
        self.0.moved.notify_all();
        let is_left = |state: &mut State| state.next.is_some() || state.is_drawing;
        drop(self.0.moved.wait_timeout_while(state, patience, is_left));
    }
}

impl Drop for Easel {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.moved.notify_all();
    }
}

impl Way {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is complete before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, mut terminal: Terminal) {
        loop {
            let is_idle = |state: &mut State| state.next.is_none() && !state.is_closed;
            let waited = self.moved.wait_while(self.lock(), is_idle);
            let state = waited.unwrap_or_else(PoisonError::into_inner);
            let early = state.drawn.map(|drawn| BETWEEN.saturating_sub(drawn.elapsed()));
            let is_open = |state: &mut State| !state.is_closed;
            let waited = self.moved.wait_timeout_while(state, early.unwrap_or_default(), is_open);
            let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            let Some((frame, words)) = state.next.take() else { return };
            let scene = state.scene.take();
            state.is_drawing = true;
            drop(state);
            if let Some(scene) = scene {
                terminal.set(scene);
            }
            terminal.draw(&frame, &words);
            let mut state = self.lock();
            (state.is_drawing, state.drawn) = (false, Some(Instant::now()));
            drop(state);
            self.moved.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Feed, thread};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A terminal that accepts nothing until it is released.
    static HELD: Mutex<()> = Mutex::new(());
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    static LAST: Mutex<String> = Mutex::new(String::new());

    fn write(bytes: &[u8]) {
        drop(HELD.lock());
        WRITTEN.fetch_add(1, Ordering::Relaxed);
        *LAST.lock().unwrap() = String::from_utf8_lossy(bytes).into_owned();
    }

    #[test]
    fn nobody_waits_for_a_terminal_that_takes_nothing_and_the_last_picture_is_drawn() {
        let feed = Feed::default();
        feed.draw_on(Terminal::new(write), thread).unwrap();
        feed.set(Scene { title: "a title".into(), ..Scene::default() });
        let held = HELD.lock().unwrap();
        (0..1000).for_each(|tick| feed.show(&Frame { tick, ..Frame::default() }));
        assert!(!feed.is_hungry(), "it has not drawn what there is");
        let begun = Instant::now();
        feed.finish(None).unwrap();
        assert!(begun.elapsed() < Duration::from_secs(30), "it is given up");
        assert_eq!(WRITTEN.load(Ordering::Relaxed), 0);
        drop(held);
        let end = Instant::now() + Duration::from_secs(60);
        while !LAST.lock().unwrap().contains("tick 999, ") {
            assert!(Instant::now() < end, "the last one is never drawn");
            std::thread::yield_now();
        }
        assert!(LAST.lock().unwrap().contains("a title"));
        assert!(WRITTEN.load(Ordering::Relaxed) <= 2, "only the latest is worth it");
    }
}
