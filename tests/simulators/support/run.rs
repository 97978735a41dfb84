//! A program that pages look at, and what they ask of it.

use super::Program;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

/// A simulation that pages look at.
pub(crate) struct Run {
    child: Child,
    pub(crate) address: String,
    /// What it has said before its address.
    pub(crate) warning: String,
    stderr: BufReader<ChildStderr>,
}

impl Run {
    pub(crate) fn begin(program: &Program, words: &str) -> Run {
        let words: Vec<&str> = words.split_whitespace().chain(["--watch"]).collect();
        Run::begin_as(program, &words, false)
    }

    pub(crate) fn begin_as(program: &Program, words: &[&str], warns: bool) -> Run {
        let child = Command::new(program.path)
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("it can be started");
        let (mut line, mut warning) = (String::new(), String::new());
        let mut stderr = BufReader::new(child.stderr.take().expect("it was asked for"));
        if warns {
            stderr.read_line(&mut warning).expect("it warns");
        }
        stderr.read_line(&mut line).expect("it says where it is");
        let (_, address) = line.trim().split_once("at ").unwrap_or_else(|| panic!("{line}"));
        Run { child, address: address.to_string(), warning, stderr }
    }

    pub(crate) fn host(&self) -> &str {
        self.address[7..].split('/').next().expect("it has a host")
    }

    pub(crate) fn path(&self) -> &str {
        &self.address[7 + self.host().len()..]
    }

    /// Sends bytes as they are; what comes back.
    pub(crate) fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.host()).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("it can be set");
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        // Whoever is refused may find the connection closed under his hands.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub(crate) fn status(&self, line: &str, headers: &str) -> String {
        let answer = self.raw(format!("{line} HTTP/1.1\r\n{headers}\r\n").as_bytes());
        answer.split(' ').nth(1).unwrap_or("none").to_string()
    }

    pub(crate) fn order(&self, words: &str) -> String {
        let (host, path, length) = (self.host(), self.path(), words.len());
        let answer = self.raw(
            format!(
                "POST {path}order HTTP/1.1\r\nHost: {host}\r\n\
                 Content-Length: {length}\r\n\r\n{words}"
            )
            .as_bytes(),
        );
        answer.split("\r\n\r\n").nth(1).unwrap_or_else(|| panic!("{answer}")).to_string()
    }

    /// Ends it; what it has written, and on standard error after its address.
    pub(crate) fn quit(self) -> (String, String) {
        assert_eq!(self.order("quit"), "ok it ends");
        self.ended()
    }

    /// What it has written when it has ended: a page has told it to.
    pub(crate) fn ended(mut self) -> (String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        let out = self.child.stdout.take().expect("it was asked for");
        BufReader::new(out).read_to_string(&mut stdout).expect("it writes UTF-8");
        self.stderr.read_to_string(&mut stderr).expect("it writes UTF-8");
        (stdout, stderr)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
