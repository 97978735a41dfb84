//! Two copies in turn: which checkpoint is complete, at which members, and what all members
//! conclude from that.
//!
//! Each rank has two slots. A checkpoint goes into the slot that does not hold the last complete
//! one, and is known by a serial number that no other checkpoint ever had. A slot first gets its
//! data, then its codes; a slot with codes is complete, whatever happened to the others. Once all
//! have reported that theirs is complete, the checkpoint is *committed*.
//!
//! Before anything is overwritten or restored, all members publish their [`Account`] and come to
//! one conclusion. So a failure at any moment leaves the last committed checkpoint, or the one
//! under way if it is complete at all members that are needed, and never a mixture: data and codes
//! with one serial number are of one moment.

use super::extent::Extent;
use super::laid::Layouts;
use super::layout::Repair;
use serde::{Deserialize, Serialize};

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The serial number of its checkpoint, from 1 on.
    pub serial: u64,
    /// The program's number for that checkpoint.
    pub version: i64,
    /// How many members took it, and the place of this one.
    pub members: u32,
    pub place: u32,
    /// Whether it has all of this member's data.
    pub has_data: bool,
    /// Whether it has all codes that this member keeps.
    pub has_codes: bool,
    /// Whether all members are known to have had both.
    pub is_committed: bool,
    /// Whether its layout depends on the nodes of the members.
    pub has_nodes: bool,
}

/// A checkpoint on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    pub serial: u64,
    /// A random number, since other jobs use equal serial numbers.
    pub stamp: u64,
    pub version: i64,
    pub members: u32,
}

/// What a rank knows of a generation of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    pub generation: Generation,
    /// Its own place.
    pub place: u32,
    /// Whether the file of that place is there; otherwise the rank has seen the file of another
    /// place.
    pub has_file: bool,
    /// Whether the rank knows that all files were written, or were restored.
    pub is_whole: bool,
}

/// What a rank reports to all others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub entries: [Option<Entry>; 2],
    /// The largest serial number that it knows.
    pub seen: u64,
    /// Whether it is a replacement that has not taken part in anything yet.
    pub is_new: bool,
    /// What it has registered.
    pub extent: Extent,
    /// The digest of its scheme.
    pub digest: u64,
    /// The program's number for the checkpoint that it wants to take.
    pub version: i64,
    /// Its number of iterations between two checkpoints.
    pub interval: u64,
    /// Its node, if one is known.
    pub node: Option<u32>,
    /// What it has on disk, and after how many checkpoints it writes again; 0: never.
    pub written: [Option<Written>; 2],
    pub every: u64,
    /// What the files of the next checkpoint share, if this is the first member and it writes any.
    pub stamp: u64,
    /// Whether its own file cannot be read, by turns.
    pub is_damaged: [bool; 2],
}

/// Which rank has, or gets, the data of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// This rank has them.
    Holder(usize),
    /// This rank gets them, since the place is its own.
    Heir(usize),
    /// No rank is at this place any more; this rank takes care of its data.
    Guardian(usize),
}

impl Seat {
    pub fn rank(self) -> usize {
        match self {
            Seat::Holder(rank) | Seat::Heir(rank) | Seat::Guardian(rank) => rank,
        }
    }
}

/// A checkpoint that can be restored, and how.
#[derive(Clone, Debug)]
pub struct Choice {
    pub serial: u64,
    pub version: i64,
    pub seats: Vec<Seat>,
    /// Places whose codes must be made again, by the ranks at these places.
    pub without_codes: Vec<bool>,
    pub repairs: Vec<Repair>,
}

/// What all members conclude from the accounts.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No member can know of any complete checkpoint.
    Nothing,
    Restore(Choice),
    /// There is a checkpoint, but the data of these places are lost.
    Lost {
        serial: u64,
        version: i64,
        members: usize,
        places: Vec<usize>,
    },
}

impl Choice {
    /// The entry of a place's slot before it has data.
    pub(super) fn entry(&self, place: usize) -> Entry {
        Entry {
            serial: self.serial,
            version: self.version,
            members: self.seats.len() as u32,
            place: place as u32,
            has_data: false,
            has_codes: false,
            is_committed: false,
            has_nodes: false,
        }
    }
}

