//! The live view of a real job, in a real browser: `ftrun --watch`.

#[path = "browser/mod.rs"]
mod browser;
#[path = "live/crew.rs"]
mod crew;
#[path = "live/every.rs"]
mod every;
#[path = "live/film.rs"]
mod film;
#[path = "live/past.rs"]
mod past;
#[path = "live/screens.rs"]
mod screens;
#[path = "live/shown.rs"]
mod shown;
#[path = "live/timeline.rs"]
mod timeline;

use browser::Browser;
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RANKS: usize = 16;
const DEADLINE: Duration = Duration::from_secs(300);

/// A job under way that ends when its file is there, and the page that looks at it.
struct Job {
    child: Child,
    address: String,
    directory: PathBuf,
    /// What it has said on standard error after its address.
    said: Option<std::thread::JoinHandle<String>>,
}

impl Job {
    fn begin(name: &str, options: &[&str]) -> Job {
        Job::begin_with(name, RANKS, options, |_| {})
    }

    fn begin_with(name: &str, ranks: usize, options: &[&str], prepare: impl FnOnce(&Path)) -> Job {
        let directory = support::fresh_directory(name);
        prepare(&directory);
        let program = support::c("watched.c").flags(&["-O2"]).build();
        Job::begin_of(&program, directory, ranks, options)
    }

