//! What happens at links, and between them: packets that waited leave or are dropped, packets reach the next hop, ACKs reach a real link.

use net::{Answer, Dropped, Left, Link, Packet, Queued};
use units::Time;

use super::observer::Audience;
use super::run::Engine;
use crate::parts::around::Noted;
use crate::parts::gaps::Passing;
use crate::parts::load::{Content, Load, Segment};
use crate::parts::party::Party;
use crate::parts::tap::Place;

impl<O: Audience, L: Link<Load>> Engine<'_, O, L> {
    /// When what a link does can first have an effect elsewhere: until then it need not be looked at.
    #[inline]
    pub(super) fn set_link_due(&mut self, link: usize) -> u64 {
        let horizon = &mut self.horizons[link];
        horizon.due = self.links[link].next_at().saturating_add(horizon.lookahead);
        horizon.due.0
    }

    /// What a link did can have an effect now: it serves until now, and all that left it goes on. Returns when it must be looked at again.
    pub(super) fn advance_link(&mut self, link: usize) -> u64 {
        self.events += 1;
        let now = self.horizons[link].due;
        if self.links_at <= now {
            self.sample_links(Time(self.spec.duration_ns.min(now.0)));
        }
        self.links[link].settle(now);
        self.empty_link(link);
        self.set_link_due(link)
    }

    /// All links serve until `now`, and all that left them goes on. Samples that fall before that come first.
    pub(super) fn settle_links(&mut self, now: Time) {
        if self.links_at <= now {
            self.sample_links(Time(self.spec.duration_ns.min(now.0)));
        }
        for link in 0..self.links.len() {
            self.links[link].settle(now);
            self.empty_link(link);
        }
    }

    /// What has left a link, or was dropped there, goes on.
    pub(super) fn empty_link(&mut self, link: usize) {
        while let Some(left) = self.links[link].left() {
            let &Left { at, packet: Queued { is_marked, load: Load { owner, ref content }, .. }, .. } = left;
            match *content {
                // What is needed of it is copied, and not the whole: most packets come this way.
                Content::Segment(segment) if !is_marked && self.around.gaps.len() == 0 => {
                    self.links[link].take_left();
                    self.deliver(owner, at, segment);
                }
                _ => self.take_left(link),
            }
        }
        while let Some(Dropped { at, packet }) = self.links[link].take_dropped() {
            self.lose(at, link, &packet.load);
        }
    }

    /// The oldest packet that has left a link, with a mark perhaps, goes on to wherever it goes.
    fn take_left(&mut self, link: usize) {
        let Some(Left { departed, at, packet }) = self.links[link].take_left() else { return };
        let Queued { packet, is_marked, mut load, .. } = packet;
        if is_marked {
            self.mark(departed, link, &mut load);
        }
        self.leave(link, Passing { at, packet, load });
    }

    /// A packet with this load leaves `link` with a mark. One that several hops mark is one that was marked.
    fn mark(&mut self, at: Time, link: usize, load: &mut Load) {
        let segment = match &mut load.content {
            Content::Segment(segment) => segment,
            Content::Foreign(payload) => return self.mark_datagram(at, link, load.owner, payload),
            _ => return,
        };
        let flow = load.owner as usize;
        let path = &mut self.flows[flow].path;
        path.marked += u64::from(!segment.bits().ce);
        *segment = segment.marked();
        self.around.note_mark(at, Noted { flow: (!path.is_transfer).then_some(flow), link });
    }

    /// A segment that was under way leaves the only link on its way.
    #[inline]
    fn deliver(&mut self, owner: u32, at: Time, segment: Segment) {
        let flow = &mut self.flows[owner as usize];
        flow.path.under_way -= 1;
        if O::SEES_PACKETS && flow.path.is_tapped {
            // Of a load that is alone on its way only the mark is known any more.
            flow.path.show_passed(at, segment.shown(flow.path.is_ecn_capable));
        }
        flow.path.segment_departs(at, segment);
        if flow.is_moved() {
            self.around.changed.push(Party::Flow(owner as usize));
        }
    }

    /// A packet that was under way leaves `link`: for its receiver, or for the next hop.
    fn leave(&mut self, link: usize, passing: Passing) {
        if O::SEES_PACKETS {
            self.show_leaving(link, &passing);
        }
        let Some(between) = self.around.gaps.leaves(link, &passing.load) else { return self.pass_on(link, passing) };
        let (at, owner) = (passing.at - between, passing.load.owner as usize);
        match passing.load.content {
            Content::Datagram => return self.sources[owner].packet_departs(at),
            Content::Foreign(payload) => return self.datagram_leaves(at, passing.load.owner, payload),
            _ => {}
        }
        let flow = &mut self.flows[owner];
        flow.path.under_way -= 1;
        match passing.load.content {
            Content::Segment(segment) => flow.path.segment_departs(at, segment),
            Content::Ack(ack) => flow.path.ack_departs(at, *ack),
            Content::Datagram | Content::Foreign(_) => {}
        }
        if flow.is_moved() {
            self.around.changed.push(Party::Flow(owner));
        }
    }

    /// A packet that leaves its flow's first link is shown.
    fn show_leaving(&self, link: usize, passing: &Passing) {
        let owner = passing.load.owner;
        match &passing.load.content {
            Content::Segment(segment) => {
                let path = &self.flows[owner as usize].path;
                if path.is_tapped && path.data_link() == link {
                    path.show_passed(passing.at, segment.shown(passing.packet.ecn_capable));
                }
            }
            Content::Foreign(payload) if payload.is_data => {
                let stack = &self.stacks[self.stack_of(owner)];
                if stack.data_link == link {
                    stack.show(Place::Bottleneck, passing.at, payload);
                }
            }
            _ => {}
        }
    }

    /// A packet goes on from `link` to the next hop, a segment now and then twice.
    #[inline(never)]
    fn pass_on(&mut self, link: usize, passing: Passing) {
        let segment_of = if let Content::Segment(_) = passing.load.content { Some(passing.load.owner) } else { None };
        let before = self.around.gaps.next_at(link);
        let copies = self.around.gaps.pass_on(link, passing);
        if let Some(flow) = segment_of {
            self.flows[flow as usize].path.under_way += copies - 1;
        }
        if self.around.gaps.next_at(link) != before {
            self.around.changed.push(Party::Gap(link));
        }
    }

    /// A packet reaches the hop behind `gap`; returns when the next does.
    pub(super) fn reach_hop(&mut self, gap: usize) -> u64 {
        self.events += 1;
        if let Some(mut passing) = self.around.gaps.take(gap) {
            if self.links_at <= passing.at {
                self.sample_links(Time(self.spec.duration_ns.min(passing.at.0)));
            }
            if let Content::Segment(segment) = passing.load.content {
                // RFC 9331 5.1: whichever node marked it, it may have been of a scalable sender.
                passing.packet.is_l4s |= segment.bits().ce;
            }
            self.reach(gap + 1, passing);
        }
        self.around.gaps.next_at(gap).0
    }

    /// A packet that is under way reaches `link`.
    pub(super) fn reach(&mut self, link: usize, mut passing: Passing) {
        let Passing { at: now, packet, .. } = passing;
        let Some(fifo) = self.links[link].as_fifo() else { return self.offer_late(link, (now, packet), passing.load) };
        match fifo.take(now, packet) {
            Answer::Departs(at) => self.leave(link, Passing { at, ..passing }),
            Answer::DepartsMarked { at, marked_at } => {
                self.mark(marked_at, link, &mut passing.load);
                self.leave(link, Passing { at, ..passing });
            }
            Answer::Dropped | Answer::Lost | Answer::Waits => self.lose(now, link, &passing.load),
        }
    }

    /// A packet that was under way is gone.
    #[cold]
    fn lose(&mut self, at: Time, link: usize, load: &Load) {
        let owner = load.owner as usize;
        if let Content::Foreign(payload) = &load.content {
            return self.lose_datagram(at, link, load.owner, payload.is_data);
        }
        if let Content::Datagram = load.content {
            self.sources[owner].lost += 1;
            return self.around.note_drop(at, Noted { flow: Some(self.spec.flows.len() + owner), link });
        }
        let flow = &mut self.flows[owner];
        flow.path.under_way -= 1;
        self.arrivals.release(owner, flow);
        if let Content::Segment(_) = load.content {
            flow.path.lost += 1;
            self.around.note_drop(at, Noted { flow: (!flow.path.is_transfer).then_some(owner), link });
        }
    }

    /// The oldest of a flow's ACKs on their way to a real link reaches it.
    #[inline]
    pub(super) fn cross(&mut self, index: usize) {
        self.events += 1;
        let path = &mut self.flows[index].path;
        let Some(link) = path.ack_link() else { return };
        let Some(fifo) = self.links[link].as_fifo().filter(|_| self.around.gaps.len() == 0) else { return self.pass_ack(index, link) };
        let Some(delivery) = path.pop_crossing() else { return };
        fifo.begin(delivery.at);
        match fifo.admit(delivery.at, path.crossing_packet(&delivery)) {
            Answer::Departs(at) | Answer::DepartsMarked { at, .. } => path.ack_crosses(at, delivery),
            Answer::Dropped | Answer::Lost | Answer::Waits => path.drop_ack(delivery),
        }
    }

    /// The same where the link decides late, or is followed by another.
    #[inline(never)]
    fn pass_ack(&mut self, index: usize, link: usize) {
        let path = &mut self.flows[index].path;
        let Some((now, ack)) = path.take_crossing() else { return };
        let packet = path.ack_packet(&ack.ack, ack.sack.as_ref());
        let load = Load { owner: index as u32, content: Content::Ack(Box::new(ack)) };
        path.under_way += 1;
        self.reach(link, Passing { at: now, packet, load });
    }

    /// A packet reaches a link that decides late.
    fn offer_late(&mut self, link: usize, (now, packet): (Time, Packet), load: Load) {
        let before = self.links[link].next_at();
        self.links[link].offer(now, packet, load);
        if before == Time::NEVER || self.links[link].is_brimming() {
            self.around.changed.push(Party::Link(link));
        }
    }
}
