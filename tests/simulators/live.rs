//! The live view of a simulation, in a real browser.

#[path = "../browser/mod.rs"]
mod browser;
mod support;

use browser::Browser;
use std::fs::OpenOptions;
use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use support::run::Run;
use support::{Program, scratch};

const FTSIM: Program = Program { name: "ftsim", path: env!("CARGO_BIN_EXE_ftsim") };

/// A living node in the middle that no other dot hides, and where it is in the window.
fn lonely(page: &mut Browser, but: i64) -> (i64, f64, f64) {
    let script = format!(
        "(() => {{ const b = picture.box(), r = $('dots').getBoundingClientRect();
           const far = (dot(b) + 3) / b.side;
           for (let n = 0; n < scene.nodes; n++) {{
             const [x, y] = [places[2 * n], places[2 * n + 1]];
             const apart = (a, b) => Math.max(Math.abs(a - x), Math.abs(b - y));
             if (n === {but} || !frame.alive[n] || apart(0.5, 0.5) > 0.3) continue;
             let best = 1;
             for (let m = 0; m < scene.nodes; m++)
               if (m !== n) best = Math.min(best, apart(places[2 * m], places[2 * m + 1]));
             const [u, v] = [b.left + x * b.side, b.top + (1 - y) * b.side];
             if (best > far) return [n, r.x + u / b.scale, r.y + v / b.scale];
           }} }})()"
    );
    let found = page.value(&script);
    let at = |place: usize| found[place].as_f64().expect("there is a lonely one");
    (at(0) as i64, at(1), at(2))
}

/// What a node's colour is in the page's own table; grey if it is dead.
fn colour(page: &mut Browser, node: i64) -> [u8; 3] {
    let script = format!(
        "(at => frame.alive[{node}] ? [...table.slice(at, at + 3)] : DEAD)\
         (4 * frame.colours[{node}])"
    );
    let found = page.value(&script);
    [0, 1, 2].map(|part| found[part].as_u64().expect("a colour") as u8)
}

fn is_near(one: [u8; 3], other: [u8; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= 3)
}

#[test]
fn a_person_runs_it_kills_and_moves_the_border_and_the_picture_shows_what_is_so() {
    for (kind, query) in [("WebGL", "?webgl"), ("canvas", "?canvas")] {
        let run = Run::begin(&FTSIM, "poisson --nodes 900 --border 0,0,0,1");
        let address = format!("{}{query}", run.address);
        let mut page = Browser::open(&address, 1200, 800, &scratch(&format!("live-{kind}")));
        page.wait("frame && $('nodes').textContent === '900'");
        assert_eq!(page.value("picture.name"), kind);
        assert_eq!(page.value("$('mood').textContent"), "halted");
        // The rings of deaths would cover the dots that are looked at.
        page.value("rippleTime = 1");
        page.click("go");
        page.wait("frame.tick > 20 && frame.state === 'running'");
        page.wait("history.get('messages').length > 2");
        // By a click with the shift key.
        let (victim, x, y) = lonely(&mut page, -1);
        page.click_at(x, y, true);
        page.wait(&format!("frame.count === 899 && !frame.alive[{victim}]"));
        // The border on the left, by the key End: the highest value there is.
        page.value("$('border-left').focus()");
        page.key("End", 35);
        page.wait("$('left').textContent === '1'");
        let leftmost =
            "[...Array(900).keys()].reduce((a, b) => places[2 * b] < places[2 * a] ? b : a)";
        page.wait(&format!("frame.colours[{leftmost}] > 250"));
        // A region, by the mouse.
        let edge = |page: &mut Browser, at: f64| {
            let mut of = |axis, side| {
                page.number(&format!(
                    "$('dots').getBoundingClientRect().{axis} + picture.box().{side} \
                     + {at} * picture.box().side"
                ))
            };
            (of("x", "left"), of("y", "top"))
        };
        let (from, to) = (edge(&mut page, 0.6), edge(&mut page, 0.9));
        page.drag(from, to);
        assert!((page.number("+$('x0').value") - 0.6).abs() < 0.01);
        page.value("$('percent').value = 100");
        page.click("region");
        page.wait("frame.count < 860");
        let left = page.number(
            "[...Array(900).keys()].filter(n => frame.alive[n] && places[2 * n] > 0.61 && \
             places[2 * n] < 0.89 && places[2 * n + 1] > 0.11 && places[2 * n + 1] < 0.39).length",
        );
        assert_eq!(left, 0.0, "all in the region are dead");
        page.click("go");
        page.wait("frame.state === 'halted'");
        page.value("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))");
        let picture = page.picture();
        assert!(is_near(picture.at(x, y), [190; 3]), "{kind}: the dead are grey");
        let (node, x, y) = lonely(&mut page, victim);
        let (seen, told) = (picture.at(x, y), colour(&mut page, node));
        assert!(is_near(seen, told), "{kind}: {seen:?}, not {told:?}");
        overlaps(&mut page, kind);
        // And when one more dies, as it stands still.
        run.order(&format!("kill {node}"));
        page.wait(&format!("!frame.alive[{node}]"));
        overlaps(&mut page, kind);
        run.order("region 0.2 0.2 0.8 0.8 30");
        page.wait("frame.count < 800");
        overlaps(&mut page, kind);
    }
}

