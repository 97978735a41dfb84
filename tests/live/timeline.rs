//! The slider of every page, with its marks, and the bars of recoveries: dragged through by mouse,
//! finger and key, while the run goes on.

use crate::browser::Browser;
use crate::shown::Shown;
use crate::{Job, Replay, place};

/// Left, middle height and width of what a selector finds first.
fn line(page: &mut Browser, selector: &str) -> (f64, f64, f64) {
    let spot = page.value(&format!(
        "(e => {{ e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect();
           return [r.x, r.y + r.height / 2, r.width]; }})(document.querySelector('{selector}'))"
    ));
    let at = |place: usize| spot[place].as_f64().expect("a number");
    (at(0), at(1), at(2))
}

/// Drags along what a selector finds, between two parts of its width, by mouse.
fn by_mouse(page: &mut Browser, selector: &str, from: f64, to: f64) {
    let (left, middle, wide) = line(page, selector);
    page.drag((left + wide * from, middle), (left + wide * to, middle));
}

/// Drags by a finger.
fn by_finger(page: &mut Browser, selector: &str, from: f64, to: f64) {
    let (left, middle, wide) = line(page, selector);
    page.fingers("touchStart", &[(left + wide * from, middle)]);
    for step in 1..=6 {
        let part = from + (to - from) * f64::from(step) / 6.0;
        page.fingers("touchMove", &[(left + wide * part, middle)]);
    }
    page.fingers("touchEnd", &[]);
}

/// Where the slider is, from 0 to 1, and the moment that the picture shows.
const PART: &str = "((+$('moment').value) / $('moment').max)";

/// A page with many pictures behind it: back by mouse and by finger, forth, and live again.
fn goes_back_and_forth(page: &mut Browser) {
    page.value("showGuide(false)");
    page.wait("scene.replay || past.kept.length > 12 && past.latest.tick > past.kept[0].tick");
    by_mouse(page, "#moment", 0.97, 0.5);
    page.wait(&format!("Math.abs({PART} - 0.5) < 0.1 && (scene.replay || past.at)"));
    page.wait("scene.replay ? frame.at === +$('moment').value : frame === past.at");
    page.value("globalThis.middle = frame.tick");
    page.touches(true);
    by_finger(page, "#moment", 0.5, 0.2);
    page.wait(&format!("{PART} < 0.3 && frame.tick < middle"));
    by_finger(page, "#moment", 0.2, 0.7);
    page.wait(&format!("{PART} > 0.6 && frame.tick > middle"));
    if page.value("!!scene.replay") == false {
        page.click("live");
        page.wait("!past.at && frame === past.latest");
    }
}

#[test]
fn the_slider_of_every_page_is_dragged_by_mouse_and_by_finger_while_the_run_goes_on() {
    for (name, words) in [
        ("ftsim", "poisson --nodes 400 --border 0,0,0,1 --ticks 1000000"),
        ("ftbg", "md --dims 5,5,5 --rounds 100 --slice 1000"),
        ("ftspare", "sample --dims 12,12 --alloc 2D(2,1) --method 2D+1D+0D --seed 3 --cases 1"),
    ] {
        let shown = Shown::tool(name, words);
        let profile = support::fresh_directory(&format!("timeline-{name}"));
        let mut page = Browser::open(&shown.address, 1200, 900, &profile);
        page.wait("frame && frame.colours.length > 100");
        shown.order("speed 10");
        page.click("go");
        goes_back_and_forth(&mut page);
    }
    let mut job = Job::begin("timeline-job", &[]);
    let profile = support::fresh_directory("timeline-job-profile");
    let mut page = Browser::open(&job.address, 1200, 900, &profile);
    page.wait("frame && frame.count === 16");
    goes_back_and_forth(&mut page);
    assert_eq!(job.end().0, Some(0));
    drop(page);
    let replay = Replay::begin(&job.directory.join("record"));
    let profile = support::fresh_directory("timeline-replay-profile");
    let mut page = Browser::open(&replay.address, 1200, 900, &profile);
    page.wait("frame && scene.replay && scene.replay.frames > 12");
    goes_back_and_forth(&mut page);
}

/// Whether there is a point of this colour in the column of the marks at a part of the slider.
fn has_mark(part: &str, colour: &str) -> String {
    format!(
        "(() => {{ const c = $('events-line'), d = c.getContext('2d'), e = 0.45 * ink('rem');
           const x = Math.round(e + {part} * (c.width - 2 * e));
           const points = d.getImageData(x - 1, 0, 2, c.height).data, want = rgb(ink('{colour}'));
           for (let at = 0; at < points.length; at += 4)
             if (want.every((v, i) => Math.abs(v - points[at + i]) < 8)) return true;
           return false; }})()"
    )
}

