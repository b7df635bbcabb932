//! HighSpeed TCP as Linux runs it: the table read one row higher than the RFC does, and ACKs credited, not segments.
//!
//! Source: Linux 6.1 `tcp_highspeed.c`, reproduced exactly. Units: segments; the decrease in 256ths.

use super::table::{LINUX_DECREASE, RFC};
use crate::{CongestionControl, Connection, Window};

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
