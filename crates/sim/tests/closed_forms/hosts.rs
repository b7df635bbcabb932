//! Hosts: ceilings, queues and waits that follow from their costs alone.

use cc::{CaState, Controller};
use sim::{
    AmongSpec, DeviceSpec, EventKind, FlowSpec, HostSpec, Law, LossModelSpec, LossSpec, Observer, Offered, Outage, Records, Spec,
    TransferRow,
};
use tcp::Sender;
use units::Time;

use super::{assert_near, back_offs, flow, run, spec, MS, SECOND};

const US: u64 = 1000;

/// `flows` equal flows of 10 ms on a link that is never felt, on one host.
fn on_host(flows: usize, host: HostSpec, flow: &FlowSpec) -> Spec {
    let flow = FlowSpec { host: Some(0), ..flow.clone() };
    Spec { hosts: vec![host], ..spec(10_000, 100_000, 30, vec![flow; flows]) }
}

fn capped(packets: u64) -> FlowSpec {
    FlowSpec { window_packets: Some(packets), ..flow("reno", 10) }
}

/// Payload segments delivered per second after the warm-up of 10 s.
fn segments_per_s(records: &Records, flow: usize) -> f64 {
    let row = &records.flows[flow];
    (row.at_end.delivered - row.at_window.delivered) as f64 / 20.0
}

/// The socket's window would allow 100,000 packets a second, the processor does one in 17 us: 58,824, 0.7 Gbit/s at 1500 bytes and 4.2 at 9000
/// (Bullot, Cottrell and Hughes-Jones 2003, 6.2.2: 0.7 and 4.3). A window of 1000 is 0.1 % of a second's packets.
#[test]
fn a_processor_is_a_ceiling_in_packets() {
    let host = HostSpec { packet_ns: 17 * US, ..HostSpec::default() };
    for (mss_bytes, packet_bytes) in [(1448, 1500), (8948, 9000)] {
        let jumbo = FlowSpec { mss_bytes, packet_bytes, ..capped(1000) };
        let records = run(&on_host(1, host.clone(), &jumbo));
        assert_near(segments_per_s(&records, 0), 1e6 / 17.0, 0.001, "packets per second");
        assert_eq!(records.flows[0].lost_packets, 0);
    }
}

/// Every second packet's ACK costs 6 us: 17 + 3 per packet. Two flows share what one had.
#[test]
fn acks_cost_what_they_cost_and_flows_share() {
    let host = HostSpec { packet_ns: 17 * US, ack_ns: 6 * US, ..HostSpec::default() };
    let one = run(&on_host(1, host.clone(), &capped(1000)));
    assert_near(segments_per_s(&one, 0), 50_000.0, 0.001, "packets per second");
    let two = run(&on_host(2, host, &capped(1000)));
    assert_near(segments_per_s(&two, 0), 25_000.0, 0.01, "of the first");
    assert_near(segments_per_s(&two, 1), 25_000.0, 0.01, "of the second");
}

/// A device of 100 Mbit/s holds 83.3 packets of 10 ms on the path and 1 + 100 in its queue: there the sender backs off, having lost nothing.
#[test]
fn a_full_device_queue_halves_the_window_without_loss() {
    let device = Some(DeviceSpec { rate_bps: 100_000_000, queue_packets: 100 });
    let spec = on_host(1, HostSpec { device, ..HostSpec::default() }, &flow("reno", 10));
    let records = run(&spec);
    let row = &records.flows[0];
    assert_eq!((row.lost_packets, row.at_end.retransmitted, row.at_end.timeouts), (0, 0, 0));
    assert_near(segments_per_s(&records, 0), 1e8 / 12_000.0, 0.001, "the device's rate");
    let episodes = back_offs(&spec, &records, 0);
    assert!(episodes.len() > 10, "{} episodes", episodes.len());
    let stalls = records.events.iter().filter(|event| event.kind == EventKind::SendStall).count() as u64;
    assert_eq!(stalls, row.at_end.loss_episodes);
    // A reduction follows from a refusal, but not every refusal brings one.
    assert!(row.send_stalls >= Some(stalls), "{:?} refusals", row.send_stalls);
    for episode in episodes {
        // The ACK under way when the queue filled, and the one that asked.
        assert_near(episode.cwnd, 184.3, 0.02, "cwnd at back-off");
        assert_near(episode.ssthresh, episode.cwnd / 2.0, 0.01, "half of it");
    }
}

