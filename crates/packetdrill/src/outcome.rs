//! What came of a script.

use std::fmt;

use crate::python::Value;

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Segments that left as expected.
    pub segments: usize,
    /// Assertions that held.
    pub asserts: usize,
    /// ACKs of the receiver that were as expected.
    pub acks: usize,
}

impl Counts {
    /// So little that it proves nothing: no assertion, two segments and one ACK at most.
    pub fn is_trivial(&self) -> bool {
        self.asserts == 0 && self.segments <= 2 && self.acks <= 1
    }

    fn is_nothing(&self) -> bool {
        *self == Counts::default()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} segments {} asserts {} acks", self.segments, self.asserts, self.acks)
    }
}

/// What a script came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that could be compared was as expected.
    Pass,
    /// The same, of a script that compares next to nothing.
    Trivial,
    /// The first difference.
    Fail(String),
    /// The script cannot be driven here: why.
    NotDrivable(String),
}

/// What came of a script.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it came to.
    pub verdict: Verdict,
    /// How much was compared, until the first difference if there was one.
    pub counts: Counts,
    /// Assertions that depend on what the stack does not know, by the first name in each that it does not: neither held nor broken.
    pub not_judged: Vec<String>,
    /// What was printed.
    pub printed: Vec<Vec<Value>>,
}

/// Why a script goes no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// What follows is the end of the connection, which is not judged.
    End,
    /// It is not as expected.
    Differs(String),
    /// What comes next cannot be driven.
    NotDrivable(String),
}

impl Stop {
    pub(crate) fn verdict(self, line: usize, counts: &Counts) -> Verdict {
        match self {
            Stop::Differs(what) => Verdict::Fail(format!("line {line}: {what}")),
            Stop::NotDrivable(what) => Verdict::NotDrivable(format!("line {line}: {what}")),
            Stop::End if counts.is_nothing() => Verdict::NotDrivable("nothing to compare".into()),
            Stop::End if counts.is_trivial() => Verdict::Trivial,
            Stop::End => Verdict::Pass,
        }
    }
}

impl fmt::Display for Outcome {
    /// One line: `pass | 12 segments 3 asserts 0 acks | not judged: tcpi_reordering 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::Pass => write!(f, "pass | {}", self.counts)?,
            Verdict::Trivial => write!(f, "trivial | {}", self.counts)?,
            Verdict::Fail(what) => write!(f, "fail | {} | {what}", self.counts)?,
            Verdict::NotDrivable(why) => return write!(f, "not drivable | {why}"),
        }
        if self.not_judged.is_empty() {
            return Ok(());
        }
        let mut names: Vec<&str> = self.not_judged.iter().map(String::as_str).collect();
        names.sort_unstable();
        let counted = names.chunk_by(|a, b| a == b).map(|same| format!("{} {}", same[0], same.len()));
        write!(f, " | not judged: {}", counted.collect::<Vec<_>>().join(", "))
    }
}
