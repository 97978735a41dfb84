//! Questions to other processes about a window, and the wait for their answers.

use super::notes::{Answer, Question, Word};
use crate::host::memory::Span;
use crate::mpi::error::Result;
use crate::mpi::process::Process;
use crate::mpi::rma::peers::{left, wait, watch_one};
use crate::mpi::rma::win::Win;

/// Asks the member with this rank, and waits for the answer; its death ends that.
pub(super) fn ask(process: &Process, win: &Win, rank: i32, question: Question) -> Result<Answer> {
    let endpoint =
        win.shared.endpoint().expect("only windows of several processes have parts elsewhere");
    let ticket = endpoint.new_ticket();
    let member = win.shared.part(rank).member;
    endpoint.write(process.world, member, Word::Ask { ticket, question });
    let watch = watch_one(win, rank);
    let is_there = || endpoint.answers.lock().get(&ticket).is_some_and(Option::is_some);
    let waited = wait(process, win, &watch, rank, is_there, || win.shared.has_left(rank));
    let answer = endpoint.answers.lock().remove(&ticket).flatten();
    waited?;
    match answer.expect("the wait ends when it is there") {
        Answer::Closed => Err(left(process)),
        answer => Ok(answer),
    }
}

/// Whether one attached region of the member with this rank has all of `hull`.
pub fn is_attached(process: &Process, win: &Win, rank: i32, hull: Span) -> Result<bool> {
    let (address, bytes) = (hull.address() as u64, hull.bytes() as u64);
    let answer = ask(process, win, rank, Question::IsAttached { address, bytes })?;
    Ok(matches!(answer, Answer::IsSo(true)))
}