/// A second's use is that of its packets, 17 us, and of an ACK for every second one, 6 us: of 2000 packets 4 %, of more than it can do all. A
/// packet in 100 ms is 0.5 % of those of the round trips that a second cuts.
#[test]
fn a_processors_time_is_metered() {
    let host = HostSpec { packet_ns: 17 * US, ack_ns: 6 * US, ..HostSpec::default() };
    for (window, full) in [(20, None), (1000, Some(1.0))] {
        let mut spec = on_host(1, host.clone(), &capped(window));
        spec.sample_ns = SECOND;
        let records = run(&spec);
        let samples = &records.host_samples;
        assert_eq!((samples.t_ns.len(), samples.t_ns[30], samples.host[30], samples.busy_ns[0]), (31, 30 * SECOND, 0, 0));
        let used: Vec<f64> = samples.busy_ns.windows(2).skip(10).map(|pair| (pair[1] - pair[0]) as f64 / 1e9).collect();
        let expected = full.unwrap_or(segments_per_s(&records, 0) * 20e-6);
        used.iter().for_each(|used| assert_near(*used, expected, 0.01, "use of a second"));
        assert_near(used.iter().sum::<f64>() / used.len() as f64, expected, 0.001, "mean use");
    }
    let idle = run(&Spec { hosts: Vec::new(), sample_ns: SECOND, ..spec(10, 10, 3, vec![flow("reno", 10)]) });
    assert!(idle.host_samples.t_ns.is_empty() && idle.flows[0].host.is_none() && idle.flows[0].send_stalls.is_none());
}

/// The cap as it was given; whole segments where it was given in those; nothing where there is none.
#[test]
fn the_receivers_window_is_recorded() {
    let stuck = FlowSpec { window_bytes: Some(3_147_776), ..capped(2173) };
    let autotuned = FlowSpec { transport: [("autotune".to_owned(), true.into())].into(), ..stuck.clone() };
    let records = run(&spec(1000, 1000, 9, vec![stuck, capped(20), flow("reno", 10), autotuned]));
    let windows: Vec<_> = records.flows.iter().map(|row| row.receive_window_bytes).collect();
    assert_eq!(windows[..3], [Some(3_147_776), Some(20 * 1448), None]);
    // Its flow has a quarter of 10 ms at 1 Gbit/s at the least, and a window ahead of that.
    let tuned = windows[3].expect("a window");
    assert!((2 * 208 * 1448..=3_147_776).contains(&tuned), "{tuned}");
}

/// Single packets that a processor handles in 120 us, from Poisson sources: on one processor they wait as in M/D/1, rho / (2 (1 - rho)) of
/// that; on processors of their own they never wait. The link takes 1.2 us a packet.
#[test]
fn transfers_wait_for_one_processor_and_not_for_their_own() {
    let cost = 120 * US;
    for (load, seconds) in [(0.5, 200), (0.8, 300)] {
        for per_transfer in [false, true] {
            let mut spec = super::transfers::customers(Law::Fixed { mean: 1448.0 }, 0.1, seconds);
            spec.forward.rate_bps = 10_000_000_000;
            spec.arrivals[0].offered = Offered::PerSecond(load * 1e9 / cost as f64);
            spec.arrivals[0].flows[0].host = Some(0);
            spec.hosts = vec![HostSpec { packet_ns: cost, per_transfer, ..HostSpec::default() }];
            let rows = run(&spec).transfers.rows;
            let least = MS + cost + 1200;
            let waits = rows.iter().filter(|row| row.completion_ns < u64::MAX).map(|row: &TransferRow| row.completion_ns - least);
            let mean = waits.clone().sum::<u64>() as f64 / waits.clone().count() as f64 / cost as f64;
            assert!(waits.clone().count() > 800_000, "{}", waits.count());
            if per_transfer {
                // The link's own queue, of 1.2 us a packet at 0.5 % and 0.8 % load.
                assert!(mean < 1e-3, "{mean}");
            } else {
                assert_near(mean, load / (2.0 * (1.0 - load)), 0.02, &format!("wait at load {load}"));
            }
        }
    }
}

/// Two flows through one device: together its rate.
#[test]
fn flows_share_one_device() {
    let device = Some(DeviceSpec { rate_bps: 100_000_000, queue_packets: 100 });
    let jittered = FlowSpec { jitter_ns: 100 * US, ..flow("reno", 10) };
    let records = run(&on_host(2, HostSpec { device, ..HostSpec::default() }, &jittered));
    let rates = [segments_per_s(&records, 0), segments_per_s(&records, 1)];
    assert_near(rates[0] + rates[1], 1e8 / 12_000.0, 0.001, "the device's rate");
    assert_eq!(records.flows[0].lost_packets + records.flows[1].lost_packets, 0);
}

/// 20 packets per 10 ms; in 2 s of 20 the processor stands still. The round trip is 10 ms and the last packet's service, 1.2 us a packet.
#[test]
fn a_stall_costs_its_length() {
    let stalls = vec![Outage { at_ns: 15 * SECOND, length_ns: 150 * MS }, Outage { at_ns: 20 * SECOND, length_ns: 1850 * MS }];
    let records = run(&on_host(1, HostSpec { stalls, ..HostSpec::default() }, &capped(20)));
    assert_near(segments_per_s(&records, 0), 2000.0 * 18.0 / 20.0, 0.005, "packets per second");
}

/// An ACK due after 10 ms is looked at after 12: the window leaves once in three ticks of 4 ms.
#[test]
fn acks_wait_for_their_tick() {
    let records = run(&on_host(1, HostSpec { ack_tick_ns: 4 * MS, ..HostSpec::default() }, &capped(20)));
    assert_near(segments_per_s(&records, 0), 20.0 / 0.012, 0.002, "packets per second");
}

