//! Connections as a whole: how they begin, what they carry, how they end, one after another. The scripts are our own.

use packetdrill::{run, Stack};

const LISTEN: &str = "
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
";
const OPEN: &str = "
   +0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <...>
  +.1 < . 1:1(0) ack 1 win 1000
   +0 accept(3, ..., ...) = 4
";

fn said(events: &str) -> String {
    run(events, &Stack::linux("cubic")).to_string()
}

fn server(events: &str) -> String {
    said(&format!("{LISTEN}{OPEN}{events}"))
}

/// A FIN takes a number and leaves with what waits, or alone; it is repeated as data is: a probe after two RTTs and 200 ms, not after the timeout of 300 ms.
#[test]
fn a_fin_leaves_and_is_repeated_like_data() {
    let events = "
   +0 write(4, ..., 12500) = 12500
   +0 > . 1:10001(10000) ack 1
   +0 close(4) = 0
  +.1 < . 1:1(0) ack 10001 win 1000
   +0 > F. 10001:12501(2500) ack 1
  +.1 < . 1:1(0) ack 12502 win 1000
";
    assert_eq!(server(events), "pass | 13 segments 0 asserts 0 acks");
    let alone = "
   +0 shutdown(4, SHUT_WR) = 0
   +0 > F. 1:1(0) ack 1
  +.3 > F. 1:1(0) ack 1
  +.1 < . 1:1(0) ack 2 win 1000
   +0 %{ assert tcpi_unacked == 0 }%
";
    assert_eq!(server(alone), "pass | 2 segments 1 asserts 0 acks");
    assert!(server(&alone.replace("+.3 >", "+.4 >")).contains("byte 1 expected at 500.000 ms"));
}

/// `tcp_fin`: the end of the peer's data may be answered by the application, which has 40 ms for it, unless it has ended its own data.
#[test]
fn the_peers_end_is_acknowledged() {
    let events = "
   +0 < P. 1:501(500) ack 1 win 1000
   +0 > . 1:1(0) ack 501
 +.01 < F. 501:501(0) ack 1 win 1000
 +.04 > . 1:1(0) ack 502
   +0 close(4) = 0
   +0 > F. 1:1(0) ack 502
";
    assert_eq!(server(events), "pass | 1 segments 0 asserts 2 acks");
    assert!(server(&events.replace("+.04 > . 1:1(0) ack 502", "+0 > . 1:1(0) ack 502")).contains("ACK 502 expected"));
    let after_ours = "
   +0 close(4) = 0
   +0 > F. 1:1(0) ack 1
  +.1 < . 1:1(0) ack 2 win 1000
 +.01 < F. 1:1(0) ack 2 win 1000
   +0 > . 2:2(0) ack 2
";
    assert_eq!(server(after_ours), "trivial | 1 segments 0 asserts 1 acks");
}

/// RFC 6298 and Linux: the SYN-ACK leaves again after 1 s and 2 s more; two repetitions cut the initial window to a segment.
#[test]
fn a_syn_ack_is_repeated_by_the_stacks_timer() {
    let events = "
   +0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <...>
   +1 > S. 0:0(0) ack 1 <...>
   +2 > S. 0:0(0) ack 1 <...>
  +.1 < . 1:1(0) ack 1 win 1000
   +0 accept(3, ..., ...) = 4
   +0 write(4, ..., 3000) = 3000
   +0 > . 1:1001(1000) ack 1
   +0 %{ assert (tcpi_snd_cwnd, tcpi_rto) == (1, 3000000), (tcpi_snd_cwnd, tcpi_rto) }%
";
    assert_eq!(said(&format!("{LISTEN}{events}")), "pass | 3 segments 1 asserts 0 acks");
    let early = events.replace("+2 > S.", "+1 > S.");
    assert_eq!(
        said(&format!("{LISTEN}{early}")),
        "fail | 1 segments 0 asserts 0 acks | line 9: the SYN again expected at 2000.000 ms (+-125.000), left at 3000.000"
    );
}

