//! A token bucket: a policer drops what finds too few tokens, a shaper lets it wait for them.
//!
//! Source: the committed bucket of RFC 2697 (one rate, one burst, full at first), as policer and as shaper. Tokens are bytes; state is kept in bit-nanoseconds per second, so that no rate drifts. What has passed by a time t is never more than rate x t + burst.

use units::{Rate, Time};

use super::{DisciplineSpec, Line, Queued, Room};

/// Bit-nanoseconds per second in a byte.
const BYTE: u128 = 8_000_000_000;

/// The bucket.
#[derive(Clone, Debug)]
struct Bucket {
    rate: Rate,
    burst: u128,
    tokens: u128,
    filled_at: Time,
}

impl Bucket {
    /// Full at first.
    fn new(spec: &DisciplineSpec) -> Bucket {
        let burst = spec.value("burst_bytes") as u128 * BYTE;
        Bucket { rate: Rate(spec.value("rate_bps") as u64), burst, tokens: burst, filled_at: Time::ZERO }
    }

    fn fill(&mut self, now: Time) {
        let come = u128::from((now - self.filled_at).0) * u128::from(self.rate.0);
        self.tokens = (self.tokens + come).min(self.burst);
        self.filled_at = now;
    }

    /// Takes the tokens for `bytes`, if there are as many.
    fn take(&mut self, now: Time, bytes: u32) -> bool {
        self.fill(now);
        let cost = u128::from(bytes) * BYTE;
        let is_enough = self.tokens >= cost;
        if is_enough {
            self.tokens -= cost;
        }
        is_enough
    }

    /// When there will be tokens for `bytes`: at the first nanosecond.
    fn ready_at(&self, bytes: u32) -> Time {
        let lacking = (u128::from(bytes) * BYTE).saturating_sub(self.tokens);
        self.filled_at + Time(lacking.div_ceil(u128::from(self.rate.0)) as u64)
    }
}

/// Drops what exceeds rate and burst; the rest is drop-tail.
#[derive(Clone, Debug)]
pub(crate) struct Policer<T> {
    line: Line<T>,
    bucket: Bucket,
}

impl<T> Policer<T> {
    pub(crate) fn new(spec: &DisciplineSpec) -> Policer<T> {
        Policer { line: Line::default(), bucket: Bucket::new(spec) }
    }

    pub(crate) fn enqueue(&mut self, now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        // What the policer lets through has spent its tokens, room or not: the queue comes after it.
        if self.bucket.take(now, packet.bytes) && self.line.has_room(room, &packet) {
            self.line.push(packet);
        } else {
            dropped.push(packet);
        }
    }

    pub(crate) fn dequeue(&mut self, _now: Time, _dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        self.line.pop()
    }

    pub(crate) fn packets(&self) -> usize {
        self.line.packets()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.line.bytes()
    }
}

/// Drop-tail, and each packet waits at the head for its tokens.
#[derive(Clone, Debug)]
pub(crate) struct Shaper<T> {
    line: Line<T>,
    bucket: Bucket,
}

impl<T> Shaper<T> {
    pub(crate) fn new(spec: &DisciplineSpec) -> Shaper<T> {
        Shaper { line: Line::default(), bucket: Bucket::new(spec) }
    }

    pub(crate) fn enqueue(&mut self, _now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        // One larger than the burst would wait for ever.
        let can_pass = u128::from(packet.bytes) * BYTE <= self.bucket.burst;
        if can_pass && self.line.has_room(room, &packet) {
            self.line.push(packet);
        } else {
            dropped.push(packet);
        }
    }

    pub(crate) fn dequeue(&mut self, now: Time, _dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        let bytes = self.line.front()?.bytes;
        if self.bucket.take(now, bytes) {
            self.line.pop()
        } else {
            None
        }
    }

    /// When the packet at the head has its tokens.
    pub(crate) fn asks_at(&self) -> Time {
        self.line.front().map_or(Time::NEVER, |packet| self.bucket.ready_at(packet.bytes))
    }

    pub(crate) fn packets(&self) -> usize {
        self.line.packets()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.line.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::line::samples::{packet, ENDLESS};
    use super::super::registry::discipline;
    use super::*;

    /// 12 Mbit/s and ten packets: one token's worth of packet comes every millisecond.
    fn spec(name: &str) -> DisciplineSpec {
        let given: BTreeMap<String, f64> = [("rate_bps".to_owned(), 12e6), ("burst_bytes".to_owned(), 15_000.0)].into();
        discipline(name, &given).expect("a row")
    }

    #[test]
    fn a_policer_passes_a_burst_and_then_its_rate() {
        let (mut policer, mut dropped) = (Policer::new(&spec("policer")), Vec::new());
        let mut passed = Vec::new();
        for us in (0..20_000).step_by(250) {
            let before = dropped.len();
            policer.enqueue(Time::from_us(us), packet(Time::ZERO, 0), ENDLESS, &mut dropped);
            passed.extend((dropped.len() == before).then_some(us));
        }
        // Ten at once, of a bucket that fills by a quarter of a packet meanwhile: 10 + 0.25 n >= n until n = 13, then every fourth.
        assert_eq!(passed[..13], (0..13).map(|n| n * 250).collect::<Vec<_>>());
        assert!(passed[13..].windows(2).all(|pair| pair[1] - pair[0] == 1000), "{passed:?}");
    }

    #[test]
    fn an_idle_bucket_holds_no_more_than_its_burst() {
        let (mut policer, mut dropped) = (Policer::new(&spec("policer")), Vec::new());
        (0..30).for_each(|_| policer.enqueue(Time::from_ms(60_000), packet(Time::ZERO, 0), ENDLESS, &mut dropped));
        assert_eq!((policer.packets(), policer.bytes(), dropped.len()), (10, 15_000, 20));
    }

    #[test]
    fn a_shaper_says_when_to_ask_again_to_the_nanosecond() {
        let (mut shaper, mut dropped) = (Shaper::new(&spec("shaper")), Vec::new());
        (0..12).for_each(|_| shaper.enqueue(Time::ZERO, packet(Time::ZERO, 0), ENDLESS, &mut dropped));
        assert_eq!((0..12).filter(|_| shaper.dequeue(Time::ZERO, &mut dropped).is_some()).count(), 10);
        assert_eq!(shaper.asks_at(), Time::from_ms(1));
        assert!(shaper.dequeue(Time(999_999), &mut dropped).is_none());
        assert_eq!(shaper.asks_at(), Time::from_ms(1));
        assert!(shaper.dequeue(Time::from_ms(1), &mut dropped).is_some() && shaper.asks_at() == Time::from_ms(2));
    }

    #[test]
    fn a_packet_above_the_burst_is_dropped_and_does_not_block_the_others() {
        let (mut shaper, mut dropped) = (Shaper::new(&spec("shaper")), Vec::new());
        shaper.enqueue(Time::ZERO, Queued { bytes: 15_001, ..packet(Time::ZERO, 0) }, ENDLESS, &mut dropped);
        assert_eq!((dropped.len(), shaper.packets(), shaper.asks_at()), (1, 0, Time::NEVER));
    }
}
