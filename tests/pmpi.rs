//! The profiling interface: tools in C and Fortran see every call, linked in or preloaded, and the
//! library makes none itself (MPI-5.0 §15.2).

use std::fmt::Write;
use std::process::Command;
use support::{Program, Run};

const HEADER: &str = include_str!("../include/mpi.h");

/// A function of the header: what it returns, its name, its parameters as they are written.
struct Function {
    returns: String,
    name: String,
    parameters: String,
}

impl Function {
    /// Every function but the name-shifted ones.
    fn all() -> Vec<Function> {
        let lines = HEADER.lines().filter(|line| !line.starts_with(['#', ' ']));
        let prototypes = lines.filter(|line| line.ends_with(");") && !line.starts_with("typedef"));
        let functions = prototypes.map(|line| {
            let (start, parameters) = line.split_once('(').expect("a prototype has parameters");
            let (returns, name) = start.rsplit_once(' ').expect("a type and a name");
            let parameters = parameters.trim_end_matches(");").to_string();
            Function { returns: returns.into(), name: name.into(), parameters }
        });
        let functions = functions.filter(|function| function.name.starts_with("MPI_"));
        functions.collect()
    }

    /// The names of the parameters; none of a variable list's.
    fn arguments(&self) -> Vec<String> {
        let name = |parameter: &str| {
            let named = parameter.split('[').next().expect("a split has a first part");
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            named.trim()[named.trim().trim_end_matches(is_name).len()..].to_string()
        };
        let parameters = self.parameters.split(',').map(str::trim);
        parameters.filter(|it| *it != "void" && *it != "...").map(name).collect()
    }
}

/// A tool that counts calls and passes them on.
fn tool() -> String {
    let functions = Function::all();
    let mut text = String::from("#include <mpi.h>\n#include <string.h>\n");
    writeln!(text, "static int counts[{}];", functions.len()).expect("text has room");
    let mut names = String::new();
    for (index, function) in functions.iter().enumerate() {
        let Function { returns, name, parameters } = function;
        let arguments = function.arguments().join(", ");
        writeln!(
            text,
            "{returns} {name}({parameters})\n{{\n    __atomic_add_fetch(&counts[{index}], 1, 5);\n\
             \x20   return P{name}({arguments});\n}}"
        )
        .expect("text has room");
        write!(names, "\"{name}\", ").expect("text has room");
    }
    text + "int tool_count(const char *name)\n{\n    static const char *const names[] = {"
        + &names
        + "};\n    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)\n        \
           if (strcmp(names[i], name) == 0)\n            return counts[i];\n    return -1;\n}\n"
}

/// The functions as a table, for the program.
fn table() -> String {
    let functions = Function::all();
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let pointers: Vec<String> = names.iter().map(|name| format!("(void *){name}")).collect();
    format!(
        "#include <mpi.h>\nconst char *const pmpi_names[] = {{{}}};\n\
         void *const pmpi_functions[] = {{{}}};\nconst int pmpi_size = {};\n",
        quoted.join(", "),
        pointers.join(", "),
        names.len()
    )
}

/// The program with its table; the tool is yet to come.
fn program() -> support::Source {
    support::c("pmpi.c").and(&text_file("table.c", &table())).flags(&["-O1"])
}

fn text_file(name: &str, text: &str) -> String {
    let file = support::fresh_directory("pmpi").join(name);
    std::fs::write(&file, text).expect("the directory is new");
    file.to_string_lossy().into_owned()
}

/// Has seen nothing. A tool that is preloaded comes before it.
fn no_tool() -> Program {
    let text = "int tool_count(const char *name) { (void)name; return -1; }\n\
                void tool_seen_(int *seen) { *seen = -1; }\n";
    support::c_text("no_tool", text).library("no_tool")
}

fn counts(run: impl Fn(&Program) -> Run, program: &Program) {
    run(program).ranks(1).args(["everything"]).succeeds();
    run(program).ranks(3).args(["inside"]).succeeds();
}

#[test]
fn a_tool_that_is_linked_in_sees_every_call() {
    let program = program().and(&text_file("tool.c", &tool())).build();
    counts(support::run, &program);
}

#[test]
fn a_tool_in_a_library_of_the_program_sees_every_call() {
    let tool = support::c_text("tool", &tool()).library("tool_beside");
    counts(support::run, &program().link(&tool).build());
}

#[test]
fn a_tool_that_is_preloaded_sees_every_call() {
    let tool = support::c_text("tool", &tool()).library("tool_before");
    let run = |program: &Program| support::run(program).env("LD_PRELOAD", tool.path());
    counts(run, &program().link(&no_tool()).build());
}

