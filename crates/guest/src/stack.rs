//! Whole stacks from outside: a library with the table of [`endpoint::table`].
#![allow(unsafe_code)]

use std::ffi::{c_void, CStr, OsStr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use endpoint::table::{FaultText, Leaving, Outcome, RawConfig, RawState, Table, ABI, FAULT_BYTES, NONE, SYMBOL};
use endpoint::{Config, Ecn, Endpoint, Fault, Named, Opens, Role, State, Supply};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::error::GuestError;
use crate::page::{Hook, Page};
use crate::protocol::interned;

/// Bytes that a UDP payload may have.
const MOST: usize = 65_535;

/// A stack's library. Its own symbols are its own: two stacks may hold the same names.
#[derive(Debug)]
pub struct StackLibrary {
    name: &'static str,
    version: &'static str,
    known_as: &'static str,
    algorithms: Vec<Named>,
    held: Arc<Held>,
    page: Arc<Page>,
}

/// The table is valid as long as the library is loaded.
#[derive(Debug)]
struct Held {
    table: Table,
    _library: Library,
}

impl StackLibrary {
    /// Loads a library that `windtunnel stacks build` has made, as scenarios call it. What is called of it is said on `page`, for a watching process. It stays
    /// loaded, for threads of its own may use it.
    ///
    /// # Errors
    /// When it is no stack of this version.
    pub fn load(file: &Path, called: &str, page: Arc<Page>) -> Result<StackLibrary, GuestError> {
        type Entry = unsafe extern "C" fn() -> *const Table;
        let wrong = |what: String| GuestError::new(file, what);
        page.enter(Hook::Load);
        // SAFETY: the user had it built by name.
        let library = unsafe { Library::open(Some(file.as_os_str() as &OsStr), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|error| wrong(format!("cannot be loaded: {error}")))?;
        // SAFETY: the function has the type that the table's crate declares; the version is looked at before anything else of the table.
        let table = unsafe {
            let entry = library.get::<Entry>(SYMBOL.as_bytes()).map_err(|_| wrong(format!("exports no {SYMBOL}: it is no stack")))?;
            let table = entry();
            if table.is_null() || (*table).abi != ABI {
                return Err(wrong(format!("has another version of the interface than {ABI}: run windtunnel stacks build again")));
            }
            *table
        };
        // SAFETY: the three texts end with a zero, and stay as long as the library.
        let [name, version, algorithms] = unsafe {
            [table.name, table.version, table.algorithms].map(|text| interned(CStr::from_ptr(text).to_string_lossy().into_owned()))
        };
        let known_as = interned(format!("{name}-{version}"));
        let algorithms = algorithms.split(',').map(|own| Named { own, shown: interned(format!("{own}@{name}")) }).collect();
        Ok(StackLibrary {
            name: interned(called.into()),
            version,
            known_as,
            algorithms,
            held: Arc::new(Held { table, _library: library }),
            page,
        })
    }

    /// The version of its package.
    pub fn version(&self) -> &'static str {
        self.version
    }
}

impl Opens for StackLibrary {
    fn name(&self) -> &'static str {
        self.name
    }

    fn known_as(&self) -> &'static str {
        self.known_as
    }

    fn algorithms(&self) -> &[Named] {
        &self.algorithms
    }

    fn open(&self, config: &Config) -> Result<Box<dyn Endpoint>, Fault> {
        let raw = RawConfig {
            flow: config.flow as u64,
            role: u8::from(config.role == Role::Server),
            datagram_bytes: config.datagram_bytes,
            seed: config.seed,
            window_bytes: config.window_bytes,
            streams: config.streams,
            algorithm: config.algorithm.as_ptr(),
            algorithm_bytes: config.algorithm.len() as u32,
        };
        let mut text: FaultText = [0; FAULT_BYTES];
        self.page.call(Hook::StackOpen, config.flow, 0);
        // SAFETY: both are valid during the call.
        let handle = unsafe { (self.held.table.open)(&raw, &mut text) };
        if handle.is_null() {
            return Err(told(&text));
        }
        Ok(Box::new(Loaded {
            held: Arc::clone(&self.held),
            handle,
            text: Box::new([0; FAULT_BYTES]),
            page: Arc::clone(&self.page),
            flow: config.flow,
        }))
    }
}

