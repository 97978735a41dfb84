//! How messages go into a connection.

use rustix::fd::AsFd;
use rustix::net::{self, SendAncillaryBuffer, SendFlags};
use std::io::IoSlice;

/// Before each message: its length.
pub(super) const HEAD: usize = 4;

/// Gives this to the network, which takes so much of it.
pub(super) fn give(socket: impl AsFd, slices: &[IoSlice<'_>]) -> rustix::io::Result<usize> {
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    net::sendmsg(socket, slices, &mut SendAncillaryBuffer::default(), flags)
}
