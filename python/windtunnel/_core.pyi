"""The native core: scenarios, the simulator, its catalogue and its conformance replay. Only `windtunnel.native` imports it.

A scenario goes in as JSON: its fields as `windtunnel.scenario.Scenario` names them, those not given left out.
"""

from collections.abc import Callable
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

def check(
    scenario_json: str, guests: list[tuple[str, str]] = ..., page_fd: int | None = None, classes: list[tuple[str, dict[str, Any]]] = ...
) -> None:
    """Check a scenario without running it; the libraries of `guests` are loaded for that.

    Parameters
    ----------
    scenario_json : str
        The scenario.
    guests : list of (str, str)
        Controllers from files: the name that the scenario has for each, and its library.
    page_fd : int, optional
        An open file, on whose first bytes the core says what of them it calls.
    classes : list of (str, dict)
        Controllers in Python: the name that the scenario has for each, and its `windtunnel.controllers.Description.for_core`.

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

def conform_rows(
    stimulus: str,
    rows: str,
    algorithm: str,
    variant: str | None = None,
    guests: list[tuple[str, str]] = ...,
    page_fd: int | None = None,
    classes: list[tuple[str, dict[str, Any]]] = ...,
) -> str:
    """Replay what a kernel answered segment by segment; return the report as JSON: rows, rows_matched, first_mismatch.

    Parameters
    ----------
    stimulus : str
        Text of a script in packetdrill's language that prints rows.
    rows : str
        What the kernel printed, a line per row.
    algorithm, variant : str
        Whose sender answers on our side; the name may be that of a guest or of a class.
    guests, page_fd, classes
        As `check` takes them.

    Raises
    ------
    ValueError
        One line, when the script cannot be driven, the rows are not its, or a guest does what none may.
    """

def conform_segments(
    text: str,
    algorithm: str | None = None,
    guests: list[tuple[str, str]] = ...,
    page_fd: int | None = None,
    classes: list[tuple[str, dict[str, Any]]] = ...,
) -> str:
    """Replay a file of recorded segments; return the report as JSON: scripts, scripts_matched, rows, rows_matched, first_mismatch.

    Parameters
    ----------
    text : str
        The file's text.
    algorithm : str, optional
        Name of a guest or of a class that stands for the recorded algorithm.
    guests, page_fd, classes
        As `check` takes them.

    Raises
    ------
    ValueError
        One line, when a line cannot be read, a recording asks for what the stack has not, or a guest does what none may.
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

def guest_conform(text: str, file: str, guest: tuple[str, str], page_fd: int | None = None) -> str:
    """Replay one file of kernel vectors against a controller from a file, which is loaded; return the report as JSON, as `conform` does.

    Parameters
    ----------
    text, file : str
        The vectors, and what they are called in the report.
    guest : (str, str)
        Name and library.
    page_fd : int, optional
        As for `check`.

    Raises
    ------
    ValueError
        One line, when the file is damaged or the controller does what none may.
    """

def guest_described(library: str, file: str, page_fd: int | None = None) -> str:
    """Load a library and return what it says of itself, as JSON: name, summary, parameters, variables, needs.

    Raises
    ------
    ValueError
        The file, the problem, and a list of lines, as `guest_made`.
    """

def stack_described(library: str, page_fd: int | None = None) -> str:
    """Load a whole stack's library and return what it says of itself, as JSON: version, algorithms.

    Raises
    ------
    ValueError
        The file, the problem, and an empty list.
    """

def guest_last_call(page: bytes) -> tuple[str, tuple[int, float] | None] | None:
    """Return the hook that was called last by a copy of a page, and its flow with the simulated time in seconds; None when none was."""

def guest_arithmetic() -> tuple[str, str]:
    """Return the header of the kernel's dialect that a BPF program has too: its name, and what stands in it."""

def guest_layout() -> dict[str, dict[str, int]]:
    """Return where the fields of the structures of ``windtunnel.h`` are, bytes, by the names of both."""

def guest_made(file: str, cache: str, compiler: str) -> tuple[str, str]:
    """Make a file into a library of the cache; return what tells its content and what built it from others, and the library.

    Raises
    ------
    ValueError
        The file, the problem, and a list of the compiler's lines about the file.
    """

def jain(rates: list[float]) -> float | None:
    """Return Jain's fairness index; None without rates or when all are zero."""

def limits() -> str:
    """Return what a scenario may say, as JSON: `counts` (how many there may be) and `ranges` (of numbers), both by name."""

def live_route(
    spec_json: str,
    sockets: tuple[int, int],
    places: list[list[tuple[int, bytes, bytes]]],
    begin_ns: int,
    plain: bool = False,
) -> str:
    """Route packets between the devices of this network namespace by the links of an engine's scenario until it is over; a JSON report.

    Parameters
    ----------
    spec_json : str
        What `spec` returns.
    sockets : tuple of int
        An AF_PACKET socket of kind SOCK_DGRAM for IPv4, and a descriptor that becomes readable when all is to end.
    places : list of tuple
        Of each flow two, the sender's and the receiver's: the device's number, and behind it the hardware address (six bytes) and the
        IPv4 address (four).
    begin_ns : int
        When the network's time begins, nanoseconds of the monotonic clock.
    plain : bool
        Packets cross no link, only the propagation.

    Raises
    ------
    ValueError
        When the engine refuses the scenario, or the socket does not work; one line.
    """

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

