//! What one-sided calls take in virtual time. Their data move at once, as in any run; the time is
//! that of messages of their lengths, in which targets take no part: a put goes to the target and
//! is acknowledged, a get is a question and its answer. Calls that complete accesses wait for
//! these.
//!
//! Members are named by their seats.

use crate::engine::Engine;
use crate::host::clock;
use crate::mpi::error::Result;
use crate::transport::{SimulatedNetwork, Transfers};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// What one member of a window has under way.
pub struct Traffic {
    network: &'static SimulatedNetwork,
    me: usize,
    targets: Mutex<FxHashMap<usize, UnderWay>>,
}

/// What is under way to and from one target.
#[derive(Clone, Default)]
struct UnderWay {
    /// On their way there.
    stores: Transfers,
    /// That they have come.
    acknowledgements: Transfers,
    loads: Transfers,
    last_load: Transfers,
}

impl UnderWay {
    fn complete_here(&self, engine: &Engine) -> Result {
        Ok(engine.await_transfers(&self.loads)?)
    }

    fn complete(&self, engine: &Engine) -> Result {
        self.complete_here(engine)?;
        Ok(engine.await_transfers(&self.acknowledgements)?)
    }

    fn is_nothing(&self) -> bool {
        [&self.stores, &self.acknowledgements, &self.loads].iter().all(|some| some.are_over())
    }
}

impl Traffic {
    pub fn new(network: &'static SimulatedNetwork, me: usize) -> Traffic {
        Traffic { network, me, targets: Mutex::default() }
    }

    /// So many bytes go to the target.
    pub fn store(&self, target: usize, bytes: usize) {
        let Some(under_way) = self.turn_to(target) else { return };
        let arrival = Transfers::default();
        self.network.bring(&arrival, (self.me, target), bytes as u64);
        let has_come = under_way.stores.hold();
        let is_acknowledged = under_way.acknowledgements.hold();
        let (network, way_back) = (self.network, (target, self.me));
        arrival.then(move || {
            has_come();
            let acknowledgement = Transfers::default();
            network.bring(&acknowledgement, way_back, 0);
            acknowledgement.then(is_acknowledged);
        });
    }

    /// So many bytes go to the target, and so many come back.
    pub fn load(&self, target: usize, bytes: usize, back: usize) {
        let Some(under_way) = self.turn_to(target) else { return };
        let load = Transfers::default();
        self.network.ask(&load, (self.me, target), bytes as u64, back as u64);
        load.then(under_way.loads.hold());
        self.targets.lock().entry(target).or_default().last_load = load;
    }

    /// What has been loaded last, if it is still under way.
    pub fn last_load(&self, target: usize) -> Option<Transfers> {
        let last = self.targets.lock().get(&target)?.last_load.clone();
        (!last.are_over()).then_some(last)
    }

    /// Calls `hear` when a message has come to the target, and all that was stored there before.
    pub fn tell(&self, target: usize, hear: impl FnOnce() + Send + 'static) {
        let Some(under_way) = self.turn_to(target) else { return hear() };
        self.network.bring(&under_way.stores, (self.me, target), 0);
        under_way.stores.then(hear);
        // What is stored from now on does not hold this message up.
        self.targets.lock().entry(target).or_default().stores = Transfers::default();
    }

    /// Waits until messages have come to these targets, behind what was stored there.
    pub fn reach(&self, engine: &Engine, targets: impl Iterator<Item = usize>) -> Result {
        let knock = |target| {
            let stores = self.turn_to(target)?.stores;
            self.network.bring(&stores, (self.me, target), 0);
            Some(stores)
        };
        let reached: Vec<Transfers> = targets.filter_map(knock).collect();
        reached.iter().try_for_each(|stores| Ok(engine.await_transfers(stores)?))
    }

    /// Waits until these targets have answered, and all accesses to them are complete.
    pub fn hear(&self, engine: &Engine, targets: impl Iterator<Item = usize> + Clone) -> Result {
        let answers = Transfers::default();
        for target in targets.clone().filter(|target| *target != self.me) {
            self.network.bring(&answers, (target, self.me), 0);
        }
        engine.await_transfers(&answers)?;
        targets.into_iter().try_for_each(|target| self.complete(engine, Some(target)))
    }

    /// Waits until accesses to this target, or to all, are complete.
    pub fn complete(&self, engine: &Engine, target: Option<usize>) -> Result {
        self.each(target, |under_way| under_way.complete(engine))?;
        self.targets.lock().retain(|_, under_way| !under_way.is_nothing());
        Ok(())
    }

    /// Waits until accesses to this target, or to all, are complete at this end.
    pub fn complete_here(&self, engine: &Engine, target: Option<usize>) -> Result {
        self.each(target, |under_way| under_way.complete_here(engine))
    }

    fn each(&self, target: Option<usize>, wait: impl Fn(&UnderWay) -> Result) -> Result {
        let targets = self.targets.lock();
        let meant: Vec<UnderWay> = match target {
            Some(target) => targets.get(&target).cloned().into_iter().collect(),
            None => targets.values().cloned().collect(),
        };
        drop(targets);
        meant.iter().try_for_each(wait)
    }

    /// A message goes to the target, unless that is the caller itself.
    fn turn_to(&self, target: usize) -> Option<UnderWay> {
        if target == self.me {
            return None;
        }
        clock::pass_picos(self.network.overheads().send);
        Some(self.targets.lock().entry(target).or_default().clone())
    }
}
