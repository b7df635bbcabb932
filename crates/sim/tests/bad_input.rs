//! Every bad field is refused, by name, with its value and what is allowed.

use sim::{accept, Spec};

fn good() -> serde_json::Value {
    serde_json::json!({
        "seed": 1, "duration_ns": 10_000_000_000_u64, "forward": {"rate_bps": 10_000_000, "queue": {"unit": "packets", "limit": 50}},
        "flows": [{"algorithm": "reno", "rtt_ns": 50_000_000}],
    })
}

/// Replaces the value at a JSON pointer of a good scenario, and returns the refusal.
fn refusal(changes: &[(&str, serde_json::Value)]) -> String {
    let mut scenario = good();
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        scenario.pointer_mut(parent).expect("a parent")[key] = value.clone();
    }
    let spec = Spec::from_json(&scenario.to_string()).expect("a scenario of the right types");
    accept(&spec).expect_err(&format!("{changes:?} should be refused")).to_string()
}

/// A list of one model of loss.
fn loss(model: &str, fields: &[(&str, serde_json::Value)]) -> serde_json::Value {
    let mut table = serde_json::json!({"model": model, "among": "data"});
    for (name, value) in fields {
        table[name] = value.clone();
    }
    serde_json::json!([table])
}

fn steps(at_ns: &[u64]) -> serde_json::Value {
    let steps: Vec<_> = at_ns.iter().map(|at_ns| serde_json::json!({"at_ns": at_ns, "extra_ns": 1})).collect();
    serde_json::json!({"delay_steps": steps})
}

fn sizes(given: &[(u64, u64)]) -> serde_json::Value {
    let step = |(at_ns, limit): &(u64, u64)| serde_json::json!({"at_ns": at_ns, "queue": {"unit": "packets", "limit": limit}});
    serde_json::json!({"queue_steps": given.iter().map(step).collect::<Vec<_>>()})
}

fn outages(spans: &[(u64, u64)]) -> serde_json::Value {
    let outages: Vec<_> = spans.iter().map(|(at_ns, length_ns)| serde_json::json!({"at_ns": at_ns, "length_ns": length_ns})).collect();
    serde_json::json!({"outages": outages})
}

/// A list of one source of datagrams.
fn udp(fields: &[(&str, serde_json::Value)]) -> serde_json::Value {
    let mut table = serde_json::json!({"rate_bps": 1_000_000});
    for (name, value) in fields {
        table[name] = value.clone();
    }
    serde_json::json!([table])
}

fn asked(request: f64, response: f64, think_ns: f64, count: u64) -> serde_json::Value {
    let fixed = |mean: f64| serde_json::json!({"law": "fixed", "mean": mean});
    serde_json::json!({"count": count, "sizes": fixed(request), "responses": fixed(response), "think": fixed(think_ns)})
}

fn chunks(rate_bps: u64, every_ns: u64) -> serde_json::Value {
    serde_json::json!({"kind": "chunks", "rate_bps": rate_bps, "every_ns": every_ns})
}

fn wave(amplitude_bps: u64, period_ns: u64) -> serde_json::Value {
    serde_json::json!({"amplitude_bps": amplitude_bps, "period_ns": period_ns})
}

fn burst(to_bad: f64, to_good: f64) -> serde_json::Value {
    loss("gilbert-elliott", &[("to_bad", to_bad.into()), ("to_good", to_good.into()), ("loss_bad", 1.0.into()), ("loss_good", 0.0.into())])
}

fn source(field: &str, value: serde_json::Value) -> serde_json::Value {
    let mut source = serde_json::json!({
        "flows": [{"algorithm": "reno", "rtt_ns": 50_000_000}], "offered": {"load": 0.1}, "sizes": {"law": "fixed", "mean": 10_000.0},
    });
    source[field] = value;
    serde_json::json!([source])
}

