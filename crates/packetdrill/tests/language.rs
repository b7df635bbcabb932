//! What scripts can do to the stack, and what is said of those that cannot be driven or do not hold. The scripts are our own.

use packetdrill::{run, Outcome, Stack, Verdict};

/// A server's connection: RTT 100 ms, MSS 1000, a window of 128 000 bytes; the kernel's defaults but for what `commands` say.
fn server(commands: &str, events: &str) -> Outcome {
    let opening = "
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <...>
  +.1 < . 1:1(0) ack 1 win 1000
   +0 accept(3, ..., ...) = 4
";
    run(&format!("{commands}{opening}{events}"), &Stack::linux("cubic"))
}

fn said(outcome: &Outcome) -> String {
    outcome.to_string()
}

#[test]
fn segments_and_assertions_are_compared() {
    let events = "
   +0 write(4, ..., 20000) = 20000
   +0 > P. 1:10001(10000) ack 1
  +.1 < . 1:1(0) ack 2001 win 1000
   +0 > . 10001:14001(4000) ack 1
   +0 %{ assert tcpi_snd_cwnd == 12; assert tcpi_rcv_space == 1 }%
";
    let outcome = server("", events);
    assert_eq!(said(&outcome), "pass | 14 segments 1 asserts 0 acks | not judged: tcpi_rcv_space 1");
    assert_eq!(
        said(&server("", &events.replace("== 12", "== 13"))),
        "fail | 14 segments 0 asserts 0 acks | line 14: assert tcpi_snd_cwnd == 13 but tcpi_snd_cwnd=12"
    );
    let late = events.replace("+0 > . 10001:14001", "+.01 > . 10001:14001");
    assert_eq!(
        said(&server("", &late)),
        "fail | 10 segments 0 asserts 0 acks | line 13: byte 10001 expected at 210.000 ms (+-4.000), left at 200.000"
    );
    assert_eq!(said(&server("--tolerance_usecs=11000\n", &late)), "pass | 14 segments 1 asserts 0 acks | not judged: tcpi_rcv_space 1");
    let other = events.replace("10001:14001(4000)", "11001:14001(3000)");
    assert_eq!(
        said(&server("", &other)),
        "fail | 10 segments 0 asserts 0 acks | line 13: 11001:14001 expected, 10001:11001 left at 200.000 ms"
    );
}

