//! What the user sees while runs are made: one line that changes on a terminal, a line now and then
//! elsewhere.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

pub(super) struct Progress {
    begun: Instant,
    told: Option<Instant>,
    is_terminal: bool,
    is_quiet: bool,
    /// How wide the line on the terminal is.
    width: usize,
}

/// How the exploration stands.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    pub(super) runs: usize,
    pub(super) left: usize,
    pub(super) findings: usize,
    pub(super) orders: usize,
}

impl Progress {
    pub(super) fn new(is_quiet: bool) -> Progress {
        let is_terminal = stderr().is_terminal();
        Progress { begun: Instant::now(), told: None, is_terminal, is_quiet, width: 0 }
    }

    pub(super) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Tells how things stand, if it is time.
    pub(super) fn tell(&mut self, now: Standing) {
        let between = Duration::from_millis(if self.is_terminal { 200 } else { 10_000 });
        let last = self.told.unwrap_or(self.begun);
        if self.is_quiet || last.elapsed() < between {
            return;
        }
        self.told = Some(Instant::now());
        let Standing { runs, left, findings, orders } = now;
        let rate = runs as f64 / self.age().as_secs_f64().max(0.001);
        let line = format!(
            "ftrun explore: {runs} runs, {rate:.0} a second, {left} left, {orders} orders, \
             {findings} found"
        );
        let mut stderr = stderr();
        // Without a reader there is nothing to tell.
        let _ = match self.is_terminal {
            true => write!(stderr, "\r{line:width$}", width = self.width),
            false => writeln!(stderr, "{line}"),
        };
        self.width = line.len();
        let _ = stderr.flush();
    }

    /// Makes room for other output.
    pub(super) fn clear(&mut self) {
        if self.is_terminal && self.width > 0 {
            let _ = write!(stderr(), "\r{:width$}\r", "", width = self.width);
            self.width = 0;
        }
    }
}
