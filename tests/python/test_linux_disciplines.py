"""Queue disciplines in a guest's orders: the kernel's numbers for the scenario's, and what is refused by name. No kernel is needed."""

from __future__ import annotations

import math
import os
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from windtunnel.backends.linux import config, plan
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.scenario import Scenario, catalogue

RECORDED = Path(__file__).parents[1] / "names" / "kernel-disciplines.txt"


def scenario(*flows: Any, **link: Any) -> Scenario:
    bottleneck = {"rate": "10Mbit", "queue": 100, **link}
    return Scenario(bottleneck=bottleneck, flows=flows or ("reno",), rtt="42ms", duration="20s")


def ordered(made: Scenario) -> list[list[str]]:
    assert unsupported(made) == []
    return [line.split() for line in plan.make(made).text.splitlines() if line.startswith("discipline ")]


@pytest.mark.parametrize(
    ("discipline", "words"),
    [
        # 99 wait behind the packet on the wire; times are in microseconds.
        ("codel", "codel 99 5000 100000"),
        ("codel,target=1ms,interval=20ms", "codel 99 1000 20000"),
        ("fq-codel", "fq_codel 99 5000 100000 1514 1024"),
        # Packets of the house, packets of a queue, bytes of a turn and of the first one, and the mask of the hash.
        ("fq", "fq 99 100 3028 15140 1023"),
        # RFC 8033's alpha 1/8 and beta 1 1/4 are 2 and 20 sixteenths, tc-pie(8)'s own defaults.
        ("pie", "pie 99 15000 15000 2 20"),
        ("fq-pie,flows=64", "fq_pie 99 15000 15000 2 20 10 1514 64"),
        ("drop-head", "pfifo_head_drop 99"),
    ],
)
def test_a_discipline_is_the_kernels_in_the_kernels_units(discipline: str, words: str) -> None:
    assert ordered(scenario(discipline=discipline)) == [["discipline", "forward", *words.split()]]


def test_a_limit_without_the_packet_on_the_wire_is_the_disciplines_own() -> None:
    assert ordered(scenario(discipline="codel", excludes_in_service=True))[0][3] == "100"


def test_reds_numbers_are_bytes_and_powers_of_two() -> None:
    made = scenario(discipline="red,gentle=0,min=5,max=15,max_p=0.1")
    *words, cell_log, decay, max_p, flags = ordered(made)[0]
    # 98, 4 and 14 packets of 1500 bytes, for one of those who wait is not in RED's queue; 1/512 is the power of two next to 0.002.
    assert words == ["discipline", "forward", "red", "147000", "6000", "21000", "9"]
    # ECN (1) and harddrop (2): beyond its range those are dropped too who could be marked.
    assert (int(max_p) / 2**32, int(flags)) == (pytest.approx(0.1), 3)
    # Floyd and Jacobson: an idle packet time, here of 1200 us, leaves 511/512 of the average. A cell stands for 2^cell_log us.
    halvings_per_packet = int(decay) / 2**16 / 2 ** int(cell_log) * 1200
    assert halvings_per_packet == pytest.approx(-math.log2(511 / 512), rel=1e-3)
    # A cell is an e-fold, to the nearest power of two of microseconds: what the kernel's straight line within a cell is made for.
    assert 2**-0.5 <= math.log(2) * int(decay) / 2**16 <= 2**0.5
    assert "weight: 0.002 is 0.00195312 in the kernel" in plan.make(made).notes[0]


@pytest.mark.parametrize(
    ("link", "threshold"), [({"mark": 20}, 19), ({"mark": 20, "excludes_in_service": True}, 20), ({"mark": "12ms"}, 10)]
)
def test_a_step_of_marks_is_a_red_without_an_average(link: dict[str, Any], threshold: int) -> None:
    words = ordered(scenario(**link))[0]
    # Both thresholds in bytes of those who wait, the weight 2^0; ECN (1) and nodrop (8): nobody is dropped for it.
    assert words[2] == "step" and words[4:7] == [str(1500 * threshold)] * 2 + ["0"] and words[-1] == "9"


def test_bytes_stay_bytes_where_acks_share_the_queue_and_the_wire_does_not_count() -> None:
    flows = ("reno", {"algorithm": "reno", "direction": "reverse"})
    link = {"rate": "10Mbit", "queue": "20kB", "excludes_in_service": True}
    made = Scenario(bottleneck=link, flows=flows, rtt="42ms")
    assert ordered(made) == [["discipline", "forward", "bfifo", "20000"], ["discipline", "reverse", "bfifo", "20000"]]
    assert plan.make(made).notes == ()


