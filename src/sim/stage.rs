//! Runs that people watch: pages make them run, halt, step and answer questions. Without pages they
//! run by themselves while they are recorded or drawn on a terminal.

use crate::output;
use ftmpi_cli::Words;
use ftmpi_view::{Feed, Frame, Order, Recorder, Scene, Slow, Terminal};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A run that advances in steps, and can be looked at between them.
pub trait Run {
    fn scene(&self) -> Scene;
    /// The current picture. Unless all of it `is_plotted`, numbers that take long to compute may be
    /// missing: they are NaN then.
    fn frame(&self, state: &'static str, is_plotted: bool) -> Frame;
    /// All plotted numbers and their tick, if they take negligible time: then every step is
    /// plotted.
    fn point(&self) -> Option<(u64, Vec<f64>)> {
        None
    }
    /// Whether a page's request for another run can be met.
    fn accepts(&self, _: &[(String, String)]) -> Result<(), String> {
        Ok(())
    }
    /// Advances by one step, even at rest.
    fn step(&mut self, feed: &Feed);
    /// Why it does not advance on its own, if it does not.
    fn rest(&self) -> Option<&'static str>;
    /// The current position, in words.
    fn now(&self) -> String;
    /// Handles any other request of a page.
    fn obey(&mut self, word: &str, rest: &str, feed: &Feed) -> Result<String, String>;
}

/// How a run is shown, from the words of a command line.
pub struct Viewing {
    port: Option<u16>,
    record: Option<PathBuf>,
    is_drawn: bool,
}

/// A page's request for another run: names and values; and the order to answer.
pub struct Wish {
    pub pairs: Vec<(String, String)>,
    pub order: Order,
}

/// The options of [`Viewing`] without a value.
pub const ALONE: [&str; 2] = ["watch", "tui"];
/// The time of a picture: displays show sixty a second.
const PICTURE: Duration = Duration::from_nanos(16_666_667);
/// And no more of the run's time than this share of it.
const SHARE: u32 = 70;
/// How often all plotted numbers are added up, while the run advances on its own.
const PLOT: Duration = Duration::from_millis(100);
/// How soon to check again whether the last picture was taken.
const TAKEN: Duration = Duration::from_millis(1);

impl Viewing {
    pub fn read(words: &mut Words) -> Result<Viewing, String> {
        let port = words.given("port", 8080)?;
        let is_watched = words.has("watch") || port.is_some();
        Ok(Viewing {
            port: is_watched.then(|| port.unwrap_or(0)),
            record: words.text("record").map(PathBuf::from),
            is_drawn: words.has("tui"),
        })
    }

    /// Whether the run is to be shown at all.
    pub fn is_wanted(&self) -> bool {
        self.port.is_some() || self.record.is_some() || self.is_drawn
    }

