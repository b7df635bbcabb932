"""A case that a search found is confirmed on the kernel, or it is said why it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.scenario import Scenario
from windtunnel.search import FRESH, Case, on_linux, read_property, write_case

pytestmark = pytest.mark.usefixtures("kernel")


def test_bbr_in_a_shallow_buffer_loses_on_linux_too(tmp_path: Path) -> None:
    """BBRv1 in a quarter of a BDP sends more than one packet of a hundred again (Hock and others, ICNP 2017); CUBIC does not."""
    sought = read_property("loss_ovh > 0.01")
    link = {"rate": "50Mbit", "queue_bdp": 0.2}
    told = {
        name: on_linux(Scenario(bottleneck=link, flows=[name], rtt="40ms", duration="20s", warmup="5s", sample="100ms"), sought, FRESH[:2])
        for name in ("bbr", "cubic")
    }
    assert told["bbr"].broken(sought) == 2 and told["cubic"].broken(sought) == 0
    own = Scenario(bottleneck=link, flows=["bbr"], rtt="40ms", duration="20s", warmup="5s", sample="100ms")
    file = write_case(Case(sought, own, {}, (0.02,), told["bbr"]), tmp_path)
    assert ": 2 of 2 break it." in file.read_text(encoding="utf-8").splitlines()[2]


def test_what_no_kernel_has_is_said() -> None:
    own = Scenario(bottleneck={"rate": "50Mbit"}, flows=["fast"], rtt="40ms", duration="5s")
    told = on_linux(own, read_property("util < 0.5"), FRESH)
    assert told.values == () and "no Linux kernel has fast" in told.reason
