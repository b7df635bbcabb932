//! The C table under which a stack's library offers its endpoints: one symbol, [`SYMBOL`], that returns it.
//!
//! No unwinding crosses it: a panic in an adapter or its stack becomes a fault.

use std::ffi::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

use crate::ends::{Config, Ecn, Fault, Role, Stack, State, Supply};

/// Version of this table. A library of another is refused.
pub const ABI: u32 = 4;

/// Name of the function that returns the table.
pub const SYMBOL: &str = "windtunnel_stack";

/// Bytes that a fault's text may have.
pub const FAULT_BYTES: usize = 512;

/// "Never", and "not said".
pub const NONE: u64 = u64::MAX;

/// A fault's text, UTF-8 up to the first zero.
pub type FaultText = [u8; FAULT_BYTES];

/// What a call came to: a fault, done, or, of `transmit`, a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Outcome {
    /// The text says what went wrong; the endpoint is only closed after it.
    Fault = -1,
    /// Done; of `transmit`: nothing leaves now.
    Done = 0,
    /// A datagram leaves.
    Datagram = 1,
}

/// One datagram that leaves: the library's memory, valid until its next call on this thread.
#[derive(Debug)]
#[repr(C)]
pub struct Leaving {
    /// Where.
    pub data: *const u8,
    /// Bytes.
    pub length: u32,
    /// The two ECN bits.
    pub ecn: u8,
}

/// [`Config`] in C. Names are UTF-8 of the given length.
#[derive(Debug)]
#[repr(C)]
pub struct RawConfig {
    /// Number of the flow.
    pub flow: u64,
    /// 0 for the client, 1 for the server.
    pub role: u8,
    /// Largest UDP payload.
    pub datagram_bytes: u16,
    /// What draws follow from.
    pub seed: u64,
    /// What flow control should allow.
    pub window_bytes: u64,
    /// Streams of the client.
    pub streams: u32,
    /// Name of the controller.
    pub algorithm: *const u8,
    /// Its bytes.
    pub algorithm_bytes: u32,
}

/// [`State`] in C: [`NONE`] where nothing is said.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawState {
    /// Congestion window, bytes.
    pub window_bytes: u64,
    /// Slow-start threshold, bytes.
    pub threshold_bytes: u64,
    /// Smoothed RTT, nanoseconds.
    pub srtt_ns: u64,
    /// Smallest RTT, nanoseconds.
    pub min_rtt_ns: u64,
    /// In flight, bytes.
    pub in_flight_bytes: u64,
    /// Pacing rate, bits per second.
    pub pacing_bps: u64,
    /// UDP payload of a full datagram.
    pub datagram_bytes: u64,
    /// Packets declared lost.
    pub lost_packets: u64,
    /// Reductions of the window.
    pub reductions: u64,
    /// Expiries of the probe timeout.
    pub timeouts: u64,
    /// Read by the application, bytes.
    pub read_bytes: u64,
    /// 0 or 1.
    pub is_connected: u8,
    /// 0 or 1.
    pub is_finished: u8,
    /// Congestion state, 255 where it is not said.
    pub congestion: u8,
}

const NO_CONGESTION: u8 = u8::MAX;

/// Kinds of [`Supply`] in C.
mod supply {
    pub(super) const ENDLESS: u8 = 0;
    pub(super) const BYTES: u8 = 1;
    pub(super) const LAST: u8 = 2;
    pub(super) const STOP: u8 = 3;
    pub(super) const PAUSE: u8 = 4;
}

