//! Attributes that programs hang on objects, and the keys to them (MPI-5.0 §7.7).

use crate::mpi::callback::{Callback, Notice};
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use parking_lot::Mutex;
use std::sync::Arc;

/// What is hung on an object: a pointer of C's, or an integer of Fortran's (MPI-5.0 §19.3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    Pointer(usize),
    Integer(i64),
}

/// What a key fits to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bearer {
    Comm,
    Datatype,
    Win,
}

/// A key to attributes: how they are copied and deleted.
#[derive(Debug)]
pub struct Keyval {
    pub bearer: Bearer,
    pub copy: Callback,
    pub delete: Callback,
    pub extra_state: usize,
}

/// The attributes of one object, oldest first.
#[derive(Default)]
pub struct Attributes(Mutex<Vec<Entry>>);

#[derive(Clone)]
struct Entry {
    key: i32,
    keyval: Arc<Keyval>,
    value: Attribute,
    /// The integer where C finds it: a program that asks for it from C gets a pointer.
    cell: Arc<i64>,
}

/// An attribute as it is found: its value, and where an integer lies in memory for C.
pub struct Found {
    pub value: Attribute,
    pub cell: usize,
}

impl Attributes {
    pub const fn new() -> Attributes {
        Attributes(Mutex::new(Vec::new()))
    }

    /// The attribute under `key`.
    pub fn find(&self, key: i32) -> Option<Found> {
        let entries = self.0.lock();
        let entry = entries.iter().find(|entry| entry.key == key)?;
        let cell = std::ptr::from_ref(&*entry.cell).expose_provenance();
        Some(Found { value: entry.value, cell })
    }

    /// Hangs `value` on object `handle`; an older one is deleted first, which may be refused.
    pub fn set(
        &self, process: &Process, handle: usize, key: i32, keyval: Arc<Keyval>, value: Attribute,
    ) -> Result {
        if self.find(key).is_some() {
            self.delete(process, handle, key)?;
        }
        self.0.lock().push(Entry::new(key, keyval, value));
        Ok(())
    }

    /// Takes the attribute under `key` off, if its callback agrees.
    pub fn delete(&self, process: &Process, handle: usize, key: i32) -> Result {
        let found = self.0.lock().iter().find(|entry| entry.key == key).cloned();
        let Some(entry) = found else {
            return Err(Class::KEYVAL.because(format!("no attribute is set under key {key}")));
        };
        entry.call_delete(process, handle)?;
        self.0.lock().retain(|entry| entry.key != key);
        Ok(())
    }

    /// Deletes all, the newest first (MPI-5.0 §11.2.4); the first refusal stops it.
    pub fn clear(&self, process: &Process, handle: usize) -> Result {
        loop {
            let Some(entry) = self.0.lock().last().cloned() else { return Ok(()) };
            entry.call_delete(process, handle)?;
            self.0.lock().retain(|other| other.key != entry.key);
        }
    }

    /// The attributes for a duplicate of object `handle`: what the copy callbacks make of each.
    pub fn copy(&self, process: &Process, handle: usize) -> Result<Attributes> {
        let entries = self.0.lock().clone();
        let copies = Attributes::new();
        for entry in entries {
            let notice = entry.notice(handle);
            if let Some(value) = process.program.copy_attribute(entry.keyval.copy, notice)? {
                copies.0.lock().push(Entry::new(entry.key, entry.keyval, value));
            }
        }
        Ok(copies)
    }
}

impl Entry {
    fn new(key: i32, keyval: Arc<Keyval>, value: Attribute) -> Entry {
        let cell = match value {
            Attribute::Pointer(pointer) => pointer as i64,
            Attribute::Integer(integer) => integer,
        };
        Entry { key, keyval, value, cell: Arc::new(cell) }
    }

    fn notice(&self, handle: usize) -> Notice {
        Notice {
            object: handle,
            keyval: self.key,
            extra_state: self.keyval.extra_state,
            value: self.value,
        }
    }

    fn call_delete(&self, process: &Process, handle: usize) -> Result {
        process.program.delete_attribute(self.keyval.delete, self.notice(handle))
    }
}
