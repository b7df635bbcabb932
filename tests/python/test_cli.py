from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from windtunnel.cli import app, helping
from windtunnel.scenario import catalogue, json_schema


def modules_of(program: str) -> set[str]:
    """Return what a new interpreter has loaded after a program, which prints nothing to its standard error."""
    shown = "; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", f"import sys; {program}{shown}"], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_answers_at_once_and_loads_nothing_heavy() -> None:
    """It takes as long as it takes to load what it loads, which is counted: seconds would measure the machine."""
    loaded = modules_of("from windtunnel.cli import main; assert not main(['--help'])")
    heavy = {"polars", "matplotlib", "numpy", "pydantic", "rich", "windtunnel._core"} & loaded
    assert not heavy
    more = loaded - modules_of("import typer")
    assert len(more) <= 60, sorted(more)  # 53; rich alone would be 170.


@pytest.mark.parametrize("module", ["windtunnel.experiment", "windtunnel.report", "windtunnel.suites", "windtunnel.store.sql"])
def test_what_every_process_of_a_command_loads_is_what_it_needs(module: str) -> None:
    # Each of these takes longer to load than to use, and a command has a process per core: they load where they are called.
    program = f"import sys, {module}; print({{'scipy', 'matplotlib', 'duckdb', 'typer'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("command", [[], ["run"], ["algorithms"], ["doctor"], ["conform"], ["scenario"], ["scenario", "show"]])
def test_every_command_has_help(cli: Callable[..., Any], command: list[str]) -> None:
    outcome = cli(*command, "--help")
    assert outcome.code == 0 and "Usage" in outcome.out


def test_every_help_is_drawn_without_rich() -> None:
    # One command without `cls` would load it again.
    def drawn_elsewhere(command: Any, path: str) -> list[str]:
        own = [] if type(command).__module__ == helping.__name__ else [path]
        return own + [found for name, one in getattr(command, "commands", {}).items() for found in drawn_elsewhere(one, f"{path} {name}")]

    assert drawn_elsewhere(typer.main.get_command(app.app), "windtunnel") == []


