"""The tables of a run: its flows, what they carried, its links and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windtunnel.cli.output import print_table
from windtunnel.foreign import shown


def print_run(summary: dict[str, Any]) -> None:
    """Print the tables of a run's summary.

    Flows are counted from 1 as in figures, claims and reports; in frames and JSON they are numbered from 0.

    Parameters
    ----------
    summary : dict
        As `Run.summary` has it.
    """
    if summary["flows"]:
        _print_flows(summary["flows"], has_sizes=any(flow["bytes"] is not None for flow in summary["scenario"]["flows"]))
    for part, print_part in _PARTS.items():
        if part in summary:
            print_part(summary[part])
    heads = ["link", "utilisation", "dropped (packets)", "marked (packets)", "mean queue (packets)", "max queue (packets)"]
    print_table("Links", heads, [tuple(row.values()) for row in summary["links"]])
    print_table("Metrics", ["metric", "value"], list(summary["metrics"].items()))
    engine = summary["engine"]
    events = "" if engine["events"] is None else f" {engine['events']} events,"
    print(f"{engine['data_packets']} packets,{events} {engine['wall_s']:.3g} s; scenario {summary['digest'][:12]}")


def _print_flows(flows: list[dict[str, Any]], *, has_sizes: bool) -> None:
    rows = [
        (
            row["flow"] + 1,
            shown(row["algorithm"]),
            _scaled(row["throughput_bps"], 1e-6),
            _scaled(row["goodput_bps"], 1e-6),
            row["retransmitted_packets"],
            row["loss_episodes"],
            row["timeouts"],
            row["mean_cwnd_packets"],
            _scaled(row["mean_rtt_s"], 1e3),
            *([row["completion_s"]] if has_sizes else ()),
        )
        for row in flows
    ]
    heads = ["flow", "algorithm", "throughput (Mbit/s)", "goodput (Mbit/s)", "retransmitted", "loss episodes", "timeouts"]
    print_table("Flows", [*heads, "mean cwnd (packets)", "mean RTT (ms)", *(["completion (s)"] if has_sizes else [])], rows, is_cut=True)


def _print_applications(applications: list[dict[str, Any]]) -> None:
    rows = [
        (
            shown(row["algorithm"]),
            row["flows"],
            row["first_flow"] + 1,
            _scaled(row["throughput_bps"], 1e-6),
            _scaled(row["goodput_bps"], 1e-6),
            row["retransmitted_packets"],
        )
        for row in applications
    ]
    heads = ["algorithm", "flows", "first flow", "throughput (Mbit/s)", "goodput (Mbit/s)", "retransmitted"]
    print_table("Applications", heads, rows)


def _print_transfers(sources: list[dict[str, Any]]) -> None:
    times = ("completion_s_mean", "completion_s_median", "completion_s_p95", "completion_s_p99")
    rows = [
        (
            row["source"],
            shown(row["algorithm"]),
            row["transfers"],
            row["unfinished"],
            *(_scaled(row[name], 1e3) for name in times),
            row["slowdown_mean"],
            row["retransmitted_packets"],
            row["timeouts"],
        )
        for row in sources
    ]
    heads = ["source", "algorithm", "transfers", "unfinished", "mean time (ms)", "median (ms)", "p95 (ms)", "p99 (ms)"]
    print_table("Transfers", [*heads, "mean slowdown", "retransmitted", "timeouts"], rows)


def _print_pages(sources: list[dict[str, Any]]) -> None:
    times = ("completion_s_mean", "completion_s_median", "completion_s_p95", "completion_s_p99")
    counts = ("source", "connections", "pages", "unfinished", "objects_mean")
    rows = [(*(row[name] for name in counts), *(_scaled(row[name], 1e3) for name in times)) for row in sources]
    heads = ["source", "connections", "pages", "unfinished", "mean objects", "mean time (ms)", "median (ms)", "p95 (ms)", "p99 (ms)"]
    print_table("Pages", heads, rows)


def _print_exchanges(flows: list[dict[str, Any]]) -> None:
    times = ("response_s_mean", "response_s_median", "response_s_p95", "response_s_p99")
    counts = ("exchanges", "unfinished", "bytes_mean")
    rows = [
        (row["flow"] + 1, *(row[name] for name in counts), *(_scaled(row[name], 1e3) for name in times), row["repeats"]) for row in flows
    ]
    heads = ["flow", "exchanges", "unfinished", "mean response (bytes)", "mean time (ms)", "median (ms)", "p95 (ms)", "p99 (ms)"]
    print_table("Requests and responses", [*heads, "repeated requests"], rows)


def _print_video(flows: list[dict[str, Any]]) -> None:
    times = ("frame_s_mean", "frame_s_median", "frame_s_p95", "frame_s_p99")
    rows = [
        (row["flow"] + 1, row["frames"], row["skipped"], _scaled(row["rate_bps_mean"], 1e-6), *(_scaled(row[name], 1e3) for name in times))
        for row in flows
    ]
    heads = ["flow", "frames", "skipped", "encoded (Mbit/s)", "mean delay (ms)", "median (ms)", "p95 (ms)", "p99 (ms)"]
    print_table("Video", heads, rows)


def _print_datagrams(sources: list[dict[str, Any]]) -> None:
    counts = ("sent_packets", "delivered_packets", "lost_packets")
    rows = [(row["flow"] + 1, _scaled(row["throughput_bps"], 1e-6), *(row[name] for name in counts)) for row in sources]
    print_table("Datagrams", ["flow", "throughput (Mbit/s)", "sent", "delivered", "lost (packets)"], rows)


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


_PARTS: dict[str, Callable[[list[dict[str, Any]]], None]] = {
    "applications": _print_applications,
    "transfers": _print_transfers,
    "pages": _print_pages,
    "exchanges": _print_exchanges,
    "video": _print_video,
    "traffic": _print_datagrams,
}
"""What only some runs have, by its name in the summary, in the order of the tables."""
