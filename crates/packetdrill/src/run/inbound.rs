//! What a segment of the peer's tells the sender, in segments instead of bytes.

use tcp::{AceCounter, Ecn, Range};

use crate::drive::{Drive, Told};
use crate::outcome::Stop;
use crate::script::Packet;

use super::handshake::Agreed;

/// What the header of `packet` tells; none if it tells the sender nothing.
pub(super) fn told(packet: &Packet, agreed: &Agreed, (drive, counter): (&Drive, &mut AceCounter)) -> Result<Option<Told>, Stop> {
    let refused = |what: String| Stop::NotDrivable(what);
    let ack = packet.ack.ok_or_else(|| refused("a segment without an ACK".into()))?;
    let c = drive.sender().connection();
    // An ACK of what was never sent is dropped (RFC 9293 3.10.7.4).
    let sent_bytes = c.nxt.checked_sub(1).map_or(agreed.sent_before, |last| drive.bytes(last).1);
    if ack > sent_bytes + 1 {
        if packet.length > 0 || packet.has('F') {
            return Err(refused("data with an ACK of what was never sent".into()));
        }
        return Ok(None);
    }
    // What the SYN brought may be acknowledged once more.
    let (cumulative, is_whole) = if ack <= agreed.sent_before { (0, true) } else { whole(drive, ack)? };
    // Who did not agree to SACK reads none.
    let Blocks { ranges: sack, duplicate, is_partial } = if agreed.sack { blocks(packet, drive, cumulative)? } else { Blocks::default() };
    let window_bytes = packet.win.unwrap_or(0) << agreed.scale;
    let window = window_bytes / u64::from(agreed.mss);
    if window == 0 && window_bytes > 0 {
        return Err(refused("a window of less than a segment".into()));
    }
    let is_update = window != drive.sender().receive_window();
    let has_sack = duplicate.is_some() || is_partial || sack.iter().any(|block| !block.is_empty());
    let ecn = match agreed.ecn {
        Ecn::Accurate => counted(packet, (drive, counter), cumulative, &sack),
        Ecn::Classic => u16::from(packet.has('E')),
        _ => 0,
    };
    let is_plain = cumulative <= c.una && !has_sack && ecn == drive.marks_known() && !is_update;
    // Data is no duplicate ACK, nor is one of a part of a segment, and where nothing is outstanding there is none.
    let is_shut = window == 0 && c.una == c.nxt;
    if is_plain && !is_shut && (packet.length > 0 || c.una == c.nxt || !is_whole) {
        return Ok(None);
    }
    let echo = agreed.stamp.zip(packet.stamp).and_then(|((first, at), stamp)| {
        let ticks = stamp.ecr.checked_sub(first)?;
        Some(at + units::Duration::from_ms(ticks))
    });
    Ok(Some(Told {
        cumulative,
        sack,
        duplicate,
        is_partial,
        ecn,
        window: (is_update || is_shut).then_some(window),
        echo,
        ..Told::default()
    }))
}

/// How many marked segments the counter in the header tells of.
fn counted(packet: &Packet, (drive, counter): (&Drive, &mut AceCounter), cumulative: u64, sack: &[Range; 3]) -> u16 {
    let c = drive.sender().connection();
    let reported: u64 = sack.iter().filter(|block| !block.is_empty()).map(|block| block.to - block.from).sum();
    let delivered = (cumulative.saturating_sub(c.una) + reported).saturating_sub(u64::from(drive.sender().sacked_out()));
    let marks = counter.on_ack(packet.ace() as u16, delivered as u32, drive.info().delivered_ce);
    drive.marks_known().wrapping_add(marks as u16)
}

/// How many segments are whole below the byte of this number, and whether one begins with it.
fn whole(drive: &Drive, number: u64) -> Result<(u64, bool), Stop> {
    let byte = number.checked_sub(1).ok_or_else(|| Stop::NotDrivable("ACK of the SYN".into()))?;
    drive.whole_below(byte).ok_or_else(|| Stop::NotDrivable(format!("byte {number} was never sent")))
}

/// What SACK blocks say.
#[derive(Clone, Copy, Debug, Default)]
struct Blocks {
    ranges: [Range; 3],
    duplicate: Option<u64>,
    /// Some of what they say is of a part of a segment: that is not SACKed (Linux `tcp_match_skb_to_sack`).
    is_partial: bool,
}

/// SACK blocks, and the segment that a DSACK in front of them reports (RFC 2883): below the ACK, or within the next block.
fn blocks(packet: &Packet, drive: &Drive, cumulative: u64) -> Result<Blocks, Stop> {
    let mut ranges = Vec::new();
    let mut found = Blocks::default();
    for &(from, to) in &packet.sack {
        let (first, is_whole) = whole(drive, from)?;
        let (end, ends) = whole(drive, to)?;
        found.is_partial |= !is_whole || !ends;
        let from = first + u64::from(!is_whole);
        if from < end {
            ranges.push(Range { from, to: end });
        }
    }
    let first_is_old = match ranges[..] {
        [first, second, ..] => first.to <= cumulative || (second.from <= first.from && first.to <= second.to),
        [first] => first.to <= cumulative,
        [] => false,
    };
    if first_is_old {
        let Range { from, to } = ranges.remove(0);
        if to != from + 1 {
            return Err(Stop::NotDrivable("DSACK of more than one segment".into()));
        }
        found.duplicate = Some(from);
    }
    if ranges.len() > 3 {
        return Err(Stop::NotDrivable("four SACK blocks".into()));
    }
    if ranges.iter().any(|range| range.to > drive.sender().connection().nxt || range.is_empty() || range.to <= cumulative) {
        return Err(Stop::NotDrivable("a SACK block that a sender must not believe".into()));
    }
    found.ranges[..ranges.len()].copy_from_slice(&ranges);
    Ok(found)
}
