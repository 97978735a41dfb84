//! The paper's drawings, computed instead of copied: failures are substituted on a small machine,
//! and the result is drawn. Where a drawing shows the worst case, that is searched.

use super::drawing::{Drawing, Kind, Panel};
use super::study::{Case, Study, study};
use super::worst::{Search, worst};
use ftmpi_machine::placement::{Move, Use};
use ftmpi_machine::spares::Method;
use ftmpi_machine::topology::Grid;

/// The machine of most drawings, and the node that fails first there.
const SMALL: [u32; 2] = [6, 6];
const FIRST: usize = 21;
/// A node in the middle of it.
const MIDDLE: usize = 14;
/// A way to slide, given by the dimension that it stays in.
const ROW: usize = 0;
const COLUMN: usize = 1;

/// Figure 1: without spares, a stencil loses a row and a column, and the rest has more work.
pub(super) fn without_spares() -> Result<Drawing, String> {
    let grid = Grid::mesh(&SMALL)?;
    let mut fails = Panel::plain(format!("node {FIRST} of 36 fails"), &grid);
    fails.nodes[FIRST].0 = Kind::Dead;
    let failed = grid.place(FIRST);
    let is_out = |node: usize| (0..2).any(|dim| grid.along(node, dim) == failed[dim]);
    let mut cut = fails.clone();
    for node in (0..grid.nodes()).filter(|&node| is_out(node) && node != FIRST) {
        cut.nodes[node].0 = Kind::Idle;
    }
    let left = (0..grid.nodes()).filter(|&node| !is_out(node)).count();
    cut.title = "its row and column are left out".into();
    let mut shared = cut.clone();
    let load = grid.nodes() as f64 / left as f64;
    for node in 0..grid.nodes() {
        shared.nodes[node].1 = if is_out(node) { String::new() } else { format!("{load:.2}") };
    }
    shared.title = format!("{left} nodes with {load:.2} times the work");
    Ok(Drawing {
        title: "1. A failure without spare nodes".into(),
        panels: vec![fails, cut, shared],
        columns: 3,
    })
}

/// Figure 2: which nodes are spare.
pub(super) fn allocations() -> Result<Drawing, String> {
    let panel = |alloc: &str| -> Result<Panel, String> {
        let study = study(&[8, 8], alloc, "0D", None)?;
        let share = 100.0 * study.spares.share(&study.grid);
        let title = format!("{alloc}: {} of 64, {share:.1} %", study.reach());
        Ok(Panel::of(title, &study, &study.case(false).placement))
    };
    let panels = ["2D(1,1)", "2D(2,1)", "2D(2,2)"].map(panel).into_iter().collect::<Result<_, _>>();
    Ok(Drawing { title: "2. Where spare nodes are".into(), panels: panels?, columns: 3 })
}

/// Figure 4: the messages of a stencil before and after the first failure that does most harm.
pub(super) fn collisions() -> Result<Drawing, String> {
    let study = study(&SMALL, "2D(1,1)", "0D", None)?;
    let mut case = study.case(true);
    let before = Panel::of_case("5 points: one message on each link".into(), &study, &case);
    let found = worst(&study, 1, Search::default());
    let (moves, uses) = fail(&mut case, &found[0].ranks)?;
    let title = format!("F is replaced by a spare: {uses} messages on a link");
    let after = Panel::of_case(title, &study, &case).with_moves(&moves);
    let title = "4. Messages that collide".into();
    Ok(Drawing { title, panels: vec![before, after], columns: 2 })
}

/// Figure 5: one failure, substituted in three ways.
pub(super) fn methods() -> Result<Drawing, String> {
    let panel = |method: &str| -> Result<Panel, String> {
        let study = study(&SMALL, "2D(2,1)", method, None)?;
        let mut case = study.case(true);
        let rank = rank_on(&case, MIDDLE)?;
        let (moves, uses) = fail(&mut case, &[rank])?;
        let ranks = if moves.len() == 1 { "rank moves" } else { "ranks move" };
        let title = format!("{method}: {} {ranks}, {uses} on the busiest link", moves.len());
        Ok(Panel::of_case(title, &study, &case).with_moves(&moves))
    };
    let panels = ["0D", "1D", "2D"].map(panel).into_iter().collect::<Result<_, _>>();
    let title = format!("5. Ways to substitute node {MIDDLE}");
    Ok(Drawing { title, panels: panels?, columns: 3 })
}

