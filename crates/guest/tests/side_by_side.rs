//! What a file keeps in globals belongs to one run and one set of parameters.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use cc::Guests;
use common::workshop;
use sim::{run_with, AckHash, Beside, Spec};

/// A Reno whose pace hangs on a count of its calls and on what its init made of its parameter: both are globals.
const COUNTING: &str = r#"#include <linux/module.h>
#include <net/tcp.h>

static int step = 1;
module_param(step, int, 0644);
static int every = 400;
static u32 calls;

static void counting_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	if (++calls % every == 0)
		tcp_snd_cwnd_set(tcp_sk(sk), tcp_snd_cwnd(tcp_sk(sk)) + 1);
	tcp_reno_cong_avoid(sk, ack, acked);
}

static struct tcp_congestion_ops counting = {
	.ssthresh = tcp_reno_ssthresh, .cong_avoid = counting_cong_avoid, .undo_cwnd = tcp_reno_undo_cwnd, .name = "counting",
};

static int __init counting_register(void)
{
	every /= step;
	return tcp_register_congestion_control(&counting);
}
module_init(counting_register);
"#;

/// A copy of the file, for tests that run at one time.
fn file(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("side-by-side").join(test);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("counting.c");
    fs::write(&path, COUNTING).unwrap();
    path
}

/// Flows of the file with these steps, and one of the registry's.
fn spec(steps: &[u32]) -> Spec {
    let flows = steps.iter().map(|step| serde_json::json!({"algorithm": "counting", "rtt_ns": 20_000_000, "parameters": {"step": step}}));
    let flows: Vec<_> = flows.chain([serde_json::json!({"algorithm": "reno", "rtt_ns": 30_000_000})]).collect();
    let spec = serde_json::json!({
        "seed": 1, "duration_ns": 10_000_000_000_u64, "warmup_ns": 0, "sample_ns": 0,
        "forward": {"rate_bps": 20_000_000, "queue": {"unit": "packets", "limit": 50}}, "flows": flows,
    });
    Spec::from_json(&spec.to_string()).unwrap()
}

fn hash(steps: &[u32], guests: &Guests) -> AckHash {
    let mut hash = AckHash::default();
    run_with(&spec(steps), Beside { guests, ..Beside::default() }, &mut hash, || false).unwrap();
    hash
}

#[test]
fn runs_and_sets_of_parameters_share_no_globals_on_any_number_of_threads() {
    let mut guests = Guests::default();
    guests.insert("counting", Arc::new(guest::open(&file("runs"), &workshop()).unwrap()));
    let sets: [&[u32]; 4] = [&[1], &[4], &[1, 4], &[4, 4]];
    let alone: Vec<AckHash> = sets.iter().map(|steps| hash(steps, &guests)).collect();
    let again: Vec<AckHash> = sets.iter().map(|steps| hash(steps, &guests)).collect();
    assert_eq!(alone, again, "a second run begins as the first did");
    assert_ne!(alone[0], alone[1], "the parameter has an effect");
    thread::scope(|scope| {
        let runs: Vec<_> = (0..8).map(|number| (number, scope.spawn(|| sets.map(|steps| hash(steps, &guests))))).collect();
        for (number, run) in runs {
            assert_eq!(run.join().unwrap().to_vec(), alone, "thread {number}");
        }
    });
}

/// Two flows of one set count together, as two sockets of one module do; of two sets each counts for itself.
#[test]
fn flows_of_one_set_share_the_modules_globals() {
    let mut guests = Guests::default();
    let protocol = Arc::new(guest::open(&file("flows"), &workshop()).unwrap());
    guests.insert("counting", protocol);
    let mut shown = Vec::new();
    for steps in [&[4, 4][..], &[4, 2]] {
        shown.push(hash(steps, &guests));
    }
    assert_ne!(shown[0], shown[1]);
}
