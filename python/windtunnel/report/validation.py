"""The tables of docs/validation.md, from a folder of results: ``python -m windtunnel.report.validation RESULTS PAGE`` renews them.

The reasons on that page are those of the registers, a paragraph per claim:
``**c06.** *Ambiguity: the metric.* Why, and the run that shows it.``
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from windtunnel.claims import Reason, Register, Verdict
from windtunnel.report.environment import VERDICTS
from windtunnel.report.stored import registers_of, verdicts_of
from windtunnel.report.text import MISSING, markdown, number
from windtunnel.store import SIMULATOR, Results, open_results
from windtunnel.version import __version__

EXPLAINED = ("Ambiguity", "Artefact")
"""First words of a reason that lies with the paper: what it leaves open, or what its hosts did."""
REASONS = (*EXPLAINED, "Emulation", "Ours", "Open", "Headline")
"""All first words: what our emulation of a path does, our error, not known, and a headline claim that holds."""
_BLOCK = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_PARAGRAPH = re.compile(r"^\*\*(?P<claim>[ct]\d+)\.\*\* \*(?P<kind>\w+)", re.MULTILINE)
_REASON = re.compile(r"^\*\*(?P<claim>[ct]\d+)\.\*\* \*.*?(?=\n\n|\n*\Z)", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^## .*\(`(?P<paper>\w+)`\)$", re.MULTILINE)


class ValidationError(ValueError):
    """A page that lacks something; its text is one line."""


def renewed(page: str, results: Results, today: date) -> str:
    """Return the page with its generated blocks written anew.

    Parameters
    ----------
    page : str
        Markdown; what stands between ``<!-- generated: NAME -->`` and ``<!-- end -->`` is replaced: ``summary``, ``headlines`` and papers.
    results : Results
        A folder with a full run.
    today : date
        When it was made.

    Raises
    ------
    ValidationError
        When a claim that fails, or a headline, has no paragraph, or a block's name is unknown.
    """
    page = with_reasons(page, registers_of(results))
    reasons = reasons_of(page)
    papers = {_paper(register): register for register in registers_of(results)}
    judged = {paper: _judged(results, register) for paper, register in papers.items()}
    lacking = list(_lacking(judged, reasons))
    if lacking:
        raise ValidationError(f"no paragraph says why: {', '.join(lacking)}")
    blocks = {paper: _table(own, reasons) for paper, own in judged.items()}
    blocks["summary"] = _summary(judged, reasons, results, today)
    blocks["headlines"] = _headlines(judged, reasons)
    unknown = [found["name"] for found in _BLOCK.finditer(page) if found["name"] not in blocks]
    if unknown:
        raise ValidationError(f"nothing is known of the blocks {', '.join(unknown)}; known: {', '.join(blocks)}")
    return _BLOCK.sub(lambda found: f"{found[1]}\n{blocks[found['name']]}\n\n{found[3]}", page)


def with_reasons(page: str, registers: Sequence[Register]) -> str:
    """Return the page with the paragraphs of claims as the registers have their reasons; one that says the same keeps its line breaks."""
    heading, *parts = re.split(r"(^## .*$)", page, flags=re.MULTILINE)
    known = {claim.id: claim.why for register in registers for claim in register.claims if claim.why is not None}
    pieces = [heading]
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        found = _HEADING.match(title)
        paper = found["paper"] if found else ""
        pieces += [title, _REASON.sub(lambda one, paper=paper: _paragraph(one, known.get(f"{paper}.{one['claim']}")), text)]
    return "".join(pieces)


def _paragraph(found: re.Match[str], why: Reason | None) -> str:
    if why is None:
        return found[0]
    about = f": {why.about}" if why.about else ""
    text = f"**{found['claim']}.** *{why.kind.capitalize()}{about}.* {why.text}"
    return found[0] if " ".join(found[0].split()) == text else textwrap.fill(text, 160, break_long_words=False, break_on_hyphens=False)


def reasons_of(page: str) -> dict[str, str]:
    """Return the claims that have a paragraph, as ``li07.c06``, each with the first word of its reason."""
    _, *parts = _HEADING.split(page)
    found: dict[str, str] = {}
    for paper, text in zip(parts[::2], parts[1::2], strict=True):
        found |= {f"{paper}.{paragraph['claim']}": paragraph["kind"] for paragraph in _PARAGRAPH.finditer(text)}
    return found


Judged = Sequence[Mapping[str, Verdict]]
"""Claims of a paper in the register's order, each by backend."""


def _paper(register: Register) -> str:
    return next(iter(register.papers))


