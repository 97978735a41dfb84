//! The words of a recorded scene or frame. A file may contain anything.

use super::scene::{Shown, Written};
use serde_json::{Map, Value};

/// A JSON object.
pub(super) struct Words(Map<String, Value>);

impl Words {
    pub(super) fn read(json: &str) -> Option<Words> {
        serde_json::from_str(json).ok().map(Words)
    }

    pub(super) fn of_scene(scene: &Shown) -> Words {
        Words::read(&scene.json).expect("it could be read before")
    }

    pub(super) fn of_frame(frame: &Written) -> Option<Words> {
        Words::read(&format!("{}{}", frame.head, frame.tail))
    }

    /// The number that frames know a scene by.
    pub(super) fn scene(&self) -> Option<u32> {
        self.0.get("scene")?.as_u64()?.try_into().ok()
    }

    /// A value for a table cell: as in JSON, but a missing one is empty.
    pub(super) fn cell(&self, name: &str) -> String {
        self.0.get(name).map_or_else(String::new, cell)
    }

    /// A number; none counts as zero.
    pub(super) fn number(&self, name: &str) -> u64 {
        self.0.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    pub(super) fn list(&self, name: &str) -> &[Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub(super) fn cells(&self, name: &str) -> String {
        self.list(name).iter().map(cell).collect::<Vec<_>>().join(",")
    }

    /// These words with one more.
    pub(super) fn with(mut self, name: &str, value: Value) -> Words {
        self.0.insert(name.into(), value);
        self
    }

    pub(super) fn json(self) -> String {
        Value::Object(self.0).to_string()
    }
}

fn cell(value: &Value) -> String {
    if value.is_null() { String::new() } else { value.to_string() }
}
