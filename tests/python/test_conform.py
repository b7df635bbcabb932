from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controllers import BROKEN, RENO, Write

VECTORS = Path(__file__).parents[2] / "data" / "kernel-vectors"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(VECTORS / "S1_reno.json", tmp_path / "S1_reno.json")
    shutil.copy(VECTORS / "S1_highspeed.json", tmp_path / "S1_highspeed.json")
    return tmp_path


def test_recorded_vectors_match(cli: Callable[..., Any], folder: Path) -> None:
    outcome = cli("conform", str(folder), "--json")
    assert outcome.code == 0, outcome.out
    reports = outcome.json()
    assert [report["file"] for report in reports] == ["S1_highspeed.json", "S1_reno.json"]
    assert all(report["rows"] == report["rows_matched"] > 0 and report["first_mismatch"] is None for report in reports)
    assert "rows match" in cli("conform", str(folder)).out


def test_alg_takes_our_name_and_the_alias(cli: Callable[..., Any], folder: Path) -> None:
    for name in ("hstcp", "highspeed"):
        assert [report["file"] for report in cli("conform", str(folder), "--alg", name, "--json").json()] == ["S1_highspeed.json"]
    assert cli("conform", str(folder), "--alg", "cubic").code == 2
    assert cli("conform", str(folder), "--alg", "nope").code == 2


def test_other_algorithms_are_listed_as_skipped(cli: Callable[..., Any], folder: Path) -> None:
    (folder / "S1_nobody.json").write_text(json.dumps({"algorithm": "nobody", "events": []}), encoding="utf-8")
    outcome = cli("conform", str(folder), "--json")
    assert outcome.code == 0
    skipped = [report for report in outcome.json() if report["algorithm"] == "nobody"]
    assert skipped[0]["skipped"] == "not implemented" and skipped[0]["rows"] is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"\xff\xfe", b"{}"])
def test_a_damaged_file_is_bad_input(cli: Callable[..., Any], folder: Path, content: bytes) -> None:
    (folder / "broken.json").write_bytes(content)
    outcome = cli("conform", str(folder))
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1].startswith("error: broken.json")


def test_a_difference_is_exit_code_one(cli: Callable[..., Any], folder: Path) -> None:
    path = folder / "S1_reno.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["events"][0]["r"][0] += 1
    path.write_text(json.dumps(data), encoding="utf-8")
    outcome = cli("conform", str(folder), "--json")
    assert outcome.code == 1
    report = next(report for report in outcome.json() if report["file"] == "S1_reno.json")
    assert report["rows_matched"] < report["rows"] and report["first_mismatch"] is not None


SEGMENTS = VECTORS.parent / "kernel-segments"


@pytest.fixture
def stimuli(tmp_path: Path) -> Path:
    for name in ("reorder-large", "tlp-tail"):
        for suffix in (".pkt", ".rows"):
            shutil.copy((SEGMENTS / name).with_suffix(suffix), tmp_path)
    return tmp_path


def test_rows_of_segments_are_reported_as_vectors_are(cli: Callable[..., Any], stimuli: Path) -> None:
    large, _ = cli("conform", str(stimuli), "--json").json()
    assert large == {"file": "reorder-large.rows", "algorithm": "cubic", "rows": 9, "rows_matched": 9, "first_mismatch": None}
    (stimuli / "tlp-tail.rows").unlink()
    outcome = cli("conform", str(stimuli))
    assert outcome.code == 0 and "9 of 9 rows match in 1 files" in outcome.out
    rows = (stimuli / "reorder-large.rows").read_text(encoding="utf-8")
    (stimuli / "reorder-large.rows").write_text(rows.replace("10", "11", 1), encoding="utf-8")
    outcome = cli("conform", str(stimuli), "--json")
    assert outcome.code == 1
    assert outcome.json()[0]["first_mismatch"] == {"row": 1, "field": "snd_cwnd", "expected": 11, "got": 10}


def test_alg_chooses_whose_sender_answers(cli: Callable[..., Any], stimuli: Path) -> None:
    (stimuli / "reorder-large.rows").unlink()
    names = ("cubic", "reno", "cubic:nohystart")
    cubic, reno, nohystart = (cli("conform", str(stimuli), "--alg", name, "--json").json()[0] for name in names)
    assert (reno["algorithm"], reno["rows"], nohystart["rows_matched"]) == ("reno", 18, cubic["rows_matched"])
    assert cli("conform", str(stimuli), "--alg", "cubic:nope").code == 2


