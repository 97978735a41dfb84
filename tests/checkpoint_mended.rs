//! Files of a checkpoint that are lost, damaged or strange are rebuilt from the others, as many as
//! the scheme makes up for; beyond that an older checkpoint is restored, or all ranks get an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Outcome, Program, Run};

/// Every way to keep codes: the scheme, how many of six ranks keep nothing else, and how many files
/// may be lost, whichever they are.
const SCHEMES: [(&str, usize, usize); 12] = [
    ("xor", 0, 1),
    ("rs", 0, 1),
    ("rs:2", 0, 2),
    ("rs:3", 0, 3),
    ("sum", 0, 1),
    ("weighted:2", 0, 2),
    ("mirror", 3, 1),
    ("ring", 0, 1),
    ("pair", 0, 1),
    ("xor,dedicated", 1, 1),
    ("rs:2,dedicated", 2, 2),
    ("rs:2,groups=2", 0, 2),
];
const RANKS: usize = 6;

/// What is on disk.
type Files = BTreeMap<String, Vec<u8>>;

/// A job's checkpoints 1 and 2, of which the second is in the files that end in `b`.
struct Saved {
    program: Program,
    directory: PathBuf,
    scheme: String,
    keepers: usize,
    files: Files,
}

fn program() -> Program {
    let flags = ["-O1", "-Wall", "-Werror", "-lm"];
    support::c("checkpoint_mended.c").flags(&flags).build()
}

fn files(directory: &Path) -> Files {
    let entries = fs::read_dir(directory).expect("it was made").map(|entry| entry.expect("one"));
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().expect("names are plain");
        (name, fs::read(entry.path()).expect("it can be read"))
    };
    entries.filter(|entry| entry.path().is_file()).map(file).collect()
}

impl Saved {
    fn by(name: &str, scheme: &str, keepers: usize) -> Saved {
        Saved::after(name, scheme, keepers, |run| run)
    }

    /// Saved by a job that is changed somehow.
    fn after(name: &str, scheme: &str, keepers: usize, change: impl Fn(Run) -> Run) -> Saved {
        let name = format!("mended-{name}-{}", scheme.replace([':', ',', '='], "-"));
        let (program, scheme) = (program(), scheme.to_string());
        let directory = support::fresh_directory(&name);
        let saved = Saved { program, directory, scheme, keepers, files: Files::new() };
        change(saved.job(RANKS, &["save", "2"])).succeeds();
        Saved { files: files(&saved.directory), ..saved }
    }

    fn job(&self, ranks: usize, words: &[&str]) -> Run {
        self.job_by(&self.scheme, ranks, words)
    }

    fn job_by(&self, scheme: &str, ranks: usize, words: &[&str]) -> Run {
        let run = support::run(&self.program).ranks(ranks).option("--mode=rebuild");
        let (writers, keepers) = (RANKS.to_string(), self.keepers.to_string());
        run.args([self.directory.as_os_str()]).args([scheme, &writers, &keepers]).args(words)
    }

    fn path(&self, place: usize, turn: &str) -> PathBuf {
        self.directory.join(format!("rank-{place}.{turn}"))
    }

    fn original(&self, place: usize, turn: &str) -> &[u8] {
        &self.files[&format!("rank-{place}.{turn}")]
    }

    /// All files are what they were.
    fn renew(&self) {
        for entry in fs::read_dir(&self.directory).expect("it was made") {
            fs::remove_file(entry.expect("one").path()).expect("it is a file");
        }
        for (name, bytes) in &self.files {
            fs::write(self.directory.join(name), bytes).expect("it can be written");
        }
    }

    fn is_exact(&self) -> bool {
        !self.scheme.starts_with("sum") && !self.scheme.starts_with("weighted")
    }

    fn lose(&self, places: &[usize], turn: &str) {
        for place in places {
            fs::remove_file(self.path(*place, turn)).expect("it is there");
        }
    }

