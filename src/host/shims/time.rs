//! Local time: the static results of localtime and its kin, and the time zone of each rank.
//!
//! libc has one time zone, set from its own environment. As long as no rank has a `TZ` of its own,
//! all ranks use that. A rank that has one lends it to libc for the length of a call.

use super::homes::Variable;
use super::state::{LibcState, Part};
use super::{environ, table};
use crate::host::rank::libc_state;
use parking_lot::RwLock;
use std::ffi::{CStr, c_char, c_int, c_long};
use std::ptr::null_mut;
use std::sync::OnceLock;

table!(localtime, localtime_r, gmtime, ctime, ctime_r, asctime, mktime, timelocal, strftime, tzset);

unsafe extern "C" {
    static tzname: [*mut c_char; 2];
    static timezone: c_long;
    static daylight: c_int;
    #[link_name = "asctime_r"]
    fn real_asctime_r(time: *const libc::tm, text: *mut c_char) -> *mut c_char;
    #[link_name = "ctime_r"]
    fn real_ctime_r(time: *const libc::time_t, text: *mut c_char) -> *mut c_char;
    #[link_name = "tzset"]
    fn real_tzset();
}

/// The results of localtime and asctime: overwritten by the next call of the rank.
#[repr(C)]
struct Results {
    time: libc::tm,
    text: [c_char; 64],
}

#[derive(Default)]
pub(super) struct Time(OnceLock<Pointer>);

static TIME: Part<Time> = Part::new();

struct Pointer(*mut Results);

// SAFETY: an address of memory that stays as long as its rank; the program guards its use.
unsafe impl Send for Pointer {}
// SAFETY: as above.
unsafe impl Sync for Pointer {}

impl Drop for Pointer {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and the program that used it is gone.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

impl Time {
    fn results(&self) -> *mut Results {
        let make = || {
            // SAFETY: zeroes are a valid time and a valid text.
            Pointer(Box::into_raw(Box::new(unsafe { std::mem::zeroed() })))
        };
        self.0.get_or_init(make).0
    }

    fn time(&self) -> *mut libc::tm {
        self.results().cast()
    }

    fn text(&self) -> *mut c_char {
        self.results().wrapping_byte_add(std::mem::offset_of!(Results, text)).cast()
    }
}

/// Held for reading while libc has its own zone, for writing while a rank has lent it another.
static ZONE: RwLock<()> = RwLock::new(());

/// Runs `act` while libc has the rank's time zone, and shows the rank what that has set. `act` must
/// not touch what the program gave us: a fault there would leave the zone locked.
fn in_zone<T>(state: &LibcState, act: impl FnOnce() -> T) -> T {
    let rank = environ::value(state, c"TZ");
    let held = ZONE.read();
    if rank == environ::value_of_process(c"TZ") {
        let result = act();
        show(state);
        return result;
    }
    drop(held);
    let _held = ZONE.write();
    let own = environ::value_of_process(c"TZ");
    lend(rank.as_deref());
    let result = act();
    show(state);
    lend(own.as_deref());
    result
}

/// Gives libc a time zone. [`ZONE`] is held for writing.
fn lend(zone: Option<&CStr>) {
    match zone {
        // SAFETY: terminated strings; ranks do not look at libc's own environment.
        Some(zone) => unsafe { libc::setenv(c"TZ".as_ptr(), zone.as_ptr(), 1) },
        // SAFETY: as above.
        None => unsafe { libc::unsetenv(c"TZ".as_ptr()) },
    };
    // SAFETY: no precondition.
    unsafe { real_tzset() };
}

/// Writes `tzname`, `timezone` and `daylight` to the rank's own. [`ZONE`] is held.
fn show(state: &LibcState) {
    // SAFETY: libc never frees these strings, and sets the variables only while the zone is held.
    state.homes.write(Variable::Tzname, unsafe { tzname });
    // SAFETY: as above.
    state.homes.write(Variable::Timezone, unsafe { timezone });
    // SAFETY: as above.
    state.homes.write(Variable::Daylight, unsafe { daylight });
}

fn local(state: &LibcState, moment: libc::time_t) -> Option<libc::tm> {
    in_zone(state, || {
        let mut time = std::mem::MaybeUninit::uninit();
        // SAFETY: no precondition.
        unsafe { real_tzset() };
        // SAFETY: both are ours.
        let made = unsafe { libc::localtime_r(&raw const moment, time.as_mut_ptr()) };
        // SAFETY: libc wrote it.
        (!made.is_null()).then(|| unsafe { time.assume_init() })
    })
}

unsafe extern "C" fn localtime(moment: *const libc::time_t) -> *mut libc::tm {
    match libc_state() {
        // SAFETY: as our caller vouches; the place is the rank's.
        Some(state) => unsafe { localtime_r(moment, TIME.of(state).time()) },
        // SAFETY: as our caller vouches.
        None => unsafe { libc::localtime(moment) },
    }
}

unsafe extern "C" fn localtime_r(
    moment: *const libc::time_t, place: *mut libc::tm,
) -> *mut libc::tm {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { libc::localtime_r(moment, place) };
    };
    // SAFETY: the caller vouches for the moment.
    match local(state, unsafe { moment.read() }) {
        Some(time) => {
            // SAFETY: the caller vouches for the place.
            unsafe { place.write(time) };
            place
        }
        None => null_mut(),
    }
}

