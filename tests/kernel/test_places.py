"""Where a flow's delay lies, on a kernel: on either side of the links, as far as anybody can tell."""

from __future__ import annotations

from statistics import mean
from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")


def scenario(*flows: Any, **more: Any) -> Scenario:
    link = {"rate": "10Mbit", "queue": 50}
    return Scenario(
        **{"bottleneck": link, "reverse": dict(link), "flows": flows, "rtt": "80ms", "duration": "8s", "warmup": "2s", "jitter": 0, **more}
    )


def run(made: Scenario) -> Records:
    return backend("linux").run(made)


def reverse(algorithm: str = "reno", **more: Any) -> dict[str, Any]:
    return {"algorithm": algorithm, "direction": "reverse", **more}


@pytest.mark.parametrize(
    ("flow", "more"),
    [
        ("reno,window=20", {}),
        ("reno,window=20", {"hops": ["delay=15ms"]}),
        # What a discipline lets go of is on the wire yet.
        ("reno,window=20", {"bottleneck": {"rate": "10Mbit", "queue": 50, "discipline": "codel,target=1s"}}),
        (reverse(window_packets=20), {}),
        (reverse(window_packets=20), {"hops": ["delay=15ms"]}),
    ],
)
def test_acks_meet_the_other_link_when_they_do_in_the_simulator(flow: Any, more: dict[str, Any]) -> None:
    # A burst of ten ACKs a round trip: an outage of the link that they come to first is felt by those that come in it.
    first = "bottleneck" if isinstance(flow, dict) else "reverse"
    link = {"rate": "10Mbit", "queue": 50}
    most_s = []
    for phase in (0, 20, 40, 60):
        made = scenario(flow, **{**more, first: {**link, "outages": [f"3.0{phase:02d}s=10ms"]}}, duration="3.5s")
        ours, theirs = (one.run(made).flow_samples["srtt_s"].to_numpy()[290:330].max() for one in (Simulator(), backend("linux")))
        most_s.append((theirs, ours))
    assert [there for there, _ in most_s] == pytest.approx([here for _, here in most_s], abs=200e-6)
    assert max(here for _, here in most_s) > min(here for _, here in most_s) + 2e-3


def test_data_in_both_directions_use_the_link_as_in_the_simulator() -> None:
    # While all of the delay lay behind the reverse link, CUBIC used 0.91 of the forward one on Linux and 0.84 here.
    made = [scenario("cubic", reverse("cubic", start=f"{start}s"), duration="40s", warmup="10s") for start in (1.0, 1.017, 1.031, 1.044)]
    ours, theirs = ([one.run(each).links["utilisation"][0] for each in made] for one in (Simulator(), backend("linux")))
    assert mean(theirs) == pytest.approx(mean(ours), abs=0.02)
