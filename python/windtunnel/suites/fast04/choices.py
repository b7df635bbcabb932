"""What the FAST study leaves open, and what it might have been."""

from windtunnel.experiment import Alternative, Choice, Point
from windtunnel.scenario import Scenario
from windtunnel.suites.prototype import FAST_CLOCK, FAST_ZERO_DELAY
from windtunnel.suites.varying import Change, on_each, parameters, scaled_queue, ticks, transport


def _stray(mbps: float) -> Change:
    def change(scenario: Scenario, _point: Point) -> Scenario:
        return scenario.model_copy(update={"traffic": tuple(one.model_copy(update={"rate_bps": mbps * 1e6}) for one in scenario.traffic)})

    return change


FAST_PERIOD = Choice(
    "fast-period",
    "how often FAST updates its window",
    "every other round trip",
    "So the prototype of that year did; an update every round trip acts on a delay measured before its last step.",
    (Alternative("every round trip", parameters("fast", period=1)),),
)
FAST_PACING = Choice(
    "fast-pacing",
    "whether FAST spreads its packets by a timer of its own",
    "each of them",
    "Its authors describe control of bursts as a part of FAST; whether the prototype of these runs had it is not said.",
    (
        Alternative("bursts of at most three", parameters("fast", pacing=3)),
        Alternative("it sends as ACKs come", parameters("fast", pacing=0)),
    ),
)
QUEUE = Choice(
    "queue",
    "the queue, where the paper gives none",
    "2000 packets",
    "It is within the paper's own sweep, and holds what the FAST flows keep there.",
    (Alternative("1000 packets", scaled_queue(1 / 2)), Alternative("4000 packets", scaled_queue(2))),
)
KEPT_THRESHOLD = Choice(
    "kept-threshold",
    "whether a connection started from the slow-start threshold that an earlier one had left",
    "it did not",
    "Linux 2.4 keeps one with the route; whether it was flushed between runs is not said.",
    (Alternative("a quarter of the path, 3333 packets", transport(initial_ssthresh=3333)),),
)
CLOCK = Choice(
    "clock",
    "in what ticks the router's clock hands on packets",
    "1 ms",
    "It is what dummynet's manual asks for; the clock of the paper's router is not given.",
    (
        Alternative("125 us, the interrupts of a card", ticks(1.25e-4)),
        Alternative("10 ms, the kernel's own", ticks(0.01)),
    ),
)
STRAY = Choice(
    "stray-udp",
    "the rate of the UDP flow that ran by mistake",
    "341.5 Mbit/s",
    "Half of the path's capacity is what each of two such flows got of it before.",
    (Alternative("68 Mbit/s", _stray(68.0)), Alternative("100 Mbit/s", _stray(100.0)), Alternative("1 Gbit/s", _stray(1000.0))),
)
TRANSMIT_QUEUE = Choice(
    "transmit-queue",
    "the queue on the way to Japan",
    "10000 packets",
    "It is the transmit queue of the paper's senders.",
    (Alternative("2000 packets", scaled_queue(0.2)), Alternative("500 packets", scaled_queue(0.05))),
)

_FAST = ("fast04.fig2", "fast04.fig3", "fast04.fig4", "fast04.fig5", "fast04.fig8", "fast04.fig13", "fast04.fig15")
CHOICES = on_each(
    {
        FAST_ZERO_DELAY: (*_FAST, "fast04.ticks"),
        FAST_PERIOD: (*_FAST, "fast04.ticks"),
        FAST_CLOCK: _FAST,
        FAST_PACING: ("fast04.ticks",),
        KEPT_THRESHOLD: ("fast04.fig2", "fast04.fig3", "fast04.fig4"),
        CLOCK: ("fast04.ticks",),
        STRAY: ("fast04.fig14", "fast04.fig15"),
        TRANSMIT_QUEUE: ("fast04.haystack",),
        QUEUE: ("fast04.fig5", "fast04.fig12", "fast04.fig13", "fast04.fig15"),
    }
)