#[test]
fn every_bad_field_of_a_source_is_named_with_value_and_range() {
    use serde_json::json;
    let pareto = |mean: f64, shape: f64| json!({"law": "pareto", "mean": mean, "shape": shape});
    let two = json!([{"algorithm": "reno", "rtt_ns": 50_000_000}, {"algorithm": "reno", "rtt_ns": 50_000_000, "packet_bytes": 1501}]);
    for (field, value, named, shown, allowed) in [
        ("flows", json!([]), "arrivals[0].flows", "0", "1 to 1000 kinds"),
        ("flows", json!([{"algorithm": "reno", "rtt_ns": 1}]), "arrivals[0].flows[0].rtt", "s", "1 us to 10 s"),
        ("flows", json!([{"algorithm": "renu", "rtt_ns": 50_000_000}]), "arrivals[0].flows[0].algorithm", "renu", ""),
        (
            "flows",
            json!([{"algorithm": "reno", "rtt_ns": 50_000_000, "bytes": 9}]),
            "arrivals[0].flows",
            "reno",
            "do not belong to transfers",
        ),
        ("flows", json!([{"algorithm": "reno", "rtt_ns": 50_000_000, "direction": "reverse"}]), "direction", "reverse", "a reverse link"),
        ("flows", two, "arrivals[0].flows", "reno", "one packet size"),
        ("flows", json!([{"algorithm": "reno", "rtt_ns": 50_000_000, "host": 7}]), "arrivals[0].flows[0].host", "7", "number of a host"),
        ("offered", json!({"load": 0.0}), "arrivals[0].load", "0", "more than 0"),
        ("offered", json!({"load": 10.1}), "arrivals[0].load", "10.1", "more than 0, at most 10 of the link's rate"),
        ("offered", json!({"per_second": 0.0}), "arrivals[0].rate", "0", "more than 0"),
        ("offered", json!({"per_second": 1e8}), "arrivals[0].rate", "100000000", "at most 10000000"),
        ("sizes", json!({"law": "fixed", "mean": 0.0}), "arrivals[0].sizes", "0", "1 to 1e15 bytes"),
        ("sizes", pareto(0.5, 1.2), "arrivals[0].sizes", "0.5", "1 to 1e15 bytes"),
        ("sizes", pareto(1000.0, 1.0), "arrivals[0].sizes.shape", "1", "more than 1"),
        ("max_bytes", json!(0), "arrivals[0].max", "0", "1 to 1e15 bytes"),
        ("start_ns", json!(10_000_000_000_u64), "arrivals[0].start", "10 s", "before the end"),
        ("stop_ns", json!(0), "arrivals[0].stop", "0 s", "after the source's start"),
    ] {
        let line = refusal(&[("/arrivals", source(field, value))]);
        assert!(line.contains(named) && line.contains(shown) && line.contains(allowed) && !line.contains('\n'), "{line}");
    }
}

#[test]
fn every_bad_field_of_a_session_is_named_with_value_and_range() {
    use serde_json::json;
    let fixed = |mean: f64| json!({"law": "fixed", "mean": mean});
    for (field, value, named, shown, allowed) in [
        ("flows", json!([]), "sessions[0].flows", "0", "1 to 1000 kinds"),
        ("count", json!(0), "sessions[0].count", "0", "1 to 100000 sessions"),
        ("connections", json!(0), "sessions[0].connections", "0", "1 to 1000 connections"),
        ("connections", json!(1001), "sessions[0].connections", "1001", "1 to 1000 connections"),
        ("objects", fixed(0.5), "sessions[0].objects", "0.5", "1 to 1000000 objects"),
        ("sizes", fixed(0.0), "sessions[0].sizes", "0", "1 to 1e15 bytes"),
        ("think", fixed(0.0), "sessions[0].think", "0", "1 ns to 100000 s"),
        ("think", json!({"law": "pareto", "mean": 1e9, "shape": 0.5}), "sessions[0].think.shape", "0.5", "more than 1"),
        ("start_ns", json!(10_000_000_000_u64), "sessions[0].start", "10 s", "before the end"),
    ] {
        let mut session = json!({
            "flows": [{"algorithm": "reno", "rtt_ns": 50_000_000}], "count": 1, "objects": fixed(1.0), "sizes": fixed(1e4), "think": fixed(1e9),
        });
        session[field] = value;
        let line = refusal(&[("/sessions", json!([session]))]);
        assert!(line.contains(named) && line.contains(shown) && line.contains(allowed) && !line.contains('\n'), "{line}");
    }
}

