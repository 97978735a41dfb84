//! What is shown of the live view: the pictures of the README, and the figures of docs/WATCH.md.
//!
//!     cargo test --release --test live -- --ignored pictures
//!     cargo test --release --test live -- --ignored --nocapture figures
//!     cargo test --release --test live -- --ignored --nocapture costs

use crate::browser::Browser;
use crate::{Job, place};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(300);

/// A program that says where it is to be watched.
pub(crate) struct Shown {
    child: Child,
    pub(crate) address: String,
}

impl Shown {
    pub(crate) fn begin(command: &mut Command) -> Shown {
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.unwrap_or_else(|why| panic!("{command:?}: {why}"));
        let stderr = child.stderr.take().expect("it was asked for");
        let mut line = String::new();
        let mut stderr = BufReader::new(stderr);
        stderr.read_line(&mut line).expect("it says where it is");
        let (_, address) = line.trim().split_once(" at ").unwrap_or_else(|| panic!("{line}"));
        let address = address.to_string();
        // Whoever writes to it must not find it closed.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Shown { child, address }
    }

    pub(crate) fn tool(name: &str, words: &str) -> Shown {
        let mut command = Command::new(support::tool(name));
        Shown::begin(command.args(words.split_whitespace()).arg("--watch"))
    }

    fn simulation(words: &str) -> Shown {
        Shown::tool("ftsim", words)
    }

