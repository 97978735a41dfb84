//! A rank's part of a checkpoint as a file: there whole or not at all, and checked when it is read.
//!
//! A file is written under another name, made safe, and renamed. It has a head of words, the data,
//! and sums over both that differ if anything else does.

use super::ledger::Extent;
use super::memory::{Data, KINDS};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// How every file begins.
const MAGIC: u64 = u64::from_le_bytes(*b"FTCK\x00\x00\x00\x01");
/// Words of the head, its sum included.
const WORDS: usize = 10;
const HEAD: usize = 8 * WORDS;
/// Two generations are kept in turn.
pub(super) const TURNS: usize = 2;

/// What a file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) serial: u64,
    pub(super) version: i64,
    pub(super) members: u32,
    pub(super) place: u32,
    /// The rank of who wrote it.
    pub(super) rank: i32,
    pub(super) extent: Extent,
}

/// The file of a place.
pub(super) fn path(directory: &Path, place: usize, turn: usize) -> PathBuf {
    directory.join(format!("rank-{place}.{}", ["a", "b"][turn]))
}

/// Where it is written before it is what it is to be: one file for all turns of a place.
pub(super) fn fresh(path: &Path) -> PathBuf {
    path.with_extension("new")
}

/// Writes a file, or leaves what was there; what is wrong, with its name.
pub(super) fn write(path: &Path, head: &Head, data: &Data) -> Result<(), String> {
    let fresh = fresh(path);
    let directory = path.parent().expect("it lies in a directory");
    let named = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(directory).map_err(|error| named(directory, error))?;
    let written = fill(&fresh, head, data).and_then(|()| fs::rename(&fresh, path));
    if let Err(error) = written {
        // Its room may be what is lacking.
        let _gone = fs::remove_file(&fresh);
        return Err(named(&fresh, error));
    }
    let is_safe = File::open(directory).and_then(|directory| directory.sync_all());
    is_safe.map_err(|error| named(directory, error))
}

/// By calls at positions: a rank may be ended while it waits in one without, and would leave its
/// file open.
fn fill(path: &Path, head: &Head, data: &Data) -> io::Result<()> {
    let file = File::create(path)?;
    let mut at = HEAD as u64;
    let mut sum = 0;
    file.write_all_at(&head.to_bytes(), 0)?;
    for (data, bytes) in data.iter().zip(head.extent.bytes) {
        let data = data.read(0..bytes as usize);
        file.write_all_at(&data, at)?;
        at += bytes;
        sum = checksum(sum, &data);
    }
    file.write_all_at(&sum.to_le_bytes(), at)?;
    file.sync_all()
}

/// What a file says of itself; nothing where there is none.
pub(super) fn look(path: &Path) -> Result<Option<Head>, String> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|error| format!("{}: {error}", path.display()))?,
    };
    head_of(&file, path).map(Some)
}

/// What is in a file, once all of it is known to be as it was written.
pub(super) fn read(path: &Path) -> Result<(Head, [Vec<u8>; KINDS]), String> {
    let named = |error: io::Error| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(named)?;
    let head = head_of(&file, path)?;
    let length = file.metadata().map_err(named)?.len();
    let expected = head.extent.bytes.iter().sum::<u64>() + HEAD as u64 + 8;
    if length != expected {
        let path = path.display();
        return Err(format!("{path} is damaged: it has {length} bytes instead of {expected}"));
    }
    let mut at = HEAD as u64;
    let mut sum = 0;
    let mut data: [Vec<u8>; KINDS] = Default::default();
    for (data, bytes) in data.iter_mut().zip(head.extent.bytes) {
        data.resize(bytes as usize, 0);
        file.read_exact_at(data, at).map_err(named)?;
        at += bytes;
        sum = checksum(sum, data);
    }
    let mut kept = [0; 8];
    file.read_exact_at(&mut kept, at).map_err(named)?;
    match u64::from_le_bytes(kept) == sum {
        true => Ok((head, data)),
        false => {
            Err(format!("{} is damaged: its checksum is not that of its data", path.display()))
        }
    }
}

fn head_of(file: &File, path: &Path) -> Result<Head, String> {
    let mut bytes = [0; HEAD];
    let read = file.read_exact_at(&mut bytes, 0).ok();
    let head = read.and_then(|()| Head::from_bytes(&bytes));
    head.ok_or_else(|| format!("{} is damaged: it does not begin as it should", path.display()))
}

impl Head {
    fn to_bytes(self) -> Vec<u8> {
        let Head { serial, version, members, place, rank, extent } = self;
        let words = [
            MAGIC,
            serial,
            version as u64,
            u64::from(members),
            u64::from(place),
            i64::from(rank) as u64,
            extent.bytes[0],
            extent.bytes[1],
            extent.digest,
        ];
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(checksum(0, &bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; HEAD]) -> Option<Head> {
        let words: Vec<u64> =
            bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let is_whole = words[0] == MAGIC && words[WORDS - 1] == checksum(0, &bytes[..HEAD - 8]);
        is_whole.then(|| Head {
            serial: words[1],
            version: words[2] as i64,
            members: words[3] as u32,
            place: words[4] as u32,
            rank: words[5] as i32,
            extent: Extent { bytes: [words[6], words[7]], digest: words[8] },
        })
    }
}

/// Four words at a time, so that it keeps up with memory.
fn checksum(seed: u64, bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(PRIME).rotate_left(29);
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut lanes = [seed, !seed, seed.rotate_left(32), PRIME];
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    let sum = lanes.into_iter().fold(bytes.len() as u64, mix);
    rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::sheet::Sheet;

    fn written(name: &str) -> (PathBuf, Head, [Vec<u8>; KINDS]) {
        let directory = std::env::temp_dir().join(format!("ftck-{}-{name}", std::process::id()));
        let data = [(0..=250).collect::<Vec<u8>>(), vec![7; 1000]];
        let extent = Extent { bytes: [251, 900], digest: 5 };
        let head = Head { serial: 9, version: -4, members: 8, place: 3, rank: 6, extent };
        let path = path(&directory, 3, 1);
        write(&path, &head, &data.clone().map(Sheet::from)).expect("it can be written");
        (path, head, data)
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let (path, head, data) = written("whole");
        assert_eq!(look(&path), Ok(Some(head)));
        let (again, back) = read(&path).expect("it is whole");
        assert_eq!((again, &back[0], &back[1]), (head, &data[0], &data[1][..900].to_vec()));
        assert!(!path.with_extension("new").exists());
        assert_eq!(look(&path.with_extension("a")), Ok(None));
        fs::remove_dir_all(path.parent().expect("a directory")).expect("it is ours");
    }

    #[test]
    fn every_damaged_byte_and_every_missing_end_is_noticed_and_named() {
        let (path, ..) = written("damaged");
        let whole = fs::read(&path).expect("it is there");
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).expect("it can be written");
            let why = read(&path).expect_err("it is damaged");
            assert!(why.contains("rank-3.b is damaged"), "{at}: {why}");
            fs::write(&path, &whole[..at]).expect("it can be written");
            let why = read(&path).expect_err("its end is missing");
            assert!(why.contains("rank-3.b is damaged"), "{at}: {why}");
        }
        fs::remove_dir_all(path.parent().expect("a directory")).expect("it is ours");
    }
}
