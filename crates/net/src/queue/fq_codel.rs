//! FQ-CoDel: flows take turns, each queue under CoDel.
//!
//! Source: RFC 8290 (Hoeiland-Joergensen and others 2018). CoDel's floor of one packet counts the bytes of all queues, as Linux's does.

use units::{Rate, Stream, Time};

use super::codel::{Codel, CodelSpec, INTERVAL, TARGET};
use super::fair::{Aqm, Fair, FLOWS, QUANTUM, QUANTUM_IN_KERNEL};
use super::Number::{Limit, Of};
use super::Unit::{Microseconds, Whole};
use super::{Discipline, DisciplineSpec, Line, Qdisc, Queued};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "fq-codel",
    year: 2018,
    source: "RFC 8290",
    summary: "Flows take turns, new ones first; each has a queue of its own under CoDel.",
    parameters: &[TARGET, INTERVAL, QUANTUM, FLOWS],
    qdisc: Some(QDISC),
};

/// In the kernel.
const QDISC: Qdisc = Qdisc {
    kind: "fq_codel",
    option: Some("NET_SCH_FQ_CODEL"),
    counts_bytes: false,
    numbers: &[Limit(Whole), Of("target_s", Microseconds), Of("interval_s", Microseconds), Of("quantum", Whole), Of("flows", Whole)],
    demands: &[QUANTUM_IN_KERNEL],
};

/// The queues.
pub(crate) type Queue<T> = Fair<T, Codel>;

/// Empty queues.
pub(super) fn queue<T>(spec: &DisciplineSpec, _rate: Rate, mut stream: Stream) -> Queue<T> {
    let codel = Codel::new(CodelSpec::new(spec));
    Fair::new(spec, Queue::<T>::perturbation(&mut stream), |_| codel.clone())
}

impl Aqm for Codel {
    const EVICTS: bool = true;

    fn admits<T>(&mut self, _now: Time, _line: &Line<T>, _packet: &mut Queued<T>) -> bool {
        true
    }

    fn take<T>(&mut self, now: Time, line: &mut Line<T>, others: u64, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        self.dequeue(now, line, others, dropped)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::discipline;
    use super::super::fair::bucket;
    use super::super::line::samples::{packet, ENDLESS};
    use super::super::{Room, Serving as _};
    use super::*;

    fn fq_codel() -> Queue<u32> {
        queue(&discipline("fq-codel", &BTreeMap::new()).expect("a row"), Rate(12_000_000), Stream::named(1, "test"))
    }

    fn fill(queue: &mut Queue<u32>, key: u32, bytes: u32, packets: usize) {
        for _ in 0..packets {
            queue.enqueue(
                Time::ZERO,
                Queued { packet: crate::Packet::data(bytes, key), ..packet(Time::ZERO, key) },
                ENDLESS,
                &mut Vec::new(),
            );
        }
    }

    fn served(queue: &mut Queue<u32>, packets: usize) -> Vec<u32> {
        (0..packets).filter_map(|_| queue.dequeue(Time::ZERO, &mut Vec::new())).map(|packet| packet.packet.flow).collect()
    }

    /// A flow that builds no queue waits for no queue of others.
    #[test]
    fn a_new_flow_goes_first() {
        let mut queue = fq_codel();
        fill(&mut queue, 1, 1500, 100);
        assert_eq!(served(&mut queue, 3), [1, 1, 1]);
        fill(&mut queue, 2, 1500, 1);
        assert_eq!(served(&mut queue, 2), [2, 1]);
    }

    /// Deficit round robin: equal bytes, whatever the packets: three of 500 bytes to one of 1500.
    #[test]
    fn backlogged_flows_share_bytes() {
        let mut queue = fq_codel();
        fill(&mut queue, 1, 1500, 400);
        fill(&mut queue, 2, 500, 1200);
        let order = served(&mut queue, 1000);
        let large = order.iter().filter(|&&key| key == 1).count();
        assert!(large.abs_diff(250) <= 2, "{large} of {}", order.len());
    }

    /// A queue that ran empty passes through the old ones before it may be new again.
    #[test]
    fn who_empties_a_new_queue_is_not_new_at_once() {
        let mut queue = fq_codel();
        fill(&mut queue, 1, 1500, 10);
        // A quantum of 1514 lets two packets go.
        assert_eq!(served(&mut queue, 2), [1, 1]);
        fill(&mut queue, 2, 100, 1);
        assert_eq!(served(&mut queue, 1), [2]);
        // The queue of 2 is empty but still listed, behind that of 1.
        fill(&mut queue, 2, 100, 1);
        assert_eq!(served(&mut queue, 2), [2, 1]);
        assert_eq!(served(&mut queue, 1), [1]);
        fill(&mut queue, 2, 100, 1);
        assert_eq!(served(&mut queue, 2), [2, 1]);
    }

    /// RFC 8290, section 4.1: the longest queue loses half its packets from the head, up to 64; not the packet that arrives.
    #[test]
    fn overload_is_charged_to_the_longest_queue() {
        let mut queue = fq_codel();
        fill(&mut queue, 1, 1500, 10);
        fill(&mut queue, 2, 1500, 2);
        let (mut dropped, full) = (Vec::new(), Room { packets: 12, ..ENDLESS });
        queue.enqueue(Time::ZERO, packet(Time::ZERO, 2), full, &mut dropped);
        assert!(dropped.iter().all(|packet| packet.packet.flow == 1));
        assert_eq!((dropped.len(), queue.packets(), queue.bytes()), (5, 8, 12_000));
        fill(&mut queue, 1, 1500, 195);
        dropped.clear();
        queue.enqueue(Time::ZERO, packet(Time::ZERO, 2), full, &mut dropped);
        assert_eq!((dropped.len(), queue.packets()), (64, 8 + 195 + 1 - 64));
    }

    /// With 1024 queues two flows share one in a thousandth of the cases.
    #[test]
    fn flows_are_spread_over_all_queues() {
        let mut counts = vec![0u32; 1024];
        (0..102_400).for_each(|key| counts[bucket(key, 12_345, 1024)] += 1);
        // Binomial with mean 100 and standard deviation 10.
        assert!(counts.iter().all(|n| (50..150).contains(n)));
    }
}
