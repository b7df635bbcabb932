//! A session: pages of objects, transferred a few at once or one after another, and thoughts between them.
//!
//! Its clock is that of its transfers' packets, as a flow's: so that it may begin one at the very moment at which another completes.

use units::{Duration, Stream, Time};

use super::birth::Birth;
use super::origin::Origin;
use crate::laws::Whole;
use crate::spec::SessionSpec;

/// One session.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    kind: usize,
    objects: Whole,
    sizes: Whole,
    think: Whole,
    /// Objects at once.
    connections: u32,
    /// Objects of the page that have not begun.
    left: u64,
    /// Objects that have begun and are not complete.
    under_way: u32,
    /// When the next object begins; never while it has to wait for another.
    next: Time,
    stop: Time,
    /// What its clock runs behind.
    access: Duration,
    counted: Stream,
    sized: Stream,
    thoughts: Stream,
    seeds: Stream,
}

impl Session {
    /// Session number `number` of a source, whose transfers' clocks run `access` behind.
    pub(crate) fn new(Origin { index, seed, end }: Origin, number: u32, given: &SessionSpec, access: Duration) -> Session {
        let stream = |part: &str| Stream::named(seed, format_args!("sessions{index}/{number}/{part}"));
        let mut session = Session {
            kind: number as usize % given.flows.len(),
            objects: Whole::new(given.objects, None),
            sizes: Whole::new(given.sizes, given.max_bytes),
            think: Whole::new(given.think, None),
            connections: given.connections,
            left: 0,
            under_way: 0,
            next: Time::NEVER,
            stop: end.min(given.stop_ns.map_or(Time::NEVER, Time)) + access,
            access,
            counted: stream("objects"),
            sized: stream("sizes"),
            thoughts: stream("thoughts"),
            seeds: stream("seeds"),
        };
        session.think(Time(given.start_ns) + access);
        session
    }

    /// When its next transfer begins.
    pub(crate) fn next_at(&self) -> Time {
        self.next
    }

    /// The next object of the page, or the first of a new one, begins.
    pub(crate) fn next_transfer(&mut self) -> Birth {
        let page = (self.left == 0).then(|| self.objects.draw(&mut self.counted));
        self.left = page.unwrap_or(self.left) - 1;
        self.under_way += 1;
        let at = self.next - self.access;
        if self.left == 0 || self.under_way == self.connections {
            self.next = Time::NEVER;
        }
        Birth { at, kind: self.kind, bytes: self.sizes.draw(&mut self.sized), seed: self.seeds.up_to(u64::MAX), page }
    }

    /// One of its objects is complete: another follows at once, after the last of the page a thought. Says whether it was the last.
    pub(crate) fn on_completed(&mut self, now: Time) -> bool {
        self.under_way -= 1;
        if self.left > 0 {
            self.next = now;
        } else if self.under_way == 0 {
            self.think(now);
        }
        self.left == 0 && self.under_way == 0
    }

    fn think(&mut self, now: Time) {
        let next = now.saturating_add(Duration(self.think.draw(&mut self.thoughts)));
        self.next = if next < self.stop { next } else { Time::NEVER };
    }
}
