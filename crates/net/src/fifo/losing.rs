//! Losses before the queue: how many packets are sure to pass, so that these need no look.

use units::Time;

use super::Fifo;
use crate::Packet;

impl Fifo {
    /// Packets in the ring up to which none that arrives is lost.
    pub(super) fn sure_to_pass(&mut self, now: Time) -> usize {
        self.random.pass(self.queue.pushed() - self.looked_at);
        self.looked_at = self.queue.pushed();
        if self.losses.quiet_until().is_some_and(|until| until <= now) {
            return 0;
        }
        self.queue.len().saturating_add(self.random.sure())
    }

    /// Whether the packet that arrives at `now` is lost.
    pub(super) fn loses(&mut self, now: Time, packet: Packet) -> bool {
        let is_lost = self.losses.strike(now, packet) | self.random.strikes();
        self.wake();
        is_lost
    }
}

#[cfg(test)]
mod tests {
    use units::{Rate, Stream};

    use super::*;
    use crate::loss::{Among, LossModel, Timed};
    use crate::{Answer, FifoSpec, Limit, Losses};
    use units::Duration;

    /// Packets of a millisecond come two at a time, to a link for eight: a packet is lost when its own draw says so or the clock does, and
    /// dropped when eight are there.
    #[test]
    fn packets_are_lost_as_if_each_were_asked() {
        for (probability, interval_ms) in [(0.01, 7), (0.3, 1000), (0.0, 13), (0.001, 0)] {
            let spec = FifoSpec {
                rate: Rate(12_000_000),
                limit: Limit::Packets(8),
                excludes_in_service: false,
                loss_probability: probability,
                mark_at: None,
            };
            let mut losses = Losses::default();
            if interval_ms > 0 {
                losses.add(Among::Data, LossModel::Timed(Timed::new(Duration::from_ms(interval_ms), 0.4)), Stream::named(1, "timed"));
            }
            let window = Time::from_ms(500)..Time::from_ms(20_000);
            let mut link = Fifo::new(spec, window, Stream::named(1, "random")).with_losses(losses.clone());
            let (mut random, mut arrivals) = (Stream::named(1, "random"), Stream::named(1, "arrivals"));
            let (mut now, mut departures, mut lost) = (Time::ZERO, Vec::<Time>::new(), 0);
            while now < Time::from_ms(20_000) {
                now += Duration(arrivals.up_to(4_500_000));
                for packet in [Packet::data(1500, 0), Packet { is_ack: arrivals.chance(0.5), ..Packet::data(1500, 0) }] {
                    let is_lost = losses.strike(now, packet) | (probability > 0.0 && random.chance(probability));
                    let inside = departures.iter().rev().take(9).filter(|&&departs| departs > now).count();
                    match link.take(now, packet) {
                        Answer::Departs(departs) if !is_lost && inside < 8 => departures.push(departs),
                        Answer::Dropped if !is_lost && inside == 8 => {}
                        Answer::Lost if is_lost => lost += 1,
                        answer => panic!("{answer:?} at {now:?} with {inside} in the queue"),
                    }
                }
                if arrivals.chance(0.01) {
                    link.occupancy(now);
                }
            }
            assert!(lost > 5, "{lost} lost at {probability}");
        }
    }
}