/// Of dots that are so large that they hide each other those that live are seen, and of these the
/// first: at many points of the picture, which are well within all dots that they are in.
fn overlaps(page: &mut Browser, kind: &str) {
    page.value("$('size').value = 20; $('node').value = ''; region = null; repaint()");
    page.value("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))");
    let points = page.value(
        "(() => { const b = picture.box(), r = $('dots').getBoundingClientRect(), points = [];
           const half = dot(b) / 2;
           for (let i = 0; i < 900; i++) {
             const [x, y] = [b.left + b.side * (i * 0.618034 % 1),
               b.top + b.side * (i * 0.414214 % 1)].map(Math.floor);
             let owner = -1, hidden = 0, is_clear = true;
             for (let n = 0; n < scene.nodes; n++) {
               const far = Math.max(Math.abs(b.left + places[2 * n] * b.side - x - 0.5),
                 Math.abs(b.top + (1 - places[2 * n + 1]) * b.side - y - 0.5));
               is_clear &&= Math.abs(far - half) > 1.2;
               if (far > half) continue;
               hidden += owner >= 0;
               if (owner < 0 || frame.alive[n] > frame.alive[owner]) owner = n;
             }
             const at = 4 * frame.colours[owner];
             if (is_clear && hidden) points.push([r.x + x, r.y + y, owner,
               ...(frame.alive[owner] ? table.slice(at, at + 3) : DEAD)]);
           }
           return points; })()",
    );
    let points = points.as_array().expect("a list");
    assert!(points.len() > 50, "{} points are clear", points.len());
    let picture = page.picture();
    for point in points {
        let number = |place: usize| point[place].as_f64().expect("a number");
        let told = [3, 4, 5].map(|place| number(place) as u8);
        let seen = picture.at(number(0), number(1));
        assert!(is_near(seen, told), "{kind}, {point}: {seen:?}");
    }
}

