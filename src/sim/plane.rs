//! Distances in the plane, the same on every machine: `hypot` is the C library's, and rounds as that
//! library's version does.

pub(crate) fn distance(one: [f64; 2], other: [f64; 2]) -> f64 {
    let [x, y] = [one[0] - other[0], one[1] - other[1]];
    (x * x + y * y).sqrt()
}
