//! getopt, getopt_long and getopt_long_only on the rank's own variables, with glibc's permutation,
//! abbreviations and messages to the letter.

use super::homes::Variable;
use super::state::{LibcState, Part};
use super::{environ, stdio, table};
use crate::host::rank::libc_state;
use parking_lot::Mutex;
use std::ffi::{CStr, c_char, c_int};
use std::ptr::null_mut;

table!(getopt, __posix_getopt, getopt_long, getopt_long_only);

unsafe extern "C" {
    #[link_name = "getopt"]
    fn real_getopt(argc: c_int, argv: *mut *mut c_char, short: *const c_char) -> c_int;
    #[link_name = "__posix_getopt"]
    fn real_posix_getopt(argc: c_int, argv: *mut *mut c_char, short: *const c_char) -> c_int;
    #[link_name = "getopt_long"]
    fn real_long(
        argc: c_int, argv: *mut *mut c_char, short: *const c_char, long: *const LongOption,
        index: *mut c_int,
    ) -> c_int;
    #[link_name = "getopt_long_only"]
    fn real_long_only(
        argc: c_int, argv: *mut *mut c_char, short: *const c_char, long: *const LongOption,
        index: *mut c_int,
    ) -> c_int;
}

/// `struct option` of `<getopt.h>`.
#[repr(C)]
#[derive(Clone, Copy)]
struct LongOption {
    name: *const c_char,
    has_arg: c_int,
    flag: *mut c_int,
    val: c_int,
}

#[derive(Default)]
pub(super) struct Getopt(Mutex<Scan>);

static GETOPT: Part<Getopt> = Part::new();

/// What getopt remembers between calls.
#[derive(Clone, Copy, Default)]
struct Scan {
    optind: c_int,
    opterr: bool,
    optopt: c_int,
    optarg: Text,
    is_started: bool,
    next: Text,
    order: Order,
    first_nonoption: c_int,
    last_nonoption: c_int,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Permute,
    Require,
    Return,
}

/// A string of the program, or none. The caller of getopt vouches for all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Text(*mut c_char);

// SAFETY: an address; the strings belong to the rank, and so does the scan that holds them.
unsafe impl Send for Text {}

impl Default for Text {
    fn default() -> Text {
        Text(null_mut())
    }
}

impl Text {
    fn is_none(self) -> bool {
        self.0.is_null()
    }

    fn byte(self, index: usize) -> u8 {
        // SAFETY: callers look at a byte only after all before it were not the last.
        unsafe { self.0.add(index).read() as u8 }
    }

    fn from(self, index: usize) -> Text {
        Text(self.0.wrapping_add(index))
    }

    fn bytes(self) -> &'static [u8] {
        if self.is_none() {
            return b"(null)";
        }
        // SAFETY: a terminated string that the caller of getopt keeps for this call.
        unsafe { CStr::from_ptr(self.0) }.to_bytes()
    }

    /// The position of `byte`, the terminator included, as in `strchr`.
    fn find(self, byte: u8) -> Option<usize> {
        let bytes = self.bytes();
        match byte {
            0 => Some(bytes.len()),
            _ => bytes.iter().position(|&each| each == byte),
        }
    }

    fn is_option(self) -> bool {
        self.byte(0) == b'-' && self.byte(1) != 0
    }
}

/// One call: the program's parameters and where complaints go.
struct Call<'a> {
    argc: c_int,
    argv: *mut *mut c_char,
    short: Text,
    long: *const LongOption,
    index: *mut c_int,
    long_only: bool,
    posix: bool,
    complain: &'a mut dyn FnMut(&[u8]),
}

impl Call<'_> {
    fn argument(&self, index: c_int) -> Text {
        // SAFETY: the caller of getopt vouches for `argc` arguments.
        Text(unsafe { self.argv.add(index as usize).read() })
    }

    fn swap(&self, left: c_int, right: c_int) {
        // SAFETY: both are below `argc`.
        unsafe { self.argv.add(left as usize).swap(self.argv.add(right as usize)) };
    }

    fn long_options(&self) -> impl Iterator<Item = (usize, LongOption)> + use<> {
        let first = self.long;
        (0..)
            .map(move |index| {
                // SAFETY: the table ends with an entry without a name, where we stop.
                (index, unsafe { first.add(index).read() })
            })
            .take_while(|(_, option)| !option.name.is_null())
    }

    fn say(&mut self, parts: &[&[u8]]) {
        let program = self.argument(0).bytes();
        let mut line = [program, b": "].concat();
        parts.iter().for_each(|part| line.extend_from_slice(part));
        line.push(b'\n');
        (self.complain)(&line);
    }
}

