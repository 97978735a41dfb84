//! A job on several hosts whose coordinator is lost: all hosts are this one (`--agent 'sh -c'`).

use ftmpi_base::random::Random;
use std::collections::HashSet;
use std::process::Command;
use support::takeover::{Job, comes_to_its_end, deaths, right, wait};

/// All ranks go on together, whoever dies, until six seconds are over. The file `begun` tells that
/// they are at it.
const ENDURING: &str = r#"
    #include <fcntl.h>
    #include <mpi.h>
    #include <time.h>
    #include <unistd.h>
    static long now(void)
    {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return time.tv_sec * 1000 + time.tv_nsec / 1000000;
    }
    int main(int argc, char **argv)
    {
        MPI_Init(&argc, &argv);
        /* When the first has begun, and what the last one's clock shows. */
        long times[2] = {now()}, least[2] = {0};
        for (int step = 0; least[0] == 0 || -least[1] < least[0] + 8000; step++) {
            times[1] = -now();
            if (step == 3)
                close(open("begun", O_CREAT | O_WRONLY, 0600));
            if (MPI_Allreduce(times, least, 2, MPI_LONG, MPI_MIN, MPI_COMM_WORLD) == MPI_SUCCESS) {
                times[0] = least[0];
                usleep(10000);
                continue;
            }
            least[0] = 0;
            MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
            while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
                repaired = FT_MPI_CHECK_RECOVER;
            MPI_Comm_free(&repaired);
        }
        return MPI_Finalize();
    }
"#;

/// The options of a job that writes files about itself.
const FILES: [&str; 4] = ["--report=report.json", "--trace=trace.csv", "-x", "COUNT=1"];

/// Runs a job whose coordinator is killed; it comes to its end with the right residual. What was
/// written then.
fn survives(test: &str, hosts: &str, kills: &str) -> String {
    let mut job = Job::start(test, hosts, kills, &[]);
    comes_to_its_end(&mut job, &right()).1
}

/// The ranks of a report, each with its incarnation and what became of it; of a takeover, the host
/// that has gone on. All times are in order.
fn reported(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).expect(line);
        match line["rank"].as_u64() {
            None => line["words"].as_str().expect("it has words").to_string(),
            Some(rank) => {
                assert!(line["total_us"].as_u64().is_some(), "{line}");
                format!("{rank}.{} {}", line["incarnation"], line["outcome"].as_str().unwrap())
            }
        }
    });
    lines.collect()
}

/// Each rank that has told how many calls it has made has a row for each of them, and no row is
/// there twice.
fn has_all_calls(trace: &str, rest: &str) {
    let mut rows = HashSet::new();
    for row in trace.lines() {
        assert!(rows.insert(row), "{row} is there twice");
    }
    let told = rest.lines().filter_map(|line| line.strip_prefix("life ")?.strip_suffix(" calls"));
    let told: Vec<(&str, usize)> =
        told.map(|it| it.split_once(": ").unwrap()).map(|(l, n)| (l, n.parse().unwrap())).collect();
    assert_eq!(told.len(), 6, "{rest}");
    for (life, count) in told {
        let begin = format!("{life},\"MPI_Allreduce\",");
        let found = rows.iter().filter(|row| row.starts_with(&begin)).count();
        assert_eq!(found, count, "calls of {life}");
    }
}

/// Whether another host has taken over. The lowest is the first to stand, but may be held up.
fn goes_on_without_a(text: &str) -> bool {
    let goes_on = |host| text.contains(&format!("the coordinator is lost; host {host} goes on"));
    ["b", "c", "d", "e"].into_iter().any(goes_on)
}

#[test]
fn a_job_goes_on_when_its_coordinator_is_killed() {
    let rest = survives("plain", "a:2,b:2,c:2", "2 150 ftrun");
    assert!(rest.starts_with("ftrun: the coordinator is lost; host "), "{rest}");
}