    /// Restores the second checkpoint, which then is on disk as it was, but that rounded numbers
    /// may differ.
    fn is_mended(&self, what: &str) -> Outcome {
        let seen = self.job(RANKS, &["load"]).succeeds();
        let context = format!("{} {what}: {seen}", self.scheme);
        assert_eq!(seen.lines_with("version 2 is right"), RANKS, "{context}");
        assert_eq!(seen.stderr.matches("checkpoint 2 is restored from ").count(), 1, "{context}");
        let words = ": the lost data is rebuilt from the other files, and written again";
        assert_eq!(seen.stderr.matches(words).count(), 1, "{context}");
        let now = files(&self.directory);
        assert!(now.keys().eq(self.files.keys()), "{context}");
        assert!(!self.is_exact() || now == self.files, "{context}");
        seen
    }

    /// Restores the first checkpoint, and tells why it is not the second.
    fn falls_back(&self, what: &str) -> Outcome {
        let seen = self.job(RANKS, &["load"]).succeeds();
        let context = format!("{} {what}: {seen}", self.scheme);
        assert_eq!(seen.lines_with("version 1 is right"), RANKS, "{context}");
        let words = "; checkpoint 2 has lost more files than can be rebuilt: ";
        assert_eq!(seen.stderr.matches(words).count(), 1, "{context}");
        seen
    }
}

#[test]
fn every_changed_byte_and_every_cut_is_mended_by_every_scheme() {
    for (scheme, keepers, _) in SCHEMES {
        let saved = Saved::by("walk", scheme, keepers);
        for (victim, step) in [("2", if scheme == "rs:2" { "1" } else { "17" }), ("5", "23")] {
            let run = saved.job(RANKS, &["walk", victim, step]);
            let seen = run.option("--quiet").deadline(120).succeeds();
            assert_eq!(seen.lines_with(" ways, 0 wrong"), RANKS, "{scheme} {victim}: {seen}");
            assert_eq!(seen.lines_with(" 0 ways"), 0, "{scheme} {victim}: {seen}");
        }
    }
}

#[test]
fn a_missing_or_strange_file_is_named_and_mended_by_every_scheme() {
    for (scheme, keepers, _) in SCHEMES {
        let saved = Saved::by("strange", scheme, keepers);
        let other = Saved::after("other", scheme, keepers, |run| run.env("MENDED_SALT", "5"));
        for place in 0..RANKS {
            let (file, next) = (saved.path(place, "b"), (place + 1) % RANKS);
            fs::remove_file(&file).expect("it is there");
            let name = format!("rank-{place}.b");
            let seen = saved.is_mended("a missing file");
            assert!(seen.stderr.contains(&format!("{name} is missing: the lost data")), "{seen}");
            let strange = [
                (
                    saved.original(place, "a"),
                    "belongs to another generation or job (its checkpoint is 1)",
                ),
                (
                    other.original(place, "b"),
                    "belongs to another generation or job (its checkpoint is 2)",
                ),
                (saved.original(next, "b"), &*format!("is the file of place {next}")),
                (b"", "is damaged: it is not a checkpoint file of this release"),
                (
                    b"a letter to somebody else",
                    "is damaged: it is not a checkpoint file of this release",
                ),
            ];
            for (bytes, words) in strange {
                fs::write(&file, bytes).expect("it can be written");
                let seen = saved.is_mended(words);
                assert!(seen.stderr.contains(&format!("{name} {words}")), "{seen}");
            }
        }
    }
}

/// All sets of so many places.
fn sets(count: usize) -> Vec<Vec<usize>> {
    let all = (0..1 << RANKS).filter(|pattern: &u32| pattern.count_ones() as usize == count);
    all.map(|pattern| (0..RANKS).filter(|at| pattern >> at & 1 == 1).collect()).collect()
}

