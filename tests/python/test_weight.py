"""How many packets a run is estimated to deliver before it has begun."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.experiment.weight import packets
from windtunnel.scenario import Scenario


def test_a_run_weighs_what_its_windows_send_where_that_is_less_than_what_its_link_carries() -> None:
    def weight(flows: tuple[Any, ...], **more: Any) -> float:
        link = {"rate": "1Tbit", "queue": 100, **more}
        return packets(Scenario(bottleneck=link, flows=flows, rtt="100ms", duration="50s"))

    assert weight(("reno",)) == pytest.approx(1e12 / 12e3 * 50)
    # 500 round trips of 20 packets, and those of the second half of 10 and 10.
    assert weight(("reno,window=20", "reno,window=10,count=2,start=25s")) == pytest.approx(500 * 20 + 250 * 20)
    # Mathis and others 1997: sqrt(3/2)/sqrt(p) packets a round trip on average; no law of the experiments sends three times that.
    assert weight(("reno",), loss=1e-4) == pytest.approx(500 * 400)
    assert weight(("reno,window=20",), rate="1Mbit") == pytest.approx(50e6 / 12e3)
    # Losses by the clock, one in 5 s, 50 round trips: Reno's mean window is one and a half times that.
    assert weight(("reno",), losses="timed,interval=100ms,probability=0.02") == pytest.approx(500 * 200)
