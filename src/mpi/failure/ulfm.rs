//! User Level Failure Mitigation (ULFM): failed groups, acknowledgement, revocation, agreement,
//! shrink.
//!
//! All living members of a communicator take part in an agreement (see
//! `engine::shared::agreement`). Neither revocation nor deaths, before or during it, prevent it.

use crate::base::Member;
use crate::base::roll::Roll;
use crate::engine::{Matter, Purpose};
use crate::fault::enumerate;
use crate::fault::{Decision, Value};
use crate::host::memory::{Region, Span};
use crate::mpi::comm::group::Group;
use crate::mpi::comm::prepared::Draft;
use crate::mpi::comm::{Comm, Contexts};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::Held;
use crate::mpi::p2p::outcome::news;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

/// Whether a member has revoked `comm`.
pub fn is_revoked(process: &Process, comm: &Comm) -> bool {
    process.world.tell_whether_revoked(comm.context(), process.me)
}

/// Fails on a revoked communicator.
pub fn must_not_be_revoked(process: &Process, comm: &Comm) -> Result {
    match is_revoked(process, comm) {
        true => Err(crate::mpi::p2p::outcome::revoked()),
        false => Ok(()),
    }
}

/// A handle of the group of members that are known to be dead, in the order that all see.
pub fn failed(process: &Process, comm: &Comm) -> Result<usize> {
    let dead = deaths(process, comm).into_iter().map(|(_, member)| member);
    process.make_group(&comm.group, dead.collect())
}

/// A handle of the group of members whose deaths this rank has acknowledged.
pub fn acknowledged(process: &Process, comm: &Comm) -> Result<usize> {
    let count = comm.tally.acknowledged.load(Ordering::Relaxed) as usize;
    let dead = deaths(process, comm).into_iter().map(|(_, member)| member);
    process.make_group(&comm.group, dead.take(count).collect())
}

/// Whether a member has died without this rank having acknowledged it.
pub fn has_unacknowledged(process: &Process, comm: &Comm) -> bool {
    let acknowledged = comm.tally.acknowledged.load(Ordering::Relaxed) as usize;
    deaths(process, comm).len() > acknowledged
}

/// Acknowledges the deaths of the first `count` of those in the group of [`failed`], or of
/// all if there are fewer; returns how many are acknowledged now.
pub fn acknowledge(process: &Process, comm: &Comm, count: usize) -> u32 {
    let deaths = deaths(process, comm);
    let count = count.min(deaths.len());
    if let Some((number, _)) = deaths[..count].last() {
        let known = count as u32;
        let before = comm.tally.acknowledged.fetch_max(known, Ordering::Relaxed);
        if before < known {
            process.engine.acknowledge(comm.context(), *number);
        }
    }
    comm.tally.acknowledged.load(Ordering::Relaxed)
}

/// The dead members of `comm`, with the number of each death in the job's order.
fn deaths(process: &Process, comm: &Comm) -> Vec<(usize, Member)> {
    let everyone = comm.everyone();
    let deaths = (1..).zip(process.world.deaths_since(0));
    deaths.filter(|(_, member)| everyone.rank_of(*member).is_some()).collect()
}

/// One agreement of all members of a communicator.
struct Round {
    comm: Held<Comm>,
    matter: Matter,
    /// All members in an order that all find: between two groups, the one with the first seat among
    /// their first members comes first.
    everyone: Arc<Roll>,
    /// Whether the own group is the second.
    is_second: bool,
}

impl Round {
    /// The next one on `comm`.
    fn next(process: &Process, comm: &Held<Comm>, purpose: Purpose) -> Round {
        let first = |group: &Group| group.member(0).expect("no group of a communicator is empty");
        let (mine, theirs) = (&comm.group, comm.peers());
        let is_second = first(mine).seat > first(theirs).seat;
        let everyone = match (comm.is_inter(), is_second) {
            (false, _) => mine.members().collect(),
            (true, false) => mine.members().chain(theirs.members()).collect(),
            (true, true) => theirs.members().chain(mine.members()).collect(),
        };
        let number = comm.tally.agreements.fetch_add(1, Ordering::Relaxed);
        let (comm, everyone) = (comm.clone(), process.world.enrol(everyone));
        let matter = Matter { purpose, of: comm.matter(), number };
        Round { comm, matter, everyone, is_second }
    }

    /// Contributes `value`, and waits for what all decide.
    async fn decide(
        &self, process: &'static Process, value: Value, way: Way,
    ) -> Result<Arc<Decision>> {
        let engine = &process.engine;
        let op = engine.start_agreement(self.matter, self.everyone.members(), value)?;
        let outcome = match way {
            Way::Blocking => engine.wait(op)?,
            Way::Nonblocking(run) => {
                poll_fn(|_| engine.ended_for(op, run).map_or(Poll::Pending, Poll::Ready)).await
            }
        };
        news(&outcome)?;
        Ok(engine.decision(self.matter)?)
    }

