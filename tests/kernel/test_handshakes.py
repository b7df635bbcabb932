"""Handshakes of a running Linux kernel beside the simulator's."""

from __future__ import annotations

from typing import Any

import pytest

import windtunnel as wt
from windtunnel.scenario import parse

pytestmark = pytest.mark.usefixtures("kernel")


def transfer(backend: str, **fields: Any) -> Any:
    """Return the row of the last flow."""
    document = {"bottleneck": {"rate": "100Mbit", "queue": 1000}, "rtt": "40ms", "duration": "5s", "jitter": 0, "sample": 0} | fields
    return wt.run(parse(document), backend=backend).flows.to_dicts()[-1]


def test_a_lone_transfer_takes_as_long_as_in_the_simulator() -> None:
    """To 0.5 %: the guest's clock steps by 256 ns, and the processors on either side of a link take their turns."""
    for segments in (1, 10, 40):
        fields = {"flows": [f"reno,start=1s,bytes={segments * 1448},handshake=true"]}
        ours, theirs = (transfer(backend, **fields)["completed_s"] - 1 for backend in ("sim", "linux"))
        assert theirs == pytest.approx(ours, rel=0.005), segments


def test_who_joins_a_queue_of_300_ms_does_not_time_out() -> None:
    """A window of 267 packets holds 320 ms at 10 Mbit/s. Twice that and ten packets, to a packet's time and 1 %."""
    fields: dict[str, Any] = {
        "bottleneck": {"rate": "10Mbit", "queue": 1000},
        "rtt": "20ms",
        "duration": "10s",
        "flows": ["reno,window=267", "reno,start=5s,bytes=14480,handshake=true"],
    }
    ours, theirs = (transfer(backend, **fields) for backend in ("sim", "linux"))
    assert ours["timeouts"] == theirs["timeouts"] == 0
    assert theirs["completed_s"] - 5 == pytest.approx(ours["completed_s"] - 5, rel=0.01, abs=0.0012)


def test_a_syn_without_an_answer_counts_as_a_timeout() -> None:
    """RFC 6298 2.1, 5.5: the SYN of 1 s is sent again after 1 s and 2 s more; the link carries nothing until 4.5 s, and keeps all three."""
    fields: dict[str, Any] = {
        "bottleneck": {"rate": "100Mbit", "queue": 1000, "outages": ["0.5s=4s"]},
        "flows": ["reno,start=1s,bytes=14480,handshake=true"],
        "duration": "6s",
    }
    ours, theirs = (transfer(backend, **fields) for backend in ("sim", "linux"))
    assert ours["timeouts"] == theirs["timeouts"] == 2
    assert theirs["completed_s"] == pytest.approx(ours["completed_s"], abs=0.001)
