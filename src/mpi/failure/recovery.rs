//! Recovery: the living ranks agree on the survivors and the replacements, and continue together in
//! the next generation of the world.

use crate::base::Member;
use crate::engine::shared::rules::{MsgMode, RecoveryMode, mode_of};
use crate::engine::{CommittedView, Moved, Summons};
use crate::fault::view::Slot;
use crate::fault::{Fact, Mode, Record, Recovery, Step, Value, View};
use crate::host::clock;
use crate::mpi::comm::group::Group;
use crate::mpi::comm::{Comm, Gaps};
use crate::mpi::error::{Class, Error, Result};
use crate::mpi::failure::usability::{Standing, standing};
use crate::mpi::failure::{abroad, attributes, call_trace};
use crate::mpi::process::Process;
use crate::mpi::thread::thread_token;
use crate::mpi::tools::event_queue::{RECOVERY_BEGUN, RECOVERY_DONE};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Whether `comm` needs a recovery.
fn is_due(process: &'static Process, comm: &Comm) -> bool {
    if process.engine.is_calm() || mode(process).is_none() {
        return false;
    }
    // What happens to another world is for that one to make up for.
    standing(process, &process.world_comm()) != Standing::Well
        && matches!(standing(process, comm), Standing::Affected { .. } | Standing::Interrupted)
}

/// Whether MPI_Comm_dup on `comm` is a recovery: one is due, and this rank knows of it, whichever
/// of its threads was told. A rank that does not know is told, as by any other call: it
/// would take what comes out of the recovery for the duplicate that it wanted.
pub fn is_meant(process: &'static Process, comm: &Comm) -> bool {
    let knows = || {
        let generation = process.engine.generation();
        process.told.lock().values().any(|told| *told == generation)
    };
    is_due(process, comm) && knows()
}

/// Whether a call that derives another communicator from `comm` is a recovery: a member of `comm`
/// has died, and the calling thread was told.
pub fn is_wanted(process: &'static Process, comm: &Comm) -> bool {
    let knows = || {
        let told = process.told.lock().get(&thread_token()).copied();
        told == Some(process.engine.generation())
    };
    is_due(process, comm) && matches!(standing(process, comm), Standing::Affected { .. }) && knows()
}

/// Recovers, and returns another handle of MPI_COMM_WORLD.
pub fn repair(process: &'static Process, comm: &Comm) -> Result<usize> {
    let is_world = comm.is_alias_of(&process.world_comm());
    let generation = process.engine.generation();
    if !is_made_up_for(process, generation) {
        recover(process, generation)?;
    }
    if !is_world {
        // Its dead are not members of what has taken their places: only all together can make it.
        let words = "MPI_COMM_WORLD has been recovered; create this communicator from it again";
        let error = Error::new(Class::COMM, words.to_string());
        return Err(Error { is_of_a_death: true, ..error }.into());
    }
    let world = process.world_comm();
    let made = process.comms.insert_with(|handle| Arc::new(world.alias(handle)));
    let made = made.map(|(handle, _)| handle);
    made.ok_or_else(|| {
        Class::OTHER.because("too many objects: no handle is left for another communicator")
    })
}

/// Whether the world has recovered, into `generation`, since the calling thread was told of a
/// failure, or by starting this rank, so that there is nothing left to do for it: the library may
/// have seen to that, or another thread of this rank. Whoever has gone on since then asks anew.
fn is_made_up_for(process: &'static Process, generation: u64) -> bool {
    let thread = thread_token();
    let told = process.told.lock().remove(&thread);
    if told.is_none_or(|of| of >= generation) {
        return false;
    }
    let world = process.world_comm();
    standing(process, &world) == Standing::Well
        && (is_of_another(process, thread) || !world.is_in_use())
}

/// Whether the world is as another thread of this rank has recovered it.
fn is_of_another(process: &Process, thread: usize) -> bool {
    process.engine.generation() > 0 && process.recoverer.load(Ordering::Relaxed) != thread
}

