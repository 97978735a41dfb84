//! The text of the Fortran modules: types, interfaces, declarations.

use super::{Procedure, constants};
use crate::abi::kinds::{Flow, Form, Type};
use std::collections::BTreeMap;

const TYPES: &str = include_str!("types.f90");
const CALLBACKS: &str = include_str!("callbacks.f90");

const HANDLES: [&str; 11] = [
    "MPI_Comm",
    "MPI_Datatype",
    "MPI_Errhandler",
    "MPI_File",
    "MPI_Group",
    "MPI_Info",
    "MPI_Message",
    "MPI_Op",
    "MPI_Request",
    "MPI_Session",
    "MPI_Win",
];

/// MPI-1 calls that `mpi_f08` does not have (MPI-5.0 §16, §17).
const OLD: [&str; 18] = [
    "MPI_Address",
    "MPI_Attr_delete",
    "MPI_Attr_get",
    "MPI_Attr_put",
    "MPI_Errhandler_create",
    "MPI_Errhandler_get",
    "MPI_Errhandler_set",
    "MPI_Keyval_create",
    "MPI_Keyval_free",
    "MPI_Type_extent",
    "MPI_Type_hindexed",
    "MPI_Type_hvector",
    "MPI_Type_lb",
    "MPI_Type_struct",
    "MPI_Type_ub",
    "MPI_Dup_fn",
    "MPI_Null_copy_fn",
    "MPI_Null_delete_fn",
];

/// Calls whose twins differ only in a procedure argument: the twin keeps its own name (MPI-5.0
/// §19.2).
const OF_OWN_NAME: [&str; 2] = ["MPI_Op_create", "MPI_Register_datarep"];

/// Parts of names of calls that change the handle they get; other calls create the handle.
const CHANGE: [&str; 9] = [
    "_free",
    "_disconnect",
    "_finalize",
    "_close",
    "_commit",
    "MPI_Wait",
    "MPI_Test",
    "MPI_Start",
    "recv",
];

/// Calls that only read the handle.
const LOOK: [&str; 2] = ["MPI_Cancel", "MPI_Request_get_status"];

const HEAD: &str =
    "! Written from the doors of the library by tools/write-modules: change them.\n\n";

type Procedures = BTreeMap<String, Vec<Procedure>>;

/// The module of derived types, which the other two use.
pub(super) fn types() -> String {
    let mut text = format!("{HEAD}{}", TYPES.split("@TYPES@").next().unwrap_or_default());
    for handle in HANDLES {
        text.push_str(&format!(
            "  TYPE, BIND(C) :: {handle}\n    INTEGER :: MPI_VAL\n  END TYPE\n\n"
        ));
    }
    for (operator, word) in [("==", "eq"), ("/=", "ne")] {
        text.push_str(&format!("  INTERFACE OPERATOR({operator})\n"));
        for handle in HANDLES {
            text.push_str(&format!(
                "    FUNCTION {handle}_{word}(lhs, rhs) RESULT(answer)\n      IMPORT :: {handle}\n\
                 \x20     TYPE({handle}), INTENT(IN) :: lhs, rhs\n      LOGICAL :: answer\n\
                 \x20   END FUNCTION\n"
            ));
        }
        text.push_str("  END INTERFACE\n\n");
    }
    text.push_str("  INTERFACE MPI_Sizeof\n");
    let numbers = [("INTEGER", "i"), ("LOGICAL", "l"), ("REAL", "r"), ("COMPLEX", "c")];
    for (of, letter) in numbers {
        let kinds: &[i32] = if "il".contains(letter) { &[1, 2, 4, 8, 16] } else { &[4, 8, 10, 16] };
        for kind in kinds {
            text.push_str(&format!(
                "    SUBROUTINE MPI_Sizeof_{letter}{kind}(x, size, ierror)\n\
                 \x20     {of}(KIND={kind}), DIMENSION(..), INTENT(IN) :: x\n\
                 \x20     INTEGER, INTENT(OUT) :: size\n\
                 \x20     INTEGER, OPTIONAL, INTENT(OUT) :: ierror\n    END SUBROUTINE\n"
            ));
        }
    }
    text.push_str("  END INTERFACE\n");
    text.push_str(TYPES.split("@TYPES@").nth(1).unwrap_or_default());
    text
}

