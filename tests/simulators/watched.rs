//! The live view of the Blue Gene emulator and of the study of spares, in a real browser; and what
//! a page of `ftsim` has to bear.

#[path = "../browser/mod.rs"]
mod browser;
mod support;

use browser::{Browser, Picture};
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};
use support::run::Run;
use support::{Program, built, number, scratch};

const FTBG: Program = Program { name: "ftbg", path: env!("CARGO_BIN_EXE_ftbg") };
const FTSIM: Program = Program { name: "ftsim", path: env!("CARGO_BIN_EXE_ftsim") };
const FTSPARE: Program = Program { name: "ftspare", path: env!("CARGO_BIN_EXE_ftspare") };

/// Where a dot is in the window.
fn place(page: &mut Browser, dot: u64) -> (f64, f64) {
    let mut along = |axis, side, place: &str| {
        page.number(&format!(
            "$('dots').getBoundingClientRect().{axis} \
             + (picture.box().{side} + {place} * picture.box().side) / picture.box().scale"
        ))
    };
    let x = along("x", "left", &format!("places[{}]", 2 * dot));
    let y = along("y", "top", &format!("(1 - places[{}])", 2 * dot + 1));
    (x, y)
}

/// What the window shows when all is drawn.
fn drawn(page: &mut Browser) -> Picture {
    page.value("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))");
    page.picture()
}

fn is_near(one: [u8; 3], other: [u8; 3], far: u8) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= far)
}

/// Whether a dot has the colour that it should have, and which it has.
fn has_colour(page: &mut Browser, picture: &Picture, dot: u64, colour: u64) {
    let told = page.value(&format!("[...table.slice(4 * {colour}, 4 * {colour} + 3)]"));
    let told = [0, 1, 2].map(|part| told[part].as_u64().expect("a colour") as u8);
    let (x, y) = place(page, dot);
    let seen = picture.at(x, y);
    assert!(is_near(seen, told, 3), "dot {dot}: {seen:?}, not {told:?}");
}

const LINE: &str = "octtree --dims 8,8,8 --json --quiet";

/// The heat of links at the end of that run: on the page, and in a screenshot.
fn shows_the_heat(page: &mut Browser, hottest: u64) -> u64 {
    page.wait(&format!(
        "frame.top === {hottest} && $('amounts').lastChild.textContent === '{hottest}'"
    ));
    let hot = page.number("frame.colours.indexOf(255)") as u64;
    // A node whose part was itself alone sends nothing.
    let cold = page.value("frame.colours.indexOf(0)").as_u64().expect("one sends nothing");
    let picture = drawn(page);
    has_colour(page, &picture, hot, 255);
    has_colour(page, &picture, cold, 0);
    hot
}

