//! UCX, which moves bytes between hosts: a worker of this process, and endpoints that lead to those
//! of others. The library is opened when it is needed, and nothing is linked with it.
//!
//! A worker is used by one thread at a time. What others send is collected by [`Worker::progress`];
//! a message that is sent belongs to UCX until its callback drops it.

mod ending;
mod symbols;
#[cfg(test)]
mod tests;

use crate::host::service;
use ending::unless_over;
use parking_lot::Mutex;
use std::ffi::c_void;
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use symbols::{
    EndpointParams, HandlerParams, LAST_ERROR, OK, Params, RequestParams, Status, Symbols,
    WorkerParams,
};

/// The only kind of active message.
const MESSAGE: u32 = 0;

/// What reaches and sends messages.
pub(super) struct Worker {
    symbols: &'static Symbols,
    worker: *mut c_void,
    descriptor: i32,
    state: &'static State,
}

// SAFETY: UCX is told that one thread at a time uses the worker, and its owner sees to that.
unsafe impl Send for Worker {}

/// What callbacks touch, which run while the worker makes progress.
#[derive(Default)]
struct State {
    arrived: Mutex<Vec<Vec<u8>>>,
    /// How many messages UCX has not sent yet.
    under_way: AtomicUsize,
}

/// The way to a worker of another process.
pub(super) struct Endpoint {
    endpoint: *mut c_void,
    end: &'static End,
}

// SAFETY: as for the worker, to which it belongs.
unsafe impl Send for Endpoint {}

/// Whether the other end is gone.
#[derive(Default)]
struct End {
    is_broken: AtomicBool,
}

/// What UCX sends, until it has.
struct Parcel {
    _bytes: Vec<u8>,
    symbols: &'static Symbols,
    state: &'static State,
}

impl Worker {
    /// The worker of this process. It lives as long as the process.
    pub(super) fn open() -> Result<Worker, String> {
        /// What UCX calls the thread that keeps its connections.
        const ITS_THREAD: &str = "async";
        service::adopt(ITS_THREAD, Worker::make)
    }

    fn make() -> Result<Worker, String> {
        let symbols: &'static Symbols = Box::leak(Box::new(Symbols::open()?));
        ending::watch_exit();
        let check = |what: &str, status: Status| match status {
            OK => Ok(()),
            bad => Err(format!("UCX: {what}: {}", symbols.words(bad))),
        };
        let params = Params::new()
            .field_mask(symbols::PARAMS_FEATURES)
            .features(symbols::FEATURE_AM | symbols::FEATURE_WAKEUP);
        let mut context = ptr::null_mut();
        // SAFETY: structures of that version, and a place for the result.
        let status =
            unsafe { (symbols.ucp_init_version)(1, 13, &params, ptr::null(), &mut context) };
        check("ucp_init", status)?;
        let params = WorkerParams::new()
            .field_mask(symbols::WORKER_THREAD_MODE)
            .thread_mode(symbols::THREAD_MODE_SERIALIZED);
        let mut worker = ptr::null_mut();
        // SAFETY: as above, with the context that was just made.
        let status = unsafe { (symbols.ucp_worker_create)(context, &params, &mut worker) };
        check("ucp_worker_create", status)?;
        let state: &'static State = Box::leak(Box::default());
        let params = HandlerParams::new()
            .field_mask(symbols::HANDLER_ALL)
            .id(MESSAGE)
            .flags(symbols::WHOLE_MESSAGES)
            .cb(arrived)
            .arg(ptr::from_ref(state).cast());
        // SAFETY: the callback takes this argument, which lives for ever.
        let status = unsafe { (symbols.ucp_worker_set_am_recv_handler)(worker, &params) };
        check("ucp_worker_set_am_recv_handler", status)?;
        let mut descriptor = -1;
        // SAFETY: a worker and a place for the result.
        let status = unsafe { (symbols.ucp_worker_get_efd)(worker, &mut descriptor) };
        check("ucp_worker_get_efd", status)?;
        Ok(Worker { symbols, worker, descriptor, state })
    }

    /// By what others reach this worker.
    pub(super) fn address(&self) -> Result<Vec<u8>, String> {
        let (mut address, mut bytes) = (ptr::null_mut(), 0);
        // SAFETY: a worker and places for the results.
        let status =
            unsafe { (self.symbols.ucp_worker_get_address)(self.worker, &mut address, &mut bytes) };
        if status != OK {
            return Err(format!("UCX: ucp_worker_get_address: {}", self.symbols.words(status)));
        }
        // SAFETY: UCX has just made so many bytes.
        let copy = unsafe { slice::from_raw_parts(address.cast::<u8>(), bytes) }.to_vec();
        // SAFETY: nothing refers to them any more.
        unsafe { (self.symbols.ucp_worker_release_address)(self.worker, address) };
        Ok(copy)
    }

    /// The way to the worker of this address; nothing is sent yet. `None`: the process ends.
    pub(super) fn connect(&mut self, address: &[u8]) -> Option<Result<Endpoint, String>> {
        unless_over(|| self.connect_now(address))
    }

    fn connect_now(&mut self, address: &[u8]) -> Result<Endpoint, String> {
        let end: &'static End = Box::leak(Box::default());
        let params = EndpointParams::new()
            .field_mask(
                symbols::ENDPOINT_ADDRESS
                    | symbols::ENDPOINT_ERROR_MODE
                    | symbols::ENDPOINT_ERROR_HANDLER,
            )
            .address(address.as_ptr().cast())
            .err_mode(symbols::ERROR_MODE_PEER)
            .err_handler((broken, ptr::from_ref(end).cast()));
        let mut endpoint = ptr::null_mut();
        // SAFETY: an address that another worker has told, which UCX copies; the argument of the
        // callback lives for ever.
        let status = unsafe { (self.symbols.ucp_ep_create)(self.worker, &params, &mut endpoint) };
        match status {
            OK => Ok(Endpoint { endpoint, end }),
            bad => Err(format!("UCX: ucp_ep_create: {}", self.symbols.words(bad))),
        }
    }

