"""Results per application: the connections of one added up."""

from __future__ import annotations

from windtunnel.frames import pl
from windtunnel.metrics import rates
from windtunnel.metrics.datagrams import connections
from windtunnel.records import Records

_SUMMED = ("throughput_bps", "goodput_bps", "retransmitted_packets", "loss_episodes", "timeouts", "mean_cwnd_packets")


def applications(records: Records) -> pl.DataFrame:
    """Return one row per application; a flow that belongs to none is one of its own.

    Parameters
    ----------
    records : Records
        Records of the run.

    Returns
    -------
    polars.DataFrame
        `algorithm` and `direction` (of its first flow), `flows` (how many), `first_flow`, then sums over its flows:
        `throughput_bps`, `goodput_bps`, `retransmitted_packets`, `loss_episodes`, `timeouts`, `mean_cwnd_packets`. Rates are means
        over each flow's own measurement window. In the order of their first flows.

    Notes
    -----
    Source: Bullot/Cottrell/Hughes-Jones 2003, who compare a parallel transfer as a whole with single flows.
    """
    given = records.facts.scenario.get("flows", ())
    named = [str(flow["algorithm"]) for flow in given]
    # A flow on its own gets a number that no application has: a negative one.
    number = [-1 - index if flow.get("application") is None else int(flow["application"]) for index, flow in enumerate(given)]
    whose = pl.DataFrame({"flow": range(len(named)), "algorithm": named, "application": number}, schema=_WHOSE)
    flows = connections(records.flows)
    flows = flows.with_columns(rates.throughput_bps(flows, records.facts.scenario), rates.goodput_bps(flows)).drop("algorithm")
    return (
        flows.join(whose, on="flow", how="left")
        .group_by("application", maintain_order=True)
        .agg(
            pl.col("algorithm", "direction").first(),
            pl.len().alias("flows"),
            pl.col("flow").first().alias("first_flow"),
            # Of an application of which nothing was measured the sum is unknown, not zero.
            *(pl.when(pl.col(name).count() > 0).then(pl.col(name).sum()).alias(name) for name in _SUMMED),
        )
        .drop("application")
    )


def are_grouped(records: Records) -> bool:
    """Whether any flow of the run shares an application with others."""
    return any(flow.get("application") is not None for flow in records.facts.scenario.get("flows", ()))


_WHOSE = {"flow": pl.UInt32(), "algorithm": pl.String(), "application": pl.Int64()}
