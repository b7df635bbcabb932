//! Unmodified modules of the installed kernel source beside our own laws: in random scenarios every window after every ACK is the same.

mod common;
#[allow(dead_code, unused_imports)]
#[path = "../../sim/tests/common/mod.rs"]
mod random;
mod shadow;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use cc::{Controller, Guests, NO_GUESTS};
use common::{kernels, workshop};
use sim::{run_with, Beside, Observer, Spec};
use tcp::Sender;
use units::Time;

/// A module of the kernel's, and our law.
const TWINS: [(&str, &str); 14] = [
    ("scalable", "scalable"),
    ("highspeed", "hstcp"),
    ("bic", "bic"),
    ("cubic", "cubic"),
    ("htcp", "htcp"),
    ("hybla", "hybla"),
    ("illinois", "illinois"),
    ("lp", "lp"),
    ("vegas", "vegas"),
    ("veno", "veno"),
    ("westwood", "westwood"),
    ("yeah", "yeah"),
    ("dctcp", "dctcp"),
    ("bbr", "bbr"),
];

/// What BBR draws, in both.
const PHASE: i64 = 3;

/// One ACK as it was handled.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Acked {
    now: Time,
    flow: usize,
    cwnd: f64,
    ssthresh: f64,
    una: u64,
    in_flight: u32,
}

#[derive(Default)]
struct Trace(Vec<Acked>);

impl Observer for Trace {
    fn on_acked(&mut self, now: Time, flow: usize, sender: &Sender<Controller>) {
        let (w, c) = (sender.window(), sender.connection());
        self.0.push(Acked { now, flow, cwnd: w.cwnd, ssthresh: w.ssthresh, una: c.una, in_flight: c.in_flight });
    }
}

/// Every window of a scenario in which all flows run this algorithm.
fn windows(spec: &Spec, (algorithm, variant): (&str, Option<&str>), guests: &Guests) -> Result<Vec<Acked>, String> {
    let mut spec = spec.clone();
    for flow in &mut spec.flows {
        flow.algorithm = algorithm.into();
        flow.variant = variant.map(str::to_owned);
        flow.profile = "linux-6.1".into();
        flow.parameters = BTreeMap::new();
        flow.slow_start = None;
        // Linux 6.1 times in microseconds whatever it is asked.
        flow.transport.retain(|option, _| !option.contains("rtt_"));
        if algorithm == "bbr" {
            flow.parameters.insert("phase_draw".into(), PHASE as f64);
        }
    }
    let mut trace = Trace::default();
    run_with(&spec, Beside { guests, ..Beside::default() }, &mut trace, || false).map_err(|error| error.to_string())?;
    Ok(trace.0)
}

/// The first call of a hook that the two answer differently, when both are shown the same connection.
fn first_hook(spec: &Spec, law: &'static str, guests: &Guests) -> String {
    let shadow = Arc::new(shadow::Shadow::new(law, guests.clone(), if law == "bbr" { Some(PHASE as f64) } else { None }));
    let mut shadows = Guests::default();
    shadows.insert("twin", shadow.clone());
    let run = windows(spec, ("twin", None), &shadows);
    let found = shadow.first();
    found.unwrap_or_else(|| format!("no hook differs when both are shown the same ({:?})", run.err()))
}

/// Scenarios that differ, of so many, with the first ACK that does.
fn differences(source: &Path, module: &str, law: &'static str, scenarios: u64) -> (Vec<String>, usize) {
    let path = source.join(format!("net/ipv4/tcp_{module}.c"));
    let protocol = guest::open(&path, &workshop()).unwrap_or_else(|error| panic!("{error}\n{}", error.compiler.join("\n")));
    let protocol = if module == "bbr" { protocol.with_pinned_draw(PHASE) } else { protocol };
    let mut guests = Guests::default();
    guests.insert("twin", Arc::new(protocol));
    let mut acks = 0;
    let mut found = Vec::new();
    for index in 0..scenarios {
        let spec = random::scenario(index);
        let ours = windows(&spec, (law, Some("linux-6.1")), &NO_GUESTS).unwrap();
        let theirs = match windows(&spec, ("twin", None), &guests) {
            Ok(theirs) => theirs,
            Err(error) => {
                found.push(format!("scenario {index}: {error}"));
                continue;
            }
        };
        acks += ours.len();
        if ours != theirs {
            let at = ours.iter().zip(&theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
            let which = |acks: &[Acked]| acks.get(at).map_or("no ACK".into(), |acked| format!("{acked:?}"));
            let hook = first_hook(&spec, law, &guests);
            found.push(format!(
                "scenario {index}: ACK {at} of {}: ours {}\n  file's {}\n  {hook}",
                ours.len(),
                which(&ours),
                which(&theirs)
            ));
        }
    }
    (found, acks)
}

#[test]
fn modules_of_linux_6_1_move_the_windows_of_our_laws_in_random_scenarios() {
    let scenarios = std::env::var("SCENARIOS").map_or(200, |given| given.parse().expect("SCENARIOS is a number"));
    let wanted = std::env::var("MODULE").ok();
    let mut wrong = Vec::new();
    for (_, source) in kernels().into_iter().filter(|(version, _)| version == "6.1") {
        for (module, law) in TWINS.into_iter().filter(|(module, _)| wanted.as_deref().is_none_or(|wanted| wanted == *module)) {
            let (found, acks) = differences(&source, module, law, scenarios);
            println!("{module}: {} of {scenarios} scenarios differ, {acks} ACKs compared", found.len());
            wrong.extend(found.into_iter().take(3).map(|what| format!("{module}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
