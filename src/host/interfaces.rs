//! The network interfaces of this host.

use std::ffi::CStr;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ptr;

/// An address of an interface that is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    pub name: String,
    pub address: IpAddr,
    mask: IpAddr,
}

impl Interface {
    /// Whether what this interface leads to directly has this address.
    pub fn leads_to(&self, other: IpAddr) -> bool {
        match (self.address, self.mask, other) {
            (IpAddr::V4(own), IpAddr::V4(mask), IpAddr::V4(other)) => {
                own.to_bits() & mask.to_bits() == other.to_bits() & mask.to_bits()
            }
            (IpAddr::V6(own), IpAddr::V6(mask), IpAddr::V6(other)) => {
                own.to_bits() & mask.to_bits() == other.to_bits() & mask.to_bits()
            }
            _ => false,
        }
    }
}

/// The addresses by which other hosts may reach this one, and those of itself after them.
pub fn all() -> io::Result<Vec<Interface>> {
    let mut first = ptr::null_mut();
    // SAFETY: writes a list of its own.
    if unsafe { libc::getifaddrs(&mut first) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let (mut all, mut next) = (Vec::new(), first);
    // SAFETY: an entry of the list, which stays until it is given back.
    while let Some(entry) = unsafe { next.as_ref() } {
        next = entry.ifa_next;
        if entry.ifa_flags & libc::IFF_UP as u32 == 0 {
            continue;
        }
        // SAFETY: addresses of the entry, or null.
        let (address, mask) = unsafe { (address(entry.ifa_addr), address(entry.ifa_netmask)) };
        // SAFETY: every entry has a name.
        let name = unsafe { CStr::from_ptr(entry.ifa_name) }.to_string_lossy().into_owned();
        if let Some((address, mask)) = address.zip(mask) {
            all.push(Interface { name, address, mask });
        }
    }
    // SAFETY: the list from above, of which everything was copied.
    unsafe { libc::freeifaddrs(first) };
    all.sort_by_key(|interface| interface.address.is_loopback());
    Ok(all)
}

/// # Safety
///
/// It is null, or an address of the kind that it says.
unsafe fn address(of: *const libc::sockaddr) -> Option<IpAddr> {
    if of.is_null() {
        return None;
    }
    // SAFETY: as is promised.
    match unsafe { i32::from((*of).sa_family) } {
        libc::AF_INET => {
            // SAFETY: it says so.
            let found = unsafe { of.cast::<libc::sockaddr_in>().read_unaligned() };
            Some(Ipv4Addr::from_bits(u32::from_be(found.sin_addr.s_addr)).into())
        }
        libc::AF_INET6 => {
            // SAFETY: it says so.
            let found = unsafe { of.cast::<libc::sockaddr_in6>().read_unaligned() };
            let address = Ipv6Addr::from(found.sin6_addr.s6_addr);
            // Without the interface, those do not lead anywhere.
            (!address.is_unicast_link_local()).then_some(address.into())
        }
        _ => None,
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn this_host_reaches_itself() {
        let all = all().expect("there are some");
        let own = all.iter().find(|it| it.address == Ipv4Addr::LOCALHOST);
        let own = own.expect("the loopback is up");
        assert!(own.leads_to(Ipv4Addr::new(127, 1, 2, 3).into()));
        assert!(!own.leads_to(Ipv4Addr::new(128, 0, 0, 1).into()));
        assert!(!own.leads_to(Ipv6Addr::LOCALHOST.into()));
    }
}
