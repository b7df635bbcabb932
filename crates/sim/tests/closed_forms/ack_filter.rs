//! A reverse link too slow for all ACKs, with and without a filter before it.

use super::*;
use sim::{DisciplineChoice, LinkSpec};

/// 10 Mbit/s, 40 ms, and 60 packets in flight at most, of which the path alone holds 33.3. The reverse link carries 100 ACKs per second,
/// a quarter of those that the full link would cause at one per two segments, and its queue holds all there can be.
fn asymmetric(discipline: Option<&str>) -> Records {
    let flows = vec![FlowSpec { window_packets: Some(60), ..flow("reno", 40) }];
    let spec = spec(10, 100, 30, flows);
    let discipline = discipline.map(|name| DisciplineChoice { name: name.into(), parameters: Default::default() });
    let queue = QueueSpec { unit: QueueUnit::Packets, limit: 1000 };
    let reverse = LinkSpec { rate_bps: 100 * 52 * 8, queue, discipline, ..spec.forward.clone() };
    run(&Spec { reverse: Some(reverse), ..spec })
}

/// Nothing is lost, so every ACK waits its turn, and each of 100 a second releases the two segments that it acknowledges.
#[test]
fn without_a_filter_the_forward_rate_is_two_segments_per_ack() {
    let records = asymmetric(None);
    assert_no_timeouts(&records);
    let row = &records.flows[0];
    let per_second = (row.at_end.delivered - row.at_window.delivered) as f64 / 20.0;
    // One ACK more or less in 20 s.
    assert_near(per_second, 200.0, 0.0011, "segments per second");
    assert_eq!(records.links[1].totals.dropped, 0);
}

/// An ACK waits for the one in service at most, 10 ms, and takes as long itself: with 60 packets in flight the link has work for 72 ms,
/// more than the 60 ms that a round then takes. Every ACK tells of the 8.33 segments that the link has carried since the one before.
#[test]
fn with_a_filter_the_same_acks_keep_the_link_full() {
    let records = asymmetric(Some("ack-filter"));
    assert_no_timeouts(&records);
    assert_near(records.links[0].utilisation(), 1.0, 1e-9, "utilisation");
    let (link, row) = (&records.links[1].totals, &records.flows[0]);
    let acks = link.window_delivered_bytes as f64 / 52.0;
    assert_near((row.at_end.delivered - row.at_window.delivered) as f64 / acks, 10e6 / 12_000.0 / 100.0, 0.01, "segments per ACK");
    assert!(link.window_max_packets <= 2, "{} ACKs at once", link.window_max_packets);
}

/// With data before it all the time an ACK would be replaced for ever, did the one that replaces it go to the end of the line.
#[test]
fn acks_behind_reverse_data_still_leave() {
    let queue = QueueSpec { unit: QueueUnit::Packets, limit: 50 };
    let reverse = FlowSpec { direction: Direction::Reverse, ..flow("reno", 40) };
    let spec = spec(10, 100, 30, vec![flow("reno", 40), reverse]);
    let discipline = Some(DisciplineChoice { name: "ack-filter".into(), parameters: Default::default() });
    let link = LinkSpec { rate_bps: 1_000_000, queue, discipline, ..spec.forward.clone() };
    let records = run(&Spec { reverse: Some(link), ..spec });
    assert!(records.links[1].utilisation() > 0.99, "reverse data keeps its link busy");
    // An ACK that moves up from where its forerunner stood waits for at most the whole queue, 50 packets of 12 ms.
    let rtt_s = records.flows[0].mean_rtt_s();
    assert!(rtt_s < 0.04 + 50.0 * 0.012 + 100.0 * 0.0012, "{rtt_s} s");
}
