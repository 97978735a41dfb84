//! dlopen, dlsym and dladdr: ranks see their own images where libc knows only the template.
//!
//! A rank gets its own copy of a library that it opens (see
//! [`plugins`](crate::host::loader::plugins)). What all ranks share, ld.so opens; it is refused if
//! it would have to be private.

use super::state::Part;
use super::{homes, table, variables};
use crate::host::loader::misfit::Misfit;
use crate::host::loader::plugins::Kept;
use crate::host::rank::libc_state;
use crate::host::{Rank, current, fiber};
use libc::Dl_info;
use parking_lot::{Mutex, ReentrantMutex};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

table!(dladdr, dladdr1, dlopen, dlclose, dlerror);

unsafe extern "C" {
    #[link_name = "dladdr1"]
    fn real_dladdr1(
        address: *const c_void, info: *mut Dl_info, extra: *mut *mut c_void, flags: c_int,
    ) -> c_int;
    #[link_name = "dlvsym"]
    fn real_dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char)
    -> *mut c_void;
}

/// Why the rank's last `dlopen` was refused: the message that `dlerror` has not returned yet, and
/// the one that it returned last.
#[derive(Default)]
struct Refusals(Mutex<[Option<CString>; 2]>);

static REFUSALS: Part<Refusals> = Part::new();

type Open = unsafe extern "C-unwind" fn(*const c_char, c_int) -> *mut c_void;
type OpenFromNowhere = unsafe extern "C-unwind" fn(*const c_char, c_int, real: Open) -> *mut c_void;

/// Calls libc's `dlopen` from a place that belongs to no object, as ranks' own code does: then it
/// searches where the program says (DT_RUNPATH), not where this library does.
fn from_nowhere() -> Option<OpenFromNowhere> {
    /// `sub rsp, 8; call rdx; add rsp, 8; ret`
    const CODE: [u8; 11] = [0x48, 0x83, 0xec, 0x08, 0xff, 0xd2, 0x48, 0x83, 0xc4, 0x08, 0xc3];
    static PLACE: OnceLock<Option<usize>> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        let (bytes, flags) = (4096, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at a place of the kernel's choice.
        let page = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
        if page == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the page is ours, and larger than the code.
        unsafe { page.cast::<[u8; CODE.len()]>().write(CODE) };
        // SAFETY: as above.
        let status = unsafe { libc::mprotect(page, bytes, libc::PROT_READ | libc::PROT_EXEC) };
        (status == 0).then(|| page.expose_provenance())
    });
    let code = std::ptr::with_exposed_provenance::<c_void>((*place)?);
    // SAFETY: the code takes these arguments, and leaves the stack as it was.
    Some(unsafe { std::mem::transmute::<*const c_void, OpenFromNowhere>(code) })
}

/// Held while a library is loaded and examined, so that no rank is blamed for what another one has
/// just loaded. Reentrant, since constructors may open libraries; libc has such a lock of its own.
static OPENING: ReentrantMutex<()> = ReentrantMutex::new(());

unsafe extern "C-unwind" fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void {
    let Some(rank) = current().filter(|_| !file.is_null()) else {
        // SAFETY: as our caller vouches.
        return unsafe { open_for_all(file, flags) };
    };
    // SAFETY: the caller vouches for a terminated string.
    let name = unsafe { CStr::from_ptr(file) };
    let opened = match fiber::aside(|| rank.images.plugins().bring(name, flags)) {
        // SAFETY: as our caller vouches.
        Ok(Kept::Shared) => return unsafe { open_for_all(file, flags) },
        Ok(Kept::Private(library)) => open_own(rank, library, flags),
        Err(why) => Err(why),
    };
    REFUSALS.of(&rank.libc).0.lock()[0] = None;
    opened.unwrap_or_else(|why| {
        REFUSALS.of(&rank.libc).0.lock()[0] = CString::new(why).ok();
        null_mut()
    })
}

/// Opens the rank's own copy of a library.
fn open_own(rank: &'static Rank, library: usize, flags: c_int) -> Result<*mut c_void, String> {
    if flags & libc::RTLD_NOLOAD != 0 && !rank.images.has_opened(library) {
        return Ok(null_mut());
    }
    let variable = |name: &str| variables::variable(&rank.libc, name);
    let fresh = fiber::aside(|| rank.images.open(library, &variable));
    let handle = rank.images.plugins().handle(library);
    let fresh = fresh.map_err(|error| format!("no memory for a copy of a library: {error}"))?;
    rank.images.construct_opened(&fresh);
    Ok(std::ptr::with_exposed_provenance_mut(handle))
}

/// # Safety
/// As dlclose(3).
unsafe extern "C" fn dlclose(handle: *mut c_void) -> c_int {
    let rank = current();
    let own = rank.and_then(|rank| {
        Some((rank, rank.images.plugins().by_handle(handle.expose_provenance())?))
    });
    let Some((rank, library)) = own else {
        // SAFETY: as our caller vouches.
        return unsafe { libc::dlclose(handle) };
    };
    if rank.images.close(library) {
        return 0;
    }
    REFUSALS.of(&rank.libc).0.lock()[0] = CString::new("dlclose: the library is not open").ok();
    -1
}

