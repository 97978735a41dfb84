//! The stack and image memory of a rank: one stretch of address space per seat, laid out alike.
//!
//! ```text
//! [ guard | stack … ↓ | graves | signal stack | images ]
//! ```
//!
//! glibc keeps a thread's descriptor at the top of its stack and links it with those of other
//! threads. A rank's thread ends without telling glibc. Where the supervisor cannot make glibc
//! forget the descriptor afterwards (see `threads`), that page must stay as it is: it becomes a
//! *grave*, and the next stack in the seat ends below it. Fibers need no graves.
//!
//! All grounds are one mapping, in which the guards are marks in the page tables, where the kernel
//! can do that (since Linux 6.13); only what comes from files is a separate mapping. What a rank
//! touches first (the top of its stack, its images) shares one page of page tables with the next
//! rank's guard.

use crate::host::loader::Template;
use std::io::Error;
use std::ops::Range;

const PAGE: usize = 4096;
/// How much memory one page of page tables describes.
const TABLE: usize = 2 << 20;
/// Large enough that a big frame does not jump over it.
const LARGEST_GUARD: usize = 1 << 20;
/// For small stacks.
const SMALLEST_GUARD: usize = 16 << 10;
/// Room for graves; a seat that has used it up moves to new ground.
const GRAVES_BYTES: usize = 512 << 10;
pub(super) const SIGNAL_STACK_BYTES: usize = 64 << 10;

/// What every ground looks like.
pub(super) struct Plan {
    guard_bytes: usize,
    stack_bytes: usize,
    graves_bytes: usize,
    images_at: usize,
    pub(super) bytes: usize,
    alignment: usize,
    /// Where grounds begin, behind a multiple of the alignment.
    skew: usize,
    /// The protection of stacks, and of what is around them.
    stack_protection: i32,
    protection: i32,
    /// Guards are marks in page tables; otherwise mappings.
    marks_guards: bool,
}

/// What images need.
#[derive(Default)]
pub(super) struct Needs {
    bytes: usize,
    alignment: usize,
    has_executable_stack: bool,
    are_flat: bool,
}

impl Needs {
    /// These, or more.
    pub(super) fn at_least(self, bytes: usize) -> Needs {
        Needs { bytes: self.bytes.max(bytes), ..self }
    }

    /// What these and those of `template` need.
    pub(super) fn and(self, template: &Template) -> Needs {
        let bytes = if template.is_shared { 0 } else { template.bytes };
        Needs {
            bytes: self.bytes.max(bytes),
            alignment: self.alignment.max(template.alignment),
            has_executable_stack: self.has_executable_stack || template.has_executable_stack,
            are_flat: self.are_flat || template.is_flat,
        }
    }
}

/// The ground of one seat.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ground {
    start: usize,
    /// Where the next stack begins, going down.
    stack_top: usize,
    is_used: bool,
}

impl Plan {
    /// `is_for_fibers`: glibc does not know the threads that will live there.
    pub(super) fn new(needs: &Needs, stack_bytes: usize, is_for_fibers: bool) -> Plan {
        let alignment = needs.alignment;
        let read_write = libc::PROT_READ | libc::PROT_WRITE;
        let is_executable = needs.has_executable_stack || needs.are_flat;
        let images = needs.bytes;
        let mut stack_bytes = stack_bytes.max(64 << 10).next_multiple_of(PAGE);
        let guard_bytes = (stack_bytes / 4).clamp(SMALLEST_GUARD, LARGEST_GUARD);
        let guard_bytes = guard_bytes.next_multiple_of(PAGE);
        let graves_bytes = if is_for_fibers { 0 } else { GRAVES_BYTES };
        let after = graves_bytes + SIGNAL_STACK_BYTES;
        let lies_at = |stack: usize| (guard_bytes + stack + after).next_multiple_of(alignment);
        let bytes_with = |stack: usize| (lies_at(stack) + images).next_multiple_of(alignment);
        // Stacks that take whole pages of page tables anyway get the rest of them, too, so that
        // each ground begins with its guard in the second half of what such a page describes.
        let is_spread = stack_bytes >= TABLE && alignment <= TABLE / 2;
        if is_spread {
            let bytes = bytes_with(stack_bytes);
            stack_bytes += (bytes.next_multiple_of(TABLE) - bytes) / alignment * alignment;
        }
        Plan {
            guard_bytes,
            stack_bytes,
            graves_bytes,
            images_at: lies_at(stack_bytes),
            bytes: bytes_with(stack_bytes),
            alignment: if is_spread { TABLE } else { alignment },
            skew: if is_spread { TABLE / 2 } else { 0 },
            stack_protection: read_write | if is_executable { libc::PROT_EXEC } else { 0 },
            protection: read_write | if needs.are_flat { libc::PROT_EXEC } else { 0 },
            marks_guards: can_mark_guards(),
        }
    }

