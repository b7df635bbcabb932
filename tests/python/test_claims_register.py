"""Reading registers strictly: what is no register, what a predicate may not hold, and that nothing hostile gets through."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.claims import PredicateError, RegisterError, claims_json, judge, packaged_register, register
from windtunnel.claims.grammar import FUNCTIONS, parse
from windtunnel.claims.loading import build
from windtunnel.claims.reading import read_document

FORMATS = Path(__file__).parents[1] / "formats/register"
DOCUMENT = read_document(FORMATS / "small.yaml")

Document = dict[str, Any]


def refusal(change: Callable[[Document], Any]) -> str:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    with pytest.raises(RegisterError) as caught:
        build(document, file="some.yaml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def written(tmp_path: Path, content: str | bytes, *, name: str = "register.yaml") -> str:
    """The refusal of a file with this content."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RegisterError) as caught:
        register(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert "\n" not in text
    return text.removeprefix(f"{path}: ")


# What is read


@pytest.mark.parametrize("name", ["small.yaml", "small.json"])
def test_a_register_of_version_1_is_read(name: str) -> None:
    found = register(FORMATS / name)
    assert list(found.experiments) == ["lab.main", "lab.once", "lab.law", "lab.sweep", "lab.sites"]
    main = found.experiments["lab.main"]
    assert (main.duration_s, main.repeats, main.points["rtt"]) == (600.0, 5, (20.0, 40.0, 80.0))
    assert found.metrics["conv80_s"].inf and not found.metrics["util"].inf
    claim = found.claims[0]
    assert (claim.id, claim.judge, claim.strength, claim.published) == ("lab.c01", "sim", "headline", "about 0.95")
    assert [cell.value for cell in found.experiments["lab.law"].tables["rates.with_sd"].cells] == [100.0, 200.0]


def test_the_packaged_register_holds_the_2007_paper() -> None:
    found = packaged_register("li07")
    # Its figures and tables, and two of them once more on emulations.
    assert len(found.experiments) == 20 + 2
    assert {claim.paper for claim in found.claims} == {"li07"}
    # VI.A, Fig. 4: two standard TCP flows of equal RTT share equally within 5 %.
    fair = next(claim for claim in found.claims if claim.id == "li07.c06")
    assert fair.predicate.endswith(">= 0.95")
    # Fig. 7: 10 queue sizes from 1 % to 100 % of the BDP.
    assert found.experiments["li07.fig7"].points["q"] == (0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)


def test_a_paper_without_a_packaged_register_is_refused() -> None:
    with pytest.raises(RegisterError, match="'lo07' is not a known paper \\(did you mean 'li07'\\?\\)"):
        packaged_register("lo07")


# Files


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "Is a directory"), (tmp_path / "none.yaml", "No such file or directory")):
        with pytest.raises(RegisterError) as caught:
            register(path)
        assert str(caught.value) == f"{path}: cannot be read: {reason}; allowed: a readable file"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "is not text (byte 0 is not UTF-8)"),
        (b"version: 1\n\0", "is not text (it holds NUL bytes)"),
        (b"version: \x07", "is not valid YAML: "),
        ("", "is not a register: it holds None"),
        ("just words", "is not a register: it holds 'just words'"),
        ("- 1\n- 2\n", "is not a register: it holds [1, 2]"),
        ("name: a scenario\nduration: 3s\n", "is not a register: version is missing"),
        ("version: 1\npapers: {a: b\n", "is not valid YAML: line "),
        ("version: 1\nversion: 1\n", "is not valid YAML: line 2: key 'version' comes twice"),
        ("version: 1\n---\nversion: 1\n", "is not valid YAML: "),
        ("version: !!python/object/apply:os.system ['true']\n", "is not valid YAML: "),
        ("version: 2001-99-99\n", "is not valid YAML: "),
        ("version: " + "9" * 5000, "is not valid YAML: "),
        ("? [a, b]\n: 1\n? {c: d}\n: 2\n", "is not valid YAML: "),
        ("version: " + "[" * 3000, "line 1: is nested too deeply; allowed: 40 levels"),
        ("version: 1\n" + "".join(f"{' ' * n}a:\n" for n in range(100)), "line 42: is nested too deeply; allowed: 40 levels"),
        ("a: &a [1]\nversion: *a\n", "line 2: aliases (*name) are not allowed"),
        (" " * 4_000_001, "is larger than 4000000 bytes"),
    ],
    ids=range(18),
)
def test_a_file_that_is_no_register_is_refused_in_one_line(tmp_path: Path, content: str | bytes, problem: str) -> None:
    assert written(tmp_path, content).startswith(problem)