unsafe extern "C" fn gmtime(moment: *const libc::time_t) -> *mut libc::tm {
    match libc_state() {
        // SAFETY: as our caller vouches; the place is the rank's.
        Some(state) => unsafe { libc::gmtime_r(moment, TIME.of(state).time()) },
        // SAFETY: as our caller vouches.
        None => unsafe { libc::gmtime(moment) },
    }
}

unsafe extern "C" fn asctime(time: *const libc::tm) -> *mut c_char {
    unsafe extern "C" {
        #[link_name = "asctime"]
        fn real_asctime(time: *const libc::tm) -> *mut c_char;
    }
    match libc_state() {
        // SAFETY: as our caller vouches; the text has room for any time.
        Some(state) => unsafe { real_asctime_r(time, TIME.of(state).text()) },
        // SAFETY: as our caller vouches.
        None => unsafe { real_asctime(time) },
    }
}

unsafe extern "C" fn ctime(moment: *const libc::time_t) -> *mut c_char {
    unsafe extern "C" {
        #[link_name = "ctime"]
        fn real_ctime(moment: *const libc::time_t) -> *mut c_char;
    }
    match libc_state() {
        // SAFETY: as our caller vouches; the text has room for any time.
        Some(state) => unsafe { ctime_r(moment, TIME.of(state).text()) },
        // SAFETY: as our caller vouches.
        None => unsafe { real_ctime(moment) },
    }
}

unsafe extern "C" fn ctime_r(moment: *const libc::time_t, text: *mut c_char) -> *mut c_char {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { real_ctime_r(moment, text) };
    };
    // SAFETY: the caller vouches for the moment.
    match local(state, unsafe { moment.read() }) {
        // SAFETY: the caller vouches for the text.
        Some(time) => unsafe { real_asctime_r(&raw const time, text) },
        None => null_mut(),
    }
}

unsafe extern "C" fn mktime(time: *mut libc::tm) -> libc::time_t {
    let Some(state) = libc_state() else {
        // SAFETY: as our caller vouches.
        return unsafe { libc::mktime(time) };
    };
    // SAFETY: the caller vouches for the time.
    let mut copy = unsafe { time.read() };
    // SAFETY: the copy is ours.
    let moment = in_zone(state, || unsafe { libc::mktime(&raw mut copy) });
    // SAFETY: the caller vouches for the time.
    unsafe { time.write(copy) };
    moment
}

unsafe extern "C" fn timelocal(time: *mut libc::tm) -> libc::time_t {
    // SAFETY: as our caller vouches.
    unsafe { mktime(time) }
}

unsafe extern "C" fn strftime(
    text: *mut c_char, most: usize, format: *const c_char, time: *const libc::tm,
) -> usize {
    // A time that localtime made carries the name of its zone; only `%s` needs the zone itself.
    let format_bytes = match libc_state() {
        // SAFETY: the caller vouches for the format.
        Some(_) => unsafe { CStr::from_ptr(format) }.to_bytes(),
        None => b"",
    };
    let asks = format_bytes.windows(2).any(|pair| pair == b"%s");
    match libc_state().filter(|_| asks && most > 0) {
        Some(state) => {
            // SAFETY: the caller vouches for the time.
            let copy = unsafe { time.read() };
            let mut made: Vec<c_char> = vec![0; most];
            let bytes = in_zone(state, || {
                // SAFETY: the text and the time are ours, and the format has just been read.
                unsafe { libc::strftime(made.as_mut_ptr(), most, format, &raw const copy) }
            });
            // SAFETY: the caller vouches for `most` bytes; libc wrote at most that many.
            unsafe { text.copy_from_nonoverlapping(made.as_ptr(), (bytes + 1).min(most)) };
            bytes
        }
        // SAFETY: as our caller vouches.
        None => unsafe { libc::strftime(text, most, format, time) },
    }
}

extern "C" fn tzset() {
    match libc_state() {
        // SAFETY: no precondition.
        Some(state) => in_zone(state, || unsafe { real_tzset() }),
        // SAFETY: no precondition.
        None => unsafe { real_tzset() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_a_time_zone_of_its_own() {
        let (one, two) = (LibcState::new(1), LibcState::new(2));
        environ::set(&one, c"TZ=JST-9");
        environ::set(&two, c"TZ=UTC");
        let threads = [(one, 9), (two, 0)].map(|(state, hour)| {
            std::thread::spawn(move || {
                let mut copy: c_long = 0;
                state.set_home("timezone", (&raw mut copy).cast());
                for _ in 0..500 {
                    assert_eq!(local(&state, 0).unwrap().tm_hour, hour);
                    assert_eq!(copy, -3600 * c_long::from(hour));
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}
