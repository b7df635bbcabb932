//! Random loss without a memory: each packet that arrives is lost with the same probability, whatever became of the others.
//!
//! Draws are made some packets ahead, one for each, in the order in which the packets will come: so a link knows how many are sure to pass,
//! and need not ask for each.

use units::Stream;

/// Packets that are drawn ahead at most.
const AHEAD: usize = 256;

/// The draws of a link.
#[derive(Clone, Debug)]
pub(crate) struct Independent {
    probability: f64,
    stream: Stream,
    /// Packets of those to come that are sure to pass.
    sure: usize,
    /// The packet behind those is lost.
    is_loss_next: bool,
}

impl Independent {
    /// Of this probability; zero draws nothing.
    pub(crate) fn new(probability: f64, stream: Stream) -> Independent {
        Independent { probability, stream, sure: 0, is_loss_next: false }
    }

    /// Packets to come that are sure to pass.
    pub(crate) fn sure(&self) -> usize {
        if self.probability > 0.0 {
            self.sure
        } else {
            usize::MAX
        }
    }

    /// So many packets, no more than are sure to, have passed.
    pub(crate) fn pass(&mut self, packets: usize) {
        if self.probability > 0.0 {
            self.sure -= packets;
        }
    }

    /// Whether the packet that arrives is lost.
    pub(crate) fn strikes(&mut self) -> bool {
        if self.probability == 0.0 {
            return false;
        }
        if self.sure == 0 && !self.is_loss_next {
            self.draw_ahead();
        }
        if self.sure > 0 {
            self.sure -= 1;
            return false;
        }
        std::mem::take(&mut self.is_loss_next)
    }

    fn draw_ahead(&mut self) {
        while self.sure < AHEAD {
            self.is_loss_next = self.stream.chance(self.probability);
            if self.is_loss_next {
                return;
            }
            self.sure += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A draw for each packet in turn, with or without a look at what is sure.
    #[test]
    fn the_draws_are_those_of_one_packet_after_another() {
        for probability in [0.001, 0.02, 0.5, 1.0] {
            let (mut losses, mut draws) = (Independent::new(probability, Stream::named(3, "test")), Stream::named(3, "test"));
            let mut passed_unseen = 0;
            for packet in 0..100_000 {
                if packet % 3 == 0 && losses.sure() > 0 {
                    losses.pass(1);
                    passed_unseen += 1;
                    assert!(!draws.chance(probability), "packet {packet} at {probability}");
                } else {
                    assert_eq!(losses.strikes(), draws.chance(probability), "packet {packet} at {probability}");
                }
            }
            assert!(passed_unseen > 10_000 || probability > 0.4);
        }
    }

    #[test]
    fn without_a_probability_all_packets_pass() {
        let mut losses = Independent::new(0.0, Stream::named(3, "test"));
        assert!((0..1000).all(|_| !losses.strikes()) && losses.sure() == usize::MAX);
    }
}