/// An open loop above the link's rate: more transfers alive than there is room for end the run with one line.
#[test]
fn a_link_that_never_catches_up_ends_the_run() {
    let mut scenario = good();
    scenario["arrivals"] = source("offered", serde_json::json!({"per_second": 2_000_000.0}));
    let spec = Spec::from_json(&scenario.to_string()).expect("a scenario");
    let error = sim::run(&spec, || false).expect_err("too many").to_string();
    assert!(
        error.starts_with("arrivals: 100000 transfers at once after 0.") && error.ends_with("give less load: the link never catches up"),
        "{error}"
    );
}

#[test]
fn the_good_one_is_accepted() {
    let spec = Spec::from_json(&good().to_string()).expect("a scenario");
    assert!(accept(&spec).is_ok());
}

#[test]
fn every_bad_field_is_named_with_value_and_range() {
    let long = 14_400_000_001_000_u64;
    let both = serde_json::json!({"trace_ms": [1], "outages": [{"at_ns": 1, "length_ns": 1}]});
    let cases: Vec<(&str, serde_json::Value, &str, &str, &str)> = vec![
        ("/duration_ns", 0.into(), "duration", "0 s", "more than 0 s, at most 4 h"),
        ("/duration_ns", long.into(), "duration", "14400.000001 s", "more than 0 s, at most 4 h"),
        ("/warmup_ns", 10_000_000_000_u64.into(), "warmup", "10 s", "less than the duration"),
        ("/sample_ns", 999.into(), "sample", "0.000000999 s", "at least 1 us"),
        ("/flows", serde_json::json!([]), "flows", "0", "1 to 1000000 flows"),
        ("/forward/rate_bps", 999.into(), "bottleneck.rate", "999", "1 kbit/s to 1 Tbit/s"),
        ("/forward/rate_bps", 1_000_000_000_001_u64.into(), "bottleneck.rate", "1000000000001", "1 kbit/s to 1 Tbit/s"),
        ("/forward/loss_probability", (-0.1).into(), "bottleneck.loss", "-0.1", "from 0 to below 1"),
        ("/forward/loss_probability", 1.0.into(), "bottleneck.loss", "1", "from 0 to below 1"),
        ("/forward/losses", burst(1.1, 0.5), "bottleneck.losses[0].to_bad", "1.1", "from 0 to 1"),
        ("/forward/losses", burst(0.1, 0.0), "bottleneck.losses[0].to_good", "0", "more than 0"),
        ("/forward/losses", loss("periodic", &[("every", 1.into()), ("first", 1.into())]), "losses[0].every", "1", "at least 2 packets"),
        ("/forward/losses", loss("periodic", &[("every", 9.into()), ("first", 0.into())]), "losses[0].first", "0", "at least 1"),
        ("/forward/losses", loss("scripted", &[("packets", [2, 2].as_slice().into())]), "losses[0].packets", "[2, 2]", "ascending"),
        ("/forward/losses", loss("scripted", &[("packets", [0].as_slice().into())]), "losses[0].packets", "[0]", "counted from 1"),
        ("/forward/losses", loss("scripted", &[("flow", 1.into()), ("packets", [1].as_slice().into())]), "losses[0].flow", "1", "0 to 0"),
        ("/forward/losses", loss("timed", &[("interval_ns", 999.into()), ("probability", 0.5.into())]), "losses[0].interval", "s", "1 ms"),
        (
            "/forward/losses",
            loss("timed", &[("interval_ns", 1_000_000.into()), ("probability", 0.0.into())]),
            "probability",
            "0",
            "above 0",
        ),
        ("/forward/changes", serde_json::json!({"rate_steps": [{"at_ns": 1, "rate_bps": 0}]}), "rate_steps[0].rate", "0", "an outage"),
        ("/forward/changes", steps(&[5, 5]), "delay_steps[1].at", "0.000000005 s", "ascending"),
        ("/forward/changes", outages(&[(5, 2), (6, 1)]), "outages[1].at", "0.000000006 s", "after the outage before"),
        ("/forward/changes", outages(&[(5, 0)]), "outages[0].length", "0 s", "more than 0 s"),
        ("/forward/changes", serde_json::json!({"trace_ms": [3, 2]}), "bottleneck.trace", "2 entries", "ascending"),
        ("/forward/changes", serde_json::json!({"trace_ms": [0]}), "bottleneck.trace", "1 entries", "the last above 0"),
        ("/forward/changes", sizes(&[(5, 0)]), "bottleneck.queue_steps[0].queue", "0", "1 to 10000000 packets"),
        ("/forward/changes", sizes(&[(5, 9), (5, 8)]), "queue_steps[1].at", "0.000000005 s", "ascending"),
        ("/forward/changes", both, "bottleneck.trace", "outages", "one of them"),
        ("/forward/disorder", serde_json::json!({"late_probability": 1.0}), "bottleneck.reorder", "1", "from 0 to below 1"),
        ("/forward/disorder", serde_json::json!({"late_probability": 0.1}), "bottleneck.reorder_by", "0 s", "more than 0 s"),
        ("/forward/disorder", serde_json::json!({"double_probability": -0.1}), "bottleneck.duplicate", "-0.1", "from 0 to below 1"),
        ("/forward/queue/limit", 0.into(), "bottleneck.queue", "0", "1 to 10000000 packets"),
        ("/forward/queue", serde_json::json!({"unit": "bytes", "limit": 1499}), "bottleneck.queue", "1499", "1500 to 15000000000 bytes"),
        ("/forward/queue", serde_json::json!({"unit": "ns", "limit": 0}), "bottleneck.queue", "0", "more than 0 s, at most 60 s"),
        ("/reverse", serde_json::json!({"rate_bps": 1, "queue": {"unit": "packets", "limit": 1}}), "reverse.rate", "1", "1 kbit/s"),
        ("/traffic", udp(&[("rate_bps", 999.into())]), "traffic[0].rate", "999", "1 kbit/s to 1 Tbit/s"),
        ("/traffic", udp(&[("packet_bytes", 28.into())]), "traffic[0].packet", "28", "29 to 65535 bytes"),
        ("/traffic", udp(&[("start_ns", 10_000_000_000_u64.into())]), "traffic[0].start", "10 s", "before the end of the run"),
        ("/traffic", udp(&[("start_ns", 5.into()), ("stop_ns", 5.into())]), "traffic[0].stop", "s", "after the source's start"),
        ("/traffic", udp(&[("direction", "reverse".into())]), "traffic[0].direction", "reverse", "needs a reverse link"),
        ("/traffic", udp(&[("wave", wave(1_000_001, 1_000_000))]), "traffic[0].amplitude", "1000001", "at most the rate"),
        ("/traffic", udp(&[("wave", wave(0, 999_999))]), "traffic[0].period", "0.000999999 s", "1 ms to 1 h"),
        ("/flows/0/rtt_ns", 999.into(), "flows[0].rtt", "0.000000999 s", "1 us to 10 s"),
        ("/flows/0/rtt_ns", 10_000_000_001_u64.into(), "flows[0].rtt", "10.000000001 s", "1 us to 10 s"),
        ("/flows/0/jitter_ns", 50_000_001.into(), "flows[0].jitter", "0.050000001 s", "at most the base RTT"),
        ("/flows/0/start_ns", 10_000_000_000_u64.into(), "flows[0].start", "10 s", "before the end of the run"),
        ("/flows/0/stop_ns", 0.into(), "flows[0].stop", "0 s", "after the flow's start"),
        ("/flows/0/bytes", 0.into(), "flows[0].bytes", "0", "at least 1 byte"),
        ("/flows/0/window_packets", 0.into(), "flows[0].window", "0", "at least 1 packet"),
        ("/flows/0/mss_bytes", 0.into(), "flows[0].mss", "0", "1 to 65000 bytes"),
        ("/flows/0/mss_bytes", 1501.into(), "flows[0].mss", "1501", "packets no smaller than that"),
        ("/flows/0/direction", "reverse".into(), "flows[0].direction", "reverse", "needs a reverse link"),
        ("/flows/0/writes", serde_json::json!({"kind": "on-off", "on_ns": 999_999, "off_ns": 1_000_000}), "flows[0].on", "s", "1 ms"),
        ("/flows/0/writes", serde_json::json!({"kind": "on-off", "on_ns": 1_000_000, "off_ns": 0}), "flows[0].off", "0 s", "1 ms"),
        ("/flows/0/writes", chunks(1_000_000, 0), "flows[0].chunk", "0 s", "1 ms"),
        ("/flows/0/writes", chunks(999, 1_000_000), "flows[0].app_rate", "999", "1 kbit/s to 1 Tbit/s"),
        ("/flows/0/requests", asked(20_000.0, 1.0, 1.0, 1), "flows[0].request", "20000", "14480"),
        ("/flows/0/requests", asked(400.0, 0.5, 1.0, 1), "flows[0].response", "0.5", "1"),
        ("/flows/0/requests", asked(400.0, 1.0, 0.5, 1), "flows[0].think", "0.5", "1 ns"),
        ("/flows/0/requests", asked(400.0, 1.0, 1.0, 0), "flows[0].requests", "0", "1 to"),
        ("/flows/0/profile", "bsd".into(), "flows[0].profile", "bsd", "linux-6.1, linux-6.12, linux-2.6.23, altaimd-2.6.6, linux-2.4, rfc"),
        ("/flows/0/algorithm", "renno".into(), "flows[0].algorithm", "renno", "reno, ptcp, scalable"),
        ("/flows/0/variant", "x".into(), "flows[0].", "x", "linux-6.1, rfc"),
        ("/flows/0/parameters", serde_json::json!({"gain": 1.0}), "flows[0].", "gain", "allowed: none"),
        ("/flows/0/slow_start", "slow".into(), "flows[0].slow_start", "slow", "standard, limited, hystart, hystart++, none"),
        ("/flows/0/transport", serde_json::json!({"sacks": true}), "flows[0].sacks", "true", "choose one of sack"),
        ("/flows/0/transport", serde_json::json!({"sack": 1}), "flows[0].sack", "1", "true"),
        ("/flows/0/transport", serde_json::json!({"ack_every": 0}), "flows[0].ack_every", "0", "1"),
        ("/flows/0/transport", serde_json::json!({"recovery": "fast"}), "flows[0].recovery", "fast", "prr"),
        ("/flows/0/transport", serde_json::json!({"delayed_ack_s": 0.6}), "flows[0].delayed_ack_s", "0.6", "0.5"),
    ];
    for (pointer, value, field, shown, allowed) in cases {
        let message = refusal(&[(pointer, value.clone())]);
        for part in [field, shown, allowed] {
            assert!(message.contains(part), "{pointer} = {value}: {part:?} is not in {message:?}");
        }
    }
}

#[test]
fn a_field_of_another_model_is_refused() {
    let mut scenario = good();
    scenario["forward"]["losses"] = serde_json::json!([{"model": "periodic", "every": 10, "first": 1, "packets": [3]}]);
    let error = Spec::from_json(&scenario.to_string()).expect_err("no field of this model").to_string();
    assert!(error.contains("packets"), "{error}");
}

/// JSON cannot carry these, a library's caller can.
#[test]
fn a_discipline_knows_no_time_at_a_rate_that_changes() {
    let refusal = refusal(&[
        ("/forward/queue", serde_json::json!({"unit": "ns", "limit": 50_000_000})),
        ("/forward/discipline", serde_json::json!({"name": "codel"})),
        ("/forward/changes", serde_json::json!({"rate_steps": [{"at_ns": 1, "rate_bps": 5_000_000}]})),
    ]);
    assert_eq!(
        refusal,
        "bottleneck.queue: a limit in time is not allowed; give packets or bytes: codel at a rate that changes cannot know how long its queue takes"
    );
}

#[test]
fn a_probability_that_is_no_number_is_refused() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut spec = Spec::from_json(&good().to_string()).expect("a scenario");
        spec.forward.loss_probability = value;
        assert!(accept(&spec).is_err(), "{value}");
    }
}

