//! Finds a collective mismatch: each member claims what it has called, so that different calls are
//! an error at once, whichever algorithms they would have used.
//!
//! A claim has what must be equal at all members: the call and its form, its root, its operation,
//! and how many elements of which type each member gives or gets. It leaves out what may differ:
//! blocks whose sizes are listed, and what two groups give each other. Two type signatures are
//! equal when their basic elements are, however the types were made; bytes match anything of their
//! size.

use super::role::Role;
use crate::engine::shared::rules::Rules;
use crate::engine::{Call, Caller, Meeting, Void};
use crate::mpi::checks;
use crate::mpi::comm::Comm;
use crate::mpi::datatype::predefined;
use crate::mpi::datatype::signature::{self, Digest};
use crate::mpi::datatype::{Datatype, Element};
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::usability::{Standing, standing};
use crate::mpi::lane::LOCAL_TAGS;
use crate::mpi::op::Op;
use crate::mpi::process::Process;

/// The calls that all members make together, by their blocking form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Barrier,
    Bcast,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Reduce,
    Allreduce,
    ReduceScatterBlock,
    ReduceScatter,
    Scan,
    Exscan,
    NeighborAllgather,
    NeighborAlltoall,
    Dup,
    Split,
    Create,
    IntercommCreate,
    IntercommMerge,
    CartCreate,
    CartSub,
    GraphCreate,
    DistGraph,
    DistGraphAdjacent,
    Accept,
    Connect,
    Spawn,
    Disconnect,
    Finalize,
    FileOpen,
    FileClose,
    FileSetView,
    FileSetSize,
    FilePreallocate,
    FileSetInfo,
    FileSetAtomicity,
    FileSync,
    FileSeekShared,
    FileReadAll,
    FileReadAtAll,
    FileReadOrdered,
    FileWriteAll,
    FileWriteAtAll,
    FileWriteOrdered,
    WinCreate,
    WinAllocate,
    WinAllocateShared,
    WinCreateDynamic,
    WinFence,
    WinFree,
    /// What checkpoints do together.
    Checkpoint,
}

const TITLES: [&str; 55] = [
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Reduce_scatter_block",
    "MPI_Reduce_scatter",
    "MPI_Scan",
    "MPI_Exscan",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_alltoall",
    "MPI_Comm_dup",
    "MPI_Comm_split",
    "MPI_Comm_create",
    "MPI_Intercomm_create",
    "MPI_Intercomm_merge",
    "MPI_Cart_create",
    "MPI_Cart_sub",
    "MPI_Graph_create",
    "MPI_Dist_graph_create",
    "MPI_Dist_graph_create_adjacent",
    "MPI_Comm_accept",
    "MPI_Comm_connect",
    "MPI_Comm_spawn",
    "MPI_Comm_disconnect",
    "MPI_Finalize",
    "MPI_File_open",
    "MPI_File_close",
    "MPI_File_set_view",
    "MPI_File_set_size",
    "MPI_File_preallocate",
    "MPI_File_set_info",
    "MPI_File_set_atomicity",
    "MPI_File_sync",
    "MPI_File_seek_shared",
    "MPI_File_read_all",
    "MPI_File_read_at_all",
    "MPI_File_read_ordered",
    "MPI_File_write_all",
    "MPI_File_write_at_all",
    "MPI_File_write_ordered",
    "MPI_Win_create",
    "MPI_Win_allocate",
    "MPI_Win_allocate_shared",
    "MPI_Win_create_dynamic",
    "MPI_Win_fence",
    "MPI_Win_free",
    "a function of FTCK",
];

/// Calls of which members give and get nothing.
const BARRIERS: [Kind; 5] =
    [Kind::Barrier, Kind::WinFence, Kind::WinFree, Kind::Finalize, Kind::Disconnect];

/// Calls after which members have less in common.
const PARTINGS: [Kind; 2] = [Kind::Disconnect, Kind::WinFree];

/// Calls of different forms do not match (MPI-5.0 §6.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mpi) enum Form {
    Blocking,
    Nonblocking,
    Persistent,
    /// The two halves of a split collective access to a file.
    Split,
}

