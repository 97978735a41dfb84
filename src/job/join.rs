//! How a process joins a job of several: at its first call it finds `ftrun`, which has started it
//! or what started it, tells where it is reached, and hears what has happened so far.

use crate::base::Member;
use crate::engine::shared::rules::Rules;
use crate::engine::{Node, World};
use crate::fault::{Report, Summons};
use crate::host::life::Newcomer;
use crate::host::{life, service, signals};
use crate::job::link::{self, say};
use crate::job::live::answers;
use crate::job::{death_outside, end, fault_injection, launched, standstill, start};
use crate::launch::Job;
use crate::mpi::dynamic::births;
use crate::mpi::failure::call_trace;
use crate::mpi::rma::remote::handler;
use crate::mpi::tools::settings;
use crate::mpi::{checks, leftovers};
use crate::transport::{
    Address, Distant, MOST_IN_AREA, MOST_PROCESSES, OfHosts, OnHost, Processes,
};
use crate::wireup::hosts::NET;
use crate::wireup::{self, Berth, Place, Said, Told, VARIABLE, Whereabouts};
use std::io::{self, Read};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

const _: () = assert!(wireup::Area::MOST <= MOST_IN_AREA, "ftrun offers it to as many at most");
const _: () = assert!(wireup::MOST_PROCESSES == MOST_PROCESSES, "ftrun starts as many at most");

/// A process that has joined.
pub struct Joined {
    pub world: &'static World,
    /// Its rank, if it has one.
    pub me: Member,
    /// Which of the job's programs that rank runs.
    pub app: usize,
    processes: &'static Processes,
    has_hosts: bool,
    /// What `ftrun` says, until somebody listens.
    listening: UnixStream,
}

/// Joins the job that the environment names, or that another launcher has started, if there is one
/// and this process is wanted there.
pub fn join(call: fn() -> &'static str) -> Option<Joined> {
    let text = std::env::var_os(VARIABLE).or_else(launched::adopted)?;
    let text = text.to_string_lossy();
    let (place, job) = text.split_once('\n').unwrap_or((&text, ""));
    let (Some(place), Ok(job)) = (Place::decode(place), Job::decode(job)) else {
        life::refuse(&format!("cannot read the variable {VARIABLE}"));
    };
    let joined = enter(&place, &job, call).unwrap_or_else(|why| life::refuse(&why))?;
    signals::watch_faults(place.seat);
    joined.attend().unwrap_or_else(|error| life::refuse(&cannot_join(&place, &error)));
    Some(joined)
}

fn cannot_join(Place { seat, address, .. }: &Place, error: &io::Error) -> String {
    format!("rank {seat} cannot join its job ({address}): {error}; is ftrun still there?")
}

/// Finds the job, and hears what has happened there; `None`: another process has this place.
pub(super) fn enter(
    place: &Place, job: &Job, call: fn() -> &'static str,
) -> Result<Option<Joined>, String> {
    find(place, job, call).map_err(|error| cannot_join(place, &error))
}

fn find(place: &Place, job: &Job, call: fn() -> &'static str) -> io::Result<Option<Joined>> {
    let me = Member { seat: place.seat, incarnation: place.incarnation };
    let processes = Processes::new(me, job.division(), job.ranks_per_core > Some(1))?;
    let address = SocketAddr::from_abstract_name(&place.address)?;
    let mut stream = UnixStream::connect_addr(&address)?;
    let distant = place.host.map(|(host, key)| open_hosts(processes, me, OnHost { host, key }));
    let (pid, descriptor) = (std::process::id() as i32, processes.descriptor());
    let at = Whereabouts { pid, descriptor, distant };
    let (secret, Member { seat, incarnation }) = (place.secret.clone(), me);
    wireup::write(&mut stream, &Said::Joined { secret, seat, incarnation, at })?;
    let (welcome, met, area, lives, berths) = match wireup::read(&mut stream)? {
        Some(Told::Welcome { welcome, met, area, lives, berths }) => {
            (welcome, met, area, lives, berths)
        }
        Some(Told::Refused) => return Ok(None),
        _ => return Err(io::ErrorKind::ConnectionAborted.into()),
    };
    lives.into_iter().enumerate().for_each(|(process, life)| processes.expect(process, life));
    if let Some(wireup::Area { pid, descriptor }) = area {
        processes.share(Address { pid, descriptor })?;
    }
    let listening = stream.try_clone()?;
    match processes.are_shared() {
        true => link::open_for_several(stream)?,
        false => link::open(stream),
    }
    let is_seen = job.is_seen();
    let report = Box::new(move |from: Member, report: &Report| {
        if is_seen
            && matches!(report, Report::Departed)
            && let Some(last) = answers::farewell(from)
        {
            say(&Said::Glances(vec![(from, last)]));
        }
        say(&Said::Report { from, report: report.clone() });
    });
    let world: &'static World = Box::leak(Box::new(World::across(job, processes, report)));
    world.name_calls(call);
    world.handle_notes(handler::read, handler::bury);
    world.handle_foundings(births::register);
    sit(world, berths);
    settings::keep(world, job);
    checks::turn(job.checks);
    leftovers::want(job.leftovers);
    let charter = world.charter();
    charter.tell(|rules: Rules| say(&Said::Rules(rules.encode())));
    if let Some(errhandler) = job.errhandler {
        charter.start_with(errhandler);
    }
    if let Some(rules) = job.rules.or_else(start::shown) {
        charter.give(rules);
    }
    let to_timeline = place.host.map(|_| Box::new(link::ToTimeline) as call_trace::Sink);
    start::trace_if_asked(world, job, to_timeline).map_err(io::Error::other)?;
    if job.report.is_some() || job.is_seen() {
        world.report_to_chronicle();
    }
    fault_injection::order(world, job, Vec::new());
    world.begin_with(*welcome, job.processes.is_none().then_some(me));
    if processes.are_shared() {
        // Notes between its ranks go the same way as to others.
        let (pid, descriptor) = (std::process::id() as i32, processes.descriptor());
        world.meet(me.seat, Address { pid, descriptor }, None);
    }
    for (seat, at) in met {
        meet(world, seat, at);
    }
    let (app, has_hosts) = (job.app_of(me.seat), place.host.is_some());
    Ok(Some(Joined { world, me, app, processes, has_hosts, listening }))
}

