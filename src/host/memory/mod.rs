//! Memory of the program: what a caller of MPI vouches for, and the one way to copy it.

pub mod afar;
mod atomic;
mod block;
mod items;
mod region;
mod shared_word;
mod strided;
mod vector;

pub use atomic::{Change, Exchange, Instruction, Verb, exchange};
pub use block::Block;
pub use region::{Region, transfer, transfer_start};
pub use shared_word::SharedWord;
pub use strided::guard;

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// A stretch of a program's memory. Plain numbers: nothing is touched before [`copy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    address: usize,
    bytes: usize,
}

/// A copy touched unmapped memory: the address, and on which side it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub address: usize,
    pub in_source: bool,
}

impl Span {
    pub const EMPTY: Span = Span { address: 0, bytes: 0 };

    pub fn new(start: *const c_void, bytes: usize) -> Span {
        Span { address: start.expose_provenance(), bytes }
    }

    pub fn bytes(self) -> usize {
        self.bytes
    }

    pub fn address(self) -> usize {
        self.address
    }

    /// The part that starts `offset` bytes in and is at most `bytes` long.
    pub fn part(self, offset: usize, bytes: usize) -> Span {
        assert!(offset <= self.bytes, "a part starts inside its span");
        Span { address: self.address + offset, bytes: bytes.min(self.bytes - offset) }
    }

    /// Whether it extends beyond valid addresses.
    pub fn is_odd(self) -> bool {
        const HIGHEST: usize = 1 << 47;
        self.address.checked_add(self.bytes).is_none_or(|end| end > HIGHEST)
    }

    /// Whether this address is in it.
    pub fn holds(self, address: usize) -> bool {
        address.wrapping_sub(self.address) < self.bytes
    }

    /// The memory of a slice of the library. It must outlive the copies made with the span.
    pub fn of(slice: &[u8]) -> Span {
        Span { address: slice.as_ptr().expose_provenance(), bytes: slice.len() }
    }

    /// The span of a slice that is written to.
    pub fn of_mut(slice: &mut [u8]) -> Span {
        Span { address: slice.as_mut_ptr().expose_provenance(), bytes: slice.len() }
    }
}

/// Copies `source` to the beginning of `target`, which is at least as long.
/// A fault during the copy is returned as an error: a bad pointer ends only its own rank.
#[inline(always)]
pub fn copy(source: Span, target: Span) -> Result<(), Fault> {
    match source.bytes <= SMALL {
        true => copy_few(source, target),
        false => copy_many(source, target),
    }
}

/// Like [`copy`], for more than [`SMALL`] bytes.
#[inline(never)]
fn copy_many(source: Span, target: Span) -> Result<(), Fault> {
    let bytes = source.bytes;
    assert!(bytes <= target.bytes, "the target of a copy is large enough");
    let (to, from) = pointers(source, target);
    if cfg!(miri) {
        // Miri runs no machine code, and there only tests copy.
        // SAFETY: the tests' memory is mapped.
        unsafe { std::ptr::copy::<u8>(from, to, bytes) };
        return Ok(());
    }
    // SAFETY: the caller of MPI vouches for both spans (§2.3), and if that is wrong the signal
    // handler ends the copy (see `recover`). Overlap is allowed.
    let outcome = unsafe { copy_large(to, from, bytes) };
    match outcome.is_fault {
        0 => Ok(()),
        _ => Err(fault(source, target, bytes, outcome.address)),
    }
}

/// Like [`copy`], for at most [`SMALL`] bytes.
#[inline(always)]
pub fn copy_few(source: Span, target: Span) -> Result<(), Fault> {
    let bytes = source.bytes;
    assert!(bytes <= target.bytes && bytes <= SMALL, "they are few, and there is room");
    if cfg!(miri) {
        return copy_many(source, target);
    }
    let (to, from) = pointers(source, target);
    // SAFETY: as in `copy_many`; a span of 0 bytes touches no memory.
    let outcome = unsafe { copy_small(to, from, bytes) };
    match outcome.is_fault {
        0 => Ok(()),
        _ => Err(fault(source, target, bytes, outcome.address)),
    }
}

