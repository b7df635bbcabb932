"""The tables of the study of 2003, of the user's own path: means of repeats with their standard errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.stats import summarise


@dataclass(frozen=True)
class Table:
    """A table: what it shows, which runs, which figures.

    Parameters
    ----------
    title, source : str
        Of it, and where the study has it.
    beside : tuple of str
        Of which kinds of runs.
    figures : tuple of (str, str)
        Name of a figure (`windtunnel.measure.found.figures`), and its column's heading.
    """

    title: str
    source: str
    beside: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]


RTTS = (
    ("rtt_ms_min", "shortest RTT (ms)"),
    ("rtt_ms_mean", "mean RTT (ms)"),
    ("rtt_ms_max", "longest RTT (ms)"),
    ("ping_ms_mean", "mean ping (ms)"),
    ("ping_ms_max", "longest ping (ms)"),
    ("ping_lost_percent", "pings lost (%)"),
)
TABLES = (
    Table(
        "Throughput",
        "Table 1, Fig. 3",
        ("alone",),
        (("goodput_mbps", "goodput (Mbit/s)"), ("stability", "stability index"), ("retransmitted_percent", "sent again (%)")),
    ),
    Table("Round-trip times beside the transfers", "section 4.1", ("alone",), RTTS),
    Table(
        "Processor time per bit",
        "section 4.2",
        ("alone",),
        (
            ("cpu_sender_process_ns_per_bit", "sender's process (ns)"),
            ("cpu_sender_machine_ns_per_bit", "sender's machine (ns)"),
            ("cpu_receiver_process_ns_per_bit", "receiver's process (ns)"),
            ("cpu_receiver_machine_ns_per_bit", "receiver's machine (ns)"),
        ),
    ),
    Table(
        "Beside datagrams that swing",
        "Figs. 2 and 4",
        ("sine",),
        (
            ("goodput_mbps", "goodput (Mbit/s)"),
            ("stability", "stability index"),
            ("udp_mbps", "datagrams (Mbit/s)"),
            ("udp_lost_percent", "datagrams lost (%)"),
        ),
    ),
    Table(
        "Beside traffic from the other side",
        "Table 4",
        ("reverse",),
        (("goodput_mbps", "goodput (Mbit/s)"), ("reverse_mbps", "from there (Mbit/s)")),
    ),
    Table(
        "Two transfers at once",
        "Tables 2 and 3",
        ("pair",),
        (("asymmetry", "asymmetry (first - second) / sum"), ("goodput_mbps", "goodput (Mbit/s)")),
    ),
)
"""Of Bullot, Cottrell, Hughes-Jones (J. Grid Computing 2003)."""
KEYS = ("alg", "window", "streams")


def groups(rows: Sequence[Mapping[str, Any]], beside: Iterable[str]) -> dict[tuple[Any, ...], list[Mapping[str, Any]]]:
    """Return the runs of some kinds by algorithm, window and streams, in their order."""
    found: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: (row["alg"], row["streams"], row["window"], row["repeat"])):
        if row["beside"] in beside:
            found.setdefault(tuple(row[key] for key in KEYS), []).append(row)
    return found


def as_data(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return every table that has runs as data: title, source, rows of figures, each with ``mean``, ``sem`` and ``n``."""
    found = []
    for table in TABLES:
        lines = []
        for key, runs in groups(rows, table.beside).items():
            line: dict[str, Any] = dict(zip(KEYS, key, strict=True))
            for name, _ in table.figures:
                values = [float(run[name]) for run in runs if run.get(name) is not None]
                one = summarise(values) if values else None
                line[name] = None if one is None else {"mean": one.mean, "sem": one.sem if len(values) > 1 else None, "n": len(values)}
            lines.append(line)
        if lines:
            found.append({"title": table.title, "source": table.source, "rows": lines})
    return found
