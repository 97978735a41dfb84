//! The scene of a job: its ranks as dots.

use crate::kinds::KINDS;
use ftmpi_view::Scene;

/// The most ranks that a page lists.
pub const MOST_ROWS: usize = 1024;

/// The views, by command word and by name; only the chosen view is computed.
const VIEWS: [(&str, &str); 2] =
    [("states", "what ranks do"), ("waits", "which rank waits for which")];
/// Which of them has arrows.
pub const WAITS: usize = 1;
/// The scene of this many ranks of a program, by the chosen view.
pub fn of_ranks(program: &str, ranks: usize, places: Vec<[f32; 2]>, view: usize) -> Scene {
    Scene {
        title: format!("{program}, {ranks} {}", if ranks == 1 { "rank" } else { "ranks" }),
        places,
        dot: "rank",
        unit: "ms",
        kinds: KINDS.to_vec(),
        mark: "restarted",
        has_deaths: true,
        arrow: if view == WAITS { "waits for" } else { "" },
        views: VIEWS.map(|(_, name)| name).to_vec(),
        view,
        series: vec!["messages", "collectives", "wake-ups", "alive", "failures", "recoveries"],
        ..Scene::default()
    }
}

/// The view of this name, and its long name.
pub fn choose(name: &str) -> Result<(usize, &'static str), String> {
    let view = VIEWS.iter().position(|(word, long)| [*word, *long].contains(&name));
    let view =
        view.ok_or_else(|| format!("view {name}: use {}", VIEWS.map(|(word, _)| word).join(", ")))?;
    Ok((view, VIEWS[view].1))
}
