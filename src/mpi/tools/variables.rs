//! Handles of variables: allocated, read, written, started and freed.

use super::cvars::{CVARS, Cvar, cvar};
use super::errors;
use super::pvars::{Class, PVARS, Pvar, pvar};
use super::state::{CvarHandle, Open, PvarHandle, Sort, unknown};
use super::value::Value;
use crate::base::slab::Key;
use crate::mpi::error::Result;
use crate::mpi::process::Process;

/// MPI_T_PVAR_ALL_HANDLES.
const ALL_HANDLES: usize = 1;

/// Ends one hold of the interface; the last frees everything.
pub fn finalize(process: &Process) -> Result {
    let counting = process.tools.finalize(|index| PVARS[*index].counts_all)?;
    (0..counting).for_each(|_| process.engine.count_all(false));
    Ok(())
}

/// A handle of a control variable, and how many values it has. `comm` is the communicator that it
/// is read of, where it is of one.
pub fn allocate_cvar(
    process: &'static Process, index: i32, comm: impl FnOnce() -> Result<usize>,
) -> Result<(usize, i32)> {
    process.tools.must_be_open()?;
    let variable = cvar(index)?;
    let comm = if variable.is_of_comm() { comm()? } else { 0 };
    let count = match variable.read(process, comm)? {
        Value::Text(text) => i32::try_from(text.len() + 1).unwrap_or(i32::MAX),
        _ => 1,
    };
    let handle = CvarHandle { index: index as usize, comm };
    let key = process.tools.is_open()?.cvars.insert(handle);
    let key = key.map_err(|_| errors::OUT_OF_HANDLES.because("four million are in use"))?;
    Ok((Sort::Cvar.handle(key), count))
}

pub fn free_cvar(process: &Process, handle: usize) -> Result {
    let mut open = process.tools.is_open()?;
    let key = Sort::Cvar.find(handle, errors::INVALID_HANDLE, "handle")?;
    let freed = open.cvars.remove(key);
    freed.map(drop).ok_or_else(|| unknown(errors::INVALID_HANDLE, "handle"))
}

/// The variable behind a handle.
pub fn cvar_of(process: &Process, handle: usize) -> Result<(&'static Cvar, usize)> {
    let open = process.tools.is_open()?;
    let key = Sort::Cvar.find(handle, errors::INVALID_HANDLE, "handle")?;
    let found = open.cvars.find(key).ok_or_else(|| unknown(errors::INVALID_HANDLE, "handle"))?;
    Ok((&CVARS[found.index], found.comm))
}

pub fn create_session(process: &Process) -> Result<usize> {
    let key = process.tools.is_open()?.sessions.insert(());
    let key = key.map_err(|_| errors::OUT_OF_SESSIONS.because("four million are in use"))?;
    Ok(Sort::Session.handle(key))
}

/// Frees a session with its handles.
pub fn free_session(process: &Process, session: usize) -> Result {
    let mut open = process.tools.is_open()?;
    let session = session_of(&open, session)?;
    open.sessions.remove(session);
    let mut counting = 0;
    for key in open.handles(session) {
        counting += u32::from(open.pvars.remove(key).is_some_and(|handle| handle.counts_all()));
    }
    drop(open);
    (0..counting).for_each(|_| process.engine.count_all(false));
    Ok(())
}

fn session_of(open: &Open, session: usize) -> Result<Key> {
    let key = Sort::Session.find(session, errors::INVALID_SESSION, "session")?;
    open.sessions.find(key).ok_or_else(|| unknown(errors::INVALID_SESSION, "session"))?;
    Ok(key)
}

impl Open {
    fn handles(&self, session: Key) -> Vec<Key> {
        let is_of = |key: &Key| self.pvars.find(*key).is_some_and(|it| it.session == session);
        self.pvars.keys().filter(is_of).collect()
    }
}

impl PvarHandle {
    fn variable(&self) -> &'static Pvar {
        &PVARS[self.index]
    }

    /// Whether it makes the engine count all messages now.
    fn counts_all(&self) -> bool {
        self.is_running && self.variable().counts_all
    }

    /// The value, given that of the variable.
    fn now(&self, raw: u64) -> u64 {
        match self.variable() {
            variable if variable.is_relative() && self.is_running => {
                self.kept + raw.saturating_sub(self.since)
            }
            variable if variable.is_relative() => self.kept,
            variable if variable.class == Class::HighWatermark => self.kept.max(raw),
            _ => raw,
        }
    }

    /// Begins to count anew.
    fn reset(&mut self, raw: u64) {
        (self.kept, self.since) = (0, raw);
    }
}

/// A handle of a performance variable in a session, and how many values it has.
pub fn allocate_pvar(
    process: &'static Process, session: usize, index: i32,
) -> Result<(usize, i32)> {
    session_of(&*process.tools.is_open()?, session)?;
    let variable = pvar(index)?;
    let raw = begin(process, variable);
    let mut open = process.tools.is_open()?;
    let session = session_of(&open, session)?;
    let is_running = variable.is_continuous();
    let handle = PvarHandle { session, index: index as usize, is_running, since: raw, kept: 0 };
    let key = open.pvars.insert(handle);
    let key = key.map_err(|_| errors::OUT_OF_HANDLES.because("four million are in use"))?;
    Ok((Sort::Pvar.handle(key), 1))
}

