//! A filled scenario as JSON, and its name.

use std::io;

use serde::Serialize;
use serde_json::ser::Formatter;
use serde_json::Serializer;
use sha2::{Digest, Sha256};

use crate::fill::Filled;
use crate::text::repr;

impl Filled {
    /// The canonical JSON: sorted keys, no spaces.
    pub fn canonical_json(&self) -> String {
        let sorted = serde_json::to_value(&self.scenario).expect("finite numbers");
        text(&sorted)
    }

    /// The same with the fields in the order in which people read them.
    pub fn shown_json(&self) -> String {
        text(&self.scenario)
    }

    /// The SHA-256 of the canonical JSON, in hexadecimal: the scenario's name.
    pub fn digest(&self) -> String {
        hexadecimal(&Sha256::digest(self.canonical_json()))
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text(value: &impl Serialize) -> String {
    let mut written = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut written, Ascii)).expect("a scenario");
    String::from_utf8(written).expect("ASCII")
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
