//! Completion calls on many requests: Waitall, Testany, Waitsome and others (MPI-5.0 §3.7.5).

use super::{admit, whether};
use crate::engine::shared::rules::Rules;
use crate::engine::{Ops, PrepostedReceives};
use crate::machine::forced_match::NOTHING;
use crate::mpi::checks;
use crate::mpi::error::{Cause, Class, Error, Failure, Result, is_failure, told};
use crate::mpi::handle_table::{self, Sort};
use crate::mpi::p2p::choices::{self, Choice};
use crate::mpi::p2p::eager::status_of;
use crate::mpi::p2p::generalized_request::General;
use crate::mpi::p2p::persistent;
use crate::mpi::p2p::request_table::{Asked, DONE, NULL, Requests, Step, UNDEFINED, nothing};
use crate::mpi::p2p::status::{Completed, Status};
use crate::mpi::process::Process;
use std::ops::Range;
use std::sync::Arc;

/// The caller's arrays of requests and statuses. Statuses keep their MPI_ERROR but when told.
pub trait Places {
    fn key(&self, index: usize) -> usize;
    fn set_key(&self, index: usize, key: usize);
    fn set_status(&self, index: usize, status: Status);
    fn set_error(&self, index: usize, code: i32);
}

/// One call on many requests.
pub struct Many<P> {
    pub process: &'static Process,
    pub places: P,
    pub count: usize,
    /// Only looks, and completes nothing (MPI_Request_get_status and its like).
    pub is_look: bool,
}

/// What went wrong in a call on many requests: where, by which code; and the first in words.
#[derive(Default)]
struct Trouble {
    codes: Vec<(usize, i32)>,
    first: Option<Error>,
    is_of_a_death: bool,
    /// Generalized requests that have ended, and where their statuses go.
    general: Vec<(usize, Arc<General>)>,
}

impl Trouble {
    fn add(&mut self, place: usize, failure: Failure) {
        if let Cause::Error(error) = failure.cause() {
            self.codes.push((place, error.class.0));
            self.is_of_a_death |= error.is_of_a_death;
            if self.first.as_ref().is_none_or(|first| finality(first) < finality(&error)) {
                self.first = Some(error);
            }
        }
    }

    /// Asks the program about its own requests: no lock is held any more.
    fn ask<P: Places>(&mut self, many: &Many<P>) {
        for (place, general) in std::mem::take(&mut self.general) {
            let end = general.ended(many.process.program, many.is_look);
            many.places.set_status(place, end.status);
            end.news.unwrap_or_else(|failure| self.add(place, failure));
        }
    }

    /// The error of the call, with the codes of the first `count` statuses set. The error handler
    /// hears the code of the request that caused it, on that request's communicator (MPI-5.0
    /// §9.3.1).
    fn raise(self, rules: Rules, places: &impl Places, count: usize) -> Result {
        let Some(first) = self.first else { return Ok(()) };
        (0..count).for_each(|place| places.set_error(place, 0));
        let told = |code: i32| told(rules, Class(code)).0;
        self.codes.iter().for_each(|(place, code)| places.set_error(*place, told(*code)));
        let words = format!("{} of {count} requests failed; the first: ", self.codes.len());
        let detail = (words + &first.detail).into();
        let (is_of_a_death, cause) = (self.is_of_a_death, Some(first.class));
        Err(Error { class: Class::IN_STATUS, detail, on: first.on, is_of_a_death, cause }.into())
    }
}

/// How much of an end an error is: what merely is not complete yet has caused nothing, and a
/// receive that goes on has not failed where others have.
fn finality(error: &Error) -> u8 {
    match error.class {
        Class::PENDING => 0,
        Class::PROC_FAILED_PENDING => 1,
        _ => 2,
    }
}

impl<P: Places> Many<P> {
    fn step(&self, ops: &mut Ops, index: usize) -> Result<Step> {
        self.process.requests.step(ops, self.places.key(index), self.is_look)
    }

    /// Like `step`, but stops waiting for a pending request once other ranks recover.
    fn step_while_calm(&self, ops: &mut Ops, index: usize) -> Result<Step> {
        match self.step(ops, index)? {
            Step::Pending => Ok(self.interruption(index).map_or(Step::Pending, Step::Doubted)),
            step => Ok(step),
        }
    }

    #[inline(always)]
    fn put(&self, index: usize, place: usize, after: usize, status: Status) {
        if !self.is_look {
            self.places.set_key(index, after);
        }
        self.places.set_status(place, status);
    }

