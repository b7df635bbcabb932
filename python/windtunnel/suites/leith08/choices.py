"""What the 2008 study of hybrid algorithms leaves open, and what it might have been."""

from windtunnel.experiment import Alternative, Choice, Point
from windtunnel.scenario import Scenario
from windtunnel.suites.leith08.friendliness import EVERY_S, STALL_S
from windtunnel.suites.leith08.interruptions import OVERLOAD
from windtunnel.suites.varying import Change, on_each, transport


def _burst(times_the_link: float) -> Change:
    def change(scenario: Scenario, _point: Point) -> Scenario:
        rate_bps = times_the_link * scenario.bottleneck.rate_bps
        return scenario.model_copy(update={"traffic": tuple(one.model_copy(update={"rate_bps": rate_bps}) for one in scenario.traffic)})

    return change


def _reverse(algorithm: str | None) -> Change:
    def change(scenario: Scenario, point: Point) -> Scenario:
        update = {"algorithm": algorithm or point["alg"]}
        flows = tuple(flow.model_copy(update=update) if flow.direction == "reverse" else flow for flow in scenario.flows)
        return scenario.model_copy(update={"flows": flows})

    return change


def _ends_at(duration_s: float) -> Change:
    return lambda scenario, _point: scenario.model_copy(update={"duration_s": duration_s})


def _stopping(length_s: float) -> Change:
    """Return a change of how long hosts stop each time; not at all for 0."""

    def change(scenario: Scenario, _point: Point) -> Scenario:
        if scenario.host is None:
            return scenario
        stalls = tuple(one.model_copy(update={"length_s": length_s}) for one in scenario.host.stalls) if length_s > 0 else ()
        return scenario.model_copy(update={"host": scenario.host.model_copy(update={"stalls": stalls})})

    return change


BURST = Choice(
    "burst-rate",
    "the rate of the datagrams that interrupt a flow",
    f"{OVERLOAD:g} times the link's",
    "They must keep everything else off the link; at exactly its rate the phase of two clocks would decide what gets in.",
    (
        Alternative("the link's", _burst(1.0)),
        Alternative("1.1 times the link's", _burst(1.1)),
        Alternative("twice the link's", _burst(2.0)),
    ),
)
COUNTING = Choice(
    "byte-counting",
    "whether a delayed ACK counts for the two packets it covers",
    "it counts for both (RFC 3465)",
    "So the group's 2007 benchmark did, and the paper says Reno grows by one packet per round trip.",
    (Alternative("it counts once", transport(abc="off")),),
)
OUTLIER = Choice(
    "rtt-outlier",
    "how long the paper's hosts stopped, which makes an RTT sample wrong",
    f"{STALL_S * 1e3:g} ms every {EVERY_S:g} s",
    "The paper lays its result to RTT samples above all others, and gives no number; 10 ms are the turn of a task in Linux 2.6.23.",
    (Alternative("never", _stopping(0.0)), Alternative("4 ms", _stopping(0.004)), Alternative("15 ms, the queue's size", _stopping(0.015))),
)
REVERSE = Choice(
    "reverse-protocol",
    "the protocol of the long flow in reverse",
    "reno",
    "The study compares the others with it.",
    (Alternative("cubic", _reverse("cubic")), Alternative("that of the flow under study", _reverse(None))),
)
DURATION = Choice(
    "duration",
    "how long two flows run after one took the base round-trip time for too long",
    "600 s",
    "Friendliness is shown over as long.",
    (Alternative("300 s", _ends_at(300.0)), Alternative("1800 s", _ends_at(1800.0))),
)

_BURSTS = ("leith08.fig1", "leith08.fig2a", "leith08.fig2b")
CHOICES = on_each(
    {
        BURST: _BURSTS,
        COUNTING: (
            *_BURSTS,
            *(f"leith08.{name}" for name in ("fig3", "fig4", "fig5", "fig6", "fig7", "fig8b", "fig9a", "fig9b", "fig11")),
        ),
        OUTLIER: ("leith08.fig8a",),
        REVERSE: ("leith08.fig10",),
        DURATION: ("leith08.fig11",),
    }
)
