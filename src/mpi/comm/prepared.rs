//! Drafts of communicators: everything that a communicator is made of, except its handle.

use crate::base::Member;
use crate::mpi::attributes::Attributes;
use crate::mpi::comm::group::Group;
use crate::mpi::comm::{Belongings, Comm, Contexts, Gaps, NULL};
use crate::mpi::errhandler::Installed;
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::fault_attributes::FaultAttributes;
use crate::mpi::failure::lineage;
use crate::mpi::info::Info;
use crate::mpi::process::Process;
use crate::mpi::topology::shape::Topology;
use std::sync::Arc;

/// What a communicator is made of.
pub(in crate::mpi) struct Draft<'a> {
    pub(in crate::mpi) contexts: Contexts,
    pub(in crate::mpi) group: Arc<Group>,
    /// The other group of an intercommunicator.
    pub(in crate::mpi) remote: Option<Arc<Group>>,
    pub(in crate::mpi) errhandler: Installed,
    pub(in crate::mpi) attributes: Attributes,
    pub(in crate::mpi) info: Option<&'a Info>,
    pub(in crate::mpi) topology: Option<Arc<Topology>>,
    pub(in crate::mpi) gaps: Option<Gaps>,
    pub(in crate::mpi) losses: FaultAttributes,
}

impl<'a> Draft<'a> {
    /// A communicator of `group` that has what every child of `parent` has.
    pub(in crate::mpi) fn child(parent: &Comm, context: u32, group: Arc<Group>) -> Draft<'a> {
        let losses = FaultAttributes::inherit(&parent.losses);
        let gaps = parent.gaps().and_then(|gaps| gaps.within(context, &group));
        Draft { losses, gaps, ..Draft::new(context, group, Installed::inherit(&parent.errhandler)) }
    }

    /// A communicator of `group` with this error handler.
    pub(in crate::mpi) fn new(context: u32, group: Arc<Group>, errhandler: Installed) -> Draft<'a> {
        let (attributes, contexts) = (Attributes::new(), Contexts { own: context, local: context });
        let (remote, info, topology, gaps) = (None, None, None, None);
        let losses = FaultAttributes::default();
        Draft { contexts, group, remote, errhandler, attributes, info, topology, gaps, losses }
    }

    /// Turns the draft into an intercommunicator between its group and `remote`.
    pub(in crate::mpi) fn between(self, contexts: Contexts, remote: Arc<Group>) -> Draft<'a> {
        Draft { contexts, remote: Some(remote), ..self }
    }

    /// Makes the communicator.
    pub(in crate::mpi) fn make(self, process: &Process) -> Result<Arc<Comm>> {
        let made = process.comms.insert_with(|handle| Arc::new(self.build(process, handle)));
        let made = made.map(|(_, comm)| comm);
        let made = made.ok_or_else(|| {
            Class::OTHER.because("too many objects: no handle is left for another communicator")
        })?;
        lineage::is_known(process, &made)?;
        Ok(made)
    }

    /// The communicator under a handle that there is already.
    pub(in crate::mpi) fn build(self, process: &Process, handle: usize) -> Comm {
        let info = self.info;
        let mut comm = self.hold(process, handle);
        if comm.is_of_a_generation() {
            comm.order = lineage::place(process, &comm);
        }
        comm.set_info(info);
        comm
    }

    /// A communicator for the library itself: it has no handle, and no place in any order.
    pub(in crate::mpi) fn hidden(self, process: &Process) -> Comm {
        self.hold(process, NULL)
    }

    fn hold(self, process: &Process, handle: usize) -> Comm {
        self.contexts.learn(process);
        let mut comm = match self.remote {
            None => Comm::new(handle, self.contexts.own, self.group, ""),
            Some(remote) => Comm::between(handle, self.contexts, self.group, remote),
        };
        let mut belongings = Belongings::new("", self.errhandler, self.attributes);
        belongings.losses = self.losses;
        comm.belongings = Arc::new(belongings);
        comm.topology = self.topology;
        let mut comm = comm.with_gaps(self.gaps);
        if comm.size() > 1 || comm.is_inter() {
            comm.generation = process.engine.generation();
        }
        comm
    }
}

impl Contexts {
    /// Those of a communicator that its members have not agreed on yet, or never will.
    pub(in crate::mpi) const NONE: Contexts =
        Contexts { own: i32::MAX as u32, local: i32::MAX as u32 };

    /// Fresh contexts, which the first rank sends to the others.
    pub(in crate::mpi) fn draw(process: &Process, rank: i32) -> Contexts {
        match rank {
            0 => Contexts {
                own: process.world.fresh_context(),
                local: process.world.fresh_context(),
            },
            _ => Contexts::NONE,
        }
    }

    /// Whatever this process draws is greater: the one that has drawn these may die, and its
    /// successor hears of them in the recovery only if others know them.
    pub(in crate::mpi) fn learn(self, process: &Process) {
        process.world.learn_context(self.own.max(self.local));
    }

    /// What [`Reader::contexts`] reads.
    pub(in crate::mpi) fn bytes(self) -> Vec<u8> {
        Words::default().contexts(self).0
    }
}

/// What processes tell each other when they make communicators, as bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::mpi) struct Words(Vec<u8>);

impl Words {
    pub(in crate::mpi) fn new(bytes: Vec<u8>) -> Words {
        Words(bytes)
    }

    pub(in crate::mpi) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(in crate::mpi) fn number(mut self, number: u32) -> Words {
        self.0.extend(number.to_ne_bytes());
        self
    }

    pub(in crate::mpi) fn contexts(self, contexts: Contexts) -> Words {
        self.number(contexts.own).number(contexts.local)
    }

    pub(in crate::mpi) fn members(self, members: impl Iterator<Item = Member>) -> Words {
        members.fold(self, |words, member| {
            let seat = u32::try_from(member.seat).expect("ranks fit an int");
            words.number(seat).number(member.incarnation)
        })
    }

    pub(in crate::mpi) fn read(&self) -> Reader<'_> {
        Reader(&self.0)
    }
}

/// Reads [`Words`] in the order in which they were said.
pub(in crate::mpi) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(in crate::mpi) fn number(&mut self) -> u32 {
        let (number, rest) = self.0.split_first_chunk().expect("whoever wrote it wrote it all");
        self.0 = rest;
        u32::from_ne_bytes(*number)
    }

    pub(in crate::mpi) fn contexts(&mut self) -> Contexts {
        Contexts { own: self.number(), local: self.number() }
    }

    /// All that is left, as members.
    pub(in crate::mpi) fn members(&mut self) -> Vec<Member> {
        let count = self.0.len() / 8;
        let member = |_| Member { seat: self.number() as usize, incarnation: self.number() };
        (0..count).map(member).collect()
    }

    /// Whether all has been read.
    pub(in crate::mpi) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All that is left.
    pub(in crate::mpi) fn rest(self) -> &'a [u8] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_were_said() {
        let contexts = Contexts { own: 3, local: 4 };
        let members =
            vec![Member { seat: 70_000, incarnation: 1 }, Member { seat: 0, incarnation: 9 }];
        let words = Words::default().contexts(contexts).number(5).members(members.iter().copied());
        let mut reader = words.read();
        assert_eq!((reader.contexts(), reader.number()), (contexts, 5));
        assert_eq!(reader.members(), members);
        assert!(reader.is_empty());
    }
}
