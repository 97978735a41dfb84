//! Writes JSON strings with the escapes that they need (RFC 8259).

use std::fmt::Write;

/// A string (§7).
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c < ' ' => {
                write!(quoted, "\\u{:04x}", u32::from(c)).expect("a string takes what it is given");
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_say_again_what_went_into_them() {
        assert_eq!(quoted("rank 3"), r#""rank 3""#);
        assert_eq!(quoted("a \"b\" \\ c\n\t\u{1}é"), r#""a \"b\" \\ c\n\t\u0001é""#);
    }
}
