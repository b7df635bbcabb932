//! The forms that Linux gave its hooks over time: `cong_control` with two arguments and with four (6.10), and a hook of its own for the
//! event of a transmission that begins (7.1).

mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use cc::Guests;
use common::workshop;
use sim::{run_with, AckHash, Beside, Spec};

const BEGUN: &str = "#include <linux/module.h>\n#include <net/tcp.h>\n\n";

/// The end of a file: what registers it. All of them bear one name, which random draws hang on.
const ENDED: &str = r#"
	.ssthresh = tcp_reno_ssthresh, .undo_cwnd = tcp_reno_undo_cwnd, .name = "form",
};

static int __init form_register(void)
{
	return tcp_register_congestion_control(&form);
}
module_init(form_register);
"#;

/// What a file with these functions and hooks does in a scenario whose application pauses for longer than a timeout.
fn hash(test: &str, functions: &str, hooks: &str) -> AckHash {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("forms").join(test);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("form.c");
    fs::write(&path, format!("{BEGUN}{functions}\nstatic struct tcp_congestion_ops form = {{\n\t{hooks}{ENDED}")).unwrap();
    let mut guests = Guests::default();
    guests
        .insert("form", Arc::new(guest::open(&path, &workshop()).unwrap_or_else(|error| panic!("{error}\n{}", error.compiler.join("\n")))));
    let spec = serde_json::json!({
        "seed": 1, "duration_ns": 10_000_000_000_u64, "warmup_ns": 0, "sample_ns": 0,
        "forward": {"rate_bps": 20_000_000, "queue": {"unit": "packets", "limit": 50}},
        "flows": [{
            "algorithm": "form", "rtt_ns": 20_000_000, "writes": {"kind": "on-off", "on_ns": 400_000_000, "off_ns": 600_000_000},
            // Nothing but the file then shrinks a window that stood idle.
            "transport": {"idle_restart": "none"},
        }],
    });
    let spec = Spec::from_json(&spec.to_string()).unwrap();
    let mut hash = AckHash::default();
    run_with(&spec, Beside { guests: &guests, ..Beside::default() }, &mut hash, || false).unwrap();
    assert!(hash.acks > 1000);
    hash
}

/// A window of four segments whenever a transmission begins after silence.
const HALVED: &str = "tcp_snd_cwnd_set(tcp_sk(sk), 4);";

#[test]
fn a_transmission_that_begins_is_told_by_the_event_and_from_7_1_on_by_a_hook_of_its_own() {
    let by_event =
        format!("static void event(struct sock *sk, enum tcp_ca_event e)\n{{\n\tif (e == CA_EVENT_TX_START)\n\t\t{HALVED}\n}}\n");
    let by_hook = format!("static void tx_start(struct sock *sk)\n{{\n\t{HALVED}\n}}\n");
    let avoid = ".cong_avoid = tcp_reno_cong_avoid,";
    let event = hash("event", &by_event, &format!("{avoid} .cwnd_event = event,"));
    assert_eq!(hash("hook", &by_hook, &format!("{avoid} .cwnd_event_tx_start = tx_start,")), event);
    assert_ne!(hash("neither", "", avoid), event, "transmissions begin after silence, and the file hears of it");
    // Where both are there, the event is no longer told of it.
    let silent = "static void tx_start(struct sock *sk)\n{\n}\n";
    let both = hash("both", &format!("{by_event}{silent}"), &format!("{avoid} .cwnd_event = event, .cwnd_event_tx_start = tx_start,"));
    assert_eq!(both, hash("again", "", avoid));
}

#[test]
fn the_hook_that_controls_all_has_two_arguments_or_four() {
    let body = "{\n\ttcp_snd_cwnd_set(tcp_sk(sk), rs->delivered > 1 ? 30 : 20);\n}\n";
    let two = format!("static void control(struct sock *sk, const struct rate_sample *rs)\n{body}");
    let four = format!("static void control(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)\n{body}");
    let hooks = ".cong_control = control,";
    let shown = hash("two", &two, hooks);
    assert_eq!(hash("four", &four, hooks), shown);
    // What is acknowledged is where the connection stands: a file that asks for it does as one that does not.
    let asked = four.replace("rs->delivered > 1", "ack == tcp_sk(sk)->snd_una && rs->delivered > 1");
    assert_eq!(hash("asked", &asked, hooks), shown);
    let never = four.replace("rs->delivered > 1", "ack != tcp_sk(sk)->snd_una && rs->delivered > 1");
    assert_ne!(hash("never", &never, hooks), shown);
}
