//! What a client's application has still to write, on each of the streams that share its connection.

use crate::ends::Supply;

/// What is left of each stream, in equal shares; whose turn it is to write.
#[derive(Clone, Debug)]
pub struct Shares {
    /// Bytes left; `u64::MAX` for no end.
    left: Vec<u64>,
    /// Whether the stream's end is still to be written behind them.
    ends: Vec<bool>,
    turn: usize,
}

impl Shares {
    /// Of so many streams, with nothing to write yet.
    pub fn of(streams: u32) -> Shares {
        let count = streams.max(1) as usize;
        Shares { left: vec![0; count], ends: vec![false; count], turn: 0 }
    }

    /// How many streams there are.
    pub fn streams(&self) -> usize {
        self.left.len()
    }

    /// The application has more to write, or stops: each stream gets an equal share, the first ones a byte more where that leaves a rest.
    pub fn supply(&mut self, supply: Supply) {
        match supply {
            Supply::Endless => self.left.fill(u64::MAX),
            Supply::Bytes(bytes) => self.add(bytes),
            Supply::Last(bytes) => {
                self.add(bytes);
                self.ends.fill(true);
            }
            Supply::Pause => self.left.fill(0),
            Supply::Stop => {
                self.left.fill(0);
                self.ends.fill(false);
            }
        }
    }

    fn add(&mut self, bytes: u64) {
        let count = self.left.len() as u64;
        for (number, left) in (0..).zip(&mut self.left) {
            *left = left.saturating_add(bytes / count + u64::from(number < bytes % count));
        }
    }

    /// The stream that writes next, in turns.
    pub fn turn(&mut self) -> usize {
        let number = self.turn;
        self.turn = (number + 1) % self.left.len();
        number
    }

    /// Bytes that a stream has still to write.
    pub fn left(&self, number: usize) -> u64 {
        self.left[number]
    }

    /// A stream's end is to be written behind what it has left.
    pub fn ends(&self, number: usize) -> bool {
        self.ends[number]
    }

    /// A stream has anything to write, its end included.
    pub fn wants(&self, number: usize) -> bool {
        self.left[number] > 0 || self.ends[number]
    }

    /// The stack has taken so many bytes of a stream.
    pub fn took(&mut self, number: usize, bytes: u64) {
        if self.left[number] < u64::MAX {
            self.left[number] -= bytes;
        }
    }

    /// The stack has taken a stream's end.
    pub fn ended(&mut self, number: usize) {
        self.ends[number] = false;
    }
}

#[cfg(test)]
mod tests {
    use super::{Shares, Supply};

    #[test]
    fn bytes_are_shared_equally_and_all_of_them_are() {
        let mut shares = Shares::of(3);
        shares.supply(Supply::Bytes(10));
        assert_eq!([0, 1, 2].map(|number| shares.left(number)), [4, 3, 3]);
        assert!(!shares.ends(0));
        shares.took(0, 4);
        shares.supply(Supply::Last(2));
        assert_eq!([0, 1, 2].map(|number| shares.left(number)), [1, 4, 3]);
        assert!([0, 1, 2].iter().all(|&number| shares.ends(number)));
        assert_eq!([shares.turn(), shares.turn(), shares.turn(), shares.turn()], [0, 1, 2, 0]);
    }

    #[test]
    fn a_stream_without_bytes_still_ends_and_one_without_end_never_runs_out() {
        let mut shares = Shares::of(2);
        shares.supply(Supply::Last(1));
        assert!(shares.wants(1) && shares.left(1) == 0);
        shares.ended(1);
        assert!(!shares.wants(1));
        let mut shares = Shares::of(1);
        shares.supply(Supply::Endless);
        shares.took(0, 1 << 40);
        assert!(shares.wants(0));
        shares.supply(Supply::Stop);
        assert!(!shares.wants(0));
    }
}
