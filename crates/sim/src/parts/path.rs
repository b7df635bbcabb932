//! What lies between a sender and itself: the links, the receiver behind them, the way of the ACKs back.
//!
//! What a segment causes is known once its departure from its last link is: the receiver's input is this flow's departures in order, and
//! its ACKs travel a constant time. So the receiver runs then, ahead of time, and at most one ACK enters the flow's ring, stamped with its
//! arrival. On one link that knows departures on arrival this is the moment at which the segment is sent. When the reverse link is real,
//! ACKs wait in a second ring until the moment they reach it.
//!
//! A flow's clock is that of its packets' arrival at their link, a quarter of the base RTT after they leave the sender.

use net::{Packet, Ring};
use tcp::{Ack, Arrival, Ecn, Opening, Receiver, Sack, SYN_BYTES};
use units::{Duration, Stream, Time};

use super::client::Client;
use super::delivery::Delivery;
use super::disorder::Unordered;
use super::host::Side;
use super::jitter::Jitter;
use super::load::{AckLoad, Segment};
use super::packed::PackedSacks;
use super::tap::PathTap;
use super::viewer::Viewer;
use crate::spec::access_delay;

/// IP bytes of an ACK without SACK information: 20 of IP, 20 of TCP, 12 of timestamps.
pub(crate) const ACK_BYTES: u32 = 52;

/// The number of no link.
const NO_LINK: u8 = u8::MAX;

/// What few paths have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rare {
    /// ACKs on their way to a real link.
    crossing: Ring<Delivery>,
    /// SACK information of the ACKs on their way to a real link, in order.
    crossing_sacks: PackedSacks,
    pub(crate) unordered: Option<Unordered>,
    pub(crate) side: Option<Side>,
    pub(crate) client: Option<Box<Client>>,
    pub(crate) viewer: Option<Box<Viewer>>,
    pub(crate) tap: Option<PathTap>,
    /// When something beside the host can have an effect, of what [`Path::refresh_beyond`] looks at.
    pub(super) elsewhere_at: Time,
}

/// One flow's path. In memory what is rarely looked at comes first: the rest lies beside the sender's.
#[derive(Debug)]
#[repr(C)]
pub struct Path {
    pub(crate) rare: Option<Box<Rare>>,
    /// When an answer to the ACK of the handshake would have had an effect, were it answered: until then it counts as under way.
    forgotten_at: Time,
    pub(crate) lost: u64,
    /// Packets that links marked.
    pub(crate) marked: u64,
    /// Retransmissions are ECN-capable.
    pub(crate) resends_capable: bool,
    /// The next new segment carries CWR.
    pub(crate) cwr_due: bool,
    /// Its segments have ECN bits, may lose their order, wait in their host or go on to further hops: each is looked at when it is sent.
    pub(crate) is_watched: bool,
    /// Its segments have ECN bits, may lose their order, answer a client or fill a buffer: each is looked at when it arrives.
    pub(crate) is_altered: bool,
    /// Each of its packets is shown; then it is watched and altered, too.
    pub(crate) is_tapped: bool,
    /// Its ACKs wait in their sender's host.
    pub(crate) is_hosted: bool,
    pub(crate) is_ecn_capable: bool,
    /// Its segments are of a scalable sender: ECT(1).
    pub(crate) is_l4s: bool,
    data_link: u8,
    /// [`NO_LINK`] where its ACKs cross none.
    ack_link: u8,
    /// It has no number of its own: what happens to it is not noted.
    pub(crate) is_transfer: bool,
    /// Its connection begins with a handshake.
    pub(crate) opens: bool,
    /// Packets in queues that decide late, and between hops.
    pub(crate) under_way: u32,
    pub(crate) rtt: Duration,
    /// SACK information of the ACKs in `arriving` (or still crossing), in order.
    sacks: PackedSacks,
    pub(crate) receiver: Receiver,
    packet_bytes: u32,
    /// Number of the flow.
    flow: u32,
    pub(crate) jitter: Option<Box<Jitter>>,
    last_arrival: Time,
    /// From the link to the receiver, and from the receiver to the reverse link.
    quarter: Duration,
    /// From the receiver to where its ACK first has an effect: a real link, or the sender.
    pub(super) felt_after: Duration,
    /// When the first of the segments that are held back can have an effect, or something happens at the host.
    pub(super) beyond_at: Time,
    /// When the first ACK on its way to a real link is there; never if none is. Kept, as the next, for it is asked for more often than it
    /// changes.
    crossing_at: Time,
    /// When the first of those in `arriving` is there; never if none is.
    arriving_at: Time,
    /// ACKs on their way to the sender.
    arriving: Ring<Delivery>,
}

