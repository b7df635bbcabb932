//! What a replay of a recording says.

use serde::Serialize;
use thiserror::Error;

/// Why a file could not be replayed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReplayError {
    /// The file is fine, the algorithm is not registered: skip it.
    #[error("{file}: not implemented: {algorithm}")]
    NotImplemented {
        /// The file.
        file: String,
        /// The kernel's name of the algorithm.
        algorithm: String,
    },
    /// The file is damaged.
    #[error("{file}: {what}")]
    Damaged {
        /// The file.
        file: String,
        /// What is wrong, and where.
        what: String,
    },
}

/// The result of one file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The file, as the caller calls it.
    pub file: String,
    /// Our name of the algorithm, with the variant where it is not the profile's own.
    pub algorithm: String,
    /// Rows compared: one per event and one per recorded ACK.
    pub rows: u32,
    /// Rows whose cwnd and ssthresh agree.
    pub rows_matched: u32,
    /// Rows whose credit counter agrees too. Reported, not judged.
    pub rows_matched_with_cnt: u32,
    /// Where they first disagree.
    pub first_mismatch: Option<Mismatch>,
}

impl Report {
    /// Whether every row agrees.
    pub fn exact(&self) -> bool {
        self.rows > 0 && self.rows == self.rows_matched
    }
}

/// One disagreement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mismatch {
    /// Number of the event, from 0.
    pub row: u32,
    /// Number of the recorded ACK within the event, from 0; none when the row after the event disagrees.
    pub detail: Option<u32>,
    /// Time of the row, microseconds.
    pub t_us: u64,
    /// `cwnd` or `ssthresh`.
    pub field: &'static str,
    /// The kernel's value.
    pub expected: f64,
    /// Ours.
    pub got: f64,
}