    /// Waits for all. When a rank that one of them needs has died, the others are not waited for.
    pub fn wait_all(&self) -> Result {
        let mut next = self.settle_preposted()?;
        if next == self.count {
            return Ok(());
        }
        self.process.requests.check(self.process, &self.places, next..self.count)?;
        let mut trouble = Trouble::default();
        self.process.engine.wait_for(|ops| {
            while next < self.count && self.settle(ops, next, &mut trouble) {
                next += 1;
            }
            let is_over = next == self.count || self.give_up(ops, next, &mut trouble);
            is_over.then_some(())
        })?;
        trouble.ask(self);
        trouble.raise(self.rules(), &self.places, self.count)
    }

    /// The fast path: waits for preposted receives, if all requests are such or already complete.
    /// Returns how many it has completed.
    #[inline]
    fn settle_preposted(&self) -> Result<usize> {
        let is_preposted = |preposted: &PrepostedReceives, index: usize| {
            let handle = self.places.key(index);
            handle == DONE
                || preposted.has(handle_table::number(Sort::Request, handle))
                || persistent::is_short(&self.process.requests, preposted, handle)
        };
        let (mut next, mut is_first) = (0, !self.is_look);
        if !is_first {
            return Ok(0);
        }
        self.process.engine.fill_preposted(|preposted| {
            if is_first && !(0..self.count).all(|index| is_preposted(preposted, index)) {
                return true;
            }
            is_first = false;
            while next < self.count && self.settle_one_preposted(preposted, next) {
                next += 1;
            }
            next == self.count
        })?;
        Ok(next)
    }

    #[inline(always)]
    fn settle_one_preposted(&self, preposted: &mut PrepostedReceives, index: usize) -> bool {
        let handle = self.places.key(index);
        if handle == DONE {
            self.put(index, index, NULL, Status::PLAIN);
            return true;
        }
        let put = |receipt| self.put(index, index, NULL, status_of(receipt));
        preposted.settle(handle_table::number(Sort::Request, handle), put)
            || self.settle_one_persistent(preposted, index)
    }

    #[inline(never)]
    fn settle_one_persistent(&self, preposted: &mut PrepostedReceives, index: usize) -> bool {
        let handle = self.places.key(index);
        let put = |status| self.put(index, index, handle, status);
        persistent::settle(&self.process.requests, preposted, handle, put)
    }

    fn rules(&self) -> Rules {
        self.process.world.rules()
    }

    /// Whether all have ended; if so, or if one cannot any more, their statuses are set.
    pub fn test_all(&self) -> Result<(bool, Result)> {
        self.process.requests.check(self.process, &self.places, 0..self.count)?;
        let mut trouble = Trouble::default();
        let handles = (0..self.count).map(|index| self.places.key(index));
        let choice = if self.process.is_counted() { whether(self.process, handles) } else { None };
        let is_over = choices::ask(choice.as_ref(), &self.process.engine, |ops| {
            let look = |ops: &mut Ops, index| {
                let handle = self.places.key(index);
                matches!(self.process.requests.step(ops, handle, true), Ok(Step::Pending))
            };
            if (0..self.count).any(|index| look(ops, index)) {
                return self.give_up(ops, 0, &mut trouble).then_some(true);
            }
            for index in 0..self.count {
                let _is_settled = self.settle(ops, index, &mut trouble);
            }
            Some(true)
        })?;
        if let Some(choice) = choice {
            choice.note(is_over.map(|_| 0));
        }
        trouble.ask(self);
        let news = trouble.raise(self.rules(), &self.places, self.count);
        Ok((is_over.unwrap_or(false), news))
    }

    /// Sets the results of the request at `index`, if it has ended.
    #[inline]
    fn settle(&self, ops: &mut Ops, index: usize, trouble: &mut Trouble) -> bool {
        let handle = self.places.key(index);
        if !self.is_look {
            let put = |after, status| self.put(index, index, after, status);
            if handle == DONE {
                put(NULL, Status::PLAIN);
                return true;
            }
            if self.process.requests.settle_plain(ops, handle, put) {
                return true;
            }
        }
        self.settle_with_care(ops, index, trouble)
    }

    #[inline(never)]
    fn settle_with_care(&self, ops: &mut Ops, index: usize, trouble: &mut Trouble) -> bool {
        match self.step(ops, index) {
            Ok(Step::Pending) => return false,
            Ok(Step::Inactive) => self.places.set_status(index, Status::EMPTY),
            Ok(Step::Ended(after, end, general)) => {
                self.put(index, index, after, end.status);
                trouble.general.extend(general.map(|general| (index, general)));
                end.news.unwrap_or_else(|failure| trouble.add(index, failure));
            }
            Ok(Step::Doubted(failure)) | Err(failure) => trouble.add(index, failure),
        }
        true
    }

