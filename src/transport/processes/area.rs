//! Memory that all processes of a host share, in which the members of a communicator carry out
//! short collective operations without messages.
//!
//! Each process has a desk, to which all others may write: a bell, and who is waiting for this
//! process. Beside it are its rooms, one for each communicator that has one. Only the process
//! itself writes there; all others map them for reading. So a stray write spoils what its own
//! process says, and a process that dies leaves behind what it had published.
//!
//! A slot of a room holds what its process has published in one operation. It is there once its
//! mark is, which is stored last; the mark tells the communicator and the operation, so it is taken
//! for nothing else. A reader looks at the mark again afterwards, to know that nothing was written
//! over. A desk only says who is to be woken: a stray write there can cost a wake-up, until the
//! death of the process that has gone mad wakes all.

use super::rooms::{Context, OF_WORLD, ROOMS, Rooms};
use crate::base::Member;
use crate::base::sync::cache::prefetch_to_write;
use crate::host::memory::afar::{Mapping, opened};
use crate::host::memory::{self, Span};
use crate::host::sched::SharedBell;
use crate::transport::processes::segment::Address;
use parking_lot::Mutex;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// How many operations a member may be ahead of others, a power of two.
pub const SLOTS: usize = 64;
/// The longest data of a member.
pub const LONGEST: usize = 4096;
/// The most processes that share an area.
pub const MOST: usize = 64 * WORDS;
const WORDS: usize = 16;
/// So many bytes are beside the mark.
const FEW: usize = 48;

/// What others tell a process.
#[repr(C, align(4096))]
struct Desk {
    bell: SharedBell,
    callers: Callers,
    /// For each operation in which this process waits for all others: how many have come.
    arrivals: [[AtomicU64; SLOTS]; ROOMS],
}

/// The processes that wait for this one: a bit each, and whether there are any.
#[repr(C, align(64))]
struct Callers {
    any: AtomicU32,
    words: [AtomicU64; WORDS],
}

/// What a process publishes in one communicator.
#[repr(C, align(4096))]
struct Room {
    /// The mark of an operation to which the process has come, the first since a multiple of
    /// [`STRIDE`]: it has left all before.
    stand: Stand,
    slots: [Slot; SLOTS],
    /// What has no room in the slots.
    long: [[AtomicU64; LONGEST / 8]; SLOTS],
}

#[repr(C, align(64))]
struct Stand(AtomicU64);

#[repr(C, align(64))]
struct Slot {
    mark: AtomicU64,
    bytes: AtomicU32,
    /// Up to this operation, all members have come, as its process knows.
    settled: AtomicU32,
    few: [AtomicU64; FEW / 8],
}

const _: () = assert!(size_of::<Slot>() == 64, "a slot is a line of the cache");

/// The rooms of a process.
type Region = [Room; ROOMS];

/// The area of a job, as one process sees it.
pub struct Area {
    me: usize,
    processes: usize,
    desks: Mapping,
    regions: Mapping,
    own: Mapping,
    /// Which of the own rooms is for what.
    rooms: Mutex<Rooms<Tenancy>>,
}

/// A communicator that had a room here, and where its members' rooms are.
struct Tenancy {
    context: Context,
    members: Box<[Seat]>,
}

/// A member, the first one in its process, and the room that this has for the communicator.
#[derive(Clone, Copy, Debug)]
pub struct Seat {
    pub member: Member,
    pub process: usize,
    pub room: u8,
}

/// An operation of a communicator: its context, and its number below a bit that is always set.
#[inline]
fn mark(context: u32, turn: u32) -> u64 {
    u64::from(context) << 32 | u64::from(turn | IS_SET)
}

const IS_SET: u32 = 1 << 31;

/// Where a member stands that has freed the communicator.
fn left(context: Context) -> u64 {
    u64::from(context) << 32 | 1
}

impl Area {
    /// The area that a process has open there, for so many.
    pub(super) fn open(at: Address, me: usize, processes: usize) -> io::Result<Area> {
        assert!(me < processes && processes <= MOST, "there is room for them");
        let (desks, region) = (processes * size_of::<Desk>(), size_of::<Region>());
        let file = opened(at.pid, at.descriptor)?;
        // All make it equally long.
        file.set_len((desks + processes * region) as u64)?;
        Ok(Area {
            me,
            processes,
            desks: Mapping::new(&file, 0, desks)?,
            regions: Mapping::to_read(&file, desks, processes * region)?,
            own: Mapping::new(&file, desks + me * region, region)?,
            rooms: Mutex::new(Rooms::new(ROOMS)),
        })
    }

