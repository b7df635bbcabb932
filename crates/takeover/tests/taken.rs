//! What a program that this crate is linked into gets from the system, in a call and outside.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::Read;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use takeover::During;

extern "C" {
    fn time(to: *mut i64) -> i64;
    fn gettimeofday(to: *mut [i64; 2], zone: *mut u8) -> i32;
    fn getrandom(to: *mut u8, length: usize, flags: u32) -> isize;
    fn getentropy(to: *mut u8, length: usize) -> i32;
    fn syscall(number: i64, ...) -> i64;
    fn getenv(name: *const std::ffi::c_char) -> *const std::ffi::c_char;
}

/// The number of getrandom's system call.
const SYS_GETRANDOM: i64 = if cfg!(target_arch = "x86_64") { 318 } else { 278 };

/// 2030-01-01 00:00:00 UTC, as `date -u -d 2030-01-01 +%s` has it.
const YEAR_2030: u64 = 1_893_456_000;

#[test]
fn time_stands_still_in_a_call_and_goes_on_outside() {
    let before = Instant::now();
    let at = Duration::from_nanos(12_345_678_901);
    {
        let _during = During::call(at);
        assert_eq!(Instant::now(), takeover::instant(at));
        assert_eq!(takeover::since_zero(Instant::now()), at);
        assert_eq!(SystemTime::now().duration_since(UNIX_EPOCH).unwrap(), Duration::from_secs(YEAR_2030) + at);
        let mut day = [0; 2];
        unsafe {
            assert_eq!(time(std::ptr::null_mut()), YEAR_2030 as i64 + 12);
            assert_eq!(gettimeofday(&mut day, std::ptr::null_mut()), 0);
        }
        assert_eq!(day, [YEAR_2030 as i64 + 12, 345_678]);
        // Time is a thread's own.
        let other = std::thread::spawn(move || before.elapsed()).join().unwrap();
        assert!(other < Duration::from_secs(60));
    }
    let passed = Instant::now() - before;
    assert!(passed < Duration::from_secs(60) && passed > Duration::ZERO);
    assert_ne!(SystemTime::now().duration_since(UNIX_EPOCH).unwrap(), Duration::from_secs(YEAR_2030) + at);
}

/// Every way to the system's randomness, on a new thread with a seed.
fn drawn(seed: u64) -> Vec<u8> {
    let draw = move || {
        endpoint::draws::begin(seed);
        let _during = During::call(Duration::ZERO);
        let mut bytes = [0_u8; 40];
        unsafe {
            assert_eq!(getrandom(bytes.as_mut_ptr(), 8, 0), 8);
            assert_eq!(getentropy(bytes.as_mut_ptr().add(8), 8), 0);
            assert_eq!(syscall(SYS_GETRANDOM, bytes.as_mut_ptr().add(16), 8_usize, 0), 8);
        }
        File::open("/dev/urandom").unwrap().read_exact(&mut bytes[24..32]).unwrap();
        // The keys of the standard library's hash maps.
        bytes[32..].copy_from_slice(&RandomState::new().hash_one(7).to_ne_bytes());
        bytes.to_vec()
    };
    std::thread::spawn(draw).join().unwrap()
}

#[test]
fn randomness_is_the_runs_in_a_call() {
    let first = drawn(5);
    assert_eq!(first, drawn(5));
    let other = drawn(6);
    for from in (0..40).step_by(8) {
        assert_ne!(first[from..from + 8], other[from..from + 8]);
        assert_ne!(first[from..from + 8], [0; 8]);
    }
}

#[test]
fn randomness_is_the_systems_outside() {
    endpoint::draws::begin(5);
    let mut bytes = [[0_u8; 8]; 2];
    for one in &mut bytes {
        assert_eq!(unsafe { getrandom(one.as_mut_ptr(), 8, 0) }, 8);
    }
    let ours = {
        let _during = During::call(Duration::ZERO);
        let mut own = [0_u8; 8];
        unsafe { getrandom(own.as_mut_ptr(), 8, 0) };
        own
    };
    assert!(bytes[0] != bytes[1] && bytes[0] != ours);
}

#[test]
fn a_call_sees_no_environment() {
    assert!(std::env::var_os("PATH").is_some());
    {
        let _during = During::call(Duration::ZERO);
        assert!(std::env::var_os("PATH").is_none());
    }
    let forbidden = unsafe { std::ffi::CStr::from_ptr(getenv(c"OPENSSL_ia32cap".as_ptr())) };
    assert_eq!(forbidden.to_str().unwrap(), "~0x4000000000000000");
}