/// Makes ld.so open a library for all ranks.
///
/// # Safety
/// As dlopen(3).
unsafe fn open_for_all(file: *const c_char, flags: c_int) -> *mut c_void {
    let _turn = OPENING.lock();
    // SAFETY: libc's function, declared as one whose constructors may unwind.
    let real = unsafe { std::mem::transmute::<*const (), Open>(libc::dlopen as *const ()) };
    let handle = match from_nowhere().filter(|_| !file.is_null()) {
        // SAFETY: as our caller vouches.
        Some(open) => unsafe { open(file, flags, real) },
        // SAFETY: as our caller vouches.
        None => unsafe { real(file, flags) },
    };
    let Some(state) = libc_state() else { return handle };
    REFUSALS.of(state).0.lock()[0] = None;
    if handle.is_null() || file.is_null() {
        return handle;
    }
    // SAFETY: opened above, and the handle has not been passed on.
    let close = || _ = unsafe { libc::dlclose(handle) };
    let Some(rank) = current() else { return handle };
    match rank.images.plugins().examine(close) {
        Ok(()) => handle,
        Err(misfit) => {
            REFUSALS.of(state).0.lock()[0] = CString::new(refusal(&misfit)).ok();
            null_mut()
        }
    }
}

/// The sentence about a library that is refused, with the cure.
fn refusal(misfit: &Misfit) -> String {
    let Misfit { library, symbol, owner, is_of_program } = misfit;
    let (whose, share) = match is_of_program {
        true => ("the program".to_string(), String::new()),
        false => {
            (owner.clone(), format!(", or let all ranks share {owner} (ftrun --shared {owner})"))
        }
    };
    format!(
        "{library} uses `{symbol}` of {whose}, of which each rank has its own, while all ranks \
         share this library; leave out --shared or --share-image{share}"
    )
}

unsafe extern "C" fn dlerror() -> *mut c_char {
    if let Some(state) = libc_state() {
        let [next, told] = &mut *REFUSALS.of(state).0.lock();
        if let Some(words) = next.take() {
            return told.insert(words).as_ptr().cast_mut();
        }
    }
    // SAFETY: has no preconditions.
    unsafe { libc::dlerror() }
}

/// `dlsym` and, with a version, `dlvsym`, called from the address `caller`.
///
/// # Safety
/// As dlsym(3).
pub(super) unsafe fn find(
    handle: *mut c_void, name: *const c_char, version: *const c_char, caller: usize,
) -> *mut c_void {
    let look = |handle| match version.is_null() {
        // SAFETY: as our caller vouches.
        true => unsafe { libc::dlsym(handle, name) },
        // SAFETY: as our caller vouches.
        false => unsafe { real_dlvsym(handle, name, version) },
    };
    let Some(rank) = current() else { return look(handle) };
    // SAFETY: the caller vouches for a terminated string.
    let text = unsafe { CStr::from_ptr(name) }.to_str().unwrap_or("");
    if handle == libc::RTLD_NEXT {
        return stand_in(text).unwrap_or_else(|| next(rank, caller, look));
    }
    if handle != libc::RTLD_DEFAULT && handle != whole_program() {
        return own(rank, text, look(handle));
    }
    let plugins = rank.images.plugins();
    // SAFETY: as our caller vouches.
    let further = plugins.find(unsafe { CStr::from_ptr(name) }, |it| rank.images.has_opened(it));
    if let Some(address) = further {
        return own(rank, text, std::ptr::with_exposed_provenance_mut(address));
    }
    let found = look(handle);
    // What a rank has opened for itself, ld.so may know as opened for all.
    if plugins.holds(found.expose_provenance()) { null_mut() } else { own(rank, text, found) }
}

/// What `dlopen` returns for no name.
fn whole_program() -> *mut c_void {
    static HANDLE: OnceLock<usize> = OnceLock::new();
    // SAFETY: opens what is open already.
    let open = || unsafe { libc::dlopen(std::ptr::null(), libc::RTLD_LAZY) }.expose_provenance();
    std::ptr::with_exposed_provenance_mut(*HANDLE.get_or_init(open))
}

/// The table of stand-ins, which this file is part of.
static STAND_IN: OnceLock<fn(&str) -> Option<*const ()>> = OnceLock::new();

/// Programs that look for functions of libc by their names find them by `find`.
pub(super) fn find_stand_ins_by(find: fn(&str) -> Option<*const ()>) {
    STAND_IN.get_or_init(|| find);
}

/// The stand-in for libc's `name` in private images.
fn stand_in(name: &str) -> Option<*mut c_void> {
    Some(STAND_IN.get()?(name)?.cast_mut().cast())
}

