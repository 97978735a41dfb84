//! Wires between ranks. So far one: within this process, from heap to heap.

mod batches;
mod cooperative_copy;
mod inbox;
mod packet;
mod ring;

pub use crate::transport::batches::Batches;
pub use crate::transport::inbox::Wire;
pub use crate::transport::ring::{
    Arrival, Ears, Glance, Incoming, MOST as MOST_CHANNELS, Outgoing, ROOM as SHORT,
};
pub use packet::{Delivery, Envelope, Fate, Load, Packet, Pool, Port, Ticket};