impl Joined {
    /// From now on, somebody listens to `ftrun` and does what ranks do not do themselves.
    pub(super) fn attend(&self) -> io::Result<()> {
        let Joined { world, me, processes, has_hosts, .. } = *self;
        let listening = self.listening.try_clone()?;
        service::start(Box::new(move || listen(world, me, processes, listening)))?;
        if has_hosts {
            service::start(Box::new(move || processes.attend_hosts(tell_of_hosts)))?;
        }
        if processes.are_shared() {
            service::start(Box::new(move || processes.attend_messages()))?;
        }
        let (asked, asks) = crossbeam_channel::bounded(1);
        service::start(Box::new(move || asks.iter().for_each(|()| help(processes))))?;
        processes.expect_help(Box::new(move || {
            // If it has been asked already, once is enough.
            let _asked = asked.try_send(());
        }));
        Ok(())
    }
}

fn tell_of_hosts(news: OfHosts) {
    const NO_WAY: i32 = 126;
    say(&match news {
        OfHosts::Unreachable(member) => Said::Unreachable(member),
        OfHosts::Silent { member, is_silent } => Said::Silent { member, is_silent },
        // Whoever waits for that process would wait for ever.
        OfHosts::NoWay(why) => {
            let cure = "let it use a network that both hosts have (FTMPI_NET=tcp:INTERFACE), or \
                        open its ports";
            Said::Abort { status: NO_WAY, words: format!("{why}; {cure}") }
        }
    });
}

/// Opens the way to other hosts; returns how they reach this process.
fn open_hosts(processes: &Processes, me: Member, here: OnHost) -> wireup::Distant {
    let net = std::env::var(NET).unwrap_or_default();
    match processes.open_hosts(here, &net) {
        Ok(address) => wireup::Distant { host: here.host, incarnation: me.incarnation, address },
        Err(why) => life::refuse(&format!("rank {} cannot reach other hosts: {why}", me.seat)),
    }
}

/// A process can be reached there.
fn meet(world: &World, seat: usize, at: Whereabouts) {
    let address = Address { pid: at.pid, descriptor: at.descriptor };
    let distant = at.distant.map(|wireup::Distant { host, incarnation, address }| {
        (host, Distant { incarnation, address })
    });
    world.meet(seat, address, distant);
}

/// Hears what `ftrun` says, for as long as it is there. Without it there is no job.
fn listen(world: &'static World, me: Member, processes: &'static Processes, mut from: UnixStream) {
    loop {
        match hear(&mut from) {
            Some(Told::Notice(notice)) => world.hear(notice),
            Some(Told::Answer { to, notice }) => world.hear_for(to, notice),
            Some(Told::Parted(process)) => world.part(process),
            Some(Told::Begin { member, generation, summons }) => {
                begin(world, member, generation, summons);
            }
            Some(Told::Kill(Member { seat, incarnation })) => {
                life::kill_newborn(seat, incarnation);
            }
            Some(Told::Sit(berths)) => sit(world, berths),
            Some(Told::Leave) => life::dismiss(),
            Some(Told::Met { seat, at }) => meet(world, seat, at),
            Some(Told::Cause(status)) => end::blame(i32::from(status)),
            Some(Told::DieOutside(order)) => death_outside::die(order),
            Some(Told::Look(look)) => {
                say(&Said::Seen { look, still: standstill::look(processes) });
            }
            Some(Told::Glance(asks)) => {
                say(&Said::Glances(answers::glances(processes, me, asks)));
            }
            Some(Told::Describe { question, member }) => {
                let words = answers::words(processes, member);
                say(&Said::Described { question, words });
            }
            Some(Told::TryToReach(member)) => processes.try_to_reach(member),
            Some(Told::End(status)) => launched::end(status),
            Some(Told::Welcome { .. } | Told::Refused | Told::Adopted(_)) => {}
            None => life::end_process(1, ""),
        }
    }
}

/// Ranks of this process sit there on a simulated machine.
fn sit(world: &World, berths: Vec<Berth>) {
    for Berth { seat, node, rack } in berths {
        world.nodes().learn(seat, Node { name: node, rack: rack as usize });
    }
}

/// A rank is to begin here.
fn begin(world: &World, member: Member, generation: u64, summons: Option<Summons>) {
    if let Some(summons) = summons {
        world.summon(member, &summons);
    }
    let Member { seat, incarnation } = member;
    let first = world.home_of(seat).first();
    life::respawn(seat, Newcomer { incarnation, generation, first });
}

fn hear(from: &mut impl Read) -> Option<Told> {
    wireup::read(from).ok().flatten()
}

/// Writes what waits for room, while the rank may be computing.
fn help(processes: &'static Processes) {
    const OFTEN: Duration = Duration::from_micros(200);
    while !processes.write_queued() {
        std::thread::sleep(OFTEN);
    }
}