/// What the variable is where a handle begins. A mark begins at the present level; the other
/// handles of it keep what they have seen.
fn begin(process: &'static Process, variable: &'static Pvar) -> u64 {
    let raw = (variable.raw)(process);
    if variable.class != Class::HighWatermark {
        return raw;
    }
    if let Ok(mut open) = process.tools.is_open() {
        for key in open.pvars.keys().collect::<Vec<Key>>() {
            let handle = open.pvars.find_mut(key).expect("listed under the same lock");
            if std::ptr::eq(handle.variable(), variable) {
                handle.kept = handle.kept.max(raw);
            }
        }
    }
    process.engine.lower_unexpected_mark();
    raw
}

/// The handles that a call names: one, or all of the session.
fn named(process: &Process, session: usize, handle: usize) -> Result<Vec<(Key, PvarHandle)>> {
    let open = process.tools.is_open()?;
    let session = session_of(&open, session)?;
    let keys = match handle {
        ALL_HANDLES => open.handles(session),
        _ => vec![Sort::Pvar.find(handle, errors::INVALID_HANDLE, "handle")?],
    };
    let found = |key: Key| {
        let handle = open.pvars.find(key).filter(|handle| handle.session == session);
        let words = || unknown(errors::INVALID_HANDLE, "handle");
        handle.map(|handle| (key, *handle)).ok_or_else(words)
    };
    keys.into_iter().map(found).collect()
}

/// The only handle that a call names.
fn one(process: &Process, session: usize, handle: usize) -> Result<(Key, PvarHandle)> {
    if handle == ALL_HANDLES {
        named(process, session, handle)?;
        let words = "handle is MPI_T_PVAR_ALL_HANDLES, which this call does not take";
        return Err(errors::INVALID_HANDLE.because(words));
    }
    Ok(named(process, session, handle)?.remove(0))
}

fn update(process: &Process, key: Key, change: impl FnOnce(&mut PvarHandle)) -> Result {
    let mut open = process.tools.is_open()?;
    open.pvars.find_mut(key).map(change).ok_or_else(|| unknown(errors::INVALID_HANDLE, "handle"))
}

pub fn free_pvar(process: &Process, session: usize, handle: usize) -> Result {
    let (key, _) = one(process, session, handle)?;
    let freed = process.tools.is_open()?.pvars.remove(key);
    if freed.is_some_and(|handle| handle.counts_all()) {
        process.engine.count_all(false);
    }
    Ok(())
}

/// Starts a variable or stops it; all that can be, if all are named.
pub fn run(process: &'static Process, session: usize, handle: usize, is_to_run: bool) -> Result {
    for (key, held) in named(process, session, handle)? {
        let variable = held.variable();
        if variable.is_continuous() {
            if handle == ALL_HANDLES {
                continue;
            }
            let words = format!("{} runs all the time", variable.name);
            return Err(errors::PVAR_NO_STARTSTOP.because(words));
        }
        if held.is_running == is_to_run {
            continue;
        }
        if is_to_run {
            process.engine.count_all(true);
        }
        let raw = (variable.raw)(process);
        update(process, key, |handle| {
            handle.kept = handle.now(raw);
            (handle.since, handle.is_running) = (raw, is_to_run);
        })?;
        if !is_to_run {
            process.engine.count_all(false);
        }
    }
    Ok(())
}

pub fn read_pvar(process: &'static Process, session: usize, handle: usize) -> Result<Value> {
    let (_, held) = one(process, session, handle)?;
    let variable = held.variable();
    Ok(variable.value(held.now((variable.raw)(process))))
}

/// Gives a variable a value, from which it goes on.
pub fn write_pvar(
    process: &'static Process, session: usize, handle: usize, value: impl FnOnce(&Pvar) -> Value,
) -> Result {
    let (key, held) = one(process, session, handle)?;
    let variable = held.variable();
    must_be_writable(variable)?;
    let value = variable.raw_of(&value(variable));
    let value = value.ok_or_else(|| errors::INVALID.because("the value cannot be negative"))?;
    let raw = begin(process, variable);
    update(process, key, |handle| (handle.kept, handle.since) = (value, raw))
}

fn must_be_writable(variable: &Pvar) -> Result {
    match variable.is_readonly() {
        false => Ok(()),
        true => {
            let words = format!("{} can only be read", variable.name);
            Err(errors::PVAR_NO_WRITE.because(words))
        }
    }
}

/// Lets a variable begin anew; all that can, if all are named.
pub fn reset(process: &'static Process, session: usize, handle: usize) -> Result {
    for (key, held) in named(process, session, handle)? {
        let variable = held.variable();
        if handle == ALL_HANDLES && variable.is_readonly() {
            continue;
        }
        must_be_writable(variable)?;
        let raw = begin(process, variable);
        update(process, key, |handle| handle.reset(raw))?;
    }
    Ok(())
}

/// Reads a variable and lets it begin anew in one step. No variable has that: each counts for
/// itself between two looks.
pub fn read_and_reset(process: &'static Process, session: usize, handle: usize) -> Result<Value> {
    let (key, held) = one(process, session, handle)?;
    let variable = held.variable();
    must_be_writable(variable)?;
    let raw = begin(process, variable);
    let mut value = 0;
    update(process, key, |handle| {
        value = handle.now(raw);
        handle.reset(raw);
    })?;
    Ok(variable.value(value))
}

/// The place of a name in a list of variables, categories or events.
pub fn index_of<T>(all: &[T], is_it: impl Fn(&T) -> bool, name: &[u8]) -> Result<i32> {
    let found = all.iter().position(is_it).and_then(|index| i32::try_from(index).ok());
    found.ok_or_else(|| {
        let words = format!("there is no `{}`", String::from_utf8_lossy(name));
        errors::INVALID_NAME.because(words)
    })
}
