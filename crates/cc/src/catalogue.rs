//! The registry as data, for those who list it.

use std::collections::BTreeMap;

use serde_json::{json, Value};

use crate::parameter::{Protocol, Values};
use crate::registry::{Algorithm, PROTOCOLS};
use crate::slow_start::Kind;

/// The whole registry as JSON: an array of objects, one per protocol.
pub fn catalogue() -> Value {
    PROTOCOLS.iter().map(|p| describe(p)).collect()
}

fn describe(p: &'static Protocol) -> Value {
    let variants: Vec<Value> = p
        .variants
        .iter()
        .map(|v| json!({"name": v.name, "aliases": v.aliases, "summary": v.summary, "exact_kernel": v.exact_kernel}))
        .collect();
    let parameters: Vec<Value> = p
        .parameters
        .iter()
        .map(|q| {
            let defaults: BTreeMap<&str, f64> = q.defaults.iter().copied().collect();
            json!({
                "name": q.name, "default": q.defaults[0].1, "defaults": defaults, "unit": q.unit, "min": q.min, "max": q.max, "doc": q.doc,
            })
        })
        .collect();
    let parameters: Vec<Value> = parameters.into_iter().chain(describe_slow_start(p)).collect();
    let constants: Vec<Value> =
        p.constants.iter().map(|k| json!({"name": k.name, "variant": k.variant, "value": k.value, "unit": k.unit})).collect();
    let profiles: BTreeMap<&str, &str> = p.profiles.iter().map(|row| (row.profile, row.variant)).collect();
    let belongs: BTreeMap<&str, bool> = p.profiles.iter().map(|row| (row.profile, row.belongs)).collect();
    json!({
        "name": p.name, "aliases": p.aliases, "family": p.family, "year": p.year, "source": p.source, "summary": p.summary,
        "signals": p.signals, "variants": variants, "parameters": parameters, "constants": constants, "profiles": profiles,
        "profile_belongs": belongs,
    })
}

/// The choice of a slow start as one more parameter, in the variants that leave the choice.
fn describe_slow_start(p: &'static Protocol) -> Option<Value> {
    let default = |variant: &'static str| {
        let law = Algorithm::new(&Values { protocol: p, variant, given: &BTreeMap::new() });
        law.slow_start().map(|kind| (variant, kind.name()))
    };
    let defaults: BTreeMap<&str, &str> = p.variants.iter().filter_map(|v| default(v.name)).collect();
    let first = p.variants.iter().find_map(|v| defaults.get(v.name))?;
    let choices: Vec<&str> = Kind::ALL.into_iter().map(Kind::name).collect();
    Some(json!({
        "name": "slow_start", "default": first, "defaults": defaults, "unit": "choice", "choices": choices,
        "doc": "How the window grows below the threshold, and when that ends.",
    }))
}
