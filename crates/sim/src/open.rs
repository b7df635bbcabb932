//! The event loop of runs in which anybody's time may change, not only that of whoever's event it is: transfers begin and take a slot,
//! and links with a queue that decides late have events of their own.
//!
//! At one time links come first, then the ways between hops, sources of transfers, flows, datagrams and transfers. With late queues flows
//! have one event at a time: a packet that reaches an idle link gives it an event that nobody could foresee. So have transfers of
//! sessions, which may begin the next.

use units::Time;

use crate::calendar::Calendar;
use crate::core::{Engine, EVENTS_PER_LOOK};
use crate::error::{Interrupted, RunError};
use crate::observer::Observer;
use crate::records::Records;

impl<O: Observer, const LATE: bool> Engine<'_, O, LATE> {
    /// Runs to the end.
    ///
    /// # Errors
    /// An interruption, or more transfers alive than there is room for.
    pub(crate) fn run_open(mut self, mut interrupted: impl FnMut() -> bool) -> Result<Records, RunError> {
        let (links, gaps) = (self.links.len(), self.lot.gaps());
        let first_source = links + gaps;
        let first = first_source + self.arrivals.sources.len();
        let (datagrams_at, transfers_at) = (first + self.flows.len(), first + self.flows.len() + self.sources.len());
        let due = self.first_due();
        let mut calendar = Calendar::new(first + due.len());
        for (index, source) in self.arrivals.sources.iter().enumerate() {
            calendar.set(first_source + index, source.next_at().0);
        }
        for (index, &due) in due.iter().enumerate() {
            calendar.set(first + index, due);
        }
        let flows = self.flows.len();
        let party_of = |index: usize| if index < flows { first + index } else { transfers_at + index - flows };
        let mut look_at = EVENTS_PER_LOOK;
        while let Some((party, bound)) = calendar.first() {
            if self.events >= look_at {
                if interrupted() {
                    return Err(Interrupted.into());
                }
                look_at = self.events + EVENTS_PER_LOOK;
            }
            if (datagrams_at..transfers_at).contains(&party) {
                calendar.set(party, self.run_source(party - datagrams_at, if LATE { 0 } else { bound }, look_at));
            } else if party >= first {
                let index = if party < datagrams_at { party - first } else { party - transfers_at + flows };
                let bound = if LATE || self.arrivals.is_of_session(index) { 0 } else { bound };
                calendar.set(party, self.run_slot(index, bound, look_at));
                if let Some(source) = self.arrivals.take_woken() {
                    calendar.set(first_source + source, self.arrivals.sources[source].next_at().0);
                }
            } else if party < links {
                if let Some(flow) = self.advance_link(party) {
                    calendar.set(party_of(flow), self.next_of(flow));
                }
            } else if party < first_source {
                self.reach_hop(party - links);
            } else {
                let source = party - first_source;
                let flow = self.arrivals.begin(source, &mut self.flows, &mut self.records.transfers)?;
                self.give_host(flow);
                if LATE && gaps > 0 {
                    self.lot.on_born(flow, self.records.transfers.rows.last().map_or(0, |row| row.kind));
                }
                self.events += 1;
                calendar.set(party_of(flow), self.flows[flow].due.0 .0);
                calendar.set(party, self.arrivals.sources[source].next_at().0);
            }
            for gap in 0..if LATE { gaps } else { 0 } {
                calendar.set(links + gap, self.lot.next_at(gap).0);
            }
            for index in 0..if LATE { links } else { 0 } {
                self.take_dropped(index);
                let next = self.links[index].served.as_ref().map_or(Time::NEVER, |served| served.next_at());
                calendar.set(index, next.0);
            }
        }
        Ok(self.finish())
    }

    /// As [`Engine::run_flow`]; a transfer of which nothing is left frees its slot.
    fn run_slot(&mut self, index: usize, bound: u64, look_at: u64) -> u64 {
        let next = self.run_flow(index, bound, look_at);
        if self.arrivals.release(index, &self.flows[index]) {
            return u64::MAX;
        }
        next
    }
}
