//! A path whose other end asks: the client's part in what travels and arrives.

use net::Packet;
use tcp::{Ack, Bare, Opening, Sack, SYN_BYTES};
use units::Time;

use super::client::Client;
use super::path::Path;
use super::request::Piece;
use crate::records::ExchangeRow;

impl Path {
    /// The client, if there is one, is at its other end.
    pub(crate) fn answer_to(&mut self, client: Option<Client>) {
        let Some(client) = client else { return };
        self.is_watched = true;
        self.is_altered = true;
        self.rare.get_or_insert_with(Box::default).client = Some(Box::new(client));
        self.refresh_beyond();
    }

    /// The client, if it has one.
    pub(crate) fn client(&mut self) -> Option<&mut Client> {
        self.rare.as_mut()?.client.as_deref_mut()
    }

    /// When the client does something next.
    pub(crate) fn client_at(&self) -> Time {
        self.rare.as_ref().and_then(|rare| rare.client.as_ref()).map_or(Time::NEVER, |client| client.next_at())
    }

    /// IP bytes of what travels as an ACK and is none: a SYN-ACK, or a packet of a request with the headers of the flow's segments.
    #[cold]
    #[inline(never)]
    pub(crate) fn bytes_of(&self, ack: &Ack) -> u32 {
        let client = self.rare.as_ref().and_then(|rare| rare.client.as_ref());
        Piece::of(ack).zip(client).map_or(SYN_BYTES, |(piece, client)| piece.payload + client.header_bytes)
    }

    /// The run ends at `end`, until when events of the client change no other flow: its exchanges, if there is one.
    pub(crate) fn close_client(&mut self, end: Time) -> Option<Vec<ExchangeRow>> {
        self.client()?;
        while self.held_until().min(self.receiver.deadline()).min(self.client_at()) < end {
            self.commit_pending();
        }
        Some(self.rare.as_mut()?.client.take()?.close(end))
    }

    /// The client asks, or a timer of its expires.
    #[inline(never)]
    pub(crate) fn ask(&mut self) {
        let Some(client) = self.client() else { return };
        let now = client.next_at();
        client.on_due();
        self.send_pieces(now);
    }

    /// What the client's sender has sent leaves, and carries the ACK that waits.
    fn send_pieces(&mut self, now: Time) {
        let Some(client) = self.client() else { return };
        let pieces = client.take_leaving(now);
        if !pieces.is_empty() {
            let carried = self.receiver.carried(pieces.len() as u32);
            for piece in pieces {
                let (ack, sack): (Ack, Sack) = piece.travels(now, carried);
                if self.is_tapped {
                    self.show_answer(now, ack, Some(sack));
                }
                self.send_with(now, ack, sack);
            }
        }
        self.refresh_beyond();
    }

    /// A segment, a part of the handshake, or an ACK of what was asked has arrived where the client is.
    #[inline(never)]
    pub(crate) fn tell_client(&mut self, now: Time, seq: u64) {
        let (next, again) = (self.receiver.next(), self.receiver.answered_again());
        let Some(client) = self.client() else { return };
        match (Opening::of(seq), Bare::of(seq)) {
            (Some(part), _) => client.on_opening(now, part, again),
            (_, Some(Bare::Heard { number, .. })) => client.on_heard(now, number),
            _ => client.on_segment(now, seq, next),
        }
        self.send_pieces(now);
    }

    /// When the ACK of a request that waits at the server leaves.
    pub(crate) fn hears_at(&self) -> Time {
        self.rare.as_ref().and_then(|rare| rare.client.as_ref()).map_or(Time::NEVER, |client| client.hears_at())
    }

    /// That ACK, if it is due.
    pub(crate) fn take_hearing(&mut self, now: Time) -> Option<Bare> {
        let heard = self.client().filter(|client| client.hears_at() <= now)?.hear();
        self.refresh_beyond();
        heard
    }

    /// Segment `seq` as links see it.
    pub(crate) fn packet_of(&self, seq: u64) -> Packet {
        let Some(bare) = Bare::of(seq) else {
            return Opening::of(seq).map_or_else(|| self.packet(), |part| self.opening_packet(part));
        };
        let plain = self.opening_packet(Opening::Ack);
        Packet { bytes: plain.bytes + bare.option_bytes(), ..plain }
    }
}
