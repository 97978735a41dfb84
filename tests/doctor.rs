//! `ftrun doctor` says what works on this machine, and its exit status whether jobs do.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// The line about `subject`.
fn line<'a>(text: &'a str, subject: &str) -> &'a str {
    let about = |line: &&str| line.split_whitespace().nth(1) == Some(subject);
    text.lines().find(about).unwrap_or_else(|| panic!("no line about {subject}:\n{text}"))
}

#[test]
fn what_works_is_tried_and_told() {
    let seen = support::command(support::ftrun()).args(["doctor"]).succeeds();
    for subject in ["glibc", "vm.max_map_count", "cores", "memory", "C"] {
        assert!(!line(&seen.stdout, subject).starts_with("NO"), "{seen}");
    }
    assert!(line(&seen.stdout, "C").ends_with("4 ranks ran, 1 was killed, 3 went on"), "{seen}");
    let fortran = line(&seen.stdout, "Fortran");
    assert_eq!(fortran.starts_with("ok"), support::has("gfortran"), "{seen}");
    let clang = line(&seen.stdout, "clang");
    assert_eq!(clang.ends_with("1 was killed, 3 went on"), support::has("clang"), "{seen}");
    for subject in ["locked-memory", "/dev/shm", "Slurm", "PMIx", "python3", "mpi4py"] {
        assert!(!line(&seen.stdout, subject).starts_with("NO"), "{seen}");
    }
}

/// A directory with programs that print what they are told to.
fn pretended(name: &str, programs: &[(&str, &str)]) -> PathBuf {
    let directory = support::fresh_directory(name);
    for (program, says) in programs {
        let file = directory.join(program);
        std::fs::write(&file, format!("#!/bin/sh\necho '{says}'\n")).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
    }
    directory
}

#[test]
fn slurm_and_pmix_are_told_with_what_to_do_with_them() {
    let found = [("srun", "slurm 22.05.8"), ("pmix_info", "pmix_info (OpenPMIx) 4.2.2")];
    let path = pretended("doctor_slurm", &found);
    let seen = support::command(support::ftrun()).args(["doctor"]).env("PATH", &path).outcome();
    let slurm = "slurm 22.05.8: allocate one node, and call ftrun in it";
    assert!(line(&seen.stdout, "Slurm").starts_with("ok"), "{seen}");
    assert!(line(&seen.stdout, "Slurm").contains(slurm), "{seen}");
    assert!(line(&seen.stdout, "PMIx").starts_with("ok"), "{seen}");
    assert!(line(&seen.stdout, "PMIx").contains("ftrun starts ranks itself"), "{seen}");
}

#[test]
fn a_limit_of_locked_memory_is_told_with_its_cure() {
    let doctor = format!("ulimit -l 64; exec {} doctor", support::ftrun().display());
    let seen = support::command("sh").args(["-c", &doctor]).succeeds();
    let locked = line(&seen.stdout, "locked-memory");
    assert!(locked.starts_with("--") && locked.contains(" 64K: "), "{seen}");
    assert!(locked.contains("ulimit -l unlimited") && locked.contains("limits.conf"), "{seen}");
}

/// A module of this name, as pip would install it, that is for another MPI or for none.
#[test]
fn mpi4py_that_does_not_run_here_is_told_with_its_cure() {
    let place = support::fresh_directory("doctor_mpi4py");
    let package = place.join("mpi4py");
    let record = place.join("mpi4py-9.8.7.dist-info");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::create_dir_all(&record).unwrap();
    let fails = "raise ImportError('libmpi.so.12: cannot open shared object file')\n";
    std::fs::write(package.join("__init__.py"), "").unwrap();
    std::fs::write(package.join("MPI.py"), fails).unwrap();
    let told = "Metadata-Version: 2.1\nName: mpi4py\nVersion: 9.8.7\n";
    std::fs::write(record.join("METADATA"), told).unwrap();
    let doctor = support::command(support::ftrun()).args(["doctor"]);
    let seen = doctor.env("PYTHONPATH", &place).succeeds();
    if line(&seen.stdout, "python3").starts_with("--") {
        eprintln!("not tested: {}", line(&seen.stdout, "python3"));
        return;
    }
    let python = line(&seen.stdout, "python3");
    assert!(python.ends_with("works: 4 ranks say hello"), "{seen}");
    let mpi4py = line(&seen.stdout, "mpi4py");
    let why = "9.8.7 does not say hello: ImportError: libmpi.so.12: cannot open shared object file";
    assert!(mpi4py.starts_with("--") && mpi4py.contains(why), "{seen}");
    assert!(mpi4py.contains("MPICC=mpicc pip install --force-reinstall --no-binary"), "{seen}");
}

#[test]
fn without_a_compiler_it_fails_and_names_the_cure() {
    let empty = support::fresh_directory("doctor_without_tools");
    let run = support::command(support::ftrun()).args(["doctor"]).env("PATH", &empty);
    let seen = run.fails_with(1);
    assert!(line(&seen.stdout, "C").starts_with("NO"), "{seen}");
    assert!(line(&seen.stdout, "C").contains("install gcc"), "{seen}");
    for (subject, cure) in [
        ("gdb", "install it to look into ranks"),
        ("clang", "install clang"),
        ("Fortran", "install gfortran"),
        ("python3", "install it to run programs in Python"),
        ("mpi4py", "MPICC=mpicc pip install --no-binary mpi4py mpi4py"),
        ("Slurm", "load its module"),
        ("PMIx", "not needed, ftrun starts ranks itself"),
    ] {
        let line = line(&seen.stdout, subject);
        assert!(line.starts_with("--") && line.contains(cure), "{subject}: {seen}");
    }
}

#[test]
fn it_takes_no_argument() {
    let seen = support::command(support::ftrun()).args(["doctor", "now"]).fails_with(2);
    assert_eq!(seen.stderr, "ftrun: doctor takes no argument, not `now`\n");
}
