//! Reads the parameters of calls that are not implemented yet from `mpi.h`, and translates them to
//! Fortran.

use crate::abi::header;
use crate::abi::kinds::{Flow, Form, Type};

/// The parameters of `name` in Fortran.
pub(super) fn parameters(name: &str) -> Vec<(String, Form)> {
    let (_, params) = header::prototype(name);
    params.iter().map(|param| (name_of(param).to_string(), form(name, param))).collect()
}

/// The name of a parameter: `counts` for `const int counts[]`.
pub(super) fn name_of(param: &str) -> &str {
    let named = param.split('[').next().unwrap_or(param);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let start = named.rfind(|c| !is_name(c)).map_or(0, |last| last + 1);
    &named[start..]
}

/// How Fortran declares `param` of `call`.
fn form(call: &str, param: &'static str) -> Form {
    let name = name_of(param);
    let array = param.contains("[]");
    let pointer = param.contains('*') || array;
    let read = param.starts_with("const ") || !pointer;
    let flow = if read { Flow::In } else { Flow::Out };
    let words = param.trim_start_matches("const ");
    let first = words.split([' ', '*']).next().expect("a parameter has a type");
    let one_or_more = |of, flow| if array { Form::array(of, flow) } else { Form::new(of, flow) };
    match first {
        "char" if param.contains("**") => {
            Form { shape: "count,*", ..Form::new(Type::Text, Flow::In) }
        }
        "char" => one_or_more(Type::Text, if array { Flow::In } else { flow }),
        "void" if name == "extra_state" => Form::new(Type::Address, Flow::In),
        "void" if name == "attribute_val" => {
            let is_in = call.contains("_set_");
            Form::new(Type::Address, if is_in { Flow::In } else { Flow::Out })
        }
        "void" if name == "baseptr" || name == "buffer_addr" => Form::new(Type::Pointer, Flow::Out),
        "void" => Form::new(Type::Buffer, if read { Flow::In } else { Flow::Unsaid }),
        "MPI_Status" => one_or_more(Type::Status, Flow::Unsaid),
        "MPI_Aint" | "MPI_Count" | "MPI_Offset" => one_or_more(number(first), flow),
        "int" if is_logical(name) => one_or_more(Type::Logical, flow),
        "int" if name.ends_with("_keyval") && call.contains("free") => {
            Form::new(Type::Integer, Flow::InOut)
        }
        "int" => one_or_more(Type::Integer, flow),
        _ if words.contains("_function") => {
            let (of, _) = words.rsplit_once(name).expect("the name ends it");
            Form::new(Type::Procedure(of.trim_end_matches([' ', '*'])), Flow::Unsaid)
        }
        handle if handle.starts_with("MPI_") => {
            one_or_more(Type::Handle(handle), if read { Flow::In } else { Flow::Var })
        }
        other => panic!("{call}: what is {other} in Fortran?"),
    }
}

fn number(c: &str) -> Type {
    match c {
        "MPI_Aint" => Type::Address,
        "MPI_Count" => Type::Count,
        _ => Type::Offset,
    }
}

/// Whether an `int` of this name is a truth value.
fn is_logical(name: &str) -> bool {
    const NAMES: [&str; 8] =
        ["flag", "is_set", "commute", "reorder", "periods", "remain_dims", "high", "quorum"];
    NAMES.contains(&name)
}
