//! Revocation: once anybody alive knows that a communicator is revoked, everybody alive will. Pure.
//!
//! Whoever hears of it first tells all others before he does anything else. If one who lives has
//! told all, all will hear; if he died while telling, those whom he reached tell all in his place.

use super::rules::{Rules, Sound};
use std::marker::PhantomData;

/// One member's knowledge of one communicator.
#[derive(Clone, Debug)]
pub struct Revocation<R = Sound> {
    me: usize,
    size: usize,
    is_revoked: bool,
    rules: PhantomData<R>,
}

impl Revocation {
    /// Member `me` of `size`, who has heard of nothing.
    pub fn new(me: usize, size: usize) -> Revocation {
        Revocation::ruled(me, size)
    }
}

impl<R: Rules> Revocation<R> {
    /// The same under other rules.
    pub(super) fn ruled(me: usize, size: usize) -> Revocation<R> {
        assert!(me < size, "member {me} is one of the {size}");
        Revocation { me, size, is_revoked: false, rules: PhantomData }
    }

    /// The program revokes it: whom to tell, if that is news.
    pub fn revoke(&mut self) -> impl Iterator<Item = usize> + use<R> {
        self.pass_on(self.me, true)
    }

    /// Member `from` says that it is revoked: whom else to tell, if that is news.
    pub fn hear(&mut self, from: usize) -> impl Iterator<Item = usize> + use<R> {
        self.pass_on(from, R::PASSES_ON)
    }

    pub fn is_revoked(&self) -> bool {
        self.is_revoked
    }

    fn pass_on(&mut self, from: usize, passes: bool) -> impl Iterator<Item = usize> + use<R> {
        let is_news = !std::mem::replace(&mut self.is_revoked, true) && passes;
        let me = self.me;
        (0..if is_news { self.size } else { 0 }).filter(move |&who| who != me && who != from)
    }
}
