"""From a register file to a `Register`: every entry checked, every cross-reference followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from windtunnel.claims.completing import completed, known_metrics, made_of, packaged_declarations, text_of
from windtunnel.claims.fields import Entry, is_number, not_known
from windtunnel.claims.grammar import DIMENSIONS, FUNCTIONS, OTHER_SENDERS, OTHERS, SELECTORS, parse
from windtunnel.claims.model import (
    JUDGES,
    REASONS,
    Claim,
    Metric,
    PointValue,
    PredicateError,
    PublishedTable,
    Reason,
    Register,
    Registered,
    RegisterError,
)
from windtunnel.claims.published import published_table
from windtunnel.claims.reading import read_document
from windtunnel.claims.references import check_references
from windtunnel.foreign import is_file
from windtunnel.scenario import catalogue
from windtunnel.scenario.errors import shown, unknown

VERSION = 1
_REQUIRED = ("version", "papers", "experiments", "claims")
_OWN = ("dimensions", "algorithms")  # Beside ours: of experiments that are no paper's.
_KINDS = ("name", "number")
_PROSE = ("grammar", "conv80", "verdict_rules")  # What the code of this package implements; a register may repeat it in words.
_SETUPS = "setups"  # What a source says of its experiments, in its words: for readers.
_EXPERIMENT = ("id", "paper", "title", "duration_s", "repeats", "points", "measures")
_EXPERIMENT_OPTIONAL = (
    *("by_site", "compared_with", "rate_mbps", "data", "tables", "topology"),
    # For readers, as registers had them that described their experiments themselves.
    *("section", "plot", "flows", "traffic", "duration_note", "repeats_note", "swept", "depends_on", "reproducible", "reproducible_note"),
    *("emulation", "notes"),
)
_CLAIM = ("id", "experiment", "paper", "claim", "check", "judge")
_CLAIM_OPTIONAL = ("kind", "published", "strength", "section", "algorithms", "expected_theory", "caveat", "by_construction", "why")

_Named = TypeVar("_Named", Registered, Claim)


def register(path: str | Path, *, declared: Mapping[str, Any] | None = None) -> Register:
    """Read a register of claims.

    Parameters
    ----------
    path : str or Path
        A YAML file, or JSON when it ends in ``.json``.
    declared : mapping, optional
        ``experiments`` and ``metrics`` of its suite, for a register that holds claims only.

    Returns
    -------
    Register
        Its papers, metrics, experiments and claims.

    Raises
    ------
    RegisterError
        One line with the file, the item and what is wrong: a file that is no register, a key, metric, selector, function, construct,
        experiment or paper that is not known, an id that comes twice.
    """
    path = Path(path)
    return build(read_document(path), file=str(path), declared=declared)


def whole_text(path: Path, *, declared: Mapping[str, Any]) -> str:
    """Return a register as a file that stands alone, with what it takes from its suite filled in; see `register`."""
    document = read_document(path)
    if "experiments" in document:
        return path.read_text(encoding="utf-8")
    return text_of(completed(document, declared))


def packaged_register(paper: str) -> Register:
    """Read the register of one paper that comes with Windtunnel.

    Parameters
    ----------
    paper : str
        The paper's id, for example ``li07``.

    Returns
    -------
    Register
        The claims of that paper, and its experiments as the paper's suite declares them.

    Raises
    ------
    RegisterError
        When there is no register of that paper.
    """
    folder = resources.files("windtunnel.claims") / "data"
    papers = sorted(file.name[: -len(".yaml")] for file in folder.iterdir() if file.name.endswith(".yaml"))
    if paper not in papers:
        raise RegisterError("packaged registers", "", unknown("paper", paper, papers))
    with resources.as_file(folder / f"{paper}.yaml") as path:
        return build(read_document(path), file=path.name, declared=packaged_declarations()[paper])


def packaged_tables(paper: str) -> dict[str, dict[str, PublishedTable]]:
    """Return the published tables of one paper's register: by experiment, then by their path in its published numbers."""
    with resources.as_file(resources.files("windtunnel.claims") / "data" / f"{paper}.yaml") as path:
        published = read_document(path).get("published", {})
    return {
        id: {name: published_table(own.get("data") or {}, name, row) for name, row in own.get("tables", {}).items()}
        for id, own in published.items()
    }


