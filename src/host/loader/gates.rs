//! Gates: in virtual time on several cores, ranks compute beside each other, and what they call of
//! this library and of the C library waits for its turn (see `fiber/excursion.rs`). So private
//! images get a gate instead of such a function: it lets the rank come home first, and then jumps
//! to the function. A function that touches nothing but the rank's own memory needs none.

use super::elf::PAGE;
use crate::host::fiber::{away, excursion};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ffi::{CStr, OsStr};
use std::ops::Range;
use std::path::Path;
use std::ptr::{null_mut, with_exposed_provenance_mut};

/// The gates to functions by their addresses, and where there is room for more.
static GATES: Mutex<Option<Gates>> = Mutex::new(None);

#[derive(Default)]
struct Gates {
    known: FxHashMap<usize, usize>,
    room: Range<usize>,
}

/// What a rank calls to have its computing counted: it goes away there, or goes further.
const OWN: &[&str] = &["ftmpi_compute", "ftmpi_compute_work"];

/// Functions of the C library that work on the rank's own memory alone, beside those of strings,
/// characters and mathematics. All allocate from the rank's own heap.
const FREE: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "cfree",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "malloc_usable_size",
    "qsort",
    "qsort_r",
    "bsearch",
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "__errno_location",
    "__stack_chk_fail",
    "abs",
    "labs",
    "llabs",
    "div",
    "ldiv",
    "lldiv",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "toupper",
    "tolower",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "snprintf",
    "sprintf",
    "vsnprintf",
    "vsprintf",
    "sscanf",
    "vsscanf",
    "__snprintf_chk",
    "__sprintf_chk",
    "__isoc99_sscanf",
    "bzero",
    "bcopy",
    "bcmp",
    "ffs",
    "ffsl",
    "ffsll",
    "rand_r",
    "drand48_r",
    "__tls_get_addr",
];

/// How the names of other such functions begin.
const FAMILIES: &[&str] = &["mem", "__mem", "str", "__str", "wcs", "wmem", "is", "_Unwind_"];

/// Libraries of which that holds for all functions.
const LIBRARIES: &[&str] = &["libm.", "libm-", "libmvec", "libgcc_s"];

/// What private images get as function `name` of the library `file`, instead of the one at
/// `address`.
pub(super) fn gate(name: &CStr, file: &Path, address: usize) -> usize {
    if !excursion::are_made() || address == 0 {
        return address;
    }
    let name = name.to_str().unwrap_or_default();
    let file = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_free = FREE.contains(&name)
        || OWN.contains(&name)
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || LIBRARIES.iter().any(|library| file.starts_with(library));
    if is_free { address } else { to(address) }
}

/// The gate to the function at `address`; the function itself where there is no memory for one.
fn to(address: usize) -> usize {
    let mut gates = GATES.lock();
    let gates = gates.get_or_insert_default();
    if let Some(known) = gates.known.get(&address) {
        return *known;
    }
    let Some(gate) = gates.make(address) else { return address };
    gates.known.insert(address, gate);
    gate
}

impl Gates {
    fn make(&mut self, address: usize) -> Option<usize> {
        if self.room.is_empty() {
            self.room = new_room()?;
        }
        let gate = self.room.start;
        self.room.start += BYTES;
        let words = [address, ftmpi_gate as *const () as usize];
        // SAFETY: the second page is ours to write to, and has room for the words of each gate.
        unsafe { with_exposed_provenance_mut::<[usize; 2]>(gate + PAGE).write(words) };
        Some(gate)
    }
}

/// What a gate takes, and so do its words.
const BYTES: usize = 16;

