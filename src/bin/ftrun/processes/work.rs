//! The work of `ftrun` while processes run: it hears what they say and how they end, decides with
//! the coordinator what follows, and does it.

use super::area::Memory;
use super::deadlock::{Deadlock, Step};
use super::happening::Happening;
use super::judgement::{Record, Verdict};
use super::lines::{self, Passing, READING, say};
use super::machine::Machine;
use super::recipes::Recipes;
use super::report;
use super::seats::{Life, Unknown};
use super::shared::Shared;
use super::starter::Starter;
use super::trace::Trace;
use super::watch::{Surroundings, Watch};
use ftmpi_base::Member;
use ftmpi_fault::{Coordinator, Event, Order, Report, Severed};
use ftmpi_launch::{Job, Rules, STUCK};
use ftmpi_machine::Chance;
use ftmpi_machine::schedule::When;
use ftmpi_wireup::takeover::Entry;
use ftmpi_wireup::{Said, Told};
use std::iter::Peekable;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

pub(super) struct Work {
    pub(super) job: Job,
    pub(super) starter: Starter,
    pub(super) coordinator: Coordinator,
    pub(super) record: Record,
    /// How the program takes failures, as far as it has shown that.
    pub(super) shown: Rules,
    pub(super) seats: Vec<Option<Life>>,
    /// What spawned ranks run, by seat.
    pub(super) recipes: Recipes,
    /// Where ranks share processes: these.
    pub(super) shared: Option<Shared>,
    /// What all ranks share, if they are on one host.
    pub(super) memory: Option<Memory>,
    /// When the job began, and when its ranks did.
    pub(super) begun: Instant,
    pub(super) started: Instant,
    /// When it has looked for ranks that keep recoveries waiting.
    looked: Instant,
    pub(super) events: Receiver<Happening>,
    pub(super) sender: Sender<Happening>,
    pub(super) strokes: Option<Peekable<Chance>>,
    /// The lives that are to die at a time of their own, and by which order.
    pub(super) timed: Vec<(Instant, Member, When)>,
    /// What those who have ended may still be saying.
    pub(super) since_silent: Vec<(Instant, usize)>,
    /// Lives of other hosts that somebody cannot reach, and when that makes them dead.
    pub(super) suspects: Vec<(Instant, Member)>,
    /// What is known of links between hosts.
    pub(super) severed: Severed,
    /// The machine on which ranks sit, if it is simulated.
    pub(super) machine: Option<Machine>,
    /// What is written about failures, if the job wants that.
    pub(super) report: Option<report::Report>,
    /// Shows the job, if that is wanted.
    pub(super) watch: Option<Watch>,
    /// The timeline of all calls, if the job wants that.
    pub(super) trace: Option<Trace>,
    /// What ranks that have ended have written, and is not passed on yet.
    pub(super) unread: Vec<Passing>,
    /// Watches for a deadlock, if the job wants that.
    deadlock: Option<Deadlock>,
    pub(super) end: Option<u8>,
    /// What is not known since another coordinator was lost.
    pub(super) unknown: Unknown,
}

/// What is written and shown of a job.
pub(super) struct Seen {
    /// When the job began.
    pub(super) begun: Instant,
    pub(super) report: Option<report::Report>,
    pub(super) watch: Option<Watch>,
    pub(super) trace: Option<Trace>,
}

impl Work {
    /// Starts all ranks.
    pub(super) fn begin(
        job: &Job, starter: Starter, channel: (Sender<Happening>, Receiver<Happening>), seen: Seen,
        machine: Option<Machine>,
    ) -> Result<Work, String> {
        let mut work = Work { machine, ..Work::new(job, starter, channel, seen) };
        for seat in 0..job.ranks {
            if let Err(why) = work.start(Member { seat, incarnation: 0 }, 0) {
                work.kill_all();
                return Err(why);
            }
        }
        Ok(work)
    }

