"""The pages of a results folder, each made when it is first asked for: what a large folder is looked at with."""

from __future__ import annotations

import mimetypes
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from windtunnel.records import FolderError
from windtunnel.report.criteria import standards_of
from windtunnel.report.environment import environment
from windtunnel.report.model import Report, Standard
from windtunnel.report.names import file_name
from windtunnel.report.registers import registers_of
from windtunnel.report.runpage import Frame, Task, write_runs
from windtunnel.report.stored import BACKENDS, assemble, elsewhere_of, verdicts_of
from windtunnel.report.writer import FOLDERS, INDEX, counts_of, write_assets, write_experiments
from windtunnel.store import Results, ResultsError

CLAIMS = "claims.html"
COUNTS = "counts.html"
"""A part of the first page: how many claims hold, fail or stay open. The page asks for it when it is there."""
_OF_EXPERIMENTS = ("experiments", "points", "figures", "tables", "data")
_OF_RUNS = ("runs", "data", "files")


class Pages:
    """Makes the pages of a results folder in a folder of its own, of experiments, data points and runs, each when it is asked for.

    Parameters
    ----------
    results : Results
        The folder.
    folder : Path
        An empty folder, for what is made.
    docs : str
        Address of the documentation that pages lead to; empty for none.
    """

    def __init__(self, results: Results, folder: Path, *, docs: str = "") -> None:
        self._results = results
        self._folder = folder
        self._docs = docs
        self._lock = threading.Lock()
        self._ids = {file_name(id): id for id in results.experiments()}
        self._made: set[str] = set()
        self._runs: dict[str, Task] = {}
        self._points: dict[str, Callable[[str], None]] = {}
        facts = results.facts
        backends = {name: BACKENDS.get(name, name) for name in results.backends()}
        self._report = Report(
            title=str(facts.get("title", "Results")),
            subtitle=str(facts.get("subtitle", "")),
            command=str(facts.get("command", "")),
            made=str(facts.get("made", "")),
            suite=", ".join(facts.get("suites", [])),
            facts={},
            findings=[str(text) for text in facts.get("findings", [])],
            about={str(text): str(id) for text, id in facts.get("findings_about", {}).items()},
            sections=[],
            backends=backends,
            docs=docs,
            standards=self._standards(backends),
        )
        for name in FOLDERS:
            (folder / name).mkdir()
        write_assets(folder)
        self._write_index()

    def _standards(self, backends: Iterable[str]) -> list[Standard]:
        """Return the standards of the folder's suites, judged: their criteria are the first page."""
        facts = self._results.facts
        if not facts.get("followed"):
            return []
        known = [one for one in registers_of(self._results) if set(one.papers) & set(facts["followed"])]
        first = next(iter(backends))
        return standards_of(facts, [one for register in known for one in verdicts_of(self._results, register, first, needed_only=True)])

    def file(self, path: str) -> Path | None:
        """Return the file of a path of the site, made now if it was not asked for before; None when there is none.

        Raises
        ------
        ResultsError, windtunnel.records.FolderError
            When something stored is missing or damaged.
        """
        parts = [part for part in path.split("/") if part] or [INDEX]
        if any(part.startswith(".") for part in parts):
            return None
        target = self._folder.joinpath(*parts)
        with self._lock:
            if not target.is_file():
                self._make(parts)
        return target if target.is_file() else None

    def _make(self, parts: list[str]) -> None:
        if parts in ([CLAIMS], [COUNTS]):
            self._write_claims()
            return
        if len(parts) < 2:
            return
        if parts[0] in _OF_EXPERIMENTS:
            name = parts[1] if parts[0] == "points" else _longest(parts[1], self._ids)
            if name in self._ids and name not in self._made:
                self._write_experiment(name)
            if parts[0] == "points" and name in self._points:
                self._points[name]("/".join(parts))
        if parts[0] in _OF_RUNS:
            name = _longest(parts[1], self._runs)
            if name in self._runs and name not in self._made:
                write_runs([self._runs[name]], self._folder, Frame(self._report.suite, self._report.made, self._docs))
                self._made.add(name)

    def _write_experiment(self, name: str) -> None:
        written = write_experiments(assemble(self._results, docs=self._docs, only=self._ids[name]), self._folder)
        for task in written.runs:
            self._runs.setdefault(file_name(task.key), task)
        self._points[name] = written.write_point
        self._made.add(name)

    def _write_index(self) -> None:
        measured = {name: set(self._results.experiments(name)) for name in self._results.backends()}
        order = {id: index for index, id in enumerate(self._results.facts.get("order", []))}
        experiments = []
        for id in sorted(self._ids.values(), key=lambda id: (order.get(id, len(order)), id)):
            backend = next(name for name, own in measured.items() if id in own)
            stored = self._results.declaration(id, backend)
            experiments.append({"id": id, "title": stored["title"], "question": stored["question"]})
        html = environment().get_template("served.html").render(report=self._report, root="", experiments=experiments)
        (self._folder / INDEX).write_text(html, encoding="utf-8")

    def _write_claims(self) -> None:
        registers = registers_of(self._results)
        judged = {
            name: [one for register in registers for one in verdicts_of(self._results, register, name)] for name in self._report.backends
        }
        verdicts = [one for own in judged.values() for one in own]
        html = environment().get_template("verdicts.html").render(report=self._report, root="", verdicts=verdicts)
        (self._folder / CLAIMS).write_text(html, encoding="utf-8")
        ids = set(self._ids.values())
        first = [one for one in next(iter(judged.values()), []) if one.experiment in ids]
        report = replace(self._report, elsewhere=elsewhere_of(registers, ids))
        html = environment().get_template("counts.html").render(report=report, totals=counts_of(first), counted=len(first))
        (self._folder / COUNTS).write_text(html, encoding="utf-8")


def _longest(file: str, names: dict[str, str] | dict[str, Task]) -> str:
    """Return the longest of some names that a file's name begins with; empty when there is none."""
    return max((name for name in names if file.startswith((f"{name}.", f"{name}-"))), key=len, default="")


def server(pages: Pages, *, host: str, port: int) -> ThreadingHTTPServer:
    """Return a server of pages, bound and not yet serving.

    Parameters
    ----------
    pages : Pages
        The pages.
    host : str
        The address it listens at.
    port : int
        The port; 0 for any that is free.

    Raises
    ------
    OSError
        When it cannot listen there.
    """

    class Handler(BaseHTTPRequestHandler):
        """Answers with files, and never reads anything that is sent."""

        def do_GET(self) -> None:
            self._answer(body=True)

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing of each request."""

        def _answer(self, *, body: bool) -> None:
            try:
                found = pages.file(unquote(urlsplit(self.path).path))
            except (ResultsError, FolderError, ValueError) as error:
                self._send(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain; charset=utf-8", f"error: {error}\n".encode(), body=body)
                return
            if found is None:
                self._send(HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", b"There is no such page.\n", body=body)
                return
            kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
            text = kind.startswith("text/") or kind.endswith(("javascript", "json"))
            self._send(HTTPStatus.OK, f"{kind}; charset=utf-8" if text else kind, found.read_bytes(), body=body)

        def _send(self, status: HTTPStatus, kind: str, data: bytes, *, body: bool) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if body:
                self.wfile.write(data)

    return ThreadingHTTPServer((host, port), Handler)
