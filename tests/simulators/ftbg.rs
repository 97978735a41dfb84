//! The Blue Gene emulator, as its users call it.

mod support;

use support::{Program, built, number, scratch};

const FTBG: Program = Program { name: "ftbg", path: env!("CARGO_BIN_EXE_ftbg") };

#[test]
fn times_are_those_of_the_paper() {
    for (line, time) in [
        ("line", "110080"),
        ("line --cost physical", "102505"),
        ("octtree", "7720"),
        ("octtree --starter", "8720"),
        ("octtree --cost physical", "8095"),
        ("octtree --cost physical --starter", "9095"),
        ("octtree --cost text", "7879"),
        ("octtree --cost text --starter", "8879"),
        ("line --cost text", "109676"),
        ("line --handler 0", "8080"),
        ("reduce", "110080"),
        ("reduce --cost physical", "102505"),
        ("reduce --cost text", "109676"),
        ("reduce --cost text --handler 860", "95396"),
        ("reduce --handler 860", "95800"),
    ] {
        let json = FTBG.succeeds(&format!("{line} --json"));
        let expected = format!("\"time_ns\":{time},\"packets\":41615,");
        assert!(json.contains(&expected), "{line}: {json}");
    }
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    for line in [
        "line --dims 9,9,9",
        "octtree --dims 9,9,9 --cost physical --handler 0",
        "jacobi --dims 5,4,3 --communication 1",
        "ring --dims 7,3,2",
        "md --rounds 9",
    ] {
        let one = FTBG.succeeds(&format!("{line} --json"));
        for threads in [2, 3, 4] {
            let more = FTBG.succeeds(&format!("{line} --json --threads {threads}"));
            assert_eq!(one, more, "{line} on {threads}");
        }
    }
    let jacobi = FTBG.succeeds("jacobi --dims 4,4,4 --json");
    assert!(jacobi.contains("\"cells_that_differ_from_a_serial_run\":0"), "{jacobi}");
    let md = FTBG.succeeds("md --dims 3,3,3 --rounds 30 --json --quiet --cost physical");
    assert_eq!(number(&md, "atoms_that_differ_from_a_serial_run"), 0.0);
    assert!(number(&md, "momentum") < 1e-10 && number(&md, "energy_drift") < 2e-3, "{md}");
}

#[test]
fn what_cannot_be_is_refused_with_the_cure() {
    for (line, said) in [
        ("lines", "which one? ftbg line, octtree, reduce, ring, jacobi, md or run APP.so"),
        ("line --dims 3,3", "use 34,34,36"),
        ("line --cost real", "use published, physical or text"),
        ("line --communication 500", "use 1 to 200"),
        ("line --handler 1e300", "--handler 1e300: use 0 to 1e9 nanoseconds"),
        ("line --dims 1000,1000,1000", "at most 10000000 nodes"),
        ("line --communication 0", "--communication 0: use 1 or more"),
        ("line --dims nan,1,1", "--dims: `nan,1,1` is not a list of numbers"),
        ("line --dims 0,1,1", "each extent is 1 or more"),
        ("line --clock 0", "--clock 0: use gigahertz"),
        ("line --slice inf --tui", "--slice inf: use a number"),
        ("line --starter", "there is no option --starter"),
        ("line --handler nan", "--handler nan: use a number, such as"),
        ("line --handler -1", "--handler -1e0: use 0 to 1e9 nanoseconds"),
        ("md --dims 8,8,2", "a cell has 26 neighbours: use 3,3,3 or more"),
    ] {
        FTBG.refuses(line, said);
    }
}

#[test]
fn a_machine_has_its_own_dims_unless_others_are_said() {
    let own = FTBG.succeeds("line --machine bluegene-l --json --quiet");
    assert!(own.contains("\"nodes\":65536"), "{own}");
    let said = FTBG.succeeds("line --machine bluegene-l --dims 4,4,4 --json");
    assert!(said.contains("\"nodes\":64"), "{said}");
}

#[test]
fn a_machine_file_that_cannot_run_is_refused_with_the_cure() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("cannot.toml");
    for (program, text, said) in [
        ("line", "[node]\noutbuf = 0\n[cost]\nbyte_ns = 1\n", "use 1 or more"),
        ("jacobi", "[node]\npacket = 64\n", "behind a header of 8: use"),
        ("octtree", "[node]\npacket = 16\n", "behind a header of 8: use 33 or more"),
        ("line", "[node]\nprocessors = 65536\nthreads = 65536\n", "fewer than 2^32"),
        ("line", "[cost]\nhop_ns = 1e300\n", "use 0 to 1e9 nanoseconds"),
        ("line", "[cost]\nhandler_ns = 0\nhop = 0\ncorner = 0\n", "time would stand still"),
    ] {
        let text = format!("[machine]\ntopology = \"mesh\"\ndims = [4, 4, 4]\n{text}");
        std::fs::write(&file, text).expect("there is room");
        FTBG.refuses(&format!("{program} --machine {}", file.display()), said);
    }
}

