//! Test programs, compiled once: the result is kept by the hash of all that it depends on.

use super::{library_directory, root, unique};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What another MPI's ABI header has not: our own functions, Fortran's types, removed ones.
const OURS_ONLY: [&str; 8] = [
    "ftmpi",
    "FT_MPI_",
    "FTMPI_",
    "MPI_INIT_RESTARTED",
    "MPIX_",
    "MPI_Fint",
    "MPI_F08_status",
    "MPI_Handler_function",
];

/// What is to be compiled, and how.
#[derive(Clone, Debug)]
pub struct Source {
    files: Vec<PathBuf>,
    compiler: String,
    flags: Vec<String>,
    libraries: Vec<PathBuf>,
    with_mpi: bool,
}

/// What a Fortran program of the tests that runs with every interface calls an object of MPI: a
/// macro, what it is in `mpif.h` and in the module `mpi`, and what it is in `mpi_f08`.
const HANDLES: [(&str, &str, &str); 15] = [
    ("CHECKS", "checks", "checks08"),
    ("COMM", "integer", "type(MPI_Comm)"),
    ("DATATYPE", "integer", "type(MPI_Datatype)"),
    ("ERRHANDLER", "integer", "type(MPI_Errhandler)"),
    ("FILE", "integer", "type(MPI_File)"),
    ("GROUP", "integer", "type(MPI_Group)"),
    ("INFO", "integer", "type(MPI_Info)"),
    ("REQUEST", "integer", "type(MPI_Request)"),
    ("SESSION", "integer", "type(MPI_Session)"),
    ("WIN", "integer", "type(MPI_Win)"),
    ("STATUS", "integer, dimension(MPI_STATUS_SIZE)", "type(MPI_Status)"),
    ("STATUSES(x, n)", "integer :: x(MPI_STATUS_SIZE, n)", "type(MPI_Status) :: x(n)"),
    ("ONE_OF(x, n)", "x(:, n)", "x(n)"),
    ("ADDRESS", "integer(MPI_ADDRESS_KIND)", "type(c_ptr)"),
    ("PLACE", "in_program", "in_program"),
];

/// Which of Fortran's interfaces such a program uses.
#[derive(Clone, Copy, Debug)]
pub enum Handles {
    /// `mpif.h`, and the module `mpi`.
    Integers,
    /// `mpi_f08`.
    Types,
}

impl Handles {
    /// The flags for the compiler that say so.
    pub fn flags(self) -> Vec<String> {
        let meaning = |(name, integer, of_type): (&str, &str, &str)| match self {
            Handles::Integers => format!("-D{name}={integer}"),
            Handles::Types => format!("-D{name}={of_type}"),
        };
        HANDLES.map(meaning).to_vec()
    }
}

/// A compiled program, or a shared library.
#[derive(Clone, Debug)]
pub struct Program(PathBuf);

impl Program {
    /// The compiled file.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file that was not compiled here.
    pub fn at(path: impl Into<PathBuf>) -> Program {
        Program(path.into())
    }

    /// A stripped copy.
    pub fn stripped(&self) -> Program {
        let copy = self.0.with_extension("stripped");
        let partial = self.0.with_extension(unique("strip"));
        let done = Command::new("strip").arg("-o").arg(&partial).arg(&self.0).status();
        assert!(done.is_ok_and(|status| status.success()), "strip {}", self.0.display());
        std::fs::rename(&partial, &copy).expect("both names are in one directory");
        Program(copy)
    }
}

impl Source {
    pub(super) fn of_file(file: &str, compiler: &str) -> Source {
        let path = if file.contains('/') {
            root().join(file)
        } else {
            root().join("tests/programs").join(file)
        };
        assert!(path.is_file(), "there is no {}", path.display());
        Source {
            files: vec![path],
            compiler: compiler.to_string(),
            flags: Vec::new(),
            libraries: Vec::new(),
            with_mpi: true,
        }
    }

    pub(super) fn of_text(name: &str, text: &str, compiler: &str) -> Source {
        let directory = store().join(format!("{:016x}", hash_of(&text)));
        let path = directory.join(name);
        if !path.exists() {
            std::fs::create_dir_all(&directory).expect("the target directory can be written to");
            let partial = directory.join(unique(name));
            std::fs::write(&partial, text).expect("the target directory can be written to");
            std::fs::rename(&partial, &path).expect("both names are in one directory");
        }
        Source::of_file(&path.to_string_lossy(), compiler)
    }

    /// One more source file of the same program.
    pub fn and(mut self, file: &str) -> Source {
        self.files.extend(Source::of_file(file, &self.compiler).files);
        self
    }

    /// Flags for the compiler, after those that find MPI.
    pub fn flags(mut self, flags: &[impl AsRef<str>]) -> Source {
        self.flags.extend(flags.iter().map(|flag| flag.as_ref().to_string()));
        self
    }

