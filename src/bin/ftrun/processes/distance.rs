//! What the agents of other hosts say, and what follows when a host is lost.

use super::deadlock::Deadlock;
use super::happening::{Connection, Guest, Happening};
use super::lines::{self, Stream};
use super::seats::Life;
use super::work::{Work, tell};
use ftmpi_base::Member;
use ftmpi_fault::{Event, GivenUp, Report, Resident};
use ftmpi_wireup::hosts::OfAgent;
use ftmpi_wireup::{Said, Told};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// The status of a process that was killed, as the kernel has it.
const KILLED: i32 = 9;

/// Lines of ranks on other hosts. If nobody reads them, the ranks cannot be told.
fn print(is_error: bool, lines: &[u8]) {
    let _unread = lines::write(if is_error { Stream::Errors } else { Stream::Output }, lines);
}

/// How long a life may be there and yet out of reach for another.
const REACH_PATIENCE: Duration = Duration::from_millis(500);

impl Work {
    /// The agent of a host says something; nothing: it has gone, and its ranks with it.
    pub(super) fn hear_agent(&mut self, host: usize, said: Option<OfAgent>) {
        let Some(said) = said else { return self.lose_host(host) };
        let is_kept = said.is_kept();
        self.hear_of_host(host, said);
        if let Some(cluster) = self.starter.cluster().filter(|_| is_kept) {
            cluster.took(host);
        }
    }

    fn hear_of_host(&mut self, host: usize, said: OfAgent) {
        match said {
            OfAgent::Joined { seat, incarnation, at } => {
                let Some(cluster) = self.starter.cluster() else { return };
                let Some(agent) = cluster.agent(host).cloned() else { return };
                let connection = Connection::There { agent, seat, incarnation };
                self.cope(Happening::Joined(Guest { seat, incarnation, at, connection }));
            }
            // A coordinator that is lost may not have dealt with what the dead have left.
            OfAgent::Said { said: Said::Traced(rows), .. } => self.add_rows(&rows),
            OfAgent::Said { said: Said::Report { report: Report::Learnt(fact), .. }, .. } => {
                self.note(Event::Learnt(fact));
            }
            OfAgent::Said { seat, incarnation, said } => {
                self.cope(Happening::Said { seat, incarnation, said });
            }
            OfAgent::Closed { seat, incarnation } => {
                self.cope(Happening::Closed { seat, incarnation });
            }
            OfAgent::Ended { seat, incarnation, status } => {
                let status = ExitStatus::from_raw(status);
                self.cope(Happening::Ended { seat, incarnation, status });
            }
            OfAgent::Output { is_error, lines } => print(is_error, &lines),
            OfAgent::NotStarted { seat, incarnation, generation, why } => {
                if let Some(life) = self.carrier_life(seat, incarnation) {
                    let name = life.host.clone().unwrap_or_default();
                    self.tell_user(&format!("ftrun: host {name}: {why}; another one is tried"));
                    self.start_elsewhere(host, Member { seat, incarnation }, generation);
                }
            }
            OfAgent::Hello { .. }
            | OfAgent::Ready(_)
            | OfAgent::Beat { .. }
            | OfAgent::Accepted(_)
            | OfAgent::Account(_) => {}
        }
    }

    /// A rank, or its process, could not be started on this host. Nobody has heard of that life.
    fn start_elsewhere(&mut self, host: usize, member: Member, generation: u64) {
        if let Some(cluster) = self.starter.cluster() {
            cluster.give_up_starting_on(host);
        }
        self.detect(Deadlock::interrupt);
        let started = match self.shared {
            None => {
                self.seats[member.seat] = None;
                self.start(member, generation)
            }
            Some(_) => self.start_process_again(member),
        };
        if let Err(why) = started {
            self.end_unable(member, &why);
        }
    }

    /// A host is lost: its ranks are dead.
    fn lose_host(&mut self, host: usize) {
        self.lose_unknown(Some(host));
        let Some(name) = self.starter.cluster().and_then(|cluster| cluster.lose(host)) else {
            return;
        };
        self.forget_empty_on(host);
        let lost = self.carriers_by_seat().filter(|(_, life)| life.is_on(host));
        let lost: Vec<usize> = lost.map(|(seat, _)| seat).collect();
        for seat in &lost {
            let Some(life) = self.carrier_mut(*seat) else { continue };
            life.ended.get_or_insert(ExitStatus::from_raw(KILLED));
            life.died.get_or_insert_with(Instant::now);
            (life.is_silent, life.is_lost) = (true, true);
        }
        self.detect(Deadlock::interrupt);
        // Spares, and those whose ranks have died before, are missed as well.
        if self.end.is_none() {
            self.tell_user(&format!("ftrun: host {name} is lost"));
        }
        lost.into_iter().for_each(|seat| self.conclude(seat));
    }

