//! Timers of a connection that loses nothing.

use sim::EventKind;

use crate::{flow, run, spec};

/// RFC 6298 5.3: every ACK of new data restarts the timer, so on a path that never drops a packet and whose round trip
/// varies by far less than the 200 ms floor it cannot expire, whatever the profile arms it with. The window is capped
/// below the path's capacity, 250 packets and a queue of 500.
#[test]
fn without_loss_no_timer_expires_and_nothing_is_retransmitted() {
    for profile in tcp::Options::PROFILES {
        for protocol in ["reno", "scalable", "hstcp", "bic", "cubic", "htcp", "fast"] {
            let mut capped = flow(protocol, 60);
            capped.profile = profile.into();
            capped.window_packets = Some(300);
            let records = run(&spec(50, 500, 60, vec![capped]));
            let expired = records.events.iter().filter(|event| matches!(event.kind, EventKind::Timeout | EventKind::Undo)).count();
            let row = &records.flows[0];
            assert_eq!((expired, row.at_end.retransmitted), (0, 0), "{protocol} on {profile}");
        }
    }
}