/// Takes part in the recovery of the world as it was in `generation`. Where nobody is dead, nothing
/// changes; nor where another thread of this rank has seen to it meanwhile: the recovery of the
/// generation after that is not this thread's to begin.
fn recover(process: &'static Process, generation: u64) -> Result {
    let begun = {
        let mut recovery = process.recovery.lock();
        // As long as no thread has taken it out, the generation stays.
        if process.engine.generation() != generation {
            return Ok(());
        }
        recovery.take()
    };
    let begun = begun.or_else(|| first(process));
    let Some(mut course) = begun else { return await_another(process, generation) };
    let engine = &process.engine;
    if standing(process, &process.world_comm()) != Standing::Well {
        process.recovers()?;
    }
    let outcome = take_part(process, &mut course, false);
    if let Ok(End::Unchanged | End::GivenUp { .. }) = outcome {
        *process.recovery.lock() = Some(course);
        engine.nudge();
    }
    match outcome? {
        End::GivenUp { rank } => {
            let words = format!("rank {rank} cannot be restarted: it has died too often");
            Err(Error { is_of_a_death: true, ..Error::new(Class::SPAWN, words) }.into())
        }
        End::Unchanged | End::Recovered => Ok(()),
    }
}

/// Another thread of this rank takes part in the recovery, for both.
fn await_another(process: &'static Process, before: u64) -> Result {
    let is_over = || process.engine.generation() != before || process.recovery.lock().is_some();
    process.engine.wait_for(|_| is_over().then_some(()))?;
    match process.engine.generation() == before {
        false => Ok(()),
        true => {
            Err(Class::PROC_ABORTED.because("the recovery in another thread of this rank failed"))
        }
    }
}

/// The program is to be told of a death. Recovers inside the call that has met it, where that is
/// the library's to do. Fails only when this rank is to die.
pub fn follow(process: &'static Process) -> Result {
    let (thread, generation) = (thread_token(), process.engine.generation());
    let world = process.world_comm();
    let is_well = standing(process, &world) == Standing::Well;
    if !is_well {
        process.told.lock().insert(thread, generation);
    } else if is_of_another(process, thread) {
        // Another thread has recovered since the call failed; perhaps from the first generation on.
        process.told.lock().insert(thread, generation.saturating_sub(1));
    }
    // Else an operation of an earlier generation has ended late. The caller has recovered from that
    // failure, and knows of no other.
    let modes = attributes::modes(process, &world).unwrap_or_default();
    if modes.recovery == RecoveryMode::Manual || !process.phases.is_under_way() {
        return Ok(());
    }
    if !is_due(process, &world) {
        return Ok(());
    }
    match recover(process, generation) {
        Err(failure) if failure.is_death() => Err(failure),
        // The program hears of its failed call; what has become of the world it will see.
        _ => Ok(()),
    }
}

/// A replacement takes part in the recovery that needs it; false for all other ranks.
pub fn join(process: &'static Process) -> Result<bool> {
    let Some(mut course) = process.world.summons(process.me) else { return Ok(false) };
    // The rank that ordered it may have died before it could order the other replacements.
    process.recovers()?;
    let fellows: Vec<Member> = course.recovery.fresh().collect();
    process.world.respawn(&fellows, &course);
    loop {
        match take_part(process, &mut course, true)? {
            End::Recovered => {
                // It has just taken part: a program that asks once more in the place where
                // survivors recover must not wait for them: they have recovered.
                let before = process.engine.generation().saturating_sub(1);
                process.told.lock().insert(thread_token(), before);
                return Ok(true);
            }
            // The survivors may try once more.
            End::Unchanged | End::GivenUp { .. } => {}
        }
    }
}

/// How a recovery ends.
enum End {
    Recovered,
    /// No rank was dead.
    Unchanged,
    GivenUp {
        rank: usize,
    },
}

/// The recovery of a world that has had none.
fn first(process: &'static Process) -> Option<Summons> {
    if !process.begins_to_recover() {
        return None;
    }
    let mode = mode(process)?;
    let view = || View::new(process.world_comm().group.members());
    let make = || Recovery::new(view(), Record::new(), mode, None);
    let recovery = process.engine.home().cache.first_recovery(mode, make);
    Some(Summons { recovery, number: 0, modes: None })
}

/// Carries a recovery out, and lets tools know.
fn take_part(process: &'static Process, course: &mut Summons, is_fresh: bool) -> Result<End> {
    let begun = clock::now();
    let before = process.engine.generation() as i64;
    process.tools.queue.note(RECOVERY_BEGUN, [before, 0, 0]);
    let end = carry_out(process, course, is_fresh)?;
    if let End::Recovered = end {
        call_trace::has_recovered(process.me, process.engine.generation());
        process.recoveries.add(clock::now().saturating_duration_since(begun));
        let ranks = process.world_comm().group.len() as i64;
        process.tools.queue.note(RECOVERY_DONE, [process.engine.generation() as i64, ranks, 0]);
    }
    Ok(end)
}

