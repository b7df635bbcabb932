//! When an application writes, from its number alone.

use sim::{FlowSpec, WritesSpec};
use units::Time;

/// What a flow's application does.
pub struct Writes {
    given: WritesSpec,
    start_ns: u64,
    mss: u64,
    bytes: Option<u64>,
    done: u64,
}

impl Writes {
    /// An application that has done nothing.
    pub fn new(given: WritesSpec, flow: &FlowSpec) -> Writes {
        Writes { given, start_ns: flow.start_ns, mss: flow.mss_bytes.into(), bytes: flow.bytes, done: 0 }
    }

    /// When it does something next, in real time.
    pub fn next(&self) -> Time {
        let since = match self.given {
            WritesSpec::OnOff { on_ns, off_ns } => self.done / 2 * (on_ns + off_ns) + self.done % 2 * on_ns,
            WritesSpec::Chunks { every_ns, .. } => self.done * every_ns,
            WritesSpec::Video { .. } => unreachable!("what video writes follows from its sender"),
        };
        Time(self.start_ns + since)
    }

    /// It does it: segments written in all, or none if it pauses.
    pub fn take(&mut self) -> Option<u64> {
        self.done += 1;
        match self.given {
            WritesSpec::OnOff { .. } => (self.done % 2 == 1).then_some(u64::MAX),
            WritesSpec::Chunks { .. } if self.is_over() => Some(u64::MAX),
            WritesSpec::Chunks { .. } => Some(self.bytes_written() / self.mss),
            WritesSpec::Video { .. } => None,
        }
    }

    /// It has written all it ever will.
    pub fn is_over(&self) -> bool {
        matches!(self.given, WritesSpec::Chunks { .. }) && self.bytes.is_some_and(|bytes| self.bytes_written() >= bytes)
    }

    fn bytes_written(&self) -> u64 {
        let WritesSpec::Chunks { rate_bps, every_ns } = self.given else { return 0 };
        (u128::from(self.done * every_ns) * u128::from(rate_bps) / 8_000_000_000) as u64
    }
}
