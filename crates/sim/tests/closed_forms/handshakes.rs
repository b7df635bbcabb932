//! Connections that begin with a handshake and end with a FIN, by hand: 100 Mbit/s, 40 ms. A SYN of 60 bytes takes 4.8 us, the handshake's
//! ACK of 52 bytes 4.16 us, a segment 120 us.

use super::*;

const RTT: u64 = 40 * MS;
const SYN: u64 = 4_800;
const ACK: u64 = 4_160;
const SEGMENT: u64 = 120_000;

/// A transfer of so many segments.
fn transfer(segments: u64) -> FlowSpec {
    FlowSpec { bytes: Some(segments * 1448), handshake: true, ..flow("reno", 40) }
}

fn alone(flow: FlowSpec) -> Spec {
    dumbbell(100, 1000, 20, vec![flow])
}

/// When flow 0 has everything acknowledged, nanoseconds.
fn completion(spec: &Spec) -> u64 {
    (run(spec).flows[0].completed_s * 1e9).round() as u64
}

/// The same with these of the flow's packets lost, counted from 1: the SYN is the first.
fn with_losses(mut spec: Spec, packets: &[u64]) -> Spec {
    let model = LossModelSpec::Scripted { flow: Some(0), packets: packets.to_vec() };
    spec.forward.losses = vec![LossSpec { among: AmongSpec::All, model }];
    spec
}

/// One round trip of handshake, one of data: the ACK and the ten segments follow one another at once.
#[test]
fn a_transfer_within_the_first_window_takes_two_round_trips() {
    for segments in [1, 10] {
        assert_eq!(completion(&alone(transfer(segments))), 2 * RTT + SYN + ACK + segments * SEGMENT, "{segments} segments");
    }
}

/// Slow start from ten: 10, 20 and the last 10 of 40. The first ACK of a round begins the next, which keeps the link busy.
#[test]
fn forty_segments_take_four_round_trips() {
    assert_eq!(completion(&alone(transfer(40))), 4 * RTT + SYN + ACK + 2 * SEGMENT + 10 * SEGMENT);
}

/// Where the ACKs cross a link of 1 Mbit/s a SYN-ACK of 60 bytes takes 480 us, an ACK of 52 bytes 416 us.
#[test]
fn a_syn_ack_has_sixty_bytes() {
    let mut spec = alone(transfer(1));
    spec.reverse = Some(LinkSpec { rate_bps: 1_000_000, ..spec.forward.clone() });
    assert_eq!(completion(&spec), 2 * RTT + SYN + 480_000 + ACK + SEGMENT + 416_000);
    let totals = run(&spec).links.iter().map(|link| link.totals.accepted).collect::<Vec<_>>();
    assert_eq!(totals, [3, 2], "SYN, ACK and data; SYN-ACK and ACK");
}

/// Packets of the handshake are none of the data's.
#[test]
fn a_handshake_is_no_data() {
    let row = run(&alone(transfer(10))).flows.remove(0);
    assert_eq!((row.at_end.sent, row.at_end.retransmitted, row.at_end.timeouts, row.at_end.delivered), (10, 0, 0, 10));
}

/// RFC 6298 2.1: a SYN is repeated after 1 s. One repetition leaves the window at ten.
#[test]
fn a_lost_syn_costs_one_second() {
    let spec = with_losses(alone(transfer(10)), &[1]);
    assert_eq!(completion(&spec), SECOND + 2 * RTT + SYN + ACK + 10 * SEGMENT);
    assert_eq!(run(&spec).flows[0].at_end.timeouts, 1);
}

/// A lost SYN-ACK is missed by the side that opened, which asks again.
#[test]
fn a_lost_syn_ack_costs_one_second() {
    let mut spec = alone(transfer(10));
    let model = LossModelSpec::Scripted { flow: Some(0), packets: vec![1] };
    let losses = vec![LossSpec { among: AmongSpec::Acks, model }];
    spec.reverse = Some(LinkSpec { rate_bps: 1_000_000_000, losses, ..spec.forward.clone() });
    let [syn_ack, ack] = [480, 416];
    assert_eq!(completion(&spec), SECOND + 2 * RTT + SYN + syn_ack + ACK + 10 * SEGMENT + ack);
}

