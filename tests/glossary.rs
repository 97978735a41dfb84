//! The glossary is true: a search for one of its words finds the file that it names.

use std::path::Path;

const GLOSSARY: &str = "docs/GLOSSARY.md";

/// The word and the file of each row.
fn rows() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(GLOSSARY).expect("the glossary can be read");
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.strip_suffix('|')?.split(" | ");
        let (word, file) = (cells.next()?.trim(), cells.last()?.trim());
        let file = file.strip_prefix('`')?.strip_suffix('`')?;
        Some((word.to_string(), file.to_string()))
    };
    text.lines().filter_map(row).collect()
}

/// The words of a text in one row, without the marks of comments between them.
fn flowing(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start().trim_start_matches(['/', '!']).trim());
    lines.collect::<Vec<_>>().join(" ").to_lowercase()
}

#[test]
fn every_word_of_the_glossary_is_found_in_the_file_that_it_names() {
    let rows = rows();
    assert!(rows.len() >= 40, "{} rows", rows.len());
    let mut wrong = Vec::new();
    for (word, file) in &rows {
        match std::fs::read_to_string(Path::new(file)) {
            Err(problem) => wrong.push(format!("{word}: {file}: {problem}")),
            Ok(text) if !text.to_lowercase().contains(&word.to_lowercase()) => {
                let hint = if flowing(&text).contains(&word.to_lowercase()) {
                    " (only across two lines: grep does not see it)"
                } else {
                    ""
                };
                wrong.push(format!("{word}: not in {file}{hint}"));
            }
            Ok(_) => {}
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn no_word_of_the_glossary_stands_there_twice() {
    let mut words: Vec<String> = rows().into_iter().map(|(word, _)| word).collect();
    words.sort();
    let twice: Vec<_> = words.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}