units::clone_by_field! {
    Path: rare forgotten_at lost marked resends_capable cwr_due is_watched is_altered is_tapped is_hosted is_ecn_capable is_l4s data_link ack_link
    rtt receiver packet_bytes flow jitter last_arrival quarter felt_after beyond_at crossing_at arriving_at arriving
    under_way is_transfer opens sacks
}

impl Path {
    /// The link its segments reach first.
    #[inline]
    pub(crate) fn data_link(&self) -> usize {
        usize::from(self.data_link)
    }

    /// Its segments may cross further links behind their first.
    pub(crate) fn lead_over(&mut self, further: usize) {
        self.is_watched |= further > 0;
    }

    /// The real link that its ACKs cross.
    #[inline]
    pub(crate) fn ack_link(&self) -> Option<usize> {
        (self.ack_link != NO_LINK).then_some(usize::from(self.ack_link))
    }

    pub(crate) fn new(receiver: Receiver, rtt: Duration, traffic: (Packet, Ecn), links: (u8, Option<u8>)) -> Path {
        let (packet, ecn) = traffic;
        let quarter = access_delay(rtt);
        Path {
            receiver,
            arriving: Ring::default(),
            crossing_at: Time::NEVER,
            arriving_at: Time::NEVER,
            sacks: PackedSacks::default(),
            rare: links.1.map(|_| Box::default()),
            jitter: None,
            last_arrival: Time::ZERO,
            quarter,
            rtt,
            felt_after: if links.1.is_some() { quarter } else { rtt - quarter },
            packet_bytes: packet.bytes,
            flow: packet.flow,
            is_ecn_capable: ecn.is_on(),
            is_l4s: ecn == Ecn::L4s,
            resends_capable: ecn.marks_retransmissions(),
            cwr_due: false,
            is_watched: ecn.is_on(),
            is_altered: ecn.is_on(),
            is_tapped: false,
            is_hosted: false,
            beyond_at: Time::NEVER,
            marked: 0,
            under_way: 0,
            is_transfer: false,
            opens: false,
            data_link: links.0,
            ack_link: links.1.unwrap_or(NO_LINK),
            forgotten_at: Time::NEVER,
            lost: 0,
        }
    }

    /// The path, unused, is of the connection with this number, whose draws follow from `seed`.
    pub(crate) fn on_born(&mut self, number: u32, seed: u64) {
        self.flow = number;
        if let Some(jitter) = &mut self.jitter {
            jitter.on_born(seed);
        }
        if let Some(unordered) = self.unordered() {
            unordered.disorder.reseed(Stream::named(seed, "disorder"));
        }
    }

    /// Nothing is under way on it.
    pub(crate) fn is_quiet(&self) -> bool {
        self.arriving_at == Time::NEVER && self.crossing_at == Time::NEVER && self.under_way == 0 && self.pending_at() == Time::NEVER
    }

    /// A segment as its link sees it.
    #[inline]
    pub(crate) fn packet(&self) -> Packet {
        Packet { bytes: self.packet_bytes, flow: self.flow, ecn_capable: self.is_ecn_capable, is_l4s: self.is_l4s, is_ack: false }
    }

    /// Number of the flow.
    pub(crate) fn number(&self) -> u32 {
        self.flow
    }

