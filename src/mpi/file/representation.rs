//! Data representations of files (MPI-5.0 §14.5): how the data lie in the file, and how they become
//! what the program has in memory.
//!
//! `native` and `internal` are the data as they are. `external32` is the standard's portable
//! format. Others are the program's: functions that it has registered.

use crate::base::layout::Layout;
use crate::host::memory::{Region, Span, transfer};
use crate::mpi::callback::Callback;
use crate::mpi::datatype::{Address, Datatype, external32, rescaled};
use crate::mpi::error::{Class, Result};
use crate::mpi::handle_table::Held;
use crate::mpi::program::{Conversion, Program};
use std::sync::Arc;

/// The longest name of a representation, with C's null byte.
pub const MAX_NAME: usize = 128;

/// How data lie in a file.
#[derive(Clone)]
pub enum Representation {
    Native,
    Internal,
    External32,
    User(Arc<Registered>),
}

/// A representation that the program has registered.
pub struct Registered {
    pub name: Vec<u8>,
    /// `None`: the data are as in memory.
    pub read: Option<Callback>,
    pub write: Option<Callback>,
    pub extent: Callback,
    pub extra_state: usize,
    /// The functions take their lengths as an MPI_Count.
    pub is_large: bool,
}

/// Items in the program's memory.
#[derive(Clone)]
pub struct Items {
    pub buf: Address,
    pub count: i64,
    pub datatype: Held<Datatype>,
}

impl Representation {
    /// The one with this name, among these that the program has registered.
    pub fn named(name: &[u8], registered: &[Arc<Registered>]) -> Result<Representation> {
        match name {
            b"native" => return Ok(Representation::Native),
            b"internal" => return Ok(Representation::Internal),
            b"external32" => return Ok(Representation::External32),
            _ => {}
        }
        let known = registered.iter().find(|known| known.name == name);
        known.map(|known| Representation::User(known.clone())).ok_or_else(|| {
            let name = String::from_utf8_lossy(name);
            let words = format!(
                "datarep is \"{name}\"; it must be \"native\", \"internal\", \"external32\" or one \
                 that was registered"
            );
            Class::UNSUPPORTED_DATAREP.because(words)
        })
    }

    pub fn name(&self) -> &[u8] {
        match self {
            Representation::Native => b"native",
            Representation::Internal => b"internal",
            Representation::External32 => b"external32",
            Representation::User(registered) => &registered.name,
        }
    }

    /// Where the data of `datatype` lie in a file.
    pub fn layout(&self, program: &dyn Program, datatype: &Datatype) -> Result<Arc<Layout>> {
        let scaled = match self {
            Representation::Native | Representation::Internal => {
                return Ok(datatype.layout.clone());
            }
            Representation::External32 => {
                let mut is_scaled = false;
                let layout = rescaled::layout(datatype, &mut |basic| {
                    let bytes = external32::size(&basic.signature);
                    is_scaled |= bytes != basic.shape.size;
                    Ok(bytes)
                })?;
                if is_scaled { layout } else { return Ok(datatype.layout.clone()) }
            }
            Representation::User(of) => rescaled::layout(datatype, &mut |basic| {
                program.file_extent(of.extent, basic.handle, of.extra_state)
            })?,
        };
        Ok(Arc::new(scaled))
    }

    /// The bytes of data in an item of `datatype` in a file.
    pub fn bytes(&self, program: &dyn Program, datatype: &Datatype) -> Result<i64> {
        match self {
            Representation::Native | Representation::Internal => Ok(datatype.shape.size),
            Representation::External32 => Ok(external32::size(&datatype.signature)),
            _ => self.layout(program, datatype).map(|layout| layout.size()),
        }
    }

    /// The distance of items of `datatype` in a file.
    pub fn extent(&self, program: &dyn Program, datatype: &Datatype) -> Result<i64> {
        self.layout(program, datatype).map(|layout| layout.extent())
    }

    /// Whether the data of a file are those of memory, byte for byte.
    pub fn is_native(&self) -> bool {
        matches!(self, Representation::Native | Representation::Internal)
    }

    /// The data of `items` as they lie in a file: `bytes` bytes.
    pub fn encode(
        &self, program: &dyn Program, items: &Items, bytes: usize,
    ) -> Result<std::result::Result<Vec<u8>, usize>> {
        let Items { buf, count, datatype } = items;
        if let Representation::User(of) = self
            && let Some(write) = of.write
        {
            let mut out = vec![0; bytes];
            let filebuf = Span::of_mut(&mut out).address();
            program.convert(write, of.conversion(items, *count, filebuf))?;
            return Ok(Ok(out));
        }
        let region = datatype.region(*buf, *count)?;
        let mut native = vec![0; region.bytes()];
        if let Err(fault) = transfer(&region, &Span::of_mut(&mut native).into()) {
            return Ok(Err(fault.address));
        }
        match self {
            Representation::External32 => {
                external32::encode(&datatype.signature, *count, &native).map(Ok)
            }
            _ => Ok(Ok(native)),
        }
    }

    /// Stores in the program's memory what was read, as far as items or their elements are whole.
    /// Returns how many bytes these are in memory, or the address that is not there.
    pub fn decode(
        &self, program: &dyn Program, items: &Items, read: &[u8],
    ) -> Result<std::result::Result<usize, usize>> {
        let Items { buf, datatype, .. } = items;
        let each = self.bytes(program, datatype)?.max(1) as usize;
        let whole = (read.len() / each) as i64;
        let native = match self {
            Representation::User(of) if of.read.is_some() => {
                let filebuf = Span::of(read).address();
                if let Some(function) = of.read.filter(|_| whole > 0) {
                    program.convert(function, of.conversion(items, whole, filebuf))?;
                }
                return Ok(Ok(datatype.bytes(whole)?));
            }
            Representation::External32 => {
                let mut padded = read.to_vec();
                let count = read.len().div_ceil(each) as i64;
                padded.resize(count as usize * each, 0);
                let mut native = external32::decode(&datatype.signature, count, &padded);
                native.truncate(whole_bytes(datatype, whole, read.len() % each));
                native
            }
            _ => read.to_vec(),
        };
        let all: Region = datatype.region(*buf, items.count)?;
        match transfer(&Span::of(&native).into(), &all) {
            Ok(()) => Ok(Ok(native.len())),
            Err(fault) => Ok(Err(fault.address)),
        }
    }
}

/// The bytes in memory of so many items, and of the elements that are whole in the rest.
fn whole_bytes(datatype: &Datatype, items: i64, rest: usize) -> usize {
    let size = datatype.shape.size;
    let (mut left, mut bytes, mut is_over) = (rest, items * size, false);
    datatype.signature.for_each(&mut |element, count| {
        for _ in 0..count {
            let (outside, inside) = external32::lengths(element);
            is_over |= left < outside;
            if is_over {
                return;
            }
            left -= outside;
            bytes += inside as i64;
        }
    });
    bytes as usize
}

impl Registered {
    fn conversion(&self, items: &Items, count: i64, filebuf: usize) -> Conversion {
        Conversion {
            userbuf: items.buf.0,
            datatype: items.datatype.handle,
            count,
            filebuf,
            position: 0,
            extra_state: self.extra_state,
            is_large: self.is_large,
        }
    }
}
