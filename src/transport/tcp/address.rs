//! Where a worker is: its port, and the addresses of its host.

use crate::host::interfaces::Interface;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    /// Drawn by the worker, and told only to those of the job: whoever knows it is one of them.
    pub(super) id: u64,
    port: u16,
    addresses: Vec<IpAddr>,
}

impl Place {
    pub(super) fn new(port: u16, interfaces: &[Interface]) -> io::Result<Place> {
        let mut id = [0; 8];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut id)?;
        let addresses: Vec<IpAddr> = interfaces.iter().map(|it| it.address).collect();
        // A host without any network still reaches itself.
        let leads_out = |address: &IpAddr| !address.is_loopback();
        let outwards: Vec<IpAddr> = addresses.iter().copied().filter(leads_out).collect();
        let addresses = if outwards.is_empty() { addresses } else { outwards };
        Ok(Place { id: u64::from_le_bytes(id), port, addresses })
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("it is plain data")
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Place> {
        postcard::from_bytes(bytes).ok()
    }

    #[cfg(test)]
    pub(super) fn move_to(&mut self, at: SocketAddr) {
        (self.port, self.addresses) = (at.port(), vec![at.ip()]);
    }

    /// How to get there from a host with these interfaces, the likeliest way first. Addresses that
    /// are this host's, too, may be those of a network within each host.
    pub(super) fn ways_from(&self, interfaces: &[Interface]) -> Vec<SocketAddr> {
        let is_own = |address: IpAddr| interfaces.iter().any(|it| it.address == address);
        let is_near = |address: IpAddr| interfaces.iter().any(|it| it.leads_to(address));
        let mut addresses = self.addresses.clone();
        addresses.sort_by_key(|address| (is_own(*address), !is_near(*address), address.is_ipv6()));
        addresses.into_iter().map(|address| SocketAddr::new(address, self.port)).collect()
    }
}

/// Listens at a port of the system's choice.
pub(super) fn listen() -> io::Result<TcpListener> {
    // All may connect at the same moment.
    const WAITING: i32 = 4096;
    let any = |family, address: SocketAddr| {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
        if address.is_ipv6() {
            sockopt::set_ipv6_v6only(&socket, false)?;
        }
        net::bind(&socket, &address)?;
        net::listen(&socket, WAITING)?;
        Ok::<_, io::Error>(TcpListener::from(socket))
    };
    let both = any(AddressFamily::INET6, (Ipv6Addr::UNSPECIFIED, 0).into());
    both.or_else(|_| any(AddressFamily::INET, (Ipv4Addr::UNSPECIFIED, 0).into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::interfaces;

    #[test]
    fn a_network_that_each_host_has_within_itself_is_the_last_way() {
        let all = interfaces::all().expect("there are some");
        let (own, there) = (all[0].address, IpAddr::V4(Ipv4Addr::new(203, 0, 113, 9)));
        let place = Place { id: 1, port: 7, addresses: vec![own, there] };
        assert_eq!(place.ways_from(&all)[0].ip(), there);
        assert_eq!(Place::from_bytes(&place.bytes()), Some(place));
    }
}
