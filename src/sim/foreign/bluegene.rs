//! Programs in C, C++ or any language that can make a shared library: `include/ftbg.h`.
//!
//! The library is never unloaded. Its handlers may use variables of their own, so one thread serves
//! all nodes.

use super::{INFO_BYTES, Library, faults};
use crate::bluegene::{Node, PAYLOAD_MOST, Program, Setup, Size};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::Mutex;

/// `BgMachine`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub dims: [i32; 3],
    pub communication: i32,
    pub workers: i32,
}

/// `BgMessage`.
#[repr(C)]
struct Message {
    xyz: [i32; 3],
    handler: i32,
    size: i32,
    bytes: u32,
    payload: [u8; PAYLOAD_MOST],
}

/// `BgCalls`.
#[repr(C)]
struct Calls {
    register: extern "C" fn(*mut Seen, Option<Handler>) -> c_int,
    add: extern "C" fn(*mut Seen, c_int, c_int, *const c_void, usize) -> c_int,
    send:
        extern "C" fn(*mut Seen, c_int, c_int, c_int, c_int, c_int, *const c_void, usize) -> c_int,
    time: extern "C" fn(*mut Seen) -> f64,
    work: extern "C" fn(*mut Seen, u64),
    finish: extern "C" fn(*mut Seen),
    put: extern "C" fn(*mut Seen, *const Message) -> c_int,
    ready: extern "C" fn(*mut Seen) -> c_int,
    take: extern "C" fn(*mut Seen, *mut Message) -> c_int,
    register_as: extern "C" fn(*mut Seen, c_int, Option<Handler>) -> c_int,
    thread: extern "C" fn(*mut Seen) -> c_int,
    processor: extern "C" fn(*mut Seen) -> c_int,
}

const CALLS: Calls = Calls {
    register,
    add,
    send,
    time,
    work,
    finish,
    put,
    ready,
    take,
    register_as,
    thread,
    processor,
};

/// `BgNode`.
#[repr(C)]
struct Seen {
    number: i32,
    xyz: [i32; 3],
    dims: [i32; 3],
    calls: *const Calls,
    desk: *mut c_void,
}

/// The data behind a `Seen` while a handler runs.
struct Desk<'a, 'n> {
    node: &'a mut Node<'n>,
    handlers: &'a Mutex<Vec<Option<Handler>>>,
}

type Init = unsafe extern "C" fn(*mut Wanted, c_int, *mut *mut c_char);
type NodeInit = unsafe extern "C" fn(*mut Seen) -> *mut c_void;
type Handler = unsafe extern "C" fn(*mut Seen, *mut c_void, *const c_void, usize);
type Info = unsafe extern "C" fn(*const c_void, *mut c_char, usize);

/// `BgInit` as named in C, and its forms in C++. One with fewer parameters ignores the others,
/// which are in registers.
const INIT: [&str; 3] = ["BgInit", "_Z6BgInitP9BgMachine", "_Z6BgInitP9BgMachineiPPc"];

/// A program that was loaded.
pub struct Foreign {
    init: Option<Init>,
    node_init: NodeInit,
    info: Option<Info>,
    /// By number.
    handlers: Mutex<Vec<Option<Handler>>>,
}

/// A node's private data, as the program gave it.
pub struct Data(*mut c_void);

// SAFETY: only handlers access what the address points to, and one thread calls all of them.
unsafe impl Send for Data {}

impl Foreign {
    pub fn load(path: &Path) -> Result<Foreign, String> {
        faults::name("ftbg");
        let library = Library::load(path, "include/ftbg.h")?;
        // SAFETY: the header says which types these functions have.
        unsafe {
            Ok(Foreign {
                init: INIT.iter().find_map(|name| library.function(name)),
                node_init: library.needed("BgNodeInit")?,
                info: library.function("BgInfo"),
                handlers: Mutex::new(Vec::new()),
            })
        }
    }

