//! One look at a job: what each rank does, by what it leaves to be seen.

use super::Live;
use super::stories::Stories;
use crate::host::life::{self, Visit};
use crate::machine::map;
use crate::mpi::process::Process;
use crate::mpi::world::World;
use crate::view::{Frame, Scene};
use std::sync::atomic::Ordering;

/// What colours mean.
const KINDS: [&str; 8] = [
    "computes",
    "waits for messages",
    "waits in a collective",
    "waits in another call",
    "recovers",
    "takes a checkpoint",
    "has not called MPI",
    "is done",
];
const COMPUTES: u8 = 0;
const MESSAGES: u8 = 1;
const COLLECTIVE: u8 = 2;
const OTHER: u8 = 3;
const RECOVERS: u8 = 4;
const CHECKPOINT: u8 = 5;
const OUTSIDE: u8 = 6;
const DONE: u8 = 7;

pub(super) struct Sight {
    live: &'static Live,
    seats: Vec<Seat>,
    pub(super) places: Vec<[f32; 2]>,
    /// How many had moved when the places were looked up.
    moves: usize,
}

/// What has been counted in a seat.
#[derive(Clone, Copy, Default)]
struct Seat {
    collectives: Count,
    wakings: Count,
}

/// A number that begins anew now and then, with a rank or its communicator.
#[derive(Clone, Copy, Default)]
struct Count {
    before: u64,
    now: u32,
}

impl Count {
    fn see(&mut self, now: u32) {
        if now < self.now {
            self.before += u64::from(self.now);
        }
        self.now = now;
    }

    fn all(self) -> u64 {
        self.before + u64::from(self.now)
    }
}

impl Sight {
    pub(super) fn new(live: &'static Live) -> Sight {
        let seats = vec![Seat::default(); live.world.size()];
        Sight { live, seats, places: places(live.world), moves: 0 }
    }

    pub(super) fn world(&self) -> &'static World {
        self.live.world
    }

    pub(super) fn scene(&self) -> Scene {
        let ranks = self.seats.len();
        Scene {
            title: format!("{}, {ranks} {}", program(), if ranks == 1 { "rank" } else { "ranks" }),
            places: self.places.clone(),
            dot: "rank",
            unit: "ms",
            kinds: KINDS.to_vec(),
            mark: "not its first life",
            has_deaths: true,
            series: vec!["collectives", "wake-ups", "alive", "failures", "recoveries"],
            ..Scene::default()
        }
    }

    /// Whether ranks sit elsewhere, after so many have moved.
    pub(super) fn has_moved(&mut self, moves: usize) -> bool {
        if moves == self.moves {
            return false;
        }
        self.moves = moves;
        let before = std::mem::replace(&mut self.places, places(self.live.world));
        before != self.places
    }

    pub(super) fn frame(&mut self, state: &'static str, stories: &Stories) -> Frame {
        let world = self.live.world;
        let late = match world.epoch() > 0 && world.awaited_since().is_some() {
            true => Some(world.latecomers(std::time::Duration::ZERO)),
            false => None,
        };
        let count = self.seats.len();
        let (mut colours, mut alive) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut marks = Vec::new();
        for number in 0..count {
            let rank = life::living(number);
            let is_finished = self.live.finished[number].load(Ordering::Relaxed);
            let has_come = |rank: &Visit| {
                let is_it = |member: &crate::base::Member| member.seat == rank.seat;
                late.as_ref().is_some_and(|late| !late.iter().any(is_it))
            };
            if let Some(rank) = &rank {
                self.count(rank);
            }
            let life = life::incarnation(number);
            if life.is_some_and(|life| life > 0) {
                marks.push(number as u32);
            }
            colours.push(match &rank {
                Some(rank) => kind(rank, || has_come(rank)),
                None if is_finished => DONE,
                None => OUTSIDE,
            });
            alive.push(rank.is_some() || is_finished || life.is_none());
        }
        let sum = |of: fn(&Seat) -> Count| self.seats.iter().map(|seat| of(seat).all()).sum();
        let [collectives, wakings]: [u64; 2] = [sum(|it| it.collectives), sum(|it| it.wakings)];
        let living = alive.iter().filter(|&&is_alive| is_alive).count() as u64;
        let series = [collectives, wakings, living, stories.failures, stories.generation];
        Frame {
            tick: world.age().as_millis() as u64,
            state,
            series: series.map(|value| value as f64).to_vec(),
            colours,
            alive,
            marks,
            ..Frame::default()
        }
    }

    fn count(&mut self, rank: &Visit) {
        let Some(process) = rank.lodger::<Process>() else { return };
        let seat = &mut self.seats[rank.seat];
        seat.wakings.see(process.engine.wakings());
        if let Some(count) = process.collectives() {
            seat.collectives.see(count);
        }
    }

    /// How many collective operations and wake-ups there were in a seat.
    pub(super) fn counted(&self, seat: usize) -> [u64; 2] {
        let Seat { collectives, wakings } = self.seats[seat];
        [collectives.all(), wakings.all()]
    }
}

fn kind(rank: &Visit, recovers: impl Fn() -> bool) -> u8 {
    let Some(process) = rank.lodger::<Process>() else { return OUTSIDE };
    if process.phases.has_left() {
        return DONE;
    }
    match process.engine.asleep_in() {
        None => COMPUTES,
        Some(_) if recovers() => RECOVERS,
        Some(call) => kind_of(call),
    }
}

/// What a call waits for, as a rule.
fn kind_of(call: &str) -> u8 {
    const OF_MESSAGES: [&str; 15] = [
        "Send", "Ssend", "Bsend", "Rsend", "Recv", "Isend", "Irecv", "Wait", "Test", "Probe",
        "Mprobe", "Mrecv", "Iprobe", "Improbe", "Start",
    ];
    const COLLECTIVES: [&str; 11] = [
        "Barrier",
        "Bcast",
        "Gather",
        "Scatter",
        "Allgather",
        "Alltoall",
        "Reduce",
        "Allreduce",
        "Scan",
        "Exscan",
        "Neighbor_",
    ];
    if call.starts_with("FTCK_") {
        return CHECKPOINT;
    }
    let name = call.strip_prefix("MPI_").unwrap_or(call);
    let is_of = |names: &[&str]| names.iter().any(|known| name.starts_with(known));
    match () {
        () if is_of(&OF_MESSAGES) => MESSAGES,
        () if is_of(&COLLECTIVES) => COLLECTIVE,
        () => OTHER,
    }
}

fn places(world: &World) -> Vec<[f32; 2]> {
    match world.berths() {
        Some(berths) => berths.map(),
        None => map::square(world.size()),
    }
}

/// The program, by its file's name.
fn program() -> String {
    let words = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let first = words.split(|byte| *byte == 0).next().unwrap_or_default();
    let name = first.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_apart_by_what_they_wait_for() {
        for (call, kind) in [
            ("MPI_Recv", MESSAGES),
            ("MPI_Waitall", MESSAGES),
            ("MPI_Sendrecv_c", MESSAGES),
            ("MPI_Allreduce", COLLECTIVE),
            ("MPI_Reduce_scatter", COLLECTIVE),
            ("MPI_Comm_dup", OTHER),
            ("MPI_Finalize", OTHER),
            ("FTCK_Checkpoint", CHECKPOINT),
        ] {
            assert_eq!(kind_of(call), kind, "{call}");
        }
    }

    #[test]
    fn what_begins_anew_is_counted_on() {
        let mut count = Count::default();
        [3, 5, 5, 2, 4].into_iter().for_each(|now| count.see(now));
        assert_eq!(count.all(), 9);
    }
}
