//! How Fortran's modules declare a parameter. The generator of the modules asks each kind for this.

/// Fortran's type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::abi) enum Type {
    Integer,
    /// `INTEGER(KIND=MPI_ADDRESS_KIND)`
    Address,
    /// `INTEGER(KIND=MPI_COUNT_KIND)`
    Count,
    /// `INTEGER(KIND=MPI_OFFSET_KIND)`
    Offset,
    Logical,
    /// `CHARACTER(LEN=*)`
    Text,
    Status,
    /// A handle of this type in `mpi_f08`; an `INTEGER` in `mpi`.
    Handle(&'static str),
    /// `TYPE(C_PTR)` in `mpi_f08`; in `mpi`, memory given by a choice argument or as an
    /// address-sized integer.
    Pointer,
    /// A choice buffer.
    Buffer,
    /// A procedure with this interface in `mpi_f08`; in `mpi`, any EXTERNAL procedure.
    Procedure(&'static str),
}

/// The direction in which the value passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::abi) enum Flow {
    In,
    Out,
    InOut,
    /// No INTENT: a special variable such as MPI_STATUS_IGNORE may be passed here.
    Unsaid,
    /// A handle that the call creates, frees or changes: the call's name tells which.
    Var,
}

/// How Fortran declares a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code, reason = "the generator of the modules is a test"))]
pub(in crate::abi) struct Form {
    pub(in crate::abi) of: Option<Type>,
    pub(in crate::abi) flow: Flow,
    /// Its dimensions: `""`, `"*"` or `"3,*"`.
    pub(in crate::abi) shape: &'static str,
    pub(in crate::abi) is_known: bool,
}

impl Form {
    /// The kind gives no form, which the generator rejects.
    pub(in crate::abi) const UNKNOWN: Form =
        Form { of: None, flow: Flow::Unsaid, shape: "", is_known: false };
    /// Fortran has no such parameter.
    pub(in crate::abi) const ABSENT: Form = Form { is_known: true, ..Form::UNKNOWN };

    pub(in crate::abi) const fn new(of: Type, flow: Flow) -> Form {
        Form { of: Some(of), flow, shape: "", is_known: true }
    }

    /// An array of such values; another argument gives its length.
    pub(in crate::abi) const fn array(of: Type, flow: Flow) -> Form {
        Form { shape: "*", ..Form::new(of, flow) }
    }

    /// A number with this C type.
    pub(in crate::abi) const fn number(c: &str, flow: Flow) -> Form {
        let (of, is_array) = number(c.as_bytes());
        if is_array { Form::array(of, flow) } else { Form::new(of, flow) }
    }

    /// A procedure whose type in C is this pointer to a function.
    pub(in crate::abi) const fn procedure(c: &'static str) -> Form {
        let (name, _) = c.split_at(c.len() - " *".len());
        Form::new(Type::Procedure(name), Flow::Unsaid)
    }

    /// Whether a call with these parameters gets descriptors of choice buffers, and so follows the
    /// rules of BIND(C). BIND(C) has no LOGICAL: in a call with a LOGICAL, a buffer remains an
    /// address.
    pub(in crate::abi) const fn are_described(forms: &[Form]) -> bool {
        let (mut index, mut has_buffer) = (0, false);
        while index < forms.len() {
            has_buffer |= matches!(forms[index].of, Some(Type::Buffer));
            if matches!(forms[index].of, Some(Type::Logical)) {
                return false;
            }
            index += 1;
        }
        has_buffer
    }
}

/// The Fortran type for a C type such as `const MPI_Count[]`, and whether it is an array.
const fn number(c: &[u8]) -> (Type, bool) {
    let is_array = c[c.len() - 1] == b']';
    let mut from = 0;
    while from + 4 <= c.len() {
        if has(c, from, b"Aint") {
            return (Type::Address, is_array);
        }
        if has(c, from, b"Count") {
            return (Type::Count, is_array);
        }
        if has(c, from, b"Offset") {
            return (Type::Offset, is_array);
        }
        from += 1;
    }
    (Type::Integer, is_array)
}

/// Whether `word` is at `from`.
const fn has(text: &[u8], from: usize, word: &[u8]) -> bool {
    let mut index = 0;
    while index < word.len() {
        if from + index >= text.len() || text[from + index] != word[index] {
            return false;
        }
        index += 1;
    }
    true
}
