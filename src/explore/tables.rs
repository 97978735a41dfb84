//! Coverage and findings as other tools read them: a table for terminals, lcov, JUnit XML.

use crate::coverage::{Counts, Site};
use crate::finding::Finding;
use crate::story::short;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The coverage as a table, line by line of the source.
pub fn table(sites: &BTreeMap<Site, Counts>) -> String {
    let place = |site: &Site| match site.line {
        0 => short(&site.file).to_string(),
        line => format!("{}:{line}", short(&site.file)),
    };
    let width = sites.keys().map(|site| place(site).len()).max().unwrap_or(0).max(4);
    let named = sites.keys().map(|site| site.name.len()).max().unwrap_or(0).max(4);
    let mut told = format!(
        "{:width$}  {:named$}  before inside  after  error handler passed\\n",
        "line", "call"
    )
    .replace("\\n", "\n");
    for (site, counts) in sites {
        let Counts { before, inside, after, errors, handlers, passed, .. } = counts;
        let note = if counts.kills() == 0 { "  never met by a failure" } else { "" };
        let _ = writeln!(
            told,
            "{:width$}  {:named$}  {before:6} {inside:6} {after:6} {errors:6} {handlers:7} \
             {passed:6}{note}",
            place(site),
            site.name
        );
    }
    told
}

/// The coverage for lcov and genhtml: a line counts as hit when a failure has met its call, and has
/// a branch for each of before, inside and after.
pub fn lcov(sites: &BTreeMap<Site, Counts>) -> String {
    let mut files: BTreeMap<&str, BTreeMap<u32, [usize; 3]>> = BTreeMap::new();
    for (site, counts) in sites.iter().filter(|(site, _)| site.line > 0) {
        let line = files.entry(&site.file).or_default().entry(site.line).or_default();
        let kills = [counts.before, counts.inside, counts.after];
        line.iter_mut().zip(kills).for_each(|(sum, count)| *sum += count);
    }
    let mut told = String::new();
    for (file, lines) in files {
        let _ = writeln!(told, "TN:ftrun explore\nSF:{file}");
        for (line, kills) in &lines {
            for (branch, count) in kills.iter().enumerate() {
                let _ = writeln!(told, "BRDA:{line},0,{branch},{count}");
            }
            let _ = writeln!(told, "DA:{line},{}", kills.iter().sum::<usize>());
        }
        let hit = lines.values().filter(|kills| kills.iter().sum::<usize>() > 0).count();
        let _ = writeln!(told, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
    }
    told
}

/// The findings as JUnit XML: a test for each cause, and one that passes if there is none.
pub fn junit<'a>(
    program: &str, runs: usize, seconds: f64,
    findings: impl Iterator<Item = (&'a Finding, &'a str)>,
) -> String {
    let findings: Vec<(&Finding, &str)> = findings.collect();
    let count = findings.len();
    let (tests, program) = (count.max(1), escaped(program));
    let mut told = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite \
         name=\"ftrun explore {program}\" tests=\"{tests}\" failures=\"{count}\" errors=\"0\" \
         time=\"{seconds:.3}\">\n"
    );
    if count == 0 {
        let _ = writeln!(
            told,
            "<testcase classname=\"{program}\" name=\"survives {runs} runs\" \
             time=\"{seconds:.3}\"/>"
        );
    }
    for (finding, story) in findings {
        let (kind, words) = (finding.failure.kind, escaped(&finding.failure.words));
        let schedule = escaped(&finding.schedule.to_string());
        let _ = writeln!(
            told,
            "<testcase classname=\"{program}\" name=\"{kind}: {schedule}\">\n<failure \
             type=\"{kind}\" message=\"{words}\">{}</failure>\n</testcase>",
            escaped(story)
        );
    }
    told.push_str("</testsuite>\n</testsuites>\n");
    told
}

/// Text for XML and HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c < ' ' && c != '\n' && c != '\t' => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Failure, Kind};
    use crate::points::Schedule;

    fn sites() -> BTreeMap<Site, Counts> {
        let site = |line, name: &str| Site { file: "/a/p.c".into(), line, name: name.into() };
        let met = Counts { before: 2, after: 1, passed: 4, ..Counts::default() };
        BTreeMap::from([(site(4, "MPI_Send"), met), (site(9, "MPI_Recv"), Counts::default())])
    }

    #[test]
    fn the_table_says_what_was_never_met() {
        let told = table(&sites());
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[0], "line   call      before inside  after  error handler passed");
        assert_eq!(lines[1], "p.c:4  MPI_Send       2      0      1      0       0      4");
        assert!(lines[2].ends_with("never met by a failure"));
    }

    #[test]
    fn lcov_has_lines_and_branches() {
        let told = lcov(&sites());
        assert!(told.contains("SF:/a/p.c\nBRDA:4,0,0,2\nBRDA:4,0,1,0\nBRDA:4,0,2,1\nDA:4,3\n"));
        assert!(told.ends_with("DA:9,0\nLF:2\nLH:1\nend_of_record\n"));
    }

    #[test]
    fn junit_has_a_test_for_each_cause() {
        let told = junit("prog", 9, 1.5, std::iter::empty());
        assert!(told.contains("tests=\"1\" failures=\"0\"") && told.contains("survives 9 runs"));
        let failure = Failure { kind: Kind::Hang, words: "a < b".into(), key: String::new() };
        let schedule = Schedule::plain(2, 3);
        let finding = Finding { number: 0, failure, schedule, times: 1, is_like: None };
        let told = junit("prog", 9, 1.5, [(&finding, "x & y")].into_iter());
        assert!(told.contains("message=\"a &lt; b\">x &amp; y</failure>"), "{told}");
    }
}
