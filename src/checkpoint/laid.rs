//! Layouts that ranks share: there is one copy of equal layouts.

use super::apart;
use super::extent::Heads;
use super::layout::Layout;
use super::scheme::Scheme;
use crate::base::sync::alike::Alike;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

/// What a layout follows from: the digest of the scheme, the number of members, and their nodes.
type Reasons = (u64, usize, Vec<u32>);

/// The layouts in use.
static LAYOUTS: Alike<Reasons, Result<Layout, String>> = Alike::new();

/// A shared layout.
#[derive(Clone, Debug)]
pub struct Laid(Arc<Result<Layout, String>>);

impl Laid {
    /// The layout of a scheme among `members`, or why there is none.
    pub fn of(scheme: &Scheme, members: usize, nodes: &[u32]) -> Result<Laid, String> {
        let reasons = (scheme.digest(), members, nodes.to_vec());
        let made = LAYOUTS.of(reasons, || Layout::new(scheme, members, nodes));
        match &*made {
            Ok(_) => Ok(Laid(made)),
            Err(why) => Err(why.clone()),
        }
    }
}

impl Deref for Laid {
    type Target = Layout;
    fn deref(&self) -> &Layout {
        self.0.as_ref().as_ref().expect("nothing else is laid out")
    }
}

/// The layouts of checkpoints of one scheme, which may have been taken on different nodes.
pub struct Layouts {
    pub scheme: Scheme,
    /// By serial number; layouts of other checkpoints do not depend on nodes.
    pub(super) nodes: BTreeMap<u64, Arc<Heads>>,
}

impl Layouts {
    /// The layout of the checkpoint `serial`, which `members` took.
    pub fn of(&self, serial: u64, members: usize) -> Laid {
        let nodes = self.nodes.get(&serial).map_or(&[][..], |heads| &heads.nodes);
        Laid::of(&self.scheme, members, nodes).expect("they have taken a checkpoint by it")
    }
}

impl From<&Scheme> for Layouts {
    fn from(scheme: &Scheme) -> Layouts {
        Layouts { scheme: scheme.clone(), nodes: BTreeMap::new() }
    }
}

impl Layout {
    /// The layout of a scheme among `members`, or why there is none. `nodes` has the node of each
    /// member, or is empty if no member has named one.
    pub fn new(scheme: &Scheme, members: usize, nodes: &[u32]) -> Result<Layout, String> {
        let mut layout = match nodes {
            [] => Layout::anywhere(scheme, members)?,
            nodes => apart::layout(scheme, nodes)?,
        };
        layout.note_parts();
        Ok(layout)
    }
}