impl Account {
    pub(super) fn entry(&self, serial: u64) -> Option<&Entry> {
        self.entries.iter().flatten().find(|entry| entry.serial == serial)
    }

    /// What it knows of a generation.
    pub(super) fn writing(&self, generation: &Generation) -> Option<&Written> {
        self.written.iter().flatten().find(|written| written.generation == *generation)
    }
}

/// The verdict on all accounts, which are in the order of ranks.
pub fn judge(layouts: &Layouts, accounts: &[Account]) -> Verdict {
    let mut loss = None;
    for serial in serials(accounts) {
        match examine(layouts, accounts, serial) {
            Ok(choice) => {
                let older = (!will_have_codes(&choice) && !may_be_committed(accounts, serial))
                    .then(|| serials(accounts).filter(|other| *other < serial));
                let mut older = older
                    .into_iter()
                    .flatten()
                    .filter_map(|other| examine(layouts, accounts, other).ok());
                let better = older.find(will_have_codes);
                return Verdict::Restore(better.unwrap_or(choice));
            }
            Err(places) if loss.is_none() && may_be_committed(accounts, serial) => {
                let entry = accounts.iter().find_map(|account| account.entry(serial));
                let entry = entry.expect("somebody has told of it");
                let (version, members) = (entry.version, entry.members as usize);
                loss = Some(Verdict::Lost { serial, version, members, places });
            }
            Err(_) => {}
        }
    }
    loss.unwrap_or(Verdict::Nothing)
}

/// Whether all present members have codes, or will have them: codes are made again only if no
/// member is missing.
fn will_have_codes(choice: &Choice) -> bool {
    let is_missing = |seat: &Seat| matches!(seat, Seat::Guardian(_));
    let mut seats = choice.seats.iter().zip(&choice.without_codes);
    !choice.seats.iter().any(is_missing)
        || seats.all(|(seat, without_codes)| is_missing(seat) || !without_codes)
}

/// The serial numbers of all checkpoints of which some member has a part, newest first.
pub(super) fn serials(accounts: &[Account]) -> impl Iterator<Item = u64> + use<> {
    let entries = accounts.iter().flat_map(|account| account.entries.iter().flatten());
    let mut serials: Vec<u64> = entries.map(|entry| entry.serial).collect();
    serials.sort_unstable();
    serials.dedup();
    serials.into_iter().rev()
}

/// Whether some member may have been told that this checkpoint has succeeded. In that case it was
/// complete at all members of the time.
fn may_be_committed(accounts: &[Account], serial: u64) -> bool {
    let old = || accounts.iter().filter(|account| !account.is_new);
    let entries = || old().map(|account| account.entry(serial));
    entries().flatten().any(|entry| entry.is_committed)
        || entries().all(|entry| entry.is_some_and(|entry| entry.has_data && entry.has_codes))
}

/// How to restore a checkpoint, or else the places whose data are lost.
fn examine(layouts: &Layouts, accounts: &[Account], serial: u64) -> Result<Choice, Vec<usize>> {
    let first = accounts.iter().find_map(|account| account.entry(serial));
    let first = first.expect("somebody has told of it");
    let (version, members) = (first.version, first.members as usize);
    let mut holders: Vec<Option<usize>> = vec![None; members];
    let mut without_codes = vec![true; members];
    for (rank, account) in accounts.iter().enumerate() {
        if let Some(entry) = account.entry(serial) {
            let place = entry.place as usize;
            holders[place] = holders[place].or(entry.has_data.then_some(rank));
            without_codes[place] &= !entry.has_codes;
        }
    }
    let layout = layouts.of(serial, members);
    let is_lost: Vec<bool> = holders.iter().map(Option::is_none).collect();
    let repairs = layout.plan(&is_lost, &without_codes)?;
    let place = |account: &Account| account.entry(serial).map(|entry| entry.place as usize);
    let places: Vec<Option<usize>> = accounts.iter().map(place).collect();
    let seats = seats(&places, &holders);
    // If the dead are not replaced, all living members had their data. One that has dropped them
    // has since restored an older checkpoint, which the others have as well.
    let mut sits = vec![false; accounts.len()];
    let seated = seats.iter().filter(|seat| !matches!(seat, Seat::Guardian(_)));
    seated.for_each(|seat| sits[seat.rank()] = true);
    if accounts.len() < members && sits.contains(&false) {
        return Err(Vec::new());
    }
    Ok(Choice { serial, version, seats, without_codes, repairs })
}

