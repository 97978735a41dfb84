//! Agents that come by themselves: where another launcher has started the ranks, the first rank of
//! each host has started its agent.

use super::summon::{self, Host, Summoned};
use super::tenancy::insist;
use super::version::version;
use crate::processes::connections::secret;
use crate::processes::happening::Happening;
use crate::shared::refusal::{NOT_RUNNABLE, Refusal};
use ftmpi_wireup as wireup;
use ftmpi_wireup::hosts::{OfAgent, Program};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// As many addresses as launchers surely pass on in one word.
const MOST_ADDRESSES: usize = 16;

/// Where agents are awaited.
pub(crate) struct Awaited {
    listener: TcpListener,
    pub(crate) addresses: Vec<String>,
    pub(crate) secret: String,
}

/// An agent that has come, and knows the secret.
struct Come {
    host: usize,
    version: String,
    agent: Host,
}

impl Awaited {
    /// Awaits agents from now on.
    pub(crate) fn listen() -> io::Result<Awaited> {
        /// Names no host, so that all addresses of this one are found.
        const ANY: &str = "";
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        let port = listener.local_addr()?.port();
        let found = summon::addresses_towards(ANY).into_iter();
        let all = found.take(MOST_ADDRESSES).chain([Ipv4Addr::LOCALHOST.into()]);
        let addresses = all.map(|address| SocketAddr::new(address, port).to_string()).collect();
        Ok(Awaited { listener, addresses, secret: secret() })
    }

    /// Waits for an agent of each host, and tells all what to run. `places` has the host of each
    /// rank.
    pub(crate) fn begin(
        self, places: &[usize], program: Program, events: &Sender<Happening>,
    ) -> Result<Summoned, Refusal> {
        let count = places.iter().max().map_or(0, |host| host + 1);
        let (sender, coming) = channel();
        let Awaited { listener, secret, .. } = self;
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (secret, sender) = (secret.clone(), sender.clone());
                thread::spawn(move || {
                    if let Some(come) = greet(stream, &secret) {
                        let _late = sender.send(come);
                    }
                });
            }
        });
        // The first rank has started this process, and the other launcher ends the job with it.
        summon::begin_on(await_all(count, places, &coming)?, (program, places), (events, true))
    }
}

fn greet(mut stream: TcpStream, expected: &str) -> Option<Come> {
    let limit = Some(Duration::from_secs(10));
    stream.set_read_timeout(limit).ok()?;
    stream.set_write_timeout(limit).ok()?;
    stream.set_nodelay(true).ok()?;
    insist(&stream);
    let said = wireup::read_at_most(&mut stream, summon::LONGEST_HELLO).ok()??;
    let OfAgent::Hello { secret, host, version, name, cores } = said else { return None };
    let agent = Host { name, cores: (cores as usize).max(1), stream, starter: None };
    (secret == expected).then(|| Come { host: host as usize, version, agent })
}

fn await_all(
    count: usize, places: &[usize], coming: &Receiver<Come>,
) -> Result<Vec<Host>, Refusal> {
    let (seconds, ours) = (summon::join_seconds(), version()?);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut hosts: Vec<Option<Host>> = (0..count).map(|_| None).collect();
    while let Some(missing) = hosts.iter().position(Option::is_none) {
        let left = until.saturating_duration_since(Instant::now());
        let Ok(Come { host, version, agent }) = coming.recv_timeout(left) else {
            let rank = places.iter().position(|host| *host == missing).unwrap_or(0);
            return Err(Refusal::new(
                NOT_RUNNABLE,
                format!(
                    "the host of rank {rank} has not answered within {seconds} s: may it connect \
                     to the host of rank 0 (firewall)?"
                ),
            ));
        };
        if version != ours {
            let why = summon::other_version(&version, &ours);
            return Err(Refusal::new(NOT_RUNNABLE, format!("host {} {why}", agent.name)));
        }
        if let Some(place) = hosts.get_mut(host) {
            *place = Some(agent);
        }
    }
    Ok(hosts.into_iter().flatten().collect())
}