#[test]
fn programs_in_cpp_and_c_run_on_the_machine_that_they_want_or_are_given() {
    let directory = scratch("ftbg-apps");
    let line = built(&directory, "c++", &["c_examples/ftbg/line.cpp"], "line.so");
    let line = format!("run {} --json --quiet --info 0", line.display());
    let published = FTBG.succeeds(&format!("{line} --info 41615"));
    assert!(published.contains("\"time_ns\":110080,\"packets\":41615,"), "{published}");
    assert!(published.contains("41615: came 1 times, last at 110080 ns"), "{published}");
    assert_eq!(number(&FTBG.succeeds(&format!("{line} --cost physical")), "time_ns"), 102_505.0);
    assert_eq!(number(&FTBG.succeeds(&format!("{line} --dims 4,5,6")), "packets"), 119.0);

    let sum = built(&directory, "cc", &["c_examples/ftbg/sum.c"], "sum.so");
    let sum = format!("run {} --json --quiet --info 0", sum.display());
    // All numbers below 512 x 8; the corner's only communication thread finds packets waiting.
    let eight = FTBG.succeeds(&format!("{sum} 8"));
    assert!(eight.contains("0: sum 8386560, 0 left, some taken at once"), "{eight}");
    assert!(number(&eight, "handlers") < 1024.0, "{eight}");
    // 800 bytes go in eight fragments.
    let whole = FTBG.succeeds(&format!("{sum} 100 --fragments"));
    assert!(whole.contains("0: sum 1310694400, 0 left"), "{whole}");
    assert_eq!(number(&whole, "packets"), 511.0 * 8.0);
    let (machine, _) = eight.split_once("\"time_ns\"").expect("it is there");
    assert!(machine.contains("\"dims\":[8,8,8]"), "{machine}");
}

#[test]
fn a_program_written_as_in_the_paper_runs_in_cpp_and_in_c() {
    let directory = scratch("ftbg-paper");
    let maximum = built(&directory, "c++", &["c_examples/ftbg/maximum.cpp"], "maximum.so");
    let line = format!("run {} --json --quiet --info 0", maximum.display());
    let json = FTBG.succeeds(&line);
    // That of the built-in one.
    assert!(json.contains("\"time_ns\":110080,\"packets\":41615,"), "{json}");
    let best = (0..41_616u64).map(|node| node * 7 % 41_617).max().expect("there are nodes");
    assert!(json.contains(&format!("0: maximum {best}, 0 missing, thread 0 of processor 0")));
    let source = directory.join("paper.c");
    let text = "#include <ftbg.h>\n\
         typedef struct { int from, hops; } PacketMsg;\n\
         static int *heard;\n\
         static void take(BgNode *n, void *d, const void *p, size_t b) {\n\
         const PacketMsg *msg = p; int *own = d;\n\
         *own = b == sizeof *msg ? 100 * msg->from + getThread(n) : -1;\n\
         if (n->number == 0) { PacketMsg next = {n->number + 7, 1};\n\
         sendPacket(n, 1, 0, 0, &next, 9, BG_LARGE); } (void)heard; }\n\
         void BgInit(Main *m) { CreateBlueGene(m, 2, 1, 1, 3, 5); }\n\
         void *BgNodeInit(BgNode *node) { static int own[2]; PacketMsg first = {5, 0};\n\
         registerHandler(node, 9, take);\n\
         if (node->number == 0) addMessage(node, &first, 9, BG_SMALL);\n\
         return &own[node->number]; }\n\
         #include <stdio.h>\n\
         void BgInfo(const void *d, char *t, size_t room) {\n\
         snprintf(t, room, \"%d\", *(const int *)d); }\n";
    std::fs::write(&source, text).expect("there is room");
    let paper = built(&directory, "cc", &[source.to_str().expect("it is text")], "paper.so");
    let line = format!("run {} --json --quiet --info 0 --info 1", paper.display());
    let json = FTBG.succeeds(&line);
    // Node 1 ran it on its first worker, behind three communication threads.
    assert!(json.contains("\"info\":[\"0: 500\",\"1: 703\"]"), "{json}");
}

