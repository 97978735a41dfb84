//! Reports what a rank leaves behind when it leaves MPI: messages that were not received,
//! operations that were not completed, objects that were not freed.

use crate::mpi::comm::Comm;
use crate::mpi::datatype::Datatype;
use crate::mpi::datatype::constructors;
use crate::mpi::failure::deadlock_report;
use crate::mpi::file::open_file::File;
use crate::mpi::handle_table::{Sort, Table};
use crate::mpi::process::Process;
use crate::mpi::rma::win::Win;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether ranks report what they leave behind.
static ARE_WANTED: AtomicBool = AtomicBool::new(false);

/// From now on ranks report it, or do not.
pub fn want(are_wanted: bool) {
    ARE_WANTED.store(are_wanted, Ordering::Relaxed);
}

pub fn are_wanted() -> bool {
    ARE_WANTED.load(Ordering::Relaxed)
}

/// More of one sort than this are only counted.
const MOST: usize = 8;

/// A line for each sort of things that are left behind.
pub fn words(process: &'static Process) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(messages(process));
    lines.extend(counted(
        Sort::Request,
        process.requests.count() + process.engine.preposted(),
        &[],
    ));
    lines.extend(counted(Sort::Message, process.messages.count(), &[]));
    let named = |comm: &Comm| comm.title();
    lines.extend(objects(Sort::Comm, &process.comms, named));
    let named = |datatype: &Datatype| {
        String::from_utf8_lossy(&constructors::name(process, Some(datatype))).into_owned()
    };
    let file = |file: &File| file.disk.path.display().to_string();
    lines.extend(objects(Sort::File, &process.files, file));
    lines.extend(objects(Sort::Datatype, &process.datatypes, named));
    lines.extend(objects(Sort::Win, &process.windows.table, Win::title));
    lines.extend(objects(Sort::Group, &process.groups, nameless));
    lines.extend(objects(Sort::Op, &process.ops, nameless));
    lines.extend(objects(Sort::Info, &process.infos, nameless));
    lines.extend(objects(Sort::Errhandler, &process.errhandlers, nameless));
    lines.extend(objects(Sort::Keyval, &process.keyvals.table, nameless));
    lines
}

fn nameless<T>(_: &T) -> String {
    String::new()
}

fn objects<T>(sort: Sort, table: &Table<T>, name: impl Fn(&T) -> String) -> Option<String> {
    let objects = table.all();
    let names = objects.iter().map(|(_, object)| name(object)).filter(|name| !name.is_empty());
    counted(sort, objects.len(), &names.collect::<Vec<_>>())
}

fn counted(sort: Sort, count: usize, names: &[String]) -> Option<String> {
    let what = match count {
        0 => return None,
        1 => format!("{} that was not freed", sort.one()),
        _ => format!("{count} {} that were not freed", sort.plural()),
    };
    Some(if names.is_empty() { what } else { format!("{what}: {}", shortened(names)) })
}

/// The first of them.
fn shortened(names: &[String]) -> String {
    let more = names.len().saturating_sub(MOST);
    let shown = names[..names.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// Messages of the program's that have arrived, those of the same kind together.
fn messages(process: &'static Process) -> Vec<String> {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for (envelope, bytes) in process.engine.unmatched() {
        if !deadlock_report::is_collective(envelope.context) {
            let comm = process.title_of(envelope.context);
            let (source, tag) = (envelope.source, envelope.tag);
            let kind = format!("from rank {source} with tag {tag} on {comm}, of {bytes} bytes");
            *kinds.entry(kind).or_default() += 1;
        }
    }
    let line = |(kind, count): (&String, &usize)| match count {
        1 => format!("a message that was not received, {kind}"),
        _ => format!("{count} messages that were not received, {kind} each"),
    };
    let mut lines: Vec<String> = kinds.iter().take(MOST).map(line).collect();
    if kinds.len() > MOST {
        lines.push(format!("messages of {} more kinds", kinds.len() - MOST));
    }
    lines
}
