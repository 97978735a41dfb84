//! Whether ranks are processes, and how they share them: `--processes`, `--processes=P`,
//! `--per-process N`, and what `--ranks` and `FTMPI_RANKS` say of that.

use crate::request::Request;
use crate::shared::refusal::Refusal;
use crate::sharing::Sharing;

impl Request {
    /// Ranks are processes: one each, or so many in all.
    pub(crate) fn set_processes(&mut self, count: Option<usize>) {
        (self.has_processes, self.sharing) = (true, count.map(Sharing::InAll));
    }

    /// So many ranks share each process.
    pub(crate) fn set_ranks_per_process(&mut self, count: usize) {
        (self.has_processes, self.sharing) = (true, Some(Sharing::OfEach(count)));
    }

    /// The same, if no option has said so, and if it can be.
    pub(crate) fn suggest_processes(&mut self, count: Option<usize>) {
        if !self.has_processes {
            self.set_processes(count.filter(|count| *count < self.job.ranks));
        }
    }

    /// Decides how ranks share processes on this host, once their number is known.
    pub(crate) fn settle_processes(&mut self) -> Result<(), Refusal> {
        let Some(sharing) = self.sharing else { return Ok(()) };
        let (ranks, sizes) = (self.job.ranks, sharing.sizes(&[self.job.ranks])?);
        // One process has all ranks in any case.
        self.has_processes = sizes.len() > 1;
        self.job.processes = Some(sizes.len()).filter(|count| (2..ranks).contains(count));
        Ok(())
    }

    /// The same where the ranks are on these hosts.
    pub(crate) fn settle_processes_of_hosts(&mut self, places: &[usize]) -> Result<(), Refusal> {
        self.has_processes = true;
        let Some(sharing) = self.sharing else { return Ok(()) };
        let by_host: Vec<usize> =
            places.chunk_by(|one, next| one == next).map(<[_]>::len).collect();
        let sizes = sharing.sizes(&by_host)?;
        let is_shared = sizes.len() < places.len();
        self.job.processes = is_shared.then_some(sizes.len());
        self.job.sizes = if is_shared { sizes } else { Vec::new() };
        // Only `ftrun` knows which rank of a process is in which state.
        self.hosts.has_no_takeover |= is_shared;
        Ok(())
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
