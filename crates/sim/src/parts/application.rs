//! Applications that do not always have more to send: on and off, in chunks, and video.

use cc::Controller;
use tcp::{Sender, Wire};
use units::{Duration, Stream, Time};

use super::encoder::{Bounds, Encoder, Frame};
use crate::spec::{FlowSpec, Shared, Spec, WritesSpec};

/// The application of one flow.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    writes: WritesSpec,
    mss: u32,
    /// Payload bytes after which it has written all; `u64::MAX` for no end.
    bytes: u64,
    /// How often it has written, or turned.
    turns: u64,
    /// Of video.
    encoder: Option<Box<Encoder>>,
}

impl Application {
    /// That of each flow of a run; none at all if no flow has one.
    pub(crate) fn of_run(spec: &Spec) -> Vec<Option<Application>> {
        if spec.flows.iter().all(|flow| flow.writes.is_none()) {
            return Vec::new();
        }
        let new = |(index, flow): (usize, &Shared<FlowSpec>)| {
            let writes = flow.writes?;
            let encoder = encoder(index, flow, writes, spec.seed);
            Some(Application { writes, mss: flow.mss_bytes, bytes: flow.bytes.unwrap_or(u64::MAX), turns: 0, encoder })
        };
        spec.flows.iter().enumerate().map(new).collect()
    }

    /// The frame that it writes now, if it is video.
    pub(crate) fn encode(&mut self, now: Time, sender: &Sender<Controller>) -> Option<Frame> {
        self.encoder.as_mut()?.encode(now, sender)
    }

    /// What it does now; returns when it does something again.
    pub(crate) fn write(&mut self, now: Time, sender: &mut Sender<Controller>, wire: &mut impl Wire) -> Time {
        if let (WritesSpec::Video { every_ns, .. }, Some(encoder)) = (self.writes, &self.encoder) {
            sender.on_written(now, encoder.written(), wire);
            return now + Duration(every_ns);
        }
        self.turns += 1;
        match self.writes {
            WritesSpec::OnOff { on_ns, .. } if self.turns % 2 == 1 => {
                sender.on_written(now, u64::MAX, wire);
                now + Duration(on_ns)
            }
            WritesSpec::OnOff { off_ns, .. } => {
                sender.on_paused();
                now + Duration(off_ns)
            }
            WritesSpec::Chunks { rate_bps, every_ns } => {
                let bits = u128::from(rate_bps) * u128::from(every_ns) * u128::from(self.turns) / 1_000_000_000;
                let written = u64::try_from(bits / 8).unwrap_or(u64::MAX);
                if written >= self.bytes {
                    sender.on_written(now, u64::MAX, wire);
                    return Time::NEVER;
                }
                // What fills no segment waits for the next chunk, as if the application had said that more will come.
                sender.on_written(now, written / u64::from(self.mss), wire);
                now + Duration(every_ns)
            }
            WritesSpec::Video { .. } => Time::NEVER,
        }
    }
}

/// That of flow `index`, if it is video.
fn encoder(index: usize, flow: &FlowSpec, writes: WritesSpec, seed: u64) -> Option<Box<Encoder>> {
    let WritesSpec::Video { least_bps, most_bps, every_ns } = writes else { return None };
    let bounds = Bounds { least_bps, most_bps, every_ns, mss: flow.mss_bytes };
    Some(Box::new(Encoder::new(bounds, Stream::named(seed, format_args!("flow{index}/video")))))
}
