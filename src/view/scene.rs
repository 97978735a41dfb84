//! What pages show: a scene and its frames, and how both are written.

use super::image::Image;
use ftmpi_base::json::quoted;
use std::collections::VecDeque;
use std::sync::Arc;

/// What does not change from one frame to the next.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub title: String,
    /// The place of each dot, in the unit square.
    pub places: Vec<[f32; 2]>,
    /// The extents of the machine whose nodes the dots are, the first dimension running fastest;
    /// empty: they are no such machine.
    pub grid: Vec<u32>,
    /// The node of each dot there; empty: each dot is the node of its number.
    pub berths: Vec<u32>,
    /// Whether the order `links` tells what each link of the machine carries.
    pub has_links: bool,
    /// The nodes of the machine that hold no dot.
    pub vacant: Vec<Vacant>,
    /// The name of a dot, and of the number of a frame; empty: node, tick.
    pub dot: &'static str,
    pub unit: &'static str,
    /// The meaning of each colour; empty: they are a scale from low to high.
    pub kinds: Vec<&'static str>,
    /// The meaning of a ring around a dot; empty: there are no rings.
    pub mark: &'static str,
    /// The meaning of an arrow; empty: there are no arrows.
    pub arrow: &'static str,
    /// The quantity of the scale, and its two ends.
    pub scale: [String; 3],
    /// The names of what is plotted.
    pub series: Vec<&'static str>,
    pub sliders: Vec<Slider>,
    /// The choices for another run.
    pub setup: Vec<Setup>,
    /// The quantities that colours can show; the order `view NAME` selects one. Empty: there is
    /// only one.
    pub views: Vec<&'static str>,
    /// Which of them colours show.
    pub view: usize,
    /// Whether the run can be halted and slowed down.
    pub has_clock: bool,
    /// Whether dots can be killed.
    pub has_deaths: bool,
    /// Whether sliders were moved and can be reset: the order `border back`.
    pub has_way_back: bool,
}

/// A node that holds no dot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vacant {
    pub node: u32,
    /// In the unit square, like those of the dots.
    pub place: [f32; 2],
    /// Whether it can still take a dot; otherwise it is dead.
    pub is_spare: bool,
}

/// A value that pages change while it runs.
#[derive(Clone, Debug)]
pub struct Slider {
    pub name: &'static str,
    pub range: [f64; 2],
    pub value: f64,
    /// Shown instead of a value until the user chooses one; empty: the choice has this value.
    pub instead: &'static str,
}

/// One choice before a run.
#[derive(Clone, Debug)]
pub struct Setup {
    pub name: &'static str,
    pub value: String,
    /// Empty: any text is allowed.
    pub choices: Vec<&'static str>,
}

/// The picture at one moment.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub tick: u64,
    /// In a word: running, halted, at rest.
    pub state: &'static str,
    pub series: Vec<f64>,
    /// The appearance of the dots.
    pub image: Image,
    /// The dots with a ring around them.
    pub marks: Vec<u32>,
    /// Arrows, from dot to dot.
    pub arrows: Vec<[u32; 2]>,
    /// The amount at the upper end of the scale, which is then logarithmic (see [`heat`]); none:
    /// its ends are as the scene says.
    pub top: Option<f64>,
}

/// A process that happened in steps, each at its own time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    pub title: String,
    /// What happened, and when: in milliseconds since the beginning of the run.
    pub steps: Vec<(&'static str, f64)>,
}

/// A frame as it is sent and kept: a JSON object in two parts, the second of which seldom changes,
/// and the bytes of an [`Image`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) head: String,
    pub(super) tail: String,
    pub(super) image: Arc<Vec<u8>>,
}

/// The text beside the picture: the latest words and how many there were, the latest lines.
#[derive(Default)]
pub(super) struct Told {
    pub(super) words: VecDeque<String>,
    pub(super) said: u64,
    /// How many rows were plotted.
    pub(super) points: u64,
    pub(super) lines: VecDeque<Line>,
}

/// The colour of an amount on a logarithmic scale from nothing to `top`: few and many can be told
/// apart.
pub fn heat(amount: f64, top: f64) -> u8 {
    if top <= 0.0 {
        return 0;
    }
    // A number beyond an end has the colour of that end.
    (255.0 * amount.ln_1p() / top.ln_1p()).round() as u8
}

