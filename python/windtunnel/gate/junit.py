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
    for cell in cells_of(verdict.rows):
        rows = [row for row in verdict.rows if row.cell == cell]
        failed = [row for row in rows if row.outcome == WORSE or (strict and row.outcome == UNDECIDED)]
        skipped = [row for row in rows if row.outcome == UNDECIDED and row not in failed]
        counts = {"tests": len(rows), "failures": len(failed), "skipped": len(skipped)}
        suite = ElementTree.SubElement(root, "testsuite", {"name": cell} | {key: str(value) for key, value in counts.items()})
        for row in rows:
            case = ElementTree.SubElement(suite, "testcase", classname=f"gate.{cell}", name=row.quantity)
            if row in failed:
                ElementTree.SubElement(case, "failure", message=f"{row.outcome}: {_said(row)}")
            elif row in skipped:
                ElementTree.SubElement(case, "skipped", message=f"undecided: {_said(row)}")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _said(row: Row) -> str:
    unit = f" {row.about.unit}" if row.about.unit else ""
    return f"{row.about.title}: {mean(row.old)} before, {mean(row.new)}{unit} now; change {change(row)}"
