//! What the end of a rank means to the job: whether the job continues, with or without a
//! replacement, and which exit status it has in the end.

use crate::base::Member;
use crate::engine::World;
use crate::engine::shared::rules::Rules;
use crate::fault::{Cure, Incident};
use crate::host::computing::Computing;
use crate::host::life::{self, Ending, Tenant, Verdict};
use crate::host::{Rank, clock, output};
use crate::job::deadlock::Patience;
use crate::job::end::say;
use crate::job::gone::Gone;
use crate::job::{abort, end, fault_injection, live, report};
use crate::launch::{Job, OnFailure, Sequel, all_have_failed};
use crate::machine::berths::Relocation;
use crate::mpi::dynamic::births;
use crate::mpi::failure::call_trace;
use crate::mpi::phases::Phases;
use crate::mpi::process::Process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Tells MPI about deaths, and decides how the job continues.
pub(super) struct Policy {
    world: &'static World,
    is_quiet: bool,
    on_failure: OnFailure,
    gone: Arc<Gone>,
    /// How long ranks may keep a recovery waiting, if the supervisor must check that.
    patience: Option<Patience>,
    /// Whether some rank has exited successfully.
    has_survivor: AtomicBool,
    /// Whether some rank has finalized MPI, whatever its status, or has exited successfully.
    has_leaver: AtomicBool,
}

impl Policy {
    pub(super) fn new(
        world: &'static World, job: &Job, gone: Arc<Gone>, patience: Option<Patience>,
    ) -> Policy {
        Policy {
            world,
            is_quiet: job.is_quiet,
            on_failure: job.on_failure,
            gone,
            patience,
            has_survivor: AtomicBool::new(false),
            has_leaver: AtomicBool::new(false),
        }
    }

    /// Reports on stderr that the job survives a failure.
    fn announce(&self, line: &str) {
        if !self.is_quiet {
            say(line);
        }
    }

    /// Begins the record of a failure. On a simulated machine, the rank's node fails with it.
    fn chronicle(&self, rank: &Rank, ending: Ending, words: &str, order: Option<String>) {
        let (cure, mode) = Cure::of(self.world.rules(), self.on_failure);
        let node = self.world.berths().map(|mut berths| {
            let node = berths.node_of(rank.seat);
            berths.fail(node);
            node
        });
        self.world.tell(|chronicle, now| {
            let ago = rank.ended_at().map_or(Duration::ZERO, |at| clock::now() - at);
            let member = Member { seat: rank.seat, incarnation: rank.incarnation };
            let incident = Incident::new(member, now.saturating_sub(ago), cure, mode);
            let (cause, words) = (life::cause(ending), words.to_string());
            chronicle.begin(Incident { cause, words, order, node, ..incident });
        });
    }

    /// Finds a node for a replacement that has started, on a simulated machine.
    fn relocate(&self, seat: usize) -> Option<Relocation> {
        let mut berths = self.world.berths()?;
        let relocation = berths.reseat(seat)?;
        let node = berths.name_of(berths.node_of(seat));
        drop(berths);
        if let Some(network) = self.world.network() {
            network.forget_move(seat);
            let others = relocation.moves.iter().filter(|one| one.rank as usize != seat);
            others.for_each(|one| {
                network.move_process(one.rank as usize, (one.from as usize, one.to as usize));
            });
        }
        self.announce(&format!("ftrun: {}", relocation.words(seat, &node)));
        Some(relocation)
    }

    /// Decides how the job continues after a failure, before any other thread can report it.
    fn decide(&self, seat: usize, status: i32, obituary: &str, has_left: bool) -> Verdict {
        end::blame(status);
        let rules = self.world.rules();
        let next = match Sequel::of(rules, self.on_failure, has_left) {
            Sequel::End => {
                let last_words = format!("ftrun: {obituary}; the job ends");
                // As in any pipeline, a reader that has seen enough (`| head`) is not a failure.
                let is_over = status == 128 + libc::SIGPIPE && output::has_no_reader();
                let last_words = if is_over { String::new() } else { last_words };
                return Verdict::End { status, last_words };
            }
            Sequel::Restart => {
                self.announce(&format!("ftrun: {obituary}; it will be restarted"));
                return Verdict::Restart;
            }
            Sequel::GoOn(next) => next,
        };
        self.announce(&format!("ftrun: {obituary}; {next}"));
        // Under ULFM the program repairs itself, and a rank that exits successfully makes up for
        // failures (see `status`). A status after MPI_Finalize is not a death.
        if rules != Rules::Ulfm || has_left {
            self.world.blame(seat, status, has_left);
        }
        Verdict::Continue
    }
}

