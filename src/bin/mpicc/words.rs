//! The command line of a wrapper: arguments for the wrapper itself, and what the compiler will do.
//! Not read by `ftmpi_cli`: nearly all words are a compiler's, and go to it as they are.

use crate::shared::refusal::Refusal;
use std::ffi::OsString;

/// What the compiler should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Nothing: it is asked for its version and the like.
    Ask,
    Compile,
    Link,
}

/// What the wrapper is to print instead of running the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    Command,
    CompileCommand,
    LinkCommand,
    Compiler,
    Compile,
    Link,
    IncludeDirectories,
    LibraryDirectories,
    Libraries,
    Version,
}

/// The words of the user.
#[derive(Debug)]
pub(crate) struct Words {
    /// It prints its page of help, and does nothing else.
    pub(crate) wants_help: bool,
    pub(crate) show: Option<Show>,
    /// The compiler that `-cc=` and similar options name.
    pub(crate) compiler: Option<String>,
    /// The words for the compiler.
    pub(crate) rest: Vec<OsString>,
    pub(crate) goal: Goal,
}

pub(crate) const HELP: &str = "\
NAME
    @NAME@ - compile and link programs that use MPI

SYNOPSIS
    @NAME@ [OPTIONS] [OPTIONS AND FILES OF THE COMPILER]

DESCRIPTION
    Passes its arguments to a compiler and adds the flags that MPI needs.
    mpicc compiles C; mpicxx, mpic++ and mpiCC compile C++; mpifort, mpif77 and
    mpif90 compile Fortran. All other options, such as --help, go to the
    compiler.

OPTIONS
    -show, -showme    Print the command instead of running it.
    -showme:command   Print the name of the compiler.
    -showme:compile   Print the flags for compiling.
    -showme:link      Print the flags for linking.
    -showme:incdirs   Print the directories of headers and modules.
    -showme:libdirs   Print the directory of the library.
    -showme:libs      Print the name of the library.
    -showme:version   Print the version.
    -showme:help      Print this page.
    -compile_info     Print the command for compiling.
    -link_info        Print the command for linking.
    -cc=C, -cxx=C, -fc=C
                      Use the compiler C.

EXIT STATUS
    The status of the compiler; or
    1      A file of this library is missing, or the program could not run as
           ranks.
    127    The compiler does not exist.

ENVIRONMENT
    FTMPI_CC, FTMPI_CXX, FTMPI_FC
                      The compiler. Names beginning with MPICH_ and OMPI_ are
                      accepted, too.

EXAMPLES
    mpicc ring.c -o ring
        Compile and link a program in C.
    mpifort -show solver.f90
        Show how a program in Fortran would be compiled.
";

/// Options whose value is a word of its own.
const WITH_VALUE: [&str; 33] = [
    "-o",
    "-I",
    "-L",
    "-D",
    "-U",
    "-x",
    "-l",
    "-J",
    "-T",
    "-u",
    "-z",
    "-A",
    "-B",
    "-G",
    "-e",
    "-h",
    "-include",
    "-imacros",
    "-isystem",
    "-idirafter",
    "-iquote",
    "-iprefix",
    "-isysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "--param",
    "-target",
    "-aux-info",
];

/// Options with which the compiler stops before it links.
const STOPPING: [&str; 7] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"];

impl Words {
    pub(crate) fn read(words: impl Iterator<Item = OsString>) -> Words {
        let mut read = Words {
            wants_help: false,
            show: None,
            compiler: None,
            rest: Vec::new(),
            goal: Goal::Ask,
        };
        for word in words {
            let text = word.to_string_lossy();
            let flags = ["-cc=", "-cxx=", "-fc=", "-f77=", "-f90="];
            if ["-showme:help", "--showme:help"].contains(&text.as_ref()) {
                (read.wants_help, read.show) = (true, None);
            } else if let Some(show) = show(&text) {
                (read.wants_help, read.show) = (false, Some(show));
            } else if let Some(compiler) = flags.iter().find_map(|flag| text.strip_prefix(flag)) {
                read.compiler = Some(compiler.to_string());
            } else {
                read.rest.push(word);
            }
        }
        read.goal = match read.show {
            Some(Show::Compiler | Show::Version) => Goal::Ask,
            // Without words of the user, the flags for all steps are shown.
            Some(Show::Command) if !read.rest.is_empty() => goal(&read.rest),
            Some(_) => Goal::Link,
            None => goal(&read.rest),
        };
        read
    }