#[test]
fn ranks_are_replaced_after_a_takeover_and_at_the_same_time() {
    let rest = survives("later", "a:2,b:2,c:2", "2 100 ftrun 4 170 self");
    assert!(rest.contains("ftrun: rank 4 was killed (SIGKILL) on c"), "{rest}");
    survives("at_once", "a:2,b:2,c:2", "2 150 ftrun 4 150 self 1 151 self");
}

/// Ports that were open stay open; spawned worlds live on, and others follow.
#[test]
fn groups_meet_and_worlds_are_spawned_after_a_takeover() {
    let program = support::c("takeover_dynamic.c").flags(&["-O2"]).build();
    let hosts = "a:2,b:2,c:2";
    let mut job = Job::struck(&program, "dynamic", hosts, "5 1 ftrun", &["--universe=10"], "");
    let (said, status) = job.end();
    assert!(!status.success(), "it was killed: {said}");
    let rest = job.rest();
    assert!(rest.lines().any(|line| line == "0 errors"), "{said}\n{rest}");
    assert!(rest.contains("ftrun: the job has ended with exit status 0\n"), "{said}\n{rest}");
}

#[test]
fn a_second_coordinator_is_lost_too() {
    // The one that takes over is most likely on the lowest host.
    let rest = survives("second", "a:2,b:2,c:1,d:1", "2 100 ftrun 0 150 next");
    assert!(goes_on_without_a(&rest), "{rest}");
}

#[test]
fn a_job_goes_on_without_the_host_of_its_coordinator() {
    let rest = survives("host", "a:2,b:2,c:2", "0 150 both");
    assert!(goes_on_without_a(&rest), "{rest}");
}

/// Its votes are waited for.
#[test]
fn a_host_whose_agent_is_held_up_during_a_takeover_keeps_its_ranks() {
    let rest = survives("held", "a:2,b:2,c:2", "2 150 hold 2 150 ftrun");
    assert!(!rest.contains(" is lost\n") && deaths(&rest).is_empty(), "{rest}");
}

/// It is the one with the highest number, which those that go on know only by its name.
#[test]
fn a_job_goes_on_without_its_last_host_which_is_lost_with_the_coordinator() {
    let rest = survives("last", "a:2,b:1,c:1,d:1,e:1", "5 150 both");
    assert!(rest.contains("ftrun: host e is lost\n"), "{rest}");
}

#[test]
fn one_of_two_hosts_ends_alone() {
    let mut job = Job::start("two", "a:4,b:2", "0 150 both", &[]);
    job.end();
    let rest = job.rest();
    assert!(rest.contains("ftrun: host b reaches neither ftrun nor most of the other"), "{rest}");
    assert!(!rest.contains("goes on"), "{rest}");
}

#[test]
fn a_signal_that_asks_ftrun_to_end_ends_the_job() {
    use std::os::unix::process::ExitStatusExt;
    for signal in [2, 15] {
        let with = format!("WITH={signal}");
        let mut job = Job::start("signal", "a:2,b:2,c:2", "2 150 ftrun", &["-x", &with]);
        let (said, status) = job.end();
        assert_eq!(status.signal(), Some(signal), "{said}");
        assert_eq!(job.rest(), "", "nobody takes over");
    }
}

#[test]
fn a_job_that_wants_no_takeover_ends_with_its_coordinator() {
    let mut job = Job::start("none", "a:2,b:2,c:2", "2 150 ftrun", &["--no-takeover"]);
    job.end();
    assert_eq!(job.rest(), "");
}

/// A report tells each death that output tells, and each once, before or after the takeovers. How
/// many deaths come before each takeover, and after the last.
fn tells_all(report: &str, output: &str) -> Vec<usize> {
    let told = reported(report);
    let mut lives: Vec<&str> = told.iter().filter_map(|it| it.strip_suffix(" recovered")).collect();
    lives.sort();
    assert_eq!(lives, deaths(output), "{report}\n{output}");
    told.split(|line| line.contains("the coordinator is lost")).map(<[String]>::len).collect()
}

