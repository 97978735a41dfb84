//! Finds the source lines of frames, with `addr2line` of binutils. Without it, or without debug
//! information, frames stay offsets.

use ftmpi_explore::Lines;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The trace has the lines of Python scripts.
const SCRIPT: &str = "python:";

/// Adds the lines of these frames to those that are known.
pub(super) fn find<'a>(lines: &mut Lines, frames: impl Iterator<Item = &'a (String, u64)>) {
    let mut wanted: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for frame in frames.filter(|frame| !lines.contains_key(*frame)) {
        wanted.entry(&frame.0).or_default().insert(frame.1);
    }
    let mut found = Vec::new();
    for (object, offsets) in wanted {
        if let Some(script) = object.strip_prefix(SCRIPT) {
            found.extend(offsets.into_iter().map(|line| {
                let place = (script.to_string(), line as u32, "??".to_string());
                ((object.to_string(), line), place)
            }));
            continue;
        }
        let mut command = Command::new("addr2line");
        command.args(["-f", "-C", "-e", object]);
        command.args(offsets.iter().map(|offset| format!("{offset:#x}")));
        let Ok(said) = command.output() else { continue };
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let mut words = text.lines();
        for offset in offsets {
            let (Some(function), Some(place)) = (words.next(), words.next()) else { break };
            if let Some((file, line)) = line_of(place) {
                found.push(((object.to_string(), offset), (file, line, function.to_string())));
            }
        }
    }
    lines.extend(found);
}

/// `/a/prog.c:12 (discriminator 3)`
fn line_of(place: &str) -> Option<(String, u32)> {
    let place = place.split(" (").next()?;
    let (file, line) = place.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    (file != "??").then(|| (file.to_string(), line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_addr2line_writes_it() {
        assert_eq!(line_of("/a/p.c:12"), Some(("/a/p.c".into(), 12)));
        assert_eq!(line_of("/a/p.c:12 (discriminator 3)"), Some(("/a/p.c".into(), 12)));
        assert_eq!((line_of("??:0"), line_of("/a/p.c:?")), (None, None));
    }
}
