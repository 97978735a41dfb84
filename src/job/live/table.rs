//! What a page shows of all ranks beside the picture: where each is, what its time went into, how
//! old its last checkpoint is; who has sent how much to whom; how busy links are.

use super::sight::Sight;
use crate::base::json::quoted;
use crate::engine::Pairs;
use crate::host::life;
use crate::mpi::process::Process;
use crate::watch::MOST_ROWS;
use std::time::Instant;

/// The table, in JSON. Ranks of this library's jobs that can be watched are in one process.
pub(super) fn of_ranks(sight: &mut Sight) -> String {
    sight.accounts.ask(Instant::now());
    let rows = 0..sight.places.len().min(MOST_ROWS);
    let rows: Vec<String> = rows.map(|seat| row(seat, sight)).collect();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let (host, process) = (quoted(host.trim()), std::process::id());
    format!("{{\"host\":{host},\"process\":{process},\"ranks\":[{}]}}", rows.join(","))
}

fn row(seat: usize, sight: &Sight) -> String {
    let node = sight.world().berths().map(|berths| quoted(&berths.name_of(berths.node_of(seat))));
    let node = node.unwrap_or_else(|| "null".into());
    let life = life::incarnation(seat).map_or("null".into(), |life| life.to_string());
    let rank = life::living(seat);
    let process = rank.as_ref().and_then(|rank| rank.attached::<Process>());
    let saved = process.and_then(|process| process.saved.last());
    let age = saved.map(|saved| sight.world().age().saturating_sub(saved).as_millis().to_string());
    let age = age.unwrap_or_else(|| "null".into());
    let account = sight.accounts.json(seat);
    format!("{{\"node\":{node},\"life\":{life},\"checkpoint\":{age},{account}}}")
}

/// The numbers of messages since this was asked first: sender, receiver, how many.
pub(super) fn of_messages(sight: &Sight) -> Result<String, String> {
    let Some(pairs) = sight.world().count_pairs(0..sight.places.len()) else {
        return Err(format!("there is no matrix of more than {} ranks", Pairs::MOST_SEATS));
    };
    let all = pairs.all().map(|(from, to, count)| format!("[{from},{to},{count}]"));
    let all: Vec<String> = all.collect();
    Ok(format!("{{\"ranks\":{},\"pairs\":[{}]}}", sight.places.len(), all.join(",")))
}

/// For how long each link of the simulated network has been busy.
pub(super) fn of_links(sight: &Sight) -> Result<String, String> {
    let network = sight.world().network().filter(|network| network.has_loads());
    let loads = network.and_then(|network| network.loads());
    loads.ok_or_else(|| "links are busy with --network flows or packets on a grid".into())
}
