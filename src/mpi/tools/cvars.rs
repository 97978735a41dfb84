//! Control variables: the options of the job, the modes of communicators, and the limits of the
//! message path. docs/TOOLS.md lists them; a test compares the names.

use super::value::{
    BINDING, COLL_MODE, COMM_MODE, ERRHANDLER, Enumeration, MSG_MODE, ON_FAILURE, RANKS,
    RECOVERY_MODE, RULES, SWITCH, Type, Value,
};
use super::{errors, settings};
use crate::launch::{Job, Modes, Rules};
use crate::mpi::attributes::Attribute;
use crate::mpi::coll::limits;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::failure::attributes;
use crate::mpi::handle_table::Held;
use crate::mpi::process::Process;
use crate::mpi::{checks, leftovers};
use crate::transport::{COOPERATIVE_FROM, LONGEST_IN_RING, Packet};
use std::time::Duration;

/// Where a change of a variable has an effect, and where it must be made (MPI-5.0 §15.3.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Constant = 1,
    ReadOnly = 2,
    Local = 3,
    /// All members of the communicator, alike.
    GroupEq = 5,
    /// All processes, alike.
    AllEq = 7,
}

/// For whom a variable is.
pub const USER_BASIC: i32 = 9;
pub const TUNER_BASIC: i32 = 17;
pub const TUNER_DETAIL: i32 = 18;

pub struct Cvar {
    pub name: &'static str,
    pub description: &'static str,
    pub category: &'static str,
    pub verbosity: i32,
    pub scope: Scope,
    pub value_type: Type,
    pub enumeration: Option<&'static Enumeration>,
    access: Access,
}

/// How a variable is read and written.
enum Access {
    Job(fn(&Job) -> Value),
    Process {
        read: fn(&Process) -> Value,
        write: Option<fn(&Process, Value) -> Result>,
    },
    /// One of the modes of a communicator, by its attribute key.
    Mode {
        key: i32,
        read: fn(Modes) -> i32,
    },
}

impl Cvar {
    /// Whether it is bound to a communicator.
    pub fn is_of_comm(&self) -> bool {
        matches!(self.access, Access::Mode { .. })
    }

    pub fn read(&self, process: &'static Process, comm: usize) -> Result<Value> {
        match self.access {
            Access::Job(read) => Ok(settings::read(process.world, read)),
            Access::Process { read, .. } => Ok(read(process)),
            Access::Mode { read, .. } => {
                let comm = bound(process, comm)?;
                let modes = attributes::modes(process, &comm).unwrap_or_default();
                Ok(Value::Int(read(modes)))
            }
        }
    }

    pub fn write(&self, process: &'static Process, comm: usize, value: Value) -> Result {
        if let (Some(words), Value::Int(number)) = (self.enumeration, &value)
            && !words.has(*number)
        {
            let words = format!("{number} stands for nothing in the enumeration {}", words.name);
            return Err(errors::INVALID.because(words));
        }
        match self.access {
            Access::Process { write: Some(write), .. } => write(process, value),
            Access::Mode { key, .. } => {
                let comm = bound(process, comm)?;
                let Value::Int(number) = value else { return Err(never(self.name)) };
                if attributes::modes(process, &comm).is_none() {
                    let words = "the job does not follow the modes of FT-MPI";
                    return Err(errors::CVAR_SET_NOT_NOW.because(words));
                }
                attributes::set(process, &comm, key, Attribute::Integer(number.into()))
            }
            Access::Job(_) | Access::Process { write: None, .. } => Err(never(self.name)),
        }
    }
}

fn never(name: &str) -> crate::mpi::error::Failure {
    errors::CVAR_SET_NEVER.because(format!("{name} can only be read"))
}

fn bound(process: &'static Process, comm: usize) -> Result<Held<Comm>> {
    let found = process.find_comm(comm);
    found.ok_or_else(|| errors::INVALID_HANDLE.because("the communicator is not valid any more"))
}

fn seconds(time: Option<Duration>) -> Value {
    Value::Real(time.map_or(0.0, |time| time.as_secs_f64()))
}

fn switch(is_on: bool) -> Value {
    Value::Int(is_on.into())
}

fn text(text: Option<&str>) -> Value {
    Value::Text(text.unwrap_or_default().to_string())
}

fn size(number: usize) -> Value {
    Value::Size(number as u64)
}

fn is_on(value: &Value) -> bool {
    *value == Value::Int(1)
}

fn rules(process: &Process) -> Value {
    Value::Int(match process.world.rules() {
        Rules::End => 0,
        Rules::Standard => 1,
        Rules::Ft(_) => 2,
        Rules::Ulfm => 3,
    })
}

