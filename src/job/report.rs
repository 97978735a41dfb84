//! `ftrun --report FILE`: writes one line of JSON for each failure, when its recovery is complete
//! or when the job ends.

use crate::base::json::quoted;
use crate::engine::World;
use crate::fault::chronicle::{Cure, Incident};
use crate::host::output;
use crate::host::virtual_time::accounts::{self, Account};
use crate::machine::berths::Relocation;
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
    let none = || "null".to_string();
    let fields =
        [("rank", none()), ("at_us", at.as_micros().to_string()), ("node", node.to_string())];
    write_line(file, object(fields));
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

fn line(incident: &Incident) -> String {
    let micros = |time: Duration| time.as_micros().to_string();
    let since_death = |time: Option<Duration>| {
        time.map_or("null".to_string(), |time| micros(time.saturating_sub(incident.died)))
    };
    let outcome = match (incident.cure, incident.committed) {
        (Cure::End, _) => "job ended",
        (Cure::Continue, _) => "others went on",
        (Cure::Recover, Some(_)) => "recovered",
        (Cure::Recover, None) => "not recovered",
    };
    let generation =
        incident.committed.map_or("null".to_string(), |(_, number)| number.to_string());
    let fields = [
        ("rank", incident.member.seat.to_string()),
        ("incarnation", incident.member.incarnation.to_string()),
        ("at_us", micros(incident.died)),
        ("cause", quoted(&incident.cause)),
        ("words", quoted(&incident.words)),
        ("ordered", incident.order.as_deref().map_or("null".to_string(), quoted)),
        ("noticed_by", quoted(incident.source)),
        ("mode", quoted(incident.mode)),
        ("outcome", quoted(outcome)),
        ("generation", generation),
        ("detection_us", since_death(incident.recorded)),
        ("first_notice_us", since_death(incident.noticed.map(|(first, _)| first))),
        ("last_notice_us", since_death(incident.noticed.map(|(_, last)| last))),
        ("agreement_us", since_death(incident.agreed)),
        ("respawn_us", since_death(incident.respawned)),
        ("total_us", since_death(incident.committed.map(|(at, _)| at))),
    ];
    object(fields.into_iter().chain(place(incident)))
}

/// The node of the failure and the ranks that moved, on a simulated machine.
fn place(incident: &Incident) -> Vec<(&'static str, String)> {
    let Some(node) = incident.node else { return Vec::new() };
    let mut fields = vec![("node", node.to_string())];
    let Some(Relocation { method, moves, collisions, .. }) = &incident.relocation else {
        return fields;
    };
    let moves = moves.iter().map(|step| format!("[{},{},{}]", step.rank, step.from, step.to));
    let method = method.map_or("none".to_string(), |method| method.to_string());
    fields.extend([
        ("substitution", quoted(&method)),
        ("moves", format!("[{}]", moves.collect::<Vec<_>>().join(","))),
        ("collisions_before", collisions[0].to_string()),
        ("collisions_after", collisions[1].to_string()),
    ]);
    fields
}

fn object(fields: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let fields = fields.into_iter().map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Member;

    #[test]
    fn a_line_is_json_whatever_the_words_are() {
        let member = Member { seat: 3, incarnation: 1 };
        let mut incident =
            Incident::new(member, Duration::from_micros(500), Cure::Recover, "rebuild");
        incident.order = Some("call:3".into());
        incident.recorded = Some(Duration::from_micros(530));
        assert_eq!(
            line(&incident),
            "{\"rank\":3,\"incarnation\":1,\"at_us\":500,\"cause\":\"\",\"words\":\"\",\
             \"ordered\":\"call:3\",\"noticed_by\":\"host\",\"mode\":\"rebuild\",\
             \"outcome\":\"not recovered\",\"generation\":null,\"detection_us\":30,\
             \"first_notice_us\":null,\"last_notice_us\":null,\"agreement_us\":null,\
             \"respawn_us\":null,\"total_us\":null}"
        );
        incident.committed = Some((Duration::from_micros(900), 4));
        let line = line(&incident);
        assert!(
            line.contains("\"recovered\",\"generation\":4") && line.ends_with("\"total_us\":400}")
        );
    }
}