    fn ask(&self, request: &str) -> TcpStream {
        let (host, path) = self.address[7..].split_once('/').expect("it has a path");
        let mut stream = TcpStream::connect(host).expect("it listens");
        let (method, what, body) = match request.split_once(' ') {
            None => ("GET", request, ""),
            Some((what, body)) => ("POST", what, body),
        };
        let length = body.len();
        let head = format!("{method} /{path}{what} HTTP/1.1\r\nHost: {host}\r\n");
        write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}").expect("it listens");
        stream
    }

    pub(crate) fn order(&self, words: &str) -> String {
        let mut answer = String::new();
        let mut stream = self.ask(&format!("order {words}"));
        stream.read_to_string(&mut answer).expect("it answers");
        answer.split("\r\n\r\n").nth(1).unwrap_or_default().to_string()
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until the page has drawn what it knows.
pub(crate) fn settled(page: &mut Browser) {
    page.value("new Promise(go => requestAnimationFrame(() => setTimeout(go, 400)))");
}

fn keep(page: &mut Browser, name: &str) {
    page.value("showGuide(false)");
    settled(page);
    let file = page.file();
    assert!(file.len() < 200_000, "{name} has {} bytes", file.len());
    let directory = support::root().join("docs/pictures");
    std::fs::create_dir_all(&directory).expect("there is room");
    std::fs::write(directory.join(name), file).expect("there is room");
}

#[test]
#[ignore = "writes the pictures of the README"]
fn pictures() {
    picture_of_simulation();
    picture_of_links();
    picture_of_slides();
    picture_of_job();
}

fn picture_of_simulation() {
    let simulation = Shown::simulation("poisson --nodes 2500 --border 0,0,0,1");
    let profile = support::fresh_directory("pictures-ftsim");
    let mut page = Browser::open(&simulation.address, 1080, 720, &profile);
    page.wait("frame && frame.count === 2500");
    page.click("go");
    page.wait("frame.tick > 60");
    simulation.order("region 0.3 0.35 0.6 0.65 90");
    page.wait("frame.tick > 260");
    simulation.order("halt");
    page.value("$('size').value = 7; repaint()");
    page.value("document.querySelector('aside').scrollTo(0, 0)");
    keep(&mut page, "ftsim.png");
}

fn picture_of_links() {
    let machine = Shown::tool("ftbg", "octtree --dims 12,12,12 --slice 200");
    let profile = support::fresh_directory("pictures-ftbg");
    let mut page = Browser::open(&machine.address, 1080, 720, &profile);
    page.wait("frame && frame.colours.length === 1728");
    page.click("go");
    page.wait("frame.state === 'at rest'");
    page.value("$('size').value = 7; $('node').value = frame.colours.indexOf(255); info()");
    page.wait("/link .x/.test($('word').textContent)");
    page.value("document.querySelector('aside').scrollTo(0, 0)");
    keep(&mut page, "ftbg.png");
}

fn picture_of_slides() {
    let words = "sample --dims 12,12 --alloc 2D(2,1) --method 2D+1D+0D --seed 3 --cases 1";
    let study = Shown::tool("ftspare", words);
    let profile = support::fresh_directory("pictures-ftspare");
    let mut page = Browser::open(&study.address, 1080, 720, &profile);
    page.wait("frame && frame.count === 144");
    // Each failure in two steps: the second one has hit, and nobody has moved.
    for step in 1..=3 {
        page.click("step");
        page.wait(&format!(
            "frame.tick === {} && frame.marks.length === {}",
            step / 2 + step % 2,
            step % 2
        ));
    }
    page.wait("frame.tick === 2 && frame.arrows.length > 20");
    page.value("document.querySelector('aside').scrollTo(0, 0)");
    keep(&mut page, "ftspare.png");
}

/// A machine for 120 ranks and twelve spare nodes.
pub(crate) fn mesh(directory: &Path) {
    let text = "[machine]\nname = \"mesh\"\ntopology = \"mesh\"\ndims = [12, 11]\n";
    std::fs::write(directory.join("mesh.toml"), text).expect("there is room");
}

fn picture_of_job() {
    let mut job = Job::begin_with("pictures-ftrun", 120, &["--machine", "mesh.toml"], mesh);
    let profile = support::fresh_directory("pictures-ftrun-profile");
    let mut page = Browser::open(&job.address, 1080, 720, &profile);
    page.wait("frame && frame.count === 120 && frame.series[0] > 200");
    for rank in [17, 42] {
        let (x, y) = place(&mut page, rank);
        page.click_at(x, y, true);
        page.wait(&format!("frame.marks.includes({rank}) && frame.count === 120"));
    }
    job.wait("info 77", "generation 2; ");
    job.order("region 0.5 0.4 0.8 0.6 40");
    page.wait("frame.series[4] > 4 && frame.series[5] > 2 && frame.count === 120");
    let (x, y) = place(&mut page, 77);
    page.click_at(x, y, false);
    page.wait("/waits for/.test($('word').textContent)");
    page.value("document.querySelector('aside').scrollTo(0, 0)");
    keep(&mut page, "ftrun.png");
    assert_eq!(job.end().0, Some(0));
}

/// The middle of these, and the ends.
fn middle(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [values[values.len() / 2], values[0], values[values.len() - 1]]
}

#[test]
#[ignore = "measures, for minutes, and wants the machine for itself"]
fn figures() {
    for query in ["", "?canvas", "?webgl"] {
        page_figures(query);
    }
}

#[test]
#[ignore = "measures, for minutes, and wants the machine for itself"]
fn costs() {
    cost_of_simulation();
    cost_of_job();
}

/// What each kind of page costs its browser while a run goes on: pictures a second, and the time
/// that the page's main thread works for each, plots, layout and all.
#[test]
#[ignore = "measures, and wants the machine for itself"]
fn work_of_each_page() {
    for (name, words, ready) in [
        ("ftsim", "poisson --nodes 2500 --border 0,0,0,1 --ticks 1000000", "frame.tick > 20"),
        ("ftbg", "octtree --dims 24,24,24 --slice 5", "frame.tick > 2"),
        ("ftspare", "sample --dims 24,24 --alloc 2D(2,1) --cases 1 --seed 3", "frame"),
    ] {
        let shown = Shown::tool(name, words);
        let profile = support::fresh_directory(&format!("work-{name}"));
        let mut page = Browser::open(&shown.address, 1200, 900, &profile);
        page.wait("frame && frame.count > 100");
        shown.order("speed 60");
        page.click("go");
        page.wait(ready);
        work(&mut page, name);
    }
    let mut job = Job::begin_with("work-ftrun", 120, &[], |_| {});
    let profile = support::fresh_directory("work-ftrun-profile");
    let mut page = Browser::open(&job.address, 1200, 900, &profile);
    page.wait("frame && frame.count === 120 && frame.series[0] > 200");
    work(&mut page, "ftrun -np 120");
    assert_eq!(job.end().0, Some(0));
}

fn work(page: &mut Browser, name: &str) {
    let before = page.worked();
    let counted = page.value(
        "new Promise(go => { let drawn = 0; const draw = picture.draw, begun = performance.now();
           picture.draw = () => { draw(); drawn++; };
           setTimeout(() => { picture.draw = draw;
             go([drawn, (performance.now() - begun) / 1000, frame.tick]); }, 5000); })",
    );
    let worked = page.worked() - before;
    let at = |place: usize| counted[place].as_f64().expect("a number");
    println!(
        "{name}: {:.1} pictures a second, {:.2} ms of the page's main thread for each, tick {}",
        at(0) / at(1),
        worked * 1000.0 / at(0),
        at(2)
    );
}