/// How many elements of which type.
#[derive(Clone, Copy)]
pub struct Amount {
    code: u8,
    content: u64,
}

/// What is equal at all members, in two words: kind, form, operation and element code in a byte
/// each, from the lowest, and above them the root plus one; then the count.
#[derive(Clone, Copy)]
pub struct Claim(Call);

const FORM: u32 = 8;
const OP: u32 = 16;
const ELEMENT: u32 = 24;
const ROOT: u32 = 32;

/// A bit above all ranks: the root is in the second of two groups.
const SECOND: u64 = 1 << 30;

impl Claim {
    #[inline(always)]
    pub const fn of(kind: Kind) -> Claim {
        Claim(Call { what: kind as u64, amount: 0 })
    }

    #[inline(always)]
    fn with(self, bits: u64, shift: u32) -> Claim {
        Claim(Call { what: self.0.what | bits << shift, ..self.0 })
    }

    #[inline(always)]
    pub(in crate::mpi) fn form(self, form: Form) -> Claim {
        self.with(form as u64, FORM)
    }

    /// This claim with the root as all members of `comm` know it: `root` as it was passed, except
    /// between two groups and where ranks are missing.
    #[inline(always)]
    pub(super) fn root(self, root: i32, role: Role, comm: &Comm) -> Claim {
        match comm.is_whole() {
            true => self.with(root as u64 + 1, ROOT),
            false => self.root_with_care(role, comm.living()),
        }
    }

    #[cold]
    fn root_with_care(self, role: Role, comm: &Comm) -> Claim {
        match role {
            Role::Root if !comm.is_inter() => return self.with(comm.rank as u64 + 1, ROOT),
            Role::Leaf(root) if !comm.is_inter() => return self.with(root as u64 + 1, ROOT),
            _ => {}
        }
        let (rank, is_own) = match role {
            Role::Root => (comm.rank, true),
            Role::Leaf(root) => (root, false),
            Role::Nobody => return Claim(self.0.vague()),
        };
        let own = comm.group.member(0).map_or(0, |member| member.seat);
        let is_second = (own > comm.member(0).seat) == is_own;
        self.with((rank as u64 | if is_second { SECOND } else { 0 }) + 1, ROOT)
    }

    #[inline(always)]
    pub(super) fn op(self, code: u8) -> Claim {
        self.with(code.into(), OP)
    }

    #[inline(always)]
    pub(super) fn amount(self, Amount { code, content }: Amount) -> Claim {
        let claim = self.with(code.into(), ELEMENT);
        Claim(Call { amount: content, ..claim.0 })
    }

    /// Whether the members agree in atomic mode on how it went. Those that part do not: one that
    /// has seen a failure clears up before it recovers, while others wait elsewhere for that.
    pub(super) fn is_agreed_on(self) -> bool {
        !PARTINGS.iter().any(|kind| self.is_of(*kind))
    }

    /// Whether it is a call of this kind.
    pub(super) fn is_of(self, kind: Kind) -> bool {
        self.0.what as u8 == kind as u8
    }

    /// The rank of the root, of an operation within a group that has one.
    pub(super) fn rank_of_root(self) -> i32 {
        (self.0.what >> ROOT) as i32 - 1
    }

    /// How many bytes each member gives or gets, if all know that.
    pub(super) fn bytes(self) -> Option<u64> {
        let code = (self.0.what >> ELEMENT) as u8;
        match code {
            0 => BARRIERS.iter().any(|kind| self.is_of(*kind)).then_some(0),
            Digest::MIXED => None,
            _ => Some(signature::bytes_of_code(code).saturating_mul(self.0.amount)),
        }
    }

    /// The claim as the engine compares it with another member's for the same operation number.
    #[inline(always)]
    pub(in crate::mpi) fn call(self) -> Call {
        self.0
    }
}

impl Amount {
    /// Unknown, or not equal at all members.
    pub(super) const ANY: Amount = Amount { code: 0, content: 0 };

    /// This many bytes of any type.
    pub(super) fn bytes(bytes: usize) -> Amount {
        Amount { code: signature::code(Element::Byte), content: bytes as u64 }
    }

