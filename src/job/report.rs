//! `ftrun --report FILE`: writes one line of JSON for each failure, when its recovery is complete
//! or when the job ends.

use crate::base::json::quoted;
use crate::engine::World;
use crate::fault::Incident;
use crate::fault::report_line::{self, line, object};
use crate::host::output;
use crate::host::virtual_time::accounts::{self, Account};
use crate::machine::units::{NANO, Picos};
use parking_lot::Mutex;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

static FILE: OnceLock<Mutex<File>> = OnceLock::new();

/// Opens the report at `path`; returns the reason if it cannot.
pub(super) fn open(path: &Path) -> Result<(), String> {
    let file = File::create(path)
        .map_err(|error| format!("cannot write --report {}: {error}", path.display()))?;
    FILE.get_or_init(|| Mutex::new(file));
    Ok(())
}

/// Writes the record of one failure.
pub(super) fn write(incident: &Incident) {
    let Some(file) = FILE.get() else { return };
    write_line(file, line(incident));
}

/// Writes that a node without a rank has failed.
pub(super) fn lost_spare(node: usize, at: Duration) {
    let Some(file) = FILE.get() else { return };
    write_line(file, report_line::lost_spare(node, at));
}

/// Writes where the time of the ranks went, if it was virtual, and which links were busiest.
pub(super) fn account(world: &World) {
    let Some(file) = FILE.get() else { return };
    let Some((end, seats)) = accounts::all() else { return };
    let column = |of: fn(&Account) -> Picos| {
        let numbers: Vec<String> = seats.iter().map(|seat| (of(seat) / NANO).to_string()).collect();
        format!("[{}]", numbers.join(","))
    };
    let links = world.network().map(|network| network.busiest(LINKS)).unwrap_or_default();
    let links = links.into_iter().map(|(name, busy)| {
        object([("link", quoted(&name)), ("busy_ns", (busy / NANO).to_string())])
    });
    let fields = [
        ("virtual_time_ns", (end / NANO).to_string()),
        ("computing_ns", column(|seat| seat.computing)),
        ("waiting_ns", column(|seat| seat.waiting)),
        ("awaited_ns", column(|seat| seat.awaited)),
        ("busiest_links", format!("[{}]", links.collect::<Vec<_>>().join(","))),
    ];
    write_line(file, object(fields));
}

/// How many links are told.
const LINKS: usize = 20;

fn write_line(file: &Mutex<File>, line: String) {
    if let Err(error) = file.lock().write_all(format!("{line}\n").as_bytes()) {
        output::note_unwritten(error.raw_os_error().unwrap_or(libc::EIO));
        output::write(2, format!("ftrun: cannot write to the --report: {error}\n").as_bytes());
    }
}