#[test]
fn as_many_files_are_mended_as_the_scheme_makes_up_for_and_more_are_a_fall_back_that_is_told() {
    for (scheme, keepers, most) in SCHEMES {
        let saved = Saved::by("many", scheme, keepers);
        for lost in sets(most) {
            saved.renew();
            saved.lose(&lost, "b");
            saved.is_mended(&format!("{lost:?}"));
        }
        // Groups, and copies, each make up for their own.
        let is_one_group = !["groups", "mirror", "ring", "pair"].iter().any(|w| scheme.contains(w));
        let (mut mended, mut told) = (0, 0);
        for lost in sets(most + 1) {
            saved.renew();
            saved.lose(&lost, "b");
            let seen = saved.job(RANKS, &["load"]).succeeds();
            if seen.lines_with("version 2 is right") == RANKS {
                mended += 1;
                continue;
            }
            saved.renew();
            saved.lose(&lost, "b");
            let seen = saved.falls_back(&format!("{lost:?}"));
            for place in lost.iter().take(3) {
                assert!(seen.stderr.contains(&format!("rank-{place}.b is missing")), "{seen}");
            }
            told += 1;
        }
        // Codes alone, without any data of theirs, are no loss.
        let harmless = if keepers > most { mended } else { 0 };
        assert!(told > 0 && (!is_one_group || mended == harmless), "{scheme}: {mended} {told}");
    }
}

fn word(bytes: &[u8], at: usize) -> usize {
    let word = bytes[8 * at..].first_chunk().expect("a file is longer than that");
    u64::from_le_bytes(*word) as usize
}

/// How long the head of a file is: after ten words come the scheme, what is said of places, and
/// what is said of codes.
fn head_bytes(bytes: &[u8]) -> usize {
    let [text, notes, codes] = [7, 8, 9].map(|at| word(bytes, at));
    8 * (10 + text.div_ceil(8) + 6 * notes + 3 * codes + 1)
}

#[test]
fn damaged_data_and_damaged_codes_of_different_files_are_mended_together() {
    let saved = Saved::by("apart", "rs:2", 0);
    let change = |place: usize, is_data: bool| {
        let mut bytes = saved.original(place, "b").to_vec();
        // The codes end where the trailer begins, which has a word for each region and its own.
        let (start, regions) = (head_bytes(&bytes), 2 + word(&bytes, 9));
        let at = if is_data { start } else { bytes.len() - 8 * (regions + 1) - 1 };
        bytes[at] ^= 4;
        fs::write(saved.path(place, "b"), bytes).expect("it can be written");
    };
    for (data, codes) in [(0, 1), (1, 0), (5, 2), (3, 4)] {
        change(data, true);
        change(codes, false);
        let seen = saved.is_mended("data here, codes there");
        assert!(seen.stderr.contains("the checksum of its data does not match"), "{seen}");
        assert!(seen.stderr.contains("the checksum of its codes does not match"), "{seen}");
    }
}

#[test]
fn where_no_version_can_be_read_all_ranks_get_one_error() {
    let saved = Saved::by("none", "rs:2", 0);
    let all_alike = |what: &str| {
        let seen = saved.job(RANKS, &["load"]).succeeds();
        let lines = seen.sorted_lines();
        assert!(lines.len() == RANKS && lines[0].starts_with("error 2002: "), "{what}: {seen}");
        assert!(lines.iter().all(|line| *line == lines[0]), "{what}: {seen}");
        lines[0].to_string()
    };
    saved.lose(&[0, 1, 2], "b");
    saved.lose(&[3, 4, 5], "a");
    let words = all_alike("three of each");
    assert!(
        words.contains("rank-1.b is missing") && words.contains("rank-4.a is missing"),
        "{words}"
    );
    saved.renew();
    for name in saved.files.keys() {
        fs::write(saved.directory.join(name), "nothing like it").expect("it can be written");
    }
    assert!(all_alike("all damaged").contains("is damaged: it is not a checkpoint file"));
    saved.renew();
    for (name, bytes) in &saved.files {
        let mut bytes = bytes.clone();
        *bytes.last_mut().expect("it is long") ^= 1;
        fs::write(saved.directory.join(name), bytes).expect("it can be written");
    }
    assert!(all_alike("all trailers").contains("its end is missing or wrong; "));
}