/// Pictures a second with 100,000 dots that change, and how long a kill takes to a point of the
/// picture.
fn page_figures(query: &str) {
    let simulation = Shown::simulation("poisson --nodes 100000 --border 0,0,0,1 --ticks 1000000");
    let profile = support::fresh_directory("figures");
    let address = format!("{}{query}", simulation.address);
    let mut page = Browser::open(&address, 1200, 900, &profile);
    page.wait("frame && frame.count > 99000");
    let name = page.value("picture.name");
    let name = format!("{} ({query})", name.as_str().expect("a word"));
    // What the browser can do at best on this machine: a page that stands still but for a point.
    let least = page.number(
        "new Promise(go => { let count = 0; const begun = performance.now();
           const at = $('over').getContext('2d');
           $('over').hidden = false;
           const tick = () => { const took = performance.now() - begun;
             if (took > 4000) return go(count * 1000 / took);
             at.fillRect(count++ % 2, 0, 1, 1); requestAnimationFrame(tick); };
           tick(); })",
    );
    println!("{name}: {least:.1} pictures a second when a point changes");
    simulation.order("speed 60");
    page.click("go");
    page.wait("frame.tick > 20");
    let counted = page.value(
        "new Promise(go => { let drawn = 0, ticks = 0, spent = 0; const draw = picture.draw;
           picture.draw = () => { const t = performance.now(); draw();
             spent += performance.now() - t; drawn++; };
           const frames = () => { ticks++; requestAnimationFrame(frames); }; frames();
           const begun = performance.now();
           setTimeout(() => { const s = (performance.now() - begun) / 1000; picture.draw = draw;
             go([drawn / s, ticks / s, spent / drawn]); }, 8000); })",
    );
    let at = |place: usize| counted[place].as_f64().expect("a number");
    println!(
        "{name}, 100,000 dots: {:.1} pictures a second of {:.1} that there could be, {:.2} ms each",
        at(0),
        at(1),
        at(2)
    );
    let kills: Vec<f64> =
        (0..21).map(|number| kill_to_point(&mut page, 4000 * number + 7)).collect();
    let [median, least, most] = middle(kills);
    println!("{name}, from a kill to its point: {median:.0} ms ({least:.0} to {most:.0})");
}

/// From the order to a picture that has been drawn with it, as the page's own canvas tells.
fn kill_to_point(page: &mut Browser, node: usize) -> f64 {
    page.number(&format!(
        "new Promise(go => {{
           const canvas = $('dots'), gl = canvas.getContext('webgl'), draw = picture.draw;
           const one = new Uint8Array(4);
           const touch = () => {{
             if (gl) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, one);
             else canvas.getContext('2d').getImageData(0, 0, 1, 1); }};
           picture.draw = () => {{ draw(); if (frame.alive[{node}]) return;
             touch(); picture.draw = draw; go(performance.now() - begun); }};
           const begun = performance.now();
           fetch(base + 'order', {{ method: 'POST', body: 'kill {node}' }}); }})"
    ))
}

