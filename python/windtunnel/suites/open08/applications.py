"""Section III: which applications notice the congestion control at all."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.open08.common import STACK, WAN, WAN_NOTE, WAN_RATE, WAN_RTTS_MS, wan
from windtunnel.suites.paths import bdp_packets

OBJECTS, OBJECT_BYTES, EVERY_S = 20, 25_000, 5.0
VIDEO_RATE = 5.0
VIDEO_BYTES = 60_000_000
BULK_BYTES = 1_000_000_000


def application(point: Point, draws: Draws) -> Scenario:
    """Return one application alone on the wide-area path: web objects one by one, a video its server limits, or a bulk transfer."""
    return wan(draws, _flows(point), duration_s=200.0, warmup_s=1.0)


def _flows(point: Point) -> list[Flow]:
    alg, app = point["alg"], point["app"]
    if app == "http":
        return [Flow(algorithm=alg, start_s=EVERY_S * number, bytes=OBJECT_BYTES) for number in range(OBJECTS)]
    if app == "video":
        window = round(bdp_packets(VIDEO_RATE, WAN_RTTS_MS[0]))
        return [Flow(algorithm=alg, bytes=VIDEO_BYTES, window_packets=window)]
    return [Flow(algorithm=alg, bytes=BULK_BYTES)]


EXPERIMENTS = (
    Experiment(
        id="open08.apps",
        title="Applications and the algorithm",
        question="Do web pages, a video and a bulk transfer take another time with another algorithm?",
        source="III (text)",
        points={"alg": ("cubic", "htcp"), "app": ("http", "video", "bulk")},
        scenario=application,
        measures=(Measure("completion_s"),),
        figures=(
            Histories(
                "bulk-cubic", "CUBIC: goodput of each application", quantity="goodput_mbps", panels="app", alg="cubic", y_label="Mbit/s"
            ),
            Histories(
                "bulk-htcp", "H-TCP: goodput of each application", quantity="goodput_mbps", panels="app", alg="htcp", y_label="Mbit/s"
            ),
        ),
        parameters=(
            *STACK,
            *WAN,
            ("http", "20 objects of 25 kB, a connection each, every 5 s"),
            ("video", f"60 MB, the sender's window capped at {VIDEO_RATE:g} of {WAN_RATE} Mbit/s"),
            ("bulk", "1 GB: several congestion epochs"),
        ),
        kept="all",
        quick=Quick(repeats=3),
        notes=(WAN_NOTE, "Sizes and the video's rate are ours. The paper's tests of programs and disks (FTP, rsync) are not repeated."),
    ),
)
