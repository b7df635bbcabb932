"""What the experiments of L4S share: flows, links, and how their rates and delays are measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from windtunnel.experiment import Draws
from windtunnel.metrics import View
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.paths import jitter_s

SUBJECTS = ("prague", "dctcp", "cubic")
"""Prague is asked about; DCTCP is what came before it, and CUBIC what is there. Others join with --alg."""
SCALABLE = ("prague", "dctcp")
FIRST_S, LAST_S = 120.0, 180.0
"""The last of three minutes is measured, as in the published tests."""
SAMPLE_S = 0.02
STACK = ("stack", "Linux 6.1's; Prague and DCTCP ask for L4S (ECT(1) and feedback of every mark), CUBIC for classic ECN (ECT(0))")
HEADINGS = {"queue": "queue", "other": "other flow", "rtts": "RTTs (ms)"}


def flow(name: str, draws: Draws, number: int, **given: Any) -> Flow:
    """Return a flow that starts in the first tenth of a second: a scalable one with L4S, any other with classic ECN."""
    ecn = given.pop("ecn", "l4s" if name in SCALABLE else "classic")
    begin = round(0.1 * draws.uniform(f"start of flow {number}"), 4)
    return Flow.model_validate({"algorithm": name, "start_s": begin, "transport": {"ecn": ecn}, **given})


def link(queue: str, rate_mbps: float, packets: int, **given: Any) -> Bottleneck:
    """Return a bottleneck under a discipline, ``codel,target=1ms`` with parameters; its limit is that of the published tests."""
    return Bottleneck.model_validate({"rate_bps": rate_mbps * 1e6, "queue_packets": packets, "discipline": queue, **given})


def scenario(bottleneck: Bottleneck, flows: tuple[Flow, ...], *, rtt_ms: float, **given: Any) -> Scenario:
    """Return three minutes of these flows, the last of them measured; `rtt_ms` is that of flows which name none."""
    fields = {"rtt_s": rtt_ms * 1e-3, "duration_s": LAST_S, "warmup_s": FIRST_S, "sample_s": SAMPLE_S, **given}
    fields.setdefault("jitter_s", min(1e-3, jitter_s(bottleneck.rate_bps * 1e-6, rtt_ms)))
    return Scenario.model_validate({"bottleneck": bottleneck, "flows": flows, **fields})


def rate_mbps(view: View, number: int, t0: float = FIRST_S, t1: float = LAST_S) -> float | None:
    """Return a flow's goodput between two times, Mbit/s."""
    rows = view.series(number)
    if not rows.t_s.size:
        return None
    at = np.interp((t0, t1), rows.t_s, np.nan_to_num(rows.delivered_bytes))
    return float(at[1] - at[0]) * 8e-6 / (t1 - t0)


def share(view: View) -> float | None:
    """Return the goodput of the first flow over that of both, in the last minute."""
    one, two = rate_mbps(view, 0), rate_mbps(view, 1)
    return None if one is None or two is None or not one + two else one / (one + two)


def group_rate(view: View, *, scalable: bool) -> float | None:
    """Return the mean goodput of the flows that use L4S, or of all others, Mbit/s."""
    wanted = [number for number, one in enumerate(view.scenario["flows"]) if (one["transport"].get("ecn") == "l4s") == scalable]
    rates = [rate_mbps(view, number) for number in wanted]
    known = [one for one in rates if one is not None]
    return sum(known) / len(known) if known else None


def waited_ms(view: View, number: int, level: float | None = None, t0: float = FIRST_S, t1: float = LAST_S) -> float | None:
    """Return how long a flow's packets waited by its smoothed RTT less the base RTT, ms: the mean, or a quantile of the samples."""
    rows = view.series(number)
    inside = rows.srtt_s[(rows.t_s >= t0) & (rows.t_s <= t1)]
    inside = inside[np.isfinite(inside)]
    if not inside.size:
        return None
    seen = float(inside.mean() if level is None else np.quantile(inside, level))
    return max(seen - view.base_rtt_s(number), 0.0) * 1e3
