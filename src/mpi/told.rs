//! In which words and codes a program hears of deaths: the one place where the personality of the
//! job speaks.

use crate::host::job::Personality;
use crate::mpi::error::Class;
use crate::mpi::plight;
use crate::mpi::process::Process;

/// What MPI_Init returns in a rank that was started anew: no error class, and larger than all.
pub const RESTARTED: i32 = 2001;

/// The class by which the program hears of `class`. Inside, a death is PROC_ABORTED.
pub fn class(process: &Process, class: Class) -> Class {
    if class != Class::PROC_ABORTED {
        return class;
    }
    match process.world.rules().personality() {
        Personality::Ft(_) => Class::OTHER,
        Personality::Ulfm => Class::PROC_FAILED,
        Personality::End | Personality::Standard => class,
    }
}

/// Whether `code` may be how the program has heard of a death.
fn is_of_a_death(process: &Process, code: i32) -> bool {
    let told = class(process, Class::PROC_ABORTED);
    Class(code).is_of_a_death() || code == told.0 || code == RESTARTED
}

/// Who has died so far, in words, if that is what `code` is about.
pub fn dead(process: &Process, code: i32) -> Option<String> {
    if process.world.epoch() == 0 || !is_of_a_death(process, code) {
        return None;
    }
    let mut seats: Vec<usize> =
        process.world.deaths_since(0).iter().map(|member| member.seat).collect();
    seats.sort_unstable();
    seats.dedup();
    let noun = if seats.len() == 1 { "rank" } else { "ranks" };
    Some(format!("; failed so far: {noun} {}", plight::enumerate(&seats)))
}
