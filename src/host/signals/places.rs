//! Decides where a thread may be ended, and where a handler that never returns may run: not inside
//! libc or this library, where the thread may hold a lock that others need.

use crate::host::Rank;
use crate::host::life::{self, Thread};

pub(super) type Registers = [i64; 23];

/// System calls that may wait for ever. A thread in one of them holds at most the lock of a stream,
/// and that is released after its death.
const WAITS: &[i64] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_select,
    libc::SYS_pselect6,
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
    libc::SYS_pause,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_connect,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_flock,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_timedsend,
];

/// Whether a thread of `rank` that waits in the kernel for `call` may be ended there. `first` is
/// the call's first argument.
pub(in crate::host) fn is_harmless_wait(rank: &Rank, call: i64, first: usize) -> bool {
    // A wait for the program's own lock or thread, never one for a lock of libc's or ours.
    WAITS.contains(&call) || call == libc::SYS_futex && rank.owns(first)
}

pub(super) fn pc(registers: &Registers) -> usize {
    registers[libc::REG_RIP as usize] as usize
}

/// Whether the calling thread, which a signal has interrupted, holds nothing.
pub(super) fn is_harmless(rank: &Rank, thread: &Thread, registers: &Registers) -> bool {
    let (pc, sp) = (pc(registers), registers[libc::REG_RSP as usize] as usize);
    let call = restarting(registers);
    // Where the call returns to, if the thread was in one.
    let behind = match call {
        Some(_) => Some(pc + SYSCALL.len()),
        None => (registers[libc::REG_RAX as usize] == -i64::from(libc::EINTR)).then_some(pc),
    };
    let first = registers[libc::REG_RDI as usize] as usize;
    let waits_harmlessly = || {
        behind.is_some_and(|behind| thread.is_excused(behind, sp))
            || call.is_some_and(|call| is_harmless_wait(rank, call, first))
    };
    rank.images.contains(pc)
        || life::harmless_code().iter().any(|code| code.contains(&pc))
        || thread.signals.is_at_ease(sp)
        || waits_harmlessly() && !is_in_call_of_ours(pc, sp)
}

/// Whether this library is in a system call there that it makes by libc's `syscall`: it waits for a
/// lock, whose word need not be its own: parking_lot's queues are on the stacks of those who wait.
fn is_in_call_of_ours(pc: usize, sp: usize) -> bool {
    const LONGEST: usize = 64;
    let is_in_syscall = pc.wrapping_sub(libc::syscall as *const () as usize) < LONGEST;
    // SAFETY: `syscall` changes nothing on the stack of the thread that is in it: on top is where
    // it returns to.
    let returns_to = || unsafe { std::ptr::with_exposed_provenance::<usize>(sp).read() };
    is_in_syscall && life::own_offset(returns_to()).is_some()
}

/// Whether the calling thread has sent itself the signal, and waits for it right there: by a write
/// to a pipe without a reader, by libc's own `abort` (which holds nothing then), or by `raise`.
pub(super) fn is_own_act(registers: &Registers, number: i32) -> bool {
    let register = |index: i32| registers[index as usize];
    let result = register(libc::REG_RAX);
    // SAFETY: both have no preconditions.
    let (process, thread) = unsafe { (libc::getpid(), libc::gettid()) };
    match number {
        libc::SIGABRT => true,
        libc::SIGPIPE => result == -i64::from(libc::EPIPE),
        _ => {
            let arguments = [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX].map(register);
            let is_behind_call = register(libc::REG_RCX) as usize == pc(registers);
            is_behind_call && result == 0 && arguments == [process, thread, number].map(i64::from)
        }
    }
}

const SYSCALL: [u8; 2] = [0x0f, 0x05];

/// The system call that the signal has interrupted, if the kernel is to restart it: then the thread
/// is again before the instruction, and `rcx` still names the one behind it.
pub(super) fn restarting(registers: &Registers) -> Option<i64> {
    let pc = pc(registers);
    if registers[libc::REG_RCX as usize] as usize != pc + SYSCALL.len() {
        return None;
    }
    // SAFETY: the thread executes this code, and has executed these two bytes.
    let code = unsafe { std::ptr::with_exposed_provenance::<[u8; 2]>(pc).read() };
    (code == SYSCALL).then_some(registers[libc::REG_RAX as usize])
}

/// The call that would begin once more fails with `EINTR` instead, where calls may do that.
pub(super) fn interrupt(registers: &mut Registers) {
    let may_fail = |call: &i64| WAITS.contains(call) || *call == libc::SYS_futex;
    if restarting(registers).filter(may_fail).is_some() {
        registers[libc::REG_RIP as usize] += SYSCALL.len() as i64;
        registers[libc::REG_RAX as usize] = -i64::from(libc::EINTR);
    }
}