def _judged(results: Results, register: Register) -> Judged:
    columns = {backend: verdicts_of(results, register, backend) for backend in results.backends()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _lacking(judged: Mapping[str, Judged], reasons: Mapping[str, str]) -> Iterator[str]:
    for own in judged.values():
        for claim in own:
            first = claim[SIMULATOR]
            failing = any(one.verdict == "fails" for one in claim.values())
            if (failing or first.strength == "headline") and first.id not in reasons:
                yield f"{first.id} ({first.verdict})"


def _summary(judged: Mapping[str, Judged], reasons: Mapping[str, str], results: Results, today: date) -> str:
    facts = dict(results.facts["facts"])
    everything = [claim for own in judged.values() for claim in own]
    rows = [[paper, *_counts(own)] for paper, own in [*judged.items(), ("all", everything)]]
    size = f"{facts['experiments']} experiments, {facts['distinct runs']} runs"
    made = f"{today.isoformat()}, version {__version__}, {facts['backend']}: {size}."
    said = _share([claim[SIMULATOR] for claim in everything if claim[SIMULATOR].judge == "sim"], reasons)
    return "\n\n".join([made, markdown(["paper", *VERDICTS.values(), "claims"], rows), said])


def _share(sim: Sequence[Verdict], reasons: Mapping[str, str]) -> str:
    """Return how many hold of those that could have failed. A failure that is explained is a failure, and counts as one."""
    open_ones = [one for one in sim if not one.by_construction]
    met = sum(1 for one in open_ones if one.verdict == "holds")
    explained = sum(1 for one in open_ones if one.verdict != "holds" and reasons.get(one.id) in EXPLAINED)
    share = f"{met / len(open_ones):.0%}" if open_ones else "none"
    put_in = sum(1 for one in sim if one.counted == "by_construction")
    return (
        f"{len(sim)} claims need no model of a host or of a wide-area path. {put_in} of them hold by construction: their outcome follows "
        f"from how the experiment or the algorithm is defined. Of the {len(open_ones)} whose outcome was open, {met} hold: {share}. Of the "
        f"others {explained} are shown below to rest on an ambiguity or an artefact of the paper, which explains them; they count as not "
        "holding."
    )


def _counts(own: Judged) -> list[str]:
    counts: Counter[str] = Counter(claim[SIMULATOR].counted for claim in own)
    return [*(str(counts[name]) for name in VERDICTS), str(len(own))]


def _headlines(judged: Mapping[str, Judged], reasons: Mapping[str, str]) -> str:
    return _table([claim for own in judged.values() for claim in own if claim[SIMULATOR].strength == "headline"], reasons, whole_id=True)


def _table(own: Judged, reasons: Mapping[str, str], *, whole_id: bool = False) -> str:
    return markdown(["claim", "", "published", "ours", "runs", "judged on", "verdict"], [_row(claim, reasons, whole_id) for claim in own])


def _row(claim: Mapping[str, Verdict], reasons: Mapping[str, str], whole_id: bool) -> list[str]:
    first = claim[SIMULATOR]
    measured = {name: one for name, one in claim.items() if one.verdict != "not_run"}
    name = first.id if whole_id else first.id.partition(".")[2]
    return [
        name,
        first.claim,
        first.published or MISSING,
        "; ".join(_said(one) for one in measured.values()) or MISSING,
        "; ".join(str(one.runs) for one in measured.values()) or MISSING,
        ", ".join("emulation" if one.judged_on else {SIMULATOR: "simulator"}.get(one.backend, one.backend) for one in measured.values())
        or MISSING,
        "; ".join(_verdict(one, reasons) for one in (measured or {"": first}).values()),
    ]


def _said(one: Verdict) -> str:
    ends = one.interval or [[]] * len(one.estimate or [])
    return ", ".join(
        number(value) + (f" ({number(pair[0])} to {number(pair[1])})" if pair and pair[0] != pair[1] else "")
        for value, pair in zip(one.estimate or [], ends, strict=True)
    )


def _verdict(one: Verdict, reasons: Mapping[str, str]) -> str:
    shown = VERDICTS[one.counted] if one.verdict == "holds" else f"**{VERDICTS[one.verdict]}**"
    kind = reasons.get(one.id, "Headline")
    return shown if one.verdict == "holds" or kind == "Headline" else f"{shown}: {kind.lower()}"


def main(folder: str, page: str) -> None:
    """Renew a page from a folder of results.

    Raises
    ------
    ValidationError, ResultsError, OSError
        When the page lacks something, or one of the two cannot be read.
    """
    path = Path(page)
    path.write_text(renewed(path.read_text(encoding="utf-8"), open_results(Path(folder)), date.today()), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
