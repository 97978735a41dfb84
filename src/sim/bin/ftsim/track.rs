//! The last column of the counters: what a run is about, in a number.

use crate::rate::Rate;
use ftmpi_sim::foreign::natural::Foreign;
use ftmpi_sim::natural::max::Max;
use ftmpi_sim::natural::poisson::{Off, Poisson, Truth};
use ftmpi_sim::natural::{Application, Row, World};
use std::cell::{Cell, RefCell};

pub(crate) trait Track<A: Application> {
    fn name(&self) -> &'static str;

    /// The number, now. On the way `see` is shown all nodes: whoever wants to look at them as well
    /// does so while they are at hand.
    fn of(&self, world: &World<A>, see: &mut dyn FnMut(&Row<'_, A>)) -> f64;

    /// Some ticks have gone by.
    fn look(&self, _: &World<A>) {}

    /// The border is another one than at the beginning, or the same again.
    fn border_moved(&self, _: bool) {}
}

/// How many know the largest value.
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
}

/// How far nodes are from what the paper's border leads to, as long as that is their border; else
/// how near to rest they are.
pub(crate) struct Progress {
    truth: Option<Truth>,
    residual: Residual,
    is_moved: Cell<bool>,
    rate: RefCell<Rate>,
}

impl Progress {
    pub(crate) fn new(truth: Option<Truth>) -> Progress {
        let (residual, rate) = (Residual::default(), RefCell::default());
        Progress { truth, residual, is_moved: Cell::new(false), rate }
    }

    fn truth(&self) -> Option<&Truth> {
        self.truth.as_ref().filter(|_| !self.is_moved.get())
    }

    /// By which factor changes become smaller with each tick.
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
            None => self.residual.of(world, see),
        }
    }

    fn look(&self, world: &World<Poisson>) {
        self.rate.borrow_mut().look(world);
    }

    fn border_moved(&self, is_moved: bool) {
        self.is_moved.set(is_moved);
    }
}

/// The root of the mean square of what is off, over the survivors inside.
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

/// By how much nodes change in a tick (the root of the mean square, over the survivors): where
/// nobody knows what they should come to, that says how near to rest they are.
#[derive(Default)]
struct Residual(RefCell<Before>);

/// What was the last time that somebody asked.
#[derive(Default)]
struct Before {
    tick: u64,
    values: Vec<f64>,
    residual: f64,
}

impl Residual {
    fn of(&self, world: &World<Poisson>, see: &mut dyn FnMut(&Row<'_, Poisson>)) -> f64 {
        let mut before = self.0.borrow_mut();
        let is_first = before.values.is_empty();
        before.values.resize(world.graph().nodes() as usize, 0.0);
        let (mut square, mut count) = (0.0, 0u32);
        for row in world.rows() {
            see(&row);
            let known = &mut before.values[row.first as usize..];
            for (state, last) in row.nodes().zip(known) {
                if let Some(state) = state {
                    square += (state.value - *last).powi(2);
                    count += 1;
                    *last = state.value;
                }
            }
        }
        let ticks = world.now() - before.tick;
        if is_first {
            (before.tick, before.residual) = (world.now(), 0.0);
        } else if ticks > 0 {
            before.tick = world.now();
            before.residual = (square / f64::from(count.max(1))).sqrt() / ticks as f64;
        }
        before.residual
    }
}

/// How often somebody has heard of a death.
pub(crate) struct Notices;

impl Track<Foreign> for Notices {
    fn name(&self) -> &'static str {
        "notices of deaths"
    }

    fn of(&self, world: &World<Foreign>, see: &mut dyn FnMut(&Row<'_, Foreign>)) -> f64 {
        world.rows().for_each(|row| see(&row));
        world.counters().notices as f64
    }
}