#[test]
fn a_machine_goes_step_by_step_and_its_hottest_link_is_where_it_is_printed() {
    let printed = FTBG.succeeds(LINE);
    let (packets, time) = (number(&printed, "packets"), number(&printed, "time_ns"));
    let run = Run::begin(&FTBG, &format!("{LINE} --slice 500"));
    let mut page = Browser::open(&run.address, 1200, 900, &scratch("watched-ftbg"));
    page.wait("frame && $('title').textContent === 'octtree, 8 × 8 × 8 nodes'");
    assert_eq!(page.value("frame.state"), "halted");
    let hidden =
        "[...document.querySelectorAll('.hands'), $('kill'), $('life')].every(e => e.hidden)";
    assert_eq!(page.value(hidden), true, "nobody dies here");
    assert!(run.order("kill 3").starts_with("no `kill`: use go, halt, step"));
    // Step by step: each is 500 ns at the least.
    page.click("step");
    page.wait("frame.tick === 500 && $('word').textContent === '500 ns have gone by'");
    // The button has the focus, and keys of its own.
    page.value("document.activeElement.blur()");
    page.key("s", 83);
    page.wait("frame.tick > 500 && frame.tick % 500 === 0 && frame.series[1] > 0");
    assert!(page.number("frame.series[0]") > 0.0, "some are under way");
    page.click("go");
    page.wait("frame.state === 'at rest'");
    assert_eq!(page.number("frame.series[1]"), packets);
    assert_eq!(page.number("frame.series[0]"), 0.0, "all have come");
    let said = page.value("$('events').firstChild.innerText");
    let said = said.as_str().expect("words");
    assert!(said.starts_with(&format!("all is done at {time} ns: {packets} packets, ")), "{said}");
    let hottest = said.rsplit(' ').next().and_then(|word| word.parse().ok()).expect("a number");
    let hot = shows_the_heat(&mut page, hottest);
    let (x, y) = place(&mut page, hot);
    page.click_at(x, y, false);
    page.wait(&format!("/; link [+-][xyz]: {hottest} packets, /.test($('word').textContent)"));
    // Other views, by key and by hand; the plots stay.
    let points = page.number("history.get('packets').length");
    page.value("document.activeElement.blur()");
    page.key("v", 86);
    page.wait("frame && scene.view === 1 && $('legend').innerText.startsWith('packets of late')");
    // Faster than the page asks what there is to see.
    for last in ["total", "lately"].repeat(10) {
        page.value(&format!(
            "(async () => {{ for (const view of ['waiting', 'handlers', '{last}']) \
             await order('view ' + view); }})()"
        ));
        page.wait("frame && $('view').selectedIndex === scene.view && scene.view < 2");
    }
    page.value("$('view').value = 'packets that wait in a node'; $('view').onchange()");
    page.wait("frame && scene.view === 2 && frame.colours.every(c => c === 0)");
    page.value("$('view').value = 'handlers that a node has run'; $('view').onchange()");
    page.wait("frame && scene.view === 3 && frame.colours.every(c => c === 255)");
    assert!(page.number("history.get('packets').length") >= points);
    assert!(run.order("view none").starts_with("no none: use total, lately, waiting, handlers"));
    let (stdout, stderr) = run.quit();
    page.wait("$('mood').textContent === 'ended'");
    assert_eq!(number(&stdout, "packets_on_the_hottest_link"), hottest as f64, "{stderr}");
    assert!(stdout.starts_with(printed.trim_end().trim_end_matches('}')), "{stdout}, {printed}");
}

#[test]
fn what_a_machine_did_is_recorded_replayed_and_drawn_on_a_terminal() {
    let file = scratch("watched-ftbg-record").join("run");
    let more = format!("--slice 500 --tui --threads 2 --record {}", file.display());
    let words: Vec<&str> = LINE.split(' ').chain(more.split(' ')).collect();
    let output = FTBG.run(&words);
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(output.status.success(), "{stderr}");
    let hottest = number(&stdout, "packets_on_the_hottest_link") as u64;
    let alone = FTBG.succeeds(&format!("{LINE} --slice 70 --record {}", file.display()));
    assert_eq!(stdout, alone, "on one thread, in other slices");
    let last = stderr.rsplit("\u{1b}[H").next().expect("a picture");
    assert!(last.contains("octtree, 8 × 8 × 8 nodes") && last.contains("at rest"), "{last}");
    assert!(last.contains(&format!("on the busiest link out of a node: 0 to {hottest}")), "{last}");
    let run = Run::begin_as(&FTSIM, &["replay", &file.to_string_lossy()], false);
    let mut page = Browser::open(&run.address, 1000, 800, &scratch("watched-ftbg-replay"));
    page.wait("frame && scene.replay && frame.at === 0 && $('views').hidden && $('kill').hidden");
    page.value("$('moment').value = scene.replay.frames - 1; $('moment').oninput()");
    page.wait("frame.at === scene.replay.frames - 1");
    let hot = shows_the_heat(&mut page, hottest);
    let (x, y) = place(&mut page, hot);
    page.click_at(x, y, false);
    page.wait(&format!("$('word').textContent.endsWith(' s: colour 255; {hottest}')"));
}

#[test]
fn a_program_of_ones_own_tells_of_its_nodes() {
    let directory = scratch("watched-app");
    let line = built(&directory, "c++", &["c_examples/ftbg/line.cpp"], "line.so");
    let run = Run::begin(&FTBG, &format!("run {} --dims 4,4,4 --view handlers", line.display()));
    let told = run.order("info 63");
    assert!(told.starts_with("ok node 63 at 3,3,3: sent 0, received 0, 0 handlers, "), "{told}");
    assert_eq!(run.order("speed 0"), "ok as fast as it can");
    assert_eq!(run.order("go"), "ok running");
    let end = Instant::now() + Duration::from_secs(60);
    while !run
        .order("info 63")
        .contains("received 1, 1 handlers, 0 waiting in its buffer; came 1 times")
    {
        assert!(Instant::now() < end, "it never came");
    }
}