fn carry_out(process: &'static Process, course: &mut Summons, is_fresh: bool) -> Result<End> {
    let (world, engine) = (process.world, &process.engine);
    loop {
        let value = match attributes::modes(process, &process.world_comm()) {
            // A replacement does not know what the program has chosen.
            Some(modes) if !is_fresh => course.value(process.world_comm().rank as usize, modes),
            _ => Value::NEUTRAL,
        };
        let value = Value { most: u64::from(world.fresh_context()), ..value };
        let decision = engine.recover(course, value)?;
        match &*engine.home().cache.advance(course, &decision) {
            Step::Well => return Ok(End::Unchanged),
            Step::Commit(view) => {
                let context = u32::try_from(decision.value.most).expect("a context is agreed on");
                adopt(process, view, course, context)?;
                return Ok(End::Recovered);
            }
            Step::Next { respawn } => world.respawn(respawn, course),
            Step::GiveUp { rank } => return Ok(End::GivenUp { rank: *rank }),
        }
    }
}

/// The world is as `view` says from now on.
fn adopt(process: &'static Process, view: &View, course: &Summons, context: u32) -> Result {
    let generation = view.generation;
    let before = process.world_comm();
    let modes = course.modes.or_else(|| attributes::modes(process, &before)).unwrap_or_default();
    let mode = mode_of(modes.comm).expect("only where there is a mode is there a recovery");
    let home = process.engine.home();
    let begin = || begin(process, view, course, context, mode);
    let committed = home.cache.committed((generation, context), begin);
    let living = Arc::new(Group::listed(committed.roll.clone(), process.me));
    let (group, gaps) = match &committed.with_gone {
        None => (living, None),
        Some(all) => {
            let gaps = Gaps::new(generation, context, living, committed.ranks.clone());
            (Arc::new(Group::listed(all.clone(), process.me)), Some(gaps))
        }
    };
    let world = before.reborn(generation, context, group).with_gaps(gaps);
    if let Some(modes) = course.modes {
        attributes::settle(process, &world, modes);
    }
    let modes = attributes::modes(process, &world).unwrap_or_default();
    let is_cont = modes.msg == MsgMode::Cont;
    let moved = Moved { from: before.context(), to: context, roster: world.roster(), is_cont };
    process.world.be_for_world(context);
    process.set_world_comm(world);
    process.begins_to_recover();
    process.recoverer.store(thread_token(), Ordering::Relaxed);
    home.forgive();
    process.lineage.lock().turn_over();
    process.engine.turn_over(generation, committed.roll.clone(), moved)?;
    abroad::leave(process);
    // Only now: a thread that finds it there is of the generation that it is for.
    let next = Summons { recovery: committed.next.clone(), number: 0, modes: None };
    *process.recovery.lock() = Some(next);
    process.engine.nudge();
    Ok(())
}

/// What all have in common from now on.
fn begin(
    process: &'static Process, view: &View, course: &Summons, context: u32, mode: Mode,
) -> CommittedView {
    let (world, home) = (process.world, process.engine.home());
    let members: Vec<Member> = view.members().collect();
    let (seats, generation) = (home.seats(), view.generation);
    world.learn(process.me, Fact::Committed { seats, members: members.clone(), generation });
    let is_taken = |(_, slot): &(i32, &Slot)| slot.member().is_some();
    let ranks: Arc<[i32]> = (0..).zip(&view.slots).filter(is_taken).map(|(rank, _)| rank).collect();
    let last = || view.slots.iter().map(|slot| slot.last()).collect();
    let mut record = course.recovery.record().clone();
    // Replacements in processes of their own have only what they are sent.
    if !world.is_of_several_processes() {
        home.file(&mut record);
    }
    CommittedView {
        key: (view.generation, context),
        roll: world.enrol(members),
        with_gone: (ranks.len() < view.slots.len()).then(|| world.enrol(last())),
        ranks,
        next: Arc::new(Recovery::new(view.clone(), record, mode, None)),
    }
}

pub(in crate::mpi) fn mode(process: &'static Process) -> Option<Mode> {
    mode_of(attributes::modes(process, &process.world_comm())?.comm)
}
