//! What a process holds: objects that are made, given handles and freed.

use crate::base::Member;
use crate::mpi::comm::group::Group;
use crate::mpi::datatype::Contents;
use crate::mpi::datatype::{Datatype, Form};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::Held;
use crate::mpi::info::Info;
use crate::mpi::op::Op;
use crate::mpi::process::{GROUP_EMPTY, Process};
use std::sync::Arc;

impl Process {
    /// A handle of `group`.
    pub fn keep_group(&self, group: Arc<Group>) -> Result<usize> {
        if group.is_empty() {
            return Ok(GROUP_EMPTY);
        }
        self.groups.insert(group).ok_or_else(|| no_room("group"))
    }

    /// A handle of the group of these members, which were chosen from `group`.
    pub fn make_group(&self, group: &Group, members: Vec<Member>) -> Result<usize> {
        self.keep_group(Arc::new(self.derive_group(group, members)))
    }

    /// The group of these members, which were chosen from `group`.
    pub(super) fn derive_group(&self, group: &Group, members: Vec<Member>) -> Group {
        Group::listed(self.world.enrol(members), self.me).of_session(group.session())
    }

    /// The handle is void from now on. MPI_GROUP_EMPTY may be freed: it may have been given out.
    pub fn free_group(&self, handle: usize) -> Result {
        if handle != GROUP_EMPTY {
            self.group(handle, "group")?;
            self.groups.remove(handle);
        }
        Ok(())
    }

    /// A handle of `info`.
    pub fn keep_info(&self, info: Info) -> Result<usize> {
        self.infos.insert(Arc::new(info)).ok_or_else(|| no_room("info"))
    }

    /// MPI_INFO_ENV is there to be read.
    pub fn may_change(&self, info: &Held<Info>) -> Result {
        match info {
            Held::Ever(_) => Err(Class::INFO.because("info is MPI_INFO_ENV, which is constant")),
            Held::Counted(_) => Ok(()),
        }
    }

    /// The handle is void from now on.
    pub fn free_info(&'static self, handle: usize) -> Result {
        let info = self.info(handle, "info")?;
        self.may_change(&info)?;
        self.infos.remove(handle);
        Ok(())
    }

    /// A handle of a new datatype.
    pub fn make_datatype(&self, form: Form, recipe: Contents, is_committed: bool) -> Result<usize> {
        let made = self
            .datatypes
            .insert_with(|handle| Arc::new(Datatype::new(handle, form, recipe, is_committed)));
        made.map(|(handle, _)| handle).ok_or_else(|| no_room("datatype"))
    }

    /// A handle of `op`.
    pub fn keep_op(&self, op: Op) -> Result<usize> {
        self.ops.insert(Arc::new(op)).ok_or_else(|| no_room("operation"))
    }

    /// The handle is void from now on.
    pub fn free_op(&self, handle: usize) -> Result {
        match self.op(handle, "op")? {
            Held::Ever(_) => Err(Class::OP.because("op is predefined, and cannot be freed")),
            Held::Counted(_) => {
                self.ops.remove(handle);
                Ok(())
            }
        }
    }
}

fn no_room(what: &str) -> Failure {
    Class::OTHER.because(format!("too many objects: no handle is left for another {what}"))
}
