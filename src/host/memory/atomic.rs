//! Words of the program's memory that the processor changes at once: one instruction with a lock
//! prefix, or a loop around compare-and-swap. A bad pointer ends only its own rank, as with
//! [`copy`](super::copy): each routine is a leaf that the signal handler can leave.

use std::ops::Range;

/// What is done to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Verb {
    Load,
    Swap,
    Add,
    And,
    Or,
    Xor,
    /// Adds floating-point numbers, of 4 or 8 bytes.
    AddReal,
}

/// The routine for a verb and a width.
#[derive(Clone, Copy)]
pub struct Instruction(Routine);

/// The addresses of a change.
#[derive(Clone, Copy)]
pub struct Change {
    /// The operand.
    pub origin: usize,
    /// The word, which is aligned.
    pub target: usize,
    /// Where the former value goes; 0: nowhere.
    pub fetched: usize,
}

/// The addresses of a compare-and-swap.
#[derive(Clone, Copy)]
pub struct Exchange {
    pub origin: usize,
    pub compare: usize,
    pub result: usize,
    pub target: usize,
}

type Routine = unsafe extern "C" fn();

impl Instruction {
    /// For words of `1 << log2_bytes` bytes, which are at most 8.
    #[inline(always)]
    pub fn new(verb: Verb, log2_bytes: u8) -> Option<Instruction> {
        let widths = ROUTINES.get(verb as usize)?;
        widths.get(usize::from(log2_bytes)).copied().flatten().map(Instruction)
    }

    /// Changes the word; after a fault, returns the address that was not mapped.
    #[inline(always)]
    pub fn change(self, it: Change) -> Result<(), usize> {
        // SAFETY: it is a routine for a change.
        unsafe { run(self.0, [it.target, it.origin, it.fetched, 0]) }
    }
}

/// Replaces the word if it is what it is compared with; after a fault, returns the address that was
/// not mapped.
#[inline(always)]
pub fn exchange(it: Exchange, log2_bytes: u8) -> Result<(), usize> {
    let routine = EXCHANGES[usize::from(log2_bytes & 3)];
    // SAFETY: it is a routine for an exchange.
    unsafe { run(routine, [it.target, it.origin, it.result, it.compare]) }
}

/// Calls a routine, telling the compiler that it leaves most registers alone.
///
/// # Safety
/// The routine takes these arguments. The caller of MPI vouches for the memory (§2.3), and if that
/// is wrong the signal handler leaves the routine (see `recover`).
#[inline(always)]
unsafe fn run(routine: Routine, arguments: [usize; 4]) -> Result<(), usize> {
    let (is_fault, address): (usize, usize);
    // SAFETY: the caller's promise; a leaf that changes nothing but these, and so is its exit after
    // a fault.
    unsafe {
        std::arch::asm!(
            "call {routine}",
            routine = in(reg) routine,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            inout("rdx") arguments[2] => address,
            inout("rcx") arguments[3] => _,
            out("rax") is_fault,
            out("r8") _,
            out("xmm0") _,
            out("xmm1") _,
        );
    }
    if is_fault == 0 { Ok(()) } else { Err(address) }
}

/// Where the routines are.
pub(super) fn routines() -> Range<usize> {
    ftmpi_atomic as *const () as usize..ftmpi_atomic_end as *const () as usize
}

/// By verb, then by width.
static ROUTINES: [[Option<Routine>; 4]; 7] = [
    [Some(ftmpi_load1), Some(ftmpi_load2), Some(ftmpi_load4), Some(ftmpi_load8)],
    [Some(ftmpi_swap1), Some(ftmpi_swap2), Some(ftmpi_swap4), Some(ftmpi_swap8)],
    [Some(ftmpi_add1), Some(ftmpi_add2), Some(ftmpi_add4), Some(ftmpi_add8)],
    [Some(ftmpi_and1), Some(ftmpi_and2), Some(ftmpi_and4), Some(ftmpi_and8)],
    [Some(ftmpi_or1), Some(ftmpi_or2), Some(ftmpi_or4), Some(ftmpi_or8)],
    [Some(ftmpi_xor1), Some(ftmpi_xor2), Some(ftmpi_xor4), Some(ftmpi_xor8)],
    [None, None, Some(ftmpi_addreal4), Some(ftmpi_addreal8)],
];