#[test]
fn a_finger_scrolls_and_pinches_the_page_taps_at_nodes_and_selects_where_that_is_wanted() {
    let run = Run::begin(&FTSIM, "max --nodes 100");
    let mut page = Browser::open(&run.address, 400, 700, &scratch("live-touch"));
    page.touches(true);
    page.wait("frame && frame.count === 100");
    let middle = page
        .value("(r => [r.x + r.width / 2, r.y + r.height / 2])($('dots').getBoundingClientRect())");
    let at = |place: usize| middle[place].as_f64().expect("a number");
    let middle = (at(0), at(1));
    // A tap is a click.
    page.fingers("touchStart", &[middle]);
    page.fingers("touchEnd", &[]);
    page.wait("/^node [0-9]+ at/.test($('word').textContent)");
    page.wait("$('node').value === String(nearest(0.5, 0.5)) && region === null");
    let drag = |page: &mut Browser, end: &str| {
        let (x, y) = middle;
        page.fingers("touchStart", &[(x - 60.0, y - 60.0)]);
        for far in [-30.0, 20.0, 60.0] {
            page.fingers("touchMove", &[(x + far, y + far)]);
        }
        page.wait("region && region[2] - region[0] > 0.2");
        page.fingers(end, &[]);
        page.wait("drag === null");
    };
    let press = "$('select').click(); getComputedStyle($('select')).display !== 'none' \
                 && $('select').ariaPressed === 'true'";
    assert_eq!(page.value(press), true);
    drag(&mut page, "touchCancel");
    let kept = "region === null && $('x0').value === '0' && $('x1').value === '1'";
    assert_eq!(page.value(kept), true, "what was cancelled leaves nothing behind");
    drag(&mut page, "touchEnd");
    page.wait("$('select').ariaPressed === 'false' && Math.abs($('x0').value - region[0]) < 0.001");
    let apart = page.number("(+$('x0').value + +$('x1').value) / 2");
    assert!((apart - 0.5).abs() < 0.02, "{apart}");
    assert_eq!(page.number("scrollY"), 0.0);
    page.value("$('percent').value = 100");
    page.value("$('region').click()");
    // The picture may change before the answer comes, whose words stay.
    page.wait("frame.count < 100 && !asking");
    // All else is the page's.
    page.value("region = null; $('node').value = ''; $('word').textContent = ''");
    let clean = "drag === null && region === null && $('node').value === '' \
                 && $('word').textContent === ''";
    page.pinch(middle, 20.0, 100.0);
    page.wait("visualViewport.scale > 1.5");
    // Whoever pinches means no dot. The page may hear a little later that the fingers are gone.
    page.wait(clean);
    let before = page.number("visualViewport.pageTop");
    page.fingers("touchStart", &[middle]);
    for far in [20.0, 80.0, 150.0] {
        page.fingers("touchMove", &[(middle.0, middle.1 - far)]);
    }
    page.fingers("touchEnd", &[]);
    page.wait(&format!("visualViewport.pageTop > {before} + 30"));
    assert_eq!(page.value(clean), true, "whoever scrolls means no dot");
}

#[test]
fn keys_do_what_they_say_wherever_the_focus_is_but_not_what_a_field_wants_for_itself() {
    let run = Run::begin(&FTSIM, "poisson --nodes 400 --border 0,0,0,1");
    let mut page = Browser::open(&run.address, 1000, 700, &scratch("live-keys"));
    page.wait("frame && frame.count === 400 && frame.tick === 0");
    page.value(
        "globalThis.sent = []; order = (old => w => { sent.push(w); return old(w); })(order)",
    );
    let is_sent = |page: &mut Browser, orders: &str| {
        page.wait(&format!("sent.join('; ') === '{orders}'"));
        page.value("sent.length = 0");
    };
    // A button that was clicked at keeps the focus.
    page.click("step");
    page.wait("frame.tick === 1 && document.activeElement === $('step')");
    page.key("s", 83);
    page.wait("frame.tick === 2");
    is_sent(&mut page, "step; step");
    // It is pressed by its own keys, once, which do nothing else.
    page.key(" ", 32);
    page.wait("frame.tick === 3");
    page.key("Enter", 13);
    page.wait("frame.tick === 4 && frame.state === 'halted'");
    is_sent(&mut page, "step; step");
    page.value("$('go').focus()");
    page.key(" ", 32);
    page.wait("frame.state === 'running'");
    page.key("Enter", 13);
    page.wait("frame.state === 'halted'");
    is_sent(&mut page, "go; halt");
    // A slider takes arrows.
    page.value("$('node').value = 5; $('speed').focus()");
    page.key("ArrowRight", 39);
    page.key("+", 187);
    page.key("i", 73);
    page.wait("/^node 5 at/.test($('word').textContent) && $('node').value === '5'");
    is_sent(&mut page, "speed 44; speed 69; info 5");
    // A field for numbers takes what numbers are made of.
    page.value("$('node').value = ''; $('node').focus()");
    page.key("1", 49);
    page.key("7", 55);
    page.key("k", 75);
    page.wait("$('node').value === '17' && !frame.alive[17]");
    is_sent(&mut page, "kill 17");
    // One for words takes all, and so does a choice; whoever wants to leave says so.
    page.value("$('setup-kill').focus()");
    page.key("s", 83);
    page.key(" ", 32);
    page.key("k", 75);
    page.wait("$('setup-kill').value === 's k'");
    page.value("$('setup-topology').focus()");
    page.key("t", 84);
    page.wait("$('setup-topology').value === 'torus'");
    page.key("Escape", 27);
    page.wait("document.activeElement === $('dots')");
    is_sent(&mut page, "");
    page.key("ArrowRight", 39);
    page.key("p", 80);
    page.wait("$('node').value === '18' && $('palette').value === 'cividis'");
    page.key(" ", 32);
    page.wait("frame.state === 'running'");
    is_sent(&mut page, "go");
}

