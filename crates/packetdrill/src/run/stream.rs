//! The peer's bytes as segments: as the script itself cuts them.

use crate::outcome::Stop;
use crate::script::{Direction, Packet, Script, What};

/// Where the segments of the peer's stream begin, in the script's numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct PeerStream {
    cuts: Vec<u64>,
}

impl PeerStream {
    /// The cuts of all data that the script injects.
    pub(super) fn of(script: &Script) -> PeerStream {
        // The first byte has number 1, whether or not it comes.
        let mut cuts = vec![1];
        for event in &script.events {
            let What::Packet(packet) = &event.what else { continue };
            if packet.direction == Direction::Inbound && packet.length > 0 {
                cuts.extend([packet.seq, packet.seq + packet.length]);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        PeerStream { cuts }
    }

    /// The segment that `packet` is.
    pub(super) fn segment(&self, packet: &Packet) -> Result<u64, Stop> {
        let index = self.at(packet.seq).ok_or_else(|| Stop::NotDrivable("data from nowhere".into()))?;
        if self.cuts.get(index as usize + 1) != Some(&(packet.seq + packet.length)) {
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