#[test]
fn a_generation_of_which_no_head_can_be_read_is_told_as_well() {
    let saved = Saved::by("heads", "rs:2", 0);
    for place in 0..RANKS {
        fs::write(saved.path(place, "b"), "nothing like it").expect("it can be written");
    }
    let seen = saved.job(RANKS, &["load"]).succeeds();
    assert_eq!(seen.lines_with("version 1 is right"), RANKS, "{seen}");
    assert!(
        seen.stderr.contains("; rank 0: rank-0.b is damaged: it is not a checkpoint file"),
        "{seen}"
    );
}

#[test]
fn memory_gives_back_the_data_of_a_rank_that_dies_after_files_were_mended() {
    for (scheme, keepers, _) in SCHEMES {
        let saved = Saved::by("dies", scheme, keepers);
        for (lost, dies) in [(1, "1"), (1, "2"), (5, "0"), (5, "5"), (0, "4")] {
            saved.lose(&[lost], "b");
            let seen = saved.job(RANKS, &["dies", dies]).succeeds();
            // Those who live say so twice, and the one that dies before and after.
            let lines = seen.lines_with("version 2 is right, with 0 others");
            assert_eq!(lines, 2 * RANKS, "{scheme} {lost} {dies}: {seen}");
            assert_eq!(seen.stderr.matches("is restored from").count(), 1, "{scheme}: {seen}");
        }
    }
}

#[test]
fn layouts_by_nodes_are_mended_wherever_the_ranks_are_now() {
    for (scheme, keepers) in [("xor", 0), ("rs", 0), ("ring", 0), ("pair", 0), ("rs,groups=2", 0)] {
        let on = |nodes: &'static str| move |run: Run| run.env("MENDED_NODES", nodes);
        let saved = Saved::after("nodes", scheme, keepers, on("001122"));
        // A node that fails takes the files of its ranks along.
        for (lost, nodes) in [(vec![0, 1], "001122"), (vec![4, 5], "012012"), (vec![3], "001122")] {
            for words in [&["load"][..], &["dies", "1"]] {
                saved.renew();
                saved.lose(&lost, "b");
                let seen = saved.job(RANKS, words).env("MENDED_NODES", nodes).succeeds();
                let expected = if words.len() == 1 { RANKS } else { 2 * RANKS };
                let context = format!("{scheme} {lost:?} {nodes} {words:?}: {seen}");
                assert_eq!(seen.lines_with("version 2 is right"), expected, "{context}");
                assert!(files(&saved.directory) == saved.files, "{context}");
            }
        }
        // Who says nothing of nodes can read them as well.
        saved.lose(&[2], "b");
        saved.is_mended("without nodes");
    }
}

#[test]
fn a_job_with_another_scheme_has_files_mended_by_the_scheme_that_wrote_them() {
    let saved = Saved::by("schemes", "rs:2", 0);
    for scheme in ["xor", "ring", "rs:3", "rs:2,groups=2"] {
        saved.lose(&[1, 4], "b");
        let seen = saved.job_by(scheme, RANKS, &["dies", "3"]).succeeds();
        assert_eq!(seen.lines_with("version 2 is right"), 2 * RANKS, "{scheme}: {seen}");
        assert!(files(&saved.directory) == saved.files, "{scheme}: {seen}");
    }
}

#[test]
fn fewer_ranks_than_wrote_them_mend_files_as_well() {
    for (scheme, keepers, most) in SCHEMES {
        let saved = Saved::by("fewer", scheme, keepers);
        for ranks in [1, 2, 4, 5] {
            for lost in sets(most) {
                saved.renew();
                saved.lose(&lost, "b");
                let seen = saved.job(ranks, &["load"]).succeeds();
                let context = format!("{scheme} {ranks} {lost:?}: {seen}");
                assert_eq!(seen.lines_with("version 2 is right"), ranks, "{context}");
                let others = |line: &str| -> Option<usize> {
                    line.strip_suffix(" others")?.rsplit(' ').next()?.parse().ok()
                };
                let others: usize = seen.stdout.lines().filter_map(others).sum();
                let own = ranks.min(RANKS - keepers);
                assert_eq!(others, RANKS - keepers - own, "{context}");
                let now = files(&saved.directory);
                assert!(now.keys().eq(saved.files.keys()), "{context}");
                assert!(!saved.is_exact() || now == saved.files, "{context}");
            }
        }
    }
}