    /// How many mappings a ground takes besides those of the images and the one before them.
    pub(super) fn maps(&self) -> usize {
        // A stack with a different protection splits the mapping around it.
        let is_other = self.stack_protection != self.protection;
        usize::from(is_other) * 2 + usize::from(!self.marks_guards) * 2
    }

    /// Whether guards take no mappings.
    pub(super) fn marks_guards(&self) -> bool {
        self.marks_guards
    }

    /// Grounds for `count` ranks, side by side.
    pub(super) fn reserve(&self, count: usize) -> Result<Vec<Ground>, Error> {
        let more = self.alignment + self.skew;
        let all = self.bytes.checked_mul(count).and_then(|all| all.checked_add(more));
        let all = all.ok_or_else(|| Error::from_raw_os_error(libc::ENOMEM))?;
        let start = map(0, all, self.protection)?;
        let start = start.next_multiple_of(self.alignment) + self.skew;
        Ok((0..count).map(|seat| self.fresh(start + seat * self.bytes)).collect())
    }

    fn fresh(&self, start: usize) -> Ground {
        let stack_top = start + self.guard_bytes + self.stack_bytes + self.graves_bytes;
        Ground { start, stack_top, is_used: false }
    }

    /// Makes `ground` ready for a rank: guarded and zeroed.
    pub(super) fn prepare(&self, ground: &mut Ground) -> Result<(), Error> {
        if ground.is_used {
            if ground.stack_top < self.stack_bottom(ground) + self.stack_bytes {
                *ground = self.reserve(1)?[0];
                return self.prepare(ground);
            }
            self.clear(ground)?;
        } else if !self.marks_guards || !mark(ground.start, self.guard_bytes) {
            // The pages are not there yet, so nothing is lost by asking for none.
            map(ground.start, self.guard_bytes, libc::PROT_NONE)?;
        }
        ground.is_used = true;
        if self.stack_protection != self.protection {
            let bottom = self.stack_bottom(ground);
            map(bottom, ground.stack_top - bottom, self.stack_protection)?;
        }
        Ok(())
    }

    /// Frees all memory except the graves. The mappings and their protection stay.
    pub(super) fn give_back(&self, ground: &Ground) -> Result<(), Error> {
        let (bottom, rest) = (self.stack_bottom(ground), self.signal_stack(ground));
        match ground.stack_top == rest {
            true => discard(bottom..ground.start + self.bytes),
            false => {
                discard(bottom..ground.stack_top)?;
                discard(rest..ground.start + self.bytes)
            }
        }
    }

    /// Restores the initial state, except for the graves.
    fn clear(&self, ground: &Ground) -> Result<(), Error> {
        let bottom = self.stack_bottom(ground);
        map(bottom, ground.stack_top - bottom, self.protection)?;
        let rest = self.signal_stack(ground);
        map(rest, ground.start + self.bytes - rest, self.protection).map(drop)
    }

