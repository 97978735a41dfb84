//! The plots and the controls of the page, in a real browser, by mouse, keys and fingers.

#[path = "../browser/mod.rs"]
mod browser;
mod support;

use browser::Browser;
use support::run::Run;
use support::{Program, number, scratch};

const FTBG: Program = Program { name: "ftbg", path: env!("CARGO_BIN_EXE_ftbg") };
const FTSIM: Program = Program { name: "ftsim", path: env!("CARGO_BIN_EXE_ftsim") };
const FTSPARE: Program = Program { name: "ftspare", path: env!("CARGO_BIN_EXE_ftspare") };

const MACHINE: &str = "octtree --dims 8,8,8 --json --quiet";

/// Left, top, width and height of what a selector finds first, after it has been scrolled to.
fn corners(page: &mut Browser, selector: &str) -> [f64; 4] {
    let found = page.value(&format!(
        "(e => {{ e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect();
           return [r.x, r.y, r.width, r.height]; }})(document.querySelector(\"{selector}\"))"
    ));
    [0, 1, 2, 3].map(|at| found[at].as_f64().expect("a number"))
}

#[test]
fn a_plot_begins_at_zero_and_tells_the_value_at_a_moment_by_mouse_and_by_key() {
    let run = Run::begin(&FTSIM, "poisson --nodes 400 --border 0,0,0,1 --kill 1%@20");
    let mut page = Browser::open(&run.address, 1200, 800, &scratch("controls-plot"));
    page.wait("frame && frame.tick === 0 && frame.count === 400");
    page.run_until("frame.tick > 60 && frame.count < 400");
    // A few deaths are no crash: the axis of an amount has its zero.
    page.value("globalThis.alive = document.querySelector('.plot[data-name=alive]')");
    let marks = page.value("layout(alive).marks");
    assert_eq!(marks[0], 0, "{marks}");
    assert!(marks.as_array().is_some_and(|marks| marks.len() >= 3), "{marks}");
    assert!(page.number("layout(alive).y(frame.count)") < page.number("layout(alive).h / 4"));
    let told = "alive.previousElementSibling.lastElementChild.textContent";
    page.wait(&format!("{told} === String(frame.count)"));
    // By mouse. However long it has run: what is left of the axis is its beginning.
    let [left, top, _, high] = corners(&mut page, ".plot[data-name=alive]");
    let begin = page.number("layout(alive).x(0)");
    page.point_at(left + begin - 2.0, top + high / 2.0);
    page.wait(&format!("{told} === 'tick 0: 400'"));
    let before = page.value("history.get('alive').every(([t, v]) => t >= 20 || v === 400)");
    assert_eq!(before, true);
    page.point_at(5.0, 5.0);
    page.wait(&format!("{told} === String(frame.count) && sight.at === null"));
    // By key: what a screen reader says.
    page.value("alive.focus()");
    page.key("Home", 36);
    page.wait("alive.ariaValueText === 'alive 400 at tick 0'");
    page.key("ArrowRight", 39);
    page.wait("Number(alive.ariaValueNow) === history.get('alive')[1][0]");
    page.key("End", 35);
    page.wait("Number(alive.ariaValueNow) === history.get('alive').at(-1)[0]");
    assert_eq!(page.value("$('node').value"), "", "the arrows were those of the plot");
}

#[test]
fn a_plot_is_zoomed_by_a_drag_and_by_keys_and_shown_whole_again() {
    let run = Run::begin(&FTSIM, "poisson --nodes 400 --border 0,0,0,1");
    let mut page = Browser::open(&run.address, 1200, 800, &scratch("controls-zoom"));
    page.wait("frame && frame.tick === 0");
    page.run_until("frame.tick > 100");
    page.wait("$('whole').hidden");
    page.value("globalThis.chart = document.querySelector('.plot[data-name=messages]')");
    let [left, top, wide, high] = corners(&mut page, ".plot[data-name=messages]");
    let middle = top + high / 2.0;
    page.drag((left + wide * 0.4, middle), (left + wide * 0.6, middle));
    page.wait("sight.span && sight.span[0] > 20 && sight.span[1] < frame.tick - 20");
    // All plots show the same time.
    let same = "[...document.querySelectorAll('.plot')].every(c => \
                layout(c).first === sight.span[0] && layout(c).last === sight.span[1])";
    assert_eq!(page.value(same), true);
    page.click("whole");
    page.wait("sight.span === null && $('whole').hidden");
    assert_eq!(page.number("layout(chart).first"), 0.0);
    // By keys.
    page.value("chart.focus()");
    page.key("+", 187);
    page.key("+", 187);
    page.wait("Math.abs(layout(chart).last - layout(chart).first - frame.tick / 4) < 1");
    page.key("-", 189);
    page.wait("Math.abs(layout(chart).last - layout(chart).first - frame.tick / 2) < 1");
    page.key("Escape", 27);
    page.wait("sight.span === null && document.activeElement === chart");
}