impl Scene {
    pub(super) fn json(&self, number: u32) -> String {
        let list = |names: &[&str]| joined(names.iter().map(|name| quoted(name)));
        let sliders = self.sliders.iter().map(|slider| {
            let Slider { name, range: [low, high], value, instead } = slider;
            let (name, instead) = (quoted(name), quoted(instead));
            let range = format!("[{low},{high}]");
            format!("{{\"name\":{name},\"range\":{range},\"value\":{value},\"instead\":{instead}}}")
        });
        let setup = self.setup.iter().map(|Setup { name, value, choices }| {
            let (name, value, choices) = (quoted(name), quoted(value), list(choices));
            format!("{{\"name\":{name},\"value\":{value},\"choices\":[{choices}]}}")
        });
        let or = |said: &str, usual: &str| quoted(if said.is_empty() { usual } else { said });
        let [scale, low, high] = &self.scale;
        format!(
            "{{\"scene\":{number},\"title\":{},\"nodes\":{},\"grid\":[{}],\"berths\":[{}],\
             \"links\":{},\"vacant\":[{}],\"dot\":{},\"unit\":{},\"kinds\":[{}],\
             \"mark\":{},\"arrow\":{},\"series\":[{}],\
             \"sliders\":[{}],\"setup\":[{}],\"views\":[{}],\"view\":{},\"clock\":{},\"deaths\":{},\
             \"back\":{},\"scale\":[{},{},{}]}}",
            quoted(&self.title),
            self.places.len(),
            joined(self.grid.iter().map(u32::to_string)),
            joined(self.berths.iter().map(u32::to_string)),
            self.has_links,
            joined(self.vacant.iter().map(Vacant::json)),
            or(self.dot, "node"),
            or(self.unit, "tick"),
            list(&self.kinds),
            quoted(self.mark),
            quoted(self.arrow),
            list(&self.series),
            joined(sliders),
            joined(setup),
            list(&self.views),
            self.view,
            self.has_clock,
            self.has_deaths,
            self.has_way_back,
            quoted(scale),
            quoted(low),
            quoted(high),
        )
    }
}

impl Written {
    pub(super) fn new(scene: u32, frame: &Frame, told: &Told) -> Written {
        let number =
            |value: &f64| if value.is_finite() { value.to_string() } else { "null".into() };
        let head = format!(
            "{{\"scene\":{scene},\"tick\":{},\"state\":{},\"series\":[{}],\"nodes\":{}",
            frame.tick,
            quoted(frame.state),
            joined(frame.series.iter().map(number)),
            frame.image.dots(),
        );
        let head = match told.points {
            0 => head,
            points => format!("{head},\"points\":{points}"),
        };
        let head = match frame.top {
            Some(top) => format!("{head},\"top\":{}", number(&top)),
            None => head,
        };
        let words = joined(told.words.iter().map(|words| quoted(words)));
        let lines = joined(told.lines.iter().map(Line::json));
        let marks = joined(frame.marks.iter().map(u32::to_string));
        let arrow = |[from, to]: &[u32; 2]| format!("{from},{to}");
        let arrows = joined(frame.arrows.iter().map(arrow));
        let tail = format!(
            ",\"said\":{},\"words\":[{words}],\"lines\":[{lines}],\"marks\":[{marks}],\
             \"arrows\":[{arrows}]}}",
            told.said
        );
        Written { head, tail, image: frame.image.bytes() }
    }

    /// The text, after its length; the picture follows.
    pub(super) fn words(&self) -> Vec<u8> {
        let told = self.head.len() + self.tail.len();
        let mut bytes = Vec::with_capacity(4 + told);
        bytes.extend((told as u32).to_le_bytes());
        bytes.extend(self.head.as_bytes());
        bytes.extend(self.tail.as_bytes());
        bytes
    }
}

impl Vacant {
    fn json(&self) -> String {
        let [x, y] = self.place;
        format!("[{x},{y},{},{}]", u8::from(self.is_spare), self.node)
    }
}

impl Line {
    fn json(&self) -> String {
        let steps = self.steps.iter().map(|(what, at)| format!("[{},{at:.3}]", quoted(what)));
        format!("{{\"title\":{},\"steps\":[{}]}}", quoted(&self.title), joined(steps))
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",")
}

/// A scene as pages get it.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) json: String,
    pub(super) places: Vec<[f32; 2]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hotter_is_brighter_and_the_ends_are_the_ends() {
        for top in [1.0, 7.5, 1e6] {
            assert_eq!([heat(0.0, top), heat(top, top)], [0, 255]);
            assert!((0..=100).is_sorted_by_key(|part| heat(top * f64::from(part) / 100.0, top)));
        }
        assert_eq!([heat(0.0, 0.0), heat(9.0, 3.0)], [0, 255]);
    }

    #[test]
    fn a_frame_is_words_then_colours_then_bits() {
        let frame = Frame {
            tick: 5,
            state: "running",
            series: vec![1.5, f64::NAN],
            image: Image::of([Some(7), None, Some(9)].into_iter()),
            marks: vec![2],
            arrows: vec![[0, 2], [1, 2]],
            top: Some(0.5),
        };
        let line = Line { title: "rank 1".into(), steps: vec![("killed", 1.0), ("dead", 1.25)] };
        let words = VecDeque::from(["a \"word\"\n".to_string()]);
        let told = Told { words, said: 40, points: 7, lines: VecDeque::from([line]) };
        let written = Written::new(2, &frame, &told);
        let bytes = written.words();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        assert_eq!(bytes.len(), 4 + length);
        let told = std::str::from_utf8(&bytes[4..]).unwrap();
        assert_eq!(
            told,
            "{\"scene\":2,\"tick\":5,\"state\":\"running\",\"series\":[1.5,null],\"nodes\":3,\
             \"points\":7,\"top\":0.5,\"said\":40,\"words\":[\"a \\\"word\\\"\\n\"],\
             \"lines\":[{\"title\":\"rank 1\",\"steps\":[[\"killed\",1.000],[\"dead\",1.250]]}],\
             \"marks\":[2],\"arrows\":[0,2,1,2]}"
        );
        assert_eq!(*written.image, [7, 0, 9, 0b101]);
    }
}