@pytest.mark.parametrize(
    ("link", "named"),
    [
        ({"discipline": "red"}, "bottleneck.discipline_parameters.gentle: the kernel's RED has no slope beyond max"),
        ({"discipline": "red,gentle=0,weight=0.003"}, "bottleneck.discipline_parameters.weight: 0.003 is no power of two"),
        ({"discipline": "ared"}, "bottleneck.discipline: no Linux kernel has ared"),
        ({"discipline": "dualpi2"}, "bottleneck.discipline: no Linux kernel has dualpi2"),
        ({"discipline": "shaper"}, "bottleneck.discipline: no Linux kernel has shaper"),
        ({"discipline": "pie,max_burst=0s"}, "bottleneck.discipline_parameters.max_burst_s"),
        ({"discipline": "pie,alpha=0.13"}, "bottleneck.discipline_parameters.alpha"),
        ({"discipline": "pie,beta=2.5"}, "bottleneck.discipline_parameters.beta"),
        ({"discipline": "pie,t_update=1500us"}, "bottleneck.discipline_parameters.t_update_s"),
        ({"discipline": "pie,ecn_max_p=0.2"}, "bottleneck.discipline_parameters.ecn_max_p"),
        ({"discipline": "fq,flows=100"}, "bottleneck.discipline_parameters.flows"),
        ({"discipline": "fq-codel,quantum=100"}, "bottleneck.discipline_parameters.quantum"),
        ({"discipline": "codel", "queue": 1}, "bottleneck.queue: 1, the packet in service among them"),
        ({"discipline": "red,gentle=0", "queue": 2}, "bottleneck.queue: 2,"),
        ({"mark": 1}, "bottleneck.mark"),
        ({"rate_steps": ["5s=5Mbit"], "queue": "50ms"}, "bottleneck.rate_steps"),
        ({"rate_steps": ["5s=5Mbit"], "discipline": "cake"}, "bottleneck.rate_steps: the kernel's cake is told a rate once"),
        ({"reorder": 1e-5, "reorder_by": "1ms"}, "bottleneck.reorder_probability"),
    ],
)
def test_what_no_kernel_has_is_listed_by_name(link: dict[str, Any], named: str) -> None:
    found = unsupported(scenario(**link))
    assert found and found[0].startswith(named)


def test_a_discipline_that_counts_bytes_is_refused_where_acks_pass_it() -> None:
    flows = ("reno", {"algorithm": "reno", "direction": "reverse"})
    found = unsupported(scenario(*flows, discipline="red,gentle=0"))
    assert [one.partition(":")[0] for one in found] == ["bottleneck.discipline", "reverse.discipline"]
    assert unsupported(scenario(*flows, discipline="codel")) == []


def swept() -> list[str]:
    """Every discipline at its defaults and with each parameter moved, on two rates: the orders, or what is refused."""
    lines = []
    for discipline in catalogue().disciplines.values():
        for rate in ("10Mbit", "1Gbit"):
            lines += [_said(discipline.name, {}, rate)]
            for parameter in discipline.parameters.values():
                low, high = parameter.low or 0.0, parameter.high or 0.0
                default = float(parameter.default or 0.0)
                for value in dict.fromkeys((low, high, default * 1.03, default * 3, round(default * 7) + 1)):
                    if low <= value <= high:
                        # A gentle RED is refused, so that nothing else of it would be looked at.
                        given = ({"gentle": 0.0} if discipline.name == "red" else {}) | {parameter.name: value}
                        lines += [_said(discipline.name, given, rate)]
    return lines


def _said(name: str, given: dict[str, float], rate: str) -> str:
    words = ",".join([name, *(f"{key}={value:g}" for key, value in given.items())])
    made = scenario(discipline=name, discipline_parameters=given, rate=rate)
    refused = [one.partition("bottleneck.")[2] for one in unsupported(made)]
    if refused:
        return f"{words} at {rate}: refused, {'; '.join(refused)}"
    notes = "".join(f"; {note}" for note in plan.make(made).notes)
    return f"{words} at {rate}: {' '.join(ordered(made)[0][2:])}{notes}"


def test_every_discipline_becomes_the_orders_that_are_recorded() -> None:
    """The file is what was sent to kernels so far: `GOLDEN=redraw` writes it anew."""
    text = "\n".join(swept()) + "\n"
    if os.environ.get("GOLDEN") == "redraw":
        RECORDED.write_text(text, encoding="utf-8")
    assert RECORDED.read_text(encoding="utf-8") == text


def test_a_guest_knows_every_kernel_discipline_by_its_numbers_and_its_kernel_has_it() -> None:
    source = (files("windtunnel.backends.linux") / "guest" / "discipline.c").read_text(encoding="utf-8")
    known = {name: int(values) for name, values in re.findall(r'^\t\{ "(\w+)", "\w+", (\d+),', source, re.MULTILINE)}
    qdiscs = [discipline.qdisc for discipline in catalogue().disciplines.values() if discipline.qdisc is not None]
    assert len(qdiscs) >= 7
    assert [(qdisc["kind"], known.get(qdisc["kind"])) for qdisc in qdiscs] == [(qdisc["kind"], len(qdisc["numbers"])) for qdisc in qdiscs]
    options = [qdisc["option"] for qdisc in qdiscs if qdisc["option"] is not None]
    assert [option for option in options if f"CONFIG_{option}=y" not in config.fragment().splitlines()] == []
