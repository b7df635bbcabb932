//! HighSpeed TCP: the increase grows and the decrease shrinks with the window, along a chosen response function.
//!
//! Source: RFC 3649; Li/Leith/Shorten 2007, V.B and Table II; Linux 6.1 `tcp_highspeed.c` for `table-linux`.
//! Units: segments; `a` segments per round trip, `b` the fraction removed.
//! State: the current table row, or a(w) and b(w) with the range of windows for which they were computed.
//! Departures: `table-linux` credits ACKs, not segments, and reads one row higher than the RFC; both are Linux's. `formula` evaluates
//! a(w) and b(w) at whole windows, floor(w), so that logarithms are paid once per segment of growth and not once per ACK, and keeps
//! a >= 1. `table-altaimd` is our table: the paper prints low window 31 and no low p, 1.5e-3 is its pair in the 2002 draft.

mod formula;
mod linux;
mod protocol;
mod table;
mod table_altaimd;

use self::formula::{Formula, RFC_SET};
pub use self::linux::HstcpLinux;
pub use self::protocol::{build, PROTOCOL};
use self::table::Row;
use crate::{CongestionControl, Connection, Window};

/// Where a(w) and b(w) come from.
#[derive(Clone, Copy, Debug)]
enum Law {
    Formula(Formula),
    Table(&'static [Row]),
}

/// HighSpeed TCP with a real-valued window: `cwnd += a(cwnd) acked/cwnd`.
#[derive(Clone, Copy, Debug)]
pub struct HstcpReal {
    law: Law,
    a: f64,
    b: f64,
    /// `a` and `b` hold for windows in `from..to`.
    from: f64,
    to: f64,
}

impl HstcpReal {
    fn new(law: Law) -> HstcpReal {
        HstcpReal { law, a: 1.0, b: 0.5, from: 0.0, to: 0.0 }
    }

    /// The RFC's own set, for the laws that build on it.
    pub(super) fn rfc3649() -> HstcpReal {
        HstcpReal::new(Law::Formula(RFC_SET))
    }

    #[inline]
    fn seek(&mut self, cwnd: f64) {
        if !(self.from..self.to).contains(&cwnd) {
            self.look_up(cwnd);
        }
    }

    fn look_up(&mut self, cwnd: f64) {
        match self.law {
            Law::Formula(formula) => {
                self.from = libm::floor(cwnd);
                self.to = self.from + 1.0;
                (self.a, self.b) = formula.at(self.from);
            }
            Law::Table(rows) => {
                let above = rows.partition_point(|row| f64::from(row.window) <= cwnd);
                let row = &rows[above.saturating_sub(1)];
                self.from = if above == 0 { 0.0 } else { f64::from(row.window) };
                self.to = rows.get(above).map_or(f64::INFINITY, |next| f64::from(next.window));
                (self.a, self.b) = (f64::from(row.a), row.b);
            }
        }
    }
}

impl CongestionControl for HstcpReal {
    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = w.slow_start_real(acked);
        if rest > 0.0 {
            self.seek(w.cwnd);
            w.cwnd += self.a * rest / w.cwnd;
        }
    }

    #[inline]
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        self.seek(w.cwnd);
        ((1.0 - self.b) * w.cwnd).max(2.0)
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["a", "b"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = self.a;
        out[1] = self.b;
    }
}
