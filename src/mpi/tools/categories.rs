//! Categories of variables and events: one root, and a category for each subject below it.

use super::cvars::CVARS;
use super::errors;
use super::event_queue::{EVENTS, SOURCES};
use super::pvars::PVARS;
use crate::mpi::error::Result;

pub struct Category {
    pub name: &'static str,
    pub description: &'static str,
    /// The categories below it.
    pub children: &'static [&'static str],
}

/// What [`changed`](CHANGES) counts: the tree is the same for ever.
pub const CHANGES: i32 = 1;

pub static CATEGORIES: &[Category] = &[
    Category {
        name: "ftmpi-rs",
        description: "everything that the library shows",
        children: &["job", "failures", "checks", "messages", "collectives", "scheduling", "memory"],
    },
    leaf("job", "how the job was started"),
    leaf("failures", "failures, recoveries, and what the job makes of them"),
    leaf("checks", "checks that can be turned on and off"),
    Category { name: "messages", description: "messages between two ranks", children: &["paths"] },
    leaf("paths", "messages by the way that they go"),
    leaf("collectives", "collective operations"),
    leaf("scheduling", "how ranks wait and run"),
    leaf("memory", "memory of a rank"),
];

const fn leaf(name: &'static str, description: &'static str) -> Category {
    Category { name, description, children: &[] }
}

/// The category with this index.
pub fn category(index: i32) -> Result<&'static Category> {
    let found = usize::try_from(index).ok().and_then(|index| CATEGORIES.get(index));
    found.ok_or_else(|| {
        errors::INVALID_INDEX.because(format!("cat_index is {index}, not a category"))
    })
}

fn places<T>(all: &[T], is_in: impl Fn(&T) -> bool) -> Vec<i32> {
    (0..).zip(all).filter(|(_, one)| is_in(one)).map(|(index, _)| index).collect()
}

impl Category {
    /// The control variables in it, by their indices.
    pub fn cvars(&self) -> Vec<i32> {
        places(CVARS, |variable| variable.category == self.name)
    }

    pub fn pvars(&self) -> Vec<i32> {
        places(PVARS, |variable| variable.category == self.name)
    }

    pub fn events(&self) -> Vec<i32> {
        places(&EVENTS, |event| SOURCES[event.source].name == self.name)
    }

    pub fn categories(&self) -> Vec<i32> {
        places(CATEGORIES, |category| self.children.contains(&category.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_variable_and_event_is_in_one_category_and_every_category_below_the_root() {
        let mut cvars: Vec<i32> = CATEGORIES.iter().flat_map(Category::cvars).collect();
        let mut pvars: Vec<i32> = CATEGORIES.iter().flat_map(Category::pvars).collect();
        let mut events: Vec<i32> = CATEGORIES.iter().flat_map(Category::events).collect();
        let mut below: Vec<i32> = CATEGORIES.iter().flat_map(Category::categories).collect();
        [&mut cvars, &mut pvars, &mut events, &mut below].into_iter().for_each(|list| list.sort());
        assert!(cvars.iter().copied().eq(0..CVARS.len() as i32));
        assert!(pvars.iter().copied().eq(0..PVARS.len() as i32));
        assert!(events.iter().copied().eq(0..EVENTS.len() as i32));
        assert!(below.iter().copied().eq(1..CATEGORIES.len() as i32), "all but the root");
    }

    #[test]
    fn names_are_unique() {
        let cvars: BTreeSet<&str> = CVARS.iter().map(|variable| variable.name).collect();
        let pvars: BTreeSet<&str> = PVARS.iter().map(|variable| variable.name).collect();
        assert_eq!((cvars.len(), pvars.len()), (CVARS.len(), PVARS.len()));
    }
}
