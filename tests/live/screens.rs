//! The pages as they are seen: on a phone, a laptop and a 4K screen, dark and light; and by axe,
//! which finds what keeps people with a screen reader, or without a mouse, from using a page.
//!
//!     tools/screenshots

use crate::browser::Browser;
use crate::shown::{Shown, settled};
use crate::{Job, Replay};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The name, the size, and the factor by which pictures that are kept are scaled down.
const SCREENS: [(&str, u32, u32, f64); 3] =
    [("phone", 390, 844, 1.0), ("laptop", 1366, 768, 1.0), ("4k", 3840, 2160, 0.4)];

/// What is done with a page of this name.
type Look<'a> = &'a mut dyn FnMut(&str, &mut Browser);

fn open(address: &str, name: &str) -> Browser {
    let profile = support::fresh_directory(&format!("screens-{name}"));
    Browser::open(address, 1366, 768, &profile)
}

/// Shows the page of each simulator, with something to see, one after another.
fn pages_of_simulators(look: Look<'_>) {
    {
        let shown = Shown::tool("ftsim", "poisson --nodes 2500 --border 0,0,0,1");
        let mut page = open(&shown.address, "ftsim");
        page.wait("frame && frame.count === 2500");
        page.click("go");
        page.wait("frame.tick > 60");
        shown.order("region 0.3 0.35 0.6 0.65 90");
        page.wait("frame.tick > 160");
        shown.order("halt");
        page.wait("frame.state === 'halted'");
        look("ftsim", &mut page);
    }
    {
        let shown = Shown::tool("ftbg", "octtree --dims 12,12,12 --slice 200");
        let mut page = open(&shown.address, "ftbg");
        page.wait("frame && frame.colours.length === 1728");
        page.click("go");
        page.wait("frame.state === 'at rest'");
        page.click("solid");
        page.wait("space.on");
        look("ftbg", &mut page);
    }
    {
        let words = "sample --dims 12,12 --alloc 2D(2,1) --method 2D+1D+0D --seed 3 --cases 1";
        let shown = Shown::tool("ftspare", words);
        let mut page = open(&shown.address, "ftspare");
        page.wait("frame && frame.count === 144");
        for step in 1..=3 {
            page.click("step");
            page.wait(&format!("frame.tick === {} + {step} % 2", step / 2));
        }
        page.wait("frame.arrows.length > 20");
        look("ftspare", &mut page);
    }
}

/// Shows the page of a job, and that of its recording.
fn pages_of_jobs(look: Look<'_>) {
    let mut job = Job::begin("screens-ftrun", &[]);
    let mut page = open(&job.address, "ftrun");
    page.wait("frame && frame.count === 16 && frame.series[0] > 200");
    job.order("kill 5");
    page.wait("frame.lines.some(line => line.steps.at(-1)[0] === 'recovered')");
    page.wait("frame.series[0] > 400");
    page.value("$('crew').open = $('matrix').open = true");
    page.wait("crew && pairs && pairs.pairs.length > 15");
    look("ftrun", &mut page);
    assert_eq!(job.end().0, Some(0));
    drop(page);
    let replay = Replay::begin(&job.directory.join("record"));
    let mut page = open(&replay.address, "replay");
    page.wait("frame && scene.replay");
    page.value("$('moment').value = scene.replay.frames - 1; $('moment').oninput()");
    page.wait("frame.at === scene.replay.frames - 1");
    look("replay", &mut page);
}

#[test]
#[ignore = "writes the pictures of docs/pictures/screens"]
fn screens() {
    const ROOM: usize = 2_000_000;
    let directory = support::root().join("docs/pictures/screens");
    let mut bytes = 0;
    std::fs::create_dir_all(&directory).expect("there is room");
    let mut look = |name: &str, page: &mut Browser| {
        page.value("showGuide(false)");
        for (screen, width, height, scale) in SCREENS {
            page.resize(width, height);
            page.touches(screen == "phone");
            for scheme in ["light", "dark"] {
                page.colours(scheme);
                page.value("scrollTo(0, 0); document.querySelector('aside').scrollTo(0, 0)");
                settled(page);
                let file = page.small_file(width, height, scale);
                bytes += file.len();
                let path = directory.join(format!("{name}-{screen}-{scheme}.webp"));
                std::fs::write(path, file).expect("there is room");
            }
        }
    };
    pages_of_simulators(&mut look);
    pages_of_jobs(&mut look);
    assert!(bytes <= ROOM, "{bytes} bytes");
}