/// A page of gates, with a page behind it that has their words: gates that exist are not written to
/// when others are made, since ranks may be at them.
fn new_room() -> Option<Range<usize>> {
    // mov r11, [its first word]; jmp [its second word]
    let mut gate = [0; BYTES];
    gate[..3].copy_from_slice(&[0x4c, 0x8b, 0x1d]);
    gate[3..7].copy_from_slice(&(PAGE as u32 - 7).to_ne_bytes());
    gate[7..9].copy_from_slice(&[0xff, 0x25]);
    gate[9..13].copy_from_slice(&(PAGE as u32 + 8 - 13).to_ne_bytes());
    let (access, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, where the kernel finds room, replaces no other.
    let at = unsafe { libc::mmap(null_mut(), 2 * PAGE, access, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the page has just been mapped, to be written to.
    unsafe { at.cast::<[[u8; BYTES]; PAGE / BYTES]>().write([gate; PAGE / BYTES]) };
    // SAFETY: as above; nobody writes to it any more.
    let is_done = unsafe { libc::mprotect(at, PAGE, libc::PROT_READ | libc::PROT_EXEC) } == 0;
    let start = at.expose_provenance();
    is_done.then_some(start..start + PAGE)
}

unsafe extern "C" {
    /// Lets the calling rank come home, and jumps to the function in `r11`, whose arguments it
    /// keeps.
    fn ftmpi_gate();
}

core::arch::global_asm!(
    ".pushsection .text.ftmpi_gate, \"ax\", @progbits",
    ".globl ftmpi_gate",
    ".hidden ftmpi_gate",
    ".p2align 5",
    "ftmpi_gate:",
    "    .cfi_startproc",
    "    cmp dword ptr [rip + {away}], 0",
    "    je 2f",
    "    push rax",
    "    push rdi",
    "    push rsi",
    "    push rdx",
    "    push rcx",
    "    push r8",
    "    push r9",
    "    push r10",
    "    push r11",
    "    sub rsp, 128",
    "    .cfi_def_cfa_offset 208",
    "    movups [rsp], xmm0",
    "    movups [rsp + 16], xmm1",
    "    movups [rsp + 32], xmm2",
    "    movups [rsp + 48], xmm3",
    "    movups [rsp + 64], xmm4",
    "    movups [rsp + 80], xmm5",
    "    movups [rsp + 96], xmm6",
    "    movups [rsp + 112], xmm7",
    "    call {come_home}",
    "    movups xmm0, [rsp]",
    "    movups xmm1, [rsp + 16]",
    "    movups xmm2, [rsp + 32]",
    "    movups xmm3, [rsp + 48]",
    "    movups xmm4, [rsp + 64]",
    "    movups xmm5, [rsp + 80]",
    "    movups xmm6, [rsp + 96]",
    "    movups xmm7, [rsp + 112]",
    "    add rsp, 128",
    "    pop r11",
    "    pop r10",
    "    pop r9",
    "    pop r8",
    "    pop rcx",
    "    pop rdx",
    "    pop rsi",
    "    pop rdi",
    "    pop rax",
    "    .cfi_def_cfa_offset 8",
    "2:",
    "    jmp r11",
    "    .cfi_endproc",
    ".popsection",
    away = sym away::COUNT,
    come_home = sym come_home,
);

extern "C-unwind" fn come_home() {
    excursion::come_home();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_leads_to_its_function_with_all_arguments() {
        extern "C" fn mix(a: i32, b: f64, c: i64, d: f32, e: u8, f: u64, g: i32, h: i32) -> f64 {
            f64::from(a) + b + c as f64 + f64::from(d) + f64::from(e) + f as f64 + f64::from(g * h)
        }
        let address = mix as *const () as usize;
        let gate = to(address);
        assert_ne!(gate, address);
        assert_eq!(to(address), gate);
        // SAFETY: the gate leads to this function.
        let through = unsafe {
            std::mem::transmute::<
                *const (),
                extern "C" fn(i32, f64, i64, f32, u8, u64, i32, i32) -> f64,
            >(std::ptr::with_exposed_provenance(gate))
        };
        assert_eq!(through(1, 2.0, 3, 4.0, 5, 6, 7, 8), 77.0);
        away::COUNT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let result = through(1, 2.0, 3, 4.0, 5, 6, 7, 8);
        away::COUNT.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
        assert_eq!(result, 77.0);
    }
}
