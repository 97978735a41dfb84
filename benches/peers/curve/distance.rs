//! How far apart two cores are: a virtual machine's host may move them between the parts of a
//! processor, for seconds or minutes. Then a cache line takes three to four times as long from one
//! to the other, and what one library shows cannot be compared with what another has shown before.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// The distances of runs differ by less than this factor where cores stay where they are.
const APART: f64 = 1.8;

/// Where cores were while something ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cores {
    /// Always as far apart, or that does not count.
    Any,
    Near,
    Far,
}

impl fmt::Display for Cores {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.pad(match self {
            Cores::Any => "",
            Cores::Near => "near",
            Cores::Far => "far",
        })
    }
}

/// The distance of the cores before a run and after it, in nanoseconds.
#[derive(Clone, Copy)]
pub(super) struct Distances(f64, f64);

impl Distances {
    /// Runs something, and measures before and after that.
    pub(super) fn around<T>(act: impl FnOnce() -> T) -> (Distances, T) {
        let before = nanoseconds();
        let outcome = act();
        (Distances(before, nanoseconds()), outcome)
    }
}

/// What tells near cores from far ones.
pub(super) struct Scale {
    /// Cores at this distance are far; `None`: all runs had theirs alike.
    far: Option<f64>,
}

impl Scale {
    pub(super) fn of(all: &[Distances]) -> Scale {
        let ends = || all.iter().flat_map(|one| [one.0, one.1]);
        let (least, most) = (ends().fold(f64::MAX, f64::min), ends().fold(0.0, f64::max));
        Scale { far: (most > least * APART).then(|| (least * most).sqrt()) }
    }

    /// Where the cores were; `None`: they were moved.
    pub(super) fn place(&self, one: Distances) -> Option<Cores> {
        let Some(far) = self.far else { return Some(Cores::Any) };
        match (one.0 >= far, one.1 >= far) {
            (false, false) => Some(Cores::Near),
            (true, true) => Some(Cores::Far),
            _ => None,
        }
    }
}

/// A cache line of its own.
#[repr(align(128))]
struct Line(AtomicU32);

/// How long a cache line takes from the first core to the second; 0 where there is one only.
fn nanoseconds() -> f64 {
    const TIMES: u32 = 20_000;
    let allowed = sched_getaffinity(None).expect("it is known where this may run");
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).collect();
    let [first, second, ..] = cores[..] else { return 0.0 };
    let line = Line(AtomicU32::new(0));
    // Each waits for the number of the other.
    let pass = |core: usize, start: u32| {
        let mut set = CpuSet::new();
        set.set(core);
        sched_setaffinity(None, &set).expect("it may run there");
        for number in (start..2 * TIMES).step_by(2) {
            while line.0.load(Ordering::Acquire) != number {
                std::hint::spin_loop();
            }
            line.0.store(number + 1, Ordering::Release);
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| pass(second, 1));
        let timed = scope.spawn(|| {
            let begun = Instant::now();
            pass(first, 0);
            begun.elapsed()
        });
        other.join().expect("it only counts");
        timed.join().expect("it only counts").as_nanos() as f64 / f64::from(2 * TIMES)
    })
}
