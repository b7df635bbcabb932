"""What the 2007 benchmark leaves open, and what it might have meant."""

from windtunnel.experiment import Alternative, Choice, Point
from windtunnel.scenario import Scenario
from windtunnel.suites.li07.rtt_fairness import LONG_RTT
from windtunnel.suites.paths import bdp_packets
from windtunnel.suites.varying import loss, on_each, parameters, queue, scaled_queue, ticks


def _of_shorter(_scenario: Scenario, point: Point) -> float:
    return float(point["q"]) * bdp_packets(point["rate"], min(LONG_RTT, point["rtt"]))


def _of_mean(_scenario: Scenario, point: Point) -> float:
    return float(point["q"]) * bdp_packets(point["rate"], (LONG_RTT + point["rtt"]) / 2)


QUEUE_OF_PATH = Choice(
    "queue-of-path",
    "the path whose BDP the queue is a fraction of, where two flows have different round-trip times",
    "the longer",
    "The longer path is the one that needs the queue.",
    (
        Alternative("the shorter", queue(_of_shorter)),
        Alternative("the mean of the two", queue(_of_mean)),
    ),
)
FAST_PERIOD = Choice(
    "fast-period",
    "how often FAST updates its window",
    "every other round trip",
    "So the 2004 prototype did; an update every round trip acts on a delay measured before its last step and never settles.",
    (Alternative("every round trip", parameters("fast", period=1)),),
)
FAST_ZERO_DELAY = Choice(
    "fast-zero-delay",
    "the queueing delay below which FAST takes its path for empty",
    "0.75 ms",
    "The paper says zero, and a measured delay is never zero.",
    (
        Alternative("0 ms", parameters("fast", mi_threshold=0.0)),
        Alternative("2 ms", parameters("fast", mi_threshold=2e-3)),
    ),
)
HTCP_RTT_SCALING = Choice(
    "htcp-rtt-scaling",
    "what H-TCP's scaling by the round-trip time is relative to",
    "100 ms, the scale within 0.1 to 2",
    "So the code of the time did; the paper prints the increase times the round-trip time, without a reference.",
    (
        Alternative("1 s, as printed", parameters("htcp", t_ref=1.0)),
        Alternative("no scaling", parameters("htcp", rtt_scaling=0)),
    ),
)
REFILL_QUEUE = Choice(
    "refill-queue",
    "the queue of the published transatlantic path",
    "1 % BDP",
    "With almost no queue a refill takes the time that the text's arithmetic gives it: half a pipe, half a packet per round trip.",
    (Alternative("5 % BDP", scaled_queue(5)), Alternative("20 % BDP", scaled_queue(20))),
)
PATH_LOSS = Choice(
    "path-loss",
    "how often the published transatlantic path lost a packet",
    "2.3e-7",
    "It is what the published 218 Mbit/s imply; the paper gives neither a number of losses nor their times.",
    (
        Alternative("none", loss(0.0)),
        Alternative("5e-8", loss(5e-8)),
        Alternative("6e-7, as from SLAC to Manchester in 2003", loss(6e-7)),
    ),
)
HTCP_BACKOFF = Choice(
    "htcp-backoff",
    "whether H-TCP's back-off adapted to the round-trip times in these runs",
    "it did",
    "Table II prints the threshold that switches it off; that the runs had it on is not said.",
    (Alternative("always half", parameters("htcp", adaptive_backoff=0)),),
)
CLOCK = Choice(
    "clock",
    "in what ticks ACKs were handled",
    "1 ms",
    "It is the timer of Linux 2.6, and what a dummynet router is run with; the paper gives none.",
    (Alternative("0.5 ms", ticks(5e-4)), Alternative("none", ticks(0.0))),
)

CHOICES = on_each(
    {
        REFILL_QUEUE: ("li07.fig1",),
        PATH_LOSS: ("li07.wan",),
        CLOCK: ("li07.ticks",),
        HTCP_BACKOFF: ("li07.fig11",),
        QUEUE_OF_PATH: ("li07.fig5", "li07.fig5q100"),
        FAST_PERIOD: ("li07.fig4", "li07.fig5", "li07.fig6", "li07.fig7", "li07.fig8", "li07.fig9", "li07.fig13"),
        FAST_ZERO_DELAY: ("li07.fig4", "li07.fig5", "li07.fig6", "li07.fig7", "li07.fig8", "li07.fig9", "li07.fig13"),
        HTCP_RTT_SCALING: ("li07.fig4", "li07.fig6", "li07.fig11", "li07.fig17"),
    }
)
