//! Small operations of the commonest kind on MPI_COMM_WORLD: few members with cores of their own
//! lay a few numbers down, and look at those of the others. They judge only whether they are that.
//! The turn is that of a [`Sitting`](super::sitting::Sitting): some members may go this way, and
//! others that one.

use super::bracket::Bracket;
use super::choice::Crowd;
use super::sitting;
use crate::engine::{Gate, Meeting, Round, Vigil};
use crate::host::memory::{self, Fault, Span};
use crate::mpi::combine::combine;
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::{Failure, Result};
use crate::mpi::named;
use crate::mpi::op::Op;
use crate::mpi::process::Process;
use crate::mpi::pt2pt::envelope;
use std::mem::MaybeUninit;

/// How often a member looks before it waits in the ordinary way.
const LOOKS: u32 = 256;
/// The most bytes that go this way, of all members together, and of those that few numbers have.
const MOST: usize = 16 << 10;
const FEW: usize = 256;

/// The arguments of MPI_Allreduce, as they came.
#[derive(Clone, Copy)]
pub struct Brief {
    pub send: Address,
    pub recv: Address,
    pub count: i64,
    pub datatype: usize,
    pub op: usize,
    pub comm: usize,
}

/// Combines everybody's values for everybody, if they are few; false: nothing has happened.
#[inline]
pub fn allreduce(process: &'static Process, it: Brief) -> Result<bool> {
    let (size, input) = (named::plain_bytes(it.datatype), it.input());
    let is_brief = size != 0 && (1..=(MOST / size) as i64).contains(&it.count);
    if !is_brief || input.0 < Address::LOWEST || it.recv.0 < Address::LOWEST {
        return Ok(false);
    }
    let bytes = it.count as usize * size;
    let (Some(datatype), Some(op)) = (named::find(it.datatype), Op::predefined(it.op)) else {
        return Ok(false);
    };
    if op.is_defined_on(&datatype).is_err() {
        return Ok(false);
    }
    let fits = |crowd: Crowd, members| crowd.combines_at_once(bytes) && bytes * members <= MOST;
    let Some(turn) = Turn::come(process, it.comm, fits)? else { return Ok(false) };
    let line = turn.round.put(turn.me, &input.span(bytes).into());
    turn.judge(line)?;
    turn.show();
    turn.wait(Gate::AllShown)?;
    let lines = turn.round.lines();
    if let Some(rank) = lines.iter().position(|line| line.bytes() != bytes) {
        let other = lines[rank].bytes();
        turn.let_go();
        return Err(sitting::disagreement(rank, other, bytes));
    }
    let sum = |left, right| combine(process, &op, &datatype, it.count, left, right);
    match bytes * turn.members {
        ..=FEW => turn.combine::<{ FEW / 16 }>(it, bytes, sum)?,
        _ => turn.combine::<{ MOST / 16 }>(it, bytes, sum)?,
    }
    turn.let_go();
    Ok(true)
}

/// Returns when all members have come, if this is the way to do so; false: nothing has happened.
#[inline]
pub fn barrier(process: &'static Process, comm: usize) -> Result<bool> {
    let Some(turn) = Turn::come(process, comm, |_, _| true)? else { return Ok(false) };
    turn.show();
    turn.wait(Gate::AllShown)?;
    turn.let_go();
    Ok(true)
}

impl Brief {
    fn input(&self) -> Address {
        if self.send == Address::IN_PLACE { self.recv } else { self.send }
    }
}

/// One member's part in the next turn of the world.
struct Turn<'a> {
    process: &'a Process,
    comm: &'a Comm,
    meeting: &'a Meeting,
    round: &'a Round,
    turn: u32,
    me: usize,
    members: usize,
}

impl Turn<'_> {
    /// Comes to it, unless something is unusual.
    #[inline(always)]
    fn come(
        process: &'static Process, comm: usize, fits: impl FnOnce(Crowd, usize) -> bool,
    ) -> Result<Option<Turn<'static>>> {
        let Some(comm) = process.first_world(comm) else { return Ok(None) };
        let members = comm.group.len();
        let crowd = Crowd::among(members, process.world.ranks_per_core());
        let is_usual = process.engine.is_carefree() && process.world.rules().modes().is_none();
        if !(is_usual && crowd.meets() && crowd.looks_round() && fits(crowd, members)) {
            return Ok(None);
        }
        let number = comm.next_collective(process);
        let turn = u32::try_from(number).expect("operations are counted from 0");
        let (meeting, me) = (comm.meeting(process), sitting::index(comm.rank));
        let round = meeting.round(turn);
        let this = Turn { process, comm, meeting, round, turn, me, members };
        meeting.come(turn, me);
        if !meeting.has_room(turn) {
            let _ahead = meeting.wait_for_room(turn, me);
            this.wait(Gate::Room)?;
        }
        Ok(Some(this))
    }

    /// Combines what all have laid down, which each does for itself, with room for so many words.
    /// Out of line, so that those who need little room have a small frame.
    #[inline(never)]
    fn combine<const WORDS: usize>(
        &self, it: Brief, bytes: usize, sum: impl Fn(Span, Span),
    ) -> Result {
        let mut room = [const { MaybeUninit::<u128>::uninit() }; WORDS];
        let room = Span::new(room.as_mut_ptr().cast_const().cast(), size_of_val(&room));
        let place = |place: usize| room.part(place * bytes, bytes);
        // The brackets that the long way has for so much among so many.
        let crowd = Crowd::among(self.members, self.process.world.ranks_per_core());
        let bracket = Bracket::of(crowd.allreduce(bytes, it.count), crowd, bytes, 0);
        let lines = self.round.lines();
        let (mut combined, mut outcome) = (0_u64, Ok(()));
        bracket.walk(self.members, |left, right| {
            if combined >> right & 1 == 0 {
                outcome = memory::copy(lines[right].copy(), place(right)).and(outcome);
            }
            let is_combined = combined >> left & 1 == 1;
            sum(if is_combined { place(left) } else { lines[left].copy() }, place(right));
            combined |= 1 << right;
        });
        let copied = memory::copy(place(bracket.last(self.members)), it.recv.span(bytes));
        self.judge(outcome.and(copied))
    }

    /// What this member has is there.
    #[inline(always)]
    fn show(&self) {
        self.round.line(self.me).show(self.turn);
        self.meeting.ring_few(self.me);
    }

    #[inline(always)]
    fn wait(&self, gate: Gate) -> Result {
        if gate != Gate::Room && (0..LOOKS).any(|_| self.round.is_open(gate, self.turn)) {
            return if self.process.engine.is_stopping() { Err(Failure::Died) } else { Ok(()) };
        }
        self.wait_long(gate)
    }

    #[inline(never)]
    fn wait_long(&self, gate: Gate) -> Result {
        let Turn { meeting, round, turn, .. } = *self;
        let everyone = &self.comm.everyone();
        let envelope = envelope(2 * self.comm.context() + 1, self.comm.rank, turn as i32);
        let vigil = Vigil { meeting, round, gate, turn, envelope, everyone };
        let mishap = self.process.engine.keep_vigil(&vigil)?;
        mishap.map_or(Ok(()), |mishap| Err(sitting::failure(mishap)))
    }

    /// Memory that is not there is this member's own.
    #[inline(always)]
    fn judge(&self, copied: std::result::Result<(), Fault>) -> Result {
        copied.map_err(|fault| self.process.engine.suffer(fault.address).into())
    }

    fn let_go(&self) {
        self.meeting.let_go(self.turn, self.me);
    }
}
