"""Run a scenario and look at what came out: the entry point of Python.

The package offers the function `run` under the same name as this module; the module is therefore callable, so that
``windtunnel.run(...)`` works whichever was imported first.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from windtunnel import metrics, records
from windtunnel.backends import backend as backend_of
from windtunnel.backends.captures import Capture
from windtunnel.backends.sim import Simulator
from windtunnel.extras import is_installed, need
from windtunnel.records import names, qlog
from windtunnel.scenario import Scenario, ScenarioError, digest, traces

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

DRAWN_BY = ("polars", "matplotlib")
"""Packages without which there are no figures."""


@dataclass(frozen=True)
class Plot:
    """The figures of a run, as ``run.plot``."""

    records: records.Records

    def cwnd(self, path: str | Path | None = None) -> Figure:
        """Draw every flow's congestion window (packets) against time (seconds).

        Parameters
        ----------
        path : str or Path, optional
            Also write it there: svg, pdf or png by the suffix.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        ScenarioError
            When the run took no samples or the file cannot be written.
        """
        from windtunnel import plots

        return self._drawn(plots.cwnd(self.records), path)

    def overview(self, path: str | Path | None = None) -> Figure:
        """Draw window, goodput, smoothed RTT, queue, and drops and marks on one time axis.

        Parameters
        ----------
        path : str or Path, optional
            Also write it there: svg, pdf or png by the suffix.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        ScenarioError
            When the run took no samples or the file cannot be written.
        """
        from windtunnel import plots

        return self._drawn(plots.overview(self.records), path)

    @staticmethod
    def _drawn(figure: Figure, path: str | Path | None) -> Figure:
        if path is not None:
            from windtunnel import plots

            plots.save(figure, Path(path))
        return figure


@dataclass(frozen=True)
class Run:
    """One run: its records as polars frames, its summary, its figures."""

    records: records.Records

    def __repr__(self) -> str:
        """Say on one line what ran: flows, path, length, seed and the scenario's digest."""
        scenario = self.records.facts.scenario
        ran = f"{names.flow_words(scenario)}; {names.path_words(scenario)}; {scenario['duration_s']:g} s, seed {scenario['seed']}"
        return f"<Run {self.digest[:12]}: {ran}>"

    def _repr_html_(self) -> str | None:
        if not all(is_installed(package) for package in DRAWN_BY):
            return None
        from windtunnel import plots

        return plots.run_html(self.records)

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical scenario."""
        return self.records.facts.digest

    @property
    def notes(self) -> tuple[str, ...]:
        """What was adjusted in the scenario, a line each."""
        return self.records.facts.notes

    @property
    def flows(self) -> pl.DataFrame:
        """One row per flow."""
        return self.records.flows

    @property
    def applications(self) -> pl.DataFrame:
        """One row per application, its connections added up; a flow that shares none is one of its own."""
        return metrics.applications(self.records)

    @property
    def flow_samples(self) -> pl.DataFrame:
        """Windows, RTTs and counters of each flow over time (``t_s``, ``cwnd_packets``, ...)."""
        return self.records.flow_samples

    @property
    def links(self) -> pl.DataFrame:
        """One row per link that has a queue."""
        return self.records.links

    @property
    def link_samples(self) -> pl.DataFrame:
        """Queue and counters of each link over time."""
        return self.records.link_samples

    @property
    def events(self) -> pl.DataFrame:
        """Loss episodes, timeouts, starts, stops, and drops when asked for."""
        return self.records.events

    @property
    def acks(self) -> pl.DataFrame | None:
        """Every ACK, or None when the scenario did not ask for it."""
        return self.records.acks

    @property
    def transfers(self) -> pl.DataFrame | None:
        """One row per transfer of a source (``source``, ``start_s``, ``bytes``, ``completion_s``, ...), or None without sources."""
        return self.records.transfers

    @property
    def pages(self) -> pl.DataFrame | None:
        """One row per page of a session (``session``, ``start_s``, ``objects``, ``completion_s``, ...), or None without sessions."""
        return self.records.pages

    @property
    def exchanges(self) -> pl.DataFrame | None:
        """One row per request of a flow's client (``flow``, ``start_s``, ``bytes``, ``completion_s``, ...), or None without clients."""
        return self.records.exchanges

    @property
    def video(self) -> pl.DataFrame | None:
        """One row per frame of video (``flow``, ``start_s``, ``bytes``, ``rate_bps``, ``completion_s``), or None without video."""
        return self.records.video

    @property
    def plot(self) -> Plot:
        """The figures of this run; an `ImportError` says in one line what to install where figures cannot be drawn."""
        need("figures need", *DRAWN_BY)
        return Plot(self.records)

    @property
    def summary(self) -> dict[str, Any]:
        """What ``windtunnel run --json`` prints: flows, links and metrics as plain data."""
        return metrics.summary(self.records)

    def save_deliveries(self, path: str | Path, link: str = "forward") -> None:
        """Write what a link delivered as a trace in mahimahi's format, for ``trace = "FILE"`` of a scenario or for ``mm-link``.

        Parameters
        ----------
        path : str or Path
            The file.
        link : str
            The link's name, as in `links`.

        Raises
        ------
        ScenarioError
            When there is no such link, it delivered nothing, it was not sampled every millisecond, or the file cannot be written.
        """
        traces.write(metrics.deliveries_ms(self.records, link), path)

    def write_qlog(self, path: str | Path) -> list[Path]:
        """Write the run as qlog, JSON text sequences with QUIC's event names, a file for each flow.

        Parameters
        ----------
        path : str or Path
            The file of a single flow, ``run.sqlog``; of several ``run-1.sqlog``, ``run-2.sqlog``, ...

        Returns
        -------
        list of Path
            What was written, by flow.

        Raises
        ------
        ScenarioError
            When there are no flows or no samples, or a file cannot be written.
        """
        return qlog.write(self.records, path)

    def save(self, folder: str | Path) -> None:
        """Write the run's folder, whole or not at all.

        Parameters
        ----------
        folder : str or Path
            A new or empty folder, or one that holds a previous run of the same scenario, which is replaced.

        Raises
        ------
        windtunnel.records.FolderError
            When it holds anything else, or cannot be written.
        """
        need("folders of runs need", "polars")
        target = Path(folder)
        check_folder(target, self.digest)
        with records.staged(target) as temporary:
            records.write(self.records, temporary)