    /// Shows a run of the program `name`: to its end, or as long as pages ask.
    pub fn show(&self, name: &str, run: &mut impl Run) -> Result<(), String> {
        let feed = Arc::new(Feed::default());
        if let Some(path) = &self.record {
            // Viewers must not wait for a disk.
            let slow = if self.port.is_some() { Slow::LeavesOut } else { Slow::Waits };
            feed.keep(Recorder::create(path, slow, ftmpi_view::thread)?);
        }
        if self.is_drawn {
            feed.draw_on(terminal(), ftmpi_view::thread)?;
        }
        match self.port {
            Some(port) => {
                let address = ftmpi_view::serve(feed.clone(), port, ftmpi_view::thread)?;
                output::remark(name, &format!("watch it at {address}"));
                play(&feed, run, 1);
            }
            None => go_through(&feed, run),
        }
        feed.finish(None).map_err(String::from)
    }
}

/// Standard error as a terminal.
pub fn terminal() -> Terminal {
    Terminal::new(|bytes| {
        // If standard error is closed, nothing is shown.
        let _ = std::io::stderr().write_all(bytes);
    })
}

/// Runs as pages direct, until one of them ends the run or asks for another, which is possible if
/// the scene offers choices. Every `every` steps one is kept, if steps are recorded.
pub fn play(feed: &Feed, run: &mut impl Run, every: u64) -> Option<Wish> {
    let scene = run.scene();
    let has_others = !scene.setup.is_empty();
    feed.set(scene);
    let mut stage = Stage {
        run,
        feed,
        goes: false,
        rate: 40,
        next: Instant::now(),
        is_changed: true,
        is_urgent: true,
        plotted: Instant::now(),
        is_drawn: feed.is_drawn(),
        due: Instant::now(),
        shown: Instant::now(),
        cost: Duration::ZERO,
        steps: 0,
        every,
        is_kept: feed.is_kept(),
    };
    stage.keep();
    loop {
        while let Some(order) = feed.order(stage.patience()) {
            match order.words.split_once(' ').unwrap_or((&order.words, "")) {
                ("quit", _) => {
                    order.answer(Ok("it ends".into()));
                    feed.end();
                    return None;
                }
                ("setup", pairs) if has_others => {
                    let pair = |pair: &str| {
                        let (name, value) = pair.split_once('=')?;
                        Some((name.to_string(), value.to_string()))
                    };
                    let no = "expected setup NAME=VALUE, with tabs between";
                    let pairs = pairs.split('\t').map(pair).collect::<Option<Vec<_>>>().ok_or(no);
                    let pairs = pairs.map_err(String::from);
                    match pairs.and_then(|pairs| stage.run.accepts(&pairs).map(|()| pairs)) {
                        Ok(pairs) => return Some(Wish { pairs, order }),
                        // An impossible request does not affect the current run.
                        Err(why) => order.answer(Err(why)),
                    }
                }
                (word, rest) => {
                    let answer = stage.obey(word, rest);
                    order.answer(answer);
                }
            }
        }
        stage.go_on();
        stage.paint();
    }
}

/// Runs to the end, and shows what happens on the way.
fn go_through(feed: &Feed, run: &mut impl Run) {
    feed.set(run.scene());
    loop {
        let rest = run.rest();
        let frame = || run.frame(rest.unwrap_or("running"), true);
        if feed.is_kept() {
            feed.record(&frame());
        }
        if rest.is_some() || feed.is_hungry() {
            feed.show(&frame());
        }
        if rest.is_some() {
            return;
        }
        run.step(feed);
    }
}

/// A run that pages watch.
struct Stage<'a, R: Run> {
    run: &'a mut R,
    feed: &'a Feed,
    goes: bool,
    /// Steps a second; 0: as many as possible.
    rate: u32,
    /// When the next step is due.
    next: Instant,
    is_changed: bool,
    /// A page has made a request, and should see the effect at once.
    is_urgent: bool,
    plotted: Instant,
    /// A terminal shows the numbers of each picture.
    is_drawn: bool,
    /// When the next picture is due, in the rhythm of [`PICTURE`].
    due: Instant,
    /// When the last one was shown, and how long that took.
    shown: Instant,
    cost: Duration,
    steps: u64,
    every: u64,
    is_kept: bool,
}

