//! `c/end.h` once more, and the functions of ours that it calls.

use std::ffi::{c_char, c_void};

use crate::application::Application;

#[repr(C)]
pub(crate) struct End([u8; 0]);

#[repr(C)]
pub(crate) struct Open {
    pub algorithm: *const c_char,
    pub certificate: *const u8,
    pub certificate_bytes: usize,
    pub key: *const u8,
    pub key_bytes: usize,
    pub seed: u64,
    pub window_bytes: u64,
    pub datagram_bytes: u32,
    pub is_server: u8,
    pub application: *mut c_void,
}

#[repr(C)]
#[derive(Default)]
pub(crate) struct Said {
    pub window_bytes: u64,
    pub srtt_us: u64,
    pub min_rtt_us: u64,
    pub in_flight_bytes: u64,
    pub pacing_bps: u64,
    pub datagram_bytes: u64,
    pub lost_packets: u64,
    pub local_error: u64,
    pub remote_error: u64,
    pub is_connected: u8,
    pub is_gone: u8,
}

/// What `windtunnel_end_transmit` answers of a datagram for another than the other end.
pub(crate) const NOBODY: i32 = -2;

extern "C" {
    pub(crate) fn windtunnel_end_open(open: *const Open) -> *mut End;
    pub(crate) fn windtunnel_end_close(end: *mut End);
    pub(crate) fn windtunnel_end_connect(end: *mut End, now: u64) -> i32;
    pub(crate) fn windtunnel_end_receive(end: *mut End, now: u64, data: *const u8, length: usize, ecn: u8) -> i32;
    pub(crate) fn windtunnel_end_transmit(end: *mut End, now: u64, data: *mut u8, most: usize) -> i32;
    pub(crate) fn windtunnel_end_wake_at(end: *mut End, now: u64) -> u64;
    pub(crate) fn windtunnel_end_wants(end: *mut End, now: u64, stream: u64) -> i32;
    pub(crate) fn windtunnel_end_reset(end: *mut End, now: u64, stream: u64);
    pub(crate) fn windtunnel_end_state(end: *mut End, said: *mut Said);
    pub(crate) fn windtunnel_end_ecn(algorithm: *const c_char) -> u8;
}

#[no_mangle]
unsafe extern "C" fn windtunnel_application_gives(
    application: *mut Application,
    stream: u64,
    most: usize,
    is_end: *mut u8,
    has_more: *mut u8,
) -> usize {
    // SAFETY: the end holds the application that was given with it, and calls only while nobody else uses it.
    let (given, ends, more) = unsafe { &mut *application }.gives(stream, most);
    // SAFETY: the caller's own.
    unsafe {
        *is_end = ends.into();
        *has_more = more.into();
    }
    given
}

#[no_mangle]
unsafe extern "C" fn windtunnel_application_reads(application: *mut Application, bytes: usize) {
    // SAFETY: as above.
    unsafe { &mut *application }.read += bytes as u64;
}

#[no_mangle]
unsafe extern "C" fn windtunnel_application_finished(application: *mut Application, _stream: u64) {
    // SAFETY: as above.
    unsafe { &mut *application }.finished += 1;
}

#[no_mangle]
unsafe extern "C" fn windtunnel_application_draws(to: *mut c_void, length: usize) {
    // SAFETY: the caller may write there; it need not be initialised, so it is first.
    let bytes = unsafe {
        std::ptr::write_bytes(to.cast::<u8>(), 0, length);
        std::slice::from_raw_parts_mut(to.cast::<u8>(), length)
    };
    endpoint::draws::fill(bytes);
}
