//! Applications in C, Fortran or any language that can make a shared library: `include/ftsim.h`.
//!
//! The library is never unloaded. Its handlers may use variables of their own, so one thread serves
//! all nodes.

use super::graph::Graph;
use super::world::{Application, Here};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;

/// As long as a message may be; `FTSIM_MESSAGE_BYTES`.
const MESSAGE_BYTES: usize = 48;
/// How much an application may say of a node.
const INFO_BYTES: usize = 512;

/// A message: so many bytes of these.
#[derive(Clone, Copy)]
pub struct Bytes {
    count: u8,
    bytes: [u8; MESSAGE_BYTES],
}

/// A node's own memory, aligned for any type.
pub struct State(Box<[u128]>);

/// `ftsim_here`.
#[repr(C)]
struct Seen {
    now: i64,
    node: i32,
    nodes: i32,
    sends: i32,
    receives: i32,
    send_to: *const u32,
    receive_from: *const u32,
    x: f64,
    y: f64,
    send: extern "C" fn(*mut Seen, i32, *const c_void, usize) -> c_int,
    simulator: *mut c_void,
}

type Init = unsafe extern "C" fn(*mut c_void, *mut Seen);
type OnMessage = unsafe extern "C" fn(*mut c_void, *mut Seen, i32, *const c_void, usize);
type OnFailure = unsafe extern "C" fn(*mut c_void, *mut Seen, i32);
type OnBoundary = unsafe extern "C" fn(*mut c_void, *mut Seen, f64);
type Colour = unsafe extern "C" fn(*const c_void) -> u8;
type Info = unsafe extern "C" fn(*const c_void, *mut c_char, usize);

/// The handlers of an application.
pub struct Foreign {
    words: usize,
    init: Init,
    on_message: OnMessage,
    on_failure: Option<OnFailure>,
    on_boundary: Option<OnBoundary>,
    colour: Option<Colour>,
    info: Option<Info>,
}

impl Foreign {
    pub fn load(path: &Path) -> Result<Foreign, String> {
        // Without a slash, the loader would look elsewhere.
        let path = path.canonicalize().map_err(|why| format!("{}: {why}", path.display()))?;
        // SAFETY: whoever names an application wants its constructors to run.
        let library = unsafe { libloading::Library::new(&path) };
        let library: &'static _ = Box::leak(Box::new(library.map_err(|why| why.to_string())?));
        let needed = |name: &str| {
            format!("{}: it does not define {name}: see include/ftsim.h", path.display())
        };
        // SAFETY: the header says which types these functions have.
        let bytes = unsafe { function::<unsafe extern "C" fn() -> usize>(library, "state_bytes") };
        let bytes = bytes.ok_or_else(|| needed("ftsim_state_bytes"))?;
        // SAFETY: as the header says, it takes nothing.
        let words = unsafe { bytes() }.div_ceil(size_of::<u128>()).max(1);
        // SAFETY: the header says which types these functions have.
        unsafe {
            Ok(Foreign {
                words,
                init: function(library, "init").ok_or_else(|| needed("ftsim_init"))?,
                on_message: function(library, "on_message")
                    .ok_or_else(|| needed("ftsim_on_message"))?,
                on_failure: function(library, "on_failure"),
                on_boundary: function(library, "on_boundary"),
                colour: function(library, "colour"),
                info: function(library, "info"),
            })
        }
    }
}

/// # Safety
/// The function, if it is there, has this type.
unsafe fn function<F: Copy>(library: &'static libloading::Library, name: &str) -> Option<F> {
    // SAFETY: the caller vouches for the type.
    unsafe { library.get::<F>(format!("ftsim_{name}")) }.ok().map(|function| *function)
}

/// Sends what a handler asks for.
extern "C" fn send(seen: *mut Seen, to: i32, data: *const c_void, bytes: usize) -> c_int {
    // SAFETY: a handler passes on the pointer that it was given, while it runs.
    let seen = unsafe { &mut *seen };
    // SAFETY: `with` has put the address of its `Here` there, and waits for the handler.
    let here = unsafe { &mut *seen.simulator.cast::<Here<'_, '_, Bytes>>() };
    let is_node = (0..seen.nodes).contains(&to);
    if !is_node || bytes > MESSAGE_BYTES || (data.is_null() && bytes > 0) {
        return -1;
    }
    let mut message = Bytes { count: bytes as u8, bytes: [0; MESSAGE_BYTES] };
    if bytes > 0 {
        // SAFETY: the handler vouches for so many bytes, and there is room for them.
        unsafe { data.cast::<u8>().copy_to(message.bytes.as_mut_ptr(), bytes) };
    }
    here.send(to as u32, message);
    0
}

