//! A processor: every segment and every ACK costs it time; at times it does nothing at all.
//!
//! Sources: the packet-rate ceiling of the hosts of Bullot, Cottrell and Hughes-Jones 2003 (6.2.2); an ACK with SACK information costs a
//! walk over the window in Linux 2.4 and 2.6 (Li, Leith and Shorten 2007, III.A). ACKs are interrupts: they wait for ACKs alone, and their
//! work comes before that of segments handed over later. Departure: it does not delay segments that wait already, so that when these leave
//! is known when they come.

use std::ops::Range;

use net::RateSteps;
use units::{Duration, Time};

use super::meter::Meter;

/// At this rate a byte takes a nanosecond: work in nanoseconds is bytes.
const BYTE_PER_NS: u64 = 8_000_000_000;

/// What work costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CpuSpec {
    /// To send a segment.
    pub(crate) packet: Duration,
    /// To process an ACK.
    pub(crate) ack: Duration,
    /// For an ACK with SACK information, for each segment outstanding besides.
    pub(crate) sack: Duration,
    /// When nothing is done: ascending, apart.
    pub(crate) stalls: Vec<Range<Time>>,
}

/// Pieces of work one after another, of which only the end of each is asked.
#[derive(Clone, Debug)]
struct Line {
    free_at: Time,
    /// The rates of a processor that stalls.
    rates: Option<RateSteps>,
}

impl Line {
    /// When work that comes in at `now` is done.
    #[inline]
    fn take(&mut self, now: Time, work: Duration) -> Time {
        let was_idle = self.free_at <= now;
        let starts = self.free_at.max(now);
        self.free_at = match &mut self.rates {
            None => starts + work,
            Some(rates) => rates.departure(starts, was_idle, work.0),
        };
        self.free_at
    }
}

/// The processor.
#[derive(Clone, Debug)]
pub(crate) struct Cpu {
    spec: CpuSpec,
    /// ACKs alone.
    acks: Line,
    /// Segments, and the ACKs before them.
    all: Line,
    meter: Meter,
}

impl Cpu {
    pub(crate) fn new(spec: CpuSpec) -> Cpu {
        let edges = spec.stalls.iter().flat_map(|stall| [(stall.start, 0), (stall.end, BYTE_PER_NS)]);
        let start = [(Time::ZERO, BYTE_PER_NS)];
        // Of two rates from one moment on, the stall's.
        let start = start.into_iter().filter(|_| spec.stalls.first().is_none_or(|stall| stall.start > Time::ZERO));
        let rates = (!spec.stalls.is_empty()).then(|| RateSteps::new(start.chain(edges).collect()));
        let idle = Line { free_at: Time::ZERO, rates };
        Cpu { spec, all: idle.clone(), acks: idle, meter: Meter::new(Duration::ZERO, Duration::ZERO) }
    }

    /// The same, idle, with this meter.
    pub(crate) fn metered(self, meter: Meter) -> Cpu {
        Cpu { meter, ..self }
    }

    /// Samples up to `end`, when the run is over.
    pub(crate) fn close(mut self, end: Time) -> Vec<(Time, u64)> {
        self.meter.settle(end);
        self.meter.samples
    }

    pub(crate) fn take_segment(&mut self, now: Time) -> Time {
        self.take(now, self.spec.packet)
    }

    pub(crate) fn take_ack(&mut self, now: Time, has_sack: bool, outstanding: u64) -> Time {
        let walk = if has_sack { self.spec.sack * outstanding } else { Duration::ZERO };
        let work = self.spec.ack + walk;
        self.take(now, work);
        self.acks.take(now, work)
    }

    /// When work that comes in at `now` is done after all that came before.
    #[inline]
    fn take(&mut self, now: Time, work: Duration) -> Time {
        self.meter.settle(now);
        let at = self.all.take(now, work);
        self.meter.on_taken(now, at, work);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Time {
        Time::from_us(us)
    }

    fn cost(us: u64) -> Duration {
        Duration::from_us(us)
    }

    /// Segments at 10 us, ACKs at 2 us and 1 us for each segment outstanding. The ACK at 1 us does not wait for the segment, the next
    /// segment waits for both; at 101 us an ACK waits for the one before, and a segment for both.
    #[test]
    fn acks_come_before_segments_and_all_work_counts() {
        let spec = CpuSpec { packet: cost(10), ack: cost(2), sack: cost(1), stalls: Vec::new() };
        let mut cpu = Cpu::new(spec);
        assert_eq!(cpu.take_segment(us(0)), us(10));
        assert_eq!(cpu.take_ack(us(1), false, 25), us(3));
        assert_eq!(cpu.take_segment(us(3)), us(22));
        assert_eq!(cpu.take_ack(us(100), false, 25), us(102));
        assert_eq!(cpu.take_ack(us(101), true, 25), us(129));
        assert_eq!(cpu.take_segment(us(129)), us(139));
    }

    /// Half of the first is done when the stall begins; the second comes within it.
    #[test]
    fn nothing_is_done_in_a_stall() {
        let spec = CpuSpec { packet: cost(10), stalls: vec![us(5)..us(1000)], ..CpuSpec::default() };
        let mut cpu = Cpu::new(spec);
        assert_eq!(cpu.take_segment(us(0)), us(1005));
        assert_eq!(cpu.take_ack(us(500), false, 0), us(1000));
        assert_eq!(cpu.take_segment(us(2000)), us(2010));
    }

    /// 10 us of work from 0 and 20 us: each counts when it is done, a stall does not count.
    #[test]
    fn what_is_done_is_metered() {
        let spec = CpuSpec { packet: cost(10), stalls: vec![us(25)..us(42)], ..CpuSpec::default() };
        let mut cpu = Cpu::new(spec).metered(Meter::new(Duration::from_us(10), Duration::from_us(5)));
        assert_eq!((cpu.take_segment(us(0)), cpu.take_segment(us(20))), (us(10), us(47)));
        let samples = [(5, 0), (15, 10_000), (25, 10_000), (35, 10_000), (45, 10_000), (55, 20_000)];
        assert_eq!(cpu.close(us(60)), samples.map(|(at, ns)| (us(at), ns)));
    }

    /// 65,536 segments outstanding at 100 us each: more nanoseconds than 32 bits hold, with a stall of a second within them or without.
    #[test]
    fn an_ack_may_take_longer_than_four_seconds() {
        let spec = CpuSpec { sack: cost(100), ..CpuSpec::default() };
        assert_eq!(Cpu::new(spec.clone()).take_ack(us(0), true, 65_536), us(6_553_600));
        let spec = CpuSpec { stalls: vec![us(1_000_000)..us(2_000_000)], ..spec };
        assert_eq!(Cpu::new(spec).take_ack(us(0), true, 65_536), us(7_553_600));
    }

    #[test]
    fn an_idle_processor_may_stall_from_the_start() {
        let spec = CpuSpec { ack: cost(1), stalls: vec![us(0)..us(7)], ..CpuSpec::default() };
        assert_eq!(Cpu::new(spec).take_ack(us(3), false, 0), us(8));
    }
}
