//! How many segments an ACK counts for in window growth.

use cc::CaState;

use crate::{Abc, Options};

/// The stack's rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteCounting {
    rule: Abc,
    /// Most segments in slow start under RFC 3465.
    limit: u8,
}

impl ByteCounting {
    pub(crate) fn new(options: &Options) -> ByteCounting {
        ByteCounting { rule: options.abc, limit: options.abc_limit }
    }

    /// Each segment counts, whatever ACK tells of it.
    pub(crate) fn is_usual(self) -> bool {
        self.rule == Abc::Linux
    }

    /// The same outside slow start.
    #[inline]
    pub(crate) fn counts_all(self) -> bool {
        self.rule != Abc::Off
    }

    /// [`ByteCounting::worth`] outside slow start.
    #[inline]
    pub(crate) fn worth_in_avoidance(self, delivered: u32) -> u32 {
        if self.counts_all() {
            delivered
        } else {
            delivered.min(1)
        }
    }

    /// What `delivered` segments are worth.
    #[inline]
    pub(crate) fn worth(self, delivered: u32, in_slow_start: bool, state: CaState) -> u32 {
        match self.rule {
            Abc::Linux => delivered,
            Abc::Rfc3465 if !in_slow_start => delivered,
            Abc::Rfc3465 if state == CaState::Loss => delivered.min(1),
            Abc::Rfc3465 => delivered.min(self.limit.into()),
            Abc::Off => delivered.min(1),
        }
    }
}