impl Tenant for Policy {
    fn began(&self, rank: &'static Rank) {
        self.world.crowding.begins(rank.seat);
        let member = Member { seat: rank.seat, incarnation: rank.incarnation };
        if rank.past_lives() > 0 {
            let relocation = self.relocate(rank.seat);
            self.world.tell(|chronicle, now| {
                chronicle.respawned(member, relocation.as_ref(), now);
            });
        }
        fault_injection::began(member);
    }

    fn ended(&self, rank: &'static Rank, ending: Ending) -> Verdict {
        self.world.crowding.has_ended(rank.seat);
        let status = match ending {
            Ending::Exited { status } => status,
            Ending::Signalled { number, .. } => 128 + number,
            Ending::Killed => 128 + libc::SIGKILL,
        };
        let member = Member { seat: rank.seat, incarnation: rank.incarnation };
        let fate = abort::end_of(member).filter(|_| ending == Ending::Killed);
        let status = fate.as_ref().map_or(status, |fate| fate.status);
        live::ended(rank);
        let phases = rank.attached::<Process>().map(|process| &process.phases);
        let debt = phases.and_then(Phases::debt);
        let has_left = phases.is_some_and(Phases::has_left);
        let verdict = match status != 0 || debt.is_some() {
            false => {
                self.has_survivor.store(true, Ordering::Relaxed);
                self.has_leaver.store(true, Ordering::Relaxed);
                live::finished(rank.seat);
                Verdict::Continue
            }
            true => {
                let mut obituary = match fate {
                    Some(fate) => format!("rank {} {}", rank.seat, fate.words),
                    None => life::obituary(rank, ending),
                };
                let order = fault_injection::met(rank).filter(|_| ending == Ending::Killed);
                if let Some(order) = &order {
                    obituary = format!("{obituary}, as planned for {order}");
                }
                if let Some(debt) = debt.filter(|_| matches!(ending, Ending::Exited { .. })) {
                    obituary = format!("{obituary}, without {debt}");
                }
                self.has_leaver.fetch_or(has_left, Ordering::Relaxed);
                call_trace::has_died(member, &life::cause(ending));
                self.chronicle(rank, ending, &obituary, order);
                // A rank that exits without finalizing MPI has failed, whatever its status.
                let status = if status == 0 { 1 } else { status };
                self.decide(rank.seat, status, &obituary, has_left)
            }
        };
        // If a failure ends the job, other ranks are not told: each would report it again, and only
        // the report of the first counts. Ranks that have finalized MPI need no burial, since no
        // rank waits for them; but a rank that starts again needs a free seat.
        let is_to_be_buried = match verdict {
            Verdict::End { .. } => false,
            Verdict::Restart => true,
            Verdict::Continue => !has_left,
        };
        if is_to_be_buried {
            self.world.bury(rank.seat, rank.incarnation);
            if let Some(process) = rank.attached::<Process>() {
                process.lay_down();
            }
        }
        if verdict == Verdict::Continue {
            self.gone.note(rank.seat);
            births::note_end(self.world, member);
        }
        verdict
    }

    fn wake(&self, seat: usize) {
        self.world.wake(seat);
    }

    fn computes_too_long(&self, Computing { rank, frames }: Computing) {
        let member = Member { seat: rank.seat, incarnation: rank.incarnation };
        call_trace::computes(member, frames);
    }

    fn closing(&self) {
        self.world.end_chronicle();
        call_trace::end(self.world.age());
        report::account(self.world);
        live::close();
    }

    fn status(&self) -> i32 {
        let is_lost =
            self.world.rules() == Rules::Ulfm && !self.has_survivor.load(Ordering::Relaxed);
        match self.world.status() {
            0 if is_lost => end::cause(),
            status => status,
        }
    }

    fn last_words(&self) -> String {
        if self.has_leaver.load(Ordering::Relaxed) {
            return String::new();
        }
        // Even if failures are not reported: this one ends the job.
        format!("ftrun: {}", all_have_failed(self.world.ranks()))
    }

    fn due(&self) -> Option<Instant> {
        let patience = self.patience.as_ref().and_then(Patience::due);
        [fault_injection::due(), patience].into_iter().flatten().min()
    }
}
