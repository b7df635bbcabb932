//! A segment of the peer's arrives.

use tcp::{Ecn, EcnBits};

use super::{inbound, Run};
use crate::drive::Heard;
use crate::outcome::Stop;
use crate::script::Packet;

/// A timestamp, padded.
const STAMP_BYTES: u64 = 12;

impl Run {
    pub(super) fn on_inbound(&mut self, packet: &Packet) -> Result<(), Stop> {
        if packet.has('R') {
            self.is_gone = true;
            return Ok(());
        }
        if !packet.has('.') && !packet.has('S') {
            // Every segment of a connection acknowledges; one that does not is dropped (RFC 9293 3.10.7.4).
            return Ok(());
        }
        let opens = packet.has('S') && self.agreed.as_ref().is_some_and(|agreed| !agreed.accepts) && self.drive.is_none();
        if packet.has('S') && !opens {
            return Err(Stop::NotDrivable(format!("segment {}", packet.flags)));
        }
        let now = self.now();
        let completes = !std::mem::replace(&mut self.has_ack, true) && self.agreed.as_ref().is_some_and(|agreed| agreed.is_fast);
        let is_newer = packet.stamp.is_some_and(|stamp| Some(stamp.val) > self.peer_stamp);
        self.peer_stamp = self.peer_stamp.max(packet.stamp.map(|stamp| stamp.val));
        let mut marks = self.marks;
        let (drive, agreed) = self.drive()?;
        let is_accurate = agreed.ecn == Ecn::Accurate;
        // Bytes by codepoint say no more than the counter does where that cannot have wrapped.
        if let Some(option) = packet.others.iter().find(|option| !(packet.has('S') || is_accurate && *option == "ECN")) {
            return Err(Stop::NotDrivable(format!("option {option}")));
        }
        drive.tell_stamp(is_newer);
        if let Some(told) = inbound::told(packet, agreed, (&*drive, &mut marks))?.filter(|_| !opens) {
            drive.ack(now, &told);
        }
        let is_marked = packet.ip_ecn.as_deref() == Some("ce");
        if is_accurate && is_marked && packet.length == 0 {
            drive.receive_mark();
        }
        self.marks = marks;
        if !opens && !completes {
            self.measure(packet)?;
        }
        if packet.length > 0 || packet.has('F') {
            let next = self.drive()?.0.expected();
            let segment = self.peer.segment(packet, next)?;
            let cwr = !is_accurate && packet.has('W');
            // The end of the peer's data is acknowledged at once by one that has ended its own, or with a whole segment; otherwise it may be that the
            // application answers (Linux `tcp_fin`).
            if self.settings.stack.is_prompt_at_end && packet.has('F') && segment != next {
                // Whether an end behind a hole is in a block is each stack's own.
                return Err(Stop::End);
            }
            let is_prompt = self.is_finished || self.settings.stack.is_prompt_at_end;
            let is_urgent = is_prompt || packet.length >= self.drive()?.0.info().rcv_mss || !self.has_data;
            self.has_data |= packet.length > 0;
            self.has_all |= packet.has('F') && segment == next;
            let drive = self.drive()?.0;
            if packet.length == 0 {
                drive.receive_end(now, segment, is_urgent);
                self.has_received = true;
                return Ok(());
            }
            if packet.has('F') && is_urgent {
                drive.expect_end(segment);
            } else if packet.has('F') {
                drive.converse();
            }
            drive.receive(now, segment, EcnBits { ce: is_marked, cwr });
            self.has_received = true;
        }
        Ok(())
    }

    /// What the receiver measures by this segment of the open connection.
    fn measure(&mut self, packet: &Packet) -> Result<(), Stop> {
        let now = self.now();
        let next = self.drive()?.0.expected();
        let is_next = packet.length > 0 && self.peer.segment(packet, next)? == next;
        let (drive, agreed) = self.drive()?;
        let stamp = agreed.stamp.zip(packet.stamp).map(|((first, at), stamp)| (stamp.ecr, first + now.since(at).as_ms()));
        let blocks = if packet.sack.is_empty() { 0 } else { 4 + 8 * packet.sack.len() as u64 };
        let options = blocks + if packet.stamp.is_some() { STAMP_BYTES } else { 0 };
        let is_pushed = ['P', 'F', 'U'].iter().any(|&flag| packet.has(flag));
        drive.hear(Heard { bytes: packet.length, options, is_next, is_pushed, stamp });
        Ok(())
    }
}
