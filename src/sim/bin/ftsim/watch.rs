//! The output of a run while it continues: counters, pictures, and a remark when it takes long.

use crate::live::{self, Show};
use ftmpi_cli::Words;
use ftmpi_sim::natural::picture::{draw, draw_as};
use ftmpi_sim::natural::{Application, World};
use ftmpi_sim::output::remark;
use ftmpi_sim::stage;
use ftmpi_view::{Feed, Recorder, Replay, Slow, kind, shade};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) struct Watch {
    csv: Option<PathBuf>,
    frames: Option<PathBuf>,
    /// The file to record what a page would show.
    pub(crate) record: Option<PathBuf>,
    /// Whether it is drawn on the terminal.
    pub(crate) is_drawn: bool,
    pub(crate) every: u64,
    side: u32,
    pub(crate) is_quiet: bool,
}

/// How many ticks pass between two looks at the clock.
const SLICE: u64 = 16;
const PATIENCE: Duration = Duration::from_secs(2);

impl Watch {
    pub(crate) fn read(words: &mut Words) -> Result<Watch, String> {
        let every = words.number("every", 1)?;
        let side = words.number("size", 600)?;
        if every == 0 || !(16..=8192).contains(&side) {
            return Err("--every is 1 or more, --size is 16 to 8192".into());
        }
        let path = |text: Option<String>| text.map(PathBuf::from);
        let (csv, frames) = (path(words.text("csv")), path(words.text("frames")));
        let record = path(words.text("record"));
        if let Some(directory) = &frames {
            std::fs::create_dir_all(directory).map_err(|why| told(directory, why))?;
        }
        let is_drawn = words.has("tui");
        Ok(Watch { csv, frames, record, is_drawn, every, side, is_quiet: words.has("quiet") })
    }

    /// The option that requests files, if there is one.
    pub(crate) fn files(&self) -> Option<&'static str> {
        self.csv.as_ref().map(|_| "--csv").or(self.frames.as_ref().map(|_| "--frames"))
    }

    pub(crate) fn play<A: Application>(
        &self, world: &mut World<A>, ticks: u64, show: &Show<'_, A>,
    ) -> Result<(), String> {
        let mut csv = self.csv.as_deref().map(open).transpose()?;
        let feed = Feed::default();
        if let Some(path) = &self.record {
            feed.keep(Recorder::create(path, Slow::Waits, ftmpi_view::thread)?);
        }
        if self.is_drawn {
            feed.draw_on(stage::terminal(), ftmpi_view::thread)?;
        }
        if self.is_drawn || self.record.is_some() {
            feed.set(live::scene(world, show, &[None; 4]));
        }
        let is_seen = csv.is_some() || self.frames.is_some() || self.record.is_some();
        let is_seen = is_seen || self.is_drawn;
        let slice = if is_seen { self.every } else { SLICE };
        let (began, mut told_at) = (Instant::now(), Instant::now());
        let mut end = 0;
        loop {
            let has_more = world.run_until(end.min(ticks));
            show.track.look(world);
            if let Some((path, file)) = &mut csv {
                let line = counters(world, end.min(ticks), show.track.of(world, &mut |_| ()));
                file.write_all(line.as_bytes()).map_err(|why| told(path, why))?;
            }
            if let Some(directory) = &self.frames {
                self.picture(world, &directory.join(format!("tick-{end:06}.png")))?;
            }
            let state = if has_more { "running" } else { "at rest" };
            let frame =
                |world: &World<A>| live::frame(world, show, end.min(ticks), state, &[], true);
            if self.record.is_some() {
                feed.record(&frame(world));
            }
            let is_last = !has_more || end >= ticks;
            if self.is_drawn && (is_last || feed.is_hungry()) {
                feed.show(&frame(world));
            }
            if !self.is_quiet && !self.is_drawn && told_at.elapsed() > PATIENCE {
                told_at = Instant::now();
                let million = world.events() as f64 / 1e6;
                let speed = million / began.elapsed().as_secs_f64();
                let alive = world.living();
                let now = world.now();
                let words = format!(
                    "tick {now}, {alive} alive, {million:.0} million events, {speed:.1} million a \
                     second"
                );
                remark("ftsim", &words);
            }
            if is_last {
                break;
            }
            end += slice;
        }
        feed.finish(None)?;
        match csv {
            Some((path, mut file)) => file.flush().map_err(|why| told(path, why)),
            None => Ok(()),
        }
    }

    fn picture<A: Application>(&self, world: &World<A>, path: &Path) -> Result<(), String> {
        let points = draw(&world.graph().places, &world.colours(), self.side);
        png(path, &points, self.side)
    }
}

/// The formats into which a recording is converted.
pub(crate) struct Prints {
    film: Option<PathBuf>,
    frames: Option<PathBuf>,
    csv: Option<PathBuf>,
    every: usize,
    side: u32,
}

