//! A law with a large state lives in a box: each flow's memory is as large as the largest law's. So does one from outside.

use units::{ByteRate, Duration, Stream};

use crate::slow_start::Kind;
use crate::{
    AckArrival, CaEvent, CaState, CongestionControl, Connection, Guest, LostSegment, Needs, Packet, PlainAck, RateSample, RttSample,
    Steering, Window,
};

/// Every hook goes to the law in the box.
macro_rules! forward {
    ($($hook:ident($me:ty $(, $name:ident: $type:ty)*) $(-> $answer:ty)?;)+) => {
        impl<C: CongestionControl> CongestionControl for Box<C> {
            $(#[inline]
            fn $hook(self: $me $(, $name: $type)*) $(-> $answer)? {
                (**self).$hook($($name),*)
            })+
        }

        impl CongestionControl for Guest {
            $(fn $hook(self: $me $(, $name: $type)*) $(-> $answer)? {
                self.0.$hook($($name),*)
            })+
        }
    };
}

forward! {
    needs(&Self) -> Needs;
    slow_start(&Self) -> Option<Kind>;
    path_rtt(&Self, c: &Connection) -> Option<Duration>;
    on_seeded(&mut Self, stream: Stream);
    on_established(&mut Self, w: &mut Window, c: &Connection);
    on_rtt_sampled(&mut Self, w: &mut Window, c: &Connection, s: &RttSample);
    on_ack_arrived(&mut Self, w: &mut Window, c: &Connection, a: &AckArrival);
    on_acked(&mut Self, w: &mut Window, c: &Connection, acked: u32);
    on_plain_ack(&mut Self, w: &mut Window, c: &Connection, a: &PlainAck, cwnd_limited: bool) -> bool;
    on_rate_sampled(&mut Self, w: &mut Window, c: &Connection, s: &RateSample);
    steer(&mut Self, w: &mut Window, c: &Connection, s: &RateSample) -> Steering;
    holds_back(&Self) -> bool;
    on_segment_lost(&mut Self, w: &mut Window, c: &Connection, s: &LostSegment);
    on_packet_sent(&mut Self, w: &mut Window, c: &Connection, p: &Packet);
    on_packet_acked(&mut Self, w: &mut Window, c: &Connection, p: &Packet);
    on_packet_lost(&mut Self, w: &mut Window, c: &Connection, p: &Packet);
    ssthresh(&mut Self, w: &mut Window, c: &Connection) -> f64;
    on_state_changed(&mut Self, w: &mut Window, c: &Connection, to: CaState);
    on_event(&mut Self, w: &mut Window, c: &Connection, e: CaEvent);
    undo(&mut Self, w: &mut Window, c: &Connection) -> f64;
    pacing_rate(&Self, w: &Window, c: &Connection) -> Option<ByteRate>;
    variable_names(&Self) -> &'static [&'static str];
    variables(&Self, out: &mut [f64]);
}
