//! The interpreter in the first line of a script.

/// The words of the interpreter that `line`, without its `#!`, names, if that is Python.
pub fn python_in(line: &str) -> Option<Vec<&str>> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if words.first().is_some_and(|first| first.ends_with("/env")) {
        words.remove(0);
        let is_other = |word: &&str| word.starts_with('-') || word.contains('=');
        words = words.into_iter().skip_while(is_other).collect();
    }
    let name = words.first()?.rsplit('/').next()?;
    is_name_of_python(name).then_some(words)
}

/// Whether this is how Python's interpreters are called.
pub fn is_name_of_python(file: &str) -> bool {
    file.strip_prefix("python").is_some_and(|rest| !rest.contains(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_for_python_is_known_by_its_first_line() {
        let found = |line| python_in(line).unwrap_or_default();
        assert_eq!(found("/usr/bin/python3 -u"), ["/usr/bin/python3", "-u"]);
        assert_eq!(found("/usr/bin/env python3.12"), ["python3.12"]);
        assert_eq!(found("/usr/bin/env -S A=1 python3 -O"), ["python3", "-O"]);
        for other in ["/bin/sh", "/usr/bin/env pythonic", ""] {
            assert_eq!(python_in(other), None);
        }
    }
}
