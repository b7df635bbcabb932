//! FQ-PIE: flows take turns, each queue under PIE.
//!
//! Source: RFC 8033 (PIE) in the queues of RFC 8290; put together so in FreeBSD's dummynet (Al-Saadi and Armitage 2016) and in Linux 5.6. A
//! queue's delay is how long its latest packet to leave had waited: what its bytes say depends on how many others take their turn.

use units::{Rate, Stream, Time};

use super::fair::{Aqm, Fair, FLOWS, QUANTUM, QUANTUM_IN_KERNEL};
use super::pie::{Pie, PieSpec, ALPHA, BETA, BURST, ECN, TARGET, UPDATE};
use super::pie::{
    ALPHA_DEMANDED, ALPHA_IN_KERNEL, BETA_DEMANDED, BETA_IN_KERNEL, BURST_DEMANDED, TARGET_IN_KERNEL, UPDATE_DEMANDED, UPDATE_IN_KERNEL,
};
use super::Number::{Limit, Of};
use super::Unit::{Percent, Whole};
use super::{Demand, Discipline, DisciplineSpec, Is, Line, Qdisc, Queued};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "fq-pie",
    year: 2020,
    source: "RFC 8033 with the queues of RFC 8290",
    summary: "Flows take turns, new ones first; each has a queue of its own under PIE.",
    parameters: &[TARGET, UPDATE, BURST, ALPHA, BETA, ECN, QUANTUM, FLOWS],
    qdisc: Some(QDISC),
};

/// In the kernel.
const QDISC: Qdisc = Qdisc {
    kind: "fq_pie",
    option: Some("NET_SCH_FQ_PIE"),
    counts_bytes: false,
    numbers: &[
        Limit(Whole),
        TARGET_IN_KERNEL,
        UPDATE_IN_KERNEL,
        ALPHA_IN_KERNEL,
        BETA_IN_KERNEL,
        Of("ecn_max_p", Percent),
        Of("quantum", Whole),
        Of("flows", Whole),
    ],
    demands: &[
        ALPHA_DEMANDED,
        BETA_DEMANDED,
        UPDATE_DEMANDED,
        BURST_DEMANDED,
        QUANTUM_IN_KERNEL,
        Demand {
            parameter: "ecn_max_p",
            is: Is::Multiple { times: 100.0, most: 1.0 },
            otherwise: "{value}; the kernel's FQ-PIE takes whole percent",
        },
    ],
};

/// The queues.
pub(crate) type Queue<T> = Fair<T, WaitingPie>;

/// Empty queues.
pub(super) fn queue<T>(spec: &DisciplineSpec, rate: Rate, mut stream: Stream) -> Queue<T> {
    let perturbation = Queue::<T>::perturbation(&mut stream);
    let pie = |index: usize| Pie::new(PieSpec::new(spec, rate), Stream::named(perturbation, format_args!("queue{index}")));
    Fair::new(spec, perturbation, |index| WaitingPie { pie: pie(index), waited_s: 0.0 })
}

/// PIE that goes by how long packets have waited.
#[derive(Clone, Debug)]
pub(crate) struct WaitingPie {
    pie: Pie,
    /// How long the latest packet that left had waited; 0 when it left nothing behind.
    waited_s: f64,
}

impl Aqm for WaitingPie {
    const EVICTS: bool = false;

    fn on_full(&mut self) {
        self.pie.on_full();
    }

    fn admits<T>(&mut self, now: Time, line: &Line<T>, packet: &mut Queued<T>) -> bool {
        self.pie.catch_up_to(now, self.waited_s);
        !self.pie.drops_early(line.bytes()) || self.pie.marks(packet)
    }

    fn take<T>(&mut self, now: Time, line: &mut Line<T>, _others: u64, _dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        self.pie.catch_up_to(now, self.waited_s);
        let packet = line.pop()?;
        self.waited_s = if line.packets() == 0 { 0.0 } else { (now - packet.arrived).as_secs_f64() };
        Some(packet)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::discipline;
    use super::super::line::samples::{packet, ENDLESS};
    use super::super::{Room, Serving as _};
    use super::*;

    fn fq_pie() -> Queue<u32> {
        let spec = discipline("fq-pie", &BTreeMap::new()).expect("a row");
        queue(&spec, Rate(12_000_000), Stream::named(1, "test"))
    }

    /// One packet leaves per millisecond. Flow 1 sends two for each that it is served, flow 2 one in ten milliseconds.
    #[test]
    fn who_builds_a_queue_is_dropped_and_who_does_not_is_not() {
        let (mut queue, mut dropped) = (fq_pie(), Vec::new());
        for ms in 0..5_000 {
            let now = Time::from_ms(ms);
            (0..2).for_each(|_| queue.enqueue(now, packet(now, 1), ENDLESS, &mut dropped));
            if ms % 10 == 0 {
                queue.enqueue(now, packet(now, 2), ENDLESS, &mut dropped);
            }
            queue.dequeue(now, &mut dropped);
        }
        let of = |key| dropped.iter().filter(|packet| packet.packet.flow == key).count();
        assert!(of(1) > 2_000 && of(2) == 0, "{} and {}", of(1), of(2));
    }

    #[test]
    fn a_full_house_turns_away_who_arrives() {
        let (mut queue, mut dropped, full) = (fq_pie(), Vec::new(), Room { packets: 3, ..ENDLESS });
        (0..3).for_each(|_| queue.enqueue(Time::ZERO, packet(Time::ZERO, 1), full, &mut dropped));
        queue.enqueue(Time::ZERO, packet(Time::ZERO, 2), full, &mut dropped);
        assert_eq!((dropped.len(), dropped[0].packet.flow, queue.packets()), (1, 2, 3));
    }
}
