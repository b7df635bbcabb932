//! A path whose receiver has a buffer that may be full: its part in what arrives and is answered.

use tcp::{Ack, Arrival, Bare, EcnBits, Opening};
use units::Time;

use super::path::Path;
use super::tap::carried;

impl Path {
    /// Its segments are looked at if its receiver has such a buffer.
    pub(crate) fn look_at_buffer(&mut self) {
        let has_one = self.receiver.buffer().is_some();
        self.is_watched |= has_one;
        self.is_altered |= has_one;
    }

    /// The receiver sends `ack` at `at`, with the window that it offers.
    pub(crate) fn answer(&mut self, at: Time, ack: Ack) {
        if self.receiver.buffer().is_none() || ack.is_special() {
            if self.is_tapped {
                self.show_answer(at, ack, carried(&self.receiver, &ack));
            }
            return self.send_ack(at, ack);
        }
        let (ack, sack) = self.receiver.offered_with(ack);
        if self.is_tapped {
            self.show_answer(at, ack, Some(sack));
        }
        self.send_with(at, ack, sack);
    }

    /// A segment arrives for the buffer, or asks whether there is room.
    #[inline(never)]
    pub(crate) fn keep(&mut self, at: Time, seq: u64, sent: Time, bits: EcnBits) {
        if seq == Bare::Probe.seq() {
            let ack = self.receiver.on_window_probed(at);
            return self.answer_if_any(at, ack);
        }
        let part = Opening::of(seq);
        if self.is_ecn_capable && part.is_none() {
            let flushed = self.receiver.on_ecn_bits(bits);
            self.answer_if_any(at, flushed);
        }
        if part == Some(Opening::Ack) {
            self.remember_opening(at);
        }
        let ack = self.receiver.on_segment_kept(Arrival { at, seq, sent });
        self.answer_if_any(at, ack);
        while self.receiver.reads_at() <= at {
            self.read();
        }
        self.refresh_beyond();
    }

    /// The application reads, when it is due.
    pub(crate) fn read(&mut self) {
        let at = self.receiver.reads_at();
        let ack = self.receiver.on_read();
        self.answer_if_any(at, ack);
        self.refresh_beyond();
    }

    fn answer_if_any(&mut self, at: Time, ack: Option<Ack>) {
        if let Some(ack) = ack {
            self.answer(at, ack);
        }
    }
}
