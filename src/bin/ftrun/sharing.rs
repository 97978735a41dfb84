//! Whether ranks are processes, and how many they share: `--processes`, `--processes=P`, and what
//! `--ranks` and `FTMPI_RANKS` say of that.

use crate::request::Request;
use crate::shared::refusal::Refusal;

impl Request {
    /// Ranks are processes: one each, or so many in all.
    pub(crate) fn set_processes(&mut self, count: Option<usize>) {
        (self.has_processes, self.job.processes) = (true, count);
    }

    /// The same, if no option has said so, and if it can be.
    pub(crate) fn suggest_processes(&mut self, count: Option<usize>) {
        let is_possible = self.apps.len() == 1 && self.job.watch.is_none();
        if is_possible && !self.has_processes {
            let is_shared = |count: &usize| *count < self.job.ranks && !self.job.is_seen();
            self.set_processes(count.filter(is_shared));
        }
    }

    /// Decides whether ranks share processes, once their number is known.
    pub(crate) fn settle_processes(&mut self) -> Result<(), Refusal> {
        let ranks = self.job.ranks;
        match self.job.processes {
            Some(count) if count > ranks => Err(Refusal::usage(format!(
                "--processes={count}: there are only {ranks} ranks, and each process has one at \
                 least"
            ))),
            Some(count) => {
                // One process has all ranks in any case.
                self.has_processes = count > 1;
                self.job.processes = Some(count).filter(|count| (2..ranks).contains(count));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Whether a process starts with the program as it is, as nothing in it is copied.
    pub(crate) fn is_only_started(&self) -> bool {
        self.has_processes && self.job.processes.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_share_processes_if_these_are_fewer_and_several() {
        for (ranks, wanted, is_process, shared) in
            [(4, 1, false, None), (4, 2, true, Some(2)), (4, 3, true, Some(3)), (4, 4, true, None)]
        {
            let mut request = Request::default();
            request.job.ranks = ranks;
            request.set_processes(Some(wanted));
            assert!(request.settle_processes().is_ok());
            assert_eq!((request.has_processes, request.job.processes), (is_process, shared));
        }
        let mut request = Request::default();
        request.set_processes(Some(2));
        assert!(request.settle_processes().is_err());
    }
}