def build(document: Mapping[str, Any], *, file: str, declared: Mapping[str, Any] | None = None) -> Register:
    """Check a register's plain data and make a `Register` of it.

    Parameters
    ----------
    document : mapping
        What the file holds.
    file : str
        The file's name, for the error.
    declared : mapping, optional
        As `register` takes it.

    Returns
    -------
    Register
        The register.

    Raises
    ------
    RegisterError
        One line with the file, the item and what is wrong.
    """
    document = completed(document, declared)
    top = Entry(file, "", document)
    if "version" not in document:
        raise top.error(
            "is not a register: version is missing; allowed: version: 1, papers, claims; and experiments, unless a suite has them"
        )
    if document["version"] != VERSION or isinstance(document["version"], bool):
        raise RegisterError(file, "version", f"{shown(document['version'])} is not supported; allowed: {VERSION}")
    top.only(required=_REQUIRED, optional=("metrics", _SETUPS, *_PROSE, *_OWN))
    _check_grammar(top)
    words = _words(top)
    papers = {str(name): text for name, text in top.mapping("papers").items()}
    for name, text in papers.items():
        if not isinstance(text, str):
            raise RegisterError(file, f"papers: {name}", f"holds {shown(text)}; allowed: a text")
    metrics = known_metrics() | {
        str(name): _metric(Entry.of(row, file=file, item=f"metrics: {name}"), str(name)) for name, row in top.mapping("metrics").items()
    }
    experiments = _by_id([_experiment(entry, papers, metrics, words) for entry in _entries(top, "experiments")], file)
    claims = _by_id([_claim(entry, papers, experiments, words) for entry in _entries(top, "claims")], file)
    for claim in claims.values():
        try:
            check_references(claim, experiments=experiments, metrics=metrics)
        except PredicateError as error:
            raise RegisterError(file, claim.id, str(error)) from None
    return Register(file, papers, metrics, experiments, tuple(claims.values()))


@dataclass(frozen=True)
class _Words:
    """The dimensions and algorithms that a register may name: ours, and those it declares."""

    dimensions: Mapping[str, str]
    algorithms: tuple[str, ...]
    own: frozenset[str]


def _words(top: Entry) -> _Words:
    own = dict(top.mapping("dimensions"))
    for name, kind in own.items():
        if not isinstance(name, str) or not name.isidentifier() or name in OTHERS or name in FUNCTIONS or name in DIMENSIONS:
            raise RegisterError(top.file, "dimensions", f"{shown(name)} cannot be declared; allowed: a new name, as in Python")
        if kind not in _KINDS:
            raise RegisterError(top.file, f"dimensions: {name}", f"{shown(kind)} is no kind; allowed: {', '.join(_KINDS)}")
    known = dict.fromkeys([*catalogue().algorithms, *OTHER_SENDERS, *top.names("algorithms", needed=False)])
    return _Words({**DIMENSIONS, **own}, tuple(known), frozenset(own))


def _check_grammar(top: Entry) -> None:
    grammar = top.mapping("grammar")
    for key, known in (("functions", tuple(FUNCTIONS)), ("selectors", SELECTORS)):
        for name in Entry(top.file, "grammar", grammar).mapping(key):
            if name not in known:
                raise RegisterError(top.file, f"grammar: {key}", unknown(key.rstrip("s"), name, known))


def _entries(top: Entry, key: str) -> list[Entry]:
    rows = top.fields[key]
    if not isinstance(rows, list) or not rows:
        raise RegisterError(top.file, key, f"holds {shown(rows)}; allowed: a list of {key}")
    entries = []
    for index, row in enumerate(rows):
        entry = Entry.of(row, file=top.file, item=f"{key}[{index}]")
        entries.append(Entry(top.file, entry.text("id"), entry.fields))
    return entries


def _by_id(items: list[_Named], file: str) -> dict[str, _Named]:
    found: dict[str, _Named] = {}
    for item in items:
        if item.id in found:
            raise RegisterError(file, item.id, "this id comes twice")
        found[item.id] = item
    return found


def _metric(entry: Entry, name: str) -> Metric:
    entry.only(required=("unit", "definition"), optional=("inf", "of", "window"))
    inf = entry.fields.get("inf", False)
    if not isinstance(inf, bool):
        raise entry.error(f"inf is {shown(inf)}; allowed: true or false")
    return Metric(name, entry.text("unit"), entry.text("definition"), inf)


def _experiment(entry: Entry, papers: Mapping[str, str], metrics: Mapping[str, Metric], words: _Words) -> Registered:
    entry.only(required=_EXPERIMENT, optional=_EXPERIMENT_OPTIONAL)
    measures = entry.names("measures")
    for name in measures:
        if name not in metrics:
            raise entry.error(f"measures: {not_known('metric', name, metrics)}")
    data = entry.mapping("data", nullable=True)
    points = {str(name): _points(entry, str(name), values, words) for name, values in entry.mapping("points").items()}
    measures = (*measures, *made_of(measures, points))
    return Registered(
        id=entry.item,
        paper=_paper(entry, papers),
        title=entry.text("title"),
        duration_s=entry.number("duration_s"),
        repeats=entry.whole("repeats"),
        points=points,
        measures=measures,
        by_site=_of_sites(entry),
        compared_with=entry.text("compared_with", needed=False),
        rate_mbps=_rate(entry),
        data=data,
        tables={str(path): _table(entry, data, str(path), row, measures) for path, row in entry.mapping("tables").items()},
    )