#[test]
fn in_the_picture_arrows_go_to_what_is_above_and_below() {
    let run = Run::begin(&FTSIM, "poisson --topology mesh --dims 20,20 --border 0,0,0,1");
    let mut page = Browser::open(&run.address, 1000, 700, &scratch("live-arrows"));
    page.wait("frame && frame.count === 400");
    // Elsewhere they are not the picture's.
    page.value("$('step').focus(); $('node').value = 210");
    page.key("ArrowUp", 38);
    page.key("p", 80);
    page.wait("$('palette').value === 'cividis' && $('node').value === '210'");
    page.value("$('dots').focus()");
    let moved = |page: &mut Browser, key: &str, code: u32, so: &str| {
        page.value("globalThis.before = node()");
        page.key(key, code);
        page.wait(&format!(
            "((x, y) => {so})(places[2 * node()] - places[2 * before],
               places[2 * node() + 1] - places[2 * before + 1])"
        ));
    };
    let (above, below) =
        ("x === 0 && Math.abs(y - 0.05) < 1e-3", "x === 0 && Math.abs(y + 0.05) < 1e-3");
    moved(&mut page, "ArrowUp", 38, above);
    moved(&mut page, "ArrowUp", 38, above);
    moved(&mut page, "ArrowDown", 40, below);
    // Nobody is above the uppermost.
    page.value("$('node').value = [...Array(400).keys()].find(n => places[2 * n + 1] > 0.96)");
    moved(&mut page, "ArrowUp", 38, "x === 0 && y === 0");
    moved(&mut page, "ArrowDown", 40, below);
    // Whoever taps at a dot is in the picture.
    page.value("document.activeElement.blur()");
    let (_, x, y) = lonely(&mut page, -1);
    page.click_at(x, y, false);
    page.wait("document.activeElement === $('dots')");
    moved(&mut page, "ArrowDown", 40, below);
}

#[test]
fn what_is_at_rest_can_go_again_only_when_there_is_something_to_do() {
    let run = Run::begin(&FTSIM, "poisson --nodes 100 --ticks 100000");
    let mut page = Browser::open(&run.address, 1000, 700, &scratch("live-rest"));
    let button = |page: &mut Browser, state: &str, word: &str, is_off: bool| {
        page.wait(&format!(
            "frame && frame.state === '{state}' && $('go').textContent === '{word}' && \
             $('go').disabled === {is_off}"
        ));
    };
    button(&mut page, "halted", "Go", false);
    // The border is a function until somebody says otherwise.
    let shown = "['left', 'right', 'upper', 'lower'].map(side => $(side).textContent).join()";
    assert_eq!(page.value(shown), "x² − y²,x² − y²,x² − y²,x² − y²");
    run.order("speed 0");
    page.click("go");
    button(&mut page, "at rest", "Go", true);
    page.value(
        "globalThis.sent = []; order = (old => w => { sent.push(w); return old(w); })(order)",
    );
    page.key(" ", 32);
    page.key("i", 73);
    page.wait("sent.join() === 'info 0'");
    run.order("speed 1");
    page.value("$('border-left').focus()");
    page.key("End", 35);
    button(&mut page, "running", "Halt", false);
    assert_eq!(page.value(shown), "1,x² − y²,x² − y²,x² − y²");
    page.click("go");
    button(&mut page, "halted", "Go", false);
}