    /// The work of a job that has no ranks yet.
    pub(super) fn new(
        job: &Job, starter: Starter, (sender, events): (Sender<Happening>, Receiver<Happening>),
        seen: Seen,
    ) -> Work {
        let seats = job.seats();
        let contexts = (2 + seats as u32, seats as u32 + 1);
        let strokes = job.chance.map(|(mean, seed)| Chance::new(mean, job.ranks, seed));
        let is_here = matches!(starter, Starter::Here(..));
        Work {
            job: job.clone(),
            starter,
            shared: job.processes.map(|_| Shared::new(job.division())),
            memory: is_here.then(|| Memory::for_processes(job.division().processes())).flatten(),
            // Ranks draw contexts with the remainders before.
            coordinator: Coordinator::new(job.ranks, seats, contexts).of_job(std::process::id()),
            record: Record::default(),
            shown: Rules::End,
            seats: (0..seats).map(|_| None).collect(),
            recipes: Recipes::new(),
            begun: seen.begun,
            started: Instant::now(),
            looked: Instant::now(),
            events,
            sender,
            strokes: strokes.map(Iterator::peekable),
            timed: Vec::new(),
            since_silent: Vec::new(),
            suspects: Vec::new(),
            severed: Severed::default(),
            machine: None,
            report: seen.report,
            watch: seen.watch,
            trace: seen.trace,
            unread: Vec::new(),
            deadlock: job.watches.then(|| Deadlock::new(Instant::now())),
            end: None,
            unknown: Unknown::default(),
        }
    }

    /// Works until all ranks have ended or the job has; returns the exit status.
    pub(super) fn go_on(mut self) -> u8 {
        while self.end.is_none() && self.are_any_left() {
            match self.next() {
                Some(happening) => self.cope(happening),
                None => self.look_at_clock(),
            }
            if let Some(cluster) = self.starter.cluster() {
                cluster.end_step();
            }
        }
        let is_report_complete = self.end_report();
        let is_record_complete = self.end_watch();
        if let Some(status) = self.end {
            self.close_all(status);
            self.drain_all();
            self.part_with_agents();
            self.end_trace();
            return status;
        }
        // Whoever reads it may take its time.
        self.unread.iter().for_each(|passing| _ = passing.finish(Duration::MAX));
        let is_trace_complete = self.end_trace();
        self.part_with_agents();
        if let Some(words) = self.record.last_words(self.job.ranks) {
            say(&format!("ftrun: {words}"));
        }
        match self.record.status(self.rules()) {
            0 if !is_report_complete || !is_record_complete || !is_trace_complete => 1,
            status => status,
        }
    }

    /// What shows the job, and what that has to know, if it is shown.
    pub(super) fn seen(&mut self) -> Option<(&mut Watch, Surroundings<'_>)> {
        let (watch, report) = (self.watch.as_mut()?, self.report.as_mut()?);
        let lives = self.seats.iter().map(|life| life.as_ref().map(|life| life.incarnation));
        let late = self.coordinator.latecomers(self.started.elapsed(), Duration::ZERO);
        let late = (!late.is_empty()).then_some(late);
        Some((watch, Surroundings { lives: lives.collect(), late, report }))
    }

    /// The last picture. False if a recording could not be written.
    fn end_watch(&mut self) -> bool {
        if let Some((watch, around)) = self.seen() {
            return watch.end(around);
        }
        true
    }

    fn rules(&self) -> Rules {
        self.job.rules.unwrap_or(self.shown)
    }

    /// What happens next, unless something is due before.
    fn next(&mut self) -> Option<Happening> {
        match self.due() {
            None => self.events.recv().ok(),
            // However much happens meanwhile.
            Some(at) if at <= Instant::now() => None,
            Some(at) => {
                let left = at.saturating_duration_since(Instant::now());
                self.events.recv_timeout(left).ok()
            }
        }
    }

    /// When something is to be done even if nothing happens.
    fn due(&mut self) -> Option<Instant> {
        let limit = self.job.timeout.map(|limit| self.started + limit);
        let stroke = self.strokes.as_mut().and_then(|strokes| strokes.peek().copied());
        let stroke = stroke.map(|(at, _)| self.started + at);
        let timed = self.timed.iter().map(|(at, ..)| *at);
        let silent = self.since_silent.iter().map(|(at, _)| *at + PATIENCE);
        let patience = self.job.patience.map(|_| self.looked + OFTEN);
        let deadlock = self.deadlock.as_ref().map(Deadlock::due);
        let watch = self.watch.as_ref().map(Watch::due);
        let suspects = self.suspects.iter().map(|(at, _)| *at);
        let others = timed.chain(silent).chain(limit).chain(stroke).chain(patience);
        let severed = self.severed.due().map(|due| self.started + due);
        let node = self.machine.as_mut().and_then(Machine::due);
        let others = others.chain(node.and_then(|at| self.started.checked_add(at)));
        others.chain(suspects).chain(severed).chain(deadlock).chain(watch).min()
    }

