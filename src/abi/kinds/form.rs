//! How Fortran's modules declare a parameter: what the generator of the modules asks of a kind.

/// What Fortran calls the type of a parameter.
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
    /// A handle of this type in `mpi_f08`, an `INTEGER` before.
    Handle(&'static str),
    /// `TYPE(C_PTR)` in `mpi_f08`; before, memory that a choice argument or an address-sized
    /// integer gives.
    Pointer,
    /// A choice buffer.
    Buffer,
    /// A procedure with this interface in `mpi_f08`; before, anything EXTERNAL.
    Procedure(&'static str),
}

/// Which way the value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::abi) enum Flow {
    In,
    Out,
    InOut,
    /// A special variable such as MPI_STATUS_IGNORE may stand here, so nothing is said.
    Unsaid,
    /// A handle that the call makes, takes away or changes: the call's name tells.
    Var,
}

/// The form of a parameter.
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
    /// The kind does not say: the generator complains.
    pub(in crate::abi) const UNKNOWN: Form =
        Form { of: None, flow: Flow::Unsaid, shape: "", is_known: false };
    /// Fortran has no such parameter.
    pub(in crate::abi) const ABSENT: Form = Form { is_known: true, ..Form::UNKNOWN };

    pub(in crate::abi) const fn new(of: Type, flow: Flow) -> Form {
        Form { of: Some(of), flow, shape: "", is_known: true }
    }

    /// An array of such values, as long as another argument says.
    pub(in crate::abi) const fn array(of: Type, flow: Flow) -> Form {
        Form { shape: "*", ..Form::new(of, flow) }
    }

    /// A number whose C type has this name.
    pub(in crate::abi) const fn number(c: &str, flow: Flow) -> Form {
        let (of, is_array) = number(c.as_bytes());
        if is_array { Form::array(of, flow) } else { Form::new(of, flow) }
    }

    /// A procedure whose type in C is a pointer to a function of this type.
    pub(in crate::abi) const fn procedure(c: &'static str) -> Form {
        let (name, _) = c.split_at(c.len() - " *".len());
        Form::new(Type::Procedure(name), Flow::Unsaid)
    }

    /// Whether a call of such parameters gets descriptors of choice buffers, and so goes by the
    /// rules of BIND(C). These know no LOGICAL: beside one, a buffer is an address as ever.
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

/// The type of `const MPI_Count[]` and the like, and whether it is an array.
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

/// Whether `word` stands at `from`.
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
