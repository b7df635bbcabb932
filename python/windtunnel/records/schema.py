"""The columns every backend writes: names, units by suffix, types. What a backend could not measure is null, never zero."""

from __future__ import annotations

import polars as pl

SCHEMA_VERSION = 4
READABLE_VERSIONS = (2, 3, 4)
"""Folders of these versions are read: version 3 only adds the frame of transfers, version 4 those of pages and hosts, and `LATER`."""

FLOWS: dict[str, pl.DataType] = {
    "flow": pl.UInt32(),
    "algorithm": pl.String(),
    "variant": pl.String(),
    "direction": pl.String(),
    "start_s": pl.Float64(),
    "end_s": pl.Float64(),
    "delivered_bytes": pl.UInt64(),
    "delivered_packets": pl.UInt64(),
    "sent_packets": pl.UInt64(),
    "retransmitted_packets": pl.UInt64(),
    "lost_packets": pl.UInt64(),
    "marked_packets": pl.UInt64(),
    "loss_episodes": pl.UInt64(),
    "timeouts": pl.UInt64(),
    "undos": pl.UInt64(),
    "completed_s": pl.Float64(),
    "window_s": pl.Float64(),
    "window_delivered_packets": pl.UInt64(),
    "window_goodput_bytes": pl.UInt64(),
    "window_sent_packets": pl.UInt64(),
    "window_retransmitted_packets": pl.UInt64(),
    "mean_cwnd_packets": pl.Float64(),
    "mean_rtt_s": pl.Float64(),
    "host": pl.UInt32(),
    "send_stalls": pl.UInt64(),
    "receive_window_bytes": pl.UInt64(),
}
LATER = {"flows": ("host", "send_stalls", "receive_window_bytes")}
"""Columns that frames did not always have: in a digest only where something was measured, so that older runs keep theirs."""
FLOW_SAMPLES: dict[str, pl.DataType] = {
    "t_s": pl.Float64(),
    "flow": pl.UInt32(),
    "cwnd_packets": pl.Float64(),
    "ssthresh_packets": pl.Float64(),
    "srtt_s": pl.Float64(),
    "min_rtt_s": pl.Float64(),
    "inflight_packets": pl.Float64(),
    "delivered_bytes": pl.UInt64(),
    "retransmitted_packets": pl.UInt64(),
    "pacing_rate_bps": pl.Float64(),
    "state": pl.UInt8(),
}
LINK_SAMPLES: dict[str, pl.DataType] = {
    "t_s": pl.Float64(),
    "link": pl.UInt32(),
    "queue_packets": pl.UInt64(),
    "queue_bytes": pl.UInt64(),
    "delivered_bytes": pl.UInt64(),
    "dropped_packets": pl.UInt64(),
    "marked_packets": pl.UInt64(),
}
LINKS: dict[str, pl.DataType] = {
    "link": pl.UInt32(),
    "name": pl.String(),
    "utilisation": pl.Float64(),
    "mean_queue_packets": pl.Float64(),
    "max_queue_packets": pl.UInt64(),
    "delivered_bytes": pl.UInt64(),
    "dropped_packets": pl.UInt64(),
    "lost_packets": pl.UInt64(),
    "marked_packets": pl.UInt64(),
    "window_delivered_bytes": pl.UInt64(),
    "window_dropped_packets": pl.UInt64(),
    "window_marked_packets": pl.UInt64(),
}
TRANSFERS: dict[str, pl.DataType] = {
    "source": pl.UInt32(),
    "start_s": pl.Float64(),
    "rtt_s": pl.Float64(),
    "bytes": pl.UInt64(),
    "completion_s": pl.Float64(),
    "sent_packets": pl.UInt64(),
    "retransmitted_packets": pl.UInt64(),
    "timeouts": pl.UInt64(),
}
"""One row per transfer of a source, in the order in which they began; `completion_s` is how long it took, null where it is unfinished."""
PAGES: dict[str, pl.DataType] = {
    "source": pl.UInt32(),
    "session": pl.UInt32(),
    "start_s": pl.Float64(),
    "objects": pl.UInt64(),
    "bytes": pl.UInt64(),
    "completion_s": pl.Float64(),
}
"""One row per page of a session, in the order in which they began; `completion_s` from its first object's begin to its last byte's ACK."""
HOST_SAMPLES: dict[str, pl.DataType] = {
    "t_s": pl.Float64(),
    "host": pl.UInt32(),
    "busy_s": pl.Float64(),
}
"""Processors of senders' hosts: time at work from the start of the run, in the host's own clock."""
EVENTS: dict[str, pl.DataType] = {
    "t_s": pl.Float64(),
    "flow": pl.Int32(),
    "link": pl.Int32(),
    "kind": pl.String(),
    "value": pl.Float64(),
    "value2": pl.Float64(),
}
ACKS: dict[str, pl.DataType] = {
    "t_s": pl.Float64(),
    "flow": pl.UInt32(),
    "cwnd": pl.Float64(),
    "una": pl.UInt64(),
    "inflight": pl.Float64(),
}
FRAMES: dict[str, dict[str, pl.DataType]] = {
    "flows": FLOWS,
    "flow_samples": FLOW_SAMPLES,
    "link_samples": LINK_SAMPLES,
    "links": LINKS,
    "events": EVENTS,
    "acks": ACKS,
    "transfers": TRANSFERS,
    "pages": PAGES,
    "host_samples": HOST_SAMPLES,
}
OPTIONAL_FRAMES = ("acks", "transfers", "pages", "host_samples")
"""Frames of runs that asked for them: ACKs one by one, sources of transfers, sessions, hosts whose processor costs something."""
OPEN_FRAMES = ("flow_samples",)
"""Frames that may carry further float columns: the algorithms' own variables."""