#[test]
fn failures_are_marked_on_the_slider_and_gone_to_by_key_and_by_button() {
    let shown = Shown::tool("ftsim", "poisson --nodes 400 --border 0,0,0,1 --ticks 1000000");
    let profile = support::fresh_directory("timeline-marks");
    let mut page = Browser::open(&shown.address, 1200, 900, &profile);
    page.wait("frame && frame.count === 400 && $('earlier').disabled && $('events-line').hidden");
    page.value("showGuide(false)");
    page.click("go");
    page.wait("past.kept.length > 8");
    shown.order("kill 7");
    page.wait("frame.count === 399 && past.latest.tick > marked.events[0][0] + 20");
    shown.order("region 0 0 1 1 10");
    page.wait("frame.count === 359 && past.kept.length > 24 && marked.events.length >= 2");
    page.wait("past.latest.tick > marked.events.at(-1)[0] + 20");
    page.click("go");
    page.wait("frame.state === 'halted' && $('fell').textContent === '41'");
    let first = "spotOf(marked.events[0][0])";
    page.wait(&has_mark(&format!("({first} / (past.kept.length - 1))"), "--harm"));
    assert_eq!(page.value(&has_mark("0.02", "--harm")), false, "nothing had happened");
    assert_eq!(page.value(&has_mark("0.5", "--accent")), false, "none lives again");
    // The last one, the first one, the beginning; and back again.
    page.key(",", 188);
    page.wait("past.at && frame.count < 399 && frame.tick >= marked.events.at(-1)[0]");
    page.wait("keptAt(frame.tick) === spotOf(marked.events.at(-1)[0])");
    page.value("for (let n = 2; n < marked.events.length; n++) goToEvent(-1)");
    page.click("earlier");
    page.wait(&format!("past.kept.indexOf(past.at) === {first} && frame.count === 399"));
    page.key(",", 188);
    page.wait("past.kept.indexOf(past.at) === 0 && frame.count === 400");
    page.key(".", 190);
    page.wait("frame.count === 399");
    page.value("for (const _ of marked.events) goToEvent(1)");
    page.wait("!past.at && frame === past.latest && $('live').disabled");
}

/// The bar of the only recovery, by mouse, finger and key.
fn bar_is_dragged(page: &mut Browser) {
    page.value("globalThis.bar = () => document.querySelector('.line .bar')");
    let told = "document.querySelector('.line header b').textContent";
    by_mouse(page, ".line .bar", 0.1, 0.6);
    page.wait(&format!("/^\\+[0-9.]+ ms: until /.test({told})"));
    page.wait("Math.abs(inspected.after / bar().whole - 0.6) < 0.05 && $('node').value === '5'");
    page.wait("!document.querySelector('.line .swept') && !bar().querySelector('em').hidden");
    // The picture is that of then: the last one before the rank was there again.
    page.wait("frame.tick <= bar().first + inspected.after && bar().first - frame.tick < 1000");
    page.touches(true);
    by_finger(page, ".line .bar", 0.5, 0.25);
    page.wait("Math.abs(inspected.after / bar().whole - 0.25) < 0.05");
    // By keys, from step to step.
    page.value("bar().focus()");
    page.key("End", 35);
    page.wait(&format!("/: recovered$/.test({told}) && inspected.after === bar().whole"));
    page.wait("/: recovered$/.test(bar().getAttribute('aria-valuetext'))");
    page.key("ArrowLeft", 37);
    page.wait("inspected.after === bar().steps.findLast(t => t < bar().whole - 1e-6)");
    page.key("Home", 36);
    page.wait("inspected.after === 0");
    page.key("ArrowRight", 39);
    page.wait("Math.abs(inspected.after - bar().steps[0]) < 1e-9");
    page.wait("document.activeElement === bar()");
}

#[test]
fn a_recovery_is_dragged_through_step_by_step_live_and_in_a_recording() {
    let mut job = Job::begin("timeline-bar", &[]);
    let profile = support::fresh_directory("timeline-bar-profile");
    let mut page = Browser::open(&job.address, 1200, 900, &profile);
    page.wait("frame && frame.count === 16 && past.kept.length > 5 && frame.series[0] > 100");
    page.value("showGuide(false)");
    let (x, y) = place(&mut page, 5);
    page.click_at(x, y, true);
    page.wait("frame.lines.length === 1 && frame.lines[0].steps.at(-1)[0] === 'recovered'");
    page.value("globalThis.seen = past.kept.length");
    page.wait("past.kept.length > seen + 5 && $('rose').textContent === '1'");
    page.wait("$('fell').textContent === '1' && document.querySelectorAll('.line i').length > 3");
    bar_is_dragged(&mut page);
    page.wait("past.at && $('mood').textContent === 'looking back'");
    // The run goes on, and its recoveries are told meanwhile.
    job.order("kill 9");
    page.wait("document.querySelectorAll('.line').length === 2 && past.at");
    page.value("document.querySelectorAll('.line .bar')[1].focus()");
    page.key("Escape", 27);
    page.wait("!past.at && inspected.title === '' && frame === past.latest");
    assert_eq!(job.end().0, Some(0));
    drop(page);
    let replay = Replay::begin(&job.directory.join("record"));
    let profile = support::fresh_directory("timeline-bar-replay");
    let mut page = Browser::open(&replay.address, 1200, 900, &profile);
    page.wait("frame && scene.replay && frame.at === 0");
    page.value("showGuide(false)");
    // Before anything was played, the slider knows where something happens.
    page.wait("$('fell').textContent === '2' && $('rose').textContent === '2'");
    page.wait(&has_mark("(scene.replay.events[0][0] / (scene.replay.frames - 1))", "--harm"));
    page.click("later");
    page.wait("frame.at === scene.replay.events[0][0] && frame.series[4] === 1");
    page.wait("frame.lines.length === 1 || (order('step'), false)");
    page.wait("frame.lines[0].steps.at(-1)[0] === 'recovered' || (order('step'), false)");
    bar_is_dragged(&mut page);
}
