//! A path that does not keep the order.

use net::Disorder;
use units::Time;

use super::disorder::Unordered;
use super::path::Path;

impl Path {
    /// Something happens to the order of its segments behind their link, if it does.
    pub(crate) fn put_behind(&mut self, disorder: Option<Disorder>) {
        let Some(disorder) = disorder else { return };
        self.is_watched = true;
        self.is_altered = true;
        self.rare.get_or_insert_with(Box::default).unordered = Some(Unordered::new(disorder));
    }

    /// What it has of that.
    pub(crate) fn unordered(&mut self) -> Option<&mut Unordered> {
        self.rare.as_mut()?.unordered.as_mut()
    }

    /// When the first of the segments held back arrives.
    pub(crate) fn held_until(&self) -> Time {
        let unordered = self.rare.as_ref().and_then(|rare| rare.unordered.as_ref());
        unordered.map_or(Time::NEVER, |unordered| unordered.first().saturating_add(self.access_delay()))
    }
}
