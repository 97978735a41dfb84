//! Parses which nodes of a network a command means: by place, by number, at random.
//!
//! `10%`, `100`, `all`, `node 3 17`, `box 0.2,0.2..0.5,0.5`, `ball 0.5,0.5 0.1`, or a part of one:
//! `50% of ball 0.5,0.5 0.1`. Places are those of the picture, from 0,0 to 1,1.

use super::graph::Graph;
use crate::plane::distance;
use ftmpi_machine::region::Nodes;
use ftmpi_machine::units::amount;

/// Parses the words above.
pub fn parse(words: &str, graph: &Graph) -> Result<Nodes, String> {
    let words = words.trim();
    let (part, set) = match words.split_once(" of ") {
        Some((part, set)) => (Some(amount(part)?), set.trim()),
        None if words.starts_with(|c: char| c.is_ascii_digit()) => (Some(amount(words)?), "all"),
        None => (None, words),
    };
    Ok(Nodes::of(set_of(set, graph)?, part))
}

fn set_of(words: &str, graph: &Graph) -> Result<Vec<usize>, String> {
    let no = || format!("`{words}`: use 10%, 100, node 3 17, box 0,0..0.5,0.5 or ball 0.5,0.5 0.1");
    let (kind, rest) = words.split_once(' ').unwrap_or((words, ""));
    let place = |text: &str| -> Result<[f32; 2], String> {
        let (x, y) = text.trim().split_once(',').ok_or_else(no)?;
        Ok([number(x).ok_or_else(no)?, number(y).ok_or_else(no)?])
    };
    let all = graph.places.iter().enumerate();
    match kind {
        "all" => Ok((0..graph.places.len()).collect()),
        "node" | "nodes" => {
            let numbers = rest.split([' ', ',']).filter(|word| !word.is_empty());
            let nodes: Vec<usize> =
                numbers.map(str::parse).collect::<Result<_, _>>().map_err(|_| no())?;
            match nodes.iter().find(|&&node| node >= graph.places.len()) {
                Some(node) => {
                    Err(format!("there is no node {node}: use 0 to {}", graph.places.len() - 1))
                }
                None => Ok(nodes),
            }
        }
        "box" => {
            let (low, high) = rest.split_once("..").ok_or_else(no)?;
            let (low, high) = (place(low)?, place(high)?);
            if (0..2).any(|axis| low[axis] >= high[axis]) {
                return Err(format!(
                    "`{words}`: its second corner is right of and above the first"
                ));
            }
            let is_in =
                |at: &[f32; 2]| (0..2).all(|axis| low[axis] <= at[axis] && at[axis] < high[axis]);
            Ok(all.filter(|(_, at)| is_in(at)).map(|(node, _)| node).collect())
        }
        "ball" => {
            let (centre, radius) = rest.trim().rsplit_once(' ').ok_or_else(no)?;
            let (centre, radius) = (place(centre)?, number(radius).ok_or_else(no)?);
            if radius <= 0.0 {
                return Err(format!("`{words}`: use a radius of more than 0, such as 0.1"));
            }
            let is_in = |at: &[f32; 2]| {
                distance(at.map(f64::from), centre.map(f64::from)) <= f64::from(radius)
            };
            Ok(all.filter(|(_, at)| is_in(at)).map(|(node, _)| node).collect())
        }
        _ => Err(no()),
    }
}

fn number(text: &str) -> Option<f32> {
    text.trim().parse().ok().filter(|number: &f32| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::natural::Wiring;
    use ftmpi_base::random::Random;

    #[test]
    fn regions_are_where_they_are_seen() {
        let graph = Wiring::Nearest(4).graph(10_000, 1).unwrap();
        let count = |words| parse(words, &graph).unwrap().pick(&mut Random::new(1), |_| true).len();
        assert_eq!(count("10%"), 1000);
        assert_eq!(count("7"), 7);
        assert_eq!(count("node 3, 17"), 2);
        assert!((2300..2700).contains(&count("box 0,0..0.5,0.5")));
        let ball = count("ball 0.5,0.5 0.1");
        assert!((250..380).contains(&ball), "{ball}");
        assert_eq!(count("50% of ball 0.5,0.5 0.1"), ball.div_ceil(2));
        assert!(parse("some", &graph).unwrap_err().contains("use 10%"));
        assert!(parse("node 10000", &graph).unwrap_err().contains("0 to 9999"));
        for words in ["ball 0.5,0.5 nan", "ball nan,0 0.1", "ball 0,0 inf", "box 0,0..nan,1"] {
            assert!(parse(words, &graph).unwrap_err().contains("use 10%"), "{words}");
        }
        for words in ["ball 0.5,0.5 0", "ball 0.5,0.5 -1"] {
            assert!(parse(words, &graph).unwrap_err().contains("a radius of more than 0"));
        }
        assert!(parse("box 0.5,0..0.2,1", &graph).unwrap_err().contains("its second corner"));
        for words in ["101%", "-1%", "nan%", "120% of all"] {
            assert!(parse(words, &graph).unwrap_err().contains("%"), "{words}");
        }
    }
}
