//! C's `long double` on this machine: 80 bits that only the old floating-point unit knows.

use std::arch::asm;
use std::cmp::Ordering;

/// A long double as it lies in memory: ten bytes of number, six of nothing.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Float([u8; 16]);

macro_rules! operation {
    ($(#[doc = $doc:literal])* $name:ident, $instruction:literal) => {
        $(#[doc = $doc])*
        pub fn $name(a: Float, b: Float) -> Float {
            let mut result = b;
            // SAFETY: both addresses hold 16 bytes; the unit's stack is left as it was found.
            unsafe {
                asm!(
                    "fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", $instruction,
                    "fstp tbyte ptr [{b}]",
                    a = in(reg) &a, b = in(reg) &mut result,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                    options(nostack),
                );
            }
            result
        }
    };
}

operation!(
    /// `a + b`.
    add, "faddp st(1), st"
);
operation!(
    /// `a - b`.
    subtract, "fsubp st(1), st"
);
operation!(
    /// `a * b`.
    multiply, "fmulp st(1), st"
);

impl Float {
    /// The long double that is this integer.
    #[cfg(test)]
    pub fn from_i64(integer: i64) -> Float {
        let mut result = Float([0; 16]);
        // SAFETY: both addresses hold what is read and written; the stack is left as it was.
        unsafe {
            asm!(
                "fild qword ptr [{from}]", "fstp tbyte ptr [{to}]",
                from = in(reg) &integer, to = in(reg) &mut result,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        result
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Float) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Float {
    fn partial_cmp(&self, other: &Float) -> Option<Ordering> {
        let (above, equal, unordered): (u8, u8, u8);
        // SAFETY: both addresses hold 16 bytes; the unit's stack is left as it was found.
        unsafe {
            asm!(
                "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "fucomip st, st(1)", "fstp st(0)",
                "seta {above}", "sete {equal}", "setp {unordered}",
                a = in(reg) self, b = in(reg) other,
                above = out(reg_byte) above, equal = out(reg_byte) equal,
                unordered = out(reg_byte) unordered,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        match (unordered, equal, above) {
            (1, _, _) => None,
            (_, 1, _) => Some(Ordering::Equal),
            (_, _, 1) => Some(Ordering::Greater),
            _ => Some(Ordering::Less),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_and_order() {
        let of = Float::from_i64;
        assert!(add(of(2), of(3)) == of(5));
        assert!(subtract(of(2), of(3)) == of(-1));
        assert!(multiply(of(-4), of(3)) == of(-12));
        assert!(of(1) < of(2) && of(2) > of(1) && of(2) >= of(2));
    }
}
