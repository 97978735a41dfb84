//! Every control of every page is used, by mouse or by key, and does what it is for. A control
//! that nothing here uses fails the test.

use crate::browser::Browser;
use crate::shown::Shown;
use crate::{Job, Replay};
use std::collections::BTreeSet;

/// What is to be used, without areas that only scroll.
const CONTROLS: &str = "button, input, select, summary, canvas[tabindex], .bar[tabindex]";

/// How a control is used.
#[derive(Clone, Copy)]
enum Use {
    Click,
    /// A key, and its code.
    Key(&'static str, u32),
    /// Text instead of what the field holds.
    Text(&'static str),
}
use Use::{Click, Key, Text};

/// The controls that were seen, and those that were used, on all pages.
#[derive(Default)]
struct Controls {
    seen: BTreeSet<String>,
    used: BTreeSet<String>,
}

impl Controls {
    /// Notes which controls are in sight.
    fn look(&mut self, page: &mut Browser) {
        let names = page.value(&format!(
            "[...document.querySelectorAll('{CONTROLS}')].filter(e => e.getClientRects().length)
               .map(e => e.id ? '#' + e.id : e.className ? '.' + e.className.split(' ')[0]
                 : e.parentElement.id ? `#${{e.parentElement.id}} ${{e.tagName}}`.toLowerCase()
                 : e.outerHTML)"
        ));
        let names = names.as_array().into_iter().flatten();
        self.seen.extend(names.filter_map(|name| name.as_str().map(str::to_string)));
    }

    /// Uses the first control that a selector finds, and waits for what it is to do.
    fn go(&mut self, page: &mut Browser, selector: &str, how: Use, then: &str) {
        self.look(page);
        page.value(&format!(
            "globalThis.it = document.querySelector(\"{selector}\");
             it.scrollIntoView({{ block: 'center' }}); 0"
        ));
        match how {
            Click => {
                let spot = page.value(
                    "(r => [r.x + r.width / 2, r.y + r.height / 2])(it.getBoundingClientRect())",
                );
                let at = |place: usize| spot[place].as_f64().expect("a number");
                page.click_at(at(0), at(1), false);
            }
            Key(key, code) => {
                page.value("it.focus()");
                page.key(key, code);
            }
            Text(text) => {
                page.value("it.focus(); it.select()");
                for letter in text.chars() {
                    let code =
                        if letter == '.' { 190 } else { u32::from(letter.to_ascii_uppercase()) };
                    page.key(&letter.to_string(), code);
                }
            }
        }
        page.wait(then);
        self.look(page);
        self.used.insert(selector.to_string());
    }

    fn all(&mut self, page: &mut Browser, steps: &[(&str, Use, &str)]) {
        for (selector, how, then) in steps {
            self.go(page, selector, *how, then);
        }
    }
}

/// A slider is at one of its ends, and says so.
const MOVED: &str = "[it.min, it.max].includes(it.value) && it.nextSibling.textContent === it.value
    && asked.endsWith(` ${it.value}`)";
const END: Use = Key("End", 35);
const HOME: Use = Key("Home", 36);

fn of_a_simulation(controls: &mut Controls) {
    let shown = Shown::tool("ftsim", "poisson --nodes 400 --border 0,0,0,1 --ticks 100000");
    let profile = support::fresh_directory("every-ftsim");
    let mut page = Browser::open(&shown.address, 1200, 900, &profile);
    page.wait("frame && frame.count === 400");
    page.value("save = name => { globalThis.kept = name; }");
    controls.all(
        &mut page,
        &[
            ("#guide-done", Click, "$('guide').hidden"),
            ("#speed", Key("Home", 36), "asked === 'speed 1'"),
            ("#speed", Key("PageUp", 33), "/^speed [2-9]/.test(asked)"),
            ("#step", Click, "frame.tick === 1"),
            ("#go", Click, "frame.state === 'running' && frame.tick > 5"),
            ("#moment", HOME, "past.at && frame.tick === 0"),
            ("#live", Click, "!past.at && frame.tick > 5"),
            ("#palette", Key("ArrowDown", 40), "$('palette').selectedIndex === 1"),
            ("#size", END, "$('size').value === '48'"),
            ("#node", Text("57"), "$('node').value === '57' && !$('over').hidden"),
            ("#info", Click, "/^node 57/.test($('word').textContent)"),
            ("#kill", Click, "!frame.alive[57] && frame.count === 399"),
            ("#x0", Text("0.5"), "region[0] === 0.5"),
            ("#x1", Text("0.9"), "region[2] === 0.9"),
            ("#y0", Text("0.2"), "region[1] === 0.2"),
            ("#y1", Text("0.8"), "region[3] === 0.8"),
            ("#percent", Text("50"), "$('percent').value === '50'"),
            ("#region", Click, "frame.count < 390"),
            ("#earlier", Click, "past.at && (globalThis.before = frame.tick)"),
            ("#later", Click, "!past.at || frame.tick > before"),
        ],
    );
    // There may have been more failures later.
    page.value("if (past.at) $('live').click()");
    page.wait("!past.at");
    controls.all(
        &mut page,
        &[
            ("#dots", Key("ArrowRight", 39), "$('node').value === '58'"),
            (".plot", Key("+", 187), "sight.span && !$('whole').hidden"),
            ("#whole", Click, "!sight.span && $('whole').hidden"),
            ("#border-left", END, MOVED),
            ("#border-right", END, MOVED),
            ("#border-upper", HOME, MOVED),
            ("#border-lower", END, MOVED),
            ("#back", Click, "asked === 'border back' && $('back').hidden"),
            ("#png", Click, "kept === 'picture.png'"),
            ("#svg", Click, "kept === 'picture.svg'"),
            ("#json", Click, "kept === 'run.json'"),
        ],
    );
    of_another_run(controls, &mut page);
    controls.all(
        &mut page,
        &[
            ("#end", Click, "$('end').classList.contains('sure') || frame.state === 'ended'"),
            ("#end", Click, "$('mood').textContent === 'ended'"),
        ],
    );
}

/// Each field is sent as it was filled in.
fn of_another_run(controls: &mut Controls, page: &mut Browser) {
    let names = page.value("scene.setup.map(({ name }) => name)");
    for name in names.as_array().into_iter().flatten().filter_map(|name| name.as_str()) {
        let choices = page.number(&format!("$('setup-{name}').options?.length ?? 0"));
        let (how, then) = match choices as u32 {
            0 => (Text("9"), "it.value === '9'".to_string()),
            1 => (Key("ArrowDown", 40), "true".to_string()),
            _ => (Key("ArrowDown", 40), "it.selectedIndex > 0".to_string()),
        };
        controls.go(page, &format!("#setup-{name}"), how, &then);
    }
    let sent = "/^setup /.test(asked) && [...document.querySelectorAll('#form [name]')]
                  .every(e => asked.includes(`${e.name}=${e.value}`))";
    controls.go(page, "#again", Click, sent);
}

fn of_a_machine(controls: &mut Controls) {
    let shown = Shown::tool("ftbg", "octtree --dims 6,5,4");
    let profile = support::fresh_directory("every-ftbg");
    let mut page = Browser::open(&shown.address, 1200, 900, &profile);
    page.wait("frame && frame.colours.length === 120");
    page.value("showGuide(false); globalThis.before = { ...space }");
    controls.all(
        &mut page,
        &[
            ("#view", Key("ArrowDown", 40), "scene.view === 1"),
            ("#solid", Click, "space.on && $('solid').ariaPressed === 'true'"),
            ("#turn-left", Click, "space.turn < before.turn"),
            ("#turn-right", Click, "Math.abs(space.turn - before.turn) < 1e-9"),
            ("#tilt-up", Click, "space.tilt > before.tilt"),
            ("#tilt-down", Click, "Math.abs(space.tilt - before.tilt) < 1e-9"),
            ("#nearer", Click, "space.near > 1.2"),
            ("#farther", Click, "Math.abs(space.near - 1) < 1e-9"),
        ],
    );
}

fn of_spare_nodes(controls: &mut Controls) {
    let shown = Shown::tool("ftspare", "sample --dims 6,6 --alloc 2D(2,1) --cases 1 --seed 3");
    let profile = support::fresh_directory("every-ftspare");
    let mut page = Browser::open(&shown.address, 1200, 900, &profile);
    page.wait("frame && frame.count === 36");
    page.value("showGuide(false)");
    page.touches(true);
    page.wait("getComputedStyle($('select')).display !== 'none'");
    let pressed = "$('select').ariaPressed === 'true'";
    controls.go(&mut page, "#select", Key("Enter", 13), pressed);
}

fn of_a_job_and_its_recording(controls: &mut Controls) {
    let mut job = Job::begin("every-ftrun", &[]);
    let profile = support::fresh_directory("every-ftrun-profile");
    let mut page = Browser::open(&job.address, 1200, 900, &profile);
    page.wait("frame && frame.count === 16");
    page.value("showGuide(false)");
    controls.all(
        &mut page,
        &[
            ("#crew summary", Click, "$('crew').open && crew && crew.ranks.length === 16"),
            (".pick", Key("Enter", 13), "/^rank 0: /.test($('word').textContent)"),
            ("#matrix summary", Click, "$('matrix').open && pairs"),
            ("#pairs", Key("ArrowDown", 40), "/^From rank 0/.test($('pairs-told').textContent)"),
        ],
    );
    // The menu of a dot; its last item kills a tenth.
    page.value("$('dots').focus()");
    page.key("m", 77);
    page.wait("!$('menu').hidden");
    page.value("[...$('menu').children].forEach((e, i) => { e.id = `choice-${i}`; })");
    controls.go(&mut page, "#choice-0", Click, "$('menu').hidden");
    page.key("m", 77);
    page.wait("!$('menu').hidden && $('menu').children.length === 3");
    page.value("[...$('menu').children].forEach((e, i) => { e.id = `choice-${i}`; })");
    controls.go(&mut page, "#choice-1", Click, "frame.marks.length === 1");
    page.key("m", 77);
    page.wait("!$('menu').hidden");
    page.value("[...$('menu').children].forEach((e, i) => { e.id = `choice-${i}`; })");
    controls.go(&mut page, "#choice-2", Click, "frame.marks.length > 1");
    page.wait("frame.lines.every(line => line.steps.at(-1)[0] === 'recovered')");
    page.wait("frame.lines.length === frame.series[4] && lined === JSON.stringify(frame.lines)");
    let told = "/: recovered$/.test(it.getAttribute('aria-valuetext'))";
    controls.go(&mut page, ".bar", END, told);
    controls.seen.retain(|name| name != ".harm" && name != "#menu button");
    assert_eq!(job.end().0, Some(0));
    drop(page);
    let replay = Replay::begin(&job.directory.join("record"));
    let profile = support::fresh_directory("every-replay");
    let mut page = Browser::open(&replay.address, 1200, 900, &profile);
    page.wait("frame && scene.replay && frame.at === 0");
    controls.go(&mut page, "#moment", END, "frame.at === scene.replay.frames - 1");
}

#[test]
fn every_control_of_every_page_is_used_and_does_what_it_is_for() {
    let mut controls = Controls::default();
    of_a_simulation(&mut controls);
    of_a_machine(&mut controls);
    of_spare_nodes(&mut controls);
    of_a_job_and_its_recording(&mut controls);
    let unused: Vec<&String> = controls.seen.difference(&controls.used).collect();
    assert!(unused.is_empty(), "no test uses {unused:?}");
    assert!(controls.used.len() > 45, "{:?}", controls.used);
}
