"""A kernel of 6.12 or newer, where one is built: its receiver, and the profile that stands for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.linux import segments, stimuli, store
from windtunnel.backends.linux.profiles import numbers
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

PACKET_S = 1500 * 8 / 10e6
DATA = Path(__file__).parents[2] / "data" / "kernel-segments" / "recorded-6.12"


@pytest.fixture(scope="module")
def newer() -> store.Kernel:
    """The newest kernel whose stack is that of 6.12."""
    found = [one for one in store.kernels() if numbers(one.version) >= (6, 12)]
    if not found:
        pytest.skip("no kernel of 6.12 or newer is built: windtunnel kernel build --source /usr/src/linux-source-6.12.tar.xz")
    return found[0]


def run(kernel: store.Kernel, made: Scenario) -> Records:
    return backend(f"linux:{kernel.digest}").run(made)


def test_a_window_stays_as_its_flow_limits_it(newer: store.Kernel) -> None:
    link = {"rate": "10Mbit", "queue": 35}
    made = Scenario(bottleneck=link, flows=["reno,window=20"], rtt="42ms", jitter=0, warmup="2s", duration="10s")
    row = run(newer, made).flows.row(0, named=True)
    # Twenty packets each RTT of 42 ms, a transmission, and what ACKs of two packets wait for the second: between 0 and 2 packet times.
    slowest, fastest = (20 / (0.042 + packets * PACKET_S) for packets in (3, 1))
    assert slowest <= row["window_delivered_packets"] / 8.0 <= fastest


def delivered(records: Any) -> dict[float, float]:
    return {round(row["t_s"], 6): row["delivered_bytes"] / 1448 for row in records.flow_samples.rows(named=True)}


def test_slow_start_is_that_of_its_profile_to_the_packet_and_not_of_the_older_one(newer: store.Kernel) -> None:
    made = Scenario(
        bottleneck={"rate": "250Mbit", "queue": 175},
        flows=["reno"],
        rtt="42ms",
        jitter=0,
        duration="269ms",
        sample="1ms",
        profile="linux-6.12",
    )
    kernels = delivered(run(newer, made))
    older, own = (delivered(Simulator().run(made.model_copy(update={"profile": name}))) for name in ("linux-6.1", "linux-6.12"))
    times = [t for t in kernels if t in own]
    assert len(times) > 250
    # A sample in the guest may find an ACK just before it or just behind it: one of two segments.
    assert max(abs(kernels[t] - own[t]) for t in times) <= 2
    assert max(abs(kernels[t] - older[t]) for t in times) > 2


def test_the_stored_recordings_can_be_made_again_to_the_byte(newer: store.Kernel) -> None:
    stored = (DATA / "htcp.txt").read_text(encoding="utf-8")
    if f"# Linux {newer.version}," not in stored:
        pytest.skip(f"the recordings are of another kernel than {newer.version}")
    assert segments.play(newer, stimuli.scripts("htcp")[:10]) in stored
