//! A rank's part of a checkpoint as a file, which is either complete or absent, and is checked when
//! it is read.
//!
//! A file has a head, the data of a place, the codes that the place keeps, and a trailer with the
//! checksums of these regions. It is written under another name, synced, and renamed. Data and
//! codes are judged separately: damaged codes do not spoil the data.

use super::head::{FIXED_BYTES, Head, Region, checksum};
use super::slot::{Codes, Data};
use crate::base::sync::sheet::Sheet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Display, Path, PathBuf};

/// Two generations are kept in turn.
pub(super) const TURNS: usize = 2;

/// The contents of a file; for damaged data or codes, the reason.
pub(super) struct Contents {
    pub(super) head: Head,
    pub(super) data: Result<Data, String>,
    pub(super) codes: Result<Codes, String>,
}

/// The file of a place.
pub(super) fn path(directory: &Path, place: usize, turn: usize) -> PathBuf {
    directory.join(format!("rank-{place}.{}", ["a", "b"][turn]))
}

/// The name under which a file is written before it is renamed: one for all turns of a place.
pub(super) fn fresh(path: &Path) -> PathBuf {
    path.with_extension("new")
}

/// Writes a file, or leaves the old one; returns the reason with the file's name if it cannot.
pub(super) fn write(path: &Path, head: &Head, data: &Data, codes: &Codes) -> Result<(), String> {
    let fresh = fresh(path);
    let directory = path.parent().expect("it lies in a directory");
    fs::create_dir_all(directory).map_err(|error| named(directory, &error))?;
    let written = fill(&fresh, head, data, codes).and_then(|()| fs::rename(&fresh, path));
    if let Err(error) = written {
        // The disk may be full.
        let _gone = fs::remove_file(&fresh);
        return Err(named(&fresh, &error));
    }
    let is_safe = File::open(directory).and_then(|directory| directory.sync_all());
    is_safe.map_err(|error| named(directory, &error))
}

/// Writes at explicit positions: a rank may be ended while it waits in a write without one, and
/// would leave its file open.
fn fill(path: &Path, head: &Head, data: &Data, codes: &Codes) -> io::Result<()> {
    let file = File::create(path)?;
    let bytes = head.to_bytes();
    file.write_all_at(&bytes, 0)?;
    let mut at = bytes.len() as u64;
    let mut trailer = Vec::new();
    for (number, Region { kind, stripe, bytes }) in head.regions().enumerate() {
        let sheet = stripe.map_or(&data[kind], |stripe| &codes[kind][&stripe]);
        let region = sheet.read(0..bytes);
        file.write_all_at(&region, at)?;
        at += bytes as u64;
        trailer.extend(checksum(seed(head, number), &region).to_le_bytes());
    }
    let sum = checksum(head.generation.stamp, &trailer);
    trailer.extend(sum.to_le_bytes());
    file.write_all_at(&trailer, at)?;
    file.sync_all()
}

/// The start value of a region's checksum, so that regions and files cannot be confused.
fn seed(head: &Head, number: usize) -> u64 {
    head.generation.stamp.wrapping_add((head.place as u64) << 32).wrapping_add(number as u64)
}

/// The head of a place's file; `None` if there is no file.
pub(super) fn look(path: &Path, place: usize) -> Result<Option<Head>, String> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|error| unread(path, &error))?,
    };
    Ok(Some(head_of(&file, path, place)?.0))
}

