//! The event loop of runs with a queue that decides late: links have events of their own, and come before all flows.
//!
//! One event at a time: a packet that reaches an idle link gives it an event that nobody could foresee.

use tcp::EcnBits;
use units::Time;

use crate::calendar::Calendar;
use crate::core::{Engine, EVENTS_PER_LOOK};
use crate::error::Interrupted;
use crate::link::Load;
use crate::observer::Observer;
use crate::records::{Event, EventKind, Records};

impl<O: Observer> Engine<'_, O, true> {
    /// Runs to the end.
    ///
    /// # Errors
    /// An interruption.
    pub(crate) fn run_late(mut self, mut interrupted: impl FnMut() -> bool) -> Result<Records, Interrupted> {
        let links = self.links.len();
        let due = self.first_due();
        let mut calendar = Calendar::new(links + due.len());
        for (index, &due) in due.iter().enumerate() {
            calendar.set(links + index, due);
        }
        let mut look_at = EVENTS_PER_LOOK;
        while let Some((party, key)) = calendar.first() {
            if self.events >= look_at {
                if interrupted() {
                    return Err(Interrupted);
                }
                look_at = self.events + EVENTS_PER_LOOK;
            }
            if party < links {
                if let Some(flow) = self.advance_link(party, Time(key)) {
                    calendar.set(links + flow, self.next_of(flow));
                }
            } else if party < links + self.flows.len() {
                calendar.set(party, self.run_flow(party - links, 0, look_at));
            } else {
                calendar.set(party, self.run_source(party - links - self.flows.len(), 0, look_at));
            }
            for index in 0..links {
                self.take_dropped(index);
                let next = self.links[index].served.as_ref().map_or(Time::NEVER, |served| served.next_at());
                calendar.set(index, next.0);
            }
        }
        Ok(self.finish())
    }

    /// A link has transmitted a packet, or asks its queue again; returns whose packet it was.
    fn advance_link(&mut self, link: usize, now: Time) -> Option<usize> {
        self.events += 1;
        if self.link_samples.next < now {
            self.sample_links(Time(self.spec.duration_ns.min(now.0 - 1)));
        }
        let served = self.links[link].served.as_mut().expect("only such a link has events");
        let packet = served.advance(now)?;
        let far_end = served.far_end(now);
        Some(match packet.load {
            Load::Datagram { source } => {
                self.sources[source].packet_departs(far_end);
                return None;
            }
            Load::Segment { flow, seq, sent, cwr } => {
                if packet.is_marked {
                    self.flows[flow].path.marked += 1;
                    if self.spec.record_marks && now.0 <= self.spec.duration_ns {
                        self.note_packet(now, flow, link, EventKind::Mark);
                    }
                }
                self.flows[flow].path.segment_departs(far_end, seq, sent, EcnBits { ce: packet.is_marked, cwr });
                flow
            }
            Load::Ack { flow, ack, sack } => {
                self.flows[flow].path.ack_departs(far_end, ack, sack);
                flow
            }
        })
    }

    /// Tells flows of segments that a link has dropped.
    fn take_dropped(&mut self, link: usize) {
        let Some(served) = &mut self.links[link].served else { return };
        for dropped in served.take_dropped() {
            let flow = match dropped.packet.load {
                Load::Segment { flow, .. } => flow,
                Load::Datagram { source } => self.flows.len() + source,
                Load::Ack { .. } => continue,
            };
            match flow.checked_sub(self.flows.len()) {
                None => self.flows[flow].path.lost += 1,
                Some(source) => self.sources[source].lost += 1,
            }
            if self.spec.record_drops && dropped.at.0 < self.spec.duration_ns {
                let event = packet_event(dropped.at, flow, link, EventKind::Drop);
                self.records.events.push(event);
            }
        }
    }

    /// When a flow's next event is, after something reached it.
    fn next_of(&mut self, index: usize) -> u64 {
        let flow = &mut self.flows[index];
        flow.due = flow.next();
        if flow.due.0 >= flow.agenda.end {
            u64::MAX
        } else {
            flow.due.0 .0
        }
    }

    fn note_packet(&mut self, now: Time, flow: usize, link: usize, kind: EventKind) {
        self.records.events.push(packet_event(now, flow, link, kind));
    }
}

fn packet_event(at: Time, flow: usize, link: usize, kind: EventKind) -> Event {
    Event { t_ns: at.0, flow: flow as i32, link: link as i32, kind, value: f64::NAN, value2: f64::NAN }
}