#[test]
fn the_report_and_the_timeline_go_on_in_their_files() {
    let kills = "4 100 self 2 150 ftrun 5 200 self";
    let mut job = Job::start("files", "a:2,b:2,c:2", kills, &FILES);
    let (said, rest) = comes_to_its_end(&mut job, &right());
    let report = job.read("report.json");
    let told = tells_all(&report, &(said + &rest));
    assert!(told.len() == 2 && told[0] >= 1 && told[1] >= 1, "{report}");
    let times = report.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["at_us"].as_u64().unwrap()
    });
    assert!(times.is_sorted(), "{report}");
    let trace = job.read("trace.csv");
    has_all_calls(&trace, &rest);
    let rows = |part: &str| trace.lines().filter(|row| row.contains(part)).count();
    let found = (rows("death: "), rows("the coordinator is lost; host "));
    assert_eq!(found, (told[0] + told[1], 1), "{rest}");
}

#[test]
fn a_timeline_in_json_is_whole_after_a_takeover() {
    let options = ["--trace=trace.json"];
    let mut job = Job::start("json", "a:2,b:2,c:2", "2 150 ftrun 5 200 self", &options);
    let (said, rest) = comes_to_its_end(&mut job, &right());
    let text = job.read("trace.json");
    let events: serde_json::Value = serde_json::from_str(&text).expect(&rest);
    let events = events.as_array().expect("an array");
    let is_called = |event: &serde_json::Value, name: &str| {
        event["name"].as_str().is_some_and(|words| words.starts_with(name))
    };
    let named = |name: &str| events.iter().filter(|event| is_called(event, name)).count();
    assert_eq!(named("MPI_Finalize"), 6);
    assert_eq!(named("the coordinator is lost; host "), 1);
    assert_eq!(named("death: SIGKILL"), deaths(&(said + &rest)).len());
}

#[test]
fn a_host_without_the_files_goes_on_in_others() {
    let kills = "4 100 self 2 150 away 2 150 ftrun 5 200 self";
    let mut job = Job::start("away", "a:2,b:2,c:2", kills, &FILES);
    let (said, rest) = comes_to_its_end(&mut job, &right());
    let name = |end: &str| format!("ftrun.{}.{end}", job.ftrun.id());
    assert!(rest.contains("ftrun: the --report goes on in /"), "{rest}");
    assert!(rest.contains(&format!("{}; what was before is in /", name("trace.csv"))), "{rest}");
    let report = job.read(&name("report"));
    let told = tells_all(&report, &(said + &rest));
    assert!(told.len() == 2 && told[1] >= 1, "{report}");
    let first = job.read("away.json");
    assert!(!first.is_empty() && report.starts_with(&first), "{first}\n{report}");
    // What had not been confirmed is in both.
    let (before, after) = (job.read("away.csv"), job.read(&name("trace.csv")));
    let before: HashSet<&str> = before.lines().collect();
    let later: Vec<&str> = after.lines().filter(|row| !before.contains(row)).collect();
    assert!(before.len() > 100 && later.len() > 100, "{} and {}", before.len(), later.len());
    let both: Vec<&str> = before.into_iter().chain(later).collect();
    has_all_calls(&both.join("\n"), &rest);
}

#[test]
fn the_files_go_on_when_a_second_coordinator_is_lost() {
    let kills = "4 60 self 2 100 ftrun 0 150 next 5 200 self";
    let mut job = Job::start("files_twice", "a:2,b:2,c:1,d:1", kills, &FILES);
    let (said, rest) = comes_to_its_end(&mut job, &right());
    let report = job.read("report.json");
    let told = tells_all(&report, &(said + &rest));
    assert!(told.len() == 3 && told[0] >= 1 && told[2] >= 3, "{report}");
    has_all_calls(&job.read("trace.csv"), &rest);
}