/// The contents of a place's file. Without a valid trailer, its data and codes cannot be judged.
pub(super) fn read(path: &Path, place: usize) -> Result<Contents, String> {
    let file = File::open(path).map_err(|error| unread(path, &error))?;
    let (head, start) = head_of(&file, path, place)?;
    let sums = match trailer(&file, path, &head, start) {
        Ok(sums) => sums,
        Err(why) => return Ok(Contents { head, data: Err(why.clone()), codes: Err(why) }),
    };
    let mut data: Result<Data, String> = Ok(Data::default());
    let mut codes: Result<Codes, String> = Ok(Codes::default());
    let mut at = start;
    for (number, Region { kind, stripe, bytes }) in head.regions().enumerate() {
        let what = if stripe.is_some() { "codes" } else { "data" };
        let is_it = |bytes: &[u8]| checksum(seed(&head, number), bytes) == sums[number];
        let region = piece(&file, path, at, bytes).and_then(|bytes| match is_it(&bytes) {
            true => Ok(Sheet::from(bytes)),
            false => Err(damaged(path, &format!("the checksum of its {what} does not match"))),
        });
        at += bytes as u64;
        match stripe {
            None => keep(&mut data, region, |data, sheet| data[kind] = sheet),
            Some(stripe) => {
                keep(&mut codes, region, |codes, sheet| drop(codes[kind].insert(stripe, sheet)));
            }
        }
    }
    Ok(Contents { head, data, codes })
}

/// Adds a region, unless a region is damaged.
fn keep<T>(
    all: &mut Result<T, String>, region: Result<Sheet, String>, add: impl FnOnce(&mut T, Sheet),
) {
    match (all.as_mut(), region) {
        (Ok(all), Ok(sheet)) => add(all, sheet),
        (Ok(_), Err(why)) => *all = Err(why),
        (Err(_), _) => {}
    }
}

/// The checksums of all regions, the first of which begins at `start`.
fn trailer(file: &File, path: &Path, head: &Head, start: u64) -> Result<Vec<u64>, String> {
    let regions = head.regions().map(|region| region.bytes as u64);
    let end = regions.fold(start, u64::saturating_add);
    let bytes = 8 * (head.regions().count() + 1);
    let expected = end.saturating_add(bytes as u64);
    let length = file.metadata().map_err(|error| unread(path, &error))?.len();
    if length != expected {
        return Err(damaged(path, &format!("it has {length} bytes instead of {expected}")));
    }
    let trailer = piece(file, path, end, bytes)?;
    let mut sums: Vec<u64> =
        trailer.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let sum = checksum(head.generation.stamp, &trailer[..bytes - 8]);
    match sums.pop() == Some(sum) {
        true => Ok(sums),
        false => Err(damaged(path, "its end is missing or wrong")),
    }
}

fn piece(file: &File, path: &Path, at: u64, bytes: usize) -> Result<Vec<u8>, String> {
    let mut piece = vec![0; bytes];
    file.read_exact_at(&mut piece, at).map_err(|error| unread(path, &error))?;
    Ok(piece)
}

/// The head, and the position of its end.
fn head_of(file: &File, path: &Path, place: usize) -> Result<(Head, u64), String> {
    let no_head = || damaged(path, "it is not a checkpoint file of this release");
    let mut fixed = [0; FIXED_BYTES];
    file.read_exact_at(&mut fixed, 0).map_err(|_| no_head())?;
    let length = Head::length(&fixed).ok_or_else(no_head)?;
    // A damaged head may claim any length.
    if file.metadata().map_err(|error| unread(path, &error))?.len() < length {
        return Err(no_head());
    }
    let bytes = piece(file, path, 0, length as usize)?;
    let head = Head::from_bytes(&bytes).ok_or_else(no_head)?;
    match head.place == place {
        true => Ok((head, length)),
        false => {
            Err(format!("{} is the file of place {}, not of place {place}", name(path), head.place))
        }
    }
}

