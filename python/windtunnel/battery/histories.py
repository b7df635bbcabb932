"""Histories that a controller must survive: runs of the real transport, each full of one kind of trouble."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windtunnel.battery.sampling import SAMPLE_S
from windtunnel.run import Run
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.scenario import algorithm as known

LEAST_ACKS = 100_000
"""ACKs of each kind."""
MOST_RUNS = 40
"""Runs of one kind; a controller that sends next to nothing gets no more ACKs than these give."""
RATE_BPS, RTT_S, DURATION_S, FLOWS = 200e6, 0.004, 6.0, 4


@dataclass(frozen=True)
class History:
    """A kind of trouble.

    Parameters
    ----------
    name : str
        What it is called.
    what : str
        One line.
    make : callable of (str, int) to Scenario
        The run of an algorithm with a seed; it records every ACK.
    happened : callable of Run to int
        How often the trouble came up.
    """

    name: str
    what: str
    make: Callable[[str, int], Scenario]
    happened: Callable[[Run], int]


def _path(algorithm: str, seed: int, link: dict[str, Any], **flow: Any) -> Scenario:
    flows = tuple(Flow(algorithm=algorithm, rtt_s=RTT_S * (1 + n), start_s=0.05 * n, **flow) for n in range(FLOWS))
    given: dict[str, Any] = {"rate_bps": RATE_BPS, "queue_bdp": 1.0}
    bottleneck = Bottleneck(**(given | link))
    return Scenario(bottleneck=bottleneck, flows=flows, duration_s=DURATION_S, sample_s=SAMPLE_S, per_ack=True, seed=seed)


def _feedback(algorithm: str) -> str:
    """Return the feedback of marks that a controller asks for, or RFC 3168's."""
    found = known(algorithm)
    return "auto" if found is not None and list(found.signals or ())[:1] == ["ecn"] else "classic"


def _counted(column: str) -> Callable[[Run], int]:
    return lambda run: int(run.flows[column].fill_null(0).sum())


def _pauses(run: Run) -> int:
    acks = run.acks
    assert acks is not None
    return sum(int((own["t_s"].diff() > 0.05).sum()) for own in acks.partition_by("flow"))


HISTORIES = (
    History("calm", "queues that overflow now and then", lambda alg, seed: _path(alg, seed, {}), _counted("loss_episodes")),
    History(
        "loss",
        "one packet in a hundred is lost, alone and in bursts",
        lambda alg, seed: _path(
            alg,
            seed,
            {
                "loss_probability": 0.005,
                "losses": [{"model": "gilbert-elliott", "to_bad": 0.001, "to_good": 0.2, "loss_bad": 0.5, "loss_good": 0.0}],
            },
        ),
        _counted("loss_episodes"),
    ),
    History(
        "reordering",
        "one packet in fifty arrives one to two round trips late, one in a hundred twice",
        lambda alg, seed: _path(alg, seed, {"reorder_probability": 0.02, "reorder_s": 0.008, "duplicate_probability": 0.01}),
        _counted("retransmitted_packets"),
    ),
    History(
        "timeouts",
        "the link carries nothing for 0.4 s out of every 1.5 s",
        lambda alg, seed: _path(alg, seed, {"outages": [{"at_s": 0.7 + 1.5 * n, "length_s": 0.4} for n in range(4)]}),
        _counted("timeouts"),
    ),
    History(
        "undo",
        "the path is 0.5 s longer for a while, so that timeouts prove spurious",
        lambda alg, seed: _path(
            alg,
            seed,
            {
                "delay_steps": [
                    {"at_s": at_s, "extra_s": extra_s} for n in range(4) for at_s, extra_s in ((0.6 + 1.4 * n, 0.5), (1.3 + 1.4 * n, 0.0))
                ]
            },
        ),
        _counted("undos"),
    ),
    History(
        "idle",
        "the application writes for 0.3 s and pauses for 0.7 s",
        lambda alg, seed: _path(alg, seed, {}, on_s=0.3, off_s=0.7),
        _pauses,
    ),
    History(
        "application limits",
        "the application writes a chunk every 50 ms, at half its share",
        lambda alg, seed: _path(alg, seed, {}, app_rate_bps=RATE_BPS / FLOWS / 2, chunk_s=0.05),
        lambda run: run.flows.height,
    ),
    History(
        "ecn",
        "the queue marks above a fifth of a round trip's packets",
        lambda alg, seed: _path(alg, seed, {"mark_bdp": 0.2, "queue_bdp": 2.0}, transport={"ecn": _feedback(alg)}),
        _counted("marked_packets"),
    ),
)
"""Those there are: a new one is one entry."""
