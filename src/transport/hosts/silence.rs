//! Notices when a life on another host does not answer. Pure: no clock, no wire, no thread.
//!
//! Whoever has said nothing for a while is asked, and has to answer within [`PATIENCE`], whatever
//! its rank does. One that is stopped does not, nor one that the network does not reach; which of
//! these is so others decide.

use std::collections::BTreeMap;
use std::time::Duration;

/// How often to look.
pub(super) const OFTEN: Duration = Duration::from_millis(250);
/// After how long without a word somebody is asked.
const QUIET: Duration = Duration::from_millis(500);
/// How long an answer may take. A network that is cut for 2 s needs up to 3 to send again.
const PATIENCE: Duration = Duration::from_secs(4);
/// A process that has not looked for so long has been held up itself.
const HELD_UP: Duration = Duration::from_millis(1500);

/// What is to be done about a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Ask(usize),
    /// It is silent, or is heard again.
    Tell {
        peer: usize,
        is_silent: bool,
    },
}

/// The peers that are listened to.
#[derive(Debug, Default)]
pub(super) struct Silence {
    peers: BTreeMap<usize, Peer>,
    looked: Duration,
}

#[derive(Debug)]
struct Peer {
    heard: Duration,
    asked: Option<Duration>,
    is_silent: bool,
}

impl Silence {
    /// Something has come from this peer.
    pub(super) fn hear(&mut self, peer: usize, now: Duration) {
        if let Some(known) = self.peers.get_mut(&peer) {
            (known.heard, known.asked) = (now, None);
        }
    }

    /// The life of this peer is over, or a new one begins.
    pub(super) fn forget(&mut self, peer: usize) {
        self.peers.remove(&peer);
    }

    /// Whether it is time to look.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        now >= self.looked + OFTEN
    }

    /// What is to be done now about these peers; others are not listened to.
    pub(super) fn look(&mut self, now: Duration, watched: &[usize]) -> Vec<Act> {
        let was_held_up = now > self.looked + HELD_UP;
        self.looked = now;
        self.peers.retain(|peer, known| watched.contains(peer) || known.is_silent);
        for peer in watched {
            let new = || Peer { heard: now, asked: None, is_silent: false };
            self.peers.entry(*peer).or_insert_with(new);
        }
        let mut acts = Vec::new();
        for (&peer, known) in &mut self.peers {
            if was_held_up && let Some(asked) = &mut known.asked {
                *asked = now;
            }
            let is_silent = known.asked.is_some_and(|asked| now >= asked + PATIENCE);
            if std::mem::replace(&mut known.is_silent, is_silent) != is_silent {
                acts.push(Act::Tell { peer, is_silent });
            }
            if known.asked.is_none() && now >= known.heard + QUIET {
                known.asked = Some(now);
                acts.push(Act::Ask(peer));
            }
        }
        acts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// Looks every quarter of a second; returns when what was done, in milliseconds.
    fn watch(
        silence: &mut Silence, from: u64, to: u64, hears: impl Fn(u64) -> bool,
    ) -> Vec<(u64, Act)> {
        let mut all = Vec::new();
        for now in (from..to).step_by(250) {
            if hears(now) {
                silence.hear(7, at(now));
            }
            all.extend(silence.look(at(now), &[7]).into_iter().map(|act| (now, act)));
        }
        all
    }

    #[test]
    fn one_that_answers_is_never_silent_and_one_that_talks_is_not_even_asked() {
        let mut silence = Silence::default();
        assert_eq!(watch(&mut silence, 1000, 30_000, |_| true), []);
        let seen = watch(&mut silence, 30_000, 90_000, |now| now % 4000 == 0);
        assert!(seen.len() >= 14 && seen.iter().all(|(_, act)| *act == Act::Ask(7)), "{seen:?}");
    }

    #[test]
    fn whoever_does_not_answer_is_told_of_once_and_again_when_it_does() {
        let mut silence = Silence::default();
        let told = |is_silent| Act::Tell { peer: 7, is_silent };
        let seen = watch(&mut silence, 0, 10_000, |now| now == 9000);
        let expected =
            [(500, Act::Ask(7)), (4500, told(true)), (9000, told(false)), (9500, Act::Ask(7))];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_process_that_was_held_up_itself_gives_others_time() {
        let mut silence = Silence::default();
        assert_eq!(watch(&mut silence, 0, 3000, |_| false), [(500, Act::Ask(7))]);
        let seen = watch(&mut silence, 60_000, 65_000, |_| false);
        assert_eq!(seen, [(64_000, Act::Tell { peer: 7, is_silent: true })]);
        silence.forget(7);
        assert_eq!(silence.look(at(65_000), &[]), []);
    }
}
