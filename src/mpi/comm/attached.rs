//! What the program attaches to a communicator: its error handler, and attributes.

use crate::mpi::attributes::{Attribute, Bearer, Found};
use crate::mpi::comm::Comm;
use crate::mpi::errhandler::{Errhandler, Reaction};
use crate::mpi::error::Result;
use crate::mpi::failure::attributes;
use crate::mpi::handle_table::Held;
use crate::mpi::process::Process;

impl Comm {
    /// Sets the error handler. One that lets the program go on shows that it can survive failures.
    pub fn set_errhandler(&self, process: &Process, errhandler: Held<Errhandler>) -> Result {
        let shows = matches!(errhandler.reaction, Reaction::Return | Reaction::User(_));
        self.errhandler.set(errhandler)?;
        if shows {
            process.world.charter().hear();
        }
        Ok(())
    }

    /// The attribute under `key`, predefined or not.
    pub fn attribute(&self, process: &'static Process, key: i32) -> Result<Option<Found>> {
        if attributes::is_key(key) {
            return Ok(Some(attributes::find(process, self, key)));
        }
        match process.predefined.find(key, &process.codes.last_used) {
            Some(found) => Ok(Some(found)),
            None => self.attributes.value(&process.keyvals, key, Bearer::Comm),
        }
    }

    /// Hangs an attribute on this communicator.
    pub fn set_attribute(&self, process: &Process, key: i32, value: Attribute) -> Result {
        match attributes::is_key(key) {
            true => attributes::set(process, self, key, value),
            false => self.attributes.set(&process.keyvals, self.as_bearer(), key, value),
        }
    }

    /// Takes an attribute off this communicator.
    pub fn delete_attribute(&self, process: &Process, key: i32) -> Result {
        match attributes::is_key(key) {
            true => attributes::delete(self, key),
            false => self.attributes.delete(&process.keyvals, self.as_bearer(), key),
        }
    }
}
