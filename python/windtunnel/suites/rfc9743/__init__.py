"""RFC 9743, "Specifying New Congestion Control Algorithms": its evaluation criteria, for one algorithm that is given."""

from windtunnel.suites.rfc9743.criteria import FOLLOWED

TITLE = "RFC 9743 (BCP 133), Specifying New Congestion Control Algorithms: its evaluation criteria"
ORDER = tuple(
    f"rfc9743.{name}"
    for name in (
        *("collapse", "feedback", "bufferbloat", "selfloss", "itself", "short", "harm", "starvation", "media"),
        *("tunnels", "wired", "wireless", "aqm", "policer", "delay", "iot", "satellite", "reordering", "transients", "incast"),
    )
)

METRICS = {
    "after_second": ("packets", "carried from one second after the last feedback to the end of the cut"),
    "back_s": ("s", "from a change until the link carries 90 % of its rate for half a second"),
    "crossing_ms": ("ms", "median time of transfers of at most 100 kB that began after the warm-up"),
    "drain_s": ("s", "from a change until the queue is at most half full"),
    "frame_p95_ms": ("ms", "95th percentile, over frames of video, from the capture until all of a frame is at the receiver"),
    "least": ("1", "goodput of the flow with least, over an equal share"),
    "long_mbps": ("Mbit/s", "goodput of the long flow"),
    "others_loss": ("fraction", "sent again over sent, of the flows beside the judged one's"),
    "others_mbps": ("Mbit/s", "mean goodput of the flows beside the judged one's"),
    "per_rtt": ("packets", "sent per base round trip"),
    "qdelay_rtts": ("1", "mean wait in the queue over the base round trip"),
    "share": ("fraction", "goodput of the judged flow over that of both"),
    "skipped": ("fraction", "frames of video that were not encoded, because too much waited"),
    "slowest_ms": ("ms", "99th percentile of completion times"),
    "spacing": ("1", "smallest ratio of a gap between packets to the gap before it, in the cut"),
    "video_mbps": ("Mbit/s", "goodput of the video"),
    "wait_ms": ("ms", "mean wait in the bottleneck's queue"),
    "worst": ("1", "least goodput in any 5 s over half the link"),
}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["FOLLOWED", "METRICS", "ORDER", "TITLE"]
