//! Data both ways: the ACKs of one flow queue behind the data of the other and come out compressed (Zhang/Shenker/Clark,
//! SIGCOMM 1991), so that both directions stand idle at once.

use crate::*;

/// 20 Mbit/s and 60 ms: a pipe of 100 packets, and what a packet and an ACK of 52 bytes take.
const PIPE: f64 = 100.0;
const PACKET_S: f64 = 0.6e-3;
const ACK_S: f64 = PACKET_S * 52.0 / 1500.0;

/// One flow each way. Both start together: the two directions are in phase.
fn two_way(queue: u64, forward: FlowSpec) -> [f64; 2] {
    // One ACK per segment, and all of one size. SACK blocks make larger ones of a repair's, behind which the train parts for good: with a
    // queue of 100 into 4 segments and 121 of 125, which stand idle at other times (0.768 in place of 0.716).
    let alike = [("ack_every", 1.into()), ("ack_compression", false.into()), ("sack", false.into())];
    let transport = alike.map(|(option, value): (&str, serde_json::Value)| (option.to_owned(), value)).into();
    let forward = FlowSpec { transport, ..forward };
    let backward = FlowSpec { direction: Direction::Reverse, ..forward.clone() };
    let mut spec = spec(20, queue, 240, vec![forward, backward]);
    spec.reverse = Some(spec.forward.clone());
    let records = run(&spec);
    [0, 1].map(|link| records.links[link].utilisation())
}

/// Windows of W each way, s and a the times of a packet and an ACK, T the base RTT. Both windows reach their links together and
/// keep them busy for W s. An ACK gets to the link that it shares T/2 after its packet left the other one, and waits there behind
/// all of the data; the train of waiting ACKs leaves at the end. Its first releases a segment that reaches the link T/2 later,
/// and the others a burst behind it: a cycle of W s + a + T/2, in which W (s + a) are transmitted. For W < T/2s no ACK waits, and the
/// cycle is T + s + a. One way, W = T/s fills the link; two ways 2/3 of it. Nothing is left out but the one or two packets
/// that are not whole in the measurement, 1e-4 of it.
#[test]
fn two_windows_in_phase_leave_half_a_round_trip_idle() {
    for window in [20.0, 60.0, 100.0, 150.0, 250.0] {
        let flow = FlowSpec { window_packets: Some(window as u64), ..flow("reno", 60) };
        let cycle = (window * PACKET_S + ACK_S + 0.5 * PIPE * PACKET_S).max((PIPE + 1.0) * PACKET_S + ACK_S);
        for utilisation in two_way(2000, flow) {
            assert_near(utilisation, window * (PACKET_S + ACK_S) / cycle, 1e-3, &format!("utilisation with windows of {window}"));
        }
    }
}

/// Reno in phase: a queue of B packets overflows when the burst of W - T/2s segments does, at W = B + T/2s and not at B + T/s; over
/// the saw's rounds, 3/4 of that on average, W (s + a) are transmitted in W s + T/2. With a queue of one pipe this is 0.716, where
/// one flow alone fills the link. The peak is known to 3 segments of 100 and more, as one way: 0.4 x 3 % at most. Recovery takes
/// one or two round trips of 50 and more at the lower end, where an eighth less is used: 0.5 %. Together 2 %.
#[test]
fn two_renos_in_phase_lose_what_their_bursts_overflow() {
    for queue in [50.0, 100.0, 200.0] {
        let window = 0.75 * (queue + 0.5 * PIPE);
        let expected = window * (PACKET_S + ACK_S) / (window * PACKET_S + 0.5 * PIPE * PACKET_S);
        for utilisation in two_way(queue as u64, flow("reno", 60)) {
            assert_near(utilisation, expected, 0.02, &format!("utilisation with a queue of {queue}"));
        }
    }
}
