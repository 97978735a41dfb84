//! Applications in C, Fortran or any language that can make a shared library: `include/ftsim.h`.
//!
//! The library is never unloaded. Its handlers may use variables of their own, so one thread serves
//! all nodes.

use super::passed::{Event, MESSAGE_BYTES, Seen};
use super::thread::{Body, Stacks, Thread, receive};
use super::{INFO_BYTES, Library, faults};
use crate::natural::{Application, Graph, Here};
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

/// A message: the first `count` of these bytes.
#[derive(Clone, Copy)]
pub struct Bytes {
    count: u8,
    bytes: [u8; MESSAGE_BYTES],
}

/// A node's own memory, aligned for any type, and its thread if it has one.
pub struct State {
    node: u32,
    words: Box<[u128]>,
    thread: Option<Box<Thread>>,
}

// SAFETY: one thread serves all nodes; only that one accesses what the addresses point to.
unsafe impl Send for State {}

type Init = unsafe extern "C" fn(*mut c_void, *mut Seen);
type OnMessage = unsafe extern "C" fn(*mut c_void, *mut Seen, i32, *const c_void, usize);
type OnFailure = unsafe extern "C" fn(*mut c_void, *mut Seen, i32);
type OnBoundary = unsafe extern "C" fn(*mut c_void, *mut Seen, f64);
type Colour = unsafe extern "C" fn(*const c_void) -> u8;
type Info = unsafe extern "C" fn(*const c_void, *mut c_char, usize);

/// How an application handles events.
enum Form {
    Handlers {
        init: Init,
        on_message: OnMessage,
        on_failure: Option<OnFailure>,
        on_boundary: Option<OnBoundary>,
    },
    /// Each node's thread continues.
    Threads { body: Body, stacks: Stacks },
}

/// `ftsim_event`: the kind of event.
const MESSAGE: i32 = 0;
const FAILURE: i32 = 1;
const BOUNDARY: i32 = 2;

/// An application that was loaded.
pub struct Foreign {
    words: usize,
    form: Form,
    colour: Option<Colour>,
    info: Option<Info>,
}

impl Foreign {
    /// An application for `nodes` nodes; if they are threads, each has a stack of `stack` bytes.
    pub fn load(path: &Path, nodes: u32, stack: usize) -> Result<Foreign, String> {
        faults::name("ftsim");
        let library = Library::load(path, "include/ftsim.h")?;
        // SAFETY: the header says which types these functions have.
        unsafe {
            let bytes = library.needed::<unsafe extern "C" fn() -> usize>("ftsim_state_bytes")?;
            let form = match library.function("ftsim_thread") {
                Some(body) => Form::Threads { body, stacks: Stacks::new(nodes as usize, stack)? },
                None => Form::Handlers {
                    init: library.needed("ftsim_init")?,
                    on_message: library.needed("ftsim_on_message")?,
                    on_failure: library.function("ftsim_on_failure"),
                    on_boundary: library.function("ftsim_on_boundary"),
                },
            };
            let bytes = faults::while_loading(|| bytes());
            Ok(Foreign {
                words: words(bytes, nodes)?,
                form,
                colour: library.function("ftsim_colour"),
                info: library.function("ftsim_info"),
            })
        }
    }

    /// An event has arrived for a node's thread.
    fn go_on(state: &mut State, here: &mut Here<'_, '_, Bytes>, event: Option<Event>) {
        let thread = state.thread.as_mut().expect("a thread begins before anything comes");
        (thread.seen.now, thread.seen.simulator) =
            (here.now as i64, std::ptr::from_mut(here).cast());
        if !thread.run(here.node, event) {
            faults::overflow(here.node);
        }
    }
}

/// The words of a node's state of `bytes` bytes, if that many nodes can have them.
fn words(bytes: usize, nodes: u32) -> Result<usize, String> {
    let words = bytes.div_ceil(size_of::<u128>()).max(1);
    let all = words.checked_mul(size_of::<u128>() * nodes as usize);
    let is_small = all.is_some_and(|all| all as u64 <= room());
    let no = || {
        let room = room();
        format!(
            "ftsim_state_bytes asks for {bytes} bytes for each of {nodes} nodes, 0 to {}: there is \
             room for {room} bytes in all",
            nodes - 1
        )
    };
    is_small.then_some(words).ok_or_else(no)
}

/// The size of the memory, in bytes.
fn room() -> u64 {
    // SAFETY: these only query.
    let [pages, size] =
        [libc::_SC_PHYS_PAGES, libc::_SC_PAGESIZE].map(|what| unsafe { libc::sysconf(what) });
    u64::try_from(pages).unwrap_or(0) * u64::try_from(size).unwrap_or(0)
}

/// A handler cannot wait.
extern "C" fn refuse(_: *mut Seen, _: *mut Event) -> c_int {
    -1
}