    fn desk(&self, process: usize) -> &Desk {
        assert!(process < self.processes, "it is one of them");
        // SAFETY: it lies within the mapping and is aligned to a page; it is made of atomics, of
        // which zero, and any other bits, are a value.
        unsafe { &*self.desks.start().cast::<Desk>().add(process) }
    }

    fn room(&self, process: usize, room: usize) -> &Room {
        assert!(process < self.processes && room < ROOMS, "it is one of them");
        // SAFETY: as above; this memory is only read here, by loads of at most a word.
        unsafe { &*self.regions.start().cast::<Room>().add(process * ROOMS + room) }
    }

    fn own_room(&self, room: usize) -> &Room {
        assert!(room < ROOMS, "it is one of them");
        // SAFETY: as above; this is the own region.
        unsafe { &*self.own.start().cast::<Room>().add(room) }
    }

    /// The bell of this process.
    #[inline]
    pub(super) fn bell_of(&self, process: usize) -> &SharedBell {
        &self.desk(process).bell
    }

    /// The world has this context from now on. What is under way in the one before comes to
    /// nothing.
    pub(super) fn be_for_world(&self, context: Context) {
        self.rooms.lock().be_for_world(context);
    }

    /// That of the world, if it has this context.
    pub fn hall_of_world(
        &'static self, context: Context, members: impl Iterator<Item = (Member, usize)>,
    ) -> Option<Hall> {
        let is_so = self.rooms.lock().is_for_world(context);
        let seat = |(member, process)| Seat { member, process, room: OF_WORLD as u8 };
        is_so.then(|| Hall::of(self, context, members.map(seat).collect()))
    }

    /// A room of this process for a communicator, if one is left.
    pub(super) fn take_room(
        &self, context: Context, is_dead: impl Fn(Member) -> bool,
    ) -> Option<u8> {
        let has_left = |context: Context, seat: &Seat| {
            let stand = self.stand_of(seat).load(Ordering::Acquire);
            stand == left(context) || (stand >> 32) as u32 != context || is_dead(seat.member)
        };
        let is_over = |old: &Tenancy| old.members.iter().all(|seat| has_left(old.context, seat));
        let room = self.rooms.lock().take(context, is_over)?;
        // It has come to no operation yet.
        self.own_room(room).stand.0.store(u64::from(context) << 32, Ordering::Release);
        Some(room as u8)
    }

    /// Nobody else has heard of this room.
    pub(super) fn give_back(&self, room: u8) {
        self.rooms.lock().give_back(room.into());
    }

    #[inline]
    fn stand_of(&self, seat: &Seat) -> &AtomicU64 {
        &self.room(seat.process, seat.room.into()).stand.0
    }
}

/// A communicator whose members use the area. Those of one process are one member here, which is
/// known by its place: its rank, where each process has one.
pub struct Hall {
    area: &'static Area,
    context: Context,
    /// The own room.
    room: usize,
    /// Where each member is.
    members: Box<[Seat]>,
    /// For each slot, the number of the latest operation in which this member has published
    /// something there; see [`IS_SET`].
    latest: [AtomicU32; SLOTS],
    /// All members have come to this operation, and left all before.
    settled: AtomicU32,
    /// The multiple of [`STRIDE`] to which this member has come; see [`IS_SET`].
    come_to: AtomicU32,
    /// The latest operation in which this member has read.
    read: AtomicU32,
    /// A member that was behind when it was last looked at.
    laggard: AtomicU32,
}

/// Whether one number is as far as another; they wrap around at 31 bits.
#[inline]
fn is_as_far(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) << 1) as i32 >= 0
}

impl Hall {
    /// That of the communicator with this context, whose members have these rooms.
    pub(super) fn of(area: &'static Area, context: Context, members: Box<[Seat]>) -> Hall {
        let mine = members.iter().find(|seat| seat.process == area.me).expect("it is a member");
        Hall {
            area,
            context,
            room: mine.room.into(),
            members,
            latest: [const { AtomicU32::new(0) }; SLOTS],
            settled: AtomicU32::new(0),
            come_to: AtomicU32::new(0),
            read: AtomicU32::new(0),
            laggard: AtomicU32::new(0),
        }
    }

