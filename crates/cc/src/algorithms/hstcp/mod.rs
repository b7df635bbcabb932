//! HighSpeed TCP: the increase grows and the decrease shrinks with the window, along a chosen response function.
//!
//! Source: RFC 3649; Li/Leith/Shorten 2007, V.B and Table II; Linux 6.1 `tcp_highspeed.c` for `table-linux`.
//! Units: segments; `a` segments per round trip, `b` the fraction removed.
//! State: the current table row, or a(w) and b(w) with the range of windows for which they were computed.
//! Departures: `table-linux` credits ACKs, not segments, and reads one row higher than the RFC; both are Linux's. `formula` evaluates
//! a(w) and b(w) at whole windows, floor(w), so that logarithms are paid once per segment of growth and not once per ACK, and keeps
//! a >= 1. `table-altaimd` is our table: the paper prints low window 31 and no low p, 1.5e-3 is its pair in the 2002 draft.

mod table;

use self::table::{Row, ALTAIMD, LINUX_DECREASE, RFC};
use super::{borrows, runs};
use crate::parameter::{Constant, Parameter, Protocol, Variant};
use crate::{Algorithm, CongestionControl, Connection, Window};

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "hstcp",
    aliases: &["highspeed"],
    family: "loss-based high-speed",
    year: 2003,
    source: "Floyd, RFC 3649; Li/Leith/Shorten 2007 Table II; Linux 6.1",
    summary: "AIMD whose increase and decrease follow the window, so that the response function is 0.12/p^0.835.",
    signals: &["loss", "ecn"],
    variants: &[
        Variant {
            name: "table-linux",
            aliases: &["linux-6.1", "linux-2.6.23"],
            summary: "Linux's table and integers: one row more aggressive, per ACK.",
            exact_kernel: true,
        },
        Variant { name: "formula", aliases: &["rfc"], summary: "Continuous a(w) and b(w), exact exponents.", exact_kernel: false },
        Variant { name: "table-rfc", aliases: &[], summary: "RFC 3649 appendix B, largest row not above the window.", exact_kernel: false },
        Variant {
            name: "table-altaimd",
            aliases: &["altaimd-2.6.6"],
            summary: "The 2007 benchmark's set: a table generated for low window 31.",
            exact_kernel: false,
        },
    ],
    parameters: &[
        Parameter {
            name: "low_window",
            unit: "segments",
            min: 2.0,
            max: 1e3,
            defaults: &[("formula", RFC_SET.low_window)],
            doc: "Reno up to here.",
        },
        Parameter {
            name: "high_window",
            unit: "segments",
            min: 2e3,
            max: 1e8,
            defaults: &[("formula", RFC_SET.high_window)],
            doc: "Window at high_p.",
        },
        Parameter {
            name: "low_p",
            unit: "1",
            min: 1e-4,
            max: 0.1,
            defaults: &[("formula", RFC_SET.low_p)],
            doc: "Loss rate at low_window.",
        },
        Parameter {
            name: "high_p",
            unit: "1",
            min: 1e-12,
            max: 1e-5,
            defaults: &[("formula", RFC_SET.high_p)],
            doc: "Loss rate at high_window.",
        },
        Parameter {
            name: "high_decrease",
            unit: "1",
            min: 0.01,
            max: 0.5,
            defaults: &[("formula", RFC_SET.high_decrease)],
            doc: "b at high_window.",
        },
    ],
    constants: &[
        Constant { name: "low_window", variant: "table-altaimd", value: ALTAIMD_SET.low_window, unit: "segments" },
        Constant { name: "high_window", variant: "table-altaimd", value: ALTAIMD_SET.high_window, unit: "segments" },
        Constant { name: "high_p", variant: "table-altaimd", value: ALTAIMD_SET.high_p, unit: "1" },
    ],
    profiles: &[
        runs("linux-6.1", "table-linux"),
        runs("linux-2.6.23", "table-linux"),
        runs("altaimd-2.6.6", "table-altaimd"),
        borrows("linux-2.4", "formula"),
        runs("rfc", "formula"),
    ],
    build: |values| match values.variant() {
        "table-linux" => Algorithm::HstcpLinux(HstcpLinux::default()),
        "table-rfc" => Algorithm::HstcpReal(HstcpReal::new(Law::Table(&RFC))),
        "table-altaimd" => Algorithm::HstcpReal(HstcpReal::new(Law::Table(&ALTAIMD))),
        _ => Algorithm::HstcpReal(HstcpReal::new(Law::Formula(Formula {
            low_window: values.get("low_window"),
            high_window: values.get("high_window"),
            low_p: values.get("low_p"),
            high_p: values.get("high_p"),
            high_decrease: values.get("high_decrease"),
        }))),
    },
};

