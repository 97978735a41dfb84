//! `--virtual`, `--compute` and `--network`: the time of a machine that is not there.

use crate::options::Does;
use crate::shared::refusal::Refusal;
use ftmpi_launch::{Compute, Job, VirtualTime};
use ftmpi_machine::network::NetworkModel;
use std::ffi::OsStr;

pub(crate) const COMPUTES: &str = "measured, declared or none";
pub(crate) const NETWORKS: &str = "ideal, flows or packets";

/// The wish so far.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    pub(crate) is_wanted: bool,
    compute: Option<Compute>,
    network: Option<NetworkModel>,
}

impl Wish {
    /// One of these options.
    pub(crate) fn set(&mut self, does: Does, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        if does == Does::Compute {
            self.compute(dashed, value)
        } else {
            self.network(dashed, value)
        }
    }

    /// `--compute KIND`.
    fn compute(&mut self, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        let text = value.to_string_lossy();
        let no = || Refusal::usage(format!("{dashed} is {COMPUTES}, not `{text}`"));
        self.compute = Some(Compute::named(&text).ok_or_else(no)?);
        Ok(())
    }

    /// `--network KIND`.
    fn network(&mut self, dashed: &str, value: &OsStr) -> Result<(), Refusal> {
        let text = value.to_string_lossy();
        let no = || Refusal::usage(format!("{dashed} is {NETWORKS}, not `{text}`"));
        self.network = Some(NetworkModel::named(&text).ok_or_else(no)?);
        Ok(())
    }

    /// Puts the wish into the job, all options of which are known.
    pub(crate) fn give_to(&self, job: &mut Job, has_threads: bool) -> Result<(), Refusal> {
        if !self.is_wanted {
            let of_it =
                [(self.compute.is_some(), "--compute"), (self.network.is_some(), "--network")];
            return match of_it.iter().find(|(is_asked, _)| *is_asked) {
                Some((_, what)) => Err(Refusal::usage(format!(
                    "{what} says how time passes with --virtual: add it"
                ))),
                None => Ok(()),
            };
        }
        if job.machine.is_none() {
            let why = "--virtual: whose time? Name a machine: --machine bluegene-l, for example";
            return Err(Refusal::usage(why));
        }
        if has_threads {
            let why = "--virtual and --ranks thread: only fibers have virtual time";
            return Err(Refusal::usage(why));
        }
        job.virtual_time = Some(VirtualTime {
            compute: self.compute.unwrap_or_default(),
            network: self.network.unwrap_or_default(),
        });
        Ok(())
    }
}