    fn look_at_clock(&mut self) {
        let now = Instant::now();
        self.looked = now;
        if let Some(limit) = self.job.timeout.filter(|limit| self.started + *limit <= now) {
            say(&format!("ftrun: timeout: the job is ended after {} s", limit.as_secs_f64()));
            self.end = Some(124);
            return;
        }
        while let Some((at, seat)) = self
            .strokes
            .as_mut()
            .and_then(|strokes| strokes.next_if(|(at, _)| self.started + *at <= now))
        {
            let order = When::Time { after: at, is_outside: false }.to_string();
            self.strike(seat, None, order);
        }
        let due: Vec<_> = self.timed.extract_if(.., |(at, ..)| *at <= now).collect();
        for (_, victim, when) in due {
            match when {
                When::Time { is_outside: true, .. } => self.strike_outside(victim, &when),
                _ => self.strike(victim.seat, Some(victim.incarnation), when.to_string()),
            }
        }
        let due: Vec<_> =
            self.since_silent.extract_if(.., |(at, _)| *at + PATIENCE <= now).collect();
        for (_, seat) in due {
            if let Some(life) = self.carrier_mut(seat) {
                life.is_silent = true;
            }
            self.conclude(seat);
        }
        self.fail_nodes(now);
        self.end_suspects(now);
        self.give_up_hosts(now);
        if let Some(patience) = self.job.patience {
            self.vote_out(patience);
        }
        if self.watch.as_ref().is_some_and(|watch| watch.due() <= now) {
            self.show(now);
        }
        if self.deadlock.as_ref().is_some_and(|deadlock| deadlock.due() <= now) {
            let lives = self.lives_that_may_be_stuck();
            self.detect(|deadlock| deadlock.begin(lives, now));
        }
    }

    /// All that live, if nothing may happen but what they do.
    fn lives_that_may_be_stuck(&mut self) -> Option<Vec<Member>> {
        let has_strokes = self.strokes.as_mut().is_some_and(|strokes| strokes.peek().is_some());
        let has_failures = self.machine.as_mut().is_some_and(|it| it.due().is_some());
        if has_strokes || has_failures || !self.timed.is_empty() {
            return None;
        }
        let living = self.carriers_by_seat();
        let member = |(seat, life): (usize, &Life)| {
            let can_answer = life.connection.is_some() && life.ended.is_none();
            can_answer.then_some(Member { seat, incarnation: life.incarnation })
        };
        living.map(member).collect()
    }

    /// Lets the deadlock detector do something, if there is one.
    pub(super) fn detect(&mut self, act: impl FnOnce(&mut Deadlock) -> Step) {
        match self.deadlock.as_mut().map_or(Step::Nothing, act) {
            Step::Nothing => {}
            Step::Ask(Member { seat, incarnation }, look) => {
                if let Some(life) = self.carrier_life(seat, incarnation) {
                    tell(life, &Told::Look(look));
                }
            }
            Step::Stuck(words) => {
                say(&format!("ftrun: {words}"));
                self.end = Some(STUCK);
            }
        }
    }

    pub(super) fn kill(&mut self, seat: usize) {
        match (&self.shared, self.seats.get(seat).and_then(Option::as_ref)) {
            (None, Some(life)) => life.kill(),
            (Some(_), Some(_)) => self.kill_within(seat),
            (_, None) => {}
        }
    }

