//! A recorded run, for pages to look at: forwards, and at any moment of it.

use super::feed::Feed;
use super::marks::Marks;
use super::record::{self, EACH, HEAD, Record};
use super::scene::{Shown, Written};
use super::words::Words;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

/// The recording of a run, as read from a file.
pub struct Replay {
    bytes: Vec<u8>,
    /// The position of each scene, and the number by which its frames know it.
    scenes: Vec<(usize, u32)>,
    frames: Vec<Spot>,
    /// Where failures and recoveries are, for the slider.
    marks: Marks,
    /// Why it ends early.
    trouble: Option<&'static str>,
}

/// The position of a frame.
#[derive(Clone, Copy)]
struct Spot {
    at: usize,
    scene: usize,
    /// The frame from which this one can be reconstructed.
    from: usize,
    millis: u32,
    tick: u64,
}

/// One picture of a recording.
pub struct Seen<'a> {
    pub places: &'a [[f32; 2]],
    /// The colours of all dots; `None` for the dead.
    pub colours: Vec<Option<u8>>,
    /// Whether each colour has a meaning of its own.
    pub has_kinds: bool,
    /// The counters and their values, as lines of a table.
    pub columns: String,
    pub row: String,
}

/// A page's position in the recording, and its speed.
struct Player<'a> {
    of: &'a Replay,
    feed: &'a Feed,
    scene: Option<usize>,
    now: usize,
    frame: Written,
    goes: bool,
    /// Frames a second.
    rate: u32,
    next: Instant,
    is_changed: bool,
}

const FASTEST: u32 = 1000;

impl Replay {
    pub fn open(path: &Path) -> Result<Replay, String> {
        let bytes = std::fs::read(path);
        let bytes = bytes.map_err(|why| format!("cannot read {}: {why}", path.display()))?;
        Replay::read(bytes).map_err(|why| format!("{}: {why}", path.display()))
    }

    fn read(bytes: Vec<u8>) -> Result<Replay, String> {
        if !bytes.starts_with(HEAD) {
            return Err("this is not a recording: --record writes them".into());
        }
        let (scenes, frames, marks) = (vec![], vec![], Marks::default());
        let mut replay = Replay { bytes, scenes, frames, marks, trouble: None };
        let (mut at, mut frame, mut is_over) = (HEAD.len(), Written::default(), false);
        while !is_over && replay.trouble.is_none() {
            match record::next(&replay.bytes[at..]) {
                Ok((record, length)) => {
                    is_over = record.kind == b'E';
                    let sound = replay.frames.len();
                    let known = take_in(&record, at, &mut replay.scenes, &mut replay.frames);
                    // All of it is decoded once: the replay promises only what can be shown.
                    let words = match known {
                        Some(true) => {
                            record.frame(&mut frame).and_then(|()| Words::of_frame(&frame))
                        }
                        _ => None,
                    };
                    match (known, words) {
                        (Some(true), Some(words)) => {
                            replay.frames[sound].tick = words.number("tick");
                            replay.marks.see(sound, &words, &frame.image);
                        }
                        (Some(false), _) if record.kind == b'S' => {
                            replay.marks.enter(record.scene().as_ref());
                        }
                        (Some(false), _) => {}
                        _ => {
                            replay.frames.truncate(sound);
                            replay.trouble = Some("it is broken");
                        }
                    }
                    at += length;
                }
                Err(why) => replay.trouble = Some(why),
            }
        }
        match (replay.frames.is_empty(), replay.trouble) {
            (true, Some(why)) => Err(format!("{why}, before the first picture")),
            (true, None) => Err("there is no picture in it".into()),
            (false, _) => Ok(replay),
        }
    }

