//! The side that asks: when a request that has no answer leaves again.
//!
//! Its timers are those of Linux 6.1 for data of its size: a tail loss probe after two smoothed RTTs, and 200 ms for a lone packet, not later
//! than the retransmission timeout; a full timeout after the probe; then timeouts that double. ACKs of its packets start the timer anew; the
//! response acknowledges what is left. Either gives an RTT sample: of a request that left once to the nanosecond, of another by the timestamp
//! that it echoes, in milliseconds. Departure: all packets of a request that have no ACK leave again, where Linux sends the last, then the
//! first, then what SACK shows missing.

use cc::Connection;
use units::{Duration, Time};

use crate::rtt::RttEstimator;
use crate::timers::probe_wait;
use crate::Options;

/// How long a probe is waited for without an RTT sample.
const PROBE_INITIAL: Duration = Duration::from_ms(1000);

/// The timer of one request after another.
#[derive(Clone, Debug)]
pub struct Asking {
    rtt: RttEstimator,
    /// Of it the smoothed RTT and the number of packets out count.
    c: Connection,
    has_probes: bool,
    has_timestamps: bool,
    /// How often the request has left.
    left: u32,
    first_sent: Time,
}

impl Asking {
    /// Nothing was asked, and nothing is known of the path.
    pub fn new(options: &Options, mss: u32) -> Asking {
        Asking {
            rtt: RttEstimator::new(options),
            c: Connection::new(mss),
            has_probes: options.tlp && options.sack,
            has_timestamps: options.timestamps,
            left: 0,
            first_sent: Time::ZERO,
        }
    }

    /// The connection is there; its handshake took so long, if that is known.
    pub fn on_established(&mut self, rtt: Option<Duration>) {
        match rtt {
            Some(rtt) => self.sample(rtt),
            None => self.rtt.on_handshake_untimed(),
        }
    }

    /// How long the ACK of the handshake took that arrives at `now`, where the SYN came once, at `syn`, and the SYN-ACK left so often again:
    /// of one that left once to the nanosecond, else by the timestamp of the last, in milliseconds (Linux `tcp_synack_rtt_meas`).
    pub fn handshake_rtt(&self, now: Time, syn: Time, again: u8) -> Option<Duration> {
        if again == 0 {
            return Some(now - syn);
        }
        // After 1, 3, 7 s and so on.
        let last = syn + Duration::from_ms(1000) * ((1 << again) - 1);
        self.has_timestamps.then(|| Duration::from_ms((now.as_ms() - last.as_ms()).max(1)))
    }

    /// A request of so many packets leaves; until when its answer is waited for.
    pub fn on_asked(&mut self, now: Time, packets: u64) -> Time {
        (self.left, self.first_sent) = (1, now);
        (self.c.una, self.c.nxt) = (self.c.nxt, self.c.nxt + packets);
        self.deadline(now)
    }

    /// An ACK of `packets` packets of all requests arrives, more than before, to the copy that was sent at `sent`; until when the answer to
    /// those left is waited for.
    pub fn on_heard(&mut self, now: Time, packets: u64, sent: Time) -> Time {
        self.c.una = packets;
        self.sample_of(now, sent);
        if packets == self.c.nxt {
            return Time::NEVER;
        }
        self.deadline(now)
    }

    /// Until when an answer is waited for from `now` on.
    fn deadline(&self, now: Time) -> Time {
        let rto = self.rtt.rto();
        if !self.has_probes || self.left > 1 {
            return now + rto;
        }
        let wait = if self.c.srtt8_us == 0 { PROBE_INITIAL } else { probe_wait(&self.c) };
        now + wait.min(rto)
    }

    /// No answer has come in time: the request leaves again; until when its answer is waited for now.
    pub fn on_deadline(&mut self, now: Time) -> Time {
        let is_probe = self.has_probes && self.left == 1;
        if !is_probe {
            self.rtt.back_off();
        }
        self.left += 1;
        now + self.rtt.rto()
    }

