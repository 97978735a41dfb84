//! Communicators that are made again after a recovery, under CONT: the program makes the same ones
//! in the same order as before, and what is under way on the old ones goes on on the new.
//!
//! Each member finds out by itself which one has become which: it counts those that it makes.

use crate::engine::Moved;
use crate::engine::shared::rules::MsgMode;
use crate::mpi::comm::{Comm, Contexts};
use crate::mpi::error::Result;
use crate::mpi::failure::{abroad, attributes};
use crate::mpi::process::Process;

fn goes_on(process: &Process, comm: &Comm) -> bool {
    attributes::modes(process, comm).is_some_and(|modes| modes.msg == MsgMode::Cont)
        && !abroad::reaches_out(process, comm)
}

/// The place of `comm`, which is being made, among those of its generation.
pub(in crate::mpi) fn place(process: &Process, comm: &Comm) -> usize {
    if !goes_on(process, comm) {
        return 0;
    }
    let mut lineage = process.lineage.lock();
    lineage.made.push(None);
    lineage.made.len() - 1
}

/// The context of `comm` is known, if it is: what was under way where it stood before goes on.
pub(in crate::mpi) fn is_known(process: &Process, comm: &Comm) -> Result {
    let (order, to) = (comm.order, comm.context());
    if to == Contexts::NONE.own || !comm.is_of_a_generation() || !goes_on(process, comm) {
        return Ok(());
    }
    let mut lineage = process.lineage.lock();
    if let Some(made) = lineage.made.get_mut(order) {
        *made = Some(to);
    }
    let before = lineage.before.get_mut(order).and_then(Option::take);
    drop(lineage);
    if let Some(from) = before {
        let moved = Moved { from, to, roster: comm.roster(), is_cont: true };
        process.engine.follow(moved)?;
    }
    Ok(())
}
