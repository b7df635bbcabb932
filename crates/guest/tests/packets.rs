//! The hooks per packet over the border: the example in C++ beside the same law in Rust, and tables of other sizes.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use cc::{
    CaEvent, CongestionControl, Connection, Control, Controller, GuestLaw, GuestParameter, GuestProtocol, Guests, Needs, Packet, Window,
};
use common::workshop;
use sim::{run_with, Beside, Observer, Spec};
use tcp::Sender;
use units::Time;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packets");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// RFC 9002, appendix B, once more.
#[derive(Clone, Debug, Default)]
struct NewReno {
    window: f64,
    ssthresh: Option<f64>,
    recovery_start: Option<Time>,
    has_lost: bool,
    under_way: BTreeSet<u64>,
}

impl NewReno {
    fn on_congestion(&mut self, sent: Time, c: &Connection) {
        if self.recovery_start.is_some_and(|start| sent <= start) {
            return;
        }
        self.recovery_start = Some(c.now);
        self.ssthresh = Some(self.window * 0.5);
        self.window = (self.window * 0.5).max(2.0 * f64::from(c.mss));
    }

    fn show(&self, w: &mut Window, c: &Connection) {
        w.cwnd = self.window / f64::from(c.mss);
        if let Some(ssthresh) = self.ssthresh {
            w.ssthresh = (ssthresh / f64::from(c.mss)).max(1.0);
        }
    }
}

impl CongestionControl for NewReno {
    fn needs(&self) -> Needs {
        Needs { control: Control::Full, packets: true, ..Needs::default() }
    }
    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        self.window = w.cwnd * f64::from(c.mss);
    }
    fn on_packet_sent(&mut self, _w: &mut Window, c: &Connection, p: &Packet) {
        self.under_way.insert(p.seq);
        assert!(self.under_way.len() as u64 <= p.number + 1 && p.in_flight == c.in_flight + 1);
    }
    fn on_packet_acked(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        self.under_way.remove(&p.seq);
        if !p.app_limited && self.recovery_start.is_none_or(|start| p.sent > start) {
            let bytes = f64::from(p.bytes);
            self.window += match self.ssthresh {
                Some(ssthresh) if self.window >= ssthresh => f64::from(c.mss) * bytes / self.window,
                _ => bytes,
            };
        }
        self.show(w, c);
    }
    fn on_packet_lost(&mut self, w: &mut Window, c: &Connection, p: &Packet) {
        self.under_way.remove(&p.seq);
        self.has_lost = true;
        self.on_congestion(p.sent, c);
        self.show(w, c);
    }
    fn on_acked(&mut self, _w: &mut Window, _c: &Connection, _acked: u32) {}
    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        if !std::mem::take(&mut self.has_lost) {
            self.on_congestion(c.last_sent, c);
        }
        self.show(w, c);
        w.ssthresh.max(1.0)
    }
    fn undo(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        w.cwnd
    }
    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        if e == CaEvent::TimedOut {
            self.window = 2.0 * f64::from(c.mss);
            self.show(w, c);
        }
    }
    fn variable_names(&self) -> &'static [&'static str] {
        &["congestion_window", "segments_under_way"]
    }
    fn variables(&self, out: &mut [f64]) {
        (out[0], out[1]) = (self.window, self.under_way.len() as f64);
    }
}

impl GuestLaw for NewReno {
    fn boxed_clone(&self) -> Box<dyn GuestLaw> {
        Box::new(self.clone())
    }
    fn on_seated(&mut self, _flow: usize) {}
}

#[derive(Debug)]
struct Ours;

impl GuestProtocol for Ours {
    fn name(&self) -> &'static str {
        "ours"
    }
    fn parameters(&self) -> &[GuestParameter] {
        &[]
    }
    fn start(&self, _values: &[f64]) -> Result<Box<dyn GuestLaw>, String> {
        Ok(Box::<NewReno>::default())
    }
    fn for_another_run(&self) -> Arc<dyn GuestProtocol> {
        Arc::new(Ours)
    }
}

/// Every window after every ACK, with the law's own variables.
#[derive(Default)]
struct Trace(Vec<(Time, usize, f64, f64, u64, [f64; 2])>);

impl Observer for Trace {
    fn on_acked(&mut self, now: Time, flow: usize, sender: &Sender<Controller>) {
        let (w, mut own) = (sender.window(), [0.0; 2]);
        sender.algorithm().variables(&mut own);
        self.0.push((now, flow, w.cwnd, w.ssthresh, sender.connection().una, own));
    }
}

fn trace(algorithm: &str, has_bursts: bool, guests: &Guests) -> Trace {
    let bursts = serde_json::json!({"model": "gilbert-elliott", "to_bad": 0.001, "to_good": 0.3, "loss_bad": 0.7, "loss_good": 0.0});
    let losses = if has_bursts { vec![bursts] } else { vec![] };
    let flow = serde_json::json!({"rtt_ns": 40_000_000, "algorithm": algorithm});
    let spec = serde_json::json!({
        "seed": 1, "duration_ns": 20_000_000_000_u64, "warmup_ns": 0, "sample_ns": 10_000_000,
        "forward": {"rate_bps": 50_000_000, "queue": {"unit": "packets", "limit": 100}, "losses": losses},
        "flows": [flow.clone(), flow],
    });
    let spec = Spec::from_json(&spec.to_string()).unwrap();
    let mut trace = Trace::default();
    run_with(&spec, Beside { guests, ..Beside::default() }, &mut trace, || false).unwrap();
    trace
}

