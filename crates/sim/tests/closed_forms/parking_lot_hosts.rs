//! Hosts before several bottlenecks in a row: whichever is narrowest decides, the host included.

use sim::{DeviceSpec, HostSpec};

use crate::parking_lot::{balance, busy_lot, crossing};
use crate::*;

const US: u64 = 1000;

/// Two flows of 10 ms on one host, the first over both hops, the second over the second alone, on links that drop nothing.
fn behind_a_host(host: HostSpec, mbit_s: [u64; 2], window: Option<u64>) -> Spec {
    let hop = |mbit_s| dumbbell(mbit_s, 100_000, 1, Vec::new()).forward;
    let given = FlowSpec { window_packets: window, host: Some(0), ..flow("reno", 10) };
    let flows = vec![crossing(1, 2, given.clone()), crossing(2, 2, given)];
    let hops = vec![HopSpec { delay_ns: 2 * MS, link: hop(mbit_s[1]) }];
    Spec { forward: hop(mbit_s[0]), hops, hosts: vec![host], ..spec(1, 1, 30, flows) }
}

/// Packets per second over each hop after the warm-up of 10 s.
fn packets_per_s(records: &Records) -> Vec<f64> {
    records.links.iter().map(|link| link.totals.window_delivered_bytes as f64 / 1500.0 / 20.0).collect()
}

/// The second hop of 1 Gbit/s takes 83,333 packets a second, and the windows allow 200,000; the processor does one in 17 us, 58,824. So that
/// hop is never full, and the first, which carries what one of two equal flows has of that, still less. Without the processor it is full.
#[test]
fn a_processor_binds_before_the_hop() {
    let host = HostSpec { packet_ns: 17 * US, ..HostSpec::default() };
    let records = run(&behind_a_host(host, [10_000, 1000], Some(1000)));
    let rates = packets_per_s(&records);
    assert_near(rates[1], 1e6 / 17.0, 0.001, "packets per second over the second hop");
    assert_near(rates[0], 0.5e6 / 17.0, 0.01, "over the first");
    assert!(records.links[1].mean_queue_packets() < 2.0, "{:?}", records.links[1]);
    let unbound = run(&behind_a_host(HostSpec::default(), [10_000, 1000], Some(1000)));
    assert_near(packets_per_s(&unbound)[1], 1e9 / 12_000.0, 0.001, "without the processor");
}

/// The device of 100 Mbit/s serves both flows before hops of 120 and 150 Mbit/s see them: 8333 packets a second, and what is refused
/// there is lost nowhere.
#[test]
fn a_device_binds_before_the_hops() {
    let device = Some(DeviceSpec { rate_bps: 100_000_000, queue_packets: 100 });
    let records = run(&behind_a_host(HostSpec { device, ..HostSpec::default() }, [120, 150], None));
    assert_near(packets_per_s(&records)[1], 1e8 / 12_000.0, 0.001, "packets per second over the second hop");
    for row in &records.flows {
        assert_eq!((row.lost_packets, row.at_end.retransmitted), (0, 0));
        assert!(row.send_stalls > Some(10), "{:?} refusals", row.send_stalls);
    }
    // Paced by the device, packets find the first hop empty; at the second, those of one flow meet those that the other sent 2 ms earlier.
    assert_eq!(records.links[0].totals.window_max_packets, 1);
}

/// As without hosts: every hop's books balance to the packet.
#[test]
fn no_packet_vanishes_between_hosts_and_hops() {
    let mut spec = busy_lot();
    let host = |packet_us: u64, mbit_s: u64| HostSpec {
        packet_ns: packet_us * US,
        ack_ns: 20 * US,
        sack_ns: 10,
        stalls: vec![Outage { at_ns: 10 * SECOND, length_ns: 100 * MS }],
        device: Some(DeviceSpec { rate_bps: mbit_s * 1_000_000, queue_packets: 8 }),
        ack_tick_ns: MS,
        per_transfer: false,
    };
    spec.hosts = (0..spec.flows.len() as u64).map(|i| host(10 * i, if i % 4 == 0 { 2 } else { 200 })).collect();
    for (number, flow) in (0..).zip(&mut spec.flows) {
        flow.host = Some(number);
    }
    let records = run(&spec);
    balance(&spec, &records, Vec::new());
    assert!(records.flows.iter().filter(|row| row.send_stalls > Some(0)).count() >= 2, "no device refused anything");
}