def read_capture(file: str, every_ns: int, interface: str | None = None) -> dict[str, Any]:
    """Read a capture of TCP, pcap or pcapng.

    Parameters
    ----------
    file : str
        The file.
    every_ns : int
        From one sample to the next, nanoseconds.
    interface : str, optional
        Name or number of the interface; the first that has TCP when absent.

    Returns
    -------
    dict
        `figures`: JSON (flows, packets, interfaces); `flow_samples`: columns, shape (rows,), NaN where unknown; `events`: a list of
        (seconds, flow, kind, segments outstanding).

    Raises
    ------
    ValueError
        Two texts: the file, and on one line why it is not read: no capture, damaged, cut off, no TCP in it.
    """

class RecordsHash:
    """The digest of records that are hashed a piece at a time: frames in the schema's order, of each its columns."""

    def __new__(cls) -> RecordsHash: ...
    def frame(self, name: str, height: int) -> None:
        """Begin a frame.

        Parameters
        ----------
        name : str
            Its name.
        height : int
            Its rows.
        """

    def column(self, name: str, kind: str, is_absent: bool) -> bool:
        """Begin a column of it.

        Parameters
        ----------
        name, kind : str
            Its name, and the name of its type.
        is_absent : bool
            Whether it is null throughout.

        Returns
        -------
        bool
            Whether it counts; nothing of one that does not may be given.
        """

    def nulls(self, rows: int, nulls: Any) -> None:
        """Add where the column's next rows are null; all of it comes before the values.

        Parameters
        ----------
        rows : int
            How many.
        nulls : array of bool, shape (rows,), or None
            None where none of them is.
        """

    def values(self, values: Any) -> None:
        """Add the values of its next rows.

        Parameters
        ----------
        values : array of uint8, or list of str
            Little-endian numbers, or all of the column's words.
        """

    def digest(self) -> str:
        """Return the digest of what was given, in hexadecimal."""

def records_digest(frames: list[tuple[str, int, list[tuple[str, str, Any, Any]]]]) -> str:
    """Return the digest of records: SHA-256 over every column of every frame, in hexadecimal.

    Parameters
    ----------
    frames : list
        Of each its name, its rows and its columns: name, name of the type, where it is null (array of bool, shape (rows,), or
        None), and its values, as little-endian bytes (array of uint8) or as a list of text.
    """

def run(
    scenario_json: str, guests: list[tuple[str, str]] = ..., page_fd: int | None = None, classes: list[tuple[str, dict[str, Any]]] = ...
) -> dict[str, Any]:
    """Run a scenario; the interpreter lock is released unless it has `classes`.

    Parameters
    ----------
    scenario_json, guests, page_fd, classes
        As for `check`.

    A broken invariant of the engine, which is a bug, raises pyo3's PanicException; its message names the time, the seed and the digest.

    Returns
    -------
    dict
        `frames`: frame name to columns (arrays of shape (rows,), or lists of text; NaN marks what is absent, and what was not measured at
        all is left out); `counters`: data_packets, events, wall_s; `scenario`, `notes` and `digest` as `fill` returns them.

    Raises
    ------
    ValueError
        Two texts: field and problem, or nothing and one line that names field, value and allowed range. What a hook raised is its cause.
    KeyboardInterrupt
        When interrupted.
    """

def run_streamed(take: Callable[[dict[str, Any]], None], rows: int, scenario_json: str) -> dict[str, Any]:
    """Run a scenario as `run` does, with laws of our own only, and hand its samples over while it runs.

    Parameters
    ----------
    take : callable
        Takes tables of samples, `flow_samples` and `link_samples`, as the frames of `run` are; rows come once, in order.
    rows : int
        About how many in a table.
    scenario_json : str
        The scenario.

    Returns
    -------
    dict
        As `run`; the frames of samples have the rows that come after those that were taken.
    """