/// What worlds and groups do to meet, they do without calls that a tool would count.
#[test]
fn a_tool_sees_groups_meet_and_worlds_being_spawned() {
    let witness = "#include <stdio.h>\nint tool_count(const char *name);\n\
         static void __attribute__((destructor)) tell(void)\n{\n    \
         printf(\"accept %d connect %d spawn %d multiple %d disconnect %d\\n\",\n        \
         tool_count(\"MPI_Comm_accept\"), tool_count(\"MPI_Comm_connect\"),\n        \
         tool_count(\"MPI_Comm_spawn\"), tool_count(\"MPI_Comm_spawn_multiple\"),\n        \
         tool_count(\"MPI_Comm_disconnect\"));\n}\n";
    let with_tool = |file: &str| {
        let source = support::c(file).and(&text_file("tool.c", &tool()));
        source.and(&text_file("witness.c", witness)).flags(&["-O1"]).build()
    };
    let seen = support::run(&with_tool("ports.c")).ranks(4).args(["serve", "3"]).succeeds();
    assert_eq!(seen.lines_with("accept 3 connect 0 spawn 0 multiple 0 disconnect 3"), 2, "{seen}");
    assert_eq!(seen.lines_with("accept 0 connect 3 spawn 0 multiple 0 disconnect 3"), 2, "{seen}");
    // The first rank alone spawns once more, and three calls fail.
    let seen = support::run(&with_tool("spawn.c")).ranks(2).succeeds();
    let lines = [
        "accept 0 connect 0 spawn 5 multiple 1 disconnect 3",
        "accept 0 connect 0 spawn 4 multiple 1 disconnect 2",
        "accept 0 connect 0 spawn 0 multiple 0 disconnect 1",
    ];
    assert_eq!(lines.map(|line| seen.lines_with(line)), [1, 1, 8], "{seen}");
}

#[test]
fn a_wrapper_in_fortran_sees_the_calls_of_fortran() {
    let linked = support::fortran("pmpi_tool.f90").and("pmpi.f90").build();
    support::run(&linked).ranks(3).succeeds();
    let tool = support::fortran("pmpi_tool.f90").library("tool_in_fortran");
    let program = support::fortran("pmpi.f90").link(&no_tool()).build();
    support::run(&program).ranks(3).env("LD_PRELOAD", tool.path()).succeeds();
}

#[test]
fn a_wrapper_has_the_specific_names_of_mpi_f08() {
    let mpifort = support::tool("mpifort").display().to_string();
    let fortran = |file| support::fortran(file).compiler(&mpifort);
    let linked = fortran("pmpi_tool08.f90").and("pmpi08.f90").build();
    support::run(&linked).ranks(2).succeeds();
    let tool = fortran("pmpi_tool08.f90").library("tool_of_f08");
    let program = fortran("pmpi08.f90").link(&no_tool()).build();
    support::run(&program).ranks(2).env("LD_PRELOAD", tool.path()).succeeds();
}

/// By what the linker left to be resolved, and by the code itself.
#[test]
fn the_library_calls_no_function_of_mpi_itself() {
    let library = support::library_directory().join("libftmpi_rs.so");
    let read = |tool: &str, words: &[&str]| {
        let output = Command::new(tool).args(words).arg(&library).output();
        let output = output.unwrap_or_else(|error| panic!("{tool}: {error}"));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let names = |line: &str| {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.clone().any(|word| {
            let word = word.strip_prefix(['P', 'p']).unwrap_or(word);
            word.starts_with("MPI_") || word.starts_with("mpi_") && word.ends_with('_')
        })
    };
    let relocations = read("readelf", &["--relocs", "--wide"]);
    // That of no conversion is only compared with what programs pass.
    let is_call = |line: &&str| names(line) && !line.contains("mpi_conversion_fn_null_");
    let open: Vec<&str> = relocations.lines().filter(is_call).collect();
    assert!(relocations.lines().count() > 100, "readelf shows relocations");
    assert!(open.is_empty(), "{}", open.join("\n"));
    let code = read("objdump", &["--disassemble", "--no-show-raw-insn", "--no-addresses"]);
    assert!(code.lines().any(|line| line.contains("<MPI_Send>:")), "objdump shows functions");
    let is_call = |line: &&str| {
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap_or_default();
        let target = words.next_back().unwrap_or_default();
        // A function of C may jump within itself, and its twin may be the same code. Those of Rust
        // carry the names of types.
        verb == "call" && target.starts_with('<') && !target.starts_with("<_") && names(target)
    };
    let calls: Vec<&str> = code.lines().filter(is_call).collect();
    assert!(calls.is_empty(), "{}", calls.join("\n"));
}
