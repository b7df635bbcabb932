"""A C file in the kernel's dialect as a BPF program: what is found before the kernel is asked, and how its answers are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.backends.live.bpf import kernel, load, made, translate
from windtunnel.backends.live.bpf.translate import NotBpf, unit

GOOD = """#line 1 "good.c"
#include <linux/module.h>
#include <net/tcp.h>

enum phase { TCP_CA_Open, MINE };
struct sock_state { u32 last; };
static unsigned int keep __read_mostly = 70; /* percent, not 7.0 as a float */
module_param(keep, uint, 0644);
static int hidden;
module_param_named(shown, hidden, int, 0644);

static u32 good_ssthresh(struct sock *sk) { return max(tcp_snd_cwnd(tcp_sk(sk)) * keep / 100, 2U); }

static struct tcp_congestion_ops good __read_mostly = {
\t.ssthresh = good_ssthresh,
\t.undo_cwnd = tcp_reno_undo_cwnd,
\t.cong_avoid\t= tcp_reno_cong_avoid,
\t.name = "good",
\t.owner = THIS_MODULE,
};

static int __init good_register(void)
{
\tint result = 0;
\tresult = tcp_register_congestion_control(&good);
\treturn result;
}
module_init(good_register);
MODULE_LICENSE("GPL");
"""


def test_each_hook_of_the_table_becomes_a_program_around_the_unchanged_file() -> None:
    units = [unit(GOOD)]
    translate.check(units)
    text = translate.program(units, "wt0123456789ab", frozenset({"TCP_CA_Open", "sock", "other"}))
    assert GOOD in text
    assert (
        'section("struct_ops/ssthresh"), used)) u32 wt_ssthresh(unsigned long long *ctx) { return good_ssthresh((struct sock *)ctx[0]); }'
        in text
    )
    assert "void wt_cong_avoid(unsigned long long *ctx) { tcp_reno_cong_avoid((struct sock *)ctx[0], (u32)ctx[1], (u32)ctx[2]); }" in text
    assert '.name = "wt0123456789ab",' in text
    # Constants that the kernel's types have already get another name; `sock` is no type that the file defines.
    assert text.count("#define TCP_CA_Open wt_own_TCP_CA_Open") == text.count("#undef TCP_CA_Open") == 1
    assert "wt_own_sock" not in text
    assert "wt_init" not in text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\tint result = 0;\n", "\tint result = 0;\n\tfloat x = 1;\n", "good.c:24: uses float, and BPF has no floating point"),
        ('"GPL"', '"Proprietary"', "good.c:28: its licence (MODULE_LICENSE) is 'Proprietary'"),
        ('MODULE_LICENSE("GPL");\n', "", "its licence (MODULE_LICENSE) is none"),
        ("\tint result = 0;\n", "\tint result = 0;\n\thidden = 3;\n", "good.c:24: good_register sets hidden when the module is loaded"),
        ("\t.undo_cwnd = tcp_reno_undo_cwnd,\n", "", "good.c:13: its table has no undo_cwnd, and BPF wants them"),
        ("\t.cong_avoid\t= tcp_reno_cong_avoid,\n", "", "its table has no cong_avoid"),
        ("struct tcp_congestion_ops good __read_mostly = {", "struct another good = {", "holds no `struct tcp_congestion_ops"),
    ],
)
def test_what_can_be_found_before_loading_is_with_the_files_line(old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(NotBpf) as refused:
        units = [unit(GOOD.replace(old, new, 1))]
        translate.check(units)
        translate.table(units[0])
    assert said in str(refused.value)


def test_parameters_are_the_variables_first_values() -> None:
    text = translate.with_parameters(GOOD, {"keep": "50", "shown": "3"})
    assert "static unsigned int keep __read_mostly = 50;" in text
    assert "static int hidden= 3;" in text
    with pytest.raises(NotBpf, match="parameter nonesuch cannot be set"):
        translate.with_parameters(GOOD, {"nonesuch": "1"})


LOG = """libbpf: prog 'wt_init': BPF program load failed: Permission denied
libbpf: prog 'wt_init': -- BEGIN PROG LOAD LOG --
0: R1=ctx() R10=fp0
;  @ windtunnel:2
func 'init' arg0 has btf_id 2953 type STRUCT 'sock'
; tp->snd_cwnd_clamp = 65535; @ mine.c:58
17: (62) *(u32 *)(r1 +1936) = 65535
no write support to tcp_sock at off 1936
processed 18 insns (limit 1000000)
-- END PROG LOAD LOG --
libbpf: failed to load object 'x.o'
"""


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (LOG, "mine.c:58: the verifier says: no write support to tcp_sock at off 1936"),
        (
            LOG.replace("no write support to tcp_sock at off 1936", "R3 unbounded memory access"),
            "mine.c:58: the verifier says: R3 unbounded memory access",
        ),
        ("libbpf: failed to find BTF for extern 'helper' [2] section: -2\n", "it calls helper, which no BPF program of this kernel can"),
        ("libbpf: nothing known\n", None),
    ],
)
def test_the_verifiers_last_word_is_told_with_the_files_line(log: str, said: str | None) -> None:
    assert load.verdict(log) == said


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "W/wt1.c:9:1: warning: x\nmine.c:31:4: error: call to undeclared function 'f'; ISO C99\n",
            "mine.c:31:4: calls f, which no BPF program of this kernel can",
        ),
        ("mine.c:3:9: error: expected ';' after top level declarator\n", "mine.c:3:9: expected ';' after top level declarator"),
    ],
)
def test_the_compilers_first_error_is_told(said: str, told: str) -> None:
    assert made.complaint(said, Path("W")) == told


def test_the_right_or_the_tool_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    types = tmp_path / "vmlinux"
    monkeypatch.setattr(kernel, "TYPES", types)
    assert "CONFIG_DEBUG_INFO_BTF" in str(kernel.missing())
    types.touch()
    monkeypatch.setattr(kernel, "_effective", lambda: 1 << 12)
    assert kernel.missing() == "a controller from a file is loaded by bpf(2), and CAP_BPF, CAP_PERFMON is missing: run as root"
    monkeypatch.setattr(kernel, "_effective", lambda: ~0)
    monkeypatch.setattr(kernel, "clang", lambda: None)
    assert "clang-19" in str(kernel.missing())
    monkeypatch.setattr(kernel, "clang", lambda: "clang")
    monkeypatch.setattr(kernel, "_bpftool", lambda: None)
    assert "apt-get install bpftool" in str(kernel.missing())
    monkeypatch.setattr(kernel, "_bpftool", lambda: "bpftool")
    monkeypatch.setattr(kernel, "_hertz", lambda: None)
    assert "CONFIG_HZ" in str(kernel.missing())
    monkeypatch.setattr(kernel, "_hertz", lambda: 250)
    assert kernel.missing() is None
