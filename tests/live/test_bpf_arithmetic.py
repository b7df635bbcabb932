"""What the translated H-TCP answers at a loss, instruction by instruction, beside the same file compiled for this processor."""

from __future__ import annotations

import ctypes
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from bpf_machine import run, section

from windtunnel import foreign, native
from windtunnel.backends.live import bpf
from windtunnel.backends.live.bpf import kernel, made

pytestmark = pytest.mark.skipif(bpf.missing() is not None or shutil.which("cc") is None, reason=str(bpf.missing() or "needs cc"))
PLAIN = """
#include <stdint.h>
#include <stdbool.h>
#include <string.h>
typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32, __u32; typedef uint64_t u64; typedef int32_t s32; typedef int64_t s64;
#include <windtunnel/arithmetic.h>
#define HZ WT_HZ
#define __read_mostly
#define __init
#define __exit
#define module_param(...)
#define MODULE_PARM_DESC(...)
#define MODULE_AUTHOR(...)
#define MODULE_LICENSE(...)
#define MODULE_DESCRIPTION(...)
#define module_init(f) void *f##_used = f;
#define module_exit(f) void *f##_used = f;
#define BUILD_BUG_ON(x)
#define ICSK_CA_PRIV_SIZE 104
#define THIS_MODULE 0
#define TCP_CA_NAME_MAX 16
enum { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };
#define TCPF_CA_Open 1
#define TCPF_CA_Disorder 2
extern u64 now_jiffies;
u64 now_jiffies;
#define jiffies ((unsigned long)now_jiffies)
#define tcp_jiffies32 ((u32)now_jiffies)
#define msecs_to_jiffies(ms) ((unsigned long)(ms) * HZ / 1000)
#define usecs_to_jiffies(us) (((unsigned long)(us) * HZ + 999999) / 1000000)
#define between(a, low, high) ((u32)(high) - (u32)(low) >= (u32)(a) - (u32)(low))
struct sock { u64 priv[16]; u8 icsk_ca_state; u32 snd_cwnd, snd_cwnd_cnt, snd_cwnd_clamp; };
#define tcp_sock sock
#define inet_connection_sock sock
struct ack_sample { u32 pkts_acked; s32 rtt_us; };
struct tcp_congestion_ops { void *init, *ssthresh, *cong_avoid, *set_state, *undo_cwnd, *pkts_acked, *owner; char name[16]; };
#define tcp_sk(sk) ((struct sock *)(sk))
#define inet_csk(sk) ((struct sock *)(sk))
#define inet_csk_ca(sk) ((void *)((struct sock *)(sk))->priv)
#define tcp_snd_cwnd(tp) ((tp)->snd_cwnd)
#define tcp_snd_cwnd_set(tp, value) ((tp)->snd_cwnd = (value))
#define tcp_is_cwnd_limited(sk) true
#define tcp_in_slow_start(tp) false
static u32 tcp_slow_start(struct sock *sk, u32 acked) { return acked; }
static u32 tcp_reno_undo_cwnd(struct sock *sk) { return sk->snd_cwnd; }
static int tcp_register_congestion_control(void *ops) { return 0; }
static void tcp_unregister_congestion_control(void *ops) {}
"""
CALL = """
u32 ssthresh_of(struct htcp *state, u32 cwnd, u64 at)
{
	struct sock sk = { .snd_cwnd = cwnd };
	u32 found;

	now_jiffies = at;
	memcpy(sk.priv, state, sizeof(*state));
	found = htcp_recalc_ssthresh(&sk);
	memcpy(state, sk.priv, sizeof(*state));
	return found;
}
"""
STATE_BYTES = 64
MIN_RTT = 3
"""Its place among the words of struct htcp."""


def plain(file: Path, folder: Path) -> ctypes.CDLL:
    """The file compiled for this processor, with the kernel's names around it."""
    name, arithmetic = native.guest_arithmetic()
    for wanted, text in ((name, arithmetic), ("linux/mm.h", ""), ("linux/module.h", ""), ("net/tcp.h", "")):
        place = folder / "include" / wanted
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    (folder / "plain.c").write_text(PLAIN + file.read_text() + CALL)
    command = ["cc", "-O0", "-w", "-shared", "-fPIC", f"-DWT_HZ={kernel.hertz()}", f"-I{folder / 'include'}"]
    subprocess.run([*command, "-o", str(folder / "plain.so"), str(folder / "plain.c")], check=True)
    library = ctypes.CDLL(str(folder / "plain.so"))
    library.ssthresh_of.restype = ctypes.c_uint32
    library.ssthresh_of.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64]
    return library


def offsets(folder: Path) -> tuple[int, int]:
    """Where the law's state and the window lie in the kernel's socket."""
    fields = ("inet_connection_sock, icsk_ca_priv", "tcp_sock, snd_cwnd")
    lines = [f"unsigned long at{place} = __builtin_offsetof(struct {field});" for place, field in enumerate(fields)]
    text = '#define BPF_NO_PRESERVE_ACCESS_INDEX\n#include "vmlinux.h"\n' + "\n".join(lines)
    (folder / "offsets.c").write_text(text)
    clang = str(kernel.clang())
    command = [clang, "-w", "-O0", "-S", "-target", "bpf", f"-I{kernel.types()}", "-o", "-", str(folder / "offsets.c")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    state, window = re.findall(r"^at\d:\n\s+\.quad\s+(\d+)", said, re.MULTILINE)
    return int(state), int(window)


def states(draws: random.Random) -> tuple[bytearray, int, int]:
    """A state of the law, a window and a time, each word at a corner as often as not."""
    corners = (0, 1, 2, 3, 7, 64, 127, 128, 250, 2**31 - 1, 2**31, 2**32 - 1)
    words = [draws.choice(corners) if draws.random() < 0.5 else draws.randrange(1 << draws.randrange(1, 33)) for _ in range(18)]
    # Ten times half of the range is 0 in 32 bits: with this minRTT, 99 days at 250 Hz, C itself divides by nothing.
    words[MIN_RTT] -= words[MIN_RTT] == 2**31
    state = bytearray(b"".join(word.to_bytes(4, "little") for word in words[:16]))
    return state, words[16], words[17] + (draws.randrange(4) << 32)


def test_what_the_program_answers_at_a_loss_is_what_c_answers(linux: Path, tmp_path: Path) -> None:
    file = linux / "tcp_htcp.c"
    (tmp_path / "made").mkdir()
    program = section(made.compiled(foreign.make(str(file)).name, {}, "wtarithmetic", tmp_path / "made"), "struct_ops/ssthresh")
    library, (state_at, window_at) = plain(file, tmp_path), offsets(tmp_path)
    draws = random.Random(7)
    for _ in range(20_000):
        state, window, jiffies = states(draws)
        memory = bytearray(4096)
        memory[state_at : state_at + STATE_BYTES] = state
        memory[window_at : window_at + 4] = window.to_bytes(4, "little")
        answer = run(program, memory, {118: lambda now=jiffies: now})
        kept = ctypes.create_string_buffer(bytes(state), STATE_BYTES)
        expected = library.ssthresh_of(kept, window, jiffies)
        assert answer == expected, (state.hex(), window, jiffies)
        assert memory[state_at : state_at + STATE_BYTES] == kept.raw, (state.hex(), window, jiffies)
        # (cwnd * beta) >> 7 in 32 bits: no state of the law gives more.
        assert 2 <= answer <= (2**32 - 1) >> 7