/// An endpoint of a library.
struct Loaded {
    held: Arc<Held>,
    handle: *mut c_void,
    text: Box<FaultText>,
    page: Arc<Page>,
    flow: usize,
}

fn told(text: &FaultText) -> Fault {
    CStr::from_bytes_until_nul(text).map_or_else(|_| "failed without a word".into(), |text| text.to_string_lossy().into_owned())
}

impl Loaded {
    /// Calls the table at `now`, with a text for a fault.
    fn call(
        &mut self,
        (hook, now): (Hook, Duration),
        call: impl FnOnce(&Table, *mut c_void, &mut FaultText) -> Outcome,
    ) -> Result<Outcome, Fault> {
        self.text[0] = 0;
        self.page.call(hook, self.flow, ns(now));
        match call(&self.held.table, self.handle, &mut self.text) {
            Outcome::Fault => Err(told(&self.text)),
            outcome => Ok(outcome),
        }
    }
}

fn ns(time: Duration) -> u64 {
    time.as_nanos() as u64
}

// SAFETY of every call here: the handle is the one that `open` gave, not closed yet, and used by one thread at a time.
impl Endpoint for Loaded {
    fn connect(&mut self, now: Duration) -> Result<(), Fault> {
        self.call((Hook::StackConnect, now), |table, handle, text| unsafe { (table.connect)(handle, ns(now), text) }).map(drop)
    }

    fn receive(&mut self, now: Duration, datagram: &[u8], ecn: Ecn) -> Result<(), Fault> {
        let (data, bytes) = (datagram.as_ptr(), datagram.len() as u32);
        self.call((Hook::StackReceive, now), |table, handle, text| unsafe {
            (table.receive)(handle, ns(now), data, bytes, ecn as u8, text)
        })
        .map(drop)
    }

    fn wake(&mut self, now: Duration) -> Result<(), Fault> {
        self.call((Hook::StackWake, now), |table, handle, text| unsafe { (table.wake)(handle, ns(now), text) }).map(drop)
    }

    fn supply(&mut self, now: Duration, supply: Supply) -> Result<(), Fault> {
        let (kind, bytes) = supply.raw();
        self.call((Hook::StackSupply, now), |table, handle, text| unsafe { (table.supply)(handle, ns(now), kind, bytes, text) }).map(drop)
    }

    fn transmit(&mut self, now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        let mut leaving = Leaving { data: std::ptr::null(), length: 0, ecn: 0 };
        let outcome =
            self.call((Hook::StackTransmit, now), |table, handle, text| unsafe { (table.transmit)(handle, ns(now), &mut leaving, text) })?;
        if outcome != Outcome::Datagram {
            return Ok(None);
        }
        let length = leaving.length as usize;
        if length > MOST {
            return Err(format!("sends a datagram of {length} bytes where UDP carries {MOST}"));
        }
        if length > 0 {
            // SAFETY: the library's datagram, until its next call.
            datagram.extend_from_slice(unsafe { std::slice::from_raw_parts(leaving.data, length) });
        }
        Ok(Some(Ecn::from_bits(leaving.ecn)))
    }

    fn wake_at(&mut self) -> Option<Duration> {
        self.page.call_untimed(Hook::StackWakeAt, self.flow);
        let at = unsafe { (self.held.table.wake_at)(self.handle) };
        (at != NONE).then(|| Duration::from_nanos(at))
    }

    fn state(&mut self) -> State {
        let mut raw = RawState::from(State::default());
        self.page.call_untimed(Hook::StackState, self.flow);
        unsafe { (self.held.table.state)(self.handle, &mut raw) };
        raw.into()
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.page.call_untimed(Hook::StackClose, self.flow);
        unsafe { (self.held.table.close)(self.handle) };
    }
}
