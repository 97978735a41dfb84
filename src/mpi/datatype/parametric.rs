//! Types by what they can hold: Fortran's parametrised kinds (MPI-5.0 §19.1.9), types by class and
//! size, and pairs by their parts.

use crate::mpi::datatype::Contents;
use crate::mpi::datatype::envelope::{Combiner, Width};
use crate::mpi::datatype::predefined;
use crate::mpi::datatype::{Datatype, Element, Form};
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;

const UNDEFINED: i32 = -32766;

/// Kinds of REAL in gfortran (x86-64): decimal digits, decimal exponent, what they are.
const REALS: &[(i32, i32, Element)] = &[
    (6, 37, Element::Float(4)),
    (15, 307, Element::Float(8)),
    (18, 4931, Element::Float(16)),
    (33, 4931, Element::Quad),
];

/// Kinds of INTEGER: decimal digits, and what they are.
const INTEGERS: &[(i32, Element)] = &[
    (2, Element::Signed(1)),
    (4, Element::Signed(2)),
    (9, Element::Signed(4)),
    (18, Element::Signed(8)),
    (38, Element::Signed(16)),
];

/// The type of what SELECTED_REAL_KIND(p, r) selects.
pub fn real(process: &Process, p: i32, r: i32) -> Result<usize> {
    let element = select_real(p, r)?;
    ask(process, Combiner::F90Real, &[p, r], element)
}

/// The type of a COMPLEX of that kind.
pub fn complex(process: &Process, p: i32, r: i32) -> Result<usize> {
    let element = match select_real(p, r)? {
        Element::Float(bytes) => Element::Complex(2 * bytes),
        _ => Element::ComplexQuad,
    };
    ask(process, Combiner::F90Complex, &[p, r], element)
}

/// The type of what SELECTED_INT_KIND(r) selects.
pub fn integer(process: &Process, r: i32) -> Result<usize> {
    let Some((_, element)) = INTEGERS.iter().find(|(digits, _)| r <= *digits) else {
        let words = format!("r is {r}; no INTEGER has more than 38 decimal digits");
        return Err(Class::ARG.because(words));
    };
    ask(process, Combiner::F90Integer, &[r], *element)
}

fn select_real(p: i32, r: i32) -> Result<Element> {
    if p == UNDEFINED && r == UNDEFINED {
        let words = "p and r are both MPI_UNDEFINED; give at least one of them";
        return Err(Class::ARG.because(words));
    }
    let suits = |(digits, exponent, _): &&(i32, i32, Element)| p <= *digits && r <= *exponent;
    let found = REALS.iter().find(suits).map(|(_, _, element)| *element);
    found.ok_or_else(|| {
        let words = format!(
            "p is {p} and r is {r}; no REAL has more than 33 decimal digits or a decimal exponent \
             beyond 4931"
        );
        Class::ARG.because(words)
    })
}

/// The one type with this recipe.
fn ask(
    process: &Process, combiner: Combiner, arguments: &[i32], element: Element,
) -> Result<usize> {
    let second = arguments.get(1).copied().unwrap_or(UNDEFINED);
    let question = (combiner as i32, arguments[0], second);
    let mut asked = process.asked.0.lock();
    if let Some(handle) = asked.get(&question) {
        return Ok(*handle);
    }
    let form: Form = predefined::form(element);
    let recipe = Contents::new(combiner, Width::Small).integers(arguments);
    let handle = process.make_datatype(form, recipe, true)?;
    asked.insert(question, handle);
    Ok(handle)
}

const LOGICAL_CLASS: i32 = 191;
const INTEGER_CLASS: i32 = 192;
const REAL_CLASS: i32 = 193;
const COMPLEX_CLASS: i32 = 194;

