//! The last column of the counters: what a run is about, in a number.

use ftmpi_sim::foreign::natural::Foreign;
use ftmpi_sim::natural::max::Max;
use ftmpi_sim::natural::poisson::{Off, Poisson, Truth};
use ftmpi_sim::natural::{Application, Row, World};
use std::cell::RefCell;

pub(crate) trait Track<A: Application> {
    fn name(&self) -> &'static str;

    /// The number, now. On the way `see` is shown all nodes: whoever wants to look at them as well
    /// does so while they are at hand.
    fn of(&self, world: &World<A>, see: &mut dyn FnMut(&Row<'_, A>)) -> f64;
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

/// How far they are from what the paper's border leads to.
impl Track<Poisson> for Truth {
    fn name(&self) -> &'static str {
        "error against x² − y²"
    }

    fn of(&self, world: &World<Poisson>, see: &mut dyn FnMut(&Row<'_, Poisson>)) -> f64 {
        let mut off = Off::default();
        for row in world.rows() {
            see(&row);
            self.add(&mut off, row.first, row.nodes().map(|state| state.map(|state| state.value)));
        }
        off.rms()
    }
}

/// By how much nodes change in a tick (the root of the mean square, over the survivors): where
/// nobody knows what they should come to, that says how near to rest they are.
#[derive(Default)]
pub(crate) struct Residual(RefCell<Before>);

/// What was the last time that somebody asked.
#[derive(Default)]
struct Before {
    tick: u64,
    values: Vec<f64>,
    residual: f64,
}

impl Track<Poisson> for Residual {
    fn name(&self) -> &'static str {
        "residual"
    }

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
