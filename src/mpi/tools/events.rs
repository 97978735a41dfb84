//! Events: registrations of the program's callbacks, and which of them hear of what has happened.

use super::errors;
use super::event_queue::{
    EVENTS, Event, EventType, RANK_FAILED, SOURCES, Source, UNEXPECTED_MESSAGE,
};
use super::registration::{Hearing, Registration, SAFETIES};
use super::state::{Open, Sort, unknown};
use super::value::{Type, Value};
use crate::base::slab::Key;
use crate::mpi::callback::Callback;
use crate::mpi::error::Result;
use crate::mpi::process::Process;

/// The event type with this index.
pub fn event_type(index: i32) -> Result<&'static EventType> {
    let found = usize::try_from(index).ok().and_then(|index| EVENTS.get(index));
    found.ok_or_else(|| {
        errors::INVALID_INDEX.because(format!("event_index is {index}, not an event"))
    })
}

/// The source with this index.
pub fn source(index: i32) -> Result<&'static Source> {
    let found = usize::try_from(index).ok().and_then(|index| SOURCES.get(index));
    found.ok_or_else(|| {
        errors::INVALID_INDEX.because(format!("source_index is {index}, not a source"))
    })
}

impl EventType {
    /// Where the elements lie in what MPI_T_event_copy copies.
    pub fn displacements(&self) -> Vec<i64> {
        let mut next = 0;
        let place = |element: &Type| {
            let bytes = element.bytes() as i64;
            let at = (next + bytes - 1) / bytes * bytes;
            next = at + bytes;
            at
        };
        self.elements.iter().map(place).collect()
    }
}

/// Registers for events of a type; no callback is called yet.
pub fn register(process: &Process, index: i32) -> Result<usize> {
    let mut open = process.tools.is_open()?;
    event_type(index)?;
    let key = open.registrations.insert(Registration::new(index as usize));
    let key = key.map_err(|_| errors::OUT_OF_HANDLES.because("four million are in use"))?;
    Ok(Sort::Registration.handle(key))
}

fn find(open: &mut Open, handle: usize) -> Result<&mut Registration> {
    let name = "event_registration";
    let key = Sort::Registration.find(handle, errors::INVALID_HANDLE, name)?;
    open.registrations.find_mut(key).ok_or_else(|| unknown(errors::INVALID_HANDLE, name))
}

/// Fails unless it is a registration.
pub fn must_be_registered(process: &Process, handle: usize) -> Result {
    let mut open = process.tools.is_open()?;
    find(&mut open, handle).map(drop)
}

/// Fails unless a callback is registered for that level of safety.
pub fn must_hear(process: &Process, handle: usize, safety: i32) -> Result {
    let mut open = process.tools.is_open()?;
    match find(&mut open, handle)?.hearings[level(safety)?] {
        Some(_) => Ok(()),
        None => Err(errors::INVALID.because("no callback is registered for that level")),
    }
}

fn level(safety: i32) -> Result<usize> {
    let level = SAFETIES.iter().position(|known| *known == safety);
    level.ok_or_else(|| {
        errors::INVALID.because(format!("cb_safety is {safety}, not a level of safety"))
    })
}

/// Sets the callback for a level of safety, or takes it off.
pub fn hear(
    process: &Process, handle: usize, safety: i32, function: Callback, user_data: usize,
) -> Result {
    let mut open = process.tools.is_open()?;
    let level = level(safety)?;
    let hearing = (function.code != 0).then_some(Hearing { function, user_data });
    find(&mut open, handle)?.hearings[level] = hearing;
    listen(process, &open);
    Ok(())
}

/// Sets the function that hears of events that were dropped.
pub fn hear_of_dropped(process: &Process, handle: usize, function: Callback) -> Result {
    let mut open = process.tools.is_open()?;
    find(&mut open, handle)?.dropped = (function.code != 0).then_some(function);
    Ok(())
}

