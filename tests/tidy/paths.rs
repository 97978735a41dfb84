//! The paths in the code of a Rust file: what it declares, imports and names.

use crate::circles::Route;
use crate::source::Source;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The code with blanks in place of what `#[cfg(test)]` keeps out of a build.
pub(crate) fn without_tests(source: &Source) -> String {
    let mut code = source.code().to_string();
    let starts: Vec<usize> = code.match_indices("#[cfg(").map(|(at, _)| at).collect();
    for at in starts {
        let attribute = code[at..].find(']').map_or(code.len(), |end| at + end + 1);
        let condition = &code[at..attribute];
        if condition.contains("test") && !condition.contains("not(test") {
            let end = end_of_item(&code, attribute);
            let blank = |c| if c == '\n' { '\n' } else { ' ' };
            let blanks: String = code[at..end].chars().map(blank).collect();
            // Characters of several bytes are rare in code, and positions are only compared here.
            code.replace_range(at..end, &blanks);
        }
    }
    code
}

/// Where the item that starts at `at` ends: behind its semicolon or its last brace.
fn end_of_item(code: &str, at: usize) -> usize {
    let mut depth = 0;
    for (offset, c) in code[at..].char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' if depth == 1 => return at + offset + 1,
            // The item was the last of its block.
            '}' if depth == 0 => return at + offset,
            '}' | ')' | ']' => depth -= 1,
            ';' if depth == 0 => return at + offset + 1,
            _ => {}
        }
    }
    code.len()
}

/// The modules that a file declares and that are files themselves, and where each may be.
pub(crate) fn children(
    route: &Route, file: &Path, source: &Source, code: &str,
) -> Vec<(Route, Vec<PathBuf>)> {
    let directory = file.parent().unwrap_or(Path::new(""));
    let stem = file.file_stem().unwrap_or_default();
    let is_head = route.is_empty() || stem == "mod";
    let below = if is_head { directory.to_path_buf() } else { directory.join(stem) };
    let mut found = Vec::new();
    for at in words(code, "mod") {
        let rest = code[at + 3..].trim_start();
        let name = first_word(rest);
        if name.is_empty() || !rest[name.len()..].trim_start().starts_with(';') {
            continue;
        }
        let above =
            source.text[..at].trim_end_matches(|c| c != '\n').trim_end().lines().next_back();
        let told =
            above.and_then(|line| line.trim().strip_prefix("#[path = \"")?.split('"').next());
        let places = match told {
            Some(told) => vec![clean(&directory.join(told))],
            None => vec![below.join(format!("{name}.rs")), below.join(&name).join("mod.rs")],
        };
        found.push(([route.as_slice(), &[name]].concat(), places));
    }
    found
}

/// The path without its `..`.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.iter() {
        if part == ".." {
            cleaned.pop();
        } else {
            cleaned.push(part);
        }
    }
    cleaned
}

/// What stands behind each `use`, up to the semicolon, and where the `use` is.
pub(crate) fn uses(code: &str) -> Vec<(usize, &str)> {
    let found = words(code, "use").into_iter();
    found.filter_map(|at| Some((at, code[at + 3..].split(';').next()?))).collect()
}

/// Whether the `use` at `at` offers to others what it brings in.
pub(crate) fn is_exported(code: &str, at: usize) -> bool {
    let before = code[..at].trim_end();
    before.ends_with("pub") || before.ends_with(')')
}

/// Whether a name stands outside `use`, by itself or at the beginning of a path.
pub(crate) fn uses_name(code: &str, name: &str) -> bool {
    let rest = without_uses(code);
    let is_first = |at: usize| !rest[..at].ends_with("::") && !rest[..at].ends_with('.');
    words(&rest, name).into_iter().any(is_first)
}

