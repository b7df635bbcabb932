//! Clones that go into the room of another value.

/// `Clone` field by field, where `clone_from` is too: what the value to be overwritten has allocated is used again, and nothing is copied
/// twice on its way. Names every field, or does not compile.
#[macro_export]
macro_rules! clone_by_field {
    ($type:ident $(<$of:ident>)?: $($field:ident)+) => {
        impl $(<$of: Clone>)? Clone for $type $(<$of>)? {
            #[inline]
            fn clone(&self) -> Self {
                let $type { $($field),+ } = self;
                $type { $($field: $field.clone()),+ }
            }

            #[inline]
            fn clone_from(&mut self, from: &Self) {
                let $type { $($field),+ } = self;
                $($field.clone_from(&from.$field);)+
            }
        }
    };
}
