//! Where a source of transfers comes from.

use units::Time;

/// Where a source comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// Its number.
    pub(crate) index: usize,
    /// The run's seed.
    pub(crate) seed: u64,
    /// When the run ends.
    pub(crate) end: Time,
}
