"""What a report holds: plain data, ready to be shown without asking anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from windtunnel.plots import Declaration, History

if TYPE_CHECKING:
    import polars as pl

    from windtunnel.claims import Verdict
    from windtunnel.report.sensitivity import OpenChoice


@dataclass(frozen=True)
class Estimate:
    """A mean over repeats with its errors, in the unit of its column.

    Parameters
    ----------
    mean, sem : float
        Mean and standard error of the mean; the error is NaN for a single repeat.
    low, high : float
        95 % bootstrap interval of the mean.
    n : int
        Repeats.
    infinite : int
        Repeats that never reached the end, such as flows that did not converge.
    """

    mean: float
    sem: float
    low: float
    high: float
    n: int
    infinite: int = 0


CellValue: TypeAlias = str | int | float | Estimate | None


@dataclass(frozen=True)
class Table:
    """A table of results.

    Parameters
    ----------
    columns : sequence of str
        Headings, with units.
    rows : sequence of sequences
        One cell per column: text, a number, an estimate, or None where nothing was measured.
    caption : str
        What the cells are, where the headings do not say it.
    places : mapping of (int, int) to mapping
        Row and column of a cell, from 0, to the dimensions of the data point it shows.

    Raises
    ------
    ValueError
        When a row has more or fewer cells than there are columns.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[CellValue]]
    caption: str = ""
    places: Mapping[tuple[int, int], Mapping[str, str | float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse rows that do not fit the headings."""
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(f"table: row {number} has {len(row)} cells for {len(self.columns)} columns")


@dataclass(frozen=True)
class Figure:
    """A declared figure with the data it is drawn from.

    Parameters
    ----------
    declaration : Curves or Histories
        What to draw.
    measures : polars.DataFrame, optional
        The experiment's measures table.
    histories : sequence of History
        Runs with samples.
    beside : mapping of str to polars.DataFrame
        The measures of other backends, by what a reader calls each.
    """

    declaration: Declaration
    measures: pl.DataFrame | None = None
    histories: Sequence[History] = ()
    beside: Mapping[str, pl.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True)
class Repeat:
    """One repeat at a data point.

    Parameters
    ----------
    seed : int
        Which repeat.
    run : str
        Key of its run.
    values : mapping of str to float or str
        What was measured, by the measure's label; a measure without a value is not there.
    """

    seed: int
    run: str
    values: Mapping[str, float | str]


@dataclass(frozen=True)
class DataPoint:
    """One point of an experiment's grid with its repeats, shown on a page of its own.

    Parameters
    ----------
    values : mapping of str to str or float
        Dimension to value, all dimensions.
    repeats : sequence of Repeat
        In order of their seeds; empty where only another backend measured it.
    beside : mapping of str to sequence of Repeat
        Those of other backends, by what a reader calls each.
    """

    values: Mapping[str, str | float]
    repeats: Sequence[Repeat]
    beside: Mapping[str, Sequence[Repeat]] = field(default_factory=dict)

    @property
    def every_repeat(self) -> list[Repeat]:
        """The repeats of all backends."""
        return [*self.repeats, *(repeat for own in self.beside.values() for repeat in own)]


@dataclass(frozen=True)
class StoredRun:
    """Where a run is stored and how much of it.

    Parameters
    ----------
    folder : Path
        Its place, as `windtunnel.store.RunStore.find` returns it.
    kept : str
        How much was stored, a name of `windtunnel.store.KEPT`.
    """

    folder: Path
    kept: str


@dataclass(frozen=True)
class Section:
    """One experiment, shown on a page of its own.

    Parameters
    ----------
    id : str
        The experiment, such as ``li07.fig4``; unique within a report, and the page's file name.
    title, question, source : str
        What it is, what it asks, and where in which paper it comes from.
    parameters : sequence of (str, str)
        Name and value, with unit.
    points : sequence of DataPoint
        Each with a page of its own; the first measures are those of the figures.
    measures : mapping of str to str
        Label of a measure to its heading with the unit, in the order of a point's page.
    censored_at : float, optional
        What an infinite repeat counts as in a mean, seconds.
    source_table : Path, optional
        The stored measures, offered for download.
    figures : sequence of Figure
        Drawn in this order; the first is the thumbnail.
    table : Table
        The numbers behind the figures.
    verdicts : sequence of Verdict
        The claims judged by this experiment, on the report's first backend.
    beside : mapping of str to (mapping of str to Verdict)
        The same claims on the other backends: by backend, then by the claim's id.
    command : str
        What reruns exactly this.
    notes : sequence of str
        Whole sentences on what differs from the source and what to keep in mind.
    choices : sequence of OpenChoice
        What the source leaves open, with the verdicts of other values where they were run.
    """

    id: str
    title: str
    question: str
    source: str
    parameters: Sequence[tuple[str, str]] = ()
    points: Sequence[DataPoint] = ()
    measures: Mapping[str, str] = field(default_factory=dict)
    censored_at: float | None = None
    source_table: Path | None = None
    figures: Sequence[Figure] = ()
    table: Table = field(default_factory=lambda: Table((), ()))
    verdicts: Sequence[Verdict] = ()
    beside: Mapping[str, Mapping[str, Verdict]] = field(default_factory=dict)
    command: str = ""
    notes: Sequence[str] = ()
    choices: Sequence[OpenChoice] = ()


@dataclass(frozen=True)
class CriterionRow:
    """A criterion of a standard with what was found for it.

    Parameters
    ----------
    key, title, section, level : str
        Its number, what it asks, where in the text, and the text's own word for how far it binds.
    verdicts : sequence of (Verdict, str)
        The claims it was judged by, each with whose its threshold is.
    not_evaluated : str
        What of it was not evaluated, and why.
    """

    key: str
    title: str
    section: str
    level: str
    verdicts: Sequence[tuple[Verdict, str]]
    not_evaluated: str = ""


@dataclass(frozen=True)
class Standard:
    """A standard's text that a suite follows, and its criteria.

    Parameters
    ----------
    name, edition : str
        The suite, and which edition of the text it follows.
    left_out : sequence of str
        What the suite leaves out of it.
    algorithms : sequence of str
        Which algorithms were judged.
    rows : sequence of CriterionRow
        In the order of the text.
    """

    name: str
    edition: str
    left_out: Sequence[str]
    algorithms: Sequence[str]
    rows: Sequence[CriterionRow]


@dataclass(frozen=True)
class Report:
    """A study: what was run, what was found, and a section for each experiment.

    Parameters
    ----------
    title, subtitle : str
        The headings.
    suite : str
        Name of the suite, such as ``li07``.
    command : str
        What reruns all of it.
    made : str
        When and by what it was made, as text; a report asks no clock.
    runs : mapping of str to StoredRun
        The stored runs by key; each has a page.
    papers : mapping of str to str
        Prefix of the experiments' names to the paper they are of.
    facts : mapping of str to object
        Version, seeds, scale, runs, wall time and so on, in order.
    findings : sequence of str
        What the study found, a sentence or two each.
    about : mapping of str to str
        The experiment in which a finding was made, by its text.
    sections : sequence of Section
        The experiments.
    backends : mapping of str to str
        What measured them, by name, with what a reader calls it; the first gives the figures, the tables and the counts of verdicts.
    docs : str
        Address of the documentation that pages lead to; empty for none.
    elsewhere : mapping of str to int
        Experiments of the registers that the folder lacks, with how many claims are about each; no section counts them.
    standards : sequence of Standard
        The standards whose criteria were judged.
    """

    title: str
    subtitle: str
    suite: str
    command: str
    made: str
    runs: Mapping[str, StoredRun] = field(default_factory=dict, kw_only=True)
    papers: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    facts: Mapping[str, Any]
    findings: Sequence[str]
    sections: Sequence[Section]
    about: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    backends: Mapping[str, str] = field(default_factory=lambda: {"sim": "Simulator"})
    docs: str = ""
    elsewhere: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    standards: Sequence[Standard] = ()
