//! How an agent hears a coordinator, `ftrun` or one that has taken over.

use super::succession::Succession;
use super::tenancy::Tenancy;
use super::uplink::Uplink;
use crate::processes::happening::Happening;
use ftmpi_wireup as wireup;
use ftmpi_wireup::hosts::{OfAgent, ToAgent};
use std::io::BufReader;
use std::net::TcpStream;
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};

/// What the threads of an agent share.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) uplink: Arc<Uplink>,
    pub(super) succession: Arc<Succession>,
    pub(super) tenancy: Arc<OnceLock<Arc<Tenancy>>>,
    pub(super) events: Sender<Happening>,
}

/// Hears the coordinator of this epoch; what it says goes to the office.
pub(super) fn hear(mut from: BufReader<TcpStream>, epoch: u64, shared: Shared) {
    let Shared { uplink, succession, tenancy, events } = shared;
    while let Some(told) = wireup::read(&mut from).ok().flatten() {
        match &told {
            ToAgent::Renew { beat, renews, mark, taken, .. } => {
                if !succession.hear(epoch, *mark) {
                    return;
                }
                uplink.confirm(epoch, *taken);
                if let Some(tenancy) = tenancy.get().filter(|_| *renews) {
                    tenancy.renew(*beat);
                }
            }
            ToAgent::Propose { settled, next } => {
                if succession.accept(epoch, settled, next) {
                    uplink.say(&OfAgent::Accepted(next.number));
                }
                continue;
            }
            ToAgent::Settled(view) => {
                succession.settle(epoch, view);
                continue;
            }
            ToAgent::Fellows(fellows) => {
                uplink.keep();
                succession.begin((**fellows).clone());
                continue;
            }
            _ if succession.epoch() != epoch => return,
            _ => {}
        }
        if events.send(Happening::ToAgent(Some(told))).is_err() {
            return;
        }
    }
    match succession.desert(epoch) {
        true => uplink.cut(epoch),
        // Nobody may listen any more.
        false => _ = events.send(Happening::ToAgent(None)),
    }
}