#[test]
fn a_machine_that_is_ended_by_hand_has_no_result_and_what_cannot_be_seen_is_refused() {
    let run = Run::begin(&FTBG, "jacobi --dims 4,4,4");
    assert_eq!(run.order("step"), "ok 1000 ns have gone by");
    let (stdout, stderr) = run.quit();
    assert_eq!(stdout, "");
    assert!(stderr.contains("stopped before "), "{stderr}");
    for (line, said) in [
        ("line --slice 5", "--slice and --view need --watch, --record or --tui"),
        ("line --tui --slice 0", "--slice 0: use nanoseconds"),
        ("line --tui --view hot", "--view hot: use total, lately, waiting, handlers"),
        ("line --tui --measure", "leave it out, or --watch"),
        ("line --tui --dims 200,200,200", "at most 1000000 can be looked at"),
        ("line --record /nowhere/at/all", "cannot write --record"),
    ] {
        FTBG.refuses(line, said);
    }
}

const WORST: &str = "worst --dims 6,6 --alloc 2D(2,1) --method 1D+0D --failures 3 --json";

/// The first arrow is drawn: in its middle there is ink.
fn shows_an_arrow(page: &mut Browser) {
    let ends = page.value("frame.arrows");
    let [from, to] = [0, 1].map(|end| ends[end].as_u64().expect("there is an arrow"));
    let ((x, y), (u, v)) = (place(page, from), place(page, to));
    let ink = page.value("getComputedStyle(document.body).color.match(/[0-9]+/g).map(Number)");
    let ink = [0, 1, 2].map(|part| ink[part].as_u64().expect("a colour") as u8);
    let picture = drawn(page);
    let near = |along: i32| f64::from(along);
    let around = (-2..=2).flat_map(|a| (-2..=2).map(move |b| (near(a), near(b))));
    let mut seen = around.map(|(a, b)| picture.at((x + u) / 2.0 + a, (y + v) / 2.0 + b));
    assert!(seen.any(|point| is_near(point, ink, 30)), "an arrow from {from} to {to}");
}

