"""The suite of RFC 8867: its tests' capacities and flows as the text has them, and what is measured of video."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from windtunnel.backends import backend
from windtunnel.experiment import Draws
from windtunnel.metrics import View
from windtunnel.suites import default_suites, suite
from windtunnel.suites.rfc8867 import cases, measured


def test_capacities_are_those_of_the_text() -> None:
    # RFC 8867, tables of 5.1 (r = 1 Mbit/s), 5.2 (r = 2 Mbit/s) and 5.3 (r = 1 Mbit/s).
    assert [mbps for _, mbps in cases.VARIABLE] == [1.0, 2.5, 0.6, 1.0]
    assert [mbps for _, mbps in cases.SEVERAL] == [2 * ratio for ratio in (2.0, 1.0, 1.75, 0.5, 1.0)]
    run = cases.feedback({"alg": "reno", "way": "congested"}, Draws(1))
    assert [step.rate_bps for step in run.bottleneck.rate_steps] == [1e6, 0.5e6, 2e6]
    assert run.reverse is not None and [(step.at_s, step.rate_bps) for step in run.reverse.rate_steps] == [(35.0, 0.8e6), (70.0, 2e6)]
    assert [flow.direction for flow in run.flows] == ["forward", "reverse"]


def test_each_flow_of_video_has_its_audio() -> None:
    run = cases.same({"alg": "cubic"}, Draws(1))
    assert [round(flow.start_s) for flow in run.flows] == [0, 20, 40] and len(run.traffic) == 3
    assert {source.rate_bps for source in run.traffic} == {20e3}
    assert [flow.rtt_s for flow in cases.rtts({"alg": "cubic"}, Draws(1)).flows] == [0.02, 0.05, 0.1, 0.2, 0.3]


def view(frames: list[tuple[float, float | None]], *, rates: tuple[float, float] = (1.0, 0.5)) -> Any:
    """Two flows of video of 40 s with these goodputs, Mbit/s, the first with these frames: captured, and how long it took."""
    rows = pl.DataFrame({"flow": [0] * len(frames), "start_s": [at for at, _ in frames], "completion_s": [took for _, took in frames]})
    t_s = np.arange(0.0, 40.5, 0.5)

    def series(flow: int) -> Any:
        return SimpleNamespace(t_s=t_s, delivered_bytes=t_s * rates[flow] * 1e6 / 8)

    link = {"rate_bps": 1e6, "rate_steps": [{"at_s": 20.0, "rate_bps": 4e6}]}
    return SimpleNamespace(
        records=SimpleNamespace(video=rows),
        scenario={"flows": [{"video_bps": 1.5e6}, {"video_bps": 1.5e6}], "bottleneck": link},
        duration_s=40.0,
        foreground=(0, 1),
        start_s=lambda _: 0.0,
        end_s=lambda _: 40.0,
        row=lambda _: {"direction": "forward"},
        series=series,
    )


def test_a_frame_counts_as_lost_where_it_is_late_or_never_there() -> None:
    seen = view([(1.0, 9.0), (11.0, 0.1), (12.0, 0.3), (13.0, 0.5), (14.0, None)])
    # That of the first ten seconds is left out; one of four is late and one was skipped.
    assert measured.lost_frames(seen) == pytest.approx(0.5)
    assert measured.frame_ms(seen) == pytest.approx(300.0)


def test_what_video_could_get_is_the_capacity_or_what_it_wants() -> None:
    seen = view([])
    # 1 Mbit/s less two times 20 kbit/s of audio, and headers of 52 of 1500 bytes; then twice 1.5 Mbit/s of the four.
    assert measured.possible_mbps(seen, 10.0) == pytest.approx(0.96 * 1448 / 1500)
    assert measured.possible_mbps(seen, 30.0) == pytest.approx(3.0)
    assert measured.media_use(seen) == pytest.approx(1.5 * 30 / (0.96 * 1448 / 1500 * 10 + 3.0 * 20))
    assert measured.share_20s(seen) == pytest.approx(0.5)


def test_ledbat_keeps_frames_short_of_the_queue_and_cubic_does_not() -> None:
    # LEDBAT aims at 100 ms of the 300 ms of queue (RFC 6817), CUBIC fills them: 50 ms of path and 300 of queue is what its frames must
    # exceed at times.
    delays = {}
    for alg in ("ledbat", "cubic"):
        point = {"alg": alg, "owd": 50}
        delays[alg] = measured.frame_p95_ms(View(backend("sim").run(cases.variable(point, Draws(1))), point))
    assert delays["ledbat"] is not None and delays["cubic"] is not None and delays["ledbat"] < 350 < delays["cubic"]


def test_the_register_asks_every_experiment_and_names_what_is_not_evaluated() -> None:
    own = suite("rfc8867")
    register = own.register()
    assert register is not None and set(register.experiments) == {one.id for one in own.experiments} and len(own.experiments) == 10
    assert own.followed is not None and [one.key for one in own.followed.criteria if one.not_evaluated] == ["11"]
    assert not any(claim.id.startswith("rfc8867.c12") and claim.id.endswith("ledbat") for claim in register.claims)
    assert "rfc8867" not in default_suites()
