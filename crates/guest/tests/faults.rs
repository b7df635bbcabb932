//! What is wrong with a file is said in one line that names the file; what is wrong with a law, with hook, flow and simulated time.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use cc::{GuestProtocol, Guests};
use common::workshop;
use guest::GuestError;
use sim::{run_with, Beside, RunError, Silent, Spec};

/// A Reno that is complete; tests take something from it, or put something in.
const RENO: &str = r#"#include <linux/module.h>
#include <net/tcp.h>

static int step = 1;
module_param(step, int, 0644);
MODULE_PARM_DESC(step, "segments a round");

struct state { u32 acks; };

static void mine_init(struct sock *sk)
{
	struct state *s = inet_csk_ca(sk);

	s->acks = 0;
}

static void mine_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	/* here */
	tcp_reno_cong_avoid(sk, ack, acked);
}

static struct tcp_congestion_ops mine = {
	.init = mine_init,
	.ssthresh = tcp_reno_ssthresh,
	.cong_avoid = mine_cong_avoid,
	.undo_cwnd = tcp_reno_undo_cwnd,
	.name = "mine",
	.owner = THIS_MODULE,
};

static int __init mine_register(void)
{
	BUILD_BUG_ON(sizeof(struct state) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&mine);
}
module_init(mine_register);
MODULE_LICENSE("Dual MIT/GPL");
"#;

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults").join(test);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The file that this text makes.
fn written(test: &str, text: &str) -> PathBuf {
    let path = folder(test).join("mine.c");
    fs::write(&path, text).unwrap();
    path
}

fn refused(path: &Path) -> GuestError {
    let error = guest::open(path, &workshop()).expect_err("this should be refused");
    assert_eq!(error.file, path.display().to_string());
    assert!(!error.what.contains('\n'), "{}", error.what);
    error
}

fn refusal(test: &str, text: &str) -> String {
    refused(&written(test, text)).what
}

#[test]
fn a_complete_file_is_opened_with_its_parameters() {
    let protocol = guest::open(&written("complete", RENO), &workshop()).unwrap();
    let step = &protocol.parameters()[0];
    assert_eq!((protocol.name(), step.name.as_str(), step.doc.as_str(), step.default), ("mine", "step", "segments a round", 1.0));
    assert_eq!((step.min, step.max, step.is_integer), (-2_147_483_648.0, 2_147_483_647.0, true));
    assert_eq!(protocol.summary(), "");
    let described = written("described", &format!("{RENO}MODULE_DESCRIPTION(\"one segment a round\");\n"));
    assert_eq!(guest::open(&described, &workshop()).unwrap().summary(), "one segment a round");
}

#[test]
fn the_compilers_errors_name_the_users_line_and_none_of_ours() {
    let path = written("syntax", &RENO.replace("/* here */", "int x = ;"));
    let error = refused(&path);
    assert_eq!(error.what, format!("does not compile: {}:19: expected expression before ';' token", path.display()));
    assert_eq!(error.compiler.len(), 1);
    let error = refused(&written("macro", &RENO.replace("module_param(step, int, 0644)", "module_param(step, charp, 0644)")));
    assert!(error.what.contains("mine.c:5: "), "{}", error.what);
    let large = refusal("large", &RENO.replace("u32 acks;", "u32 acks, more[26];"));
    assert!(large.contains("mine.c:34: ") && large.contains("ICSK_CA_PRIV_SIZE"), "{large}");
    let unknown = refusal("unknown", &RENO.replace("/* here */", "tcp_fly(sk);"));
    assert!(unknown.contains("mine.c:19: implicit declaration of function 'tcp_fly'"), "{unknown}");
    let field = refusal("field", &RENO.replace("/* here */", "tcp_sk(sk)->snd_wl1 = 0;"));
    assert!(field.contains("mine.c:19: 'struct tcp_sock' has no member named 'snd_wl1'"), "{field}");
    let header = refusal("header", &RENO.replace("linux/module.h", "linux/netfilter.h"));
    assert!(header.contains("mine.c:1: linux/netfilter.h: No such file or directory"), "{header}");
    let real = refusal("real", &RENO.replace("/* here */", "double x = step * 0.5; step = x;"));
    assert!(real.contains("mine.c:19: "), "{real}");
}

