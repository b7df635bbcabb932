"""A path is found again from what flows saw of it: runs whose path is known, stored and captured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import windtunnel as wt
from windtunnel import fit
from windtunnel.scenario import Scenario, ScenarioError

from .conftest import Outcome

Cli = Callable[..., Outcome]


def made(folder: Path, rate: str, rtt: str, queue: int, flows: list[str], *, loss: float = 0.0, duration: str = "40s") -> fit.Seen:
    run = wt.run(
        Scenario(
            bottleneck={"rate": rate, "queue_packets": queue, "loss_probability": loss}, flows=flows, rtt=rtt, duration=duration, seed=3
        )
    )
    run.save(folder / "run")
    return fit.seen(folder / "run")


@pytest.mark.parametrize(
    ("rate_mbps", "rtt_ms", "queue", "flows"),
    [(20, 40, 67, ["cubic"]), (50, 60, 125, ["reno", "cubic,start=3s"]), (10, 100, 42, ["cubic", "cubic,start=1s"])],
)
def test_a_path_is_found_again(rate_mbps: int, rtt_ms: int, queue: int, flows: list[str], tmp_path: Path) -> None:
    path = fit.estimate(made(tmp_path, f"{rate_mbps}Mbit", f"{rtt_ms}ms", queue, flows))
    assert path.rate_mbps.value == pytest.approx(rate_mbps, rel=0.01)
    # The base RTT holds the transmission of one packet at least, and is never below the path's.
    packet_ms = 12 / rate_mbps
    assert rtt_ms <= path.rtt_ms.value <= rtt_ms + 2 * packet_ms + 0.01 * rtt_ms
    assert path.queue_packets.value == pytest.approx(queue, rel=0.08)
    assert path.loss.value < 1e-4


def test_random_loss_is_told_from_overflow(tmp_path: Path) -> None:
    path = fit.estimate(made(tmp_path, "30Mbit", "30ms", 75, ["reno"], loss=1e-3, duration="60s"))
    assert path.loss.low < 1e-3 < path.loss.high and path.loss.value == pytest.approx(1e-3, rel=0.35)


@pytest.mark.parametrize("loss", [0.0, 1e-3])
def test_what_only_some_runs_lose_is_no_loss_of_the_path(loss: float, tmp_path: Path) -> None:
    """Sixteen flows that start together overflow the buffer before the smoothed RTT shows it; a delay of one run alone is no buffer."""
    many = made(tmp_path / "many", "20Mbit", "20ms", 40, ["cubic"] * 16, loss=loss, duration="10s")
    alone = [made(tmp_path / name, "20Mbit", "20ms", 40, [name], loss=loss) for name in ("reno", "cubic", "bbr")]
    late = replace(alone[2].flows[0], srtt_s=np.where(np.arange(alone[2].flows[0].srtt_s.size) == 3000, 0.2, alone[2].flows[0].srtt_s))
    runs = [("", run) for run in (many, *alone[:2], replace(alone[2], flows=(late,)))]
    found = fit.estimate(fit.together(runs, "four runs"))
    assert found.loss.low <= loss <= found.loss.high and found.loss.value == pytest.approx(loss, abs=3e-4)
    # One in a thousand is half of all losses here, some of them while the queue is long.
    assert found.queue_packets.value == pytest.approx(40, rel=0.2 if loss else 0.1)


def test_a_link_that_was_never_full_gives_bounds(tmp_path: Path) -> None:
    path = fit.estimate(made(tmp_path, "100Mbit", "40ms", 300, ["reno,window=20"]))
    # Twenty segments a round trip: 6 Mbit/s, of a link of 100.
    assert path.rate_mbps.value == pytest.approx(20 * 12e-3 / 0.040, rel=0.05)
    assert np.isinf(path.rate_mbps.high) and np.isinf(path.queue_packets.high)
    assert any("lower bounds" in note for note in path.notes)


def test_a_capture_gives_what_its_run_gives(cli: Cli, tmp_path: Path) -> None:
    capture, out = tmp_path / "c.pcapng", tmp_path / "path.toml"
    link = {"rate": "20Mbit", "queue_packets": 67}
    wt.run(Scenario(bottleneck=link, flows=["cubic", "reno,start=2s"], rtt="40ms", duration="30s"), pcap=capture)
    done = cli("fit", str(capture), "--alg", "cubic,reno", "--out", str(out), "--json")
    said = done.json()
    assert done.code == 0 and said["path"]["rate_mbps"]["value"] == pytest.approx(20, rel=0.01)
    assert said["path"]["queue_packets"]["value"] == pytest.approx(67, rel=0.08)
    # The simulator on the estimated path: the flows' sum is what was measured.
    rates = [row for row in said["compared"] if row["figure"] == "throughput"]
    assert sum(row["predicted"] for row in rates) == pytest.approx(sum(row["measured"] for row in rates), rel=0.03)
    # What is written is a scenario, and a path to ask about.
    again = wt.load_scenario(out)
    assert [flow.algorithm for flow in again.flows] == ["cubic", "reno"] and again.flows[1].start_s == pytest.approx(2.0, abs=0.05)
    refused = cli("advise", "--path", str(out), "--rate", "1Gbit")
    assert refused.code == 2 and "beside a rate" in refused.err


def test_the_path_that_was_found_can_be_asked_about(tmp_path: Path) -> None:
    from windtunnel.advise import network_of

    seen = made(tmp_path, "20Mbit", "40ms", 67, ["cubic"])
    path = fit.estimate(seen)
    file = tmp_path / "path.toml"
    file.write_text(fit.written(fit.scenario(seen, path, None), path, "a run"), encoding="utf-8")
    network = network_of(str(file))
    assert network.rtt_s == pytest.approx(0.040, rel=0.02) and network.queue_packets == pytest.approx(67, rel=0.08)


def test_bad_input_is_one_line(cli: Cli, tmp_path: Path) -> None:
    made(tmp_path, "20Mbit", "40ms", 67, ["cubic"], duration="3s")
    short = Scenario(bottleneck={"rate": "20Mbit"}, flows=["cubic"], rtt="40ms", duration="500ms")
    wt.run(short).save(tmp_path / "short")
    (tmp_path / "no.pcap").write_bytes(b"no capture at all")
    for arguments, said in (
        ([str(tmp_path / "run"), "--alg", "cubic,reno"], "2 for 1 flows"),
        ([str(tmp_path / "run"), "--out", str(tmp_path / "path.txt")], "ends in .toml"),
        ([str(tmp_path / "short")], "lasts 0.49 s"),
        ([str(tmp_path / "no.pcap")], "no.pcap"),
        ([str(tmp_path / "gone")], "gone"),
    ):
        refused = cli("fit", *arguments)
        assert (refused.code, refused.err.count("\n")) == (2, 1) and said in refused.err, (arguments, refused.err)
    with pytest.raises(ScenarioError):
        fit.seen(tmp_path / "gone")