#[test]
fn the_packets_that_a_library_in_cpp_is_told_of_are_those_of_a_law_in_rust() {
    let library = folder().join("librfc9002.so");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-I"]).arg(here.join("include"));
    compiler.arg("-o").arg(&library).arg(here.join("../../examples/cpp-controller/rfc9002.cpp"));
    assert!(compiler.status().unwrap().success());
    let protocol = guest::open(&library, &workshop()).unwrap();
    assert!(protocol.needs().packets);
    let mut guests = Guests::default();
    guests.insert("./librfc9002.so", Arc::new(protocol));
    guests.insert("ours", Arc::new(Ours));
    for has_bursts in [false, true] {
        let (theirs, ours) = (trace("./librfc9002.so", has_bursts, &guests), trace("ours", has_bursts, &guests));
        assert!(theirs.0.len() > 10_000);
        assert!(theirs.0.iter().any(|acked| acked.3 < 1e6), "there were losses");
        assert_eq!(theirs.0, ours.0);
        // What is under way by its own count is at most what was sent and not acknowledged.
        assert!(theirs.0.iter().all(|acked| acked.5[1] >= 0.0 && acked.5[1] < 1e5));
    }
}

/// A library with the least that a table must have, and the text in the middle of what makes it.
fn library(name: &str, more: &str) -> Result<guest::Protocol, guest::GuestError> {
    let text = format!(
        r#"#include <stdlib.h>
#include "windtunnel.h"
static void *create(const double *v) {{ (void)v; return malloc(1); }}
static void *copy(const void *s) {{ (void)s; return malloc(1); }}
static void acked(void *s, struct wt_window *w, const struct wt_connection *c, uint32_t n) {{ (void)s; (void)w; (void)c; (void)n; }}
static double half(void *s, struct wt_window *w, const struct wt_connection *c) {{ (void)s; (void)c; return w->cwnd / 2 + 1; }}
static void packet(void *s, struct wt_window *w, const struct wt_connection *c, const struct wt_packet *p) {{ (void)s; (void)w; (void)c; (void)p; }}
static uint32_t no(const void *s) {{ (void)s; return 0; }}
static struct {{ struct wt_controller t; void (*later)(void); }} table;
const struct wt_controller *windtunnel_controller(uint32_t abi) {{
    (void)abi; (void)packet; (void)no;
    table.t.abi = WT_ABI; table.t.size = sizeof table.t; table.t.name = "least";
    table.t.create = create; table.t.destroy = free; table.t.clone = copy; table.t.on_acked = acked; table.t.ssthresh = half;
    {more}
    return &table.t;
}}
"#
    );
    // Tests run side by side: none reads a header that another is writing.
    let own = folder().join(name);
    fs::create_dir_all(&own).unwrap();
    let (source, built) = (own.join("table.c"), own.join("table.so"));
    fs::write(&source, text).unwrap();
    fs::write(own.join("windtunnel.h"), guest::HEADER).unwrap();
    let mut compiler = Command::new("cc");
    assert!(compiler.args(["-shared", "-fPIC", "-o"]).arg(&built).arg(&source).status().unwrap().success());
    guest::open(&built, &workshop())
}

#[test]
fn a_table_asks_for_packets_by_its_hooks_unless_it_says_no() {
    assert!(!library("none", "").unwrap().needs().packets);
    assert!(library("one", "table.t.on_packet_lost = packet;").unwrap().needs().packets);
    assert!(!library("said_no", "table.t.on_packet_lost = packet; table.t.wants_packets = no;").unwrap().needs().packets);
    assert!(!library("no_hooks", "table.t.wants_packets = no;").unwrap().needs().packets);
    // A library that was built before there were packets: what its table does not have is none.
    let before = "table.t.on_packet_lost = packet; table.t.size = offsetof(struct wt_controller, wants_packets);";
    assert!(!library("before", &format!("table.t.flags = 1; {before}").replace("offsetof", "__builtin_offsetof")).unwrap().needs().packets);
}

#[test]
fn a_table_of_a_size_that_no_version_has_or_with_a_hook_that_came_later_is_refused() {
    let refused = |name: &str, more: &str| library(name, more).expect_err("this should be refused").what;
    let size = std::mem::size_of::<guest::abi::Controller>();
    assert!(library("longer", "table.t.size = sizeof table;").is_ok(), "what it adds is NULL");
    assert_eq!(
        refused("newer", "table.t.size = sizeof table; table.later = abort;"),
        format!(
            "was built against a newer windtunnel.h, and has a hook that this version does not know: its table has {} bytes, ours {size}",
            size + 8
        )
    );
    for wrong in ["0", "8", "5000", "0xffffffffu"] {
        let what = refused(&format!("size_{wrong}"), &format!("table.t.size = {wrong};"));
        assert!(what.contains("allowed: ") && what.contains("sizeof(struct wt_controller)"), "{what}");
    }
}