/// Sends what a handler asks to send.
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
        // SAFETY: the handler vouches for that many bytes, and there is room for them.
        unsafe { data.cast::<u8>().copy_to(message.bytes.as_mut_ptr(), bytes) };
    }
    here.send(to as u32, message);
    0
}

/// A node's view of itself, for C.
fn seen(
    here: &mut Here<'_, '_, Bytes>, receive: extern "C" fn(*mut Seen, *mut Event) -> c_int,
) -> Seen {
    let graph = here.graph();
    let (send_to, receive_from) = (here.sends(), here.receives());
    let place = graph.places[here.node as usize];
    Seen {
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
        receive,
    }
}

impl State {
    fn address(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }
}

impl Application for Foreign {
    type State = State;
    type Message = Bytes;
    const ONE_THREAD: bool = true;

    fn create(&self, node: u32, _: &Graph) -> State {
        State { node, words: vec![0; self.words].into(), thread: None }
    }

    fn begin(&self, state: &mut State, here: &mut Here<'_, '_, Bytes>) {
        match &self.form {
            Form::Handlers { init, .. } => {
                let mut seen = seen(here, refuse);
                // SAFETY: the handler gets what the header promises, for the time of the call.
                faults::in_node(here.node, || unsafe { init(state.address(), &raw mut seen) });
            }
            Form::Threads { body, stacks } => {
                let (address, seen) = (state.address(), seen(here, receive));
                state.thread = Some(Thread::new(stacks, here.node, *body, address, seen));
                Foreign::go_on(state, here, None);
            }
        }
    }

    fn hear(&self, state: &mut State, from: u32, message: &Bytes, here: &mut Here<'_, '_, Bytes>) {
        let Form::Handlers { on_message, .. } = &self.form else {
            let (bytes, data) = (u64::from(message.count), message.bytes);
            let event = Event { kind: MESSAGE, from: from as i32, bytes, value: 0.0, data };
            return Foreign::go_on(state, here, Some(event));
        };
        let (data, bytes) = (message.bytes.as_ptr().cast(), usize::from(message.count));
        let mut seen = seen(here, refuse);
        // SAFETY: the handler gets what the header promises, for the time of the call.
        faults::in_node(here.node, || unsafe {
            on_message(state.address(), &raw mut seen, from as i32, data, bytes);
        });
    }

    fn miss(&self, state: &mut State, who: u32, here: &mut Here<'_, '_, Bytes>) {
        let Form::Handlers { on_failure, .. } = &self.form else {
            let event = Event { kind: FAILURE, from: who as i32, ..Event::EMPTY };
            return Foreign::go_on(state, here, Some(event));
        };
        if let Some(on_failure) = on_failure {
            let mut seen = seen(here, refuse);
            // SAFETY: the handler gets what the header promises, for the time of the call.
            faults::in_node(here.node, || unsafe {
                on_failure(state.address(), &raw mut seen, who as i32);
            });
        }
    }

    fn border(&self, state: &mut State, value: f64, here: &mut Here<'_, '_, Bytes>) {
        let Form::Handlers { on_boundary, .. } = &self.form else {
            let event = Event { kind: BOUNDARY, value, ..Event::EMPTY };
            return Foreign::go_on(state, here, Some(event));
        };
        if let Some(on_boundary) = on_boundary {
            let mut seen = seen(here, refuse);
            // SAFETY: the handler gets what the header promises, for the time of the call.
            faults::in_node(here.node, || unsafe {
                on_boundary(state.address(), &raw mut seen, value);
            });
        }
    }

    fn colour(&self, state: &State) -> u8 {
        // SAFETY: the handler gets a node's state, which it does not write.
        let call = |colour: Colour| unsafe { colour(state.words.as_ptr().cast()) };
        self.colour.map_or(0, |colour| faults::in_node(state.node, || call(colour)))
    }

    fn info(&self, state: &State) -> String {
        let Some(info) = self.info else { return String::new() };
        let mut text = [0u8; INFO_BYTES];
        // SAFETY: the handler is told how much room there is; the last byte stays 0.
        let call = || unsafe {
            info(state.words.as_ptr().cast(), text.as_mut_ptr().cast(), INFO_BYTES - 1)
        };
        faults::in_node(state.node, call);
        super::text(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::natural::{Wiring, World};
    use std::sync::Arc;

    extern "C" fn init(_: *mut c_void, _: *mut Seen) {}
    extern "C" fn on_message(_: *mut c_void, _: *mut Seen, _: i32, _: *const c_void, _: usize) {}

    #[test]
    #[should_panic(expected = "one thread serves all nodes of this application")]
    fn two_threads_never_call_handlers_of_one_library() {
        let app = Foreign {
            words: 1,
            form: Form::Handlers { init, on_message, on_failure: None, on_boundary: None },
            colour: None,
            info: None,
        };
        let graph = Wiring::Random(2).graph(10, 1).expect("it is small");
        World::new(Arc::new(graph), app, 2);
    }
}