def test_a_few_lines_that_stand_for_gigabytes_cost_nothing(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    began = time.process_time()
    assert "aliases" in written(tmp_path, "\n".join(lines))
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"version": 1, "version": 1}', "is not valid JSON: key 'version' comes twice"),
        ('{"version": NaN}', "is not valid JSON: NaN is not JSON"),
        ('{"version": 1', "is not valid JSON: "),
        ("[" * 100_000, "is nested too deeply"),
        ("[1]", "is not a register: it holds [1]"),
    ],
)
def test_json_is_read_as_strictly(tmp_path: Path, content: str, problem: str) -> None:
    assert written(tmp_path, content, name="register.json").startswith(problem)


# Entries


def _set(*path: str | int, to: Any) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        target: Any = document
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = to

    return change


MAIN, LAW, CLAIM = ("experiments", 0), ("experiments", 2), ("claims", 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_set("version", to=2), "some.yaml: version: 2 is not supported; allowed: 1"),
        (_set("version", to=True), "some.yaml: version: True is not supported; allowed: 1"),
        (_set("claim", to=[]), "some.yaml: 'claim' is not a known key (did you mean 'claims'?)"),
        (lambda d: d.pop("metrics"), "some.yaml: lab.law: measures: 'param' is not a known metric"),
        (lambda d: d.pop("experiments"), "some.yaml: experiments is missing"),
        (_set("claims", to=[]), "some.yaml: claims: holds []; allowed: a list of claims"),
        (_set("claims", to={"a": 1}), "some.yaml: claims: holds {'a': 1}"),
        (_set("papers", "x", to=5), "some.yaml: papers: x: holds 5"),
        (_set("metrics", "util", to="fraction"), "some.yaml: metrics: util: holds 'fraction'; allowed: a mapping"),
        (_set("metrics", "util", "inf", to="yes"), "some.yaml: metrics: util: inf is 'yes'; allowed: true or false"),
        (_set("metrics", "util", "unit", to=None), "some.yaml: metrics: util: unit is None; allowed: a text"),
        (_set("grammar", to={"functions": {"M": "", "eval": ""}}), "some.yaml: grammar: functions: 'eval' is not a known function"),
        (_set("grammar", to={"selectors": {"colour": ""}}), "some.yaml: grammar: selectors: 'colour' is not a known selector"),
        (lambda d: d["experiments"].append(d["experiments"][0]), "some.yaml: lab.main: this id comes twice"),
        (lambda d: d["claims"].append(d["claims"][0]), "some.yaml: lab.c01: this id comes twice"),
        (_set("claims", 0, to=7), "some.yaml: claims[0]: holds 7"),
        (_set(*CLAIM, "id", to=3), "some.yaml: claims[0]: id is 3; allowed: a text"),
        (_set(*MAIN, "paper", to="li08"), "some.yaml: lab.main: paper: 'li08' is not a known paper"),
        (_set(*MAIN, "measures", to=["utl"]), "some.yaml: lab.main: measures: 'utl' is not a known metric (did you mean 'util'?)"),
        (_set(*MAIN, "repeats", to=-1), "some.yaml: lab.main: repeats is -1; allowed: a whole number"),
        (_set(*MAIN, "repeats", to=2.5), "some.yaml: lab.main: repeats is 2.5; allowed: a whole number"),
        (_set(*MAIN, "duration_s", to="10 min"), "some.yaml: lab.main: duration_s is '10 min'; allowed: a number"),
        (_set(*MAIN, "duration_s", to=10**400), "some.yaml: lab.main: duration_s is 1000"),
        (_set(*MAIN, "points", "colour", to=["red"]), "some.yaml: lab.main: points: 'colour' is not a known dimension"),
        (_set(*MAIN, "points", "alg", to=["renoo"]), "some.yaml: lab.main: points: alg: 'renoo' is not a known algorithm"),
        (_set(*MAIN, "points", "rtt", to=["20"]), "some.yaml: lab.main: points: rtt: '20' is not allowed; allowed: a number"),
        (_set(*MAIN, "points", "rtt", to=[20, 20.0]), "some.yaml: lab.main: points: rtt: 20 comes twice"),
        (_set(*MAIN, "points", "rtt", to=[]), "some.yaml: lab.main: points: rtt is []; allowed: a list of points"),
        (_set(*MAIN, "points", "rtt", to=[float("inf")]), "some.yaml: lab.main: points: rtt: inf is not allowed"),
        (_set(*LAW, "tables", "rates.none", to={}), "some.yaml: lab.law: tables: rates.none: needs metric, selectors, value and sd"),
        (_set(*LAW, "data", "rates", to={}), "some.yaml: lab.law: tables: rates.with_sd: the path leads nowhere"),
        (_set(*LAW, "data", "rates", "with_sd", to={"reno": 5}), "some.yaml: lab.law: tables: rates.with_sd: a cell holds 5"),
        (_set(*CLAIM, "experiment", to="lab.man"), "some.yaml: lab.c01: experiment: 'lab.man' is not a known experiment"),
        (_set(*CLAIM, "judge", to="me"), "some.yaml: lab.c01: judge: 'me' is not a known judge"),
        (_set(*CLAIM, "judge", to=["sim"]), "some.yaml: lab.c01: judge: ['sim'] is not a known judge"),
        (_set(*CLAIM, "algorithms", to=["vegass"]), "some.yaml: lab.c01: algorithms: 'vegass' is not a known algorithm"),
        (_set(*CLAIM, "check", to="M('util') > 1"), "some.yaml: lab.c01: holds \"M('util') > 1\"; allowed: a mapping"),
        (_set(*CLAIM, "chek", to={}), "some.yaml: lab.c01: 'chek' is not a known key (did you mean 'check'?)"),
        (_set(*CLAIM, "published", to=0.95), "some.yaml: lab.c01: published is 0.95; allowed: a text"),
    ],
    ids=lambda value: value.removeprefix("some.yaml: ")[:40] if isinstance(value, str) else "",
)
def test_a_fault_is_named_with_its_file_and_item(change: Callable[[Document], Any], said: str) -> None:
    assert refusal(change).startswith(said)


