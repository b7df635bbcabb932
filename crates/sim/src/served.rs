//! Links whose queue decides late: they have events of their own, which come before all flows'.

use net::Queued;
use tcp::EcnBits;
use units::Time;

use crate::core::Engine;
use crate::link::Load;
use crate::observer::Observer;
use crate::records::{Event, EventKind};

impl<O: Observer, const LATE: bool> Engine<'_, O, LATE> {
    /// A link has transmitted a packet, or asks its queue again; returns whose packet it was.
    pub(crate) fn advance_link(&mut self, link: usize) -> Option<usize> {
        self.events += 1;
        let now = self.links[link].served.as_ref().expect("only such a link has events").next_at();
        if self.link_samples.next < now {
            self.sample_links(Time(self.spec.duration_ns.min(now.0 - 1)));
        }
        let served = self.links[link].served.as_mut().expect("only such a link has events");
        let packet = served.advance(now)?;
        let (far_end, marked_at) = (served.far_end(now), if served.marks_on_arrival() { packet.arrived } else { now });
        self.note_mark(marked_at, link, &packet);
        let Some(between) = self.lot.leaves(link, &packet) else {
            self.pass_on(link, far_end, packet);
            return None;
        };
        let far_end = far_end - between;
        Some(match packet.load {
            Load::Datagram { source } => {
                self.sources[source].packet_departs(far_end);
                return None;
            }
            Load::Segment { flow, seq, sent, cwr, ce } => {
                self.flows[flow].path.segment_departs(far_end, seq, sent, EcnBits { ce: ce || packet.is_marked, cwr });
                flow
            }
            Load::Ack { flow, ack, sack } => {
                self.flows[flow].path.ack_departs(far_end, ack, sack);
                flow
            }
        })
    }

    /// A packet goes on from `link` to the next hop, a segment now and then twice.
    #[inline(never)]
    fn pass_on(&mut self, link: usize, far_end: Time, packet: Queued<Load>) {
        let segment_of = if let Load::Segment { flow, .. } = packet.load { Some(flow) } else { None };
        let copies = self.lot.pass_on(link, far_end, packet);
        if let Some(flow) = segment_of {
            self.flows[flow].path.under_way += copies - 1;
        }
    }

    /// Counts a mark that a segment leaves `link` with: a packet that several hops mark is one that was marked.
    fn note_mark(&mut self, at: Time, link: usize, packet: &Queued<Load>) {
        let Load::Segment { flow, ce, .. } = packet.load else { return };
        if packet.is_marked {
            self.flows[flow].path.marked += u64::from(!ce);
            if self.spec.record_marks && at.0 <= self.spec.duration_ns {
                self.note_packet(at, flow, link, EventKind::Mark);
            }
        }
    }

    /// A packet reaches the hop behind `gap`.
    pub(crate) fn reach_hop(&mut self, gap: usize) {
        self.events += 1;
        let Some((now, mut packet)) = self.lot.take(gap) else { return };
        if self.link_samples.next <= now {
            self.sample_links(Time(self.spec.duration_ns.min(now.0)));
        }
        if let Load::Segment { ce, .. } = &mut packet.load {
            *ce |= packet.is_marked;
            // RFC 9331 5.1: whoever marked it, it may have been of a scalable sender.
            packet.is_l4s |= *ce;
        }
        let served = self.links[gap + 1].served.as_mut().expect("hops have events of their own");
        served.offer(now, Queued { arrived: now, is_marked: false, ..packet });
    }

    /// Tells flows of packets that a link has dropped.
    pub(crate) fn take_dropped(&mut self, link: usize) {
        let Some(served) = &mut self.links[link].served else { return };
        for dropped in served.take_dropped() {
            let index = match dropped.packet.load {
                Load::Segment { flow, .. } | Load::Ack { flow, .. } => flow,
                Load::Datagram { source } => {
                    self.sources[source].lost += 1;
                    if self.spec.record_drops && dropped.at.0 < self.spec.duration_ns {
                        let number = self.spec.flows.len() + source;
                        self.records.events.push(packet_event(dropped.at, (number, false), link, EventKind::Drop));
                    }
                    continue;
                }
            };
            let flow = &mut self.flows[index];
            flow.path.under_way -= 1;
            self.arrivals.release(index, flow);
            if let Load::Ack { .. } = dropped.packet.load {
                continue;
            }
            flow.path.lost += 1;
            if self.spec.record_drops && dropped.at.0 < self.spec.duration_ns {
                let event = packet_event(dropped.at, (index, flow.path.is_transfer), link, EventKind::Drop);
                self.records.events.push(event);
            }
        }
    }

    /// When a flow's next event is, after something reached it.
    pub(crate) fn next_of(&mut self, index: usize) -> u64 {
        let flow = &mut self.flows[index];
        flow.due = flow.next();
        if flow.due.0 >= flow.agenda.end {
            u64::MAX
        } else {
            flow.due.0 .0
        }
    }

    fn note_packet(&mut self, now: Time, flow: usize, link: usize, kind: EventKind) {
        self.records.events.push(packet_event(now, (flow, self.flows[flow].path.is_transfer), link, kind));
    }
}

/// Of a packet of this flow; transfers have no number.
fn packet_event(at: Time, (flow, is_transfer): (usize, bool), link: usize, kind: EventKind) -> Event {
    let flow = if is_transfer { -1 } else { flow as i32 };
    Event { t_ns: at.0, flow, link: link as i32, kind, value: f64::NAN, value2: f64::NAN }
}