/// HighSpeed TCP in Linux's integers. The row is kept from ACK to ACK, and the decrease uses the row of the last ACK.
#[derive(Clone, Copy, Debug, Default)]
pub struct HstcpLinux {
    row: u8,
}

impl HstcpLinux {
    #[inline]
    fn upper(row: u8) -> u32 {
        RFC[usize::from(row)].window
    }

    #[inline]
    fn seek(&mut self, cwnd: u32) {
        while usize::from(self.row) < LINUX_DECREASE.len() - 1 && cwnd > Self::upper(self.row) {
            self.row += 1;
        }
        while self.row > 0 && cwnd <= Self::upper(self.row - 1) {
            self.row -= 1;
        }
    }
}

impl CongestionControl for HstcpLinux {
    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        if w.in_slow_start() {
            w.slow_start(acked);
            return;
        }
        let cwnd = w.segments();
        self.seek(cwnd);
        w.cnt += u32::from(self.row) + 1;
        if w.cnt >= cwnd {
            w.cnt -= cwnd;
            w.cwnd += 1.0;
        }
    }

    #[inline]
    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let cwnd = w.segments();
        let cut = (u64::from(cwnd) * u64::from(LINUX_DECREASE[usize::from(self.row)])) >> 8;
        f64::from((cwnd - cut as u32).max(2))
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["a", "b"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = f64::from(self.row) + 1.0;
        out[1] = f64::from(LINUX_DECREASE[usize::from(self.row)]) / 256.0;
    }
}

/// The response function's five numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Formula {
    low_window: f64,
    high_window: f64,
    low_p: f64,
    high_p: f64,
    high_decrease: f64,
}

impl Formula {
    /// a(w), b(w) of RFC 3649 section 5, continued above `high_window`.
    fn at(&self, w: f64) -> (f64, f64) {
        if w <= self.low_window {
            return (1.0, 0.5);
        }
        let position = libm::log(w / self.low_window) / libm::log(self.high_window / self.low_window);
        let b = ((self.high_decrease - 0.5) * position + 0.5).max(0.01);
        // p(w) = low_p (w/low_window)^(1/S), and 1/S is the ratio of the logarithms that `position` already holds.
        let p = self.low_p * libm::exp(position * libm::log(self.high_p / self.low_p));
        ((w * w * p * 2.0 * b / (2.0 - b)).max(1.0), b)
    }
}

/// The RFC's set.
pub(crate) const RFC_SET: Formula = Formula { low_window: 38.0, high_window: 83_000.0, low_p: 1e-3, high_p: 1e-7, high_decrease: 0.1 };

/// What the 2007 benchmark's table was generated from; its low p makes the response function meet Reno's at the low window.
pub(crate) const ALTAIMD_SET: Formula =
    Formula { low_window: 31.0, high_window: 83_000.0, low_p: 1.5e-3, high_p: 1e-7, high_decrease: 0.1 };

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

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3649, appendix B: a row where the increase has grown by more than one since the last, the decrease in hundredths.
    #[test]
    fn the_table_of_the_benchmark_is_generated_from_its_set() {
        let mut last = ALTAIMD_SET.at(f64::from(ALTAIMD[0].window)).0;
        for row in &ALTAIMD[1..] {
            let window = f64::from(row.window);
            let ((before, _), (here, decrease)) = (ALTAIMD_SET.at(window - 1.0), ALTAIMD_SET.at(window));
            assert!(before <= last + 1.0 && here > last + 1.0, "row {row:?}: increases {before}, {here} after {last}");
            assert!((decrease - row.b).abs() <= 0.005 + 1e-9, "row {row:?}: decrease {decrease}");
            last = here;
        }
        assert_eq!(f64::from(ALTAIMD[0].window), ALTAIMD_SET.low_window);
    }
}