fn set_eager_limit(process: &Process, value: Value) -> Result {
    match value {
        Value::Size(bytes) if bytes <= Packet::ROOM as u64 => {
            process.engine.set_eager_limit(bytes as usize);
            Ok(())
        }
        _ => {
            let words = format!("an eager message has at most {} bytes", Packet::ROOM);
            Err(errors::INVALID.because(words))
        }
    }
}

/// A constant of the job.
const fn of_job(
    name: &'static str, category: &'static str, value_type: Type,
    enumeration: Option<&'static Enumeration>, read: fn(&Job) -> Value, description: &'static str,
) -> Cvar {
    Cvar {
        name,
        description,
        category,
        verbosity: USER_BASIC,
        scope: Scope::Constant,
        value_type,
        enumeration,
        access: Access::Job(read),
    }
}

/// One of the modes of a communicator.
const fn mode(
    name: &'static str, enumeration: &'static Enumeration, key: i32, read: fn(Modes) -> i32,
    description: &'static str,
) -> Cvar {
    Cvar {
        name,
        description,
        category: "failures",
        verbosity: USER_BASIC,
        scope: Scope::GroupEq,
        value_type: Type::Int,
        enumeration: Some(enumeration),
        access: Access::Mode { key, read },
    }
}

/// A number of bytes that the library decides by.
const fn limit(
    name: &'static str, category: &'static str, read: fn(&Process) -> Value,
    description: &'static str,
) -> Cvar {
    Cvar {
        name,
        description,
        category,
        verbosity: TUNER_DETAIL,
        scope: Scope::Constant,
        value_type: Type::Size,
        enumeration: None,
        access: Access::Process { read, write: None },
    }
}

/// A switch of the whole job that can be turned while it runs.
const fn turned(
    name: &'static str, read: fn(&Process) -> Value, write: fn(&Process, Value) -> Result,
    description: &'static str,
) -> Cvar {
    Cvar {
        name,
        description,
        category: "checks",
        verbosity: USER_BASIC,
        scope: Scope::AllEq,
        value_type: Type::Int,
        enumeration: Some(&SWITCH),
        access: Access::Process { read, write: Some(write) },
    }
}