def check_folder(target: Path, digest: str) -> bool:
    """Refuse a folder that holds anything but a run of this scenario.

    Parameters
    ----------
    target : Path
        The folder.
    digest : str
        The scenario's digest.

    Returns
    -------
    bool
        Whether it holds a previous run of the same scenario.

    Raises
    ------
    windtunnel.records.FolderError
        When it holds something else.
    """
    previous = records.previous_digest(target)
    if previous is not None and previous != digest:
        problem = f"holds a run of another scenario ({previous[:12]}, not {digest[:12]}); allowed: a new or empty folder"
        raise records.FolderError(target, problem)
    return previous is not None


def run(scenario: Scenario, *, backend: str = "sim", pcap: str | Path | None = None, pcap_at: Sequence[str] = ("sender",)) -> Run:
    """Run a scenario.

    Parameters
    ----------
    scenario : Scenario
        What to run; with its seed it determines every record.
    backend : str
        Name of the backend.
    pcap : str or Path, optional
        Also write the run's packets there, as pcapng: of TCP headers only, of a whole stack all.
    pcap_at : sequence of str
        Where: ``sender``, ``bottleneck``, ``receiver``, an interface of the file each.

    Returns
    -------
    Run
        Records, summary and figures.

    Raises
    ------
    ScenarioError
        When the scenario cannot be run; one line with field, value and allowed range.
    TypeError
        When `scenario` is not a `Scenario`.
    """
    if not isinstance(scenario, Scenario):
        raise TypeError(f"run() takes a Scenario, not {type(scenario).__name__}; windtunnel.load_scenario(path) reads one from a file")
    chosen = backend_of(backend)
    if pcap is None:
        return Run(chosen.run(scenario))
    return Run(chosen.capture(scenario, Capture.at(pcap, pcap_at))[0])


def stream(scenario: Scenario, folder: str | Path) -> Run:
    """Run a scenario in the simulator and write its folder meanwhile: samples go to disk as they come, and memory does not hold them.

    Parameters
    ----------
    scenario : Scenario
        What to run.
    folder : str or Path
        A new or empty folder, or one that holds a previous run of the same scenario, which is replaced. It holds what `Run.save` would
        have written, with the same digest of the records.

    Returns
    -------
    Run
        With its summary; its samples are in the folder and not here.

    Raises
    ------
    ScenarioError
        When the scenario cannot be run, or records every ACK, or has a controller from a file or a whole stack.
    windtunnel.records.FolderError
        When the folder holds anything else, or cannot be written.
    """
    check_folder(Path(folder), digest(scenario))
    with records.staged(Path(folder)) as temporary:
        streaming = records.Streaming(temporary)
        return Run(streaming.write(Simulator().stream(scenario, streaming.take)))


def load_run(folder: str | Path) -> Run:
    """Read a run's folder back.

    Parameters
    ----------
    folder : str or Path
        What ``windtunnel run --out`` or `Run.save` wrote.

    Returns
    -------
    Run
        The same records.

    Raises
    ------
    windtunnel.records.FolderError
        When a file is missing or damaged.
    """
    need("folders of runs need", "polars")
    return Run(records.read(Path(folder)))


class _CallableModule(ModuleType):
    """The module, callable as the function of the same name."""

    def __call__(
        self, scenario: Scenario, *, backend: str = "sim", pcap: str | Path | None = None, pcap_at: Sequence[str] = ("sender",)
    ) -> Run:
        """Run a scenario; see `run`."""
        return run(scenario, backend=backend, pcap=pcap, pcap_at=pcap_at)


sys.modules[__name__].__class__ = _CallableModule

__all__ = ["Plot", "Run", "ScenarioError", "check_folder", "load_run", "run", "stream"]