/// Figure 6: the worst that five and seven lone moves can do.
pub(super) fn worst_of_lone_moves(threads: usize) -> Result<Drawing, String> {
    let study = study(&[15, 15], "2D(1,1)", "0D", None)?;
    let found = worst(&study, 7, Search { orders: 50_000, threads, ..Search::default() });
    let panel = |failures: usize| -> Result<Panel, String> {
        let ranks = &found[failures - 1].ranks;
        let mut case = study.case(true);
        let (moves, uses) = fail(&mut case, ranks)?;
        let title = format!("{failures} failures: {uses} messages on a link");
        let mut panel = Panel::of_case(title, &study, &case);
        panel.nodes.iter_mut().for_each(|(_, label)| label.clear());
        for (step, at) in moves.iter().zip(1..) {
            panel.nodes[step.from as usize].1 = at.to_string();
            panel.nodes[step.to as usize].1 = format!("{at}'");
        }
        Ok(panel)
    };
    let panels = [5, 7].map(panel).into_iter().collect::<Result<_, _>>()?;
    Ok(Drawing { title: "6. The worst found for 0D on a mesh, 2D(1,1)".into(), panels, columns: 2 })
}

/// Figure 7: 1D slides along rows and columns, and failures for which none is left.
pub(super) fn slides() -> Result<Drawing, String> {
    let study = study(&SMALL, "2D(2,1)", "1D", None)?;
    let mut panels = Vec::new();
    let mixed = [(FIRST, Some(COLUMN)), (16, Some(ROW)), (15, None)];
    let uneven = [(FIRST, Some(COLUMN)), (16, Some(COLUMN)), (15, Some(ROW))];
    for failures in [mixed, uneven] {
        let mut case = study.case(true);
        for (node, wanted) in failures {
            panels.push(slide(&study, &mut case, node, wanted)?);
        }
    }
    let case = &mut study.case(true);
    for node in limit(&study)? {
        let rank = rank_on(case, node)?;
        let way = case.plan(rank).map(|(_, moves)| way_of(&study, &moves));
        panels.push(slide(&study, case, node, way)?);
    }
    // The first of four failures looks as above.
    panels.remove(panels.len() - 4);
    Ok(Drawing { title: "7. 1D slides, failure by failure".into(), panels, columns: 3 })
}

/// Figure 9: 2D slides as long as there are any, then 1D.
pub(super) fn hybrid() -> Result<Drawing, String> {
    let study = study(&SMALL, "2D(2,1)", "2D+1D", None)?;
    let mut case = study.case(true);
    let mut panels = Vec::new();
    for node in [FIRST, 7, 16] {
        let rank = rank_on(&case, node)?;
        let (method, moves) = case.plan(rank).ok_or("hybrids handle three failures")?;
        let uses = case.go(rank, &moves);
        let title = format!("node {node} fails: {method}, {uses} on the busiest link");
        panels.push(Panel::of_case(title, &study, &case).with_moves(&moves));
    }
    Ok(Drawing { title: "9. hybrid(2D+1D), failure by failure".into(), panels, columns: 3 })
}

/// These ranks' nodes fail; returns the moves, and the messages on the most used link then.
fn fail(case: &mut Case, ranks: &[usize]) -> Result<(Vec<Move>, usize), String> {
    let (mut all, mut uses) = (Vec::new(), 0);
    for &rank in ranks {
        let (_, moves) = case.plan(rank).ok_or("drawn failures have substitutes")?;
        uses = case.go(rank, &moves);
        all.extend(moves);
    }
    Ok((all, uses))
}

fn rank_on(case: &Case, node: usize) -> Result<usize, String> {
    match case.placement.node(node) {
        Use::Rank(rank) => Ok(rank as usize),
        other => Err(format!("node {node} hosts no rank: {other:?}")),
    }
}