#[test]
fn orders_of_a_page_come_one_after_the_other_and_of_a_slider_the_last_one_counts() {
    let run = Run::begin(&FTSIM, "poisson --nodes 100 --border 0,0,0,1");
    let mut page = Browser::open(&run.address, 800, 600, &scratch("live-orders"));
    page.wait("frame && frame.count === 100");
    // In whichever order connections are served.
    let answered = page.value(
        "(async () => { const all = [], told = [];
           for (let n = 0; n < 60; n++) all.push(order('info ' + n).then(ok =>
             told.push(ok && $('word').textContent.match(/^node ([0-9]+) /)[1])));
           await Promise.all(all); return told.join(); })()",
    );
    let expected: Vec<String> = (0..60).map(|node| node.to_string()).collect();
    assert_eq!(answered, expected.join(","));
    // Whoever drags it leaves no long row behind.
    let kept = page.value(
        "(async () => { const all = [];
           for (let n = 1; n <= 60; n++) all.push(order('border left ' + n / 100));
           const kept = await Promise.all(all);
           const few = kept.filter(is => is).length < 10;
           return [few, kept[0], kept[59], $('word').textContent].join(); })()",
    );
    assert_eq!(kept, "true,true,true,left: 0.6");
}

#[test]
fn another_run_is_set_up_from_the_page_and_what_cannot_be_leaves_the_old_one() {
    let run = Run::begin(&FTSIM, "max --nodes 500");
    let mut page = Browser::open(&run.address, 900, 700, &scratch("live-setup"));
    page.wait("frame && $('nodes').textContent === '500'");
    page.value("$('setup-nodes').value = '700'; $('setup-topology').value = 'torus'");
    page.click("again");
    let rounded = "$('word').textContent === 'set up: torus[26, 27] has 702 nodes, not 700'";
    page.wait(&format!("frame && frame.colours.length > 600 && {rounded}"));
    // What cannot be is told, and the old one stays as it was, and what was typed.
    page.click("step");
    page.wait("frame.tick === 1");
    let before = page.number("scene.scene");
    for (field, value, said) in [
        ("nodes", "many", "--nodes many: use a number"),
        ("nodes", "0", "--nodes 0: use 1 to"),
        ("kill", "101%", "--kill `101%`"),
        ("kill", "ball 0.5,0.5 nan", "--kill `ball 0.5,0.5 nan`"),
        ("mttf", "-5", "--mttf -5: use how many ticks"),
        ("neighbours", "-1", "--neighbours -1: use a number"),
    ] {
        page.value(&format!("$('setup-{field}').value = '{value}'"));
        page.click("again");
        page.wait(&format!("$('word').textContent.includes('{said}')"));
        assert_eq!(page.value(&format!("$('setup-{field}').value")), value);
        page.value(&format!("$('setup-{field}').value = ''"));
    }
    page.value("$('step').focus()");
    page.click("step");
    page.wait("frame.tick === 2 && frame.count === 702");
    assert_eq!(page.number("scene.scene"), before);
    page.value("$('setup-neighbours').value = '4'");
    page.value("$('setup-nodes').value = '700'; $('setup-kill').value = '10%@2; node 5@3'");
    page.click("again");
    page.wait(
        "$('word').textContent.startsWith('set up') && frame && frame.tick === 0 && \
         frame.count === frame.colours.length",
    );
    page.click("step");
    page.wait("frame.tick === 1 && frame.count === frame.colours.length");
    page.click("go");
    page.wait("frame.state === 'at rest' && frame.series[0] === frame.count");
    page.wait("!frame.alive[5] && frame.count < 0.92 * frame.colours.length");
    assert_eq!(page.value("$('setup-kill').value"), "10%@2; node 5@3");
    assert_eq!(run.order("quit"), "ok it ends");
    page.wait("$('mood').textContent === 'ended'");
}

