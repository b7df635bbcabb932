//! Illinois' epoch at a buffer of one bandwidth-delay product.

use crate::*;

const RTT_S: f64 = 0.1;

/// With alpha = k1/(k2 + d), d_m = T, d1 = T/100: k1 = 0.30619 T and k2 = 0.02062 T. Filling B packets of queue takes the sum of
/// (T + d)/alpha over them, B T (k2' + (1 + k2')/2 + 1/3)/k1' = 2.8228 B T, after a halving that just empties the queue: 23.5 s
/// at 10 Mbit/s, and in proportion. Two packets, at the peak and in the halving's rounding, are worth 2 T/0.3 each where growth is slowest;
/// the integers take alpha down by 1 % (0.297) and by up to 1/128 more: 2 % on the time's mean.
#[test]
fn the_buffer_fills_in_the_papers_time() {
    for (mbit_s, buffer) in [(10, 83), (20, 167), (50, 417)] {
        let spec = spec(mbit_s, buffer, 24 * mbit_s, vec![flow("illinois", 100)]);
        let records = run(&spec);
        assert_no_timeouts(&records);
        let episodes = back_offs(&spec, &records, 0);
        assert!(episodes.len() > 5, "{} episodes", episodes.len());
        let expected_s = 2.8228 * buffer as f64 * RTT_S;
        let tolerance = 0.02 + 2.0 * 2.0 * RTT_S / 0.3 / expected_s;
        for pair in episodes.windows(2) {
            assert_near(pair[1].at_s - pair[0].at_s, expected_s, tolerance, "epoch");
        }
        for episode in &episodes {
            // The delay is the largest: half, of 1/64 in whole numbers.
            assert_eq!(episode.ssthresh, (episode.cwnd / 2.0).ceil());
        }
    }
}