/// Takes frames as a page does, as long as the value lives; how many there were.
struct Reader {
    stops: Arc<AtomicBool>,
    bytes: Arc<AtomicU64>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Reader {
    fn begin(shown: &Shown) -> Reader {
        let (stops, bytes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (stop, taken, mut stream) = (stops.clone(), bytes.clone(), shown.ask("frames"));
        let thread = std::thread::spawn(move || {
            let mut room = vec![0; 1 << 18];
            while let Ok(count @ 1..) = stream.read(&mut room) {
                taken.fetch_add(count as u64, Ordering::Relaxed);
                if stop.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        Reader { stops, bytes, thread: Some(thread) }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(std::thread::JoinHandle::join);
    }
}

/// Who looks on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    Off,
    Nobody,
    Reader,
    Chromium,
}

const TURNS: usize = 7;

/// Runs all kinds in turns, and prints how they compare with the first one: what is named, in
/// seconds, the time first.
fn compare<const N: usize>(
    what: &str, names: [&str; N], kinds: &[Who], mut run: impl FnMut(Who) -> [f64; N],
) {
    let mut all = vec![Vec::new(); kinds.len()];
    for turn in 0..TURNS {
        for step in 0..kinds.len() {
            let place = (turn + step) % kinds.len();
            all[place].push(run(kinds[place]));
        }
    }
    for (place, who) in kinds.iter().enumerate() {
        let told = names.iter().enumerate().map(|(part, name)| {
            let [half, low, high] = middle(all[place].iter().map(|one| one[part]).collect());
            // Runs of one turn are neighbours: what else the machine does, it does to both.
            let ratios = all[place].iter().zip(&all[0]).map(|(one, off)| one[part] / off[part]);
            let [ratio, least, most] = middle(ratios.collect()).map(|it| (it - 1.0) * 100.0);
            format!(
                "{name} {half:.3} s ({low:.3} to {high:.3}), {ratio:+.2} % ({least:+.2} to \
                 {most:+.2})"
            )
        });
        println!("{what}, {who:?}: {}", told.collect::<Vec<_>>().join("; "));
    }
}

/// The seconds of a processor that a process has had so far, or its children that are gone.
fn spent(whose: libc::c_int) -> f64 {
    // SAFETY: zero is a record of usage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: writes to a record of ours.
    unsafe { libc::getrusage(whose, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

fn processor(pid: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat"));
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of_task = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    };
    let all: f64 = tasks.filter_map(of_task).sum();
    assert!(text.is_ok(), "the kernel counts");
    all * 1e-9
}

/// The same of the thread that a process began with: that of a simulation itself.
fn first_thread(pid: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or_default() * 1e-9
}

fn cost_of_simulation() {
    const TICKS: u32 = 1000;
    let words = format!("poisson --nodes 100000 --border 0,0,0,1 --ticks {TICKS}");
    let names = ["time", "processor", "of which the simulation itself"];
    compare("ftsim", names, &[Who::Nobody, Who::Reader, Who::Chromium], |who| {
        let simulation = Shown::simulation(&words);
        simulation.order("speed 0");
        let reader = (who == Who::Reader).then(|| Reader::begin(&simulation));
        let page = (who == Who::Chromium).then(|| {
            let profile = support::fresh_directory("figures");
            let mut page = Browser::open(&simulation.address, 1200, 900, &profile);
            page.wait("frame && frame.count > 99000");
            page
        });
        let pid = simulation.child.id();
        let (begun, before, alone) = (Instant::now(), processor(pid), first_thread(pid));
        simulation.order("go");
        let end = Instant::now() + DEADLINE;
        // Whoever asks it is shown something: it is asked only when it seems to stand still.
        let (mut ran, mut at) = (0.0, begun);
        while at.elapsed() < Duration::from_millis(40) || !is_at_end(&simulation, TICKS) {
            assert!(Instant::now() < end, "it is slow");
            std::thread::sleep(Duration::from_millis(2));
            let now = first_thread(pid);
            if now > ran {
                (ran, at) = (now, Instant::now());
            }
        }
        let took = [(at - begun).as_secs_f64(), processor(pid) - before, ran - alone];
        if let Some(reader) = &reader {
            let pictures = reader.bytes.load(Ordering::Relaxed) as f64 / 112_500.0;
            println!("{:.1} pictures a second", pictures / took[0]);
        }
        drop((reader, page));
        took
    });
}

/// Whether the last tick is over. It is halted and let go for that, which takes no time.
fn is_at_end(simulation: &Shown, ticks: u32) -> bool {
    let said = simulation.order("halt");
    simulation.order("go");
    let at = said.split(' ').find_map(|word| word.parse::<u32>().ok());
    at.is_some_and(|at| at > ticks)
}

fn cost_of_job() {
    let pcg = support::c("c_examples/pcg.c").flags(&["-O2"]).build();
    let run = |who: Who| {
        let mut command = Command::new(support::ftrun());
        command.args(["-np", "120"]);
        if who != Who::Off {
            command.arg("--watch");
        }
        command.arg(pcg.path()).args(["--poisson", "7", "--order", "164610"]);
        command.args(["--iterations", "600", "--tolerance", "0"]);
        let (begun, before) = (Instant::now(), spent(libc::RUSAGE_CHILDREN));
        if who == Who::Off {
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
            assert!(status.is_ok_and(|status| status.success()));
        } else {
            let mut shown = Shown::begin(&mut command);
            let reader = (who == Who::Reader).then(|| Reader::begin(&shown));
            let status = shown.child.wait().expect("it is a child");
            assert!(status.success());
            if let Some(reader) = reader {
                assert!(reader.bytes.load(Ordering::Relaxed) > 1000, "there were frames");
            }
        }
        [begun.elapsed().as_secs_f64(), spent(libc::RUSAGE_CHILDREN) - before]
    };
    compare(
        "ftrun, 120 ranks of PCG",
        ["time", "processor"],
        &[Who::Off, Who::Nobody, Who::Reader],
        run,
    );
}
