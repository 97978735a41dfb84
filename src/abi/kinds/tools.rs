//! Kinds of the tools interface, which only C calls. What is wrong with an argument is an error of
//! that interface; places for what a call tells may be null (MPI-5.0 §15.3.3).

use crate::abi::kinds::Kind;
use crate::mpi::callback::{Callback, Language};
use crate::mpi::error::{Failure, Result};
use crate::mpi::process::Process;
use crate::mpi::tools::errors;
use crate::mpi::tools::value::{Type, Value};
use std::ffi::{CStr, c_char, c_int, c_void};

#[cold]
fn null(name: &str) -> Failure {
    errors::INVALID.because(format!("{name} is a null pointer"))
}

/// Places that a call reads or sets.
macro_rules! places {
    ($($(#[doc = $doc:literal])* $name:ident: $raw:ty = $c:literal;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name {
            at: *mut $raw,
            name: &'static str,
        }

        #[allow(dead_code, reason = "not every place is used in every way")]
        impl $name {
            /// Sets what was not asked for by a null pointer.
            pub(in crate::abi) fn set(self, value: $raw) {
                if !self.at.is_null() {
                    // SAFETY: the caller of MPI vouches for a place that is not null (§2.3).
                    unsafe { self.at.write(value) }
                }
            }

            /// The place, which must be there.
            pub(in crate::abi) fn there(self) -> Result<Self> {
                if self.at.is_null() { Err(null(self.name)) } else { Ok(self) }
            }

            /// What is there; 0 for no place.
            pub(in crate::abi) fn value(self) -> $raw {
                // SAFETY: the caller of MPI vouches for a place that is not null (§2.3).
                if self.at.is_null() { 0 } else { unsafe { self.at.read() } }
            }

            /// Sets as many elements of an array as there are and are asked for.
            pub(in crate::abi) fn fill(self, most: c_int, values: &[$raw]) -> Result {
                let most = usize::try_from(most).map_err(|_| {
                    errors::INVALID.because(format!("the length of {} is negative", self.name))
                })?;
                if self.at.is_null() {
                    return if most == 0 { Ok(()) } else { Err(null(self.name)) };
                }
                for (index, value) in values.iter().take(most).enumerate() {
                    // SAFETY: the caller of MPI vouches for `most` elements (§2.3).
                    unsafe { self.at.add(index).write(*value) }
                }
                Ok(())
            }

            pub(in crate::abi) fn is_null(self) -> bool {
                self.at.is_null()
            }
        }

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = *mut $raw;
            type Checked = Self;
            fn from_c(raw: *mut $raw) -> Self {
                Self { at: raw, name: "" }
            }
            fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
                Ok(Self { name, ..self })
            }
        }
    )*};
}

places! {
    ToolInt: c_int = "int *";
    ToolInts: c_int = "int[]";
    ToolCount: i64 = "MPI_Count *";
    ToolAints: i64 = "MPI_Aint[]";
    /// Handles are numbers of the size of a pointer.
    ToolDatatype: usize = "MPI_Datatype *";
    ToolDatatypes: usize = "MPI_Datatype[]";
    ToolInfo: usize = "MPI_Info *";
    ToolEnum: usize = "MPI_T_enum *";
    ToolCvar: usize = "MPI_T_cvar_handle *";
    ToolPvar: usize = "MPI_T_pvar_handle *";
    ToolSession: usize = "MPI_T_pvar_session *";
    ToolRegistration: usize = "MPI_T_event_registration *";
    ToolOrder: c_int = "MPI_T_source_order *";
}

/// Handles that a call takes; what they stand for is looked up later.
macro_rules! handles {
    ($($name:ident = $c:literal;)*) => {$(
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name(usize);

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = *mut c_void;
            type Checked = usize;
            fn from_c(raw: *mut c_void) -> Self {
                Self(raw.addr())
            }
            fn check(self, _: &'static Process, _: &'static str) -> Result<usize> {
                Ok(self.0)
            }
        }
    )*};
}

handles! {
    EnumHandle = "MPI_T_enum";
    CvarHandle = "MPI_T_cvar_handle";
    PvarHandle = "MPI_T_pvar_handle";
    PvarSession = "MPI_T_pvar_session";
    EventRegistration = "MPI_T_event_registration";
    EventInstance = "MPI_T_event_instance";
    UserData = "void *";
}

/// Functions of the tool; null takes one off.
macro_rules! functions {
    ($($name:ident = $c:literal;)*) => {$(
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name(usize);

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = *const c_void;
            type Checked = Callback;
            fn from_c(raw: *const c_void) -> Self {
                Self(raw.expose_provenance())
            }
            fn check(self, _: &'static Process, _: &'static str) -> Result<Callback> {
                Ok(Callback { code: self.0, language: Language::C })
            }
        }
    )*};
}

functions! {
    EventFunction = "MPI_T_event_cb_function";
    EventFreeFunction = "MPI_T_event_free_cb_function";
    DroppedFunction = "MPI_T_event_dropped_cb_function";
}

/// A level of safety of callbacks, as a number.
#[derive(Clone, Copy)]
pub(in crate::abi) struct Safety(c_int);

