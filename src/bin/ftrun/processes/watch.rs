//! `--watch`, `--tui` and `--record` where ranks are processes: `ftrun` asks each what its rank
//! does, or what its ranks do, while somebody looks, and shows what they have answered last. A
//! process that is stopped looks as it did before; what its ranks have done since it was last asked
//! dies with it.

use super::lines::say;
use super::report::Report;
use ftmpi_base::json::quoted;
use ftmpi_base::{Division, Member};
use ftmpi_launch::Job;
use ftmpi_machine::berths::Berths;
use ftmpi_machine::map;
use ftmpi_view::{
    self as view, Feed, Frame, Image, Order, Recorder, Scene, Slow, Terminal, Vacant,
};
use ftmpi_watch::{self as watch, Accounts, DONE, KINDS, MOST_ROWS, OUTSIDE, RECOVERS, Stories};
use ftmpi_wireup::{Asks, Glance};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between frames, for viewers and for recordings; in large jobs it is so long for each rank.
const PICTURE: Duration = Duration::from_millis(33);
const KEPT: Duration = Duration::from_millis(50);
const EACH: Duration = Duration::from_micros(250);
/// The time between two checks for viewers while there are none.
const UNWATCHED: Duration = Duration::from_millis(100);
/// How long the end of the job waits for a recording to be written.
const WRITTEN: Duration = Duration::from_millis(700);

/// What is known of the rank in a seat.
#[derive(Clone, Default)]
pub(super) struct Seat {
    /// Which life it was that has been seen last.
    pub(super) life: u32,
    pub(super) glance: Option<Glance>,
    /// What the lives before have done: messages, collectives and wake-ups.
    before: [u64; 3],
    /// To which ranks those have sent how many messages.
    sent_before: BTreeMap<u32, u64>,
    has_finished: bool,
    /// Where the last life was that has been listed, if that is another host.
    host: Option<String>,
}

impl Seat {
    pub(super) fn counts(&self) -> [u64; 3] {
        let now = self.glance.as_ref().map_or([0; 3], |glance| {
            [glance.messages, glance.collectives, u64::from(glance.wakings)]
        });
        [0, 1, 2].map(|of| self.before[of] + now[of])
    }

    /// To which ranks all lives have sent how many messages.
    fn sent_to(&self) -> BTreeMap<u32, u64> {
        let mut sums = self.sent_before.clone();
        for (to, count) in self.glance.iter().flat_map(|glance| &glance.sent_to) {
            *sums.entry(*to).or_default() += count;
        }
        sums
    }
}

/// A life, for the table of all ranks.
pub(super) struct Row {
    pub(super) life: u32,
    pub(super) process: i32,
    /// `None`: the host of `ftrun` itself.
    pub(super) host: Option<String>,
}

/// A question that a process is to answer.
pub(super) struct Asked {
    pub(super) number: u64,
    pub(super) member: Member,
    pub(super) order: Order,
}

/// What a picture shows of a simulated machine.
struct Nodes {
    dims: Vec<u32>,
    of_ranks: Vec<u32>,
    vacant: Vec<Vacant>,
}

/// What `ftrun` shows of the job.
pub(super) struct Watch {
    pub(super) feed: Arc<Feed>,
    pub(super) seats: Vec<Seat>,
    pub(super) places: Vec<[f32; 2]>,
    /// The simulated machine on which they are, if there is one.
    nodes: Option<Nodes>,
    /// How ranks share processes, if they do.
    division: Option<Division>,
    program: String,
    pub(super) view: usize,
    accounts: Accounts,
    /// Somebody has asked for the matrix of messages.
    counts_pairs: bool,
    stories: Stories,
    next: Instant,
    /// When a frame was last kept.
    kept: Instant,
    /// Questions of pages that processes have not answered yet.
    pub(super) asked: Vec<Asked>,
    pub(super) questions: u64,
}