    /// Whether the compiler gets exactly this word.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.rest.iter().any(|known| known == word)
    }

    /// Programs that are linked like this cannot have copies of themselves.
    pub(crate) fn refuse_what_cannot_have_ranks(&self) -> Result<(), Refusal> {
        for word in ["-static", "--static", "-static-pie"] {
            if self.has(word) {
                return Err(Refusal::broken(format!(
                    "{word}: a static program cannot load the library; leave it out \
                     (-static-libgcc, -static-libstdc++ and -static-libgfortran are fine)"
                )));
            }
        }
        for word in ["-no-pie", "-nopie"] {
            if self.has(word) && !self.has("-shared") {
                return Err(Refusal::broken(format!(
                    "{word}: ranks are copies of the program at different addresses, so it must be \
                     position independent; leave {word} out and compile with -fPIE"
                )));
            }
        }
        Ok(())
    }
}

fn show(text: &str) -> Option<Show> {
    let text = text.strip_prefix("--").or(text.strip_prefix('-'))?;
    Some(match text {
        "show" | "showme" => Show::Command,
        "showme:command" => Show::Compiler,
        "showme:compile" => Show::Compile,
        "showme:link" => Show::Link,
        "showme:incdirs" => Show::IncludeDirectories,
        "showme:libdirs" => Show::LibraryDirectories,
        "showme:libs" => Show::Libraries,
        "showme:version" => Show::Version,
        "compile_info" | "compile-info" => Show::CompileCommand,
        "link_info" | "link-info" => Show::LinkCommand,
        _ => return None,
    })
}

fn goal(words: &[OsString]) -> Goal {
    let mut stops = false;
    let mut has_input = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if WITH_VALUE.contains(&text.as_ref()) {
            words.next();
        } else if STOPPING.contains(&text.as_ref()) {
            stops = true;
        } else if !text.starts_with('-') || text == "-" {
            has_input = true;
        }
    }
    match (has_input, stops) {
        (false, _) => Goal::Ask,
        (true, true) => Goal::Compile,
        (true, false) => Goal::Link,
    }
}

/// The words as a shell would read them.
pub(crate) fn quoted(words: impl Iterator<Item = OsString>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:@%".contains(c);
    let quote = |word: OsString| {
        let text = word.to_string_lossy().into_owned();
        if !text.is_empty() && text.chars().all(plain) {
            return text;
        }
        format!("'{}'", text.replace('\'', "'\\''"))
    };
    words.map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal_of(line: &str) -> Goal {
        Words::read(line.split_whitespace().map(OsString::from)).goal
    }

    #[test]
    fn only_a_compiler_that_links_gets_libraries() {
        assert_eq!(goal_of("prog.c -o prog -lm"), Goal::Link);
        assert_eq!(goal_of("-c prog.c"), Goal::Compile);
        assert_eq!(goal_of("-E -x c -"), Goal::Compile);
        for question in ["--version", "-v", "-dumpmachine", "-print-file-name=x", "-o out", ""] {
            assert_eq!(goal_of(question), Goal::Ask, "{question}");
        }
    }

    #[test]
    fn words_with_spaces_are_quoted() {
        let words = ["-DNAME=\"a b\"", "it's", "", "plain-1.0"].map(OsString::from);
        assert_eq!(quoted(words.into_iter()), r#"'-DNAME="a b"' 'it'\''s' '' plain-1.0"#);
    }

    #[test]
    fn words_for_the_wrapper_do_not_reach_the_compiler() {
        let words = ["-show", "-cc=clang", "a.c"].map(OsString::from);
        let words = Words::read(words.into_iter());
        assert_eq!((words.show, words.compiler.as_deref()), (Some(Show::Command), Some("clang")));
        assert_eq!(words.rest, ["a.c"]);
    }
}