AS_RENO = """
import windtunnel as wt


class Mine(wt.Controller):
    before: float = 0.0

    def on_acked(self, w, c, acked):
        if c.cwnd_limited:
            left = w.slow_start(acked)
            self.before += left / w.cwnd
            w.cwnd += self.before // 1
            self.before %= 1

    def ssthresh(self, w, c):
        return max(w.cwnd // 2, 2.0)
"""


@pytest.fixture
def losses(tmp_path: Path) -> Path:
    """Stimuli in which something is lost: Reno's answers are not those of the kernel's CUBIC."""
    for suffix in (".pkt", ".rows"):
        shutil.copy((SEGMENTS / "lost-retransmission").with_suffix(suffix), tmp_path)
    return tmp_path


def test_a_file_answers_to_every_stimulus_with_rows(cli: Callable[..., Any], losses: Path, stimuli: Path, written: Write) -> None:
    (stimuli / "mine.py").write_text(AS_RENO, encoding="utf-8")
    reno, *others = (cli("conform", str(stimuli), "--alg", name, "--json").json() for name in ("reno", written(), str(stimuli / "mine.py")))
    assert [one["file"] for one in reno] == ["lost-retransmission.rows", "reorder-large.rows", "tlp-tail.rows"]
    assert any(one["rows_matched"] < one["rows"] for one in reno), "the rows are CUBIC's, and tell the two apart"
    for other, name in zip(others, ("mine.c", "mine.py"), strict=True):
        assert [{**one, "algorithm": "reno"} for one in other] == reno
        assert {one["algorithm"] for one in other} == {name}


def test_a_file_that_fails_on_rows_is_one_line(cli: Callable[..., Any], losses: Path) -> None:
    mine = losses / "mine.py"
    mine.write_text(AS_RENO.replace("w.cwnd // 2, 2.0", "0.5, -1.0"), encoding="utf-8")
    outcome = cli("conform", str(losses), "--alg", str(mine))
    assert outcome.code == 2 and outcome.err.count("\n") == 1, outcome.err
    assert (
        "mine.py: ssthresh of flow 1 at " in outcome.err
        and "it answers 0.5" in outcome.err
        and "with lost-retransmission.rows" in outcome.err
    )


@pytest.mark.parametrize("damage", ["1 2 3\n", "", "x"])
def test_rows_that_are_not_the_stimulus_s_are_bad_input(cli: Callable[..., Any], stimuli: Path, damage: str) -> None:
    (stimuli / "tlp-tail.rows").write_text(damage, encoding="utf-8")
    outcome = cli("conform", str(stimuli))
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1].startswith("error: tlp-tail.rows")


def test_rows_without_a_stimulus_are_bad_input(cli: Callable[..., Any], stimuli: Path) -> None:
    (stimuli / "tlp-tail.pkt").unlink()
    assert cli("conform", str(stimuli)).code == 2


RECORDED = Path(__file__).parents[2] / "data" / "kernel-segments" / "recorded-6.12"


def test_recorded_segments_are_replayed_and_counted(cli: Callable[..., Any], tmp_path: Path) -> None:
    for name in ("htcp.txt", "cubic-nohystart.txt"):
        shutil.copy(RECORDED / name, tmp_path / name)
    outcome = cli("conform", str(tmp_path), "--json")
    reports = {report["file"]: report for report in outcome.json()}
    assert {report["algorithm"] for report in reports.values()} == {"htcp", "cubic"}
    for report in reports.values():
        text = (RECORDED / report["file"]).read_text(encoding="utf-8")
        assert report["rows"] == sum(line[0].isdigit() for line in text.splitlines())
        assert report["scripts"] == text.count("\nscript ") >= report["scripts_matched"]
        assert (report["rows"] == report["rows_matched"]) == (report["first_mismatch"] is None)
    assert outcome.code == int(any(report["first_mismatch"] is not None for report in reports.values()))
    assert [report["file"] for report in cli("conform", str(tmp_path), "--alg", "htcp", "--json").json()] == ["htcp.txt"]
    told = cli("conform", str(tmp_path)).out
    assert f"of {sum(report['rows'] for report in reports.values())} rows match in 2 files" in told


