"""Sources of datagrams in the records: rows like flows', of the algorithm `udp`, without anything TCP has."""

from __future__ import annotations

from windtunnel.frames import pl
from windtunnel.metrics import rates
from windtunnel.records import Records

UDP = rates.UDP


def connections(flows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of TCP flows: fairness and loss are theirs, no source's.

    Parameters
    ----------
    flows : polars.DataFrame, shape (flows, ...)
        The records' frame `flows`.

    Returns
    -------
    polars.DataFrame
        The same without the sources of datagrams.
    """
    return flows.filter(pl.col("algorithm") != UDP)


def sources(records: Records) -> pl.DataFrame:
    """Return one row per source of datagrams.

    Parameters
    ----------
    records : Records
        Records of the run.

    Returns
    -------
    polars.DataFrame
        `flow`, `direction`, `throughput_bps` and `goodput_bps` over the measurement window; `sent_packets`, `delivered_packets`,
        `lost_packets` over the whole run. Empty when there are no sources.
    """
    flows = records.flows.filter(pl.col("algorithm") == UDP)
    flows = flows.with_columns(rates.throughput_bps(flows), rates.goodput_bps(flows))
    return flows.select("flow", "direction", "throughput_bps", "goodput_bps", "sent_packets", "delivered_packets", "lost_packets")