#[test]
fn more_deaths_than_the_scheme_makes_up_for_and_a_lost_file_are_survived() {
    for (mode, living) in [("--mode=rebuild", RANKS), ("--mode=shrink", RANKS - 2)] {
        for victim in ["0", "1", "2", "5"] {
            let saved = Saved::by("deaths-and-files", "xor", 0);
            let run = saved.job(RANKS, &["lose", "1", "3", victim]).option(mode);
            let seen = run.succeeds();
            let words = format!("rank-{victim}.b is missing: the lost data is rebuilt");
            let with = |others: usize| {
                seen.lines_with(&format!("version 2 is right, with {others} others"))
            };
            let context = format!("{mode} {victim}: {seen}");
            assert_eq!(seen.stderr.matches(&words).count(), 1, "{context}");
            assert_eq!(with(0) + with(1) + with(2), living, "{context}");
            assert_eq!(with(1) + 2 * with(2), RANKS - living, "{context}");
            let again = saved.job(RANKS, &["load"]).succeeds();
            assert!(!again.stderr.contains("rebuilt"), "{context}\n{again}");
        }
    }
}

#[test]
fn more_ranks_than_wrote_them_are_refused_though_files_are_lost() {
    let saved = Saved::by("more", "rs:2", 0);
    saved.lose(&[0, 3], "b");
    let seen = saved.job(RANKS + 2, &["load"]).succeeds();
    let words = "checkpoint 2 was written by 6 ranks, and cannot be restored by 8: ";
    assert_eq!(seen.lines_with(words), RANKS + 2, "{seen}");
    assert_eq!(seen.sorted_lines()[0], seen.sorted_lines()[RANKS + 1], "{seen}");
    saved.is_mended("after the refusal");
}

#[test]
fn a_file_of_a_job_of_another_size_is_no_more_than_a_lost_one() {
    let saved = Saved::by("sizes", "xor", 0);
    let other = Saved::by("others", "xor", 0);
    // One that is newer, by four ranks, and one by more than there are here.
    for ranks in [4, 7] {
        other.renew();
        let run = support::run(&other.program).ranks(ranks).args([other.directory.as_os_str()]);
        run.args(["xor", &ranks.to_string(), "0", "save", "5"]).succeeds();
        let strange = files(&other.directory).remove("rank-3.b").expect("it is there");
        fs::write(saved.path(3, "b"), strange).expect("it can be written");
        let seen = saved.is_mended("a file of another size");
        assert!(seen.stderr.contains("rank-3.b belongs to another generation or job"), "{seen}");
    }
}

#[test]
fn what_is_restored_is_not_what_the_next_checkpoint_overwrites() {
    let saved = Saved::by("spared", "xor", 0);
    // Of the second too much is lost, though its heads are there: the first is all there is.
    for place in [1, 4] {
        let mut bytes = saved.original(place, "b").to_vec();
        bytes.truncate(bytes.len() - 1);
        fs::write(saved.path(place, "b"), bytes).expect("it can be written");
    }
    let seen = saved.job(RANKS, &["load_and_save"]).succeeds();
    assert_eq!(seen.lines_with("version 1 is right"), RANKS, "{seen}");
    assert_eq!(seen.lines_with("version 7 is written"), 1, "{seen}");
    let read = |place: usize, turn: &str| fs::read(saved.path(place, turn)).expect("it is there");
    for place in 0..RANKS {
        assert!(read(place, "a") == saved.original(place, "a"), "{place}: {seen}");
        assert_eq!(word(&read(place, "b"), 3), 7, "{place}: {seen}");
    }
}

