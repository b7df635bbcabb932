//! Compound TCP at a buffer deeper than gamma.

use crate::*;

/// Rounds between back-offs at 20 Mbit/s, 60 ms, a pipe and a buffer of 100 packets each, seconds.
fn epochs(algorithm: &str) -> (Vec<f64>, Records) {
    let mut spec = spec(20, 100, 360, vec![flow(algorithm, 60)]);
    spec.sample_ns = 10 * MS;
    let records = run(&spec);
    assert_no_timeouts(&records);
    let episodes = back_offs(&spec, &records, 0);
    for episode in &episodes {
        assert_eq!(episode.ssthresh.floor(), (episode.cwnd / 2.0).floor());
    }
    (episodes.windows(2).map(|pair| pair[1].at_s - pair[0].at_s).collect(), records)
}

/// Leith et al. 2008, IV.B: with more than gamma queued the delay window is given back before the loss, and an epoch lasts
/// as long as Reno's: the loss window's 100 rounds. Until that window itself queues gamma = 30, the delay window keeps the queue
/// longer by up to 30 packets, 18 ms: at most 30 rounds, so 0.3 s on average and 0.54 s at most, of 9 s. Bursts move a peak by up to
/// 3 packets, 3 % of the rounds.
#[test]
fn an_epoch_lasts_as_long_as_reno_s() {
    let mean = |epochs: &[f64]| epochs.iter().sum::<f64>() / epochs.len() as f64;
    let ((compound, records), (reno, _)) = (epochs("ctcp"), epochs("reno"));
    assert!(compound.len() > 15, "{} epochs", compound.len());
    let ratio = mean(&compound) / mean(&reno);
    assert!((0.97..=1.09).contains(&ratio), "epochs of {} s instead of {} s", mean(&compound), mean(&reno));
    // The delay window was there, and gone whenever more than the 30 of gamma and a round's growth were queued.
    let samples = records.flow_samples.columns();
    let (_, dwnd) = samples.variables.iter().find(|(name, _)| *name == "dwnd_packets").expect("a variable");
    assert!(dwnd.iter().copied().fold(0.0, f64::max) > 10.0);
    for (cwnd, dwnd) in samples.cwnd.iter().zip(dwnd).filter(|(&cwnd, _)| cwnd > 145.0) {
        assert_eq!(*dwnd, 0.0, "with a window of {cwnd}");
    }
}