    /// Agrees on the AND of all flags; between two groups, of those of the other one.
    async fn agree(&self, process: &'static Process, flag: i32, way: Way) -> Result<(i32, Result)> {
        let acknowledged = self.comm.tally.acknowledged.load(Ordering::Relaxed);
        let half = |is_upper: bool| if is_upper { 32 } else { 0 };
        let own = half(self.is_second);
        let flags = u64::from(flag as u32) << own | !(u64::from(u32::MAX) << own);
        let decision =
            self.decide(process, Value { flags, acknowledged, ..Value::NEUTRAL }, way).await?;
        let agreed = decision.value.flags >> half(self.comm.is_inter() != self.is_second);
        Ok((agreed as u32 as i32, self.verdict(process, &decision)))
    }

    /// Fails if a member is dead and not all members have acknowledged that.
    fn verdict(&self, process: &Process, decision: &Decision) -> Result {
        if decision.dead.is_empty() {
            return Ok(());
        }
        let place = |member: Member| self.everyone.place(member).map(|place| place as usize);
        let deaths = process.world.deaths_since(0).into_iter().filter_map(place);
        if decision.is_acknowledged(&deaths.collect::<Vec<usize>>()) {
            return Ok(());
        }
        let mut seats: Vec<usize> =
            decision.dead.iter().map(|who| self.everyone.members()[*who].seat).collect();
        seats.sort_unstable();
        let words = format!(
            "not all processes have acknowledged the failure of {} of {} (ranks in the job)",
            enumerate(&seats),
            self.comm.title()
        );
        Err(Class::PROC_ABORTED.because(words))
    }

    /// Agrees on the survivors, and makes the draft of a communicator of them.
    async fn shrink(&self, process: &'static Process, way: Way) -> Result<Draft<'static>> {
        let drawn = Contexts { own: process.world.fresh_context(), local: self.fresh(process) };
        let most = u64::from(drawn.own) << 32 | u64::from(drawn.local);
        let decision = self.decide(process, Value { most, ..Value::NEUTRAL }, way).await?;
        let present = decision.present(self.everyone.members().len());
        let is_left = |member: &Member| {
            self.everyone.place(*member).is_some_and(|place| present[place as usize])
        };
        let left = |group: &Group| {
            let members = group.members().filter(is_left).collect();
            Arc::new(process.derive_group(&self.comm.group, members))
        };
        let own = (decision.value.most >> 32) as u32;
        let contexts = Contexts { own, local: decision.value.most as u32 };
        let draft = Draft::child(&self.comm, own, left(&self.comm.group));
        if !self.comm.is_inter() {
            return Ok(draft);
        }
        let remote = left(self.comm.peers());
        if remote.is_empty() {
            let words = "no process of the remote group is left";
            return Err(Class::PROC_ABORTED.because(words));
        }
        Ok(draft.between(contexts, remote))
    }

    fn fresh(&self, process: &Process) -> u32 {
        if self.comm.is_inter() { process.world.fresh_context() } else { 0 }
    }
}

/// Agrees on the AND of all members' flags. It is set although the agreement fails, which it does
/// for all alike.
pub fn agree(process: &'static Process, comm: &Held<Comm>, flag: i32) -> Result<(i32, Result)> {
    run::block(Round::next(process, comm, Purpose::Flag).agree(process, flag, Way::Blocking))
}

/// Starts to agree; the flag goes to `into` in the end. Returns the handle of the request.
pub fn start_agree(
    process: &'static Process, comm: &Held<Comm>, flag: i32, into: Region,
) -> Result<usize> {
    let round = Round::next(process, comm, Purpose::Flag);
    run::request(process, comm, move |way| async move {
        let (agreed, verdict) = round.agree(process, flag, way).await?;
        crate::host::memory::transfer(&Span::of(&agreed.to_ne_bytes()).into(), &into)
            .map_err(|fault| Failure::from(process.engine.suffer(fault.address)))?;
        verdict
    })
}

/// A communicator of the living members of `comm`, in their order; returns its handle.
pub fn shrink(process: &'static Process, comm: &Held<Comm>) -> Result<usize> {
    let round = Round::next(process, comm, Purpose::Shrink);
    let draft = run::block(round.shrink(process, Way::Blocking))?;
    draft.make(process).map(|made| made.handle)
}

/// Starts to make one. Returns its handle, which leads nowhere until the request has ended well,
/// and that of the request.
pub fn start_shrink(process: &'static Process, comm: &Held<Comm>) -> Result<(usize, usize)> {
    let round = Round::next(process, comm, Purpose::Shrink);
    let vacant = Draft::child(comm, Contexts::NONE.own, comm.group.clone()).make(process)?;
    let handle = vacant.handle;
    let request = run::request(process, comm, move |way| async move {
        match round.shrink(process, way).await {
            Ok(draft) => {
                let made = draft.build(process, handle);
                process.comms.replace(handle, Arc::new(made));
                Ok(())
            }
            Err(failure) => {
                process.comms.remove(handle);
                Err(failure)
            }
        }
    })?;
    Ok((handle, request))
}