/// What a frame shows beside what the ranks have answered.
pub(super) struct Surroundings<'a> {
    /// By seat: the life that is there.
    pub(super) lives: Vec<Option<u32>>,
    /// Those who keep a recovery waiting, if there is one.
    pub(super) late: Option<Vec<Member>>,
    pub(super) report: &'a mut Report,
}

impl Watch {
    /// Lets people watch the job, if that is asked for, and says where.
    pub(super) fn begin(
        job: &Job, program: &str, berths: Option<&Berths>,
    ) -> Result<Option<Watch>, String> {
        if !job.is_seen() {
            return Ok(None);
        }
        let feed = Arc::new(Feed::default());
        if let Some(file) = &job.record {
            feed.keep(Recorder::create(Path::new(file), Slow::LeavesOut, view::thread)?);
        }
        if job.draws {
            let terminal = Terminal::new(|bytes| {
                // If it cannot be written, nothing is shown.
                let _unseen = std::io::stderr().lock().write_all(bytes);
            });
            feed.draw_on(terminal, view::thread)?;
        }
        let now = Instant::now();
        let mut watch = Watch {
            feed: feed.clone(),
            seats: vec![Seat::default(); job.ranks],
            places: map::square(job.ranks),
            nodes: None,
            division: job.processes.map(|_| job.division()),
            program: program.to_string(),
            view: 0,
            accounts: Accounts::new(job.ranks, KINDS.len()),
            counts_pairs: false,
            stories: Stories::default(),
            next: now,
            kept: now,
            asked: Vec::new(),
            questions: 0,
        };
        if let Some(berths) = berths {
            watch.place(berths);
        }
        watch.set_scene();
        if let Some(port) = job.watch {
            let address = view::serve(feed, port, view::thread)
                .map_err(|why| format!("--watch: {why}: use --port 0 for a free one"))?;
            say(&format!("ftrun: live view at {address}"));
        }
        Ok(Some(watch))
    }

    pub(super) fn set_scene(&self) {
        let ranks = self.seats.len();
        let scene = watch::of_ranks(&self.program, ranks, self.places.clone(), self.view);
        self.feed.set(match &self.nodes {
            None => scene,
            Some(Nodes { dims, of_ranks, vacant }) => {
                let (grid, berths, vacant) = (dims.clone(), of_ranks.clone(), vacant.clone());
                Scene { grid, berths, vacant, ..scene }
            }
        });
    }

    /// The ranks sit there.
    pub(super) fn place(&mut self, berths: &Berths) {
        let vacant = berths.vacant().into_iter();
        let vacant =
            vacant.map(|(node, place, is_spare)| Vacant { node: node as u32, place, is_spare });
        let (dims, of_ranks) = (berths.dims().to_vec(), berths.nodes().to_vec());
        self.nodes = Some(Nodes { dims, of_ranks, vacant: vacant.collect() });
        self.places = berths.map();
    }

    /// When it is to be looked at next.
    pub(super) fn due(&self) -> Instant {
        self.next
    }

    /// It is being looked at. What all ranks are to be asked, if they are.
    pub(super) fn look(&mut self, now: Instant, around: Surroundings<'_>) -> Option<Asks> {
        let (is_kept, shows) = (self.feed.is_kept(), self.feed.is_hungry());
        let keeps = is_kept && now >= self.kept + KEPT;
        let is_on = is_kept || shows || self.feed.is_watched();
        let gap = PICTURE.max(EACH * self.seats.len() as u32);
        self.next = now + if is_on { gap } else { UNWATCHED };
        if shows || keeps {
            self.show("under way", now, around, [shows, keeps]);
        }
        is_on.then(|| Asks {
            awaited: self.view == watch::WAITS || self.accounts.are_shown(now),
            pairs: self.counts_pairs,
        })
    }

