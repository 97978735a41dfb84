//! Fortran's modules `mpi` and `mpi_f08`: every procedure can be called and is in the library,
//! programs that use them run, and wrong programs are refused by the compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use support::{Handles, Outcome, Program};

/// A procedure as a module declares it.
#[derive(Debug)]
struct Procedure {
    /// What programs call it.
    generic: String,
    symbol: String,
    is_function: bool,
    /// Names and types of what it takes.
    params: Vec<(String, String)>,
}

/// The statements of a module's source, each on a line of its own.
fn statements(file: &str) -> Vec<String> {
    let path = support::root().join("include/generated").join(file);
    let text = std::fs::read_to_string(path).unwrap().replace(" &\n", " ");
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.starts_with('!')).collect()
}

fn procedures(file: &str) -> Vec<Procedure> {
    let mut found: Vec<Procedure> = Vec::new();
    let mut generic = None;
    let mut inside = false;
    for line in statements(file) {
        if let Some(name) = line.strip_prefix("INTERFACE") {
            generic = Some(name.trim().to_string()).filter(|name| !name.is_empty());
        } else if line == "ABSTRACT INTERFACE" {
            generic = Some("ABSTRACT".to_string());
        } else if let Some(rest) =
            line.strip_prefix("SUBROUTINE ").or_else(|| line.strip_prefix("FUNCTION "))
        {
            let (name, rest) = rest.split_once('(').unwrap();
            let (names, rest) = rest.split_once(')').unwrap();
            let bound = rest.split('"').nth(1).map(str::to_string);
            let names = names.split(", ").filter(|name| !name.is_empty());
            found.push(Procedure {
                generic: generic.clone().unwrap_or_else(|| name.to_string()),
                symbol: bound.unwrap_or_else(|| format!("{}_", name.to_lowercase())),
                is_function: line.starts_with("FUNCTION"),
                params: names.map(|name| (name.to_string(), String::new())).collect(),
            });
            inside = true;
        } else if line.starts_with("END") {
            inside = false;
        } else if let Some((of, name)) = line.split_once(" :: ").filter(|_| inside) {
            let name = name.split('(').next().unwrap();
            let procedure = found.last_mut().unwrap();
            if let Some(param) = procedure.params.iter_mut().find(|(param, _)| param == name) {
                let shape = match line.rsplit_once('(') {
                    Some((_, dimensions)) if dimensions.ends_with(",*)") => " table",
                    Some((_, "*)")) if line.ends_with("(*)") => " array",
                    _ => "",
                };
                param.1 = of.to_string() + shape;
            }
        }
    }
    found.retain(|procedure| procedure.generic != "ABSTRACT");
    found
}

/// A variable that can stand for a parameter of this type.
fn variable(of: &str) -> String {
    let kind = match of {
        _ if of.starts_with("TYPE(*)") => return "anything(::2)".into(),
        _ if of.starts_with("INTEGER, DIMENSION(MPI_STATUS_SIZE,*)") => {
            return "oldstatuses".into();
        }
        _ if of.starts_with("INTEGER, DIMENSION(MPI_STATUS_SIZE)") => return "oldstatus".into(),
        _ if of.starts_with("EXTERNAL") => return "a_procedure".into(),
        _ if of.starts_with("PROCEDURE(") => {
            let name = of.split(['(', ')']).nth(1).unwrap();
            return format!("a_{name}").to_lowercase();
        }
        _ if of.starts_with("INTEGER(KIND=") => "long".into(),
        _ if of.starts_with("INTEGER") => "number".into(),
        _ if of.starts_with("LOGICAL") => "truth".into(),
        _ if of.starts_with("CHARACTER") => "text".into(),
        _ if of.starts_with("TYPE(") => {
            let name = of.split(['(', ')']).nth(1).unwrap();
            format!("the_{}", name.to_lowercase())
        }
        _ => panic!("what is {of}?"),
    };
    match of.rsplit_once(' ') {
        Some((_, "array")) => format!("{kind}s"),
        Some((_, "table")) => format!("{kind}table"),
        _ => kind,
    }
}

