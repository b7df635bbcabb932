//! A controller of one's own gets what the built-in ones get.

use windtunnel::{CongestionControl, Connection, Control, Credit, Dumbbell, Error, Flow, Needs, Window};

/// Reno in integers, with a choice of what a loss leaves.
#[derive(Clone, Debug)]
struct Mine {
    left: f64,
}

impl CongestionControl for Mine {
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = if w.in_slow_start() { w.slow_start(acked) } else { acked };
        if rest > 0 {
            w.add_credit(Credit { acked: rest, per_segment: w.segments() });
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        (w.cwnd * self.left).floor().max(2.0)
    }
}

const HALF: Mine = Mine { left: 0.5 };

fn path() -> Dumbbell {
    Dumbbell::new(20e6, 0.03).duration_s(30.0).seed(7)
}

#[test]
fn reno_written_again_gives_the_records_of_reno_but_for_its_name() {
    let run = |flow: fn() -> Flow| path().flow(flow()).flow(flow().start_s(1.0)).run().unwrap();
    let (own, built_in) = (run(|| Flow::of(HALF)), run(|| Flow::from("reno")));
    for (own, built_in) in own.frames().iter().zip(built_in.frames()) {
        for (own, built_in) in own.columns.iter().zip(&built_in.columns) {
            let is_a_name = matches!(own.name, "algorithm" | "variant");
            // Written out, for a NaN is not equal to itself.
            assert!(is_a_name || format!("{:?}", own.cells) == format!("{:?}", built_in.cells), "{}", own.name);
        }
    }
    assert_eq!(own.common(), built_in.common());
    assert_eq!(own.flows(), built_in.flows());
}

/// Of one flow with a queue of a whole product the link never idles, whatever is left above a half: both do, and back off by what they say.
#[test]
fn two_controllers_of_one_type_are_two() {
    let run = path().flow(Flow::of(HALF)).flow(Flow::named_of("gentle", Mine { left: 0.9 })).run().unwrap();
    let [half, gentle] = &run.flows()[..] else { panic!("two flows") };
    assert!(gentle.throughput_bps > 2.0 * half.throughput_bps, "{half:?} {gentle:?}");
    assert!(run.utilisation() > 0.99);
}

#[test]
fn the_same_bits_twice_and_other_bits_by_another_seed() {
    let digest = |seed| path().loss(1e-3).seed(seed).flow(Flow::of(HALF)).run().unwrap().records_digest();
    assert_eq!(digest(1), digest(1));
    assert_ne!(digest(1), digest(2));
}

#[test]
fn a_transfer_completes() {
    let run = path().flow(Flow::of(HALF).bytes(1_000_000)).run().unwrap();
    // At 20 Mbit/s the packets of 1 MB take 0.414 s, and slow start some round trips more.
    let completed_s = run.flows()[0].completed_s.unwrap();
    assert!(completed_s > 0.414 && completed_s < 0.7, "{completed_s}");
}

#[derive(Clone, Debug)]
struct Wrong(f64);

impl CongestionControl for Wrong {
    fn needs(&self) -> Needs {
        Needs { control: Control::Full, ..Needs::default() }
    }

    fn on_acked(&mut self, w: &mut Window, c: &Connection, _acked: u32) {
        if c.delivered > 100 {
            w.cwnd = self.0;
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        w.cwnd
    }
}

#[test]
fn a_window_that_none_may_have_ends_the_run_with_controller_hook_flow_and_time() {
    for value in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300] {
        let error = path().flow("reno").flow(Flow::of(Wrong(value))).run().unwrap_err().to_string();
        let shown = if value == 1e300 { "1e300".into() } else { value.to_string() };
        let said = format!("s: cwnd is {shown}; allowed: 1 .. 2147483647 segments");
        assert!(error.starts_with("Wrong: on_acked of flow 2 at ") && error.ends_with(&said), "{error}");
    }
}

#[test]
fn bad_names_and_scenarios_are_refused_in_one_line() {
    let said = |dumbbell: Dumbbell| dumbbell.run().unwrap_err().to_string();
    let named = |name| said(path().flow(Flow::named_of(name, HALF)));
    assert_eq!(named("cubic"), "\"cubic\" cannot be a controller's name: a built-in controller has it; name it with Flow::named_of");
    for name in ["", "a b", "mine:rfc", "\u{e9}"] {
        assert!(named(name).contains("letters, digits, '-' and '_' are allowed"), "{name}");
    }
    assert!(said(path().flow("no-such-law")).contains("no-such-law"));
    for number in [f64::NAN, f64::INFINITY] {
        assert_eq!(said(Dumbbell::new(number, 0.03).flow("reno")), "scenario: a number in it is NaN or infinite");
        assert_eq!(said(path().queue_bdp(number).flow("reno")), "scenario: a number in it is NaN or infinite");
    }
    assert!(matches!(path().flow("reno").duration_s(-1.0).run(), Err(Error::Scenario(_))));
}