pub static CVARS: &[Cvar] = &[
    of_job(
        "ranks",
        "job",
        Type::Size,
        None,
        |job| size(job.ranks),
        "ranks that the job began with",
    ),
    of_job(
        "ranks_kind",
        "job",
        Type::Int,
        Some(&RANKS),
        |job| Value::Int(job.kind as i32),
        "what carries a rank, as asked by --ranks",
    ),
    of_job(
        "bind_to",
        "job",
        Type::Int,
        Some(&BINDING),
        |job| Value::Int(job.binding as i32),
        "to what ranks are bound, as asked by --bind-to",
    ),
    of_job(
        "stack",
        "job",
        Type::Size,
        None,
        |job| size(job.stack_bytes),
        "bytes of a rank's stack (--stack)",
    ),
    of_job(
        "heap",
        "job",
        Type::Size,
        None,
        |job| size(job.heap_bytes),
        "the most bytes of a rank's heap (--heap)",
    ),
    of_job(
        "timeout",
        "job",
        Type::Real,
        None,
        |job| seconds(job.timeout),
        "seconds after which the job ends, 0 for never (--timeout)",
    ),
    of_job(
        "deadlock",
        "job",
        Type::Int,
        Some(&SWITCH),
        |job| switch(job.watches),
        "whether a deadlock ends the job (--deadlock)",
    ),
    of_job(
        "seed",
        "job",
        Type::Size,
        None,
        |job| Value::Size(job.seed.unwrap_or(0)),
        "the seed of a deterministic replay, 0 for none (--seed)",
    ),
    of_job(
        "share_image",
        "job",
        Type::Int,
        Some(&SWITCH),
        |job| switch(job.shares_image),
        "whether all ranks run in one copy of the program (--share-image)",
    ),
    of_job(
        "tag_output",
        "job",
        Type::Int,
        Some(&SWITCH),
        |job| switch(job.tag_output),
        "whether lines of output begin with the rank (--tag-output)",
    ),
    of_job(
        "quiet",
        "job",
        Type::Int,
        Some(&SWITCH),
        |job| switch(job.is_quiet),
        "whether warnings are left out (--quiet)",
    ),
    of_job(
        "watch",
        "job",
        Type::Int,
        Some(&SWITCH),
        |job| switch(job.watch.is_some()),
        "whether the job can be watched in a browser (--watch)",
    ),
    of_job(
        "record",
        "job",
        Type::Text,
        None,
        |job| text(job.record.as_deref()),
        "the file that records what viewers would see (--record)",
    ),
    of_job(
        "report",
        "failures",
        Type::Text,
        None,
        |job| text(job.report.as_deref()),
        "the file that gets a line for each failure (--report)",
    ),
    of_job(
        "on_failure",
        "failures",
        Type::Int,
        Some(&ON_FAILURE),
        |job| Value::Int(job.on_failure as i32),
        "what follows a failure where no mode decides (--on-failure)",
    ),
    of_job(
        "initial_errhandler",
        "failures",
        Type::Int,
        Some(&ERRHANDLER),
        |job| Value::Int(job.errhandler.map_or(0, |handler| handler as i32)),
        "the first error handler of MPI_COMM_WORLD (--initial-errhandler)",
    ),
    of_job(
        "patience",
        "failures",
        Type::Real,
        None,
        |job| seconds(job.patience),
        "seconds that a recovery waits for a rank, 0 for ever (--patience)",
    ),
    of_job(
        "kills",
        "failures",
        Type::Size,
        None,
        |job| size(job.kills.len()),
        "orders to kill a rank (--kill, --kill-file)",
    ),
    of_job(
        "mttf",
        "failures",
        Type::Real,
        None,
        |job| seconds(job.chance.map(|(mean, _)| mean)),
        "mean seconds between random failures, 0 for none (--mttf)",
    ),
    of_job(
        "machine",
        "failures",
        Type::Text,
        None,
        |job| text(job.machine.as_deref()),
        "the simulated machine (--machine)",
    ),
    of_job(
        "time_scale",
        "failures",
        Type::Real,
        None,
        |job| Value::Real(job.time_scale),
        "seconds of the run for each second of the machine's failures (--time-scale)",
    ),
    Cvar {
        name: "failure_rules",
        description: "the rules by which the job takes failures (--mode, --on-failure)",
        category: "failures",
        verbosity: USER_BASIC,
        scope: Scope::ReadOnly,
        value_type: Type::Int,
        enumeration: Some(&RULES),
        access: Access::Process { read: rules, write: None },
    },
    mode(
        "comm_mode",
        &COMM_MODE,
        7006,
        |modes| modes.comm as i32,
        "what becomes of the communicator when a member fails (--mode)",
    ),
    mode(
        "msg_mode",
        &MSG_MODE,
        7007,
        |modes| modes.msg as i32,
        "what becomes of messages between a failure and the recovery (--msg)",
    ),
    mode(
        "coll_mode",
        &COLL_MODE,
        7008,
        |modes| modes.coll as i32,
        "whether a collective that meets a failure fails at all members (--coll)",
    ),
    mode(
        "recovery_mode",
        &RECOVERY_MODE,
        7009,
        |modes| modes.recovery as i32,
        "who begins a recovery (--recovery)",
    ),
    turned(
        "check",
        |_| switch(checks::are_on()),
        |_, value| {
            checks::turn(is_on(&value));
            Ok(())
        },
        "whether arguments and matching collectives are checked (--check)",
    ),
    turned(
        "leftovers",
        |_| switch(leftovers::are_wanted()),
        |_, value| {
            leftovers::want(is_on(&value));
            Ok(())
        },
        "whether ranks report what they leave behind (--leftovers)",
    ),
    Cvar {
        name: "eager_limit",
        description: "bytes of the longest message that is sent eagerly; longer ones wait for \
                      their receive and are copied once",
        category: "messages",
        verbosity: TUNER_BASIC,
        scope: Scope::Local,
        value_type: Type::Size,
        enumeration: None,
        access: Access::Process {
            read: |process| size(process.engine.eager_limit()),
            write: Some(set_eager_limit),
        },
    },
    limit(
        "ring_limit",
        "messages",
        |_| size(LONGEST_IN_RING),
        "bytes of the longest message that travels in or beside a ring",
    ),
    limit(
        "cooperative_limit",
        "messages",
        |_| size(COOPERATIVE_FROM),
        "bytes from which on both ranks copy a message together",
    ),
    limit(
        "coll_few",
        "collectives",
        |_| size(limits::FEW),
        "bytes up to which few members with cores of their own use shared memory",
    ),
    limit(
        "coll_segment",
        "collectives",
        |_| size(limits::SEGMENT),
        "bytes of a segment of a long chain, and the limit of a buffered copy",
    ),
];

/// The variable with this index.
pub fn cvar(index: i32) -> Result<&'static Cvar> {
    let found = usize::try_from(index).ok().and_then(|index| CVARS.get(index));
    found.ok_or_else(|| {
        errors::INVALID_INDEX.because(format!("cvar_index is {index}, not a control variable"))
    })
}
