//! What an algorithm hears of the form of an ACK: header prediction as Linux does it (`tcp_rcv_established`).

use cc::{AckArrival, CongestionControl, Connection, Needs, Window};
use tcp::{Ack, Ecn, Options, Range, Sack, Sender, SenderSpec};
use units::{Duration, Time};

use crate::{options, Tape};

/// Keeps the form of every ACK.
#[derive(Default)]
struct Recorder {
    slow: Vec<bool>,
}

impl CongestionControl for Recorder {
    fn needs(&self) -> Needs {
        Needs { ack_arrivals: true, ..Needs::default() }
    }
    fn on_ack_arrived(&mut self, _w: &mut Window, _c: &Connection, a: &AckArrival) {
        self.slow.push(a.slow_path);
    }
    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        (w.cwnd / 2.0).floor()
    }
}

/// Ten segments in flight; of each ACK `(cumulative, SACKed up to, ECN-Echo)` whether it was slow.
fn forms(ecn: Ecn, acks: &[(u64, u64, u16)]) -> Vec<bool> {
    let spec = SenderSpec { options: Options { ecn, ..options(10) }, mss: 1448, segments: u64::MAX, window: u64::MAX, device: false };
    let mut sender = Sender::new(spec, Recorder::default());
    let mut tape = Tape::default();
    sender.on_started(Time::ZERO, Duration::from_ms(100), &mut tape);
    for (count, &(cumulative, sacked, ecn)) in acks.iter().enumerate() {
        let sack = (sacked > 0).then(|| Sack {
            blocks: [Range { from: cumulative + 1, to: sacked }, Range::default(), Range::default()],
            duplicate: None,
            window: None,
        });
        let ack = Ack { cumulative, ecn, has_sack: sack.is_some(), ..Ack::default() };
        sender.on_ack(Time::from_ms(100 + count as u64), ack, sack.as_ref(), &mut tape);
    }
    sender.algorithm().slow.clone()
}

/// Recorded on Linux 6.1, a flow that repairs one loss: plain advances before it, ACKs with SACK blocks, the ACK of the whole hole, which
/// finds the connection in Recovery and leaves it, and the plain ones after it. Only those with blocks were slow, and the first after the handshake,
/// whose scaled window nothing predicts (`tcp_finish_connect`).
#[test]
fn a_plain_advance_is_fast_in_recovery_too() {
    let acks = [(1, 0, 0), (2, 0, 0), (2, 4, 0), (2, 5, 0), (2, 6, 0), (2, 10, 0), (10, 0, 0), (11, 0, 0)];
    assert_eq!(forms(Ecn::Off, &acks), [true, false, true, true, true, true, false, false]);
}

/// The flag is none of those predicted.
#[test]
fn an_echo_of_congestion_is_slow() {
    assert_eq!(forms(Ecn::Classic, &[(1, 0, 0), (2, 0, 1), (3, 0, 1), (4, 0, 0)]), [true, true, true, false]);
}

/// A duplicate ACK without blocks has the header that is predicted: Westwood counts nothing for it (recorded script `all-4` of westwood).
#[test]
fn a_duplicate_ack_without_blocks_is_fast() {
    assert_eq!(forms(Ecn::Off, &[(1, 0, 0), (1, 0, 0), (2, 0, 0)]), [true, false, false]);
}
