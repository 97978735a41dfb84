//! `ftrun --watch`, `--tui` and `--record`: show a job while it runs. A thread of the library
//! samples what every rank leaves visible anyway; the only extra work of a rank is to note the call
//! in which it falls asleep.

pub(super) mod answers;
pub(super) mod glance;
mod hands;
mod shared;
mod sight;
mod table;

use crate::engine::World;
use crate::fault::Incident;
use crate::host::{Rank, output, service};
use crate::job::end::say;
use crate::launch::Job;
use crate::mpi::process::Process;
use crate::view::{self, Feed, Order, Recorder, Slow, Terminal};
use crate::watch::Stories;
use parking_lot::{Condvar, Mutex};
use shared::{Gone, Live};
use sight::Sight;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

static LIVE: OnceLock<Live> = OnceLock::new();

/// Time between frames, for viewers and for recordings.
const PICTURE: Duration = Duration::from_millis(33);
const KEPT: Duration = Duration::from_millis(50);
/// The time after which viewers see the effect of a request.
const SOON: Duration = Duration::from_millis(4);
/// The time between two checks for viewers while there are none.
const UNWATCHED: Duration = Duration::from_millis(100);
/// Sampling uses at most 1/SHARE of one processor's time.
const SHARE: u32 = 200;
/// How long the end of the job waits for a recording to be written.
const WRITTEN: Duration = Duration::from_millis(700);
/// How long the end of the job waits until the recording is on disk and pages have shown it. Each
/// of these has its own limit; a stuck page does not hold up the end.
const PATIENCE: Duration = Duration::from_millis(2500);

/// Lets people watch the job, if that was asked for. Called before any rank starts.
pub(super) fn begin(world: &'static World, job: &Job) -> Result<(), String> {
    if !job.is_seen() {
        return Ok(());
    }
    let feed = Arc::new(Feed::default());
    if let Some(file) = &job.record {
        feed.keep(Recorder::create(Path::new(file), Slow::LeavesOut, service::start)?);
    }
    if job.draws {
        let terminal = Terminal::new(|bytes| {
            // If stderr cannot be written, nothing is shown.
            let _ = output::write(2, bytes);
        });
        feed.draw_on(terminal, service::start)?;
    }
    let live = LIVE.get_or_init(|| Live {
        world,
        feed: feed.clone(),
        is_drawn: job.draws,
        told: Mutex::default(),
        finished: (0..job.seats()).map(|_| AtomicBool::new(false)).collect(),
        gone: Mutex::new(vec![Gone::default(); job.seats()]),
        is_closing: AtomicBool::new(false),
        is_done: Mutex::default(),
        done: Condvar::new(),
    });
    let mut sight = Sight::new(live);
    feed.set(sight.scene());
    if let Some(port) = job.watch {
        let address = view::serve(feed, port, service::start)
            .map_err(|why| format!("--watch: {why}: use --port 0 for a free one"))?;
        say(&format!("ftrun: live view at {address}"));
    }
    let started = service::start(Box::new(move || live.go_on(&mut sight)));
    started.map_err(|why| format!("--watch: cannot start a thread: {why}"))
}

/// Whether the job can be watched.
pub(super) fn is_on() -> bool {
    LIVE.get().is_some()
}

/// The record of a failure is complete.
pub(super) fn tell(incident: &Incident) {
    if let Some(live) = LIVE.get() {
        live.told.lock().push(incident.clone());
    }
}

/// A rank has ended, for any reason.
pub(super) fn ended(rank: &Rank) {
    let (Some(live), Some(process)) = (LIVE.get(), rank.attached::<Process>()) else { return };
    let gone = &mut live.gone.lock()[rank.seat];
    gone.lives = rank.incarnation + 1;
    gone.messages += process.engine.sent();
    gone.collectives += process.collectives();
}

/// The rank in `seat` has exited successfully.
pub(super) fn finished(seat: usize) {
    if let Some(live) = LIVE.get() {
        live.finished[seat].store(true, Ordering::Relaxed);
    }
}

/// The job ends: waits briefly for viewers and recordings, if there are any.
pub(super) fn close() {
    let Some(live) = LIVE.get() else { return };
    if !live.feed.is_watched() && !live.feed.is_kept() && !live.is_drawn {
        return;
    }
    live.is_closing.store(true, Ordering::Release);
    live.feed.hurry();
    let mut is_done = live.is_done.lock();
    let until = Instant::now() + PATIENCE;
    while !*is_done && !live.done.wait_until(&mut is_done, until).timed_out() {}
}

impl Live {
    fn go_on(&self, sight: &mut Sight) {
        let mut stories = Stories::default();
        let (mut shown, mut kept) = (Instant::now() - PICTURE, Instant::now() - KEPT);
        let (mut cost, mut is_urgent) = (Duration::ZERO, false);
        while !self.is_closing.load(Ordering::Acquire) {
            let (is_watched, is_kept) = (self.feed.is_watched(), self.feed.is_kept());
            let gap = if is_watched { PICTURE } else { KEPT };
            let wait = match is_watched || is_kept {
                true if is_urgent => SOON,
                true => gap.max(cost * SHARE).saturating_sub(shown.max(kept).elapsed()),
                false => UNWATCHED,
            };
            if let Some(order) = self.feed.order(wait.max(Duration::from_millis(1))) {
                let asks = |what: &&str| order.words.starts_with(what);
                is_urgent = is_watched && !["info", "ranks", "pairs", "links"].iter().any(asks);
                self.obey(order, sight);
            }
            let (begun, before) = (Instant::now(), service::spent());
            let is_due = |last: Instant, gap: Duration| begun - last >= gap.max(cost * SHARE);
            let gap = if is_urgent { SOON } else { PICTURE };
            let shows = is_due(shown, gap) && self.feed.is_hungry();
            is_urgent &= is_watched && !shows;
            let keeps = is_kept && is_due(kept, KEPT);
            if shows || keeps {
                self.look(sight, &mut stories, "under way", [shows, keeps]);
                let now = Instant::now();
                cost = service::spent() - before;
                shown = if shows { now } else { shown };
                kept = if keeps { now } else { kept };
            }
        }
        self.look(sight, &mut stories, "ended", [true; 2]);
        if let Err(flaw) = self.feed.finish(Some(WRITTEN)) {
            if !flaw.is_late {
                output::note_unwritten(libc::EIO);
            }
            say(&format!("ftrun: {}", flaw.words));
        }
        self.feed.end();
        *self.is_done.lock() = true;
        self.done.notify_all();
    }

    /// Samples the job, then shows and records the frame as asked.
    fn look(
        &self, sight: &mut Sight, stories: &mut Stories, state: &'static str,
        [shows, keeps]: [bool; 2],
    ) {
        let over = std::mem::take(&mut *self.told.lock());
        // Without a death there are no records to ask for.
        let has_deaths = self.world.epoch() > 0;
        stories.go_on(&self.feed, over, has_deaths, |most| self.world.open_incidents(most));
        if sight.has_moved(stories.moves) {
            self.feed.set(sight.scene());
        }
        let frame = sight.frame(state, stories);
        if shows {
            self.feed.show(&frame);
        }
        if keeps {
            self.feed.record(&frame);
        }
    }

    fn obey(&self, order: Order, sight: &mut Sight) {
        let answer = hands::obey(&order.words, sight);
        if answer.is_ok() && order.words.starts_with("view ") {
            self.feed.set(sight.scene());
        }
        order.answer(answer);
    }
}