/// A window of 711 is lost whole. Linux 2.4.22 then repaired one loss per round trip: 711 of 160 ms are 113.8 s of silence (Hegde et al. 2004,
/// IV.B.1). Without the bug slow start does it in ten.
#[test]
fn a_frozen_window_repairs_one_loss_a_round_trip() {
    let repaired_s = |is_frozen: bool| {
        let transport = [("rto_freeze".to_owned(), is_frozen.into()), ("ack_every".to_owned(), 1.into())].into();
        let mut spec = spec(1000, 1000, 200, vec![FlowSpec { profile: "linux-2.4".into(), transport, ..flow("fast", 160) }]);
        spec.flows[0].window_packets = Some(711);
        let first = 100_000;
        spec.forward.losses = vec![LossSpec {
            among: AmongSpec::Data,
            model: LossModelSpec::Scripted { flow: None, packets: (first..first + 711).collect() },
        }];
        let mut repair = Repair { below: first - 1 + 711, ..Repair::default() };
        let records = sim::run_observed(&spec, &mut repair, || false).expect("a legal scenario");
        assert_eq!((records.flows[0].lost_packets, records.flows[0].at_end.timeouts), (711, 1));
        let timeout = records.events.iter().find(|event| event.kind == EventKind::Timeout).expect("a timeout");
        (repair.at_s.expect("repaired") - timeout.t_ns as f64 * 1e-9, repair.cwnd_most)
    };
    let (frozen_s, cwnd_most) = repaired_s(true);
    assert_near(frozen_s, 711.0 * 0.16, 0.001, "seconds of repair");
    assert_eq!(cwnd_most, 1.0);
    let (repaired_s, _) = repaired_s(false);
    assert!(repaired_s < 12.0 * 0.16, "{repaired_s} s");
}

/// When everything below a segment was acknowledged, and the largest window of the Loss state before that.
#[derive(Default)]
struct Repair {
    below: u64,
    at_s: Option<f64>,
    cwnd_most: f64,
}

impl Observer for Repair {
    fn on_acked(&mut self, now: Time, _flow: usize, sender: &Sender<Controller>) {
        let connection = sender.connection();
        if connection.una >= self.below {
            self.at_s.get_or_insert(now.as_secs_f64());
        } else if connection.ca_state == CaState::Loss {
            self.cwnd_most = self.cwnd_most.max(sender.window().cwnd);
        }
    }
}

/// A window that doubles, not the socket's cap, limits slow start at the beginning; after that it limits nothing.
#[test]
fn a_receiver_that_tunes_itself_keeps_ahead_of_slow_start() {
    let delivered = |autotune: bool, window: Option<u64>| {
        let transport = [("autotune".to_owned(), autotune.into())].into();
        let spec = spec(100, 1000, 30, vec![FlowSpec { transport, window_packets: window, ..flow("reno", 100) }]);
        segments_per_s(&run(&spec), 0)
    };
    assert_near(delivered(true, None), delivered(false, None), 0.002, "of an unlimited window");
    assert_near(delivered(true, Some(100)), 1000.0, 0.02, "the cap per round trip");
}

/// Ten segments at once do not fit a queue of eight, two at a time always do: the window of 40 is less than half of what the path holds.
#[test]
fn bursts_overflow_a_queue_that_single_segments_do_not() {
    let lost = |segments: u64| {
        let transport = [
            ("offload_segments".to_owned(), segments.into()),
            ("initial_window".to_owned(), 2.into()),
            ("initial_ssthresh".to_owned(), 10.into()),
        ]
        .into();
        let flow = FlowSpec { transport, window_packets: Some(40), ..flow("reno", 10) };
        run(&spec(100, 8, 30, vec![flow])).flows[0].lost_packets
    };
    assert_eq!(lost(1), 0);
    assert!(lost(10) > 0);
}

/// Windows Vista before SP1: every loss leaves one packet.
#[test]
fn a_window_goes_to_one_at_every_loss() {
    let least = |recovery: &str| {
        let transport = [("recovery".to_owned(), recovery.into())].into();
        let mut spec = spec(100, 100, 30, vec![FlowSpec { transport, ..flow("reno", 10) }]);
        spec.forward.losses = vec![LossSpec { among: AmongSpec::Data, model: LossModelSpec::Periodic { every: 20_000, first: 20_000 } }];
        let mut least = Least(f64::INFINITY);
        let records = sim::run_observed(&spec, &mut least, || false).expect("a legal scenario");
        assert!(records.flows[0].at_end.loss_episodes > 5 && records.flows[0].at_end.timeouts == 0);
        least.0
    };
    assert!(least("at-once") > 20.0);
    assert!(least("to-one") < 3.0);
}

/// The smallest window of the Open state once a hundred segments were acknowledged.
struct Least(f64);

impl Observer for Least {
    fn on_acked(&mut self, _now: Time, _flow: usize, sender: &Sender<Controller>) {
        let connection = sender.connection();
        if connection.una > 100 && connection.ca_state == CaState::Open {
            self.0 = self.0.min(sender.window().cwnd);
        }
    }
}
