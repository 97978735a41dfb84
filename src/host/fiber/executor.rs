//! All workers and slots of the process: who gets a slot, and who is woken for new work.

use super::record::{NO_SLOT, Worker};
use super::slot::Slot;
use super::timers;
use parking_lot::Mutex;
use std::io::Error;
use std::ptr::{from_ref, null};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

/// All workers and slots of this process.
pub(super) struct Executor {
    pub(super) slots: Box<[Slot]>,
    /// How many workers look around for work, and how many sleep with a slot.
    pub(super) looking: AtomicUsize,
    pub(super) asleep: AtomicUsize,
    pub(super) spares: Mutex<Vec<&'static Worker>>,
    /// Records whose threads have ended.
    pub(super) retired: Mutex<Vec<&'static Worker>>,
    /// Called when a fiber has ended.
    pub(super) on_end: fn(),
}

static EXECUTOR: OnceLock<Executor> = OnceLock::new();

pub(super) fn executor() -> &'static Executor {
    EXECUTOR.get().expect("fibers are made after workers")
}

/// The executor, if workers have been started.
pub(super) fn started() -> Option<&'static Executor> {
    EXECUTOR.get()
}

/// Starts a worker for each of `slots` slots; `on_end` is called when a fiber has ended.
pub(super) fn start(slots: usize, on_end: fn()) -> Result<(), Error> {
    let executor = EXECUTOR.get_or_init(|| Executor {
        slots: (0..slots).map(|_| Slot::new()).collect(),
        looking: AtomicUsize::new(0),
        asleep: AtomicUsize::new(0),
        spares: Mutex::default(),
        retired: Mutex::default(),
        on_end,
    });
    executor.slots.iter().try_for_each(|slot| executor.hire(Some(slot)))
}

impl Executor {
    pub(super) fn index(&self, slot: &Slot) -> usize {
        (from_ref(slot).addr() - self.slots.as_ptr().addr()) / size_of::<Slot>()
    }

    /// Starts a worker without a slot that begins on this core, for virtual time.
    pub(super) fn hire_helper(&'static self, core: usize) -> Result<(), Error> {
        let worker = self.unemployed();
        worker.is_helper.set(true);
        worker.slot.store(NO_SLOT, Ordering::Relaxed);
        thread().spawn(move || worker.live(Some(core))).map(drop)
    }

    fn unemployed(&self) -> &'static Worker {
        let known = self.retired.lock().pop();
        known.unwrap_or_else(|| Box::leak(Box::new(Worker::new())))
    }

    /// Starts a worker, with a slot or as a spare. Not in a fiber.
    pub(super) fn hire(&'static self, slot: Option<&'static Slot>) -> Result<(), Error> {
        let worker = self.unemployed();
        let home = slot.map(|slot| self.index(slot));
        worker.slot.store(home.unwrap_or(NO_SLOT), Ordering::Relaxed);
        if let Some(slot) = slot
            && !slot.pass(null(), worker)
        {
            worker.slot.store(NO_SLOT, Ordering::Relaxed);
        }
        let started = thread().spawn(move || worker.live(home));
        if started.is_err()
            && let Some(slot) = slot
        {
            slot.pass(worker, null());
        }
        started.map(drop)
    }

    /// There is work for workers, made outside of any fiber.
    pub(super) fn rouse_sleepers(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) > 0 && self.slots.iter().any(|slot| self.wake(slot)) {
            timers::nudge();
        }
    }

    /// Whether all workers sleep, so that nothing happens by itself.
    pub(super) fn is_asleep(&self) -> bool {
        self.asleep.load(Ordering::SeqCst) == self.slots.len()
    }

    /// There is more to do in the slot of this index: a sleeping worker may help.
    pub(super) fn rouse(&self, index: usize) {
        fence(Ordering::SeqCst);
        let slot = &self.slots[index];
        if slot.is_waiting() {
            self.staff(slot);
        } else if self.looking.load(Ordering::SeqCst) == 0
            && self.asleep.load(Ordering::SeqCst) > 0
            && (self.wake(slot) || self.slots.iter().any(|slot| self.wake(slot)))
        {
            timers::nudge();
        }
    }

    /// Wakes the worker of `slot`; false if it does not sleep.
    pub(super) fn wake(&self, slot: &Slot) -> bool {
        let sleeper = slot.sleeper();
        if let Some(sleeper) = sleeper {
            self.asleep.fetch_sub(1, Ordering::SeqCst);
            sleeper.call();
        }
        sleeper.is_some()
    }

    /// Gives a slot without a worker to a spare worker, or lets the monitor find one.
    pub(super) fn staff(&self, slot: &Slot) {
        let Some(spare) = self.spares.lock().pop() else { return timers::hurry() };
        spare.slot.store(self.index(slot), Ordering::Release);
        if slot.pass_if_idle(spare) {
            spare.call();
        } else {
            spare.slot.store(NO_SLOT, Ordering::Relaxed);
            self.spares.lock().push(spare);
        }
    }

    /// While the worker of `own` looked around, no other worker was woken, since it would find any
    /// new work. Now it has work to do: wakes others for the rest, and for fibers that are ready in
    /// the slots of sleeping workers.
    pub(super) fn rouse_neglected(&self, own: &Slot) {
        fence(Ordering::SeqCst);
        for slot in self.slots.iter().filter(|slot| slot.has_queue()) {
            if std::ptr::eq(slot, own) || slot.is_asleep.load(Ordering::SeqCst) {
                self.rouse(self.index(slot));
            }
        }
    }

    /// A fiber has been next in its slot for long: another worker may take it.
    pub(super) fn rouse_for_next(&self) {
        if self.looking.load(Ordering::SeqCst) == 0 && self.asleep.load(Ordering::SeqCst) > 0 {
            self.slots.iter().any(|slot| self.wake(slot));
        }
    }

    /// Takes `slot` from `owner`, whose fiber waits in the kernel, if there is a spare worker.
    pub(super) fn replace(&self, slot: &Slot, owner: &'static Worker) {
        if slot.begin_wait(owner) {
            self.staff(slot);
        }
    }

    pub(super) fn has_spares(&self) -> bool {
        !self.spares.lock().is_empty()
    }
}

/// The OS thread of a worker.
fn thread() -> std::thread::Builder {
    const STACK_BYTES: usize = 256 << 10;
    std::thread::Builder::new().name("worker".into()).stack_size(STACK_BYTES)
}

/// The slot in which fiber `index` of `count` begins: neighbours share a slot.
pub(super) fn home_of(index: usize, count: usize) -> usize {
    index * executor().slots.len() / count.max(1)
}
