"""The battery: what breaks it, what it measures, and that the built-ins pass it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from windtunnel.battery import HISTORIES, TRAITS, carry_out
from windtunnel.battery.histories import LEAST_ACKS
from windtunnel.cli import main
from windtunnel.scenario import catalogue

LAW = """
import itertools, random
import windtunnel as wt
runs = itertools.count()

class Mine(wt.Controller):
    needs = wt.Needs({needs})

    def on_established(self, w, c):
        self.told = 0.0
        {begin}

    def on_rtt_sampled(self, w, c, s):
        {sampled}

    def on_acked(self, w, c, acked):
        if c.cwnd_limited:
            left = w.slow_start(acked)
            w.cwnd += left / w.cwnd
        {acked}

    def ssthresh(self, w, c):
        return max(w.cwnd * 0.5, 2.0)
"""


def law(folder: Path, *, needs: str = "", begin: str = "pass", sampled: str = "pass", acked: str = "pass") -> str:
    (folder / "mine.py").write_text(LAW.format(needs=needs, begin=begin, sampled=sampled, acked=acked))
    return str(folder / "mine.py")


def answers(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, object]]:
    code = main(["check", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", sorted(catalogue().algorithms))
def test_every_built_in_passes(name: str) -> None:
    battery = carry_out(name, called=name, traits=())
    assert battery.holds, [answer for answer in battery.answers if answer.broken]
    for answer in battery.answers:
        assert answer.acks >= LEAST_ACKS and answer.happened > 0, answer


def test_a_second_reduction_within_an_episode_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = law(
        tmp_path,
        needs="rtt_samples='by-stack'",
        sampled="w.ssthresh = max(w.ssthresh * 0.98, 2.0) if c.ca_state == 'recovery' else w.ssthresh",
    )
    code, found = answers(capsys, file, "--invariants")
    broken = [line for history in found["histories"] for line in history["broken"]]
    assert code == 1 and any("the threshold falls from" in line for line in broken)


def test_a_window_that_none_may_have_is_found_and_other_histories_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answers(
        capsys, law(tmp_path, acked="w.cwnd = 0.2 if c.prior_cwnd > 0 and c.lost == 0 and c.delivered > 20000 else w.cwnd"), "--invariants"
    )
    histories = found["histories"]
    assert code == 1 and len(histories) == len(HISTORIES)
    assert any("seed 1: mine.py: on_acked of flow" in line and "cwnd is 0.2" in line for one in histories for line in one["broken"])
    assert found["traits"] == []


def test_a_draw_from_elsewhere_than_the_seed_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answers(capsys, law(tmp_path, acked="w.cwnd += random.random() * 0.01"), "--invariants")
    assert code == 1 and all(any("the same bits twice" in line for line in one["broken"]) for one in found["histories"])


def test_reno_is_what_its_closed_forms_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answers(capsys, "reno", "--seeds", "2", "--beside", "")
    of = {trait["name"]: trait["mean"] for trait in found["traits"]}
    assert code == 0 and len(of) == len(TRAITS)
    # The square-root law (Mathis 1997): slope -1/2, and sqrt(1.5/p) packets where the window grows by the packets that ACKs count.
    assert abs(of["response slope"] + 0.5) < 0.03
    assert 0.85 * 1500**0.5 < of["window at 1e-3"] < 1.1 * 1500**0.5
    assert abs(of["back-off"] - 0.5) < 0.01
    # A queue of one BDP: the window goes from one BDP to two and back.
    assert of["utilisation"] > 0.99
    assert of["harm to reno"] == 1.0
    # A sawtooth between one and two pipes of 167 packets: 167 round trips of 40 to 80 ms.
    assert 8 < of["epoch"] < 12


def test_a_page_is_written_with_the_portrait_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    assert main(["check", "reno", "--seeds", "1", "--beside", "cubic", "--page", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "Nothing was broken." in text and "| harm to cubic |" in text and "page.svg" in text
    assert (tmp_path / "page.svg").read_text(encoding="utf-8").startswith("<?xml")
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such"], "controller: 'no-such' is not a known protocol"),
        (["reno", "--beside", "no-such"], "is not a known protocol"),
        (["reno", "--page", "page.html"], "page.html is no page; allowed: a file that ends in .md"),
        (["reno", "--page", "/no/such/page.md"], "there is no folder /no/such"),
        (["reno", "--seeds", "0"], "seeds"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *arguments]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error and "\n" not in error
