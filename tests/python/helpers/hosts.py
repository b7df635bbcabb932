"""Two hosts in namespaces of their own with the live router between them, and a program in each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import windtunnel as wt
from windtunnel.backends.live import orders
from windtunnel.live import enter

BETWEEN = Path(__file__).parents[2] / "live/between.py"
WINDTUNNEL = [sys.executable, "-m", "windtunnel"]


def path(**link: Any) -> wt.Scenario:
    """A path of 20 Mbit/s, 20 ms and a queue of 40 packets for as long as it is used, the same both ways."""
    return wt.Scenario(
        bottleneck=wt.Bottleneck(**{"rate_bps": 20e6, "queue_packets": 40} | link),
        flows=(wt.Flow(algorithm="cubic"),),
        reverse={"rate_bps": 20e6, "queue_packets": 40},
        rtt_s=0.02,
        duration_s=600.0,
    )


def between(given: wt.Scenario, first: list[str], second: list[str], **more: Any) -> dict[str, Any]:
    """Run both programs, the first at the receiver's place, and return what `tests/live/between.py` answers."""
    asked = {"live": orders.make(given, proof=False), "first": first, "second": second} | more
    command = [sys.executable, "-I", enter.__file__, sys.executable, str(BETWEEN)]
    ended = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer
