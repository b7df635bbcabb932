//! Loss with a memory. Every model of a link sees every packet that arrives there, before the queue; a packet that one of them takes is
//! lost.

mod gilbert_elliott;
mod independent;
mod periodic;
mod scripted;
mod timed;

pub use gilbert_elliott::{GilbertElliott, GilbertElliottSpec};
pub(crate) use independent::Independent;
pub use periodic::Periodic;
pub use scripted::Scripted;
pub use timed::Timed;

use units::{Stream, Time};

use crate::Packet;

/// Which packets a model sees; the others pass it unseen and uncounted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Among {
    /// All.
    #[default]
    All,
    /// Those that carry data.
    Data,
    /// Pure acknowledgements.
    Acks,
}

impl Among {
    /// Whether `packet` is one of them.
    pub fn has(self, packet: Packet) -> bool {
        match self {
            Among::All => true,
            Among::Data => !packet.is_ack,
            Among::Acks => packet.is_ack,
        }
    }
}

/// A model.
#[derive(Clone, Debug, PartialEq)]
pub enum LossModel {
    /// Two states that take turns.
    GilbertElliott(GilbertElliott),
    /// Every n-th packet.
    Periodic(Periodic),
    /// The packets on a list.
    Scripted(Scripted),
    /// A packet now and then, by the clock.
    Timed(Timed),
}

/// A model of a link, what it sees, and where its draws come from.
#[derive(Clone, Debug)]
struct Watched {
    among: Among,
    model: LossModel,
    stream: Stream,
}

/// The models of a link.
#[derive(Clone, Debug, Default)]
pub struct Losses(Vec<Watched>);

impl Losses {
    /// Adds a model, at its start.
    pub fn add(&mut self, among: Among, model: LossModel, stream: Stream) {
        self.0.push(Watched { among, model, stream });
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Until when no packet is lost, however many come; none where a model must see each.
    pub(crate) fn quiet_until(&self) -> Option<Time> {
        let mut quiet = self.0.iter().map(|watched| match &watched.model {
            LossModel::Timed(timed) => Some(timed.quiet_until()),
            LossModel::GilbertElliott(_) | LossModel::Periodic(_) | LossModel::Scripted(_) => None,
        });
        quiet.try_fold(Time::NEVER, |earliest, one| Some(earliest.min(one?)))
    }

    /// Whether the packet that arrives at `now` is lost. A packet that one model takes is seen, and counted, by the others too.
    pub fn strike(&mut self, now: Time, packet: Packet) -> bool {
        let mut is_lost = false;
        for Watched { among, model, stream } in &mut self.0 {
            if among.has(packet) {
                is_lost |= match model {
                    LossModel::GilbertElliott(model) => model.strikes(stream),
                    LossModel::Periodic(model) => model.strikes(),
                    LossModel::Scripted(model) => model.strikes(packet),
                    LossModel::Timed(model) => model.strikes(now, stream),
                };
            }
        }
        is_lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every second packet and every third, of six: 2, 4, 6 and 3, 6. The fourth is the fourth for both.
    #[test]
    fn a_model_counts_what_another_takes() {
        let mut losses = Losses::default();
        for every in [2, 3] {
            losses.add(Among::All, LossModel::Periodic(Periodic::new(every, every)), Stream::named(1, "test"));
        }
        let packet = Packet::data(1500, 0);
        let lost: Vec<u32> = (1..=6).filter(|_| losses.strike(Time::ZERO, packet)).collect();
        assert_eq!(lost, [2, 3, 4, 6]);
    }

    #[test]
    fn a_model_of_acks_neither_takes_nor_counts_data() {
        let mut losses = Losses::default();
        losses.add(Among::Acks, LossModel::Periodic(Periodic::new(2, 2)), Stream::named(1, "test"));
        let data = Packet::data(1500, 0);
        let ack = Packet { bytes: 52, is_ack: true, ..data };
        assert_eq!(
            [data, ack, data, ack, data, ack].map(|packet| losses.strike(Time::ZERO, packet)),
            [false, false, false, true, false, false]
        );
    }
}
