//! The choice of spare nodes, and the methods by which one replaces a failed node (Hori et al.
//! 2015).
//!
//! qD(r,s) keeps spare nodes in a network of q dimensions: the last s layers of each of the first r
//! of them. So 3D(2,1) of 12 x 12 x 12 leaves 11 x 11 x 12 nodes for ranks: 15.97 % are spare.

use super::topology::Grid;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spares {
    dims: u32,
    sides: u32,
    layers: u32,
    /// The methods, in the order in which they are tried.
    pub substitute: Vec<Method>,
    pub choose: Choice,
}

/// A slide in this many dimensions; in none, the failed node's rank moves alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Method(pub u32);

/// Which of several possible substitutions is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The first possible method, with the shortest slide.
    Nearest,
    /// The first possible method, with the last dimension in which a slide is possible, and the
    /// shortest one there: slides keep to few dimensions, which leaves room for later ones.
    Dimension,
    /// Of all possible substitutions the one after which messages collide least.
    Collisions,
}

/// More dimensions than any machine has; slides are tried in every set of them.
const MOST_DIMS: u32 = 12;

impl Spares {
    /// Reads `3D(2,1)`; methods are tried from the most dimensions down to none.
    pub fn parse(text: &str) -> Result<Spares, String> {
        let no = || format!("`{text}` is not an allocation of spares: use 3D(2,1)");
        let (dims, rest) = text.trim().split_once("D(").ok_or_else(no)?;
        let inside = rest.strip_suffix(')').ok_or_else(no)?;
        let (sides, layers) = inside.split_once(',').ok_or_else(no)?;
        let number = |word: &str| word.trim().parse::<u32>().map_err(|_| no());
        let (dims, sides, layers) = (number(dims)?, number(sides)?, number(layers)?);
        if sides == 0 || sides > dims || layers == 0 {
            return Err(format!(
                "`{text}`: spares are in 1 to {dims} dimensions, 1 or more layers"
            ));
        }
        if dims > MOST_DIMS {
            return Err(format!("`{text}`: use at most {MOST_DIMS} dimensions"));
        }
        let substitute = (0..=dims).rev().map(Method).collect();
        Ok(Spares { dims, sides, layers, substitute, choose: Choice::Nearest })
    }

    /// Checks whether a network can have these spares.
    pub fn check(&self, grid: &Grid) -> Result<(), String> {
        let dims = grid.dims();
        if dims.len() != self.dims as usize {
            return Err(format!(
                "{self} is for {} dimensions: there are {}",
                self.dims,
                dims.len()
            ));
        }
        if dims.iter().take(self.sides as usize).any(|&extent| extent <= self.layers) {
            return Err(format!("{self} leaves no node of {dims:?} for ranks"));
        }
        Ok(())
    }

    /// The extent of the nodes for ranks in each dimension.
    pub fn used(&self, grid: &Grid) -> Vec<u32> {
        let kept =
            |(dim, &extent)| extent - if dim < self.sides as usize { self.layers } else { 0 };
        grid.dims().iter().enumerate().map(kept).collect()
    }

    /// The share of nodes that are spare.
    pub fn share(&self, grid: &Grid) -> f64 {
        let used: usize = self.used(grid).iter().map(|&extent| extent as usize).product();
        1.0 - used as f64 / grid.nodes() as f64
    }
}

impl Method {
    /// Reads `2D`.
    pub fn parse(text: &str) -> Result<Method, String> {
        let dims = text.trim().strip_suffix('D').and_then(|dims| dims.parse().ok());
        dims.map(Method).ok_or_else(|| format!("`{text}` is not a substitution: use 0D, 1D, 2D, …"))
    }

    /// Reads `2D`, several with `+` between them, `hybrid(all)`, or, without one, `hybrid(-2D)`.
    pub fn parse_list(text: &str, dims: u32) -> Result<Vec<Method>, String> {
        let all = (0..=dims).rev().map(Method);
        let methods: Vec<Method> = match text.strip_prefix("hybrid(") {
            None => text.split('+').map(Method::parse).collect::<Result<_, _>>()?,
            Some(rest) => match rest.strip_suffix(')') {
                Some("all") => all.collect(),
                but => {
                    let no = || format!("`{text}`: use hybrid(all) or hybrid(-2D)");
                    let but = but.and_then(|but| but.strip_prefix('-')).ok_or_else(no)?;
                    let but = Method::parse(but)?;
                    if but.0 > dims {
                        return Err(format!("{but}: the network has {dims} dimensions only"));
                    }
                    all.filter(|method| *method != but).collect()
                }
            },
        };
        match methods.iter().find(|method| method.0 > dims) {
            Some(method) => Err(format!("{method}: the network has {dims} dimensions only")),
            None => Ok(methods),
        }
    }
}

impl fmt::Display for Spares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}D({},{})", self.dims, self.sides, self.layers)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}D", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(alloc: &str, dims: &[u32]) -> String {
        let spares = Spares::parse(alloc).unwrap();
        let grid = Grid::mesh(dims).unwrap();
        spares.check(&grid).unwrap();
        format!("{:.2}", 100.0 * spares.share(&grid))
    }

    #[test]
    fn shares_are_those_of_the_paper() {
        assert_eq!(share("3D(2,1)", &[12, 12, 12]), "15.97");
        assert_eq!(share("3D(2,1)", &[24, 24, 24]), "8.16");
        assert_eq!(share("2D(1,1)", &[100, 100]), "1.00");
    }

    #[test]
    fn impossible_allocations_are_refused() {
        for text in [
            "3D",
            "3D(2,1",
            "3D(2,1))",
            "3D(4,1)",
            "3D(0,1)",
            "3D(1,0)",
            "D(1,1)",
            "4000000000D(1,1)",
            "13D(1,1)",
        ] {
            assert!(Spares::parse(text).is_err(), "{text}");
        }
        let spares = Spares::parse("2D(2,1)").unwrap();
        assert!(spares.check(&Grid::mesh(&[1, 5]).unwrap()).is_err());
        assert!(spares.check(&Grid::mesh(&[5, 5, 5]).unwrap()).is_err());
    }

    #[test]
    fn methods_are_named_alone_together_or_by_what_is_left_out() {
        let read = |text| {
            Method::parse_list(text, 3)
                .map(|list| list.iter().map(Method::to_string).collect::<Vec<_>>().join("+"))
        };
        assert_eq!(read("hybrid(all)").unwrap(), "3D+2D+1D+0D");
        assert_eq!(read("hybrid(-2D)").unwrap(), "3D+1D+0D");
        assert_eq!(read("1D+0D").unwrap(), "1D+0D");
        assert!(read("4D").unwrap_err().contains("3 dimensions only"));
        for text in ["hybrid(all", "hybrid(all))", "hybrid(2D)", "hybrid()", "hybrid(-4D)"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read("hybrid(2D)").unwrap_err().contains("hybrid(all)"));
    }
}
