//! Kinds for what is to be spawned: commands, their arguments, and the codes of what came of it.

use crate::abi::fortran;
use crate::abi::kinds::list::length;
use crate::abi::kinds::{Flow, Form, Fortran, Kind, NoLength, Type};
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use std::ffi::{CStr, c_char, c_int};

/// An array of texts as the caller passes it: of pointers in C, of CHARACTERs of this length in
/// Fortran.
#[derive(Clone, Copy)]
enum Texts {
    C(*const *const c_char),
    Fortran { at: *const c_char, bytes: usize },
}

impl Texts {
    fn is_null(self) -> bool {
        match self {
            Texts::C(at) => at.is_null(),
            Texts::Fortran { at, .. } => at.is_null(),
        }
    }

    /// The text at `index`; `None` for one that ends an array.
    fn get(self, index: usize) -> Option<Vec<u8>> {
        match self {
            Texts::C(at) => {
                // SAFETY: the caller of MPI vouches for the array up to its end (§2.3).
                let text = unsafe { at.add(index).read() };
                // SAFETY: as above; texts are terminated.
                (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes().to_vec())
            }
            Texts::Fortran { at, bytes } => {
                // SAFETY: Fortran passes the length of its CHARACTERs; the caller vouches for the
                // array up to its end.
                let text = unsafe { at.add(index * bytes) };
                // SAFETY: as above.
                let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), bytes) };
                // MPI_ARGV_NULL is a variable that holds zero.
                let is_blank = |byte: &u8| *byte == b' ' || *byte == 0;
                let end = text.iter().rposition(|byte| !is_blank(byte))?;
                Some(text[..=end].to_vec())
            }
        }
    }

    /// All texts up to the end of the array, `step` places apart.
    fn all(self, first: usize, step: usize) -> Vec<Vec<u8>> {
        match self.is_null() {
            true => Vec::new(),
            false => (0..).map_while(|index| self.get(first + index * step)).collect(),
        }
    }
}

macro_rules! texts {
    ($($(#[doc = $doc:literal])* $name:ident: $c:literal, $raw:ty, $shape:literal;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(in crate::abi) struct $name {
            texts: Texts,
        }

        impl Kind for $name {
            const C: &'static str = $c;
            type Raw = $raw;
            type Checked = Self;
            fn from_c(raw: $raw) -> Self {
                Self { texts: Texts::C(raw.cast()) }
            }
            fn check(self, _: &'static Process, _: &'static str) -> Result<Self> {
                Ok(self)
            }
        }

        impl Fortran for $name {
            type Wire = *const c_char;
            type Length = usize;
            const FORM: Form = Form { shape: $shape, ..Form::new(Type::Text, Flow::In) };
            unsafe fn enter(wire: *const c_char, bytes: usize) -> Self {
                Self { texts: Texts::Fortran { at: wire, bytes } }
            }
        }
    )*};
}

texts! {
    /// The arguments of one command.
    Arguments: "char *[]", *mut *mut c_char, "*";
    /// Commands.
    Commands: "char *[]", *mut *mut c_char, "*";
    /// The arguments of several commands.
    ArgumentLists: "char **[]", *mut *mut *mut c_char, "count,*";
}

impl Arguments {
    /// All of them.
    pub(in crate::abi) fn read(self) -> Vec<Vec<u8>> {
        self.texts.all(0, 1)
    }
}

impl Commands {
    /// The first `count`.
    pub(in crate::abi) fn read(self, count: i32) -> Result<Vec<Vec<u8>>> {
        const NAME: &str = "array_of_commands";
        let count = length(self.texts.is_null(), count.into(), NAME)?;
        let no_command = |index: usize| {
            Class::ARG.because(format!("{NAME}[{index}] is not the name of a program"))
        };
        let get = |index| self.texts.get(index).ok_or_else(|| no_command(index));
        (0..count).map(get).collect()
    }
}

impl ArgumentLists {
    /// Those of the command at `index`, of `count` commands.
    pub(in crate::abi) fn read(self, index: usize, count: i32) -> Vec<Vec<u8>> {
        let is_absent = self.texts.is_null();
        match self.texts {
            _ if is_absent => Vec::new(),
            Texts::C(lists) => {
                let lists = lists.cast::<*const *const c_char>();
                // SAFETY: the caller of MPI vouches for a list for each command (§2.3).
                Texts::C(unsafe { lists.add(index).read() }).all(0, 1)
            }
            // MPI_ARGVS_NULL is one variable, shorter than a column.
            Texts::Fortran { .. } if self.is_null_of_fortran() => Vec::new(),
            texts @ Texts::Fortran { .. } => texts.all(index, usize::try_from(count).unwrap_or(1)),
        }
    }

    /// Whether Fortran has passed MPI_ARGVS_NULL, which holds zero.
    fn is_null_of_fortran(self) -> bool {
        match self.texts {
            // SAFETY: an array of CHARACTERs has a first byte.
            Texts::Fortran { at, .. } => unsafe { at.read() == 0 },
            Texts::C(_) => false,
        }
    }
}

/// Where the codes of spawned ranks go, if the caller wants them.
#[derive(Clone, Copy)]
pub(in crate::abi) struct OutCodes(*mut c_int);

impl OutCodes {
    /// Writes the codes.
    pub(in crate::abi) fn fill(self, codes: &[i32]) {
        for (index, code) in codes.iter().enumerate().filter(|_| !self.0.is_null()) {
            // SAFETY: the caller of MPI vouches for a code for each rank that it asks for (§2.3).
            unsafe { self.0.add(index).write(*code) }
        }
    }
}

impl Kind for OutCodes {
    const C: &'static str = "int[]";
    type Raw = *mut c_int;
    type Checked = Self;
    fn from_c(raw: *mut c_int) -> Self {
        Self(raw)
    }
    fn check(self, _: &'static Process, _: &'static str) -> Result<Self> {
        Ok(self)
    }
}

impl Fortran for OutCodes {
    type Wire = *mut c_int;
    type Length = NoLength;
    const FORM: Form = Form::array(Type::Integer, Flow::Out);
    unsafe fn enter(wire: *mut c_int, _: NoLength) -> Self {
        Self(fortran::unless_ignored(wire))
    }
}
