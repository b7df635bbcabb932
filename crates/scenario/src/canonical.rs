//! A filled scenario as JSON, and its name.

use std::io;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::fill::Filled;
use crate::model::{Flow, Scenario};
use crate::text::repr;

impl Filled {
    /// The canonical JSON: sorted keys, no spaces.
    pub fn canonical_json(&self) -> String {
        text(&Sorted(&self.scenario))
    }

    /// The same with the fields in the order in which people read them.
    pub fn shown_json(&self) -> String {
        text(&self.scenario)
    }

    /// The SHA-256 of the canonical JSON, in hexadecimal: the scenario's name.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        write(&Sorted(&self.scenario), &mut hash);
        hexadecimal(&hash.finalize())
    }
}

/// With sorted keys. Sorting takes a map, many times as large as what it holds: flows, of which there may be very many, are sorted one by one.
struct Sorted<'a>(&'a Scenario);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rest = sorted(&without_flows(self.0));
        let rest = rest.as_object().expect("a scenario has fields");
        let mut map = serializer.serialize_map(Some(rest.len()))?;
        for (key, value) in rest {
            if key == "flows" {
                map.serialize_entry(key, &SortedFlows(&self.0.flows))?;
            } else {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

struct SortedFlows<'a>(&'a [Flow]);

impl Serialize for SortedFlows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(sorted))
    }
}

fn sorted(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("finite numbers")
}

fn without_flows(scenario: &Scenario) -> Scenario {
    let Scenario { bottleneck, hops, reverse, profile, host, arrivals, sessions, traffic, .. } = scenario;
    Scenario {
        bottleneck: bottleneck.clone(),
        hops: hops.clone(),
        flows: Vec::new(),
        reverse: reverse.clone(),
        profile: profile.clone(),
        host: host.clone(),
        arrivals: arrivals.clone(),
        sessions: sessions.clone(),
        traffic: traffic.clone(),
        ..*scenario
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text(value: &impl Serialize) -> String {
    let mut written = Vec::new();
    write(value, &mut written);
    String::from_utf8(written).expect("ASCII")
}

fn write(value: &impl Serialize, writer: &mut impl io::Write) {
    value.serialize(&mut serde_json::Serializer::with_formatter(writer, Ascii)).expect("a scenario");
}

/// JSON as Python's `json.dumps` writes it without spaces: its doubles, and nothing but ASCII.
struct Ascii;

impl Formatter for Ascii {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(repr(value).as_bytes())
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        for letter in fragment.chars() {
            if matches!(letter, ' '..='~') {
                writer.write_all(&[letter as u8])?;
                continue;
            }
            for unit in letter.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn json_is_written_as_python_writes_it() {
        let value = serde_json::json!({"b": [1, 2.0, 1e-5, 1e22, true, null], "a": "\u{e9}\u{1f600}\n\"\u{7f}"});
        assert_eq!(text(&value), r#"{"a":"\u00e9\ud83d\ude00\n\"\u007f","b":[1,2.0,1e-05,1e+22,true,null]}"#);
    }
}
