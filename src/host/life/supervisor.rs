//! The supervisor: the process's first thread starts ranks, buries them, and carries out the
//! tenant's decisions.
//!
//! The steps of a burial: the rank has ended on one of its threads → its other threads are made to
//! end, too (*mourning*) → libc locks that they held are released, the tenant is told → once no
//! thread copies from its memory any more, that is freed → perhaps a new incarnation moves in.

use super::closing::end_process;
use super::running_job::{self, RunningJob};
use super::thread::Thread;
use super::threads;
use super::{Ending, Newcomer, Verdict, birth, files, obituary};
use crate::host::sched::yield_now;
use crate::host::shims::stdio;
use crate::host::{Rank, clock, computing, replay, signals, virtual_time};
use crate::launch::Job;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often threads that are to die are poked again.
const AGAIN: Duration = Duration::from_millis(1);
/// How long threads may take to leave libc on their own.
const GRACE: Duration = Duration::from_millis(20);
/// After this, a dead rank's threads and memory are abandoned: they stay, and are not reused.
const PATIENCE: Duration = Duration::from_secs(2);

/// Delays the clean-up of a seat without a replacement: perhaps all ranks are about to end.
const LINGER: Duration = Duration::from_millis(20);

pub(super) struct Supervisor {
    world: &'static RunningJob,
    ranks: usize,
    started: Instant,
    timeout: Option<Duration>,
    virtual_timeout: Option<Duration>,
    processor_timeout: Option<Duration>,
    living: usize,
    condemned: Vec<Condemned>,
    /// Ranks that are to die as soon as they begin.
    early: Vec<running_job::Condemned>,
    burials: Vec<Burial>,
    /// Those of them that only wait for [`LINGER`] to pass, in order: as many as ranks that end
    /// without a replacement, and not looked at one by one.
    lingering: VecDeque<Burial>,
    /// Signals are held back until a thread is at a harmless place.
    has_deferred: bool,
    /// When the next alarm of a rank rings.
    alarm: Option<Instant>,
}

/// A rank that is to die and still lives.
struct Condemned {
    rank: &'static Rank,
    since: Instant,
}

struct Burial {
    rank: &'static Rank,
    ending: Ending,
    since: Instant,
    stage: Stage,
    /// Its first thread, by its glibc handle.
    first: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Some of its threads still run.
    Mourning,
    /// Another thread may still copy from its memory.
    Clearing {
        /// The rank to move in.
        next: Option<Newcomer>,
        abandoned: bool,
    },
    Done,
}

/// In virtual time: when others hear of this rank's failure, if that is still to come.
fn until_detected(burial: &Burial) -> Option<Instant> {
    let is_failure = burial.ending != (Ending::Exited { status: 0 });
    let time = virtual_time::time_to_detect()?;
    let at = burial.since + time;
    (burial.stage == Stage::Mourning && is_failure && at > clock::now()).then_some(at)
}

impl Supervisor {
    pub(super) fn new(world: &'static RunningJob, job: &Job) -> Supervisor {
        Supervisor {
            world,
            // Where other processes have some, all are started by orders.
            ranks: if job.processes.is_some() { 0 } else { job.ranks },
            started: Instant::now(),
            timeout: job.timeout,
            virtual_timeout: job.virtual_timeout.or(job.timeout),
            processor_timeout: job.processor_timeout,
            living: 0,
            condemned: Vec::new(),
            early: Vec::new(),
            burials: Vec::new(),
            lingering: VecDeque::new(),
            has_deferred: false,
            alarm: None,
        }
    }

