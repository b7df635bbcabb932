"""The pages of validation, from a folder of results: ``python -m windtunnel.report.validation RESULTS DOCS STORED`` renews them.

DOCS has ``validation.md``, the summary, and a folder ``validation`` with a page for each paper. What a kernel says is taken from measures
stored with the project (`windtunnel.report.kernelcolumn`), the folder's among them. The reasons on the pages are those of the registers:
a heading and a paragraph for each claim that has one. What moved against the pages before, and which claims lack a reason, is printed;
with ``--list`` nothing is written.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from windtunnel.claims import Reason, Register, Verdict
from windtunnel.report.cells import HEADINGS, KERNEL, PAPER, TableCell, cell_of, joined, reasons_of, verdict_text
from windtunnel.report.environment import VERDICTS
from windtunnel.report.kernelcolumn import Stored, cells_of, verdicts_shown
from windtunnel.report.registers import registers_of
from windtunnel.report.stored import verdicts_of
from windtunnel.report.text import MISSING, markdown
from windtunnel.store import SIMULATOR, Results, open_results
from windtunnel.version import __version__

EXPLAINED = ("Ambiguity", "Artefact")
"""First words of a reason that lies with the paper: what it leaves open, or what its hosts did."""
REASONS = (*EXPLAINED, "Emulation", "Ours", "Open", "Headline")
"""All first words: what our emulation of a path does, our error, not known, and a headline claim that holds."""
_BLOCK = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_REASON = re.compile(r"^### (?P<claim>[ct]\d+)\n\n\*.*?(?=\n\n|\n*\Z)", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(?P<level>##|###) (?P<title>.+)$", re.MULTILINE)
_CLAIM = re.compile(r"[ct]\d+")
SUMMARY = "validation.md"
"""The page that says it all in short."""


class ValidationError(ValueError):
    """A page that lacks something; its text is one line."""


@dataclass(frozen=True)
class Renewed:
    """What a folder of results makes of the pages.

    Parameters
    ----------
    pages : mapping of str to str
        The pages, by their names.
    moved : tuple of str
        Claims whose verdict is not that of the pages before, each in a line.
    lacking : tuple of str
        Claims that fail, or are headlines, and have no paragraph that says why.
    """

    pages: Mapping[str, str]
    moved: tuple[str, ...]
    lacking: tuple[str, ...]


def renewed(pages: Mapping[str, str], results: Results, today: date, stored: Stored | None = None) -> Renewed:
    """Return the pages with their generated blocks written anew.

    Parameters
    ----------
    pages : mapping of str to str
        Markdown by name; what stands between ``<!-- generated: NAME -->`` and ``<!-- end -->`` is replaced: ``contents``, ``summary``,
        ``why``, ``headlines`` and papers. Papers that the folder has no experiment of keep what their pages say.
    results : Results
        A folder with a full run.
    today : date
        When it was made.
    stored : Stored, optional
        Measures of kernels; what the folder has of them is put there first. A claim that nothing judges keeps what the pages say of it.

    Raises
    ------
    ValidationError
        When a block's name is unknown.
    """
    registers = registers_of(results)
    before = "\n\n".join(pages.values())
    pages = {name: with_reasons(page, registers) for name, page in pages.items()}
    reasons = reasons_of("\n\n".join(pages.values()))
    if stored is not None:
        stored.keep(results, registers)
    judged = {_paper(register): _judged(results, register, stored) for register in registers}
    kernels = cells_of(before) | {
        id: cell
        for own in judged.values()
        for claim in own
        for id, cell in [(claim[SIMULATOR].id, cell_of(claim[KERNEL], reasons) if KERNEL in claim else None)]
        if cell is not None
    }
    blocks = {paper: _table(own, reasons, kernels) for paper, own in judged.items()}
    known = [*blocks, "contents", "summary", "why", "headlines"]
    unread = {paper for page in pages.values() for paper in PAPER.findall(page)} - set(judged)
    if not unread:  # Of some papers alone nothing can be said of all.
        blocks["summary"] = _summary(judged, reasons, results, today)
        blocks["why"] = _why(judged, reasons)
        blocks["headlines"] = _headlines(judged, reasons, kernels)
    named = [found["name"] for page in pages.values() for found in _BLOCK.finditer(page)]
    unknown = sorted(set(named) - set(known) - unread)
    if unknown:
        raise ValidationError(f"nothing is known of the blocks {', '.join(unknown)}; known: {', '.join(known)}")
    made = {name: _filled(page, blocks) for name, page in pages.items()}
    return Renewed(made, tuple(_moved(before, "\n\n".join(made.values()))), tuple(_lacking(judged, reasons)))


def _filled(page: str, blocks: Mapping[str, str]) -> str:
    own = {**blocks, "contents": contents(page)}
    return _BLOCK.sub(lambda found: f"{found[1]}\n{own[found['name']]}\n\n{found[3]}" if found["name"] in own else found[0], page)


def contents(page: str) -> str:
    """Return a page's contents: its headings as links, those of claims in a row."""
    lines: list[str] = []
    claims: list[str] = []
    for found in [*_HEADING.finditer(page), None]:
        if found is not None and found["level"] == "###" and _CLAIM.fullmatch(found["title"]):
            claims.append(f"[{found['title']}](#{found['title']})")
            continue
        if claims:
            lines.append(f"  {', '.join(claims)}")
            claims = []
        if found is not None:
            indent = "  " * (len(found["level"]) - 2)
            lines.append(f"{indent}- [{found['title']}](#{anchor(found['title'])})")
    return "\n".join(lines)


