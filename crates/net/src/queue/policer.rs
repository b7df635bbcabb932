//! A policer: what exceeds a rate and a burst is dropped; the rest is drop-tail.
//!
//! Source: the committed bucket of RFC 2697 (one rate, one burst, full at first), see [`super::bucket`].

use units::{Rate, Stream, Time};

use super::bucket::{Bucket, BURST, RATE};
use super::{Arriving, Decision, Discipline, DisciplineSpec, Waiting};
use crate::Packet;

/// What is said of it.
pub(super) static DISCIPLINE: Discipline = Discipline {
    name: "policer",
    year: 1999,
    source: "RFC 2697, one bucket",
    summary: "Drops what exceeds a rate and a burst before it reaches the queue.",
    parameters: &[RATE, BURST],
    qdisc: None,
};

/// The law.
#[derive(Clone, Debug)]
pub(crate) struct Law(Bucket);

/// The policer, its bucket full.
pub(super) fn law(spec: &DisciplineSpec, _rate: Rate, _draws: Stream) -> Law {
    Law(Bucket::new(spec))
}

impl Arriving for Law {
    fn decide(&mut self, now: Time, packet: Packet, _waiting: Waiting, has_room: bool) -> Decision {
        // What the policer lets through has spent its tokens, room or not: the queue comes after it.
        if self.0.take(now, packet.bytes) && has_room {
            Decision::Accept
        } else {
            Decision::Drop
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::discipline;
    use super::*;

    /// 12 Mbit/s and ten packets: one token's worth of packet comes every millisecond.
    fn policer() -> Law {
        let given: BTreeMap<String, f64> = [("rate_bps".to_owned(), 12e6), ("burst_bytes".to_owned(), 15_000.0)].into();
        law(&discipline("policer", &given).expect("a discipline"), Rate(1_000_000_000), Stream::named(1, "test"))
    }

    fn passes(policer: &mut Law, now: Time) -> bool {
        policer.decide(now, Packet::data(1500, 0), Waiting::EMPTY, true) == Decision::Accept
    }

    #[test]
    fn a_policer_passes_a_burst_and_then_its_rate() {
        let mut policer = policer();
        let passed: Vec<u64> = (0..20_000).step_by(250).filter(|&us| passes(&mut policer, Time::from_us(us))).collect();
        // Ten at once, of a bucket that fills by a quarter of a packet meanwhile: 10 + 0.25 n >= n until n = 13, then every fourth.
        assert_eq!(passed[..13], (0..13).map(|n| n * 250).collect::<Vec<_>>());
        assert!(passed[13..].windows(2).all(|pair| pair[1] - pair[0] == 1000), "{passed:?}");
    }

    #[test]
    fn an_idle_bucket_holds_no_more_than_its_burst() {
        let mut policer = policer();
        assert_eq!((0..30).filter(|_| passes(&mut policer, Time::from_ms(60_000))).count(), 10);
    }
}
