//! Wires between ranks. So far one: within this process, from heap to heap.

mod channel;
mod joint;
mod packet;
mod parcels;
mod wire;

pub use channel::{
    Arrival, Ears, Glance, Incoming, MOST as MOST_CHANNELS, Outgoing, ROOM as SHORT,
};
pub use packet::{Delivery, Envelope, Fate, Load, Packet, Pool, Ticket};
pub use parcels::Parcels;
pub use wire::{Port, Wire};