def anchor(title: str) -> str:
    """Return the anchor of a heading, as the hosts of repositories make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def _moved(before: str, after: str) -> Iterator[str]:
    """Yield a line for each claim whose verdict by the simulator is another one on the pages after."""
    old, new = verdicts_shown(before), verdicts_shown(after)
    for id, verdict in new.items():
        if id in old and old[id] != verdict:
            yield f"{id}: {old[id]} -> {verdict}"


def with_reasons(page: str, registers: Sequence[Register]) -> str:
    """Return a paper's page with the paragraphs of claims as the register has their reasons; one that says the same keeps its lines."""
    paper = PAPER.search(page)
    if paper is None:
        return page
    known = {claim.id: claim.why for register in registers for claim in register.claims if claim.why is not None}
    return _REASON.sub(lambda one: _paragraph(one, known.get(f"{paper['paper']}.{one['claim']}")), page)


def _paragraph(found: re.Match[str], why: Reason | None) -> str:
    if why is None:
        return found[0]
    about = f": {why.about}" if why.about else ""
    text = f"*{why.kind.capitalize()}{about}.* {why.text}"
    if " ".join(found[0].split()) == f"### {found['claim']} {text}":
        return found[0]
    return f"### {found['claim']}\n\n{textwrap.fill(text, 160, break_long_words=False, break_on_hyphens=False)}"


Judged = Sequence[Mapping[str, Verdict]]
"""Claims of a paper in the register's order, each by backend."""


def _paper(register: Register) -> str:
    return next(iter(register.papers))


def _judged(results: Results, register: Register, stored: Stored | None) -> Judged:
    columns = {backend: verdicts_of(results, register, backend) for backend in results.backends()}
    judged = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if stored is not None:
        on_kernel = stored.judged(register)
        judged = [claim | {KERNEL: on_kernel[claim[SIMULATOR].id]} if claim[SIMULATOR].id in on_kernel else claim for claim in judged]
    return judged


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
        f"others {explained} are shown to rest on an ambiguity or an artefact of the paper, which explains them; they count as not "
        "holding."
    )


def _why(judged: Mapping[str, Judged], reasons: Mapping[str, str]) -> str:
    """Return the claims that do not hold by the kind of their reason, each a link to its paragraph."""
    found: dict[str, list[str]] = {}
    for paper, own in judged.items():
        for one in (claim[SIMULATOR] for claim in own):
            if one.verdict not in ("fails", "inconclusive"):
                continue
            kind = reasons.get(one.id, "")
            name = f"[{one.id}]({Path(SUMMARY).stem}/{paper}.md#{one.id.partition('.')[2] if kind else 'claims'})"
            found.setdefault(kind or "none written", []).append(name if one.verdict == "fails" else f"{name} (inconclusive)")
    order = [*REASONS, "none written"]
    rows = [[kind.lower(), str(len(found[kind])), ", ".join(found[kind])] for kind in order if kind in found]
    return markdown(["reason", "claims", ""], rows)


def _counts(own: Judged) -> list[str]:
    counts: Counter[str] = Counter(claim[SIMULATOR].counted for claim in own)
    return [*(str(counts[name]) for name in VERDICTS), str(len(own))]


def _headlines(judged: Mapping[str, Judged], reasons: Mapping[str, str], kernels: Mapping[str, TableCell]) -> str:
    chosen = [claim for own in judged.values() for claim in own if claim[SIMULATOR].strength == "headline"]
    return _table(chosen, reasons, kernels, whole_id=True)


def _table(own: Judged, reasons: Mapping[str, str], kernels: Mapping[str, TableCell], *, whole_id: bool = False) -> str:
    return markdown(HEADINGS, [_row(claim, reasons, kernels, whole_id) for claim in own])


def _row(claim: Mapping[str, Verdict], reasons: Mapping[str, str], kernels: Mapping[str, TableCell], whole_id: bool) -> list[str]:
    first = claim[SIMULATOR]
    name = first.id if whole_id else first.id.partition(".")[2]
    others = [cell_of(one, reasons) for backend, one in claim.items() if backend not in (SIMULATOR, KERNEL)]
    own = [cell_of(first, reasons), kernels.get(first.id), *others]
    return [name, first.claim, first.published or MISSING, *joined(own, verdict_text(first, reasons))]


def read_pages(docs: Path) -> dict[str, str]:
    """Return the pages of validation in a folder of documentation, the summary first, by their paths in it."""
    own = sorted((docs / Path(SUMMARY).stem).glob("*.md"))
    return {path.relative_to(docs).as_posix(): path.read_text(encoding="utf-8") for path in (docs / SUMMARY, *own)}


def main(folder: str, docs: str, stored: str, *options: str) -> int:
    """Renew the pages from a folder of results and stored measures of a kernel, and say what moved; 1 where a claim lacks its reason.

    Raises
    ------
    ValidationError, ResultsError, OSError
        When a page lacks something, or one of the two cannot be read.
    """
    only_list = "--list" in options
    kept = Stored(Path(stored))
    found = renewed(read_pages(Path(docs)), open_results(Path(folder)), date.today(), kept if not only_list else kept.read_only())
    for name, text in found.pages.items():
        if not only_list:
            (Path(docs) / name).write_text(text, encoding="utf-8")
    print(f"verdicts that moved: {len(found.moved)}", *found.moved, sep="\n  ")
    print(f"claims without a reason: {len(found.lacking)}", *found.lacking, sep="\n  ")
    return 1 if found.lacking else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
