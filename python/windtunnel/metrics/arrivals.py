"""Results per source of transfers: how long they took."""

from __future__ import annotations

from windtunnel.frames import pl
from windtunnel.metrics.completions import columns, counts, is_done, since_warmup, times
from windtunnel.records import Records

_PACKET_BYTES = 1500
_PAYLOAD_BYTES = 1448


def transfers(records: Records) -> pl.DataFrame:
    """Return one row per source, arrivals before sessions, over the transfers that began after the warm-up.

    Parameters
    ----------
    records : Records
        Records of the run.

    Returns
    -------
    polars.DataFrame
        `source`, `algorithm`, `direction`; how many `transfers`, and how many of them `unfinished` at the end; of those that finished
        `bytes` (payload), `completion_s_mean`, `completion_s_median`, `completion_s_p95`, `completion_s_p99` (seconds from begin to the
        last ACK) and `slowdown_mean`; of all `retransmitted_packets` and `timeouts`. Null where nothing finished.

    Notes
    -----
    A transfer's slowdown is its completion time over that of the same bytes in one burst on the empty path: its base RTT, and its whole
    packets at the link's rate. Quantiles are interpolated linearly. Source: N. Dukkipati, N. McKeown, "Why flow-completion time is the
    right metric for congestion control", CCR 36(1), 2006, for the time; M. Alizadeh et al., "pFabric", SIGCOMM 2013, for the slowdown,
    there called normalised FCT.
    """
    scenario = records.facts.scenario
    given = (*scenario.get("arrivals", ()), *scenario.get("sessions", ()))
    rows = records.transfers
    if rows is None or not given:
        return pl.DataFrame(schema=_SCHEMA)
    rates = [float(scenario["reverse" if source["direction"] == "reverse" else "bottleneck"]["rate_bps"]) for source in given]
    named = pl.DataFrame(
        {
            "source": range(len(given)),
            "algorithm": [source["algorithm"] for source in given],
            "direction": [source["direction"] for source in given],
            "rate_bps": rates,
        },
        schema={"source": pl.UInt32(), "algorithm": pl.String(), "direction": pl.String(), "rate_bps": pl.Float64()},
    )
    packets = (pl.col("bytes") + _PAYLOAD_BYTES - 1) // _PAYLOAD_BYTES
    alone_s = pl.col("rtt_s") + packets * (8 * _PACKET_BYTES) / pl.col("rate_bps")
    measured = since_warmup(rows, records).join(named, on="source", how="left")
    summed = measured.group_by("source").agg(
        *counts("transfers"),
        pl.col("bytes").filter(is_done()).sum(),
        *times("completion_s"),
        (pl.col("completion_s") / alone_s).mean().alias("slowdown_mean"),
        pl.col("retransmitted_packets").sum(),
        pl.col("timeouts").sum(),
    )
    counted = ("transfers", "unfinished", "bytes", "retransmitted_packets", "timeouts")
    table = named.join(summed, on="source", how="left").with_columns(pl.col(*counted).fill_null(0))
    return table.select(pl.col(name).cast(dtype) for name, dtype in _SCHEMA.items()).sort("source")


_SCHEMA: dict[str, pl.DataType] = {
    "source": pl.UInt32(),
    "algorithm": pl.String(),
    "direction": pl.String(),
    "transfers": pl.UInt64(),
    "unfinished": pl.UInt64(),
    "bytes": pl.UInt64(),
    **columns("completion_s"),
    "slowdown_mean": pl.Float64(),
    "retransmitted_packets": pl.UInt64(),
    "timeouts": pl.UInt64(),
}
