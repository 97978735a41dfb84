//! What agents of other hosts ask this one when they do not hear the coordinator.

use super::hearing::{Shared, hear};
use crate::processes::happening::Happening;
use ftmpi_wireup as wireup;
use ftmpi_wireup::takeover::{OfPeer, ToPeer};
use std::io::BufReader;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Hears the other agents; returns where they find this one.
pub(super) fn listen(shared: Shared) -> std::io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let shared = shared.clone();
            thread::spawn(move || attend(stream, &shared));
        }
    });
    Ok(port)
}

/// Answers one that asks; follows it if it is elected.
fn attend(stream: TcpStream, shared: &Shared) -> Option<()> {
    const LONGEST: usize = 4096;
    let (succession, limit) = (&shared.succession, Duration::from_secs(10));
    stream.set_nodelay(true).ok()?;
    stream.set_read_timeout(Some(limit)).ok()?;
    stream.set_write_timeout(Some(limit)).ok()?;
    let mut out = stream.try_clone().ok()?;
    let mut from = BufReader::new(stream);
    let first: ToPeer = wireup::read_at_most(&mut from, LONGEST).ok()??;
    let ToPeer::Ask { secret, host, epoch } = first else { return None };
    if secret != succession.secret || host != succession.me {
        return None;
    }
    let (mut has_voted, mut asks) = (false, true);
    while !has_voted {
        if asks {
            let (would, known) = succession.standing(|it, now| it.would(epoch, now))?;
            wireup::write(&mut out, &OfPeer::Would { would, epoch: known }).ok()?;
        }
        asks = match wireup::read(&mut from).ok()?? {
            ToPeer::AskAgain => true,
            ToPeer::Stand => false,
            ToPeer::Ask { .. } | ToPeer::Elected { .. } => return None,
        };
        if asks {
            continue;
        }
        let before = succession.epoch();
        let vote = succession.vote(epoch);
        has_voted = vote.is_some();
        if has_voted {
            shared.uplink.cut(before);
        }
        wireup::write(&mut out, &OfPeer::Voted(vote)).ok()?;
    }
    let (settled, known) = loop {
        match wireup::read(&mut from).ok()?? {
            // It waits for other votes.
            ToPeer::Stand => succession.wait(epoch),
            ToPeer::Elected { settled, known } => break (settled, known),
            ToPeer::Ask { .. } | ToPeer::AskAgain => return None,
        }
    };
    if succession.follow(epoch, &settled) {
        out.set_read_timeout(None).ok()?;
        out.set_write_timeout(None).ok()?;
        shared.events.send(Happening::Elected { epoch, known, stream: out }).ok()?;
        hear(from, epoch, shared.clone());
    }
    Some(())
}
