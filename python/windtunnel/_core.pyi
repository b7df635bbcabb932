"""The native core: scenarios, the simulator, its catalogue and its conformance replay. Only `windtunnel.native` imports it.

A scenario goes in as JSON: its fields as `windtunnel.scenario.Scenario` names them, those not given left out.
"""

from typing import Any

def catalogue() -> str:
    """Return the catalogue as JSON: engine_version, algorithms, profiles, transport_options."""

def canonical_json(scenario_json: str) -> str:
    """Return the canonical JSON of a scenario: sorted keys, no spaces, defaults filled in.

    Raises
    ------
    ValueError
        Two texts, field and problem.
    """

def check(scenario_json: str) -> None:
    """Check a scenario without running it.

    Raises
    ------
    ValueError
        Two texts: field and problem, or nothing and one line that names field, value and allowed range.
    """

def common(
    delivered: tuple[Any, Any, Any, Any, Any], packets: tuple[Any, Any, Any, Any], is_forward: Any, measured_s: float
) -> dict[str, float | None]:
    """Return what flows are together: jain, ratio_min_max, throughput_bps, goodput_bps, loss_overhead, lost_fraction.

    Parameters
    ----------
    delivered : tuple of array, each of shape (flows,)
        As `rates` takes it.
    packets : tuple of array, each of shape (flows,)
        Packets sent and retransmitted in the measurement window, sent and lost in the whole run.
    is_forward : array of bool, shape (flows,)
        Whether their data goes forward.
    measured_s : float
        Length of the whole measured time, seconds.
    """

def conform(text: str, file: str) -> str:
    """Replay one file of kernel vectors; return the report as JSON: file, algorithm, rows, rows_matched, first_mismatch.

    Raises
    ------
    ValueError
        One line, when the file is damaged or its algorithm is not implemented.
    """

def conform_rows(stimulus: str, rows: str, algorithm: str, variant: str | None) -> str:
    """Replay what a kernel answered segment by segment; return the report as JSON: rows, rows_matched, first_mismatch.

    Parameters
    ----------
    stimulus : str
        Text of a script in packetdrill's language that prints rows.
    rows : str
        What the kernel printed, a line per row.
    algorithm, variant : str
        Whose sender answers on our side.

    Raises
    ------
    ValueError
        One line, when the script cannot be driven or the rows are not its.
    """

def conform_segments(text: str) -> str:
    """Replay a file of recorded segments; return the report as JSON: scripts, scripts_matched, rows, rows_matched, first_mismatch.

    Raises
    ------
    ValueError
        One line, when a line cannot be read, or a recording asks for what the stack has not.
    """

def epoch_s(times_s: Any) -> float | None:
    """Return the mean time between ascending times (array of float, shape (n,), seconds); None with fewer than two."""

def fill(scenario_json: str) -> tuple[str, list[str], str]:
    """Fill in a scenario's defaults.

    Returns
    -------
    tuple of (str, list of str, str)
        The scenario as JSON, its fields in the order of the models; what was adjusted, a line each; the digest.

    Raises
    ------
    ValueError
        Two texts, field and problem.
    """

def fraction(part: Any, whole: Any) -> float | None:
    """Return the sum of one array over that of another; None when one holds NaN, or the second adds up to nothing."""

def jain(rates: list[float]) -> float | None:
    """Return Jain's fairness index; None without rates or when all are zero."""

def limits() -> str:
    """Return what a scenario may say, as JSON: `counts` (how many there may be) and `ranges` (of numbers), both by name."""

def quantity(text: str, unit: str) -> float:
    """Read a quantity such as ``42ms``; `unit` is ``s``, ``bit/s``, ``bytes``, ``packets``, ``Hz``, or anything else for a plain number.

    Raises
    ------
    ValueError
        When the number or its unit cannot be read, or the value is too large to represent.
    """

def queue_size(text: str) -> tuple[str, float]:
    """Read a queue's size such as ``20%bdp``; return the field of a link that holds it and its value there.

    Raises
    ------
    ValueError
        When it is none.
    """

def rates(delivered: tuple[Any, Any, Any, Any, Any]) -> tuple[Any, Any]:
    """Return each flow's throughput and goodput in bits per second, arrays of shape (flows,), NaN without a measurement window.

    Parameters
    ----------
    delivered : tuple of array, each of shape (flows,)
        Seconds of the window, delivered packets, payload bytes, IP bits of a packet (doubles), whether they are datagrams (bool).
    """

def ratio_min_max(rates: list[float]) -> float | None:
    """Return the smallest over the largest rate; None with fewer than two or when all are zero."""

def records_digest(frames: list[tuple[str, int, list[tuple[str, str, Any, Any]]]]) -> str:
    """Return the digest of records: SHA-256 over every column of every frame, in hexadecimal.

    Parameters
    ----------
    frames : list
        Of each its name, its rows and its columns: name, name of the type, where it is null (array of bool, shape (rows,), or
        None), and its values, as little-endian bytes (array of uint8) or as a list of text.
    """

def run(scenario_json: str) -> dict[str, Any]:
    """Run a scenario with the interpreter lock released.

    A broken invariant of the engine, which is a bug, raises pyo3's PanicException; its message names the time, the seed and the digest.

    Returns
    -------
    dict
        `frames`: frame name to columns (arrays of shape (rows,), or lists of text; NaN marks what is absent, and what was not measured at
        all is left out); `counters`: data_packets, events, wall_s; `scenario`, `notes` and `digest` as `fill` returns them.

    Raises
    ------
    ValueError
        Two texts: field and problem, or nothing and one line that names field, value and allowed range.
    KeyboardInterrupt
        When interrupted.
    """

def schema() -> str:
    """Return the columns every backend writes, as a JSON array: of each frame name, columns (name and type), optional, open, later."""

def spec(scenario_json: str) -> str:
    """Return what the engine takes for a scenario, as JSON: integers in nanoseconds, packets and bytes.

    Raises
    ------
    ValueError
        Two texts, field and problem.
    """