/// The table. All times are nanoseconds since the beginning of the run.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Table {
    /// [`ABI`].
    pub abi: u32,
    /// The stack's name, zero-terminated.
    pub name: *const c_char,
    /// The version of its package.
    pub version: *const c_char,
    /// Its controllers, with commas between.
    pub algorithms: *const c_char,
    /// An endpoint; null for a fault.
    pub open: unsafe extern "C" fn(*const RawConfig, *mut FaultText) -> *mut c_void,
    /// The endpoint is used no more.
    pub close: unsafe extern "C" fn(*mut c_void),
    /// [`Endpoint::connect`].
    pub connect: unsafe extern "C" fn(*mut c_void, u64, *mut FaultText) -> Outcome,
    /// [`Endpoint::receive`]: data, its bytes, the ECN bits.
    pub receive: unsafe extern "C" fn(*mut c_void, u64, *const u8, u32, u8, *mut FaultText) -> Outcome,
    /// [`Endpoint::wake`].
    pub wake: unsafe extern "C" fn(*mut c_void, u64, *mut FaultText) -> Outcome,
    /// [`Endpoint::supply`]: the kind (0 endless, 1 bytes, 2 last bytes, 3 stop, 4 pause) and the bytes.
    pub supply: unsafe extern "C" fn(*mut c_void, u64, u8, u64, *mut FaultText) -> Outcome,
    /// [`Endpoint::transmit`].
    pub transmit: unsafe extern "C" fn(*mut c_void, u64, *mut Leaving, *mut FaultText) -> Outcome,
    /// [`Endpoint::wake_at`]; [`NONE`] for never.
    pub wake_at: unsafe extern "C" fn(*mut c_void) -> u64,
    /// [`Endpoint::state`].
    pub state: unsafe extern "C" fn(*mut c_void, *mut RawState),
}

// The texts it points to are constants of the library.
unsafe impl Sync for Table {}
unsafe impl Send for Table {}

/// Exports a stack as a library: the one symbol that it needs.
#[macro_export]
macro_rules! export_stack {
    ($stack:ty) => {
        /// The table of this stack's endpoints.
        #[no_mangle]
        pub extern "C" fn windtunnel_stack() -> *const $crate::table::Table {
            static TABLE: std::sync::OnceLock<$crate::table::Table> = std::sync::OnceLock::new();
            TABLE.get_or_init($crate::table::table_of::<$stack>)
        }
    };
}

/// The table of a stack. Its texts live as long as the library.
pub fn table_of<S: Stack>() -> Table {
    let text = |text: String| std::ffi::CString::new(text).unwrap_or_default().into_raw().cast_const();
    Table {
        abi: ABI,
        name: text(S::NAME.into()),
        version: text(S::VERSION.into()),
        algorithms: text(S::ALGORITHMS.join(",")),
        open: open::<S>,
        close: close::<S>,
        connect: connect::<S>,
        receive: receive::<S>,
        wake: wake::<S>,
        supply: supplied::<S>,
        transmit: transmit::<S>,
        wake_at: wake_at::<S>,
        state: state::<S>,
    }
}

/// Writes a fault's text, cut where there is no room.
unsafe fn tell(text: *mut FaultText, fault: &str) {
    // SAFETY: the caller gives a text of its own.
    let text = unsafe { &mut *text };
    let end = (0..=fault.len().min(FAULT_BYTES - 1)).rev().find(|&end| fault.is_char_boundary(end)).unwrap_or(0);
    text[..end].copy_from_slice(&fault.as_bytes()[..end]);
    text[end] = 0;
}

/// What `call` came to; a panic is a fault.
unsafe fn outcome<R>(text: *mut FaultText, call: impl FnOnce() -> Result<R, Fault>) -> Option<R> {
    let fault = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => return Some(value),
        Ok(Err(fault)) => fault,
        Err(panic) => of_panic(panic.as_ref()),
    };
    // SAFETY: as the caller's.
    unsafe { tell(text, &fault) };
    None
}

/// What a handle points to: an endpoint, and what went wrong in a call that has no text, for the next one that has.
struct Held<S> {
    endpoint: S,
    fault: Option<Fault>,
}

impl<S> Held<S> {
    /// The endpoint, where nothing went wrong before.
    fn sound(&mut self) -> Result<&mut S, Fault> {
        self.fault.clone().map_or(Ok(&mut self.endpoint), Err)
    }