#[test]
fn the_flow_that_is_wrong_is_named() {
    let flow = serde_json::json!({"algorithm": "reno", "rtt_ns": 50_000_000});
    let mut bad = flow.clone();
    bad["bytes"] = 0.into();
    assert!(refusal(&[("/flows", serde_json::json!([flow, bad]))]).starts_with("flows[1].bytes"));
}

#[test]
fn hops_that_cannot_be_are_refused() {
    let link = |more: serde_json::Value| {
        let mut link = serde_json::json!({"rate_bps": 10_000_000, "queue": {"unit": "packets", "limit": 50}});
        link.as_object_mut().expect("a table").extend(more.as_object().expect("a table").clone());
        link
    };
    let plain = || link(serde_json::json!({}));
    let hops = |delay_ns: u64, link: serde_json::Value| serde_json::json!([{"delay_ns": delay_ns, "link": link}]);
    let way = |enter: u32, leave: u32| serde_json::json!({"enter": enter, "leave": leave});
    let late = serde_json::json!({"disorder": {"late_probability": 0.1, "late_ns": 0, "double_probability": 0.0}});
    let narrow = serde_json::json!({"queue": {"unit": "bytes", "limit": 8999}});
    let jumbo = [("/flows/0/packet_bytes", 9000.into()), ("/flows/0/mss_bytes", 8948.into())];
    let many: serde_json::Value = (0..65).map(|_| serde_json::json!({"link": plain()})).collect();
    let lone = serde_json::json!({"algorithm": "reno", "rtt_ns": 50_000_000});
    let lone_first = serde_json::json!([{"algorithm": "reno", "rtt_ns": 50_000_000, "hops": way(1, 1)}]);
    let crossing = |kinds: &[(u32, u32)]| {
        let kind = |&(enter, leave): &(u32, u32)| serde_json::json!({"algorithm": "reno", "rtt_ns": 50_000_000, "hops": way(enter, leave)});
        source("flows", kinds.iter().map(kind).collect())
    };
    let law = |mean: f64| serde_json::json!({"law": "fixed", "mean": mean});
    let sessions = serde_json::json!([{"flows": [lone], "count": 1, "think": law(1e9), "objects": law(1.0), "sizes": law(1e4)}]);
    for (changes, parts) in [
        (vec![("/hops", hops(0, plain())), ("/arrivals", crossing(&[(3, 3)]))], ["arrivals[0].flows[0].enter", "3", "1 to 2"]),
        (vec![("/hops", hops(0, plain())), ("/arrivals", crossing(&[(1, 2), (1, 1)]))], ["arrivals[0].flows", "reno", "same hops"]),
        (
            vec![("/hops", hops(12_500_001, plain())), ("/flows", lone_first), ("/sessions", sessions)],
            ["sessions[0].flows[0].rtt", "0.05 s", "four times"],
        ),
        (vec![("/hops", many)], ["hops", "65", "at most 64"]),
        (vec![("/hops", hops(11_000_000_000, plain()))], ["hops[0].delay", "11 s", "10 s"]),
        (vec![("/hops", hops(0, link(serde_json::json!({"rate_bps": 5}))))], ["hops[0].rate", "5", "1 kbit/s"]),
        (vec![("/hops", hops(0, link(late)))], ["hops[0].reorder_by", "0 s", "more than 0 s"]),
        (vec![("/hops", hops(12_500_001, plain()))], ["flows[0].rtt", "0.05 s", "four times the 0.012500001 s"]),
        ([vec![("/hops", hops(0, link(narrow)))], jumbo.to_vec()].concat(), ["flows[0].packet", "9000", "8999 bytes"]),
        (vec![("/flows/0/hops", way(1, 2))], ["flows[0].leave", "2", "1 to 1"]),
        (vec![("/hops", hops(0, plain())), ("/flows/0/hops", way(2, 1))], ["flows[0].leave", "1", "2 to 2"]),
        (vec![("/hops", hops(0, plain())), ("/flows/0/hops", way(0, 1))], ["flows[0].enter", "0", "1 to 2"]),
        (vec![("/traffic", udp(&[("hops", way(2, 2))]))], ["traffic[0].enter", "2", "1 to 1"]),
    ] {
        let refusal = refusal(&changes);
        assert!(parts.iter().all(|part| refusal.contains(part)), "{refusal}");
    }
}

