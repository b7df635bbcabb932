"""What the SLAC study leaves open, and what it might have been."""

from windtunnel.experiment import Alternative, Choice, Point
from windtunnel.scenario import Scenario
from windtunnel.suites.prototype import FAST_CLOCK, FAST_ZERO_DELAY
from windtunnel.suites.slac03.common import SITES, packets
from windtunnel.suites.varying import loss, on_each, scaled_queue


def _second_window(scenario: Scenario, point: Point) -> Scenario:
    limit = packets(SITES[point["site"]].windows[1])
    flows = tuple(flow.model_copy(update={"window_packets": limit}) for flow in scenario.flows)
    return scenario.model_copy(update={"flows": flows})


QUEUE = Choice(
    "queue",
    "the queue of the paths",
    "16 MB",
    "Sixteen streams with windows of 1 MB raised the ping to Caltech from 10 to 200 ms, which is 14.8 MB at 622 Mbit/s.",
    (
        Alternative("4 MB", scaled_queue(1 / 4)),
        Alternative("8 MB", scaled_queue(1 / 2)),
        Alternative("32 MB", scaled_queue(2)),
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

_TABLES = ("slac03.tab1", "slac03.fig3", "slac03.tab2", "slac03.tab3", "slac03.tab4")
CHOICES = on_each(
    {
        QUEUE: (*_TABLES, "slac03.fig4", "slac03.fig5"),
        LOSS: (*_TABLES, "slac03.fig4", "slac03.fig5"),
        WINDOW: ("slac03.tab3",),
        FAST_ZERO_DELAY: _TABLES,
        FAST_CLOCK: _TABLES,
    }
)
