//! Libraries that ranks open while they run: each rank has its own copies of them.

use std::path::{Path, PathBuf};
use support::{Program, Run};

const INNER: &str = r#"
    extern const char *log_of_constructors(const char *);
    static int inside;
    int count_inside(void) { return ++inside; }
    int inside_count(void) { return inside; }
    __attribute__((constructor)) static void begin(void) { log_of_constructors("inner"); }
"#;

const OUTER: &str = r#"
    #include <stdio.h>
    extern int counter;
    int called(void), count_inside(void), inside_count(void);
    extern const char *log_of_constructors(const char *);
    static int own, told;
    static __thread int private_value = 40;
    static __thread int zero[1000];
    static __thread int *home = &own;
    __attribute__((constructor)) static void begin(int argc, char **argv, char **envp) {
        told = argv && argv[argc] == 0 && envp ? argc : -1;
        log_of_constructors("outer");
    }
    __attribute__((destructor)) static void end(void) { printf("outer ends with %d\n", own); }
    int count(void) { count_inside(); return ++own; }
    int counted(void) { return own; }
    int counted_inside(void) { return inside_count(); }
    int of_program(void) { return counter; }
    int from_program(void) { return called(); }
    int arguments(void) { return told; }
    int private_count(void) { return ++private_value; }
    int private_zero(void) { return ++zero[999]; }
    int is_at_home(void) { return home == &own; }
    static int seven(void) { return 7; }
    static int (*choose(void))(void) { return seven; }
    int chosen(void) __attribute__((ifunc("choose")));
"#;

const BASE: &str = r#"
    static int is_ready;
    int base_is_ready(void) { return is_ready; }
    __attribute__((constructor)) static void begin(void) { is_ready = 1; }
"#;
const GLOBAL: &str = r#"
    int base_is_ready(void);
    static int all;
    __attribute__((constructor)) static void begin(void) { all = base_is_ready() ? 0 : -100; }
    int global_count(void) { return ++all; }
"#;
const USER: &str = "int global_count(void); int use(void) { return global_count(); }";
const BROKEN: &str = "int nowhere_to_be_found(void); int x(void) { return nowhere_to_be_found(); }";

/// Compiles a library into the directory.
fn library(directory: &Path, name: &str, text: &str, more: &[&str]) -> PathBuf {
    let (source, file) = (directory.join(name).with_extension("c"), directory.join(name));
    std::fs::write(&source, text).unwrap();
    let compiler = if more.contains(&"-xc++") { "c++" } else { "cc" };
    let command = support::command(compiler).args(["-shared", "-fPIC", "-w"]);
    let words = [&source, Path::new("-o"), &file].map(|word| word.display().to_string());
    let here = format!("-L{}", directory.display());
    command.args(&more[..more.len().min(1)]).args(words).args([&here]).args(more).succeeds();
    file
}

fn plugins(name: &str) -> PathBuf {
    let directory = support::fresh_directory(name);
    library(&directory, "libinner.so", INNER, &["-Wl,-soname,libinner.so"]);
    library(&directory, "libouter.so", OUTER, &["-Wl,-rpath,$ORIGIN", "-linner"]);
    library(&directory, "libbase.so", BASE, &["-Wl,-soname,libbase.so"]);
    library(&directory, "libglobal.so", GLOBAL, &["-Wl,-rpath,$ORIGIN", "-lbase"]);
    library(&directory, "libuser.so", USER, &[]);
    library(&directory, "libbroken.so", BROKEN, &[]);
    directory
}

fn opener() -> Program {
    support::c("plugins.c").flags(&["-rdynamic"]).build()
}

fn each_form(run: &Run, check: impl Fn(&support::Outcome)) {
    for form in ["thread", "fiber"] {
        check(&run.clone().env("FTMPI_RANKS", form).succeeds());
    }
}

#[test]
fn each_rank_has_its_own_copy_of_what_it_opens_and_of_what_that_needs() {
    let directory = plugins("plugins");
    let run = support::run(&opener()).ranks(8).args([&directory]);
    each_form(&run, |seen| {
        assert_eq!(seen.lines_with("not so"), 0, "{seen}");
        assert_eq!(seen.lines_with("is done"), 8, "{seen}");
        for rank in 0..8 {
            assert_eq!(seen.lines_with(&format!("outer ends with {}", rank + 1)), 1, "{seen}");
        }
    });
}

