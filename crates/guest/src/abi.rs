//! The types of `windtunnel.h`, field by field; what they mean stands there. `tests/abi.rs` compares sizes and places with those of a C
//! compiler.
#![allow(missing_docs)]

use std::ffi::{c_char, c_void};
use std::mem::{offset_of, size_of};

/// The version of the interface.
pub const ABI: u32 = 1;
/// The header itself, for those who write a controller.
pub const HEADER: &str = include_str!("../include/windtunnel.h");

/// A time that is not known.
pub const NONE: u64 = u64::MAX;
/// The flag of a library that keeps nothing outside its states.
pub const STATELESS: u32 = 1;

/// Declares structures as C lays them out, and lists where their fields are.
macro_rules! twins {
    ($($(#[$doc:meta])* $name:ident as $in_c:literal { $($field:ident: $type:ty,)+ })+) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub struct $name { $(pub $field: $type,)+ }
        )+

        /// Every structure: its name in C, its size, the names of its fields with their places.
        pub fn layout() -> Vec<(&'static str, usize, Vec<(&'static str, usize)>)> {
            vec![$(($in_c, size_of::<$name>(), vec![$((stringify!($field), offset_of!($name, $field)),)+]),)+]
        }
    };
}

type Told<S> = Option<unsafe extern "C" fn(*mut c_void, *mut Window, *const Connection, S)>;
type Asked<A> = Option<unsafe extern "C" fn(*mut c_void, *mut Window, *const Connection) -> A>;

twins! {
    /// `struct wt_parameter`
    Parameter as "wt_parameter" {
        name: *const c_char,
        unit: *const c_char,
        doc: *const c_char,
        value: f64,
        min: f64,
        max: f64,
        is_integer: u32,
        reserved: u32,
    }

    /// `struct wt_needs`
    Needs as "wt_needs" {
        control: u32,
        rtt_samples: u32,
        ack_arrivals: u32,
        transport_rate: u32,
        ecn: u32,
        ahead: u32,
    }

    /// `struct wt_window`
    Window as "wt_window" {
        cwnd: f64,
        ssthresh: f64,
        cnt: u32,
        reserved: u32,
        fault: *const c_char,
    }

    /// `struct wt_connection`
    Connection as "wt_connection" {
        now_ns: u64,
        una: u64,
        nxt: u64,
        delivered: u64,
        delivered_ce: u64,
        lost: u64,
        app_limited_until: u64,
        rtt_min_ns: u64,
        pacing_rate_bytes_per_s: u64,
        last_sent_ns: u64,
        prior_cwnd: f64,
        in_flight: u32,
        mss_bytes: u32,
        srtt8_us: u32,
        ca_state: u8,
        is_cwnd_limited: u8,
        is_paced: u8,
        has_selective_acks: u8,
    }

    /// `struct wt_rtt_sample`
    RttSample as "wt_rtt_sample" {
        rtt_ns: u64,
        forward_ns: u64,
        sent_ns: u64,
        acked: u32,
        in_flight: u32,
    }

    /// `struct wt_ack`
    Ack as "wt_ack" {
        is_slow_path: u32,
        has_ece: u32,
    }

    /// `struct wt_rate_sample`
    RateSample as "wt_rate_sample" {
        interval_ns: u64,
        rtt_ns: u64,
        sent_ns: u64,
        delivered_ns: u64,
        prior_delivered_ns: u64,
        prior_delivered: u64,
        delivered: i64,
        lost: u32,
        acked: u32,
        prior_in_flight: u32,
        tx_in_flight: u32,
        lost_since_sent: u32,
        is_app_limited: u32,
    }

    /// `struct wt_lost_segment`
    LostSegment as "wt_lost_segment" {
        seq: u64,
        tx_in_flight: u32,
        lost_since_sent: u32,
        is_app_limited: u32,
        reserved: u32,
    }

    /// `struct wt_packet`
    Packet as "wt_packet" {
        number: u64,
        seq: u64,
        sent_ns: u64,
        delivered: u64,
        lost: u64,
        bytes: u32,
        in_flight: u32,
        is_app_limited: u32,
        is_repeated: u32,
    }

    /// `struct wt_controller`
    Controller as "wt_controller" {
        abi: u32,
        size: u32,
        flags: u32,
        parameter_count: u32,
        variable_count: u32,
        reserved: u32,
        name: *const c_char,
        summary: *const c_char,
        parameters: *const Parameter,
        variables: *const *const c_char,
        load: Option<unsafe extern "C" fn(*const f64) -> *const c_char>,
        create: Option<unsafe extern "C" fn(*const f64) -> *mut c_void>,
        destroy: Option<unsafe extern "C" fn(*mut c_void)>,
        clone: Option<unsafe extern "C" fn(*const c_void) -> *mut c_void>,
        needs: Option<unsafe extern "C" fn(*const c_void, *mut Needs)>,
        on_seeded: Option<unsafe extern "C" fn(*mut c_void, u64)>,
        on_established: Option<unsafe extern "C" fn(*mut c_void, *mut Window, *const Connection)>,
        on_rtt_sampled: Told<*const RttSample>,
        on_ack_arrived: Told<*const Ack>,
        on_segment_lost: Told<*const LostSegment>,
        on_state_changed: Told<u32>,
        on_acked: Told<u32>,
        on_rate_sampled: Told<*const RateSample>,
        holds_back: Option<unsafe extern "C" fn(*const c_void) -> u32>,
        ssthresh: Asked<f64>,
        undo: Asked<f64>,
        on_event: Told<u32>,
        pacing_rate: Option<unsafe extern "C" fn(*const c_void, *const Window, *const Connection) -> u64>,
        variables_now: Option<unsafe extern "C" fn(*const c_void, *mut f64)>,
        on_plain_ack: Option<unsafe extern "C" fn(*mut c_void, *mut Window, *const Connection, *const RttSample, u32) -> u32>,
        wants_packets: Option<unsafe extern "C" fn(*const c_void) -> u32>,
        on_packet_sent: Told<*const Packet>,
        on_packet_acked: Told<*const Packet>,
        on_packet_lost: Told<*const Packet>,
    }
}
