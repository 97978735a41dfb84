//! Events and their sources (MPI-5.0 §15.3.8).

use crate::abi::kinds::tools::*;
use crate::abi::kinds::*;
use crate::abi::tools::delivery;
use crate::mpi::error::Result;
use crate::mpi::info::Info;
use crate::mpi::process::Process;
use crate::mpi::tools::event_queue::{EVENTS, SOURCES, TICKS_PER_SECOND};
use crate::mpi::tools::value::handle_of;
use crate::mpi::tools::{events, variables};

const BIND_NO_OBJECT: c_int = 1;
const ORDERED: c_int = 1;

/// Where an info goes that holds nothing: there are no hints.
fn give_info(process: &'static Process, info: ToolInfo) -> Result {
    if !info.is_null() {
        info.set(process.keep_info(Info::default())?);
    }
    Ok(())
}

mpi!(
    /// How many sources of events there are.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_source_get_num(process: &Process, num_sources: ToolInt) {
        process.tools.must_be_open()?;
        num_sources.there()?.set(SOURCES.len() as c_int);
        Ok(())
    }
);

mpi!(
    /// Describes a source.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_source_get_info(
        process: &Process, source_index: Int, name: TextRoom, name_len: ToolInt, desc: TextRoom,
        desc_len: ToolInt, ordering: ToolOrder, ticks_per_second: ToolCount, max_ticks: ToolCount,
        info: ToolInfo,
    ) {
        process.tools.must_be_open()?;
        let source = events::source(source_index)?;
        name.set(name_len, source.name);
        desc.set(desc_len, source.description);
        ordering.set(ORDERED);
        ticks_per_second.set(TICKS_PER_SECOND);
        max_ticks.set(i64::MAX);
        give_info(process, info)
    }
);

mpi!(
    /// The time of a source.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_source_get_timestamp(process: &Process, source_index: Int, timestamp: ToolCount) {
        process.tools.must_be_open()?;
        events::source(source_index)?;
        timestamp.there()?.set(process.tools.queue.now());
        Ok(())
    }
);

mpi!(
    /// How many types of events there are.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_get_num(process: &Process, num_events: ToolInt) {
        process.tools.must_be_open()?;
        num_events.there()?.set(EVENTS.len() as c_int);
        Ok(())
    }
);

mpi!(
    /// Describes a type of events.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_get_info(
        process: &Process, event_index: Int, name: TextRoom, name_len: ToolInt, verbosity: ToolInt,
        array_of_datatypes: ToolDatatypes, array_of_displacements: ToolAints,
        num_elements: ToolInt, enumtype: ToolEnum, info: ToolInfo, desc: TextRoom,
        desc_len: ToolInt, bind: ToolInt,
    ) {
        process.tools.must_be_open()?;
        let event = events::event_type(event_index)?;
        let room = num_elements.value().max(0);
        let datatypes: Vec<usize> = event.elements.iter().map(|it| it.datatype()).collect();
        if !array_of_datatypes.is_null() {
            array_of_datatypes.fill(room, &datatypes)?;
        }
        if !array_of_displacements.is_null() {
            array_of_displacements.fill(room, &event.displacements())?;
        }
        num_elements.set(event.elements.len() as c_int);
        name.set(name_len, event.name);
        verbosity.set(event.verbosity);
        enumtype.set(handle_of(event.names));
        desc.set(desc_len, event.description);
        bind.set(BIND_NO_OBJECT);
        give_info(process, info)
    }
);

mpi!(
    /// The index of a type of events, by its name.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_get_index(process: &Process, name: ToolName, event_index: ToolInt) {
        process.tools.must_be_open()?;
        let (name, place) = (name?, event_index.there()?);
        place.set(variables::index_of(&EVENTS, |known| known.name.as_bytes() == name, name)?);
        Ok(())
    }
);

mpi!(
    /// Registers for events of a type.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_handle_alloc(
        process: &Process, event_index: Int, obj_handle: ValueRoom, info: Hints,
        event_registration: ToolRegistration,
    ) {
        process.tools.must_be_open()?;
        event_registration.there()?.set(events::register(process, event_index)?);
        Ok(())
    }
);

mpi!(
    /// Gives hints; there are none that count.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_handle_set_info(
        process: &Process, event_registration: EventRegistration, info: Hints,
    ) {
        events::must_be_registered(process, event_registration)
    }
);

mpi!(
    /// The hints that count.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_handle_get_info(
        process: &Process, event_registration: EventRegistration, info_used: ToolInfo,
    ) {
        events::must_be_registered(process, event_registration)?;
        give_info(process, info_used.there()?)
    }
);

mpi!(
    /// Sets the function that is called for events, for a level of safety.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_register_callback(
        process: &Process, event_registration: EventRegistration, cb_safety: Safety, info: Hints,
        user_data: UserData, event_cb_function: EventFunction,
    ) {
        events::hear(process, event_registration, cb_safety, event_cb_function, user_data)
    }
);

mpi!(
    /// Gives hints for a callback; there are none that count.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_callback_set_info(
        process: &Process, event_registration: EventRegistration, cb_safety: Safety, info: Hints,
    ) {
        events::must_hear(process, event_registration, cb_safety)
    }
);

mpi!(
    /// The hints for a callback that count.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_callback_get_info(
        process: &Process, event_registration: EventRegistration, cb_safety: Safety,
        info_used: ToolInfo,
    ) {
        events::must_hear(process, event_registration, cb_safety)?;
        give_info(process, info_used.there()?)
    }
);

mpi!(
    /// Sets the function that hears of events that were dropped.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_set_dropped_handler(
        process: &Process, event_registration: EventRegistration,
        dropped_cb_function: DroppedFunction,
    ) {
        events::hear_of_dropped(process, event_registration, dropped_cb_function)
    }
);

mpi!(
    /// Frees a registration, and says so when its callbacks are called no more, which is at once.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_handle_free(
        process: &Process, event_registration: EventRegistration, user_data: UserData,
        free_cb_function: EventFreeFunction,
    ) {
        events::unregister(process, event_registration)?;
        delivery::tell_freed(free_cb_function, event_registration, user_data);
        Ok(())
    }
);

mpi!(
    /// One element of an event, for the callback that is told of it.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_read(
        process: &Process, event_instance: EventInstance, element_index: Int, buffer: ValueRoom,
    ) {
        buffer.put(0, &events::told(process, event_instance)?.element(element_index)?)
    }
);

mpi!(
    /// All elements of an event.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_copy(process: &Process, event_instance: EventInstance, buffer: ValueRoom) {
        let event = events::told(process, event_instance)?;
        let places = event.event_type().displacements();
        let mut indexed = (0..).zip(places);
        indexed.try_for_each(|(index, place)| buffer.put(place as usize, &event.element(index)?))
    }
);

mpi!(
    /// When an event happened.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_get_timestamp(
        process: &Process, event_instance: EventInstance, event_timestamp: ToolCount,
    ) {
        event_timestamp.there()?.set(events::told(process, event_instance)?.at);
        Ok(())
    }
);

mpi!(
    /// The source of an event.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_event_get_source(
        process: &Process, event_instance: EventInstance, source_index: ToolInt,
    ) {
        source_index.there()?.set(events::told(process, event_instance)?.source());
        Ok(())
    }
);
