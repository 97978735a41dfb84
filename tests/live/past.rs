//! Failures that are seen, and a live run that can be looked back at.

use crate::browser::Browser;
use crate::shown::Shown;
use crate::{Job, place};

#[test]
fn a_run_is_looked_back_at_while_it_goes_on_and_is_followed_again() {
    let shown = Shown::tool("ftsim", "poisson --nodes 2500 --border 0,0,0,1 --ticks 1000000");
    let profile = support::fresh_directory("past-back");
    let mut page = Browser::open(&shown.address, 1200, 800, &profile);
    page.wait("frame && frame.tick === 0 && !$('film').hidden && $('live').disabled");
    page.click("go");
    page.wait("frame.tick > 20 && past.kept.length > 2");
    shown.order("kill 7");
    page.wait("frame.count === 2499");
    let tick = page.number("frame.tick");
    // By key, to the very beginning. The run goes on, and so do its plots.
    page.value("$('moment').focus()");
    page.key("Home", 36);
    page.wait("past.at && frame.tick === 0 && frame.count === 2500 && !$('live').disabled");
    page.wait("/^back at tick 0$/.test($('clockwork').textContent) && sight.at === 0");
    page.wait(&format!("past.latest.tick > {tick} + 30 && frame.tick === 0"));
    page.wait("history.get('messages').at(-1)[0] === past.latest.tick");
    page.wait("$('mood').textContent === 'looking back' && $('go').textContent === 'Halt'");
    // By mouse: the middle of the slider.
    let spot = page
        .value("(r => [r.x, r.y + r.height / 2, r.width])($('moment').getBoundingClientRect())");
    let [left, middle, wide] = [0, 1, 2].map(|at| spot[at].as_f64().expect("a number"));
    page.drag((left + 8.0, middle), (left + wide / 2.0, middle));
    page.wait("past.at && frame.tick > 0 && frame.tick < past.latest.tick");
    // It can be stopped meanwhile.
    page.click("go");
    page.wait("past.latest.state === 'halted' && $('go').textContent === 'Go' && past.at");
    page.click("live");
    page.wait("!past.at && frame === past.latest && frame.count === 2499 && sight.at === null");
    page.wait("$('clockwork').textContent === 'live' && $('mood').textContent === 'halted'");
    // However long it takes, the room is limited: older pictures lie further apart.
    page.value(
        "(it => { for (let n = 0; n < 400; n++) past.kept.push({ ...it });
           past.bytes += 400 << 17;
           globalThis.count = past.kept.length;
           remember({ ...past.latest, state: 'other' }); })(past.kept[0])",
    );
    assert_eq!(page.value("past.bytes <= ROOM && past.kept.length < count / 2 + 2"), true);
}

#[test]
fn a_node_that_dies_flashes_and_a_rank_that_lives_again_too() {
    let shown = Shown::tool("ftsim", "poisson --nodes 400 --border 0,0,0,1 --ticks 1000000");
    let profile = support::fresh_directory("past-flash");
    let mut page = Browser::open(&shown.address, 1200, 800, &profile);
    page.wait("frame && frame.count === 400");
    page.value("rippleTime = 1e9");
    assert_eq!(page.value("ripples.size"), 0);
    shown.order("kill 210");
    page.wait("frame.count === 399 && ripples.get(210)?.name === 'died' && !$('over').hidden");
    // A ring in the colour of harm, near the dot.
    page.value("showGuide(false)");
    let around = "(([h, ...c]) => { const b = picture.box(), far = dot(b) / 2 + 4 * b.scale;
        const d = $('over').getContext('2d').getImageData(
          b.left + places[420] * b.side + far, b.top + (1 - places[421]) * b.side, 1, 1).data;
        return d[3] > 100 && c.every((v, i) => Math.abs(v - d[i]) < 40); })";
    let harm = "[0, ...rgb(ink('--harm').trim())]";
    page.wait(&format!("{around}({harm})"));
    page.value("rippleTime = 1; another()");
    page.wait("ripples.size === 0");
    drop(page);
    let mut job = Job::begin("past-flash-job", &[]);
    let profile = support::fresh_directory("past-flash-job-profile");
    let mut page = Browser::open(&job.address, 1200, 800, &profile);
    page.wait("frame && frame.count === 16 && frame.series[0] > 100");
    page.value("rippleTime = 1e9");
    job.order("kill 5");
    page.wait("frame.marks.includes(5) && ripples.get(5)?.name === 'back'");
    assert_eq!(job.end().0, Some(0));
}

