//! Windows: what one process knows of a window that it is a member of.

use crate::base::sync::biased::Biased;
use crate::engine::Engine;
use crate::mpi::attributes::{Attribute, Attributes, Bearer, Found, On};
use crate::mpi::comm::Comm;
use crate::mpi::errhandler::Installed;
use crate::mpi::handle_table::{Sort, Table};
use crate::mpi::info::Info;
use crate::mpi::rma::epochs::Epochs;
use crate::mpi::rma::shared::{Part, Shared};
use crate::mpi::rma::traffic::Traffic;
use crate::transport::SimulatedNetwork;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a window was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    Create = 311,
    Allocate,
    Dynamic,
    Shared,
}

/// MPI_WIN_UNIFIED: there is one copy of everything.
const UNIFIED: i32 = 321;

/// A window.
pub struct Win {
    pub handle: usize,
    /// A communicator of its members, of which the program knows nothing.
    pub comm: Arc<Comm>,
    pub shared: Arc<Shared>,
    pub flavor: Flavor,
    pub name: Mutex<Vec<u8>>,
    pub errhandler: Installed,
    pub attributes: Attributes,
    pub hints: Info,
    pub epochs: Epochs,
    /// In virtual time.
    pub traffic: Option<Traffic>,
    /// What the engine's mark was when nothing was wrong with the window; or one of these two.
    well_at: AtomicU64,
    cells: Cells,
}

/// It has not been looked at.
const UNKNOWN: u64 = u64::MAX - 1;
/// Something is wrong that stays so.
const NEVER: u64 = u64::MAX;

/// Predefined attributes, where C finds them.
struct Cells {
    base: usize,
    size: i64,
    disp_unit: i32,
    flavor: i32,
    model: i32,
}

impl Win {
    pub fn new(
        handle: usize, comm: Arc<Comm>, shared: Arc<Shared>, flavor: Flavor, hints: Info,
        network: Option<&'static SimulatedNetwork>,
    ) -> Win {
        let seat = shared.part(comm.rank).member.seat;
        let own = shared.part(comm.rank).segment();
        let cells = Cells {
            base: own.map_or(0, |own| own.memory.address()),
            size: own.map_or(0, |own| own.memory.bytes() as i64),
            disp_unit: own.map_or(1, |own| own.unit.try_into().unwrap_or(i32::MAX)),
            flavor: flavor as i32,
            model: UNIFIED,
        };
        Win {
            handle,
            epochs: Epochs::new(shared.parts().len()),
            traffic: network.map(|network| Traffic::new(network, seat)),
            well_at: AtomicU64::new(UNKNOWN),
            comm,
            shared,
            flavor,
            name: Mutex::default(),
            errhandler: Installed::of_windows(),
            attributes: Attributes::new(),
            hints,
            cells,
        }
    }

    /// The own part of it.
    pub fn own_part(&self) -> &Part {
        self.shared.part(self.comm.rank)
    }

    /// In virtual time, what is under way from here, and the seat of another member.
    #[inline]
    pub fn traffic_to(&self, rank: i32) -> Option<(&Traffic, usize)> {
        let traffic = self.traffic.as_ref()?;
        Some((traffic, self.shared.find(rank)?.member.seat))
    }

    /// Whether calls may go the short way: all members live, nobody recovers, and it was not
    /// created before a recovery. Failures of others do not matter.
    #[inline(always)]
    pub fn is_well(&self, engine: &Engine) -> bool {
        self.well_at.load(Ordering::Relaxed) == engine.mark() || self.turns_out_well(engine)
    }

    #[cold]
    #[inline(never)]
    fn turns_out_well(&self, engine: &Engine) -> bool {
        if self.well_at.load(Ordering::Relaxed) == NEVER {
            return false;
        }
        let comm = &self.comm;
        let mark = engine.mark();
        let is_past = comm.generation < engine.generation();
        if is_past || engine.first_dead(&*comm.everyone()).is_some() {
            self.well_at.store(NEVER, Ordering::Relaxed);
            return false;
        }
        let is_well = engine.is_at_peace(comm.context());
        if is_well {
            self.well_at.store(mark, Ordering::Relaxed);
        }
        is_well
    }

    /// Its name, for messages.
    pub fn title(&self) -> String {
        match self.name.lock().as_slice() {
            [] => format!("a window of {} ranks", self.comm.size()),
            name => String::from_utf8_lossy(name).into_owned(),
        }
    }

    pub fn as_bearer(&self) -> On {
        On { bearer: Bearer::Win, handle: self.handle }
    }

    /// The predefined attribute under `key`, if it is one (MPI-5.0 §12.2.6).
    pub fn predefined(&self, key: i32) -> Option<Found> {
        let integer = |value: i64, cell: usize| Found {
            value: Attribute::Integer(value),
            cell,
            is_value: false,
        };
        let int = |cell: &i32| integer(i64::from(*cell), address(cell));
        match key {
            601 => Some(Found {
                value: Attribute::Pointer(self.cells.base),
                cell: address(&self.cells.base),
                is_value: false,
            }),
            602 => Some(int(&self.cells.disp_unit)),
            603 => Some(integer(self.cells.size, address(&self.cells.size))),
            604 => Some(int(&self.cells.flavor)),
            605 => Some(int(&self.cells.model)),
            _ => None,
        }
    }
}

fn address<T>(cell: &T) -> usize {
    std::ptr::from_ref(cell).expose_provenance()
}

/// The windows of a process, and the one that it used last: accesses come in rows.
pub struct Windows {
    pub table: Table<Win>,
    pub recent: Biased<Option<Arc<Win>>>,
}

impl Default for Windows {
    fn default() -> Windows {
        Windows { table: Table::new(Sort::Win), recent: Biased::default() }
    }
}

impl Windows {
    /// The window with this handle.
    pub fn find(&self, handle: usize) -> Option<Arc<Win>> {
        if let Some(recent) = self.recent.lock().as_ref().filter(|win| win.handle == handle) {
            return Some(recent.clone());
        }
        let found = self.table.find(handle)?;
        if found.shared.endpoint().is_some() || found.traffic.is_some() {
            // The fast path knows this process only, and takes no virtual time.
            return Some(found);
        }
        let before = self.recent.lock().replace(found.clone());
        drop(before);
        Some(found)
    }

    /// The handle is void from now on.
    pub fn remove(&self, handle: usize) {
        let mut recent = self.recent.lock();
        let last = recent.take_if(|win| win.handle == handle);
        drop(recent);
        drop((last, self.table.remove(handle)));
    }

    /// Drops all windows, unless a thread died while it changed them.
    pub fn clear(&self) {
        let last = self.recent.try_visit().map(|mut recent| recent.take());
        drop(last);
        self.table.clear();
    }
}
