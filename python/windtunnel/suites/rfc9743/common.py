"""What the experiments share: who may be judged, paths of one bottleneck, and what stands in an algorithm's place for comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windtunnel.experiment import Draws, Quick
from windtunnel.metrics import View, measured
from windtunnel.metrics.view import SETTLING_S
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.everyone import SUBJECTS as SUBJECTS
from windtunnel.suites.paths import bdp_packets, drawn_rtt_s, jitter_s

UNASKED = ("cubic",)
"""Which is judged where none is named."""
STANDARD = ("reno", "cubic")
"""Of RFC 5681 and RFC 9438."""
DEPLOYED = ("bbr", "bbr3")
REPEATS = 10
PLACES = ("it", "own")
"""Who stands beside the others: the algorithm that is judged, or one more of their own kind, whose harm is the baseline."""
NETWORK = (
    ("network", "dumbbell, one drop-tail queue, 1500-byte packets; ACKs delayed by up to one packet time"),
    ("stack", "profile linux-6.1 for every flow; only the algorithm is swapped"),
)
NAMED = {"place": "In its place", "n": "Flows", "case": "Case", "opponent": "Beside", "mix": "It : others"}


def link(rate_mbps: float, rtt_ms: float, q: float, **given: Any) -> Bottleneck:
    """Return a bottleneck whose queue holds `q` BDP, at least two packets; `given` are further fields of it."""
    packets = max(2, round(q * bdp_packets(rate_mbps, rtt_ms)))
    return Bottleneck.model_validate({"rate_bps": rate_mbps * 1e6, "queue_packets": packets, **given})


def laid_out(bottleneck: Bottleneck, flows: Sequence[Flow], draws: Draws, *, rtt_ms: float, duration_s: float, **given: Any) -> Scenario:
    """Return a run over a bottleneck, counted from ten seconds after the last start.

    Parameters
    ----------
    bottleneck : Bottleneck
        The only one.
    flows : sequence of Flow
        Those without an `rtt_s` have the path's.
    draws : Draws
        Of the repeat: by how much less than half a packet time the path differs from its nominal delay.
    rtt_ms : float
        Base round-trip time of the path, ms.
    duration_s : float
        Length of the run, s.
    given
        Further fields of the scenario.
    """
    jitter = jitter_s(bottleneck.rate_bps / 1e6, rtt_ms)
    last_s = max((one.start_s for one in flows), default=0.0)
    fields = {"sample_s": 0.1, "jitter_s": jitter, "warmup_s": last_s + SETTLING_S, **given}
    return Scenario.model_validate(
        {
            "bottleneck": bottleneck,
            "flows": tuple(flows),
            "rtt_s": drawn_rtt_s(rtt_ms, jitter=jitter, draws=draws),
            "duration_s": duration_s,
            **fields,
        }
    )


def flow(name: str, start_s: float = 0.0, **given: Any) -> Flow:
    """Return a flow of an algorithm; of a whole stack, ``cubic@quinn``."""
    law, _, stack = name.partition("@")
    return Flow.model_validate({"algorithm": law, "start_s": round(start_s, 4), **({"stack": stack} if stack else {}), **given})


def starts_s(draws: Draws, number: int, span_s: float = 1.0) -> list[float]:
    """Return when a number of flows start, drawn within a span, s."""
    return [span_s * draws.uniform(f"start of flow {one}") for one in range(number)]


def in_minutes(**points: Sequence[Any]) -> Quick:
    """Return the quick scale of an experiment: these values of its dimensions, and the fewest repeats that make a verdict."""
    return Quick(points=points, repeats=3, note="At the quick scale three repeats: intervals are wide.")


def goodput_mbps(view: View, flows: Sequence[int]) -> float | None:
    """Return the mean goodput of some flows in the counted window, Mbit/s; None where there are none."""
    rows = [view.row(one) for one in flows]
    if not rows or any(row["window_goodput_bytes"] is None for row in rows):
        return None
    total = float(sum(row["window_goodput_bytes"] for row in rows))
    return total * 8e-6 / (view.duration_s - float(view.scenario["warmup_s"])) / len(rows)


def crossing_ms(view: View) -> float | None:
    """Return the median time of the transfers of at most 100 kB that began after the warm-up, ms; one that did not end is endless."""
    rows = view.passing.filter((view.passing["bytes"] <= 100_000) & (view.passing["start_s"] >= float(view.scenario["warmup_s"])))
    if not rows.height:
        return None
    found = sorted(float("inf") if value is None else float(value) for value in rows["completion_s"])
    return found[len(found) // 2] * 1e3


def wait_ms(view: View) -> float | None:
    """Return the mean time that a packet waits in the bottleneck's queue, ms: the time mean of the queue at the link's rate."""
    packets = measured("queue_pkts", view)
    return None if packets is None or isinstance(packets, str) else packets * view.packet_s * 1e3
