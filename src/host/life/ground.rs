//! The ground a rank stands on: one stretch of memory per seat, laid out alike.
//!
//! ```text
//! [ guard | stack … ↓ | graves | signal stack | images ]
//! ```
//!
//! glibc keeps a thread's descriptor at the top of its stack and links it with those of other
//! threads. A rank's thread leaves without telling glibc. Where the undertaker cannot make glibc
//! forget it afterwards (see `threads`), that page must stay as it is: it
//! becomes a *grave*, and the next stack in the seat ends below it.

use crate::host::loader::Template;
use std::io::Error;

const PAGE: usize = 4096;
/// Large enough that a big frame does not step over it.
pub(super) const GUARD_BYTES: usize = 1 << 20;
/// Room for graves; a seat that has used it up moves to fresh ground.
const GRAVES_BYTES: usize = 512 << 10;
pub(super) const SIGNAL_STACK_BYTES: usize = 64 << 10;

/// What every ground looks like.
pub(super) struct Plan {
    stack_bytes: usize,
    images_at: usize,
    pub(super) bytes: usize,
    alignment: usize,
    has_executable_stack: bool,
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
    pub(super) fn new(template: &Template, stack_bytes: usize) -> Plan {
        let stack_bytes = stack_bytes.max(64 << 10).next_multiple_of(PAGE);
        let before = GUARD_BYTES + stack_bytes + GRAVES_BYTES + SIGNAL_STACK_BYTES;
        let images_at = before.next_multiple_of(template.alignment);
        Plan {
            stack_bytes,
            images_at,
            bytes: (images_at + template.bytes).next_multiple_of(template.alignment),
            alignment: template.alignment,
            has_executable_stack: template.has_executable_stack,
        }
    }

    /// Grounds for `count` ranks, side by side.
    pub(super) fn reserve(&self, count: usize) -> Result<Vec<Ground>, Error> {
        let all = self.bytes.checked_mul(count).and_then(|all| all.checked_add(self.alignment));
        let all = all.ok_or_else(|| Error::from_raw_os_error(libc::ENOMEM))?;
        let start = map(0, all, libc::PROT_READ | libc::PROT_WRITE)?;
        let start = start.next_multiple_of(self.alignment);
        Ok((0..count).map(|seat| self.fresh(start + seat * self.bytes)).collect())
    }

    fn fresh(&self, start: usize) -> Ground {
        let stack_top = start + GUARD_BYTES + self.stack_bytes + GRAVES_BYTES;
        Ground { start, stack_top, is_used: false }
    }

    /// Makes `ground` ready for a rank: guarded and zero.
    pub(super) fn prepare(&self, ground: &mut Ground) -> Result<(), Error> {
        let (read, write) = (libc::PROT_READ, libc::PROT_WRITE);
        if ground.is_used {
            if ground.stack_top < self.stack_bottom(ground) + self.stack_bytes {
                *ground = self.reserve(1)?[0];
                return self.prepare(ground);
            }
            self.clear(ground)?;
        } else {
            // The pages are not there yet, so nothing is lost by asking for none.
            map(ground.start, GUARD_BYTES, libc::PROT_NONE)?;
        }
        ground.is_used = true;
        if self.has_executable_stack {
            let bottom = self.stack_bottom(ground);
            map(bottom, ground.stack_top - bottom, read | write | libc::PROT_EXEC)?;
        }
        Ok(())
    }

    /// Gives all memory back except the graves.
    pub(super) fn clear(&self, ground: &Ground) -> Result<(), Error> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let bottom = self.stack_bottom(ground);
        map(bottom, ground.stack_top - bottom, protection)?;
        let rest = self.signal_stack(ground);
        map(rest, ground.start + self.bytes - rest, protection).map(drop)
    }

    /// The page of `frame`, which lies near the top of the stack, and all above become a grave.
    pub(super) fn entomb(&self, ground: &mut Ground, frame: usize) {
        let grave = frame & !(PAGE - 1);
        assert!(self.stack(ground).contains(&grave), "a thread's first frame lies in its stack");
        ground.stack_top = grave;
    }

    /// Leaves `ground` as it is, for good.
    pub(super) fn desert(&self, ground: &mut Ground) {
        ground.stack_top = ground.start;
    }

    fn stack_bottom(&self, ground: &Ground) -> usize {
        ground.start + GUARD_BYTES
    }

    /// The stack of the rank that lives there now.
    pub(super) fn stack(&self, ground: &Ground) -> std::ops::Range<usize> {
        self.stack_bottom(ground)..ground.stack_top
    }

    pub(super) fn signal_stack(&self, ground: &Ground) -> usize {
        ground.start + GUARD_BYTES + self.stack_bytes + GRAVES_BYTES
    }

    pub(super) fn images(&self, ground: &Ground) -> usize {
        ground.start + self.images_at
    }
}

/// Maps zeroed pages that count for nothing until they are touched; at a place of the kernel's
/// choice when `at` is 0.
fn map(at: usize, bytes: usize, protection: i32) -> Result<usize, Error> {
    let place = if at == 0 { 0 } else { libc::MAP_FIXED };
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
    let target = std::ptr::without_provenance_mut(at);
    // SAFETY: a fixed place lies in a ground, which is ours.
    let start = unsafe { libc::mmap(target, bytes, protection, kind | place, -1, 0) };
    if start == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(start as usize) }
}