/// Two seconds more for the second one, and the window begins with one segment (RFC 5681 3.1; Linux `tcp_init_transfer`): 1, 2 of 3.
#[test]
fn two_lost_syns_cost_three_seconds_and_the_initial_window() {
    let spec = with_losses(alone(transfer(3)), &[1, 2]);
    assert_eq!(completion(&spec), 3 * SECOND + 3 * RTT + SYN + ACK + 3 * SEGMENT);
    assert_eq!(run(&spec).flows[0].at_end.timeouts, 2);
}

/// RFC 6298 5.7: the SYN left twice, and without timestamps nobody knows which was answered. The one segment (packet 4, behind two SYNs and
/// an ACK) is lost, and no probe looks for it.
#[test]
fn after_an_untimed_handshake_the_timeout_is_three_seconds() {
    let mut flow = transfer(1);
    flow.transport = ["timestamps", "tlp"].map(|name| (name.to_owned(), false.into())).into();
    let spec = with_losses(alone(flow), &[1, 4]);
    assert_eq!(completion(&spec), SECOND + RTT + SYN + 3 * SECOND + SEGMENT + RTT);
}

/// The data behind it acknowledges the SYN-ACK too.
#[test]
fn a_lost_ack_of_the_handshake_costs_nothing() {
    let spec = with_losses(alone(transfer(10)), &[2]);
    assert_eq!(completion(&spec), 2 * RTT + SYN + 10 * SEGMENT);
}

/// After 127 s nobody asks any more.
#[test]
fn a_link_that_is_down_is_given_up() {
    let mut spec = with_losses(alone(transfer(1)), &[1, 2, 3, 4, 5, 6, 7]);
    spec.duration_ns = 400 * SECOND;
    let records = run(&spec);
    assert_eq!((records.links[0].totals.lost, records.links[0].totals.accepted), (7, 0));
    assert!(records.flows[0].completed_s.is_nan());
}

/// Without quick ACKs a lone segment's ACK waits 40 ms, unless it carries the FIN: the last of three does.
#[test]
fn a_fin_is_acknowledged_at_once() {
    let mut spec = alone(transfer(3));
    let options = [("quickack", 0.into()), ("opening_acks", false.into())];
    spec.flows[0].transport = options.map(|(name, value): (&str, serde_json::Value)| (name.to_owned(), value)).into();
    assert_eq!(completion(&spec), 2 * RTT + SYN + ACK + 3 * SEGMENT);
    spec.flows[0].handshake = false;
    assert_eq!(completion(&spec), RTT + 3 * SEGMENT + 40 * MS);
}

/// 10 Mbit/s and 20 ms: a window of 267 packets of 1.2 ms fills 320 ms, 300 of them in the queue. Who takes the base RTT for granted waits 220 ms
/// and sends again; who measured it in the handshake does not.
#[test]
fn who_joins_a_long_queue_after_a_handshake_does_not_time_out() {
    let joins = |handshake| {
        let first = FlowSpec { window_packets: Some(267), ..flow("reno", 20) };
        let second = FlowSpec { bytes: Some(10 * 1448), start_ns: 5 * SECOND, handshake, ..flow("reno", 20) };
        run(&dumbbell(10, 1000, 10, vec![first, second])).flows.remove(1)
    };
    let (opened, established) = (joins(true), joins(false));
    assert_eq!((opened.at_end.timeouts, opened.at_end.retransmitted), (0, 0));
    assert!(established.at_end.timeouts + established.at_end.retransmitted > 0, "{established:?}");
    // Twice the queue, and ten packets.
    assert_near(opened.completed_s - 5.0, 0.652, 0.01, "completion");
}