    /// The machine that the program wants, given the words of its command line.
    pub fn wanted(&self, usual: Wanted, words: &[String]) -> Result<Wanted, String> {
        let Some(init) = self.init else { return Ok(usual) };
        let texts = words.iter().map(|word| CString::new(word.as_bytes()));
        let texts: Vec<_> =
            texts.collect::<Result<_, _>>().map_err(|_| "a word of the command line has a 0")?;
        // The program may keep them, as every program may keep the arguments of `main`.
        let mut list: Vec<_> = texts.into_iter().map(CString::into_raw).collect();
        list.push(std::ptr::null_mut());
        let list = list.leak();
        let mut wanted = usual;
        // SAFETY: the program gets what the header promises; the words stay for ever.
        let call = || unsafe { init(&raw mut wanted, words.len() as c_int, list.as_mut_ptr()) };
        faults::while_loading(call);
        Ok(wanted)
    }

    /// Shows the program its node.
    fn with<R>(&self, node: &mut Node<'_>, call: impl FnOnce(*mut Seen) -> R) -> R {
        let (number, xyz, dims) = (node.number() as i32, node.xyz(), node.dims());
        let mut desk = Desk { node, handlers: &self.handlers };
        let mut seen = Seen {
            number,
            xyz: xyz.map(|at| at as i32),
            dims: dims.map(|extent| extent as i32),
            calls: &CALLS,
            desk: (&raw mut desk).cast(),
        };
        faults::in_node(number as u32, || call(&raw mut seen))
    }
}

impl Program for Foreign {
    type Data = Data;
    type Payload = [u8; PAYLOAD_MOST];
    // A payload that does not fit is found when it is sent.
    const PAYLOAD_BYTES: usize = 0;
    const ONE_THREAD: bool = true;

    fn start(&self, node: &mut Node<'_>) -> Data {
        // SAFETY: the program gets what the header promises, for the time of the call.
        Data(self.with(node, |seen| unsafe { (self.node_init)(seen) }))
    }

    fn handle(&self, handler: u16, data: &mut Data, payload: &[u8], node: &mut Node<'_>) {
        let called = self.handlers.lock().expect("one thread").get(usize::from(handler)).copied();
        let called = called.flatten().expect("only what was registered is sent to");
        // Aligned as in a buffer of the program's own.
        let mut words = [0u128; PAYLOAD_MOST.div_ceil(16)];
        let long;
        let address: *const u8 = if payload.len() <= size_of_val(&words) {
            // SAFETY: the payload has that length, and there is room for it.
            unsafe { payload.as_ptr().copy_to(words.as_mut_ptr().cast(), payload.len()) };
            words.as_ptr().cast()
        } else {
            long = Wide::copied(payload);
            long.0.as_ptr().cast()
        };
        self.with(node, |seen| {
            // SAFETY: the handler gets what the header promises, for the time of the call.
            unsafe { called(seen, data.0, address.cast(), payload.len()) };
        });
    }

    fn info(&self, node: u32, data: &Data) -> String {
        let Some(info) = self.info else { return String::new() };
        let mut text = [0u8; INFO_BYTES];
        // SAFETY: the program is told how much room there is; the last byte stays 0.
        let call = || unsafe { info(data.0, text.as_mut_ptr().cast(), INFO_BYTES - 1) };
        faults::in_node(node, call);
        super::text(&text)
    }
}

/// Bytes, aligned for every type.
struct Wide(Vec<u128>);

impl Wide {
    fn copied(bytes: &[u8]) -> Wide {
        let words = bytes.chunks(16).map(|chunk| {
            let mut word = [0; 16];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_ne_bytes(word)
        });
        Wide(words.collect())
    }
}

/// The data behind a node, for the time of one call.
///
/// # Safety
/// The pointer is the one that a handler was given, and that handler still runs.
unsafe fn desk<'a>(seen: *mut Seen) -> &'a mut Desk<'a, 'a> {
    // SAFETY: the caller vouches for the pointer.
    let desk = unsafe { (*seen).desk };
    // SAFETY: `with` has put its own desk there and waits for the handler.
    unsafe { &mut *desk.cast() }
}