/// RFC 7413: what a SYN brought is no data of the connection any more; what it did not bring follows at once. The second connection begins anew.
#[test]
fn data_in_syns_is_counted_out() {
    let client = "
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 4
   +0...0.020 sendto(4, ..., 1900, MSG_FASTOPEN, ..., ...) = 1900
   +0 > S 0:900(900) <mss 1460,nop,nop,sackOK,nop,wscale 8,FO abcd1234,nop,nop>
 +.02 < S. 5678:5678(0) ack 901 win 5840 <mss 1460,nop,nop,sackOK,nop,wscale 6>
   +0 > P. 901:1901(1000) ack 1
 +.02 < . 1:1(0) ack 1901 win 257
   +0 %{ assert tcpi_delivered == 2, tcpi_delivered }%
   +0 close(4) = 0
   +0 > F. 1901:1901(0) ack 1
 +.01 socket(..., SOCK_STREAM, IPPROTO_TCP) = 5
   +0...0.020 sendto(5, ..., 500, MSG_FASTOPEN, ..., ...) = 500
   +0 > S 0:500(500) <mss 1460,nop,nop,sackOK,nop,wscale 8,FO abcd1234,nop,nop>
 +.02 < S. 5678:5678(0) ack 1 win 5840 <mss 1460,nop,nop,sackOK,nop,wscale 6>
   +0 > P. 1:501(500) ack 1
";
    assert_eq!(said(client), "pass | 3 segments 1 asserts 0 acks");
    let server = "
   +0 < S 0:10(10) win 32792 <mss 1000,sackOK,nop,nop,FO abcd1234>
   +0 > S. 0:0(0) ack 11 <mss 1460,nop,nop,sackOK>
   +0 accept(3, ..., ...) = 4
   +0 write(4, ..., 3000) = 3000
   +0 > P. 1:3001(3000) ack 11
   +0 %{ assert tcpi_delivered == 0, tcpi_delivered }%
  +.1 < P. 11:21(10) ack 3001 win 32792
   +0 > . 3001:3001(0) ack 21
   +0 %{ assert tcpi_delivered == 4, tcpi_delivered }%
";
    assert_eq!(said(&format!("{LISTEN}{server}")), "pass | 3 segments 2 asserts 1 acks");
}

/// A record keeps its last segment to itself; a part of a segment that is acknowledged or SACKed is neither news nor a duplicate ACK of the segment before.
#[test]
fn segments_are_cut_where_records_end_and_parts_are_not_whole() {
    let events = "
   +0 send(4, ..., 400, MSG_EOR) = 400
   +0 write(4, ..., 1400) = 1400
   +0 > P. 1:401(400) ack 1
   +0 > P. 401:1801(1400) ack 1
  +.1 < . 1:1(0) ack 201 win 1000
   +0 %{ assert (tcpi_unacked, tcpi_sacked, tcpi_ca_state) == (3, 0, TCP_CA_Open) }%
   +0 < . 1:1(0) ack 201 win 1000 <sack 1800:1801,nop,nop>
   +0 %{ assert (tcpi_unacked, tcpi_sacked) == (3, 0), tcpi_sacked }%
   +0 < . 1:1(0) ack 201 win 1000 <sack 401:1801,nop,nop>
   +0 %{ assert (tcpi_unacked, tcpi_sacked) == (3, 2), tcpi_sacked }%
";
    assert_eq!(server(events), "pass | 3 segments 3 asserts 0 acks");
}

/// What an application is told no part of the stack says: it is counted as not judged.
#[test]
fn calls_that_only_tell_are_not_judged() {
    let events = "
   +0 setsockopt(4, SOL_SOCKET, SO_ZEROCOPY, [1], 4) = 0
   +0 sendmsg(4, {msg_name(...)=..., msg_iov(1)=[{..., 3000}], msg_flags=0}, MSG_ZEROCOPY) = 3000
   +0 > P. 1:3001(3000) ack 1
  +.1 < . 1:1(0) ack 3001 win 1000
   +0 recvmsg(4, {msg_name(...)=..., msg_iov(1)=[{...,0}], msg_flags=MSG_ERRQUEUE, msg_control=[]}, MSG_ERRQUEUE) = 0
";
    assert_eq!(server(events), "pass | 3 segments 0 asserts 0 acks | not judged: call recvmsg 1");
}

