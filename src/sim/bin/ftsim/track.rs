//! The last column of the counters: what a run is about, in a number.

use ftmpi_sim::foreign::natural::Foreign;
use ftmpi_sim::natural::max::Max;
use ftmpi_sim::natural::poisson::{Off, Poisson, Truth};
use ftmpi_sim::natural::{Application, Row, World};

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

/// How far they are from it.
impl Track<Poisson> for Truth {
    fn name(&self) -> &'static str {
        "error"
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