#[test]
fn nodes_fail_step_by_step_and_collide_as_printed() {
    let printed = FTSPARE.succeeds(WORST);
    assert!(printed.contains("\"worst_uses\":[3,4,5]"), "{printed}");
    let run = Run::begin(&FTSPARE, WORST);
    let mut page = Browser::open(&run.address, 1200, 900, &scratch("watched-ftspare"));
    page.wait("frame && $('title').textContent === 'spares 2D(2,1) on a mesh of 6 × 6'");
    assert_eq!(page.value("[frame.count, frame.series[0], frame.series[1]].join()"), "36,0,1");
    for (number, worst) in [(1, 3), (2, 4), (3, 5)] {
        // A node fails; then who is to move does so.
        page.click("step");
        page.wait(&format!("frame.tick === {number} && frame.marks.length === 1"));
        page.wait(&format!("frame.count === {} && frame.arrows.length > 1", 36 - number));
        page.wait(&format!(
            "$('events').firstChild.innerText.startsWith('failure {number}: node ')"
        ));
        if number == 1 {
            shows_an_arrow(&mut page);
            let moving = page.number("frame.colours.filter(c => c === 4).length");
            let arrows = page.number("frame.arrows.length");
            assert_eq!(2.0 * (moving + 1.0), arrows, "and the rank that has lost its node");
        }
        page.click("step");
        page.wait(&format!("frame.marks.length === 0 && frame.tick === {number}"));
        // Fewer of them might have done more harm.
        assert!(page.number("frame.series[1]") <= f64::from(worst), "the printed one is the worst");
        shows_an_arrow(&mut page);
    }
    assert_eq!(page.number("frame.series[1]"), 5.0, "the harm that all three can do");
    let collisions = page.number("frame.series[0]");
    let said = page.value("$('events').firstChild.innerText");
    let said = said.as_str().expect("words");
    assert!(said.contains(&format!(" → {collisions}, on one link ")), "{said}");
    page.click("step");
    page.wait("frame.state === 'halted' && frame.tick === 3");
    page.click("go");
    page.wait("frame.state === 'at rest'");
    // Where messages collide; the plots stay.
    page.value("document.activeElement.blur()");
    page.key("v", 86);
    page.wait("frame && scene.view === 1 && frame.top === 5 && !$('scale').hidden");
    assert!(page.number("history.get('most on one link').length") >= 4.0);
    let hot = page.number("frame.colours.findIndex((c, n) => c === 255 && frame.alive[n])");
    let hot = hot as u64;
    let picture = drawn(&mut page);
    has_colour(&mut page, &picture, hot, 255);
    let (x, y) = place(&mut page, hot);
    page.click_at(x, y, false);
    page.wait("$('word').textContent.endsWith(' messages out of it, 5 on its busiest link')");
    page.value("$('view').selectedIndex = 0; $('view').onchange()");
    page.wait("frame && scene.view === 0 && $('legend').innerText.includes('rank that has moved')");
    // By hand, after which nobody moves by himself.
    page.value("order('halt')");
    page.wait("frame.state === 'halted'");
    let rank = page.number("frame.colours.findIndex((c, n) => frame.alive[n] && c === 0)") as u64;
    let (x, y) = place(&mut page, rank);
    page.click_at(x, y, true);
    page.wait(&format!("frame.tick === 4 && frame.marks[0] === {rank} && !frame.alive[{rank}]"));
    page.wait("/^node [0-9],[0-9] of rank [0-9]+ fails$/.test($('word').textContent)");
    page.click("step");
    page.wait("frame.marks.length === 0 && frame.tick === 4");
    page.click_at(x, y, true);
    page.wait("$('word').textContent.includes('only nodes fail that have a rank')");
    let (stdout, stderr) = run.quit();
    assert_eq!(stdout, printed, "{stderr}");
}

#[test]
fn what_failed_is_recorded_and_replayed_with_its_arrows() {
    let file = scratch("watched-ftspare-record").join("run");
    let line = "sample --dims 8,8,8 --cases 1 --failures 5 --json";
    let printed = FTSPARE.succeeds(line);
    let recorded = FTSPARE.succeeds(&format!("{line} --record {}", file.display()));
    assert_eq!(printed, recorded, "whoever looks on");
    let run = Run::begin_as(&FTSIM, &["replay", &file.to_string_lossy()], false);
    let mut page = Browser::open(&run.address, 1000, 800, &scratch("watched-ftspare-replay"));
    page.wait("frame && scene.replay && frame.at === 0 && frame.arrows.length === 0");
    page.click("step");
    page.wait("frame.at === 1 && frame.marks.length === 1 && frame.arrows.length > 1");
    shows_an_arrow(&mut page);
    page.value("$('node').value = frame.marks[0]; info()");
    page.wait("$('word').textContent.endsWith(', dead')");
    page.value("$('node').value = frame.arrows.find(n => n !== frame.marks[0]); info()");
    page.wait("/; (is to move|spare)$/.test($('word').textContent)");
    // Five failures, each in two steps; the last picture says that there are no more.
    page.value("$('moment').value = 10; $('moment').oninput()");
    page.wait("frame.at === 10 && frame.tick === 5 && frame.count === 507");
    let (_, uses) = printed.split_once("\"mean_uses\":[").expect("it is there");
    let worst = page.number("frame.series[1]");
    let last = uses.split(']').next().and_then(|uses| uses.split(',').next_back());
    assert_eq!(last, Some(worst.to_string().as_str()), "{printed}");
}