    /// What a call without a text answers; after a panic `else_`, and the next call with a text says it.
    fn answer<R>(&mut self, call: impl FnOnce(&mut S) -> R, else_: R) -> R {
        let Held { endpoint, fault } = self;
        if fault.is_some() {
            return else_;
        }
        catch_unwind(AssertUnwindSafe(|| call(endpoint))).unwrap_or_else(|panic| {
            *fault = Some(of_panic(panic.as_ref()));
            else_
        })
    }
}

/// A panic's own words.
fn of_panic(panic: &(dyn std::any::Any + Send)) -> Fault {
    let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", said.unwrap_or("without a message"))
}

unsafe fn done<S: Stack>(handle: *mut c_void, text: *mut FaultText, call: impl FnOnce(&mut S) -> Result<(), Fault>) -> Outcome {
    // SAFETY: the handle is one that `open` gave, and used by one thread at a time.
    unsafe { outcome(text, || call((*handle.cast::<Held<S>>()).sound()?)) }.map_or(Outcome::Fault, |()| Outcome::Done)
}

unsafe extern "C" fn open<S: Stack>(config: *const RawConfig, text: *mut FaultText) -> *mut c_void {
    let opened = || {
        // SAFETY: the caller's configuration, and its text, are valid during the call.
        let (raw, name) = unsafe {
            let raw = &*config;
            (raw, std::slice::from_raw_parts(raw.algorithm, raw.algorithm_bytes as usize))
        };
        let role = if raw.role == 0 { Role::Client } else { Role::Server };
        let algorithm = String::from_utf8_lossy(name).into_owned();
        let RawConfig { seed, datagram_bytes, window_bytes, streams, .. } = *raw;
        S::open(&Config { flow: raw.flow as usize, role, algorithm, seed, datagram_bytes, window_bytes, streams })
    };
    // SAFETY: as above.
    unsafe { outcome(text, opened) }.map_or(std::ptr::null_mut(), |endpoint| Box::into_raw(Box::new(Held { endpoint, fault: None })).cast())
}

unsafe extern "C" fn close<S: Stack>(handle: *mut c_void) {
    // SAFETY: the handle is one that `open` gave, and not used again.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(handle.cast::<Held<S>>()) })));
}

unsafe extern "C" fn connect<S: Stack>(handle: *mut c_void, now: u64, text: *mut FaultText) -> Outcome {
    // SAFETY: as [`done`], as all below.
    unsafe { done::<S>(handle, text, |endpoint| endpoint.connect(Duration::from_nanos(now))) }
}

unsafe extern "C" fn receive<S: Stack>(
    handle: *mut c_void,
    now: u64,
    data: *const u8,
    bytes: u32,
    ecn: u8,
    text: *mut FaultText,
) -> Outcome {
    // SAFETY: the caller's datagram is valid during the call.
    let datagram = unsafe { std::slice::from_raw_parts(data, bytes as usize) };
    unsafe { done::<S>(handle, text, |endpoint| endpoint.receive(Duration::from_nanos(now), datagram, Ecn::from_bits(ecn))) }
}

unsafe extern "C" fn wake<S: Stack>(handle: *mut c_void, now: u64, text: *mut FaultText) -> Outcome {
    unsafe { done::<S>(handle, text, |endpoint| endpoint.wake(Duration::from_nanos(now))) }
}

unsafe extern "C" fn supplied<S: Stack>(handle: *mut c_void, now: u64, kind: u8, bytes: u64, text: *mut FaultText) -> Outcome {
    let supply = match kind {
        supply::ENDLESS => Supply::Endless,
        supply::BYTES => Supply::Bytes(bytes),
        supply::LAST => Supply::Last(bytes),
        supply::PAUSE => Supply::Pause,
        _ => Supply::Stop,
    };
    unsafe { done::<S>(handle, text, |endpoint| endpoint.supply(Duration::from_nanos(now), supply)) }
}

