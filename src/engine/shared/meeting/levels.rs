//! The members of a communicator by process, where several ranks share one: those of one process
//! meet in its memory, and the last of them to come speaks with the other processes for all.

use crate::base::Member;
use crate::transport::{Hall, Processes, Reservation};
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The processes in which members are.
pub struct Levels {
    groups: Box<[Group]>,
    /// The group of this process.
    mine: usize,
    most: usize,
    /// Where the processes meet, once all members have agreed on it.
    hall: OnceLock<Option<Hall>>,
    reserved: Mutex<Option<Reservation>>,
    /// An operation, plus one, and the place of the member here that speaks for all: the last that
    /// has come to it.
    speaker: AtomicU64,
    /// The operation, plus one, in which it has given up, as a failure forbids it.
    given_up: AtomicU32,
}

/// The members in one process.
struct Group {
    first: Member,
    process: usize,
    /// Their places, in ascending order.
    places: Vec<usize>,
}

impl Levels {
    pub(in crate::engine) fn of(members: &[Member], processes: &Processes) -> Levels {
        let mut groups: Vec<Group> = Vec::new();
        for (place, member) in members.iter().enumerate() {
            let process = processes.process_of(member.seat);
            match groups.iter_mut().rev().find(|group| group.process == process) {
                Some(group) => group.places.push(place),
                None => groups.push(Group { first: *member, process, places: vec![place] }),
            }
        }
        let own = processes.seats();
        let is_here = |group: &Group| own.contains(&group.first.seat);
        Levels {
            mine: groups.iter().position(is_here).expect("a member is here"),
            most: groups.iter().map(|group| group.places.len()).max().unwrap_or(0),
            groups: groups.into(),
            hall: OnceLock::new(),
            reserved: Mutex::default(),
            speaker: AtomicU64::new(0),
            given_up: AtomicU32::new(0),
        }
    }

    /// Which of the processes this one is.
    #[inline]
    pub fn mine(&self) -> usize {
        self.mine
    }

    /// How many processes there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.groups.len()
    }

    /// How many members a process has at most.
    #[inline]
    pub fn most(&self) -> usize {
        self.most
    }

    /// The places of the members in one process.
    #[inline]
    pub fn places(&self, process: usize) -> &[usize] {
        &self.groups[process].places
    }

    /// The places of the members in this process.
    #[inline]
    pub fn here(&self) -> &[usize] {
        self.places(self.mine)
    }

    /// The first member in each process, and which process it is.
    pub fn firsts(&self) -> impl Iterator<Item = (Member, usize)> + '_ {
        self.groups.iter().map(|group| (group.first, group.process))
    }

    /// The members that an operation waits for, at most `most` of them: those of `behind` that are
    /// here, as nobody knows how far others are; if there are none, the first of each process that
    /// has not told what its members have.
    pub(super) fn missing(
        &self, behind: impl Iterator<Item = usize>, turn: u32, most: usize,
    ) -> Vec<usize> {
        let here: Vec<usize> = behind.filter(|it| self.here().contains(it)).take(most).collect();
        let Some(Some(hall)) = self.hall.get().filter(|_| here.is_empty()) else { return here };
        let others = (0..self.count()).filter(|process| *process != self.mine);
        let silent = others.filter(|process| !hall.has_published(*process, turn));
        silent.map(|process| self.places(process)[0]).take(most).collect()
    }

    /// The member at this place, the last that has come to an operation, speaks for all here.
    pub fn speaks(&self, turn: u32, place: usize) {
        self.speaker.store(u64::from(turn + 1) << 32 | place as u64, Ordering::Release);
    }

    /// Who speaks in this operation; `None`: nobody has begun to.
    pub fn speaker(&self, turn: u32) -> Option<usize> {
        let speaker = self.speaker.load(Ordering::Acquire);
        (speaker >> 32 == u64::from(turn + 1)).then_some(speaker as u32 as usize)
    }

    /// In this operation, the members here will not hear what others have.
    pub fn give_up(&self, turn: u32) {
        self.given_up.store(turn + 1, Ordering::Release);
    }

    pub fn has_given_up(&self, turn: u32) -> bool {
        self.given_up.load(Ordering::Acquire) == turn + 1
    }

    /// Where the processes meet; `find` knows if all members have agreed on it from the start.
    pub fn hall(&self, find: impl FnOnce() -> Option<Hall>) -> Option<&Hall> {
        if self.hall.get().is_none() {
            let found = find()?;
            return self.hall.get_or_init(|| Some(found)).as_ref();
        }
        self.hall.get()?.as_ref()
    }

    /// What this process has for the communicator, the same for each of its members; `None`: they
    /// have agreed already.
    pub fn reserve<T>(
        &self, reserve: impl FnOnce() -> Reservation, told: impl FnOnce(&Reservation) -> T,
    ) -> Option<T> {
        if self.hall.get().is_some() {
            return None;
        }
        Some(told(self.reserved.lock().get_or_insert_with(reserve)))
    }

    /// All members have heard what each process has; `meet` says where they meet, if they do.
    pub fn settle(&self, meet: impl FnOnce(Reservation) -> Option<Hall>) {
        self.hall.get_or_init(|| self.reserved.lock().take().and_then(meet));
    }
}
