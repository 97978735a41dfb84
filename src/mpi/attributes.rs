//! Attributes that programs hang on objects, and the keys to them (MPI-5.0 §7.7).

use crate::mpi::callback::Callback;
use crate::mpi::error::{Class, Failure, Result, is_death};
use crate::mpi::handle_table::{Sort, Table};
pub use crate::mpi::program::Attribute;
use crate::mpi::program::{Notice, Program};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

const ANY_SOURCE: i32 = -1;
const PROC_NULL: i32 = -3;

/// MPI_KEYVAL_INVALID.
pub const INVALID: i32 = 0;

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

/// The attributes that every communicator has from the start (MPI-5.0 §9.1.2, §11.10.1).
pub struct Predefined {
    tag_ub: i32,
    io: i32,
    host: i32,
    wtime_is_global: i32,
    appnum: i32,
    universe_size: i32,
}

impl Predefined {
    /// Those of a rank that runs program number `appnum`.
    pub fn new(seats: usize, appnum: usize) -> Predefined {
        Predefined {
            tag_ub: i32::MAX,
            io: ANY_SOURCE,
            host: PROC_NULL,
            wtime_is_global: 1,
            appnum: i32::try_from(appnum).unwrap_or(i32::MAX),
            universe_size: i32::try_from(seats).unwrap_or(i32::MAX),
        }
    }

    /// The attribute under `key`, if that is one of MPI_COMM_WORLD's own.
    pub fn find(&self, key: i32, last_used_code: &AtomicI32) -> Option<Found> {
        let found = |cell: &i32| Found {
            value: Attribute::Integer(i64::from(*cell)),
            cell: std::ptr::from_ref(cell).expose_provenance(),
            is_value: false,
        };
        match key {
            501 => Some(found(&self.tag_ub)),
            502 => Some(found(&self.io)),
            503 => Some(found(&self.host)),
            504 => Some(found(&self.wtime_is_global)),
            505 => Some(found(&self.appnum)),
            506 => Some(Found {
                value: Attribute::Integer(i64::from(last_used_code.load(Ordering::Relaxed))),
                cell: last_used_code.as_ptr().expose_provenance(),
                is_value: false,
            }),
            507 => Some(found(&self.universe_size)),
            _ => None,
        }
    }
}

/// The keys of a process, and the program whose callbacks they name.
pub struct Keyvals {
    pub(in crate::mpi) table: Table<Keyval>,
    program: &'static dyn Program,
}

impl Keyvals {
    pub fn new(program: &'static dyn Program) -> Keyvals {
        Keyvals { table: Table::new(Sort::Keyval), program }
    }

    /// A new key with these callbacks.
    pub fn create(&self, keyval: Keyval) -> Result<i32> {
        let key = self.table.insert(Arc::new(keyval));
        let key = key.ok_or_else(|| {
            Class::OTHER.because("too many objects: no handle is left for another key")
        })?;
        Ok(i32::try_from(key).expect("a key has 31 bits"))
    }

    /// Frees a key; attributes that hang under it stay until they are deleted (MPI-5.0 §7.7.2).
    pub fn free(&self, key: i32, bearer: Bearer) -> Result {
        self.find(key, bearer)?;
        self.table.remove(key as u32 as usize);
        Ok(())
    }

    /// The key with this number, which must fit to `bearer`.
    fn find(&self, key: i32, bearer: Bearer) -> Result<Arc<Keyval>> {
        let found = self.table.find(key as u32 as usize);
        found.filter(|keyval| keyval.bearer == bearer).ok_or_else(|| no_key(key))
    }
}

fn no_key(key: i32) -> Failure {
    let words = match key {
        INVALID => "the key is MPI_KEYVAL_INVALID".to_string(),
        501..=507 | 601..=605 => {
            format!("the key is {key}: predefined attributes cannot be changed")
        }
        _ => format!("the key is {key}, which is not a key for such objects (was it freed?)"),
    };
    Class::KEYVAL.because(words)
}

/// What an attribute hangs on.
#[derive(Clone, Copy)]
pub struct On {
    pub bearer: Bearer,
    pub handle: usize,
}

/// The attributes of one object, oldest first.
#[derive(Default)]
pub struct Attributes(Mutex<Vec<Entry>>);

