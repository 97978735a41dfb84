//! Packing and unpacking (MPI-5.0 §5.2): data in one piece, as they are or as `external32`.

use crate::host::memory::{Region, Span, transfer};
use crate::mpi::datatype::external32;
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::process::Process;

/// A buffer of packed data: `size` bytes, those before `position` used already.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    pub buf: Address,
    pub size: i64,
    pub position: i64,
}

impl Packed {
    /// The next `bytes`, and the position behind them.
    fn next(&self, bytes: usize) -> Result<(Region, i64)> {
        let Packed { buf, size, position } = *self;
        if !(0..=size).contains(&position) {
            let words = format!("position is {position}; it must be between 0 and {size}");
            return Err(Class::ARG.because(words));
        }
        let left = size - position;
        if i64::try_from(bytes).is_ok_and(|bytes| bytes > left) {
            let words = format!(
                "the packed data take {bytes} bytes; behind position {position} of {size} are \
                 {left}"
            );
            return Err(Class::TRUNCATE.because(words));
        }
        if bytes > 0 && buf.0 < Address::LOWEST {
            let words = format!(
                "the buffer of packed data is a null pointer, but its size is {size} bytes"
            );
            return Err(Class::BUFFER.because(words));
        }
        let start = std::ptr::with_exposed_provenance(buf.0.wrapping_add(position as usize));
        Ok((Span::new(start, bytes).into(), position + bytes as i64))
    }
}

fn moved(process: &Process, from: &Region, to: &Region) -> Result {
    transfer(from, to).map_err(|fault| Failure::from(process.engine.suffer(fault.address)))
}

/// Puts `count` items behind what is packed already; returns the position behind them.
pub fn pack(
    process: &Process, datatype: &Datatype, buf: Address, count: i64, packed: &Packed,
) -> Result<i64> {
    let data = datatype.region(buf, count)?;
    let (room, position) = packed.next(data.bytes())?;
    moved(process, &data, &room)?;
    Ok(position)
}

/// Takes the next `count` items out of packed data; returns the position behind them.
pub fn unpack(
    process: &Process, datatype: &Datatype, buf: Address, count: i64, packed: &Packed,
) -> Result<i64> {
    let into = datatype.region(buf, count)?;
    let (data, position) = packed.next(into.bytes())?;
    moved(process, &data, &into)?;
    Ok(position)
}

/// How many bytes `count` items take when they are packed.
pub fn size(datatype: &Datatype, count: i64) -> Result<i64> {
    datatype.bytes(count).map(|bytes| bytes as i64)
}

/// Fails unless this library knows the representation.
fn judge(datarep: &[u8]) -> Result {
    if datarep == b"external32" {
        return Ok(());
    }
    let words = format!(
        "datarep is \"{}\"; data can be packed as \"external32\"",
        String::from_utf8_lossy(datarep)
    );
    Err(Class::UNSUPPORTED_DATAREP.because(words))
}

/// Bytes outside of `count` items.
fn external_bytes(datatype: &Datatype, count: i64) -> Result<usize> {
    let bytes = external32::size(&datatype.signature).checked_mul(count);
    bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(|| {
        let words = format!("count is {count}; a buffer of that size exceeds the address space");
        Class::COUNT.because(words)
    })
}

/// How many bytes `count` items take in this representation.
pub fn external_size(datarep: &[u8], datatype: &Datatype, count: i64) -> Result<i64> {
    judge(datarep)?;
    external_bytes(datatype, count).map(|bytes| bytes as i64)
}

/// Packs for other machines.
pub fn pack_external(
    process: &Process, datarep: &[u8], datatype: &Datatype, buf: Address, count: i64,
    packed: &Packed,
) -> Result<i64> {
    judge(datarep)?;
    let data = datatype.region(buf, count)?;
    let (room, position) = packed.next(external_bytes(datatype, count)?)?;
    let mut native = vec![0; data.bytes()];
    moved(process, &data, &Span::of_mut(&mut native).into())?;
    let external = external32::encode(&datatype.signature, count, &native)?;
    moved(process, &Span::of(&external).into(), &room)?;
    Ok(position)
}

/// Unpacks what was packed for other machines.
pub fn unpack_external(
    process: &Process, datarep: &[u8], datatype: &Datatype, buf: Address, count: i64,
    packed: &Packed,
) -> Result<i64> {
    judge(datarep)?;
    let into = datatype.region(buf, count)?;
    let (data, position) = packed.next(external_bytes(datatype, count)?)?;
    let mut external = vec![0; data.bytes()];
    moved(process, &data, &Span::of_mut(&mut external).into())?;
    let native = external32::decode(&datatype.signature, count, &external);
    moved(process, &Span::of(&native).into(), &into)?;
    Ok(position)
}
