//! A receiver that keeps what its application has not read: when its ACKs leave, and which window they offer.
//!
//! The facts are those of Linux 6.1. A second segment is acknowledged at once only if the window's right edge moves on by that
//! (`__tcp_ack_snd_check`); otherwise when the application reads (`tcp_cleanup_rbuf`) or the timer expires. A read that could double the window is
//! told at once, and so is each segment by which the window opens. While less than half of the window is free no ACK is hurried.

use units::Time;

use crate::buffer::{Advance, Buffer, News, Offer};
use crate::receiver::Receiver;
use crate::{Ack, Arrival, BufferSpec, Opening, Sack};

impl Receiver {
    /// The same with a buffer that may be full.
    pub fn with_buffer(mut self, spec: BufferSpec) -> Receiver {
        self.buffer = Some(Box::new(Buffer::new(spec)));
        self
    }

    /// Its buffer, if that may be full.
    pub fn buffer(&self) -> Option<&Buffer> {
        self.buffer.as_deref()
    }

    /// When the application reads next what has arrived; [`Time::NEVER`] if nothing has.
    #[inline]
    pub fn reads_at(&self) -> Time {
        self.buffer.as_ref().map_or(Time::NEVER, |buffer| buffer.reads_at())
    }

    /// [`Receiver::on_segment`] into the buffer.
    pub fn on_segment_kept(&mut self, segment: Arrival) -> Option<Ack> {
        let Arrival { at, seq, sent } = segment;
        let Some(buffer) = self.buffer.as_deref_mut().filter(|_| Opening::of(seq).is_none()) else { return self.on_segment(segment) };
        let is_new = seq >= self.next && self.out_of_order.containing(seq).is_none();
        let is_expected = seq == self.next && self.out_of_order.is_empty();
        let opens = buffer.on_arrived(at, sent, News { is_new, in_order: (seq == self.next).then_some(seq + 1) });
        let ack = if is_expected {
            self.on_expected_kept(segment, opens)
        } else {
            self.hurry(opens);
            self.on_segment(segment)
        };
        let next = self.next;
        if let Some(buffer) = self.buffer.as_deref_mut() {
            buffer.await_reader(at, next);
        }
        ack
    }

    /// The window opens by a segment, which so is acknowledged at once.
    fn hurry(&mut self, opens: bool) {
        if opens {
            self.acknowledge_quickly(self.quick | 1);
        }
    }

    fn on_expected_kept(&mut self, segment: Arrival, opens: bool) -> Option<Ack> {
        let waits_until = self.deadline;
        self.adapt(segment.at);
        self.hurry(opens);
        self.next += 1;
        self.pending += 1;
        if self.pending == 1 {
            (self.echo, self.delay) = (segment.sent, segment.delay());
        }
        if (self.pending >= self.ack_every && self.moves_on()) || self.quick > 0 || segment.seq == self.last {
            return Some(self.acknowledge_kept());
        }
        if waits_until <= segment.at + self.ato / 4 {
            return Some(self.acknowledge_kept());
        }
        self.deadline = waits_until.min(segment.at + self.ato.min(self.delay_max));
        None
    }

    /// Whether an ACK moves the window's right edge on.
    fn moves_on(&mut self) -> bool {
        let Some(Advance { moves_on, is_low }) = self.buffer.as_ref().map(|buffer| buffer.advances()) else { return true };
        if is_low {
            self.acknowledge_quickly(0);
        }
        moves_on
    }

    fn acknowledge_kept(&mut self) -> Ack {
        if !self.out_of_order.is_empty() {
            self.sack.duplicate = None;
            return self.acknowledge_disorder();
        }
        self.spend_quick();
        self.acknowledge()
    }

    /// The application reads, at [`Receiver::reads_at`]. Returns the ACK, if one leaves for that.
    pub fn on_read(&mut self) -> Option<Ack> {
        let next = self.next;
        let is_wider = self.buffer.as_deref_mut().is_some_and(|buffer| buffer.on_read(next));
        let waits = self.pending >= self.ack_every && self.deadline < Time::NEVER;
        (waits || is_wider).then(|| self.acknowledge_kept())
    }

    /// The sender asks whether there is room. Returns the answer, if there is one.
    pub fn on_window_probed(&mut self, now: Time) -> Option<Ack> {
        let is_answered = self.buffer.as_deref_mut().is_some_and(|buffer| buffer.on_asked(now));
        is_answered.then(|| self.acknowledge_kept())
    }

    /// An ACK of this receiver leaves: with the window that it offers, if the receiver has a buffer, which travels as SACK information does.
    #[inline(never)]
    pub fn offered_with(&mut self, ack: Ack) -> (Ack, Sack) {
        let sack = if ack.has_sack { self.sack } else { Sack::default() };
        let next = self.next;
        let Some(Offer { window, is_low }) = self.buffer.as_deref_mut().map(|buffer| buffer.offer(next)) else { return (ack, sack) };
        if is_low {
            self.acknowledge_quickly(0);
        }
        (Ack { has_sack: true, ..ack }, Sack { window: Some(window as u32), ..sack })
    }
}