impl Desk<'_, '_> {
    /// Records a mistake of the program.
    fn refuse(&mut self, why: String) -> c_int {
        self.node.fail(why);
        -1
    }

    fn checked(&mut self, handler: c_int, size: c_int) -> Result<(u16, Size), String> {
        let handlers = self.handlers.lock().expect("one thread");
        let is_known =
            |number: &u16| handlers.get(usize::from(*number)).is_some_and(Option::is_some);
        let known = u16::try_from(handler).ok().filter(is_known);
        let count = handlers.iter().flatten().count();
        let no = || format!("handler {handler}: there is no such handler: {count} are registered");
        let size = match size {
            0 => Size::Small,
            1 => Size::Large,
            _ => return Err(format!("size {size}: use BG_SMALL or BG_LARGE")),
        };
        Ok((known.ok_or_else(no)?, size))
    }
}

/// # Safety
/// There are `bytes` bytes at this address, or it is null.
unsafe fn slice<'a>(payload: *const c_void, bytes: usize) -> Result<&'a [u8], String> {
    if bytes == 0 {
        return Ok(&[]);
    }
    if payload.is_null() || bytes > isize::MAX as usize {
        return Err(format!("a payload of {bytes} bytes at {payload:?}: there is none"));
    }
    // SAFETY: the caller vouches for the bytes.
    Ok(unsafe { std::slice::from_raw_parts(payload.cast(), bytes) })
}

extern "C" fn register(seen: *mut Seen, handler: Option<Handler>) -> c_int {
    // SAFETY: a handler passes on the pointer that it was given.
    let desk = unsafe { desk(seen) };
    let Some(handler) = handler else { return desk.refuse("a handler is NULL".into()) };
    let mut handlers = desk.handlers.lock().expect("one thread");
    let is_it = |known: &Option<Handler>| is_same(*known, handler);
    let known = handlers.iter().position(is_it);
    let number = known.or_else(|| handlers.iter().position(Option::is_none));
    let number = number.unwrap_or(handlers.len());
    let Ok(short) = u16::try_from(number) else {
        drop(handlers);
        return desk.refuse("there are more than 65536 handlers".into());
    };
    let len = handlers.len().max(number + 1);
    handlers.resize(len, None);
    handlers[number] = Some(handler);
    c_int::from(short)
}

extern "C" fn register_as(seen: *mut Seen, id: c_int, handler: Option<Handler>) -> c_int {
    // SAFETY: a handler passes on the pointer that it was given.
    let desk = unsafe { desk(seen) };
    let Some(handler) = handler else { return desk.refuse(format!("handler {id} is NULL")) };
    let Ok(number) = u16::try_from(id).map(usize::from) else {
        return desk.refuse(format!("registerHandler: handler {id}: use 0 to 65535"));
    };
    let mut handlers = desk.handlers.lock().expect("one thread");
    let len = handlers.len().max(number + 1);
    handlers.resize(len, None);
    if handlers[number].is_some() && !is_same(handlers[number], handler) {
        drop(handlers);
        return desk.refuse(format!("registerHandler: handler {id} is another function already"));
    }
    handlers[number] = Some(handler);
    id
}

fn is_same(known: Option<Handler>, handler: Handler) -> bool {
    known.is_some_and(|known| std::ptr::fn_addr_eq(known, handler))
}

extern "C" fn thread(seen: *mut Seen) -> c_int {
    // SAFETY: a handler passes on the pointer that it was given.
    unsafe { desk(seen) }.node.thread() as c_int
}

extern "C" fn processor(seen: *mut Seen) -> c_int {
    // SAFETY: a handler passes on the pointer that it was given.
    unsafe { desk(seen) }.node.processor() as c_int
}

