//! What the program attaches to a window: its error handler, attributes, name and hints.

use crate::mpi::attributes::{Attribute, Bearer, Found};
use crate::mpi::errhandler::{Errhandler, Reaction};
use crate::mpi::error::Result;
use crate::mpi::handle_table::Held;
use crate::mpi::process::Process;
use crate::mpi::rma::win::Win;

impl Win {
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
    pub fn attribute(&self, process: &Process, key: i32) -> Result<Option<Found>> {
        match self.predefined(key) {
            Some(found) => Ok(Some(found)),
            None => self.attributes.value(&process.keyvals, key, Bearer::Win),
        }
    }

    /// Hangs an attribute on this window.
    pub fn set_attribute(&self, process: &Process, key: i32, value: Attribute) -> Result {
        self.attributes.set(&process.keyvals, self.as_bearer(), key, value)
    }

    /// Takes an attribute off this window.
    pub fn delete_attribute(&self, process: &Process, key: i32) -> Result {
        self.attributes.delete(&process.keyvals, self.as_bearer(), key)
    }
}