unsafe extern "C" fn transmit<S: Stack>(handle: *mut c_void, now: u64, leaving: *mut Leaving, text: *mut FaultText) -> Outcome {
    // SAFETY: it is the caller's, for this call.
    let leaving = unsafe { &mut *leaving };
    let next = || {
        // SAFETY: as [`done`].
        let endpoint = unsafe { &mut *handle.cast::<Held<S>>() }.sound()?;
        // The vector of a thread keeps its memory from call to call.
        SPARE.with_borrow_mut(|datagram| {
            datagram.clear();
            let Some(ecn) = endpoint.transmit(Duration::from_nanos(now), datagram)? else { return Ok(Outcome::Done) };
            *leaving = Leaving { data: datagram.as_ptr(), length: datagram.len() as u32, ecn: ecn as u8 };
            Ok(Outcome::Datagram)
        })
    };
    unsafe { outcome(text, next) }.unwrap_or(Outcome::Fault)
}

thread_local! {
    static SPARE: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) };
}

unsafe extern "C" fn wake_at<S: Stack>(handle: *mut c_void) -> u64 {
    // SAFETY: as above. After a panic it is woken at once, and says then what happened.
    unsafe { &mut *handle.cast::<Held<S>>() }.answer(|endpoint| endpoint.wake_at().map_or(NONE, |at| at.as_nanos() as u64), 0)
}

unsafe extern "C" fn state<S: Stack>(handle: *mut c_void, raw: *mut RawState) {
    // SAFETY: as above.
    let said = unsafe { &mut *handle.cast::<Held<S>>() }.answer(S::state, State::default());
    // SAFETY: the caller's own.
    unsafe { *raw = RawState::from(said) };
}

impl From<State> for RawState {
    fn from(state: State) -> RawState {
        let ns = |time: Option<Duration>| time.map_or(NONE, |time| time.as_nanos() as u64);
        RawState {
            window_bytes: state.window_bytes.unwrap_or(NONE),
            threshold_bytes: state.threshold_bytes.unwrap_or(NONE),
            srtt_ns: ns(state.srtt),
            min_rtt_ns: ns(state.min_rtt),
            in_flight_bytes: state.in_flight_bytes.unwrap_or(NONE),
            pacing_bps: state.pacing_bps.unwrap_or(NONE),
            datagram_bytes: state.datagram_bytes.unwrap_or(NONE),
            lost_packets: state.lost_packets,
            reductions: state.reductions.unwrap_or(NONE),
            timeouts: state.timeouts.unwrap_or(NONE),
            read_bytes: state.read_bytes,
            is_connected: state.is_connected.into(),
            is_finished: state.is_finished.into(),
            congestion: state.congestion.unwrap_or(NO_CONGESTION),
        }
    }
}

impl From<RawState> for State {
    fn from(raw: RawState) -> State {
        let said = |value: u64| (value != NONE).then_some(value);
        let time = |value: u64| said(value).map(Duration::from_nanos);
        State {
            window_bytes: said(raw.window_bytes),
            threshold_bytes: said(raw.threshold_bytes),
            srtt: time(raw.srtt_ns),
            min_rtt: time(raw.min_rtt_ns),
            in_flight_bytes: said(raw.in_flight_bytes),
            pacing_bps: said(raw.pacing_bps),
            datagram_bytes: said(raw.datagram_bytes),
            lost_packets: raw.lost_packets,
            reductions: said(raw.reductions),
            timeouts: said(raw.timeouts),
            read_bytes: raw.read_bytes,
            is_connected: raw.is_connected == 1,
            is_finished: raw.is_finished == 1,
            congestion: (raw.congestion != NO_CONGESTION).then_some(raw.congestion),
        }
    }
}

impl Supply {
    /// Its kind and bytes, as [`Table::supply`] takes them.
    pub fn raw(self) -> (u8, u64) {
        match self {
            Supply::Endless => (supply::ENDLESS, 0),
            Supply::Bytes(bytes) => (supply::BYTES, bytes),
            Supply::Last(bytes) => (supply::LAST, bytes),
            Supply::Stop => (supply::STOP, 0),
            Supply::Pause => (supply::PAUSE, 0),
        }
    }
}
