//! Completing requests: one, any, some or all (MPI-5.0 §3.7.3 to §3.7.6). Also frees and cancels
//! them.

use crate::abi::fast_path;
use crate::abi::kinds::*;
use crate::mpi::p2p::request::{self, Many, Places};
use crate::mpi::p2p::status::Status;

/// The arrays of a call that completes requests.
struct Arrays {
    requests: Vars<MPI_Request>,
    statuses: OutStatuses,
}

impl Places for Arrays {
    fn key(&self, index: usize) -> usize {
        self.requests.key(index)
    }
    fn set_key(&self, index: usize, key: usize) {
        self.requests.set(index, key);
    }
    fn set_status(&self, index: usize, status: Status) {
        self.statuses.set(index, status);
    }
    fn set_error(&self, index: usize, code: i32) {
        self.statuses.set_error(index, code);
    }
}

/// The arrays of a call that only reads requests.
struct Sights {
    requests: Keys<MPI_Request>,
    statuses: OutStatuses,
}

impl Places for Sights {
    fn key(&self, index: usize) -> usize {
        self.requests.key(index)
    }
    fn set_key(&self, _: usize, _: usize) {}
    fn set_status(&self, index: usize, status: Status) {
        self.statuses.set(index, status);
    }
    fn set_error(&self, index: usize, code: i32) {
        self.statuses.set_error(index, code);
    }
}

mpi!(
    /// Waits until an operation is complete (MPI-5.0 §3.7.3).
    #[fortran(mpi_wait_)]
    #[at_once(fast_path::wait)]
    fn MPI_Wait(process: &Process, request: Var<MPI_Request>, status: OutStatus) {
        let (after, end) = request::wait(process, request.key())?;
        request.set(after);
        status.end(end)
    }
);

mpi!(
    /// Completes an operation if it can be completed now.
    #[fortran(mpi_test_)]
    fn MPI_Test(process: &Process, request: Var<MPI_Request>, flag: OutFlag, status: OutStatus) {
        let end = request::test(process, request.key(), false)?;
        flag.set(end.is_some());
        request.set_if(end.as_ref().map(|(after, _)| *after));
        status.end_if(end.map(|(_, end)| end))
    }
);

mpi!(
    /// Whether an operation is complete; keeps the request (MPI-5.0 §3.7.6).
    #[fortran(mpi_request_get_status_)]
    fn MPI_Request_get_status(
        process: &Process, request: MPI_Request, flag: OutFlag, status: OutStatus,
    ) {
        let end = request::test(process, request, true)?;
        flag.set(end.is_some());
        status.end_if(end.map(|(_, end)| end))
    }
);

mpi!(
    /// Waits until all operations are complete (MPI-5.0 §3.7.5).
    #[fortran(mpi_waitall_)]
    fn MPI_Waitall(
        process: &Process, count: Count, array_of_requests: Vars<MPI_Request>,
        array_of_statuses: OutStatuses,
    ) {
        let requests = array_of_requests.of_length(count)?;
        let places = Arrays { requests, statuses: array_of_statuses };
        Many { process, places, count: count as usize, is_look: false }.wait_all()
    }
);

mpi!(
    /// Completes all operations if all can be completed now.
    #[fortran(mpi_testall_)]
    fn MPI_Testall(
        process: &Process, count: Count, array_of_requests: Vars<MPI_Request>, flag: OutFlag,
        array_of_statuses: OutStatuses,
    ) {
        let requests = array_of_requests.of_length(count)?;
        let places = Arrays { requests, statuses: array_of_statuses };
        let (is_over, news) =
            Many { process, places, count: count as usize, is_look: false }.test_all()?;
        flag.set(is_over);
        news
    }
);

mpi!(
    /// Whether all operations are complete; keeps the requests.
    #[fortran(mpi_request_get_status_all_)]
    fn MPI_Request_get_status_all(
        process: &Process, count: Count, array_of_requests: Keys<MPI_Request>, flag: OutFlag,
        array_of_statuses: OutStatuses,
    ) {
        let requests = array_of_requests.of_length(count)?;
        let places = Sights { requests, statuses: array_of_statuses };
        let (is_over, news) =
            Many { process, places, count: count as usize, is_look: true }.test_all()?;
        flag.set(is_over);
        news
    }
);