    #[inline]
    fn slot(&self, place: usize, turn: u32) -> &Slot {
        &self.room_of(place).slots[turn as usize % SLOTS]
    }

    #[inline]
    fn room_of(&self, place: usize) -> &Room {
        let seat = &self.members[place];
        self.area.room(seat.process, seat.room.into())
    }

    /// This member comes to an operation, and so has left all before.
    #[inline]
    pub fn come(&self, turn: u32) {
        let before = self.come_to.load(Ordering::Relaxed);
        let now = turn & !(STRIDE - 1) | IS_SET;
        // Only at these do others wait for this member to come, so only then are they told: they
        // look there again and again, and a store to a line that others read holds up what follows.
        if before != now {
            self.come_to.store(now, Ordering::Relaxed);
            let stand = &self.area.own_room(self.room).stand.0;
            stand.store(mark(self.context, turn), Ordering::Release);
            fence(Ordering::SeqCst);
            self.answer_callers();
        }
        prefetch_to_write(&raw const self.area.own_room(self.room).slots[turn as usize % SLOTS]);
    }

    /// The operation which all members must have reached before this one may publish anything in
    /// this one; `None`: they have.
    #[inline]
    pub fn lacks(&self, turn: u32) -> Option<u32> {
        let latest = self.latest[turn as usize % SLOTS].load(Ordering::Relaxed);
        let needed = (latest & !IS_SET).wrapping_add(STRIDE) & !(STRIDE - 1) & !IS_SET;
        (latest != 0 && !self.have_come_to(needed)).then_some(needed)
    }

    /// Whether all members have come to this operation, or a later one.
    #[inline]
    pub fn have_come_to(&self, needed: u32) -> bool {
        let settled = self.settled.load(Ordering::Relaxed);
        settled != 0 && is_as_far(settled, needed) || self.first_behind(needed).is_none()
    }

    /// A member that has not come to this operation.
    #[cold]
    pub fn first_behind(&self, needed: u32) -> Option<usize> {
        let count = self.members.len();
        let first = self.laggard.load(Ordering::Relaxed) as usize % count;
        let mut slowest = None;
        for place in (first..count).chain(0..first) {
            let stand = self.area.stand_of(&self.members[place]).load(Ordering::SeqCst);
            if stand == left(self.context) {
                continue;
            }
            let number = stand as u32;
            if (stand >> 32) as u32 != self.context || number == 0 || !is_as_far(number, needed) {
                self.laggard.store(place as u32, Ordering::Relaxed);
                return Some(place);
            }
            if slowest.is_none_or(|slowest| is_as_far(slowest, number)) {
                slowest = Some(number);
            }
        }
        if let Some(slowest) = slowest {
            self.settle(slowest);
        }
        None
    }

    /// All members have come to this operation.
    #[inline]
    pub fn settle(&self, turn: u32) {
        let settled = self.settled.load(Ordering::Relaxed);
        if settled == 0 || is_as_far(turn, settled) {
            self.settled.store(turn | IS_SET, Ordering::Relaxed);
        }
    }

    /// Publishes a copy of `data`, memory of the library; nobody needs any more what was there.
    #[inline]
    pub fn publish(&self, turn: u32, data: Span) {
        let (bytes, room) = (data.bytes(), self.area.own_room(self.room));
        assert!(bytes <= LONGEST, "what is longer goes by messages");
        let index = turn as usize % SLOTS;
        let slot = &room.slots[index];
        if self.latest[index].load(Ordering::Relaxed) == 0 {
            // What an earlier life has published there may still be read.
            slot.mark.swap(0, Ordering::SeqCst);
        }
        let copied = memory::copy(data, slot.place_of(bytes, &room.long[index]));
        copied.expect("both are the library's own");
        slot.bytes.store(bytes as u32, Ordering::Relaxed);
        slot.settled.store(self.settled.load(Ordering::Relaxed), Ordering::Relaxed);
        slot.mark.swap(mark(self.context, turn), Ordering::SeqCst);
        if self.read.load(Ordering::Relaxed) != turn.wrapping_sub(1) & !IS_SET {
            prefetch_to_write(&raw const room.slots[turn.wrapping_add(AHEAD) as usize % SLOTS]);
        }
        self.latest[index].store(turn | IS_SET, Ordering::Relaxed);
        self.answer_callers();
    }

