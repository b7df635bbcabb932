"""Makes the traces beside it: ``python data/traces/make.py [--check]``. Ours, drawn, not recorded; see README.md."""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

from windtunnel.scenario import traces

Spans = list[tuple[float, float]]


def cellular() -> Spans:
    """20 s: every 100 ms another rate, its logarithm an AR(1) process around 6 Mbit/s (standard deviation 0.6, correlation 0.95)."""
    draw, level, spans = random.Random("cellular"), 0.0, []
    for _ in range(200):
        level = 0.95 * level + draw.gauss(0.0, 0.6 * math.sqrt(1 - 0.95**2))
        spans.append((0.1, 6e6 * math.exp(level)))
    return spans


def satellite() -> Spans:
    """30 s: a low orbit's two slots of 15 s, each with a rate of its own and the last 120 ms without any, as the terminal turns over."""
    draw = random.Random("satellite")
    return [span for _ in range(2) for span in ((14.88, draw.uniform(5e6, 12e6)), (0.12, 0.0))]


def stairs() -> Spans:
    """12 s: 2, 4, 8 and 16 Mbit/s, 2 s each, and down again: what an algorithm finds of a rate that doubles and halves."""
    return [(2.0, rate * 1e6) for rate in (2, 4, 8, 16, 8, 4)]


def main(check: bool) -> int:
    """Write the traces, or say which differ from what would be written."""
    code = 0
    for make in (cellular, satellite, stairs):
        path = Path(__file__).with_name(f"{make.__name__}.trace")
        text = traces.text(traces.of_rates(make()))
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path} differs; run: python {__file__}", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