    /// Stops waiting for pending requests if one has failed because of a death: a rank that would
    /// have to send may be waiting for this rank elsewhere by now.
    fn give_up(&self, ops: &mut Ops, first: usize, trouble: &mut Trouble) -> bool {
        if self.process.engine.is_calm() {
            return false;
        }
        let is_lost = |index: usize| {
            let handle = self.places.key(index);
            match self.process.requests.step(ops, handle, true) {
                Ok(Step::Ended(_, Completed { news: Err(failure), .. }, _)) => {
                    failure.error().is_some_and(|error| is_failure(error.class))
                }
                Ok(Step::Doubted(_)) => true,
                _ => false,
            }
        };
        let has_lost = trouble.codes.iter().any(|(_, code)| is_failure(Class(*code)));
        let is_interrupted = (first..self.count).any(|index| self.interruption(index).is_some());
        if !is_interrupted && !has_lost && !(first..self.count).any(is_lost) {
            return false;
        }
        for index in first..self.count {
            if !self.settle(ops, index, trouble) {
                let pending = || Class::PENDING.because("not complete yet");
                trouble.add(index, self.interruption(index).unwrap_or_else(pending));
            }
        }
        true
    }

    fn interruption(&self, index: usize) -> Option<Failure> {
        self.process.requests.interruption(self.process, self.places.key(index))
    }

    /// Waits for one, any. No index: there is none to wait for.
    pub fn wait_any(&self) -> Result<(Option<usize>, Completed)> {
        self.process.requests.check(self.process, &self.places, 0..self.count)?;
        let choice = self.choice(false);
        let those = choices::candidates(choice.as_ref(), self.count);
        let found = self.process.engine.wait_for(|ops| self.any(ops, those.clone()).transpose())?;
        if let (Some(choice), Ok((index, ..))) = (choice, &found) {
            choice.note(*index);
        }
        Ok(self.known(found?))
    }

    /// Whether one has ended, any. No index: there is none to wait for.
    pub fn test_any(&self) -> Result<Option<(Option<usize>, Completed)>> {
        self.process.requests.check(self.process, &self.places, 0..self.count)?;
        let choice = self.choice(true);
        let those = choices::candidates(choice.as_ref(), self.count);
        let look = |ops: &mut Ops| self.any(ops, those.clone()).transpose();
        let found = choices::ask(choice.as_ref(), &self.process.engine, look)?.transpose()?;
        if let Some(choice) = choice {
            choice.note(found.as_ref().and_then(|(index, ..)| *index));
        }
        Ok(found.map(|found| self.known(found)))
    }

    fn known(&self, found: (Option<usize>, Completed, Asked)) -> (Option<usize>, Completed) {
        let (index, end, general) = found;
        (index, general.map_or(end, |general| general.ended(self.process.program, self.is_look)))
    }

    /// The choice among the active requests, in a job with a trace.
    fn choice(&self, may_be_none: bool) -> Option<Choice> {
        match self.process.is_counted() {
            true => self.traced_choice(may_be_none),
            false => None,
        }
    }

    #[cold]
    fn traced_choice(&self, may_be_none: bool) -> Option<Choice> {
        let is_active = |index: &usize| self.process.requests.is_active(self.places.key(*index));
        let active = (0..self.count).filter(is_active).map(|index| index as i32);
        let mut active = active.peekable();
        let none = (may_be_none && active.peek().is_some()).then_some(NOTHING);
        Choice::among(self.process, none.into_iter().chain(active))
    }

    fn any(
        &self, ops: &mut Ops, those: Range<usize>,
    ) -> Result<Option<(Option<usize>, Completed, Asked)>> {
        let (mut is_idle, mut doubted) = (true, None);
        for index in those {
            match self.step_while_calm(ops, index)? {
                Step::Inactive => {}
                Step::Pending => is_idle = false,
                Step::Doubted(failure) => doubted = doubted.or(Some((index, failure))),
                Step::Ended(after, end, general) => {
                    if !self.is_look {
                        self.places.set_key(index, after);
                    }
                    return Ok(Some((Some(index), end, general)));
                }
            }
        }
        if let Some((index, failure)) = doubted {
            let end = Completed { status: Status::PLAIN, news: Err(failure) };
            return Ok(Some((Some(index), end, None)));
        }
        Ok(is_idle.then(|| (None, nothing(), None)))
    }

    /// Waits until at least one has ended, and completes all that have.
    pub fn wait_some(&self) -> Result<Batch> {
        self.process.requests.check(self.process, &self.places, 0..self.count)?;
        let choice = self.choice(false);
        let those = choices::candidates(choice.as_ref(), self.count);
        let harvest = self.process.engine.wait_for(|ops| {
            let harvest = self.some(ops, those.clone());
            harvest.is_worth_telling().then_some(harvest)
        })?;
        if let Some(choice) = choice {
            choice.note(harvest.indices.first().copied());
        }
        Ok(self.batch(harvest))
    }

