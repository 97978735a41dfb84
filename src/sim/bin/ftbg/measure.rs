//! Measures how efficiently this machine emulates the other one.
//!
//! Let r be the computing power of the emulated machine's processors relative to those that emulate
//! it. An ideal emulation takes r times as long as the emulated machine; the efficiency is that
//! time over the time it took.

use ftmpi_cli::Words;
use ftmpi_sim::bluegene::{Setup, Totals};
use ftmpi_sim::output::remark;
use ftmpi_sim::report::Report;
use std::time::Duration;

pub(crate) struct Measure {
    is_quiet: bool,
    /// Whether the report includes times; without them it has equal bytes in every run.
    is_reported: bool,
    clock_ghz: f64,
}

impl Measure {
    pub(crate) fn read(words: &mut Words) -> Result<Measure, String> {
        let clock_ghz = words.number("clock", clock_here().unwrap_or(1.0))?;
        if !(0.001..1000.0).contains(&clock_ghz) {
            return Err(format!("--clock {clock_ghz}: use gigahertz, such as 2.5"));
        }
        let (is_quiet, is_reported) = (words.has("quiet"), words.has("measure"));
        Ok(Measure { is_quiet, is_reported, clock_ghz })
    }

    /// Whether the report should include times.
    pub(crate) fn is_asked(&self) -> bool {
        self.is_reported
    }

    pub(crate) fn tell(
        &self, setup: &Setup, totals: &Totals, wall: Duration, threads: usize, report: &mut Report,
    ) {
        let (wall_ms, emulated_ms) = (wall.as_secs_f64() * 1e3, totals.time_ns / 1e6);
        let slowdown = wall_ms / emulated_ms;
        let cycle_ns = setup.cost.cycle.max(1) as f64 / 1e3;
        let there = f64::from(setup.nodes()) * f64::from(setup.node.processors) / cycle_ns;
        let r = there / (threads as f64 * self.clock_ghz);
        let ideal_ms = r * emulated_ms;
        let efficiency = ideal_ms / wall_ms;
        if !self.is_quiet {
            let words = format!(
                "emulated in {wall_ms:.3} ms, a slowdown of {slowdown:.1}; r {r:.0}, ideal \
                 {ideal_ms:.1} ms, efficiency {efficiency:.1}"
            );
            remark("ftbg", &words);
        }
        if self.is_reported {
            report.add("wall_ms", wall_ms);
            report.add("slowdown", slowdown);
            report.add("r", r);
            report.add("ideal_ms", ideal_ms);
            report.add("emulation_efficiency", efficiency);
        }
    }
}

/// The clock of this machine's first processor, in gigahertz.
fn clock_here() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("cpu MHz"))?;
    let mhz: f64 = line.split(':').nth(1)?.trim().parse().ok()?;
    Some(mhz / 1e3)
}
