"""The paths and the traffic of the gate, each a cell: what is run, and which quantities are judged there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from windtunnel.experiment import Draws
from windtunnel.gate import measures as m
from windtunnel.gate.measures import Quantity
from windtunnel.gate.subject import Subject
from windtunnel.scenario import Scenario

SAMPLE_S = 0.1
"""A kernel knows its RTT from samples only; the simulator counts it."""
EARLY_S = 2.0
"""Flows start at random within this time, so that none is the newcomer."""


@dataclass(frozen=True)
class Part:
    """Flows of one kind in a cell.

    Parameters
    ----------
    alg : str, optional
        A built-in algorithm beside the one under test; the one under test when absent.
    count : int
        How many, each with a start of its own.
    start_s : tuple of float
        Each starts at random within these seconds.
    fields : mapping of str to object
        More of each flow, as `Flow` takes it.
    """

    alg: str | None = None
    count: int = 1
    start_s: tuple[float, float] = (0.0, EARLY_S)
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """One path with its traffic.

    Parameters
    ----------
    name : str
        As baselines, margins and ``--only`` write it.
    title : str
        For a reader, in words.
    rate, rtt, queue : str
        Of the bottleneck and of flows that name no RTT.
    end_s, warmup_s : float
        Length of the run, and where the window of all quantities begins, seconds.
    quantities : tuple of Quantity
        What is judged.
    parts : tuple of Part
        The flows, those under test first.
    link : mapping of str to object
        More of the bottleneck, as `Bottleneck` takes it.
    arrivals : mapping of str to object, optional
        A source of transfers of the algorithm under test, as `Arrivals` takes it.
    reverse : bool
        Whether the flows of the last part go in reverse, through a link of the same rate and queue.
    """

    name: str
    title: str
    rate: str
    rtt: str
    queue: str
    end_s: float
    warmup_s: float
    quantities: tuple[Quantity, ...]
    parts: tuple[Part, ...] = (Part(),)
    link: Mapping[str, Any] = field(default_factory=dict)
    arrivals: Mapping[str, Any] | None = None
    reverse: bool = False

    @property
    def own(self) -> int:
        """How many of the flows are under test."""
        return sum(part.count for part in self.parts if part.alg is None)

    def scenario(self, controller: Subject, draws: Draws) -> Scenario:
        """Return what is run of it in one repeat.

        Raises
        ------
        ScenarioError
            When the controller cannot be set so.
        """
        flows = []
        for number, part in enumerate(self.parts):
            goes = {"direction": "reverse"} if self.reverse and number == len(self.parts) - 1 else {}
            for one in range(part.count):
                low, high = part.start_s
                start_s = round(low + (high - low) * draws.uniform(f"{self.name}: start {number}.{one}"), 6)
                who = dict(controller.fields) if part.alg is None else {"algorithm": part.alg}
                flows.append({**who, "start_s": start_s, **goes, **part.fields})
        transfers = [] if self.arrivals is None else [{**controller.fields, **self.arrivals}]
        return Scenario(
            bottleneck={"rate": self.rate, "queue": self.queue, **self.link},
            flows=flows,
            arrivals=transfers,
            rtt=self.rtt,
            duration_s=self.end_s,
            warmup_s=self.warmup_s,
            sample_s=SAMPLE_S,
        )


_ALONE = (m.GOODPUT, m.DELAY, m.RESENT)
_BESIDE = (m.OWN, m.LEFT, m.RESENT)
_WEB = {"load": 0.5, "mean_bytes": 60_000, "max_bytes": 2_000_000}

CELLS = (
    Cell("slow", "one flow on 10 Mbit/s, 40 ms, queue of one BDP", "10Mbit", "40ms", "100%bdp", 60, 20, _ALONE),
    Cell("bloated", "one flow on 10 Mbit/s, 40 ms, queue of ten BDP", "10Mbit", "40ms", "1000%bdp", 60, 20, (m.GOODPUT, m.DELAY)),
    Cell("shallow", "one flow on 100 Mbit/s, 40 ms, queue of a tenth of a BDP", "100Mbit", "40ms", "10%bdp", 30, 10, _ALONE),
    Cell("long", "one flow on 50 Mbit/s, 200 ms, queue of one BDP", "50Mbit", "200ms", "100%bdp", 60, 20, _ALONE),
    Cell("fast", "one flow on 1 Gbit/s, 10 ms, queue of half a BDP", "1Gbit", "10ms", "50%bdp", 8, 3, _ALONE),
    Cell(
        "start",
        "a transfer of 10 MB on 100 Mbit/s, 60 ms, queue of half a BDP",
        *("100Mbit", "60ms", "50%bdp", 20, 0),
        (m.DONE, m.RESENT),
        (Part(fields={"bytes": 10_000_000}),),
    ),
    Cell(
        "start-long",
        "a transfer of 5 MB on 50 Mbit/s, 200 ms, queue of one BDP",
        *("50Mbit", "200ms", "100%bdp", 20, 0),
        (m.DONE, m.RESENT),
        (Part(fields={"bytes": 5_000_000}),),
    ),
    Cell(
        "loss",
        "random loss of 0.1 % on 50 Mbit/s, 40 ms",
        "50Mbit",
        "40ms",
        "100%bdp",
        40,
        10,
        (m.GOODPUT,),
        link={"loss_probability": 1e-3},
    ),
    Cell(
        "heavy-loss",
        "random loss of 3 % on 10 Mbit/s, 40 ms",
        *("10Mbit", "40ms", "100%bdp", 120, 10),
        (m.GOODPUT,),
        link={"loss_probability": 0.03},
    ),
    Cell("pair", "two flows on 50 Mbit/s, 40 ms", "50Mbit", "40ms", "100%bdp", 60, 20, (*_ALONE, m.BALANCE), (Part(count=2),)),
    Cell(
        "latecomer",
        "a second flow joins on 50 Mbit/s, 40 ms: ten to thirty seconds after",
        *("50Mbit", "40ms", "100%bdp", 45, 25),
        (m.BALANCE,),
        (Part(), Part(start_s=(14.0, 16.0))),
    ),
    Cell(
        "rtts",
        "flows of 20 and of 100 ms on 50 Mbit/s",
        *("50Mbit", "100ms", "50%bdp", 60, 20),
        (m.BALANCE, m.GOODPUT),
        (Part(fields={"rtt": "20ms"}), Part()),
    ),
    Cell(
        "many",
        "twenty flows on 100 Mbit/s, 40 ms, queue of half a BDP",
        "100Mbit",
        "40ms",
        "50%bdp",
        25,
        10,
        (*_ALONE, m.BALANCE),
        (Part(count=20),),
    ),
    Cell(
        "beside-reno",
        "beside Reno on 50 Mbit/s, 40 ms, queue of one BDP",
        "50Mbit",
        "40ms",
        "100%bdp",
        60,
        15,
        _BESIDE,
        (Part(), Part("reno")),
    ),
    Cell(
        "beside-cubic",
        "beside CUBIC on 50 Mbit/s, 40 ms, queue of one BDP",
        "50Mbit",
        "40ms",
        "100%bdp",
        60,
        15,
        _BESIDE,
        (Part(), Part("cubic")),
    ),
    Cell(
        "beside-reno-shallow",
        "beside Reno on 50 Mbit/s, 40 ms, queue of a fifth of a BDP",
        *("50Mbit", "40ms", "20%bdp", 60, 15),
        _BESIDE,
        (Part(), Part("reno")),
    ),
    Cell(
        "beside-cubic-deep",
        "beside CUBIC on 20 Mbit/s, 40 ms, queue of four BDP",
        *("20Mbit", "40ms", "400%bdp", 90, 20),
        _BESIDE,
        (Part(), Part("cubic")),
    ),
    Cell(
        "transfers",
        "transfers of some 60 kB that load 50 Mbit/s, 40 ms by half",
        *("50Mbit", "40ms", "100%bdp", 40, 0),
        (m.TRANSFER, m.TRANSFER_P95, m.TRANSFER_P99, m.TIMEOUTS),
        (),
        arrivals=_WEB,
    ),
    Cell(
        "transfers-beside",
        "the same at a tenth of the rate beside a long flow of CUBIC",
        *("50Mbit", "40ms", "100%bdp", 40, 0),
        (m.TRANSFER, m.TRANSFER_P95, m.TRANSFER_P99, m.TIMEOUTS, m.LEFT),
        (Part("cubic"),),
        arrivals={**_WEB, "load": 0.1},
    ),
    Cell(
        "transfers-loss",
        "the same on a path that loses 2 %",
        *("50Mbit", "40ms", "100%bdp", 40, 0),
        (m.TRANSFER, m.TRANSFER_P95, m.TIMEOUTS),
        (),
        {"loss_probability": 0.02},
        {**_WEB, "load": 0.2},
    ),
    Cell(
        "rate-up",
        "ten seconds from where 20 Mbit/s become 100, 40 ms",
        *("20Mbit", "40ms", "333", 25, 15),
        (m.GOODPUT,),
        link={"rate_steps": ["15s=100Mbit"]},
    ),
    Cell(
        "rate-down",
        "ten seconds from where 100 Mbit/s become 20, 40 ms",
        *("100Mbit", "40ms", "333", 25, 15),
        (m.GOODPUT, m.DELAY, m.RESENT),
        link={"rate_steps": ["15s=20Mbit"]},
    ),
    Cell(
        "delay-step",
        "twenty seconds from where 40 ms become 80, 50 Mbit/s",
        *("50Mbit", "40ms", "100%bdp", 35, 15),
        (m.GOODPUT,),
        link={"delay_steps": ["15s=40ms"]},
    ),
    Cell(
        "outage",
        "nothing passes for two seconds, and the ten seconds from its beginning, 50 Mbit/s, 40 ms",
        *("50Mbit", "40ms", "100%bdp", 22, 12),
        (m.GOODPUT,),
        link={"outages": ["12s=2s"]},
    ),
    Cell(
        "codel",
        "two flows behind CoDel on 50 Mbit/s, 40 ms",
        *("50Mbit", "40ms", "400%bdp", 40, 10),
        (m.GOODPUT, m.DELAY, m.RESENT),
        (Part(count=2),),
        link={"discipline": "codel"},
    ),
    Cell(
        "reordering",
        "one packet of a hundred comes 5 ms late, 50 Mbit/s, 40 ms",
        *("50Mbit", "40ms", "100%bdp", 40, 10),
        (m.GOODPUT, m.RESENT),
        link={"reorder_probability": 0.01, "reorder_s": 0.005},
    ),
    Cell(
        "two-way",
        "a flow each way on 50 Mbit/s, 40 ms",
        *("50Mbit", "40ms", "100%bdp", 40, 10),
        (m.GOODPUT, m.DELAY, m.RESENT),
        (Part(), Part("cubic")),
        reverse=True,
    ),
    Cell(
        "pulses",
        "an application that writes for a second and is silent for one, 50 Mbit/s, 40 ms",
        *("50Mbit", "40ms", "100%bdp", 40, 10),
        (m.GOODPUT, m.RESENT),
        (Part(fields={"on_s": 1.0, "off_s": 1.0}),),
    ),
)
"""What every plan runs."""

WIDE = (
    Cell(
        "gigabit",
        "two flows on 1 Gbit/s, 60 ms, queue of a fifth of a BDP",
        "1Gbit",
        "60ms",
        "20%bdp",
        60,
        20,
        (*_ALONE, m.BALANCE),
        (Part(count=2),),
    ),
    Cell(
        "gigabit-beside-cubic",
        "beside CUBIC on 1 Gbit/s, 60 ms, queue of one BDP",
        *("1Gbit", "60ms", "100%bdp", 60, 20),
        _BESIDE,
        (Part(), Part("cubic")),
    ),
    Cell("ten-gigabit", "one flow on 10 Gbit/s, 20 ms, queue of half a BDP", "10Gbit", "20ms", "50%bdp", 12, 4, _ALONE),
)
"""What the longest plan runs besides."""
