//! What applications do that they should not, as users of ftsim and ftbg see it: a sentence that
//! names the node, and no core.

mod support;

use std::path::{Path, PathBuf};
use support::{Program, built, scratch};

const FTSIM: Program = Program { name: "ftsim", path: env!("CARGO_BIN_EXE_ftsim") };
const FTBG: Program = Program { name: "ftbg", path: env!("CARGO_BIN_EXE_ftbg") };

/// What node 3 does in the tests: a name, C, and what is said of it.
const DEEDS: [(&str, &str, &str); 6] = [
    ("segv", "*(volatile int *)0 = 1;", "node 3 has ended by a segmentation fault at address 0x0"),
    ("ill", "__builtin_trap();", "node 3 has ended by an illegal instruction"),
    ("fpe", "volatile int no = 0; no = 77 / no;", "node 3 has ended by an arithmetic fault"),
    ("abort", "abort();", "node 3 has called abort"),
    ("exit", "exit(0);", "node 3 has called exit"),
    ("deep", "deep(1 << 30);", "node 3 has used more than its stack"),
];
const HEAD: &str = "#include <stdlib.h>\n\
     #pragma GCC diagnostic ignored \"-Winfinite-recursion\"\n\
     __attribute__((noinline, unused)) static int deep(int n) {\n\
     volatile char room[200]; room[n % 200] = 1;\n\
     return n == 0 ? 0 : deep(n - 1) + room[n % 200]; }\n\
     __attribute__((noinline, unused)) static int wide(void) {\n\
     volatile char room[300000];\n\
     for (int i = 299999; i > 0; i -= 1000) room[i] = 1;\n\
     return room[299999]; }\n";

fn compiled(directory: &Path, name: &str, text: &str) -> PathBuf {
    let source = directory.join(format!("{name}.c"));
    std::fs::write(&source, format!("{HEAD}{text}")).expect("there is room");
    built(directory, "cc", &[source.to_str().expect("it is text")], &format!("{name}.so"))
}

#[test]
fn a_handler_that_ends_the_process_is_told_with_its_node() {
    let directory = scratch("foreign-handlers");
    for (name, deed, said) in DEEDS {
        let text = format!(
            "#include <ftsim.h>\n\
             size_t ftsim_state_bytes(void) {{ return 8; }}\n\
             void ftsim_init(void *s, ftsim_here *h) {{ (void)s; ftsim_send_all(h, 0, 0); }}\n\
             void ftsim_on_message(void *s, ftsim_here *h, int32_t f, const void *d, size_t b) {{\n\
             (void)s, (void)f, (void)d, (void)b; if (h->node == 3) {{ {deed} }} }}\n"
        );
        let app = compiled(&directory, &format!("ftsim-{name}"), &text);
        FTSIM.refuses(&format!("run {} --nodes 100", app.display()), said);
        let text = format!(
            "#include <ftbg.h>\n\
             static void go(BgNode *n, void *d, const void *p, size_t b) {{\n\
             (void)d, (void)p, (void)b; if (n->number == 3) {{ {deed} }} }}\n\
             void *BgNodeInit(BgNode *n) {{\n\
             registerHandler(n, 1, go); addMessage(n, 1, BG_SMALL, 0, 0); return 0; }}\n"
        );
        let app = compiled(&directory, &format!("ftbg-{name}"), &text);
        FTBG.refuses(&format!("run {} --dims 3,3,3", app.display()), said);
    }
}

