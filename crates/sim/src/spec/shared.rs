//! What many places hold and few change: one copy for all that are equal.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A value that others may hold as well. What changes it has a copy of its own from then on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shared<T>(Arc<T>);

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Shared<T> {
        Shared(Arc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

/// The values, where neighbours that are equal are one.
pub fn share<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<Shared<T>> {
    let mut shared: Vec<Shared<T>> = Vec::with_capacity(values.size_hint().0);
    for value in values {
        let known = shared.last().filter(|&known| **known == value).map(|known| Shared(known.0.clone()));
        shared.push(known.unwrap_or_else(|| value.into()));
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbours_are_one_until_one_is_changed() {
        let mut shared = share([7, 7, 8].into_iter());
        assert!(Arc::ptr_eq(&shared[0].0, &shared[1].0) && !Arc::ptr_eq(&shared[1].0, &shared[2].0));
        *shared[1] = 9;
        assert_eq!(shared.iter().map(|value| **value).collect::<Vec<_>>(), [7, 9, 8]);
    }
}