#[test]
fn without_the_secret_from_elsewhere_or_out_of_order_nobody_sees_or_kills() {
    let run = Run::begin(&FTSIM, "max --nodes 100");
    let (host, path) = (run.host().to_string(), run.path().to_string());
    let own = format!("Host: {host}\r\n");
    assert_eq!(run.status(&format!("GET {path}"), &own), "200");
    for (line, headers, status) in [
        ("GET /".to_string(), own.clone(), "403"),
        (format!("GET /{}/", "0".repeat(32)), own.clone(), "403"),
        (format!("GET {path}"), "Host: evil.example\r\n".into(), "403"),
        (format!("GET {path}"), format!("{own}Origin: http://evil.example\r\n"), "403"),
        (format!("POST {path}order"), format!("{own}Origin: null\r\nContent-Length: 6\r\n"), "403"),
        (format!("GET {path}../../etc/passwd"), own.clone(), "404"),
        (format!("GET {path}order"), own.clone(), "405"),
        (format!("DELETE {path}"), own.clone(), "405"),
        (format!("POST {path}order"), format!("{own}Content-Length: 999999\r\n"), "413"),
        (format!("GET {path}"), format!("{own}X: {}\r\n", "x".repeat(9000)), "431"),
        ("nonsense".to_string(), own.clone(), "400"),
    ] {
        assert_eq!(run.status(&line, &headers), status, "{line} {headers:.99}");
    }
    run.raw(&[0xff; 4000]);
    for wrong in ["", "kill", "kill 100", "kill -1", "region 1", "border left 3", "speed x", "rm"] {
        assert!(run.order(wrong).starts_with("no "), "{wrong}");
    }
    // Half an order is none.
    let half = format!("POST {path}order HTTP/1.1\r\n{own}Content-Length: 7\r\n\r\nkill 1");
    let mut stream = TcpStream::connect(&host).expect("it listens");
    stream.write_all(half.as_bytes()).expect("it listens");
    stream.shutdown(Shutdown::Write).expect("it listens");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(!run.order("info 1").contains("dead"));
    // Far more than are served at once, all silent, and they stay.
    let guests: Vec<_> = (0..1000).filter_map(|_| TcpStream::connect(&host).ok()).collect();
    assert!(guests.len() > 500);
    let end = Instant::now() + Duration::from_secs(60);
    let told = loop {
        let request =
            format!("POST {path}order HTTP/1.1\r\nHost: {host}\r\nContent-Length: 6\r\n\r\ninfo 0");
        let told = run.raw(request.as_bytes());
        if told.contains("ok node 0") || Instant::now() > end {
            break told;
        }
    };
    drop(guests);
    assert!(told.contains("ok node 0"), "it serves again: {told}");
    assert!(!told.contains("dead"));
}

/// A recording as a moving picture, as pictures and as counters, of every tenth of its 101 frames:
/// some dots turn grey.
fn film(record: &Path, film: &Path) {
    let (frames, csv) = (film.with_extension("frames"), film.with_extension("csv"));
    let made = Command::new(env!("CARGO_BIN_EXE_ftsim"))
        .args(["replay".as_ref(), record.as_os_str(), "--apng".as_ref(), film.as_os_str()])
        .args(["--frames".as_ref(), frames.as_os_str(), "--csv".as_ref(), csv.as_os_str()])
        .args(["--every", "10", "--size", "100"])
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let counts = std::fs::read_to_string(&csv).expect("it is there");
    let rows: Vec<Vec<&str>> = counts.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 12, "{counts}");
    assert_eq!(rows[0][..3], ["ms", "tick", "state"], "{counts}");
    assert_eq!(rows[0][4..], ["\"messages\"", "\"alive\""], "{counts}");
    assert!(rows[1..].iter().enumerate().all(|(at, row)| row[1] == (10 * at).to_string()));
    let alive: Vec<u32> = rows[1..].iter().map(|row| row[5].parse().expect("a number")).collect();
    assert!(alive[..3].iter().all(|&all| all == alive[0]) && alive[4] < alive[0], "{counts}");
    let file = BufReader::new(std::fs::File::open(film).expect("it is there"));
    let mut reader = png::Decoder::new(file).read_info().expect("PNG");
    assert_eq!(reader.info().animation_control().map(|it| it.num_frames), Some(11));
    let mut greys = Vec::new();
    for _ in 0..11 {
        let mut points = vec![0; reader.output_buffer_size().expect("it is small")];
        reader.next_frame(&mut points).expect("a picture");
        greys.push(points.chunks(3).filter(|point| *point == [190; 3]).count());
        let one = frames.join(format!("picture-{:06}.png", 10 * greys.len() - 9));
        let file = BufReader::new(std::fs::File::open(one).expect("each has a file"));
        let mut reader = png::Decoder::new(file).read_info().expect("PNG");
        let mut same = vec![0; reader.output_buffer_size().expect("it is small")];
        reader.next_frame(&mut same).expect("a picture");
        assert!(same == points);
    }
    assert!(greys[..3].iter().all(|&grey| grey == 0) && greys[4] > 100, "{greys:?}");
}