/// The code with blanks in place of its `use` declarations.
fn without_uses(code: &str) -> String {
    let mut rest = code.to_string();
    for (at, declaration) in uses(code) {
        let length = 3 + declaration.len();
        rest.replace_range(at..at + length, &" ".repeat(length));
    }
    rest
}

/// The paths of a `use` declaration, and the name that each brings in.
pub(crate) fn leaves(declaration: &str) -> Vec<(Route, String)> {
    let Some((head, group)) = declaration.split_once('{') else {
        return leaf(declaration).into_iter().collect();
    };
    let head: Route = segments(head);
    let mut found = Vec::new();
    for part in parts(group) {
        for (path, name) in leaves(&part) {
            let path = if path == ["self"] { Route::new() } else { path };
            let name = if name == "self" { head.last().cloned().unwrap_or(name) } else { name };
            found.push(([head.as_slice(), &path].concat(), name));
        }
    }
    found
}

fn leaf(part: &str) -> Option<(Route, String)> {
    let (path, alias) = part.split_once(" as ").unwrap_or((part, ""));
    let mut path = segments(path);
    if path.is_empty() && part.trim().ends_with('*') || part.trim_end().ends_with("::*") {
        return Some((path, "*".to_string()));
    }
    let name = if alias.is_empty() { path.last()?.clone() } else { alias.trim().to_string() };
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    Some((path, name))
}

/// The parts of `a::b, c::{d, e}}`, up to the last brace.
fn parts(group: &str) -> Vec<String> {
    let mut depth = 1;
    let mut found = vec![String::new()];
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => {
                found.push(String::new());
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        found.last_mut().expect("there is always a part").push(c);
    }
    found.retain(|part| !part.trim().is_empty());
    found
}

fn segments(path: &str) -> Route {
    let known = path.split("::").map(|part| first_word(part.trim()));
    known.filter(|part| !part.is_empty()).collect()
}

/// The paths of two names and more that stand outside `use`, and where.
pub(crate) fn paths(code: &str) -> Vec<(usize, Route)> {
    let rest = without_uses(code);
    let mut found = Vec::new();
    let mut at = 0;
    while at < rest.len() {
        let word = rest.get(at..).map(first_word).unwrap_or_default();
        if word.is_empty() {
            at += 1;
            continue;
        }
        let start = at;
        let mut path = vec![word];
        at += path[0].len();
        while let Some(next) = rest[at..].strip_prefix("::").map(first_word) {
            if next.is_empty() {
                break;
            }
            at += 2 + next.len();
            path.push(next);
        }
        // What follows two colons goes on behind generics: `Vec::<u8>::new`. What follows `in` says
        // to whom an item is visible.
        let before = &rest[..start];
        if path.len() > 1 && !before.ends_with("::") && !before.ends_with("(in ") {
            found.push((start, path));
        }
    }
    found
}

/// The names behind the words that declare items.
pub(crate) fn items(code: &str) -> HashSet<String> {
    let kinds = ["fn", "struct", "enum", "union", "trait", "type", "const", "static"];
    let starts = kinds.iter().flat_map(|kind| {
        words(code, kind).into_iter().map(|at| first_word(code[at + kind.len()..].trim_start()))
    });
    starts.collect()
}

/// The route of the module that holds position `at`: that of the file, and modules inside it.
pub(crate) fn inside(route: &Route, code: &str, at: usize) -> Route {
    let mut here = route.clone();
    for start in words(code, "mod").into_iter().take_while(|start| *start < at) {
        let name = first_word(code[start + 3..].trim_start());
        if !name.is_empty() && end_of_item(code, start) > at {
            here.push(name);
        }
    }
    here
}

pub(crate) fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

/// Where a word stands.
fn words(code: &str, word: &str) -> Vec<usize> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let found = code.match_indices(word).map(|(at, _)| at);
    found
        .filter(|at| !is_part(code[..*at].chars().next_back()))
        .filter(|at| !is_part(code[at + word.len()..].chars().next()))
        .collect()
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}
