//! Random sources of datagrams, drawn apart from the rest, so that the scenarios are otherwise those that they were before there were any.

use sim::{Direction, FlowSpec, Law, ReadsSpec, ReceiveSpec, RequestsSpec, Shared, StretchSpec, UdpSpec, WaveSpec, WritesSpec};
use units::Stream;

use super::{Dice, SEED};

/// None, or one to three, for a third of the scenarios.
pub fn traffic(index: u64, (rate_bps, duration_ns): (u64, u64), is_duplex: bool) -> Vec<UdpSpec> {
    let mut dice = Dice(Stream::named(SEED, format_args!("traffic{index}")));
    if !dice.one_in(3) {
        return Vec::new();
    }
    (0..dice.between(1, 3)).map(|_| source(&mut dice, (rate_bps, duration_ns), is_duplex)).collect()
}

fn source(dice: &mut Dice, (link_bps, duration_ns): (u64, u64), is_duplex: bool) -> UdpSpec {
    // Sparse and dense, round and not; now and then a burst at the link's rate or above.
    let is_burst = dice.one_in(4);
    let rate_bps = if is_burst { link_bps * dice.between(1, 2) } else { dice.log_between(link_bps / 1000, link_bps / 2).max(1000) };
    let length_ns = if is_burst { duration_ns / 20 } else { duration_ns };
    let start_ns = if dice.one_in(3) { 0 } else { dice.between(0, duration_ns - 1) };
    let swing = WaveSpec {
        amplitude_bps: if dice.one_in(4) { rate_bps } else { dice.between(0, rate_bps) },
        period_ns: dice.log_between(1_000_000, duration_ns.max(2_000_000)),
    };
    UdpSpec {
        rate_bps,
        wave: dice.one_in(2).then_some(swing),
        packet_bytes: dice.choose(&[52, 1500, 1500, 29, 9000]).max(if rate_bps > 50_000_000 { 300 } else { 29 }),
        start_ns,
        stop_ns: if is_burst || dice.one_in(3) { Some(start_ns + dice.between(1, length_ns)) } else { None },
        direction: if is_duplex && dice.one_in(2) { Direction::Reverse } else { Direction::Forward },
        hops: StretchSpec::default(),
    }
}

/// Handshakes for the flows of half of the scenarios, drawn apart for the same reason.
pub fn open(index: u64, flows: &mut [FlowSpec]) {
    let mut dice = Dice(Stream::named(SEED, format_args!("handshakes{index}")));
    if dice.one_in(2) {
        flows.iter_mut().for_each(|flow| flow.handshake = !dice.one_in(4));
    }
}

/// Applications that write in pieces, for some flows of a third of the scenarios.
pub fn write_in_pieces(index: u64, duration_ns: u64, flows: &mut [FlowSpec]) {
    let mut dice = Dice(Stream::named(SEED, format_args!("writes{index}")));
    if !dice.one_in(3) {
        return;
    }
    for flow in flows {
        let mut span = || dice.log_between(1_000_000, duration_ns.max(10_000_000));
        let (on_ns, off_ns, every_ns) = (span(), span(), span());
        flow.writes = match dice.between(0, 3) {
            0 => None,
            1 => Some(WritesSpec::OnOff { on_ns, off_ns }),
            _ => Some(WritesSpec::Chunks { rate_bps: dice.log_between(10_000, 100_000_000), every_ns }),
        };
        if dice.one_in(2) {
            flow.transport.insert("idle_restart".to_owned(), dice.choose(&["linux", "rfc5681", "none"]).into());
        }
    }
}

/// Clients that ask, for some flows of a third of the scenarios that have no other application.
pub fn ask(index: u64, duration_ns: u64, flows: &mut [FlowSpec]) {
    let mut dice = Dice(Stream::named(SEED, format_args!("requests{index}")));
    if !dice.one_in(3) {
        return;
    }
    for flow in flows.iter_mut().filter(|flow| flow.writes.is_none()) {
        let law = |dice: &mut Dice, mean: u64| {
            let mean = mean as f64;
            match dice.between(0, 2) {
                0 => Law::Fixed { mean },
                1 => Law::Exponential { mean },
                _ => Law::Pareto { mean, shape: 1.2 },
            }
        };
        let means = [dice.log_between(1, 14_480), dice.log_between(1, 1_000_000), dice.log_between(1, duration_ns / 4)];
        let [sizes, responses, think] = means.map(|mean| law(&mut dice, mean));
        let count = if dice.one_in(2) { Some(dice.log_between(1, 100)) } else { None };
        if dice.one_in(4) {
            continue;
        }
        flow.bytes = None;
        flow.requests = Some(Box::new(RequestsSpec { count, sizes, responses, think }));
    }
}

/// Receivers whose buffer may be full, for all flows that may have one; none of them has a client.
#[allow(dead_code)]
pub fn keep(dice: &mut Dice, duration_ns: u64, flows: &mut [Shared<FlowSpec>]) {
    for flow in flows.iter_mut().filter(|flow| flow.host.is_none()) {
        (flow.window_packets, flow.window_bytes, flow.requests) = (None, None, None);
        let bytes = dice.log_between(4 * u64::from(flow.mss_bytes), 8_000_000);
        let most_bytes = if dice.one_in(2) { Some(dice.log_between(bytes, 16_000_000)) } else { None };
        let mut span = || dice.log_between(1_000_000, (duration_ns / 4).max(10_000_000));
        let (on_ns, off_ns, every_ns) = (span(), span(), span());
        let reads = match dice.between(0, 3) {
            0 | 1 => None,
            2 => Some(ReadsSpec::OnOff { on_ns, off_ns }),
            _ => Some(ReadsSpec::Rate { rate_bps: dice.log_between(100_000, 100_000_000), every_ns }),
        };
        flow.receive = Some(Box::new(ReceiveSpec { bytes, most_bytes, reads }));
    }
}
