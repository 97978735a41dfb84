//! Wires between ranks. So far one: within this process, from heap to heap.

mod packet;
mod wire;

pub use packet::{Delivery, Envelope, Fate, Load, Packet, Pool, Ticket};
pub use wire::{Port, Wire};