    /// IP bytes of its segments.
    #[inline]
    pub(crate) fn packet_bytes(&self) -> u32 {
        self.packet_bytes
    }

    /// The flow's clock runs this much behind real time at the sender.
    pub(crate) fn access_delay(&self) -> Duration {
        self.quarter
    }

    /// The delayed ACK that is pending, a segment held back, or what happens at the host, has no effect before this moment.
    #[inline]
    pub(crate) fn pending_at(&self) -> Time {
        self.receiver.deadline().saturating_add(self.felt_after).min(self.beyond_at)
    }

    /// Nothing but ACKs on their way to the sender has an effect up to `now`.
    #[inline(always)]
    pub(crate) fn is_calm_at(&self, now: Time) -> bool {
        // The receiver's deadline may be never, to which nothing can be added.
        now.saturating_sub(self.felt_after) < self.receiver.deadline() && now < self.beyond_at && now < self.crossing_at()
    }

    /// After a change of what is held back, or of what is in the host.
    pub(crate) fn refresh_beyond(&mut self) {
        let at_receiver = self.held_until().min(self.client_at()).min(self.receiver.reads_at());
        self.beyond_at = at_receiver.saturating_add(self.felt_after).min(self.forgotten_at).min(self.hears_at());
        if let Some(rare) = self.rare.as_deref_mut() {
            rare.elsewhere_at = self.beyond_at;
            self.refresh_host();
        }
    }

    /// The ACK of the handshake arrives, perhaps late. It has no answer.
    pub(crate) fn remember_opening(&mut self, arrives: Time) {
        self.forgotten_at = arrives + self.felt_after;
        self.refresh_beyond();
    }

    /// Forgets the ACK of the handshake, if its time has come.
    pub(crate) fn forget_opening(&mut self, now: Time) {
        if self.forgotten_at <= now {
            self.forgotten_at = Time::NEVER;
            self.refresh_beyond();
        }
    }

    /// When the next ACK reaches the sender.
    #[inline]
    pub(crate) fn arriving_at(&self) -> Time {
        self.arriving_at
    }

    /// That ACK.
    #[inline(always)]
    pub(crate) fn take_arriving(&mut self) -> Option<Delivery> {
        let taken = self.arriving.pop();
        self.arriving_at = self.arriving.front().map_or(Time::NEVER, |delivery| delivery.at);
        taken
    }

    /// An ACK, behind all others, will reach the sender.
    #[inline(always)]
    pub(crate) fn push_arriving(&mut self, delivery: Delivery) {
        self.arriving_at = self.arriving_at.min(delivery.at);
        self.arriving.push(delivery);
    }

    /// When the next ACK reaches a real link.
    #[inline]
    pub(crate) fn crossing_at(&self) -> Time {
        self.crossing_at
    }

    /// That ACK.
    #[inline]
    pub(crate) fn pop_crossing(&mut self) -> Option<Delivery> {
        let crossing = &mut self.rare.as_mut()?.crossing;
        let taken = crossing.pop();
        self.crossing_at = crossing.front().map_or(Time::NEVER, |delivery| delivery.at);
        taken
    }

    /// An ACK, behind all others, will reach a real link.
    #[inline]
    fn push_crossing(&mut self, delivery: Delivery) {
        self.crossing_at = self.crossing_at.min(delivery.at);
        self.rare.get_or_insert_with(Box::default).crossing.push(delivery);
    }

    /// The delayed-ACK timer expires, a segment held back arrives, the application reads, or the client asks, before anything else happens to this flow.
    #[inline(never)]
    pub(crate) fn commit_pending(&mut self) {
        let (held_until, client_at) = (self.held_until(), self.client_at());
        let reads_at = self.receiver.reads_at();
        if held_until <= self.receiver.deadline().min(client_at).min(reads_at) {
            return self.release(held_until.saturating_sub(self.quarter));
        }
        if client_at < self.receiver.deadline() {
            return self.ask();
        }
        if reads_at < self.receiver.deadline() {
            return self.read();
        }
        if self.receiver.puts_off() {
            return;
        }
        let at = self.receiver.deadline();
        let ack = self.receiver.on_deadline();
        self.answer(at, ack);
    }

