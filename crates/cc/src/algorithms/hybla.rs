//! Hybla: grows as a Reno flow of a 25 ms path would in real time, whatever the RTT: made for satellites.
//!
//! Source: Caini/Firrincieli, Int. J. Satell. Commun. Network. 2004; Linux 6.1 `tcp_hybla.c`, reproduced exactly.
//! Units: segments; rho = RTT/RTT0 in eighths, its square and the increments in 128ths.
//! State: rho with the smoothed RTT it was taken from, 128ths of a segment saved, whether the state is Open.
//! Departures: none from Linux 6.1. It counts ACKs, not segments; rounds the increase per ACK down to 1/128, so that it is plain Reno
//! above 128 rho^2 segments; starts at rho segments; and holds the window below 65536.

use super::of_linux61;
use super::reno::Reno;
use crate::parameter::{Parameter, Protocol, Values, Variant};
use crate::slow_start::Kind;
use crate::{CaState, CongestionControl, Connection, Window};

const V61: &str = "linux-6.1";

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "hybla",
    aliases: &[],
    family: "loss-based",
    year: 2004,
    source: "Caini/Firrincieli 2004; Linux 6.1",
    summary: "Reno whose growth in segments per second does not depend on the RTT.",
    signals: &["loss", "ecn", "rtt"],
    variants: &[Variant { name: V61, aliases: &[], summary: "Linux's integers.", exact_kernel: true }],
    parameters: &[Parameter {
        name: "rtt0",
        unit: "s",
        min: 0.001,
        max: 10.0,
        defaults: &[(V61, 0.025)],
        doc: "RTT of the Reno flow whose growth is copied; whole milliseconds.",
    }],
    constants: &[],
    profiles: &of_linux61(V61),
};

/// The state of a new connection.
pub fn build(values: &Values) -> Hybla {
    let rtt0_ms = (values.get("rtt0") * 1e3 + 0.5) as u32;
    Hybla { rtt0_ms, srtt8_us: 0, rho_x8: 8, rho2_x128: 128, cents: 0, enabled: true }
}

/// 128 times 2^(k/8), rounded down.
const EIGHTHS: [u32; 8] = [128, 139, 152, 165, 181, 197, 215, 234];
const CWND_MAX: f64 = 65_535.0;

/// Hybla in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Hybla {
    rtt0_ms: u32,
    /// Eight times the smallest smoothed RTT, which rho was taken from.
    srtt8_us: u32,
    rho_x8: u32,
    rho2_x128: u32,
    /// 128ths of a segment towards the next.
    cents: u32,
    /// Only in Open; elsewhere plain Reno.
    enabled: bool,
}

impl Hybla {
    fn measure(&mut self, c: &Connection) {
        self.srtt8_us = c.srtt8_us;
        self.rho_x8 = (c.srtt8_us / (self.rtt0_ms * 1_000)).clamp(8, 0x7fff);
        self.rho2_x128 = (self.rho_x8 * self.rho_x8) << 1;
    }

    /// Per ACK, in 128ths: 2^rho - 1 in slow start, rho^2/w after it.
    fn increment(&self, w: &Window) -> u32 {
        if w.in_slow_start() {
            (1 << (self.rho_x8 >> 3).min(16)) * EIGHTHS[(self.rho_x8 & 7) as usize] - 128
        } else {
            self.rho2_x128 / w.segments().max(1)
        }
    }

    fn grow(&mut self, w: &mut Window) {
        let increment = self.increment(w);
        let ceiling = if w.in_slow_start() { w.ssthresh } else { CWND_MAX };
        if !w.in_slow_start() && increment < 128 {
            w.cnt += 1;
        }
        w.cwnd += f64::from(increment >> 7);
        self.cents += increment & 127;
        while self.cents >= 128 {
            w.cwnd += 1.0;
            self.cents -= 128;
            w.cnt = 0;
        }
        // rho^2/w is below what can be counted: Reno.
        if increment == 0 && w.cnt >= w.segments() {
            w.cwnd += 1.0;
            w.cnt = 0;
        }
        w.cwnd = w.cwnd.min(ceiling);
    }
}

impl CongestionControl for Hybla {
    fn slow_start(&self) -> Option<Kind> {
        None
    }

    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.measure(c);
        w.cwnd = f64::from(self.rho_x8 >> 3);
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if c.srtt8_us < self.srtt8_us {
            self.measure(c);
        }
        if !c.cwnd_limited {
            return;
        }
        if self.enabled {
            self.grow(w);
        } else {
            Reno.on_acked(w, c, acked);
        }
        w.cwnd = w.cwnd.min(CWND_MAX);
    }

    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        Reno.ssthresh(w, c)
    }

    fn on_state_changed(&mut self, _w: &mut Window, _c: &Connection, to: CaState) {
        self.enabled = to == CaState::Open;
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["rho"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = f64::from(self.rho_x8) / 8.0;
    }
}
