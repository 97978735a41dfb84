//! The buffer of buffered sends.

pub struct Slot {}

impl Slot {
    pub fn new() -> Slot {
        Slot {}
    }
}
