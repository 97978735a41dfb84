//! The output of a program for its user: results on standard output, remarks on standard error.
//!
//! A full disk or a closed pipe is an error with a sentence, not a panic. Remarks are no results:
//! if they cannot be written, a run continues without them.

use std::io::{self, Write};

/// Writes a result, all of it.
pub fn print(text: &str) -> Result<(), String> {
    print_on(&mut io::stdout().lock(), text)
}

/// Writes a remark of the program `name`, as a line.
pub fn remark(name: &str, words: &str) {
    // In one piece, so that lines of several programs on one terminal do not mix.
    let _ = io::stderr().write_all(format!("{name}: {words}\n").as_bytes());
}

fn print_on(out: &mut impl Write, text: &str) -> Result<(), String> {
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|why| match why.kind() {
        io::ErrorKind::BrokenPipe => "cannot write to standard output: the pipe is closed".into(),
        _ => format!("cannot write to standard output: {why}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that accepts a few bytes, and then no more.
    struct Full(usize, io::ErrorKind);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken == 0 { Err(self.1.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_cannot_be_written_is_an_error_that_names_the_output() {
        let no = |kind| print_on(&mut Full(2, kind), "results").unwrap_err();
        let full = no(io::ErrorKind::StorageFull);
        assert!(full.starts_with("cannot write to standard output: "), "{full}");
        assert!(no(io::ErrorKind::BrokenPipe).contains("the pipe is closed"));
        assert_eq!(print_on(&mut Full(7, io::ErrorKind::Other), "results"), Ok(()));
    }
}
