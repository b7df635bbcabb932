"""What strikes most in the study of whole stacks, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from windtunnel.suites.stacks.subjects import BBR, CUBIC, RENO, WINDOWS

_SEEN_UNDONE = 0.05
_SEEN_SHARE = 2 / 3
_SEEN_LOSS = 0.02
_SEEN_LAW = 1.5


def findings(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return what was found, the most striking first.

    Parameters
    ----------
    tables : mapping of str to polars.DataFrame
        Measures by experiment.

    Returns
    -------
    list of str
        Sentences; empty when the experiments they need were not run.
    """
    return [*_undone(tables), *_lost(tables), *_lossy(tables), *_pairs(tables), *_unmarked(tables)]


def _means(tables: Mapping[str, pl.DataFrame], experiment: str, metric: str, *by: str) -> dict[tuple[str, ...], float]:
    frame = tables.get(experiment)
    if frame is None:
        return {}
    rows = frame.filter(pl.col("metric") == metric, pl.col("value").is_not_null())
    grouped = rows.group_by("alg", *by, maintain_order=True).agg(pl.col("value").mean()).rows()
    return {tuple(map(str, place)): value for *place, value in grouped}


def _undone(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    for (name,), share in _means(tables, "stacks.growth", "undone").items():
        if share > _SEEN_UNDONE and "@" in name:
            yield f"Alone on a path without disorder {name} takes back {100 * share:.0f} % of its reductions within eight round trips."


def _lost(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    for (name,), share in _means(tables, "stacks.growth", "loss_ovh").items():
        if name in BBR and share > _SEEN_LOSS:
            yield f"{name}, alone in a queue of one BDP, declares {100 * share:.0f} % of its packets lost."


def _lossy(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    for (name, probability), ratio in _means(tables, "stacks.loss", "law_ratio", "p").items():
        if name in WINDOWS and probability == "0.01" and ratio > _SEEN_LAW:
            yield f"At a random loss of 1 % {name} carries {ratio:.1f} times what the square-root law says."


def _pairs(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    found = _means(tables, "stacks.pairs", "share", "opponent")
    for law, names, called in (("cubic", CUBIC, "CUBIC"), ("reno", RENO, "Reno")):
        shares = {name: 1 - found[law, name] for name in names if "@" in name and (law, name) in found}
        for name, share in sorted(shares.items(), key=lambda item: -abs(item[1] - 0.5)):
            if not 1 - _SEEN_SHARE <= share <= _SEEN_SHARE:
                yield f"Beside Linux's {called} {name} takes {100 * share:.0f} % of what both carry."


def _unmarked(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    none = [name for (name,), marks in _means(tables, "stacks.ecn", "marks_pkts").items() if marks == 0]
    if none:
        yield f"No packet of {', '.join(none)} is ECN-capable."