/// Class, size in bytes, handle.
const SIZED: &[(i32, i32, usize)] = &[
    (LOGICAL_CLASS, 1, 0x2c0),
    (LOGICAL_CLASS, 2, 0x2c8),
    (LOGICAL_CLASS, 4, 0x2d0),
    (LOGICAL_CLASS, 8, 0x2d8),
    (LOGICAL_CLASS, 16, 0x2e0),
    (INTEGER_CLASS, 1, 0x2c1),
    (INTEGER_CLASS, 2, 0x2c9),
    (INTEGER_CLASS, 4, 0x2d1),
    (INTEGER_CLASS, 8, 0x2d9),
    (INTEGER_CLASS, 16, 0x2e1),
    (REAL_CLASS, 2, 0x2ca),
    (REAL_CLASS, 4, 0x2d2),
    (REAL_CLASS, 8, 0x2da),
    (REAL_CLASS, 16, 0x2e2),
    (COMPLEX_CLASS, 4, 0x2d3),
    (COMPLEX_CLASS, 8, 0x2db),
    (COMPLEX_CLASS, 16, 0x2e3),
    (COMPLEX_CLASS, 32, 0x2eb),
];

/// The type of this class with this size in bytes.
pub fn match_size(class: i32, size: i32) -> Result<usize> {
    let of_class = || SIZED.iter().filter(|(known, _, _)| *known == class);
    if of_class().next().is_none() {
        return Err(Class::ARG.because(format!(
            "typeclass is {class}; it must be MPI_TYPECLASS_REAL, MPI_TYPECLASS_INTEGER or \
             MPI_TYPECLASS_COMPLEX"
        )));
    }
    let found = of_class().find(|(_, bytes, _)| *bytes == size);
    found.map(|(_, _, handle)| *handle).ok_or_else(|| {
        let sizes: Vec<String> = of_class().map(|(_, bytes, _)| bytes.to_string()).collect();
        let words = format!("size is {size}; types of this class have {}", sizes.join(", "));
        Class::ARG.because(words)
    })
}

/// Value, index, pair.
const PAIRS: &[(usize, usize, usize)] = &[
    (0x210, 0x209, 0x228),
    (0x214, 0x209, 0x229),
    (0x20a, 0x209, 0x22a),
    (0x209, 0x209, 0x22b),
    (0x208, 0x209, 0x22c),
    (0x220, 0x209, 0x22d),
    (0x21a, 0x21a, 0x230),
    (0x21c, 0x21c, 0x231),
    (0x219, 0x219, 0x232),
];

/// The predefined pair of these two, for MPI_MINLOC and MPI_MAXLOC; `None` when there is none.
pub fn value_index(value: &Datatype, index: &Datatype) -> Option<usize> {
    let is_it = |(v, i, _): &&(usize, usize, usize)| *v == value.handle && *i == index.handle;
    PAIRS.iter().find(is_it).map(|(_, _, pair)| *pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_that_gfortran_selects() {
        let real = |p, r| select_real(p, r).ok();
        assert_eq!(real(6, 37), Some(Element::Float(4)));
        assert_eq!(real(6, 38), Some(Element::Float(8)));
        assert_eq!(real(UNDEFINED, 308), Some(Element::Float(16)));
        assert_eq!(real(19, UNDEFINED), Some(Element::Quad));
        assert_eq!((real(34, 1), real(1, 4932), real(UNDEFINED, UNDEFINED)), (None, None, None));
    }

    #[test]
    fn sizes_and_pairs_name_the_types_of_the_table() {
        assert_eq!(predefined::name(match_size(REAL_CLASS, 8).unwrap()), Some("MPI_REAL8"));
        assert_eq!(predefined::name(match_size(COMPLEX_CLASS, 32).unwrap()), Some("MPI_COMPLEX32"));
        for (class, size, handle) in SIZED {
            let datatype = predefined::find(*handle).expect("it is in the table");
            assert_eq!(datatype.shape.size, i64::from(*size));
            assert_eq!(match_size(*class, *size), Ok(*handle));
        }
        assert!(match_size(REAL_CLASS, 3).is_err() && match_size(7, 4).is_err());
        for (value, index, pair) in PAIRS {
            let size = |handle| predefined::find(handle).expect("it is in the table").shape.size;
            assert_eq!(size(*value) + size(*index), size(*pair));
        }
    }
}
