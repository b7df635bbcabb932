//! The clock and the randomness of a run, for stacks that ask the system for them.
//!
//! [`Taken`] wraps a stack: during each call of its endpoints, and in the thread that calls alone, the C library's `clock_gettime`, `gettimeofday`, `time`,
//! `getrandom`, `getentropy`, `syscall`, `getenv`, `open`, `read` and `close` are those of `system.c`, which answer with simulated time and with
//! [`endpoint::draws`]. They are hidden symbols of the library that the stack is linked into: the stack is unmodified, and nothing else is affected. This crate
//! knows [`endpoint`] alone, and must never know the simulator.
#![allow(unsafe_code)]

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use endpoint::{Config, Ecn, Endpoint, Fault, Stack, State, Supply};

extern "C" {
    fn windtunnel_takeover_take(ns: u64);
    fn windtunnel_takeover_release();
}

#[no_mangle]
unsafe extern "C" fn windtunnel_takeover_fill(to: *mut u8, length: usize) {
    // SAFETY: `system.c` passes on what its caller may write; it need not be initialised, so it is first.
    let bytes = unsafe {
        std::ptr::write_bytes(to, 0, length);
        std::slice::from_raw_parts_mut(to, length)
    };
    endpoint::draws::fill(bytes);
}

/// Until it is dropped, this thread's clock stands still at the given time, and its randomness is the run's.
#[derive(Debug)]
pub struct During(());

impl During {
    /// From now on, at `now` since the beginning of the run.
    pub fn call(now: Duration) -> During {
        // SAFETY: it sets what belongs to this thread.
        unsafe { windtunnel_takeover_take(now.as_nanos() as u64) };
        During(())
    }
}

impl Drop for During {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { windtunnel_takeover_release() };
    }
}

/// The instant of a time of the run: what [`Instant::now`] says in a call at `now`.
pub fn instant(now: Duration) -> Instant {
    zero() + now
}

/// The time of the run of an instant; zero for one before it.
pub fn since_zero(at: Instant) -> Duration {
    at.saturating_duration_since(zero())
}

fn zero() -> Instant {
    static ZERO: OnceLock<Instant> = OnceLock::new();
    // On a thread of its own: this one may be within a call.
    *ZERO.get_or_init(|| {
        std::thread::spawn(|| {
            let _at = During::call(Duration::ZERO);
            Instant::now()
        })
        .join()
        .expect("it only asks for the time")
    })
}

/// A stack with everything taken over.
#[derive(Debug)]
pub struct Taken<S> {
    stack: S,
    now: Duration,
}

impl<S> Taken<S> {
    fn at<R>(&mut self, now: Duration, call: impl FnOnce(&mut S) -> R) -> R {
        self.now = now;
        let _during = During::call(now);
        call(&mut self.stack)
    }
}

impl<S: Endpoint> Endpoint for Taken<S> {
    fn connect(&mut self, now: Duration) -> Result<(), Fault> {
        self.at(now, |stack| stack.connect(now))
    }

    fn receive(&mut self, now: Duration, datagram: &[u8], ecn: Ecn) -> Result<(), Fault> {
        self.at(now, |stack| stack.receive(now, datagram, ecn))
    }

    fn wake(&mut self, now: Duration) -> Result<(), Fault> {
        self.at(now, |stack| stack.wake(now))
    }

    fn supply(&mut self, now: Duration, supply: Supply) -> Result<(), Fault> {
        self.at(now, |stack| stack.supply(now, supply))
    }

    fn transmit(&mut self, now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        self.at(now, |stack| stack.transmit(now, datagram))
    }

    fn wake_at(&mut self) -> Option<Duration> {
        self.at(self.now, S::wake_at)
    }

    fn state(&mut self) -> State {
        self.at(self.now, S::state)
    }
}

impl<S: Stack> Stack for Taken<S> {
    const NAME: &'static str = S::NAME;
    const VERSION: &'static str = S::VERSION;
    const ALGORITHMS: &'static [&'static str] = S::ALGORITHMS;

    fn open(config: &Config) -> Result<Taken<S>, Fault> {
        endpoint::draws::begin(config.seed);
        let _during = During::call(Duration::ZERO);
        Ok(Taken { stack: S::open(config)?, now: Duration::ZERO })
    }
}