static EXCHANGES: [Routine; 4] =
    [ftmpi_exchange1, ftmpi_exchange2, ftmpi_exchange4, ftmpi_exchange8];

/// One routine of each kind, for words of one width; `$a`, `$c` and `$t` are registers so wide.
/// Target, origin and place of the former value are in rdi, rsi and rdx; rcx says what an exchange
/// compares with.
macro_rules! routines {
    ($($bytes:literal $a:literal $c:literal $t:literal;)*) => {
        core::arch::global_asm!(
            ".pushsection .text.ftmpi_atomic, \"ax\", @progbits",
            ".globl ftmpi_atomic, ftmpi_atomic_end",
            ".hidden ftmpi_atomic, ftmpi_atomic_end",
            "ftmpi_atomic:",
            $(
                routine!("load" $bytes, concat!("mov ", $a, ", [rdi]"), $a),
                routine!("swap" $bytes, concat!("mov ", $a, ", [rsi]; xchg ", $a, ", [rdi]"), $a),
                routine!(
                    "add" $bytes, concat!("mov ", $a, ", [rsi]; lock xadd [rdi], ", $a), $a
                ),
                routine!("and" $bytes, looped!($a, $c, $t, "and"), $a),
                routine!("or" $bytes, looped!($a, $c, $t, "or"), $a),
                routine!("xor" $bytes, looped!($a, $c, $t, "xor"), $a),
                routine!(
                    "exchange" $bytes,
                    concat!(
                        "mov ", $a, ", [rcx]; mov ", $t, ", [rsi]; lock cmpxchg [rdi], ", $t
                    ),
                    $a
                ),
            )*
            routine!("addreal" 8, summed!("rax", "rcx", "movq", "movsd", "addsd"), "rax"),
            routine!("addreal" 4, summed!("eax", "ecx", "movd", "movss", "addss"), "eax"),
            "ftmpi_atomic_end:",
            ".popsection",
        );
    };
}

macro_rules! routine {
    ($name:literal $bytes:literal, $work:expr, $a:literal) => {
        concat!(
            ".hidden ftmpi_",
            $name,
            $bytes,
            "\n.globl ftmpi_",
            $name,
            $bytes,
            "\n.p2align 4\nftmpi_",
            $name,
            $bytes,
            ":\n",
            $work,
            "\ntest rdx, rdx\nje 3f\nmov [rdx], ",
            $a,
            "\n3: xor eax, eax\nret"
        )
    };
}

macro_rules! looped {
    ($a:literal, $c:literal, $t:literal, $verb:literal) => {
        concat!(
            "mov ",
            $c,
            ", [rsi]\nmov ",
            $a,
            ", [rdi]\n2: mov ",
            $t,
            ", ",
            $a,
            "\n",
            $verb,
            " ",
            $t,
            ", ",
            $c,
            "\nlock cmpxchg [rdi], ",
            $t,
            "\njne 2b"
        )
    };
}

macro_rules! summed {
    ($a:literal, $c:literal, $move:literal, $load:literal, $add:literal) => {
        concat!(
            $load,
            " xmm1, [rsi]\nmov ",
            $a,
            ", [rdi]\n2: ",
            $move,
            " xmm0, ",
            $a,
            "\n",
            $add,
            " xmm0, xmm1\n",
            $move,
            " ",
            $c,
            ", xmm0\nlock cmpxchg [rdi], ",
            $c,
            "\njne 2b"
        )
    };
}

routines! {
    1 "al" "cl" "r8b";
    2 "ax" "cx" "r8w";
    4 "eax" "ecx" "r8d";
    8 "rax" "rcx" "r8";
}

