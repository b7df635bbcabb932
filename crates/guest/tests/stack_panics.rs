//! A panic of a stack or its adapter ends at the table: it becomes a fault's text.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::time::Duration;

use endpoint::table::{table_of, FaultText, Outcome, RawConfig, Table, FAULT_BYTES, NONE};
use endpoint::{Config, Ecn, Endpoint, Fault, Stack, State, Supply};

/// Panics in every call but `connect`, with the number of its flow.
struct Panics(usize);

impl Stack for Panics {
    const NAME: &'static str = "panics";
    const VERSION: &'static str = "1";
    const ALGORITHMS: &'static [&'static str] = &["none"];

    fn open(config: &Config) -> Result<Panics, Fault> {
        assert!(config.algorithm == "none", "no {}", config.algorithm);
        Ok(Panics(config.flow))
    }
}

impl Endpoint for Panics {
    fn connect(&mut self, _now: Duration) -> Result<(), Fault> {
        Ok(())
    }

    fn receive(&mut self, _now: Duration, _datagram: &[u8], _ecn: Ecn) -> Result<(), Fault> {
        panic!("in receive of {}", self.0)
    }

    fn wake(&mut self, _now: Duration) -> Result<(), Fault> {
        panic!("in wake of {}", self.0)
    }

    fn supply(&mut self, _now: Duration, _supply: Supply) -> Result<(), Fault> {
        panic!("in supply of {}", self.0)
    }

    fn transmit(&mut self, _now: Duration, _datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        panic!("in transmit of {}", self.0)
    }

    fn wake_at(&mut self) -> Option<Duration> {
        panic!("in wake_at of {}", self.0)
    }

    fn state(&mut self) -> State {
        panic!("in state of {}", self.0)
    }
}

fn opened(table: &Table, algorithm: &str, text: &mut FaultText) -> *mut std::ffi::c_void {
    let raw = RawConfig {
        flow: 3,
        role: 0,
        datagram_bytes: 1200,
        seed: 1,
        window_bytes: 1 << 20,
        streams: 1,
        algorithm: algorithm.as_ptr(),
        algorithm_bytes: algorithm.len() as u32,
    };
    // SAFETY: both live during the call.
    unsafe { (table.open)(&raw, text) }
}

fn said(text: &FaultText) -> &str {
    CStr::from_bytes_until_nul(text).expect("an end").to_str().expect("UTF-8")
}

#[test]
fn a_panic_is_a_fault_with_its_own_words() {
    let table = table_of::<Panics>();
    let mut text = [0; FAULT_BYTES];
    assert!(opened(&table, "other", &mut text).is_null());
    assert_eq!(said(&text), "panicked: no other");
    let end = opened(&table, "none", &mut text);
    // SAFETY: the handle is one that was just opened, used by this thread alone and closed last.
    unsafe {
        assert_eq!((table.connect)(end, 0, &mut text), Outcome::Done);
        assert_eq!((table.receive)(end, 0, [1].as_ptr(), 1, 0, &mut text), Outcome::Fault);
        assert_eq!(said(&text), "panicked: in receive of 3");
        assert_eq!((table.wake)(end, 0, &mut text), Outcome::Fault);
        assert_eq!(said(&text), "panicked: in wake of 3");
        assert_eq!((table.supply)(end, 0, 0, 0, &mut text), Outcome::Fault);
        assert_eq!(said(&text), "panicked: in supply of 3");
        let mut leaving = std::mem::zeroed();
        assert_eq!((table.transmit)(end, 0, &mut leaving, &mut text), Outcome::Fault);
        assert_eq!(said(&text), "panicked: in transmit of 3");
        (table.close)(end);
        // These two have no text: the wake-up that is due at once says what happened in the first, and nothing is called after it.
        let end = opened(&table, "none", &mut text);
        assert_eq!((table.wake_at)(end), 0);
        assert_eq!((table.connect)(end, 0, &mut text), Outcome::Fault);
        assert_eq!(said(&text), "panicked: in wake_at of 3");
        (table.close)(end);
        let end = opened(&table, "none", &mut text);
        let mut raw = std::mem::zeroed();
        (table.state)(end, &mut raw);
        assert_eq!((raw.window_bytes, raw.read_bytes, raw.is_connected), (NONE, 0, 0));
        assert_eq!((table.transmit)(end, 0, &mut leaving, &mut text), Outcome::Fault);
        assert_eq!(said(&text), "panicked: in state of 3");
        (table.close)(end);
    }
}
