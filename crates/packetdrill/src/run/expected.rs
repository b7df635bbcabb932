//! What the script expects to leave, against what left.

use std::collections::VecDeque;

use tcp::{Ecn, ACE_FIRST};
use units::Time;

use crate::drive::{Answered, Drive, Sent};
use crate::outcome::Stop;
use crate::script::Packet;

use super::stream::PeerStream;

/// When something must leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) from: u64,
    pub(super) to: u64,
    /// How much earlier or later it may be.
    pub(super) tolerance: u64,
}

impl Span {
    fn latest(&self) -> Time {
        Time(self.to.saturating_add(self.tolerance))
    }

    pub(super) fn holds(&self, at: Time) -> bool {
        self.from.saturating_sub(self.tolerance) <= at.0 && at <= self.latest()
    }

    pub(super) fn differs(&self, what: &str, left: Option<Time>) -> Stop {
        let ms = |ns: u64| format!("{:.3}", ns as f64 / 1e6);
        let range = if self.to > self.from { format!("{} to {}", ms(self.from), ms(self.to)) } else { ms(self.from) };
        let found = left.map_or("did not leave".into(), |at| format!("left at {}", ms(at.0)));
        Stop::Differs(format!("{what} expected at {range} ms (+-{}), {found}", ms(self.tolerance)))
    }
}

/// What left and was not compared yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Left {
    segments: VecDeque<Sent>,
    answers: VecDeque<Answered>,
    probes: VecDeque<Time>,
}

impl Left {
    fn take_from(&mut self, drive: &mut Drive) {
        self.segments.extend(drive.take_sent());
        self.answers.extend(drive.take_answers());
        self.probes.extend(drive.take_probes());
    }

    /// The bytes of `packet` leave as segments one after another. Returns how many, and when the last left.
    pub(super) fn expect_data(&mut self, packet: &Packet, span: Span, (drive, ecn): (&mut Drive, Ecn)) -> Result<(usize, Time), Stop> {
        // A FIN takes a number as a byte does.
        let (mut byte, end) = (packet.seq - 1, packet.seq - 1 + packet.length + u64::from(packet.has('F')));
        let (mut count, mut last) = (0, Time::ZERO);
        while byte < end {
            let what = format!("byte {}", byte + 1);
            let sent = self.next_segment(span, drive).ok_or_else(|| span.differs(&what, None))?;
            let (from, to) = drive.bytes(sent.seq);
            if from != byte || to > end {
                return Err(Stop::Differs(format!(
                    "{}:{} expected, {}:{} left at {:.3} ms",
                    byte + 1,
                    end + 1,
                    from + 1,
                    to + 1,
                    sent.at.0 as f64 / 1e6
                )));
            }
            if !span.holds(sent.at) {
                return Err(span.differs(&what, Some(sent.at)));
            }
            let announces = ecn != Ecn::Accurate && packet.has('W') != sent.reduced && count == 0 && packet.length > 0;
            if announces {
                return Err(Stop::Differs(format!("byte {} with CWR {}, expected {}", byte + 1, sent.reduced, packet.has('W'))));
            }
            same_codepoint(packet, &sent, ecn)?;
            same_feedback(packet, sent.ecn, ecn)?;
            // An ACK that waits leaves with the data.
            drive.take_delayed_ack();
            (byte, last, count) = (to, sent.at, count + 1);
        }
        Ok((count, last))
    }

    fn next_segment(&mut self, span: Span, drive: &mut Drive) -> Option<Sent> {
        loop {
            self.take_from(drive);
            if let Some(sent) = self.segments.pop_front() {
                return Some(sent);
            }
            let deadline = drive.deadline();
            if deadline > span.latest() {
                return None;
            }
            drive.advance(deadline);
        }
    }

    /// The sender asks whether the peer has room. Returns when.
    pub(super) fn expect_probe(&mut self, span: Span, drive: &mut Drive) -> Result<Time, Stop> {
        loop {
            self.take_from(drive);
            match self.probes.pop_front() {
                Some(at) if span.holds(at) => return Ok(at),
                Some(at) => return Err(span.differs("a probe of the window", Some(at))),
                None if drive.deadline() > span.latest() => return Err(span.differs("a probe of the window", None)),
                None => drive.advance(drive.deadline()),
            }
        }
    }

    /// The receiver acknowledges as `packet` says. Returns when.
    pub(super) fn expect_ack(
        &mut self,
        packet: &Packet,
        span: Span,
        (drive, peer, ecn): (&mut Drive, &PeerStream, Ecn),
    ) -> Result<Time, Stop> {
        let number = packet.ack.unwrap_or(0);
        let what = format!("ACK {number}");
        loop {
            self.take_from(drive);
            let Some(answer) = self.answers.pop_front() else {
                let deadline = drive.deadline();
                if deadline > span.latest() {
                    return Err(span.differs(&what, None));
                }
                drive.advance(deadline);
                continue;
            };
            return same_ack(packet, &answer, peer).and_then(|()| same_feedback(packet, answer.ecn, ecn)).and_then(|()| {
                if span.holds(answer.at) {
                    Ok(answer.at)
                } else {
                    Err(span.differs(&what, Some(answer.at)))
                }
            });
        }
    }
}

/// Whether the segment may be marked, where the script says so.
fn same_codepoint(packet: &Packet, sent: &Sent, ecn: Ecn) -> Result<(), Stop> {
    let Some(expected) = packet.ip_ecn.as_deref() else { return Ok(()) };
    // RFC 3168 5: of ECN-Echo's segments those with data may be marked.
    let may_be = ecn.is_on() && (!sent.again || ecn.marks_retransmissions()) && (packet.length > 0 || ecn == Ecn::Accurate);
    let ours = if may_be { "ect0" } else { "noecn" };
    if ours == expected {
        return Ok(());
    }
    Err(Stop::Differs(format!("byte {} with {expected} expected, {ours} left", packet.seq)))
}

/// What a segment says of the marks that came the other way.
fn same_feedback(packet: &Packet, said: u16, ecn: Ecn) -> Result<(), Stop> {
    let (name, ours, expected) = match ecn {
        Ecn::Accurate => ("ACE", u64::from(said.wrapping_add(ACE_FIRST) % 8), packet.ace()),
        Ecn::Classic => ("ECE", u64::from(said), u64::from(packet.has('E'))),
        _ => return Ok(()),
    };
    if ours == expected {
        return Ok(());
    }
    Err(Stop::Differs(format!("{name} {expected} expected, {ours} left")))
}

/// The numbers of an ACK and of its blocks.
fn same_ack(packet: &Packet, answer: &Answered, peer: &PeerStream) -> Result<(), Stop> {
    let number = |segment: u64| peer.number(segment);
    let mut blocks: Vec<(u64, u64)> = answer.duplicate.map(|seq| (number(seq), number(seq + 1))).into_iter().collect();
    blocks.extend(answer.sack.iter().filter(|block| !block.is_empty()).map(|block| (number(block.from), number(block.to))));
    let said = (number(answer.cumulative), blocks);
    let expected = (packet.ack.unwrap_or(0), &packet.sack);
    if said.0 != expected.0 || (!packet.any_options && said.1 != *expected.1) {
        return Err(Stop::Differs(format!("ACK {} {:?} expected, {} {:?} left", expected.0, expected.1, said.0, said.1)));
    }
    Ok(())
}
