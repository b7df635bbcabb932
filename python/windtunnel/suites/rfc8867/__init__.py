"""RFC 8867: video whose rate follows its connection, beside changes of capacity, itself and TCP."""

from windtunnel.suites.rfc8867.criteria import FOLLOWED

TITLE = "RFC 8867 (January 2021): test cases for congestion control of interactive media"
ORDER = tuple(f"rfc8867.{name}" for name in ("variable", "several", "feedback", "same", "rtt", "long", "short", "pause", "ecn", "hops"))
METRICS = {
    "frame_ms": ("ms", "mean over the frames that arrived, from the capture until all of a frame was at the receiver; worst flow of video"),
    "frame_p95_ms": ("ms", "95th percentile of the same, worst flow of video"),
    "lost_frames": (
        "fraction",
        "frames that were skipped, or had not arrived after 400 ms, of all that were captured; worst flow of video",
    ),
    "media_loss": ("fraction", "packets of video that the path dropped, of those sent"),
    "media_mbps": ("Mbit/s", "mean goodput of the video flows together"),
    "media_use": (
        "fraction",
        "goodput of the forward flows over what they could have got: the capacity less headers and audio, or what video wants",
    ),
    "rise_s": ("s", "time after a rise of capacity until a second's goodput of video is 80 % of what it could be, worst rise"),
    "calm_s": ("s", "time after a fall of capacity until a second's frames take at most 300 ms more than the one-way delay, worst fall"),
    "share_20s": ("fraction", "smallest over largest goodput of the video flows in windows of 20 s, the worst window"),
    "share_5s": ("fraction", "the same in windows of 5 s"),
    "tcp_share": ("fraction", "goodput of the TCP flow over an equal share of what it and the video got"),
    "first_share": ("fraction", "goodput of the flow over all hops over that of the smaller of the others"),
    "page_s_mean": ("s", "mean time of the short TCP transfers"),
}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["FOLLOWED", "METRICS", "ORDER", "TITLE"]