def run_captured(
    wanted: str,
    scenario_json: str,
    guests: list[tuple[str, str]] = ...,
    page_fd: int | None = None,
    classes: list[tuple[str, dict[str, Any]]] = ...,
) -> dict[str, Any]:
    """Run a scenario as `run` does, and write its packets of TCP as pcapng meanwhile.

    Parameters
    ----------
    wanted : str
        JSON: `file`, `places` (of sender, bottleneck, receiver), `application` and `comment`, which the file says of itself.
    scenario_json, guests, page_fd, classes
        As for `check`.

    Returns
    -------
    dict
        As `run`; `captured`: packets written at the sender, the bottleneck and the receiver, and how many waited at most.

    Raises
    ------
    ValueError
        As `run`, and when the file cannot be written.
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

class Window:
    """The congestion window: what a controller writes.

    Attributes
    ----------
    cwnd, ssthresh : float
        Segments.
    cnt : int
        Credit towards the next whole segment (Linux `snd_cwnd_cnt`).
    """

    cwnd: float
    ssthresh: float
    cnt: int
    def __init__(self, cwnd: float = ..., ssthresh: float = ...) -> None: ...
    @property
    def in_slow_start(self) -> bool:
        """Whether it is below the threshold."""
    def slow_start(self, acked: int) -> float:
        """Grow by so many acknowledged segments, never past the threshold; return what is left of them."""

class Connection:
    """The connection, as the transport keeps it. One object serves all calls of a flow: it shows the connection of the latest call.

    Attributes
    ----------
    now_s : float
        Time of what is being handled, seconds.
    srtt_s, rtt_min_s : float or None
        Smoothed RTT, and the smallest of the last 300 s, seconds; None before the first sample.
    una, nxt : int
        First segment not cumulatively acknowledged, next segment to be sent for the first time.
    delivered, delivered_ce, lost : int
        Segments delivered so far, of those echoed as ECN-marked, segments ever held to be lost (kept for controllers whose
        control is ``full``, ``full-unpaced`` or ``full-by-rate``).
    in_flight : int
        Segments: the pipe.
    mss_bytes : int
        Payload of a full segment.
    prior_cwnd : float
        Window when the current reduction began, segments.
    pacing_rate_bytes_per_s : int
        At which the transport would pace.
    last_sent_s : float
        When the last data segment was sent, seconds.
    ca_state : str
        ``open``, ``disorder``, ``cwr``, ``recovery`` or ``loss``; during `on_state_changed` the one that is left.
    cwnd_limited, is_paced : bool
        The window limited the sender; segments leave spread over the round trip.
    """

    now_s: float
    srtt_s: float | None
    rtt_min_s: float | None
    una: int
    nxt: int
    delivered: int
    delivered_ce: int
    lost: int
    in_flight: int
    mss_bytes: int
    prior_cwnd: float
    pacing_rate_bytes_per_s: int
    last_sent_s: float
    ca_state: str
    cwnd_limited: bool
    is_paced: bool
    def __init__(
        self,
        *,
        now_s: float = ...,
        srtt_s: float | None = ...,
        rtt_min_s: float | None = ...,
        in_flight: int = ...,
        delivered: int = ...,
        mss_bytes: int = ...,
        cwnd_limited: bool = ...,
    ) -> None: ...

class RttSample:
    """One ACK's contribution to RTT measurement; times in seconds, None where ambiguous."""

    acked: int
    rtt_s: float | None
    forward_s: float | None
    sent_s: float | None
    in_flight: int

class AckArrival:
    """What an ACK looked like: more than a plain advance, with ECN-Echo."""

    is_slow_path: bool
    has_ece: bool

class RateSample:
    """A delivery-rate sample, made of the newest delivered segment and the connection when that was sent; counts in segments."""

    delivered: int | None
    interval_s: float | None
    rtt_s: float | None
    delivered_s: float
    prior_delivered_s: float
    prior_delivered: int
    lost: int
    acked: int
    prior_in_flight: int
    tx_in_flight: int
    lost_since_sent: int
    is_app_limited: bool

class LostSegment:
    """A segment that is held to be lost, and the connection when it was sent."""

    seq: int
    tx_in_flight: int
    lost_since_sent: int
    is_app_limited: bool

def reading_columns() -> list[str]:
    """Return the names of what a reading of a flow has, in its order (`windtunnel.learn.Reading`)."""

class Episodes:
    """Runs that go on step by step: windows are set between two steps, and readings of the flows that are acted for come back.

    Parameters
    ----------
    count : int
        How many runs.
    flows : list of int
        Numbers of the flows that are acted for, the same in each run.
    acted : (str, float, float, bool), optional
        What an action does, ``factor`` or ``window``; doublings of the window at most; the largest window, segments; whether segments are
        paced. None to read the flows alone, with the laws that the scenario gives them.
    rtts : float
        Length of a step, smallest RTTs.
    seconds : float, optional
        The same in seconds, which then counts.
    threads : int
        Threads that step the runs.
    """

    def __init__(
        self, count: int, flows: list[int], acted: tuple[str, float, float, bool] | None, rtts: float, seconds: float | None, threads: int
    ) -> None: ...
    def reset(self, index: int, scenario_json: str) -> Any:
        """Begin run `index` anew and go to its first decision; return its readings, a row of doubles per flow.

        Raises
        ------
        ValueError
            As `check`.
        """

    def step(self, actions: Any) -> Any:
        """Set windows, and let every run that is not over go on by one step.

        Parameters
        ----------
        actions : array of float64, shape (runs * flows, 2)
            Two numbers per flow, -1 to 1: window, and pacing rate where segments are paced.

        Returns
        -------
        array of float64, shape (runs * flows, columns)
            A reading per flow; zeros of runs that were over.
        """

    def over(self) -> list[bool]:
        """Return which runs are over, or have not begun."""

    def finish(self, index: int) -> dict[str, dict[str, Any]]:
        """Let run `index` go on to its end with the windows as they are; return its frames, as `run` does. It is over then, and gone."""
