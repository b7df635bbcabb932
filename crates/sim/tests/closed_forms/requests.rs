//! A client asks, a server answers, by hand: 100 Mbit/s, 40 ms. A segment of 1500 bytes takes 120 us.

use sim::{ExchangeRow, Law, RequestsSpec};

use super::*;

const RTT: u64 = 40 * MS;
const SEGMENT: u64 = 120_000;
const MSS: u64 = 1448;
/// The ACK of the first request leaves before its response: 52 bytes.
const HEARD: u64 = 4_160;

fn fixed(mean: u64) -> Law {
    Law::Fixed { mean: mean as f64 }
}

/// So many requests of 400 bytes for so many segments each, with so many nanoseconds of thought.
fn client(count: u64, segments: u64, think: u64) -> FlowSpec {
    let requests = RequestsSpec { count: Some(count), sizes: fixed(400), responses: fixed(segments * MSS), think: fixed(think) };
    FlowSpec { requests: Some(Box::new(requests)), ..flow("reno", 40) }
}

fn alone(flow: FlowSpec) -> Spec {
    dumbbell(100, 1000, 20, vec![flow])
}

fn exchanges(spec: &Spec) -> Vec<ExchangeRow> {
    run(spec).exchanges.expect("a client")
}

/// The same with a reverse link, 400 + 52 bytes of which take so many nanoseconds.
fn with_reverse(spec: Spec, rate_bps: u64) -> Spec {
    Spec { reverse: Some(LinkSpec { rate_bps, ..spec.forward.clone() }), ..spec }
}

/// Losses of the flow's packets on the reverse link, counted from 1.
fn lose_in_reverse(spec: Spec, packets: &[u64]) -> Spec {
    let mut spec = with_reverse(spec, 1_000_000_000);
    let model = LossModelSpec::Scripted { flow: Some(0), packets: packets.to_vec() };
    spec.reverse.iter_mut().for_each(|link| link.losses = vec![LossSpec { among: AmongSpec::All, model: model.clone() }]);
    spec
}

/// Half a round trip for the request, half for the response, and its segments one behind the other, behind the ACK of the request.
#[test]
fn one_exchange_takes_a_round_trip_and_the_response() {
    for segments in [1, 4, 10] {
        let rows = exchanges(&alone(client(1, segments, 1)));
        let row = ExchangeRow {
            flow: 0,
            start_ns: 0,
            request_bytes: 400,
            bytes: segments * MSS,
            completion_ns: RTT + HEARD + segments * SEGMENT,
            repeats: 0,
        };
        assert_eq!(rows, [row]);
    }
}

/// Where there is a reverse link of 1 Mbit/s a request of 400 bytes has 452, and takes 3.616 ms; one of 3000 has 3000 + 3 x 52.
#[test]
fn a_request_takes_the_reverse_link() {
    let mut spec = with_reverse(alone(client(1, 1, 1)), 1_000_000);
    assert_eq!(exchanges(&spec)[0].completion_ns, RTT + HEARD + SEGMENT + 452 * 8_000);
    spec.flows[0].requests.as_mut().expect("a client").sizes = fixed(3000);
    assert_eq!(exchanges(&spec)[0].completion_ns, RTT + HEARD + SEGMENT + 3156 * 8_000);
}

/// Slow start from ten: 10, 20 and 10 of 40, a round trip each behind the request's half.
#[test]
fn forty_segments_take_three_round_trips() {
    assert_eq!(exchanges(&alone(client(1, 40, 1)))[0].completion_ns, 3 * RTT + HEARD + 2 * SEGMENT + 10 * SEGMENT);
}

/// The next request leaves when the response is there and the thought is over. Within the timeout nothing happens to the window: the second
/// response is as large as the window that the first one left, 20, and leaves at once; three timeouts of 240 ms halve it to ten (RFC 2861).
#[test]
fn a_thought_beyond_the_timeout_halves_the_window() {
    let second = |think, restart: &str| {
        let mut flow = client(2, 20, think);
        flow.transport.insert("idle_restart".to_owned(), restart.into());
        let rows = exchanges(&alone(flow));
        assert_eq!(rows[1].start_ns, rows[0].completion_ns + think);
        rows[1].completion_ns
    };
    let (whole, halved) = (RTT + 20 * SEGMENT, 2 * RTT + 11 * SEGMENT);
    assert_eq!(exchanges(&alone(client(2, 20, MS)))[0].completion_ns, 2 * RTT + HEARD + 11 * SEGMENT);
    assert_eq!([second(100 * MS, "linux"), second(800 * MS, "linux"), second(800 * MS, "none")], [whole, halved, whole]);
}

