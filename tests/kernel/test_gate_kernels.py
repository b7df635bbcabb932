"""The gate on real kernels: a kernel by itself on the same seeds is equal to the bit, and another one is another side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from windtunnel.backends.linux import store
from windtunnel.cli import main

pytestmark = pytest.mark.usefixtures("kernel")
FEW = ["--backend", "linux", "--only", "slow,start", "--seeds", "2", "--jobs", "2", "--json"]


def test_a_kernel_is_equal_to_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = store.find()
    assert main(["gate", "cubic", "--save", str(tmp_path / "b.toml"), *FEW]) == 0
    capsys.readouterr()
    assert main(["gate", "cubic", "--against", f"linux:{kernel.digest}", "--kernel", kernel.digest, *FEW]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["counts"]["equal"] == 5 and all(row["p"] == 1 for row in said["rows"])
    # The baseline that a kernel made is no baseline of the simulator.
    assert main(["gate", "cubic", "--against", str(tmp_path / "b.toml")]) == 2
    assert "was made on backend linux, this is sim" in capsys.readouterr().err


def test_two_kernels_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    kernels = store.kernels()
    if len({one.version for one in kernels}) < 2:
        pytest.skip("two kernels are needed")
    first, second = kernels[0], kernels[-1]
    code = main(["gate", "cubic", "--against", f"linux:{first.digest}", "--kernel", second.digest, *FEW])
    said = json.loads(capsys.readouterr().out)
    assert code in (0, 1) and len(said["rows"]) == 5 and said["backend"].count(second.version)