#[test]
fn mistakes_of_programs_are_told_with_their_node() {
    let directory = scratch("ftbg-mistakes");
    let sum = built(&directory, "cc", &["c_examples/ftbg/sum.c"], "sum.so");
    let sum = sum.display();
    FTBG.refuses(
        &format!("run {sum} 100"),
        "node 0,0,0: a payload of 800 bytes: 120 fit into a packet here",
    );
    FTBG.refuses(&format!("run {sum} --threads 2"), "one thread serves them");
    FTBG.refuses(&format!("run {sum} --info 512 --quiet"), "--info 512: there is no such node");
    FTBG.refuses("run", "which program? Use ftbg run ./app.so");
    FTBG.refuses("run none.so", "No such file");
    let text = directory.join("text.so");
    std::fs::write(&text, "no library").expect("there is room");
    FTBG.refuses(&format!("run {}", text.display()), "see include/ftbg.h");
    let other = built(&directory, "cc", &["c_examples/ftsim/max.c"], "other.so");
    let said = "it does not define BgNodeInit: see include/ftbg.h";
    FTBG.refuses(&format!("run {}", other.display()), said);
    for (call, said) in [
        ("sendPacket(node, 2, 0, -1, h, 0, 0, 0)", "node 1,0,0: there is no node [2, 0, -1]"),
        ("sendPacket(node, 0, 0, 0, 5, 0, 0, 0)", "there is no such handler: 1 are registered"),
        ("addMessage(node, h, 7, 0, 0)", "addMessage: size 7: use BG_SMALL or BG_LARGE"),
        ("addMessage(node, h, 0, 0, 9)", "a payload of 9 bytes at 0x0: there is none"),
        ("registerHandler(node, 0)", "a handler is NULL"),
        ("registerHandler(node, -1, heard)", "handler -1: use 0 to 65535"),
        ("registerHandler(node, 0, other)", "handler 0 is another function already"),
    ] {
        let source = directory.join("wrong.c");
        let text = format!(
            "#include <ftbg.h>\n\
             static void heard(BgNode *n, void *d, const void *p, size_t b) {{\n\
             (void)n, (void)d, (void)p, (void)b; }}\n\
             static void other(BgNode *n, void *d, const void *p, size_t b) {{\n\
             (void)n, (void)d, (void)p, (void)b; }}\n\
             void *BgNodeInit(BgNode *node) {{\n\
             int h = registerHandler(node, heard);\n\
             if (node->number == 1) {call};\n\
             (void)h, (void)other; return 0; }}\n"
        );
        std::fs::write(&source, text).expect("there is room");
        let source = source.to_str().expect("it is text");
        let wrong = built(&directory, "cc", &[source], "wrong.so");
        FTBG.refuses(&format!("run {} --dims 3,3,3", wrong.display()), said);
    }
}

#[test]
fn a_full_disk_or_a_closed_pipe_is_a_sentence() {
    use std::process::{Command, Stdio};
    let said = |out: Stdio| {
        let mut command = Command::new(FTBG.path);
        let command = command.args(["line", "--dims", "4,4,4", "--quiet"]).stdout(out);
        let output = command.stderr(Stdio::piped()).spawn().expect("it can be started");
        let output = output.wait_with_output().expect("it is ours");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
    let (status, why) = said(full.into());
    assert!(status == Some(1) && why.starts_with("ftbg: cannot write to standard output"), "{why}");
    let (reader, writer) = std::io::pipe().expect("there is a pipe");
    drop(reader);
    let (status, why) = said(writer.into());
    assert!(status == Some(1) && why.contains("the pipe is closed"), "{why}");
}

#[test]
fn how_well_it_emulates_is_told_when_asked() {
    let json = FTBG.succeeds("line --dims 8,8,8 --measure --clock 2 --quiet --json");
    // 512 nodes with 25 processors of one gigahertz each, on one of two.
    assert_eq!(number(&json, "r"), 6400.0);
    let emulated_ms = number(&json, "time_ns") / 1e6;
    let (wall, ideal) = (number(&json, "wall_ms"), number(&json, "ideal_ms"));
    let about = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-9;
    assert!(about(ideal, 6400.0 * emulated_ms), "{json}");
    assert!(about(number(&json, "slowdown"), wall / emulated_ms), "{json}");
    assert!(about(number(&json, "emulation_efficiency"), ideal / wall), "{json}");
}