def _paper(entry: Entry, papers: Mapping[str, str]) -> str:
    paper = entry.text("paper")
    if paper not in papers:
        raise entry.error(f"paper: {unknown('paper', paper, papers)}")
    return paper


def _points(entry: Entry, name: str, values: Any, words: _Words) -> tuple[PointValue, ...]:
    if name not in words.dimensions:
        raise entry.error(f"points: {unknown('dimension', name, words.dimensions)}")
    if not isinstance(values, list) or not values:
        raise entry.error(f"points: {name} is {shown(values)}; allowed: a list of points")
    kind = words.dimensions[name]
    found: list[PointValue] = []
    for value in values:
        number = is_number(value) and value >= 0
        if not (number and kind != "name") and not (isinstance(value, str) and kind != "number"):
            wanted = {"name": "a name", "number": "a number, 0 or more (in YAML 1.0e-5, not 1e-5)", "either": "a name or a number"}[kind]
            raise entry.error(f"points: {name}: {shown(value)} is not allowed; allowed: {wanted}")
        if name == "alg":
            _check_algorithm(entry, "points: alg", value, words)
        point: PointValue = value if isinstance(value, str) else float(value)
        if point in found:
            raise entry.error(f"points: {name}: {shown(value)} comes twice")
        found.append(point)
    return tuple(found)


def _of_sites(entry: Entry) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the values of dimensions by site; ``topology`` is where registers had them that described their experiments themselves."""
    topology, found = entry.mapping("topology"), dict(entry.mapping("by_site"))
    for name, key in (("win", "window_limit"), ("opponent", "opponents")):
        listed = topology.get(key)
        if isinstance(listed, Mapping):
            found.setdefault(name, {site: values for site, values in listed.items() if isinstance(values, list)})
    for name, own in found.items():
        if not isinstance(own, Mapping) or not all(isinstance(values, list) for values in own.values()):
            raise entry.error(f"by_site: {name}: holds {shown(own)}; allowed: a list of values for each site")
    return {str(name): {str(site): tuple(map(str, values)) for site, values in own.items()} for name, own in found.items()}


def _rate(entry: Entry) -> float | None:
    if "rate_mbps" in entry.fields:
        return entry.number("rate_mbps")
    given = entry.mapping("topology").get("bottleneck_mbps")
    return None if given is None or not is_number(given) else float(given)


def _check_algorithm(entry: Entry, key: str, name: str, words: _Words) -> None:
    if is_file(name):
        return
    if name.split(":")[0] not in words.algorithms:
        raise entry.error(f"{key}: {unknown('algorithm', name, words.algorithms)}")


def _table(entry: Entry, data: Mapping[str, Any], path: str, row: Any, measures: tuple[str, ...]) -> PublishedTable:
    try:
        table = published_table(data, path, row)
    except ValueError as error:
        raise entry.error(f"tables: {path}: {error}") from None
    if table.metric not in measures:
        raise entry.error(f"tables: {path}: {unknown('metric of the experiment', table.metric, measures)}")
    return table


def _claim(entry: Entry, papers: Mapping[str, str], experiments: Mapping[str, Registered], words: _Words) -> Claim:
    entry.only(required=_CLAIM, optional=_CLAIM_OPTIONAL)
    experiment = entry.text("experiment")
    if experiment not in experiments:
        raise entry.error(f"experiment: {not_known('experiment', experiment, experiments)}")
    judge = entry.fields["judge"]
    if judge not in JUDGES:
        raise entry.error(f"judge: {unknown('judge', judge, JUDGES)}")
    for name in entry.names("algorithms", needed=False):
        _check_algorithm(entry, "algorithms", name, words)
    check = Entry.of(entry.fields["check"], file=entry.file, item=entry.item)
    check.only(required=("predicate",), optional=("tolerance",))
    predicate = check.text("predicate")
    try:
        tree = parse(predicate, words.own)
    except PredicateError as error:
        raise entry.error(f"predicate: {error}") from None
    return Claim(
        id=entry.item,
        experiment=experiment,
        paper=_paper(entry, papers),
        claim=entry.text("claim"),
        predicate=predicate,
        tree=tree,
        judge=judge,
        published=entry.text("published", needed=False),
        strength=entry.text("strength", needed=False),
        section=entry.text("section", needed=False),
        by_construction=entry.text("by_construction", needed=False),
        tolerance=check.text("tolerance", needed=False),
        caveat=entry.text("caveat", needed=False),
        why=_why(entry) if "why" in entry.fields else None,
    )


def _why(entry: Entry) -> Reason:
    why = Entry.of(entry.fields["why"], file=entry.file, item=f"{entry.item}: why")
    why.only(required=("kind", "text"), optional=("about",))
    if why.text("kind") not in REASONS:
        raise why.error(f"kind: {unknown('kind of reason', why.fields['kind'], REASONS)}")
    return Reason(why.text("kind"), why.text("about", needed=False), why.text("text"))