/// `TCP_MAXSEG` of a connection is what its segments hold, 12 bytes of timestamps less; a route may allow less than the device's 1460 bytes
/// (`tcpi_advmss`, `tcp_dst_advmss`). Of a socket that listens it is not judged.
#[test]
fn the_size_of_segments_is_what_the_stack_says_it_is() {
    let stamped = "
   +0 < S 0:0(0) win 65535 <mss 1440,sackOK,TS val 100 ecr 0,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 100 ecr 100,nop,wscale 8>
  +.1 < . 1:1(0) ack 1 win 1000 <nop,nop,TS val 200 ecr 100>
   +0 accept(3, ..., ...) = 4
   +0 getsockopt(3, SOL_TCP, TCP_MAXSEG, [536], [4]) = 0
   +0 getsockopt(4, SOL_TCP, TCP_MAXSEG, [1428], [4]) = 0
   +0 %{ assert tcpi_advmss == 1448 and tcpi_snd_mss == 1428 }%
";
    let script = format!("{LISTEN}{stamped}");
    assert_eq!(said(&script), "pass | 0 segments 2 asserts 0 acks");
    assert!(said(&script.replace("[1428]", "[1440]")).contains("TCP_MAXSEG 1440 but segments have 1428 bytes"));
    let route = |mtu| format!("`ip route change 192.0.2.2 via 192.168.0.2 dev tun0 advmss 1430 mtu lock {mtu}`\n");
    let narrow = script.replace("[1428]", "[1418]").replace("1448 and tcpi_snd_mss == 1428", "1418 and tcpi_snd_mss == 1418");
    assert_eq!(said(&(route(1470) + &narrow)), "pass | 0 segments 2 asserts 0 acks");
    assert!(said(&(route(1460) + &narrow)).contains("segments have 1408 bytes"));
}

/// Bits of `tcpi_options` (`tcp.h`) and states (`tcp_states.h`). Data in a SYN sets its bit if all of it is acknowledged (`tcp_fastopen_add_skb`).
#[test]
fn options_and_states_are_those_of_the_connection() {
    let agreed = "
   +0 %{ assert (tcpi_options & TCPI_OPT_SACK) != 0 and (tcpi_options & TCPI_OPT_TIMESTAMPS) == 0; assert tcpi_options == 6 }%
   +0 %{ assert (tcpi_options & TCPI_OPT_SYN_DATA) == 0; assert tcpi_state == TCP_ESTABLISHED; assert TCPI_OPT_ECN_SEEN == 16 }%
 +.01 < F. 1:1(0) ack 1 win 1000
   +0 > . 1:1(0) ack 2
   +0 %{ assert tcpi_state == TCP_CLOSE_WAIT }%
 +.01 < R. 2:2(0) ack 1 win 1000
   +0 %{ assert tcpi_state == TCP_CLOSE }%
";
    assert_eq!(server(agreed), "pass | 0 segments 6 asserts 1 acks | not judged: TCPI_OPT_ECN_SEEN 1");
    let in_syn = format!(
        "{LISTEN}
   +0 < S 0:10(10) win 65535 <mss 1000,sackOK,FO TFO_COOKIE>
   +0 > S. 0:0(0) ack 11 <...>
   +0 accept(3, ..., ...) = 4
   +0 %{{ assert (tcpi_options & TCPI_OPT_SYN_DATA) != 0; assert tcpi_state == TCP_SYN_RECV }}%
  +.1 < . 11:11(0) ack 1 win 1000
   +0 %{{ assert tcpi_state == TCP_ESTABLISHED }}%
"
    );
    assert_eq!(said(&in_syn), "pass | 0 segments 3 asserts 0 acks");
    let in_vain = format!(
        "{}   +0 %{{ assert (tcpi_options & TCPI_OPT_SYN_DATA) == 0 }}%",
        in_syn.replace("ack 11 <", "ack 1 <").replace("11:11", "1:1")
    );
    assert!(said(&in_vain).starts_with("pass | 0 segments 2 asserts"), "{}", said(&in_vain));
}

/// `tcp_rcv_rtt_measure_ts`: what an echo took to a whole segment, 100 ms and then 180; without timestamps it is not known.
#[test]
fn the_receivers_round_trip_is_that_of_echoes() {
    let events = "
   +0 < S 0:0(0) win 65535 <mss 1000,sackOK,TS val 100 ecr 0>
   +0 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 500 ecr 100>
  +.1 < . 1:1(0) ack 1 win 1000 <nop,nop,TS val 200 ecr 500>
   +0 accept(3, ..., ...) = 4
   +0 %{ assert tcpi_rcv_rtt == 0 and tcpi_rcv_mss == 536 }%
   +0 < . 1:1001(1000) ack 1 win 1000 <nop,nop,TS val 200 ecr 500>
   +0 %{ assert tcpi_rcv_rtt == 100000 and tcpi_rcv_mss == 1000 }%
  +.1 < . 1001:2001(1000) ack 1 win 1000 <nop,nop,TS val 300 ecr 520>
   +0 %{ assert tcpi_rcv_rtt == 110000 }%
";
    assert_eq!(said(&format!("{LISTEN}{events}")), "pass | 0 segments 3 asserts 0 acks");
    let without = events.replace("TS val 100 ecr 0", "nop,nop");
    assert_eq!(run(&format!("{LISTEN}{without}"), &Stack::linux("cubic")).not_judged, ["tcpi_rcv_rtt"; 3]);
}
