//! What happens at a flow's host: an ACK comes in, or was processed; a segment leaves for its link.

use units::Time;

use crate::core::Engine;
use crate::flow::Flow;
use crate::host::Next;
use crate::observer::Observer;
use crate::path::PathWire;
use crate::spec::Spec;

impl<O: Observer, const LATE: bool> Engine<'_, O, LATE> {
    /// What is due at the receiver of flow `index`, or at its host, happens.
    pub(crate) fn handle_pending(&mut self, index: usize, now: Time) {
        let path = &mut self.flows[index].path;
        if path.is_receiver_due(now) {
            path.commit_pending();
        } else {
            self.run_host(index, now);
        }
    }

    fn run_host(&mut self, index: usize, now: Time) {
        let Flow { agenda, path, sender, .. } = &mut self.flows[index];
        let (link, events, machines) = (&mut self.links[path.data_link()], &mut self.records.events, &mut self.machines);
        let Spec { record_drops: records_drops, record_marks: records_marks, .. } = *self.spec;
        let Some(side) = path.side() else { return };
        match side.next().1 {
            Next::Comes => {
                let Some(delivery) = side.coming.pop_front() else { return };
                let outstanding = sender.connection().nxt - sender.connection().una;
                let done = machines[side.machine].take_ack(now, delivery.ack().has_sack, outstanding);
                side.waiting.push_back((done, delivery));
            }
            Next::Processed => {
                let Some((_, delivery)) = side.waiting.pop_front() else { return };
                let ack = delivery.ack();
                let sack = path.take_sack(&ack);
                let mut wire = PathWire::<LATE> { path, link, events, machines, flow: index, records_drops, records_marks };
                sender.on_ack(now, &ack, sack.as_ref(), &mut wire);
                self.observer.on_acked(now, index, sender);
                agenda.rearm(sender.deadline());
            }
            Next::Leaves => {
                let Some(segment) = side.leaving.pop_front() else { return };
                let mut wire = PathWire::<LATE> { path, link, events, machines, flow: index, records_drops, records_marks };
                wire.leave_host(segment);
            }
        }
        let flow = &mut self.flows[index];
        flow.path.refresh_beyond();
        if flow.sender.is_finished() {
            self.complete(index, now);
        }
    }
}
