//! Collective accesses to files (MPI-5.0 §14.4): two-phase I/O.
//!
//! Each member says what it wants; the file is divided into parts, and some members each carry
//! what all have in one part, straight from or to the memory of all (see `file::carrier`). So
//! pieces that interleave become long transfers. Where they do not, each member carries its own.
//!
//! Members stay until all have done their work, because others access their memory. What a member
//! that died did not come to do is missing, and the others know it.

use super::barrier::meet;
use super::claim::{Claim, Kind};
use super::members::{Members, Wait};
use super::plan::Plan;
use super::select::{Crowd, Venue};
use crate::host::life;
use crate::host::memory::{Region, Span};
use crate::mpi::error::Result;
use crate::mpi::file::access::{Access, Manner};
use crate::mpi::file::carrier::{self, End};
use crate::mpi::file::gathering::{Division, Gathering};
use crate::mpi::file::open_file::Disk;
use crate::mpi::file::pool;
use crate::mpi::file::turn;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::Way;
use std::sync::{Arc, OnceLock};

/// Accesses of this length are not worth the trouble of one system call each.
const SHORT: usize = 1 << 16;
/// A part of a file that is worth another member's work.
const WORTH: u64 = 1 << 18;

/// A collective access to a file.
pub struct FileAccess {
    pub process: &'static Process,
    pub kind: Kind,
    pub disk: Arc<Disk>,
    pub manner: Manner,
    pub access: Access,
    /// The members' accesses follow one another, from the shared file pointer on.
    pub is_ordered: bool,
    /// How many members carry data; `None`: as seems best.
    pub aggregators: Option<usize>,
    /// Whether members act for each other; `None`: as seems best.
    pub merges: Option<bool>,
    /// What parts of the file are multiples of.
    pub alignment: u64,
    /// What became of this member's access.
    pub end: OnceLock<End>,
}

impl Plan for FileAccess {
    type Algorithm = ();

    fn claim(&self) -> Claim {
        Claim::of(self.kind)
    }

    fn select(&self, crowd: Crowd) -> (Venue, ()) {
        let venue = if crowd.shares_memory() { Venue::Memory { all: true } } else { Venue::Wire };
        (venue, ())
    }

    async fn together<W: Wait>(&self, (): (), members: &Members<'_, '_, W>) -> Result {
        let ((number, _), me) = (members.lane().number(), members.me());
        let gathering = self.disk.gatherings.join(number, members.count());
        gathering.lay_down(me, self.access.clone());
        members.all_there().await?;
        let division = gathering.plan.get_or_init(|| self.divide(&gathering, members.crowd()));
        let own = self.work(members.lane().way(), &gathering, division, me).await;
        members.end_reading();
        let seen = members.all_have_read().await?;
        let end = match own? {
            Some(own) => own,
            None => total(&gathering, division, me),
        };
        let end = self.end.get_or_init(|| end);
        if let Some(address) = end.fault {
            return Err(members.suffer(address));
        }
        seen.map_or(Ok(()), Err)?;
        Ok(())
    }

    async fn by_messages(&self, (): (), lane: &Lane<'_>) -> Result {
        let mut access = self.access.clone();
        if self.is_ordered {
            access.start = access.view.data_at(self.place_in_order(lane).await?)?;
        }
        let (disk, manner) = (self.disk.clone(), self.manner);
        let carry = move || turn::carry(&disk, manner, &access);
        let end = self.done(lane.way(), carry).await?;
        if let Some(address) = self.end.get_or_init(|| end).fault {
            return Err(self.process.engine.suffer(address).into());
        }
        if lane.size() > 1 { meet(lane).await } else { Ok(()) }
    }
}

