//! FQ: flows take turns, each in a short queue of its own, and no packet is dropped for how long it waits.
//!
//! Source: Linux `sch_fq` (Dumazet 2013) as a forwarding queue, without its pacing. Beside RFC 8290's turns: a flow's first turn is longer,
//! a flow that comes back keeps the credits that it left with, and after a time without packets has those of one turn at least. State: per
//! queue when it was last listed. Departure: a flow that runs empty while no old flow waits keeps its place until those that are new have
//! had their turn.

use units::{Duration, Rate, Stream, Time};

use super::description::packets;
use super::fair::{Aqm, Fair, FLOWS, QUANTUM};
use super::Number::{Limit, Of};
use super::Unit::{Mask, Whole};
use super::{Demand, Discipline, DisciplineSpec, Is, Line, Parameter, Qdisc, Queued};

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "fq",
    year: 2013,
    source: "Linux sch_fq",
    summary: "Flows take turns, new ones first; each has a short queue of its own.",
    parameters: &[
        packets("flow_limit", 100.0, "Packets that a queue holds."),
        Parameter { default: 3028.0, ..QUANTUM },
        Parameter { name: "initial_quantum", default: 15_140.0, doc: "Bytes that a queue may send in its first turn of all.", ..QUANTUM },
        FLOWS,
    ],
    qdisc: Some(QDISC),
};

/// In the kernel.
const QDISC: Qdisc = Qdisc {
    kind: "fq",
    option: Some("NET_SCH_FQ"),
    counts_bytes: false,
    numbers: &[Limit(Whole), Of("flow_limit", Whole), Of("quantum", Whole), Of("initial_quantum", Whole), Of("flows", Mask)],
    demands: &[Demand { parameter: "flows", is: Is::PowerOfTwo(0.0), otherwise: "{value}; the kernel's FQ hashes to a power of two" }],
};

/// A longer time without packets fills credits up (Linux `flow_refill_delay`).
const REST: Duration = Duration::from_ms(40);

/// The queues.
pub(crate) type Queue<T> = Fair<T, Short>;

/// Empty queues.
pub(super) fn queue<T>(spec: &DisciplineSpec, _rate: Rate, mut stream: Stream) -> Queue<T> {
    let (limit, first_turn) = (spec.value("flow_limit") as usize, spec.value("initial_quantum") as i64);
    Fair::new(spec, Queue::<T>::perturbation(&mut stream), |_| Short { limit, first_turn, idle_since: None })
}

/// A queue of so many packets at most.
#[derive(Clone, Debug)]
pub(crate) struct Short {
    limit: usize,
    first_turn: i64,
    /// When it ran empty; none before the first packet.
    idle_since: Option<Time>,
}

impl Aqm for Short {
    const EVICTS: bool = false;

    fn admits<T>(&mut self, _now: Time, line: &Line<T>, _packet: &mut Queued<T>) -> bool {
        line.packets() < self.limit
    }

    fn take<T>(&mut self, _now: Time, line: &mut Line<T>, _others: u64, _dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        line.pop()
    }

    fn credits_of_new(&self, now: Time, left: i64, quantum: i64) -> i64 {
        match self.idle_since {
            None => self.first_turn,
            // Linux compares them unsigned: who left with a debt comes back with it.
            Some(since) if now.since(since) > REST && left >= 0 => left.max(quantum),
            Some(_) => left,
        }
    }

    fn on_idle(&mut self, now: Time) {
        self.idle_since = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::discipline;
    use super::super::line::samples::{packet, ENDLESS};
    use super::super::{Room, Serving as _};
    use super::*;

    fn fq(parameters: &[(&str, f64)]) -> Queue<u32> {
        let given: BTreeMap<_, _> = parameters.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        queue(&discipline("fq", &given).expect("a row"), Rate(12_000_000), Stream::named(1, "test"))
    }

    fn fill(queue: &mut Queue<u32>, now: Time, key: u32, packets: usize) -> usize {
        let mut dropped = Vec::new();
        (0..packets).for_each(|_| queue.enqueue(now, packet(now, key), ENDLESS, &mut dropped));
        dropped.len()
    }

    fn served(queue: &mut Queue<u32>, now: Time, packets: usize) -> Vec<u32> {
        (0..packets).filter_map(|_| queue.dequeue(now, &mut Vec::new())).map(|packet| packet.packet.flow).collect()
    }

    /// 15140 bytes let eleven packets of 1500 go, the last on credit: 1360 bytes too many, and 3028 a turn make the next two.
    #[test]
    fn the_first_turn_is_longer() {
        let mut queue = fq(&[]);
        fill(&mut queue, Time::ZERO, 1, 50);
        fill(&mut queue, Time::ZERO, 2, 50);
        let order = served(&mut queue, Time::ZERO, 26);
        assert_eq!(order[..11], [1; 11]);
        assert_eq!(order[11..22], [2; 11]);
        assert_eq!(order[22..], [1, 1, 2, 2]);
    }

    /// 15140 - 9 * 1500 = 1640 bytes are left: two packets. After a rest of more than 40 ms it has 3028: three, the last on credit.
    #[test]
    fn who_comes_back_has_what_it_left_and_after_a_rest_a_turn() {
        for (rest_ms, packets) in [(40, 2), (41, 3)] {
            let mut queue = fq(&[]);
            fill(&mut queue, Time::ZERO, 1, 9);
            assert_eq!(served(&mut queue, Time::ZERO, 10).len(), 9);
            let now = Time::from_ms(rest_ms);
            fill(&mut queue, now, 1, 10);
            fill(&mut queue, now, 2, 10);
            let order = served(&mut queue, now, 5);
            assert_eq!(order.iter().take_while(|&&key| key == 1).count(), packets, "{rest_ms} ms, {order:?}");
        }
    }

    #[test]
    fn a_queue_is_short_and_the_house_is_full_for_all() {
        let mut queue = fq(&[]);
        assert_eq!(fill(&mut queue, Time::ZERO, 1, 130), 30);
        assert_eq!(fill(&mut queue, Time::ZERO, 2, 100), 0);
        let (mut dropped, full) = (Vec::new(), Room { packets: 200, ..ENDLESS });
        queue.enqueue(Time::ZERO, packet(Time::ZERO, 3), full, &mut dropped);
        assert_eq!((dropped.len(), dropped[0].packet.flow, queue.packets()), (1, 3, 200));
    }
}
