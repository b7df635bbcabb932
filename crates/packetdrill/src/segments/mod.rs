//! What a kernel did, segment by segment: recordings of scripts in which a path and a receiver were played against it, given to our stack.
//!
//! `data/kernel-segments/recorded` holds them, and says how they were made.

mod cause;
mod recording;
mod replay;

use std::fmt;

pub use cause::cause;
pub use recording::{read, Acked, Event, Recording, Row, ASKING, COLUMNS};
pub use replay::{replay, replay_by, Law};

/// Where our stack first did something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Row of the recording, from 0.
    pub row: usize,
    /// The segments that left, ours and the kernel's, where those differ.
    pub sent: Option<(Vec<u64>, Vec<u64>)>,
    /// Otherwise the fields of `tcp_info` that do: ours and the kernel's.
    pub fields: Vec<(&'static str, u64, u64)>,
}

impl Difference {
    fn of_segments(row: usize, ours: Vec<u64>, kernels: Vec<u64>) -> Difference {
        Difference { row, sent: Some((ours, kernels)), fields: Vec::new() }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}:", self.row)?;
        if let Some((ours, kernels)) = &self.sent {
            return write!(f, " sent {ours:?}, the kernel {kernels:?}");
        }
        self.fields.iter().try_for_each(|(name, ours, kernels)| write!(f, " {name} {ours}, the kernel's {kernels};"))
    }
}

/// How a replay went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// The script's name.
    pub name: String,
    /// Rows of the recording.
    pub rows: usize,
    /// Rows from the first on in which all is the kernel's.
    pub agreed: usize,
    /// Rows that are the kernel's, those after a difference included.
    pub equal: usize,
    /// The first difference.
    pub first: Option<Difference>,
}

/// How all recordings of a file went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replays {
    /// How many there are.
    pub scripts: usize,
    /// Of those, how many agree in every row.
    pub exact: usize,
    /// Rows of all of them.
    pub rows: usize,
    /// Rows that are the kernel's.
    pub equal: usize,
    /// The script that first differs, and how.
    pub first: Option<(String, Difference)>,
}

/// Reads a file of recordings and replays them all.
///
/// # Errors
/// A line that cannot be read, a recording that asks for what the stack has not, a file without any.
pub fn replay_text(text: &str) -> Result<Replays, String> {
    replay_text_by(text, None)
}

/// The same with a law in place of the recorded one, if there is one.
///
/// # Errors
/// As [`replay_text`]; what the law does that none may.
pub fn replay_text_by(text: &str, law: Option<Law<'_>>) -> Result<Replays, String> {
    let mut made = Replays::default();
    for recording in read(text)? {
        let played = replay_by(&recording, law)?;
        made.scripts += 1;
        made.exact += usize::from(played.first.is_none());
        made.rows += played.rows;
        made.equal += played.equal;
        made.first = made.first.or_else(|| played.first.map(|first| (played.name, first)));
    }
    if made.scripts == 0 {
        return Err("there is no script in it".into());
    }
    Ok(made)
}
