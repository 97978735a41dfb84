//! What a process has another one do at that one's memory, and waits for.

use super::notes::{Answer, Combination, Question, Swap};
use super::question::ask;
use crate::host::memory::{Region, Span, copy, transfer};
use crate::mpi::datatype::Element;
use crate::mpi::error::{Failure, Result};
use crate::mpi::op::Named;
use crate::mpi::op::kernels::atomic::Accumulator;
use crate::mpi::process::Process;
use crate::mpi::rma::peers::loss;
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
    let (mut from, mut skipped) = (vec![0; AT_ONCE], 0);
    loop {
        let (address, run) = to.run();
        if run == 0 {
            return Ok(());
        }
        let count = run.min(AT_ONCE / each);
        let bytes = count * each;
        let operands = match wish.origin {
            None => &[][..],
            Some(origin) => {
                let own = &mut from[..bytes];
                let part = origin.part(skipped, bytes);
                let room = Region::from(Span::of_mut(own));
                transfer(&part, &room).map_err(|fault| own_fault(process, fault.address))?;
                own
            }
        };
        let question = Question::Combine(Combination {
            op: wish.op,
            element: wish.element,
            target: target.offset_there(address),
            count: count as u64,
            operands: operands.to_vec(),
            is_fetched: wish.result.is_some(),
        });
        let former = done(target, ask(process, win, target.rank, question)?)?;
        if let Some(result) = wish.result {
            let part = result.part(skipped, bytes);
            transfer(&Span::of(&former).into(), &part)
                .map_err(|fault| own_fault(process, fault.address))?;
        }
        to.pass(count);
        skipped += bytes;
    }
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
        Answer::IsSo(_) => unreachable!("that is the answer to another question"),
    }
}
