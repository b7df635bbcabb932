//! CoDel: drops at the head, ever more often, while packets wait longer than a target for a whole interval.
//!
//! Source: RFC 8289 (Nichols, Jacobson, McGregor and Iyengar 2018), names of section 5. Times in nanoseconds. State: when the
//! sojourn time will have been above target for an interval, and the drop schedule.
//! An ECN-capable packet is marked where it would be dropped (section 4.6 leaves the choice), and then leaves the queue.

use units::Time;

use super::{DisciplineSpec, Line, Queued, Room};

/// Bytes of the largest packet: no drop while no more than that is left behind (section 5.2.1).
const MAXPACKET: u64 = 1500;

/// CoDel's two numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodelSpec {
    target: Time,
    interval: Time,
}

impl CodelSpec {
    pub(crate) fn new(spec: &DisciplineSpec) -> CodelSpec {
        CodelSpec { target: spec.time("target_s"), interval: spec.time("interval_s") }
    }
}

/// The control law of one queue.
#[derive(Clone, Debug)]
pub(crate) struct Codel {
    spec: CodelSpec,
    first_above: Option<Time>,
    drop_next: Time,
    /// Drops since the dropping state was entered, and what it was when it was entered.
    count: u64,
    lastcount: u64,
    dropping: bool,
}

impl Codel {
    pub(crate) fn new(spec: CodelSpec) -> Codel {
        Codel { spec, first_above: None, drop_next: Time::ZERO, count: 0, lastcount: 0, dropping: false }
    }

    /// Section 5.5: the next drop comes sooner by the inverse square root of the count.
    fn control_law(&self, t: Time) -> Time {
        t + Time((self.spec.interval.0 as f64 / (self.count as f64).sqrt()) as u64)
    }

    /// Section 5.6: the packet at the head, and whether packets have been too late for too long. `others` counts the bytes that
    /// wait elsewhere for the same link.
    fn take<T>(&mut self, now: Time, line: &mut Line<T>, others: u64) -> (Option<Queued<T>>, bool) {
        let packet = line.pop();
        let is_late = packet.as_ref().is_some_and(|packet| now - packet.arrived >= self.spec.target);
        if !is_late || line.bytes() + others <= MAXPACKET {
            self.first_above = None;
            return (packet, false);
        }
        // Just above: that moment lies ahead.
        let above_at = *self.first_above.get_or_insert(now + self.spec.interval);
        (packet, now >= above_at)
    }

    /// Section 5.4. The packet to serve next; those dropped before it go to `dropped`.
    pub(crate) fn dequeue<T>(&mut self, now: Time, line: &mut Line<T>, others: u64, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        let (mut packet, mut ok_to_drop) = self.take(now, line, others);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if mark(&mut packet) {
                    self.drop_next = self.control_law(self.drop_next);
                    break;
                }
                dropped.extend(packet.take());
                (packet, ok_to_drop) = self.take(now, line, others);
                self.dropping = ok_to_drop;
                if ok_to_drop {
                    self.drop_next = self.control_law(self.drop_next);
                }
            }
        } else if ok_to_drop {
            if !mark(&mut packet) {
                dropped.extend(packet.take());
                packet = self.take(now, line, others).0;
            }
            self.dropping = true;
            // A drop rate that was right not long ago is where to start from.
            let delta = self.count - self.lastcount;
            let was_recent = now.since(self.drop_next).0 < 16 * self.spec.interval.0;
            self.count = if delta > 1 && was_recent { delta } else { 1 };
            self.drop_next = self.control_law(now);
            self.lastcount = self.count;
        }
        packet
    }
}

/// Marks the packet instead of dropping it, if it is ECN-capable.
fn mark<T>(packet: &mut Option<Queued<T>>) -> bool {
    packet.as_mut().is_some_and(Queued::mark)
}

/// One queue under CoDel.
#[derive(Clone, Debug)]
pub(crate) struct CodelQueue<T> {
    line: Line<T>,
    codel: Codel,
}

impl<T> CodelQueue<T> {
    pub(crate) fn new(spec: CodelSpec) -> CodelQueue<T> {
        CodelQueue { line: Line::default(), codel: Codel::new(spec) }
    }

    pub(crate) fn enqueue(&mut self, _now: Time, packet: Queued<T>, room: Room, dropped: &mut Vec<Queued<T>>) {
        if self.line.has_room(room, &packet) {
            self.line.push(packet);
        } else {
            dropped.push(packet);
        }
    }

    pub(crate) fn dequeue(&mut self, now: Time, dropped: &mut Vec<Queued<T>>) -> Option<Queued<T>> {
        self.codel.dequeue(now, &mut self.line, 0, dropped)
    }

    pub(crate) fn packets(&self) -> usize {
        self.line.packets()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.line.bytes()
    }
}
