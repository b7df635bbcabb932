//! FAST without pacing, with burst control, paced: a shallow queue holds its alpha only if it does not come in bursts.

use crate::*;

/// The 2007 benchmark reports throughput lost below 8 % of a bandwidth-delay product without pacing. 250 Mbit/s, 42 ms, a queue of 70 packets
/// (8 %), alpha 40: the equilibrium is 40 queued and the link full. In the doublings before it a burst of a stretch ACK's window is more than the
/// queue's 30 free places; the losses halve the window again and again, to three quarters of the link as any halving flow. The receiver is of
/// that time: no ACK but the usual for every second segment, none compressed (with today's it is nine tenths).
#[test]
fn a_queue_of_eight_percent_is_enough_for_short_bursts() {
    let utilisation = |pacing: f64| {
        let parameters = [("alpha".to_owned(), 40.0), ("pacing".to_owned(), pacing)].into();
        let transport = ["opening_acks", "ack_compression"].map(|name| (name.to_owned(), false.into())).into();
        let flow = FlowSpec { variant: Some("fixed-alpha".into()), parameters, transport, ..flow("fast", 42) };
        let records = run(&spec(250, 70, 60, vec![flow]));
        (records.links[0].utilisation(), records.links[0].mean_queue_packets())
    };
    assert!(utilisation(0.0).0 < 0.8, "unpaced: {}", utilisation(0.0).0);
    for pacing in [1.0, 3.0] {
        let (used, queued) = utilisation(pacing);
        assert!(used > 0.999, "bursts of {pacing}: {used}");
        assert_near(queued, 40.0, 0.03, "alpha queued");
    }
}
