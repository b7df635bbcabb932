//! The host of senders: what a segment meets before its link, and an ACK before its sender.
//!
//! When the processor and the device are done with a piece of work is known when it comes in, as for the links. Flows on one host
//! share both. Their clocks must agree, so they have one base RTT.

mod accept;
mod cpu;
mod device;
mod meter;
mod side;
mod ticks;

pub(crate) use accept::{accept_hosts, clock, machines, side};
pub(crate) use cpu::{Cpu, CpuSpec};
pub(crate) use device::device;
pub(crate) use meter::Meter;
pub(crate) use side::{Leaving, Side};
pub(crate) use ticks::Ticks;

use net::{Fifo, Packet, Verdict};
use units::Time;

/// A host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) cpu: Option<Cpu>,
    pub(crate) device: Option<Fifo>,
}

impl Machine {
    /// An ACK comes in at `now`, for a sender with so many segments outstanding: when its sender sees it.
    pub(crate) fn take_ack(&mut self, now: Time, has_sack: bool, outstanding: u64) -> Time {
        self.cpu.as_mut().map_or(now, |cpu| cpu.take_ack(now, has_sack, outstanding))
    }

    /// A sender hands over a segment at `now`: when its last bit leaves the host; none if the device's queue is full.
    pub(crate) fn take_segment(&mut self, now: Time, packet: Packet) -> Option<Time> {
        let ready = self.cpu.as_mut().map_or(now, |cpu| cpu.take_segment(now));
        let Some(device) = &mut self.device else { return Some(ready) };
        match device.offer(ready, packet) {
            Verdict::Departs(at) | Verdict::DepartsMarked(at) => Some(at),
            Verdict::Dropped | Verdict::Lost => None,
        }
    }
}