#[test]
fn a_recording_that_nobody_takes_holds_up_no_page_and_the_end_waits_for_all_of_it() {
    let path = scratch("live-slow-disk").join("record");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    // Whoever opens it both ways waits for nobody; and it is full before the run begins.
    const O_NONBLOCK: i32 = 0o4000;
    let open = |flags| OpenOptions::new().read(true).write(true).custom_flags(flags).open(&path);
    let mut pipe = open(0).expect("it is there");
    let (mut full, mut junk) = (open(O_NONBLOCK).expect("it is there"), 0);
    for bytes in [[0; 4096].as_slice(), &[0]] {
        while let Ok(count) = full.write(bytes) {
            junk += count;
        }
    }
    let words = ["poisson", "--nodes", "400", "--watch", "--record", &path.to_string_lossy()];
    let run = Run::begin_as(&FTSIM, &words, false);
    for tick in 1..=3 {
        assert_eq!(run.order("step"), format!("ok tick {tick} comes next"));
    }
    let taken = std::thread::spawn(move || {
        let (mut bytes, mut room, end) = (Vec::new(), [0; 4096], [b'E', 0, 0, 0, 0]);
        while bytes.len() < 9 || !bytes[..bytes.len() - 4].ends_with(&end) {
            let count = pipe.read(&mut room).expect("it can be read");
            bytes.extend(&room[..count]);
        }
        bytes
    });
    let (_, said) = run.quit();
    assert_eq!(said, "");
    let bytes = taken.join().expect("it comes to an end");
    let file = path.with_extension("file");
    std::fs::write(&file, &bytes[junk..]).expect("there is room");
    let replay = Run::begin_as(&FTSIM, &["replay", &file.to_string_lossy()], false);
    assert_eq!(replay.order("seek 9"), "ok picture 3 of 4");
}

#[test]
fn a_recorded_run_is_shown_again_and_the_time_can_be_moved() {
    let directory = scratch("live-replay");
    let file = directory.join("run");
    let ran = Command::new(env!("CARGO_BIN_EXE_ftsim"))
        .args("poisson --nodes 400 --border 0,0,0,1 --kill 20%@30 --ticks 100".split(' '))
        .args(["--record".as_ref(), file.as_os_str()])
        .output()
        .expect("it can be started");
    assert!(ran.status.success(), "{ran:?}");
    let run = Run::begin_as(&FTSIM, &["replay", &file.to_string_lossy()], false);
    let mut page = Browser::open(&run.address, 1000, 700, &directory.join("profile"));
    page.wait("frame && scene.replay && frame.at === 0 && frame.count === 400");
    assert_eq!(page.value("scene.replay.frames"), 101);
    let hidden = "$('setup').hidden && $('kill').hidden && !$('film').hidden && !$('clock').hidden";
    assert_eq!(page.value(hidden), true);
    let seek = |page: &mut Browser, at: u32, count: u32| {
        page.value(&format!("$('moment').value = {at}; $('moment').oninput()"));
        page.wait(&format!("frame.at === {at} && frame.tick === {at} && frame.count === {count}"));
    };
    seek(&mut page, 20, 400);
    seek(&mut page, 60, 320);
    let warm = "frame.colours.filter((c, n) => frame.alive[n] && c > 140).length";
    let later = page.number(warm);
    seek(&mut page, 2, 400);
    assert!(page.number(warm) < later, "warmth spreads");
    // The plots have points on them.
    let inked = "[...document.querySelectorAll('.plot')].some(c => c.width && \
                 c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v))";
    page.click("go");
    page.wait("frame.at === 100 && frame.state === 'halted'");
    page.wait(inked);
    assert!(run.order("kill 3").starts_with("no `kill`: this is a recording"));
    assert_eq!(run.order("quit"), "ok it ends");
    film(&file, &directory.join("film.png"));
    let whole = std::fs::read(&file).expect("it is there");
    let cut = directory.join("cut");
    std::fs::write(&cut, &whole[..whole.len() / 2]).expect("there is room");
    let half = Run::begin_as(&FTSIM, &["replay", &cut.to_string_lossy()], true);
    assert!(half.warning.contains("ends too early: showing its first"), "{}", half.warning);
    std::fs::write(&cut, "nonsense").expect("there is room");
    let refused = Command::new(env!("CARGO_BIN_EXE_ftsim")).arg("replay").arg(&cut).output();
    let refused = refused.expect("it can be started");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("this is not a recording"));
}
