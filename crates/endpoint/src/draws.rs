//! Randomness for stacks that ask the system for it: of each thread its own, from the seed of the endpoint that was opened first on it.
//!
//! A run that has stacks has a thread of its own, so that what a library keeps per thread begins anew with each run.

use std::cell::Cell;

thread_local! {
    static STATE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// An endpoint with this seed is opened on this thread.
pub fn begin(seed: u64) {
    STATE.with(|state| state.set(state.get().or(Some(seed))));
}

/// Fills `bytes` as the system's source of randomness would (SplitMix64, Steele et al. 2014).
pub fn fill(bytes: &mut [u8]) {
    STATE.with(|state| {
        let mut word = state.get().unwrap_or(0);
        for chunk in bytes.chunks_mut(8) {
            word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = word;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            chunk.copy_from_slice(&mixed.to_le_bytes()[..chunk.len()]);
        }
        state.set(Some(word));
    });
}

#[cfg(test)]
mod tests {
    /// The first two words of SplitMix64 from 1234567, as its authors' program prints them.
    #[test]
    fn a_thread_draws_from_its_first_seed() {
        let drawn = std::thread::spawn(|| {
            super::begin(1_234_567);
            super::begin(5);
            let mut bytes = [0; 16];
            super::fill(&mut bytes);
            bytes
        });
        let bytes = drawn.join().expect("a thread");
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        assert_eq!((word(0), word(8)), (6_457_827_717_110_365_317, 3_203_168_211_198_807_973));
    }
}
