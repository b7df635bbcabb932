"""What `windtunnel run` writes: checked before anything runs, written after it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from windtunnel import records
from windtunnel.backends.base import Backend
from windtunnel.backends.captures import Capture
from windtunnel.cli.output import note
from windtunnel.extras import need
from windtunnel.progress import Progress
from windtunnel.run import DRAWN_BY, Run, check_folder, stream
from windtunnel.scenario import Scenario, ScenarioError, digest, traces


@dataclass(frozen=True)
class Files:
    """What a run is written to, where that is asked for.

    Parameters
    ----------
    out : str, optional
        The folder of its records.
    plot, deliveries, qlog : str, optional
        A figure, a link's deliveries as a trace, the flows as qlog.
    pcap, pcap_at : str, optional
        The packets as pcapng, and where they are captured.
    stream : bool
        Whether samples go to the folder as they come.
    """

    out: str | None
    plot: str | None
    deliveries: str | None
    qlog: str | None
    pcap: str | None = None
    pcap_at: str | None = None
    stream: bool = False

    def check(self, scenario: Scenario, backend: Backend) -> None:
        """Refuse what this run on this backend cannot be written to.

        Raises
        ------
        ScenarioError
            When the backend cannot run the scenario, or one of the files is not to be had of it.
        windtunnel.extras.MissingExtra
            When what draws or writes one of them is not installed.
        """
        self._check_stream(backend.name)
        backend.check(scenario)
        if self.plot is not None:
            _check_plot(self.plot, scenario)
        if self.deliveries is not None:
            from windtunnel.metrics.deliveries import check_sampling

            check_sampling(scenario.sample_s)
            traces.check_target(self.deliveries)
        if self.qlog is not None:
            from windtunnel.records import qlog

            qlog.check(self.qlog, flows=len(scenario.flows), sample_s=scenario.sample_s)
        capture = self._capture()
        if capture is not None:
            capture.check()
        if self.out is not None:
            need("folders of runs need", "polars")
            if not self.out:
                raise ScenarioError("out", "'' is not a folder; allowed: a new or empty folder")

    def _check_stream(self, backend: str) -> None:
        """Refuse to stream what needs the samples afterwards, and what has no folder."""
        if not self.stream:
            return
        if not self.out:
            raise ScenarioError("stream", "there is no folder; allowed: with --out DIR")
        if backend != "sim":
            raise ScenarioError("stream", f"{backend} gives its samples at the end; allowed: --backend sim")
        beside = {"plot": self.plot, "deliveries": self.deliveries, "qlog": self.qlog, "pcap": self.pcap}
        for name, given in beside.items():
            if given is not None:
                raise ScenarioError("stream", f"--{name} is made of samples in memory; allowed: one of the two")

    def _capture(self) -> Capture | None:
        if self.pcap is not None:
            return Capture.of_text(self.pcap, self.pcap_at)
        if self.pcap_at is not None:
            raise ScenarioError("pcap_at", "there is no file; allowed: with --pcap FILE")
        return None

    def run(self, scenario: Scenario, backend: Backend, *, quiet: bool) -> Run:
        """Run the scenario, write its folder and its packets meanwhile and the other files after it, and say what was written.

        Parameters
        ----------
        scenario : Scenario
            Checked by `check`.
        backend : Backend
            What runs it.
        quiet : bool
            Show no progress.

        Raises
        ------
        ScenarioError, windtunnel.records.FolderError
            When the run fails, or the folder holds anything else.
        """
        again = self.out is not None and check_folder(Path(self.out), digest(scenario))
        staged: AbstractContextManager[Path | None] = nullcontext() if self.out is None or self.stream else records.staged(Path(self.out))
        with staged as folder:
            run, captured = self._run(scenario, backend, quiet=quiet)
            if folder is not None:
                records.write(run.records, folder)
        written = [] if self.out is None else [f"{self.out}: {'replaced the previous run of the same scenario' if again else 'written'}"]
        for line in (*written, *run.notes, *captured):
            note(line)
        self._write(run)
        return run

    def _run(self, scenario: Scenario, backend: Backend, *, quiet: bool) -> tuple[Run, list[str]]:
        """Return the run, and what there is to say of its capture."""
        capture = self._capture()
        with Progress(quiet=quiet) as shown:
            shown.step(f"Running {scenario.duration_s:g} s on {backend.title}")
            if self.stream and self.out is not None:
                return stream(scenario, self.out), []
            if capture is None:
                return Run(backend.run(scenario)), []
            made, captured = backend.capture(scenario, capture)
        counts = ", ".join(f"{count} packets at the {place}" for place, count in captured.packets.items() if count)
        return Run(made), [f"{captured.file}: {counts or 'no packets'}"]

    def _write(self, run: Run) -> None:
        """Write what is made of a run's samples."""
        if self.plot is not None:
            run.plot.overview(self.plot)
        if self.deliveries is not None:
            run.save_deliveries(self.deliveries)
        if self.qlog is not None:
            run.write_qlog(self.qlog)


def _check_plot(plot: str, scenario: Scenario) -> None:
    need("figures need", *DRAWN_BY)
    from windtunnel.plots import check_target

    check_target(Path(plot))
    if scenario.sample_s == 0:
        raise ScenarioError("sample_s", "0 leaves nothing to draw; allowed: above 0 with --plot")
    if not scenario.flows:
        raise ScenarioError("flows", "there are none, and the figure shows flows; allowed: at least one with --plot")
