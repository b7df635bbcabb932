//! A host in a run.

use net::{Answer, Fifo, Packet};
use units::Time;

use super::cpu::Cpu;

/// A host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) cpu: Option<Cpu>,
    pub(crate) device: Option<Fifo>,
}

impl Machine {
    /// An ACK comes in at `now`, for a sender with so many segments outstanding: when its sender sees it.
    #[inline]
    pub(crate) fn take_ack(&mut self, now: Time, has_sack: bool, outstanding: u64) -> Time {
        self.cpu.as_mut().map_or(now, |cpu| cpu.take_ack(now, has_sack, outstanding))
    }

    /// A sender hands over a segment at `now`: when its last bit leaves the host; none if the device's queue is full.
    #[inline]
    pub(crate) fn take_segment(&mut self, now: Time, packet: Packet) -> Option<Time> {
        let ready = self.cpu.as_mut().map_or(now, |cpu| cpu.take_segment(now));
        let Some(device) = &mut self.device else { return Some(ready) };
        match device.take(ready, packet) {
            Answer::Departs(at) | Answer::DepartsMarked { at, .. } => Some(at),
            Answer::Dropped | Answer::Lost | Answer::Waits => None,
        }
    }
}
