//! What there is to choose from, for front ends.

use serde_json::{json, Value};
use tcp::Options;

use crate::accept::described_options;

const PROFILE_SUMMARIES: [&str; 5] = [
    "What a current Linux does.",
    "Linux of 2007, of the studies of 2008: forward acknowledgement, rate halving, a clock of 1 ms.",
    "The 2007 benchmark's kernel: byte counting, SACK, rate halving, no tail probes.",
    "Linux of the studies of 2003 and 2004: as 2.6.23, with an initial window of 2 and a clock of 10 ms.",
    "The texts of the RFCs.",
];

fn discipline(row: &&net::queue::Discipline) -> Value {
    let described =
        |p: &net::queue::Parameter| json!({"name": p.name, "unit": p.unit, "min": p.min, "max": p.max, "default": p.default, "doc": p.doc});
    let parameters: Vec<Value> = row.parameters.iter().map(described).collect();
    json!({"name": row.name, "year": row.year, "source": row.source, "summary": row.summary, "parameters": parameters})
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
