//! Layouts that ranks share: equal ones exist once.

use super::apart;
use super::extent::Heads;
use super::layout::Layout;
use super::scheme::Scheme;
use crate::base::sync::alike::Alike;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

/// What layouts follow from: what the scheme is, how many members there are, and their nodes.
type Reasons = (u64, usize, Vec<u32>);

/// Those that somebody holds.
static LAYOUTS: Alike<Reasons, Result<Layout, String>> = Alike::new();

/// A layout that all share.
#[derive(Clone, Debug)]
pub struct Laid(Arc<Result<Layout, String>>);

impl Laid {
    /// The layout of a scheme among so many members; why there is none otherwise.
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
    /// By serial numbers; what is not in there was taken without.
    pub(super) nodes: BTreeMap<u64, Arc<Heads>>,
}

impl Layouts {
    /// That of the checkpoint `serial` of so many members.
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
    /// The layout of a scheme among so many members; why there is none otherwise. `nodes`: where
    /// each of them is; or nothing, where nobody has said so.
    pub fn new(scheme: &Scheme, members: usize, nodes: &[u32]) -> Result<Layout, String> {
        let mut layout = match nodes {
            [] => Layout::anywhere(scheme, members)?,
            nodes => apart::layout(scheme, nodes)?,
        };
        layout.note_parts();
        Ok(layout)
    }
}
