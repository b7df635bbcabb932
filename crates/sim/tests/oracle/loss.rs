//! Loss with a memory, from the scenario's own words: each model keeps whole lists where the link keeps a state.

use sim::{AmongSpec, LossModelSpec, LossSpec};
use units::{Stream, Time};

/// A model of a link.
pub struct Loss {
    spec: LossSpec,
    stream: Stream,
    /// Packets seen so far.
    seen: u64,
    /// States of the chain, one per packet seen and one ahead.
    bad: Vec<bool>,
    /// Beginning of the time since the last loss, intervals of it that were drawn for, and what the last draw said.
    since: Time,
    drawn: u64,
    is_due: bool,
}

impl Loss {
    /// Model number `index` of the link of this name.
    pub fn new(spec: &LossSpec, seed: u64, (link, index): (&str, usize)) -> Loss {
        let stream = Stream::named(seed, format_args!("{link}/loss{index}"));
        Loss { spec: spec.clone(), stream, seen: 0, bad: vec![false], since: Time::ZERO, drawn: 0, is_due: false }
    }

    /// Whether this one is lost.
    pub fn takes(&mut self, now: Time, (flow, is_data): (usize, bool)) -> bool {
        let is_seen = match self.spec.among {
            AmongSpec::All => true,
            AmongSpec::Data => is_data,
            AmongSpec::Acks => !is_data,
        };
        match &self.spec.model {
            _ if !is_seen => false,
            LossModelSpec::GilbertElliott { to_bad, to_good, loss_bad, loss_good } => {
                let bad = self.bad[self.bad.len() - 1];
                let (fate, turn) = (self.stream.unit(), self.stream.unit());
                self.bad.push(if bad { turn >= *to_good } else { turn < *to_bad });
                fate < if bad { *loss_bad } else { *loss_good }
            }
            LossModelSpec::Periodic { every, first } => {
                self.seen += 1;
                self.seen >= *first && (self.seen - first) % every == 0
            }
            LossModelSpec::Scripted { flow: of, packets } => {
                self.seen += u64::from(of.is_none_or(|of| of as usize == flow));
                of.is_none_or(|of| of as usize == flow) && packets.contains(&self.seen)
            }
            LossModelSpec::Timed { interval_ns, probability } => {
                while !self.is_due && (now - self.since).0 / interval_ns > self.drawn {
                    self.drawn += 1;
                    self.is_due = self.stream.unit() < *probability;
                }
                let is_lost = self.is_due;
                if is_lost {
                    (self.since, self.drawn, self.is_due) = (now, 0, false);
                }
                is_lost
            }
        }
    }
}