extern "C" fn add(
    seen: *mut Seen, handler: c_int, size: c_int, payload: *const c_void, bytes: usize,
) -> c_int {
    // SAFETY: a handler passes on the pointer that it was given.
    let desk = unsafe { desk(seen) };
    // SAFETY: the handler vouches for the payload.
    let payload = unsafe { slice(payload, bytes) };
    match payload.and_then(|payload| Ok((payload, desk.checked(handler, size)?))) {
        Ok((payload, (handler, size))) => {
            desk.node.add(handler, size, payload);
            0
        }
        Err(why) => desk.refuse(format!("addMessage: {why}")),
    }
}

extern "C" fn send(
    seen: *mut Seen, x: c_int, y: c_int, z: c_int, handler: c_int, size: c_int,
    payload: *const c_void, bytes: usize,
) -> c_int {
    // SAFETY: a handler passes on the pointer that it was given.
    let desk = unsafe { desk(seen) };
    // SAFETY: the handler vouches for the payload.
    let payload = unsafe { slice(payload, bytes) };
    match payload.and_then(|payload| Ok((payload, desk.checked(handler, size)?))) {
        Ok((payload, (handler, size))) => {
            if [x, y, z].iter().any(|&at| at < 0) {
                return desk.refuse(format!("there is no node {:?}", [x, y, z]));
            }
            desk.node.send([x, y, z].map(|at| at as u32), handler, size, payload);
            if desk.node.has_failed() { -1 } else { 0 }
        }
        Err(why) => desk.refuse(format!("sendPacket: {why}")),
    }
}

extern "C" fn time(seen: *mut Seen) -> f64 {
    // SAFETY: a handler passes on the pointer that it was given.
    unsafe { desk(seen) }.node.time()
}

extern "C" fn work(seen: *mut Seen, cycles: u64) {
    // SAFETY: a handler passes on the pointer that it was given.
    unsafe { desk(seen) }.node.work(cycles);
}

extern "C" fn finish(seen: *mut Seen) {
    // SAFETY: a handler passes on the pointer that it was given.
    unsafe { desk(seen) }.node.finish();
}

extern "C" fn put(seen: *mut Seen, message: *const Message) -> c_int {
    // SAFETY: a handler passes on the pointer that it was given.
    let node = &mut unsafe { desk(seen) }.node;
    if !node.has_room() {
        return -1;
    }
    // SAFETY: the handler passes a message of its own.
    let Message { xyz: [x, y, z], handler, size, bytes, .. } = unsafe { message.read() };
    // SAFETY: as above; only its address is taken.
    let payload = unsafe { &raw const (*message).payload };
    if bytes as usize > PAYLOAD_MOST {
        node.fail(format!("putMessage: a payload of {bytes} bytes: {PAYLOAD_MOST} fit into it"));
        return -1;
    }
    send(seen, x, y, z, handler, size, payload.cast(), bytes as usize)
}

extern "C" fn ready(seen: *mut Seen) -> c_int {
    // SAFETY: a handler passes on the pointer that it was given.
    c_int::from(unsafe { desk(seen) }.node.is_ready())
}

extern "C" fn take(seen: *mut Seen, message: *mut Message) -> c_int {
    // SAFETY: a handler passes on the pointer that it was given.
    let node = &mut unsafe { desk(seen) }.node;
    let mut room = Vec::new();
    let Some((handler, size)) = node.take(&mut room) else { return 0 };
    let mut payload = [0; PAYLOAD_MOST];
    payload[..room.len()].copy_from_slice(&room);
    let taken = Message {
        xyz: node.xyz().map(|at| at as i32),
        handler: i32::from(handler),
        size: i32::from(size == Size::Large),
        bytes: room.len() as u32,
        payload,
    };
    // SAFETY: the handler has room for a message there.
    unsafe { message.write(taken) };
    1
}

impl Wanted {
    /// The properties of a machine.
    pub fn of(setup: &Setup) -> Wanted {
        Wanted {
            dims: setup.dims.map(|extent| extent as i32),
            communication: setup.communication as i32,
            workers: setup.workers as i32,
        }
    }
}