impl Scan {
    fn start(&mut self, call: &Call<'_>) -> Text {
        if self.optind == 0 {
            self.optind = 1;
        }
        self.first_nonoption = self.optind;
        self.last_nonoption = self.optind;
        self.next = Text::default();
        self.is_started = true;
        match call.short.byte(0) {
            b'-' => {
                self.order = Order::Return;
                return call.short.from(1);
            }
            b'+' => {
                self.order = Order::Require;
                return call.short.from(1);
            }
            _ if call.posix || environ::is_set(c"POSIXLY_CORRECT") => self.order = Order::Require,
            _ => self.order = Order::Permute,
        }
        call.short
    }

    fn step(&mut self, call: &mut Call<'_>) -> c_int {
        if call.argc < 1 {
            return -1;
        }
        self.optarg = Text::default();
        if self.optind == 0 || !self.is_started {
            call.short = self.start(call);
        } else if matches!(call.short.byte(0), b'-' | b'+') {
            call.short = call.short.from(1);
        }
        let complains = self.opterr && call.short.byte(0) != b':';
        if (self.next.is_none() || self.next.byte(0) == 0)
            && let Some(result) = self.next_argument(call, complains)
        {
            return result;
        }
        self.short_option(call, complains)
    }

    /// Goes to the next element of argv. `Some` is the result of the whole call; otherwise `next`
    /// points at short options.
    fn next_argument(&mut self, call: &mut Call<'_>, complains: bool) -> Option<c_int> {
        self.last_nonoption = self.last_nonoption.min(self.optind);
        self.first_nonoption = self.first_nonoption.min(self.optind);
        if self.order == Order::Permute {
            self.gather(call);
            while self.optind < call.argc && !call.argument(self.optind).is_option() {
                self.optind += 1;
            }
            self.last_nonoption = self.optind;
        }
        if self.optind != call.argc && call.argument(self.optind).bytes() == b"--" {
            self.optind += 1;
            self.gather(call);
            self.last_nonoption = call.argc;
            self.optind = call.argc;
        }
        if self.optind == call.argc {
            if self.first_nonoption != self.last_nonoption {
                self.optind = self.first_nonoption;
            }
            return Some(-1);
        }
        let argument = call.argument(self.optind);
        if !argument.is_option() {
            if self.order == Order::Require {
                return Some(-1);
            }
            self.optarg = argument;
            self.optind += 1;
            return Some(1);
        }
        if !call.long.is_null() {
            if argument.byte(1) == b'-' {
                self.next = argument.from(2);
                let long_only = call.long_only;
                return Some(self.long_option(call, long_only, complains, b"--").unwrap_or(-1));
            }
            let may_be_long = argument.byte(2) != 0 || call.short.find(argument.byte(1)).is_none();
            if call.long_only && may_be_long {
                self.next = argument.from(1);
                let result = self.long_option(call, true, complains, b"-");
                if result.is_some() {
                    return result;
                }
            }
        }
        self.next = argument.from(1);
        None
    }

    /// Moves the options that were passed over non-options before those.
    fn gather(&mut self, call: &Call<'_>) {
        if self.first_nonoption == self.last_nonoption {
            self.first_nonoption = self.optind;
        } else if self.last_nonoption != self.optind {
            self.exchange(call);
        }
    }

    fn exchange(&mut self, call: &Call<'_>) {
        let (mut bottom, middle, mut top) =
            (self.first_nonoption, self.last_nonoption, self.optind);
        while top > middle && middle > bottom {
            if top - middle > middle - bottom {
                let bytes = middle - bottom;
                (0..bytes).for_each(|each| call.swap(bottom + each, top - bytes + each));
                top -= bytes;
            } else {
                let bytes = top - middle;
                (0..bytes).for_each(|each| call.swap(bottom + each, middle + each));
                bottom += bytes;
            }
        }
        self.first_nonoption += self.optind - self.last_nonoption;
        self.last_nonoption = self.optind;
    }