/// Lets a handler see where it is.
fn with(here: &mut Here<'_, '_, Bytes>, call: impl FnOnce(*mut Seen)) {
    let graph = here.graph();
    let (send_to, receive_from) = (here.sends(), here.receives());
    let place = graph.places[here.node as usize];
    let mut seen = Seen {
        now: here.now as i64,
        node: here.node as i32,
        nodes: graph.nodes() as i32,
        sends: send_to.len() as i32,
        receives: receive_from.len() as i32,
        send_to: send_to.as_ptr(),
        receive_from: receive_from.as_ptr(),
        x: f64::from(place[0]),
        y: f64::from(place[1]),
        send,
        simulator: std::ptr::from_mut(here).cast(),
    };
    call(&raw mut seen);
}

impl State {
    fn address(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

impl Application for Foreign {
    type State = State;
    type Message = Bytes;
    const ONE_THREAD: bool = true;

    fn create(&self, _: u32, _: &Graph) -> State {
        State(vec![0; self.words].into())
    }

    fn begin(&self, state: &mut State, here: &mut Here<'_, '_, Bytes>) {
        // SAFETY: the handler gets what the header promises, for the time of the call.
        with(here, |seen| unsafe { (self.init)(state.address(), seen) });
    }

    fn hear(&self, state: &mut State, from: u32, message: &Bytes, here: &mut Here<'_, '_, Bytes>) {
        let (data, bytes) = (message.bytes.as_ptr().cast(), usize::from(message.count));
        with(here, |seen| {
            // SAFETY: the handler gets what the header promises, for the time of the call.
            unsafe { (self.on_message)(state.address(), seen, from as i32, data, bytes) };
        });
    }

    fn miss(&self, state: &mut State, who: u32, here: &mut Here<'_, '_, Bytes>) {
        if let Some(on_failure) = self.on_failure {
            // SAFETY: the handler gets what the header promises, for the time of the call.
            with(here, |seen| unsafe { on_failure(state.address(), seen, who as i32) });
        }
    }

    fn border(&self, state: &mut State, value: f64, here: &mut Here<'_, '_, Bytes>) {
        if let Some(on_boundary) = self.on_boundary {
            // SAFETY: the handler gets what the header promises, for the time of the call.
            with(here, |seen| unsafe { on_boundary(state.address(), seen, value) });
        }
    }

    fn colour(&self, state: &State) -> u8 {
        // SAFETY: the handler gets a node's state, which it does not write.
        self.colour.map_or(0, |colour| unsafe { colour(state.0.as_ptr().cast()) })
    }

    fn info(&self, state: &State) -> String {
        let Some(info) = self.info else { return String::new() };
        let mut text = [0u8; INFO_BYTES];
        // SAFETY: the handler is told how much room there is; the last byte stays 0.
        unsafe { info(state.0.as_ptr().cast(), text.as_mut_ptr().cast(), INFO_BYTES - 1) };
        let text = CStr::from_bytes_until_nul(&text).expect("the last byte is 0");
        text.to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Wiring, World};
    use super::*;
    use std::sync::Arc;

    extern "C" fn init(_: *mut c_void, _: *mut Seen) {}
    extern "C" fn on_message(_: *mut c_void, _: *mut Seen, _: i32, _: *const c_void, _: usize) {}

    #[test]
    #[should_panic(expected = "one thread serves all nodes of this application")]
    fn two_threads_never_call_handlers_of_one_library() {
        let app = Foreign {
            words: 1,
            init,
            on_message,
            on_failure: None,
            on_boundary: None,
            colour: None,
            info: None,
        };
        let graph = Wiring::Random(2).graph(10, 1).expect("it is small");
        World::new(Arc::new(graph), app, 2);
    }
}