    /// The receiver sends `ack` at `at`.
    #[inline(always)]
    pub(crate) fn send_ack(&mut self, at: Time, ack: Ack) {
        if ack.has_sack {
            let Path { rare, ack_link, sacks, receiver, .. } = self;
            sacks_of(rare, *ack_link, sacks).push(receiver.sack());
        }
        self.send(at + self.felt_after, ack);
    }

    /// The receiver sends `ack` at `at`, and this information with it.
    pub(crate) fn send_with(&mut self, at: Time, ack: Ack, sack: Sack) {
        let Path { rare, ack_link, sacks, .. } = self;
        sacks_of(rare, *ack_link, sacks).push(&sack);
        self.send(at + self.felt_after, ack);
    }

    #[inline(always)]
    fn send(&mut self, felt: Time, ack: Ack) {
        if self.ack_link != NO_LINK {
            self.push_crossing(Delivery::new(felt, ack));
        } else {
            self.deliver(felt, ack);
        }
    }

    /// The ACK will reach the sender at `at`, plus jitter, never before the one ahead of it.
    #[inline(always)]
    fn deliver(&mut self, at: Time, ack: Ack) {
        if self.is_hosted {
            return self.deliver_to_host(at, ack);
        }
        let at = self.arrival(at);
        self.push_arriving(Delivery::new(at, ack));
    }

    /// `at` plus jitter, never before the one ahead.
    #[inline(always)]
    pub(crate) fn arrival(&mut self, at: Time) -> Time {
        let late_by = self.jitter.as_mut().map_or(Duration::ZERO, |jitter| jitter.draw());
        self.last_arrival = self.last_arrival.max(at + late_by);
        self.last_arrival
    }

    /// The oldest crossing ACK reaches the real link: when, and what it is.
    pub(crate) fn take_crossing(&mut self) -> Option<(Time, AckLoad)> {
        let delivery = self.pop_crossing()?;
        let ack = delivery.ack();
        let sack = if ack.has_sack { self.take_crossing_sack() } else { None };
        Some((delivery.at, AckLoad { ack, sack }))
    }

    fn take_crossing_sack(&mut self) -> Option<Sack> {
        self.rare.as_mut().and_then(|rare| rare.crossing_sacks.pop())
    }

    /// What has just been taken from those crossing leaves the real link.
    #[inline(always)]
    pub(crate) fn ack_crosses(&mut self, departs: Time, delivery: Delivery) {
        if delivery.has_sack() || self.is_hosted {
            return self.ack_crosses_apart(departs, delivery.ack());
        }
        let at = self.arrival(departs + (self.rtt - self.quarter - self.quarter));
        self.push_arriving(delivery.later(at));
    }

    /// The same of one with SACK information, or one that goes on to a host.
    #[inline(never)]
    fn ack_crosses_apart(&mut self, departs: Time, ack: Ack) {
        if ack.has_sack {
            let sack = self.take_crossing_sack();
            sack.iter().for_each(|sack| self.sacks.push(sack));
        }
        self.deliver(departs + (self.rtt - self.quarter - self.quarter), ack);
    }

    /// What has just been taken from those crossing is dropped at the real link.
    #[inline(never)]
    pub(crate) fn drop_ack(&mut self, delivery: Delivery) {
        if delivery.has_sack() {
            self.take_crossing_sack();
        }
    }

    /// What has just been taken from those crossing as the reverse link sees it.
    #[inline]
    pub(crate) fn crossing_packet(&self, delivery: &Delivery) -> Packet {
        // What is no ACK has the mark of one with SACK information.
        if delivery.has_sack() {
            let sack = self.rare.as_ref().and_then(|rare| rare.crossing_sacks.front());
            return self.ack_packet(&delivery.ack(), sack.as_ref());
        }
        Packet::ack(ACK_BYTES, self.flow)
    }