/// A lone request that is lost is probed after the timeout, 240 ms, which here comes before two round trips and 200 ms. Another 240 ms later
/// it leaves once more, then after 480 ms.
#[test]
fn a_lost_request_leaves_again() {
    let took = |lost: &[u64]| {
        let row = exchanges(&lose_in_reverse(alone(client(1, 1, 1)), lost)).remove(0);
        (row.completion_ns - 3_616, row.repeats)
    };
    let whole = RTT + HEARD + SEGMENT;
    assert_eq!(took(&[1000]), (whole, 0));
    // A handshake of 40 ms: timeout 3 x 40 = 120 ms, and at least 40 + 200.
    assert_eq!(took(&[1]), (whole + 240 * MS, 1));
    assert_eq!(took(&[1, 2]), (whole + 480 * MS, 2));
    assert_eq!(took(&[1, 2, 3]), (whole + 960 * MS, 3));
}

/// Ten packets reach the server within 120 us but the second: of the ACKs of the others the first has 52 bytes and the next 64, with one SACK
/// block. At 1 Mbit/s they take 416 and 512 us each; the third with a block says that the second packet is lost (RFC 8985 6.2), which leaves
/// again. Its ACK of 52 bytes and the response of 1500 follow.
#[test]
fn acks_of_requests_with_sack_blocks_take_the_time_of_their_bytes() {
    let took = |lost: &[u64]| {
        let mut spec = lose_in_reverse(alone(client(1, 1, 1)), lost);
        spec.forward.rate_bps = 1_000_000;
        spec.flows[0].requests.as_mut().expect("a client").sizes = fixed(10 * MSS);
        let row = exchanges(&spec).remove(0);
        (row.completion_ns, row.repeats)
    };
    let (plain, with_block, segment, up) = (416_000, 512_000, 12_000_000, 12_000);
    let others = 9 * plain;
    assert_eq!(took(&[1000]), (RTT + 10 * up - 9 * up + others + plain + segment, 0));
    assert_eq!(took(&[2]), (2 * RTT + up + plain + 3 * with_block + up + plain + segment, 1));
}

/// The server opens: its SYN, the SYN-ACK, and with its ACK, one and a half round trips after the start, the first request leaves.
#[test]
fn the_first_request_follows_the_handshake() {
    let row = exchanges(&alone(FlowSpec { handshake: true, ..client(1, 1, 1) })).remove(0);
    assert_eq!((row.start_ns, row.completion_ns), (3 * RTT / 2 + 4_800 + 4_160, RTT + HEARD + SEGMENT));
}

/// The ACK of the handshake is lost, and the server has nothing to say: the SYN-ACK leaves again 1 s after the SYN came, and is answered again
/// (packets of the flow: SYN, ACK, ACK).
#[test]
fn a_lost_ack_of_the_handshake_costs_the_timer_of_the_syn_ack() {
    let mut spec = alone(FlowSpec { handshake: true, ..client(1, 1, 1) });
    let model = LossModelSpec::Scripted { flow: Some(0), packets: vec![2] };
    spec.forward.losses = vec![LossSpec { among: AmongSpec::All, model }];
    let row = exchanges(&spec).remove(0);
    assert_eq!((row.start_ns, row.completion_ns), (SECOND + 3 * RTT / 2 + 4_800 + 4_160, RTT + HEARD + SEGMENT));
}

/// With a count the flow is complete when the last response is acknowledged: the ACK is that of a lone segment, at once for it is the first.
#[test]
fn a_flow_is_complete_with_its_last_response() {
    let records = run(&alone(client(3, 1, 1000)));
    let flow = &records.flows[0];
    assert_eq!(flow.at_end.delivered, 3);
    let last = records.exchanges.expect("a client")[2];
    assert_eq!((flow.completed_s * 1e9).round() as u64, last.start_ns + last.completion_ns + RTT / 2);
}

/// What is not complete at the end, or when the application stops, has no time; nothing begins after it.
#[test]
fn an_exchange_that_does_not_end_has_no_time() {
    let rows = exchanges(&alone(FlowSpec { stop_ns: Some(50 * MS), ..client(100, 1, 1) }));
    assert_eq!(rows.iter().map(|row| row.completion_ns < u64::MAX).collect::<Vec<_>>(), [true, false]);
    let mut spec = alone(client(100, 1, 1));
    spec.duration_ns = 100 * MS;
    let rows = exchanges(&spec);
    assert_eq!(rows.iter().map(|row| row.completion_ns < u64::MAX).collect::<Vec<_>>(), [true, true, false]);
}

/// In a closed loop a client with an exponential thought of mean 100 ms and exchanges of 40.12 ms begins 1 / 140.12 ms of them; over 2000 s
/// the standard error of the count is below 100 / (140.12 x sqrt(14000)), 0.6 %.
#[test]
fn requests_come_as_fast_as_thoughts_and_responses_let_them() {
    let mut flow = client(1, 1, 1);
    let requests = flow.requests.as_mut().expect("a client");
    (requests.count, requests.think) = (None, Law::Exponential { mean: 1e8 });
    let spec = Spec { duration_ns: 2000 * SECOND, ..alone(flow) };
    let count = exchanges(&spec).len() as f64;
    assert_near(count, 2000.0 / 0.140_12, 0.02, "exchanges");
}
