//! Samples taken out of a run while it goes on, so that memory holds some of them only.

use sim::{Records, EVENTS_PER_LOOK};

use crate::frame::Frame;
use crate::frames::taken;

/// Events until the first look, and between any two at least.
const EVENTS_LEAST: u64 = 1 << 8;

/// Decides when samples are taken, and how many at a time.
///
/// What a run keeps of the links grows with simulated time, and looks come after so many events: how many is learned from what came between the looks
/// before. Where no event comes for long, the rows of that time come together.
#[derive(Clone, Copy, Debug)]
pub struct Drain {
    rows: usize,
    /// Events since samples were taken last.
    since: u64,
    /// Events from the last look to the next.
    next: u64,
}

impl Drain {
    /// Frames of about so many rows, one at least.
    pub fn new(rows: usize) -> Drain {
        Drain { rows: rows.max(1), since: 0, next: 0 }
    }

    /// Looks at a run: gives what it keeps if that is enough. Returns after how many events to look again.
    ///
    /// # Errors
    /// What `give` answers.
    pub fn look<E>(&mut self, records: &mut Records, give: impl FnMut(Vec<Frame>) -> Result<(), E>) -> Result<u64, E> {
        self.since += self.next;
        let held = held(records).max(1) as u64;
        let whole = (self.since.saturating_mul(self.rows as u64) / held).max(EVENTS_LEAST);
        let left = if held < self.rows as u64 {
            whole.saturating_sub(self.since)
        } else {
            self.finish(records, give)?;
            self.since = 0;
            whole
        };
        self.next = left.clamp(EVENTS_LEAST, EVENTS_PER_LOOK).min(EVENTS_LEAST.max(4 * self.next));
        Ok(self.next)
    }

    /// Gives all that is kept.
    ///
    /// # Errors
    /// What `give` answers.
    pub fn finish<E>(&self, records: &mut Records, mut give: impl FnMut(Vec<Frame>) -> Result<(), E>) -> Result<(), E> {
        while held(records) > 0 {
            give(taken(records, self.rows))?;
        }
        Ok(())
    }
}

/// Words of the flows' samples, and rows of the links'.
fn held(records: &Records) -> usize {
    records.flow_samples.kept() + records.link_samples.t_ns.len()
}