impl<R: Run> Stage<'_, R> {
    fn is_under_way(&self) -> bool {
        self.goes && self.run.rest().is_none()
    }

    /// How long to wait for an order.
    fn patience(&self) -> Duration {
        let picture = match self.is_changed {
            true if self.feed.is_watched() => {
                let left = self.next_picture().saturating_duration_since(Instant::now());
                let is_now = left.is_zero() && self.feed.is_hungry();
                if is_now { left } else { left.max(TAKEN) }
            }
            _ => Duration::from_millis(100),
        };
        match self.is_under_way() {
            true if self.rate == 0 => Duration::ZERO,
            true => self.next.saturating_duration_since(Instant::now()).min(picture),
            false => picture,
        }
    }

    fn go_on(&mut self) {
        let now = Instant::now();
        if !self.is_under_way() || now < self.next {
            return;
        }
        self.step();
        let gap = if self.rate == 0 { Duration::ZERO } else { Duration::from_secs(1) / self.rate };
        // A viewer that cannot keep up does not catch up later.
        self.next = (self.next + gap).max(now);
    }

    fn step(&mut self) {
        self.run.step(self.feed);
        if let Some((tick, series)) = self.run.point() {
            self.feed.plot(tick, &series);
        }
        self.steps += 1;
        self.is_changed = true;
        self.keep();
    }

    /// Records the current picture, if requested.
    fn keep(&mut self) {
        if self.is_kept && self.steps.is_multiple_of(self.every) {
            self.feed.record(&self.run.frame("running", true));
        }
    }

    fn state(&self) -> &'static str {
        match self.goes {
            true => self.run.rest().unwrap_or("running"),
            false => "halted",
        }
    }

    /// When there may be another picture.
    fn next_picture(&self) -> Instant {
        // Until the next step is due, a picture costs the run nothing.
        let has_time = self.rate != 0 && Instant::now() + self.cost < self.next;
        match self.is_urgent || !self.is_under_way() {
            true => self.shown,
            false if has_time => self.due,
            false => self.due.max(self.shown + self.cost * SHARE),
        }
    }

    /// Shows the current picture, if a viewer is there and it is not too soon.
    fn paint(&mut self) {
        let begun = Instant::now();
        if !self.is_changed || begun < self.next_picture() || !self.feed.is_hungry() {
            return;
        }
        let is_plotted = self.is_drawn || self.is_urgent || !self.is_under_way();
        let is_plotted = is_plotted || self.plotted.elapsed() >= PLOT;
        let frame = self.run.frame(self.state(), is_plotted);
        let (took, usual) = (begun.elapsed(), self.cost);
        // Sometimes another thread has the processor meanwhile, such as one that was just woken.
        self.cost = if took < usual { took } else { usual + (took - usual) / 8 };
        self.feed.show(&frame);
        if is_plotted {
            self.plotted = begun;
        }
        self.shown = Instant::now();
        // A picture that is a little late does not delay the following ones.
        let is_in_time = (self.due..self.due + PICTURE).contains(&begun);
        self.due = if is_in_time { self.due + PICTURE } else { begun + PICTURE };
        (self.is_changed, self.is_urgent) = (false, false);
    }

    fn obey(&mut self, word: &str, rest: &str) -> Result<String, String> {
        (self.is_changed, self.is_urgent) = (true, true);
        match word {
            "go" => {
                (self.goes, self.next) = (true, Instant::now());
                Ok("running".into())
            }
            "halt" => {
                self.goes = false;
                Ok(format!("halted: {}", self.run.now()))
            }
            "step" => {
                self.goes = false;
                self.step();
                Ok(self.run.now())
            }
            "speed" => {
                self.rate =
                    rest.parse().map_err(|_| format!("speed {rest}: use steps a second"))?;
                self.next = Instant::now();
                Ok(match self.rate {
                    0 => "as fast as it can".into(),
                    rate => format!("{rate} steps a second"),
                })
            }
            _ => self.run.obey(word, rest, self.feed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_view::{Image, Replay, Setup};
    use std::path::Path;
    use std::sync::mpsc;

    /// Counts up to its end.
    #[derive(Default)]
    struct Counter {
        now: u64,
        end: u64,
        setup: Vec<Setup>,
    }

    impl Run for Counter {
        fn scene(&self) -> Scene {
            Scene { places: vec![[0.5; 2]], setup: self.setup.clone(), ..Scene::default() }
        }

        fn frame(&self, state: &'static str, _: bool) -> Frame {
            let image = Image::of([Some(self.now as u8)].into_iter());
            Frame { tick: self.now, state, image, ..Frame::default() }
        }

        fn accepts(&self, pairs: &[(String, String)]) -> Result<(), String> {
            let is_many = pairs.iter().any(|(_, value)| value == "many");
            if is_many { Err("many is not a number".into()) } else { Ok(()) }
        }

        fn step(&mut self, feed: &Feed) {
            self.now += 1;
            feed.say(self.now());
        }

        fn rest(&self) -> Option<&'static str> {
            (self.now >= self.end).then_some("at rest")
        }

        fn now(&self) -> String {
            format!("at {}", self.now)
        }

        fn obey(&mut self, word: &str, rest: &str, _: &Feed) -> Result<String, String> {
            Err(format!("neither {word} nor {rest}"))
        }
    }

    /// Gives an order, and waits for the answer.
    fn ask(feed: &Feed, words: &str) -> Result<String, String> {
        let (reply, answer) = mpsc::sync_channel(1);
        assert!(feed.ask(Order::new(words.into(), reply)).is_ok(), "it takes orders");
        answer.recv_timeout(Duration::from_secs(60)).expect("it answers")
    }

    /// Plays a run while `orders` runs; returns the final state of the run, and the last wish.
    fn played(mut run: Counter, orders: impl FnOnce(&Feed) + Send) -> (u64, Option<Wish>) {
        let feed = Feed::default();
        let wish = std::thread::scope(|scope| {
            scope.spawn(|| orders(&feed));
            play(&feed, &mut run, 1)
        });
        (run.now, wish)
    }

    fn pictures(name: &str, run: impl FnOnce(&Path)) -> Vec<u8> {
        let path = std::env::temp_dir().join(format!("stage-{name}-{}", std::process::id()));
        run(&path);
        let mut seen = Vec::new();
        let replay = Replay::open(&path).unwrap();
        let told = replay.each(|picture| {
            seen.extend(picture.colours.iter().flatten());
            Ok::<(), ()>(())
        });
        std::fs::remove_file(&path).unwrap();
        assert_eq!((told, replay.trouble()), (Ok(()), None));
        seen
    }

    #[test]
    fn a_run_stands_until_it_is_told_to_go_and_goes_to_its_rest() {
        let (now, wish) = played(Counter { end: 50, ..Counter::default() }, |feed| {
            assert_eq!(ask(feed, "halt"), Ok("halted: at 0".into()));
            assert_eq!(ask(feed, "step"), Ok("at 1".into()));
            assert_eq!(ask(feed, "speed 0"), Ok("as fast as it can".into()));
            assert_eq!(ask(feed, "halt"), Ok("halted: at 1".into()), "a speed is no start");
            assert_eq!(ask(feed, "go"), Ok("running".into()));
            let end = Instant::now() + Duration::from_secs(60);
            while ask(feed, "halt") != Ok("halted: at 50".into()) {
                assert!(Instant::now() < end, "it never rests");
                ask(feed, "go").unwrap();
            }
            // That order makes it continue even from there.
            assert_eq!(ask(feed, "step"), Ok("at 51".into()));
            assert_eq!(ask(feed, "speed 7"), Ok("7 steps a second".into()));
            assert_eq!(ask(feed, "speed x"), Err("speed x: use steps a second".into()));
            assert_eq!(ask(feed, "dance a jig"), Err("neither dance nor a jig".into()));
            assert_eq!(ask(feed, "setup a=b"), Err("neither setup nor a=b".into()));
            assert_eq!(ask(feed, "quit"), Ok("it ends".into()));
        });
        assert_eq!(now, 51);
        assert!(wish.is_none());
    }

    #[test]
    fn where_others_can_be_chosen_a_wish_ends_the_run() {
        let setup = vec![Setup { name: "nodes", value: "1".into(), choices: vec![] }];
        let (now, wish) = played(Counter { end: 9, setup, ..Counter::default() }, |feed| {
            let why = "expected setup NAME=VALUE, with tabs between";
            assert_eq!(ask(feed, "setup nodes"), Err(why.into()));
            assert_eq!(ask(feed, "step"), Ok("at 1".into()));
            assert_eq!(ask(feed, "setup nodes=many"), Err("many is not a number".into()));
            assert_eq!(ask(feed, "step"), Ok("at 2".into()), "it is still there");
            // It is answered when the other run has begun.
            let (reply, _) = mpsc::sync_channel(1);
            let order = Order::new("setup nodes=3\tseed=x=y".into(), reply);
            assert!(feed.ask(order).is_ok());
        });
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(wish.unwrap().pairs, [pair("nodes", "3"), pair("seed", "x=y")]);
        assert_eq!(now, 2);
    }

    #[test]
    fn each_step_is_recorded_once_whoever_looks() {
        let alone = pictures("alone", |path| {
            let record = Some(path.to_path_buf());
            let viewing = Viewing { port: None, record, is_drawn: false };
            let mut run = Counter { end: 5, ..Counter::default() };
            viewing.show("counter", &mut run).unwrap();
            assert_eq!(run.now, 5);
        });
        assert_eq!(alone, [0, 1, 2, 3, 4, 5]);
        let by_hand = pictures("by-hand", |path| {
            let feed = Feed::default();
            feed.keep(Recorder::create(path, Slow::Waits, ftmpi_view::thread).unwrap());
            let mut run = Counter { end: 5, ..Counter::default() };
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for _ in 0..5 {
                        ask(&feed, "step").unwrap();
                        ask(&feed, "halt").unwrap();
                    }
                    ask(&feed, "quit").unwrap();
                });
                play(&feed, &mut run, 2);
            });
            feed.finish(None).unwrap();
        });
        assert_eq!(by_hand, [0, 2, 4], "every other one was wanted");
    }

    #[test]
    fn the_words_of_a_command_line_say_who_looks() {
        let read = |line: &str| {
            let line = line.split_whitespace().map(String::from);
            let mut words = Words::split(line, &ALONE).unwrap();
            let viewing = Viewing::read(&mut words).unwrap();
            words.done().unwrap();
            viewing
        };
        assert!(!read("").is_wanted());
        assert_eq!(read("--watch").port, Some(0));
        assert_eq!(read("--port 7000").port, Some(7000));
        assert!(read("--tui").is_drawn && read("--tui").port.is_none());
        assert!(read("--record file").is_wanted());
    }
}
