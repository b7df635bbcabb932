"""Bad input through the command line: one line on stderr, exit code 2, nothing written, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BASE = {"rate": "20Mbit", "rtt": "20ms", "queue": "50%bdp", "duration": "2s", "flow": "reno"}


def _arguments(**changes: str | None) -> list[str]:
    merged = {**BASE, **changes}
    return ["run", *(word for key, value in merged.items() if value is not None for word in (f"--{key}", value))]


def _refused(outcome: Any, *parts: str) -> None:
    assert outcome.code == 2, outcome
    lines = outcome.err.splitlines()
    assert len(lines) == 1 and lines[0].startswith("error: "), outcome.err
    assert outcome.out == ""
    assert len(lines[0]) < 2500
    for part in parts:
        assert part in lines[0], lines[0]


OPTIONS = [
    ("rate", "0", ["rate", "'0'", "allowed"]),
    ("rate", "0Mbit", ["rate", "0Mbit", "1000 to 1e+12"]),
    ("rate", "-5Mbit", ["rate", "-5Mbit", "allowed"]),
    ("rate", "nan", ["rate", "nan", "allowed"]),
    ("rate", "inf", ["rate", "inf", "allowed"]),
    ("rate", "1e400", ["rate", "1e400", "allowed"]),
    ("rate", "1e99999", ["rate", "allowed"]),
    ("rate", "9" * 5000, ["rate", "allowed"]),
    ("rate", "2Tbit", ["rate", "2Tbit", "allowed"]),
    ("rate", "42ms", ["rate", "42ms", "allowed"]),
    ("rate", "fast", ["rate", "fast", "allowed"]),
    ("rate", "", ["rate", "allowed"]),
    ("rate", None, ["rate", "missing"]),
    ("rtt", "0", ["rtt", "'0'", "allowed"]),
    ("rtt", "0ms", ["rtt", "0ms", "allowed"]),
    ("rtt", "-1ms", ["rtt", "-1ms", "allowed"]),
    ("rtt", "nan", ["rtt", "nan", "allowed"]),
    ("rtt", "2h", ["rtt", "2h", "10 s"]),
    ("rtt", "20Mbit", ["rtt", "20Mbit", "allowed"]),
    ("rtt", None, ["flows[0].rtt_s", "missing"]),
    ("queue", "0", ["queue", "0", "allowed", "1 to"]),
    ("queue", "0%bdp", ["queue", "allowed", "above 0"]),
    ("queue", "0ms", ["queue", "allowed", "above 0"]),
    ("queue", "0kB", ["queue", "allowed"]),
    ("queue", "-3", ["queue", "-3", "allowed"]),
    ("queue", "0.5", ["queue", "0.5", "whole", "allowed"]),
    ("queue", "nan", ["queue", "nan", "allowed"]),
    ("queue", "1e300", ["queue", "allowed"]),
    ("queue", "20%rtt", ["queue", "20%rtt", "allowed"]),
    ("queue", "100000000", ["queue", "allowed"]),
    ("queue", "99999999%bdp", ["queue", "allowed"]),
    ("duration", "0", ["duration", "above 0"]),
    ("duration", "-1s", ["duration", "-1s", "allowed"]),
    ("duration", "5h", ["duration", "5h", "14400"]),
    ("duration", "inf", ["duration", "inf", "allowed"]),
    ("duration", "1e308h", ["duration", "allowed"]),
    ("warmup", "2s", ["warmup", "2", "allowed"]),
    ("warmup", "-1s", ["warmup", "allowed"]),
    ("seed", "-1", ["seed", "-1", "allowed"]),
    ("seed", "1.5", ["seed", "1.5", "allowed"]),
    ("seed", "x", ["seed", "'x'", "allowed"]),
    ("seed", str(2**64), ["seed", str(2**64), "allowed"]),
    ("loss", "1", ["loss", "below 1"]),
    ("loss", "-0.1", ["loss", "-0.1", "allowed"]),
    ("loss", "nan", ["loss", "nan", "allowed"]),
    ("sample", "1ns", ["sample", "allowed"]),
    ("sample", "5s", ["sample", "5", "allowed"]),
    ("sample", "-1ms", ["sample", "allowed"]),
    ("jitter", "-1us", ["jitter", "allowed"]),
    ("jitter", "2s", ["jitter", "allowed"]),
    ("profile", "linux-9.9", ["profile", "linux-9.9", "linux-6.1"]),
    ("backend", "real", ["backend", "real", "sim"]),
    ("flow", None, ["flow", "missing"]),
    ("flow", "", ["algorithm", "allowed"]),
    ("flow", "quick", ["algorithm", "quick", "reno"]),
    ("flow", "renoo", ["renoo", "did you mean 'reno'"]),
    ("flow", "cubic:nope", ["variant", "nope", "linux-6.1"]),
    ("flow", "reno,bogus=1", ["bogus", "allowed", "start"]),
    ("flow", "reno,start", ["start", "key=value"]),
    ("flow", "reno,start=", ["start", "key=value"]),
    ("flow", "reno,start=1s,start=1s", ["start", "twice"]),
    ("flow", "reno,start=2s", ["flows[0].start_s", "2", "allowed"]),
    ("flow", "reno,start=3s", ["flows[0].start_s", "3", "allowed"]),
    ("flow", "reno,start=-1s", ["flows[0].start_s", "-1s", "allowed"]),
    ("flow", "reno,start=nan", ["flows[0].start_s", "nan", "allowed"]),
    ("flow", "reno,start=1s,stop=0.5s", ["flows[0].stop_s", "0.5", "allowed"]),
    ("flow", "reno,start=1s,stop=1s", ["flows[0].stop_s", "1", "allowed"]),
    ("flow", "reno,stop=3s", ["flows[0].stop_s", "3", "allowed"]),
    ("flow", "reno,rtt=0", ["flows[0].rtt_s", "'0'", "allowed"]),
    ("flow", "reno,bytes=0", ["flows[0].bytes", "allowed"]),
    ("flow", "reno,bytes=1e30", ["flows[0].bytes", "1e30", "allowed"]),
    ("flow", "reno,bytes=99999999999999999999", ["flows[0].bytes", "allowed"]),
    ("flow", "reno,bytes=1.5", ["flows[0].bytes", "1.5", "allowed"]),
    ("flow", "reno,count=0", ["flows[0].count", "allowed"]),
    ("flow", "reno,count=1000000000", ["flows[0].count", "allowed"]),
    ("flow", "reno,window=0", ["flows[0].window_packets", "allowed"]),
    ("flow", "reno,direction=up", ["flows[0].direction", "up", "forward, reverse"]),
    ("flow", "reno,profile=x", ["flows[0].profile", "'x'", "linux-6.1"]),
    ("flow", "reno,sack=maybe", ["transport.sack", "maybe", "true, false"]),
    ("flow", "reno,pacing=fast", ["transport.pacing", "fast", "linux"]),
    ("flow", "reno,initial_window=0.5", ["transport.initial_window", "0.5", "allowed"]),
    ("flow", "cubic,beta=nan", ["parameters.beta", "nan", "allowed"]),
    ("flow", "cubic,beta=inf", ["parameters.beta", "inf", "allowed"]),
    ("flow", "cubic,beta=7", ["parameters.beta", "7", "allowed"]),
    ("flow", "cubic,beta=wide", ["parameters.beta", "wide", "allowed"]),
    ("flow", "reno,on=1s", ["flows[0].off_s", "missing", "allowed"]),
    ("flow", "reno,app_rate=1Mbit,chunk=0", ["flows[0].chunk_s", "'0'", "allowed"]),
    ("udp", "", ["traffic[0]", "key=value"]),
    ("udp", "rate=-1Mbit", ["traffic[0].rate_bps", "-1Mbit", "1000 to"]),
    ("udp", "start=1s", ["traffic[0].rate", "missing"]),
    ("udp", "rate=1Mbit,stop=3s", ["traffic[0].stop_s", "3", "allowed"]),
    ("plot", "figure.gif", ["plot", "figure.gif", ".svg, .pdf, .png"]),
    ("plot", "/nonexistent/figure.svg", ["plot", "/nonexistent/figure.svg", "allowed"]),
    ("out", "", ["out", "allowed"]),
    ("out", "/dev/null/run", ["/dev/null/run", "allowed"]),
    ("out", "/dev/null", ["/dev/null", "allowed"]),
    ("out", "/proc/run", ["/proc/run", "allowed"]),
]


@pytest.mark.parametrize(("option", "value", "parts"), OPTIONS)
def test_a_bad_option_is_refused(cli: Callable[..., Any], option: str, value: str | None, parts: list[str]) -> None:
    _refused(cli(*_arguments(**{option: value})), *parts)


@pytest.mark.parametrize(
    "arguments",
    [
        ["bogus"],
        ["run", "--bogus"],
        ["run", "--rate"],
        ["run", "a", "b"],
        ["algorithms", "nope"],
        ["scenario", "show"],
        ["doctor", "x"],
    ],
)
def test_bad_usage_is_refused(cli: Callable[..., Any], arguments: list[str]) -> None:
    _refused(cli(*arguments))


GOOD = 'flows = ["reno"]\nrtt = "20ms"\nduration = "2s"\n[bottleneck]\nrate = "20Mbit"\n'
DEEP = "a = " + "[" * 100_000 + "]" * 100_000
FILES: list[tuple[str, bytes, list[str]]] = [
    ("s.toml", b"\x00\x01\x02\xff\xfe", ["s.toml", "not text"]),
    ("s.toml", b"a = 1\x00", ["s.toml", "NUL"]),
    ("s.toml", os.urandom(4096) + b"\xff", ["s.toml"]),
    ("s.toml", b"", ["bottleneck", "missing"]),
    ("s.toml", b"rate = ", ["s.toml", "TOML"]),
    ("s.toml", DEEP.encode(), ["s.toml"]),
    ("s.toml", b"x" * 5_000_000, ["s.toml", "larger"]),
    ("s.toml", (GOOD + "speed = 3\n").encode(), ["bottleneck.speed", "rate"]),
    ("s.toml", ("sped = 3\n" + GOOD).encode(), ["sped", "seed"]),
    ("s.toml", GOOD.replace('"20Mbit"', "true").encode(), ["rate", "True", "bool"]),
    ("s.toml", GOOD.replace('"20Mbit"', "[1]").encode(), ["rate", "[1]", "list"]),
    ("s.toml", GOOD.replace('"20Mbit"', "nan").encode(), ["rate", "nan"]),
    ("s.toml", GOOD.replace('"20Mbit"', "inf").encode(), ["rate", "inf"]),
    ("s.toml", GOOD.replace('"20Mbit"', "9" * 6000).encode(), ["s.toml"]),
    ("s.toml", GOOD.replace('"20Mbit"', "0x" + "f" * 6000).encode(), ["rate", "allowed"]),
    ("s.toml", GOOD.replace('"20Mbit"', "1979-05-27").encode(), ["rate", "date"]),
    ("s.toml", GOOD.replace('["reno"]', "[]").encode(), ["flows", "0 flows", "allowed"]),
    ("s.toml", GOOD.replace('["reno"]', "[3]").encode(), ["flows[0]", "3"]),
    ("s.toml", GOOD.replace('["reno"]', '"reno"').encode(), ["flows", "str"]),
    ("s.toml", GOOD.replace('["reno"]', '[{algorithm = "reno", beta = 0.5}]').encode(), ["flows[0].beta", "allowed"]),
    ("s.toml", GOOD.replace('["reno"]', "[{algorithm = 7}]").encode(), ["flows[0].algorithm", "7"]),
    ("s.toml", GOOD.replace('["reno"]', "[{start = 1}]").encode(), ["flows[0].algorithm", "missing"]),
    ("s.toml", GOOD.replace('["reno"]', '[{algorithm = "reno", parameters = 3}]').encode(), ["parameters", "3"]),
    ("s.toml", (GOOD + 'queue = "20%bdp"\nqueue_packets = 3\n').encode(), ["queue", "one of"]),
    ("s.toml", (GOOD + "queue_s = 0.1\nqueue_packets = 3\n").encode(), ["queue", "one of"]),
    ("s.toml", (GOOD + "rate_bps = 1e6\n").encode(), ["rate", "one of"]),
    ("s.toml", (GOOD + "queue = 0\n").encode(), ["queue", "0"]),
    ("s.toml", (GOOD + "queue = {}\n").encode(), ["queue", "{}"]),
    ("s.toml", b"bottleneck = 3\nflows = []\n", ["bottleneck", "3", "table"]),
    ("s.json", b"[1, 2]", ["s.json", "list"]),
    ("s.json", b'{"flows": 1, "flows": 2}', ["s.json", "twice"]),
    ("s.json", b'{"bottleneck": {"rate": NaN}, "flows": ["reno"], "rtt": 1}', ["rate", "nan"]),
    ("s.json", b'{"bottleneck": {"rate": 1e999}, "flows": ["reno"], "rtt": 1}', ["rate", "inf"]),
    ("s.json", b'{"a": ' * 50_000, ["s.json"]),
    ("s.json", "é".encode("latin-1"), ["s.json", "not text"]),
]


@pytest.mark.parametrize(("name", "content", "parts"), FILES)
@pytest.mark.parametrize("command", [["run"], ["scenario", "show"]])
def test_a_bad_file_is_refused(
    cli: Callable[..., Any], tmp_path: Path, command: list[str], name: str, content: bytes, parts: list[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    _refused(cli(*command, str(path)), *parts)


def test_missing_files_and_folders_are_refused(cli: Callable[..., Any], tmp_path: Path) -> None:
    _refused(cli("run", str(tmp_path / "none.toml")), "none.toml", "No such file")
    _refused(cli("run", str(tmp_path)), str(tmp_path), "directory")
    _refused(cli("run", "a\0b"), "cannot be read")
    _refused(cli("run", "/dev/zero"), "/dev/zero", "larger")
    _refused(cli("conform", str(tmp_path / "none")), "none")
    _refused(cli("conform", str(tmp_path)), "no *.json")


def test_a_folder_with_other_things_is_left_alone(cli: Callable[..., Any], tmp_path: Path, quick: list[str]) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    _refused(cli("run", *quick, "--out", str(tmp_path)), "thesis.txt", "allowed")
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_run_of_another_scenario_is_left_alone(cli: Callable[..., Any], tmp_path: Path, quick: list[str]) -> None:
    out = tmp_path / "run"
    assert cli("run", *quick, "--out", str(out)).code == 0
    before = (out / "run.json").read_bytes()
    _refused(cli("run", *quick, "--seed", "2", "--out", str(out)), "another scenario")
    assert (out / "run.json").read_bytes() == before


def test_nothing_is_left_when_a_run_fails_halfway(tmp_path: Path, quick: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from windtunnel import records
    from windtunnel.cli import main

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(records, "write", full)
    assert main(["run", *quick, "--out", str(tmp_path / "a" / "run")]) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_refused_run_writes_nothing(cli: Callable[..., Any], tmp_path: Path) -> None:
    _refused(cli(*_arguments(rate="0", out=str(tmp_path / "run"), plot=str(tmp_path / "f.svg"))))
    assert list(tmp_path.iterdir()) == []


def test_the_real_process_exits_with_two_and_one_line() -> None:
    done = subprocess.run([sys.executable, "-m", "windtunnel", *_arguments(rate="0")], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "rate" in done.stderr
