//! Which part of the nodes is spare, by the size of a job and by how many sides it spares.

use super::plot::{Curve, Pen, Plot};
use ftmpi_machine::spares::Spares;
use ftmpi_machine::topology::Grid;

/// What spares may be, at the most, where an allocation is chosen by the size of the job.
const MOST_PERCENT: f64 = 5.0;

/// Figure 3: the share of each allocation.
pub(super) fn of_allocations() -> Result<Plot, String> {
    let allocs = ["2D(1,1)", "2D(2,1)", "3D(1,1)", "3D(2,1)", "3D(3,1)", "3D(2,2)"];
    let curve = |(alloc, at): (&str, usize)| -> Result<Curve, String> {
        let sides = (4..=100).step_by(4);
        let points = sides.map(|side| Ok((f64::from(side), percent(alloc, side)?)));
        let points = points.collect::<Result<_, String>>()?;
        Ok(Curve { name: alloc.into(), pen: Pen::numbered(at), points })
    };
    let curves = allocs.into_iter().zip(0..).map(curve).collect::<Result<_, _>>()?;
    Ok(plot("Share of spare nodes", curves))
}

/// Figure 22: small jobs spare one side, large ones three, so that shares stay between bounds.
pub(super) fn by_size() -> Result<Plot, String> {
    let allocs = ["3D(1,1)", "3D(2,1)", "3D(3,1)"];
    let sides = || 10..=150u32;
    let mut curves = Vec::new();
    for (alloc, at) in allocs.into_iter().zip(0..) {
        let points = sides().map(|side| Ok((f64::from(side), percent(alloc, side)?)));
        let points = points.collect::<Result<_, String>>()?;
        let pen = Pen { dash: "4 3", width: 1.0, ..Pen::numbered(at) };
        curves.push(Curve { name: alloc.into(), pen, points });
    }
    for (alloc, at) in allocs.into_iter().zip(0..) {
        let mut points = Vec::new();
        for side in sides() {
            if chosen(side)? == Some(alloc) {
                points.push((f64::from(side), percent(alloc, side)?));
            }
        }
        let pen = Pen { width: 4.0, ..Pen::numbered(at) };
        curves.push(Curve { name: format!("chosen: {alloc}"), pen, points });
    }
    let title = format!("The most sides of which at most {MOST_PERCENT} % are spare");
    Ok(plot(&title, curves))
}

/// The allocation with the most sides that costs no more than is wanted; none for a small job.
fn chosen(side: u32) -> Result<Option<&'static str>, String> {
    for alloc in ["3D(3,1)", "3D(2,1)", "3D(1,1)"] {
        // Twentieths are no binary fractions.
        if percent(alloc, side)? <= MOST_PERCENT + 1e-9 {
            return Ok(Some(alloc));
        }
    }
    Ok(None)
}

/// Of a square or cube with so many nodes on a side.
fn percent(alloc: &str, side: u32) -> Result<f64, String> {
    let dims = alloc.starts_with('3') as usize + 2;
    Ok(100.0 * Spares::parse(alloc)?.share(&Grid::mesh(&vec![side; dims])?))
}

fn plot(title: &str, curves: Vec<Curve>) -> Plot {
    let (across, up) = ("nodes on a side".into(), "spares in %".into());
    Plot { title: title.into(), across, up, curves }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_20_to_150_on_a_side_two_to_five_percent_are_spare() {
        for side in 20..=150 {
            let alloc = chosen(side).unwrap().unwrap();
            assert!((1.9..=5.001).contains(&percent(alloc, side).unwrap()), "{side}: {alloc}");
        }
        assert_eq!(chosen(19).unwrap(), None);
    }
}
