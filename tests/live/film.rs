//! The moving picture of the README: a job, a kill by a click, more deaths, and how it goes on.
//!
//!     tools/screenshots film
//!
//! Each picture is the page's own, as Chromium makes it; here they become one file of the kind WebP
//! (RIFF: a canvas, then frames with how long each is shown).

use crate::browser::Browser;
use crate::shown::{mesh, settled};
use crate::{Job, place};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const SIZE: (u32, u32) = (1080, 720);
const SCALE: f64 = 0.67;
const ROOM: usize = 1_000_000;

fn path() -> PathBuf {
    support::root().join("docs/pictures/ftrun.webp")
}

/// A chunk: its name, its length, its bytes, made even.
fn chunk(name: &[u8; 4], bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("it is small");
    let mut out = [name.as_slice(), &length.to_le_bytes(), bytes].concat();
    out.resize(out.len().next_multiple_of(2), 0);
    out
}

/// The chunks of a file.
fn chunks(file: &[u8]) -> Vec<([u8; 4], &[u8])> {
    assert!(file.starts_with(b"RIFF") && &file[8..12] == b"WEBP");
    let mut found = Vec::new();
    let mut rest = &file[12..];
    while let [a, b, c, d, l0, l1, l2, l3, after @ ..] = rest {
        let length = u32::from_le_bytes([*l0, *l1, *l2, *l3]) as usize;
        found.push(([*a, *b, *c, *d], &after[..length]));
        rest = &after[length.next_multiple_of(2).min(after.len())..];
    }
    found
}

/// One file of many, each with how long it is shown.
fn film(pictures: &[(Vec<u8>, Duration)], (width, height): (u32, u32)) -> Vec<u8> {
    let three = |number: u32| number.to_le_bytes()[..3].to_vec();
    let size = [three(width - 1), three(height - 1)].concat();
    // That it moves.
    let canvas = [vec![2, 0, 0, 0], size.clone()].concat();
    let mut body = [b"WEBP".to_vec(), chunk(b"VP8X", &canvas)].concat();
    // No colour behind it; again and again.
    body.extend(chunk(b"ANIM", &[0; 6]));
    for (picture, time) in pictures {
        let time = u32::try_from(time.as_millis()).expect("it is short");
        let mut frame = [three(0), three(0), size.clone(), three(time), vec![0]].concat();
        let is_image = |name: &[u8; 4]| [*b"ALPH", *b"VP8 ", *b"VP8L"].contains(name);
        for (name, bytes) in chunks(picture).iter().filter(|(name, _)| is_image(name)) {
            frame.extend(chunk(name, bytes));
        }
        body.extend(chunk(b"ANMF", &frame));
    }
    chunk(b"RIFF", &body)
}

/// Takes pictures as fast as the browser makes them, or every 100 ms.
struct Camera {
    pictures: Vec<(Vec<u8>, Duration)>,
}

impl Camera {
    fn take(&mut self, page: &mut Browser, count: usize) {
        for _ in 0..count {
            let begun = Instant::now();
            let picture = page.small_file(SIZE.0, SIZE.1, SCALE);
            // The next picture is to show something new.
            page.value("new Promise(go => setTimeout(go, 100))");
            self.pictures.push((picture, begun.elapsed()));
        }
    }
}

#[test]
#[ignore = "writes the moving picture of the README"]
fn film_of_a_job() {
    let mut job = Job::begin_with("film", 120, &["--machine", "mesh.toml"], mesh);
    let profile = support::fresh_directory("film-profile");
    let mut page = Browser::open(&job.address, SIZE.0, SIZE.1, &profile);
    page.colours("dark");
    page.wait("frame && frame.count === 120 && frame.series[0] > 200");
    page.value("showGuide(false)");
    page.value("document.querySelector('aside').scrollTo(0, 0)");
    settled(&mut page);
    let mut camera = Camera { pictures: Vec::new() };
    camera.take(&mut page, 4);
    let (x, y) = place(&mut page, 42);
    page.click_at(x, y, true);
    camera.take(&mut page, 2);
    page.wait("frame.marks.includes(42) && frame.count === 120 && frame.series[5] === 1");
    camera.take(&mut page, 5);
    job.order("region 0.5 0.4 0.8 0.6 40");
    camera.take(&mut page, 2);
    page.wait("frame.series[4] > 4 && frame.series[5] > 1 && frame.count === 120");
    camera.take(&mut page, 7);
    let last = camera.pictures.last_mut().expect("there are some");
    last.1 += Duration::from_secs(2);
    assert_eq!(job.end().0, Some(0));
    let scaled = |length: u32| (f64::from(length) * SCALE).round() as u32;
    let file = film(&camera.pictures, (scaled(SIZE.0), scaled(SIZE.1)));
    assert!(file.len() < ROOM, "{} bytes", file.len());
    std::fs::write(path(), file).expect("there is room");
}

#[test]
fn the_first_screen_of_the_readme_has_a_picture_that_moves() {
    let readme = std::fs::read_to_string(support::root().join("README.md")).expect("it is there");
    assert!(readme.lines().take(14).any(|line| line.contains("](docs/pictures/ftrun.webp)")));
    let file = std::fs::read(path()).expect("it is there");
    assert!(file.len() < ROOM, "{} bytes", file.len());
    let frames: Vec<&[u8]> = chunks(&file)
        .into_iter()
        .filter_map(|(name, bytes)| (&name == b"ANMF").then_some(bytes))
        .collect();
    assert!(frames.len() > 15, "{} pictures", frames.len());
    assert!(frames.windows(2).any(|two| two[0][16..] != two[1][16..]), "something moves");
    // A browser can show it.
    let profile = support::fresh_directory("film-shown");
    let address = format!("file://{}", path().display());
    let mut page = Browser::open(&address, 900, 600, &profile);
    page.wait("document.images.length === 1 && document.images[0].naturalWidth > 700");
}