    /// Whether the member at `place` has published something in this operation.
    #[inline]
    pub fn has_published(&self, place: usize, turn: u32) -> bool {
        // Whoever has called looks afterwards.
        self.slot(place, turn).mark.load(Ordering::SeqCst) == mark(self.context, turn)
    }

    /// What the member at `place` has published, for `read`; false: it was not there, or was
    /// written over meanwhile.
    #[inline]
    pub fn read(&self, place: usize, turn: u32, read: impl FnOnce(Span)) -> bool {
        let room = self.room_of(place);
        let index = turn as usize % SLOTS;
        let (slot, mark) = (&room.slots[index], mark(self.context, turn));
        if slot.mark.load(Ordering::Acquire) != mark {
            return false;
        }
        let bytes = slot.bytes.load(Ordering::Relaxed) as usize;
        let settled = slot.settled.load(Ordering::Relaxed);
        if bytes > LONGEST {
            // Its process has gone mad, and will end.
            return false;
        }
        read(slot.place_of(bytes, &room.long[index]));
        fence(Ordering::Acquire);
        self.read.store(turn, Ordering::Relaxed);
        let is_intact = slot.mark.load(Ordering::Relaxed) == mark;
        if is_intact && settled != 0 {
            self.settle(settled & !IS_SET);
        }
        is_intact
    }

    /// This member has published something for the one at `root`, which waits for all: wakes it if
    /// this was the last.
    #[inline]
    pub fn arrive_at(&self, root: usize, turn: u32) {
        let seat = &self.members[root];
        let (desk, room) = (self.area.desk(seat.process), seat.room.into());
        let others = self.members.len() as u64 - 1;
        if others == 1 || desk.count(room, mark(self.context, turn), turn) == others {
            desk.bell.ring();
        }
    }

    /// The member at `place` is to ring when it publishes anything, or comes.
    pub fn call(&self, place: usize) {
        let (callers, me) = (&self.area.desk(self.members[place].process).callers, self.area.me);
        callers.words[me / 64].fetch_or(1 << (me % 64), Ordering::SeqCst);
        callers.any.swap(1, Ordering::SeqCst);
    }

    #[inline]
    fn answer_callers(&self) {
        let callers = &self.area.desk(self.area.me).callers;
        if callers.any.load(Ordering::SeqCst) != 0 {
            self.ring(callers);
        }
    }

    #[cold]
    fn ring(&self, callers: &Callers) {
        callers.any.swap(0, Ordering::SeqCst);
        for (index, word) in callers.words[..self.area.processes.div_ceil(64)].iter().enumerate() {
            if word.load(Ordering::SeqCst) == 0 {
                continue;
            }
            let mut bits = word.swap(0, Ordering::SeqCst);
            while bits != 0 {
                let process = 64 * index + bits.trailing_zeros() as usize;
                if process < self.area.processes {
                    self.area.bell_of(process).ring();
                }
                bits &= bits - 1;
            }
        }
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        if self.room != OF_WORLD {
            let stand = &self.area.own_room(self.room).stand.0;
            stand.swap(left(self.context), Ordering::SeqCst);
            self.answer_callers();
            let members = std::mem::take(&mut self.members);
            self.area.rooms.lock().leave(self.room, Tenancy { context: self.context, members });
        }
    }
}

/// How many operations before it writes to a line a member asks for it that does not wait for the
/// others: they have read it by then. Who waits for them each time has them looking at that line.
const AHEAD: u32 = 4;

/// Members ahead wait for operations that are multiples of this.
const STRIDE: u32 = SLOTS as u32 / 2;

impl Desk {
    /// One more has come to the operation; returns how many have.
    fn count(&self, room: usize, mark: u64, turn: u32) -> u64 {
        const COUNT: u32 = 16;
        let word = &self.arrivals[room][turn as usize % SLOTS];
        // Other operations that leave this stamp are long past.
        let stamp = mark << COUNT;
        let mut known = word.load(Ordering::Relaxed);
        loop {
            let is_first = known >> COUNT != stamp >> COUNT;
            let next = if is_first { stamp + 1 } else { known + 1 };
            match word.compare_exchange_weak(known, next, Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) => return next - stamp,
                Err(found) => known = found,
            }
        }
    }
}

impl Slot {
    /// Where so many bytes are.
    #[inline]
    fn place_of(&self, bytes: usize, long: &[AtomicU64]) -> Span {
        let start = if bytes <= FEW { self.few.as_ptr() } else { long.as_ptr() };
        Span::new(start.cast(), bytes)
    }
}

