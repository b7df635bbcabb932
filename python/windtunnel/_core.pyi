"""The native core: the simulator, its catalogue and its conformance replay. Only `windtunnel.backends.sim` imports it."""

from typing import Any

def catalogue() -> str:
    """Return the catalogue as JSON: engine_version, algorithms, profiles, transport_options."""

def check(spec_json: str) -> None:
    """Check a resolved scenario without running it.

    Raises
    ------
    ValueError
        One line naming field, value and allowed range.
    """

def conform(text: str, file: str) -> str:
    """Replay one file of kernel vectors; return the report as JSON: file, algorithm, rows, rows_matched, first_mismatch.

    Raises
    ------
    ValueError
        One line, when the file is damaged or its algorithm is not implemented.
    """

def run(spec_json: str, digest: str | None = None) -> dict[str, dict[str, Any]]:
    """Run a resolved scenario with the interpreter lock released.

    A broken invariant of the engine, which is a bug, raises pyo3's PanicException; its message names the time, the seed and the digest.

    Returns
    -------
    dict
        Frame name (flows, flow_samples, link_samples, links, events, acks when asked; sources and source_samples, further rows of flows and
        flow_samples) to columns (arrays of shape (rows,), or lists of text), and `counters` (data_packets, events, wall_s, cpu_s). NaN
        marks what is absent.

    Raises
    ------
    ValueError
        One line naming field, value and allowed range.
    KeyboardInterrupt
        When interrupted.
    """
