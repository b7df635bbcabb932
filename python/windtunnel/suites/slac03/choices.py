"""What the SLAC study leaves open, and what it might have been."""

from windtunnel.experiment import Alternative, Choice, Point
from windtunnel.scenario import Scenario
from windtunnel.suites.paths import bdp_packets
from windtunnel.suites.prototype import FAST_CLOCK, FAST_ZERO_DELAY
from windtunnel.suites.slac03.common import SITES, packets
from windtunnel.suites.varying import loss, on_each, queue, scaled_queue, ticks


def _second_window(scenario: Scenario, point: Point) -> Scenario:
    limit = packets(SITES[point["site"]].windows[1])
    flows = tuple(flow.model_copy(update={"window_packets": limit}) for flow in scenario.flows)
    return scenario.model_copy(update={"flows": flows})


def _whole_buffer(scenario: Scenario, point: Point) -> Scenario:
    limit = int(point["win"].removesuffix("MB")) * 2**20
    return scenario.model_copy(update={"flows": tuple(flow.model_copy(update={"window_bytes": limit}) for flow in scenario.flows)})


def _one_bdp(scenario: Scenario, _point: Point) -> float:
    return bdp_packets(scenario.bottleneck.rate_bps / 1e6, (scenario.rtt_s or 0.0) * 1e3)


QUEUE = Choice(
    "queue",
    "the queue of the paths",
    "16 MB",
    "Sixteen streams with windows of 1 MB raised the ping to Caltech from 10 to 200 ms, which is 14.8 MB at 622 Mbit/s.",
    (
        Alternative("4 MB", scaled_queue(1 / 4)),
        Alternative("8 MB", scaled_queue(1 / 2)),
        Alternative("32 MB", scaled_queue(2)),
        Alternative("1 BDP of each path", queue(_one_bdp)),
    ),
)
LOSS = Choice(
    "loss",
    "how often the production network lost a packet",
    "6e-7",
    "It is what standard TCP's 78 Mbit/s to Manchester in Table 1 imply; no other cell is as clearly limited by losses.",
    (Alternative("2e-7", loss(2e-7)), Alternative("2e-6", loss(2e-6))),
)
WINDOW = Choice(
    "window-limit",
    "which window limits Table 3 is of",
    "the site's largest",
    "It limits least, and the paper asks how aggressive the stacks are.",
    (Alternative("the site's second", _second_window),),
)
RECEIVE_WINDOW = Choice(
    "receive-window",
    "how far a receive window grows in its socket buffer",
    "by the rule of Linux 2.4 for packets held in 16 kB",
    "The kernel is known; that its card held every packet in as much is inferred from the rate with packets of 1500 bytes.",
    (Alternative("to the buffer's own size", _whole_buffer),),
)
INTERRUPTS = Choice(
    "interrupts",
    "how often the sender's card interrupts it",
    "8000 times a second at most",
    "Drivers of gigabit cards allowed as much; the paper does not say.",
    (Alternative("at every ACK", ticks(0.0)), Alternative("1000 times a second", ticks(1e-3))),
)

_TABLES = ("slac03.tab1", "slac03.fig3", "slac03.tab2", "slac03.tab3", "slac03.tab4")
CHOICES = on_each(
    {
        QUEUE: (*_TABLES, "slac03.fig4", "slac03.fig5"),
        LOSS: (*_TABLES, "slac03.fig4", "slac03.fig5"),
        WINDOW: ("slac03.tab3",),
        RECEIVE_WINDOW: ("slac03.paix",),
        INTERRUPTS: ("slac03.txq",),
        FAST_ZERO_DELAY: _TABLES,
        FAST_CLOCK: _TABLES,
    }
)
