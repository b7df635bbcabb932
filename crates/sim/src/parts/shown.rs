//! A path whose packets are shown to a tap.

use std::collections::VecDeque;

use tcp::{Ack, Arrival, Bare, EcnBits, Opening, Sack};
use units::Time;

use super::path::Path;
use super::tap::{Content, PathTap, Place, Seen, SharedTap, Tapped};

/// Blocks of so many ACKs of requests are remembered: more than are under way.
const REMEMBERED: usize = 4096;

impl Path {
    /// The same, whose packets are shown. Of a transfer's prototype the connection is not: each transfer is one.
    pub(crate) fn tapped_by(&mut self, to: SharedTap, tapped: Tapped) {
        self.is_watched = true;
        self.is_altered = true;
        self.is_tapped = true;
        if !self.is_transfer {
            to.with(|tap| tap.on_connection(self.number(), &tapped));
        }
        self.rare.get_or_insert_with(Box::default).tap = Some(PathTap { to, tapped: Box::new(tapped), blocks: VecDeque::new() });
        self.refresh_beyond();
    }

    /// A transfer of so many segments begins.
    #[cold]
    pub(crate) fn show_birth(&mut self, start: Time, segments: u64) {
        let flow = self.number();
        let Some(tap) = self.rare.as_deref_mut().and_then(|rare| rare.tap.as_mut()) else { return };
        (tap.tapped.start, tap.tapped.segments) = (start, segments);
        tap.to.with(|to| to.on_connection(flow, &tap.tapped));
    }

    fn show(&self, place: Place, at: Time, content: Content) {
        let Some(tap) = self.rare.as_deref().and_then(|rare| rare.tap.as_ref()) else { return };
        let content = tap.with_blocks(content);
        tap.to.with(|to| to.on_seen(&Seen { at, flow: self.number(), place, content }));
    }

    /// The SACK blocks of an ACK of requests, that leaves, are known until it is: then what is overtaken or copied has them, too.
    fn remember_blocks(&mut self, content: &Content) {
        let Content::Segment { seq, .. } = *content else { return };
        let Some(Bare::Heard { number, blocks: 1.. }) = Bare::of(seq) else { return };
        let Some(blocks) = self.client().map(|client| client.blocks_of(number)) else { return };
        let Some(tap) = self.rare.as_deref_mut().and_then(|rare| rare.tap.as_mut()) else { return };
        tap.blocks.push_back((seq, blocks));
        tap.blocks.drain(..tap.blocks.len().saturating_sub(REMEMBERED));
    }

    /// A segment enters the network now, in the flow's clock.
    #[cold]
    pub(crate) fn show_sent(&mut self, now: Time, content: Content) {
        self.remember_blocks(&content);
        self.show(Place::Sender, now.saturating_sub(self.access_delay()), content);
    }

    /// A segment leaves its first link.
    #[cold]
    pub(crate) fn show_passed(&self, departs: Time, content: Content) {
        self.show(Place::Bottleneck, departs, content);
    }

    /// A segment arrives at the receiver.
    #[cold]
    pub(crate) fn show_received(&self, arrives: Time, seq: u64, sent: Time, bits: EcnBits) {
        self.show(Place::Receiver, arrives, Content::Segment { seq, sent, is_capable: bits.ce, bits, blocks: Default::default() });
    }

    /// The receiver sends an ACK, or what travels as one.
    #[cold]
    pub(crate) fn show_answer(&self, at: Time, ack: Ack, sack: Option<Sack>) {
        self.show(Place::Receiver, at, Content::answering(ack, sack));
    }

    /// An ACK reaches the sender now, in the flow's clock.
    #[cold]
    pub(crate) fn show_arriving(&self, now: Time, ack: Ack, sack: Option<Sack>) {
        let at = now.saturating_sub(self.access_delay());
        self.show(Place::Bottleneck, at.saturating_sub(self.access_delay()), Content::answering(ack, sack));
        self.show(Place::Sender, at, Content::answering(ack, sack));
    }

    /// What [`Path::receive`] does with a segment, answers shown.
    #[cold]
    pub(crate) fn receive_shown(&mut self, arrives: Time, (seq, sent): (u64, Time), bits: EcnBits) {
        let part = Opening::of(seq);
        if self.is_ecn_capable && part.is_none() {
            let flushed = self.receiver.on_ecn_bits(bits);
            self.answer_shown(arrives, flushed);
        }
        if part == Some(Opening::Ack) {
            self.remember_opening(arrives);
        }
        let ack = self.receiver.on_segment(Arrival { at: arrives, seq, sent });
        self.answer_shown(arrives, ack);
        self.tell_client(arrives, seq);
        self.tell_viewer(arrives);
    }

    fn answer_shown(&mut self, at: Time, ack: Option<Ack>) {
        if let Some(ack) = ack {
            self.answer(at, ack);
        }
    }
}

impl PathTap {
    /// The same with the SACK blocks that it has.
    fn with_blocks(&self, mut content: Content) -> Content {
        if let Content::Segment { seq, blocks, .. } = &mut content {
            if matches!(Bare::of(*seq), Some(Bare::Heard { blocks: 1.., .. })) {
                *blocks = self.blocks.iter().rev().find(|(other, _)| other == seq).map_or(*blocks, |&(_, said)| said);
            }
        }
        content
    }
}
