//! The peer's bytes as segments: as the script itself cuts them.

use crate::outcome::Stop;
use crate::script::{Direction, Event, Packet, What};

/// Where the segments of the peer's stream begin, in the script's numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct PeerStream {
    cuts: Vec<u64>,
}

/// The numbers that the data of `packet`, and its FIN, take: from the first to the one after the last.
fn numbers(packet: &Packet) -> (u64, u64) {
    // A SYN takes the first number; what else it carries is counted from it.
    let from = if packet.has('S') { 1 } else { packet.seq };
    (from, from + packet.length + u64::from(packet.has('F')))
}

impl PeerStream {
    /// The cuts of all data that the script injects from its SYN, the first of `events`, until the next connection's.
    pub(super) fn of(events: &[Event]) -> PeerStream {
        // The first byte has number 1, whether or not it comes.
        let mut cuts = vec![1];
        let mut is_open = false;
        let packets = events.iter().filter_map(|event| if let What::Packet(packet) = &event.what { Some(packet) } else { None });
        let answer = packets.clone().find(|packet| packet.has('S') && packet.has('.')).and_then(|packet| packet.ack);
        for packet in packets {
            if packet.has('S') && !packet.has('.') && is_open {
                break;
            }
            is_open |= !packet.has('S');
            let (from, to) = numbers(packet);
            // What a SYN brings is another's if its answer does not acknowledge it.
            if packet.has('S') && !packet.has('.') && answer != Some(packet.seq + to) {
                continue;
            }
            if packet.direction == Direction::Inbound && to > from {
                cuts.extend([from, to]);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        PeerStream { cuts }
    }

    /// The segment that `packet` is, of a peer of which the segments below `next` have arrived: what it brings of them is old.
    pub(super) fn segment(&self, packet: &Packet, next: u64) -> Result<u64, Stop> {
        let (mut from, to) = numbers(packet);
        let known = self.cuts.get(next as usize).copied().unwrap_or(0);
        if from < known && known < to {
            from = known;
        }
        let index = self.at(from).ok_or_else(|| Stop::NotDrivable("data from nowhere".into()))?;
        if self.cuts.get(index as usize + 1) != Some(&to) {
            return Err(Stop::NotDrivable("data that overlaps other data".into()));
        }
        Ok(index)
    }

    /// The segment that begins with this number, or the one after the last.
    fn at(&self, number: u64) -> Option<u64> {
        self.cuts.binary_search(&number).ok().map(|index| index as u64)
    }

    /// The number with which segment `index` begins.
    pub(super) fn number(&self, index: u64) -> u64 {
        self.cuts[index as usize]
    }
}