/// axe, installed by npm; or why that is not possible.
fn axe() -> Result<PathBuf, String> {
    let directory = support::root().join("target/axe");
    let file = directory.join("node_modules/axe-core/axe.min.js");
    if file.is_file() {
        return Ok(file);
    }
    if !support::has("npm") {
        return Err("npm is not there: apt-get install npm, or https://nodejs.org".into());
    }
    std::fs::create_dir_all(&directory).map_err(|why| why.to_string())?;
    // Without a network it is to give up at once.
    let words = ["install", "--no-save", "--no-audit", "--no-fund", "--fetch-retries=0"];
    let mut npm = Command::new("npm");
    npm.args(words).args(["--fetch-timeout=20000", "axe-core@4"]);
    let npm = npm.current_dir(&directory).output().map_err(|why| why.to_string())?;
    match file.is_file() {
        true => Ok(file),
        false => Err(format!("npm install: {}", String::from_utf8_lossy(&npm.stderr))),
    }
}

/// What axe finds wrong: the rule, and the elements.
fn faults(page: &mut Browser, axe: &Path) -> Vec<Value> {
    let script = std::fs::read_to_string(axe).expect("it was installed");
    page.value(&format!("{script}; 0"));
    let found = page.value(
        "axe.run().then(({ passes, violations }) => [passes.length,
           violations.map(({ id, nodes }) => `${id}: ${nodes
             .map(n => `${n.target} (${n.failureSummary})`).join(', ')}`)])",
    );
    assert!(found[0].as_u64().is_some_and(|rules| rules > 15), "axe has looked: {found}");
    found[1].as_array().expect("a list").clone()
}

/// What can be used now: the controls that are in sight and not off.
const USABLE: &str = "[...document.querySelectorAll(
    'button, input, select, summary, canvas[tabindex], .bar[tabindex]')]
    .filter(e => !e.disabled && e.getClientRects().length)";

/// Every control is large enough for a finger, and nothing sticks out of the window.
fn fit_fingers(name: &str, page: &mut Browser) {
    let small = page.value(&format!(
        "{USABLE}.map(e => [e.id || e.className, e.getBoundingClientRect()])
           .filter(([, r]) => r.height < 44 || r.width < 44)
           .map(([id, r]) => `${{id}}: ${{r.width}} × ${{r.height}}`)"
    ));
    assert_eq!(small.as_array().map(Vec::len), Some(0), "{name}: {small}");
    assert!(page.number("document.documentElement.scrollWidth") <= 390.0, "{name} sticks out");
}

/// The key Tab comes to every control.
fn are_reached_by_key(name: &str, page: &mut Browser) {
    page.value(&format!(
        "globalThis.left = new Set({USABLE}); document.activeElement.blur(); scrollTo(0, 0)"
    ));
    let count = page.number("left.size") as u32;
    for _ in 0..2 * count + 20 {
        page.key("Tab", 9);
        page.value("left.delete(document.activeElement); 0");
    }
    // A list that is made anew keeps the focus, but not its buttons.
    let left = page.value("[...left].filter(e => e.isConnected).map(e => e.id || e.className)");
    assert_eq!(left.as_array().map(Vec::len), Some(0), "{name}: not reached: {left}");
}

/// Fingers and keys reach all controls of a page, and axe finds nothing that keeps anybody away.
fn is_for_everybody(name: &str, page: &mut Browser) {
    static AXE: LazyLock<Result<PathBuf, String>> = LazyLock::new(axe);
    let axe = AXE.as_ref().map_err(|why| println!("skipped: axe-core is not asked: {why}")).ok();
    page.value("showGuide(true)");
    are_reached_by_key(name, page);
    for scheme in ["light", "dark"] {
        page.colours(scheme);
        for (screen, width, height, _) in &SCREENS {
            page.resize(*width, *height);
            page.touches(*screen == "phone");
            settled(page);
            if *screen == "phone" {
                fit_fingers(name, page);
            }
            let Some(axe) = axe else { continue };
            let found = faults(page, axe);
            assert!(found.is_empty(), "{name}, {screen}, {scheme}: {found:#?}");
        }
    }
}

#[test]
fn fingers_and_keys_reach_every_control_of_simulators_and_axe_finds_nothing() {
    pages_of_simulators(&mut is_for_everybody);
}

#[test]
fn fingers_and_keys_reach_every_control_of_jobs_and_axe_finds_nothing() {
    pages_of_jobs(&mut is_for_everybody);
}