    /// One of its ACKs, with this SACK information, as the reverse link sees it.
    #[inline]
    pub(crate) fn ack_packet(&self, ack: &Ack, sack: Option<&Sack>) -> Packet {
        let bytes = if ack.is_special() { self.bytes_of(ack) } else { ACK_BYTES + sack.map_or(0, Sack::option_bytes) };
        Packet::ack(bytes, self.flow)
    }

    /// A part of the handshake as links see it. ECN-capable where all that the stack sends is (Linux `tcp_ecn_send_syn`).
    pub(crate) fn opening_packet(&self, part: Opening) -> Packet {
        let bytes = if part == Opening::Syn { SYN_BYTES } else { ACK_BYTES };
        Packet { bytes, ecn_capable: self.resends_capable, ..self.packet() }
    }

    /// An ACK leaves its real link.
    pub(crate) fn ack_departs(&mut self, departs: Time, AckLoad { ack, sack }: AckLoad) {
        self.deliver(departs + (self.rtt - self.quarter - self.quarter), ack);
        if let Some(sack) = sack {
            self.sacks.push(&sack);
        }
    }

    /// A segment leaves its last link.
    #[inline]
    pub(crate) fn segment_departs(&mut self, departs: Time, segment: Segment) {
        if self.is_altered {
            self.pass(departs, segment);
        } else {
            self.receive(departs, segment.seq(), segment.sent);
        }
    }

    /// The SACK information that belongs to the ACK just taken from `arriving`.
    pub(crate) fn take_sack(&mut self) -> Option<Sack> {
        let taken = self.sacks.pop();
        if self.sacks.is_empty() && self.sacks.shrink() {
            self.arriving.shrink();
        }
        taken
    }

    /// Segment `seq`, sent at `sent`, leaves its link.
    #[inline(always)]
    pub(crate) fn receive(&mut self, departs: Time, seq: u64, sent: Time) {
        let arrives = departs + self.quarter;
        while self.receiver.deadline() < arrives {
            self.commit_pending();
        }
        if !self.receiver.expects(seq) {
            return self.receive_disordered(arrives, seq, sent);
        }
        if let Some(ack) = self.receiver.on_expected(Arrival { at: arrives, seq, sent }) {
            self.send_ack(arrives, ack);
        }
    }

    /// Two segments from `seq` on, both sent at `sent`, leave their link: [`Path::receive`] twice, with one look at the receiver.
    #[inline(always)]
    pub(crate) fn receive_pair(&mut self, departs: [Time; 2], seq: u64, sent: Time) {
        let arrives = departs.map(|departs| departs + self.quarter);
        match self.receiver.on_pair(arrives, seq, sent) {
            Some((at, ack)) => self.send_ack(at, ack),
            None => self.receive_apart(departs, seq, sent),
        }
    }

    #[inline(never)]
    fn receive_apart(&mut self, departs: [Time; 2], seq: u64, sent: Time) {
        self.receive(departs[0], seq, sent);
        self.receive(departs[1], seq + 1, sent);
    }

    /// Apart, so that the ACKs of the others need not look for SACK information.
    #[inline(never)]
    fn receive_disordered(&mut self, arrives: Time, seq: u64, sent: Time) {
        if Opening::of(seq) == Some(Opening::Ack) {
            self.remember_opening(arrives);
        }
        if let Some(ack) = self.receiver.on_unexpected(Arrival { at: arrives, seq, sent }) {
            self.send_ack(arrives, ack);
        }
    }
}

/// Where the SACK information of an ACK that leaves the receiver waits: that of those that cross a real link first waits apart.
#[inline(always)]
fn sacks_of<'a>(rare: &'a mut Option<Box<Rare>>, ack_link: u8, sacks: &'a mut PackedSacks) -> &'a mut PackedSacks {
    rare.as_mut().filter(|_| ack_link != NO_LINK).map_or(sacks, |rare| &mut rare.crossing_sacks)
}