#[test]
fn a_file_without_an_algorithm_or_with_two_says_so() {
    assert!(refusal("prose", "Dear reader,\nthis is no C.\n").starts_with("defines no tcp_congestion_ops"));
    let none = refusal("none", &RENO.replace("return tcp_register_congestion_control(&mine);", "return 0;"));
    assert_eq!(none, "its module_init registers no tcp_congestion_ops (it answers 0)");
    let init = refusal("init", &RENO.replace("module_init(mine_register);", ""));
    assert_eq!(init, "has no module_init: nothing registers its tcp_congestion_ops");
    let second = "static struct tcp_congestion_ops other = { .ssthresh = tcp_reno_ssthresh, .cong_avoid = tcp_reno_cong_avoid, \
                  .undo_cwnd = tcp_reno_undo_cwnd, .name = \"other\" };\n\nstatic int __init";
    let two =
        RENO.replace("static int __init", second).replace("return tcp_reg", "tcp_register_congestion_control(&other);\n\treturn tcp_reg");
    assert_eq!(refusal("two", &two), "registers 2 algorithms, other and mine: give each a file of its own");
}

#[test]
fn a_missing_hook_is_named() {
    for (hook, line, named) in [
        ("ssthresh", "\t.ssthresh = tcp_reno_ssthresh,\n", "ssthresh"),
        ("undo", "\t.undo_cwnd = tcp_reno_undo_cwnd,\n", "undo_cwnd"),
        ("avoid", "\t.cong_avoid = mine_cong_avoid,\n", "cong_avoid or cong_control"),
    ] {
        let text = RENO.replace(line, "");
        assert_ne!(text, RENO);
        assert_eq!(refusal(hook, &text), format!("mine: its tcp_congestion_ops has no {named}: the kernel demands it"));
    }
}

#[test]
fn what_is_no_file_of_ours_is_refused_by_name() {
    assert!(refused(&folder("folder")).what.starts_with("is a folder"));
    assert_eq!(refused(&folder("folder").join("nobody.c")).what, "does not exist");
    let text = folder("folder").join("notes.txt");
    fs::write(&text, "notes").unwrap();
    assert!(refused(&text).what.starts_with("is neither C (.c) nor a shared library"));
    let fake = folder("folder").join("fake.so");
    fs::write(&fake, "notes").unwrap();
    assert!(refused(&fake).what.starts_with("cannot be loaded as a shared library"), "{}", refused(&fake).what);
}

/// A library that is made of this C, against the header.
fn library(test: &str, text: &str) -> PathBuf {
    let folder = folder(test);
    fs::write(folder.join("windtunnel.h"), guest::HEADER).unwrap();
    fs::write(folder.join("made.c"), text).unwrap();
    let made = folder.join("made.so");
    let done = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&made).arg(folder.join("made.c")).status().unwrap();
    assert!(done.success());
    made
}

#[test]
fn libraries_of_others_and_of_other_versions_are_refused() {
    let other = library("other", "int sum(int a, int b) { return a + b; }\n");
    assert_eq!(refused(&other).what, "exports no windtunnel_controller: it is a library of another program (see windtunnel.h)");
    let newer = "#include \"windtunnel.h\"\nstatic struct wt_controller c = { .abi = 7, .size = sizeof(c), .name = \"new\" };\n\
                 const struct wt_controller *windtunnel_controller(uint32_t abi) { (void)abi; return &c; }\n";
    let refusal = refused(&library("newer", newer)).what;
    assert_eq!(refusal, "speaks version 7 of the interface, this is version 1: build it against this windtunnel.h");
    let picky = "#include \"windtunnel.h\"\nconst struct wt_controller *windtunnel_controller(uint32_t abi) { (void)abi; return 0; }\n\
                 const char *windtunnel_error(void) { return \"wants version 9\"; }\n";
    assert_eq!(refused(&library("picky", picky)).what, "has no controller for version 1 of the interface: wants version 9");
    let empty = newer.replace(".abi = 7", ".abi = WT_ABI");
    assert_eq!(refused(&library("empty", &empty)).what, "new: its table has no create");
}

