//! The forms of a collective operation: blocking, nonblocking, persistent. All three carry out one
//! [`Plan`].

use super::afar::Afar;
use super::barrier::Barrier;
use super::blocks::again;
use super::claim::{self, Claim, Form, Kind};
use super::hall;
use super::levels::ByLevels;
use super::members::{AsRun, InPlace, Members};
use super::objection::object_at_first;
use super::plan::Plan;
use super::priced;
use super::select::{Crowd, Venue};
use super::uniform::unite_alike;
use crate::engine::{Drawn, Enrolment, Levels, Meeting};
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::handle_table::Held;
use crate::mpi::lane::Lane;
use crate::mpi::p2p::outcome::Pending;
use crate::mpi::p2p::status::Completed;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use std::borrow::Borrow;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Carries out the next collective operation of `comm`. The tag is drawn even when the arguments
/// are bad, so that the members stay in step. Out of line, so that both twins of a call share one
/// copy, of which the algorithm is a part.
#[inline(never)]
pub fn block<P: Plan>(process: &Process, comm: &Comm, plan: &Result<P>) -> Result {
    let tag = comm.next_collective(process);
    let plan = match plan {
        Ok(plan) => plan,
        Err(failure) => return Err(again(failure)),
    };
    // Dropped by hand, as there is seldom anything to drop.
    let lane = ManuallyDrop::new(Lane::of_call(process, comm, tag, 0, Way::Blocking));
    let outcome = block_on(plan, &lane);
    if outcome.is_ok() && lane.is_bare() {
        return Ok(());
    }
    let lane = ManuallyDrop::into_inner(lane);
    outcome.and_then(|()| lane.verdict())
}

#[inline(always)]
fn block_on(plan: &impl Plan, lane: &Lane<'_>) -> Result {
    let (meeting, membership) = lane.comm().meeting_and_membership(lane.process());
    let claim = || plan.claim().form(Form::Blocking);
    let mut crowd = Crowd::of_membership(membership, lane);
    let is_small = crowd.is_small();
    if !is_small {
        compare(lane, meeting, claim())?;
    }
    let (mut venue, mut algorithm) = plan.select(crowd);
    let claim = match is_small {
        true => compare_unless_shown(lane, meeting, venue, claim())?,
        false => None,
    };
    if venue == Venue::Wire {
        match block_on_wire(plan, lane, meeting)? {
            None => return Ok(()),
            Some(paid) => (crowd, venue, algorithm) = paid,
        }
    }
    if !lane.is_undisturbed() {
        look_closely(lane)?;
    }
    // Called here alone, so that it is a part of this function.
    let is_common = venue == Venue::Memory { all: true } && !crowd.is_small();
    let members = Members::<InPlace>::join(lane, meeting, crowd, is_common, claim);
    members.enter_here()?;
    run::block(plan.together(algorithm, &members))
}

/// Compares what this member has called, unless it will show that with its data: then each member
/// looks at what all others show. Returns what is still to be compared.
#[inline(always)]
fn compare_unless_shown(
    lane: &Lane<'_>, meeting: &Meeting, venue: Venue, claim: Claim,
) -> Result<Option<Claim>> {
    if venue == Venue::Lines {
        return Ok(Some(claim));
    }
    compare(lane, meeting, claim).map(|()| None)
}

#[inline(always)]
fn compare(lane: &Lane<'_>, meeting: &Meeting, claim: Claim) -> Result {
    let number = lane.number().0 as i32;
    claim::compare_at(meeting, lane.process(), lane.comm(), number, claim)
}

/// Fails if a failure forbids the operation.
#[cold]
#[inline(never)]
fn look_closely(lane: &Lane<'_>) -> Result {
    lane.look_round()?;
    object_at_first(lane)
}

/// How an operation whose time is paid is carried out, in shared memory.
type Paid<P> = (Crowd, Venue, <P as Plan>::Algorithm);

/// By messages, or what is left to do of an operation in virtual time. Out of line: the frame that
/// messages need would also cost operations in shared memory.
#[inline(never)]
fn block_on_wire<P: Plan>(plan: &P, lane: &Lane<'_>, meeting: &Meeting) -> Result<Option<Paid<P>>> {
    hall::agree(lane, || plan.claim())?;
    if lane.hall().is_some() {
        let most = meeting.levels().map(Levels::most);
        let crowd = most.map_or_else(|| Crowd::afar(lane), |most| Crowd::by_levels(lane, most));
        if let (Venue::Memory { all }, algorithm) = plan.select(crowd) {
            match most {
                None => block_afar(plan, lane, meeting, (crowd, all, algorithm))?,
                Some(_) => block_by_levels(plan, lane, meeting, (crowd, algorithm))?,
            }
            return Ok(None);
        }
    }
    match block_on_price(plan, lane)? {
        None => block_on_messages(plan, lane).map(|()| None),
        paid => Ok(paid),
    }
}

