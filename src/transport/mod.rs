//! Wires between ranks: within this process, from heap to heap; to other processes of this host, by
//! memory that they share; and to other hosts, by TCP or UCX.

mod batches;
mod cooperative_copy;
mod hosts;
mod inbox;
mod network;
mod packet;
mod payloads;
mod processes;
mod readable;
mod ring;
mod simulated;
mod tcp;
#[cfg(all(test, not(loom)))]
mod tests;
mod ucx;

pub use crate::transport::batches::Batches;
pub use crate::transport::cooperative_copy::LONG as COOPERATIVE_FROM;
pub use crate::transport::hosts::{Distant, OnHost};
pub use crate::transport::inbox::Wire;
pub use crate::transport::ring::{
    Arrival, Glance, Incoming, MOST as MOST_RINGS, Outgoing, WatchedRings,
};
pub use packet::pool::Pool;
pub use packet::{Between, Delivery, Envelope, Fate, Load, Packet, Port, Ticket};
pub use payloads::LONGEST as LONGEST_IN_RING;
pub use processes::remote_memory::{Showing, WordChange};
pub use processes::shown::{ShownMemory, ShownWord, shown};
pub use processes::{
    Address, Area, Hall, LONGEST_IN_AREA, MOST_IN_AREA, MOST_PROCESSES, Next, OfHosts, Processes,
    Reservation, Seat, Short, Taken,
};
pub use simulated::{Carriage, Party, SimulatedNetwork, Transfers};
