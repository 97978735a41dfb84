//! The coverage as a page: the source with what failures have met beside it.

use crate::coverage::{Counts, Site};
use crate::tables::escaped;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<title>ftrun explore</title>\n<style>\nbody { font: 14px sans-serif; margin: 2em }\n\
pre { margin: 0 }\ntable { border-collapse: collapse }\ntd, th { padding: 0 .6em; \
text-align: right; vertical-align: top }\ntd.source, th.source { text-align: left }\n\
tr.met { background: #dff5df }\ntr.unmet { background: #fbdede }\n\
tr.never { background: #f4efd0 }\n\
</style></head><body>\n";

const COLUMNS: &str = "<tr><th>line</th><th>before</th><th>inside</th><th>after</th><th>error</th>\
<th>handler</th><th>passed</th><th class=\"source\">source</th></tr>\n";

/// A page with all files of the program; `source` reads one, if it is there.
pub fn page(
    title: &str, sites: &BTreeMap<Site, Counts>, source: impl Fn(&str) -> Option<String>,
) -> String {
    let mut files: BTreeMap<&str, BTreeMap<u32, Vec<Met>>> = BTreeMap::new();
    for (site, counts) in sites {
        files.entry(&site.file).or_default().entry(site.line).or_default().push((site, counts));
    }
    let mut page = format!("{HEAD}<h1>{}</h1>\n", escaped(title));
    page.push_str(
        "<p>How many runs a failure came before, inside and after each call; in how many the call \
         returned an error, an error handler ran, and the call succeeded after a failure. Green: a \
         failure has met the call. Red: none has. Yellow: the call was never made.</p>\n",
    );
    for (file, lines) in files {
        let _ = writeln!(page, "<h2>{}</h2>\n<table>\n{COLUMNS}", escaped(file));
        match source(file) {
            Some(text) => {
                for (number, text) in (1..).zip(text.lines()) {
                    let calls = lines.get(&number).map(Vec::as_slice).unwrap_or_default();
                    page.push_str(&row(number, calls, text));
                }
            }
            None => {
                for (number, calls) in &lines {
                    let names: Vec<&str> =
                        calls.iter().map(|(site, _)| site.name.as_str()).collect();
                    page.push_str(&row(*number, calls, &names.join(", ")));
                }
            }
        }
        page.push_str("</table>\n");
    }
    page.push_str("</body></html>\n");
    page
}

/// A call of a line, and what has happened at it.
type Met<'a> = (&'a Site, &'a Counts);

fn row(number: u32, calls: &[Met], text: &str) -> String {
    let mut cells = String::new();
    let sum = |of: fn(&Counts) -> usize| calls.iter().map(|(_, counts)| of(counts)).sum::<usize>();
    let columns: [fn(&Counts) -> usize; 6] = [
        |counts| counts.before,
        |counts| counts.inside,
        |counts| counts.after,
        |counts| counts.errors,
        |counts| counts.handlers,
        |counts| counts.passed,
    ];
    for column in columns {
        let text = if calls.is_empty() { String::new() } else { sum(column).to_string() };
        let _ = write!(cells, "<td>{text}</td>");
    }
    let class = match () {
        () if calls.is_empty() && calls_mpi(text) => " class=\"never\"",
        () if calls.is_empty() => "",
        () if sum(Counts::kills) > 0 => " class=\"met\"",
        () => " class=\"unmet\"",
    };
    format!(
        "<tr{class}><td>{number}</td>{cells}<td class=\"source\"><pre>{}</pre></td></tr>\n",
        escaped(text)
    )
}

/// Whether a line of source seems to call MPI.
fn calls_mpi(line: &str) -> bool {
    let line = line.trim_start();
    let is_comment = ["//", "*", "!", "#", "/*"].iter().any(|start| line.starts_with(start));
    let upper = line.to_ascii_uppercase();
    let names = upper.match_indices("MPI").filter(|(at, _)| {
        let name = &upper[*at..];
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        name[..end].contains('_') && name[end..].trim_start().starts_with('(')
    });
    !is_comment && names.count() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_stands_beside_the_counts() {
        let site = Site { file: "p.c".into(), line: 2, name: "MPI_Send".into() };
        let met = Counts { before: 3, ..Counts::default() };
        let source = "int a;\nMPI_Send(&a, 1);\nMPI_Recv(&a);\n// MPI_Bcast(&a)\n";
        let page = page("prog", &BTreeMap::from([(site, met)]), |_| Some(source.to_string()));
        assert!(page.contains("<tr class=\"met\"><td>2</td><td>3</td>"), "{page}");
        assert!(page.contains("<tr class=\"never\"><td>3</td>"));
        assert!(page.contains("<tr><td>4</td>"), "a comment calls nothing");
        assert!(page.contains("MPI_Send(&amp;a, 1);"));
    }
}
