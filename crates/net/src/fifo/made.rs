//! What a link of this kind is made with beside its queue: a law, losses, changes in time.

use std::collections::VecDeque;

use super::{Changes, Fifo, Governor, Law, Losses};

impl Fifo {
    /// The same under a law that decides on arrival.
    pub(crate) fn governed(mut self, law: Law) -> Fifo {
        self.full_at = 0;
        self.governor = Some(Box::new(Governor { counts_bytes: law.counts_bytes(), law, marks: VecDeque::new() }));
        self
    }

    /// The same with further loss.
    pub fn with_losses(mut self, losses: Losses) -> Fifo {
        if !losses.is_empty() {
            (self.full_at, self.is_lossy) = (0, true);
        }
        self.losses = losses;
        self
    }

    /// The same with changes in time.
    pub fn with_changes(mut self, changes: Changes) -> Fifo {
        if !changes.is_empty() {
            self.full_at = 0;
        }
        self.changes = changes;
        self
    }
}
