//! Every n-th packet: the loss that response functions are derived for (Mathis et al., CCR 27(3), 1997: one packet in 1/p).

/// A count down to the next loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periodic {
    /// Packets from one loss to the next.
    pub every: u64,
    /// Packets up to the next loss, that one included.
    left: u64,
}

impl Periodic {
    /// Loses packet number `first`, counted from 1, and then every `every`-th.
    pub fn new(every: u64, first: u64) -> Periodic {
        Periodic { every, left: first }
    }

    pub(super) fn strikes(&mut self) -> bool {
        self.left -= 1;
        let is_lost = self.left == 0;
        if is_lost {
            self.left = self.every;
        }
        is_lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_every_nth_after_it_are_lost() {
        let mut periodic = Periodic::new(10, 3);
        let lost: Vec<u64> = (1..=40).filter(|_| periodic.strikes()).collect();
        assert_eq!(lost, [3, 13, 23, 33]);
    }
}
