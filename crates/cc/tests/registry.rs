//! The registry's own promises.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cc::{build, catalogue, protocol, CongestionControl, PROFILES, PROTOCOLS};

fn given(name: &str, value: f64) -> BTreeMap<String, f64> {
    BTreeMap::from([(name.to_string(), value)])
}

#[test]
fn every_name_is_unique_and_every_row_complete() {
    let mut names = BTreeSet::new();
    for row in PROTOCOLS {
        for name in [row.name].iter().chain(row.aliases) {
            assert!(names.insert(*name), "{name} twice");
        }
        let mut words = BTreeSet::new();
        for word in row.variants.iter().flat_map(|v| [v.name].into_iter().chain(v.aliases.iter().copied())) {
            assert!(words.insert(word), "{}: {word} twice", row.name);
        }
        for parameter in row.parameters {
            assert!(!parameter.defaults.is_empty(), "{}: {}", row.name, parameter.name);
            for &(variant, default) in parameter.defaults {
                assert!(row.variants.iter().any(|v| v.name == variant), "{}: {} names {variant}", row.name, parameter.name);
                assert!((parameter.min..=parameter.max).contains(&default), "{}: {}", row.name, parameter.name);
            }
        }
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/algorithms/{}.md", row.name));
        assert!(page.is_file(), "{} has no page", row.name);
    }
}

#[test]
fn every_profile_runs_every_protocol() {
    for row in PROTOCOLS {
        for profile in PROFILES {
            let built = build(row.name, None, profile, &BTreeMap::new()).unwrap();
            let of_profile = row.variant_for_profile(profile).unwrap();
            assert_eq!((built.name, built.variant, built.belongs_to_profile), (row.name, of_profile.variant, of_profile.belongs));
        }
        assert_eq!(row.profiles.len(), PROFILES.len());
    }
}

#[test]
fn variable_names_and_values_agree() {
    for row in PROTOCOLS {
        for variant in row.variants {
            let built = build(row.name, Some(variant.name), "linux-6.1", &BTreeMap::new()).unwrap();
            let count = built.algorithm.variable_names().len();
            // Too many values would be out of bounds; every value must be written.
            let mut values = vec![f64::INFINITY; count];
            built.algorithm.variables(&mut values);
            assert!(values.iter().all(|v| !v.is_infinite()), "{}:{}", row.name, variant.name);
        }
    }
}

#[test]
fn kernel_names_are_reported_under_ours() {
    assert_eq!(build("highspeed", None, "linux-6.1", &BTreeMap::new()).unwrap().name, "hstcp");
    assert_eq!(build("hstcp", Some("linux-6.1"), "rfc", &BTreeMap::new()).unwrap().variant, "table-linux");
    assert!(protocol("nobody").is_none());
    assert!(!build("fast", None, "linux-6.1", &BTreeMap::new()).unwrap().belongs_to_profile);
}

#[test]
fn refusals_name_the_field_the_value_and_what_is_allowed() {
    let says =
        |name, variant, profile, parameters: &BTreeMap<String, f64>| build(name, variant, profile, parameters).unwrap_err().to_string();
    let none = BTreeMap::new();
    let names: Vec<&str> = PROTOCOLS.iter().map(|row| row.name).collect();
    assert_eq!(says("ren", None, "rfc", &none), format!("algorithm: \"ren\" is not known; allowed: {}", names.join(", ")));
    assert_eq!(says("reno", Some("x"), "rfc", &none), "variant: reno has no \"x\"; allowed: linux-6.1, rfc");
    assert!(says("reno", None, "bsd", &none).starts_with("profile: \"bsd\" is not known; allowed: linux-6.1, linux-6.12, linux-2.6.23,"));
    assert_eq!(says("reno", None, "rfc", &given("beta", 0.5)), "parameter: reno:rfc has no \"beta\"; allowed: none");
    assert_eq!(says("fast", Some("paper"), "rfc", &given("alpha", 5.0)).split(';').next(), Some("parameter: fast:paper has no \"alpha\""));
    for (value, shown) in [(2.0, "2"), (f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        assert_eq!(says("cubic", None, "rfc", &given("beta", value)), format!("beta: {shown} is outside 0.1 .. 0.95 (1) of cubic:rfc9438"));
    }
}

#[test]
fn catalogue_describes_every_protocol() {
    let catalogue = catalogue();
    let rows = catalogue.as_array().unwrap();
    assert_eq!(rows.len(), PROTOCOLS.len());
    for row in rows {
        for key in ["name", "aliases", "family", "year", "source", "summary", "variants", "parameters", "profiles", "signals"] {
            assert!(row.get(key).is_some(), "{key} of {}", row["name"]);
        }
        for parameter in row["parameters"].as_array().unwrap() {
            let range: &[&str] = if parameter["unit"] == "choice" { &["choices"] } else { &["min", "max"] };
            for key in ["name", "default", "unit", "doc"].iter().chain(range) {
                assert!(parameter.get(key).is_some(), "{key} of {} of {}", parameter["name"], row["name"]);
            }
        }
    }
}
