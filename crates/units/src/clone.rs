//! Clones that go into the room of another value.

/// `Clone` field by field, where `clone_from` is too: what the value to be overwritten has allocated is used again, and nothing is copied
/// twice on its way. Names every field, or does not compile. Collections that are empty in most values of the type come last, behind
/// `mostly empty`: an empty one is not copied into an empty one.
#[macro_export]
macro_rules! clone_by_field {
    ($type:ident $(<$of:ident>)?: $($field:ident)+ $(, mostly empty: $($room:ident)+)?) => {
        impl $(<$of: Clone>)? Clone for $type $(<$of>)? {
            #[inline]
            fn clone(&self) -> Self {
                let $type { $($field,)+ $($($room,)+)? } = self;
                $type { $($field: $field.clone(),)+ $($($room: $room.clone(),)+)? }
            }

            #[inline]
            fn clone_from(&mut self, from: &Self) {
                let $type { $($field,)+ $($($room,)+)? } = self;
                $($field.clone_from(&from.$field);)+
                $($(if !$room.is_empty() || !from.$room.is_empty() {
                    $room.clone_from(&from.$room);
                })+)?
            }
        }
    };
}
