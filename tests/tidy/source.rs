//! A Rust file as `tidy` sees it: the text, and the same text without comments and literals.

use std::collections::HashSet;

/// One file. `code` has the lines of `text`, with blanks for what is not code.
pub(crate) struct Source {
    pub(crate) text: String,
    code: String,
}

impl Source {
    pub(crate) fn new(text: String) -> Source {
        let code = code_only(&text);
        Source { text, code }
    }

    /// The lines and their numbers, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        numbered(&self.text)
    }

    /// The text without comments and literals.
    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// Its lines and their numbers.
    pub(crate) fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        numbered(&self.code)
    }

    /// The line at which each function starts, and how many lines it has.
    pub(crate) fn functions(&self) -> Vec<(usize, usize)> {
        let starts = self.code_lines().filter(|(_, line)| starts_function(line));
        starts.filter_map(|(line, _)| Some((line, self.end_of_item(line)? - line + 1))).collect()
    }

    /// The lines of modules of tests.
    pub(crate) fn test_lines(&self) -> HashSet<usize> {
        let mut lines = HashSet::new();
        let mut waits_for_module = false;
        for (number, line) in self.code_lines() {
            let line = line.trim_start();
            if line.starts_with("#[cfg(") {
                waits_for_module |= line.contains("test");
            } else if !line.is_empty() && !line.starts_with("#[") {
                let opens = line.starts_with("mod ") || line.starts_with("pub(super) mod ");
                if waits_for_module && opens {
                    lines.extend(number..=self.end_of_item(number).unwrap_or(number));
                }
                waits_for_module = false;
            }
        }
        lines
    }

    /// The line and the text of each `.expect("…")`.
    pub(crate) fn expectations(&self) -> Vec<(usize, String)> {
        let found = self.code.match_indices(".expect(");
        found
            .filter_map(|(at, start)| {
                let rest = self.text.get(at + start.len()..)?.trim_start();
                let reason = rest.strip_prefix('"')?.split('"').next()?;
                Some((self.line_of(at), reason.to_string()))
            })
            .collect()
    }

    /// The rooms that are named behind `crate::`, and where.
    pub(crate) fn rooms_inside(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (at, start) in self.code.match_indices("crate::") {
            let rest = &self.code[at + start.len()..];
            let line = self.line_of(at);
            match rest.strip_prefix('{') {
                Some(group) => found.extend(heads(group).map(|head| (line, head))),
                None => found.push((line, first_word(rest))),
            }
        }
        found
    }

    /// The rooms that are named as crates, and where.
    pub(crate) fn crates_used(&self) -> Vec<(usize, String)> {
        let found = self.code.match_indices("ftmpi_").filter(|(at, _)| {
            !self.code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
        });
        found
            .map(|(at, start)| (self.line_of(at), first_word(&self.code[at + start.len()..])))
            .collect()
    }

    /// The comment right above a line (or its attributes), or at its end.
    pub(crate) fn comment_above(&self, number: usize) -> Option<&str> {
        let lines: Vec<&str> = self.text.lines().collect();
        let above = lines[..number - 1].iter().rev().take(8);
        let mut comments = above.take_while(|line| {
            let line = line.trim_start();
            line.starts_with("//") || line.starts_with("#[") || is_open(line)
        });
        let here = lines[number - 1];
        if here.contains("SAFETY:") {
            return Some(here);
        }
        comments.find(|line| line.contains("SAFETY:")).copied()
    }

    /// The line in which the braces of the item that starts at `line` close.
    fn end_of_item(&self, line: usize) -> Option<usize> {
        let mut depth = 0;
        for (number, text) in self.code_lines().skip(line - 1) {
            for c in text.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 1 => return Some(number),
                    '}' => depth -= 1,
                    // A declaration without a body.
                    ';' if depth == 0 => return None,
                    _ => {}
                }
            }
        }
        None
    }

    fn line_of(&self, at: usize) -> usize {
        self.code[..at].matches('\n').count() + 1
    }
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

/// Whether a statement goes on in the next line: its comment stands above the first.
fn is_open(line: &str) -> bool {
    ["=", "(", "=>", "&&", "||", ",", "{"].iter().any(|end| line.trim_end().ends_with(end))
}

fn starts_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let modifiers = ["pub", "const", "unsafe", "extern", "async"];
    let is_modifier =
        |word: &&str| modifiers.contains(word) || word.starts_with("pub(") || word.contains('"');
    words.find(|word| !is_modifier(word)) == Some("fn")
}

fn first_word(text: &str) -> String {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_string()
}

/// The first words of the parts of `{a::b, c::{d, e}}`, from behind the brace.
fn heads(group: &str) -> impl Iterator<Item = String> {
    let mut depth = 1;
    let mut parts = vec![String::new()];
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        parts.last_mut().expect("there is always a part").push(c);
    }
    parts.into_iter().map(|part| first_word(part.trim_start()))
}

/// The text with blanks in place of comments and of what stands in literals; as long as the text
/// itself, so that positions are the same.
fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = end_of_literal(bytes, at);
        if end == at {
            at += 1;
            continue;
        }
        let end = end.min(bytes.len());
        code[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    String::from_utf8(code).expect("only whole literals and comments are blanked")
}

/// Where the comment or literal that starts at `at` ends; `at` itself if none does.
fn end_of_literal(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let is_in_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
    if rest.starts_with(b"//") {
        return at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }
    if rest.starts_with(b"/*") {
        return at + end_of_block_comment(rest);
    }
    if rest[0] == b'r' && !is_in_word || rest.starts_with(b"br") || rest.starts_with(b"cr") {
        let start = if rest[0] == b'r' { 1 } else { 2 };
        let hashes = rest[start..].iter().take_while(|byte| **byte == b'#').count();
        if rest.get(start + hashes) == Some(&b'"') {
            let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
            let body = &rest[start + hashes + 1..];
            let length = body.windows(close.len()).position(|window| window == close);
            return at + start + hashes + 1 + length.map_or(body.len(), |end| end + close.len());
        }
    }
    match rest[0] {
        b'"' => at + quoted(rest, b'"'),
        // A quote opens a character, or a lifetime, which has no closing quote.
        b'\'' if rest.get(1) == Some(&b'\\') => at + quoted(rest, b'\''),
        b'\'' => {
            let width = std::str::from_utf8(&rest[1..rest.len().min(5)]).map_or_else(
                |error| if error.valid_up_to() > 0 { 1 } else { 4 },
                |text| text.chars().next().map_or(1, char::len_utf8),
            );
            let closes = rest.get(1 + width) == Some(&b'\'');
            if closes { at + width + 2 } else { at }
        }
        _ => at,
    }
}

fn end_of_block_comment(rest: &[u8]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// The length of a literal with escapes, quotes included.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}
