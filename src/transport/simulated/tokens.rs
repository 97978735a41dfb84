//! Tokens: messages without data, by which collective operations take their time in virtual time.
//!
//! A rank that waits for the end of such an operation sleeps. Its part is carried on where tokens
//! arrive, in its place and at its clock, and it is woken when that is over.

use super::SimulatedNetwork;
use super::desks::{Carriage, Desk, Part, Party, Token};
use super::journeys::Then;
use crate::host::clock;
use crate::host::sched::Waiting;
use crate::host::virtual_time::{self, accounts};
use crate::machine::units::Picos;
use parking_lot::MutexGuard;
use std::task::{Context, Poll, Waker};

impl SimulatedNetwork {
    /// The calling rank begins its part in an operation. False if that goes on when tokens have
    /// come, while the rank is `waiting` until it [is over](Self::is_part_over).
    pub fn begin_part(&self, seat: usize, waiting: Waiting, mut part: Part) -> bool {
        self.drop_part(seat);
        let is_over = poll(&mut part);
        if !is_over {
            self.desk(seat).part = Some((waiting, part));
        }
        is_over
    }

    pub fn is_part_over(&self, seat: usize) -> bool {
        self.desk(seat).part.is_none()
    }

    /// A rank does not go on with its part.
    pub fn drop_part(&self, seat: usize) {
        let mut desk = self.desk(seat);
        desk.expected.clear();
        let _part = desk.part.take();
        drop(desk);
    }

    /// The ranks whose tokens a rank expects.
    pub fn expected_from(&self, seat: usize) -> Vec<i32> {
        self.desk(seat).expected.iter().map(|(_, rank)| *rank).collect()
    }

    /// In its part, a rank expects a token.
    pub fn expect_token(&self, carriage: Carriage, from: Party, to: Party) {
        let key = carriage.key(from, to);
        let mut desk = self.desk(to.seat);
        match desk.early.iter().position(|early| *early == (key, true)) {
            None => desk.expected.push((key, from.rank)),
            Some(place) => {
                desk.early.swap_remove(place);
                self.pay_for_token(carriage.is_by_hardware);
            }
        }
    }

    /// In its part, a rank sends a token that takes as long as a message of so many bytes; by
    /// hardware, so long.
    pub fn send_token(&'static self, carriage: Carriage, from: Party, to: Party, price: u64) {
        let Carriage { is_by_hardware, .. } = carriage;
        let seats = (from.seat, to.seat);
        let token = Token { key: carriage.key(from, to), is_by_hardware, seats };
        if is_by_hardware {
            let at = clock::picos().saturating_add(price);
            return virtual_time::enter(at, self, token.numbers());
        }
        clock::pass_picos(self.overheads.send);
        let is_long = price > self.overheads.eager as u64;
        match self.arrives_without_waiting(seats, price, is_long) {
            Some(at) => virtual_time::enter(at, self, token.numbers()),
            None => self.set_out(seats, price, is_long, Then::Take(token)),
        }
    }

    /// In its part, a rank waits until all that it expects has come.
    pub async fn all_tokens(&self, carriage: Carriage, seat: usize) {
        self.look_at_tokens(carriage, seat);
        let have_come = |_: &mut Context<'_>| match self.desk(seat).expected.is_empty() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        };
        std::future::poll_fn(have_come).await;
    }

    /// A rank finds what came while it did something else.
    fn look_at_tokens(&self, carriage: Carriage, seat: usize) {
        let mut desk = self.desk(seat);
        let Desk { expected, early, .. } = &mut *desk;
        early.iter_mut().for_each(|(_, is_seen)| *is_seen = true);
        expected.retain(|(key, _)| {
            let Some(place) = early.iter().position(|(early, _)| early == key) else { return true };
            early.swap_remove(place);
            self.pay_for_token(carriage.is_by_hardware);
            false
        });
    }

    pub(super) fn token_arrives(&'static self, token: Token) {
        self.when_there(token.seats.1, move || self.take_token(token, clock::picos()));
    }

    fn take_token(&self, token: Token, now: Picos) {
        let (from, to) = token.seats;
        accounts::blame(Some(from));
        let mut desk = self.desk(to);
        let Some(waiting) = desk.part.as_ref().map(|(waiting, _)| *waiting) else {
            return desk.early.push((token.key, false));
        };
        let go_on = || {
            let Some(place) = desk.expected.iter().position(|(key, _)| *key == token.key) else {
                return desk.early.push((token.key, true));
            };
            desk.expected.swap_remove(place);
            self.pay_for_token(token.is_by_hardware);
            if !desk.expected.is_empty() {
                return;
            }
            let part = desk.part.take();
            drop(desk);
            let Some((waiting, mut part)) = part else { return };
            if poll(&mut part) {
                self.wire().port(to).bell().unpark();
            } else {
                self.desk(to).part = Some((waiting, part));
            }
        };
        waiting.go_on(now, from, go_on);
    }

    /// Receiving takes the machine's time.
    fn pay_for_token(&self, is_by_hardware: bool) {
        if !is_by_hardware {
            clock::pass_picos(self.overheads.receive);
        }
    }

    fn desk(&self, seat: usize) -> MutexGuard<'_, Desk> {
        self.desks.get().expect("there are seats")[seat].lock()
    }
}

fn poll(part: &mut Part) -> bool {
    part.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
}
