"""A controller's file where an algorithm's name may stand: commands, scenario files, Python, the digest, the store."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import controllers
import pytest
from controllers import RENO, Write

import windtunnel as wt
from windtunnel import foreign
from windtunnel.plots.style import LOOK, look
from windtunnel.scenario import ScenarioError, Untrusted, digest, load
from windtunnel.store import run_key

PATH = ["--rate", "20Mbit", "--rtt", "20ms", "--duration", "3s"]
Cli = Callable[..., Any]


def scenario(*algorithms: Any, **parameters: float) -> wt.Scenario:
    flows = tuple(wt.Flow(algorithm=name, rtt_s=0.02, parameters=parameters if foreign.is_file(str(name)) else {}) for name in algorithms)
    return wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=20e6, queue_packets=50), flows=flows, duration_s=3.0)


def test_a_run_shows_the_files_name_and_its_parameters_have_an_effect(cli: Cli, written: Write) -> None:
    mine = written()
    table = cli("run", *PATH, "--flow", f"{mine},beta=900", "--flow", "cubic")
    assert table.code == 0, table.err
    assert " mine.c " in table.out and "mine.c:" not in table.out
    found = [cli("run", *PATH, "--flow", f"{mine},beta={beta}", "--json").json() for beta in (900, 300)]
    kept = [one["flows"][0]["mean_cwnd_packets"] for one in found]
    assert kept[0] > kept[1]
    name, _, key = found[0]["scenario"]["flows"][0]["algorithm"].partition(":")
    assert name == "mine.c" and len(key) == 16 and found[0]["scenario"]["flows"][0]["parameters"] == {"beta": 900.0}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("beta=0.5", "flows[0].parameters.beta: '0.5' is not a whole number"),
        ("beta=3e9", "flows[0].parameters.beta: '3e9' is out of range; allowed: an integer, -2.14748e+09 to 2.14748e+09"),
        ("gamma=1", "parameters of mine.c: beta;"),
    ],
)
def test_parameters_are_refused_as_those_of_a_built_in(cli: Cli, written: Write, options: str, said: str) -> None:
    outcome = cli("run", *PATH, "--flow", f"{written()},{options}")
    assert outcome.code == 2 and said in outcome.err, outcome.err


def test_the_digest_covers_the_content_and_not_the_place(written: Write) -> None:
    first, copy = digest(scenario(written())), digest(scenario(written("deep/mine.c")))
    assert first == copy
    changed = digest(scenario(written(text=RENO.replace("512", "513"))))
    assert changed != first
    assert digest(scenario(written())) == first
    # Under another name it is another controller to readers.
    assert digest(scenario(written("yours.c"))) != first


def test_the_digest_covers_what_is_included_and_what_compiles_it(written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    including = '#include "share.h"\n' + RENO.replace("beta = 512", "beta = SHARE")
    (tmp_path / "share.h").write_text("#define SHARE 512\n", encoding="utf-8")
    first = digest(scenario(written(text=including)))
    (tmp_path / "share.h").write_text("#define SHARE 600\n", encoding="utf-8")
    assert digest(scenario(written(text=including))) != first
    (tmp_path / "share.h").write_text("#define SHARE 512\n", encoding="utf-8")
    assert digest(scenario(written(text=including))) == first
    other = tmp_path / "other-cc"
    other.write_text('#!/bin/sh\n[ "$1" = --version ] && { echo "other 1.0"; exit; }\nexec cc "$@"\n', encoding="utf-8")
    other.chmod(0o755)
    monkeypatch.setenv("CC", str(other))
    assert digest(scenario(written(text=including))) != first


def test_records_name_the_file_and_its_content(written: Write) -> None:
    run = wt.run(scenario(Path(written()), "cubic"))
    key = run.records.facts.scenario["flows"][0]["algorithm"].partition(":")[2]
    assert run.flows["algorithm"].to_list() == ["mine.c", "cubic"] and run.flows["variant"].to_list()[0] == key


def test_a_flow_keeps_the_file_as_it_was_when_it_was_made(written: Write) -> None:
    before = scenario(written())
    expected = wt.run(before).records.digest()
    written(text="no C at all")
    assert wt.run(before).records.digest() == expected


def test_two_sets_of_parameters_side_by_side_give_the_same_bits_on_one_and_on_eight_threads(written: Write) -> None:
    # A global that all flows of a set share decides when the window grows; each run and each set has its own.
    counted = RENO.replace("static u32 losses;", "static u32 losses, calls;")
    mine = written(text=counted, here="if (++calls % 300 == 0) tcp_snd_cwnd_set(tcp_sk(sk), tcp_snd_cwnd(tcp_sk(sk)) + beta / 256);")
    flows = [wt.Flow(algorithm=mine, rtt_s=0.02, parameters={"beta": beta}) for beta in (512, 900, 512)]

    def run(*chosen: wt.Flow) -> str:
        return wt.run(wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=20e6), flows=chosen, duration_s=3.0)).records.digest()

    both = [run(*flows[:2]), run(flows[0], flows[2])]
    assert both[0] != both[1]
    answers: dict[int, list[str]] = {}
    threads = [
        threading.Thread(target=lambda n=n: answers.update({n: [run(*flows[:2]), run(flows[0], flows[2])]}))  # type: ignore[misc]
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == dict.fromkeys(range(8), both)


def test_native_code_is_loaded_in_no_process_but_its_own(written: Write) -> None:
    program = (
        "import sys, windtunnel as wt; flow = wt.Flow(algorithm=sys.argv[1], rtt_s=0.02);"
        "wt.run(wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=2e7), flows=(flow,), duration_s=1.0));"
        "print([line for line in open('/proc/self/maps') if 'windtunnel-' in line and '.so' in line])"
    )
    done = subprocess.run([sys.executable, "-c", program, written()], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_scenario_file_names_a_controller_beside_it(cli: Cli, written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written("study/mine.c")
    document = {
        "rtt": "20ms",
        "duration": "1s",
        "bottleneck": {"rate": "20Mbit"},
        "flows": ["./mine.c,start=0.2s", {"algorithm": "mine.c", "parameters": {"beta": 700}}, "cubic"],
        "arrivals": ["./mine.c,load=1%,mean=20kB"],
    }
    path = tmp_path / "study" / "scenario.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    loaded = load(path)
    assert [foreign.shown(flow.algorithm) for flow in loaded.flows] == ["mine.c", "mine.c", "cubic"]
    assert loaded.arrivals[0].algorithm == loaded.flows[0].algorithm
    assert cli("run", str(path)).code == 0
    # What prevails need not be there.
    (tmp_path / "study" / "mine.c").unlink()
    assert "mine.c: does not exist" in cli("run", str(path)).err
    document["arrivals"] = []
    path.write_text(json.dumps(document), encoding="utf-8")
    assert cli("run", str(path), "--flow", "reno").code == 0


def test_code_from_elsewhere_needs_trust(cli: Cli, written: Write, tmp_path: Path) -> None:
    written("elsewhere/mine.c")
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "linked.c").symlink_to(tmp_path / "elsewhere" / "mine.c")
    path = tmp_path / "study" / "scenario.toml"
    text = 'rtt = "20ms"\nduration = "1s"\nflows = ["FILE"]\n[bottleneck]\nrate = "20Mbit"\n'
    for name in ("../elsewhere/mine.c", str(tmp_path / "elsewhere" / "mine.c"), "linked.c"):
        path.write_text(text.replace("FILE", name), encoding="utf-8")
        for command in (["run", str(path)], ["scenario", "show", str(path)]):
            outcome = cli(*command)
            assert outcome.code == 2 and outcome.err.count("\n") == 1
            assert f"names code from elsewhere than its own folder: {tmp_path / 'elsewhere' / 'mine.c'}" in outcome.err
            assert cli(*command, "--trust").code == 0
        with pytest.raises(Untrusted):
            load(path)
        assert foreign.is_made(load(path, trust=True).flows[0].algorithm)


def test_a_library_runs_as_a_file_does(cli: Cli, written: Write, tmp_path: Path) -> None:
    written()
    cpp = Path(__file__).parents[2] / "examples/cpp-controller/mimd.cpp"
    made = ["c++", "-shared", "-fPIC", "-I", cpp.parents[2] / "crates/guest/include", "-o", tmp_path / "libmimd.so", cpp]
    subprocess.run(made, check=True)
    outcome = cli("run", *PATH, "--flow", "./libmimd.so", "--flow", "./mine.c", "--json")
    assert outcome.code == 0, outcome.err
    assert [foreign.shown(flow["algorithm"]) for flow in outcome.json()["flows"]] == ["libmimd.so", "mine.c"]


def test_algorithms_describes_a_file_and_draws_its_portrait(
    cli: Cli, written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = cli("algorithms", written())
    assert outcome.code == 0 and "which calls itself mine" in outcome.out
    assert "share of the window kept after a loss, of 1024" in outcome.out
    monkeypatch.setattr("windtunnel.portrait.runs.LOSS_RUN_S", 62.0)
    monkeypatch.setattr("windtunnel.portrait.runs.LOSS", (1e-3, 1e-2))
    assert cli("algorithms", "./mine.c", "--plot", "mine.svg").code == 0
    assert ">mine.c<" in (tmp_path / "mine.svg").read_text(encoding="utf-8")


def test_a_file_that_calls_itself_as_a_module_answers_to_its_recordings(cli: Cli, written: Write) -> None:
    vectors = str(Path(__file__).parents[2] / "data/kernel-vectors")
    outcome = cli("conform", vectors, "--alg", written())
    assert outcome.code == 2 and "calls itself mine, of which there are no vectors and no segments here" in outcome.err
    # Scalable TCP (Kelly 2003, Table 1): one segment more for a hundred acknowledged, an eighth less after a loss.
    law = RENO.replace('"mine"', '"scalable"').replace("tcp_reno_cong_avoid(sk, ack, acked);", "")
    law = law.replace("tcp_snd_cwnd(tcp_sk(sk)) * beta / 1024", "tcp_snd_cwnd(tcp_sk(sk)) - (tcp_snd_cwnd(tcp_sk(sk)) >> 3)")
    grow = "if (!tcp_is_cwnd_limited(sk)) return; if (tcp_in_slow_start(tcp_sk(sk))) { acked = tcp_slow_start(tcp_sk(sk), acked); "
    grow += "if (!acked) return; } tcp_cong_avoid_ai(tcp_sk(sk), min(tcp_snd_cwnd(tcp_sk(sk)), 100U), acked);"
    exact = cli("conform", vectors, "--alg", written("scalable.c", law.replace("/* here */", grow)), "--json")
    assert exact.code == 0, exact.err
    assert sum(report["rows"] for report in exact.json()) > 1000
    other = cli("conform", vectors, "--alg", written("scalable.c", law.replace("/* here */", grow.replace("100U", "90U"))), "--json")
    assert other.code == 1 and any(report["first_mismatch"] for report in other.json())


def test_the_kernel_backend_takes_a_c_file_and_refuses_others_by_name(cli: Cli, written: Write, tmp_path: Path) -> None:
    from windtunnel.backends.linux import expressible

    assert expressible.unsupported(scenario(written())) == []
    # A copy of what was made of it is a library like any other.
    (tmp_path / "libmine.so").write_bytes(foreign.make("./mine.c").library.read_bytes())
    found = expressible.unsupported(scenario("./libmine.so"))
    said = "libmine.so is no C file in the kernel's dialect"
    assert found == [f"flows[0].algorithm: {said}; of controllers from files a kernel runs those alone"]
    outcome = cli("agree", "--alg", "reno,./libmine.so")
    assert outcome.code == 2 and f"alg: {said}, which a kernel runs too" in outcome.err


def test_a_files_look_is_no_built_ins() -> None:
    assert look("mine.c:0123456789abcdef") == look("mine.c")
    taken = {colour for colour, _ in LOOK.values()}
    assert all(look(f"file{number}.c")[0] not in taken for number in range(100))


def test_two_files_of_one_name_are_told_apart(written: Write) -> None:
    names = [wt.Flow(algorithm=written("a/mine.c")).algorithm, wt.Flow(algorithm=written("b/mine.c", RENO.replace("512", "700"))).algorithm]
    assert [foreign.shown(name, names) for name in names] == [f"mine.c ({name.partition(':')[2][:4]})" for name in names]
    assert [foreign.shown(name, names[:1]) for name in names[:1]] == ["mine.c"]


def test_names_are_kept_apart_from_files() -> None:
    assert [name for name in wt_names() if foreign.is_file(name) or foreign.is_made(name)] == []
    assert all(map(foreign.is_file, ("mine.c", "./x", "libmine.so", "/a/b.c", "mine.py:Mine", ".", "..")))
    assert foreign.is_made("mine.c:0123456789abcdef") and not foreign.is_made("cubic:0123456789abcdef")


def wt_names() -> list[str]:
    from windtunnel.scenario import catalogue

    known = catalogue()
    names = [*known.algorithms, *known.aliases]
    return names + [f"{one.name}:{variant}" for one in known.algorithms.values() for variant in (*one.variants, *one.variant_aliases)]


def test_the_store_has_another_place_for_another_content(written: Write) -> None:
    keys = {run_key(digest(scenario(written(text=RENO.replace("512", str(beta))))), "sim", 7) for beta in (512, 513, 514)}
    assert len(keys) == 3


def test_what_is_not_in_the_cache_any_more_says_so(written: Write, controller_cache: Path, cli: Cli) -> None:
    made = scenario(written("gone.c"))
    name = made.flows[0].algorithm
    (controller_cache / "windtunnel" / "controllers" / f"{name.partition(':')[2]}.so").unlink()
    with pytest.raises(ScenarioError, match=r"gone.c: what was made of it .* is not in the cache any more; name the file again"):
        wt.run(made)
    # Stored results of it can still be read.
    assert wt.Scenario.model_validate(json.loads(made.model_dump_json())).flows[0].algorithm == name
    assert controllers.RENO and cli("run", *PATH, "--flow", "./gone.c").code == 0


def test_advice_includes_a_file_beside_the_protocols(cli: Cli, written: Write, tmp_path: Path) -> None:
    asked = ("advise", "--rate", "5Mbit", "--rtt", "40ms", "--alg", "reno", "--duration", "20s", "--seeds", "1", "--jobs", "1")
    outcome = cli(*asked, "--include", written(), "--out", "advice")
    assert outcome.code == 0, outcome.err
    assert " mine.c " in outcome.out and "mine.c:" not in outcome.out
    page = Path(outcome.out.splitlines()[-1].removeprefix("report: ")).read_text(encoding="utf-8")
    assert "reno, mine.c" in page and '<th scope="row" style="vertical-align: top">mine.c</th>' in page and "--include ./mine.c" in page
    refused = cli(*asked, "--include", "./nobody.c")
    assert refused.code == 2 and refused.err == "error: include: nobody.c: does not exist\n"