    /// An answer arrives, to the copy that was sent at `sent`: unless ACKs have done so it acknowledges the request.
    pub fn on_answered(&mut self, now: Time, sent: Time) {
        if self.c.una < self.c.nxt {
            self.c.una = self.c.nxt;
            self.sample_of(now, sent);
        }
    }

    fn sample_of(&mut self, now: Time, sent: Time) {
        if self.left == 1 {
            self.sample(now - self.first_sent);
        } else if self.has_timestamps {
            self.sample(Duration::from_ms((now.as_ms() - sent.as_ms()).max(1)));
        }
    }

    fn sample(&mut self, rtt: Duration) {
        self.rtt.on_sampled(&mut self.c, rtt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(change: fn(&mut Options)) -> Asking {
        let mut options = Options::of_profile("linux-6.1").expect("a profile");
        change(&mut options);
        let mut asking = Asking::new(&options, 1448);
        asking.on_established(Some(Duration::from_ms(100)));
        asking
    }

    /// Deadlines of a request that leaves at 1 s and is never answered, in milliseconds.
    fn deadlines(mut asking: Asking, packets: u64) -> Vec<u64> {
        let mut at = asking.on_asked(Time::from_ms(1000), packets);
        let mut times = Vec::new();
        for _ in 0..4 {
            times.push(at.as_ms());
            at = asking.on_deadline(at);
        }
        times
    }

    /// An RTT of 100 ms, with a deviation of 50 ms: the timeout is 300 ms (RFC 6298 2.2 with Linux's floor of 200 ms). A lone packet is
    /// probed after 2 x 100 + 200 ms or the timeout, two packets after 202 ms; then timeouts of 300, 600 and 1200 ms.
    #[test]
    fn a_request_is_probed_and_then_repeated_with_doubled_timeouts() {
        assert_eq!(deadlines(asking(|_| ()), 1), [1300, 1600, 2200, 3400]);
        assert_eq!(deadlines(asking(|_| ()), 2), [1202, 1502, 2102, 3302]);
        assert_eq!(deadlines(asking(|options| options.tlp = false), 1), [1300, 1900, 3100, 5500]);
    }

    /// Eight packets 12 ms apart, of which every second is acknowledged: each ACK starts two smoothed RTTs anew, the last ends the wait. By the
    /// estimator, RTTs of 100, 112 and 124 ms after one of 100 ms make it 100, 101.5 and 104.3125 ms.
    #[test]
    fn acks_of_its_packets_put_the_probe_off() {
        let mut asking = asking(|_| ());
        assert_eq!(asking.on_asked(Time::from_ms(1000), 8).as_ms(), 1202);
        assert_eq!(asking.on_heard(Time::from_ms(1100), 2, Time::ZERO).as_ms(), 1302);
        assert_eq!(asking.on_heard(Time::from_ms(1112), 4, Time::ZERO).as_ms(), 1317);
        assert_eq!(asking.on_heard(Time::from_ms(1124), 6, Time::ZERO).as_ms(), 1334);
        assert_eq!(asking.on_heard(Time::from_ms(1136), 8, Time::ZERO), Time::NEVER);
    }

    /// Karn's rule: a repeated request is timed by the timestamp alone; without it the timeout stays doubled.
    #[test]
    fn a_repeated_request_is_timed_by_its_timestamp() {
        let after = |change: fn(&mut Options)| {
            let mut asking = asking(change);
            let first = asking.on_asked(Time::from_ms(1000), 1);
            let second = asking.on_deadline(first);
            asking.on_deadline(second);
            asking.on_answered(second + Duration::from_ms(100), second);
            asking.rtt.rto().as_ms()
        };
        assert_eq!(after(|_| ()), 300);
        assert_eq!(after(|options| options.timestamps = false), 600);
    }
}
