//! What floors above keep with a value below, which does not know their types.

use parking_lot::Mutex;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// At most one value of each type.
#[derive(Default)]
pub struct Tenants {
    known: Mutex<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Tenants {
    /// The value of this type; the first call makes it.
    pub fn of<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut known = self.known.lock();
        let value = known.entry(TypeId::of::<T>()).or_insert_with(|| Arc::<T>::default());
        Arc::clone(value).downcast().expect("it is found by its type")
    }
}

impl fmt::Debug for Tenants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tenants").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Words(Mutex<Vec<&'static str>>);

    #[test]
    fn each_holder_keeps_one_value_of_a_type_apart_from_other_holders() {
        let (here, there) = (Tenants::default(), Tenants::default());
        here.of::<Words>().0.lock().push("here");
        assert_eq!(*here.of::<Words>().0.lock(), ["here"]);
        assert!(there.of::<Words>().0.lock().is_empty());
        assert_eq!(*here.of::<u32>(), 0, "another type is another value");
    }
}