    /// Sends a message. If the other end is gone, it is lost.
    pub(super) fn send(&mut self, to: &Endpoint, bytes: Vec<u8>) {
        unless_over(|| self.send_now(to, bytes));
    }

    fn send_now(&mut self, to: &Endpoint, bytes: Vec<u8>) {
        if to.is_broken() {
            return;
        }
        let (start, count) = (bytes.as_ptr(), bytes.len());
        let (symbols, state) = (self.symbols, self.state);
        let parcel = Box::into_raw(Box::new(Parcel { _bytes: bytes, symbols, state }));
        let params = RequestParams::new()
            .op_attr_mask(
                symbols::REQUEST_CALLBACK | symbols::REQUEST_USER_DATA | symbols::REQUEST_FLAGS,
            )
            .flags(symbols::SEND_EAGERLY)
            .cb(sent)
            .user_data(parcel.cast());
        self.state.under_way.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the bytes stay where they are until the callback drops them, or it is clear that
        // it is not called.
        let request = unsafe {
            (self.symbols.ucp_am_send_nbx)(
                to.endpoint,
                MESSAGE,
                ptr::null(),
                0,
                start.cast(),
                count,
                &params,
            )
        };
        let is_error = request.addr() as isize >= LAST_ERROR && (request.addr() as isize) < 0;
        if request.is_null() || is_error {
            self.state.under_way.fetch_sub(1, Ordering::Relaxed);
            // SAFETY: made above, and the callback is not called.
            drop(unsafe { Box::from_raw(parcel) });
        }
        if is_error {
            to.end.is_broken.store(true, Ordering::Relaxed);
        }
    }

    /// Lets UCX work until it has nothing to do, and hands over what has come.
    pub(super) fn progress(&mut self) -> Vec<Vec<u8>> {
        const MOST: usize = 64;
        // SAFETY: one thread at a time.
        let work = || unsafe { (self.symbols.ucp_worker_progress)(self.worker) };
        unless_over(|| _ = (0..MOST).take_while(|_| work() != 0).count());
        std::mem::take(&mut *self.state.arrived.lock())
    }

    /// Whether UCX has something left to send.
    pub(super) fn is_sending(&self) -> bool {
        self.state.under_way.load(Ordering::Relaxed) > 0
    }

    /// Gives up an endpoint, and what was not sent by it.
    pub(super) fn close(&mut self, endpoint: Endpoint) {
        unless_over(|| self.close_now(endpoint));
    }

    fn close_now(&mut self, endpoint: Endpoint) {
        let params = RequestParams::new()
            .op_attr_mask(symbols::REQUEST_FLAGS)
            .flags(symbols::CLOSE_BY_FORCE);
        // SAFETY: the endpoint was made by this worker, and is not used any more.
        let request = unsafe { (self.symbols.ucp_ep_close_nbx)(endpoint.endpoint, &params) };
        let address = request.addr() as isize;
        if !request.is_null() && !(LAST_ERROR..0).contains(&address) {
            // SAFETY: a request that nobody waits for; UCX releases it when it is done.
            unsafe { (self.symbols.ucp_request_free)(request) };
        }
    }

    /// What becomes readable when there is something to do, once [`Worker::arm`] has said so.
    pub(super) fn descriptor(&self) -> i32 {
        self.descriptor
    }

    /// True if there is nothing to do: then the descriptor tells of the next.
    pub(super) fn arm(&mut self) -> bool {
        // SAFETY: one thread at a time.
        let arm = || unsafe { (self.symbols.ucp_worker_arm)(self.worker) == OK };
        unless_over(arm).unwrap_or(true)
    }
}

impl Endpoint {
    pub(super) fn is_broken(&self) -> bool {
        self.end.is_broken.load(Ordering::Relaxed)
    }
}

/// A message has come.
unsafe extern "C" fn arrived(
    state: *mut c_void, _header: *const c_void, _length: usize, data: *mut c_void, bytes: usize,
    _more: *const c_void,
) -> Status {
    // SAFETY: the argument that was given with this callback.
    let state = unsafe { &*state.cast::<State>() };
    let message = match bytes {
        0 => Vec::new(),
        // SAFETY: UCX keeps so many bytes there until this returns.
        _ => unsafe { slice::from_raw_parts(data.cast::<u8>(), bytes) }.to_vec(),
    };
    state.arrived.lock().push(message);
    OK
}

/// A message has been sent, or never will be.
unsafe extern "C" fn sent(request: *mut c_void, _status: Status, parcel: *mut c_void) {
    // SAFETY: the parcel that was given with this callback, which is called once.
    let parcel = unsafe { Box::from_raw(parcel.cast::<Parcel>()) };
    parcel.state.under_way.fetch_sub(1, Ordering::Relaxed);
    // SAFETY: the request is done.
    unsafe { (parcel.symbols.ucp_request_free)(request) };
}

/// The other end of an endpoint is gone.
unsafe extern "C" fn broken(end: *mut c_void, _endpoint: *mut c_void, _status: Status) {
    // SAFETY: the argument that was given with this callback.
    let end = unsafe { &*end.cast::<End>() };
    end.is_broken.store(true, Ordering::Relaxed);
}
