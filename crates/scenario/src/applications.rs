//! One application on several connections: `ptcp` as the flows it stands for.

use rand_mt::Mt;
use sha2::{Digest, Sha512};

use crate::model::{Flow, ParameterValue};
use crate::names;

/// Whether the flow is an application whose connections are still to be made.
pub(crate) fn is_whole(flow: &Flow) -> bool {
    let protocol = cc::protocol(names::split(&flow.algorithm).0);
    flow.application.is_none() && protocol.is_some_and(|protocol| protocol.parameter("streams").is_some())
}

/// A parameter of the application, or its default.
fn value(flow: &Flow, name: &str, otherwise: f64) -> f64 {
    let default = || {
        let parameter = cc::protocol(names::split(&flow.algorithm).0)?.parameter(name)?;
        parameter.defaults.first().map(|&(_, value)| value)
    };
    match flow.parameters.get(name) {
        Some(ParameterValue::Number(value)) => *value,
        _ => default().unwrap_or(otherwise),
    }
}

/// The connections of an application, which share its bytes equally; all but the first start at random within the stagger.
pub(crate) fn connections(flow: &Flow, application: u32, seed: u64) -> Vec<Flow> {
    let streams = value(flow, "streams", 1.0) as u64;
    let count = flow.bytes.map_or(streams, |bytes| streams.min(bytes));
    let mut draws = Draws::named(&format!("{seed}/application{application}/stagger"));
    let span_s = value(flow, "stagger", 0.0);
    let mut connection = Flow { application: Some(application), ..flow.clone() };
    connection.parameters.retain(|name, _| name != "streams" && name != "stagger");
    let make = |number: u64| Flow {
        start_s: flow.start_s + if number > 0 { whole_nanoseconds(span_s * draws.uniform()) } else { 0.0 },
        bytes: flow.bytes.map(|bytes| bytes / count + u64::from(number < bytes % count)),
        ..connection.clone()
    };
    (0..count).map(make).collect()
}

/// The time rounded to nine decimals, ties to even.
fn whole_nanoseconds(time_s: f64) -> f64 {
    format!("{time_s:.9}").parse().expect("a number")
}

/// Draws of Python's `random.Random` with a text as its seed, by which starts have been drawn: the Mersenne Twister, seeded
/// with the text and its SHA-512 as one large number (<https://docs.python.org/3/library/random.html#random.seed>, version 2).
struct Draws(Mt);

impl Draws {
    fn named(name: &str) -> Draws {
        let mut bytes = name.as_bytes().to_vec();
        bytes.extend_from_slice(&Sha512::digest(name.as_bytes()));
        let word = |chunk: &[u8]| chunk.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
        let mut key: Vec<u32> = bytes.rchunks(4).map(word).collect();
        while key.len() > 1 && key.last() == Some(&0) {
            key.pop();
        }
        Draws(Mt::new_with_key(key))
    }

    /// The next number in [0, 1), with 53 bits.
    fn uniform(&mut self) -> f64 {
        let (high, low) = (self.0.next_u32() >> 5, self.0.next_u32() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }
}

#[cfg(test)]
mod tests {
    use super::{whole_nanoseconds, Draws};

    /// `random.Random("1/application1/stagger")` of CPython 3.11.
    #[test]
    fn draws_are_those_of_python() {
        let mut draws = Draws::named("1/application1/stagger");
        assert_eq!(
            [draws.uniform(), draws.uniform(), draws.uniform()],
            [0.387_567_744_706_423_5, 0.659_180_042_020_371_7, 0.186_857_035_154_065_38]
        );
    }

    #[test]
    fn a_time_is_rounded_to_nanoseconds() {
        assert_eq!([whole_nanoseconds(0.012_345_678_949), whole_nanoseconds(0.000_976_562_5)], [0.012_345_679, 0.000_976_562]);
    }
}