/// Out of line: in virtual time, a rank that waits in here is to need no second page of stack.
#[inline(never)]
fn block_on_messages<P: Plan>(plan: &P, lane: &Lane<'_>) -> Result {
    run::block(perform(plan, lane, None))
}

/// Out of line for the same reason.
#[inline(never)]
fn block_on_price<P: Plan>(plan: &P, lane: &Lane<'_>) -> Result<Option<Paid<P>>> {
    if !lane.is_priced() {
        return Ok(None);
    }
    lane.look_round()?;
    let crowd = priced::crowd(lane);
    let (venue, algorithm) = plan.select(crowd);
    let is_paid = venue != Venue::Wire && priced::spend_time(lane, plan.claim())?;
    Ok(is_paid.then_some((crowd, venue, algorithm)))
}

/// In memory that the members' processes share.
#[inline(never)]
fn block_afar<P: Plan>(
    plan: &P, lane: &Lane<'_>, meeting: &Meeting,
    (crowd, all, algorithm): (Crowd, bool, P::Algorithm),
) -> Result {
    if !lane.is_undisturbed() {
        look_closely(lane)?;
    }
    let members = Members::<Afar>::join(lane, meeting, crowd, all, None);
    members.enter_afar()?;
    run::block(plan.together(algorithm, &members))
}

/// In memory that the members' processes share, and that of each process.
#[inline(never)]
fn block_by_levels<P: Plan>(
    plan: &P, lane: &Lane<'_>, meeting: &Meeting, (crowd, algorithm): (Crowd, P::Algorithm),
) -> Result {
    if !lane.is_undisturbed() {
        look_closely(lane)?;
    }
    let members = Members::<ByLevels>::join(lane, meeting, crowd, true, None);
    run::block(plan.together(algorithm, &members))
}

/// In virtual time, lets pass what an operation takes that shared memory can carry out.
async fn pay<P: Plan>(plan: &P, lane: &Lane<'_>) -> Result<Option<Paid<P>>> {
    if !lane.is_priced() {
        return Ok(None);
    }
    lane.look_round()?;
    let crowd = priced::crowd(lane);
    let (venue, algorithm) = plan.select(crowd);
    let is_paid = venue != Venue::Wire && priced::take_time(lane, plan.claim()).await?;
    Ok(is_paid.then_some((crowd, venue, algorithm)))
}

/// Does this member's part, unless a member is known to be dead: then no member does.
/// `claim`: what it has called, if that is still to be compared.
async fn perform(plan: &impl Plan, lane: &Lane<'_>, claim: Option<Claim>) -> Result {
    let outcome = attempt(plan, lane, claim).await;
    match lane.is_atomic() && plan.claim().is_agreed_on() {
        false => outcome,
        true => Box::pin(lane.settle(outcome)).await,
    }
}

async fn attempt(plan: &impl Plan, lane: &Lane<'_>, claim: Option<Claim>) -> Result {
    lane.look_round()?;
    // Boxed, as what messages need is not to take up memory where there are none.
    let paid = if lane.is_priced() { Box::pin(pay(plan, lane)).await? } else { None };
    let (crowd, venue, algorithm) = paid.unwrap_or_else(|| {
        let crowd = Crowd::of(lane);
        let (venue, algorithm) = plan.select(crowd);
        (crowd, venue, algorithm)
    });
    match venue {
        Venue::Wire => Box::pin(plan.by_messages(algorithm, lane)).await?,
        venue => {
            let all = venue != Venue::Memory { all: false };
            let members = Members::<AsRun>::come(lane, crowd, all, claim).await?;
            plan.together(algorithm, &members).await?;
        }
    }
    lane.verdict()
}

/// Starts the next collective operation of `comm`; returns the handle of its request.
pub fn start<P: Plan>(
    process: &'static Process, comm: &Held<Comm>, plan: Result<P>,
) -> Result<usize> {
    let tag = comm.next_collective(process);
    let drawn = comm.draw(process, tag);
    let plan = plan?;
    let claim = compare_first(process, comm, tag, &plan)?;
    let pending = launch::<P>(process, comm.clone(), (tag, 0), drawn, plan, claim)?;
    process.requests.keep(comm, pending)
}

