//! Keeps the template as it came from its files: no code of the program runs in it.
//!
//! ld.so runs the constructors of libraries before it starts the program. In a job they would run
//! once too often, for no rank. This library is linked so that ld.so runs its constructor before
//! all others (`-z initfirst`); that one removes the constructors of the private objects.

use super::elf::{PAGE, PT_DYNAMIC, tag};
use super::order;
use super::policy::{self, Choice};
use super::scope::{Loaded, Scope};
use crate::launch::{self, Job};
use parking_lot::Mutex;
use std::ffi::{CStr, c_char, c_int};
use std::sync::Arc;

/// All objects of the process, as they were before their constructors were removed.
static KNOWN: Mutex<Option<Scope>> = Mutex::new(None);

type Constructor = extern "C" fn(c_int, *const *const c_char, *const *const c_char);

/// What ld.so runs before all other constructors of the process (see `build.rs`).
/// Miri would call it, without arguments.
#[cfg(not(miri))]
#[used]
#[unsafe(link_section = ".init_array")]
static FIRST: Constructor = first;

#[cfg_attr(miri, allow(dead_code))]
extern "C" fn first(_argc: c_int, _argv: *const *const c_char, envp: *const *const c_char) {
    // libc does not know its environment yet.
    for index in 0.. {
        // SAFETY: strings up to a null pointer.
        let entry = unsafe { *envp.add(index) };
        if entry.is_null() {
            return;
        }
        // SAFETY: as above.
        let entry = unsafe { CStr::from_ptr(entry) }.to_string_lossy();
        let text = entry.strip_prefix(launch::VARIABLE).and_then(|rest| rest.strip_prefix('='));
        let Some(job) = text.and_then(|text| Job::decode(text).ok()) else { continue };
        let scope = Scope::of_process();
        // Errors of the job are reported later, by `Template::of_process`.
        if let Ok(choices) = policy::choose(&scope, &job) {
            hold_back_constructors(scope, &choices);
        }
        return;
    }
}

/// The objects of this process, as ld.so left them; further programs and what only they need come
/// last.
pub(super) fn known() -> Scope {
    KNOWN.lock().get_or_insert_with(Scope::of_process).clone()
}

/// Adds objects of a further program.
pub(super) fn learn(objects: impl Iterator<Item = Arc<Loaded>>) {
    KNOWN.lock().get_or_insert_with(Scope::of_process).objects.extend(objects);
}

/// Removes the constructors of the private objects of `scope`, except those that shared objects
/// need.
fn hold_back_constructors(scope: Scope, choices: &[Choice]) {
    let needs = order::needs(&scope);
    let mut is_needed: Vec<bool> = choices.iter().map(|choice| !choice.is_private).collect();
    let mut path: Vec<usize> = (0..needs.len()).filter(|&index| is_needed[index]).collect();
    while let Some(index) = path.pop() {
        for &need in &needs[index] {
            if !std::mem::replace(&mut is_needed[need], true) {
                path.push(need);
            }
        }
    }
    let unneeded = scope.objects.iter().zip(is_needed).filter(|&(_, is_needed)| !is_needed);
    unneeded.for_each(|(object, _)| disarm(object));
    *KNOWN.lock() = Some(scope);
}

/// Replaces a library's initial function.
extern "C" fn nothing() {}

fn disarm(object: &Loaded) {
    let Some(section) = object.headers.iter().find(|header| header.p_type == PT_DYNAMIC) else {
        return;
    };
    let start = object.base + section.p_vaddr as usize;
    let end = start + section.p_memsz as usize;
    let pages = std::ptr::with_exposed_provenance_mut(start & !(PAGE - 1));
    let bytes = end - (start & !(PAGE - 1));
    // SAFETY: the section's own pages, which ld.so wrote to a moment ago. They stay writable: the
    // page may hold variables behind the section.
    if unsafe { libc::mprotect(pages, bytes, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
        return;
    }
    for entry in (start..end).step_by(16) {
        let entry = std::ptr::with_exposed_provenance_mut::<[u64; 2]>(entry);
        // SAFETY: entries of the dynamic section follow each other up to the null entry.
        let value = match unsafe { (*entry)[0] } {
            0 => break,
            tag::INIT => (nothing as *const () as usize).wrapping_sub(object.base) as u64,
            tag::INIT_ARRAY_BYTES | tag::PREINIT_ARRAY_BYTES => 0,
            _ => continue,
        };
        // SAFETY: as above; ld.so adds the base to DT_INIT.
        unsafe { (*entry)[1] = value };
    }
}