#[test]
fn a_button_ends_the_run_which_then_prints_its_report() {
    let run = Run::begin(&FTBG, MACHINE);
    let mut page = Browser::open(&run.address, 1100, 800, &scratch("controls-end"));
    page.wait("frame && frame.state === 'halted' && !$('end').hidden");
    page.wait("/Press Go/.test($('why').textContent)");
    // What is not over is ended by a second press only.
    page.click("end");
    page.wait("$('end').textContent === 'Really end it?' && frame.state === 'halted'");
    page.value("$('end').blur()");
    page.wait("$('end').textContent === 'End'");
    page.click("go");
    page.wait("frame.state === 'at rest' && $('go').disabled");
    page.wait("/^Go is off: the run is at rest/.test($('why').textContent)");
    assert_eq!(page.value("$('go').getAttribute('aria-describedby')"), "why");
    page.click("end");
    page.wait("$('mood').textContent === 'ended' && $('step').disabled && $('end').disabled");
    page.wait("/has ended/.test($('why').textContent)");
    let (stdout, stderr) = run.ended();
    assert!(number(&stdout, "packets_on_the_hottest_link") > 0.0, "{stdout}, {stderr}");
}

#[test]
fn spare_nodes_at_work_are_summed_up_when_a_page_has_ended_their_study() {
    let words = "sample --dims 6,6 --alloc 2D(2,1) --method 2D+1D+0D --seed 3 --cases 20";
    let alone = FTSPARE.succeeds(words);
    let run = Run::begin(&FTSPARE, words);
    let mut page = Browser::open(&run.address, 1100, 800, &scratch("controls-spares"));
    page.wait("frame && frame.count === 36 && !$('end').hidden");
    page.click("step");
    page.wait("frame.marks.length === 1");
    page.click("end");
    page.wait("$('end').textContent === 'Really end it?'");
    page.click("end");
    page.wait("$('mood').textContent === 'ended'");
    let (stdout, stderr) = run.ended();
    assert!(stdout.lines().count() > 3, "{stdout}, {stderr}");
    assert_eq!(stdout, alone, "all cases count, not those that were shown: {stderr}");
}

#[test]
fn what_the_pointer_is_over_has_a_name_and_both_files_hold_what_is_seen() {
    let run = Run::begin(&FTSPARE, "sample --dims 6,6 --alloc 2D(2,1) --method 2D+1D+0D --seed 3");
    let mut page = Browser::open(&run.address, 1100, 800, &scratch("controls-tip"));
    page.wait("frame && frame.count === 36 && /^Each dot is a node/.test($('sight').textContent)");
    let spot = page.value(
        "(r => [r.x + (picture.box().left + places[14] * picture.box().side),
           r.y + (picture.box().top + (1 - places[15]) * picture.box().side)])
         ($('dots').getBoundingClientRect())",
    );
    let at = |place: usize| spot[place].as_f64().expect("a number");
    page.point_at(at(0), at(1));
    page.wait("!$('tip').hidden && $('tip').textContent === 'node 7' + meaning(7)");
    assert_eq!(page.value("meaning(7).length > 3"), true, "and says what it is");
    page.point_at(2.0, 2.0);
    page.wait("$('tip').hidden");
    page.value("save = (name, blob) => { globalThis.kept = { name, blob }; }");
    page.click("png");
    page.wait("kept.name === 'picture.png' && kept.blob.type === 'image/png'");
    let size = page.value(
        "createImageBitmap(kept.blob).then(i => [i.width, i.height].join()
           === [$('dots').width, $('dots').height].join())",
    );
    assert_eq!(size, true);
    page.click("json");
    page.wait("kept.name === 'run.json'");
    page.value("kept.blob.text().then(t => { globalThis.told = JSON.parse(t); })");
    page.wait("told.alive.length === 36 && told.series['spares left'].length > 0");
}

