//! Replays of what a kernel answered: the same stimuli, and every row compared.
//!
//! A stimulus `NAME.pkt` is a script without expectations that prints rows, `print("@", tcpi_snd_cwnd, ...)`; `NAME.rows` has what a kernel
//! printed there: a line each, numbers between blanks. A field that the stack does not know is not compared, and counted as such.

use std::fmt;
use std::fs;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::Path;

use cc::GuestFault;

use crate::outcome::Verdict;
use crate::python::Value;
use crate::run::{run, Stack};

/// The mark in front of what belongs to a row.
const MARK: &str = "@";
/// By which part of ours the kernel's retransmission timeout may be another: it is rounded up to a jiffy of a millisecond, of an RTT that is some
/// microseconds longer, for events take time there, and may so be one jiffy more. Two of 200, the shortest there is; doubled, both double.
const RTO_PARTS: i64 = 100;

/// A stimulus and what the kernel answered to it.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its name.
    pub name: String,
    /// The script.
    pub stimulus: String,
    /// The kernel's rows.
    pub rows: String,
}

/// A row that is not the kernel's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its number, from 1.
    pub row: usize,
    /// The fields that differ: name, ours, the kernel's.
    pub fields: Vec<(String, i64, i64)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields: Vec<String> = self.fields.iter().map(|(name, ours, kernels)| format!("{name} {ours}, kernel {kernels}")).collect();
        write!(f, "row {}: {}", self.row, fields.join("; "))
    }
}

/// How a replay went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The recording's name.
    pub name: String,
    /// Rows compared.
    pub rows: usize,
    /// Fields that were not compared, for the stack does not know them.
    pub not_judged: usize,
    /// The rows that differ.
    pub differences: Vec<Difference>,
}

impl Replay {
    /// What a front end shows.
    pub fn summary(&self) -> Summary {
        let first = self.differences.first().and_then(|difference| Some((difference.row, difference.fields.first()?)));
        let first_mismatch = first.map(|(row, (field, ours, kernels))| (row, field.clone(), *kernels, *ours));
        Summary { rows: self.rows, rows_matched: self.matched(), first_mismatch }
    }

    /// Rows in which everything compared is the kernel's.
    pub fn matched(&self) -> usize {
        self.rows - self.differences.len()
    }
}

/// A replay as a front end shows it, with the keys of a replay of kernel vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Rows compared.
    pub rows: usize,
    /// Of those, how many are the kernel's.
    pub rows_matched: usize,
    /// The first that is not: its number from 1, the field, the kernel's value and ours.
    pub first_mismatch: Option<(usize, String, i64, i64)>,
}

/// The recordings of a folder, by name: every `NAME.rows` with its `NAME.pkt`.
///
/// # Errors
/// A file that cannot be read.
pub fn recordings(folder: &Path) -> Result<Vec<Recording>, String> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.extension().is_some_and(|e| e == "rows")).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let name = path.file_stem().and_then(|stem| stem.to_str()).ok_or_else(|| format!("{}: no name", path.display()))?;
            Ok(Recording { name: name.into(), stimulus: read(&path.with_extension("pkt"))?, rows: read(path)? })
        })
        .collect()
}

/// Replays every recording of `folder` on `stack`.
///
/// # Errors
/// A file that cannot be read, or a recording that cannot be replayed.
pub fn replay_folder(folder: &Path, stack: &Stack) -> Result<Vec<Replay>, String> {
    recordings(folder)?.iter().map(|recording| replay(recording, stack)).collect()
}

/// Replays one recording on `stack`.
///
/// # Errors
/// A stimulus that cannot be driven, rows that are not its, or what a controller from outside did wrong.
pub fn replay(recording: &Recording, stack: &Stack) -> Result<Replay, String> {
    let Recording { name, stimulus, rows } = recording;
    let outcome = match catch_unwind(AssertUnwindSafe(|| run(stimulus, stack))) {
        Ok(outcome) => outcome,
        // Nothing of a script that unwound is looked at again.
        Err(panic) => match panic.downcast::<GuestFault>() {
            Ok(fault) => return Err(fault.to_string()),
            Err(panic) => resume_unwind(panic),
        },
    };
    match outcome.verdict {
        Verdict::Pass | Verdict::Trivial => {}
        // Nothing is expected of a stimulus.
        Verdict::NotDrivable(why) if why.starts_with("nothing") => {}
        Verdict::Fail(why) | Verdict::NotDrivable(why) => return Err(format!("{name}: {why}")),
    }
    let fields = fields(stimulus).ok_or_else(|| format!("{name}: the stimulus prints no rows"))?;
    let ours: Vec<&Vec<Value>> = outcome.printed.iter().filter(|row| row.first() == Some(&Value::Text(MARK.into()))).collect();
    let kernels: Vec<&str> = rows.lines().filter(|line| !line.trim().is_empty()).collect();
    if ours.len() != kernels.len() {
        return Err(format!("{name}: {} rows, but the kernel's are {}", ours.len(), kernels.len()));
    }
    let mut replay = Replay { name: name.clone(), rows: kernels.len(), not_judged: 0, differences: Vec::new() };
    for (index, (ours, kernels)) in ours.iter().zip(kernels).enumerate() {
        let kernels = numbers(kernels).filter(|numbers| numbers.len() == fields.len() && ours.len() == fields.len() + 1);
        let kernels = kernels.ok_or_else(|| format!("{name}: row {} has not {} numbers", index + 1, fields.len()))?;
        let mut differ = Vec::new();
        for ((field, ours), kernels) in fields.iter().zip(&ours[1..]).zip(kernels) {
            match ours {
                Value::Int(ours) if !is_same(field, *ours, kernels) => differ.push(((*field).to_owned(), *ours, kernels)),
                Value::Int(_) => {}
                _ => replay.not_judged += 1,
            }
        }
        if !differ.is_empty() {
            replay.differences.push(Difference { row: index + 1, fields: differ });
        }
    }
    Ok(replay)
}

fn numbers(line: &str) -> Option<Vec<i64>> {
    line.split_whitespace().map(|word| word.parse().ok()).collect()
}

/// The names of a row's fields, as its first print has them.
fn fields(stimulus: &str) -> Option<Vec<&str>> {
    let (_, rest) = stimulus.split_once("print(\"@\",")?;
    let (inside, _) = rest.split_once(')')?;
    Some(inside.split(',').map(|name| name.trim().trim_start_matches("tcpi_")).collect())
}

fn is_same(field: &str, ours: i64, kernels: i64) -> bool {
    if field == "rto" {
        return (ours - kernels).abs() * RTO_PARTS <= ours;
    }
    ours == kernels
}
