"""A run as a notebook shows it: a small figure, a table of its flows, its notes."""

from __future__ import annotations

import base64
from html import escape

from windtunnel import metrics
from windtunnel.foreign import shown
from windtunnel.plots.figures import overview
from windtunnel.records import Records
from windtunnel.records.names import flow_words, path_words

MOST_ROWS = 12
"""Flows in the table; of more it says how many."""
_COLUMNS = (
    ("throughput_bps", "throughput (Mbit/s)", 1e-6),
    ("goodput_bps", "goodput (Mbit/s)", 1e-6),
    ("mean_rtt_s", "mean RTT (ms)", 1e3),
    ("mean_cwnd_packets", "mean cwnd (packets)", 1.0),
    ("retransmitted_packets", "retransmitted", 1.0),
)


def run_html(records: Records) -> str:
    """Return a run as HTML: what ran, the overview where it was sampled, a row per flow, and what was adjusted.

    Parameters
    ----------
    records : Records
        The run's.

    Returns
    -------
    str
        One element; the figure is inside it.
    """
    scenario = records.facts.scenario
    ran = f"{flow_words(scenario)}; {path_words(scenario)}; {scenario['duration_s']:g} s, seed {scenario['seed']}"
    parts = [f"<p><b>{escape(ran)}</b> <code>{records.facts.digest[:12]}</code></p>"]
    if not records.flows.is_empty() and not records.flow_samples.is_empty():
        picture = base64.b64encode(overview(records).png()).decode("ascii")
        parts.append(
            f'<img alt="window, goodput, RTT, queue and drops over time" style="max-width: 42em" src="data:image/png;base64,{picture}">'
        )
    rows = metrics.summary(records)["flows"]
    if rows:
        parts.append(_table(rows[:MOST_ROWS]))
    if len(rows) > MOST_ROWS:
        parts.append(f"<p>the first {MOST_ROWS} of {len(rows)} flows; run.flows has all</p>")
    parts += [f"<p>note: {escape(note)}</p>" for note in records.facts.notes]
    return f"<div>{''.join(parts)}</div>"


def _table(rows: list[dict[str, object]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in ("flow", "algorithm", *(title for _, title, _ in _COLUMNS)))
    lines = []
    for row in rows:
        numbers = [_number(row[name], factor) for name, _, factor in _COLUMNS]
        cells = [_counted(row["flow"]), escape(shown(str(row["algorithm"]))), *numbers]
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _counted(index: object) -> str:
    """Return what people call a flow: they are counted from 1, rows of frames from 0."""
    return str(index + 1) if isinstance(index, int) else ""


def _number(value: object, factor: float) -> str:
    return f"{value * factor:.4g}" if isinstance(value, int | float) else "-"
