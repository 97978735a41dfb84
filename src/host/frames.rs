//! Whether a function that has begun is still on the calling thread's stack, by the unwinder: where
//! a jump out of it is not seen (see `shims::jumps`), nothing else tells.

use std::ffi::{c_int, c_void};

/// A frame on the stack: where it begins, and of which function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    bottom: usize,
    function: usize,
}

impl Frame {
    /// No frame at all.
    pub const NONE: Frame = Frame { bottom: 0, function: 0 };

    /// The frame of the calling thread in which `place` lies.
    pub fn around(place: usize) -> Frame {
        let mut found = Frame::NONE;
        walk(&mut |frame| {
            let is_below = frame.bottom <= place;
            if is_below {
                found = frame;
            }
            is_below
        });
        found
    }

    /// Whether the calling thread is in this frame, or in a call out of it.
    pub fn is_there(self) -> bool {
        let mut is_there = false;
        walk(&mut |frame| {
            is_there = frame == self;
            frame.bottom <= self.bottom && !is_there
        });
        is_there
    }
}

type Look = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void) -> c_int;

unsafe extern "C-unwind" {
    fn _Unwind_Backtrace(look: Look, data: *mut c_void) -> c_int;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
    fn _Unwind_GetRegionStart(context: *mut c_void) -> usize;
}

/// Shows the frames of the calling thread, the innermost first, for as long as they are wanted.
fn walk(mut see: &mut dyn FnMut(Frame) -> bool) {
    // SAFETY: `look` is called with `see`, and only during this call.
    unsafe { _Unwind_Backtrace(look, (&raw mut see).cast()) };
}

unsafe extern "C-unwind" fn look(context: *mut c_void, see: *mut c_void) -> c_int {
    const NEXT: c_int = 0;
    const ENOUGH: c_int = 4;
    // SAFETY: the unwinder shows a frame.
    let (bottom, function) = unsafe { (_Unwind_GetCFA(context), _Unwind_GetRegionStart(context)) };
    // SAFETY: `_Unwind_Backtrace` passes on what `walk` gave it.
    let see = unsafe { &mut *see.cast::<&mut dyn FnMut(Frame) -> bool>() };
    if see(Frame { bottom, function }) { NEXT } else { ENOUGH }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[inline(never)]
    fn deeper(depth: usize, look: &mut dyn FnMut(Frame)) {
        let here = black_box(0_u8);
        let own = Frame::around((&raw const here).addr());
        look(own);
        if depth > 0 {
            deeper(depth - 1, look);
        }
        assert!(own.is_there(), "back from the call");
        black_box(here);
    }

    #[test]
    fn frames_are_there_until_they_are_left() {
        let mut seen: Vec<Frame> = Vec::new();
        deeper(3, &mut |own| {
            assert!(own.is_there() && seen.iter().all(|outer| outer.is_there()));
            assert!(!seen.contains(&own));
            seen.push(own);
        });
        assert_eq!(seen.len(), 4);
        assert!(!seen.iter().any(|frame| frame.is_there()));
        assert!(!Frame::NONE.is_there());
    }

    #[test]
    fn a_frame_that_was_jumped_out_of_is_gone() {
        let mut left = Frame::NONE;
        let jumped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            deeper(2, &mut |own| {
                if left != Frame::NONE {
                    std::panic::resume_unwind(Box::new(()));
                }
                left = own;
            });
        }));
        assert!(jumped.is_err() && left != Frame::NONE);
        // Others are as deep now.
        let mut seen = Vec::new();
        deeper(5, &mut |own| {
            seen.push(own);
            assert!(seen.contains(&left) || !left.is_there());
        });
    }
}
