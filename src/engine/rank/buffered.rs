//! Buffered sends: the message goes into memory of the library's own and the send is complete.
//!
//! What the program attached as buffer is only counted, not used, so that a message outlives its
//! sender and the buffer may be of any make. An account says how much of it is taken.

use crate::base::slab::Key;
use crate::engine::rank::operation::{Account, Charge, Died, Mishap, Op, Outcome, Stage};
use crate::engine::{Engine, Letter, State};
use crate::host::memory::Region;
use crate::transport::{Envelope, Load, Packet};

/// Why a message was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsent {
    NoRoom {
        needed: usize,
        free: usize,
    },
    /// Another thread has closed the account meanwhile.
    Closed,
}

impl Engine {
    /// Opens an account of `room` bytes; `None` for as much as there is.
    pub fn open_account(&self, room: Option<usize>) -> Key {
        let account = Account { room, used: 0, next: 0, pending: Vec::new(), flushes: Vec::new() };
        let Ok(key) = self.state.lock().accounts.insert(account) else {
            panic!("a rank has fewer than four million buffers attached")
        };
        key
    }

    /// Closes an account out of which nothing is under way any more.
    pub fn close_account(&self, account: Key) {
        self.state.lock().accounts.remove(account);
    }

    /// Sends a copy of `data`, which may be overwritten at once. `overhead` is charged on top.
    pub fn send_buffered(
        &self, letter: Letter, data: &Region, account: Key, overhead: usize,
    ) -> Result<Result<(), Unsent>, Died> {
        let load = match data.bytes() {
            0..=Packet::ROOM => Load::Carried(data),
            _ => Load::Attached(self.copy_of(data)?),
        };
        let mut state = self.state.lock();
        self.reclaim(&mut state)?;
        let bytes = data.bytes() + overhead;
        let Some(open) = state.accounts.find_mut(account) else { return Ok(Err(Unsent::Closed)) };
        let free = open.room.map_or(usize::MAX, |room| room - open.used);
        if bytes > free {
            return Ok(Err(Unsent::NoRoom { needed: bytes, free }));
        }
        let watch = letter.watch();
        if self.judge_send(&mut state, letter.envelope, &watch).is_some() {
            // The message is lost, as one that was sent just before the death would be.
            return Ok(Ok(()));
        }
        let open = state.accounts.find_mut(account).expect("it was there under the same lock");
        open.used += bytes;
        open.next += 1;
        open.pending.push(open.next);
        let charge = Some(Box::new(Charge { account, bytes, number: open.next }));
        let stage = Stage::Sending { ticket: None, charge };
        let key = state.begin(stage, letter.envelope, Some(watch));
        state.ops.0.find_mut(key).expect("it has just begun").is_orphan = true;
        self.launch(state, letter, load, Some(key))?;
        Ok(Ok(()))
    }

    /// An operation that ends when everything sent out of `account` so far has been delivered.
    pub fn flush(&self, account: Key) -> Key {
        let mut state = self.state.lock();
        if state.accounts.find(account).is_none() {
            return state.done(Outcome::default());
        }
        let key = state.begin(Stage::Flushing, Envelope::default(), None);
        let open = state.accounts.find_mut(account).expect("it was there under the same lock");
        open.flushes.push((open.next, key));
        self.end_flushes(&mut state, account);
        self.review(&mut state, key);
        key
    }

    /// Waits for the end of a flush; false when the others recover first, and it is over, too.
    pub fn await_flush(&self, flush: Key) -> Result<bool, Died> {
        self.wait_until(|state| state.ops.collect(flush)).map(|outcome| outcome.mishap.is_none())
    }

    /// Returns once all that was sent, and whose requests the program has freed, has been received,
    /// or the others recover from a failure.
    pub fn await_abandoned(&self) -> Result<(), Died> {
        self.wait_until(|state| {
            let is_under_way = |op: &Op| op.is_orphan && matches!(op.stage, Stage::Sending { .. });
            let mut ops = state.ops.0.keys().filter_map(|key| state.ops.0.find(key));
            (self.is_left() || !ops.any(is_under_way)).then_some(())
        })
    }

    /// Ends a flush when the others recover: what they do not receive until then stays.
    #[cold]
    pub(in crate::engine) fn review_flush(&self, state: &mut State, flush: Key) {
        if !self.is_left() {
            return;
        }
        for key in state.accounts.keys().collect::<Vec<Key>>() {
            let open = state.accounts.find_mut(key).expect("listed under the same lock");
            open.flushes.retain(|(_, waiting)| *waiting != flush);
        }
        let mishap = Some(Mishap::Interrupted);
        self.finish(state, flush, Outcome { mishap, ..Outcome::default() });
    }

    /// A buffered message has been delivered, or never will be.
    pub(in crate::engine) fn settle(&self, state: &mut State, charge: &Charge) {
        let Some(account) = state.accounts.find_mut(charge.account) else { return };
        account.used -= charge.bytes;
        account.pending.retain(|number| *number != charge.number);
        self.end_flushes(state, charge.account);
    }

    fn end_flushes(&self, state: &mut State, account: Key) {
        let Some(open) = state.accounts.find_mut(account) else { return };
        let oldest = open.pending.iter().copied().min().unwrap_or(u64::MAX);
        let (ended, left) = open.flushes.drain(..).partition(|(until, _)| *until < oldest);
        open.flushes = left;
        let ended: Vec<(u64, Key)> = ended;
        for (_, key) in ended {
            self.finish(state, key, Outcome::default());
        }
    }
}
