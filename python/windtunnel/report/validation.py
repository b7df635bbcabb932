"""The tables of docs/validation.md, from a folder of results: ``python -m windtunnel.report.validation RESULTS PAGE STORED`` renews them.

What a kernel says is taken from measures that are stored with the project (`windtunnel.report.kernelcolumn`), the folder's among them.

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
from windtunnel.report.cells import HEADINGS, KERNEL, PAPER, TableCell, cell_of, joined, reasons_of, verdict_text
from windtunnel.report.environment import VERDICTS
from windtunnel.report.kernelcolumn import Stored, cells_of
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
_REASON = re.compile(r"^\*\*(?P<claim>[ct]\d+)\.\*\* \*.*?(?=\n\n|\n*\Z)", re.MULTILINE | re.DOTALL)


class ValidationError(ValueError):
    """A page that lacks something; its text is one line."""


def renewed(page: str, results: Results, today: date, stored: Stored | None = None) -> str:
    """Return the page with its generated blocks written anew.

    Parameters
    ----------
    page : str
        Markdown; what stands between ``<!-- generated: NAME -->`` and ``<!-- end -->`` is replaced: ``summary``, ``headlines`` and papers.
    results : Results
        A folder with a full run.
    today : date
        When it was made.
    stored : Stored, optional
        Measures of kernels; what the folder has of them is put there first. A claim that nothing judges keeps what the page says of it.

    Raises
    ------
    ValidationError
        When a claim that fails, or a headline, has no paragraph, or a block's name is unknown.
    """
    registers = registers_of(results)
    page = with_reasons(page, registers)
    reasons = reasons_of(page)
    if stored is not None:
        stored.keep(results, registers)
    papers = {_paper(register): register for register in registers}
    judged = {paper: _judged(results, register, stored) for paper, register in papers.items()}
    kernels = cells_of(page) | {
        id: cell
        for own in judged.values()
        for claim in own
        for id, cell in [(claim[SIMULATOR].id, cell_of(claim[KERNEL], reasons) if KERNEL in claim else None)]
        if cell is not None
    }
    lacking = list(_lacking(judged, reasons))
    if lacking:
        raise ValidationError(f"no paragraph says why: {', '.join(lacking)}")
    blocks = {paper: _table(own, reasons, kernels) for paper, own in judged.items()}
    blocks["summary"] = _summary(judged, reasons, results, today)
    blocks["headlines"] = _headlines(judged, reasons, kernels)
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
        found = PAPER.match(title)
        paper = found["paper"] if found else ""
        pieces += [title, _REASON.sub(lambda one, paper=paper: _paragraph(one, known.get(f"{paper}.{one['claim']}")), text)]
    return "".join(pieces)


def _paragraph(found: re.Match[str], why: Reason | None) -> str:
    if why is None:
        return found[0]
    about = f": {why.about}" if why.about else ""
    text = f"**{found['claim']}.** *{why.kind.capitalize()}{about}.* {why.text}"
    return found[0] if " ".join(found[0].split()) == text else textwrap.fill(text, 160, break_long_words=False, break_on_hyphens=False)


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
        f"others {explained} are shown below to rest on an ambiguity or an artefact of the paper, which explains them; they count as not "
        "holding."
    )


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


def main(folder: str, page: str, stored: str) -> None:
    """Renew a page from a folder of results and stored measures of a kernel.

    Raises
    ------
    ValidationError, ResultsError, OSError
        When the page lacks something, or one of the two cannot be read.
    """
    path = Path(page)
    text = renewed(path.read_text(encoding="utf-8"), open_results(Path(folder)), date.today(), Stored(Path(stored)))
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