@pytest.mark.parametrize("columns", [50, 80, 120])
def test_help_is_as_wide_as_the_terminal(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in ("", "run", "suite", "suite run"):
        lines = cli(*command.split(), "--help").out.splitlines()
        assert {len(line) for line in lines if line[:1] in "╭│╰" and line} == {columns}
        assert max(len(line) for line in lines) <= max(columns, 78)  # The line of usage has typer's own width.


def test_a_group_without_a_command_shows_its_help(cli: Callable[..., Any]) -> None:
    outcome = cli("kernel")
    assert outcome.code == 2 and outcome.err == "error: a command is missing; see windtunnel kernel --help\n"
    assert "record-segments" in outcome.out


def test_help_says_what_an_option_is_when_absent(cli: Callable[..., Any]) -> None:
    # Square brackets within a help text would be taken for markup, and vanish.
    shown = {command: " ".join(cli(*command.split(), "--help").out.split()) for command in ("run", "suite run", "report")}
    assert "[default: (100%bdp)]" in shown["run"] and "[default: (linux-6.1)]" in shown["run"]
    assert all("[default: (one per core)]" in shown[command] for command in ("suite run", "report"))


def test_run_json_has_the_documented_shape(cli: Callable[..., Any], quick: list[str]) -> None:
    outcome = cli("run", *quick, "--flow", "cubic:nohystart,start=1s", "--json")
    assert outcome.code == 0, outcome.err
    data = outcome.json()
    assert list(data) == ["scenario", "digest", "records_digest", "flows", "links", "metrics", "engine"]
    assert re.fullmatch("[0-9a-f]{64}", data["digest"]) and re.fullmatch("[0-9a-f]{64}", data["records_digest"])
    assert [flow["algorithm"] for flow in data["flows"]] == ["reno", "cubic:nohystart"]
    assert list(data["flows"][0]) == [
        "flow",
        "algorithm",
        "throughput_bps",
        "goodput_bps",
        "retransmitted_packets",
        "loss_episodes",
        "timeouts",
        "mean_cwnd_packets",
        "mean_rtt_s",
        "completion_s",
    ]
    assert list(data["links"][0]) == [
        "link",
        "utilisation",
        "dropped_packets",
        "marked_packets",
        "mean_queue_packets",
        "max_queue_packets",
    ]
    assert {"jain", "ratio_min_max"} <= set(data["metrics"])
    assert set(data["engine"]) == {"data_packets", "events", "wall_s", "cpu_s"}


def test_the_same_command_gives_the_same_records(cli: Callable[..., Any], quick: list[str]) -> None:
    first, second, other = (cli("run", *quick, "--json", "--seed", seed).json() for seed in ("7", "7", "8"))
    assert first["records_digest"] == second["records_digest"]
    assert first["digest"] == second["digest"] != other["digest"]
    assert first["records_digest"] != other["records_digest"]


def test_run_prints_tables_and_draws_a_figure(cli: Callable[..., Any], quick: list[str], tmp_path: Path) -> None:
    for suffix, magic in ((".svg", b"<?xml"), (".pdf", b"%PDF"), (".png", b"\x89PNG")):
        figure = tmp_path / f"overview{suffix}"
        outcome = cli("run", *quick, "--plot", str(figure))
        assert outcome.code == 0, outcome.err
        assert "Flows" in outcome.out and "utilisation" in outcome.out and "jain" in outcome.out
        assert figure.read_bytes().startswith(magic)
    assert len(list(tmp_path.iterdir())) == 3


def test_a_flow_with_a_size_has_a_completion_time(cli: Callable[..., Any]) -> None:
    # 10 packets of 1448 bytes at 12 Mbit/s: a handshake and a round trip of 100 ms each, and ten packet times of 1 ms; jitter off.
    asked = [
        "run",
        "--rate",
        "12Mbit",
        "--rtt",
        "100ms",
        "--jitter",
        "0",
        "--duration",
        "5s",
        "--flow",
        "reno",
        "--flow",
        "reno,start=1s,bytes=14480",
    ]
    rows = cli(*asked[:-4], *asked[-2:], "--json").json()["flows"]
    assert rows[0]["completion_s"] == pytest.approx(0.210, abs=1e-3)
    assert [row["completion_s"] is None for row in cli(*asked, "--json").json()["flows"]] == [True, False]
    assert "completion" in cli(*asked).out
    assert "completion (s)" not in cli(*asked[:-2]).out


def test_out_writes_a_run_and_replaces_the_same_one(cli: Callable[..., Any], quick: list[str], tmp_path: Path) -> None:
    out = tmp_path / "results" / "run"
    first = cli("run", *quick, "--out", str(out))
    assert first.code == 0 and "written" in first.err
    again = cli("run", *quick, "--out", str(out))
    assert again.code == 0 and "replaced the previous run" in again.err
    assert sorted(entry.name for entry in out.parent.iterdir()) == ["run"]
    assert (out / "flows.parquet").exists()


def test_options_prevail_over_the_file(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(
        'duration = "3s"\nrtt = "20ms"\nflows = ["reno"]\n[bottleneck]\nrate_bps = 2e7\nqueue = "50%bdp"\nloss = 0.01\n', encoding="utf-8"
    )
    data = cli("run", str(path), "--rate", "10Mbit", "--queue", "7", "--flow", "cubic", "--duration", "2s", "--json").json()
    assert data["scenario"]["bottleneck"]["rate_bps"] == 10e6
    assert data["scenario"]["bottleneck"]["queue_packets"] == 7
    assert data["scenario"]["bottleneck"]["loss_probability"] == 0.01
    assert data["scenario"]["duration_s"] == 2.0
    assert [flow["algorithm"] for flow in data["scenario"]["flows"]] == ["cubic"]


def test_a_raised_queue_is_said(cli: Callable[..., Any]) -> None:
    outcome = cli("run", "--rate", "1Mbit", "--rtt", "10ms", "--queue", "1%bdp", "--duration", "1s", "--flow", "reno", "--json")
    assert outcome.code == 0 and "raised to 1" in outcome.err
    assert outcome.json()["scenario"]["bottleneck"]["queue_packets"] == 1


def test_what_show_prints_is_the_same_scenario(cli: Callable[..., Any], tmp_path: Path, document: dict[str, Any]) -> None:
    path, shown = tmp_path / "s.json", tmp_path / "shown.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    first = cli("scenario", "show", str(path))
    shown.write_text(first.out, encoding="utf-8")
    second = cli("scenario", "show", str(shown))
    assert first.code == second.code == 0
    assert first.out == second.out and first.err == second.err


def test_schema_is_printed(cli: Callable[..., Any]) -> None:
    assert cli("scenario", "schema").json() == json_schema()


def test_algorithms_lists_and_describes(cli: Callable[..., Any]) -> None:
    names = [entry["name"] for entry in cli("algorithms", "--json").json()]
    assert names == list(catalogue().algorithms)
    assert {"reno", "scalable", "hstcp", "bic", "cubic", "htcp", "fast"} <= set(names)
    one = cli("algorithms", "highspeed", "--json").json()
    assert [entry["name"] for entry in one] == ["hstcp"]
    assert {"name", "family", "source", "variants", "parameters"} <= set(one[0])
    assert "hstcp" in cli("algorithms").out
    assert "Variants" in cli("algorithms", "hstcp").out


def test_doctor_finds_a_sound_installation(cli: Callable[..., Any]) -> None:
    outcome = cli("doctor", "--json")
    assert outcome.code == 0, outcome.out
    assert all(check["ok"] for check in outcome.json())
    assert cli("doctor").code == 0


def test_doctor_reports_a_failure(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from windtunnel.backends import sim

    def broken() -> int:
        raise RuntimeError("no core")

    monkeypatch.setattr(sim, "engine_version", broken)
    outcome = cli("doctor", "--json")
    assert outcome.code == 1
    assert [check["check"] for check in outcome.json() if not check["ok"]]


def test_output_survives_a_terminal_without_unicode(quick: list[str]) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    for arguments in (["run", *quick], ["algorithms"], ["algorithms", "cubic"], ["--help"]):
        command = [sys.executable, "-m", "windtunnel", *arguments]
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.isascii()


def test_a_closed_pipe_is_quiet(quick: list[str]) -> None:
    command = f"{sys.executable} -m windtunnel run {' '.join(quick)} --json | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "{\n" and done.stderr == ""


def _used_s(process: int) -> float:
    """Return the processor time of a process, seconds."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def test_ctrl_c_ends_a_run_with_one_line() -> None:
    path = ["--rate", "10Gbit", "--rtt", "100ms", "--flow", "reno", "--duration", "4h", "--sample", "0"]
    command = [sys.executable, "-m", "windtunnel", "run", *path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while _used_s(process.pid) < 2.5:  # By then it has loaded everything, and simulates.
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    said = [line for line in err.splitlines() if not line.startswith("Running ")]  # A busy machine says how far the run is.
    assert (process.returncode, out, said) == (130, "", ["interrupted: nothing was written"])


def test_a_portrait_is_drawn_on_request_and_only_of_one_algorithm(cli: Callable[..., Any], tmp_path: Path) -> None:
    done = cli("algorithms", "--plot", str(tmp_path / "x.svg"))
    assert (done.code, done.err) == (2, "error: plot: draws one algorithm; allowed: with its NAME\n")
    done = cli("algorithms", "reno", "--plot", str(tmp_path / "reno.svg"))
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "Random loss" in (tmp_path / "reno.svg").read_text(encoding="utf-8")


def test_one_algorithm_is_described_with_its_equations_and_what_was_checked(cli: Callable[..., Any]) -> None:
    shown = cli("algorithms", "cubic").out
    assert "W(t) = C (t - K)^3 + W_max" in shown
    assert "Checked: linux-6.1: exact, 1997 rows" in shown
    assert "Departures from the source" in shown