#[test]
fn every_control_has_a_name_and_is_large_enough_for_a_finger() {
    let run = Run::begin(&FTSIM, "poisson --nodes 100 --border 0,0,0,1");
    let mut page = Browser::open(&run.address, 390, 844, &scratch("controls-touch"));
    page.touches(true);
    page.wait("frame && frame.count === 100 && matchMedia('(any-pointer: coarse)').matches");
    let small = page.value(
        "[...document.querySelectorAll('button, input, select')].filter(e => e.offsetParent)
           .map(e => [e.id, e.getBoundingClientRect()])
           .filter(([, r]) => r.height < 44 || r.width < 44)
           .map(([id, r]) => `${id}: ${r.width} × ${r.height}`)",
    );
    assert_eq!(small.as_array().map(Vec::len), Some(0), "{small}");
    let nameless = page.value(
        "[...document.querySelectorAll('input, select')]
           .filter(e => !e.labels.length && !e.ariaLabel).map(e => e.id)",
    );
    assert_eq!(nameless.as_array().map(Vec::len), Some(0), "{nameless}");
    assert!(page.number("document.documentElement.scrollWidth") <= 390.0, "nothing sticks out");
}

/// Each link has the colour of what it carries, and the busiest one carries what is told.
fn links_show_what_they_carry(page: &mut Browser) {
    page.wait("space.heat && space.heat.top === frame.top && space.heat.links.length === 360");
    page.value("repaint()");
    page.wait(
        "(() => { const b = picture.box(), ctx = $('space').getContext('2d');
           const steps = [1, 6, 30], want = hot(1).match(/[0-9]+/g).map(Number);
           return space.heat.links.some((load, at) => {
             if (load < space.heat.top) return false;
             const n = Math.floor(at / 3), m = n + steps[at % 3];
             const mid = axis => (space.spots[3 * n + axis] + space.spots[3 * m + axis]) / 2;
             const [x, y] = [b.left + mid(0) * b.side, b.top + (1 - mid(1)) * b.side];
             const d = ctx.getImageData(x, y, 1, 1).data;
             return want.every((v, i) => Math.abs(v - d[i]) < 12); }); })()",
    );
}

/// By keys, by the wheel, by two fingers; one finger turns it.
fn comes_nearer(page: &mut Browser, middle: (f64, f64)) {
    page.key("z", 90);
    page.wait("Math.abs(space.near - 1.25) < 1e-9");
    page.key("c", 67);
    page.wait("Math.abs(space.near - 1) < 1e-9");
    page.wheel(middle, -250.0);
    page.wait("space.near > 1.5");
    page.wheel(middle, 250.0);
    page.wait("Math.abs(space.near - 1) < 1e-9");
    page.touches(true);
    page.pinch(middle, 40.0, 80.0);
    page.wait("space.near > 1.6 && space.near < 2.4 && visualViewport.scale === 1");
    page.pinch(middle, 80.0, 40.0);
    page.wait("Math.abs(space.near - 1) < 0.05");
    let before = page.number("space.turn");
    page.fingers("touchStart", &[middle]);
    for step in 1..=4 {
        page.fingers("touchMove", &[(middle.0 + 25.0 * f64::from(step), middle.1)]);
    }
    page.fingers("touchEnd", &[]);
    page.wait(&format!("Math.abs(space.turn - {}) > 0.1", before));
}