def test_a_changed_row_of_segments_is_named(cli: Callable[..., Any], tmp_path: Path) -> None:
    text = (RECORDED / "htcp.txt").read_text(encoding="utf-8")
    row = text.index("\n0 o c10 ") + 4
    script = text[:row].rpartition("\nscript ")[2].split()[0]
    (tmp_path / "htcp.txt").write_text(text[:row] + " c11 " + text[row + 5 :], encoding="utf-8")
    outcome = cli("conform", str(tmp_path), "--json")
    mismatch = outcome.json()[0]["first_mismatch"]
    assert outcome.code == 1
    assert (mismatch["script"], mismatch["row"]) == (script, 1)
    assert "snd_cwnd 10, the kernel's 11" in mismatch["what"]


@pytest.mark.parametrize("text", ["", "script tail-1 cc=reno\n0 x\n", "these are notes\n"])
def test_a_text_that_holds_no_recordings_is_bad_input(cli: Callable[..., Any], tmp_path: Path, text: str) -> None:
    (tmp_path / "reno.txt").write_text(text, encoding="utf-8")
    outcome = cli("conform", str(tmp_path))
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1].startswith("error: reno.txt")


def _first_scripts(file: str, count: int) -> str:
    """Return a recording's first scripts, with its first line."""
    head, *scripts = (RECORDED / file).read_text(encoding="utf-8").split("script ")
    return "script ".join([head, *scripts[:count]])


@pytest.fixture
def segments(tmp_path: Path) -> Path:
    """Recorded segments of two modules."""
    folder = tmp_path / "segments"
    folder.mkdir()
    for file in ("reno.txt", "scalable.txt"):
        (folder / file).write_text(_first_scripts(file, 4), encoding="utf-8")
    return folder


def test_a_file_answers_to_the_segments_of_the_module_that_it_calls_itself(cli: Callable[..., Any], segments: Path, written: Write) -> None:
    ours = cli("conform", str(segments), "--alg", "reno", "--json").json()
    called = RENO.replace('.name = "mine"', '.name = "reno"').replace("mine_ssthresh,", "tcp_reno_ssthresh,")
    in_python = AS_RENO.replace("class Mine", "class reno")
    for name, text in (("mine.c", called), ("mine.py", in_python)):
        theirs = cli("conform", str(segments), "--alg", written(name, text), "--json").json()
        assert [{**one, "algorithm": "reno"} for one in theirs] == ours
        assert [(one["file"], one["algorithm"], one["scripts"]) for one in theirs] == [("reno.txt", name, 4)]


def test_segments_tell_a_file_s_law_from_the_kernel_s(cli: Callable[..., Any], segments: Path, written: Write) -> None:
    never_grows = RENO.replace('.name = "mine"', '.name = "reno"').replace("tcp_reno_cong_avoid(sk, ack, acked);", "")
    outcome = cli("conform", str(segments), "--alg", written("mine.c", never_grows), "--json")
    (report,) = outcome.json()
    assert outcome.code == 1 and report["scripts_matched"] < 4
    assert "snd_cwnd" in report["first_mismatch"]["what"] or "sent" in report["first_mismatch"]["what"]


def test_recorded_without_hystart_a_file_runs_without(cli: Callable[..., Any], tmp_path: Path, written: Write) -> None:
    (tmp_path / "segments").mkdir()
    (tmp_path / "segments" / "cubic-nohystart.txt").write_text(_first_scripts("cubic-nohystart.txt", 2), encoding="utf-8")
    told = """\
        static int hystart = 1;
        module_param(hystart, int, 0644);
    """
    text = RENO.replace('.name = "mine"', '.name = "cubic"').replace("static u32 losses;", told + "static u32 losses;")
    text = text.replace("/* here */", "if (hystart) *(volatile int *)8 = 1;")
    outcome = cli("conform", str(tmp_path / "segments"), "--alg", written("mine.c", text), "--json")
    assert outcome.code in (0, 1), outcome.err
    assert outcome.json()[0]["rows"] > 0


def test_a_file_that_fails_on_segments_is_one_line(cli: Callable[..., Any], segments: Path, written: Write) -> None:
    for wrong, said in (("crash", "crashed (SIGSEGV) in on_acked"), ("zero", "cwnd is 0; allowed: 1 .. 2147483647")):
        text = RENO.replace('.name = "mine"', '.name = "reno"').replace("/* here */", BROKEN[wrong].replace("1000", "10"))
        outcome = cli("conform", str(segments), "--alg", written("mine.c", text))
        assert outcome.code == 2 and outcome.err.count("\n") == 1, outcome.err
        assert said in outcome.err and "with reno.txt" in outcome.err