/// The module `mpi`.
pub(super) fn old(procedures: &Procedures) -> String {
    let mut text = format!(
        "{HEAD}MODULE mpi\n  USE mpi_f08_types\n  USE, INTRINSIC :: ISO_C_BINDING, ONLY: C_PTR\n  \
         IMPLICIT NONE\n  PRIVATE :: C_PTR\n\n"
    );
    text.push_str(&constants::old());
    text.push_str("\n  ! Procedures\n\n  INTERFACE\n");
    for (prefix, procedure) in with_prefixes(procedures).filter(|(_, one)| !one.is_large) {
        text.push_str(&Writer::old(prefix, procedure).interface());
    }
    text.push_str("  END INTERFACE\n");
    for (prefix, procedure) in with_prefixes(procedures).filter(|(_, one)| one.gives_memory()) {
        let name = format!("{prefix}{}", procedure.name);
        text.push_str(&format!("\n  INTERFACE {name}\n    PROCEDURE :: {name}\n"));
        text.push_str(&Writer::pointer(prefix, procedure).interface());
        text.push_str("  END INTERFACE\n");
    }
    text.push_str("END MODULE mpi\n");
    text
}

/// The module `mpi_f08`.
pub(super) fn modern(procedures: &Procedures) -> String {
    let mut text = format!(
        "{HEAD}MODULE mpi_f08\n  USE mpi_f08_types\n  \
         USE, INTRINSIC :: ISO_C_BINDING, ONLY: C_PTR\n  IMPLICIT NONE\n  PRIVATE :: C_PTR\n\n"
    );
    text.push_str(&constants::modern());
    text.push('\n');
    text.push_str(CALLBACKS);
    text.push_str("\n  ! Functions that return a value, and their like\n\n  INTERFACE\n");
    let is_plain = |procedure: &Procedure| !procedure.returned.is_empty();
    for (prefix, procedure) in with_prefixes(procedures).filter(|(_, one)| is_plain(one)) {
        text.push_str(&Writer::modern(prefix, procedure).interface());
    }
    text.push_str("  END INTERFACE\n\n  ! Subroutines\n");
    for prefix in ["", "P"] {
        for (name, twins) in procedures {
            if !OLD.contains(&name.as_str()) && !is_plain(&twins[0]) {
                text.push_str(&generic(prefix, name, twins));
            }
        }
    }
    text.push_str("END MODULE mpi_f08\n");
    text
}

/// A generic name with its small-count and large-count forms. Where Fortran cannot tell these apart
/// on this machine, the small-count form serves both.
fn generic(prefix: &str, name: &str, twins: &[Procedure]) -> String {
    let mut text = format!("\n  INTERFACE {prefix}{name}\n");
    let mut seen: Vec<Vec<Option<Type>>> = Vec::new();
    for twin in twins {
        let signature: Vec<Option<Type>> = twin.params.iter().map(|(_, form)| told(form)).collect();
        let interface = Writer::modern(prefix, twin).interface();
        if twin.is_large && OF_OWN_NAME.contains(&name) {
            text.push_str(&format!("  END INTERFACE\n\n  INTERFACE {prefix}{name}_c\n{interface}"));
        } else if !seen.contains(&signature) {
            text.push_str(&interface);
        }
        seen.push(signature);
    }
    text.push_str("  END INTERFACE\n");
    text
}

/// The type as Fortran's overload resolution sees it: all 8-byte integers are one type.
fn told(form: &Form) -> Option<Type> {
    match form.of {
        Some(Type::Address | Type::Offset) => Some(Type::Count),
        of => of,
    }
}

fn with_prefixes(procedures: &Procedures) -> impl Iterator<Item = (&'static str, &Procedure)> {
    let all = move |prefix| procedures.values().flatten().map(move |one| (prefix, one));
    all("").chain(all("P"))
}

impl Procedure {
    /// Whether `mpi` has a second form, with a C_PTR (MPI-5.0 §9.2).
    fn gives_memory(&self) -> bool {
        !self.is_large && self.params.iter().any(|(name, _)| name == "baseptr")
    }

    /// Whether the call returns before the operation ends: the compiler must not move buffer
    /// accesses.
    fn is_nonblocking(&self) -> bool {
        let starts = self.params.iter().any(|(_, form)| {
            matches!(
                (form.of, form.shape, form.flow),
                (Some(Type::Handle("MPI_Request")), "", Flow::Var)
            )
        });
        let others = [
            "MPI_Put",
            "MPI_Get",
            "MPI_Accumulate",
            "MPI_Get_accumulate",
            "MPI_Fetch_and_op",
            "MPI_Compare_and_swap",
            "MPI_Free_mem",
        ];
        let parts = ["_begin", "_end", "_attach", "Win_create", "Win_detach", "Get_address"];
        starts
            || others.contains(&self.name.as_str())
            || parts.iter().any(|part| self.name.contains(part))
    }
}