#[test]
fn a_job_on_a_machine_of_three_dimensions_is_a_body_with_its_ranks_on_their_nodes() {
    let mut job = Job::begin_with("past-body", 16, &["--machine", "m.toml"], |directory| {
        let text = "[machine]\nname = \"mesh\"\ntopology = \"mesh\"\ndims = [3, 3, 2]\n";
        std::fs::write(directory.join("m.toml"), text).expect("there is room");
    });
    let profile = support::fresh_directory("past-body-profile");
    let mut page = Browser::open(&job.address, 1200, 800, &profile);
    page.wait("frame && frame.count === 16 && frame.series[0] > 100 && !$('solid').hidden");
    // Flat, its tiles are named.
    page.wait("[...$('tiles').children].map(e => e.textContent).join() === 'z = 0,z = 1'");
    page.click("solid");
    page.wait("space.on && $('tiles').children.length === 0");
    let is_home = "[...Array(16).keys()].every(n => [0, 1].every(axis =>
        places[2 * n + axis] === space.spots[3 * scene.berths[n] + axis]))";
    page.wait(is_home);
    page.value("globalThis.berth6 = scene.berths[6]");
    job.order("kill 6");
    page.wait("scene.berths[6] !== berth6 && frame && frame.count === 16 && space.on");
    page.wait(is_home);
    // The dead node is a cross at its place in the body.
    page.wait("vacant().some(([, , isSpare, node]) => !isSpare && node === berth6)");
    page.value("$('node').value = ''; showGuide(false); over()");
    page.wait(
        "(b => $('over').getContext('2d').getImageData(
           b.left + space.spots[3 * berth6] * b.side,
           b.top + (1 - space.spots[3 * berth6 + 1]) * b.side, 1, 1).data[3] > 100)(picture.box())",
    );
    assert_eq!(job.end().0, Some(0));
}

#[test]
fn dead_nodes_and_free_spares_of_a_machine_are_drawn_and_counted() {
    let mut job = Job::begin_with("past-nodes", 16, &["--machine", "m.toml"], |directory| {
        let text = "[machine]\nname = \"mesh\"\ntopology = \"mesh\"\ndims = [5, 4]\n";
        std::fs::write(directory.join("m.toml"), text).expect("there is room");
    });
    let profile = support::fresh_directory("past-nodes-profile");
    let mut page = Browser::open(&job.address, 1200, 800, &profile);
    page.wait("frame && frame.count === 16 && frame.series[0] > 100 && past.kept.length > 2");
    page.wait("$('free-nodes').textContent === 'free spare node 4'");
    page.wait("$('lost-nodes').textContent === 'dead node 0'");
    page.value("globalThis.home = [...places.slice(12, 14)]");
    let (x, y) = place(&mut page, 6);
    page.click_at(x, y, true);
    page.wait("frame && $('free-nodes').textContent === 'free spare node 3'");
    page.wait("$('lost-nodes').textContent === 'dead node 1' && vacant().length === 4");
    page.wait("$('events').innerText.includes('rank 6')");
    page.wait("frame && frame.count === 16 && (places[12] !== home[0] || places[13] !== home[1])");
    // The dead node is where the rank was, as a cross; the pointer is told so.
    let dead = "vacant().find(([, , isSpare]) => !isSpare)";
    assert_eq!(
        page.value(&format!("{dead}.slice(0, 2).every((v, i) => Math.abs(v - home[i]) < 1e-6)")),
        true
    );
    page.value("$('node').value = ''; over()");
    let inked = "(([x, y]) => { const b = picture.box();
        return $('over').getContext('2d').getImageData(b.left + x * b.side,
          b.top + (1 - y) * b.side, 1, 1).data[3]; })";
    page.wait(&format!("{inked}(home) > 100"));
    assert_eq!(page.value(&format!("{inked}(vacant().at(-1))")), 0, "a square is empty");
    page.point_at(x, y);
    page.wait("$('tip').textContent === 'dead node' && !$('tip').hidden");
    // Before that, the rank was there.
    page.value("$('moment').focus()");
    page.key("Home", 36);
    page.wait("past.at && places[12] === home[0] && places[13] === home[1]");
    page.wait("$('free-nodes').textContent === 'free spare node 4'");
    assert_eq!(page.value("$('events').innerText"), "", "nothing had happened");
    page.key("l", 76);
    page.wait("!past.at && $('free-nodes').textContent === 'free spare node 3'");
    page.wait("$('events').innerText.includes('rank 6')");
    assert_eq!(job.end().0, Some(0));
}
