//! The lease of this host, as its agent keeps it: one thread sends beats, another one ends all when
//! they are not answered. Neither waits for what the agent does otherwise.

use super::succession::Succession;
use super::uplink::Uplink;
use crate::processes::happening::Happening;
use ftmpi_fault::Lease;
use rustix::net::sockopt::set_tcp_thin_linear_timeouts;
use std::net::TcpStream;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The exit status of an agent that could not end its ranks in time.
const TOO_LATE: i32 = 114;

/// The lease of this host.
pub(super) struct Tenancy {
    lease: Mutex<Lease>,
    started: Instant,
}

impl Tenancy {
    fn with<T>(&self, act: impl FnOnce(&mut Lease, Duration) -> T) -> T {
        let mut lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.started.elapsed();
        act(&mut lease, now)
    }

    /// Sends beats from now on. When the lease is over, the connection is closed, and `events` hear
    /// that nobody coordinates the job any more.
    pub(super) fn begin(
        uplink: Arc<Uplink>, succession: Arc<Succession>, events: Sender<Happening>,
    ) -> Arc<Tenancy> {
        let lease = Mutex::new(Lease::default());
        let tenancy = Arc::new(Tenancy { lease, started: Instant::now() });
        let (beating, up, after) = (tenancy.clone(), uplink.clone(), succession.clone());
        thread::spawn(move || beating.beat(&up, &after));
        let watching = tenancy.clone();
        thread::spawn(move || watching.watch(&uplink, &succession, &events));
        tenancy
    }

    fn beat(&self, uplink: &Uplink, succession: &Succession) {
        const OFTEN: Duration = Duration::from_millis(20);
        loop {
            if let Some(beat) = self.with(Lease::beat) {
                uplink.beat(beat, succession.mark());
            }
            thread::sleep(OFTEN);
        }
    }

    /// Another coordinator is to be asked for more time at once.
    pub(super) fn hurry(&self) {
        self.with(|lease, _| lease.hurry());
    }

    /// The coordinator has answered a beat.
    pub(super) fn renew(&self, beat: u64) {
        self.with(|lease, _| lease.renew(beat));
    }

    fn watch(&self, uplink: &Uplink, succession: &Succession, events: &Sender<Happening>) {
        while !self.with(|lease, now| lease.is_over(now)) {
            let rest = self.with(|lease, now| lease.rest(now));
            thread::sleep(rest.max(Duration::from_millis(1)));
        }
        uplink.cut(succession.epoch());
        succession.say_why_it_ends();
        // It may be at its end already.
        let _unheard = events.send(Happening::ToAgent(None));
        // Without the agent, processes that have joined end by themselves.
        thread::sleep(Duration::from_millis(300));
        std::process::exit(TOO_LATE);
    }
}

/// After a short cut, what was lost is sent again soon.
pub(super) fn insist(stream: &TcpStream) {
    // Where that cannot be, the kernel waits longer from try to try.
    let _patient = set_tcp_thin_linear_timeouts(stream, true);
}