/// Which rank sits at each place; `places` has the former place of each rank. A rank without data
/// takes the place with its own number; the data of a place without a rank go to the next rank that
/// has data.
pub(super) fn seats(places: &[Option<usize>], holders: &[Option<usize>]) -> Vec<Seat> {
    let members = holders.len();
    let takes = |place: usize| {
        let sat = places.get(place)?;
        let is_free = places.len() == members && sat.is_none_or(|sat| sat == place);
        is_free.then_some(place)
    };
    let heirs: Vec<Option<usize>> = (0..members).map(takes).collect();
    let mut own = vec![None; members];
    for (rank, place) in places.iter().enumerate() {
        if let Some(own) = place.and_then(|place| own.get_mut(place)) {
            own.get_or_insert(rank);
        }
    }
    let seat = |place: usize| {
        if let Some(rank) = holders[place] {
            return Seat::Holder(rank);
        }
        // A rank that took part but has no data of this checkpoint sits where it sat.
        if let Some(rank) = own[place].or(heirs[place]) {
            return Seat::Heir(rank);
        }
        let next = (1..members).find_map(|step| holders[(place + step) % members]);
        Seat::Guardian(next.expect("who could be restored has data somewhere"))
    };
    (0..members).map(seat).collect()
}

/// The checkpoint that the next one must not overwrite: the newest that all members have complete
/// with all codes. A newer one without codes can be restored now, but not after a death. If there
/// is none, it is the checkpoint that would be restored.
pub fn spared(layouts: &Layouts, accounts: &[Account]) -> Option<u64> {
    let is_whole = |choice: &Choice| {
        choice.seats.iter().all(|seat| matches!(seat, Seat::Holder(_)))
            && !choice.without_codes.contains(&true)
    };
    let examined = |serial| examine(layouts, accounts, serial).ok();
    let mut choices = serials(accounts).filter_map(examined);
    choices.find(is_whole).map(|choice| choice.serial).or_else(|| match judge(layouts, accounts) {
        Verdict::Restore(choice) => Some(choice.serial),
        _ => None,
    })
}

