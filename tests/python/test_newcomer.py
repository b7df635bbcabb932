"""What somebody meets who tries the package for the first time: in a notebook, in a type checker, in what a refusal says."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import windtunnel as wt
from windtunnel import scenario
from windtunnel.scenario import files, parse
from windtunnel.scenario.table import Table, keys_within

ROOT = Path(__file__).resolve().parents[2]


def test_a_figure_in_the_last_line_of_a_cell_is_shown_as_a_picture(document: dict[str, Any]) -> None:
    run = wt.run(parse(document))
    for figure in (run.plot.overview(), run.plot.cwnd()):
        # What IPython asks an object for; without it a matplotlib figure is shown as <Figure size ...>.
        assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


def test_a_run_prints_itself_on_one_short_line() -> None:
    given = {"rtt": "20ms", "duration": "1s", "bottleneck": {"rate": "20Mbit", "queue": 100}, "flows": ["reno", "reno", "cubic"]}
    path = "20 Mbit/s, base RTT 20 ms, queue 100 packets"
    assert re.fullmatch(rf"<Run [0-9a-f]{{12}}: 2 reno, 1 cubic; {path}; 1 s, seed 1>", repr(wt.run(parse(given))))
    given |= {"bottleneck": {"rate": "20Mbit", "queue": 100, "discipline": "fq-codel"}}
    many = repr(wt.run(parse(given | {"flows": ["reno", "cubic", "htcp", "bic", "vegas,rtt=80ms"]})))
    assert "5 flows of 5 algorithms; 20 Mbit/s, base RTT 20 to 80 ms, queue 100 packets, fq-codel" in many


def test_people_see_flows_counted_from_one_and_round_trips_beside_the_windows(cli: Any, tmp_path: Path) -> None:
    """As claims and reports count them; rows of frames and of JSON are numbered from 0."""
    figure = tmp_path / "run.svg"
    line = "run --rate 20Mbit --rtt 20ms --queue 100 --aqm codel --duration 2s --flow reno --flow cubic --udp rate=1Mbit"
    said = cli(*line.split(), "--plot", str(figure))
    assert re.findall(r"^ +(\d+) +(?:reno|cubic) ", said.out, flags=re.MULTILINE) == ["1", "2"]
    drawn = figure.read_text(encoding="utf-8")
    assert all(text in drawn for text in ("reno (flow 1)", "cubic (flow 2)", "udp (flow 3)", "RTT (ms)", "codel")), drawn[:200]
    cli(*line.replace("--flow cubic", "--flow cubic,rtt=80ms").split(), "--plot", str(figure))
    drawn = figure.read_text(encoding="utf-8")
    assert all(text in drawn for text in ("reno (flow 1, 20 ms)", "cubic (flow 2, 80 ms)", "udp (flow 3)"))


def test_whatever_of_a_run_needs_no_argument_is_an_attribute() -> None:
    public = {name: value for name, value in vars(wt.Run).items() if not name.startswith("_") and inspect.isfunction(value)}
    assert set(public) == {"save", "save_deliveries", "write_qlog"}, "a method; all other results are read without calling"


def test_the_examples_of_the_readme_pass_a_type_checker_without_plugins(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    texts = [
        "import windtunnel as wt",
        'link = wt.Bottleneck(rate="250Mbit", queue="20%bdp", discipline="codel,target=5ms", losses=["periodic,every=5000"])',
        'hop = wt.Hop(rate="20Mbit", queue=100, delay="5ms")',
        'flows = [wt.Flow(algorithm="reno", start="1s", parameters={"slow_start": "hystart"})]',
        'wt.run(wt.Scenario(bottleneck=link, hops=[hop], flows=flows, rtt="42ms", duration="5min", host="nic=1Gbit"))',
        'wt.Scenario(bottleneck=link, flows=[wt.Flow(algorithm="reno"), "cubic,rtt=20ms", {"algorithm": "bic"}], rtt="42ms")',
        'wt.Scenario(bottleneck={"rate": "1Mbit"}, flows=["reno"], arrivals=["reno,load=10%,mean=25kB"], rtt_s=0.1)',
    ]
    source = tmp_path / "example.py"
    source.write_text("\n".join([*blocks, *texts]), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={ROOT / '.mypy_cache' / 'plain'}", str(source)],
        capture_output=True,
        text=True,
        cwd=ROOT / "python",
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("table", [wt.Scenario, wt.Bottleneck, wt.Hop, wt.Flow])
def test_a_constructor_says_to_type_checkers_what_it_takes(table: type[Table]) -> None:
    source = Path(inspect.getsourcefile(table) or "").read_text(encoding="utf-8")
    (body,) = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == table.__name__]
    (typed,) = [node for node in ast.walk(body) if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    assert {one.arg for one in typed.args.kwonlyargs} == {*table.model_fields, *table.SHORT, *table.BESIDE}


def test_constructors_refuse_with_the_line_that_the_shell_prints() -> None:
    link = {"rate": "20Mbit", "queue": 100}
    faults: list[tuple[Any, dict[str, Any], str]] = [
        (wt.Bottleneck, {"rate_bps": 1}, "rate_bps: 1 is out of range; allowed: 1000 to 1e+12 bit/s"),
        (wt.Bottleneck, {"rate": "1Mbit", "aqm": "codel"}, "aqm: 'aqm' is not a known key (did you mean 'discipline'?)"),
        (wt.Flow, {"algorithm": "cubic", "rtx": 3}, "rtx: 'rtx' is not a known key (did you mean 'rtt'?)"),
        (wt.Scenario, {"bottleneck": link, "flows": ["reno"]}, "flows[0].rtt_s: is missing"),
        (wt.Scenario, {"bottleneck": link, "flows": ["reno,rtt=x"]}, "flows[0].rtt_s: 'x' cannot be read"),
    ]
    for table, given, line in faults:
        with pytest.raises(wt.ScenarioError) as caught:
            table(**given)
        assert str(caught.value).startswith(line) and "\n" not in str(caught.value) and "http" not in str(caught.value)


def test_the_keys_of_every_table_are_known_to_refusals() -> None:
    keys = keys_within(scenario.Scenario)
    assert {"rate", "queue", "discipline"} <= set(keys["bottleneck"]) & set(keys["hops"]) & set(keys["reverse"])
    assert {"window", "algorithm", "rtt"} <= set(keys["flows"]) and {"every", "first"} <= set(keys["periodic"])
    assert {"law", "mean", "shape"} == set(keys["think_s"]) and set(keys["stalls"]) == {"at", "length"}


def test_every_fault_of_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "faults.toml"
    path.write_text('rtt = "40ms"\nfoo = 3\nduratoin = 4\nflows = ["htcp"]\n[bottleneck]\nrate = "1Mbit"\nbuffer = 100\n', encoding="utf-8")
    with pytest.raises(wt.ScenarioError) as caught:
        files.load(path)
    said = str(caught.value)
    assert "bottleneck.buffer: 'buffer' is not a known key (did you mean 'queue'?)" in said and said.endswith("; also wrong: foo, duratoin")


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--flow cubic,betta=0.5", "'betta' is not a known key (did you mean 'beta'?)"),
        ("--flow reno --aqm codel,targt=5ms", "'targt' is no parameter of codel (did you mean 'target_s'?)"),
        ("--flow fast,buffer=100", "'buffer' is not a known key (did you mean 'rcvbuf'?)"),
        ("--flow reno,iw=10", "'iw' is not a known key (did you mean 'initial_window'?)"),
        ("--flow reno,ssthresh=10", "'ssthresh' is not a known key (did you mean 'initial_ssthresh'?)"),
        ("--flow reno --buffer 100", "No such option: --buffer (did you mean --queue?)"),
        ("--flow reno --bandwidth 1Mbit", "No such option: --bandwidth (did you mean --rate?)"),
        ("--cc reno", "No such option: --cc (did you mean --flow?)"),
        ("--flow reno --queue 20bdp", "20 times the BDP; write 20%bdp, or 2000%bdp"),
        ("--flow reno --rtt 5", "'5' has no unit; allowed: 1e-06 to 10 s (for example 42ms or 300s); write 5ms or 5s"),
        ("--flow reno,rtt=5", "write 5ms or 5s"),
        ("--flow reno --rate 50Mb", "unit 'Mb' is unknown here (did you mean 'Mbit'?); known: bit, kbit, Mbit, Gbit, Tbit;"),
        ("--flow reno --duration 5msec", "(did you mean 'ms'?)"),
        ("--flow reno --rate 100", "a number without a unit is in bit/s, write 100Mbit"),
        ("--flow reno --queue 50%", "a percentage is one of the BDP; write 50%bdp"),
    ],
)
def test_a_refusal_says_what_was_probably_meant(cli: Any, option: str, said: str) -> None:
    outcome = cli("run", "--rate", "20Mbit", "--rtt", "20ms", *option.split())
    assert outcome.code == 2 and said in outcome.err and outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("suite li07", "No such command: li07 (did you mean: suite run li07?)"),
        ("suite li07.fig4 --quick", "No such command: li07.fig4 (did you mean: suite run li07.fig4?)"),
        ("suite nothing", "No such command 'nothing'."),
        ("suite run", "Missing argument 'NAME...'; see windtunnel suite run --help"),
    ],
)
def test_a_command_without_a_part_says_what_to_type(cli: Any, given: str, said: str) -> None:
    outcome = cli(*given.split())
    assert outcome.code == 2 and outcome.err == f"error: {said}\n"


@pytest.mark.parametrize(("text", "bdps"), [("0.2bdp", 0.2), ("5bdp", 5.0), ("2000%bdp", 20.0)])
def test_a_queue_in_bdps_without_a_percent_sign_is_read_where_it_can_be_meant(text: str, bdps: float) -> None:
    assert wt.Bottleneck(rate="1Mbit", queue=text).queue_bdp == bdps


@pytest.mark.parametrize(("rtt", "seconds"), [("0.05", 0.05), ("5s", 5.0), (5, 5.0)])
def test_an_rtt_without_a_unit_is_seconds_where_nothing_else_can_be_meant(rtt: Any, seconds: float) -> None:
    assert wt.Flow(algorithm="reno", rtt=rtt).rtt_s == seconds


def test_completion_is_offered_and_completes(cli: Any) -> None:
    assert "--install-completion" in cli("--help").out
    program = [sys.executable, "-c", "import sys; from windtunnel.cli import main; sys.exit(main([]))"]
    asked = {"_WINDTUNNEL_COMPLETE": "complete_bash", "COMP_WORDS": "windtunnel su", "COMP_CWORD": "1"}
    answer = subprocess.run(program, env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert answer.stdout.split() == ["suite"]


FUZZED = {
    "a depth of 50 000 keys": ".".join(["a"] * 50_000) + " = 1\n",
    "quoted": ".".join(['"a"'] * 1000) + " = 1\n",
    "in a table": "x = {" + " . ".join(["a"] * 5000) + " = 1}\n",
    "in a header": "[" + ".".join(["a"] * 5000) + "]\n",
    "50 000 keys": "".join(f"a{n}.b.c = 1\n" for n in range(50_000)),
}


@pytest.mark.parametrize("text", FUZZED.values(), ids=FUZZED)
def test_a_hostile_file_is_refused_in_seconds(cli: Any, tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(text, encoding="utf-8")
    began = time.process_time()
    outcome = cli("run", str(path))
    assert outcome.code == 2 and outcome.err.count("\n") == 1 and re.search(r"nested too deeply|holds 50000 keys", outcome.err)
    assert time.process_time() - began < 8  # Minutes before; the parser alone takes two seconds of 50 000 keys.


def test_an_ordinary_file_has_dots(tmp_path: Path) -> None:
    path = tmp_path / "dots.toml"
    flows = ", ".join(f'"reno,rtt=1.{n}ms,start=0.{n}s"' for n in range(1, 40))
    path.write_text(f'duration = "2.5s"\nbottleneck.rate = "1.5Mbit"\nbottleneck.queue = 100\nflows = [{flows}]\n', encoding="utf-8")
    assert len(files.load(path).flows) == 39


def test_a_path_of_thousands_of_letters_is_not_repeated_whole(cli: Any) -> None:
    outcome = cli("run", "a/" * 2500 + "x.toml")
    assert outcome.code == 2 and len(outcome.err) < 700 and "x.toml" in outcome.err and "a/a/" in outcome.err


def test_what_never_ends_is_no_kernel_source(cli: Any) -> None:
    outcome = cli("kernel", "build", "--source", "/dev/zero")
    assert outcome.code == 2 and "/dev/zero: is neither a folder nor a plain file" in outcome.err


def test_a_duration_that_measures_nothing_is_refused(cli: Any) -> None:
    outcome = cli("advise", "--rate", "1Mbit", "--rtt", "40ms", "--duration", "1ns")
    assert outcome.code == 2 and outcome.err == "error: duration: '1ns' is too short; allowed: at least 20 round trips, here 0.8 s\n"


def test_a_run_shows_itself_in_a_notebook(document: dict[str, Any]) -> None:
    run = wt.run(parse(document | {"duration": "1s", "warmup": 0, "flows": ["reno", "cubic"]}))
    shown = run._repr_html_()
    assert 'src="data:image/png;base64,iVBOR' in shown and shown.count("<tr>") == 3 and "<td>cubic</td>" in shown
    assert f"{run.summary['flows'][0]['throughput_bps'] * 1e-6:.4g}" in shown and run.digest[:12] in shown
    plain = wt.run(parse(document | {"duration": "1s", "warmup": 0, "sample": 0, "flows": ["reno,count=40"]}))._repr_html_()
    assert "<img" not in plain and "the first 12 of 40 flows" in plain


def test_a_scenario_shows_what_was_given_in_a_notebook() -> None:
    made = wt.Scenario(bottleneck=wt.Bottleneck(rate="1Mbit", queue=20), flows=["reno", "cubic,start=1s"] * 10, rtt="40ms")
    shown = made._repr_html_()
    assert "<th>bottleneck</th><td>rate_bps 1e+06, queue_packets 20</td>" in shown and "cubic, start_s 1" in shown
    assert "... (20 in all)" in shown and "seed" not in shown, "what is as it is by default is not shown"
    hostile = wt.Scenario(bottleneck={"rate": "1Mbit"}, flows=["reno"], rtt="1ms").model_copy(update={"profile": "<script>"})
    assert "<script>" not in hostile._repr_html_()


COMPLETING = """
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
import windtunnel as wt

shell = InteractiveShell.instance()
link = wt.Bottleneck(rate="10Mbit", queue=100)
shell.user_ns |= {"wt": wt, "run": wt.run(wt.Scenario(bottleneck=link, flows=["reno"], rtt="20ms", duration="1s"))}
for text in ("wt.Sc", "run.", "run.plot.", "wt.Scenario(bott", "wt.Bottleneck(disc"):
    with provisionalcompleter():
        print(*(one.text.lstrip(".") for one in shell.Completer.completions(text, len(text))))
"""


def test_a_notebook_completes_what_the_package_a_run_and_a_constructor_offer(tmp_path: Path) -> None:
    pytest.importorskip("IPython", reason="IPython is not installed")
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", COMPLETING], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    package, run, plot, scenario, link = (set(line.split()) for line in ran.stdout.splitlines())
    assert {"Scenario", "ScenarioError"} <= package and {"flows", "flow_samples", "plot", "summary"} <= run and "overview" in plot
    assert "bottleneck=" in scenario and "discipline=" in link
