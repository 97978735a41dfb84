//! Manual pages: the text of `--help` in the language of man(1), line by line as it is.
//!
//! A line that begins in the first column is a section, one with two spaces a subsection. All else
//! keeps its lines and columns, so that both look alike in a terminal; options become bold.

/// Where descriptions of options begin, counted from the option.
const COLUMN: usize = 18;

/// The page of `program`, whose help says `help`.
pub(crate) fn page(program: &str, help: &str) -> String {
    let title = program.to_uppercase();
    let mut page = format!(".TH {title} 1 \"\" \"ftmpi-rs {}\"\n", env!("CARGO_PKG_VERSION"));
    let mut section = "";
    for line in help.lines() {
        let text = line.trim_start();
        match line.len() - text.len() {
            _ if text.is_empty() => page.push_str(".sp\n"),
            0 => {
                section = text;
                page.push_str(&heading("SH", text));
            }
            2 => page.push_str(&heading("SS", text)),
            indent => {
                let body = match (indent, section) {
                    (4, "OPTIONS") if text.starts_with('-') => option(text),
                    _ => escaped(text),
                };
                // `\&` keeps a leading dot from being a request, and the columns after it.
                let columns = " ".repeat(indent.saturating_sub(4));
                page.push_str(&format!("\\&{columns}{body}\n"));
            }
        }
    }
    page
}

/// A heading, after which lines stay as they are.
fn heading(request: &str, text: &str) -> String {
    format!(".{request} {}\n.nf\n.in 4n\n", escaped(text))
}

/// The option in bold, what it does after it.
fn option(text: &str) -> String {
    // A long option may leave only one space before the column of descriptions.
    let ends_option = |at: usize| {
        text.as_bytes()[at] == b' '
            && text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_uppercase)
    };
    let tight = Some(COLUMN - 1).filter(|&at| at < text.len() && ends_option(at));
    let end = text.find("  ").or(tight).unwrap_or(text.len());
    format!("\\fB{}\\fR{}", escaped(&text[..end]), escaped(&text[end..]))
}

/// The text with letters that roff would understand or beautify.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\\' => escaped.push_str("\\e"),
            '-' => escaped.push_str("\\-"),
            '\'' => escaped.push_str("\\(aq"),
            '`' => escaped.push_str("\\(ga"),
            '^' => escaped.push_str("\\(ha"),
            '~' => escaped.push_str("\\(ti"),
            _ => escaped.push(letter),
        }
    }
    escaped
}