    /// `None`: it is no long option after all, so it must be short ones.
    fn long_option(
        &mut self, call: &mut Call<'_>, long_only: bool, complains: bool, prefix: &[u8],
    ) -> Option<c_int> {
        let given = self.next.bytes();
        let name_bytes = given.iter().position(|&byte| byte == b'=').unwrap_or(given.len());
        let name = &given[..name_bytes];
        let found = match self.choose(call, name, long_only) {
            Choice::One(index, option) => Some((index, option)),
            Choice::None => None,
            Choice::Ambiguous(candidates) => {
                if complains {
                    let mut line = [b"option '", prefix, given, b"' is ambiguous"].concat();
                    line.extend_from_slice(b"; possibilities:");
                    for candidate in candidates {
                        let candidate = [b" '", prefix, candidate, b"'"].concat();
                        line.extend_from_slice(&candidate);
                    }
                    call.say(&[&line]);
                }
                self.next = self.next.from(given.len());
                self.optind += 1;
                self.optopt = 0;
                return Some(c_int::from(b'?'));
            }
        };
        let Some((index, option)) = found else {
            let is_long = !long_only
                || call.argument(self.optind).byte(1) == b'-'
                || call.short.find(self.next.byte(0)).is_none();
            if !is_long {
                return None;
            }
            if complains {
                call.say(&[b"unrecognized option '", prefix, given, b"'"]);
            }
            self.next = Text::default();
            self.optind += 1;
            self.optopt = 0;
            return Some(c_int::from(b'?'));
        };
        let inline = (name_bytes < given.len()).then(|| self.next.from(name_bytes + 1));
        self.optind += 1;
        self.next = Text::default();
        self.take_long(call, option, inline, complains, prefix)
            .or_else(|| Some(deliver(call, index, option)))
    }

    /// Finds the argument of a long option. `Some` is the complaint to return.
    fn take_long(
        &mut self, call: &mut Call<'_>, option: LongOption, inline: Option<Text>, complains: bool,
        prefix: &[u8],
    ) -> Option<c_int> {
        let name = Text(option.name.cast_mut()).bytes();
        if let Some(inline) = inline {
            if option.has_arg != 0 {
                self.optarg = inline;
                return None;
            }
            if complains {
                call.say(&[b"option '", prefix, name, b"' doesn't allow an argument"]);
            }
            self.optopt = option.val;
            return Some(c_int::from(b'?'));
        }
        if option.has_arg != 1 {
            return None;
        }
        if self.optind < call.argc {
            self.optarg = call.argument(self.optind);
            self.optind += 1;
            return None;
        }
        if complains {
            call.say(&[b"option '", prefix, name, b"' requires an argument"]);
        }
        self.optopt = option.val;
        Some(c_int::from(if call.short.byte(0) == b':' { b':' } else { b'?' }))
    }

    /// The long option that `name` means: the exact one, or the only one that it abbreviates.
    fn choose(&self, call: &Call<'_>, name: &[u8], long_only: bool) -> Choice {
        let mut first: Option<(usize, LongOption)> = None;
        let mut is_ambiguous = false;
        let mut candidates = Vec::new();
        for (index, option) in call.long_options() {
            let full = Text(option.name.cast_mut()).bytes();
            if full == name {
                return Choice::One(index, option);
            }
            if !full.starts_with(name) {
                continue;
            }
            match first {
                None => {
                    first = Some((index, option));
                    candidates.push(full);
                }
                Some((_, other)) => {
                    let differs = long_only
                        || other.has_arg != option.has_arg
                        || other.flag != option.flag
                        || other.val != option.val;
                    if differs {
                        is_ambiguous = true;
                        candidates.push(full);
                    }
                }
            }
        }
        match first {
            _ if is_ambiguous => Choice::Ambiguous(candidates),
            Some((index, option)) => Choice::One(index, option),
            None => Choice::None,
        }
    }

    fn short_option(&mut self, call: &mut Call<'_>, complains: bool) -> c_int {
        let letter = self.next.byte(0);
        self.next = self.next.from(1);
        let place = call.short.find(letter);
        if self.next.byte(0) == 0 {
            self.optind += 1;
        }
        let Some(place) = place.filter(|_| letter != b':' && letter != b';') else {
            if complains {
                call.say(&[b"invalid option -- '", &[letter], b"'"]);
            }
            self.optopt = c_int::from(letter as c_char);
            return c_int::from(b'?');
        };
        let spec = call.short.from(place);
        if spec.byte(0) == b'W' && spec.byte(1) == b';' && !call.long.is_null() {
            if self.next.byte(0) == 0 {
                if self.optind == call.argc {
                    return self.lacks_argument(call, letter, complains);
                }
                self.next = call.argument(self.optind);
            }
            return self.long_option(call, false, complains, b"-W ").unwrap_or(-1);
        }
        if letter == 0 || spec.byte(1) != b':' {
            return c_int::from(letter as c_char);
        }
        let has_inline = self.next.byte(0) != 0;
        let mut result = c_int::from(letter as c_char);
        if has_inline {
            self.optarg = self.next;
            self.optind += 1;
        } else if spec.byte(2) == b':' {
            self.optarg = Text::default();
        } else if self.optind == call.argc {
            result = self.lacks_argument(call, letter, complains);
        } else {
            self.optarg = call.argument(self.optind);
            self.optind += 1;
        }
        self.next = Text::default();
        result
    }