/// The slot of `mine` for the next checkpoint: not the one that holds `spared`.
pub fn vacant(spared: Option<u64>, mine: &Account) -> usize {
    let serial = |entry: &Option<Entry>| entry.map_or(0, |entry| entry.serial);
    let [first, second] = [serial(&mine.entries[0]), serial(&mine.entries[1])];
    match spared {
        Some(spared) if spared == first => 1,
        Some(spared) if spared == second => 0,
        _ => usize::from(second < first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::scheme::Scheme;

    fn entry(serial: u64, place: u32, members: u32) -> Entry {
        let version = serial as i64 * 10;
        Entry {
            serial,
            version,
            members,
            place,
            has_data: true,
            has_codes: true,
            is_committed: true,
            has_nodes: false,
        }
    }

    fn account(entries: [Option<Entry>; 2]) -> Account {
        let seen = entries.iter().flatten().map(|entry| entry.serial).max().unwrap_or(0);
        Account { entries, seen, ..Account::default() }
    }

    fn fresh() -> Account {
        Account { is_new: true, ..Account::default() }
    }

    #[test]
    fn a_replacement_gets_its_place_and_a_missing_rank_has_a_guardian() {
        let ring = Scheme::parse("ring").expect("a scheme");
        let held = |place| account([Some(entry(2, place, 4)), Some(entry(1, place, 4))]);
        let Verdict::Restore(rebuilt) =
            judge(&Layouts::from(&ring), &[held(0), fresh(), held(2), held(3)])
        else {
            panic!("one may be lost");
        };
        assert_eq!((rebuilt.serial, rebuilt.version), (2, 20));
        assert_eq!(rebuilt.seats[1], Seat::Heir(1));
        assert_eq!(rebuilt.without_codes, [false, true, false, false]);
        let Verdict::Restore(shrunk) = judge(&Layouts::from(&ring), &[held(0), held(2), held(3)])
        else {
            panic!("one may be lost");
        };
        let expected = [Seat::Holder(0), Seat::Guardian(1), Seat::Holder(1), Seat::Holder(2)];
        assert_eq!(shrunk.seats, expected);
    }

    #[test]
    fn more_losses_than_codes_are_told_by_their_places() {
        let ring = Scheme::parse("ring").expect("a scheme");
        let held = |place| account([Some(entry(1, place, 4)), None]);
        let verdict = judge(&Layouts::from(&ring), &[held(0), fresh(), fresh(), held(3)]);
        let Verdict::Lost { serial: 1, version: 10, members: 4, places } = verdict else {
            panic!("neighbours are lost: {verdict:?}");
        };
        assert_eq!(places, [1]);
    }

    #[test]
    fn an_older_one_with_codes_is_better_than_one_whose_codes_are_not_made_again() {
        let double = Scheme::parse("rs:2").expect("a scheme");
        let half = |place, has_codes| {
            let begun = Entry { has_codes, is_committed: false, ..entry(3, place, 4) };
            account([Some(begun), Some(entry(2, place, 4))])
        };
        let accounts = [half(0, true), half(1, true), half(2, false)];
        let Verdict::Restore(choice) = judge(&Layouts::from(&double), &accounts) else {
            panic!("one is lost")
        };
        assert_eq!(choice.serial, 2, "the third would not bear another death");
        let accounts = [half(0, true), half(1, true), half(2, false), fresh()];
        let Verdict::Restore(choice) = judge(&Layouts::from(&double), &accounts) else {
            panic!("one is lost")
        };
        assert_eq!(choice.serial, 3, "its codes are made again");
        let mut accounts = [half(0, true), half(1, true), half(2, false)];
        accounts[0].entries[0].as_mut().expect("set before").is_committed = true;
        let Verdict::Restore(choice) = judge(&Layouts::from(&double), &accounts) else {
            panic!("one is lost")
        };
        assert_eq!(choice.serial, 3, "somebody was told of it");
    }

    #[test]
    fn what_nobody_was_told_of_is_no_loss() {
        let ring = Scheme::parse("ring").expect("a scheme");
        let begun = |place| {
            let entry = Entry { has_codes: false, is_committed: false, ..entry(1, place, 4) };
            account([Some(entry), None])
        };
        let verdict = judge(&Layouts::from(&ring), &[begun(0), fresh(), begun(2), begun(3)]);
        assert!(matches!(verdict, Verdict::Nothing), "{verdict:?}");
        assert!(matches!(judge(&Layouts::from(&ring), &[fresh(), fresh()]), Verdict::Nothing));
    }

    #[test]
    fn the_next_checkpoint_spares_the_last_one_with_codes() {
        let pair = Scheme::parse("pair").expect("a scheme");
        let half = |place| {
            let begun = Entry { has_codes: false, is_committed: false, ..entry(3, place, 2) };
            account([Some(begun), Some(entry(2, place, 2))])
        };
        let accounts = [half(0), half(1)];
        // All members have their data of the third, so it can be restored, but after a death only
        // the second.
        let Verdict::Restore(choice) = judge(&Layouts::from(&pair), &accounts) else {
            panic!("nothing is lost")
        };
        assert_eq!(choice.serial, 3);
        assert_eq!(spared(&Layouts::from(&pair), &accounts), Some(2));
        assert_eq!(vacant(Some(2), &accounts[0]), 0);
        let accounts = [half(0), fresh()];
        let Verdict::Restore(choice) = judge(&Layouts::from(&pair), &accounts) else {
            panic!("a copy is there")
        };
        assert_eq!(choice.serial, 2);
        assert_eq!(spared(&Layouts::from(&pair), &accounts), Some(2));
        assert_eq!(vacant(Some(2), &accounts[0]), 0);
        assert_eq!(vacant(Some(2), &accounts[1]), 0);
    }
}