/// Frees a registration: none of its callbacks is called any more.
pub fn unregister(process: &Process, handle: usize) -> Result {
    let mut open = process.tools.is_open()?;
    find(&mut open, handle)?;
    let key = Sort::Registration.key(handle).expect("it was found by its key");
    open.registrations.remove(key);
    listen(process, &open);
    Ok(())
}

/// Tells what notes events which of them are wanted.
fn listen(process: &Process, open: &Open) {
    let registrations = open.registrations.keys().filter_map(|key| open.registrations.find(key));
    let heard = registrations.filter(|registration| registration.hearing().is_some());
    let wanted = heard.fold(0, |wanted, registration| wanted | 1 << registration.event);
    let has = |kind: usize| wanted & 1 << kind != 0;
    process.tools.queue.want(wanted);
    process.engine.observe(process.tools.queue.clone(), has(RANK_FAILED), has(UNEXPECTED_MESSAGE));
}

/// The last hold of the interface was given up.
pub fn listen_to_nothing(process: &Process) {
    if let Err(_closed) = process.tools.must_be_open() {
        process.tools.queue.want(0);
        process.engine.observe(process.tools.queue.clone(), false, false);
    }
}

/// The event that a callback is being told, by its instance.
pub fn told(process: &Process, instance: usize) -> Result<Event> {
    process.tools.must_be_open()?;
    let name = "event_instance";
    let key = Sort::Instance.find(instance, errors::INVALID_HANDLE, name)?;
    let event = process.tools.queue.told(key.number());
    event.ok_or_else(|| unknown(errors::INVALID_HANDLE, name))
}

impl Event {
    pub fn event_type(&self) -> &'static EventType {
        &EVENTS[self.kind]
    }

    /// One of its elements.
    pub fn element(&self, index: i32) -> Result<Value> {
        let elements = self.event_type().elements;
        let index = usize::try_from(index).ok().filter(|index| *index < elements.len());
        let index =
            index.ok_or_else(|| errors::INVALID_INDEX.because("there is no such element"))?;
        let number = self.elements[index];
        Ok(match elements[index] {
            Type::Count => Value::Count(number),
            _ => Value::Int(number as i32),
        })
    }

    pub fn source(&self) -> i32 {
        self.event_type().source as i32
    }
}

/// A call of a function of the program.
pub struct Call {
    pub function: Callback,
    pub user_data: usize,
    pub registration: usize,
    pub what: What,
}

/// What it is told.
pub enum What {
    /// The instance of an event.
    Event(usize),
    /// How many events of a source were dropped.
    Dropped { count: i64, source: i32 },
}

/// Delivers what has happened: hands each call that is due to `make`, with nothing locked.
pub fn deliver(process: &'static Process, make: impl Fn(Call)) {
    let queue = &process.tools.queue;
    if !queue.begin() {
        return;
    }
    for (kind, count) in queue.dropped().into_iter().enumerate().filter(|(_, count)| *count > 0) {
        let what = || What::Dropped { count, source: EVENTS[kind].source as i32 };
        calls(process, kind, |registration, hearing| {
            Some((registration.dropped?, hearing.user_data, what()))
        })
        .into_iter()
        .for_each(&make);
    }
    while let Some((instance, event)) = queue.next() {
        let key = Key::from_number(instance).expect("instances are counted from 1");
        let what = || What::Event(Sort::Instance.handle(key));
        calls(process, event.kind, |_, hearing| {
            Some((hearing.function, hearing.user_data, what()))
        })
        .into_iter()
        .for_each(&make);
    }
    queue.end();
}

fn calls(
    process: &Process, kind: usize,
    call: impl Fn(&Registration, Hearing) -> Option<(Callback, usize, What)>,
) -> Vec<Call> {
    let Ok(open) = process.tools.is_open() else { return Vec::new() };
    let due = |key: Key| {
        let registration = open.registrations.find(key).filter(|it| it.event == kind)?;
        let (function, user_data, what) = call(registration, registration.hearing()?)?;
        let registration = Sort::Registration.handle(key);
        Some(Call { function, user_data, registration, what })
    };
    open.registrations.keys().filter_map(due).collect()
}