    /// Runs the job to its end.
    pub(super) fn work(&mut self) -> ! {
        replay::begin();
        replay::limit(self.virtual_timeout);
        self.world.tenant.opened();
        for seat in 0..self.ranks {
            self.bear(seat, Newcomer { incarnation: 0, generation: 0, first: 0 });
        }
        loop {
            let seen = self.world.bell.listen();
            let has_turn = replay::is_supervisors_turn();
            self.look_around();
            let due = if replay::is_wanted() { self.world.tenant.due() } else { None };
            if self.is_empty() && self.burials.is_empty() && self.lingering.is_empty() {
                let tenant = &self.world.tenant;
                self.close(tenant.status(), &tenant.last_words());
            }
            let left = self.timeout.map(|timeout| match replay::is_late() {
                true => Duration::ZERO,
                false => timeout.saturating_sub(self.started.elapsed()),
            });
            if let (Some(Duration::ZERO), Some(limit)) = (left, self.timeout) {
                let seconds = limit.as_secs_f64();
                self.close(124, &format!("ftrun: timeout: the job is ended after {seconds} s"));
            }
            let left_to_compute = self.left_to_compute();
            let waits_for_some = !self.condemned.is_empty() || !self.early.is_empty();
            let is_busy = !self.burials.is_empty() || waits_for_some || self.has_deferred;
            let again = is_busy.then(|| clock::now() + AGAIN);
            let detection = self.burials.iter().filter_map(until_detected).min();
            let again = detection.or(again);
            let lingering = self.lingering.front().map(|burial| burial.since + LINGER);
            let next = [again, lingering, self.alarm, due].into_iter().flatten().min();
            if has_turn {
                replay::give_back(next);
            }
            // If the supervisor gets turns, only their times count.
            let next = next.filter(|_| !replay::is_in_force());
            let wait = next.map(|at| at.saturating_duration_since(clock::now()));
            match [left, left_to_compute, wait].into_iter().flatten().min() {
                Some(longest) => self.world.bell.park_for(seen, longest),
                None => self.world.bell.park(seen),
            }
        }
    }

    /// Whether no rank lives, and none will.
    fn is_empty(&self) -> bool {
        self.living == 0 && !self.world.stays()
    }

    /// How much processor time the job may still take. Ends it if there is none: then the rank
    /// that computes says where it is.
    fn left_to_compute(&self) -> Option<Duration> {
        let limit = self.processor_timeout?;
        let left = limit.saturating_sub(computing::processor_time());
        if left.is_zero() {
            if let Some(found) = computing::ask() {
                self.world.tenant.computes_too_long(found);
            }
            let seconds = limit.as_secs_f64();
            let words = "ftrun: timeout: the job is ended after";
            self.close(124, &format!("{words} {seconds} s of processor time"));
        }
        // Several threads use it up faster; not much, since one rank runs at a time.
        Some(left.max(AGAIN))
    }

    fn bear(&mut self, seat: usize, newcomer: Newcomer) {
        if let Err(why) = birth::bear(self.world, seat, newcomer) {
            end_process(2, &format!("ftrun: {why}\n"));
        }
        self.living += 1;
    }

    fn look_around(&mut self) {
        for rank in self.world.take_ended() {
            let ended = rank.life.ended.get().expect("only ranks that have ended are reported");
            let (ending, since, stage) = (ended.ending, clock::now(), Stage::Mourning);
            let first = rank.life.threads.lock().first().map_or(0, |thread| thread.pthread());
            self.burials.push(Burial { rank, ending, since, stage, first });
        }
        let since = clock::now();
        let condemned = self.world.take_condemned(&mut self.early).into_iter();
        self.condemned.extend(condemned.map(|rank| Condemned { rank, since }));
        self.condemned.retain(|condemned| !condemned.rank.life.is_ending());
        self.condemned.iter().for_each(|condemned| self.press(condemned.rank, condemned.since));
        self.pass_signals_on();
        if self.world.take_alarms() || self.alarm.is_some_and(|at| at <= clock::now()) {
            self.alarm = self.ring_alarms();
        }
        if self.world.take_deferred() || self.has_deferred {
            self.has_deferred = self.press_deferred();
        }
        self.take_orders();
        self.go_on_with_burials();
        if self.living == 0 && !self.lingering.is_empty() {
            // The last one has just been announced: nothing is waited for any more.
            self.go_on_with_burials();
        }
    }

    fn go_on_with_burials(&mut self) {
        let is_over = |burial: &Burial, living| living == 0 || ago(burial.since) >= LINGER;
        while self.lingering.front().is_some_and(|burial| is_over(burial, self.living)) {
            self.burials.extend(self.lingering.pop_front());
        }
        for mut burial in std::mem::take(&mut self.burials) {
            self.go_on_with(&mut burial);
            match burial.stage {
                Stage::Done => {}
                Stage::Clearing { next: None, .. } if !is_over(&burial, self.living) => {
                    self.lingering.push_back(burial);
                }
                _ => self.burials.push(burial),
            }
        }
    }