    /// Somebody cannot reach this life. It may have ended, which will be known soon.
    pub(super) fn suspect(&mut self, member: Member) {
        let Member { seat, incarnation } = member;
        let is_known = self.suspects.iter().any(|(_, suspect)| *suspect == member);
        let is_there = |life: &mut Life| !life.has_departed && !life.is_nowhere();
        let is_there = self.carrier_life(seat, incarnation).is_some_and(is_there);
        if is_there && !is_known {
            self.suspects.push((Instant::now() + REACH_PATIENCE, member));
        }
    }

    /// Kills those that are there, but cannot be reached: what was sent to them is lost.
    pub(super) fn end_suspects(&mut self, now: Instant) {
        let due: Vec<_> = self.suspects.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, Member { seat, incarnation }) in due {
            let life = self.carrier_life(seat, incarnation);
            let Some(life) = life.filter(|life| !life.has_departed) else { continue };
            life.kill();
            self.tell_user(&format!(
                "ftrun: rank {seat} cannot be reached by other hosts any more"
            ));
        }
    }

    /// Somebody says that a life on another host does not answer, or is heard again.
    pub(super) fn hear_silence(&mut self, by: Member, about: Member, is_silent: bool) {
        let resident = |work: &mut Work, member: Member| {
            let host = work.carrier_life(member.seat, member.incarnation)?.host_number()?;
            Some(Resident::new(host, member))
        };
        let (Some(from), Some(to)) = (resident(self, by), resident(self, about)) else { return };
        if !is_silent {
            return self.severed.withdraw(from, to);
        }
        if self.severed.complain(from, to, self.started.elapsed())
            && let Some(life) = self.carrier_life(about.seat, about.incarnation)
        {
            tell(life, &Told::TryToReach(by));
        }
    }

    /// Ends the ranks of hosts that have lost the link to another one: each of them takes up its
    /// work on another host once its process has ended.
    pub(super) fn give_up_hosts(&mut self, now: Instant) {
        for GivenUp { host, severed_from } in self.severed.decide(now - self.started) {
            let Some(cluster) = self.starter.cluster() else { return };
            cluster.give_up_starting_on(host);
            let name = |host| cluster.agent(host).map(|agent| agent.name.clone());
            if let Some((lost, other)) = name(host).zip(name(severed_from)) {
                self.tell_user(&format!(
                    "ftrun: hosts {lost} and {other} do not reach each other: {lost} is given up"
                ));
            }
            let is_there = |life: &&mut Life| life.is_on(host) && !life.has_departed;
            for life in self.carriers_mut().filter(is_there) {
                life.is_lost = true;
                life.kill();
            }
        }
    }

    /// The agent of a host says something when the job is over: nothing follows from that any more.
    pub(super) fn hear_at_end(&mut self, host: usize, said: Option<OfAgent>) {
        match said {
            Some(OfAgent::Output { is_error, lines }) => print(is_error, &lines),
            Some(OfAgent::Said { said: Said::Traced(rows), .. }) => self.add_rows(&rows),
            Some(OfAgent::Ended { seat, incarnation, status }) => {
                if let Some(life) = self.carrier_life(seat, incarnation) {
                    life.ended = Some(ExitStatus::from_raw(status));
                }
            }
            Some(_) => {}
            None => {
                for life in self.carriers_mut().filter(|life| life.is_on(host)) {
                    life.ended.get_or_insert(ExitStatus::from_raw(KILLED));
                }
                self.starter.cluster().and_then(|cluster| cluster.lose(host));
            }
        }
    }

    /// The job is over: waits until agents have passed on what is left, and have gone.
    pub(super) fn part_with_agents(&mut self) {
        const PATIENCE: Duration = Duration::from_secs(3);
        let mut until = Instant::now() + PATIENCE;
        if let Some(cluster) = self.starter.cluster() {
            cluster.end();
        }
        while self.starter.cluster().is_some_and(|cluster| cluster.has_agents()) {
            let left = until.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(Happening::OfAgent { host, said }) => {
                    // Who has more to say is waited for longer.
                    if said.is_some() {
                        until = Instant::now() + PATIENCE;
                    }
                    self.hear_at_end(host, said);
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        if let Some(cluster) = self.starter.cluster() {
            cluster.give_up();
        }
    }
}