#[test]
fn every_tick_has_its_point_in_the_plot_of_those_who_know_however_fast_it_goes() {
    let run = Run::begin(&FTSIM, "max --nodes 3000 --topology mesh");
    let mut page = Browser::open(&run.address, 900, 700, &scratch("live-points"));
    page.wait("frame && frame.tick === 0 && frame.count > 2900");
    run.order("speed 0");
    page.click("go");
    page.wait("frame.state === 'at rest'");
    // A mesh of 55 × 55: more ticks than pictures.
    assert!(page.number("frame.tick") > 40.0);
    for name in ["who know it", "messages", "alive"] {
        page.wait(&format!(
            "history.get('{name}').map(([t]) => t).join() === \
             [...Array(frame.tick + 1).keys()].join()"
        ));
    }
    let grows = "history.get('who know it').every(([, v], i, all) => !i || v >= all[i - 1][1])";
    assert_eq!(page.value(grows), true);
    page.wait("history.get('who know it').at(-1)[1] === frame.count");
    // Whoever comes later sees the same.
    let mut late = Browser::open(&run.address, 900, 700, &scratch("live-points-late"));
    late.wait("frame && history.get('who know it')?.length === frame.tick");
}

#[test]
fn where_a_border_is_moved_the_residual_is_plotted_and_there_is_a_way_back() {
    let run = Run::begin(&FTSIM, "poisson --nodes 100 --ticks 100000");
    let mut page = Browser::open(&run.address, 1000, 700, &scratch("live-back"));
    page.wait("frame && frame.count === 100 && $('back').hidden");
    let plotted = "[...document.querySelectorAll('.plot')].map(c => c.dataset.name).join()";
    assert_eq!(page.value(plotted), "error against x² − y²,messages,alive");
    run.order("speed 0");
    page.click("go");
    page.wait("frame.state === 'at rest' && frame.series[0] > 0.01");
    let error = page.number("frame.series[0]");
    // The slider keeps the focus, though the plot is another one.
    page.value("$('border-left').focus()");
    page.key("End", 35);
    page.wait(&format!("{plotted} === 'residual,messages,alive' && !$('back').hidden"));
    page.wait("frame && frame.state === 'at rest' && frame.series[0] < 1e-4");
    page.key("ArrowLeft", 37);
    page.wait("$('left').textContent === '0.99' && document.activeElement === $('border-left')");
    page.wait("frame && frame.state === 'at rest'");
    page.click("back");
    page.wait(&format!("{plotted} === 'error against x² − y²,messages,alive' && $('back').hidden"));
    page.wait("$('left').textContent === 'x² − y²'");
    page.wait(&format!(
        "frame && frame.state === 'at rest' && Math.abs(frame.series[0] - {error}) < 1e-3"
    ));
    assert_eq!(run.order("border back"), "ok the border is as it was in the beginning");
    assert!(run.order("border left nan").starts_with("no expected border"));
    assert!(run.order("region nan 0 1 1 10").starts_with("no "));
    assert!(run.order("region 0 0 1 1 101").starts_with("no "));
    drop(run);
    let run = Run::begin(&FTSIM, "max --nodes 100");
    assert!(run.order("border back").starts_with("no expected border"), "there is none");
}

#[test]
fn a_flood_of_idle_connections_keeps_nobody_out() {
    let run = Run::begin(&FTSIM, "max --nodes 100");
    let host = run.host().to_string();
    // Some say nothing at all, some begin a request and never end it, some half an order.
    let own = format!("Host: {host}\r\n");
    let half = format!("POST {}order HTTP/1.1\r\n{own}Content-Length: 7\r\n\r\nkill", run.path());
    let mut guests = Vec::new();
    for number in 0..200 {
        let mut guest = TcpStream::connect(&host).expect("it listens");
        match number % 3 {
            0 => {}
            1 => drop(guest.write_all(b"GET / HTTP/1.1\r\nHo")),
            _ => drop(guest.write_all(half.as_bytes())),
        }
        guests.push(guest);
        // All the while, each of those who do ask is served, the first time.
        if number % 10 == 0 {
            assert!(run.order("info 0").starts_with("ok node 0"), "after {number}");
        }
    }
    let mut page = Browser::open(&run.address, 900, 700, &scratch("live-flood"));
    page.wait("frame && frame.count === 100");
    guests.extend((0..200).filter_map(|_| TcpStream::connect(&host).ok()));
    page.click("step");
    page.wait("frame.tick === 1");
    page.click("go");
    page.wait("frame.state === 'at rest'");
    assert!(!run.order("info 0").contains("dead"));
}