    fn show(
        &mut self, state: &'static str, now: Instant, around: Surroundings<'_>,
        [shows, keeps]: [bool; 2],
    ) {
        let over = around.report.take_over();
        let open = |most| around.report.latest(most);
        let age = around.report.age();
        self.stories.go_on(&self.feed, over, true, open);
        let frame = self.frame(state, now, age, around);
        if shows {
            self.feed.show(&frame);
        }
        if keeps {
            self.kept = now;
            self.feed.record(&frame);
        }
    }

    fn frame(
        &mut self, state: &'static str, now: Instant, age: Duration, around: Surroundings<'_>,
    ) -> Frame {
        let mut dots = Vec::with_capacity(self.seats.len());
        let (mut marks, mut arrows) = (Vec::new(), Vec::new());
        self.accounts.look(now);
        for (number, seat) in self.seats.iter().enumerate() {
            let life = around.lives[number];
            let is_late = |member: &Member| member.seat == number;
            let has_come = around.late.as_ref().is_some_and(|late| !late.iter().any(is_late));
            let seen = seat.glance.as_ref().filter(|_| life == Some(seat.life));
            if seat.life > 0 || life.is_some_and(|life| life > 0) {
                marks.push(number as u32);
            }
            for awaited in seen.map(|glance| &glance.awaited[..]).unwrap_or_default() {
                self.accounts.note_awaited(number, *awaited);
                arrows.extend((self.view == watch::WAITS).then_some([number as u32, *awaited]));
            }
            let kind = match (life, seen) {
                (_, Some(glance)) if has_come && watch::is_asleep(glance.kind) => Some(RECOVERS),
                (_, Some(glance)) => Some(glance.kind),
                (Some(_), None) => Some(OUTSIDE),
                (None, None) => seat.has_finished.then_some(DONE),
            };
            if let Some(kind) = kind {
                self.accounts.note(number, kind);
            }
            dots.push(kind);
        }
        let counts = self.seats.iter().map(Seat::counts);
        let add = |sum: [u64; 3], of: [u64; 3]| [0, 1, 2].map(|place| sum[place] + of[place]);
        let [messages, collectives, wakings] = counts.fold([0; 3], add);
        let image = Image::of(dots.into_iter());
        let living = image.living() as u64;
        let Stories { failures, generation, .. } = self.stories;
        let series = [messages, collectives, wakings, living, failures, generation];
        Frame {
            tick: age.as_millis() as u64,
            state,
            series: series.map(|value| value as f64).to_vec(),
            image,
            marks,
            arrows,
            ..Frame::default()
        }
    }

    /// What the process of a rank has answered, or says of its end. Spawned ranks are not shown.
    pub(super) fn note(&mut self, from: Member, mut glance: Glance) {
        // What it says of kinds is no more than a number of its own.
        let is_known = usize::from(glance.kind) < KINDS.len();
        let count = self.seats.len() as u32;
        glance.awaited.retain(|seat| *seat < count);
        glance.sent_to.retain(|(to, _)| *to < count);
        if let Some(seat) = self.seats.get_mut(from.seat).filter(|_| is_known) {
            let before = seat.glance.as_ref().filter(|_| seat.life == from.incarnation);
            // Threads that say something at one time may say the older first.
            if before.is_none_or(|before| before.messages <= glance.messages) {
                (seat.life, seat.glance) = (from.incarnation, Some(glance));
            }
        }
    }

    /// The life in this seat is over; it has ended well if that is so.
    pub(super) fn end_life(&mut self, member: Member, is_well: bool) {
        let Some(seat) = self.seats.get_mut(member.seat) else { return };
        *seat = Seat {
            life: member.incarnation,
            glance: None,
            before: seat.counts(),
            sent_before: seat.sent_to(),
            has_finished: is_well,
            host: seat.host.take(),
        };
        self.answer_for(member, "it has just ended");
    }