/// Compares what a member calls that starts an operation, unless it will show that with its data.
fn compare_first<P: Plan>(
    process: &'static Process, comm: &Comm, tag: i32, plan: &P,
) -> Result<Option<Claim>> {
    // Whether it will does not depend on the form.
    let lane = Lane::of_call(process, comm, tag, 0, Way::Blocking);
    let (venue, _) = plan.select(Crowd::of(&lane));
    let claim = plan.claim().form(Form::Nonblocking);
    compare_unless_shown(&lane, lane.comm().meeting(process), venue, claim)
}

/// Prepares the next collective operation of `comm`; returns the handle of a request that starts
/// it. Members may start several such operations in different orders, so the tag is drawn here: all
/// repetitions of one operation use it, and follow one another.
pub fn persist<P: Plan>(
    process: &'static Process, comm: &Held<Comm>, plan: Result<P>,
) -> Result<usize> {
    let tag = comm.next_collective(process);
    let plan = plan?;
    claim::compare(process, comm, tag, plan.claim().form(Form::Persistent))?;
    let (plan, on, rounds) = (Arc::new(plan), comm.clone(), AtomicU32::new(0));
    let enrolment = comm.enrol_again(process, tag);
    let restart = move || {
        let round = rounds.fetch_add(1, Ordering::Relaxed);
        let drawn = enrolment.as_ref().map(Enrolment::draw_next);
        launch::<P>(process, on.clone(), (tag, round), drawn, plan.clone(), None)
    };
    process.requests.keep_persistent(comm, Arc::new(restart))
}

/// Starts the next collective operation of `comm` in this form; `then` makes a status of what came
/// of it. Returns the handle of its request.
pub(in crate::mpi) fn start_with_status<P: Plan>(
    process: &'static Process, comm: &Held<Comm>, form: Form, plan: Result<P>,
    then: impl FnOnce(P, Result) -> Result<Completed> + Send + 'static,
) -> Result<usize> {
    let tag = comm.next_collective(process);
    let drawn = comm.draw(process, tag);
    let plan = plan?;
    claim::compare(process, comm, tag, plan.claim().form(form))?;
    let on = comm.clone();
    let pending = run::start_with_status(process, |way| async move {
        let lane = Lane::of_call(process, &on, tag, 0, way).drawn_as(drawn.as_ref());
        let outcome = perform(&plan, &lane, None).await;
        then(plan, outcome)
    })?;
    process.requests.keep(comm, pending)
}

fn launch<P: Plan>(
    process: &'static Process, comm: Held<Comm>, (tag, round): (i32, u32), drawn: Option<Drawn>,
    plan: impl Borrow<P> + Send + 'static, claim: Option<Claim>,
) -> Result<Pending> {
    run::start_whole(process, |way| async move {
        let lane = Lane::of_call(process, &comm, tag, round, way).drawn_as(drawn.as_ref());
        let outcome = perform(plan.borrow(), &lane, claim).await;
        run::ended(process, way, outcome)
    })
}

/// A blocking lane for the next collective operation of `comm`, as part of a larger call.
pub(in crate::mpi) fn lane<'a>(
    process: &'a Process, comm: &'a Comm, kind: Kind,
) -> Result<Lane<'a>> {
    let tag = comm.next_collective(process);
    let claim = Claim::of(kind);
    claim::compare(process, comm, tag, claim)?;
    Ok(Lane::new(process, comm, tag, Way::Blocking).calling(claim.call()))
}

/// Returns when every member has reached the end of MPI.
pub fn part(process: &Process, comm: &Comm) -> Result {
    block(process, comm, &Barrier::of(Kind::Finalize))
}

/// Returns when every member of `comm`, which is about to be freed, has come.
pub(in crate::mpi) fn leave_together(process: &Process, comm: &Comm) -> Result {
    block(process, comm, &Barrier::of(Kind::Disconnect))
}

/// All members' bytes, of equal length and in rank order, for the library's own agreements.
pub(in crate::mpi) fn share(
    process: &Process, comm: &Comm, kind: Kind, mine: &[u8],
) -> Result<Vec<u8>> {
    run::block(unite_alike(&lane(process, comm, kind)?, mine))
}