/// One that was only suspended finds another one in its place, and writes no more.
#[test]
fn a_coordinator_that_comes_back_leaves_the_files_to_its_successor() {
    let options = [&FILES[..], &["-x", "WITH=19"]].concat();
    let kills = "4 100 self 2 150 ftrun 5 200 self";
    let mut job = Job::start("back", "a:2,b:2,c:2", kills, &options);
    wait(|| job.written().contains("goes on"));
    let process = job.ftrun.id().to_string();
    assert!(Command::new("kill").args(["-CONT", &process]).status().unwrap().success());
    let (said, rest) = comes_to_its_end(&mut job, &right());
    let report = job.read("report.json");
    let told = tells_all(&report, &(said + &rest));
    assert!(told.len() == 2 && told[0] >= 1 && told[1] >= 1, "{report}");
    has_all_calls(&job.read("trace.csv"), &rest);
}

#[test]
fn failures_by_chance_go_on_after_a_takeover() {
    let program = support::c_text("takeover_enduring", ENDURING).build();
    let options = ["--mttf=1s", "--seed=7", "--report=report.json"];
    let mut job = Job::of(&program, "chance", "a:2,b:2,c:2", &options, "");
    wait(|| job.directory.join("begun").exists());
    job.ftrun.kill().unwrap();
    let (said, _) = job.end();
    let rest = job.rest();
    assert!(rest.contains("ftrun: the job has ended with exit status "), "{said}\n{rest}");
    let after = rest.split("goes on with the job").last().unwrap();
    let by_chance = after.lines().filter(|line| line.contains(", as planned for "));
    assert!(by_chance.count() >= 2, "{said}\n{rest}");
    // A rank may die when the others are done.
    let report = job.read("report.json");
    let lines: Vec<&str> =
        report.lines().map(|line| line.split(",\"at_us").next().unwrap()).collect();
    let subjects: HashSet<&&str> = lines.iter().collect();
    assert!(subjects.len() == lines.len() && lines.len() >= 3, "{report}");
}

/// The hosts of a job, and kills of all kinds at random moments, no more at once than the
/// checkpoints make up for.
fn random_kills(random: &mut Random) -> (&'static str, String) {
    let hosts = ["a:2,b:2,c:2", "a:2,b:2,c:1,d:1", "a:2,b:1,c:1,d:1,e:1"];
    let hosts = hosts[random.below(3) as usize];
    let coordinator = ["ftrun", "ftrun", "both"][random.below(3) as usize];
    let host = match (coordinator, random.below(3)) {
        ("both", _) | (_, 0) => "self",
        (_, 1) => "agent",
        _ => "next",
    };
    let (mut kills, mut ranks, mut when) = (String::new(), vec![1, 2, 3, 4, 5], 10);
    for whom in ["self", coordinator, "self", host, "self"] {
        let is_close = whom == "ftrun" && random.chance(40);
        when += if is_close { random.below(3) } else { 15 + random.below(20) };
        // The host of rank 0 takes over.
        let rank = match whom {
            "next" => 0,
            _ => ranks.remove(random.below(ranks.len() as u64) as usize),
        };
        kills += &format!("{rank} {when} {whom} ");
        if matches!(whom, "both" | "agent" | "next") {
            // The ranks of a lost host go on for a moment.
            when += 50;
        }
    }
    (hosts, kills)
}

/// `FTMPI_FIRST` is the first seed, and `FTMPI_ROUNDS` tells how many there are.
#[test]
#[ignore = "takes minutes"]
fn jobs_survive_random_kills_of_ranks_agents_and_coordinators() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
    };
    let (first, right) = (number("FTMPI_FIRST", 1), right());
    for seed in first..first + number("FTMPI_ROUNDS", 40) {
        let (hosts, kills) = random_kills(&mut Random::new(seed));
        println!("seed {seed}: {hosts}, {kills}");
        let mut job = Job::start("random", hosts, &kills, &FILES);
        let (said, rest) = comes_to_its_end(&mut job, &right);
        tells_all(&job.read("report.json"), &(said + &rest));
        has_all_calls(&job.read("trace.csv"), &rest);
    }
}