impl FileAccess {
    /// Does work of this member: in place if it waits anyway. In atomic mode a thread of the
    /// library does it, since nobody may be ended while it holds the file.
    async fn done<T: Send + 'static>(
        &self, way: Way, work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        match way {
            Way::Blocking if !self.disk.is_atomic() => Ok(work()),
            _ => pool::perform(self.process, way, work).await,
        }
    }

    /// Carries this member's part of the work. Returns what became of its own access if that does
    /// not depend on others.
    async fn work(
        &self, way: Way, gathering: &Arc<Gathering>, division: &Division, me: usize,
    ) -> Result<Option<End>> {
        let part = division.parts.iter().find(|(_, worker)| *worker == me).map(|(part, _)| *part);
        if !division.is_apart && part.is_none() {
            return Ok(None);
        }
        let (all, file, manner) = (gathering.clone(), self.disk.clone(), self.manner);
        let carry = move || {
            let division = all.plan.get().expect("it was made before");
            let accesses = &division.accesses;
            let _turn = file.turn().expect("members that meet share a descriptor");
            match part {
                None => Some(carrier::carry(&file.file, manner, &[&accesses[me]], carrier::ALL)[0]),
                Some(part) => {
                    all.report(me, carry_part(&file, manner, division, part, me));
                    None
                }
            }
        };
        self.done(way, carry).await
    }

    /// Shares the work among the members, all of which have come. For one that is gone with what it
    /// wanted there is nothing to do; that it has died is told in the end.
    fn divide(&self, gathering: &Gathering, crowd: Crowd) -> Division {
        let nothing = Access { region: Region::EMPTY, ..self.access.clone() };
        let mut accesses: Vec<Access> =
            gathering.accesses().map(|access| access.unwrap_or(&nothing).clone()).collect();
        if self.is_ordered {
            self.put_in_order(gathering, &mut accesses);
        }
        let apart =
            |accesses| Division { accesses, is_apart: true, parts: Vec::new(), is_in_turn: false };
        let total: usize = accesses.iter().map(Access::bytes).sum();
        let mut hulls: Vec<(u64, u64)> =
            accesses.iter().filter(|access| access.bytes() > 0).map(Access::hull).collect();
        hulls.sort_unstable();
        let is_sorted = accesses.iter().all(|access| access.view.is_sorted());
        let are_apart = is_sorted && hulls.windows(2).all(|pair| pair[0].1 <= pair[1].0);
        let is_atomic = self.disk.is_atomic();
        if hulls.is_empty() || is_atomic && are_apart {
            return apart(accesses);
        }
        // One member holds the file for all: nothing else comes between parts of an access.
        if is_atomic {
            let parts = vec![(carrier::ALL, 0)];
            return Division { accesses, is_apart: false, parts, is_in_turn: true };
        }
        let merges = match self.merges {
            Some(merges) => merges,
            None => !are_apart || total / hulls.len() < SHORT,
        };
        if !merges || !is_sorted {
            return apart(accesses);
        }
        let start = hulls[0].0;
        let end = hulls.iter().map(|hull| hull.1).max().unwrap_or(start);
        let most = self.aggregators.unwrap_or(crowd.combiners()).min(crowd.members());
        let worth = (total as u64).div_ceil(WORTH) as usize;
        let parts = parts((start, end), most.min(worth).max(1), self.alignment);
        let worker = |n: usize| n * crowd.members() / parts.len();
        let parts = parts.iter().enumerate().map(|(n, part)| (*part, worker(n))).collect();
        Division { accesses, is_apart: false, parts, is_in_turn: false }
    }

    /// Lets the accesses follow one another from the shared file pointer on.
    fn put_in_order(&self, gathering: &Gathering, accesses: &mut [Access]) {
        let etypes = |access: &Access| access.bytes() as i64 / access.view.etype_bytes;
        let total: i64 = accesses.iter().map(etypes).sum();
        let pointer = &self.disk.shared_position;
        let pass = || pointer.pass(total).expect("members that meet share the pointer");
        let mut position = *gathering.base.get_or_init(pass);
        for access in accesses {
            let data = (position * access.view.etype_bytes).max(0);
            access.start = data.cast_unsigned();
            position += etypes(access);
        }
    }

    /// The position of this member's access, by messages along the ranks.
    async fn place_in_order(&self, lane: &Lane<'_>) -> Result<i64> {
        let pointer = &self.disk.shared_position;
        let mine = self.access.bytes() as i64 / self.access.view.etype_bytes;
        let mut word = [0; size_of::<i64>()];
        if lane.rank() == 0 {
            word = pointer.position()?.to_ne_bytes();
        } else {
            lane.recv(lane.rank() - 1, &Span::of_mut(&mut word).into()).await?;
        }
        let position = i64::from_ne_bytes(word);
        if lane.rank() == lane.size() - 1 {
            pointer.set(position + mine)?;
            return Ok(position);
        }
        let next = (position + mine).to_ne_bytes();
        lane.send(lane.rank() + 1, &Span::of(&next).into()).await?;
        Ok(position)
    }
}

/// Parts of the file from one place to another: so many of them, or fewer.
fn parts((start, end): (u64, u64), most: usize, alignment: u64) -> Vec<(u64, u64)> {
    let first = start / alignment * alignment;
    let each = (end - first).div_ceil(most as u64).next_multiple_of(alignment);
    let count = (end - first).div_ceil(each);
    let part = |n: u64| (first + n * each, (first + (n + 1) * each).min(end));
    (0..count).map(part).collect()
}

/// Carries what all members have in a part of the file; of each, what became of it.
fn carry_part(
    disk: &Disk, manner: Manner, division: &Division, part: (u64, u64), me: usize,
) -> Vec<End> {
    let accesses = &division.accesses;
    // The memory of a member that dies meanwhile stays; that of one which is dead is gone.
    let pins: Vec<_> = accesses
        .iter()
        .enumerate()
        .map(|(place, access)| {
            let Access { owner, .. } = access;
            let is_needed = place != me && access.bytes() > 0;
            is_needed.then(|| life::pin(owner.seat, owner.incarnation))
        })
        .collect();
    let is_there = |place: usize| !matches!(pins[place], Some(None));
    let there: Vec<usize> = (0..accesses.len()).filter(|place| is_there(*place)).collect();
    let mut ends = vec![End { missing: 0, ..End::GOOD }; accesses.len()];
    let turns = if division.is_in_turn { 1 } else { there.len().max(1) };
    for places in there.chunks(turns) {
        let wanted: Vec<&Access> = places.iter().map(|place| &accesses[*place]).collect();
        let done = carrier::carry(&disk.file, manner, &wanted, part);
        places.iter().zip(done).for_each(|(place, end)| ends[*place] = end);
    }
    ends
}

/// What became of the access of the member at `place`, by the parts of the work.
fn total(gathering: &Gathering, division: &Division, place: usize) -> End {
    let access = &division.accesses[place];
    let mut all = End::GOOD;
    for ((start, _), worker) in &division.parts {
        let end = gathering.end(*worker, place).unwrap_or_else(|| {
            // Nobody knows how far a member came that has died.
            let missing = access.bytes_before(*start, 0);
            let missing = if missing < access.bytes() { missing } else { usize::MAX };
            End { missing, ..End::GOOD }
        });
        all.missing = all.missing.min(end.missing);
        all.fault = all.fault.or(end.fault);
        all.error = all.error.or(end.error);
    }
    all
}
