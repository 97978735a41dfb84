//! Parses thousands of command lines with libc and with these shims: the results are equal.

use super::*;
use crate::host::shims::LibcState;
use std::ffi::CString;
use std::sync::Mutex as StdMutex;

unsafe extern "C" {
    static mut optind: c_int;
    static mut opterr: c_int;
    static mut optopt: c_int;
    static mut optarg: *mut c_char;
    static mut stderr: *mut libc::FILE;
    fn open_memstream(text: *mut *mut c_char, bytes: *mut usize) -> *mut libc::FILE;
}

/// libc's getopt has one set of variables, and the tests run in threads.
static LIBC: StdMutex<()> = StdMutex::new(());

/// Result, optind, optopt, optarg and index after one call.
type Step = (c_int, c_int, c_int, Option<String>, c_int);

/// All that a program can see of one parse.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    steps: Vec<Step>,
    arguments: Vec<String>,
    complaints: String,
}

struct Command {
    arguments: Vec<String>,
    short: CString,
    long: Vec<(CString, c_int, c_int)>,
    style: Style,
    silent: bool,
}

fn text(from: *mut c_char) -> Option<String> {
    // SAFETY: a string of the command.
    (!from.is_null()).then(|| unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

impl Command {
    fn see(
        &self,
        mut step: impl FnMut(
            c_int,
            *mut *mut c_char,
            *const LongOption,
            *mut c_int,
        ) -> (c_int, c_int, c_int, Option<String>),
    ) -> (Vec<Step>, Vec<String>) {
        let strings: Vec<_> =
            self.arguments.iter().map(|each| CString::new(each.as_str()).unwrap()).collect();
        let mut argv: Vec<_> = strings.iter().map(|each| each.as_ptr().cast_mut()).collect();
        argv.push(null_mut());
        let mut long: Vec<_> = self
            .long
            .iter()
            .map(|(name, has_arg, val)| LongOption {
                name: name.as_ptr(),
                has_arg: *has_arg,
                flag: null_mut(),
                val: *val,
            })
            .collect();
        long.push(LongOption { name: std::ptr::null(), has_arg: 0, flag: null_mut(), val: 0 });
        let table = if self.long.is_empty() { std::ptr::null() } else { long.as_ptr() };
        let mut steps = Vec::new();
        for _ in 0..40 {
            let mut index = -1;
            let argc = self.arguments.len() as c_int;
            let seen = step(argc, argv.as_mut_ptr(), table, &raw mut index);
            let ended = seen.0 == -1;
            steps.push((seen.0, seen.1, seen.2, seen.3, index));
            if ended {
                break;
            }
        }
        let arguments = argv.iter().filter_map(|&each| text(each)).collect();
        (steps, arguments)
    }

    fn by_libc(&self) -> Seen {
        let _held = LIBC.lock().unwrap();
        let (mut words, mut bytes) = (null_mut(), 0);
        // SAFETY: the lock keeps other tests out of libc's variables.
        let kept = unsafe { stderr };
        // SAFETY: as above; the stream writes to variables that outlive it.
        unsafe { stderr = open_memstream(&raw mut words, &raw mut bytes) };
        // SAFETY: as above.
        unsafe { (optind, opterr) = (0, c_int::from(!self.silent)) };
        let short = self.short.as_ptr();
        let (steps, arguments) = self.see(|argc, argv, long, index| {
            // SAFETY: the command keeps all that it points to.
            unsafe {
                let result = match self.style {
                    Style::LongOnly => real_long_only(argc, argv, short, long, index),
                    Style::Posix => real_posix_getopt(argc, argv, short),
                    Style::Plain => real_long(argc, argv, short, long, index),
                };
                (result, optind, optopt, text(optarg))
            }
        });
        // SAFETY: the stream was opened above; its text is terminated.
        let complaints = unsafe {
            libc::fclose(stderr);
            stderr = kept;
            text(words).unwrap_or_default()
        };
        Seen { steps, arguments, complaints }
    }

    fn by_us(&self, state: &LibcState) -> Seen {
        let homes = &state.homes;
        homes.write(Variable::Optind, 0);
        homes.write(Variable::Opterr, c_int::from(!self.silent));
        let mut complaints = Vec::new();
        let (steps, arguments) = self.see(|argc, argv, long, index| {
            let mut complain = |line: &[u8]| complaints.extend_from_slice(line);
            let call = Call {
                argc,
                argv,
                short: Text(self.short.as_ptr().cast_mut()),
                long,
                index,
                long_only: self.style == Style::LongOnly,
                posix: self.style == Style::Posix,
                complain: &mut complain,
            };
            let result = run(state, call);
            let argument = text(homes.read(Variable::Optarg));
            (result, homes.read(Variable::Optind), homes.read(Variable::Optopt), argument)
        });
        Seen { steps, arguments, complaints: String::from_utf8_lossy(&complaints).into_owned() }
    }
}

struct Dice(u64);

impl Dice {
    fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        of[(self.0 % of.len() as u64) as usize]
    }
}

fn command(seed: u64) -> Command {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    const WORDS: &str = "-a -b -bval -ab -abc -c -cval -acval -- - word other --alpha --alpha=1 \
         --beta --beta=2 --be --al --b --gam --gamma=3 --gamma --alp=7 --nothing -z -W -Wbeta=5 \
         beta=5 gamma -alpha -beta -g -gam=2 -Walpha - --bet= -b --twin-a --twin -x: -; -: --=3 \
         -\u{e9}";
    let mut words: Vec<&str> = WORDS.split_whitespace().collect();
    words.push("");
    let shorts =
        ["ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "+:ab:", "-:c::ab:", "abW;c:", "", "g"];
    let count = 1 + (seed % 9) as usize;
    let arguments = std::iter::once("prog")
        .chain((1..count).map(|_| dice.pick(&words)))
        .map(str::to_string)
        .collect();
    let long = [
        ("alpha", 0, 1),
        ("beta", 1, 2),
        ("gamma", 2, 3),
        ("gamble", 0, 4),
        ("twin-a", 1, 9),
        ("twin-b", 1, 9),
    ];
    let style = *dice.pick(&[&Style::Plain, &Style::LongOnly, &Style::Plain, &Style::Posix]);
    let has_long = style != Style::Posix && dice.0 & 0x100 != 0 || style == Style::LongOnly;
    let long = long.iter().filter(|_| has_long);
    Command {
        arguments,
        short: CString::new(dice.pick(&shorts)).unwrap(),
        long: long.map(|&(name, has, val)| (CString::new(name).unwrap(), has, val)).collect(),
        style,
        silent: dice.0 & 0x7000 == 0,
    }
}

#[test]
fn every_parse_is_libcs_parse() {
    let state = LibcState::new(0);
    for seed in 0..20_000 {
        let command = command(seed);
        let (expected, seen) = (command.by_libc(), command.by_us(&state));
        let style = command.style as usize;
        let given = (&command.arguments, &command.short, command.long.len(), style);
        assert_eq!(seen, expected, "seed {seed}: {given:?}");
    }
}
