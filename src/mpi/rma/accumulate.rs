//! Accumulates (MPI-5.0 §12.3.4): combine the target's data with the origin's, each element
//! atomically, in the order in which a process calls.
//!
//! The processor's atomic instructions change what they can; other elements are changed under a
//! lock of the target, a few KB at a time.

use crate::host::memory::{Exchange, Region};
use crate::mpi::datatype::{Address, Datatype, Element};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::op::kernels::atomic::{Accumulator, Elements};
use crate::mpi::op::{Named, Op};
use crate::mpi::process::Process;
use crate::mpi::rma::remote::ask;
use crate::mpi::rma::target::{Spot, Target};
use crate::mpi::rma::transfer::must_match;
use crate::mpi::rma::win::Win;

/// Elements that one hold of the lock covers.
const AT_ONCE: usize = 256;

/// Items of the calling process.
#[derive(Clone, Copy)]
pub struct Items<'a> {
    pub buf: Address,
    pub count: i64,
    pub datatype: &'a Datatype,
}

impl Items<'_> {
    fn region(&self) -> Result<Region> {
        self.datatype.region(self.buf, self.count)
    }
}

/// Combines the target's items with the origin's.
pub fn accumulate(
    process: &Process, win: &Win, origin: Items<'_>, spot: &Spot<'_>, op: &Op,
) -> Result {
    if !op.needs_origin() {
        return Err(Class::OP.because("op is MPI_NO_OP, which only calls that fetch may have"));
    }
    combine(process, win, Some(origin), None, spot, op)
}

/// The same, and the former items go to `result`; without an origin if `op` needs none.
pub fn fetch(
    process: &Process, win: &Win, origin: Option<Items<'_>>, result: Items<'_>, spot: &Spot<'_>,
    op: &Op,
) -> Result {
    combine(process, win, origin, Some(result), spot, op)
}

fn combine(
    process: &Process, win: &Win, origin: Option<Items<'_>>, result: Option<Items<'_>>,
    spot: &Spot<'_>, op: &Op,
) -> Result {
    let Some(target) = Target::find(process, win, spot)? else { return Ok(()) };
    let mut kinds = origin.iter().chain(&result).map(|items| items.datatype);
    let alike = kinds.try_for_each(|own| must_be_alike(own, spot.datatype));
    let origin = origin.map(|origin| origin.region()).transpose()?;
    let result = result.map(|result| result.region()).transpose()?;
    for region in origin.iter().chain(&result) {
        must_match(region, &target.region)?;
    }
    // Where there is nothing to combine, the operation need not be defined.
    if target.region.bytes() == 0 {
        return Ok(());
    }
    alike?;
    let Some(it) = accumulator(op, spot.datatype.shape.element, spot)? else { return Ok(()) };
    let (origin, result) = (origin.as_ref(), result.as_ref());
    if !target.is_in_reach(&it)
        && let Op::Named(op) = *op
    {
        let element = spot.datatype.shape.element;
        let wish = ask::Wish { op, element, accumulator: &it, origin, result };
        return ask::combine(process, win, &wish, &target);
    }
    if let Some((traffic, seat)) = win.traffic_to(target.rank) {
        let bytes = |region: Option<&Region>| region.map_or(0, Region::bytes);
        match result {
            None => traffic.store(seat, bytes(origin)),
            Some(_) => traffic.load(seat, bytes(origin), bytes(result)),
        }
    }
    let walked = walk(&it, origin, result, &target);
    walked.map_err(|address| target.missed(process, win, address, target.holds(address)))
}

