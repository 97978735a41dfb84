//! What the processes of a job and `ftrun`, which has started them, tell each other: messages over
//! a local socket, each after its length.

#![forbid(unsafe_code)]

use ftmpi_fault::{Notice, Report, Welcome};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind, Read, Write};

/// The variable by which a process learns that it is one of several, and which. The first line is
/// a [`Place`]; the job follows.
pub const VARIABLE: &str = "FTRUN_PROCESS";

/// Where a process belongs, and where `ftrun` listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The socket's name, which is no file.
    pub address: String,
    /// Only the processes of the job know it.
    pub secret: String,
    pub seat: usize,
    pub incarnation: u32,
}

impl Place {
    pub fn encode(&self) -> String {
        format!("{} {} {} {}", self.address, self.secret, self.seat, self.incarnation)
    }

    pub fn decode(text: &str) -> Option<Place> {
        let words: Vec<&str> = text.split(' ').collect();
        let [address, secret, seat, incarnation] = words[..] else { return None };
        Some(Place {
            address: address.to_string(),
            secret: secret.to_string(),
            seat: seat.parse().ok()?,
            incarnation: incarnation.parse().ok()?,
        })
    }
}

/// Where the memory of a process is found into which others write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whereabouts {
    pub pid: i32,
    pub descriptor: i32,
}

/// What a process says to `ftrun`.
#[derive(Debug, Serialize, Deserialize)]
pub enum Said {
    /// It has made its first call.
    Joined {
        secret: String,
        seat: usize,
        incarnation: u32,
        at: Whereabouts,
    },
    /// How the program takes failures, as the library would write it into a job.
    Rules(String),
    Report(Report),
    /// The latest life in this seat is to be killed.
    Kill(usize),
    /// It is about to die as ordered.
    Order(String),
    /// The job is to end.
    Abort {
        status: i32,
        words: String,
    },
}

/// What `ftrun` says to a process.
#[derive(Debug, Serialize, Deserialize)]
pub enum Told {
    /// It is one of the job; so many have been met already.
    Welcome {
        welcome: Box<Welcome>,
        met: Vec<(usize, Whereabouts)>,
    },
    /// It is not: another process has this place.
    Refused,
    /// The process of this seat is found there.
    Met {
        seat: usize,
        at: Whereabouts,
    },
    Notice(Notice),
}

/// Longer messages are a mistake.
const LONGEST: usize = 1 << 28;

/// The bytes of one message.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    let body = postcard::to_allocvec(message).expect("messages are made of plain data");
    let length = u32::try_from(body.len()).expect("messages are short");
    [&length.to_le_bytes()[..], &body].concat()
}

pub fn write<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    to.write_all(&encode(message))
}

/// Reads one message; `None`: the other end is closed.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    decode(&body).map(Some)
}

fn decode<T: DeserializeOwned>(body: &[u8]) -> io::Result<T> {
    postcard::from_bytes(body).map_err(|_| ErrorKind::InvalidData.into())
}

/// The messages in what has been read so far.
#[derive(Debug, Default)]
pub struct Frames(Vec<u8>);

impl Frames {
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The next whole message, if there is one.
    pub fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let Some((length, rest)) = self.0.split_first_chunk() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > LONGEST {
            return Err(ErrorKind::InvalidData.into());
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let message = decode(body)?;
        self.0.drain(..length + 4);
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_in_pieces_of_any_size() {
        let rules = |number: usize| Said::Rules("x".repeat(number));
        let bytes: Vec<u8> = (0..50).flat_map(|number| encode(&rules(number))).collect();
        for size in [1, 3, 64, bytes.len()] {
            let (mut frames, mut next) = (Frames::default(), 0);
            for piece in bytes.chunks(size) {
                frames.add(piece);
                while let Some(said) = frames.next::<Said>().expect("it is well formed") {
                    assert!(matches!(said, Said::Rules(text) if text.len() == next));
                    next += 1;
                }
            }
            assert_eq!(next, 50);
        }
        assert!(Frames(vec![255; 9]).next::<Said>().is_err());
    }

    #[test]
    fn a_place_survives_the_environment() {
        let (address, secret) = ("ftmpi-12".to_string(), "0a".to_string());
        let place = Place { address, secret, seat: 7, incarnation: 2 };
        assert_eq!(Place::decode(&place.encode()), Some(place));
        assert_eq!(Place::decode("a b 1"), None);
    }
}