impl Prints {
    /// `None`, if none are requested.
    pub(crate) fn read(words: &mut Words) -> Result<Option<Prints>, String> {
        let [film, frames, csv] =
            ["apng", "frames", "csv"].map(|name| words.text(name).map(PathBuf::from));
        let (every, side) = (words.given("every", 5)?, words.given("size", 400)?);
        let has_pictures = film.is_some() || frames.is_some();
        if let (Some(side), false) = (side, has_pictures) {
            return Err(format!(
                "--size {side} is for pictures in files: use --apng OUT or --frames DIRECTORY, or \
                 leave it out"
            ));
        }
        if let (Some(every), false) = (every, has_pictures || csv.is_some()) {
            return Err(format!(
                "--every {every} is for files: use --apng OUT, --frames DIRECTORY or --csv OUT, or \
                 leave it out"
            ));
        }
        let (every, side) = (every.unwrap_or(1), side.unwrap_or(400));
        if every == 0 || !(16..=8192).contains(&side) {
            return Err("--every is 1 or more, --size is 16 to 8192".into());
        }
        let is_wanted = has_pictures || csv.is_some();
        Ok(is_wanted.then_some(Prints { film, frames, csv, every, side }))
    }

    /// One of the options that request files.
    pub(crate) fn files(&self) -> &'static str {
        match (&self.film, &self.frames) {
            (Some(_), _) => "--apng",
            (None, Some(_)) => "--frames",
            (None, None) => "--csv",
        }
    }

    /// Writes every `every`th of its pictures.
    pub(crate) fn write(&self, replay: &Replay) -> Result<(), String> {
        let count = replay.frames().div_ceil(self.every);
        let film =
            self.film.as_deref().map(|path| Ok::<_, String>((path, self.film(path, count)?)));
        let mut film = film.transpose()?;
        let create = |path| Ok::<_, String>((path, BufWriter::new(create(path)?)));
        let mut csv = self.csv.as_deref().map(create).transpose()?;
        if let Some(directory) = &self.frames {
            std::fs::create_dir_all(directory).map_err(|why| told(directory, why))?;
        }
        let (mut number, mut columns) = (0, String::new());
        replay.each(|seen| {
            number += 1;
            if (number - 1) % self.every != 0 {
                return Ok(());
            }
            if let Some((path, file)) = &mut csv {
                if columns != seen.columns {
                    columns = seen.columns.to_string();
                    writeln!(file, "{columns}").map_err(|why| told(path, why))?;
                }
                writeln!(file, "{}", seen.row).map_err(|why| told(path, why))?;
            }
            if film.is_none() && self.frames.is_none() {
                return Ok(());
            }
            let shade = if seen.has_kinds { kind } else { shade };
            let points = draw_as(seen.places, &seen.colours, self.side, shade);
            if let Some(directory) = &self.frames {
                png(&directory.join(format!("picture-{number:06}.png")), &points, self.side)?;
            }
            match &mut film {
                Some((path, film)) => film.write_image_data(&points).map_err(|why| told(path, why)),
                None => Ok(()),
            }
        })?;
        if let Some((path, mut file)) = csv {
            file.flush().map_err(|why| told(path, why))?;
        }
        film.map_or(Ok(()), |(path, film)| film.finish().map_err(|why| told(path, why)))
    }

    /// One moving picture of `count` frames.
    fn film(&self, path: &Path, count: usize) -> Result<png::Writer<BufWriter<File>>, String> {
        let mut encoder = encoder(path, self.side)?;
        let count = u32::try_from(count).map_err(|why| told(path, why))?;
        encoder.set_animated(count, 0).map_err(|why| told(path, why))?;
        encoder.set_frame_delay(1, 25).map_err(|why| told(path, why))?;
        encoder.write_header().map_err(|why| told(path, why))
    }
}

fn png(path: &Path, points: &[u8], side: u32) -> Result<(), String> {
    let mut writer = encoder(path, side)?.write_header().map_err(|why| told(path, why))?;
    writer.write_image_data(points).map_err(|why| told(path, why))?;
    // Dropping it would hide write errors.
    writer.finish().map_err(|why| told(path, why))
}

fn encoder(path: &Path, side: u32) -> Result<png::Encoder<'static, BufWriter<File>>, String> {
    let mut encoder = png::Encoder::new(BufWriter::new(create(path)?), side, side);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    Ok(encoder)
}

fn create(path: &Path) -> Result<File, String> {
    File::create(path).map_err(|why| told(path, why))
}

fn open(path: &Path) -> Result<(&Path, BufWriter<File>), String> {
    let mut file = BufWriter::new(create(path)?);
    let head = b"tick,alive,sent,delivered,dropped,notices,tracked\n";
    file.write_all(head).map_err(|why| told(path, why))?;
    Ok((path, file))
}

fn counters<A: Application>(world: &World<A>, tick: u64, tracked: f64) -> String {
    let counters = world.counters();
    let alive = u64::from(world.graph().nodes()) - counters.deaths;
    format!(
        "{tick},{alive},{},{},{},{},{tracked}\n",
        counters.sent, counters.delivered, counters.dropped, counters.notices
    )
}

fn told(path: &Path, why: impl std::fmt::Display) -> String {
    format!("{}: {why}", path.display())
}