/// Like [`copy`], out of line: for copies that are seldom made.
#[inline(never)]
fn copy_some(source: Span, target: Span) -> Result<(), Fault> {
    copy(source, target)
}

#[inline(always)]
fn pointers(source: Span, target: Span) -> (*mut u8, *const u8) {
    let to = std::ptr::with_exposed_provenance_mut(target.address);
    (to, std::ptr::with_exposed_provenance(source.address))
}

/// Calls the copy, telling the compiler that it leaves most registers alone.
///
/// # Safety
/// As for `ftmpi_copy_small`.
#[inline(always)]
unsafe fn copy_small(to: *mut u8, from: *const u8, bytes: usize) -> Outcome {
    let (is_fault, address);
    // SAFETY: the caller's promise covers it; it is a leaf that changes nothing but these, and so
    // is its exit after a fault.
    unsafe {
        std::arch::asm!(
            "call {copy}",
            copy = sym ftmpi_copy_small,
            inout("rdi") to => _,
            inout("rsi") from => _,
            inout("rdx") bytes => address,
            out("rax") is_fault,
            out("rcx") _,
            out("xmm0") _,
            out("xmm1") _,
            out("xmm2") _,
            out("xmm3") _,
        );
    }
    Outcome { is_fault, address }
}

/// Copies blocks of `each` bytes, which are constant memory of the library, one after the other to
/// `target`: many small ones at a time.
pub fn line_up(blocks: impl Iterator<Item = Span>, each: usize, target: Span) -> Result<(), Fault> {
    const ROOM: usize = 1024;
    let mut room = [const { MaybeUninit::<u64>::uninit() }; ROOM / 8];
    let start = room.as_mut_ptr().cast::<u8>();
    let (mut done, mut bytes) = (0, 0);
    for block in blocks {
        assert!(block.bytes == each, "the blocks are equal");
        if bytes + each > ROOM {
            copy_some(Span::new(start.cast_const().cast(), bytes), target.part(done, bytes))?;
            (done, bytes) = (done + bytes, 0);
        }
        if each > ROOM {
            copy_some(block, target.part(done, each))?;
            done += each;
            continue;
        }
        let from = std::ptr::with_exposed_provenance::<u8>(block.address);
        // SAFETY: the caller vouches for the block, and there is room for one more.
        unsafe {
            let into = start.add(bytes);
            match each {
                8 => into.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
                _ => into.copy_from_nonoverlapping(from, each),
            }
        }
        bytes += each;
    }
    copy_some(Span::new(start.cast_const().cast(), bytes), target.part(done, bytes))
}

/// A separate function, so that small copies do not look up thread-locals.
///
/// # Safety
/// As for `ftmpi_copy_large`.
#[inline(never)]
unsafe fn copy_large(to: *mut u8, from: *const u8, bytes: usize) -> Outcome {
    // SAFETY: the caller's promise covers it.
    TRAP.with(|trap| unsafe { ftmpi_copy_large(to, from, bytes, trap.as_ptr(), vector::mover()) })
}

/// The side of the copy that `address` is on. For a non-canonical address the processor does not
/// report which one it was; then the side with the invalid address is named.
#[cold]
#[inline]
fn fault(source: Span, target: Span, bytes: usize, address: usize) -> Fault {
    let holds = |span: Span| address.wrapping_sub(span.address) < bytes;
    match (holds(source), holds(target)) {
        (true, _) => Fault { address, in_source: true },
        (_, true) => Fault { address, in_source: false },
        _ if source.is_odd() => Fault { address: source.address, in_source: true },
        _ => Fault { address: target.address, in_source: false },
    }
}

/// What the copy routines return, in two registers.
#[repr(C)]
struct Outcome {
    is_fault: usize,
    address: usize,
}

/// Up to this size copies need no loop.
const SMALL: usize = vector::LEAST;