    /// Another compiler: `clang`, or a wrapper by its path.
    pub fn compiler(mut self, compiler: &str) -> Source {
        self.compiler = compiler.to_string();
        self
    }

    /// Links a shared library that was made by [`Source::library`].
    pub fn link(mut self, library: &Program) -> Source {
        self.libraries.push(library.0.clone());
        self
    }

    /// Neither the headers nor the library of this project.
    pub fn without_mpi(mut self) -> Source {
        self.with_mpi = false;
        self
    }

    /// Compiles a program; what the compiler complains about fails the test.
    pub fn build(&self) -> Program {
        self.build_as(&self.stem(), &[])
    }

    /// Compiles a shared library of the name `lib<name>.so`.
    pub fn library(&self, name: &str) -> Program {
        let file = format!("lib{name}.so");
        let soname = format!("-Wl,-soname,{file}");
        self.build_as(&file, &["-shared", "-fPIC", &soname])
    }

    fn stem(&self) -> String {
        let stem = self.files[0].file_stem().expect("a source file has a name");
        stem.to_string_lossy().into_owned()
    }

    fn build_as(&self, name: &str, kind: &[&str]) -> Program {
        let directory = store().join(format!("{:016x}", self.fingerprint(kind)));
        let target = directory.join(name);
        if target.exists() {
            return Program(target);
        }
        std::fs::create_dir_all(&directory).expect("the target directory can be written to");
        let partial = directory.join(unique(name));
        let mut command = self.command(&partial, kind);
        // Fortran writes module files to where it runs.
        let scratch = directory.join(unique("scratch"));
        std::fs::create_dir_all(&scratch).expect("the target directory can be written to");
        let output = command.current_dir(&scratch).output();
        let output = output.unwrap_or_else(|error| {
            panic!("cannot run {}: {error}; ./test.sh installs what tests need", self.compiler)
        });
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}\n{said}");
        std::fs::rename(&partial, &target).expect("both names are in one directory");
        let _ = std::fs::remove_dir_all(&scratch);
        Program(target)
    }

    fn command(&self, output: &Path, kind: &[&str]) -> Command {
        let foreign = self.foreign();
        let compiler = foreign.as_deref().unwrap_or(&self.compiler);
        let mut words = compiler.split_whitespace();
        let mut command = Command::new(words.next().expect("a compiler has a name"));
        command.args(words).args(kind).arg("-g");
        if self.with_mpi && foreign.is_none() {
            command.arg("-I").arg(root().join("include"));
        }
        if self.compiler.ends_with("gfortran") {
            command.arg("-fallow-argument-mismatch");
        }
        command.args(&self.flags).args(&self.files).arg("-o").arg(output);
        for library in &self.libraries {
            let directory = library.parent().expect("a library lies in a directory").display();
            command.arg(library).arg(format!("-Wl,-rpath,{directory}"));
        }
        if self.with_mpi && foreign.is_none() {
            let directory = library_directory();
            let search = format!("-L{}", directory.display());
            let rpath = format!("-Wl,-rpath,{}", directory.display());
            // Tests of the host call no MPI function, and must be linked with the library even so.
            command.args([&search, &rpath, "-Wl,--no-as-needed", "-lftmpi_rs"]);
        }
        command.args(["-lm", "-lpthread"]);
        command
    }

    /// Another MPI's wrapper, if C programs are to be compiled with that, and this one can be.
    fn foreign(&self) -> Option<String> {
        let wrapper = std::env::var("FTMPI_TEST_MPICC").ok()?;
        let text = |file: &PathBuf| std::fs::read_to_string(file).expect("a source file is text");
        let is_ours = |file| OURS_ONLY.iter().any(|word| text(file).contains(word));
        let is_c = self.with_mpi && self.compiler == "cc";
        (is_c && !self.files.iter().any(is_ours)).then_some(wrapper)
    }

    /// Everything that the compiled file depends on.
    fn fingerprint(&self, kind: &[&str]) -> u64 {
        let mut files = self.files.clone();
        let entries = |directory: PathBuf| {
            std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path())
        };
        files.extend(entries(root().join("include")));
        let is_header = |path: &PathBuf| path.extension().is_some_and(|end| end == "h");
        files.extend(entries(root().join("tests/programs")).filter(is_header));
        files.sort();
        let read = |file: &PathBuf| std::fs::read(file).unwrap_or_default();
        let texts: Vec<Vec<u8>> = files.iter().map(read).collect();
        let compilers = (&self.compiler, self.foreign());
        let how = (compilers, &self.flags, &self.libraries, self.with_mpi, kind);
        hash_of(&(how, &self.files, texts, library_directory()))
    }
}

fn hash_of(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// Where compiled programs are kept from one test run to the next.
fn store() -> PathBuf {
    super::scratch().join("test-programs")
}
