"""What the gate's plan of two minutes sees: seeded defects, and controllers that did not change on other seeds, judged many times over.

Plans are drawn from a pool of runs with more seeds than a plan has. `python benches/gate_power.py` makes the pool (data/gate/pool.parquet),
half an hour on two busy cores, and writes docs/concepts/gate-power.md; `--page` writes the page only,
`--only CELLS` makes some cells anew.
"""

from __future__ import annotations

import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist, fmean, stdev

import polars as pl

from windtunnel import pool
from windtunnel.gate import BETTER, LEVEL, STANDARD, UNDECIDED, WORSE, Margins, Values, carry_out, judge, plan, subject
from windtunnel.gate.measures import QUANTITIES
from windtunnel.gate.plans import GatePlan
from windtunnel.progress import progress

ROOT = Path(__file__).parents[1]
POOL = ROOT / "data/gate/pool.parquet"
PAGE = ROOT / "docs/concepts/gate-power.md"
SEEDS = 96
PLANS_DRAWN = 200


@dataclass(frozen=True)
class Defect:
    """A change that the gate must see.

    Parameters
    ----------
    words : str
        For a reader.
    before, now : str
        The controllers, as `windtunnel gate` takes them.
    """

    words: str
    before: str
    now: str


DEFECTS = (
    Defect("CUBIC with beta 0.75 in place of 0.7", "cubic", "cubic,beta=0.75"),
    Defect("CUBIC without HyStart", "cubic", "cubic,slow_start=standard"),
    Defect("RTO doubled: 400 ms and the RTT at least, in place of 200", "cubic", "cubic,rto_min_s=0.4"),
    Defect("BBR with a probe gain of 1.3 in place of 1.25", "bbr", "bbr,probe_gain=1.3"),
    Defect("Reno that ignores every tenth loss", "reno", "benches/gate/reno_tenth.c"),
    Defect("pacing off, of CUBIC that was paced", "cubic,pacing=full", "cubic"),
    Defect("Reno that counts a segment too few in every delayed ACK", "reno", "benches/gate/reno_fewer.c"),
)
BASES = tuple(dict.fromkeys(one.before for one in DEFECTS))


def make(only: list[str] | None) -> None:
    """Run every controller on all seeds, of some cells or of all, and store what was measured; other cells' values stay."""
    wide = plan(STANDARD).narrowed(only, SEEDS)
    texts = list(dict.fromkeys(text for one in DEFECTS for text in (one.before, one.now)))
    began = time.monotonic()
    rows = []
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as folder, pool.kept(pool.cores()), progress(quiet=False) as on_step:
        for number, text in enumerate(texts):
            controller = subject(text if "/" not in text else str(ROOT / text))
            values = carry_out(
                [controller], wide, Path(folder) / str(number), jobs=pool.cores(), command="make gate-power", on_step=on_step
            )
            for cell, quantities in values[controller.name].cells.items():
                for quantity, series in quantities.items():
                    rows += [(text, cell, quantity, seed, value) for seed, value in series.items()]
        POOL.parent.mkdir(exist_ok=True)
        names = {name: pl.Categorical for name in ("controller", "cell", "quantity")}
        frame = pl.DataFrame(rows, schema={**names, "seed": pl.UInt16, "value": pl.Float64}, orient="row")
        if only is not None:
            before = pl.read_parquet(POOL).filter(~pl.col("cell").cast(pl.String).is_in(only))
            frame = pl.concat([one.cast({name: pl.String for name in names}) for one in (before, frame)]).cast(names)
        frame.write_parquet(POOL, compression="zstd", compression_level=19)
        print(f"{len(rows)} values in {time.monotonic() - began:.0f} s", file=sys.stderr)


def read() -> dict[str, Values]:
    """Return what each controller of the pool gave."""
    found: dict[str, dict[str, dict[str, dict[int, float | None]]]] = {}
    frame = pl.read_parquet(POOL).with_columns(pl.col("controller", "cell", "quantity").cast(pl.String))
    for text, cell, quantity, seed, value in frame.iter_rows():
        found.setdefault(text, {}).setdefault(cell, {}).setdefault(quantity, {})[seed] = value
    return {text: Values(text, "simulator", "", "sim", STANDARD, cells) for text, cells in found.items()}


def drawn(values: Values, seeds: Sequence[int]) -> Values:
    """Return a plan's worth of a controller's values: those of some seeds, numbered anew."""
    cells = {
        cell: {quantity: {number: series[seed] for number, seed in enumerate(seeds)} for quantity, series in quantities.items()}
        for cell, quantities in values.cells.items()
    }
    return Values(values.controller, values.backend, values.engine, values.kind, values.plan, cells)


@dataclass(frozen=True)
class Seen:
    """How often of so many plans the gate called something worse, or better; where, and how much was undecided in the mean."""

    plans: int
    worse: int
    better: int
    where: Counter[str]
    undecided: float


def caught(values: dict[str, Values], one: Defect, gate: GatePlan, *, plans: int = PLANS_DRAWN) -> Seen:
    """Judge a defect by drawn plans; both sides have the same seeds, as in the gate."""
    dice = random.Random(f"gate power: {one.words}")
    return _judged(plans, lambda: _same(values, one, dice.sample(range(1, SEEDS + 1), len(gate.seeds))))


