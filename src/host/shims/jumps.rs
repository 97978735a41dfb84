//! longjmp and exceptions: a jump abandons frames without telling the code that owns them. So the
//! highest stack address that a thread has jumped to is kept, and code can ask whether one of its
//! frames still exists.

use super::table;
use crate::host::signals;
use std::arch::{asm, naked_asm};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

table!(longjmp, _longjmp, siglongjmp, __longjmp_chk; _Unwind_SetIP = land);

/// Whether jumps are seen: in ranks they are, in programs that run without `ftrun` not.
static ARE_SEEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    static HIGHEST: Cell<usize> = const { Cell::new(0) };
}

/// From now on the program's jumps are seen.
pub fn watch() {
    ARE_SEEN.store(true, Ordering::Relaxed);
}

/// Whether the program's jumps are seen.
pub fn are_seen() -> bool {
    ARE_SEEN.load(Ordering::Relaxed)
}

/// The highest stack pointer that this thread has jumped to since it was asked last; 0 if none.
/// What lay below is gone.
pub fn highest() -> usize {
    HIGHEST.replace(0)
}

/// A jump to this stack pointer.
pub fn note(stack: usize) {
    HIGHEST.set(HIGHEST.get().max(stack));
}

/// Where glibc keeps the stack pointer in a `jmp_buf`, and how: rotated, and mixed with a number
/// from the thread's control block.
const STACK: usize = 6;
const ROTATED: u32 = 17;
/// Where it says whether the mask of signals is kept, too.
const WITH_MASK: usize = 8;

/// # Safety
/// `buffer` was filled by setjmp.
unsafe extern "C" fn note_jump(buffer: *const usize) {
    let guard: usize;
    // SAFETY: every thread of glibc's has its guard there.
    unsafe { asm!("mov {}, fs:0x30", out(reg) guard, options(nostack, readonly)) };
    // SAFETY: as our caller vouches.
    let kept = unsafe { buffer.add(STACK).read() };
    note(kept.rotate_right(ROTATED) ^ guard);
    // SAFETY: as our caller vouches.
    if unsafe { buffer.add(WITH_MASK).cast::<i32>().read() } != 0 {
        signals::forget_handlers();
    }
}

/// `_Unwind_SetIP`: an exception reaches a frame that catches it, or cleans up and passes it on.
/// The frames below that one are gone.
///
/// # Safety
/// As for the unwinder's function.
unsafe extern "C-unwind" fn land(context: *mut c_void, address: usize) {
    unsafe extern "C-unwind" {
        fn _Unwind_GetCFA(context: *mut c_void) -> usize;
        fn _Unwind_SetIP(context: *mut c_void, address: usize);
    }
    // SAFETY: as our caller vouches.
    unsafe {
        note(_Unwind_GetCFA(context));
        _Unwind_SetIP(context, address);
    }
}

/// A function that records the jump and lets libc's make it, with equal arguments.
macro_rules! jump {
    ($($name:ident to $real:ident;)*) => {$(
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!(
                "push rdi",
                "push rsi",
                "sub rsp, 8",
                "call {note}",
                "add rsp, 8",
                "pop rsi",
                "pop rdi",
                "jmp qword ptr [rip + {real}@GOTPCREL]",
                note = sym note_jump,
                real = sym $real,
            )
        }
    )*};
}

unsafe extern "C" {
    #[link_name = "siglongjmp"]
    fn real_jump();
    #[link_name = "__longjmp_chk"]
    fn real_checked_jump();
}

jump! {
    longjmp to real_jump;
    _longjmp to real_jump;
    siglongjmp to real_jump;
    __longjmp_chk to real_checked_jump;
}