    /// Ends all processes: those that have joined write first what they hold.
    fn close_all(&mut self, status: u8) {
        let until = Instant::now() + LAST_WRITES;
        self.carriers().for_each(|life| tell(life, &Told::End(status)));
        let is_writing = |life: &Life| life.connection.is_some() && life.ended.is_none();
        while self.carriers().any(is_writing) {
            let left = until.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(Happening::Ended { seat, incarnation, status }) => {
                    if let Some(life) = self.carrier_life(seat, incarnation) {
                        life.ended = Some(status);
                    }
                }
                Ok(Happening::OfAgent { host, said }) => self.hear_at_end(host, said),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        self.kill_all();
    }

    fn kill_all(&self) {
        self.carriers().for_each(Life::kill);
    }

    /// Passes on what all have written, also to one who reads it slowly.
    fn drain_all(&mut self) {
        let mut output = std::mem::take(&mut self.unread);
        output.extend(self.carriers_mut().flat_map(Life::take_output));
        lines::finish(&output, READING);
    }

    pub(super) fn start(&mut self, member: Member, generation: u64) -> Result<(), String> {
        let Member { seat, incarnation } = member;
        let relocation = self.relocate(seat);
        let life = match self.shared {
            None => {
                let spawned = self.recipes.get(&seat);
                let first = spawned.map_or(0, |it| it.first);
                let life = self.starter.start(member, generation, spawned, &self.sender)?;
                life.of_world(first)
            }
            Some(_) => self.start_within(member, generation)?,
        };
        // A process that has several keeps the time itself.
        if self.shared.is_none() {
            self.plan(member, life.started);
        }
        self.seats[seat] = Some(life);
        self.begin_within(seat);
        if incarnation > 0 {
            self.note(Event::Respawned(member, relocation));
        }
        Ok(())
    }

    pub(super) fn cope(&mut self, happening: Happening) {
        // What an agent passes on comes here again.
        let is_talk = matches!(happening, Happening::Said { .. } | Happening::OfAgent { .. });
        if !is_talk {
            self.detect(Deadlock::interrupt);
        }
        match happening {
            Happening::Joined(guest) => self.welcome(guest),
            Happening::Said { seat, incarnation, said } => {
                if self.carrier_life(seat, incarnation).is_some() {
                    self.hear(Member { seat, incarnation }, said);
                }
            }
            Happening::Closed { seat, incarnation } => {
                if let Some(life) = self.carrier_life(seat, incarnation) {
                    life.is_silent = true;
                    self.conclude(seat);
                }
            }
            Happening::OfAgent { host, said } => self.hear_agent(host, said),
            Happening::ToAgent(_) | Happening::Elected { .. } => {}
            Happening::Outvoted { left, of } => {
                say(&format!(
                    "ftrun: only {left} of {of} hosts are left, which is no majority; the job ends"
                ));
                self.end = Some(OUTVOTED);
                self.await_successor();
            }
            Happening::Due => self.end = self.end.or(self.miss_ranks()),
            Happening::Ended { seat, incarnation, status } => {
                self.part_with_empty(seat, incarnation);
                if let Some(life) = self.carrier_life(seat, incarnation) {
                    life.ended = Some(status);
                    life.died = Some(Instant::now());
                    if !life.is_silent {
                        self.since_silent.push((Instant::now(), seat));
                    }
                    self.conclude(seat);
                }
            }
        }
    }

    pub(super) fn life(&mut self, seat: usize, incarnation: u32) -> Option<&mut Life> {
        let life = self.seats.get_mut(seat)?.as_mut();
        life.filter(|life| life.incarnation == incarnation)
    }

    pub(super) fn hear(&mut self, from: Member, said: Said) {
        let Member { seat, incarnation } = from;
        match said {
            Said::Joined { .. } | Said::Adopt { .. } => {}
            Said::Rules(text) => self.shown = Rules::decode(&text).unwrap_or(self.shown),
            Said::Kill { seat, incarnation } => {
                if incarnation.is_none_or(|life| self.life(seat, life).is_some()) {
                    self.kill(seat);
                }
            }
            Said::Order(order) => {
                if let Some(life) = self.life(seat, incarnation) {
                    life.order = Some(order);
                }
            }
            Said::Seen { look, still } => self.detect(|deadlock| deadlock.hear(from, look, still)),
            Said::Glances(glances) => self.hear_glances(from, glances),
            Said::Described { question, words } => self.hear_description(from, question, &words),
            Said::Unreachable(member) => self.suspect(member),
            Said::Silent { member, is_silent } => self.hear_silence(from, member, is_silent),
            Said::Traced(rows) => self.add_rows(&rows),
            Said::Abort { status, words } => {
                say(&format!("ftrun: {words}"));
                self.end = Some(status as u8);
            }
            Said::EndGroup(end) => self.end_group(&end),
            Said::Ended(end) => self.end_within(from, end),
            Said::Report { from: by, report } => {
                let from = by;
                if !self.is_carried_by(from, Member { seat, incarnation }) {
                    return;
                }
                let rules = self.rules();
                if let Some(life) = self.life(from.seat, from.incarnation) {
                    life.has_begun |= matches!(report, Report::Began);
                    if let Report::InSession(is_so) = report {
                        life.in_session = Some(is_so);
                    }
                    if matches!(report, Report::Departed) {
                        life.has_departed = true;
                        self.record.departed(rules);
                        self.write_record();
                    }
                }
                if let Report::Learnt(fact) = &report {
                    self.note(Event::Learnt(fact.clone()));
                }
                let orders = self.coordinator.hear(from, report, self.started.elapsed());
                self.obey(orders);
            }
        }
    }

    pub(super) fn obey(&mut self, orders: Vec<Order>) {
        for order in orders {
            match order {
                Order::Tell(to, notice) => {
                    if self.life(to.seat, to.incarnation).is_some()
                        && let Some(life) = self.carrier_mut(to.seat)
                    {
                        tell(life, &Told::Answer { to, notice });
                    }
                }
                Order::TellAll(notice) => {
                    self.keep_recipes(&notice);
                    self.tell_all(Entry::Notice(notice.clone()), &Told::Notice(notice));
                }
                Order::Disown(member) => self.disown(member),
                Order::Write(agreed) => self.note(Event::Agreed(agreed)),
                Order::Start { member, generation } => {
                    if let Err(why) = self.start(member, generation) {
                        self.end_unable(member, &why);
                    }
                }
            }
        }
    }

    /// Decides what follows once a process has ended and all that it said is known.
    pub(super) fn conclude(&mut self, seat: usize) {
        let is_over = |life: &&mut Life| life.ended.is_some() && life.is_silent;
        let Some(life) = self.carrier_mut(seat).filter(is_over) else { return };
        let status = life.ended.expect("it has ended");
        self.since_silent.retain(|(_, other)| *other != seat);
        match self.shared {
            None => self.end_life(seat, status),
            Some(_) => self.end_process(seat, status),
        }
    }

    /// Decides what follows from the end of the rank in this seat.
    pub(super) fn end_life(&mut self, seat: usize, status: ExitStatus) {
        let Some(mut life) = self.seats[seat].take() else { return };
        let member = Member { seat, incarnation: life.incarnation };
        let status = life.serve(status);
        self.forget_links_of_rank(member);
        let rules = self.rules();
        let (verdict, words) = self.record.judge(seat, &life, status, rules, &self.job);
        self.write_record();
        if let Some(watch) = &mut self.watch {
            watch.end_life(member, verdict == Verdict::Well);
        }
        if verdict != Verdict::Well {
            let node = self.lose_node_of(seat);
            self.note_death((member, node), &life, status, rules);
        }
        // The others hear of it first: it may take a while until all its output is written.
        let mut trouble = None;
        let mut last_words = words.filter(|_| !self.job.is_quiet);
        match verdict {
            Verdict::End { status, words } => {
                last_words = Some(words);
                self.end = Some(status);
            }
            Verdict::Well | Verdict::Continue if life.has_departed => {}
            Verdict::Well | Verdict::Continue if life.has_left() => self.see_off(member),
            Verdict::Well | Verdict::Continue => self.lose(member),
            Verdict::Restart => {
                self.lose(member);
                trouble = self.restart(Member { seat, incarnation: life.incarnation + 1 }).err();
            }
        }
        if self.seats[seat].is_none() {
            self.coordinator.free(member);
        }
        self.unread.extend(life.drain());
        for words in last_words.into_iter().chain(trouble) {
            say(&format!("ftrun: {words}"));
        }
    }

    /// Says something that `--quiet` leaves out.
    pub(super) fn tell_user(&self, words: &str) {
        if !self.job.is_quiet {
            say(words);
        }
    }

    fn restart(&mut self, next: Member) -> Result<(), String> {
        let orders = self.coordinator.restart(next);
        self.obey(orders);
        self.start(next, 0).map_err(|why| {
            self.lose(next);
            format!("rank {}: {why}", next.seat)
        })
    }

    pub(super) fn lose(&mut self, member: Member) {
        self.note(Event::Recorded(member));
        // Before its death is known: who ends the job for that does so with this status.
        if let Some(cause) = self.record.cause() {
            self.tell_all(Entry::Cause(cause), &Told::Cause(cause));
        }
        let orders = self.coordinator.bury(member, self.started.elapsed());
        self.obey(orders);
    }
}

/// How long a process that has ended may seem to be saying something: one that it has left behind
/// keeps its connection open.
const PATIENCE: Duration = Duration::from_millis(100);

/// The exit status of a job that has lost most of its hosts: that of ranks that were killed.
const OUTVOTED: u8 = 137;

/// How long the processes of a job that is over may write what they hold.
const LAST_WRITES: Duration = Duration::from_millis(700);

/// How often to look for ranks that keep recoveries waiting.
const OFTEN: Duration = Duration::from_millis(100);

pub(super) fn tell(life: &Life, told: &Told) {
    if let Some(way) = &life.connection
        && !way.tell(told)
    {
        // It is as good as dead.
        life.kill();
    }
}
