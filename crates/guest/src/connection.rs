//! The core's own connection is what the header declares: nothing is copied on the way to a library, nor inside one that is Rust.
#![allow(unsafe_code)]

use std::mem::{offset_of, size_of};

use cc::{CaState, Connection, PlainAck};
use units::{ByteRate, Duration, Time};

use crate::abi;

macro_rules! same_places {
    ($($ours:ident is $theirs:ident,)+) => {
        const _: () = {
            $(assert!(offset_of!(Connection, $ours) == offset_of!(abi::Connection, $theirs));)+
            assert!(size_of::<Connection>() == size_of::<abi::Connection>());
            assert!(size_of::<Time>() == 8 && size_of::<Duration>() == 8 && size_of::<ByteRate>() == 8 && size_of::<CaState>() == 1);
        };
    };
}

same_places! {
    now is now_ns,
    una is una,
    nxt is nxt,
    delivered is delivered,
    delivered_ce is delivered_ce,
    lost is lost,
    app_limited_until is app_limited_until,
    rtt_min is rtt_min_ns,
    pacing_rate is pacing_rate_bytes_per_s,
    last_sent is last_sent_ns,
    prior_cwnd is prior_cwnd,
    in_flight is in_flight,
    mss is mss_bytes,
    srtt8_us is srtt8_us,
    ca_state is ca_state,
    cwnd_limited is is_cwnd_limited,
    is_paced is is_paced,
    selective_acks is has_selective_acks,
}

/// The connection as the header has it.
#[inline]
pub(crate) fn shown(c: &Connection) -> &abi::Connection {
    // SAFETY: every field of the one stands where that of the other does; times and rates are one word, and all words are whole.
    unsafe { &*std::ptr::from_ref(c).cast::<abi::Connection>() }
}

const _: () = {
    assert!(
        offset_of!(PlainAck, rtt) == offset_of!(abi::RttSample, rtt_ns)
            && offset_of!(PlainAck, forward) == offset_of!(abi::RttSample, forward_ns)
    );
    assert!(
        offset_of!(PlainAck, echoed) == offset_of!(abi::RttSample, sent_ns)
            && offset_of!(PlainAck, acked) == offset_of!(abi::RttSample, acked)
    );
    assert!(
        offset_of!(PlainAck, in_flight) == offset_of!(abi::RttSample, in_flight) && size_of::<PlainAck>() == size_of::<abi::RttSample>()
    );
};

/// An ACK of which everything is known, as the header has it.
#[inline]
pub(crate) fn plain_ack(a: &PlainAck) -> &abi::RttSample {
    // SAFETY: as in `shown`.
    unsafe { &*std::ptr::from_ref(a).cast::<abi::RttSample>() }
}

/// The connection that a simulator shows to a library in the header's form.
///
/// # Safety
/// `c` points to a connection of the header whose state is one of `enum wt_ca_state`, and whose switches are 0 or 1.
#[inline]
pub unsafe fn from_shown<'a>(c: *const abi::Connection) -> &'a Connection {
    // SAFETY: as in `shown`; the caller promises the rest.
    unsafe { &*c.cast::<Connection>() }
}
