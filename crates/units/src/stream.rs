//! Named random streams: each component draws from a stream of its own, so that a new component shifts no other.

use std::fmt::{self, Display, Write};

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A reproducible stream of random numbers, derived from the run's seed and the component's name.
#[derive(Clone, Debug)]
pub struct Stream(Pcg64Mcg);

impl Stream {
    /// The stream of the component `name` (for example `link0/loss`) in a run with this seed. No string is made of the name's parts.
    pub fn named(seed: u64, name: impl Display) -> Stream {
        let mut mixed = Mixed(seed ^ 0x9e37_79b9_7f4a_7c15);
        write!(mixed, "{name}").expect("mixing never fails");
        let Mixed(state) = mixed;
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&mix(state).to_le_bytes());
        bytes[8..].copy_from_slice(&mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15)).to_le_bytes());
        Stream(Pcg64Mcg::from_seed(bytes))
    }

    /// A uniform draw from the integers `0..=max`, by widening multiplication (bias below 2^-32 for spans under 4 s).
    #[inline]
    pub fn up_to(&mut self, max: u64) -> u64 {
        match max.checked_add(1) {
            Some(span) => self.below(span),
            None => self.0.next_u64(),
        }
    }

    /// The same from the integers below `span`, which is not zero.
    #[inline]
    pub fn below(&mut self, span: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(span)) >> 64) as u64
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A uniform draw from `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// What the bytes of a name make of a seed.
struct Mixed(u64);

impl Write for Mixed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = text.bytes().fold(self.0, |state, byte| mix(state ^ u64::from(byte)));
        Ok(())
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_different_names_or_seeds_differ() {
        let draw = |seed, name| Stream::named(seed, name).up_to(u64::MAX);
        assert_eq!(draw(1, "link0/loss"), draw(1, "link0/loss"));
        assert_ne!(draw(1, "link0/loss"), draw(2, "link0/loss"));
        assert_ne!(draw(1, "link0/loss"), draw(1, "link1/loss"));
    }

    #[test]
    fn draws_cover_the_whole_range_evenly() {
        let mut stream = Stream::named(7, "test");
        let mut counts = [0u32; 5];
        for _ in 0..50_000 {
            counts[stream.up_to(4) as usize] += 1;
        }
        // Binomial(50000, 1/5): mean 10000, standard deviation 89; five of them are a one-in-a-million bound.
        assert!(counts.iter().all(|&n| n.abs_diff(10_000) < 450), "{counts:?}");
    }
}
