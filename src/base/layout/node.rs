//! The tree of a layout. A node says nothing of where it begins: whoever holds it does.

use std::sync::Arc;

/// Data in the order of the type map.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Empty,
    /// `count` blocks of `bytes`, the beginnings `stride` apart.
    Strip {
        bytes: u64,
        count: u64,
        stride: i64,
    },
    /// Blocks of `bytes` at these offsets, the first of which is 0.
    Blocks {
        bytes: u64,
        offsets: Arc<[i64]>,
    },
    /// Runs of bytes, of any lengths.
    Runs {
        size: u64,
        runs: Arc<[Run]>,
    },
    /// The body `count` times, `stride` apart.
    Loop {
        count: u64,
        stride: i64,
        size: u64,
        body: Arc<Node>,
    },
    List {
        size: u64,
        parts: Arc<[Part]>,
    },
}

/// A node at its place in a list.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Bytes of data in the parts before.
    pub(super) before: u64,
    /// Where its first byte is, seen from that of the list.
    pub(super) offset: i64,
    pub(super) node: Node,
}

/// A run at its place among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins, seen from the first.
    pub offset: i64,
    pub bytes: usize,
    /// Bytes of data in the runs before.
    pub before: usize,
}

/// Up to so many runs are few: more do not become part of others one by one.
pub const FEW_RUNS: usize = 32;

/// Lists up to this length are taken apart to be part of another.
const SHORT: usize = 16;
/// So many equal blocks at equal distances become a strip.
const FEWEST: usize = 4;

impl Node {
    #[inline]
    pub(super) fn run(bytes: u64) -> Node {
        if bytes == 0 { Node::Empty } else { Node::Strip { bytes, count: 1, stride: 0 } }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Node::Empty)
    }

    #[inline]
    pub(super) fn is_run(&self) -> bool {
        matches!(self, Node::Strip { count: 1, .. })
    }

    /// Bytes of data.
    #[inline]
    pub(super) fn size(&self) -> u64 {
        match self {
            Node::Empty => 0,
            Node::Strip { bytes, count, .. } => bytes.saturating_mul(*count),
            Node::Blocks { bytes, offsets } => bytes.saturating_mul(offsets.len() as u64),
            Node::Loop { size, count, .. } => size.saturating_mul(*count),
            Node::List { size, .. } | Node::Runs { size, .. } => *size,
        }
    }

    /// This `count` times, `stride` apart.
    pub(super) fn repeat(self, count: u64, stride: i64) -> Node {
        let is_next = |step: i64, steps: u64| {
            i64::try_from(steps).ok().and_then(|steps| step.checked_mul(steps)) == Some(stride)
        };
        match (count, self) {
            (0, _) | (_, Node::Empty) => Node::Empty,
            (1, node) => node,
            (_, Node::Strip { bytes, count: 1, .. }) if is_next(1, bytes) => {
                Node::run(bytes.saturating_mul(count))
            }
            (_, Node::Strip { bytes, count: 1, .. }) => Node::Strip { bytes, count, stride },
            (_, Node::Strip { bytes, count: inner, stride: step }) if is_next(step, inner) => {
                Node::Strip { bytes, count: inner.saturating_mul(count), stride: step }
            }
            (_, Node::Loop { count: inner, stride: step, size, body }) if is_next(step, inner) => {
                let count = inner.saturating_mul(count);
                Node::Loop { count, stride: step, size, body }
            }
            (_, node) => {
                let node = node.in_runs();
                let size = node.size();
                Node::Loop { count, stride, size, body: Arc::new(node) }
            }
        }
    }

    /// The same as runs if it is a short strip.
    fn in_runs(self) -> Node {
        match self {
            Node::Strip { bytes, count, stride } if 1 < count && count <= SHORT as u64 => {
                let run = |index: u64| (stride.wrapping_mul(index as i64), bytes);
                Node::runs((0..count).map(run))
            }
            node => node,
        }
    }

    /// Runs, by where they begin, seen from the first, and how long they are.
    fn runs(runs: impl Iterator<Item = (i64, u64)>) -> Node {
        let mut size = 0;
        let runs = runs.map(|(offset, bytes)| {
            let before = size as usize;
            size += bytes;
            Run { offset, bytes: bytes as usize, before }
        });
        let runs = runs.collect();
        Node::Runs { size, runs }
    }

    /// Nodes at their places, one after the other; returns where the first byte of data is.
    pub(super) fn list(nodes: Vec<(i64, Node)>) -> (i64, Node) {
        let mut merged: Vec<(i64, Node)> = Vec::with_capacity(nodes.len());
        for (offset, node) in nodes {
            match node {
                Node::Empty => {}
                Node::Runs { runs, .. } if runs.len() <= FEW_RUNS => {
                    for run in runs.iter() {
                        let node = Node::run(run.bytes as u64);
                        append(&mut merged, offset.wrapping_add(run.offset), node);
                    }
                }
                Node::List { parts, .. } if parts.len() <= SHORT => {
                    for part in parts.iter() {
                        append(&mut merged, offset.wrapping_add(part.offset), part.node.clone());
                    }
                }
                node => append(&mut merged, offset, node),
            }
        }
        let mut merged = gathered(merged);
        if merged.len() < 2 {
            return merged.pop().unwrap_or((0, Node::Empty));
        }
        let (first, mut size) = (merged[0].0, 0);
        let lengths: Option<Vec<u64>> = merged.iter().map(|(_, node)| run_length(node)).collect();
        let is_plain = |lengths: &Vec<u64>| {
            lengths.len() <= FEW_RUNS || lengths.iter().any(|length| *length != lengths[0])
        };
        if let Some(lengths) = lengths.filter(is_plain) {
            let places = merged.iter().map(|(offset, _)| offset.wrapping_sub(first));
            return (first, Node::runs(places.zip(lengths)));
        }
        if let Some(bytes) = run_length(&merged[0].1)
            && merged.iter().all(|(_, node)| run_length(node) == Some(bytes))
        {
            let offsets = merged.iter().map(|(offset, _)| offset.wrapping_sub(first)).collect();
            return (first, Node::Blocks { bytes, offsets });
        }
        let parts = merged.into_iter().map(|(offset, node)| {
            let before = size;
            size += node.size();
            Part { before, offset: offset.wrapping_sub(first), node }
        });
        let parts = parts.collect();
        (first, Node::List { size, parts })
    }
}

