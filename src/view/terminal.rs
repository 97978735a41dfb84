//! The same on a terminal, for machines without a browser: half a character for each place, in
//! colours that every terminal has had for long.

use super::colour::{DEAD, kind, shade};
use super::scene::{Frame, Scene};
use std::fmt::Write;

pub struct Terminal {
    /// How many characters there are in a row, and how many rows.
    size: [usize; 2],
    write: fn(&[u8]),
    scene: Scene,
    is_drawn: bool,
}

/// Rows of words above the dots, and below them with the legend.
const ABOVE: usize = 3;
pub(super) const BELOW: usize = 3;

impl Terminal {
    /// A terminal of the size that the environment tells, or the usual one.
    pub fn new(write: fn(&[u8])) -> Terminal {
        let told = |name: &str, usual: usize, least: usize| {
            let said = std::env::var(name).ok().and_then(|text| text.parse().ok());
            said.filter(|size| (least..1000).contains(size)).unwrap_or(usual)
        };
        let size = [told("COLUMNS", 80, 20), told("LINES", 24, 12)];
        Terminal { size, write, scene: Scene::default(), is_drawn: false }
    }

    pub(super) fn set(&mut self, scene: Scene) {
        self.scene = scene;
    }

    /// Draws a frame, and the latest words.
    pub(super) fn draw(&mut self, frame: &Frame, words: &[String]) {
        let text = self.text(frame, words);
        // The first one finds the screen as it was.
        let clear = if self.is_drawn { "" } else { "\x1b[2J" };
        (self.write)(format!("{clear}\x1b[H{text}").as_bytes());
        self.is_drawn = true;
    }

    fn text(&self, frame: &Frame, words: &[String]) -> String {
        let [wide, _] = self.size;
        let mut text = String::new();
        let mut line = |words: &str| {
            let words: String = words.chars().filter(|c| !c.is_control()).take(wide).collect();
            // The rest of the line goes.
            let _ = write!(text, "\x1b[0m{words}\x1b[K\r\n");
        };
        let unit = if self.scene.unit.is_empty() { "tick" } else { self.scene.unit };
        line(&self.scene.title);
        let (alive, count) = (frame.image.living(), frame.image.dots());
        line(&format!("{unit} {}, {alive} of {count} alive, {}", frame.tick, frame.state));
        let series = self.scene.series.iter().zip(&frame.series);
        let series: Vec<_> = series.map(|(name, value)| format!("{name} {value:.6}")).collect();
        line(&series.join(", ").replace(".000000", ""));
        self.dots(frame, &mut text);
        self.legend(frame, &mut text);
        for words in words.iter().rev().take(BELOW - 1).rev() {
            let words: String = words.chars().filter(|c| !c.is_control()).take(wide).collect();
            let _ = write!(text, "{words}\x1b[K\r\n");
        }
        text + "\x1b[0m\x1b[J"
    }

    fn dots(&self, frame: &Frame, text: &mut String) {
        let [wide, high] = [self.size[0], 2 * (self.size[1] - ABOVE - BELOW - 1)];
        let mut places: Vec<Option<[u8; 3]>> = vec![None; wide * high];
        let shade = if self.scene.kinds.is_empty() { shade } else { kind };
        for (&[x, y], colour) in self.scene.places.iter().zip(frame.image.each()) {
            let along = |at: f32, extent: usize| ((at * extent as f32) as usize).min(extent - 1);
            let place = &mut places[along(1.0 - y, high) * wide + along(x, wide)];
            // Where several dots share a place, the dead are seen.
            if *place != Some(DEAD) {
                *place = Some(colour.map_or(DEAD, shade));
            }
        }
        for pair in places.chunks(2 * wide) {
            let (upper, lower) = pair.split_at(wide);
            let mut last = None;
            for both in upper.iter().zip(lower) {
                if last.replace(both) != Some(both) {
                    text.push_str("\x1b[0");
                    let _ = both.0.map_or(Ok(()), |it| write!(text, ";38;5;{}", index(it)));
                    let _ = both.1.map_or(Ok(()), |it| write!(text, ";48;5;{}", index(it)));
                    text.push('m');
                }
                // An upper half in the one colour, on a ground of the other.
                text.push(if both.0.is_some() { '\u{2580}' } else { ' ' });
            }
            text.push_str("\x1b[0m\r\n");
        }
    }

    fn legend(&self, frame: &Frame, text: &mut String) {
        let mut counts = [0; 256];
        frame.image.each().flatten().for_each(|colour| counts[usize::from(colour)] += 1);
        let mut room = self.size[0];
        if let Some(top) = frame.top {
            let words = format!("{}: 0 to {:.3}", self.scene.scale[0], top);
            let words = words.trim_end_matches(".000");
            text.extend(words.chars().take(room));
        }
        for (colour, name) in (0..).zip(&self.scene.kinds) {
            let words = format!("{name} {}  ", counts[usize::from(colour)]);
            if counts[usize::from(colour)] == 0 || words.len() + 2 > room {
                continue;
            }
            room -= words.len() + 2;
            let _ = write!(text, "\x1b[48;5;{}m \x1b[0m {words}", index(kind(colour)));
        }
        text.push_str("\x1b[K\r\n");
    }
}

/// The nearest of the 216 colours of a cube.
fn index([red, green, blue]: [u8; 3]) -> u32 {
    let step = |part: u8| (u32::from(part) * 5 + 127) / 255;
    16 + 36 * step(red) + 6 * step(green) + step(blue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Image;

    #[test]
    fn dots_have_their_colours_and_words_stay_within_their_lines() {
        let scene = Scene {
            title: "a title\x1b[31m that is far too long for so narrow a terminal".into(),
            places: vec![[0.0, 1.0], [0.99, 0.0]],
            kinds: vec!["computes"],
            series: vec!["alive"],
            ..Scene::default()
        };
        let mut terminal = Terminal { size: [20, 12], ..Terminal::new(|_| {}) };
        terminal.set(scene);
        let frame = Frame {
            image: Image::of([Some(0), None].into_iter()),
            series: vec![1.0],
            ..Frame::default()
        };
        let text = terminal.text(&frame, &[]);
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert_eq!(lines[0], "\x1b[0ma title[31m that is \x1b[K");
        assert_eq!(lines[2], "\x1b[0malive 1\x1b[K");
        let [alive, dead] = [index(kind(0)), index(DEAD)];
        assert!(lines[3].starts_with(&format!("\x1b[0;38;5;{alive}m\u{2580}\x1b[0m ")));
        assert!(lines[7].ends_with(&format!("\x1b[0;48;5;{dead}m \x1b[0m")), "{:?}", lines[7]);
        assert!(lines[8].contains("computes 1"), "{text}");
    }
}