/// Writes one interface.
struct Writer<'a> {
    procedure: &'a Procedure,
    dialect: Dialect,
    name: String,
    binding: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Old,
    /// `mpi`, in the form with a C_PTR.
    Pointer,
    Modern,
}

impl<'a> Writer<'a> {
    fn old(prefix: &str, procedure: &'a Procedure) -> Writer<'a> {
        let name = format!("{prefix}{}", procedure.name);
        Writer { procedure, dialect: Dialect::Old, name, binding: None }
    }

    fn pointer(prefix: &str, procedure: &'a Procedure) -> Writer<'a> {
        let name = format!("{prefix}{}_CPTR", procedure.name);
        let binding = Some(format!("{prefix}{}_", procedure.name).to_lowercase());
        Writer { procedure, dialect: Dialect::Pointer, name, binding }
    }

    fn modern(prefix: &str, procedure: &'a Procedure) -> Writer<'a> {
        let large = if procedure.is_large { "_c" } else { "" };
        let forms: Vec<Form> = procedure.params.iter().map(|(_, form)| *form).collect();
        let is_described = Form::are_described(&forms);
        let ending = match is_described {
            _ if !procedure.returned.is_empty() => "",
            true => "_f08ts",
            false => "_f08",
        };
        let name = format!("{prefix}{}{large}{ending}", procedure.name);
        let binding = is_described.then(|| format!("{name}_").to_lowercase());
        Writer { procedure, dialect: Dialect::Modern, name, binding }
    }

    fn interface(&self) -> String {
        let function = match self.procedure.returned {
            "c_double" => Some("REAL(KIND=8)"),
            "i64" => Some("INTEGER(KIND=MPI_ADDRESS_KIND)"),
            _ => None,
        };
        let kind = if function.is_some() { "FUNCTION" } else { "SUBROUTINE" };
        let mut names: Vec<&str> = self.procedure.params.iter().map(|(n, _)| n.as_str()).collect();
        let has_error = self.procedure.returned.is_empty();
        names.extend(has_error.then_some("ierror"));
        let binding = self.binding.as_ref().map(|name| format!(" BIND(C, NAME=\"{name}\")"));
        let head = format!(
            "    {kind} {}({}){}",
            self.name,
            names.join(", "),
            binding.unwrap_or_default()
        );
        let mut text = wrapped(&head);
        text.push_str(&self.imports(function));
        for (name, form) in &self.procedure.params {
            text.push_str(&self.declaration(name, form));
        }
        if let Some(function) = function {
            text.push_str(&format!("      {function} :: {}\n", self.name));
        }
        if has_error {
            let optional = if self.dialect == Dialect::Modern { "OPTIONAL, " } else { "" };
            text.push_str(&format!("      INTEGER, {optional}INTENT(OUT) :: ierror\n"));
        }
        text.push_str(&format!("    END {kind}\n"));
        text
    }

    fn imports(&self, function: Option<&str>) -> String {
        let types = self.procedure.params.iter().map(|(_, form)| self.type_of(form));
        let texts: Vec<String> = types.chain(function.map(str::to_string)).collect();
        let mut names: Vec<&str> = Vec::new();
        for text in &texts {
            let inner = text.split(['(', ')', ',']).nth(1).unwrap_or_default();
            let inner = if text.contains("MPI_STATUS_SIZE") { "MPI_STATUS_SIZE" } else { inner };
            let name = inner.trim_start_matches("KIND=");
            let is_name = name.starts_with("MPI_") || name == "C_PTR";
            if is_name && !names.contains(&name) {
                names.push(name);
            }
        }
        if names.is_empty() {
            String::new()
        } else {
            wrapped(&format!("      IMPORT :: {}", names.join(", ")))
        }
    }

    /// The type with its attributes, including dimensions except those of arrays.
    fn type_of(&self, form: &Form) -> String {
        let is_modern = self.dialect == Dialect::Modern;
        match form.of.expect("an absent parameter was left out") {
            Type::Integer => "INTEGER".into(),
            Type::Address => "INTEGER(KIND=MPI_ADDRESS_KIND)".into(),
            Type::Count => "INTEGER(KIND=MPI_COUNT_KIND)".into(),
            Type::Offset => "INTEGER(KIND=MPI_OFFSET_KIND)".into(),
            Type::Logical => "LOGICAL".into(),
            Type::Text => "CHARACTER(LEN=*)".into(),
            Type::Handle(name) if is_modern => format!("TYPE({name})"),
            Type::Handle(_) => "INTEGER".into(),
            Type::Status if is_modern => "TYPE(MPI_Status)".into(),
            Type::Status if form.shape.is_empty() => "INTEGER, DIMENSION(MPI_STATUS_SIZE)".into(),
            Type::Status => "INTEGER, DIMENSION(MPI_STATUS_SIZE,*)".into(),
            Type::Pointer if self.dialect != Dialect::Old => "TYPE(C_PTR)".into(),
            Type::Pointer if self.procedure.gives_memory() => {
                "INTEGER(KIND=MPI_ADDRESS_KIND)".into()
            }
            Type::Buffer if is_modern && self.binding.is_some() => "TYPE(*), DIMENSION(..)".into(),
            Type::Buffer | Type::Pointer => "TYPE(*), DIMENSION(*)".into(),
            Type::Procedure(name) if is_modern => format!("PROCEDURE({name})"),
            Type::Procedure(_) => "EXTERNAL".into(),
        }
    }

    fn declaration(&self, name: &str, form: &Form) -> String {
        let of = self.type_of(form);
        let is_buffer = form.of == Some(Type::Buffer);
        let is_status = form.of == Some(Type::Status);
        let ignored = if of == "TYPE(*), DIMENSION(*)" {
            format!(
                "      !GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}\n      !DIR$ IGNORE_TKR {name}\n"
            )
        } else {
            String::new()
        };
        let is_open = of == "TYPE(*), DIMENSION(*)" && !is_buffer;
        let flow = if is_open { None } else { self.flow(form) };
        let flow = flow.map(|flow| format!(", INTENT({flow})")).unwrap_or_default();
        let is_read = is_buffer || (!form.shape.is_empty() && form.flow == Flow::In);
        let has_buffer = self.procedure.params.iter().any(|(_, one)| one.of == Some(Type::Buffer));
        let stays = is_read && has_buffer && self.procedure.is_nonblocking();
        // A number that the operation changes when it completes.
        let is_kept = form.flow == Flow::InOut && self.procedure.is_nonblocking();
        let stays = match (stays || is_kept, self.dialect) {
            // TARGET tells gfortran that the address is kept: it then moves no assignment across
            // later calls, even if the program forgot to declare its buffer ASYNCHRONOUS.
            (true, Dialect::Modern) if is_buffer || is_kept => ", ASYNCHRONOUS, TARGET",
            (true, Dialect::Modern) => ", ASYNCHRONOUS",
            (true, _) if is_buffer || is_kept => ", TARGET",
            _ => "",
        };
        // For a status in `mpi`, the dimensions are part of the type.
        let shape = match form.shape {
            "" => String::new(),
            _ if is_status && self.dialect != Dialect::Modern => String::new(),
            shape => format!("({shape})"),
        };
        format!("{ignored}      {of}{flow}{stays} :: {name}{shape}\n")
    }

    fn flow(&self, form: &Form) -> Option<&'static str> {
        let name = &self.procedure.name;
        match form.flow {
            Flow::In => Some("IN"),
            Flow::Out => Some("OUT"),
            Flow::InOut => Some("INOUT"),
            Flow::Unsaid => None,
            Flow::Var if LOOK.contains(&name.as_str()) => Some("IN"),
            Flow::Var => {
                let is_message = form.of == Some(Type::Handle("MPI_Message"));
                let takes = CHANGE.iter().filter(|part| **part != "recv" || is_message);
                let is_probe = name.contains("probe");
                let changes = !is_probe && takes.into_iter().any(|part| name.contains(part));
                Some(if changes { "INOUT" } else { "OUT" })
            }
        }
    }
}

/// Wraps a statement into lines of limited length.
fn wrapped(statement: &str) -> String {
    const ROOM: usize = 96;
    let mut text = String::new();
    let mut rest = statement.to_string();
    while rest.len() > ROOM {
        let cut = rest[..ROOM].rfind(' ').expect("no name is that long");
        text.push_str(&format!("{} &\n", rest[..cut].trim_end()));
        rest = format!("        {}", rest[cut..].trim_start());
    }
    text + &rest + "\n"
}