/// Combines run by run: as many elements as follow each other on all sides.
fn walk(
    it: &Accumulator, origin: Option<&Region>, result: Option<&Region>, target: &Target<'_>,
) -> std::result::Result<(), usize> {
    let each = it.bytes();
    let mut to = target.region.places(each);
    let mut from = origin.map(|region| region.places(each));
    let mut back = result.map(|region| region.places(each));
    loop {
        let (target_address, mut count) = to.run();
        if count == 0 {
            return Ok(());
        }
        let mut elements = Elements { origin: 0, target: target_address, fetched: 0, count: 0 };
        if let Some(from) = &from {
            let (address, run) = from.run();
            (elements.origin, count) = (address, count.min(run));
        }
        if let Some(back) = &back {
            let (address, run) = back.run();
            (elements.fetched, count) = (address, count.min(run));
        }
        elements.count = count.min(AT_ONCE);
        match it.is_atomic_at(target_address) {
            true => it.run(elements)?,
            false => {
                let lock = target.part.combining.lock();
                let done = it.run(elements);
                drop(lock);
                done?;
            }
        }
        to.pass(elements.count);
        from.iter_mut().chain(&mut back).for_each(|places| places.pass(elements.count));
    }
}

/// What `op` does to the target's elements; `None`: there are none.
fn accumulator(op: &Op, element: Element, spot: &Spot<'_>) -> Result<Option<Accumulator>> {
    let Op::Named(named) = op else {
        return Err(Class::OP.because("op is a function of the program's; it must be predefined"));
    };
    if let Some(it) = Accumulator::new(*named, element) {
        return Ok(Some(it));
    }
    match (spot.datatype.shape.elements, element) {
        (0, _) => Ok(None),
        (_, Element::Mixed) => Err(Class::TYPE
            .because("target_datatype has elements of several predefined types; it must have one")),
        _ => {
            let words = format!("op is {}, which is not defined on the datatype", named.title());
            Err(Class::OP.because(words))
        }
    }
}

/// Both consist of elements of one predefined type.
fn must_be_alike(own: &Datatype, target: &Datatype) -> Result {
    let (one, other) = (own.shape, target.shape);
    match one.element == other.element || one.elements == 0 || other.elements == 0 {
        true => Ok(()),
        false => Err(unlike()),
    }
}

#[cold]
fn unlike() -> Failure {
    Class::TYPE.because("the datatypes consist of different predefined types")
}

/// Fails unless the datatype is one of the standard's.
pub fn must_be_predefined(datatype: &Datatype) -> Result {
    match datatype.is_predefined() {
        true => Ok(()),
        false => Err(Class::TYPE.because("datatype must be a predefined type")),
    }
}

/// The buffers of a compare-and-swap.
#[derive(Clone, Copy)]
pub struct Swap {
    pub origin: Address,
    pub compare: Address,
    pub result: Address,
}

/// Replaces the target's element if it equals the one to compare with; the former goes to `result`.
pub fn compare_and_swap(process: &Process, win: &Win, swap: Swap, spot: &Spot<'_>) -> Result {
    use Element::{Byte, Char, Logical, Long, Signed, Unsigned, UnsignedLong};
    must_be_predefined(spot.datatype)?;
    let element = spot.datatype.shape.element;
    let is_comparable =
        matches!(element, Signed(_) | Unsigned(_) | Long | UnsignedLong | Logical(_) | Byte | Char);
    let it = Accumulator::new(Named::Replace, element).filter(|_| is_comparable);
    let it = it.ok_or_else(|| {
        Class::TYPE.because("datatype must be an integer, a logical, MPI_AINT or MPI_BYTE")
    })?;
    for buf in [swap.origin, swap.compare, swap.result] {
        spot.datatype.region(buf, 1)?;
    }
    let Some(target) = Target::find(process, win, spot)? else { return Ok(()) };
    let Some(span) = target.region.span() else { return Ok(()) };
    if !target.is_in_reach(&it) {
        let buffers = [swap.origin, swap.compare, swap.result].map(|buf| buf.span(it.bytes()));
        let address = span.address();
        return ask::compare_and_swap(process, win, element, buffers, &target, address);
    }
    if let Some((traffic, seat)) = win.traffic_to(target.rank) {
        traffic.load(seat, 2 * it.bytes(), it.bytes());
    }
    let exchange = Exchange {
        origin: swap.origin.0,
        compare: swap.compare.0,
        result: swap.result.0,
        target: span.address(),
    };
    let lock = (!it.is_atomic_at(exchange.target)).then(|| target.part.combining.lock());
    let done = it.compare_and_swap(exchange);
    drop(lock);
    done.map_err(|address| target.missed(process, win, address, target.holds(address)))
}
