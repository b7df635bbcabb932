"""What a link delivered, as a trace in mahimahi's format: a run's outcome as another run's link."""

from __future__ import annotations

import numpy as np

from windtunnel.frames import pl
from windtunnel.records import Records
from windtunnel.scenario import ScenarioError

_OPPORTUNITY_BYTES = 1500
_MS = 1e3


def check_sampling(sample_s: float) -> None:
    """Refuse samples that do not fall on every whole millisecond.

    Raises
    ------
    ScenarioError
        When they do not.
    """
    per_ms = 0.0 if sample_s <= 0 else 1 / (sample_s * _MS)
    if per_ms < 1 - 1e-9 or abs(per_ms - round(per_ms)) > 1e-9:
        raise ScenarioError("sample_s", f"{sample_s:g} s is too long, or no part of a millisecond; allowed: 1ms, or a whole part of it")


def deliveries_ms(records: Records, link: str = "forward") -> tuple[int, ...]:
    """Return what a link delivered after the warm-up, as opportunities to deliver 1500 bytes.

    Parameters
    ----------
    records : Records
        Records of a run, sampled every millisecond or more often.
    link : str
        The link's name.

    Returns
    -------
    tuple of int
        Ascending milliseconds since the end of the warm-up (rounded up to a whole one), each that by whose end another 1500 bytes, of any
        packets, had left. The last is the end of the run, where a trace starts over: an opportunity is added there if none falls on it.

    Raises
    ------
    ScenarioError
        When there is no such link, the samples are too far apart or nothing was measured, or nothing was delivered.

    Notes
    -----
    Source of the format: Netravali et al., "Mahimahi: accurate record-and-replay for HTTP", USENIX ATC 2015. A link that plays a trace
    and is kept busy gives that trace back.
    """
    scenario = records.facts.scenario
    sample_s = float(scenario["sample_s"])
    check_sampling(sample_s)
    names = records.links["name"].to_list()
    if link not in names:
        raise ScenarioError("link", f"{link!r} is none of this run; allowed: {', '.join(names)}")
    begin = int(np.ceil(float(scenario.get("warmup_s") or 0.0) * _MS - 1e-6))
    end = int(np.floor(float(scenario["duration_s"]) * _MS + 1e-6))
    rows = records.link_samples.filter(pl.col("link") == names.index(link))
    per_ms = round(1 / (sample_s * _MS))
    at_ms = np.rint(rows["t_s"].to_numpy() * _MS * per_ms).astype(np.int64)
    counted = rows["delivered_bytes"]
    if counted.null_count() or not {begin * per_ms, end * per_ms} <= set(at_ms.tolist()):
        raise ScenarioError("link_samples", f"say not for every millisecond what {link} delivered; allowed: samples of the whole run")
    whole = (at_ms % per_ms == 0) & (at_ms >= begin * per_ms) & (at_ms <= end * per_ms)
    total = counted.to_numpy().astype(np.int64)[whole]
    fresh = np.diff((total - total[0]) // _OPPORTUNITY_BYTES)
    if not fresh.sum():
        raise ScenarioError("link", f"{link} delivered no 1500 bytes after the warm-up; allowed: a link with traffic")
    found = np.repeat(np.arange(1, end - begin + 1), fresh).tolist()
    return tuple(found) if found[-1] == end - begin else (*found, end - begin)
