//! What there is to choose from, for front ends.

use net::queue::{Demand, Is, Number, Qdisc};
use serde_json::{json, Value};
use tcp::Options;

use crate::accept::described_options;

const PROFILE_SUMMARIES: [&str; 6] = [
    "What Linux 6.1 does.",
    "What Linux 6.12 does where it differs from 6.1: the receiver.",
    "Linux of 2007, of the studies of 2008: forward acknowledgement, rate halving, a clock of 1 ms.",
    "The 2007 benchmark's kernel: byte counting, SACK, rate halving, no tail probes.",
    "Linux of the studies of 2003 and 2004: as 2.6.23, with an initial window of 2 and a clock of 10 ms.",
    "The texts of the RFCs.",
];

fn discipline(row: &&net::queue::Discipline) -> Value {
    let described =
        |p: &net::queue::Parameter| json!({"name": p.name, "unit": p.unit, "min": p.min, "max": p.max, "default": p.default, "doc": p.doc});
    let parameters: Vec<Value> = row.parameters.iter().map(described).collect();
    let qdisc = row.qdisc.as_ref().map(qdisc);
    json!({"name": row.name, "year": row.year, "source": row.source, "summary": row.summary, "parameters": parameters, "qdisc": qdisc})
}

/// What stands for a discipline in a Linux kernel.
fn qdisc(row: &Qdisc) -> Value {
    let number = |number: &Number| match *number {
        Number::Limit(unit) => json!({"of": "limit", "unit": unit.name()}),
        Number::Of(parameter, unit) => json!({"of": "parameter", "parameter": parameter, "unit": unit.name()}),
        Number::Beyond(parameter, other, unit) => {
            json!({"of": "parameter", "parameter": parameter, "beyond": other, "unit": unit.name()})
        }
        Number::RateAbove(part) => json!({"of": "rate", "above_by_a": part}),
        Number::Constant(value) => json!({"of": "constant", "value": value}),
    };
    let demand = |demand: &Demand| {
        let is = match demand.is {
            Is::Exactly(bound) => json!({"is": "exactly", "bound": bound}),
            Is::AtLeast(bound) => json!({"is": "at_least", "bound": bound}),
            Is::Multiple { times, most } => json!({"is": "multiple", "times": times, "bound": most}),
            Is::PowerOfTwo(within) => json!({"is": "power_of_two", "bound": within}),
            Is::Fits(bits, other) => json!({"is": "fits", "bound": bits, "weight": other}),
        };
        json!({"parameter": demand.parameter, "demand": is, "otherwise": demand.otherwise})
    };
    json!({
        "kind": row.kind,
        "option": row.option,
        "counts_bytes": row.counts_bytes,
        "numbers": row.numbers.iter().map(number).collect::<Vec<_>>(),
        "demands": row.demands.iter().map(demand).collect::<Vec<_>>(),
    })
}

/// Everything a front end must know to check a scenario: algorithms, disciplines, profiles, transport options, engine version.
pub fn catalogue() -> Value {
    let profiles: Vec<Value> = Options::PROFILES
        .iter()
        .zip(PROFILE_SUMMARIES)
        .map(|(name, summary)| json!({"name": name, "summary": summary, "transport": Options::of_profile(name)}))
        .collect();
    let options = described_options(&profiles[0]["transport"]);
    json!({
        "engine_version": crate::ENGINE_VERSION,
        "algorithms": cc::catalogue(),
        "disciplines": net::queue::DISCIPLINES.iter().map(discipline).collect::<Vec<_>>(),
        "profiles": profiles,
        "transport_options": options,
    })
}
