//! Hints about files (MPI-5.0 §14.2.8): the standard's, and those of ROMIO that programs set. A
//! hint that makes sense is taken and told by MPI_File_get_info; any other is ignored.

use crate::host::disk::Direction;
use crate::mpi::error::Result;
use crate::mpi::info::Info;

/// The hints of an open file.
#[derive(Clone, Debug)]
pub struct Hints(Vec<(&'static str, String)>);

/// What the value of a hint must be.
#[derive(Clone, Copy)]
enum Value {
    Number,
    /// `enable`, `disable` or `automatic`.
    Choice,
    /// `true` or `false`.
    Truth,
    Text,
}

use Value::{Choice, Number, Text, Truth};

/// The hints that are known, and the values of those that always have one.
#[rustfmt::skip]
const KNOWN: &[(&str, Value, Option<&str>)] = &[
    ("access_style", Text, None),
    ("cb_block_size", Number, None),
    ("cb_buffer_size", Number, Some("1048576")),
    ("cb_config_list", Text, None),
    ("cb_nodes", Number, None),
    ("chunked", Text, None),
    ("chunked_item", Text, None),
    ("chunked_size", Text, None),
    ("collective_buffering", Truth, None),
    ("file_perm", Number, None),
    ("filename", Text, None),
    ("io_node_list", Text, None),
    ("ind_rd_buffer_size", Number, Some("1048576")),
    ("ind_wr_buffer_size", Number, Some("1048576")),
    ("mpi_minimum_memory_alignment", Number, None),
    ("nb_proc", Number, None),
    ("num_io_nodes", Number, None),
    ("romio_cb_alltoall", Choice, None),
    ("romio_cb_ds_threshold", Number, None),
    ("romio_cb_fr_alignment", Number, None),
    ("romio_cb_fr_types", Text, None),
    ("romio_cb_pfr", Choice, None),
    ("romio_cb_read", Choice, Some("automatic")),
    ("romio_cb_write", Choice, Some("automatic")),
    ("romio_ds_read", Choice, Some("automatic")),
    ("romio_ds_write", Choice, Some("disable")),
    ("romio_no_indep_rw", Truth, None),
    ("striping_factor", Number, None),
    ("striping_unit", Number, None),
];

impl Default for Hints {
    fn default() -> Hints {
        let preset = |(key, _, value): &(&'static str, Value, Option<&str>)| {
            value.map(|value| (*key, value.to_string()))
        };
        Hints(KNOWN.iter().filter_map(preset).collect())
    }
}

impl Hints {
    /// Takes what `info` has of hints that are known. Data sieving never writes, so
    /// `romio_ds_write` stays as it is.
    pub fn take(&mut self, info: Option<&Info>) -> Result {
        let Some(info) = info else { return Ok(()) };
        for (key, kind, _) in KNOWN {
            let Some(value) = info.value(key.as_bytes())? else { continue };
            let value = String::from_utf8_lossy(&value).trim().to_string();
            if *key != "romio_ds_write" && kind.allows(&value) {
                self.set(key, value);
            }
        }
        Ok(())
    }

    pub fn set(&mut self, key: &'static str, value: String) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some(pair) => pair.1 = value,
            None => self.0.push((key, value)),
        }
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, value)| value.as_str())
    }

    fn number(&self, key: &str) -> Option<usize> {
        self.value(key)?.parse().ok()
    }

    /// As an info of the program's.
    pub fn info(&self) -> Info {
        let pair = |(key, value): &(&str, String)| (key.as_bytes().to_vec(), value.clone().into());
        Info::new(self.0.iter().map(pair).collect())
    }

    /// The permissions of a file that is created.
    pub fn permissions(&self) -> u32 {
        let told = self.value("file_perm").and_then(|value| u32::from_str_radix(value, 8).ok());
        told.unwrap_or(0o666) & 0o777
    }

    /// The longest part of a file that one process moves at a time.
    pub fn buffer(&self, direction: Direction) -> usize {
        let key = match direction {
            Direction::Read => "ind_rd_buffer_size",
            Direction::Write => "ind_wr_buffer_size",
        };
        self.number(key).unwrap_or_default().clamp(1 << 12, 1 << 30)
    }

    /// The longest part of a file that members of a collective operation move at a time.
    pub fn collective_buffer(&self) -> usize {
        self.number("cb_buffer_size").unwrap_or_default().clamp(1 << 12, 1 << 30)
    }

    /// Whether data that nobody wants may be read along with the rest.
    pub fn sieves(&self, direction: Direction) -> bool {
        direction == Direction::Read && self.value("romio_ds_read") != Some("disable")
    }

    /// How many members of a collective operation access the file, if the program has said.
    pub fn aggregators(&self) -> Option<usize> {
        self.number("cb_nodes").filter(|count| *count > 0)
    }

    /// Whether members of a collective operation act for each other; `None`: as seems best.
    pub fn merges(&self, direction: Direction) -> Option<bool> {
        let key = match direction {
            Direction::Read => "romio_cb_read",
            Direction::Write => "romio_cb_write",
        };
        match self.value(key) {
            Some("enable") => Some(true),
            Some("disable") => Some(false),
            _ if self.value("collective_buffering") == Some("false") => Some(false),
            _ => None,
        }
    }

    /// What parts of a file that different members access should be multiples of.
    pub fn alignment(&self) -> u64 {
        self.number("striping_unit").filter(|unit| *unit > 0).map_or(1 << 12, |unit| unit as u64)
    }
}

impl Value {
    fn allows(self, value: &str) -> bool {
        match self {
            Number => value.parse::<u64>().is_ok(),
            Choice => ["enable", "disable", "automatic"].contains(&value),
            Truth => ["true", "false"].contains(&value),
            Text => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_that_make_sense_are_taken_and_told() {
        let info = Info::default();
        for (key, value) in [
            ("cb_nodes", "3"),
            ("cb_buffer_size", "many"),
            ("romio_cb_write", "disable"),
            ("romio_ds_read", "perhaps"),
            ("favourite_colour", "blue"),
            ("file_perm", "640"),
        ] {
            info.set(key.as_bytes(), value.as_bytes()).expect("short");
        }
        let mut hints = Hints::default();
        hints.take(Some(&info)).expect("fine");
        assert_eq!(hints.aggregators(), Some(3));
        assert_eq!(hints.collective_buffer(), 1 << 20);
        assert_eq!(hints.merges(Direction::Write), Some(false));
        assert_eq!(hints.merges(Direction::Read), None);
        assert!(hints.sieves(Direction::Read) && !hints.sieves(Direction::Write));
        assert_eq!(hints.permissions(), 0o640);
        let told = hints.info();
        assert_eq!(told.value(b"cb_nodes"), Ok(Some(b"3".to_vec())));
        assert_eq!(told.value(b"romio_cb_write"), Ok(Some(b"disable".to_vec())));
        assert_eq!(told.value(b"favourite_colour"), Ok(None));
    }
}