    #[inline(always)]
    pub(super) fn of(datatype: &Datatype, count: i64) -> Amount {
        let one = datatype.signature.digest;
        if one.elements == 0 || count <= 0 {
            return Amount::bytes(0);
        }
        if one.code == Digest::MIXED {
            let all = one.times(count as u64);
            return Amount { code: all.code, content: all.content() };
        }
        Amount { code: one.code, content: one.elements.saturating_mul(count as u64) }
    }

    fn is_like(self, other: Amount) -> bool {
        let bytes = signature::code(Element::Byte);
        let length = |amount: Amount| signature::bytes_of_code(amount.code) * amount.content;
        match (self.code, other.code) {
            (0, _) | (_, 0) => true,
            (one, other_code) if one == other_code => self.content == other.content,
            (one, other_code) if one == bytes || other_code == bytes => {
                let is_mixed = [one, other_code].contains(&Digest::MIXED);
                let some = if one == bytes { self.content } else { other.content };
                if is_mixed { some != 0 } else { length(self) == length(other) }
            }
            _ => false,
        }
    }

    fn words(self) -> Option<String> {
        match self.code {
            0 => None,
            Digest::MIXED => Some("items of several types".to_string()),
            code => Some(format!("{} \u{d7} {}", self.content, predefined::title(code))),
        }
    }
}

/// The parts of a claim.
struct Parts {
    kind: u8,
    form: u8,
    op: u8,
    amount: Amount,
    /// The root plus one; 0: no root.
    root: u64,
}

impl Parts {
    fn of(Call { what, amount }: Call) -> Parts {
        let byte = |shift: u32| (what >> shift) as u8;
        let amount = Amount { code: byte(ELEMENT), content: amount };
        Parts {
            kind: byte(0),
            form: byte(FORM),
            op: byte(OP),
            amount,
            root: what << 1 >> (ROOT + 1),
        }
    }

    fn is_same_call(&self, other: &Parts) -> bool {
        (self.kind, self.form) == (other.kind, other.form)
    }

    fn has_same_root(&self, other: &Parts) -> bool {
        self.root == other.root || self.root == 0 || other.root == 0
    }

    fn has_same_op(&self, other: &Parts) -> bool {
        self.op == other.op || self.op == 0 || other.op == 0
    }

    /// The call, and the arguments that must be equal.
    fn words(&self) -> String {
        let title = TITLES[usize::from(self.kind)];
        let of = |object: &str| title.split_once(object).map(|(_, rest)| rest);
        let title = match (self.form, of("_Comm_"), of("_File_")) {
            (0, ..) => title.to_string(),
            (1, Some(rest), _) => format!("MPI_Comm_i{rest}"),
            (1, _, Some(rest)) => format!("MPI_File_i{rest}"),
            (1, ..) => format!("MPI_I{}", title["MPI_".len()..].to_lowercase()),
            (2, ..) => format!("{title}_init"),
            _ => format!("{title}_begin"),
        };
        let op = (self.op != 0).then(|| Op::title(self.op).to_string());
        let root = (self.root != 0).then(|| format!("root {}", (self.root - 1) & (SECOND - 1)));
        let parts: Vec<String> = [self.amount.words(), op, root].into_iter().flatten().collect();
        if parts.is_empty() { title } else { format!("{title} ({})", parts.join(", ")) }
    }

    /// The error class of the difference.
    fn class(&self, other: &Parts) -> Class {
        let reductions = Kind::Reduce as u8..=Kind::Exscan as u8;
        match () {
            () if !self.is_same_call(other) => Class::NOT_SAME,
            () if !self.has_same_root(other) => Class::ROOT,
            () if !self.has_same_op(other) => Class::OP,
            () if self.amount.code == other.amount.code && self.amount.code != Digest::MIXED => {
                match reductions.contains(&self.kind) {
                    true => Class::COUNT,
                    false => Class::TRUNCATE,
                }
            }
            () => Class::TYPE,
        }
    }
}