/// What the rank sees where libc has found `address`.
fn own(rank: &Rank, name: &str, address: *mut c_void) -> *mut c_void {
    if address.is_null() {
        return address;
    }
    if let Some(copy) = rank.images.translate(address.expose_provenance()) {
        return std::ptr::with_exposed_provenance_mut(copy);
    }
    if rank.images.plugins().holds(address.expose_provenance()) {
        // Others have opened it.
        return null_mut();
    }
    if !is_libcs(address) {
        return address;
    }
    let variable = homes::Variable::named(name).and_then(|_| {
        let state = libc_state()?;
        variables::variable(state, name).map(|home| home.cast_mut().cast())
    });
    variable.or_else(|| stand_in(name)).unwrap_or(address)
}

fn is_libcs(address: *mut c_void) -> bool {
    let path = describe(address).map_or(c"", |info| {
        // SAFETY: libc names every object that it has found.
        unsafe { CStr::from_ptr(info.dli_fname) }
    });
    let name = path.to_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or(b"");
    [&b"libc.so"[..], b"libm.so", b"libpthread.so"].iter().any(|each| name.starts_with(each))
}

/// The next definition after the object that contains `caller`.
fn next(rank: &Rank, caller: usize, look: impl Fn(*mut c_void) -> *mut c_void) -> *mut c_void {
    let origin = rank.images.origin(caller).unwrap_or(caller);
    let own_base = describe(std::ptr::with_exposed_provenance_mut(origin))
        .map_or(null_mut(), |info| info.dli_fbase);
    let objects = objects();
    let place = objects.iter().position(|object| std::ptr::eq(object.1, own_base));
    let after = objects.iter().skip(place.map_or(0, |place| place + 1));
    for (path, base) in after {
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
        // SAFETY: the object is loaded already.
        let handle = unsafe { libc::dlopen(path.as_ptr(), flags) };
        if handle.is_null() {
            continue;
        }
        let found = look(handle);
        // SAFETY: opened above; ld.so keeps the object for its other users.
        unsafe { libc::dlclose(handle) };
        let is_here = describe(found).is_some_and(|info| std::ptr::eq(info.dli_fbase, *base));
        if !found.is_null() && is_here {
            let copy = rank.images.translate(found.expose_provenance());
            return copy.map_or(found, std::ptr::with_exposed_provenance_mut);
        }
    }
    null_mut()
}

fn describe(address: *mut c_void) -> Option<Dl_info> {
    let mut info = std::mem::MaybeUninit::uninit();
    // SAFETY: any address may be asked about.
    let is_found = unsafe { libc::dladdr(address, info.as_mut_ptr()) } != 0;
    // SAFETY: libc filled it in.
    is_found.then(|| unsafe { info.assume_init() })
}

/// All objects in the order in which ld.so looks symbols up: path and base.
fn objects() -> Vec<(CString, *mut c_void)> {
    unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _: usize, list: *mut c_void) -> c_int {
        // SAFETY: libc passes a description, and `objects` its own list.
        let (info, list) = unsafe { (&*info, &mut *list.cast::<Vec<(CString, *mut c_void)>>()) };
        // SAFETY: libc names every object, the program with an empty string.
        let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_owned();
        list.push((path, std::ptr::with_exposed_provenance_mut(info.dlpi_addr as usize)));
        0
    }
    let mut list: Vec<(CString, *mut c_void)> = Vec::new();
    // SAFETY: the callback takes what is passed here.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut list).cast()) };
    list
}

/// Looks up an address of the rank in the template, and translates the answer back.
fn moved_back(
    address: *const c_void, info: *mut Dl_info, ask: impl Fn(*const c_void) -> c_int,
) -> c_int {
    let rank = current();
    let Some((rank, origin)) =
        rank.and_then(|rank| Some((rank, rank.images.origin(address.expose_provenance())?)))
    else {
        return ask(address);
    };
    let status = ask(std::ptr::with_exposed_provenance(origin));
    if status != 0 {
        let shift = address.addr().wrapping_sub(origin);
        // SAFETY: the caller vouches for the place, and libc has filled it in.
        let info = unsafe { &mut *info };
        info.dli_fbase = info.dli_fbase.wrapping_byte_add(shift);
        let symbol = info.dli_saddr.expose_provenance();
        if let Some(copy) = rank.images.translate(symbol) {
            info.dli_saddr = std::ptr::with_exposed_provenance_mut(copy);
        }
        // ld.so knows a library that was opened by the name of a copy.
        if let Some(image) = rank.images.around(address.addr()) {
            info.dli_fname = image.name.as_ptr();
        }
    }
    status
}

unsafe extern "C" fn dladdr(address: *const c_void, info: *mut Dl_info) -> c_int {
    // SAFETY: as our caller vouches.
    moved_back(address, info, |address| unsafe { libc::dladdr(address, info) })
}

unsafe extern "C" fn dladdr1(
    address: *const c_void, info: *mut Dl_info, extra: *mut *mut c_void, flags: c_int,
) -> c_int {
    // SAFETY: as our caller vouches.
    moved_back(address, info, |address| unsafe { real_dladdr1(address, info, extra, flags) })
}