    /// How many frames there are.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Shows each picture in order, as long as `see` takes them.
    pub fn each<E>(&self, mut see: impl FnMut(Seen<'_>) -> Result<(), E>) -> Result<(), E> {
        let (mut frame, mut known) = (Written::default(), None);
        for (number, spot) in self.frames.iter().enumerate() {
            self.record(number).frame(&mut frame).expect("it could be read before");
            let is_known = known.as_ref().is_some_and(|(scene, _)| *scene == spot.scene);
            if !is_known {
                let scene = self.scene(spot.scene);
                known = Some((spot.scene, (Words::of_scene(&scene), scene.places)));
            }
            let (_, (scene, places)) = known.as_ref().expect("it was just made");
            let (colours, bits) = frame.image.split_at(places.len().min(frame.image.len()));
            let alive =
                |dot: usize| bits.get(dot / 8).is_some_and(|bits| bits >> (dot % 8) & 1 == 1);
            let colour = |(dot, colour): (usize, &u8)| alive(dot).then_some(*colour);
            let colours = colours.iter().enumerate().map(colour).collect();
            let words = Words::of_frame(&frame).expect("it could be read before");
            let [tick, state] = ["tick", "state"].map(|name| words.cell(name));
            let counts = words.cells("series");
            see(Seen {
                places,
                colours,
                has_kinds: !scene.list("kinds").is_empty(),
                columns: format!("ms,tick,state,{}", scene.cells("series")),
                row: format!("{},{tick},{state},{counts}", spot.millis),
            })?;
        }
        Ok(())
    }

    /// What is missing, in words.
    pub fn trouble(&self) -> Option<String> {
        let why = self.trouble?;
        let seconds = f64::from(self.frames.last()?.millis) / 1000.0;
        Some(format!("{why}: showing its first {} pictures, {seconds} s", self.frames.len()))
    }

    /// Shows it as pages direct, until one of them ends it.
    pub fn play(&self, feed: &Feed) {
        let mut player = Player {
            of: self,
            feed,
            scene: None,
            now: 0,
            frame: Written::default(),
            goes: false,
            rate: 40,
            next: Instant::now(),
            is_changed: true,
        };
        player.go_to(0);
        loop {
            player.paint();
            while let Some(order) = feed.order(player.patience()) {
                let (word, rest) = order.words.split_once(' ').unwrap_or((&order.words, ""));
                if word == "quit" {
                    order.answer(Ok("it ends".into()));
                    feed.end();
                    return;
                }
                let answer = player.obey(word, rest);
                order.answer(answer);
                player.paint();
            }
            player.go_on();
        }
    }

    fn record(&self, frame: usize) -> Record<'_> {
        let record = record::next(&self.bytes[self.frames[frame].at..]);
        record.expect("it could be read before").0
    }

    fn scene(&self, scene: usize) -> Shown {
        let record = record::next(&self.bytes[self.scenes[scene].0..]);
        let shown = record.expect("it could be read before").0.scene();
        let shown = shown.expect("it could be read before");
        let millis = self.frames.last().map_or(0, |last| last.millis);
        let events = self.marks.columns(self.frames.len());
        let replay = json!({ "frames": self.frames.len(), "millis": millis, "events": events });
        let json = Words::of_scene(&shown).with("replay", replay).json();
        Shown { json, places: shown.places }
    }
}

/// Notes the position of a record; returns whether it is a frame. `None`: it does not belong there.
fn take_in(
    record: &Record<'_>, at: usize, scenes: &mut Vec<(usize, u32)>, frames: &mut Vec<Spot>,
) -> Option<bool> {
    match record.kind {
        b'S' => {
            let words = Words::read(&record.scene()?.json)?;
            scenes.push((at, words.scene()?));
        }
        b'F' | b'D' => {
            let scene = scenes.len().checked_sub(1)?;
            let before = frames.last().filter(|before| before.scene == scene);
            let from = match record.kind {
                b'F' => frames.len(),
                _ => before?.from,
            };
            if frames.len() - from >= EACH {
                return None;
            }
            frames.push(Spot { at, scene, from, millis: record.time()?, tick: 0 });
            return Some(true);
        }
        _ => {}
    }
    Some(false)
}