/// A node fails, and its rank slides that way; an error if there is none.
fn slide(
    study: &Study, case: &mut Case, node: usize, wanted: Option<usize>,
) -> Result<Panel, String> {
    let rank = rank_on(case, node)?;
    let mut ways = case.placement.ways(node, Method(1));
    let Some(wanted) = wanted else {
        assert!(ways.is_empty(), "a drawing says that no slide is left for {node}");
        let mut panel = Panel::of_case(format!("{node} fails: no slide is left"), study, case);
        panel.nodes[node] = (Kind::Dead, "F".into());
        panel.links.clear();
        return Ok(panel);
    };
    ways.retain(|moves| way_of(study, moves) == wanted);
    let moves = ways.into_iter().min_by_key(Vec::len).ok_or("drawn slides are possible")?;
    let uses = case.go(rank, &moves);
    let along = if wanted == ROW { "row" } else { "column" };
    let title = format!("{node} fails: a slide along its {along}, {uses} on a link");
    Ok(Panel::of_case(title, study, case).with_moves(&moves))
}

/// The dimension of a slide.
fn way_of(study: &Study, moves: &[Move]) -> usize {
    let last = moves.last().expect("a slide moves somebody");
    let apart = |dim| {
        let along = |node: u32| study.grid.along(node as usize, dim);
        along(last.from) != along(last.to)
    };
    if apart(ROW) { ROW } else { COLUMN }
}

/// Nodes of which the fourth to fail has no slide, though the others kept to one dimension as long
/// as possible.
fn limit(study: &Study) -> Result<[usize; 4], String> {
    let nodes = study.grid.nodes();
    let mut begun = study.case(false);
    for node in [FIRST, 16] {
        let rank = rank_on(&begun, node)?;
        fail(&mut begun, &[rank])?;
    }
    for third in (0..nodes).filter(|&node| rank_on(&begun, node).is_ok()) {
        let mut case = begun.clone();
        let rank = rank_on(&case, third)?;
        if case.fail(rank).is_none() {
            continue;
        }
        let is_stuck = |node: &usize| {
            rank_on(&case, *node).is_ok_and(|rank| case.clone().plan(rank).is_none())
        };
        if let Some(fourth) = (0..nodes).find(is_stuck) {
            return Ok([FIRST, 16, third, fourth]);
        }
    }
    Err("four failures are always handled".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn most(drawing: &Drawing) -> Vec<usize> {
        drawing.panels.iter().map(Panel::most).collect()
    }

    fn count(panel: &Panel, kind: Kind) -> usize {
        panel.nodes.iter().filter(|(other, _)| *other == kind).count()
    }

    #[test]
    fn a_stencil_without_spares_keeps_25_of_36_nodes() {
        let drawing = without_spares().unwrap();
        assert_eq!(count(&drawing.panels[1], Kind::Idle), 10);
        assert_eq!(drawing.panels[2].nodes[0].1, "1.44");
    }

    #[test]
    fn allocations_have_their_spares() {
        let panels = allocations().unwrap().panels;
        assert_eq!([0, 1, 2].map(|at| count(&panels[at], Kind::Spare)), [8, 15, 28]);
    }

    #[test]
    fn one_lone_move_has_five_messages_on_a_link_a_chain_three_and_a_plane_one() {
        assert_eq!(most(&collisions().unwrap()), [1, 5]);
        assert_eq!(most(&methods().unwrap()), [5, 3, 1]);
        assert_eq!(most(&worst_of_lone_moves(2).unwrap()), [11, 16]);
    }

    #[test]
    fn slides_end_at_the_third_failure_or_at_the_fourth() {
        let panels = slides().unwrap().panels;
        let is_stuck: Vec<bool> = panels.iter().map(|panel| panel.moves.is_empty()).collect();
        let (o, x) = (false, true);
        assert_eq!(is_stuck, [o, o, x, o, o, o, o, o, x]);
    }

    #[test]
    fn a_hybrid_slides_planes_twice_without_a_collision_and_then_a_chain() {
        let panels = hybrid().unwrap().panels;
        let methods: Vec<_> = panels.iter().map(|panel| panel.title.contains("1D")).collect();
        assert_eq!(methods, [false, false, true]);
        assert_eq!(panels.iter().map(Panel::most).collect::<Vec<_>>()[..2], [1, 1]);
        assert!(panels.iter().all(|panel| count(panel, Kind::Rank) > 0));
    }
}