thread_local! {
    /// The stack pointer inside `ftmpi_copy_large`, while the thread is in there; else 0.
    static TRAP: Cell<usize> = const { Cell::new(0) };
}

unsafe extern "C" {
    /// Loads everything before it stores anything, so overlap is allowed.
    fn ftmpi_copy_small(to: *mut u8, from: *const u8, bytes: usize) -> Outcome;
    fn ftmpi_copy_small_end();
    fn ftmpi_copy_small_failed();
    /// A loop of [`vector`], with an exit after a fault.
    fn ftmpi_copy_large(
        to: *mut u8, from: *const u8, bytes: usize, trap: *mut usize, mover: vector::Mover,
    ) -> Outcome;
    fn ftmpi_copy_large_failed();
}

/// If the thread was copying when it touched `address`, makes it continue at the copy's fault exit.
/// For the signal handler; `registers` are those of the interrupted code.
pub(super) fn recover(registers: &mut [i64; 23], address: usize) -> bool {
    let (pc, sp) = (libc::REG_RIP as usize, libc::REG_RSP as usize);
    let small = ftmpi_copy_small as *const () as usize..ftmpi_copy_small_end as *const () as usize;
    let is_in_leaf = |at: usize| small.contains(&at) || atomic::routines().contains(&at);
    if is_in_leaf(registers[pc] as usize) {
        registers[pc] = ftmpi_copy_small_failed as *const () as i64;
    } else {
        // Loops and kernels hardly call other functions: code deeper in the stack is a handler that
        // interrupted them, behind a signal frame of more than 1 KiB. Not optimised, as unit tests
        // are built, they call many, and keep whole vectors in frames of several KiB.
        const DEPTH: usize = if cfg!(is_optimised) { 1024 } else { 32 * 1024 };
        let trap = TRAP.get();
        if trap == 0 || trap.wrapping_sub(registers[sp] as usize) > DEPTH {
            return false;
        }
        registers[pc] = ftmpi_copy_large_failed as *const () as i64;
        registers[sp] = trap as i64;
    }
    registers[libc::REG_RDX as usize] = address as i64;
    true
}

core::arch::global_asm!(
    ".pushsection .text.ftmpi_copy, \"ax\", @progbits",
    ".globl ftmpi_copy_small, ftmpi_copy_small_end, ftmpi_copy_small_failed",
    ".hidden ftmpi_copy_small, ftmpi_copy_small_end, ftmpi_copy_small_failed",
    ".globl ftmpi_copy_large, ftmpi_copy_guarded, ftmpi_copy_large_failed",
    ".hidden ftmpi_copy_large, ftmpi_copy_guarded, ftmpi_copy_large_failed",
    ".p2align 5",
    "ftmpi_copy_small:",
    "    xor eax, eax",
    "    cmp rdx, 16",
    "    jae 16f",
    "    cmp edx, 8",
    "    jae 8f",
    "    cmp edx, 4",
    "    jae 4f",
    "    cmp edx, 1",
    "    jb 1f",
    "    movzx ecx, byte ptr [rsi]",
    "    je 2f",
    "    movzx esi, word ptr [rsi + rdx - 2]",
    "    mov [rdi + rdx - 2], si",
    "2:  mov [rdi], cl",
    "1:  ret",
    "4:  mov ecx, [rsi]",
    "    mov esi, [rsi + rdx - 4]",
    "    mov [rdi], ecx",
    "    mov [rdi + rdx - 4], esi",
    "    ret",
    "8:  mov rcx, [rsi]",
    "    mov rsi, [rsi + rdx - 8]",
    "    mov [rdi], rcx",
    "    mov [rdi + rdx - 8], rsi",
    "    ret",
    "16: movups xmm0, [rsi]",
    "    movups xmm1, [rsi + rdx - 16]",
    "    cmp rdx, 32",
    "    ja 32f",
    "    movups [rdi], xmm0",
    "    movups [rdi + rdx - 16], xmm1",
    "    ret",
    "32: movups xmm2, [rsi + 16]",
    "    movups xmm3, [rsi + rdx - 32]",
    "    movups [rdi], xmm0",
    "    movups [rdi + 16], xmm2",
    "    movups [rdi + rdx - 32], xmm3",
    "    movups [rdi + rdx - 16], xmm1",
    "    ret",
    "ftmpi_copy_small_end:",
    // The handler has put the address into rdx.
    "ftmpi_copy_small_failed:",
    "    mov eax, 1",
    "    ret",
    ".p2align 4",
    // A loop may be left anywhere, so all registers of the caller are saved here.
    "ftmpi_copy_large:",
    "    push rbp",
    "    push rbx",
    "    push r12",
    "    push r13",
    "    push r14",
    "    push r15",
    "    push rcx",
    "    mov [rcx], rsp",
    "    call r8",
    "    xor eax, eax",
    "ftmpi_copy_out:",
    "    pop rcx",
    "    mov qword ptr [rcx], 0",
    "    pop r15",
    "    pop r14",
    "    pop r13",
    "    pop r12",
    "    pop rbx",
    "    pop rbp",
    "    ret",
    "ftmpi_copy_large_failed:",
    "    mov eax, 1",
    "    jmp ftmpi_copy_out",
    ".p2align 4",
    // The guarding frame around any leaf function.
    "ftmpi_copy_guarded:",
    "    push rbp",
    "    push rbx",
    "    push r12",
    "    push r13",
    "    push r14",
    "    push r15",
    "    push rdx",
    "    mov [rdx], rsp",
    "    call rsi",
    "    xor eax, eax",
    "    jmp ftmpi_copy_out",
    ".popsection",
);

