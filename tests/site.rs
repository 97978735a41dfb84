//! The site: its tutorials do what they say, its links lead somewhere, and it asks nobody else for
//! anything.
//!
//! In a block of the kind `console`, a line that begins with `$` is a command (a backslash at the
//! end continues it), and the lines below it are what it prints. `tools/site` builds the site.

#[path = "browser/mod.rs"]
mod browser;
#[path = "site/links.rs"]
mod links;
use browser::Browser;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Pages on which every program and every command is run.
const TUTORIALS: [&str; 4] = ["modes", "ulfm", "checkpoints", "natural"];
/// What mpi4py has to be told of this MPI, as docs/PYTHON.md says.
const ULFM: &str = "Comm_revoke Comm_is_revoked Comm_get_failed Comm_ack_failed Comm_agree \
                    Comm_iagree Comm_shrink Comm_ishrink ERR_REVOKED ERR_PROC_FAILED \
                    ERR_PROC_FAILED_PENDING";

fn text_of(page: &str) -> String {
    let path = support::root().join(format!("docs/site/{page}.md"));
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// The fenced blocks of a page: their kinds and lines.
fn blocks(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if is_inside => is_inside = false,
            Some(kind) => {
                is_inside = true;
                found.push((kind.to_string(), Vec::new()));
            }
            None if is_inside => found.last_mut().expect("it began").1.push(line.to_string()),
            None => {}
        }
    }
    assert!(!is_inside, "a block does not end");
    found
}

/// The commands of a page, each with the lines that it prints.
fn commands(page: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut goes_on = false;
    for (_, lines) in blocks(&text_of(page)).into_iter().filter(|(kind, _)| kind == "console") {
        for line in lines {
            if let Some(command) = line.strip_prefix("$ ") {
                found.push((command.to_string(), Vec::new()));
            } else {
                let last = found.last_mut().unwrap_or_else(|| panic!("{page}: no command: {line}"));
                if goes_on {
                    last.0 += &format!("\n{line}");
                } else {
                    last.1.push(line.clone());
                    continue;
                }
            }
            goes_on = line.ends_with('\\');
        }
    }
    assert!(!found.is_empty(), "{page} has no commands");
    found
}

/// Lines in alphabetical order, without times: ranks write in no fixed order.
fn comparable<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let without_time = |line: &str| match line.split_once(" after ") {
        Some((head, rest)) if line.starts_with("ftrun: ") => {
            let (time, tail) = rest.split_once(" s").expect("seconds follow");
            assert!(time.parse::<f64>().is_ok(), "{line}");
            format!("{head} after a time{tail}")
        }
        _ => line.trim().to_string(),
    };
    let mut lines: Vec<String> = lines.into_iter().map(without_time).collect();
    lines.sort();
    lines
}

/// A Python with numpy and mpi4py, made once where pip can install them.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = PYTHON.get_or_init(|| {
        let place = support::root().join("target/site-python");
        let python = place.join("bin/python3");
        let is_there = || {
            let import = ["-c", "import numpy; from mpi4py import MPI; MPI.Comm.Revoke"];
            let path = std::env::join_paths([support::library_directory()]).expect("a path");
            let mut tried = Command::new(&python);
            tried.args(import).env("LD_LIBRARY_PATH", path);
            tried.output().is_ok_and(|tried| tried.status.success())
        };
        if !is_there() {
            let flags: String =
                ULFM.split_whitespace().map(|name| format!(" -DPyMPI_HAVE_MPI_{name}=1")).collect();
            let script = "python3 -m venv --clear \"$0\" && \"$0/bin/pip\" install -q numpy && \
                          MPICC=mpicc \"$0/bin/pip\" install -q --no-binary mpi4py mpi4py";
            let run = support::command("sh").args(["-c", script]).args([&place]);
            let seen = run.env("PATH", path(None)).env("CFLAGS", flags).deadline(900).outcome();
            println!("{seen}");
        }
        is_there().then(|| place.join("bin"))
    });
    made.as_deref()
}