fn is_like(one: Call, other: Call) -> bool {
    let (one, other) = (Parts::of(one), Parts::of(other));
    one.is_same_call(&other)
        && one.has_same_root(&other)
        && one.has_same_op(&other)
        && one.amount.is_like(other.amount)
}

/// Compares this member's claim for the operation of `comm` with this number. Fails if another
/// member has called something else, which ends the operation for all: then this member must take
/// no part in it.
pub(in crate::mpi) fn compare(process: &Process, comm: &Comm, number: i32, claim: Claim) -> Result {
    let comm = comm.living();
    compare_at(comm.meeting(process), process, comm, number, claim)
}

/// Does what [`compare`] does, where the living members of a communicator meet.
#[inline(always)]
pub(super) fn compare_at(
    meeting: &Meeting, process: &Process, comm: &Comm, number: i32, claim: Claim,
) -> Result {
    let caller = Caller { place: comm.union().rank as usize, call: claim.call() };
    match meeting.calls.has(number as u32, caller) {
        true => Ok(()),
        false => compare_closely(meeting, process, comm, number, claim),
    }
}

/// Compares a call that is not known to be like the others.
#[inline(never)]
fn compare_closely(
    meeting: &Meeting, process: &Process, comm: &Comm, number: i32, claim: Claim,
) -> Result {
    if !checks::are_on() || comm.is_alone() || process.world.is_of_several_processes() {
        return Ok(());
    }
    let caller = Caller { place: comm.union().rank as usize, call: claim.call() };
    match meeting.calls.compare(number as u32, caller, is_like) {
        Ok(()) => Ok(()),
        Err(other) => clash(process, comm, number, caller, other),
    }
}

/// Fails if the members of `comm`, in other processes, have not all called what is alike: all
/// members compare what all have called, so it fails at all.
pub(super) fn compare_all(comm: &Comm, calls: &[Call]) -> Result {
    if calls.windows(2).all(|pair| pair[0] == pair[1]) {
        return Ok(());
    }
    let places = 0..calls.len();
    let differing = |one: usize| {
        let differs = |other: &usize| !are_alike(calls[one], calls[*other]);
        places.clone().find(differs).map(|other| [one, other])
    };
    // Each member is told of its own call, if that is not like another.
    let me = comm.union().rank as usize;
    let Some(pair) = differing(me).or_else(|| places.clone().find_map(differing)) else {
        return Ok(());
    };
    let [one, other] = pair.map(|place| Claimant { place, parts: Parts::of(calls[place]) });
    Err(other.parts.class(&one.parts).because(words(comm, one, other)))
}

fn are_alike(one: Call, other: Call) -> bool {
    let (this, that) = (Parts::of(one), Parts::of(other));
    is_like(one, other) || this.form == that.form && is_one_access(this.kind, that.kind)
}

/// Whether calls of these kinds are one collective access to a file. Members may say in different
/// ways where they begin: the standard has not allowed it, but programs for ROMIO do (PnetCDF).
fn is_one_access(one: u8, other: u8) -> bool {
    let read = [Kind::FileReadAll, Kind::FileReadAtAll];
    let write = [Kind::FileWriteAll, Kind::FileWriteAtAll];
    [read, write].iter().any(|kinds| {
        let is_in = |kind: u8| kinds.iter().any(|known| *known as u8 == kind);
        is_in(one) && is_in(other)
    })
}

/// Another member has called something else. A known failure explains that; and where ranks may
/// fail, some leave MPI while others still want to recover.
#[cold]
#[inline(never)]
fn clash(process: &Process, comm: &Comm, number: i32, mine: Caller, other: Caller) -> Result {
    let world = process.world;
    if standing(process, comm) != Standing::Well || world.is_revoked(comm.context(), process.me) {
        return Ok(());
    }
    let (own, theirs) = (Parts::of(mine.call), Parts::of(other.call));
    let leaves = |parts: &Parts| parts.kind == Kind::Finalize as u8;
    if world.rules() != Rules::End && (leaves(&own) || leaves(&theirs)) {
        return Ok(());
    }
    if own.form == theirs.form && is_one_access(own.kind, theirs.kind) {
        return Ok(());
    }
    let class = theirs.class(&own);
    let mut operations = vec![(2 * comm.context() + 1, number)];
    if comm.is_inter() {
        operations.push((2 * comm.local().context() + 1, LOCAL_TAGS - number));
    }
    let words = || {
        let mine = Claimant { place: mine.place, parts: own };
        words(comm, mine, Claimant { place: other.place, parts: theirs })
    };
    let Void { class, words } = world.make_void(&operations, class.0, words);
    Err(Class(class).because(words))
}

