//! The integer cube root of Linux's CUBIC: a seed from a table, then one Newton-Raphson step; within 0.2 %.
//!
//! CUBIC's K inherits the root's error, which moves whole windows by a segment, so the seeds are part of the law on Linux 6.1.

/// Seeds: roughly 64 cbrt(i) - 10 for the leading six bits `i`.
const SEEDS: [u8; 64] = [
    0, 54, 54, 54, 118, 118, 118, 118, 123, 129, 134, 138, 143, 147, 151, 156, 157, 161, 164, 168, 170, 173, 176, 179, 181, 185, 187, 190,
    192, 194, 197, 199, 200, 202, 204, 206, 209, 211, 213, 215, 217, 219, 221, 222, 224, 225, 227, 229, 231, 232, 234, 236, 237, 239, 240,
    242, 244, 245, 246, 248, 250, 251, 252, 254,
];

/// The approximate cube root of `a`.
pub(crate) fn cube_root(a: u64) -> u32 {
    let bits = 64 - a.leading_zeros();
    if bits < 7 {
        return (u32::from(SEEDS[a as usize]) + 35) >> 6;
    }
    // A third of the bit length, rounded so that six leading bits remain.
    let third = ((bits * 84) >> 8) - 1;
    let leading = (a >> (third * 3)) as usize;
    let seed = ((u32::from(SEEDS[leading]) + 10) << third) >> 6;
    // x' = (2x + a/x^2)/3, with x(x-1) for x^2 and 341/1024 for a third.
    let step = 2 * u64::from(seed) + a / (u64::from(seed) * u64::from(seed - 1));
    ((step * 341) >> 10) as u32
}

#[cfg(test)]
mod tests {
    use super::cube_root;

    /// K in 1/1024 s as recorded from Linux 6.1 for differences of 1 ... 30000 segments.
    #[test]
    fn k_of_the_recorded_differences() {
        let recorded = [
            (1, 1388),
            (3, 2003),
            (10, 2991),
            (30, 4316),
            (100, 6451),
            (300, 9294),
            (1000, 13897),
            (3000, 20033),
            (10_000, 29930),
            (30_000, 43169),
        ];
        for (difference, k) in recorded {
            assert_eq!(cube_root(2_681_735_677 * difference), k, "difference {difference}");
        }
    }

    #[test]
    fn small_arguments_round_to_the_nearest_root() {
        assert_eq!([0, 1, 8, 27, 63].map(cube_root), [0, 1, 2, 3, 4]);
    }
}
