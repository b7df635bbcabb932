"""The page of the study of whole stacks: on verdicts and measures that are known, and the one that is kept."""

from __future__ import annotations

import datetime
import re
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from windtunnel.claims import Verdict
from windtunnel.plots.declared import Compared, Histories, History
from windtunnel.report import DataPoint, Figure, Repeat, Report, Section
from windtunnel.suites.stacks import findings
from windtunnel.suites.stacks import page as pages

DOCS = Path(__file__).parents[2] / "docs"
FAILS = Verdict(
    id="stacks.c.quinn-cubic",
    experiment="stacks.growth",
    claim="cubic@quinn grows along W_cubic with C = 0.4",
    predicate="abs(M('cubic_c',alg='cubic@quinn')-0.4) <= 0.06",
    published="",
    strength="",
    section="RFC 9438, 4.2 and 5.1",
    judge="sim",
    verdict="fails",
    estimate=[0.296],
    interval=[[0.291, 0.302]],
)
HOLDS = replace(
    FAILS,
    id="stacks.c.sim-cubic",
    claim="cubic grows along W_cubic with C = 0.4",
    predicate="abs(M('cubic_c',alg='cubic')-0.4) <= 0.06",
    verdict="holds",
    estimate=[0.397],
)


def figure(name: str, metric: str, *algs: str) -> Figure:
    rows = [{"alg": alg, "seed": seed, "metric": metric, "flow": None, "value": 0.3} for alg in algs for seed in (1, 2)]
    return Figure(Compared(name, f"Figure {name}", metric=metric, algs=algs), measures=pl.DataFrame(rows))


def point(alg: str, *values: float) -> DataPoint:
    return DataPoint({"alg": alg}, [Repeat(seed, f"run{alg}{seed}", {"cubic_c": value}) for seed, value in enumerate(values)])


SECTION = Section(
    "stacks.growth",
    "Growth",
    "By which law?",
    "RFC 9438, 4",
    parameters=[("build of quinn", "version 0.11.19, key 0123"), ("repeats", "2"), ("scale", "quick")],
    points=[point("cubic", 0.39, 0.40), point("cubic@quinn", 0.29, 0.30), point("cubic@noq", 0.36, 0.38)],
    measures={"cubic_c": "cubic_c"},
    figures=[figure("util", "util", "cubic", "cubic@quinn"), figure("c", "cubic_c", "cubic", "cubic@quinn")],
    verdicts=[HOLDS, FAILS],
)


def study(section: Section = SECTION) -> Report:
    return Report("One name", "", "stacks", "", "", facts={}, findings=["Something strikes."], sections=[section])


def written(section: Section, folder: Path) -> str:
    report = study(section)
    return pages.page(report, figures=pages.drawn(report, folder), today=datetime.date(2030, 1, 2))


def test_a_difference_stands_below_the_figure_of_its_metric_with_its_interval_and_the_lines_it_touches(tmp_path: Path) -> None:
    text = written(SECTION, tmp_path)
    said = "- Not so: cubic@quinn grows along W_cubic with C = 0.4. Measured 0.296 (0.291 to 0.302)."
    shown = f"![Figure c](figures/stacks-study-growth-c.svg)\n\n{said}"
    assert f"{shown} RFC 9438, 4.2 and 5.1.\n" in text
    assert [path.name for path in tmp_path.rglob("*.svg")] == ["stacks-study-growth-c.svg"]
    row = "| The program grows along W_cubic with C = 0.4 | `abs(cubic_c-0.4) <= 0.06` | RFC 9438, 4.2 and 5.1 | 0.397 | **0.296** |"
    assert row in text
    assert "\n| `cubic_c` | packets/s^3 | leading coefficient of the least-squares cubic" in text and "| `util` | " not in text
    assert "1 expectations hold, 1 fail, 0 are undecided, 0 were not run." in text and "Generated 2030-01-02" in text
    assert (
        "| quinn | version 0.11.19, key 0123 |" in text
        and "    windtunnel suite run stacks --quick\n" in text
        and "- Something strikes." in text
    )


def test_a_number_is_bold_where_it_is_beyond_the_repeats_and_a_tenth_of_linuxs(tmp_path: Path) -> None:
    text = written(SECTION, tmp_path)
    # 0.37 is beyond the repeats too, and 7 % away.
    assert "| `cubic` | 0.395 |\n| `cubic@quinn` | **0.295** |\n| `cubic@noq` | 0.37 |\n" in text