    /// Completes all that have ended, without waiting; there may be none.
    pub fn test_some(&self) -> Result<Batch> {
        self.process.requests.check(self.process, &self.places, 0..self.count)?;
        let choice = self.choice(true);
        let those = choices::candidates(choice.as_ref(), self.count);
        let mut found = Harvest::default();
        let _was_in_vain = choices::ask(choice.as_ref(), &self.process.engine, |ops| {
            found = self.some(ops, those.clone());
            found.is_worth_telling().then_some(())
        })?;
        if let Some(choice) = choice {
            choice.note(found.indices.first().copied());
        }
        Ok(self.batch(found))
    }

    /// All that have ended; if none has and the others recover, all that are not waited for.
    fn some(&self, ops: &mut Ops, those: Range<usize>) -> Harvest {
        let harvest = self.reap(those.clone(), |index| self.step(ops, index));
        match harvest.is_worth_telling() || self.process.engine.is_calm() {
            true => harvest,
            false => self.reap(those, |index| self.step_while_calm(ops, index)),
        }
    }

    fn reap(&self, those: Range<usize>, mut step: impl FnMut(usize) -> Result<Step>) -> Harvest {
        let mut harvest =
            Harvest { indices: Vec::new(), is_idle: true, trouble: Trouble::default() };
        let Harvest { indices, is_idle, trouble } = &mut harvest;
        for index in those {
            let place = indices.len();
            match step(index) {
                Ok(Step::Inactive) => {}
                Ok(Step::Pending) => *is_idle = false,
                Ok(Step::Doubted(failure)) => {
                    self.places.set_status(place, Status::PLAIN);
                    trouble.add(place, failure);
                    indices.push(index);
                }
                Ok(Step::Ended(after, end, general)) => {
                    self.put(index, place, after, end.status);
                    trouble.general.extend(general.map(|general| (place, general)));
                    end.news.unwrap_or_else(|failure| trouble.add(place, failure));
                    indices.push(index);
                }
                Err(failure) => trouble.add(place, failure),
            }
        }
        harvest
    }

    fn batch(&self, mut harvest: Harvest) -> Batch {
        harvest.trouble.ask(self);
        let ended = harvest.indices.len();
        let news = harvest.trouble.raise(self.rules(), &self.places, ended);
        let has_some = !harvest.is_idle || !harvest.indices.is_empty();
        Batch { ended: has_some.then_some(harvest.indices), news }
    }
}

impl Requests {
    /// Fails when one of those handles is none. What was preposted is a request like any other from
    /// now on.
    fn check(
        &self, process: &'static Process, requests: &impl Places, mut those: Range<usize>,
    ) -> Result {
        those.clone().for_each(|index| admit(process, requests.key(index)));
        if !checks::are_on() {
            return Ok(());
        }
        let kept = self.0.lock();
        those.try_for_each(|index| {
            let handle = requests.key(index);
            let is_known = || kept.find(handle).is_some_and(|request| !request.is_given_up());
            match handle == DONE || handle == NULL || is_known() {
                true => Ok(()),
                false => Err(unknown_at(index, handle)),
            }
        })
    }
}

#[cold]
fn unknown_at(index: usize, handle: usize) -> Failure {
    let words = format!(
        "element {index} of array_of_requests is {handle:#x}, not a valid request handle (was it \
         completed already?)"
    );
    Class::REQUEST.because(words)
}

/// What one look at many requests has found.
#[derive(Default)]
struct Harvest {
    indices: Vec<usize>,
    /// There is none to wait for.
    is_idle: bool,
    trouble: Trouble,
}

impl Harvest {
    fn is_worth_telling(&self) -> bool {
        self.is_idle || !self.indices.is_empty()
    }
}

/// What a call on some requests has brought.
pub struct Batch {
    /// `None`: there are none to wait for.
    ended: Option<Vec<usize>>,
    pub news: Result,
}

impl Batch {
    /// How many have ended; MPI_UNDEFINED when there are none to wait for.
    pub fn count(&self) -> i32 {
        let count = |indices: &Vec<usize>| i32::try_from(indices.len()).unwrap_or(i32::MAX);
        self.ended.as_ref().map_or(UNDEFINED, count)
    }

    /// Which have ended, in the order of their statuses.
    pub fn indices(&self) -> &[usize] {
        self.ended.as_deref().unwrap_or_default()
    }
}
