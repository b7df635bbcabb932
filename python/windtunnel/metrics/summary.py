"""The summary of a run: per flow, per link, and between flows."""

from __future__ import annotations

import math
from typing import Any

from windtunnel import native
from windtunnel.frames import pl
from windtunnel.metrics import fairness, rates
from windtunnel.metrics.applications import applications, are_grouped
from windtunnel.metrics.arrivals import transfers
from windtunnel.metrics.datagrams import connections, sources
from windtunnel.metrics.exchanges import exchanges
from windtunnel.metrics.pageloads import pages
from windtunnel.metrics.video import video
from windtunnel.records import Records
from windtunnel.records.names import written


def summary(records: Records) -> dict[str, Any]:
    """Summarise a run over its measurement window.

    Parameters
    ----------
    records : Records
        Records of the run.

    Returns
    -------
    dict
        `scenario`, `digest`, `records_digest`, `flows` and `links` (lists of dict), `metrics`, `engine`; `applications` (list of dict)
        where flows share one, `transfers`, `pages`, `exchanges`, `video` and `traffic` (lists of dict) where there are sources of
        transfers, sessions, flows with a client, flows of video and sources of datagrams.
        Units by suffix, None where something was not measured.
    """
    facts = records.facts
    return {
        "scenario": dict(facts.scenario),
        "digest": facts.digest,
        "records_digest": records.digest(),
        "flows": flow_rows(records),
        **({"applications": application_rows(records)} if are_grouped(records) else {}),
        **({"transfers": transfer_rows(records)} if records.transfers is not None else {}),
        **({"pages": page_rows(records)} if records.pages is not None else {}),
        **({"exchanges": exchange_rows(records)} if records.exchanges is not None else {}),
        **({"video": video_rows(records)} if records.video is not None else {}),
        **({"traffic": traffic} if (traffic := source_rows(records)) else {}),
        "links": link_rows(records),
        "metrics": metrics(records),
        "engine": {key: facts.counters.get(key) for key in ("data_packets", "events", "wall_s", "cpu_s")},
    }


def flow_rows(records: Records) -> list[dict[str, Any]]:
    """Return one row per flow; `algorithm` carries the variant where the scenario names one, `completion_s` is of flows with a size."""
    named = written(records.facts.scenario)
    completed = completions_s(records)
    flows = records.flows.with_columns(rates.throughput_bps(records.flows, records.facts.scenario), rates.goodput_bps(records.flows))
    columns = ["flow", "algorithm", "throughput_bps", "goodput_bps", "retransmitted_packets", "loss_episodes", "timeouts"]
    columns += ["mean_cwnd_packets", "mean_rtt_s"]
    rows = [_clean(row) for row in flows.select(columns).iter_rows(named=True)]
    for row, completion in zip(rows, completed, strict=True):
        if row["flow"] < len(named):
            row["algorithm"] = named[row["flow"]]
        row["completion_s"] = completion
    return rows


def completions_s(records: Records) -> list[float | None]:
    """Return each flow's completion time, seconds; None for a flow without a size and for one that did not complete.

    It is counted from the first SYN, as the metric of that name is: a flow starts with its first data, one base RTT after it.
    """
    given = list(records.facts.scenario.get("flows", ()))
    found: list[float | None] = []
    for flow, start_s, done_s in records.flows.select("flow", "start_s", "completed_s").iter_rows():
        listed = given[flow] if flow < len(given) else {}
        sized = listed.get("bytes") is not None and done_s is not None
        found.append(done_s - start_s + float(listed["rtt_s"]) if sized else None)
    return found


def application_rows(records: Records) -> list[dict[str, Any]]:
    """Return one row per application, single flows among them."""
    return [_clean(row) for row in applications(records).iter_rows(named=True)]


def transfer_rows(records: Records) -> list[dict[str, Any]]:
    """Return one row per source of transfers."""
    return [_clean(row) for row in transfers(records).iter_rows(named=True)]


def page_rows(records: Records) -> list[dict[str, Any]]:
    """Return one row per source of sessions."""
    return [_clean(row) for row in pages(records).iter_rows(named=True)]


def exchange_rows(records: Records) -> list[dict[str, Any]]:
    """Return one row per flow with a client."""
    return [_clean(row) for row in exchanges(records).iter_rows(named=True)]


def video_rows(records: Records) -> list[dict[str, Any]]:
    """Return one row per flow of video."""
    return [_clean(row) for row in video(records).iter_rows(named=True)]


def source_rows(records: Records) -> list[dict[str, Any]]:
    """Return one row per source of datagrams."""
    return [_clean(row) for row in sources(records).iter_rows(named=True)]


def link_rows(records: Records) -> list[dict[str, Any]]:
    """Return one row per link that has a queue."""
    columns = ["utilisation", "dropped_packets", "marked_packets", "mean_queue_packets", "max_queue_packets"]
    chosen = records.links.select(pl.col("name").alias("link"), *columns)
    return [_clean(row) for row in chosen.iter_rows(named=True)]


def metrics(records: Records) -> dict[str, Any]:
    """Return the metrics of the run as a whole.

    Fairness is between the flows of the forward direction (all flows when there is none), over those that had a measurement window;
    `jain_applications` counts the connections of one application as one. Sources of datagrams have no part in any of them.
    """
    flows = connections(records.flows)
    tcp = set(flows["flow"])
    warmup_s = float(records.facts.scenario.get("warmup_s") or 0.0)
    together = _application_fairness(records) if are_grouped(records) else {}
    measured_s = float(records.facts.scenario["duration_s"]) - warmup_s
    sent, again, sent_in_all, lost = (rates.doubles(flows, name) for name in _PACKETS)
    forward = (flows["direction"] == "forward").to_numpy()
    found = native.common(rates.delivered(flows, records.facts.scenario), (sent, again, sent_in_all, lost), forward, measured_s)
    return _clean(
        {
            "jain": found.pop("jain"),
            **together,
            **found,
            "epoch_s": rates.epochs_s(records.events, flows["flow"].to_list(), after_s=warmup_s),
            "completion_s": [done for flow, done in zip(records.flows["flow"], completions_s(records), strict=True) if flow in tcp],
        }
    )


_PACKETS = ("window_sent_packets", "window_retransmitted_packets", "sent_packets", "lost_packets")


def _application_fairness(records: Records) -> dict[str, Any]:
    rows = applications(records)
    forward = rows.filter(pl.col("direction") == "forward")
    return {"jain_applications": fairness.jain((forward if forward.height else rows)["throughput_bps"].drop_nulls().to_list())}


def _clean(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}