#[test]
fn a_machine_of_three_dimensions_is_a_body_that_can_be_turned() {
    let run = Run::begin(&FTBG, "octtree --dims 6,5,4 --json --quiet");
    let mut page = Browser::open(&run.address, 1200, 800, &scratch("controls-solid"));
    page.wait("frame && frame.colours.length === 120 && !$('solid').hidden && $('turns').hidden");
    page.value("globalThis.flat = [...places]");
    page.click("solid");
    page.wait("space.on && !$('turns').hidden && $('solid').ariaPressed === 'true'");
    page.wait("getComputedStyle($('dots')).opacity === '0'");
    // Every node is where the camera sees it, and the nearest one is drawn last.
    assert_eq!(page.value("places.every(v => v > 0 && v < 1)"), true);
    assert_eq!(page.value("space.order.length"), 120);
    let nearest = "space.depths.indexOf(Math.max(...space.depths))";
    assert_eq!(page.value(&format!("space.order.at(-1) === {nearest}")), true);
    page.click("go");
    page.wait("frame.state === 'at rest'");
    // The disc of a node in front has the colour of its packets.
    page.wait(
        "(n => { const b = picture.box(), from = 4 * frame.colours[n];
           const c = [...table.slice(from, from + 3)];
           const d = $('space').getContext('2d').getImageData(b.left + places[2 * n] * b.side,
             b.top + (1 - places[2 * n + 1]) * b.side, 1, 1).data;
           return c.every((v, i) => Math.abs(v - d[i]) < 3); })(space.order.at(-1))",
    );
    links_show_what_they_carry(&mut page);
    // By buttons, keys and a drag.
    let turned = |page: &mut Browser| [page.number("space.turn"), page.number("space.tilt")];
    let begun = turned(&mut page);
    page.click("turn-right");
    page.click("tilt-up");
    let [turn, tilt] = turned(&mut page);
    assert!(turn > begun[0] && tilt > begun[1], "{begun:?}, {turn}, {tilt}");
    page.value("$('dots').focus()");
    page.key("a", 65);
    page.key("x", 88);
    let back = turned(&mut page);
    assert!((back[0] - begun[0]).abs() + (back[1] - begun[1]).abs() < 1e-9, "{back:?}, {begun:?}");
    let [left, top, wide, high] = corners(&mut page, "#stage");
    let middle = (left + wide / 2.0, top + high / 2.0);
    page.drag(middle, (middle.0 + 120.0, middle.1 + 40.0));
    let [turn, _] = turned(&mut page);
    assert!((turn - back[0]).abs() > 0.1, "{turn}, {back:?}");
    assert_eq!(page.value("region"), serde_json::Value::Null, "a drag selects nothing");
    comes_nearer(&mut page, middle);
    // The dots are where the pointer finds them.
    page.wait("nearest(...places.slice(14, 16)) === 7");
    page.key("d", 68);
    page.wait("!space.on && flat.every((v, i) => v === places[i])");
    page.wait("getComputedStyle($('dots')).opacity === '1'");
}

#[test]
fn two_dimensions_have_no_body() {
    let run = Run::begin(&FTSPARE, "sample --dims 6,6 --alloc 2D(2,1) --method 2D+1D+0D --seed 3");
    let mut page = Browser::open(&run.address, 1100, 800, &scratch("controls-flat"));
    page.wait("frame && frame.count === 36 && $('solid').hidden");
    page.key("d", 68);
    assert_eq!(page.value("space.on"), false);
}

#[test]
fn the_guide_is_shown_at_the_first_visit_and_when_it_is_asked_for() {
    for (program, words, line) in [
        (&FTSIM, "poisson --nodes 100 --border 0,0,0,1", "Step makes one tick"),
        (&FTBG, "octtree --dims 6,6,6 --json --quiet", "“3-D” shows the machine as a body"),
        (&FTSPARE, "sample --dims 6,6 --alloc 2D(2,1) --seed 3", "Step makes one failure"),
    ] {
        let run = Run::begin(program, words);
        let mut page = Browser::open(&run.address, 1100, 800, &scratch("controls-guide"));
        page.wait(&format!("!$('guide').hidden && $('guide').innerText.includes('{line}')"));
        page.click("guide-done");
        page.wait("$('guide').hidden");
        page.value("location.reload()");
        page.wait("frame && scene && places && document.readyState === 'complete'");
        page.wait("$('guide').hidden && $('nodes').textContent !== '0'");
        page.key("?", 191);
        page.wait("!$('guide').hidden");
    }
}