fn named(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

fn unread(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be read: {error}", name(path))
}

fn damaged(path: &Path, why: &str) -> String {
    format!("{} is damaged: {why}", name(path))
}

/// A file's name within its directory, which messages name only once.
pub(super) fn name(path: &Path) -> Display<'_> {
    Path::new(path.file_name().unwrap_or_default()).display()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::extent::Extent;
    use crate::checkpoint::extent::{DOUBLES, EXACT};
    use crate::checkpoint::head::Note;
    use crate::checkpoint::ledger::Generation;
    use crate::checkpoint::scheme::Scheme;

    const PLACE: usize = 3;

    fn sheet(bytes: impl IntoIterator<Item = u8>) -> Sheet {
        Sheet::from(bytes.into_iter().collect::<Vec<u8>>())
    }

    /// Writes the file of a place that keeps two codes; returns what it wrote.
    fn written(name: &str) -> (PathBuf, Head, Data, Codes) {
        let directory = std::env::temp_dir().join(format!("ftck-{}-{name}", std::process::id()));
        let extent = |at: u64| Extent { bytes: [251 - at, 900], digest: 5 };
        let note = |place: usize| {
            let extent = extent(place as u64 - PLACE as u64);
            Note { place, rank: 2 * place as i32, node: 9, extent }
        };
        let region =
            |kind: usize, stripe: usize, bytes: usize| Region { kind, stripe: Some(stripe), bytes };
        let head = Head {
            generation: Generation { serial: 9, stamp: 77, version: -4, members: 8 },
            place: PLACE,
            scheme: Scheme::parse("weighted:2,groups=2").expect("a scheme"),
            has_nodes: true,
            notes: vec![note(PLACE), note(5)],
            codes: vec![region(EXACT, 4, 64), region(DOUBLES, 4, 128)],
        };
        let data = [sheet(0..=250), sheet([7; 1000])];
        let mut codes = Codes::default();
        codes[EXACT].insert(4, sheet(50..114));
        codes[DOUBLES].insert(4, sheet([9; 128]));
        let path = path(&directory, PLACE, 1);
        write(&path, &head, &data, &codes).expect("it can be written");
        (path, head, data, codes)
    }

    /// What is wrong with a file, in any of its parts.
    fn wrong(path: &Path) -> Option<String> {
        match read(path, PLACE) {
            Ok(Contents { data, codes, .. }) => data.err().or(codes.err()),
            Err(why) => Some(why),
        }
    }

    fn bytes(sheet: &Sheet) -> Vec<u8> {
        sheet.read(0..sheet.len()).to_vec()
    }

    fn remove(path: &Path) {
        fs::remove_dir_all(path.parent().expect("a directory")).expect("it is ours");
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let (path, head, data, codes) = written("whole");
        assert_eq!(look(&path, PLACE), Ok(Some(head.clone())));
        let Ok(Contents { head: again, data: Ok(back), codes: Ok(kept) }) = read(&path, PLACE)
        else {
            panic!("it is whole")
        };
        assert_eq!(again, head);
        assert_eq!(bytes(&back[EXACT]), bytes(&data[EXACT]));
        assert_eq!(bytes(&back[DOUBLES]), bytes(&data[DOUBLES])[..900], "the rest is room");
        for kind in [EXACT, DOUBLES] {
            assert_eq!(bytes(&kept[kind][&4]), bytes(&codes[kind][&4]));
        }
        assert!(!path.with_extension("new").exists());
        assert_eq!(look(&path.with_extension("a"), PLACE), Ok(None));
        assert!(look(&path, 2).is_err_and(|why| why.contains("rank-3.b is the file of place 3")));
        remove(&path);
    }

    #[test]
    fn every_damaged_byte_and_every_missing_end_is_noticed_and_named() {
        let (path, ..) = written("damaged");
        let whole = fs::read(&path).expect("it is there");
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).expect("it can be written");
            let why = wrong(&path).expect("it is damaged");
            assert!(why.contains("rank-3.b is damaged"), "{at}: {why}");
            fs::write(&path, &whole[..at]).expect("it can be written");
            let why = wrong(&path).expect("its end is missing");
            assert!(why.contains("rank-3.b is damaged"), "{at}: {why}");
        }
        remove(&path);
    }

    #[test]
    fn damaged_codes_leave_the_data_and_damaged_data_the_codes() {
        let (path, head, ..) = written("apart");
        let whole = fs::read(&path).expect("it is there");
        let start = head.to_bytes().len();
        for (at, is_data) in [(start, true), (start + 1150, true), (start + 1151, false)] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).expect("it can be written");
            let Ok(Contents { data, codes, .. }) = read(&path, PLACE) else {
                panic!("one of its regions is damaged")
            };
            assert_eq!((data.is_err(), codes.is_err()), (is_data, !is_data), "{at}");
        }
        remove(&path);
    }
}