    /// What a page shows of all ranks beside the picture, in JSON. `lives` by seat, and so are the
    /// names of nodes, if there are some.
    pub(super) fn table(&mut self, lives: &[Option<Row>], nodes: &[String]) -> String {
        self.accounts.ask(Instant::now());
        for (seat, life) in self.seats.iter_mut().zip(lives) {
            if let Some(life) = life {
                seat.host.clone_from(&life.host);
            }
        }
        let rows = self.seats.iter().zip(lives).enumerate().take(MOST_ROWS);
        let rows: Vec<String> = rows
            .map(|(number, (seat, life))| {
                let or_null = |value: Option<u64>| value.map_or("null".into(), |it| it.to_string());
                let age = or_null(seat.glance.as_ref().and_then(|glance| glance.checkpoint_ms));
                let life = life.as_ref();
                let process = or_null(life.map(|life| life.process as u64));
                let host = seat.host.as_ref().map_or("null".into(), |host| quoted(host));
                let node = nodes.get(number).map_or("null".into(), |node| quoted(node));
                let share = self.division.as_ref().map(|it| it.process_of(number) as u64);
                let share = or_null(share);
                let life = or_null(life.map(|life| u64::from(life.life)));
                let account = self.accounts.json(number);
                format!(
                    "{{\"node\":{node},\"host\":{host},\"share\":{share},\"process\":{process},\
                     \"life\":{life},\"checkpoint\":{age},{account}}}"
                )
            })
            .collect();
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        format!("{{\"host\":{},\"ranks\":[{}]}}", quoted(host.trim()), rows.join(","))
    }

    /// The numbers of messages since this was asked first: sender, receiver, how many.
    pub(super) fn pairs(&mut self) -> Result<String, String> {
        if self.seats.len() > MOST_ROWS {
            return Err(format!("there is no matrix of more than {MOST_ROWS} ranks"));
        }
        self.counts_pairs = true;
        let of_seat = |(from, seat): (usize, &Seat)| {
            let told = seat.sent_to().into_iter();
            told.map(move |(to, count)| format!("[{from},{to},{count}]"))
        };
        let all: Vec<String> = self.seats.iter().enumerate().flat_map(of_seat).collect();
        Ok(format!("{{\"ranks\":{},\"pairs\":[{}]}}", self.seats.len(), all.join(",")))
    }

    /// About which rank a question is.
    pub(super) fn subject_of(&self, number: u64) -> Option<Member> {
        let asked = self.asked.iter().find(|asked| asked.number == number);
        asked.map(|asked| asked.member)
    }

    /// A process has answered a question.
    pub(super) fn described(&mut self, number: u64, words: &str) {
        let is_it = |asked: &mut Asked| asked.number == number;
        for asked in self.asked.extract_if(.., is_it).collect::<Vec<_>>() {
            asked.order.answer(Ok(words.to_string()));
        }
    }

    /// This life will answer no more.
    fn answer_for(&mut self, member: Member, why: &str) {
        let is_it = |asked: &mut Asked| asked.member == member;
        for asked in self.asked.extract_if(.., is_it).collect::<Vec<_>>() {
            asked.order.answer(Err(format!("rank {}: {why}", member.seat)));
        }
    }

    /// The ranks that are drawn in this region.
    pub(super) fn inside(&self, [x0, y0, x1, y1]: [f64; 4]) -> Vec<usize> {
        let within = |low: f64, high: f64, at: f32| (low..=high).contains(&f64::from(at));
        let is_inside = |[x, y]: [f32; 2]| within(x0, x1, x) && within(y0, y1, y);
        (0..self.places.len()).filter(|seat| is_inside(self.places[*seat])).collect()
    }

    /// The job is over. False if a recording could not be written.
    pub(super) fn end(&mut self, around: Surroundings<'_>) -> bool {
        self.feed.hurry();
        self.show("ended", Instant::now(), around, [true; 2]);
        let finished = self.feed.finish(Some(WRITTEN));
        self.feed.end();
        match finished {
            Ok(()) => true,
            Err(flaw) => {
                say(&format!("ftrun: {}", flaw.words));
                flaw.is_late
            }
        }
    }
}