#[derive(Clone)]
struct Entry {
    key: i32,
    keyval: Arc<Keyval>,
    value: Attribute,
    /// The integer where C finds it: a program that asks for it from C gets a pointer. No other
    /// entry has the same.
    cell: Arc<i64>,
}

/// An attribute as it is found: its value, and where an integer lies in memory for C.
pub struct Found {
    pub value: Attribute,
    pub cell: usize,
    /// C gets the integer itself, an `int`, where it says; not a pointer.
    pub is_value: bool,
}

impl Attributes {
    pub const fn new() -> Attributes {
        Attributes(Mutex::new(Vec::new()))
    }

    /// The attribute under `key`, which must be one for such objects.
    pub fn value(&self, keys: &Keyvals, key: i32, bearer: Bearer) -> Result<Option<Found>> {
        match self.find(keys, key) {
            Some(entry) => {
                let cell = std::ptr::from_ref(&*entry.cell).expose_provenance();
                Ok(Some(Found { value: entry.value, cell, is_value: false }))
            }
            None => keys.find(key, bearer).map(|_| None),
        }
    }

    /// What hangs under `key`. A freed key still finds it, in callbacks that run late, but another
    /// key that has got the same number does not.
    fn find(&self, keys: &Keyvals, key: i32) -> Option<Entry> {
        let current = keys.table.find(key as u32 as usize);
        let is_current = |entry: &&Entry| {
            let same = |keyval| Arc::ptr_eq(keyval, &entry.keyval);
            entry.key == key && current.as_ref().is_none_or(same)
        };
        self.0.lock().iter().rfind(is_current).cloned()
    }

    fn remove(&self, entry: &Entry) {
        self.0.lock().retain(|other| !Arc::ptr_eq(&other.cell, &entry.cell));
    }

    /// Hangs `value` on the object; an older one is deleted first, which may be refused.
    pub fn set(&self, keys: &Keyvals, on: On, key: i32, value: Attribute) -> Result {
        let keyval = keys.find(key, on.bearer)?;
        if self.find(keys, key).is_some() {
            self.delete(keys, on, key)?;
        }
        self.0.lock().push(Entry::new(key, keyval, value));
        Ok(())
    }

    /// Takes the attribute under `key` off, if its callback agrees.
    pub fn delete(&self, keys: &Keyvals, on: On, key: i32) -> Result {
        let Some(entry) = self.find(keys, key) else {
            keys.find(key, on.bearer)?;
            return Err(Class::KEYVAL.because(format!("no attribute is set under key {key}")));
        };
        entry.call_delete(keys, on.handle)?;
        self.remove(&entry);
        Ok(())
    }

    /// Deletes all, the newest first (MPI-5.0 §11.2.4); the first refusal stops it.
    pub fn clear(&self, keys: &Keyvals, handle: usize) -> Result {
        loop {
            let Some(entry) = self.0.lock().last().cloned() else { return Ok(()) };
            entry.call_delete(keys, handle)?;
            self.remove(&entry);
        }
    }

    /// These attributes, and those of `other` after them.
    pub fn take(&self, other: Attributes) {
        let mut others = other.0.into_inner();
        self.0.lock().append(&mut others);
    }

    /// The attributes for a duplicate of object `handle`: what the copy callbacks make of each.
    /// When one fails, what was copied before is deleted, as if it had hung on that object.
    pub fn copy(&self, keys: &Keyvals, handle: usize) -> Result<Attributes> {
        let entries = self.0.lock().clone();
        let copies = Attributes::new();
        for entry in entries {
            let notice = entry.notice(handle);
            match keys.program.copy_attribute(entry.keyval.copy, notice) {
                Ok(None) => {}
                Ok(Some(value)) => {
                    copies.0.lock().push(Entry::new(entry.key, entry.keyval, value));
                }
                Err(failure) => {
                    copies.give_up(keys, handle)?;
                    return Err(failure);
                }
            }
        }
        Ok(copies)
    }

    /// Deletes all of an object that never came to be; refusals are of no matter.
    fn give_up(self, keys: &Keyvals, handle: usize) -> Result {
        for entry in self.0.into_inner().into_iter().rev() {
            let deleted = entry.call_delete(keys, handle);
            if is_death(&deleted) {
                return deleted;
            }
        }
        Ok(())
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

    fn call_delete(&self, keys: &Keyvals, handle: usize) -> Result {
        keys.program.delete_attribute(self.keyval.delete, self.notice(handle))
    }
}