/// A member, and what it has called.
struct Claimant {
    place: usize,
    parts: Parts,
}

fn words(comm: &Comm, mine: Claimant, other: Claimant) -> String {
    let name = |place: usize| {
        if !comm.is_inter() {
            return format!("rank {place}");
        }
        let member = comm.union().member(place as i32);
        match comm.group.rank_of(member) {
            Some(rank) => format!("rank {rank} of this group"),
            None => {
                let rank = comm.peers().rank_of(member).unwrap_or(-1);
                format!("rank {rank} of the other group")
            }
        }
    };
    let (this, that) = (name(mine.place), name(other.place));
    let (mine, theirs) = (mine.parts.words(), other.parts.words());
    let title = comm.title();
    format!("{this} has called {mine} where {that} has called {theirs} on {title}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(kind: Kind) -> Claim {
        Claim::of(kind)
    }

    fn of_type(handle: usize, count: i64) -> Amount {
        Amount::of(&predefined::find(handle).expect("it is predefined"), count)
    }

    fn ints(count: i64) -> Amount {
        of_type(0x209, count)
    }

    #[test]
    fn every_call_has_its_name() {
        let name = |kind, form| Parts::of(claim(kind).form(form).call()).words();
        assert_eq!(name(Kind::Finalize, Form::Blocking), "MPI_Finalize");
        assert_eq!(name(Kind::Exscan, Form::Blocking), "MPI_Exscan");
        assert_eq!(name(Kind::Bcast, Form::Nonblocking), "MPI_Ibcast");
        assert_eq!(name(Kind::Bcast, Form::Persistent), "MPI_Bcast_init");
        assert_eq!(name(Kind::Dup, Form::Nonblocking), "MPI_Comm_idup");
        assert_eq!(name(Kind::FileWriteAll, Form::Nonblocking), "MPI_File_iwrite_all");
        assert_eq!(name(Kind::FileReadOrdered, Form::Split), "MPI_File_read_ordered_begin");
        let ints = ints(3);
        let full = claim(Kind::Reduce).amount(ints).op(Op::code_of(0x21)).with(8, ROOT);
        assert_eq!(
            Parts::of(full.call()).words(),
            "MPI_Reduce (3 \u{d7} MPI_INT, MPI_SUM, root 7)"
        );
    }

    #[test]
    fn what_differs_has_a_class_and_bytes_go_with_anything() {
        let of = |kind, amount| claim(kind).amount(amount).with(1, ROOT).call();
        let class = |one: Call, other| Parts::of(one).class(&Parts::of(other));
        let one = of(Kind::Bcast, ints(4));
        for (other, expected) in [
            (of(Kind::Reduce, ints(4)), Class::NOT_SAME),
            (Claim(one).form(Form::Nonblocking).call(), Class::NOT_SAME),
            (claim(Kind::Bcast).amount(ints(4)).with(2, ROOT).call(), Class::ROOT),
            (of(Kind::Bcast, ints(5)), Class::TRUNCATE),
            (of(Kind::Bcast, of_type(0x210, 4)), Class::TYPE),
            (of(Kind::Bcast, Amount::bytes(15)), Class::TYPE),
            (of(Kind::Bcast, Amount::bytes(0)), Class::TYPE),
        ] {
            assert!(!is_like(one, other) && !is_like(other, one), "{other:?}");
            assert_eq!(class(one, other), expected);
        }
        for like in [Amount::bytes(16), Amount::ANY, of_type(0x219, 4)] {
            assert!(is_like(one, of(Kind::Bcast, like)) && is_like(of(Kind::Bcast, like), one));
        }
    }
}
