"""What the paper of open questions leaves open, and what it might have been."""

from windtunnel.experiment import Alternative, Choice, Point
from windtunnel.scenario import Scenario
from windtunnel.suites.open08.common import WAN_RTTS_MS
from windtunnel.suites.varying import Change, on_each, scaled_queue


def _rtt(longer_ms: float) -> Change:
    """Shift the round-trip time of the wide-area path; its queue stays."""

    def change(scenario: Scenario, _point: Point) -> Scenario:
        assert scenario.rtt_s is not None
        return scenario.model_copy(update={"rtt_s": round(scenario.rtt_s + longer_ms * 1e-3, 9)})

    return change


def _increase_rtt(rtt_s: float) -> Change:
    def change(scenario: Scenario, _point: Point) -> Scenario:
        return scenario.model_copy(update={"flows": tuple(flow.model_copy(update={"rtt_s": rtt_s}) for flow in scenario.flows)})

    return change


WAN_RTT = Choice(
    "wan-rtt",
    "the round-trip time from Hamilton to Caltech",
    f"{WAN_RTTS_MS[0]:g} to {WAN_RTTS_MS[1]:g} ms",
    "Such a path takes about as long; the paper names its ends only.",
    (Alternative("40 ms less", _rtt(-40.0)), Alternative("40 ms more", _rtt(40.0))),
)
WAN_QUEUE = Choice(
    "wan-queue",
    "the queue of the wide-area path",
    "1 BDP",
    "It is the rule of thumb for routers, and what the paper's own testbed has in Figure 1.",
    (Alternative("0.25 BDP", scaled_queue(1 / 4)), Alternative("2 BDP", scaled_queue(2))),
)
DSL_QUEUE = Choice(
    "dsl-queue",
    "the queue of the home line",
    "75 packets (0.3 s)",
    "0.3 s is the deep queue of a home line.",
    (Alternative("25 packets", scaled_queue(1 / 3)), Alternative("150 packets", scaled_queue(2))),
)
INCREASE_RTT = Choice(
    "increase-rtt",
    "the round-trip time at which H-TCP's increase is drawn",
    "100 ms",
    "At 100 ms its scaling by the round-trip time does nothing.",
    (Alternative("90 ms", _increase_rtt(0.09)), Alternative("110 ms", _increase_rtt(0.11))),
)

_WAN = ("open08.apps", "open08.fig8", "open08.fig9", "open08.fig10a")
CHOICES = on_each({WAN_RTT: _WAN, WAN_QUEUE: _WAN, DSL_QUEUE: ("open08.fig10b",), INCREASE_RTT: ("open08.fig3",)})
