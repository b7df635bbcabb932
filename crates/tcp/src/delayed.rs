//! A delayed ACK where the clock of the stack's timers ticks: it leaves when the clock sees that its time is over.

use crate::Receiver;

impl Receiver {
    /// The deadline has come, of an ACK that is delayed, and the clock of the timers has not seen it: the deadline is later now. Asked before
    /// [`Receiver::on_deadline`], and only then, so that ACKs which do not wait so long cost nothing.
    pub fn puts_off(&mut self) -> bool {
        let is_delayed = self.pending > 0 && !self.is_half_open() && !self.compression.is_holding();
        let Some(seen) = self.seen.as_deref_mut().filter(|_| is_delayed) else { return false };
        // The timer was armed when the last segment came.
        let at = seen.look(self.last_arrival, self.deadline);
        let is_later = at > self.deadline;
        self.deadline = at;
        is_later
    }
}

#[cfg(test)]
mod tests {
    use units::{Duration, Time};

    use super::*;
    use crate::{Arrival, Options, ReceiverSpec};

    /// A lone segment behind the quick ACKs at 1.0005 s, 40 ms (Linux `TCP_DELACK_MIN`): exact, in ticks of a millisecond and the wheel's one, and with 250 a second
    /// ten ticks and one from that of 1.000 s. Before the wheel the next tick sees it.
    #[test]
    fn a_delayed_ack_leaves_when_the_clock_sees_it() {
        let left_us = |tick_s: f64, change: fn(&mut Options)| {
            let mut options = Options { timer_tick_s: tick_s, quickack: 0, ..Options::of_profile("linux-6.1").expect("a profile") };
            change(&mut options);
            let mut receiver = Receiver::new(ReceiverSpec::new(&options, Duration::from_ms(40)));
            let at = Time(1_000_500_000);
            assert_eq!(receiver.on_segment(Arrival { at, seq: 0, sent: at }), None);
            assert_eq!((receiver.deadline() - at).as_ms(), 40);
            let was_late = receiver.puts_off();
            assert_eq!((was_late, receiver.puts_off()), (tick_s > 0.0, false), "once");
            let left = receiver.deadline();
            assert_eq!((receiver.on_deadline().cumulative, receiver.puts_off()), (1, false));
            (left - at).as_us()
        };
        let before: fn(&mut Options) = |options| options.loss_detection = crate::LossDetection::Fack;
        assert_eq!(
            [left_us(0.0, |_| ()), left_us(0.001, |_| ()), left_us(0.004, |_| ()), left_us(0.004, before)],
            [40_000, 40_500, 43_500, 43_500]
        );
    }
}
