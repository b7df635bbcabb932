//! A packet of a request on its way: it travels as ACKs do, with SACK information that says what it is.

use tcp::{Ack, Range, Sack, SenderSpec};
use units::Time;

/// Bits of a label for the number of an exchange, of a packet within it, and for its payload.
const EXCHANGE_BITS: u32 = 24;
const PIECE_BITS: u32 = 6;
const PAYLOAD_BITS: u32 = 16;

/// These bits of the number of an exchange travel.
pub(crate) const LABELS: u32 = (1 << EXCHANGE_BITS) - 1;

/// Most packets of a request.
pub(crate) const PIECES_MAX: u32 = 10;

/// Most payload bytes of a request: an initial window, so that all its packets leave at once.
pub(crate) fn most_bytes(sender: &SenderSpec) -> u64 {
    u64::from(sender.options.initial_window.min(PIECES_MAX)) * u64::from(sender.mss)
}

/// One packet of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Number of its exchange, counted from 0; its last 24 bits.
    pub(crate) exchange: u32,
    /// Its place in the request.
    pub(crate) number: u32,
    /// Payload bytes.
    pub(crate) payload: u32,
}

impl Piece {
    /// The piece as it travels, sent at `sent`, with the ACK that it carries.
    pub(crate) fn travels(self, sent: Time, carried: Ack) -> (Ack, Sack) {
        let exchange = u64::from(self.exchange) & ((1 << EXCHANGE_BITS) - 1);
        let label = (exchange << PIECE_BITS | u64::from(self.number)) << PAYLOAD_BITS | u64::from(self.payload);
        let blocks = [Range { from: carried.cumulative, to: sent.0 }, Range::default(), Range::default()];
        let Ack { echo, delay, ecn, .. } = carried;
        (Ack { echo, delay, ecn, ..Ack::labelled(label) }, Sack { blocks, duplicate: None, window: None })
    }

    /// What `ack` is a label of, if it is a request's.
    pub(crate) fn of(ack: &Ack) -> Option<Piece> {
        let label = ack.label()?;
        let bits = |from: u32, count: u32| (label >> from & ((1 << count) - 1)) as u32;
        Some(Piece {
            exchange: bits(PIECE_BITS + PAYLOAD_BITS, EXCHANGE_BITS),
            number: bits(PAYLOAD_BITS, PIECE_BITS),
            payload: bits(0, PAYLOAD_BITS),
        })
    }

    /// When a piece that travels so was sent, and the ACK that it carries.
    pub(crate) fn carries(ack: &Ack, sack: &Sack) -> (Time, Ack) {
        let Range { from, to } = sack.blocks[0];
        (Time(to), Ack { cumulative: from, has_sack: false, ..*ack })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_read_as_it_was_written() {
        for piece in [Piece { exchange: 0, number: 0, payload: 1 }, Piece { exchange: 0xff_ffff, number: 9, payload: 65_000 }] {
            let carried = Ack { cumulative: 7, ecn: 3, ..Ack::default() };
            let (ack, sack) = piece.travels(Time(5), carried);
            assert_eq!((Piece::of(&ack), Piece::carries(&ack, &sack)), (Some(piece), (Time(5), carried)));
            assert!(ack.is_special() && !ack.is_syn_ack());
        }
        assert_eq!(Piece::of(&Ack { cumulative: 1 << 40, ..Ack::default() }), None);
    }
}
