"""The registers that come with the project: every quantity that a claim reads can be had."""

from __future__ import annotations

import ast
from importlib import resources

import pytest

from windtunnel.claims import packaged_register
from windtunnel.claims.derived import DERIVED
from windtunnel.claims.several import SEVERAL
from windtunnel.metrics import MEASURES

PAPERS = sorted(file.name[:-5] for file in (resources.files("windtunnel.claims") / "data").iterdir() if file.name.endswith(".yaml"))
OF_LAWS = {
    *("param", "alpha_step", "beta_step", "inc_at_t"),
    *("cubic_c", "growth_per_rtt", "undone", "start_loss", "law_ratio", "share", "cwnd_low", "wrongly_lost"),
    *("cwnd_over_need", "restart_burst", "first_burst", "start_burst"),
}
"""What suites measure themselves, of one law at a time."""


@pytest.mark.parametrize("paper", PAPERS)
def test_every_metric_of_a_claim_that_can_be_simulated_is_known(paper: str) -> None:
    register = packaged_register(paper)
    known = OF_LAWS | set(MEASURES) | set(DERIVED) | set(SEVERAL)
    read = {
        node.args[0].value
        for claim in register.claims
        if claim.judge == "sim"
        for node in ast.walk(claim.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in "MVR"
        and isinstance(node.args[0], ast.Constant)
    }
    assert read
    assert read <= known


@pytest.mark.parametrize("paper", PAPERS)
def test_units_and_infinity_are_the_registers(paper: str) -> None:
    for name, metric in packaged_register(paper).metrics.items():
        if name in MEASURES:
            assert MEASURES[name].unit == metric.unit, name
            assert MEASURES[name].can_be_infinite == metric.inf, name