#[test]
fn a_thread_that_ends_the_process_or_overflows_its_stack_is_told_with_its_node() {
    let directory = scratch("foreign-threads");
    // An array that is larger than the stacks of several neighbours.
    let wide = "wide();";
    let more = ("wide", wide, "node 3 has used more than its stack: use more with --stack");
    for (name, deed, said) in DEEDS.into_iter().chain([more]) {
        let text = format!(
            "#include <ftsim.h>\n\
             size_t ftsim_state_bytes(void) {{ return 8; }}\n\
             void ftsim_thread(void *s, ftsim_here *h) {{\n\
             ftsim_event event; (void)s; ftsim_send_all(h, 0, 0); ftsim_receive(h, &event);\n\
             if (h->node == 3) {{ {deed} }} for (;;) ftsim_receive(h, &event); }}\n"
        );
        let app = compiled(&directory, &format!("thread-{name}"), &text);
        FTSIM.refuses(&format!("run {} --nodes 100", app.display()), said);
    }
    let small = "if (h->node == 3) deep(1000);";
    let text = format!(
        "#include <ftsim.h>\n\
         size_t ftsim_state_bytes(void) {{ return 8; }}\n\
         void ftsim_thread(void *s, ftsim_here *h) {{ (void)s; (void)h; {small} }}\n"
    );
    let app = compiled(&directory, "thread-small", &text);
    FTSIM.refuses(&format!("run {} --nodes 100", app.display()), "use more with --stack");
    FTSIM.succeeds(&format!("run {} --nodes 100 --stack 1024", app.display()));
}

#[test]
fn an_application_that_fails_while_it_is_loaded_is_told() {
    let directory = scratch("foreign-loading");
    let text = "#include <ftbg.h>\n\
         void BgInit(Main *m) { (void)m; abort(); }\n\
         void *BgNodeInit(BgNode *n) { (void)n; return 0; }\n";
    let app = compiled(&directory, "init", text);
    let said = "the application, while it was loaded, has called abort";
    FTBG.refuses(&format!("run {}", app.display()), said);
    let text = "#include <ftsim.h>\n\
         __attribute__((constructor)) static void begin(void) { exit(0); }\n\
         size_t ftsim_state_bytes(void) { return 8; }\n";
    let app = compiled(&directory, "constructor", text);
    let said = "the application, while it was loaded, has called exit";
    FTSIM.refuses(&format!("run {}", app.display()), said);
}

#[test]
fn a_state_for_which_there_is_no_room_is_refused() {
    let directory = scratch("foreign-huge");
    for bytes in ["(size_t)1 << 40", "~(size_t)0"] {
        let text = format!(
            "#include <ftsim.h>\n\
             size_t ftsim_state_bytes(void) {{ return {bytes}; }}\n\
             void ftsim_thread(void *s, ftsim_here *h) {{ (void)s, (void)h; }}\n"
        );
        let app = compiled(&directory, "huge", &text);
        let said = "bytes for each of 100 nodes, 0 to 99: there is room for";
        FTSIM.refuses(&format!("run {} --nodes 100", app.display()), said);
    }
}

#[test]
fn sends_that_cannot_be_return_a_code_and_change_nothing() {
    let directory = scratch("foreign-sends");
    let text = "#include <ftsim.h>\n\
         size_t ftsim_state_bytes(void) { return 8; }\n\
         void ftsim_init(void *s, ftsim_here *h) {\n\
         static char big[1 << 20]; int *wrong = s;\n\
         *wrong += ftsim_send(h, 99999999, \"x\", 1) != -1;\n\
         *wrong += ftsim_send(h, -1, \"x\", 1) != -1;\n\
         *wrong += ftsim_send(h, 0, 0, 1) != -1;\n\
         *wrong += ftsim_send_all(h, big, sizeof big) != -1; }\n\
         void ftsim_on_message(void *s, ftsim_here *h, int32_t f, const void *d, size_t b) {\n\
         (void)s, (void)h, (void)f, (void)d, (void)b; }\n\
         uint8_t ftsim_colour(const void *s) { return *(const int *)s; }\n";
    let app = compiled(&directory, "sends", text);
    let json = FTSIM.succeeds(&format!("run {} --nodes 100 --json", app.display()));
    assert!(json.contains("\"sent\":0,") && json.contains("\"colours\":[[0,100]]"), "{json}");
}