    /// Starts the ordered incarnations as soon as their seats are free.
    fn take_orders(&mut self) {
        while let Ok((seat, newcomer)) = self.world.orders.try_recv() {
            if let Some(at) = self.lingering.iter().position(|burial| burial.rank.seat == seat) {
                self.burials.extend(self.lingering.remove(at));
            }
            let mut burials = self.burials.iter_mut();
            match burials.find(|burial| burial.rank.seat == seat).map(|burial| &mut burial.stage) {
                Some(Stage::Clearing { next, .. }) => *next = Some(newcomer),
                Some(_) => panic!("whoever is mourned has no successor yet"),
                None => self.bear(seat, newcomer),
            }
        }
    }

    fn go_on_with(&mut self, burial: &mut Burial) {
        if burial.stage == Stage::Mourning {
            if until_detected(burial).is_some() {
                return;
            }
            let all_gone = self.mourn(burial);
            let abandoned = ago(burial.since) > PATIENCE;
            if !all_gone && !abandoned {
                return;
            }
            let restart = self.announce(burial);
            burial.since = clock::now();
            let (incarnation, first) = (burial.rank.incarnation + 1, burial.rank.first);
            let next = restart.then_some(Newcomer { incarnation, generation: 0, first });
            burial.stage = Stage::Clearing { next, abandoned: !all_gone };
            if next.is_none() && self.living > 0 {
                return;
            }
        }
        if let Stage::Clearing { next, abandoned } = burial.stage {
            self.clear(burial, next, abandoned);
        }
    }

    /// Makes all threads of the rank end; returns whether they have.
    fn mourn(&self, burial: &Burial) -> bool {
        const YIELDS: usize = 100;
        let rank = burial.rank;
        let is_on_its_way = |thread: &Arc<Thread>| thread.is_leaving() && !thread.is_gone();
        for _ in 0..YIELDS {
            let threads = threads::living(rank);
            if threads.is_empty() {
                return true;
            }
            if !threads.iter().any(is_on_its_way) {
                break;
            }
            yield_now();
        }
        self.press(rank, burial.since);
        false
    }

    /// Makes the threads of `rank`, which has been condemned since then, check their pulse.
    fn press(&self, rank: &Rank, since: Instant) {
        self.world.tenant.wake(rank.seat);
        rank.life.bell.unpark();
        rank.images.shut();
        for thread in threads::living(rank) {
            if ago(since) > GRACE {
                self.excuse_if_blocked(rank, &thread);
            }
            thread.poke();
        }
    }

    /// Rings alarms that are due; returns when the next one is.
    fn ring_alarms(&self) -> Option<Instant> {
        let now = clock::now();
        let living = self.world.ranks().filter(|rank| !rank.life.is_ending());
        living.filter_map(|rank| signals::ring_alarm(rank, now)).min()
    }

    /// Pokes all threads whose inbox holds signals; returns whether there are any.
    fn press_deferred(&self) -> bool {
        let mut has_deferred = false;
        for rank in self.world.ranks().filter(|rank| !rank.life.is_ending()) {
            let mut is_shut = false;
            let threads = threads::living(rank).into_iter();
            for thread in threads.filter(|thread| !thread.signals.is_empty()) {
                if !std::mem::replace(&mut is_shut, true) {
                    rank.images.shut();
                }
                self.excuse_if_blocked(rank, &thread);
                thread.poke();
            }
            has_deferred |= is_shut;
        }
        has_deferred
    }

    /// Tells the tenant; returns whether a new incarnation is wanted.
    fn announce(&mut self, burial: &Burial) -> bool {
        let rank = burial.rank;
        let threads = std::mem::take(&mut *rank.life.threads.lock());
        if !rank.life.is_orderly.load(Ordering::Relaxed) || threads.len() > 1 {
            threads.iter().for_each(|thread| files::release_locks_of(thread.pthread()));
            stdio::rescue(rank);
        }
        // A thread that was abandoned may still look at its record.
        threads.into_iter().filter(|thread| !thread.is_gone()).for_each(std::mem::forget);
        self.living -= 1;
        if burial.ending != (Ending::Exited { status: 0 }) {
            replay::note_loss();
        }
        match self.world.tenant.ended(rank, burial.ending) {
            Verdict::Continue => false,
            Verdict::Restart => true,
            Verdict::End { status, last_words } => self.close(status, &last_words),
        }
    }