    fn begin_of(
        program: &support::Program, directory: PathBuf, ranks: usize, options: &[&str],
    ) -> Job {
        let child = Command::new(support::ftrun())
            .args(["-np", &ranks.to_string(), "--mode", "rebuild", "--report", "report"])
            .args(["--record", "record", "--watch"])
            .args(options)
            .arg(program.path())
            .arg("stop")
            .current_dir(&directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("it can be started");
        let mut stderr = BufReader::new(child.stderr.take().expect("it was asked for"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("it says where it is");
        let (_, address) = line.trim().split_once(" at ").unwrap_or_else(|| panic!("{line}"));
        let address = address.to_string();
        let said = std::thread::spawn(move || {
            let mut said = String::new();
            let _ = stderr.read_to_string(&mut said);
            said
        });
        Job { child, address, directory, said: Some(said) }
    }

    fn order(&self, words: &str) -> String {
        let (host, path) = self.address[7..].split_once('/').expect("it has a path");
        let mut stream = TcpStream::connect(host).expect("it listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("it can be set");
        let length = words.len();
        write!(
            stream,
            "POST /{path}order HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{words}"
        )
        .expect("it listens");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer.split("\r\n\r\n").nth(1).unwrap_or_else(|| panic!("{answer}")).to_string()
    }

    /// Asks again and again, until the answer has these words in it.
    fn wait(&self, words: &str, expected: &str) {
        let end = Instant::now() + DEADLINE;
        while !self.order(words).contains(expected) {
            assert!(Instant::now() < end, "{words}: never {expected}");
        }
    }

    /// Lets it end; its status and what it has written.
    fn end(&mut self) -> (Option<i32>, String, String) {
        std::fs::write(self.directory.join("stop"), "").expect("there is room");
        let end = Instant::now() + DEADLINE;
        let status = loop {
            match self.child.try_wait().expect("it is a child") {
                Some(status) => break status,
                None if Instant::now() > end => panic!("it goes on and on"),
                None => std::thread::yield_now(),
            }
        };
        let mut stdout = String::new();
        let pipe = self.child.stdout.take().expect("it was asked for");
        let _ = BufReader::new(pipe).read_to_string(&mut stdout);
        let said = self.said.take().and_then(|said| said.join().ok());
        (status.code(), stdout, said.expect("it has said something"))
    }

    fn report(&self) -> Vec<Value> {
        let report = std::fs::read_to_string(self.directory.join("report")).expect("it is there");
        report.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where a rank's dot is in the window.
fn place(page: &mut Browser, rank: usize) -> (f64, f64) {
    let mut along = |axis, side, place: &str| {
        page.number(&format!(
            "$('dots').getBoundingClientRect().{axis} \
             + (picture.box().{side} + {place} * picture.box().side) / picture.box().scale"
        ))
    };
    let x = along("x", "left", &format!("places[{}]", 2 * rank));
    let y = along("y", "top", &format!("(1 - places[{}])", 2 * rank + 1));
    (x, y)
}

#[test]
fn a_click_kills_a_rank_and_the_page_shows_how_the_job_survives() {
    let mut job = Job::begin("live-click", &[]);
    let profile = support::fresh_directory("live-click-profile");
    let mut page = Browser::open(&job.address, 1200, 900, &profile);
    page.wait("frame && frame.count === 16 && $('title').textContent === 'watched, 16 ranks'");
    page.wait("history.get('collectives').length > 3 && frame.series[0] > 100");
    page.wait("/^[0-9,]+ ms, 16 of 16 alive/.test($('state').innerText.trim())");
    // Everybody waits now and then in the call that the program is in.
    page.wait("frame.colours.includes(scene.kinds.indexOf('waits in a collective'))");
    // What is it, and whom does it wait for.
    let (x, y) = place(&mut page, 3);
    page.click_at(x, y, false);
    page.wait("/^rank 3: life 0, .*collectives, woken/.test($('word').textContent)");
    page.wait(
        "/in MPI_(Allreduce|Sendrecv): waits for .*MPI_COMM_WORLD/.test($('word').textContent)",
    );
    // By a click with the shift key.
    let (x, y) = place(&mut page, 5);
    page.click_at(x, y, true);
    page.wait("$('word').textContent === 'rank 5 will be killed'");
    page.wait("frame.marks.length === 1 && frame.marks[0] === 5 && frame.count === 16");
    page.wait("frame.lines.length === 1 && frame.lines[0].title === 'rank 5, life 0'");
    page.wait("frame.lines[0].steps.at(-1)[0] === 'recovered'");
    page.wait("document.querySelectorAll('.line .bar span').length >= 4");
    page.wait("$('events').innerText.includes('rank 5 was killed')");
    page.wait("$('events').innerText.includes('generation 1: recovered from the death of rank 5')");
    // It goes on, and so do the counts.
    page.wait("(at => () => frame.series[0] > at)(frame.series[0]) && frame.series[5] === 1");
    // All of a region: the upper row.
    page.value("['x0', 'y0', 'x1', 'y1'].forEach((id, i) => $(id).value = [0, 0.75, 1, 1][i])");
    page.value("$('percent').value = 100");
    page.click("region");
    page.wait("$('word').textContent === '4 ranks will be killed'");
    page.wait("frame.marks.length === 5 && frame.count === 16 && frame.series[4] === 5");
    page.wait("frame.series[5] >= 2 && frame.lines.every(l => l.steps.at(-1)[0] === 'recovered')");
    let lines = page.value("frame.lines");
    let words = page.value("$('events').innerText");
    let (status, stdout, said) = job.end();
    assert_eq!(status, Some(0), "{said}");
    assert!(stdout.contains("recoveries") && stdout.contains("rank 5 is alive again"), "{stdout}");
    page.wait("$('mood').textContent === 'ended' && frame.state === 'ended'");
    let done = page.value("frame.colours.every(c => scene.kinds[c] === 'is done')");
    assert_eq!(done, true, "the last picture is that of the end");
    agree(&job.report(), &lines, words.as_str().expect("words"));
}

/// What the page says of deaths and recoveries is what the report says.
fn agree(report: &[Value], lines: &Value, words: &str) {
    assert_eq!(report.len(), 5, "{report:?}");
    assert_eq!(lines.as_array().map(Vec::len), Some(5));
    for told in report {
        assert!(words.contains(told["words"].as_str().expect("a sentence")), "{words}");
        let title = format!("rank {}, life {}", told["rank"], told["incarnation"]);
        let is_it = |line: &&Value| line["title"] == title.as_str();
        let line = lines.as_array().into_iter().flatten().find(is_it);
        let steps = line.expect("every story has a line")["steps"].as_array().expect("a list");
        let at = |what: &str| {
            let step = steps.iter().find(|step| step[0] == what);
            step.and_then(|step| step[1].as_f64()).unwrap_or_else(|| panic!("{what}: {steps:?}"))
        };
        let died = at("died");
        for (what, field) in [
            ("detected", "detection_us"),
            ("agreed", "agreement_us"),
            ("respawned", "respawn_us"),
            ("recovered", "total_us"),
        ] {
            let expected = told[field].as_f64().expect("a number") / 1000.0;
            assert!((at(what) - died - expected).abs() < 0.01, "{what}: {steps:?}, {told}");
        }
        assert!(told["ordered"].as_str().is_some_and(|order| order.ends_with("s by hand")));
    }
}

#[test]
fn what_was_recorded_is_shown_again_at_any_moment() {
    let mut job = Job::begin("live-record", &["--port", "0"]);
    job.wait("info 7", "life 0, ");
    job.wait("info 7", "generation 0; ");
    assert_eq!(job.order("kill 7"), "ok rank 7 will be killed");
    job.wait("info 7", "life 1, ");
    job.wait("info 7", "generation 1; ");
    let (status, _, said) = job.end();
    assert_eq!(status, Some(0), "{said}");
    let replay = Replay::begin(&job.directory.join("record"));
    let profile = support::fresh_directory("live-record-profile");
    let mut page = Browser::open(&replay.address, 1100, 800, &profile);
    page.wait("frame && scene.replay && frame.at === 0 && !$('film').hidden && $('kill').hidden");
    assert_eq!(page.value("$('mood').textContent"), "halted");
    let last = page.number("scene.replay.frames - 1");
    let seek = |page: &mut Browser, at: f64| {
        page.value(&format!("$('moment').value = {at}; $('moment').oninput()"));
        page.wait(&format!("frame.at === {at}"));
    };
    seek(&mut page, last);
    page.wait("$('events').innerText.includes('rank 7 was killed')");
    page.wait("frame.marks.length === 1 && frame.marks[0] === 7 && frame.lines.length === 1");
    seek(&mut page, 0.0);
    page.wait("frame.marks.length === 0 && $('events').innerText === ''");
    page.click("step");
    page.wait("frame.at === 1");
    page.click("go");
    page.wait(&format!("frame.at === {last} && frame.state === 'halted'"));
    page.wait("$('events').innerText.includes('recovered from the death of rank 7')");
}

/// Rank 0 sends in all ways there are and takes part in collectives on several communicators, then
/// it waits for rank 1, which waits for the file.
const TALKS: &str = "#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
static char room[1 << 20], more[1 << 20];
int main(int argc, char **argv)
{
    MPI_Comm twin;
    MPI_Request request;
    int rank, bytes = sizeof room, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(twin);
    MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Status status;
        for (int i = 0; i < 5; i++)
            MPI_Send(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        MPI_Send(room, bytes, MPI_CHAR, 1, 7, twin);
        MPI_Isend(room, bytes, MPI_CHAR, 1, 7, twin, &request);
        MPI_Wait(&request, &status);
        MPI_Ssend(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        MPI_Buffer_attach(more, bytes);
        MPI_Bsend(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        MPI_Buffer_detach(&room, &bytes);
        MPI_Send(&word, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
        MPI_Sendrecv_replace(&word, 1, MPI_INT, 1, 7, 1, 8, MPI_COMM_WORLD, &status);
    } else {
        for (int i = 0; i < 5; i++)
            MPI_Recv(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 2; i++)
            MPI_Recv(room, bytes, MPI_CHAR, 0, 7, twin, MPI_STATUS_IGNORE);
        for (int i = 0; i < 3; i++)
            MPI_Recv(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while (access(argv[1], F_OK) != 0)
            usleep(1000);
        MPI_Send(&word, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&twin);
    return MPI_Finalize();
}
";

#[test]
fn what_a_rank_has_sent_is_counted_and_arrows_show_for_whom_it_waits() {
    let program = support::c_text("talks", TALKS).flags(&["-O2"]).build();
    let directory = support::fresh_directory("live-talks");
    let mut job = Job::begin_of(&program, directory, 2, &[]);
    job.wait("info 0", "in MPI_Sendrecv_replace: waits for a message from rank 1 with tag 8");
    let told = job.order("info 0");
    assert!(told.contains("10 messages sent, 5 collectives, "), "{told}");
    assert!(job.order("info 1").contains("0 messages sent, 5 collectives, "));
    assert!(job.order("view nonsense").starts_with("no view nonsense: use states, waits"));
    let profile = support::fresh_directory("live-talks-profile");
    let mut page = Browser::open(&job.address, 1000, 800, &profile);
    page.wait("frame && frame.series[0] === 10 && frame.series[1] === 10 && !$('views').hidden");
    assert_eq!(page.value("frame.arrows.length"), 0);
    page.value("$('view').value = 'which rank waits for which'; $('view').onchange()");
    page.wait("scene.view === 1 && scene.arrow === 'waits for'");
    page.wait("JSON.stringify(frame.arrows) === '[0,1]'");
    assert_eq!(job.order("view states"), "ok what ranks do");
    page.wait("scene.view === 0 && frame && frame.arrows.length === 0");
    let (status, _, said) = job.end();
    assert_eq!(status, Some(0), "{said}");
    page.wait("frame.state === 'ended' && frame.series[0] === 11");
}

#[test]
fn a_recording_that_nobody_takes_holds_up_neither_the_page_nor_the_end_and_says_what_is_missing() {
    let mut pipe = None;
    let mut job = Job::begin_with("live-slow-disk", RANKS, &[], |directory| {
        let path = directory.join("record");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo");
        // Whoever opens it both ways waits for nobody; and it is full before the job begins.
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
        let mut full = options.open(&path).expect("it is there");
        for bytes in [[0; 4096].as_slice(), &[0]] {
            while full.write(bytes).is_ok() {}
        }
        pipe = Some(full);
    });
    job.wait("info 7", "life 0, ");
    job.wait("info 7", "generation 0; ");
    assert_eq!(job.order("kill 7"), "ok rank 7 will be killed");
    job.wait("info 7", "generation 1; ");
    let begun = Instant::now();
    let (status, _, said) = job.end();
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("record: its end is missing"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    drop(pipe);
}

/// A recording that a page looks at.
struct Replay {
    child: Child,
    address: String,
}

impl Replay {
    fn begin(path: &Path) -> Replay {
        let ftsim = support::tool("ftsim");
        let child = Command::new(&ftsim)
            .arg("replay")
            .arg(path)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|why| panic!("{}: {why}: cargo build --release", ftsim.display()));
        let mut replay = Replay { child, address: String::new() };
        let stderr = replay.child.stderr.take().expect("it was asked for");
        let mut line = String::new();
        BufReader::new(stderr).read_line(&mut line).expect("it says where it is");
        let (_, address) = line.trim().split_once(" at ").unwrap_or_else(|| panic!("{line}"));
        replay.address = address.to_string();
        replay
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn without_the_secret_or_from_elsewhere_nobody_sees_or_kills_a_rank() {
    let mut job = Job::begin("live-refused", &[]);
    let (host, path) = job.address[7..].split_once('/').expect("it has a path");
    let status = |line: &str, headers: &str| {
        let mut stream = TcpStream::connect(host).expect("it listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("it can be set");
        write!(stream, "{line} HTTP/1.1\r\n{headers}\r\n").expect("it listens");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).split(' ').nth(1).unwrap_or("none").to_string()
    };
    let own = format!("Host: {host}\r\n");
    assert_eq!(status(&format!("GET /{path}"), &own), "200");
    assert_eq!(status("GET /", &own), "403");
    assert_eq!(status(&format!("GET /{path}"), "Host: evil.example\r\n"), "403");
    let foreign = format!("{own}Origin: http://evil.example\r\nContent-Length: 6\r\n");
    assert_eq!(status(&format!("POST /{path}order"), &foreign), "403");
    assert_eq!(status("nonsense", &own), "400");
    for wrong in ["", "kill", "kill 16", "kill -1", "region 1", "region 0 0 1 1 200", "quit"] {
        assert!(job.order(wrong).starts_with("no "), "{wrong}");
    }
    let (status, _, said) = job.end();
    assert_eq!((status, said.as_str()), (Some(0), ""));
    assert!(job.report().is_empty(), "nobody has died");
}

#[test]
fn a_job_that_nobody_watches_ends_as_it_would_and_one_that_is_stuck_is_told() {
    let program = support::c_text(
        "stuck",
        "#include <mpi.h>\n\
         int main(int argc, char **argv)\n{\n    int got;\n    MPI_Init(&argc, &argv);\n\
         if (argc > 1)\n        return 7;\n\
         MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
         return MPI_Finalize();\n}\n",
    );
    let program = program.build();
    let seen = support::run(&program).ranks(3).option("--watch").outcome();
    assert_eq!(seen.status, Some(123), "{seen}");
    assert!(seen.stderr.contains("deadlock"), "{seen}");
    let seen = support::run(&program).ranks(3).option("--watch").args(["x"]).outcome();
    assert_eq!(seen.status, Some(7), "{seen}");
    let seen = support::run(&program).ranks(1).option("--port=99999").outcome();
    assert_eq!(seen.status, Some(2), "{seen}");
    assert!(seen.stderr.contains("--port expects the number of a port"), "{seen}");
}

#[test]
fn a_terminal_shows_the_same() {
    let program = support::c_text(
        "shown",
        "#include <mpi.h>\n\
         int main(int argc, char **argv)\n{\n    MPI_Init(&argc, &argv);\n\
         MPI_Barrier(MPI_COMM_WORLD);\n    return MPI_Finalize();\n}\n",
    );
    let seen = support::run(&program.build()).ranks(4).option("--tui").succeeds();
    let last = seen.stderr.rsplit("\u{1b}[H").next().expect("a picture");
    assert!(last.contains("shown, 4 ranks") && last.contains("4 of 4 alive, ended"), "{seen}");
    assert!(last.contains("is done 4") && last.matches('\u{2580}').count() > 0, "{seen}");
}

#[test]
fn links_of_a_simulated_network_tell_how_long_they_were_busy() {
    let program = support::c_text(
        "busy_links",
        "#include <mpi.h>\n\
         int main(int argc, char **argv)\n{\n    static char data[1000];\n    int me;\n    \
         MPI_Init(&argc, &argv);\n    MPI_Comm_rank(MPI_COMM_WORLD, &me);\n    \
         for (;;)\n        if (me == 0)\n            \
         MPI_Ssend(data, 1000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);\n        else\n            \
         MPI_Recv(data, 1000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n}\n",
    );
    let program = program.build();
    let mesh = |directory: &Path| {
        let text = "[machine]\ntopology = \"mesh\"\ndims = [2, 2, 2]\n[cost]\nbyte_ns = 1\n";
        std::fs::write(directory.join("mesh.toml"), text).expect("there is room");
    };
    let begin = |name: &str, network: &str| {
        let directory = support::fresh_directory(name);
        mesh(&directory);
        let options = ["--virtual", "--machine", "mesh.toml", "--network", network];
        Job::begin_of(&program, directory, 2, &options)
    };
    let job = begin("live-links", "packets");
    let end = Instant::now() + DEADLINE;
    loop {
        let answer = job.order("links");
        let told = answer.strip_prefix("ok ").unwrap_or_else(|| panic!("{answer}"));
        let told: Value = serde_json::from_str(told).expect("JSON");
        let links = told["links"].as_array().expect("a list").iter();
        let links: Vec<u64> = links.map(|load| load.as_u64().expect("a number")).collect();
        assert_eq!(links.len(), 24, "{told}");
        assert!(links[1..].iter().all(|load| *load == 0), "only one is used: {told}");
        if links[0] >= 1000 {
            assert_eq!(told["top"].as_u64(), Some(links[0]));
            break;
        }
        assert!(Instant::now() < end, "it is never busy: {told}");
    }
    let told = begin("live-no-links", "ideal").order("links");
    assert!(told.contains("--network flows or packets"), "{told}");
}
