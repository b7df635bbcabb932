//! The side that asks: its requests are data to a sender of its own, with a window, probes and repairs as any other has.
//!
//! The response acknowledges what is left of a request. Departure: the ACK that a segment of the response carries counts only where it is the
//! first of a response.

use cc::CongestionControl;
use units::{Duration, Time};

use crate::{Ack, Ecn, Heard, Options, Sender, SenderSpec, Wire};

/// The sender of one request after another.
#[derive(Clone, Debug)]
pub struct Asking<C> {
    sender: Sender<C>,
    has_timestamps: bool,
}

impl<C: CongestionControl + Clone> Asking<C> {
    /// Nothing was asked, and nothing is known of the path.
    pub fn new(options: &Options, mss: u32, law: C) -> Asking<C> {
        let own = Options { ecn: Ecn::Off, ..options.clone() };
        let spec = SenderSpec { options: own, mss, segments: u64::MAX, window: u64::MAX, device: false };
        Asking { sender: Sender::new(spec, law).waiting().accepting(), has_timestamps: options.timestamps }
    }

    /// The connection is there; its handshake took so long, if that is known.
    pub fn on_established(&mut self, now: Time, rtt: Option<Duration>, wire: &mut impl Wire) {
        match rtt {
            Some(rtt) => self.sender.on_started(now, rtt, wire),
            None => self.sender.on_started_untimed(now, wire),
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

    /// A request is written: `packets` of all requests.
    pub fn on_asked(&mut self, now: Time, packets: u64, wire: &mut impl Wire) {
        self.sender.on_written(now, packets, wire);
    }

    /// An ACK of packets of requests arrives.
    pub fn on_heard(&mut self, now: Time, heard: &Heard, wire: &mut impl Wire) {
        self.sender.on_ack(now, heard.ack, heard.sack.as_ref(), wire);
    }

    /// A response begins to arrive: all `packets` of requests have, the last at last as the copy that was sent at `sent`.
    pub fn on_answered(&mut self, now: Time, (packets, sent): (u64, Time), wire: &mut impl Wire) {
        if self.sender.connection().una < packets {
            self.sender.on_ack(now, Ack { cumulative: packets, echo: sent, ..Ack::default() }, None, wire);
        }
    }

    /// When [`Asking::on_deadline`] must be called; [`Time::NEVER`] for never.
    pub fn deadline(&self) -> Time {
        self.sender.deadline()
    }

    /// A timer expires.
    pub fn on_deadline(&mut self, now: Time, wire: &mut impl Wire) {
        self.sender.on_deadline(now, wire);
    }
}

#[cfg(test)]
mod tests {
    use cc::Controller;

    use super::*;
    use crate::{Arrival, Hearing, Reduction};

    /// What leaves: when, which packet.
    #[derive(Debug, Default)]
    struct Left(Vec<(u64, u64)>);

    impl Wire for Left {
        fn send(&mut self, now: Time, seq: u64) {
            self.0.push((now.as_ms(), seq));
        }
        fn on_loss_episode(&mut self, _now: Time, _reduction: Reduction) {}
        fn on_timeout(&mut self, _now: Time, _cwnd: f64) {}
        fn on_undo(&mut self, _now: Time, _cwnd: f64) {}
        fn on_slow_start_exit(&mut self, _now: Time, _cwnd: f64) {}
    }

    fn asking(change: fn(&mut Options)) -> Asking<Controller> {
        let mut options = Options::of_profile("linux-6.1").expect("a profile");
        change(&mut options);
        let law = cc::build("cubic", None, "linux-6.1", &[].into()).expect("a law").algorithm;
        let mut asking = Asking::new(&options, 1448, law);
        asking.on_established(Time::from_ms(0), Some(Duration::from_ms(100)), &mut Left::default());
        asking
    }

    /// A request of so many packets leaves at 1 s and is never answered: what leaves from then on.
    fn unanswered(mut asking: Asking<Controller>, packets: u64) -> Vec<(u64, u64)> {
        let mut left = Left::default();
        asking.on_asked(Time::from_ms(1000), packets, &mut left);
        left.0.clear();
        for _ in 0..4 {
            asking.on_deadline(asking.deadline(), &mut left);
        }
        left.0
    }

    /// An RTT of 100 ms, with a deviation of 50 ms: the timeout is 300 ms (RFC 6298 2.2 with Linux's floor of 200 ms). A lone packet is
    /// probed after 2 x 100 + 200 ms or the timeout, two packets after 202 ms, by the last; then timeouts of 300, 600 and 1200 ms, by the first.
    #[test]
    fn a_request_is_probed_by_its_last_packet_and_then_repeated_from_its_first() {
        assert_eq!(unanswered(asking(|_| ()), 1), [(1300, 0), (1600, 0), (2200, 0), (3400, 0)]);
        assert_eq!(unanswered(asking(|_| ()), 2), [(1202, 1), (1502, 0), (2102, 0), (3302, 0)]);
        assert_eq!(unanswered(asking(|options| options.tlp = false), 1), [(1300, 0), (1900, 0), (3100, 0), (5500, 0)]);
    }

    /// Eight packets over a link that takes three, 12 ms each: packets 3 to 7 are lost. The ACKs of the first three put the probe off
    /// (smoothed RTTs of 100, 101.5 and 104.3125 ms, two of them after 1136 ms). The last packet is that probe; the SACK block of its ACK says
    /// that the others are missing, which leave again as PRR has it, two for the first ACK and not all five (RFC 8985, RFC 6937).
    #[test]
    fn what_a_full_queue_took_of_a_request_is_repaired_by_sack_and_no_more_of_it_than_the_window() {
        let (mut asking, mut left) = (asking(|_| ()), Left::default());
        let mut hearing = Hearing::new(&Options::of_profile("linux-6.1").expect("a profile"), Duration::from_ms(100));
        let (ms, sent) = (Time::from_ms, Time::from_ms(1000));
        asking.on_asked(sent, 8, &mut left);
        assert_eq!(left.0.drain(..).map(|(_, seq)| seq).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7]);
        for seq in 0..3 {
            let heard = hearing.on_packet(Arrival { at: ms(1050 + 12 * seq), seq, sent }).expect("one by one at first");
            asking.on_heard(ms(1100 + 12 * seq), &heard, &mut left);
        }
        assert_eq!((left.0.len(), asking.deadline().as_ms()), (0, 1334));
        let at = asking.deadline();
        asking.on_deadline(at, &mut left);
        assert_eq!(left.0, [(1334, 7)]);
        let heard = hearing.on_packet(Arrival { at: at + Duration::from_ms(50), seq: 7, sent: at }).expect("behind a hole at once");
        assert_eq!(heard.sack.map(|sack| (sack.blocks[0].from, sack.blocks[0].to)), Some((7, 8)));
        asking.on_heard(at + Duration::from_ms(100), &heard, &mut left);
        let again: Vec<u64> = left.0.drain(..).skip(1).map(|(_, seq)| seq).collect();
        assert!(!again.is_empty() && again.len() < 4 && again.iter().zip(3..).all(|(&seq, expected)| seq == expected), "{again:?}");
    }

    /// Karn's rule: a repeated request is timed by the timestamp alone, 100 ms; without it the timeout stays doubled.
    #[test]
    fn a_repeated_request_is_timed_by_its_timestamp() {
        let after = |change: fn(&mut Options)| {
            let (mut asking, mut left) = (asking(change), Left::default());
            asking.on_asked(Time::from_ms(1000), 1, &mut left);
            asking.on_deadline(asking.deadline(), &mut left);
            asking.on_deadline(asking.deadline(), &mut left);
            let (again, _) = *left.0.last().expect("sent again");
            asking.on_answered(Time::from_ms(again + 100), (1, Time::from_ms(again)), &mut left);
            asking.on_asked(Time::from_ms(again + 100), 2, &mut left);
            asking.on_deadline(asking.deadline(), &mut left);
            left.0.last().map(|(ms, _)| ms - again - 100)
        };
        assert_eq!(after(|options| options.tlp = false), Some(300));
        assert_eq!(after(|options| (options.tlp, options.timestamps) = (false, false)), Some(1200));
    }
}