    fn lacks_argument(&mut self, call: &mut Call<'_>, letter: u8, complains: bool) -> c_int {
        if complains {
            call.say(&[b"option requires an argument -- '", &[letter], b"'"]);
        }
        self.optopt = c_int::from(letter as c_char);
        c_int::from(if call.short.byte(0) == b':' { b':' } else { b'?' })
    }
}

enum Choice {
    One(usize, LongOption),
    Ambiguous(Vec<&'static [u8]>),
    None,
}

fn deliver(call: &Call<'_>, index: usize, option: LongOption) -> c_int {
    if !call.index.is_null() {
        // SAFETY: the caller of getopt_long vouches for it.
        unsafe { call.index.write(index as c_int) };
    }
    if option.flag.is_null() {
        return option.val;
    }
    // SAFETY: the program's own table names this variable.
    unsafe { option.flag.write(option.val) };
    0
}

fn run(state: &LibcState, mut call: Call<'_>) -> c_int {
    let homes = &state.homes;
    // A copy: a program with wild pointers must not die with the lock held.
    let mut scan = *GETOPT.of(state).0.lock();
    scan.optind = homes.read(Variable::Optind);
    scan.opterr = homes.read::<c_int>(Variable::Opterr) != 0;
    let result = scan.step(&mut call);
    *GETOPT.of(state).0.lock() = scan;
    homes.write(Variable::Optind, scan.optind);
    homes.write(Variable::Optarg, scan.optarg.0);
    homes.write(Variable::Optopt, scan.optopt);
    result
}

fn scan(
    state: &LibcState, argc: c_int, argv: *mut *mut c_char, short: *const c_char,
    long: *const LongOption, index: *mut c_int, style: Style,
) -> c_int {
    let mut complain = |line: &[u8]| stdio::say(state, line);
    let call = Call {
        argc,
        argv,
        short: Text(short.cast_mut()),
        long,
        index,
        long_only: style == Style::LongOnly,
        posix: style == Style::Posix,
        complain: &mut complain,
    };
    run(state, call)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Posix,
    LongOnly,
}

unsafe extern "C" fn getopt(argc: c_int, argv: *mut *mut c_char, short: *const c_char) -> c_int {
    match libc_state() {
        Some(state) => scan(state, argc, argv, short, std::ptr::null(), null_mut(), Style::Plain),
        // SAFETY: as our caller vouches.
        None => unsafe { real_getopt(argc, argv, short) },
    }
}

unsafe extern "C" fn __posix_getopt(
    argc: c_int, argv: *mut *mut c_char, short: *const c_char,
) -> c_int {
    match libc_state() {
        Some(state) => scan(state, argc, argv, short, std::ptr::null(), null_mut(), Style::Posix),
        // SAFETY: as our caller vouches.
        None => unsafe { real_posix_getopt(argc, argv, short) },
    }
}

unsafe extern "C" fn getopt_long(
    argc: c_int, argv: *mut *mut c_char, short: *const c_char, long: *const LongOption,
    index: *mut c_int,
) -> c_int {
    match libc_state() {
        Some(state) => scan(state, argc, argv, short, long, index, Style::Plain),
        // SAFETY: as our caller vouches.
        None => unsafe { real_long(argc, argv, short, long, index) },
    }
}

unsafe extern "C" fn getopt_long_only(
    argc: c_int, argv: *mut *mut c_char, short: *const c_char, long: *const LongOption,
    index: *mut c_int,
) -> c_int {
    match libc_state() {
        Some(state) => scan(state, argc, argv, short, long, index, Style::LongOnly),
        // SAFETY: as our caller vouches.
        None => unsafe { real_long_only(argc, argv, short, long, index) },
    }
}

#[cfg(test)]
mod tests;