impl Kind for Safety {
    const C: &'static str = "MPI_T_cb_safety";
    type Raw = c_int;
    type Checked = i32;
    fn from_c(raw: c_int) -> Self {
        Self(raw)
    }
    fn check(self, _: &'static Process, _: &'static str) -> Result<i32> {
        Ok(self.0)
    }
}

/// The name of a variable, a category or an event.
#[derive(Clone, Copy)]
pub(in crate::abi) struct ToolName(*const c_char);

impl Kind for ToolName {
    const C: &'static str = "const char *";
    type Raw = *const c_char;
    type Checked = Result<&'static [u8]>;
    fn from_c(raw: *const c_char) -> Self {
        Self(raw)
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Result<&'static [u8]>> {
        if self.0.is_null() {
            return Ok(Err(null(name)));
        }
        // SAFETY: the caller of MPI vouches for a null-terminated string (§2.3), which is read
        // during the call only.
        Ok(Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes()))
    }
}

/// Room for a text, whose length stands in another argument.
#[derive(Clone, Copy)]
pub(in crate::abi) struct TextRoom(*mut c_char);

impl Kind for TextRoom {
    const C: &'static str = "char *";
    type Raw = *mut c_char;
    type Checked = Self;
    fn from_c(raw: *mut c_char) -> Self {
        Self(raw)
    }
    fn check(self, _: &'static Process, _: &'static str) -> Result<Self> {
        Ok(self)
    }
}

impl TextRoom {
    /// Writes as much of `text` as there is room for, and how much room all of it takes (MPI-5.0
    /// §15.3.3).
    pub(in crate::abi) fn set(self, length: ToolInt, text: &str) {
        if length.is_null() {
            return;
        }
        let room = usize::try_from(length.value()).unwrap_or(0);
        length.set(c_int::try_from(text.len() + 1).unwrap_or(c_int::MAX));
        if self.0.is_null() || room == 0 {
            return;
        }
        let most = text.len().min(room - 1);
        for (index, byte) in text.bytes().take(most).chain([0]).enumerate() {
            // SAFETY: the caller of MPI vouches for a buffer of that length (§2.3).
            unsafe { self.0.add(index).write(byte as c_char) }
        }
    }
}

/// Memory for a value.
#[derive(Clone, Copy)]
pub(in crate::abi) struct ValueRoom {
    at: *mut c_void,
    name: &'static str,
}

impl Kind for ValueRoom {
    const C: &'static str = "void *";
    type Raw = *mut c_void;
    type Checked = Self;
    fn from_c(raw: *mut c_void) -> Self {
        Self { at: raw, name: "" }
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        Ok(Self { name, ..self })
    }
}

impl ValueRoom {
    /// Writes a value, `offset` bytes in.
    pub(in crate::abi) fn put(self, offset: usize, value: &Value) -> Result {
        if self.at.is_null() {
            return Err(null(self.name));
        }
        let text;
        let bytes: &[u8] = match value {
            Value::Int(number) => &number.to_ne_bytes(),
            Value::Size(number) => &number.to_ne_bytes(),
            Value::Real(number) => &number.to_ne_bytes(),
            Value::Count(number) => &number.to_ne_bytes(),
            Value::Text(words) => {
                text = [words.as_bytes(), &[0]].concat();
                &text
            }
        };
        for (index, byte) in bytes.iter().enumerate() {
            // SAFETY: the caller of MPI vouches for room for such a value (§2.3).
            unsafe { self.at.cast::<u8>().add(offset + index).write(*byte) }
        }
        Ok(())
    }

    /// The handle of a communicator that lies there.
    pub(in crate::abi) fn comm(self) -> Result<usize> {
        match self.at.is_null() {
            true => Err(null(self.name)),
            // SAFETY: the caller of MPI vouches for an object of the sort that the variable is
            // bound to.
            false => Ok(unsafe { self.at.cast::<usize>().read() }),
        }
    }
}

/// A value that the tool gives.
#[derive(Clone, Copy)]
pub(in crate::abi) struct GivenValue {
    at: *const c_void,
    name: &'static str,
}

impl Kind for GivenValue {
    const C: &'static str = "const void *";
    type Raw = *const c_void;
    type Checked = Self;
    fn from_c(raw: *const c_void) -> Self {
        Self { at: raw, name: "" }
    }
    fn check(self, _: &'static Process, name: &'static str) -> Result<Self> {
        Ok(Self { name, ..self })
    }
}

impl GivenValue {
    pub(in crate::abi) fn there(self) -> Result<Self> {
        if self.at.is_null() { Err(null(self.name)) } else { Ok(self) }
    }

    /// The value, which is of this type.
    pub(in crate::abi) fn read(self, value_type: Type) -> Value {
        let mut bytes = [0; 8];
        for (index, byte) in bytes.iter_mut().take(value_type.bytes()).enumerate() {
            // SAFETY: the caller of MPI vouches for a value of the variable's type (§2.3).
            *byte = unsafe { self.at.cast::<u8>().add(index).read() };
        }
        match value_type {
            Type::Int => Value::Int(i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            Type::Real => Value::Real(f64::from_ne_bytes(bytes)),
            Type::Count => Value::Count(i64::from_ne_bytes(bytes)),
            Type::Size | Type::Text => Value::Size(u64::from_ne_bytes(bytes)),
        }
    }
}