/// How long a node is that is one run.
fn run_length(node: &Node) -> Option<u64> {
    match node {
        Node::Strip { bytes, count: 1, .. } => Some(*bytes),
        _ => None,
    }
}

/// Puts a node behind the others: a run goes on with the one before if it begins where that ends.
fn append(nodes: &mut Vec<(i64, Node)>, offset: i64, node: Node) {
    if let Node::Strip { bytes, count: 1, .. } = node
        && let Some((start, Node::Strip { bytes: before, count: 1, .. })) = nodes.last_mut()
        && start.checked_add_unsigned(*before) == Some(offset)
    {
        *before += bytes;
        return;
    }
    nodes.push((offset, node));
}

/// Runs of one length at equal distances become strips.
fn gathered(nodes: Vec<(i64, Node)>) -> Vec<(i64, Node)> {
    let length = |(_, node): &(i64, Node)| run_length(node);
    let mut out = Vec::new();
    let mut from = 0;
    while from < nodes.len() {
        let mut to = from + 1;
        if let Some(bytes) = length(&nodes[from])
            && let Some((next, _)) = nodes.get(to)
        {
            let stride = next.wrapping_sub(nodes[from].0);
            while to < nodes.len()
                && length(&nodes[to]) == Some(bytes)
                && nodes[to].0.wrapping_sub(nodes[to - 1].0) == stride
            {
                to += 1;
            }
            if to - from >= FEWEST {
                let count = (to - from) as u64;
                out.push((nodes[from].0, Node::Strip { bytes, count, stride }));
                from = to;
                continue;
            }
        }
        // What did not go on from here may do so from the next.
        out.push(nodes[from].clone());
        from += 1;
    }
    // A strip here and there is not worth taking the whole apart.
    if out.len() * FEWEST > nodes.len() { nodes } else { out }
}