/// Calls every procedure of `module` with every argument by its name.
fn all_calls(module: &str) -> String {
    let procedures = procedures(&format!("{module}.f90"));
    let mut text = format!(
        "module calls\nuse {module}\nuse, intrinsic :: iso_c_binding, only: c_ptr\nimplicit none\n\
         integer :: number, numbers(9), numbertable(3,3)\n\
         integer :: oldstatus(MPI_STATUS_SIZE), oldstatuses(MPI_STATUS_SIZE,2)\n\
         integer(MPI_COUNT_KIND) :: long, longs(9)\nlogical :: truth, truths(9)\n\
         character(9) :: text, texts(9), texttable(9,9)\nreal :: anything(9)\n\
         type(c_ptr) :: the_c_ptr\n\
         external :: a_procedure\n"
    );
    let of_all = |part: &str| -> BTreeSet<String> {
        let types = procedures.iter().flat_map(|procedure| &procedure.params);
        let parts = types.filter_map(|(_, of)| of.split_once(part)?.1.split(')').next());
        parts.filter(|name| name.starts_with("MPI_")).map(str::to_string).collect()
    };
    for handle in of_all("TYPE(") {
        let name = handle.to_lowercase();
        let _ = writeln!(text, "type({handle}) :: the_{name}, the_{name}s(9)");
    }
    for function in of_all("PROCEDURE(") {
        let _ = writeln!(text, "procedure({function}) :: a_{}", function.to_lowercase());
    }
    text.push_str("contains\n");
    for (index, procedure) in procedures.iter().enumerate() {
        let arguments = procedure.params.iter().map(|(name, of)| match of.as_str() {
            of if of.starts_with("TYPE(*), DIMENSION(*)") => format!("{name}=anything"),
            of => format!("{name}={}", variable(of)),
        });
        let arguments = arguments.collect::<Vec<_>>().join(", &\n");
        let call = format!("{}({arguments})", procedure.generic);
        let statement =
            if procedure.is_function { format!("print *, {call}") } else { format!("call {call}") };
        let _ = writeln!(text, "subroutine call{index}()\n{statement}\nend subroutine");
    }
    assert!(procedures.len() > 800, "{}", procedures.len());
    text + "end module calls\n"
}

fn compiled(text: &str, flags: &[&str]) -> Outcome {
    let directory = support::fresh_directory("module");
    std::fs::write(directory.join("program.f90"), text).unwrap();
    let mpifort = support::command(support::tool("mpifort")).directory(&directory);
    mpifort.args(["-c"]).args(flags).args(["program.f90"]).outcome()
}

#[test]
fn every_procedure_can_be_called_with_its_arguments_by_name() {
    for module in ["mpi", "mpi_f08"] {
        let seen =
            compiled(&all_calls(module), &["-std=f2018", "-Wall", "-Wno-aliasing", "-Werror"]);
        assert_eq!(
            seen.status,
            Some(0),
            "{module}: {}",
            &seen.stderr[..seen.stderr.len().min(4000)]
        );
    }
}

