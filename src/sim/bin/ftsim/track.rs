//! The last column of the counters: one number that tracks the goal of the run.

use ftmpi_sim::foreign::natural::Foreign;
use ftmpi_sim::natural::max::Max;
use ftmpi_sim::natural::poisson::{Off, Poisson, Truth};
use ftmpi_sim::natural::rate::Rate;
use ftmpi_sim::natural::{Application, Row, World};
use std::cell::{Cell, RefCell};

pub(crate) trait Track<A: Application> {
    fn name(&self) -> &'static str;

    /// The current number. On the way `see` is shown all nodes, so that other code can look at them
    /// while they are in the cache.
    fn of(&self, world: &World<A>, see: &mut dyn FnMut(&Row<'_, A>)) -> f64;

    /// Whether computing it takes little time compared to a tick.
    fn is_quick(&self) -> bool {
        false
    }

    /// Some ticks have passed.
    fn look(&self, _: &World<A>) {}

    /// The border has moved away from its first place, or back to it.
    fn border_moved(&self, _: bool) {}
}

/// How many nodes know the largest value.
pub(crate) struct Known;

impl Track<Max> for Known {
    fn name(&self) -> &'static str {
        "who know it"
    }

    fn of(&self, world: &World<Max>, see: &mut dyn FnMut(&Row<'_, Max>)) -> f64 {
        world.rows().for_each(|row| see(&row));
        let spread = world.spread();
        (spread.survivors - spread.unknowing) as f64
    }

    fn is_quick(&self) -> bool {
        true
    }
}

/// How far nodes are from the solution for the paper's border, as long as that is their border;
/// otherwise how much they change in a tick, which tells how near to rest they are.
pub(crate) struct Progress {
    truth: Option<Truth>,
    is_moved: Cell<bool>,
    rate: RefCell<Rate>,
}

impl Progress {
    pub(crate) fn new(truth: Option<Truth>) -> Progress {
        Progress { truth, is_moved: Cell::new(false), rate: RefCell::default() }
    }

    fn truth(&self) -> Option<&Truth> {
        self.truth.as_ref().filter(|_| !self.is_moved.get())
    }

    /// The factor by which changes shrink with each tick.
    pub(crate) fn factor(&self, tolerance: f64) -> Option<f64> {
        self.rate.borrow().factor(tolerance)
    }
}

impl Track<Poisson> for Progress {
    fn name(&self) -> &'static str {
        if self.truth().is_some() { "error against x² − y²" } else { "residual" }
    }

    fn of(&self, world: &World<Poisson>, see: &mut dyn FnMut(&Row<'_, Poisson>)) -> f64 {
        match self.truth() {
            Some(truth) => error(truth, world, see),
            None => world.residual(see),
        }
    }

    fn look(&self, world: &World<Poisson>) {
        self.rate.borrow_mut().look(world);
    }

    fn border_moved(&self, is_moved: bool) {
        self.is_moved.set(is_moved);
    }
}

/// The root of the mean square error, over the survivors inside.
pub(crate) fn error(
    truth: &Truth, world: &World<Poisson>, see: &mut dyn FnMut(&Row<'_, Poisson>),
) -> f64 {
    let mut off = Off::default();
    for row in world.rows() {
        see(&row);
        truth.add(&mut off, row.first, row.nodes().map(|state| state.map(|state| state.value)));
    }
    off.rms()
}

/// How often a node has been told of a death.
pub(crate) struct Notices;

impl Track<Foreign> for Notices {
    fn name(&self) -> &'static str {
        "notices of deaths"
    }

    fn of(&self, world: &World<Foreign>, see: &mut dyn FnMut(&Row<'_, Foreign>)) -> f64 {
        world.rows().for_each(|row| see(&row));
        world.counters().notices as f64
    }

    fn is_quick(&self) -> bool {
        true
    }
}
