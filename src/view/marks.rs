//! Where failures and recoveries are in a recording, for the slider of its page.
//!
//! A job counts its failures and recoveries. Elsewhere a failure is a dot that dies, a recovery one
//! that lives again.

use super::scene::Shown;
use super::words::Words;
use serde_json::Value;

/// Pages draw no finer than this.
const COLUMNS: usize = 1000;

#[derive(Default)]
pub(super) struct Marks {
    /// The number of a picture, and how many failures and recoveries it shows first.
    all: Vec<[u64; 3]>,
    /// Where the scene's numbers have the two counts.
    counts: Option<[usize; 2]>,
    /// What the picture before said: the counts, and a bit for each living dot.
    before: Option<[u64; 2]>,
    bits: Vec<u8>,
}

impl Marks {
    /// A scene begins.
    pub(super) fn enter(&mut self, scene: Option<&Shown>) {
        let words = scene.map(Words::of_scene);
        let series = words.as_ref().map_or(&[][..], |words| words.list("series"));
        let place = |name: &str| series.iter().position(|known| known == name);
        self.counts = place("failures").zip(place("recoveries")).map(|(a, b)| [a, b]);
        self.bits.clear();
        if self.counts.is_none() {
            self.before = None;
        }
    }

    /// The next picture.
    pub(super) fn see(&mut self, picture: usize, words: &Words, image: &[u8]) {
        let bits = &image[image.len() * 8 / 9..];
        let [failures, recoveries] = match self.counts {
            Some(places) => {
                let numbers = words.list("series");
                let number = |place: usize| numbers.get(place).and_then(Value::as_f64);
                let now = places.map(|place| number(place).unwrap_or(0.0) as u64);
                let before = self.before.replace(now).unwrap_or(now);
                [0, 1].map(|of| now[of].saturating_sub(before[of]))
            }
            None if bits.len() == self.bits.len() => {
                let pairs = || self.bits.iter().zip(bits);
                let died = pairs().map(|(old, new)| u64::from((old & !new).count_ones())).sum();
                let back = pairs().map(|(old, new)| u64::from((new & !old).count_ones())).sum();
                [died, back]
            }
            None => [0; 2],
        };
        self.bits = bits.to_vec();
        if failures + recoveries > 0 {
            self.all.push([picture as u64, failures, recoveries]);
        }
    }

    /// The marks, but no more of them than a page can show among so many pictures.
    pub(super) fn columns(&self, pictures: usize) -> Vec<[u64; 3]> {
        let column = |picture: u64| picture as usize * COLUMNS / pictures.max(COLUMNS);
        let same = |one: &[u64; 3], other: &[u64; 3]| column(one[0]) == column(other[0]);
        let sum = |of: &[[u64; 3]], place: usize| of.iter().map(|mark| mark[place]).sum();
        self.all.chunk_by(same).map(|of| [of[0][0], sum(of, 1), sum(of, 2)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(series: &str) -> Shown {
        Shown { json: format!("{{\"scene\":1,\"series\":[{series}]}}"), places: vec![] }
    }

    /// Eight dots, one bit for each.
    fn image(alive: u8) -> Vec<u8> {
        [vec![0; 8], vec![alive]].concat()
    }

    #[test]
    fn deaths_and_returns_of_dots_are_marked_where_nothing_counts_them() {
        let mut marks = Marks::default();
        let words = Words::of_scene(&scene(""));
        marks.enter(Some(&scene("\"alive\"")));
        for (picture, alive) in [0xff, 0xff, 0xfc, 0xfd, 0xfd].into_iter().enumerate() {
            marks.see(picture, &words, &image(alive));
        }
        assert_eq!(marks.columns(5), [[2, 2, 0], [3, 0, 1]]);
        // Another run begins with what lives in it.
        marks.enter(Some(&scene("\"alive\"")));
        marks.see(5, &words, &image(0x0f));
        marks.see(6, &words, &image(0x07));
        assert_eq!(marks.columns(7)[2..], [[6, 1, 0]]);
    }

    #[test]
    fn a_job_says_itself_how_many_there_were_even_if_it_moves() {
        let mut marks = Marks::default();
        let jobs = scene("\"messages\",\"failures\",\"recoveries\"");
        let see = |marks: &mut Marks, picture, numbers: &str| {
            marks.see(picture, &Words::of_scene(&scene(numbers)), &image(0xff));
        };
        marks.enter(Some(&jobs));
        see(&mut marks, 0, "7,1,1");
        see(&mut marks, 1, "9,3,1");
        marks.enter(Some(&jobs));
        see(&mut marks, 2, "9,3,2");
        assert_eq!(marks.columns(3), [[1, 2, 0], [2, 0, 1]]);
    }

    #[test]
    fn of_many_pictures_neighbours_are_one_mark() {
        let all = (0..10_000).map(|picture| [picture, 1, 0]).collect();
        let marks = Marks { all, ..Marks::default() };
        let columns = marks.columns(10_000);
        assert_eq!((columns.len(), columns[1]), (1000, [10, 10, 0]));
        assert_eq!(marks.columns(20_000).len(), 500);
    }
}
