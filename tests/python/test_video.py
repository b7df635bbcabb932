"""Video whose rate follows its connection: scenarios with it, and what a run with it says."""

from __future__ import annotations

from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.metrics import video
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, parse, resolve


def scenario(*flows: Any, **more: Any) -> Scenario:
    return parse({"rtt": "40ms", "duration": "20s", "jitter": 0, "bottleneck": {"rate": "10Mbit"}, "flows": list(flows), **more})


def test_a_line_and_a_table_are_the_same_scenario_with_the_defaults_of_rfc_8867() -> None:
    line = scenario("cubic,video=1.5Mbit")
    table = {"algorithm": "cubic", "video_bps": 1.5e6, "video_min": "150kbit", "frame": "40ms"}
    assert digest(line) == digest(scenario(table)) == digest(parse(canonical(line)))
    assert resolve(line)["flows"][0]["writes"] == {"kind": "video", "least_bps": 150_000, "most_bps": 1_500_000, "every_ns": 40_000_000}
    assert digest(line) != digest(scenario("cubic,video=1.5Mbit,frame=50ms"))


@pytest.mark.parametrize(
    ("flow", "says"),
    [
        ("cubic,video_min=150kbit", "video_bps"),
        ("cubic,frame=40ms", "video_bps"),
        ("cubic,video=100kbit", "below video_min"),
        ("cubic,video=1Mbit,app_rate=1Mbit", "both given"),
        ("cubic,video=1Mbit,response=64kB", "both given"),
        ("cubic,video=1Mbit,bytes=1MB", "both given"),
    ],
)
def test_video_that_lacks_something_or_stands_beside_another_application_is_refused(flow: str, says: str) -> None:
    with pytest.raises(ScenarioError, match=says):
        scenario(flow)


def test_a_guest_refuses_video_by_name() -> None:
    assert any("video" in one for one in unsupported(scenario("cubic,video=1.5Mbit")))
    assert not unsupported(scenario("cubic,app_rate=1Mbit"))


def test_frames_are_rows_and_their_delays_a_summary() -> None:
    run = wt.run(scenario("cubic,video=1.5Mbit", "cubic", warmup="10s"))
    rows = run.video
    assert rows is not None and set(rows["flow"]) == {0}
    found = video(run.records).to_dicts()
    # 25 frames a second for the ten seconds after the warm-up.
    assert len(found) == 1 and found[0]["frames"] == pytest.approx(250, abs=1)
    assert found[0]["frame_s_mean"] > 0.02 and found[0]["frame_s_p95"] >= found[0]["frame_s_median"]
    assert wt.run(scenario("cubic")).video is None


def test_equal_runs_have_equal_frames() -> None:
    one, two = (wt.run(scenario("bbr3,video=1.5Mbit")) for _ in range(2))
    assert one.video is not None and one.video.equals(two.video)