impl Player<'_> {
    fn patience(&self) -> Duration {
        match self.goes {
            true => self.next.saturating_duration_since(Instant::now()),
            false => Duration::from_millis(if self.is_changed { 5 } else { 100 }),
        }
    }

    fn go_on(&mut self) {
        let now = Instant::now();
        if !self.goes || now < self.next {
            return;
        }
        self.next = (self.next + Duration::from_secs(1) / self.rate).max(now);
        self.go_to(self.now + 1);
        self.goes = self.now + 1 < self.of.frames();
    }

    fn go_to(&mut self, wanted: usize) {
        let wanted = wanted.min(self.of.frames() - 1);
        let from = self.of.frames[wanted].from;
        let is_near = self.scene.is_some() && (from..=wanted).contains(&self.now);
        let first = if is_near { self.now + 1 } else { from };
        for frame in first..=wanted {
            let made = self.of.record(frame).frame(&mut self.frame);
            made.expect("it could be read before");
        }
        let scene = self.of.frames[wanted].scene;
        if self.scene != Some(scene) {
            self.feed.set_again(self.of.scenes[scene].1, self.of.scene(scene));
            self.scene = Some(scene);
        }
        (self.now, self.is_changed) = (wanted, true);
    }

    fn paint(&mut self) {
        if !self.is_changed || !self.feed.is_hungry() {
            return;
        }
        let state = match self.goes {
            true => "as it was",
            false => "halted",
        };
        let words = Words::of_frame(&self.frame).expect("it could be read before");
        let words = words.with("state", state.into()).with("at", self.now.into());
        let image = self.frame.image.clone();
        self.feed.show_written(Written { head: words.json(), tail: String::new(), image });
        self.is_changed = false;
    }

    fn obey(&mut self, word: &str, rest: &str) -> Result<String, String> {
        let number = |what: &str| {
            rest.trim().parse::<u32>().map_err(|_| format!("{word} {rest}: use {what}"))
        };
        self.is_changed = true;
        match word {
            "go" => {
                let is_at_end = self.now + 1 == self.of.frames();
                if is_at_end {
                    self.go_to(0);
                }
                (self.goes, self.next) = (true, Instant::now());
                Ok("playing".into())
            }
            "halt" => {
                self.goes = false;
                Ok(format!("halted at picture {}", self.now))
            }
            "step" => {
                self.goes = false;
                self.go_to(self.now + 1);
                Ok(format!("picture {} of {}", self.now, self.of.frames()))
            }
            "seek" => {
                let wanted = number("the number of a picture")?;
                self.go_to(wanted as usize);
                Ok(format!("picture {} of {}", self.now, self.of.frames()))
            }
            // The last picture up to then; before the first one, that one.
            "moment" => {
                let wanted = u64::from(number("a moment of the run")?);
                let last = self.of.frames.iter().rposition(|frame| frame.tick <= wanted);
                self.go_to(last.unwrap_or(0));
                Ok(format!("picture {} of {}", self.now, self.of.frames()))
            }
            "speed" => {
                let rate = number("pictures a second")?;
                self.rate = if rate == 0 { FASTEST } else { rate.min(FASTEST) };
                self.next = Instant::now();
                Ok(format!("{} pictures a second", self.rate))
            }
            "info" => self.told(number("a number of one of the dots")? as usize),
            _ => Err(format!(
                "`{word}`: this is a recording: use go, halt, step, seek, moment, speed, info or \
                 quit"
            )),
        }
    }

    fn told(&self, dot: usize) -> Result<String, String> {
        let dots = self.frame.image.len() * 8 / 9;
        let colour = self.frame.image.get(dot).filter(|_| dot < dots);
        let colour =
            colour.ok_or_else(|| format!("`{dot}` is not a dot: dots are 0 to {}", dots - 1))?;
        let is_alive = self.frame.image[dots + dot / 8] >> (dot % 8) & 1 == 1;
        let life = if is_alive { "" } else { ", dead" };
        let seconds = f64::from(self.of.frames[self.now].millis) / 1000.0;
        Ok(format!("{dot} after {seconds} s: colour {colour}{life}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Frame, Image, Recorder, Scene, Slow, thread};
    use std::sync::Arc;

    const COUNT: u64 = 200;

    fn frame(tick: u64, dots: u64) -> Frame {
        Frame {
            tick,
            state: "running",
            series: vec![tick as f64],
            image: Image::of((0..dots as usize).map(|dot| {
                let colour = (dot as u64 + tick / 7) as u8;
                (dot as u64 >= tick / 10).then_some(colour)
            })),
            ..Frame::default()
        }
    }

    /// Two runs in one file, as a page sets them up one after the other.
    fn recording(name: &str) -> Vec<u8> {
        let path = std::env::temp_dir().join(format!("ftview-{name}-{}", std::process::id()));
        let feed = Feed::default();
        feed.keep(Recorder::create(&path, Slow::Waits, thread).unwrap());
        for dots in [100, 33] {
            feed.set(Scene { places: vec![[0.5, 0.25]; dots], ..Scene::default() });
            for tick in 0..COUNT {
                if tick == 20 {
                    feed.say("a word".into());
                }
                feed.record(&frame(tick, dots as u64));
            }
        }
        feed.finish(None).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        bytes
    }

    fn is_at(player: &Player<'_>, at: u64) {
        let dots = if at < COUNT { 100 } else { 33 };
        let expected = frame(at % COUNT, dots);
        let Written { head, tail, image } = &player.frame;
        assert_eq!(*image, expected.image.bytes());
        assert!(head.contains(&format!("\"tick\":{}", at % COUNT)), "{at}: {head}");
        assert_eq!(tail.contains("a word"), at >= 20, "{at}: {tail}");
    }

    #[test]
    fn every_moment_can_be_gone_to_from_every_other() {
        let bytes = recording("whole");
        assert!(bytes.len() < 400 * 110, "differences are few: {}", bytes.len());
        let replay = Replay::read(bytes).unwrap();
        assert_eq!((replay.frames() as u64, replay.trouble()), (2 * COUNT, None));
        let feed = Feed::default();
        let mut player = Player {
            of: &replay,
            feed: &feed,
            scene: None,
            now: 0,
            frame: Written::default(),
            goes: false,
            rate: 1,
            next: Instant::now(),
            is_changed: false,
        };
        player.go_to(0);
        is_at(&player, 0);
        for at in [1, 2, 63, 64, 65, 399, 200, 199, 20, 19, 128, 127, 300, 4, 4] {
            player.go_to(at);
            is_at(&player, at as u64);
        }
        player.go_to(9999);
        is_at(&player, 399);
        assert!(player.obey("seek", "x").is_err() && player.obey("kill", "3").is_err());
        assert_eq!(player.obey("step", "").unwrap(), "picture 399 of 400");
    }

    #[test]
    fn what_ends_too_early_is_shown_as_far_as_it_goes_and_what_is_broken_too() {
        let whole = recording("cut");
        let mut seen = 0;
        for length in (0..whole.len()).step_by(7) {
            match Replay::read(whole[..length].to_vec()) {
                Ok(cut) => {
                    assert!(cut.trouble().is_some_and(|why| why.contains("too early")));
                    assert!(cut.frames() >= seen, "more of the file, more of the run");
                    seen = cut.frames();
                }
                Err(why) => assert!(seen == 0 && !why.is_empty(), "{why}"),
            }
        }
        assert!(seen > 390);
        for at in (HEAD.len()..whole.len()).step_by(11) {
            let mut broken = whole.clone();
            broken[at] ^= 0x41;
            if let Ok(broken) = Replay::read(broken) {
                assert!(broken.trouble().is_some(), "byte {at}");
            }
        }
        assert!(
            Replay::read(b"something else".to_vec()).err().unwrap().contains("not a recording")
        );
    }

    /// A recording of this scene and one frame.
    fn recorded(name: &str, scene: &str, head: &str, tail: &str) -> Result<Replay, String> {
        let path = std::env::temp_dir().join(format!("ftview-{name}-{}", std::process::id()));
        let mut recorder = Recorder::create(&path, Slow::Waits, thread).unwrap();
        recorder.scene(Arc::new(Shown { json: scene.into(), places: vec![[0.5; 2]] }));
        let image = Image::of([Some(7)].into_iter()).bytes();
        recorder.frame(Written { head: head.into(), tail: tail.into(), image });
        recorder.finish(None).unwrap_or_else(|_| panic!("it can be written"));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        Replay::read(bytes)
    }

    #[test]
    fn a_recording_whose_words_are_no_json_is_broken() {
        let (scene, head, tail) = ("{\"scene\":1}", "{\"scene\":1", "}");
        assert!(recorded("words", scene, head, tail).is_ok());
        for (scene, head, tail) in [
            ("{\"scene\":1", head, tail),
            ("{\"scene\":-1}", head, tail),
            ("{}", head, tail),
            (scene, head, ""),
            (scene, "[", "]"),
            (scene, head, "} and more"),
        ] {
            let why = recorded("words", scene, head, tail).err().expect("it is refused");
            assert!(why.starts_with("it is broken"), "{scene} {head}{tail}: {why}");
        }
    }

    #[test]
    fn names_may_have_anything_in_them() {
        let scene = "{\"scene\":1,\"title\":\"\\\"kinds\\\":[]\",\"kinds\":[\"a\"],\
                     \"series\":[\"a]\",\"b\"]}";
        let head = "{\"state\":\"a,b\",\"series\":[0.1,null],\"tick\":3";
        let replay = recorded("names", scene, head, "}").unwrap_or_else(|why| panic!("{why}"));
        let seen = replay.each(|seen| Err((seen.has_kinds, seen.columns, seen.row)));
        let (has_kinds, columns, row) = seen.expect_err("there is a picture");
        assert!(has_kinds);
        assert_eq!(columns, "ms,tick,state,\"a]\",\"b\"");
        assert!(row.ends_with(",3,\"a,b\",0.1,"), "{row}");
    }
}