/// What a test needs that copies from unmapped memory.
#[cfg(test)]
pub fn expect_faults() {
    crate::host::signals::install();
}

/// Where mapped memory ends, with a page of it below.
#[cfg(test)]
pub fn brink() -> usize {
    tests::brink()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::host::signals;

    const LENGTHS: &[usize] = &[
        0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257,
        300, 511, 5000,
    ];

    #[test]
    fn every_length_arrives_whole() {
        let source: Vec<u8> = (0..6000).map(|index| index as u8).collect();
        for &bytes in LENGTHS {
            let mut target = vec![0xee; 6000];
            assert_eq!(copy(Span::of(&source[..bytes]), Span::of_mut(&mut target)), Ok(()));
            assert_eq!(target[..bytes], source[..bytes]);
            assert!(target[bytes..].iter().all(|&byte| byte == 0xee), "{bytes} bytes, no more");
        }
    }

    #[test]
    fn blocks_are_lined_up_in_their_order() {
        for each in [0, 1, 8, 24, 1024, 1025] {
            let source: Vec<u8> = (0..100 * each).map(|index| index as u8).collect();
            let mut target = vec![0; source.len()];
            let blocks = (0..100).map(|place| Span::of(&source).part(place * each, each));
            assert_eq!(line_up(blocks, each, Span::of_mut(&mut target)), Ok(()));
            assert!(target == source, "blocks of {each}");
        }
    }

    #[test]
    fn source_and_target_may_overlap() {
        for &bytes in LENGTHS {
            for (from, to) in [(0, 3), (3, 0), (0, 20), (20, 0)] {
                let mut memory: Vec<u8> = (0..6000).map(|index| index as u8).collect();
                let mut expected = memory.clone();
                expected.copy_within(from..from + bytes, to);
                let all = Span::of_mut(&mut memory);
                assert_eq!(copy(all.part(from, bytes), all.part(to, bytes)), Ok(()));
                assert_eq!(memory, expected, "{bytes} bytes from {from} to {to}");
            }
        }
    }

    /// Two pages, the second of which is not mapped.
    pub(super) fn brink() -> usize {
        let (none, kind) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, whose first page becomes accessible.
        unsafe {
            let start = libc::mmap(std::ptr::null_mut(), 8192, none, kind, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(start, 4096, libc::PROT_READ | libc::PROT_WRITE), 0);
            start as usize + 4096
        }
    }

    /// Of so many, the processor's string instruction may be amid them.
    #[test]
    fn a_fault_amid_very_many_bytes_is_reported_with_its_side() {
        signals::install();
        const BYTES: usize = 60_000;
        let brink = brink();
        let bad = Span { address: brink - 4096, bytes: BYTES };
        let mut own = vec![0; BYTES + 8192];
        // Half a page apart, so that the copy runs upwards and meets the brink first.
        let offset = 4096 - own.as_ptr().addr() % 4096 + 2048;
        let own = Span::of_mut(&mut own).part(offset, BYTES);
        for _ in 0..3 {
            let read = copy(bad, own).expect_err("no such memory");
            assert!(read.in_source && read.address >= brink);
            let write = copy(own, bad).expect_err("no such memory");
            assert!(!write.in_source && (brink..brink + 4096).contains(&write.address));
        }
    }

    #[test]
    fn a_fault_is_reported_with_its_side() {
        signals::install();
        let brink = brink();
        let mut own = vec![0; 10_000];
        let bad = |bytes| Span { address: brink - bytes / 2, bytes };
        for &bytes in LENGTHS.iter().filter(|&&bytes| bytes > 1) {
            for _ in 0..3 {
                let read = copy(bad(bytes), Span::of_mut(&mut own)).expect_err("no such memory");
                assert!(read.in_source && (brink..brink + bytes).contains(&read.address));
                let own = Span::of(&own).part(0, bytes);
                let write = copy(own, bad(bytes)).expect_err("no such memory");
                assert!(!write.in_source && (brink..brink + bytes).contains(&write.address));
            }
        }
        let nowhere = Span { address: 1 << 63, bytes: 100 };
        let expected = Fault { address: 1 << 63, in_source: true };
        assert_eq!(copy(nowhere, Span::of_mut(&mut own)), Err(expected));
        let null = Span { address: 0, bytes: 8 };
        assert!(copy(Span::of(&own).part(0, 8), null).is_err());
    }

    #[test]
    fn work_ends_where_memory_does() {
        signals::install();
        let brink = brink();
        for _ in 0..3 {
            let read = |address: usize| {
                let place = std::ptr::with_exposed_provenance::<u64>(address);
                // SAFETY: the guard's; nothing is dropped.
                unsafe { guard(&|| _ = std::hint::black_box(place.read_volatile())) }
            };
            assert_eq!(read(brink - 8), Ok(()));
            assert_eq!(read(brink), Err(brink));
            assert!(read(1 << 63).is_err());
        }
    }

    /// `cargo test --release speed -- --ignored --nocapture`
    #[test]
    #[ignore = "prints measurements"]
    fn speed_beside_memcpy() {
        for (bytes, rounds) in [(8, 2_000_000), (64, 2_000_000), (65536, 20_000), (4 << 20, 200)] {
            let (source, mut target) = (vec![1u8; bytes], vec![0u8; bytes]);
            let (from, to) = (Span::of(&source), Span::of_mut(&mut target));
            let best = |run: &mut dyn FnMut()| {
                let time = |run: &mut dyn FnMut()| {
                    let start = std::time::Instant::now();
                    (0..rounds).for_each(|_| run());
                    start.elapsed().as_secs_f64() / f64::from(rounds)
                };
                (0..7).map(|_| time(run)).fold(f64::MAX, f64::min)
            };
            let ours = best(&mut || copy(from, to).expect("memory of ours"));
            let theirs = best(&mut || {
                let bytes = std::hint::black_box(bytes);
                // SAFETY: both are that long.
                unsafe { libc::memcpy(to.address as _, from.address as _, bytes) };
            });
            let (ours_ns, theirs_ns) = (ours * 1e9, theirs * 1e9);
            println!("{bytes} bytes: {ours_ns:.1} ns, memcpy {theirs_ns:.1} ns");
        }
    }
}
