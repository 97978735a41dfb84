//! What a process has another one do at that one's memory, and waits for.

use super::notes::{Answer, Combination, Question, Swap};
use super::question::ask;
use crate::host::memory::{Region, Span, copy};
use crate::mpi::datatype::Element;
use crate::mpi::error::{Failure, Result};
use crate::mpi::op::Named;
use crate::mpi::op::kernels::atomic::{Accumulator, Elements};
use crate::mpi::p2p::outcome::loss;
use crate::mpi::process::Process;
use crate::mpi::rma::target::Target;
use crate::mpi::rma::win::Win;

/// The bytes of operands that go with one note.
const AT_ONCE: usize = 2048;

/// Elements of the target, and what is to happen to them.
pub struct Wish<'a> {
    pub op: Named,
    pub element: Element,
    pub accumulator: &'a Accumulator,
    pub origin: Option<&'a Region>,
    pub result: Option<&'a Region>,
}

/// Has the elements of `target` combined, a few at a time.
pub fn combine(process: &Process, win: &Win, wish: &Wish<'_>, target: &Target<'_>) -> Result {
    let each = wish.accumulator.bytes();
    let mut to = target.region.places(each);
    let mut from = wish.origin.map(|region| region.places(each));
    let mut back = wish.result.map(|region| region.places(each));
    loop {
        let (address, run) = to.run();
        if run == 0 {
            return Ok(());
        }
        let own = from.iter().chain(&back).map(|places| places.run().1);
        let count = own.fold(run, usize::min).min(AT_ONCE / each);
        let bytes = wish.accumulator.span_of(count).expect("they are few");
        let operands = match &from {
            None => Vec::new(),
            Some(from) => {
                let mut operands = vec![0; bytes];
                let room = Span::of_mut(&mut operands).address();
                // Gaps may hold anything, so only the elements' parts are read.
                move_elements(process, wish.element, (from.run().0, room), count)?;
                operands
            }
        };
        let question = Question::Combine(Combination {
            op: wish.op,
            element: wish.element,
            target: target.offset_there(address),
            count: count as u64,
            operands,
            is_fetched: back.is_some(),
        });
        let former = done(target, ask(process, win, target.rank, question)?)?;
        if let Some(back) = &back {
            let room = Span::of(&former).address();
            move_elements(process, wish.element, (room, back.run().0), count)?;
        }
        to.pass(count);
        from.iter_mut().chain(&mut back).for_each(|places| places.pass(count));
    }
}

/// Copies elements of this process, without what lies between their parts.
fn move_elements(
    process: &Process, element: Element, (origin, target): (usize, usize), count: usize,
) -> Result {
    let Some(copy) = Accumulator::new(Named::Replace, element) else { return Ok(()) };
    let moved = copy.run(Elements { origin, target, fetched: 0, count });
    moved.map_err(|address| own_fault(process, address))
}

/// Has an element of `target`, at `address`, replaced if it is equal to another.
pub fn compare_and_swap(
    process: &Process, win: &Win, element: Element, buffers: [Span; 3], target: &Target<'_>,
    address: usize,
) -> Result {
    let [origin, compare, result] = buffers;
    let read = |span: Span| {
        let mut bytes = vec![0; span.bytes()];
        copy(span, Span::of_mut(&mut bytes)).map_err(|fault| own_fault(process, fault.address))?;
        Ok::<_, Failure>(bytes)
    };
    let question = Question::Swap(Swap {
        element,
        target: target.offset_there(address),
        origin: read(origin)?,
        compare: read(compare)?,
    });
    let former = done(target, ask(process, win, target.rank, question)?)?;
    copy(Span::of(&former), result).map_err(|fault| own_fault(process, fault.address))
}

fn own_fault(process: &Process, address: usize) -> Failure {
    process.engine.suffer(address).into()
}

/// What was at the target before.
fn done(target: &Target<'_>, answer: Answer) -> Result<Vec<u8>> {
    match answer {
        Answer::Done(former) => Ok(former),
        Answer::Missing => Err(loss(target.rank)),
        Answer::IsSo(_) | Answer::Closed => unreachable!("that answers another question"),
    }
}
