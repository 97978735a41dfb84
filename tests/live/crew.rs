//! The page of a job beside its picture: ranks by host and process with time bars and the ages of
//! checkpoints, the matrix of messages, the menu of a dot, the drawing as a file.

use crate::browser::Browser;
use crate::{Job, place};

/// Rank 1 waits for the file, and rank 0 for rank 1. Both have a checkpoint.
const WAITS: &str = "#include <ftmpi.h>
#include <ftck.h>
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    FTCK ck;
    int rank, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FTCK_Create(MPI_COMM_WORLD, \"rs:1\", &ck);
    FTCK_Register(ck, 0, &word, 1, MPI_INT);
    if (FTCK_Checkpoint(ck, 1) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    while (rank == 1 && access(argv[1], F_OK) != 0)
        usleep(1000);
    if (rank == 1)
        MPI_Send(&word, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    else
        MPI_Recv(&word, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    FTCK_Free(&ck);
    return MPI_Finalize();
}
";

fn open(job: &Job, name: &str, ranks: usize) -> Browser {
    let profile = support::fresh_directory(&format!("{name}-profile"));
    let mut page = Browser::open(&job.address, 1200, 900, &profile);
    page.wait(&format!("frame && frame.count === {ranks}"));
    page
}

#[test]
fn ranks_are_listed_with_what_their_time_goes_into_and_how_old_their_checkpoints_are() {
    let program = support::c_text("waits", WAITS).flags(&["-O2"]).build();
    let mut job = Job::begin_of(&program, support::fresh_directory("live-crew"), 2, &[]);
    let mut page = open(&job, "live-crew", 2);
    page.wait("!$('crew').hidden && !$('crew').open");
    page.value("document.querySelector('#crew summary').click()");
    page.wait("document.querySelectorAll('#crew-rows .rank').length === 2");
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let group = format!("Host {}, process {}: 2 ranks", host.trim(), job.child.id());
    assert_eq!(page.value("document.querySelector('#crew-rows h3').textContent"), group);
    let row = "document.querySelectorAll('#crew-rows .rank')";
    page.wait(&format!("/waits for 1 \\([0-9]+ %\\)/.test({row}[0].textContent)"));
    // Rank 0 sleeps in a receive; rank 1 sleeps in no call of MPI.
    page.wait("(([a, b]) => a.times[1] > 1000 && b.times[0] > 1000)(crew.ranks)");
    page.wait("(([a, b]) => a.awaited[0][0] === 1 && b.awaited.length === 0)(crew.ranks)");
    page.wait(&format!("/^rank 1computes (9[0-9]|100) %/.test({row}[1].textContent)"));
    page.wait(&format!("{row}[0].querySelectorAll('.bar span').length >= 1"));
    page.wait(&format!("[...{row}].every(r => /checkpoint [0-9.]+ s ago/.test(r.textContent))"));
    page.value("globalThis.before = crew.ranks[0].checkpoint");
    page.wait("crew.ranks[0].checkpoint > before + 900");
    // Its button asks about a rank.
    page.value(&format!("{row}[1].querySelector('button').click()"));
    page.wait("/^rank 1: life 0, /.test($('word').textContent)");
    // So it does if what is told about ranks changes between the press and the release.
    page.value(&format!("{row}[0].scrollIntoView({{ block: 'center' }})"));
    let spot = page.value(&format!(
        "(r => [r.x + r.width / 2, r.y + r.height / 2])(
           {row}[0].querySelector('button').getBoundingClientRect())"
    ));
    let at = |place: usize| spot[place].as_f64().expect("a number");
    page.press_at(at(0), at(1));
    page.value("globalThis.before = crew");
    page.wait("crew !== before");
    page.release_at(at(0), at(1));
    page.wait("/^rank 0: life 0, /.test($('word').textContent)");
    // Closed, it asks no more.
    page.value("document.querySelector('#crew summary').click()");
    page.wait("!$('crew').open");
    let (status, _, said) = job.end();
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn on_a_machine_ranks_are_grouped_by_node_and_the_menu_kills_a_node() {
    let mut job = Job::begin_with("live-nodes", 16, &["--machine", "m.toml"], |directory| {
        let text = "[machine]\nname = \"mesh\"\ntopology = \"mesh\"\ndims = [5, 4]\n";
        std::fs::write(directory.join("m.toml"), text).expect("there is room");
    });
    let mut page = open(&job, "live-nodes", 16);
    page.value("document.querySelector('#crew summary').click()");
    page.wait("crew && document.querySelectorAll('#crew-rows h3').length === 16");
    page.wait(
        "/, node mesh:[0-9],[0-9]: 1 rank$/.test($('crew-rows').querySelector('h3').textContent)",
    );
    // By the right button.
    let (x, y) = place(&mut page, 6);
    page.right_click_at(x, y);
    page.wait("!$('menu').hidden && document.activeElement.textContent === 'What is rank 6?'");
    assert_eq!(page.value("$('node').value"), "6");
    page.wait("/^Kill the only rank of node mesh:/.test($('menu').children[2].textContent)");
    page.key("ArrowDown", 40);
    page.key("ArrowDown", 40);
    page.key("Enter", 13);
    page.wait("$('menu').hidden && frame.marks.includes(6) && frame.count === 16");
    // By key; escape closes it.
    page.key("m", 77);
    page.wait("!$('menu').hidden");
    page.key("Escape", 27);
    page.wait("$('menu').hidden && document.activeElement === $('dots')");
    page.wait("document.querySelectorAll('#crew-rows .rank')[6].textContent.includes('life 1')");
    assert_eq!(job.end().0, Some(0));
}

#[test]
fn ranks_that_are_processes_are_listed_with_them_and_their_messages_are_counted_by_pairs() {
    let mut job = Job::begin_with("live-processes", 4, &["--processes"], |_| {});
    let mut page = open(&job, "live-processes", 4);
    page.value("$('crew').open = $('matrix').open = true");
    page.wait("crew && crew.ranks.length === 4 && crew.ranks.every(rank => rank.process > 0)");
    assert_eq!(page.value("new Set(crew.ranks.map(rank => rank.process)).size"), 4);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let group = format!("Host {}: 4 ranks", host.trim());
    page.wait(&format!("document.querySelector('#crew-rows h3').textContent === '{group}'"));
    page.wait("/process [0-9]+/.test(document.querySelector('#crew-rows .rank').textContent)");
    page.wait("crew.ranks.every(rank => rank.times.reduce((a, b) => a + b) > 500)");
    page.wait("crew.ranks.some(rank => rank.awaited.length)");
    // Each rank sends to the next one; what a dead one has sent still counts.
    page.wait("pairs && pairs.pairs.length === 4 && pairs.pairs.every(([, , n]) => n > 10)");
    page.wait("pairs.pairs.every(([from, to]) => to === (from + 1) % 4)");
    page.value("globalThis.sent = pairs.pairs[2][2]; globalThis.process = crew.ranks[2].process");
    let (x, y) = place(&mut page, 2);
    page.right_click_at(x, y);
    page.wait("document.activeElement.textContent === 'What is rank 2?'");
    page.key("ArrowDown", 40);
    page.key("Enter", 13);
    page.wait("frame.marks.includes(2) && frame.count === 4");
    page.wait("frame.lines.length === 1 && frame.lines[0].steps.at(-1)[0] === 'recovered'");
    page.wait("crew.ranks[2].process !== process && crew.ranks[2].life === 1");
    page.wait("pairs.pairs.length === 4 && pairs.pairs[2][2] > sent");
    kept_in_all_forms(&mut page);
    assert_eq!(job.end().0, Some(0));
}

#[test]
fn ranks_that_share_processes_are_listed_with_these_and_killed_alone_or_all_of_a_process() {
    let mut job = Job::begin_with("live-shared", 7, &["--processes=3"], |_| {});
    let mut page = open(&job, "live-shared", 7);
    page.value("$('crew').open = $('matrix').open = true");
    page.wait("crew && crew.ranks.length === 7 && crew.ranks.every(rank => rank.process > 0)");
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let group = |process: usize, ranks: usize| {
        format!("Host {}, process {process} [(][0-9]+[)]: {ranks} ranks", host.trim())
    };
    let groups = [group(0, 3), group(1, 2), group(2, 2)].join(",");
    let titles = "[...document.querySelectorAll('#crew-rows h3')].map(h => h.textContent).join()";
    page.wait(&format!("new RegExp('^{groups}$').test({titles})"));
    page.value("globalThis.pids = crew.ranks.map(rank => rank.process)");
    assert_eq!(page.value("new Set(pids).size"), 3);
    assert_eq!(page.value("[0, 0, 0, 3, 3, 5, 5].every((n, m) => pids[n] === pids[m])"), true);
    page.wait("crew.ranks.every(rank => rank.times.reduce((a, b) => a + b) > 500)");
    page.wait("crew.ranks.some(rank => rank.awaited.length)");
    page.wait("pairs && pairs.pairs.length === 7 && pairs.pairs.every(([, , n]) => n > 10)");
    page.wait("pairs.pairs.every(([from, to]) => to === (from + 1) % 7)");
    job.wait("info 4", "in MPI_");
    // One rank. What it has sent still counts, once, and it begins again where it was.
    page.value("globalThis.sent = pairs.pairs[4][2]");
    let (x, y) = place(&mut page, 4);
    page.right_click_at(x, y);
    page.wait("document.activeElement.textContent === 'What is rank 4?'");
    page.key("ArrowDown", 40);
    page.key("Enter", 13);
    page.wait("frame.marks.join() === '4' && frame.count === 7");
    page.wait("frame.lines.length === 1 && frame.lines[0].steps.at(-1)[0] === 'recovered'");
    page.wait("crew.ranks.map(rank => rank.life).join() === '0,0,0,0,1,0,0'");
    page.wait("crew.ranks.every((rank, n) => rank.process === pids[n])");
    page.wait("pairs.pairs.length === 7 && pairs.pairs[4][2] > sent");
    page.wait("(all => Math.max(...all) < 1.5 * Math.min(...all))(pairs.pairs.map(it => it[2]))");
    // A process.
    let (x, y) = place(&mut page, 1);
    page.right_click_at(x, y);
    page.wait("$('menu').children[2].textContent === 'Kill process 0 with its 3 ranks'");
    page.value("$('menu').children[2].click()");
    page.wait("$('word').textContent === 'process 0 will be killed with its 3 ranks'");
    page.wait("frame.count === 7 && crew.ranks.map(rank => rank.life).join() === '1,1,1,0,1,0,0'");
    page.wait("frame.lines.length === 4 && frame.series[4] === 4");
    page.wait("frame.lines.every(line => line.steps.at(-1)[0] === 'recovered')");
    page.wait("[0, 1, 2].every(n => $('events').innerText.includes(`rank ${n} was killed`))");
    page.wait("crew.ranks.every((rank, n) => (rank.process === pids[n]) === n > 2)");
    assert_eq!(page.value("new Set(crew.ranks.slice(0, 3).map(rank => rank.process)).size"), 1);
    for wrong in ["kill-process", "kill-process 3", "kill-process -1"] {
        assert!(job.order(wrong).starts_with("no "), "{wrong}");
    }
    let (status, _, said) = job.end();
    assert_eq!(status, Some(0), "{said}");
    page.wait("frame.state === 'ended'");
    assert_eq!(page.value("frame.colours.every(c => scene.kinds[c] === 'is done')"), true);
    let told = job.report();
    let of = |told: &serde_json::Value| (told["process"].as_u64(), told["rank"].as_u64());
    let mut named: Vec<_> = told.iter().map(of).collect();
    named.sort_unstable();
    assert_eq!(named, [(0, 0), (0, 1), (0, 2), (1, 4)].map(|(p, r)| (Some(p), Some(r))));
    let by_hand = |told: &serde_json::Value| {
        told["ordered"].as_str().is_some_and(|order| order.ends_with("ms by hand"))
    };
    assert!(told.iter().all(by_hand), "{told:?}");
}

/// The picture, the drawing and the numbers, as files.
fn kept_in_all_forms(page: &mut Browser) {
    page.value("globalThis.files = {}; save = (name, blob) => { files[name] = blob; }");
    for id in ["png", "svg", "json"] {
        page.click(id);
    }
    page.wait("Object.keys(files).sort().join() === 'picture.png,picture.svg,run.json'");
    page.wait("Object.values(files).every(blob => blob.size > 500)");
    page.value("files['run.json'].text().then(t => { globalThis.run = JSON.parse(t); })");
    page.wait("run.recoveries.length === 1 && run.series.messages.length > 3");
    page.value("createImageBitmap(files['picture.png']).then(i => { globalThis.wide = i.width; })");
    page.wait("wide === $('dots').width");
}

#[test]
fn ranks_of_several_hosts_are_listed_by_host() {
    let options = ["--hosts", "a:2,b:2", "--agent", "sh -c"];
    let mut job = Job::begin_with("live-hosts", 4, &options, |_| {});
    let mut page = open(&job, "live-hosts", 4);
    page.value("$('crew').open = $('matrix').open = true");
    let titles = "[...document.querySelectorAll('#crew-rows h3')].map(h => h.textContent).join()";
    page.wait(&format!("{titles} === 'Host a: 2 ranks,Host b: 2 ranks'"));
    page.wait("crew.ranks.map(rank => rank.host).join() === 'a,a,b,b'");
    page.wait("new Set(crew.ranks.map(rank => rank.process)).size === 4");
    page.wait("pairs && pairs.pairs.length === 4 && pairs.pairs.every(([, , n]) => n > 10)");
    let (x, y) = place(&mut page, 3);
    page.right_click_at(x, y);
    page.wait("document.activeElement.textContent === 'What is rank 3?'");
    page.key("ArrowDown", 40);
    page.key("Enter", 13);
    page.wait("frame.marks.includes(3) && frame.count === 4");
    page.wait("frame.lines.length === 1 && frame.lines[0].steps.at(-1)[0] === 'recovered'");
    page.wait("crew.ranks[3].life === 1 && crew.ranks[3].host === 'b'");
    kept_in_all_forms(&mut page);
    page.right_click_at(x, y);
    page.wait("$('menu').children[2].textContent === 'Kill all 2 ranks of host b'");
    page.value("$('menu').children[2].click()");
    page.wait("frame.count === 4 && crew.ranks.map(rank => rank.life).join() === '0,0,1,2'");
    assert_eq!(job.end().0, Some(0));
}

#[test]
fn processes_that_ranks_of_several_hosts_share_are_listed_by_host_and_killed_by_the_menu() {
    let options = ["--hosts", "a:3,b:2", "--per-process", "2", "--agent", "sh -c"];
    let mut job = Job::begin_with("live-hosts-shared", 5, &options, |_| {});
    let mut page = open(&job, "live-hosts-shared", 5);
    page.value("$('crew').open = $('matrix').open = true");
    let titles = "[...document.querySelectorAll('#crew-rows h3')].map(h => h.textContent).join()";
    let groups = [("a", 0, "2 ranks"), ("a", 1, "1 rank"), ("b", 2, "2 ranks")];
    let groups = groups.map(|(host, process, ranks)| {
        format!("Host {host}, process {process} [(][0-9]+[)]: {ranks}")
    });
    page.wait(&format!("new RegExp('^{}$').test({titles})", groups.join(",")));
    page.wait("pairs && pairs.pairs.length === 5 && pairs.pairs.every(([, , n]) => n > 10)");
    let (x, y) = place(&mut page, 4);
    page.right_click_at(x, y);
    page.wait("$('menu').children[2].textContent === 'Kill process 2 with its 2 ranks'");
    page.wait("$('menu').children[3].textContent === 'Kill all 2 ranks of host b'");
    page.value("$('menu').children[2].click()");
    page.wait("frame.count === 5 && crew.ranks.map(rank => rank.life).join() === '0,0,0,1,1'");
    page.wait("frame.lines.every(line => line.steps.at(-1)[0] === 'recovered')");
    assert_eq!(job.order("kill 0"), "ok rank 0 will be killed");
    page.wait("frame.count === 5 && crew.ranks.map(rank => rank.life).join() === '1,0,0,1,1'");
    page.wait(&format!("new RegExp('^{}$').test({titles})", groups.join(",")));
    assert_eq!(job.end().0, Some(0));
}

#[test]
fn the_matrix_counts_who_sends_to_whom_from_when_it_is_opened() {
    let mut job = Job::begin("live-matrix", &[]);
    let mut page = open(&job, "live-matrix", 16);
    page.wait("frame.series[0] > 500");
    page.value("document.querySelector('#matrix summary').click()");
    // Each rank sends to the next one.
    page.wait("pairs && pairs.pairs.length === 16 && pairs.pairs.every(([, , n]) => n > 10)");
    page.wait("pairs.pairs.every(([from, to]) => to === (from + 1) % 16)");
    let counted = page.value("[pairs.pairs.reduce((sum, [, , n]) => sum + n, 0), frame.series[0]]");
    assert!(counted[0].as_f64() < counted[1].as_f64(), "not those before: {counted}");
    page.wait("/^[0-9,]+ messages between 16 pairs/.test($('pairs-told').textContent)");
    // A point of it, by key and by mouse.
    page.value("$('pairs').focus()");
    page.key("ArrowDown", 40);
    page.key("ArrowRight", 39);
    page.wait("/^From rank 0 to rank 1: [0-9,]+ messages/.test($('pairs-told').textContent)");
    page.value("$('pairs').scrollIntoView({ block: 'center' })");
    let spot = page.value(
        "(r => [r.x + r.width * 4.5 / 16, r.y + r.height * 3.5 / 16])
         ($('pairs').getBoundingClientRect())",
    );
    let at = |place: usize| spot[place].as_f64().expect("a number");
    page.point_at(at(0), at(1));
    page.wait("/^From rank 3 to rank 4: [0-9,]+ messages/.test($('pairs-told').textContent)");
    let inked = "(at => $('pairs').getContext('2d').getImageData(...at, 1, 1).data[3])";
    assert_eq!(page.value(&format!("[{inked}([4, 3]), {inked}([3, 3])].join()")), "255,0");
    assert_eq!(job.end().0, Some(0));
}

#[test]
fn the_drawing_has_a_shape_for_each_rank_and_names_the_colours() {
    let mut job = Job::begin("live-svg", &[]);
    let mut page = open(&job, "live-svg", 16);
    job.order("kill 5");
    page.wait("frame.marks.length === 1 && frame.count === 16");
    page.value("save = (name, blob) => { globalThis.kept = { name, blob }; }");
    page.click("svg");
    page.wait("kept.name === 'picture.svg' && kept.blob.type === 'image/svg+xml'");
    page.value("kept.blob.text().then(t => { globalThis.sheet = t; })");
    page.value("sheet = new DOMParser().parseFromString(sheet, 'image/svg+xml')");
    assert_eq!(page.value("sheet.querySelectorAll('parsererror').length"), 0);
    assert_eq!(page.value("sheet.querySelectorAll('circle > title').length"), 16);
    assert_eq!(page.value("sheet.querySelectorAll('circle[fill=none]').length"), 1);
    assert_eq!(page.value("sheet.querySelector('title').textContent.split(',')[0]"), "watched");
    let named = "[...sheet.querySelectorAll('text')].some(t => t.textContent === 'dead')";
    assert_eq!(page.value(named), true);
    // A browser shows the file.
    let text = page.value("kept.blob.text()");
    let file = job.directory.join("picture.svg");
    std::fs::write(&file, text.as_str().expect("text")).unwrap();
    let profile = support::fresh_directory("live-svg-shown");
    let mut shown = Browser::open(&format!("file://{}", file.display()), 900, 900, &profile);
    shown.wait("document.documentElement.tagName === 'svg'");
    shown.wait("document.querySelector('circle').getBoundingClientRect().width > 5");
    assert_eq!(job.end().0, Some(0));
}
