//! Ranks that share processes (`--processes=P`): a process begins without any, and `ftrun` tells it
//! which are to begin there. It says how each of them ends; if it ends itself, all have.

use super::area::Memory;
use super::happening::Guest;
use super::seats::Life;
use super::shared::Shared;
use super::work::{Work, tell};
use ftmpi_base::Member;
use ftmpi_wireup::{EndOfRank, Told};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

impl Work {
    /// What carries ranks: one each, unless they share processes.
    pub(super) fn carriers(&self) -> impl Iterator<Item = &Life> {
        let (all, empty) = match &self.shared {
            None => (&self.seats, None),
            Some(shared) => (&shared.processes, Some(&shared.empty)),
        };
        let empty = empty.into_iter().flatten().map(|(_, life)| life);
        all.iter().flatten().chain(empty)
    }

    pub(super) fn carriers_mut(&mut self) -> impl Iterator<Item = &mut Life> {
        let (all, empty) = match &mut self.shared {
            None => (&mut self.seats, None),
            Some(shared) => (&mut shared.processes, Some(&mut shared.empty)),
        };
        let empty = empty.into_iter().flatten().map(|(_, life)| life);
        all.iter_mut().flatten().chain(empty)
    }

    /// The same with the first seat of each, without those that are about to end.
    pub(super) fn carriers_by_seat(&self) -> impl Iterator<Item = (usize, &Life)> {
        let (all, shared) = match &self.shared {
            None => (&self.seats, None),
            Some(shared) => (&shared.processes, Some(shared)),
        };
        let first = move |number| shared.map_or(number, |shared| shared.first_of(number));
        let all = all.iter().enumerate();
        all.filter_map(move |(number, life)| Some((first(number), life.as_ref()?)))
    }

    /// What carries the rank in this seat.
    pub(super) fn carrier_mut(&mut self, seat: usize) -> Option<&mut Life> {
        match &mut self.shared {
            None => self.seats.get_mut(seat)?.as_mut(),
            Some(shared) => shared.of(seat).as_mut(),
        }
    }

    /// The same, if it is this start of it.
    pub(super) fn carrier_life(&mut self, seat: usize, incarnation: u32) -> Option<&mut Life> {
        self.carrier_mut(seat).filter(|life| life.incarnation == incarnation)
    }

    /// Whether this rank lives in this process.
    pub(super) fn is_carried_by(&mut self, member: Member, process: Member) -> bool {
        let is_there = match &self.shared {
            None => member == process,
            Some(Shared { division, .. }) => {
                let is_seat = member.seat < division.seats();
                is_seat && division.process_of(member.seat) == division.process_of(process.seat)
            }
        };
        is_there && self.life(member.seat, member.incarnation).is_some()
    }

    /// A process has made its first call. Only the first in each place is one of the job.
    pub(super) fn welcome(&mut self, guest: Guest) {
        if let Some(shared) = &mut self.shared
            && shared.is_ending(guest.seat)
        {
            shared.waiting.push(guest);
            return;
        }
        let Guest { seat, incarnation, at, connection } = guest;
        let is_wanted = |life: &&mut Life| life.at.is_none();
        if self.carrier_life(seat, incarnation).filter(is_wanted).is_none() {
            connection.tell(&Told::Refused);
            return;
        }
        let member = self.shared.is_none().then_some(Member { seat, incarnation });
        let welcome = Box::new(self.coordinator.welcome(member));
        let others = self.carriers_by_seat();
        let met = others.filter_map(|(seat, life)| Some((seat, life.at.clone()?)));
        let met = met.collect();
        let area = self.memory.as_ref().map(Memory::place);
        let lives = self.shared.as_ref().map(Shared::lives).unwrap_or_default();
        let seats = match &self.shared {
            Some(shared) => shared.division.seats_of(shared.division.process_of(seat)),
            None => seat..seat + 1,
        };
        let berths = self.berths_of(seats);
        connection.tell(&Told::Welcome { welcome, met, area, lives, berths });
        if let Some(cause) = self.record.cause() {
            connection.tell(&Told::Cause(cause));
        }
        self.introduce(seat, &at);
        let events = self.sender.clone();
        if let Some(life) = self.carrier_life(seat, incarnation) {
            life.join(seat, at, connection, &events);
        }
        self.begin_all_within(seat);
    }

    pub(super) fn are_any_left(&self) -> bool {
        let has_empty = self.shared.as_ref().is_some_and(|shared| !shared.empty.is_empty());
        has_empty || self.seats.iter().any(Option::is_some)
    }

    /// Sees to it that there is a process for a rank.
    pub(super) fn start_within(&mut self, member: Member, generation: u64) -> Result<Life, String> {
        let Member { seat, incarnation } = member;
        if let Some(shared) = &mut self.shared
            && shared.of(seat).is_none()
        {
            let process = shared.division.process_of(seat);
            let start =
                Member { seat: shared.first_of(process), incarnation: shared.starts[process] };
            let spawned = self.recipes.get(&seat);
            let started = self.starter.start(start, 0, spawned, &self.sender)?;
            shared.starts[process] += 1;
            shared.processes[process] = Some(started);
        }
        let first = self.recipes.get(&seat).map_or(0, |it| it.first);
        let mut life = Life::within(incarnation, generation).of_world(first);
        life.host = self.carrier_mut(seat).and_then(|process| process.host.clone());
        Ok(life)
    }

