//! What the library knows of Fortran on this machine, and tells those who ask (MPI-5.0 §20.4): it
//! is built for gfortran. A program may say the same again, but nothing else.

use crate::host::memory::{Span, copy};
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::info::Info;
use crate::mpi::process::Process;

/// Bytes of a default LOGICAL.
const LOGICAL_BYTES: usize = 4;
const TRUE: [u8; LOGICAL_BYTES] = 1_i32.to_ne_bytes();
const FALSE: [u8; LOGICAL_BYTES] = 0_i32.to_ne_bytes();

const FACTS: [(&str, &str); 23] = [
    ("mpi_logical_size", "4"),
    ("mpi_integer_size", "4"),
    ("mpi_real_size", "4"),
    ("mpi_double_precision_size", "8"),
    ("mpi_logical1_supported", "true"),
    ("mpi_logical2_supported", "true"),
    ("mpi_logical4_supported", "true"),
    ("mpi_logical8_supported", "true"),
    ("mpi_logical16_supported", "true"),
    ("mpi_integer1_supported", "true"),
    ("mpi_integer2_supported", "true"),
    ("mpi_integer4_supported", "true"),
    ("mpi_integer8_supported", "true"),
    ("mpi_integer16_supported", "true"),
    ("mpi_real2_supported", "true"),
    ("mpi_real4_supported", "true"),
    ("mpi_real8_supported", "true"),
    ("mpi_real16_supported", "true"),
    ("mpi_complex4_supported", "true"),
    ("mpi_complex8_supported", "true"),
    ("mpi_complex16_supported", "true"),
    ("mpi_complex32_supported", "true"),
    ("mpi_double_complex_supported", "true"),
];

/// Sizes of the types of C that the ABI leaves to the machine.
const SIZES: [(&str, &str); 3] =
    [("mpi_aint_size", "8"), ("mpi_count_size", "8"), ("mpi_offset_size", "8")];

fn info(pairs: &[(&str, &str)]) -> Info {
    let owned = |(key, value): &(&str, &str)| (key.as_bytes().into(), value.as_bytes().into());
    Info::new(pairs.iter().map(owned).collect())
}

/// What MPI_Abi_get_info says.
pub fn sizes() -> Info {
    info(&SIZES)
}

/// What MPI_Abi_get_fortran_info says.
pub fn facts() -> Info {
    info(&FACTS)
}

/// Fails when `told` says anything else than what is known.
pub fn agrees(told: &Info) -> Result {
    for (key, known) in FACTS {
        if let Some(value) = told.value(key.as_bytes())?
            && value != known.as_bytes()
        {
            let value = String::from_utf8_lossy(&value);
            let words = format!("{key} is \"{value}\", but this library has set it to \"{known}\"");
            return Err(Class::ABI.because(words));
        }
    }
    Ok(())
}

/// Writes the values of .TRUE. and .FALSE..
pub fn booleans(process: &Process, size: i32, is_true: Address, is_false: Address) -> Result {
    check_size(size)?;
    moved(process, Span::of(&TRUE), place(is_true, "logical_true")?)?;
    moved(process, Span::of(&FALSE), place(is_false, "logical_false")?)
}

/// Fails when the program has other values for .TRUE. and .FALSE..
pub fn have_booleans(process: &Process, size: i32, is_true: Address, is_false: Address) -> Result {
    check_size(size)?;
    let (mut yes, mut no) = ([0; LOGICAL_BYTES], [0; LOGICAL_BYTES]);
    moved(process, place(is_true, "logical_true")?, Span::of_mut(&mut yes))?;
    moved(process, place(is_false, "logical_false")?, Span::of_mut(&mut no))?;
    if (yes, no) == (TRUE, FALSE) {
        return Ok(());
    }
    let (yes, no) = (i32::from_ne_bytes(yes), i32::from_ne_bytes(no));
    let words = format!("the values are {yes} and {no}, but this library has set them to 1 and 0");
    Err(Class::ABI.because(words))
}

fn check_size(size: i32) -> Result {
    if size as usize == LOGICAL_BYTES {
        return Ok(());
    }
    Err(Class::ARG.because(format!("logical_size is {size}; a LOGICAL has {LOGICAL_BYTES} bytes")))
}

fn place(at: Address, name: &str) -> Result<Span> {
    match at {
        Address::BOTTOM => Err(Class::ARG.because(format!("{name} is a null pointer"))),
        Address(at) => Ok(Span::new(std::ptr::with_exposed_provenance(at), LOGICAL_BYTES)),
    }
}

fn moved(process: &Process, from: Span, to: Span) -> Result {
    copy(from, to).map_err(|fault| Failure::from(process.engine.suffer(fault.address)))
}