macro_rules! symbols {
    ($($name:ident)*) => {
        unsafe extern "C" {
            $(fn $name();)*
        }
    };
}

symbols! {
    ftmpi_atomic ftmpi_atomic_end
    ftmpi_load1 ftmpi_load2 ftmpi_load4 ftmpi_load8
    ftmpi_swap1 ftmpi_swap2 ftmpi_swap4 ftmpi_swap8
    ftmpi_add1 ftmpi_add2 ftmpi_add4 ftmpi_add8
    ftmpi_and1 ftmpi_and2 ftmpi_and4 ftmpi_and8
    ftmpi_or1 ftmpi_or2 ftmpi_or4 ftmpi_or8
    ftmpi_xor1 ftmpi_xor2 ftmpi_xor4 ftmpi_xor8
    ftmpi_addreal4 ftmpi_addreal8
    ftmpi_exchange1 ftmpi_exchange2 ftmpi_exchange4 ftmpi_exchange8
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use crate::host::memory::{brink, expect_faults};

    fn at<T>(value: &mut T) -> usize {
        std::ptr::from_mut(value).expose_provenance()
    }

    fn change<T: Copy + Default>(verb: Verb, word: &mut T, operand: T) -> T {
        let (mut operand, mut old) = (operand, T::default());
        let log2 = size_of::<T>().ilog2() as u8;
        let it = Change { origin: at(&mut operand), target: at(word), fetched: at(&mut old) };
        assert_eq!(Instruction::new(verb, log2).expect("there is one").change(it), Ok(()));
        old
    }

    #[test]
    fn every_width_is_changed_and_its_former_value_is_fetched() {
        let mut word = 0xf0_u8;
        assert_eq!((change(Verb::Add, &mut word, 0x11), word), (0xf0, 0x01));
        let mut word = 0x00ff_u16;
        assert_eq!((change(Verb::Xor, &mut word, 0x0ff0), word), (0x00ff, 0x0f0f));
        let mut word = 7_u32;
        assert_eq!((change(Verb::Swap, &mut word, 9), word), (7, 9));
        assert_eq!((change(Verb::Load, &mut word, 1), word), (9, 9));
        let mut word = 0x1234_u64 << 32;
        assert_eq!((change(Verb::And, &mut word, 0xff << 32), word), (0x1234 << 32, 0x34 << 32));
        assert_eq!((change(Verb::Or, &mut word, 1), word), (0x34 << 32, 0x34 << 32 | 1));
        let mut word = 1.5_f64;
        assert_eq!((change(Verb::AddReal, &mut word, 2.25), word), (1.5, 3.75));
        let mut word = 1.5_f32;
        assert_eq!((change(Verb::AddReal, &mut word, -2.0), word), (1.5, -0.5));
        assert!(Instruction::new(Verb::AddReal, 1).is_none());
    }

    #[test]
    fn a_word_is_replaced_if_it_is_what_it_is_compared_with() {
        let (mut new, mut compare, mut old, mut word) = (5_i16, 3_i16, 0_i16, 3_i16);
        let (origin, result) = (at(&mut new), at(&mut old));
        let it = Exchange { origin, compare: at(&mut compare), result, target: at(&mut word) };
        assert_eq!((exchange(it, 1), old, word), (Ok(()), 3, 5));
        assert_eq!((exchange(it, 1), old, word), (Ok(()), 5, 5));
    }

    #[test]
    fn a_fault_is_returned_and_names_its_address() {
        expect_faults();
        let (mut word, beyond) = (7_u64, brink());
        let add = Instruction::new(Verb::Add, 3).expect("there is one");
        let (target, mut operand) = (at(&mut word), 1_u64);
        let origin = at(&mut operand);
        assert_eq!(add.change(Change { origin: beyond, target, fetched: 0 }), Err(beyond));
        assert_eq!(add.change(Change { origin, target: beyond, fetched: 0 }), Err(beyond));
        assert_eq!(word, 7);
        assert_eq!(add.change(Change { origin, target, fetched: beyond }), Err(beyond));
    }
}