#[test]
fn a_host_that_is_wrong_is_named() {
    let host = |field: &str, value: serde_json::Value| serde_json::json!([{field: value}]);
    let device = |rate: u64, queue: u64| serde_json::json!({"rate_bps": rate, "queue_packets": queue});
    let outage = serde_json::json!([{"at_ns": 1, "length_ns": 0}]);
    let second = 1_000_000_001_u64;
    let cases = [
        (host("packet_ns", second.into()), "hosts[0].packet: 1.000000001 s", "at most 1 s"),
        (host("ack_ns", second.into()), "hosts[0].ack:", "at most 1 s"),
        (host("sack_ns", second.into()), "hosts[0].sack:", "at most 1 s"),
        (host("ack_tick_ns", second.into()), "hosts[0].ack_tick:", "at most 1 s"),
        (host("stalls", outage), "hosts[0].stalls[0].length: 0 s", "more than 0 s"),
        (host("device", device(999, 1)), "hosts[0].device.rate: 999", "1 kbit/s"),
        (host("device", device(1000, 0)), "hosts[0].device.queue: 0", "1 to"),
    ];
    for (hosts, named, allowed) in cases {
        let refusal = refusal(&[("/hosts", hosts)]);
        assert!(refusal.starts_with(named) && refusal.contains(allowed), "{refusal}");
    }
    assert!(refusal(&[("/flows/0/host", 0.into())]).starts_with("flows[0].host: 0"));
    let flow = |rtt_ns: u64| serde_json::json!({"algorithm": "reno", "rtt_ns": rtt_ns, "host": 0});
    let apart = refusal(&[("/hosts", host("ack_ns", 1.into())), ("/flows", serde_json::json!([flow(1_000_000), flow(2_000_000)]))]);
    assert!(apart.starts_with("flows[1].rtt: 0.002 s") && apart.contains("one base RTT"), "{apart}");
    let transfers = source("flows", serde_json::json!([flow(1_000_000), flow(2_000_000)]));
    let apart = refusal(&[("/hosts", host("ack_ns", 1.into())), ("/arrivals", transfers)]);
    assert!(apart.starts_with("arrivals[0].flows[1].rtt: 0.002 s") && apart.contains("one base RTT"), "{apart}");
    let theirs = refusal(&[("/hosts", host("per_transfer", true.into())), ("/flows/0/host", 0.into())]);
    assert!(theirs.starts_with("flows[0].host: 0") && theirs.contains("not of transfers"), "{theirs}");
}

#[test]
fn a_queue_in_bytes_holds_a_jumbo_frame() {
    let queue = || ("/forward/queue", serde_json::json!({"unit": "bytes", "limit": 8999}));
    let of_flow = refusal(&[queue(), ("/flows/0/packet_bytes", 9000.into()), ("/flows/0/mss_bytes", 8948.into())]);
    assert!(of_flow.starts_with("flows[0].packet: 9000") && of_flow.contains("8999"), "{of_flow}");
    let jumbo = serde_json::json!([{"algorithm": "reno", "rtt_ns": 50_000_000, "packet_bytes": 9000, "mss_bytes": 8948}]);
    let of_transfers = refusal(&[queue(), ("/arrivals", source("flows", jumbo))]);
    assert!(of_transfers.starts_with("arrivals[0].flows[0].packet: 9000") && of_transfers.contains("8999"), "{of_transfers}");
}