    fn clear(&mut self, burial: &mut Burial, next: Option<Newcomer>, abandoned: bool) {
        let rank = burial.rank;
        let seat = &self.world.seats[rank.seat];
        if self.is_empty() && next.is_none() {
            burial.stage = Stage::Done;
            return;
        }
        let is_free = seat.close();
        let gave_up = abandoned || ago(burial.since) > PATIENCE;
        if !is_free && !gave_up {
            return;
        }
        let plan = &self.world.plan;
        let mut ground = seat.ground.lock();
        if gave_up {
            // Everything that the thread holds or uses stays untouched: stack, heap, open files.
            plan.desert(&mut ground);
            rank.heap.desert(rank.seat);
            self.world.forget_fiber_of(rank.seat);
        } else {
            if let Some(fiber) = self.world.fiber_of(rank.seat) {
                // SAFETY: its thread is gone, and no libc lock refers to its block any more.
                unsafe { fiber.clear_up() };
            } else if burial.first == 0 || !threads::forget_by_glibc(burial.first) {
                plan.entomb(&mut ground, rank.life.first_frame.load(Ordering::Relaxed));
            }
            if rank.is_shown() {
                // Others may still use it, and must not meet the next life there.
                plan.desert(&mut ground);
                rank.heap.desert(rank.seat);
            } else {
                // Pages locked in memory stay until the next life.
                let _ = plan.give_back(&ground);
                rank.heap.give_back();
            }
            rank.libc.close_files(has_died_in_libc(rank, burial.ending));
            stdio::give_back(&rank.libc);
        }
        drop(ground);
        burial.stage = Stage::Done;
        let place = rank.seat;
        if !gave_up && !rank.is_shown() {
            // SAFETY: it is closed, without pins, and the rank's threads are gone. This burial, the
            // last to know of the record, is done.
            unsafe { seat.vacate() };
        }
        if let Some(newcomer) = next {
            self.bear(place, newcomer);
        }
    }

    /// Passes signals to the whole process on to the ranks that handle them, or ends the job.
    fn pass_signals_on(&mut self) {
        let forwarded = self.world.take_forwarded();
        for number in (1..64).filter(|number| forwarded >> number & 1 == 1) {
            let is_alive = |rank: &&'static Rank| !rank.life.is_ending();
            let heard =
                self.world.ranks().filter(is_alive).filter(|rank| signals::send(rank, number));
            if heard.count() == 0 && signals::ends_a_process(number) {
                let name = obituary::name(number);
                self.close(128 + number, &format!("ftrun: {name}; the job ends"));
            }
        }
    }

    /// Ends the process, with a final message if there is one.
    fn close(&self, status: i32, last_words: &str) -> ! {
        match last_words {
            "" => end_process(status, ""),
            words => end_process(status, &format!("{words}\n")),
        }
    }
}

fn ago(moment: Instant) -> Duration {
    clock::now().saturating_duration_since(moment)
}

impl Supervisor {
    /// Allows a thread that waits in the kernel, and holds no lock of libc's or ours that others
    /// need, to be ended there.
    fn excuse_if_blocked(&self, rank: &Rank, thread: &Thread) {
        let Some(number) = thread.number() else { return };
        let path = format!("/proc/self/task/{number}/syscall");
        let Ok(line) = std::fs::read_to_string(path) else { return };
        // `number arg0 … arg5 sp pc`, or `running`.
        let parse = |word: &str| usize::from_str_radix(word.trim_start_matches("0x"), 16).ok();
        let mut words = line.split_whitespace();
        let Some(call) = words.next().and_then(|word| word.parse::<i64>().ok()) else { return };
        let values: Vec<usize> = words.filter_map(parse).collect();
        let &[first, _, _, _, _, _, sp, pc] = values.as_slice() else { return };
        let is_in_pool = self.world.template().waiting_code.iter().any(|code| code.contains(&pc));
        if call == libc::SYS_futex && is_in_pool || signals::is_harmless_wait(rank, call, first) {
            thread.excuse(pc, sp);
        }
    }
}

/// Whether the rank was ended by a signal inside libc: libc's own locks may be held then.
fn has_died_in_libc(rank: &Rank, ending: Ending) -> bool {
    let pc = rank.life.struck_at.load(Ordering::Relaxed);
    matches!(ending, Ending::Signalled { .. }) && pc != 0 && !rank.images.contains(pc)
}