    /// A process could not be started: another host is tried.
    pub(super) fn start_process_again(&mut self, process: Member) -> Result<(), String> {
        let spawned = self.recipes.get(&process.seat);
        let started = self.starter.start(process, 0, spawned, &self.sender)?;
        let Some(shared) = &mut self.shared else { return Ok(()) };
        let number = shared.division.process_of(process.seat);
        for life in self.seats[shared.division.seats_of(number)].iter_mut().flatten() {
            life.host.clone_from(&started.host);
        }
        shared.processes[number] = Some(started);
        Ok(())
    }

    /// A host is lost, and with it the processes there in which no rank lived any more.
    pub(super) fn forget_empty_on(&mut self, host: usize) {
        if let Some(shared) = &mut self.shared {
            shared.empty.retain(|(_, life)| !life.is_on(host));
        }
    }

    /// Tells a process that has joined which of its ranks begin.
    pub(super) fn begin_all_within(&mut self, seat: usize) {
        let Some(shared) = &self.shared else { return };
        let seats = shared.division.seats_of(shared.division.process_of(seat));
        seats.for_each(|seat| self.begin_within(seat));
    }

    /// Tells the process of this rank that it begins, unless that has been done, or is to come.
    pub(super) fn begin_within(&mut self, seat: usize) {
        let Some(shared) = &mut self.shared else { return };
        let Some(process) = shared.of(seat).as_ref().filter(|it| it.connection.is_some()) else {
            return;
        };
        let Some(life) = self.seats[seat].as_mut() else { return };
        let member = Member { seat, incarnation: life.incarnation };
        let Some(begin) = life.begin().filter(|begin| !begin.is_told) else { return };
        begin.is_told = true;
        let summons = self.coordinator.summons(member);
        tell(process, &Told::Begin { member, generation: begin.generation, summons });
        if begin.is_condemned {
            tell(process, &Told::Kill(member));
        }
    }

    /// Kills one rank of a process.
    pub(super) fn kill_within(&mut self, seat: usize) {
        let Some(life) = self.seats[seat].as_mut() else { return };
        let member = Member { seat, incarnation: life.incarnation };
        let Some(begin) = life.begin() else { return };
        begin.is_condemned = true;
        if begin.is_told
            && let Some(process) = self.carrier_mut(seat)
        {
            tell(process, &Told::Kill(member));
        }
    }

    /// A rank has ended in a process that goes on.
    pub(super) fn end_within(&mut self, process: Member, end: EndOfRank) {
        let EndOfRank { member, status, words, order, last } = end;
        if !self.is_carried_by(member, process) {
            return;
        }
        if let (Some(watch), Some(last)) = (&mut self.watch, last) {
            watch.note(member, last);
        }
        if let Some(life) = self.life(member.seat, member.incarnation) {
            life.died = Some(std::time::Instant::now());
            life.words = Some(words);
            life.order = order.or(life.order.take());
        }
        self.end_life(member.seat, ExitStatus::from_raw(status));
        self.leave_if_empty(member.seat);
    }

    /// Lets the process of this seat go if no rank lives there any more.
    fn leave_if_empty(&mut self, seat: usize) {
        let Some(shared) = &mut self.shared else { return };
        let number = shared.division.process_of(seat);
        let mut seats = shared.division.seats_of(number);
        if seats.any(|seat| self.seats[seat].is_some()) {
            return;
        }
        let Some(process) = shared.processes[number].take() else { return };
        tell(&process, &Told::Leave);
        shared.empty.push((shared.first_of(number), process));
    }

    /// A process has ended in which no rank lived any more.
    pub(super) fn part_with_empty(&mut self, seat: usize, incarnation: u32) {
        let Some(shared) = &mut self.shared else { return };
        let is_it =
            |(first, life): &mut (usize, Life)| *first == seat && life.incarnation == incarnation;
        let ended: Vec<(usize, Life)> = shared.empty.extract_if(.., is_it).collect();
        if ended.is_empty() {
            return;
        }
        ended.into_iter().for_each(|(_, mut life)| self.unread.extend(life.drain()));
        self.tell_parted(seat);
        self.welcome_waiting(seat);
    }

    /// Those wait no longer whose place this is.
    fn welcome_waiting(&mut self, seat: usize) {
        let Some(shared) = &mut self.shared else { return };
        let guests: Vec<Guest> =
            shared.waiting.extract_if(.., |guest| guest.seat == seat).collect();
        guests.into_iter().for_each(|guest| self.welcome(guest));
    }

    /// A process has ended, and with it all ranks that lived there.
    pub(super) fn end_process(&mut self, seat: usize, status: ExitStatus) {
        let Some(shared) = &mut self.shared else { return };
        let number = shared.division.process_of(seat);
        let Some(mut process) = shared.processes[number].take() else { return };
        let seats = shared.division.seats_of(number);
        self.severed.forget(Member { seat: seats.start, incarnation: process.incarnation });
        self.tell_parted(seats.start);
        for seat in seats {
            if let Some(life) = &mut self.seats[seat] {
                (life.died, life.is_lost) = (process.died, process.is_lost);
            }
            self.end_life(seat, status);
            if self.end.is_some() {
                break;
            }
        }
        self.unread.extend(process.drain());
    }

    /// Links are those of processes: a rank of a process of several has none.
    pub(super) fn forget_links_of_rank(&mut self, member: Member) {
        if self.shared.is_none() {
            self.severed.forget(member);
        }
    }

    /// All starts of a process have ended that there were before the present or the next one.
    fn tell_parted(&self, seat: usize) {
        let Some(shared) = self.shared.as_ref().filter(|shared| !shared.is_ending(seat)) else {
            return;
        };
        let next = shared.lives()[shared.division.process_of(seat)];
        if let Some(incarnation) = next.checked_sub(1) {
            let parted = Member { seat, incarnation };
            self.carriers().for_each(|life| tell(life, &Told::Parted(parted)));
        }
    }
}