#[test]
fn the_library_has_every_procedure_of_the_modules() {
    let library = support::library_directory().join("libftmpi_rs.so");
    let seen = support::command("nm").args(["-D", "--defined-only"]).args([library]).succeeds();
    let symbols: BTreeSet<&str> =
        seen.stdout.lines().filter_map(|line| line.split_whitespace().last()).collect();
    let mut missing = Vec::new();
    for file in ["mpi_f08_types.f90", "mpi.f90", "mpi_f08.f90"] {
        let names = procedures(file).into_iter().map(|procedure| procedure.symbol);
        missing.extend(names.filter(|name| !symbols.contains(name.as_str())));
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_procedure_has_its_twin_for_tools() {
    for file in ["mpi.f90", "mpi_f08.f90"] {
        let count = |procedures: &[Procedure]| -> BTreeMap<String, usize> {
            let mut counts = BTreeMap::new();
            for procedure in procedures {
                *counts.entry(procedure.generic.to_string()).or_default() += 1;
            }
            counts
        };
        let counts = count(&procedures(file));
        let (twins, own): (Vec<_>, Vec<_>) =
            counts.iter().partition(|(name, _)| name.starts_with("PMPI"));
        assert_eq!(twins.len(), own.len(), "{file}");
        for (name, count) in own {
            assert_eq!(counts.get(&format!("P{name}")), Some(count), "{file}: {name}");
        }
    }
}

fn with_modules(files: &[&str], flags: &[&str]) -> Program {
    let mpifort = support::tool("mpifort").display().to_string();
    let (first, rest) = files.split_first().unwrap();
    let source = support::fortran(first).compiler(&mpifort).flags(flags);
    rest.iter().fold(source, |source, file| source.and(file)).build()
}

fn all_is_well(program: &Program) {
    for ranks in [1, 2, 7] {
        let seen = support::run(program).ranks(ranks).succeeds();
        assert_eq!(seen.lines_with("all is well"), ranks, "{seen}");
    }
    assert_eq!(support::command(program.path()).succeeds().stdout, "all is well\n");
}

const STRICT: [&str; 4] = ["-std=f2018", "-Wall", "-Wno-maybe-uninitialized", "-Werror"];

#[test]
fn point_to_point_in_mpi_f08() {
    for level in ["-O0", "-O3"] {
        let flags = [&STRICT[..], &[level]].concat();
        all_is_well(&with_modules(&["checks08.f90", "f08_pt2pt.f90"], &flags));
    }
}

#[test]
fn sections_of_arrays_are_buffers_in_mpi_f08() {
    for level in ["-O0", "-O3"] {
        let flags = [&STRICT[..], &["-Wno-array-temporaries", level]].concat();
        all_is_well(&with_modules(&["checks08.f90", "f08_sections.f90"], &flags));
    }
}

#[test]
fn objects_and_callbacks_in_mpi_f08() {
    let flags = [&STRICT[..], &["-Wno-unused-dummy-argument"]].concat();
    all_is_well(&with_modules(&["checks08.f90", "f08_objects.f90"], &flags));
}

#[test]
fn large_counts_and_small_ones_in_mpi_f08() {
    let handles = Handles::Types.flags();
    let handles = handles.iter().map(String::as_str);
    for file in ["f08_counts.F90", "collective_forms.F90"] {
        for width in ["-DLARGE", "-DSMALL"] {
            let flags: Vec<&str> = handles.clone().chain(STRICT).chain([width]).collect();
            all_is_well(&with_modules(&["checks08.f90", file], &flags));
        }
    }
}

#[test]
fn sessions_in_mpi_f08() {
    all_is_well(&with_modules(&["checks08.f90", "f08_sessions.f90"], &STRICT));
}

/// A test program of `mpif.h` that uses the module `mpi` instead.
fn with_module_mpi(files: &[&str], flags: &[&str]) -> Program {
    let read = |file: &&str| {
        std::fs::read_to_string(support::root().join("tests/programs").join(file)).unwrap()
    };
    let text: String = files.iter().map(read).collect();
    let include = "implicit none\n    include 'mpif.h'";
    assert!(text.contains(include), "{files:?}");
    let text = text.replace(include, "use mpi\n    implicit none");
    let mpifort = support::tool("mpifort").display().to_string();
    let name = files.last().unwrap().split('.').next().unwrap();
    support::fortran_text(name, &text).compiler(&mpifort).flags(flags).build()
}

#[test]
fn programs_for_mpif_h_run_with_the_module_mpi() {
    for file in ["pt2pt.f90", "environment.f90", "communicators.f90", "collectives.f90"] {
        all_is_well(&with_module_mpi(&["checks.f90", file], &["-w"]));
    }
}

/// Programs in which handles are what the interface says.
const FOR_ALL: [&str; 6] = [
    "topologies.F90",
    "intercomms.F90",
    "further.F90",
    "completion.F90",
    "groups.F90",
    "partitions.F90",
];

#[test]
fn programs_for_all_interfaces_run_with_the_module_mpi() {
    let flags = Handles::Integers.flags();
    let flags: Vec<&str> = flags.iter().map(String::as_str).chain(["-w"]).collect();
    for file in FOR_ALL {
        all_is_well(&with_module_mpi(&["checks.f90", file], &flags));
    }
}

#[test]
fn programs_for_all_interfaces_run_with_mpi_f08() {
    let flags = Handles::Types.flags();
    let strict = STRICT.into_iter().chain(["-Wno-unused-dummy-argument", "-DSECTIONS"]);
    let flags: Vec<&str> = flags.iter().map(String::as_str).chain(strict).collect();
    for file in FOR_ALL {
        all_is_well(&with_modules(&["checks08.f90", file], &flags));
    }
}

#[test]
fn one_sided_communication_runs_with_the_module_mpi() {
    let flags = Handles::Integers.flags();
    let flags: Vec<&str> = flags.iter().map(String::as_str).chain(["-DSMALL", "-w"]).collect();
    all_is_well(&with_module_mpi(&["checks.f90", "rma.F90"], &flags));
}

#[test]
fn one_sided_communication_runs_with_mpi_f08_and_either_width_of_counts() {
    for width in ["-DSMALL", "-DLARGE"] {
        let flags = Handles::Types.flags();
        let flags: Vec<&str> = flags.iter().map(String::as_str).chain([width, "-w"]).collect();
        all_is_well(&with_modules(&["checks08.f90", "rma.F90"], &flags));
    }
}

#[test]
fn special_arguments_are_known_from_the_module_mpi() {
    for flags in [&["-O0"][..], &["-O3"], &["-flto"], &["-fPIC", "-Wl,-z,now"]] {
        let program =
            with_module_mpi(&["sentinels.F90"], &[&["-DPLACE=in_program"], flags].concat());
        for ranks in [1, 5] {
            let seen = support::run(&program).ranks(ranks).succeeds();
            assert_eq!(seen.lines_with("all are known"), ranks, "{seen}");
        }
    }
}

#[test]
fn reals_that_a_flag_makes_wider_have_modules_of_their_own() {
    for flags in [&["-fdefault-real-8"][..], &["-fdefault-real-8", "-fdefault-double-8"]] {
        all_is_well(&with_module_mpi(&["checks.f90", "wide.f90"], &[flags, &["-w"]].concat()));
    }
}

#[test]
fn c_makes_a_status_of_fortran_and_back() {
    let text = "#include <mpi.h>\nint main(void) {\n\
        MPI_Status one = {.MPI_SOURCE = 3, .MPI_TAG = 4, .MPI_ERROR = 5}, other;\n\
        MPI_F08_status f08, again;\nMPI_Fint f[MPI_F_STATUS_SIZE];\n\
        MPI_Status_c2f(&one, f);\nMPI_Status_f2f08(f, &f08);\nMPI_Status_f082c(&f08, &other);\n\
        MPI_Status_c2f08(&other, &again);\nMPI_Status_f082f(&again, f);\n\
        MPI_Status_f2c(f, &other);\n\
        return !(f[MPI_F_SOURCE] == 3 && f[MPI_F_TAG] == 4 && f[MPI_F_ERROR] == 5 &&\n\
        f08.MPI_TAG == 4 && again.MPI_ERROR == 5 && other.MPI_SOURCE == 3);\n}\n";
    for level in ["-O0", "-O3"] {
        let program = support::c_text("statuses", text).flags(&[level, "-Wall", "-Werror"]).build();
        support::command(program.path()).succeeds();
    }
}

/// What the compiler says of a program with this line, declarations before `;;`.
fn said_of(module: &str, line: &str, flags: &[&str]) -> Outcome {
    let (declared, done) = line.split_once(";;").unwrap_or(("", line));
    compiled(
        &format!(
            "program wrong\nuse {module}\nimplicit none\ninteger :: i, error\nreal :: r, x(4)\n\
             logical :: l\n{declared}\n{done}\nend program wrong\n"
        ),
        flags,
    )
}

#[test]
fn wrong_arguments_are_refused_by_the_compiler() {
    let wrong = [
        ("mpi", "call MPI_Comm_rank(MPI_COMM_WORLD, r, error)", "Type mismatch"),
        ("mpi", "call MPI_Comm_rank(MPI_COMM_WORLD, i)", "Missing actual argument"),
        ("mpi", "call MPI_Comm_rank(MPI_COMM_WORLD, i, error, i)", "More actual than formal"),
        ("mpi", "call MPI_Send(x, 4.0, MPI_REAL, 0, 0, MPI_COMM_WORLD, error)", "Type mismatch"),
        ("mpi", "call MPI_Wait(i, i, error)", "Rank mismatch"),
        ("mpi", "call MPI_Get_address(x, i, error)", "Type mismatch"),
        ("mpi", "call MPI_Comm_size(MPI_COMM_WORLD, 5, error)", "definition context"),
        ("mpi_f08", "call MPI_Comm_rank(MPI_COMM_WORLD, r)", "no specific subroutine"),
        ("mpi_f08", "call MPI_Comm_rank(i, i)", "no specific subroutine"),
        ("mpi_f08", "call MPI_Comm_rank(MPI_GROUP_EMPTY, i)", "no specific subroutine"),
        ("mpi_f08", "call MPI_Send(x, 4, MPI_REAL, 0, MPI_COMM_WORLD)", "no specific subroutine"),
        ("mpi_f08", "call MPI_Send(x, 4, MPI_SUM, 0, 0, MPI_COMM_WORLD)", "no specific subroutine"),
        (
            "mpi_f08",
            "type(MPI_Op) :: op;;call MPI_Op_create(MPI_COMM_DUP_FN, .true., op)",
            "no specific subroutine",
        ),
        ("mpi_f08", "l = MPI_COMM_WORLD == MPI_GROUP_NULL", "Operands of comparison operator"),
        ("mpi_f08", "type(MPI_Status) :: s;;s%MPI_SOURCE = 1.5; s%FTMPI_REST = 0", "PRIVATE"),
        ("mpi_f08", "call MPI_Wtime()", "has a type"),
    ];
    for (module, line, why) in wrong {
        let seen = said_of(module, line, &[]);
        assert_ne!(seen.status, Some(0), "{module}: {line} was not refused");
        assert!(seen.stderr.contains(why), "{module}: {line}\n{seen}");
    }
    // What is right here is refused for what is wrong above, and for nothing else.
    let right = "type(MPI_Op) :: op;;call MPI_Comm_rank(MPI_COMM_WORLD, i)";
    assert_eq!(said_of("mpi_f08", right, &[]).status, Some(0));
    let right = "call MPI_Comm_rank(MPI_COMM_WORLD, i, error)";
    assert_eq!(said_of("mpi", right, &[]).status, Some(0));
}

#[test]
fn integers_of_8_bytes_are_refused_where_the_modules_have_4() {
    let flags = ["-fdefault-integer-8"];
    let seen = said_of("mpi", "call MPI_Comm_rank(MPI_COMM_WORLD, i, error)", &flags);
    assert_ne!(seen.status, Some(0));
    assert!(seen.stderr.contains("passed INTEGER(8) to INTEGER(4)"), "{seen}");
    let seen = said_of("mpi_f08", "call MPI_Comm_rank(MPI_COMM_WORLD, i)", &flags);
    assert_ne!(seen.status, Some(0));
    let kinds = "integer(4) :: rank;;call MPI_Comm_rank(MPI_COMM_WORLD, rank)";
    assert_eq!(said_of("mpi_f08", kinds, &flags).status, Some(0));
}
