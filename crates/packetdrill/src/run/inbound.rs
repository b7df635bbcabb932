//! What a segment of the peer's tells the sender, in segments instead of bytes.

use tcp::{Ecn, Range};

use crate::drive::{Drive, Told};
use crate::outcome::Stop;
use crate::script::Packet;

use super::handshake::Agreed;

/// RFC 9768 3.2.1: what the counter begins with.
pub(super) const ACE_FIRST: u16 = 5;
/// The most that it can tell of at once.
const ACE_MAX: u64 = 7;

/// What the header of `packet` tells; none if it tells the sender nothing.
pub(super) fn told(packet: &Packet, agreed: &Agreed, drive: &Drive) -> Result<Option<Told>, Stop> {
    let refused = |what: String| Stop::NotDrivable(what);
    let ack = packet.ack.ok_or_else(|| refused("a segment without an ACK".into()))?;
    let c = drive.sender().connection();
    // An ACK of what was never sent is dropped (RFC 9293 3.10.7.4).
    let sent_bytes = c.nxt.checked_sub(1).map_or(0, |last| drive.bytes(last).1);
    if ack > sent_bytes + 1 {
        if packet.length > 0 {
            return Err(refused("data with an ACK of what was never sent".into()));
        }
        return Ok(None);
    }
    let cumulative = segment(drive, ack)?;
    // Who did not agree to SACK reads none.
    let (sack, duplicate) = if agreed.sack { blocks(packet, drive, cumulative)? } else { Blocks::default() };
    let window_bytes = packet.win.unwrap_or(0) << agreed.scale;
    let window = window_bytes / u64::from(agreed.mss);
    if window == 0 && window_bytes > 0 {
        return Err(refused("a window of less than a segment".into()));
    }
    let is_update = window != drive.sender().receive_window();
    let has_sack = duplicate.is_some() || sack.iter().any(|block| !block.is_empty());
    let ecn = match agreed.ecn {
        Ecn::Accurate => counted(packet, (drive, agreed), cumulative, &sack)?,
        Ecn::Classic => u16::from(packet.has('E')),
        _ => 0,
    };
    let is_plain = cumulative <= c.una && !has_sack && ecn == drive.marks_known() && !is_update;
    // Data is no duplicate ACK, and where nothing is outstanding there is none.
    let is_shut = window == 0 && c.una == c.nxt;
    if is_plain && !is_shut && (packet.length > 0 || c.una == c.nxt) {
        return Ok(None);
    }
    let echo = agreed.stamp.zip(packet.stamp).and_then(|((first, at), stamp)| {
        let ticks = stamp.ecr.checked_sub(first)?;
        Some(at + units::Duration::from_ms(ticks))
    });
    Ok(Some(Told { cumulative, sack, duplicate, ecn, window: (is_update || is_shut).then_some(window), echo, ..Told::default() }))
}

/// How many marked segments the counter in the header tells of, which begins at five and wraps after seven (RFC 9768 3.2.2).
fn counted(packet: &Packet, (drive, agreed): (&Drive, &Agreed), cumulative: u64, sack: &[Range; 3]) -> Result<u16, Stop> {
    let c = drive.sender().connection();
    let reported: u64 = sack.iter().filter(|block| !block.is_empty()).map(|block| block.to - block.from).sum();
    if cumulative.saturating_sub(c.una) + reported > ACE_MAX {
        return Err(Stop::NotDrivable("a counter of marks that may have wrapped".into()));
    }
    // Linux believes the counter of an ACK that brings nothing only where its timestamp is newer than any before (RFC 9768 3.2.2.5.1): ours has that of no ACK.
    if agreed.stamp.is_some() && packet.stamp.is_some_and(|stamp| Some(stamp.val) <= agreed.peer_stamp) {
        return Err(Stop::NotDrivable("a clock of the peer's that stands still".into()));
    }
    let known = drive.marks_known();
    let told = packet.ace() as u16;
    Ok(known.wrapping_add(told.wrapping_sub(ACE_FIRST).wrapping_sub(known) % 8))
}

/// The segment that begins with the byte of this number.
fn segment(drive: &Drive, number: u64) -> Result<u64, Stop> {
    let byte = number.checked_sub(1).ok_or_else(|| Stop::NotDrivable("ACK of the SYN".into()))?;
    drive.segment_at(byte).ok_or_else(|| Stop::NotDrivable(format!("byte {number} within a segment, or never sent")))
}

type Blocks = ([Range; 3], Option<u64>);

/// SACK blocks, and the segment that a DSACK in front of them reports (RFC 2883): below the ACK, or within the next block.
fn blocks(packet: &Packet, drive: &Drive, cumulative: u64) -> Result<Blocks, Stop> {
    let mut ranges = Vec::new();
    for &(from, to) in &packet.sack {
        ranges.push(Range { from: segment(drive, from)?, to: segment(drive, to)? });
    }
    let first_is_old = match ranges[..] {
        [first, second, ..] => first.to <= cumulative || (second.from <= first.from && first.to <= second.to),
        [first] => first.to <= cumulative,
        [] => false,
    };
    let mut duplicate = None;
    if first_is_old {
        let Range { from, to } = ranges.remove(0);
        if to != from + 1 {
            return Err(Stop::NotDrivable("DSACK of more than one segment".into()));
        }
        duplicate = Some(from);
    }
    if ranges.len() > 3 {
        return Err(Stop::NotDrivable("four SACK blocks".into()));
    }
    if ranges.iter().any(|range| range.to > drive.sender().connection().nxt || range.is_empty() || range.to <= cumulative) {
        return Err(Stop::NotDrivable("a SACK block that a sender must not believe".into()));
    }
    let mut blocks = [Range::default(); 3];
    blocks[..ranges.len()].copy_from_slice(&ranges);
    Ok((blocks, duplicate))
}
