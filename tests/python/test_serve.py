"""A results folder in the browser: pages made as they are asked for, by this machine alone."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import walked

from windtunnel import report
from windtunnel.claims import Verdict
from windtunnel.claims.model import Reason
from windtunnel.cli import output
from windtunnel.report.serving import Pages, server
from windtunnel.scenario import ScenarioError
from windtunnel.store import open_results

Get = Callable[[str], tuple[int, str, bytes]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("serve") / "results"
    walked.write(path)
    return path


@pytest.fixture
def site(folder: Path, tmp_path: Path) -> Iterator[Get]:
    made = tmp_path / "made"
    made.mkdir()
    serving = server(Pages(open_results(folder), made), host="127.0.0.1", port=0)
    thread = threading.Thread(target=serving.serve_forever, daemon=True)
    thread.start()

    def get(path: str) -> tuple[int, str, bytes]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{serving.server_address[1]}/{path}", timeout=60) as answer:
                return answer.status, answer.headers["Content-Type"], answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers["Content-Type"], error.read()

    yield get
    serving.shutdown()
    serving.server_close()
    thread.join()


def links(page: bytes, start: str) -> list[str]:
    import re

    return sorted(set(re.findall(rf'(?:href|src)="(?:\.\./)*({start}[^"#]*)', page.decode())))


def test_pages_are_made_when_they_are_asked_for_and_lead_to_each_other(site: Get, tmp_path: Path) -> None:
    status, kind, index = site("")
    assert (status, kind) == (200, "text/html; charset=utf-8")
    # Nothing else is made yet: the first page of a large folder is there at once.
    assert [path for name in ("experiments", "points", "runs") for path in (tmp_path / "made" / name).iterdir()] == []
    (experiment,) = links(index, "experiments/")
    page = site(experiment)[2]
    assert b"A walk" in page and not list((tmp_path / "made" / "runs").iterdir())
    for name in ("figures/", "tables/", "data/", "charts/", "report"):
        own = links(page, name)
        assert own, name
        for path in own:
            assert site(path)[0] == 200, path
    made = tmp_path / "made" / "points"
    assert [path for path in made.rglob("*.html")] == []
    point = site(links(page, "points/")[0])[2]
    assert len(list(made.rglob("*.html"))) == 1
    run = links(point, "runs/")[0]
    assert site(run)[0] == 200 and b"windtunnel run" in site(run)[2]
    # Two runs that the windows of the page are drawn from, and this one; five others were not asked for.
    assert len(list((tmp_path / "made" / "runs").iterdir())) <= 3
    for path in links(site(run)[2], "files/"):
        assert site(path)[0] == 200, path
    assert site("claims.html")[0] == 200


def test_pages_are_those_of_the_report(site: Get, folder: Path, tmp_path: Path) -> None:
    report.write(report.assemble(open_results(folder)), tmp_path / "report")
    (path,) = links(site("")[2], "experiments/")
    pages = [path, *links(site(path)[2], "points/")]
    assert len(pages) > 2
    for page in pages:
        assert site(page)[2].decode() == (tmp_path / "report" / page).read_text(encoding="utf-8")


OUTSIDE = ("nothing.html", "experiments/none.html", "points/none/x.html", "runs/none.html", "../results.json", "%2e%2e/x", ".x")


@pytest.mark.parametrize("path", OUTSIDE)
def test_what_is_no_page_is_not_there_and_nothing_outside_is_read(site: Get, path: str) -> None:
    assert site(path)[:2] == (404, "text/plain; charset=utf-8")


def test_a_damaged_table_is_told_in_a_line(folder: Path, site: Get) -> None:
    table = next((folder / "experiments").glob("*/measures.parquet"))
    whole = table.read_bytes()
    try:
        table.write_bytes(whole[:100])
        status, _, said = site(links(site("")[2], "experiments/")[0])
    finally:
        table.write_bytes(whole)
    assert status == 500 and said.startswith(b"error: ") and said.count(b"\n") == 1


def test_a_port_in_use_and_no_folder_are_refused_in_one_line(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = cli("serve", str(folder), "--no-open", "--port", str(port))
    assert told.code == 2 and f"127.0.0.1:{port}: Address already in use" in told.err and told.err.count("\n") == 1
    for name in (tmp_path / "none", tmp_path):
        told = cli("serve", str(name), "--no-open")
        assert told.code == 2 and told.err.count("\n") == 1


def test_the_command_says_where_it_listens_and_ends_with_ctrl_c(folder: Path) -> None:
    import signal

    command = [sys.executable, "-m", "windtunnel", "serve", str(folder), "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        address = running.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"A walk" in answer.read()
        time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 0 and said == "stopped\n"


# Beside it: what leads from pages to the documentation, and how verdicts are shown elsewhere.


def test_pages_lead_to_the_documentation_that_was_named(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "docs/site").mkdir(parents=True)
    (site / "docs/site/index.html").write_text("")
    assert report.docs_address("https://example.org/wt/") == "https://example.org/wt"
    assert report.docs_address(str(site)) == site.as_uri()
    with pytest.raises(ScenarioError, match="has no documentation"):
        report.docs_address(str(tmp_path))
    report.write(report.assemble(open_results(folder), docs=report.docs_address(str(site))), tmp_path / "report")
    for page in (tmp_path / "report").rglob("*.html"):
        assert f'href="{site.as_uri()}/docs/concepts/claims.html"' in page.read_text(encoding="utf-8"), page
    report.write(report.assemble(open_results(folder)), tmp_path / "plain")
    assert "docs/concepts" not in (tmp_path / "plain" / "index.html").read_text(encoding="utf-8")


def test_on_a_narrow_terminal_a_claim_is_a_paragraph() -> None:
    prose = "Two flows get the same throughput, to within five per cent, at every round-trip time and at both rates."
    rows = [["li07.c06", "fails", "0.796", prose]]
    text = output._paragraphs("Claims", ["claim", "verdict", "estimate", "what"], rows, width=60)
    lines = text.splitlines()
    assert lines[2] == "li07.c06  verdict fails; estimate 0.796" and max(map(len, lines)) <= 60 and min(map(len, lines[3:4])) > 40


def test_a_verdict_shows_itself_in_a_notebook() -> None:
    one = Verdict(
        id="a.c1", experiment="a.b", claim="x < y", predicate="M('util') > 1", published="", strength="", section="", judge="sim",
        verdict="fails", estimate=[0.5], interval=[[0.4, 0.6]], runs=3, labels=("util (reno)",),
        why=Reason("open", "", "Not <known>."), tolerance="a tenth",
    )  # fmt: skip
    text = one._repr_html_()
    assert "fails" in text and "x &lt; y" in text and "util (reno)" in text and "0.5 (0.4 to 0.6): util (reno)" in text and "3, sim" in text
    assert "open: Not &lt;known&gt;." in text and "a tenth" in text