#[cfg(all(test, not(loom), not(miri)))]
mod tests {
    use super::*;
    use crate::host::memory::afar::anonymous;
    use std::os::fd::AsRawFd;

    const CONTEXT: u32 = 7;

    /// The areas of so many processes, all of them this one.
    fn areas(processes: usize) -> Vec<&'static Area> {
        let file = anonymous(c"ftmpi area", 0).expect("there is memory");
        let at = Address { pid: std::process::id() as i32, descriptor: file.as_raw_fd() };
        let open = |me| Area::open(at, me, processes).expect("it is there");
        (0..processes).map(|me| &*Box::leak(Box::new(open(me)))).collect()
    }

    fn hall(area: &'static Area, context: u32) -> Hall {
        area.be_for_world(context);
        let members = (0..area.processes).map(|seat| (Member { seat, incarnation: 0 }, seat));
        area.hall_of_world(context, members).expect("it is the world")
    }

    fn halls(processes: usize) -> Vec<Hall> {
        areas(processes).into_iter().map(|area| hall(area, CONTEXT)).collect()
    }

    fn seen(hall: &Hall, place: usize, turn: u32) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let is_there = hall.read(place, turn, |data| {
            bytes = vec![0; data.bytes()];
            memory::copy(data, Span::of_mut(&mut bytes)).expect("both are there");
        });
        is_there.then_some(bytes)
    }

    #[test]
    fn what_one_publishes_others_see_for_that_operation_and_no_other() {
        let areas = areas(2);
        let [one, other] = [0, 1].map(|me| hall(areas[me], CONTEXT));
        for (turn, bytes) in (0..).zip([0, 1, FEW, FEW + 1, 1000, LONGEST]) {
            let data = vec![turn as u8 + 1; bytes];
            assert!(!other.has_published(0, turn));
            one.publish(turn, Span::of(&data));
            assert_eq!(seen(&other, 0, turn), Some(data));
            assert_eq!(seen(&other, 0, turn + SLOTS as u32), None);
        }
        assert_eq!(seen(&hall(areas[1], CONTEXT + 1), 0, 0), None, "another communicator");
        // A reader hears when it was written over while it read.
        assert!(!other.read(0, 3, |_| one.publish(3 + SLOTS as u32, Span::EMPTY)));
    }

    #[test]
    fn nobody_overwrites_what_others_may_still_need() {
        // Numbers wrap around.
        for first in [0, 5, i32::MAX as u32 - 10] {
            let halls = halls(3);
            let turn = |number: u32| first.wrapping_add(number) & !IS_SET;
            for number in 0..SLOTS as u32 {
                halls[0].come(turn(number));
                assert_eq!(halls[0].lacks(turn(number)), None);
                halls[0].publish(turn(number), Span::EMPTY);
            }
            let next = turn(SLOTS as u32);
            halls[0].come(next);
            let needed = halls[0].lacks(next).expect("no other has come");
            halls[1].come(needed);
            halls[2].come(turn(0));
            assert_eq!(halls[0].lacks(next), Some(needed));
            assert_eq!(halls[0].first_behind(needed), Some(2));
            halls[2].come(turn(SLOTS as u32));
            assert_eq!(halls[0].lacks(next), None);
        }
    }

    #[test]
    fn the_last_to_arrive_wakes_the_root_and_who_is_called_rings_once() {
        let halls = halls(4);
        let bell = |process| halls[0].area.bell_of(process);
        for turn in [3, 19, 4] {
            let heard = bell(2).listen();
            halls[0].arrive_at(2, turn);
            halls[1].arrive_at(2, turn);
            assert!(!bell(2).has_rung(heard));
            halls[3].arrive_at(2, turn);
            assert!(bell(2).has_rung(heard));
        }
        let heard = bell(3).listen();
        halls[1].publish(5, Span::EMPTY);
        assert!(!bell(3).has_rung(heard), "nobody has called");
        halls[3].call(1);
        halls[0].publish(6, Span::EMPTY);
        assert!(!bell(3).has_rung(heard), "another was called");
        halls[1].publish(7, Span::EMPTY);
        assert!(bell(3).has_rung(heard));
        let heard = bell(3).listen();
        halls[1].publish(8, Span::EMPTY);
        assert!(!bell(3).has_rung(heard), "once");
    }
}