    /// The page of `frame`, near the top of the stack, and everything above it become a grave.
    pub(super) fn entomb(&self, ground: &mut Ground, frame: usize) {
        let grave = frame & !(PAGE - 1);
        assert!(self.stack(ground).contains(&grave), "a thread's first frame lies in its stack");
        ground.stack_top = grave;
    }

    /// Abandons `ground` as it is; it is not reused.
    pub(super) fn desert(&self, ground: &mut Ground) {
        ground.stack_top = ground.start;
    }

    fn stack_bottom(&self, ground: &Ground) -> usize {
        ground.start + self.guard_bytes
    }

    /// The inaccessible range below the stack.
    pub(super) fn guard(&self, ground: &Ground) -> Range<usize> {
        ground.start..self.stack_bottom(ground)
    }

    /// The stack of the rank that lives there now.
    pub(super) fn stack(&self, ground: &Ground) -> Range<usize> {
        self.stack_bottom(ground)..ground.stack_top
    }

    pub(super) fn signal_stack(&self, ground: &Ground) -> usize {
        ground.start + self.guard_bytes + self.stack_bytes + self.graves_bytes
    }

    /// Whether images of this program fit into a ground.
    pub(super) fn has_room_for(&self, template: &Template) -> bool {
        let is_as_executable =
            !template.has_executable_stack || self.stack_protection & libc::PROT_EXEC != 0;
        template.bytes <= self.bytes - self.images_at
            && template.alignment <= self.alignment
            && is_as_executable
    }

    /// How much of a stack arguments may take.
    pub(super) fn room_for_arguments(&self) -> usize {
        self.stack_bytes / 4
    }

    pub(super) fn images(&self, ground: &Ground) -> usize {
        ground.start + self.images_at
    }
}

/// Reserves memory for images that all ranks share; returns its address.
pub(super) fn reserve_images(template: &Template) -> Result<usize, Error> {
    let bytes = template.bytes + template.alignment;
    let start = map(0, bytes, libc::PROT_READ | libc::PROT_WRITE)?;
    Ok(start.next_multiple_of(template.alignment))
}

/// Frees the memory of these pages.
fn discard(pages: Range<usize>) -> Result<(), Error> {
    let start = std::ptr::without_provenance_mut(pages.start);
    // SAFETY: a part of a ground whose rank is dead.
    let status = unsafe { libc::madvise(start, pages.len(), libc::MADV_DONTNEED) };
    if status == 0 { Ok(()) } else { Err(Error::last_os_error()) }
}

/// Makes these pages inaccessible without a separate mapping; false if that is impossible.
fn mark(at: usize, bytes: usize) -> bool {
    /// `MADV_GUARD_INSTALL`, since Linux 6.13.
    const GUARD: i32 = 102;
    // SAFETY: a part of a ground, where nothing is mapped yet.
    unsafe { libc::madvise(std::ptr::without_provenance_mut(at), bytes, GUARD) == 0 }
}

/// Whether the kernel supports such guards: tried on an unused page.
fn can_mark_guards() -> bool {
    let Ok(page) = map(0, PAGE, libc::PROT_READ | libc::PROT_WRITE) else { return false };
    let can = mark(page, PAGE);
    // SAFETY: the page just mapped.
    unsafe { libc::munmap(std::ptr::without_provenance_mut(page), PAGE) };
    can
}

/// Maps zeroed pages that take no memory until they are touched; where the kernel chooses if `at`
/// is 0.
fn map(at: usize, bytes: usize, protection: i32) -> Result<usize, Error> {
    let place = if at == 0 { 0 } else { libc::MAP_FIXED };
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
    let target = std::ptr::without_provenance_mut(at);
    // SAFETY: a fixed place is in a ground, which is ours.
    let start = unsafe { libc::mmap(target, bytes, protection, kind | place, -1, 0) };
    if start == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(start as usize) }
}
