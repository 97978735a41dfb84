//! Takes one frame of a job: what each rank is doing, from what it leaves visible.

use super::glance;
use super::shared::{Gone, Live};
use crate::engine::World;
use crate::host::life::{self, Visit};
use crate::machine::map;
use crate::mpi::process::Process;
use crate::transport::SimulatedNetwork;
use crate::view::{Frame, Image, Scene, Vacant};
use crate::watch::{self, Accounts, DONE, KINDS, OUTSIDE, Stories, WAITS};
use std::sync::atomic::Ordering;
use std::time::Instant;

pub(super) struct Sight {
    live: &'static Live,
    view: usize,
    seats: Vec<Seat>,
    pub(super) accounts: Accounts,
    pub(super) places: Vec<[f32; 2]>,
    /// The number of moves when the places were looked up.
    moves: usize,
}

/// The counts of a seat, which never decrease.
#[derive(Clone, Copy, Default)]
struct Seat {
    messages: u64,
    collectives: u64,
    wakings: u64,
    /// The last value of the bell's counter, which wraps around.
    rings: u32,
}

impl Seat {
    /// Adds up the ended incarnations and the living one, unless it is already among them.
    fn count(&mut self, gone: Gone, rank: Option<&Visit>) {
        let process = rank.and_then(|rank| rank.attached::<Process>());
        let (mut messages, mut collectives) = (gone.messages, gone.collectives);
        if let (Some(process), Some(rank)) = (process, rank) {
            let rings = process.engine.wakings();
            self.wakings += u64::from(rings.wrapping_sub(self.rings));
            self.rings = rings;
            if rank.incarnation >= gone.lives {
                messages += process.engine.sent();
                collectives += process.collectives();
            }
        }
        self.messages = self.messages.max(messages);
        self.collectives = self.collectives.max(collectives);
    }
}

impl Sight {
    pub(super) fn new(live: &'static Live) -> Sight {
        let count = live.world.size();
        let (seats, accounts) = (vec![Seat::default(); count], Accounts::new(count, KINDS.len()));
        Sight { live, view: 0, seats, accounts, places: places(live.world), moves: 0 }
    }

    pub(super) fn world(&self) -> &'static World {
        self.live.world
    }

    pub(super) fn scene(&self) -> Scene {
        let ranks = self.live.world.ranks();
        let scene = watch::of_ranks(&program(), ranks, self.places.clone(), self.view);
        let Some(berths) = self.live.world.berths() else { return scene };
        let vacant = berths.vacant().into_iter();
        let vacant =
            vacant.map(|(node, place, is_spare)| Vacant { node: node as u32, place, is_spare });
        Scene {
            grid: berths.dims().to_vec(),
            berths: berths.nodes().to_vec(),
            vacant: vacant.collect(),
            has_links: self.world().network().is_some_and(SimulatedNetwork::has_loads),
            ..scene
        }
    }

    /// Chooses a view.
    pub(super) fn choose(&mut self, name: &str) -> Result<&'static str, String> {
        let (view, name) = watch::choose(name)?;
        self.view = view;
        Ok(name)
    }

    /// Whether places have changed, given the number of moves so far.
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
        let mut dots = Vec::with_capacity(count);
        let gone = self.live.gone.lock().clone();
        let (mut marks, mut arrows) = (Vec::new(), Vec::new());
        let now = Instant::now();
        self.accounts.look(now);
        let asks = self.view == WAITS || self.accounts.are_shown(now);
        for (number, gone) in gone.into_iter().enumerate() {
            let rank = life::living(number);
            let is_finished = self.live.finished[number].load(Ordering::Relaxed);
            let has_come = |rank: &Visit| {
                let is_it = |member: &crate::base::Member| member.seat == rank.seat;
                late.as_ref().is_some_and(|late| !late.iter().any(is_it))
            };
            self.seats[number].count(gone, rank.as_ref());
            let process = rank.as_ref().and_then(|rank| rank.attached::<Process>());
            for awaited in process.filter(|_| asks).map(glance::awaited_by).unwrap_or_default() {
                self.accounts.note_awaited(number, awaited);
                arrows.extend((self.view == WAITS).then_some([number as u32, awaited]));
            }
            let life = life::incarnation(number);
            if life.is_some_and(|life| life > 0) {
                marks.push(number as u32);
            }
            let kind = match &rank {
                Some(rank) => Some(
                    process.map_or(OUTSIDE, |process| glance::kind(process, || has_come(rank))),
                ),
                None if is_finished => Some(DONE),
                None => life.is_none().then_some(OUTSIDE),
            };
            if let Some(kind) = kind {
                self.accounts.note(number, kind);
            }
            dots.push(kind);
        }
        let sum = |of: fn(&Seat) -> u64| self.seats.iter().map(of).sum::<u64>();
        let (messages, collectives) = (sum(|it| it.messages), sum(|it| it.collectives));
        let wakings = sum(|it| it.wakings);
        let image = Image::of(dots.into_iter());
        let living = image.living() as u64;
        let series = [messages, collectives, wakings, living, stories.failures, stories.generation];
        Frame {
            tick: world.age().as_millis() as u64,
            state,
            series: series.map(|value| value as f64).to_vec(),
            image,
            marks,
            arrows,
            ..Frame::default()
        }
    }

    /// The number of messages, collective operations and wake-ups in a seat.
    pub(super) fn counted(&mut self, seat: usize) -> [u64; 3] {
        let gone = self.live.gone.lock()[seat];
        let it = &mut self.seats[seat];
        it.count(gone, life::living(seat).as_ref());
        [it.messages, it.collectives, it.wakings]
    }
}

fn places(world: &World) -> Vec<[f32; 2]> {
    match world.berths() {
        Some(berths) => berths.map(),
        None => map::square(world.size()),
    }
}

/// The file name of the program.
fn program() -> String {
    let words = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let first = words.split(|byte| *byte == 0).next().unwrap_or_default();
    let name = first.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}
