//! Wires between ranks. So far one: within this process, from heap to heap.

mod batches;
mod cooperative_copy;
mod inbox;
mod packet;
mod ring;

pub use crate::transport::batches::Batches;
pub use crate::transport::inbox::Wire;
pub use crate::transport::ring::{
    Arrival, Glance, Incoming, MOST as MOST_RINGS, Outgoing, ROOM as SHORT, WatchedRings,
};
pub use packet::{Delivery, Envelope, Fate, Load, Packet, Pool, Port, Ticket};