#[test]
fn without_a_compiler_the_answer_says_what_to_install() {
    let nobody = guest::Workshop { compiler: "no-such-compiler".into(), ..workshop() };
    let error = guest::open(&written("compiler", RENO), &nobody).unwrap_err();
    assert_eq!(error.what, "needs a C compiler, and no-such-compiler does not start: install gcc or clang");
}

/// Two flows, of which the second runs the file.
fn run(path: &Path, parameters: &[(&str, f64)]) -> Result<(), RunError> {
    let spec = serde_json::json!({
        "seed": 1, "duration_ns": 20_000_000_000_u64, "warmup_ns": 0, "sample_ns": 10_000_000,
        "forward": {"rate_bps": 10_000_000, "queue": {"unit": "packets", "limit": 20}},
        "flows": [{"algorithm": "reno", "rtt_ns": 20_000_000}, {"algorithm": "mine", "rtt_ns": 20_000_000}],
    });
    let mut spec = Spec::from_json(&spec.to_string()).unwrap();
    spec.flows[1].parameters = parameters.iter().map(|&(name, value)| (name.to_owned(), value)).collect::<BTreeMap<_, _>>();
    let mut guests = Guests::default();
    guests.insert("mine", Arc::new(guest::open(path, &workshop()).unwrap()));
    run_with(&spec, Beside { guests: &guests, ..Beside::default() }, &mut Silent, || false).map(drop)
}

#[test]
fn an_absurd_window_ends_the_run_with_hook_flow_and_time() {
    for (test, line, what) in [
        ("zero", "if (jiffies > 5000) { tcp_sk(sk)->snd_cwnd = 0; return; }", "on_acked of flow 2 at 5.0"),
        ("wrapped", "if (jiffies > 5000) { tcp_sk(sk)->snd_cwnd = 1 - 2; return; }", "cwnd is 4294967295; allowed: 1 .. 2147483647"),
        ("beyond", "if (jiffies > 5000) memset(inet_csk_ca(sk), 7, 112);", "its state is larger than the 104 bytes"),
        ("far_beyond", "if (jiffies > 5000) ((u32 *)inet_csk_ca(sk))[200] = 7;", "its state is larger than the 104 bytes"),
    ] {
        let path = written(test, &RENO.replace("/* here */", line));
        let said = run(&path, &[]).unwrap_err().to_string();
        assert!(said.starts_with(&path.display().to_string()) && said.contains(what), "{said}");
    }
    let path = written(
        "answer",
        &RENO
            .replace("= tcp_reno_ssthresh", "= none")
            .replace("static struct tcp", "static u32 none(struct sock *sk) { return 0; }\nstatic struct tcp"),
    );
    let said = run(&path, &[]).unwrap_err().to_string();
    assert!(said.contains("ssthresh of flow 2 at ") && said.contains("it answers 0; allowed: 1 .. "), "{said}");
}

#[test]
fn parameters_are_checked_as_those_of_a_built_in() {
    let path = written("parameters", RENO);
    run(&path, &[("step", 3.0)]).unwrap();
    let refused = |name, value| run(&path, &[(name, value)]).unwrap_err().to_string();
    assert!(refused("stepp", 1.0).contains("mine has no \"stepp\"; allowed: step"));
    assert!(refused("step", 0.5).contains("step: 0.5 is outside whole numbers from -2147483648 .. 2147483647 (1) of mine"));
    assert!(refused("step", f64::NAN).contains("step: NaN is outside"));
}
