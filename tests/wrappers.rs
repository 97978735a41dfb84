//! The compiler wrappers: what they add, when they add it, and that build systems find MPI by them.

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Outcome, Run};

/// Needs the header and the library, and calls nothing that would need ranks.
const C: &str = r#"
#include <mpi.h>
#include <stdio.h>
#ifndef NAME
#define NAME "plain"
#endif
int main(void) { int version = 0, minor = 0; MPI_Get_version(&version, &minor);
    printf("%s %d\n", NAME, version >= 3); return 0; }
"#;

fn wrapper(name: &str) -> Run {
    let all = ["FTMPI", "MPICH", "OMPI"].iter().flat_map(|maker| {
        ["CC", "CXX", "FC", "F77", "F90"].iter().map(move |language| format!("{maker}_{language}"))
    });
    all.fold(support::command(support::tool(name)), Run::env_remove)
}

/// What a wrapper prints for these words.
fn shown(name: &str, words: &[&str]) -> String {
    wrapper(name).args(words).succeeds().stdout.trim_end().to_string()
}

fn write(name: &str, text: &str) -> PathBuf {
    let path = support::fresh_directory("wrapped").join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn include() -> String {
    support::root().join("include").display().to_string()
}

fn link() -> String {
    let directory = support::library_directory().display().to_string();
    format!("-L{directory} -Wl,-rpath,{directory} -lftmpi_rs")
}

#[test]
fn the_command_is_shown_with_what_mpi_adds_to_it() {
    let (include, link) = (include(), link());
    let directory = support::library_directory().display().to_string();
    assert_eq!(shown("mpicc", &["-show", "-cc=gcc"]), format!("gcc -I{include} {link}"));
    let cases: &[(&[&str], String)] = &[
        (&["-showme", "a.c", "-o", "a"], format!("gcc -I{include} a.c -o a {link}")),
        (&["-show", "-c", "a.c"], format!("gcc -I{include} -c a.c")),
        (&["-show", "-E", "a.c"], format!("gcc -I{include} -E a.c")),
        (&["-show", "--version"], "gcc --version".into()),
        (&["-showme:command"], "gcc".into()),
        (&["-showme:compile"], format!("-I{include}")),
        (&["-showme:link"], link.clone()),
        (&["-showme:incdirs"], include.clone()),
        (&["-showme:libdirs"], directory),
        (&["-showme:libs"], "ftmpi_rs".into()),
        (&["-compile_info"], format!("gcc -I{include}")),
        (&["-link-info"], format!("gcc {link}")),
        (&["-show", "-DA=b c", "a.c"], format!("gcc -I{include} '-DA=b c' a.c {link}")),
    ];
    for (words, expected) in cases {
        let words = [&["-cc=gcc"], *words].concat();
        assert_eq!(shown("mpicc", &words), *expected, "{words:?}");
    }
    assert!(shown("mpicxx", &["-showme:version"]).starts_with("mpicxx (ftmpi-rs) "));
    assert!(shown("mpifort", &["-showme:help"]).contains("-showme:link"));
    let help = wrapper("mpicc").env("MPICH_CC", "no-such-cc").args(["-showme:help"]).succeeds();
    assert!(help.stdout.starts_with("NAME\n    mpicc - compile"), "{help}");
}

/// The directory of the modules that `mpifort` names when it is run like this.
fn modules(mpifort: Run) -> PathBuf {
    let shown = mpifort.args(["-showme:incdirs"]).succeeds();
    assert_eq!(shown.stderr, "");
    PathBuf::from(shown.stdout.split_whitespace().nth(1).expect("the modules come second"))
}

#[test]
fn the_modules_are_made_once_for_each_compiler_and_choice_of_kinds() {
    let usual = modules(wrapper("mpifort"));
    assert_eq!(usual, modules(wrapper("mpif90").args(["-O2"])));
    for module in ["mpi.mod", "mpi_f08.mod", "mpi_f08_types.mod"] {
        assert!(usual.join(module).is_file(), "{}", usual.display());
    }
    let wide = modules(wrapper("mpifort").args(["-fdefault-real-8"]));
    assert_ne!(usual, wide);
    assert!(wide.join("mpi.mod").is_file());
    let line = shown("mpifort", &["-show", "-c", "a.f90"]);
    assert!(line.contains(&format!("-I{} -I{} ", include(), usual.display())), "{line}");
    assert!(!shown("mpicc", &["-showme:compile"]).contains("modules"));
}

#[test]
fn modules_that_many_ask_for_at_once_appear_complete() {
    let cache = support::fresh_directory("cache");
    let prefix = installed();
    // Beside the library nobody may write.
    std::fs::remove_dir_all(prefix.join("lib/ftmpi_rs-modules")).unwrap();
    std::fs::write(prefix.join("lib/ftmpi_rs-modules"), "").unwrap();
    let ask = || {
        let mpifort = support::command(prefix.join("bin/mpifort")).env("XDG_CACHE_HOME", &cache);
        let found = modules(mpifort);
        assert!(found.starts_with(&cache), "{}", found.display());
        assert!(found.join("mpi_f08.mod").is_file());
        found
    };
    let all: Vec<PathBuf> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert!(all.iter().all(|found| *found == all[0]));
    let left = std::fs::read_dir(all[0].parent().unwrap()).unwrap().count();
    assert_eq!(left, 1, "what was half made is gone");
}

#[test]
fn without_a_place_for_modules_mpif_h_is_still_there() {
    let prefix = installed();
    std::fs::remove_dir_all(prefix.join("lib/ftmpi_rs-modules")).unwrap();
    std::fs::write(prefix.join("lib/ftmpi_rs-modules"), "").unwrap();
    let mpifort = support::command(prefix.join("bin/mpifort")).env("XDG_CACHE_HOME", "/proc/none");
    let source = write("old.f", "      include 'mpif.h'\n      end\n");
    let seen = mpifort.args([Path::new("-c"), &source]).directory(source.parent().unwrap());
    let seen = seen.succeeds();
    assert!(seen.stderr.starts_with("mpifort: no modules: `use mpi` and"), "{seen}");
    assert!(seen.stderr.contains("/proc/none"), "{seen}");
}

#[test]
fn the_compiler_is_the_languages_own_or_the_one_that_is_named() {
    let first = |run: Run| {
        let line = run.args(["-show", "a"]).succeeds().stdout;
        line.split(" -I").next().unwrap().to_string()
    };
    assert_eq!(first(wrapper("mpicc")), "cc");
    assert_eq!(first(wrapper("mpicxx")), "c++");
    for name in ["mpifort", "mpif77", "mpif90"] {
        assert_eq!(first(wrapper(name)), "gfortran");
    }
    for variable in ["FTMPI_CC", "MPICH_CC", "OMPI_CC"] {
        assert_eq!(first(wrapper("mpicc").env(variable, "env gcc")), "env gcc");
    }
    assert_eq!(first(wrapper("mpicc").env("MPICH_CC", "gcc").env("FTMPI_CC", "clang")), "clang");
    assert_eq!(first(wrapper("mpicxx").env("OMPI_CXX", "g++")), "g++");
    assert_eq!(first(wrapper("mpifort").env("MPICH_FC", "f95")), "f95");
    assert_eq!(first(wrapper("mpicc").env("MPICH_CC", "gcc").args(["-cc=clang"])), "clang");

    let seen = wrapper("mpicc").env("MPICH_CC", "no-such-cc").args(["a.c"]).fails_with(127);
    assert!(seen.stderr.contains("cannot find the C compiler `no-such-cc`"), "{seen}");
    let itself = support::tool("mpicxx");
    let seen = wrapper("mpicc").env("OMPI_CC", itself).args(["a.c"]).fails_with(1);
    assert!(seen.stderr.contains("which is this wrapper; name the compiler itself"), "{seen}");
}

#[test]
fn a_program_that_could_not_have_ranks_is_refused_while_linking_only() {
    for (word, why) in [("-static", "cannot load the library"), ("-no-pie", "position independent")]
    {
        let seen = wrapper("mpicc").args([word, "a.c"]).fails_with(1);
        assert!(seen.stderr.starts_with(&format!("mpicc: {word}: ")), "{seen}");
        assert!(seen.stderr.contains(why) && seen.stderr.contains("leave"), "{seen}");
        assert!(shown("mpicc", &["-show", word, "-c", "a.c"]).ends_with("-c a.c"));
    }
    assert!(shown("mpicc", &["-show", "-static-libgcc", "a.c"]).contains("-lftmpi_rs"));
}

#[test]
fn a_compiler_that_makes_programs_at_fixed_addresses_is_told_not_to() {
    let text = "#!/bin/sh\ncase \"$*\" in *-pie*) exec gcc \"$@\";; esac\n\
                exec gcc -no-pie -fno-pie \"$@\"\n";
    let compiler = write("text", text).with_file_name("fixed-cc");
    support::copy_program(compiler.with_file_name("text"), &compiler);
    Command::new("chmod").arg("+x").arg(&compiler).status().unwrap();
    let choice = format!("-cc={}", compiler.display());
    let line = shown("mpicc", &[&choice, "-show", "a.c"]);
    assert!(line.contains("-fPIC a.c -pie -L"), "{line}");
    let line = shown("mpicc", &[&choice, "-show", "-shared", "a.c"]);
    assert!(line.contains("-fPIC") && !line.contains("-pie"), "{line}");
}

#[test]
fn only_compilers_that_check_arguments_are_told_not_to() {
    let gcc_is_new = shown("mpifort", &["-showme:compile"]).contains("-fallow-argument-mismatch");
    let version = Command::new("gfortran").arg("-dumpversion").output().unwrap().stdout;
    let version = String::from_utf8_lossy(&version).split('.').next().unwrap().trim().to_string();
    assert_eq!(gcc_is_new, version.parse::<u32>().unwrap() >= 10);
    assert!(!shown("mpicc", &["-showme:compile"]).contains("mismatch"));
}

#[test]
fn a_program_is_compiled_in_one_step_and_in_two_and_runs() {
    let source = write("one.c", C);
    let directory = source.parent().unwrap().to_path_buf();
    let here = || wrapper("mpicc").directory(&directory);
    here().args(["-DNAME=\"a b\"", "one.c", "-o", "one"]).succeeds();
    here().args(["-c", "one.c", "-o", "two.o"]).succeeds();
    here().args(["two.o", "-o", "two"]).succeeds();
    for (name, said) in [("one", "a b 1\n"), ("two", "plain 1\n")] {
        let program = support::Program::at(directory.join(name));
        assert_eq!(support::run(&program).ranks(1).succeeds().stdout, said);
        // Without ftrun the library is found as well.
        assert_eq!(support::command(program.path()).succeeds().stdout, said);
    }
}

#[test]
fn what_is_wrong_with_a_program_is_said_by_the_compiler() {
    let source = write("wrong.c", "#include <mpi.h>\nint main(void) { return nothing; }\n");
    let seen = wrapper("mpicc").args([&source]).fails_with(1);
    assert!(seen.stderr.contains("nothing"), "{seen}");
}

/// Installs into a fresh prefix.
fn installed() -> PathBuf {
    let prefix = support::fresh_directory("installed");
    support::command(support::tool("ftmpi-install")).args([&prefix]).succeeds();
    prefix
}

#[test]
fn an_installation_stands_on_its_own() {
    let prefix = installed();
    let kept = modules(support::command(prefix.join("bin/mpifort")));
    assert!(kept.starts_with(prefix.join("lib")), "{}", kept.display());
    for file in [
        "bin/ftrun",
        "bin/mpirun",
        "bin/mpiexec",
        "bin/mpic++",
        "bin/mpiCC",
        "bin/mpif90",
        "lib/libftmpi_rs.so",
        "lib/libmpi_abi.so.1",
        "lib/libmpi_abi.so.0",
        "include/mpi.h",
        "include/mpif.h",
        "include/mpi_f08.f90",
        "lib/pkgconfig/ftmpi_rs.pc",
        "share/doc/ftmpi_rs/README.md",
        "share/doc/ftmpi_rs/LICENSE-MIT",
    ] {
        assert!(prefix.join(file).exists(), "{file}");
    }
    for simulator in ["ftsim", "ftbg", "ftspare"] {
        let is_built = support::tool("ftrun").with_file_name(simulator).is_file();
        assert_eq!(prefix.join("bin").join(simulator).is_file(), is_built, "{simulator}");
    }
    let source = write("kept.c", C);
    let program = source.with_extension("out");
    let compiler = support::command(prefix.join("bin/mpicc"));
    compiler.args([&source, Path::new("-o"), &program]).succeeds();
    let run = support::command(prefix.join("bin/mpirun")).args(["-n", "1"]).args([&program]);
    assert_eq!(run.succeeds().stdout, "plain 1\n");
    let line = support::command(prefix.join("bin/mpicxx")).args(["-show"]).succeeds().stdout;
    let (include, lib) = (prefix.join("include"), prefix.join("lib"));
    assert!(line.contains(&format!("-I{} ", include.display())), "{line}");
    assert!(line.contains(&format!("-L{} ", lib.display())), "{line}");
}

/// What roff makes of these letters, undone.
fn plain(page: &str) -> String {
    let letters = [("\\fB", ""), ("\\fR", ""), ("\\&", ""), ("\\-", "-"), ("\\(aq", "'")];
    let letters = letters.into_iter().chain([("\\(ga", "`"), ("\\(ha", "^"), ("\\(ti", "~")]);
    letters.fold(page.to_string(), |page, (roff, letter)| page.replace(roff, letter))
}

#[test]
fn every_program_has_a_manual_page_that_says_what_its_help_says() {
    let prefix = installed();
    let has_man = Command::new("man").arg("--version").output().is_ok();
    for name in ["ftrun", "mpicc", "ftsim", "ftbg", "ftspare"] {
        let program = prefix.join("bin").join(name);
        if !program.is_file() {
            continue;
        }
        let option = if name == "mpicc" { "-showme:help" } else { "--help" };
        let help = support::command(&program).args([option]).succeeds().stdout;
        let path = prefix.join(format!("share/man/man1/{name}.1"));
        let page = std::fs::read_to_string(&path).unwrap();
        assert!(page.starts_with(&format!(".TH {} 1 ", name.to_uppercase())), "{page}");
        let mut sections = page.lines().filter_map(|line| line.strip_prefix(".SH "));
        for section in
            ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES"]
        {
            assert!(sections.any(|known| known == section), "{name}: {section}");
        }
        let page = plain(&page);
        // Where there is no man, its source has to do.
        let rendered = has_man.then(|| {
            let man = support::command("man").args([Path::new("-l"), &path]);
            let man = man.env("MANWIDTH", "84").env("LC_ALL", "C.UTF-8").env("MANPAGER", "cat");
            let seen = man.succeeds();
            assert_eq!(seen.stderr, "", "{name}");
            seen.stdout
        });
        let rendered = rendered.filter(|text| text.contains("SYNOPSIS"));
        for line in help.lines().map(str::trim) {
            assert!(line.len() <= 80, "{name}: {line}");
            assert!(page.contains(line), "{name}: {line}");
            if let Some(rendered) = &rendered {
                assert!(rendered.contains(line), "{name}: {line}\n{rendered}");
            }
        }
    }
    for place in ["bash-completion/completions/ftrun", "zsh/site-functions/_ftrun"] {
        let text = std::fs::read_to_string(prefix.join("share").join(place)).unwrap();
        assert!(text.contains("rebuild"), "{place}: {text}");
    }
    let link = std::fs::read_link(prefix.join("share/man/man1/mpirun.1")).unwrap();
    assert_eq!(link, Path::new("ftrun.1"));
}

#[test]
fn a_wrapper_with_an_end_behind_its_name_calls_the_same_compiler() {
    let bin = installed().join("bin");
    for name in ["mpicc", "mpicxx", "mpic++", "mpiCC", "mpifort", "mpif77"] {
        let longer = bin.join(format!("{name}.ftmpi"));
        std::os::unix::fs::symlink(name, &longer).unwrap();
        let said = wrapper(name).args(["-showme:command"]).succeeds().stdout;
        let seen = support::command(longer).args(["-showme:command"]).succeeds();
        assert_eq!(seen.stdout, said, "{name}");
    }
}

#[test]
fn an_installation_may_be_staged_and_repeated() {
    let stage = support::fresh_directory("stage");
    let install = support::command(support::tool("ftmpi-install")).env("DESTDIR", &stage);
    for _ in 0..2 {
        install.clone().args(["/opt/mpi"]).succeeds();
    }
    let description = stage.join("opt/mpi/lib/pkgconfig/ftmpi_rs.pc");
    assert!(std::fs::read_to_string(description).unwrap().starts_with("prefix=/opt/mpi\n"));
}

#[test]
fn an_installation_that_cannot_be_is_refused_with_the_reason() {
    let install = || support::command(support::tool("ftmpi-install"));
    let said = |run: Run, status| -> Outcome { run.fails_with(status) };
    assert!(said(install(), 2).stderr.contains("where to? Use `ftmpi-install PREFIX`"));
    assert!(said(install().args(["--prefix"]), 2).stderr.contains("there is no option --prefix"));
    let seen = said(install().args(["/proc/nowhere"]), 1);
    assert!(seen.stderr.contains("cannot make the directory /proc/nowhere/bin"), "{seen}");
}

#[test]
fn pkg_config_describes_the_installation() {
    let prefix = installed();
    let source = write("described.c", C);
    let program = source.with_extension("out");
    let line = format!(
        "cc '{}' -o '{}' $(pkg-config --cflags --libs ftmpi_rs)",
        source.display(),
        program.display()
    );
    let path = prefix.join("lib/pkgconfig");
    support::command("/bin/sh").args(["-c", &line]).env("PKG_CONFIG_PATH", path).succeeds();
    assert_eq!(support::command(&program).succeeds().stdout, "plain 1\n");
}

const CMAKE: &str = "
cmake_minimum_required(VERSION 3.10)
project(found C CXX Fortran)
find_package(MPI REQUIRED COMPONENTS C CXX)
add_library(part SHARED part.c)
target_link_libraries(part MPI::MPI_C)
add_executable(c main.c)
target_link_libraries(c part MPI::MPI_C)
add_executable(cxx main.cpp)
target_link_libraries(cxx MPI::MPI_CXX)
enable_testing()
add_test(NAME runs COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 1 ${MPIEXEC_PREFLAGS}
    $<TARGET_FILE:c> ${MPIEXEC_POSTFLAGS})
";

#[test]
fn cmake_finds_mpi_by_the_wrappers_in_place_and_installed() {
    for bin in [support::ftrun().parent().unwrap().to_path_buf(), installed().join("bin")] {
        let list = write("CMakeLists.txt", CMAKE);
        let directory = list.parent().unwrap();
        std::fs::write(directory.join("part.c"), "int part(void) { return 0; }\n").unwrap();
        std::fs::write(directory.join("main.c"), C).unwrap();
        std::fs::write(directory.join("main.cpp"), C).unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let line = "cmake -S . -B build && cmake --build build && cd build && \
                    ctest --output-on-failure && ./cxx";
        let build = support::command("/bin/sh").args(["-c", line]).directory(directory);
        let seen = build.env("PATH", path).env_remove("CC").env_remove("CXX").succeeds();
        assert!(seen.stdout.contains("100% tests passed"), "{seen}");
        assert!(seen.stdout.ends_with("plain 1\n"), "{seen}");
        let cache = std::fs::read_to_string(directory.join("build/CMakeCache.txt")).unwrap();
        let compiler = format!("MPI_C_COMPILER:FILEPATH={}", bin.join("mpicc").display());
        assert!(cache.contains(&compiler), "{cache}");
    }
}
