//! A session: pages of objects, transferred one after another, and thoughts between them.
//!
//! Its clock is that of its transfers' packets, as a flow's: so that it may begin one at the very moment at which another completes.

use units::{Stream, Time};

use super::laws::Whole;
use super::source::Birth;
use super::spec::SessionSpec;

/// One session.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    kind: usize,
    objects: Whole,
    sizes: Whole,
    think: Whole,
    /// Objects of the page that have not begun.
    left: u64,
    /// When the next object begins; never while one is under way.
    next: Time,
    stop: Time,
    /// What its clock runs behind.
    access: Time,
    counted: Stream,
    sized: Stream,
    thoughts: Stream,
    seeds: Stream,
}

impl Session {
    /// Session number `number` of source `index`, whose transfers' clocks run `access` behind, in a run of this seed and length.
    pub(crate) fn new((index, number): (usize, u32), given: &SessionSpec, access: Time, (seed, end): (u64, Time)) -> Session {
        let stream = |part: &str| Stream::named(seed, &format!("sessions{index}/{number}/{part}"));
        let mut session = Session {
            kind: number as usize % given.flows.len(),
            objects: Whole::new(given.objects, None),
            sizes: Whole::new(given.sizes, given.max_bytes),
            think: Whole::new(given.think, None),
            left: 0,
            next: Time::NEVER,
            stop: end.min(given.stop_ns.map_or(Time::NEVER, Time)) + access,
            access,
            counted: stream("objects"),
            sized: stream("sizes"),
            thoughts: stream("thoughts"),
            seeds: stream("seeds"),
        };
        session.on_completed(Time(given.start_ns) + access);
        session
    }

    /// When its next transfer begins.
    pub(crate) fn next_at(&self) -> Time {
        self.next
    }

    /// The next object of the page, or the first of a new one, begins.
    pub(crate) fn give_birth(&mut self) -> Birth {
        if self.left == 0 {
            self.left = self.objects.draw(&mut self.counted);
        }
        self.left -= 1;
        let at = std::mem::replace(&mut self.next, Time::NEVER) - self.access;
        Birth { at, kind: self.kind, bytes: self.sizes.draw(&mut self.sized), seed: self.seeds.up_to(u64::MAX) }
    }

    /// Its object is complete: the next one follows at once, the next page after a thought.
    pub(crate) fn on_completed(&mut self, now: Time) {
        self.next = now;
        if self.left == 0 {
            self.next = now.saturating_add(Time(self.think.draw(&mut self.thoughts)));
            if self.next >= self.stop {
                self.next = Time::NEVER;
            }
        }
    }
}