def unchanged(values: dict[str, Values], base: str, gate: GatePlan, *, plans: int = PLANS_DRAWN) -> Seen:
    """Judge a controller by itself on other seeds."""
    dice = random.Random(f"gate power: {base} unchanged")

    def sides() -> tuple[Values, Values]:
        seeds = dice.sample(range(1, SEEDS + 1), 2 * len(gate.seeds))
        return drawn(values[base], seeds[: len(gate.seeds)]), drawn(values[base], seeds[len(gate.seeds) :])

    return _judged(plans, sides)


def _same(values: dict[str, Values], one: Defect, seeds: Sequence[int]) -> tuple[Values, Values]:
    return drawn(values[one.before], seeds), drawn(values[one.now], seeds)


def _judged(plans: int, sides: Callable[[], tuple[Values, Values]]) -> Seen:
    worse, better, where, undecided = 0, 0, Counter[str](), 0
    for _ in range(plans):
        rows = judge(*sides(), Margins())
        bad = [f"{row.cell}: {row.quantity}" for row in rows if row.outcome == WORSE]
        worse += bool(bad)
        better += any(row.outcome == BETTER for row in rows)
        where.update(bad)
        undecided += sum(row.outcome == UNDECIDED for row in rows)
    return Seen(plans, worse, better, where, undecided / plans)


def page(values: dict[str, Values], gate: GatePlan) -> str:
    """Return the page that says what the plan sees, and what it cannot see."""
    lines = [
        "# What the gate sees",
        "",
        "Generated by `make gate-power`.",
        "",
        f"The [gate](../guides/gate.md)'s plan of two minutes has {len(gate.cells)} paths and {len(gate.seeds)} seeds.",
        f"A pool of {SEEDS} seeds for every path and controller is stored (data/gate/pool.parquet).",
        f"{PLANS_DRAWN} plans are drawn from it and judged as the",
        "command does, with the usual margins.",
        "",
        "## Changes that it must see",
        "",
        "Both sides of a drawn plan have the same seeds.",
        "",
        "| change | called worse in | called better in | where, in how many of the plans | undecided, of a plan's comparisons |",
        "|---|---|---|---|---|",
    ]
    for one in DEFECTS:
        seen = caught(values, one, gate)
        where = ", ".join(f"{name} {count}" for name, count in seen.where.most_common(3))
        lines.append(f"| {one.words} | {seen.worse} of {seen.plans} | {seen.better} of {seen.plans} | {where} | {seen.undecided:.0f} |")
    lines += [
        "",
        "## Nothing changed",
        "",
        "A controller by itself, with seeds that the baseline has not: nothing may be called worse. With the same seeds an unchanged",
        "controller is equal to the bit.",
        "",
        "| controller | called worse in | called better in | undecided, of a plan's comparisons |",
        "|---|---|---|---|",
    ]
    for base in BASES:
        seen = unchanged(values, base, gate)
        lines.append(f"| `{base}` | {seen.worse} of {seen.plans} | {seen.better} of {seen.plans} | {seen.undecided:.0f} |")
    return "\n".join([*lines, "", *_unseen(values, gate), ""])


def _unseen(values: dict[str, Values], gate: GatePlan) -> list[str]:
    """Return what the plan cannot see: the comparisons that vary most, by the change that is seen in nine of ten plans."""
    normal = NormalDist()
    family = sum(len(cell.quantities) for cell in gate.cells)
    factor = (normal.inv_cdf(1 - LEVEL / (2 * family)) + normal.inv_cdf(0.9)) * math.sqrt(2 / len(gate.seeds))
    rows = []
    for cell, quantities in values["cubic"].cells.items():
        for name, series in quantities.items():
            known = [value for value in series.values() if value is not None]
            mean, spread = fmean(known), stdev(known)
            margin = Margins().of(cell, name).at(mean)
            rows.append((factor * spread / margin, cell, QUANTITIES[name], mean, factor * spread, margin))
    rows.sort(key=lambda row: -row[0])
    lines = [
        "## What it cannot see",
        "",
        "- A change within the margins: it is called equal.",
        "- What happens on none of its paths: rates above 1 Gbit/s (the plan of twenty minutes has one of 10 Gbit/s), RTTs above 200 ms,",
        "  ECN marks, policers, several bottlenecks, cellular traces, hundreds of flows, hours.",
        "- What its quantities do not weigh: the shape of a window, single bursts, what the controller says of itself.",
        "- Small changes of quantities that vary much from run to run. For CUBIC the smallest change that is seen in nine of ten plans",
        "  where the draws of the two sides have nothing in common (where they have, smaller ones are):",
        "",
        "| path | quantity | mean | seen from | margin |",
        "|---|---|---|---|---|",
    ]
    for _, cell, quantity, mean, least, margin in rows[:12]:
        unit = f" {quantity.unit}" if quantity.unit else ""
        lines.append(f"| {cell} | {quantity.title} | {mean:.3g}{unit} | {least:.2g}{unit} | {margin:.2g}{unit} |")
    return lines


def main() -> None:
    """Make the pool, unless told otherwise, and write the page."""
    options = sys.argv[1:]
    if "--page" not in options:
        make(options[options.index("--only") + 1].split(",") if "--only" in options else None)
    PAGE.write_text(page(read(), plan(STANDARD)), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()