#[test]
fn a_file_that_cannot_be_written_anew_is_told_and_its_data_are_there() {
    let saved = Saved::by("anew", "xor", 0);
    saved.lose(&[2], "b");
    fs::create_dir(saved.path(2, "new")).expect("it can be made");
    for _ in 0..2 {
        let seen = saved.job(RANKS, &["load"]).succeeds();
        assert_eq!(seen.lines_with("version 2 is right"), RANKS, "{seen}");
        let words = "is rebuilt from the other files, but rank 2 cannot write it: ";
        assert_eq!(seen.stderr.matches(words).count(), 1, "{seen}");
    }
    fs::remove_dir(saved.path(2, "new")).expect("it is empty");
    saved.is_mended("once it can be");
}

#[test]
fn a_death_at_any_step_of_mending_leaves_what_can_be_mended() {
    for (scheme, keepers) in [("rs:2", 0), ("xor,dedicated", 1), ("weighted:2", 0)] {
        let saved = Saved::by("deaths", scheme, keepers);
        let mut steps = 0;
        for (step, dies) in (1..80).map(|step| (step, (2 * step + 1) % RANKS)) {
            saved.renew();
            saved.lose(&[1], "b");
            let kill = format!("--kill={dies}@inside:FTCK_Restore:1:{step}");
            let seen = saved.job(RANKS, &["load"]).option(&kill).succeeds();
            let context = format!("{scheme} {kill}: {seen}");
            assert_eq!(seen.lines_with("version 2 is right"), RANKS, "{context}");
            assert_eq!(seen.stdout.lines().count(), RANKS, "{context}");
            let again = saved.job(RANKS, &["load"]).succeeds();
            assert_eq!(again.lines_with("version 2 is right"), RANKS, "{context}\n{again}");
            let now = files(&saved.directory);
            assert!(!saved.is_exact() || now == saved.files, "{context}");
            if !seen.stderr.contains(&format!("rank {dies} was killed")) {
                break;
            }
            steps = step;
        }
        assert!(steps > 10, "{scheme}: only {steps} steps");
    }
}

#[test]
fn a_job_that_ends_at_any_step_of_writing_leaves_a_checkpoint_that_is_right() {
    for (scheme, keepers) in [("xor", 0), ("rs:2", 0), ("ring", 0), ("rs:2,dedicated", 2)] {
        let saved = Saved::by("steps", scheme, keepers);
        let mut steps = 0;
        for (step, dies) in (1..80).map(|step| (step, (2 * step + 1) % RANKS)) {
            let directory = saved.directory.join("job");
            let _none = fs::remove_dir_all(&directory);
            let job =
                Saved { directory, files: Files::new(), program: program(), ..saved_as(&saved) };
            let kill = format!("--kill={dies}@inside:FTCK_Checkpoint:4:{step}");
            let run = job.job(RANKS, &["save", "5"]).option("--mode=abort").option(&kill);
            let seen = run.outcome();
            if seen.status == Some(0) {
                break;
            }
            steps = step;
            let told =
                |version: &usize| seen.stdout.contains(&format!("version {version} is written"));
            let least = (1..6).rev().find(told).expect("three at least were written");
            let again = job.job(RANKS, &["load"]).succeeds();
            let context = format!("{scheme} {kill}: {seen}\n{again}");
            let right = |version: usize| format!("version {version} is right");
            let is_right = |version: usize| again.lines_with(&right(version)) == RANKS;
            assert!((least..=4).any(is_right), "{context}");
        }
        assert!(steps > 8, "{scheme}: only {steps} steps");
    }
}

/// The same without what was saved.
fn saved_as(saved: &Saved) -> Saved {
    Saved {
        program: program(),
        directory: saved.directory.clone(),
        scheme: saved.scheme.clone(),
        keepers: saved.keepers,
        files: Files::new(),
    }
}