/// Our commands first, then the Python of a test, then the machine's.
fn path(python: Option<&Path>) -> std::ffi::OsString {
    let ours = support::ftrun().parent().expect("it is in a directory").to_path_buf();
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let all = [ours].into_iter().chain(python.map(Path::to_path_buf));
    std::env::join_paths(all.chain(std::env::split_paths(&usual))).expect("no colon in a name")
}

/// Runs all commands of a page, one after another.
fn run_page(page: &str) {
    support::library_directory();
    let directory = support::fresh_directory(&format!("site-{page}"));
    for entry in std::fs::read_dir(support::root().join("docs/site/programs")).expect("it is there")
    {
        let file = entry.expect("it can be read").path();
        std::fs::copy(&file, directory.join(file.file_name().expect("a name"))).expect("room");
    }
    for examples in ["c_examples", "fortran_examples", "python_examples"] {
        let link = directory.join(examples);
        std::os::unix::fs::symlink(support::root().join(examples), link).expect("room");
    }
    for (command, expected) in commands(page) {
        let python = if command.contains("python3") { python() } else { None };
        if command.contains("python3") && python.is_none() {
            println!("{page}: not run, since pip cannot install mpi4py here: {command}");
            continue;
        }
        let run = support::command("sh").args(["-c", &command]).directory(&directory);
        let seen = run.env("PATH", path(python)).deadline(240).succeeds();
        let printed = seen.stdout.lines().chain(seen.stderr.lines());
        let expected = comparable(expected.iter().map(String::as_str));
        assert_eq!(comparable(printed), expected, "{page}: {command}\n{seen}");
    }
}

#[test]
fn the_first_steps_do_what_they_say() {
    run_page("start");
}

#[test]
fn the_tutorial_of_modes_does_what_it_says() {
    run_page("modes");
}

#[test]
fn the_tutorial_of_ulfm_does_what_it_says() {
    run_page("ulfm");
}

#[test]
fn the_tutorial_of_checkpoints_does_what_it_says() {
    run_page("checkpoints");
}

#[test]
fn the_tutorial_of_natural_fault_tolerance_does_what_it_says() {
    run_page("natural");
}

#[test]
fn tutorials_show_nothing_that_is_not_run_and_include_all_programs() {
    let mut included = Vec::new();
    for page in TUTORIALS {
        let text = text_of(page);
        // An indented block would be code that is not run.
        let prose = text.split("\n```").step_by(2).flat_map(str::lines);
        let indented: Vec<&str> = prose.filter(|line| line.starts_with("    ")).collect();
        assert!(indented.is_empty(), "{page}: {indented:?}");
        let commands = commands(page);
        for (kind, lines) in blocks(&text).iter().filter(|(kind, _)| kind != "console") {
            let program = lines[0].strip_prefix("{{#include programs/");
            let program = program.and_then(|rest| rest.strip_suffix("}}"));
            let program = program.unwrap_or_else(|| panic!("{page}: {kind}: {}", lines[0]));
            assert_eq!(lines.len(), 1, "{page}: more than {program}");
            let is_run = commands.iter().any(|(command, _)| command.contains(program));
            assert!(is_run, "{page}: no command has {program}");
            included.push(program.to_string());
        }
    }
    let programs = std::fs::read_dir(support::root().join("docs/site/programs")).expect("there");
    let name = |file: std::fs::DirEntry| file.file_name().to_string_lossy().into_owned();
    let mut programs: Vec<String> = programs.map(|file| name(file.expect("it is there"))).collect();
    programs.sort();
    included.sort();
    assert_eq!(programs, included);
    assert_eq!(programs.len(), 3 * TUTORIALS.len(), "C, Fortran and Python for each");
}

/// The site as `tools/site` builds it, or nothing where mdBook cannot be installed.
fn built() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let site = BUILT.get_or_init(|| {
        let tool = support::root().join("tools/site");
        let seen = support::command(tool).deadline(1500).outcome();
        if seen.status == Some(3) {
            println!("not tested: mdBook cannot be installed here\n{seen}");
            return None;
        }
        assert_eq!(seen.status, Some(0), "{seen}");
        Some(PathBuf::from(seen.stdout.trim()).parent().expect("a directory").to_path_buf())
    });
    site.as_deref()
}

