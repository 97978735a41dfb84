//! The hardware that ranks run on, as the system reports it: the parts of the machine that a rank
//! is bound to (MPI-5.0 §7.4.2, §9.1.3).

use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::share;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::info::Info;
use crate::mpi::process::Process;
use std::collections::BTreeSet;
use std::path::Path;

/// What hints call the type of a part, and a process set.
pub(super) const RESOURCE_TYPE: &[u8] = b"mpi_hw_resource_type";
pub(super) const PSET_NAME: &[u8] = b"mpi_pset_name";

/// Reserved: all ranks that can share memory.
const SHARED_MEMORY: &[u8] = b"mpi_shared_memory";

/// Types of parts, the largest first.
const TYPES: [&str; 5] =
    ["hwloc://Machine", "hwloc://NUMANode", "hwloc://Package", "hwloc://Core", "hwloc://PU"];

/// Which part of each type the caller is kept to; `None` where it may move between several.
type Places = [Option<u32>; TYPES.len()];

/// What MPI_Get_hw_resource_info says: every type there is, and whether the caller is kept to one.
pub fn resources() -> Result<Info> {
    let info = Info::default();
    for (name, place) in TYPES.iter().zip(places()) {
        info.set(name.as_bytes(), if place.is_some() { b"true" } else { b"false" })?;
    }
    info.set(SHARED_MEMORY, b"true")?;
    Ok(info)
}

/// A number for the part of this type that the caller is kept to.
pub(super) fn part(name: &[u8]) -> Option<i32> {
    if name == SHARED_MEMORY {
        return Some(0);
    }
    let index = TYPES.iter().position(|known| known.as_bytes() == name)?;
    places()[index].map(|place| place as i32)
}

/// The largest type of parts that divides `comm`, and the part that the caller is kept to.
pub(super) fn next_level(
    process: &Process, comm: &Comm,
) -> Result<Option<(&'static str, Option<i32>)>> {
    let mine = places();
    let bytes: Vec<u8> = mine.iter().flat_map(|place| code(*place).to_ne_bytes()).collect();
    let all = share(process, comm.local(), Kind::Split, &bytes)?;
    let divides = |index: &usize| {
        let column = all.chunks_exact(bytes.len()).map(|row| &row[4 * index..][..4]);
        column.collect::<BTreeSet<_>>().len() > 1
    };
    let index = (0..TYPES.len()).find(divides);
    Ok(index.map(|index| (TYPES[index], mine[index].map(|place| place as i32))))
}

fn code(place: Option<u32>) -> i32 {
    place.map_or(-1, |place| place as i32)
}

fn places() -> Places {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    places_of(&numbers(allowed.unwrap_or_default()), Path::new("/sys/devices/system"))
}

/// The parts that these processing units are all in.
fn places_of(units: &[u32], system: &Path) -> Places {
    let one = |part: &dyn Fn(u32) -> Option<u32>| {
        let parts: Option<BTreeSet<u32>> = units.iter().map(|unit| part(*unit)).collect();
        parts.filter(|parts| parts.len() == 1).and_then(|parts| parts.first().copied())
    };
    let read = |unit: u32, file: &str| {
        std::fs::read_to_string(system.join(format!("cpu/cpu{unit}/topology/{file}"))).ok()
    };
    let first = |text: Option<String>| numbers(&text?).first().copied();
    let nodes = nodes(system);
    let node = |unit| {
        let holds = |(_, units): &&(u32, Vec<u32>)| units.contains(&unit);
        nodes.iter().find(holds).map(|(node, _)| *node)
    };
    [
        Some(0),
        one(&node),
        one(&|unit| first(read(unit, "physical_package_id"))),
        // A core is known by the first of its units: its own number is of its package only.
        one(&|unit| first(read(unit, "thread_siblings_list"))),
        one(&Some),
    ]
}

/// The nodes of memory, and the units of each.
fn nodes(system: &Path) -> Vec<(u32, Vec<u32>)> {
    let entries = std::fs::read_dir(system.join("node")).into_iter().flatten().flatten();
    let node = |entry: std::fs::DirEntry| {
        let number = entry.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
        let units = std::fs::read_to_string(entry.path().join("cpulist")).ok()?;
        Some((number, numbers(&units)))
    };
    entries.filter_map(node).collect()
}

/// The numbers of a list such as `0-3,8`.
fn numbers(list: &str) -> Vec<u32> {
    let range = |part: &str| -> Option<Vec<u32>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some((first.trim().parse().ok()?..=last.trim().parse().ok()?).collect())
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_the_system_are_read() {
        assert_eq!(numbers(" 0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(numbers("5"), [5]);
        assert!(numbers("\n").is_empty());
    }

    #[cfg(not(miri))]
    #[test]
    fn a_rank_is_kept_to_what_holds_all_its_units() {
        // Two packages of two cores of two units, each package a node.
        let system = std::env::temp_dir().join(format!("ftmpi-hardware-{}", std::process::id()));
        for unit in 0..8u32 {
            let topology = system.join(format!("cpu/cpu{unit}/topology"));
            std::fs::create_dir_all(&topology).expect("it can be written to");
            let (package, core) = (unit / 4, unit / 2 * 2);
            let write = |file: &str, text: String| std::fs::write(topology.join(file), text);
            write("physical_package_id", format!("{package}\n")).expect("it can be written to");
            let siblings = format!("{core}-{}\n", core + 1);
            write("thread_siblings_list", siblings).expect("it can be written to");
        }
        for node in 0..2 {
            let path = system.join(format!("node/node{node}"));
            std::fs::create_dir_all(&path).expect("it can be written to");
            let units = format!("{}-{}\n", 4 * node, 4 * node + 3);
            std::fs::write(path.join("cpulist"), units).expect("it can be written to");
        }
        let places = |units: &[u32]| places_of(units, &system);
        assert_eq!(places(&[5]), [Some(0), Some(1), Some(1), Some(4), Some(5)]);
        assert_eq!(places(&[4, 5]), [Some(0), Some(1), Some(1), Some(4), None]);
        assert_eq!(places(&[0, 2]), [Some(0), Some(0), Some(0), None, None]);
        assert_eq!(places(&[3, 4]), [Some(0), None, None, None, None]);
        std::fs::remove_dir_all(&system).expect("it is there");
    }
}
