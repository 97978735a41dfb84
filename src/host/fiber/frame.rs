//! Signals that interrupt a fiber: their frame moves from the worker's signal stack to the fiber's.
//!
//! The kernel saves the state of the interrupted code on the signal stack that the OS thread has
//! registered. A handler that waits for a message there would share that stack with the next fiber.
//! So, before any code of the rank runs, the saved state is copied to the fiber's own signal stack.
//! The handler continues there, and the kernel restores the state from there at the end, on
//! whatever OS thread that is.

use super::record::current;
use super::switch;
use libc::{c_int, c_void, siginfo_t, ucontext_t};
use std::arch::asm;

/// The handler that the kernel calls for a signal.
pub(in crate::host) type Handler = extern "C-unwind" fn(c_int, *mut siginfo_t, *mut c_void);

/// Room that a handler of ours needs beyond its frame.
const HANDLER_BYTES: usize = 16 << 10;
/// The interrupted code may keep data below the stack pointer.
const RED_ZONE: usize = 128;

/// Where the saved state of SSE and AVX tells its size, in the part of `fxsave` left to software.
const SOFTWARE: usize = 464;
const MAGIC: u32 = 0x4650_5853;
const LEGACY_BYTES: usize = 512;

/// Whether a signal has interrupted the handler of an earlier one on the worker's stack, whose
/// frame has not been moved yet: the fiber must not leave the worker before that.
///
/// # Safety
/// The context is what the kernel has passed to the handler that calls this.
pub(in crate::host) unsafe fn is_on_the_move(context: *mut c_void) -> bool {
    if current().is_none() {
        return false;
    }
    // SAFETY: as our caller promises.
    let context = unsafe { &*context.cast::<ucontext_t>() };
    let sp = context.uc_mcontext.gregs[libc::REG_RSP as usize] as usize;
    sp.wrapping_sub(context.uc_stack.ss_sp.addr()) < context.uc_stack.ss_size
}

/// If a fiber was interrupted, `handler` continues on the fiber's own signal stack, and this does
/// not return. It returns if the thread is no fiber, or has no room left there.
///
/// # Safety
/// The arguments are what the kernel has passed to the handler that calls this.
pub(in crate::host) unsafe fn move_to_own_stack(
    number: c_int, story: *mut siginfo_t, context: *mut c_void, handler: Handler,
) {
    /// Flags that `sigaltstack` refuses: the kernel must not restore the signal stack of a worker
    /// that the fiber has left meanwhile.
    const NO_FLAGS: c_int = 0x7fff;
    let Some(fiber) = current() else { return };
    let context = context.cast::<ucontext_t>();
    // SAFETY: as our caller promises; the fiber's own cell.
    let (machine, room) = unsafe { (&(*context).uc_mcontext, &*fiber.signal_stack.get()) };
    let register = |index: c_int| machine.gregs[index as usize] as usize;
    if switch::is_between(register(libc::REG_RIP)) {
        return;
    }
    let sp = register(libc::REG_RSP);
    let top = if room.contains(&sp) { sp - RED_ZONE } else { room.end };
    let state = machine.fpregs.expose_provenance();
    let bytes = bytes_of_state(state);
    // The address that the handler returns to lies before the context.
    let start = context.expose_provenance() - size_of::<usize>();
    let end = state + bytes;
    let to_state = (top.saturating_sub(bytes)) & !63;
    let to_start = to_state.wrapping_sub(state - start);
    if end < start || to_state < state - start || to_start < room.start + HANDLER_BYTES {
        return;
    }
    let shift = to_start.wrapping_sub(start);
    let [story, context] =
        [story.expose_provenance(), context.expose_provenance()].map(|at| at.wrapping_add(shift));
    let frame = std::ptr::with_exposed_provenance::<u8>(start);
    let moved = std::ptr::with_exposed_provenance_mut::<ucontext_t>(context);
    // SAFETY: the room is the fiber's, which does not use what is below its stack pointer.
    unsafe {
        let target = std::ptr::with_exposed_provenance_mut::<u8>(to_start);
        frame.copy_to_nonoverlapping(target, end - start);
        (*moved).uc_mcontext.fpregs = std::ptr::with_exposed_provenance_mut(to_state);
        (*moved).uc_stack.ss_flags = NO_FLAGS;
    }
    // SAFETY: the handler finds its arguments and its stack as the kernel would have left them.
    unsafe {
        asm!(
            "mov rsp, {start}",
            "xor ebp, ebp",
            "jmp {handler}",
            start = in(reg) to_start,
            handler = in(reg) handler,
            in("rdi") number as isize,
            in("rsi") story,
            in("rdx") context,
            options(noreturn),
        )
    }
}

fn bytes_of_state(state: usize) -> usize {
    let software = std::ptr::with_exposed_provenance::<[u32; 2]>(state + SOFTWARE);
    // SAFETY: the kernel always leaves that much.
    let [magic, bytes] = unsafe { software.read() };
    if magic == MAGIC { bytes as usize } else { LEGACY_BYTES }
}