@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        ("M('utl') > 1", "'utl' is not a known metric (did you mean 'util'?)"),
        ("M(5) > 1", "5 is not a known metric"),
        ("M('knee_q') > 1", "knee_q is not among the measures of lab.main"),
        ("M('util',exp='lab.man') > 1", "'lab.man' is not a known experiment (did you mean 'lab.main'?)"),
        ("mean([1],exp='nowhere') > 1", "'nowhere' is not a known experiment"),
        ("M('util',q=0.2) > 1", "selector q: lab.main has no such dimension"),
        ("max(V('util',over='q')) > 1", "over='q': lab.main has no such dimension"),
        ("M('thr_mbps',exp='lab.sweep',p=(1e-5,1e-3)) > 1", "thr_mbps: an interval of p is allowed with rf_slope only"),
        ("frac_within('lab.law','rates') > 1", "'rates' is not a known table of lab.law"),
        ("param_match('lab.main')", "lab.main has no table of parameters (data.table_II)"),
    ],
)
def test_a_predicate_names_only_what_there_is(predicate: str, said: str) -> None:
    text = refusal(_set(*CLAIM, "check", to={"predicate": predicate}))
    assert text.startswith(f"some.yaml: lab.c01: {said}")


# The language


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__ == 1",
        "M.__globals__ == 1",
        "(lambda: 1)() == 1",
        "9**9**9 > 1",
        "1 << 99999999999 > 1",
        "f'{1}' == '1'",
        "b'a' == 'a'",
        "(x := 1) == 1",
        "[1][0] == 1",
        "{1: 2} == 1",
        "{x for x in [1]} == 1",
        "1 if 2 > 1 else 0",
        "not 1 > 2",
        "+1 > 2",
        "1 != 2",
        "1 in [1]",
        "1 % 2 == 1",
        "7 // 2 == 3",
        "True",
        "None == 1",
        "1j == 1",
        "... == 1",
        "1e999 == inf",
        f"{'9' * 400} > 1",
        "x > 1",
        "M > 1",
        "nan > 1",
        "eval('1') > 1",
        "M(*['util']) > 1",
        "M(**{}) > 1",
        "M() > 1",
        "M('util','thr') > 1",
        "M('util',colour=1) > 1",
        "M('util',over='rtt') > 1",
        "M('util',alg='a',alg='b') > 1",
        "V('util') > 1",
        "mean([1],rtt=1) > 1",
        "min(1,2,default=3) > 1",
        "all(x > 1 for x in [1] if x > 0)",
        "all(inf > 1 for inf in [1])",
        "all(M > 1 for M in [1])",
        "all(x > 1 for x[0] in [1])",
        "all(y > 1 for x in [1])",
        "x > 1 and all(x > 1 for x in [1])",
        "await 1",
        "yield 1",
        "1 > 2; 2 > 1",
        "x = 1",
        "import os",
        "",
        "1 >",
        "(" * 300 + "1" + ")" * 300,
        "-" * 3000 + "1 > 1",
        "[" * 150 + "]" * 150,
        "1+" * 1000 + "1 > 1",
        "1 > 2 " * 2000,
        "'" + "a" * 5000 + "' == 'a'",
        "1 > \0",
        "1 > '\ud800'",
        "1(2) > 1",
    ],
)
def test_what_is_not_of_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(PredicateError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


def test_every_predicate_of_the_packaged_register_is_of_the_grammar() -> None:
    for claim in packaged_register("li07").claims:
        parse(claim.predicate)


# Random predicates, most of them well-formed: now and then something else stands where a number belongs.

NUMBER: st.SearchStrategy[str] = st.deferred(lambda: st.one_of(_LEAF, _MEASURED, _COMPUTED, _WRONG))
LIST: st.SearchStrategy[str] = st.deferred(lambda: st.one_of(_ALONG, _WRITTEN, _BUILT))
TRUTH: st.SearchStrategy[str] = st.deferred(lambda: st.one_of(_COMPARED, _JOINED))

_LEAF = st.sampled_from(["0", "1", "2.5", "1e-5", "-3", "inf", "40", "(0/0)"])
_METRIC = st.sampled_from(["'util'", "'util'", "'conv80_s'", "'thr_mbps'", "'shape_sign'"])
_WHERE = st.sampled_from(
    ["alg='reno'", "alg='cubic'", "alg='reno',rtt=40", "rtt=82", "alg='cubic',rtt=21", "rtt=60", "alg='none'", "flow=1"]
)
_MEASURED = st.builds("M({},{})".format, _METRIC, _WHERE)
_COMPUTED = st.one_of(
    st.builds("{}({})".format, st.sampled_from(["mean", "gmean", "median", "min", "max", "frac_inf"]), LIST),
    st.builds("{}({})".format, st.sampled_from(["abs", "log10", "-"]), NUMBER),
    st.builds("{0}({1},{1})".format, st.sampled_from(["spearman", "loglog_slope"]), LIST),
    st.builds("({} {} {})".format, NUMBER, st.sampled_from(["+", "-", "*", "/"]), NUMBER),
    st.just("frac_within('lab.law','rates.with_sd',rel=0.1)"),
    st.builds("max(x*{} for x in {})".format, NUMBER, LIST),
)
_WRONG = st.one_of(st.sampled_from(["'a'", "[1]", "zip([1],[1,2])", "M('knee_q')", "M('util',exp='lab.sites')", "all([])", "x"]), TRUTH)
_ALONG = st.builds("V({},over='rtt',alg='reno'{})".format, _METRIC, st.sampled_from(["", ",lo=40", ",hi=40", ",lo=90"]))
_WRITTEN = st.lists(NUMBER, min_size=1, max_size=3).map(lambda parts: f"[{','.join(parts)}]")
_BUILT = st.one_of(
    st.builds("R({},alg='reno',rtt=40)".format, _METRIC),
    st.builds("[x+{} for x in {}]".format, NUMBER, LIST),
    st.builds("({}+{})".format, LIST, LIST),
)
_COMPARED = st.builds("({} {} {})".format, NUMBER, st.sampled_from(["<", "<=", ">", ">=", "=="]), NUMBER)
_JOINED = st.one_of(
    st.builds("({} {} {})".format, TRUTH, st.sampled_from(["and", "or"]), TRUTH),
    st.builds("all(x >= {} for x in {})".format, NUMBER, LIST),
    st.builds("all(x < y for x,y in zip({0},{0}))".format, LIST),
    st.just("param_match('lab.law')"),
)


def _table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    names = (
        dict.fromkeys(("alg", "metric", "state", "text"), pl.String())
        | dict.fromkeys(("rtt", "value"), pl.Float64())
        | {"seed": pl.Int64()}
    )
    return pl.DataFrame(rows, schema=names)


_VALUES = {"util": (0.5, 0.6, 0.1), "conv80_s": (30.0, float("inf"), float("inf")), "thr_mbps": (float("nan"), 1.0, 2.0)}
TABLES = {
    "lab.main": _table(
        [
            {"alg": alg, "rtt": rtt, "metric": metric, "seed": seed, "value": value * rtt}
            for alg in ("reno", "cubic")
            for rtt in (20.0, 40.0, 80.0)
            for metric, values in _VALUES.items()
            for seed, value in enumerate(values)
        ]
        + [{"alg": "reno", "rtt": 40.0, "metric": "shape_sign", "seed": seed, "text": "convex"} for seed in range(3)]
    ),
    "lab.law": _table(
        [{"alg": alg, "metric": "thr_mbps", "seed": 0, "value": 105.0} for alg in ("reno", "cubic")]
        + [{"alg": "cubic", "metric": "param", "state": name, "seed": 0, "value": 0.4} for name in ("C", "beta")]
    ),
}


@settings(max_examples=150, deadline=None)
@given(TRUTH)
def test_a_random_predicate_is_refused_or_judged_and_twice_the_same(predicate: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["claims"][0]["check"] = {"predicate": predicate}
    try:
        found = build(document, file="random")
    except RegisterError as error:
        assert str(error).startswith("random: lab.c01: ")
        return
    first, second = (claims_json(judge(found, TABLES))[0] for _ in range(2))
    assert first["verdict"] in ("holds", "fails", "inconclusive", "not_run")
    assert first == second
    json.dumps(first, allow_nan=False)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*"()[]{}.,:=<>+-*/'\"01x @!%~^&|\n\t\\", *FUNCTIONS, "for", "in", "if", "lambda"]), max_size=40))
def test_random_text_is_refused_or_parsed(pieces: list[str]) -> None:
    try:
        parse("".join(pieces))
    except PredicateError as error:
        assert str(error)
