"""The verdict as JUnit XML, which CI systems show: a suite per cell, a test case per quantity."""

from __future__ import annotations

from xml.etree import ElementTree

from windtunnel.gate.judging import UNDECIDED, WORSE, Row
from windtunnel.gate.shown import change, mean
from windtunnel.gate.study import Verdict, cells_of


def junit(verdict: Verdict, *, strict: bool = False) -> str:
    """Return the document.

    Parameters
    ----------
    verdict : Verdict
        What the gate says.
    strict : bool
        What is undecided is a failure; else it is skipped.
    """
    root = ElementTree.Element("testsuites", name=f"windtunnel gate: {verdict.new.controller} against {verdict.title}")
    failing = (WORSE, UNDECIDED) if strict else (WORSE,)
    root.attrib.update(_totals([row.outcome for row in verdict.rows], failing))
    for cell in cells_of(verdict.rows):
        rows = [row for row in verdict.rows if row.cell == cell]
        skipped = sum(row.outcome == UNDECIDED and UNDECIDED not in failing for row in rows)
        suite = ElementTree.SubElement(root, "testsuite", name=cell, skipped=str(skipped))
        suite.attrib.update(_totals([row.outcome for row in rows], failing))
        for row in rows:
            case = ElementTree.SubElement(suite, "testcase", classname=f"gate.{cell}", name=row.quantity)
            if row.outcome in failing:
                ElementTree.SubElement(case, "failure", type=row.outcome, message=f"{row.outcome}: {_said(row)}")
            elif row.outcome == UNDECIDED:
                ElementTree.SubElement(case, "skipped", message=f"undecided: {_said(row)}")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _totals(outcomes: list[str], failing: tuple[str, ...]) -> dict[str, str]:
    """Return the counts that the schema of Jenkins' xUnit plugin demands (junit-10.xsd): nothing here ends in an error."""
    return {"tests": str(len(outcomes)), "failures": str(sum(one in failing for one in outcomes)), "errors": "0"}


def _said(row: Row) -> str:
    unit = f" {row.about.unit}" if row.about.unit else ""
    return f"{row.about.title}: {mean(row.old)} before, {mean(row.new)}{unit} now; change {change(row)}"
