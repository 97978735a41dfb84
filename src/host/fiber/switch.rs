//! The context switch, from one stack to another: the few instructions under everything else in
//! this room.
//!
//! A context that does not run is a stack pointer. Above it are, from below: the control words of
//! SSE and x87, the registers that a function keeps for its caller, and the address to continue at.
//! With the stack goes the thread pointer (`fs`), so that libc's and our own thread-locals follow.

use std::arch::naked_asm;
use std::ffi::c_void;

unsafe extern "C-unwind" {
    /// Leaves the running context in `save`, and goes on with the one of `stack` and `fs`.
    fn ftmpi_switch(save: *mut usize, stack: usize, fs: usize);
    /// The instruction before which the stack is the new one already and `fs` is not.
    fn ftmpi_switch_between();
    /// Calls `body(argument)` on the stack that ends at `top`.
    fn ftmpi_aside(top: usize, body: extern "C-unwind" fn(*mut c_void), argument: *mut c_void);
}

core::arch::global_asm!(
    ".pushsection .text.ftmpi_switch, \"ax\", @progbits",
    ".globl ftmpi_switch, ftmpi_switch_between, ftmpi_aside",
    ".hidden ftmpi_switch, ftmpi_switch_between, ftmpi_aside",
    ".p2align 5",
    "ftmpi_switch:",
    "    push rbp",
    "    push rbx",
    "    push r12",
    "    push r13",
    "    push r14",
    "    push r15",
    "    sub rsp, 8",
    "    stmxcsr [rsp]",
    "    fnstcw [rsp + 4]",
    "    mov [rdi], rsp",
    "    mov rsp, rsi",
    "ftmpi_switch_between:",
    "    wrfsbase rdx",
    "    ldmxcsr [rsp]",
    "    fldcw [rsp + 4]",
    "    add rsp, 8",
    "    pop r15",
    "    pop r14",
    "    pop r13",
    "    pop r12",
    "    pop rbx",
    "    pop rbp",
    "    ret",
    ".p2align 5",
    "ftmpi_aside:",
    "    .cfi_startproc",
    "    push rbp",
    "    .cfi_def_cfa_offset 16",
    "    .cfi_offset rbp, -16",
    "    mov rbp, rsp",
    "    .cfi_def_cfa_register rbp",
    "    mov rsp, rdi",
    "    mov rdi, rdx",
    "    call rsi",
    "    mov rsp, rbp",
    "    pop rbp",
    "    .cfi_def_cfa rsp, 8",
    "    ret",
    "    .cfi_endproc",
    ".popsection",
);

/// Where a context that never ran begins: `r13` holds the function, `r12` its argument.
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!("xor ebp, ebp", "mov rdi, r12", "call r13", "ud2")
}

/// What a fresh stack begins with; `argument` goes to `body`, which never returns.
#[repr(C)]
struct First {
    sse: u32,
    x87: u32,
    r15: usize,
    r14: usize,
    body: usize,
    argument: usize,
    rbx: usize,
    rbp: usize,
    begin: usize,
    /// Keeps the stack aligned as calls want it, and ends the walks of debuggers.
    end: [usize; 2],
}

/// The control words of a fresh process.
const SSE: u32 = 0x1f80;
const X87: u32 = 0x37f;

/// Makes the stack that ends at `top` begin with `body(argument)`; its stack pointer.
///
/// # Safety
/// The memory below `top` is writable, and nobody uses it.
pub(super) unsafe fn prepare(
    top: usize, body: extern "C-unwind" fn(usize) -> !, argument: usize,
) -> usize {
    let stack = (top & !15) - size_of::<First>();
    let first = First {
        sse: SSE,
        x87: X87,
        r15: 0,
        r14: 0,
        body: body as usize,
        argument,
        rbx: 0,
        rbp: 0,
        begin: begin as *const () as usize,
        end: [0; 2],
    };
    // SAFETY: as our caller promises.
    unsafe { std::ptr::with_exposed_provenance_mut::<First>(stack).write(first) };
    stack
}

/// Goes on with the context of `stack` and `fs`; returns when somebody goes on with this one.
///
/// # Safety
/// That context was prepared or left by a switch, has not gone on since, and nobody else goes on
/// with it; `save` is where others look for the calling one, and they look after this is done.
#[inline]
pub(super) unsafe fn switch(save: *mut usize, stack: usize, fs: usize) {
    // SAFETY: as our caller promises.
    unsafe { ftmpi_switch(save, stack, fs) }
}

/// Calls `body(argument)` on the stack below `stack`, which a switch has left.
///
/// # Safety
/// Nobody goes on with that stack before this returns; the argument is as `body` wants it.
pub(super) unsafe fn call_on(
    stack: usize, body: extern "C-unwind" fn(*mut c_void), argument: *mut c_void,
) {
    // SAFETY: as our caller promises.
    unsafe { ftmpi_aside(stack & !15, body, argument) }
}

/// Whether a signal at `pc` has found its thread between two contexts.
pub(super) fn is_between(pc: usize) -> bool {
    pc == ftmpi_switch_between as *const () as usize
}

/// The thread pointer of the calling context.
#[inline]
pub(super) fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: reads the word that points to itself; the ABI of x86-64 puts it there.
    unsafe {
        std::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly, pure));
    }
    pointer
}
