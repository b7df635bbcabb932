//! HyStart++: when the RTT of a round has risen, grow at a quarter of the speed for five rounds (conservative slow start, CSS), then end
//! slow start; if the RTT falls again meanwhile, the rise was an accident and slow start goes on.
//!
//! Source: RFC 9406, sections 4.2 and 4.3.
//! Units: segments; microseconds.
//! State: the round's end, smallest RTT and number of samples, the last round's smallest RTT; in CSS its baseline and rounds left; segments
//! acknowledged towards the next one of growth.
//! Departures: the window rises by whole segments, one per four acknowledged in CSS.

use units::Duration;

use crate::{Connection, Window, SSTHRESH_INFINITE};

const MIN_RTT_THRESH_US: u64 = 4_000;
const MAX_RTT_THRESH_US: u64 = 16_000;
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: u32 = 4;
const CSS_ROUNDS: u32 = 5;
/// L: most segments an ACK counts for; unlimited when the sender is paced.
const L: u32 = 8;

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Css {
    baseline_us: u64,
    rounds_left: u32,
}

/// HyStart++'s state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HyStartPlusPlus {
    /// None before the first ACK.
    window_end: Option<u64>,
    last_us: Option<u64>,
    current_us: u64,
    samples: u32,
    css: Option<Css>,
    credit: u32,
}

impl HyStartPlusPlus {
    pub(crate) fn new() -> HyStartPlusPlus {
        HyStartPlusPlus { window_end: None, last_us: None, current_us: u64::MAX, samples: 0, css: None, credit: 0 }
    }

    /// Only in the first slow start: a later one ends at the threshold that the first one found.
    fn applies(w: &Window) -> bool {
        w.ssthresh >= SSTHRESH_INFINITE
    }

    pub(crate) fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, rtt: Duration) {
        if !Self::applies(w) {
            return;
        }
        // The ACK of the round's last segment is its own: the next one begins the new round, when what that ACK released has been sent.
        if c.una > *self.window_end.get_or_insert(c.nxt) {
            self.end_round(w, c);
        }
        self.current_us = self.current_us.min(rtt.as_us());
        self.samples += 1;
        if self.samples >= N_RTT_SAMPLE {
            self.judge();
        }
    }

    fn judge(&mut self) {
        match (self.css, self.last_us) {
            (Some(css), _) if self.current_us < css.baseline_us => self.css = None,
            (None, Some(last_us)) => {
                let threshold_us = (last_us / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH_US, MAX_RTT_THRESH_US);
                if self.current_us >= last_us + threshold_us {
                    self.css = Some(Css { baseline_us: self.current_us, rounds_left: CSS_ROUNDS });
                }
            }
            _ => {}
        }
    }

    /// The round in which CSS began counts, however late in it that was.
    fn end_round(&mut self, w: &mut Window, c: &Connection) {
        self.window_end = Some(c.nxt);
        self.last_us = Some(self.current_us);
        self.current_us = u64::MAX;
        self.samples = 0;
        if let Some(css) = &mut self.css {
            css.rounds_left -= 1;
            if css.rounds_left == 0 {
                w.ssthresh = w.cwnd.max(2.0);
            }
        }
    }

    pub(crate) fn worth(&mut self, w: &Window, c: &Connection, acked: u32) -> u32 {
        if !Self::applies(w) {
            return acked;
        }
        let counted = if c.is_paced { acked } else { acked.min(L) };
        if self.css.is_none() {
            return counted;
        }
        self.credit += counted;
        let whole = self.credit / CSS_GROWTH_DIVISOR;
        self.credit %= CSS_GROWTH_DIVISOR;
        whole
    }
}
