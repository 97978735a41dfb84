//! Carries out the requests of people who watch a job: describe a rank, kill ranks, choose a view.

use super::glance;
use super::sight::Sight;
use super::table;
use crate::base::random::Random;
use crate::host::life;
use crate::job::fault_injection;
use crate::mpi::process::Process;

pub(super) fn obey(words: &str, sight: &mut Sight) -> Result<String, String> {
    let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
    match word {
        "info" => seat(rest, sight).map(|seat| told(seat, sight)),
        "kill" => {
            let seat = seat(rest, sight)?;
            match fault_injection::strike_by_hand(seat) {
                Ok(()) => Ok(format!("rank {seat} will be killed")),
                Err(why) => Err(format!("rank {seat}: {why}")),
            }
        }
        "region" => kill_region(rest, sight),
        "ranks" => Ok(table::of_ranks(sight)),
        "pairs" => table::of_messages(sight),
        "links" => table::of_links(sight),
        "view" => sight.choose(rest).map(str::to_string),
        _ => Err(format!(
            "`{word}`: use info RANK, kill RANK, region X0 Y0 X1 Y1 PERCENT, view NAME, ranks, \
             pairs or links"
        )),
    }
}

fn seat(text: &str, sight: &Sight) -> Result<usize, String> {
    let count = sight.places.len();
    let seat = text.trim().parse().ok().filter(|&seat| seat < count);
    seat.ok_or_else(|| format!("`{text}` is not a rank: ranks are 0 to {}", count - 1))
}

fn told(seat: usize, sight: &mut Sight) -> String {
    let node = sight.world().berths().map(|berths| berths.name_of(berths.node_of(seat)));
    let node = node.map_or(String::new(), |name| format!(" at node {name}"));
    let [messages, collectives, wakings] = sight.counted(seat);
    let counts =
        format!("{messages} messages sent, {collectives} collectives, woken {wakings} times");
    let Some(rank) = life::living(seat) else {
        let life =
            life::incarnation(seat).map_or("not started yet".into(), |it| format!("life {it}"));
        return format!("rank {seat}{node}: {life}, not alive; {counts}");
    };
    let (life, age) = (rank.incarnation, rank.age().as_secs_f64());
    let Some(process) = rank.attached::<Process>() else {
        return format!("rank {seat}{node}: life {life}, {age:.1} s old; has not called MPI");
    };
    let generation = process.engine.generation();
    format!(
        "rank {seat}{node}: life {life}, {age:.1} s old, generation {generation}; {counts}; {}",
        glance::occupation(process)
    )
}

/// Kills a percentage of the ranks that are drawn in a region.
fn kill_region(rest: &str, sight: &Sight) -> Result<String, String> {
    let numbers: Option<Vec<f64>> = rest.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some(&[x0, y0, x1, y1, percent]) = numbers.as_deref() else {
        return Err("expected region X0 Y0 X1 Y1 PERCENT".into());
    };
    if !(0.0..=100.0).contains(&percent) {
        return Err(format!("{percent} percent: use 0 to 100"));
    }
    let is_inside = |[x, y]: [f32; 2]| {
        let within = |low: f64, high: f64, at: f32| (low..=high).contains(&f64::from(at));
        within(x0, x1, x) && within(y0, y1, y)
    };
    let lives =
        |seat: &usize| life::living(*seat).is_some_and(|rank| !fault_injection::has_left(&rank));
    let inside = (0..sight.places.len()).filter(|&seat| is_inside(sight.places[seat]));
    let mut victims: Vec<usize> = inside.filter(lives).collect();
    let wanted = (victims.len() as f64 * percent / 100.0).round() as usize;
    let mut random = Random::new(sight.world().age().as_nanos() as u64);
    for place in 0..wanted {
        let other = place + random.below((victims.len() - place) as u64) as usize;
        victims.swap(place, other);
    }
    let killed =
        victims[..wanted].iter().filter(|&&seat| fault_injection::strike_by_hand(seat).is_ok());
    match killed.count() {
        1 => Ok("1 rank will be killed".into()),
        count => Ok(format!("{count} ranks will be killed")),
    }
}