mpi!(
    /// Waits until any one operation is complete.
    #[fortran(mpi_waitany_)]
    fn MPI_Waitany(
        process: &Process, count: Count, array_of_requests: Vars<MPI_Request>, indx: OutIndex,
        status: OutStatus,
    ) {
        let requests = array_of_requests.of_length(count)?;
        let places = Arrays { requests, statuses: OutStatuses::IGNORED };
        let (index, end) =
            Many { process, places, count: count as usize, is_look: false }.wait_any()?;
        indx.set(index);
        status.end(end)
    }
);

mpi!(
    /// Completes any one operation that can be completed now.
    #[fortran(mpi_testany_)]
    fn MPI_Testany(
        process: &Process, count: Count, array_of_requests: Vars<MPI_Request>, indx: OutIndex,
        flag: OutFlag, status: OutStatus,
    ) {
        let requests = array_of_requests.of_length(count)?;
        let places = Arrays { requests, statuses: OutStatuses::IGNORED };
        let found = Many { process, places, count: count as usize, is_look: false }.test_any()?;
        flag.set(found.is_some());
        indx.set(found.as_ref().and_then(|(index, _)| *index));
        status.end_if(found.map(|(_, end)| end))
    }
);

mpi!(
    /// Whether any operation is complete; keeps the request.
    #[fortran(mpi_request_get_status_any_)]
    fn MPI_Request_get_status_any(
        process: &Process, count: Count, array_of_requests: Keys<MPI_Request>, indx: OutIndex,
        flag: OutFlag, status: OutStatus,
    ) {
        let requests = array_of_requests.of_length(count)?;
        let places = Sights { requests, statuses: OutStatuses::IGNORED };
        let found = Many { process, places, count: count as usize, is_look: true }.test_any()?;
        flag.set(found.is_some());
        indx.set(found.as_ref().and_then(|(index, _)| *index));
        status.end_if(found.map(|(_, end)| end))
    }
);

mpi!(
    /// Waits until at least one operation is complete.
    #[fortran(mpi_waitsome_)]
    fn MPI_Waitsome(
        process: &Process, incount: Count, array_of_requests: Vars<MPI_Request>, outcount: OutInt,
        array_of_indices: OutIndices, array_of_statuses: OutStatuses,
    ) {
        let requests = array_of_requests.of_length(incount)?;
        let places = Arrays { requests, statuses: array_of_statuses };
        let some = Many { process, places, count: incount as usize, is_look: false }.wait_some()?;
        outcount.set(some.count());
        array_of_indices.put(some.indices())?;
        some.news
    }
);

mpi!(
    /// Completes all operations that can be completed now.
    #[fortran(mpi_testsome_)]
    fn MPI_Testsome(
        process: &Process, incount: Count, array_of_requests: Vars<MPI_Request>, outcount: OutInt,
        array_of_indices: OutIndices, array_of_statuses: OutStatuses,
    ) {
        let requests = array_of_requests.of_length(incount)?;
        let places = Arrays { requests, statuses: array_of_statuses };
        let some = Many { process, places, count: incount as usize, is_look: false }.test_some()?;
        outcount.set(some.count());
        array_of_indices.put(some.indices())?;
        some.news
    }
);

mpi!(
    /// Which operations are complete; keeps the requests.
    #[fortran(mpi_request_get_status_some_)]
    fn MPI_Request_get_status_some(
        process: &Process, incount: Count, array_of_requests: Keys<MPI_Request>, outcount: OutInt,
        array_of_indices: OutIndices, array_of_statuses: OutStatuses,
    ) {
        let requests = array_of_requests.of_length(incount)?;
        let places = Sights { requests, statuses: array_of_statuses };
        let some = Many { process, places, count: incount as usize, is_look: true }.test_some()?;
        outcount.set(some.count());
        array_of_indices.put(some.indices())?;
        some.news
    }
);

mpi!(
    /// Frees a request; its operation still runs to completion (MPI-5.0 §3.7.3).
    #[fortran(mpi_request_free_)]
    fn MPI_Request_free(process: &Process, request: Var<MPI_Request>) {
        request::free(process, request.key())?;
        request.set_null();
        Ok(())
    }
);

mpi!(
    /// Cancels an operation unless it has already matched (MPI-5.0 §3.8.4).
    #[fortran(mpi_cancel_)]
    fn MPI_Cancel(process: &Process, request: Var<MPI_Request>) {
        request::cancel(process, request.key())
    }
);