#[test]
#[ignore = "installs mdBook: minutes"]
fn the_site_is_built_without_a_warning_and_each_link_leads_to_a_page_and_a_place_in_it() {
    let Some(site) = built() else { return };
    let seen = links::of_site(site);
    assert!(seen.pages > 40 && seen.links > 1500, "{seen:?}");
    assert!(seen.broken.is_empty(), "{:#?}", seen.broken);
    // The reference is generated: one word of each source.
    for (page, word) in [
        ("commands", "--on-failure"),
        ("mpi", "MPI_Session_create_errhandler"),
        ("ftmpi", "ftmpi_incarnation"),
        ("ft-mpi-modes", "FTMPI_RANK_STATES"),
        ("mpi-ext", "MPIX_Comm_shrink"),
        ("ftck", "FTCK_Adopt_c"),
    ] {
        let text = std::fs::read_to_string(site.join(format!("site/reference/{page}.html")));
        assert!(text.expect("the page is there").contains(word), "{page}");
    }
    // Every call that the header declares, none twice.
    let page = std::fs::read_to_string(site.join("site/reference/mpi.html")).unwrap();
    let calls = |text: &str, before: &str| -> Vec<String> {
        let (text, start) = (text.replace(['*', '\n'], " "), format!("{before}MPI_"));
        let names = text.split(&start).skip(1).filter_map(|rest| {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
            rest[end..].starts_with('(').then(|| rest[..end].to_string())
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let header = std::fs::read_to_string(support::root().join("include/mpi.h")).unwrap();
    // Handles are converted by macros.
    let header: Vec<&str> = header.lines().filter(|line| !line.starts_with("#define")).collect();
    let header = header.join("\n");
    let declared = calls(&header, " P");
    let shown = calls(&page, " ");
    let missing: Vec<_> = declared.iter().filter(|name| !shown.contains(name)).collect();
    assert!(declared.len() > 660 && missing.is_empty(), "{} calls, not {missing:?}", shown.len());
    assert!(shown.windows(2).all(|two| two[0] != two[1]), "none twice");
    assert_eq!(page.matches("// not with --processes").count(), 7);
}

#[test]
fn links_of_the_documents_lead_to_files_and_to_headings() {
    let seen = links::of_documents(&support::root());
    assert!(seen.pages > 25 && seen.links > 80, "{seen:?}");
    assert!(seen.broken.is_empty(), "{:#?}", seen.broken);
}

#[test]
#[ignore = "installs mdBook: minutes"]
fn a_search_finds_a_page_without_a_network_and_nothing_is_asked_of_others() {
    let Some(site) = built() else { return };
    let profile = support::fresh_directory("site-search");
    let address = format!("file://{}", site.join("index.html").display());
    let mut page = Browser::open(&address, 1100, 800, &profile);
    page.wait("document.querySelector('#mdbook-searchbar, #searchbar') && window.hljs");
    let has_focus = "/searchbar/.test(document.activeElement?.id)";
    let until = Instant::now() + Duration::from_secs(30);
    // Keys are heard when the index has come.
    while page.value(has_focus) != true {
        assert!(Instant::now() < until, "the key `s` opens the search");
        page.key("s", 83);
    }
    for letter in "rebuild".chars() {
        page.key(&letter.to_string(), letter.to_ascii_uppercase() as u32);
    }
    page.wait(
        "[...document.querySelectorAll('#mdbook-searchresults a, #searchresults a')]
           .some(a => /site\\/rebuild.html/.test(a.href))",
    );
    for file in ["index", "site/modes", "site/rebuild", "SPARES", "site/reference/commands"] {
        let address = site.join(format!("{file}.html"));
        page.value(&format!("location.href = 'file://{}'", address.display()));
        page.wait(&format!(
            "location.href.endsWith('{file}.html') && document.readyState === 'complete'"
        ));
        let others = page.value(
            "performance.getEntriesByType('resource').map(r => r.name)
               .filter(name => !name.startsWith('file:') && !name.startsWith('data:'))",
        );
        assert_eq!(others.as_array().map(Vec::len), Some(0), "{file}: {others}");
        let broken =
            page.value("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)");
        assert_eq!(broken.as_array().map(Vec::len), Some(0), "{file}: {broken}");
    }
}
