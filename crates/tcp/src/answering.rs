//! The handshake at the side that answers: SYN-ACKs, and their timer.
//!
//! The facts are those of Linux 6.1 (`reqsk_timer_handler`, `tcp_check_req`): the SYN-ACK leaves again after 1 s, and after twice as long each time,
//! five times (`tcp_synack_retries`); a SYN that comes again is answered again, and starts the timer anew, without shortening it. The ACK
//! of the handshake ends it, and so does any segment of data, for each carries one.

use units::{Duration, Time};

use crate::receiver::Receiver;
use crate::{Ack, Arrival, Opening};

/// How long the first SYN-ACK is waited for.
const TIMEOUT: Duration = Duration::from_ms(1000);

/// How often a SYN-ACK leaves by its timer (Linux `tcp_synack_retries`).
const RETRIES: u8 = 5;

/// Is set in [`Receiver`]'s `answered_again` once the ACK of the handshake is there.
const OVER: u8 = 1 << 7;

impl Receiver {
    /// The SYN-ACK has no ACK, and no data has come.
    pub(crate) fn is_half_open(&self) -> bool {
        self.is_open && self.answered_again & OVER == 0 && self.next == 0 && self.out_of_order.is_empty()
    }

    /// The SYN-ACK leaves again by a timer.
    pub fn answer_by_timer(&mut self) {
        self.answers_by_timer = true;
    }

    /// How often the SYN-ACK has left by its timer.
    pub fn answered_again(&self) -> u8 {
        self.answered_again & !OVER
    }

    /// Every SYN is answered; the answer echoes the first that arrived, as a connection that is being opened remembers it.
    pub(crate) fn on_opening(&mut self, part: Opening, segment: Arrival) -> Option<Ack> {
        let is_news = part == Opening::Ack || !self.is_open;
        if is_news && self.next == 0 {
            (self.echo, self.delay) = (segment.sent, segment.delay());
        }
        if part == Opening::Ack {
            if self.is_half_open() {
                self.answered_again |= OVER;
                self.deadline = Time::NEVER;
            }
            return None;
        }
        self.is_open = true;
        if self.is_half_open() {
            self.await_ack(segment.at);
        }
        Some(Ack::of_syn(self.echo, self.delay))
    }

    /// The SYN-ACK that left at `now` is waited for, if it may leave again.
    fn await_ack(&mut self, now: Time) {
        let wait = TIMEOUT * (1 << self.answered_again);
        self.deadline = if self.answers_by_timer && self.answered_again < RETRIES { now + wait } else { Time::NEVER };
    }

    /// The timer of the SYN-ACK expires: it leaves again.
    pub(crate) fn answer_again(&mut self) -> Ack {
        let now = self.deadline;
        self.answered_again += 1;
        self.await_ack(now);
        Ack::of_syn(self.echo, self.delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, ReceiverSpec};

    fn arrive(receiver: &mut Receiver, ms: u64, seq: u64) -> Option<Ack> {
        receiver.on_segment(Arrival { at: Time::from_ms(ms), seq, sent: Time::ZERO })
    }

    fn asked() -> Receiver {
        let options = Options::of_profile("linux-6.1").expect("a profile");
        let mut receiver = Receiver::new(ReceiverSpec::new(&options, Duration::from_ms(100)));
        receiver.answer_by_timer();
        assert!(arrive(&mut receiver, 10, Opening::Syn.seq()).is_some_and(|ack| ack.is_syn_ack()));
        receiver
    }

    /// When SYN-ACKs leave again, milliseconds.
    fn again(mut receiver: Receiver) -> Vec<u64> {
        let mut times = Vec::new();
        while receiver.deadline() < Time::NEVER {
            times.push(receiver.deadline().as_ms());
            assert!(receiver.on_deadline().is_syn_ack());
        }
        times
    }

    /// `tcp_synack_retries` is 5: after 1, 3, 7, 15 and 31 s.
    #[test]
    fn a_syn_ack_leaves_five_times_more() {
        assert_eq!(again(asked()), [1010, 3010, 7010, 15_010, 31_010]);
    }

    /// The SYN comes again after 500 ms: 1 s from then.
    #[test]
    fn a_syn_that_comes_again_starts_the_timer_anew() {
        let mut receiver = asked();
        assert!(arrive(&mut receiver, 510, Opening::Syn.seq()).is_some());
        assert_eq!(again(receiver)[..2], [1510, 3510]);
    }

    #[test]
    fn the_ack_or_data_ends_the_handshake() {
        for seq in [Opening::Ack.seq(), 0, 3] {
            let mut receiver = asked();
            arrive(&mut receiver, 60, seq);
            assert!(!receiver.is_half_open() && receiver.deadline() == Time::NEVER, "{seq}");
            // A SYN that was late is answered, and nothing is waited for.
            assert!(arrive(&mut receiver, 90, Opening::Syn.seq()).is_some());
            assert_eq!(receiver.deadline(), Time::NEVER);
        }
    }
}