#[test]
fn a_library_that_all_ranks_share_is_refused_if_it_would_see_another_copy() {
    let text = r#"
        #include <mpi.h>
        #include <dlfcn.h>
        #include <stdio.h>
        int counter;
        int called(void) { return counter; }
        int main(int argc, char **argv) {
            int rank;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            counter = 100 + rank;
            for (int i = 1; i < argc; i++) {
                void *library = dlopen(argv[i], RTLD_NOW);
                if (!library) { printf("%s\n", dlerror()); continue; }
                int (*plug)(void) = (int (*)(void)) dlsym(library, "plug");
                printf("opened, %s\n", plug() == 100 + rank ? "its own" : "another's");
            }
            MPI_Finalize();
            return 0;
        }
    "#;
    let directory = support::fresh_directory("shared_plugins");
    let program = support::c_text("opener", text).flags(&["-rdynamic"]).build();
    let library =
        |name: &str, text: &str| library(&directory, name, text, &["-lm"]).display().to_string();
    let data = library("libdata.so", "extern int counter; int plug(void) { return counter; }");
    let code = library("libcode.so", "int called(void); int plug(void) { return called(); }");
    let plain = library(
        "libplain.so",
        "#include <math.h>\n#include <stdlib.h>\nstatic int own; int plug(void) { free(malloc(9)); \
         return own += (int) cos(own); }",
    );
    // Many at once: what one rank has just loaded is not taken for what another one asked for.
    let run = support::run(&program).ranks(16).args([&data, &code, &plain]);
    let shared = ["libdata.so", "libcode.so", "libplain.so"];
    let all = shared.iter().fold(run.clone(), |run, name| run.option("--shared").option(name));
    let seen = all.succeeds();
    for (file, symbol) in [(&data, "counter"), (&code, "called")] {
        let words =
            format!("{file} uses `{symbol}` of the program, of which each rank has its own");
        assert_eq!(seen.lines_with(&words), 16, "{seen}");
    }
    assert_eq!(seen.lines_with("opened, another's"), 16, "{seen}");
    // The cure that it names.
    let seen = run.succeeds();
    assert_eq!(seen.lines_with("opened, its own"), 32, "{seen}");
    assert_eq!(seen.lines_with("opened, another's"), 16, "{seen}");
}

#[test]
fn an_exception_passes_from_a_copy_of_a_library_to_the_program() {
    let directory = support::fresh_directory("throwing_plugins");
    let text = "#include <stdexcept>\n#include <string>\nextern \"C\" void fail(int rank) { \
                throw std::runtime_error(\"rank \" + std::to_string(rank)); }";
    let file = library(&directory, "libthrow.so", text, &["-xc++"]);
    let text = r#"
        #include <dlfcn.h>
        #include <mpi.h>
        #include <cstdio>
        #include <stdexcept>
        int main(int argc, char **argv) {
            MPI_Init(&argc, &argv);
            int rank;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            auto fail = (void (*)(int)) dlsym(dlopen(argv[1], RTLD_NOW), "fail");
            for (int i = 0; i < 100; i++) {
                try { fail(rank); }
                catch (const std::runtime_error &error) { if (i == 99) std::puts(error.what()); }
            }
            MPI_Finalize();
        }
    "#;
    let program = support::cxx_text("catcher", text).build();
    each_form(&support::run(&program).ranks(4).args([&file]), |seen| {
        assert_eq!(seen.sorted_lines(), ["rank 0", "rank 1", "rank 2", "rank 3"], "{seen}");
    });
}

#[test]
fn a_rank_that_comes_back_opens_fresh_copies_and_those_of_the_dead_are_gone() {
    let text = r#"
        #include <dlfcn.h>
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        static int areas(void) {
            char line[512];
            int count = 0;
            FILE *maps = fopen("/proc/self/maps", "r");
            while (fgets(line, sizeof line, maps)) count += strstr(line, "libstate.so") != NULL;
            fclose(maps);
            return count;
        }
        int main(int argc, char **argv) {
            MPI_Init(&argc, &argv);
            int rank, lives = atoi(getenv("FTMPI_INCARNATION") ? getenv("FTMPI_INCARNATION") : "0");
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            int (*count)(void) = (int (*)(void)) dlsym(dlopen(argv[1], RTLD_NOW), "count");
            if (count() != 1) printf("rank %d: the state of another\n", rank);
            if (rank == 1 && lives < 40) raise(SIGKILL);
            MPI_Comm fresh;
            while (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS) MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
            if (rank == 0) printf("%d mappings\n", areas());
            printf("rank %d counts %d in life %d\n", rank, count(), lives);
            MPI_Finalize();
            return 0;
        }
    "#;
    let directory = support::fresh_directory("mortal_plugins");
    let file =
        library(&directory, "libstate.so", "static int n; int count(void) { return ++n; }", &[]);
    let program = support::c_text("reopener", text).build();
    let run = support::run(&program).ranks(3).option("--mode").option("rebuild").args([&file]);
    each_form(&run, |seen| {
        assert_eq!(seen.lines_with("the state of another"), 0, "{seen}");
        let maps = seen.stdout.lines().find_map(|line| line.strip_suffix(" mappings"));
        assert!(maps.is_some_and(|count| count.parse::<u32>().unwrap() <= 20), "{seen}");
        assert_eq!(seen.lines_with("rank 0 counts 2 in life 0"), 1, "{seen}");
        assert_eq!(seen.lines_with("rank 1 counts 2 in life 40"), 1, "{seen}");
    });
}
