//! A connection begins, once or several times in a script.

use tcp::AceCounter;

use super::expected::{Left, Span};
use super::handshake::Step;
use super::Run;
use crate::outcome::Stop;
use crate::script::{Direction, Packet};

impl Run {
    /// Nothing is left of the connection before.
    pub(super) fn begin_anew(&mut self) {
        self.handshake = self.handshake.next();
        (self.agreed, self.drive, self.peer_stamp) = (None, None, None);
        (self.is_next, self.is_gone, self.is_finished, self.is_closed) = (false, false, false, false);
        (self.has_received, self.has_data, self.has_all, self.has_ack) = (false, false, false, false);
        (self.left, self.marks) = (Left::default(), AceCounter::default());
    }

    /// Whether this SYN is the first of a connection.
    pub(super) fn begins(&self, packet: &Packet) -> bool {
        let is_over = self.is_gone || self.is_finished || self.is_next;
        self.handshake.is_new() || is_over && (packet.direction == Direction::Inbound || self.is_next)
    }

    pub(super) fn on_handshake(&mut self, packet: &Packet, span: Span) -> Result<(), Stop> {
        self.before = span.from;
        let agreed = match self.handshake.on_packet(span, packet, &self.settings)? {
            Step::Waits => return Ok(()),
            Step::Repeated(at) => {
                self.counts.segments += 1;
                self.before = self.before.max(at.0);
                return Ok(());
            }
            Step::Refused => {
                self.is_gone = true;
                return Ok(());
            }
            Step::Opens(agreed) => *agreed,
        };
        self.peer_stamp = agreed.peer_stamp;
        let (is_fast, has_mark) = (agreed.is_fast, agreed.has_mark);
        let early = std::mem::take(&mut self.early).saturating_sub(agreed.sent_before);
        let waits = std::mem::take(&mut self.has_writer) && early > 0;
        // What a SYN brought in vain leaves as it was.
        let again = agreed.sent_in_vain.min(early);
        self.agreed = Some(agreed);
        let now = self.now();
        if has_mark {
            self.drive()?.0.receive_mark();
        }
        if waits {
            self.drive()?.0.converse();
        }
        if early > 0 {
            let drive = self.drive()?.0;
            if again > 0 {
                drive.write(now, again);
                drive.end_record();
            }
            if early > again {
                drive.write(now, early - again);
            }
        }
        if packet.direction == Direction::Outbound && !packet.has('S') {
            return self.on_expected(packet, span);
        }
        if is_fast {
            // The SYN-ACK acknowledges what the SYN brought.
            self.drive()?.0.receive_in_syn(now);
            self.has_received = true;
            return Ok(());
        }
        if packet.length > 0 {
            return self.on_inbound(packet);
        }
        Ok(())
    }
}
