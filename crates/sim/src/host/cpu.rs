//! A processor: every segment and every ACK costs it time, one after the other; at times it does nothing at all.
//!
//! Sources: the packet-rate ceiling of the hosts of Bullot, Cottrell and Hughes-Jones 2003 (6.2.2); an ACK with SACK information costs a
//! walk over the window in Linux 2.4 and 2.6 (Li, Leith and Shorten 2007, III.A). Work is served in order of arrival: under interrupts and run to
//! completion what is done in which order is the same, but for the segments that one ACK releases while others wait.

use net::{Changes, Fifo, FifoSpec, Limit, Packet, RateSteps, Service, Verdict};
use units::{Rate, Stream, Time};

/// At this rate a byte takes a nanosecond: work in nanoseconds is bytes.
const BYTE_PER_NS: u64 = 8_000_000_000;

/// What work costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CpuSpec {
    /// To send a segment.
    pub(crate) packet: Time,
    /// To process an ACK.
    pub(crate) ack: Time,
    /// For an ACK with SACK information, for each segment outstanding besides.
    pub(crate) sack: Time,
    /// When nothing is done: from, to; ascending, apart.
    pub(crate) stalls: Vec<(Time, Time)>,
}

/// The processor.
#[derive(Clone, Debug)]
pub(crate) struct Cpu {
    spec: CpuSpec,
    work: Fifo,
}

impl Cpu {
    pub(crate) fn new(spec: CpuSpec, idle: Stream) -> Cpu {
        let fifo = FifoSpec {
            rate: Rate(BYTE_PER_NS),
            limit: Limit::Delay(Time::NEVER),
            excludes_in_service: false,
            loss_probability: 0.0,
            mark_at: None,
        };
        let edges = spec.stalls.iter().flat_map(|&(from, to)| [(from, 0), (to, BYTE_PER_NS)]);
        let start = [(Time::ZERO, BYTE_PER_NS)];
        // Of two rates from one moment on, the stall's.
        let start = start.into_iter().filter(|_| spec.stalls.first().is_none_or(|stall| stall.0 > Time::ZERO));
        let service = (!spec.stalls.is_empty()).then(|| Service::Steps(RateSteps::new(start.chain(edges).collect())));
        let work = Fifo::new(fifo, (Time::NEVER, Time::NEVER), idle).with_changes(Changes { service, delay: None });
        Cpu { spec, work }
    }

    pub(crate) fn take_segment(&mut self, now: Time) -> Time {
        self.take(now, self.spec.packet.0)
    }

    pub(crate) fn take_ack(&mut self, now: Time, has_sack: bool, outstanding: u64) -> Time {
        let walk = if has_sack { self.spec.sack.0 * outstanding } else { 0 };
        self.take(now, self.spec.ack.0 + walk)
    }

    /// When work of `cost_ns` that comes in at `now` is done.
    fn take(&mut self, now: Time, cost_ns: u64) -> Time {
        let bytes = cost_ns.min(u64::from(u32::MAX)) as u32;
        match self.work.offer(now, Packet { bytes, ecn_capable: false, flow: 0, is_ack: false }) {
            Verdict::Departs(at) | Verdict::DepartsMarked(at) => at,
            Verdict::Dropped | Verdict::Lost => unreachable!("a processor takes all work"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Time {
        Time::from_us(us)
    }

    /// Segments at 10 us, ACKs at 2 us and 1 us for each segment outstanding: 10, 12, then 5 + 2 after idling, 27 behind that.
    #[test]
    fn work_is_done_in_order_at_its_cost() {
        let spec = CpuSpec { packet: us(10), ack: us(2), sack: us(1), stalls: Vec::new() };
        let mut cpu = Cpu::new(spec, Stream::named(1, "idle"));
        assert_eq!(cpu.take_segment(us(0)), us(10));
        assert_eq!(cpu.take_ack(us(1), false, 25), us(12));
        assert_eq!(cpu.take_ack(us(100), false, 25), us(102));
        assert_eq!(cpu.take_ack(us(101), true, 25), us(129));
    }

    /// Half of the first is done when the stall begins; the second comes within it.
    #[test]
    fn nothing_is_done_in_a_stall() {
        let spec = CpuSpec { packet: us(10), stalls: vec![(us(5), us(1000))], ..CpuSpec::default() };
        let mut cpu = Cpu::new(spec, Stream::named(1, "idle"));
        assert_eq!(cpu.take_segment(us(0)), us(1005));
        assert_eq!(cpu.take_ack(us(500), false, 0), us(1005));
        assert_eq!(cpu.take_segment(us(2000)), us(2010));
    }

    #[test]
    fn an_idle_processor_may_stall_from_the_start() {
        let spec = CpuSpec { ack: us(1), stalls: vec![(us(0), us(7))], ..CpuSpec::default() };
        assert_eq!(Cpu::new(spec, Stream::named(1, "idle")).take_ack(us(3), false, 0), us(8));
    }
}