/// Commands reach the stack: without a probe the timeout comes first; without SACK a third duplicate is needed; Reno halves.
#[test]
fn sysctls_and_socket_options_choose_the_stack() {
    let silence = "
   +0 write(4, ..., 2000) = 2000
   +0 > P. 1:2001(2000) ack 1
 +.202 > P. 1001:2001(1000) ack 1
";
    assert_eq!(server("", silence).verdict, Verdict::Pass);
    let without = silence.replace("+.202 > P. 1001:2001", "+.3 > . 1:1001");
    assert_eq!(server("`sysctl -q net.ipv4.tcp_early_retrans=0`\n", &without).verdict, Verdict::Pass);
    let loss = "
   +0 setsockopt(4, SOL_TCP, TCP_CONGESTION, \"reno\", 4) = 0
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
  +.1 < . 1:1(0) ack 1 win 1000 <sack 1001:4001,nop,nop>
   +0 > . 1:1001(1000) ack 1
   +0 %{ assert (tcpi_ca_state, tcpi_snd_ssthresh) == (TCP_CA_Recovery, 5) }%
";
    assert_eq!(server("", loss).verdict, Verdict::Pass);
    assert!(said(&server("`sysctl -q net.ipv4.tcp_sack=0`\n", loss)).contains("byte 1 expected at 200.000 ms (+-4.000), did not leave"));
}

/// ECN by both ends' word (RFC 3168): the echo reduces once, and the next new segment says so.
#[test]
fn marks_are_echoed_where_both_ends_agreed() {
    let script = "`sysctl -q net.ipv4.tcp_ecn=1`
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 listen(3, 1) = 0
   +0 < SEW 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > SE. 0:0(0) ack 1 <...>
  +.1 < . 1:1(0) ack 1 win 1000
   +0 accept(3, ..., ...) = 4
   +0 write(4, ..., 12000) = 12000
   +0 > [ect0] P. 1:10001(10000) ack 1
  +.1 < E. 1:1(0) ack 2001 win 1000
   +0 %{ assert (tcpi_ca_state, tcpi_snd_ssthresh) == (TCP_CA_CWR, 7) }%
   +0 > W. 10001:11001(1000) ack 1
";
    assert_eq!(said(&run(script, &Stack::linux("cubic"))), "pass | 11 segments 1 asserts 0 acks");
    let refused = script.replace("> SE.", "> S.").replace("> W.", "> .").replace("== (TCP_CA_CWR, 7)", "== (TCP_CA_Open, 0x7fffffff)");
    let said_of = |script: &str| said(&run(script, &Stack::linux("cubic")));
    assert_eq!(said_of(&refused), "fail | 0 segments 0 asserts 0 acks | line 9: byte 1 with ect0 expected, noecn left");
    assert_eq!(said_of(&refused.replace("[ect0]", "[noecn]")), "pass | 11 segments 1 asserts 0 acks");
    let echoes = script.replace("> W. 10001", "> WE. 10001");
    assert_eq!(said_of(&echoes), "fail | 10 segments 1 asserts 0 acks | line 12: ECE 1 expected, 0 left");
}

/// RFC 9768 3.2: a counter of marked segments that begins at five and wraps after seven, told in every segment both ways.
#[test]
fn accurate_marks_are_counted_in_three_bits() {
    let script = "`sysctl -q net.ipv4.tcp_ecn=3`
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 listen(3, 1) = 0
   +0 < SEWA 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > SW. 0:0(0) ack 1 <...>
  +.1 < [ect0] W. 1:1(0) ack 1 win 1000
   +0 accept(3, ..., ...) = 4
   +0 < [ce] P.5 1:1001(1000) ack 1 win 1000
   +0 > .6 1:1(0) ack 1001
   +0 < [ce] P.5 1001:2001(1000) ack 1 win 1000
   +0 > .7 1:1(0) ack 2001
   +0 write(4, ..., 10000) = 10000
   +0 > [ect0] P.7 1:10001(10000) ack 2001
  +.1 < .6 2001:2001(0) ack 5001 win 1000
   +0 %{ assert tcpi_delivered_ce == 1, tcpi_delivered_ce }%
   +0 < .0 2001:2001(0) ack 10001 win 1000
   +0 %{ assert tcpi_delivered_ce == 3, tcpi_delivered_ce }%
";
    let said_of = |script: &str| said(&run(script, &Stack::linux("cubic")));
    assert_eq!(said_of(script), "pass | 10 segments 2 asserts 2 acks");
    assert_eq!(said_of(&script.replace("> .7", "> .6")), "fail | 0 segments 0 asserts 1 acks | line 11: ACE 6 expected, 7 left");
    assert_eq!(said_of(&script.replace("P.7", "P.5")), "fail | 0 segments 0 asserts 2 acks | line 13: ACE 5 expected, 7 left");
    // Ten segments at once, the first ACK: the average is above four, and the bits are taken as they are.
    let at_once = script.replace("ack 5001", "ack 10001").replace("ce == 3", "ce == 1").replace("< .0 2001", "< .6 2001");
    assert_eq!(said_of(&at_once), "pass | 10 segments 2 asserts 2 acks");
    // After an ACK of one segment nine that show nothing new may hide eight marks (RFC 9768 A.2.1).
    let hidden = script.replace("ack 5001", "ack 1001").replace("< .0 2001", "< .6 2001").replace("ce == 3", "ce == 9");
    assert_eq!(said_of(&hidden), "pass | 10 segments 2 asserts 2 acks");
    let bleached = script.replace("< [ect0] W. 1:1", "< [ect0] . 1:1");
    assert_eq!(said_of(&bleached), "not drivable | line 6: accurate ECN whose handshake was marked or bleached");
}

/// `TCP_MAXSEG`: segments of 600 bytes and a window of ten of them, where the peer takes 1000; not once the handshake has begun.
#[test]
fn segments_are_no_larger_than_the_socket_says() {
    let script = "    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 listen(3, 1) = 0
   +0 setsockopt(3, SOL_TCP, TCP_MAXSEG, [600], 4) = 0
   +0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <...>
  +.1 < . 1:1(0) ack 1 win 1000
   +0 accept(3, ..., ...) = 4
   +0 write(4, ..., 12000) = 12000
   +0 > . 1:6001(6000) ack 1
   +0 %{ assert tcpi_snd_mss == 600 }%
";
    assert_eq!(said(&run(script, &Stack::linux("cubic"))), "pass | 10 segments 1 asserts 0 acks");
    let late =
        script.replace("   +0 listen(3, 1) = 0\n   +0 setsockopt(3, SOL_TCP, TCP_MAXSEG, [600], 4) = 0\n", "   +0 listen(3, 1) = 0\n");
    let late = late.replace(
        "   +0 accept(3, ..., ...) = 4\n",
        "   +0 accept(3, ..., ...) = 4\n   +0 setsockopt(4, SOL_TCP, TCP_MAXSEG, [600], 4) = 0\n",
    );
    assert_eq!(said(&run(&late, &Stack::linux("cubic"))), "not drivable | line 7: segments that become smaller");
}

/// A timestamp that echoes the original proves the retransmission needless (RFC 4015); without stamps nothing is proven.
#[test]
fn timestamps_are_echoed_as_the_script_counts_them() {
    let script = |stamps: [&str; 5]| {
        let [syn, syn_ack, third, block, last] = stamps;
        format!(
            "    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 65535 <mss 1012,sackOK{syn},nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <mss 1460,sackOK{syn_ack},nop,wscale 8>
  +.1 < . 1:1(0) ack 1 win 1000 <nop{third}>
   +0 accept(3, ..., ...) = 4
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
  +.1 < . 1:1(0) ack 1 win 1000 <sack 1001:4001,nop{block}>
   +0 > . 1:1001(1000) ack 1
 +.01 < . 1:1(0) ack 4001 win 1000 <nop{last}>
   +0 %{{ assert tcpi_ca_state == TCP_CA_Open and tcpi_snd_cwnd >= 10, tcpi_snd_cwnd }}%
"
        )
    };
    let stamps = [",TS val 7 ecr 0", ",TS val 500 ecr 7", ",TS val 107 ecr 500", ",TS val 207 ecr 600", ",TS val 217 ecr 600"];
    assert_eq!(said(&run(&script(stamps), &Stack::linux("cubic"))), "pass | 11 segments 1 asserts 0 acks");
    let of_the_second = [stamps[0], stamps[1], stamps[2], stamps[3], ",TS val 217 ecr 700"];
    assert!(matches!(run(&script(of_the_second), &Stack::linux("cubic")).verdict, Verdict::Fail(_)));
    let without = script(["", "", "", "", ""]).replace("mss 1012", "mss 1000");
    assert!(matches!(run(&without, &Stack::linux("cubic")).verdict, Verdict::Fail(_)));
}

/// The device takes nothing: what would leave stays, the window comes down, and the segment is the next when the device takes some again.
#[test]
fn a_full_device_holds_segments_back() {
    let events = "
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
   +0 `tc qdisc replace dev tun0 root pfifo limit 0`
   +0 write(4, ..., 5000) = 5000
  +.1 < . 1:1(0) ack 5001 win 1000
   +0 %{ assert (tcpi_ca_state, tcpi_unacked) == (TCP_CA_CWR, 5) }%
   +0 `tc qdisc replace dev tun0 root pfifo`
 +.01 < . 1:1(0) ack 7001 win 1000
   +0 > . 10001:12001(2000) ack 1
";
    assert_eq!(said(&server("", events)), "pass | 12 segments 1 asserts 0 acks");
}

/// The peer's window in bytes, by its scale; a DSACK; an ACK of what was never sent, which is dropped.
#[test]
fn acks_tell_windows_and_duplicates() {
    let events = "
   +0 write(4, ..., 30000) = 30000
   +0 > P. 1:10001(10000) ack 1
  +.1 < . 1:1(0) ack 10001 win 16
   +0 > P. 10001:12001(2000) ack 1
   +0 < . 1:1(0) ack 10001 win 24
   +0 > . 12001:13001(1000) ack 1
   +0 < . 1:1(0) ack 99001 win 1000
  +.1 < . 1:1(0) ack 13001 win 1000 <sack 12001:13001,nop,nop>
   +0 > . 13001:30001(17000) ack 1
";
    assert_eq!(said(&server("", events)), "pass | 30 segments 0 asserts 0 acks");
}

/// What the peer sends is acknowledged: behind a hole with its block, twice with a DSACK, marked with an echo that nobody asked for.
#[test]
fn data_of_the_peer_is_acknowledged() {
    let events = "
   +0 < P. 1:501(500) ack 1 win 1000
   +0 > . 1:1(0) ack 501
   +0 < P. 1001:1501(500) ack 1 win 1000
   +0 > . 1:1(0) ack 501 <nop,nop,sack 1001:1501>
   +0 < P. 501:1001(500) ack 1 win 1000
   +0 > . 1:1(0) ack 1501
   +0 < P. 501:1001(500) ack 1 win 1000
   +0 > . 1:1(0) ack 1501 <nop,nop,sack 501:1001>
   +0 read(4, ..., 1500) = 1500
";
    assert_eq!(said(&server("", events)), "pass | 0 segments 0 asserts 4 acks");
    let wrong = events.replace("sack 1001:1501", "sack 501:1001");
    assert!(said(&server("", &wrong)).ends_with("line 13: ACK 501 [(501, 1001)] expected, 501 [(1001, 1501)] left"));
}

#[test]
fn what_cannot_be_driven_is_named_and_nothing_is_held() {
    for (commands, events, why) in [
        ("", "", "nothing to compare"),
        ("--mtu=1400\n", "", "option --mtu"),
        ("`sysctl -q net.ipv4.tcp_mtu_probing=2`\n", "", "line 1: sysctl tcp_mtu_probing=2"),
        ("`ip route flush cache`\n", "", "line 1: command ip route flush cache"),
        ("", "+0 setsockopt(4, SOL_TCP, TCP_CORK, [1], 4) = 0\n", "line 9: setsockopt TCP_CORK"),
        ("", "+0 splice(4, NULL, 5, NULL, 1000, 0) = 1000\n", "line 9: call splice"),
        ("", "+0 send(4, ..., 1000, MSG_OOB) = 1000\n", "line 9: send with MSG_OOB"),
        ("", "+0...1 write(4, ..., 9000) = 9000\n", "line 9: write that blocks"),
        ("", "+0 < . 1:1(0) ack 1 win 1\n", "line 9: a window of less than a segment"),
        ("", "+0 < R. 1:1(0) ack 1 win 0\n", "nothing to compare"),
        ("", "+0 < R. 1:1(0) ack 1 win 0\n+0 > . 1:1(0) ack 1\n", "line 10: a segment after a reset"),
        ("", "+0 < icmp unreachable mtu 900 [1:1001(1000)]\n", "line 9: packet icmp"),
        ("", "+0 > . 1:1(0) ack 1\n", "line 9: an ACK of no data"),
        ("", "+0 %{ import os }%\n", "line 9: python: statement import"),
        ("", "nonsense\n", "line 9: no time: nonsense"),
    ] {
        assert_eq!(said(&server(commands, events)), format!("not drivable | {why}"), "{commands}{events}");
    }
    let written = "+0 write(4, ..., 2000) = 2000\n+0 > P. 1:2001(2000) ack 1\n";
    assert_eq!(said(&server("", written)), "trivial | 2 segments 0 asserts 0 acks");
}
