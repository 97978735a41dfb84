//! What comes by a connection becomes messages.

use super::writing::HEAD;
use rustix::buffer::spare_capacity;
use rustix::fd::AsFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

/// No message of the library is as long.
const LONGEST: usize = 1 << 30;

pub(super) struct Reader {
    /// How long what comes before all messages is.
    words: usize,
    stage: Stage,
    /// What has come of the words before, or of the length of a message.
    beginning: Vec<u8>,
    /// What has come of a message, with room for all of it.
    message: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Stage {
    Words,
    Length,
    /// So many bytes of the message are missing.
    Message(usize),
}

/// It is no connection of the job, or not any more.
struct Ended;

impl Reader {
    /// Messages come after so many bytes of other words.
    pub(super) fn after(words: usize) -> Reader {
        Reader { words, stage: Stage::Words, beginning: Vec::new(), message: Vec::new() }
    }

    /// Takes what has come, though not for ever; false if nothing more will. `hear` is told what
    /// has come of the words before all messages, and whether these are as they should be.
    pub(super) fn take(
        &mut self, from: impl AsFd, scratch: &mut [u8], into: &mut Vec<Vec<u8>>,
        mut hear: impl FnMut(&[u8]) -> bool,
    ) -> bool {
        const TURNS: usize = 16;
        for _ in 0..TURNS {
            let room = self.message.capacity() - self.message.len();
            let (got, most) = match self.stage {
                // Right where it belongs.
                Stage::Message(left) if left >= scratch.len() && room == left => {
                    let place = spare_capacity(&mut self.message);
                    let got = recv(&from, place, RecvFlags::DONTWAIT).map(|(got, _)| got);
                    if let Ok(got) = got {
                        self.grow(left - got, into);
                    }
                    (got, left)
                }
                _ => {
                    let got = recv(&from, &mut *scratch, RecvFlags::DONTWAIT).map(|(got, _)| got);
                    if let Ok(got) = got
                        && self.hear(&scratch[..got], into, &mut hear).is_err()
                    {
                        return false;
                    }
                    (got, scratch.len())
                }
            };
            match got {
                Ok(0) => return false,
                Ok(got) if got < most => return true,
                Ok(_) => {}
                Err(error) => return matches!(error, Errno::AGAIN | Errno::INTR),
            }
        }
        true
    }

    fn hear(
        &mut self, mut bytes: &[u8], into: &mut Vec<Vec<u8>>, hear: &mut impl FnMut(&[u8]) -> bool,
    ) -> Result<(), Ended> {
        while !bytes.is_empty() {
            bytes = match self.stage {
                Stage::Words => {
                    let rest = self.begin(self.words, bytes);
                    if !hear(&self.beginning) {
                        return Err(Ended);
                    }
                    if self.beginning.len() == self.words {
                        self.beginning.clear();
                        self.stage = Stage::Length;
                    }
                    rest
                }
                Stage::Length => {
                    let rest = self.begin(HEAD, bytes);
                    if let Ok(length) = <[u8; HEAD]>::try_from(&self.beginning[..]) {
                        let length = u32::from_le_bytes(length) as usize;
                        if length > LONGEST {
                            return Err(Ended);
                        }
                        self.beginning.clear();
                        self.message = Vec::with_capacity(length);
                        self.grow(length, into);
                    }
                    rest
                }
                Stage::Message(left) => {
                    let (more, rest) = bytes.split_at(left.min(bytes.len()));
                    self.message.extend_from_slice(more);
                    self.grow(left - more.len(), into);
                    rest
                }
            };
        }
        Ok(())
    }

    /// Takes from these bytes what is missing of the first `count`; returns the rest.
    fn begin<'a>(&mut self, count: usize, bytes: &'a [u8]) -> &'a [u8] {
        let (more, rest) = bytes.split_at((count - self.beginning.len()).min(bytes.len()));
        self.beginning.extend_from_slice(more);
        rest
    }

    /// So many bytes of the message are missing now.
    fn grow(&mut self, left: usize, into: &mut Vec<Vec<u8>>) {
        self.stage = Stage::Message(left);
        if left == 0 {
            into.push(std::mem::take(&mut self.message));
            self.stage = Stage::Length;
        }
    }
}