def test_what_no_figure_of_its_metric_shows_is_shown_by_its_samples_and_never_by_those_of_others() -> None:
    samples = Figure(Histories("cwnd", "Window", "cwnd_packets", algs=("cubic@quinn",)))
    other = figure("c", "cubic_c", "cubic", "cubic@noq")
    assert pages.shows(replace(SECTION, figures=[figure("util", "util", "cubic@quinn"), other, samples]), FAILS) is samples
    assert pages.shows(replace(SECTION, figures=[other]), FAILS) is None


def test_samples_over_time_follow_where_a_program_of_their_kind_differs() -> None:
    rows = {"flow": [1, 1], "t_s": [0.0, 0.1], "cwnd_packets": [10.0, 12.0]}
    history = History({"alg": "cubic@quinn"}, 1, pl.DataFrame(rows), pl.DataFrame({"flow": [1]}))
    cubic, reno = (Histories(name, f"Figure {name}", "cwnd_packets", algs=(f"{name}@quinn",)) for name in ("cubic", "reno"))
    section = replace(SECTION, figures=[*SECTION.figures, Figure(cubic, histories=[history]), Figure(reno, histories=[history])])
    assert [one.declaration.name for one in pages.series(section)] == ["cubic"]
    text = pages.page(study(section), figures={("stacks.growth", "cubic"): "figures/cubic.svg"}, today=datetime.date(2030, 1, 2))
    # After what differs, before the numbers.
    assert text.index("- Not so: ") < text.index("![Figure cubic](figures/cubic.svg)") < text.index("| `cubic@quinn` | **0.295** |")


@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        ("0.333 <= 1-M('share',alg='cubic',opponent='cubic@quinn') <= 0.667", "0.333 <= 1-share(cubic, the program) <= 0.667"),
        ("M('wrongly_lost',alg='cubic@quinn',case='1ms') <= 0.0005", "wrongly_lost(1ms) <= 0.0005"),
        (
            "all(0.7 <= M('law_ratio',alg='cubic@quinn',p=p) <= 1.4 for p in [0.001,0.01])",
            "all(0.7 <= law_ratio(p) <= 1.4 for p in [0.001,0.01])",
        ),
        ("M('marks_pkts',alg='cubic@quinn') > 0 and M('util',alg='cubic@quinn',q=1) >= 0.95", "marks_pkts > 0 and util(q=1) >= 0.95"),
    ],
)
def test_a_condition_is_shown_of_whichever_program_with_its_point(predicate: str, said: str) -> None:
    assert pages.holds_where(replace(FAILS, predicate=predicate)) == said


def test_a_share_is_the_programs_own() -> None:
    register = (Path(pages.__file__).parents[2] / "claims/data/stacks.yaml").read_text(encoding="utf-8")
    # The first flow of a pair is Linux's: a program that takes most of both would be shown with what it leaves.
    asked = re.findall(r"0\.333 <= (.*?)M\(''share'',alg=''(\w+)'',opponent", register)
    assert len(asked) == 10 and {(before, alg) for before, alg in asked} == {("1-", "cubic"), ("1-", "reno")}


def test_an_earlier_pages_figures_go(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    for name in ("stacks-study-old.svg", "overview.svg"):
        (tmp_path / "figures" / name).write_text("", encoding="utf-8")
    written(replace(SECTION, verdicts=[HOLDS]), tmp_path)
    assert [path.name for path in tmp_path.rglob("*.svg")] == ["overview.svg"]


def test_a_folder_without_the_study_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["page", str(tmp_path / "none"), str(tmp_path / "page.md")])
    with pytest.raises(SystemExit) as stopped:
        pages.main()
    said = capsys.readouterr().err
    assert stopped.value.code == 2 and said.startswith("error: ") and said.count("\n") == 1 and not (tmp_path / "page.md").exists()


def test_the_page_that_is_kept_has_its_figures_and_no_others() -> None:
    text = (DOCS / "stacks.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\(figures/(stacks-study-[\w.-]+\.svg)\)", text))
    kept = {path.name: path.stat().st_size for path in (DOCS / "figures").glob("stacks-study-*.svg")}
    assert named == set(kept) and named and max(kept.values()) < 300_000


def test_a_window_that_random_loss_does_not_lower_strikes_and_bbr_does_not() -> None:
    rows = [("cubic", 0.01, 0.8), ("cubic@picoquic", 0.01, 5.4), ("cubic@picoquic", 0.001, 1.7), ("bbr", 0.01, 5.3)]
    frame = pl.DataFrame([{"alg": alg, "p": p, "seed": 1, "metric": "law_ratio", "value": value} for alg, p, value in rows])
    said = "At a random loss of 1 % cubic@picoquic carries 5.4 times what the square-root law says."
    assert findings({"stacks.loss": frame}) == [said]
