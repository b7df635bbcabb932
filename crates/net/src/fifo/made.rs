//! What a link of this kind is made with beside its queue: a law, losses, changes in time.

use super::{Changes, Fifo, Governor, Losses};
use crate::queue::Law;

impl Fifo {
    /// The same under a law that decides on arrival.
    pub(crate) fn governed(mut self, law: Law) -> Fifo {
        self.full_at = 0;
        self.governor = Some(Box::new(Governor::new(law)));
        self
    }

    /// The same with further loss.
    pub fn with_losses(mut self, losses: Losses) -> Fifo {
        self.is_lossy |= !losses.is_empty();
        if losses.quiet_until().is_none() {
            self.full_at = 0;
        }
        self.losses = losses;
        self.wake();
        self
    }

    /// The same with changes in time.
    pub fn with_changes(mut self, changes: Changes) -> Fifo {
        if !changes.is_empty() {
            self.full_at = 0;
        }
        if let (Some(governor), true) = (&mut self.governor, changes.service.is_some()) {
            governor.measure_waits();
        }
        self.changes = changes;
        self.wake();
        self
    }
}
